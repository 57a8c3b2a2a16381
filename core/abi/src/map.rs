//! A navigation map as plain arrays, and the sinks that maps are drawn into.

use core::ffi::c_void;

use crate::{
    call::Status,
    values::{EdgePiece, Gate, Location, Vec3},
};

/// A navigation map: a graph in compressed rows with gates and regions. **Owner:** the host; frozen
/// while the call runs. "None" is 2^32 - 1 for every index.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Map {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// How many nodes.
    pub nodes: usize,
    /// Place of each node.
    pub node_place: *const Location,
    /// Region of each node, or none.
    pub node_region: *const u32,
    /// `edge_start[n]..edge_start[n + 1]` are the edges that leave node n: `nodes + 1` entries.
    pub edge_start: *const u32,
    /// How many directed edges.
    pub edges: usize,
    /// Node where each edge begins.
    pub edge_from: *const u32,
    /// Node where each edge ends.
    pub edge_to: *const u32,
    /// The edge the other way, or none.
    pub edge_twin: *const u32,
    /// Metres.
    pub edge_length: *const f32,
    /// Least distance to a real wall along the edge, metres.
    pub edge_clearance: *const f32,
    /// The door that an edge passes, or 65535; null if no edge does.
    pub edge_door: *const u16,
    /// `gate_start[e]..gate_start[e + 1]` are the gates of edge e; null if the map makes them
    /// otherwise.
    pub gate_start: *const u32,
    /// How many gates.
    pub gates: usize,
    /// Gates, in the direction of travel.
    pub gate: *const Gate,
    /// `piece_start[e]..piece_start[e + 1]` are the crowd-cell pieces of edge e; null if half of
    /// an edge lies in the region of each of its ends.
    pub piece_start: *const u32,
    /// How many pieces.
    pub pieces: usize,
    /// Pieces of edges.
    pub piece: *const EdgePiece,
    /// How many regions.
    pub regions: usize,
    /// Area of each region, square metres.
    pub region_area: *const f32,
    /// A place inside each region.
    pub region_place: *const Location,
    /// `region_ring_start[r]..region_ring_start[r + 1]` are the outline points of region r; null
    /// if the map draws its regions otherwise.
    pub region_ring_start: *const u32,
    /// How many outline points.
    pub ring_points: usize,
    /// Outline points.
    pub region_ring: *const Vec3,
    /// Mean spacing of nodes where the map is dense enough to interpolate a field, else 0.
    pub dense_spacing: f32,
    /// Grows by one with every edit.
    pub revision: u32,
}

/// Takes a map as it is drawn. **Owner:** the host. **Thread:** the one it was handed to, during
/// that call only.
///
/// Every function appends and may be called as often as wanted, with as many entries as wanted;
/// the host copies them before it returns. They answer an error for what cannot be part of a map
/// (too much of it, edges out of order); the library then returns with an error too.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MapSink {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// The host's own; handed back to its functions.
    pub context: *mut c_void,
    /// Appends nodes: their places and regions, or none.
    pub nodes: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            count: usize,
            place: *const Location,
            region: *const u32,
        ) -> Status,
    >,
    /// Appends directed edges, in ascending order of `from`. `twin` is the edge the other way, or
    /// none; `door` is null if none of them passes a door.
    pub edges: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            count: usize,
            from: *const u32,
            to: *const u32,
            twin: *const u32,
            length: *const f32,
            clearance: *const f32,
            door: *const u16,
        ) -> Status,
    >,
    /// Appends the gates of the next `edges` edges, `count` of each. If it is ever called, it is
    /// called for all edges.
    pub gates: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            edges: usize,
            count: *const u32,
            gate: *const Gate,
        ) -> Status,
    >,
    /// Appends the crowd-cell pieces of the next `edges` edges. If it is ever called, it is called
    /// for all edges.
    pub pieces: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            edges: usize,
            count: *const u32,
            piece: *const EdgePiece,
        ) -> Status,
    >,
    /// Appends regions: their areas and a place inside each.
    pub regions: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            count: usize,
            area: *const f32,
            place: *const Location,
        ) -> Status,
    >,
    /// Appends the outlines of the next `regions` regions. If it is ever called, it is called for
    /// all regions.
    pub rings: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            regions: usize,
            count: *const u32,
            point: *const Vec3,
        ) -> Status,
    >,
    /// Says the mean spacing of nodes of a map that is dense enough to interpolate a field.
    pub dense: Option<unsafe extern "C" fn(context: *mut c_void, spacing: f32) -> Status>,
    /// Says where old ids went, or none: for `edit` alone, all old edges and all old regions.
    pub remap: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            edges: usize,
            edge: *const u32,
            regions: usize,
            region: *const u32,
        ) -> Status,
    >,
}

/// Takes gates. **Owner:** whoever asks for them; used during that call only, on its thread.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GateSink {
    /// The asker's own; handed back to `append`.
    pub context: *mut c_void,
    /// Appends gates, which are copied before it returns.
    pub append: Option<unsafe extern "C" fn(context: *mut c_void, gate: *const Gate, count: usize)>,
}

/// Takes points. **Owner:** whoever asks for them; used during that call only, on its thread.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PointSink {
    /// The asker's own; handed back to `append`.
    pub context: *mut c_void,
    /// Appends points, which are copied before it returns.
    pub append:
        Option<unsafe extern "C" fn(context: *mut c_void, point: *const Vec3, count: usize)>,
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn tables_only_grow_at_their_end() {
        if size_of::<usize>() == 8 {
            assert_eq!(offset_of!(Map, edges), 40);
            assert_eq!(offset_of!(Map, gate_start), 96);
            assert_eq!(offset_of!(Map, regions), 144);
            assert_eq!(size_of::<Map>(), 200);
            assert_eq!(offset_of!(MapSink, nodes), 16);
            assert_eq!(size_of::<MapSink>(), 80);
        }
    }
}
