//! Fields where every metre costs the same, on any floors.
//!
//! Costs over steps are whole numbers (a diagonal step is 3363 / 2378 straight ones, 6e-8 off). Of
//! equal ways only those with their diagonal steps first are followed (Sturtevant and Rabin 2016:
//! canonical orderings): a slot reached by a straight step hands on one step, by a diagonal one
//! three, and more only beside walls. Slots that are settled look along `lines`.

use super::lines::{self, Lines};
use crate::{
    field::Field,
    stencil::{Slot, Stencil, back},
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
        lines: &mut lines::Memory,
        out: &mut Field,
    ) {
        let slots = stencil.slots();
        let step = costs.metre * f64::from(stencil.spacing);
        self.cost.clear();
        self.cost.resize(slots, u32::MAX);
        // Read only where written before, so nothing is cleared.
        self.towards.resize(slots, GOAL);
        let mut sweep = Sweep {
            stencil,
            open: &costs.open,
            regular: costs.regular,
            cost: &mut self.cost,
            towards: &mut self.towards,
            lines: lines.lines(stencil, costs),
        };
        let seeds = goal.iter().map(|(slot, left)| {
            let paid = f64::from(*left) / step * f64::from(STRAIGHT);
            (*slot, paid as u32)
        });
        if stencil.jumps() {
            sweep.settle_all::<true>(seeds, buckets);
        } else {
            sweep.settle_all::<false>(seeds, buckets);
        }
        if theta {
            lines.mend(stencil, costs);
        }
        lines.write(stencil, step, out);
        if !theta {
            pay(&self.cost, step, out);
        }
    }
}

/// What slots pay over steps, at so much a step.
pub(super) fn pay(cost: &[u32], step: f64, out: &mut Field) {
    let unit = step / f64::from(STRAIGHT);
    out.cost.clear();
    // As signed numbers they are turned into floats faster; none is that large.
    out.cost.extend(cost.iter().map(|&c| match c as i32 {
        ..0 => f32::INFINITY,
        c => (f64::from(c) * unit) as f32,
    }));
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

/// A field under way.
struct Sweep<'a> {
    stencil: &'a Stencil,
    open: &'a [u8],
    regular: bool,
    cost: &'a mut [u32],
    towards: &'a mut [u8],
    lines: Lines<'a>,
}

impl Sweep<'_> {
    #[inline(always)]
    fn beside(&self, slot: Slot, step: usize) -> usize {
        (slot as i32 + self.stencil.offset[step]) as usize
    }

    /// Settles a slot.
    #[inline(always)]
    fn settle<const JUMPS: bool>(&mut self, slot: Slot) {
        let s = slot as usize;
        let way = usize::from(self.towards[s] & !DONE);
        if way == usize::from(GOAL) {
            let left = self.cost[s] as f32 / STRAIGHT as f32;
            self.lines.settle_goal(slot, left);
            return;
        }
        if JUMPS {
            let parent = self.stencil.after(slot, way);
            // Lines end where floors meet.
            if self.stencil.is_rim(slot) || self.stencil.is_rim(parent) {
                self.lines.settle_step(slot, way, parent);
                return;
            }
        }
        self.lines.settle(slot, way);
    }

    /// Dijkstra's algorithm: costs over steps and the steps taken.
    fn settle_all<const JUMPS: bool>(
        &mut self,
        seeds: impl Iterator<Item = (Slot, u32)>,
        buckets: &mut [Vec<Slot>],
    ) {
        let regular = self.regular;
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
                self.settle::<JUMPS>(slot);
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
}
