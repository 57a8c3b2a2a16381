//! Requests for routes and the sink that planners write them to.

use core::any::Any;

use crate::{
    map::Gate,
    place::{EdgeId, Location, NONE, RegionId},
};

/// A wish for a route.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PlanRequest {
    /// Where the route begins.
    pub from: Location,
    /// Where it ends.
    pub to: Location,
    /// Row of the agent in the [`AgentsView`](crate::AgentsView), or NONE for a query.
    pub agent: u32,
    /// The shared goal that `to` lies in, or NONE.
    pub goal: u32,
    /// Index of the prices to use, in [`World::prices`](crate::World::prices).
    pub prices: u32,
    /// The agent's route class.
    pub class: u32,
    /// The region that `from` was last seen in, a hint, or NONE.
    pub from_region: RegionId,
    /// Radius that must fit, metres.
    pub radius: f32,
    /// Weight of the crowd part.
    pub weight: f32,
    /// Desired speed, metres per second.
    pub speed: f32,
}

/// Why there is no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum NoRoute {
    /// The start hangs on no part of the map.
    StartOffMap = 1,
    /// The goal hangs on no part of the map.
    GoalOffMap = 2,
    /// Nothing connects the two.
    Unconnected = 3,
    /// Something connects them, but it is too narrow for this radius.
    TooNarrow = 4,
    /// The search was given up at its limit.
    Limit = 5,
    /// The strategy failed.
    Failed = 6,
}

impl NoRoute {
    /// All of them.
    pub const ALL: [NoRoute; 6] = [
        NoRoute::StartOffMap,
        NoRoute::GoalOffMap,
        NoRoute::Unconnected,
        NoRoute::TooNarrow,
        NoRoute::Limit,
        NoRoute::Failed,
    ];

    /// The reason in words.
    pub fn reason(self) -> &'static str {
        match self {
            NoRoute::StartOffMap => "the start is off the map",
            NoRoute::GoalOffMap => "the goal is off the map",
            NoRoute::Unconnected => "nothing connects start and goal",
            NoRoute::TooNarrow => "every way is too narrow for this radius",
            NoRoute::Limit => "the search reached its limit",
            NoRoute::Failed => "the planner failed",
        }
    }
}

/// What a route is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RouteKind {
    /// Edges of the map, `first..first + count` in [`RouteSink::edges`]; the target follows.
    Edges,
    /// Gates of its own, in [`RouteSink::gates`]; the target follows.
    Gates,
    /// No route.
    Missing(NoRoute),
}

/// One answer in a [`RouteSink`].
#[derive(Clone, Copy, Debug)]
pub struct RouteRow {
    /// What it is made of.
    pub kind: RouteKind,
    /// First entry.
    pub first: u32,
    /// Entries.
    pub count: u32,
    /// Entries at its end that lay beyond the planner's horizon; 0 if it saw everything.
    pub invisible: u32,
    /// The edge that the end hangs on, which is entered after the last one and not walked to its
    /// end; or NONE.
    pub into: EdgeId,
    /// Length as planned, metres.
    pub length: f32,
    /// Price as planned, base + w * crowd.
    pub cost: f32,
}

/// Answers to a batch of requests, in their order. Buffers are reused from batch to batch.
#[derive(Clone, Debug, Default)]
pub struct RouteSink {
    /// One row per request.
    pub rows: Vec<RouteRow>,
    /// Edge ids of the rows made of edges.
    pub edges: Vec<EdgeId>,
    /// Gates of the rows made of gates.
    pub gates: Vec<Gate>,
}

impl RouteSink {
    /// Empties it, keeping the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.edges.clear();
        self.gates.clear();
    }

    /// Answers with edges of the map.
    pub fn push_edges(&mut self, edges: impl IntoIterator<Item = EdgeId>, length: f32, cost: f32) {
        let first = self.edges.len();
        self.edges.extend(edges);
        self.rows.push(RouteRow {
            kind: RouteKind::Edges,
            first: first as u32,
            count: (self.edges.len() - first) as u32,
            invisible: 0,
            into: NONE,
            length,
            cost,
        });
    }

    /// Answers with edges of the map and the edge that the end hangs on, or NONE.
    pub fn push_edges_into(
        &mut self,
        edges: impl IntoIterator<Item = EdgeId>,
        into: EdgeId,
        length: f32,
        cost: f32,
    ) {
        self.push_edges(edges, length, cost);
        if let Some(row) = self.rows.last_mut() {
            row.into = into;
        }
    }

    /// Answers with gates of its own.
    pub fn push_gates(&mut self, gates: impl IntoIterator<Item = Gate>, length: f32, cost: f32) {
        let first = self.gates.len();
        self.gates.extend(gates);
        self.rows.push(RouteRow {
            kind: RouteKind::Gates,
            first: first as u32,
            count: (self.gates.len() - first) as u32,
            invisible: 0,
            into: NONE,
            length,
            cost,
        });
    }

    /// Answers that there is no route.
    pub fn push_missing(&mut self, why: NoRoute) {
        self.rows.push(RouteRow {
            kind: RouteKind::Missing(why),
            first: 0,
            count: 0,
            invisible: 0,
            into: NONE,
            length: f32::INFINITY,
            cost: f32::INFINITY,
        });
    }
}

/// Scratch memory that the caller keeps for a strategy from call to call, one per thread at work.
///
/// ```
/// use throng_core::Scratch;
/// let mut scratch = Scratch::default();
/// scratch.get::<Vec<u32>>().push(3);
/// assert_eq!(scratch.get::<Vec<u32>>().len(), 1);
/// ```
#[derive(Debug, Default)]
pub struct Scratch(Option<Box<dyn Any + Send>>);

impl Scratch {
    /// The scratch of this type: what the last call left, or a new one.
    pub fn get<T: Any + Send + Default>(&mut self) -> &mut T {
        if !self.0.as_ref().is_some_and(|b| b.is::<T>()) {
            self.0 = Some(Box::<T>::default());
        }
        match self.0.as_mut().and_then(|b| b.downcast_mut()) {
            Some(scratch) => scratch,
            None => unreachable!("a scratch of the right type was just put there"),
        }
    }
}
