//! Line of sight: what can be walked to in a straight line.

use glam::Vec3;
use throng_core::{Gate, GroundView, Location, PlanRequest, World};
use throng_kit::{Walk, ground::TraceEnd};

use super::{super::Known, DIVERGENT, Improver, place_of, turns::Turn};

/// A straight walk over a curved surface may be so many times as long as its chord: a bit more than
/// the arc between divergent normals.
const DETOUR: f32 = 1.1;

impl Improver<'_> {
    /// The last turn that can be walked to in a straight line, or the first where sight ends.
    pub(super) fn farthest_seen(&self, turns: &[Turn], anchor: usize) -> usize {
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

    pub(super) fn sees(&self, turns: &[Turn], from: usize, to: usize) -> bool {
        let (a, b) = (turns[from].at, turns[to].at);
        // What lies on the rim can be reached by a point alone.
        let radius = match turns[from].rim || turns[to].rim {
            true => 0.0,
            false => self.request.radius,
        };
        if !walks_straight(self.ground, a, b, radius, self.hollow) {
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

    /// Whether a corridor off its turn lies where the walker comes by: from the corridor before it
    /// and on to the next turn no wall stands in the way.
    pub(super) fn is_on_the_way(&self, before: Location, gate: Location, after: Location) -> bool {
        self.is_free(before, gate) && self.is_free(gate, after)
    }

    /// Whether no wall stands between two places of a plan. On curved grounds a lost walker is told
    /// by its sight alone.
    pub(super) fn is_free(&self, from: Location, to: Location) -> bool {
        !self.ground.plan
            || self.ground.walls.is_empty()
            || walks_straight(self.ground, from, to, 0.0, self.hollow)
    }

    /// Whether nobody who walks from one gate to the next turn comes to the foot of a wall of a
    /// curved ground in between. A gate beyond an edge is walked to by way of the edge.
    pub(super) fn is_open_between(&self, before: &Gate, turn: &Turn, gate: &Gate) -> bool {
        if !self.hollow {
            return true;
        }
        let from = place_of(before);
        match [place_of(gate), turn.at]
            .into_iter()
            .find(|to| self.is_same_side(from, *to))
        {
            Some(to) => walks_straight(self.ground, from, to, 0.0, self.hollow),
            None => true,
        }
    }

    /// A gate without those of its ends that the foot of a wall of a curved ground hides from the
    /// gate before.
    pub(super) fn seen_from(&self, before: &Gate, gate: Gate) -> Gate {
        let (from, middle) = (place_of(before), place_of(&gate));
        if !self.hollow || !self.is_same_side(from, middle) {
            return gate;
        }
        let seen = |end: Vec3| {
            let free = end == gate.middle
                || self
                    .ground
                    .relocate(middle, end)
                    .is_some_and(|end| walks_straight(self.ground, from, end, 0.0, self.hollow));
            if free { end } else { gate.middle }
        };
        Gate {
            left: seen(gate.left),
            right: seen(gate.right),
            ..gate
        }
    }

    fn is_same_side(&self, a: Location, b: Location) -> bool {
        let [a, b] = [a, b].map(|at| self.ground.normals[at.triangle as usize]);
        a.dot(b) >= DIVERGENT
    }

    /// The end of a gate, or a point nearer to its middle where a wall stands between the end and
    /// where the walker comes from: seen from a stair, a gate at its foot may reach round the side
    /// wall, and who walks to that end walks into the wall for ever.
    pub(super) fn in_view_of(&self, before: Location, middle: Location, end: Vec3) -> Vec3 {
        // On curved grounds most ends lie in another plane; there a lost walker is told by its
        // sight alone.
        if !self.ground.plan || self.ground.walls.is_empty() {
            return end;
        }
        for share in [1.0, 0.5, 0.25] {
            let point = middle.point.lerp(end, share);
            let at = self.ground.relocate(middle, point);
            if at.is_some_and(|at| walks_straight(self.ground, before, at, 0.0, self.hollow)) {
                return point;
            }
        }
        middle.point
    }
}

/// Whether a body can walk straight from one place to another, without a detour over hill and dale;
/// `hollow` as in [`Known`].
pub(super) fn walks_straight(
    ground: &GroundView<'_>,
    a: Location,
    b: Location,
    radius: f32,
    hollow: bool,
) -> bool {
    // Less than the radius: a corridor's middle may lie a little nearer to its wall.
    let radius = radius * 0.5;
    if ground.flat {
        return ground.sees_with_radius(a, b, radius);
    }
    let longest = a.point.distance(b.point) * DETOUR + 1e-3;
    if hollow {
        // What lies behind a step or a ditch is out of sight, too.
        let normal = ground.normals[a.triangle as usize];
        let (mut length, mut turned) = (0.0, false);
        let end = ground.trace_to(a, b, &mut |piece| {
            length += piece.length;
            turned |= ground.normals[piece.triangle as usize].dot(normal).abs() < DIVERGENT;
        });
        if turned || end != TraceEnd::Reached || length > longest {
            return false;
        }
        if radius <= 0.0 || ground.walls.is_empty() {
            return true;
        }
    }
    ground.walks_straight(a, b, radius, longest)
}

/// Whether two places are in sight of each other: nothing is searched for then.
pub(in super::super) fn in_sight(world: &World<'_>, known: &Known, request: &PlanRequest) -> bool {
    let ground = &world.site.ground;
    let normal = |at: Location| ground.normals[at.triangle as usize];
    normal(request.from).dot(normal(request.to)) >= DIVERGENT
        && walks_straight(
            ground,
            request.from,
            request.to,
            request.radius,
            known.hollow,
        )
}
