//! A body standing on the ground: a stack of three spheres.

use glam::Vec3;

/// Height of a body over its radius where nothing is said: 1.8 m for 0.24 m.
const HEIGHT_PER_RADIUS: f32 = 7.5;

/// Bodies whose axes have a larger product than this stand side by side, with a smaller one than
/// [`OPPOSED`] head to head.
const PARALLEL: f32 = 0.9;
const OPPOSED: f32 = -0.5;

/// A body standing on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Where it stands.
    pub feet: Vec3,
    /// Up from the surface under its feet.
    pub up: Vec3,
    /// The way the body points: up, or straight up on floor plans.
    pub axis: Vec3,
    /// Its height, metres.
    pub height: f32,
}

impl Body {
    /// The height of a body of this radius where nothing else is known.
    pub fn height_of(radius: f32) -> f32 {
        radius * HEIGHT_PER_RADIUS
    }

    /// The top of the head.
    #[inline]
    pub fn head(&self) -> Vec3 {
        self.feet + self.axis * self.height
    }

    /// Halfway up.
    #[inline]
    pub fn waist(&self) -> Vec3 {
        self.feet + self.axis * (0.5 * self.height)
    }

    /// The vector between the nearest two of the spheres of two stacks (feet, waist, head), from
    /// this body to the other. Of equally near ones the lowest.
    #[inline]
    pub fn nearest(&self, other: &Body) -> Vec3 {
        let between = other.feet - self.feet;
        let (own_half, other_half) = (
            self.axis * (0.5 * self.height),
            other.axis * (0.5 * other.height),
        );
        let mut best = between;
        let mut least = between.length_squared();
        // Side by side and nearly parallel the nearest spheres are those of the same height: half
        // a body up or down only adds to the distance.
        let level = between.dot(self.axis).abs() * 4.0 <= self.height.min(other.height)
            && between.dot(other.axis).abs() * 4.0 <= self.height.min(other.height);
        if level && self.axis.dot(other.axis) > PARALLEL && self.height == other.height {
            if self.axis == other.axis {
                return between;
            }
            let apart = other_half - own_half;
            for v in [between + apart, between + apart * 2.0] {
                let squared = v.length_squared();
                if squared < least * 0.999_99 {
                    (best, least) = (v, squared);
                }
            }
            return best;
        }
        for own in 0..3 {
            (best, least) = nearer_sphere(between - own_half * own as f32, other_half, best, least);
        }
        best
    }

    /// The vector to another body that avoidance goes by: [`Body::nearest`] for bodies side by side
    /// or head to head. Of bodies that lean towards each other at the foot of a wall the other alone
    /// is a stack, and who looks stands at its feet (equation 10): there two stacks would cross
    /// wherever both are nearer to the edge than they are tall, each would see the other now before
    /// and now behind itself, and streams over the edge would stand.
    #[inline]
    pub fn towards(&self, other: &Body) -> Vec3 {
        if !(OPPOSED..PARALLEL).contains(&self.axis.dot(other.axis)) {
            return self.nearest(other);
        }
        let between = other.feet - self.feet;
        let half = other.axis * (0.5 * other.height);
        nearer_sphere(between, half, between, between.length_squared()).0
    }
}

/// The best of a vector and those to the three spheres of a stack that begins `to` away, with its
/// squared length.
#[inline]
fn nearer_sphere(to: Vec3, half: Vec3, mut best: Vec3, mut least: f32) -> (Vec3, f32) {
    for level in 0..3 {
        let v = to + half * level as f32;
        let squared = v.length_squared();
        // Rounding must not prefer heads over feet on a flat floor.
        if squared < least * 0.999_99 {
            (best, least) = (v, squared);
        }
    }
    (best, least)
}
