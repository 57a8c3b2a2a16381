//! Reciprocal velocity obstacles: avoidance orca and rvo.
//!
//! One file per strategy, named after its id.

pub mod orca;
pub mod rvo;

pub use orca::Orca;
pub use rvo::Rvo;
