//! What maps and densities cost: Tables I and II of the paper.

use std::time::Instant;

use serde_json::json;

use super::{
    Column, Experiment, Grid, Study,
    density::{PAPER, Walk, mean, median},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "density-overhead",
    about: "Maps of the paper's four scenes and the time of a step with and without densities: \
            Tables I and II.",
    source: PAPER,
    run,
};

/// A scene and what the paper says of it.
struct Scene {
    id: &'static str,
    paper_name: &'static str,
    vertices: u64,
    paper_nodes: u64,
    paper_build_ms: f64,
    walkers: u64,
    paper_without_ms: f64,
    paper_with_ms: f64,
}

const SCENES: [Scene; 4] = [
    Scene {
        id: "layers",
        paper_name: "Layers",
        vertices: 332,
        paper_nodes: 248,
        paper_build_ms: 38.0,
        walkers: 10_000,
        paper_without_ms: 23.0,
        paper_with_ms: 24.0,
    },
    Scene {
        id: "blocks",
        paper_name: "Blocks",
        vertices: 52,
        paper_nodes: 132,
        paper_build_ms: 25.0,
        walkers: 10_000,
        paper_without_ms: 15.0,
        paper_with_ms: 16.0,
    },
    Scene {
        id: "village",
        paper_name: "Zelda",
        vertices: 560,
        paper_nodes: 1_243,
        paper_build_ms: 49.0,
        walkers: 10_000,
        paper_without_ms: 16.0,
        paper_with_ms: 17.0,
    },
    Scene {
        id: "city",
        paper_name: "City",
        vertices: 2_638,
        paper_nodes: 6_273,
        paper_build_ms: 403.0,
        walkers: 20_000,
        paper_without_ms: 32.0,
        paper_with_ms: 34.0,
    },
];

fn run(study: &mut Study) -> Result<(), Failure> {
    study.threads = 1;
    let mut maps = Grid::new(
        "maps",
        "Table I: the maps",
        [
            Column::new("scene", ""),
            Column::new("the paper's", ""),
            Column::new("corners", ""),
            Column::new("paper: corners", ""),
            Column::new("nodes", ""),
            Column::new("paper: vertices", ""),
            Column::new("regions", ""),
            Column::new("build", "ms"),
            Column::new("paper: build", "ms"),
        ],
    );
    let mut steps = Grid::new(
        "steps",
        "Table II: a step on one thread",
        [
            Column::new("scene", ""),
            Column::new("walkers", ""),
            Column::new("without densities", "ms"),
            Column::new("with", "ms"),
            Column::new("upkeep of densities", "ms"),
            Column::new("share of the step", "%"),
            Column::new("paper: without", "ms"),
            Column::new("paper: with", "ms"),
        ],
    );
    for scene in SCENES {
        study.progress(&format!("{}: the map", scene.id));
        let walkers = study.size(scene.walkers, scene.walkers / 20);
        let walk = Walk {
            scene: scene.id,
            ..Walk::default()
        };
        let mut builds = Vec::new();
        for _ in 0..study.size(5, 1) {
            let simulation = study.simulation(&walk.everywhere(1))?;
            let (site, mut map) = (simulation.place().site(), Default::default());
            let mut nav = throng::alone::nav("ecm", &Default::default())?;
            let began = Instant::now();
            nav.build(&site, &mut map).map_err(Failure::run)?;
            builds.push(began.elapsed().as_secs_f64() * 1e3);
        }
        let mut with = study.simulation(&walk.everywhere(walkers))?;
        let plain = Walk {
            densities: false,
            ..walk
        };
        let mut without = study.simulation(&plain.everywhere(walkers))?;
        maps.row([
            json!(scene.id),
            json!(scene.paper_name),
            json!(corners(scene.id)?),
            json!(scene.vertices),
            json!(with.map().nodes()),
            json!(scene.paper_nodes),
            json!(with.map().regions()),
            json!(median(&mut builds)),
            json!(scene.paper_build_ms),
        ]);

        study.progress(&format!("{}: {walkers} walkers", scene.id));
        for _ in 0..10 {
            with.step()?;
            without.step()?;
        }
        let crowd_before = crowd_ms(&with);
        let mut times = [Vec::new(), Vec::new()];
        let rounds = study.size(100, 20);
        for _ in 0..rounds {
            for (simulation, times) in [&mut without, &mut with].into_iter().zip(&mut times) {
                let began = Instant::now();
                simulation.step()?;
                times.push(began.elapsed().as_secs_f64() * 1e3);
            }
        }
        let upkeep = (crowd_ms(&with) - crowd_before) / f64::from(rounds);
        let share = 100.0 * upkeep / mean(&times[1]);
        steps.row([
            json!(scene.id),
            json!(walkers),
            json!(median(&mut times[0])),
            json!(median(&mut times[1])),
            json!(upkeep),
            json!(share),
            json!(scene.paper_without_ms),
            json!(scene.paper_with_ms),
        ]);
    }
    study.table(maps)?;
    study.table(steps)?;
    study.remark(
        "scenes are drawn by our own code at the paper's sizes, so nodes differ; ours are the \
         vertices of the exact medial axis, arcs and dead ends included, where the paper's come \
         from pixels",
    );
    study.remark(
        "upkeep is everything of the stage crowd: finding regions, moving shares, prices once a \
         second; steps of the two runs alternate, figures are medians; with densities walkers \
         are slower, so fewer have arrived and left",
    );
    Ok(())
}

/// Corners of a scene as the paper counts them: those of obstacles, and where there are several
/// floors those of the floors and stairs too.
fn corners(scene: &str) -> Result<usize, Failure> {
    let drawn = throng::scenes::generate(scene, &Default::default()).map_err(Failure::run)?;
    let count = |shapes: &[throng::environment::Polygon]| -> usize {
        let rings = shapes.iter().flat_map(|p| p.holes.iter().chain([&p.outer]));
        rings.map(Vec::len).sum()
    };
    let solid: usize = drawn.floors.iter().map(|f| count(&f.solid)).sum();
    if drawn.floors.len() == 1 {
        return Ok(solid);
    }
    let floors: usize = drawn.floors.iter().map(|f| count(&f.walkable)).sum();
    Ok(solid + floors + 4 * drawn.connections.len())
}

/// Time spent on crowd cells and prices so far.
fn crowd_ms(simulation: &throng::Simulation) -> f64 {
    let stages = simulation.stage_millis();
    stages.iter().find(|s| s.0 == "crowd").map_or(0.0, |s| s.1)
}
