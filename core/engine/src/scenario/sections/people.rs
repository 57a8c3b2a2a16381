//! Keys of who walks in a scenario: profiles, sources, movers, regions of interest.

use super::{LONGEST, MOST_AGENTS};
use crate::scenario::{
    codec::{Checks, Keys, Section},
    codecs::{
        Area, FloorCodec, GoalsCodec, ListOf, NAME, Place, Spread, Switch, TEXT, Whole, number,
        positive, table, word,
    },
    model::{AtGoal, CameraSpec, Choose, InterestSpec, MoverSpec, Profile, SourceSpec, SpeedLaw},
    values::{AreaRef, Distribution, FloorRef, Goals, Point},
};

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
        let about = "Whether the camera carries it: at is metres ahead and to the left of it.";
        keys.one("camera", about, "", Switch, &mut self.camera);
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        if !checks.has("at") && !checks.has("mover") && !self.camera {
            checks.complain(
                "at",
                "missing: where it is",
                "at = [x, y], or mover = a name, or camera = true",
            );
        }
        if checks.has("mover") && self.camera {
            let message = "carried by a mover and by the camera";
            checks.complain("camera", message, "one of mover and camera");
        }
    }
}

impl Default for CameraSpec {
    fn default() -> CameraSpec {
        CameraSpec {
            at: Point::default(),
            toward: Point::default(),
            angle: 60.0,
            far: 1000.0,
        }
    }
}

impl Section for CameraSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        keys.must("at", "Where it is.", "m", Place, &mut self.at);
        let about = "A place that it looks towards.";
        keys.must("toward", about, "m", Place, &mut self.toward);
        let about = "The angle that it sees.";
        keys.one("angle", about, "deg", number(1.0, 360.0), &mut self.angle);
        keys.one("far", "How far it sees.", "m", positive(1e6), &mut self.far);
    }

    fn check(&self, checks: &mut Checks<'_, '_>) {
        if checks.has("toward") && self.at.plan == self.toward.plan {
            checks.complain("toward", "the camera stands there", "another place");
        }
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
            choose: Choose::Nearest,
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
        let about = "Where they walk to: named areas, places, polygons, \"random\", or \"opposite\" (through the middle of their own area).";
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
