//! The grid that floors are snapped to: its points are exact in `f32` about the origin.

use glam::{DVec2, DVec3};

/// Half the extent of the largest ground, metres: beyond it `f32` positions are too coarse.
pub(super) const LARGEST: f64 = 131_072.0;
/// Grid points on either side of the origin that the walkable space may use.
const EXACT: f64 = 8_388_608.0;
/// Grid points on either side of the origin that anything may use.
const FARTHEST: f64 = 268_435_456.0;

/// Powers of two only: coordinates that are short in binary stay what they are.
pub(super) fn grain_for(half_extent: f64) -> f64 {
    let mut grain = 1.0 / 1_073_741_824.0;
    while grain * EXACT < half_extent {
        grain *= 2.0;
    }
    grain
}

/// World coordinates to grid points and back.
pub(super) struct Grid {
    /// World coordinates of the grid's middle.
    pub origin: DVec3,
    /// Distance of neighbouring points.
    pub grain: f64,
}

impl Grid {
    /// The grid point nearest to a world point.
    pub fn snap(&self, p: DVec2) -> [i64; 2] {
        let scaled = ((p - self.origin.truncate()) / self.grain).round();
        [scaled.x as i64, scaled.y as i64]
    }

    fn far(&self) -> f64 {
        FARTHEST * self.grain
    }

    /// A ring cut to the square that the grid can hold (Sutherland and Hodgman 1974).
    pub fn ring(&self, ring: &[DVec2]) -> Vec<[i64; 2]> {
        let mut points: Vec<DVec2> = ring.iter().map(|p| *p - self.origin.truncate()).collect();
        let far = self.far();
        if points.iter().any(|p| p.abs().max_element() > far) {
            for axis in [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y] {
                let mut cut = Vec::with_capacity(points.len() + 4);
                for (i, &q) in points.iter().enumerate() {
                    let p = points[(i + points.len() - 1) % points.len()];
                    let (dp, dq) = (p.dot(axis) - far, q.dot(axis) - far);
                    if (dp > 0.0) != (dq > 0.0) {
                        cut.push(p + (q - p) * (dp / (dp - dq)));
                    }
                    if dq <= 0.0 {
                        cut.push(q);
                    }
                }
                points = cut;
            }
        }
        let mut snapped: Vec<[i64; 2]> = points
            .iter()
            .map(|p| {
                self.snap(p.clamp(DVec2::splat(-far), DVec2::splat(far)) + self.origin.truncate())
            })
            .collect();
        snapped.dedup();
        if snapped.len() > 1 && snapped.first() == snapped.last() {
            snapped.pop();
        }
        snapped
    }

    /// A segment cut to the square that the grid can hold.
    pub fn segment(&self, a: DVec2, b: DVec2) -> Option<[[i64; 2]; 2]> {
        let (a, b) = (a - self.origin.truncate(), b - self.origin.truncate());
        let (mut from, mut to) = (0.0f64, 1.0f64);
        for axis in [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y] {
            let (da, db) = (a.dot(axis) - self.far(), b.dot(axis) - self.far());
            if da > 0.0 && db > 0.0 {
                return None;
            }
            if da > 0.0 {
                from = from.max(da / (da - db));
            } else if db > 0.0 {
                to = to.min(da / (da - db));
            }
        }
        if from >= to {
            return None;
        }
        let ends = [a + (b - a) * from, a + (b - a) * to];
        let ends = ends.map(|p| self.snap(p + self.origin.truncate()));
        (ends[0] != ends[1]).then_some(ends)
    }
}
