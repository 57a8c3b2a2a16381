//! How often everybody can plan again in real time: section 3.5 of the paper.

use serde_json::{Value, json};

use super::{
    Column, Experiment, Grid, Study,
    density::{PAPER, Walk},
    density_scaling::step_ms,
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "density-realtime",
    about: "How often 20,000 walkers on City can all plan again while ten steps a second are \
            kept on one thread: section 3.5; and the same step with ORCA.",
    source: PAPER,
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    study.threads = 1;
    let walkers = study.size(20_000, 1_000);
    let mut table = Grid::new(
        "realtime",
        format!("{walkers} walkers on City, one thread, steps of 0.1 s"),
        [
            Column::new("sees", "m"),
            Column::new("step without replanning", "ms"),
            Column::new("paper: step", "ms"),
            Column::new("one replanning", "ms"),
            Column::new("paper: replanning", "ms"),
            Column::new("everybody every", "s"),
            Column::new("paper: every", "s"),
        ],
    );
    let still = Walk {
        scene: "city",
        weight: 5.0,
        ..Walk::default()
    };
    study.progress("steps without replanning");
    let mut simulation = study.simulation(&still.everywhere(walkers))?;
    let step = step_ms(&mut simulation, study.size(100, 20))?;
    for (horizon, paper_ms, paper_every) in [
        (None, 2.0, Some(60.6)),
        (Some(350.0), 1.0, Some(30.3)),
        (Some(0.1), 0.3, None),
    ] {
        study.progress("replanning");
        let walk = Walk {
            horizon,
            replan: Some(10.0),
            ..still
        };
        let mut simulation = study.simulation(&walk.everywhere(walkers))?;
        for _ in 0..study.size(100, 20) {
            simulation.step()?;
        }
        let before = (plan_ms(&simulation), simulation.metrics().requests);
        for _ in 0..study.size(50, 20) {
            simulation.step()?;
        }
        let requests = simulation.metrics().requests - before.1;
        let one = (plan_ms(&simulation) - before.0) / requests.max(1) as f64;
        // What a step leaves of a tenth of a second is spent on planning again.
        let a_step = (100.0 - step) / one;
        table.row([
            horizon.map_or(json!("all"), |d| json!(d)),
            json!(step),
            json!(34.0),
            json!(one),
            json!(paper_ms),
            json!(walkers as f64 / a_step * 0.1),
            paper_every.map_or(Value::Null, |s| json!(s)),
        ]);
    }
    study.table(table)?;

    study.progress("with ORCA");
    let mut orca = Grid::new(
        "orca",
        "The same step with avoidance",
        [
            Column::new("avoidance", ""),
            Column::new("replanning every", "s"),
            Column::new("step", "ms"),
        ],
    );
    for avoidance in ["none", "orca"] {
        let walk = Walk {
            avoidance,
            replan: Some(10.0),
            ..still
        };
        let mut simulation = study.simulation(&walk.everywhere(walkers))?;
        let ms = step_ms(&mut simulation, study.size(60, 20))?;
        orca.row([json!(avoidance), json!(10.0), json!(ms)]);
    }
    study.table(orca)?;
    study.remark(
        "one replanning here is the whole stage plan divided by its requests: choosing who plans, \
         the search, taking the new route over. The paper has 66 ms left of each 100 and 2 ms a \
         replanning",
    );
    Ok(())
}

fn plan_ms(simulation: &throng::Simulation) -> f64 {
    let stages = simulation.stage_millis();
    stages.iter().find(|s| s.0 == "plan").map_or(0.0, |s| s.1)
}
