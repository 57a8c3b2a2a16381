//! A column that walks together must not avoid itself.

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    walks::{Shot, Walks, mean},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "congestion-together",
    about: "A column of people at one velocity down a wide hall: how far they turn aside under \
            the costs distance, density and congestion.",
    source: "Pentheny 2015, 17.4: crowd density alone would make agents that move together avoid \
             each other; congestion maps do not (no figures given)",
    run,
};

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "together",
        "A column of 60 down a hall 30 m wide",
        [
            Column::new("cost", ""),
            Column::new("aside, mean", "m"),
            Column::new("aside, most", "m"),
            Column::new("walked over straight", ""),
            Column::new("travel time", "s"),
            Column::new("switches", "1/agent"),
        ],
    );
    for (cost, weight) in [
        ("distance", 1.0),
        ("density", 1.0),
        ("density", 4.0),
        ("congestion", 1.0),
        ("congestion", 4.0),
    ] {
        study.progress(&format!("{cost}, w = {weight}"));
        let mut simulation = study.simulation(&format!(
            r#"
            name = "together"
            seed = 3
            dt = 0.1
            duration = 300.0
            [environment]
            generate = "corridor"
            length = 80.0
            width = 30.0
            [nav]
            kind = "grid"
            cell = 0.5
            [planner]
            kind = "astar"
            smoothing = "cost-aware"
            [replan]
            every = 1.0
            [cost]
            kind = "{cost}"
            weight = {weight}
            cell = 2.0
            every = 1.0
            [avoidance]
            kind = "orca"
            [profile.walker]
            radius = 0.24
            speed = 1.3
            [[area]]
            name = "there"
            shape = [[74, 12], [80, 12], [80, 18], [74, 18]]
            [[source]]
            area = [[1, 13], [14, 13], [14, 17], [1, 17]]
            count = 60
            goals = ["there"]
            profile = "walker"
            "#
        ))?;
        let mut walks = Walks::default();
        let title = format!("A column that walks together, cost {cost}, w = {weight}");
        let mut shot = Shot::new(&simulation, 50.0, &title, &["the column"]);
        study.walk(&mut simulation, 150.0, |simulation| {
            walks.watch(simulation, |_| None);
            shot.watch(simulation);
        })?;
        shot.give(study, &simulation, &format!("together-{cost}-{weight}"))?;
        let ended = || walks.all().filter(|w| walks.has_ended(w));
        table.row([
            json!(format!("{cost}, w = {weight}")),
            json!(mean(ended().map(|w| w.aside))),
            json!(ended().map(|w| w.aside).fold(0.0, f64::max)),
            json!(mean(
                ended().map(|w| w.walked / w.from.distance(w.last).max(1.0))
            )),
            json!(mean(ended().map(|w| w.until - w.began))),
            json!(mean(walks.all().map(|w| f64::from(w.switches)))),
        ]);
    }
    study.table(table)?;
    study.remark("aside is the largest distance across the hall from where one began");
    Ok(())
}
