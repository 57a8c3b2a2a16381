//! Drawn outlines made into polygons that can be trusted.
//!
//! Repairs, each reported with the feature's name: repeated points are merged, open rings are
//! closed, outlines that touch or cross themselves are read by the even-odd rule, holes that
//! touch or overlap each other or the outline are merged and cut out, holes outside are
//! dropped. What encloses nothing (fewer than three places, no area, thinner than 1 mm) is
//! dropped where it would be walkable and kept as a thin wall where it would be solid, because
//! nobody may walk through a wall that was drawn without thickness.

use std::collections::BTreeMap;

use glam::DVec2;
use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::core::solver::Solver;
use i_overlay::float::overlay::{FloatOverlay, OverlayOptions};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use throng_kit::environment::{Polygon, Ring};

use crate::error::{Fault, Place};

/// Points closer than this are one point, metres.
pub(crate) const SAME_POINT: f64 = 1e-6;
/// A polygon of a smaller mean width is a sliver, metres.
pub(crate) const SLIVER: f64 = 1e-3;
/// Pairs of sides looked at before an outline is refused as a tangle.
const MOST_PAIRS: usize = 100_000_000;

/// What was repaired, in the order in which it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    Closed,
    Repeated,
    Winding,
    CrossesItself,
    RingsMeet,
    HoleOutside,
    HoleInHole,
    DroppedFlat,
    DroppedSliver,
    ThinWall,
    ShortLine,
    Unnamed,
}

impl Repair {
    fn tells(self) -> &'static str {
        match self {
            Repair::Closed => "the ring was open and was closed",
            Repair::Repeated => "repeated points were merged",
            Repair::Winding => "the ring winds against the right-hand rule and was turned round",
            Repair::CrossesItself => {
                "the outline touches or crosses itself and was read by the even-odd rule"
            }
            Repair::RingsMeet => "holes that touch or cross other rings were merged and cut out",
            Repair::HoleOutside => "a hole outside the outline was dropped",
            Repair::HoleInHole => "a hole inside another hole was dropped",
            Repair::DroppedFlat => "it encloses no area and was dropped",
            Repair::DroppedSliver => "it is thinner than 1 mm and was dropped",
            Repair::ThinWall => "a solid or hole thinner than 1 mm was kept as a thin wall",
            Repair::ShortLine => "a line without length was dropped",
            Repair::Unnamed => "it has no name and got one from its number",
        }
    }
}

/// Repairs by kind, with the features they were made in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Repairs {
    features: BTreeMap<Repair, Vec<String>>,
}

impl Repairs {
    const MOST_NAMES: usize = 6;

    pub(crate) fn note(&mut self, repair: Repair, feature: &str) {
        let features = self.features.entry(repair).or_default();
        if features.last().is_none_or(|last| last != feature) {
            features.push(feature.to_string());
        }
    }

    /// One line per kind of repair, naming the first few features.
    pub(crate) fn notices(&self) -> Vec<String> {
        self.features
            .iter()
            .map(|(repair, features)| {
                let shown = features.len().min(Repairs::MOST_NAMES);
                let names = features[..shown].join(", ");
                let tells = repair.tells();
                match features.len() - shown {
                    0 => format!("{names}: {tells}"),
                    more => format!("{names} and {more} more: {tells}"),
                }
            })
            .collect()
    }
}

/// What one drawn polygon comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cleaned {
    /// Outer rings counter-clockwise, holes clockwise, none crossing.
    pub(crate) polygons: Vec<Polygon>,
    /// Closed polylines in place of holes (or outlines) without thickness.
    pub(crate) slits: Vec<Vec<DVec2>>,
}

/// Twice the signed area, summed about the first point so that far offsets cost no digits.
fn doubled_area(ring: &[DVec2]) -> f64 {
    let Some(&origin) = ring.first() else {
        return 0.0;
    };
    ring.windows(2)
        .map(|pair| (pair[0] - origin).perp_dot(pair[1] - origin))
        .sum()
}

/// Area of a ring, positive when counter-clockwise.
pub(crate) fn signed_area(ring: &[DVec2]) -> f64 {
    0.5 * doubled_area(ring)
}

fn perimeter(ring: &[DVec2]) -> f64 {
    (0..ring.len())
        .map(|i| ring[i].distance(ring[(i + 1) % ring.len()]))
        .sum()
}

/// Consecutive points merged; the closing one too when `closed`. Says whether any was.
pub(crate) fn merge_repeated(points: &[DVec2], closed: bool) -> (Vec<DVec2>, bool) {
    let mut kept: Vec<DVec2> = Vec::with_capacity(points.len());
    for &point in points {
        if kept
            .last()
            .is_none_or(|last| last.distance_squared(point) > SAME_POINT * SAME_POINT)
        {
            kept.push(point);
        }
    }
    if closed {
        while kept.len() > 1
            && kept[0].distance_squared(kept[kept.len() - 1]) <= SAME_POINT * SAME_POINT
        {
            kept.pop();
        }
    }
    let merged = kept.len() < points.len();
    (kept, merged)
}

/// How thick a ring is.
enum Thickness {
    Solid,
    Sliver,
    None,
}

fn thickness(ring: &[DVec2]) -> Thickness {
    let area = signed_area(ring).abs();
    let around = perimeter(ring);
    // A zigzag along a line has no area but for rounding of the order of 1e-16 of its square.
    if ring.len() < 3 || area <= 1e-14 * around * around {
        Thickness::None
    } else if 2.0 * area < SLIVER * around {
        Thickness::Sliver
    } else {
        Thickness::Solid
    }
}

/// How drawn rings are to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'a> {
    /// The feature's name, for messages.
    pub(crate) feature: &'a str,
    /// Rings repeat their first point at the end by the format's rule.
    pub(crate) closing_point: bool,
    /// The format asks for counter-clockwise outlines and clockwise holes.
    pub(crate) right_hand_rule: bool,
    /// The polygon is taken out of the walkable space.
    pub(crate) solid: bool,
}

/// Cleans one polygon: an outline and its holes.
pub(crate) fn polygon(
    rings: &[Vec<DVec2>],
    reading: Reading<'_>,
    repairs: &mut Repairs,
) -> Result<Cleaned, Fault> {
    let mut cleaned = Cleaned::default();
    let mut kept: Vec<Ring> = Vec::with_capacity(rings.len());
    for (index, drawn) in rings.iter().enumerate() {
        let ring = opened(drawn, reading, repairs);
        let is_hole = index > 0;
        match thickness(&ring) {
            Thickness::Solid => {}
            // A bow-tie's lobes cancel in its signed area: only a crossing test tells.
            Thickness::None | Thickness::Sliver if encloses(&ring, reading)? => {}
            thin => {
                if is_hole || reading.solid {
                    if ring.len() > 1 {
                        let mut slit = ring.clone();
                        slit.push(ring[0]);
                        cleaned.slits.push(slit);
                        repairs.note(Repair::ThinWall, reading.feature);
                    } else {
                        repairs.note(Repair::DroppedFlat, reading.feature);
                    }
                } else {
                    let repair = match thin {
                        Thickness::Sliver => Repair::DroppedSliver,
                        _ => Repair::DroppedFlat,
                    };
                    repairs.note(repair, reading.feature);
                }
                if !is_hole {
                    return Ok(cleaned);
                }
                continue;
            }
        }
        if reading.right_hand_rule && (signed_area(&ring) < 0.0) != is_hole {
            repairs.note(Repair::Winding, reading.feature);
        }
        kept.push(ring);
    }
    if kept.is_empty() {
        return Ok(cleaned);
    }
    let sides = Sides::of(&kept);
    let contacts = sides.contacts(reading.feature)?;
    if contacts.within_a_ring {
        repairs.note(Repair::CrossesItself, reading.feature);
    }
    if contacts.between_rings {
        repairs.note(Repair::RingsMeet, reading.feature);
    }
    if contacts.within_a_ring || contacts.between_rings {
        cleaned.polygons = cut_out(&kept);
    } else {
        cleaned.polygons = vec![nested(kept, &sides, reading.feature, repairs)];
    }
    Ok(cleaned)
}

/// Cleans a set of closed contours whose inside is given by a fill rule.
pub(crate) fn region(
    contours: &[Vec<DVec2>],
    even_odd: bool,
    reading: Reading<'_>,
    repairs: &mut Repairs,
) -> Result<Cleaned, Fault> {
    if let [only] = contours {
        return polygon(std::slice::from_ref(only), reading, repairs);
    }
    let rings: Vec<Ring> = contours
        .iter()
        .map(|contour| opened(contour, reading, repairs))
        .filter(|ring| ring.len() > 2)
        .collect();
    // Counts the crossings before they are all computed: there may be more than fit in memory.
    Sides::of(&rings).contacts(reading.feature)?;
    let rule = if even_odd {
        FillRule::EvenOdd
    } else {
        FillRule::NonZero
    };
    let mut cleaned = Cleaned {
        polygons: overlay(&rings, &[], OverlayRule::Subject, rule),
        slits: Vec::new(),
    };
    cleaned.polygons.retain(|polygon| {
        let thick = matches!(thickness(&polygon.outer), Thickness::Solid);
        if !thick {
            repairs.note(Repair::DroppedSliver, reading.feature);
        }
        thick
    });
    if cleaned.polygons.is_empty() {
        repairs.note(Repair::DroppedFlat, reading.feature);
    }
    Ok(cleaned)
}

fn opened(drawn: &[DVec2], reading: Reading<'_>, repairs: &mut Repairs) -> Ring {
    let mut points = drawn;
    if let ([first, .., last], true) = (drawn, reading.closing_point) {
        if first == last {
            points = &drawn[..drawn.len() - 1];
        } else {
            repairs.note(Repair::Closed, reading.feature);
        }
    }
    let (ring, merged) = merge_repeated(points, true);
    if merged {
        repairs.note(Repair::Repeated, reading.feature);
    }
    ring
}

/// Whether a ring of little signed area has thick lobes that cancel each other.
fn encloses(ring: &Ring, reading: Reading<'_>) -> Result<bool, Fault> {
    if ring.len() < 4 {
        return Ok(false);
    }
    let rings = std::slice::from_ref(ring);
    if !Sides::of(rings).contacts(reading.feature)?.within_a_ring {
        return Ok(false);
    }
    Ok(overlay(rings, &[], OverlayRule::Subject, FillRule::EvenOdd)
        .iter()
        .any(|lobe| matches!(thickness(&lobe.outer), Thickness::Solid)))
}

/// An outline minus its holes, each read by the even-odd rule.
fn cut_out(rings: &[Ring]) -> Vec<Polygon> {
    let outline = to_contours(&overlay(
        &rings[..1],
        &[],
        OverlayRule::Subject,
        FillRule::EvenOdd,
    ));
    let holes: Vec<Ring> = rings[1..]
        .iter()
        .flat_map(|hole| {
            to_contours(&overlay(
                std::slice::from_ref(hole),
                &[],
                OverlayRule::Subject,
                FillRule::EvenOdd,
            ))
        })
        .collect();
    let mut polygons = overlay(&outline, &holes, OverlayRule::Difference, FillRule::NonZero);
    polygons.retain(|polygon| matches!(thickness(&polygon.outer), Thickness::Solid));
    polygons
}

fn to_contours(polygons: &[Polygon]) -> Vec<Ring> {
    polygons
        .iter()
        .flat_map(|polygon| std::iter::once(&polygon.outer).chain(&polygon.holes))
        .cloned()
        .collect()
}

/// Boolean operation on rings; corners that it only rounded get their own digits back.
fn overlay(subject: &[Ring], clip: &[Ring], rule: OverlayRule, fill: FillRule) -> Vec<Polygon> {
    let all = || subject.iter().chain(clip).flatten();
    let Some(&first) = all().next() else {
        return Vec::new();
    };
    let (low, high) = all().fold((first, first), |(low, high), p| (low.min(*p), high.max(*p)));
    let to_arrays = |rings: &[Ring]| -> Vec<Vec<[f64; 2]>> {
        rings
            .iter()
            .map(|ring| ring.iter().map(|p| (*p - low).to_array()).collect())
            .collect()
    };
    let mut options = OverlayOptions::default();
    options.preserve_output_collinear = true;
    let shapes = FloatOverlay::with_subj_and_clip_custom(
        &to_arrays(subject),
        &to_arrays(clip),
        options,
        Solver::default(),
    )
    .overlay(rule, fill);

    // The engine rounds to about 2^-29 of the extent.
    let step = (high - low).max_element().max(SAME_POINT) * 1e-8;
    let key = |p: DVec2| {
        let cell = ((p - low) / step).floor();
        (cell.x as i64, cell.y as i64)
    };
    let mut corners: BTreeMap<(i64, i64), DVec2> = BTreeMap::new();
    for point in all() {
        corners.entry(key(*point)).or_insert(*point);
    }
    let restored = |rounded: [f64; 2]| {
        let point = DVec2::from_array(rounded) + low;
        let (x, y) = key(point);
        (-1..=1)
            .flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)))
            .filter_map(|cell| corners.get(&cell))
            .min_by(|a, b| {
                a.distance_squared(point)
                    .total_cmp(&b.distance_squared(point))
            })
            .copied()
            .unwrap_or(point)
    };
    shapes
        .into_iter()
        .filter_map(|shape| {
            let mut rings = shape.into_iter().map(|contour| {
                let points: Ring = contour.into_iter().map(restored).collect();
                merge_repeated(&points, true).0
            });
            let outer = rings.next()?;
            let holes = rings.filter(|hole| hole.len() > 2).collect();
            (outer.len() > 2).then_some(Polygon { outer, holes })
        })
        .collect()
}

/// Rings that do not meet, as one polygon: holes outside or within holes are dropped.
fn nested(rings: Vec<Ring>, sides: &Sides, feature: &str, repairs: &mut Repairs) -> Polygon {
    let mut verdicts = vec![None; rings.len()];
    for index in 1..rings.len() {
        let around = sides.rings_around(rings[index][0], index);
        if !around.contains(&0) {
            verdicts[index] = Some(Repair::HoleOutside);
        } else if around.len() > 1 {
            verdicts[index] = Some(Repair::HoleInHole);
        }
    }
    let mut turned = rings.into_iter().zip(verdicts).filter_map(|(ring, drop)| {
        if let Some(repair) = drop {
            repairs.note(repair, feature);
        }
        drop.is_none().then_some(ring)
    });
    let oriented = |mut ring: Ring, counter_clockwise: bool| {
        if (signed_area(&ring) > 0.0) != counter_clockwise {
            ring.reverse();
        }
        ring
    };
    let outer = oriented(turned.next().unwrap_or_default(), true);
    let holes = turned.map(|hole| oriented(hole, false)).collect();
    Polygon { outer, holes }
}

struct Contacts {
    within_a_ring: bool,
    between_rings: bool,
}

#[derive(Clone, Copy)]
struct Side {
    ring: usize,
    index: usize,
    a: DVec2,
    b: DVec2,
}

/// All sides of some rings in an R-tree.
struct Sides {
    lengths: Vec<usize>,
    sides: Vec<Side>,
    tree: RTree<GeomWithData<Rectangle<[f64; 2]>, usize>>,
}

impl Sides {
    fn of(rings: &[Ring]) -> Sides {
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
    fn contacts(&self, feature: &str) -> Result<Contacts, Fault> {
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
                        "its {} sides are a tangle: {contacts} crossings so far",
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
    fn rings_around(&self, point: DVec2, itself: usize) -> Vec<usize> {
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

/// Exact sign of the turn a, b, c: positive to the left.
pub(crate) fn orientation(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| robust::Coord { x: p.x, y: p.y };
    robust::orient2d(coord(a), coord(b), coord(c))
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

    fn ring(points: &[(f64, f64)]) -> Vec<DVec2> {
        points.iter().map(|p| DVec2::new(p.0, p.1)).collect()
    }

    fn square(low: f64, high: f64) -> Vec<DVec2> {
        ring(&[(low, low), (high, low), (high, high), (low, high)])
    }

    fn area(polygon: &Polygon) -> f64 {
        signed_area(&polygon.outer) + polygon.holes.iter().map(|h| signed_area(h)).sum::<f64>()
    }

    fn cleaned(rings: &[Vec<DVec2>], solid: bool) -> (Cleaned, Vec<String>) {
        let mut repairs = Repairs::default();
        let reading = Reading {
            feature: "feature 1",
            closing_point: false,
            right_hand_rule: false,
            solid,
        };
        let cleaned = polygon(rings, reading, &mut repairs).unwrap();
        (cleaned, repairs.notices())
    }

    #[test]
    fn a_good_polygon_is_left_alone() {
        let (result, notices) = cleaned(&[square(0.0, 10.0), square(4.0, 6.0)], false);
        assert!(notices.is_empty(), "{notices:?}");
        assert_eq!(result.polygons[0].outer, square(0.0, 10.0));
        assert_eq!(area(&result.polygons[0]), 96.0);
    }

    #[test]
    fn a_bow_tie_becomes_two_triangles() {
        let bow = ring(&[(0.0, 0.0), (2.0, 2.0), (2.0, 0.0), (0.0, 2.0)]);
        let (result, notices) = cleaned(&[bow], false);
        assert_eq!(result.polygons.len(), 2);
        let total: f64 = result.polygons.iter().map(area).sum();
        assert!((total - 2.0).abs() < 1e-6);
        assert!(notices[0].contains("even-odd"));
    }

    #[test]
    fn overlapping_holes_are_cut_out_once() {
        let rings = [square(0.0, 10.0), square(2.0, 5.0), square(4.0, 7.0)];
        let (result, notices) = cleaned(&rings, false);
        let total: f64 = result.polygons.iter().map(area).sum();
        assert!((total - (100.0 - 9.0 - 9.0 + 1.0)).abs() < 1e-6);
        assert!(notices[0].contains("merged"));
        assert!(result.polygons[0].outer.contains(&DVec2::new(10.0, 10.0)));
    }

    #[test]
    fn holes_outside_and_in_holes_are_dropped() {
        let rings = [
            square(0.0, 10.0),
            square(2.0, 8.0),
            square(4.0, 6.0),
            square(20.0, 21.0),
        ];
        let (result, notices) = cleaned(&rings, false);
        assert_eq!(result.polygons[0].holes.len(), 1);
        assert_eq!(notices.len(), 2, "{notices:?}");
    }

    #[test]
    fn a_hole_without_thickness_becomes_a_wall() {
        let slit = ring(&[(2.0, 5.0), (8.0, 5.0), (8.0, 5.0002), (2.0, 5.0002)]);
        let (result, notices) = cleaned(&[square(0.0, 10.0), slit], false);
        assert_eq!(result.polygons[0].holes.len(), 0);
        assert_eq!(result.slits.len(), 1);
        assert!(notices[0].contains("thin wall"));
    }

    #[test]
    fn spikes_are_cut_off() {
        let spiked = ring(&[
            (0.0, 0.0),
            (4.0, 0.0),
            (9.0, 0.0),
            (4.0, 0.0),
            (4.0, 4.0),
            (0.0, 4.0),
        ]);
        let (result, notices) = cleaned(&[spiked], false);
        assert!((area(&result.polygons[0]) - 16.0).abs() < 1e-6);
        assert_eq!(notices.len(), 1);
    }

    #[test]
    fn a_tangle_is_refused() {
        let points: Vec<DVec2> = (0..4001)
            .map(|i| {
                let angle = i as f64 * 2000.0 / 4001.0 * std::f64::consts::TAU;
                DVec2::new(throng_core::math::cos(angle), throng_core::math::sin(angle))
            })
            .collect();
        let reading = Reading {
            feature: "feature 1",
            closing_point: false,
            right_hand_rule: false,
            solid: false,
        };
        let fault = polygon(&[points], reading, &mut Repairs::default()).unwrap_err();
        assert!(fault.in_file("a").to_string().contains("tangle"));
    }
}
