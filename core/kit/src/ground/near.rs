//! The walls near a place, as far as they can be reached over the surface.

use std::cell::Cell;

use glam::{DVec3, Vec2, Vec3};
use throng_core::{Frame, GroundView, Location, NONE, NearWall};

use super::geometry::{distance_squared, known, spread, wall_distance_bound};
use super::trace::{self, TraceEnd, TracePiece};

/// Grains by which a wall may be nearer than asked for and still counts as not nearer.
const SLACK: f64 = 8.0;

/// See [`Walk::walls_near`](super::Walk::walls_near).
pub(super) fn walls_near(
    view: &GroundView,
    at: Location,
    frame: Frame,
    reach: f32,
    out: &mut Vec<NearWall>,
) {
    if !known(view, at)
        || reach.is_nan()
        || reach <= 0.0
        || wall_distance_bound(view, at.point) > reach
    {
        return;
    }
    let first = out.len();
    let p = at.point.as_dvec3();
    let limit = f64::from(reach) * f64::from(reach);
    let empty = NearWall {
        a: Vec2::ZERO,
        b: Vec2::ZERO,
        before: Vec2::ZERO,
        after: Vec2::ZERO,
        flags: 0,
        wall: NONE,
    };
    spread(view, at.triangle, p, f64::from(reach), true, |t, s, _| {
        let wall = view.side_wall[t as usize][s];
        if wall != NONE {
            out.push(NearWall { wall, ..empty });
        }
        limit
    });
    out[first..].sort_unstable_by_key(|n| n.wall);
    let normal = view.normals[at.triangle as usize];
    let mut kept = first;
    let mut last = NONE;
    for i in first..out.len() {
        let wall = out[i].wall;
        if wall == last {
            continue;
        }
        last = wall;
        if let Some(near) = seen(view, at.point, normal, frame, wall) {
            out[kept] = near;
            kept += 1;
        }
    }
    out.truncate(kept);
}

/// A wall in tangent coordinates, if the agent is on its free side.
fn seen(view: &GroundView, p: Vec3, normal: Vec3, frame: Frame, wall: u32) -> Option<NearWall> {
    let w = &view.walls[wall as usize];
    let level = view.flat && frame == Frame::FLAT;
    let place = |v: Vec3| {
        if level {
            (v - p).truncate()
        } else {
            frame.offset(normal, v - p)
        }
    };
    let (mut a, mut b) = (place(w.a), place(w.b));
    let height = if view.plan {
        (w.b - w.a)
            .truncate()
            .as_dvec2()
            .perp_dot((p - w.a).truncate().as_dvec2())
    } else {
        let up = normal.as_dvec3();
        up.dot((w.b - w.a).as_dvec3().cross((p - w.a).as_dvec3()))
    };
    if height < -f64::from(view.grain) * SLACK * f64::from((w.b - w.a).length()) {
        return None;
    }
    let direction = |index: u32| match view.walls.get(index as usize) {
        None => Vec2::ZERO,
        Some(w) if level => (w.b - w.a).truncate().normalize_or_zero(),
        Some(w) => frame.to_tangent(normal, w.b - w.a).normalize_or_zero(),
    };
    let (mut before, mut after) = (direction(w.previous), direction(w.next));
    let mut flags = w.flags;
    if frame.handedness < 0.0 {
        // Seen from the other side of the surface left is right: the wall runs the other way.
        (a, b) = (b, a);
        (before, after) = (-after, -before);
        let swapped = (flags & 1) << 1 | (flags & 2) >> 1;
        flags = flags & !3 | swapped;
    }
    Some(NearWall {
        a,
        b,
        before,
        after,
        flags: u32::from(flags),
        wall,
    })
}

/// Distance to the nearest standing wall, at most `reach`; for bodies obstacles count.
pub(super) fn distance(view: &GroundView, at: Location, reach: f32, bodies: bool) -> f32 {
    if !known(view, at)
        || reach.is_nan()
        || reach <= 0.0
        || wall_distance_bound(view, at.point) >= reach
    {
        return reach.max(0.0);
    }
    let mut best = f64::from(reach) * f64::from(reach);
    spread(
        view,
        at.triangle,
        at.point.as_dvec3(),
        f64::from(reach),
        bodies,
        |_, _, distance| {
            best = best.min(distance);
            best
        },
    );
    best.sqrt() as f32
}

thread_local! {
    /// Reused memory of [`walks_straight`].
    static PIECES: Cell<Vec<TracePiece>> = const { Cell::new(Vec::new()) };
}

/// See [`Walk::walks_straight`](super::Walk::walks_straight).
pub(super) fn walks_straight(
    view: &GroundView,
    a: Location,
    b: Location,
    radius: f32,
    longest: f32,
) -> bool {
    let radius = f64::from(radius.max(0.0)) - f64::from(view.grain) * SLACK;
    if radius <= 0.0
        && let Some(length) = trace::within_triangle(view, a, b)
    {
        return length <= longest;
    }
    let mut near = PIECES.take();
    near.clear();
    let mut length = 0.0;
    // Walls are looked for once the walk is known to arrive: most of those that do not arrive are
    // long.
    let end = trace::straight(view, a, b, &mut |piece| {
        length += piece.length;
        let clear = radius + f64::from(piece.length);
        if radius > 0.0 && f64::from(wall_distance_bound(view, piece.enter)) <= clear {
            near.push(piece);
        }
        length <= longest
    });
    let clear = end == TraceEnd::Reached
        && length <= longest
        && near.iter().all(|piece| is_clear(view, piece, radius));
    PIECES.set(near);
    clear
}

/// Whether no wall is nearer to a piece of a walk than a radius.
fn is_clear(view: &GroundView, piece: &TracePiece, radius: f64) -> bool {
    let (p, q) = (piece.enter.as_dvec3(), piece.leave.as_dvec3());
    let middle = (p + q) / 2.0;
    let reach = radius + f64::from(piece.length) / 2.0;
    let mut clear = true;
    spread(view, piece.triangle, middle, reach, false, |t, s, _| {
        let corners = view.corners(t);
        let (u, v) = (corners[s].as_dvec3(), corners[(s + 1) % 3].as_dvec3());
        if between(view.plan, p, q, u, v) < radius * radius {
            clear = false;
            return -1.0;
        }
        reach * reach
    });
    clear
}

/// Squared distance between two segments that do not cross.
fn between(plan: bool, p: DVec3, q: DVec3, u: DVec3, v: DVec3) -> f64 {
    let ends = distance_squared(plan, u, v, p)
        .min(distance_squared(plan, u, v, q))
        .min(distance_squared(plan, p, q, u))
        .min(distance_squared(plan, p, q, v));
    if plan {
        return ends;
    }
    // In space two skew segments may be nearest in their insides.
    let (d, e, w) = (q - p, v - u, p - u);
    let (a, b, c) = (d.length_squared(), d.dot(e), e.length_squared());
    let (f, g) = (d.dot(w), e.dot(w));
    let scale = a * c - b * b;
    if scale <= 1e-12 * a * c {
        return ends;
    }
    let (s, t) = ((b * g - c * f) / scale, (a * g - b * f) / scale);
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        ends.min((w + d * s - e * t).length_squared())
    } else {
        ends
    }
}
