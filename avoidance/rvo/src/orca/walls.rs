//! Half-planes of allowed velocities beside walls.
//!
//! A wall is a segment; with the body's radius it is a capsule. Velocities that reach it within
//! the horizon form a convex set: the capsule shrunk by the horizon, and the cone behind it. The
//! half-plane touches that set at the point nearest to the current velocity (van den Berg and
//! others, section 5.2). In terms of unit normals `n`, with `h(n) = max(n.a, n.b) + r`, it is
//! the one that maximises `n.v - h(n) / horizon` over all `n` with `h(n) <= 0`: the face, the
//! round ends and the two legs are the cases of one maximum. All offsets are `h(n) / horizon`,
//! so never positive: standing still is always allowed.

use glam::Vec2;
use throng_core::{NearWall, Wall};

/// A half-plane `normal . v >= offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal, away from the wall.
    pub normal: Vec2,
    /// Offset, metres per second, never positive.
    pub offset: f32,
}

/// Which part of the wall's velocity obstacle is nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Face,
    EndA,
    EndB,
}

/// A signed distance to a wall's line down to which the agent counts as before it, metres: the
/// rounding of somebody who slides along it.
const BEFORE: f32 = -1e-3;

/// Appends the half-planes of the walls near an agent, nearest wall first; `order` is scratch.
pub fn wall_planes(
    walls: &[NearWall],
    velocity: Vec2,
    radius: f32,
    horizon: f32,
    order: &mut Vec<(f32, u32)>,
    planes: &mut Vec<Plane>,
) {
    let first = planes.len();
    order.clear();
    for (i, wall) in walls.iter().enumerate() {
        let distance = nearest_of(wall.a, wall.b, Vec2::ZERO).length_squared();
        if distance.is_finite() {
            order.push((distance, i as u32));
        }
    }
    order.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    for &(_, i) in order.iter() {
        let wall = &walls[i as usize];
        // Velocities that reach it are forbidden already: scaling up only goes deeper.
        let covered = planes[first..].iter().any(|plane| {
            let reach = plane.normal.dot(wall.a).max(plane.normal.dot(wall.b)) + radius;
            reach / horizon <= plane.offset - 1e-5
        });
        if covered {
            continue;
        }
        if let Some(plane) = wall_plane(wall, velocity, radius, horizon) {
            planes.push(plane);
        }
    }
}

/// The half-plane of one wall, or none where a neighbouring wall speaks for this one.
pub fn wall_plane(wall: &NearWall, velocity: Vec2, radius: f32, horizon: f32) -> Option<Plane> {
    let (a, b) = (wall.a, wall.b);
    let along = (b - a).try_normalize();
    // The free side is on the left.
    let face = along.map(|e| e.perp());
    if face.is_some_and(|n| -n.dot(a) < BEFORE) {
        return None;
    }
    let near = nearest_of(a, b, Vec2::ZERO);
    let distance = near.length();
    if distance <= radius {
        // Touching: not nearer, but free to slide and to leave.
        let normal = match face {
            Some(n) if distance < 1e-6 || (near != a && near != b) => n,
            _ => (-near).try_normalize()?,
        };
        return Some(Plane {
            normal,
            offset: 0.0,
        });
    }
    let (part, normal) = nearest_part(a, b, face, velocity, radius, horizon)?;
    let convex = |flag: u16| wall.flags & u32::from(flag) != 0;
    let whole = face.filter(|n| n.dot(a) <= -radius);
    let normal = match part {
        Part::Face => normal,
        Part::EndA => beside(convex(Wall::CONVEX_A), wall.before, a, -1.0, normal, whole)?,
        Part::EndB => beside(convex(Wall::CONVEX_B), wall.after, b, 1.0, normal, whole)?,
    };
    let offset = (normal.dot(a).max(normal.dot(b)) + radius) / horizon;
    Some(Plane {
        normal,
        offset: offset.min(0.0),
    })
}

/// The part of the velocity obstacle nearest to the velocity, and the normal there.
fn nearest_part(
    a: Vec2,
    b: Vec2,
    face: Option<Vec2>,
    velocity: Vec2,
    radius: f32,
    horizon: f32,
) -> Option<(Part, Vec2)> {
    let (front_a, front_b) = (a / horizon, b / horizon);
    let point = nearest_of(front_a, front_b, velocity);
    let part = if point == front_a {
        Part::EndA
    } else if point == front_b {
        Part::EndB
    } else {
        Part::Face
    };
    let feasible = |n: &Vec2| n.dot(a) <= -radius && n.dot(b) <= -radius;
    let before = match (part, face) {
        // The same direction as below, without its rounding.
        (Part::Face, Some(n)) => (n.dot(velocity - point) >= 0.0).then_some(n),
        _ => (velocity - point).try_normalize(),
    };
    if let Some(normal) = before.filter(feasible) {
        return Some((part, normal));
    }
    // In the cone: the legs touch the round ends. Seen from before the face, `b` is to the left
    // of `a`, so the cone's right leg touches the circle at `a`, unless the wall is seen so
    // obliquely that the nearer circle hides the other.
    let hidden = |normal: Vec2, other: Vec2| normal.dot(other) > -radius + 1e-6 * other.length();
    let mut right = (Part::EndA, leg(a, radius, 1.0)?);
    if hidden(right.1, b) {
        right = (Part::EndB, leg(b, radius, 1.0)?);
    }
    let mut left = (Part::EndB, leg(b, radius, -1.0)?);
    if hidden(left.1, a) {
        left = (Part::EndA, leg(a, radius, -1.0)?);
    }
    let depth = |n: Vec2| n.dot(velocity) - (n.dot(a).max(n.dot(b)) + radius) / horizon;
    let leg = if depth(right.1) >= depth(left.1) {
        right
    } else {
        left
    };
    Some(match face.filter(feasible) {
        Some(n) if depth(n) > depth(leg.1) => (Part::Face, n),
        _ => leg,
    })
}

/// The normal to use beside an end: `normal` itself at a corner that can be walked round, the
/// whole face's at a corner of the room, none where the next wall is in view and speaks for it.
/// From the face to the next one normals turn to the right at `b` (`turn` 1), to the left at `a`
/// (-1).
fn beside(
    convex: bool,
    next: Vec2,
    corner: Vec2,
    turn: f32,
    normal: Vec2,
    whole: Option<Vec2>,
) -> Option<Vec2> {
    if next == Vec2::ZERO {
        return Some(normal);
    }
    if !convex {
        // Both walls of the room's corner hold as whole lines.
        return whole.or(Some(normal));
    }
    let next_face = next.perp();
    let in_view = -next_face.dot(corner) > 0.0;
    // Normals at the corner run from this face to the next one; beyond, the next wall is nearer.
    let beyond = next_face.perp_dot(normal) * turn < 0.0;
    if in_view && beyond {
        None
    } else {
        Some(normal)
    }
}

/// The normal of the line through (0, 0) that touches the circle about a point, with the circle
/// behind it; `turn` 1 for the leg with the circle on its left, -1 on its right.
fn leg(centre: Vec2, radius: f32, turn: f32) -> Option<Vec2> {
    let squared = centre.length_squared();
    let tangent = (squared - radius * radius).max(0.0).sqrt();
    let normal = (-centre * radius - centre.perp() * (tangent * turn)) / squared;
    normal.is_finite().then_some(normal)
}

/// The point of a segment nearest to a point.
fn nearest_of(a: Vec2, b: Vec2, to: Vec2) -> Vec2 {
    let along = b - a;
    let t = (to - a).dot(along) / along.length_squared();
    if t >= 1.0 {
        b
    } else if t > 0.0 {
        a + along * t
    } else {
        a
    }
}

#[cfg(test)]
mod tests {
    use throng_core::{
        math,
        random::{Purpose, Stream},
    };

    use super::*;

    /// The definition in the header, by trying many directions.
    #[test]
    fn lone_walls_touch_the_nearest_point_of_their_velocity_obstacle() {
        let mut draw = Stream::new(3, 0, Purpose::Strategy, 0);
        let directions: Vec<Vec2> = (0..20_000)
            .map(|i| {
                let angle = i as f32 * core::f32::consts::TAU / 20_000.0;
                Vec2::new(math::cos(angle), math::sin(angle))
            })
            .collect();
        let mut compared = 0;
        for _ in 0..400 {
            let mut point = |size: f64| {
                Vec2::new(
                    draw.range(-size, size) as f32,
                    draw.range(-size, size) as f32,
                )
            };
            let (a, b, velocity) = (point(3.0), point(3.0), point(2.0));
            let (a, b) = if a.perp_dot(b) > 0.0 { (a, b) } else { (b, a) };
            let (radius, horizon) = (0.25, 1.5);
            if nearest_of(a, b, Vec2::ZERO).length() <= radius {
                continue;
            }
            let wall = NearWall {
                a,
                b,
                before: Vec2::ZERO,
                after: Vec2::ZERO,
                flags: 3,
                wall: 0,
            };
            let depth = |n: Vec2| {
                let reach = n.dot(a).max(n.dot(b)) + radius;
                if reach > 0.0 {
                    f32::NEG_INFINITY
                } else {
                    n.dot(velocity) - reach / horizon
                }
            };
            let best = directions
                .iter()
                .fold(f32::NEG_INFINITY, |best, &n| best.max(depth(n)));
            let plane = wall_plane(&wall, velocity, radius, horizon).unwrap();
            let ours = plane.normal.dot(velocity) - plane.offset;
            assert!((plane.normal.length() - 1.0).abs() < 1e-5);
            assert!(
                (ours - best).abs() < 2e-3,
                "{wall:?} {velocity} {ours} {best}"
            );
            compared += 1;
        }
        assert!(compared > 200);
    }
}
