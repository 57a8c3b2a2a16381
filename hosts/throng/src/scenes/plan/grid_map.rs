//! Maps of square cells: scattered obstacles, a maze, or rooms with gaps in their walls.

use glam::DVec2;
use throng_core::random::{Purpose, Stream};
use throng_kit::environment::{Environment, FileCells, Polygon};

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::choices! {
    /// How the cells are laid out.
    pub(crate) enum Pattern {
        /// Each cell is an obstacle by chance.
        Random = "random",
        /// A maze with one way between any two places.
        Maze = "maze",
        /// Square rooms with a gap in each wall between two.
        Rooms = "rooms",
    }
}

throng_core::options! {
    /// A map of square cells.
    pub(crate) struct GridMap {
        /// How the cells are laid out.
        pattern: Pattern = Pattern::Random;
        /// Cells along each side.
        cells: usize = 64, "", 4..=2048;
        /// Side of a cell.
        cell_size: f64 = 1.0, "m", 0.01..=1000.0;
        /// Share of obstacle cells, for `random`.
        share: f64 = 0.2, "", 0.0..=0.9;
        /// Width of a passage of `maze`, or side of one of `rooms`, in cells.
        passage: usize = 4, "", 1..=256;
        /// Whether cells that cannot be reached from the largest part become obstacles.
        connected: bool = true;
        /// Draws another map.
        seed: u64 = 1, "", 0..=2147483647;
    }
}

impl Scene for GridMap {
    const ID: &'static str = "grid-map";
    const ABOUT: &'static str =
        "a square map of cells: scattered obstacles, a maze or rooms; area: everything";

    fn draw(&self) -> Result<Environment, String> {
        let mut random = Stream::new(self.seed, 0, Purpose::Strategy, 0);
        let mut map = match self.pattern {
            Pattern::Random => Cells {
                side: self.cells,
                free: (0..self.cells * self.cells)
                    .map(|_| random.unit_f64() >= self.share)
                    .collect(),
            },
            Pattern::Maze => maze(self.cells, self.passage, &mut random),
            Pattern::Rooms => rooms(self.cells, self.passage, &mut random),
        };
        if self.connected {
            map.keep_largest_part();
        }
        if !map.free.contains(&true) {
            return Err("no cell is free; lower the share or try another seed".into());
        }
        let side = self.cells as f64 * self.cell_size;
        let mut draft = Draft::of(map.rectangles(self.cell_size));
        draft.area(0, "everything", rect(0.0, 0.0, side, side));
        draft.environment().cells = Some(FileCells {
            low: DVec2::ZERO,
            cell: self.cell_size,
            width: self.cells,
            height: self.cells,
            walkable: map.free,
        });
        Ok(draft.finish())
    }
}

/// The places beside one in a square of places.
fn beside(side: usize, place: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (place % side, place / side);
    [
        (x > 0).then(|| place - 1),
        (x + 1 < side).then(|| place + 1),
        (y > 0).then(|| place - side),
        (y + 1 < side).then(|| place + side),
    ]
    .into_iter()
    .flatten()
}

/// A square of cells, row by row.
struct Cells {
    side: usize,
    free: Vec<bool>,
}

impl Cells {
    fn blocked(side: usize) -> Cells {
        Cells {
            side,
            free: vec![false; side * side],
        }
    }

    /// Frees the part of a rectangle that lies on the map.
    fn clear(&mut self, low: [usize; 2], high: [usize; 2]) {
        for y in low[1]..high[1].min(self.side) {
            for x in low[0]..high[0].min(self.side) {
                self.free[y * self.side + x] = true;
            }
        }
    }

    /// Blocks every free cell that is not joined to the largest part through sides.
    fn keep_largest_part(&mut self) {
        let mut part_of = vec![usize::MAX; self.free.len()];
        let mut sizes: Vec<usize> = Vec::new();
        let mut open = Vec::new();
        for first in 0..self.free.len() {
            if !self.free[first] || part_of[first] != usize::MAX {
                continue;
            }
            let part = sizes.len();
            sizes.push(0);
            part_of[first] = part;
            open.push(first);
            while let Some(cell) = open.pop() {
                sizes[part] += 1;
                for next in beside(self.side, cell) {
                    if self.free[next] && part_of[next] == usize::MAX {
                        part_of[next] = part;
                        open.push(next);
                    }
                }
            }
        }
        let largest = (0..sizes.len()).reduce(|best, part| {
            if sizes[part] > sizes[best] {
                part
            } else {
                best
            }
        });
        for (free, part) in self.free.iter_mut().zip(part_of) {
            *free = *free && Some(part) == largest;
        }
    }

    /// The free cells as rectangles that do not overlap: runs of a row, joined over equal rows.
    fn rectangles(&self, cell_size: f64) -> Vec<Polygon> {
        let mut done: Vec<Polygon> = Vec::new();
        let mut open: Vec<[usize; 3]> = Vec::new();
        let shape = |[from, to, since]: [usize; 3], until: usize| {
            let corner = |x: usize, y: usize| DVec2::new(x as f64, y as f64) * cell_size;
            Polygon::rectangle(corner(from, since), corner(to, until))
        };
        for y in 0..=self.side {
            let mut runs: Vec<[usize; 3]> = Vec::new();
            let mut x = 0;
            while y < self.side && x < self.side {
                let row = &self.free[y * self.side..][..self.side];
                let run = row[x..].iter().take_while(|free| **free).count();
                if run > 0 {
                    runs.push([x, x + run, y]);
                }
                x += run + 1;
            }
            for old in open {
                match runs.iter_mut().find(|run| run[..2] == old[..2]) {
                    Some(run) => run[2] = old[2],
                    None => done.push(shape(old, y)),
                }
            }
            open = runs;
        }
        done
    }
}

/// A maze with walls of one cell, dug by a walk that backs out of dead ends.
fn maze(side: usize, passage: usize, random: &mut Stream) -> Cells {
    let pitch = passage + 1;
    let mut map = Cells::blocked(side);
    // A last passage may be cut off by the border: it counts if half of it fits.
    let count = ((side + passage / 2) / pitch).max(1);
    let mut seen = vec![false; count * count];
    let mut walk = vec![0_usize];
    seen[0] = true;
    let corner = |place: usize| [place % count * pitch, place / count * pitch];
    map.clear([0, 0], [passage, passage]);
    while let Some(&place) = walk.last() {
        let open: Vec<usize> = beside(count, place).filter(|next| !seen[*next]).collect();
        if open.is_empty() {
            walk.pop();
            continue;
        }
        let next = open[random.below(open.len())];
        seen[next] = true;
        let (a, b) = (corner(place.min(next)), corner(place.max(next)));
        map.clear(a, [b[0] + passage, b[1] + passage]);
        walk.push(next);
    }
    map
}

/// Rooms with walls of one cell and a gap of a quarter of a room, at least one cell, in each.
fn rooms(side: usize, room: usize, random: &mut Stream) -> Cells {
    let pitch = room + 1;
    let gap = (room / 4).max(1);
    let mut map = Cells::blocked(side);
    for y in (0..side).step_by(pitch) {
        for x in (0..side).step_by(pitch) {
            map.clear([x, y], [x + room, y + room]);
            // Where the border cuts a room the gap must lie in what is left of it.
            let place = |from: usize, random: &mut Stream| {
                let length = room.min(side - from);
                from + random.below(length.saturating_sub(gap) + 1)
            };
            let (at_x, at_y) = (place(x, random), place(y, random));
            map.clear([x + room, at_y], [x + pitch, at_y + gap]);
            map.clear([at_x, y + room], [at_x + gap, y + pitch]);
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(map: GridMap) -> FileCells {
        let scene = map.draw().unwrap();
        let cells = scene.cells.clone().unwrap();
        let area: f64 = scene.floors[0]
            .walkable
            .iter()
            .map(|p| (p.outer[2] - p.outer[0]).element_product())
            .sum();
        let free = cells.walkable.iter().filter(|free| **free).count() as f64;
        assert!((area - free * cells.cell * cells.cell).abs() < 1e-6 * area);
        cells
    }

    fn parts(cells: &FileCells) -> usize {
        let mut map = Cells {
            side: cells.width,
            free: cells.walkable.clone(),
        };
        let mut parts = 0;
        while map.free.contains(&true) {
            let mut largest = Cells {
                side: map.side,
                free: map.free.clone(),
            };
            largest.keep_largest_part();
            for (free, taken) in map.free.iter_mut().zip(&largest.free) {
                *free = *free && !taken;
            }
            parts += 1;
        }
        parts
    }

    #[test]
    fn the_share_of_obstacles_is_kept() {
        let cells = drawn(GridMap {
            cells: 256,
            share: 0.3,
            connected: false,
            ..GridMap::default()
        });
        let blocked = cells.walkable.iter().filter(|free| !**free).count() as f64;
        assert!((blocked / 65536.0 - 0.3).abs() < 0.01);
        assert!(parts(&cells) > 1);
    }

    #[test]
    fn every_pattern_is_in_one_piece() {
        for pattern in [Pattern::Random, Pattern::Maze, Pattern::Rooms] {
            for (cells, passage) in [(64, 4), (65, 7), (30, 1), (200, 32), (4, 9)] {
                let map = GridMap {
                    pattern,
                    cells,
                    passage,
                    connected: pattern == Pattern::Random,
                    ..GridMap::default()
                };
                assert_eq!(parts(&drawn(map)), 1, "{pattern} {cells} {passage}");
            }
        }
    }

    #[test]
    fn a_maze_has_one_way_between_any_two_places() {
        let cells = drawn(GridMap {
            pattern: Pattern::Maze,
            cells: 31,
            passage: 1,
            ..GridMap::default()
        });
        let map = Cells {
            side: 31,
            free: cells.walkable.clone(),
        };
        let free = map.free.iter().filter(|free| **free).count();
        let joints: usize = (0..map.free.len())
            .filter(|cell| map.free[*cell])
            .map(|cell| {
                beside(map.side, cell)
                    .filter(|next| map.free[*next])
                    .count()
            })
            .sum();
        assert_eq!(joints / 2, free - 1);
    }
}
