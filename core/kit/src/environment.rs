//! What a reader or a generator hands over: the walkable space before it becomes a ground.

use glam::{DVec2, DVec3};

/// A closed ring of points in metres, without the first point repeated at the end.
pub type Ring = Vec<DVec2>;

/// A polygon with holes. Winding does not matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Polygon {
    /// The outer ring.
    pub outer: Ring,
    /// The holes.
    pub holes: Vec<Ring>,
}

impl Polygon {
    /// A polygon without holes.
    pub fn new(outer: Ring) -> Polygon {
        Polygon {
            outer,
            holes: Vec::new(),
        }
    }

    /// The axis-aligned rectangle between two corners.
    pub fn rectangle(low: DVec2, high: DVec2) -> Polygon {
        Polygon::new(vec![
            low,
            DVec2::new(high.x, low.y),
            high,
            DVec2::new(low.x, high.y),
        ])
    }
}

/// One planar layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Floor {
    /// Its name, for areas and messages.
    pub name: String,
    /// Its height, metres.
    pub z: f64,
    /// Walkable polygons; their union counts.
    pub walkable: Vec<Polygon>,
    /// Solid polygons taken out of the walkable ones.
    pub solid: Vec<Polygon>,
    /// Thin walls: open or closed polylines that nobody crosses.
    pub thin_walls: Vec<Vec<DVec2>>,
}

/// A flat stair or ramp between two floors: the quadrilateral lower[0], lower[1], upper[1],
/// upper[0] in plan. Its footprint is taken out of both floors; its two ends are open, its two
/// flanks are walls.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// Its name.
    pub name: String,
    /// Index of the floor at `lower`.
    pub from: usize,
    /// Index of the floor at `upper`.
    pub to: usize,
    /// The end on the floor `from`.
    pub lower: [DVec2; 2],
    /// The end on the floor `to`.
    pub upper: [DVec2; 2],
    /// Factor on walking speed, in (0, 1].
    pub speed: f64,
}

/// An arbitrary triangle mesh as the ground.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corner points, world coordinates.
    pub vertices: Vec<DVec3>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// A named polygon: a source, a goal, a measuring area.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedArea {
    /// Its name.
    pub name: String,
    /// Index of its floor.
    pub floor: usize,
    /// Its shape.
    pub shape: Polygon,
}

/// A named polyline, for counting who passes.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedLine {
    /// Its name.
    pub name: String,
    /// Index of its floor.
    pub floor: usize,
    /// Its points.
    pub points: Vec<DVec2>,
}

/// A door: a segment across walkable space that can be closed and opened while running.
#[derive(Clone, Debug, PartialEq)]
pub struct Door {
    /// Its name.
    pub name: String,
    /// Index of its floor.
    pub floor: usize,
    /// Its two ends.
    pub ends: [DVec2; 2],
    /// Whether it starts open.
    pub open: bool,
}

/// Something that bodies avoid and maps ignore: a lamp post, a bench.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Index of its floor.
    pub floor: usize,
    /// Its shape.
    pub shape: Polygon,
}

/// The cells of a file that is a grid itself (`.map`, PNG).
#[derive(Clone, Debug, PartialEq)]
pub struct FileCells {
    /// The low corner of cell (0, 0).
    pub low: DVec2,
    /// The side of a cell, metres.
    pub cell: f64,
    /// Cells along x.
    pub width: usize,
    /// Cells along y.
    pub height: usize,
    /// Walkable cells, row by row along y.
    pub walkable: Vec<bool>,
}

/// How walls are found in a picture of heights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightRules {
    /// Half the side of the median filter's square, pixels; 0 for none.
    pub median: u32,
    /// A step of more than this share of all heights is the edge of something solid.
    pub edge: f64,
    /// By how many pixels solid things are made larger.
    pub dilation: u32,
}

impl Default for HeightRules {
    fn default() -> HeightRules {
        HeightRules {
            median: 1,
            edge: 0.05,
            dilation: 1,
        }
    }
}

/// A picture of heights seen from above, from which walls were found.
#[derive(Clone, Debug, PartialEq)]
pub struct HeightPicture {
    /// Pixels along x.
    pub width: usize,
    /// Pixels along y.
    pub height: usize,
    /// Heights row by row from the top, black is low.
    pub greys: Vec<u16>,
    /// How walls are found in it.
    pub rules: HeightRules,
}

/// Everything that a scenario's `[environment]` stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Environment {
    /// Planar layers; empty when `mesh` is given.
    pub floors: Vec<Floor>,
    /// Stairs and ramps between them.
    pub connections: Vec<Connection>,
    /// An arbitrary mesh instead of floors.
    pub mesh: Option<Mesh>,
    /// Named areas.
    pub areas: Vec<NamedArea>,
    /// Named lines.
    pub lines: Vec<NamedLine>,
    /// Doors.
    pub doors: Vec<Door>,
    /// Avoidance-only obstacles.
    pub obstacles: Vec<Obstacle>,
    /// The file's own cells, where it is a grid.
    pub cells: Option<FileCells>,
    /// The picture of heights that the cells were made from, where they were.
    pub heights: Option<HeightPicture>,
    /// A mesh to draw instead of the ground.
    pub render: Option<Mesh>,
    /// What the reader repaired or assumed, each naming the feature.
    pub notices: Vec<String>,
}
