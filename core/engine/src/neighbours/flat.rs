//! The search on a flat ground: the case of most crowds, eight candidates at a time.

use fearless_simd::Simd;
use glam::{Vec2, Vec3};
use throng_core::{NONE, Neighbour};

use super::{
    buffer::NeighbourBuffer,
    gather::{GROWTH, Search},
    rank::Disc,
};
use crate::relevance::{wall_crosses, walls_within};

impl Search<'_> {
    /// The neighbours of a chunk of rows.
    #[inline(always)]
    pub(super) fn flat_rows<S: Simd>(
        &self,
        simd: S,
        rows: &[u32],
        kth: &mut [f32],
        out: &mut NeighbourBuffer,
    ) {
        for (&row, kth) in rows.iter().zip(kth) {
            if let Some(own) = self.entry_of(row) {
                out.reserve(self.most);
                *kth = self.flat(simd, own, self.hint(*kth), out);
            }
            out.end_row();
        }
    }

    /// The neighbours of one entry; gives the distance of the last, or the reach if there are
    /// fewer than wanted.
    #[inline(always)]
    fn flat<S: Simd>(&self, simd: S, own: usize, hint: f32, out: &mut NeighbourBuffer) -> f32 {
        let grid = self.grid;
        let at = grid.point(own);
        let mut distance = hint.min(self.reach);
        loop {
            let disc = Disc {
                x: at.x,
                y: at.y,
                squared: distance * distance,
                own: own as u32,
            };
            out.candidates.clear();
            // Inlined, or it would leave the instruction set of the caller.
            grid.runs(
                at,
                distance,
                #[inline(always)]
                |run| out.candidates.add_run(simd, &grid.x, &grid.y, run, disc),
            );
            let found = out.candidates.len();
            let last = distance >= self.reach;
            if found >= self.most || last {
                let hidden = grid.relevance.occlusion
                    && walls_within(&self.ground, at, distance, &mut out.walls);
                let wanted = if hidden { found } else { found.min(self.most) };
                out.candidates
                    .rank(simd, wanted, |e| grid.entries[e as usize].id);
                let first = out.used;
                let farthest = if hidden {
                    self.take_unhidden(own, at, out)
                } else {
                    self.take_nearest(own, at, wanted, out)
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
    fn take_nearest(&self, own: usize, at: Vec3, count: usize, out: &mut NeighbourBuffer) -> f32 {
        let grid = self.grid;
        let group = grid.entries[own].group;
        let written = out.used..out.used + count;
        let columns = out.seen[written.clone()]
            .iter_mut()
            .zip(&mut out.radius[written.clone()])
            .zip(&mut out.flags[written.clone()])
            .zip(&mut out.id[written.clone()]);
        let everybody = grid.entries.len();
        let (xs, ys) = (&grid.x[..everybody], &grid.y[..everybody]);
        let mut farthest = 0.0;
        for (place, (((seen, radius), flags), id)) in columns.enumerate() {
            let (squared, e) = out.candidates.ranked(place);
            let e = e as usize;
            let entry = &grid.entries[e];
            *seen = Neighbour {
                offset: Vec2::new(xs[e] - at.x, ys[e] - at.y),
                velocity: entry.velocity,
            };
            *radius = entry.radius;
            *flags = self.flags(group, entry);
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
            out.seen[out.used] = Neighbour {
                offset: Vec2::new(there.x - at.x, there.y - at.y),
                velocity: entry.velocity,
            };
            out.radius[out.used] = entry.radius;
            out.flags[out.used] = self.flags(own.group, entry);
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
