//! String pulling: the shortest way through a row of gates.
//!
//! Works in plan (or in any unfolded plane). A gate of no width is a point to pass through. Ends
//! of gates that are walls are moved inwards by the radius, open ends stay.

use glam::{Vec2, Vec3};
use throng_core::Gate;

/// Places closer than this are one, metres.
const GRAIN: f32 = 1e-5;

/// The two ends of a gate in the plane, as seen by who passes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// Left end.
    pub left: Vec2,
    /// Right end.
    pub right: Vec2,
}

impl Opening {
    /// A point to pass through.
    pub fn point(at: Vec2) -> Opening {
        Opening {
            left: at,
            right: at,
        }
    }

    /// A gate seen from above, its wall ends moved inwards by a radius; where that leaves nothing
    /// the opening is the point in between that shares the gate fairly.
    pub fn of(gate: &Gate, radius: f32) -> Opening {
        let (left, right) = (gate.left.truncate(), gate.right.truncate());
        Opening { left, right }.shrunk(
            if gate.flags & Gate::LEFT_WALL != 0 {
                radius
            } else {
                0.0
            },
            if gate.flags & Gate::RIGHT_WALL != 0 {
                radius
            } else {
                0.0
            },
        )
    }

    /// Both ends moved inwards.
    pub fn shrunk(self, from_left: f32, from_right: f32) -> Opening {
        let across = self.right - self.left;
        let width = across.length();
        let taken = from_left + from_right;
        if taken <= 0.0 || width <= 0.0 {
            return self;
        }
        let direction = across / width;
        if taken >= width {
            return Opening::point(self.left + direction * (width * from_left / taken));
        }
        Opening {
            left: self.left + direction * from_left,
            right: self.right - direction * from_right,
        }
    }

    /// Whether a walker at `from` is already through: on the gate's line or beyond it. A point is
    /// never behind anybody.
    fn is_behind(&self, from: Vec2) -> bool {
        let across = self.left - self.right;
        across.length_squared() > GRAIN * GRAIN
            && across.perp_dot(from - self.right) <= GRAIN * across.length()
    }
}

/// Where the pulled string first touches something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// The point.
    pub point: Vec2,
    /// Index of the opening whose end it is, or the number of openings if it is the target.
    pub opening: usize,
}

/// The first corner of the shortest way from `from` through the openings to `target`, which is
/// the target itself if nothing is in between. Nothing is allocated. Leading openings that the
/// walker is already through are skipped.
pub fn next_corner(
    from: Vec2,
    openings: impl IntoIterator<Item = Opening>,
    target: Vec2,
) -> Corner {
    first_corner(from, openings, target, true)
}

/// [`next_corner`] if the string bends within these openings, whatever comes after them.
pub fn next_bend(from: Vec2, openings: impl IntoIterator<Item = Opening>) -> Option<Corner> {
    let mut funnel = Funnel::new(from);
    let mut leading = true;
    let mut openings = openings.into_iter().enumerate();
    openings.find_map(|(index, opening)| {
        leading = leading && opening.is_behind(from);
        if leading {
            return None;
        }
        funnel.narrow(opening, index)
    })
}

fn first_corner(
    from: Vec2,
    openings: impl IntoIterator<Item = Opening>,
    target: Vec2,
    skip_passed: bool,
) -> Corner {
    let mut funnel = Funnel::new(from);
    let mut count = 0;
    let mut leading = skip_passed;
    for opening in openings {
        leading = leading && opening.is_behind(from);
        if !leading && let Some(corner) = funnel.narrow(opening, count) {
            return corner;
        }
        count += 1;
    }
    funnel
        .narrow(Opening::point(target), count)
        .unwrap_or(Corner {
            point: target,
            opening: count,
        })
}

/// A funnel: an apex and the two outermost straight ways that are still possible from it.
#[derive(Clone, Copy, Debug)]
struct Funnel {
    apex: Vec2,
    left: Option<Corner>,
    right: Option<Corner>,
}

impl Funnel {
    fn new(apex: Vec2) -> Funnel {
        Funnel {
            apex,
            left: None,
            right: None,
        }
    }

    /// Takes in the next opening; gives the corner where the string must bend, if it must.
    fn narrow(&mut self, opening: Opening, index: usize) -> Option<Corner> {
        // Positive if b is to the left of a, seen from the apex.
        let turn = |a: Vec2, b: Vec2| (a - self.apex).perp_dot(b - self.apex);
        let (mut left, mut right) = (self.left, self.right);
        if let Some(r) = self.right
            && turn(r.point, opening.left) < 0.0
        {
            return Some(r);
        }
        if let Some(l) = self.left
            && turn(l.point, opening.right) > 0.0
        {
            return Some(l);
        }
        if self.left.is_none_or(|l| turn(l.point, opening.left) <= 0.0) {
            left = Some(Corner {
                point: opening.left,
                opening: index,
            });
        }
        if self
            .right
            .is_none_or(|r| turn(r.point, opening.right) >= 0.0)
        {
            right = Some(Corner {
                point: opening.right,
                opening: index,
            });
        }
        // An end at the apex itself bounds no direction.
        let bounds = |c: &Corner| c.point.distance_squared(self.apex) > GRAIN * GRAIN;
        self.left = left.filter(bounds);
        self.right = right.filter(bounds);
        None
    }
}

/// How many gates count on the way to a target: those at the end that it lies before, next to
/// their middle, need not be passed to reach it. (On a medial axis the gate across a node may
/// lie beyond places that hang on the edge behind the node.)
pub fn gates_before(gates: &[Gate], to: Vec2) -> usize {
    let mut count = gates.len();
    while let Some(gate) = gates[..count].last() {
        let opening = Opening::of(gate, 0.0);
        let middle = gate.middle.truncate();
        let near = middle.distance_squared(to) <= middle.distance_squared(opening.left);
        if !near || opening.left == opening.right || opening.is_behind(to) {
            break;
        }
        count -= 1;
    }
    count
}

/// Appends the corners of the shortest way from `from` through all the gates to `to`, both ends
/// left out: plan points, each with the index of its gate.
pub fn pull(gates: &[Gate], from: Vec2, to: Vec2, radius: f32, corners: &mut Vec<Corner>) {
    let gates = &gates[..gates_before(gates, to)];
    let mut apex = from;
    let mut first = 0;
    while first < gates.len() {
        let rest = gates[first..].iter().map(|g| Opening::of(g, radius));
        let corner = first_corner(apex, rest, to, first == 0);
        if corner.opening + first >= gates.len() {
            break;
        }
        let opening = corner.opening + first;
        if corner.point.distance_squared(apex) > GRAIN * GRAIN {
            corners.push(Corner {
                point: corner.point,
                opening,
            });
            apex = corner.point;
        }
        first = opening + 1;
    }
}

/// The length of the shortest way through gates over a floor plan, metres. Seen from above it is
/// the pulled string; where gates differ in height it climbs from gate to gate.
pub fn pulled_length(gates: &[Gate], from: Vec3, to: Vec3, radius: f32) -> f32 {
    let gates = &gates[..gates_before(gates, to.truncate())];
    let mut corners = Vec::new();
    pull(gates, from.truncate(), to.truncate(), radius, &mut corners);
    let mut length = 0.0;
    let (mut at, mut gate) = (from, 0);
    let mut bends = corners.iter().copied();
    loop {
        let bend = bends.next();
        let (end, last) = match bend {
            Some(corner) => (corner.point, corner.opening),
            None => (to.truncate(), gates.len()),
        };
        let start = at.truncate();
        for passed in &gates[gate.min(last)..last] {
            if Opening::of(passed, 0.0).is_behind(start) {
                continue;
            }
            let on_gate = crossing(passed, start, end);
            length += on_gate.distance(at);
            at = on_gate;
        }
        let bent = match bend {
            Some(corner) => corner.point.extend(crossing(&gates[last], start, end).z),
            None => to,
        };
        length += bent.distance(at);
        at = bent;
        gate = last + 1;
        if bend.is_none() {
            return length;
        }
    }
}

/// Where a straight way from `a` to `b` passes a gate, with the gate's height there.
fn crossing(gate: &Gate, a: Vec2, b: Vec2) -> Vec3 {
    let (left, way) = (gate.left.truncate(), b - a);
    let across = gate.right.truncate() - left;
    let denominator = across.perp_dot(way);
    let share = if denominator.abs() > 1e-12 {
        ((a - left).perp_dot(way) / denominator).clamp(0.0, 1.0)
    } else {
        // Along the gate or a gate of no width: its point nearest the end.
        let squared = across.length_squared();
        if squared > 0.0 {
            ((b - left).dot(across) / squared).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    gate.left + (gate.right - gate.left) * share
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gate(left: (f32, f32), right: (f32, f32), flags: u32) -> Gate {
        let at = |p: (f32, f32)| Vec3::new(p.0, p.1, 0.0);
        Gate {
            left: at(left),
            middle: (at(left) + at(right)) / 2.0,
            right: at(right),
            triangle: 0,
            flags,
        }
    }

    const BOTH: u32 = Gate::LEFT_WALL | Gate::RIGHT_WALL;

    #[test]
    fn a_corridor_in_line_is_straight() {
        let gates = [
            gate((1.0, 1.0), (1.0, -1.0), BOTH),
            gate((2.0, 1.0), (2.0, -1.0), BOTH),
        ];
        let length = pulled_length(&gates, Vec3::ZERO, Vec3::new(3.0, 0.5, 0.0), 0.2);
        assert!((length - Vec2::new(3.0, 0.5).length()).abs() < 1e-6);
    }

    #[test]
    fn a_bend_touches_its_inner_corner_and_radius_moves_it() {
        // Round the corner (1, 1): up to the left of x = 1 and then right above y = 1.
        let gates = [
            gate((0.0, 1.0), (1.0, 1.0), BOTH),
            gate((1.0, 2.0), (1.0, 1.0), BOTH),
        ];
        let (from, to) = (Vec3::new(0.5, -1.0, 0.0), Vec3::new(3.0, 1.0, 0.0));
        let via = |corner: Vec2| corner.distance(from.truncate()) + to.truncate().distance(corner);
        let length = pulled_length(&gates, from, to, 0.0);
        assert!((length - via(Vec2::ONE)).abs() < 1e-5);
        let mut corners = Vec::new();
        pull(&gates, from.truncate(), to.truncate(), 0.2, &mut corners);
        assert_eq!(corners[0].point, Vec2::new(0.8, 1.0));
        assert!(pulled_length(&gates, from, to, 0.2) > length);
        // Open ends do not shrink.
        let open = gates.map(|g| Gate { flags: 0, ..g });
        assert_eq!(pulled_length(&open, from, to, 0.2), length);
    }

    #[test]
    fn points_are_passed_through() {
        let gates = [(1.0, 1.0), (2.0, -1.0), (3.0, 0.0)].map(|p| gate(p, p, 0));
        let length = pulled_length(&gates, Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), 0.3);
        let wanted = 2.0_f32.sqrt() + 5.0_f32.sqrt() + 2.0_f32.sqrt() + 1.0;
        assert!((length - wanted).abs() < 1e-5, "{length} {wanted}");
        let corner = next_corner(
            Vec2::ZERO,
            gates.iter().map(|g| Opening::of(g, 0.3)),
            Vec2::new(4.0, 0.0),
        );
        assert_eq!(
            corner,
            Corner {
                point: Vec2::ONE,
                opening: 0
            }
        );
    }

    #[test]
    fn gates_already_passed_are_skipped() {
        let openings = [
            Opening {
                left: Vec2::new(1.0, 1.0),
                right: Vec2::new(1.0, 0.5),
            },
            Opening {
                left: Vec2::new(3.0, 1.0),
                right: Vec2::new(3.0, 0.5),
            },
        ];
        // Beyond the first gate and beside it: only the second one bends the way.
        let corner = next_corner(Vec2::new(2.0, -1.0), openings, Vec2::new(4.0, -1.0));
        assert_eq!(
            corner,
            Corner {
                point: Vec2::new(3.0, 0.5),
                opening: 1
            }
        );
        // Right on the first gate's line, or on its end.
        for from in [Vec2::new(1.0, 0.7), Vec2::new(1.0, 1.0)] {
            let corner = next_corner(from, openings, Vec2::new(4.0, 0.7));
            assert_eq!(corner.opening, 2, "{from}");
        }
        // Beyond all of them.
        assert_eq!(
            next_corner(Vec2::new(5.0, 0.0), openings, Vec2::X).opening,
            2
        );
    }

    #[test]
    fn too_narrow_a_gate_becomes_its_middle() {
        let opening = Opening::of(&gate((0.0, 1.0), (0.0, 0.0), BOTH), 0.7);
        assert_eq!(opening, Opening::point(Vec2::new(0.0, 0.5)));
        let one_wall = Opening::of(&gate((0.0, 1.0), (0.0, 0.0), Gate::LEFT_WALL), 0.4);
        assert_eq!(one_wall.right, Vec2::ZERO);
        assert!((one_wall.left.y - 0.6).abs() < 1e-6);
    }

    #[test]
    fn stairs_add_their_climb() {
        // A ramp from height 0 at x = 1 to height 3 at x = 5.
        let lift = |g: Gate, z: f32| Gate {
            left: g.left + Vec3::Z * z,
            middle: g.middle + Vec3::Z * z,
            right: g.right + Vec3::Z * z,
            ..g
        };
        let gates = [
            lift(gate((1.0, 1.0), (1.0, -1.0), 0), 0.0),
            lift(gate((5.0, 1.0), (5.0, -1.0), 0), 3.0),
        ];
        let length = pulled_length(&gates, Vec3::ZERO, Vec3::new(6.0, 0.0, 3.0), 0.0);
        assert!((length - 7.0).abs() < 1e-5);
    }

    proptest! {
        /// Never shorter than the straight line, never longer than by way of any points of the
        /// gates, and every gate is passed between its ends.
        #[test]
        fn the_string_is_shortest(
            steps in prop::collection::vec((-0.5_f32..0.5, 0.1_f32..2.0, 0.0_f32..1.0), 1..12),
            end in -2.0_f32..2.0,
        ) {
            let mut gates = Vec::new();
            let mut any = vec![Vec3::ZERO];
            let mut y = 0.0;
            for (i, &(drift, width, share)) in steps.iter().enumerate() {
                let x = i as f32 + 1.0;
                y += drift * 3.0;
                gates.push(gate((x, y + width), (x, y - width), 0));
                any.push(Vec3::new(x, y - width + 2.0 * width * share, 0.0));
            }
            let to = Vec3::new(steps.len() as f32 + 1.0, end, 0.0);
            any.push(to);
            let length = pulled_length(&gates, Vec3::ZERO, to, 0.0);
            let other: f32 = any.windows(2).map(|w| w[0].distance(w[1])).sum();
            prop_assert!(length <= other + 1e-3);
            prop_assert!(length >= to.length() - 1e-3);
            let mut corners = Vec::new();
            pull(&gates, Vec2::ZERO, to.truncate(), 0.0, &mut corners);
            let mut points = vec![Vec2::ZERO];
            points.extend(corners.iter().map(|c| c.point));
            points.push(to.truncate());
            for (i, g) in gates.iter().enumerate() {
                let x = i as f32 + 1.0;
                let leg = points.windows(2).find(|w| w[0].x <= x && x <= w[1].x).unwrap();
                let share = (x - leg[0].x) / (leg[1].x - leg[0].x);
                let at = leg[0].y + (leg[1].y - leg[0].y) * share;
                prop_assert!(at <= g.left.y + 1e-3 && at >= g.right.y - 1e-3);
            }
        }
    }
}
