//! Straight lines to walk along where every metre costs the same.
//!
//! When it is settled, a slot takes the straight line to where its best neighbour walks to, if that
//! is not free to where one of the two beside that walks to, or else walks to that neighbour
//! (lazily: Nash, Koenig, Tovey 2010). On one floor what a band of costs settles looks `together`.
//! Theta* at last mends slots that a neighbour settled later serves better. A step to the neighbour
//! that a slot was reached from is always among what it chooses from, so it never costs more than
//! over the map's steps.

pub(super) mod together;

use core::f32::consts::SQRT_2;

use fearless_simd::{Level, dispatch};
use throng_core::NONE;

use super::{Between, LEAP, Leap, SETTLED, STAY, columns_rows, is_free, way_of};
use crate::{
    field::{Field, Way},
    sight::Sight,
    stencil::{STEPS, Slot, Stencil},
    step_costs::StepCosts,
};

/// What is kept from field to field.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Costs over straight lines in steps, infinite before a slot has one.
    value: Vec<f32>,
    leap: Vec<Leap>,
    /// Slots to mend.
    queue: Vec<Slot>,
}

/// A field under way: what slots walk to and pay over straight lines. Lengths are in steps.
pub(super) struct Lines<'a> {
    stencil: &'a Stencil,
    open: &'a [u8],
    sight: Option<&'a Sight>,
    /// Whether no wall stands free between slots.
    solid: bool,
    value: &'a mut [f32],
    leap: &'a mut [Leap],
}

impl Memory {
    /// Lines of which no slot has any yet.
    pub fn lines<'a>(&'a mut self, stencil: &'a Stencil, costs: &'a StepCosts) -> Lines<'a> {
        let slots = stencil.slots();
        self.value.clear();
        self.value.resize(slots, f32::INFINITY);
        self.leap.clear();
        self.leap.resize(slots, 0);
        self.settled(stencil, costs)
    }

    /// The lines as they are.
    fn settled<'a>(&'a mut self, stencil: &'a Stencil, costs: &'a StepCosts) -> Lines<'a> {
        Lines {
            stencil,
            open: &costs.open,
            sight: costs.sight.as_ref(),
            solid: costs.solid,
            value: &mut self.value,
            leap: &mut self.leap,
        }
    }

    /// Mends what [`Memory::lines`] were settled with.
    pub fn mend(&mut self, stencil: &Stencil, costs: &StepCosts) {
        let mut queue = core::mem::take(&mut self.queue);
        let mut lines = self.settled(stencil, costs);
        let level = Level::new();
        dispatch!(level, simd => {
            // Plain numbers, compiled for what the machine has.
            let _ = simd;
            lines.mend(&mut queue);
        });
        self.queue = queue;
    }

    /// Writes a field out: what slots pay at so much a step, and where they walk to.
    pub fn write(&mut self, stencil: &Stencil, step: f64, out: &mut Field) {
        core::mem::swap(&mut out.cost, &mut self.value);
        out.way.resize(stencil.slots(), Way::NONE);
        out.next.resize(stencil.slots(), NONE);
        let (leaps, stride, step) = (&self.leap, stencil.stride, step as f32);
        let level = Level::new();
        dispatch!(level, simd => {
            // Plain numbers, compiled for what the machine has.
            let _ = simd;
            out.cost.iter_mut().for_each(|cost| *cost *= step);
            for (way, leap) in out.way.iter_mut().zip(leaps) {
                *way = way_of(*leap);
            }
            for ((next, &leap), slot) in out.next.iter_mut().zip(leaps).zip(0_i32..) {
                let (x, y) = columns_rows(leap);
                let end = (slot + y * stride + x) as Slot;
                *next = if leap < SETTLED { NONE } else { end };
            }
        });
        if stencil.jumps() {
            for slot in (0..stencil.slots() as Slot).filter(|s| stencil.is_rim(*s)) {
                let s = slot as usize;
                let step = (0..8).find(|k| self.leap[s] == STAY.wrapping_add(LEAP[*k]));
                if let Some(step) = step {
                    out.next[s] = stencil.after(slot, step);
                }
            }
        }
    }
}

/// Costs in steps that differ by less are equal.
const EQUAL: f32 = 1e-3;

/// In steps: smaller gains are not worth mending.
const GAIN: f32 = 1.0;

/// Slots looked at at once.
const BLOCK: usize = 16;

/// More than any cost, for steps that are closed.
const CLOSED: f32 = 1e30;

/// Which of sixteen directions columns and rows have: 2 k along step k, 2 k + 1 from there to the
/// next.
#[inline(always)]
fn sixteenth(x: i32, y: i32) -> i32 {
    let (wide, tall) = (x.abs(), y.abs());
    let passed = [y != 0, tall >= wide, tall > wide, x == 0];
    let quarter: i32 = passed.map(i32::from).iter().sum();
    let half = if x < 0 { 8 - quarter } else { quarter };
    if y < 0 { 16 - half } else { half }
}

/// What the eight steps cost, by which of them are open.
const PRICES: [[f32; 8]; 256] = {
    let mut prices = [[CLOSED; 8]; 256];
    let mut i = 0;
    while i < 256 * 8 {
        if (i / 8) >> (i % 8) & 1 == 1 {
            prices[i / 8][i % 8] = LENGTHS[i % 2];
        }
        i += 1;
    }
    prices
};

/// Steps of a step.
const LENGTHS: [f32; 2] = [1.0, SQRT_2];

/// What a column has at the eight steps from a slot, each row looked up once.
#[inline(always)]
fn around(column: &[f32], slot: Slot, stride: i32) -> [f32; 8] {
    let row = |rows: i32| {
        let first = (slot as i32 + rows * stride - 1) as usize;
        let three = column.get(first..).and_then(<[f32]>::first_chunk);
        three.copied().unwrap_or([f32::INFINITY; 3])
    };
    let ([a, b, c], [d, _, e], [f, g, h]) = (row(-1), row(0), row(1));
    [e, h, g, f, d, a, b, c]
}

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

    /// Settles a goal.
    pub fn settle_goal(&mut self, slot: Slot, value: f32) {
        self.value[slot as usize] = value;
        self.leap[slot as usize] = STAY;
    }

    /// Settles a slot that walks to a neighbour, whose cost is known.
    pub fn settle_step(&mut self, slot: Slot, step: usize, neighbour: Slot) {
        let s = slot as usize;
        self.value[s] = self.value[neighbour as usize] + LENGTHS[step % 2];
        self.leap[s] = STAY.wrapping_add(LEAP[step]);
    }

    /// Settles a slot that was reached by a step, by looking along lines.
    #[inline(always)]
    pub fn settle(&mut self, slot: Slot, way: usize) {
        let s = slot as usize;
        let (leap, by, agreed) = self.agreed(slot, way);
        (self.leap[s], self.value[s]) = if agreed {
            (leap, by)
        } else {
            self.choose(slot, 0)
        };
    }

    /// Where the neighbour at a step walks to, what that costs, and whether the slots ahead agree on
    /// it, as they do deep inside a region that walks to one place.
    #[inline(always)]
    fn agreed(&self, slot: Slot, way: usize) -> (Leap, f32, bool) {
        let leap = self.leap[self.beside(slot, way)].wrapping_add(LEAP[way]);
        let agreed = self.passes_between(slot, way, leap);
        (leap, self.by(slot, leap), agreed)
    }

    /// The cheapest step to a neighbour and its cost.
    #[inline(always)]
    fn step(&self, slot: Slot, open: usize) -> (usize, f32) {
        let values = around(self.value, slot, self.stencil.stride);
        let prices = &PRICES[open & 255];
        let least = |a: f32, b: f32| if a < b { a } else { b };
        // The last bits of a cost tell the step.
        let costs: [f32; 8] = core::array::from_fn(|k| {
            let through = least(values[k] + prices[k], CLOSED);
            f32::from_bits(through.to_bits() & !7 | k as u32)
        });
        let four: [f32; 4] = core::array::from_fn(|k| least(costs[k], costs[k + 4]));
        let cheapest = least(least(four[0], four[1]), least(four[2], four[3])).to_bits();
        let step = (cheapest & 7) as usize;
        (step, values[step] + LENGTHS[step % 2])
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
    /// that is not free, to where one of the two beside it walks to. One leap is known not to be
    /// free (0 is none).
    #[inline(always)]
    fn choose(&self, slot: Slot, blocked: Leap) -> (Leap, f32) {
        let open = usize::from(self.open[slot as usize]);
        let (step, value) = self.step(slot, open);
        let mut best = (STAY.wrapping_add(LEAP[step]), value);
        let mut tried = best.0;
        for k in [step, (step + 1) % 8, (step + 7) % 8] {
            let other = self.beside(slot, k);
            let leap = self.leap[other].wrapping_add(LEAP[k]);
            // Lines end where floors meet.
            let none = open >> k & 1 == 0 || self.leap[other] < SETTLED;
            let known = leap == tried || leap == blocked;
            if none || known || self.stencil.is_rim(other as Slot) {
                continue;
            }
            let by = self.by(slot, leap);
            // Of equal ways the longer line, from which others can go on.
            if by >= best.1 + EQUAL {
                continue;
            }
            tried = leap;
            if self.sees(slot, leap) {
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
    fn sees(&self, slot: Slot, leap: Leap) -> bool {
        let (line, far) = (columns_rows(leap), self.end(slot, leap));
        match self.sight {
            Some(sight) if line.0.abs().max(line.1.abs()) < Sight::NEAR => {
                sight.sees_near(self.open, slot, line)
            }
            // A line between two that walk to its end is free from there on.
            Some(sight) => sight.follow(self.open, slot, line, |slot, (x, y)| {
                let whole = STAY.wrapping_add(x as u32).wrapping_add((y as u32) << 16);
                self.solid & (self.leap[slot as usize] == whole)
            }),
            None if self.solid && self.shares(slot, leap) => true,
            None => is_free(self.open, &self.stencil.offset, slot, far, line),
        }
    }

    /// Whether a straight step to a neighbour costs less than what a slot chose, by what is worth
    /// the work.
    #[inline(always)]
    fn is_served(&self, slot: Slot) -> bool {
        let open = self.open[slot as usize];
        let most = self.value[slot as usize] - GAIN;
        let values = around(self.value, slot, self.stencil.stride);
        let mut served = false;
        for k in [0, 2, 4, 6] {
            served |= (open >> k & 1 == 1) & (values[k] + 1.0 < most);
        }
        served
    }

    /// Lists the slots that a neighbour serves better, row by row.
    #[inline(always)]
    fn list_served(&self, queue: &mut Vec<Slot>) {
        let stride = self.stencil.stride as usize;
        let block = |at: usize| -> Option<&[f32; BLOCK]> { self.value.get(at..)?.first_chunk() };
        let mut at = stride;
        while let (Some(here), Some(left), Some(right), Some(below), Some(above)) = (
            block(at),
            block(at - 1),
            block(at + 1),
            block(at - stride),
            block(at + stride),
        ) {
            // Walls left aside, so that sixteen are one look.
            let mut any = false;
            for i in 0..BLOCK {
                let least = left[i].min(right[i]).min(below[i].min(above[i]));
                any |= (least + (1.0 + GAIN) < here[i]) & (here[i] < f32::INFINITY);
            }
            if any {
                queue.extend((at as Slot..).take(BLOCK).filter(|s| self.is_served(*s)));
            }
            at += BLOCK;
        }
        let last = self.value.len().saturating_sub(stride) as Slot;
        queue.extend((at as Slot..last).filter(|s| self.is_served(*s)));
    }

    /// Finds slots that a neighbour serves better than what they chose when it was not settled
    /// yet, and hands the gain on.
    #[inline(always)]
    fn mend(&mut self, queue: &mut Vec<Slot>) {
        queue.clear();
        self.list_served(queue);
        let mut done = 0;
        // First come, first served: gains spread from where they arise.
        while let Some(&slot) = queue.get(done) {
            done += 1;
            let s = slot as usize;
            if self.stencil.is_rim(slot) || !self.is_served(slot) {
                continue;
            }
            let (leap, value) = self.choose(slot, 0);
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
