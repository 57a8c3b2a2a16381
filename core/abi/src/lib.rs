//! The C tables through which strategies from dynamic libraries meet the engine.
//!
//! One file per question: [`plugin`] (what a library exports), [`call`] (what every function is
//! given: host, error sink), one per slot ([`nav`], [`planner`], [`cost`], [`avoidance`], [`lod`],
//! [`group`]: its functions), [`ground`], [`map`] and [`world`] (what strategies read), [`values`]
//! (vectors, places, texts). No dependencies, no algorithms. `include/throng.h` is the same for C
//! and C++, made from these files.
//!
//! # Rules of the border
//!
//! - A library exports one data symbol, [`SYMBOL`], of type [`Plugin`]. The host reads magic, size
//!   and version before it calls any function of the library.
//! - Every table begins with `size` (bytes, as its writer was compiled) and `version`. Tables only
//!   grow at their end. A reader takes a larger table than it knows, and of a smaller one only
//!   what is there.
//! - All functions are `extern "C"`. Nothing may unwind through them, in either direction.
//! - The host never frees what the library made and the other way round: a library's instances
//!   and scratch go back to the library's own functions; bytes that grow (errors, saved state)
//!   are written to a [`Sink`] of the host.
//! - A library is never unloaded: what its data symbol and its descriptors point to lives as long
//!   as the process. A pointer handed to a function as an argument is valid until that function
//!   returns, and no longer, unless its documentation says otherwise.
//! - Arrays are a pointer and a count; the pointer of an empty or absent array may be null or
//!   dangling and is never read. Arrays are aligned for their type and never overlap if one of
//!   them is written.
//! - Texts are UTF-8 without a final zero.

#![allow(unsafe_code)]

pub mod avoidance;
pub mod call;
pub mod cost;
pub mod ground;
pub mod group;
pub mod lod;
pub mod map;
pub mod nav;
pub mod planner;
pub mod plugin;
pub mod values;
pub mod world;

pub use avoidance::{AvoidanceProfile, AvoidanceTable, SteerIn, SteerOut, habit};
pub use call::{Call, Host, Sink, Status, status};
pub use cost::{CostProfile, CostTable, Crowd, PriceIn, PriceOut};
pub use ground::{
    CellIndex, FileCells, Ground, Site, TraceEnd, TracePiece, TraceSink, Wall, trace_end,
};
pub use group::{GroupIn, GroupOut, GroupProfile, GroupTable};
pub use lod::{LodProfile, LodTable};
pub use map::{GateSink, Map, MapSink, PointSink};
pub use nav::{Change, MeasureSink, NavTable, change};
pub use planner::{
    GuideIn, GuideOut, PlanRequest, PlannerProfile, PlannerTable, RouteRow, RouteSink, no_route,
    route_kind,
};
pub use plugin::{
    ABI_VERSION, Descriptor, MAGIC, Plugin, SYMBOL, capability, slot, threads, unwinding,
};
pub use values::{
    Attachment, Bytes, DVec3, EdgePiece, Frame, Gate, Location, NearWall, Neighbour, Room,
    RouteClass, Vec2, Vec3, rows, rows_mut,
};
pub use world::{Agents, Camera, Goal, Interest, Mover, PriceView, SegmentPrice, World};
