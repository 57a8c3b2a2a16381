//! How far a place is from the border of its region.

use glam::Vec2;
use throng_core::{NavMap, RegionId};

/// Metres that are left of a distance to a border, to allow for rounding.
const GRAIN: f32 = 1e-3;

/// How far a point may move in plan, on its floor, and be in the same region still: its distance
/// to the outline. 0 if the map has no outlines, or the point is outside.
pub(super) fn region_slack(map: &NavMap, region: RegionId, at: Vec2) -> f32 {
    let r = region as usize;
    let (Some(&first), Some(&end)) = (
        map.region_ring_start.get(r),
        map.region_ring_start.get(r + 1),
    ) else {
        return 0.0;
    };
    let ring = &map.region_ring[first as usize..end as usize];
    let Some(mut a) = ring.last().map(|p| p.truncate()) else {
        return 0.0;
    };
    let mut nearest = f32::INFINITY;
    let mut inside = false;
    for p in ring {
        let b = p.truncate();
        let (side, to) = (b - a, at - a);
        let along = (to.dot(side) / side.length_squared().max(1e-12)).clamp(0.0, 1.0);
        nearest = nearest.min((to - side * along).length_squared());
        if (a.y > at.y) != (b.y > at.y) && to.x < side.x * to.y / side.y {
            inside = !inside;
        }
        a = b;
    }
    if inside {
        (nearest.sqrt() - GRAIN).max(0.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    #[test]
    fn slack_is_the_distance_to_the_outline() {
        let map = NavMap {
            region_ring_start: vec![0, 4],
            region_ring: [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (0.0, 2.0)]
                .map(|(x, y)| Vec3::new(x, y, 0.0))
                .to_vec(),
            ..NavMap::default()
        };
        let slack = |x: f32, y: f32| region_slack(&map, 0, Vec2::new(x, y));
        assert!((slack(2.0, 1.0) - 1.0).abs() < 0.01);
        assert!((slack(0.3, 1.0) - 0.3).abs() < 0.01);
        assert_eq!(slack(5.0, 1.0), 0.0);
        assert_eq!(slack(0.0005, 1.0), 0.0);
        assert_eq!(region_slack(&map, 1, Vec2::ONE), 0.0);
    }
}
