//! The quick search on a flat ground: nobody hidden, few candidates, no two equally near.
//!
//! That is almost everybody in almost every step. Where one of it does not hold, the search gives
//! up and [`flat`](super::flat) looks again.

use fearless_simd::{Simd, f32x4, f32x8, f32x16, i32x4, i32x16, prelude::*, u32x8};
use glam::Vec2;
use throng_core::Neighbour;

use super::{
    buffer::NeighbourBuffer,
    gather::{Search, same_group},
    grid::Entry,
    rank::LANES,
};

/// Most candidates that are ranked here.
const MOST: usize = 64;
/// Up to this many, what most searches find, are ranked in registers.
const FEW: usize = 2 * LANES;
/// Room for whole vectors behind the last candidate.
const ROOM: usize = MOST + 2 * LANES;

/// Searches that run side by side: one is ranked when the memory that it was collected in has come
/// to rest, and none waits for another.
pub(super) const BATCH: usize = 8;

/// Candidates of one search.
#[derive(Clone, Debug)]
pub(super) struct Few {
    squared: [f32; ROOM],
    entry: [u32; ROOM],
    /// How many are nearer than each.
    nearer: [i32; ROOM],
    /// Entries, nearest first.
    ranked: [u32; MOST],
}

impl Default for Few {
    fn default() -> Few {
        Few {
            squared: [0.0; ROOM],
            entry: [0; ROOM],
            nearer: [0; ROOM],
            ranked: [0; MOST],
        }
    }
}

/// The columns of the grid, and what else a search reads.
#[derive(Clone, Copy)]
pub(super) struct Quick<'a> {
    xs: &'a [f32],
    ys: &'a [f32],
    start: &'a [u32],
    entries: &'a [Entry],
    flags: &'a [u8],
    /// Low corner and cells per metre, for both ends of a box: x, x, y, y.
    low: [f32; 4],
    per_cell: [f32; 4],
    last_cell: [i32; 4],
    rounding: f32,
    reach: f32,
    most: usize,
    /// Whether no entry has flags or a group.
    plain: bool,
}

/// What a search looks for.
struct Disc<S: Simd> {
    x: f32x8<S>,
    y: f32x8<S>,
    squared: f32x8<S>,
    own: u32,
}

impl<'a> Quick<'a> {
    /// Nothing where the grid is hashed or too many are asked for.
    pub fn new(search: &Search<'a>) -> Option<Quick<'a>> {
        let grid = search.grid;
        let (low, per_cell) = (grid.low, grid.per_cell);
        let [right, top] = [grid.size.x - 1, grid.size.y - 1];
        (grid.hashed.is_none() && search.most <= MOST).then(|| Quick {
            xs: &grid.x,
            ys: &grid.y,
            start: &grid.start,
            entries: &grid.entries,
            flags: &grid.flags,
            low: [low.x, low.x, low.y, low.y],
            per_cell: [per_cell.x, per_cell.x, per_cell.y, per_cell.y],
            last_cell: [right, right, top, top],
            rounding: grid.margin(0.0),
            reach: search.reach,
            most: search.most,
            plain: grid.plain,
        })
    }

    /// Collects the candidates of an entry within a distance; gives how many. Nothing if it gives
    /// up.
    #[inline(always)]
    pub fn look<S: Simd>(
        &self,
        simd: S,
        own: usize,
        distance: f32,
        few: &mut Few,
    ) -> Option<usize> {
        let [x, y, ..] = self.entries.get(own)?.seen;
        let count = self.collect(simd, Vec2::new(x, y), own as u32, distance, few)?;
        // Written now, long before ranking reads it.
        let behind = &mut few.squared[count..count + FEW];
        f32x16::splat(simd, f32::INFINITY).store_slice(behind);
        (count >= self.most || distance >= self.reach).then_some(count)
    }

    /// Appends the first of the ranked candidates of an entry, for which `out` has room; gives
    /// the distance of the last, or the reach if there are fewer than wanted.
    #[inline(always)]
    pub fn take<S: Simd>(
        &self,
        simd: S,
        own: usize,
        count: usize,
        slot: usize,
        out: &mut NeighbourBuffer,
    ) -> Option<f32> {
        let own_entry = self.entries.get(own)?;
        let [x, y, ..] = own_entry.seen;
        let from = f32x4::load_array(simd, [x, y, 0.0, 0.0]);
        let n = count.min(self.most);
        let first = out.used;
        let seen = &mut out.seen[first..first + n];
        let radius = &mut out.radius[first..first + n];
        let flags = &mut out.flags[first..first + n];
        let id = &mut out.id[first..first + n];
        let ranked = &out.few[slot].ranked[..n];
        let mut farthest = Vec2::ZERO;
        for place in 0..n {
            let e = ranked[place] as usize;
            let entry = self.entries.get(e)?;
            let [x, y, vx, vy] = (f32x4::load_array_ref(simd, &entry.seen) - from).into();
            farthest = Vec2::new(x, y);
            seen[place] = Neighbour {
                offset: farthest,
                velocity: Vec2::new(vx, vy),
            };
            radius[place] = entry.radius;
            flags[place] = 0;
            id[place] = entry.id;
        }
        if !self.plain {
            for (flags, &e) in flags.iter_mut().zip(ranked) {
                let entry = self.entries.get(e as usize)?;
                *flags = self.flags[e as usize] | same_group(own_entry.group, entry);
            }
        }
        out.used = first + n;
        Some(if n < self.most {
            self.reach
        } else {
            (farthest.x * farthest.x + farthest.y * farthest.y).sqrt()
        })
    }

    /// Collects all others within a distance; gives how many.
    #[inline(always)]
    fn collect<S: Simd>(
        &self,
        simd: S,
        at: Vec2,
        own: u32,
        distance: f32,
        few: &mut Few,
    ) -> Option<usize> {
        let margin = distance * 1.000_01 + self.rounding;
        let ends = [at.x - margin, at.x + margin, at.y - margin, at.y + margin];
        let low = f32x4::load_array_ref(simd, &self.low);
        let per_cell = f32x4::load_array_ref(simd, &self.per_cell);
        let cell = (f32x4::load_array(simd, ends) - low) * per_cell;
        let cell = i32x4::truncate_from(cell)
            .max(i32x4::splat(simd, 0))
            .min(i32x4::load_array_ref(simd, &self.last_cell));
        let cells: [i32; 4] = cell.into();
        let [left, right, low, high] = cells.map(|c| c as usize);
        let wide = self.last_cell[0] as usize + 1;
        let disc = Disc {
            x: f32x8::splat(simd, at.x),
            y: f32x8::splat(simd, at.y),
            squared: f32x8::splat(simd, distance * distance),
            own,
        };
        let mut count = 0;
        let (mut line, last_line) = (low * wide, high * wide);
        while line <= last_line {
            let mut run = *self.start.get(line + left)? as usize;
            let end = *self.start.get(line + right + 1)? as usize;
            // Twice without asking: most runs are that short, and a branch less is worth more.
            loop {
                count = self.add_eight(simd, &disc, run, end, count, few)?;
                count = self.add_eight(simd, &disc, run + LANES, end, count, few)?;
                run += 2 * LANES;
                if run >= end {
                    break;
                }
            }
            line += wide;
        }
        (count <= MOST).then_some(count)
    }

    /// Adds those of eight entries that lie in the disc and before `end`; gives how many there
    /// are then.
    #[inline(always)]
    fn add_eight<S: Simd>(
        &self,
        simd: S,
        disc: &Disc<S>,
        run: usize,
        end: usize,
        count: usize,
        few: &mut Few,
    ) -> Option<usize> {
        let dx = f32x8::from_slice(simd, self.xs.get(run..run + LANES)?) - disc.x;
        let dy = f32x8::from_slice(simd, self.ys.get(run..run + LANES)?) - disc.y;
        let squared = dx * dx + dy * dy;
        let entry = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]) + run as u32;
        let inside =
            squared.simd_le(disc.squared) & entry.simd_lt(end as u32) & entry.simd_ne(disc.own);
        let mut bits = inside.to_bitmask();
        let (far, at) = (
            few.squared.get_mut(count..count + LANES)?,
            few.entry.get_mut(count..count + LANES)?,
        );
        let taken = bits.count_ones() as usize;
        if compresses(simd) {
            squared.compress(inside).store_slice(far);
            entry.compress(inside).store_slice(at);
        } else {
            let squared: [f32; LANES] = squared.into();
            for (far, at) in far.iter_mut().zip(at).take(taken) {
                let lane = bits.trailing_zeros() as usize % LANES;
                bits &= bits.wrapping_sub(1);
                (*far, *at) = (squared[lane], (run + lane) as u32);
            }
        }
        Some(count + taken)
    }
}

/// Whether the instruction set packs chosen lanes at once; elsewhere they are few enough to be
/// taken one by one.
#[inline(always)]
fn compresses<S: Simd>(simd: S) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return simd.level().as_avx2().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    {
        let _ = simd;
        true
    }
}

impl Few {
    /// Puts the first `count` candidates in order, by counting how many are nearer than each.
    /// False if two are equally near.
    #[inline(always)]
    pub fn rank<S: Simd>(&mut self, simd: S, count: usize) -> bool {
        if count <= FEW {
            let these = f32x16::from_slice(simd, &self.squared[..FEW]);
            let mut before = i32x16::splat(simd, 0);
            for &other in &self.squared[..FEW] {
                before -= f32x16::splat(simd, other).simd_lt(these).to_vector();
            }
            before.store_slice(&mut self.nearer[..FEW]);
        } else {
            for first in (0..count).step_by(FEW) {
                let these = f32x16::from_slice(simd, &self.squared[first..first + FEW]);
                let mut before = i32x16::splat(simd, 0);
                for &other in &self.squared[..count] {
                    before -= f32x16::splat(simd, other).simd_lt(these).to_vector();
                }
                before.store_slice(&mut self.nearer[first..first + FEW]);
            }
        }
        let mut sum = 0;
        for (&place, &entry) in self.nearer[..count].iter().zip(&self.entry[..count]) {
            self.ranked[place as usize % MOST] = entry;
            sum += place as usize;
        }
        // Each of several equally near ones misses the others: the sum is less.
        sum * 2 == count * count.saturating_sub(1)
    }
}
