//! What planning costs as the crowd grows: section 5.2 and figure 5.11.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throng::{Simulation, engine::metrics::StageTimes};

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
            Column::new("round obstacles", "ns per person and step"),
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
        let case = format!("{agents} people");
        if !study.wants(&case) {
            continue;
        }
        study.progress(&case);
        let (row, point) = one(study, agents, seconds)?;
        study.progress(&format!(
            "{case}: look-ups {:.1} ns, all planning {:.1} ns per person and step, step {:.2} ms",
            row[4].as_f64().unwrap_or_default(),
            row[5].as_f64().unwrap_or_default(),
            row[8].as_f64().unwrap_or_default(),
        ));
        table.row(row);
        points.push(point);
        // The last row takes longer than all others together.
        study.so_far(&table)?;
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
    study.remark(format!(
        "threads: {}; up to 5,000 people each step counts as the shortest of {RUNS} runs took, \
         which are the same to the bit; look-ups are the whole stage guide; trees and lamps that \
         the map does not know are gone round in a stage of its own",
        study.threads
    ));
    study.remark(
        "frames of the thesis include rendering on a machine of 2010; ours are steps without it. \
         100,000 people walk in a block of 1,024 m, which has room for them",
    );
    let shown = if few.len() > 2 { &few } else { &points };
    let most = shown
        .iter()
        .fold((0.0_f64, 0.0_f64), |m, p| (m.0.max(p.0), m.1.max(p.1)));
    let (slope, offset, _) = straight_line(shown);
    let least = shown.iter().map(|p| p.0).fold(most.0, f64::min);
    let [from, to] = [least, most.0].map(|x| (x, (offset + slope * x).max(0.0)));
    let colour = Colour(31, 119, 180, 255);
    let mut chart = Chart::new(
        Labels {
            title: "Accumulated planning time against crowd size",
            subtitle: "look-ups, routes and table of next-hop on an adaptive grid",
            x: "people",
            y: "ms",
        },
        Axis::covering(most.0, 8),
        Axis::covering(most.1.max(to.1), 8),
        &[("measured, and the straight line through it".into(), colour)],
    )?;
    chart.line(&[from, to], 1.5, colour);
    for (x, y) in shown {
        chart.spot(*x, *y, "", colour);
    }
    study.picture("planning", &chart.finish()?)
}

/// Runs of a crowd. They do the same step by step: what is longer than the shortest was the
/// machine's.
const RUNS: usize = 3;

/// Milliseconds of one step.
#[derive(Clone, Copy)]
struct Spent {
    look_ups: f64,
    planning: f64,
    detours: f64,
    whole: f64,
}

impl Spent {
    const AGES: Spent = Spent {
        look_ups: f64::INFINITY,
        planning: f64::INFINITY,
        detours: f64::INFINITY,
        whole: f64::INFINITY,
    };

    fn least(self, other: Spent) -> Spent {
        Spent {
            look_ups: self.look_ups.min(other.look_ups),
            planning: self.planning.min(other.planning),
            detours: self.detours.min(other.detours),
            whole: self.whole.min(other.whole),
        }
    }
}

fn one(study: &Study, agents: u64, seconds: f64) -> Result<(Vec<Value>, (f64, f64)), Failure> {
    let steps = (seconds / 0.1_f64).round() as usize;
    let mut least = vec![Spent::AGES; steps];
    let (simulation, present) = walked(study, agents, seconds, &mut least)?;
    for _ in 1..if agents > MANY { 1 } else { RUNS } {
        let (again, _) = walked(study, agents, seconds, &mut least)?;
        if again.digest() != simulation.digest() {
            return Err(Failure::run("two runs of one seed differ"));
        }
    }
    let sum = |of: fn(&Spent) -> f64| least.iter().map(of).sum::<f64>();
    let (planning, whole) = (sum(|s| s.planning), sum(|s| s.whole));
    let per_step = |ms: f64| ms * 1e6 / present.max(1) as f64;
    let mean = present as f64 / steps as f64;
    let thesis = THESIS.iter().find(|t| t.0 == agents).map(|t| t.1);
    let row = vec![
        json!(agents),
        json!(mean),
        json!(simulation.map().nodes()),
        json!(simulation.metrics().arrived),
        json!(per_step(sum(|s| s.look_ups))),
        json!(per_step(planning)),
        json!(per_step(sum(|s| s.detours))),
        json!(planning),
        json!(whole / steps as f64),
        json!(steps as f64 * 1e3 / whole),
        thesis.map_or(Value::Null, |fps| json!(fps)),
    ];
    Ok((row, (mean, planning)))
}

/// Crowds larger than this walk once, in a larger block.
const MANY: u64 = 20_000;

/// Lets a crowd walk and keeps the least time of each step; gives the number of people summed over
/// the steps.
fn walked(
    study: &Study,
    agents: u64,
    seconds: f64,
    least: &mut [Spent],
) -> Result<(Simulation, u64), Failure> {
    let large = agents > MANY;
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
    let began = Instant::now();
    let mut present = 0;
    for (step, least) in least.iter_mut().enumerate() {
        let (before, from) = (simulation.metrics().stages, Instant::now());
        simulation.step()?;
        let (whole, after) = (from.elapsed(), simulation.metrics().stages);
        let ms = |spent: Duration| spent.as_secs_f64() * 1e3;
        let planned = |s: StageTimes| s.guide + s.prepare + s.plan;
        *least = least.least(Spent {
            look_ups: ms(after.guide - before.guide),
            planning: ms(planned(after) - planned(before)),
            detours: ms(after.detour - before.detour),
            whole: ms(whole),
        });
        present += simulation.agents().len() as u64;
        if large && (step + 1) % 100 == 0 {
            study.progress(&format!(
                "{agents} people: {:.0} s of {seconds:.0} after {:.0} s, {} arrived",
                simulation.time(),
                began.elapsed().as_secs_f64(),
                simulation.metrics().arrived
            ));
        }
    }
    Ok((simulation, present))
}
