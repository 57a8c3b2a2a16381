//! Fields where every metre costs the same.
//!
//! Costs over steps are whole numbers (a diagonal step is 3363 / 2378 straight ones, 6e-8 off). Of
//! equal ways only those with their diagonal steps first are followed (Sturtevant and Rabin 2016:
//! canonical orderings): a slot reached by a straight step hands on one step, by a diagonal one
//! three, and more only beside walls.
//!
//! When it is settled, a slot takes the straight line to where its best neighbour walks to, if that
//! is not free to where one of the two beside that walks to, or else walks to that neighbour
//! (lazily: Nash, Koenig, Tovey 2010). Theta* at last mends slots that a neighbour settled later
//! serves better. A step to a neighbour is always among what a slot chooses from, so it never costs
//! more than over the map's steps.

use core::f32::consts::SQRT_2;

use throng_core::NONE;

use super::{Between, LEAP, Leap, SETTLED, STAY, columns_rows, is_free};
use crate::{
    field::Field,
    sight::Sight,
    stencil::{STEPS, Slot, Stencil, back},
    step_costs::StepCosts,
};

/// Cost of a straight and of a diagonal step.
pub(super) const STRAIGHT: u32 = 2378;
pub(super) const DIAGONAL: u32 = 3363;
/// Buckets are `1 << SHIFT` wide, below [`STRAIGHT`].
const SHIFT: u32 = 11;
/// Buckets in use at a time: no step reaches farther.
const FEW: usize = 4;

/// Instead of the step by which a slot was reached: it is a goal.
const GOAL: u8 = 8;

/// What is kept from field to field.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Whole-number costs over steps.
    cost: Vec<u32>,
    /// The step by which each slot was reached.
    towards: Vec<u8>,
    /// Slots as they were settled.
    order: Vec<Slot>,
    /// Costs over straight lines in steps, infinite before a slot has one.
    value: Vec<f32>,
    leap: Vec<Leap>,
    /// Slots to mend.
    queue: Vec<Slot>,
}

impl Memory {
    /// Grows a field.
    pub fn grow(
        &mut self,
        stencil: &Stencil,
        costs: &StepCosts,
        theta: bool,
        goal: &[(Slot, f32)],
        buckets: &mut [Vec<Slot>],
        out: &mut Field,
    ) {
        let slots = stencil.slots();
        let step = costs.metre * f64::from(stencil.spacing);
        let Memory {
            cost,
            towards,
            order,
            value,
            leap,
            queue,
        } = self;
        cost.clear();
        cost.resize(slots, u32::MAX);
        // Read only where written before, so nothing is cleared.
        towards.resize(slots, GOAL);
        order.clear();
        value.clear();
        value.resize(slots, f32::INFINITY);
        leap.clear();
        leap.resize(slots, 0);
        let mut lines = Lines {
            stencil,
            open: &costs.open,
            sight: costs.sight.as_ref(),
            solid: costs.solid,
            cost,
            towards,
            value,
            leap,
        };
        let seeds = goal.iter().map(|(slot, left)| {
            let paid = f64::from(*left) / step * f64::from(STRAIGHT);
            (*slot, paid as u32)
        });
        let regular = costs.regular;
        match (theta, stencil.jumps()) {
            (false, false) => lines.sweep(seeds, regular, buckets, Lines::settle::<false>),
            (false, true) => lines.sweep(seeds, regular, buckets, Lines::settle::<true>),
            (true, _) => {
                lines.sweep(seeds, regular, buckets, |lines, slot| {
                    order.push(slot);
                    lines.settle::<true>(slot);
                });
                lines.mend(order, queue);
            }
        }
        out.face(self.leap.iter().copied());
        out.cost.clear();
        if theta {
            let step = step as f32;
            out.cost.extend(self.value.iter().map(|v| v * step));
        } else {
            let unit = step / f64::from(STRAIGHT);
            out.cost.extend(self.cost.iter().map(|&c| match c {
                u32::MAX => f32::INFINITY,
                c => (f64::from(c) * unit) as f32,
            }));
        }
        let stride = stencil.stride;
        out.next.clear();
        out.next
            .extend(self.leap.iter().zip(0_i32..).map(|(&leap, slot)| {
                let (x, y) = columns_rows(leap);
                let end = (slot + y * stride + x) as Slot;
                if leap < SETTLED { NONE } else { end }
            }));
        if stencil.jumps() {
            for slot in (0..slots as Slot).filter(|s| stencil.is_rim(*s)) {
                let s = slot as usize;
                let step = (0..8).find(|k| self.leap[s] == STAY.wrapping_add(LEAP[*k]));
                if let Some(step) = step {
                    out.next[s] = stencil.after(slot, step);
                }
            }
        }
    }
}

/// Set on the step of a slot that is settled.
const DONE: u8 = 16;

/// The steps to hand on from a slot that was reached by the step `way` from one with these steps:
/// of equal ways those with the diagonal steps nearest to the goal. Others are not dearer by a way
/// that leaves the slot out.
#[inline(always)]
pub(super) const fn handed_on(parent: u8, way: usize) -> u8 {
    let out = back(way) as u32;
    if out % 2 == 1 {
        // The 3 steps about the diagonal one.
        return 0b111_u8.rotate_left((out + 7) % 8);
    }
    let left = (parent.rotate_right((out + 1) % 8) & 1 ^ 1) * 0b110;
    let right = (parent.rotate_right((out + 7) % 8) & 1 ^ 1) * 0b1100_0000;
    (1 | left | right).rotate_left(out)
}

/// A field under way: what slots walk to and pay over straight lines. Lengths are in steps.
struct Lines<'a> {
    stencil: &'a Stencil,
    open: &'a [u8],
    sight: Option<&'a Sight>,
    /// Whether no wall stands free between slots.
    solid: bool,
    cost: &'a mut [u32],
    towards: &'a mut [u8],
    value: &'a mut [f32],
    leap: &'a mut [Leap],
}

/// Costs in steps that differ by less are equal.
const EQUAL: f32 = 1e-3;

/// Nearer lines, squared, are followed sooner than one asks neighbours.
const FAR: i32 = 36;

/// What is added to a cost by a closed and by an open step, straight and diagonal.
const PRICES: [[f32; 2]; 2] = [[f32::INFINITY; 2], LENGTHS];

/// Steps of a step.
const LENGTHS: [f32; 2] = [1.0, SQRT_2];

impl Lines<'_> {
    #[inline(always)]
    fn beside(&self, slot: Slot, step: usize) -> usize {
        (slot as i32 + self.stencil.offset[step]) as usize
    }

    #[inline(always)]
    fn end(&self, slot: Slot, leap: Leap) -> usize {
        let (x, y) = columns_rows(leap);
        (slot as i32 + y * self.stencil.stride + x) as usize
    }

    /// Settles a goal, or a slot at a step between floors, where lines end.
    #[inline(always)]
    fn settle_end<const JUMPS: bool>(&mut self, slot: Slot) -> bool {
        let s = slot as usize;
        let way = usize::from(self.towards[s] & !DONE);
        if way == usize::from(GOAL) {
            self.value[s] = self.cost[s] as f32 / STRAIGHT as f32;
            self.leap[s] = STAY;
            return true;
        }
        if JUMPS {
            let parent = self.stencil.after(slot, way);
            if self.stencil.is_rim(slot) || self.stencil.is_rim(parent) {
                self.value[s] = self.value[parent as usize] + LENGTHS[way % 2];
                self.leap[s] = STAY.wrapping_add(LEAP[way]);
                return true;
            }
        }
        false
    }

    /// Dijkstra's algorithm: costs over steps and the steps taken; `visit` gets every slot when it
    /// is settled.
    #[inline(always)]
    fn sweep(
        &mut self,
        seeds: impl Iterator<Item = (Slot, u32)>,
        regular: bool,
        buckets: &mut [Vec<Slot>],
        mut visit: impl FnMut(&mut Self, Slot),
    ) {
        let mut waiting = 0;
        for (slot, paid) in seeds {
            if let Some(known) = self.cost.get_mut(slot as usize)
                && paid < *known
            {
                *known = paid;
                self.towards[slot as usize] = GOAL;
                buckets[(paid >> SHIFT) as usize % FEW].push(slot);
                waiting += 1;
            }
        }
        let mut now = 0_u32;
        let mut entries = Vec::new();
        while waiting > 0 {
            core::mem::swap(&mut entries, &mut buckets[now as usize % FEW]);
            waiting -= entries.len();
            for &slot in &entries {
                let s = slot as usize;
                let (paid, way) = (self.cost[s], self.towards[s]);
                if paid >> SHIFT != now || way & DONE != 0 {
                    // Settled before, or put here early for want of buckets.
                    if paid >> SHIFT > now {
                        buckets[(paid >> SHIFT) as usize % FEW].push(slot);
                        waiting += 1;
                    }
                    continue;
                }
                self.towards[s] |= DONE;
                visit(self, slot);
                let mut ahead = self.open[s];
                if regular && way != GOAL {
                    let parent = self.beside(slot, usize::from(way));
                    ahead &= handed_on(self.open[parent], usize::from(way));
                }
                while ahead != 0 {
                    let k = ahead.trailing_zeros() as usize;
                    ahead &= ahead - 1;
                    let other = if regular {
                        self.beside(slot, k)
                    } else {
                        self.stencil.after(slot, k) as usize
                    };
                    let through = paid + if k % 2 == 1 { DIAGONAL } else { STRAIGHT };
                    if through < self.cost[other] {
                        self.cost[other] = through;
                        self.towards[other] = back(k) as u8;
                        buckets[(through >> SHIFT) as usize % FEW].push(other as Slot);
                        waiting += 1;
                    }
                }
            }
            entries.clear();
            now += 1;
        }
    }

    /// Settles a slot by looking along lines.
    fn settle<const JUMPS: bool>(&mut self, slot: Slot) {
        if self.settle_end::<JUMPS>(slot) {
            return;
        }
        let s = slot as usize;
        // Deep inside a region that walks to one place the slots ahead agree on it.
        let way = usize::from(self.towards[s] & 7);
        let leap = self.leap[self.beside(slot, way)].wrapping_add(LEAP[way]);
        if self.passes_between(slot, way, leap) {
            (self.leap[s], self.value[s]) = (leap, self.by(slot, leap));
            return;
        }
        let (leap, value) = self.choose(slot);
        (self.leap[s], self.value[s]) = (leap, value);
    }

    /// Whether the line of a leap passes between the neighbour at a step, which makes it, and one
    /// beside that which makes it too.
    #[inline(always)]
    fn passes_between(&self, slot: Slot, step: usize, leap: Leap) -> bool {
        let (x, y) = columns_rows(leap);
        let cross = |[dx, dy]: [i32; 2]| dx * y - dy * x;
        let side = cross(STEPS[step]).signum();
        let turned = (step + if side > 0 { 1 } else { 7 }) % 8;
        let beside = self.leap[self.beside(slot, turned)];
        let agrees = beside.wrapping_add(LEAP[turned]) == leap;
        let within = cross(STEPS[turned]) * side < 0;
        agrees & within & self.solid & (self.open[slot as usize] >> turned & 1 == 1)
    }

    /// The cost by a leap.
    #[inline(always)]
    fn by(&self, slot: Slot, leap: Leap) -> f32 {
        let (x, y) = columns_rows(leap);
        self.value[self.end(slot, leap)] + ((x * x + y * y) as f32).sqrt()
    }

    /// Whether the neighbours between which the line of a leap passes walk to its end too.
    #[inline(always)]
    fn shares(&self, slot: Slot, leap: Leap) -> bool {
        let between = Between::of(columns_rows(leap));
        let open = self.open[slot as usize];
        let walks = |k: usize| {
            let here = self.leap[self.beside(slot, k)].wrapping_add(LEAP[k]);
            (open >> k & 1 == 1) & ((here == leap) | (leap == STAY.wrapping_add(LEAP[k])))
        };
        (between.short == between.long || walks(between.straight)) && walks(between.diagonal)
    }

    /// The cheapest step to a neighbour, or the straight line to where that neighbour walks to; if
    /// that is not free, to where one of the two beside it walks to.
    #[inline(always)]
    fn choose(&self, slot: Slot) -> (Leap, f32) {
        let open = usize::from(self.open[slot as usize]);
        let (mut step, mut value) = (0, f32::INFINITY);
        for k in 0..8 {
            let through = self.value[self.beside(slot, k)] + PRICES[open >> k & 1][k % 2];
            step = if through < value { k } else { step };
            value = value.min(through);
        }
        let mut best = (STAY.wrapping_add(LEAP[step]), value);
        let mut tried = best.0;
        for k in [step, (step + 1) % 8, (step + 7) % 8] {
            let other = self.beside(slot, k);
            let leap = self.leap[other].wrapping_add(LEAP[k]);
            // Lines end where floors meet.
            let none = open >> k & 1 == 0 || self.leap[other] < SETTLED;
            if none || leap == tried || self.stencil.is_rim(other as Slot) {
                continue;
            }
            let (by, far) = (self.by(slot, leap), self.end(slot, leap));
            // Of equal ways the longer line, from which others can go on.
            if by >= best.1 + EQUAL {
                continue;
            }
            tried = leap;
            if self.sees(slot, leap, far) {
                best = (leap, by);
                if k == step {
                    break;
                }
            }
        }
        best
    }

    /// Whether the line of a leap is free.
    #[inline(always)]
    fn sees(&self, slot: Slot, leap: Leap, far: usize) -> bool {
        let line = columns_rows(leap);
        if self.solid && squared(leap) > FAR && self.shares(slot, leap) {
            return true;
        }
        match self.sight {
            Some(sight) => sight.sees(self.open, slot, line),
            None => is_free(self.open, &self.stencil.offset, slot, far, line),
        }
    }

    /// Finds slots that a neighbour serves better than what they chose when it was not settled
    /// yet, and hands the gain on.
    fn mend(&mut self, order: &[Slot], queue: &mut Vec<Slot>) {
        /// In steps: smaller gains are not worth the work.
        const GAIN: f32 = 0.5;
        queue.clear();
        let is_served = |lines: &Self, slot: Slot| {
            let s = slot as usize;
            let (open, value) = (lines.open[s], lines.value[s] - GAIN);
            let mut served = false;
            for k in [0, 2, 4, 6] {
                let through = lines.value[lines.beside(slot, k)] + 1.0;
                served |= (open >> k & 1 == 1) & (through < value);
            }
            served
        };
        queue.extend(order.iter().filter(|s| is_served(self, **s)));
        let mut done = 0;
        // First come, first served: gains spread from where they arise.
        while let Some(&slot) = queue.get(done) {
            done += 1;
            let s = slot as usize;
            if self.stencil.is_rim(slot) || !is_served(self, slot) {
                continue;
            }
            let (leap, value) = self.choose(slot);
            (self.leap[s], self.value[s]) = (leap, value);
            for k in (0..8).filter(|k| self.open[s] >> k & 1 == 1) {
                let other = self.beside(slot, k);
                if value + LENGTHS[k % 2] < self.value[other] - GAIN {
                    queue.push(other as Slot);
                }
            }
        }
    }
}

/// The length of a leap, squared.
#[inline(always)]
fn squared(leap: Leap) -> i32 {
    let (x, y) = columns_rows(leap);
    x * x + y * y
}
