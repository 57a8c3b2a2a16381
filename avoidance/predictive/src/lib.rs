//! Forces that evade predicted collisions: avoidance predictive.
//!
//! One file per strategy, named after its id.

pub mod predictive;

pub use predictive::Predictive;
