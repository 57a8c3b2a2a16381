//! The ground as plain arrays: what maps, planners and libraries see of it.
//!
//! The ground is a triangle mesh of the walkable surface. Planar floors and stacked layers are
//! simple cases of it. The algorithms (locate, advance, trace, walls near) are in `throng-kit`.

use glam::{DVec3, IVec3, Vec2, Vec3};

use crate::place::{NONE, TriangleId};

/// No door: the value of [`GroundView::side_door`] and [`Wall::door`] for ordinary sides.
pub const NO_DOOR: u16 = u16::MAX;

/// A wall segment. The free side is on the left of `a` to `b`, seen from the normal of its
/// triangle. A thin wall between two rooms stands in the list twice, once for each side.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Wall {
    /// Where it begins.
    pub a: Vec3,
    /// Where it ends.
    pub b: Vec3,
    /// A triangle on its free side, at `a`.
    pub triangle: TriangleId,
    /// The wall that ends where this one begins, or [`NONE`].
    pub previous: u32,
    /// The wall that begins where this one ends, or [`NONE`].
    pub next: u32,
    /// The door that this is a leaf of: a wall only while the door is closed. [`NO_DOOR`] else.
    pub door: u16,
    /// [`Wall::CONVEX_A`], [`Wall::CONVEX_B`], [`Wall::OBSTACLE`].
    pub flags: u16,
}

impl Wall {
    /// The solid corner at `a` juts into the free space (an agent can go round it).
    pub const CONVEX_A: u16 = 1;
    /// The solid corner at `b` juts into the free space.
    pub const CONVEX_B: u16 = 2;
    /// Stands on the ground without a hole under it: maps ignore it, bodies do not.
    pub const OBSTACLE: u16 = 4;
}

/// A uniform grid over space whose cells list things in compressed rows.
#[derive(Clone, Copy, Debug)]
pub struct CellIndex<'a> {
    /// The low corner of cell (0, 0, 0).
    pub low: Vec3,
    /// The side of a cell, metres.
    pub cell: f32,
    /// Cells along each axis.
    pub size: IVec3,
    /// `start[c]..start[c + 1]` are the entries of cell c = (z * size.y + y) * size.x + x.
    pub start: &'a [u32],
    /// The things listed, ascending within a cell.
    pub items: &'a [u32],
}

impl<'a> CellIndex<'a> {
    /// The cell of a point, clamped to the grid.
    #[inline]
    pub fn cell_of(&self, point: Vec3) -> IVec3 {
        let scaled = (point - self.low) / self.cell;
        IVec3::new(scaled.x as i32, scaled.y as i32, scaled.z as i32)
            .clamp(IVec3::ZERO, self.size - IVec3::ONE)
    }

    /// The things listed in a cell inside the grid.
    #[inline]
    pub fn items_in(&self, cell: IVec3) -> &'a [u32] {
        let c = ((cell.z * self.size.y + cell.y) * self.size.x + cell.x) as usize;
        &self.items[self.start[c] as usize..self.start[c + 1] as usize]
    }
}

/// The ground, borrowed. All points are in metres from `origin`.
///
/// Side `i` of a triangle runs from corner `i` to corner `(i + 1) % 3`; corners are
/// counter-clockwise seen from the side the normal points to.
#[derive(Clone, Copy, Debug)]
pub struct GroundView<'a> {
    /// World coordinates of the local origin.
    pub origin: DVec3,
    /// Corner points.
    pub vertices: &'a [Vec3],
    /// The same points before they were rounded to `f32`, for lengths that must be exact; empty
    /// where rounding changed nothing (floor plans).
    pub exact: &'a [DVec3],
    /// Corners of each triangle.
    pub triangles: &'a [[u32; 3]],
    /// What lies across each side, as `triangle * 3 + side`, or [`NONE`] at a wall. Both
    /// triangles list each other, whatever their winding.
    pub across: &'a [[u32; 3]],
    /// Unit normal of each triangle.
    pub normals: &'a [Vec3],
    /// Area of each triangle, square metres.
    pub areas: &'a [f32],
    /// Floor index of each triangle; connections follow the floors.
    pub floors: &'a [u16],
    /// How many floors there are; higher indices are connections. A mesh is one floor.
    pub floor_count: u16,
    /// Factor on walking speed on each triangle (stairs), in (0, 1].
    pub speed: &'a [f32],
    /// The door in each side, or [`NO_DOOR`].
    pub side_door: &'a [[u16; 3]],
    /// 1 where the door is open. A closed door is a wall.
    pub door_open: &'a [u8],
    /// The wall at each side, or [`NONE`]: real walls, door leaves, and obstacles seen from
    /// outside (whose sides stay passable in `across`, because maps ignore them).
    pub side_wall: &'a [[u32; 3]],
    /// Every wall segment, door leaves and obstacles included.
    pub walls: &'a [Wall],
    /// Where the triangles are.
    pub triangle_index: CellIndex<'a>,
    /// Where the walls are.
    pub wall_index: CellIndex<'a>,
    /// For each cell of `wall_index`, how many rings of cells away the nearest cell with a wall
    /// is, at most 255: every point of the cell is at least `rings - 1` cells from any wall.
    pub wall_rings: &'a [u8],
    /// The length below which places are not told apart: about the spacing of coordinates.
    pub grain: f32,
    /// All normals are +z and all floors at one height: frames stay the world's x and y.
    pub flat: bool,
    /// All normals have z > 0.05: the ground is a floor plan with heights (floors, stairs,
    /// ramps, terrain), possibly in several layers.
    pub plan: bool,
}

impl GroundView<'_> {
    /// What lies across a side for a walker: `triangle * 3 + side`, or [`NONE`] at a wall or a
    /// closed door.
    #[inline]
    pub fn passage(&self, triangle: TriangleId, side: usize) -> u32 {
        let door = self.side_door[triangle as usize][side];
        if door != NO_DOOR && self.door_open[door as usize] == 0 {
            NONE
        } else {
            self.across[triangle as usize][side]
        }
    }

    /// Whether a body cannot pass a side: a wall, a closed door, or an obstacle from outside.
    #[inline]
    pub fn blocks_body(&self, triangle: TriangleId, side: usize) -> bool {
        let wall = self.side_wall[triangle as usize][side];
        wall != NONE
            && (self.passage(triangle, side) == NONE
                || self.walls[wall as usize].flags & Wall::OBSTACLE != 0)
    }

    /// Whether a wall of the list stands now: not the leaf of an open door.
    #[inline]
    pub fn stands(&self, wall: &Wall) -> bool {
        wall.door == NO_DOOR || self.door_open[wall.door as usize] == 0
    }

    /// The three corner points of a triangle.
    #[inline]
    pub fn corners(&self, triangle: TriangleId) -> [Vec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }
}

/// A wall near an agent, in the agent's tangent plane with the agent at (0, 0): what avoidance
/// sees. The free side is on the left of `a` to `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct NearWall {
    /// Where it begins.
    pub a: Vec2,
    /// Where it ends.
    pub b: Vec2,
    /// Unit direction of the wall that ends at `a`, or zero where there is none.
    pub before: Vec2,
    /// Unit direction of the wall that begins at `b`, or zero where there is none.
    pub after: Vec2,
    /// The flags of [`Wall`].
    pub flags: u32,
    /// Index of the wall in [`GroundView::walls`].
    pub wall: u32,
}
