//! Convex polygons cut by half-planes, and what they share with any polygon.

use glam::DVec2;
use throng_kit::environment::Polygon;
use throng_kit::polygon::signed_area;

/// Keeps the part of a convex polygon where `(p - at) . outward <= 0`.
pub fn cut(polygon: &mut Vec<DVec2>, spare: &mut Vec<DVec2>, at: DVec2, outward: DVec2) {
    let side = |p: DVec2| (p - at).dot(outward);
    if polygon.iter().all(|p| side(*p) <= 0.0) {
        return;
    }
    spare.clear();
    for (i, &b) in polygon.iter().enumerate() {
        let a = polygon[(i + polygon.len() - 1) % polygon.len()];
        let (before, after) = (side(a), side(b));
        if (before <= 0.0) != (after <= 0.0) {
            spare.push(a + (b - a) * (before / (before - after)));
        }
        if after <= 0.0 {
            spare.push(b);
        }
    }
    std::mem::swap(polygon, spare);
    if polygon.len() < 3 {
        polygon.clear();
    }
}

/// Cuts a convex polygon down to a triangle of either winding.
pub fn cut_to_triangle(polygon: &mut Vec<DVec2>, spare: &mut Vec<DVec2>, corners: [DVec2; 3]) {
    let [a, b, c] = corners;
    let turn = (b - a).perp_dot(c - a).signum();
    for (from, to) in [(a, b), (b, c), (c, a)] {
        // Outwards is to the right of a side that runs counter-clockwise.
        cut(polygon, spare, from, -(to - from).perp() * turn);
        if polygon.is_empty() {
            return;
        }
    }
}

/// The area that a convex polygon shares with any polygon: the sum over the triangles that each
/// ring spans with its first corner, counted with their sign.
pub fn shared_area(convex: &[DVec2], shape: &Polygon) -> f64 {
    let rings = std::iter::once((&shape.outer, 1.0)).chain(shape.holes.iter().map(|h| (h, -1.0)));
    let (mut part, mut spare) = (Vec::new(), Vec::new());
    let mut sum = 0.0;
    for (ring, weight) in rings {
        let Some(&first) = ring.first() else { continue };
        let mut shared = 0.0;
        for side in ring.windows(2).skip(1) {
            let turn = (side[0] - first).perp_dot(side[1] - first);
            if turn == 0.0 {
                continue;
            }
            part.clear();
            part.extend_from_slice(convex);
            cut_to_triangle(&mut part, &mut spare, [first, side[0], side[1]]);
            shared += signed_area(&part).abs() * turn.signum();
        }
        sum += weight * shared.abs();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    #[test]
    fn a_square_shares_what_it_should() {
        let square = Polygon::rectangle(v(0.0, 0.0), v(2.0, 2.0)).outer;
        let mut corner = Polygon::new(vec![
            v(0.0, 0.0),
            v(4.0, 0.0),
            v(4.0, 4.0),
            v(3.0, 4.0),
            v(3.0, 1.0),
            v(0.0, 1.0),
        ]);
        assert!((shared_area(&square, &corner) - 2.0).abs() < 1e-12);
        corner.outer.reverse();
        assert!((shared_area(&square, &corner) - 2.0).abs() < 1e-12);
        corner
            .holes
            .push(vec![v(0.5, 0.5), v(1.0, 0.5), v(1.0, 1.0), v(0.5, 1.0)]);
        assert!((shared_area(&square, &corner) - 1.75).abs() < 1e-12);
        let far = Polygon::rectangle(v(5.0, 5.0), v(6.0, 6.0));
        assert_eq!(shared_area(&square, &far), 0.0);
        assert_eq!(shared_area(&square, &Polygon::default()), 0.0);
    }

    #[test]
    fn a_cut_keeps_one_side() {
        let mut square = Polygon::rectangle(v(0.0, 0.0), v(2.0, 2.0)).outer;
        let mut spare = Vec::new();
        cut(&mut square, &mut spare, v(1.5, 0.0), v(1.0, 0.0));
        assert!((signed_area(&square) - 3.0).abs() < 1e-12);
        cut(&mut square, &mut spare, v(-1.0, 0.0), v(1.0, 0.0));
        assert!(square.is_empty());
    }
}
