//! A body standing on the ground: a stack of three spheres.

use glam::Vec3;

/// Height of a body over its radius where nothing is said: 1.8 m for 0.24 m.
const HEIGHT_PER_RADIUS: f32 = 7.5;

/// Bodies whose axes have a larger product than this stand side by side, with a smaller one than
/// [`OPPOSED`] head to head.
pub const PARALLEL: f32 = 0.9;
/// See [`PARALLEL`].
pub const OPPOSED: f32 = -0.5;
/// Spheres are nearer than others if their squared distance is less than this share: rounding must
/// not prefer heads over feet on a flat floor.
pub const SAME: f32 = 0.999_99;
/// As far as a body reaches along an up, less what rounding may do.
pub const WELL_WITHIN: f32 = 0.9;

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
                if squared < least * SAME {
                    (best, least) = (v, squared);
                }
            }
            return best;
        }
        if self.axis == other.axis
            && self.height == other.height
            && let Some(nearest) = self.on_stairs(between)
        {
            return nearest;
        }
        for own in 0..3 {
            (best, least) = nearer_sphere(between - own_half * own as f32, other_half, best, least);
        }
        best
    }

    /// [`Body::nearest`] of bodies of one height that point the same way: so many half bodies up or
    /// down as bring them nearest. Nothing where two numbers do so about equally.
    #[inline]
    fn on_stairs(&self, between: Vec3) -> Option<Vec3> {
        let tall = 0.5 * self.height;
        let half = self.axis * tall;
        let along = between.dot(self.axis) / tall;
        // The nearest whole number from -2 to 2: rounding is a call on some machines.
        let above = |least: f32| f32::from(u8::from(along.abs() >= least));
        let levels = (above(0.5) + above(1.5)).copysign(along);
        let nearest = between - half * levels;
        let squared = nearest.length_squared();
        let clear = tall * tall * (1.0 - 2.0 * (along - levels).abs().min(0.5));
        let clear = if (along - levels) * levels > 0.0 && levels.abs() == 2.0 {
            tall * tall
        } else {
            clear
        };
        (squared > 0.01 && clear > 1e-4 * (squared + tall * tall)).then_some(nearest)
    }

    /// Whether another is as tall, points the same way, is less than a quarter of a body above or
    /// below, and both have the other's feet below their heads and its head above their feet.
    /// Two of these see each other, and the nearest of their spheres are those of the same height.
    #[inline]
    pub fn beside(&self, other: &Body) -> bool {
        let between = other.feet - self.feet;
        let within =
            |up: Vec3| between.dot(up).abs() <= self.height * WELL_WITHIN * up.dot(self.axis);
        self.axis == other.axis
            && self.height == other.height
            && between.dot(self.axis).abs() * 4.0 <= self.height
            && within(self.up)
            && within(other.up)
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
        if squared < least * SAME {
            (best, least) = (v, squared);
        }
    }
    (best, least)
}

#[cfg(test)]
mod tests {
    use throng_core::random::{Purpose, Stream};

    use super::*;

    /// Over all pairs of spheres, whatever else is known of the bodies.
    fn over_all(own: &Body, other: &Body) -> Vec3 {
        let between = other.feet - own.feet;
        let half = |body: &Body| body.axis * (0.5 * body.height);
        let (mut best, mut least) = (between, between.length_squared());
        for level in 0..3 {
            let to = between - half(own) * level as f32;
            (best, least) = nearer_sphere(to, half(other), best, least);
        }
        best
    }

    #[test]
    fn bodies_on_stairs_have_the_nearest_of_all_spheres() {
        let mut draw = Stream::new(3, 0, Purpose::Strategy, 0);
        let mut number = |low: f32, high: f32| low + (high - low) * draw.unit();
        let mut quick = 0;
        for i in 0..20_000 {
            let wide = if i % 3 == 0 { 0.3 } else { 5.0 };
            let axis = match i % 2 {
                0 => Vec3::Z,
                _ => Vec3::new(number(-1.0, 1.0), number(-1.0, 1.0), 1.0).normalize(),
            };
            let body = |feet: Vec3| Body {
                feet,
                up: axis,
                axis,
                height: 1.8,
            };
            let own = body(Vec3::new(number(-40.0, 40.0), 7.0, 3.0));
            let to = Vec3::new(number(-wide, wide), number(-wide, wide), number(-4.5, 4.5));
            let other = body(own.feet + to);
            let exact = over_all(&own, &other);
            assert_eq!(own.nearest(&other), exact, "{own:?} {other:?}");
            if let Some(found) = own.on_stairs(other.feet - own.feet) {
                assert_eq!(found, exact, "{own:?} {other:?}");
                quick += 1;
            }
        }
        assert!(quick > 15_000, "{quick}");
    }
}
