//! Every key of a scenario: its meaning, unit, range and default, declared once.

use throng_core::registry::Slot;

use super::{
    codec::{Checks, Keys, Section},
    codecs::{
        Area, Ends, File, FloorCodec, GoalsCodec, ListOf, NAME, Place, Points, RING, RawTable,
        Spread, Switch, TEXT, Whole, number, positive, table, word,
    },
    model::{
        AreaSpec, AtGoal, ClassesSpec, ConnectionSpec, CostSpec, DoorSpec, EnvironmentSource,
        EnvironmentSpec, EventAction, EventSpec, FollowKind, FollowSpec, Hysteresis, InterestSpec,
        LayerSpec, LineSpec, MetricsSpec, MoverSpec, NeighboursSpec, ObstacleSpec, Profile,
        RecordFormat, RecordSpec, Replan, ReplanEvent, Scenario, SourceSpec, SpeedLaw, TierSpec,
        UpAxis,
    },
    provenance::Provenance,
    strategy::{StrategyOf, default_kind},
    tables::{CostCodec, EnvironmentCodec, FollowCodec, ProfilesCodec},
    values::{AreaRef, Distribution, FloorRef, Goals, StrategySpec},
};

/// Most agents of one source.
const MOST_AGENTS: i64 = 10_000_000;
/// Longest simulated time, seconds: some four months.
const LONGEST: f64 = 1e7;
/// Most steps of a run.
const MOST_STEPS: f64 = 1e9;

impl Default for Scenario {
    fn default() -> Scenario {
        let base = |slot| StrategySpec::new(default_kind(slot));
        Scenario {
            name: "unnamed".into(),
            seed: 0,
            dt: 0.1,
            duration: 60.0,
            plugins: Vec::new(),
            environment: EnvironmentSpec::default(),
            nav: base(Slot::Nav),
            planner: base(Slot::Planner),
            replan: Replan::default(),
            cost: CostSpec::default(),
            avoidance: base(Slot::Avoidance),
            follow: FollowSpec::default(),
            group: base(Slot::Group),
            lod: base(Slot::Lod),
            tiers: Vec::new(),
            interest: Vec::new(),
            obstacles: Vec::new(),
            areas: Vec::new(),
            lines: Vec::new(),
            doors: Vec::new(),
            profiles: vec![Profile::default()],
            sources: Vec::new(),
            movers: Vec::new(),
            events: Vec::new(),
            metrics: MetricsSpec::default(),
            neighbours: NeighboursSpec::default(),
            classes: ClassesSpec::default(),
            record: RecordSpec::default(),
            snapshot: toml::Table::new(),
            provenance: Provenance::default(),
        }
    }
}

impl Section for Scenario {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let base = StrategyOf::base;
        keys.one("name", "Name of the scenario.", "", NAME, &mut self.name);
        keys.one(
            "seed",
            "Seed of every random stream.",
            "",
            Whole(0, i64::MAX),
            &mut self.seed,
        );
        keys.one("dt", "Time step.", "s", number(1e-4, 1.0), &mut self.dt);
        keys.one(
            "duration",
            "Simulated time.",
            "s",
            positive(LONGEST),
            &mut self.duration,
        );
        let about = "Dynamic libraries with further strategies, by path.";
        keys.some("plugins", about, "", ListOf(NAME), &mut self.plugins);
        let about = "What the ground is made from.";
        keys.one(
            "environment",
            about,
            "",
            EnvironmentCodec,
            &mut self.environment,
        );
        keys.one(
            "nav",
            "The map over the ground.",
            "",
            base(Slot::Nav),
            &mut self.nav,
        );
        keys.one(
            "planner",
            "Finds routes.",
            "",
            base(Slot::Planner),
            &mut self.planner,
        );
        keys.one(
            "replan",
            "When to plan again.",
            "",
            table(),
            &mut self.replan,
        );
        keys.one(
            "cost",
            "The price of a metre.",
            "",
            CostCodec,
            &mut self.cost,
        );
        let about = "Keeps people from bumping into each other.";
        keys.one(
            "avoidance",
            about,
            "",
            base(Slot::Avoidance),
            &mut self.avoidance,
        );
        keys.one(
            "follow",
            "How routes are followed.",
            "",
            FollowCodec,
            &mut self.follow,
        );
        keys.one(
            "group",
            "Keeps groups together.",
            "",
            base(Slot::Group),
            &mut self.group,
        );
        keys.one(
            "lod",
            "Who gets which tier.",
            "",
            base(Slot::Lod),
            &mut self.lod,
        );
        keys.some(
            "tier",
            "What a level means.",
            "",
            ListOf(table()),
            &mut self.tiers,
        );
        keys.some(
            "roi",
            "Regions of interest.",
            "",
            ListOf(table()),
            &mut self.interest,
        );
        let about = "Things that bodies avoid and maps ignore.";
        keys.some("obstacle", about, "", ListOf(table()), &mut self.obstacles);
        keys.some("area", "Named areas.", "", ListOf(table()), &mut self.areas);
        keys.some(
            "line",
            "Named counting lines.",
            "",
            ListOf(table()),
            &mut self.lines,
        );
        keys.some("door", "Doors.", "", ListOf(table()), &mut self.doors);
        keys.one(
            "profile",
            "Kinds of people, by name.",
            "",
            ProfilesCodec,
            &mut self.profiles,
        );
        keys.some(
            "source",
            "Where people come from.",
            "",
            ListOf(table()),
            &mut self.sources,
        );
        keys.some(
            "mover",
            "Vehicles on tracks.",
            "",
            ListOf(table()),
            &mut self.movers,
        );
        keys.some(
            "event",
            "What happens when.",
            "",
            ListOf(table()),
            &mut self.events,
        );
        keys.one(
            "metrics",
            "How metrics are sampled.",
            "",
            table(),
            &mut self.metrics,
        );
        keys.one(
            "neighbours",
            "Who counts as seen.",
            "",
            table(),
            &mut self.neighbours,
        );
        keys.one(
            "classes",
            "Bins of shared products.",
            "",
            table(),
            &mut self.classes,
        );
        keys.one("record", "What is recorded.", "", table(), &mut self.record);
        keys.some(
            "snapshot",
            "Options of the snapshot runner.",
            "",
            RawTable,
            &mut self.snapshot,
        );
        self.tiers.sort_by_key(|tier| tier.level);
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        let steps = (self.duration / self.dt).ceil();
        if steps > MOST_STEPS {
            let message = format!("{steps} steps of {} s", self.dt);
            checks.complain("duration", message, "up to 1e9 steps");
        }
        checks.unique("area", self.areas.iter().map(|a| &a.name));
        checks.unique("line", self.lines.iter().map(|l| &l.name));
        checks.unique("door", self.doors.iter().map(|d| &d.name));
        checks.unique("mover", self.movers.iter().map(|m| &m.name));
        if checks.length("area") == self.areas.len() {
            for (i, area) in self.areas.iter().enumerate() {
                if area.name == "random" {
                    let message = "this word in goals means a random place";
                    checks.complain(&format!("area[{i}].name"), message, "another name");
                }
            }
        }
        if checks.length("source") == self.sources.len() {
            for (i, source) in self.sources.iter().enumerate() {
                let known = self.profiles.iter().map(|p| p.name.as_str());
                let key = format!("source[{i}].profile");
                checks.known(&key, &source.profile, known, "profile");
            }
        }
        if checks.length("roi") == self.interest.len() {
            for (i, interest) in self.interest.iter().enumerate() {
                if let Some(mover) = &interest.mover {
                    let known = self.movers.iter().map(|m| m.name.as_str());
                    checks.known(&format!("roi[{i}].mover"), mover, known, "mover");
                }
            }
        }
        let levels = |i: usize| self.tiers.get(i).map(|t| t.level);
        for i in 1..self.tiers.len() {
            if levels(i) == levels(i - 1) {
                let message = format!("two tiers for level {}", self.tiers[i].level);
                checks.complain("tier", message, "one tier per level");
            }
        }
    }
}

impl Default for EnvironmentSpec {
    fn default() -> EnvironmentSpec {
        EnvironmentSpec {
            source: EnvironmentSource::Missing,
            connections: Vec::new(),
            up: None,
            scale: 1.0,
            cell: 1.0,
            metres_per_pixel: 1.0,
            threshold: 128,
            heights: None,
            projected: None,
        }
    }
}

impl Section for EnvironmentSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let (mut file, mut layers) = match &self.source {
            EnvironmentSource::File(file) => (Some(file.clone()), Vec::new()),
            EnvironmentSource::Layers(layers) => (None, layers.clone()),
            _ => (None, Vec::new()),
        };
        let about = "File with the walkable space, relative to the scenario.";
        keys.maybe("file", about, "", File, &mut file);
        keys.some(
            "layers",
            "Planar layers, one file each.",
            "",
            ListOf(table()),
            &mut layers,
        );
        let about = "Stairs and ramps between floors.";
        keys.some(
            "connections",
            about,
            "",
            ListOf(table()),
            &mut self.connections,
        );
        let about = "Up axis of a mesh; by default the file decides.";
        keys.maybe("up", about, "", word::<UpAxis>(), &mut self.up);
        keys.one(
            "scale",
            "Metres per unit of the file.",
            "",
            number(1e-9, 1e9),
            &mut self.scale,
        );
        let about = "Side of a cell of a .map file.";
        keys.one("cell", about, "m", number(1e-9, 1e9), &mut self.cell);
        let about = "Side of a pixel of a picture.";
        keys.one(
            "metres_per_pixel",
            about,
            "m",
            number(1e-9, 1e9),
            &mut self.metres_per_pixel,
        );
        let about = "A pixel darker than this is a wall.";
        keys.one(
            "threshold",
            about,
            "grey level",
            Whole(1, 255),
            &mut self.threshold,
        );
        let about = "Reads a picture as a height map: metres between black and white.";
        keys.maybe("heights", about, "m", number(-1e5, 1e5), &mut self.heights);
        let about = "Whether coordinates are metres or degrees; by default the file decides.";
        keys.maybe("projected", about, "", Switch, &mut self.projected);
        self.source = match file {
            Some(file) => EnvironmentSource::File(file),
            None if !layers.is_empty() => EnvironmentSource::Layers(layers),
            None => EnvironmentSource::Missing,
        };
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        let allowed = "one of file, generate, layers";
        match (checks.has("file"), checks.has("layers")) {
            (true, true) => checks.complain("layers", "given beside environment.file", allowed),
            (false, false) => checks.complain("", "what the ground is made from", allowed),
            (false, true) if self.source == EnvironmentSource::Missing => {
                checks.complain("layers", "no layer", "one layer or more");
            }
            _ => {}
        }
    }
}

impl Section for LayerSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.one(
            "name",
            "Its name, for areas and connections.",
            "",
            TEXT,
            &mut self.name,
        );
        keys.must(
            "file",
            "Its file, relative to the scenario.",
            "",
            File,
            &mut self.file,
        );
        keys.one("z", "Its height.", "m", number(-1e6, 1e6), &mut self.z);
    }
}

impl Section for ConnectionSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        if self.speed == 0.0 {
            self.speed = 1.0;
        }
        keys.one("name", "Its name.", "", TEXT, &mut self.name);
        keys.must(
            "from",
            "The floor at its lower end.",
            "",
            FloorCodec,
            &mut self.from,
        );
        keys.must(
            "to",
            "The floor at its upper end.",
            "",
            FloorCodec,
            &mut self.to,
        );
        keys.must(
            "lower",
            "Its end on the floor from.",
            "m",
            Ends,
            &mut self.lower,
        );
        keys.must(
            "upper",
            "Its end on the floor to.",
            "m",
            Ends,
            &mut self.upper,
        );
        keys.one(
            "speed",
            "Factor on walking speed.",
            "",
            number(0.01, 1.0),
            &mut self.speed,
        );
    }
}

impl Default for CostSpec {
    fn default() -> CostSpec {
        CostSpec {
            model: StrategySpec::new(default_kind(Slot::Cost)),
            weight: 1.0,
            every: 1.0,
            cell: None,
        }
    }
}

impl Default for Replan {
    fn default() -> Replan {
        Replan {
            every: None,
            events: vec![ReplanEvent::Door],
            change: 0.5,
            hysteresis: None,
            budget: None,
        }
    }
}

impl Section for Replan {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Time between two plans of an agent; without it, none but by events.";
        keys.maybe("every", about, "s", positive(LONGEST), &mut self.every);
        let about = "What else makes an agent plan again.";
        keys.one(
            "events",
            about,
            "",
            ListOf(word::<ReplanEvent>()),
            &mut self.events,
        );
        let about = "Relative change of the price of the rest of the route that is an event.";
        keys.one("change", about, "", positive(1e6), &mut self.change);
        let about = "Keeps agents on their routes until the crowd ahead has lasted.";
        keys.maybe("hysteresis", about, "", table(), &mut self.hysteresis);
        let about = "Most requests for routes in a step; without it, no limit.";
        keys.maybe(
            "budget",
            about,
            "requests",
            Whole(1, MOST_AGENTS),
            &mut self.budget,
        );
    }
}

impl Default for Hysteresis {
    fn default() -> Hysteresis {
        Hysteresis {
            threshold: Distribution::Fixed(0.5),
            hold: Distribution::Fixed(2.0),
            clear: Distribution::Fixed(5.0),
        }
    }
}

impl Section for Hysteresis {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let share = || Spread(number(0.0, 1e4));
        let time = || Spread(number(0.0, 1e6));
        let about = "Crowd part of the price ahead, as a share of its base part.";
        keys.one("threshold", about, "", share(), &mut self.threshold);
        let about = "Time above the threshold before another route is taken.";
        keys.one("hold", about, "s", time(), &mut self.hold);
        let about = "Time below the threshold before a shorter route is taken back.";
        keys.one("clear", about, "s", time(), &mut self.clear);
    }
}

impl Default for FollowSpec {
    fn default() -> FollowSpec {
        FollowSpec {
            kind: FollowKind::Gates,
            reach: 0.5,
            look_ahead: 2.0,
            relaxation: 0.5,
        }
    }
}

impl Section for FollowSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.one(
            "kind",
            "How routes are followed.",
            "",
            word::<FollowKind>(),
            &mut self.kind,
        );
        let about = "Distance at which a waypoint counts as passed.";
        keys.one("reach", about, "m", number(0.01, 100.0), &mut self.reach);
        let about = "How far ahead along the route the attraction point lies (indicative).";
        keys.one(
            "look_ahead",
            about,
            "m",
            number(0.01, 1000.0),
            &mut self.look_ahead,
        );
        let about = "Time in which the velocity turns (seek).";
        keys.one(
            "relaxation",
            about,
            "s",
            number(0.01, 100.0),
            &mut self.relaxation,
        );
    }
}

impl Section for TierSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let tier = StrategyOf::tier;
        self.period = self.period.max(1);
        keys.must(
            "level",
            "The level that it is for.",
            "",
            Whole(0, 255),
            &mut self.level,
        );
        let about = "Guiding and avoiding happen every so many steps.";
        keys.one("period", about, "steps", Whole(1, 10_000), &mut self.period);
        keys.maybe(
            "cost",
            "Its cost model.",
            "",
            tier(Slot::Cost),
            &mut self.cost,
        );
        keys.maybe(
            "guide",
            "Its guide, a planner.",
            "",
            tier(Slot::Planner),
            &mut self.guide,
        );
        let about = "Its avoidance model.";
        keys.maybe(
            "avoidance",
            about,
            "",
            tier(Slot::Avoidance),
            &mut self.avoidance,
        );
        keys.maybe(
            "follow",
            "How it follows routes.",
            "",
            FollowCodec,
            &mut self.follow,
        );
    }
}

impl Section for InterestSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Its centre, or its offset from the mover that carries it.";
        keys.one("at", about, "m", Place, &mut self.at);
        keys.must(
            "radius",
            "Its radius.",
            "m",
            positive(1e6),
            &mut self.radius,
        );
        keys.one(
            "level",
            "The level that it asks for.",
            "",
            Whole(0, 255),
            &mut self.level,
        );
        keys.maybe(
            "mover",
            "The mover that carries it.",
            "",
            NAME,
            &mut self.mover,
        );
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        if !checks.has("at") && !checks.has("mover") {
            checks.complain(
                "at",
                "missing: where it is",
                "at = [x, y], or mover = a name",
            );
        }
    }
}

fn floor_key(keys: &mut Keys<'_, '_>, floor: &mut FloorRef) {
    keys.one(
        "floor",
        "Its floor, by name or number.",
        "",
        FloorCodec,
        floor,
    );
}

impl Section for ObstacleSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.must("shape", "Its polygon.", "m", RING, &mut self.shape);
        floor_key(keys, &mut self.floor);
    }
}

impl Section for AreaSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.must("name", "Its name.", "", NAME, &mut self.name);
        keys.must("shape", "Its polygon.", "m", RING, &mut self.shape);
        floor_key(keys, &mut self.floor);
    }
}

impl Section for LineSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let points = Points {
            least: 2,
            ring: false,
        };
        keys.must("name", "Its name.", "", NAME, &mut self.name);
        keys.must("points", "Its points.", "m", points, &mut self.points);
        floor_key(keys, &mut self.floor);
    }
}

impl Section for DoorSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.must("name", "Its name.", "", NAME, &mut self.name);
        keys.must("ends", "Its two ends.", "m", Ends, &mut self.ends);
        keys.one(
            "open",
            "Whether it starts open.",
            "",
            Switch,
            &mut self.open,
        );
        floor_key(keys, &mut self.floor);
    }
}

impl Default for Profile {
    fn default() -> Profile {
        Profile {
            name: "adult".into(),
            weight: None,
            radius: 0.24.into(),
            speed: Distribution::Normal {
                mean: 1.34,
                sd: 0.26,
                low: 0.5,
                high: 2.2,
            },
            max_speed: None,
            mass: 80.0.into(),
            height: 1.75.into(),
            offset: 0.0.into(),
            speed_law: SpeedLaw::None,
        }
    }
}

impl Section for Profile {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let within = |low, high| Spread(number(low, high));
        let about = "Weight w of the crowd part of prices; by default cost.weight.";
        keys.maybe("weight", about, "", within(0.0, 1e6), &mut self.weight);
        keys.one(
            "radius",
            "Radius.",
            "m",
            within(0.01, 100.0),
            &mut self.radius,
        );
        keys.one(
            "speed",
            "Desired speed.",
            "m/s",
            within(0.0, 100.0),
            &mut self.speed,
        );
        let about = "Largest speed; by default 1.5 times the desired one.";
        keys.maybe(
            "max_speed",
            about,
            "m/s",
            within(0.0, 100.0),
            &mut self.max_speed,
        );
        keys.one("mass", "Mass.", "kg", within(0.1, 1e6), &mut self.mass);
        keys.one(
            "height",
            "Height.",
            "m",
            within(0.1, 100.0),
            &mut self.height,
        );
        let about = "Lane across a corridor, from -1 (left) to 1 (right).";
        keys.one("offset", about, "", within(-1.0, 1.0), &mut self.offset);
        let about = "How walking speed falls with density.";
        keys.one(
            "speed_law",
            about,
            "",
            word::<SpeedLaw>(),
            &mut self.speed_law,
        );
    }
}

impl Default for SourceSpec {
    fn default() -> SourceSpec {
        SourceSpec {
            name: String::new(),
            area: AreaRef::default(),
            floor: FloorRef::default(),
            rate: None,
            count: None,
            start: 0.0,
            stop: None,
            premovement: Distribution::Fixed(0.0),
            goals: Goals::default(),
            choose: super::model::Choose::Nearest,
            reach: 0.5,
            profile: "adult".into(),
            group_sizes: vec![1.0],
            at_goal: AtGoal::Remove,
            hold: None,
            overlap: false,
        }
    }
}

/// The `groups` table of a source.
#[derive(Clone)]
struct Groups {
    sizes: Vec<f64>,
}

impl Default for Groups {
    fn default() -> Groups {
        Groups { sizes: vec![1.0] }
    }
}

impl Section for Groups {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Weights of the sizes 1, 2, 3, ...";
        keys.must(
            "sizes",
            about,
            "",
            ListOf(number(0.0, 1e9)),
            &mut self.sizes,
        );
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        let most = 64;
        if self.sizes.len() > most {
            checks.complain(
                "sizes",
                format!("{} sizes", self.sizes.len()),
                "1 to 64 weights",
            );
        }
        if !self.sizes.iter().any(|&weight| weight > 0.0) {
            checks.complain(
                "sizes",
                "no size has a weight",
                "one weight above 0 or more",
            );
        }
    }
}

impl Section for SourceSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let count = || Whole(1, MOST_AGENTS);
        keys.one("name", "Its name, for messages.", "", TEXT, &mut self.name);
        let about = "Where people start: a named area, a place or a polygon.";
        keys.must("area", about, "m", Area, &mut self.area);
        let about = "The floor of places and polygons that are no named areas.";
        keys.one("floor", about, "", FloorCodec, &mut self.floor);
        keys.maybe(
            "rate",
            "Persons per second.",
            "1/s",
            positive(1e6),
            &mut self.rate,
        );
        let about = "How many in all; without a rate, all at the start.";
        keys.maybe("count", about, "", count(), &mut self.count);
        keys.one(
            "start",
            "When it begins.",
            "s",
            number(0.0, LONGEST),
            &mut self.start,
        );
        keys.maybe(
            "stop",
            "When it ends.",
            "s",
            positive(LONGEST),
            &mut self.stop,
        );
        let about = "Time that each waits before walking.";
        let time = Spread(number(0.0, LONGEST));
        keys.one("premovement", about, "s", time, &mut self.premovement);
        let about = "Where they walk to: named areas, places, polygons, or \"random\".";
        keys.must("goals", about, "m", GoalsCodec, &mut self.goals);
        keys.one(
            "choose",
            "Which of several goals.",
            "",
            word(),
            &mut self.choose,
        );
        let about = "Distance at which a goal that is a place counts as reached.";
        keys.one("reach", about, "m", number(0.01, 1000.0), &mut self.reach);
        keys.one("profile", "Their profile.", "", NAME, &mut self.profile);
        let mut groups = Groups {
            sizes: core::mem::take(&mut self.group_sizes),
        };
        keys.one("groups", "Sizes of groups.", "", table(), &mut groups);
        self.group_sizes = groups.sizes;
        keys.one(
            "at_goal",
            "What happens at the goal.",
            "",
            word::<AtGoal>(),
            &mut self.at_goal,
        );
        let about = "Keeps so many of its people walking by adding new ones.";
        keys.maybe("hold", about, "", count(), &mut self.hold);
        let about = "Whether they may start on top of each other.";
        keys.one("overlap", about, "", Switch, &mut self.overlap);
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        if !["rate", "count", "hold"].iter().any(|key| checks.has(key)) {
            let message = "missing: how many people";
            checks.complain("count", message, "rate, count or hold");
        }
        if let Some(stop) = self.stop
            && stop <= self.start
        {
            checks.complain(
                "stop",
                "not after its start",
                &format!("above {}", self.start),
            );
        }
    }
}

impl Section for MoverSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        if self.radius == 0.0 {
            self.radius = 1.0;
        }
        keys.must("name", "Its name.", "", NAME, &mut self.name);
        keys.must(
            "track",
            "Points that it passes.",
            "m",
            ListOf(Place),
            &mut self.track,
        );
        keys.must(
            "speed",
            "Its speed.",
            "m/s",
            number(0.0, 100.0),
            &mut self.speed,
        );
        keys.one(
            "radius",
            "Its radius.",
            "m",
            number(0.01, 100.0),
            &mut self.radius,
        );
        let about = "Whether it goes round; otherwise it stands at the end.";
        keys.one("loop", about, "", Switch, &mut self.looped);
        let about = "Price per metre of the ground ahead of it.";
        keys.one(
            "discomfort",
            about,
            "",
            number(0.0, 1e4),
            &mut self.discomfort,
        );
        keys.one(
            "start",
            "When it appears.",
            "s",
            number(0.0, LONGEST),
            &mut self.start,
        );
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        if checks.has("track") && self.track.is_empty() {
            checks.complain("track", "no place", "one place or more");
        }
    }
}

impl Default for EventSpec {
    fn default() -> EventSpec {
        EventSpec {
            at: 0.0,
            action: EventAction::Open(String::new()),
        }
    }
}

impl Section for EventSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let (mut open, mut close, mut remove) = (None, None, None);
        match &self.action {
            EventAction::Open(door) if door.is_empty() => {}
            EventAction::Open(door) => open = Some(door.clone()),
            EventAction::Close(door) => close = Some(door.clone()),
            EventAction::Remove(area) => remove = Some(area.clone()),
        }
        keys.must("at", "When.", "s", number(0.0, LONGEST), &mut self.at);
        keys.maybe("open", "The door that opens.", "", NAME, &mut open);
        keys.maybe("close", "The door that closes.", "", NAME, &mut close);
        let about = "The region in which everybody is removed.";
        keys.maybe("remove", about, "m", Area, &mut remove);
        self.action = match (open, close, remove) {
            (Some(door), _, _) => EventAction::Open(door),
            (_, Some(door), _) => EventAction::Close(door),
            (_, _, Some(area)) => EventAction::Remove(area),
            _ => EventAction::Open(String::new()),
        };
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        let actions = ["open", "close", "remove"];
        let given = actions.iter().filter(|key| checks.has(key)).count();
        if given != 1 {
            let message = format!("{given} things to do");
            checks.complain("", message, "one of open, close, remove");
        }
    }
}

impl Default for MetricsSpec {
    fn default() -> MetricsSpec {
        MetricsSpec { every: 1.0 }
    }
}

impl Section for MetricsSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Time between two samples of overlaps and density.";
        keys.one("every", about, "s", positive(1e6), &mut self.every);
    }
}

impl Default for NeighboursSpec {
    fn default() -> NeighboursSpec {
        NeighboursSpec {
            relevance: true,
            occlusion: true,
            tolerance: 0.1,
            disc: 1.0,
            symmetric: true,
        }
    }
}

impl Section for NeighboursSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Whether people on other floors and behind the curve are left out.";
        keys.one("relevance", about, "", Switch, &mut self.relevance);
        let about = "Whether walls between two people hide them from each other.";
        keys.one("occlusion", about, "", Switch, &mut self.occlusion);
        let about = "Tolerance of the vision test.";
        keys.one(
            "tolerance",
            about,
            "m",
            number(0.0, 10.0),
            &mut self.tolerance,
        );
        let about = "Radius of the disc at a neighbour's feet.";
        keys.one("disc", about, "m", number(0.01, 10.0), &mut self.disc);
        let about = "Whether being seen by either counts for both.";
        keys.one("symmetric", about, "", Switch, &mut self.symmetric);
    }
}

impl Default for ClassesSpec {
    fn default() -> ClassesSpec {
        ClassesSpec {
            speed_bins: 1,
            weight_bins: 1,
            radius_bins: 1,
            limit: 1024,
        }
    }
}

impl Section for ClassesSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let bins = || Whole(1, 64);
        let about = "Bins of desired speed per profile.";
        keys.one("speed_bins", about, "", bins(), &mut self.speed_bins);
        let about = "Bins of crowd weight per profile.";
        keys.one("weight_bins", about, "", bins(), &mut self.weight_bins);
        keys.one(
            "radius_bins",
            "Bins of radius per profile.",
            "",
            bins(),
            &mut self.radius_bins,
        );
        let about = "Most shared products, one per goal and class.";
        keys.one("limit", about, "", Whole(1, 1_000_000), &mut self.limit);
    }
}

impl Default for RecordSpec {
    fn default() -> RecordSpec {
        RecordSpec {
            every: 0.5,
            formats: vec![RecordFormat::Sqlite],
        }
    }
}

impl Section for RecordSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Time between two recorded frames.";
        keys.one("every", about, "s", positive(1e6), &mut self.every);
        let about = "Formats of trajectories.";
        keys.one(
            "formats",
            about,
            "",
            ListOf(word::<RecordFormat>()),
            &mut self.formats,
        );
    }
}
