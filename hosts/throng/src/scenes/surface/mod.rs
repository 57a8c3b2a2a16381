//! Triangle meshes drawn by code: the surfaces of Ricks and Egbert's table and their kin.
//!
//! One file per family; `shape` and `isosurface` are what they are drawn with. Triangles wind
//! counter-clockwise seen from the side that people walk on.

pub(super) mod balls;
pub(super) mod buildings;
pub(super) mod curved;
mod isosurface;
pub(super) mod lumps;
mod noise;
pub(super) mod polyhedra;
pub(super) mod rings;
pub(super) mod rooms;
mod shape;
#[cfg(test)]
pub(super) mod topology;
pub(super) mod tree;
pub(super) mod tubes;

use throng_kit::environment::{Environment, Mesh};

fn environment(mesh: Mesh) -> Environment {
    Environment {
        mesh: Some(mesh),
        ..Environment::default()
    }
}
