//! Speed and arrival frequency by geodesic algorithm on the Olympic rings.

use serde_json::{Value, json};

use super::{
    Column, Experiment, Grid, Study,
    surfaces::{Crowd, run as walk},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "surface-planners",
    about: "Frames per second, seconds of the first plan and arrival frequency of 1,000 people on \
            the Olympic rings, by the algorithm that finds their paths.",
    source: "Ricks, Egbert 2014, figure 12: weighted A* runs three times as fast as the iterative \
             algorithm, arrivals are the same",
    run,
};

/// Algorithms, and whether the paper has them.
const ALGORITHMS: [(&str, bool); 5] = [
    ("weighted-astar", true),
    ("astar", true),
    ("dijkstra", true),
    ("iterative", true),
    ("exact", false),
];

fn run(study: &mut Study) -> Result<(), Failure> {
    let seconds = study.size(60.0, 5.0);
    let agents = study.size(1000, 100);
    let mut table = Grid::new(
        "planners",
        "On the Olympic rings (109k triangles), ORCA, one thread",
        [
            Column::new("algorithm", ""),
            Column::new("people", ""),
            Column::new("frames", "1/s"),
            Column::new("frames and plans", "1/s"),
            Column::new("first plan", "s"),
            Column::new("arrival frequency", "1e-5"),
            Column::new("stalled", "%"),
            Column::new("in the paper", ""),
        ],
    );
    for (algorithm, known) in ALGORITHMS {
        // Exact paths on 109k triangles take a second each.
        let agents = if algorithm == "exact" {
            agents / 50
        } else {
            agents
        };
        study.progress(algorithm);
        let crowd = Crowd {
            environment: "generate = \"rings\"",
            planner: format!("algorithm = \"{algorithm}\""),
            avoidance: "kind = \"orca\"",
            agents,
        };
        let (_, out) = walk(&crowd, seconds)?;
        let steps = seconds * 10.0;
        let all = steps / (steps / out.fps + out.first_plan);
        table.row([
            json!(algorithm),
            json!(agents),
            json!(out.fps),
            json!(all),
            json!(out.first_plan),
            json!(out.frequency),
            json!(out.stalled * 100.0),
            if known { json!("yes") } else { Value::Null },
        ]);
    }
    study.table(table)?;
    study.remark(
        "arrival frequency = arrivals / (frames x agents) x 100,000; people are sent to a new \
         random place at each arrival; the iterative algorithm is seeded by weighted A*",
    );
    Ok(())
}
