//! Agents and movers sorted into the cells of a uniform grid.

use glam::{IVec3, Vec3};
use rayon::prelude::*;
use throng_core::{AgentsView, GroundView, MOVER, MoverView, NON_RECIPROCAL, NONE};

use super::{
    curved::Bodies,
    rank::LANES,
    storeys::{Storeys, View},
};
use crate::relevance::{Body, Relevance, ScreenIndex};

/// Entries that an agent shares a square with that is as wide as a line of cells is high, itself
/// included, on the average: what the height of lines is steered to.
const CROWDING: f32 = 5.0;
/// Cells side by side in such a square: a line is read as one run, so narrow cells cost nothing
/// and leave out more.
const SPLIT: f32 = 4.0;
/// Rebuilds between two looks for the box of all: who has left it is kept in its outermost cells.
const BOX_EVERY: u32 = 8;
/// Cells of a surface are not made larger than so many times the reach to have few of them.
const MOST_REACHES: f32 = 12.0;
/// The same on a plan.
const MOST_REACHES_ON_PLANS: f32 = 4.0;
/// Entries that a thread sorts at least.
pub(super) const PART: usize = 2048;

/// A thing that can be a neighbour: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Entry {
    /// Place and velocity in world directions, seen from above: x, y, vx, vy.
    pub seen: [f32; 4],
    pub radius: f32,
    pub group: u32,
    pub id: u64,
}

impl Entry {
    const NOBODY: Entry = Entry {
        seen: [0.0; 4],
        radius: 0.0,
        group: NONE,
        id: 0,
    };
}

/// What else is known of it where the ground is not flat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub body: Body,
    pub velocity: Vec3,
}

impl Standing {
    const NOBODY: Standing = Standing {
        body: Body {
            feet: Vec3::ZERO,
            up: Vec3::Z,
            axis: Vec3::Z,
            height: 0.0,
        },
        velocity: Vec3::ZERO,
    };
}

/// Squares side by side in [`Watched`], a power of two.
const SQUARES: i32 = 256;
/// Least side of such a square, metres.
const LEAST_SQUARE: f32 = 4.0;

/// Where somebody may be seen by those who look: squares of the plan, wrapped round so that a few
/// serve any ground. Squares that fall together keep somebody in the grid whom nobody sees.
#[derive(Clone, Debug, Default)]
struct Watched {
    /// Empty where nobody is left out.
    squares: Vec<bool>,
    per_metre: f32,
}

impl Watched {
    /// Marks the squares about those whose tier looks. Ends empty where most do: then leaving out
    /// the others saves less than it takes.
    fn mark(&mut self, agents: &AgentsView<'_>, reach: f32, looks: &[bool]) {
        self.squares.clear();
        if looks.iter().all(|looks| *looks) {
            return;
        }
        let looks = |tier: &u8| looks.get(usize::from(*tier)) != Some(&false);
        let lookers = agents.tier.iter().filter(|tier| looks(tier)).count();
        if 2 * lookers > agents.len() {
            return;
        }
        self.squares.resize((SQUARES * SQUARES) as usize, false);
        // The next squares hold all within reach, whatever is rounded.
        self.per_metre = 1.0 / (1.1 * reach).max(LEAST_SQUARE);
        let rows = agents.tier.iter().zip(agents.location);
        for (_, at) in rows.filter(|(tier, _)| looks(tier)) {
            for (x, y) in (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y))) {
                let square = self.square_of(at.point, x, y);
                self.squares[square] = true;
            }
        }
    }

    #[inline]
    fn square_of(&self, point: Vec3, right: i32, up: i32) -> usize {
        // Towards zero: the squares about it are twice as wide, which keeps more.
        let of = |along: f32, by: i32| {
            ((along * self.per_metre) as i32).wrapping_add(by) & (SQUARES - 1)
        };
        (of(point.y, up) * SQUARES + of(point.x, right)) as usize
    }

    #[inline]
    fn sees(&self, point: Vec3) -> bool {
        self.squares.is_empty() || self.squares[self.square_of(point, 0, 0)]
    }
}

/// A uniform grid over agents and movers, as of its last rebuild. Buffers are reused.
#[derive(Clone, Debug, Default)]
pub struct NeighbourGrid {
    /// Who counts as a neighbour.
    pub relevance: Relevance,
    pub(super) low: Vec3,
    high: Vec3,
    /// Things in that box when it was last looked for, and all of them.
    counted: (usize, usize),
    /// Rebuilds since.
    age: u32,
    pub(super) per_cell: Vec3,
    /// Height of a line of cells, metres.
    cell: f32,
    pub(super) size: IVec3,
    /// Number of buckets less one (a power of two), if cells are hashed rather than listed.
    pub(super) hashed: Option<u32>,
    pub(super) start: Vec<u32>,
    bucket: Vec<u32>,
    /// What is known of the agents, by row: read once in their order, and then a line of a cache
    /// each in that of the cells.
    by_row: Vec<Entry>,
    pub(super) x: Vec<f32>,
    pub(super) y: Vec<f32>,
    pub(super) entries: Vec<Entry>,
    /// [`MOVER`] and [`NON_RECIPROCAL`] of each entry.
    pub(super) flags: Vec<u8>,
    /// Row of each entry; movers follow the agents.
    thing: Vec<u32>,
    /// Empty on a flat ground.
    pub(super) standing: Vec<Standing>,
    /// The same as lanes read it.
    pub(super) bodies: Bodies,
    /// The walls that may hide somebody, where the ground is not flat.
    pub(super) screens: ScreenIndex,
    /// Entry of each row, movers after the agents.
    pub(super) slot: Vec<u32>,
    agents: usize,
    crowding: f32,
    /// Largest coordinate, for the rounding of boxes.
    extent: f32,
    watched: Watched,
    /// Largest radius.
    pub(super) widest: f32,
    /// Largest height.
    pub(super) tallest: f32,
    /// Smallest height.
    pub(super) shortest: f32,
    /// Who stands how high and how steeply on a plan.
    pub(super) storeys: Storeys,
    /// The radius of all entries if it is one and none has flags or a group.
    pub(super) alike: Option<f32>,
}

/// What people stand on, for the choice of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Floors {
    /// All at about one height.
    One,
    /// Storeys above each other.
    Several,
    /// A surface that turns anywhere.
    None,
}

/// Height of the cells of a building with storeys, metres.
const STOREY: f32 = 3.6;

/// Where a mover stands among the entries, before sorting.
fn mover_id(index: usize) -> u64 {
    u64::MAX - index as u64
}

impl NeighbourGrid {
    /// Largest radius of anybody.
    pub fn widest(&self) -> f32 {
        self.widest
    }

    /// Sorts everybody anew. `heights` has a row per agent, or is empty: then heights follow
    /// from radii. `reach` is the farthest anybody will look. Agents in a tier that is false in
    /// `reciprocal` avoid nobody.
    pub fn rebuild(
        &mut self,
        ground: GroundView<'_>,
        agents: &AgentsView<'_>,
        heights: &[f32],
        movers: &[MoverView],
        reach: f32,
        reciprocal: &[bool],
    ) {
        self.rebuild_for(ground, agents, heights, movers, reach, reciprocal, &[]);
    }

    /// As [`NeighbourGrid::rebuild`], for those alone to look whose tier is not false in `looks`:
    /// whom none of them can see is left out.
    pub fn rebuild_for(
        &mut self,
        ground: GroundView<'_>,
        agents: &AgentsView<'_>,
        heights: &[f32],
        movers: &[MoverView],
        reach: f32,
        reciprocal: &[bool],
        looks: &[bool],
    ) {
        let was_whole = self.watched.squares.is_empty();
        self.watched.mark(agents, reach, looks);
        if self.watched.squares.is_empty() != was_whole {
            // Of others than the last time: what was found out about those says nothing.
            (self.counted, self.crowding) = ((0, 0), 0.0);
        }
        let (things, (count, before)) = (agents.len() + movers.len(), self.counted);
        self.age += 1;
        if self.age >= BOX_EVERY || count == 0 || things.abs_diff(before) * 8 > before {
            let (low, high, count) = bounds(agents, movers, &self.watched);
            (self.low, self.high) = (low, high);
            self.extent = low.abs().max(high.abs()).max_element();
            (self.counted, self.age) = ((count, things), 0);
        }
        self.agents = agents.len();
        let span = self.high - self.low;
        let floors = match (ground.flat, ground.plan) {
            (true, _) => Floors::One,
            (false, true) if span.z > STOREY => Floors::Several,
            (false, true) => Floors::One,
            (false, false) => Floors::None,
        };
        self.choose_cells(span, self.counted.0, floors, reach);
        self.sort(agents, movers);
        self.fill(agents, movers, reciprocal);
        if ground.flat {
            self.standing.clear();
            self.tallest = 0.0;
        } else {
            self.stand(ground, agents, heights, movers);
            self.bodies.fill(&self.standing, ground.plan, self.tallest);
            if self.relevance.occlusion {
                self.screens.refresh(&ground, reach, self.tallest);
            }
        }
    }

    /// Counting sort of all things by cell: the entry of each, and the thing of each entry.
    fn sort(&mut self, agents: &AgentsView<'_>, movers: &[MoverView]) {
        let buckets = match self.hashed {
            Some(mask) => mask as usize + 1,
            None => (self.size.x * self.size.y * self.size.z) as usize,
        };
        let things = agents.len() + movers.len();
        let mut bucket = std::mem::take(&mut self.bucket);
        bucket.resize(things, NONE);
        let mut by_row = std::mem::take(&mut self.by_row);
        by_row.resize(agents.len(), Entry::NOBODY);
        let (of_agents, of_movers) = bucket.split_at_mut(agents.len());
        of_agents
            .par_chunks_mut(PART)
            .zip(by_row.par_chunks_mut(PART))
            .enumerate()
            .for_each(|(part, (bucket, entries))| {
                let rows = part * PART..part * PART + bucket.len();
                let places = &agents.location[rows.clone()];
                let columns = agents.velocity[rows.clone()]
                    .iter()
                    .zip(&agents.radius[rows.clone()])
                    .zip(&agents.group[rows.clone()])
                    .zip(&agents.id[rows]);
                let entries = entries.iter_mut().zip(places).zip(columns);
                for (bucket, ((entry, place), (((v, radius), group), id))) in
                    bucket.iter_mut().zip(entries)
                {
                    if !place.is_somewhere() || !self.watched.sees(place.point) {
                        *bucket = NONE;
                        continue;
                    }
                    *bucket = self.bucket_at(place.point);
                    *entry = Entry {
                        seen: [place.point.x, place.point.y, v.x, v.y],
                        radius: *radius,
                        group: *group,
                        id: *id,
                    };
                }
            });
        self.by_row = by_row;
        for (bucket, mover) in of_movers.iter_mut().zip(movers) {
            *bucket = self.bucket_at(mover.at);
        }
        // Counted two places up, so that after the sum the entry of a bucket is where its first
        // thing goes, and after the sort where the next bucket begins.
        self.start.clear();
        self.start.resize(buckets + 2, 0);
        for &b in &bucket {
            if b != NONE {
                self.start[b as usize + 2] += 1;
            }
        }
        let mut sum = 0;
        let mut together = 0u64;
        for slot in &mut self.start {
            let here = *slot;
            together += u64::from(here) * u64::from(here);
            sum += here;
            *slot = sum;
        }
        let in_a_cell = together as f32 / (sum as f32).max(1.0);
        let split = self.per_cell.x * self.cell;
        self.crowding = 1.0 + (in_a_cell - 1.0) * split;
        self.thing.resize(sum as usize, NONE);
        self.slot.resize(things, NONE);
        for (i, (&b, slot)) in bucket.iter().zip(&mut self.slot).enumerate() {
            *slot = NONE;
            if b != NONE {
                let next = &mut self.start[b as usize + 1];
                *slot = *next;
                self.thing[*next as usize] = i as u32;
                *next += 1;
            }
        }
        self.bucket = bucket;
    }

    /// Writes the entries and finds the largest radius, and whether all are alike.
    fn fill(&mut self, agents: &AgentsView<'_>, movers: &[MoverView], reciprocal: &[bool]) {
        let total = self.thing.len();
        // Runs are read in whole vectors, beyond the last entry too.
        self.x.resize(total + 2 * LANES, 0.0);
        self.y.resize(total + 2 * LANES, 0.0);
        self.entries.resize(total, Entry::NOBODY);
        self.flags.resize(total, 0);
        let avoids = |tier: u8| reciprocal.get(usize::from(tier)).copied().unwrap_or(true);
        let all_avoid = reciprocal.iter().all(|r| *r);
        let one = agents.radius.first().copied().unwrap_or(0.0);
        let by_row = &self.by_row[..agents.len()];
        let (widest, alike) = self.x[..total]
            .par_chunks_mut(PART)
            .zip(self.y[..total].par_chunks_mut(PART))
            .zip(self.entries.par_chunks_mut(PART))
            .zip(self.flags.par_chunks_mut(PART))
            .zip(self.thing.par_chunks(PART))
            .map(|((((xs, ys), entries), flags), things)| {
                let (mut widest, mut alike) = (0.0_f32, true);
                let columns = xs.iter_mut().zip(ys).zip(entries).zip(flags);
                for ((((x, y), entry), flags), &thing) in columns.zip(things) {
                    let row = thing as usize;
                    if row < agents.len() {
                        *entry = by_row[row];
                        [*x, *y, ..] = entry.seen;
                        let one_sided = !all_avoid && !avoids(agents.tier[row]);
                        *flags = NON_RECIPROCAL * u8::from(one_sided);
                    } else {
                        let index = row - agents.len();
                        let mover = &movers[index];
                        (*x, *y) = (mover.at.x, mover.at.y);
                        *entry = Entry {
                            seen: [mover.at.x, mover.at.y, mover.velocity.x, mover.velocity.y],
                            radius: mover.radius,
                            group: NONE,
                            id: mover_id(index),
                        };
                        *flags = NON_RECIPROCAL | MOVER;
                    }
                    widest = widest.max(entry.radius);
                    alike &= (*flags == 0) & (entry.group == NONE) & (entry.radius == one);
                }
                (widest, alike)
            })
            .reduce(|| (0.0, true), |a, b| (a.0.max(b.0), a.1 & b.1));
        self.widest = widest;
        self.alike = alike.then_some(one);
    }

    /// Writes what else is known of the entries where the ground is not flat.
    fn stand(
        &mut self,
        ground: GroundView<'_>,
        agents: &AgentsView<'_>,
        heights: &[f32],
        movers: &[MoverView],
    ) {
        let height_of = |row: usize| match heights.get(row) {
            Some(&height) => height,
            None => Body::height_of(agents.radius[row]),
        };
        let tallest = self
            .thing
            .iter()
            .filter(|&&thing| (thing as usize) < agents.len())
            .fold(0.0_f32, |tallest, &row| {
                tallest.max(height_of(row as usize))
            });
        self.standing.resize(self.thing.len(), Standing::NOBODY);
        self.standing
            .par_chunks_mut(PART)
            .zip(self.thing.par_chunks(PART))
            .for_each(|(standing, things)| {
                for (standing, &thing) in standing.iter_mut().zip(things) {
                    let row = thing as usize;
                    *standing = if row < agents.len() {
                        let at = agents.location[row];
                        let normal = ground.normals[at.triangle as usize];
                        let frame = agents.frame_of(row);
                        let up = frame.up(normal);
                        Standing {
                            body: Body {
                                feet: at.point,
                                up,
                                axis: if ground.plan { Vec3::Z } else { up },
                                height: height_of(row),
                            },
                            velocity: frame.to_world(normal, agents.velocity[row]),
                        }
                    } else {
                        // A mover has no place on the surface; it stands upright and as high as
                        // a body.
                        let mover = &movers[row - agents.len()];
                        Standing {
                            body: Body {
                                feet: mover.at,
                                up: Vec3::Z,
                                axis: Vec3::Z,
                                height: Body::height_of(mover.radius).min(tallest),
                            },
                            velocity: mover.velocity,
                        }
                    };
                }
            });
        let (mut tallest, mut shortest) = (0.0_f32, f32::INFINITY);
        for Standing { body, .. } in &self.standing {
            tallest = tallest.max(body.height);
            shortest = shortest.min(body.height);
        }
        (self.tallest, self.shortest) = (tallest, shortest.min(tallest));
        if ground.plan {
            let lines = match self.hashed {
                None => self.size,
                Some(_) => IVec3::ZERO,
            };
            self.storeys.fill(&self.standing, &self.start, lines);
        }
    }

    /// Chooses the size of cells by the crowding of the last grid, or by the mean density.
    fn choose_cells(&mut self, span: Vec3, count: usize, floors: Floors, reach: f32) {
        let planar = floors != Floors::None;
        let span = span.max(Vec3::splat(1e-3));
        let reach = if reach > 1e-3 { reach } else { 1e-3 };
        let wanted = if self.crowding > 0.0 && self.cell > 0.0 {
            self.cell * (CROWDING / self.crowding).sqrt().clamp(0.5, 2.0)
        } else {
            (CROWDING * span.x * span.y / count.max(1) as f32).sqrt()
        };
        let (least, limit, split) = match floors {
            Floors::One => (reach / 16.0, 16 * count + 4096, SPLIT),
            Floors::Several => (reach / 16.0, 16 * count + 32768, SPLIT),
            Floors::None => (reach / 2.0, 8 * count + 32768, 1.0),
        };
        self.cell = wanted.clamp(least, reach);
        if !planar {
            // A surface fills little of the space it lies in: cells as large as it takes to keep
            // them few, because hashing each costs more than looking at who is too far.
            let volume = span.x * span.y * span.z;
            let few = throng_core::math::cbrt(volume / (4 * count + 16384) as f32);
            self.cell = self.cell.max(few.min(MOST_REACHES * reach));
        }
        let cells_of = |per_cell: Vec3| {
            let cells = (span * per_cell).floor() + Vec3::ONE;
            match floors {
                Floors::One => cells.with_z(1.0),
                _ => cells,
            }
        };
        let count_of = |per_cell: Vec3| {
            let cells = cells_of(per_cell);
            f64::from(cells.x) * f64::from(cells.y) * f64::from(cells.z)
        };
        let per_cell = |cell: f32| {
            let storey = match floors {
                Floors::Several => STOREY,
                _ => cell,
            };
            Vec3::new(split / cell, 1.0 / cell, 1.0 / storey)
        };
        // A sparse crowd that looks not far is in far more cells than things: larger ones, in
        // which some are too far, cost less than hashing each.
        let mut cell = self.cell;
        while planar
            && count_of(per_cell(cell)) > limit as f64
            && cell < MOST_REACHES_ON_PLANS * reach
        {
            cell *= 1.25;
        }
        // Still more cells than that: hash them. Coordinates are then cut to what an i32 holds.
        let many = count_of(per_cell(cell)) > limit as f64;
        if !many {
            self.cell = cell;
        }
        self.per_cell = per_cell(self.cell);
        self.hashed = many.then(|| (2 * count.max(8)).next_power_of_two() as u32 - 1);
        if many {
            self.per_cell = Vec3::splat(1.0 / self.cell);
        }
        let cells = cells_of(self.per_cell).min(Vec3::splat(1e9));
        self.size = IVec3::new(cells.x as i32, cells.y as i32, cells.z as i32);
    }

    #[inline]
    fn cell_of(&self, point: Vec3) -> IVec3 {
        let scaled = (point - self.low) * self.per_cell;
        IVec3::new(scaled.x as i32, scaled.y as i32, scaled.z as i32)
            .clamp(IVec3::ZERO, self.size - IVec3::ONE)
    }

    /// The bucket of a point, or NONE if it is not finite.
    #[inline]
    fn bucket_at(&self, point: Vec3) -> u32 {
        if point.is_finite() {
            self.bucket_of(self.cell_of(point))
        } else {
            NONE
        }
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
        visit: impl FnMut(core::ops::Range<usize>),
    ) {
        self.runs_in(point, point, distance, visit);
    }

    /// As [`NeighbourGrid::runs`], about a box.
    #[inline(always)]
    pub(super) fn runs_in(
        &self,
        low: Vec3,
        high: Vec3,
        distance: f32,
        mut visit: impl FnMut(core::ops::Range<usize>),
    ) {
        if self.entries.is_empty() {
            return;
        }
        let margin = Vec3::splat(self.margin(distance));
        let (low, high) = (self.cell_of(low - margin), self.cell_of(high + margin));
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

    /// As [`NeighbourGrid::runs_in`], without those on a plan that nobody at a height has in view.
    #[inline(always)]
    pub(super) fn runs_in_view(
        &self,
        low: Vec3,
        high: Vec3,
        distance: f32,
        height: f32,
        view: View,
        mut visit: impl FnMut(core::ops::Range<usize>),
    ) {
        self.runs_in(
            low,
            high,
            distance,
            #[inline(always)]
            |run| {
                if !run.is_empty() && self.storeys.sees(height, view, &run) {
                    visit(run);
                }
            },
        );
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

    /// A distance with the rounding of coordinates and cells added.
    #[inline(always)]
    pub(super) fn margin(&self, distance: f32) -> f32 {
        distance * 1.000_01 + self.extent * 1e-6
    }

    /// Where an entry is (at the height of all on a flat ground).
    #[inline(always)]
    pub(super) fn point(&self, entry: usize) -> Vec3 {
        let [x, y, ..] = self.entries[entry].seen;
        let z = self
            .standing
            .get(entry)
            .map_or(self.low.z, |s| s.body.feet.z);
        Vec3::new(x, y, z)
    }

    /// The row of an entry, or NONE for a mover.
    #[inline]
    pub(super) fn row(&self, entry: usize) -> u32 {
        let thing = self.thing[entry];
        if (thing as usize) < self.agents {
            thing
        } else {
            NONE
        }
    }

    /// Whether nobody but agents is in the grid.
    pub(super) fn only_agents(&self) -> bool {
        self.slot.len() == self.agents
    }
}

/// The box of all that is somewhere and seen, and how many that are.
fn bounds(agents: &AgentsView<'_>, movers: &[MoverView], watched: &Watched) -> (Vec3, Vec3, usize) {
    let nothing = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0);
    let add = |(low, high, count): (Vec3, Vec3, usize), p: Vec3| {
        if p.is_finite() {
            (low.min(p), high.max(p), count + 1)
        } else {
            (low, high, count)
        }
    };
    let of_agents = agents
        .location
        .par_chunks(PART)
        .map(|places| {
            places
                .iter()
                .filter(|l| l.is_somewhere() && watched.sees(l.point))
                .fold(nothing, |all, l| add(all, l.point))
        })
        .reduce(|| nothing, |a, b| (a.0.min(b.0), a.1.max(b.1), a.2 + b.2));
    let (low, high, count) = movers.iter().fold(of_agents, |all, m| add(all, m.at));
    if count == 0 {
        (Vec3::ZERO, Vec3::ZERO, 0)
    } else {
        (low, high, count)
    }
}
