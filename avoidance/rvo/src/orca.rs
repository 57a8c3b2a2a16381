//! Avoidance `orca`: optimal reciprocal collision avoidance.
//!
//! Jur van den Berg, Stephen J. Guy, Ming Lin and Dinesh Manocha, "Reciprocal n-body collision
//! avoidance", Robotics Research, 2011. Every neighbour and every wall forbids a half-plane of
//! velocities; a linear program finds the allowed velocity nearest to the preferred one. Where
//! a crowd is so dense that nothing is allowed, the paper takes the velocity that misses the
//! neighbours' half-planes least, still within those of the walls. Five things differ from it:
//!
//! - Those who are allowed nothing first look whether only collisions in the near future can be
//!   avoided (`crowded_horizon`), which is nearly always so where people are not packed.
//! - In the paper every miss counts alike, and somebody who comes from afar presses those in a
//!   crowd into each other; here a miss counts the less the wider the gap to the neighbour is
//!   (`urgency`).
//! - Half of what it takes to avoid each other is too little where the other has no room for its
//!   own half; at hand each takes up more (`contact_share`).
//! - Where all stand in each other's way the crowd comes loose by turning: who does not get on, or
//!   is allowed nothing and walks slower than preferred, wishes to go more to the right (`sidestep`).
//! - Who is allowed nothing may still run into others, who choose at the same time. They are marked,
//!   and the step changes the velocities of all of them together so that nobody does (`keep_apart`).
//!
//! Half-planes and programs run for sixteen agents at once, with the same bits on every
//! instruction set (no fused operations, masked lanes). `walls` gives the half-planes of walls,
//! `agents` those of neighbours, `programs` the linear programs, `crowded` what follows where
//! they leave nothing.

mod agents;
mod crowded;
mod lanes;
mod programs;
#[cfg(test)]
mod tests;
mod walls;

use fearless_simd::{Level, Simd, dispatch, f32x16, mask32x16, prelude::*};
use glam::Vec2;
use throng_core::{
    Capabilities, LocalAvoidance, Perception, Scratch, SteerChunk, SteerOut, random::mix,
};

use agents::{Near, Own, Spans, Terms, agent_planes};
use crowded::{Crowded, aside, part_crowded};
use lanes::{LANES, Planes, Row, greater};
use programs::{Wish, nearest};
use walls::{Plane, wall_planes};

/// Who gets on by less than this share of its preferred speed is stuck.
const STUCK: f32 = 0.1;

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
        /// Where not all half-planes can be met, only collisions within this time are avoided. As
        /// long as `time_horizon` or longer: no second try, as in the paper.
        crowded_horizon: f32 = 0.8, "s", 0.05..=60.0;
        /// Where these cannot be met either, missing that of a neighbour at this gap counts half
        /// of missing that of one who touches; less, the farther away. 0: all count the same, as in
        /// the paper.
        urgency: f32 = 0.1, "m", 0.0..=100.0;
        /// Share of what it takes to avoid each other that each of two takes up who are within 5 cm
        /// and still come closer: more than half, because the other may have no room for its own.
        /// 0.5: half each, as in the paper.
        contact_share: f32 = 0.75, "", 0.5..=1.0;
        /// How far somebody who cannot get on at all turns its preferred velocity to the right, as
        /// the tangent of the angle; who is allowed nothing and gets on in part turns less. So
        /// crowds that meet go round each other instead of standing. 0: nobody does, as in the
        /// paper.
        sidestep: f32 = 0.5, "", 0.0..=10.0;
        /// Where not all half-planes can be met, the velocities of all who are in each other's way
        /// are changed together, as little as it takes that nobody runs into anybody. Off: people
        /// give way into each other there, as in the paper.
        keep_apart: bool = true;
        /// Share of the horizon within which members of one group avoid each other. Less lets them
        /// walk closer together.
        companions: f32 = 1.0, "", 0.05..=1.0;
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
    when_not: "Bodies that push each other, or crowds above about 4 persons per m2, where it stops rather than presses. Doors that two only just fit through: crowds arch before 0.8 m and pass at a quarter of the rate of 1 m, and used both ways by many the sides take turns slowly. Speeds at a density as people have them: nobody slows down up to about 1.3 persons per m2, and then all do at once; a profile with a `speed_law` walks as measured.",
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

    fn keeps_apart(&self) -> bool {
        self.keep_apart
    }

    fn steer(&self, chunk: &SteerChunk<'_>, scratch: &mut Scratch, out: &mut SteerOut<'_>) {
        self.steer_at(Level::new(), chunk, scratch, out.velocity, out.pressed);
    }
}

/// What is kept from call to call.
#[derive(Debug, Default)]
struct Work {
    /// Half-planes of the sixteen lanes at hand, walls first.
    planes: Vec<Planes>,
    /// Half-planes of the walls of each lane.
    walls: Vec<Plane>,
    order: Vec<(f32, u32)>,
    crowded: Crowded,
    /// Half-planes of those who try again.
    again: Vec<Planes>,
    projected: Vec<Planes>,
}

/// Walls of one agent that there is room for from the beginning.
const WALLS: usize = 32;

impl Work {
    /// Makes room for so many neighbours and the usual walls, so that hardly anybody needs more
    /// later.
    fn reserve(&mut self, neighbours: usize) {
        let rows = neighbours + WALLS;
        if self.planes.capacity() < rows {
            for planes in [&mut self.planes, &mut self.again, &mut self.projected] {
                planes.reserve(rows);
            }
            self.walls.reserve(WALLS);
            self.order.reserve(WALLS);
            self.crowded.reserve(WALLS);
        }
    }
}

impl Orca {
    /// Steers on a given instruction set; the answer is the same on all.
    fn steer_at(
        &self,
        level: Level,
        chunk: &SteerChunk<'_>,
        scratch: &mut Scratch,
        out: &mut [Vec2],
        pressed: &mut [u8],
    ) {
        let work = scratch.get::<Work>();
        dispatch!(level, simd => steer_chunk(simd, self, chunk, work, out, pressed));
    }

    /// The agent's own small angle; `key` is the mixed seed of the run.
    #[inline(always)]
    fn angle(&self, key: u64, id: u64) -> f32 {
        let drawn = mix(key ^ id) >> 40;
        // 24 bits: a float holds them whichever integer they come from.
        (drawn as i32 as f32 / (1u64 << 23) as f32 - 1.0) * self.symmetry_breaking
    }

    /// What half-planes of neighbours depend on beside them.
    fn terms(&self, horizon: f32, dt: f32) -> Terms {
        Terms {
            horizon: horizon.min(self.time_horizon),
            dt,
            contact_share: self.contact_share,
            companions: self.companions,
        }
    }
}

/// Numbers that can be squared, or 0.
#[inline(always)]
fn sound<S: Simd>(simd: S, value: f32x16<S>) -> f32x16<S> {
    let zero = f32x16::splat(simd, 0.0);
    value.abs().simd_lt(1e9).select(value, zero)
}

/// Sixteen agents as columns.
#[derive(Clone, Copy)]
struct Group<S: Simd> {
    own: Own<S>,
    preferred: Wish<S>,
    max_speed: f32x16<S>,
}

impl<S: Simd> Group<S> {
    /// The agents of a chunk from `first` on, at least as many as lanes.
    #[inline(always)]
    fn load(simd: S, orca: &Orca, key: u64, chunk: &SteerChunk<'_>, first: usize) -> Group<S> {
        let these = first..first + LANES;
        let mut angles = Row::default();
        for (angle, &id) in angles.0.iter_mut().zip(&chunk.id[these.clone()]) {
            *angle = orca.angle(key, id);
        }
        let (vx, vy) = pairs(simd, &chunk.velocity[these.clone()]);
        let (px, py) = pairs(simd, &chunk.preferred[these.clone()]);
        let angle = angles.load(simd);
        let max_speed = f32x16::from_slice(simd, &chunk.max_speed[these.clone()]);
        let zero = f32x16::splat(simd, 0.0);
        Group {
            own: Own {
                vx: sound(simd, vx),
                vy: sound(simd, vy),
                radius: sound(simd, f32x16::from_slice(simd, &chunk.radius[these])),
            },
            // Turned by the small angle.
            preferred: Wish {
                x: sound(simd, px - py * angle),
                y: sound(simd, py + px * angle),
            },
            max_speed: sound(simd, greater(max_speed, zero)),
        }
    }

    /// The last agents of a chunk, fewer than lanes; the other lanes stand still.
    #[inline(never)]
    fn load_rest(simd: S, orca: &Orca, key: u64, chunk: &SteerChunk<'_>, first: usize) -> Group<S> {
        let lanes = chunk.len() - first;
        let rest = first..chunk.len();
        let mut vectors = [[Vec2::ZERO; LANES]; 2];
        vectors[0][..lanes].copy_from_slice(&chunk.velocity[rest.clone()]);
        vectors[1][..lanes].copy_from_slice(&chunk.preferred[rest.clone()]);
        let mut numbers = [[0.0; LANES]; 2];
        numbers[0][..lanes].copy_from_slice(&chunk.radius[rest.clone()]);
        numbers[1][..lanes].copy_from_slice(&chunk.max_speed[rest.clone()]);
        let mut ids = [0; LANES];
        ids[..lanes].copy_from_slice(&chunk.id[rest]);
        let filled = SteerChunk {
            id: &ids,
            velocity: &vectors[0],
            preferred: &vectors[1],
            radius: &numbers[0],
            max_speed: &numbers[1],
            ..*chunk
        };
        Group::load(simd, orca, key, &filled, 0)
    }
}

/// Sixteen vectors as two columns.
#[inline(always)]
fn pairs<S: Simd>(simd: S, vectors: &[Vec2]) -> (f32x16<S>, f32x16<S>) {
    let eight = |v: &[Vec2]| {
        let v = &v[..8];
        let flat = core::array::from_fn(|i| v[i / 2][i % 2]);
        f32x16::load_array(simd, flat)
    };
    eight(&vectors[..8]).deinterleave(eight(&vectors[8..16]))
}

#[inline(always)]
fn steer_chunk<S: Simd>(
    simd: S,
    orca: &Orca,
    chunk: &SteerChunk<'_>,
    work: &mut Work,
    out: &mut [Vec2],
    pressed: &mut [u8],
) {
    work.reserve(orca.most as usize);
    work.crowded.clear();
    let everybody = chunk.len();
    let dt = if chunk.dt > 1e-6 { chunk.dt } else { 1e-6 };
    let key = mix(chunk.seed);
    let near = Near::new(simd, &chunk.neighbours);
    for first in (0..everybody).step_by(LANES) {
        let lanes = LANES.min(everybody - first);
        let group = if lanes == LANES {
            Group::load(simd, orca, key, chunk, first)
        } else {
            Group::load_rest(simd, orca, key, chunk, first)
        };
        let mut spans = Spans::default();
        for lane in 0..lanes {
            let seen = chunk.neighbours_of(first + lane);
            spans.first[lane] = seen.start as u32;
            spans.count[lane] = seen.len() as u32;
        }
        let hard = lay_walls(orca, chunk, first, lanes, &group.own, work);
        let ids = &chunk.id[first..first + lanes];
        agent_planes(
            simd,
            &near,
            &spans,
            ids,
            group.own,
            orca.terms(orca.time_horizon, dt),
            &mut work.planes,
        );
        let wish = group.preferred;
        let in_use = mask32x16::from_bitmask(simd, (1 << lanes) - 1);
        let mut found =
            nearest::<S, false>(simd, &work.planes, group.max_speed, wish, wish, in_use);
        let stuck = stuck(wish, group.own.vx, group.own.vy)
            & stuck(wish, found.x, found.y)
            & in_use
            & !found.failed;
        if orca.sidestep > 0.0 && stuck.any_true() {
            let again = step_aside(simd, orca.sidestep, &work.planes, hard, &group, stuck);
            found.x = stuck.select(again.x, found.x);
            found.y = stuck.select(again.y, found.y);
        }
        within(
            simd,
            found.x,
            found.y,
            group.max_speed,
            &mut out[first..first + lanes],
        );
        if found.failed.any_true() {
            let rows = group.rows();
            let mut failed = found.failed.to_bitmask();
            while failed != 0 {
                let lane = failed.trailing_zeros() as usize;
                failed &= failed - 1;
                let walls = &work.planes[..hard];
                work.crowded.keep(first + lane, &rows, walls, lane);
                if work.crowded.is_full() {
                    part_crowded(simd, orca, chunk, &near, dt, work, out, pressed);
                }
            }
        }
    }
    if !work.crowded.is_empty() {
        part_crowded(simd, orca, chunk, &near, dt, work, out, pressed);
    }
}

/// Whose velocity does not lead where they wish to go.
#[inline(always)]
fn stuck<S: Simd>(wish: Wish<S>, vx: f32x16<S>, vy: f32x16<S>) -> mask32x16<S> {
    let squared = wish.x * wish.x + wish.y * wish.y;
    let progress = vx * wish.x + vy * wish.y;
    squared.simd_gt(1e-4) & progress.simd_lt(squared * STUCK)
}

/// What those find who are stuck, with a wish to the right. Out of the way of the others.
#[inline(never)]
fn step_aside<S: Simd>(
    simd: S,
    sidestep: f32,
    planes: &[Planes],
    walls: usize,
    group: &Group<S>,
    stuck: mask32x16<S>,
) -> Wish<S> {
    simd.vectorize(
        #[inline(always)]
        || {
            let Group {
                own,
                preferred,
                max_speed,
            } = *group;
            let walls = &planes[..walls];
            let wish = aside(simd, sidestep, walls, max_speed, preferred, own, stuck);
            let found = nearest::<S, false>(simd, planes, max_speed, wish, wish, stuck);
            Wish {
                x: found.x,
                y: found.y,
            }
        },
    )
}

/// Begins the half-planes of sixteen lanes with those of their walls; says how many rows.
#[inline(always)]
fn lay_walls(
    orca: &Orca,
    chunk: &SteerChunk<'_>,
    first: usize,
    lanes: usize,
    own: &Own<impl Simd>,
    work: &mut Work,
) -> usize {
    work.planes.clear();
    let starts = &chunk.walls.start[first..=first + lanes];
    if starts[0] == starts[lanes] {
        return 0;
    }
    let [vx, vy, radius] = [own.vx, own.vy, own.radius].map(Row::from_vector);
    for lane in 0..lanes {
        let walls = chunk.walls_of(first + lane);
        if walls.is_empty() {
            continue;
        }
        work.walls.clear();
        let velocity = Vec2::new(vx.0[lane], vy.0[lane]);
        wall_planes(
            walls,
            velocity,
            radius.0[lane],
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

/// The velocities cut to the greatest speed (rounding may have carried them over), zero where
/// they are no number.
#[inline(always)]
fn within<S: Simd>(simd: S, x: f32x16<S>, y: f32x16<S>, max_speed: f32x16<S>, out: &mut [Vec2]) {
    let zero = f32x16::splat(simd, 0.0);
    let squared = x * x + y * y;
    let slow = squared.simd_le(max_speed * max_speed);
    let factor = max_speed / squared.sqrt();
    let finite = squared.simd_lt(f32::INFINITY);
    let cut = |v: f32x16<S>| Row::from_vector(slow.select(v, finite.select(v * factor, zero)));
    let (x, y) = (cut(x), cut(y));
    for (lane, out) in out.iter_mut().enumerate() {
        *out = Vec2::new(x.0[lane], y.0[lane]);
    }
}
