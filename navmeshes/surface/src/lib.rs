//! Navigation map `surface`: any triangle mesh, treated as a whole.
//!
//! The map is `surface.rs`; `surface/refine.rs` cuts the ground's triangles to a size that a search
//! and a crowd can use, `surface/patches.rs` gathers them into regions.

mod surface;

pub use surface::SurfaceMap;
