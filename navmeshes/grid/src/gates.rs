//! The gates of a grid: what a route over its edges passes.

use glam::{Vec2, Vec3};
use throng_core::{EdgeId, Gate, GroundView, Location, NavMap, NodeId};
use throng_kit::{Walk, ground::TraceEnd};

/// Makes the gate of one edge: the side that two cells share, or for a diagonal the line between
/// the centres of the two cells beside it. Ends are walls unless the cells about them are free.
pub(crate) fn gate(ground: &GroundView<'_>, map: &NavMap, cell: f32, edge: EdgeId) -> Gate {
    let (from, to) = (map.edge_from[edge as usize], map.edge_to[edge as usize]);
    let (a, b) = (map.node_place[from as usize], map.node_place[to as usize]);
    let way = (b.point - a.point).truncate();
    let middle = half_way(ground, a, b);
    let is_diagonal = way.x.abs() > 0.5 * cell && way.y.abs() > 0.5 * cell;
    let across = if is_diagonal {
        way.perp() * 0.5
    } else {
        way.perp() * (0.5 * cell / way.length().max(f32::MIN_POSITIVE))
    };
    let mut gate = Gate::waypoint(middle);
    for (sign, is_left) in [(1.0, true), (-1.0, false)] {
        let sideways = across * sign;
        let is_open = if is_diagonal {
            crosses(map, cell, from, way, sideways)
        } else {
            is_free_corner(map, cell, from, to, way, sideways)
        };
        let end = end_of(ground, middle, sideways, is_open);
        let flag = match (is_open, is_left) {
            (true, _) => 0,
            (false, true) => Gate::LEFT_WALL,
            (false, false) => Gate::RIGHT_WALL,
        };
        gate.flags |= flag;
        if is_left {
            gate.left = end;
        } else {
            gate.right = end;
        }
    }
    gate
}

/// The node that an edge with this plan offset leads to.
fn neighbour(map: &NavMap, cell: f32, node: NodeId, offset: Vec2) -> Option<NodeId> {
    let at = map.node_place[node as usize].point.truncate();
    map.edges_of(node).map(|e| map.edge_to[e]).find(|&to| {
        let step = map.node_place[to as usize].point.truncate() - at;
        (step - offset).abs().max_element() < 0.25 * cell
    })
}

/// Whether the four cells about a corner of a shared side can all be walked between: one of the
/// two diagonals over the corner is an edge.
fn is_free_corner(
    map: &NavMap,
    cell: f32,
    from: NodeId,
    to: NodeId,
    way: Vec2,
    sideways: Vec2,
) -> bool {
    let beside = sideways * 2.0;
    neighbour(map, cell, from, way + beside).is_some()
        || neighbour(map, cell, to, beside - way).is_some()
}

/// Whether the other diagonal of the same four cells is an edge.
fn crosses(map: &NavMap, cell: f32, from: NodeId, way: Vec2, sideways: Vec2) -> bool {
    let side = way * 0.5 + sideways;
    neighbour(map, cell, from, side)
        .is_some_and(|beside| neighbour(map, cell, beside, sideways * -2.0).is_some())
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
