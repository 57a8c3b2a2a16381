//! Small exact or double-precision pieces that the walking algorithms share.

use std::cell::Cell;

use glam::{DVec2, DVec3, Vec3};
use throng_core::{GroundView, Location, NONE, TriangleId};

/// The corners of a triangle in double precision.
#[inline]
pub(super) fn corners(view: &GroundView, triangle: TriangleId) -> [DVec3; 3] {
    // Not by `map`, which is not inlined everywhere.
    let [a, b, c] = view.corners(triangle);
    [a.as_dvec3(), b.as_dvec3(), c.as_dvec3()]
}

/// Whether a location belongs to this ground and is finite.
#[inline]
pub(super) fn known(view: &GroundView, at: Location) -> bool {
    (at.triangle as usize) < view.triangles.len() && at.point.is_finite()
}

/// The point laid onto the plane of a triangle: along z on floor plans, so that it stays what it
/// is in plan, else along the normal.
#[inline]
pub(super) fn onto_plane(view: &GroundView, triangle: TriangleId, point: DVec3) -> DVec3 {
    let a = view.vertices[view.triangles[triangle as usize][0] as usize].as_dvec3();
    let normal = view.normals[triangle as usize].as_dvec3();
    if view.plan {
        let d = point - a;
        point.with_z(a.z - (normal.x * d.x + normal.y * d.y) / normal.z)
    } else {
        point - normal * normal.dot(point - a)
    }
}

/// Positive where `p` is on the inner side of the side from `a` to `b` of a triangle.
#[inline]
pub(super) fn side_value(plan: bool, normal: DVec3, a: DVec3, b: DVec3, p: DVec3) -> f64 {
    if plan {
        (b - a).truncate().perp_dot((p - a).truncate())
    } else {
        normal.dot((b - a).cross(p - a))
    }
}

/// Exact sign of the turn from `a` over `b` to `c`: positive to the left.
#[inline]
pub(super) fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| robust::Coord { x: p.x, y: p.y };
    robust::orient2d(coord(a), coord(b), coord(c))
}

/// Whether a point lies in the triangle seen in plan, boundary included.
#[inline]
pub(super) fn covers(view: &GroundView, triangle: TriangleId, p: DVec2) -> bool {
    let [a, b, c] = view.corners(triangle).map(|v| v.as_dvec3().truncate());
    turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
}

/// The point of a segment nearest to `p`.
#[inline]
pub(super) fn on_segment(a: DVec3, b: DVec3, p: DVec3) -> DVec3 {
    let d = b - a;
    let length = d.length_squared();
    if length > 0.0 {
        a + d * ((p - a).dot(d) / length).clamp(0.0, 1.0)
    } else {
        a
    }
}

/// Squared distance from a point to a segment: in plan or in space.
#[inline]
pub(super) fn distance_squared(plan: bool, a: DVec3, b: DVec3, p: DVec3) -> f64 {
    if plan {
        let (a, b, p) = (a.truncate(), b.truncate(), p.truncate());
        let d = b - a;
        let length = d.length_squared();
        let along = if length > 0.0 {
            ((p - a).dot(d) / length).clamp(0.0, 1.0)
        } else {
            0.0
        };
        (a + d * along).distance_squared(p)
    } else {
        on_segment(a, b, p).distance_squared(p)
    }
}

/// Whether the line through a segment is surely farther from a point in plan than the root of a
/// limit, by more than is rounded.
#[inline]
fn line_is_beyond(a: DVec3, b: DVec3, p: DVec3, limit: f64) -> bool {
    let d = (b - a).truncate();
    let across = d.perp_dot((p - a).truncate());
    across * across > (limit * (1.0 + 1e-6) + 1e-9) * d.length_squared()
}

/// The point of a triangle nearest to `p` (Ericson 2005, section 5.1.5).
pub(super) fn on_triangle([a, b, c]: [DVec3; 3], p: DVec3) -> DVec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let total = va + vb + vc;
    if total > 0.0 {
        a + ab * (vb / total) + ac * (vc / total)
    } else {
        a
    }
}

/// A lower bound on the distance from a point of the ground to any wall.
#[inline]
pub(super) fn wall_distance_bound(view: &GroundView, point: Vec3) -> f32 {
    if view.walls.is_empty() {
        return f32::INFINITY;
    }
    let index = &view.wall_index;
    let cell = index.cell_of(point);
    let c = (cell.z * index.size.y + cell.y) * index.size.x + cell.x;
    (f32::from(view.wall_rings[c as usize]) - 1.0) * index.cell
}

/// The side on which a straight step leaves a triangle, and the share of the step up to there.
/// `None` where the step ends inside. `entered` is the side it came in by, which it cannot leave
/// by; of two sides met at once a passable one counts.
#[inline]
pub(super) fn exit(
    view: &GroundView,
    triangle: TriangleId,
    p: DVec3,
    step: DVec3,
    entered: Option<usize>,
) -> Option<(usize, f64)> {
    let corners = corners(view, triangle);
    let normal = view.normals[triangle as usize].as_dvec3();
    let mut found: Option<(usize, f64)> = None;
    for side in 0..3 {
        if entered == Some(side) {
            continue;
        }
        let (a, b) = (corners[side], corners[(side + 1) % 3]);
        let here = side_value(view.plan, normal, a, b, p);
        let there = side_value(view.plan, normal, a, b, p + step);
        if there >= 0.0 || there >= here {
            continue;
        }
        let share = (here.max(0.0) / (here.max(0.0) - there)).min(1.0);
        let better = match found {
            None => true,
            Some((other, best)) => {
                share < best || share == best && view.passage(triangle, other) == NONE
            }
        };
        if better {
            found = Some((side, share));
        }
    }
    found
}

/// How directions change on the way from one triangle over a side to the next.
pub(super) struct Crossing {
    /// The triangle on the other side.
    pub triangle: TriangleId,
    /// The side by which it is entered.
    pub side: usize,
    /// Whether the two triangles are wound against each other.
    pub flips: bool,
    along: DVec3,
    outward: DVec3,
    inward: DVec3,
    bends: bool,
}

impl Crossing {
    /// From a triangle over a side that has something across.
    #[inline]
    pub fn new(view: &GroundView, triangle: TriangleId, side: usize, code: u32) -> Crossing {
        let (next, entry) = (code / 3, code as usize % 3);
        let normal = view.normals[triangle as usize];
        let next_normal = view.normals[next as usize];
        let begin = view.triangles[triangle as usize][side];
        let flips = view.triangles[next as usize][entry] == begin;
        let bends = flips || normal != next_normal;
        let mut crossing = Crossing {
            triangle: next,
            side: entry,
            flips,
            along: DVec3::ZERO,
            outward: DVec3::ZERO,
            inward: DVec3::ZERO,
            bends,
        };
        if bends {
            let end = view.triangles[triangle as usize][(side + 1) % 3];
            let a = view.vertices[begin as usize].as_dvec3();
            let b = view.vertices[end as usize].as_dvec3();
            let along = (b - a).normalize_or_zero();
            crossing.along = along;
            // Normals are stored rounded: the in-plane directions are made square to the side.
            crossing.outward = square(along.cross(normal.as_dvec3()), along);
            let inward = next_normal.as_dvec3().cross(along);
            crossing.inward = square(if flips { inward } else { -inward }, along);
        }
        crossing
    }

    /// A tangent vector carried over.
    #[inline]
    pub fn carry(&self, v: DVec3) -> DVec3 {
        if self.bends {
            self.along * v.dot(self.along) + self.inward * v.dot(self.outward)
        } else {
            v
        }
    }

    /// Whether directions change at all.
    #[inline]
    pub fn bends(&self) -> bool {
        self.bends
    }
}

fn square(v: DVec3, along: DVec3) -> DVec3 {
    (v - along * v.dot(along)).normalize_or_zero()
}

/// Reused memory of [`spread`].
#[derive(Default)]
struct Scratch {
    stamp: Vec<u32>,
    epoch: u32,
    stack: Vec<TriangleId>,
}

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Visits the blocked sides within `reach` of a point, spreading from a triangle over passable
/// sides within it. `visit` gets triangle, side and squared distance and answers with the reach
/// to go on with, squared. For bodies obstacles block, for maps they do not.
pub(super) fn spread(
    view: &GroundView,
    from: TriangleId,
    point: DVec3,
    reach: f64,
    bodies: bool,
    mut visit: impl FnMut(TriangleId, usize, f64) -> f64,
) {
    let mut scratch = SCRATCH.take().unwrap_or_default();
    if scratch.stamp.len() < view.triangles.len() || scratch.epoch == u32::MAX {
        scratch.stamp.clear();
        scratch.stamp.resize(view.triangles.len(), 0);
        scratch.epoch = 0;
    }
    scratch.epoch += 1;
    let Scratch {
        stamp,
        epoch,
        stack,
    } = &mut *scratch;
    stack.clear();
    stack.push(from);
    stamp[from as usize] = *epoch;
    let mut limit = reach * reach;
    while let Some(triangle) = stack.pop() {
        let corners = corners(view, triangle);
        for side in 0..3 {
            let (a, b) = (corners[side], corners[(side + 1) % 3]);
            // Most are that far from the whole line: nothing is looked up or divided for them.
            if view.plan && line_is_beyond(a, b, point, limit) {
                continue;
            }
            let next = view.passage(triangle, side);
            let blocked = next == NONE || bodies && view.blocks_body(triangle, side);
            if !blocked && stamp[next as usize / 3] == *epoch {
                continue;
            }
            let distance = distance_squared(view.plan, a, b, point);
            if distance > limit {
                continue;
            }
            if blocked {
                limit = visit(triangle, side, distance);
            } else {
                stamp[next as usize / 3] = *epoch;
                stack.push(next / 3);
            }
        }
    }
    SCRATCH.set(Some(scratch));
}

/// Whether two triangles are connected around a point: through passable sides within reach.
pub(super) fn connected_at(
    view: &GroundView,
    from: TriangleId,
    to: TriangleId,
    point: DVec3,
    reach: f64,
) -> bool {
    if from == to {
        return true;
    }
    // Mostly they share a side: nothing is listed for that.
    let near = |t: TriangleId, side: usize| {
        let corners = corners(view, t);
        let (a, b) = (corners[side], corners[(side + 1) % 3]);
        distance_squared(view.plan, a, b, point) <= reach * reach
    };
    let joins = |side: usize| {
        let code = view.passage(from, side);
        code != NONE && code / 3 == to && near(from, side)
    };
    if (0..3).any(joins) {
        return true;
    }
    let mut found = [from; 256];
    let mut count = 1;
    let mut next = 0;
    while next < count {
        let triangle = found[next];
        next += 1;
        for side in 0..3 {
            let code = view.passage(triangle, side);
            if code == NONE || found[..count].contains(&(code / 3)) {
                continue;
            }
            if near(triangle, side) {
                if code / 3 == to {
                    return true;
                }
                if count < found.len() {
                    found[count] = code / 3;
                    count += 1;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_point_of_a_triangle_in_every_region() {
        let t = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let near = |x, y, z| on_triangle(t, DVec3::new(x, y, z));
        assert_eq!(near(0.25, 0.25, 3.0), DVec3::new(0.25, 0.25, 0.0));
        assert_eq!(near(-1.0, -1.0, 0.0), DVec3::ZERO);
        assert_eq!(near(3.0, -1.0, 0.0), DVec3::X);
        assert_eq!(near(-1.0, 4.0, 1.0), DVec3::Y);
        assert_eq!(near(0.5, -2.0, 0.0), DVec3::new(0.5, 0.0, 0.0));
        assert_eq!(near(-2.0, 0.5, 0.0), DVec3::new(0.0, 0.5, 0.0));
        assert_eq!(near(1.0, 1.0, 0.0), DVec3::new(0.5, 0.5, 0.0));
    }
}
