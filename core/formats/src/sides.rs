//! The sides of rings in an R-tree: where they meet, and which ring a point is in.

use std::collections::BTreeMap;

use glam::DVec2;
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use throng_kit::environment::Ring;

use crate::error::{Fault, Place};
use crate::rings::orientation;

/// Pairs of sides looked at before an outline is refused as a tangle.
const MOST_PAIRS: usize = 20_000_000;

/// What rings have in common.
pub(crate) struct Contacts {
    pub(crate) within_a_ring: bool,
    pub(crate) between_rings: bool,
}

#[derive(Clone, Copy)]
struct Side {
    ring: usize,
    index: usize,
    a: DVec2,
    b: DVec2,
}

/// All sides of some rings in an R-tree.
pub(crate) struct Sides {
    lengths: Vec<usize>,
    sides: Vec<Side>,
    tree: RTree<GeomWithData<Rectangle<[f64; 2]>, usize>>,
}

impl Sides {
    pub(crate) fn of(rings: &[Ring]) -> Sides {
        let mut sides = Vec::with_capacity(rings.iter().map(Vec::len).sum());
        for (ring, points) in rings.iter().enumerate() {
            for (index, &a) in points.iter().enumerate() {
                let b = points[(index + 1) % points.len()];
                sides.push(Side { ring, index, a, b });
            }
        }
        let boxes = sides
            .iter()
            .enumerate()
            .map(|(number, side)| {
                let (a, b) = (side.a.to_array(), side.b.to_array());
                GeomWithData::new(Rectangle::from_corners(a, b), number)
            })
            .collect();
        Sides {
            lengths: rings.iter().map(Vec::len).collect(),
            sides,
            tree: RTree::bulk_load(boxes),
        }
    }

    /// Whether rings touch or cross themselves or each other.
    pub(crate) fn contacts(&self, feature: &str) -> Result<Contacts, Fault> {
        let mut found = Contacts {
            within_a_ring: false,
            between_rings: false,
        };
        let most_contacts = 8 * self.sides.len() + 1000;
        let (mut pairs, mut contacts) = (0_usize, 0_usize);
        for (number, side) in self.sides.iter().enumerate() {
            let around = AABB::from_corners(side.a.to_array(), side.b.to_array());
            for candidate in self.tree.locate_in_envelope_intersecting(around) {
                if candidate.data <= number {
                    continue;
                }
                pairs += 1;
                let other = &self.sides[candidate.data];
                if !self.meet(side, other) {
                    continue;
                }
                contacts += 1;
                if side.ring == other.ring {
                    found.within_a_ring = true;
                } else {
                    found.between_rings = true;
                }
            }
            if pairs > MOST_PAIRS || contacts > most_contacts {
                return Err(Fault::geometry(
                    Place::Feature(feature.to_string()),
                    format!(
                        "its {} sides are a tangle: {pairs} pairs lie across each other and {contacts} \
                         cross so far",
                        self.sides.len()
                    ),
                    "draw it as separate simple polygons",
                ));
            }
        }
        Ok(found)
    }

    /// Whether two sides have more in common than the corner of neighbours.
    fn meet(&self, one: &Side, other: &Side) -> bool {
        let count = self.lengths[one.ring];
        if one.ring == other.ring && count > 2 {
            let (before, after) = if (one.index + 1) % count == other.index {
                (one, other)
            } else if (other.index + 1) % count == one.index {
                (other, one)
            } else {
                return segments_meet(one.a, one.b, other.a, other.b);
            };
            // Neighbours meet beyond their corner only if the second runs back along the first.
            return orientation(before.a, before.b, after.b) == 0.0
                && (before.a - before.b).dot(after.b - after.a) > 0.0;
        }
        segments_meet(one.a, one.b, other.a, other.b)
    }

    /// Rings (without `itself`) whose inside holds a point that is on none of them.
    pub(crate) fn rings_around(&self, point: DVec2, itself: usize) -> Vec<usize> {
        let mut crossings = BTreeMap::new();
        let ray = AABB::from_corners(point.to_array(), [f64::MAX, point.y]);
        for candidate in self.tree.locate_in_envelope_intersecting(ray) {
            let side = &self.sides[candidate.data];
            let upward = side.a.y <= point.y && side.b.y > point.y;
            let downward = side.b.y <= point.y && side.a.y > point.y;
            let left = orientation(side.a, side.b, point);
            if side.ring != itself && ((upward && left > 0.0) || (downward && left < 0.0)) {
                *crossings.entry(side.ring).or_insert(0) += 1;
            }
        }
        crossings
            .into_iter()
            .filter(|(_, count)| count % 2 == 1)
            .map(|(ring, _)| ring)
            .collect()
    }
}

/// Whether two closed segments have a point in common, exactly.
fn segments_meet(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    let (abc, abd) = (orientation(a, b, c), orientation(a, b, d));
    let (cda, cdb) = (orientation(c, d, a), orientation(c, d, b));
    if abc == 0.0 && abd == 0.0 {
        let overlap = a.max(b).min(c.max(d)) - a.min(b).max(c.min(d));
        return overlap.min_element() >= 0.0;
    }
    let apart = |s: f64, t: f64| (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0);
    !apart(abc, abd) && !apart(cda, cdb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_meet_in_points_and_along_lines() {
        let at = |x: f64, y: f64| DVec2::new(x, y);
        let meet = |a, b, c, d| segments_meet(a, b, c, d);
        assert!(meet(at(0., 0.), at(2., 2.), at(0., 2.), at(2., 0.)));
        assert!(meet(at(0., 0.), at(2., 0.), at(1., 0.), at(1., 5.)));
        assert!(meet(at(0., 0.), at(2., 0.), at(2., 0.), at(4., 0.)));
        assert!(!meet(at(0., 0.), at(2., 0.), at(2.5, 0.), at(4., 0.)));
        assert!(!meet(at(0., 0.), at(2., 0.), at(0., 1.), at(2., 1.)));
        assert!(!meet(at(0., 0.), at(1., 1.), at(3., 0.), at(0., 3.)));
    }
}
