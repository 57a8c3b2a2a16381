//! Routes on a map of 512 x 512 cells: Throng's `astar` on `grid` against the crate
//! `pathfinding`, same queries, in one run.
//!
//! `cargo bench -p throng-tests --bench path_peer [-- QUERIES ROUNDS]`. The two take turns query
//! by query, so that a noisy machine is noisy for both; the figures are medians. Both walk
//! 8 neighbours, cut no corner, use the octile heuristic and must find the same length.

use std::time::Instant;

use pathfinding::prelude::astar;
use throng::{Simulation, Spot};
use throng_core::{
    NONE, PlanRequest, RouteKind, RouteSink, Scratch,
    random::{Purpose, Stream},
};

const SIDE: i32 = 512;
/// Lengths of the peer are whole numbers of this many to the metre.
const UNIT: f64 = 1e6;

fn scenario(pattern: &str) -> String {
    format!(
        r#"
name = "{pattern}"
[environment]
generate = "grid-map"
cells = {SIDE}
pattern = "{pattern}"
passage = 8
share = 0.25
"#
    )
}

struct Peer<'a> {
    free: &'a [u8],
}

impl Peer<'_> {
    fn is_free(&self, x: i32, y: i32) -> bool {
        (0..SIDE).contains(&x) && (0..SIDE).contains(&y) && self.free[(y * SIDE + x) as usize] != 0
    }

    fn around(&self, (x, y): (i32, i32)) -> impl Iterator<Item = ((i32, i32), u64)> + '_ {
        let straight = UNIT as u64;
        let across = (UNIT * 2f64.sqrt()) as u64;
        (-1..=1)
            .flat_map(move |dy| (-1..=1).map(move |dx| (dx, dy)))
            .filter_map(move |(dx, dy)| {
                let free = (dx, dy) != (0, 0)
                    && self.is_free(x + dx, y + dy)
                    && self.is_free(x + dx, y)
                    && self.is_free(x, y + dy);
                let length = if dx != 0 && dy != 0 { across } else { straight };
                free.then_some(((x + dx, y + dy), length))
            })
    }

    fn route(&self, from: (i32, i32), to: (i32, i32)) -> Option<u64> {
        let across = (UNIT * 2f64.sqrt()) as u64;
        let octile = |&(x, y): &(i32, i32)| {
            let (dx, dy) = (x.abs_diff(to.0) as u64, y.abs_diff(to.1) as u64);
            dx.min(dy) * across + (dx.max(dy) - dx.min(dy)) * UNIT as u64
        };
        astar(&from, |at| self.around(*at), octile, |at| *at == to).map(|(_, length)| length)
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let queries = numbers.first().copied().unwrap_or(300);
    let rounds = numbers.get(1).copied().unwrap_or(3);
    for pattern in ["random", "rooms"] {
        let built = Simulation::builder().threads(1).text(&scenario(pattern));
        let mut sim = built.unwrap_or_else(|e| panic!("{e}"));
        // An empty step lets the planner prepare what its queries share.
        sim.step().unwrap();
        let site = sim.place().site();
        let peer = Peer {
            free: site.file_cells.unwrap().walkable,
        };
        let mut random = Stream::new(9, 0, Purpose::Strategy, 0);
        let mut cell = || loop {
            let at = (
                random.below(SIDE as usize) as i32,
                random.below(SIDE as usize) as i32,
            );
            if peer.is_free(at.0, at.1) {
                return at;
            }
        };
        let pairs: Vec<_> = (0..queries).map(|_| (cell(), cell())).collect();
        let place = |(x, y): (i32, i32)| {
            let at = Spot::Plan(f64::from(x) + 0.5, f64::from(y) + 0.5);
            sim.locate(at).unwrap()
        };
        let (mut scratch, mut sink) = (Scratch::default(), RouteSink::default());
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            for &(from, to) in &pairs {
                let request = PlanRequest {
                    from: place(from),
                    to: place(to),
                    agent: NONE,
                    goal: NONE,
                    prices: 0,
                    class: 0,
                    from_region: NONE,
                    radius: 0.0,
                    weight: 0.0,
                    speed: 1.34,
                };
                let began = Instant::now();
                sim.plan_batch(&[request], &mut scratch, &mut sink);
                let our = began.elapsed().as_secs_f64() * 1e6;
                let began = Instant::now();
                let length = peer.route(from, to);
                let their = began.elapsed().as_secs_f64() * 1e6;
                let row = &sink.rows[0];
                match (row.kind, length) {
                    (RouteKind::Missing(_), None) => {}
                    (_, Some(length)) => {
                        let apart = (f64::from(row.length) - length as f64 / UNIT).abs();
                        assert!(apart < 0.05, "{from:?} to {to:?}: {} m", row.length);
                    }
                    other => panic!("{from:?} to {to:?}: {other:?}"),
                }
                ours.push(our);
                theirs.push(their);
                ratios.push(their / our);
            }
        }
        println!(
            "{pattern}: {queries} queries, {rounds} rounds: throng median {:.0} us, pathfinding \
             median {:.0} us; median ratio {:.1}",
            median(&mut ours),
            median(&mut theirs),
            median(&mut ratios)
        );
    }
}
