//! Mean density over a run on small cells, smoothed within the walkable ground.

use glam::Vec2;
use throng::core::{GroundView, math};

use super::storeys::{Storey, Storeys};

/// Most cells along the longer side.
const CELLS: f32 = 320.0;
/// Least side of a cell, metres.
const LEAST_CELL: f32 = 0.1;
/// Width of the smoothing bell, metres.
const BELL: f32 = 0.5;

/// Persons counted on the cells of one panel.
#[derive(Clone, Debug)]
pub struct Heat {
    /// Low corner, local coordinates.
    pub low: Vec2,
    /// Side of a cell, metres.
    pub cell: f32,
    /// Cells along x.
    pub width: usize,
    /// Cells along y.
    pub height: usize,
    counts: Vec<f32>,
}

impl Heat {
    /// Empty cells over a panel.
    pub fn new(storey: &Storey) -> Heat {
        let size = storey.high - storey.low;
        let cell = (size.max_element() / CELLS).max(LEAST_CELL);
        let cells = |length: f32| ((length / cell).ceil() as usize).max(1);
        let (width, height) = (cells(size.x), cells(size.y));
        Heat {
            low: storey.low,
            cell,
            width,
            height,
            counts: vec![0.0; width * height],
        }
    }

    fn index(&self, at: Vec2) -> usize {
        let scaled = ((at - self.low) / self.cell).max(Vec2::ZERO);
        let x = (scaled.x as usize).min(self.width - 1);
        let y = (scaled.y as usize).min(self.height - 1);
        y * self.width + x
    }

    /// Counts a person.
    pub fn count(&mut self, at: Vec2) {
        let index = self.index(at);
        self.counts[index] += 1.0;
    }

    /// Persons per square metre on every cell, the mean over so many samples.
    pub fn densities(
        &self,
        samples: u64,
        ground: GroundView<'_>,
        storeys: &Storeys,
        panel: usize,
    ) -> Vec<f32> {
        let reach = BELL.max(1.5 * self.cell);
        let persons = self.blurred(&self.counts, reach);
        let area = self.blurred(&self.walkable(ground, storeys, panel), reach);
        let samples = samples.max(1) as f32;
        persons
            .iter()
            .zip(&area)
            .map(|(p, a)| if *a > 1e-6 { p / (a * samples) } else { 0.0 })
            .collect()
    }

    /// Walkable square metres of every cell, found at four points of each.
    fn walkable(&self, ground: GroundView<'_>, storeys: &Storeys, panel: usize) -> Vec<f32> {
        let mut area = vec![0.0; self.counts.len()];
        let step = self.cell / 2.0;
        for t in 0..ground.triangles.len() {
            if storeys.panel(t as u32) != panel {
                continue;
            }
            let [a, b, c] = ground.corners(t as u32).map(|v| v.truncate() - self.low);
            let (low, high) = (a.min(b).min(c) / step, a.max(b).max(c) / step);
            let turn = (b - a).perp_dot(c - a).signum();
            for y in (low.y - 0.5).ceil().max(0.0) as usize..=high.y.max(0.0) as usize {
                for x in (low.x - 0.5).ceil().max(0.0) as usize..=high.x.max(0.0) as usize {
                    let p = (Vec2::new(x as f32, y as f32) + 0.5) * step;
                    let side = |u: Vec2, v: Vec2| (v - u).perp_dot(p - u) * turn;
                    if side(a, b) >= 0.0 && side(b, c) >= 0.0 && side(c, a) >= 0.0 {
                        let (cx, cy) = (x / 2, y / 2);
                        if cx < self.width && cy < self.height {
                            area[cy * self.width + cx] += step * step;
                        }
                    }
                }
            }
        }
        area
    }

    /// Values spread by a bell of a width, along x and then along y.
    fn blurred(&self, values: &[f32], bell: f32) -> Vec<f32> {
        let sigma = bell / self.cell;
        let reach = (2.5 * sigma).ceil() as isize;
        let kernel: Vec<f32> = (-reach..=reach)
            .map(|i| {
                math::exp(-0.5 * f64::from(i as f32 / sigma) * f64::from(i as f32 / sigma)) as f32
            })
            .collect();
        let pass = |from: &[f32], dx: isize, dy: isize| -> Vec<f32> {
            let mut to = vec![0.0; from.len()];
            for y in 0..self.height as isize {
                for x in 0..self.width as isize {
                    let value = from[(y * self.width as isize + x) as usize];
                    if value == 0.0 {
                        continue;
                    }
                    for (k, weight) in kernel.iter().enumerate() {
                        let i = k as isize - reach;
                        let (nx, ny) = (x + dx * i, y + dy * i);
                        if (0..self.width as isize).contains(&nx)
                            && (0..self.height as isize).contains(&ny)
                        {
                            to[(ny * self.width as isize + nx) as usize] += value * weight;
                        }
                    }
                }
            }
            to
        };
        let across = pass(values, 1, 0);
        pass(&across, 0, 1)
    }
}
