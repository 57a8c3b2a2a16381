//! Avoidance `predictive`: people foresee collisions and evade them early, with little effort.
//!
//! Ioannis Karamouzas, Peter Heil, Pascal van Beek and Mark Overmars, "A predictive collision
//! avoidance model for pedestrian simulation", Motion in Games 2009. All forces are per mass:
//!
//! - (1) goal: `F_g = (v_pref - v) / xi`
//! - (2) walls: `F_w = n (d_s + r - d) / (d - r)^kappa` where `d - r < d_s`
//! - (3) the velocity without the others: `v_des = v + (F_g + sum F_w) dt`
//! - (4) a neighbour j is met when `|x_j + v_j t - (x + v_des t)| = r_j + rho`, `rho` the radius of
//!   the personal space, at a time `tc` within the anticipation `t_a`; those in sight that are met
//!   first are evaded, at most `evaded` of them
//! - (5) evasion: along `n = (c - c_j) / |c - c_j|` between the places at `tc`, with a size that
//!   depends on `D = |c - x| + (|c - c_j| - r - r_j)`, the way still free: `e d_min / D` below
//!   `d_min`, `e` up to `d_mid`, then falling linearly to zero at `d_max`
//!
//! Evasions are taken one after the other, soonest first: each changes `v_des`, and the next is
//! only needed if its collision is still ahead.
//!
//! Beyond the paper: the goal force is taken implicitly (stable for any step), forces have a
//! limit, and bodies that touch are pushed apart by half their overlap. The defaults look less far
//! ahead and evade more gently than the paper's 8 s: with those, dense crowds that meet wind
//! about instead of passing.

#[cfg(test)]
mod tests;

use glam::Vec2;
use throng_core::{
    Capabilities, LocalAvoidance, NON_RECIPROCAL, NearWall, Perception, SAME_GROUP, Scratch,
    SteerChunk, SteerOut, math, random::mix,
};
use throng_kit::lanes::parting;

throng_core::options! {
    /// Evasion of predicted collisions.
    pub struct Predictive {
        /// t_a: collisions within this time are foreseen.
        anticipation: f32 = 3.0, "s", 0.1..=60.0;
        /// rho: how much wider than the body the personal space is.
        personal_space: f32 = 0.1, "m", 0.0..=5.0;
        /// Collisions evaded in a step, the soonest.
        evaded: u32 = 5, "", 1..=64;
        /// e: the evasive force, per mass.
        evasion: f32 = 0.8, "m/s2", 0.0..=100.0;
        /// d_min: a way free shorter than this is evaded harder.
        near: f32 = 0.8, "m", 0.01..=100.0;
        /// d_mid: up to this way free evasion is constant.
        middle: f32 = 2.0, "m", 0.01..=100.0;
        /// d_max: beyond this way free nothing is evaded.
        far: f32 = 5.0, "m", 0.01..=100.0;
        /// No force is larger than this, per mass.
        max_acceleration: f32 = 15.0, "m/s2", 0.1..=1000.0;
        /// xi: time in which the preferred velocity is taken up.
        relaxation: f32 = 0.4, "s", 0.01..=10.0;
        /// d_s: distance that is kept from walls.
        wall_distance: f32 = 0.3, "m", 0.0..=10.0;
        /// kappa: how steeply the force of walls grows.
        wall_steepness: f32 = 1.0, "", 0.0..=4.0;
        /// Angle of sight; those outside are not evaded.
        sight: f32 = 200.0, "degrees", 0.0..=360.0;
        /// Share of the evasion that members of one group use towards each other.
        companions: f32 = 1.0, "", 0.0..=1.0;
        /// Neighbours farther away are not looked at.
        reach: f32 = 10.0, "m", 0.0..=100.0;
        /// At most so many neighbours, the nearest, are looked at.
        most: u32 = 20, "", 0..=64;
        /// The preferred velocity of each agent is turned to the right by a fixed angle of its
        /// own, drawn by id up to this: so nobody waits for ever in an exact symmetry.
        symmetry_breaking: f32 = 0.03, "rad", 0.0..=0.2;
    }
}

throng_core::register! {
    Avoidance "predictive" => Predictive,
    about: "Evades predicted collisions by forces: early, smooth, with little effort.",
    when: "Sparse to middling crowds whose paths should look human: people make way long before they meet.",
    when_not: "Dense crowds and narrow doors: forces promise no freedom from collisions, nobody plans beyond straight lines, and a door used both ways takes long.",
    growth: "Linear in agents and neighbours.",
    paper: "Karamouzas, Heil, van Beek, Overmars: A predictive collision avoidance model for pedestrian simulation. Motion in Games 2009.",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[typetag::serde(name = "predictive")]
impl LocalAvoidance for Predictive {
    fn perception(&self) -> Perception {
        Perception {
            reach: self.reach,
            most: self.most,
            wall_reach: self.wall_distance + WALL_MARGIN,
        }
    }

    fn pushes(&self) -> bool {
        true
    }

    fn steer(&self, chunk: &SteerChunk<'_>, scratch: &mut Scratch, out: &mut SteerOut<'_>) {
        let meetings = scratch.get::<Vec<Meeting>>();
        let cos_sight = math::cos(self.sight.to_radians() * 0.5);
        for agent in 0..chunk.len() {
            let push = self.steer_one(chunk, agent, cos_sight, meetings, &mut out.velocity[agent]);
            if let Some(out) = out.push.get_mut(agent) {
                *out = push;
            }
        }
    }
}

/// Radius that the reach of walls is made for, metres.
const WALL_MARGIN: f32 = 1.0;
/// Least gap to a wall that its force is computed for, metres.
const LEAST_GAP: f32 = 0.02;

/// A neighbour that will be met.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    time: f32,
    neighbour: u32,
}

/// A vector that can be squared, or zero.
#[inline]
fn sound(v: Vec2) -> Vec2 {
    if v.abs().max_element() < 1e6 {
        v
    } else {
        Vec2::ZERO
    }
}

impl Predictive {
    /// Chooses one agent's velocity; gives its push.
    #[inline]
    fn steer_one(
        &self,
        chunk: &SteerChunk<'_>,
        agent: usize,
        cos_sight: f32,
        meetings: &mut Vec<Meeting>,
        out: &mut Vec2,
    ) -> Vec2 {
        let rows = &chunk.neighbours;
        let dt = chunk.dt;
        let velocity = sound(chunk.velocity[agent]);
        let wish = sound(self.wish(chunk.seed, chunk.id[agent], chunk.preferred[agent]));
        let radius = chunk.radius[agent];
        let fastest = chunk.max_speed[agent].clamp(0.0, 1e6);
        let most = self.max_acceleration * dt;
        let mut wall_force = Vec2::ZERO;
        for wall in chunk.walls_of(agent) {
            wall_force += self.wall_force(wall, radius);
        }
        // Equations 1 and 3, the goal force implicitly.
        let share = dt / self.relaxation;
        let mut desired = (velocity + wish * share) / (1.0 + share);
        desired += (wall_force * dt).clamp_length_max(most);
        desired = desired.clamp_length_max(fastest);

        meetings.clear();
        let mut push = Vec2::ZERO;
        let ahead = if wish == Vec2::ZERO { velocity } else { wish };
        for n in chunk.neighbours_of(agent) {
            let seen = rows.seen[n];
            let squared = seen.offset.length_squared();
            let reach = radius + rows.radius[n];
            if !(squared < 1e9 && reach < 1e4) {
                continue;
            }
            if squared < reach * reach {
                let distance = squared.sqrt();
                let away = if distance > 1e-5 {
                    -seen.offset / distance
                } else {
                    Vec2::from(parting(chunk.id[agent], rows.id[n]))
                };
                push += away * (0.5 * (reach - distance));
            }
            let facing = seen.offset.dot(ahead);
            let hidden = facing < cos_sight * (squared * ahead.length_squared()).sqrt();
            if hidden && squared > reach * reach {
                continue;
            }
            let relative = desired - sound(seen.velocity);
            if let Some(time) = self.meeting(seen.offset, relative, reach) {
                meetings.push(Meeting {
                    time,
                    neighbour: n as u32,
                });
            }
        }
        let evaded = meetings.len().min(self.evaded as usize);
        if evaded > 0 {
            let soonest = |a: &Meeting, b: &Meeting| {
                a.time
                    .total_cmp(&b.time)
                    .then(a.neighbour.cmp(&b.neighbour))
            };
            if meetings.len() > evaded {
                meetings.select_nth_unstable_by(evaded - 1, soonest);
            }
            meetings[..evaded].sort_unstable_by(soonest);
        }
        let mut evasion = Vec2::ZERO;
        for meeting in &meetings[..evaded] {
            let n = meeting.neighbour as usize;
            let seen = rows.seen[n];
            let reach = radius + rows.radius[n];
            let going = desired + evasion;
            let relative = going - sound(seen.velocity);
            let Some(time) = self.meeting(seen.offset, relative, reach) else {
                continue;
            };
            // From where the other will be to where we shall be.
            let between = relative * time - seen.offset;
            let distance = between.length();
            let away = if distance > 1e-5 {
                between / distance
            } else {
                Vec2::from(parting(chunk.id[agent], rows.id[n]))
            };
            let free = going.length() * time + distance - reach;
            let mut size = self.size(free);
            if rows.flags[n] & NON_RECIPROCAL != 0 {
                size *= 2.0;
            }
            if rows.flags[n] & SAME_GROUP != 0 {
                size *= self.companions;
            }
            evasion = (evasion + away * (size * dt)).clamp_length_max(most);
        }
        let chosen = (desired + evasion).clamp_length_max(fastest);
        *out = if chosen.is_finite() {
            chosen
        } else {
            Vec2::ZERO
        };
        if push.is_finite() { push } else { Vec2::ZERO }
    }

    /// The preferred velocity, turned to the right by the agent's own small angle.
    #[inline]
    fn wish(&self, seed: u64, id: u64, preferred: Vec2) -> Vec2 {
        let drawn = (mix(mix(seed) ^ id) >> 40) as f32 / (1u64 << 24) as f32;
        preferred - preferred.perp() * ((0.5 + 0.5 * drawn) * self.symmetry_breaking)
    }

    /// The time at which somebody enters the personal space (equation 4): now if already there and
    /// coming nearer.
    #[inline]
    fn meeting(&self, offset: Vec2, relative: Vec2, bodies: f32) -> Option<f32> {
        let reach = bodies + self.personal_space;
        let towards = offset.dot(relative);
        let power = offset.length_squared() - reach * reach;
        if power <= 0.0 {
            let nearer = towards > 0.0 || offset.length_squared() < bodies * bodies;
            return nearer.then_some(0.0);
        }
        let root = towards * towards - relative.length_squared() * power;
        if towards <= 0.0 || root <= 0.0 {
            return None;
        }
        let time = power / (towards + root.sqrt());
        (time < self.anticipation).then_some(time)
    }

    /// Size of the evasive force for a way free (equation 5).
    #[inline]
    fn size(&self, free: f32) -> f32 {
        let (near, middle) = (self.near, self.middle.max(self.near));
        if free < near {
            (self.evasion * near / free.max(1e-3)).min(self.max_acceleration)
        } else if free < middle {
            self.evasion
        } else {
            let far = self.far.max(middle + 1e-3);
            self.evasion * ((far - free) / (far - middle)).clamp(0.0, 1.0)
        }
    }

    /// The force of a wall (equation 2) at its nearest point. Ends that two walls share count
    /// once, and not at all while the other wall has a nearer point.
    #[inline]
    fn wall_force(&self, wall: &NearWall, radius: f32) -> Vec2 {
        let along = wall.b - wall.a;
        let length = along.length();
        if !(length > 1e-9) {
            return Vec2::ZERO;
        }
        let along = along / length;
        let foot = -wall.a.dot(along);
        let (before, after) = (foot <= 0.0, foot >= length);
        if after && wall.after != Vec2::ZERO || before && wall.a.dot(wall.before) > 0.0 {
            return Vec2::ZERO;
        }
        let to = wall.a + along * foot.clamp(0.0, length);
        let distance = to.length();
        let gap = (distance - radius).max(LEAST_GAP);
        if !(gap < self.wall_distance) {
            return Vec2::ZERO;
        }
        let away = if distance > 1e-5 {
            -to / distance
        } else {
            along.perp()
        };
        let size = (self.wall_distance - gap) / math::pow(gap, self.wall_steepness);
        away * size.min(self.max_acceleration)
    }
}
