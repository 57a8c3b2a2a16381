//! How the cost of a step with ORCA grows with the crowd, by stage.

use std::time::Instant;

use serde_json::json;

use super::{Column, Experiment, Grid, Study};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "orca-scaling",
    about: "Steps per second, bytes per agent and time by stage of ORCA on an open square, from \
            1,000 to 1,000,000 agents.",
    source: "van den Berg, Guy, Lin, Manocha 2011; the mark is 10 steps a second at one million \
             agents on two cores",
    run,
};

const STAGES: [&str; 6] = [
    "crowd",
    "guide",
    "neighbours",
    "avoidance",
    "advance",
    "metrics",
];

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut columns = vec![
        Column::new("agents", ""),
        Column::new("step", "ms"),
        Column::new("steps", "1/s"),
        Column::new("per agent", "ns"),
        Column::new("memory per agent", "bytes"),
    ];
    columns.extend(STAGES.map(|stage| Column::new(stage, "ns per agent")));
    columns.push(Column::new("everything else", "ns per agent"));
    let mut table = Grid::new("scaling", "ORCA on an open square, 0.5 agents/m²", columns);
    let sizes: &[u64] = study.size(&[1_000, 10_000, 100_000, 1_000_000], &[1_000, 10_000]);
    for &agents in sizes {
        study.progress(&format!("{agents} agents"));
        table.row(one(study, agents)?);
    }
    study.table(table)?;
    study.remark(
        "neighbours is sorting by place and looking for neighbours and walls; everything else is \
         orders, tiers, routes and arrivals",
    );
    Ok(())
}

fn one(study: &Study, agents: u64) -> Result<Vec<serde_json::Value>, Failure> {
    let mut simulation = study.simulation(&format!(
        r#"
        name = "square"
        dt = 0.1
        duration = 1000.0
        [environment]
        generate = "square"
        agents = {agents}
        density = 0.5
        [nav]
        kind = "grid"
        cell = 8.0
        [planner]
        kind = "direct"
        [avoidance]
        kind = "orca"
        reach = 5.0
        most = 10
        time_horizon = 3.0
        [profile.walker]
        radius = 0.25
        speed = 1.4
        max_speed = 1.4
        [[source]]
        area = "everything"
        count = {agents}
        goals = "random"
        at_goal = "again"
        profile = "walker"
        "#
    ))?;
    let warm_up = 20;
    for _ in 0..warm_up {
        simulation.step()?;
    }
    let before = simulation.metrics().stages.millis();
    let steps = study.size(2_000_000 / agents.max(10_000), 40).max(20);
    let began = Instant::now();
    for _ in 0..steps {
        simulation.step()?;
    }
    let ms = began.elapsed().as_secs_f64() * 1e3 / steps as f64;
    let now = simulation.metrics().stages.millis();
    let per_agent = |ms: f64| ms * 1e6 / agents as f64;
    let stage = |name: &str| {
        let spent = |all: &[(&str, f64)]| all.iter().find(|s| s.0 == name).map_or(0.0, |s| s.1);
        per_agent((spent(&now) - spent(&before)) / steps as f64)
    };
    let shares = STAGES.map(stage);
    let others = per_agent(ms) - shares.iter().sum::<f64>();
    let bytes = simulation.bytes() as f64 / agents as f64;
    let mut row = vec![
        json!(agents),
        json!(ms),
        json!(1e3 / ms),
        json!(per_agent(ms)),
        json!(bytes),
    ];
    row.extend(shares.map(|ns| json!(ns)));
    row.push(json!(others));
    Ok(row)
}
