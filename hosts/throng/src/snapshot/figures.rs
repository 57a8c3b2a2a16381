//! What a run showed: its figures as text that people read and programs compare.
//!
//! A star's text has a line or two per question; a matrix has one line per combination. Both are
//! written from the table [`FIGURES`] and read back with it, so that a stored text can be compared
//! figure by figure.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use throng_engine::scenario::ToleranceSpec;

/// A figure of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its name, as in `[snapshot] tolerance` where that has it.
    pub name: &'static str,
    /// What stands before its value in a star; empty if a star, which runs longer, does without.
    label: &'static str,
    /// What stands after it.
    unit: &'static str,
    /// Digits after the point in a star.
    decimals: usize,
    /// How it ends in a star.
    end: &'static str,
    /// The word before its value in a matrix, the width and the digits after the point.
    column: Option<(&'static str, usize, usize)>,
    /// How far it may move.
    tolerance: fn(&ToleranceSpec) -> f64,
}

const fn count(name: &'static str, label: &'static str, end: &'static str) -> Figure {
    Figure {
        name,
        label,
        unit: "",
        decimals: 0,
        end,
        column: None,
        tolerance: |_| 0.0,
    }
}

/// How many figures there are.
pub const COUNT: usize = 12;

/// Every figure, in the order in which they are written.
pub const FIGURES: [Figure; COUNT] = [
    count("spawned", "spawned", ", "),
    count("walking", "walking", ", "),
    Figure {
        tolerance: |t| t.arrivals,
        ..count("arrived", "arrived", ", ")
    },
    Figure {
        column: Some(("arrivals", 3, 0)),
        tolerance: |t| t.arrivals,
        ..count("arrivals", "arrivals", ", ")
    },
    count("removed", "removed", ", "),
    count("unreachable", "unreachable", "\n"),
    Figure {
        unit: " s",
        decimals: 1,
        tolerance: |t| t.travel_time,
        ..count("travel_time", "mean travel time", "\n")
    },
    Figure {
        unit: " m/s",
        decimals: 3,
        column: Some(("speed", 4, 2)),
        tolerance: |t| t.speed,
        ..count("speed", "mean speed", "\n")
    },
    Figure {
        unit: " m/s",
        decimals: 3,
        column: Some(("nearer", 5, 2)),
        tolerance: |t| t.speed,
        ..count("nearer", "", "")
    },
    Figure {
        unit: " m",
        decimals: 3,
        column: Some(("gap", 5, 2)),
        tolerance: |t| t.gap,
        ..count("gap", "least gap", ", ")
    },
    Figure {
        decimals: 1,
        column: Some(("overlaps", 4, 1)),
        tolerance: |t| t.overlaps,
        ..count("overlaps", "overlapping pairs", "\n")
    },
    Figure {
        unit: " %",
        decimals: 1,
        column: Some(("stalled", 3, 0)),
        tolerance: |t| t.stalled,
        ..count("stalled", "stalled", "\n")
    },
];

/// Index of a figure.
pub fn index(name: &str) -> Option<usize> {
    FIGURES.iter().position(|f| f.name == name)
}

/// What one run showed: a value of each figure, in the order of [`FIGURES`].
pub type Values = [f64; COUNT];

/// Where somebody was at a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sighting {
    /// Seconds.
    pub time: f64,
    /// Who.
    pub id: u64,
    /// Where, world coordinates.
    pub at: [f64; 3],
}

/// What the runs of a combination showed, one for each seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Every slot with its strategy.
    pub strategies: String,
    /// The first seed.
    pub seed: u64,
    /// How many seeds.
    pub seeds: u64,
    /// Steps of each run.
    pub steps: u64,
    /// Means over the seeds.
    pub mean: Values,
    /// Standard deviations over the seeds.
    pub spread: Values,
    /// Some places of the first run.
    pub sightings: Vec<Sighting>,
    /// Digest of the first run.
    pub digest: u64,
    /// Sum of the digests of all runs.
    pub bits: u64,
    /// 16 bits of the digest after each step of the first run.
    pub trace: Vec<u16>,
}

impl Figures {
    /// The value of a figure; not a number if there is no such figure.
    pub fn value(&self, name: &str) -> f64 {
        index(name).map_or(f64::NAN, |i| self.mean[i])
    }

    /// Means and standard deviations of the values of several runs.
    pub fn summarise(runs: &[Values]) -> (Values, Values) {
        let n = runs.len().max(1) as f64;
        let mut mean = [0.0; COUNT];
        let mut spread = [0.0; COUNT];
        for i in 0..COUNT {
            mean[i] = runs.iter().map(|r| r[i]).sum::<f64>() / n;
            let squares: f64 = runs.iter().map(|r| (r[i] - mean[i]).powi(2)).sum();
            spread[i] = (squares / (n - 1.0).max(1.0)).sqrt();
        }
        (mean, spread)
    }

    fn shown(&self, i: usize, decimals: usize) -> String {
        let mut text = rounded(self.mean[i], decimals + usize::from(self.seeds > 1));
        if self.seeds > 1 {
            text += "±";
            text += &rounded(self.spread[i], decimals + 1);
        }
        text
    }

    /// The text of a star, without the digest.
    pub fn text(&self) -> String {
        let mut t = String::new();
        let _ = writeln!(t, "{}", self.strategies);
        let _ = match self.seeds {
            1 => writeln!(t, "seed {}, {} steps", self.seed, self.steps),
            n => writeln!(t, "{n} seeds from {}, {} steps", self.seed, self.steps),
        };
        for (i, f) in FIGURES.iter().enumerate().filter(|f| !f.1.label.is_empty()) {
            let _ = write!(
                t,
                "{} {}{}{}",
                f.label,
                self.shown(i, f.decimals),
                f.unit,
                f.end
            );
        }
        for Sighting { time, id, at } in &self.sightings {
            let at = at.map(|v| rounded(v, 3));
            let _ = writeln!(t, "at {time:.1} s agent {id}: {}", at.join(" "));
        }
        t
    }

    /// The figures of a line of a matrix.
    pub fn line(&self) -> String {
        let mut parts = Vec::new();
        for (i, f) in FIGURES.iter().enumerate() {
            if let Some((word, width, decimals)) = f.column {
                let unit = if f.name == "stalled" { " %" } else { "" };
                let wide = if self.seeds > 1 { width + 6 } else { width };
                parts.push(format!("{word} {:>wide$}{unit}", self.shown(i, decimals)));
            }
        }
        parts.join("  ")
    }
}

/// A number with so many decimals; zero has no sign.
fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| b == b'0' || b == b'.') => rest.to_owned(),
        _ => text,
    }
}

/// A figure as it was read from a stored text.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Its name; a sighting's is "agent 3 at 12.0 s".
    pub name: String,
    /// Its value, and those of further coordinates.
    pub values: Vec<f64>,
    /// How it was written.
    pub written: String,
    /// How far it may move.
    pub tolerance: f64,
}

/// The figures in a stored text, of a star or a matrix line; nothing if it is none of ours.
pub fn read(text: &str, tolerance: &ToleranceSpec) -> Option<Vec<Read>> {
    let mut found = Vec::new();
    let star = text.contains('\n');
    for (i, f) in FIGURES.iter().enumerate() {
        let label = match (star, f.column) {
            (true, _) if f.label.is_empty() => continue,
            (true, _) => f.label,
            (false, Some((word, ..))) => word,
            (false, None) => continue,
        };
        let at = find_label(text, label)?;
        let word = text[at..].split_whitespace().next()?;
        let word = word.trim_end_matches(',');
        let (value, spread) = word.split_once('±').unwrap_or((word, "0"));
        found.push(Read {
            name: FIGURES[i].name.into(),
            values: vec![value.parse().ok()?, spread.parse().ok()?],
            written: word.into(),
            tolerance: (f.tolerance)(tolerance),
        });
    }
    for line in text.lines().filter(|_| star) {
        let Some(rest) = line.strip_prefix("at ") else {
            continue;
        };
        let (time, rest) = rest.split_once(" s agent ")?;
        let (id, place) = rest.split_once(": ")?;
        let values: Result<Vec<f64>, _> = place.split(' ').map(str::parse).collect();
        found.push(Read {
            name: format!("agent {id} at {time} s"),
            values: values.ok()?,
            written: place.into(),
            tolerance: tolerance.position,
        });
    }
    Some(found)
}

/// Where a label's value begins: the label stands at a beginning or after a space.
fn find_label(text: &str, label: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = text[from..].find(label) {
        let (at, end) = (from + found, from + found + label.len());
        let begins = at == 0 || text[..at].ends_with(['\n', ' ']);
        if begins && text[end..].starts_with(' ') {
            return Some(end);
        }
        from = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(seeds: u64) -> Figures {
        Figures {
            strategies: "nav grid, planner astar".into(),
            seed: 3,
            seeds,
            steps: 40,
            mean: [
                20.0, 18.0, 2.0, 5.0, 0.0, 0.0, 12.25, 1.2345, -0.0004, -0.0321, 1.25, 0.125,
            ],
            spread: [0.5; COUNT],
            sightings: vec![Sighting {
                time: 2.0,
                id: 7,
                at: [1.0, -2.5, 0.0],
            }],
            digest: 1,
            bits: 1,
            trace: Vec::new(),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for seeds in [1, 4] {
            let f = figures(seeds);
            let tolerance = ToleranceSpec {
                speed: 0.1,
                ..ToleranceSpec::default()
            };
            let star = read(&f.text(), &tolerance).unwrap();
            assert_eq!(star.len(), COUNT);
            let speed = star.iter().find(|r| r.name == "speed").unwrap();
            assert!((speed.values[0] - 1.2345).abs() < 1e-3);
            assert_eq!(speed.tolerance, 0.1);
            assert_eq!(speed.values[1], if seeds > 1 { 0.5 } else { 0.0 });
            assert_eq!(star.last().unwrap().name, "agent 7 at 2.0 s");
            assert_eq!(star.last().unwrap().values, [1.0, -2.5, 0.0]);
            let line = read(&f.line(), &tolerance).unwrap();
            assert_eq!(line.len(), 6);
            assert_eq!(line.iter().find(|r| r.name == "gap").unwrap().values[0], {
                if seeds > 1 { -0.032 } else { -0.03 }
            });
        }
        assert!(read("refused: no", &ToleranceSpec::default()).is_none());
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(rounded(-0.0004, 3), "0.000");
        assert_eq!(rounded(-0.0006, 3), "-0.001");
    }

    #[test]
    fn mean_and_spread_of_runs() {
        let (mut a, mut b) = ([0.0; COUNT], [0.0; COUNT]);
        (a[0], b[0]) = (1.0, 3.0);
        let (mean, spread) = Figures::summarise(&[a, b]);
        assert_eq!(mean[0], 2.0);
        assert!((spread[0] - 2f64.sqrt()).abs() < 1e-12);
        assert_eq!(Figures::summarise(&[a]).1[0], 0.0);
    }
}
