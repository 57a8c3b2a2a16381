//! Paths made walkable: away from edges, corridors, line of sight (Ricks and Egbert, 3.4 to 3.6).
//!
//! Away from edges: a turn on the rim is replaced by turns about a stride away from it, along those
//! edges of the mesh at the vertex that lie between the way in and the way out; where an edge is
//! shorter than a stride the walk goes on straight over the mesh. What does not leave room for the
//! body is pruned, and if nothing is left the turn stays. Where no edge lies in between, the middle
//! of the angle serves. Beyond the paper the same is done at saddles inside the surface, such as the
//! foot of a wall's end: all shortest ways bend there too.
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
    random::{Purpose, Stream},
};
use throng_kit::{
    Walk,
    geodesic::{On, Spot, Surface},
    ground::{TraceEnd, TracePiece},
    search::Terms,
};

use super::{Geodesic, Known, place, point_of};

/// Bodies by which corridors are spread on plans at most: with six, ways through rooms are a fifth
/// longer.
const MOST_ON_PLANS: f32 = 1.0;

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
/// Room on either side that a body fits into, and how far walls are looked for, in radii.
const FITS: f32 = 1.2;
const LOOK: f32 = 3.0;
/// A body's height, in radii.
const TALL: f32 = 7.5;
/// Edges at a vertex that are closer together than this are one, radians.
const APART: f64 = 0.5;
/// A vertex of the rim is a corner to go round if the surface about it exceeds half a turn by so
/// much, radians.
const CORNER: f64 = 0.1;

/// A point inside the surface is a saddle to go round if the surface about it exceeds a turn by so
/// much, radians.
const SADDLE: f64 = 0.2;
/// Ways round a saddle whose angles differ by less are as good as each other, radians.
const EVEN: f64 = 0.3;

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

impl Turn {
    /// Where one goes through it.
    fn passage(&self) -> Gate {
        self.gate.unwrap_or(Gate::waypoint(self.at))
    }
}

/// Memory that is kept from path to path.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    moved: Vec<Turn>,
    angles: Vec<f64>,
    pieces: Vec<TracePiece>,
    /// The walks to the left and to the right of a gate.
    sides: [Vec<TracePiece>; 2],
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
    /// The triangle at a spot that a walker comes to it on. A spot on an edge of the surface belongs
    /// to both sides: nobody climbs a wall to walk along its foot.
    fn side_of(&self, surface: &Surface, spot: &Spot) -> u32 {
        let alike = |triangle: u32| {
            let dot = self.ground.normals[triangle as usize].dot(self.last);
            if self.one_sided { dot.abs() } else { dot }
        };
        if self.ground.plan || alike(spot.triangle) >= DIVERGENT {
            return spot.triangle;
        }
        let nearest = |best: u32, other: u32| {
            if alike(other) > alike(best) {
                other
            } else {
                best
            }
        };
        match spot.on {
            On::Point(point) => {
                let about = surface.fan(point).iter().map(|code| code / 3);
                about.fold(spot.triangle, nearest)
            }
            On::Side(side) => match surface.across(spot.triangle, side as usize) {
                NONE => spot.triangle,
                code => nearest(spot.triangle, code / 3),
            },
            On::Inside => spot.triangle,
        }
    }

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
        let triangle = upright.side_of(&known.surface, spot);
        turns.push(Turn {
            at: Location {
                triangle,
                ..place(spot)
            },
            up: upright.at(triangle),
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
    let mut push = |mut at: Location, node: u32, cost: f64| {
        if node != NONE {
            at.triangle = upright.side_of(&known.surface, &known.spots[node as usize]);
        }
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
        own: own_share(world, request),
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
            let passed = match gates.last() {
                Some(gate) => *gate,
                None => Gate::waypoint(before),
            };
            let mut gate = improver.gate(&turns[next], before, after, improver.spread(), scratch);
            if turns[next].gate.is_none() && !improver.is_on_the_way(&passed, &gate, after) {
                gate = improver.gate(&turns[next], before, after, 0.0, scratch);
            }
            gates.push(gate);
            improver.go_over(&mut turns[next], after.point);
        }
        anchor = next;
    }
}

/// Everybody's own share of the room at a turn, the same at every turn: all shortest ways bend at
/// the same few points, and who meets there stands.
fn own_share(world: &World<'_>, request: &PlanRequest) -> f32 {
    match world.agents.id.get(request.agent as usize) {
        Some(&id) => Stream::new(world.seed, id, Purpose::Strategy, 0).unit(),
        None => 0.0,
    }
}

/// A stretch of the walkway across a path, in metres to the right of it.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    low: f32,
    high: f32,
}

impl Stretch {
    /// As much of it as a corridor is wide, at somebody's own share of what is left.
    fn corridor(self, width: f32, share: f32) -> Stretch {
        let width = width.min(self.high - self.low);
        let low = self.low + share * (self.high - self.low - width);
        Stretch {
            low,
            high: low + width,
        }
    }
}

struct Improver<'a> {
    world: &'a World<'a>,
    ground: &'a GroundView<'a>,
    surface: &'a Surface,
    request: &'a PlanRequest,
    options: &'a Geodesic,
    /// See [`own_share`].
    own: f32,
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
        // A turn on another side is behind the edge between: the one at the edge comes first.
        let turned = turns[end].up.dot(up) < DIVERGENT;
        if end == anchor + 1 || !turned && self.sees(turns, anchor, end) {
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

    /// Moves turns on the rim, and those at saddles, away from there.
    fn move_away(&self, turns: &mut Vec<Turn>, scratch: &mut Scratch) {
        if !turns.iter().any(|t| t.rim || self.is_saddle(t)) {
            return;
        }
        let Scratch {
            moved,
            angles,
            pieces,
            ..
        } = scratch;
        moved.clear();
        for i in 0..turns.len() {
            let turn = turns[i];
            let saddle = self.is_saddle(&turn);
            if !(turn.rim || saddle) || i == 0 || i + 1 == turns.len() {
                moved.push(turn);
                continue;
            }
            let (before, after) = (turns[i - 1].at.point, turns[i + 1].at);
            let first = moved.len();
            if saddle {
                self.round_saddle(&turn, before, after.point, angles, pieces, moved);
                if moved.len() == first {
                    moved.push(turn);
                }
                continue;
            }
            for spread in [self.spread(), 0.0] {
                moved.truncate(first);
                if turn.point != NONE {
                    self.round_vertex(&turn, before, after.point, spread, angles, pieces, moved);
                } else {
                    moved.extend(self.away_from_side(&turn, before, after.point, spread, pieces));
                }
                let rest = &moved[first - 1..];
                let follows = |k: usize| {
                    let next = rest.get(k + 2).map_or(after, |turn| turn.at);
                    self.is_on_the_way(&rest[k].passage(), &rest[k + 1].passage(), next)
                };
                if spread == 0.0 || (0..rest.len() - 1).all(follows) {
                    break;
                }
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
        spread: f32,
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
            if let Some(mut away) = self.away(turn, triangle, way, wall_left, spread, pieces) {
                away.corner = is_corner;
                moved.push(away);
            }
        }
    }

    /// Whether shortest paths bend at a turn inside the surface, as they do where the end of a wall
    /// meets the floor: whoever goes by there would go over this one point.
    fn is_saddle(&self, turn: &Turn) -> bool {
        !self.ground.plan
            && self.options.corridors
            && !turn.rim
            && turn.point != NONE
            && self.surface.angle(turn.point) > core::f64::consts::TAU + SADDLE
    }

    /// Turns about a saddle, on the side on which the way is shorter, or else with the saddle on the
    /// left: one behind every edge of the surface that is stepped over.
    fn round_saddle(
        &self,
        turn: &Turn,
        before: Vec3,
        after: Vec3,
        angles: &mut Vec<f64>,
        pieces: &mut Vec<TracePiece>,
        moved: &mut Vec<Turn>,
    ) {
        let fan = self.surface.fan(turn.point);
        let whole = self.surface.angle(turn.point);
        let (into, out) = (
            self.direction_in_fan(turn, before),
            self.direction_in_fan(turn, after),
        );
        let forward = (out - into).rem_euclid(whole);
        let [first, second] = self.spokes(fan, 0);
        let counter_clockwise = first.cross(second).dot(turn.up) > 0.0;
        let backward = whole - forward;
        let forwards = if (forward - backward).abs() < EVEN {
            counter_clockwise
        } else {
            forward < backward
        };
        let sector = if forwards { forward } else { backward };
        // Edges of the surface in the order in which they are stepped over.
        angles.clear();
        let normal = |i: usize| self.ground.normals[(fan[i % fan.len()] / 3) as usize];
        let mut spoke = 0.0;
        for i in 0..fan.len() {
            spoke += self.surface.corner_angle(fan[i]);
            let past = if forwards { spoke - into } else { into - spoke };
            let past = past.rem_euclid(whole);
            if past < sector && normal(i).dot(normal(i + 1)).abs() < SAME_SIDE {
                angles.push(past);
            }
        }
        angles.sort_unstable_by(f64::total_cmp);
        if angles.is_empty() {
            angles.push(sector / 2.0);
        } else {
            for i in 0..angles.len() {
                let next = angles.get(i + 1).copied().unwrap_or(sector);
                angles[i] += APART.min((next - angles[i]) / 2.0);
            }
        }
        for &past in angles.iter() {
            let angle = if forwards { into + past } else { into - past };
            let Some((triangle, way)) = self.direction_at(turn, angle.rem_euclid(whole)) else {
                continue;
            };
            let left = forwards == counter_clockwise;
            let spread = self.spread();
            if let Some(mut away) = self.away(turn, triangle, way, left, spread, pieces) {
                away.corner = true;
                away.point = NONE;
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
        spread: f32,
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
        self.away(turn, triangle, inward, wall_left, spread, pieces)
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
        if best.0.is_finite() {
            return best.1;
        }
        // Beyond the rim: the nearer end of the fan.
        let ([first, _], [_, last]) = (self.spokes(fan, 0), self.spokes(fan, fan.len() - 1));
        if way.dot(last) > way.dot(first) {
            sum
        } else {
            0.0
        }
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
        spread: f32,
        pieces: &mut Vec<TracePiece>,
    ) -> Option<Turn> {
        let radius = self.request.radius.max(1e-3);
        let margin = radius * MARGIN;
        let reach = margin + radius * (4.0 + spread) * WIDTH;
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
        let mut turned = false;
        self.ground.trace(start, frame, step, &mut |piece| {
            let there = self.ground.normals[piece.triangle as usize];
            turned |= !turn.rim && there.dot(normal) < SAME_SIDE;
            if !turned {
                pieces.push(piece);
            }
        });
        let room: f32 = pieces.iter().map(|p| p.length).sum();
        if room < radius * WIDTH {
            return None;
        }
        let stride = (radius * STRIDE).min(room / 2.0);
        let mut middle = along(pieces, stride)?;
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
            let free = Stretch {
                low: margin,
                high: last,
            };
            let mut own = self.own_corridor(free, wall_left);
            let fits = |metres: f32| self.spare(pieces, metres).is_some_and(|spare| spare >= 0.0);
            if !fits(own.low) || !fits(own.high) {
                own = self.own_corridor(self.fitting(pieces, free), wall_left);
            }
            middle = along(pieces, stride.max(own.low).min(own.high))?;
            gate = Gate::waypoint(middle);
            let (near, far) = (
                along(pieces, own.low)?.point,
                along(pieces, own.high)?.point,
            );
            (gate.left, gate.right) = if wall_left { (near, far) } else { (far, near) };
        }
        // Along the rim is not away from it.
        let clear = radius * 0.5;
        if self.ground.clearance(middle, clear) < clear {
            return None;
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

    /// Puts a turn on the side of the surface that the path goes on over.
    fn go_over(&self, turn: &mut Turn, after: Vec3) {
        let normal = |triangle: u32| self.ground.normals[triangle as usize];
        if !self.ground.plan
            && let Some((triangle, _)) = self.way_out(turn, after)
        {
            let side = turn.up.dot(normal(turn.at.triangle)).signum();
            turn.at.triangle = triangle;
            turn.up = normal(triangle) * side;
        }
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
        spread: f32,
        scratch: &mut Scratch,
    ) -> Gate {
        if let Some(gate) = turn.gate {
            return gate;
        }
        let mut at = turn.at;
        let mut across = after.point - before.point;
        if !self.ground.plan
            && let Some((there, way)) = self.beyond(turn, after.point, &mut scratch.pieces)
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
        let radius = self.request.radius;
        if !self.options.corridors || turn.rim || radius <= 0.0 || left == Vec3::ZERO {
            return Gate::waypoint(at);
        }
        let frame = if self.ground.flat {
            Frame::FLAT
        } else {
            Frame::on(normal)
        };
        let up = normal * side.signum();
        let [to_left, to_right] = &mut scratch.sides;
        let mut free = Stretch {
            low: -self.room(at, frame, up, left, spread, to_left),
            high: self.room(at, frame, up, -left, spread, to_right),
        };
        // On an edge, or next to one, a gate lies on one side of it: who walks over it in passing
        // would come back for it again and again.
        (free.low, free.high) = match free {
            Stretch { low, high } if low > high => ((low + high) / 2.0, (low + high) / 2.0),
            Stretch { low, high } => (low, high),
        };
        let mut lanes = 4.0;
        if self.options.keep_right && free.high - free.low.max(0.0) >= radius * WIDTH * 1.5 {
            free.low = free.low.max(0.0);
            lanes = 2.0;
        }
        let across = |metres: f32| {
            let pieces = if metres < 0.0 { &to_left } else { &to_right };
            along(pieces, metres.abs()).unwrap_or(at)
        };
        let own = free.corridor(lanes * WIDTH * radius, self.own);
        let middle = across(own.low.max(0.0).min(own.high));
        let [left, right] = [own.low, own.high].map(|end| {
            let end = across(end).point;
            self.in_view_of(before, middle, end)
        });
        Gate {
            left,
            middle: middle.point,
            right,
            triangle: middle.triangle,
            flags: 0,
        }
    }

    /// Bodies by which a corridor may lie farther off a turn than it must.
    fn spread(&self) -> f32 {
        match (self.options.corridors, self.ground.plan) {
            (false, _) => 0.0,
            (true, false) => self.options.spread,
            (true, true) => self.options.spread.min(MOST_ON_PLANS),
        }
    }

    /// Whether a corridor off its turn lies where the walker comes by: from the corridor before it
    /// and on to the next turn no wall stands in the way.
    fn is_on_the_way(&self, before: &Gate, gate: &Gate, after: Location) -> bool {
        // On curved grounds a lost walker is told by its sight alone.
        if !self.ground.plan || self.ground.walls.is_empty() {
            return true;
        }
        let middle_of = |gate: &Gate| Location {
            point: gate.middle,
            triangle: gate.triangle,
        };
        let (from, to) = (middle_of(before), middle_of(gate));
        walks_straight(self.ground, from, to, 0.0) && walks_straight(self.ground, to, after, 0.0)
    }

    /// Somebody's own corridor in a stretch that begins at a wall.
    fn own_corridor(&self, mut free: Stretch, wall_left: bool) -> Stretch {
        let body = WIDTH * self.request.radius;
        let halved = self.options.keep_right && free.high - free.low >= 2.0 * body;
        if halved {
            let half = (free.low + free.high) / 2.0;
            // Who has the wall on the left leaves the half along it to those who come.
            *(if wall_left {
                &mut free.low
            } else {
                &mut free.high
            }) = half;
        }
        let lanes = if halved { 2.0 } else { 4.0 };
        free.corridor(lanes * body, self.own)
    }

    /// By how much there is more room after so many metres of a walk than a body takes.
    fn spare(&self, pieces: &[TracePiece], metres: f32) -> Option<f32> {
        if !self.ground.plan || self.ground.walls.is_empty() {
            return Some(f32::INFINITY);
        }
        let radius = self.request.radius;
        let room = self.ground.clearance(along(pieces, metres)?, radius * LOOK);
        Some(room - radius * FITS)
    }

    /// The first part of a stretch of a walk in which a body fits between the walls beside it: the
    /// line across a door leads past the far post into the room.
    fn fitting(&self, pieces: &[TracePiece], stretch: Stretch) -> Stretch {
        let mut fits = Stretch {
            high: stretch.low,
            ..stretch
        };
        let mut next = stretch.low;
        while next < stretch.high {
            let Some(spare) = self.spare(pieces, next) else {
                return fits;
            };
            let step = spare.abs().max(self.request.radius * 0.25);
            if spare >= 0.0 {
                fits.high = next;
            } else if fits.high > fits.low {
                return fits;
            } else {
                (fits.low, fits.high) = (next + step, next + step);
            }
            next += step;
        }
        Stretch {
            high: stretch.high.max(fits.low),
            ..fits
        }
    }

    /// How far off a place of a path a corridor may reach: up to walls, and to edges of the surface,
    /// beyond which one would walk on another side. Negative where it must keep to the other hand.
    fn room(
        &self,
        at: Location,
        frame: Frame,
        up: Vec3,
        way: Vec3,
        spread: f32,
        pieces: &mut Vec<TracePiece>,
    ) -> f32 {
        let radius = self.request.radius;
        let most = radius * (2.0 + spread) * WIDTH;
        let (wall_margin, edge_margin) = if self.ground.plan {
            (radius * MARGIN, 0.0)
        } else {
            (radius * MARGIN, radius * (1.0 + TALL))
        };
        let normal = self.ground.normals[at.triangle as usize];
        pieces.clear();
        let (mut room, mut turned, mut beside_wall) = (0.0, None, false);
        let step = frame.to_tangent(normal, way * (most + wall_margin.max(edge_margin)));
        let end = self.ground.trace(at, frame, step, &mut |piece| {
            let there = self.ground.normals[piece.triangle as usize];
            beside_wall |= self.runs_along_wall(&piece);
            if beside_wall {
                return;
            }
            if turned.is_none() && (self.ground.plan || there.dot(normal) >= SAME_SIDE) {
                room += piece.length;
                pieces.push(piece);
            } else {
                turned.get_or_insert(there);
            }
        });
        let margin = match turned {
            // At the foot of a slope bodies on both sides lean towards each other.
            Some(there) => {
                let (cosine, facing) = (there.dot(normal), there.dot(way) * up.dot(normal));
                let lean = ((1.0 - cosine) / (1.0 + cosine).max(1e-3)).sqrt().min(1.0);
                if facing < 0.0 {
                    (radius * (1.0 + TALL * lean)).max(wall_margin)
                } else {
                    wall_margin
                }
            }
            None if end == TraceEnd::Reached && !beside_wall => 0.0,
            None => wall_margin,
        };
        let room = (room - margin).min(most);
        let free = Stretch {
            low: 0.0,
            high: room,
        };
        room.min(self.fitting(pieces, free).high)
    }

    /// Whether a piece of a walk runs along a wall, as the line across the mouth of a passage does
    /// beside it: there nobody gets through.
    fn runs_along_wall(&self, piece: &TracePiece) -> bool {
        let corners = self.ground.corners(piece.triangle);
        (0..3).any(|side| {
            if self.ground.side_wall[piece.triangle as usize][side] == NONE {
                return false;
            }
            let (from, to) = (corners[side], corners[(side + 1) % 3]);
            let wall = (to - from).normalize_or_zero();
            let off = |p: Vec3| (p - from).reject_from(wall).length();
            off(piece.enter).max(off(piece.leave)) < self.request.radius * 0.5
        })
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
}

/// Whether a body can walk straight from one place to another, without a detour over hill and dale.
pub(super) fn walks_straight(
    ground: &GroundView<'_>,
    a: Location,
    b: Location,
    radius: f32,
) -> bool {
    // Less than the radius: a corridor's middle may lie a little nearer to its wall.
    let radius = radius * 0.5;
    if ground.flat {
        return ground.sees_with_radius(a, b, radius);
    }
    let longest = a.point.distance(b.point) * DETOUR + 1e-3;
    let straight = |length: f32| length <= longest;
    ground.straight_length(a, b, radius).is_some_and(straight)
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
