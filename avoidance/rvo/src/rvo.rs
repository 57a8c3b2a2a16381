//! Avoidance `rvo`: reciprocal velocity obstacles, by trying velocities.
//!
//! Jur van den Berg, Ming Lin and Dinesh Manocha, "Reciprocal velocity obstacles for real-time
//! multi-agent navigation", ICRA 2008. Each agent tries many velocities `v'` that it can reach
//! within the step and takes the one of least penalty (their section V). With `v_A` its velocity
//! and a neighbour B at offset `p`, velocity `v_B`, sum of the radii `r`:
//!
//! - (1) `penalty(v') = w / tc(v') + |v_pref - v'|`
//! - (2) `tc(v')` is the time at which a ray of the relative velocity `2 v' - v_A - v_B` meets the
//!   disc of radius `r` at `p`, the soonest of all neighbours (the reciprocal velocity obstacle,
//!   their definition 6: each takes half of the evasion); of `v' - v_B` where the neighbour avoids
//!   nobody
//! - (3) collisions later than a horizon cost nothing, and the penalty begins there at zero:
//!   `w (1 / tc - 1 / horizon)`. Walls count with a horizon of their own.
//!
//! Beyond the paper, for crowds that are packed:
//!
//! - (4) those who overlap already are to part: for each of them, velocities that do not part them
//!   within a step are the worse the more they approach
//! - (5) nobody is to close more than half of the gap to a neighbour within a step (a tenth of a
//!   second at least): `v' . n <= (|p| - r) / (2 dt)`, `n` towards it. Who keeps to it cannot run
//!   into others who do, whatever they choose.
//!
//! - (6) who has no free way and walks slower than preferred turns the preferred velocity to the
//!   right, by the tangent `sidestep (1 - v_A . v_pref / |v_pref|^2)`: where all stand in each
//!   other's way, the crowd begins to turn and comes loose.
//!
//! Candidates are the preferred velocity, the present one, standing still, and `samples` points
//! spread evenly over the disc of reachable velocities, turned by an angle drawn for each (seed,
//! agent, step). Eight of them are tried at once, with the same bits on every instruction set.
//! `1 / tc = (b + sqrt(b^2 - a c)) / c` with `c` constant per neighbour: no division per try.

mod candidates;
#[cfg(test)]
mod tests;
mod threats;

use fearless_simd::{Level, Simd};
use glam::Vec2;
use throng_core::{
    Capabilities, LocalAvoidance, Perception, Scratch, SteerChunk, SteerOut, random::mix,
};

use candidates::{Disc, Pattern};
use threats::Threats;

throng_core::options! {
    /// Reciprocal velocity obstacles.
    pub struct Rvo {
        /// Velocities that are tried, besides the preferred and the present one.
        samples: u32 = 250, "", 1..=4096;
        /// w: how much a collision ahead counts against leaving the preferred velocity. More
        /// makes people wary, less makes them push through.
        wariness: f32 = 4.0, "m", 0.01..=100.0;
        /// Collisions with neighbours later than this cost nothing.
        time_horizon: f32 = 4.0, "s", 0.05..=60.0;
        /// Collisions with walls later than this cost nothing.
        wall_horizon: f32 = 0.6, "s", 0.05..=60.0;
        /// Velocities can change by so much per second.
        max_acceleration: f32 = 20.0, "m/s2", 0.1..=1000.0;
        /// Share of w that members of one group count each other with.
        companions: f32 = 1.0, "", 0.0..=1.0;
        /// Neighbours farther away are not looked at.
        reach: f32 = 5.0, "m", 0.0..=100.0;
        /// At most so many neighbours, the nearest, are looked at.
        most: u32 = 16, "", 0..=64;
        /// Walls farther away are not looked at.
        wall_reach: f32 = 2.0, "m", 0.0..=100.0;
        /// Where the best velocity may still collide within the step, those of all who are in each
        /// other's way are changed together, as little as it takes that nobody runs into anybody.
        keep_apart: bool = true;
        /// The preferred velocity of each agent is turned to the right by a fixed angle of its
        /// own, drawn by id up to this: so nobody waits for ever in an exact symmetry.
        symmetry_breaking: f32 = 0.06, "rad", 0.0..=0.2;
        /// How far somebody who cannot get on at all turns to the right, as the tangent of the
        /// angle; who gets on in part turns less. So crowds that meet go round each other instead
        /// of standing.
        sidestep: f32 = 0.5, "", 0.0..=10.0;
    }
}

throng_core::register! {
    Avoidance "rvo" => Rvo,
    about: "Reciprocal velocity obstacles: the best of some hundred tried velocities.",
    when: "The published method itself, or penalties instead of hard limits: it trades a late collision for a small detour.",
    when_not: "Speed or smoothness matter most: orca costs a fraction and does not depend on chance. Dense crowds (2 persons per m2 and more, walking every way) come nearly to rest, and narrow doors used both ways are passed slowly.",
    growth: "Linear in agents, samples and neighbours; who has a free way tries one velocity.",
    paper: "van den Berg, Lin, Manocha: Reciprocal velocity obstacles for real-time multi-agent navigation. ICRA 2008.",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[typetag::serde(name = "rvo")]
impl LocalAvoidance for Rvo {
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
    pattern: Pattern,
    threats: Threats,
}

impl Rvo {
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
        work.pattern.lay(self.samples);
        throng_kit::eight_lanes!(level, simd => {
            steer_chunk(simd, self, chunk, work, out, pressed)
        });
    }

    /// The preferred velocity, turned to the right by the agent's own small angle.
    #[inline]
    fn wish(&self, seed: u64, id: u64, preferred: Vec2) -> Vec2 {
        let drawn = (mix(mix(seed) ^ id) >> 40) as f32 / (1u64 << 24) as f32;
        preferred - preferred.perp() * ((0.5 + 0.5 * drawn) * self.symmetry_breaking)
    }

    /// The wish of somebody in whose way others are (equation 6).
    #[inline]
    fn aside(&self, wish: Vec2, velocity: Vec2) -> Vec2 {
        let squared = wish.length_squared().max(1e-6);
        let blocked = (1.0 - velocity.dot(wish) / squared).clamp(0.0, 1.0);
        let tangent = blocked * self.sidestep;
        (wish - wish.perp() * tangent) / (1.0 + tangent * tangent).sqrt()
    }
}

/// A vector that can be squared, or zero.
#[inline(always)]
fn sound(v: Vec2) -> Vec2 {
    if v.abs().max_element() < 1e6 {
        v
    } else {
        Vec2::ZERO
    }
}

#[inline(always)]
fn steer_chunk<S: Simd>(
    simd: S,
    model: &Rvo,
    chunk: &SteerChunk<'_>,
    work: &mut Work,
    out: &mut [Vec2],
    pressed: &mut [u8],
) {
    let dt = if chunk.dt > 1e-6 { chunk.dt } else { 1e-6 };
    for agent in 0..chunk.len() {
        let fastest = chunk.max_speed[agent];
        let fastest = if fastest < 1e6 { fastest.max(0.0) } else { 1e6 };
        let velocity = sound(chunk.velocity[agent]).clamp_length_max(fastest);
        let wish = sound(model.wish(chunk.seed, chunk.id[agent], chunk.preferred[agent]));
        let disc = Disc::new(velocity, wish, fastest, model.max_acceleration * dt);
        work.threats
            .gather(model, chunk, agent, velocity, fastest, dt);
        out[agent] = if work.threats.cost_of(disc.nearest) <= 0.0 {
            disc.nearest
        } else {
            if let Some(pressed) = pressed.get_mut(agent) {
                *pressed = u8::from(work.threats.at_hand());
            }
            let wish = model.aside(wish, velocity);
            let disc = Disc::new(velocity, wish, fastest, model.max_acceleration * dt);
            let turn = Pattern::turn(chunk.seed, chunk.id[agent], chunk.step);
            work.pattern.best(simd, &work.threats, &disc, turn)
        };
    }
}
