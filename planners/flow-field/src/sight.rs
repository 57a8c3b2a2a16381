//! What slots see of each other on one floor.
//!
//! Lines of sight between slots are asked for once or more per slot and field, so what answers
//! them quickly is kept beside the steps: the cells about each slot as bits, against which a line
//! of up to seven columns and rows is one mask, and how far all about it is plain, by which longer
//! lines are followed in leaps. A cell is plain if its steps follow from which cells about it are
//! free; others lie at walls that pass between cells, and lines through them are followed by steps.

use crate::stencil::{STEPS, Slot, Stencil, step_towards};

/// Columns and rows of a window.
const WIDE: i32 = 8;

/// Lines that pass no more rows are followed from row to row.
const FLAT: i32 = 3;

/// Cells as bits, few enough to stay where they are quickly read: eight columns after eight columns,
/// each a byte per row. About the map eight columns and rows are empty.
#[derive(Clone, Debug, PartialEq)]
struct Cells {
    bytes: Vec<u8>,
    rows: usize,
}

impl Cells {
    fn of(is_set: impl Fn(usize) -> bool, slots: usize, stride: usize) -> Cells {
        let rows = slots.div_ceil(stride) + 2 * WIDE as usize;
        let mut bytes = vec![0; (stride / 8 + 4) * rows];
        for slot in (0..slots).filter(|s| is_set(*s)) {
            let (column, row) = (slot % stride + 8, slot / stride + 8);
            bytes[column / 8 * rows + row] |= 1 << (column % 8);
        }
        Cells { bytes, rows }
    }

    /// The 8 x 8 cells whose first is at a column and row, which may lie beside the map.
    #[inline(always)]
    fn window(&self, column: i32, row: i32) -> u64 {
        let (column, row) = ((column + WIDE) as usize, (row + WIDE) as usize);
        let at = column / 8 * self.rows + row;
        let eight_rows = |at: usize| match self.bytes[at..].first_chunk() {
            Some(rows) => u64::from_le_bytes(*rows),
            None => 0,
        };
        // Of each row the upper bits of one byte and the lower ones of the next.
        let (one, two) = (eight_rows(at), eight_rows(at + self.rows));
        let low = EACH_ROW * (0xFF >> (column % 8));
        one >> (column % 8) & low | two << (8 - column % 8) & !low
    }
}

/// The first cell of each row of a window.
const EACH_ROW: u64 = 0x0101_0101_0101_0101;

/// Bits of the fraction by which slots are divided by the stride. Slots have 27 bits and rows fewer
/// than 15, so the quotient is exact.
const FRACTION: u32 = 42;

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sight {
    plain: Cells,
    /// Nothing if all free cells are plain.
    free: Option<Cells>,
    /// So many cells all about each slot are plain.
    clear: Vec<u8>,
    /// So many straight steps may be walked in each of the four directions from each slot.
    runs: [Vec<u8>; 4],
    stride: i32,
    /// A row per slots, as a fraction.
    per_slot: u64,
    offset: [i32; 8],
}

/// The cells that the line from a window's first cell to another one needs, one bit each.
/// A line through a corner of cells needs both cells beside it.
const fn line(columns: i32, rows: i32, mirrored: [bool; 2]) -> u64 {
    const fn bit(x: i32, y: i32, mirrored: [bool; 2]) -> u64 {
        let x = if mirrored[0] { WIDE - 1 - x } else { x };
        let y = if mirrored[1] { WIDE - 1 - y } else { y };
        1 << (y * WIDE + x)
    }
    let (mut x, mut y, mut cells) = (0, 0, bit(0, 0, mirrored));
    let (mut to_column, mut to_row) = (rows, columns);
    while x != columns || y != rows {
        if to_column < to_row {
            x += 1;
            to_column += 2 * rows;
        } else if to_column > to_row {
            y += 1;
            to_row += 2 * columns;
        } else {
            cells |= bit(x + 1, y, mirrored) | bit(x, y + 1, mirrored);
            x += 1;
            y += 1;
            to_column += 2 * rows;
            to_row += 2 * columns;
        }
        cells |= bit(x, y, mirrored);
    }
    cells
}

/// Lines within windows, by sides (to the left and right, up and down), row and column.
const LINES: [u64; 256] = {
    let mut lines = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mirrored = [i & 64 != 0, i & 128 != 0];
        lines[i as usize] = line(i % WIDE, i / WIDE % WIDE, mirrored);
        i += 1;
    }
    lines
};

/// Whether there is a wall between free cells that touches no cell which is not free. If not, what
/// two lines less than a cell apart pass on either side is free: a cell has no room between them, nor
/// has a wall that ends at one, but a wall that stands free has. Walls are followed from corner to
/// corner; a corner goes by the slot to its lower left.
pub(crate) fn has_fences(open: &[u8], stride: i32) -> bool {
    let at = |slot: i32| open.get(slot as usize).copied().unwrap_or(0);
    let is_free = |slot: i32| at(slot) != 0;
    let is_shut =
        |slot: i32, step: i32, to: i32| is_free(slot) && is_free(to) && at(slot) >> step & 1 == 0;
    // The sides of four cells that meet at a corner, and the corners at their other ends.
    let sides = |corner: i32| {
        [
            (is_shut(corner, 0, corner + 1), corner - stride),
            (
                is_shut(corner + stride, 0, corner + stride + 1),
                corner + stride,
            ),
            (is_shut(corner, 2, corner + stride), corner - 1),
            (is_shut(corner + 1, 2, corner + 1 + stride), corner + 1),
        ]
    };
    let is_wall = |corner: i32| {
        let sides = sides(corner).iter().any(|s| s.0);
        let across = is_shut(corner, 1, corner + stride + 1);
        sides || across || is_shut(corner + 1, 3, corner + stride)
    };
    let is_held = |corner: i32| {
        let cells = [corner, corner + 1, corner + stride, corner + stride + 1];
        !cells.into_iter().all(is_free)
    };
    let corners = 0..open.len() as i32;
    let mut seen = vec![false; open.len()];
    let mut left: Vec<i32> = corners
        .clone()
        .filter(|c| is_held(*c) && is_wall(*c))
        .collect();
    while let Some(corner) = left.pop() {
        if !core::mem::replace(&mut seen[corner as usize], true) {
            let ends = sides(corner).into_iter().filter(|s| s.0).map(|s| s.1);
            left.extend(ends.filter(|c| seen.get(*c as usize) == Some(&false)));
        }
    }
    let mut corners = corners;
    corners.any(|c| !seen[c as usize] && is_wall(c))
}

/// The straight steps that may be walked one after the other from each slot, 255 at most.
fn runs(open: &[u8], offset: &[i32; 8]) -> [Vec<u8>; 4] {
    core::array::from_fn(|way| {
        let mut runs = vec![0_u8; open.len()];
        let mut set = |slot: usize| {
            if open[slot] >> (2 * way) & 1 == 1 {
                let next = (slot as i32 + offset[2 * way]) as usize;
                runs[slot] = runs[next].saturating_add(1);
            }
        };
        // From where the way leads.
        if way < 2 {
            (0..open.len()).rev().for_each(&mut set);
        } else {
            (0..open.len()).for_each(&mut set);
        }
        runs
    })
}

impl Sight {
    /// Over the open steps of a lattice; nothing if there are several floors, or diagonal steps
    /// not all of whose four sides may be walked.
    pub fn of(stencil: &Stencil, open: &[u8], regular: bool) -> Option<Sight> {
        let slots = open.len();
        let stride = stencil.stride;
        if stencil.jumps() || !regular || (slots / stride as usize) >> (64 - FRACTION) != 0 {
            return None;
        }
        let is_free = |slot: i32| open.get(slot as usize).is_some_and(|o| *o != 0);
        let is_plain = |slot: i32| {
            is_free(slot)
                && (0..8).all(|k| {
                    let around = [k, (k + 1) % 8, (k + 7) % 8];
                    let needed = &around[..if k % 2 == 1 { 3 } else { 1 }];
                    let free = needed.iter().all(|k| is_free(slot + stencil.offset[*k]));
                    free == (open[slot as usize] >> k & 1 == 1)
                })
        };
        let plain: Vec<bool> = (0..slots as i32).map(is_plain).collect();
        let all_plain = (0..slots).all(|s| plain[s] == (open[s] != 0));
        let of_plain = Cells::of(|slot| plain[slot], slots, stride as usize);
        let of_free =
            (!all_plain).then(|| Cells::of(|slot| open[slot] != 0, slots, stride as usize));
        let mut clear: Vec<u8> = plain.iter().map(|p| u8::from(*p) * u8::MAX).collect();
        // Distances to what is not plain along rows, columns and diagonals, in two sweeps.
        let inner = stride as usize + 1..slots.saturating_sub(stride as usize + 1);
        let mut grow = |slot: usize, steps: [usize; 4]| {
            let beside = steps.map(|k| clear[(slot as i32 + stencil.offset[k]) as usize]);
            let least = beside.into_iter().min().unwrap_or(0);
            clear[slot] = clear[slot].min(least.saturating_add(1));
        };
        inner.clone().for_each(|slot| grow(slot, [4, 5, 6, 7]));
        inner.rev().for_each(|slot| grow(slot, [0, 1, 2, 3]));
        clear.iter_mut().for_each(|c| *c = c.saturating_sub(1));
        Some(Sight {
            plain: of_plain,
            free: of_free,
            clear,
            runs: runs(open, &stencil.offset),
            stride,
            per_slot: (1 << FRACTION) / stride as u64 + 1,
            offset: stencil.offset,
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let free = self.free.as_ref().map_or(0, |f| f.bytes.len());
        self.plain.bytes.len() + free + self.clear.len() + 4 * self.runs[0].len()
    }

    /// Lines of fewer columns and rows are near.
    pub const NEAR: i32 = WIDE;

    /// Whether a slot sees one that is near.
    #[inline(always)]
    pub fn sees_near(&self, open: &[u8], slot: Slot, (x, y): (i32, i32)) -> bool {
        let (left, down) = (i32::from(x < 0), i32::from(y < 0));
        let at = down * 128 + left * 64 + y.abs() * WIDE + x.abs();
        let line = LINES[at as usize & 255];
        let row = ((u64::from(slot) * self.per_slot) >> FRACTION) as i32;
        let column = slot as i32 - row * self.stride - (WIDE - 1) * left;
        let row = row - (WIDE - 1) * down;
        let seen = self.plain.window(column, row) & line == line;
        let Some(free) = &self.free else {
            return seen;
        };
        // Whatever lies at a wall between cells is followed by its steps.
        let in_doubt = || free.window(column, row) & line == line;
        seen || in_doubt() && self.follow(open, slot, (x, y), |_, _| false)
    }

    /// Whether a slot sees another one.
    pub fn sees(&self, open: &[u8], slot: Slot, (x, y): (i32, i32)) -> bool {
        if x.abs().max(y.abs()) < Sight::NEAR {
            self.sees_near(open, slot, (x, y))
        } else {
            self.follow(open, slot, (x, y), |_, _| false)
        }
    }

    /// Whether a slot sees another one, near or far: follows the line from column to column of its
    /// longer side, as many at once as are clear, to its end or to between two slots which `sees`
    /// says see it; it gets a slot and the columns and rows from there to the end.
    #[inline(never)]
    pub fn follow(
        &self,
        open: &[u8],
        slot: Slot,
        (x, y): (i32, i32),
        sees: impl Fn(i32, (i32, i32)) -> bool,
    ) -> bool {
        let (wide, tall) = (x.abs(), y.abs());
        let (across, up, both) = (step_towards(x, 0), step_towards(0, y), step_towards(x, y));
        let steep = tall > wide;
        let (long, short) = if steep { (tall, wide) } else { (wide, tall) };
        let (along, aside) = if steep { (up, across) } else { (across, up) };
        let ahead = self.offset[along];
        let beside = self.offset[aside];
        if short <= FLAT {
            return self.follow_rows(open, slot as i32, (long, short), (along, aside, both));
        }
        let [[forth_x, forth_y], [aside_x, aside_y]] = [STEPS[along], STEPS[aside]];
        let is_open = |at: i32, step: usize| open[at as usize] >> step & 1 == 1;
        let mut at = slot as i32;
        // Columns and rows that are left to the end.
        let (mut to_x, mut to_y, mut left) = (x, y, long);
        // By how much the line is aside of the cell's middle, in parts of 1 / (2 long): more than
        // one half is another row.
        let mut off = 0_i32;
        while left > 0 {
            if left < long && sees(at, (to_x, to_y)) {
                // Between the row and the one on the line's other side.
                let other = off.signum();
                let to_end = (to_x - other * aside_x, to_y - other * aside_y);
                if other == 0 || sees(at + other * beside, to_end) {
                    return true;
                }
            }
            let clear = i32::from(self.clear[at as usize]);
            if clear >= left {
                return true;
            }
            let (mut columns, mut rows) = (1, 0);
            if clear > 1 {
                // Two, as most lines are soon enclosed, unless far more are clear.
                columns = if clear < WIDE { 2 } else { clear };
                off += 2 * columns * short;
                rows = match columns {
                    2 => i32::from(off >= long) + i32::from(off >= 3 * long),
                    _ => (off + long) / (2 * long),
                };
                off -= 2 * rows * long;
                at += columns * ahead + rows * beside;
            } else {
                // The line leaves the column by its side, by a corner, or by the row's edge.
                let over = off + short - long;
                if over >= 0 {
                    rows = 1;
                }
                let free = match over {
                    ..0 => is_open(at, along),
                    0 => is_open(at, both),
                    1.. => is_open(at, aside) && is_open(at + beside, along),
                };
                if !free {
                    return false;
                }
                at += ahead + rows * beside;
                off += 2 * (short - rows * long);
                if off > long {
                    if !is_open(at, aside) {
                        return false;
                    }
                    at += beside;
                    off -= 2 * long;
                    rows += 1;
                }
            }
            to_x -= columns * forth_x + rows * aside_x;
            to_y -= columns * forth_y + rows * aside_y;
            left -= columns;
        }
        true
    }
}

impl Sight {
    /// Follows a line that passes few rows, from row to row.
    #[inline(always)]
    fn follow_rows(
        &self,
        open: &[u8],
        mut at: i32,
        (long, short): (i32, i32),
        (along, aside, both): (usize, usize, usize),
    ) -> bool {
        let runs = &self.runs[along / 2 % 4];
        let mut column = 0;
        for row in 0..=short {
            // The line leaves the row in a column, or at the corner before it.
            let leaves = (2 * row + 1) * long + short;
            // Written out, as dividing by what is not known takes longer than all the rest.
            let (last, corner) = match short {
                _ if row == short => (long, false),
                1 => (leaves / 2, leaves % 2 == 0),
                2 => (leaves / 4, leaves % 4 == 0),
                _ => (leaves / 6, leaves % 6 == 0),
            };
            let mut left = last - i32::from(corner) - column;
            while left > 0 {
                let run = i32::from(runs[at as usize]).min(left);
                if run < left.min(255) {
                    return false;
                }
                at += run * self.offset[along];
                left -= run;
            }
            if row < short {
                let step = if corner { both } else { aside };
                if open[at as usize] >> step & 1 == 0 {
                    return false;
                }
                at += self.offset[step];
            }
            column = last;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{expand::is_free, stencil::tests::lattice};

    /// A lattice with walls between some of its free cells, and its open steps.
    fn walled(share: i32, walls: bool) -> (Stencil, Vec<u8>) {
        let map = lattice(37, 29, |x, y| {
            (x * 73 + y * 151 + x * y * 7 + x * x * 3) % 101 >= share
        });
        let stencil = Stencil::of(&map).unwrap();
        let mut open = stencil.steps.clone();
        for slot in (0..open.len()).filter(|s| walls && s * 31 % 11 < 2) {
            // A wall to the right of the cell closes a step and the four diagonal ones over it.
            let beside = |k: usize| (slot as i32 + stencil.offset[k]) as usize;
            for (here, step) in [(slot, 0), (slot, 1), (slot, 7)] {
                let there = (here as i32 + stencil.offset[step]) as usize;
                if open[here] >> step & 1 == 1 {
                    open[here] &= !(1 << step);
                    open[there] &= !(1 << (step ^ 4));
                }
            }
            for (k, step) in [(0, 3), (0, 5)] {
                let here = beside(k);
                if open[here] >> step & 1 == 1 {
                    let there = (here as i32 + stencil.offset[step]) as usize;
                    open[here] &= !(1 << step);
                    open[there] &= !(1 << (step ^ 4));
                }
            }
        }
        (stencil, open)
    }

    #[test]
    fn windows_and_leaps_see_what_steps_from_cell_to_cell_do() {
        for (share, walls) in [(3, false), (12, false), (40, false), (3, true), (20, true)] {
            let (stencil, open) = walled(share, walls);
            let sight = Sight::of(&stencil, &open, true).unwrap();
            assert_eq!(sight.free.is_some(), walls);
            let slots = &stencil.slot;
            let place = |slot: Slot| (slot as i32 % stencil.stride, slot as i32 / stencil.stride);
            let (mut seen, mut hidden) = (0, 0);
            for &a in slots.iter().step_by(3).filter(|a| open[**a as usize] != 0) {
                for &b in slots.iter().step_by(2).filter(|b| open[**b as usize] != 0) {
                    let (x, y) = (place(b).0 - place(a).0, place(b).1 - place(a).1);
                    let wanted = is_free(&open, &stencil.offset, a, b as usize, (x, y));
                    assert_eq!(sight.sees(&open, a, (x, y)), wanted, "{a} {b} {x} {y}");
                    seen += usize::from(wanted);
                    hidden += usize::from(!wanted);
                }
            }
            assert!(seen > 1000 && hidden > 1000, "{seen} {hidden}");
        }
    }

    #[test]
    fn long_flat_lines_are_followed_over_more_steps_than_a_byte_counts() {
        for blocked in [700, 599, 301, 300, 254, 1] {
            let map = lattice(700, 3, |x, y| (x, y) != (blocked, 1));
            let stencil = Stencil::of(&map).unwrap();
            let open = &stencil.steps;
            let sight = Sight::of(&stencil, open, true).unwrap();
            let slot = |x: i32, y: i32| (stencil.slot[0] as i32 + y * stencil.stride + x) as Slot;
            for (from, to) in [((0, 1), (600, 1)), ((0, 0), (600, 2)), ((0, 2), (600, 1))] {
                for (from, to) in [(from, to), (to, from)] {
                    let line = (to.0 - from.0, to.1 - from.1);
                    let far = slot(to.0, to.1) as usize;
                    let from = slot(from.0, from.1);
                    let wanted = is_free(open, &stencil.offset, from, far, line);
                    assert_eq!(sight.sees(open, from, line), wanted, "{blocked} {line:?}");
                }
            }
        }
    }

    #[test]
    fn steps_that_cut_corners_are_refused() {
        let map = lattice(6, 5, |_, _| true);
        let stencil = Stencil::of(&map).unwrap();
        assert!(Sight::of(&stencil, &stencil.steps, true).is_some());
        assert!(Sight::of(&stencil, &stencil.steps, false).is_none());
    }

    #[test]
    fn lines_have_their_known_cells() {
        assert_eq!(LINES[0], 1);
        assert_eq!(LINES[9], 0x0303, "a diagonal needs all four cells");
        assert_eq!(LINES[7], 0xFF);
        assert_eq!(LINES[64 + 1], 0xC0);
        assert_eq!(LINES[128 + 9], 0x0303 << 48);
        assert_eq!(LINES[128 + 64 + 9], 0xC0C0 << 48);
    }
}
