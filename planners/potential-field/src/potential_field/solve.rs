//! The eikonal equation by fast marching, and the way down its solution.
//!
//! Treuille et al., section 4.2: unit cost depends on the direction walked, so each cell has one
//! per neighbour. A cell's potential comes from the cheaper neighbour along each axis:
//! ((phi - phi_x) / c_x)^2 + ((phi - phi_y) / c_y)^2 = 1, the larger root; one axis alone where
//! the other has none.

use std::{cmp::Reverse, collections::BinaryHeap};

use glam::Vec2;
use throng_core::NONE;

use super::{
    cells::{Cells, WAYS},
    crowd::Crowd,
    subgoals::{Bytes, Reader},
};

/// What a field says in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Down {
    /// Unit direction down the potential; zero at the bottom.
    pub way: Vec2,
    /// Speed there, as a share of the wanted one.
    pub share: f32,
}

/// The solution for one set of people, slot by slot.
#[derive(Clone, Debug, Default)]
pub struct Field {
    potential: Vec<f32>,
    down: Vec<[f32; 3]>,
    done: Vec<bool>,
    heap: BinaryHeap<Reverse<u64>>,
}

/// The larger root of the upwind equation, from neighbours and costs along both axes.
#[inline]
pub fn upwind(x: f32, cost_x: f32, y: f32, cost_y: f32) -> f32 {
    let (one_x, one_y) = (x + cost_x, y + cost_y);
    if !x.is_finite() {
        return one_y;
    }
    if !y.is_finite() {
        return one_x;
    }
    // a phi^2 - 2 b phi + c = 0.
    let (wx, wy) = (1.0 / (cost_x * cost_x), 1.0 / (cost_y * cost_y));
    let (a, b) = (wx + wy, wx * x + wy * y);
    let c = wx * x * x + wy * y * y - 1.0;
    let root = b * b - a * c;
    let both = if root >= 0.0 {
        (b + root.sqrt()) / a
    } else {
        f32::INFINITY
    };
    // The root holds only if it comes from both sides.
    if both >= x.max(y) && both.is_finite() {
        both.min(one_x).min(one_y).max(x.min(y))
    } else {
        one_x.min(one_y)
    }
}

/// Unit cost times the way to each neighbour of a slot.
struct Costs<'a> {
    crowd: &'a Crowd,
    cells: &'a Cells,
    active: &'a [u32],
    slot: &'a [u32],
    weights: [f32; 3],
    wanted: f32,
}

impl Costs<'_> {
    /// Slot of a neighbour and what walking into it costs.
    #[inline]
    fn towards(&self, slot: usize, way: usize) -> Option<(usize, f32)> {
        let cell = self.active[slot] as usize;
        let next = self.cells.next[cell][way];
        if next == NONE {
            return None;
        }
        let there = self.slot[next as usize];
        if there == NONE {
            return None;
        }
        let [length, time, discomfort] = self.weights;
        let speed = self.crowd.speed(slot, way, self.wanted);
        let g = self.crowd.discomfort[there as usize];
        let unit = (length * speed + time + discomfort * g) / speed;
        Some((there as usize, unit.max(1e-4) * self.cells.side()))
    }

    /// The cheaper neighbour along an axis: its potential, the cost and the way to it.
    #[inline]
    fn cheaper(&self, slot: usize, axis: usize, potential: &[f32]) -> (f32, f32, usize) {
        let mut best = (f32::INFINITY, 1.0, axis);
        for way in [axis, axis + 2] {
            if let Some((there, cost)) = self.towards(slot, way)
                && potential[there] + cost < best.0 + best.1
            {
                best = (potential[there], cost, way);
            }
        }
        best
    }
}

impl Field {
    /// Solves over the active cells from seeds with given potentials.
    pub fn solve(
        &mut self,
        cells: &Cells,
        active: &[u32],
        slot: &[u32],
        crowd: &Crowd,
        weights: [f32; 3],
        wanted: f32,
        seeds: &[(u32, f32)],
    ) {
        let costs = Costs {
            crowd,
            cells,
            active,
            slot,
            weights,
            wanted: wanted.max(0.05),
        };
        self.potential.clear();
        self.potential.resize(active.len(), f32::INFINITY);
        self.done.clear();
        self.done.resize(active.len(), false);
        self.heap.clear();
        let entry = |potential: f32, slot: usize| {
            // Bits of numbers that are not negative are in their order.
            Reverse(u64::from(potential.max(0.0).to_bits()) << 32 | slot as u64)
        };
        for &(seed, potential) in seeds {
            let there = &mut self.potential[seed as usize];
            if potential < *there {
                *there = potential;
                self.heap.push(entry(potential, seed as usize));
            }
        }
        while let Some(Reverse(next)) = self.heap.pop() {
            let here = (next & 0xFFFF_FFFF) as usize;
            if core::mem::replace(&mut self.done[here], true) {
                continue;
            }
            for way in 0..4 {
                let cell = cells.next[active[here] as usize][way];
                let Some(&there) = slot.get(cell as usize).filter(|s| **s != NONE) else {
                    continue;
                };
                let there = there as usize;
                if self.done[there] {
                    continue;
                }
                let (x, cost_x, _) = costs.cheaper(there, 0, &self.potential);
                let (y, cost_y, _) = costs.cheaper(there, 1, &self.potential);
                let found = upwind(x, cost_x, y, cost_y);
                if found < self.potential[there] {
                    self.potential[there] = found;
                    self.heap.push(entry(found, there));
                }
            }
        }
        self.down.clear();
        for s in 0..active.len() {
            self.down.push(self.gradient(&costs, s));
        }
    }

    /// Upwind gradient and speed of a slot: the differences to the neighbours that it came from.
    fn gradient(&self, costs: &Costs<'_>, slot: usize) -> [f32; 3] {
        let here = self.potential[slot];
        if !here.is_finite() {
            return [0.0; 3];
        }
        let mut way = Vec2::ZERO;
        let mut speeds = [0.0; 2];
        for axis in 0..2 {
            let (there, _, direction) = costs.cheaper(slot, axis, &self.potential);
            if there < here {
                way += WAYS[direction] * (here - there);
                speeds[axis] = costs.crowd.speed(slot, direction, costs.wanted);
            }
        }
        let way = way.normalize_or_zero();
        let speed = speeds[0] * way.x * way.x + speeds[1] * way.y * way.y;
        [way.x, way.y, speed / costs.wanted]
    }

    /// What the field says in a slot; nothing where it does not reach.
    pub fn at(&self, slot: u32) -> Option<Down> {
        let s = slot as usize;
        if !self.potential.get(s)?.is_finite() {
            return None;
        }
        let [x, y, share] = *self.down.get(s)?;
        Some(Down {
            way: Vec2::new(x, y),
            share,
        })
    }

    /// The potential of a slot.
    #[cfg(test)]
    pub fn potential(&self, slot: u32) -> f32 {
        self.potential[slot as usize]
    }

    /// Writes what guiding reads.
    pub fn save(&self, out: &mut Bytes<'_>) {
        out.floats(&self.potential);
        let down: Vec<f32> = self.down.iter().flatten().copied().collect();
        out.floats(&down);
    }

    /// Reads what [`Field::save`] wrote, of so many slots.
    pub fn load(from: &mut Reader<'_>, slots: usize) -> Option<Field> {
        let potential = from.floats()?;
        let down = from.floats()?;
        let whole = potential.len() <= slots && down.len() == 3 * potential.len();
        whole.then(|| Field {
            potential,
            down: down.chunks_exact(3).map(|d| [d[0], d[1], d[2]]).collect(),
            ..Field::default()
        })
    }
}
