//! Readers of geometry and meshes, one feature each.
//!
//! [`read`] and [`read_bytes`] tell the format by name and content and give a
//! [`throng_kit::environment::Environment`]. The file under `readers/` is the format:
//! `geojson`, `wkt`, `svg` (drawings), `movingai`, `png` (grids), `obj`, `ply`, `stl`, `gltf`
//! (meshes). What they share has a file of its own: `plan` gathers shapes, `floors` sorts them
//! onto floors, `clean` repairs outlines, `projection` turns degrees into metres, `cells`
//! outlines grids, `surface` tells floors from curved meshes. [`stack`] puts several files one
//! above the other.
//!
//! Bad input is repaired with a notice in `Environment::notices` that names the feature, or
//! refused with a [`FormatError`] that names file, place, reason and fix. Memory stays in
//! proportion to the file: sizes that a file declares are checked before they are believed.
//! OBJ, PLY, STL and WKT are read by code of this crate, because their libraries read f32
//! coordinates, give no line numbers or trust declared counts.
//!
//! ```
//! use throng_formats::{ReadOptions, read_bytes};
//!
//! let plan = b"POLYGON ((0 0, 10 0, 10 5, 0 5, 0 0))";
//! let environment = read_bytes("hall.wkt", plan, &ReadOptions::default())?;
//! assert_eq!(environment.floors[0].walkable.len(), 1);
//! # Ok::<(), throng_formats::FormatError>(())
//! ```

// A build with only some of the readers leaves parts of what they share unused.
#![cfg_attr(
    not(all(
        feature = "geojson",
        feature = "wkt",
        feature = "svg",
        feature = "movingai",
        feature = "png",
        feature = "obj",
        feature = "ply",
        feature = "stl",
        feature = "gltf"
    )),
    allow(dead_code, unused_imports, unused_variables)
)]

#[cfg(feature = "grid")]
mod cells;
#[cfg(feature = "drawing")]
mod clean;
mod detect;
mod error;
#[cfg(feature = "drawing")]
mod floors;
#[cfg(feature = "grid")]
pub mod height_map;
mod layers;
mod options;
#[cfg(feature = "drawing")]
mod plan;
#[cfg(feature = "drawing")]
pub mod projection;
mod read;
pub mod readers;
#[cfg(feature = "drawing")]
mod repairs;
#[cfg(any(feature = "drawing", feature = "mesh"))]
mod rings;
#[cfg(feature = "drawing")]
mod sides;
#[cfg(feature = "mesh")]
mod surface;

pub use detect::Format;
pub use error::{FormatError, Place};
pub use layers::{Layer, LayerConnection, StackError, stack};
pub use options::{ReadOptions, Up};
pub use read::{read, read_bytes};
