//! What slots see on lattices whose steps follow from which cells are free.
//!
//! Lines of sight between slots are asked for once or more per slot and field, so what answers
//! them quickly is kept beside the steps: the cells about each slot as bits, against which a line
//! of up to seven columns and rows is one mask, and how far all about it is free, by which longer
//! lines are followed in leaps.

use crate::stencil::{Slot, Stencil, step_towards};

/// Columns and rows of a window.
const WIDE: i32 = 8;

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sight {
    /// The eight cells of a row that begin at each slot, after `pad` empty ones.
    rows: Vec<u8>,
    pad: i32,
    /// So many cells all about each slot are free.
    clear: Vec<u8>,
    stride: i32,
    offset: [i32; 8],
}

/// The cells that the line from a window's first cell to another one needs, one bit each.
/// A line through a corner of cells needs both cells beside it.
const fn line(columns: i32, rows: i32, mirrored: bool) -> u64 {
    const fn bit(x: i32, y: i32, mirrored: bool) -> u64 {
        1 << (y * WIDE + if mirrored { WIDE - 1 - x } else { x })
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

/// Lines within windows, by side (to the right, to the left), row and column.
const WIDE_LINES: [u64; 128] = {
    let mut lines = [0; 128];
    let mut i = 0;
    while i < 128 {
        lines[i as usize] = line(i % WIDE, i / WIDE % WIDE, i >= 64);
        i += 1;
    }
    lines
};

impl Sight {
    /// Over the open steps of a lattice; nothing if these do not follow from which cells are free.
    pub fn of(stencil: &Stencil, open: &[u8]) -> Option<Sight> {
        let slots = open.len();
        if stencil.jumps() {
            return None;
        }
        let is_free = |slot: i32| open.get(slot as usize).is_some_and(|o| *o != 0);
        for slot in (0..slots as i32).filter(|s| is_free(*s)) {
            for k in 0..8 {
                let around = [k, (k + 1) % 8, (k + 7) % 8];
                let needed = if k % 2 == 1 {
                    &around[..]
                } else {
                    &around[..1]
                };
                let free = needed.iter().all(|k| is_free(slot + stencil.offset[*k]));
                if free != (open[slot as usize] >> k & 1 == 1) {
                    return None;
                }
            }
        }
        let stride = stencil.stride;
        let pad = WIDE * stride + 64;
        let mut rows = vec![0; slots + 2 * pad as usize];
        for i in 0..rows.len() as i32 - WIDE {
            // Nothing can be seen from before or behind the map.
            let cells = (0..WIDE).filter(|b| is_free(i - pad + b));
            rows[i as usize] = cells.fold(0, |bits, b| bits | 1 << b);
        }
        let mut clear: Vec<u8> = open
            .iter()
            .map(|o| if *o == 0 { 0 } else { u8::MAX })
            .collect();
        // Distances to what is not free along rows, columns and diagonals, in two sweeps.
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
            rows,
            pad,
            clear,
            stride,
            offset: stencil.offset,
        })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.rows.len() + self.clear.len()
    }

    /// Whether all cells within so many columns and rows are free.
    #[inline(always)]
    pub fn is_clear(&self, slot: Slot, reach: i32) -> bool {
        i32::from(self.clear[slot as usize]) >= reach
    }

    /// Whether a slot sees one at most 7 columns and rows away.
    #[inline(always)]
    pub fn sees_wide(&self, slot: Slot, (x, y): (i32, i32)) -> bool {
        let left = x < 0;
        let at = usize::from(left) * 64 + (y.abs() * WIDE + x.abs()) as usize;
        let line = WIDE_LINES[at & 127];
        let up = if y < 0 { -self.stride } else { self.stride };
        let mut row = self.pad + slot as i32 - if left { WIDE - 1 } else { 0 };
        let mut cells = 0;
        for i in 0..WIDE {
            cells |= u64::from(self.rows[row as usize]) << (8 * i);
            row += up;
        }
        cells & line == line
    }

    /// Whether a slot sees another one.
    #[inline]
    pub fn sees(&self, open: &[u8], slot: Slot, (x, y): (i32, i32)) -> bool {
        if x.abs().max(y.abs()) < WIDE {
            self.sees_wide(slot, (x, y))
        } else {
            self.follow(open, slot, (x, y))
        }
    }

    /// Follows a line from column to column of its longer side; as many at once as are clear.
    fn follow(&self, open: &[u8], slot: Slot, (x, y): (i32, i32)) -> bool {
        let (wide, tall) = (x.abs(), y.abs());
        let (across, up, both) = (step_towards(x, 0), step_towards(0, y), step_towards(x, y));
        let steep = tall > wide;
        let (long, short) = if steep { (tall, wide) } else { (wide, tall) };
        let (along, aside) = if steep { (up, across) } else { (across, up) };
        let ahead = self.offset[along];
        let beside = if short == 0 { 0 } else { self.offset[aside] };
        let slope = f64::from(short) / f64::from(long);
        let mut at = slot as i32;
        // The line passes the middle of column i within row j.
        let (mut i, mut j) = (0, 0);
        while i < long {
            let clear = i32::from(self.clear[at as usize]);
            if clear >= long - i {
                return true;
            }
            if clear > 1 {
                i += clear;
                let row = (f64::from(i) * slope + 0.5) as i32;
                at += clear * ahead + (row - j) * beside;
                j = row;
                continue;
            }
            // Where the line leaves the column: by its side, by a corner, or by the row's edge.
            let open_at = |at: i32, step: usize| open[at as usize] >> step & 1 == 1;
            let over = (2 * i + 1) * short + long - 2 * long * (j + 1);
            if over == 0 {
                if !open_at(at, both) {
                    return false;
                }
                at += ahead + beside;
                j += 1;
            } else {
                if over > 0 {
                    if !open_at(at, aside) {
                        return false;
                    }
                    at += beside;
                    j += 1;
                }
                if !open_at(at, along) {
                    return false;
                }
                at += ahead;
            }
            i += 1;
            if 2 * i * short + long > 2 * long * (j + 1) {
                if !open_at(at, aside) {
                    return false;
                }
                at += beside;
                j += 1;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{expand::is_free, stencil::tests::lattice};

    #[test]
    fn windows_and_leaps_see_what_steps_from_cell_to_cell_do() {
        for share in [3, 12, 40] {
            let map = lattice(37, 29, |x, y| {
                (x * 73 + y * 151 + x * y * 7 + x * x * 3) % 101 >= share
            });
            let stencil = Stencil::of(&map).unwrap();
            let open = &stencil.steps;
            let sight = Sight::of(&stencil, open).unwrap();
            let slots = &stencil.slot;
            let place = |slot: Slot| (slot as i32 % stencil.stride, slot as i32 / stencil.stride);
            let (mut seen, mut hidden) = (0, 0);
            for &a in slots.iter().step_by(3).filter(|a| open[**a as usize] != 0) {
                for &b in slots.iter().step_by(2).filter(|b| open[**b as usize] != 0) {
                    let (x, y) = (place(b).0 - place(a).0, place(b).1 - place(a).1);
                    let wanted = is_free(open, &stencil.offset, a, b as usize, (x, y));
                    assert_eq!(sight.sees(open, a, (x, y)), wanted, "{a} {b} {x} {y}");
                    if sight.is_clear(a, x.abs().max(y.abs())) {
                        assert!(wanted);
                    }
                    seen += usize::from(wanted);
                    hidden += usize::from(!wanted);
                }
            }
            assert!(seen > 1000 && hidden > 1000, "{seen} {hidden}");
        }
    }

    #[test]
    fn steps_that_do_not_follow_from_cells_are_refused() {
        let map = lattice(6, 5, |_, _| true);
        let stencil = Stencil::of(&map).unwrap();
        assert!(Sight::of(&stencil, &stencil.steps).is_some());
        // A wall between two free cells.
        let mut open = stencil.steps.clone();
        open[stencil.slot_of(7) as usize] &= !1;
        assert!(Sight::of(&stencil, &open).is_none());
    }

    #[test]
    fn lines_have_their_known_cells() {
        assert_eq!(WIDE_LINES[0], 1);
        assert_eq!(WIDE_LINES[9], 0x0303, "a diagonal needs all four cells");
        assert_eq!(WIDE_LINES[7], 0xFF);
        assert_eq!(WIDE_LINES[64 + 1], 0xC0);
    }
}
