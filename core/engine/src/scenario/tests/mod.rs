//! Tests of scenario files on strategies of their own: the engine depends on no strategy crate.

mod any_text;
mod files;
mod round_trip;
mod schema;
mod wrong_inputs;

use std::{ops::Range, sync::Arc};

use throng_core::{
    Attachment, CostModel, GlobalPlanner, GroupBehavior, GroupChunk, GroupOut, LocalAvoidance,
    Location, LodPolicy, NavError, NavMap, NavRepresentation, Perception, PlanRequest,
    PriceContext, Prices, RouteSink, Scratch, Site, SteerChunk, SteerOut, World,
    options::Options,
    registry::{Capabilities, Slot},
};
use throng_kit::environment::Environment;

use super::{LoadOptions, Scenario};
use crate::{
    diagnostics::Diagnostics,
    registry::{Generator, Registry, SceneGenerator},
};

throng_core::choices! {
    /// Words for a test.
    pub enum Corner {
        /// Forbidden.
        Forbidden = "forbidden",
        /// Allowed.
        Allowed = "allowed",
    }
}

throng_core::options! {
    /// A map with an option of every kind.
    pub struct TestMap {
        /// Side of a cell.
        cell: f32 = 0.1, "m", 0.05..=10.0;
        /// As exact as can be.
        exact: f64 = 0.1, "", 0.0..=1.0;
        /// How many.
        count: u32 = 3, "", 1..=9;
        /// What a byte holds, undeclared.
        byte: u8 = 7;
        /// Corners.
        corner: Corner = Corner::Forbidden;
        /// A label.
        label: String = String::from("a \"b\"");
        /// A switch.
        on: bool = true;
        /// How far; all of it by default.
        horizon: f32 = f32::INFINITY;
    }
    state { built: bool }
}

#[typetag::serde(name = "scenario-test-map")]
impl NavRepresentation for TestMap {
    fn build(&mut self, _: &Site<'_>, _: &mut NavMap) -> Result<(), NavError> {
        self.built = true;
        Ok(())
    }
    fn attach(&self, _: &Site<'_>, _: &NavMap, _: &[Location], _: &[u32], _: &mut [Attachment]) {}
    fn region_of(&self, _: &Site<'_>, _: &NavMap, _: &[Location], _: &[u32], _: &mut [u32]) {}
}

throng_core::options! {
    /// A planner.
    pub struct TestPlanner {
        /// Weight of the heuristic.
        weight: f32 = 1.0, "", 1.0..=10.0;
    }
}

#[typetag::serde(name = "scenario-test-planner")]
impl GlobalPlanner for TestPlanner {
    fn plan(&self, _: &World<'_>, _: &[PlanRequest], _: &mut Scratch, _: &mut RouteSink) {}
}

throng_core::options! {
    /// A cost model.
    pub struct TestCost {
        /// Price of full crowding.
        factor: f32 = 5.0, "", 0.0..=100.0;
    }
}

#[typetag::serde(name = "scenario-test-cost")]
impl CostModel for TestCost {
    fn price(&self, _: &PriceContext<'_>, _: &mut Prices) {}
}

throng_core::options! {
    /// An avoidance model.
    pub struct TestAvoidance {
        /// Time looked ahead.
        horizon: f32 = 2.0, "s", 0.1..=60.0;
    }
}

#[typetag::serde(name = "scenario-test-avoidance")]
impl LocalAvoidance for TestAvoidance {
    fn perception(&self) -> Perception {
        Perception::BLIND
    }
    fn steer(&self, _: &SteerChunk<'_>, _: &mut Scratch, _: &mut SteerOut<'_>) {}
}

throng_core::options! {
    /// A policy.
    pub struct TestLod {}
}

#[typetag::serde(name = "scenario-test-lod")]
impl LodPolicy for TestLod {
    fn classify(&self, _: &World<'_>, _: Range<usize>, _: &mut [u8]) {}
}

throng_core::options! {
    /// A group behaviour.
    pub struct TestGroup {}
}

#[typetag::serde(name = "scenario-test-group")]
impl GroupBehavior for TestGroup {
    fn adjust(&self, _: &World<'_>, _: &GroupChunk<'_>, _: &mut GroupOut<'_>) {}
}

macro_rules! registered {
    ($($slot:ident $id:literal $type:ty;)*) => {$(throng_core::register! {
        $slot $id => $type,
        about: "A strategy for tests.", when: "", when_not: "", growth: "", paper: "",
        needs: Capabilities::NONE, offers: Capabilities::NONE,
    })*};
}
registered! {
    Nav "scenario-test-map" TestMap;
    Planner "scenario-test-planner" TestPlanner;
    Cost "scenario-test-cost" TestCost;
    Avoidance "scenario-test-avoidance" TestAvoidance;
    Lod "scenario-test-lod" TestLod;
    Group "scenario-test-group" TestGroup;
}

throng_core::options! {
    /// A square.
    struct Square {
        /// Its side.
        side: f64 = 10.0, "m", 1.0..=1000.0;
    }
}

impl SceneGenerator for Square {
    fn generate(&self, _: &toml::Table, _: u64) -> Result<Environment, String> {
        Ok(Environment::default())
    }
}

/// A registry in which the strategies above go by the ids that scenarios name.
fn registry() -> Registry {
    let names = [
        (Slot::Nav, "scenario-test-map", "grid"),
        (Slot::Nav, "scenario-test-map", "adaptive-grid"),
        (Slot::Planner, "scenario-test-planner", "astar"),
        (Slot::Planner, "scenario-test-planner", "flow-field"),
        (Slot::Cost, "scenario-test-cost", "distance"),
        (Slot::Cost, "scenario-test-cost", "density"),
        (Slot::Avoidance, "scenario-test-avoidance", "none"),
        (Slot::Avoidance, "scenario-test-avoidance", "orca"),
        (Slot::Lod, "scenario-test-lod", "uniform"),
        (Slot::Group, "scenario-test-group", "none"),
    ];
    let builtin = Registry::builtin();
    let mut registry = Registry::empty();
    for (slot, test, id) in names {
        let mut strategy = builtin.find(slot, test).expect("registered above").clone();
        strategy.id = id.to_owned();
        registry.register([strategy]).unwrap();
    }
    let square = Generator {
        id: "square".into(),
        about: "A square.".into(),
        options: Square::options(),
        scene: Arc::new(Square::default()),
    };
    registry.register_generators([square]).unwrap();
    registry
}

fn parse(text: &str, sets: &[&str]) -> Result<Scenario, Diagnostics> {
    let registry = registry();
    let mut options = LoadOptions::new(&registry);
    options.sets = sets.iter().map(|&s| s.to_owned()).collect();
    Scenario::parse(text, "s.toml", &options)
}

/// A scenario that uses every key.
const EVERYTHING: &str = r#"
name = "all"
seed = 7
dt = 0.05
duration = 500.0
plugins = ["libshun.so"]
[environment]
layers = [{ file = "f0.geojson", z = 0.0, name = "ground" }, { file = "f1.geojson", z = 3.5 }]
connections = [{ from = "ground", to = 1, lower = [[0, 0], [2, 0]], upper = [[0, 6], [2, 6]], speed = 0.6 }]
up = "y"
scale = 0.01
cell = 2.0
metres_per_pixel = 0.1
threshold = 100
heights = 12.5
projected = true
[nav]
kind = "adaptive-grid"
cell = 0.3
exact = 0.10000000149011612
corner = "allowed"
[planner]
kind = "flow-field"
weight = 2
[replan]
every = 10.0
events = []
change = 0.25
hysteresis = { threshold = { uniform = [0.2, 0.6] }, hold = 3, clear = { normal = [4.0, 1.0, 1.0, 9.0] } }
budget = 200
[cost]
kind = "density"
weight = 2.0
every = 0.5
cell = 4
factor = 7.5
[avoidance]
kind = "orca"
[follow]
kind = "indicative"
look_ahead = 3.0
[group]
kind = "none"
[lod]
kind = "uniform"
[[tier]]
level = 1
period = 4
avoidance = "none"
follow = "linear"
[[tier]]
level = 0
cost = { kind = "density", factor = 1.0 }
guide = { kind = "flow-field" }
avoidance = { kind = "orca", horizon = 4.0 }
follow = { kind = "seek", relaxation = 0.2 }
[[roi]]
at = [50.0, 50.0]
radius = 15.0
[[roi]]
mover = "car"
radius = 10
level = 1
[[obstacle]]
shape = [[1, 1], [2, 1], [2, 2], [1, 1]]
floor = 1
[[area]]
name = "top"
shape = [[0, 90], [100, 90], [100, 100], [0, 100]]
floor = "ground"
[[line]]
name = "middle"
points = [[0, 50], [100, 50]]
[[door]]
name = "door-2"
ends = [[3, 4], [5, 4]]
open = true
[profile.adult]
radius = 0.25
speed = { normal = [1.4, 0.2, 0.6, 2.0] }
[profile."old man"]
weight = 0.5
max_speed = 1.5
mass = { uniform = [50, 90] }
height = 1.6
offset = { uniform = [-1.0, 1.0] }
speed_law = "weidmann"
[[source]]
name = "south"
area = "bottom"
rate = 20.0
start = 1
stop = 100
premovement = { uniform = [0, 30] }
goals = ["top", [3, 4, 5], [[0, 0], [1, 0], [0, 1]]]
choose = "order"
profile = "old man"
groups = { sizes = [0, 3, 1, 1] }
at_goal = "again"
reach = 1.5
[[source]]
area = [1.0, 2.0]
floor = 1
count = 1000
goals = "random"
hold = 10
at_goal = "keep"
overlap = true
[[mover]]
name = "car"
track = [[0, 0], [100, 0, 1]]
speed = 10.0
radius = 1.2
loop = true
discomfort = 5.0
start = 3.0
[[event]]
at = 30.0
close = "door-2"
[[event]]
at = 60.0
remove = "top"
[[event]]
at = 70.0
close = "door-2"
on_people = "move"
[[event]]
at = 80.0
release = "boarding"
[[goal]]
area = "desk"
serve = { uniform = [20, 40] }
servers = 2
queue = [[1, 1], [5, 1, 0]]
spacing = 0.7
[[goal]]
area = "lounge"
wait = 30
release = "boarding"
[metrics]
every = 2.0
[neighbours]
relevance = false
occlusion = false
tolerance = 0.2
disc = 0.9
symmetric = false
[classes]
speed_bins = 2
weight_bins = 3
radius_bins = 4
limit = 99
[record]
every = 1.0
formats = ["text", "csv"]
replay = 0.5
[snapshot]
steps = 40
agents = 30
seeds = 3
vary = { nav = ["grid"], lod = ["uniform"] }
tolerance = { speed = 0.01, arrivals = 2 }
"#;

/// A short one: everything else is a default.
const SHORT: &str = r#"
name = "short"
[environment]
generate = "square"
[[source]]
area = [[1, 1], [9, 1], [9, 9], [1, 9]]
count = 20
goals = "random"
"#;
