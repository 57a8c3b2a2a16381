//! Grids of cells as floors: the outline of the walkable cells.
//!
//! Cells are joined through common sides only, so two that touch in a corner belong to
//! different rings, as nobody can walk from one to the other.

use glam::DVec2;
use throng_kit::environment::{Environment, FileCells, Floor, Polygon, Ring};

use crate::error::{Fault, Place};

/// Most cells in a file; its working memory is about 6 bytes each.
pub(crate) const MOST_CELLS: usize = 1 << 25;

/// The environment of a file that is a grid.
pub(crate) fn environment(cells: FileCells, notices: Vec<String>) -> Result<Environment, Fault> {
    let walkable = outlines(&cells);
    if walkable.is_empty() {
        return Err(Fault::geometry(
            Place::File,
            format!(
                "none of its {} x {} cells can be walked on",
                cells.width, cells.height
            ),
            "leave some cells free",
        ));
    }
    let floor = Floor {
        name: "0".to_string(),
        walkable,
        ..Floor::default()
    };
    Ok(Environment {
        floors: vec![floor],
        cells: Some(cells),
        notices,
        ..Environment::default()
    })
}

/// Sides of a cell in the order of a walk around it with the cell on the left:
/// bottom (east), right (north), top (west), left (south). Each is the step to the cell beyond.
const BEYOND: [(isize, isize); 4] = [(0, -1), (1, 0), (0, 1), (-1, 0)];
/// The corner from which each side starts.
const START: [(usize, usize); 4] = [(0, 0), (1, 0), (1, 1), (0, 1)];

/// One polygon per group of walkable cells that are joined through sides.
pub(crate) fn outlines(cells: &FileCells) -> Vec<Polygon> {
    let (width, height) = (cells.width, cells.height);
    let group_of = groups(cells);
    let neighbour = |cell: usize, side: usize| -> Option<usize> {
        let (x, y) = (cell % width, cell / width);
        let x = x.checked_add_signed(BEYOND[side].0)?;
        let y = y.checked_add_signed(BEYOND[side].1)?;
        let next = (x < width && y < height).then(|| y * width + x)?;
        cells.walkable[next].then_some(next)
    };
    let mut walked = vec![0_u8; cells.walkable.len()];
    let mut polygons: Vec<Polygon> = Vec::new();
    for first in 0..cells.walkable.len() {
        if !cells.walkable[first] {
            continue;
        }
        for first_side in 0..4 {
            if walked[first] & (1 << first_side) != 0 || neighbour(first, first_side).is_some() {
                continue;
            }
            let mut ring = Ring::new();
            let (mut cell, mut side) = (first, first_side);
            let mut last_side = usize::MAX;
            while walked[cell] & (1 << side) == 0 {
                walked[cell] |= 1 << side;
                if side != last_side {
                    let corner = DVec2::new(
                        (cell % width + START[side].0) as f64,
                        (cell / width + START[side].1) as f64,
                    );
                    ring.push(cells.low + cells.cell * corner);
                    last_side = side;
                }
                let left = (side + 1) % 4;
                match neighbour(cell, left) {
                    None => side = left,
                    Some(ahead) => match neighbour(ahead, side) {
                        None => cell = ahead,
                        Some(right) => {
                            cell = right;
                            side = (side + 3) % 4;
                        }
                    },
                }
            }
            // The walk may have begun in the middle of a straight run.
            if ring.len() > 1 && last_side == first_side {
                ring.remove(0);
            }
            let group = group_of[first] as usize;
            if group >= polygons.len() {
                polygons.resize_with(group + 1, Polygon::default);
            }
            // Cells are visited from the lowest row up, so a group's outline comes first.
            if polygons[group].outer.is_empty() {
                polygons[group].outer = ring;
            } else {
                polygons[group].holes.push(ring);
            }
        }
    }
    polygons
}

/// Numbers of the groups of walkable cells joined through sides, in the order of their first
/// cells.
fn groups(cells: &FileCells) -> Vec<u32> {
    let mut group_of = vec![u32::MAX; cells.walkable.len()];
    let mut count = 0;
    let mut open = Vec::new();
    for first in 0..cells.walkable.len() {
        if !cells.walkable[first] || group_of[first] != u32::MAX {
            continue;
        }
        group_of[first] = count;
        open.push(first);
        while let Some(cell) = open.pop() {
            let x = cell % cells.width;
            let around = [
                (x > 0).then(|| cell - 1),
                (x + 1 < cells.width).then(|| cell + 1),
                cell.checked_sub(cells.width),
                Some(cell + cells.width).filter(|next| *next < group_of.len()),
            ];
            for next in around.into_iter().flatten() {
                if cells.walkable[next] && group_of[next] == u32::MAX {
                    group_of[next] = count;
                    open.push(next);
                }
            }
        }
        count += 1;
    }
    group_of
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring_area(ring: &Ring) -> f64 {
        (0..ring.len())
            .map(|i| ring[i].perp_dot(ring[(i + 1) % ring.len()]))
            .sum::<f64>()
            / 2.0
    }

    fn cells(rows: &[&str]) -> FileCells {
        FileCells {
            low: DVec2::ZERO,
            cell: 1.0,
            width: rows[0].len(),
            height: rows.len(),
            walkable: rows
                .iter()
                .flat_map(|row| row.bytes().map(|b| b == b'.'))
                .collect(),
        }
    }

    #[test]
    fn a_ring_of_cells_has_a_hole() {
        let polygons = outlines(&cells(&["...", ".#.", "..."]));
        assert_eq!(polygons.len(), 1);
        assert_eq!(polygons[0].outer.len(), 4);
        assert_eq!(ring_area(&polygons[0].outer), 9.0);
        assert_eq!(polygons[0].holes.len(), 1);
        assert_eq!(ring_area(&polygons[0].holes[0]), -1.0);
    }

    #[test]
    fn cells_that_touch_in_a_corner_are_apart() {
        let polygons = outlines(&cells(&[".#", "#."]));
        assert_eq!(polygons.len(), 2);
        assert!(polygons.iter().all(|p| ring_area(&p.outer) == 1.0));
    }

    #[test]
    fn area_equals_the_number_of_cells() {
        let mut state = 12345_u32;
        let walkable: Vec<bool> = (0..40 * 30)
            .map(|_| {
                state = state.wrapping_mul(1664525).wrapping_add(1013904223);
                state >> 31 == 0
            })
            .collect();
        let count = walkable.iter().filter(|w| **w).count();
        let cells = FileCells {
            low: DVec2::new(-3.0, 7.0),
            cell: 0.5,
            width: 40,
            height: 30,
            walkable,
        };
        let mut area = 0.0;
        for polygon in outlines(&cells) {
            assert!(ring_area(&polygon.outer) > 0.0);
            assert!(polygon.holes.iter().all(|hole| ring_area(hole) < 0.0));
            area += ring_area(&polygon.outer);
            area += polygon.holes.iter().map(ring_area).sum::<f64>();
        }
        assert!((area - 0.25 * count as f64).abs() < 1e-9);
    }
}
