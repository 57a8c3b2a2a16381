//! Algorithms that several strategies share, on the arrays of `throng-core`.
//!
//! The folder is the question, the file is the answer: `environment` is what readers hand over,
//! `ground` walks on the mesh, `search` searches a map's graph.

pub mod crowd_cells;
pub mod environment;
pub mod funnel;
pub mod ground;
pub mod integrate;
pub mod lattice;
pub mod polygon;
pub mod search;

pub use crowd_cells::CrowdCells;
pub use ground::{Ground, GroundError, Walk};
pub use throng_core::GroundView;
