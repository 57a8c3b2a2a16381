//! What flow fields cost an agent, from a thousand agents to two hundred thousand.

use serde_json::{Value, json};

use super::{Column, Experiment, Grid, Study, walks::Shot};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "flow-scaling",
    about: "Planning time per agent and step with flow fields towards 4 shared goals, from 1,000 \
            to 200,000 agents on one map.",
    source: "Pentheny 2015, 17.6: constant look-up for any number of agents with shared goals; \
             the mark is 20 ns per agent and step at 100,000 agents",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "scaling",
        "Flow fields to 4 goals on a square of 800 m, cells of 2 m",
        [
            Column::new("cost", ""),
            Column::new("agents", ""),
            Column::new("guide", "ns per agent and step"),
            Column::new("fields", "ms per step"),
            Column::new("routes", "ns per agent and step"),
            Column::new("all planning", "ns per agent and step"),
        ],
    );
    let sizes: &[u64] = study.size(&[1_000, 10_000, 50_000, 100_000, 200_000], &[1_000, 10_000]);
    for cost in ["distance", "congestion"] {
        for &agents in sizes {
            study.progress(&format!("{cost}, {agents} agents"));
            table.row(one(study, cost, agents)?);
        }
    }
    study.table(table)?;
    for expansion in ["dijkstra", "theta-star"] {
        streamlines(study, expansion)?;
    }
    study.remark(
        "guide counts only guiding; fields is growing them anew as far as steps wait for it; \
         routes is what agents get at their start; the pictures show paths of people who walk where \
         a field leads them and nothing else: straight at any angle, round corners, without steps \
         of the lattice",
    );
    Ok(())
}

/// Draws where a field leads people in a village.
fn streamlines(study: &mut Study, expansion: &str) -> Result<(), Failure> {
    let mut simulation = study.simulation(&format!(
        r#"
        name = "streamlines"
        dt = 0.1
        duration = 400.0
        [environment]
        generate = "village"
        [nav]
        kind = "grid"
        cell = 1.0
        [planner]
        kind = "flow-field"
        expansion = "{expansion}"
        [avoidance]
        kind = "none"
        [profile.walker]
        radius = 0.25
        speed = 1.3
        [[source]]
        area = "everything"
        count = 250
        goals = [[[78, 78], [82, 78], [82, 82], [78, 82]]]
        profile = "walker"
        "#
    ))?;
    let title = format!("Where a field leads, expansion {expansion}, cells of 1 m");
    let mut shot = Shot::new(&simulation, 120.0, &title, &["walkers"]);
    study.walk(&mut simulation, 120.0, |simulation| shot.watch(simulation))?;
    shot.give(study, &simulation, &format!("streamlines-{expansion}"))
}

fn one(study: &Study, cost: &str, agents: u64) -> Result<Vec<Value>, Failure> {
    let mut simulation = study.simulation(&format!(
        r#"
        name = "flow-scaling"
        dt = 0.1
        duration = 10000.0
        [environment]
        generate = "square"
        side = 800.0
        [nav]
        kind = "grid"
        cell = 2.0
        [planner]
        kind = "flow-field"
        [cost]
        kind = "{cost}"
        cell = 8.0
        every = 1.0
        [avoidance]
        kind = "none"
        [profile.walker]
        radius = 0.25
        speed = 1.3
        [[area]]
        name = "sw"
        shape = [[0, 0], [20, 0], [20, 20], [0, 20]]
        [[area]]
        name = "se"
        shape = [[780, 0], [800, 0], [800, 20], [780, 20]]
        [[area]]
        name = "ne"
        shape = [[780, 780], [800, 780], [800, 800], [780, 800]]
        [[area]]
        name = "nw"
        shape = [[0, 780], [20, 780], [20, 800], [0, 800]]
        [[source]]
        area = [[100, 100], [700, 100], [700, 700], [100, 700]]
        count = {agents}
        goals = ["sw", "se", "ne", "nw"]
        choose = "random"
        at_goal = "again"
        profile = "walker"
        "#
    ))?;
    for _ in 0..20 {
        simulation.step()?;
    }
    let before = simulation.metrics().stages.millis();
    let steps = study.size(100, 20);
    for _ in 0..steps {
        simulation.step()?;
    }
    let now = simulation.metrics().stages.millis();
    let ms = |name: &str| {
        let spent = |all: &[(&str, f64)]| all.iter().find(|s| s.0 == name).map_or(0.0, |s| s.1);
        (spent(&now) - spent(&before)) / f64::from(steps)
    };
    let per_agent = |ms: f64| ms * 1e6 / agents as f64;
    let (guide, prepare, plan) = (ms("guide"), ms("prepare"), ms("plan"));
    Ok(vec![
        json!(cost),
        json!(agents),
        json!(per_agent(guide)),
        json!(prepare),
        json!(per_agent(plan)),
        json!(per_agent(guide + prepare + plan)),
    ])
}
