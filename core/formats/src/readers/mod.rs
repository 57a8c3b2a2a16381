//! One reader per format, each behind the cargo feature of its name.

#[cfg(feature = "geojson")]
pub mod geojson;
#[cfg(feature = "gltf")]
pub mod gltf;
#[cfg(feature = "movingai")]
pub mod movingai;
#[cfg(feature = "obj")]
pub mod obj;
#[cfg(feature = "ply")]
pub mod ply;
#[cfg(feature = "png")]
pub mod png;
#[cfg(feature = "stl")]
pub mod stl;
#[cfg(feature = "svg")]
pub mod svg;
#[cfg(feature = "wkt")]
pub mod wkt;
