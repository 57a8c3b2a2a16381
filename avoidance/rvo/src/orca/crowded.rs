//! Agents whose half-planes leave nothing, collected until they fill the lanes again.
//!
//! They try again with a shorter horizon, in which far fewer neighbours have a say: where a
//! crowd is dense, most of what forbids everything lies seconds ahead. Only if that leaves
//! nothing either do they take the velocity that misses least.

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};
use glam::Vec2;
use throng_core::SteerChunk;

use super::{
    Group, Orca, Work,
    agents::{Near, Own, Spans, agent_planes, gaps},
    lanes::{LANES, Planes, Row, greater, lesser},
    programs::{Wish, least_miss, nearest},
    stuck, within,
};

/// No neighbour counts less: the third program tells its half-planes from none.
const LEAST_WEIGHT: f32 = 0.01;

/// Those who wait, a lane each.
#[derive(Debug, Default)]
pub struct Crowded {
    /// Their places in the chunk.
    agents: [u32; LANES],
    count: usize,
    /// Velocity, radius, preferred velocity and greatest speed.
    own: [Row; 6],
    /// Half-planes of their walls.
    hard: Vec<Planes>,
}

impl Crowded {
    /// Nobody waits.
    pub fn clear(&mut self) {
        self.count = 0;
        self.own = [Row::default(); 6];
        self.hard.clear();
    }

    /// Makes room for the half-planes of so many walls.
    pub fn reserve(&mut self, walls: usize) {
        self.hard.reserve(walls);
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether there is no lane left.
    pub fn is_full(&self) -> bool {
        self.count == LANES
    }

    /// Keeps an agent of a group and the half-planes of its walls.
    pub fn keep(&mut self, agent: usize, group: &[Row; 6], walls: &[Planes], lane: usize) {
        let to = self.count;
        self.agents[to] = agent as u32;
        for (row, from) in self.own.iter_mut().zip(group) {
            row.0[to] = from.0[lane];
        }
        for (i, wall) in walls.iter().enumerate() {
            if i == self.hard.len() {
                self.hard.push(Planes::OPEN);
            }
            let row = &mut self.hard[i];
            row.x.0[to] = wall.x.0[lane];
            row.y.0[to] = wall.y.0[lane];
            row.offset.0[to] = wall.offset.0[lane];
        }
        self.count += 1;
    }
}

impl<S: Simd> Group<S> {
    /// The columns as [`Crowded`] keeps them.
    #[inline(always)]
    pub(super) fn rows(&self) -> [Row; 6] {
        let Group {
            own,
            preferred,
            max_speed,
        } = self;
        [
            own.vx,
            own.vy,
            own.radius,
            preferred.x,
            preferred.y,
            *max_speed,
        ]
        .map(Row::from_vector)
    }
}

/// Finds the velocities of those who wait, out of the way of the others; marks as pressed who is
/// left nothing even then.
#[inline(never)]
pub fn part_crowded<S: Simd>(
    simd: S,
    orca: &Orca,
    chunk: &SteerChunk<'_>,
    near: &Near<'_>,
    dt: f32,
    work: &mut Work,
    out: &mut [Vec2],
    pressed: &mut [u8],
) {
    simd.vectorize(
        #[inline(always)]
        || part(simd, orca, chunk, near, dt, work, out, pressed),
    );
}

/// The wish of somebody in whose way others are: turned to the right, the more the slower it gets
/// on. Who is stopped by walls alone (a closed door) waits as it is.
#[inline(always)]
pub(super) fn aside<S: Simd>(
    simd: S,
    sidestep: f32,
    walls: &[Planes],
    max_speed: f32x16<S>,
    wish: Wish<S>,
    own: Own<S>,
    who: mask32x16<S>,
) -> Wish<S> {
    let (zero, one) = (f32x16::splat(simd, 0.0), f32x16::splat(simd, 1.0));
    let squared = greater(wish.x * wish.x + wish.y * wish.y, f32x16::splat(simd, 1e-6));
    let blocked = one - (own.vx * wish.x + own.vy * wish.y) / squared;
    let tangent = lesser(greater(blocked, zero), one) * sidestep;
    let alone = nearest::<S, false>(simd, walls, max_speed, wish, wish, who);
    let tangent = stuck(wish, alone.x, alone.y).select(zero, tangent);
    let cosine = one / (one + tangent * tangent).sqrt();
    Wish {
        x: (wish.x + wish.y * tangent) * cosine,
        y: (wish.y - wish.x * tangent) * cosine,
    }
}

#[inline(always)]
fn part<S: Simd>(
    simd: S,
    orca: &Orca,
    chunk: &SteerChunk<'_>,
    near: &Near<'_>,
    dt: f32,
    work: &mut Work,
    out: &mut [Vec2],
    pressed: &mut [u8],
) {
    let Work {
        crowded,
        again: planes,
        projected,
        ..
    } = work;
    let waiting = &crowded.agents[..crowded.count];
    let [vx, vy, radius, px, py, max_speed] = core::array::from_fn(|i| crowded.own[i].load(simd));
    let own = Own { vx, vy, radius };
    let in_use = mask32x16::from_bitmask(simd, (1 << waiting.len()) - 1);
    let wish = Wish { x: px, y: py };
    let walls = &crowded.hard;
    let wish = aside(simd, orca.sidestep, walls, max_speed, wish, own, in_use);
    let (mut spans, mut ids) = (Spans::default(), [0; LANES]);
    for (lane, &agent) in waiting.iter().enumerate() {
        let seen = chunk.neighbours_of(agent as usize);
        spans.first[lane] = seen.start as u32;
        spans.count[lane] = seen.len() as u32;
        ids[lane] = chunk.id[agent as usize];
    }
    planes.clear();
    planes.extend_from_slice(&crowded.hard);
    let ids = &ids[..waiting.len()];
    let terms = orca.terms(orca.crowded_horizon, dt);
    agent_planes(simd, near, &spans, ids, own, terms, planes);
    let found = nearest::<S, false>(simd, planes, max_speed, wish, wish, in_use);
    let mut chosen = Wish {
        x: found.x,
        y: found.y,
    };
    if found.failed.any_true() {
        for (lane, &agent) in waiting.iter().enumerate() {
            if let Some(pressed) = pressed.get_mut(agent as usize) {
                *pressed = u8::from(found.failed.test(lane));
            }
        }
        let (hard, soft) = planes.split_at_mut(crowded.hard.len());
        if orca.urgency > 0.0 {
            for (rank, plane) in (0..).zip(soft.iter_mut()) {
                let gap = gaps(simd, near, &spans, own, rank);
                let zero = f32x16::splat(simd, 0.0);
                let weight = orca.urgency / (greater(gap, zero) + orca.urgency);
                let weight = greater(weight, f32x16::splat(simd, LEAST_WEIGHT));
                for row in [&mut plane.x, &mut plane.y, &mut plane.offset] {
                    row.store(row.load(simd) * weight);
                }
            }
        }
        chosen = least_miss(simd, hard, soft, max_speed, wish, found, projected);
    }
    let mut velocities = [Vec2::ZERO; LANES];
    within(simd, chosen.x, chosen.y, max_speed, &mut velocities);
    for (velocity, &agent) in velocities.iter().zip(waiting) {
        out[agent as usize] = *velocity;
    }
    crowded.clear();
}
