//! Any-angle routes and fields against public data with known answers: MovingAI maps.
//!
//! `*.anyangle.tsv` holds exact any-angle lengths between grid corners, `.scen` exact lengths
//! over octile steps between cell centres. Skipped with a message where the data are absent.

use std::{fs, path::PathBuf};

use glam::DVec2;
use throng::{
    Simulation, Spot,
    environment::{Environment, FileCells, Floor},
};
use throng_core::{Location, NONE, PlanRequest, RouteKind, RouteSink, Scratch};
use throng_flow_field::{Expander, Expansion, Field, Stencil, StepCosts};
use throng_kit::{Walk, search::Terms};

fn data(file: &str) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/movingai");
    let text = fs::read_to_string(folder.join(file)).ok();
    if text.is_none() {
        eprintln!("skipped: no ../shared/data/movingai/{file} beside the workspace");
    }
    text
}

fn cells(width: usize, height: usize, walkable: Vec<bool>, planner: &str) -> Simulation {
    let environment = Environment {
        floors: vec![Floor::default()],
        cells: Some(FileCells {
            low: DVec2::ZERO,
            cell: 1.0,
            width,
            height,
            walkable,
        }),
        ..Environment::default()
    };
    let scenario = format!("name = \"cells\"\n[nav]\nkind = \"grid\"\n[planner]\n{planner}");
    let builder = Simulation::builder().threads(1);
    let mut sim = builder
        .world_with(environment, &scenario, throng::registry())
        .unwrap();
    // An empty step lets the planner prepare what its queries share.
    sim.step().unwrap();
    sim
}

fn simulation(map: &str, planner: &str) -> Option<Simulation> {
    let text = data(&format!("{map}.map"))?;
    let number = |key: &str| {
        let line = text.lines().find(|l| l.starts_with(key)).unwrap();
        line[key.len()..].trim().parse::<usize>().unwrap()
    };
    let (width, height) = (number("width"), number("height"));
    let rows = text.lines().skip_while(|l| l.trim() != "map").skip(1);
    let free = |b: u8| matches!(b, b'.' | b'G' | b'S');
    let walkable = rows
        .take(height)
        .flat_map(|row| row.bytes().take(width).map(free))
        .collect();
    Some(cells(width, height, walkable, planner))
}

/// A question for a point's way between two places.
fn query(from: Location, to: Location) -> PlanRequest {
    PlanRequest {
        from,
        to,
        agent: NONE,
        goal: NONE,
        prices: 0,
        class: 0,
        from_region: NONE,
        radius: 0.0,
        weight: 0.0,
        speed: 1.34,
    }
}

/// Mean and largest quotient of found and exact length over all queries of a map.
fn quotients(map: &str, planner: &str) -> Option<(f64, f64)> {
    let (sim, exact) = (
        simulation(map, planner)?,
        data(&format!("{map}.anyangle.tsv"))?,
    );
    let (mut scratch, mut sink) = (Scratch::default(), RouteSink::default());
    let (mut sum, mut most, mut count) = (0.0, (0.0, ""), 0);
    for line in exact.lines().filter(|l| !l.trim().is_empty()) {
        let numbers: Vec<f64> = line
            .split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect();
        let place = |x: f64, y: f64| sim.locate(Spot::Plan(x, y)).unwrap();
        let request = query(place(numbers[0], numbers[1]), place(numbers[2], numbers[3]));
        sim.plan_batch(&[request], &mut scratch, &mut sink);
        let row = sink.rows[0];
        assert!(
            !matches!(row.kind, RouteKind::Missing(_)),
            "{map}: {line}: {:?}",
            row.kind
        );
        let quotient = f64::from(row.length) / numbers[4];
        assert!(
            quotient > 1.0 - 1e-5,
            "{map}: {line}: {} is shorter than possible",
            row.length
        );
        sum += quotient;
        count += 1;
        if quotient > most.0 {
            most = (quotient, line);
        }
    }
    let mean = sum / f64::from(count);
    println!(
        "{map} {planner:?}: {count} queries, mean {mean:.5}, largest {:.4} ({})",
        most.0, most.1
    );
    Some((mean, most.0))
}

#[test]
fn theta_star_is_as_short_as_any_walk() {
    for map in ["arena", "den312d"] {
        for variant in ["basic", "lazy"] {
            let planner = format!("kind = \"theta-star\"\nvariant = \"{variant}\"");
            if let Some((mean, most)) = quotients(map, &planner) {
                assert!(mean <= 1.01, "{map} {variant}: mean {mean}");
                assert!(most <= 1.06, "{map} {variant}: largest {most}");
            }
        }
    }
}

#[test]
fn smoothed_astar_is_nearly_as_short() {
    for map in ["arena", "den312d"] {
        let planner = "kind = \"astar\"\nsmoothing = \"cost-aware\"";
        if let Some((mean, _)) = quotients(map, planner) {
            assert!(mean <= 1.03, "{map}: mean {mean}");
        }
    }
}

#[test]
fn weighted_searches_stay_within_their_bound() {
    for map in ["arena", "den312d"] {
        for weight in [1.5, 3.0] {
            let planner = format!("kind = \"theta-star\"\nweight = {weight:?}");
            if let Some((mean, most)) = quotients(map, &planner) {
                assert!(mean <= 1.1, "{map} w = {weight}: mean {mean}");
                assert!(most <= 1.06 * weight, "{map} w = {weight}: largest {most}");
            }
        }
    }
}

/// The shortest ways from one place to others over what sees what: exact, since shortest walks turn
/// at convex corners of walls alone.
fn exact(sim: &Simulation, corners: &[Location], from: Location, goals: &[Location]) -> Vec<f64> {
    let ground = sim.world().site.ground;
    let places: Vec<Location> = [from].iter().chain(corners).copied().collect();
    let mut length = vec![f64::INFINITY; places.len()];
    length[0] = 0.0;
    let mut done = vec![false; places.len()];
    let apart = |a: &Location, b: &Location| f64::from(a.point.distance(b.point));
    while let Some(next) = (0..places.len())
        .filter(|i| !done[*i] && length[*i].is_finite())
        .min_by(|a, b| length[*a].total_cmp(&length[*b]))
    {
        done[next] = true;
        for other in 0..places.len() {
            let through = length[next] + apart(&places[next], &places[other]);
            if !done[other] && through < length[other] && ground.sees(places[next], places[other]) {
                length[other] = through;
            }
        }
    }
    let seen = |goal: &Location, i: usize| {
        let sees = length[i].is_finite() && ground.sees(places[i], *goal);
        sees.then(|| length[i] + apart(&places[i], goal))
    };
    goals
        .iter()
        .map(|goal| {
            let ways = (0..places.len()).filter_map(|i| seen(goal, i));
            ways.fold(f64::INFINITY, f64::min)
        })
        .collect()
}

#[test]
fn theta_star_is_short_on_random_maps_too() {
    const SIDE: usize = 28;
    let (mut sum, mut most, mut count) = (0.0, 0.0_f64, 0);
    for seed in 0..12_u64 {
        let mut state = seed * 77 + 1;
        let mut random = || {
            // A linear congruential generator: any numbers do.
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / (1_u64 << 31) as f64
        };
        let share = [0.1, 0.2, 0.3][seed as usize % 3];
        let free: Vec<bool> = (0..SIDE * SIDE).map(|_| random() >= share).collect();
        let is_free = |x: usize, y: usize| {
            let (x, y) = (x.wrapping_sub(1), y.wrapping_sub(1));
            x < SIDE && y < SIDE && free[y * SIDE + x]
        };
        let sim = cells(SIDE, SIDE, free.clone(), "kind = \"theta-star\"");
        let mut corners = Vec::new();
        for (x, y) in (0..=SIDE).flat_map(|x| (0..=SIDE).map(move |y| (x, y))) {
            let about = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
            let solid = about.iter().filter(|(x, y)| !is_free(*x, *y)).count();
            if solid == 1 {
                corners.extend(sim.locate(Spot::Plan(x as f64, y as f64)));
            }
        }
        let centre = |i: usize| {
            let (x, y) = ((i % SIDE) as f64 + 0.5, (i / SIDE) as f64 + 0.5);
            sim.locate(Spot::Plan(x, y)).unwrap()
        };
        let places: Vec<Location> = (0..SIDE * SIDE)
            .filter(|i| free[*i])
            .step_by(41)
            .map(centre)
            .collect();
        let (mut scratch, mut sink) = (Scratch::default(), RouteSink::default());
        for from in places.iter().step_by(5) {
            let lengths = exact(&sim, &corners, *from, &places);
            for (to, wanted) in places.iter().zip(lengths) {
                sim.plan_batch(&[query(*from, *to)], &mut scratch, &mut sink);
                let row = sink.rows[0];
                let found = !matches!(row.kind, RouteKind::Missing(_));
                assert_eq!(found, wanted.is_finite(), "{seed}: {from:?} {to:?}");
                if found && wanted > 1e-3 {
                    let quotient = f64::from(row.length) / wanted;
                    assert!(quotient > 1.0 - 1e-5, "{seed}: {quotient}");
                    sum += quotient;
                    most = most.max(quotient);
                    count += 1;
                }
            }
        }
    }
    let mean = sum / f64::from(count);
    println!("{count} queries on random maps: mean {mean:.6}, largest {most:.4}");
    assert!(count > 300 && mean <= 1.004, "{count} queries, mean {mean}");
    assert!(most <= 1.06, "largest {most}");
}

#[test]
fn weighted_astar_stays_within_its_bound() {
    for map in ["arena", "den312d", "32room_000"] {
        let Some(scen) = data(&format!("{map}.map.scen")) else {
            continue;
        };
        // The largest map takes longest to build.
        let weights: &[f64] = match map {
            "32room_000" => &[2.0],
            _ => &[1.25, 2.0, 5.0],
        };
        for &weight in weights {
            let planner = format!("kind = \"astar\"\nweight = {weight:?}");
            let Some(sim) = simulation(map, &planner) else {
                continue;
            };
            let (mut scratch, mut sink) = (Scratch::default(), RouteSink::default());
            let (mut sum, mut most, mut count) = (0.0, 0.0_f64, 0);
            let lines = scen.lines().skip(1).filter(|l| !l.trim().is_empty());
            for line in lines.step_by(17) {
                let fields: Vec<&str> = line.split_whitespace().collect();
                let number = |i: usize| fields[i].parse::<f64>().unwrap();
                let place = |i: usize| {
                    let spot = Spot::Plan(number(i) + 0.5, number(i + 1) + 0.5);
                    sim.locate(spot).unwrap()
                };
                sim.plan_batch(&[query(place(4), place(6))], &mut scratch, &mut sink);
                let quotient = f64::from(sink.rows[0].length) / number(8).max(1e-9);
                if number(8) > 0.0 {
                    assert!(
                        quotient > 1.0 - 1e-4 && quotient <= weight + 1e-4,
                        "{map}: {line}"
                    );
                    sum += quotient;
                    most = most.max(quotient);
                    count += 1;
                }
            }
            let mean = sum / f64::from(count);
            println!("{map} w = {weight}: {count} queries, mean {mean:.4}, largest {most:.4}");
        }
    }
}

#[test]
fn fields_have_the_listed_octile_lengths() {
    for map in ["arena", "den312d"] {
        let planner = "kind = \"flow-field\"";
        let (Some(sim), Some(scen)) = (simulation(map, planner), data(&format!("{map}.map.scen")))
        else {
            continue;
        };
        let stencil = Stencil::of(sim.map()).unwrap();
        let costs = StepCosts::on(&stencil, &Terms::lengths(sim.map(), &[], 0.0));
        let (mut expander, mut field) = (Expander::default(), Field::default());
        let node = |x: f64, y: f64| {
            let at = sim.locate(Spot::Plan(x + 0.5, y + 0.5)).unwrap();
            let apart = |n: &usize| sim.map().node_place[*n].point.distance(at.point);
            let nodes = 0..sim.map().nodes();
            nodes.min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap()
        };
        let lines = scen.lines().skip(1).filter(|l| !l.trim().is_empty());
        // Every fifth: one field each.
        for line in lines.step_by(5) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let number = |i: usize| fields[i].parse::<f64>().unwrap();
            let slot = |x: f64, y: f64| stencil.slot_of(node(x, y) as u32);
            let goal = [(slot(number(6), number(7)), 0.0)];
            expander.grow(&stencil, &costs, Expansion::Dijkstra, &goal, &mut field);
            let found = field.cost[slot(number(4), number(5)) as usize];
            assert!(
                (f64::from(found) - number(8)).abs() < 1e-3,
                "{map}: {line}: found {found}"
            );
        }
    }
}

#[test]
fn queries_are_answered_from_fields() {
    for map in ["arena", "den312d"] {
        let planner = "kind = \"flow-field\"";
        let (Some(sim), Some(scen)) = (simulation(map, planner), data(&format!("{map}.map.scen")))
        else {
            continue;
        };
        let (mut scratch, mut sink) = (Scratch::default(), RouteSink::default());
        let lines = scen.lines().skip(1).filter(|l| !l.trim().is_empty());
        for line in lines.step_by(5) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let number = |i: usize| fields[i].parse::<f64>().unwrap();
            let place = |i: usize| {
                let spot = Spot::Plan(number(i) + 0.5, number(i + 1) + 0.5);
                sim.locate(spot).unwrap()
            };
            let request = query(place(4), place(6));
            sim.plan_batch(&[request], &mut scratch, &mut sink);
            let row = sink.rows[0];
            assert_eq!(row.kind, RouteKind::Gates, "{map}: {line}");
            for found in [row.length, row.cost] {
                let apart = (f64::from(found) - number(8)).abs();
                assert!(apart < 1e-3, "{map}: {line}: found {found}");
            }
        }
    }
}
