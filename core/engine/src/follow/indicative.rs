//! Follower `indicative`: pulled along an indicative route in a lane of one's own.
//!
//! The lane is a line through the gates: at offset 0 through their middles, at -1 and 1 as close
//! to their left and right ends as the radius allows (left and right of the direction of travel).
//! Where ways of a medial axis meet, the lane changes from the walls of one edge to those of the
//! next.
//! An attraction point runs ahead on it (Karamouzas, Geraerts, Overmars 2009): `look_ahead`
//! metres from where the walker stands beside its lane, and as much farther as it is off it, so
//! that nobody walks straight across; or nearer where the straight way there would not pass
//! through the gates in between, so that it is always seen. The wanted velocity points at it and
//! the preferred velocity turns towards that within `relaxation` seconds. Gates that end in the open
//! may lie away from the corners of walls: one that the straight way grazes is passed beside. Near
//! its end a route
//! leaves the lane and goes straight for the target.

use glam::{Vec2, Vec3};
use throng_core::{Attachment, Frame, Gate, GroundView, Location, NavMap, NavRepresentation, Site};
use throng_kit::{Walk, funnel::gates_before};

use super::{FollowScratch, Walker, shrunk};
use crate::track::{Routes, Track};

/// Edges looked at first, and at most, for gates within the look-ahead.
const EDGES: [usize; 3] = [3, 8, 24];

/// Metres of lane beyond the look-ahead that make up for rounding.
const AMPLE: f32 = 0.01;

/// Within so many look-aheads of a target that is in sight the lane is left for the straight way.
const STRAIGHT: f32 = 4.0;

/// A corner that hides the lane is looked round again after this share of the way to it.
const HIDDEN: f32 = 0.2;

/// Radii from a corner at which it is passed.
const PAST: f32 = 1.1;

/// Both ends of a gate are walls.
const BOTH_WALLS: u32 = Gate::LEFT_WALL | Gate::RIGHT_WALL;

/// The point of a gate that a lane passes through.
pub fn lane_point(gate: &Gate, radius: f32, lane: f32) -> Vec3 {
    let [left, right] = shrunk(gate, radius);
    if gate.left == gate.right {
        return gate.middle;
    }
    // The middle may lie nearer to an end than the radius allows.
    let across = right - left;
    let squared = across.length_squared();
    let share = if squared > 0.0 {
        ((gate.middle - left).dot(across) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let middle = left + across * share;
    if lane < 0.0 {
        middle + (left - middle) * -lane.max(-1.0)
    } else {
        middle + (right - middle) * lane.min(1.0)
    }
}

/// A gate whose open ends keep a body's radius from the walls of a flat ground: on grids they may
/// lie at the corner of one.
pub fn fitted(gate: &Gate, radius: f32, ground: &GroundView<'_>) -> Gate {
    if !ground.flat || gate.flags & BOTH_WALLS == BOTH_WALLS || gate.left == gate.right {
        return *gate;
    }
    let pulled = |end: Vec3, wall: u32| {
        let in_way = gate.middle - end;
        let far = in_way.length();
        if gate.flags & wall != 0 || far <= 0.0 {
            return end;
        }
        let place = Location {
            point: end,
            triangle: gate.triangle,
        };
        // The straight way between two such ends, round a corner, keeps 0.7 of what they keep.
        let keep = radius * 1.5;
        let missing = keep - ground.free_distance(place, keep);
        end + in_way * (missing.max(0.0) / far).min(1.0)
    };
    Gate {
        left: pulled(gate.left, Gate::LEFT_WALL),
        right: pulled(gate.right, Gate::RIGHT_WALL),
        ..*gate
    }
}

/// Finds the attraction point of an agent and stores it in its track.
#[expect(
    clippy::too_many_arguments,
    reason = "the same as for corners, and the lane"
)]
pub fn find_attraction(
    track: &mut Track,
    walker: &Walker,
    look_ahead: f32,
    routes: &Routes,
    nav: &dyn NavRepresentation,
    site: &Site<'_>,
    map: &NavMap,
    scratch: &mut FollowScratch,
) {
    (track.stale, track.wait) = (false, 0.0);
    if !track.has_gate {
        (track.corner, track.lane_to) = (walker.target, walker.target);
        return;
    }
    // Behind is the last gate passed; a new route begins beside its walker.
    let from = if track.has_lane {
        track.lane_from
    } else {
        lane_beside(track, walker, routes, nav, site, map)
    };
    let FollowScratch {
        gates,
        lane,
        passed,
        ..
    } = scratch;
    gates.clear();
    lane.clear();
    passed.clear();
    lane.push(from);
    passed.push(0);
    let edges = routes.edges_ahead(track);
    let (mut looked, mut ahead, mut whole) = (0, 0.0, false);
    // Far from the end of its route a walker needs no more gates than it looks ahead; who may stand
    // beyond the next one needs those about it.
    let far_from_end = track.remaining() as usize > EDGES[1];
    let one_by_one = 1..if far_from_end { EDGES[1] } else { 1 };
    for upto in one_by_one.chain(EDGES) {
        if upto <= looked {
            continue;
        }
        let known = gates.len();
        routes.more_gates(track, nav, site, map, looked..upto, gates);
        looked = upto;
        whole = track.remaining() as usize <= upto;
        for k in known..gates.len() {
            // Where ways meet an edge begins at other walls than those at which the last one ends.
            let cut = match edges.get(k) {
                Some(&edge) if k > 0 && is_junction(map, edge) => nav.gate_at(site, map, edge, 0.0),
                _ => None,
            };
            gates[k] = fitted(&gates[k], walker.radius, &site.ground);
            for gate in cut.iter().chain([&gates[k]]) {
                let point = lane_point(gate, walker.radius, walker.lane);
                // What lies before the next gate is not ahead of everybody.
                if lane.len() > 1 {
                    ahead += lane[lane.len() - 1].distance(point);
                }
                lane.push(point);
                passed.push(k as u32);
            }
            passed[lane.len() - 1] += 1;
        }
        let (off, beyond) = match lane[..] {
            [from, to, ..] => {
                let share = share_along(from, to, walker.point);
                (off_lane(from, to, walker.point), share >= 1.0)
            }
            _ => (0.0, true),
        };
        let enough = if EDGES.contains(&upto) {
            look_ahead + off
        } else if beyond {
            f32::INFINITY
        } else {
            look_ahead + off + AMPLE
        };
        if whole || ahead >= enough {
            break;
        }
    }
    if whole {
        let count = gates_before(gates, walker.target.truncate());
        gates.truncate(count);
        let beyond = passed.iter().position(|p| *p as usize > count);
        lane.truncate(beyond.unwrap_or(lane.len()));
        // A cut that leads to no gate leads nowhere.
        while lane.len() > 1 && passed[lane.len() - 1] == passed[lane.len() - 2] {
            lane.pop();
        }
        passed.truncate(lane.len());
        lane.push(walker.target);
        passed.push(count as u32);
    }

    let at_hand = walker.radius.max(walker.speed * walker.dt);
    let beside = stands_beside(lane, walker.point, at_hand);
    let gone = passed[beside.segment] as usize;
    if gone > 0 {
        routes.skip(track, gone, nav, site, map, &mut scratch.skipped);
        track.stale = false;
    }
    track.lane_from = scratch.lane[beside.segment];
    track.has_lane = true;
    let near = STRAIGHT * look_ahead;
    let ahead = &scratch.gates[gone..];
    // Between walls the ends of gates are the corners.
    let open = |gate: &Gate| gate.flags & BOTH_WALLS != BOTH_WALLS;
    let may_graze = site.ground.flat && ahead.first().is_none_or(open);
    if whole && walker.offset(walker.target).length() <= near && sees_target(walker, ahead) {
        (track.corner, track.lane_to) = (walker.target, walker.target);
    } else {
        run_ahead(track, walker, look_ahead, beside, scratch);
    }
    if may_graze && let Some(past) = past_corner(walker, track.corner, &site.ground, scratch) {
        (track.corner, track.lane_to) = (past, past);
        track.wait = walker.offset(past).length() * HIDDEN;
    }
}

/// The point beside a corner of a wall on the straight way to another point, if the body would
/// graze it.
fn past_corner(
    walker: &Walker,
    to: Vec3,
    ground: &GroundView<'_>,
    scratch: &mut FollowScratch,
) -> Option<Vec3> {
    let way = (to - walker.point).truncate();
    let length = way.length();
    let place = Location {
        point: walker.point,
        triangle: walker.triangle,
    };
    let reach = length + walker.radius;
    // Who is already beside the corner passes it.
    if !(length > walker.radius) || ground.free_distance(place, reach) >= reach {
        return None;
    }
    scratch.walls.clear();
    ground.walls_near(place, Frame::FLAT, reach, &mut scratch.walls);
    let ahead = way / length;
    let mut first: Option<(f32, Vec2)> = None;
    for corner in scratch.walls.iter().flat_map(|wall| [wall.a, wall.b]) {
        let along = ahead.dot(corner);
        let near = along > 0.0 && along < length && ahead.perp_dot(corner).abs() < walker.radius;
        if near && first.is_none_or(|(nearest, _)| along < nearest) {
            first = Some((along, corner));
        }
    }
    let (_, corner) = first?;
    let left = ahead.perp_dot(corner) > 0.0;
    let aside = corner.normalize_or_zero().perp() * if left { -1.0 } else { 1.0 };
    let past = corner + aside * (walker.radius * PAST);
    (past.length() > walker.radius).then(|| walker.point + past.extend(0.0))
}

/// Whether more ways meet where an edge begins than the one that leads on.
fn is_junction(map: &NavMap, edge: u32) -> bool {
    let node = map.edge_from[edge as usize] as usize;
    map.edge_start[node + 1] - map.edge_start[node] > 2
}

/// Whether the straight way to the target passes through all the gates on the way.
fn sees_target(walker: &Walker, gates: &[Gate]) -> bool {
    let to = walker.offset(walker.target);
    gates.iter().all(|gate| {
        let [left, right] = shrunk(gate, walker.radius).map(|end| walker.offset(end));
        // A gate that is already behind hides nothing.
        right.perp_dot(left) <= 0.0 || right.perp_dot(to) >= 0.0 && to.perp_dot(left) >= 0.0
    })
}

/// The point of the lane beside a walker who has just been given a route: where the lane crosses
/// the map's cut through the walker's own place. Maps without such cuts have short edges, and the
/// lane begins where the walker stands.
fn lane_beside(
    track: &Track,
    walker: &Walker,
    routes: &Routes,
    nav: &dyn NavRepresentation,
    site: &Site<'_>,
    map: &NavMap,
) -> Vec3 {
    let Some(&first) = routes.edges_ahead(track).first() else {
        return walker.point;
    };
    let place = Location {
        point: walker.point,
        triangle: walker.triangle,
    };
    let mut hung = [Attachment::NOWHERE];
    nav.attach(site, map, &[place], &[walker.region], &mut hung);
    let [hung] = hung;
    let along = if hung.edge == first {
        hung.along
    } else if map.edge_twin.get(first as usize) == Some(&hung.edge) {
        1.0 - hung.along
    } else {
        return walker.point;
    };
    match nav.gate_at(site, map, first, along) {
        Some(gate) => lane_point(&gate, walker.radius, walker.lane),
        None => walker.point,
    }
}

/// Where beside a segment of a lane a point is, as a share of its length.
fn share_along(from: Vec3, to: Vec3, at: Vec3) -> f32 {
    let way = to - from;
    (at - from).dot(way) / way.length_squared().max(1e-12)
}

/// Distance from a segment of a lane.
fn off_lane(from: Vec3, to: Vec3, at: Vec3) -> f32 {
    let share = share_along(from, to, at);
    (from + (to - from) * share.clamp(0.0, 1.0)).distance(at)
}

/// A foot on a lane.
#[derive(Clone, Copy, Debug)]
struct Beside {
    segment: usize,
    point: Vec3,
}

/// Where a walker stands beside its lane: on the first segment, unless it stands on a later one:
/// then it has been pushed round the gates in between.
fn stands_beside(lane: &[Vec3], at: Vec3, at_hand: f32) -> Beside {
    let mut first = None;
    let mut walked = 0.0;
    for (segment, ends) in lane.windows(2).enumerate() {
        let way = ends[1] - ends[0];
        let share = (at - ends[0]).dot(way) / way.length_squared().max(1e-12);
        let point = ends[0] + way * share.clamp(0.0, 1.0);
        if segment == 0 {
            first = Some(Beside { segment, point });
            if share < 1.0 {
                break;
            }
        } else {
            if point.distance_squared(at) <= at_hand * at_hand && share > 0.0 {
                return Beside { segment, point };
            }
            walked += way.length();
            if walked > 4.0 {
                break;
            }
        }
    }
    first.unwrap_or(Beside {
        segment: 0,
        point: at,
    })
}

/// Puts the attraction point `look_ahead` metres ahead on the lane, or where it is still seen
/// through the gates.
fn run_ahead(
    track: &mut Track,
    walker: &Walker,
    look_ahead: f32,
    beside: Beside,
    scratch: &FollowScratch,
) {
    let (lane, gates, passed) = (&scratch.lane, &scratch.gates, &scratch.passed);
    let mut left = look_ahead + beside.point.distance(walker.point);
    let mut at = beside.point;
    // What is seen: between the ends of the gates so far, as directions from the walker.
    let mut seen: Option<[glam::Vec2; 2]> = None;
    for k in beside.segment..lane.len() - 1 {
        let end = lane[k + 1];
        let length = at.distance(end);
        let (to, reached) = if length >= left {
            (at + (end - at) * (left / length.max(1e-9)), true)
        } else {
            (end, false)
        };
        if let Some([low, high]) = seen {
            let (a, b) = (walker.offset(at), walker.offset(to));
            // Sides of the right and left borders; inside both are not negative.
            let sides = [
                (low.perp_dot(a), low.perp_dot(b)),
                (a.perp_dot(high), b.perp_dot(high)),
            ];
            let mut share = 1.0_f32;
            for (from, to) in sides {
                if to < 0.0 {
                    share = share.min((from.max(0.0) / (from.max(0.0) - to)).clamp(0.0, 1.0));
                }
            }
            if share < 1.0 {
                let corner = at + (to - at) * share;
                let near = walker.radius.min(0.1);
                let far = walker.offset(corner).length();
                if far > near {
                    track.corner = corner;
                    // More of the lane comes into sight as the corner comes nearer.
                    track.wait = far * HIDDEN;
                } else {
                    track.corner = to;
                    track.stale = true;
                }
                track.lane_to = track.corner;
                return;
            }
        }
        if reached || k + 2 == lane.len() {
            (track.corner, track.lane_to) = (to, end);
            return;
        }
        if passed[k + 1] > passed[k]
            && let Some(gate) = gates.get(passed[k] as usize)
        {
            let [l, r] = shrunk(gate, walker.radius).map(|p| walker.offset(p));
            // A gate that is already behind narrows nothing.
            if r.perp_dot(l) > 0.0 {
                seen = Some(match seen {
                    None => [r, l],
                    Some([low, high]) => [
                        if low.perp_dot(r) > 0.0 { r } else { low },
                        if l.perp_dot(high) > 0.0 { l } else { high },
                    ],
                });
            }
        }
        left -= length;
        at = end;
    }
}

/// Lets the attraction point run on along its lane while the walker walks, until it must be
/// looked for anew.
#[inline]
pub fn run_on(track: &mut Track, walker: &Walker) {
    let way = track.lane_to - track.corner;
    let length = way.length();
    let progress = walker.velocity.length() * walker.dt;
    track.wait -= progress;
    if length <= progress {
        track.corner = track.lane_to;
        track.stale |= track.has_gate && track.wait <= 0.0;
    } else {
        track.corner += way * (progress / length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(left: (f32, f32), right: (f32, f32)) -> Gate {
        let at = |p: (f32, f32)| Vec3::new(p.0, p.1, 0.0);
        Gate {
            left: at(left),
            middle: (at(left) + at(right)) / 2.0,
            right: at(right),
            triangle: 0,
            flags: Gate::LEFT_WALL | Gate::RIGHT_WALL,
        }
    }

    #[test]
    fn lanes_lie_between_the_middle_and_the_walls() {
        // Walking along x: left is high.
        let gate = gate((5.0, 2.0), (5.0, -2.0));
        let y = |lane: f32| lane_point(&gate, 0.25, lane).y;
        assert_eq!(y(0.0), 0.0);
        assert_eq!(y(-1.0), 1.75);
        assert_eq!(y(1.0), -1.75);
        assert_eq!(y(-0.5), 0.875);
        // The other way the same lane lies on the other side.
        assert_eq!(lane_point(&gate.reversed(), 0.25, -1.0).y, -1.75);
        // Too narrow for the radius, and a waypoint.
        let narrow = Gate {
            left: Vec3::new(0.0, 0.1, 0.0),
            right: Vec3::new(0.0, -0.1, 0.0),
            ..gate
        };
        assert_eq!(lane_point(&narrow, 0.25, 1.0).y, 0.0);
    }

    fn walker(x: f32, y: f32, target: Vec3) -> Walker {
        Walker {
            point: Vec3::new(x, y, 0.0),
            triangle: 0,
            region: throng_core::NONE,
            normal: Vec3::Z,
            frame: Frame::FLAT,
            velocity: Vec2::new(1.0, 0.0),
            preferred: Vec2::new(1.0, 0.0),
            radius: 0.25,
            speed: 1.0,
            lane: 0.0,
            target,
            target_triangle: 0,
            dt: 0.1,
            flat: true,
        }
    }

    /// The attraction point of a fresh look over these gates.
    fn attraction(lane: f32, at: (f32, f32), from: Vec3, gates: &[Gate], ahead: f32) -> Track {
        let target = Vec3::new(20.0, 0.0, 0.0);
        let mut walker = walker(at.0, at.1, target);
        walker.lane = lane;
        let mut scratch = FollowScratch::default();
        scratch.gates.extend_from_slice(gates);
        scratch.lane.push(from);
        let points = gates.iter().map(|g| lane_point(g, walker.radius, lane));
        scratch.lane.extend(points);
        scratch.lane.push(target);
        scratch.passed.extend(0..=gates.len() as u32);
        scratch.passed.push(gates.len() as u32);
        let mut track = Track::default();
        let beside = stands_beside(&scratch.lane, walker.point, 0.25);
        run_ahead(&mut track, &walker, ahead, beside, &scratch);
        track
    }

    #[test]
    fn attraction_lies_ahead_on_the_lane_not_of_the_walker() {
        let gates = [gate((10.0, 2.0), (10.0, -2.0))];
        let track = attraction(0.0, (3.0, 1.0), Vec3::ZERO, &gates, 2.0);
        // Two metres ahead of its foot, and one more for the metre that it is off.
        assert!((track.corner - Vec3::new(6.0, 0.0, 0.0)).length() < 1e-5);
        assert_eq!(track.lane_to, Vec3::new(10.0, 0.0, 0.0));
        // It runs on with the walker.
        let mut later = track;
        run_on(&mut later, &walker(3.0, 1.0, Vec3::ZERO));
        assert!((later.corner.x - 6.1).abs() < 1e-5);
    }

    #[test]
    fn attraction_is_seen_through_the_gates() {
        // Down the corridor y in [-2, 2], then sharply right through a gate at (10, -2).
        let gates = [
            gate((8.0, 2.0), (8.0, -2.0)),
            gate((12.0, -2.0), (8.0, -2.0)),
        ];
        let from = Vec3::new(0.0, -1.75, 0.0);
        let track = attraction(1.0, (7.0, 1.0), from, &gates, 6.0);
        // The line of sight passes the first gate no lower than its shrunk right end.
        let slope = (track.corner.y - 1.0) / (track.corner.x - 7.0);
        assert!(1.0 + slope >= -1.75 - 1e-4, "{track:?}");
        // It stands still and is looked for again soon, while the corner hides the lane.
        assert_eq!(track.lane_to, track.corner);
        assert!(track.wait > 0.0 && track.wait < 1.0, "{track:?}");
        let mut later = track;
        for _ in 0..10 {
            run_on(&mut later, &walker(7.0, 1.0, Vec3::ZERO));
        }
        assert!(later.stale || !later.has_gate);
    }

    #[test]
    fn who_stands_on_a_later_segment_has_passed_the_gates_before() {
        let lane =
            [(0.0, 0.0), (4.0, 0.0), (4.0, 2.0), (8.0, 2.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
        assert_eq!(
            stands_beside(&lane, Vec3::new(2.0, 1.0, 0.0), 0.25).segment,
            0
        );
        assert_eq!(
            stands_beside(&lane, Vec3::new(4.1, 1.0, 0.0), 0.25).segment,
            1
        );
        assert_eq!(
            stands_beside(&lane, Vec3::new(6.0, 2.1, 0.0), 0.25).segment,
            2
        );
    }
}
