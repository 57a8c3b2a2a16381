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
    done: Vec<u8>,
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
    // The larger root of c_y^2 (phi - x)^2 + c_x^2 (phi - y)^2 = c_x^2 c_y^2.
    let (xx, yy) = (cost_x * cost_x, cost_y * cost_y);
    let root = xx + yy - (x - y) * (x - y);
    let both = if root >= 0.0 {
        (yy * x + xx * y + cost_x * cost_y * root.sqrt()) / (xx + yy)
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

/// A neighbour of a slot and what walking into it costs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Link {
    slot: u32,
    cost: f32,
}

/// What walking costs people of one speed: unit cost times the way to each neighbour of a slot.
/// All sets of a class share it.
#[derive(Clone, Debug, Default)]
pub struct Costs {
    links: Vec<[Link; 4]>,
    wanted: f32,
}

impl Costs {
    /// Works out the costs of the active cells.
    pub fn renew(
        &mut self,
        cells: &Cells,
        active: &[u32],
        slot: &[u32],
        crowd: &Crowd,
        weights: [f32; 3],
        wanted: f32,
    ) {
        self.wanted = wanted.max(0.05);
        let [length, time, discomfort] = weights;
        self.links.clear();
        self.links
            .extend(active.iter().enumerate().map(|(here, &cell)| {
                let next = cells.next[cell as usize];
                core::array::from_fn(|way| {
                    let there = slot.get(next[way] as usize).copied().unwrap_or(NONE);
                    if there == NONE {
                        return Link {
                            slot: NONE,
                            cost: f32::INFINITY,
                        };
                    }
                    let speed = crowd.speed(here, way, self.wanted);
                    let g = crowd.discomfort[there as usize];
                    let unit = (length * speed + time + discomfort * g) / speed;
                    Link {
                        slot: there,
                        cost: unit.max(1e-4) * cells.side(),
                    }
                })
            }));
    }

    /// The cheaper neighbour along an axis: its potential, the cost and the way to it.
    #[inline]
    fn cheaper(&self, slot: usize, axis: usize, potential: &[f32]) -> (f32, f32, usize) {
        let mut best = (f32::INFINITY, 1.0, axis);
        for way in [axis, axis + 2] {
            let link = self.links[slot][way];
            if let Some(&there) = potential.get(link.slot as usize)
                && there + link.cost < best.0 + best.1
            {
                best = (there, link.cost, way);
            }
        }
        best
    }
}

/// Slots of which the potential is final, or is asked for.
const DONE: u8 = 1;
const WANTED: u8 = 2;

impl Field {
    /// Solves over the active cells from seeds with given potentials. Where `wanted` is given, as
    /// far as the solution of those slots is known: there it is the same as in full, elsewhere
    /// there is none.
    pub fn solve(
        &mut self,
        costs: &Costs,
        crowd: &Crowd,
        seeds: &[(u32, f32)],
        wanted: Option<&[u32]>,
    ) {
        let slots = costs.links.len();
        self.potential.clear();
        self.potential.resize(slots, f32::INFINITY);
        self.done.clear();
        self.done.resize(slots, 0);
        self.heap.clear();
        let mut open = usize::MAX;
        if let Some(wanted) = wanted {
            open = 0;
            let mut want = |slot: u32| {
                if let Some(mark) = self.done.get_mut(slot as usize)
                    && *mark == 0
                {
                    *mark = WANTED;
                    open += 1;
                }
            };
            for &slot in wanted {
                // The way down needs the neighbours.
                want(slot);
                let near = costs.links.get(slot as usize).into_iter().flatten();
                near.for_each(|link| want(link.slot));
            }
        }
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
        while open > 0
            && let Some(Reverse(next)) = self.heap.pop()
        {
            let here = (next & 0xFFFF_FFFF) as usize;
            let mark = core::mem::replace(&mut self.done[here], DONE);
            if mark == DONE {
                continue;
            }
            if mark == WANTED {
                open -= 1;
            }
            for link in costs.links[here] {
                let there = link.slot as usize;
                if self.done.get(there).is_none_or(|mark| *mark == DONE) {
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
        for (potential, mark) in self.potential.iter_mut().zip(&self.done) {
            if *mark != DONE {
                *potential = f32::INFINITY;
            }
        }
        self.down.clear();
        match wanted {
            None => {
                for s in 0..slots {
                    self.down.push(self.gradient(costs, crowd, s));
                }
            }
            Some(wanted) => {
                self.down.resize(slots, [0.0; 3]);
                for &s in wanted {
                    if (s as usize) < slots {
                        self.down[s as usize] = self.gradient(costs, crowd, s as usize);
                    }
                }
            }
        }
    }

    /// Upwind gradient and speed of a slot: the differences to the neighbours that it came from.
    fn gradient(&self, costs: &Costs, crowd: &Crowd, slot: usize) -> [f32; 3] {
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
                speeds[axis] = crowd.speed(slot, direction, costs.wanted);
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
