//! Followers: how a route of gates becomes a preferred velocity.
//!
//! `gates` walks to the next corner of the string pulled tight through the gates ahead,
//! `indicative` is pulled along a lane, `seek` turns smoothly towards the nearest point of the
//! next gate, `linear` goes straight for the middle of the next gate.

pub mod aside;
pub mod indicative;

use glam::{Vec2, Vec3};
use throng_core::{Frame, Gate, NavMap, NavRepresentation, NearWall, Site};
use throng_kit::funnel::{Corner, Opening, gates_before, next_bend, next_corner};

use crate::{
    scenario::{FollowKind, FollowSpec},
    track::{Routes, Track},
};

/// How routes are followed in a tier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follow {
    /// The follower.
    pub kind: FollowKind,
    /// Distance at which a waypoint counts as passed, metres.
    pub reach: f32,
    /// Seconds in which `seek` and `indicative` turn most of the way.
    pub relaxation: f32,
    /// Metres that the attraction point of `indicative` lies ahead.
    pub look_ahead: f32,
}

impl From<&FollowSpec> for Follow {
    fn from(spec: &FollowSpec) -> Follow {
        Follow {
            kind: spec.kind,
            reach: spec.reach as f32,
            relaxation: spec.relaxation as f32,
            look_ahead: spec.look_ahead as f32,
        }
    }
}

/// Normals whose product is below this are out of each other's sight (Ricks and Egbert 2014).
pub const DIVERGENT: f32 = 0.5;

/// Planes whose normals span less than this, as a sine, are not folded about where they meet.
const LEAST_FOLD: f32 = 0.2;

/// Normals whose product is below minus this are those of two sides of a sheet, or of a floor and a
/// ceiling.
pub const OPPOSITE: f32 = 0.95;

/// Who is nearer to an edge than this stands on it, metres.
const AT_EDGE: f32 = 0.02;

/// Edges looked ahead when the string is pulled.
pub const WINDOW: usize = 24;

/// Edges looked at first.
const FIRST_WINDOW: usize = 6;

/// Buffers that a follower reuses.
#[derive(Debug, Default)]
pub struct FollowScratch {
    /// Gates ahead.
    pub gates: Vec<Gate>,
    ends: Vec<[Vec3; 2]>,
    /// Points of the lane ahead, and how many gates lie up to each.
    lane: Vec<Vec3>,
    passed: Vec<u32>,
    skipped: Vec<Gate>,
    walls: Vec<NearWall>,
}

/// An agent as a follower sees it.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    /// Where it is.
    pub point: Vec3,
    /// The triangle that it stands on.
    pub triangle: u32,
    /// The region of the map that it was last seen in, or NONE.
    pub region: u32,
    /// Normal of its triangle.
    pub normal: Vec3,
    /// Its frame.
    pub frame: Frame,
    /// Its velocity, in its frame.
    pub velocity: Vec2,
    /// Its preferred velocity so far, in its frame.
    pub preferred: Vec2,
    /// Its radius.
    pub radius: f32,
    /// The speed it wants now.
    pub speed: f32,
    /// Its lane in [-1, 1].
    pub lane: f32,
    /// Where it goes in the end.
    pub target: Vec3,
    /// The triangle of that place.
    pub target_triangle: u32,
    /// Seconds until it is guided again.
    pub dt: f32,
    /// Whether the ground is flat: offsets are those of the plan.
    pub flat: bool,
}

impl Walker {
    #[inline]
    fn offset(&self, to: Vec3) -> Vec2 {
        let way = to - self.point;
        if self.flat {
            way.truncate()
        } else {
            self.frame.offset(self.normal, way)
        }
    }

    /// The offset to a point beyond an edge of the surface, where the normal is another: as if the
    /// side beyond were folded up about the edge into the walker's plane. Seen straight, a point
    /// behind a sharp edge lies before it or behind the walker's back.
    fn offset_over_edge(&self, to: Vec3, normal: Vec3) -> Vec2 {
        let way = to - self.point;
        let along = self.normal.cross(normal);
        let sine = along.length();
        if sine < LEAST_FOLD {
            return self.offset(to);
        }
        let along = along / sine;
        // Both planes meet `near` metres from the walker, at right angles to the edge.
        let out = along.cross(self.normal);
        let near = way.dot(normal) / out.dot(normal);
        let rest = (way - out * near).reject_from(along);
        // At the edge itself: a side that falls away is reached by going up from its plane.
        let ahead = if near.abs() > AT_EDGE {
            near > 0.0
        } else {
            (rest.dot(self.normal) < 0.0) == (out.dot(normal) > 0.0)
        };
        let far = if ahead { rest.length() } else { -rest.length() };
        let folded = along * way.dot(along) + out * (near + far);
        self.frame.to_tangent(self.normal, folded)
    }

    /// Velocity towards an offset at the wanted speed. The end is not overshot; corners and
    /// waypoints on the way are rounded, not stopped at.
    fn towards(&self, offset: Vec2, end: bool) -> Vec2 {
        towards(offset, self.speed, self.dt, end)
    }
}

/// Velocity towards an offset at a speed; the end of the way is not overshot in a step.
#[inline(always)]
pub fn towards(offset: Vec2, speed: f32, dt: f32, end: bool) -> Vec2 {
    let distance = offset.length();
    if distance < 1e-6 {
        return Vec2::ZERO;
    }
    let speed = if end { speed.min(distance / dt) } else { speed };
    offset * (speed / distance)
}

/// The ends of a gate for a body of this radius: only wall ends shrink.
pub fn shrunk(gate: &Gate, radius: f32) -> [Vec3; 2] {
    let across = gate.right - gate.left;
    let width = across.length();
    let left = if gate.flags & Gate::LEFT_WALL != 0 {
        radius
    } else {
        0.0
    };
    let right = if gate.flags & Gate::RIGHT_WALL != 0 {
        radius
    } else {
        0.0
    };
    if width <= 1e-6 {
        return [gate.left, gate.right];
    }
    if left + right >= width {
        let at = gate.left + across * (left / (left + right));
        return [at, at];
    }
    let unit = across / width;
    [gate.left + unit * left, gate.right - unit * right]
}

/// A middle farther than this from the line of its gate lies off it, metres.
const OFF_THE_LINE: f32 = 0.01;

/// Finds the point that an agent walks to now and stores it in its track.
pub fn find_corner(
    track: &mut Track,
    walker: &Walker,
    routes: &Routes,
    nav: &dyn NavRepresentation,
    site: &Site<'_>,
    map: &NavMap,
    scratch: &mut FollowScratch,
) {
    track.stale = false;
    if !track.has_gate {
        track.corner = match turned(walker, walker.target_triangle, site) {
            Some(normal) => over_edge([walker.target; 2], walker, normal),
            None => walker.target,
        };
        return;
    }
    // Nearly always the string bends within the first few gates.
    if site.ground.plan && track.remaining() as usize > WINDOW {
        routes.gates_ahead(track, nav, site, map, FIRST_WINDOW, &mut scratch.gates);
        shrink(scratch, walker.radius);
        if let Some(corner) = next_bend(Vec2::ZERO, openings(&scratch.ends, walker)) {
            let end = walker.target;
            walk_to(track, walker, corner, end, routes, nav, site, map, scratch);
            return;
        }
    }
    routes.gates_ahead(track, nav, site, map, WINDOW, &mut scratch.gates);
    let mut whole = track.remaining() as usize <= WINDOW;
    if !site.ground.plan {
        // Offsets in the tangent plane say little of what lies beyond the curve of the surface.
        if let Some(normal) = turned(walker, track.gate.triangle, site) {
            // On the far side of the surface: there is no edge in between to walk over.
            track.left |= normal.dot(walker.normal) < -OPPOSITE;
            track.corner = over_edge(shrunk(&track.gate, walker.radius), walker, normal);
            return;
        }
        let seen = |gate: &Gate| turned(walker, gate.triangle, site).is_none();
        let count = scratch.gates.iter().take_while(|g| seen(g)).count();
        whole &= count >= scratch.gates.len();
        scratch.gates.truncate(count);
    } else if whole {
        let count = gates_before(&scratch.gates, walker.target.truncate());
        scratch.gates.truncate(count);
    }
    shrink(scratch, walker.radius);
    let end = match scratch.gates.last() {
        Some(gate) if !whole => gate.middle,
        _ => walker.target,
    };
    let openings = openings(&scratch.ends, walker);
    let corner = next_corner(Vec2::ZERO, openings, walker.offset(end));
    walk_to(track, walker, corner, end, routes, nav, site, map, scratch);
}

/// The normal of a triangle of a curved ground that is out of a walker's sight.
fn turned(walker: &Walker, triangle: u32, site: &Site<'_>) -> Option<Vec3> {
    let normal = *site.ground.normals.get(triangle as usize)?;
    (!site.ground.plan && normal.dot(walker.normal) < DIVERGENT).then_some(normal)
}

/// The point walked to for a gate beyond an edge of the surface: the nearest of the gate, with its
/// side folded up into the walker's plane.
fn over_edge(ends: [Vec3; 2], walker: &Walker, normal: Vec3) -> Vec3 {
    let [left, right] = ends.map(|end| walker.offset_over_edge(end, normal));
    let across = right - left;
    let share = -left.dot(across) / across.length_squared().max(1e-9);
    let aim = left + across * share.clamp(0.0, 1.0);
    walker.point + walker.frame.to_world(walker.normal, aim)
}

/// The ends of the gates ahead as a body sees them.
fn shrink(scratch: &mut FollowScratch, radius: f32) {
    scratch.ends.clear();
    let ends = scratch.gates.iter().map(|g| shrunk(g, radius));
    scratch.ends.extend(ends);
}

fn openings(ends: &[[Vec3; 2]], walker: &Walker) -> impl Iterator<Item = Opening> {
    ends.iter().map(|[left, right]| Opening {
        left: walker.offset(*left),
        right: walker.offset(*right),
    })
}

/// Stores the point of a corner in a track: an end of one of the gates ahead, or `end`.
fn walk_to(
    track: &mut Track,
    walker: &Walker,
    corner: Corner,
    end: Vec3,
    routes: &Routes,
    nav: &dyn NavRepresentation,
    site: &Site<'_>,
    map: &NavMap,
    scratch: &mut FollowScratch,
) {
    track.corner = match scratch.ends.get(corner.opening) {
        Some([left, right]) => {
            let apart = |end: &Vec3| walker.offset(*end).distance_squared(corner.point);
            if apart(left) <= apart(right) {
                *left
            } else {
                *right
            }
        }
        None => end,
    };
    // Who was pushed round a gate and stands at a later one has passed those in between: without
    // this it would wait there for ever, its cursor far behind.
    let at_hand = walker.radius.max(walker.speed * walker.dt);
    let passed = corner.opening.min(scratch.gates.len().saturating_sub(1));
    if passed > 0 && walker.offset(track.corner).length_squared() <= at_hand * at_hand {
        routes.skip(track, passed, nav, site, map, &mut scratch.gates);
    }
}

/// The point that `seek` walks to: the nearest one of the next gate, else the target.
fn sought(track: &Track, walker: &Walker) -> Vec3 {
    if !track.has_gate {
        return walker.target;
    }
    let [left, right] = shrunk(&track.gate, walker.radius);
    let across = right - left;
    let along = (walker.point - left).dot(across) / across.length_squared().max(1e-9);
    left + across * along.clamp(0.0, 1.0)
}

/// The point that `linear` walks to. The middle of a gate of a medial axis lies off the line
/// between its ends, where nobody who stops at it has passed: then the point of the line beside
/// it.
pub fn middle_of(gate: &Gate) -> Vec3 {
    let across = gate.right - gate.left;
    let width = across.length_squared();
    if width <= 1e-4 {
        return gate.middle;
    }
    let along = (gate.middle - gate.left).dot(across) / width;
    let beside = gate.left + across * along.clamp(0.0, 1.0);
    if beside.distance_squared(gate.middle) > OFF_THE_LINE * OFF_THE_LINE {
        beside
    } else {
        gate.middle
    }
}

/// Stores the point that `seek` walks to in the track, so that being pushed out of its sight is
/// noticed.
pub fn note_sought(track: &mut Track, walker: &Walker) {
    track.stale = false;
    track.corner = sought(track, walker);
}

/// Preferred velocity and offset of the point walked to. The track's corner must be fresh for
/// [`FollowKind::Gates`] and [`FollowKind::Indicative`].
#[inline]
pub fn follow(how: &Follow, track: &Track, walker: &Walker) -> (Vec2, Vec2) {
    match how.kind {
        FollowKind::Indicative => {
            let aim = walker.offset(track.corner);
            // The target may lie before a gate that nobody needs to pass.
            let end = !track.has_gate || track.corner == walker.target;
            let wanted = walker.towards(aim, end);
            // From what was wanted, not from what came of it: who is held up still wants on.
            let blend = (walker.dt / how.relaxation.max(1e-3)).min(1.0);
            (walker.preferred + (wanted - walker.preferred) * blend, aim)
        }
        FollowKind::Gates => {
            // As for those whose track is not looked at: see stage `guide`.
            let straight = walker.flat && !track.has_gate;
            let aim = walker.offset(if straight {
                walker.target
            } else {
                track.corner
            });
            (walker.towards(aim, !track.has_gate), aim)
        }
        FollowKind::Seek => {
            let aim = walker.offset(sought(track, walker));
            let wanted = walker.towards(aim, !track.has_gate);
            let blend = (walker.dt / how.relaxation.max(1e-3)).min(1.0);
            (walker.velocity + (wanted - walker.velocity) * blend, aim)
        }
        FollowKind::Linear => {
            let at = if track.has_gate {
                middle_of(&track.gate)
            } else {
                walker.target
            };
            let aim = walker.offset(at);
            (walker.towards(aim, !track.has_gate), aim)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_core::{NONE, math};

    fn v(x: f32, y: f32) -> Vec2 {
        Vec2::new(x, y)
    }

    #[test]
    fn a_middle_off_its_line_is_walked_past() {
        let gate = Gate {
            left: Vec3::ZERO,
            middle: Vec3::new(2.0, 0.7, 0.0),
            right: Vec3::new(5.0, 0.0, 0.0),
            triangle: 0,
            flags: 0,
        };
        assert_eq!(middle_of(&gate), Vec3::new(2.0, 0.0, 0.0));
        let straight = Gate {
            middle: Vec3::new(2.0, 0.001, 0.0),
            ..gate
        };
        assert_eq!(middle_of(&straight), straight.middle);
    }

    #[test]
    fn only_wall_ends_shrink() {
        let gate = Gate {
            left: Vec3::ZERO,
            middle: Vec3::X,
            right: Vec3::X * 2.0,
            triangle: 0,
            flags: Gate::LEFT_WALL,
        };
        assert_eq!(shrunk(&gate, 0.5), [Vec3::X * 0.5, Vec3::X * 2.0]);
        let narrow = Gate {
            flags: Gate::LEFT_WALL | Gate::RIGHT_WALL,
            ..gate
        };
        assert_eq!(shrunk(&narrow, 1.5), [Vec3::X, Vec3::X]);
    }

    #[test]
    fn nobody_overshoots_the_target() {
        let walker = Walker {
            point: Vec3::ZERO,
            triangle: 0,
            region: NONE,
            normal: Vec3::Z,
            frame: Frame::FLAT,
            velocity: Vec2::ZERO,
            preferred: Vec2::ZERO,
            radius: 0.2,
            speed: 1.5,
            lane: 0.0,
            target: Vec3::X * 0.05,
            target_triangle: 0,
            dt: 0.1,
            flat: true,
        };
        let track = Track {
            corner: walker.target,
            ..Track::default()
        };
        let gates = Follow {
            kind: FollowKind::Gates,
            reach: 0.3,
            relaxation: 0.3,
            look_ahead: 2.0,
        };
        let (velocity, aim) = follow(&gates, &track, &walker);
        assert!((velocity - v(0.5, 0.0)).length() < 1e-6);
        assert_eq!(aim, v(0.05, 0.0));
    }

    throng_core::options! {
        /// A map that routes of gates never ask.
        struct Unasked {}
    }

    #[typetag::serde(name = "unasked")]
    impl NavRepresentation for Unasked {
        fn build(&mut self, _: &Site<'_>, _: &mut NavMap) -> Result<(), throng_core::NavError> {
            Ok(())
        }
        fn attach(
            &self,
            _: &Site<'_>,
            _: &NavMap,
            _: &[throng_core::Location],
            _: &[u32],
            _: &mut [throng_core::Attachment],
        ) {
        }
        fn region_of(
            &self,
            _: &Site<'_>,
            _: &NavMap,
            _: &[throng_core::Location],
            _: &[u32],
            _: &mut [u32],
        ) {
        }
    }

    #[test]
    fn who_went_round_a_gate_goes_on_from_the_one_it_stands_at() {
        use glam::DVec2;
        use throng_core::RouteSink;
        use throng_kit::environment::{Environment, Floor, Polygon};
        let floor = Floor {
            walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::splat(40.0))],
            ..Floor::default()
        };
        let environment = Environment {
            floors: vec![floor],
            ..Environment::default()
        };
        let ground = throng_kit::Ground::from_environment(&environment).unwrap();
        let site = Site {
            ground: ground.view(),
            file_cells: None,
            seed: 0,
        };
        // Eastwards through three gates, the last of which ends the open way: a turn to the south.
        let gate = |x: f32, low: f32, high: f32| Gate {
            left: Vec3::new(x, high, 0.0),
            middle: Vec3::new(x, (low + high) / 2.0, 0.0),
            right: Vec3::new(x, low, 0.0),
            triangle: 0,
            flags: 0,
        };
        let mut sink = RouteSink::default();
        sink.push_gates(
            [
                gate(1.0, 0.0, 0.5),
                gate(5.0, 0.0, 0.5),
                gate(10.0, 4.0, 4.5),
            ],
            20.0,
            20.0,
        );
        let (mut routes, mut track) = (Routes::default(), Track::default());
        let (map, mut scratch) = (NavMap::default(), FollowScratch::default());
        routes.adopt(&mut track, &sink.rows[0], &sink);
        routes.load_gate(&mut track, &Unasked {}, &site, &map, &mut scratch.gates);
        let mut walker = Walker {
            // Far beside the first two gates, at the end of the third.
            point: Vec3::new(9.95, 4.0, 0.0),
            triangle: 0,
            region: NONE,
            normal: Vec3::Z,
            frame: Frame::FLAT,
            velocity: Vec2::ZERO,
            preferred: Vec2::ZERO,
            radius: 0.25,
            speed: 1.3,
            lane: 0.0,
            target: Vec3::new(10.5, -20.0, 0.0),
            target_triangle: 0,
            dt: 0.1,
            flat: true,
        };
        find_corner(
            &mut track,
            &walker,
            &routes,
            &Unasked {},
            &site,
            &map,
            &mut scratch,
        );
        assert_eq!(track.cursor, 2, "the third gate is next: {track:?}");
        // Elsewhere nothing is skipped.
        routes.adopt(&mut track, &sink.rows[0], &sink);
        routes.load_gate(&mut track, &Unasked {}, &site, &map, &mut scratch.gates);
        walker.point = Vec3::new(0.2, 0.2, 0.0);
        find_corner(
            &mut track,
            &walker,
            &routes,
            &Unasked {},
            &site,
            &map,
            &mut scratch,
        );
        assert_eq!(track.cursor, 0);
    }

    #[test]
    fn what_lies_beyond_an_edge_is_folded_up() {
        let walker = |point: Vec3, normal: Vec3, frame: Frame| Walker {
            point,
            triangle: 0,
            region: NONE,
            normal,
            frame,
            velocity: Vec2::ZERO,
            preferred: Vec2::ZERO,
            radius: 0.24,
            speed: 1.3,
            lane: 0.0,
            target: Vec3::ZERO,
            target_triangle: 0,
            dt: 0.1,
            flat: false,
        };
        // Two metres before an edge at x = 2, five beside; a point three metres beyond it.
        let on_top = walker(Vec3::ZERO, Vec3::Z, Frame::FLAT);
        for degrees in [-110.0_f64, -90.0, -70.0, 70.0, 90.0, 120.0] {
            let angle = degrees.to_radians();
            let (sin, cos) = (math::sin(angle) as f32, math::cos(angle) as f32);
            let beyond = Vec3::new(2.0 + 3.0 * cos, 5.0, 3.0 * sin);
            let normal = Vec3::new(-sin, 0.0, cos);
            let seen = on_top.offset_over_edge(beyond, normal);
            assert!((seen - v(5.0, 5.0)).length() < 1e-4, "{degrees}: {seen}");
        }
    }
}
