//! What an agent can collide with, and what a velocity costs beside it.

use fearless_simd::{Simd, f32x8, prelude::*};
use glam::Vec2;
use throng_core::{NON_RECIPROCAL, NearWall, SAME_GROUP, SteerChunk, Wall};
use throng_kit::lanes::{greater, parting};

use super::{Rvo, sound};

/// Gap to a wall below which it counts as touched, metres.
const TOUCH: f32 = 0.005;
/// The time in which those who overlap are to part at least, seconds.
const PARTING: f32 = 0.1;
/// No collision is more urgent than this, per second: within a step all are the same, and none may
/// outweigh those that have happened.
const URGENT: f32 = 10.0;
/// What an approach costs beyond the one that leaves a neighbour its half of the gap, per m/s.
const BEYOND_HALF: f32 = 40.0;
/// How much worse than standing an approach to somebody overlapped can become.
const WORST: f32 = 3.0;

/// A disc that a ray of relative velocities may meet: a neighbour, or the end of a wall.
#[derive(Clone, Copy, Debug, Default)]
pub struct Round {
    /// Offset to its centre.
    at: Vec2,
    /// The relative velocity is `scale * v' - less`.
    scale: f32,
    less: Vec2,
    /// `|at|^2 - r^2`, positive.
    power: f32,
    per_power: f32,
    weight: f32,
    /// Collisions less urgent than this (1 / horizon) cost nothing.
    free: f32,
}

/// A neighbour that overlaps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlapped {
    /// Unit direction away from it.
    away: Vec2,
    scale: f32,
    less: Vec2,
    /// What parting at 1 m/s is worth: seconds per depth.
    per_depth: f32,
    weight: f32,
}

/// A neighbour so near that one could run into it within a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Near {
    /// Unit direction towards it.
    towards: Vec2,
    /// Fastest approach that leaves it half of the gap.
    fastest: f32,
}

/// The face of a wall.
#[derive(Clone, Copy, Debug, Default)]
pub struct Face {
    /// Unit normal, towards the agent, and unit direction of the wall.
    normal: Vec2,
    along: Vec2,
    /// Gap between the body and the wall's line.
    gap: f32,
    per_gap: f32,
    /// The wall's ends along its direction.
    from: f32,
    to: f32,
    weight: f32,
    free: f32,
}

/// Everything near one agent.
#[derive(Debug, Default)]
pub struct Threats {
    rounds: Vec<Round>,
    overlapped: Vec<Overlapped>,
    near: Vec<Near>,
    faces: Vec<Face>,
}

impl Threats {
    /// Collects what the agent can collide with within its horizons.
    pub fn gather(
        &mut self,
        model: &Rvo,
        chunk: &SteerChunk<'_>,
        agent: usize,
        velocity: Vec2,
        fastest: f32,
        dt: f32,
    ) {
        self.rounds.clear();
        self.overlapped.clear();
        self.near.clear();
        self.faces.clear();
        let rows = &chunk.neighbours;
        let radius = chunk.radius[agent];
        for n in chunk.neighbours_of(agent) {
            let (at, other) = (rows.seen[n].offset, sound(rows.seen[n].velocity));
            let reach = radius + rows.radius[n];
            let squared = at.length_squared();
            if !(squared < 1e9 && reach < 1e4) {
                continue;
            }
            let (scale, less) = if rows.flags[n] & NON_RECIPROCAL != 0 {
                (1.0, other)
            } else {
                (2.0, velocity + other)
            };
            let mut weight = model.wariness;
            if rows.flags[n] & SAME_GROUP != 0 {
                weight *= model.companions;
            }
            let power = squared - reach * reach;
            if power > 1e-6 * reach * reach {
                self.add_near(at, reach, fastest, dt, (scale < 2.0).then_some(other));
                let nearer = (scale * fastest + less.length()) * model.time_horizon + reach;
                if squared < nearer * nearer {
                    self.rounds.push(Round {
                        at,
                        scale,
                        less,
                        power,
                        per_power: 1.0 / power,
                        weight,
                        free: 1.0 / model.time_horizon,
                    });
                }
                continue;
            }
            let distance = squared.sqrt();
            let away = if distance > 1e-5 {
                -at / distance
            } else {
                Vec2::from(parting(chunk.id[agent], rows.id[n]))
            };
            let time = dt.max(PARTING);
            self.overlapped.push(Overlapped {
                away,
                scale,
                less,
                per_depth: time / (reach - distance).max(1e-4),
                weight: weight / time,
            });
        }
        for wall in chunk.walls_of(agent) {
            self.add_wall(model, wall, radius, fastest);
        }
    }

    /// Whoever leaves the other half of the gap cannot run into it, whatever it does; who yields
    /// to nobody (its velocity is given) leaves none.
    #[inline(always)]
    fn add_near(&mut self, at: Vec2, reach: f32, fastest: f32, dt: f32, unyielding: Option<Vec2>) {
        let time = dt.max(PARTING);
        let distance = at.length();
        let gap = distance - reach;
        let towards = at / distance;
        let limit = match unyielding {
            Some(velocity) => gap / time + velocity.dot(towards),
            None => 0.5 * gap / time,
        };
        if limit < fastest {
            self.near.push(Near {
                towards,
                fastest: limit,
            });
        }
    }

    fn add_wall(&mut self, model: &Rvo, wall: &NearWall, radius: f32, fastest: f32) {
        let (a, b) = (wall.a, wall.b);
        let (weight, free) = (model.wariness, 1.0 / model.wall_horizon);
        let far = fastest * model.wall_horizon + radius;
        if let Some(along) = (b - a).try_normalize() {
            let normal = along.perp();
            let distance = -normal.dot(a);
            if (-1e-3..far).contains(&distance) {
                let gap = (distance - radius).max(0.0);
                self.faces.push(Face {
                    normal,
                    along,
                    gap,
                    per_gap: 1.0 / gap.max(TOUCH),
                    from: along.dot(a),
                    to: along.dot(b),
                    weight,
                    // Touching: no nearer at all.
                    free: if gap > TOUCH { free } else { 0.0 },
                });
            }
        }
        // Ends that can be walked round; corners of rooms are covered by their faces.
        let convex = |flag: u16| wall.flags & u32::from(flag) != 0;
        let ends = [
            (a, convex(Wall::CONVEX_A) || wall.before == Vec2::ZERO),
            (b, convex(Wall::CONVEX_B) || wall.after == Vec2::ZERO),
        ];
        for (at, juts) in ends {
            let squared = at.length_squared();
            if juts && squared < far * far {
                let power = (squared - radius * radius)
                    .max(2.0 * radius * TOUCH)
                    .max(1e-6);
                self.rounds.push(Round {
                    at,
                    scale: 1.0,
                    less: Vec2::ZERO,
                    power,
                    per_power: 1.0 / power,
                    weight,
                    free,
                });
            }
        }
    }

    /// Whether anybody is so near that one could run into it within a step.
    pub fn at_hand(&self) -> bool {
        !self.near.is_empty() || !self.overlapped.is_empty()
    }

    /// What collisions cost at one velocity.
    pub fn cost_of(&self, v: Vec2) -> f32 {
        let mut cost = 0.0f32;
        for r in &self.rounds {
            let w = v * r.scale - r.less;
            let towards = r.at.dot(w);
            let root = towards * towards - w.length_squared() * r.power;
            if towards > 0.0 && root > 0.0 {
                let urgency = ((towards + root.sqrt()) * r.per_power).min(URGENT);
                cost = cost.max((urgency - r.free) * r.weight);
            }
        }
        for f in &self.faces {
            let towards = -f.normal.dot(v);
            let aside = f.along.dot(v) * f.gap;
            if towards > 0.0 && aside >= f.from * towards && aside <= f.to * towards {
                cost = cost.max((towards * f.per_gap - f.free) * f.weight);
            }
        }
        let short = |o: &Overlapped| {
            let parts = (v * o.scale - o.less).dot(o.away);
            (1.0 - parts * o.per_depth).clamp(0.0, WORST) * o.weight
        };
        let beyond = |n: &Near| (v.dot(n.towards) - n.fastest).max(0.0) * BEYOND_HALF;
        cost + self.overlapped.iter().map(short).sum::<f32>()
            + self.near.iter().map(beyond).sum::<f32>()
    }

    /// The penalties of eight velocities: `distance` (from the preferred one) and what collisions
    /// cost, those that overlap together and of the others the worst. Given up early, with less
    /// than the penalty, when none can be below `best`.
    #[inline(always)]
    pub fn costs<S: Simd>(
        &self,
        simd: S,
        x: f32x8<S>,
        y: f32x8<S>,
        distance: f32x8<S>,
        best: f32,
    ) -> f32x8<S> {
        let zero = f32x8::splat(simd, 0.0);
        let mut cost = zero;
        let mut distance = distance;
        let worst = f32x8::splat(simd, WORST);
        let urgent = f32x8::splat(simd, URGENT);
        for o in &self.overlapped {
            let parts = (x * o.scale - o.less.x) * o.away.x + (y * o.scale - o.less.y) * o.away.y;
            let short = greater(1.0 - parts * o.per_depth, zero);
            let short = short.simd_lt(worst).select(short, worst);
            distance += short * o.weight;
        }
        for n in &self.near {
            let beyond = x * n.towards.x + y * n.towards.y - n.fastest;
            distance += greater(beyond, zero) * BEYOND_HALF;
        }
        let hopeless = |cost: f32x8<S>| !(cost + distance).simd_lt(best).any_true();
        for (i, r) in self.rounds.iter().enumerate() {
            if i % 2 == 0 && hopeless(cost) {
                return cost + distance;
            }
            let (wx, wy) = (x * r.scale - r.less.x, y * r.scale - r.less.y);
            let towards = wx * r.at.x + wy * r.at.y;
            let root = towards * towards - (wx * wx + wy * wy) * r.power;
            let meets = towards.simd_gt(zero) & root.simd_gt(zero);
            if meets.any_true() {
                let urgency = (towards + meets.select(root, zero).sqrt()) * r.per_power;
                let urgency = urgency.simd_lt(urgent).select(urgency, urgent);
                let dear = (urgency - r.free) * r.weight;
                cost = meets.select(greater(dear, cost), cost);
            }
        }
        for f in &self.faces {
            let towards = -(x * f.normal.x + y * f.normal.y);
            let aside = (x * f.along.x + y * f.along.y) * f.gap;
            let meets = towards.simd_gt(zero)
                & aside.simd_ge(towards * f.from)
                & aside.simd_le(towards * f.to);
            let dear = (towards * f.per_gap - f.free) * f.weight;
            cost = meets.select(greater(dear, cost), cost);
        }
        cost + distance
    }
}
