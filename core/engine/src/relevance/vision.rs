//! What one body can see of another.

use glam::Vec3;

use super::Body;

/// Radius of the disc at somebody's feet over the height: between a stride and the height.
pub const DISC_PER_HEIGHT: f32 = 0.6;

/// The rules of relevance. Lengths derive from the agents, so one set serves all surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relevance {
    /// Whether people out of sight (other floors, behind the curve) are left out.
    pub vision: bool,
    /// Whether walls hide people behind them.
    pub occlusion: bool,
    /// How far below one's feet a head may be and still be seen, in body heights.
    pub tolerance: f32,
    /// How much farther below it may be per metre away: stairs and globes fall off.
    pub lean: f32,
    /// Radius of the disc at a neighbour's feet that hides it from below, metres; by default
    /// between stride and height of the neighbour.
    pub disc: Option<f32>,
    /// Whether being seen by either counts for both; otherwise a pair of whom only one sees the
    /// other is non-reciprocal.
    pub symmetric: bool,
}

impl Default for Relevance {
    fn default() -> Relevance {
        Relevance {
            vision: true,
            occlusion: true,
            tolerance: 0.05,
            lean: 0.2,
            disc: None,
            symmetric: true,
        }
    }
}

impl Relevance {
    /// Whether the first can see the second.
    pub fn sees(&self, own: &Body, other: &Body) -> bool {
        let (own_head, other_head) = (own.head(), other.head());
        let gaze = other_head - own_head;
        let rise = gaze.dot(own.up);
        if rise > 0.0 {
            if rise > own.height * 1.001 {
                return false;
            }
            let disc = self.disc.unwrap_or(DISC_PER_HEIGHT * other.height);
            if through_disc(own_head, other_head, other.feet, other.up, disc) {
                return false;
            }
        }
        let from_feet = other_head - own.feet;
        let fall = -from_feet.dot(own.up);
        fall <= self.tolerance * own.height + self.lean * from_feet.length()
    }

    /// Whether the second is a neighbour of the first, and whether the first must then do all
    /// the avoiding.
    pub fn relation(&self, own: &Body, other: &Body) -> (bool, bool) {
        if !self.vision {
            return (true, false);
        }
        if self.symmetric {
            (self.sees(own, other) || self.sees(other, own), false)
        } else {
            (self.sees(own, other), !self.sees(other, own))
        }
    }
}

/// Whether a straight line comes up through a disc.
fn through_disc(from: Vec3, to: Vec3, centre: Vec3, normal: Vec3, radius: f32) -> bool {
    let (start, end) = ((from - centre).dot(normal), (to - centre).dot(normal));
    if start >= 0.0 || end <= 0.0 {
        return false;
    }
    let at = from + (to - from) * (start / (start - end));
    at.distance_squared(centre) < radius * radius
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(feet: [f32; 3], up: [f32; 3]) -> Body {
        let up = Vec3::from(up).normalize();
        Body {
            feet: feet.into(),
            up,
            axis: up,
            height: 1.8,
        }
    }

    /// On a floor plan: upright whatever the slope.
    fn upright(feet: [f32; 3], up: [f32; 3]) -> Body {
        Body {
            axis: Vec3::Z,
            ..standing(feet, up)
        }
    }

    fn both(a: &Body, b: &Body) -> [bool; 2] {
        let relevance = Relevance::default();
        [relevance.sees(a, b), relevance.sees(b, a)]
    }

    const UP: [f32; 3] = [0.0, 0.0, 1.0];
    const DOWN: [f32; 3] = [0.0, 0.0, -1.0];

    #[test]
    fn same_floor() {
        for x in [0.0, 0.1, 1.0, 5.0] {
            let (a, b) = (standing([0.0, 0.0, 0.0], UP), standing([x, 0.3, 0.0], UP));
            assert_eq!(both(&a, &b), [true, true]);
            // The spheres of one height are nearest, the feet of all.
            assert_eq!(a.nearest(&b), b.feet - a.feet);
        }
    }

    #[test]
    fn other_floor() {
        // At any distance that a reach of 5 m covers.
        for x in 0..50 {
            let x = x as f32 * 0.1;
            let below = standing([0.0, 0.0, 0.0], UP);
            let above = standing([x, 0.0, 3.0], UP);
            assert_eq!(both(&below, &above), [false, false], "{x}");
        }
    }

    #[test]
    fn stair_up_and_down() {
        // A stair of 30 degrees rises from (0, 0, 0) along x.
        let slope = 1.0 / 3.0_f32.sqrt();
        let normal = [-0.5, 0.0, 0.75_f32.sqrt()];
        let on_stair = |x: f32| upright([x, 0.0, x * slope], normal);
        for x in [0.5, 1.0, 2.0, 3.0] {
            let foot = upright([-0.5, 0.0, 0.0], UP);
            assert_eq!(both(&foot, &on_stair(x)), [true, true], "up {x}");
            let head = upright([4.5, 0.0, 4.0 * slope], UP);
            assert_eq!(both(&head, &on_stair(4.0 - x)), [true, true], "down {x}");
            assert_eq!(
                both(&on_stair(0.5), &on_stair(0.5 + x)),
                [true, true],
                "on it {x}"
            );
        }
    }

    #[test]
    fn globe() {
        // Round a globe of 8 m: up to 5 m along the surface in view, the far side not.
        let on_globe = |angle: f32| {
            let up = [
                throng_core::math::sin(angle),
                0.0,
                throng_core::math::cos(angle),
            ];
            standing(up.map(|c| c * 8.0), up)
        };
        for i in 1..=10 {
            let angle = i as f32 * 0.5 / 8.0;
            assert_eq!(
                both(&on_globe(0.0), &on_globe(angle)),
                [true, true],
                "{angle}"
            );
        }
        for angle in [1.5, 2.0, 3.1] {
            assert_eq!(
                both(&on_globe(0.0), &on_globe(angle)),
                [false, false],
                "{angle}"
            );
        }
    }

    #[test]
    fn floor_and_ceiling() {
        let floor = standing([0.0, 0.0, 0.0], UP);
        for x in [0.0, 0.5, 3.0] {
            let ceiling = standing([x, 0.0, 3.0], DOWN);
            assert_eq!(both(&floor, &ceiling), [true, true], "{x}");
        }
        // Back to back on the two sides of one slab: nobody sees through it.
        for x in [0.0, 0.5, 3.0] {
            let under = standing([x, 0.0, -0.2], DOWN);
            assert_eq!(both(&floor, &under), [false, false], "{x}");
        }
    }

    #[test]
    fn perpendicular_walls() {
        // In a room: on the floor, and on the wall x = 2.
        let (floor, wall) = (
            standing([0.0, 0.0, 0.0], UP),
            standing([2.0, 0.0, 1.0], [-1.0, 0.0, 0.0]),
        );
        assert_eq!(both(&floor, &wall), [true, true]);
        // Heads meet although feet are 2.2 m apart.
        assert!(floor.nearest(&wall).length() < 0.25);
        // Who walks to the edge on the floor sees the other's head, above its feet, before it; who
        // comes down the wall sees the head of the one on the floor, not yet below.
        let near = |v: Vec3, to: [f32; 3]| v.distance(Vec3::from(to)) < 1e-5;
        assert!(near(floor.towards(&wall), [0.2, 0.0, 1.0]));
        assert!(near(wall.towards(&floor), [-2.0, 0.0, -0.1]));
        // Heads that meet between a floor and a ceiling do so for both.
        let ceiling = standing([0.5, 0.0, 3.4], DOWN);
        assert_eq!(floor.towards(&ceiling), floor.nearest(&ceiling));
        assert!(floor.towards(&ceiling).length() < 0.6);
        // Round the outer edge of a cube, both near it: in view; far from it: not.
        let (top, side) = (
            standing([-0.5, 0.0, 0.0], UP),
            standing([0.0, 0.0, -0.5], [1.0, 0.0, 0.0]),
        );
        assert_eq!(both(&top, &side), [true, true]);
        let (top, side) = (
            standing([-3.0, 0.0, 0.0], UP),
            standing([0.0, 0.0, -3.0], [1.0, 0.0, 0.0]),
        );
        assert_eq!(both(&top, &side), [false, false]);
    }

    #[test]
    fn one_sided_pairs_are_flagged_or_mutual() {
        // From the foot of a stair the other's head is more than a body above; from the stair,
        // whose own up leans back, the foot is in view.
        let below = upright([0.0, 0.0, 0.0], UP);
        let above = upright([4.5, 0.0, 2.0], [-1.0, 0.0, 2.0]);
        assert_eq!(both(&below, &above), [false, true]);
        let strict = Relevance {
            symmetric: false,
            ..Relevance::default()
        };
        assert_eq!(strict.relation(&above, &below), (true, true));
        assert!(!strict.relation(&below, &above).0);
        let mutual = Relevance::default();
        assert_eq!(mutual.relation(&above, &below), (true, false));
        assert_eq!(mutual.relation(&below, &above), (true, false));
    }
}
