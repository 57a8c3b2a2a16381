//! Corridors: a turn becomes a gate as wide as the walkway allows.

use glam::Vec3;
use throng_core::{Frame, Gate, Location, NONE};
use throng_kit::{
    Walk,
    ground::{TraceEnd, TracePiece},
};

use super::{Improver, MARGIN, SAME_SIDE, Scratch, WIDTH, along, spokes::SpokeWalk, turns::Turn};

/// Bodies by which corridors are spread on plans at most: with six, ways through rooms are a fifth
/// longer.
const MOST_ON_PLANS: f32 = 1.0;
/// Room on either side that a body fits into, and how far walls are looked for, in radii.
pub(super) const FITS: f32 = 1.2;
const LOOK: f32 = 3.0;
/// A body's height, in radii.
const TALL: f32 = 7.5;

/// A stretch of the walkway across a path, in metres to the right of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub(super) low: f32,
    pub(super) high: f32,
}

impl Stretch {
    /// As much of it as a corridor is wide, at somebody's own share of what is left.
    pub(super) fn corridor(self, width: f32, share: f32) -> Stretch {
        let width = width.min(self.high - self.low);
        let low = self.low + share * (self.high - self.low - width);
        Stretch {
            low,
            high: low + width,
        }
    }
}

impl Improver<'_> {
    /// The gate of a turn that is kept. On curved grounds it lies a little farther along the path,
    /// so that at an edge it is on the side beyond, and no wider than that side is.
    pub(super) fn gate(
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
        // Between two edges or walls both directions share what there is, wherever the path lies.
        let most = self.most_beside(spread) * 0.99;
        let middle = if -free.low < most && free.high < most {
            (free.low + free.high) / 2.0
        } else {
            free.low.max(0.0)
        };
        if self.options.keep_right && free.high - middle >= radius * WIDTH * 1.5 {
            free.low = middle;
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
    pub(super) fn spread(&self) -> f32 {
        match (self.options.corridors, self.ground.plan) {
            (false, _) => 0.0,
            (true, false) => self.options.spread,
            (true, true) => self.options.spread.min(MOST_ON_PLANS),
        }
    }

    /// The width of the passage that begins at a point of the rim, such as a flight of stairs: two
    /// directions share all of it. Wider ones are rooms.
    pub(super) fn passage(&self, point: u32) -> Option<f32> {
        let widest = self.request.radius * (MARGIN + (4.0 + self.options.spread) * WIDTH);
        let width = self.passages.get(point as usize).copied()?;
        (self.options.corridors && width <= widest).then_some(width)
    }

    /// Somebody's own corridor in a stretch that begins at a wall.
    pub(super) fn own_corridor(&self, mut free: Stretch, wall_left: bool) -> Stretch {
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

    /// Whether a body has room after so many metres of a walk.
    pub(super) fn fits(&self, walk: &SpokeWalk, metres: f32) -> bool {
        let room = self.request.radius * FITS;
        !self.ground.plan
            || self.ground.walls.is_empty()
            || walk.surely_has(room, metres)
            || along(&walk.pieces, metres).is_some_and(|at| self.ground.clearance(at, room) >= room)
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
    pub(super) fn fitting(&self, pieces: &[TracePiece], stretch: Stretch) -> Stretch {
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

    /// How far off a place of a path a corridor may reach where nothing is in the way.
    fn most_beside(&self, spread: f32) -> f32 {
        self.request.radius * (2.0 + spread) * WIDTH
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
        let most = self.most_beside(spread);
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
}
