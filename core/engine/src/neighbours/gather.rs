//! The nearest relevant neighbours of a chunk of agents.
//!
//! The search begins with the distance of the k-th neighbour last time, plus what one can
//! have walked since, and grows until it has found k or reached the model's own reach. Whatever
//! it began with, it finds the same.

use fearless_simd::{Level, Simd, dispatch};
use glam::{Vec2, Vec3};
use throng_core::{
    AgentsView, Frame, GroundView, NON_RECIPROCAL, NONE, Neighbour, Perception, SAME_GROUP,
};

use super::{
    buffer::NeighbourBuffer,
    curved::Look,
    grid::{Entry, NeighbourGrid, Standing},
    rank::LANES,
};
use crate::relevance::Screens;

/// How much farther to look when too few were found.
pub(super) const GROWTH: f32 = 1.5;

impl NeighbourGrid {
    /// A distance within which no standing wall is, on a ground that is not flat; at most `limit`.
    pub fn clear_distance(&self, ground: &GroundView<'_>, at: Vec3, limit: f32) -> f32 {
        self.screens.clear_distance(ground, at, limit)
    }

    /// Finds for each row of a chunk the nearest relevant neighbours, at most `perception.most`
    /// within `perception.reach`.
    ///
    /// `clear` has a distance per row within which no wall is, or is empty: not known. `kth` has a
    /// number per row of the chunk, kept by the caller from step to step: the distance of the last
    /// neighbour found, or anything (infinity) if there is none. It saves time and never changes
    /// the result. `max_step` is how much farther to look at first: what one can have walked
    /// since. Two who part go twice as far, but of the last of several neighbours that is rare.
    pub fn gather(
        &self,
        ground: GroundView<'_>,
        agents: &AgentsView<'_>,
        rows: &[u32],
        perception: Perception,
        clear: &[f32],
        kth: &mut [f32],
        max_step: f32,
        out: &mut NeighbourBuffer,
    ) {
        let search = Search {
            grid: self,
            ground,
            reach: perception.reach,
            most: perception.most as usize,
            guess: self.guess(perception.most as usize),
            max_step,
        };
        if search.most == 0 || !(search.reach > 0.0) {
            out.clear(rows.len());
            return;
        }
        out.begin();
        let level = Level::new();
        if ground.flat {
            dispatch!(level, simd => search.flat_rows(simd, rows, clear, kth, out));
        } else {
            dispatch!(level, simd => search.curved_rows(simd, agents, rows, kth, out));
        }
    }
}

/// What is the same for all agents of a chunk.
pub(super) struct Search<'a> {
    pub grid: &'a NeighbourGrid,
    pub ground: GroundView<'a>,
    pub reach: f32,
    pub most: usize,
    guess: f32,
    pub max_step: f32,
}

impl Search<'_> {
    /// The distance to begin with.
    #[inline(always)]
    pub(super) fn hint(&self, kth: f32) -> f32 {
        if kth > 0.0 && kth <= self.reach {
            kth + self.max_step
        } else {
            self.guess
        }
    }

    /// The neighbours of a chunk of rows on a ground that is not flat.
    #[inline(always)]
    fn curved_rows<S: Simd>(
        &self,
        simd: S,
        agents: &AgentsView<'_>,
        rows: &[u32],
        kth: &mut [f32],
        out: &mut NeighbourBuffer,
    ) {
        for (&row, kth) in rows.iter().zip(kth) {
            if let Some(own) = self.entry_of(row) {
                let normal = self.ground.normals[agents.location[row as usize].triangle as usize];
                let frame = agents.frame_of(row as usize);
                out.reserve(self.most);
                *kth = self.curved(simd, own, self.hint(*kth), frame, normal, out);
            }
            out.end_row();
        }
    }

    #[inline(always)]
    fn curved<S: Simd>(
        &self,
        simd: S,
        own: usize,
        hint: f32,
        frame: Frame,
        normal: Vec3,
        out: &mut NeighbourBuffer,
    ) -> f32 {
        let grid = self.grid;
        let standing = &grid.standing[own];
        // Upright bodies are never nearer than their feet seen from above; others may lean
        // towards each other: who looks is somewhere between its feet and its head, the other
        // anywhere about its feet.
        let (feet, head) = (standing.body.feet, standing.body.head());
        let (low, high, lean) = if self.ground.plan {
            (feet - Vec3::Z * grid.tallest, head, 0.0)
        } else {
            (feet.min(head), feet.max(head), grid.tallest)
        };
        let mut distance = hint.min(self.reach);
        loop {
            let limit = distance * distance;
            let body = &standing.body;
            let look = Look::new(body, distance, &grid.relevance);
            out.candidates.clear();
            grid.runs_in(
                low,
                high,
                distance + lean,
                // Inlined, or it would leave the instruction set of the caller.
                #[inline(always)]
                |run| {
                    for first in run.clone().step_by(LANES) {
                        let mut bits = look.at(simd, &grid.bodies, first..run.end);
                        while bits != 0 {
                            let e = first + bits.trailing_zeros() as usize;
                            bits &= bits - 1;
                            let other = &grid.standing[e].body;
                            let squared = body.towards(other).length_squared();
                            let relevant = squared <= limit
                                && e != own
                                && grid.relevance.relation(body, other).0;
                            if relevant {
                                out.candidates.push(squared, e as u32);
                            }
                        }
                    }
                },
            );
            let found = out.candidates.len();
            let last = distance >= self.reach;
            if found >= self.most || last {
                out.candidates
                    .rank(simd, found, |e| grid.entries[e as usize].id);
                let first = out.used;
                let farthest = self.take_visible(own, frame, normal, out);
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

    /// Writes the first of the ranked candidates that no wall hides; gives the squared distance of
    /// the last.
    fn take_visible(
        &self,
        own: usize,
        frame: Frame,
        normal: Vec3,
        out: &mut NeighbourBuffer,
    ) -> f32 {
        let grid = self.grid;
        let (standing, group) = (&grid.standing[own], grid.entries[own].group);
        let walled = self.list_screens(own, out);
        let end = out.used + self.most;
        let mut farthest = 0.0;
        for place in 0..out.candidates.len() {
            let (squared, e) = out.candidates.ranked(place);
            let (other, entry) = (&grid.standing[e as usize], &grid.entries[e as usize]);
            if walled && self.hidden(own, e as usize, &out.screens) {
                continue;
            }
            let one_sided =
                !grid.relevance.symmetric && grid.relevance.relation(&standing.body, &other.body).1;
            out.seen[out.used] = seen(standing, other, frame, normal);
            out.radius[out.used] = entry.radius;
            let one_sided = NON_RECIPROCAL * u8::from(one_sided);
            out.flags[out.used] = one_sided | grid.flags[e as usize] | same_group(group, entry);
            out.id[out.used] = entry.id;
            out.used += 1;
            farthest = squared;
            if out.used == end {
                break;
            }
        }
        farthest
    }

    /// Lists the walls that may hide a candidate; says whether there are any.
    fn list_screens(&self, own: usize, out: &mut NeighbourBuffer) -> bool {
        let grid = self.grid;
        if !grid.relevance.occlusion || self.ground.walls.is_empty() {
            return false;
        }
        let body = &grid.standing[own].body;
        let waist = body.waist();
        // Those that could be taken.
        let count = out.candidates.len();
        let farthest = (0..count).fold(0.0_f32, |far, place| {
            let (_, e) = out.candidates.ranked(place);
            far.max(
                grid.standing[e as usize]
                    .body
                    .waist()
                    .distance_squared(waist),
            )
        });
        let index = &grid.screens;
        out.screens
            .list(&self.ground, index, body, farthest.sqrt(), grid.tallest);
        !out.screens.is_empty()
    }

    /// Whether a wall is between two entries, the same for both.
    fn hidden(&self, own: usize, other: usize, screens: &Screens) -> bool {
        let (mut a, mut b) = (own, other);
        if self.grid.entries[a].id > self.grid.entries[b].id {
            core::mem::swap(&mut a, &mut b);
        }
        let body = |e: usize| &self.grid.standing[e].body;
        screens.between(&self.ground, body(a), body(b))
    }
}

/// The flag of a neighbour of somebody in this group.
#[inline(always)]
pub(super) fn same_group(group: u32, other: &Entry) -> u8 {
    SAME_GROUP * u8::from((other.group == group) & (group != NONE))
}

/// A neighbour as seen in the agent's tangent plane: directions by projection, lengths as in
/// space.
fn seen(own: &Standing, other: &Standing, frame: Frame, normal: Vec3) -> Neighbour {
    let between = own.body.towards(&other.body);
    let length = between.length();
    let mut offset = frame.offset(normal, between);
    if offset == Vec2::ZERO && length > 0.0 {
        // Straight above or below: some direction, so that the distance is not lost.
        let feet = frame.offset(normal, other.body.feet - own.body.feet);
        offset = feet.try_normalize().unwrap_or(Vec2::X) * length;
    }
    Neighbour {
        offset,
        velocity: frame.offset(normal, other.velocity),
    }
}
