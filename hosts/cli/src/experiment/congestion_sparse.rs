//! A sparse group in the way: direction maps detour round it, congestion maps do not.

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    walks::{Shot, Walk, Walks, mean},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "congestion-sparse",
    about: "A few people cross a hall against a sparse stream that stops half way through: how \
            far off the straight line they walk while it lasts and after, under congestion and \
            direction-map.",
    source: "Pentheny 2015, 17.7: without density direction maps path round sparse groups, and \
             react slowly to change (no figures given)",
    run,
};

/// When the sparse stream stops, seconds.
const STOPS: f64 = 150.0;

/// Metres off the middle of the hall.
fn off_line(walk: &Walk) -> Option<f64> {
    walk.mean_y().map(|y| (y - 15.0).abs())
}

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "sparse",
        "Off the middle line, half way across a hall 30 m wide",
        [
            Column::new("cost", ""),
            Column::new("off the line, while the stream lasts", "m"),
            Column::new("off the line, once it has gone", "m"),
            Column::new("walked over straight, while", ""),
            Column::new("walked over straight, once", ""),
            Column::new("switches", "1/agent and min"),
        ],
    );
    let seconds = study.size(400.0, 280.0);
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
            duration = 500.0
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
            rate = 0.1
            start = 60.0
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
        let title = format!("Against a sparse stream, cost {cost}");
        let sources = &["across the hall", "the sparse stream"];
        let mut shot = Shot::new(&simulation, STOPS, &title, sources);
        study.walk(&mut simulation, seconds, |simulation| {
            walks.watch(simulation, |at| (at.x > 25.0 && at.x < 35.0).then_some(0));
            shot.watch(simulation);
        })?;
        shot.give(study, &simulation, &format!("sparse-{cost}"))?;
        // The last of the stream has walked off after another minute.
        let while_it_lasts = || {
            let ended = walks.of(0).filter(|w| walks.has_ended(w));
            ended.filter(|w| w.until < STOPS + 10.0)
        };
        let once_gone = || {
            let ended = walks.of(0).filter(|w| walks.has_ended(w));
            ended.filter(|w| w.began > STOPS + 55.0)
        };
        let straight = |w: &&Walk| w.walked / w.from.distance(w.last).max(1.0);
        let switches: f64 = walks.all().map(|w| f64::from(w.switches)).sum();
        table.row([
            json!(cost),
            json!(mean(while_it_lasts().filter_map(off_line))),
            json!(mean(once_gone().filter_map(off_line))),
            json!(mean(while_it_lasts().map(|w| straight(&w)))),
            json!(mean(once_gone().map(|w| straight(&w)))),
            json!(switches / walks.minutes().max(1e-9)),
        ]);
    }
    study.table(table)?;
    study.remark(
        "the stream is 0.3 persons a second: one every 4 m of its lane. What direction maps have \
         learned stays when it has gone",
    );
    Ok(())
}
