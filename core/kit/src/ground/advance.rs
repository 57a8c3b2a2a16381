//! Moving a disc over the surface: straight over sides, sliding along walls.
//!
//! The step is cut into straight pieces, one per triangle. Each piece is swept against the walls
//! that can be reached over the surface within its length and the radius; a wall is the capsule
//! of all centres too near to it. Walls nearer than the radius at the start of a piece count
//! with the distance they have: the disc gets no nearer, but is free to leave.

use glam::{DVec2, DVec3, IVec3, Vec2, Vec3};
use throng_core::{Frame, GroundView, Location, NONE, TriangleId};

use super::geometry::{Crossing, exit, known, on_segment, onto_plane, spread, wall_distance_bound};

/// Where a body is after a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advanced {
    /// The new place.
    pub to: Location,
    /// The frame, carried along.
    pub frame: Frame,
    /// Length of the way, metres.
    pub walked: f32,
    /// Net displacement in the carried frame.
    pub moved: Vec2,
    /// Whether a wall or an obstacle changed the way.
    pub touched_wall: bool,
}

impl Default for Advanced {
    fn default() -> Advanced {
        Advanced {
            to: Location::NOWHERE,
            frame: Frame::FLAT,
            walked: 0.0,
            moved: Vec2::ZERO,
            touched_wall: false,
        }
    }
}

/// Pieces after which a move ends where it is.
const PIECES: usize = 4096;
/// Contacts after which a move ends where it is.
const CONTACTS: usize = 12;
/// Longest move, metres.
const LONGEST: f32 = 10_000.0;
/// Grains between a body's rim and a wall: rounding never carries a point over a wall.
const SKIN: f64 = 4.0;
/// Share of a step that counts as not approaching.
const PARALLEL: f64 = 1e-9;

/// See [`Walk::advance`](super::Walk::advance).
#[inline]
pub(super) fn advance(
    view: &GroundView,
    from: Location,
    frame: Frame,
    displacement: Vec2,
    radius: f32,
) -> Advanced {
    let still = Advanced {
        to: from,
        frame,
        ..Advanced::default()
    };
    if !known(view, from) || !displacement.is_finite() || displacement == Vec2::ZERO {
        return still;
    }
    let length = displacement.length();
    if view.flat && frame == Frame::FLAT && length <= LONGEST {
        let keep = radius.max(0.0) + view.grain * (SKIN as f32 + 2.0);
        let reach = length + keep;
        if reach <= wall_distance_bound(view, from.point)
            || !wall_in_the_way(view, from.point, displacement, reach * 1.001, keep * 1.001)
        {
            return advance_in_the_open(view, still, displacement, length);
        }
    }
    Mover::new(view, from, frame, displacement, radius).run(still)
}

/// Whether a wall that stands may be within `reach` of a place on a flat floor and nearer than
/// `keep` to a straight step from there.
#[inline]
fn wall_in_the_way(view: &GroundView, at: Vec3, step: Vec2, reach: f32, keep: f32) -> bool {
    let index = &view.wall_index;
    let (low, high) = (index.cell_of(at - reach), index.cell_of(at + reach));
    let (at, limit) = (at.truncate(), reach * reach);
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                for &w in index.items_in(IVec3::new(x, y, z)) {
                    let wall = &view.walls[w as usize];
                    let a = wall.a.truncate();
                    let along = wall.b.truncate() - a;
                    let share = (at - a).dot(along) / along.length_squared();
                    let near = a + along * share.clamp(0.0, 1.0);
                    // A wall of no length gives no number, which is not farther.
                    if !(near.distance_squared(at) > limit)
                        && view.stands(wall)
                        && !is_apart(a, along, at, step, keep)
                    {
                        return true;
                    }
                }
            }
        }
    }
    false
}

/// Whether two segments, each from a point along a way, are farther apart than a distance.
#[inline]
fn is_apart(a: Vec2, along: Vec2, at: Vec2, step: Vec2, distance: f32) -> bool {
    let (limit, between) = (distance * distance, at - a);
    let cross = along.perp_dot(step);
    // Where the lines meet, as shares of both.
    let (s, t) = (step.perp_dot(between), along.perp_dot(between));
    let meets = |share: f32| share * cross <= 0.0 && share.abs() <= cross.abs();
    if cross == 0.0 && t == 0.0 || cross != 0.0 && meets(s) && meets(t) {
        return false;
    }
    let off = |p: Vec2, way: Vec2| {
        let share = (p.dot(way) / way.length_squared()).clamp(0.0, 1.0);
        (p - way * share).length_squared()
    };
    off(between, along) > limit
        && off(between + step, along) > limit
        && off(-between, step) > limit
        && off(along - between, step) > limit
}

/// A step on a flat floor with no wall in reach: only the triangle has to be found.
fn advance_in_the_open(
    view: &GroundView,
    still: Advanced,
    displacement: Vec2,
    length: f32,
) -> Advanced {
    let from = still.to;
    let point = from.point + displacement.extend(0.0);
    let mut triangle = from.triangle;
    let goal = point.as_dvec3().truncate();
    // Coordinates are at most 24 bits long here: the turn of two corners and a point is exact
    // enough in double precision to say on which side the point lies.
    let outside = |triangle: TriangleId| {
        let c = view.corners(triangle).map(|v| v.as_dvec3().truncate());
        (0..3).any(|s| (c[(s + 1) % 3] - c[s]).perp_dot(goal - c[s]) < 0.0)
    };
    if !surely_inside(view, triangle, point.truncate()) && outside(triangle) {
        let start = from.point.as_dvec3();
        let step = point.as_dvec3() - start;
        let mut entered = None;
        for _ in 0..PIECES {
            let Some((side, _)) = exit(view, triangle, start, step, entered) else {
                break;
            };
            let code = view.across[triangle as usize][side];
            if code == NONE {
                break;
            }
            (triangle, entered) = (code / 3, Some(code as usize % 3));
        }
    }
    Advanced {
        to: Location { point, triangle },
        walked: length,
        moved: displacement,
        ..still
    }
}

/// See [`Walk::walks_in_the_open`](super::Walk::walks_in_the_open).
pub(super) fn walks_in_the_open(view: &GroundView, from: Location, step: Vec2) -> Location {
    let still = Advanced {
        to: from,
        ..Advanced::default()
    };
    advance_in_the_open(view, still, step, step.length()).to
}

/// See [`Walk::free_distance`](super::Walk::free_distance).
pub(super) fn free_distance(view: &GroundView, from: Location, limit: f32) -> f32 {
    if !view.flat || !known(view, from) {
        return 0.0;
    }
    let (index, at) = (&view.wall_index, from.point);
    let (low, high) = (index.cell_of(at - limit), index.cell_of(at + limit));
    let (at, mut nearest) = (at.truncate(), limit * limit);
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                for &w in index.items_in(IVec3::new(x, y, z)) {
                    let wall = &view.walls[w as usize];
                    let a = wall.a.truncate();
                    let along = wall.b.truncate() - a;
                    let share = (at - a).dot(along) / along.length_squared();
                    let near = (a + along * share.clamp(0.0, 1.0)).distance_squared(at);
                    // A wall of no length gives no number: it may be here.
                    if !(near >= nearest) {
                        nearest = if near >= 0.0 { near } else { 0.0 };
                    }
                }
            }
        }
    }
    nearest.sqrt() * 0.999_9
}

/// See [`Walk::steps_in_place`](super::Walk::steps_in_place).
#[inline]
pub(super) fn steps_in_place(
    view: &GroundView,
    from: Location,
    displacement: Vec2,
    length: f32,
    radius: f32,
    clear: f32,
) -> Option<Location> {
    if (from.triangle as usize) >= view.triangles.len() {
        return None;
    }
    let reach = length + radius + view.grain * (SKIN as f32 + 2.0);
    let point = from.point + displacement.extend(0.0);
    // What is no number or infinite fails one of the comparisons.
    let simple = length > 0.0
        && length <= LONGEST
        && reach <= clear
        && surely_inside(view, from.triangle, point.truncate());
    simple.then_some(Location { point, ..from })
}

/// Whether a point is so far inside a triangle of a flat floor that single precision can tell.
#[inline]
fn surely_inside(view: &GroundView, triangle: TriangleId, p: Vec2) -> bool {
    let c = view.corners(triangle).map(|v| v.truncate());
    (0..3).all(|s| {
        let (side, way) = (c[(s + 1) % 3] - c[s], p - c[s]);
        let (ahead, back) = (side.x * way.y, side.y * way.x);
        // Four roundings of at most 2^-24 each.
        ahead - back > (ahead.abs() + back.abs()) * 1e-6
    })
}

/// The normal of a triangle. Where it spans the plane of contacts it is made one long in double
/// precision: rounded, a step that was turned along a wall would still lead into it a little, and
/// be turned again and again until the move ends where it is.
fn unit_normal(view: &GroundView, triangle: TriangleId) -> DVec3 {
    let normal = view.normals[triangle as usize].as_dvec3();
    if view.plan {
        normal
    } else {
        normal.normalize_or(normal)
    }
}

/// The first contact of a piece with a wall.
#[derive(Clone, Copy)]
struct Contact {
    share: f64,
    /// Away from the wall, in the plane of collisions.
    normal: DVec2,
    wall: u32,
}

struct Mover<'a, 'b> {
    view: &'a GroundView<'b>,
    triangle: TriangleId,
    /// Its normal, see [`unit_normal`].
    normal: DVec3,
    entered: Option<usize>,
    p: DVec3,
    /// What is left of the step.
    step: DVec3,
    x: DVec3,
    handedness: f64,
    radius: f64,
    skin: f64,
    walked: f64,
    moved: DVec2,
    frame_changed: bool,
    /// Normals of the walls touched at this place.
    touching: [DVec2; 4],
    touching_count: usize,
    touched: bool,
}

impl<'a, 'b> Mover<'a, 'b> {
    fn new(
        view: &'a GroundView<'b>,
        from: Location,
        frame: Frame,
        displacement: Vec2,
        radius: f32,
    ) -> Mover<'a, 'b> {
        let length = displacement.length();
        let displacement = if length > LONGEST {
            displacement * (LONGEST / length)
        } else {
            displacement
        };
        let normal = unit_normal(view, from.triangle);
        let tidy = frame.x.as_dvec3();
        let tidy = (tidy - normal * normal.dot(tidy))
            .normalize_or(Frame::on(normal.as_vec3()).x.as_dvec3());
        let handedness = if frame.handedness < 0.0 { -1.0 } else { 1.0 };
        let y = normal.cross(tidy) * handedness;
        let displacement = displacement.as_dvec2();
        Mover {
            view,
            triangle: from.triangle,
            normal,
            entered: None,
            p: onto_plane(view, from.triangle, from.point.as_dvec3()),
            step: tidy * displacement.x + y * displacement.y,
            x: tidy,
            handedness,
            radius: if radius > 0.0 {
                f64::from(radius.min(1e6))
            } else {
                0.0
            },
            skin: f64::from(view.grain) * SKIN,
            walked: 0.0,
            moved: DVec2::ZERO,
            frame_changed: false,
            touching: [DVec2::ZERO; 4],
            touching_count: 0,
            touched: false,
        }
    }

    fn normal(&self) -> DVec3 {
        self.normal
    }

    /// A vector in the plane where contacts are found: the plan on floor plans, else the plane
    /// of the triangle.
    fn to_plane(&self, v: DVec3) -> DVec2 {
        if self.view.plan {
            v.truncate()
        } else {
            DVec2::new(v.dot(self.x), v.dot(self.normal().cross(self.x)))
        }
    }

    /// The tangent vector above a vector of the plane of contacts.
    fn lift(&self, v: DVec2) -> DVec3 {
        let n = self.normal();
        if self.view.plan {
            v.extend(-(n.x * v.x + n.y * v.y) / n.z)
        } else {
            self.x * v.x + n.cross(self.x) * v.y
        }
    }

    fn run(mut self, still: Advanced) -> Advanced {
        let nothing = f64::from(self.view.grain) * 1e-3;
        let mut contacts = 0;
        for _ in 0..PIECES {
            let length = self.step.length();
            if length <= nothing {
                break;
            }
            let out = exit(self.view, self.triangle, self.p, self.step, self.entered);
            let share = out.map_or(1.0, |(_, share)| share);
            let piece = self.step * share;
            if let Some(contact) = self.first_contact(piece) {
                contacts += 1;
                self.go(piece * contact.share);
                if !self.slide(contact.normal, length * share * contact.share)
                    || contacts > CONTACTS
                {
                    break;
                }
                continue;
            }
            self.go(piece);
            let Some((side, _)) = out else {
                break;
            };
            let code = self.view.passage(self.triangle, side);
            if code == NONE || self.view.blocks_body(self.triangle, side) {
                // Only a body that began on the wall itself comes here.
                contacts += 1;
                if !self.slide(self.inward(side), length * share) || contacts > CONTACTS {
                    break;
                }
                continue;
            }
            self.cross(side, code);
        }
        self.end(still)
    }

    fn go(&mut self, piece: DVec3) {
        self.p += piece;
        self.step -= piece;
        self.walked += piece.length();
        let y = self.normal().cross(self.x) * self.handedness;
        self.moved += DVec2::new(piece.dot(self.x), piece.dot(y));
    }

    fn inward(&self, side: usize) -> DVec2 {
        let corners = self.view.corners(self.triangle);
        let d = self.to_plane((corners[(side + 1) % 3] - corners[side]).as_dvec3());
        d.perp().normalize_or_zero()
    }

    /// Turns the rest of the step along a wall with this normal; `false` in a corner.
    fn slide(&mut self, normal: DVec2, progress: f64) -> bool {
        self.touched = true;
        // A new direction may well leave over the side it came in by.
        self.entered = None;
        if progress > f64::from(self.view.grain) * 1e-2 {
            self.touching_count = 0;
        }
        let along = self.lift(normal.perp()).normalize_or_zero();
        self.step = along * self.step.dot(along);
        let rest = self.to_plane(self.step);
        let others = &self.touching[..self.touching_count];
        let free = others
            .iter()
            .all(|n| rest.dot(*n) >= -PARALLEL * rest.length());
        if self.touching_count < self.touching.len() {
            self.touching[self.touching_count] = normal;
            self.touching_count += 1;
        }
        if !free {
            self.step = DVec3::ZERO;
        }
        free
    }

    fn cross(&mut self, side: usize, code: u32) {
        let crossing = Crossing::new(self.view, self.triangle, side, code);
        if crossing.bends() {
            let corners = self.view.corners(self.triangle);
            let (a, b) = (corners[side].as_dvec3(), corners[(side + 1) % 3].as_dvec3());
            self.p = on_segment(a, b, self.p);
            self.step = crossing.carry(self.step);
            self.x = crossing.carry(self.x);
            if crossing.flips {
                self.handedness = -self.handedness;
            }
            self.frame_changed = true;
            self.touching_count = 0;
        }
        self.triangle = crossing.triangle;
        self.normal = unit_normal(self.view, crossing.triangle);
        self.entered = Some(crossing.side);
    }

    fn first_contact(&self, piece: DVec3) -> Option<Contact> {
        let length = piece.length();
        let radius = self.radius + self.skin;
        let reach = length + radius;
        if reach < f64::from(wall_distance_bound(self.view, self.p.as_vec3())) - self.skin {
            return None;
        }
        let step = self.to_plane(piece);
        let mut first: Option<Contact> = None;
        spread(self.view, self.triangle, self.p, reach, true, |t, s, _| {
            let wall = self.view.side_wall[t as usize][s];
            if let Some(w) = self.view.walls.get(wall as usize) {
                let a = self.to_plane(w.a.as_dvec3() - self.p);
                let b = self.to_plane(w.b.as_dvec3() - self.p);
                if let Some((share, normal)) = sweep(a, b, step, radius, self.skin)
                    && first.is_none_or(|f| (share, wall) < (f.share, f.wall))
                {
                    first = Some(Contact {
                        share,
                        normal,
                        wall,
                    });
                }
            }
            reach * reach
        });
        first
    }

    fn end(mut self, still: Advanced) -> Advanced {
        if self.walked == 0.0 {
            return Advanced {
                touched_wall: self.touched,
                ..still
            };
        }
        // Off the touched walls by a grain, so that rounding does not eat into the distance.
        if self.touching_count > 0 {
            let away: DVec2 = self.touching[..self.touching_count].iter().sum();
            let nudge = self.lift(away.normalize_or_zero()) * f64::from(self.view.grain);
            let stays = exit(self.view, self.triangle, self.p, nudge, None).is_none();
            if stays {
                self.p += nudge;
            }
        }
        let mut point = self.p.as_vec3();
        if self.view.flat {
            point.z = still.to.point.z;
        }
        let frame = if self.frame_changed {
            let n = self.normal();
            let x = (self.x - n * n.dot(self.x)).normalize_or(self.x);
            Frame {
                x: x.as_vec3(),
                handedness: self.handedness as f32,
            }
        } else {
            still.frame
        };
        Advanced {
            to: Location {
                point,
                triangle: self.triangle,
            },
            frame,
            walked: self.walked as f32,
            moved: self.moved.as_vec2(),
            touched_wall: self.touched,
        }
    }
}

/// The share of a step from the origin at which a disc first touches the wall from `a` to `b`,
/// and the direction away from the wall there.
fn sweep(a: DVec2, b: DVec2, step: DVec2, radius: f64, tolerance: f64) -> Option<(f64, DVec2)> {
    let length = a.distance(b);
    if length <= 0.0 {
        return None;
    }
    let along = (b - a) / length;
    let left = along.perp();
    let height = -left.dot(a);
    if height < -tolerance {
        return None;
    }
    let foot = -along.dot(a);
    let nearest = a + along * foot.clamp(0.0, length);
    let distance = nearest.length();
    if distance <= radius {
        let normal = if (0.0..=length).contains(&foot) {
            left
        } else if distance > 1e-12 {
            -nearest / distance
        } else {
            return None;
        };
        return (step.dot(normal) < -PARALLEL * step.length()).then_some((0.0, normal));
    }
    let sinking = -step.dot(left);
    if sinking > 0.0 && height >= radius {
        let share = (height - radius) / sinking;
        let foot = foot + along.dot(step) * share;
        if share <= 1.0 && (0.0..=length).contains(&foot) {
            return Some((share, left));
        }
    }
    let mut first: Option<(f64, DVec2)> = None;
    for corner in [a, b] {
        let towards = step.dot(corner);
        let square = step.length_squared();
        let inside = towards * towards - square * (corner.length_squared() - radius * radius);
        if towards <= 0.0 || inside < 0.0 || square == 0.0 {
            continue;
        }
        let share = ((towards - inside.sqrt()) / square).max(0.0);
        if share <= 1.0 && first.is_none_or(|(best, _)| share < best) {
            first = Some((share, (step * share - corner).normalize_or_zero()));
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: DVec2 = DVec2::new(2.0, -1.0);
    const B: DVec2 = DVec2::new(2.0, 1.0);

    #[test]
    fn segments_are_as_far_apart_as_their_nearest_points() {
        let v = |x: f32, y: f32| Vec2::new(x, y);
        let apart = |at: Vec2, step: Vec2, distance: f32| {
            is_apart(v(0.0, 0.0), v(4.0, 0.0), at, step, distance)
        };
        // Beside it, past its end, towards it, through it.
        assert!(apart(v(1.0, 1.0), v(1.0, 0.0), 0.99));
        assert!(!apart(v(1.0, 1.0), v(1.0, 0.0), 1.01));
        assert!(apart(v(5.0, 1.0), v(1.0, 0.0), 1.4));
        assert!(!apart(v(5.0, 1.0), v(1.0, 0.0), 1.42));
        assert!(!apart(v(2.0, 2.0), v(0.0, -1.5), 0.51));
        assert!(apart(v(2.0, 2.0), v(0.0, -1.5), 0.49));
        assert!(!apart(v(2.0, 2.0), v(0.1, -4.0), 0.01));
        // Along its own line, and a wall of no length.
        assert!(!apart(v(1.0, 0.0), v(1.0, 0.0), 0.01));
        assert!(!is_apart(
            v(0.0, 0.0),
            Vec2::ZERO,
            v(9.0, 9.0),
            v(1.0, 0.0),
            0.1
        ));
    }

    #[test]
    fn steps_beside_walls_end_where_the_sweep_ends() {
        use crate::environment::{Environment, Floor, Polygon};
        use throng_core::random::{Purpose, Stream};
        let floor = Floor {
            walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::splat(20.0))],
            solid: vec![
                Polygon::rectangle(DVec2::new(4.0, 4.0), DVec2::new(9.0, 7.0)),
                Polygon::new(vec![
                    DVec2::new(12.0, 12.0),
                    DVec2::new(17.0, 13.0),
                    DVec2::new(13.0, 17.0),
                ]),
            ],
            thin_walls: vec![vec![DVec2::new(3.0, 14.0), DVec2::new(9.0, 10.0)]],
            ..Floor::default()
        };
        let environment = Environment {
            floors: vec![floor],
            ..Environment::default()
        };
        let ground = crate::Ground::from_environment(&environment).unwrap();
        let view = ground.view();
        let mut s = Stream::new(3, 0, Purpose::Strategy, 0);
        let (mut beside, mut met) = (0, 0);
        for _ in 0..20_000 {
            let at = Vec2::new(s.unit(), s.unit()) * 20.0 - view.origin.truncate().as_vec2();
            let Some(from) = crate::Walk::locate_plan(&view, at, None) else {
                continue;
            };
            let step = Vec2::new(s.unit() - 0.5, s.unit() - 0.5);
            let radius = 0.3 * s.unit();
            let keep = (radius + view.grain * (SKIN as f32 + 2.0)) * 1.001;
            let reach = step.length() + keep;
            if wall_in_the_way(&view, from.point, step, reach, keep) {
                met += 1;
                continue;
            }
            beside += u32::from(wall_in_the_way(&view, from.point, step, reach, reach));
            let still = Advanced {
                to: from,
                ..Advanced::default()
            };
            let open = advance_in_the_open(&view, still, step, step.length());
            let swept = Mover::new(&view, from, Frame::FLAT, step, radius).run(still);
            assert!(!swept.touched_wall, "{from:?} {step}");
            assert!(open.to.point.distance(swept.to.point) < 1e-5);
        }
        assert!(
            beside > 300 && met > 300,
            "{beside} beside walls, {met} met"
        );
    }

    #[test]
    fn a_disc_meets_the_face_at_its_radius() {
        // The free side of B to A reversed: a wall at x = 2 facing the origin runs upwards.
        let (share, normal) = sweep(A, B, DVec2::new(4.0, 0.0), 0.5, 1e-6).unwrap();
        assert!((share - 1.5 / 4.0).abs() < 1e-12);
        assert_eq!(normal, DVec2::NEG_X);
    }

    #[test]
    fn a_disc_meets_the_end_as_a_circle() {
        let step = DVec2::new(4.0, 0.0);
        let (a, b) = (A + DVec2::new(0.0, 1.3), B + DVec2::new(0.0, 1.3));
        let (share, normal) = sweep(a, b, step, 0.5, 1e-6).unwrap();
        let centre = step * share;
        assert!((centre.distance(a) - 0.5).abs() < 1e-12);
        assert!((normal - (centre - a) / 0.5).length() < 1e-12);
    }

    #[test]
    fn from_behind_or_too_near_and_leaving_there_is_no_contact() {
        assert!(sweep(B, A, DVec2::new(4.0, 0.0), 0.5, 1e-6).is_none());
        assert!(sweep(A, B, DVec2::new(-1.0, 0.0), 3.0, 1e-6).is_none());
        let (share, _) = sweep(A, B, DVec2::new(1.0, 0.0), 3.0, 1e-6).unwrap();
        assert_eq!(share, 0.0);
    }
}
