//! The functions of slot `planner`.

use core::ffi::c_void;

use crate::{
    call::{Call, Sink, Status},
    values::{Bytes, Gate, Location, Vec2},
    world::World,
};

/// What an instance asks for. **Owner:** the host; the library fills it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlannerProfile {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Not 0 if `guide` answers; otherwise agents follow their routes.
    pub guides: u32,
    /// How many columns of numbers `guide` keeps per agent.
    pub scalar_count: u32,
    /// How many columns of tangent vectors.
    pub tangent_count: u32,
    /// How many columns of places.
    pub location_count: u32,
    /// Names of the columns: scalars, tangents, then locations. The array and the texts are the
    /// library's and live as long as the instance.
    pub names: *const Bytes,
}

/// A wish for a route.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct PlanRequest {
    /// Where the route begins.
    pub from: Location,
    /// Where it ends.
    pub to: Location,
    /// Row of the agent, or none (2^32 - 1) for a query.
    pub agent: u32,
    /// The shared goal that `to` lies in, or none.
    pub goal: u32,
    /// Index of the prices to use, in [`World::price`].
    pub prices: u32,
    /// The agent's route class.
    pub route_class: u32,
    /// The region that `from` was last seen in, a hint, or none.
    pub from_region: u32,
    /// Radius that must fit, metres.
    pub radius: f32,
    /// Weight of the crowd part.
    pub weight: f32,
    /// Desired speed, metres per second.
    pub speed: f32,
}

/// Values of [`RouteRow::kind`].
pub mod route_kind {
    /// Edges of the map; the target follows.
    pub const EDGES: u32 = 0;
    /// Gates of its own; the target follows.
    pub const GATES: u32 = 1;
    /// No route; `count` is 0 and `why` the reason.
    pub const MISSING: u32 = 2;
}

/// Values of [`RouteRow::why`].
pub mod no_route {
    /// There is one.
    pub const FOUND: u32 = 0;
    /// The start hangs on no part of the map.
    pub const START_OFF_MAP: u32 = 1;
    /// The goal hangs on no part of the map.
    pub const GOAL_OFF_MAP: u32 = 2;
    /// Nothing connects the two.
    pub const UNCONNECTED: u32 = 3;
    /// Something connects them, but it is too narrow for this radius.
    pub const TOO_NARROW: u32 = 4;
    /// The search was given up at its limit.
    pub const LIMIT: u32 = 5;
    /// The strategy failed.
    pub const FAILED: u32 = 6;
}

/// An answer to a request.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RouteRow {
    /// What it is made of: one of [`route_kind`].
    pub kind: u32,
    /// Why there is none: one of [`no_route`].
    pub why: u32,
    /// First entry, in the edges or gates that are handed over with it.
    pub first: u32,
    /// Entries.
    pub count: u32,
    /// Entries at its end that lay beyond the planner's horizon; 0 if it saw everything.
    pub invisible: u32,
    /// The edge that the end hangs on, which is entered after the last one and not walked to its
    /// end; or none.
    pub into: u32,
    /// Length as planned, metres.
    pub length: f32,
    /// Price as planned, base + w * crowd.
    pub cost: f32,
}

/// Takes answers to requests, in the order of the requests. **Owner:** the host. **Thread:** the
/// one it was handed to, during that call only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RouteSink {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// The host's own; handed back to `append`.
    pub context: *mut c_void,
    /// Appends answers, one or all at once; the host copies them before it returns. It answers an
    /// error for rows that do not lie within `edge` or `gate`, or that nobody asked for.
    pub append: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            row: *const RouteRow,
            rows: usize,
            edge: *const u32,
            edges: usize,
            gate: *const Gate,
            gates: usize,
        ) -> Status,
    >,
}

/// The agents of a call of `guide`. **Owner:** the host; frozen while the call runs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GuideIn {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// How many agents.
    pub agents: usize,
    /// Their rows in the world's columns.
    pub row: *const u32,
    /// Seconds that the answer will hold.
    pub dt: f32,
    /// Zero.
    pub reserved: u32,
}

/// Where `guide` writes, one entry per agent of the call. **Owner:** the host.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GuideOut {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Preferred velocities in the agents' frames; zero on entry, finite on return.
    pub preferred: *mut Vec2,
    /// Offset to the point walked to, in the agents' frames; zero on entry, finite on return.
    pub target: *mut Vec2,
    /// 1 where the planner has no answer and the agent's route is to be followed; 0 on entry.
    pub follow_route: *mut u8,
    /// Memory: entry `i * scalar_count + c` is column c of agent i.
    pub scalars: *mut f32,
    /// Memory: entry `i * tangent_count + c`.
    pub tangents: *mut Vec2,
    /// Memory: entry `i * location_count + c`.
    pub locations: *mut Location,
}

/// The functions of a planner. **Thread:** `prepare` and `load` run alone; `plan` and `guide` run
/// on many threads at once unless the descriptor says otherwise, each with a scratch of its own.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlannerTable {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Fills the profile of an instance. Called once, after `create`; the answer is constant.
    pub profile: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            out: *mut PlannerProfile,
        ) -> Status,
    >,
    /// Makes scratch memory for one thread, as in the table of avoidance; may be null.
    pub new_scratch: Option<unsafe extern "C" fn() -> *mut c_void>,
    /// Frees scratch memory. Any thread.
    pub free_scratch: Option<unsafe extern "C" fn(scratch: *mut c_void)>,
    /// Answers every request, in order, each with one row. An answer depends on the world and the
    /// request alone, not on the batch it comes in.
    pub plan: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            scratch: *mut c_void,
            world: *const World,
            request: *const PlanRequest,
            requests: usize,
            out: *const RouteSink,
        ) -> Status,
    >,
    /// Renews shared products for this epoch. Answers unsuitable, with the reason, where the world
    /// does not do. May be null.
    pub prepare: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *mut c_void,
            world: *const World,
        ) -> Status,
    >,
    /// Writes preferred velocities for a chunk. Null unless the profile says `guides`.
    pub guide: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            scratch: *mut c_void,
            world: *const World,
            chunk: *const GuideIn,
            out: *const GuideOut,
        ) -> Status,
    >,
    /// Writes the state that a resumed run needs and that cannot be prepared anew. Null if there
    /// is none.
    pub save: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            out: *const Sink,
        ) -> Status,
    >,
    /// Takes back what `save` wrote. Null if there is none.
    pub load: Option<
        unsafe extern "C" fn(call: *const Call, instance: *mut c_void, saved: Bytes) -> Status,
    >,
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn tables_only_grow_at_their_end() {
        assert_eq!(size_of::<PlanRequest>(), 64);
        assert_eq!(size_of::<RouteRow>(), 32);
        if size_of::<usize>() == 8 {
            assert_eq!(size_of::<PlannerProfile>(), 32);
            assert_eq!(size_of::<RouteSink>(), 24);
            assert_eq!(size_of::<GuideIn>(), 32);
            assert_eq!(size_of::<GuideOut>(), 56);
            assert_eq!(offset_of!(PlannerTable, plan), 32);
            assert_eq!(offset_of!(PlannerTable, load), 64);
        }
    }
}
