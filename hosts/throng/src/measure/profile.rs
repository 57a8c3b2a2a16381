//! Profiles: density and speed on the small cells of a floor, smoothed by a bell that no wall lets
//! through.
//!
//! Around everybody lies a Gaussian bell; a cell that a wall hides from the person gets nothing of
//! it. Density is the sum of bells divided by the sum of bells over the walkable ground, so people
//! beside a wall count in full; speed is the mean weighted by the bells (the Gaussian profile of
//! PedPy's `compute_density_profile`, which has no walls).

use glam::DVec2;
use rayon::prelude::*;
use throng_core::{GroundView, NO_DOOR, Wall, math};

/// Standard deviation of the bell where cells are small enough, metres.
pub const BELL: f64 = 0.5;
/// Standard deviations after which the bell ends.
const REACH: f64 = 2.5;
/// Least side of a cell, metres.
const LEAST_CELL: f64 = 0.1;

/// A cell of the bell's square: where it is, and the one before it on the way from the middle.
#[derive(Clone, Copy, Debug)]
struct Ray {
    dx: isize,
    dy: isize,
    before_x: isize,
    before_y: isize,
    weight: f32,
}

/// The cells of a floor, and what of the bell reaches where.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Low corner, metres.
    pub low: DVec2,
    /// Side of a cell, metres.
    pub cell: f64,
    /// Cells along x.
    pub width: usize,
    /// Cells along y.
    pub height: usize,
    /// Standard deviation of the bell, metres.
    pub bell: f64,
    /// Walkable square metres of each cell.
    walkable: Vec<f32>,
    /// A wall stands between a cell and the next one along x, along y.
    wall_x: Vec<bool>,
    wall_y: Vec<bool>,
    /// No wall within reach of a cell.
    open: Vec<bool>,
    rays: Vec<Ray>,
    reach: isize,
    ground: Vec<f32>,
}

impl Profile {
    /// Cells over a part of the ground between two corners, at most so many along a side;
    /// `belongs` tells the triangles of that part.
    pub fn new(
        ground: GroundView<'_>,
        belongs: impl Fn(u32) -> bool,
        low: DVec2,
        high: DVec2,
        most_cells: usize,
    ) -> Profile {
        let size = (high - low).max(DVec2::splat(LEAST_CELL));
        let cell = (size.max_element() / most_cells.max(1) as f64).max(LEAST_CELL);
        let cells = |length: f64| ((length / cell - 1e-6).ceil() as usize).max(1);
        let (width, height) = (cells(size.x), cells(size.y));
        let bell = BELL.max(1.5 * cell);
        let reach = (REACH * bell / cell).ceil() as isize;
        let mut profile = Profile {
            low,
            cell,
            width,
            height,
            bell,
            walkable: vec![0.0; width * height],
            wall_x: vec![false; width * height],
            wall_y: vec![false; width * height],
            open: Vec::new(),
            rays: rays(reach, bell / cell),
            reach,
            ground: Vec::new(),
        };
        let origin = ground.origin.truncate() - low;
        for t in (0..ground.triangles.len() as u32).filter(|t| belongs(*t)) {
            profile.add_triangle(ground.corners(t).map(|c| c.as_dvec3().truncate() + origin));
        }
        let standing = |w: &&Wall| w.door == NO_DOOR || ground.door_open[w.door as usize] == 0;
        let solid = |w: &&Wall| w.flags & Wall::OBSTACLE == 0 && belongs(w.triangle);
        for wall in ground.walls.iter().filter(standing).filter(solid) {
            let at = |p: glam::Vec3| (p.as_dvec3().truncate() + origin) / cell;
            profile.add_wall(at(wall.a), at(wall.b));
        }
        profile.find_open();
        let walkable = profile.walkable.clone();
        profile.ground = profile.spread(&walkable);
        profile
    }

    fn add_triangle(&mut self, [a, b, c]: [DVec2; 3]) {
        let step = self.cell / 2.0;
        let (low, high) = (a.min(b).min(c) / step, a.max(b).max(c) / step);
        let turn = (b - a).perp_dot(c - a).signum();
        for y in (low.y - 0.5).ceil().max(0.0) as usize..=high.y.max(0.0) as usize {
            for x in (low.x - 0.5).ceil().max(0.0) as usize..=high.x.max(0.0) as usize {
                let p = (DVec2::new(x as f64, y as f64) + 0.5) * step;
                let side = |u: DVec2, v: DVec2| (v - u).perp_dot(p - u) * turn;
                let (cx, cy) = (x / 2, y / 2);
                if side(a, b) >= 0.0
                    && side(b, c) >= 0.0
                    && side(c, a) >= 0.0
                    && cx < self.width
                    && cy < self.height
                {
                    self.walkable[cy * self.width + cx] += (step * step) as f32;
                }
            }
        }
    }

    /// Marks the pairs of neighbours whose middles lie on two sides of a wall; `a` and `b` are in
    /// cells.
    fn add_wall(&mut self, a: DVec2, b: DVec2) {
        // A line of middles is crossed if one end lies below it and the other not.
        let crossed = |from: f64, to: f64, count: usize| {
            let first = (from.min(to) - 0.5).ceil().max(0.0) as usize;
            let last = (from.max(to) - 0.5).ceil().max(0.0) as usize;
            first..last.min(count)
        };
        for y in crossed(a.y, b.y, self.height) {
            let share = (y as f64 + 0.5 - a.y) / (b.y - a.y);
            let x = (a.x + (b.x - a.x) * share - 0.5).floor();
            if x >= 0.0 && (x as usize) + 1 < self.width {
                self.wall_x[y * self.width + x as usize] = true;
            }
        }
        for x in crossed(a.x, b.x, self.width) {
            let share = (x as f64 + 0.5 - a.x) / (b.x - a.x);
            let y = (a.y + (b.y - a.y) * share - 0.5).floor();
            if y >= 0.0 && (y as usize) + 1 < self.height {
                self.wall_y[y as usize * self.width + x] = true;
            }
        }
    }

    /// Finds the cells whose bell meets no wall, by sums over rectangles.
    fn find_open(&mut self) {
        let wide = self.width + 1;
        let mut sums = vec![0u32; wide * (self.height + 1)];
        for y in 0..self.height {
            for x in 0..self.width {
                let i = y * self.width + x;
                let here = u32::from(self.wall_x[i] || self.wall_y[i]);
                sums[(y + 1) * wide + x + 1] =
                    here + sums[y * wide + x + 1] + sums[(y + 1) * wide + x] - sums[y * wide + x];
            }
        }
        let (reach, width, height) = (self.reach as usize, self.width, self.height);
        self.open = (0..width * height)
            .map(|i| {
                let (x, y) = (i % width, i / width);
                let (left, low) = (x.saturating_sub(reach), y.saturating_sub(reach));
                let (right, high) = ((x + reach + 1).min(width), (y + reach + 1).min(height));
                let sum = |x: usize, y: usize| sums[y * wide + x];
                sum(right, high) + sum(left, low) == sum(left, high) + sum(right, low)
            })
            .collect();
    }

    /// The cell of a point, clamped to the floor.
    pub fn cell_of(&self, at: DVec2) -> usize {
        let scaled = ((at - self.low) / self.cell).max(DVec2::ZERO);
        let x = (scaled.x as usize).min(self.width - 1);
        let y = (scaled.y as usize).min(self.height - 1);
        y * self.width + x
    }

    /// Adds the bell of a quantity in a cell to all cells that it reaches.
    fn stamp(&self, cell: usize, quantity: f32, seen: &mut Vec<bool>, onto: &mut [f32]) {
        let (width, height) = (self.width as isize, self.height as isize);
        let (x, y) = (cell as isize % width, cell as isize / width);
        let inside = |nx: isize, ny: isize| (0..width).contains(&nx) && (0..height).contains(&ny);
        if self.open[cell] {
            for ray in &self.rays {
                let (nx, ny) = (x + ray.dx, y + ray.dy);
                if inside(nx, ny) {
                    onto[(ny * width + nx) as usize] += quantity * ray.weight;
                }
            }
            return;
        }
        let side = 2 * self.reach + 1;
        let slot = |dx: isize, dy: isize| ((dy + self.reach) * side + dx + self.reach) as usize;
        seen.clear();
        seen.resize((side * side) as usize, false);
        for ray in &self.rays {
            let (nx, ny) = (x + ray.dx, y + ray.dy);
            if !inside(nx, ny) {
                continue;
            }
            let (bx, by) = (x + ray.before_x, y + ray.before_y);
            let lit = (ray.dx, ray.dy) == (0, 0)
                || seen[slot(ray.before_x, ray.before_y)] && self.passes(bx, by, nx, ny);
            if lit {
                seen[slot(ray.dx, ray.dy)] = true;
                onto[(ny * width + nx) as usize] += quantity * ray.weight;
            }
        }
    }

    /// Whether nothing stands between two cells that share a side or a corner.
    fn passes(&self, ax: isize, ay: isize, bx: isize, by: isize) -> bool {
        let at = |x: isize, y: isize| y as usize * self.width + x as usize;
        let along_x = |y: isize| ax == bx || !self.wall_x[at(ax.min(bx), y)];
        let along_y = |x: isize| ay == by || !self.wall_y[at(x, ay.min(by))];
        (along_x(ay) && along_y(bx)) || (along_y(ax) && along_x(by))
    }

    /// Quantities of all cells, each spread by its bell.
    pub fn spread(&self, quantities: &[f32]) -> Vec<f32> {
        let mut spread = vec![0.0; quantities.len()];
        let mut seen = Vec::new();
        for (cell, quantity) in quantities.iter().enumerate() {
            if *quantity != 0.0 {
                self.stamp(cell, *quantity, &mut seen, &mut spread);
            }
        }
        spread
    }

    /// Mean density over so many samples of persons counted in cells, persons per square metre;
    /// 0 off the ground.
    pub fn density(&self, persons: &[f32], samples: usize) -> Vec<f32> {
        let samples = samples.max(1) as f32;
        let spread = self.spread(persons);
        let both = spread.iter().zip(&self.ground);
        both.map(|(p, g)| if *g > 1e-6 { p / (g * samples) } else { 0.0 })
            .collect()
    }

    /// Largest density of each cell over samples, each the cells of everybody.
    pub fn peak_density(&self, samples: &[Vec<usize>]) -> Vec<f32> {
        let none = || vec![0.0f32; self.ground.len()];
        let largest = |mut a: Vec<f32>, b: Vec<f32>| {
            a.iter_mut().zip(&b).for_each(|(a, b)| *a = a.max(*b));
            a
        };
        samples
            .par_chunks(16)
            .map(|samples| {
                let (mut most, mut now, mut seen) = (none(), none(), Vec::new());
                for people in samples {
                    now.fill(0.0);
                    for cell in people {
                        self.stamp(*cell, 1.0, &mut seen, &mut now);
                    }
                    for ((most, now), ground) in most.iter_mut().zip(&now).zip(&self.ground) {
                        if *now > 0.0 && *ground > 1e-6 {
                            *most = most.max(now / ground);
                        }
                    }
                }
                most
            })
            .reduce(none, largest)
    }

    /// Mean of a quantity over the people counted in cells; none where fewer than `least` persons
    /// were, by the bell, or off the ground.
    pub fn mean(&self, persons: &[f32], quantity: &[f32], least: f32) -> Vec<Option<f32>> {
        let (count, sum) = (self.spread(persons), self.spread(quantity));
        (0..count.len())
            .map(|i| (count[i] > least && self.ground[i] > 1e-6).then(|| sum[i] / count[i]))
            .collect()
    }
}

/// The bell's square from the middle outwards.
fn rays(reach: isize, sigma: f64) -> Vec<Ray> {
    let mut rays: Vec<Ray> = (-reach..=reach)
        .flat_map(|dy| (-reach..=reach).map(move |dx| (dx, dy)))
        .filter(|(dx, dy)| dx * dx + dy * dy <= reach * reach)
        .map(|(dx, dy)| {
            let far = dx.abs().max(dy.abs());
            // The cell one ring further in, nearest to the straight line.
            let shrunk = |d: isize| {
                if far == 0 {
                    0
                } else {
                    (d as f64 * (far - 1) as f64 / far as f64).round() as isize
                }
            };
            let square = (dx * dx + dy * dy) as f64;
            Ray {
                dx,
                dy,
                before_x: shrunk(dx),
                before_y: shrunk(dy),
                weight: math::exp(-0.5 * square / (sigma * sigma)) as f32,
            }
        })
        .collect();
    rays.sort_by_key(|ray| (ray.dx.abs().max(ray.dy.abs()), ray.dy, ray.dx));
    rays
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::{
        Ground,
        environment::{Environment, Floor, Polygon},
    };

    fn v(x: f64, y: f64) -> DVec2 {
        DVec2::new(x, y)
    }

    fn profile(thin_walls: Vec<Vec<DVec2>>) -> Profile {
        let ground = Ground::from_environment(&Environment {
            floors: vec![Floor {
                walkable: vec![Polygon::rectangle(v(0.0, 0.0), v(10.0, 8.0))],
                thin_walls,
                ..Floor::default()
            }],
            ..Environment::default()
        })
        .unwrap();
        Profile::new(ground.view(), |_| true, v(0.0, 0.0), v(10.0, 8.0), 320)
    }

    #[test]
    fn an_even_crowd_has_its_density_everywhere_corners_too() {
        let profile = profile(vec![]);
        assert_eq!((profile.width, profile.height), (100, 80));
        // Nine people in every tenth of a square metre.
        let even = vec![0.09; 8000];
        for density in profile.density(&even, 3) {
            assert!((density - 3.0).abs() < 1e-3, "{density}");
        }
    }

    #[test]
    fn alone_in_the_open_the_bell_is_a_gaussian() {
        let profile = profile(vec![]);
        let at = profile.cell_of(v(5.0, 4.0));
        let peak = profile.peak_density(&[vec![at], vec![]]);
        let expected = 1.0 / (std::f64::consts::TAU * 0.25);
        assert!(
            (f64::from(peak[at]) / expected - 1.0).abs() < 0.05,
            "{}",
            peak[at]
        );
        let total: f32 = peak.iter().map(|d| d * 0.01).sum();
        assert!(
            (total - 1.0).abs() < 0.01,
            "one person is one person: {total}"
        );
    }

    #[test]
    fn nothing_goes_through_a_wall_and_doorways_let_it_through() {
        // A wall at x = 5 with a gap from y = 3 to y = 5.
        let walls = vec![
            vec![v(5.0, 0.0), v(5.0, 3.0)],
            vec![v(5.0, 5.0), v(5.0, 8.0)],
        ];
        let profile = profile(walls);
        let density = |at: DVec2, of: DVec2| {
            let peak = profile.peak_density(&[vec![profile.cell_of(at)]]);
            peak[profile.cell_of(of)]
        };
        assert!(density(v(4.75, 1.5), v(4.45, 1.5)) > 0.1);
        assert_eq!(density(v(4.75, 1.5), v(5.25, 1.5)), 0.0);
        assert!(density(v(4.75, 4.0), v(5.25, 4.0)) > 0.1);
        let mut persons = vec![0.0; 8000];
        let mut speeds = persons.clone();
        for (at, speed) in [(v(4.75, 1.5), 1.0), (v(5.25, 1.5), 2.0)] {
            persons[profile.cell_of(at)] += 1.0;
            speeds[profile.cell_of(at)] += speed;
        }
        let means = profile.mean(&persons, &speeds, 0.01);
        assert_eq!(means[profile.cell_of(v(4.6, 1.5))], Some(1.0));
        assert_eq!(means[profile.cell_of(v(5.4, 1.5))], Some(2.0));
        assert_eq!(means[profile.cell_of(v(9.0, 7.0))], None);
    }
}
