//! The frozen world that strategies read.

use glam::{Vec2, Vec3};

use crate::{
    crowd::{CrowdView, EdgePrices, Prices, RouteClass},
    map::{NavMap, Site},
    nav::NavRepresentation,
    place::{EdgeId, Frame, Location, NodeId, RegionId},
    steer::MemoryRows,
};

/// The agents as columns of equal length, as of the last commit. A row is an agent's place in
/// the columns; it changes when agents are sorted, its id does not.
#[derive(Clone, Copy, Debug)]
pub struct AgentsView<'a> {
    /// Stable ids.
    pub id: &'a [u64],
    /// Places.
    pub location: &'a [Location],
    /// Frames; empty on a flat ground, where all are [`Frame::FLAT`].
    pub frame: &'a [Frame],
    /// Velocities, each in its agent's frame.
    pub velocity: &'a [Vec2],
    /// Unit directions faced.
    pub heading: &'a [Vec2],
    /// Preferred velocities of the last guiding.
    pub preferred: &'a [Vec2],
    /// Radii, metres.
    pub radius: &'a [f32],
    /// Desired speeds, metres per second.
    pub speed: &'a [f32],
    /// Masses, kilograms.
    pub mass: &'a [f32],
    /// Lanes: the offset in [-1, 1] across a corridor.
    pub lane: &'a [f32],
    /// Weights of the crowd part of prices.
    pub weight: &'a [f32],
    /// Route classes.
    pub class: &'a [u32],
    /// Goals, or NONE for a place of one's own.
    pub goal: &'a [u32],
    /// The place each walks to.
    pub target: &'a [Location],
    /// Regions of the map.
    pub region: &'a [RegionId],
    /// Tiers.
    pub tier: &'a [u8],
    /// Groups, or NONE.
    pub group: &'a [u32],
}

impl AgentsView<'_> {
    /// How many agents.
    #[inline]
    pub fn len(&self) -> usize {
        self.id.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.id.is_empty()
    }

    /// The frame of a row.
    #[inline]
    pub fn frame_of(&self, row: usize) -> Frame {
        self.frame.get(row).copied().unwrap_or(Frame::FLAT)
    }
}

/// A goal that several agents share.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Goal {
    /// A place in it.
    pub anchor: Location,
    /// First of its nodes in [`World::goal_nodes`].
    pub first_node: u32,
    /// How many nodes of the map lie in it (at least the one its anchor hangs on).
    pub nodes: u32,
}

/// A region of interest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RegionOfInterest {
    /// Its centre.
    pub at: Vec3,
    /// Its radius, metres.
    pub radius: f32,
    /// The level it asks for.
    pub level: u32,
}

/// A camera that watches the crowd: what it sees of the ground in plan.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct CameraView {
    /// Where it is.
    pub at: Vec3,
    /// Unit direction that it looks in, in plan.
    pub direction: Vec2,
    /// Cosine of half the angle that it sees.
    pub half_angle_cosine: f32,
    /// How far it sees, metres.
    pub far: f32,
}

impl CameraView {
    /// Whether a point is in view; `margin` metres beside the view still count.
    #[inline]
    pub fn sees(&self, point: Vec3, margin: f32) -> bool {
        let way = (point - self.at).truncate();
        let along = way.dot(self.direction);
        let distance = way.length();
        if distance > self.far + margin {
            return false;
        }
        if distance <= margin {
            return true;
        }
        let cosine = self.half_angle_cosine;
        if along >= cosine * distance {
            return true;
        }
        if margin <= 0.0 {
            return false;
        }
        // Distance to the nearer edge of the view.
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let across = self.direction.perp_dot(way).abs();
        let on_edge = along * cosine + across * sine;
        on_edge > 0.0 && across * cosine - along * sine <= margin
    }
}

/// A mover: a vehicle on a track, which avoids nobody.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct MoverView {
    /// Its place.
    pub at: Vec3,
    /// Its velocity in world directions, metres per second.
    pub velocity: Vec3,
    /// Its radius, metres.
    pub radius: f32,
    /// How uncomfortable the ground ahead of it is, as a price per metre.
    pub discomfort: f32,
}

/// Routes of the agents: rows as in the [`AgentsView`].
#[derive(Clone, Copy, Debug)]
pub struct RoutesView<'a> {
    /// All edge ids.
    pub edges: &'a [EdgeId],
    /// First remaining edge of each agent's route.
    pub first: &'a [u32],
    /// Remaining edges.
    pub count: &'a [u32],
    /// Edges at the end of each route that lay beyond the horizon when it was planned.
    pub invisible: &'a [u32],
}

impl<'a> RoutesView<'a> {
    /// The rest of an agent's route over edges; empty if it has none or one of gates.
    pub fn rest(&self, row: usize) -> &'a [EdgeId] {
        match (self.first.get(row), self.count.get(row)) {
            (Some(&first), Some(&count)) => &self.edges[first as usize..(first + count) as usize],
            _ => &[],
        }
    }

    /// The part of the rest of a route that lay beyond the horizon when it was planned.
    pub fn invisible_rest(&self, row: usize) -> &'a [EdgeId] {
        let rest = self.rest(row);
        let count = self.invisible.get(row).copied().unwrap_or(0) as usize;
        &rest[rest.len() - count.min(rest.len())..]
    }
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

/// When a walk begins and how fast it goes, which picks the time slices of its prices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// Seconds from now.
    pub seconds: f32,
    /// Metres per second.
    pub speed: f32,
}

impl Departure {
    /// Now, so fast that prices of now hold all along.
    pub const NOW: Departure = Departure {
        seconds: 0.0,
        speed: f32::INFINITY,
    };
}

/// Prices straight walks over crowd cells; the core implements it for the cells it keeps.
pub trait SegmentPricing: core::fmt::Debug + Send + Sync {
    /// What [`World::segment_price_at`] answers.
    fn segment(
        &self,
        world: &World<'_>,
        prices: usize,
        from: Location,
        to: Location,
        departure: Departure,
    ) -> Option<SegmentPrice>;
}

/// Everything frozen that a planner, a cost model, a policy or a group may read.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Seconds since the start.
    pub time: f64,
    /// Steps since the start.
    pub step: u64,
    /// The time step, seconds.
    pub dt: f32,
    /// Seed of the run.
    pub seed: u64,
    /// The ground and what came with it.
    pub site: Site<'a>,
    /// The map.
    pub map: &'a NavMap,
    /// The map's strategy, to attach places and make gates.
    pub nav: &'a dyn NavRepresentation,
    /// The crowd on crowd cells.
    pub crowd: CrowdView<'a>,
    /// The crowd cells themselves, for pricing straight walks.
    pub cells: &'a dyn SegmentPricing,
    /// Prices per cell, one table per cost model and class in use.
    pub prices: &'a [Prices],
    /// The same tables integrated over the map's edges.
    pub edge_prices: &'a [EdgePrices],
    /// Route classes.
    pub classes: &'a [RouteClass],
    /// Shared goals.
    pub goals: &'a [Goal],
    /// Nodes of the goals.
    pub goal_nodes: &'a [NodeId],
    /// The agents.
    pub agents: AgentsView<'a>,
    /// Their routes.
    pub routes: RoutesView<'a>,
    /// The level of detail that each tier is for.
    pub tier_levels: &'a [u8],
    /// Regions of interest.
    pub interest: &'a [RegionOfInterest],
    /// Movers.
    pub movers: &'a [MoverView],
    /// The camera, if there is one.
    pub camera: Option<CameraView>,
    /// Grows with every new set of prices.
    pub epoch: u64,
}

impl World<'_> {
    /// Price of the straight walk between two places under a table of prices: the integral of the
    /// price of a metre, by direction. Nothing where a wall or a blocked cell is in between.
    pub fn segment_price(
        &self,
        prices: usize,
        from: Location,
        to: Location,
    ) -> Option<SegmentPrice> {
        self.segment_price_at(prices, from, to, Departure::NOW)
    }

    /// [`World::segment_price`] of a walk that begins later: where prices have time slices, each
    /// metre is priced at the time it is walked.
    pub fn segment_price_at(
        &self,
        prices: usize,
        from: Location,
        to: Location,
        departure: Departure,
    ) -> Option<SegmentPrice> {
        self.cells.segment(self, prices, from, to, departure)
    }

    /// Base and crowd price of an edge under a table of prices.
    #[inline]
    pub fn edge_price(&self, prices: usize, edge: EdgeId) -> (f32, f32) {
        match self.prices[prices].uniform {
            Some(base) => (base * self.map.edge_length[edge as usize], 0.0),
            None => {
                let table = &self.edge_prices[prices];
                (table.base[edge as usize], table.crowd[edge as usize])
            }
        }
    }
}

/// The agents of one call to `guide`.
#[derive(Clone, Copy, Debug)]
pub struct GuideChunk<'a> {
    /// Rows of the agents to guide.
    pub rows: &'a [u32],
    /// Seconds that the answer will hold.
    pub dt: f32,
}

/// Where `guide` writes, one entry per row of the chunk.
#[derive(Debug)]
pub struct GuideOut<'a> {
    /// Preferred velocities in the agents' frames; zero on entry.
    pub preferred: &'a mut [Vec2],
    /// Offset to the point walked to, in the agents' frames; zero on entry.
    pub target: &'a mut [Vec2],
    /// 1 where the planner has no answer and the agent's route is to be followed.
    pub follow_route: &'a mut [u8],
    /// The planner's memory.
    pub memory: MemoryRows<'a>,
}

/// Members of groups in compressed rows.
#[derive(Clone, Copy, Debug)]
pub struct GroupsView<'a> {
    /// `start[g]..start[g + 1]` are the members of group g, the leader first.
    pub start: &'a [u32],
    /// Rows of the members.
    pub member: &'a [u32],
}
