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
use throng_kit::environment::{Polygon, Ring};

use crate::error::Fault;
use crate::repairs::{Repair, Repairs};
use crate::rings::signed_area;
use crate::sides::Sides;

/// Points closer than this are one point, metres.
pub(crate) const SAME_POINT: f64 = 1e-6;
/// A polygon of a smaller mean width is a sliver, metres.
pub(crate) const SLIVER: f64 = 1e-3;

/// What one drawn polygon comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cleaned {
    /// Outer rings counter-clockwise, holes clockwise, none crossing.
    pub(crate) polygons: Vec<Polygon>,
    /// Closed polylines in place of holes (or outlines) without thickness.
    pub(crate) slits: Vec<Vec<DVec2>>,
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
    /// What lies in a hole is solid.
    pub(crate) hole_is_solid: bool,
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
                let solid = if is_hole {
                    reading.hole_is_solid
                } else {
                    reading.solid
                };
                if solid {
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
            hole_is_solid: true,
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
            hole_is_solid: true,
        };
        let fault = polygon(&[points], reading, &mut Repairs::default()).unwrap_err();
        assert!(fault.in_file("a").to_string().contains("tangle"));
    }
}
