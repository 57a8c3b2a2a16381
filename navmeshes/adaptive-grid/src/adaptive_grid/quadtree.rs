//! Quadtree cells: squares halved until each is free or not, for the comparison.

use throng_core::NONE;

use super::{
    grow::{Partition, Rect},
    sheet::Sheet,
};

/// Partitions a sheet into the free leaves of a quadtree over it.
pub fn quadtree(sheet: &Sheet) -> Partition {
    let mut partition = Partition {
        owner: vec![NONE; sheet.len()],
        seeds: Vec::new(),
        swept: 0,
    };
    let side = sheet.width.max(sheet.height).max(1).next_power_of_two();
    split(sheet, 0, 0, side, &mut partition);
    partition
}

/// What a square holds.
#[derive(PartialEq)]
enum Kind {
    /// No free cell.
    Empty,
    /// Free cells alone, with nothing between them.
    Free,
    Mixed,
}

fn kind(sheet: &Sheet, row: u32, column: u32, side: u32) -> Kind {
    let inside = row + side <= sheet.height && column + side <= sheet.width;
    let (last_row, last_column) = (row + side - 1, column + side - 1);
    let (mut free, mut open) = (false, inside);
    for r in row..(row + side).min(sheet.height) {
        for c in column..(column + side).min(sheet.width) {
            let bits = sheet.bits[sheet.cell(r, c) as usize];
            if bits & Sheet::FREE == 0 {
                open = false;
            } else {
                free = true;
                let east = c == last_column || bits & Sheet::EAST != 0;
                let south = r == last_row || bits & Sheet::SOUTH != 0;
                open &= east && south;
            }
            if free && !open {
                return Kind::Mixed;
            }
        }
    }
    match (free, open) {
        (false, _) => Kind::Empty,
        (true, true) => Kind::Free,
        (true, false) => Kind::Mixed,
    }
}

fn split(sheet: &Sheet, row: u32, column: u32, side: u32, out: &mut Partition) {
    if row >= sheet.height || column >= sheet.width {
        return;
    }
    match kind(sheet, row, column, side) {
        Kind::Empty => {}
        Kind::Free => {
            let id = out.seeds.len() as u32;
            out.seeds.push(Rect {
                row,
                column,
                rows: side,
                columns: side,
            });
            for r in row..row + side {
                let first = sheet.cell(r, column) as usize;
                out.owner[first..first + side as usize].fill(id);
            }
        }
        Kind::Mixed => {
            let half = side / 2;
            for (down, right) in [(0, 0), (0, half), (half, 0), (half, half)] {
                split(sheet, row + down, column + right, half, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sheet::tests::drawn, *};

    #[test]
    fn squares_are_halved_where_they_are_mixed() {
        let sheet = drawn(&["....", "....", "..#.", "...."]);
        let partition = quadtree(&sheet);
        let sides: Vec<u32> = partition.seeds.iter().map(|s| s.rows).collect();
        assert_eq!(sides, [2, 2, 2, 1, 1, 1]);
        assert_eq!(partition.owner[10], NONE);
        // Beyond the border nothing is free: a strip of three is a square and two cells.
        let strip = drawn(&["...", "..."]);
        assert_eq!(quadtree(&strip).seeds.len(), 3);
    }
}
