//! The floors of a ground as sheets of cells.
//!
//! A cell is free if its centre is on the ground and no wall reaches into it: as the ground ends
//! at walls alone, all of the square is ground then. It belongs to the floor under its centre.
//! Walls on the line between two cells close the side between them, leaves of doors close it as
//! long as seeds grow and are gates later. Stairs are floors of their own; where a straight walk
//! leads from a cell into one of another floor, the two are joined by a crossing.

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use throng_core::{GroundView, Location, NO_DOOR, NONE, NavError};
use throng_kit::{
    Walk,
    lattice::{Cover, Lattice, on_triangle},
    near_walls::{MOST_CLEARANCE, NearWalls},
};

use super::sheet::{Direction, Sheet};

/// Share of a cell by which a wall may reach into it, for rounding.
const GRAZE: f32 = 1e-3;
/// Cells of two floors whose heights differ by more are not looked at, metres.
const STOREY: f32 = 1.5;

/// A floor, a stair or a terrain.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Its index in [`GroundView::floors`].
    pub floor: u16,
    /// The lattice's column of its first column.
    pub column: u32,
    /// The lattice's row of its first row; the lattice's rows grow upwards, the sheet's down.
    pub top: u32,
    /// Its cells.
    pub sheet: Sheet,
}

/// Cells of two floors that a straight walk joins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Layer and cell on its west or north.
    pub a: (u32, u32),
    /// Layer and cell on its east or south.
    pub b: (u32, u32),
    pub direction: Direction,
    pub door: u16,
}

/// All floors of a ground.
#[derive(Debug)]
pub(super) struct Floors {
    pub lattice: Lattice,
    pub cover: Cover,
    pub walls: NearWalls,
    pub layers: Vec<Layer>,
    pub crossings: Vec<Crossing>,
    /// [`Sheet::FREE`] and [`Sheet::CUT`] of each entry of the cover.
    pub cell_of_entry: Vec<u8>,
}

/// Bit of an entry's cell: a wall is near enough to stand on one of its sides.
const NEAR: u8 = 128;

impl Floors {
    /// Lays cells over a ground whose doors are all open.
    pub fn of(ground: &GroundView<'_>, lattice: Lattice) -> Result<Floors, NavError> {
        let cell = lattice.cell;
        let cover = Cover::new(ground, &lattice);
        let reach = (cell * 1.5).max(MOST_CLEARANCE + 0.01);
        let walls =
            NearWalls::new(ground, reach, cell, |_| false).ok_or_else(|| NavError::Unsuitable {
                reason: "the ground has no extent".into(),
            })?;
        let mut floors = Floors {
            lattice,
            cover,
            walls,
            layers: Vec::new(),
            crossings: Vec::new(),
            cell_of_entry: Vec::new(),
        };
        floors.cell_of_entry = (0..lattice.squares())
            .into_par_iter()
            .with_min_len(512)
            .flat_map_iter(|square| {
                let floors = &floors;
                floors
                    .cover
                    .entries(square as u32)
                    .map(move |entry| floors.look_at(ground, square as u32, entry))
            })
            .collect();
        floors.make_layers(ground);
        floors.close_sides(ground);
        floors.cross(ground);
        for bits in &mut floors.cell_of_entry {
            *bits &= !NEAR;
        }
        Ok(floors)
    }

    /// The centre of a square on the floor of an entry that has it.
    fn centre(&self, ground: &GroundView<'_>, square: u32, entry: usize) -> Location {
        let lattice = &self.lattice;
        let at = lattice.centre(square % lattice.width, square / lattice.width);
        on_triangle(ground, self.cover.centre[entry], at)
    }

    fn look_at(&self, ground: &GroundView<'_>, square: u32, entry: usize) -> u8 {
        if self.cover.centre[entry] == NONE {
            return 0;
        }
        let cell = self.lattice.cell;
        let at = self.centre(ground, square, entry).point;
        let nearest = self.walls.distances(at).traced;
        if nearest > cell * (core::f32::consts::FRAC_1_SQRT_2 + GRAZE) {
            return Sheet::FREE;
        }
        let half = Vec2::splat(cell * (0.5 - GRAZE));
        let plan = at.truncate();
        match self.walls.inside(plan - half, plan + half, at.z) {
            (true, _) => 0,
            (false, false) => Sheet::FREE | NEAR,
            (false, true) => Sheet::FREE | NEAR | Sheet::CUT,
        }
    }

    /// Puts the free cells of each floor onto a sheet of their extent.
    fn make_layers(&mut self, ground: &GroundView<'_>) {
        let count = ground.floors.iter().max().map_or(0, |f| *f as usize + 1);
        // Least and largest column and row of each floor.
        let mut extent = vec![[u32::MAX, 0, u32::MAX, 0]; count];
        let squares = 0..self.lattice.squares() as u32;
        for square in squares.clone() {
            let (column, row) = (square % self.lattice.width, square / self.lattice.width);
            for entry in self.cover.entries(square) {
                if self.cell_of_entry[entry] != 0 {
                    let e = &mut extent[self.cover.floor[entry] as usize];
                    *e = [
                        e[0].min(column),
                        e[1].max(column),
                        e[2].min(row),
                        e[3].max(row),
                    ];
                }
            }
        }
        let mut layer_of = vec![NONE; count];
        for (floor, &[left, right, low, high]) in extent.iter().enumerate() {
            if left == u32::MAX {
                continue;
            }
            layer_of[floor] = self.layers.len() as u32;
            let (width, height) = (right - left + 1, high - low + 1);
            self.layers.push(Layer {
                floor: floor as u16,
                column: left,
                top: high,
                sheet: Sheet {
                    width,
                    height,
                    bits: vec![0; width as usize * height as usize],
                    doors: Default::default(),
                },
            });
        }
        for square in squares {
            let (column, row) = (square % self.lattice.width, square / self.lattice.width);
            for entry in self.cover.entries(square) {
                if self.cell_of_entry[entry] != 0 {
                    let layer = layer_of[self.cover.floor[entry] as usize];
                    let layer = &mut self.layers[layer as usize];
                    let cell = layer.sheet.cell(layer.top - row, column - layer.column);
                    layer.sheet.bits[cell as usize] = self.cell_of_entry[entry] & !NEAR;
                }
            }
        }
    }

    /// The entry of a layer's cell.
    fn entry(&self, layer: &Layer, cell: u32) -> (u32, usize) {
        let (row, column) = (cell / layer.sheet.width, cell % layer.sheet.width);
        let square = (layer.top - row) * self.lattice.width + layer.column + column;
        let range = self.cover.entries(square);
        let found = range
            .clone()
            .find(|e| self.cover.floor[*e] == layer.floor)
            .unwrap_or(range.start);
        (square, found)
    }

    /// Opens the sides between free cells that nothing stands on.
    fn close_sides(&mut self, ground: &GroundView<'_>) {
        let mut layers = core::mem::take(&mut self.layers);
        for layer in &mut layers {
            let (width, height) = (layer.sheet.width, layer.sheet.height);
            for cell in 0..layer.sheet.len() as u32 {
                if !layer.sheet.is_free(cell) {
                    continue;
                }
                let (row, column) = (cell / width, cell % width);
                for (direction, bit, next) in [
                    (
                        Direction::East,
                        Sheet::EAST,
                        (column + 1 < width).then_some(cell + 1),
                    ),
                    (
                        Direction::South,
                        Sheet::SOUTH,
                        (row + 1 < height).then_some(cell + width),
                    ),
                ] {
                    let Some(next) = next.filter(|n| layer.sheet.is_free(*n)) else {
                        continue;
                    };
                    match self.side(ground, layer, cell, next) {
                        Some(NO_DOOR) => layer.sheet.bits[cell as usize] |= bit,
                        Some(door) => {
                            layer.sheet.doors.insert((cell, direction), door);
                        }
                        None => {}
                    }
                }
            }
        }
        self.layers = layers;
    }

    /// The door in the side between two free cells, or none at all where a wall stands.
    fn side(&self, ground: &GroundView<'_>, layer: &Layer, one: u32, other: u32) -> Option<u16> {
        let (a, b) = (self.entry(layer, one), self.entry(layer, other));
        let has = |entry: usize, bit: u8| self.cell_of_entry[entry] & bit != 0;
        // A wall on the side is near both; a leaf may run anywhere through one of them.
        let apart =
            has(a.1, NEAR) && has(b.1, NEAR) || has(a.1, Sheet::CUT) || has(b.1, Sheet::CUT);
        if !apart && ground.flat {
            return Some(NO_DOOR);
        }
        let (from, to) = (self.centre(ground, a.0, a.1), self.centre(ground, b.0, b.1));
        // Layers of a mesh may lie above each other on one floor.
        if (from.point.z - to.point.z).abs() > self.lattice.cell && !ground.sees(from, to) {
            return None;
        }
        if !apart {
            return Some(NO_DOOR);
        }
        if self.wall_between(from.point, to.point) {
            return None;
        }
        Some(match ground.door_open.is_empty() {
            true => NO_DOOR,
            false => self.walls.door_between(from.point, to.point),
        })
    }

    /// Whether a wall stands on the side that two squares share.
    fn wall_between(&self, from: Vec3, to: Vec3) -> bool {
        let cell = self.lattice.cell;
        let middle = (from + to) / 2.0;
        let along = (to - from).truncate().abs();
        let thin = cell * GRAZE;
        let half = if along.x > along.y {
            Vec2::new(thin, cell / 2.0 - thin)
        } else {
            Vec2::new(cell / 2.0 - thin, thin)
        };
        let plan = middle.truncate();
        self.walls.inside(plan - half, plan + half, middle.z).0
    }

    /// Finds the cells of different floors that straight walks join.
    fn cross(&mut self, ground: &GroundView<'_>) {
        if self.layers.len() < 2 {
            return;
        }
        let mut found = Vec::new();
        let at_square = |layer: &Layer, column: i64, row: i64| -> Option<u32> {
            let (x, y) = (column - i64::from(layer.column), i64::from(layer.top) - row);
            let (width, height) = (layer.sheet.width.into(), layer.sheet.height.into());
            if x < 0 || y < 0 || x >= width || y >= height {
                return None;
            }
            let cell = layer.sheet.cell(y as u32, x as u32);
            layer.sheet.is_free(cell).then_some(cell)
        };
        for (l, layer) in self.layers.iter().enumerate() {
            for cell in 0..layer.sheet.len() as u32 {
                if !layer.sheet.is_free(cell) {
                    continue;
                }
                let column = i64::from(layer.column + cell % layer.sheet.width);
                let row = i64::from(layer.top) - i64::from(cell / layer.sheet.width);
                for (direction, right, up) in [(Direction::East, 1, 0), (Direction::South, 0, -1)] {
                    if at_square(layer, column + right, row + up).is_some() {
                        continue;
                    }
                    for (o, other) in self.layers.iter().enumerate() {
                        let Some(next) = at_square(other, column + right, row + up) else {
                            continue;
                        };
                        let (a, b) = (self.entry(layer, cell), self.entry(other, next));
                        let (from, to) =
                            (self.centre(ground, a.0, a.1), self.centre(ground, b.0, b.1));
                        if o != l
                            && (from.point.z - to.point.z).abs() < STOREY
                            && ground.sees(from, to)
                            && !self.wall_between(from.point, to.point)
                        {
                            found.push(Crossing {
                                a: (l as u32, cell),
                                b: (o as u32, next),
                                direction,
                                door: self.walls.door_between(from.point, to.point),
                            });
                        }
                    }
                }
            }
        }
        self.crossings = found;
    }
}

impl Layer {
    /// The place in plan of a point of the sheet: x along its columns, y along its rows, in cells.
    pub fn plan(&self, lattice: &Lattice, [x, y]: [f64; 2]) -> Vec2 {
        let side = f64::from(lattice.cell);
        let columns = f64::from(self.column) + x;
        let rows = f64::from(self.top) + 1.0 - y;
        Vec2::new(
            (f64::from(lattice.low.x) + columns * side) as f32,
            (f64::from(lattice.low.y) + rows * side) as f32,
        )
    }
}
