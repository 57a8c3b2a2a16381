//! The ground as plain arrays, and what can be asked of it.

use core::ffi::c_void;

use crate::{
    call::Status,
    values::{DVec3, Location, Vec2, Vec3},
};

/// A wall segment. The free side is on the left of `a` to `b`, seen from its triangle's normal.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Wall {
    /// Where it begins.
    pub a: Vec3,
    /// Where it ends.
    pub b: Vec3,
    /// A triangle on its free side, at `a`.
    pub triangle: u32,
    /// The wall that ends where this one begins, or 2^32 - 1.
    pub previous: u32,
    /// The wall that begins where this one ends, or 2^32 - 1.
    pub next: u32,
    /// The door that this is a leaf of: a wall only while the door is closed. 65535 for none.
    pub door: u16,
    /// 1: the corner at `a` juts into the free space. 2: so does the one at `b`. 4: an obstacle
    /// that maps ignore.
    pub flags: u16,
}

/// A uniform grid over space whose cells list things in compressed rows.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CellIndex {
    /// The low corner of cell (0, 0, 0).
    pub low: Vec3,
    /// The side of a cell, metres.
    pub cell: f32,
    /// Cells along each axis.
    pub size: [i32; 3],
    /// Zero.
    pub reserved: u32,
    /// Entries of `start`: one more than there are cells.
    pub starts: usize,
    /// `start[c]..start[c + 1]` are the items of cell c = (z * size y + y) * size x + x.
    pub start: *const u32,
    /// Entries of `item`.
    pub items: usize,
    /// The things listed, ascending within a cell.
    pub item: *const u32,
}

/// A straight piece of a walk, inside one triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct TracePiece {
    /// The triangle.
    pub triangle: u32,
    /// Length of the piece, metres.
    pub length: f32,
    /// Unit direction of walking.
    pub direction: Vec3,
    /// Where it begins.
    pub enter: Vec3,
    /// Where it ends.
    pub leave: Vec3,
}

/// Takes the pieces of a walk. **Owner:** whoever asks; used during that call only, on its thread.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TraceSink {
    /// The asker's own; handed back to `append`.
    pub context: *mut c_void,
    /// Appends pieces, which are copied before it returns. May be null.
    pub append:
        Option<unsafe extern "C" fn(context: *mut c_void, piece: *const TracePiece, count: usize)>,
}

/// How a straight walk ended: values of [`TraceEnd::how`].
pub mod trace_end {
    /// At its end.
    pub const REACHED: u32 = 0;
    /// At a standing wall.
    pub const WALL: u32 = 1;
    /// Neither: the line leaves the place it was meant for, or there was none to begin at.
    pub const LOST: u32 = 2;
}

/// How a straight walk ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct TraceEnd {
    /// One of [`trace_end`].
    pub how: u32,
    /// The wall that was met, or 2^32 - 1.
    pub wall: u32,
    /// Where it was met.
    pub at: Location,
}

/// The ground: a triangle mesh of the walkable surface. **Owner:** the host; frozen while the call
/// runs. **Thread:** its functions may be called on any thread until the call returns; they
/// answer an error for what is not of this ground, and never crash on it.
///
/// All points are in metres from `origin`. Side i of a triangle runs from corner i to corner
/// (i + 1) % 3; corners are counter-clockwise seen from the side that the normal points to.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Ground {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// The host's own.
    pub context: *const c_void,
    /// World coordinates of the local origin.
    pub origin: DVec3,
    /// How many corner points.
    pub vertices: usize,
    /// Corner points.
    pub vertex: *const Vec3,
    /// The same before they were rounded; null where rounding changed nothing.
    pub exact: *const DVec3,
    /// How many triangles.
    pub triangles: usize,
    /// Corners of each triangle.
    pub corner: *const [u32; 3],
    /// What lies across each side, as `triangle * 3 + side`, or 2^32 - 1 at a wall.
    pub across: *const [u32; 3],
    /// Unit normal of each triangle.
    pub normal: *const Vec3,
    /// Area of each triangle, square metres.
    pub area: *const f32,
    /// Floor of each triangle; connections follow the floors.
    pub floor: *const u16,
    /// Factor on walking speed on each triangle, above 0 and at most 1.
    pub speed: *const f32,
    /// The door in each side, or 65535.
    pub side_door: *const [u16; 3],
    /// The wall at each side, or 2^32 - 1.
    pub side_wall: *const [u32; 3],
    /// How many doors.
    pub doors: usize,
    /// 1 where the door is open. A closed door is a wall.
    pub door_open: *const u8,
    /// How many walls.
    pub walls: usize,
    /// Every wall segment, door leaves and obstacles included.
    pub wall: *const Wall,
    /// Where the triangles are.
    pub triangle_index: CellIndex,
    /// Where the walls are.
    pub wall_index: CellIndex,
    /// How many cells `wall_rings` speaks of.
    pub ringed: usize,
    /// For each cell of `wall_index`, how many rings of cells away the nearest wall is, at most
    /// 255.
    pub wall_rings: *const u8,
    /// The length below which places are not told apart.
    pub grain: f32,
    /// How many floors; higher indices are connections.
    pub floor_count: u32,
    /// Not 0 if all normals are +z at one height: frames are the world's x and y.
    pub flat: u32,
    /// Not 0 if the ground is a floor plan with heights.
    pub plan: u32,
    /// The place on the ground nearest to each of `count` points; nowhere if that is not finite.
    pub locate: Option<
        unsafe extern "C" fn(
            ground: *const Ground,
            point: *const Vec3,
            count: usize,
            out: *mut Location,
        ) -> Status,
    >,
    /// Whether a disc of this radius can make each of `count` straight walks: writes 1 or 0.
    pub sees: Option<
        unsafe extern "C" fn(
            ground: *const Ground,
            from: *const Location,
            to: *const Location,
            count: usize,
            radius: f32,
            out: *mut u8,
        ) -> Status,
    >,
    /// Walks straight from one place towards another, as a point. `pieces` may be null.
    pub trace: Option<
        unsafe extern "C" fn(
            ground: *const Ground,
            from: Location,
            to: Location,
            pieces: *const TraceSink,
            out: *mut TraceEnd,
        ) -> Status,
    >,
    /// Distance of each of `count` places to the nearest standing wall that maps know of, at most
    /// `reach`.
    pub clearance: Option<
        unsafe extern "C" fn(
            ground: *const Ground,
            at: *const Location,
            count: usize,
            reach: f32,
            out: *mut f32,
        ) -> Status,
    >,
}

/// The cells of an input file that is a grid itself. **Owner:** the host.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FileCells {
    /// Low corner of cell (0, 0), local plan coordinates.
    pub low: Vec2,
    /// Side of a cell, metres.
    pub cell: f32,
    /// Cells along x.
    pub width: u32,
    /// Cells along y.
    pub height: u32,
    /// Zero.
    pub reserved: u32,
    /// Entries of `walkable`.
    pub cells: usize,
    /// 1 where walkable, row by row along y.
    pub walkable: *const u8,
}

/// What a map is drawn over. **Owner:** the host; frozen while the call runs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Site {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Seed of the run, for maps that draw lots.
    pub seed: u64,
    /// The ground.
    pub ground: *const Ground,
    /// The file's own cells; null unless it is a grid.
    pub file_cells: *const FileCells,
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn tables_only_grow_at_their_end() {
        if size_of::<usize>() == 8 {
            assert_eq!(size_of::<Wall>(), 40);
            assert_eq!(size_of::<CellIndex>(), 64);
            assert_eq!(size_of::<TracePiece>(), 44);
            assert_eq!(size_of::<TraceEnd>(), 24);
            assert_eq!(offset_of!(Ground, vertices), 40);
            assert_eq!(offset_of!(Ground, triangles), 64);
            assert_eq!(offset_of!(Ground, triangle_index), 168);
            assert_eq!(offset_of!(Ground, grain), 312);
            assert_eq!(offset_of!(Ground, locate), 328);
            assert_eq!(size_of::<Ground>(), 360);
            assert_eq!(size_of::<FileCells>(), 40);
            assert_eq!(size_of::<Site>(), 32);
        }
    }
}
