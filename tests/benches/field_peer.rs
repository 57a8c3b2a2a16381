//! Fields on a map of 512 x 512 cells against `pathfinding::dijkstra_all` on the same graph, and
//! what guiding by fields costs an agent.
//!
//! `cargo bench -p throng-tests --bench field_peer [-- ROUNDS]`. All take turns in one run, so
//! that a noisy machine is noisy for all; the figures are medians.

use std::time::Instant;

use pathfinding::prelude::dijkstra_all;
use throng::Simulation;
use throng_core::{GuideChunk, GuideOut, MemoryRows, Scratch};
use throng_flow_field::{Expander, Expansion, Field, Stencil, StepCosts};
use throng_kit::search::Terms;

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn millis(act: impl FnOnce()) -> f64 {
    let began = Instant::now();
    act();
    began.elapsed().as_secs_f64() * 1e3
}

/// Maps of about 512 x 512 cells.
const MAPS: [(&str, &str); 4] = [
    (
        "20 % of cells",
        "generate = \"grid-map\"\ncells = 512\nshare = 0.2",
    ),
    (
        "rooms",
        "generate = \"grid-map\"\ncells = 512\npattern = \"rooms\"\npassage = 16",
    ),
    ("city", "generate = \"city\""),
    ("open", "generate = \"grid-map\"\ncells = 512\nshare = 0.0"),
];

fn fields(rounds: usize, name: &str, environment: &str) {
    let scenario = format!(
        "name = \"field\"\n[environment]\n{environment}\n[nav]\nkind = \"grid\"\ncell = 1.0"
    );
    let built = Simulation::builder().threads(1).text(&scenario);
    let sim = built.unwrap_or_else(|e| panic!("{e}"));
    let map = sim.map();
    let stencil = Stencil::of(map).expect("a grid is a lattice");
    let costs = StepCosts::on(&stencil, &Terms::lengths(map, &[], 0.0));
    let goal = map.nodes() as u32 / 2;
    let slot = [(stencil.slot_of(goal), 0.0)];
    let (mut expander, mut field) = (Expander::default(), Field::default());
    let (mut dijkstra, mut theta, mut peer) = (Vec::new(), Vec::new(), Vec::new());
    let mut reached = 0;
    for _ in 0..rounds {
        dijkstra.push(millis(|| {
            expander.grow(&stencil, &costs, Expansion::Dijkstra, &slot, &mut field);
        }));
        theta.push(millis(|| {
            expander.grow(&stencil, &costs, Expansion::ThetaStar, &slot, &mut field);
        }));
        peer.push(millis(|| {
            let all = dijkstra_all(&goal, |&node| {
                map.edges_of(node).map(|e| {
                    let length = (f64::from(map.edge_length[e]) * 1e6) as u64;
                    (map.edge_to[e], length)
                })
            });
            reached = all.len();
        }));
    }
    expander.grow(&stencil, &costs, Expansion::Dijkstra, &slot, &mut field);
    let known = field.cost.iter().filter(|c| c.is_finite()).count();
    assert!(known > reached, "{known} {reached}");
    let [d, t, p] = [&mut dijkstra, &mut theta, &mut peer].map(|v| median(v));
    println!(
        "{name}, {} nodes: dijkstra field with directions {d:.2} ms, lazy theta-star field {t:.2} ms \
         ({:.2} times it), dijkstra_all {p:.2} ms ({:.1} times the dijkstra field)",
        map.nodes(),
        t / d,
        p / d
    );
}

fn guidance(rounds: usize) {
    let agents = 100_000;
    let scenario = format!(
        r#"
name = "guide"
[environment]
generate = "square"
side = 500.0
[nav]
kind = "grid"
cell = 1.0
[planner]
kind = "flow-field"
[avoidance]
kind = "none"
[[source]]
area = "everything"
count = {agents}
goals = [[[0, 0], [9, 0], [9, 9]], [[500, 0], [491, 0], [491, 9]], [[500, 500], [491, 500], [491, 491]], [[0, 500], [9, 500], [9, 491]]]
choose = "random"
"#
    );
    let built = Simulation::builder().threads(1).text(&scenario);
    let mut sim = built.unwrap_or_else(|e| panic!("{e}"));
    for _ in 0..3 {
        sim.step().unwrap();
    }
    let world = sim.world();
    let count = world.agents.len();
    let rows: Vec<u32> = (0..count as u32).collect();
    let planner = &sim.parts().planners[0].strategy;
    let mut scratch = Scratch::default();
    let (mut preferred, mut target) = (vec![glam::Vec2::ZERO; 512], vec![glam::Vec2::ZERO; 512]);
    let mut follow = vec![0; 512];
    let mut times = Vec::new();
    for _ in 0..rounds {
        let spent = millis(|| {
            for chunk in rows.chunks(512) {
                let n = chunk.len();
                follow[..n].fill(0);
                planner.guide(
                    &world,
                    &GuideChunk {
                        rows: chunk,
                        dt: 0.1,
                    },
                    &mut scratch,
                    &mut GuideOut {
                        preferred: &mut preferred[..n],
                        target: &mut target[..n],
                        follow_route: &mut follow[..n],
                        memory: MemoryRows::default(),
                    },
                );
            }
        });
        times.push(spent * 1e6 / count as f64);
    }
    println!(
        "{count} agents, 4 goals: guidance {:.1} ns per agent and step, one thread",
        median(&mut times)
    );
}

fn main() {
    let rounds = std::env::args().find_map(|a| a.parse().ok()).unwrap_or(11);
    for (name, environment) in MAPS {
        fields(rounds, name, environment);
    }
    guidance(rounds);
}
