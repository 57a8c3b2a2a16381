//! A sparse group in the way: direction maps detour round it, congestion maps do not.

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    walks::{Walks, mean},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "congestion-sparse",
    about: "People cross a hall against a sparse stream that stops half way through: how far they \
            turn aside while it lasts and after, under congestion and direction-map.",
    source: "Pentheny 2015, 17.7: without density direction maps path round sparse groups, and \
             react slowly to change (no figures given)",
    run,
};

/// When the sparse stream stops, seconds.
const STOPS: f64 = 90.0;

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "sparse",
        "Aside from the straight line across a hall 30 m wide",
        [
            Column::new("cost", ""),
            Column::new("aside, while the stream lasts", "m"),
            Column::new("aside, once it has gone", "m"),
            Column::new("walked over straight, while", ""),
            Column::new("walked over straight, once", ""),
            Column::new("switches", "1/agent and min"),
        ],
    );
    let seconds = study.size(240.0, 200.0);
    for (cost, weight) in [
        ("distance", 1.0),
        ("density", 1.0),
        ("congestion", 4.0),
        ("direction-map", 1.0),
    ] {
        study.progress(cost);
        let mut simulation = study.simulation(&format!(
            r#"
            name = "sparse"
            seed = 5
            dt = 0.1
            duration = 400.0
            [environment]
            generate = "corridor"
            length = 60.0
            width = 30.0
            [nav]
            kind = "grid"
            cell = 0.5
            [planner]
            kind = "astar"
            smoothing = "cost-aware"
            [replan]
            every = 2.0
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
            name = "west"
            shape = [[0, 13], [3, 13], [3, 17], [0, 17]]
            [[area]]
            name = "east"
            shape = [[57, 13], [60, 13], [60, 17], [57, 17]]
            [[source]]
            area = "west"
            rate = 0.3
            goals = ["east"]
            profile = "walker"
            [[source]]
            area = "east"
            rate = 0.3
            stop = {STOPS}
            goals = ["west"]
            profile = "walker"
            "#
        ))?;
        let mut walks = Walks::default();
        study.walk(&mut simulation, seconds, |simulation| {
            walks.watch(simulation, |_| None);
        })?;
        // The last of the stream has walked off after another minute.
        let while_it_lasts = || {
            let ended = walks.of(0).filter(|w| walks.has_ended(w));
            ended.filter(|w| w.began > 20.0 && w.until < STOPS + 10.0)
        };
        let once_gone = || {
            let ended = walks.of(0).filter(|w| walks.has_ended(w));
            ended.filter(|w| w.began > STOPS + 55.0)
        };
        let straight = |w: &&super::walks::Walk| w.walked / w.from.distance(w.last).max(1.0);
        let switches: f64 = walks.all().map(|w| f64::from(w.switches)).sum();
        table.row([
            json!(cost),
            json!(mean(while_it_lasts().map(|w| w.aside))),
            json!(mean(once_gone().map(|w| w.aside))),
            json!(mean(while_it_lasts().map(|w| straight(&w)))),
            json!(mean(once_gone().map(|w| straight(&w)))),
            json!(switches / walks.minutes().max(1e-9)),
        ]);
    }
    study.table(table)?;
    study.remark("0.3 persons a second each way: about 0.008 persons per square metre of the hall");
    Ok(())
}
