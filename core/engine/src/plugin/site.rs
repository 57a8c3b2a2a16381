//! Ground and site as a library is shown them: the host's arrays, lent, and answers about them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use throng_abi::{self as abi, ABI_VERSION, Status, TraceSink, rows, rows_mut, status, trace_end};
use throng_core::{CellIndex, GroundView, Location, NONE, NavMap, Site};
use throng_kit::{Walk, ground::TraceEnd};

use super::columns::{column, lent};

/// Runs an answer for a library: a panic of this program must not unwind into it.
pub(super) fn shielded(answer: impl FnOnce() -> Status) -> Status {
    catch_unwind(AssertUnwindSafe(answer)).unwrap_or(status::PANIC)
}

fn vec3(v: glam::Vec3) -> abi::Vec3 {
    abi::Vec3 {
        x: v.x,
        y: v.y,
        z: v.z,
    }
}

fn location(at: Location) -> abi::Location {
    abi::Location {
        point: vec3(at.point),
        triangle: at.triangle,
    }
}

/// A place as this program has it.
pub(super) fn place(at: abi::Location) -> Location {
    Location {
        point: glam::Vec3::new(at.point.x, at.point.y, at.point.z),
        triangle: at.triangle,
    }
}

fn index(index: &CellIndex<'_>) -> abi::CellIndex {
    abi::CellIndex {
        low: vec3(index.low),
        cell: index.cell,
        size: index.size.to_array(),
        reserved: 0,
        starts: index.start.len(),
        start: lent(index.start),
        items: index.items.len(),
        item: lent(index.items),
    }
}

/// The ground's table; nothing if its columns have unequal lengths.
fn ground(view: &GroundView<'_>) -> Option<abi::Ground> {
    let n = view.triangles.len();
    Some(abi::Ground {
        size: size_of::<abi::Ground>() as u32,
        version: ABI_VERSION,
        context: core::ptr::from_ref(view).cast(),
        origin: abi::DVec3 {
            x: view.origin.x,
            y: view.origin.y,
            z: view.origin.z,
        },
        vertices: view.vertices.len(),
        vertex: lent(view.vertices),
        exact: column(view.exact, view.vertices.len())?,
        triangles: n,
        corner: lent(view.triangles),
        across: column(view.across, n)?,
        normal: column(view.normals, n)?,
        area: column(view.areas, n)?,
        floor: column(view.floors, n)?,
        speed: column(view.speed, n)?,
        side_door: column(view.side_door, n)?,
        side_wall: column(view.side_wall, n)?,
        doors: view.door_open.len(),
        door_open: lent(view.door_open),
        walls: view.walls.len(),
        wall: lent(view.walls),
        triangle_index: index(&view.triangle_index),
        wall_index: index(&view.wall_index),
        ringed: view.wall_rings.len(),
        wall_rings: lent(view.wall_rings),
        grain: view.grain,
        floor_count: u32::from(view.floor_count),
        flat: u32::from(view.flat),
        plan: u32::from(view.plan),
        locate: Some(locate),
        sees: Some(sees),
        trace: Some(trace),
        clearance: Some(clearance),
    })
}

/// Shows a library the site; nothing if its columns have unequal lengths.
pub(super) fn with_site<R>(site: &Site<'_>, run: impl FnOnce(&abi::Site) -> R) -> Option<R> {
    let ground = ground(&site.ground)?;
    let cells = site.file_cells.as_ref().map(|cells| abi::FileCells {
        low: abi::Vec2 {
            x: cells.low.x,
            y: cells.low.y,
        },
        cell: cells.cell,
        width: cells.width,
        height: cells.height,
        reserved: 0,
        cells: cells.walkable.len(),
        walkable: lent(cells.walkable),
    });
    Some(run(&abi::Site {
        size: size_of::<abi::Site>() as u32,
        version: ABI_VERSION,
        seed: site.seed,
        ground: &ground,
        file_cells: cells
            .as_ref()
            .map_or(core::ptr::null(), core::ptr::from_ref),
    }))
}

/// The map's table; nothing if its columns have unequal lengths.
pub(super) fn map_table(map: &NavMap) -> Option<abi::Map> {
    let (nodes, edges, regions) = (map.nodes(), map.edges(), map.regions());
    Some(abi::Map {
        size: size_of::<abi::Map>() as u32,
        version: ABI_VERSION,
        nodes,
        node_place: lent(&map.node_place),
        node_region: column(&map.node_region, nodes)?,
        edge_start: column(&map.edge_start, nodes + 1)?,
        edges,
        edge_from: column(&map.edge_from, edges)?,
        edge_to: lent(&map.edge_to),
        edge_twin: column(&map.edge_twin, edges)?,
        edge_length: column(&map.edge_length, edges)?,
        edge_clearance: column(&map.edge_clearance, edges)?,
        edge_door: column(&map.edge_door, edges)?,
        gate_start: column(&map.gate_start, edges + 1)?,
        gates: map.gates.len(),
        gate: lent(&map.gates),
        piece_start: column(&map.piece_start, edges + 1)?,
        pieces: map.pieces.len(),
        piece: lent(&map.pieces),
        regions,
        region_area: lent(&map.region_area),
        region_place: column(&map.region_place, regions)?,
        region_ring_start: column(&map.region_ring_start, regions + 1)?,
        ring_points: map.region_ring.len(),
        region_ring: lent(&map.region_ring),
        dense_spacing: map.dense_spacing,
        revision: map.revision,
    })
}

/// The ground that a library asks about.
///
/// # Safety
/// `ground` is the table of a call that is running.
unsafe fn view<'a>(ground: *const abi::Ground) -> &'a GroundView<'a> {
    // SAFETY: the caller's promise; `ground` put the view there, which is borrowed for the call.
    unsafe { &*(*ground).context.cast() }
}

unsafe extern "C" fn locate(
    ground: *const abi::Ground,
    point: *const abi::Vec3,
    count: usize,
    out: *mut abi::Location,
) -> Status {
    // SAFETY: the contract: the table of a running call, and arrays of `count` entries.
    let (view, points, out) = unsafe { (view(ground), rows(point, count), rows_mut(out, count)) };
    shielded(|| {
        for (point, out) in points.iter().zip(out) {
            let at = view.locate(glam::Vec3::new(point.x, point.y, point.z));
            *out = location(at.unwrap_or(Location::NOWHERE));
        }
        status::OK
    })
}

unsafe extern "C" fn sees(
    ground: *const abi::Ground,
    from: *const abi::Location,
    to: *const abi::Location,
    count: usize,
    radius: f32,
    out: *mut u8,
) -> Status {
    // SAFETY: as in `locate`.
    let (view, from, to, out) = unsafe {
        let (from, to) = (rows(from, count), rows(to, count));
        (view(ground), from, to, rows_mut(out, count))
    };
    shielded(|| {
        for ((from, to), out) in from.iter().zip(to).zip(out) {
            let (from, to) = (place(*from), place(*to));
            *out = u8::from(if radius > 0.0 {
                view.sees_with_radius(from, to, radius)
            } else {
                view.sees(from, to)
            });
        }
        status::OK
    })
}

unsafe extern "C" fn trace(
    ground: *const abi::Ground,
    from: abi::Location,
    to: abi::Location,
    pieces: *const TraceSink,
    out: *mut abi::TraceEnd,
) -> Status {
    // SAFETY: as in `locate`; the sink is null or the library's, for this call.
    let (view, sink) = unsafe { (view(ground), pieces.as_ref()) };
    shielded(|| {
        let end = view.trace_to(place(from), place(to), &mut |piece| {
            let piece = abi::TracePiece {
                triangle: piece.triangle,
                length: piece.length,
                direction: vec3(piece.direction),
                enter: vec3(piece.enter),
                leave: vec3(piece.leave),
            };
            if let Some(sink) = sink
                && let Some(append) = sink.append
            {
                // SAFETY: the library's own function, with one piece lent to it.
                unsafe { append(sink.context, &piece, 1) }
            }
        });
        let (how, wall, at) = match end {
            TraceEnd::Reached => (trace_end::REACHED, NONE, place(to)),
            TraceEnd::Wall { wall, at } => (trace_end::WALL, wall, at),
            TraceEnd::Lost => (trace_end::LOST, NONE, Location::NOWHERE),
        };
        let end = abi::TraceEnd {
            how,
            wall,
            at: location(at),
        };
        // SAFETY: the contract: `out` takes one end.
        unsafe { out.write(end) };
        status::OK
    })
}

unsafe extern "C" fn clearance(
    ground: *const abi::Ground,
    at: *const abi::Location,
    count: usize,
    reach: f32,
    out: *mut f32,
) -> Status {
    // SAFETY: as in `locate`.
    let (view, at, out) = unsafe { (view(ground), rows(at, count), rows_mut(out, count)) };
    shielded(|| {
        for (at, out) in at.iter().zip(out) {
            *out = view.clearance(place(*at), reach);
        }
        status::OK
    })
}
