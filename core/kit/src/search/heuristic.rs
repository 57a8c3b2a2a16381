//! Lower bounds of the way that is left.

use glam::Vec3;
use throng_core::NavMap;

/// The square root of 2 as an edge of a grid map stores it, so that sums of steps and the
/// heuristic agree to the last bit and equal routes tie.
const DIAGONAL: f64 = core::f32::consts::SQRT_2 as f64;

/// A lower bound of the length of any route between two nodes of a map.
///
/// It is a norm of the offset between them, scaled so that no edge is shorter than its own
/// offset's norm. Such a bound is consistent by the triangle inequality: A* never has to open a
/// node twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heuristic {
    octile: bool,
    scale: f64,
}

impl Heuristic {
    /// The straight line, a little shortened to allow for rounded lengths: good for every map.
    pub const STRAIGHT: Heuristic = Heuristic {
        octile: false,
        scale: 1.0 - 1e-6,
    };
    /// No bound at all: A* becomes Dijkstra's algorithm.
    pub const NONE: Heuristic = Heuristic {
        octile: false,
        scale: 0.0,
    };

    /// The sharpest bound that holds on this map: octile distance (8 directions in plan) if every
    /// edge is a step of that kind, else the straight line. It reads every edge once.
    pub fn of(map: &NavMap) -> Heuristic {
        let mut octile = Heuristic {
            octile: true,
            scale: 1.0,
        };
        let mut straight = Heuristic {
            octile: false,
            scale: 1.0,
        };
        for bound in [&mut octile, &mut straight] {
            let norm = Heuristic {
                scale: 1.0,
                ..*bound
            };
            for e in 0..map.edges() {
                let from = map.node_place[map.edge_from[e] as usize].point;
                let to = map.node_place[map.edge_to[e] as usize].point;
                let apart = norm.distance(from, to);
                if apart > 0.0 {
                    bound.scale = bound.scale.min(f64::from(map.edge_length[e]) / apart);
                }
            }
        }
        if octile.scale > 0.999 && map.edges() > 0 {
            octile
        } else {
            straight
        }
    }

    /// The bound between two points.
    #[inline(always)]
    pub fn distance(&self, from: Vec3, to: Vec3) -> f64 {
        let offset = (to - from).as_dvec3();
        let norm = if self.octile {
            let (x, y) = (offset.x.abs(), offset.y.abs());
            let (long, short) = if x > y { (x, y) } else { (y, x) };
            (long - short) + short * DIAGONAL
        } else {
            offset.length()
        };
        norm * self.scale
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::route::tests::lattice;

    #[test]
    fn grids_get_the_octile_bound_and_others_the_straight_line() {
        let mut map = lattice(3, 2, |_, _| true);
        let bound = Heuristic::of(&map);
        assert!(bound.octile && bound.scale == 1.0, "{bound:?}");
        map.edge_length[0] = 0.5;
        let bound = Heuristic::of(&map);
        assert!(!bound.octile && bound.scale == 0.5, "{bound:?}");
    }
}
