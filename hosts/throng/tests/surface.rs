//! Geodesic routes on surfaces: against public meshes with known distances, and closed forms.

use std::{collections::BTreeMap, path::PathBuf};

use glam::DVec3;
use throng::{
    LoadOptions, QueryError, Simulation, Spot,
    core::{Location, NoRoute},
    environment::Mesh,
};
use throng_kit::Walk;

fn file(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/meshes")
        .join(name);
    if !path.exists() {
        eprintln!("skipped: no ../shared/data/meshes/{name} beside the workspace");
        return None;
    }
    Some(path)
}

fn vertices(path: &PathBuf) -> Vec<DVec3> {
    let text = std::fs::read_to_string(path).unwrap();
    let numbers = |line: &str| -> Vec<f64> {
        line.split_whitespace()
            .skip(1)
            .take(3)
            .map(|w| w.parse().unwrap())
            .collect()
    };
    text.lines()
        .filter(|l| l.starts_with("v "))
        .map(|l| DVec3::from_slice(&numbers(l)))
        .collect()
}

fn simulation(environment: &str, planner: &str) -> Simulation {
    let text = format!(
        "name = \"surface\"\n[environment]\n{environment}\n[nav]\nkind = \"surface\"\n\
         [planner]\nkind = \"geodesic\"\n{planner}\n"
    );
    let options = LoadOptions {
        allow_outside: true,
        ..LoadOptions::default()
    };
    let builder = Simulation::builder().threads(1).options(options);
    let mut simulation = builder.text(&text).unwrap();
    simulation.step().unwrap();
    simulation
}

const OFF: &str = "away_from_edges = false\ncorridors = false\nline_of_sight = false";

/// Quotients of found and listed distances from vertex 0, ascending.
fn quotients(name: &str, planner: &str, every: usize) -> Option<Vec<f64>> {
    let path = file(&format!("{name}.obj"))?;
    let listed = std::fs::read_to_string(file(&format!("{name}.exact_from_v0.txt"))?).unwrap();
    let listed: Vec<f64> = listed
        .split_whitespace()
        .map(|w| w.parse().unwrap())
        .collect();
    let at = vertices(&path);
    let sim = simulation(&format!("file = {:?}", path.display().to_string()), planner);
    let mut found: Vec<f64> = (1..at.len())
        .step_by(every)
        .filter(|&v| listed[v] > 0.0)
        .map(|v| {
            let path = sim.path(Spot::Space(at[0]), Spot::Space(at[v]), 0.0);
            path.unwrap().length / listed[v]
        })
        .collect();
    found.sort_by(f64::total_cmp);
    Some(found)
}

#[test]
fn exact_lengths_are_those_listed() {
    for (name, every) in [("box", 1), ("halftunnel", 3), ("bunny-3k", 7)] {
        let planner = format!("algorithm = \"exact\"\n{OFF}");
        let Some(found) = quotients(name, &planner, every) else {
            return;
        };
        let (least, most) = (found[0], found[found.len() - 1]);
        assert!(
            least > 1.0 - 1e-6 && most < 1.0 + 1e-6,
            "{name}: {least} to {most}"
        );
    }
}

#[test]
fn iterative_paths_are_nearly_shortest() {
    for (name, every) in [("box", 1), ("halftunnel", 1), ("bunny-3k", 3)] {
        let planner = format!("algorithm = \"iterative\"\n{OFF}");
        let Some(found) = quotients(name, &planner, every) else {
            return;
        };
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        let high = found[(found.len() * 99).div_ceil(100) - 1];
        let most = found[found.len() - 1];
        println!("{name}: mean {mean:.5}, 99 % {high:.4}, most {most:.4}");
        assert!(found[0] > 1.0 - 1e-6, "{name}: {}", found[0]);
        assert!(mean <= 1.01 && high <= 1.05, "{name}: {mean}, {high}");
    }
}

#[test]
fn graph_paths_are_no_shorter_and_dijkstra_finds_what_astar_finds() {
    let length = |algorithm: &str| {
        let planner = format!("algorithm = \"{algorithm}\"\n{OFF}");
        let sim = simulation("generate = \"globe\"", &planner);
        let from = Spot::Space(DVec3::new(25.0, 0.0, 0.0));
        let to = Spot::Space(DVec3::new(-20.0, 10.0, 11.18));
        sim.path(from, to, 0.0).unwrap().length
    };
    let (exact, dijkstra) = (length("exact"), length("dijkstra"));
    assert!((length("astar") - dijkstra).abs() < 1e-3);
    assert!(
        exact <= dijkstra && dijkstra < exact * 1.3,
        "{exact} {dijkstra}"
    );
    assert!(length("weighted-astar") >= dijkstra - 1e-3);
    let iterative = length("iterative");
    assert!(
        iterative >= exact * (1.0 - 1e-6) && iterative <= exact * 1.02,
        "{iterative} {exact}"
    );
}

#[test]
fn unreachable_goals_are_said_so() {
    let mut mesh = Mesh::default();
    for x in [0.0, 20.0] {
        let base = mesh.vertices.len() as u32;
        for (i, j) in [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)] {
            mesh.vertices.push(DVec3::new(x + i, j, 0.0));
        }
        mesh.triangles.push([base, base + 1, base + 2]);
        mesh.triangles.push([base, base + 2, base + 3]);
    }
    let environment = throng::environment::Environment {
        mesh: Some(mesh),
        ..Default::default()
    };
    let text = "name = \"two\"\n[nav]\nkind = \"surface\"\n[planner]\nkind = \"geodesic\"";
    let mut sim = Simulation::builder()
        .threads(1)
        .world_with(environment, text, throng::registry())
        .unwrap();
    sim.step().unwrap();
    let at = |x: f64| Spot::Space(DVec3::new(x, 4.0, 0.0));
    let missing = sim.path(at(2.0), at(24.0), 0.2).unwrap_err();
    assert_eq!(missing, QueryError::NoRoute(NoRoute::Unconnected));
    let found = sim.path(at(2.0), at(7.0), 0.2).unwrap();
    assert!((found.length - 5.0).abs() < 0.1, "{found:?}");
}

#[test]
fn improved_paths_keep_away_from_the_corner_they_go_round() {
    // A building's stairs: from a floor to the next one up, round the inner edge of the flights.
    let sim = simulation("generate = \"building\"\nstoreys = 2", "");
    let from = Spot::Space(DVec3::new(20.0, 12.0, 0.0));
    let to = Spot::Space(DVec3::new(20.0, 12.0, 3.6));
    let path = sim.path(from, to, 0.24).unwrap();
    let raw = simulation("generate = \"building\"\nstoreys = 2", OFF);
    let on_walls = |sim: &Simulation, path: &throng::Path| {
        let ground = sim.ground();
        path.points[1..path.points.len() - 1]
            .iter()
            .filter(|p| {
                let at = ground.locate(ground.from_world(**p)).unwrap();
                ground.distance_to_wall(at, 1.0) < 0.1
            })
            .count()
    };
    let touching = on_walls(&raw, &raw.path(from, to, 0.24).unwrap());
    assert!(
        touching > 0,
        "without improvements the path turns at corners"
    );
    assert_eq!(on_walls(&sim, &path), 0, "{:?}", path.points);
}

#[test]
fn paths_turn_on_every_side_that_they_cross() {
    // From just below an edge of a cube over its top to the opposite side: seen from there the top
    // is nearly nothing, and who is told to walk to a side behind the next stands.
    let sim = simulation("generate = \"cube\"\nside = 42", "");
    let ground = sim.ground();
    let at = |x: f32, y: f32, z: f32| {
        let place = ground.locate(glam::Vec3::new(x, y, z)).unwrap();
        Spot::Space(ground.to_world(place))
    };
    let path = sim
        .path(at(-8.44, -21.0, 20.59), at(5.0, 21.0, 15.0), 0.24)
        .unwrap();
    let on_top = |p: &DVec3| {
        let p = ground.from_world(*p);
        p.z > 20.99 && p.y.abs() < 20.9
    };
    assert!(path.points.iter().any(on_top), "{:?}", path.points);
}

#[test]
fn people_walk_about_on_every_kind_of_surface() {
    for environment in [
        "generate = \"cube\"",
        "generate = \"moebius\"\nradius = 12.0\nwidth = 6.0\nalong = 60\nacross = 4",
        "generate = \"building\"\nstoreys = 3",
        "generate = \"globe\"\nradius = 8.0",
    ] {
        let text = format!(
            "name = \"crowd\"\nseed = 4\n[environment]\n{environment}\n[nav]\nkind = \"surface\"\n\
             [planner]\nkind = \"geodesic\"\n[avoidance]\nkind = \"orca\"\n[[source]]\n\
             area = \"everywhere\"\ncount = 60\ngoals = \"random\"\nat_goal = \"again\"\n"
        );
        let mut sim = Simulation::builder().threads(1).text(&text).unwrap();
        for _ in 0..600 {
            sim.step().unwrap();
        }
        let m = sim.metrics();
        assert_eq!((m.lost, m.unreachable), (0, 0), "{environment}");
        assert!(m.arrivals > 20, "{environment}: {} arrivals", m.arrivals);
        assert!(
            m.stalled_share() < 0.03,
            "{environment}: {}",
            m.stalled_share()
        );
    }
}

#[test]
fn two_directions_share_the_whole_width_of_a_stair() {
    let text = "name = \"stairs\"\nseed = 4\n[environment]\ngenerate = \"building\"\nstoreys = 3\n\
                flight = 5.0\n[nav]\nkind = \"surface\"\n[planner]\nkind = \"geodesic\"\n\
                keep_right = true\n[avoidance]\nkind = \"none\"\n[[source]]\n\
                area = \"everywhere\"\ncount = 200\ngoals = \"random\"\nat_goal = \"again\"\n";
    let mut sim = Simulation::builder().threads(1).text(text).unwrap();
    sim.step().unwrap();
    let (ground, agents) = (sim.ground(), sim.agents());
    // Across the feet of the flights, from the post between two of them, metres.
    let (mut inner, mut outer) = (Vec::new(), Vec::new());
    for track in &agents.track {
        for gate in sim.state().routes.own_gates_ahead(track) {
            let [left, right] = [gate.left, gate.right].map(|p| {
                ground.to_world(Location {
                    point: p,
                    triangle: gate.triangle,
                })
            });
            let across_foot = (left.x - 46.0).abs() < 1e-3 && (right.x - 46.0).abs() < 1e-3;
            if across_foot && left.distance(right) > 0.1 {
                let off = [left.y, right.y].map(|y| (y - 10.0).abs());
                let near = off[0].min(off[1]);
                if near < 2.45 { &mut inner } else { &mut outer }.push(off);
            }
        }
    }
    assert!(inner.len() > 20 && outer.len() > 20);
    let most = |gates: &[[f64; 2]]| gates.iter().flatten().copied().fold(0.0, f64::max);
    assert!(most(&inner) < 2.55, "{}", most(&inner));
    assert!(most(&outer) > 4.2 && most(&outer) < 4.7, "{}", most(&outer));
}

#[test]
fn nobody_stands_before_a_block() {
    // Blocks of 2.4 m stand on the floor, hang from the ceiling and stick out of the walls: what is
    // in sight of a turn may be hidden from a corridor beside it.
    let text = "name = \"blocks\"\nseed = 5\n[environment]\ngenerate = \"room\"\nvariant = 2\n\
                cube = 2.4\n[nav]\nkind = \"surface\"\nspacing = 4.0\n[planner]\n\
                kind = \"geodesic\"\nkeep_right = true\n[avoidance]\nkind = \"none\"\n\
                [profile.walker]\nradius = 0.24\nspeed = 1.34\n[[source]]\narea = \"everywhere\"\n\
                count = 1000\ngoals = \"random\"\nat_goal = \"again\"\nprofile = \"walker\"\n";
    let mut sim = Simulation::builder().threads(1).text(text).unwrap();
    // Where everybody was when it last had gone a shoulder's width, and when that was.
    let mut left: BTreeMap<u64, (glam::Vec3, u32)> = BTreeMap::new();
    for step in 0..300 {
        sim.step().unwrap();
        let agents = sim.agents();
        for row in 0..agents.len() {
            let here = agents.location[row].point;
            let (from, since) = left.entry(agents.id[row]).or_insert((here, step));
            if from.distance(here) >= 0.48 {
                (*from, *since) = (here, step);
            }
            assert!(step - *since < 50, "{} at {here}", agents.id[row]);
        }
    }
}
