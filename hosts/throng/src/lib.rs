//! Crowd simulation whose parts are chosen by name: the library.
//!
//! ```
//! use throng::{Simulation, Spot};
//!
//! let mut sim = Simulation::from_text(r#"
//!     name = "hello"
//!     duration = 10.0
//!     [environment]
//!     generate = "corridor"
//!     [[source]]
//!     area = "left"
//!     count = 20
//!     goals = ["right"]
//! "#)?;
//! for _ in 0..50 {
//!     sim.step()?;
//! }
//! assert_eq!(sim.metrics().spawned, 20);
//! assert_eq!(sim.metrics().wall_crossings, 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Three levels of control
//!
//! 1. Throng moves everybody: [`Simulation::step`].
//! 2. Throng chooses velocities, the host's physics moves: [`Simulation::propose`] and
//!    [`Simulation::commit`].
//! 3. One strategy alone on the caller's arrays: [`alone`].
//!
//! Strategies come from crates of their own; this crate links them all (see [`registry`]).

pub mod alone;
pub mod load;
pub mod scenes;
mod simulation;
pub mod snapshot;

pub use load::{LoadError, LoadOptions, Loaded, PluginPolicy, load, load_text, registry};
pub use simulation::{Builder, Simulation, SimulationError};
pub use throng_core as core;
pub use throng_engine as engine;
pub use throng_engine::{
    AgentId, BuildError, CheckpointError, Command, Destination, Event, Mover, NewAgent, Path,
    Proposal, QueryError, Registry, RunError, Scenario, Spot, diagnostics, metrics, scenario,
};
pub use throng_kit::environment;

// A crate that nobody names is dropped by the linker, and its strategies with it.
use throng_costs as _;
use throng_groups as _;
use throng_lod as _;
use throng_nav_grid as _;
use throng_predictive as _;
use throng_rvo as _;
use throng_search as _;
use throng_short_term as _;
use throng_social_force as _;
