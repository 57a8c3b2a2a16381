//! What a scenario says, as types. Fields carry the names of the keys; what a key means, its
//! range and its default are declared in `sections`.

use std::path::PathBuf;

use glam::DVec2;

use super::{
    provenance::Provenance,
    values::{AreaRef, Distribution, FloorRef, Goals, Point, StrategySpec},
};

/// A whole scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// Seed of every random stream.
    pub seed: u64,
    /// Time step, seconds.
    pub dt: f64,
    /// Simulated time, seconds.
    pub duration: f64,
    /// Dynamic libraries, as written.
    pub plugins: Vec<String>,
    /// The environment.
    pub environment: EnvironmentSpec,
    /// The map.
    pub nav: StrategySpec,
    /// The base planner.
    pub planner: StrategySpec,
    /// When to plan again.
    pub replan: Replan,
    /// The base cost model.
    pub cost: CostSpec,
    /// The base avoidance model.
    pub avoidance: StrategySpec,
    /// How routes are followed.
    pub follow: FollowSpec,
    /// The group behaviour.
    pub group: StrategySpec,
    /// The level-of-detail policy.
    pub lod: StrategySpec,
    /// Tiers, one per level, sorted by level; empty means one tier with the base strategies.
    pub tiers: Vec<TierSpec>,
    /// Regions of interest (`[[roi]]`).
    pub interest: Vec<InterestSpec>,
    /// The camera that watches (`[camera]`).
    pub camera: Option<CameraSpec>,
    /// Avoidance-only obstacles.
    pub obstacles: Vec<ObstacleSpec>,
    /// Named areas.
    pub areas: Vec<AreaSpec>,
    /// Named counting lines.
    pub lines: Vec<LineSpec>,
    /// Doors.
    pub doors: Vec<DoorSpec>,
    /// Profiles, sorted by name; never empty.
    pub profiles: Vec<Profile>,
    /// Sources of people.
    pub sources: Vec<SourceSpec>,
    /// Goals where people queue or wait (`[[goal]]`).
    pub goals: Vec<GoalSpec>,
    /// Movers.
    pub movers: Vec<MoverSpec>,
    /// Timed events, in the order written.
    pub events: Vec<EventSpec>,
    /// How metrics are sampled.
    pub metrics: MetricsSpec,
    /// Who counts as a neighbour.
    pub neighbours: NeighboursSpec,
    /// Bins of route classes.
    pub classes: ClassesSpec,
    /// What is recorded.
    pub record: RecordSpec,
    /// How its behaviour is kept in snapshots (`[snapshot]`).
    pub snapshot: Option<SnapshotSpec>,
    /// Where everything was written.
    pub provenance: Provenance,
}

/// What the ground is made from.
#[derive(Clone, Debug, PartialEq)]
pub enum EnvironmentSource {
    /// Nothing yet.
    Missing,
    /// A file.
    File(PathBuf),
    /// A scene generator: `kind` is its id.
    Generate(StrategySpec),
    /// Planar layers, one file each.
    Layers(Vec<LayerSpec>),
}

throng_core::choices! {
    /// Which axis of a mesh file points up.
    pub enum UpAxis {
        /// z.
        Z = "z",
        /// y.
        Y = "y",
        /// x.
        X = "x",
    }
}

/// The `[environment]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentSpec {
    /// What it is made from.
    pub source: EnvironmentSource,
    /// Stairs and ramps between floors.
    pub connections: Vec<ConnectionSpec>,
    /// The up axis of a mesh; by default decided by the file.
    pub up: Option<UpAxis>,
    /// Metres per unit of the file.
    pub scale: f64,
    /// Side of a cell of a `.map` file, in units of the file.
    pub cell: f64,
    /// Side of a pixel of a picture.
    pub metres_per_pixel: f64,
    /// A pixel darker than this is a wall.
    pub threshold: u8,
    /// Metres between black and white, for a picture that is a height map.
    pub heights: Option<f64>,
    /// How walls are found in a picture of heights, for one that is read as a floor plan.
    pub height_map: Option<throng_kit::environment::HeightRules>,
    /// Whether coordinates are metres (or degrees); by default decided by the file.
    pub projected: Option<bool>,
    /// A mesh to draw instead of the ground, where people walk on a part of what is seen.
    pub render: Option<std::path::PathBuf>,
}

/// One planar layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayerSpec {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: PathBuf,
    /// Its height, metres.
    pub z: f64,
}

/// A stair or ramp between two floors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConnectionSpec {
    /// Its name.
    pub name: String,
    /// The floor at `lower`.
    pub from: FloorRef,
    /// The floor at `upper`.
    pub to: FloorRef,
    /// Its end on `from`.
    pub lower: [DVec2; 2],
    /// Its end on `to`; its first point lies on the same flank as that of `lower`.
    pub upper: [DVec2; 2],
    /// Factor on walking speed.
    pub speed: f64,
}

/// The `[cost]` table: the model, and what the engine keeps of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CostSpec {
    /// The cost model.
    pub model: StrategySpec,
    /// Weight of the crowd part for profiles that name none.
    pub weight: f64,
    /// Seconds between two sets of prices: the epoch.
    pub every: f64,
    /// Side of crowd cells of their own, metres; by default they are the map's regions.
    pub cell: Option<f64>,
    /// Regions below this area are pooled with their neighbours, square metres; without it a
    /// default on sparse maps and none on dense ones.
    pub pool: Option<f64>,
}

throng_core::choices! {
    /// What makes an agent plan again, beside time.
    pub enum ReplanEvent {
        /// A door on the route has closed, or any door has opened.
        Door = "door",
        /// The price of the rest of the route has changed by more than `change`.
        Price = "price",
        /// The agent has stalled.
        Stalled = "stalled",
    }
}

/// The `[replan]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct Replan {
    /// Seconds between two plans of an agent; never if none.
    pub every: Option<f64>,
    /// What else makes an agent plan again.
    pub events: Vec<ReplanEvent>,
    /// Relative change of the price of the rest of the route that counts as an event.
    pub change: f64,
    /// Keeps agents on their routes until the crowd ahead has lasted.
    pub hysteresis: Option<Hysteresis>,
    /// Most requests in a step; no limit if none.
    pub budget: Option<u32>,
    /// Distinct routes kept per origin and goal, of which each agent takes the quickest.
    pub alternatives: u32,
    /// Longest of them, as a multiple of the shortest.
    pub stretch: f64,
}

/// When an agent leaves its route for the crowd's sake, and when it comes back.
#[derive(Clone, Debug, PartialEq)]
pub struct Hysteresis {
    /// Crowd part of the price of the rest of the route, as a share of its base part.
    pub threshold: Distribution,
    /// Seconds that it must have stayed above the threshold before another route is taken.
    pub hold: Distribution,
    /// Seconds that it must have stayed below before a shorter route is taken back.
    pub clear: Distribution,
}

throng_core::choices! {
    /// How a route is followed.
    pub enum FollowKind {
        /// Walks the shortest way through the gates ahead.
        Gates = "gates",
        /// Is pulled along an indicative route in its lane.
        Indicative = "indicative",
        /// Steers towards the next waypoint with bounded force.
        Seek = "seek",
        /// Walks from waypoint to waypoint.
        Linear = "linear",
    }
}

/// How a route is followed, with its options.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowSpec {
    /// How.
    pub kind: FollowKind,
    /// Distance at which a waypoint counts as passed, metres.
    pub reach: f64,
    /// How far ahead along the route the attraction point lies, metres.
    pub look_ahead: f64,
    /// Time in which `seek` turns the velocity, seconds.
    pub relaxation: f64,
}

/// What a level of detail means; what is none is the base's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TierSpec {
    /// The level.
    pub level: u8,
    /// Guiding and avoiding happen every so many steps.
    pub period: u32,
    /// Its cost model.
    pub cost: Option<StrategySpec>,
    /// Its guide, a planner.
    pub guide: Option<StrategySpec>,
    /// Its avoidance model.
    pub avoidance: Option<StrategySpec>,
    /// How it follows routes.
    pub follow: Option<FollowSpec>,
}

/// A region of interest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterestSpec {
    /// Its centre, or its offset from the mover that carries it.
    pub at: Point,
    /// Its radius, metres.
    pub radius: f64,
    /// The level it asks for.
    pub level: u8,
    /// The mover that carries it.
    pub mover: Option<String>,
    /// Whether the camera carries it: `at` is metres ahead and to the left of it.
    pub camera: bool,
}

/// A camera that watches the crowd.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraSpec {
    /// Where it is.
    pub at: Point,
    /// A place that it looks towards.
    pub toward: Point,
    /// The angle that it sees, degrees.
    pub angle: f64,
    /// How far it sees, metres.
    pub far: f64,
}

/// Something that bodies avoid and maps ignore.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObstacleSpec {
    /// Its polygon.
    pub shape: Vec<DVec2>,
    /// Its floor.
    pub floor: FloorRef,
}

/// A named area.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AreaSpec {
    /// Its name.
    pub name: String,
    /// Its polygon.
    pub shape: Vec<DVec2>,
    /// Its floor.
    pub floor: FloorRef,
}

/// A named line, for counting who passes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineSpec {
    /// Its name.
    pub name: String,
    /// Its points.
    pub points: Vec<DVec2>,
    /// Its floor.
    pub floor: FloorRef,
}

/// A door.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DoorSpec {
    /// Its name.
    pub name: String,
    /// Its two ends.
    pub ends: [DVec2; 2],
    /// Whether it starts open.
    pub open: bool,
    /// Its floor.
    pub floor: FloorRef,
}

throng_core::choices! {
    /// How walking speed falls with density.
    pub enum SpeedLaw {
        /// It does not.
        None = "none",
        /// Linearly to 0 at an area share of 1; 2 % are left to shuffle at.
        Linear = "linear",
        /// Weidmann's fundamental diagram.
        Weidmann = "weidmann",
    }
}

/// A kind of person.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// Weight of the crowd part of prices; `cost.weight` if none.
    pub weight: Option<Distribution>,
    /// Radius, metres.
    pub radius: Distribution,
    /// Desired speed, metres per second.
    pub speed: Distribution,
    /// Largest speed, metres per second; 1.5 times the desired one if none.
    pub max_speed: Option<Distribution>,
    /// Mass, kilograms.
    pub mass: Distribution,
    /// Height, metres.
    pub height: Distribution,
    /// Lane across a corridor, from -1 (left) to 1 (right).
    pub offset: Distribution,
    /// How walking speed falls with density.
    pub speed_law: SpeedLaw,
}

throng_core::choices! {
    /// Which of several goals is walked to.
    pub enum Choose {
        /// The nearest.
        Nearest = "nearest",
        /// A random one.
        Random = "random",
        /// All of them in order: a journey.
        Order = "order",
    }
}

throng_core::choices! {
    /// What happens at the goal.
    pub enum AtGoal {
        /// The agent leaves the simulation.
        Remove = "remove",
        /// It stays there.
        Keep = "keep",
        /// It walks to another goal.
        Again = "again",
    }
}

/// A source of people.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceSpec {
    /// Its name, for messages.
    pub name: String,
    /// Where they start.
    pub area: AreaRef,
    /// The floor of `area` and of goals, where those are no names.
    pub floor: FloorRef,
    /// Persons per second.
    pub rate: Option<f64>,
    /// How many in all.
    pub count: Option<u64>,
    /// When it begins, seconds.
    pub start: f64,
    /// When it ends, seconds.
    pub stop: Option<f64>,
    /// Time that each waits before walking, seconds.
    pub premovement: Distribution,
    /// Where they walk to.
    pub goals: Goals,
    /// Which of several goals.
    pub choose: Choose,
    /// Distance at which a goal that is a place counts as reached, metres.
    pub reach: f64,
    /// Their profile.
    pub profile: String,
    /// Weights of the group sizes 1, 2, 3, …
    pub group_sizes: Vec<f64>,
    /// What happens at the goal.
    pub at_goal: AtGoal,
    /// Keeps so many of its people walking by adding new ones.
    pub hold: Option<u64>,
    /// Whether they may start on top of each other.
    pub overlap: bool,
}

/// A goal where people queue to be served, or wait.
#[derive(Clone, Debug, PartialEq)]
pub struct GoalSpec {
    /// The named area that it is.
    pub area: String,
    /// Time that serving one person takes, seconds.
    pub serve: Option<Distribution>,
    /// How many are served at a time.
    pub servers: u32,
    /// The line along which people stand, its head first; empty if they wait inside the area.
    pub queue: Vec<Point>,
    /// Distance between two places to stand, metres.
    pub spacing: f64,
    /// Time that each waits, seconds.
    pub wait: Option<Distribution>,
    /// The event that lets everybody who waits go on.
    pub release: Option<String>,
}

/// A vehicle on a track.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoverSpec {
    /// Its name.
    pub name: String,
    /// Points that it passes.
    pub track: Vec<Point>,
    /// Its speed, metres per second.
    pub speed: f64,
    /// Its radius, metres.
    pub radius: f64,
    /// Whether it goes round (`loop`); otherwise it stands at the end.
    pub looped: bool,
    /// Price per metre of the ground ahead of it.
    pub discomfort: f64,
    /// When it appears, seconds.
    pub start: f64,
}

throng_core::choices! {
    /// What a door does that closes while people stand in it.
    pub enum OnPeople {
        /// It stays open until nobody stands in it.
        Wait = "wait",
        /// It closes at once, and they are moved to the side that they are nearer to.
        Move = "move",
    }
}

/// What an event does.
#[derive(Clone, Debug, PartialEq)]
pub enum EventAction {
    /// Opens a door.
    Open(String),
    /// Closes a door.
    Close(String, OnPeople),
    /// Lets everybody go on who waits for this.
    Release(String),
    /// Removes everybody in a region.
    Remove(AreaRef),
}

/// Something that happens at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSpec {
    /// When, seconds.
    pub at: f64,
    /// What.
    pub action: EventAction,
}

/// The `[metrics]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricsSpec {
    /// Seconds between two samples of overlaps and density.
    pub every: f64,
}

/// The `[snapshot]` table: what `throng snapshot` runs of a scenario, and how exactly it compares.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotSpec {
    /// Steps of each run.
    pub steps: u64,
    /// People at most: sources of more are scaled down together.
    pub agents: u64,
    /// Runs of each combination, with seeds one after another.
    pub seeds: u64,
    /// Strategies that are tried.
    pub vary: VarySpec,
    /// How far figures may move.
    pub tolerance: ToleranceSpec,
}

/// The ids that are tried in each slot; every known one where the list is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VarySpec {
    /// Maps.
    pub nav: Vec<String>,
    /// Planners.
    pub planner: Vec<String>,
    /// Cost models.
    pub cost: Vec<String>,
    /// Avoidance models.
    pub avoidance: Vec<String>,
    /// Level-of-detail policies.
    pub lod: Vec<String>,
    /// Group behaviours.
    pub group: Vec<String>,
}

impl VarySpec {
    /// The ids of a slot.
    pub fn of(&self, slot: throng_core::Slot) -> &[String] {
        use throng_core::Slot;
        match slot {
            Slot::Nav => &self.nav,
            Slot::Planner => &self.planner,
            Slot::Cost => &self.cost,
            Slot::Avoidance => &self.avoidance,
            Slot::Lod => &self.lod,
            Slot::Group => &self.group,
        }
    }
}

/// How far each figure of a snapshot may be from the one that is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToleranceSpec {
    /// People who left at their goal, and arrivals: how many.
    pub arrivals: f64,
    /// Mean speed, metres per second.
    pub speed: f64,
    /// Mean travel time, seconds.
    pub travel_time: f64,
    /// Least gap between two bodies, metres.
    pub gap: f64,
    /// Overlapping pairs.
    pub overlaps: f64,
    /// Share that stalled, per cent.
    pub stalled: f64,
    /// Places of the people that are sampled, metres.
    pub position: f64,
}

/// The `[neighbours]` table: relevance of neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct NeighboursSpec {
    /// Whether people on other floors and behind the curve are left out.
    pub relevance: bool,
    /// Whether walls between two people hide them from each other.
    pub occlusion: bool,
    /// Tolerance of the vision test, metres.
    pub tolerance: f64,
    /// Radius of the disc at a neighbour's feet, metres.
    pub disc: f64,
    /// Whether being seen by either counts for both; otherwise the pair is non-reciprocal.
    pub symmetric: bool,
}

/// The `[classes]` table: bins of shared products.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassesSpec {
    /// Bins of desired speed per profile.
    pub speed_bins: u32,
    /// Bins of crowd weight per profile.
    pub weight_bins: u32,
    /// Bins of radius per profile.
    pub radius_bins: u32,
    /// Most shared products (one per goal and class).
    pub limit: u32,
}

throng_core::choices! {
    /// A format of recorded trajectories.
    pub enum RecordFormat {
        /// A database that PedPy reads.
        Sqlite = "sqlite",
        /// Plain text that PedPy reads.
        Text = "text",
        /// Comma-separated values.
        Csv = "csv",
    }
}

/// The `[record]` table.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordSpec {
    /// Seconds between two recorded frames.
    pub every: f64,
    /// Formats of trajectories.
    pub formats: Vec<RecordFormat>,
    /// Seconds between two frames of the replay; 0 for no replay.
    pub replay: f64,
}
