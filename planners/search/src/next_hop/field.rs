//! Which way to walk inside a cell towards the gate that leads on.

use glam::Vec2;
use throng_core::{EdgeId, Gate, NONE, NavMap, NodeId, choices};

use super::{
    lanes::{Batch, Onward},
    table::Hops,
};

choices! {
    /// Which way an agent walks inside a cell.
    pub enum FieldKind {
        /// Straight through the next gate where its strip is reached, else to its nearer end.
        GateCoverage = "gate-coverage",
        /// To the middle of the next gate.
        GateCenter = "gate-center",
        /// As gate-coverage, turning on the way to the gate into the direction beyond it, so that
        /// the direction does not jump where cells meet.
        Continuous = "continuous",
    }
}

/// The cells of a map as boxes, where its regions are its nodes, each with an outline, and each
/// edge has one gate: then a direction can be told at any point.
///
/// What a look-up reads lies together: a record per cell and one per edge.
#[derive(Clone, Debug)]
pub struct CellBoxes {
    cells: Vec<CellBox>,
    strips: Vec<Border>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CellBox {
    pub low: Vec2,
    pub high: Vec2,
    first_edge: EdgeId,
    /// The floor that it is a box of, or [`NO_FLOOR`].
    floor: u32,
}

/// The floor of a cell of which it is not known: it holds nobody.
const NO_FLOOR: u32 = u32::MAX;

/// The gate of an edge, for bodies of no width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Border {
    pub left: Vec2,
    /// Unit vector from left to right.
    pub across: Vec2,
    /// From left to right.
    pub width: f32,
    /// Where the border that both cells share begins and ends, from the left end: a gate may
    /// reach beyond it to the nearest wall, where somebody would come out in another cell.
    pub shared: [f32; 2],
    /// The cell that it leads to, and in the two highest bits which ends are walls.
    to: u32,
}

/// In [`Border::to`]: the left end is a wall.
const LEFT_WALL: u32 = 1 << 31;
/// In [`Border::to`]: the right end is a wall.
const RIGHT_WALL: u32 = 1 << 30;
/// What is left of [`Border::to`]: the cell.
const CELL: u32 = RIGHT_WALL - 1;

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
            || nodes > CELL as usize
            || !one_gate
            || !(0..nodes).all(own_region)
            || map.region_ring_start.len() <= nodes
        {
            return None;
        }
        let mut cells = Vec::with_capacity(nodes);
        for n in 0..nodes {
            let ring = map.region_ring_start[n] as usize..map.region_ring_start[n + 1] as usize;
            let ring = map.region_ring.get(ring).filter(|ring| ring.len() == 4)?;
            let fold = |of: fn(Vec2, Vec2) -> Vec2| ring.iter().map(|p| p.truncate()).reduce(of);
            cells.push(CellBox {
                low: fold(Vec2::min)?,
                high: fold(Vec2::max)?,
                first_edge: map.edge_start[n],
                floor: NO_FLOOR,
            });
        }
        let strips = (0..map.edges())
            .map(|e| Border::of(map, &cells, e))
            .collect();
        Some(CellBoxes { cells, strips })
    }

    /// Says on which floor each box lies, or that this is not known.
    pub fn set_floors(&mut self, floors: impl IntoIterator<Item = Option<u16>>) {
        for (cell, floor) in self.cells.iter_mut().zip(floors) {
            cell.floor = floor.map_or(NO_FLOOR, u32::from);
        }
    }

    /// Whether a cell's box holds a point of a floor.
    #[inline]
    pub fn holds(&self, cell: u32, at: Vec2, floor: u16) -> bool {
        self.cells.get(cell as usize).is_some_and(|c| {
            at.cmpge(c.low).all() && at.cmple(c.high).all() && c.floor == u32::from(floor)
        })
    }

    /// Whether a point of a floor is within a distance of a cell's box.
    pub fn is_beside(&self, cell: u32, at: Vec2, floor: u16, distance: f32) -> bool {
        self.cells.get(cell as usize).is_some_and(|c| {
            at.clamp(c.low, c.high).distance_squared(at) <= distance * distance
                && c.floor == u32::from(floor)
        })
    }

    /// A cell and the gate that leads on from it.
    #[inline(always)]
    pub(super) fn border(
        &self,
        hops: &Hops,
        row: u32,
        cell: NodeId,
    ) -> Option<(&CellBox, &Border)> {
        let here = self.cells.get(cell as usize)?;
        let slot = hops.slot(row, cell);
        if slot == NONE {
            return None;
        }
        let border = self.strips.get((here.first_edge + slot) as usize)?;
        Some((here, border))
    }

    /// Puts a walker in a cell into a batch whose ways are those of [`CellBoxes::way`]; says
    /// whether it did: who has no way or stands beside its cell is not one for it.
    #[inline(always)]
    pub(super) fn put(
        &self,
        hops: &Hops,
        here: Onward,
        walker: &Walker,
        who: u32,
        batch: &mut Batch,
    ) -> bool {
        let Some((cell, border)) = self.border(hops, here.row, here.cell) else {
            return false;
        };
        let off = walker.at.clamp(cell.low, cell.high) - walker.at;
        if off.length_squared() > walker.radius * walker.radius {
            return false;
        }
        let beyond = Onward {
            cell: border.to & CELL,
            ..here
        };
        batch.push(who, walker, cell, border, beyond);
        true
    }

    /// The unit direction of a walker in a cell on the way to a target of a table; zero where the
    /// table has no way.
    #[inline]
    pub fn way(
        &self,
        hops: &Hops,
        row: u32,
        cell: NodeId,
        kind: FieldKind,
        walker: &Walker,
    ) -> Vec2 {
        let Some((here, border)) = self.border(hops, row, cell) else {
            return Vec2::ZERO;
        };
        // In a corner beside its cell, which a wall cuts off: into the cell first.
        let inside = walker.at.clamp(here.low, here.high);
        let off = inside - walker.at;
        if off.length_squared() > walker.radius * walker.radius {
            return off.normalize_or_zero();
        }
        match kind {
            FieldKind::GateCenter => border.strip(walker.radius).middle_way(walker.at),
            FieldKind::GateCoverage => border.strip(walker.radius).seen_from(walker.at).way(),
            FieldKind::Continuous => {
                let strip = border.strip(walker.radius);
                let seen = strip.seen_from(walker.at);
                let way = seen.way();
                let blend = if off == Vec2::ZERO {
                    strip.blend(inside, &seen, here)
                } else {
                    strip.blend(inside, &strip.seen_from(inside), here)
                };
                if blend <= 0.0 {
                    return way;
                }
                let entry = strip.left + strip.across * seen.nearest;
                let beyond =
                    self.beyond(hops, row, border.to & CELL, entry, strip.through(), walker);
                let mixed = way * (1.0 - blend) + beyond * blend;
                mixed.try_normalize().unwrap_or(way)
            }
        }
    }

    /// The direction that holds where a walker will enter a cell.
    #[inline]
    fn beyond(
        &self,
        hops: &Hops,
        row: u32,
        cell: NodeId,
        entry: Vec2,
        through: Vec2,
        walker: &Walker,
    ) -> Vec2 {
        if let Some((_, border)) = self.border(hops, row, cell) {
            return border.strip(walker.radius).seen_from(entry).way();
        }
        (walker.target - entry).try_normalize().unwrap_or(through)
    }
}

/// Metres behind a gate at which somebody aims who walks to its middle: who came along the gate
/// would never pass it otherwise.
pub(super) const BEHIND: f32 = 0.1;

impl Border {
    fn of(map: &NavMap, cells: &[CellBox], edge: usize) -> Border {
        let gate = &map.gates[edge];
        let [a, b] = [map.edge_from[edge], map.edge_to[edge]].map(|end| &cells[end as usize]);
        let (low, high) = (a.low.max(b.low), a.high.min(b.high));
        let (left, right) = (gate.left.truncate(), gate.right.truncate());
        let whole = right - left;
        let width = whole.length();
        let across = if width > 1e-6 { whole / width } else { Vec2::X };
        let [one, other] = [low, high].map(|corner| (corner - left).dot(across));
        let (first, last) = (one.min(other), one.max(other));
        let wall = |flag: u32, bit: u32| if gate.flags & flag != 0 { bit } else { 0 };
        Border {
            left,
            across,
            width,
            shared: if first < last {
                [first, last]
            } else {
                [0.0, width]
            },
            to: map.edge_to[edge]
                | wall(Gate::LEFT_WALL, LEFT_WALL)
                | wall(Gate::RIGHT_WALL, RIGHT_WALL),
        }
    }

    /// What walls at the left and the right end take off for a body of some radius.
    #[inline(always)]
    pub fn shrink(&self, radius: f32) -> Vec2 {
        let shrink = |wall: u32| if self.to & wall != 0 { radius } else { 0.0 };
        Vec2::new(shrink(LEFT_WALL), shrink(RIGHT_WALL))
    }

    /// What is left of the gate for a body of some radius.
    #[inline]
    fn strip(&self, radius: f32) -> Strip {
        let shrink = self.shrink(radius);
        let (mut from, mut to) = (shrink.x, self.width - shrink.y);
        if from > to {
            let between = self.width * from / (from + self.width - to).max(1e-6);
            (from, to) = (between, between);
        }
        let [first, last] = self.shared;
        let (from, to) = (from.clamp(first, last), to.clamp(first, last));
        Strip {
            left: self.left + self.across * from,
            width: to - from,
            across: self.across,
        }
    }
}

/// A gate as a strip that leads straight through it.
#[derive(Clone, Copy, Debug)]
struct Strip {
    left: Vec2,
    width: f32,
    /// Unit vector from left to right.
    across: Vec2,
}

/// A strip from where somebody stands.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// How far beside the strip, to its right.
    beside: f32,
    /// How far before the gate.
    before: f32,
    /// The nearest point of the gate, from its left end.
    nearest: f32,
    across: Vec2,
}

impl Seen {
    /// Through the gate from inside its strip, else to the nearer end.
    #[inline]
    fn way(&self) -> Vec2 {
        let through = self.across.perp();
        if self.beside == 0.0 {
            return through;
        }
        let to_end = through * self.before - self.across * self.beside;
        to_end.try_normalize().unwrap_or(through)
    }
}

impl Strip {
    /// Unit vector through the gate.
    #[inline]
    fn through(&self) -> Vec2 {
        self.across.perp()
    }

    /// To the middle of the gate, and through it. The middle is that of what a body has room in:
    /// that of a gate which runs on along a wall may be out of its reach, or in another cell.
    #[inline]
    fn middle_way(&self, at: Vec2) -> Vec2 {
        let through = self.through();
        let seen = self.seen_from(at);
        // Past the gate and not in the next cell yet, as where floors meet: on, not back.
        if seen.before <= 0.0 && seen.beside == 0.0 {
            return through;
        }
        let middle = self.left + self.across * (self.width / 2.0);
        let to = (middle + through * BEHIND - at).try_normalize();
        to.unwrap_or(through)
    }

    #[inline]
    fn seen_from(&self, at: Vec2) -> Seen {
        let from_left = at - self.left;
        let along = from_left.dot(self.across);
        let nearest = along.clamp(0.0, self.width);
        Seen {
            beside: along - nearest,
            before: -from_left.dot(self.through()),
            nearest,
            across: self.across,
        }
    }

    /// How far the direction beyond the gate counts: 1 on the gate, 0 on the rest of the cell's
    /// border (where others come in, and must meet this cell's own direction) and beyond half the
    /// gate's width from it.
    #[inline]
    fn blend(&self, at: Vec2, seen: &Seen, cell: &CellBox) -> f32 {
        let gap = seen.beside * seen.beside + seen.before * seen.before;
        let near = (self.width / 2.0).max(0.1);
        if gap >= near * near {
            return 0.0;
        }
        let (gap, before) = (gap.sqrt(), seen.before.max(0.0));
        // The side that the gate is in: what is left of it beside the gate.
        let beside = if seen.nearest <= 0.0 || seen.nearest >= self.width {
            before
        } else {
            let end = seen.nearest.min(self.width - seen.nearest);
            (end * end + before * before).sqrt()
        };
        let through = self.through();
        let (low, high) = (at - cell.low, cell.high - at);
        let sides = [
            (low.x, -through.x),
            (high.x, through.x),
            (low.y, -through.y),
            (high.y, through.y),
        ];
        let border = sides.into_iter().fold(beside, |least, (distance, out)| {
            if out < 0.5 {
                least.min(distance.max(0.0))
            } else {
                least
            }
        });
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
    use throng_core::{
        Location,
        random::{Purpose, Stream},
    };
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

    /// To the north.
    fn hops(map: &NavMap) -> Hops {
        let terms = Terms::lengths(map, &[], 0.0);
        Hops::new(&terms, &Incoming::of(map), &[vec![2]], Method::Dijkstra)
    }

    fn way(map: &NavMap, kind: FieldKind, cell: u32, at: Vec2) -> Vec2 {
        let hops = hops(map);
        let walker = Walker {
            at,
            radius: 0.25,
            target: Vec2::new(7.0, 8.0),
        };
        CellBoxes::of(map)
            .unwrap()
            .way(&hops, 0, cell, kind, &walker)
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

    /// Whoever stands anywhere, in whatever cell, of whatever radius.
    #[test]
    fn sixteen_at_once_walk_as_one_by_one() {
        let map = map();
        let boxes = CellBoxes::of(&map).unwrap();
        let hops = hops(&map);
        let mut draw = Stream::new(3, 0, Purpose::Strategy, 0);
        for kind in [
            FieldKind::GateCenter,
            FieldKind::GateCoverage,
            FieldKind::Continuous,
        ] {
            let (mut batch, mut expected, mut compared) = (Batch::default(), Vec::new(), 0);
            while compared < 4_000 {
                let cell = draw.below(3) as u32;
                let here = boxes.cells[cell as usize];
                let mut within = |from: f32, to: f32| draw.range(from.into(), to.into()) as f32;
                let mut at = Vec2::new(
                    within(here.low.x - 0.2, here.high.x + 0.2),
                    within(here.low.y - 0.2, here.high.y + 0.2),
                );
                // Many on borders and on whole numbers, where branches part.
                if within(0.0, 1.0) < 0.3 {
                    at = at.round();
                }
                let walker = Walker {
                    at,
                    radius: within(0.0, 1.5),
                    target: Vec2::new(within(-1.0, 9.0), within(-1.0, 9.0)),
                };
                let here = Onward {
                    cell,
                    ..Onward::default()
                };
                if boxes.put(&hops, here, &walker, compared, &mut batch) {
                    expected.push(boxes.way(&hops, 0, cell, kind, &walker));
                }
                if batch.is_full() {
                    let next = |on: Onward| boxes.border(&hops, on.row, on.cell).map(|b| b.1);
                    let ways = batch.ways(kind, next);
                    for (way, expected) in ways.into_iter().zip(expected.drain(..)) {
                        assert_eq!(way, expected, "{kind:?}");
                        compared += 1;
                    }
                    batch.clear();
                }
            }
        }
    }
}
