//! Stepping aside on curved grounds: who is held up by others tries another line for a moment.
//!
//! Shortest ways over edges and through necks of a surface are one line for all, and models without
//! a rule of their own for it (social forces) stand there head-on. On plans corridors lie apart, and
//! who waits at a door has to wait.

use glam::Vec2;

use super::Walker;
use crate::track::Track;

/// Who gets on by less than this share of what it wants is held up.
const HELD_UP: f32 = 0.25;
/// Seconds that somebody is held up before it steps aside.
const PATIENCE: f32 = 1.0;
/// Seconds that it steps aside.
const ASIDE: f32 = 2.0;
/// How much farther it goes to the right then than ahead.
const TO_THE_RIGHT: f32 = 5.0;

/// What somebody wants whom others may have held up: now and then to the right.
pub fn step_aside(track: &mut Track, walker: &Walker, preferred: Vec2) -> Vec2 {
    if track.held < 0.0 {
        track.held = (track.held + walker.dt).min(0.0);
        let right = -preferred.perp();
        return (preferred + right * TO_THE_RIGHT).normalize_or_zero() * preferred.length();
    }
    let gets_on = walker.velocity.dot(preferred) >= HELD_UP * preferred.length_squared();
    track.held = if gets_on {
        0.0
    } else if track.held > PATIENCE {
        -ASIDE
    } else {
        track.held + walker.dt
    };
    preferred
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use throng_core::{Frame, NONE};

    fn walker(velocity: Vec2) -> Walker {
        Walker {
            point: Vec3::ZERO,
            triangle: 0,
            region: NONE,
            normal: Vec3::Z,
            frame: Frame::FLAT,
            velocity,
            preferred: Vec2::X,
            radius: 0.24,
            speed: 1.0,
            lane: 0.0,
            target: Vec3::X * 9.0,
            target_triangle: 0,
            dt: 0.1,
            flat: false,
        }
    }

    #[test]
    fn who_stands_steps_to_the_right_for_a_while_and_then_wants_on() {
        let mut track = Track::default();
        let mut aside = 0;
        for step in 0..32 {
            let wish = step_aside(&mut track, &walker(Vec2::ZERO), Vec2::X);
            assert!((wish.length() - 1.0).abs() < 1e-6);
            if wish != Vec2::X {
                assert!(wish.y < -0.8 && wish.x > 0.0, "{wish}");
                assert!(step > 10, "after {step} steps");
                aside += 1;
            }
        }
        assert_eq!(aside, 20);
        assert_eq!(
            step_aside(&mut track, &walker(Vec2::ZERO), Vec2::X),
            Vec2::X
        );
    }

    #[test]
    fn who_gets_on_never_steps_aside() {
        let mut track = Track::default();
        for _ in 0..100 {
            let wish = step_aside(&mut track, &walker(Vec2::new(0.3, 0.9)), Vec2::X);
            assert_eq!(wish, Vec2::X);
            assert_eq!(track.held, 0.0);
        }
    }
}
