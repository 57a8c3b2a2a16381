//! Fields where every metre costs the same on one floor.
//!
//! Costs are whole numbers, and steps are of two lengths. Slots are settled in bands of costs as
//! wide as a straight step, within which none can be reached from another one, so in any order
//! (Denardo and Fox 1979). Straight steps lead from each band to the next, diagonal ones to that or
//! the one after: lists of these are all that waits. Slots reached by straight steps and by diagonal
//! ones wait apart, because of equal ways only those with their diagonal steps first are followed
//! (Sturtevant and Rabin 2016): the former hand on one step, the latter three, without a branch,
//! and more only beside walls. Theta* looks along `lines` from the slots of a band together.
//!
//! Dijkstra's algorithm gives directions at any angle too. Costs over steps know eight directions
//! only. So beside its cost every slot is given a distance: that of a straight front which reaches
//! it between the neighbour that it was reached from and one beside that, as the distances of the
//! two say (the update of fast marching, Sethian 1996, on the triangle of the two and the slot). The
//! slot's direction is the front's. No line is looked along: distances pass corners as the front
//! does. Where fronts are round, a few steps from goals and corners, directions are up to 4 degrees
//! off.

use fearless_simd::Level;

use super::{
    lines::{
        self,
        together::{self, Together},
    },
    uniform::{DIAGONAL, STRAIGHT, handed_on, pay},
};
use crate::{
    field::{Field, Way},
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

/// Distances are measured as costs are. That of a slot which is not settled, or lies behind a wall.
const UNKNOWN: i32 = i32::MAX >> 1;
/// What a front at 45 degrees to the lattice comes nearer with a step along it.
const SLANTED: i32 = (DIAGONAL / 2) as i32;

/// What a front comes nearer with a straight step from a slot that is nearer by so much than the
/// one beside it, and its direction: along the step and to its side, as parts of ways.
const FRONTS: [[i16; 3]; 2048] = {
    const LENGTH: u64 = Way::UNIT as u64;
    let mut fronts = [[0; 3]; 2048];
    let straight = STRAIGHT as u64;
    let mut nearer = 0;
    while nearer <= SLANTED as u64 {
        let along = straight * straight - nearer * nearer;
        // Twice what is wanted, to be rounded.
        let cosine = (along * (4 * LENGTH * LENGTH) / (straight * straight)).isqrt();
        let sine = 2 * nearer * LENGTH / straight;
        fronts[nearer as usize] = [
            ((4 * along).isqrt() + 1) as i16 / 2,
            cosine.div_ceil(2) as i16,
            sine.div_ceil(2) as i16,
        ];
        nearer += 1;
    }
    fronts
};

/// Straight steps, and steps to their right and to their left.
const FRAMES: [[[i16; 4]; 2]; 8] = {
    let mut frames = [[[0; 4]; 2]; 8];
    let mut k = 0;
    while k < 8 {
        let [x, y] = [STEPS[k][0] as i16, STEPS[k][1] as i16];
        frames[k] = [[x, y, y, -x], [x, y, -y, x]];
        k += 2;
    }
    frames
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
    distance: Vec<i32>,
    together: together::Memory,
    /// The goals, the dearest first.
    seeds: Vec<u64>,
    /// What is reached by straight steps: in this band, in the next.
    straight: [Waiting; 2],
    /// What is reached by diagonal steps: in this band, in the next, in the one after.
    diagonal: [Waiting; 3],
}

#[inline(always)]
fn entry(cost: u32, way: usize, slot: usize) -> u64 {
    u64::from(cost) << 32 | u64::from(slot_and_way(slot, way))
}

/// The lower half of an entry.
#[inline(always)]
fn slot_and_way(slot: usize, way: usize) -> u32 {
    (way as u32) << SLOT_BITS | slot as u32
}

/// Slot and step of an entry.
#[inline(always)]
pub(super) fn slot_way(entry: u32) -> (usize, usize) {
    (
        (entry & ((1 << SLOT_BITS) - 1)) as usize,
        (entry >> SLOT_BITS) as usize,
    )
}

impl Memory {
    /// Grows a field by Dijkstra's algorithm.
    pub fn grow(
        &mut self,
        stencil: &Stencil,
        costs: &StepCosts,
        goal: &[(Slot, f32)],
        out: &mut Field,
    ) {
        let step = self.begin(stencil, costs, goal);
        let mut distance = core::mem::take(&mut self.distance);
        distance.clear();
        distance.resize(stencil.slots(), UNKNOWN);
        out.next.clear();
        out.way.clear();
        out.way.resize(stencil.slots(), Way::NONE);
        self.sweep(
            stencil,
            &costs.open,
            &mut Fronts {
                offset: stencil.offset,
                // Of one length, so that one look at an index is enough.
                distance: &mut distance[..costs.open.len()],
                way: &mut out.way[..costs.open.len()],
            },
        );
        self.distance = distance;
        pay(&self.cost, step, out);
    }

    /// Grows a field by theta*, with what a level of the machine's instructions has.
    pub fn grow_lines(
        &mut self,
        stencil: &Stencil,
        costs: &StepCosts,
        sight: &Sight,
        goal: &[(Slot, f32)],
        lines: &mut lines::Memory,
        level: Level,
        out: &mut Field,
    ) {
        let step = self.begin(stencil, costs, goal);
        let mut memory = core::mem::take(&mut self.together);
        let settled = lines.lines(stencil, costs);
        let mut settled = Together::new(settled, sight, &mut memory, level);
        self.sweep(stencil, &costs.open, &mut settled);
        self.together = memory;
        lines.mend(stencil, costs);
        lines.write(stencil, step, out);
    }

    /// Makes ready for a goal; what a step costs.
    fn begin(&mut self, stencil: &Stencil, costs: &StepCosts, goal: &[(Slot, f32)]) -> f64 {
        let step = costs.metre * f64::from(stencil.spacing);
        self.cost.clear();
        self.cost.resize(stencil.slots(), u32::MAX);
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
        step
    }

    /// Settles slots band by band.
    fn sweep(&mut self, stencil: &Stencil, open: &[u8], settled: &mut impl Settled) {
        let Memory {
            cost,
            distance: _,
            together: _,
            seeds,
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
            let mut band = Band {
                offset: stencil.offset,
                onward,
                open,
                // Of one length, so that one look at an index is enough.
                cost: &mut cost[..open.len()],
                settled,
                end,
                straight: next_straight.list(MOST * most),
                diagonal: next_diagonal.list(MOST * most),
                later: last_diagonal.list(MOST * most),
            };
            while let Some(goal) = seeds.pop_if(|goal| ((*goal >> 32) as u32) < end) {
                band.hand_on_all(goal);
            }
            band.hand_on_straight(straight.entries());
            band.hand_on_diagonal(diagonal.entries());
            band.settled.all();
            let counts = [band.straight, band.diagonal, band.later].map(|list| list.count);
            [
                next_straight.count,
                next_diagonal.count,
                last_diagonal.count,
            ] = counts;
            core::mem::swap(straight, next_straight);
            next_straight.count = 0;
            diagonal.count = 0;
            core::mem::swap(diagonal, next_diagonal);
            core::mem::swap(next_diagonal, last_diagonal);
        }
    }
}

/// What becomes of slots that are settled.
trait Settled {
    /// A goal, and what is left to pay there.
    fn goal(&mut self, slot: usize, paid: u32);

    /// A slot with these open steps that was reached from a straight step.
    fn straight(&mut self, slot: usize, open: u8, way: usize);

    /// A slot with these open steps that was reached from a diagonal step.
    fn diagonal(&mut self, slot: usize, open: u8, way: usize);

    /// All slots of a band were settled.
    fn all(&mut self) {}
}

impl Settled for Together<'_> {
    fn goal(&mut self, slot: usize, paid: u32) {
        let value = paid as f32 / STRAIGHT as f32;
        self.lines.settle_goal(slot as Slot, value);
    }

    #[inline(always)]
    fn straight(&mut self, slot: usize, _: u8, way: usize) {
        self.reach(slot_and_way(slot, way));
    }

    #[inline(always)]
    fn diagonal(&mut self, slot: usize, _: u8, way: usize) {
        self.reach(slot_and_way(slot, way));
    }

    fn all(&mut self) {
        self.settle();
    }
}

/// Distances of fronts, and their directions.
struct Fronts<'a> {
    offset: [i32; 8],
    distance: &'a mut [i32],
    way: &'a mut [Way],
}

impl Fronts<'_> {
    /// The distance of the slot at a step, if that is open.
    #[inline(always)]
    fn distance(&self, slot: usize, open: u8, k: usize) -> i32 {
        let there = self.distance[(slot as i32 + self.offset[k]) as usize];
        // All bits of the former, so that nothing branches.
        there | i32::from(open >> k & 1).wrapping_sub(1) & UNKNOWN
    }

    /// The distances of the slots to the right and left of a step.
    #[inline(always)]
    fn beside(&self, slot: usize, open: u8, way: usize) -> [i32; 2] {
        [
            self.distance(slot, open, (way + 7) % 8),
            self.distance(slot, open, (way + 1) % 8),
        ]
    }

    /// Turns a slot along the front that passes the neighbour at a straight step and the one to
    /// its left or right, by their distances.
    #[inline(always)]
    fn turn(&mut self, slot: usize, step: usize, left: bool, straight: i32, diagonal: i32) {
        let straight = straight.min(diagonal + SLANTED);
        let nearer = (straight - diagonal).max(0);
        let [along, cosine, sine] = FRONTS[nearer as usize & 2047];
        self.distance[slot] = straight + i32::from(along);
        let [x, y, side_x, side_y] = FRAMES[step & 7][usize::from(left)];
        self.way[slot] = Way {
            x: x * cosine + side_x * sine,
            y: y * cosine + side_y * sine,
        };
    }
}

impl Settled for Fronts<'_> {
    fn goal(&mut self, slot: usize, paid: u32) {
        self.distance[slot] = paid as i32;
    }

    #[inline(always)]
    fn straight(&mut self, slot: usize, open: u8, way: usize) {
        let beside = self.beside(slot, open, way);
        let straight = self.distance(slot, u8::MAX, way);
        let diagonal = beside[0].min(beside[1]);
        self.turn(slot, way, beside[1] < beside[0], straight, diagonal);
    }

    #[inline(always)]
    fn diagonal(&mut self, slot: usize, open: u8, way: usize) {
        let beside = self.beside(slot, open, way);
        let left = beside[0] < beside[1];
        let step = if left { way + 7 } else { way + 1 } % 8;
        let diagonal = self.distance(slot, u8::MAX, way);
        self.turn(slot, step, left, beside[0].min(beside[1]), diagonal);
    }
}

/// A band of costs being settled.
struct Band<'a, S> {
    /// What a step adds to a slot.
    offset: [i32; 8],
    /// What a step adds to a slot to make it an entry.
    onward: [u32; 8],
    open: &'a [u8],
    cost: &'a mut [u32],
    settled: &'a mut S,
    /// Where the band ends.
    end: u32,
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

impl<S: Settled> Band<'_, S> {
    /// Settles the slot of an entry, unless it was reached more cheaply since.
    #[inline(always)]
    fn settle(&mut self, entry: u64) -> Option<(usize, u32)> {
        let (slot, paid) = (slot_way(entry as u32).0, (entry >> 32) as u32);
        (self.cost[slot] == paid).then_some((slot, paid))
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
            self.settled.goal(slot, paid);
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
            self.settled.straight(slot, open, way);
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
            let way = slot_way(entry as u32).1 & 7;
            let (out, open) = (back(way), self.open[slot]);
            self.settled.diagonal(slot, open, way);
            self.hand_on::<STRAIGHT>(slot, open, (out + 7) % 8, paid);
            self.hand_on::<DIAGONAL>(slot, open, out, paid);
            self.hand_on::<STRAIGHT>(slot, open, (out + 1) % 8, paid);
        }
    }
}
