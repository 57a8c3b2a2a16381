//! A swirl at the pole of a globe: many who cross one point pass round each other.

use glam::Vec3;
use serde_json::json;
use throng::Simulation;

use super::{Column, Experiment, Grid, Study};
use crate::{
    draw::{Caption, Tracks, draw_run},
    failure::Failure,
};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "surface-swirl",
    about: "People on a ring about the pole of a globe who all cross the pole: do they pass round \
            each other, and which way.",
    source: "Ricks, Egbert 2014, figure 9: agents that converge at the pole, where the mesh is \
             finest, swirl about each other and reach their destinations",
    run,
};

/// Metres of the ring from the pole.
const RING: f64 = 12.0;

fn run(study: &mut Study) -> Result<(), Failure> {
    let people: u32 = study.size(40, 24);
    let mut table = Grid::new(
        "swirl",
        format!("{people} people cross the pole of a globe of 25 m"),
        [
            Column::new("model", ""),
            Column::new("arrived", ""),
            Column::new("of", ""),
            Column::new("last", "s"),
            Column::new("turn about the pole, mean", "degrees"),
            Column::new("turning left", "%"),
            Column::new("least gap", "mm"),
        ],
    );
    for model in ["orca", "rvo", "social-force", "predictive"] {
        study.progress(model);
        let text = scenario(people, model);
        let mut sim = Simulation::builder().threads(study.threads).text(&text)?;
        let mut tracks = Tracks::new(&sim, sim.scenario(), &[]);
        let mut turned: std::collections::HashMap<u64, f64> = std::collections::HashMap::new();
        let mut last: std::collections::HashMap<u64, Vec3> = std::collections::HashMap::new();
        let (mut gap, mut over, mut drawn) = (f64::INFINITY, 0.0, false);
        while sim.time() < 90.0 && !sim.is_over() {
            sim.step()?;
            tracks.observe(&sim);
            gap = gap.min(super::trial::least_gap(&sim));
            for (row, id) in sim.agents().id.iter().enumerate() {
                let at = sim.agents().location[row].point;
                if let Some(before) = last.insert(*id, at) {
                    let turn = before.truncate().perp_dot(at.truncate());
                    let along = before.truncate().dot(at.truncate());
                    let angle = throng::core::math::atan2(turn, along);
                    *turned.entry(*id).or_default() += f64::from(angle);
                }
            }
            if sim.metrics().arrived < u64::from(people) {
                over = sim.time();
            }
            if !drawn && sim.time() > RING / 1.34 {
                drawn = true;
                let caption = Caption {
                    title: format!("Crossing the pole, {model}"),
                    subtitle: format!("{:.0} s, {people} people", sim.time()),
                    sources: Vec::new(),
                };
                let picture = draw_run(&sim, &tracks, &caption, false)?;
                study.picture(&format!("pole-{model}"), &picture)?;
            }
        }
        let count = turned.len().max(1) as f64;
        let mean = turned.values().sum::<f64>() / count;
        let left = turned.values().filter(|t| **t > 0.0).count() as f64 / count;
        table.row([
            json!(model),
            json!(sim.metrics().arrived),
            json!(people),
            json!(over),
            json!(mean.to_degrees()),
            json!(left * 100.0),
            json!(gap * 1e3),
        ]);
    }
    study.table(table)?;
    study.remark(
        "half a turn is crossing straight over the pole; the sign says which way round it they \
         passed, and a swirl is when all pass on the same side",
    );
    Ok(())
}

/// One source on the ring for each person, whose goal is on the far side.
fn scenario(people: u32, model: &str) -> String {
    let mut text = format!(
        "name = \"pole\"\nseed = 3\ndt = 0.1\nduration = 120.0\n[environment]\n\
         generate = \"globe\"\n[nav]\nkind = \"surface\"\n[planner]\nkind = \"geodesic\"\n\
         [avoidance]\nkind = \"{model}\"\n[profile.walker]\nradius = 0.24\nspeed = 1.34\n"
    );
    let place = |share: f64| {
        let (around, polar) = (share * std::f64::consts::TAU, RING / 25.0);
        let (sin, cos) = (
            throng::core::math::sin(polar),
            throng::core::math::cos(polar),
        );
        let (x, y) = (
            throng::core::math::cos(around),
            throng::core::math::sin(around),
        );
        format!(
            "[{:.4}, {:.4}, {:.4}]",
            25.0 * sin * x,
            25.0 * sin * y,
            25.0 * cos
        )
    };
    for i in 0..people {
        let share = f64::from(i) / f64::from(people);
        text += &format!(
            "[[source]]\narea = {}\ncount = 1\ngoals = {}\nprofile = \"walker\"\n",
            place(share),
            place(share + 0.5)
        );
    }
    text
}
