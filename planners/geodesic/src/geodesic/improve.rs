//! Paths made walkable: away from edges, corridors, line of sight (Ricks and Egbert, 3.4 to 3.6).
//!
//! Away from edges: a turn on the rim is replaced by turns about a stride away from it, along those
//! edges of the mesh at the vertex that lie between the way in and the way out; where an edge is
//! shorter than a stride the walk goes on straight over the mesh. What does not leave room for the
//! body is pruned, and if nothing is left the turn stays. Where no edge lies in between, the middle
//! of the angle serves.
//!
//! Corridors: such a turn becomes a gate from the rim along its edge, about four bodies long and
//! clamped to the walkway. Turns in the open are given the same width. Beyond the paper, everybody
//! keeps to the right half of a corridor: all routes turn at the same few corners, and who meets
//! there head-on stands.
//!
//! Line of sight: turns that can be passed by in a straight line are left out. Sight ends at a turn
//! that was moved away from a corner of the rim, and where normals diverge by more than 60 degrees.
//! The authors take sight for granted otherwise; here a straight walk is traced, and where the
//! crowd has its price it must not cost more than the path it replaces.
//!
//! Lengths come from the agent: a stride is three radii, a body two.

use glam::Vec3;
use throng_core::{
    Attachment, EdgeId, Frame, Gate, GroundView, Location, NONE, PlanRequest, World,
};
use throng_kit::{
    Walk,
    geodesic::{On, Spot, Surface},
    ground::{Advanced, TracePiece},
    search::Terms,
};

use super::{Geodesic, Known, place, point_of};

/// Normals whose product is below this end the line of sight.
const DIVERGENT: f32 = 0.5;
/// Ends of a gate lie on the same side of edges as its middle: normals with at least this product.
const SAME_SIDE: f32 = 0.85;
/// A straight walk over a curved surface may be so many times as long as its chord: a bit more than
/// the arc between divergent normals.
const DETOUR: f32 = 1.1;
/// A stride and a body's width, in radii.
const STRIDE: f32 = 3.0;
const WIDTH: f32 = 2.0;
/// Distance of a corridor's ends from walls, in radii: who hugs a corner gets stuck at it.
const MARGIN: f32 = 1.75;
/// How often the way to an edge of the surface is halved.
const HALVINGS: usize = 5;
/// Edges at a vertex that are closer together than this are one, radians.
const APART: f64 = 0.5;
/// A vertex of the rim is a corner to go round if the surface about it exceeds half a turn by so
/// much, radians.
const CORNER: f64 = 0.1;

/// A place that a path goes through.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    at: Location,
    /// Away from the surface on the walker's side.
    up: Vec3,
    /// The point of the surface that it is, or NONE.
    point: u32,
    /// Whether it lies on the rim.
    rim: bool,
    /// Cost from the turn before.
    cost: f64,
    /// The gate that replaces it, if it was moved away.
    gate: Option<Gate>,
    /// Whether sight ends here.
    corner: bool,
}

/// Memory that is kept from path to path.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    moved: Vec<Turn>,
    angles: Vec<f64>,
    pieces: Vec<TracePiece>,
}

fn first_up(world: &World<'_>, request: &PlanRequest) -> Vec3 {
    let normal = world.site.ground.normals[request.from.triangle as usize];
    match world.agents.frame.get(request.agent as usize) {
        Some(frame) => frame.up(normal),
        None => normal,
    }
}

/// Carries up from turn to turn.
struct Upright<'a> {
    ground: &'a GroundView<'a>,
    one_sided: bool,
    sign: f32,
    last: Vec3,
}

impl Upright<'_> {
    fn at(&mut self, triangle: u32) -> Vec3 {
        let normal = self.ground.normals[triangle as usize];
        // Neighbouring turns of a smooth one-sided surface are much alike; elsewhere the side
        // never changes.
        if self.one_sided && normal.dot(self.last) < 0.0 {
            self.sign = -self.sign;
        }
        self.last = normal;
        normal * self.sign
    }
}

fn upright<'a>(world: &'a World<'_>, known: &Known, request: &PlanRequest) -> Upright<'a> {
    let ground = &world.site.ground;
    let normal = ground.normals[request.from.triangle as usize];
    Upright {
        ground,
        one_sided: known.one_sided,
        sign: if first_up(world, request).dot(normal) < 0.0 {
            -1.0
        } else {
            1.0
        },
        last: normal,
    }
}

/// The turns of a path over the triangles.
pub(super) fn turns_of_spots(
    world: &World<'_>,
    known: &Known,
    request: &PlanRequest,
    path: &[Spot],
    turns: &mut Vec<Turn>,
) {
    turns.clear();
    let mut upright = upright(world, known, request);
    let mut last: Option<&Spot> = None;
    for spot in path {
        let cost = last.map_or(0.0, |l| l.at.distance(spot.at));
        last = Some(spot);
        let point = point_of(spot);
        let on_rim_side = |side: u32| known.surface.across(spot.triangle, side as usize) == NONE;
        turns.push(Turn {
            at: place(spot),
            up: upright.at(spot.triangle),
            point,
            rim: match spot.on {
                On::Point(point) => known.surface.is_rim(point),
                On::Side(side) => on_rim_side(side),
                On::Inside => false,
            },
            cost,
            gate: None,
            corner: false,
        });
    }
}

/// The turns of a route over the map's edges.
pub(super) fn turns_of_route(
    world: &World<'_>,
    known: &Known,
    request: &PlanRequest,
    from: Attachment,
    edges: &[EdgeId],
    terms: &Terms<'_>,
    turns: &mut Vec<Turn>,
) {
    turns.clear();
    let mut upright = upright(world, known, request);
    let mut push = |at: Location, node: u32, cost: f64| {
        turns.push(Turn {
            at,
            up: upright.at(at.triangle),
            point: match node {
                NONE => NONE,
                node => point_of(&known.spots[node as usize]),
            },
            rim: node != NONE && known.rim[node as usize],
            cost,
            gate: None,
            corner: false,
        });
    };
    let place = |node: u32| world.map.node_place[node as usize];
    push(request.from, NONE, 0.0);
    let first = f64::from(from.distance) * terms.least_base;
    push(place(from.node), from.node, first);
    let mut last = from.node;
    for &edge in edges {
        last = world.map.edge_to[edge as usize];
        push(place(last), last, terms.cost(edge));
    }
    let rest = place(last).point.distance(request.to.point);
    push(request.to, NONE, f64::from(rest) * terms.least_base);
}

/// The gates of a path, improved as the options say. Turns are used up.
pub(super) fn gates_of(
    world: &World<'_>,
    known: &Known,
    request: &PlanRequest,
    options: &Geodesic,
    turns: &mut Vec<Turn>,
    gates: &mut Vec<Gate>,
    scratch: &mut Scratch,
) {
    gates.clear();
    let improver = Improver {
        world,
        ground: &world.site.ground,
        surface: &known.surface,
        request,
        options,
    };
    if options.away_from_edges {
        improver.move_away(turns, scratch);
    }
    let count = turns.len();
    if count < 3 {
        return;
    }
    let mut anchor = 0;
    while anchor + 1 < count {
        let next = if options.line_of_sight {
            improver.farthest_seen(turns, anchor)
        } else {
            anchor + 1
        };
        if next + 1 < count {
            let (before, after) = (turns[anchor].at, turns[next + 1].at);
            gates.push(improver.gate(&turns[next], before, after, &mut scratch.pieces));
        }
        anchor = next;
    }
}

/// An end of a gate.
#[derive(Clone, Copy, Debug)]
struct End {
    at: Vec3,
    /// Metres from the middle to the wall or the edge, or to the end.
    room: f32,
    /// Whether a wall or an edge is there.
    closed: bool,
}

struct Improver<'a> {
    world: &'a World<'a>,
    ground: &'a GroundView<'a>,
    surface: &'a Surface,
    request: &'a PlanRequest,
    options: &'a Geodesic,
}

impl Improver<'_> {
    /// The last turn that can be walked to in a straight line, or the first where sight ends.
    fn farthest_seen(&self, turns: &[Turn], anchor: usize) -> usize {
        let (up, count) = (turns[anchor].up, turns.len());
        // Where sight ends whatever is in between.
        let mut end = anchor + 1;
        while end + 1 < count && !turns[end].corner && turns[end].up.dot(up) >= DIVERGENT {
            end += 1;
        }
        if end == anchor + 1 || self.sees(turns, anchor, end) {
            return end;
        }
        // Seen at `low`, not at `high`: sight is taken to end once on the way.
        let (mut low, mut high) = (anchor + 1, end);
        let mut step = 1;
        while low + step < high {
            if self.sees(turns, anchor, low + step) {
                low += step;
                step *= 2;
            } else {
                high = low + step;
                break;
            }
        }
        while high - low > 1 {
            let middle = (low + high) / 2;
            if self.sees(turns, anchor, middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    fn sees(&self, turns: &[Turn], from: usize, to: usize) -> bool {
        let (a, b) = (turns[from].at, turns[to].at);
        // What lies on the rim can be reached by a point alone.
        let radius = match turns[from].rim || turns[to].rim {
            true => 0.0,
            false => self.request.radius,
        };
        if !walks_straight(self.ground, a, b, radius) {
            return false;
        }
        let prices = self.request.prices as usize;
        if self
            .world
            .prices
            .get(prices)
            .is_none_or(|p| p.uniform.is_some())
        {
            return true;
        }
        let paid: f64 = turns[from + 1..=to].iter().map(|t| t.cost).sum();
        self.world.segment_price(prices, a, b).is_some_and(|price| {
            f64::from(price.base + self.request.weight * price.crowd) <= paid * 1.001
        })
    }

    /// Moves turns on the rim away from it.
    fn move_away(&self, turns: &mut Vec<Turn>, scratch: &mut Scratch) {
        if !turns.iter().any(|t| t.rim) {
            return;
        }
        let Scratch {
            moved,
            angles,
            pieces,
        } = scratch;
        moved.clear();
        for i in 0..turns.len() {
            let turn = turns[i];
            if !turn.rim || i == 0 || i + 1 == turns.len() {
                moved.push(turn);
                continue;
            }
            let (before, after) = (turns[i - 1].at.point, turns[i + 1].at.point);
            let first = moved.len();
            if turn.point != NONE {
                self.round_vertex(&turn, before, after, angles, pieces, moved);
            } else if let Some(gate) = self.away_from_side(&turn, before, after, pieces) {
                moved.push(gate);
            }
            if moved.len() == first {
                moved.push(turn);
            }
        }
        core::mem::swap(turns, moved);
    }

    /// Turns along the edges at a vertex of the rim that lie between the way in and the way out.
    fn round_vertex(
        &self,
        turn: &Turn,
        before: Vec3,
        after: Vec3,
        angles: &mut Vec<f64>,
        pieces: &mut Vec<TracePiece>,
        moved: &mut Vec<Turn>,
    ) {
        let fan = self.surface.fan(turn.point);
        let (into, out) = (
            self.direction_in_fan(turn, before),
            self.direction_in_fan(turn, after),
        );
        let (low, high) = (into.min(out), into.max(out));
        angles.clear();
        let mut angle = 0.0;
        for &code in &fan[..fan.len() - 1] {
            angle += self.surface.corner_angle(code);
            let free = angles.last().map_or(low, |a| *a) + APART;
            if angle >= free && angle <= high - APART {
                angles.push(angle);
            }
        }
        if angles.is_empty() {
            angles.push((low + high) / 2.0);
        }
        // In the order in which they are passed.
        if into > out {
            angles.reverse();
        }
        // Passed counter-clockwise, the vertex is on the left.
        let [first, second] = self.spokes(fan, 0);
        let counter_clockwise = first.cross(second).dot(turn.up) > 0.0;
        let wall_left = (into < out) == counter_clockwise;
        let is_corner = self.surface.angle(turn.point) > core::f64::consts::PI + CORNER;
        for &angle in angles.iter() {
            let Some((triangle, way)) = self.direction_at(turn, angle) else {
                continue;
            };
            if let Some(mut away) = self.away(turn, triangle, way, wall_left, pieces) {
                away.corner = is_corner;
                moved.push(away);
            }
        }
    }

    /// A turn straight in from a side of the rim.
    fn away_from_side(
        &self,
        turn: &Turn,
        before: Vec3,
        after: Vec3,
        pieces: &mut Vec<TracePiece>,
    ) -> Option<Turn> {
        let triangle = turn.at.triangle;
        let [a, b, c] = self.ground.corners(triangle);
        let middle = (a + b + c) / 3.0;
        // Of the sides the one that the turn lies on.
        let side = (0..3).min_by(|p, q| {
            let off = |s: usize| {
                let (u, v) = ([a, b, c][s], [a, b, c][(s + 1) % 3]);
                let along = (v - u).normalize_or_zero();
                (turn.at.point - u).reject_from(along).length()
            };
            off(*p).total_cmp(&off(*q))
        })?;
        let (u, v) = ([a, b, c][side], [a, b, c][(side + 1) % 3]);
        let along = (v - u).normalize_or_zero();
        let inward = (middle - u).reject_from(along).normalize_or_zero();
        let wall_left = turn.up.cross(after - before).dot(inward) < 0.0;
        self.away(turn, triangle, inward, wall_left, pieces)
    }

    /// Spokes of a corner of a fan in the order of the fan: unit vectors.
    fn spokes(&self, fan: &[u32], i: usize) -> [Vec3; 2] {
        let code = fan[i];
        let (t, k) = (code / 3, code as usize % 3);
        let c = self.ground.corners(t);
        let ends = [(k + 1) % 3, (k + 2) % 3].map(|j| (c[j] - c[k]).normalize_or_zero());
        // The spoke shared with the next corner comes second.
        let shared = |other: u32| {
            let (u, j) = (other / 3, other as usize % 3);
            let own = |q: usize| self.ground.triangles[t as usize][q];
            let theirs = self.ground.triangles[u as usize];
            let has = |v: u32| theirs[(j + 1) % 3] == v || theirs[(j + 2) % 3] == v;
            has(own((k + 1) % 3))
        };
        let second_is_first = match (fan.get(i + 1), i.checked_sub(1)) {
            (Some(&next), _) => shared(next),
            (None, Some(previous)) => !shared(fan[previous]),
            (None, None) => false,
        };
        if second_is_first {
            [ends[1], ends[0]]
        } else {
            ends
        }
    }

    /// The angle about a vertex of the rim at which a near point lies, from the fan's beginning.
    fn direction_in_fan(&self, turn: &Turn, to: Vec3) -> f64 {
        let fan = self.surface.fan(turn.point);
        let way = (to - turn.at.point).normalize_or_zero();
        let mut sum = 0.0;
        let mut best = (f64::INFINITY, 0.0);
        for i in 0..fan.len() {
            let [first, second] = self.spokes(fan, i);
            let corner = self.surface.corner_angle(fan[i]);
            // Clearly outside this triangle's wedge: no need to measure.
            let normal = first.cross(second);
            let outside = first
                .cross(way)
                .dot(normal)
                .min(way.cross(second).dot(normal));
            if outside < -0.2 * normal.length_squared() {
                sum += corner;
                continue;
            }
            let angle = |a: Vec3, b: Vec3| {
                let (a, b) = (a.as_dvec3(), b.as_dvec3());
                throng_core::math::atan2(a.cross(b).length(), a.dot(b))
            };
            let (p, q) = (angle(first, way), angle(way, second));
            // Nothing is left over if the way lies in this triangle.
            let off = p + q - corner;
            if off < best.0 {
                best = (off, sum + (corner * p / (p + q).max(1e-12)));
            }
            sum += corner;
        }
        best.1
    }

    /// The triangle and the unit vector at an angle about a vertex of the rim.
    fn direction_at(&self, turn: &Turn, angle: f64) -> Option<(u32, Vec3)> {
        let fan = self.surface.fan(turn.point);
        let mut sum = 0.0;
        for i in 0..fan.len() {
            let corner = self.surface.corner_angle(fan[i]);
            if angle <= sum + corner || i + 1 == fan.len() {
                let [first, _] = self.spokes(fan, i);
                let [_, second] = self.spokes(fan, i);
                let across = (second - first * second.dot(first)).normalize_or_zero();
                let inside = (angle - sum).clamp(0.0, corner);
                let (sin, cos) = (
                    throng_core::math::sin(inside),
                    throng_core::math::cos(inside),
                );
                let way = first * cos as f32 + across * sin as f32;
                return Some((fan[i] / 3, way));
            }
            sum += corner;
        }
        None
    }

    /// The turn about a stride from the rim in a direction, with its corridor; nothing where a
    /// body does not fit.
    fn away(
        &self,
        turn: &Turn,
        triangle: u32,
        way: Vec3,
        wall_left: bool,
        pieces: &mut Vec<TracePiece>,
    ) -> Option<Turn> {
        let radius = self.request.radius.max(1e-3);
        let margin = radius * MARGIN;
        let reach = margin + radius * 4.0 * WIDTH;
        pieces.clear();
        let normal = self.ground.normals[triangle as usize];
        let frame = if self.ground.flat {
            Frame::FLAT
        } else {
            Frame::on(normal)
        };
        // A hair inside, so that the walk does not begin on the wall.
        let start = Location {
            point: turn.at.point + way * (radius * 1e-2),
            triangle,
        };
        let step = frame.to_tangent(normal, way * reach);
        self.ground
            .trace(start, frame, step, &mut |piece| pieces.push(piece));
        let room: f32 = pieces.iter().map(|p| p.length).sum();
        if room < radius * WIDTH {
            return None;
        }
        let stride = (radius * STRIDE).min(room / 2.0);
        let middle = along(pieces, stride)?;
        let up = self.ground.normals[middle.triangle as usize]
            * turn
                .up
                .dot(self.ground.normals[turn.at.triangle as usize])
                .signum();
        let mut gate = Gate::waypoint(middle);
        // Clamped to the walkway: as far from the wall beyond as from the near one.
        let last = if room < reach * 0.99 {
            room - margin
        } else {
            room
        };
        if self.options.corridors && last > margin {
            let (mut near, mut far) = (margin, last);
            if self.options.keep_right && last - margin >= 2.0 * WIDTH * radius {
                // Who has the wall on the left leaves the half along it to those who come.
                let half = (near + far) / 2.0;
                *(if wall_left { &mut near } else { &mut far }) = half;
                gate.middle = along(pieces, if wall_left { half } else { stride.min(half) })?.point;
            }
            let (near, far) = (along(pieces, near)?.point, along(pieces, far)?.point);
            (gate.left, gate.right) = if wall_left { (near, far) } else { (far, near) };
        }
        Some(Turn {
            at: middle,
            up,
            gate: Some(gate),
            rim: false,
            ..*turn
        })
    }

    /// The way on from a turn: the triangle that it leads into, and its unit vector there.
    fn way_out(&self, turn: &Turn, after: Vec3) -> Option<(u32, Vec3)> {
        if turn.point != NONE {
            return self.direction_at(turn, self.direction_in_fan(turn, after));
        }
        let way = after - turn.at.point;
        let own = turn.at.triangle;
        // On a side the way may lead into the triangle beyond it.
        let c = self.ground.corners(own);
        let sides = (0..3).filter_map(|side| {
            let along = (c[(side + 1) % 3] - c[side]).normalize_or_zero();
            let off = (turn.at.point - c[side]).reject_from(along).length();
            let code = self.ground.passage(own, side);
            (off <= self.ground.grain * 8.0 && code != NONE).then_some(code / 3)
        });
        // Into whose plane it turns least, and not away from it.
        let turned = |triangle: u32| {
            let [a, b, c] = self.ground.corners(triangle);
            let inward = (a + b + c) / 3.0 - turn.at.point;
            let off = way.dot(self.ground.normals[triangle as usize]).abs();
            off + (-way.dot(inward.normalize_or_zero())).max(0.0)
        };
        let triangle = core::iter::once(own)
            .chain(sides)
            .min_by(|a, b| turned(*a).total_cmp(&turned(*b)))?;
        let flat = way.reject_from(self.ground.normals[triangle as usize]);
        flat.try_normalize().map(|way| (triangle, way))
    }

    /// A place a little farther along the path than a turn, and the way there: at an edge it is on
    /// the side beyond.
    fn beyond(
        &self,
        turn: &Turn,
        after: Vec3,
        pieces: &mut Vec<TracePiece>,
    ) -> Option<(Location, Vec3)> {
        let room = turn.at.point.distance(after);
        let shift = (self.request.radius.max(1e-3) * WIDTH).min(room / 2.0);
        let (triangle, way) = self.way_out(turn, after)?;
        let normal = self.ground.normals[triangle as usize];
        let frame = Frame::on(normal);
        // A hair inside, so that the walk does not begin on a side.
        let start = Location {
            point: turn.at.point + way * (shift * 1e-2),
            triangle,
        };
        pieces.clear();
        let step = frame.to_tangent(normal, way * shift);
        self.ground
            .trace(start, frame, step, &mut |piece| pieces.push(piece));
        let last = pieces.last()?;
        let there = Location {
            point: last.leave,
            triangle: last.triangle,
        };
        Some((there, last.direction))
    }

    /// The gate of a turn that is kept. On curved grounds it lies a little farther along the path,
    /// so that at an edge it is on the side beyond, and no wider than that side is.
    fn gate(
        &self,
        turn: &Turn,
        before: Location,
        after: Location,
        pieces: &mut Vec<TracePiece>,
    ) -> Gate {
        if let Some(gate) = turn.gate {
            return gate;
        }
        let mut at = turn.at;
        let mut across = after.point - before.point;
        if !self.ground.plan
            && let Some((there, way)) = self.beyond(turn, after.point, pieces)
        {
            at = there;
            // Over an edge the way in, seen from the side beyond, may lead backwards.
            let came = self.ground.normals[before.triangle as usize];
            let goes = self.ground.normals[at.triangle as usize];
            if came.dot(goes).abs() < SAME_SIDE {
                across = way;
            }
        }
        let side = turn.up.dot(self.ground.normals[turn.at.triangle as usize]);
        let normal = self.ground.normals[at.triangle as usize];
        let left = (normal * side.signum()).cross(across).normalize_or_zero();
        let half = self.request.radius * 2.0 * WIDTH;
        if !self.options.corridors || turn.rim || half <= 0.0 || left == Vec3::ZERO {
            return Gate::waypoint(at);
        }
        let frame = if self.ground.flat {
            Frame::FLAT
        } else {
            Frame::on(normal)
        };
        let margin = self.request.radius * MARGIN;
        let mut ends = [left, -left].map(|way| self.end(at, frame, way * half));
        // On an edge, or next to one, a gate lies on one side of it: who walks over it in passing
        // would come back for it again and again.
        if !self.ground.plan {
            for (near, far) in [(0, 1), (1, 0)] {
                let missing = margin - ends[near].room;
                if ends[near].closed && missing > 0.0 && ends[far].room > missing {
                    let way = if near == 0 { -left } else { left };
                    let step = frame.to_tangent(normal, way * missing);
                    at = self.ground.advance(at, frame, step, 0.0).to;
                    ends[near].at = at.point;
                    if ends[far].room < missing + margin && ends[far].closed {
                        ends[far].at = at.point;
                    }
                    break;
                }
            }
        }
        for end in &mut ends {
            end.at = self.in_view_of(before, at, end.at);
        }
        if self.options.keep_right
            && at.point.distance(ends[1].at) >= self.request.radius * WIDTH * 1.5
        {
            ends[0].at = at.point;
        }
        Gate {
            left: ends[0].at,
            middle: at.point,
            right: ends[1].at,
            triangle: at.triangle,
            flags: 0,
        }
    }

    /// The end of a gate, or a point nearer to its middle where a wall stands between the end and
    /// where the walker comes from: seen from a stair, a gate at its foot may reach round the side
    /// wall, and who walks to that end walks into the wall for ever.
    fn in_view_of(&self, before: Location, middle: Location, end: Vec3) -> Vec3 {
        // On curved grounds most ends lie in another plane; there a lost walker is told by its
        // sight alone.
        if !self.ground.plan || self.ground.walls.is_empty() {
            return end;
        }
        for share in [1.0, 0.5, 0.25] {
            let point = middle.point.lerp(end, share);
            let at = self.ground.relocate(middle, point);
            if at.is_some_and(|at| walks_straight(self.ground, before, at, 0.0)) {
                return point;
            }
        }
        middle.point
    }

    /// An end of a gate: as far as this from its middle, less where a wall or an edge is.
    fn end(&self, at: Location, frame: Frame, way: Vec3) -> End {
        let normal = self.ground.normals[at.triangle as usize];
        let walk = |share: f32| {
            let step = frame.to_tangent(normal, way * share);
            self.ground.advance(at, frame, step, 0.0)
        };
        let same_side = |there: &Advanced| {
            let beyond = self.ground.normals[there.to.triangle as usize];
            self.ground.plan || beyond.dot(normal) >= SAME_SIDE
        };
        let mut there = walk(1.0);
        let mut closed = there.touched_wall;
        if !same_side(&there) {
            closed = true;
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..HALVINGS {
                let middle = (low + high) / 2.0;
                if same_side(&walk(middle)) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            there = walk(low);
        }
        let room = there.to.point.distance(at.point);
        let margin = if closed {
            self.request.radius * MARGIN
        } else {
            0.0
        };
        let share = ((room - margin) / room.max(1e-6)).max(0.0);
        End {
            at: at.point.lerp(there.to.point, share),
            room,
            closed,
        }
    }
}

/// Whether a body can walk straight from one place to another, without a detour over hill and dale.
pub(super) fn walks_straight(
    ground: &GroundView<'_>,
    a: Location,
    b: Location,
    radius: f32,
) -> bool {
    // Less than the radius: a corridor's middle may lie a little nearer to its wall.
    let radius = if ground.walls.is_empty() {
        0.0
    } else {
        radius * 0.5
    };
    let longest = a.point.distance(b.point) * DETOUR + 1e-3;
    (ground.straight_length(a, b, radius)).is_some_and(|length| ground.flat || length <= longest)
}

/// Whether two places are in sight of each other: nothing is searched for then.
pub(super) fn in_sight(world: &World<'_>, request: &PlanRequest) -> bool {
    let ground = &world.site.ground;
    let normal = |at: Location| ground.normals[at.triangle as usize];
    normal(request.from).dot(normal(request.to)) >= DIVERGENT
        && walks_straight(ground, request.from, request.to, request.radius)
}

/// The place after so many metres of a straight walk.
fn along(pieces: &[TracePiece], metres: f32) -> Option<Location> {
    let mut left = metres;
    for piece in pieces {
        if left <= piece.length {
            return Some(Location {
                point: piece.enter + piece.direction * left,
                triangle: piece.triangle,
            });
        }
        left -= piece.length;
    }
    pieces.last().map(|piece| Location {
        point: piece.leave,
        triangle: piece.triangle,
    })
}
