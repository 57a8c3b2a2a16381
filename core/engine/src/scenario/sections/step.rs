//! Keys of how a scenario runs: replanning, following, tiers, metrics, recording.

use throng_core::registry::Slot;

use super::{LONGEST, MOST_AGENTS};
use crate::scenario::{
    codec::{Keys, Section},
    codecs::{ListOf, Spread, Switch, Whole, number, positive, table, word},
    model::{
        ClassesSpec, CostSpec, FollowKind, FollowSpec, Hysteresis, MetricsSpec, NeighboursSpec,
        RecordFormat, RecordSpec, Replan, ReplanEvent, TierSpec,
    },
    strategy::{StrategyOf, default_kind},
    tables::FollowCodec,
    values::{Distribution, StrategySpec},
};

impl Default for CostSpec {
    fn default() -> CostSpec {
        CostSpec {
            model: StrategySpec::new(default_kind(Slot::Cost)),
            weight: 1.0,
            every: 1.0,
            cell: None,
            pool: None,
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
            alternatives: 1,
            stretch: 1.5,
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
        let about = "Distinct routes kept per origin and goal, of which each agent takes the \
                     quickest; with 1 the planner alone decides.";
        keys.one(
            "alternatives",
            about,
            "",
            Whole(1, 16),
            &mut self.alternatives,
        );
        let about = "Longest of the alternatives, as a multiple of the shortest.";
        keys.one("stretch", about, "", number(1.0, 10.0), &mut self.stretch);
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
        let about = "Time in which the velocity turns (seek, indicative).";
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
            replay: 0.2,
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
        let about = "Time between two frames of the replay; 0 for no replay.";
        keys.one("replay", about, "s", number(0.0, 1e6), &mut self.replay);
    }
}
