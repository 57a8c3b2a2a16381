//! Avoidance `sidestep`: keep apart, and pass whoever comes towards us on a remembered side.
//!
//! The velocity is the preferred one, plus a push away from bodies and walls that grows linearly
//! as the gap closes, plus a step aside for neighbours that would be met within the horizon. The
//! side is chosen once and kept in memory until the way has been free for a while, so nobody
//! dances left and right in front of another.

use glam::Vec2;
use throng_core::{
    Capabilities, LocalAvoidance, Memory, NON_RECIPROCAL, NearWall, Perception, Scratch,
    SteerChunk, SteerOut, math, options, register,
};

options! {
    /// Keeps apart and steps aside.
    pub struct Sidestep {
        /// Gap that is kept free.
        gap: f32 = 0.4, "m", 0.0..=5.0;
        /// Speed of keeping apart where bodies touch.
        strength: f32 = 1.5, "m/s", 0.0..=20.0;
        /// Neighbours met within this time are stepped aside for.
        horizon: f32 = 2.5, "s", 0.1..=30.0;
        /// Time after which a side is forgotten.
        forget: f32 = 1.0, "s", 0.0..=60.0;
        /// Most neighbours looked at.
        most: u32 = 8, "", 0.0..=64.0;
    }
}

/// Memory: +1 for passing on the left, -1 for the right, less while it is being forgotten.
const SIDE: usize = 0;
const COLUMNS: usize = 1;
/// Fastest approach that the reach is made for, metres per second.
const FASTEST: f32 = 3.0;

impl Sidestep {
    /// The push of a body whose surface is `gap` metres away, metres per second.
    fn push(&self, gap: f32) -> f32 {
        if self.gap > 0.0 {
            self.strength * ((self.gap - gap) / self.gap).clamp(0.0, 2.0)
        } else {
            0.0
        }
    }

    /// Seconds until two discs touch, if they do so within the horizon.
    fn meeting(&self, offset: Vec2, closing: Vec2, distance: f32) -> Option<f32> {
        let (a, b) = (closing.length_squared(), offset.dot(closing));
        let root = b * b - a * (offset.length_squared() - distance * distance);
        if a <= 1e-9 || b <= 0.0 || root <= 0.0 {
            return None;
        }
        let time = (b - root.sqrt()) / a;
        (time < self.horizon).then_some(time.max(0.0))
    }
}

/// The point of a wall nearest to the agent.
fn nearest(wall: &NearWall) -> Vec2 {
    let along = wall.b - wall.a;
    let length = along.length_squared();
    if length <= 0.0 {
        return wall.a;
    }
    wall.a + along * (-wall.a.dot(along) / length).clamp(0.0, 1.0)
}

#[typetag::serde(name = "sidestep")]
impl LocalAvoidance for Sidestep {
    fn perception(&self) -> Perception {
        Perception {
            reach: self.gap + self.horizon * FASTEST,
            most: self.most,
            wall_reach: self.gap + 1.0,
        }
    }

    fn memory(&self) -> Memory {
        Memory {
            scalars: &["side"],
            ..Memory::NONE
        }
    }

    fn steer(&self, chunk: &SteerChunk<'_>, scratch: &mut Scratch, out: &mut SteerOut<'_>) {
        // Meetings of one agent: time, and which side of us the neighbour passes.
        let meetings = scratch.get::<Vec<(f32, f32)>>();
        for i in 0..chunk.len() {
            let preferred = chunk.preferred[i];
            let mut velocity = preferred;
            meetings.clear();
            for n in chunk.neighbours_of(i) {
                let seen = chunk.neighbours.seen[n];
                let distance = chunk.radius[i] + chunk.neighbours.radius[n];
                let length = seen.offset.length();
                let away = if length > 1e-6 {
                    -seen.offset / length
                } else if chunk.id[i] < chunk.neighbours.id[n] {
                    Vec2::X
                } else {
                    -Vec2::X
                };
                // Who does not make way is left the whole of it.
                let share = if chunk.neighbours.flags[n] & NON_RECIPROCAL != 0 {
                    1.0
                } else {
                    0.5
                };
                velocity += away * self.push(length - distance) * share;
                let closing = preferred - seen.velocity;
                if let Some(time) = self.meeting(seen.offset, closing, distance) {
                    meetings.push((time, preferred.perp_dot(seen.offset)));
                }
            }
            for wall in chunk.walls_of(i) {
                let to = nearest(wall);
                let length = to.length();
                if length > 1e-6 {
                    velocity -= to / length * self.push(length - chunk.radius[i]);
                }
            }
            let side = &mut out.memory.scalars[i * COLUMNS + SIDE];
            let soonest = meetings.iter().copied().min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((time, left_of_us)) = soonest {
                if side.abs() < 0.5 {
                    // The neighbour is on our left: pass on the right. Head-on, everybody does.
                    *side = if left_of_us < 0.0 { 1.0 } else { -1.0 };
                }
                *side = if *side > 0.0 { 1.0 } else { -1.0 };
                let urgency = 1.0 - time / self.horizon;
                velocity += preferred.perp() * (*side * urgency);
            } else if self.forget > 0.0 {
                *side *= math::exp(-chunk.dt / self.forget);
            } else {
                *side = 0.0;
            }
            out.velocity[i] = velocity.clamp_length_max(chunk.max_speed[i]);
        }
    }
}

register! {
    Avoidance "sidestep" => Sidestep,
    about: "Keeps apart and passes oncoming people on a remembered side.",
    when: "As an example of a model in a crate of its own.",
    when_not: "Crowds are dense: it promises no freedom from collisions.",
    growth: "Time grows with agents times neighbours; one number per agent.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::NONE,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_meet_when_their_gap_is_closed() {
        let model = Sidestep::default();
        let meeting = |x, y| model.meeting(Vec2::new(x, y), Vec2::X * 2.0, 0.5);
        assert_eq!(meeting(4.5, 0.0), Some(2.0));
        assert_eq!(meeting(4.5, 0.6), None);
        assert_eq!(meeting(-4.5, 0.0), None);
        assert_eq!(meeting(9.0, 0.0), None);
    }

    #[test]
    fn pushes_grow_to_their_strength_where_bodies_touch() {
        let model = Sidestep::default();
        assert_eq!(model.push(0.4), 0.0);
        assert_eq!(model.push(0.2), 0.75);
        assert_eq!(model.push(0.0), 1.5);
    }

    #[test]
    fn the_nearest_point_stays_on_the_wall() {
        let wall = |a: (f32, f32), b: (f32, f32)| NearWall {
            a: a.into(),
            b: b.into(),
            before: Vec2::ZERO,
            after: Vec2::ZERO,
            flags: 0,
            wall: 0,
        };
        assert_eq!(nearest(&wall((1.0, -1.0), (1.0, 1.0))), Vec2::X);
        assert_eq!(nearest(&wall((1.0, 1.0), (1.0, 3.0))), Vec2::ONE);
        assert_eq!(nearest(&wall((1.0, 1.0), (1.0, 1.0))), Vec2::ONE);
    }
}
