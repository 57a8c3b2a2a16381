//! The steps of a grid: which cells can be walked between.

use glam::Vec3;
use rayon::prelude::*;
use throng_core::{GroundView, Location, NO_DOOR, NONE, NavMap, NodeId};
use throng_kit::{
    Walk,
    ground::TraceEnd,
    lattice::Lattice,
    near_walls::{Distances, NearWalls},
};

use crate::gates::FreeCorners;

/// The nodes of each square, one per floor that has its centre there.
#[derive(Clone, Debug, Default)]
pub(crate) struct SquareNodes {
    first: Vec<NodeId>,
    count: Vec<u8>,
}

impl SquareNodes {
    pub fn none(squares: usize) -> SquareNodes {
        SquareNodes {
            first: vec![NONE; squares],
            count: vec![0; squares],
        }
    }

    /// Adds a node to a square; those of a square come one after the other.
    pub fn add(&mut self, square: u32, node: NodeId) {
        let s = square as usize;
        if self.count[s] == 0 {
            self.first[s] = node;
        }
        self.count[s] = self.count[s].saturating_add(1);
    }

    #[inline]
    pub fn of(&self, square: u32) -> core::ops::Range<NodeId> {
        let (first, count) = (self.first[square as usize], self.count[square as usize]);
        if count == 0 {
            0..0
        } else {
            first..first + NodeId::from(count)
        }
    }

    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.first.capacity() * 4 + self.count.capacity()
    }
}

/// The nodes of a grid and what is known of their surroundings.
pub(crate) struct Cells<'a> {
    /// The ground with all doors open: edges lead through doors, whatever their state.
    pub ground: GroundView<'a>,
    pub lattice: Lattice,
    pub walls: &'a NearWalls,
    pub squares: &'a SquareNodes,
    pub place: &'a [Location],
    pub distances: &'a [Distances],
}

impl Cells<'_> {
    fn floor(&self, node: NodeId) -> u16 {
        self.ground.floors[self.place[node as usize].triangle as usize]
    }

    fn square(&self, node: NodeId) -> (i64, i64) {
        let at = self.place[node as usize].point.truncate();
        let (column, row) = self.lattice.column_row(at);
        (i64::from(column), i64::from(row))
    }

    fn nodes_of(&self, column: i64, row: i64) -> core::ops::Range<NodeId> {
        let (width, height) = (self.lattice.width.into(), self.lattice.height.into());
        if column < 0 || row < 0 || column >= width || row >= height {
            return 0..0;
        }
        self.squares.of((row * width + column) as u32)
    }

    /// Whether no wall can be near enough to a step to matter.
    fn is_free(&self, from: NodeId, to: NodeId, length: f32) -> bool {
        let traced = |n: NodeId| self.distances[n as usize].traced;
        traced(from).max(traced(to)) > length
    }

    fn sees(&self, from: NodeId, to: NodeId) -> bool {
        let place = |n: NodeId| self.place[n as usize];
        let mut ignore = |_| {};
        self.ground.trace_to(place(from), place(to), &mut ignore) == TraceEnd::Reached
    }

    /// The node one square along x or y, wherever the straight walk there ends up.
    fn straight(&self, node: NodeId, right: i64, up: i64) -> NodeId {
        let (column, row) = self.square(node);
        let there = self.nodes_of(column + right, row + up);
        if there.is_empty() {
            return NONE;
        }
        let length = self.lattice.cell;
        let same = there.clone().find(|&n| self.floor(n) == self.floor(node));
        if let Some(same) = same
            && self.is_free(node, same, length)
        {
            return same;
        }
        let alone = there.len() == 1 && self.nodes_of(column, row).len() == 1;
        if alone && self.is_free(node, there.start, length) {
            return there.start;
        }
        there
            .filter(|&n| self.sees(node, n))
            .min_by_key(|&n| (Some(n) != same, n))
            .unwrap_or(NONE)
    }

    /// Whether the diagonal between two opposite corners of a square of free steps is free.
    fn diagonal(&self, from: NodeId, to: NodeId) -> bool {
        let length = self.lattice.cell * core::f32::consts::SQRT_2;
        self.is_free(from, to, length) || self.sees(from, to)
    }

    /// The length of a step: of the flat one if it is level, else of the walk over the ground.
    fn length(&self, from: NodeId, to: NodeId, level: f32) -> f32 {
        let (a, b) = (self.place[from as usize], self.place[to as usize]);
        let flat = |at: Location| self.ground.normals[at.triangle as usize].z >= 1.0;
        if self.ground.flat || (flat(a) && flat(b) && a.point.z == b.point.z) {
            return level;
        }
        let mut length = 0.0;
        let end = self
            .ground
            .trace_to(a, b, &mut |piece| length += piece.length);
        if end == TraceEnd::Reached {
            length.max(level)
        } else {
            a.point.distance(b.point).max(level)
        }
    }

    /// Writes the edges of a map whose nodes are these cells; gives the free corners of each.
    ///
    /// A diagonal needs all four straight steps about it, so no corner is cut.
    pub fn connect(&self, map: &mut NavMap) -> Vec<FreeCorners> {
        let nodes = self.place.len();
        let step = |right, up| -> Vec<NodeId> {
            (0..nodes as NodeId)
                .into_par_iter()
                .with_min_len(1024)
                .map(|node| self.straight(node, right, up))
                .collect()
        };
        let (east, north) = (step(1, 0), step(0, 1));
        let mut west = vec![NONE; nodes];
        for (node, &to) in east.iter().enumerate() {
            if to != NONE {
                west[to as usize] = node as NodeId;
            }
        }
        let via = |steps: &[NodeId], node: NodeId| match node {
            NONE => NONE,
            node => steps[node as usize],
        };
        let diagonals: Vec<[NodeId; 2]> = (0..nodes)
            .into_par_iter()
            .with_min_len(1024)
            .map(|n| {
                let (node, above) = (n as NodeId, north[n]);
                let right = via(&north, east[n]);
                let right_ok = right != NONE && via(&east, above) == right;
                let left = via(&north, west[n]);
                let left_ok = left != NONE && above != NONE && via(&east, left) == above;
                [
                    if right_ok && self.diagonal(node, right) {
                        right
                    } else {
                        NONE
                    },
                    if left_ok && self.diagonal(node, left) {
                        left
                    } else {
                        NONE
                    },
                ]
            })
            .collect();
        drop(west);

        let side = self.lattice.cell;
        let slant = (f64::from(side) * core::f64::consts::SQRT_2) as f32;
        let ways = |n: usize| {
            [
                (east[n], side),
                (north[n], side),
                (diagonals[n][0], slant),
                (diagonals[n][1], slant),
            ]
        };
        // Every step becomes two edges: rows by counting, twins known at once.
        let mut start = vec![0_u32; nodes + 1];
        for n in 0..nodes {
            for (to, _) in ways(n).into_iter().filter(|w| w.0 != NONE) {
                start[n + 1] += 1;
                start[to as usize + 1] += 1;
            }
        }
        for n in 0..nodes {
            start[n + 1] += start[n];
        }
        let edges = start[nodes] as usize;
        map.edge_from = vec![0; edges];
        map.edge_to = vec![0; edges];
        map.edge_twin = vec![0; edges];
        map.edge_length = vec![0.0; edges];
        map.edge_clearance = vec![0.0; edges];
        let measured: Vec<[(f32, f32, u16); 4]> = (0..nodes)
            .into_par_iter()
            .with_min_len(1024)
            .map(|n| ways(n).map(|(to, level)| self.measure(n as NodeId, to, level)))
            .collect();
        let has_doors = measured.iter().flatten().any(|m| m.2 != NO_DOOR);
        if has_doors {
            map.edge_door = vec![NO_DOOR; edges];
        }
        let mut next = start.clone();
        for (n, measured) in measured.iter().enumerate() {
            for ((to, _), &(length, clearance, door)) in ways(n).into_iter().zip(measured) {
                if to == NONE {
                    continue;
                }
                let there = next[n] as usize;
                next[n] += 1;
                let back = next[to as usize] as usize;
                next[to as usize] += 1;
                for (edge, twin, from, to) in [
                    (there, back, n as NodeId, to),
                    (back, there, to, n as NodeId),
                ] {
                    map.edge_from[edge] = from;
                    map.edge_to[edge] = to;
                    map.edge_twin[edge] = twin as u32;
                    map.edge_length[edge] = length;
                    map.edge_clearance[edge] = clearance;
                    if has_doors {
                        map.edge_door[edge] = door;
                    }
                }
            }
        }
        map.edge_start = start;

        let mut corners: Vec<FreeCorners> = vec![0; nodes];
        for n in 0..nodes {
            // The square of this node and those to its right and above.
            let (right, above) = (east[n], north[n]);
            let across = via(&north, right);
            if across == NONE || via(&east, above) != across {
                continue;
            }
            let rising = diagonals[n][0] != NONE;
            let falling = diagonals[right as usize][1] == above;
            let free = u8::from(rising || falling) | u8::from(rising && falling) << 4;
            for (node, quadrant) in [(n as NodeId, 0), (right, 1), (across, 2), (above, 3)] {
                corners[node as usize] |= free << quadrant;
            }
        }
        corners
    }

    /// Length, clearance and door of a step.
    fn measure(&self, from: NodeId, to: NodeId, level: f32) -> (f32, f32, u16) {
        if to == NONE {
            return (0.0, 0.0, NO_DOOR);
        }
        let point = |n: NodeId| -> Vec3 { self.place[n as usize].point };
        let ends = [from, to].map(|n| self.distances[n as usize].clearance);
        let clearance = self.walls.step_clearance(point(from), point(to), ends);
        let door = if self.ground.door_open.is_empty() || self.is_free(from, to, level) {
            NO_DOOR
        } else {
            self.walls.door_between(point(from), point(to))
        };
        (self.length(from, to, level), clearance, door)
    }
}
