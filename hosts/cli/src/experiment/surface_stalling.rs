//! Stalling in a building of 15 storeys as the improvements of paths are switched on.

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    surfaces::{BUILDING, Crowd, run as walk},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "surface-stalling",
    about: "Share of 1,000 people in a building of 15 storeys who have stalled, over 80 s, with \
            four cumulative settings of the path improvements.",
    source: "Ricks, Egbert 2014, figure 11: about 10 % without, 5 % with line of sight, 0.5 % \
             with away from edges too, practically 0 with all",
    run,
};

/// The settings, cumulative, with what the paper has for them in percent.
pub(super) const SETTINGS: [(&str, [bool; 3], f64); 4] = [
    ("none", [false, false, false], 10.0),
    ("line of sight", [true, false, false], 5.0),
    ("and away from edges", [true, true, false], 0.5),
    ("and corridors (all)", [true, true, true], 0.0),
];

/// The planner's options of a setting.
pub(super) fn options([sight, away, corridors]: [bool; 3]) -> String {
    format!("line_of_sight = {sight}\naway_from_edges = {away}\ncorridors = {corridors}")
}

fn run(study: &mut Study) -> Result<(), Failure> {
    let seconds = study.size(80.0, 20.0);
    let mut table = Grid::new(
        "stalling",
        "Stalled: moved less than a shoulder's width in 5 s",
        [
            Column::new("model", ""),
            Column::new("improvements", ""),
            Column::new("stalled, mean", "%"),
            Column::new("at the end", "%"),
            Column::new("the paper's, at the end", "%"),
            Column::new("arrivals", ""),
            Column::new("frames", "1/s"),
        ],
    );
    let mut curves = Grid::new(
        "over-time",
        "Stalled over time, social forces [%]",
        [
            Column::new("time", "s"),
            Column::new("none", "%"),
            Column::new("line of sight", "%"),
            Column::new("and away from edges", "%"),
            Column::new("all", "%"),
        ],
    );
    let mut over_time: Vec<Vec<f64>> = Vec::new();
    for (model, avoidance) in [
        ("social-force", "kind = \"social-force\""),
        ("orca", "kind = \"orca\""),
    ] {
        for (name, setting, theirs) in SETTINGS {
            study.progress(&format!("{model}, {name}"));
            let crowd = Crowd {
                environment: BUILDING,
                planner: options(setting),
                avoidance,
                agents: 1000,
            };
            let (_, out) = walk(&crowd, seconds)?;
            table.row([
                json!(model),
                json!(name),
                json!(out.stalled * 100.0),
                json!(out.stalled_over_time.last().map(|s| s * 100.0)),
                json!(theirs),
                json!(out.arrivals),
                json!(out.fps),
            ]);
            if model == "social-force" {
                over_time.push(out.stalled_over_time);
            }
        }
    }
    for i in 0..over_time.iter().map(Vec::len).min().unwrap_or(0) {
        let values = over_time.iter().map(|s| json!(s[i] * 100.0));
        curves.row([json!(6 + i)].into_iter().chain(values));
    }
    study.table(table)?;
    study.table(curves)?;
    study.remark(
        "unlike in the paper, line of sight alone makes social forces stall more: edges of our map are \
         at most 4 m long, so paths without it also turn in the open (half of their turns lie at \
         walls); with it nearly all of the turns that are left are corners of the stairs, and all walk \
         to these",
    );
    Ok(())
}
