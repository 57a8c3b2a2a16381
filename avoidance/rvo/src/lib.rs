//! Reciprocal velocity obstacles: avoidance orca.
//!
//! One file per strategy, named after its id.

pub mod orca;

pub use orca::Orca;
