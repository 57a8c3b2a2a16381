//! Polygon cleaning that readers and maps share: areas, containment, snapping, untangling.
//!
//! Untangling goes through an integer overlay (`i_overlay`), which resolves self-crossings,
//! overlaps and touching holes. Coordinates are scaled to about 28 bits, so results move by at
//! most the extent divided by 2^28.

use glam::DVec2;
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::{IntOverlayOptions, Overlay, ShapeType};
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::i_float::int::point::IntPoint;

use crate::environment::{Polygon, Ring};

/// Half the range of scaled coordinates: within what the overlay's `i32` engine allows.
const RANGE: f64 = 268_435_456.0;

/// Area inside a ring: positive if it runs counter-clockwise.
pub fn signed_area(ring: &[DVec2]) -> f64 {
    let Some(&first) = ring.first() else {
        return 0.0;
    };
    // About the first point: far from the origin the products would lose the area.
    ring.windows(2)
        .map(|side| (side[0] - first).perp_dot(side[1] - first))
        .sum::<f64>()
        / 2.0
}

/// Area of a polygon without its holes, which are taken to lie inside it.
pub fn area(polygon: &Polygon) -> f64 {
    let holes: f64 = polygon.holes.iter().map(|h| signed_area(h).abs()).sum();
    signed_area(&polygon.outer).abs() - holes
}

/// Whether a ring has a point inside, by the even-odd rule. Points on it count on its lower and
/// left sides, so that rings side by side share no point.
pub fn ring_contains(ring: &[DVec2], p: DVec2) -> bool {
    let mut inside = false;
    for (i, &b) in ring.iter().enumerate() {
        let a = ring[(i + ring.len() - 1) % ring.len()];
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (b.x - a.x) * ((p.y - a.y) / (b.y - a.y)) {
            inside = !inside;
        }
    }
    inside
}

/// Whether a polygon has a point inside and in none of its holes.
pub fn contains(polygon: &Polygon, p: DVec2) -> bool {
    ring_contains(&polygon.outer, p) && !polygon.holes.iter().any(|h| ring_contains(h, p))
}

/// The low and the high corner of some points; `None` without points.
pub fn bounds<'a>(points: impl IntoIterator<Item = &'a DVec2>) -> Option<(DVec2, DVec2)> {
    points.into_iter().fold(None, |bounds, &p| match bounds {
        None => Some((p, p)),
        Some((low, high)) => Some((low.min(p), high.max(p))),
    })
}

/// Rounds the points of a ring to multiples of `step` and drops repeated ones, the closing one
/// among them. Answers with how many were dropped.
pub fn snap(ring: &mut Ring, step: f64) -> usize {
    let before = ring.len();
    if step > 0.0 && step.is_finite() {
        for p in ring.iter_mut() {
            *p = (*p / step).round() * step;
        }
    }
    ring.dedup();
    while ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    before - ring.len()
}

/// What [`clean`] made of some polygons.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cleaned {
    /// Polygons without crossings or overlaps: outer rings counter-clockwise, holes clockwise.
    pub polygons: Vec<Polygon>,
    /// How many of the given polygons had to be changed in shape: self-crossings, holes that
    /// stick out or overlap, rings without an area, points that are not finite.
    pub repairs: usize,
}

/// The union of polygons, each repaired on its own first: a ring is filled wherever it winds
/// about a point at all, and holes count only inside their outer ring. Split points on straight
/// sides stay, so that neighbours fit together.
pub fn clean(polygons: &[Polygon]) -> Cleaned {
    let Some(scale) = Scale::of(polygons) else {
        return Cleaned {
            polygons: Vec::new(),
            repairs: polygons.len(),
        };
    };
    let mut repairs = 0;
    let mut parts: Vec<Vec<Vec<IntPoint<i32>>>> = Vec::new();
    for polygon in polygons {
        let shapes = scale.repair(polygon);
        let kept: f64 = shapes.iter().map(|s| scale.area(s)).sum();
        let rings: usize = shapes.iter().map(Vec::len).sum();
        let expected = area(polygon);
        // As many rings with the same area: only orientation or straight points changed.
        let tolerance = 1e-6 * expected.abs() + scale.unit * scale.unit * 64.0;
        let same = shapes.len() == 1
            && rings == 1 + polygon.holes.len()
            && (kept - expected).abs() <= tolerance + scale.unit * 4.0 * scale.extent;
        repairs += usize::from(!same);
        parts.extend(shapes);
    }
    let mut union = Overlay::new_custom(
        parts.iter().flatten().map(Vec::len).sum(),
        IntOverlayOptions::keep_output_points(),
        Default::default(),
    );
    union.add_source(&parts, ShapeType::Subject);
    let shapes = union.overlay(OverlayRule::Subject, FillRule::NonZero);
    let polygons = shapes
        .iter()
        .filter_map(|shape| {
            let mut rings = shape.iter().map(|ring| scale.back(ring));
            Some(Polygon {
                outer: rings.next()?,
                holes: rings.collect(),
            })
        })
        .collect();
    Cleaned { polygons, repairs }
}

/// The way to integer coordinates and back.
struct Scale {
    middle: DVec2,
    unit: f64,
    extent: f64,
}

impl Scale {
    fn of(polygons: &[Polygon]) -> Option<Scale> {
        let points = polygons
            .iter()
            .flat_map(|p| p.holes.iter().chain([&p.outer]));
        let (low, high) = bounds(points.flatten().filter(|p| p.is_finite()))?;
        let extent = (high - low).max_element();
        if !(extent > 0.0 && extent.is_finite()) {
            return None;
        }
        // A power of two keeps short binary fractions what they are.
        let mut unit = 1.0;
        while unit * RANGE < extent {
            unit *= 2.0;
        }
        while unit * RANGE > extent * 2.0 && unit > 1e-200 {
            unit /= 2.0;
        }
        let middle = ((low + (high - low) / 2.0) / unit).round() * unit;
        middle.is_finite().then_some(Scale {
            middle,
            unit,
            extent,
        })
    }

    fn ring(&self, ring: &[DVec2]) -> Vec<IntPoint<i32>> {
        let finite = ring.iter().filter(|p| p.is_finite());
        let mut points: Vec<IntPoint<i32>> = finite
            .map(|p| {
                let q = ((*p - self.middle) / self.unit).round();
                IntPoint::new(q.x as i32, q.y as i32)
            })
            .collect();
        points.dedup();
        if points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        points
    }

    fn back(&self, ring: &[IntPoint<i32>]) -> Ring {
        ring.iter()
            .map(|p| self.middle + DVec2::new(f64::from(p.x), f64::from(p.y)) * self.unit)
            .collect()
    }

    fn area(&self, shape: &[Vec<IntPoint<i32>>]) -> f64 {
        let mut rings = shape.iter().map(|r| signed_area(&self.back(r)).abs());
        rings.next().unwrap_or(0.0) - rings.sum::<f64>()
    }

    fn repair(&self, polygon: &Polygon) -> Vec<Vec<Vec<IntPoint<i32>>>> {
        let outer = self.ring(&polygon.outer);
        if outer.len() < 3 {
            return Vec::new();
        }
        let holes: Vec<_> = polygon
            .holes
            .iter()
            .map(|h| self.ring(h))
            .filter(|h| h.len() >= 3)
            .collect();
        let mut overlay = Overlay::new_custom(
            outer.len() + holes.iter().map(Vec::len).sum::<usize>(),
            IntOverlayOptions::keep_output_points(),
            Default::default(),
        );
        overlay.add_contour(&outer, ShapeType::Subject);
        // All wound the same way, so that overlapping holes do not cancel out.
        for hole in &holes {
            let turns = signed_area(&self.back(hole)) < 0.0;
            let hole: Vec<_> = if turns {
                hole.iter().rev().copied().collect()
            } else {
                hole.clone()
            };
            overlay.add_contour(&hole, ShapeType::Clip);
        }
        let rule = if holes.is_empty() {
            OverlayRule::Subject
        } else {
            OverlayRule::Difference
        };
        overlay.overlay(rule, FillRule::NonZero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    fn total(cleaned: &Cleaned) -> f64 {
        cleaned.polygons.iter().map(area).sum()
    }

    #[test]
    fn areas_have_a_sign_and_holes() {
        let mut square = Polygon::rectangle(v(0.0, 0.0), v(4.0, 3.0));
        assert_eq!(signed_area(&square.outer), 12.0);
        square.outer.reverse();
        assert_eq!(signed_area(&square.outer), -12.0);
        square
            .holes
            .push(vec![v(1.0, 1.0), v(2.0, 1.0), v(1.0, 2.0)]);
        assert_eq!(area(&square), 11.5);
        assert_eq!(signed_area(&[]), 0.0);
        let far: Ring = Polygon::rectangle(v(0.0, 0.0), v(1.0, 1.0))
            .outer
            .iter()
            .map(|p| *p + v(1e9, 1e9))
            .collect();
        assert_eq!(signed_area(&far), 1.0);
    }

    #[test]
    fn points_on_a_common_side_belong_to_one_ring() {
        let left = Polygon::rectangle(v(0.0, 0.0), v(1.0, 1.0));
        let right = Polygon::rectangle(v(1.0, 0.0), v(2.0, 1.0));
        for p in [v(1.0, 0.0), v(1.0, 0.5), v(0.5, 0.0), v(0.0, 0.0)] {
            let owners = [&left, &right].iter().filter(|q| contains(q, p)).count();
            assert_eq!(owners, 1, "{p}");
        }
        assert!(!contains(&left, v(0.5, 1.5)));
    }

    #[test]
    fn snapping_drops_repeated_points() {
        let mut ring = vec![
            v(0.0, 0.0),
            v(1.01, 0.0),
            v(0.99, 0.0),
            v(1.0, 1.0),
            v(0.0, 0.01),
        ];
        assert_eq!(snap(&mut ring, 0.5), 2);
        assert_eq!(ring, [v(0.0, 0.0), v(1.0, 0.0), v(1.0, 1.0)]);
    }

    #[test]
    fn good_polygons_need_no_repair() {
        let mut square = Polygon::rectangle(v(0.0, 0.0), v(10.0, 10.0));
        square
            .holes
            .push(vec![v(1.0, 1.0), v(3.0, 1.0), v(3.0, 3.0)]);
        let cleaned = clean(&[square.clone()]);
        assert_eq!(cleaned.repairs, 0);
        assert_eq!(total(&cleaned), area(&square));
        assert!(signed_area(&cleaned.polygons[0].outer) > 0.0);
        assert!(signed_area(&cleaned.polygons[0].holes[0]) < 0.0);
    }

    #[test]
    fn bow_ties_overlapping_holes_and_empty_rings_are_counted() {
        let bow = Polygon::new(vec![v(0.0, 0.0), v(2.0, 2.0), v(2.0, 0.0), v(0.0, 2.0)]);
        let mut holed = Polygon::rectangle(v(10.0, 0.0), v(20.0, 10.0));
        holed
            .holes
            .push(Polygon::rectangle(v(11.0, 1.0), v(13.0, 3.0)).outer);
        holed
            .holes
            .push(Polygon::rectangle(v(12.0, 2.0), v(14.0, 4.0)).outer);
        holed
            .holes
            .push(Polygon::rectangle(v(19.0, 8.0), v(25.0, 9.0)).outer);
        let line = Polygon::new(vec![v(0.0, 5.0), v(1.0, 5.0), v(2.0, 5.0)]);
        let nan = Polygon::new(vec![v(0.0, 5.0), v(f64::NAN, 5.0), v(2.0, 5.0)]);
        let cleaned = clean(&[bow, holed, line, nan]);
        assert_eq!(cleaned.repairs, 4);
        assert!((total(&cleaned) - (2.0 + 100.0 - 7.0 - 1.0)).abs() < 1e-6);
    }

    #[test]
    fn overlapping_polygons_become_one() {
        let cleaned = clean(&[
            Polygon::rectangle(v(0.0, 0.0), v(2.0, 2.0)),
            Polygon::rectangle(v(1.0, 1.0), v(3.0, 3.0)),
        ]);
        assert_eq!((cleaned.polygons.len(), cleaned.repairs), (1, 0));
        assert!((total(&cleaned) - 7.0).abs() < 1e-6);
        assert_eq!(clean(&[]), Cleaned::default());
    }
}
