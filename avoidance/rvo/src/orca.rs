//! Avoidance `orca`: optimal reciprocal collision avoidance.
//!
//! Jur van den Berg, Stephen J. Guy, Ming Lin and Dinesh Manocha, "Reciprocal n-body collision
//! avoidance", Robotics Research, 2011. Every neighbour and every wall forbids a half-plane of
//! velocities; a linear program finds the allowed velocity nearest to the preferred one. Where
//! a crowd is so dense that nothing is allowed, the velocity that misses the neighbours'
//! half-planes least is taken, still within those of the walls.
//!
//! Half-planes and programs run for eight agents at once, with the same bits on every
//! instruction set (no fused operations, masked lanes). `walls` gives the half-planes of walls,
//! `agents` those of neighbours, `programs` the linear programs.

mod agents;
mod lanes;
mod programs;
#[cfg(test)]
mod tests;
mod walls;

use fearless_simd::{Level, Simd, dispatch, mask32x8, prelude::*};
use glam::Vec2;
use throng_core::{
    Capabilities, LocalAvoidance, Perception, Scratch, SteerChunk, SteerOut, random::mix,
};

use agents::{Own, Spans, agent_planes};
use lanes::{LANES, Planes, Row};
use programs::{Found, Wish, least_miss, nearest};
use walls::{Plane, wall_planes};

throng_core::options! {
    /// Optimal reciprocal collision avoidance.
    pub struct Orca {
        /// Neighbours farther away are not looked at.
        reach: f32 = 5.0, "m", 0.0..=100.0;
        /// At most so many neighbours, the nearest, are avoided.
        most: u32 = 10, "", 0..=64;
        /// Velocities that collide with a neighbour within this time are avoided. Longer makes
        /// people react earlier and keep more room.
        time_horizon: f32 = 3.0, "s", 0.05..=60.0;
        /// Velocities that reach a wall within this time are avoided. Longer keeps people slow
        /// before walls and away from narrow doors.
        wall_horizon: f32 = 1.0, "s", 0.05..=60.0;
        /// Walls farther away are not looked at.
        wall_reach: f32 = 3.0, "m", 0.0..=100.0;
        /// The preferred velocity of each agent is turned by a fixed angle of its own, drawn by
        /// id between minus and plus this: so nobody waits for ever in an exact symmetry (head-on,
        /// a circle of people who all want to cross it).
        symmetry_breaking: f32 = 0.01, "rad", 0.0..=0.2;
    }
}

throng_core::register! {
    Avoidance "orca" => Orca,
    about: "Optimal reciprocal collision avoidance: half-planes of velocities and linear programs.",
    when: "The default: fast, smooth, free of collisions up to high densities.",
    when_not: "Bodies that push each other, or crowds above about 4 persons per m2, where it stops rather than presses.",
    growth: "Linear in agents; about the square of the neighbours looked at in the worst case.",
    paper: "van den Berg, Guy, Lin, Manocha: Reciprocal n-body collision avoidance. Robotics Research, 2011.",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[typetag::serde(name = "orca")]
impl LocalAvoidance for Orca {
    fn perception(&self) -> Perception {
        Perception {
            reach: self.reach,
            most: self.most,
            wall_reach: self.wall_reach,
        }
    }

    fn steer(&self, chunk: &SteerChunk<'_>, scratch: &mut Scratch, out: &mut SteerOut<'_>) {
        self.steer_at(Level::new(), chunk, scratch, out.velocity);
    }
}

/// What is kept from call to call.
#[derive(Debug, Default)]
struct Work {
    /// Half-planes of the eight lanes at hand, walls first.
    planes: Vec<Planes>,
    /// Half-planes of the walls of each lane.
    walls: Vec<Plane>,
    order: Vec<(f32, u32)>,
    projected: Vec<Planes>,
    crowded: Crowded,
}

/// Agents whose half-planes leave nothing, collected until eight fill the lanes again.
#[derive(Debug, Default)]
struct Crowded {
    agents: Vec<Waiting>,
    /// Half-planes of all of them: normal and offset.
    planes: Vec<[f32; 3]>,
    hard: Vec<Planes>,
    soft: Vec<Planes>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    agent: u32,
    first: u32,
    hard: u32,
    soft: u32,
    failed_at: f32,
    velocity: Vec2,
    preferred: Vec2,
    max_speed: f32,
}

impl Orca {
    /// Steers on a given instruction set; the answer is the same on all.
    fn steer_at(
        &self,
        level: Level,
        chunk: &SteerChunk<'_>,
        scratch: &mut Scratch,
        out: &mut [Vec2],
    ) {
        let work = scratch.get::<Work>();
        dispatch!(level, simd => steer_chunk(simd, self, chunk, work, out));
    }

    /// The preferred velocity, turned by the agent's own small angle.
    #[inline]
    fn wish(&self, seed: u64, id: u64, preferred: Vec2) -> Vec2 {
        let drawn = mix(mix(seed) ^ id) >> 40;
        let angle = (drawn as f32 / (1u64 << 23) as f32 - 1.0) * self.symmetry_breaking;
        preferred + preferred.perp() * angle
    }
}

/// A number that can be squared, or 0.
#[inline(always)]
fn sound(value: f32) -> f32 {
    if value.abs() < 1e9 { value } else { 0.0 }
}

#[inline(always)]
fn steer_chunk<S: Simd>(
    simd: S,
    orca: &Orca,
    chunk: &SteerChunk<'_>,
    work: &mut Work,
    out: &mut [Vec2],
) {
    work.crowded.agents.clear();
    work.crowded.planes.clear();
    let everybody = chunk.len();
    let dt = if chunk.dt > 1e-6 { chunk.dt } else { 1e-6 };
    for first in (0..everybody).step_by(LANES) {
        let lanes = LANES.min(everybody - first);
        let mut spans = Spans::default();
        let mut ids = [0; LANES];
        let mut own = [Row::default(); 6];
        for (lane, id) in ids.iter_mut().enumerate().take(lanes) {
            let agent = first + lane;
            let near = chunk.neighbours_of(agent);
            spans.first[lane] = near.start as u32;
            spans.count[lane] = near.len() as u32;
            *id = chunk.id[agent];
            let wish = orca.wish(chunk.seed, *id, chunk.preferred[agent]);
            let values = [
                chunk.velocity[agent].x,
                chunk.velocity[agent].y,
                chunk.radius[agent],
                wish.x,
                wish.y,
                chunk.max_speed[agent].max(0.0),
            ];
            for (row, value) in own.iter_mut().zip(values) {
                row.0[lane] = sound(value);
            }
        }
        let hard = lay_walls(orca, chunk, first, lanes, &own, work);
        let load = |row: usize| own[row].load(simd);
        agent_planes(
            simd,
            &chunk.neighbours,
            &spans,
            &ids,
            Own {
                vx: load(0),
                vy: load(1),
                radius: load(2),
            },
            orca.time_horizon,
            dt,
            &mut work.planes,
        );
        let wish = Wish {
            x: load(3),
            y: load(4),
        };
        let in_use = mask32x8::from_bitmask(simd, (1 << lanes) - 1);
        let found = nearest::<S, false>(simd, &work.planes, load(5), wish, wish, in_use);
        let (mut x, mut y) = (Row::default(), Row::default());
        x.store(found.x);
        y.store(found.y);
        for lane in 0..lanes {
            out[first + lane] = within(Vec2::new(x.0[lane], y.0[lane]), own[5].0[lane]);
        }
        if found.failed.any_true() {
            let mut failed_at = Row::default();
            failed_at.store(found.failed_at);
            for lane in 0..lanes {
                if found.failed.test(lane) {
                    work.crowded.keep(
                        &work.planes,
                        lane,
                        hard,
                        Waiting {
                            agent: (first + lane) as u32,
                            first: 0,
                            hard: 0,
                            soft: 0,
                            failed_at: failed_at.0[lane],
                            velocity: Vec2::new(x.0[lane], y.0[lane]),
                            preferred: Vec2::new(own[3].0[lane], own[4].0[lane]),
                            max_speed: own[5].0[lane],
                        },
                    );
                }
            }
            if work.crowded.agents.len() >= LANES {
                part_crowded(simd, work, LANES, out);
            }
        }
    }
    while !work.crowded.agents.is_empty() {
        let lanes = LANES.min(work.crowded.agents.len());
        part_crowded(simd, work, lanes, out);
    }
}

/// Begins the half-planes of eight lanes with those of their walls; says how many rows.
#[inline(always)]
fn lay_walls(
    orca: &Orca,
    chunk: &SteerChunk<'_>,
    first: usize,
    lanes: usize,
    own: &[Row; 6],
    work: &mut Work,
) -> usize {
    work.planes.clear();
    let starts = &chunk.walls.start[first..=first + lanes];
    if starts[0] == starts[lanes] {
        return 0;
    }
    for lane in 0..lanes {
        let walls = chunk.walls_of(first + lane);
        if walls.is_empty() {
            continue;
        }
        work.walls.clear();
        let velocity = Vec2::new(own[0].0[lane], own[1].0[lane]);
        wall_planes(
            walls,
            velocity,
            own[2].0[lane],
            orca.wall_horizon,
            &mut work.order,
            &mut work.walls,
        );
        for (i, plane) in work.walls.iter().enumerate() {
            if i == work.planes.len() {
                work.planes.push(Planes::OPEN);
            }
            let row = &mut work.planes[i];
            row.x.0[lane] = plane.normal.x;
            row.y.0[lane] = plane.normal.y;
            row.offset.0[lane] = plane.offset;
        }
    }
    work.planes.len()
}

impl Crowded {
    /// Keeps a lane's half-planes (without the filling) for the third program.
    fn keep(&mut self, planes: &[Planes], lane: usize, hard: usize, mut waiting: Waiting) {
        waiting.first = self.planes.len() as u32;
        let given = |p: &Planes| p.x.0[lane] != 0.0 || p.y.0[lane] != 0.0;
        let failed_at = waiting.failed_at as usize;
        for (i, plane) in planes.iter().enumerate() {
            if i == failed_at {
                waiting.failed_at = (waiting.hard + waiting.soft) as f32;
            }
            if given(plane) {
                self.planes
                    .push([plane.x.0[lane], plane.y.0[lane], plane.offset.0[lane]]);
                if i < hard {
                    waiting.hard += 1
                } else {
                    waiting.soft += 1
                }
            }
        }
        self.agents.push(waiting);
    }
}

/// Solves the third program for the last `lanes` agents that wait for it.
#[inline(always)]
fn part_crowded<S: Simd>(simd: S, work: &mut Work, lanes: usize, out: &mut [Vec2]) {
    let Crowded {
        agents,
        planes,
        hard,
        soft,
    } = &mut work.crowded;
    let begin = agents.len() - lanes;
    let group = &agents[begin..];
    let hard_rows = group.iter().fold(0, |most, w| most.max(w.hard)) as usize;
    let soft_rows = group.iter().fold(0, |most, w| most.max(w.soft)) as usize;
    hard.clear();
    hard.resize(hard_rows, Planes::OPEN);
    soft.clear();
    soft.resize(soft_rows, Planes::OPEN);
    let mut own = [Row::default(); 6];
    for (lane, waiting) in group.iter().enumerate() {
        let from = waiting.first as usize;
        let (walls, others) = planes[from..].split_at(waiting.hard as usize);
        let both = hard
            .iter_mut()
            .zip(walls)
            .chain(soft.iter_mut().zip(&others[..waiting.soft as usize]));
        for (row, plane) in both {
            row.x.0[lane] = plane[0];
            row.y.0[lane] = plane[1];
            row.offset.0[lane] = plane[2];
        }
        // Counted as if every lane had as many walls.
        let at = waiting.failed_at;
        let at = if at < waiting.hard as f32 {
            at
        } else {
            at + (hard_rows as u32 - waiting.hard) as f32
        };
        let values = [
            waiting.velocity.x,
            waiting.velocity.y,
            at,
            waiting.preferred.x,
            waiting.preferred.y,
            waiting.max_speed,
        ];
        for (row, value) in own.iter_mut().zip(values) {
            row.0[lane] = value;
        }
    }
    let load = |row: usize| own[row].load(simd);
    let from = Found {
        x: load(0),
        y: load(1),
        failed: mask32x8::from_bitmask(simd, (1 << lanes) - 1),
        failed_at: load(2),
    };
    let preferred = Wish {
        x: load(3),
        y: load(4),
    };
    let found = least_miss(
        simd,
        hard,
        soft,
        load(5),
        preferred,
        from,
        &mut work.projected,
    );
    let (mut x, mut y) = (Row::default(), Row::default());
    x.store(found.x);
    y.store(found.y);
    for (lane, waiting) in group.iter().enumerate() {
        out[waiting.agent as usize] = within(Vec2::new(x.0[lane], y.0[lane]), waiting.max_speed);
    }
    planes.truncate(group[0].first as usize);
    agents.truncate(begin);
}

/// The velocity cut to the greatest speed (rounding may have carried it over), zero if it is no
/// number.
#[inline(always)]
fn within(velocity: Vec2, max_speed: f32) -> Vec2 {
    let squared = velocity.length_squared();
    if squared <= max_speed * max_speed {
        velocity
    } else if squared.is_finite() {
        velocity * (max_speed / squared.sqrt())
    } else {
        Vec2::ZERO
    }
}
