//! Fields on a map of 512 x 512 cells against `pathfinding::dijkstra_all` on the same graph, and
//! what guiding by fields costs an agent.
//!
//! `cargo bench -p throng-tests --bench field_peer [-- ROUNDS] [MAP or guide]`. All take turns in
//! one run, so that a noisy machine is noisy for all; the figures are medians.
//!
//! `dijkstra_all` is called as its documentation shows it (nodes are columns and rows, a list of
//! steps from each), and also over the finished edges of our map with nodes that are plain numbers,
//! which is the best that it can be given.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap},
    time::Instant,
};

use glam::Vec2;
use pathfinding::prelude::dijkstra_all;
use throng::Simulation;
use throng_core::{GuideChunk, GuideOut, MemoryRows, NavMap, Scratch};
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

/// Maps of about 512 x 512 cells; "random" has every fifth one blocked.
const MAPS: [(&str, &str); 4] = [
    (
        "random",
        "generate = \"grid-map\"\ncells = 512\nshare = 0.2",
    ),
    (
        "rooms",
        "generate = \"grid-map\"\ncells = 512\npattern = \"rooms\"\npassage = 16",
    ),
    ("city", "generate = \"city\""),
    ("open", "generate = \"grid-map\"\ncells = 512\nshare = 0.0"),
];

/// The eight steps of a walker over cells.
const STEPS: [(i32, i32); 8] = [
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
    (0, -1),
    (1, -1),
];

/// The cells of a map as somebody has them who has no map: rows of cells with the steps that lead
/// from each.
struct Cells {
    /// One bit for each of [`STEPS`].
    open: Vec<u8>,
    width: i32,
}

impl Cells {
    /// The cells of a lattice of nodes one metre apart, and the column and row of each node.
    fn of(map: &NavMap) -> (Cells, Vec<(i32, i32)>) {
        let places = map.node_place.iter().map(|p| p.point.truncate());
        let low = places.clone().fold(Vec2::INFINITY, Vec2::min);
        let at = |p: Vec2| {
            let steps = (p - low).round();
            (steps.x as i32, steps.y as i32)
        };
        let at: Vec<_> = places.map(at).collect();
        let width = at.iter().map(|p| p.0).max().unwrap_or(0) + 1;
        let height = at.iter().map(|p| p.1).max().unwrap_or(0) + 1;
        let mut open = vec![0; (width * height) as usize];
        for e in 0..map.edges() {
            let [(x, y), (to_x, to_y)] = [map.edge_from[e], map.edge_to[e]].map(|n| at[n as usize]);
            let step = STEPS.iter().position(|s| *s == (to_x - x, to_y - y));
            open[(y * width + x) as usize] |= 1 << step.expect("a step");
        }
        (Cells { open, width }, at)
    }

    /// The steps from a cell with their lengths in micrometres, as the crate's documentation has
    /// it in its examples.
    fn successors(&self, &(x, y): &(i32, i32)) -> Vec<((i32, i32), u64)> {
        let open = self.open[(y * self.width + x) as usize];
        let steps = STEPS.into_iter().enumerate();
        let open = steps.filter(|(k, _)| open >> k & 1 == 1);
        open.map(|(_, (dx, dy))| {
            let diagonal = dx != 0 && dy != 0;
            let length = if diagonal { 1_414_214 } else { 1_000_000 };
            ((x + dx, y + dy), length)
        })
        .collect()
    }
}

/// Dijkstra's algorithm as it is in textbooks, over the edges of a map with a binary heap; then
/// the neighbour to walk to from every node. Says what the machine gives.
fn plain(map: &NavMap, goal: u32) -> (Vec<f32>, Vec<u32>) {
    let mut cost = vec![f32::INFINITY; map.nodes()];
    let mut heap = BinaryHeap::from([(Reverse(0_u32), goal)]);
    cost[goal as usize] = 0.0;
    while let Some((Reverse(bits), node)) = heap.pop() {
        // Floats that are not negative are ordered as their bits.
        let paid = f32::from_bits(bits);
        if paid > cost[node as usize] {
            continue;
        }
        for e in map.edges_of(node) {
            let (to, through) = (map.edge_to[e], paid + map.edge_length[e]);
            if through < cost[to as usize] {
                cost[to as usize] = through;
                heap.push((Reverse(through.to_bits()), to));
            }
        }
    }
    let next = (0..map.nodes() as u32).map(|node| {
        let through = |e: &usize| cost[map.edge_to[*e] as usize] + map.edge_length[*e];
        let edges = map.edges_of(node);
        let best = edges.min_by(|a, b| through(a).total_cmp(&through(b)));
        best.map_or(node, |e| map.edge_to[e])
    });
    let next = next.collect();
    (cost, next)
}

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
    let (cells, at) = Cells::of(map);
    let (mut expander, mut field) = (Expander::default(), Field::default());
    let mut times: [Vec<f64>; 5] = Default::default();
    let (mut by_edges, mut by_cells) = (HashMap::new(), HashMap::new());
    let mut by_hand = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let [dijkstra, theta, cell_peer, edge_peer, hand] = &mut times;
        dijkstra.push(millis(|| {
            expander.grow(&stencil, &costs, Expansion::Dijkstra, &slot, &mut field);
        }));
        theta.push(millis(|| {
            expander.grow(&stencil, &costs, Expansion::ThetaStar, &slot, &mut field);
        }));
        cell_peer.push(millis(|| {
            by_cells = dijkstra_all(&at[goal as usize], |cell| cells.successors(cell));
        }));
        edge_peer.push(millis(|| {
            by_edges = dijkstra_all(&goal, |&node| {
                map.edges_of(node).map(|e| {
                    let length = (f64::from(map.edge_length[e]) * 1e6) as u64;
                    (map.edge_to[e], length)
                })
            });
        }));
        hand.push(millis(|| by_hand = plain(map, goal)));
    }
    // All of them found the same.
    expander.grow(&stencil, &costs, Expansion::Dijkstra, &slot, &mut field);
    let known = field.cost.iter().filter(|c| c.is_finite()).count() - 1;
    assert_eq!((known, known), (by_edges.len(), by_cells.len()));
    for (node, &cell) in at.iter().enumerate() {
        let ours = field.cost[stencil.slot_of(node as u32) as usize];
        let by_edge = by_edges.get(&(node as u32)).map(|e| e.1);
        let by_cell = by_cells.get(&cell).map(|c| c.1);
        for peer in [by_edge, by_cell].into_iter().flatten() {
            let metres = peer as f32 / 1e6;
            assert!(
                (ours - metres).abs() < 1e-5 * metres + 1e-3,
                "{ours} {metres}"
            );
        }
        let hand = by_hand.0[node];
        assert!(
            ours == hand || (ours - hand).abs() < 1e-4 * hand,
            "{ours} {hand}"
        );
    }
    let [d, t, c, e, h] = times.each_mut().map(|v| median(v));
    println!(
        "{name}, {} nodes, {known} reached: dijkstra field with directions {d:.2} ms, lazy \
         theta-star field {t:.2} ms ({:.2} times it); dijkstra_all over cells {c:.2} ms ({:.1} \
         times), over the map's edges {e:.2} ms ({:.1} times); plain Dijkstra with neighbours to \
         walk to {h:.2} ms ({:.1} times)",
        map.nodes(),
        t / d,
        c / d,
        e / d,
        h / d
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
    let (mut preferred, mut target) = (vec![Vec2::ZERO; 512], vec![Vec2::ZERO; 512]);
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
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rounds = words.iter().find_map(|a| a.parse().ok()).unwrap_or(11);
    let asked = |name: &str| {
        let mut names = words
            .iter()
            .filter(|w| MAPS.iter().any(|m| m.0 == **w) || *w == "guide");
        names.clone().next().is_none() || names.any(|w| w == name)
    };
    for (name, environment) in MAPS.into_iter().filter(|m| asked(m.0)) {
        fields(rounds, name, environment);
    }
    if asked("guide") {
        guidance(rounds);
    }
}
