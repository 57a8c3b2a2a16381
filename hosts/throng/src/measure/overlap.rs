//! Overlap of bodies: how deep discs are in each other.
//!
//! The depth of a pair is `r_i + r_j - |x_i - x_j|`; pairs on different floors do not count.
//! It is the measure in metres behind the overlapping-proportion of Chraibi, Seyfried and
//! Schadschneider, *Generalized centrifugal-force model for pedestrian dynamics*, Physical Review E
//! 82, 2010, which takes it as a share of the bodies' area.

use super::{Frame, Trajectories};

/// Overlapping pairs of one frame, or of many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Pairs.
    pub pairs: u64,
    /// The deepest, metres.
    pub deepest: f64,
}

/// Pairs that overlap by more than `least` metres; `radius` tells everybody's radius.
pub fn in_frame(frame: Frame<'_>, radius: impl Fn(u64) -> f64, least: f64) -> Overlap {
    let radii: Vec<f64> = frame.id.iter().map(|id| radius(*id)).collect();
    let widest = radii.iter().copied().fold(0.0, f64::max);
    // Sorted along x, nobody needs to be compared beyond two radii.
    let mut order: Vec<usize> = (0..frame.id.len()).collect();
    order.sort_unstable_by(|a, b| frame.at[*a].x.total_cmp(&frame.at[*b].x));
    let mut found = Overlap::default();
    for (i, &a) in order.iter().enumerate() {
        for &b in &order[i + 1..] {
            if frame.at[b].x - frame.at[a].x > radii[a] + widest {
                break;
            }
            let depth = radii[a] + radii[b] - frame.at[a].distance(frame.at[b]);
            if depth > least && frame.level[a] == frame.level[b] {
                found.pairs += 1;
                found.deepest = found.deepest.max(depth);
            }
        }
    }
    found
}

/// Mean number of overlapping pairs over all frames, and the deepest overlap.
pub fn over_time(walks: &Trajectories, radius: impl Fn(u64) -> f64, least: f64) -> (f64, f64) {
    let (mut pairs, mut deepest) = (0, 0.0f64);
    for frame in walks.frames() {
        let here = in_frame(frame, &radius, least);
        pairs += here.pairs;
        deepest = deepest.max(here.deepest);
    }
    (pairs as f64 / walks.len().max(1) as f64, deepest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;

    #[test]
    fn three_in_a_row_and_one_upstairs() {
        let at = |x: f64| DVec2::new(x, 0.0);
        let rows = vec![
            (1, 0, at(0.0), 0),
            (2, 0, at(0.4), 0),
            (3, 0, at(0.9), 0),
            (4, 0, at(0.0), 1),
            (1, 1, at(0.0), 0),
        ];
        let walks = Trajectories::from_rows(1.0, rows).unwrap();
        let radius = |id: u64| if id == 3 { 0.3 } else { 0.25 };
        let now = in_frame(walks.frame(0), radius, 0.005);
        assert_eq!(now.pairs, 2);
        assert!((now.deepest - 0.1).abs() < 1e-12);
        let (mean, deepest) = over_time(&walks, radius, 0.07);
        assert_eq!(mean, 0.5);
        assert!((deepest - 0.1).abs() < 1e-12);
    }
}
