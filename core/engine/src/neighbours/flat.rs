//! The search on a flat ground, eight candidates at a time.

use fearless_simd::{Simd, f32x4, prelude::*};
use glam::{Vec2, Vec3};
use throng_core::{NONE, Neighbour};

use super::{
    buffer::NeighbourBuffer,
    gather::{GROWTH, Search, same_group},
    grid::NeighbourGrid,
    quick::{BATCH, Quick, room},
    rank::Disc,
};
use crate::relevance::{list_walls, wall_crosses};

/// Walls that may hide somebody that there is room for from the beginning.
const WALLS: usize = 256;

/// A search that is under way.
#[derive(Clone, Copy, Debug, Default)]
struct Searching {
    own: Option<usize>,
    count: Option<usize>,
    clear: f32,
    distance: f32,
}

impl Search<'_> {
    /// The neighbours of a chunk of rows.
    #[inline(always)]
    pub(super) fn flat_rows<S: Simd>(
        &self,
        simd: S,
        rows: &[u32],
        clear: &[f32],
        kth: &mut [f32],
        out: &mut NeighbourBuffer,
    ) {
        let quick = Quick::new(self);
        let occlusion = self.grid.relevance.occlusion;
        out.few.resize_with(BATCH, Default::default);
        let mut searches = [Searching::default(); BATCH];
        // For all that can be found, at once: whose memory this is, it never grows again.
        out.reserve(rows.len() * self.most + room(self.most));
        out.walls.clear();
        out.walls.reserve(WALLS);
        for (first, rows) in (0..).step_by(BATCH).zip(rows.chunks(BATCH)) {
            out.reserve(room(self.most));
            for (i, &row) in rows.iter().enumerate() {
                let clear = clear.get(first + i).copied().unwrap_or(0.0);
                let mut distance = self.hint(kth[first + i]).min(self.reach);
                let own = self.entry_of(row);
                let mut count = match (&quick, own) {
                    (Some(quick), Some(own)) if clear > distance || !occlusion => {
                        quick.look(simd, own, distance, &mut out.few[i])
                    }
                    _ => None,
                };
                // A little farther, before all is looked at again from the beginning.
                let farther = (distance + self.max_step).min(self.reach);
                if let (None, Some(quick), Some(own)) = (count, &quick, own)
                    && (clear > farther || !occlusion)
                    && farther > distance
                {
                    distance = farther;
                    count = quick.look(simd, own, distance, &mut out.few[i]);
                }
                searches[i] = Searching {
                    own,
                    count,
                    clear,
                    distance,
                };
            }
            for (i, search) in searches[..rows.len()].iter().enumerate() {
                let Searching {
                    own,
                    count,
                    clear,
                    distance,
                } = *search;
                if let Some(own) = own {
                    let found = match (&quick, count) {
                        (Some(quick), Some(count)) => quick.take(simd, own, count, i, out),
                        _ => None,
                    };
                    kth[first + i] = match found {
                        Some(farthest) => farthest,
                        None => self.look_again(simd, own, clear, distance, out),
                    };
                }
                out.end_row();
            }
        }
    }

    /// [`Search::flat`], out of the way of the quick search.
    #[inline(never)]
    fn look_again<S: Simd>(
        &self,
        simd: S,
        own: usize,
        clear: f32,
        distance: f32,
        out: &mut NeighbourBuffer,
    ) -> f32 {
        simd.vectorize(
            #[inline(always)]
            || self.flat(simd, own, clear, distance, out),
        )
    }

    /// The neighbours of one entry, beginning with a distance; gives the distance of the last, or
    /// the reach if there are fewer than wanted.
    #[inline(always)]
    fn flat<S: Simd>(
        &self,
        simd: S,
        own: usize,
        clear: f32,
        mut distance: f32,
        out: &mut NeighbourBuffer,
    ) -> f32 {
        let grid = self.grid;
        let at = grid.point(own);
        loop {
            let disc = Disc {
                x: at.x,
                y: at.y,
                squared: distance * distance,
                own: own as u32,
            };
            out.candidates.clear();
            grid.runs_on_plane(
                at,
                distance,
                // Inlined, or it would leave the instruction set of the caller.
                #[inline(always)]
                |run| out.candidates.add_run(simd, &grid.x, &grid.y, run, disc),
            );
            let found = out.candidates.len();
            let last = distance >= self.reach;
            if found >= self.most || last {
                let hidden = clear <= distance
                    && grid.relevance.occlusion
                    && list_walls(&self.ground, at, distance, &mut out.walls);
                let wanted = if hidden { found } else { found.min(self.most) };
                out.candidates
                    .rank(simd, wanted, |e| grid.entries[e as usize].id);
                let first = out.used;
                let farthest = if hidden {
                    self.take_unhidden(own, at, out)
                } else {
                    self.take_nearest(simd, own, wanted, out)
                };
                if out.used - first == self.most {
                    return farthest.sqrt();
                }
                if last {
                    return self.reach;
                }
                out.used = first;
            }
            distance = (distance * GROWTH).min(self.reach);
        }
    }

    /// Writes the first of the ranked candidates; gives the squared distance of the last.
    #[inline(always)]
    fn take_nearest<S: Simd>(
        &self,
        simd: S,
        own: usize,
        count: usize,
        out: &mut NeighbourBuffer,
    ) -> f32 {
        let grid = self.grid;
        let own = &grid.entries[own];
        let from = f32x4::load_array(simd, [own.seen[0], own.seen[1], 0.0, 0.0]);
        let written = out.used..out.used + count;
        let columns = out.seen[written.clone()]
            .iter_mut()
            .zip(&mut out.radius[written.clone()])
            .zip(&mut out.flags[written.clone()])
            .zip(&mut out.id[written.clone()]);
        let flags_of = &grid.flags[..grid.entries.len()];
        let mut farthest = 0.0;
        for (place, (((seen, radius), flags), id)) in columns.enumerate() {
            let (squared, e) = out.candidates.ranked(place);
            let entry = &grid.entries[e as usize];
            let [x, y, vx, vy] = (f32x4::load_array_ref(simd, &entry.seen) - from).into();
            *seen = Neighbour {
                offset: Vec2::new(x, y),
                velocity: Vec2::new(vx, vy),
            };
            *radius = entry.radius;
            *flags = flags_of[e as usize] | same_group(own.group, entry);
            *id = entry.id;
            farthest = squared;
        }
        out.used = written.end;
        farthest
    }

    /// The same, of those that no wall near us hides.
    #[inline(never)]
    fn take_unhidden(&self, own: usize, at: Vec3, out: &mut NeighbourBuffer) -> f32 {
        let grid = self.grid;
        let own = &grid.entries[own];
        let end = out.used + self.most;
        let mut farthest = 0.0;
        for place in 0..out.candidates.len() {
            let (squared, e) = out.candidates.ranked(place);
            let (there, entry) = (grid.point(e as usize), &grid.entries[e as usize]);
            // In the same order whoever looks: both get the same answer.
            let (p, q) = if own.id < entry.id {
                (at, there)
            } else {
                (there, at)
            };
            if out
                .walls
                .iter()
                .any(|&w| wall_crosses(&self.ground.walls[w as usize], p, q))
            {
                continue;
            }
            let [_, _, vx, vy] = entry.seen;
            out.seen[out.used] = Neighbour {
                offset: Vec2::new(there.x - at.x, there.y - at.y),
                velocity: Vec2::new(vx, vy),
            };
            out.radius[out.used] = entry.radius;
            out.flags[out.used] = grid.flags[e as usize] | same_group(own.group, entry);
            out.id[out.used] = entry.id;
            out.used += 1;
            farthest = squared;
            if out.used == end {
                break;
            }
        }
        farthest
    }

    #[inline(always)]
    pub(super) fn entry_of(&self, row: u32) -> Option<usize> {
        let own = self.grid.slot.get(row as usize).copied().unwrap_or(NONE);
        (own != NONE).then_some(own as usize)
    }
}

impl NeighbourGrid {
    /// As [`NeighbourGrid::runs`] where all are on one plane.
    #[inline(always)]
    pub(super) fn runs_on_plane(
        &self,
        point: Vec3,
        distance: f32,
        mut visit: impl FnMut(core::ops::Range<usize>),
    ) {
        if self.hashed.is_some() {
            return self.runs(point, distance, visit);
        }
        let margin = self.margin(distance);
        let cell = |at: f32, low: f32, per_cell: f32, size: i32| {
            (((at - low) * per_cell) as i32).clamp(0, size - 1) as usize
        };
        let column = |x: f32| cell(x, self.low.x, self.per_cell.x, self.size.x);
        let line = |y: f32| cell(y, self.low.y, self.per_cell.y, self.size.y);
        let (left, right) = (column(point.x - margin), column(point.x + margin) + 1);
        let (low, high) = (line(point.y - margin), line(point.y + margin));
        let wide = self.size.x as usize;
        for line in low..=high {
            let starts = &self.start[line * wide..];
            visit(starts[left] as usize..starts[right] as usize);
        }
    }
}
