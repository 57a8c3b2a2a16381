//! The frozen world that planners, policies and groups read, and what can be asked of it.

use core::ffi::c_void;

use crate::{
    call::Status,
    cost::Crowd,
    ground::Site,
    map::{GateSink, Map, PointSink},
    values::{Attachment, Frame, Gate, Location, Room, RouteClass, Vec2, Vec3},
};

/// Prices of a cost model and a class, per crowd cell and per edge. A search adds base + w * crowd.
///
/// Index of an entry of a cell: `(slice * cells + cell) * directions + direction`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PriceView {
    /// 1, or 8 if prices depend on the direction.
    pub directions: u32,
    /// How many time slices.
    pub slices: u32,
    /// Length of a slice, seconds.
    pub slice_seconds: f32,
    /// The least base price of any cell and direction.
    pub least_base: f32,
    /// Not 0 if `uniform` is the whole price; there are no entries then.
    pub is_uniform: u32,
    /// The base price everywhere.
    pub uniform: f32,
    /// Entries of `base` and `crowd`.
    pub entries: usize,
    /// Base part.
    pub base: *const f32,
    /// Crowd part.
    pub crowd: *const f32,
    /// Words of `blocked`: 0, or one bit for each cell.
    pub blocked_words: usize,
    /// Cells that nobody may enter.
    pub blocked: *const u64,
    /// Entries of `edge_base` and `edge_crowd`: the map's edges, or 0 for uniform prices.
    pub edges: usize,
    /// Base part of each whole edge.
    pub edge_base: *const f32,
    /// Crowd part of each whole edge.
    pub edge_crowd: *const f32,
}

/// The agents as columns, as of the last commit. **Owner:** the host; frozen while the call runs.
/// Columns have `agents` entries or are null.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Agents {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// How many agents.
    pub agents: usize,
    /// Stable ids.
    pub id: *const u64,
    /// Places.
    pub location: *const Location,
    /// Frames; null on a flat ground, where all are the world's x and y.
    pub frame: *const Frame,
    /// Velocities, each in its agent's frame, like all vectors of agents.
    pub velocity: *const Vec2,
    /// Unit directions faced.
    pub heading: *const Vec2,
    /// Preferred velocities of the last guiding.
    pub preferred: *const Vec2,
    /// Radii, metres.
    pub radius: *const f32,
    /// Desired speeds, metres per second.
    pub speed: *const f32,
    /// Masses, kilograms.
    pub mass: *const f32,
    /// Lanes: the offset from -1 to 1 across a corridor.
    pub lane: *const f32,
    /// Weights of the crowd part of prices.
    pub weight: *const f32,
    /// Route classes.
    pub route_class: *const u32,
    /// Goals, or none (2^32 - 1) for a place of one's own.
    pub goal: *const u32,
    /// The place each walks to.
    pub target: *const Location,
    /// Regions of the map.
    pub region: *const u32,
    /// Tiers.
    pub tier: *const u8,
    /// Groups, or none.
    pub group: *const u32,
}

/// A goal that several agents share.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Goal {
    /// A place in it.
    pub anchor: Location,
    /// First of its nodes in [`World::goal_node`].
    pub first_node: u32,
    /// How many nodes lie in it.
    pub nodes: u32,
}

/// A region of interest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Interest {
    /// Its centre.
    pub at: Vec3,
    /// Its radius, metres.
    pub radius: f32,
    /// The level it asks for.
    pub level: u32,
}

/// A mover: a vehicle on a track, which avoids nobody.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Mover {
    /// Its place.
    pub at: Vec3,
    /// Its velocity in world directions, metres per second.
    pub velocity: Vec3,
    /// Its radius, metres.
    pub radius: f32,
    /// How uncomfortable the ground ahead of it is, as a price per metre.
    pub discomfort: f32,
}

/// A camera that watches the crowd: what it sees of the ground in plan.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Camera {
    /// Where it is.
    pub at: Vec3,
    /// Unit direction that it looks in, in plan.
    pub direction: Vec2,
    /// Cosine of half the angle that it sees.
    pub half_angle_cosine: f32,
    /// How far it sees, metres.
    pub far: f32,
}

/// The price of a straight walk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct SegmentPrice {
    /// Base part.
    pub base: f32,
    /// Crowd part.
    pub crowd: f32,
    /// Metres walked.
    pub length: f32,
}

/// Everything frozen that a planner, a policy or a group may read. **Owner:** the host; frozen
/// while the call runs. **Thread:** its functions may be called on any thread until the call
/// returns; they answer an error for what is not of this world, and never crash on it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct World {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// The host's own.
    pub context: *const c_void,
    /// Seconds since the start.
    pub time: f64,
    /// Steps since the start.
    pub step: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Grows with every new set of prices.
    pub epoch: u64,
    /// Changes with the map: while it is the same for an instance, so is everything in `map`.
    pub map_stamp: u64,
    /// Changes with the prices: while it is the same for an instance, so is all of `price`.
    pub price_stamp: u64,
    /// The time step, seconds.
    pub dt: f32,
    /// Zero.
    pub reserved: u32,
    /// The ground and what came with it.
    pub site: *const Site,
    /// The map.
    pub map: *const Map,
    /// The crowd on crowd cells.
    pub crowd: *const Crowd,
    /// The agents.
    pub agents: *const Agents,
    /// How many tables of prices.
    pub prices: usize,
    /// Prices, one table per cost model and class in use.
    pub price: *const PriceView,
    /// How many route classes.
    pub classes: usize,
    /// Route classes.
    pub route_class: *const RouteClass,
    /// How many shared goals.
    pub goals: usize,
    /// Shared goals.
    pub goal: *const Goal,
    /// How many nodes of goals.
    pub goal_nodes: usize,
    /// Nodes of the goals.
    pub goal_node: *const u32,
    /// How many edges in all routes.
    pub route_edges: usize,
    /// Edges of all routes.
    pub route_edge: *const u32,
    /// How many agents have a row in the three columns below.
    pub routes: usize,
    /// First remaining edge of each agent's route in `route_edge`.
    pub route_first: *const u32,
    /// Remaining edges of each agent's route.
    pub route_count: *const u32,
    /// Edges at the end of each route that lay beyond the horizon when it was planned.
    pub route_invisible: *const u32,
    /// How many tiers.
    pub tiers: usize,
    /// The level of detail that each tier is for.
    pub tier_level: *const u8,
    /// How many regions of interest.
    pub interests: usize,
    /// Regions of interest.
    pub interest: *const Interest,
    /// How many movers.
    pub movers: usize,
    /// Movers.
    pub mover: *const Mover,
    /// The camera, or null.
    pub camera: *const Camera,
    /// Where each of `count` places hangs on the map. `hint` are regions where each was last seen,
    /// or none.
    pub attach: Option<
        unsafe extern "C" fn(
            world: *const World,
            place: *const Location,
            hint: *const u32,
            count: usize,
            out: *mut Attachment,
        ) -> Status,
    >,
    /// The region of each of `count` places.
    pub region_of: Option<
        unsafe extern "C" fn(
            world: *const World,
            place: *const Location,
            hint: *const u32,
            count: usize,
            out: *mut u32,
        ) -> Status,
    >,
    /// Gives the gates of consecutive edges of a route to `out`, which is the library's.
    pub gates: Option<
        unsafe extern "C" fn(
            world: *const World,
            edge: *const u32,
            count: usize,
            out: *const GateSink,
        ) -> Status,
    >,
    /// The gate across an edge after a share of its length, in its direction of travel; answers
    /// unsupported on maps whose edges have no width.
    pub gate_at: Option<
        unsafe extern "C" fn(world: *const World, edge: u32, along: f32, out: *mut Gate) -> Status,
    >,
    /// Gives the points of an edge's line between its two nodes to `out`, which is the library's,
    /// so that straight pieces stay within `tolerance` metres of it.
    pub edge_line: Option<
        unsafe extern "C" fn(
            world: *const World,
            edge: u32,
            tolerance: f32,
            out: *const PointSink,
        ) -> Status,
    >,
    /// For each of `count` places a disc in plan within which it stays in its region, where `way`
    /// is where each walks; answers unsupported if the map does not know.
    pub room_in: Option<
        unsafe extern "C" fn(
            world: *const World,
            place: *const Location,
            way: *const Vec2,
            region: *const u32,
            count: usize,
            out: *mut Room,
        ) -> Status,
    >,
    /// Price of each of `count` straight walks under a table of prices: the integral of the price
    /// of a metre by direction. Each begins `seconds` from now at `speed` metres per second (which
    /// may be infinite), which picks the time slices. `found` is 0 where a wall or a blocked cell
    /// is in between, else 1.
    pub segment_price: Option<
        unsafe extern "C" fn(
            world: *const World,
            prices: u32,
            from: *const Location,
            to: *const Location,
            count: usize,
            seconds: f32,
            speed: f32,
            out: *mut SegmentPrice,
            found: *mut u8,
        ) -> Status,
    >,
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn tables_only_grow_at_their_end() {
        if size_of::<usize>() == 8 {
            assert_eq!(size_of::<PriceView>(), 88);
            assert_eq!(offset_of!(Agents, group), 144);
            assert_eq!(size_of::<Goal>(), 24);
            assert_eq!(offset_of!(World, dt), 64);
            assert_eq!(offset_of!(World, agents), 96);
            assert_eq!(offset_of!(World, attach), 272);
            assert_eq!(size_of::<World>(), 328);
        }
    }
}
