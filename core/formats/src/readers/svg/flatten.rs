//! Paths made into chains of points.

use glam::{DAffine2, DVec2};
use usvg::tiny_skia_path::PathSegment;

/// Chords of one curve.
const MOST_CHORDS: f64 = 10_000.0;

/// One chain; `closed` where the path goes back to its start.
pub(super) struct Contour {
    pub(super) points: Vec<DVec2>,
    pub(super) closed: bool,
}

/// A 32-bit number with the digits it was written with: 0.1 and not 0.10000000149.
fn as_written(value: f32) -> f64 {
    format!("{value}").parse().unwrap_or(f64::from(value))
}

/// The chains of a path in plan coordinates, y up.
pub(super) fn flattened(path: &usvg::Path, flip: f64, tolerance: f64) -> Vec<Contour> {
    let t = path.abs_transform();
    let transform =
        DAffine2::from_cols_array(&[t.sx, t.ky, t.kx, t.sy, t.tx, t.ty].map(as_written));
    let place = |p: usvg::tiny_skia_path::Point| {
        let q = transform.transform_point2(DVec2::new(as_written(p.x), as_written(p.y)));
        DVec2::new(q.x, flip - q.y)
    };
    let mut contours: Vec<Contour> = Vec::new();
    let mut points: Vec<DVec2> = Vec::new();
    let mut finish = |points: &mut Vec<DVec2>, closed: bool| {
        if points.len() > 1 {
            contours.push(Contour {
                points: std::mem::take(points),
                closed,
            });
        }
        points.clear();
    };
    for segment in path.data().segments() {
        let from = points.last().copied().unwrap_or_default();
        match segment {
            PathSegment::MoveTo(p) => {
                finish(&mut points, false);
                points.push(place(p));
            }
            PathSegment::LineTo(p) => points.push(place(p)),
            PathSegment::QuadTo(b, c) => {
                let (b, c) = (place(b), place(c));
                // A quadratic is the cubic with these control points.
                let first = from + 2.0 / 3.0 * (b - from);
                let second = c + 2.0 / 3.0 * (b - c);
                add_cubic(&mut points, from, first, second, c, tolerance);
            }
            PathSegment::CubicTo(b, c, d) => {
                let (b, c, d) = (place(b), place(c), place(d));
                add_cubic(&mut points, from, b, c, d, tolerance);
            }
            PathSegment::Close => {
                let start = points.first().copied();
                finish(&mut points, true);
                // A path may go on from where the closed one began.
                points.extend(start);
            }
        }
    }
    finish(&mut points, false);
    contours
}

/// Chords within the tolerance: with n of them the error is below the second differences
/// times 3 / (4 n^2) (Wang's bound).
fn add_cubic(points: &mut Vec<DVec2>, a: DVec2, b: DVec2, c: DVec2, d: DVec2, tolerance: f64) {
    let bend = (a - 2.0 * b + c).length().max((b - 2.0 * c + d).length());
    let count = (0.75 * bend / tolerance).sqrt().ceil();
    let count = if count.is_finite() {
        count.clamp(1.0, MOST_CHORDS) as usize
    } else {
        1
    };
    for step in 1..=count {
        let t = step as f64 / count as f64;
        let s = 1.0 - t;
        points.push(if step == count {
            d
        } else {
            s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
        });
    }
}
