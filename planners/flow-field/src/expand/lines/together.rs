//! Slots that are settled together look along lines together.
//!
//! A slot may walk to where one of three neighbours walks to: that at the step by which it was
//! reached and the two beside it. What these lines cost and whether the cheapest one is free without
//! a look is worked out for sixteen slots at once and without branches. Those in doubt are listed,
//! near lines and far ones apart, so that what looks along them runs through one list after the
//! other; who does not see the end takes the next cheapest line or chooses again. A slot counts as settled for others only when all
//! is known of its line.

use core::f32::consts::SQRT_2;

use fearless_simd::{Level, dispatch};

use super::{EQUAL, Lines, sixteenth};
use crate::{
    expand::{Leap, SETTLED, STAY, columns_rows, octile::slot_way},
    sight::Sight,
    stencil::{STEPS, Slot},
};

/// Slots worked on at once.
const LANES: usize = 16;

/// One number for each of them.
type Row<T> = [T; LANES];

/// The neighbours ahead, as turns from the step by which a slot was reached.
const TURNS: [u32; 3] = [0, 1, 7];

/// The leap of a step, as `LEAP` has it, without looking it up for each.
#[inline(always)]
fn leap_of(step: u32) -> Leap {
    // Columns and rows and one, in two bits for each step.
    const PACKED: [u32; 2] = {
        let (mut packed, mut k) = ([0; 2], 0);
        while k < 8 {
            packed[0] |= ((STEPS[k][0] + 1) as u32) << (2 * k);
            packed[1] |= ((STEPS[k][1] + 1) as u32) << (2 * k);
            k += 1;
        }
        packed
    };
    let x = (PACKED[0] >> (2 * (step & 7)) & 3).wrapping_sub(1);
    let y = (PACKED[1] >> (2 * (step & 7)) & 3).wrapping_sub(1);
    x.wrapping_add(y << 16)
}

/// Lines that are free.
const FREE: u8 = 0;
/// Lines to look along, within what a window shows.
const NEAR: u8 = 1;
/// Longer lines to look along.
const FAR: u8 = 2;
/// Such lines that lie across that of a neighbour. If it leads to the same place round a corner, that
/// corner stands before most of them, and going round is hardly longer: they are not looked along.
const ROUND: u8 = 3;
/// Lines that are not free, so that their slots take the next or choose again.
const AGAIN: u8 = 4;
/// As many lists as kinds, up to a power of two.
const KINDS: usize = 8;

/// A line that may not be free.
#[derive(Clone, Copy, Debug, Default)]
struct Doubt {
    slot: Slot,
    leap: Leap,
    value: f32,
    /// Where a neighbour on the line's other side walks to.
    other: Leap,
    /// The next cheapest line, 0 if there is none that costs less than the step.
    second: Leap,
    second_value: f32,
}

/// What is kept from field to field.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Entries of slots that were reached: the step and the slot.
    reached: Vec<u32>,
    doubts: Doubts,
}

/// Lists of lines by what is to be done about them. Written in any case, kept if of use.
#[derive(Debug, Default)]
struct Doubts {
    entries: Vec<Doubt>,
    /// Entries to a list.
    room: usize,
    count: [usize; KINDS],
}

impl Doubts {
    /// Empties all lists and makes room for so many more lines.
    fn clear(&mut self, most: usize) {
        self.count = [0; KINDS];
        if self.room <= most {
            self.room = 2 * most + 1;
            self.entries.resize(KINDS * self.room, Doubt::default());
        }
    }

    #[inline(always)]
    fn put(&mut self, kind: u8, doubt: Doubt, kept: bool) {
        let kind = usize::from(kind) % KINDS;
        self.entries[kind * self.room + self.count[kind]] = doubt;
        self.count[kind] += usize::from(kept);
    }

    #[inline(always)]
    fn get(&self, kind: u8, i: usize) -> Doubt {
        self.entries[usize::from(kind) * self.room + i]
    }

    fn count(&self, kind: u8) -> usize {
        self.count[usize::from(kind)]
    }
}

/// What the three neighbours ahead of a slot have: where they walk to, as leaps from the slot, and
/// what is paid there.
#[derive(Clone, Copy)]
struct Ahead {
    /// The step by which the slot was reached.
    way: u32,
    leap: [Leap; 3],
    value: [f32; 3],
}

/// The cheapest line of a slot.
#[derive(Clone, Copy)]
struct Choice {
    leap: Leap,
    value: f32,
    // See [`Doubt`].
    other: Leap,
    second: Leap,
    second_value: f32,
    /// What is to be done about it.
    kind: u8,
}

impl Ahead {
    /// What the line that a neighbour has costs and its direction, in sixteenths from the step by
    /// which the slot was reached. A line leaves by the neighbour that has it or beside that: hardly
    /// any other is free.
    #[inline(always)]
    fn by(&self, j: usize) -> (f32, i32) {
        let (x, y) = columns_rows(self.leap[j]);
        let turned = (sixteenth(x, y) - 2 * self.way as i32) & 15;
        let aside = (turned - 2 * TURNS[j] as i32 + 2) & 15;
        let through = self.value[j] + ((x * x + y * y) as f32).sqrt();
        (if aside <= 4 { through } else { f32::INFINITY }, turned)
    }

    /// What the step by which the slot was reached costs: never more than the map's steps do.
    #[inline(always)]
    fn by_step(&self) -> f32 {
        let (x, y) = columns_rows(self.leap[0].wrapping_sub(leap_of(self.way)));
        let length = if self.way & 1 == 1 { SQRT_2 } else { 1.0 };
        self.value[0] + ((x * x + y * y) as f32).sqrt() + length
    }

    /// The cheapest line, that of the neighbour at the step among equal ones, or the step.
    #[inline(always)]
    fn choose(mut self, solid: bool) -> Choice {
        let (straight, left, right) = (self.by(0), self.by(1), self.by(2));
        let is_step = straight.0 == f32::INFINITY;
        let by_step = (self.by_step(), 0);
        let straight = if is_step { by_step } else { straight };
        let step = STAY.wrapping_add(leap_of(self.way));
        self.leap[0] = if is_step { step } else { self.leap[0] };

        let is_left = left.0 < straight.0 - EQUAL;
        let least = if is_left { left.0 } else { straight.0 - EQUAL };
        let is_right = right.0 < least;
        let leap = if is_left { self.leap[1] } else { self.leap[0] };
        let leap = if is_right { self.leap[2] } else { leap };
        let (value, turned) = if is_left { left } else { straight };
        let (value, turned) = if is_right { right } else { (value, turned) };

        // The next, if it costs less than the step.
        let unless_same = |j: usize, cost: f32| {
            let same = self.leap[j] == leap;
            if same { f32::INFINITY } else { cost }
        };
        let [a, b, c] = [
            unless_same(0, straight.0),
            unless_same(1, left.0),
            unless_same(2, right.0),
        ];
        let second = if b < a { self.leap[1] } else { self.leap[0] };
        let second = if c < a.min(b) { self.leap[2] } else { second };
        let second_value = a.min(b).min(c);
        let is_dear = second_value >= by_step.0 + EQUAL;
        let second = if is_dear { 0 } else { second };

        // Straight on past the end of a neighbour's line, or between two that have it.
        let has = |j: usize| self.leap[j] == leap;
        let free = (has(0) & (turned == 0))
            | (has(1) & (turned == 2))
            | (has(2) & (turned == 14))
            | (has(0) & has(1) & (turned == 1) & solid)
            | (has(0) & has(2) & (turned == 15) & solid);

        // The neighbour on the line's other side, and whether its line crosses over.
        let to_left = turned < 8;
        let beside = if to_left { self.leap[1] } else { self.leap[2] };
        let other = if has(0) { beside } else { self.leap[0] };
        let ((x, y), (to_x, to_y)) = (columns_rows(leap), columns_rows(other));
        let cross = x * to_y - y * to_x;
        let crosses = ((cross < 0) & (has(0) == to_left)) | ((cross > 0) & (has(0) != to_left));
        let is_near = (x.abs() < Sight::NEAR) & (y.abs() < Sight::NEAR);
        let far = if crosses { ROUND } else { FAR };
        let look = if is_near { NEAR } else { far };
        let kind = if free { FREE } else { look };
        Choice {
            leap,
            value,
            other,
            second,
            second_value,
            kind,
        }
    }
}

/// Lines of slots that are settled together.
pub(crate) struct Together<'a> {
    pub lines: Lines<'a>,
    sight: &'a Sight,
    memory: &'a mut Memory,
    /// What the three steps ahead add to a slot, by the step by which it was reached.
    ahead: [[i32; 3]; 8],
    level: Level,
}

impl<'a> Together<'a> {
    /// Lines over a lattice with sight.
    pub fn new(lines: Lines<'a>, sight: &'a Sight, memory: &'a mut Memory, level: Level) -> Self {
        let offset = lines.stencil.offset;
        memory.reached.clear();
        Together {
            lines,
            sight,
            memory,
            ahead: core::array::from_fn(|way| TURNS.map(|turn| offset[(way + turn as usize) % 8])),
            level,
        }
    }

    /// A slot was reached by a step.
    #[inline(always)]
    pub fn reach(&mut self, entry: u32) {
        self.memory.reached.push(entry);
    }

    /// Settles what was reached.
    pub fn settle(&mut self) {
        let level = self.level;
        dispatch!(level, simd => {
            // Plain numbers, compiled for what the machine has.
            let _ = simd;
            self.settle_reached();
        });
    }

    #[inline(always)]
    fn settle_reached(&mut self) {
        let reached = core::mem::take(&mut self.memory.reached);
        self.memory.doubts.clear(reached.len());
        let (blocks, rest) = reached.as_chunks();
        for block in blocks {
            self.settle_block(block, LANES);
        }
        if !rest.is_empty() {
            let mut block = [0; LANES];
            block[..rest.len()].copy_from_slice(rest);
            self.settle_block(&block, rest.len());
        }
        self.look();
        self.memory.reached = reached;
        self.memory.reached.clear();
    }

    /// Settles the first slots of a block whose lines are free, lists the others.
    #[inline(always)]
    fn settle_block(&mut self, entry: &Row<u32>, count: usize) {
        let (stride, solid) = (self.lines.stencil.stride, self.lines.solid);
        // Of one length, so that one look at an index is enough.
        let slots = self.lines.open.len();
        let (leaps, values) = (
            &mut self.lines.leap[..slots],
            &mut self.lines.value[..slots],
        );
        let (mut open, mut leap) = ([0; LANES], [[0; LANES]; 3]);
        for i in 0..count {
            let (slot, way) = slot_way(entry[i]);
            open[i] = u32::from(self.lines.open[slot]);
            let ahead = &self.ahead[way & 7];
            for j in 0..3 {
                leap[j][i] = leaps[(slot as i32 + ahead[j]) as usize];
            }
        }
        let mut end = [[0; LANES]; 3];
        for j in 0..3 {
            for i in 0..LANES {
                let (slot, way) = slot_way(entry[i]);
                let k = (way as u32 + TURNS[j]) % 8;
                let is_open = (open[i] >> k & 1 == 1) & (leap[j][i] >= SETTLED);
                let onward = leap[j][i].wrapping_add(leap_of(k));
                leap[j][i] = if is_open { onward } else { STAY };
                let (x, y) = columns_rows(leap[j][i]);
                end[j][i] = slot as i32 + y * stride + x;
            }
        }
        let mut value = [[0.0; LANES]; 3];
        for j in 0..3 {
            for i in 0..LANES {
                let there = values.get(end[j][i] as usize);
                value[j][i] = there.copied().unwrap_or(f32::INFINITY);
            }
        }
        let [mut line, mut other, mut leap_now] = [[0; LANES]; 3];
        let [mut cost, mut value_now] = [[0.0; LANES]; 2];
        let mut second = [0; LANES];
        let mut second_value = [0.0; LANES];
        let mut kind = [FREE; LANES];
        for i in 0..LANES {
            let ahead = Ahead {
                way: slot_way(entry[i]).1 as u32,
                leap: [leap[0][i], leap[1][i], leap[2][i]],
                value: [value[0][i], value[1][i], value[2][i]],
            };
            let choice = ahead.choose(solid);
            (line[i], other[i], cost[i]) = (choice.leap, choice.other, choice.value);
            (second[i], second_value[i]) = (choice.second, choice.second_value);
            kind[i] = choice.kind;
            let free = choice.kind == FREE;
            leap_now[i] = if free { choice.leap } else { 0 };
            value_now[i] = if free { choice.value } else { f32::INFINITY };
        }
        for i in 0..count {
            let (slot, _) = slot_way(entry[i]);
            leaps[slot] = leap_now[i];
            values[slot] = value_now[i];
        }
        let mut doubtful = 0_u32;
        for i in 0..LANES {
            doubtful |= u32::from(kind[i] != FREE) << i;
        }
        doubtful &= (1 << count) - 1;
        while doubtful != 0 {
            let i = doubtful.trailing_zeros() as usize % LANES;
            doubtful &= doubtful - 1;
            let doubt = Doubt {
                slot: slot_way(entry[i]).0 as Slot,
                leap: line[i],
                value: cost[i],
                other: other[i],
                second: second[i],
                second_value: second_value[i],
            };
            self.memory.doubts.put(kind[i], doubt, true);
        }
    }

    /// Settles a slot if it sees the end of its line, else lists it anew.
    #[inline(always)]
    fn end(&mut self, doubt: Doubt, seen: bool) {
        let slot = doubt.slot as usize;
        self.lines.leap[slot] = if seen { doubt.leap } else { 0 };
        self.lines.value[slot] = if seen { doubt.value } else { f32::INFINITY };
        self.memory.doubts.put(AGAIN, doubt, !seen);
    }

    /// Looks along the lines in doubt.
    #[inline(always)]
    fn look(&mut self) {
        for i in 0..self.memory.doubts.count(NEAR) {
            let doubt = self.memory.doubts.get(NEAR, i);
            let line = columns_rows(doubt.leap);
            let seen = self.sight.sees_near(self.lines.open, doubt.slot, line);
            self.end(doubt, seen);
        }
        for i in 0..self.memory.doubts.count(ROUND) {
            let doubt = self.memory.doubts.get(ROUND, i);
            // The other walks to the same place, but round a corner.
            let corner = self.lines.end(doubt.slot, doubt.other);
            let onward = self.lines.leap[corner].wrapping_sub(STAY);
            let behind = doubt.other.wrapping_add(onward) == doubt.leap;
            self.memory.doubts.put(AGAIN, doubt, behind);
            self.memory.doubts.put(FAR, doubt, !behind);
        }
        for i in 0..self.memory.doubts.count(FAR) {
            let doubt = self.memory.doubts.get(FAR, i);
            let seen = self.lines.sees(doubt.slot, doubt.leap);
            self.end(doubt, seen);
        }
        for i in 0..self.memory.doubts.count(AGAIN) {
            let doubt = self.memory.doubts.get(AGAIN, i);
            let slot = doubt.slot as usize;
            let Doubt { second, .. } = doubt;
            let (leap, value) = if second != 0 && self.lines.sees(doubt.slot, second) {
                (second, doubt.second_value)
            } else {
                self.lines.choose(doubt.slot, doubt.leap)
            };
            (self.lines.leap[slot], self.lines.value[slot]) = (leap, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expand::LEAP;

    #[test]
    fn directions_and_leaps_of_steps_are_those_of_the_steps() {
        for (k, [x, y]) in STEPS.into_iter().enumerate() {
            assert_eq!(leap_of(k as u32), LEAP[k]);
            let [next_x, next_y] = STEPS[(k + 1) % 8];
            for far in 1..9 {
                assert_eq!(sixteenth(far * x, far * y), 2 * k as i32);
                let between = (far * x + next_x, far * y + next_y);
                assert_eq!(sixteenth(between.0, between.1), 2 * k as i32 + 1);
            }
        }
    }

    /// A slot with neighbours ahead that walk to these columns and rows from it.
    fn choice(way: u32, to: [(i32, i32); 3], value: [f32; 3]) -> Choice {
        let leap = to.map(|(x, y)| STAY.wrapping_add(x as u32).wrapping_add((y as u32) << 16));
        Ahead { way, leap, value }.choose(true)
    }

    #[test]
    fn lines_of_two_neighbours_and_those_straight_on_are_taken_unseen() {
        let (far, none) = ((40, 30), ((0, 0), f32::INFINITY));
        let [near, past, dear] = [((5, 2), 5.0), ((50, 0), 5.0), ((9, 8), 99.0)];
        let cases = [
            (
                "between two that have it",
                0,
                [(far, 5.0), (far, 5.0), none],
                FREE,
            ),
            ("one has it", 0, [(far, 5.0), dear, none], FAR),
            (
                "the other side has it",
                0,
                [(far, 5.0), dear, (far, 5.0)],
                FAR,
            ),
            ("straight on", 0, [past, dear, none], FREE),
            ("straight on beside", 0, [dear, ((40, 40), 5.0), none], FREE),
            ("near", 0, [near, none, none], NEAR),
            (
                "across a corner",
                0,
                [(far, 5.0), ((20, 14), 45.0), none],
                ROUND,
            ),
            (
                "round a corner",
                0,
                [(far, 5.0), ((20, 16), 45.0), none],
                FAR,
            ),
            ("diagonal", 1, [(far, 5.0), dear, (far, 5.0)], FREE),
        ];
        for (name, way, ahead, kind) in cases {
            let found = choice(way, ahead.map(|a| a.0), ahead.map(|a| a.1));
            assert_eq!(found.kind, kind, "{name}");
        }
        let found = choice(0, [far, dear.0, (0, 0)], [5.0, 48.0, f32::INFINITY]);
        assert_eq!(
            (found.second, found.second_value > 55.0),
            (0, true),
            "the step is cheaper"
        );
        let found = choice(0, [dear.0, far, (0, 0)], [43.0, 5.0, f32::INFINITY]);
        assert_eq!(columns_rows(found.leap), far);
        assert_eq!(columns_rows(found.second), dear.0);
        let found = choice(0, [far, far, (0, 0)], [5.0, 5.0, f32::INFINITY]);
        assert_eq!(found.second, 0, "both have the same");
        assert_eq!(columns_rows(found.leap), far);
        assert_eq!(found.value, 55.0);
    }

    #[test]
    fn who_has_no_line_ahead_takes_the_step() {
        // The neighbour to the right walks up: nobody goes on along its line.
        let found = choice(
            0,
            [(1, 6), (0, 0), (0, 0)],
            [2.0, f32::INFINITY, f32::INFINITY],
        );
        assert_eq!((columns_rows(found.leap), found.kind), ((1, 0), FREE));
        assert_eq!(found.value, 9.0);
    }
}
