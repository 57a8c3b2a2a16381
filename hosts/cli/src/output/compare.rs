//! What the level of detail costs: a tiered run beside the same scene all at tier 0, as numbers.

use std::collections::BTreeMap;

use glam::DVec2;
use serde::Serialize;
use throng::Simulation;

/// Side of the squares that speeds are compared on, metres.
const SQUARE: f64 = 10.0;

/// What is taken down of a run to be compared.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    arrivals: Vec<u64>,
    speeds: BTreeMap<(i64, i64), (f64, u64)>,
    last: u64,
}

impl Sampler {
    /// Looks at a simulation once a second.
    pub fn observe(&mut self, simulation: &Simulation) {
        let second = simulation.time().floor() as u64;
        if second == self.last {
            return;
        }
        self.last = second;
        self.arrivals.push(simulation.metrics().arrivals);
        let agents = simulation.agents();
        for row in 0..agents.len() {
            let at = simulation.world_point(agents.location[row]);
            let square = (DVec2::new(at.x, at.y) / SQUARE).floor();
            let sum = self.speeds.entry((square.x as i64, square.y as i64));
            let (speed, count) = sum.or_default();
            *speed += f64::from(agents.velocity[row].length());
            *count += 1;
        }
    }

    fn mean_speed(&self) -> f64 {
        let sums = self.speeds.values();
        let (speed, count) = sums.fold((0.0, 0), |(s, c), v| (s + v.0, c + v.1));
        speed / count.max(1) as f64
    }
}

/// A square that both runs saw people in.
#[derive(Clone, Debug, Serialize)]
pub struct Square {
    /// Its low corner, metres.
    pub at: [f64; 2],
    /// Persons seen there per second in the tiered run.
    pub persons: f64,
    /// Mean speed in the tiered run, metres per second.
    pub tiered_m_s: f64,
    /// Mean speed all at tier 0.
    pub tier0_m_s: f64,
}

/// Differences between a tiered run and the same scene all at tier 0.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Seconds compared.
    pub seconds: usize,
    /// Arrivals at the end, tiered and all at tier 0.
    pub arrivals: [u64; 2],
    /// Arrivals over time, every second, tiered and all at tier 0.
    pub arrivals_over_time: Vec<[u64; 2]>,
    /// Mean over time of the difference in arrivals, as a share of those at the end at tier 0.
    pub arrivals_error: f64,
    /// Mean speed, tiered and all at tier 0, metres per second.
    pub mean_speed_m_s: [f64; 2],
    /// Mean difference of the mean speeds per square of 10 m, weighted by persons.
    pub speed_error_m_s: f64,
    /// The squares.
    pub squares: Vec<Square>,
    /// Milliseconds a step, tiered and all at tier 0.
    pub ms_per_step: [f64; 2],
}

impl Comparison {
    /// Compares two runs of the same scene.
    pub fn of(tiered: &Sampler, all: &Sampler, ms_per_step: [f64; 2]) -> Comparison {
        let seconds = tiered.arrivals.len().max(all.arrivals.len());
        // A run that ended because everybody had gone stays at its last count.
        let at = |s: &Sampler, i: usize| {
            let known = s.arrivals.get(i).or(s.arrivals.last());
            known.copied().unwrap_or(0)
        };
        let over_time: Vec<[u64; 2]> = (0..seconds).map(|i| [at(tiered, i), at(all, i)]).collect();
        let end = over_time.last().copied().unwrap_or_default();
        let apart: u64 = over_time.iter().map(|[a, b]| a.abs_diff(*b)).sum();
        let mut squares = Vec::new();
        let (mut difference, mut persons) = (0.0, 0u64);
        for (key, (speed, count)) in &tiered.speeds {
            if let Some((other, others)) = all.speeds.get(key) {
                let (own, other) = (speed / *count as f64, other / *others as f64);
                difference += (own - other).abs() * *count as f64;
                persons += count;
                squares.push(Square {
                    at: [key.0 as f64 * SQUARE, key.1 as f64 * SQUARE],
                    persons: *count as f64 / seconds.max(1) as f64,
                    tiered_m_s: own,
                    tier0_m_s: other,
                });
            }
        }
        Comparison {
            seconds,
            arrivals: end,
            arrivals_error: apart as f64 / (seconds.max(1) as f64 * end[1].max(1) as f64),
            arrivals_over_time: over_time,
            mean_speed_m_s: [tiered.mean_speed(), all.mean_speed()],
            speed_error_m_s: difference / persons.max(1) as f64,
            squares,
            ms_per_step,
        }
    }

    /// The lines for a person.
    pub fn text(&self) -> String {
        format!(
            "compared with everybody at tier 0 over {} s: arrivals {} instead of {} (mean \
             difference over time {:.1} %), mean speed {:.3} instead of {:.3} m/s (mean \
             difference per square of 10 m {:.3} m/s), {:.2} instead of {:.2} ms a step",
            self.seconds,
            self.arrivals[0],
            self.arrivals[1],
            100.0 * self.arrivals_error,
            self.mean_speed_m_s[0],
            self.mean_speed_m_s[1],
            self.speed_error_m_s,
            self.ms_per_step[0],
            self.ms_per_step[1]
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_runs_do_not_differ() {
        let mut run = Sampler {
            arrivals: vec![0, 2, 5],
            ..Sampler::default()
        };
        run.speeds.insert((0, 0), (2.6, 2));
        let same = Comparison::of(&run, &run, [1.0, 4.0]);
        assert_eq!((same.arrivals_error, same.speed_error_m_s), (0.0, 0.0));
        assert_eq!(same.mean_speed_m_s, [1.3, 1.3]);
        let mut slow = run.clone();
        slow.speeds.insert((0, 0), (2.0, 2));
        slow.arrivals = vec![0, 1];
        let other = Comparison::of(&slow, &run, [1.0, 4.0]);
        assert!((other.speed_error_m_s - 0.3).abs() < 1e-12);
        assert_eq!(other.arrivals, [1, 5]);
        assert!((other.arrivals_error - 5.0 / 15.0).abs() < 1e-12);
    }
}
