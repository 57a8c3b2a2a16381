//! Planner `geodesic`: shortest ways over arbitrary surfaces.
//!
//! The planner is `geodesic.rs`; `geodesic/known.rs` is what it finds out about a map once,
//! `geodesic/improve` makes walkable gates of its paths.

mod geodesic;

pub use geodesic::{Algorithm, Geodesic};
