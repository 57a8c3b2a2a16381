//! Straight walks of a point: geodesics, and sections towards a place.
//!
//! On floor plans the walk towards a place uses exact predicates, so that a line through a
//! corner or along a wall is decided the same way everywhere: at a corner it goes on if the free
//! space about the corner that it came through holds its direction, and is stopped if not.

use glam::{DVec2, DVec3, Vec2, Vec3};
use throng_core::{Frame, GroundView, Location, NONE, TriangleId};

use super::geometry::{
    Crossing, connected_at, corners, covers, distance_squared, exit, known, on_segment, onto_plane,
    side_value, turn,
};

/// A straight piece of a walk, inside one triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracePiece {
    /// The triangle.
    pub triangle: TriangleId,
    /// Length of the piece, metres.
    pub length: f32,
    /// Unit direction of walking.
    pub direction: Vec3,
    /// Where it begins.
    pub enter: Vec3,
    /// Where it ends.
    pub leave: Vec3,
}

/// How a straight walk ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TraceEnd {
    /// At its end.
    Reached,
    /// At a standing wall.
    Wall {
        /// Index of the wall.
        wall: u32,
        /// Where it was met.
        at: Location,
    },
    /// Neither: the line leaves the place it was meant for, or there was no place to begin.
    Lost,
}

/// Sides crossed after which a walk is lost.
fn crossing_limit(view: &GroundView) -> usize {
    view.triangles.len() * 3 + 64
}

/// Shows a piece that has a length; answers whether to go on.
#[inline(always)]
fn report(
    visit: &mut impl FnMut(TracePiece) -> bool,
    triangle: TriangleId,
    enter: DVec3,
    leave: DVec3,
) -> bool {
    let step = leave - enter;
    let length = step.length();
    length <= 0.0
        || visit(TracePiece {
            triangle,
            length: length as f32,
            direction: (step / length).as_vec3(),
            enter: enter.as_vec3(),
            leave: leave.as_vec3(),
        })
}

fn wall_end(view: &GroundView, triangle: TriangleId, side: usize, at: DVec3) -> TraceEnd {
    TraceEnd::Wall {
        wall: view.side_wall[triangle as usize][side],
        at: Location {
            point: at.as_vec3(),
            triangle,
        },
    }
}

/// See [`Walk::trace`](super::Walk::trace).
pub(super) fn geodesic(
    view: &GroundView,
    from: Location,
    frame: Frame,
    displacement: Vec2,
    visit: &mut dyn FnMut(TracePiece),
) -> TraceEnd {
    if !known(view, from) || !displacement.is_finite() {
        return TraceEnd::Lost;
    }
    let mut triangle = from.triangle;
    let mut p = onto_plane(view, triangle, from.point.as_dvec3());
    let normal = view.normals[triangle as usize];
    let mut step = frame.to_world(normal, displacement).as_dvec3();
    let n = normal.as_dvec3();
    step -= n * n.dot(step);
    // Rounding of the frame must not change the length asked for.
    step = step.normalize_or_zero() * displacement.as_dvec2().length();
    let mut entered = None;
    let mut about_corners = 0;
    let visit = &mut |piece| {
        visit(piece);
        true
    };
    for _ in 0..crossing_limit(view).min(1_000_000) {
        let Some((side, share)) = exit(view, triangle, p, step, entered) else {
            report(visit, triangle, p, p + step);
            return TraceEnd::Reached;
        };
        let corner = corners(view, triangle);
        let leave = on_segment(corner[side], corner[(side + 1) % 3], p + step * share);
        report(visit, triangle, p, leave);
        step *= 1.0 - share;
        p = leave;
        let code = view.passage(triangle, side);
        if code == NONE {
            let way_round = (about_corners < 64)
                .then(|| past_corner(view, triangle, side, p, step))
                .flatten();
            let Some((next, carried)) = way_round else {
                return wall_end(view, triangle, side, p);
            };
            (triangle, step, entered) = (next, carried, None);
            about_corners += 1;
            continue;
        }
        let crossing = Crossing::new(view, triangle, side, code);
        step = crossing.carry(step);
        triangle = crossing.triangle;
        entered = Some(crossing.side);
    }
    TraceEnd::Lost
}

/// Where a walk that meets a wall right at its end goes on: the triangle about the corner that
/// holds its direction, and the step carried there.
fn past_corner(
    view: &GroundView,
    triangle: TriangleId,
    side: usize,
    p: DVec3,
    step: DVec3,
) -> Option<(TriangleId, DVec3)> {
    let near = f64::from(view.grain) * 2.0;
    for end in [side, (side + 1) % 3] {
        let pivot = view.triangles[triangle as usize][end];
        if view.vertices[pivot as usize].as_dvec3().distance(p) > near {
            continue;
        }
        // Turn away from the wall, over the other side at this corner.
        let (mut t, mut came, mut carried) = (triangle, side, step);
        for _ in 0..256 {
            let k = view.triangles[t as usize]
                .iter()
                .position(|&v| v == pivot)?;
            let other = if came == k { (k + 2) % 3 } else { k };
            let code = view.passage(t, other);
            if code == NONE {
                break;
            }
            let crossing = Crossing::new(view, t, other, code);
            carried = crossing.carry(carried);
            (t, came) = (crossing.triangle, crossing.side);
            if points_into(view, t, pivot, carried) {
                return Some((t, carried));
            }
        }
    }
    None
}

/// Whether a direction from a corner points into its triangle, sides included.
fn points_into(view: &GroundView, triangle: TriangleId, pivot: u32, step: DVec3) -> bool {
    let Some(k) = view.triangles[triangle as usize]
        .iter()
        .position(|&v| v == pivot)
    else {
        return false;
    };
    let c = corners(view, triangle);
    let normal = view.normals[triangle as usize].as_dvec3();
    let (o, p, q) = (c[k], c[(k + 1) % 3], c[(k + 2) % 3]);
    let slack = -1e-9 * step.length();
    side_value(view.plan, normal, o, p, o + step) >= slack * (p - o).length()
        && side_value(view.plan, normal, q, o, o + step) >= slack * (q - o).length()
}

/// See [`Walk::trace_to`](super::Walk::trace_to). The walk is lost where `visit` does not want to
/// go on.
#[inline]
pub(super) fn straight(
    view: &GroundView,
    from: Location,
    to: Location,
    visit: &mut impl FnMut(TracePiece) -> bool,
) -> TraceEnd {
    if !known(view, from) || !known(view, to) {
        TraceEnd::Lost
    } else if view.plan {
        PlanLine::new(view, from, to).walk(visit)
    } else {
        section(view, from, to, visit)
    }
}

/// The length of a straight walk between two places of a plan that lie in one triangle.
pub(super) fn within_triangle(view: &GroundView, from: Location, to: Location) -> Option<f32> {
    let triangle = from.triangle;
    if !view.plan || triangle != to.triangle || !known(view, from) || !known(view, to) {
        return None;
    }
    let ends = [from, to].map(|at| at.point.as_dvec3());
    if !ends.iter().all(|at| covers(view, triangle, at.truncate())) {
        return None;
    }
    let [p, q] = ends.map(|at| onto_plane(view, triangle, at));
    Some((q - p).length() as f32)
}

/// A walk over a floor plan along a line seen from above.
struct PlanLine<'a, 'b> {
    view: &'a GroundView<'b>,
    start: DVec2,
    goal: DVec2,
    to: Location,
    triangle: TriangleId,
    /// Where the walk has come to.
    p: DVec3,
}

/// What the walk does next in its triangle.
enum Next {
    /// The goal is in this triangle.
    Arrive,
    /// It leaves over a side.
    Side(usize),
    /// It runs into a corner.
    Corner(usize),
    /// The line does not go through this triangle.
    Miss,
}

impl<'a, 'b> PlanLine<'a, 'b> {
    fn new(view: &'a GroundView<'b>, from: Location, to: Location) -> PlanLine<'a, 'b> {
        let mut start = from.point.as_dvec3().truncate();
        if !covers(view, from.triangle, start) {
            // Rounded to just outside: two grains towards the middle is inside.
            let [a, b, c] = corners(view, from.triangle).map(DVec3::truncate);
            let middle = (a + b + c) / 3.0;
            let nearest =
                super::geometry::on_triangle([a, b, c].map(|v| v.extend(0.0)), start.extend(0.0));
            let nearest = nearest.truncate();
            let inwards = (middle - nearest).normalize_or_zero() * f64::from(view.grain) * 0.5;
            let moved = nearest + inwards;
            start = if covers(view, from.triangle, moved) {
                moved
            } else {
                middle
            };
        }
        PlanLine {
            view,
            start,
            goal: to.point.as_dvec3().truncate(),
            to,
            triangle: from.triangle,
            p: onto_plane(view, from.triangle, start.extend(0.0)),
        }
    }

    fn plan(&self, triangle: TriangleId) -> [DVec2; 3] {
        corners(self.view, triangle).map(DVec3::truncate)
    }

    /// Positive for points to the left of the line.
    fn left(&self, p: DVec2) -> f64 {
        turn(self.start, self.goal, p)
    }

    /// Whether `p` lies farther along the line than `q`.
    fn ahead(&self, p: DVec2, q: DVec2) -> bool {
        (p - q).dot(self.goal - self.start) > 0.0
    }

    fn walk(mut self, visit: &mut impl FnMut(TracePiece) -> bool) -> TraceEnd {
        let mut next = self.first();
        for _ in 0..crossing_limit(self.view) {
            match next {
                Next::Arrive => return self.arrive(visit),
                Next::Miss => return TraceEnd::Lost,
                Next::Side(side) => {
                    let c = self.plan(self.triangle);
                    let (a, b) = (c[side], c[(side + 1) % 3]);
                    if !self.go_to(visit, self.meet(a, b)) {
                        return TraceEnd::Lost;
                    }
                    let code = self.view.passage(self.triangle, side);
                    if code == NONE {
                        return self.stop(side);
                    }
                    self.triangle = code / 3;
                    next = self.after_side(code as usize % 3);
                }
                Next::Corner(k) => {
                    let corner = self.plan(self.triangle)[k];
                    if !self.go_to(visit, corner) {
                        return TraceEnd::Lost;
                    }
                    let pivot = self.view.triangles[self.triangle as usize][k];
                    match self.about(pivot, corner) {
                        Ok(found) => next = found,
                        Err((triangle, side)) => {
                            self.triangle = triangle;
                            return self.stop(side);
                        }
                    }
                }
            }
        }
        TraceEnd::Lost
    }

    /// Moves to a point of the present triangle; answers whether to go on.
    fn go_to(&mut self, visit: &mut impl FnMut(TracePiece) -> bool, xy: DVec2) -> bool {
        let leave = onto_plane(self.view, self.triangle, xy.extend(0.0));
        let enter = onto_plane(self.view, self.triangle, self.p);
        self.p = leave;
        report(visit, self.triangle, enter, leave)
    }

    /// Where the line crosses the line through two points on either side of it.
    fn meet(&self, a: DVec2, b: DVec2) -> DVec2 {
        let d = self.goal - self.start;
        let (s, t) = (d.perp_dot(a - self.start), d.perp_dot(b - self.start));
        if s == t {
            a
        } else {
            a + (b - a) * (s / (s - t)).clamp(0.0, 1.0)
        }
    }

    fn first(&mut self) -> Next {
        let c = self.plan(self.triangle);
        if covers(self.view, self.triangle, self.goal) {
            return Next::Arrive;
        }
        if let Some(k) = (0..3).find(|&k| c[k] == self.start) {
            let pivot = self.view.triangles[self.triangle as usize][k];
            return match self.about(pivot, c[k]) {
                Ok(next) => next,
                // Nowhere to go: blocked at once, by a side at this corner.
                Err((triangle, side)) => {
                    self.triangle = triangle;
                    Next::Side(side)
                }
            };
        }
        let left = c.map(|p| self.left(p));
        for k in 0..3 {
            if left[k] == 0.0 && self.ahead(c[k], self.start) {
                return Next::Corner(k);
            }
        }
        for k in 0..3 {
            if left[k] < 0.0 && left[(k + 1) % 3] > 0.0 {
                return Next::Side(k);
            }
        }
        // On a side whose line holds start and goal, heading out over its end.
        Next::Miss
    }

    /// What comes next after entering the present triangle over a side.
    fn after_side(&self, entry: usize) -> Next {
        let c = self.plan(self.triangle);
        let [q, w, p] = [1, 2, 0].map(|i| c[(entry + i) % 3]);
        let (right, far) = ((entry + 1) % 3, (entry + 2) % 3);
        let left = self.left(w);
        if left == 0.0 {
            if turn(q, w, self.goal) >= 0.0 && turn(w, p, self.goal) >= 0.0 {
                Next::Arrive
            } else {
                Next::Corner(far)
            }
        } else if left > 0.0 {
            if turn(q, w, self.goal) >= 0.0 {
                Next::Arrive
            } else {
                Next::Side(right)
            }
        } else if turn(w, p, self.goal) >= 0.0 {
            Next::Arrive
        } else {
            Next::Side(far)
        }
    }

    /// Turns about a corner, both ways, to the triangle that holds the direction of the line.
    /// Fails with the side that is in the way.
    fn about(&mut self, pivot: u32, corner: DVec2) -> Result<Next, (TriangleId, usize)> {
        let mut blocked = (self.triangle, 0);
        for counter_clockwise in [true, false] {
            let mut triangle = self.triangle;
            for _ in 0..self.view.triangles.len() + 1 {
                let ids = self.view.triangles[triangle as usize];
                let Some(k) = ids.iter().position(|&v| v == pivot) else {
                    break;
                };
                let c = self.plan(triangle);
                let (p, q) = (c[(k + 1) % 3], c[(k + 2) % 3]);
                let (lp, lq) = (self.left(p), self.left(q));
                let right_of = lp < 0.0 || lp == 0.0 && self.ahead(p, corner);
                let left_of = lq > 0.0 || lq == 0.0 && self.ahead(q, corner);
                if right_of && left_of {
                    self.triangle = triangle;
                    return Ok(if lp == 0.0 {
                        self.along(corner, p, (k + 1) % 3)
                    } else if lq == 0.0 {
                        self.along(corner, q, (k + 2) % 3)
                    } else if turn(p, q, self.goal) >= 0.0 {
                        Next::Arrive
                    } else {
                        Next::Side((k + 1) % 3)
                    });
                }
                let side = if counter_clockwise { (k + 2) % 3 } else { k };
                let code = self.view.passage(triangle, side);
                if code == NONE {
                    blocked = (triangle, side);
                    break;
                }
                triangle = code / 3;
                if triangle == self.triangle {
                    break;
                }
            }
        }
        Err(blocked)
    }

    /// Along a side from one corner to the next.
    fn along(&self, corner: DVec2, next: DVec2, k: usize) -> Next {
        let d = next - corner;
        if (self.goal - corner).dot(d) <= d.length_squared() {
            Next::Arrive
        } else {
            Next::Corner(k)
        }
    }

    fn arrive(mut self, visit: &mut impl FnMut(TracePiece) -> bool) -> TraceEnd {
        self.go_to(visit, self.goal);
        let reach = f64::from(self.view.grain) * 4.0;
        let to = self.to.triangle;
        if connected_at(self.view, self.triangle, to, self.p, reach) {
            TraceEnd::Reached
        } else {
            TraceEnd::Lost
        }
    }

    /// Ends at a wall, unless the goal is right there, rounded to just behind it.
    fn stop(self, side: usize) -> TraceEnd {
        let reach = f64::from(self.view.grain) * 4.0;
        let here = self.p.truncate().distance(self.goal) <= reach;
        if here && connected_at(self.view, self.triangle, self.to.triangle, self.p, reach) {
            return TraceEnd::Reached;
        }
        wall_end(self.view, self.triangle, side, self.p)
    }
}

/// The section of the surface with the plane through both points and the normal at the first.
fn section(
    view: &GroundView,
    from: Location,
    to: Location,
    visit: &mut impl FnMut(TracePiece) -> bool,
) -> TraceEnd {
    let mut triangle = from.triangle;
    let mut p = onto_plane(view, triangle, from.point.as_dvec3());
    let goal = to.point.as_dvec3();
    let reach = f64::from(view.grain) * 8.0;
    let apart = p.distance(goal);
    if apart <= reach {
        let met = connected_at(view, triangle, to.triangle, p, reach);
        return if met {
            TraceEnd::Reached
        } else {
            TraceEnd::Lost
        };
    }
    let up = view.normals[triangle as usize].as_dvec3();
    let across = up.cross(goal - p).normalize_or_zero();
    if across == DVec3::ZERO {
        return TraceEnd::Lost;
    }
    let start = p;
    // Corners in the plane count as on its far side: the walk never meets one, and a triangle that
    // it comes into by one side it leaves by exactly one other.
    let corner = |v: u32| {
        let at = view.vertices[v as usize].as_dvec3();
        (at, (at - start).dot(across))
    };
    let ids = view.triangles[triangle as usize];
    let first = ids.map(corner);
    let forward = goal - p;
    let mut leaves: Option<(usize, DVec3, f64)> = None;
    for side in 0..3 {
        let (a, b) = (first[side], first[(side + 1) % 3]);
        if (a.1 >= 0.0) != (b.1 >= 0.0) {
            let at = between(a, b);
            let gain = (at - p).dot(forward);
            if leaves.is_none_or(|(_, _, best)| gain > best) {
                leaves = Some((side, at, gain));
            }
        }
    }
    let Some((mut side, mut leave, _)) = leaves else {
        return TraceEnd::Lost;
    };
    // The ends of the side that is left by, with their vertices.
    let mut ends = [side, (side + 1) % 3].map(|k| (ids[k], first[k]));
    let mut walked = 0.0;
    for _ in 0..crossing_limit(view) {
        let close = distance_squared(false, p, leave, goal) <= reach * reach;
        if triangle == to.triangle || close {
            let met =
                triangle == to.triangle || connected_at(view, triangle, to.triangle, goal, reach);
            let ahead = (goal - p).dot(leave - p) >= -reach * reach;
            if met && ahead {
                report(visit, triangle, p, goal);
                return TraceEnd::Reached;
            }
        }
        let goes_on = report(visit, triangle, p, leave);
        walked += p.distance(leave);
        if !goes_on || walked > 4.0 * apart + reach {
            return TraceEnd::Lost;
        }
        let code = view.passage(triangle, side);
        if code == NONE {
            return wall_end(view, triangle, side, leave);
        }
        p = leave;
        triangle = code / 3;
        let entry = code as usize % 3;
        let ids = view.triangles[triangle as usize];
        let far = (entry + 2) % 3;
        let apex = (ids[far], corner(ids[far]));
        // The side entered by may run either way.
        let [begin, end] = if ids[entry] == ends[0].0 {
            ends
        } else {
            [ends[1], ends[0]]
        };
        let same_as_begin = (apex.1.1 >= 0.0) == (begin.1.1 >= 0.0);
        (side, ends) = if same_as_begin {
            ((entry + 1) % 3, [end, apex])
        } else {
            (far, [apex, begin])
        };
        leave = between(ends[0].1, ends[1].1);
    }
    TraceEnd::Lost
}

/// Where a plane cuts a side, by the distances of its ends from the plane.
#[inline]
fn between((a, u): (DVec3, f64), (b, v): (DVec3, f64)) -> DVec3 {
    a + (b - a) * (u / (u - v))
}
