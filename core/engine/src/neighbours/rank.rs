//! Candidates in order of distance, then stable id.

use core::ops::Range;

use fearless_simd::{Simd, f32x8, i32x8, prelude::*, u32x8};
use glam::Vec3;

use super::curved::Measured;

/// Candidates are taken and compared eight at a time.
pub const LANES: usize = 8;

/// Up to this many candidates are ranked by comparing all with all, without branches.
const FEW: usize = 64;

/// Set in the entry of a candidate that stands beside the agent, whose body asks for no closer look.
pub const BESIDE: u32 = 1 << 31;

/// Places found near an agent: squared distance and entry of the grid.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    // Longer than `count` by at least `LANES`, so that whole vectors can be written.
    distance: Vec<f32>,
    entry: Vec<u32>,
    /// The vectors to them, where they are known.
    to: [Vec<f32>; 3],
    count: usize,
    order: Vec<u32>,
}

/// What a search on a plane looks for.
#[derive(Clone, Copy, Debug)]
pub struct Disc {
    /// Its centre.
    pub x: f32,
    /// Its centre.
    pub y: f32,
    /// Its squared radius.
    pub squared: f32,
    /// The entry at the centre, which does not count.
    pub own: u32,
}

impl Candidates {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Makes room for so many more.
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        let need = self.count + more + 2 * LANES;
        if self.distance.len() < need {
            self.grow(need);
        }
    }

    #[cold]
    fn grow(&mut self, need: usize) {
        let need = need.next_power_of_two().max(2 * FEW);
        self.distance.resize(need, 0.0);
        self.entry.resize(need, 0);
        for column in &mut self.to {
            column.resize(need, 0.0);
        }
        self.order.resize(need, 0);
    }

    /// Adds an entry.
    #[cfg(test)]
    pub fn push(&mut self, squared: f32, entry: u32) {
        self.reserve(1);
        self.distance[self.count] = squared;
        self.entry[self.count] = entry;
        self.count += 1;
    }

    /// Adds those of up to eight entries that were measured to be near.
    #[inline(always)]
    pub fn add<S: Simd>(&mut self, simd: S, entries: &[u32; LANES], measured: &Measured<S>) {
        let near = measured.near;
        self.reserve(LANES);
        let flags = measured
            .beside
            .select(u32x8::splat(simd, BESIDE), u32x8::splat(simd, 0));
        let entry = u32x8::load_array_ref(simd, entries) | flags;
        let room = self.count..self.count + LANES;
        let squared = measured.between.squared.compress(near);
        squared.store_slice(&mut self.distance[room.clone()]);
        entry
            .compress(near)
            .store_slice(&mut self.entry[room.clone()]);
        for (column, to) in self.to.iter_mut().zip(measured.between.to) {
            to.compress(near).store_slice(&mut column[room.clone()]);
        }
        self.count += near.to_bitmask().count_ones() as usize;
    }

    /// Adds those of a run of entries that lie in a disc. `xs` and `ys` reach at least `LANES`
    /// beyond the run.
    #[inline(always)]
    pub fn add_run<S: Simd>(
        &mut self,
        simd: S,
        xs: &[f32],
        ys: &[f32],
        run: Range<usize>,
        disc: Disc,
    ) {
        self.reserve(run.len());
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let mut at = run.start;
        // At least once: most runs are that short, and a branch less is worth more.
        loop {
            let dx = f32x8::from_slice(simd, &xs[at..at + LANES]) - disc.x;
            let dy = f32x8::from_slice(simd, &ys[at..at + LANES]) - disc.y;
            let squared = dx * dx + dy * dy;
            let entry = lanes + at as u32;
            let inside = squared.simd_le(disc.squared)
                & entry.simd_lt(run.end as u32)
                & entry.simd_ne(disc.own);
            let room = self.count..self.count + LANES;
            squared
                .compress(inside)
                .store_slice(&mut self.distance[room.clone()]);
            entry.compress(inside).store_slice(&mut self.entry[room]);
            self.count += inside.to_bitmask().count_ones() as usize;
            at += LANES;
            if at >= run.end {
                break;
            }
        }
    }

    /// The squared distance and entry of a place in the order of [`Candidates::rank`].
    #[inline(always)]
    pub fn ranked(&self, place: usize) -> (f32, u32) {
        let i = self.order[place] as usize;
        (self.distance[i], self.entry[i])
    }

    /// The vector to a place in that order, if it was measured.
    #[inline(always)]
    pub fn to(&self, place: usize) -> Vec3 {
        let i = self.order[place] as usize;
        let [x, y, z] = &self.to;
        Vec3::new(x[i], y[i], z[i])
    }

    /// Puts the nearest `most` candidates in order (all, if fewer); `id` breaks ties.
    #[inline(always)]
    pub fn rank<S: Simd>(&mut self, simd: S, most: usize, id: impl Fn(u32) -> u64) {
        self.reserve(0);
        let different = self.count <= FEW && self.rank_few(simd);
        if !different {
            self.rank_many(most, id);
        }
    }

    /// Counts for each candidate how many are nearer: its place. False if two are equally near.
    #[inline(always)]
    fn rank_few<S: Simd>(&mut self, simd: S) -> bool {
        let count = self.count;
        let mut nearer = [0; FEW];
        let Some(distance) = self.distance.first_chunk::<FEW>() else {
            return false;
        };
        for first in (0..count).step_by(LANES) {
            let these = f32x8::from_slice(simd, &distance[first..first + LANES]);
            let mut before = i32x8::splat(simd, 0);
            for &other in &distance[..count] {
                before -= f32x8::splat(simd, other).simd_lt(these).to_vector();
            }
            before.store_slice(&mut nearer[first..first + LANES]);
        }
        self.order_by(&nearer[..count])
    }

    /// Puts every candidate where the number of nearer ones says. False if two have one place.
    #[inline(always)]
    fn order_by(&mut self, nearer: &[i32]) -> bool {
        let Some(order) = self.order.first_chunk_mut::<FEW>() else {
            return false;
        };
        let mut sum = 0;
        for (i, &place) in nearer.iter().enumerate() {
            order[place as usize % FEW] = i as u32;
            sum += place as usize;
        }
        // Each of several equally near ones misses the others: the sum is less.
        let count = nearer.len();
        sum * 2 == count * count.saturating_sub(1)
    }

    #[cold]
    fn rank_many(&mut self, most: usize, id: impl Fn(u32) -> u64) {
        let Candidates {
            distance,
            entry,
            count,
            order,
            ..
        } = self;
        let order = &mut order[..*count];
        for (i, place) in order.iter_mut().enumerate() {
            *place = i as u32;
        }
        let key = |&i: &u32| (distance[i as usize].to_bits(), id(entry[i as usize]));
        if most < order.len() {
            order.select_nth_unstable_by_key(most, key);
            order[..most].sort_unstable_by_key(key);
        } else {
            order.sort_unstable_by_key(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};
    use throng_core::random::{Purpose, Stream};

    use super::*;

    #[test]
    fn few_and_many_agree_with_a_sort() {
        let mut draw = Stream::new(4, 0, Purpose::Strategy, 0);
        let mut candidates = Candidates::default();
        for round in 0..2_000 {
            let count = draw.below(90);
            // Few different distances: many ties.
            let kinds = if round % 2 == 0 { 1 << 20 } else { 9 };
            let most = draw.below(20);
            let mut all = Vec::new();
            candidates.clear();
            for e in 0..count as u32 {
                let squared = draw.below(kinds) as f32;
                candidates.push(squared, e);
                all.push((squared, u64::from(e * 7919 % 1009), e));
            }
            let ids: Vec<u64> = all.iter().map(|a| a.1).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            dispatch!(Level::new(), simd => candidates.rank(simd, most, |e| ids[e as usize]));
            for (place, expected) in all.iter().take(most).enumerate() {
                assert_eq!(candidates.ranked(place), (expected.0, expected.2));
            }
        }
    }

    #[test]
    fn runs_give_those_in_the_disc() {
        let mut draw = Stream::new(5, 0, Purpose::Strategy, 0);
        let mut numbers = |n| (0..n).map(|_| draw.unit()).collect::<Vec<f32>>();
        let (xs, ys) = (numbers(60 + LANES), numbers(60 + LANES));
        for run in [0..0, 3..4, 0..8, 5..21, 0..60] {
            let disc = Disc {
                x: 0.5,
                y: 0.4,
                squared: 0.09,
                own: 7,
            };
            let mut candidates = Candidates::default();
            dispatch!(Level::new(), simd => candidates.add_run(simd, &xs, &ys, run.clone(), disc));
            let expected: Vec<u32> = run
                .filter(|&i| i != 7 && (xs[i] - 0.5).powi(2) + (ys[i] - 0.4).powi(2) <= 0.09)
                .map(|i| i as u32)
                .collect();
            assert_eq!(&candidates.entry[..candidates.len()], expected);
        }
    }
}
