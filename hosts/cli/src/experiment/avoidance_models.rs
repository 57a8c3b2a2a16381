//! Every model of avoidance in every trial: who arrives, how fast, how much they overlap.

use std::time::Instant;

use serde_json::{Value, json};

use super::{
    Column, Experiment, Grid, Study,
    trial::{least_gap, models, picture, simulation},
};
use crate::{draw::Tracks, failure::Failure};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "avoidance-models",
    about: "Arrivals, speed, overlaps, gaps and stalling of every avoidance model in crossings, \
            corridors, doors, dense rooms and circles.",
    source: "no paper has this table; expected: circles resolve, no overlaps with orca and rvo \
             where a way exists",
    run,
};

macro_rules! bundled {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../../../tests/scenarios/", $name, ".toml")))),*]
    };
}

/// The trials, quickest first; those behind `QUICK` are left out of a quick look.
const TRIALS: [(&str, &str); 14] = bundled!(
    "head-on",
    "circle-8",
    "squeeze",
    "doorway",
    "corner",
    "circle-100",
    "crossing",
    "counterflow",
    "crossing-four",
    "bottleneck",
    "evacuation",
    "dense-square",
    "open-square",
    "circle-1000"
);
const QUICK: usize = 4;
/// Trials whose pictures are kept.
const PICTURES: [&str; 6] = [
    "circle-8",
    "circle-100",
    "counterflow",
    "bottleneck",
    "corner",
    "doorway",
];

fn run(study: &mut Study) -> Result<(), Failure> {
    let columns = [
        Column::new("trial", ""),
        Column::new("model", ""),
        Column::new("came", ""),
        Column::new("arrivals", ""),
        Column::new("mean speed", "m/s"),
        Column::new("overlapping pairs", ""),
        Column::new("deepest", "mm"),
        Column::new("least gap", "mm"),
        Column::new("stalled", "%"),
        Column::new("ended", "s"),
        Column::new("step", "ms"),
    ];
    let mut table = Grid::new("models", "Models of avoidance by trial", columns);
    let trials = study.size(&TRIALS[..], &TRIALS[..QUICK]);
    for (trial, text) in trials {
        for model in models() {
            study.progress(&format!("{trial} {model}"));
            let row = one(study, trial, text, &model)?;
            table.row(row);
        }
    }
    study.table(table)?;
    study.remark(
        "overlapping pairs (deeper than 5 mm) are the mean over looks, one a second; the least \
         gap is over the same looks; somebody is stalled who moved less than a shoulder's width \
         in 5 s",
    );
    Ok(())
}

fn one(study: &mut Study, trial: &str, text: &str, model: &str) -> Result<Vec<Value>, Failure> {
    let mut sim = simulation(study, text, model, &[])?;
    let seconds = sim.scenario().duration;
    let look = (1.0 / f64::from(sim.state().dt)).round().max(1.0) as u64;
    let mut tracks = Tracks::new(&sim, sim.scenario(), &[]);
    let mut gap = f64::INFINITY;
    let mut stepping = 0.0;
    while sim.time() < seconds - 1e-9 && !sim.is_over() {
        let began = Instant::now();
        sim.step()?;
        stepping += began.elapsed().as_secs_f64();
        if sim.steps().is_multiple_of(look) {
            gap = gap.min(least_gap(&sim));
        }
        tracks.observe(&sim);
    }
    if PICTURES.contains(&trial) {
        let drawn = picture(&sim, &tracks, trial, model)?;
        study.picture(&format!("{trial}-{model}"), &drawn)?;
    }
    let m = sim.metrics();
    Ok(vec![
        json!(trial),
        json!(model),
        json!(m.spawned),
        json!(m.arrivals),
        json!(m.mean_speed()),
        json!(m.mean_overlaps()),
        json!(f64::from(m.overlap_deepest) * 1e3),
        if gap < 3.0 {
            json!(gap * 1e3)
        } else {
            Value::Null
        },
        json!(m.stalled_share() * 100.0),
        json!(sim.time()),
        json!(stepping * 1e3 / sim.steps().max(1) as f64),
    ])
}
