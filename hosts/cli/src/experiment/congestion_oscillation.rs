//! Route switches with and without hysteresis.

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    walks::{Shot, Walks, mean, share, two_openings, two_openings_scenario},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "congestion-oscillation",
    about: "Route switches per agent and minute at two openings, without hysteresis and with it, \
            its thresholds and times fixed or drawn per agent.",
    source: "Pentheny 2015, 17.11: hysteresis prevents agents from oscillating between paths (no \
             figures given)",
    run,
};

const POLICIES: [(&str, &str); 4] = [
    ("none", ""),
    (
        "threshold 0.5, hold 3 s, clear 6 s",
        "hysteresis = { threshold = 0.5, hold = 3.0, clear = 6.0 }",
    ),
    (
        "threshold 1, hold 5 s, clear 10 s",
        "hysteresis = { threshold = 1.0, hold = 5.0, clear = 10.0 }",
    ),
    (
        "drawn per agent",
        "hysteresis = { threshold = { uniform = [0.3, 1.5] }, hold = { uniform = [1.0, 8.0] }, clear = { uniform = [4.0, 14.0] } }",
    ),
];

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "oscillation",
        "Two openings, cost congestion at w = 4, plans looked at every second",
        [
            Column::new("hysteresis", ""),
            Column::new("switches", "1/agent and min"),
            Column::new("upper opening", "%"),
            Column::new("travel time", "s"),
        ],
    );
    let crowd = study.size(140, 100);
    for (name, policy) in POLICIES {
        study.progress(name);
        let rest = format!(
            "[replan]\nevery = 1.0\n{policy}\n[cost]\nkind = \"congestion\"\nweight = 4.0\n\
             cell = 2.0\nevery = 1.0"
        );
        let mut simulation = study.simulation(&two_openings_scenario(crowd, 20, &rest))?;
        let mut walks = Walks::default();
        let title = format!("Two openings, hysteresis: {name}");
        let mut shot = Shot::new(&simulation, 45.0, &title, &["crowd A", "people B"]);
        study.walk(&mut simulation, study.size(300.0, 150.0), |simulation| {
            walks.watch(simulation, two_openings);
            shot.watch(simulation);
        })?;
        shot.give(study, &simulation, &format!("hysteresis-{name}"))?;
        let switches: f64 = walks.all().map(|w| f64::from(w.switches)).sum();
        let ended = walks.all().filter(|w| walks.has_ended(w));
        table.row([
            json!(name),
            json!(switches / walks.minutes().max(1e-9)),
            json!(share(walks.all(), 1).map(|s| 100.0 * s)),
            json!(mean(ended.map(|w| w.until - w.began))),
        ]);
    }
    study.table(table)
}
