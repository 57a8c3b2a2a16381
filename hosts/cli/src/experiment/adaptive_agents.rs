//! What planning costs as the crowd grows: section 5.2 and figure 5.11.

use std::time::Instant;

use serde_json::{Value, json};

use super::{
    Column, Experiment, Grid, Study,
    adaptive::{PAPER, places, sources, straight_line},
};
use crate::{
    draw::{Axis, Chart, Colour, Labels},
    failure::Failure,
};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "adaptive-agents",
    about: "500 to 5,000 and 100,000 people between doors and street exits of a city block for \
            200 s: accumulated planning time against the crowd's size, frames per second.",
    source: PAPER,
    run,
};

/// The thesis' frames per second, with rendering (table 5.1).
const THESIS: [(u64, f64); 4] = [(500, 56.0), (1000, 24.0), (2000, 20.0), (4000, 7.6)];

fn run(study: &mut Study) -> Result<(), Failure> {
    let seconds = study.size(200.0, 20.0);
    let mut table = Grid::new(
        "agents",
        format!("A city block of 33 buildings for {seconds} s, dt 0.1 s, social forces"),
        [
            Column::new("people", ""),
            Column::new("mean number", ""),
            Column::new("nodes", ""),
            Column::new("arrived", ""),
            Column::new("look-ups", "ns per person and step"),
            Column::new("all planning", "ns per person and step"),
            Column::new("planning, accumulated", "ms"),
            Column::new("step", "ms"),
            Column::new("frames", "1/s"),
            Column::new("thesis: frames", "1/s"),
        ],
    );
    let sizes: &[u64] = study.size(
        &[500, 1000, 2000, 3000, 4000, 5000, 100_000],
        &[200, 400, 800],
    );
    let mut points = Vec::new();
    for &agents in sizes {
        study.progress(&format!("{agents} people"));
        let (row, point) = one(study, agents, seconds)?;
        // The last row takes longer than all others together.
        study.progress(&format!(
            "{agents} people: look-ups {:.1} ns, all planning {:.1} ns per person and step, step \
             {:.2} ms",
            row[4].as_f64().unwrap_or_default(),
            row[5].as_f64().unwrap_or_default(),
            row[7].as_f64().unwrap_or_default(),
        ));
        table.row(row);
        points.push(point);
    }
    study.table(table)?;
    let (slope, offset, share) = straight_line(&points);
    study.remark(format!(
        "accumulated planning time over {seconds} s = {offset:.1} ms + {:.4} ms per person, \
         R2 = {share:.4} over all sizes",
        slope
    ));
    let few: Vec<(f64, f64)> = points.iter().copied().filter(|p| p.0 < 10_000.0).collect();
    if few.len() > 2 && few.len() < points.len() {
        let (slope, _, share) = straight_line(&few);
        study.remark(format!(
            "up to 5,000 people alone: {slope:.4} ms per person, R2 = {share:.4}"
        ));
    }
    study.remark(
        "frames of the thesis include rendering on a machine of 2010; ours are steps without it. \
         100,000 people walk in a block of 1,024 m, which has room for them",
    );
    let shown = if few.len() > 2 { &few } else { &points };
    let most = shown
        .iter()
        .fold((0.0_f64, 0.0_f64), |m, p| (m.0.max(p.0), m.1.max(p.1)));
    let colour = Colour(31, 119, 180, 255);
    let mut chart = Chart::new(
        Labels {
            title: "Accumulated planning time against crowd size",
            subtitle: "look-ups, routes and table of next-hop on an adaptive grid",
            x: "people",
            y: "ms",
        },
        Axis::covering(most.0, 8),
        Axis::covering(most.1, 8),
        &[("measured, and the straight line through it".into(), colour)],
    )?;
    let (slope, offset, _) = straight_line(shown);
    chart.line(
        &[(0.0, offset.max(0.0)), (most.0, offset + slope * most.0)],
        1.5,
        colour,
    );
    for (x, y) in shown {
        chart.spot(*x, *y, "", colour);
    }
    study.picture("planning", &chart.finish()?)
}

fn one(study: &Study, agents: u64, seconds: f64) -> Result<(Vec<Value>, (f64, f64)), Failure> {
    let large = agents > 20_000;
    let side = if large { 1024.0 } else { 256.0 };
    let people = if large {
        // Doors alone would take long to let so many out: they start anywhere.
        let goals: Vec<String> = places().iter().map(|p| format!("{p:?}")).collect();
        format!(
            "[[source]]\narea = \"everything\"\nhold = {agents}\ngoals = [{}]\nchoose = \"random\"\n",
            goals.join(", ")
        )
    } else {
        sources(agents)
    };
    let mut simulation = study.simulation(&format!(
        r#"
        name = "adaptive-agents"
        seed = 5
        dt = 0.1
        duration = 100000.0
        [environment]
        generate = "city-block"
        drawn = "height-map"
        side = {side}
        [nav]
        kind = "adaptive-grid"
        [planner]
        kind = "next-hop"
        [avoidance]
        kind = "social-force"
        {people}
        "#
    ))?;
    let steps = (seconds / 0.1_f64).round() as u64;
    let mut present = 0_u64;
    let began = Instant::now();
    for step in 1..=steps {
        simulation.step()?;
        present += simulation.agents().len() as u64;
        if large && step % 100 == 0 {
            study.progress(&format!(
                "{agents} people: {:.0} s of {seconds:.0} after {:.0} s, {} arrived",
                simulation.time(),
                began.elapsed().as_secs_f64(),
                simulation.metrics().arrived
            ));
        }
    }
    let wall = began.elapsed().as_secs_f64();
    let stages = simulation.metrics().stages.millis();
    let ms = |name: &str| stages.iter().find(|s| s.0 == name).map_or(0.0, |s| s.1);
    let planning = ms("guide") + ms("prepare") + ms("plan");
    let per_step = |ms: f64| ms * 1e6 / present.max(1) as f64;
    let mean = present as f64 / steps as f64;
    let thesis = THESIS.iter().find(|t| t.0 == agents).map(|t| t.1);
    let row = vec![
        json!(agents),
        json!(mean),
        json!(simulation.map().nodes()),
        json!(simulation.metrics().arrived),
        json!(per_step(ms("guide"))),
        json!(per_step(planning)),
        json!(planning),
        json!(wall * 1e3 / steps as f64),
        json!(steps as f64 / wall),
        thesis.map_or(Value::Null, |fps| json!(fps)),
    ];
    Ok((row, (mean, planning)))
}
