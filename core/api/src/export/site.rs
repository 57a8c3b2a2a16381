//! Ground and site as a strategy in a library sees them: the host's arrays, lent.

use glam::{DVec3, IVec3, Vec2, Vec3};
use throng_abi::{self as abi, rows};

use crate::{CellIndex, FileCellsView, GroundView, Site};

/// # Safety
/// The host lends arrays of the lengths stated, for `'a`.
unsafe fn index<'a>(index: &abi::CellIndex) -> CellIndex<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        CellIndex {
            low: Vec3::new(index.low.x, index.low.y, index.low.z),
            cell: index.cell,
            size: IVec3::from_array(index.size),
            start: rows(index.start, index.starts),
            items: rows(index.item, index.items),
        }
    }
}

/// # Safety
/// The host lends arrays of the lengths stated, or null ones, for `'a`.
unsafe fn ground<'a>(ground: &abi::Ground) -> GroundView<'a> {
    let n = ground.triangles;
    // SAFETY: the caller's promise; layouts are asserted in `layout`.
    unsafe {
        GroundView {
            origin: DVec3::new(ground.origin.x, ground.origin.y, ground.origin.z),
            vertices: rows(ground.vertex.cast(), ground.vertices),
            exact: rows(ground.exact.cast(), ground.vertices),
            triangles: rows(ground.corner, n),
            across: rows(ground.across, n),
            normals: rows(ground.normal.cast(), n),
            areas: rows(ground.area, n),
            floors: rows(ground.floor, n),
            floor_count: ground.floor_count as u16,
            speed: rows(ground.speed, n),
            side_door: rows(ground.side_door, n),
            door_open: rows(ground.door_open, ground.doors),
            side_wall: rows(ground.side_wall, n),
            walls: rows(ground.wall.cast(), ground.walls),
            triangle_index: index(&ground.triangle_index),
            wall_index: index(&ground.wall_index),
            wall_rings: rows(ground.wall_rings, ground.ringed),
            grain: ground.grain,
            flat: ground.flat != 0,
            plan: ground.plan != 0,
        }
    }
}

/// The site that a map is drawn over.
///
/// # Safety
/// `site` is the host's, whose tables and arrays are lent for `'a`.
pub(super) unsafe fn site<'a>(site: *const abi::Site) -> Site<'a> {
    // SAFETY: the caller's promise.
    unsafe {
        let site = &*site;
        Site {
            ground: ground(&*site.ground),
            file_cells: site.file_cells.as_ref().map(|cells| FileCellsView {
                low: Vec2::new(cells.low.x, cells.low.y),
                cell: cells.cell,
                width: cells.width,
                height: cells.height,
                walkable: rows(cells.walkable, cells.cells),
            }),
            seed: site.seed,
        }
    }
}
