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
use throng_core::{NONE, PlanRequest, RouteKind, RouteSink, Scratch};
use throng_flow_field::{Expander, Expansion, Field, Stencil, StepCosts};
use throng_kit::search::Terms;

fn data(file: &str) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/movingai");
    let text = fs::read_to_string(folder.join(file)).ok();
    if text.is_none() {
        eprintln!("skipped: no ../shared/data/movingai/{file} beside the workspace");
    }
    text
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
    let environment = Environment {
        floors: vec![Floor::default()],
        cells: Some(FileCells {
            low: DVec2::ZERO,
            cell: 1.0,
            width,
            height,
            walkable: rows
                .take(height)
                .flat_map(|row| row.bytes().take(width).map(free))
                .collect(),
        }),
        ..Environment::default()
    };
    let scenario = format!("name = \"{map}\"\n[nav]\nkind = \"grid\"\n[planner]\n{planner}");
    let builder = Simulation::builder().threads(1);
    let mut sim = builder
        .world_with(environment, &scenario, throng::registry())
        .unwrap();
    // An empty step lets the planner prepare what its queries share.
    sim.step().unwrap();
    Some(sim)
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
        let request = PlanRequest {
            from: place(numbers[0], numbers[1]),
            to: place(numbers[2], numbers[3]),
            agent: NONE,
            goal: NONE,
            prices: 0,
            class: 0,
            from_region: NONE,
            radius: 0.0,
            weight: 0.0,
            speed: 1.34,
        };
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
            let request = PlanRequest {
                from: place(4),
                to: place(6),
                agent: NONE,
                goal: NONE,
                prices: 0,
                class: 0,
                from_region: NONE,
                radius: 0.0,
                weight: 0.0,
                speed: 1.34,
            };
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
