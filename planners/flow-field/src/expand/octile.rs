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
/// Radians between directions that are as good as one.
const ALIKE: f32 = 0.07;
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
    /// Slots of a band apart: those whose lines are short, long and in doubt.
    sorted: Sorted,
    /// What is reached by straight steps: in this band, in the next.
    straight: [Waiting; 2],
    /// What is reached by diagonal steps: in this band, in the next, in the one after.
    diagonal: [Waiting; 3],
}

/// Slots with the steps by which they were reached, and the leaps that they may take over. Read only
/// as far as it was written.
#[derive(Debug, Default)]
struct Sorted {
    near: Vec<(u32, Leap)>,
    far: Vec<(u32, Leap)>,
    in_doubt: Vec<(u32, Leap)>,
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
            sorted,
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
            let mut lines = Lines {
                stencil,
                open,
                sight,
                cost,
                leap,
            };
            lines.lead_all(&settled[..count], sorted);
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

    /// Finds the leaps of the slots of a band. They go by what the bands before it found, and most
    /// without a branch: which line is free cannot be foreseen.
    #[inline(always)]
    fn lead_all(&mut self, settled: &[u32], sorted: &mut Sorted) {
        let Sorted {
            near,
            far,
            in_doubt,
        } = sorted;
        if near.len() < settled.len() {
            for list in [&mut *near, far, in_doubt] {
                list.resize(2 * settled.len(), (0, 0));
            }
        }
        let (mut nears, mut fars) = (0, 0);
        for &entry in settled {
            let (slot, way) = slot_way(entry);
            if way == GOAL {
                self.leap[slot] = STAY;
                continue;
            }
            let leap = self.leap[self.beside(slot as Slot, way & 7)].wrapping_add(LEAP[way & 7]);
            let (x, y) = columns_rows(leap);
            let is_near = x.abs().max(y.abs()) <= 7;
            near[nears] = (entry, leap);
            far[fars] = (entry, leap);
            nears += usize::from(is_near);
            fars += usize::from(!is_near);
        }
        for &(entry, leap) in &near[..nears] {
            let (slot, way) = slot_way(entry);
            let seen = (self.sight).sees_near(self.open, slot as Slot, columns_rows(leap));
            let step = STAY.wrapping_add(LEAP[way & 7]);
            self.leap[slot] = core::hint::select_unpredictable(seen, leap, step);
        }
        let mut doubts = 0;
        for &(entry, leap) in &far[..fars] {
            let (slot, way) = slot_way(entry);
            let agreed = self.is_agreed(slot as Slot, way & 7, leap);
            // What is in doubt is not what others may go by.
            self.leap[slot] = if agreed { leap } else { 0 };
            in_doubt[doubts] = (entry, leap);
            doubts += usize::from(!agreed);
        }
        for &(entry, leap) in &in_doubt[..doubts] {
            let (slot, way) = slot_way(entry);
            self.leap[slot] = self.lead(slot as Slot, way & 7, leap);
        }
    }

    /// Whether the line of a leap passes along the step to the neighbour that makes it, or between
    /// that and one beside it which makes it too.
    #[inline(always)]
    fn is_agreed(&self, slot: Slot, way: usize, leap: Leap) -> bool {
        let (x, y) = columns_rows(leap);
        let cross = |[dx, dy]: [i32; 2]| dx * y - dy * x;
        let side = cross(STEPS[way]);
        let turned = (way + if side > 0 { 1 } else { 7 }) % 8;
        let beside = self.leap[self.beside(slot, turned)].wrapping_add(LEAP[turned]);
        let other = cross(STEPS[turned]);
        let within = (other < 0) & (side > 0) | (other > 0) & (side < 0);
        let open = self.open[slot as usize] >> turned & 1 == 1;
        (side == 0) | (beside == leap) & within & open & self.sight.is_solid()
    }

    /// The leap of a slot that was reached from the neighbour at a step, whose leap is far and may
    /// not be free.
    #[inline(never)]
    fn lead(&self, slot: Slot, way: usize, leap: Leap) -> Leap {
        let (x, y) = columns_rows(leap);
        let reach = x.abs().max(y.abs());
        if self.sight.is_clear(slot, reach) {
            return leap;
        }
        let cross = |[dx, dy]: [i32; 2]| dx * y - dy * x;
        let side = cross(STEPS[way]);
        let turned = (way + if side > 0 { 1 } else { 7 }) % 8;
        let beside = self.leap[self.beside(slot, turned)].wrapping_add(LEAP[turned]);
        let other = cross(STEPS[turned]);
        let within = (other < 0) & (side > 0) | (other > 0) & (side < 0);
        let between = within & (self.open[slot as usize] >> turned & 1 == 1);
        let between = between & self.sight.is_solid();
        if between && let Some(leap) = self.at_rim(slot, (way, leap), (turned, beside)) {
            return leap;
        }
        self.choose(slot, way)
    }

    /// The leap at the rim of a shadow: of the two neighbours between which the line passes one
    /// walks to a corner and the other one to where that corner walks to. Both their lines, that
    /// from corner to end and the two steps are free and nowhere a cell's width apart, so nothing
    /// stands between them: where the slot's line to the end leaves the corner to its own side it is
    /// free, else the one to the corner is. Nothing where that cannot be said.
    #[inline(always)]
    fn at_rim(&self, slot: Slot, one: (usize, Leap), two: (usize, Leap)) -> Option<Leap> {
        let walks_to = |leap: Leap, end: Leap| {
            let (x, y) = columns_rows(leap);
            let at = (slot as i32 + y * self.stencil.stride + x) as usize;
            leap.wrapping_add(self.leap[at]).wrapping_sub(STAY) == end
        };
        if self.leap[self.beside(slot, two.0)] < SETTLED {
            return None;
        }
        let ((lit, end), (dark, corner)) = if walks_to(two.1, one.1) {
            (one, two)
        } else if walks_to(one.1, two.1) {
            (two, one)
        } else {
            return None;
        };
        let wide = |leap: Leap| {
            let (x, y) = columns_rows(leap);
            [i64::from(x), i64::from(y)]
        };
        let cross = |[ax, ay]: [i64; 2], [bx, by]: [i64; 2]| ax * by - ay * bx;
        let (end_at, corner_at) = (wide(end), wide(corner));
        let [lit_step, dark_step] = [lit, dark].map(|k| STEPS[k].map(i64::from));
        let passes = |line| (cross(lit_step, line) < 0) != (cross(dark_step, line) < 0);
        let off = cross(corner_at, end_at);
        // Shares of a cell, and of the line.
        let length = ((end_at[0] * end_at[0] + end_at[1] * end_at[1]) as f32).sqrt();
        let along =
            (corner_at[0] * end_at[0] + corner_at[1] * end_at[1]) as f32 / (length * length);
        let lit_off = cross(lit_step, end_at).unsigned_abs() as f32 * (1.0 - along);
        let thin = off.unsigned_abs() as f32 + lit_off < length;
        if !(passes(end_at) & thin & (along > 0.0) & (along < 1.0)) {
            return None;
        }
        if off == 0 || (off < 0) == (cross(dark_step, end_at) < 0) {
            return Some(end);
        }
        // Near the corner the line to the end may be free all the same, and another direction.
        let to_corner = (corner_at[0] * corner_at[0] + corner_at[1] * corner_at[1]) as f32;
        let turn = off.unsigned_abs() as f32 / length;
        let alike = turn * turn < ALIKE * ALIKE * to_corner;
        (alike & passes(corner_at)).then_some(corner)
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
