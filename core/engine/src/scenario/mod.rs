//! Scenario files: what a run is made of, read with every problem at its place.
//!
//! `model` has the types and `values` those that are written in more than one way; `sections`
//! declares every key once, with meaning, unit, range and default, and reading, writing and JSON
//! Schema follow from it through `codec`, `codecs`, `tables` and `strategy`. `node` is the text as
//! a tree with places, `set` changes it by `--set`, `load` puts it all together, `resolve` writes
//! the effective scenario, `provenance` remembers places for later problems.

mod codec;
mod codecs;
mod load;
mod model;
mod node;
mod provenance;
mod resolve;
mod sections;
mod set;
mod strategy;
mod tables;
mod values;

pub use load::{LoadOptions, NamedPlugin};
pub use model::{
    AreaSpec, AtGoal, Choose, ClassesSpec, ConnectionSpec, CostSpec, DoorSpec, EnvironmentSource,
    EnvironmentSpec, EventAction, EventSpec, FollowKind, FollowSpec, GoalSpec, Hysteresis,
    InterestSpec, LayerSpec, LineSpec, MetricsSpec, MoverSpec, NeighboursSpec, ObstacleSpec,
    OnPeople, Profile, RecordFormat, RecordSpec, Replan, ReplanEvent, Scenario, SnapshotSpec,
    SourceSpec, SpeedLaw, TierSpec, ToleranceSpec, UpAxis, VarySpec,
};
pub use provenance::Provenance;
pub use resolve::json_schema;
pub use values::{AreaRef, Distribution, FloorRef, Goals, Point, StrategySpec};

#[cfg(test)]
mod tests;
