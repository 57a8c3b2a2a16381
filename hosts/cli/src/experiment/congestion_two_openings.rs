//! Figure 17.1: a crowd at the lower of two openings, and people behind it.

use serde_json::{Value, json};

use super::{
    Column, Experiment, Grid, Study,
    walks::{Shot, Walks, mean, share, two_openings, two_openings_scenario},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "congestion-two-openings",
    about: "A crowd A at the lower of two openings and people B behind it: shares per opening and \
            travel times under the costs distance, density, congestion and direction-map.",
    source: "Pentheny 2015, Figure 17.1: with plain costs B queues, with density everybody \
             over-corrects, with congestion maps B takes the upper opening (no figures given)",
    run,
};

const COSTS: [(&str, &str); 5] = [
    ("distance", ""),
    ("density", "weight = 1.0"),
    ("congestion", "weight = 4.0"),
    (
        "congestion, difference",
        "weight = 4.0\nform = \"difference\"",
    ),
    ("direction-map", "weight = 1.0"),
];

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "openings",
        "Who goes where, and how long it takes",
        [
            Column::new("cost", ""),
            Column::new("A lower", "%"),
            Column::new("A upper", "%"),
            Column::new("B lower", "%"),
            Column::new("B upper", "%"),
            Column::new("A travel time", "s"),
            Column::new("B travel time", "s"),
            Column::new("all gone after", "s"),
            Column::new("switches", "1/agent"),
        ],
    );
    let crowd = study.size(140, 100);
    for (name, options) in COSTS {
        study.progress(name);
        let kind = name.split(',').next().unwrap_or(name);
        let rest = format!(
            "[replan]\nevery = 2.0\n[cost]\nkind = \"{kind}\"\ncell = 2.0\nevery = 1.0\n{options}"
        );
        let mut simulation = study.simulation(&two_openings_scenario(crowd, 8, &rest))?;
        let mut walks = Walks::default();
        let title = format!("Two openings, cost {name}");
        let mut shot = Shot::new(&simulation, 30.0, &title, &["crowd A", "people B"]);
        study.walk(&mut simulation, study.size(300.0, 150.0), |simulation| {
            walks.watch(simulation, two_openings);
            shot.watch(simulation);
        })?;
        shot.give(study, &simulation, &format!("openings-{name}"))?;
        let percent = |source, opening| {
            share(walks.of(source), opening).map_or(Value::Null, |s| json!(100.0 * s))
        };
        let time = |source| {
            let ended = walks.of(source).filter(|w| walks.has_ended(w));
            mean(ended.map(|w| w.until - w.began)).map_or(Value::Null, |t| json!(t))
        };
        let over = simulation.is_over();
        table.row([
            json!(name),
            percent(0, 0),
            percent(0, 1),
            percent(1, 0),
            percent(1, 1),
            time(0),
            time(1),
            if over {
                json!(simulation.time())
            } else {
                Value::Null
            },
            json!(mean(walks.all().map(|w| f64::from(w.switches)))),
        ]);
    }
    study.table(table)?;
    study.remark(
        "a queue that stands has a mean velocity near 0, so under congestion its penalty is its \
         density: part of A leaves for the upper opening as well",
    );
    Ok(())
}
