//! Avoidance `social-force`: people repel each other, and press and rub where bodies touch.
//!
//! Dirk Helbing, Illes Farkas and Tamas Vicsek, "Simulating dynamical features of escape panic",
//! Nature 407, 2000, in the form of Akaydin 2010. With `n` the unit vector from the other to
//! oneself, `t` its left perpendicular, `d` the distance of the centres, `r` the sum of the radii
//! and `g(x) = max(x, 0)`:
//!
//! - (3.1) `m dv/dt = m (v0 - v) / tau + sum f_ij + sum f_iw`
//! - (3.2) `f_ij = { A exp[(r - d) / B] + k g(r - d) } n + kappa g(r - d) ((v_j - v_i) . t) t`
//! - (3.3) `f_iw` the same with the nearest point of a wall, whose velocity is zero.
//!
//! With `form = "elliptical"` the exponential of (3.2) and (3.3) is that of Dirk Helbing and Peter
//! Molnar, "Social force model for pedestrian dynamics", Physical Review E 51, 1995: the potential
//! `V exp(-b / sigma)`, `b` the half minor axis of an ellipse that the other's next stride spans,
//! weakened outside the angle of sight; `U exp(-d / R)` for walls. Speeds are cut at 1.3 times the
//! preferred one, as there.
//!
//! **Integration.** Contacts are stiff (`k / m` gives 40 per second and more, rubbing several
//! hundred), so a step is cut into sub-steps inside `steer`, few for those far from everybody, of
//! `substep` seconds for those who touch; each is linearly implicit: with `h` its length, `e` = 0.7
//! and `F` the sum of the forces at the places that all reach after `e h`,
//!
//! - `(m / h - e^2 h dF/dx - dF/dv) dv = F(x + e h v, v)`, `x += h (v + e dv)`, `v += dv`,
//!
//! a 2x2 system that is solved exactly. It is stable for any step, and near enough to second order
//! (`e` = 1/2) that collisions keep their speed. Sub-steps alone would need thousands of them for
//! the worst contact; a first-order implicit step is stable but takes speed from every encounter.
//! Within the step a neighbour goes on at its velocity and is pushed back by what pushes us, with
//! our mass, so that two who meet share their blow as in a common integration. In a dense crowd
//! forces stand in balance, and nobody moves: the share of the pair's first force that is in
//! balance is `1 - 2 |F| / sum |f|` (not below 0), taken from our own forces, and pushes no
//! neighbour. So who stands in balance stays so at any step length. Where several press, the
//! answers of those behind them are not seen within a step: they count as mass, `0.05 u^2` times
//! one's own, `u` being `dt^2 / m` times the stiffness of all but the stiffest repulsion, at most
//! two masses; below 2 persons per m2 it is next to nothing, and at short steps it vanishes. Who is
//! near others goes towards each by no more than half of the gap that was between them, and what
//! the other leaves behind: two who press past what a step foretells do not end up in each other.
//! The displacement beyond `v dt` goes out as a push. What others do cannot be foretold for long:
//! steps above `longest_step`, or of more than `longest_way`, are cut into parts in each of which
//! everybody looks anew.

mod groups;
mod kernel;
#[cfg(test)]
mod tests;

use fearless_simd::{Level, Simd};
use glam::Vec2;
use throng_core::{
    Capabilities, LocalAvoidance, Perception, Scratch, SteerChunk, SteerOut, random::mix,
};

use groups::{Pace, Work};
use kernel::Constants;

throng_core::choices! {
    /// What the repulsion depends on.
    pub enum Form {
        /// The distance alone (Helbing, Farkas, Vicsek 2000).
        Circular = "circular",
        /// An ellipse spanned by the other's next stride (Helbing, Molnar 1995).
        Elliptical = "elliptical",
    }
}

throng_core::options! {
    /// Social forces with body contact.
    pub struct SocialForce {
        /// Form of the repulsion between people who do not touch.
        form: Form = Form::Circular;
        /// A: repulsion where bodies just touch (circular form).
        strength: f32 = 2000.0, "N", 0.0..=100000.0;
        /// B: distance over which the repulsion falls to 1/e (circular form).
        range: f32 = 0.08, "m", 0.01..=2.0;
        /// k: stiffness of bodies and walls in contact.
        stiffness: f32 = 120000.0, "kg/s2", 0.0..=10000000.0;
        /// kappa: rubbing of bodies and walls in contact.
        friction: f32 = 240000.0, "kg/(m s)", 0.0..=10000000.0;
        /// tau: time in which the preferred velocity is taken up.
        relaxation: f32 = 0.5, "s", 0.01..=10.0;
        /// V: repulsive potential (elliptical form).
        potential: f32 = 2.1, "m2/s2", 0.0..=1000.0;
        /// sigma: distance over which the potential falls to 1/e (elliptical form).
        potential_range: f32 = 0.3, "m", 0.05..=5.0;
        /// Duration of the stride that spans the ellipse (elliptical form).
        stride: f32 = 2.0, "s", 0.0..=10.0;
        /// c: share of the repulsion felt from outside the angle of sight (elliptical form).
        behind: f32 = 0.5, "", 0.0..=1.0;
        /// Half the angle of sight (elliptical form).
        sight: f32 = 100.0, "degrees", 0.0..=180.0;
        /// U: repulsive potential of walls (elliptical form).
        wall_potential: f32 = 10.0, "m2/s2", 0.0..=1000.0;
        /// R: distance over which the potential of walls falls to 1/e (elliptical form).
        wall_range: f32 = 0.2, "m", 0.02..=5.0;
        /// Nobody is pushed faster than this many times the preferred speed.
        top_speed: f32 = 1.3, "", 1.0..=10.0;
        /// Share of the repulsion that members of one group feel from each other.
        companions: f32 = 1.0, "", 0.0..=1.0;
        /// Gap beyond which bodies and walls are not felt, in ranges of their repulsion (circular
        /// form): at 8 the force has fallen to 1/3000 of A, below 1 N.
        cutoff: f32 = 8.0, "", 1.0..=100.0;
        /// Neighbours farther away are not looked at, from centre to centre. It should cover both
        /// radii, the cutoff and what two walk towards each other in a step; the elliptical form
        /// wants 4 m.
        reach: f32 = 1.5, "m", 0.0..=100.0;
        /// At most so many neighbours, the nearest, are looked at.
        most: u32 = 12, "", 0..=64;
        /// Walls farther away are not looked at.
        wall_reach: f32 = 2.0, "m", 0.0..=100.0;
        /// Longest time for which neighbours are taken to go on: longer steps are cut into equal
        /// parts, in each of which everybody looks, steers and moves.
        longest_step: f32 = 0.1, "s", 0.01..=1.0;
        /// The same as a distance: longer steps of the fastest are cut too.
        longest_way: f32 = 0.22, "m", 0.01..=10.0;
        /// Longest sub-step of people who touch; others take longer ones, up to 0.05 s near others
        /// and 0.1 s away from all.
        substep: f32 = 0.025, "s", 0.001..=0.1;
        /// The preferred velocity of each agent is turned to the right by a fixed angle of its
        /// own, drawn by id up to this: so nobody stands for ever in an exact symmetry.
        symmetry_breaking: f32 = 0.02, "rad", 0.0..=0.2;
    }
}

throng_core::register! {
    Avoidance "social-force" => SocialForce,
    about: "Social forces: repulsion at a distance, pressing and rubbing where bodies touch.",
    when: "Crowds that press: evacuation, bottlenecks, clogging, faster-is-slower; bodies with masses.",
    when_not: "Nobody may overlap at all, or people should make way early: the circular form looks at distances only and evades late. A narrow door used both ways by many: the circular form passes slowly or jams at its strength of 2,000 N; form = \"elliptical\" with reach = 4, or strength = 500, lets the sides take turns. Openings below a metre: their corners repel, and slow walkers may stop before them for good. Runners in crowds: steps are cut, at their cost.",
    growth: "Linear in agents and neighbours within about a metre; at steps of 0.1 s those who touch take four sub-steps, those near others two, the rest one; a step of 0.5 s costs five of 0.1 s, and runners' steps of 0.1 s three.",
    paper: "Helbing, Farkas, Vicsek: Simulating dynamical features of escape panic. Nature 407, 2000. Helbing, Molnar: Social force model for pedestrian dynamics. Phys. Rev. E 51, 1995.",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[typetag::serde(name = "social-force")]
impl LocalAvoidance for SocialForce {
    fn perception(&self) -> Perception {
        Perception {
            reach: self.reach,
            most: self.most,
            wall_reach: self.wall_reach,
        }
    }

    fn pushes(&self) -> bool {
        true
    }

    fn longest_step(&self, fastest: f32) -> f32 {
        // Not 0 / 0 where nobody can move.
        self.longest_step.min(self.longest_way / fastest.max(1e-3))
    }

    fn steer(&self, chunk: &SteerChunk<'_>, scratch: &mut Scratch, out: &mut SteerOut<'_>) {
        self.steer_at(Level::new(), chunk, scratch, out.velocity, out.push);
    }
}

impl SocialForce {
    /// Steers on a given instruction set; the answer is the same on all.
    fn steer_at(
        &self,
        level: Level,
        chunk: &SteerChunk<'_>,
        scratch: &mut Scratch,
        velocity: &mut [Vec2],
        push: &mut [Vec2],
    ) {
        let work = scratch.get::<Work>();
        work.sort_by_pace(self, chunk);
        throng_kit::eight_lanes!(level, simd => steer_groups(simd, self, chunk, work, velocity, push));
    }

    /// The preferred velocity, turned to the right by the agent's own small angle.
    #[inline]
    fn wish(&self, seed: u64, id: u64, preferred: Vec2) -> Vec2 {
        let drawn = (mix(mix(seed) ^ id) >> 40) as f32 / (1u64 << 24) as f32;
        preferred - preferred.perp() * ((0.5 + 0.5 * drawn) * self.symmetry_breaking)
    }

    /// The gap beyond which a neighbour's force is not felt, metres.
    fn felt(&self) -> f32 {
        match self.form {
            Form::Circular => self.cutoff * self.range,
            Form::Elliptical => 10.0 * self.potential_range + self.stride,
        }
    }

    /// The gap beyond which a wall's force is not felt, metres.
    fn wall_felt(&self) -> f32 {
        match self.form {
            Form::Circular => self.cutoff * self.range,
            Form::Elliptical => 10.0 * self.wall_range,
        }
    }
}

/// Eight agents of one pace after another.
#[inline(always)]
fn steer_groups<S: Simd>(
    simd: S,
    model: &SocialForce,
    chunk: &SteerChunk<'_>,
    work: &mut Work,
    velocity: &mut [Vec2],
    push: &mut [Vec2],
) {
    let constants = Constants::new(simd, model);
    for pace in Pace::ALL {
        let steps = pace.steps(model, chunk.dt);
        let mut first = 0;
        while first < work.of_pace(pace).len() {
            let taken = work.load_group(model, chunk, pace, first);
            kernel::run(simd, model, &constants, work, steps, chunk.dt);
            work.write(chunk, pace, first, taken, steps, velocity, push);
            first += taken;
        }
    }
}
