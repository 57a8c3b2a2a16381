//! The nearest relevant neighbours of a chunk of agents.
//!
//! The search begins with the distance of the k-th neighbour last time, plus what two people can
//! have moved since, and grows until it has found k or reached the model's own reach. Whatever
//! it began with, it finds the same.

use glam::{Vec2, Vec3};
use throng_core::{
    AgentsView, Frame, GroundView, MOVER, NON_RECIPROCAL, NONE, Neighbour, Perception, SAME_GROUP,
};

use super::{
    buffer::NeighbourBuffer,
    grid::{Entry, NeighbourGrid, Standing},
    rank::Candidates,
};
use crate::relevance::{wall_between, wall_between_flat, wall_distance_bound};

/// How much farther to look when too few were found.
const GROWTH: f32 = 1.5;

impl NeighbourGrid {
    /// Finds for each row of a chunk the nearest relevant neighbours, at most `perception.most`
    /// within `perception.reach`.
    ///
    /// `kth` has a number per row of the chunk, kept by the caller from step to step: the
    /// distance of the last neighbour found, or anything (infinity) if there is none. It saves
    /// time and never changes the result. `max_step` bounds how much nearer two can have come
    /// since. Agents in a tier that is false in `reciprocal` avoid nobody.
    pub fn gather(
        &self,
        ground: GroundView<'_>,
        agents: &AgentsView<'_>,
        rows: &[u32],
        perception: Perception,
        kth: &mut [f32],
        max_step: f32,
        reciprocal: &[bool],
        out: &mut NeighbourBuffer,
    ) {
        out.begin();
        let (reach, most) = (perception.reach, perception.most as usize);
        let guess = self.guess(most);
        for (&row, kth) in rows.iter().zip(kth) {
            let own = self.slot.get(row as usize).copied().unwrap_or(NONE);
            if own != NONE && most > 0 && reach > 0.0 {
                let hint = if *kth > 0.0 && *kth < reach {
                    *kth + max_step
                } else {
                    guess
                };
                out.reserve(most);
                let search = Search {
                    grid: self,
                    ground,
                    reciprocal,
                    own: own as usize,
                    reach,
                    most,
                };
                *kth = if ground.flat {
                    search.flat(hint, out)
                } else {
                    let location = agents.location[row as usize];
                    let normal = ground.normals[location.triangle as usize];
                    search.curved(hint, agents.frame_of(row as usize), normal, out)
                };
            }
            out.end_row();
        }
    }
}

struct Search<'a> {
    grid: &'a NeighbourGrid,
    ground: GroundView<'a>,
    reciprocal: &'a [bool],
    own: usize,
    reach: f32,
    most: usize,
}

impl Search<'_> {
    /// On a flat ground; gives the distance of the last neighbour, or the reach if there are
    /// fewer than wanted.
    #[inline]
    fn flat(&self, hint: f32, out: &mut NeighbourBuffer) -> f32 {
        let grid = self.grid;
        let at = grid.point(self.own);
        let clear = if grid.relevance.occlusion {
            wall_distance_bound(&self.ground, at)
        } else {
            f32::INFINITY
        };
        let first = out.used;
        let mut distance = hint.min(self.reach);
        loop {
            let limit = distance * distance;
            let candidates = &mut out.candidates;
            candidates.clear();
            grid.runs(at, distance, |run| {
                let (xs, ys) = (&grid.x[run.clone()], &grid.y[run.clone()]);
                candidates.offer_run(
                    run.start as u32,
                    xs,
                    ys,
                    (at.x, at.y),
                    limit,
                    self.own as u32,
                );
            });
            let last = distance >= self.reach;
            if candidates.len() < self.most && !last {
                distance = (distance * GROWTH).min(self.reach);
                continue;
            }
            let hidden = clear < distance;
            let wanted = if hidden { candidates.len() } else { self.most };
            candidates.rank(wanted, |e| grid.entries[e as usize].id);
            out.used = first;
            let farthest = self.take(wanted, out, |squared, e| {
                let there = grid.point(e);
                if hidden && squared > clear.max(0.0) * clear.max(0.0) {
                    let (p, q) = if grid.entries[self.own].id < grid.entries[e].id {
                        (at, there)
                    } else {
                        (there, at)
                    };
                    if wall_between_flat(&self.ground, p, q) {
                        return None;
                    }
                }
                let seen = Neighbour {
                    offset: Vec2::new(there.x - at.x, there.y - at.y),
                    velocity: grid.entries[e].velocity,
                };
                Some((seen, 0))
            });
            if out.used - first == self.most {
                return farthest.sqrt();
            }
            if last {
                return self.reach;
            }
            distance = (distance * GROWTH).min(self.reach);
        }
    }

    /// On any other ground.
    fn curved(&self, hint: f32, frame: Frame, normal: Vec3, out: &mut NeighbourBuffer) -> f32 {
        let grid = self.grid;
        let relevance = &grid.relevance;
        let own = &grid.standing[self.own];
        let clear = if relevance.occlusion {
            wall_distance_bound(&self.ground, own.body.feet) - 2.0 * grid.tallest
        } else {
            f32::INFINITY
        };
        // Upright bodies are never nearer than their feet seen from above; others may lean
        // towards each other.
        let lean = if self.ground.plan {
            0.0
        } else {
            2.0 * grid.tallest
        };
        let first = out.used;
        let mut distance = hint.min(self.reach);
        loop {
            let limit = distance * distance;
            let candidates = &mut out.candidates;
            candidates.clear();
            grid.runs(own.body.feet, distance + lean, |run| {
                candidates.reserve(run.len());
                for e in run {
                    let squared = own.body.nearest(&grid.standing[e].body).length_squared();
                    candidates.offer(squared, e as u32, squared <= limit && e != self.own);
                }
            });
            let last = distance >= self.reach;
            if candidates.len() < self.most && !last {
                distance = (distance * GROWTH).min(self.reach);
                continue;
            }
            let wanted = candidates.len();
            candidates.rank(wanted, |e| grid.entries[e as usize].id);
            out.used = first;
            let farthest = self.take(wanted, out, |squared, e| {
                let other = &grid.standing[e];
                let (relevant, one_sided) = relevance.relation(&own.body, &other.body);
                if !relevant || (squared.sqrt() > clear && self.walled(e)) {
                    return None;
                }
                let flags = if one_sided { NON_RECIPROCAL } else { 0 };
                Some((seen(own, other, frame, normal), flags))
            });
            if out.used - first == self.most {
                return farthest.sqrt();
            }
            if last {
                return self.reach;
            }
            distance = (distance * GROWTH).min(self.reach);
        }
    }

    /// Whether a wall is between us and an entry, the same for both.
    fn walled(&self, e: usize) -> bool {
        let (mut a, mut b) = (self.own, e);
        if self.grid.entries[a].id > self.grid.entries[b].id {
            core::mem::swap(&mut a, &mut b);
        }
        let body = |e: usize| &self.grid.standing[e].body;
        wall_between(&self.ground, body(a), body(b))
    }

    /// Writes the first relevant of the ranked candidates; gives the squared distance of the
    /// last one written. `look` gives an entry as the agent sees it, if it does.
    #[inline(always)]
    fn take(
        &self,
        ranked: usize,
        out: &mut NeighbourBuffer,
        mut look: impl FnMut(f32, usize) -> Option<(Neighbour, u8)>,
    ) -> f32 {
        let own = self.grid.entries[self.own];
        let mut farthest = 0.0;
        let end = out.used + self.most;
        let mut used = out.used;
        let (all_seen, radii) = (&mut out.seen[..end], &mut out.radius[..end]);
        let (all_flags, ids) = (&mut out.flags[..end], &mut out.id[..end]);
        let candidates: &Candidates = &out.candidates;
        for place in 0..ranked.min(candidates.len()) {
            let (squared, e) = candidates.ranked(place);
            let Some((seen, flags)) = look(squared, e as usize) else {
                continue;
            };
            let entry = &self.grid.entries[e as usize];
            all_seen[used] = seen;
            radii[used] = entry.radius;
            all_flags[used] = flags | self.flags(&own, entry);
            ids[used] = entry.id;
            farthest = squared;
            used += 1;
            if used == end {
                break;
            }
        }
        out.used = used;
        farthest
    }

    #[inline]
    fn flags(&self, own: &Entry, other: &Entry) -> u8 {
        if other.row == NONE {
            return MOVER | NON_RECIPROCAL;
        }
        let same = other.group == own.group && own.group != NONE;
        let avoids = self
            .reciprocal
            .get(usize::from(other.tier))
            .copied()
            .unwrap_or(true);
        (if same { SAME_GROUP } else { 0 }) | (if avoids { 0 } else { NON_RECIPROCAL })
    }
}

/// A neighbour as seen in the agent's tangent plane: directions by projection, lengths as in
/// space.
fn seen(own: &Standing, other: &Standing, frame: Frame, normal: Vec3) -> Neighbour {
    let between = own.body.nearest(&other.body);
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
