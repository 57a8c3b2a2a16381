//! Shortest ways over a surface of triangles, in `f64`.
//!
//! [`Surface`] is the ground as these algorithms see it. `windows` finds exact distances and
//! shortest paths from one place (Chen and Han 1990, with the filters of Xin and Wang 2009);
//! `sleeve` pulls a path tight within the triangles it passes and turns it over vertices until it
//! is locally shortest (Martinez, Velho, Carvalho 2005).

mod sleeve;
mod surface;
mod windows;

pub use sleeve::{Sleeve, Straightened};
pub use surface::{On, Spot, Surface};
pub use windows::Windows;
