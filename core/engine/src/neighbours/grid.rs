//! Agents and movers sorted into the cells of a uniform grid.

use glam::{IVec3, Vec2, Vec3};
use throng_core::{AgentsView, GroundView, MoverView, NONE};

use super::rank::LANES;
use crate::relevance::{Body, Relevance};

/// Entries that an agent shares its cell with, itself included, on the average: what the size of
/// cells is steered to.
const CROWDING: f32 = 2.5;

/// A thing that can be a neighbour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Velocity in world directions, seen from above.
    pub velocity: Vec2,
    pub radius: f32,
    pub group: u32,
    pub id: u64,
    /// Row of the agent, or NONE for a mover.
    pub row: u32,
    pub tier: u8,
}

/// What else is known of it where the ground is not flat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub body: Body,
    pub velocity: Vec3,
}

/// A uniform grid over agents and movers, as of its last rebuild. Buffers are reused.
#[derive(Clone, Debug, Default)]
pub struct NeighbourGrid {
    /// Who counts as a neighbour.
    pub relevance: Relevance,
    low: Vec3,
    per_cell: f32,
    cell: f32,
    size: IVec3,
    /// Number of buckets less one (a power of two), if cells are hashed rather than listed.
    hashed: Option<u32>,
    start: Vec<u32>,
    bucket: Vec<u32>,
    pub(super) x: Vec<f32>,
    pub(super) y: Vec<f32>,
    pub(super) z: Vec<f32>,
    pub(super) entries: Vec<Entry>,
    /// Empty on a flat ground.
    pub(super) standing: Vec<Standing>,
    /// Entry of each row.
    pub(super) slot: Vec<u32>,
    crowding: f32,
    /// Largest coordinate, for the rounding of boxes.
    extent: f32,
    /// Largest radius.
    pub(super) widest: f32,
    /// Largest height.
    pub(super) tallest: f32,
}

/// Where a mover stands among the entries, before sorting.
fn mover_id(index: usize) -> u64 {
    u64::MAX - index as u64
}

impl NeighbourGrid {
    /// Sorts everybody anew. `heights` has a row per agent, or is empty: then heights follow
    /// from radii. `reach` is the farthest anybody will look.
    pub fn rebuild(
        &mut self,
        ground: GroundView<'_>,
        agents: &AgentsView<'_>,
        heights: &[f32],
        movers: &[MoverView],
        reach: f32,
    ) {
        let (low, high, count) = bounds(agents, movers);
        let flat = ground.flat;
        self.low = low;
        self.extent = low.abs().max(high.abs()).max_element();
        self.choose_cells(high - low, count, ground.flat || ground.plan, reach);
        let buckets = match self.hashed {
            Some(mask) => mask as usize + 1,
            None => (self.size.x * self.size.y * self.size.z) as usize,
        };
        // Counted two places up, so that after the sum the entry of a bucket is where its first
        // thing goes, and after the sort where the next bucket begins.
        self.start.clear();
        self.start.resize(buckets + 2, 0);
        self.bucket.clear();
        let places = agents
            .location
            .iter()
            .map(|l| if l.is_somewhere() { l.point } else { Vec3::NAN })
            .chain(movers.iter().map(|m| m.at));
        for point in places {
            let bucket = if point.is_finite() {
                self.bucket_of(self.cell_of(point))
            } else {
                NONE
            };
            self.bucket.push(bucket);
            if bucket != NONE {
                self.start[bucket as usize + 2] += 1;
            }
        }
        let mut sum = 0;
        let mut together = 0u64;
        for slot in &mut self.start {
            let here = u64::from(*slot);
            together += here * here;
            sum += *slot;
            *slot = sum;
        }
        self.crowding = together as f32 / (sum as f32).max(1.0);

        let total = sum as usize;
        let nobody = Entry {
            velocity: Vec2::ZERO,
            radius: 0.0,
            group: NONE,
            id: 0,
            row: NONE,
            tier: 0,
        };
        // Runs are read in whole vectors, beyond the last entry too.
        self.x.resize(total + LANES, 0.0);
        self.y.resize(total + LANES, 0.0);
        self.entries.resize(total, nobody);
        if flat {
            self.z.clear();
            self.standing.clear();
        } else {
            let body = Body {
                feet: Vec3::ZERO,
                up: Vec3::Z,
                axis: Vec3::Z,
                height: 0.0,
            };
            let velocity = Vec3::ZERO;
            self.z.resize(total, 0.0);
            self.standing.resize(total, Standing { body, velocity });
        }
        self.slot.clear();
        (self.widest, self.tallest) = (0.0, 0.0);
        for row in 0..agents.len() {
            let bucket = self.bucket[row];
            if bucket == NONE {
                self.slot.push(NONE);
                continue;
            }
            let at = self.start[bucket as usize + 1] as usize;
            self.start[bucket as usize + 1] += 1;
            self.slot.push(at as u32);
            let point = agents.location[row].point;
            let radius = agents.radius[row];
            self.x[at] = point.x;
            self.y[at] = point.y;
            self.widest = self.widest.max(radius);
            self.entries[at] = Entry {
                velocity: agents.velocity[row],
                radius,
                group: agents.group[row],
                id: agents.id[row],
                row: row as u32,
                tier: agents.tier[row],
            };
            if !flat {
                let height = heights
                    .get(row)
                    .copied()
                    .unwrap_or_else(|| Body::height_of(radius));
                let normal = ground.normals[agents.location[row].triangle as usize];
                let frame = agents.frame_of(row);
                let up = frame.up(normal);
                self.stand(
                    at,
                    Standing {
                        body: Body {
                            feet: point,
                            up,
                            axis: if ground.plan { Vec3::Z } else { up },
                            height,
                        },
                        velocity: frame.to_world(normal, agents.velocity[row]),
                    },
                );
            }
        }
        for (i, mover) in movers.iter().enumerate() {
            let bucket = self.bucket[agents.len() + i];
            if bucket == NONE {
                continue;
            }
            let at = self.start[bucket as usize + 1] as usize;
            self.start[bucket as usize + 1] += 1;
            self.x[at] = mover.at.x;
            self.y[at] = mover.at.y;
            self.widest = self.widest.max(mover.radius);
            self.entries[at] = Entry {
                velocity: mover.velocity.truncate(),
                radius: mover.radius,
                id: mover_id(i),
                ..nobody
            };
            if !flat {
                // A mover has no place on the surface; it stands upright and as high as a body.
                self.stand(
                    at,
                    Standing {
                        body: Body {
                            feet: mover.at,
                            up: Vec3::Z,
                            axis: Vec3::Z,
                            height: Body::height_of(mover.radius).min(self.tallest),
                        },
                        velocity: mover.velocity,
                    },
                );
            }
        }
    }

    fn stand(&mut self, at: usize, standing: Standing) {
        self.z[at] = standing.body.feet.z;
        self.tallest = self.tallest.max(standing.body.height);
        self.standing[at] = standing;
    }

    /// Chooses the size of cells by the crowding of the last grid, or by the mean density.
    fn choose_cells(&mut self, span: Vec3, count: usize, planar: bool, reach: f32) {
        let span = span.max(Vec3::splat(1e-3));
        let reach = if reach > 1e-3 { reach } else { 1e-3 };
        let wanted = if self.crowding > 0.0 && self.cell > 0.0 {
            self.cell * (CROWDING / self.crowding).sqrt().clamp(0.5, 2.0)
        } else {
            (CROWDING * span.x * span.y / count.max(1) as f32).sqrt()
        };
        let (least, limit) = if planar {
            (reach / 16.0, 4 * count + 1024)
        } else {
            (reach / 6.0, 8 * count + 4096)
        };
        self.cell = wanted.clamp(least, reach);
        self.per_cell = 1.0 / self.cell;
        let cells = (span * self.per_cell).floor() + Vec3::ONE;
        let cells = if planar { cells.with_z(1.0) } else { cells };
        // Far more cells than things: hash them. Coordinates are then cut to what an i32 holds.
        let many = cells.x as f64 * cells.y as f64 * cells.z as f64 > limit as f64;
        self.hashed = many.then(|| (2 * count.max(8)).next_power_of_two() as u32 - 1);
        let cells = cells.min(Vec3::splat(1e9));
        self.size = IVec3::new(cells.x as i32, cells.y as i32, cells.z as i32);
    }

    #[inline]
    fn cell_of(&self, point: Vec3) -> IVec3 {
        let scaled = (point - self.low) * self.per_cell;
        IVec3::new(scaled.x as i32, scaled.y as i32, scaled.z as i32)
            .clamp(IVec3::ZERO, self.size - IVec3::ONE)
    }

    #[inline]
    fn bucket_of(&self, cell: IVec3) -> u32 {
        match self.hashed {
            None => ((cell.z * self.size.y + cell.y) * self.size.x + cell.x) as u32,
            Some(mask) => {
                let hash = (cell.x as u32).wrapping_mul(0x9E37_79B1)
                    ^ (cell.y as u32).wrapping_mul(0x85EB_CA77)
                    ^ (cell.z as u32).wrapping_mul(0xC2B2_AE3D);
                (hash ^ (hash >> 15)) & mask
            }
        }
    }

    /// A first guess of the distance within which this many are near.
    pub(super) fn guess(&self, most: usize) -> f32 {
        let crowding = self.crowding.max(1.0);
        self.cell * (1.3 * (most as f32 + 3.0) / (3.1 * crowding)).sqrt()
    }

    /// Visits runs of entries that together hold all within a distance of a point, and others.
    /// The grid's own rounding is allowed for.
    #[inline(always)]
    pub(super) fn runs(
        &self,
        point: Vec3,
        distance: f32,
        mut visit: impl FnMut(core::ops::Range<usize>),
    ) {
        if self.entries.is_empty() {
            return;
        }
        let margin = Vec3::splat(distance * 1.000_01 + self.extent * 1e-6);
        let (low, high) = (self.cell_of(point - margin), self.cell_of(point + margin));
        match self.hashed {
            None => {
                for z in low.z..=high.z {
                    for y in low.y..=high.y {
                        let line = ((z * self.size.y + y) * self.size.x) as usize;
                        let first = self.start[line + low.x as usize] as usize;
                        let last = self.start[line + high.x as usize + 1] as usize;
                        visit(first..last);
                    }
                }
            }
            Some(_) => self.hashed_runs(low, high, &mut visit),
        }
    }

    /// The runs of a box of hashed cells. A bucket holds several cells: only things of the cell
    /// asked for count, so that nothing comes twice.
    #[cold]
    fn hashed_runs(&self, low: IVec3, high: IVec3, visit: &mut dyn FnMut(core::ops::Range<usize>)) {
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let cell = IVec3::new(x, y, z);
                    let bucket = self.bucket_of(cell) as usize;
                    for e in self.start[bucket] as usize..self.start[bucket + 1] as usize {
                        if self.cell_of(self.point(e)) == cell {
                            visit(e..e + 1);
                        }
                    }
                }
            }
        }
    }

    /// Where an entry is (at height 0 on a flat ground).
    #[inline(always)]
    pub(super) fn point(&self, entry: usize) -> Vec3 {
        let z = self.z.get(entry).copied().unwrap_or(self.low.z);
        Vec3::new(self.x[entry], self.y[entry], z)
    }
}

/// The box of all that is somewhere, and how many that are.
fn bounds(agents: &AgentsView<'_>, movers: &[MoverView]) -> (Vec3, Vec3, usize) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let mut count = 0;
    let mut add = |p: Vec3| {
        if p.is_finite() {
            low = low.min(p);
            high = high.max(p);
            count += 1;
        }
    };
    for location in agents.location {
        if location.is_somewhere() {
            add(location.point);
        }
    }
    for mover in movers {
        add(mover.at);
    }
    if count == 0 {
        (Vec3::ZERO, Vec3::ZERO, 0)
    } else {
        (low, high, count)
    }
}
