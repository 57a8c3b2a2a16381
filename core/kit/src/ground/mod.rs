//! The ground: building it from floors or meshes, and walking on it.
//!
//! [`Ground`] owns the arrays of [`GroundView`]; [`Walk`] has the algorithms on them, one file
//! each: `locate` finds places, `advance` moves bodies, `trace` follows straight lines, `near`
//! lists walls. Building goes from `floors` or `mesh` (a soup of triangles) to `topology`
//! (adjacency and walls) to `index`.

mod advance;
mod arrange;
mod cells;
mod floor;
mod floors;
mod geometry;
mod grid;
mod index;
mod locate;
mod mesh;
mod near;
mod seams;
mod sheets;
mod topology;
mod trace;
mod walk;

use glam::{DVec3, Vec3};
use throng_core::{GroundView, Wall};

use crate::environment::{Environment, Mesh};
use index::Cells;

pub use advance::Advanced;
pub use trace::{TraceEnd, TracePiece};
pub use walk::Walk;

/// Why no ground can be built. All of them are faults of the input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GroundError {
    /// Nothing walkable is left: check that polygons have an area and solids do not cover it.
    #[error("the environment has no walkable ground")]
    Empty,
    /// A coordinate is infinite or not a number.
    #[error("{what} has a coordinate that is not a finite number")]
    NotFinite {
        /// The feature.
        what: String,
    },
    /// Positions would be too coarse: scale the input or cut a part out.
    #[error(
        "the ground reaches {half_extent} m from its middle; at most 131072 m are possible: set \
         `scale` to the metres per unit of the file, or cut a part out"
    )]
    TooLarge {
        /// Half the largest extent, metres.
        half_extent: f64,
    },
    /// A count is beyond what ids can hold.
    #[error("the environment has too many {what}")]
    TooMany {
        /// Of what.
        what: &'static str,
    },
    /// The outlines cross each other too often.
    #[error("the outlines cross each other too often to be untangled")]
    TooComplex,
    /// A feature names a floor that does not exist.
    #[error("{what} names floor {floor}, but there are {floors}")]
    UnknownFloor {
        /// The feature.
        what: String,
        /// The floor's index.
        floor: usize,
        /// How many floors there are.
        floors: usize,
    },
    /// A connection cannot be laid out.
    #[error("connection {name:?}: {reason}")]
    Connection {
        /// Its name.
        name: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The file's cells do not match their own width and height.
    #[error("the number of cells is not width times height")]
    Cells,
}

/// The walkable surface with its walls, owned. [`Ground::view`] lends it to strategies.
#[derive(Clone, Debug)]
pub struct Ground {
    origin: DVec3,
    vertices: Vec<Vec3>,
    /// Not rounded; empty where `vertices` are exact.
    exact: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    across: Vec<[u32; 3]>,
    normals: Vec<Vec3>,
    areas: Vec<f32>,
    floors: Vec<u16>,
    speed: Vec<f32>,
    side_door: Vec<[u16; 3]>,
    door_open: Vec<u8>,
    side_wall: Vec<[u32; 3]>,
    walls: Vec<Wall>,
    /// First and last side of each wall, as `triangle * 3 + side`.
    wall_sides: Vec<[u32; 2]>,
    triangle_cells: Cells,
    wall_cells: Cells,
    wall_rings: Vec<u8>,
    grain: f32,
    flat: bool,
    plan: bool,
    notices: Vec<String>,
    door_names: Vec<String>,
    floor_count: usize,
    area: f64,
    low: Vec3,
    high: Vec3,
}

impl Ground {
    /// Builds the ground of an environment: its mesh if it has one, else its floors.
    pub fn from_environment(environment: &Environment) -> Result<Ground, GroundError> {
        match &environment.mesh {
            Some(mesh) => Ground::from_mesh(mesh),
            None => topology::assemble(floors::soup(environment)?),
        }
    }

    /// Builds the ground of a triangle mesh. Its boundary edges are walls; of more than two
    /// triangles at one edge the straightest pair is joined.
    pub fn from_mesh(mesh: &Mesh) -> Result<Ground, GroundError> {
        topology::assemble(mesh::soup(mesh)?)
    }

    /// The ground, borrowed.
    #[inline]
    pub fn view(&self) -> GroundView<'_> {
        GroundView {
            origin: self.origin,
            vertices: &self.vertices,
            exact: &self.exact,
            triangles: &self.triangles,
            across: &self.across,
            normals: &self.normals,
            areas: &self.areas,
            floors: &self.floors,
            floor_count: self.floor_count as u16,
            speed: &self.speed,
            side_door: &self.side_door,
            door_open: &self.door_open,
            side_wall: &self.side_wall,
            walls: &self.walls,
            triangle_index: self.triangle_cells.view(),
            wall_index: self.wall_cells.view(),
            wall_rings: &self.wall_rings,
            grain: self.grain,
            flat: self.flat,
            plan: self.plan,
        }
    }

    /// What was repaired or assumed, each naming the feature.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// The doors' names, by door index.
    pub fn door_names(&self) -> &[String] {
        &self.door_names
    }

    /// The index of a door.
    pub fn door_index(&self, name: &str) -> Option<usize> {
        self.door_names.iter().position(|n| n == name)
    }

    /// Opens or closes a door. An index beyond the doors changes nothing.
    pub fn set_door(&mut self, door: usize, open: bool) {
        if let Some(state) = self.door_open.get_mut(door)
            && *state != u8::from(open)
        {
            *state = u8::from(open);
            topology::link_walls(self);
        }
    }

    /// Area of all triangles, square metres.
    pub fn walkable_area(&self) -> f64 {
        self.area
    }

    /// Floors, connections not counted. A mesh is one floor.
    pub fn floor_count(&self) -> usize {
        self.floor_count
    }

    /// The low and the high corner of the ground, world coordinates.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        (
            self.origin + self.low.as_dvec3(),
            self.origin + self.high.as_dvec3(),
        )
    }
}
