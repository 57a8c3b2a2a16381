//! Dijkstra's algorithm where every metre costs the same on one floor, with directions at any
//! angle.
//!
//! Costs are whole numbers, and steps are of two lengths. Slots are settled in bands of costs as
//! wide as a straight step, within which none can be reached from another one, so in any order
//! (Denardo and Fox 1979). Straight steps lead from each band to the next, diagonal ones to that or
//! the one after: lists of these are all that waits. Slots reached by straight steps and by diagonal
//! ones wait apart, because of equal ways only those with their diagonal steps first are followed
//! (Sturtevant and Rabin 2016): the former hand on one step, the latter three, without a branch,
//! and more only beside walls.
//!
//! Then slots of the band take over where the neighbour by which they were reached walks to, if
//! they see it, or walk to that neighbour. Where that place is far and in doubt, at the rims of
//! shadows, the two neighbours beside that one are asked as well.

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
/// Entries that one slot may add to a list.
const MOST: usize = 4;

/// The steps beside walls to hand on from a slot reached by a straight step, by that step and the
/// steps of where from.
const BESIDE_WALLS: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut way = 0;
    while way < 8 {
        let mut parent = 0;
        while parent < 256 {
            table[way][parent] = handed_on(parent as u8, way) & !(1 << back(way));
            parent += 1;
        }
        way += 2;
    }
    table
};

/// Slots that wait: cost, step by which they were reached, slot.
#[derive(Debug, Default)]
struct Waiting {
    /// Read only as far as it was written, so nothing is cleared.
    entries: Vec<u64>,
    count: usize,
}

impl Waiting {
    /// The list with room for more entries.
    fn list(&mut self, more: usize) -> List<'_> {
        let room = self.count + more;
        if self.entries.len() < room {
            self.entries.resize(2 * room, 0);
        }
        List {
            entries: &mut self.entries,
            count: self.count,
        }
    }

    fn entries(&self) -> &[u64] {
        &self.entries[..self.count]
    }
}

/// What is kept from field to field.
#[derive(Debug, Default)]
pub(super) struct Memory {
    cost: Vec<u32>,
    leap: Vec<Leap>,
    /// The goals, the dearest first.
    seeds: Vec<u64>,
    /// Slots of a band with the steps by which they were reached.
    settled: Vec<u32>,
    /// What is reached by straight steps: in this band, in the next.
    straight: [Waiting; 2],
    /// What is reached by diagonal steps: in this band, in the next, in the one after.
    diagonal: [Waiting; 3],
}

#[inline(always)]
fn entry(cost: u32, way: usize, slot: usize) -> u64 {
    u64::from(cost) << 32 | (way as u64) << SLOT_BITS | slot as u64
}

/// Slot and step of an entry.
#[inline(always)]
fn slot_way(entry: u32) -> (usize, usize) {
    (
        (entry & ((1 << SLOT_BITS) - 1)) as usize,
        (entry >> SLOT_BITS) as usize,
    )
}

impl Memory {
    /// Grows a field.
    pub fn grow(
        &mut self,
        stencil: &Stencil,
        costs: &StepCosts,
        sight: &Sight,
        goal: &[(Slot, f32)],
        out: &mut Field,
    ) {
        let slots = stencil.slots();
        let step = costs.metre * f64::from(stencil.spacing);
        self.cost.clear();
        self.cost.resize(slots, u32::MAX);
        self.leap.clear();
        self.leap.resize(slots, 0);
        self.seeds.clear();
        for &(slot, left) in goal {
            if let Some(known) = self.cost.get_mut(slot as usize) {
                let paid = (f64::from(left) / step * f64::from(STRAIGHT)) as u32;
                *known = paid.min(*known);
                self.seeds.push(entry(*known, GOAL, slot as usize));
            }
        }
        self.seeds.sort_unstable_by(|a, b| b.cmp(a));
        self.seeds.dedup();
        self.sweep(stencil, &costs.open, sight);
        self.write(stencil, step, out);
    }

    /// Settles slots band by band.
    fn sweep(&mut self, stencil: &Stencil, open: &[u8], sight: &Sight) {
        let Memory {
            cost,
            leap,
            seeds,
            settled,
            straight: [straight, next_straight],
            diagonal: [diagonal, next_diagonal, last_diagonal],
        } = self;
        let onward = core::array::from_fn(|k| {
            let way = (back(k) as u32) << SLOT_BITS;
            way.wrapping_add_signed(stencil.offset[k])
        });
        let mut end = 0;
        loop {
            let waiting = straight.count + diagonal.count;
            if waiting + next_diagonal.count == 0 {
                match seeds.last() {
                    Some(first) => end = (first >> 32) as u32,
                    None => break,
                }
            }
            end += STRAIGHT;
            let most = waiting + seeds.len() + 1;
            if settled.len() < most {
                settled.resize(2 * most, 0);
            }
            let mut band = Band {
                offset: stencil.offset,
                onward,
                open,
                cost,
                end,
                settled,
                count: 0,
                straight: next_straight.list(MOST * most),
                diagonal: next_diagonal.list(MOST * most),
                later: last_diagonal.list(MOST * most),
            };
            while let Some(goal) = seeds.pop_if(|goal| ((*goal >> 32) as u32) < end) {
                band.hand_on_all(goal);
            }
            band.hand_on_straight(straight.entries());
            band.hand_on_diagonal(diagonal.entries());
            let count = band.count;
            let counts = [band.straight, band.diagonal, band.later].map(|list| list.count);
            [
                next_straight.count,
                next_diagonal.count,
                last_diagonal.count,
            ] = counts;
            let lines = Lines {
                stencil,
                open,
                sight,
                cost,
                leap,
            };
            for &settled in &settled[..count] {
                let (slot, way) = slot_way(settled);
                lines.leap[slot] = if way == GOAL {
                    STAY
                } else {
                    lines.lead(slot as Slot, way & 7)
                };
            }
            core::mem::swap(straight, next_straight);
            next_straight.count = 0;
            diagonal.count = 0;
            core::mem::swap(diagonal, next_diagonal);
            core::mem::swap(next_diagonal, last_diagonal);
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

/// A band of costs being settled.
struct Band<'a> {
    /// What a step adds to a slot.
    offset: [i32; 8],
    /// What a step adds to a slot to make it an entry.
    onward: [u32; 8],
    open: &'a [u8],
    cost: &'a mut [u32],
    /// Where the band ends.
    end: u32,
    /// Slots of the band, and how many.
    settled: &'a mut [u32],
    count: usize,
    straight: List<'a>,
    diagonal: List<'a>,
    later: List<'a>,
}

/// Room for entries, and how many there are.
struct List<'a> {
    entries: &'a mut [u64],
    count: usize,
}

impl List<'_> {
    /// Writes an entry in any case and keeps it if it is of use.
    #[inline(always)]
    fn offer(&mut self, entry: u64, kept: bool) {
        self.entries[self.count] = entry;
        self.count += usize::from(kept);
    }
}

impl Band<'_> {
    /// Settles the slot of an entry, unless it was reached more cheaply since.
    #[inline(always)]
    fn settle(&mut self, entry: u64) -> Option<(usize, u32)> {
        let (slot, paid) = (slot_way(entry as u32).0, (entry >> 32) as u32);
        self.settled[self.count] = entry as u32;
        let settled = self.cost[slot] == paid;
        self.count += usize::from(settled);
        settled.then_some((slot, paid))
    }

    /// Hands a step on if it is open.
    #[inline(always)]
    fn hand_on<const STEP: u32>(&mut self, slot: usize, open: u8, k: usize, paid: u32) {
        let other = (slot as i32 + self.offset[k]) as usize;
        let closed = u32::from(open >> k & 1).wrapping_sub(1);
        let through = (paid + STEP) | closed;
        let known = self.cost[other];
        self.cost[other] = through.min(known);
        let onward = (slot as u32).wrapping_add(self.onward[k]);
        let entry = u64::from(through) << 32 | u64::from(onward);
        if STEP == STRAIGHT {
            self.straight.offer(entry, through < known);
        } else {
            let later = through - self.end >= STRAIGHT;
            self.diagonal.offer(entry, (through < known) & !later);
            self.later.offer(entry, (through < known) & later);
        }
    }

    /// Settles a goal.
    fn hand_on_all(&mut self, goal: u64) {
        if let Some((slot, paid)) = self.settle(goal) {
            let open = self.open[slot];
            for k in [0, 2, 4, 6] {
                self.hand_on::<STRAIGHT>(slot, open, k, paid);
                self.hand_on::<DIAGONAL>(slot, open, k + 1, paid);
            }
        }
    }

    /// Settles what was reached by straight steps.
    #[inline(always)]
    fn hand_on_straight(&mut self, entries: &[u64]) {
        for &entry in entries {
            let Some((slot, paid)) = self.settle(entry) else {
                continue;
            };
            let way = slot_way(entry as u32).1 & 7;
            let (out, open) = (back(way), self.open[slot]);
            self.hand_on::<STRAIGHT>(slot, open, out, paid);
            let parent = self.open[(slot as i32 + self.offset[way]) as usize];
            let beside = BESIDE_WALLS[way][usize::from(parent)] & open;
            if beside != 0 {
                self.hand_on::<DIAGONAL>(slot, beside, (out + 1) % 8, paid);
                self.hand_on::<STRAIGHT>(slot, beside, (out + 2) % 8, paid);
                self.hand_on::<STRAIGHT>(slot, beside, (out + 6) % 8, paid);
                self.hand_on::<DIAGONAL>(slot, beside, (out + 7) % 8, paid);
            }
        }
    }

    /// Settles what was reached by diagonal steps.
    #[inline(always)]
    fn hand_on_diagonal(&mut self, entries: &[u64]) {
        for &entry in entries {
            let Some((slot, paid)) = self.settle(entry) else {
                continue;
            };
            let (out, open) = (back(slot_way(entry as u32).1 & 7), self.open[slot]);
            self.hand_on::<STRAIGHT>(slot, open, (out + 7) % 8, paid);
            self.hand_on::<DIAGONAL>(slot, open, out, paid);
            self.hand_on::<STRAIGHT>(slot, open, (out + 1) % 8, paid);
        }
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
            let seen = self.sight.sees_near(self.open, slot, (x, y));
            return if seen { leap } else { step };
        }
        if self.sight.is_clear(slot, reach) | self.passes_between(slot, way, leap, (x, y)) {
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
    /// which the way is shortest. If it sees none of them, of those that the others walk to, as long
    /// as that is no detour: else ways would turn in the open. Or the neighbour itself.
    #[inline(never)]
    fn choose(&self, slot: Slot, way: usize) -> Leap {
        /// In steps, more than any way has.
        const SECOND: f32 = 1e9;
        let s = slot as usize;
        let steps = |cost: u32| cost as f32 / STRAIGHT as f32;
        let mut best = (f32::INFINITY, STAY.wrapping_add(LEAP[way]));
        let mut tried = best.1;
        for k in [way, (way + 1) % 8, (way + 7) % 8] {
            let other = self.beside(slot, k);
            let leap = self.leap[other].wrapping_add(LEAP[k]);
            let settled = self.leap[other] >= SETTLED;
            if self.open[s] >> k & 1 == 0 || !settled || leap == tried {
                continue;
            }
            tried = leap;
            let (x, y) = columns_rows(leap);
            let end = (slot as i32 + y * self.stencil.stride + x) as usize;
            let mut through = steps(self.cost[end]) + ((x * x + y * y) as f32).sqrt();
            let step = if k % 2 == 1 { DIAGONAL } else { STRAIGHT };
            if self.cost[other] + step != self.cost[s] {
                if through > steps(self.cost[s]) {
                    continue;
                }
                through += SECOND;
            }
            if through < best.0 && self.sight.sees(self.open, slot, (x, y)) {
                best = (through, leap);
            }
        }
        best.1
    }
}
