//! What the experiments on surfaces share: the surfaces of Ricks and Egbert's table, and crowds of
//! people with random destinations on them.

use std::{collections::HashMap, time::Instant};

use glam::Vec3;
use throng::{
    Simulation,
    engine::relevance::{Body, Relevance},
};

use crate::failure::Failure;

/// A surface of the table, and what its authors measured on it.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    /// Its name there.
    pub name: &'static str,
    /// The environment that draws ours.
    pub environment: &'static str,
    /// Frames per second of 1,000 agents with social forces.
    pub social_force: f64,
    /// The same with reciprocal velocity obstacles.
    pub rvo: f64,
    /// Seconds of planning in the first frame.
    pub first_plan: f64,
}

macro_rules! surfaces {
    ($($name:literal, $environment:literal, $sf:literal, $rvo:literal, $plan:literal;)*) => {
        &[$(Surface {
            name: $name,
            environment: $environment,
            social_force: $sf,
            rvo: $rvo,
            first_plan: $plan,
        }),*]
    };
}

/// Table 1, in its order. The bunny is a file and stands apart. The paper does not say how large its
/// surfaces are; ours have at least 10 m2 for each of 1,000 people, and stairs on which as many as
/// there are on the way can pass.
pub const SURFACES: &[Surface] = surfaces! {
    "one triangle", "generate = \"triangle\"\nside = 160", 514.25, 330.83, 0.07;
    "cube", "generate = \"cube\"\nside = 42", 155.01, 60.56, 0.29;
    "building exterior", "generate = \"building-exterior\"\nside = 45\nheight = 15", 172.32, 66.67, 0.29;
    "soccer ball", "generate = \"soccer-ball\"\nedge = 14", 185.46, 95.07, 0.52;
    "bucky", "generate = \"bucky\"\nedge = 12.5", 192.89, 87.86, 0.08;
    "building 1", "generate = \"building\"\nflight = 5", 129.33, 55.73, 0.377;
    "building with exit", "generate = \"building\"\nstoreys = 11\nstairs = 2\nexit = true\nflight = 5", 149.35, 55.72, 0.55;
    "building 2", "generate = \"building\"\nstoreys = 11\nstairs = 2\nflight = 5", 310.29, 206.05, 0.35;
    "cube, holes", "generate = \"cube\"\nside = 45\nparts = 9\nholes = true", 202.34, 92.31, 0.18;
    "inverse cube", "generate = \"cube\"\nside = 42\nparts = 10\ninverse = true", 189.61, 96.39, 0.55;
    "floor and ceiling", "generate = \"floor-and-ceiling\"\nside = 72", 160.3, 73.97, 0.46;
    "globe", "generate = \"globe\"\nradius = 29", 178.04, 50.86, 0.34;
    "Golevka", "generate = \"asteroid\"\nform = \"angular\"\nradius = 32\nparts = 10", 232.21, 153.84, 0.35;
    "Kleopatra", "generate = \"asteroid\"\nform = \"bone\"\nradius = 45\nparts = 10", 430.89, 274.08, 0.32;
    "ants on food", "generate = \"lump\"\nradius = 28", 198.48, 88.36, 0.33;
    "Moebius, holes", "generate = \"moebius\"\nradius = 66\nwidth = 28\nholes = 12", 170.19, 78.87, 0.6;
    "torus", "generate = \"torus\"", 158.6, 61.41, 0.43;
    "Moebius", "generate = \"moebius\"\nradius = 60\nwidth = 28", 170.07, 77.94, 0.8;
    "reverse torus", "generate = \"reverse-torus\"", 193.9, 90.87, 0.43;
    "room 2", "generate = \"room\"\nvariant = 2\ncube = 2.4", 160.23, 55.29, 0.41;
    "room 1", "generate = \"room\"\nvariant = 1\ncube = 2.4", 180.1, 57.51, 0.42;
    "asteroid", "generate = \"asteroid\"\nradius = 31", 211.19, 100.63, 0.52;
    "tree", "generate = \"tree\"\nheight = 95", 175.22, 79.3, 2.62;
    "medium cube", "generate = \"cube\"\nside = 42\nparts = 40", 143.72, 80.82, 3.62;
    "twisted wire", "generate = \"wire\"\nradius = 2", 55.51, 49.49, 31.13;
    "tetrahedron", "generate = \"tetrahedron\"", 170.19, 147.05, 6.31;
    "abstract art", "generate = \"abstract\"", 128.81, 120.38, 9.13;
    "huge cube", "generate = \"cube\"\nside = 42\nparts = 95", 115.87, 105.68, 3.15;
    "Olympic rings", "generate = \"rings\"\nring = 22", 47.93, 41.4, 10.86;
};

/// The Stanford bunny, about 100 m long, where its file is at hand beside the project.
pub const BUNNY: Surface = Surface {
    name: "Stanford bunny",
    environment: "",
    social_force: 65.94,
    rvo: 51.79,
    first_plan: 15.8,
};

/// The building of 15 storeys.
pub const BUILDING: &str = "generate = \"building\"\nflight = 5";

/// The environment of the bunny, if its file is there.
pub fn bunny() -> Option<String> {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/meshes/stanford-bunny.obj");
    file.exists()
        .then(|| format!("file = {:?}\nscale = 640.0", file.display().to_string()))
}

/// What is varied over one set of parameters for all surfaces.
#[derive(Clone, Debug)]
pub struct Crowd<'a> {
    /// The environment's table.
    pub environment: &'a str,
    /// The planner's options.
    pub planner: String,
    /// The avoidance model's table.
    pub avoidance: &'a str,
    /// People.
    pub agents: u64,
}

/// A social-force model, sampled reciprocal velocity obstacles, and ORCA.
pub const MODELS: [(&str, &str); 3] = [
    ("social-force", "kind = \"social-force\""),
    ("rvo", "kind = \"rvo\"\nsamples = 250"),
    ("orca", "kind = \"orca\""),
];

impl Crowd<'_> {
    /// A scenario: people with random destinations, a new one at each arrival.
    pub fn scenario(&self) -> String {
        format!(
            r#"name = "surface"
seed = 5
dt = 0.1
duration = 100000.0
[environment]
{}
[nav]
kind = "surface"
spacing = 4.0
[planner]
kind = "geodesic"
keep_right = true
{}
[avoidance]
{}
[profile.walker]
radius = 0.24
speed = 1.34
[[source]]
area = "everywhere"
count = {}
goals = "random"
at_goal = "again"
profile = "walker"
"#,
            self.environment, self.planner, self.avoidance, self.agents
        )
    }

    /// A simulation of it on one thread.
    pub fn simulation(&self) -> Result<Simulation, Failure> {
        let options = throng::LoadOptions {
            allow_outside: true,
            ..throng::LoadOptions::default()
        };
        let builder = Simulation::builder().options(options).threads(1);
        Ok(builder.text(&self.scenario())?)
    }
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Triangles of the ground.
    pub triangles: usize,
    /// Area of the ground, square metres.
    pub area: f64,
    /// Seconds that planning took in the first step.
    pub first_plan: f64,
    /// Steps per second after the first.
    pub fps: f64,
    /// Arrivals.
    pub arrivals: u64,
    /// Arrivals per frame and agent, times 100,000.
    pub frequency: f64,
    /// Share of agent-steps in which somebody's feet overlap another's by more than 5 mm.
    pub collisions: f64,
    /// The same of all the spheres of a body.
    pub body_collisions: f64,
    /// Share of agents that never were a shoulder's width away from where they stood 5 s ago, mean
    /// over looks.
    pub stalled: f64,
    /// The same at every look, one a second from 5 s on.
    pub stalled_over_time: Vec<f64>,
    /// Requests for routes that had none.
    pub unreachable: u64,
}

/// Runs a crowd for some seconds. Measuring is not timed.
pub fn run(crowd: &Crowd<'_>, seconds: f64) -> Result<(Simulation, Outcome), Failure> {
    let mut simulation = crowd.simulation()?;
    let mut outcome = Outcome {
        triangles: simulation.ground().triangles.len(),
        area: area(&simulation),
        ..Outcome::default()
    };
    let planning = |s: &Simulation| {
        let stages = s.metrics().stages.millis();
        let of = |name: &str| stages.iter().find(|s| s.0 == name).map_or(0.0, |s| s.1);
        of("plan") / 1e3
    };
    simulation.step()?;
    outcome.first_plan = planning(&simulation);
    let steps = (seconds / f64::from(simulation.state().dt)).round() as u64;
    let look = (1.0 / f64::from(simulation.state().dt)).round() as u64;
    let mut timed = 0.0;
    let (mut overlapping, mut looked) = ([0u64; 2], 0u64);
    // Places at every look, by id.
    let mut past: Vec<HashMap<u64, Vec3>> = Vec::new();
    for step in 1..steps {
        let began = Instant::now();
        simulation.step()?;
        timed += began.elapsed().as_secs_f64();
        if step % look == 0 {
            for (sum, now) in overlapping.iter_mut().zip(overlaps(&simulation)) {
                *sum += now;
            }
            looked += simulation.agents().len() as u64;
            let agents = simulation.agents();
            let now: HashMap<u64, Vec3> = (0..agents.len())
                .map(|row| (agents.id[row], agents.location[row].point))
                .collect();
            if past.len() >= 5 {
                // Who turned back at a destination comes by the same place again: it has moved.
                let (before, since) = past[past.len() - 5..].split_at(1);
                let moved = |id: &u64, from: Vec3, then: &HashMap<u64, Vec3>| {
                    then.get(id).is_none_or(|p| p.distance(from) >= SHOULDER)
                };
                let still = agents
                    .id
                    .iter()
                    .filter(|id| {
                        before[0].get(id).is_some_and(|from| {
                            !since
                                .iter()
                                .chain([&now])
                                .any(|then| moved(id, *from, then))
                        })
                    })
                    .count();
                let share = still as f64 / agents.len().max(1) as f64;
                outcome.stalled_over_time.push(share);
            }
            past.push(now);
        }
    }
    outcome.fps = (steps - 1) as f64 / timed;
    let m = simulation.metrics();
    outcome.arrivals = m.arrivals;
    outcome.frequency = m.arrivals as f64 / (steps as f64 * crowd.agents as f64) * 1e5;
    [outcome.collisions, outcome.body_collisions] =
        overlapping.map(|count| count as f64 / looked.max(1) as f64);
    outcome.unreachable = m.unreachable;
    let looks = outcome.stalled_over_time.len().max(1) as f64;
    outcome.stalled = outcome.stalled_over_time.iter().sum::<f64>() / looks;
    Ok((simulation, outcome))
}

/// Area of the ground, square metres.
fn area(simulation: &Simulation) -> f64 {
    let ground = simulation.ground();
    let of = |t: u32| {
        let [a, b, c] = ground.corners(t).map(|v| v.as_dvec3());
        (b - a).cross(c - a).length() / 2.0
    };
    (0..ground.triangles.len() as u32).map(of).sum()
}

/// A shoulder's width, metres.
const SHOULDER: f32 = 0.48;
/// Depth from which bodies collide, metres.
const DEPTH: f32 = 0.005;

/// How many agents overlap another: with their feet, and with any of their spheres at feet, waist
/// and head. Who is out of each other's sight (two sides of a sheet, a floor and the next) does
/// not touch.
fn overlaps(simulation: &Simulation) -> [u64; 2] {
    let agents = simulation.agents();
    let ground = simulation.ground();
    let bodies: Vec<Body> = (0..agents.len())
        .map(|row| {
            let normal = ground.normals[agents.location[row].triangle as usize];
            let up = agents.frame.get(row).map_or(normal, |f| f.up(normal));
            Body {
                feet: agents.location[row].point,
                up,
                axis: if ground.plan { Vec3::Z } else { up },
                height: agents.height[row],
            }
        })
        .collect();
    let mut order: Vec<usize> = (0..agents.len()).collect();
    let x = |row: usize| bodies[row].feet.x;
    order.sort_by(|&a, &b| x(a).total_cmp(&x(b)));
    let widest = agents.radius.iter().copied().fold(0.0, f32::max);
    let tallest = agents.height.iter().copied().fold(0.0, f32::max);
    let reach = 2.0 * (widest + tallest);
    let relevance = Relevance::default();
    let mut hit = [vec![false; agents.len()], vec![false; agents.len()]];
    for (i, &a) in order.iter().enumerate() {
        for &b in &order[i + 1..] {
            if x(b) - x(a) > reach {
                break;
            }
            let near = agents.radius[a] + agents.radius[b] - DEPTH;
            let (own, other) = (&bodies[a], &bodies[b]);
            if own.nearest(other).length() >= near || !relevance.relation(own, other).0 {
                continue;
            }
            (hit[1][a], hit[1][b]) = (true, true);
            if own.feet.distance(other.feet) < near {
                (hit[0][a], hit[0][b]) = (true, true);
            }
        }
    }
    hit.map(|hit| hit.iter().filter(|h| **h).count() as u64)
}

/// The middle value.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}
