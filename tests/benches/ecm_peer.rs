//! The City's medial axis: building against bare `boostvoronoi`, locating, and route queries.
//!
//! `cargo bench -p throng-tests --bench ecm_peer [-- ROUNDS]`. Both sides take turns on the same
//! walls, round by round; figures are medians.

use std::time::Instant;

use boostvoronoi::prelude::Builder;
use glam::Vec2;
use throng::{
    Simulation,
    core::{
        Location, NONE, NavMap, NavRepresentation, PlanRequest, RouteSink, Scratch,
        random::{Purpose, Stream},
    },
};
use throng_kit::Walk;
use throng_nav_ecm::{Ecm, wall_lines};

const CITY: &str = r#"
name = "city"
[environment]
generate = "city"
[nav]
kind = "ecm"
[planner]
kind = "astar"
"#;

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(15);
    let mut sim = Simulation::from_text(CITY).unwrap();
    sim.step().unwrap();
    build(&sim, rounds);
    locate(&sim, rounds);
    routes(&sim, rounds);
}

fn build(sim: &Simulation, rounds: usize) {
    let site = sim.place().site();
    let lines = wall_lines(&site.ground);
    let (mut bare, mut whole, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let began = Instant::now();
        for lines in &lines {
            let diagram = Builder::<i32>::default()
                .with_segments(lines.iter())
                .and_then(Builder::build)
                .unwrap();
            std::hint::black_box(diagram.num_vertices());
        }
        let bare_ms = began.elapsed().as_secs_f64() * 1e3;
        let mut map = NavMap::default();
        let began = Instant::now();
        Ecm::default().build(&site, &mut map).unwrap();
        let whole_ms = began.elapsed().as_secs_f64() * 1e3;
        bare.push(bare_ms);
        whole.push(whole_ms);
        ratio.push(whole_ms / bare_ms);
    }
    println!(
        "build: {} walls, boostvoronoi {:.1} ms, ecm {:.1} ms, ratio {:.3}",
        lines.iter().map(Vec::len).sum::<usize>(),
        median(bare),
        median(whole),
        median(ratio)
    );
}

fn locate(sim: &Simulation, rounds: usize) {
    const AGENTS: usize = 20_000;
    let (site, map) = (sim.place().site(), sim.map());
    let nav = &sim.parts().nav;
    let mut s = Stream::new(1, 0, Purpose::Strategy, 0);
    let ground = sim.ground();
    let mut places: Vec<Location> = (0..AGENTS)
        .map(|_| sim.place().everywhere.draw(ground, &mut s, 64).unwrap())
        .collect();
    let mut hints = vec![NONE; AGENTS];
    let mut found = vec![NONE; AGENTS];
    nav.region_of(&site, map, &places, &hints, &mut found);
    // Sorted as the engine keeps them: who is near is near in memory.
    let mut order: Vec<usize> = (0..AGENTS).collect();
    let cell = |p: &Location| ((p.point.y / 4.0) as i32, (p.point.x / 4.0) as i32);
    order.sort_by_key(|&i| cell(&places[i]));
    places = order.iter().map(|&i| places[i]).collect();
    found = order.iter().map(|&i| found[i]).collect();
    let (mut walking, mut cold) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        for place in &mut places {
            let way = Vec2::new(s.range(-0.134, 0.134) as f32, s.range(-0.134, 0.134) as f32);
            let next = place.point + way.extend(0.0);
            if let Some(next) = ground.relocate(*place, next) {
                *place = next;
            }
        }
        std::mem::swap(&mut hints, &mut found);
        let began = Instant::now();
        nav.region_of(&site, map, &places, &hints, &mut found);
        walking.push(began.elapsed().as_secs_f64() * 1e9 / AGENTS as f64);
        let none = vec![NONE; AGENTS];
        let mut again = vec![NONE; AGENTS];
        let began = Instant::now();
        nav.region_of(&site, map, &places, &none, &mut again);
        cold.push(began.elapsed().as_secs_f64() * 1e9 / AGENTS as f64);
        assert_eq!(found, again);
    }
    println!(
        "locate: {:.1} ns from the last region, {:.1} ns without",
        median(walking),
        median(cold)
    );
}

fn routes(sim: &Simulation, rounds: usize) {
    let (site, map) = (sim.place().site(), sim.map());
    let nav = &sim.parts().nav;
    let ground = sim.ground();
    let mut s = Stream::new(2, 0, Purpose::Strategy, 0);
    let mut draw = || sim.place().everywhere.draw(ground, &mut s, 64).unwrap();
    let requests: Vec<PlanRequest> = (0..1000)
        .map(|_| PlanRequest {
            from: draw(),
            to: draw(),
            agent: NONE,
            goal: NONE,
            prices: 0,
            class: 0,
            from_region: NONE,
            radius: 0.0,
            weight: 0.0,
            speed: 1.34,
        })
        .collect();
    let (mut scratch, mut sink) = (Scratch::default(), RouteSink::default());
    let mut gates = Vec::new();
    let mut micros = Vec::new();
    let mut edges = 0;
    for _ in 0..rounds {
        let began = Instant::now();
        for request in &requests {
            sim.plan_batch(&[*request], &mut scratch, &mut sink);
            gates.clear();
            nav.emit_gates(&site, map, &sink.edges, &mut gates);
            edges += sink.edges.len();
        }
        micros.push(began.elapsed().as_secs_f64() * 1e6 / requests.len() as f64);
    }
    println!(
        "routes: {:.2} us a query with its gates, {} edges on the mean",
        median(micros),
        edges / requests.len() / rounds
    );
}
