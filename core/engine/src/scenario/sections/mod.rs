//! Every key of a scenario: its meaning, unit, range and default, declared once.
//!
//! This file has the scenario itself; `environment` what stands in it, `people` who walks in it,
//! `events` where they are held up and what happens when, `step` how it runs, `snapshot` how its
//! behaviour is kept.

mod environment;
mod events;
mod people;
mod snapshot;
mod step;

use std::collections::BTreeSet;

use throng_core::registry::Slot;

use super::{
    codec::{Checks, Keys, Section},
    codecs::{ListOf, NAME, Whole, number, positive, table},
    model::{
        ClassesSpec, CostSpec, EnvironmentSpec, EventAction, FollowSpec, MetricsSpec,
        NeighboursSpec, Profile, RecordSpec, Replan, Scenario,
    },
    provenance::Provenance,
    strategy::{StrategyOf, default_kind},
    tables::{CostCodec, EnvironmentCodec, FollowCodec, ProfilesCodec},
    values::StrategySpec,
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
            camera: None,
            obstacles: Vec::new(),
            areas: Vec::new(),
            lines: Vec::new(),
            doors: Vec::new(),
            profiles: vec![Profile::default()],
            sources: Vec::new(),
            goals: Vec::new(),
            movers: Vec::new(),
            events: Vec::new(),
            metrics: MetricsSpec::default(),
            neighbours: NeighboursSpec::default(),
            classes: ClassesSpec::default(),
            record: RecordSpec::default(),
            snapshot: None,
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
        let about = "The camera that watches: where it does not look, detail is lowest.";
        keys.maybe("camera", about, "", table(), &mut self.camera);
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
        let about = "Goals where people queue to be served, or wait.";
        keys.some("goal", about, "", ListOf(table()), &mut self.goals);
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
        let about = "What `throng snapshot` runs, and how exactly it compares.";
        keys.maybe("snapshot", about, "", table(), &mut self.snapshot);
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
        if checks.length("goal") == self.goals.len() {
            let mut areas = BTreeSet::new();
            for (i, goal) in self.goals.iter().enumerate() {
                if !goal.area.is_empty() && !areas.insert(&goal.area) {
                    let message = "another goal has this area";
                    checks.complain(&format!("goal[{i}].area"), message, "one goal per area");
                }
            }
            if checks.length("event") == self.events.len() {
                for (i, event) in self.events.iter().enumerate() {
                    if let EventAction::Release(name) = &event.action {
                        let known = self.goals.iter().filter_map(|g| g.release.as_deref());
                        let key = format!("event[{i}].release");
                        checks.known(&key, name, known, "release of a goal");
                    }
                }
            }
        }
        if checks.length("roi") == self.interest.len() {
            for (i, interest) in self.interest.iter().enumerate() {
                if let Some(mover) = &interest.mover {
                    let known = self.movers.iter().map(|m| m.name.as_str());
                    let key = format!("roi[{i}].mover");
                    if self.movers.is_empty() {
                        checks.complain(&key, "there are no movers", "the name of a [[mover]]");
                    } else {
                        checks.known(&key, mover, known, "mover");
                    }
                }
                if interest.camera && self.camera.is_none() {
                    let message = "there is no camera to carry it";
                    checks.complain(&format!("roi[{i}].camera"), message, "a [camera] table");
                }
            }
        }
        let mut levels = BTreeSet::new();
        for (i, tier) in self.tiers.iter().enumerate() {
            let key = format!("tier[{i}].level");
            let read = checks.has_deep(&key) && !checks.is_wrong(&key);
            if !levels.insert(tier.level) && read {
                checks.complain(&key, "another tier has this level", "one tier per level");
            }
        }
        if checks.length("roi") == self.interest.len() && !levels.is_empty() {
            let words: Vec<String> = levels.iter().map(|level| level.to_string()).collect();
            for (i, interest) in self.interest.iter().enumerate() {
                let key = format!("roi[{i}].level");
                let read = checks.has_deep(&key) && !checks.is_wrong(&key);
                if read && !levels.contains(&interest.level) {
                    checks.complain(&key, "no tier has this level", &words.join(", "));
                }
            }
        }
    }
}
