//! Which stairs a crowd takes: Figure 1 of the paper.

use serde_json::json;
use throng::Simulation;

use super::{
    Column, Experiment, Grid, Study,
    density::{PAPER, Walk, picture, tracks},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "density-stairs",
    about: "1,000 people from one corner of Layers to the far corner two floors up: which of the \
            five stairs they take with and without densities (Figure 1).",
    source: PAPER,
    run,
};

/// Name, middle along x, lower floor of the stairs of scene `layers`.
const STAIRS: [(&str, f64, u16); 5] = [
    ("stair-1", 37.5, 0),
    ("stair-2", 87.5, 0),
    ("stair-3", 12.5, 0),
    ("stair-4", 62.5, 1),
    ("stair-5", 37.5, 1),
];

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "stairs",
        "Share of the walkers on each stair of a storey",
        [
            Column::new("setting", ""),
            Column::new("arrived", ""),
            Column::new("last arrival", "s"),
            Column::new("mean travel time", "s"),
        ]
        .into_iter()
        .chain(STAIRS.map(|stair| Column::new(stair.0, "%"))),
    );
    let people = study.size(1_000, 300);
    for (file, name, weight, replan) in [
        ("w0", "w = 0", 0.0, None),
        ("w1", "w = 1, replanning", 1.0, Some(5.0)),
        ("w5", "w = 5, replanning", 5.0, Some(5.0)),
    ] {
        study.progress(name);
        let walk = Walk {
            scene: "layers",
            weight,
            replan,
            ..Walk::default()
        };
        let text = format!(
            "{}[[source]]\narea = \"start\"\nrate = 5.0\ncount = {people}\ngoals = [\"goal\"]\n\
             profile = \"walker\"\noverlap = true\n",
            walk.scenario()
        );
        let mut simulation = study.simulation(&text)?;
        let mut seen = tracks(&simulation);
        let mut passed = [0_u64; STAIRS.len()];
        let mut drawn = false;
        let drawn_at = people as f64 / 5.0;
        while simulation.time() < 2_000.0 && !simulation.is_over() {
            simulation.step()?;
            seen.observe(&simulation);
            count_stairs(&simulation, &mut passed);
            if !drawn && simulation.time() >= drawn_at {
                drawn = true;
                let title = format!("Layers, {name}");
                picture(study, file, &title, &simulation, &seen)?;
            }
        }
        let times = &simulation.metrics().travel_times;
        let mean = times.iter().map(|t| f64::from(*t)).sum::<f64>() / times.len().max(1) as f64;
        let mut row = vec![
            json!(name),
            json!(simulation.metrics().arrived),
            json!(simulation.time()),
            json!(mean),
        ];
        for (s, stair) in STAIRS.iter().enumerate() {
            let storey: u64 = (0..STAIRS.len())
                .filter(|&other| STAIRS[other].2 == stair.2)
                .map(|other| passed[other])
                .sum();
            row.push(json!(100.0 * passed[s] as f64 / storey.max(1) as f64));
        }
        table.row(row);
    }
    study.table(table)?;
    study.remark(
        "stairs 1 to 3 lead from the lowest floor up, stairs 4 and 5 from there to the highest; \
         stair 1 lies on the straight way. Five people a second set off: more than a stair of 4 m takes \
         under the linear law. Pictures are of the moment when the last sets off",
    );
    Ok(())
}

/// Counts who passed the middle of a stair in the last step.
fn count_stairs(simulation: &Simulation, passed: &mut [u64]) {
    let (agents, ground) = (simulation.agents(), simulation.ground());
    for row in 0..agents.len() {
        let (from, to) = (agents.before[row], agents.location[row]);
        let floor = ground.floors[to.triangle as usize];
        // Stairs are floors of their own, after the three that people live on; they lie along x.
        let Some(stair) = usize::from(floor).checked_sub(3) else {
            continue;
        };
        if let (Some(count), Some((_, middle, _))) = (passed.get_mut(stair), STAIRS.get(stair)) {
            let beyond =
                |p: throng::core::Location| f64::from(p.point.x) + ground.origin.x >= *middle;
            *count += u64::from(beyond(from) != beyond(to));
        }
    }
}
