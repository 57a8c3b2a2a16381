//! The quick search on a flat ground: nobody hidden, few candidates, no two equally near.
//!
//! That is almost everybody in almost every step. Where one of it does not hold, the search gives
//! up and [`flat`](super::flat) looks again.

use fearless_simd::{Simd, f32x4, f32x8, f32x16, i32x4, prelude::*, u32x8, u32x16};
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

/// Room that a batch of searches needs where each gives up to `most`: all candidates of the last
/// one are written, wanted or not.
pub(super) fn room(most: usize) -> usize {
    most * BATCH + MOST
}

/// Candidates of one search, from the beginning of a line of the cache: where the allocator puts
/// them otherwise, every store and load of sixteen may touch two.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Few {
    squared: [f32; ROOM],
    entry: [u32; ROOM],
}

impl Default for Few {
    fn default() -> Few {
        Few {
            squared: [0.0; ROOM],
            entry: [0; ROOM],
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
    /// The radius of all entries if it is one and none has flags or a group.
    alike: Option<f32>,
}

/// What a search looks for.
struct Disc {
    x: f32,
    y: f32,
    squared: f32,
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
            alike: grid.alike,
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

    /// Appends the nearest candidates of an entry in their order, for which `out` has room; gives
    /// the distance of the last, or the reach if there are fewer than wanted. Nothing, and nothing
    /// appended, if two are equally near.
    #[inline(always)]
    pub fn take<S: Simd>(
        &self,
        simd: S,
        own: usize,
        count: usize,
        slot: usize,
        out: &mut NeighbourBuffer,
    ) -> Option<f32> {
        match self.alike {
            Some(radius) if count <= FEW => {
                let last = self.write::<S, true>(simd, own, count, slot, out)?;
                let first = out.used - count.min(self.most);
                let these = first..first + FEW;
                f32x16::splat(simd, radius).store_slice(out.radius.get_mut(these.clone())?);
                out.flags.get_mut(these)?.fill(0);
                Some(last)
            }
            _ => self.write::<S, false>(simd, own, count, slot, out),
        }
    }

    /// [`Quick::take`]. A candidate goes where as many are before it as are nearer: nothing is
    /// sorted. Where all are `ALIKE` they are few, counted in one comparison, and neither radius
    /// nor flags are written.
    #[inline(always)]
    fn write<S: Simd, const ALIKE: bool>(
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
        let (first, few) = (out.used, out.few.get(slot)?);
        let seen = out.seen.get_mut(first..)?.first_chunk_mut::<MOST>()?;
        let radius = out.radius.get_mut(first..)?.first_chunk_mut::<MOST>()?;
        let flags = out.flags.get_mut(first..)?.first_chunk_mut::<MOST>()?;
        let id = out.id.get_mut(first..)?.first_chunk_mut::<MOST>()?;
        let nearest = f32x16::from_slice(simd, &few.squared[..FEW]);
        let mut sum = 0;
        let candidates = few
            .squared
            .get(..count)?
            .iter()
            .zip(few.entry.get(..count)?);
        for (&squared, &e) in candidates {
            let mut nearer = nearest.simd_lt(squared).to_bitmask().count_ones();
            if !ALIKE {
                for more in few.squared[FEW..count.next_multiple_of(FEW).max(FEW)]
                    .as_chunks()
                    .0
                {
                    let more = f32x16::load_array_ref(simd, more);
                    nearer += more.simd_lt(squared).to_bitmask().count_ones();
                }
            }
            let place = nearer as usize % MOST;
            sum += place;
            let entry = self.entries.get(e as usize)?;
            let [x, y, vx, vy] = (f32x4::load_array_ref(simd, &entry.seen) - from).into();
            seen[place] = Neighbour {
                offset: Vec2::new(x, y),
                velocity: Vec2::new(vx, vy),
            };
            if !ALIKE {
                radius[place] = entry.radius;
                flags[place] = self.flags.get(e as usize)? | same_group(own_entry.group, entry);
            }
            id[place] = entry.id;
        }
        // Each of several equally near ones misses the others: the sum is less.
        if sum * 2 != count * count.saturating_sub(1) {
            return None;
        }
        out.used = first + n;
        Some(if n < self.most {
            self.reach
        } else {
            seen[(n + MOST - 1) % MOST].offset.length()
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
            x: at.x,
            y: at.y,
            squared: distance * distance,
            own,
        };
        let mut count = 0;
        let (mut line, last_line) = (low * wide, high * wide);
        while line <= last_line {
            let mut run = *self.start.get(line + left)? as usize;
            let end = *self.start.get(line + right + 1)? as usize;
            // Sixteen without asking: most runs are that short, and a branch less is worth more.
            loop {
                if sixteen(simd) {
                    count = self.add_sixteen(simd, &disc, run, end, count, few)?;
                } else {
                    count = self.add_eight(simd, &disc, run, end, count, few)?;
                    count = self.add_eight(simd, &disc, run + LANES, end, count, few)?;
                }
                run += 2 * LANES;
                if run >= end {
                    break;
                }
            }
            line += wide;
        }
        (count <= MOST).then_some(count)
    }

    /// Adds those of sixteen entries that lie in the disc and before `end`; gives how many there
    /// are then.
    #[inline(always)]
    fn add_sixteen<S: Simd>(
        &self,
        simd: S,
        disc: &Disc,
        run: usize,
        end: usize,
        count: usize,
        few: &mut Few,
    ) -> Option<usize> {
        let these = run..run + 2 * LANES;
        let dx = f32x16::from_slice(simd, self.xs.get(these.clone())?) - disc.x;
        let dy = f32x16::from_slice(simd, self.ys.get(these)?) - disc.y;
        let squared = dx * dx + dy * dy;
        let lanes = core::array::from_fn(|lane| lane as u32);
        let entry = u32x16::load_array(simd, lanes) + run as u32;
        let inside =
            squared.simd_le(disc.squared) & entry.simd_lt(end as u32) & entry.simd_ne(disc.own);
        let room = count..count + 2 * LANES;
        let taken = inside.to_bitmask().count_ones() as usize;
        squared
            .compress(inside)
            .store_slice(few.squared.get_mut(room.clone())?);
        entry.compress(inside).store_slice(few.entry.get_mut(room)?);
        Some(count + taken)
    }

    /// Adds those of eight entries that lie in the disc and before `end`; gives how many there
    /// are then.
    #[inline(always)]
    fn add_eight<S: Simd>(
        &self,
        simd: S,
        disc: &Disc,
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

/// Whether the instruction set packs sixteen lanes at once.
#[inline(always)]
fn sixteen<S: Simd>(simd: S) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return simd.level().as_avx512().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    {
        let _ = simd;
        false
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
