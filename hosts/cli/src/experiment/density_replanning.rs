//! How long it takes to plan again, by how far the crowd is seen: Figure 8 of the paper.

use std::time::Instant;

use serde_json::{Value, json};
use throng::{
    Simulation,
    core::{GlobalPlanner, PlanRequest, RouteSink, Scratch},
};

use super::{
    Column, Experiment, Grid, Study,
    density::{PAPER, Walk, mean, median},
};
use crate::failure::Failure;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "density-replanning",
    about: "Time to plan again on City and village by how far the crowd is seen, and what the \
            paper's early halt costs: Figure 8 and section 3.4.",
    source: PAPER,
    run,
};

/// Distances at which the crowd is seen; the first is everything.
const HORIZONS: [f64; 3] = [1e9, 350.0, 0.1];

fn run(study: &mut Study) -> Result<(), Failure> {
    study.threads = 1;
    let mut times = Grid::new(
        "times",
        "One replanning by how far the crowd is seen, w = 5",
        [
            Column::new("scene", ""),
            Column::new("sees", "m"),
            Column::new("halt", ""),
            Column::new("replannings", ""),
            Column::new("mean", "us"),
            Column::new("median", "us"),
            Column::new("paper: mean", "us"),
            Column::new("dearer than exact", "%"),
            Column::new("worst", "times"),
        ],
    );
    let mut vertices = Grid::new(
        "vertices",
        "Figure 8: mean time of one replanning on City by the nodes of the path",
        [
            Column::new("nodes", ""),
            Column::new("sees all", "us"),
            Column::new("sees 350 m", "us"),
            Column::new("sees 0.1 m", "us"),
            Column::new("paper: sees all", "us"),
        ],
    );
    let paper_mean = [
        ("city", [Some(2000.0), Some(1000.0), Some(300.0)]),
        ("village", [Some(650.0), None, Some(300.0)]),
    ];
    for (scene, paper) in paper_mean {
        study.progress(scene);
        let walkers = study.size(5_000, 500);
        let far = if scene == "city" { 100.0 } else { 20.0 };
        let mut by_nodes: Vec<Vec<(u32, f64)>> = Vec::new();
        for (horizon, paper) in HORIZONS.into_iter().zip(paper) {
            let walk = Walk {
                scene,
                weight: 5.0,
                replan: Some(10.0),
                horizon: Some(horizon),
                ..Walk::default()
            };
            let mut simulation = study.simulation(&walk.everywhere(walkers))?;
            // Three quarters of the run: the crowd has formed, everybody has planned again.
            for _ in 0..study.size(300, 60) {
                simulation.step()?;
            }
            let requests = requests(&simulation, far);
            let exact = answers(&simulation, &requests, horizon, "exact")?;
            times.row(line(scene, horizon, "exact", &exact, paper, None));
            if horizon < 1e9 {
                let halted = answers(&simulation, &requests, horizon, "paper")?;
                times.row(line(scene, horizon, "paper", &halted, paper, Some(&exact)));
            }
            by_nodes.push(exact.iter().map(|a| (a.edges, a.micros)).collect());
        }
        if scene == "city" {
            for (nodes, paper) in [
                (20, "200 to 1000"),
                (40, "500 to 2500"),
                (60, "1500 to 3000"),
                (80, ""),
                (120, ""),
            ] {
                let mut row = vec![json!(nodes)];
                for answers in &by_nodes {
                    let near: Vec<f64> = answers
                        .iter()
                        .filter(|(edges, _)| edges.abs_diff(nodes) <= 5)
                        .map(|a| a.1)
                        .collect();
                    row.push(if near.is_empty() {
                        Value::Null
                    } else {
                        json!(mean(&near))
                    });
                }
                row.push(json!(paper));
                vertices.row(row);
            }
            study.file("figure-8.csv", scatter(&by_nodes).as_bytes())?;
        }
    }
    study.table(times)?;
    study.table(vertices)?;
    study.remark(
        "each replanning is a call of its own for one walker, with everything that a route needs: \
         retraction, search, edges. Crowd-free trees are made before the clock starts, as they \
         are shared by all",
    );
    study.remark(
        "halting at the old route (the paper's Theorem 1) is compared with the exact halt on the \
         same walkers, prices and horizon: share of replannings that came out dearer by more than \
         1 in 1,000, and by how much at worst",
    );
    Ok(())
}

/// One answer.
struct Answered {
    micros: f64,
    cost: f64,
    edges: u32,
}

/// Wishes of everybody who has a good way to go still.
fn requests(simulation: &Simulation, far: f32) -> Vec<PlanRequest> {
    let a = simulation.agents();
    (0..a.len())
        .filter(|&row| a.location[row].point.distance(a.target[row].point) >= far)
        .map(|row| PlanRequest {
            from: a.location[row],
            to: a.target[row],
            agent: row as u32,
            goal: a.goal[row],
            prices: a.class[row],
            class: a.class[row],
            from_region: a.region[row],
            radius: a.radius[row],
            weight: a.weight[row],
            speed: a.speed[row],
        })
        .collect()
}

/// A planner with a horizon, ready for this moment of a simulation.
fn planner(horizon: f64, halt: &str) -> Result<Box<dyn GlobalPlanner>, Failure> {
    let mut options = toml::Table::new();
    options.insert("horizon".into(), toml::Value::Float(horizon));
    options.insert("halt".into(), toml::Value::String(halt.into()));
    Ok(throng::alone::planner("astar", &options)?)
}

/// Plans again for everybody, one by one, each with the route that it walks now as its old one.
fn answers(
    simulation: &Simulation,
    requests: &[PlanRequest],
    horizon: f64,
    halt: &str,
) -> Result<Vec<Answered>, Failure> {
    let mut planner = planner(horizon, halt)?;
    let mut world = simulation.world();
    let mut scratch = Scratch::default();
    let mut sink = RouteSink::default();
    planner.prepare(&world).map_err(Failure::run)?;
    let (mut edges, mut first, mut count, mut invisible) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let state = simulation.state();
    for track in &state.agents.track {
        let rest = state.routes.edges_ahead(track);
        first.push(edges.len() as u32);
        count.push(rest.len() as u32);
        invisible.push(track.invisible);
        edges.extend_from_slice(rest);
    }
    world.routes = throng::core::RoutesView {
        edges: &edges,
        first: &first,
        count: &count,
        invisible: &invisible,
    };
    // Trees that are shared by all are made before the clock starts.
    for request in requests {
        sink.clear();
        planner.plan(&world, &[*request], &mut scratch, &mut sink);
    }
    let mut answers = Vec::with_capacity(requests.len());
    for request in requests {
        sink.clear();
        let began = Instant::now();
        planner.plan(&world, &[*request], &mut scratch, &mut sink);
        let micros = began.elapsed().as_secs_f64() * 1e6;
        let row = sink.rows[0];
        answers.push(Answered {
            micros,
            cost: f64::from(row.cost),
            edges: row.count,
        });
    }
    Ok(answers)
}

fn line(
    scene: &str,
    horizon: f64,
    halt: &str,
    answers: &[Answered],
    paper: Option<f64>,
    exact: Option<&Vec<Answered>>,
) -> Vec<Value> {
    let mut micros: Vec<f64> = answers.iter().map(|a| a.micros).collect();
    let average = mean(&micros);
    let mut row = vec![
        json!(scene),
        if horizon < 1e9 {
            json!(horizon)
        } else {
            json!("all")
        },
        json!(halt),
        json!(answers.len()),
        json!(average),
        json!(median(&mut micros)),
        paper.map_or(Value::Null, |us| json!(us)),
    ];
    match exact {
        None => row.extend([Value::Null, Value::Null]),
        Some(exact) => {
            let ratios: Vec<f64> = answers
                .iter()
                .zip(exact)
                .filter(|(a, b)| a.cost.is_finite() && b.cost > 0.0)
                .map(|(a, b)| a.cost / b.cost)
                .collect();
            let dearer = ratios.iter().filter(|r| **r > 1.001).count();
            row.push(json!(100.0 * dearer as f64 / ratios.len().max(1) as f64));
            row.push(json!(ratios.iter().copied().fold(1.0, f64::max)));
        }
    }
    row
}

/// Every replanning as a point: nodes of the path, microseconds.
fn scatter(by_horizon: &[Vec<(u32, f64)>]) -> String {
    let mut text = String::from("sees [m],nodes,time [us]\n");
    for (horizon, answers) in HORIZONS.iter().zip(by_horizon) {
        for (nodes, micros) in answers {
            text += &format!("{horizon},{nodes},{micros:.2}\n");
        }
    }
    text
}
