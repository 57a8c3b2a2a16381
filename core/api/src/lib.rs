//! The contract crate of Throng: traits, views, ids, math and errors.
//!
//! One file per question; a strategy author reads the file of the slot being filled, then
//! [] and [`register!`]. No algorithms live here: they are in `throng-kit`.

pub mod ground;
pub mod math;
pub mod place;

pub use ground::{CellIndex, GroundView, NO_DOOR, Wall};
pub use place::{CellId, EdgeId, Frame, Location, NONE, NodeId, RegionId, TriangleId};
