//! Frames per second in a building of 15 storeys as the improvements of paths are switched on.

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    surface_stalling::{SETTINGS, options},
    surfaces::{BUILDING, Crowd, median, run as walk},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "surface-improvements",
    about: "Frames per second of 1,000 people in a building of 15 storeys, with four cumulative \
            settings of the path improvements, several trials each.",
    source: "Ricks, Egbert 2014, figure 13: all improvements together run fastest, because who \
             flows by has fewer neighbours than who stands in a jam",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let seconds = study.size(80.0, 15.0);
    let trials = study.size(5, 2);
    let mut table = Grid::new(
        "improvements",
        "Frames per second, social forces, one thread",
        [
            Column::new("improvements", ""),
            Column::new("frames, median of the trials", "1/s"),
            Column::new("least", "1/s"),
            Column::new("most", "1/s"),
            Column::new("stalled", "%"),
            Column::new("arrivals", ""),
        ],
    );
    // Interleaved, so that what disturbs the machine disturbs all.
    let mut frames = vec![Vec::new(); SETTINGS.len()];
    let mut last = vec![(0.0, 0); SETTINGS.len()];
    for trial in 0..trials {
        for (i, (name, setting, _)) in SETTINGS.iter().enumerate() {
            study.progress(&format!("trial {}, {name}", trial + 1));
            let crowd = Crowd {
                environment: BUILDING,
                planner: options(*setting),
                avoidance: "kind = \"social-force\"",
                agents: 1000,
            };
            let (_, out) = walk(&crowd, seconds)?;
            frames[i].push(out.fps);
            last[i] = (out.stalled, out.arrivals);
        }
    }
    for (i, (name, ..)) in SETTINGS.iter().enumerate() {
        let least = frames[i].iter().copied().fold(f64::INFINITY, f64::min);
        let most = frames[i].iter().copied().fold(0.0, f64::max);
        table.row([
            json!(name),
            json!(median(&frames[i])),
            json!(least),
            json!(most),
            json!(last[i].0 * 100.0),
            json!(last[i].1),
        ]);
    }
    study.table(table)
}
