//! How prices spread a crowd over the ways there are: Table III, Figures 2 and 7 of the paper.

use serde_json::{Value, json};
use throng::Simulation;

use super::{
    Column, Experiment, Grid, Study,
    density::{PAPER, Walk, picture, tracks},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "density-variety",
    about: "Path length, speed and routes of a stream through Blocks by weight and replanning, \
            and one walker facing a standing crowd: Table III, Figures 2 and 7.",
    source: PAPER,
    run,
};

/// A setting of Table III.
struct Setting {
    file: &'static str,
    name: &'static str,
    weight: f64,
    replan: Option<f64>,
    paper_path: f64,
    paper_speed: f64,
}

const SETTINGS: [Setting; 4] = [
    Setting {
        file: "w0",
        name: "w = 0",
        weight: 0.0,
        replan: None,
        paper_path: 106.87,
        paper_speed: 0.67,
    },
    Setting {
        file: "w1",
        name: "w = 1",
        weight: 1.0,
        replan: None,
        paper_path: 115.90,
        paper_speed: 0.91,
    },
    Setting {
        file: "w1-replanning",
        name: "w = 1, replanning",
        weight: 1.0,
        replan: Some(10.0),
        paper_path: 114.85,
        paper_speed: 0.96,
    },
    Setting {
        file: "w5-replanning",
        name: "w = 5, replanning",
        weight: 5.0,
        replan: Some(10.0),
        paper_path: 132.96,
        paper_speed: 1.01,
    },
];

/// Passages of Blocks: row (the height at which it is counted), left and right end.
const PASSAGES: [(&str, f64, f64, f64); 9] = [
    ("south, left", 23.0, 26.0, 34.0),
    ("south, middle", 23.0, 44.0, 56.0),
    ("south, right", 23.0, 66.0, 74.0),
    ("centre, far left", 50.0, 4.0, 12.0),
    ("centre, middle", 50.0, 44.0, 56.0),
    ("centre, far right", 50.0, 88.0, 96.0),
    ("north, left", 77.0, 26.0, 34.0),
    ("north, middle", 77.0, 44.0, 56.0),
    ("north, right", 77.0, 66.0, 74.0),
];

fn run(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "variety",
        "Table III: a stream through Blocks, two a step from random places at the bottom to \
         random places at the top",
        [
            Column::new("setting", ""),
            Column::new("arrived", ""),
            Column::new("still walking", ""),
            Column::new("mean path", "m"),
            Column::new("paper: path", "m"),
            Column::new("mean speed", "m/s"),
            Column::new("paper: speed", "m/s"),
            Column::new("speed of all walking", "m/s"),
        ],
    );
    let mut counts = Vec::new();
    for setting in &SETTINGS {
        study.progress(setting.name);
        let walk = Walk {
            weight: setting.weight,
            replan: setting.replan,
            ..Walk::default()
        };
        let text = format!(
            "{}[[source]]\narea = \"bottom\"\nrate = 20.0\ngoals = [\"top\"]\n\
             profile = \"walker\"\noverlap = true\n",
            walk.scenario()
        );
        let mut simulation = study.simulation(&text)?;
        let mut seen = tracks(&simulation);
        let mut passed = [0_u64; PASSAGES.len()];
        study.walk(&mut simulation, study.size(500.0, 150.0), |simulation| {
            seen.observe(simulation);
            count_passages(simulation, &mut passed);
        })?;
        let metrics = simulation.metrics();
        let walked: f64 = metrics.path_lengths.iter().map(|v| f64::from(*v)).sum();
        let taken: f64 = metrics.travel_times.iter().map(|v| f64::from(*v)).sum();
        let arrived = metrics.path_lengths.len();
        table.row([
            json!(setting.name),
            json!(arrived),
            json!(simulation.agents().len()),
            json!(walked / arrived.max(1) as f64),
            json!(setting.paper_path),
            json!(walked / taken.max(1e-9)),
            json!(setting.paper_speed),
            json!(metrics.speed_sum / metrics.speed_samples.max(1) as f64),
        ]);
        picture(
            study,
            setting.file,
            &format!("Blocks, {}", setting.name),
            &simulation,
            &seen,
        )?;
        counts.push(passed);
    }
    study.table(table)?;
    study.table(shares(&counts))?;
    study.remark(
        "paths and speeds are of those who arrived; our Blocks has the paper's size and number of \
         vertices but its own ways, so absolute figures differ: what should agree is the order. \
         The starts and goals are spread over 80 m, hence paths of 100 m and more. Without \
         densities the middle (12 m) jams under twenty a second, as in the paper. Without \
         replanning those who set off before a jam was there to see stay in it, and most who set \
         off later go round by the far sides: paths are longest there. With replanning no jam \
         forms; our ways beside the middle are wide and hardly longer, so that speeds are higher \
         than the paper's and detours smaller, and paths grow from w = 1 to w = 5 as they should. \
         The speed of all walking counts those in the jam, the mean speed only those who got out \
         of it",
    );
    one_walker(study)
}

/// Counts who crossed which passage in the last step, northwards.
fn count_passages(simulation: &Simulation, passed: &mut [u64]) {
    let agents = simulation.agents();
    let origin = simulation.ground().origin;
    for row in 0..agents.len() {
        let y = |place: &throng::core::Location| f64::from(place.point.y) + origin.y;
        let (from, to) = (y(&agents.before[row]), y(&agents.location[row]));
        for (count, (_, height, left, right)) in passed.iter_mut().zip(PASSAGES) {
            if from < height && to >= height {
                let x = f64::from(agents.location[row].point.x) + origin.x;
                *count += u64::from(x >= left && x <= right);
            }
        }
    }
}

fn shares(counts: &[[u64; PASSAGES.len()]]) -> Grid {
    let mut columns = vec![Column::new("passage", ""), Column::new("width", "m")];
    columns.extend(SETTINGS.map(|s| Column::new(s.name, "%")));
    let mut table = Grid::new(
        "passages",
        "Figure 7: share of the walkers in each passage of a row",
        columns,
    );
    for (p, (name, height, left, right)) in PASSAGES.into_iter().enumerate() {
        let mut row = vec![json!(name), json!(right - left)];
        for passed in counts {
            let all: u64 = (0..PASSAGES.len())
                .filter(|&other| PASSAGES[other].1 == height)
                .map(|other| passed[other])
                .sum();
            row.push(json!(100.0 * passed[p] as f64 / all.max(1) as f64));
        }
        table.row(row);
    }
    table
}

/// Figure 2: a walker whose shortest way leads through people who stand.
fn one_walker(study: &mut Study) -> Result<(), Failure> {
    let mut table = Grid::new(
        "one-walker",
        "Figure 2: one walker through Blocks, 400 people standing in the middle",
        [
            Column::new("weight", ""),
            Column::new("path", "m"),
            Column::new("time", "s"),
            Column::new("through the middle", ""),
        ],
    );
    for weight in [0.0, 5.0] {
        let walk = Walk {
            weight,
            ..Walk::default()
        };
        let text = format!(
            "{}[[source]]\nname = \"standing\"\narea = [[44.5, 14.0], [55.5, 14.0], [55.5, 34.0], \
             [44.5, 34.0]]\ncount = 400\ngoals = [\"top\"]\npremovement = 100000.0\n\
             profile = \"walker\"\n\
             [[source]]\nname = \"walker\"\narea = [50.0, 5.0]\ncount = 1\nstart = 2.0\n\
             goals = [[50.0, 95.0]]\nprofile = \"walker\"\n",
            walk.scenario()
        );
        let mut simulation = study.simulation(&text)?;
        let mut seen = tracks(&simulation);
        let mut passed = [0_u64; PASSAGES.len()];
        while simulation.time() < 600.0 && simulation.metrics().arrived == 0 {
            simulation.step()?;
            seen.observe(&simulation);
            count_passages(&simulation, &mut passed);
        }
        let metrics = simulation.metrics();
        let last = |values: &[f32]| values.last().map_or(Value::Null, |v| json!(v));
        table.row([
            json!(weight),
            last(&metrics.path_lengths),
            last(&metrics.travel_times),
            json!(if passed[1] > 0 { "yes" } else { "no" }),
        ]);
        picture(
            study,
            if weight == 0.0 {
                "one-walker-w0"
            } else {
                "one-walker-w5"
            },
            &format!("One walker and a standing crowd, w = {weight}"),
            &simulation,
            &seen,
        )?;
    }
    study.table(table)
}
