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
const PASSAGES: [(&str, f64, f64, f64); 10] = [
    ("south, outer left", 40.0, 14.0, 23.0),
    ("south, left", 40.0, 36.0, 40.0),
    ("south, middle", 40.0, 45.0, 55.0),
    ("south, right", 40.0, 60.0, 64.0),
    ("south, outer right", 40.0, 77.0, 86.0),
    ("north, outer left", 60.0, 14.0, 23.0),
    ("north, left", 60.0, 36.0, 40.0),
    ("north, middle", 60.0, 45.0, 55.0),
    ("north, right", 60.0, 60.0, 64.0),
    ("north, outer right", 60.0, 77.0, 86.0),
];
/// The middle of the first row among them.
const MIDDLE: usize = 2;

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
         densities four of five take the middle (10 m), which jams under twenty a second, as in \
         the paper. Without replanning those who set off before a jam was there to see stay in it; \
         later ones take the narrow ways beside it (4 m), which fill too, or the outer ones. With \
         replanning few jams form: at w = 1 the outer ways (9 m) are too long for most, at w = 5 \
         a quarter takes them. Speeds are higher than the paper's and detours at w = 5 smaller, \
         since our five ways together are wider than the stream needs. \
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
            "{}[[source]]\nname = \"standing\"\narea = [[45.5, 33.0], [54.5, 33.0], [54.5, 67.0], \
             [45.5, 67.0]]\ncount = 400\ngoals = [\"top\"]\npremovement = 100000.0\n\
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
            json!(if passed[MIDDLE] > 0 { "yes" } else { "no" }),
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
