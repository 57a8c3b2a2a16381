//! The quick search on a flat ground: nobody hidden, few candidates, no two equally near.
//!
//! That is almost everybody in almost every step. Where one of it does not hold, the search gives
//! up and [`flat`](super::flat) looks again.

use fearless_simd::{Simd, f32x4, f32x8, i32x8, prelude::*, u32x8};
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

/// Candidates of one search.
#[derive(Clone, Debug)]
pub(super) struct Few {
    squared: [f32; ROOM],
    entry: [u32; ROOM],
    /// Entries, nearest first.
    ranked: [u32; MOST],
}

impl Default for Few {
    fn default() -> Few {
        Few {
            squared: [0.0; ROOM],
            entry: [0; ROOM],
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
    low: Vec2,
    per_cell: Vec2,
    last_cell: [i32; 2],
    rounding: f32,
    reach: f32,
    most: usize,
}

impl<'a> Quick<'a> {
    /// Nothing where the grid is hashed or too many are asked for.
    pub fn new(search: &Search<'a>) -> Option<Quick<'a>> {
        let grid = search.grid;
        (grid.hashed.is_none() && search.most <= MOST).then(|| Quick {
            xs: &grid.x,
            ys: &grid.y,
            start: &grid.start,
            entries: &grid.entries,
            flags: &grid.flags,
            low: grid.low.truncate(),
            per_cell: grid.per_cell.truncate(),
            last_cell: [grid.size.x - 1, grid.size.y - 1],
            rounding: grid.margin(0.0),
            reach: search.reach,
            most: search.most,
        })
    }

    /// Appends the neighbours of an entry, for which `out` has room; gives the distance of the
    /// last, or the reach if there are fewer than wanted. Nothing if it gives up.
    #[inline(always)]
    pub fn find<S: Simd>(
        &self,
        simd: S,
        own: usize,
        distance: f32,
        out: &mut NeighbourBuffer,
    ) -> Option<f32> {
        let own_entry = self.entries.get(own)?;
        let [x, y, ..] = own_entry.seen;
        let few = &mut out.few;
        let count = self.collect(simd, Vec2::new(x, y), own as u32, distance, few)?;
        if count < self.most && distance < self.reach {
            return None;
        }
        if !few.rank(simd, count) {
            return None;
        }
        let from = f32x4::load_array(simd, [x, y, 0.0, 0.0]);
        let n = count.min(self.most);
        let first = out.used;
        let seen = &mut out.seen[first..first + n];
        let radius = &mut out.radius[first..first + n];
        let flags = &mut out.flags[first..first + n];
        let id = &mut out.id[first..first + n];
        let ranked = &few.ranked[..n];
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
            flags[place] = self.flags[e] | same_group(own_entry.group, entry);
            id[place] = entry.id;
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
        let cell = |at: f32, axis: usize| {
            let cell = (at - self.low[axis]) * self.per_cell[axis];
            (cell as i32).clamp(0, self.last_cell[axis]) as usize
        };
        let (left, right) = (cell(at.x - margin, 0), cell(at.x + margin, 0) + 1);
        let (low, high) = (cell(at.y - margin, 1), cell(at.y + margin, 1));
        let wide = self.last_cell[0] as usize + 1;
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let limit = f32x8::splat(simd, distance * distance);
        let (x, y) = (f32x8::splat(simd, at.x), f32x8::splat(simd, at.y));
        let mut count = 0;
        for line in low..=high {
            let mut run = *self.start.get(line * wide + left)? as usize;
            let end = *self.start.get(line * wide + right)? as usize;
            // At least once: most runs are that short, and a branch less is worth more.
            loop {
                let dx = f32x8::from_slice(simd, self.xs.get(run..run + LANES)?) - x;
                let dy = f32x8::from_slice(simd, self.ys.get(run..run + LANES)?) - y;
                let squared = dx * dx + dy * dy;
                let entry = lanes + run as u32;
                let inside =
                    squared.simd_le(limit) & entry.simd_lt(end as u32) & entry.simd_ne(own);
                squared
                    .compress(inside)
                    .store_slice(few.squared.get_mut(count..count + LANES)?);
                entry
                    .compress(inside)
                    .store_slice(few.entry.get_mut(count..count + LANES)?);
                count += inside.to_bitmask().count_ones() as usize;
                run += LANES;
                if run >= end {
                    break;
                }
            }
        }
        (count <= MOST).then_some(count)
    }
}

impl Few {
    /// Puts the first `count` candidates in order, by counting how many are nearer than each.
    /// False if two are equally near.
    #[inline(always)]
    fn rank<S: Simd>(&mut self, simd: S, count: usize) -> bool {
        let mut nearer = [0; MOST];
        let far = f32x8::splat(simd, f32::INFINITY);
        if count <= FEW {
            far.store_slice(&mut self.squared[count..count + LANES]);
            far.store_slice(&mut self.squared[count + LANES..count + 2 * LANES]);
            let low = f32x8::from_slice(simd, &self.squared[..LANES]);
            let high = f32x8::from_slice(simd, &self.squared[LANES..FEW]);
            let mut before_low = i32x8::splat(simd, 0);
            let mut before_high = i32x8::splat(simd, 0);
            for &other in &self.squared[..FEW] {
                let other = f32x8::splat(simd, other);
                before_low -= other.simd_lt(low).to_vector();
                before_high -= other.simd_lt(high).to_vector();
            }
            before_low.store_slice(&mut nearer[..LANES]);
            before_high.store_slice(&mut nearer[LANES..FEW]);
        } else {
            for first in (0..count).step_by(LANES) {
                let these = f32x8::from_slice(simd, &self.squared[first..first + LANES]);
                let mut before = i32x8::splat(simd, 0);
                for &other in &self.squared[..count] {
                    before -= f32x8::splat(simd, other).simd_lt(these).to_vector();
                }
                before.store_slice(&mut nearer[first..first + LANES]);
            }
        }
        let mut sum = 0;
        for (&place, &entry) in nearer[..count].iter().zip(&self.entry[..count]) {
            self.ranked[place as usize % MOST] = entry;
            sum += place as usize;
        }
        // Each of several equally near ones misses the others: the sum is less.
        sum * 2 == count * count.saturating_sub(1)
    }
}
