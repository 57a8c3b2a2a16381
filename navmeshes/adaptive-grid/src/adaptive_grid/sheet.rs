//! One floor as an image of cells: which can be walked on, and which sides between them are open.

use std::collections::BTreeMap;

/// A direction in an image whose row 0 is at the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Along the columns, upwards.
    East = 0,
    /// Along the rows, upwards: down the picture.
    South = 1,
    /// Along the columns, downwards.
    West = 2,
    /// Along the rows, downwards: up the picture.
    North = 3,
}

/// An image of cells, row by row from the top, as in a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// [`Sheet::FREE`], [`Sheet::EAST`], [`Sheet::SOUTH`] and [`Sheet::CUT`] of each cell.
    pub bits: Vec<u8>,
    /// Sides closed by nothing but the leaf of a door: the cell west or north of it, the
    /// direction, and the door.
    pub doors: BTreeMap<(u32, Direction), u16>,
}

impl Sheet {
    /// The cell can be walked on.
    pub const FREE: u8 = 1;
    /// So can the cell to its east, and nothing stands between the two.
    pub const EAST: u8 = 2;
    /// So can the cell to its south, and nothing stands between the two.
    pub const SOUTH: u8 = 4;
    /// The leaf of a door runs through the cell.
    pub const CUT: u8 = 8;

    /// The sheet of a picture without walls between free cells.
    pub fn of_image(width: u32, height: u32, free: &[bool]) -> Sheet {
        let mut sheet = Sheet {
            width,
            height,
            bits: free.iter().map(|free| u8::from(*free)).collect(),
            doors: BTreeMap::new(),
        };
        let cells = (width as usize * height as usize).min(free.len());
        for cell in 0..cells {
            let east = (cell + 1) % width as usize != 0 && free.get(cell + 1) == Some(&true);
            let south = free.get(cell + width as usize) == Some(&true);
            if free[cell] {
                sheet.bits[cell] |= if east { Sheet::EAST } else { 0 };
                sheet.bits[cell] |= if south { Sheet::SOUTH } else { 0 };
            }
        }
        sheet
    }

    /// How many cells.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    /// The cell of a row and column.
    #[inline]
    pub fn cell(&self, row: u32, column: u32) -> u32 {
        row * self.width + column
    }

    /// Whether a cell can be walked on.
    #[inline]
    pub fn is_free(&self, cell: u32) -> bool {
        self.bits[cell as usize] & Sheet::FREE != 0
    }

    /// How many cells can be walked on.
    pub fn free_cells(&self) -> usize {
        self.bits.iter().filter(|b| **b & Sheet::FREE != 0).count()
    }

    /// The free cell beyond an open side.
    #[inline]
    pub fn beyond(&self, cell: u32, direction: Direction) -> Option<u32> {
        let at = cell as usize;
        let width = self.width;
        match direction {
            Direction::East => (self.bits[at] & Sheet::EAST != 0).then(|| cell + 1),
            Direction::South => (self.bits[at] & Sheet::SOUTH != 0).then(|| cell + width),
            Direction::West => (!cell.is_multiple_of(width)
                && self.bits[at - 1] & Sheet::EAST != 0)
                .then(|| cell - 1),
            Direction::North => (cell >= width
                && self.bits[at - width as usize] & Sheet::SOUTH != 0)
                .then(|| cell - width),
        }
    }

    /// Whether the straight line between two points (in cells, x along columns, y along rows)
    /// meets free cells and open sides only. Touching the corner of a cell is not meeting it.
    pub fn sees(&self, from: [f64; 2], to: [f64; 2]) -> bool {
        const TOUCH: f64 = 1e-9;
        let (a, b) = if from[1] <= to[1] {
            (from, to)
        } else {
            (to, from)
        };
        let free = |row: i64, column: i64| {
            let inside = row >= 0
                && column >= 0
                && row < i64::from(self.height)
                && column < i64::from(self.width);
            inside && self.is_free(self.cell(row as u32, column as u32))
        };
        let along = |row: i64, low: f64, high: f64| -> bool {
            let (low, high) = (low.min(high), low.max(high));
            let first = (low + TOUCH).floor() as i64;
            let last = ((high - TOUCH).ceil() as i64 - 1).max(first);
            // On the line between two columns, nothing but a corner is met.
            if high - low < TOUCH && (low - low.round()).abs() < TOUCH {
                let line = low.round() as i64;
                return free(row, line) || free(row, line - 1);
            }
            (first..=last).all(|c| free(row, c))
                && (first..last)
                    .all(|c| self.bits[self.cell(row as u32, c as u32) as usize] & Sheet::EAST != 0)
        };
        let rise = b[1] - a[1];
        if rise < TOUCH {
            let line = a[1].round();
            if (a[1] - line).abs() < TOUCH {
                let row = line as i64;
                return along(row, a[0], b[0]) || along(row - 1, a[0], b[0]);
            }
            return along(a[1].floor() as i64, a[0], b[0]);
        }
        let x_at = |y: f64| a[0] + (b[0] - a[0]) * ((y - a[1]) / rise);
        let first = (a[1] + TOUCH).floor() as i64;
        let last = ((b[1] - TOUCH).ceil() as i64 - 1).max(first);
        for row in first..=last {
            let (top, bottom) = ((row as f64).max(a[1]), (row as f64 + 1.0).min(b[1]));
            if !along(row, x_at(top), x_at(bottom)) {
                return false;
            }
            if row < last {
                let x = x_at(bottom);
                let touches_line = (x - x.round()).abs() < TOUCH;
                let column = x.floor() as i64;
                let opens = |column: i64| {
                    free(row, column)
                        && self.bits[self.cell(row as u32, column as u32) as usize] & Sheet::SOUTH
                            != 0
                };
                let line = x.round() as i64;
                let open = if touches_line {
                    opens(line) || opens(line - 1)
                } else {
                    opens(column)
                };
                if !open {
                    return false;
                }
            }
        }
        true
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A sheet from rows of '.' for free cells.
    pub(crate) fn drawn(rows: &[&str]) -> Sheet {
        let free: Vec<bool> = rows
            .iter()
            .flat_map(|row| row.bytes().map(|b| b == b'.'))
            .collect();
        Sheet::of_image(rows[0].len() as u32, rows.len() as u32, &free)
    }

    #[test]
    fn sides_are_open_between_free_cells_alone() {
        let sheet = drawn(&["..", "#."]);
        assert_eq!(sheet.beyond(0, Direction::East), Some(1));
        assert_eq!(sheet.beyond(1, Direction::West), Some(0));
        assert_eq!(sheet.beyond(0, Direction::South), None);
        assert_eq!(sheet.beyond(3, Direction::North), Some(1));
        assert_eq!(sheet.beyond(1, Direction::East), None);
        assert_eq!(sheet.free_cells(), 3);
    }

    #[test]
    fn lines_are_stopped_by_cells_and_not_by_corners() {
        let sheet = drawn(&["....", "..#.", "...."]);
        assert!(sheet.sees([0.5, 0.5], [3.5, 0.5]));
        assert!(!sheet.sees([0.5, 1.5], [3.5, 1.5]));
        assert!(sheet.sees([0.5, 1.0], [3.5, 1.0]), "along the top of it");
        assert!(sheet.sees([1.0, 0.0], [3.0, 0.0]));
        assert!(sheet.sees([1.0, 0.0], [2.0, 1.0]), "to its corner");
        assert!(!sheet.sees([1.0, 0.0], [3.0, 2.0]), "through it");
        assert!(sheet.sees([2.0, 0.5], [2.0, 2.5]), "along its side");
        assert!(!sheet.sees([2.5, 0.5], [2.5, 2.5]));
        // Two cells that touch in a corner leave no way between them.
        let crossed = drawn(&[".#", "#."]);
        assert!(!crossed.sees([0.5, 0.5], [1.5, 1.5]));
    }
}
