//! Away from edges: turns on the rim and at saddles are moved about a stride away from there.

use glam::Vec3;
use throng_core::{Frame, Gate, Location, NONE};
use throng_kit::{Walk, geodesic::Surface, ground::TracePiece};

use super::{
    Improver, MARGIN, SAME_SIDE, Scratch, WIDTH, along, corridor::Stretch, place_of,
    spokes::SpokeWalk, turns::Turn,
};

/// A stride, in radii.
const STRIDE: f32 = 3.0;
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

/// What a turn on the rim is moved away from.
#[derive(Clone, Copy, Debug)]
struct Rim {
    /// From a side the way straight in.
    inward: Option<Vec3>,
    /// Whether it is on the left of who passes.
    wall_left: bool,
    /// Whether it is a corner to go round.
    corner: bool,
}

/// Whether there is clearly more than a turn of surface about a point inside it.
pub(in super::super) fn is_saddle(surface: &Surface, point: u32) -> bool {
    surface.angle(point) > core::f64::consts::TAU + SADDLE
}

impl Improver<'_> {
    /// Moves turns on the rim, and those at saddles, away from there.
    pub(super) fn move_away(&self, turns: &mut Vec<Turn>, scratch: &mut Scratch) {
        if !turns.iter().any(|t| t.rim || self.is_saddle(t)) {
            return;
        }
        let Scratch {
            moved,
            angles,
            walks,
            walk,
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
                self.round_saddle(&turn, before, after.point, angles, walk, moved);
                if moved.len() == first {
                    moved.push(turn);
                }
                continue;
            }
            let side = if turn.point != NONE {
                self.ways_from_vertex(&turn, before, after.point, angles)
            } else {
                self.way_from_side(&turn, before, after.point)
            };
            let corner = side.corner;
            for spread in [self.spread(), 0.0] {
                moved.truncate(first);
                let mut push = |walk: &SpokeWalk| {
                    let away = self.away(&turn, walk, side.wall_left, spread);
                    moved.extend(away.map(|away| Turn { corner, ..away }));
                };
                if let Some(inward) = side.inward {
                    self.trace_away(&turn, turn.at.triangle, inward, spread, walk.anew());
                    push(walk);
                } else {
                    for &way in angles.iter() {
                        push(self.walk_along(&turn, way, spread, walks, walk));
                    }
                }
                let rest = &moved[first - 1..];
                let follows = |k: usize| {
                    let next = rest.get(k + 1).map_or(after, |turn| turn.at);
                    self.is_free(place_of(&rest[k].passage()), next)
                };
                if spread == 0.0 || (0..rest.len()).all(follows) {
                    break;
                }
            }
            if moved.len() == first {
                moved.push(turn);
            }
        }
        core::mem::swap(turns, moved);
    }

    /// The angles of the edges at a vertex of the rim that lie between the way in and the way out,
    /// with their spokes, in the order in which they are passed.
    fn ways_from_vertex(
        &self,
        turn: &Turn,
        before: Vec3,
        after: Vec3,
        angles: &mut Vec<(f64, u32)>,
    ) -> Rim {
        let fan = self.surface.fan(turn.point);
        let (into, out) = (
            self.direction_in_fan(turn, before),
            self.direction_in_fan(turn, after),
        );
        let (low, high) = (into.min(out), into.max(out));
        angles.clear();
        let mut angle = 0.0;
        for (i, &code) in fan[..fan.len() - 1].iter().enumerate() {
            angle += self.surface.corner_angle(code);
            let free = angles.last().map_or(low, |a| a.0) + APART;
            if angle >= free && angle <= high - APART {
                angles.push((angle, self.wedges.index(turn.point, i)));
            }
        }
        if angles.is_empty() {
            angles.push(((low + high) / 2.0, NONE));
        }
        if into > out {
            angles.reverse();
        }
        // Passed counter-clockwise, the vertex is on the left.
        let counter_clockwise = self.counter_clockwise(turn);
        Rim {
            inward: None,
            wall_left: (into < out) == counter_clockwise,
            corner: self.surface.angle(turn.point) > core::f64::consts::PI + CORNER,
        }
    }

    /// Whether shortest paths bend at a turn inside the surface, as they do where the end of a wall
    /// meets the floor: whoever goes by there would go over this one point.
    fn is_saddle(&self, turn: &Turn) -> bool {
        !self.ground.plan
            && self.options.corridors
            && !turn.rim
            && turn.point != NONE
            && is_saddle(self.surface, turn.point)
    }

    /// Turns about a saddle, on the side on which the way is shorter, or else with the saddle on the
    /// left: one behind every edge of the surface that is stepped over.
    fn round_saddle(
        &self,
        turn: &Turn,
        before: Vec3,
        after: Vec3,
        angles: &mut Vec<(f64, u32)>,
        walk: &mut SpokeWalk,
        moved: &mut Vec<Turn>,
    ) {
        let fan = self.surface.fan(turn.point);
        let whole = self.surface.angle(turn.point);
        let (into, out) = (
            self.direction_in_fan(turn, before),
            self.direction_in_fan(turn, after),
        );
        let forward = (out - into).rem_euclid(whole);
        let counter_clockwise = self.counter_clockwise(turn);
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
                angles.push((past, NONE));
            }
        }
        angles.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        if angles.is_empty() {
            angles.push((sector / 2.0, NONE));
        } else {
            for i in 0..angles.len() {
                let next = angles.get(i + 1).map_or(sector, |a| a.0);
                angles[i].0 += APART.min((next - angles[i].0) / 2.0);
            }
        }
        for &(past, _) in angles.iter() {
            let angle = if forwards { into + past } else { into - past };
            let Some((triangle, way)) = self.direction_at(turn, angle.rem_euclid(whole)) else {
                continue;
            };
            let left = forwards == counter_clockwise;
            let spread = self.spread();
            self.trace_away(turn, triangle, way, spread, walk.anew());
            if let Some(mut away) = self.away(turn, walk, left, spread) {
                away.corner = true;
                away.point = NONE;
                moved.push(away);
            }
        }
    }

    /// The way straight in from a side of the rim.
    fn way_from_side(&self, turn: &Turn, before: Vec3, after: Vec3) -> Rim {
        let corners = self.ground.corners(turn.at.triangle);
        let middle = corners.into_iter().sum::<Vec3>() / 3.0;
        // Of the sides the one that the turn lies on.
        let sides = [0, 1, 2].map(|s| {
            let from = corners[s];
            let along = (corners[(s + 1) % 3] - from).normalize_or_zero();
            let off = (turn.at.point - from).reject_from(along).length();
            (off, from, along)
        });
        let nearest = |a: (f32, Vec3, Vec3), b: (f32, Vec3, Vec3)| {
            if b.0.total_cmp(&a.0).is_lt() { b } else { a }
        };
        let (_, from, along) = nearest(nearest(sides[0], sides[1]), sides[2]);
        let inward = (middle - from).reject_from(along).normalize_or_zero();
        Rim {
            inward: Some(inward),
            wall_left: turn.up.cross(after - before).dot(inward) < 0.0,
            corner: turn.corner,
        }
    }

    /// How far the walk away from a point of the rim leads.
    pub(super) fn reach(&self, point: u32, spread: f32) -> f32 {
        let radius = self.request.radius.max(1e-3);
        let margin = radius * MARGIN;
        let reach = margin + radius * (4.0 + spread) * WIDTH;
        match self.passage(point).filter(|_| spread > 0.0) {
            Some(width) => reach.max(width - margin),
            None => reach,
        }
    }

    /// Walks away from a turn in a direction, up to an edge of the surface.
    pub(super) fn trace_away(
        &self,
        turn: &Turn,
        triangle: u32,
        way: Vec3,
        spread: f32,
        pieces: &mut Vec<TracePiece>,
    ) {
        let radius = self.request.radius.max(1e-3);
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
        let step = frame.to_tangent(normal, way * self.reach(turn.point, spread));
        let mut turned = false;
        self.ground.trace(start, frame, step, &mut |piece| {
            let there = self.ground.normals[piece.triangle as usize];
            turned |= !turn.rim && there.dot(normal) < SAME_SIDE;
            if !turned {
                pieces.push(piece);
            }
        });
    }

    /// The turn about a stride from the rim along a walk away from it, with its corridor; nothing
    /// where a body does not fit.
    fn away(&self, turn: &Turn, walk: &SpokeWalk, wall_left: bool, spread: f32) -> Option<Turn> {
        let radius = self.request.radius.max(1e-3);
        let margin = radius * MARGIN;
        let reach = self.reach(turn.point, spread);
        let pieces = &walk.pieces;
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
        let mut fits = false;
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
            let fitting = self.fits(walk, own.low) && self.fits(walk, own.high);
            if !fitting {
                own = self.own_corridor(self.fitting(pieces, free), wall_left);
            }
            // Where it begins there is room already.
            fits = fitting && own.low >= stride && self.ground.plan;
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
        if !fits && self.ground.clearance(middle, clear) < clear {
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
}
