//! Keys of how a scenario's behaviour is kept in snapshots.

use serde_json::json;
use throng_core::registry::Slot;

use crate::{
    registry::Registry,
    scenario::{
        codec::{Codec, Keys, Reader, Section},
        codecs::{ListOf, Whole, number, table},
        model::{SnapshotSpec, ToleranceSpec, VarySpec},
        node::{Node, Value},
    },
};

impl Default for SnapshotSpec {
    fn default() -> SnapshotSpec {
        SnapshotSpec {
            steps: 100,
            agents: 100,
            seeds: 1,
            vary: VarySpec::default(),
            tolerance: ToleranceSpec::default(),
        }
    }
}

impl Section for SnapshotSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let about = "Steps of each run.";
        keys.one("steps", about, "", Whole(1, 1_000_000), &mut self.steps);
        let about = "People at most: sources of more are scaled down together.";
        keys.one("agents", about, "", Whole(1, 1_000_000), &mut self.agents);
        let about = "Runs of each combination, with this seed and those after it; figures are their mean and spread.";
        keys.one("seeds", about, "", Whole(1, 1000), &mut self.seeds);
        let about = "Strategies that are tried in each slot; all of them where none is named.";
        keys.some("vary", about, "", table(), &mut self.vary);
        let about = "How far figures may be from those that are stored.";
        keys.one("tolerance", about, "", table(), &mut self.tolerance);
    }
}

impl Section for VarySpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let mut list = |name, about, slot, field: &mut Vec<String>| {
            keys.some(name, about, "", ListOf(IdOf(slot)), field);
        };
        list("nav", "Maps.", Slot::Nav, &mut self.nav);
        list("planner", "Planners.", Slot::Planner, &mut self.planner);
        list("cost", "Cost models.", Slot::Cost, &mut self.cost);
        let about = "Avoidance models.";
        list("avoidance", about, Slot::Avoidance, &mut self.avoidance);
        let about = "Level-of-detail policies, in the star alone.";
        list("lod", about, Slot::Lod, &mut self.lod);
        let about = "Group behaviours, in the star alone.";
        list("group", about, Slot::Group, &mut self.group);
    }
}

impl Section for ToleranceSpec {
    fn keys(&mut self, keys: &mut Keys<'_, '_>) {
        let mut figure = |name, about, unit, field: &mut f64| {
            keys.one(name, about, unit, number(0.0, 1e9), field);
        };
        let about = "Arrivals, and people who left at their goal.";
        figure("arrivals", about, "", &mut self.arrivals);
        figure("speed", "Mean speed.", "m/s", &mut self.speed);
        let about = "Mean travel time.";
        figure("travel_time", about, "s", &mut self.travel_time);
        let about = "Least gap between two bodies.";
        figure("gap", about, "m", &mut self.gap);
        let about = "Overlapping pairs, mean.";
        figure("overlaps", about, "", &mut self.overlaps);
        let about = "Share that stalled, in per cent.";
        figure("stalled", about, "%", &mut self.stalled);
        let about = "Places of the people that are sampled.";
        figure("position", about, "m", &mut self.position);
    }
}

/// The id of a known strategy.
struct IdOf(Slot);

impl Codec<String> for IdOf {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<String> {
        let registry = reader.registry;
        let known = registry.of(self.0).map(|s| s.id.as_str());
        let Value::Text(id) = &node.value else {
            let allowed: Vec<_> = known.collect();
            reader.wrong_type(node, path, "a strategy's id", &allowed.join(", "));
            return None;
        };
        if registry.find(self.0, id).is_none() {
            let what = format!("{} strategy", self.0.name());
            reader.unknown_word(node, path, id, known, &what);
            return None;
        }
        Some(id.clone())
    }

    fn write(&self, value: &String) -> toml::Value {
        value.clone().into()
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        let ids: Vec<_> = registry.of(self.0).map(|s| s.id.as_str()).collect();
        json!({ "enum": ids })
    }
}
