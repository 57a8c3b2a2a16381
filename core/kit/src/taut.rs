//! Pulling a walk tight round the corners of walls.
//!
//! A walk is a row of turns, each in sight of the next. Between three of them in a row the string
//! is pulled: it comes to lie along the convex hull of the wall corners in their triangle. Doing
//! so until nothing moves gives the shortest walk that passes every wall on the same side. Bodies
//! pass a corner at their radius. Works in plan; walks over other surfaces stay as they are.

use glam::{DVec2, IVec3, Vec2, Vec3};
use throng_core::{Gate, GroundView, Location, NONE, Wall};

use crate::{Walk, ground::TraceEnd};

/// A point where a walk turns, or ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// Where.
    pub at: Location,
    /// The wall whose start it goes round, or [`NONE`] if it turns for another reason.
    pub wall: u32,
}

impl Turn {
    /// A turn at no wall.
    pub fn free(at: Location) -> Turn {
        Turn { at, wall: NONE }
    }
}

/// Memory that pulling reuses.
#[derive(Debug, Default)]
pub struct TautScratch {
    corners: Vec<Corner>,
    hull: Vec<Corner>,
}

/// A corner of a wall as a body passes it.
#[derive(Clone, Copy, Debug)]
struct Corner {
    at: DVec2,
    outward: Vec2,
    wall: u32,
}

/// Heights within which a wall belongs to the floor of a walk, metres.
const STOREY: f32 = 1.5;
/// A corner that turns a wall by more than this many degrees (here its cosine) is passed by two
/// points, so that none is far from the corner.
const SHARP: f32 = -0.2;
/// Pulls after which the rest of a walk is left as it is, per turn of the walk.
const MOST_PULLS: usize = 64;
/// Width of the gate that a corner becomes, metres.
const GATE_WIDTH: f32 = 4.0;

/// Pulls a walk tight. `price` says what a straight walk costs, or nothing where it is not free;
/// no part is replaced by a dearer one. The first and last turn stay.
pub fn pull_tight(
    ground: &GroundView<'_>,
    radius: f32,
    walk: &mut Vec<Turn>,
    scratch: &mut TautScratch,
    price: &mut dyn FnMut(Location, Location) -> Option<f64>,
) {
    if !ground.plan {
        return;
    }
    let mut left = MOST_PULLS * walk.len() + 256;
    let mut i = 1;
    while i + 1 < walk.len() && left > 0 {
        left -= 1;
        let [a, b, c] = [walk[i - 1], walk[i], walk[i + 1]];
        if pull(ground, radius, [a, b, c], scratch, price) {
            let turns = scratch.hull.iter().map(|corner| Turn {
                at: located(ground, corner, b.at),
                wall: corner.wall,
            });
            walk.splice(i..=i, turns);
            i = i.saturating_sub(1).max(1);
        } else {
            i += 1;
        }
    }
}

/// Finds the corners that come in the place of the middle of three turns; false if it stays.
fn pull(
    ground: &GroundView<'_>,
    radius: f32,
    [a, b, c]: [Turn; 3],
    scratch: &mut TautScratch,
    price: &mut dyn FnMut(Location, Location) -> Option<f64>,
) -> bool {
    let plan = |turn: Turn| turn.at.point.truncate().as_dvec2();
    let (pa, pb, pc) = (plan(a), plan(b), plan(c));
    gather(ground, radius, [a, b, c], &mut scratch.corners);
    loop {
        hull(pa, pb, pc, &scratch.corners, &mut scratch.hull);
        // A corner that the string would bend away from is on the string's other side.
        let wrong = (0..scratch.hull.len()).find(|&k| {
            let at = scratch.hull[k].at;
            let before = if k == 0 { pa } else { scratch.hull[k - 1].at };
            let after = scratch.hull.get(k + 1).map_or(pc, |corner| corner.at);
            let inwards = (before - at).normalize_or_zero() + (after - at).normalize_or_zero();
            scratch.hull[k].outward.as_dvec2().dot(inwards) > 1e-7
        });
        let Some(wrong) = wrong else { break };
        let dropped = scratch.hull[wrong];
        scratch
            .corners
            .retain(|corner| corner.wall != dropped.wall || corner.at != dropped.at);
    }
    if let [only] = scratch.hull[..]
        && only.at.distance(pb) <= 4.0 * f64::from(ground.grain)
        && only.wall == b.wall
    {
        return false;
    }
    let (Some(first), Some(second)) = (price(a.at, b.at), price(b.at, c.at)) else {
        return false;
    };
    let old = first + second;
    let mut new = 0.0;
    let mut at = a.at;
    for corner in &scratch.hull {
        let next = located(ground, corner, b.at);
        match price(at, next) {
            Some(more) => new += more,
            None => return false,
        }
        at = next;
    }
    match price(at, c.at) {
        Some(more) => new += more,
        None => return false,
    }
    // The same place found again as a corner costs the same and is worth knowing.
    new <= old * (1.0 + 1e-9) + 1e-9
}

/// The place of a corner.
fn located(ground: &GroundView<'_>, corner: &Corner, near: Location) -> Location {
    let wall = &ground.walls[corner.wall as usize];
    let start = Location {
        point: wall.a,
        triangle: wall.triangle,
    };
    let at = corner.at.as_vec2();
    if at == wall.a.truncate() {
        return start;
    }
    let point = at.extend(wall.a.z);
    ground.relocate(start, point).unwrap_or(near)
}

/// Twice the area of a triangle, positive if it turns left.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Lists the corners of standing walls in the triangle of three turns.
fn gather(ground: &GroundView<'_>, radius: f32, turns: [Turn; 3], out: &mut Vec<Corner>) {
    out.clear();
    let points = turns.map(|t| t.at.point);
    let (mut low, mut high) = (points[0], points[0]);
    for p in &points[1..] {
        (low, high) = (low.min(*p), high.max(*p));
    }
    let margin = 1.6 * radius + 4.0 * ground.grain;
    let index = &ground.wall_index;
    let reach = Vec3::new(margin, margin, STOREY);
    let (first, last) = (index.cell_of(low - reach), index.cell_of(high + reach));
    for y in first.y..=last.y {
        let band = index.low.y + y as f32 * index.cell;
        let Some((left, right)) = span(points, band - margin, band + index.cell + margin) else {
            continue;
        };
        let column = |x: f32| index.cell_of(Vec3::new(x, band, low.z)).x;
        for x in column(left - margin)..=column(right + margin) {
            for z in first.z..=last.z {
                let cell = IVec3::new(x, y, z);
                for &wall in index.items_in(cell) {
                    let w = &ground.walls[wall as usize];
                    let listed = w.flags & Wall::CONVEX_A != 0
                        && w.flags & Wall::OBSTACLE == 0
                        && index.cell_of(w.a) == cell
                        && ground.stands(w)
                        && w.a.z > low.z - STOREY
                        && w.a.z < high.z + STOREY;
                    if listed {
                        pass_points(ground, wall, radius, out);
                    }
                }
            }
        }
    }
    let [a, b, c] = points.map(|p| p.truncate().as_dvec2());
    let grain = f64::from(ground.grain);
    let side = turn(a, b, c).signum();
    // On the sides counts, and rounding must not lose what is on them.
    let slack = |p: DVec2, q: DVec2| -2.0 * grain * p.distance(q);
    out.retain(|corner| {
        let p = corner.at;
        p.distance(a) > grain
            && p.distance(c) > grain
            && side * turn(a, b, p) >= slack(a, b)
            && side * turn(b, c, p) >= slack(b, c)
            && side * turn(c, a, p) >= slack(c, a)
    });
}

/// The least and largest x of a triangle between two heights y.
fn span(points: [Vec3; 3], low: f32, high: f32) -> Option<(f32, f32)> {
    let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
    for i in 0..3 {
        let (p, q) = (points[i].truncate(), points[(i + 1) % 3].truncate());
        if p.y.max(q.y) < low || p.y.min(q.y) > high {
            continue;
        }
        for y in [low, high, p.y, q.y] {
            if y < low || y > high || y < p.y.min(q.y) || y > p.y.max(q.y) {
                continue;
            }
            let rise = q.y - p.y;
            let (near, far) = if rise == 0.0 {
                (p.x.min(q.x), p.x.max(q.x))
            } else {
                let x = p.x + (q.x - p.x) * ((y - p.y) / rise);
                (x, x)
            };
            (least, most) = (least.min(near), most.max(far));
        }
    }
    (least <= most).then_some((least, most))
}

/// Unit normals on the free side of the walls that end and begin at the start of a wall.
fn normals(ground: &GroundView<'_>, wall: u32) -> (Vec2, Vec2) {
    let w = &ground.walls[wall as usize];
    let after = (w.b - w.a).truncate().normalize_or_zero().perp();
    let before = match ground.walls.get(w.previous as usize) {
        Some(p) => (p.b - p.a).truncate().normalize_or_zero().perp(),
        None => -after,
    };
    (before, after)
}

/// The direction from a corner into the middle of the free space about it.
fn outward(before: Vec2, after: Vec2) -> Vec2 {
    let between = before + after;
    if between.length_squared() > 1e-6 {
        between.normalize()
    } else {
        // The end of a thin wall: straight on.
        -before.perp()
    }
}

/// Appends the points at which a body passes a corner.
fn pass_points(ground: &GroundView<'_>, wall: u32, radius: f32, out: &mut Vec<Corner>) {
    let at = ground.walls[wall as usize].a.truncate();
    let (before, after) = normals(ground, wall);
    let middle = outward(before, after);
    let mut push = |direction: Vec2, distance: f32| {
        out.push(Corner {
            at: (at + direction * distance).as_dvec2(),
            outward: direction,
            wall,
        });
    };
    if radius <= 0.0 {
        push(middle, 0.0);
        return;
    }
    // A hair farther than the radius, so that walks along the walls keep their distance.
    let radius = radius + 8.0 * ground.grain;
    if before.dot(after) > SHARP {
        push(middle, radius / middle.dot(before).max(0.3));
        return;
    }
    for normal in [before, after] {
        let direction = (middle + normal).normalize_or(middle);
        push(direction, radius / direction.dot(normal).max(0.3));
    }
}

/// The corners of the convex hull of the ends and the corners between them, from `a` to `c` on
/// the side of `b`.
fn hull(a: DVec2, b: DVec2, c: DVec2, corners: &[Corner], out: &mut Vec<Corner>) {
    out.clear();
    let side = turn(a, b, c).signum();
    let (mut at, mut from) = (a, a);
    loop {
        // The corner that all others and the end lie inside of, the farthest if several do.
        let mut best: Option<(DVec2, Option<&Corner>)> = Some((c, None));
        for corner in corners {
            if corner.at == at || corner.at == from || out.iter().any(|o| o.at == corner.at) {
                continue;
            }
            if let Some((point, _)) = best {
                let outside = -side * turn(at, point, corner.at);
                let farther = corner.at.distance_squared(at) > point.distance_squared(at);
                if outside > 1e-12 || (outside.abs() <= 1e-12 && farther && point != c) {
                    best = Some((corner.at, Some(corner)));
                }
            }
        }
        match best {
            Some((point, Some(corner))) => {
                out.push(*corner);
                (from, at) = (at, point);
            }
            _ => return,
        }
        if out.len() > corners.len() {
            return;
        }
    }
}

/// The gate at a turn of a walk. Round a wall it reaches from its corner into the free space, so
/// that many can pass beside each other; elsewhere it is a waypoint.
pub fn gate_at(ground: &GroundView<'_>, before: Vec3, turn: Turn, after: Vec3) -> Gate {
    let Some(wall) = ground.walls.get(turn.wall as usize) else {
        return Gate::waypoint(turn.at);
    };
    let way = |to: Vec3| (to - turn.at.point).truncate().normalize_or_zero();
    let inwards = way(before) + way(after);
    let (first, second) = normals(ground, turn.wall);
    let mut direction = (-inwards).normalize_or_zero();
    let middle = outward(first, second);
    // Where the walk hardly bends, its own bisector says little.
    if inwards.length_squared() < 1e-3 || direction.dot(middle) < 0.1 {
        direction = middle;
    }
    let start = Location {
        point: wall.a,
        triangle: wall.triangle,
    };
    let frame = ground.frame_at(start);
    let normal = ground.normals[start.triangle as usize];
    let displacement = frame.to_tangent(normal, (direction * GATE_WIDTH).extend(0.0));
    let mut end = start.point;
    let stopped = ground.trace(start, frame, displacement, &mut |piece| end = piece.leave);
    let far_wall = matches!(stopped, TraceEnd::Wall { .. });
    if end.distance(start.point) < 1e-3 {
        return Gate::waypoint(turn.at);
    }
    let travel = way(after) - way(before);
    // The solid is on the left if the free side is to the right of the way.
    let solid_left = travel.perp_dot(direction) < 0.0;
    let far = |flag: u32| if far_wall { flag } else { 0 };
    let (left, right, flags) = if solid_left {
        (wall.a, end, Gate::LEFT_WALL | far(Gate::RIGHT_WALL))
    } else {
        (end, wall.a, Gate::RIGHT_WALL | far(Gate::LEFT_WALL))
    };
    Gate {
        left,
        middle: turn.at.point,
        right,
        triangle: turn.at.triangle,
        flags,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Ground,
        environment::{Environment, Floor, Polygon},
    };

    /// A room of 10 x 10 m with solid rectangles in it.
    fn room(solid: &[[f64; 4]]) -> Ground {
        let rectangle =
            |r: &[f64; 4]| Polygon::rectangle(DVec2::new(r[0], r[1]), DVec2::new(r[2], r[3]));
        let environment = Environment {
            floors: vec![Floor {
                walkable: vec![rectangle(&[0.0, 0.0, 10.0, 10.0])],
                solid: solid.iter().map(rectangle).collect(),
                ..Floor::default()
            }],
            ..Environment::default()
        };
        Ground::from_environment(&environment).unwrap()
    }

    fn pulled(ground: &Ground, radius: f32, points: &[(f64, f64)]) -> (f64, Vec<Turn>) {
        let view = ground.view();
        let mut walk: Vec<Turn> = points
            .iter()
            .map(|&(x, y)| {
                let local = view.from_world(DVec2::new(x, y).extend(0.0)).truncate();
                Turn::free(view.locate_plan(local, None).unwrap())
            })
            .collect();
        pull_tight(
            &view,
            radius,
            &mut walk,
            &mut TautScratch::default(),
            &mut |a, b| {
                view.sees_with_radius(a, b, radius)
                    .then(|| f64::from(a.point.distance(b.point)))
            },
        );
        let length = walk
            .windows(2)
            .map(|w| f64::from(w[0].at.point.distance(w[1].at.point)))
            .sum();
        (length, walk)
    }

    #[test]
    fn free_turns_vanish_and_corners_stay() {
        let ground = room(&[]);
        let (length, walk) = pulled(
            &ground,
            0.0,
            &[(1.0, 1.0), (8.0, 2.0), (3.0, 7.0), (9.0, 9.0)],
        );
        assert_eq!(walk.len(), 2);
        assert!((length - 128.0_f64.sqrt()).abs() < 1e-5);
        // Round a block: over its two upper corners at (4, 6) and (6, 6).
        let ground = room(&[[4.0, 0.0, 6.0, 6.0]]);
        let over = [(1.0, 1.0), (2.0, 8.0), (5.0, 9.0), (8.5, 8.0), (9.0, 1.0)];
        let (length, walk) = pulled(&ground, 0.0, &over);
        let wanted = 2.0 * 34.0_f64.sqrt() + 2.0;
        assert!((length - wanted).abs() < 1e-5, "{length} {wanted} {walk:?}");
        assert_eq!(walk.len(), 4);
        assert!(walk[1].wall != NONE && walk[2].wall != NONE);
    }

    #[test]
    fn the_side_on_which_a_wall_is_passed_stays() {
        let ground = room(&[[4.0, 4.0, 6.0, 6.0]]);
        let (below, _) = pulled(&ground, 0.0, &[(1.0, 4.5), (5.0, 1.0), (9.0, 4.5)]);
        let (above, _) = pulled(&ground, 0.0, &[(1.0, 4.5), (5.0, 9.0), (9.0, 4.5)]);
        assert!(
            (below - (2.0 + 2.0 * 9.25_f64.sqrt())).abs() < 1e-5,
            "{below}"
        );
        assert!(
            (above - (2.0 + 2.0 * 11.25_f64.sqrt())).abs() < 1e-5,
            "{above}"
        );
    }

    #[test]
    fn bodies_keep_their_radius() {
        let ground = room(&[[4.0, 0.0, 6.0, 6.0]]);
        let view = ground.view();
        let (length, walk) = pulled(
            &ground,
            0.5,
            &[(1.0, 1.0), (3.0, 8.0), (7.0, 8.0), (9.0, 1.0)],
        );
        // By way of (3.5, 6.5) and (6.5, 6.5).
        let wanted = 2.0 * (2.5_f64 * 2.5 + 5.5 * 5.5).sqrt() + 3.0;
        assert!((length - wanted).abs() < 1e-2, "{length} {wanted}");
        for pair in walk.windows(2) {
            assert!(view.sees_with_radius(pair[0].at, pair[1].at, 0.499));
        }
    }

    #[test]
    fn dearer_ways_are_not_taken() {
        let ground = room(&[]);
        let view = ground.view();
        let at = |x: f64, y: f64| {
            let local = view.from_world(DVec2::new(x, y).extend(0.0)).truncate();
            view.locate_plan(local, None).unwrap()
        };
        let mut walk = vec![
            Turn::free(at(1.0, 1.0)),
            Turn::free(at(5.0, 9.0)),
            Turn::free(at(9.0, 1.0)),
        ];
        // Metres below y = 5 of the room (0 here) cost ten times as much between the ends.
        let (start, end) = (walk[0].at, walk[2].at);
        pull_tight(
            &view,
            0.0,
            &mut walk,
            &mut TautScratch::default(),
            &mut |a, b| {
                let length = f64::from(a.point.distance(b.point));
                let direct = a == start && b == end;
                Some(if direct { 10.0 * length } else { length })
            },
        );
        assert_eq!(walk.len(), 3);
    }

    #[test]
    fn gates_reach_from_the_corner_into_the_open() {
        let ground = room(&[[4.0, 0.0, 6.0, 6.0]]);
        let view = ground.view();
        let (_, walk) = pulled(&ground, 0.0, &[(1.0, 1.0), (5.0, 9.0), (9.0, 1.0)]);
        // Going right over the block: it is on the right.
        let gate = gate_at(&view, walk[0].at.point, walk[1], walk[2].at.point);
        assert_eq!(gate.flags & Gate::RIGHT_WALL, Gate::RIGHT_WALL);
        assert_eq!(view.origin.as_vec3() + gate.right, Vec3::new(4.0, 6.0, 0.0));
        let out = gate.left - gate.right;
        assert!(out.x < 0.0 && out.y > 0.0, "{out}");
        let back = gate_at(&view, walk[2].at.point, walk[1], walk[0].at.point);
        assert_eq!(back.left, gate.right);
        let free = gate_at(&view, Vec3::ZERO, Turn::free(walk[0].at), Vec3::X);
        assert_eq!(free, Gate::waypoint(walk[0].at));
    }
}
