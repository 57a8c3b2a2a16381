//! Planners that search a map, or need none. The file is the strategy, named after its id.

mod astar;
mod direct;
mod next_hop;
mod straight;
mod theta_star;

pub use astar::{Astar, Smoothing};
pub use direct::Direct;
pub use next_hop::{CellBoxes, FieldKind, Hops, Method, NextHop, Targets, Walker};
pub use theta_star::{ThetaStar, Variant};

#[cfg(test)]
mod test_world;
