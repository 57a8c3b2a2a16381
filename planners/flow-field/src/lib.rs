//! Planner `flow-field`: one field of directions per goal, shared by everybody who walks there.
//!
//! `stencil` is a dense map's graph as a lattice of steps, `step_costs` their prices, `sight`
//! what slots see of each other, `expand` grows fields over it (by
//! Dijkstra's algorithm or theta*), `grow` does so beside the simulation, `field` is what is kept
//! of them, `routes` reads routes from them, `flow_field` is the strategy.

mod expand;
mod field;
mod flow_field;
mod grow;
mod routes;
mod sight;
mod stencil;
mod step_costs;

pub use expand::{Expander, Expansion};
pub use field::{Field, Way};
pub use flow_field::FlowField;
pub use stencil::{Slot, Stencil};
pub use step_costs::StepCosts;
