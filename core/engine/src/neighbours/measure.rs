//! Questions about the whole crowd, as of the last rebuild.

use glam::Vec3;
use rayon::prelude::*;
use throng_core::{AgentsView, GroundView, NONE};

use super::grid::NeighbourGrid;

/// Density about an agent is taken on a disc of this radius, metres.
const DENSITY_RADIUS: f32 = 1.5;
/// Entries that a thread measures at least.
const LEAST_PART: usize = 1024;

impl NeighbourGrid {
    /// How many pairs of agents overlap by more than `deeper_than` metres, and the deepest
    /// overlap.
    pub fn overlapping_pairs(
        &self,
        _ground: GroundView<'_>,
        _agents: &AgentsView<'_>,
        deeper_than: f32,
    ) -> (u64, f32) {
        let lean = if self.standing.is_empty() {
            0.0
        } else {
            2.0 * self.tallest
        };
        let of = |e: usize| {
            let (own, mut pairs, mut deepest) = (&self.entries[e], 0, 0.0_f32);
            let near = own.radius + self.widest - deeper_than;
            if own.row == NONE || near <= 0.0 {
                return (0, 0.0);
            }
            self.runs(self.point(e), near + lean, |run| {
                for other in run {
                    let there = &self.entries[other];
                    if there.row == NONE || there.id <= own.id {
                        continue;
                    }
                    let depth = own.radius + there.radius - self.distance(e, other);
                    if depth > deeper_than {
                        pairs += 1;
                        deepest = deepest.max(depth);
                    }
                }
            });
            (pairs, deepest)
        };
        // Counts and maxima are the same in any order.
        (0..self.entries.len())
            .into_par_iter()
            .with_min_len(LEAST_PART)
            .map(of)
            .reduce(|| (0, 0.0), |a, b| (a.0 + b.0, a.1.max(b.1)))
    }

    /// The sum over agents of the density about them, persons per square metre, and the highest.
    /// An agent counts itself.
    pub fn local_density(&self, _ground: GroundView<'_>, _agents: &AgentsView<'_>) -> (f64, f32) {
        let area = core::f64::consts::PI * f64::from(DENSITY_RADIUS) * f64::from(DENSITY_RADIUS);
        let of = |e: usize| {
            let (at, mut here) = (self.point(e), 0u64);
            if self.entries[e].row == NONE {
                return (0, 0);
            }
            self.runs(at, DENSITY_RADIUS, |run| {
                for other in run {
                    let near =
                        self.point(other).distance_squared(at) <= DENSITY_RADIUS * DENSITY_RADIUS;
                    here += u64::from(near && self.entries[other].row != NONE);
                }
            });
            (here, here)
        };
        let (sum, peak) = (0..self.entries.len())
            .into_par_iter()
            .with_min_len(LEAST_PART)
            .map(of)
            .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1.max(b.1)));
        (sum as f64 / area, (peak as f64 / area) as f32)
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
                let row = self.entries[e].row;
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
