//! Route choice against the size of the congestion map's cells.

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    walks::{Shot, Walks, mean, share, two_openings, two_openings_scenario},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "congestion-coarseness",
    about: "The two openings with congestion maps of 0.5 to 16 m cells: shares, travel times and \
            the time that prices take.",
    source: "Pentheny 2015, 17.10: a map much coarser than the world keeps most of its effect, \
             while individuals avoid what need not be avoided (no figures given)",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "coarseness",
        "Two openings, cost congestion at w = 4",
        [
            Column::new("cell", "m"),
            Column::new("A upper", "%"),
            Column::new("B upper", "%"),
            Column::new("A travel time", "s"),
            Column::new("B travel time", "s"),
            Column::new("walked", "m"),
            Column::new("crowd and prices", "ms/step"),
        ],
    );
    let crowd = study.size(140, 100);
    for cell in [0.5, 1.0, 2.0, 4.0, 8.0, 16.0] {
        study.progress(&format!("cells of {cell} m"));
        let rest = format!(
            "[replan]\nevery = 2.0\n[cost]\nkind = \"congestion\"\nweight = 4.0\ncell = {cell:?}\n\
             every = 1.0"
        );
        let mut simulation = study.simulation(&two_openings_scenario(crowd, 8, &rest))?;
        let mut walks = Walks::default();
        let title = format!("Two openings, congestion map of {cell} m cells");
        let mut shot = Shot::new(&simulation, 30.0, &title, &["crowd A", "people B"]);
        study.walk(&mut simulation, study.size(300.0, 150.0), |simulation| {
            walks.watch(simulation, two_openings);
            shot.watch(simulation);
        })?;
        shot.give(study, &simulation, &format!("cells-of-{cell}-m"))?;
        let time = |source| {
            let ended = walks.of(source).filter(|w| walks.has_ended(w));
            json!(mean(ended.map(|w| w.until - w.began)))
        };
        let stages = simulation.metrics().stages.millis();
        let spent: f64 = stages.iter().filter(|s| s.0 == "crowd").map(|s| s.1).sum();
        table.row([
            json!(cell),
            json!(share(walks.of(0), 1).map(|s| 100.0 * s)),
            json!(share(walks.of(1), 1).map(|s| 100.0 * s)),
            time(0),
            time(1),
            json!(mean(walks.all().map(|w| w.walked))),
            json!(spent / simulation.steps().max(1) as f64),
        ]);
    }
    study.table(table)?;
    study.remark(
        "cells of 2 to 4 m do best; cells smaller than the space of a few people see single bodies, \
         and cells of 8 m and more thin the queue out over free floor until nobody shuns it",
    );
    Ok(())
}
