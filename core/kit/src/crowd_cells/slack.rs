//! How far a place is from the border of its region.

use glam::{Vec2, Vec3};
use throng_core::{NavMap, RegionId, math};

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
    ring_slack(&map.region_ring[first as usize..end as usize], at)
}

fn ring_slack(ring: &[Vec3], at: Vec2) -> f32 {
    let Some(mut a) = ring.last().map(|p| p.truncate()) else {
        return 0.0;
    };
    let mut nearest = f32::INFINITY;
    let mut inside = false;
    for p in ring {
        let b = p.truncate();
        nearest = nearest.min(squared_distance(at, a, b));
        let (side, to) = (b - a, at - a);
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

fn squared_distance(at: Vec2, a: Vec2, b: Vec2) -> f32 {
    let (side, to) = (b - a, at - a);
    let along = (to.dot(side) / side.length_squared().max(1e-12)).clamp(0.0, 1.0);
    (to - side * along).length_squared()
}

/// The same number as [`CrowdCells::slack`](super::CrowdCells::slack) for a region whose outline
/// is regular: its corners lie on a circle in plan, at equal angles, the first one along x. Only
/// the sides that can be the nearest are measured.
pub fn regular_slack(ring: &[Vec3], centre: Vec2, radius: f32, at: Vec2) -> f32 {
    /// As a share of the radius: nearer to the centre all sides are about as far, and rounding
    /// says which is nearest.
    const MIDDLE: f32 = 0.05;
    /// As a share of the radius: farther out rounding may say that a point is outside.
    const RIM: f32 = 1e-3;
    let (corners, out) = (ring.len(), at - centre);
    let away = out.length();
    let inscribed = radius * math::cos(core::f32::consts::PI / corners.max(3) as f32);
    if corners < 8 || !(away > MIDDLE * radius && away < inscribed - RIM * radius) {
        return ring_slack(ring, at);
    }
    let turn = math::atan2(out.y, out.x) / core::f32::consts::TAU;
    let side = (turn.rem_euclid(1.0) * corners as f32) as usize;
    let corner = |k: usize| ring[(side + k) % corners].truncate();
    // The side before the one that it stands behind, that one, and the next.
    let [a, b, c, d] = [corners - 1, 0, 1, 2].map(corner);
    let nearest = squared_distance(at, a, b)
        .min(squared_distance(at, b, c))
        .min(squared_distance(at, c, d));
    (nearest.sqrt() - GRAIN).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::random::{Purpose, Stream};

    #[test]
    fn few_sides_of_a_regular_outline_do() {
        let mut rng = Stream::new(5, 0, Purpose::Strategy, 0);
        for _ in 0..20_000 {
            let centre = Vec2::new(rng.unit(), rng.unit()) * 1500.0;
            let radius = 0.2 + 6.0 * rng.unit();
            let ring: Vec<Vec3> = (0..24)
                .map(|i| {
                    let angle = i as f32 / 24.0 * core::f32::consts::TAU;
                    let way = Vec2::new(math::cos(angle), math::sin(angle));
                    (centre + way * radius).extend(0.0)
                })
                .collect();
            let at = centre + (Vec2::new(rng.unit(), rng.unit()) * 2.2 - 1.1) * radius;
            let slack = regular_slack(&ring, centre, radius, at);
            assert_eq!(
                slack,
                ring_slack(&ring, at),
                "{at} in {radius} m about {centre}"
            );
        }
    }

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
