//! The step: crowd state, neighbours, routes, tiers, registry, scenario, checkpoints, plugins.
//!
//! [`Simulation`] owns everything. [`step`] has the stages in the order in which they run;
//! [`state`] is what they read and commit to; [`parts`] are the strategies; [`build`] makes both
//! from a [`scenario`] and the [`registry`].

pub mod agents;
pub mod areas;
pub mod build;
pub mod checkpoint;
pub mod classes;
pub mod command;
pub mod crowd;
pub mod diagnostics;
pub mod flows;
pub mod follow;
pub mod holds;
pub mod memory;
pub mod metrics;
pub mod mover;
pub mod neighbours;
pub mod obstacles;
pub mod parts;
pub mod plugin;
pub mod query;
pub mod registry;
pub mod relevance;
pub mod scenario;
pub mod shared;
pub mod simulation;
pub mod source;
pub mod state;
pub mod step;
pub mod track;
pub mod walking;

pub use agents::AgentId;
pub use build::BuildError;
pub use checkpoint::CheckpointError;
pub use command::{Command, Destination, Event, NewAgent, Spot};
pub use mover::Mover;
pub use query::{Path, QueryError};
pub use registry::Registry;
pub use scenario::Scenario;
pub use shared::Shared;
pub use simulation::{Proposal, RunError, Simulation};
