//! One edge of the medial axis: all points as far from the thing on its left as from the thing on
//! its right. It is a straight line, or a parabola where one of them is a corner and the other a
//! wall.

use glam::DVec2;
use throng_core::math;

/// Feet nearer to the end of a wall than this are its end, metres: those of a wall and of its
/// corner differ in their last bits.
pub const SNAP: f64 = 1e-7;

/// What an edge keeps its distance from: a wall, or a corner if both ends are one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thing {
    pub a: DVec2,
    pub b: DVec2,
}

impl Thing {
    pub fn is_corner(&self) -> bool {
        self.a == self.b
    }

    /// The point of it that is nearest.
    pub fn foot(&self, p: DVec2) -> DVec2 {
        if self.is_corner() {
            return self.a;
        }
        let way = self.b - self.a;
        let share = ((p - self.a).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        let foot = self.a + way * share;
        if foot.distance_squared(self.a) < SNAP * SNAP {
            self.a
        } else if foot.distance_squared(self.b) < SNAP * SNAP {
            self.b
        } else {
            foot
        }
    }

    pub fn distance(&self, p: DVec2) -> f64 {
        self.foot(p).distance(p)
    }
}

/// An edge between two points, with what is on its left and on its right.
#[derive(Clone, Copy, Debug)]
pub struct Arc {
    pub ends: [DVec2; 2],
    pub left: Thing,
    pub right: Thing,
}

/// The parabola about a corner, x along the wall from below the corner, y away from the wall.
#[derive(Clone, Copy, Debug)]
struct Parabola {
    origin: DVec2,
    along: DVec2,
    up: DVec2,
    /// Height of the corner above the wall.
    height: f64,
    x: [f64; 2],
}

impl Parabola {
    fn y(&self, x: f64) -> f64 {
        (x * x / self.height + self.height) / 2.0
    }

    fn at(&self, x: f64) -> DVec2 {
        self.origin + self.along * x + self.up * self.y(x)
    }

    /// Length from the lowest point on, negative before it.
    fn run(&self, x: f64) -> f64 {
        let u = x / self.height;
        let root = (1.0 + u * u).sqrt();
        let size = u.abs();
        let asinh = math::ln(size + root);
        self.height / 2.0 * (size * root + asinh) * u.signum()
    }

    /// Where so much has been run.
    fn x_at(&self, run: f64) -> f64 {
        let [mut low, mut high] = self.x;
        if low > high {
            (low, high) = (high, low);
        }
        let mut x = run.clamp(low, high);
        for _ in 0..60 {
            let off = self.run(x) - run;
            if off > 0.0 {
                high = x;
            } else {
                low = x;
            }
            let u = x / self.height;
            let next = x - off / (1.0 + u * u).sqrt();
            let next = if next >= low && next <= high {
                next
            } else {
                (low + high) / 2.0
            };
            if (next - x).abs() <= 1e-12 * (1.0 + x.abs()) {
                return next;
            }
            x = next;
        }
        x
    }
}

impl Arc {
    pub fn things(&self) -> [Thing; 2] {
        [self.left, self.right]
    }

    fn chord(&self) -> DVec2 {
        self.ends[1] - self.ends[0]
    }

    fn parabola(&self) -> Option<Parabola> {
        let (corner, wall) = match (self.left.is_corner(), self.right.is_corner()) {
            (true, false) => (self.left.a, self.right),
            (false, true) => (self.right.a, self.left),
            _ => return None,
        };
        let along = (wall.b - wall.a).normalize();
        let share = (corner - wall.a).dot(along);
        let origin = wall.a + along * share;
        let up = corner - origin;
        let height = up.length();
        let x = self.ends.map(|e| (e - origin).dot(along));
        // Flat on the wall, or as good as a line: the parabola would divide by nothing.
        if height < 1e-9 || (x[1] - x[0]).abs() < 1e-9 * height {
            return None;
        }
        Some(Parabola {
            origin,
            along,
            up: up / height,
            height,
            x,
        })
    }

    pub fn is_curved(&self) -> bool {
        self.parabola().is_some()
    }

    pub fn length(&self) -> f64 {
        match self.parabola() {
            Some(p) => (p.run(p.x[1]) - p.run(p.x[0])).abs(),
            None => self.chord().length(),
        }
    }

    /// The point after a share of the length.
    pub fn at(&self, share: f64) -> DVec2 {
        if share <= 0.0 {
            return self.ends[0];
        }
        if share >= 1.0 {
            return self.ends[1];
        }
        match self.parabola() {
            Some(p) => {
                let [a, b] = p.x.map(|x| p.run(x));
                p.at(p.x_at(a + (b - a) * share))
            }
            None => self.ends[0] + self.chord() * share,
        }
    }

    /// Distance to what is nearest, at a point of it.
    pub fn clearance(&self, p: DVec2) -> f64 {
        self.left.distance(p).min(self.right.distance(p))
    }

    /// The point inside where the clearance is least, if that is not at an end.
    pub fn narrowest(&self) -> Option<DVec2> {
        const INSIDE: f64 = 1e-6;
        match self.parabola() {
            Some(p) => {
                let inside = p.x[0].min(p.x[1]) < -INSIDE && p.x[0].max(p.x[1]) > INSIDE;
                inside.then(|| p.at(0.0))
            }
            None if self.left.is_corner() && self.right.is_corner() => {
                let middle = (self.left.a + self.right.a) / 2.0;
                let length = self.chord().length();
                let along = (middle - self.ends[0]).dot(self.chord()) / length;
                (along > INSIDE && along < length - INSIDE)
                    .then(|| self.ends[0] + self.chord() * (along / length))
            }
            None => None,
        }
    }

    /// The share of the length where the ray from the nearest point of a wall or corner through
    /// `p` meets the edge.
    pub fn retract(&self, p: DVec2) -> f64 {
        let thing = if self.left.distance(p) <= self.right.distance(p) {
            self.left
        } else {
            self.right
        };
        match self.parabola() {
            Some(curve) => {
                let x = if thing.is_corner() {
                    let ray = p - thing.a;
                    let length = ray.length();
                    if length < 1e-12 {
                        (curve.x[0] + curve.x[1]) / 2.0
                    } else {
                        let (x, y) = (ray.dot(curve.along), ray.dot(curve.up));
                        let open = length - y;
                        if open > 1e-12 * length {
                            curve.height * x / open
                        } else {
                            x.signum() * f64::MAX
                        }
                    }
                } else {
                    (p - curve.origin).dot(curve.along)
                };
                let x = x.clamp(curve.x[0].min(curve.x[1]), curve.x[0].max(curve.x[1]));
                let [a, b] = curve.x.map(|x| curve.run(x));
                ((curve.run(x) - a) / (b - a)).clamp(0.0, 1.0)
            }
            None => self.retract_to_line(thing, p),
        }
    }

    fn retract_to_line(&self, thing: Thing, p: DVec2) -> f64 {
        let chord = self.chord();
        let share = if thing.is_corner() {
            // Where the ray from the corner crosses the line.
            let ray = p - thing.a;
            let across = ray.perp_dot(chord);
            if across.abs() < 1e-12 {
                0.5
            } else {
                (self.ends[0] - thing.a).perp_dot(ray) / across
            }
        } else {
            // Feet run along the wall evenly.
            let wall = thing.b - thing.a;
            let run = chord.dot(wall);
            if run.abs() < 1e-12 {
                0.5
            } else {
                (p - self.ends[0]).dot(wall) / run
            }
        };
        if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            0.5
        }
    }

    /// Points of the curve between its ends, so that straight pieces stay within `tolerance`.
    pub fn sample(&self, tolerance: f64, mut visit: impl FnMut(DVec2)) {
        let Some(p) = self.parabola() else {
            return;
        };
        // A chord over a step of x is off by at most step^2 / (8 height).
        let step = (8.0 * p.height * tolerance).sqrt();
        let pieces = ((p.x[1] - p.x[0]).abs() / step).ceil().clamp(1.0, 4096.0) as usize;
        for i in 1..pieces {
            visit(p.at(p.x[0] + (p.x[1] - p.x[0]) * i as f64 / pieces as f64));
        }
    }

    /// Where the edge crosses a line, as a point, if its ends lie on either side of it. `side` is
    /// the signed distance to the line.
    pub fn crossing(&self, side: impl Fn(DVec2) -> f64) -> DVec2 {
        let (mut low, mut high) = (0.0, 1.0);
        let rising = side(self.ends[1]) > side(self.ends[0]);
        if !self.is_curved() {
            let (a, b) = (side(self.ends[0]), side(self.ends[1]));
            return self.at(a / (a - b));
        }
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if (side(self.at(middle)) > 0.0) == rising {
                high = middle;
            } else {
                low = middle;
            }
        }
        self.at((low + high) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    fn corner(x: f64, y: f64) -> Thing {
        Thing {
            a: v(x, y),
            b: v(x, y),
        }
    }

    /// About the corner (0, 2) over the wall y = 0.
    fn parabola() -> Arc {
        let y = |x: f64| x * x / 4.0 + 1.0;
        Arc {
            ends: [v(-3.0, y(-3.0)), v(4.0, y(4.0))],
            left: corner(0.0, 2.0),
            right: Thing {
                a: v(-9.0, 0.0),
                b: v(9.0, 0.0),
            },
        }
    }

    #[test]
    fn a_parabola_is_as_long_as_its_pieces_and_equally_far_from_both() {
        let arc = parabola();
        let mut sum = 0.0;
        let mut last = arc.ends[0];
        for i in 1..=2000 {
            let p = arc.at(f64::from(i) / 2000.0);
            sum += p.distance(last);
            last = p;
            assert!((arc.left.distance(p) - arc.right.distance(p)).abs() < 1e-9);
        }
        assert!((sum - arc.length()).abs() < 1e-5, "{sum} {}", arc.length());
        assert!(arc.narrowest().unwrap().distance(v(0.0, 1.0)) < 1e-12);
    }

    #[test]
    fn rays_through_a_place_meet_the_edge() {
        let arc = parabola();
        for share in [0.01, 0.2, 0.45, 0.8, 0.99] {
            let q = arc.at(share);
            for thing in arc.things() {
                let foot = thing.foot(q);
                for near in [0.2, 0.6, 0.95] {
                    let p = foot + (q - foot) * near;
                    let found = arc.retract(p);
                    assert!((found - share).abs() < 1e-9, "{share} {near} {found}");
                }
            }
        }
        let line = Arc {
            ends: [v(0.0, 1.0), v(4.0, 1.0)],
            left: Thing {
                a: v(9.0, 2.0),
                b: v(-9.0, 2.0),
            },
            right: Thing {
                a: v(-9.0, 0.0),
                b: v(9.0, 0.0),
            },
        };
        assert_eq!(line.retract(v(1.0, 0.25)), 0.25);
        assert_eq!(line.retract(v(3.0, 1.75)), 0.75);
        assert!(line.narrowest().is_none());
    }

    #[test]
    fn between_two_corners_the_middle_is_narrowest() {
        let arc = Arc {
            ends: [v(-1.0, 0.0), v(3.0, 0.0)],
            left: corner(0.0, 1.0),
            right: corner(0.0, -1.0),
        };
        assert_eq!(arc.narrowest(), Some(v(0.0, 0.0)));
        assert_eq!(arc.retract(v(1.0, 0.5)), 0.75);
    }

    #[test]
    fn samples_stay_within_the_tolerance() {
        let arc = parabola();
        let mut points = vec![arc.ends[0]];
        arc.sample(0.01, |p| points.push(p));
        points.push(arc.ends[1]);
        for pair in points.windows(2) {
            let middle = (pair[0] + pair[1]) / 2.0;
            let y = middle.x * middle.x / 4.0 + 1.0;
            assert!((middle.y - y).abs() <= 0.01);
        }
    }
}
