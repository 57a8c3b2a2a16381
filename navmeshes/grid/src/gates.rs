//! The gates of a grid: what a route over its edges passes.

use glam::{Vec2, Vec3};
use throng_core::{EdgeId, Gate, GroundView, Location, NavMap, TriangleId};
use throng_kit::{Walk, ground::TraceEnd};

/// Which corners of a node's cell are free: bit q says that one of the two diagonals over the
/// corner in quadrant q is an edge, bit 4 + q that both are.
pub(crate) type FreeCorners = u8;

/// The quadrant of a direction: 0 to 3 counter-clockwise from the one between +x and +y.
#[inline]
pub(crate) fn quadrant(direction: Vec2) -> u8 {
    match (direction.x > 0.0, direction.y > 0.0) {
        (true, true) => 0,
        (false, true) => 1,
        (false, false) => 2,
        (true, false) => 3,
    }
}

/// Makes the gate of one edge: the side that two cells share, or for a diagonal the line between
/// the centres of the two cells beside it. Ends are walls unless the cells about them are free.
pub(crate) fn gate(
    ground: &GroundView<'_>,
    map: &NavMap,
    free_corners: &[FreeCorners],
    cell: f32,
    edge: EdgeId,
) -> Gate {
    let from = map.edge_from[edge as usize] as usize;
    let to = map.edge_to[edge as usize] as usize;
    let (a, b) = (map.node_place[from], map.node_place[to]);
    let way = (b.point - a.point).truncate();
    let is_diagonal = way.x.abs() > 0.5 * cell && way.y.abs() > 0.5 * cell;
    let across = if is_diagonal {
        way.perp() * 0.5
    } else {
        way.perp() * (0.5 * cell / way.length().max(f32::MIN_POSITIVE))
    };
    let middle = half_way(ground, a, b);
    let is_open = |sideways: Vec2| {
        let bit = if is_diagonal {
            4 + quadrant(way)
        } else {
            quadrant(way + sideways)
        };
        free_corners[from] >> bit & 1 == 1
    };
    let (left_open, right_open) = (is_open(across), is_open(-across));
    Gate {
        left: end_of(ground, middle, across, left_open),
        middle: middle.point,
        right: end_of(ground, middle, -across, right_open),
        triangle: middle.triangle,
        flags: if left_open { 0 } else { Gate::LEFT_WALL }
            | if right_open { 0 } else { Gate::RIGHT_WALL },
    }
}

/// The place half way along a step, seen in plan.
fn half_way(ground: &GroundView<'_>, a: Location, b: Location) -> Location {
    let middle = (a.point + b.point) / 2.0;
    if a.triangle == b.triangle {
        return Location {
            point: middle,
            triangle: a.triangle,
        };
    }
    if a.point.z == b.point.z {
        for triangle in [a.triangle, b.triangle] {
            if covers(ground, triangle, middle.truncate()) {
                return Location {
                    point: middle,
                    triangle,
                };
            }
        }
    }
    let (start, wanted) = (a.point.truncate(), middle.truncate());
    let half = start.distance(wanted);
    let mut found = a;
    ground.trace_to(a, b, &mut |piece| {
        let (enter, leave) = (
            piece.enter.truncate().distance(start),
            piece.leave.truncate().distance(start),
        );
        if enter <= half {
            let span = leave - enter;
            let share = if span > 0.0 {
                ((half - enter) / span).min(1.0)
            } else {
                0.0
            };
            found = Location {
                point: piece.enter + (piece.leave - piece.enter) * share,
                triangle: piece.triangle,
            };
        }
    });
    found
}

/// Whether a level triangle covers a point.
fn covers(ground: &GroundView<'_>, triangle: TriangleId, at: Vec2) -> bool {
    let corners = ground.corners(triangle).map(|c| c.truncate() - at);
    ground.normals[triangle as usize].z >= 1.0
        && (0..3).all(|i| corners[i].perp_dot(corners[(i + 1) % 3]) >= 0.0)
}

/// The end of a gate: as far sideways as the ground goes.
fn end_of(ground: &GroundView<'_>, middle: Location, sideways: Vec2, is_open: bool) -> Vec3 {
    let normal = ground.normals[middle.triangle as usize];
    let rise = if normal.z < 1.0 && normal.z > 0.0 {
        -sideways.dot(normal.truncate()) / normal.z
    } else {
        0.0
    };
    let whole = sideways.extend(rise);
    if is_open {
        return middle.point + whole;
    }
    let frame = ground.frame_at(middle);
    let displacement = frame.to_tangent(normal, whole);
    match ground.trace(middle, frame, displacement, &mut |_| {}) {
        TraceEnd::Wall { at, .. } => at.point,
        _ => middle.point + whole,
    }
}
