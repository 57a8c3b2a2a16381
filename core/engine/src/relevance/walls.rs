//! How far the walls are, and which of them lie between two on a flat ground.

use glam::{Vec2, Vec3};
use throng_core::{CellIndex, GroundView, Wall};

/// A lower bound on the distance from a place on the ground to any wall.
#[inline]
pub fn wall_distance_bound(ground: &GroundView<'_>, point: Vec3) -> f32 {
    if ground.walls.is_empty() {
        return f32::INFINITY;
    }
    let index = &ground.wall_index;
    let c = if index.size.z == 1 {
        // As below, without the height: almost everybody in every step.
        let cell = |at: f32, low: f32, size: i32| {
            (((at - low) / index.cell) as i32).clamp(0, size.max(1) - 1)
        };
        let y = cell(point.y, index.low.y, index.size.y);
        y * index.size.x + cell(point.x, index.low.x, index.size.x)
    } else {
        let c = index.cell_of(point);
        (c.z * index.size.y + c.y) * index.size.x + c.x
    };
    let rings = ground.wall_rings.get(c as usize).copied().unwrap_or(0);
    (f32::from(rings) - 1.0) * index.cell
}

/// A distance within which no standing wall is. On a flat ground it is looked for more closely
/// where [`wall_distance_bound`] cannot tell whether one is within `limit`.
#[inline]
pub fn clear_distance(ground: &GroundView<'_>, at: Vec3, limit: f32) -> f32 {
    let bound = wall_distance_bound(ground, at);
    if bound > limit || !ground.flat {
        bound
    } else {
        nearest_wall(ground, at, limit).max(bound)
    }
}

/// The distance of the nearest standing wall, at most `limit`, less its rounding.
fn nearest_wall(ground: &GroundView<'_>, at: Vec3, limit: f32) -> f32 {
    let mut nearest = limit * limit;
    any_wall(&ground.wall_index, at - limit, at + limit, |w| {
        let wall = &ground.walls[w as usize];
        let squared = squared_distance(wall, at.truncate());
        if !(squared >= nearest) && ground.stands(wall) {
            // A wall of no length gives no number: it may be here.
            nearest = if squared >= 0.0 { squared } else { 0.0 };
        }
        false
    });
    nearest.sqrt() * 0.999_9
}

/// Lists the standing walls of a flat ground within a distance of a place; says whether there
/// are any.
pub fn list_walls(ground: &GroundView<'_>, at: Vec3, distance: f32, walls: &mut Vec<u32>) -> bool {
    walls.clear();
    let limit = distance * distance * 1.000_1;
    any_wall(&ground.wall_index, at - distance, at + distance, |w| {
        let wall = &ground.walls[w as usize];
        // A wall of no length gives no number, which is not farther.
        if !(squared_distance(wall, at.truncate()) > limit) && ground.stands(wall) {
            walls.push(w);
        }
        false
    });
    !walls.is_empty()
}

/// The squared distance of a wall seen from above; no number if it has no length.
#[inline]
fn squared_distance(wall: &Wall, p: Vec2) -> f32 {
    let a = wall.a.truncate();
    let along = wall.b.truncate() - a;
    let t = (p - a).dot(along) / along.length_squared();
    let near = a + along * t.clamp(0.0, 1.0);
    near.distance_squared(p)
}

/// Whether the line of sight between two places on a flat ground meets a wall. Give the two in
/// the same order whoever looks, and both get the same answer.
pub fn wall_crosses(wall: &Wall, from: Vec3, to: Vec3) -> bool {
    let (p, q) = (from.truncate(), to.truncate());
    let (a, b) = (wall.a.truncate(), wall.b.truncate());
    let d = q - p;
    // Ends on the line of sight count to one side, so that nothing is seen between two walls
    // that meet there.
    if (d.perp_dot(a - p) >= 0.0) == (d.perp_dot(b - p) >= 0.0) {
        return false;
    }
    let side = |point: Vec2| (b - a).perp_dot(point - a);
    let (before, behind) = (side(p), side(q));
    (before > 0.0 && behind < 0.0) || (before < 0.0 && behind > 0.0)
}

/// Whether a wall listed in the cells of a box passes a test.
pub(super) fn any_wall(
    index: &CellIndex<'_>,
    low: Vec3,
    high: Vec3,
    mut test: impl FnMut(u32) -> bool,
) -> bool {
    let (low, high) = (index.cell_of(low), index.cell_of(high));
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            // Cells side by side list their walls one after another.
            let line = (z * index.size.y + y) * index.size.x;
            let first = index.start[(line + low.x) as usize] as usize;
            let end = index.start[(line + high.x) as usize + 1] as usize;
            if index.items[first..end].iter().any(|&w| test(w)) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use throng_core::NO_DOOR;

    use super::*;

    fn wall(a: [f32; 3], b: [f32; 3]) -> Wall {
        Wall {
            a: a.into(),
            b: b.into(),
            triangle: 0,
            previous: throng_core::NONE,
            next: throng_core::NONE,
            door: NO_DOOR,
            flags: 0,
        }
    }

    #[test]
    fn clear_distances_are_those_of_the_nearest_wall() {
        use glam::DVec2;
        use throng_kit::environment::{Environment, Floor, Polygon};
        let fence = [(10.0, 10.0), (90.0, 14.0), (88.0, 40.0)];
        let floor = Floor {
            walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::splat(100.0))],
            thin_walls: vec![fence.map(DVec2::from).to_vec()],
            ..Floor::default()
        };
        let environment = Environment {
            floors: vec![floor],
            ..Environment::default()
        };
        let ground = throng_kit::Ground::from_environment(&environment).unwrap();
        let ground = ground.view();
        let mut looked_closely = 0;
        for i in 0..2_000 {
            let (x, y) = ((i % 45) as f32 * 2.2, (i / 45) as f32 * 2.2);
            let at = Vec3::new(x + 0.3, y + 0.4, 0.0) - ground.origin.as_vec3();
            let nearest = ground
                .walls
                .iter()
                .map(|w| squared_distance(w, at.truncate()))
                .fold(f32::INFINITY, f32::min)
                .sqrt();
            let clear = clear_distance(&ground, at, 3.0);
            assert!(clear <= nearest, "{at} {clear} {nearest}");
            assert!(clear >= nearest.min(3.0) * 0.999, "{at} {clear} {nearest}");
            looked_closely += u32::from(wall_distance_bound(&ground, at) < clear);
        }
        assert!(looked_closely > 100);
    }

    #[test]
    fn wall_between_two_on_a_flat_floor() {
        let fence = wall([1.0, -1.0, 0.0], [1.0, 1.0, 0.0]);
        let from = Vec3::ZERO;
        let hides = |x: f32, y: f32| wall_crosses(&fence, from, Vec3::new(x, y, 0.0));
        assert!(hides(2.0, 0.0) && hides(2.0, 1.9));
        assert!(!hides(2.0, 2.1) && !hides(0.9, 0.0) && !hides(-2.0, 0.0));
        // Two walls that meet on the line of sight leave no gap.
        let (one, two) = (
            wall([1.0, -1.0, 0.0], [1.0, 0.0, 0.0]),
            wall([1.0, 0.0, 0.0], [1.0, 1.0, 0.0]),
        );
        let to = Vec3::new(2.0, 0.0, 0.0);
        assert!(wall_crosses(&one, from, to) != wall_crosses(&two, from, to));
    }
}
