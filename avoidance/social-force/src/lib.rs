//! Forces between bodies: avoidance social-force.
//!
//! One file per strategy, named after its id.

pub mod social_force;

pub use social_force::SocialForce;
