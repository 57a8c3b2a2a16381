//! The crowd on crowd cells, and the price of a metre.

use glam::{Vec2, Vec3};

use crate::place::CellId;

/// Units of occupied area in a square metre: areas are summed as integers, so that no order of
/// summing changes a bit.
pub const AREA_UNIT: f64 = (1 << 20) as f64;
/// Units of speed in a metre per second, for momentum (area times velocity).
pub const SPEED_UNIT: f64 = (1 << 12) as f64;

/// The crowd per crowd cell, as of the last commit. Cells are the map's regions or squares of
/// their own size.
#[derive(Clone, Copy, Debug)]
pub struct CrowdView<'a> {
    /// Area of each cell, square metres.
    pub area: &'a [f32],
    /// The x axis of each cell, for directions. Empty: the world's x.
    pub axis: &'a [Vec3],
    /// Area of the discs whose centre is in the cell, in 1/[`AREA_UNIT`] square metres.
    pub occupied: &'a [i64],
    /// How many persons.
    pub persons: &'a [i32],
    /// Sum of area times velocity along the cell's x, in 1/([`AREA_UNIT`] [`SPEED_UNIT`]).
    pub momentum_x: &'a [i64],
    /// The same along the cell's y.
    pub momentum_y: &'a [i64],
}

impl CrowdView<'_> {
    /// How many cells.
    #[inline]
    pub fn cells(&self) -> usize {
        self.area.len()
    }

    /// Share of the cell's area that discs occupy; above 1 where they overlap.
    #[inline]
    pub fn density(&self, cell: CellId) -> f32 {
        let c = cell as usize;
        let area = f64::from(self.area[c]);
        if area > 0.0 {
            (self.occupied[c] as f64 / AREA_UNIT / area) as f32
        } else {
            0.0
        }
    }

    /// Persons per square metre.
    #[inline]
    pub fn persons_per_area(&self, cell: CellId) -> f32 {
        let area = self.area[cell as usize];
        if area > 0.0 {
            self.persons[cell as usize] as f32 / area
        } else {
            0.0
        }
    }

    /// Mean velocity of the cell's crowd, weighted by area, in the cell's axes; zero if empty.
    #[inline]
    pub fn velocity(&self, cell: CellId) -> Vec2 {
        let c = cell as usize;
        if self.occupied[c] <= 0 {
            return Vec2::ZERO;
        }
        let scale = 1.0 / (self.occupied[c] as f64 * SPEED_UNIT);
        Vec2::new(
            (self.momentum_x[c] as f64 * scale) as f32,
            (self.momentum_y[c] as f64 * scale) as f32,
        )
    }
}

/// Agents that shared products (fields, tables, prices) treat as one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct RouteClass {
    /// Index of the profile.
    pub profile: u32,
    /// Desired speed, metres per second.
    pub speed: f32,
    /// Weight of the crowd part of a price.
    pub weight: f32,
    /// Radius that must fit through gates, metres.
    pub radius: f32,
}

/// Prices of walking one metre, per crowd cell and direction, in two parts: a search adds
/// base + w * crowd.
///
/// Directions count counter-clockwise from the cell's x axis; direction d of n points at
/// d / n turns. Index of an entry: `(slice * cells + cell) * directions + direction`.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    /// 1 if the price is the same in all directions, else 8.
    pub directions: u32,
    /// How many time slices; slice s holds for arrivals in [s, s + 1) `slice_seconds` from now.
    pub slices: u32,
    /// Length of a slice, seconds; unused with one slice.
    pub slice_seconds: f32,
    /// The price of the base part everywhere, if that is all there is; the arrays are empty then.
    pub uniform: Option<f32>,
    /// Base part: a lower bound of the whole price.
    pub base: Vec<f32>,
    /// Crowd part, finite and not negative.
    pub crowd: Vec<f32>,
    /// Cells that nobody may enter, one bit each; empty if none.
    pub blocked: Vec<u64>,
    /// The least base price of any cell and direction: what a heuristic may use.
    pub least_base: f32,
}

impl Prices {
    /// The crowd part of a price is capped at this multiple of the base part.
    pub const MOST_CROWD: f32 = 1e4;

    /// Makes it one price for every metre.
    pub fn set_uniform(&mut self, base: f32) {
        self.directions = 1;
        self.slices = 1;
        self.uniform = Some(base);
        self.base.clear();
        self.crowd.clear();
        self.blocked.clear();
        self.least_base = base;
    }

    /// Makes room for `cells` cells; entries keep their old values or are 0.
    pub fn resize(&mut self, cells: usize, directions: u32, slices: u32) {
        let entries = cells * directions as usize * slices as usize;
        self.directions = directions;
        self.slices = slices;
        self.uniform = None;
        self.base.resize(entries, 0.0);
        self.crowd.resize(entries, 0.0);
    }

    /// Whether a cell is closed to everybody.
    #[inline]
    pub fn is_blocked(&self, cell: CellId) -> bool {
        self.blocked
            .get(cell as usize / 64)
            .is_some_and(|word| word >> (cell % 64) & 1 == 1)
    }

    /// Base and crowd price of a metre in a cell of slice 0, walking at an angle in 1/65536
    /// turns from the cell's x axis; between two directions it is interpolated.
    #[inline]
    pub fn metre(&self, cell: CellId, angle: u16) -> (f32, f32) {
        self.metre_at(cell, angle, 0)
    }

    /// [`Prices::metre`] in a given time slice (the last one if there are fewer).
    #[inline]
    pub fn metre_at(&self, cell: CellId, angle: u16, slice: u32) -> (f32, f32) {
        if let Some(base) = self.uniform {
            return (base, 0.0);
        }
        let directions = self.directions as usize;
        let cells = self.base.len() / (directions * self.slices as usize);
        let slice = slice.min(self.slices - 1) as usize;
        let row = (slice * cells + cell as usize) * directions;
        if directions == 1 {
            return (self.base[row], self.crowd[row]);
        }
        let turned = usize::from(angle) * directions;
        let (low, part) = (turned >> 16, (turned & 0xFFFF) as f32 / 65536.0);
        let (i, j) = (row + low, row + (low + 1) % directions);
        (
            self.base[i] + (self.base[j] - self.base[i]) * part,
            self.crowd[i] + (self.crowd[j] - self.crowd[i]) * part,
        )
    }
}

/// Angle of a direction in 1/65536 turns, for [`Prices::metre`] and [`EdgePiece`](crate::EdgePiece).
#[inline]
pub fn angle_of(direction: Vec2) -> u16 {
    let turns = crate::math::atan2(direction.y, direction.x) / core::f32::consts::TAU;
    ((turns * 65536.0) as i32).rem_euclid(65536) as u16
}

/// Base and crowd price of whole edges of a map; empty for uniform prices.
#[derive(Clone, Debug, Default)]
pub struct EdgePrices {
    /// Base part of each edge.
    pub base: Vec<f32>,
    /// Crowd part of each edge; infinite never, closed edges are closed otherwise.
    pub crowd: Vec<f32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_turn_counter_clockwise() {
        assert_eq!(angle_of(Vec2::X), 0);
        assert_eq!(angle_of(Vec2::Y), 16384);
        assert_eq!(angle_of(-Vec2::Y), 49152);
    }

    #[test]
    fn prices_interpolate_between_directions() {
        let mut p = Prices::default();
        p.resize(2, 8, 1);
        p.base.fill(1.0);
        p.crowd[8] = 4.0; // cell 1, along x
        assert_eq!(p.metre(1, 0), (1.0, 4.0));
        assert_eq!(p.metre(1, 4096), (1.0, 2.0));
        assert_eq!(p.metre(1, 65535 - 4095), (1.0, 2.0));
        assert_eq!(p.metre(1, 8192), (1.0, 0.0));
        assert_eq!(p.metre(0, 0), (1.0, 0.0));
    }

    #[test]
    fn empty_cells_have_no_velocity() {
        let view = CrowdView {
            area: &[2.0, 0.0],
            axis: &[],
            occupied: &[AREA_UNIT as i64, 0],
            persons: &[1, 0],
            momentum_x: &[(AREA_UNIT * SPEED_UNIT) as i64, 0],
            momentum_y: &[0, 0],
        };
        assert_eq!(view.density(0), 0.5);
        assert_eq!(view.velocity(0), Vec2::X);
        assert_eq!(view.velocity(1), Vec2::ZERO);
        assert_eq!(view.density(1), 0.0);
    }
}
