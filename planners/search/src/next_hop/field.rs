//! Which way to walk inside a cell towards the gate that leads on.

use glam::Vec2;
use throng_core::{EdgeId, Gate, NONE, NavMap, NodeId, choices};

use super::table::Hops;

choices! {
    /// Which way an agent walks inside a cell.
    pub enum FieldKind {
        /// Straight through the next gate where its strip is reached, else to its nearer end.
        GateCoverage = "gate-coverage",
        /// To the middle of the next gate; in thin cells along a wall two such directions can
        /// face each other, and people swing there.
        GateCenter = "gate-center",
        /// As gate-coverage, turning on the way to the gate into the direction beyond it, so that
        /// the direction does not jump where cells meet.
        Continuous = "continuous",
    }
}

/// The cells of a map as boxes, where its regions are its nodes, each with an outline, and each
/// edge has one gate: then a direction can be told at any point.
#[derive(Clone, Debug)]
pub struct CellBoxes {
    low: Vec<Vec2>,
    high: Vec<Vec2>,
}

/// What a walker's direction depends on beside its cell and target.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    /// Where it is, in plan.
    pub at: Vec2,
    /// Its radius: wall ends of gates shrink by it.
    pub radius: f32,
    /// Where it goes in the end.
    pub target: Vec2,
}

impl CellBoxes {
    /// The boxes of a map, if it is one of cells with a gate per edge.
    pub fn of(map: &NavMap) -> Option<CellBoxes> {
        let nodes = map.nodes();
        let own_region = |n: usize| map.node_region[n] == n as u32;
        let one_gate = map.gate_start.len() == map.edges() + 1
            && map.gates.len() == map.edges()
            && map
                .gate_start
                .iter()
                .enumerate()
                .all(|(e, g)| e as u32 == *g);
        if nodes == 0
            || !one_gate
            || !(0..nodes).all(own_region)
            || map.region_ring_start.len() <= nodes
        {
            return None;
        }
        let (mut low, mut high) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
        for n in 0..nodes {
            let ring = map.region_ring_start[n] as usize..map.region_ring_start[n + 1] as usize;
            let ring = map.region_ring.get(ring).filter(|ring| ring.len() == 4)?;
            let fold = |of: fn(Vec2, Vec2) -> Vec2| ring.iter().map(|p| p.truncate()).reduce(of);
            low.push(fold(Vec2::min)?);
            high.push(fold(Vec2::max)?);
        }
        Some(CellBoxes { low, high })
    }

    /// The unit direction of a walker in a cell on the way to a target of a table; zero where the
    /// table has no way.
    #[inline]
    pub fn way(
        &self,
        map: &NavMap,
        hops: &Hops,
        row: u32,
        cell: NodeId,
        kind: FieldKind,
        walker: &Walker,
    ) -> Vec2 {
        let edge = hops.next(map, row, cell);
        if edge == NONE {
            return Vec2::ZERO;
        }
        let (low, high) = (self.low[cell as usize], self.high[cell as usize]);
        // In a corner beside its cell, which a wall cuts off: into the cell first.
        let inside = walker.at.clamp(low, high);
        let off = inside - walker.at;
        if off.length_squared() > walker.radius * walker.radius {
            return off.normalize_or_zero();
        }
        let gate = &map.gates[edge as usize];
        match kind {
            FieldKind::GateCenter => to_middle(gate, walker.at),
            FieldKind::GateCoverage => self.strip(map, edge, walker.radius).way(walker.at),
            FieldKind::Continuous => {
                let strip = self.strip(map, edge, walker.radius);
                let way = strip.way(walker.at);
                let blend = strip.blend(inside, low, high);
                if blend <= 0.0 {
                    return way;
                }
                let beyond = self.beyond(map, hops, row, edge, &strip, walker);
                let mixed = way * (1.0 - blend) + beyond * blend;
                mixed.try_normalize().unwrap_or(way)
            }
        }
    }

    /// The direction that holds where a walker will come out of a gate.
    fn beyond(
        &self,
        map: &NavMap,
        hops: &Hops,
        row: u32,
        edge: EdgeId,
        strip: &Strip,
        walker: &Walker,
    ) -> Vec2 {
        let entry = strip.nearest(walker.at);
        let next = hops.next(map, row, map.edge_to[edge as usize]);
        if next == NONE {
            (walker.target - entry)
                .try_normalize()
                .unwrap_or(strip.through)
        } else {
            self.strip(map, next, walker.radius).way(entry)
        }
    }

    /// The strip of an edge's gate, no wider than the border that its two cells share: a gate may
    /// reach beyond it to the nearest wall, where somebody would come out in another cell.
    #[inline]
    fn strip(&self, map: &NavMap, edge: EdgeId, radius: f32) -> Strip {
        let e = edge as usize;
        let (a, b) = (map.edge_from[e] as usize, map.edge_to[e] as usize);
        let (low, high) = (self.low[a].max(self.low[b]), self.high[a].min(self.high[b]));
        Strip::of(&map.gates[e], radius).within(low, high)
    }
}

/// Metres behind a gate at which somebody aims who walks to its middle: who came along the gate
/// would never pass it otherwise.
const BEHIND: f32 = 0.1;

/// To the middle of a gate, and through it.
#[inline]
fn to_middle(gate: &Gate, at: Vec2) -> Vec2 {
    let through = (gate.right - gate.left)
        .truncate()
        .perp()
        .normalize_or_zero();
    let to = (gate.middle.truncate() + through * BEHIND - at).try_normalize();
    to.unwrap_or(through)
}

/// A gate as a strip that leads straight through it.
#[derive(Clone, Copy, Debug)]
struct Strip {
    left: Vec2,
    width: f32,
    /// Unit vector from left to right.
    across: Vec2,
    /// Unit vector through the gate.
    through: Vec2,
}

impl Strip {
    #[inline]
    fn of(gate: &Gate, radius: f32) -> Strip {
        let (left, right) = (gate.left.truncate(), gate.right.truncate());
        let whole = right - left;
        let width = whole.length();
        let across = if width > 1e-6 { whole / width } else { Vec2::X };
        let shrink = |wall: u32| if gate.flags & wall != 0 { radius } else { 0.0 };
        let (mut from, mut to) = (shrink(Gate::LEFT_WALL), width - shrink(Gate::RIGHT_WALL));
        if from > to {
            let between = width * from / (from + width - to).max(1e-6);
            (from, to) = (between, between);
        }
        Strip {
            left: left + across * from,
            width: to - from,
            across,
            through: across.perp(),
        }
    }

    /// The part of the strip between two corners, seen along the gate.
    #[inline]
    fn within(self, low: Vec2, high: Vec2) -> Strip {
        let [a, b] = [low, high].map(|corner| (corner - self.left).dot(self.across));
        let (first, last) = (a.min(b), a.max(b));
        if last <= first {
            return self;
        }
        let from = 0.0_f32.clamp(first, last);
        let to = self.width.clamp(first, last);
        Strip {
            left: self.left + self.across * from,
            width: to - from,
            ..self
        }
    }

    /// Through the gate from inside its strip, else to the nearer end.
    #[inline]
    fn way(&self, at: Vec2) -> Vec2 {
        let along = (at - self.left).dot(self.across);
        let nearest = along.clamp(0.0, self.width);
        if along == nearest {
            return self.through;
        }
        let end = self.left + self.across * nearest;
        (end - at).try_normalize().unwrap_or(self.through)
    }

    /// The point of the gate nearest to a place.
    fn nearest(&self, at: Vec2) -> Vec2 {
        let along = (at - self.left).dot(self.across);
        self.left + self.across * along.clamp(0.0, self.width)
    }

    /// How far the direction beyond the gate counts: 1 on the gate, 0 on the rest of the cell's
    /// border (where others come in, and must meet this cell's own direction) and beyond half the
    /// gate's width from it.
    fn blend(&self, at: Vec2, low: Vec2, high: Vec2) -> f32 {
        let gap = at.distance(self.nearest(at));
        let near = (self.width / 2.0).max(0.1);
        if gap >= near {
            return 0.0;
        }
        let along = (at - self.left).dot(self.across);
        let before = (self.left - at).dot(self.through).max(0.0);
        // The side that the gate is in: what is left of it beside the gate.
        let beside = if along <= 0.0 || along >= self.width {
            before
        } else {
            let end = along.min(self.width - along);
            (end * end + before * before).sqrt()
        };
        let sides = [
            (at.x - low.x, Vec2::NEG_X),
            (high.x - at.x, Vec2::X),
            (at.y - low.y, Vec2::NEG_Y),
            (high.y - at.y, Vec2::Y),
        ];
        let others = sides
            .into_iter()
            .filter(|(_, out)| out.dot(self.through) < 0.5)
            .map(|(distance, _)| distance.max(0.0));
        let border = others.fold(beside, f32::min);
        if border <= 0.0 {
            return 0.0;
        }
        (1.0 - gap / near) * border / (border + gap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Vec2, Vec3};
    use throng_core::Location;
    use throng_kit::search::{Incoming, Terms};

    use super::super::table::Method;

    /// Three cells: west (0, 0) to (4, 4), east (4, 1) to (8, 4), north (6, 4) to (8, 9).
    fn map() -> NavMap {
        let boxes = [
            [[0.0, 0.0], [4.0, 4.0]],
            [[4.0, 1.0], [8.0, 4.0]],
            [[6.0, 4.0], [8.0, 9.0]],
        ];
        let place = |x: f32, y: f32| Location {
            point: Vec3::new(x, y, 0.0),
            triangle: 0,
        };
        let mut map = NavMap::default();
        for [[x0, y0], [x1, y1]] in boxes {
            map.node_place.push(place((x0 + x1) / 2.0, (y0 + y1) / 2.0));
            map.region_ring_start.push(map.region_ring.len() as u32);
            for (x, y) in [(x0, y0), (x1, y0), (x1, y1), (x0, y1)] {
                map.region_ring.push(Vec3::new(x, y, 0.0));
            }
        }
        map.region_ring_start.push(12);
        map.node_region = vec![0, 1, 2];
        map.region_area = vec![16.0, 12.0, 10.0];
        map.region_place = map.node_place.clone();
        let gate = |left: (f32, f32), right: (f32, f32)| Gate {
            left: Vec3::new(left.0, left.1, 0.0),
            middle: Vec3::new((left.0 + right.0) / 2.0, (left.1 + right.1) / 2.0, 0.0),
            right: Vec3::new(right.0, right.1, 0.0),
            triangle: 0,
            flags: Gate::LEFT_WALL | Gate::RIGHT_WALL,
        };
        let east = gate((4.0, 4.0), (4.0, 1.0));
        let north = gate((6.0, 4.0), (8.0, 4.0));
        map.edge_start = vec![0, 1, 3, 4];
        map.edge_from = vec![0, 1, 1, 2];
        map.edge_to = vec![1, 0, 2, 1];
        map.edge_twin = vec![1, 0, 3, 2];
        map.edge_length = vec![4.0; 4];
        map.edge_clearance = vec![1.0; 4];
        map.gates = vec![east, east.reversed(), north, north.reversed()];
        map.gate_start = (0..=4).collect();
        map.check().unwrap();
        map
    }

    fn way(map: &NavMap, kind: FieldKind, cell: u32, at: Vec2) -> Vec2 {
        let terms = Terms::lengths(map, &[], 0.0);
        let incoming = Incoming::of(map);
        let hops = Hops::new(&terms, &incoming, &[vec![2]], Method::Dijkstra);
        let walker = Walker {
            at,
            radius: 0.25,
            target: Vec2::new(7.0, 8.0),
        };
        CellBoxes::of(map)
            .unwrap()
            .way(map, &hops, 0, cell, kind, &walker)
    }

    #[test]
    fn fields_are_those_of_the_thesis() {
        let map = map();
        let at = Vec2::new(1.0, 3.0);
        let center = way(&map, FieldKind::GateCenter, 0, at);
        assert!((center - Vec2::new(3.0 + BEHIND, -0.5).normalize()).length() < 1e-6);
        assert_eq!(way(&map, FieldKind::GateCoverage, 0, at), Vec2::X);
        // Below the strip: to its end, a radius from the wall.
        let low = Vec2::new(3.0, 0.25);
        let end = way(&map, FieldKind::GateCoverage, 0, low);
        assert!(
            (end - Vec2::new(1.0, 1.0).normalize()).length() < 1e-6,
            "{end}"
        );
        // Far from the gate the continuous field is the same; nothing leads on at the target.
        assert_eq!(
            way(&map, FieldKind::Continuous, 0, Vec2::new(1.0, 2.5)),
            Vec2::X
        );
        assert_eq!(
            way(&map, FieldKind::Continuous, 2, Vec2::new(7.0, 5.0)),
            Vec2::ZERO
        );
        // In a corner that is no part of the cell: back into it.
        let off = way(&map, FieldKind::GateCoverage, 1, Vec2::new(5.0, 0.2));
        assert_eq!(off, Vec2::Y);
    }

    #[test]
    fn the_continuous_field_does_not_jump_at_gates() {
        let map = map();
        let mut worst = [0.0_f32; 3];
        let kinds = [
            FieldKind::GateCenter,
            FieldKind::GateCoverage,
            FieldKind::Continuous,
        ];
        for (k, kind) in kinds.into_iter().enumerate() {
            for i in 1..24 {
                let y = 1.25 + 2.5 * i as f32 / 24.0;
                let before = way(&map, kind, 0, Vec2::new(4.0 - 1e-4, y));
                let after = way(&map, kind, 1, Vec2::new(4.0 + 1e-4, y));
                worst[k] = worst[k].max(before.angle_to(after).abs().to_degrees());
            }
        }
        assert!(worst[0] > 30.0 && worst[1] > 30.0, "{worst:?}");
        assert!(worst[2] < 1.0, "{worst:?}");
    }
}
