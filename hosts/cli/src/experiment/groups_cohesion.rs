//! How well groups keep together, with the group layer and without.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Column, Experiment, Grid, Study, trial::models};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "groups-cohesion",
    about: "Share of the time that members are within 2 m of their leader, with the group layer \
            and without, for pairs, groups of 3 to 4 and a mixture, under every avoidance model.",
    source: "Yersin et al. 2008, section 5 and the scenarios of section 6 (alone, small, large, \
             mix); the paper gives no figures",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "cohesion",
        "People to and fro over a square of 40 m, 120 of them",
        [
            Column::new("groups", ""),
            Column::new("avoidance", ""),
            Column::new("within 2 m, with the layer", "%"),
            Column::new("within 2 m, without", "%"),
            Column::new("mean speed, with", "m/s"),
            Column::new("mean speed, without", "m/s"),
        ],
    );
    let all = [
        ("alone", "[1]"),
        ("2", "[0, 1]"),
        ("3 to 4", "[0, 0, 1, 1]"),
        ("mixed 1 to 4", "[1, 1, 1, 1]"),
    ];
    for (name, sizes) in all {
        for model in models() {
            study.progress(&format!("{name}, {model}"));
            let (with, speed_with) = cohesion(study, sizes, &model, "leader-follower")?;
            let (without, speed_without) = cohesion(study, sizes, &model, "none")?;
            table.row([
                json!(name),
                json!(model),
                with,
                without,
                json!(speed_with),
                json!(speed_without),
            ]);
        }
    }
    study.table(table)
}

fn cohesion(study: &Study, sizes: &str, model: &str, group: &str) -> Result<(Value, f64), Failure> {
    let mut simulation = study.simulation(&format!(
        r#"
        name = "groups"
        seed = 8
        dt = 0.1
        [environment]
        generate = "square"
        side = 40.0
        [nav]
        kind = "nav-graph"
        [avoidance]
        kind = "{model}"
        [group]
        kind = "{group}"
        [[area]]
        name = "west"
        shape = [[1, 2], [8, 2], [8, 38], [1, 38]]
        [[area]]
        name = "east"
        shape = [[32, 2], [39, 2], [39, 38], [32, 38]]
        [[source]]
        area = "west"
        count = 60
        goals = ["east", "west"]
        choose = "order"
        at_goal = "again"
        groups = {{ sizes = {sizes} }}
        [[source]]
        area = "east"
        count = 60
        goals = ["west", "east"]
        choose = "order"
        at_goal = "again"
        groups = {{ sizes = {sizes} }}
        "#
    ))?;
    let (mut near, mut all) = (0u64, 0u64);
    let seconds = study.size(120.0, 20.0);
    study.walk(&mut simulation, seconds, |simulation| {
        if simulation.steps() % 5 != 0 {
            return;
        }
        let agents = simulation.agents();
        // The leader has the least id of its group.
        let mut leaders: BTreeMap<u32, usize> = BTreeMap::new();
        for row in 0..agents.len() {
            let group = agents.group[row];
            if group != throng::core::NONE {
                let leader = leaders.entry(group).or_insert(row);
                if agents.id[row] < agents.id[*leader] {
                    *leader = row;
                }
            }
        }
        for row in 0..agents.len() {
            if let Some(&leader) = leaders.get(&agents.group[row])
                && leader != row
            {
                let (a, b) = (agents.location[row].point, agents.location[leader].point);
                all += 1;
                near += u64::from(a.distance(b) < 2.0);
            }
        }
    })?;
    let share = match all {
        0 => Value::Null,
        all => json!(100.0 * near as f64 / all as f64),
    };
    Ok((share, simulation.metrics().mean_speed()))
}
