//! The contract crate of Throng: traits, views, ids, math and errors.
//!
//! One file per question. A strategy author reads the file of the slot being filled (`nav`,
//! `planner`, `cost`, `avoidance`, `lod`, `group`), then [`options!`] and [`register!`]. No
//! algorithms live here: they are in `throng-kit`.

// Lets `options!` name this crate by its own name inside itself and its doctests.
extern crate self as throng_core;

pub mod avoidance;
pub mod cost;
pub mod crowd;
pub mod error;
pub mod export;
pub mod ground;
pub mod group;
pub mod lod;
pub mod map;
pub mod math;
pub mod nav;
pub mod options;
pub mod place;
pub mod planner;
pub mod random;
pub mod registry;
pub mod routes;
pub mod steer;
pub mod world;

pub use avoidance::LocalAvoidance;
pub use cost::{CostModel, PriceContext};
pub use crowd::{AREA_UNIT, CrowdView, EdgePrices, Prices, RouteClass, SPEED_UNIT, angle_of};
pub use error::{NavError, PlannerError, StateError};
pub use ground::{CellIndex, GroundView, NO_DOOR, NearWall, Wall};
pub use group::{GroupBehavior, GroupChunk, GroupOut};
pub use lod::LodPolicy;
pub use map::{Attachment, Change, EdgePiece, FileCellsView, Gate, NavMap, Remap, Site};
pub use nav::{Hold, NavRepresentation, Room};
pub use place::{CellId, EdgeId, Frame, Location, NONE, NodeId, RegionId, TriangleId};
pub use planner::GlobalPlanner;
pub use registry::{Capabilities, Slot};
pub use routes::{NoRoute, PlanRequest, RouteKind, RouteRow, RouteSink, Scratch};
pub use steer::{
    MOVER, Memory, MemoryRows, NON_RECIPROCAL, Neighbour, NeighbourRows, Perception, SAME_GROUP,
    SteerChunk, SteerOut, WallRows,
};
pub use world::{
    AgentsView, CameraView, Departure, Goal, GroupsView, GuideChunk, GuideOut, MoverView,
    RegionOfInterest, RoutesView, SegmentPrice, SegmentPricing, World,
};

/// What the macros of this crate expand to.
#[doc(hidden)]
pub mod private {
    pub use inventory;
    pub use serde;
}
