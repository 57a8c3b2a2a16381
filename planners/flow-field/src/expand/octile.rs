//! Dijkstra's algorithm where every metre costs the same and steps follow from which cells are
//! free, with directions at any angle.
//!
//! Costs are whole numbers, and steps are of two lengths. What is handed on by straight steps
//! comes up in the order of its costs, and so does what is handed on by diagonal ones: two queues
//! replace a heap, settle slots in exact order and are written to without a branch. Of equal ways
//! only those with their diagonal steps first are followed (Sturtevant and Rabin 2016).
//!
//! Then, in the order in which they were settled, slots take over where the neighbour by which
//! they were reached walks to, if they see it, or walk to that neighbour. Where that place is far
//! and in doubt, at the rims of shadows, the two neighbours beside that one are asked as well.

use throng_core::NONE;

use super::{
    LEAP, Leap, SETTLED, STAY, columns_rows,
    uniform::{DIAGONAL, STRAIGHT, handed_on},
};
use crate::{
    field::Field,
    sight::Sight,
    stencil::{STEPS, Slot, Stencil, back},
    step_costs::StepCosts,
};

/// Bits of an entry that are its slot; above them is the step by which it was reached.
const SLOT_BITS: u32 = 27;
/// Instead of the step by which a slot was reached: it is a goal.
const GOAL: usize = 8;
/// No entry.
const END: u64 = u64::MAX;
/// Entries that one slot may add to a queue.
const MOST: usize = 5;

/// The steps to hand on, by the step by which a slot was reached and the steps of where from.
const HANDED_ON: [[u8; 256]; GOAL + 1] = {
    let mut table = [[u8::MAX; 256]; GOAL + 1];
    let mut way = 0;
    while way < 8 {
        let mut parent = 0;
        while parent < 256 {
            table[way][parent] = handed_on(parent as u8, way);
            parent += 1;
        }
        way += 1;
    }
    table
};

/// What is kept from field to field.
#[derive(Debug, Default)]
pub(super) struct Memory {
    cost: Vec<u32>,
    /// Entries in the order of their costs: cost, step by which it was reached, slot.
    straight: Vec<u64>,
    diagonal: Vec<u64>,
    /// Slots as they were settled, with the steps by which they were reached.
    order: Vec<u32>,
    leap: Vec<Leap>,
}

fn entry(cost: u32, way: usize, slot: usize) -> u64 {
    u64::from(cost) << 32 | (way as u64) << SLOT_BITS | slot as u64
}

impl Memory {
    /// Grows a field; false if its goal's slots do not fit in one queue.
    pub fn grow(
        &mut self,
        stencil: &Stencil,
        costs: &StepCosts,
        sight: &Sight,
        goal: &[(Slot, f32)],
        out: &mut Field,
    ) -> bool {
        let slots = stencil.slots();
        let step = costs.metre * f64::from(stencil.spacing);
        let paid = |left: f32| (f64::from(left) / step * f64::from(STRAIGHT)) as u32;
        let most = goal.iter().map(|g| paid(g.1)).max().unwrap_or(0);
        let least = goal.iter().map(|g| paid(g.1)).min().unwrap_or(0);
        if most - least > STRAIGHT || slots >> SLOT_BITS != 0 {
            return false;
        }
        self.cost.clear();
        self.cost.resize(slots, u32::MAX);
        let mut seeds = Vec::with_capacity(goal.len());
        for &(slot, left) in goal {
            if let Some(known) = self.cost.get_mut(slot as usize) {
                *known = paid(left).min(*known);
                seeds.push(entry(*known, GOAL, slot as usize));
            }
        }
        seeds.sort_unstable();
        seeds.dedup();
        self.settle_all(stencil, &costs.open, &seeds);
        self.lead_all(stencil, &costs.open, sight);
        self.write(stencil, step, out);
        true
    }

    /// Settles slots at their costs.
    fn settle_all(&mut self, stencil: &Stencil, open: &[u8], seeds: &[u64]) {
        let Memory {
            cost,
            straight,
            diagonal,
            order,
            ..
        } = self;
        let slots = cost.len();
        let cost = &mut cost[..slots];
        let open = &open[..slots];
        // Read only as far as they were written, so nothing is cleared.
        let room = slots + MOST + seeds.len();
        straight.resize(straight.len().max(room), END);
        diagonal.resize(diagonal.len().max(room), END);
        straight[..seeds.len()].copy_from_slice(seeds);
        let (mut straight_end, mut diagonal_end) = (seeds.len(), 0);
        straight[straight_end] = END;
        diagonal[diagonal_end] = END;
        order.clear();
        order.reserve(slots);
        let mut offset = [0; GOAL + 1];
        offset[..8].copy_from_slice(&stencil.offset);
        let (mut first, mut second) = (0, 0);
        loop {
            let (a, b) = (straight[first], diagonal[second]);
            let next = a.min(b);
            if next == END {
                break;
            }
            first += usize::from(a <= b);
            second += usize::from(a > b);
            let (slot, way) = (
                (next & ((1 << SLOT_BITS) - 1)) as usize,
                (next as u32 >> SLOT_BITS) as usize,
            );
            let paid = (next >> 32) as u32;
            if cost[slot] != paid {
                // Reached more cheaply since.
                continue;
            }
            order.push(next as u32);
            let parent = (slot as i32 + offset[way]) as usize;
            let ahead = open[slot] & HANDED_ON[way][usize::from(open[parent])];
            if straight_end + MOST > straight.len() {
                straight.resize(2 * straight.len(), END);
            }
            if diagonal_end + MOST > diagonal.len() {
                diagonal.resize(2 * diagonal.len(), END);
            }
            // Entries are written in any case and kept if they are of use.
            let mut hand_on = |mut steps: u8, through: u32, queue: &mut [u64], end: &mut usize| {
                while steps != 0 {
                    let k = steps.trailing_zeros() as usize;
                    steps &= steps - 1;
                    let other = (slot as i32 + offset[k]) as usize;
                    let known = cost[other];
                    cost[other] = through.min(known);
                    queue[*end] = entry(through, back(k), other);
                    *end += usize::from(through < known);
                }
                queue[*end] = END;
            };
            hand_on(ahead & 0x55, paid + STRAIGHT, straight, &mut straight_end);
            hand_on(ahead & 0xAA, paid + DIAGONAL, diagonal, &mut diagonal_end);
        }
    }

    /// Finds where each slot walks to.
    fn lead_all(&mut self, stencil: &Stencil, open: &[u8], sight: &Sight) {
        let Memory {
            cost, order, leap, ..
        } = self;
        leap.clear();
        leap.resize(cost.len(), 0);
        let lines = Lines {
            stencil,
            open,
            sight,
            cost,
            leap,
        };
        for &settled in order.iter() {
            let (slot, way) = (
                settled & ((1 << SLOT_BITS) - 1),
                (settled >> SLOT_BITS) as usize,
            );
            lines.leap[slot as usize] = if way == GOAL {
                STAY
            } else {
                lines.lead(slot, way)
            };
        }
    }

    /// Writes what is kept of the field.
    fn write(&self, stencil: &Stencil, step: f64, out: &mut Field) {
        let unit = step / f64::from(STRAIGHT);
        out.cost.clear();
        // As signed numbers they are turned into floats faster; none is that large.
        out.cost.extend(self.cost.iter().map(|&c| match c as i32 {
            ..0 => f32::INFINITY,
            c => (f64::from(c) * unit) as f32,
        }));
        let stride = stencil.stride;
        out.next.clear();
        out.next
            .extend(self.leap.iter().zip(0_i32..).map(|(&leap, slot)| {
                let (x, y) = columns_rows(leap);
                let end = (slot + y * stride + x) as Slot;
                if leap < SETTLED { NONE } else { end }
            }));
        out.face(self.leap.iter().copied());
    }
}

/// A field under way.
struct Lines<'a> {
    stencil: &'a Stencil,
    open: &'a [u8],
    sight: &'a Sight,
    cost: &'a [u32],
    leap: &'a mut [Leap],
}

impl Lines<'_> {
    #[inline(always)]
    fn beside(&self, slot: Slot, step: usize) -> usize {
        (slot as i32 + self.stencil.offset[step]) as usize
    }

    /// The leap of a slot that was reached from the neighbour at a step.
    #[inline(always)]
    fn lead(&self, slot: Slot, way: usize) -> Leap {
        let step = STAY.wrapping_add(LEAP[way]);
        let leap = self.leap[self.beside(slot, way)].wrapping_add(LEAP[way]);
        let (x, y) = columns_rows(leap);
        let reach = x.abs().max(y.abs());
        if reach <= 7 {
            let seen = self.sight.sees_wide(slot, (x, y));
            return if seen { leap } else { step };
        }
        if self.sight.is_clear(slot, reach) || self.passes_between(slot, way, leap, (x, y)) {
            return leap;
        }
        self.choose(slot, way)
    }

    /// Whether the line of a leap passes along the step to a neighbour that makes it, or between
    /// that and one beside it which makes it too.
    #[inline(always)]
    fn passes_between(&self, slot: Slot, way: usize, leap: Leap, (x, y): (i32, i32)) -> bool {
        let cross = |[dx, dy]: [i32; 2]| dx * y - dy * x;
        let side = cross(STEPS[way]);
        let turned = (way + if side > 0 { 1 } else { 7 }) % 8;
        let beside = self.leap[self.beside(slot, turned)];
        let agrees = beside.wrapping_add(LEAP[turned]) == leap;
        let other = cross(STEPS[turned]);
        let within = (other < 0) & (side > 0) | (other > 0) & (side < 0);
        (side == 0) | agrees & within & (self.open[slot as usize] >> turned & 1 == 1)
    }

    /// Of the places that the neighbours on cheapest ways walk to and that the slot sees the one by
    /// which the way is shortest, or the neighbour itself.
    #[inline(never)]
    fn choose(&self, slot: Slot, way: usize) -> Leap {
        let s = slot as usize;
        let mut best = (f32::INFINITY, STAY.wrapping_add(LEAP[way]));
        let mut tried = best.1;
        for k in [way, (way + 1) % 8, (way + 7) % 8] {
            let other = self.beside(slot, k);
            let step = if k % 2 == 1 { DIAGONAL } else { STRAIGHT };
            let leap = self.leap[other].wrapping_add(LEAP[k]);
            let equal = self.open[s] >> k & 1 == 1
                && self.leap[other] >= SETTLED
                && self.cost[other] + step == self.cost[s];
            if !equal || leap == tried {
                continue;
            }
            tried = leap;
            let (x, y) = columns_rows(leap);
            let end = (slot as i32 + y * self.stencil.stride + x) as usize;
            let line = ((x * x + y * y) as f32).sqrt();
            let through = self.cost[end] as f32 / STRAIGHT as f32 + line;
            if through < best.0 && self.sight.sees(self.open, slot, (x, y)) {
                best = (through, leap);
            }
        }
        best.1
    }
}
