//! Squares over a floor plan, and how much ground of which floor lies in each.

use glam::{DVec2, Vec2, Vec3};
use rayon::prelude::*;
use throng_core::{GroundView, Location, NONE, NavError, TriangleId};

/// A lattice of squares in plan, common to all floors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// The low corner of square (0, 0).
    pub low: Vec2,
    /// The side of a square, metres.
    pub cell: f32,
    /// Squares along x.
    pub width: u32,
    /// Squares along y.
    pub height: u32,
}

impl Default for Lattice {
    fn default() -> Lattice {
        Lattice {
            low: Vec2::ZERO,
            cell: 1.0,
            width: 0,
            height: 0,
        }
    }
}

impl Lattice {
    /// No lattice may have more squares than this.
    pub const MOST_SQUARES: u64 = 1 << 26;

    /// The lattice over a whole ground that has a lattice corner at `anchor`.
    pub fn over(ground: &GroundView<'_>, cell: f32, anchor: Vec2) -> Result<Lattice, NavError> {
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for corner in ground.vertices {
            low = low.min(corner.truncate());
            high = high.max(corner.truncate());
        }
        if !(cell > 0.0 && cell.is_finite() && (high - low).is_finite() && anchor.is_finite()) {
            return Err(NavError::Unsuitable {
                reason: format!("no squares of {cell} m can be laid over this ground"),
            });
        }
        let side = f64::from(cell);
        // Rounding must not add a row of squares that the ground only touches.
        let slack = 1e-4;
        let steps = ((low.as_dvec2() - anchor.as_dvec2()) / side + slack).floor();
        let start = anchor.as_dvec2() + steps * side;
        let squares = ((high.as_dvec2() - start) / side - slack)
            .ceil()
            .max(DVec2::ONE);
        let needed = squares.x * squares.y;
        if needed > Lattice::MOST_SQUARES as f64 {
            return Err(NavError::TooLarge {
                what: format!("a lattice of {cell} m squares over this ground"),
                needed: needed as u64,
                limit: Lattice::MOST_SQUARES,
            });
        }
        Ok(Lattice {
            low: start.as_vec2(),
            cell,
            width: squares.x as u32,
            height: squares.y as u32,
        })
    }

    /// The low corner of the ground seen in plan: the anchor of a lattice without another.
    pub fn low_corner(ground: &GroundView<'_>) -> Vec2 {
        ground
            .vertices
            .iter()
            .fold(Vec2::INFINITY, |low, v| low.min(v.truncate()))
    }

    /// How many squares.
    pub fn squares(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Column and row of the square of a point, clamped to the lattice.
    #[inline]
    pub fn column_row(&self, at: Vec2) -> (u32, u32) {
        let scaled = (at - self.low) / self.cell;
        // Casts clamp at 0; NaN becomes 0.
        (
            (scaled.x as u32).min(self.width.saturating_sub(1)),
            (scaled.y as u32).min(self.height.saturating_sub(1)),
        )
    }

    /// Index of the square of a point, clamped to the lattice: row * width + column.
    #[inline]
    pub fn square_of(&self, at: Vec2) -> u32 {
        let (column, row) = self.column_row(at);
        row * self.width + column
    }

    /// The centre of a square.
    #[inline]
    pub fn centre(&self, column: u32, row: u32) -> Vec2 {
        let steps = DVec2::new(f64::from(column) + 0.5, f64::from(row) + 0.5);
        (self.low.as_dvec2() + steps * f64::from(self.cell)).as_vec2()
    }

    /// Cuts a straight line at the lattice and visits each stretch: square, and the shares of
    /// the line where it begins and ends.
    pub fn stretches(&self, from: Vec2, to: Vec2, mut visit: impl FnMut(u32, f64, f64)) {
        if self.squares() == 0 {
            return;
        }
        let cell = f64::from(self.cell);
        let start = (from.as_dvec2() - self.low.as_dvec2()) / cell;
        let way = (to.as_dvec2() - from.as_dvec2()) / cell;
        if !(start.is_finite() && way.is_finite()) {
            return;
        }
        let most = DVec2::new(f64::from(self.width) - 1.0, f64::from(self.height) - 1.0);
        let mut square = start.floor().clamp(DVec2::ZERO, most);
        let last = (start + way).floor().clamp(DVec2::ZERO, most);
        // Shares at which the line meets the next column and row.
        let share = |start: f64, way: f64, square: f64| {
            let line = if way > 0.0 { square + 1.0 } else { square };
            if way == 0.0 {
                f64::INFINITY
            } else {
                (line - start) / way
            }
        };
        let mut at = 0.0;
        loop {
            let next = DVec2::new(
                share(start.x, way.x, square.x),
                share(start.y, way.y, square.y),
            );
            let steps = last - square;
            let can = DVec2::new(
                if steps.x != 0.0 {
                    next.x
                } else {
                    f64::INFINITY
                },
                if steps.y != 0.0 {
                    next.y
                } else {
                    f64::INFINITY
                },
            );
            let end = can.min_element().clamp(at, 1.0);
            let index = square.y as u32 * self.width + square.x as u32;
            let done = steps == DVec2::ZERO;
            let end = if done { 1.0 } else { end };
            if end > at || (done && at == 0.0) {
                visit(index, at, end);
            }
            if done {
                return;
            }
            if can.x <= can.y {
                square.x += steps.x.signum();
            } else {
                square.y += steps.y.signum();
            }
            at = end;
        }
    }
}

/// What of the ground lies in each square: one entry per square and floor.
#[derive(Clone, Debug, Default)]
pub struct Cover {
    /// `start[s]..start[s + 1]` are the entries of square s.
    pub start: Vec<u32>,
    /// Floor of each entry, as in [`GroundView::floors`]; ascending within a square.
    pub floor: Vec<u16>,
    /// Area of ground, square metres (of the slope, where it slopes).
    pub area: Vec<f32>,
    /// A place of the entry: the centroid of its largest piece of a triangle.
    pub place: Vec<Location>,
    /// The triangle under the square's centre, or [`NONE`].
    pub centre: Vec<TriangleId>,
    /// Least factor on walking speed.
    pub speed: Vec<f32>,
}

/// The part of one triangle in one square.
#[derive(Clone, Copy)]
struct Part {
    square: u32,
    triangle: TriangleId,
    area: f32,
    centroid: Vec2,
    has_centre: bool,
}

impl Cover {
    /// Cuts the triangles of a floor plan at the squares of a lattice.
    pub fn new(ground: &GroundView<'_>, lattice: &Lattice) -> Cover {
        let parts: Vec<Part> = (0..ground.triangles.len() as TriangleId)
            .into_par_iter()
            .with_min_len(16)
            .flat_map_iter(|triangle| {
                let mut parts = Vec::new();
                cut_triangle(ground, lattice, triangle, &mut parts);
                parts
            })
            .collect();
        let mut first = vec![0_u32; lattice.squares() + 1];
        for part in &parts {
            first[part.square as usize + 1] += 1;
        }
        for s in 0..lattice.squares() {
            first[s + 1] += first[s];
        }
        let mut order = vec![0_u32; parts.len()];
        let mut next = first.clone();
        for (p, part) in parts.iter().enumerate() {
            let slot = &mut next[part.square as usize];
            order[*slot as usize] = p as u32;
            *slot += 1;
        }
        drop(next);
        let mut cover = Cover::default();
        cover.start.reserve(lattice.squares() + 1);
        cover.start.push(0);
        for s in 0..lattice.squares() {
            let row = &mut order[first[s] as usize..first[s + 1] as usize];
            let floor_of = |p: u32| ground.floors[parts[p as usize].triangle as usize];
            row.sort_by_key(|&p| floor_of(p));
            for same in row.chunk_by(|&a, &b| floor_of(a) == floor_of(b)) {
                cover.push(ground, same.iter().map(|&p| &parts[p as usize]));
            }
            cover.start.push(cover.floor.len() as u32);
        }
        cover
    }

    fn push<'a>(&mut self, ground: &GroundView<'_>, parts: impl Iterator<Item = &'a Part>) {
        let mut area = 0.0_f64;
        let mut centre = NONE;
        let mut speed = 1.0_f32;
        let mut largest: Option<&Part> = None;
        for part in parts {
            area += f64::from(part.area);
            speed = speed.min(ground.speed[part.triangle as usize]);
            if part.has_centre && centre == NONE {
                centre = part.triangle;
            }
            if largest.is_none_or(|l| part.area > l.area) {
                largest = Some(part);
            }
        }
        let Some(largest) = largest else { return };
        self.floor.push(ground.floors[largest.triangle as usize]);
        self.area.push(area as f32);
        self.place
            .push(on_triangle(ground, largest.triangle, largest.centroid));
        self.centre.push(centre);
        self.speed.push(speed);
    }

    /// How many entries.
    pub fn len(&self) -> usize {
        self.floor.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.floor.is_empty()
    }

    /// The entries of a square.
    #[inline]
    pub fn entries(&self, square: u32) -> core::ops::Range<usize> {
        self.start[square as usize] as usize..self.start[square as usize + 1] as usize
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.start.capacity() * 4 + self.floor.capacity() * (2 + 4 + 16 + 4 + 4)
    }
}

/// The entry of a place on a lattice: of its own square and floor, else the nearest one, its own
/// floor first. [`NONE`] only if there are no entries.
pub fn entry_of(lattice: &Lattice, start: &[u32], floor: &[u16], at: Vec2, on_floor: u16) -> u32 {
    if floor.is_empty() {
        return NONE;
    }
    let (column, row) = lattice.column_row(at);
    let square = row * lattice.width + column;
    let range = start[square as usize]..start[square as usize + 1];
    for entry in range {
        if floor[entry as usize] == on_floor {
            return entry;
        }
    }
    // Off the cover by rounding, or on a floor that has none here.
    let most = lattice.width.max(lattice.height) as i64;
    let mut best: Option<(bool, f32, u32)> = None;
    for ring in 0..=most {
        if let Some((other_floor, distance, _)) = best {
            let reached = (ring - 1) as f32 * lattice.cell;
            if (!other_floor && distance <= reached) || ring > 8 {
                break;
            }
        }
        for (x, y) in ring_squares(ring) {
            let (x, y) = (i64::from(column) + x, i64::from(row) + y);
            if x < 0 || y < 0 || x >= i64::from(lattice.width) || y >= i64::from(lattice.height) {
                continue;
            }
            let square = (y as u32) * lattice.width + x as u32;
            for entry in start[square as usize]..start[square as usize + 1] {
                let distance = lattice.centre(x as u32, y as u32).distance(at);
                let found = (floor[entry as usize] != on_floor, distance, entry);
                if best.is_none_or(|b| found < b) {
                    best = Some(found);
                }
            }
        }
    }
    best.map_or(NONE, |b| b.2)
}

/// The offsets of the squares at a distance of `ring` squares, in a fixed order.
pub fn ring_squares(ring: i64) -> impl Iterator<Item = (i64, i64)> {
    (-ring..=ring).flat_map(move |y| {
        let edge = y.abs() == ring;
        let step = if edge || ring == 0 { 1 } else { 2 * ring };
        (-ring..=ring).step_by(step as usize).map(move |x| (x, y))
    })
}

/// The place of a triangle right above or below a point seen in plan.
pub fn on_triangle(ground: &GroundView<'_>, triangle: TriangleId, at: Vec2) -> Location {
    let [a, ..] = ground.corners(triangle);
    let normal = ground.normals[triangle as usize];
    let across = at - a.truncate();
    let z = if normal.z < 1.0 && normal.z > 0.0 {
        a.z - across.dot(normal.truncate()) / normal.z
    } else {
        a.z
    };
    Location {
        point: Vec3::new(at.x, at.y, z),
        triangle,
    }
}

/// A convex polygon with few corners: a triangle cut by four lines has at most seven.
#[derive(Clone, Copy)]
struct Convex {
    corners: [DVec2; 8],
    count: usize,
}

impl Convex {
    const NONE: Convex = Convex {
        corners: [DVec2::ZERO; 8],
        count: 0,
    };

    fn push(&mut self, corner: DVec2) {
        if self.count < self.corners.len() {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// The parts below and above a line across an axis (0 for x, 1 for y).
    fn split(&self, axis: usize, line: f64) -> (Convex, Convex) {
        let (mut below, mut above) = (Convex::NONE, Convex::NONE);
        for i in 0..self.count {
            let (a, b) = (self.corners[i], self.corners[(i + 1) % self.count]);
            let (da, db) = (a[axis] - line, b[axis] - line);
            if da <= 0.0 {
                below.push(a);
            }
            if da >= 0.0 {
                above.push(a);
            }
            if (da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0) {
                let mut cut = a + (b - a) * (da / (da - db));
                cut[axis] = line;
                below.push(cut);
                above.push(cut);
            }
        }
        (below, above)
    }

    /// Area and centroid.
    fn measure(&self) -> (f64, DVec2) {
        let origin = self.corners[0];
        let (mut twice, mut moment) = (0.0, DVec2::ZERO);
        for i in 1..self.count.saturating_sub(1) {
            let (a, b) = (self.corners[i] - origin, self.corners[i + 1] - origin);
            let cross = a.perp_dot(b);
            twice += cross;
            moment += (a + b) * cross;
        }
        if twice > 0.0 {
            (twice / 2.0, origin + moment / (3.0 * twice))
        } else {
            (0.0, origin)
        }
    }
}

fn cut_triangle(
    ground: &GroundView<'_>,
    lattice: &Lattice,
    triangle: TriangleId,
    parts: &mut Vec<Part>,
) {
    let corners = ground.corners(triangle).map(|c| c.truncate().as_dvec2());
    let normal = ground.normals[triangle as usize];
    let steepness = if normal.z > 1e-3 {
        1.0 / f64::from(normal.z)
    } else {
        return;
    };
    let (cell, low) = (f64::from(lattice.cell), lattice.low.as_dvec2());
    let mut rest = Convex::NONE;
    for corner in corners {
        rest.push(corner);
    }
    let bounds = |polygon: &Convex, axis: usize, most: u32| {
        let values = || polygon.corners[..polygon.count].iter().map(|c| c[axis]);
        let least = values().fold(f64::INFINITY, f64::min);
        let largest = values().fold(f64::NEG_INFINITY, f64::max);
        let most = f64::from(most) - 1.0;
        let first = ((least - low[axis]) / cell).floor().clamp(0.0, most);
        let last = ((largest - low[axis]) / cell).floor().clamp(0.0, most);
        (first as u32, last as u32)
    };
    let (first_row, last_row) = bounds(&rest, 1, lattice.height);
    for row in first_row..=last_row {
        let mut strip = rest;
        if row < last_row {
            (strip, rest) = rest.split(1, low.y + f64::from(row + 1) * cell);
        }
        if strip.count < 3 {
            continue;
        }
        let (first_column, last_column) = bounds(&strip, 0, lattice.width);
        for column in first_column..=last_column {
            let mut part = strip;
            if column < last_column {
                (part, strip) = strip.split(0, low.x + f64::from(column + 1) * cell);
            }
            if part.count < 3 {
                continue;
            }
            let (area, centroid) = part.measure();
            let has_centre = covers(ground, triangle, lattice.centre(column, row));
            if has_centre || area > 1e-9 * cell * cell {
                parts.push(Part {
                    square: row * lattice.width + column,
                    triangle,
                    area: (area * steepness) as f32,
                    centroid: centroid.as_vec2(),
                    has_centre,
                });
            }
        }
    }
}

/// Whether a triangle covers a point seen in plan. A point on a side that two triangles share
/// belongs to exactly one of them: both compute the same number and give it opposite signs.
fn covers(ground: &GroundView<'_>, triangle: TriangleId, at: Vec2) -> bool {
    let ids = ground.triangles[triangle as usize];
    let at = at.as_dvec2();
    (0..3).all(|i| {
        let (a, b) = (ids[i], ids[(i + 1) % 3]);
        let point = |v: u32| ground.vertices[v as usize].truncate().as_dvec2();
        let (first, second) = (point(a.min(b)), point(a.max(b)));
        let side = (second - first).perp_dot(at - first);
        let (side, along) = if a < b {
            (side, second - first)
        } else {
            (-side, first - second)
        };
        side > 0.0 || (side == 0.0 && (along.y > 0.0 || (along.y == 0.0 && along.x > 0.0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Ground,
        environment::{Environment, Floor, Polygon},
    };

    fn room(width: f64, height: f64, solids: Vec<Polygon>) -> Ground {
        let environment = Environment {
            floors: vec![Floor {
                walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::new(width, height))],
                solid: solids,
                ..Floor::default()
            }],
            ..Environment::default()
        };
        Ground::from_environment(&environment).unwrap()
    }

    #[test]
    fn areas_are_those_of_the_clipped_ground() {
        let pillar = Polygon::rectangle(DVec2::new(1.25, 0.6), DVec2::new(2.4, 1.6));
        let ground = room(4.0, 3.0, vec![pillar]);
        let view = ground.view();
        let lattice = Lattice::over(&view, 1.0, Lattice::low_corner(&view)).unwrap();
        assert_eq!((lattice.width, lattice.height), (4, 3));
        let cover = Cover::new(&view, &lattice);
        assert_eq!(cover.len(), 12);
        let area = |column: u32, row: u32| cover.area[cover.entries(row * 4 + column).start];
        for (square, wanted) in [((0, 0), 1.0), ((1, 0), 0.7), ((2, 0), 0.84)] {
            assert!(
                (area(square.0, square.1) - wanted).abs() < 1e-6,
                "{square:?}"
            );
        }
        let total: f64 = cover.area.iter().map(|a| f64::from(*a)).sum();
        assert!((total - ground.walkable_area()).abs() < 1e-5);
        // The centre of (1, 1) is inside the pillar, and no other is.
        let has_centre = |s: u32| cover.centre[cover.entries(s).start] != NONE;
        let without: Vec<u32> = (0..12).filter(|&s| !has_centre(s)).collect();
        assert_eq!(without, [5]);
    }

    #[test]
    fn every_centre_of_a_triangulated_room_is_found_once() {
        let ground = room(16.0, 16.0, vec![]);
        let view = ground.view();
        // The room's diagonal passes through centres: each belongs to one of its two triangles.
        let lattice = Lattice::over(&view, 1.0, Lattice::low_corner(&view)).unwrap();
        let count: usize = (0..view.triangles.len() as u32)
            .map(|t| {
                (0..16)
                    .flat_map(|y| (0..16).map(move |x| (x, y)))
                    .filter(|&(x, y)| covers(&view, t, lattice.centre(x, y)))
                    .count()
            })
            .sum();
        assert_eq!(count, 256);
    }

    #[test]
    fn lines_are_cut_at_every_square() {
        let lattice = Lattice {
            low: Vec2::new(-1.0, -1.0),
            cell: 0.5,
            width: 8,
            height: 6,
        };
        let cut = |from: Vec2, to: Vec2| {
            let mut pieces = Vec::new();
            lattice.stretches(from, to, |s, a, b| pieces.push((s, a, b)));
            pieces
        };
        let along = cut(Vec2::new(-0.75, -0.75), Vec2::new(0.25, -0.75));
        assert_eq!(along, vec![(0, 0.0, 0.25), (1, 0.25, 0.75), (2, 0.75, 1.0)]);
        let back = cut(Vec2::new(0.25, -0.75), Vec2::new(-0.75, -0.75));
        assert_eq!(back, vec![(2, 0.0, 0.25), (1, 0.25, 0.75), (0, 0.75, 1.0)]);
        assert_eq!(cut(Vec2::ZERO, Vec2::ZERO), vec![(18, 0.0, 1.0)]);
        // Any line: the shares add up and each midpoint lies in its square.
        let mut x = 7_u32;
        let mut draw = |low: f32, high: f32| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            low + (high - low) * (x >> 8) as f32 / (1 << 24) as f32
        };
        for _ in 0..500 {
            let from = Vec2::new(draw(-1.0, 3.0), draw(-1.0, 2.0));
            let to = Vec2::new(draw(-1.0, 3.0), draw(-1.0, 2.0));
            let mut at = 0.0;
            for (square, a, b) in cut(from, to) {
                assert!((a - at).abs() < 1e-12 && b >= a);
                let middle = from + (to - from) * ((a + b) / 2.0) as f32;
                if b - a > 1e-4 {
                    assert_eq!(lattice.square_of(middle), square);
                }
                at = b;
            }
            assert_eq!(at, 1.0);
        }
    }

    #[test]
    fn rings_are_squares_of_squares() {
        assert_eq!(ring_squares(0).collect::<Vec<_>>(), vec![(0, 0)]);
        for ring in 1..4_i64 {
            let all: Vec<_> = ring_squares(ring).collect();
            assert_eq!(all.len() as i64, 8 * ring);
            assert!(all.iter().all(|(x, y)| x.abs().max(y.abs()) == ring));
        }
    }
}
