//! People on the cells: density, mean velocity, speed into each neighbour, discomfort.

use glam::Vec2;
use throng_core::{NONE, World};

use super::{
    cells::{Cells, WAYS},
    subgoals::{Bytes, Reader},
};

/// Units of density and of density times velocity: sums of integers have no order.
const UNIT: f32 = (1 << 16) as f32;
/// Least speed anywhere, as a share of the wanted one: no cost is infinite.
const LEAST: f32 = 0.05;

/// How people and cars make walking slow or uncomfortable.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// See the options of the same names.
    pub sharpness: f32,
    /// Density up to which nobody is hindered.
    pub sparse: f32,
    /// Density from which one walks with the flow.
    pub dense: f32,
    /// Slope up which nobody walks.
    pub steepest: f32,
    /// Seconds ahead of cars that are uncomfortable.
    pub warning: f32,
}

/// The crowd on the cells that are solved.
#[derive(Clone, Debug, Default)]
pub struct Crowd {
    /// Density, and density times velocity, of all cells, in units.
    sums: Vec<[i64; 3]>,
    touched: Vec<u32>,
    /// Where people stand who are splatted on active cells (see [`Cells::corner_of`]).
    counts: Vec<bool>,
    /// Discomfort of each slot, and whether it comes from a car.
    pub discomfort: Vec<f32>,
    /// How much of one's way is free of the crowd towards each neighbour, in [0, 1]; the rest is
    /// walked at the speed of the flow.
    pub free: Vec<[f32; 4]>,
    /// Speed of the flow towards each neighbour, metres per second.
    pub flow: Vec<[f32; 4]>,
    /// Factor of the slope on speed towards each neighbour.
    pub slope: Vec<[f32; 4]>,
}

impl Crowd {
    /// Splats everybody near the active cells and works out speeds and discomfort there.
    pub fn gather(
        &mut self,
        world: &World<'_>,
        cells: &Cells,
        active: &[u32],
        slot: &[u32],
        terms: &Terms,
    ) {
        let (a, ground) = (&world.agents, &world.site.ground);
        self.sums.resize(cells.len(), [0; 3]);
        for &cell in &self.touched {
            self.sums[cell as usize] = [0; 3];
        }
        self.touched.clear();
        self.counts.clear();
        self.counts.resize(cells.corners(), false);
        for &cell in active {
            for corner in cells.corners_with(cell) {
                self.counts[corner] = true;
            }
        }
        for row in 0..a.len() {
            let at = a.location[row];
            // Most people are elsewhere.
            if !self.counts[cells.corner_of(at.point.truncate())] {
                continue;
            }
            let velocity = if ground.flat {
                a.velocity[row]
            } else {
                let normal = ground.normals[at.triangle as usize];
                a.frame_of(row).to_world(normal, a.velocity[row]).truncate()
            };
            for (cell, weight) in cells.splat(ground, at, terms.sharpness) {
                if cell == NONE || weight <= 0.0 {
                    continue;
                }
                let sums = &mut self.sums[cell as usize];
                if *sums == [0; 3] {
                    self.touched.push(cell);
                }
                sums[0] += (weight * UNIT) as i64;
                sums[1] += (weight * velocity.x * UNIT) as i64;
                sums[2] += (weight * velocity.y * UNIT) as i64;
            }
        }
        let area = cells.side() * cells.side();
        let of = |cell: u32| {
            let [density, x, y] = self.sums[cell as usize].map(|s| s as f32 / UNIT);
            let velocity = if density > 1e-4 {
                Vec2::new(x, y) / density
            } else {
                Vec2::ZERO
            };
            (density / area, velocity)
        };
        self.free.clear();
        self.flow.clear();
        self.slope.clear();
        for &cell in active {
            let next = cells.next[cell as usize];
            let (mut free, mut flow, mut slope) = ([1.0; 4], [0.0; 4], [1.0; 4]);
            for d in 0..4 {
                if next[d] == NONE {
                    continue;
                }
                // Flow speed and density are those of the cell walked into (their section 4.1).
                let (density, velocity) = of(next[d]);
                let share = (density - terms.sparse) / (terms.dense - terms.sparse).max(1e-3);
                free[d] = 1.0 - share.clamp(0.0, 1.0);
                flow[d] = velocity.dot(WAYS[d]).max(0.0);
                let rise = cells.slope[cell as usize][d];
                slope[d] = (1.0 - rise.max(0.0) / terms.steepest).clamp(LEAST, 1.0);
            }
            self.free.push(free);
            self.flow.push(flow);
            self.slope.push(slope);
        }
        self.discomfort.clear();
        self.discomfort.resize(active.len(), 0.0);
        self.cars(world, cells, slot, terms.warning);
    }

    /// Lays discomfort on the ground that cars will pass.
    fn cars(&mut self, world: &World<'_>, cells: &Cells, slot: &[u32], warning: f32) {
        for car in world.movers {
            if car.discomfort <= 0.0 {
                continue;
            }
            let speed = car.velocity.length();
            let reach = car.radius + 0.75 * cells.side();
            let steps = (speed * warning / (0.5 * reach)).ceil().max(1.0);
            for k in 0..=steps as u32 {
                let share = k as f32 / steps;
                let at = car.at + car.velocity * (warning * share);
                // Later is less certain.
                let here = car.discomfort * (1.0 - 0.75 * share);
                cells.within(at, reach, |cell| {
                    if let Some(g) = self.discomfort.get_mut(slot[cell as usize] as usize) {
                        *g = g.max(here);
                    }
                });
            }
        }
    }

    /// Speed from a slot towards a neighbour for people who walk at `wanted` when alone.
    #[inline]
    pub fn speed(&self, slot: usize, way: usize, wanted: f32) -> f32 {
        let (free, slope) = (self.free[slot][way], self.slope[slot][way]);
        let flow = self.flow[slot][way].min(wanted);
        (wanted * slope * free + flow * (1.0 - free)).max(LEAST * wanted)
    }

    /// Whether a car comes to where a slot is.
    pub fn is_feared(&self, slot: u32) -> bool {
        self.discomfort.get(slot as usize).is_some_and(|g| *g > 0.0)
    }

    /// Writes what guiding reads.
    pub fn save(&self, out: &mut Bytes<'_>) {
        out.floats(&self.discomfort);
    }

    /// Reads what [`Crowd::save`] wrote.
    pub fn load(from: &mut Reader<'_>) -> Option<Crowd> {
        Some(Crowd {
            discomfort: from.floats()?,
            ..Crowd::default()
        })
    }
}
