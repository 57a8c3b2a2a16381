//! Questions about the whole crowd, as of the last rebuild.

use glam::Vec3;
use throng_core::{AgentsView, GroundView, NONE};

use super::grid::NeighbourGrid;

/// Density about an agent is taken on a disc of this radius, metres.
const DENSITY_RADIUS: f32 = 1.5;

impl NeighbourGrid {
    /// How many pairs of agents overlap by more than `deeper_than` metres, and the deepest
    /// overlap.
    pub fn overlapping_pairs(
        &self,
        _ground: GroundView<'_>,
        _agents: &AgentsView<'_>,
        deeper_than: f32,
    ) -> (u64, f32) {
        let (mut pairs, mut deepest) = (0, 0.0_f32);
        let lean = if self.standing.is_empty() {
            0.0
        } else {
            2.0 * self.tallest
        };
        for (e, own) in self.entries.iter().enumerate() {
            if own.row == NONE {
                continue;
            }
            let at = self.point(e);
            let near = own.radius + self.widest - deeper_than;
            if near <= 0.0 {
                continue;
            }
            self.runs(at, near + lean, |run| {
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
        }
        (pairs, deepest)
    }

    /// The sum over agents of the density about them, persons per square metre, and the highest.
    /// An agent counts itself.
    pub fn local_density(&self, _ground: GroundView<'_>, _agents: &AgentsView<'_>) -> (f64, f32) {
        let area = core::f64::consts::PI * f64::from(DENSITY_RADIUS) * f64::from(DENSITY_RADIUS);
        let (mut sum, mut peak) = (0u64, 0u64);
        for (e, own) in self.entries.iter().enumerate() {
            if own.row == NONE {
                continue;
            }
            let at = self.point(e);
            let mut here = 0;
            self.runs(at, DENSITY_RADIUS, |run| {
                for other in run {
                    let near =
                        self.point(other).distance_squared(at) <= DENSITY_RADIUS * DENSITY_RADIUS;
                    here += u64::from(near && self.entries[other].row != NONE);
                }
            });
            sum += here;
            peak = peak.max(here);
        }
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
