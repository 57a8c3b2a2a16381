//! Area, bounds and turns of rings.

use glam::DVec2;

/// Area of a ring, positive when counter-clockwise; summed about its first point so that far
/// offsets cost no digits.
pub(crate) fn signed_area(ring: &[DVec2]) -> f64 {
    let Some(&origin) = ring.first() else {
        return 0.0;
    };
    let doubled: f64 = ring
        .windows(2)
        .map(|pair| (pair[0] - origin).perp_dot(pair[1] - origin))
        .sum();
    0.5 * doubled
}

/// The corners of the box around the points.
pub(crate) fn bounds(points: &[DVec2]) -> Option<(DVec2, DVec2)> {
    let first = *points.first()?;
    Some(
        points
            .iter()
            .fold((first, first), |(low, high), p| (low.min(*p), high.max(*p))),
    )
}

/// Exact sign of the turn a, b, c: positive to the left.
pub(crate) fn orientation(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| robust::Coord { x: p.x, y: p.y };
    robust::orient2d(coord(a), coord(b), coord(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_triangle_has_its_area() {
        let far = DVec2::splat(1e8);
        let ring = [far, far + DVec2::X, far + DVec2::Y];
        assert_eq!(signed_area(&ring), 0.5);
        assert!(orientation(ring[0], ring[1], ring[2]) > 0.0);
        assert_eq!(bounds(&ring), Some((far, far + DVec2::ONE)));
        assert_eq!(bounds(&[]), None);
    }
}
