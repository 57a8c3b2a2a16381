//! Away from edges: turns on the rim and at saddles are moved about a stride away from there.

use glam::Vec3;
use throng_core::{Frame, Gate, Location, NONE};
use throng_kit::{Walk, geodesic::Surface, ground::TracePiece};

use super::{
    Improver, MARGIN, SAME_SIDE, Scratch, WIDTH, along, corridor::Stretch, place_of, turns::Turn,
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
        let [first, second] = self.spokes(turn.point, 0);
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
            && is_saddle(self.surface, turn.point)
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
        let [first, second] = self.spokes(turn.point, 0);
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
        let mut reach = margin + radius * (4.0 + spread) * WIDTH;
        if let Some(width) = self.passage(turn.point).filter(|_| spread > 0.0) {
            reach = reach.max(width - margin);
        }
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
            let fitting = self.fits(pieces, own.low) && self.fits(pieces, own.high);
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
