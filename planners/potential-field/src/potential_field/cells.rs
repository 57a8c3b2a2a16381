//! Square cells over a floor plan, with the neighbours that can be walked to.

use glam::{Vec2, Vec3};
use throng_core::{GroundView, Location, NONE, PlannerError, World};
use throng_kit::{
    Walk,
    lattice::{Cover, Lattice, on_triangle},
};

/// Directions to neighbours: east, north, west, south.
pub const WAYS: [Vec2; 4] = [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y];
const STEPS: [(i64, i64); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

/// The cells: one per square and floor whose centre can be stood on.
#[derive(Clone, Debug)]
pub struct Cells {
    lattice: Lattice,
    start: Vec<u32>,
    floor: Vec<u16>,
    cell_of_entry: Vec<u32>,
    /// Centre of each cell.
    pub place: Vec<Location>,
    /// Neighbours by direction, or NONE where a wall or nothing is.
    pub next: Vec<[u32; 4]>,
    /// Rise over run towards each neighbour.
    pub slope: Vec<[f32; 4]>,
    revision: u32,
    doors: Vec<u8>,
}

impl Cells {
    /// Lays cells over the ground as it is now.
    pub fn over(world: &World<'_>, side: f32) -> Result<Cells, PlannerError> {
        Cells::on(&world.site.ground, world.map.revision, side)
    }

    /// Lays cells over a ground, for a revision of the map.
    pub fn on(ground: &GroundView<'_>, revision: u32, side: f32) -> Result<Cells, PlannerError> {
        let low = Lattice::low_corner(ground);
        let lattice = Lattice::over(ground, side, low).map_err(|e| PlannerError::Unsuitable {
            reason: e.to_string(),
        })?;
        let cover = Cover::new(ground, &lattice);
        let mut cells = Cells {
            lattice,
            cell_of_entry: vec![NONE; cover.len()],
            start: Vec::new(),
            floor: Vec::new(),
            place: Vec::new(),
            next: Vec::new(),
            slope: Vec::new(),
            revision,
            doors: ground.door_open.to_vec(),
        };
        for square in 0..lattice.squares() as u32 {
            for entry in cover.entries(square) {
                // A square whose centre is off the ground is stood on where most of it is.
                let place = match cover.centre[entry] {
                    NONE if cover.area[entry] > side * side / 4.0 => cover.place[entry],
                    NONE => continue,
                    triangle => {
                        let at = lattice.centre(square % lattice.width, square / lattice.width);
                        on_triangle(ground, triangle, at)
                    }
                };
                cells.cell_of_entry[entry] = cells.place.len() as u32;
                cells.place.push(place);
            }
        }
        cells.start = cover.start;
        cells.floor = cover.floor;
        cells.join(ground);
        Ok(cells)
    }

    fn join(&mut self, ground: &GroundView<'_>) {
        self.next = vec![[NONE; 4]; self.len()];
        self.slope = vec![[0.0; 4]; self.len()];
        for square in 0..self.lattice.squares() as u32 {
            let (column, row) = (square % self.lattice.width, square / self.lattice.width);
            for entry in self.start[square as usize]..self.start[square as usize + 1] {
                let cell = self.cell_of_entry[entry as usize];
                if cell == NONE {
                    continue;
                }
                let here = self.place[cell as usize];
                for (d, (x, y)) in STEPS.into_iter().enumerate() {
                    let (x, y) = (i64::from(column) + x, i64::from(row) + y);
                    let found = self.entries(x, y).find_map(|other| {
                        let there = self.cell_of_entry[other];
                        let seen = there != NONE && ground.sees(here, self.place[there as usize]);
                        seen.then_some(there)
                    });
                    if let Some(there) = found {
                        let way = self.place[there as usize].point - here.point;
                        self.next[cell as usize][d] = there;
                        self.slope[cell as usize][d] = way.z / way.truncate().length().max(1e-3);
                    }
                }
            }
        }
    }

    fn entries(&self, column: i64, row: i64) -> core::ops::Range<usize> {
        let (width, height) = (
            i64::from(self.lattice.width),
            i64::from(self.lattice.height),
        );
        if column < 0 || row < 0 || column >= width || row >= height {
            return 0..0;
        }
        let square = (row * width + column) as usize;
        self.start[square] as usize..self.start[square + 1] as usize
    }

    /// Whether the ground and the map are those that the cells were laid over.
    pub fn holds_for(&self, world: &World<'_>) -> bool {
        self.revision == world.map.revision && self.doors == world.site.ground.door_open
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.place.len()
    }

    /// Side of a cell, metres.
    pub fn side(&self) -> f32 {
        self.lattice.cell
    }

    /// The cell in a square on a floor, or NONE.
    fn at(&self, column: i64, row: i64, floor: u16) -> u32 {
        self.entries(column, row)
            .find(|&e| self.floor[e] == floor)
            .map_or(NONE, |e| self.cell_of_entry[e])
    }

    fn floor_of(ground: &GroundView<'_>, place: Location) -> u16 {
        ground
            .floors
            .get(place.triangle as usize)
            .copied()
            .unwrap_or(0)
    }

    /// The cell of a place, or NONE.
    pub fn of(&self, ground: &GroundView<'_>, place: Location) -> u32 {
        let (column, row) = self.lattice.column_row(place.point.truncate());
        let floor = Cells::floor_of(ground, place);
        self.at(i64::from(column), i64::from(row), floor)
    }

    /// Visits the cells whose centres lie within a distance of a point.
    pub fn within(&self, point: Vec3, radius: f32, mut visit: impl FnMut(u32)) {
        let reach = Vec2::splat(radius);
        let (x0, y0) = self.lattice.column_row(point.truncate() - reach);
        let (x1, y1) = self.lattice.column_row(point.truncate() + reach);
        for y in y0..=y1 {
            for x in x0..=x1 {
                for entry in self.entries(i64::from(x), i64::from(y)) {
                    let cell = self.cell_of_entry[entry];
                    if cell != NONE
                        && self.place[cell as usize].point.distance_squared(point)
                            <= radius * radius
                    {
                        visit(cell);
                    }
                }
            }
        }
    }

    /// The low corner of the four centres about a place, how far it is from it in cells, and its
    /// floor.
    fn corner(&self, ground: &GroundView<'_>, at: Location) -> (i64, i64, Vec2, u16) {
        let scaled = (at.point.truncate() - self.lattice.low) / self.lattice.cell - 0.5;
        let low = scaled.floor();
        let floor = Cells::floor_of(ground, at);
        (low.x as i64, low.y as i64, scaled - low, floor)
    }

    /// How many places there are for [`Cells::corner_of`].
    pub fn corners(&self) -> usize {
        (self.lattice.width as usize + 1) * (self.lattice.height as usize + 1)
    }

    /// Which four centres are about a point, as one number; of a point off the cells some number.
    #[inline]
    pub fn corner_of(&self, at: Vec2) -> usize {
        let scaled = (at - self.lattice.low) / self.lattice.cell + 0.5;
        // Casts clamp at 0; NaN becomes 0.
        let (x, y) = (
            (scaled.x as usize).min(self.lattice.width as usize),
            (scaled.y as usize).min(self.lattice.height as usize),
        );
        y * (self.lattice.width as usize + 1) + x
    }

    /// The numbers of [`Cells::corner_of`] that a cell is one of the four for.
    pub fn corners_with(&self, cell: u32) -> [usize; 4] {
        let (column, row) = self
            .lattice
            .column_row(self.place[cell as usize].point.truncate());
        let width = self.lattice.width as usize + 1;
        let low = row as usize * width + column as usize;
        [low, low + 1, low + width, low + width + 1]
    }

    /// The four cells whose centres are about a place, with bilinear weights.
    pub fn about(&self, ground: &GroundView<'_>, at: Location) -> [(u32, f32); 4] {
        let (x, y, part, floor) = self.corner(ground, at);
        let one = |dx: i64, dy: i64| {
            let wx = if dx == 0 { 1.0 - part.x } else { part.x };
            let wy = if dy == 0 { 1.0 - part.y } else { part.y };
            (self.at(x + dx, y + dy, floor), wx * wy)
        };
        [one(0, 0), one(1, 0), one(0, 1), one(1, 1)]
    }

    /// The same with the weights of Treuille et al., section 4.1: at least 1/2^sharpness in the
    /// own cell, at most that in the others.
    pub fn splat(&self, ground: &GroundView<'_>, at: Location, sharpness: f32) -> [(u32, f32); 4] {
        let (x, y, part, floor) = self.corner(ground, at);
        let one = |dx: i64, dy: i64| {
            let wx = if dx == 0 { 1.0 - part.x } else { part.x };
            let wy = if dy == 0 { 1.0 - part.y } else { part.y };
            let least = wx.min(wy);
            let weight = if sharpness == 2.0 {
                least * least
            } else {
                throng_core::math::pow(least, sharpness)
            };
            (self.at(x + dx, y + dy, floor), weight)
        };
        [one(0, 0), one(1, 0), one(0, 1), one(1, 1)]
    }

    /// Whether two cells are the same or joined directly or round one corner.
    pub fn are_joined(&self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        let near = self.next[a as usize];
        let round = |n: &u32| *n != NONE && self.next[*n as usize].contains(&b);
        near.contains(&b) || near.iter().filter(|n| round(n)).count() == 2
    }

    /// Offset to the centre of the neighbour cell in a direction.
    pub fn waypoint(&self, cell: u32, way: Vec2, at: Location) -> Vec2 {
        let side = self.lattice.cell;
        let centre = self.place[cell as usize].point.truncate();
        // The nearest of eight directions.
        let step = |c: f32| {
            if c > 0.38 {
                1.0
            } else if c < -0.38 {
                -1.0
            } else {
                0.0
            }
        };
        let to = centre + Vec2::new(step(way.x), step(way.y)) * side;
        to - at.point.truncate()
    }
}
