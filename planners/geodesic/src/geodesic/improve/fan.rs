//! Directions about a point of the surface, and the way on from a turn.

use glam::Vec3;
use throng_core::{Frame, GroundView, Location, NONE};
use throng_kit::{Walk, geodesic::Surface, ground::TracePiece};

use super::{Improver, WIDTH, turns::Turn};

/// Angles that differ by less are the same, radians.
const NOTHING: f64 = 1e-9;

/// A corner of the fan about a point: what lies between two spokes.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Wedge {
    /// Unit vectors in the order of the fan.
    pub(super) spokes: [Vec3; 2],
    /// Square to both, as long as the sine of the angle between them.
    normal: Vec3,
    /// The angle, radians.
    angle: f64,
    triangle: u32,
}

impl Wedge {
    /// A corner of a fan.
    pub fn of(ground: &GroundView<'_>, surface: &Surface, fan: &[u32], i: usize) -> Wedge {
        let spokes = spokes_of(ground, fan, i);
        Wedge {
            spokes,
            normal: spokes[0].cross(spokes[1]),
            angle: surface.corner_angle(fan[i]),
            triangle: fan[i] / 3,
        }
    }
}

impl Improver<'_> {
    /// The corners about a point, in order; those about the rim and saddles are known.
    fn wedges(&self, point: u32) -> impl Iterator<Item = Wedge> + use<'_> {
        let known = self.wedges.of(point).unwrap_or_default();
        let fan = self.surface.fan(point);
        let others = known.len()..fan.len();
        let others = others.map(move |i| Wedge::of(self.ground, self.surface, fan, i));
        known.iter().copied().chain(others)
    }

    /// Whether the corners about a point come counter-clockwise, seen from above.
    pub(super) fn counter_clockwise(&self, turn: &Turn) -> bool {
        let first = self.wedges(turn.point).next();
        first.is_some_and(|wedge| wedge.normal.dot(turn.up) > 0.0)
    }

    /// The angle about a vertex of the rim at which a near point lies, from the fan's beginning.
    pub(super) fn direction_in_fan(&self, turn: &Turn, to: Vec3) -> f64 {
        let way = (to - turn.at.point).normalize_or_zero();
        let mut sum = 0.0;
        let mut best = (f64::INFINITY, 0.0);
        let mut ends = [Vec3::ZERO; 2];
        for (i, wedge) in self.wedges(turn.point).enumerate() {
            let [first, second] = wedge.spokes;
            ends = [if i == 0 { first } else { ends[0] }, second];
            // Clearly outside this triangle's wedge: no need to measure.
            let normal = wedge.normal;
            let outside = first
                .cross(way)
                .dot(normal)
                .min(way.cross(second).dot(normal));
            if outside < -0.2 * normal.length_squared() {
                sum += wedge.angle;
                continue;
            }
            let angle = |a: Vec3, b: Vec3| {
                let (a, b) = (a.as_dvec3(), b.as_dvec3());
                throng_core::math::atan2(a.cross(b).length(), a.dot(b))
            };
            let (p, q) = (angle(first, way), angle(way, second));
            // Nothing is left over if the way lies in this triangle.
            let off = p + q - wedge.angle;
            if off < best.0 {
                best = (off, sum + (wedge.angle * p / (p + q).max(1e-12)));
                if off < NOTHING {
                    return best.1;
                }
            }
            sum += wedge.angle;
        }
        if best.0.is_finite() {
            return best.1;
        }
        // Beyond the rim: the nearer end of the fan.
        if way.dot(ends[1]) > way.dot(ends[0]) {
            sum
        } else {
            0.0
        }
    }

    /// The triangle and the unit vector at an angle about a vertex of the rim.
    pub(super) fn direction_at(&self, turn: &Turn, angle: f64) -> Option<(u32, Vec3)> {
        let mut sum = 0.0;
        let mut last = None;
        for wedge in self.wedges(turn.point) {
            last = Some((sum, wedge));
            if angle <= sum + wedge.angle {
                break;
            }
            sum += wedge.angle;
        }
        let (sum, wedge) = last?;
        let [first, second] = wedge.spokes;
        let across = (second - first * second.dot(first)).normalize_or_zero();
        let inside = (angle - sum).clamp(0.0, wedge.angle);
        let (sin, cos) = (
            throng_core::math::sin(inside),
            throng_core::math::cos(inside),
        );
        let way = first * cos as f32 + across * sin as f32;
        Some((wedge.triangle, way))
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
    pub(super) fn go_over(&self, turn: &mut Turn, after: Vec3) {
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
    pub(super) fn beyond(
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
}

/// Spokes of a corner of a fan in the order of the fan: unit vectors.
fn spokes_of(ground: &GroundView<'_>, fan: &[u32], i: usize) -> [Vec3; 2] {
    let code = fan[i];
    let (t, k) = (code / 3, code as usize % 3);
    let c = ground.corners(t);
    let ends = [(k + 1) % 3, (k + 2) % 3].map(|j| (c[j] - c[k]).normalize_or_zero());
    // The spoke shared with the next corner comes second.
    let shared = |other: u32| {
        let (u, j) = (other / 3, other as usize % 3);
        let own = |q: usize| ground.triangles[t as usize][q];
        let theirs = ground.triangles[u as usize];
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
