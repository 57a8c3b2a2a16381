//! What is counted and measured while a simulation runs.

use std::{sync::atomic::AtomicU64, time::Duration};

use serde::Serialize;
use throng_core::NoRoute;

use crate::checkpoint::{CheckpointError, Reader, Writer};

/// Wall-clock time by stage. Never read by the simulation itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct StageTimes {
    /// Commands, events, spawns, movers.
    pub commands: Duration,
    /// Level of detail.
    pub tiers: Duration,
    /// Crowd cells and prices.
    pub crowd: Duration,
    /// Shared products of planners.
    pub prepare: Duration,
    /// Routes.
    pub plan: Duration,
    /// Preferred velocities.
    pub guide: Duration,
    /// Round what maps do not know.
    pub detour: Duration,
    /// Groups.
    pub groups: Duration,
    /// Sorting by place and looking for neighbours and walls.
    pub neighbours: Duration,
    /// Avoidance.
    pub avoidance: Duration,
    /// Moving.
    pub advance: Duration,
    /// Cursors and arrivals.
    pub arrivals: Duration,
    /// Measuring.
    pub metrics: Duration,
    looking_nanos: u64,
    steering_nanos: u64,
}

impl StageTimes {
    /// Adds thread time spent looking and steering; [`StageTimes::split_avoid`] divides the wall
    /// time of the stage by it.
    pub fn add_parallel(&mut self, looking: u64, steering: u64) {
        self.looking_nanos += looking;
        self.steering_nanos += steering;
    }

    /// Divides the wall time of the common loop between neighbours and avoidance.
    pub fn split_avoid(&mut self, wall: Duration) {
        let total = (self.looking_nanos + self.steering_nanos).max(1) as f64;
        let share = self.looking_nanos as f64 / total;
        self.neighbours += wall.mul_f64(share);
        self.avoidance += wall.mul_f64(1.0 - share);
        self.looking_nanos = 0;
        self.steering_nanos = 0;
    }

    /// Milliseconds of every stage, in the order of the step.
    pub fn millis(&self) -> Vec<(&'static str, f64)> {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        vec![
            ("commands", ms(self.commands)),
            ("tiers", ms(self.tiers)),
            ("crowd", ms(self.crowd)),
            ("prepare", ms(self.prepare)),
            ("plan", ms(self.plan)),
            ("guide", ms(self.guide)),
            ("detour", ms(self.detour)),
            ("groups", ms(self.groups)),
            ("neighbours", ms(self.neighbours)),
            ("avoidance", ms(self.avoidance)),
            ("advance", ms(self.advance)),
            ("arrivals", ms(self.arrivals)),
            ("metrics", ms(self.metrics)),
        ]
    }
}

/// Mean and percentiles of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// How many values.
    pub count: usize,
    /// Mean.
    pub mean: f64,
    /// 5th percentile.
    pub p5: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// Largest.
    pub max: f64,
}

impl Spread {
    /// The spread of some values (nearest rank).
    pub fn of(values: &[f32]) -> Spread {
        if values.is_empty() {
            return Spread::default();
        }
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let rank = |p: f64| {
            let i = (p * sorted.len() as f64).ceil() as usize;
            f64::from(sorted[i.clamp(1, sorted.len()) - 1])
        };
        Spread {
            count: sorted.len(),
            mean: sorted.iter().map(|v| f64::from(*v)).sum::<f64>() / sorted.len() as f64,
            p5: rank(0.05),
            p50: rank(0.5),
            p95: rank(0.95),
            max: rank(1.0),
        }
    }
}

/// Width of a bin of speeds, metres per second.
const SPEED_BIN: f32 = 0.01;
/// Bins of speeds; the last one takes everything above.
const SPEED_BINS: usize = 1001;

/// Speeds counted in bins of 1 cm/s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeedCounts(Vec<u64>);

impl SpeedCounts {
    /// Counts a speed, metres per second.
    pub fn add(&mut self, speed: f32) {
        if self.0.is_empty() {
            self.0.resize(SPEED_BINS, 0);
        }
        let bin = (speed / SPEED_BIN).round() as usize;
        self.0[bin.min(SPEED_BINS - 1)] += 1;
    }

    fn checked(self) -> Result<SpeedCounts, CheckpointError> {
        match self.0.len() {
            0 | SPEED_BINS => Ok(self),
            _ => Err(CheckpointError::Damaged("bins of speeds differ")),
        }
    }

    /// Mean and percentiles, to the width of a bin.
    pub fn spread(&self) -> Spread {
        let total: u64 = self.0.iter().sum();
        if total == 0 {
            return Spread::default();
        }
        let value = |bin: usize| bin as f64 * f64::from(SPEED_BIN);
        let rank = |p: f64| {
            let wanted = ((p * total as f64).ceil() as u64).max(1);
            let mut seen = 0;
            let found = self.0.iter().position(|c| {
                seen += c;
                seen >= wanted
            });
            value(found.unwrap_or(SPEED_BINS - 1))
        };
        let counted = self.0.iter().enumerate();
        let sum: f64 = counted.map(|(bin, c)| value(bin) * *c as f64).sum();
        Spread {
            count: total as usize,
            mean: sum / total as f64,
            p5: rank(0.05),
            p50: rank(0.5),
            p95: rank(0.95),
            max: rank(1.0),
        }
    }
}

/// What the agents of a tier cost. Never read by the simulation itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TierCost {
    /// Sum over steps of the agents in it.
    pub agent_steps: u64,
    /// Thread time of guiding, nanoseconds.
    pub guide_nanos: u64,
    /// Thread time of looking for neighbours and walls and of steering, nanoseconds.
    pub avoid_nanos: u64,
}

/// [`TierCost`] while many threads add to it.
#[derive(Debug, Default)]
pub struct TierClock {
    /// Agents in the tier.
    pub agents: AtomicU64,
    /// Guiding.
    pub guide: AtomicU64,
    /// Looking and steering.
    pub avoid: AtomicU64,
}

impl TierCost {
    /// Takes what a clock has gathered.
    pub fn take(&mut self, clock: &mut TierClock) {
        self.agent_steps += std::mem::take(clock.agents.get_mut());
        self.guide_nanos += std::mem::take(clock.guide.get_mut());
        self.avoid_nanos += std::mem::take(clock.avoid.get_mut());
    }
}

/// Counters of a run.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// People who came.
    pub spawned: u64,
    /// Arrivals at a goal (several per person on journeys).
    pub arrivals: u64,
    /// People who left at their goal.
    pub arrived: u64,
    /// People removed by a command or an event.
    pub removed: u64,
    /// People whom the ground lost: must be 0.
    pub lost: u64,
    /// Moves through a wall: must be 0.
    pub wall_crossings: u64,
    /// Moves longer than the largest speed allows: must be 0.
    pub beyond_cap: u64,
    /// Answers of avoidance that were not finite, replaced by standing still.
    pub not_finite: u64,
    /// Requests for routes.
    pub requests: u64,
    /// Requests put off by the budget, summed over steps.
    pub postponed_requests: u64,
    /// Agents without a way to their goal, counted once for each goal.
    pub unreachable: u64,
    /// How often somebody had no way, in the order of [`NoRoute::ALL`].
    pub no_route: [u64; NoRoute::ALL.len()],
    /// Routes exchanged for others.
    pub route_switches: u64,
    /// Seconds from setting off to arriving, per leg.
    pub travel_times: Vec<f32>,
    /// Metres walked, per person that left.
    pub path_lengths: Vec<f32>,
    /// Sum of speeds over samples of agents, and their number.
    pub speed_sum: f64,
    /// Samples of speed.
    pub speed_samples: u64,
    /// The same samples in bins.
    pub speeds: SpeedCounts,
    /// Overlapping pairs, summed over samples.
    pub overlap_pairs: u64,
    /// Deepest overlap seen, metres.
    pub overlap_deepest: f32,
    /// Samples of overlaps and density.
    pub samples: u64,
    /// Sum over samples of the mean density that agents stand in, persons per square metre.
    pub density_sum: f64,
    /// Largest density that an agent stood in, persons per square metre.
    pub density_peak: f32,
    /// Agents found stalled, summed over looks.
    pub stalled: u64,
    /// Looks for stalled agents.
    pub stall_looks: u64,
    /// Times by stage.
    pub stages: StageTimes,
    /// What each tier cost, in the order of their levels; empty where there is one.
    pub tiers: Vec<TierCost>,
}

macro_rules! saved {
    ($($field:ident),*) => {
        impl Metrics {
            /// Writes everything but the times, which belong to the process.
            pub(crate) fn save(&self, out: &mut Writer) {
                $(out.value(self.$field);)*
                out.column(&self.travel_times);
                out.column(&self.path_lengths);
                out.column(&self.speeds.0);
            }

            /// Reads what [`Metrics::save`] wrote.
            pub(crate) fn load(from: &mut Reader<'_>) -> Result<Metrics, CheckpointError> {
                Ok(Metrics {
                    $($field: from.value()?,)*
                    travel_times: from.column()?,
                    path_lengths: from.column()?,
                    speeds: SpeedCounts(from.column()?).checked()?,
                    stages: StageTimes::default(),
                    tiers: Vec::new(),
                })
            }
        }
    };
}

saved!(
    spawned,
    arrivals,
    arrived,
    removed,
    lost,
    wall_crossings,
    beyond_cap,
    not_finite,
    requests,
    postponed_requests,
    unreachable,
    no_route,
    route_switches,
    speed_sum,
    speed_samples,
    overlap_pairs,
    overlap_deepest,
    samples,
    density_sum,
    density_peak,
    stalled,
    stall_looks
);

impl Metrics {
    /// Counts an arrival after so many seconds of walking.
    pub(crate) fn arrive(&mut self, seconds: f64) {
        self.arrivals += 1;
        self.travel_times.push(seconds as f32);
    }

    /// Share of looks that found an agent stalled.
    pub fn stalled_share(&self) -> f64 {
        self.stalled as f64 / self.stall_looks.max(1) as f64
    }

    /// How often somebody had no way, by reason; what never happened is left out.
    pub fn unreachable_reasons(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counted = NoRoute::ALL.iter().zip(self.no_route);
        counted
            .filter(|(_, count)| *count > 0)
            .map(|(why, count)| (why.reason(), count))
    }

    /// Mean speed over all samples, metres per second.
    pub fn mean_speed(&self) -> f64 {
        self.speed_sum / self.speed_samples.max(1) as f64
    }

    /// Mean over samples of overlapping pairs.
    pub fn mean_overlaps(&self) -> f64 {
        self.overlap_pairs as f64 / self.samples.max(1) as f64
    }

    /// Mean over samples of the density that agents stand in.
    pub fn mean_density(&self) -> f64 {
        self.density_sum / self.samples.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_in_bins_have_the_percentiles_of_the_list() {
        let mut counts = SpeedCounts::default();
        assert_eq!(counts.spread(), Spread::default());
        let values: Vec<f32> = (1..=100).map(|v| v as f32 / 50.0).collect();
        values.iter().for_each(|v| counts.add(*v));
        let (binned, exact) = (counts.spread(), Spread::of(&values));
        for (a, b) in [
            (binned.mean, exact.mean),
            (binned.p5, exact.p5),
            (binned.p95, exact.p95),
            (binned.max, exact.max),
        ] {
            assert!((a - b).abs() < 1e-6, "{binned:?} {exact:?}");
        }
        counts.add(1e9);
        assert_eq!(counts.spread().max, 1000.0 * f64::from(SPEED_BIN));
    }

    #[test]
    fn percentiles_by_nearest_rank() {
        let values: Vec<f32> = (1..=100).map(|v| v as f32).collect();
        let s = Spread::of(&values);
        assert_eq!((s.p5, s.p50, s.p95, s.max), (5.0, 50.0, 95.0, 100.0));
        assert_eq!(s.mean, 50.5);
        assert_eq!(Spread::of(&[]), Spread::default());
        assert_eq!(Spread::of(&[3.0]).p5, 3.0);
    }
}
