//! The functions of slot `nav`.

use core::ffi::c_void;

use crate::{
    call::{Call, Status},
    ground::Site,
    map::{GateSink, Map, MapSink, PointSink},
    values::{Attachment, Bytes, Gate, Location, Room, Vec2},
};

/// Values of [`Change::kind`].
pub mod change {
    /// A solid polygon was added.
    pub const ADD_SOLID: u32 = 0;
    /// A solid polygon was removed.
    pub const REMOVE_SOLID: u32 = 1;
}

/// A change to the environment that a map may take without a rebuild. **Owner:** the host.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Change {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// One of [`change`].
    pub kind: u32,
    /// The floor.
    pub floor: u32,
    /// How many points the polygon has.
    pub points: usize,
    /// The polygon, local plan coordinates.
    pub ring: *const Vec2,
}

/// Takes figures by name. **Owner:** the host. **Thread:** the one it was handed to, during that
/// call only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MeasureSink {
    /// The host's own; handed back to `append`.
    pub context: *mut c_void,
    /// Appends a figure; the host copies its name before it returns.
    pub append: Option<unsafe extern "C" fn(context: *mut c_void, name: Bytes, value: f64)>,
}

/// The functions of a map. **Thread:** `build` and `edit` run alone; the others run on many
/// threads at once unless the descriptor says otherwise.
///
/// `map` is what the instance last drew, as the host holds it. Answers depend on the arguments
/// alone; a hint may change the time taken, never the answer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct NavTable {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Draws the map into the sink; what looking up needs is kept in the instance. Answers
    /// unsuitable, with the reason, where the ground does not do.
    pub build: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *mut c_void,
            site: *const Site,
            out: *const MapSink,
        ) -> Status,
    >,
    /// Where each of `count` places hangs on the graph: every one must be written. `hint` are
    /// regions where each was last seen, or none.
    pub attach: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            site: *const Site,
            map: *const Map,
            place: *const Location,
            hint: *const u32,
            count: usize,
            out: *mut Attachment,
        ) -> Status,
    >,
    /// The region of each of `count` places, the nearest one off the map's coverage: every one must
    /// be written.
    pub region_of: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            site: *const Site,
            map: *const Map,
            place: *const Location,
            hint: *const u32,
            count: usize,
            out: *mut u32,
        ) -> Status,
    >,
    /// Appends the gates of consecutive edges of a route. Called only where the map was drawn
    /// without gates; null if they are waypoints at the ends of its edges.
    pub emit_gates: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            site: *const Site,
            map: *const Map,
            edge: *const u32,
            count: usize,
            out: *const GateSink,
        ) -> Status,
    >,
    /// For each of `count` places, which lies in the region given with it, a disc in plan: as long
    /// as who stands there walks within it, it is in that region still. `way` is where each walks,
    /// of any length. Answers unsupported if it knows of none. May be null.
    pub room_in: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            map: *const Map,
            place: *const Location,
            way: *const Vec2,
            region: *const u32,
            count: usize,
            out: *mut Room,
        ) -> Status,
    >,
    /// The gate across an edge after a share of its length, in its direction of travel. Answers
    /// unsupported if edges have no width. May be null.
    pub gate_at: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            site: *const Site,
            map: *const Map,
            edge: u32,
            along: f32,
            out: *mut Gate,
        ) -> Status,
    >,
    /// Appends the points of an edge's line between its two nodes, so that straight pieces stay
    /// within `tolerance` metres of it. Null if they are the middles of its gates.
    pub edge_line: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            site: *const Site,
            map: *const Map,
            edge: u32,
            tolerance: f32,
            out: *const PointSink,
        ) -> Status,
    >,
    /// Takes a change without a rebuild: draws the whole new map into the sink, with `remap`.
    /// Answers unsupported if it cannot. May be null.
    pub edit: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *mut c_void,
            site: *const Site,
            change: *const Change,
            out: *const MapSink,
        ) -> Status,
    >,
    /// Gives figures of this kind of map by name. May be null.
    pub measures: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            site: *const Site,
            out: *const MeasureSink,
        ) -> Status,
    >,
    /// Bytes that the instance holds. May be null.
    pub bytes: Option<unsafe extern "C" fn(instance: *const c_void) -> usize>,
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn tables_only_grow_at_their_end() {
        if size_of::<usize>() == 8 {
            assert_eq!(size_of::<Change>(), 32);
            assert_eq!(offset_of!(NavTable, emit_gates), 32);
            assert_eq!(offset_of!(NavTable, bytes), 80);
        }
    }
}
