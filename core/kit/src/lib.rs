//! Algorithms that several strategies share, on the arrays of `throng-core`.
//!
//! The folder is the question, the file is the answer: `environment` is what readers hand over,
//! `ground` walks on the mesh, `search` searches a map's graph.

pub mod environment;
pub mod funnel;
pub mod ground;
pub mod search;

pub use ground::{Ground, GroundError, Walk};
pub use throng_core::GroundView;
