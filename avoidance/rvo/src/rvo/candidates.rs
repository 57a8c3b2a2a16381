//! Velocities to try: an even pattern of points in a disc.

use core::f32::consts::TAU;

use fearless_simd::{Simd, f32x8, prelude::*};
use glam::Vec2;
use throng_core::{
    math,
    random::{Purpose, Stream},
};
use throng_kit::lanes::{LANES, Row};

use super::threats::Threats;

/// The turn from one point of the pattern to the next: the golden angle, radians.
const GOLDEN: f64 = 2.399_963_229_728_653;

/// The velocities an agent can reach within a step.
#[derive(Clone, Copy, Debug)]
pub struct Disc {
    centre: Vec2,
    radius: f32,
    fastest: f32,
    wish: Vec2,
    present: Vec2,
    /// The reachable velocity nearest to the wish.
    pub nearest: Vec2,
}

impl Disc {
    /// About the present velocity, or about standing still where everything can be reached.
    pub fn new(velocity: Vec2, wish: Vec2, fastest: f32, change: f32) -> Disc {
        let (centre, radius) = if change < velocity.length() + fastest {
            (velocity, change)
        } else {
            (Vec2::ZERO, fastest)
        };
        let wish = wish.clamp_length_max(fastest);
        let nearest = velocity + (wish - velocity).clamp_length_max(change);
        Disc {
            centre,
            radius,
            fastest,
            wish,
            present: velocity,
            nearest: nearest.clamp_length_max(fastest),
        }
    }
}

/// Points spread evenly over the unit disc, eight by eight.
#[derive(Debug, Default)]
pub struct Pattern {
    count: u32,
    x: Vec<Row>,
    y: Vec<Row>,
}

impl Pattern {
    /// Makes it have so many points.
    pub fn lay(&mut self, count: u32) {
        if self.count == count {
            return;
        }
        self.count = count;
        let rows = (count as usize).div_ceil(LANES);
        // Filling: velocities that nobody can reach.
        self.x = vec![Row::of(f32::INFINITY); rows];
        self.y = vec![Row::of(0.0); rows];
        for i in 0..count as usize {
            let radius = ((i as f64 + 0.5) / f64::from(count)).sqrt();
            let angle = i as f64 * GOLDEN;
            self.x[i / LANES].0[i % LANES] = (radius * math::cos(angle)) as f32;
            self.y[i / LANES].0[i % LANES] = (radius * math::sin(angle)) as f32;
        }
    }

    /// The unit vector that turns the pattern of an agent in a step.
    pub fn turn(seed: u64, id: u64, step: u64) -> Vec2 {
        let angle = Stream::new(seed, id, Purpose::Strategy, step).unit() * TAU;
        Vec2::new(math::cos(angle), math::sin(angle))
    }

    /// The velocity of least penalty.
    #[inline(always)]
    pub fn best<S: Simd>(&self, simd: S, threats: &Threats, disc: &Disc, turn: Vec2) -> Vec2 {
        let penalty = |v: Vec2| threats.cost_of(v) + v.distance(disc.wish);
        let mut best = disc.nearest;
        let mut least = penalty(best);
        let mut others = [disc.present, Vec2::ZERO];
        if disc.present.length() > disc.radius && disc.centre != Vec2::ZERO {
            // Standing still is out of reach: as slow as can be.
            others[1] = disc.present * (1.0 - disc.radius / disc.present.length());
        }
        for v in others {
            let p = penalty(v);
            if p < least {
                (best, least) = (v, p);
            }
        }
        let turn = turn * disc.radius;
        let limit = disc.fastest * disc.fastest;
        let mut values = (Row::default(), Row::default(), Row::default());
        for (px, py) in self.x.iter().zip(&self.y) {
            let (px, py) = (px.load(simd), py.load(simd));
            let x = px * turn.x - py * turn.y + disc.centre.x;
            let y = px * turn.y + py * turn.x + disc.centre.y;
            let (dx, dy) = (x - disc.wish.x, y - disc.wish.y);
            let distance = (dx * dx + dy * dy).sqrt();
            let open = (x * x + y * y).simd_le(limit) & distance.simd_lt(least);
            if !open.any_true() {
                continue;
            }
            let costs = threats.costs(simd, x, y, distance, least);
            let better = open & costs.simd_lt(least);
            if better.any_true() {
                values.0.store(x);
                values.1.store(y);
                values
                    .2
                    .store(better.select(costs, f32x8::splat(simd, f32::INFINITY)));
                for lane in 0..LANES {
                    if values.2.0[lane] < least {
                        least = values.2.0[lane];
                        best = Vec2::new(values.0.0[lane], values.1.0[lane]);
                    }
                }
            }
        }
        best.clamp_length_max(disc.fastest)
    }
}
