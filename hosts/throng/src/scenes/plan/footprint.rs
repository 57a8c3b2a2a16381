//! Outlines of buildings with a wanted number of corners.

use core::f64::consts::TAU;

use glam::DVec2;
use throng_core::{math, random::Stream};
use throng_kit::environment::{Polygon, Ring};

/// Fewest and most corners that [`footprint`] draws.
pub(super) const CORNERS: core::ops::RangeInclusive<usize> = 4..=24;

/// A simple polygon of exactly `corners` corners inside the rectangle from `low` to `high`,
/// touching each of its sides: rectangle, L, U, T, Z, steps, F, plus or E by the number, with one
/// corner cut off if it is odd, and an ellipse beyond 13.
pub(super) fn footprint(corners: usize, low: DVec2, high: DVec2, random: &mut Stream) -> Ring {
    if corners > 13 {
        return ellipse(corners, (low + high) / 2.0, (high - low) / 2.0, 0.0);
    }
    let mut ring = rectilinear(corners & !1, random);
    let turn = random.below(8);
    for p in &mut ring {
        if turn & 1 != 0 {
            p.x = 1.0 - p.x;
        }
        if turn & 2 != 0 {
            p.y = 1.0 - p.y;
        }
        if turn & 4 != 0 {
            *p = DVec2::new(p.y, p.x);
        }
        *p = low + *p * (high - low);
    }
    if corners % 2 == 1 {
        cut_a_corner(&mut ring);
    }
    ring
}

/// A polygon of `corners` corners on an ellipse, the first one at `angle`.
pub(super) fn ellipse(corners: usize, middle: DVec2, radii: DVec2, angle: f64) -> Ring {
    (0..corners)
        .map(|i| {
            let angle = angle + TAU * i as f64 / corners as f64;
            middle + radii * DVec2::new(math::cos(angle), math::sin(angle))
        })
        .collect()
}

/// A rectilinear shape of 4, 6, 8, 10 or 12 corners in the unit square.
fn rectilinear(corners: usize, random: &mut Stream) -> Ring {
    let a = random.range(0.35, 0.5);
    let b = random.range(0.28, 0.36);
    let c = 1.0 - random.range(0.28, 0.36);
    let points: &[(f64, f64)] = match (corners, random.below(3)) {
        (..=5, _) => &[(0., 0.), (1., 0.), (1., 1.), (0., 1.)],
        (6, _) => &[(0., 0.), (1., 0.), (1., a), (c, a), (c, 1.), (0., 1.)],
        // U, T and Z.
        (8, 0) => &[
            (0., 0.),
            (1., 0.),
            (1., 1.),
            (c, 1.),
            (c, a),
            (b, a),
            (b, 1.),
            (0., 1.),
        ],
        (8, 1) => &[
            (b, 0.),
            (c, 0.),
            (c, a),
            (1., a),
            (1., 1.),
            (0., 1.),
            (0., a),
            (b, a),
        ],
        (8, _) => &[
            (0., 0.),
            (c, 0.),
            (c, a),
            (1., a),
            (1., 1.),
            (b, 1.),
            (b, 0.7),
            (0., 0.7),
        ],
        // Steps and F.
        (10, 0) => &[
            (0., 0.),
            (1., 0.),
            (1., 0.25),
            (0.75, 0.25),
            (0.75, 0.5),
            (0.5, 0.5),
            (0.5, 0.75),
            (b, 0.75),
            (b, 1.),
            (0., 1.),
        ],
        (10, _) => &[
            (0., 0.),
            (b, 0.),
            (b, 0.35),
            (c, 0.35),
            (c, 0.55),
            (b, 0.55),
            (b, 0.75),
            (1., 0.75),
            (1., 1.),
            (0., 1.),
        ],
        // Plus and E.
        (_, 0 | 1) => &[
            (b, 0.),
            (c, 0.),
            (c, b),
            (1., b),
            (1., c),
            (c, c),
            (c, 1.),
            (b, 1.),
            (b, c),
            (0., c),
            (0., b),
            (b, b),
        ],
        _ => &[
            (0., 0.),
            (1., 0.),
            (1., 0.2),
            (b, 0.2),
            (b, 0.4),
            (1., 0.4),
            (1., 0.6),
            (b, 0.6),
            (b, 0.8),
            (1., 0.8),
            (1., 1.),
            (0., 1.),
        ],
    };
    points.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
}

/// Replaces the first outward corner by two.
fn cut_a_corner(ring: &mut Ring) {
    let count = ring.len();
    let around = |i: usize| {
        let (p, q, r) = (
            ring[(i + count - 1) % count],
            ring[i],
            ring[(i + 1) % count],
        );
        (p, q, r)
    };
    let outward = signed_area(ring).signum();
    let corner = (0..count).find(|&i| {
        let (p, q, r) = around(i);
        (q - p).perp_dot(r - q) * outward > 0.0
    });
    if let Some(i) = corner {
        let (p, q, r) = around(i);
        let cut = 0.3 * p.distance(q).min(q.distance(r));
        let before = q + (p - q).normalize_or_zero() * cut;
        let after = q + (r - q).normalize_or_zero() * cut;
        ring.splice(i..=i, [before, after]);
    }
}

/// The area of a ring, positive if it runs counter-clockwise.
pub(super) fn signed_area(ring: &Ring) -> f64 {
    (0..ring.len())
        .map(|i| ring[i].perp_dot(ring[(i + 1) % ring.len()]) / 2.0)
        .sum()
}

/// The corners of all polygons together.
#[cfg(test)]
pub(in crate::scenes) fn corner_count<'a>(shapes: impl IntoIterator<Item = &'a Polygon>) -> usize {
    shapes
        .into_iter()
        .map(|p| p.outer.len() + p.holes.iter().map(Vec::len).sum::<usize>())
        .sum()
}

/// The distance of a point from a polygon without holes; 0 inside.
pub(super) fn distance(shape: &Polygon, point: DVec2) -> f64 {
    let ring = &shape.outer;
    let mut inside = false;
    let mut nearest = f64::INFINITY;
    for (i, &a) in ring.iter().enumerate() {
        let b = ring[(i + 1) % ring.len()];
        nearest = nearest.min(segment_distance(a, b, point));
        if (a.y > point.y) != (b.y > point.y)
            && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)
        {
            inside = !inside;
        }
    }
    if inside { 0.0 } else { nearest }
}

fn segment_distance(a: DVec2, b: DVec2, point: DVec2) -> f64 {
    let along = b - a;
    let share = (point - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    (a + along * share.clamp(0.0, 1.0)).distance(point)
}

/// The least distance between two polygons without holes; 0 where they meet.
#[cfg(test)]
pub(in crate::scenes) fn separation(one: &Polygon, other: &Polygon) -> f64 {
    let sides = |ring: &Ring| -> Vec<[DVec2; 2]> {
        (0..ring.len())
            .map(|i| [ring[i], ring[(i + 1) % ring.len()]])
            .collect()
    };
    let side_of = |[a, b]: [DVec2; 2], p: DVec2| (b - a).perp_dot(p - a);
    for s in sides(&one.outer) {
        for t in sides(&other.outer) {
            if side_of(s, t[0]) * side_of(s, t[1]) < 0.0
                && side_of(t, s[0]) * side_of(t, s[1]) < 0.0
            {
                return 0.0;
            }
        }
    }
    let corners = |of: &Polygon, to: &Polygon| {
        of.outer
            .iter()
            .map(|p| distance(to, *p))
            .fold(f64::INFINITY, f64::min)
    };
    corners(one, other).min(corners(other, one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::random::Purpose;

    #[test]
    fn every_footprint_is_simple_and_has_its_corners() {
        for corners in CORNERS {
            for seed in 0..40 {
                let mut random = Stream::new(seed, 0, Purpose::Strategy, 0);
                let low = DVec2::new(3.0, -4.0);
                let high = DVec2::new(15.0, 5.0);
                let ring = footprint(corners, low, high, &mut random);
                assert_eq!(ring.len(), corners);
                assert!(signed_area(&ring).abs() > 30.0);
                for (i, &a) in ring.iter().enumerate() {
                    assert!(a.cmpge(low - 1e-9).all() && a.cmple(high + 1e-9).all());
                    let b = ring[(i + 1) % corners];
                    let next = ring[(i + 2) % corners];
                    assert!((b - a).perp_dot(next - b).abs() > 1e-6, "three in a row");
                    for j in 0..corners {
                        let (c, d) = (ring[j], ring[(j + 1) % corners]);
                        let cross = (b - a).perp_dot(c - a) * (b - a).perp_dot(d - a) < 0.0
                            && (d - c).perp_dot(a - c) * (d - c).perp_dot(b - c) < 0.0;
                        assert!(!cross, "{corners} corners, seed {seed}: sides cross");
                    }
                }
            }
        }
    }

    #[test]
    fn distances_of_squares() {
        let square = |x: f64| Polygon::rectangle(DVec2::new(x, 0.0), DVec2::new(x + 1.0, 1.0));
        assert_eq!(separation(&square(0.0), &square(3.0)), 2.0);
        assert_eq!(separation(&square(0.0), &square(0.5)), 0.0);
        assert_eq!(distance(&square(0.0), DVec2::new(0.5, 0.5)), 0.0);
        assert_eq!(distance(&square(0.0), DVec2::new(0.5, 4.0)), 3.0);
    }
}
