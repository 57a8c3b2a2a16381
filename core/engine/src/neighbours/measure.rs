//! Questions about the whole crowd, as of the last rebuild.

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, f32x8, f32x16, prelude::*, u32x8, u32x16};
use glam::Vec3;
use rayon::prelude::*;
use throng_core::{AgentsView, GroundView, NONE};

use super::{
    curved::Look,
    grid::{NeighbourGrid, PART},
    rank::LANES,
    stacks::Between,
};

/// Density about an agent is taken on a disc of this radius, metres.
const DENSITY_RADIUS: f32 = 1.5;

/// Numbers of people on that disc as densities.
fn per_area(sum: u64, peak: u64) -> (f64, f32) {
    let area = core::f64::consts::PI * f64::from(DENSITY_RADIUS) * f64::from(DENSITY_RADIUS);
    (sum as f64 / area, (peak as f64 / area) as f32)
}

impl NeighbourGrid {
    /// How many pairs of agents overlap by more than `deeper_than` metres, and the deepest
    /// overlap.
    pub fn overlapping_pairs(
        &self,
        _ground: GroundView<'_>,
        _agents: &AgentsView<'_>,
        deeper_than: f32,
    ) -> (u64, f32) {
        let parts = |look: &(dyn Fn(Range<usize>) -> (u64, f32) + Sync)| {
            // Counts and maxima are the same in any order.
            self.parts()
                .map(look)
                .reduce(|| (0, 0.0), |a, b| (a.0 + b.0, a.1.max(b.1)))
        };
        if self.standing.is_empty() {
            let level = Level::new();
            return parts(
                &|part| dispatch!(level, simd => self.overlaps_on_plane(simd, part, deeper_than)),
            );
        }
        let level = Level::new();
        parts(&|part| dispatch!(level, simd => self.overlaps_of_bodies(simd, part, deeper_than)))
    }

    #[inline(always)]
    fn overlaps_of_bodies<S: Simd>(
        &self,
        simd: S,
        part: Range<usize>,
        deeper_than: f32,
    ) -> (u64, f32) {
        let (mut pairs, mut deepest) = (0, 0.0_f32);
        for own in part {
            let near = self.entries[own].radius + self.widest - deeper_than;
            if !(near > 0.0) {
                continue;
            }
            let body = &self.standing[own].body;
            let look = Look::new(body, near, &self.relevance, &self.bodies, Between::Nearest);
            let (feet, head) = (body.feet, body.head());
            let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
            self.runs_in(
                feet.min(head),
                feet.max(head),
                near + self.tallest,
                #[inline(always)]
                |run| {
                    for first in run.clone().step_by(LANES) {
                        let about = look.about(simd, &self.bodies, first..run.end);
                        if about.to_bitmask() == 0 {
                            continue;
                        }
                        let some = u32x8::splat(simd, first as u32);
                        let entries = about.select(lanes + first as u32, some).into();
                        let measured = look.measure(simd, &self.bodies, &entries, about);
                        let mut bits = measured.near.to_bitmask();
                        while bits != 0 {
                            let other = entries[bits.trailing_zeros() as usize] as usize;
                            bits &= bits - 1;
                            if let Some(depth) = self.overlap(own, other, deeper_than) {
                                pairs += 1;
                                deepest = deepest.max(depth);
                            }
                        }
                    }
                },
            );
        }
        (pairs, deepest)
    }

    #[inline(always)]
    fn overlaps_on_plane<S: Simd>(
        &self,
        simd: S,
        part: Range<usize>,
        deeper_than: f32,
    ) -> (u64, f32) {
        let (mut pairs, mut deepest) = (0, 0.0_f32);
        for own in part {
            let near = self.entries[own].radius + self.widest - deeper_than;
            if !(near > 0.0) {
                continue;
            }
            let at = self.point(own);
            // A hair wider than what the exact look then decides.
            let limit = near * near * 1.000_1;
            self.runs_on_plane(
                at,
                near,
                #[inline(always)]
                |run| {
                    for first in run.clone().step_by(LANES) {
                        let mut bits = self.within(simd, first..run.end, at, limit);
                        while bits != 0 {
                            let other = first + bits.trailing_zeros() as usize;
                            bits &= bits - 1;
                            if let Some(depth) = self.overlap(own, other, deeper_than) {
                                pairs += 1;
                                deepest = deepest.max(depth);
                            }
                        }
                    }
                },
            );
        }
        (pairs, deepest)
    }

    /// How deep two agents overlap if they do by more than `deeper_than`; each pair once.
    fn overlap(&self, own: usize, other: usize, deeper_than: f32) -> Option<f32> {
        let (a, b) = (&self.entries[own], &self.entries[other]);
        if b.id <= a.id || self.row(own) == NONE || self.row(other) == NONE {
            return None;
        }
        let depth = a.radius + b.radius - self.distance(own, other);
        let touching = depth > deeper_than && self.can_touch(own, other);
        touching.then_some(depth)
    }

    /// Whether two are on the same side of the ground: feet on the two sides of a sheet do not
    /// touch.
    fn can_touch(&self, own: usize, other: usize) -> bool {
        match (self.standing.get(own), self.standing.get(other)) {
            (Some(a), Some(b)) => self.relevance.relation(&a.body, &b.body).0,
            _ => true,
        }
    }

    /// Which of the first eight entries of a run lie within a distance, as bits.
    #[inline(always)]
    fn within<S: Simd>(&self, simd: S, run: Range<usize>, at: Vec3, squared: f32) -> u32 {
        let lanes = u32x8::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7]);
        let eight = run.start..run.start + LANES;
        let dx = f32x8::from_slice(simd, &self.x[eight.clone()]) - at.x;
        let dy = f32x8::from_slice(simd, &self.y[eight]) - at.y;
        let inside = (dx * dx + dy * dy).simd_le(squared) & lanes.simd_lt(run.len() as u32);
        inside.to_bitmask() as u32
    }

    /// The entries in parts that threads share.
    fn parts(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        let count = self.entries.len();
        (0..count.div_ceil(PART))
            .into_par_iter()
            .map(move |part| part * PART..((part + 1) * PART).min(count))
    }

    /// The sum over agents of the density about them, persons per square metre, and the highest.
    /// An agent counts itself.
    pub fn local_density(&self, _ground: GroundView<'_>, _agents: &AgentsView<'_>) -> (f64, f32) {
        let level = Level::new();
        let quick = self.standing.is_empty() && self.only_agents();
        let (sum, peak) = self
            .parts()
            .map(|part| {
                if quick {
                    dispatch!(level, simd => self.crowd_on_plane(simd, part))
                } else {
                    self.crowd_of(part)
                }
            })
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1.max(b.1)));
        per_area(sum, peak)
    }

    /// What [`overlapping_pairs`](NeighbourGrid::overlapping_pairs) and
    /// [`local_density`](NeighbourGrid::local_density) give, in one look at everybody where the
    /// ground is flat.
    pub fn overlaps_and_density(
        &self,
        ground: GroundView<'_>,
        agents: &AgentsView<'_>,
        deeper_than: f32,
    ) -> ((u64, f32), (f64, f32)) {
        let quick = self.standing.is_empty() && self.only_agents();
        // Who overlaps is then among those who make the density.
        if !quick || !(2.0 * self.widest - deeper_than <= DENSITY_RADIUS) {
            return (
                self.overlapping_pairs(ground, agents, deeper_than),
                self.local_density(ground, agents),
            );
        }
        let level = Level::new();
        let (overlaps, (sum, peak)) = self
            .parts()
            .map(|part| dispatch!(level, simd => self.both_on_plane(simd, part, deeper_than)))
            .reduce(
                || ((0, 0.0), (0, 0)),
                |(a, b), (c, d)| {
                    (
                        (a.0 + c.0, f32::max(a.1, c.1)),
                        (b.0 + d.0, u64::max(b.1, d.1)),
                    )
                },
            );
        (overlaps, per_area(sum, peak))
    }

    #[inline(always)]
    fn both_on_plane<S: Simd>(
        &self,
        simd: S,
        part: Range<usize>,
        deeper_than: f32,
    ) -> ((u64, f32), (u64, u64)) {
        let (mut pairs, mut deepest) = (0, 0.0_f32);
        let (mut sum, mut peak) = (0, 0);
        for own in part {
            let near = self.entries[own].radius + self.widest - deeper_than;
            // A hair wider than what the exact look then decides.
            let touching = if near > 0.0 {
                near * near * 1.000_1
            } else {
                -1.0
            };
            let (at, mut here) = (self.point(own), 0u64);
            self.runs_on_plane(
                at,
                DENSITY_RADIUS,
                #[inline(always)]
                |run| {
                    for first in run.clone().step_by(2 * LANES) {
                        let squared = self.squared(simd, first, at);
                        let lanes = u32x16::load_array(simd, core::array::from_fn(|l| l as u32));
                        let given = lanes.simd_lt((run.end - first) as u32);
                        let limit = DENSITY_RADIUS * DENSITY_RADIUS;
                        let counted = given & squared.simd_le(limit);
                        here += u64::from(counted.to_bitmask().count_ones());
                        let mut bits = (given & squared.simd_le(touching)).to_bitmask();
                        while bits != 0 {
                            let other = first + bits.trailing_zeros() as usize;
                            bits &= bits - 1;
                            if let Some(depth) = self.overlap(own, other, deeper_than) {
                                pairs += 1;
                                deepest = deepest.max(depth);
                            }
                        }
                    }
                },
            );
            sum += here;
            peak = peak.max(here);
        }
        ((pairs, deepest), (sum, peak))
    }

    /// Squared distances of sixteen entries.
    #[inline(always)]
    fn squared<S: Simd>(&self, simd: S, first: usize, at: Vec3) -> f32x16<S> {
        let sixteen = first..first + 2 * LANES;
        let dx = f32x16::from_slice(simd, &self.x[sixteen.clone()]) - at.x;
        let dy = f32x16::from_slice(simd, &self.y[sixteen]) - at.y;
        dx * dx + dy * dy
    }

    /// How many stand about each agent of a part: sum and most.
    fn crowd_of(&self, part: Range<usize>) -> (u64, u64) {
        let (mut sum, mut peak) = (0, 0);
        for own in part.filter(|&e| self.row(e) != NONE) {
            let (at, mut here) = (self.point(own), 0u64);
            self.runs(at, DENSITY_RADIUS, |run| {
                for other in run {
                    let near =
                        self.point(other).distance_squared(at) <= DENSITY_RADIUS * DENSITY_RADIUS;
                    here += u64::from(near && self.row(other) != NONE);
                }
            });
            sum += here;
            peak = peak.max(here);
        }
        (sum, peak)
    }

    #[inline(always)]
    fn crowd_on_plane<S: Simd>(&self, simd: S, part: Range<usize>) -> (u64, u64) {
        let (mut sum, mut peak) = (0, 0);
        for own in part {
            let (at, mut here) = (self.point(own), 0u64);
            self.runs_on_plane(
                at,
                DENSITY_RADIUS,
                #[inline(always)]
                |run| {
                    for first in run.clone().step_by(LANES) {
                        let limit = DENSITY_RADIUS * DENSITY_RADIUS;
                        let bits = self.within(simd, first..run.end, at, limit);
                        here += u64::from(bits.count_ones());
                    }
                },
            );
            sum += here;
            peak = peak.max(here);
        }
        (sum, peak)
    }

    /// The rows of the agents within a distance of a point, ascending, appended to `rows`.
    pub fn agents_in_circle(&self, centre: Vec3, radius: f32, rows: &mut Vec<u32>) {
        if !centre.is_finite() || !(radius >= 0.0) {
            return;
        }
        let first = rows.len();
        // On a flat ground all are at one height, and so is the question.
        let centre = if self.standing.is_empty() {
            self.level(centre)
        } else {
            centre
        };
        self.runs(centre, radius, |run| {
            for e in run {
                let row = self.row(e);
                if row != NONE && self.point(e).distance_squared(centre) <= radius * radius {
                    rows.push(row);
                }
            }
        });
        rows[first..].sort_unstable();
    }

    /// Distance between two entries: of their bodies where the ground is not flat.
    fn distance(&self, a: usize, b: usize) -> f32 {
        match (self.standing.get(a), self.standing.get(b)) {
            (Some(a), Some(b)) => a.body.nearest(&b.body).length(),
            _ => self.point(a).distance(self.point(b)),
        }
    }

    fn level(&self, point: Vec3) -> Vec3 {
        point.with_z(self.entries.first().map_or(0.0, |_| self.point(0).z))
    }
}
