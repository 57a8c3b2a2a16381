//! Nanoseconds per agent of `orca` alone, on one thread: the open square at 0.5 agents per m2
//! with 10 neighbours within 5 m. `cargo run --release -p throng-rvo --example steer_speed`.
//! Finding neighbours is not timed here: the engine's ignored test `search_speed` does that.

use std::time::Instant;

use glam::Vec2;
use throng_core::{
    LocalAvoidance, MemoryRows, Neighbour, NeighbourRows, Scratch, SteerChunk, SteerOut, WallRows,
    random::{Purpose, Stream},
};
use throng_rvo::Orca;

const CHUNK: usize = 256;
const SPEED: f32 = 1.4;
const RADIUS: f32 = 0.25;

struct Square {
    at: Vec<Vec2>,
    goal: Vec<Vec2>,
    velocity: Vec<Vec2>,
}

/// Neighbours of all agents in compressed rows, nearest first.
#[derive(Default)]
struct Near {
    start: Vec<u32>,
    seen: Vec<Neighbour>,
    id: Vec<u64>,
}

impl Square {
    fn new(agents: usize) -> Square {
        let side = (agents as f32 / 0.5).sqrt();
        let mut draw = Stream::new(1, 0, Purpose::Start, 0);
        let mut points = |n: usize| -> Vec<Vec2> {
            (0..n)
                .map(|_| Vec2::new(draw.unit(), draw.unit()) * side)
                .collect()
        };
        let (mut at, goal) = (points(agents), points(agents));
        // In order of place, as the engine keeps them.
        at.sort_by_key(|p| ((p.y / 4.0) as i32, (p.x * 1000.0) as i32));
        Square {
            velocity: vec![Vec2::ZERO; agents],
            at,
            goal,
        }
    }

    fn look(&self) -> Near {
        const CELL: f32 = 2.5;
        let cell = |p: Vec2| (p / CELL).floor().as_ivec2();
        let mut cells = std::collections::BTreeMap::<(i32, i32), Vec<usize>>::new();
        for (i, &p) in self.at.iter().enumerate() {
            let c = cell(p);
            cells.entry((c.x, c.y)).or_default().push(i);
        }
        let mut near = Near::default();
        near.start.push(0);
        let mut around = Vec::new();
        for (i, &p) in self.at.iter().enumerate() {
            around.clear();
            let c = cell(p);
            for y in c.y - 2..=c.y + 2 {
                for x in c.x - 2..=c.x + 2 {
                    for &j in cells.get(&(x, y)).into_iter().flatten() {
                        let squared = self.at[j].distance_squared(p);
                        if j != i && squared <= 25.0 {
                            around.push((squared, j));
                        }
                    }
                }
            }
            around.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for &(_, j) in around.iter().take(10) {
                near.seen.push(Neighbour {
                    offset: self.at[j] - p,
                    velocity: self.velocity[j],
                });
                near.id.push(j as u64);
            }
            near.start.push(near.seen.len() as u32);
        }
        near
    }
}

fn main() {
    for agents in [10_000, 100_000] {
        let mut square = Square::new(agents);
        let orca = Orca::default();
        let mut scratch = Scratch::default();
        let ids: Vec<u64> = (0..agents as u64).collect();
        let (radius, max_speed) = (vec![RADIUS; agents], vec![SPEED; agents]);
        let (ones, ticks) = (vec![1.0; agents], vec![0; agents]);
        let no_walls = vec![0; CHUNK + 1];
        let mut out = vec![Vec2::ZERO; agents];
        let mut best = f64::INFINITY;
        for step in 0..30 {
            let near = square.look();
            let preferred: Vec<Vec2> = square
                .at
                .iter()
                .zip(&square.goal)
                .map(|(a, g)| ((g - a) / 0.1).clamp_length_max(SPEED))
                .collect();
            let radii = vec![RADIUS; near.seen.len()];
            let flags = vec![0; near.seen.len()];
            let began = Instant::now();
            for first in (0..agents).step_by(CHUNK) {
                let part = first..(first + CHUNK).min(agents);
                let chunk = SteerChunk {
                    dt: 0.1,
                    step,
                    seed: 1,
                    id: &ids[part.clone()],
                    tick: &ticks[part.clone()],
                    velocity: &square.velocity[part.clone()],
                    heading: &square.velocity[part.clone()],
                    preferred: &preferred[part.clone()],
                    target: &preferred[part.clone()],
                    radius: &radius[part.clone()],
                    max_speed: &max_speed[part.clone()],
                    mass: &ones[part.clone()],
                    neighbours: NeighbourRows {
                        start: &near.start[part.start..=part.end],
                        seen: &near.seen,
                        radius: &radii,
                        flags: &flags,
                        id: &near.id,
                    },
                    walls: WallRows {
                        start: &no_walls[..=part.len()],
                        walls: &[],
                    },
                };
                let mut answer = SteerOut {
                    velocity: &mut out[part],
                    push: &mut [],
                    pressed: &mut [],
                    memory: MemoryRows::default(),
                };
                orca.steer(&chunk, &mut scratch, &mut answer);
            }
            best = best.min(began.elapsed().as_secs_f64());
            for (at, v) in square.at.iter_mut().zip(&out) {
                *at += *v * 0.1;
            }
            square.velocity.copy_from_slice(&out);
        }
        let each = best * 1e9 / agents as f64;
        println!("{agents} agents: steer {each:.0} ns per agent (best of 30 steps)");
    }
}
