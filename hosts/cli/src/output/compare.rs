//! What the level of detail costs: a tiered run beside the same scene all at tier 0, as numbers.

use std::collections::BTreeMap;

use glam::DVec2;
use serde::Serialize;
use throng::Simulation;

/// Side of the squares that speeds are compared on, metres.
const SQUARE: f64 = 10.0;

/// Moments at which a person is shown arrivals; the summary has every second.
const MOMENTS: usize = 6;

/// What is taken down of a run to be compared.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    arrivals: Vec<u64>,
    speeds: BTreeMap<(i64, i64), Seen>,
    last: u64,
}

/// What was seen in a square.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// Sum of speeds.
    speed: f64,
    count: u64,
    /// Persons by tier.
    tiers: BTreeMap<u8, u64>,
}

impl Seen {
    fn mean(&self) -> f64 {
        self.speed / self.count.max(1) as f64
    }

    /// The tier of most people; of equal ones the first.
    fn tier(&self) -> u8 {
        let most = self.tiers.iter().rev().max_by_key(|(_, count)| **count);
        most.map_or(0, |(tier, _)| *tier)
    }
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
            let seen = sum.or_default();
            seen.speed += f64::from(agents.velocity[row].length());
            seen.count += 1;
            *seen.tiers.entry(agents.tier[row]).or_default() += 1;
        }
    }

    fn mean_speed(&self) -> f64 {
        let sums = self.speeds.values();
        let (speed, count) = sums.fold((0.0, 0), |(s, c), v| (s + v.speed, c + v.count));
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
    /// The tier of most people there in the tiered run.
    pub tier: u8,
}

/// All squares in which most people had one tier.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Area {
    /// The tier.
    pub tier: u8,
    /// How many squares.
    pub squares: usize,
    /// Persons seen there per second, in the tiered run and all at tier 0.
    pub persons: [f64; 2],
    /// Mean speed there, in the tiered run and all at tier 0, metres per second.
    pub mean_speed_m_s: [f64; 2],
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
    /// Speeds where most people of the tiered run had each tier.
    pub areas: Vec<Area>,
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
        let mut areas: BTreeMap<u8, Area> = BTreeMap::new();
        for (key, seen) in &tiered.speeds {
            let Some(others) = all.speeds.get(key) else {
                continue;
            };
            let (own, other) = (seen.mean(), others.mean());
            difference += (own - other).abs() * seen.count as f64;
            persons += seen.count;
            let tier = seen.tier();
            let area = areas.entry(tier).or_default();
            area.tier = tier;
            area.squares += 1;
            for (i, of) in [seen, others].into_iter().enumerate() {
                area.persons[i] += of.count as f64;
                area.mean_speed_m_s[i] += of.speed;
            }
            squares.push(Square {
                at: [key.0 as f64 * SQUARE, key.1 as f64 * SQUARE],
                persons: seen.count as f64 / seconds.max(1) as f64,
                tiered_m_s: own,
                tier0_m_s: other,
                tier,
            });
        }
        for area in areas.values_mut() {
            for i in 0..2 {
                area.mean_speed_m_s[i] /= area.persons[i].max(1.0);
                area.persons[i] /= seconds.max(1) as f64;
            }
        }
        Comparison {
            seconds,
            arrivals: end,
            arrivals_error: apart as f64 / (seconds.max(1) as f64 * end[1].max(1) as f64),
            arrivals_over_time: over_time,
            mean_speed_m_s: [tiered.mean_speed(), all.mean_speed()],
            speed_error_m_s: difference / persons.max(1) as f64,
            areas: areas.into_values().collect(),
            squares,
            ms_per_step,
        }
    }

    /// The lines for a person.
    pub fn text(&self) -> String {
        let row = |name: &str, of: [f64; 2], unit: &str, digits: usize| {
            let apart = match of[1] {
                0.0 => String::new(),
                all => format!("{:+.1} %", 100.0 * (of[0] - all) / all),
            };
            format!(
                "\n  {name:<34}{:>12.digits$}{:>12.digits$}  {unit:<6}{apart:>9}",
                of[0], of[1]
            )
        };
        let mut text = format!(
            "compared with everybody at tier 0 over {} s\n  {:<34}{:>12}{:>12}",
            self.seconds, "", "tiered", "tier 0"
        );
        let count = |of: [u64; 2]| of.map(|n| n as f64);
        let moments = self.arrivals_over_time.len().min(MOMENTS);
        for i in 1..=moments {
            let at = self.arrivals_over_time.len() * i / moments;
            let arrivals = count(self.arrivals_over_time[at - 1]);
            text += &row(&format!("arrivals after {at} s"), arrivals, "", 0);
        }
        for area in &self.areas {
            let name = format!("speed where most are at tier {}", area.tier);
            text += &row(&name, area.mean_speed_m_s, "m/s", 3);
            text += &row("  people there at a time", area.persons, "", 1);
        }
        text += &row("speed everywhere", self.mean_speed_m_s, "m/s", 3);
        text += &row("a step", self.ms_per_step, "ms", 2);
        text += &format!(
            "\n  mean difference of arrivals over time {:.1} % of those at the end, of speeds per \
             square of 10 m {:.3} m/s",
            100.0 * self.arrivals_error,
            self.speed_error_m_s
        );
        text
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
        let seen = |speed: f64| Seen {
            speed,
            count: 2,
            tiers: BTreeMap::from([(0, 1), (1, 1)]),
        };
        run.speeds.insert((0, 0), seen(2.6));
        let same = Comparison::of(&run, &run, [1.0, 4.0]);
        assert_eq!((same.arrivals_error, same.speed_error_m_s), (0.0, 0.0));
        assert_eq!(same.mean_speed_m_s, [1.3, 1.3]);
        let mut slow = run.clone();
        slow.speeds.insert((0, 0), seen(2.0));
        slow.arrivals = vec![0, 1];
        let other = Comparison::of(&slow, &run, [1.0, 4.0]);
        assert!((other.speed_error_m_s - 0.3).abs() < 1e-12);
        assert_eq!(other.arrivals, [1, 5]);
        assert_eq!(other.areas.len(), 1);
        assert_eq!(other.areas[0].mean_speed_m_s, [1.0, 1.3]);
        assert_eq!((other.areas[0].tier, other.areas[0].squares), (0, 1));
        assert!(
            other.text().contains("arrivals after 3 s"),
            "{}",
            other.text()
        );
        assert!((other.arrivals_error - 5.0 / 15.0).abs() < 1e-12);
    }
}
