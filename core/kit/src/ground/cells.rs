//! The outline of a file's own cells, as directed segments with the walkable side on the left.

use glam::DVec2;

use crate::environment::FileCells;

/// The longest straight stretches of the border between walkable and other cells. They meet only
/// in corners of cells, and walkable cells are on their left.
pub(super) fn outline(cells: &FileCells) -> Vec<[DVec2; 2]> {
    let (width, height) = (cells.width, cells.height);
    let walkable = |x: isize, y: isize| {
        x >= 0
            && y >= 0
            && (x as usize) < width
            && (y as usize) < height
            && cells.walkable[y as usize * width + x as usize]
    };
    let corner = |x: usize, y: usize| cells.low + DVec2::new(x as f64, y as f64) * cells.cell;
    let mut lines = Vec::new();
    // A run ends where its kind changes, or where the crossing line has a border at that corner.
    for y in 0..=height as isize {
        let kind = |x: isize| (walkable(x, y), walkable(x, y - 1));
        let mut begin = 0usize;
        for x in 1..=width as isize {
            if kind(x) != kind(x - 1) {
                match kind(x - 1) {
                    (true, false) => {
                        lines.push([corner(begin, y as usize), corner(x as usize, y as usize)])
                    }
                    (false, true) => {
                        lines.push([corner(x as usize, y as usize), corner(begin, y as usize)])
                    }
                    _ => {}
                }
                begin = x as usize;
            }
        }
    }
    for x in 0..=width as isize {
        let kind = |y: isize| (walkable(x - 1, y), walkable(x, y));
        let mut begin = 0usize;
        for y in 1..=height as isize {
            if kind(y) != kind(y - 1) {
                match kind(y - 1) {
                    (true, false) => {
                        lines.push([corner(x as usize, begin), corner(x as usize, y as usize)])
                    }
                    (false, true) => {
                        lines.push([corner(x as usize, y as usize), corner(x as usize, begin)])
                    }
                    _ => {}
                }
                begin = y as usize;
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_l_of_three_cells_has_six_sides() {
        let cells = FileCells {
            low: DVec2::ZERO,
            cell: 1.0,
            width: 2,
            height: 2,
            walkable: vec![true, true, true, false],
        };
        let lines = outline(&cells);
        assert_eq!(lines.len(), 6);
        let area: f64 = lines.iter().map(|[a, b]| a.perp_dot(*b) / 2.0).sum();
        assert_eq!(area, 3.0);
    }
}
