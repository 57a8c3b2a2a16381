//! Algorithms that several strategies share, on the arrays of `throng-core`.
//!
//! The folder is the question, the file is the answer: `environment` is what readers hand over,
//! `ground` walks on the mesh, `search` searches a map's graph, `funnel` pulls strings through
//! gates, `taut` pulls walks tight round walls, `lattice` lays squares over a floor plan,
//! `near_walls` measures how far its walls are, `crowd_cells` says where the crowd is counted,
//! `integrate` turns prices of a metre into prices of edges and walks, `geodesic` finds shortest
//! ways over triangles, `lanes` does arithmetic on eight numbers at once, `few` tries avoidance
//! models without an engine.

pub mod crowd_cells;
pub mod environment;
pub mod few;
pub mod funnel;
pub mod geodesic;
pub mod ground;
pub mod integrate;
pub mod lanes;
pub mod lattice;
pub mod near_walls;
pub mod polygon;
pub mod search;
pub mod taut;

pub use crowd_cells::CrowdCells;
pub use ground::{Ground, GroundError, Walk};
pub use throng_core::GroundView;
