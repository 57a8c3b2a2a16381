//! A finished run, read back from its folder.

use std::{fs, path::Path};

use glam::{DVec2, Vec2};
use serde_json::Value;
use throng::{
    LoadOptions, Scenario,
    core::GroundView,
    engine::build::merge_environment,
    environment::Environment,
    load_text,
    measure::{Trajectories, speed},
};
use throng_kit::Ground;

use crate::{draw::Storeys, failure::Failure};

/// Rows of trajectories beyond which frames are left out.
#[cfg(feature = "sqlite")]
const MOST_ROWS: u64 = 6_000_000;
/// What of the scenario tells where the run took place, and nothing of the strategies: a picture
/// needs no library.
const PLACE: [&str; 13] = [
    "name",
    "seed",
    "dt",
    "duration",
    "environment",
    "area",
    "line",
    "door",
    "obstacle",
    "profile",
    "source",
    "record",
    "metrics",
];

/// A line of `metrics.csv`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counts {
    pub time: f64,
    pub walking: f64,
    pub spawned: f64,
    pub arrived: f64,
}

/// A finished run.
#[derive(Debug)]
pub struct Finished {
    /// `summary.json`.
    pub summary: Value,
    /// What it says of the place.
    pub scenario: Scenario,
    /// The environment with what the scenario adds to it.
    pub environment: Environment,
    /// The ground.
    pub ground: Ground,
    /// The floors side by side.
    pub storeys: Storeys,
    panel_of_level: Vec<usize>,
    /// The lines of `metrics.csv`.
    pub counts: Vec<Counts>,
    /// Where everybody was; none if the run recorded nothing.
    pub walks: Option<Walks>,
}

/// Trajectories with the velocity of every row.
#[derive(Debug)]
pub struct Walks {
    pub walks: Trajectories,
    pub velocities: Vec<Option<DVec2>>,
    /// Every so many recorded frames are taken.
    pub stride: u64,
}

fn text_of(folder: &Path, name: &str) -> Result<String, Failure> {
    fs::read_to_string(folder.join(name)).map_err(|e| {
        let shown = folder.display();
        Failure::input(match e.kind() {
            std::io::ErrorKind::NotFound => format!(
                "{shown} holds no finished run: {name} is missing. `throng run SCENARIO --out \
                 {shown}` makes one"
            ),
            _ => format!("{}: {e}", folder.join(name).display()),
        })
    })
}

impl Finished {
    /// Reads a run's folder; trajectories only if they are wanted.
    pub fn read(folder: &Path, with_walks: bool) -> Result<Finished, Failure> {
        let shown = folder.display();
        if !folder.is_dir() {
            return Err(Failure::input(format!(
                "there is no folder {shown}: give the folder that `throng run --out` wrote"
            )));
        }
        let summary: Value = serde_json::from_str(&text_of(folder, "summary.json")?)
            .map_err(|e| Failure::input(format!("{shown}/summary.json is no JSON: {e}")))?;
        let resolved = text_of(folder, "scenario.resolved.toml")?;
        let counts = counts_of(&text_of(folder, "metrics.csv")?)
            .map_err(|e| Failure::input(format!("{shown}/metrics.csv: {e}")))?;
        let (scenario, environment) = place_of(folder, &resolved)?;
        let ground = Ground::from_environment(&environment).map_err(Failure::input)?;
        let names: Vec<String> = environment.floors.iter().map(|f| f.name.clone()).collect();
        let floors = if ground.view().plan {
            ground.floor_count()
        } else {
            1
        };
        let walks = match with_walks {
            true => walks_of(folder, ground.view())?,
            false => None,
        };
        let storeys = Storeys::of(ground.view(), floors, &names);
        let mut panel_of_level = Vec::new();
        for (t, level) in ground.view().floors.iter().enumerate() {
            let level = usize::from(*level);
            if panel_of_level.len() <= level {
                panel_of_level.resize(level + 1, 0);
            }
            panel_of_level[level] = storeys.panel(t as u32);
        }
        Ok(Finished {
            storeys,
            panel_of_level,
            summary,
            scenario,
            environment,
            ground,
            counts,
            walks,
        })
    }

    /// Simulated seconds.
    pub fn seconds(&self) -> f64 {
        self.summary["time_s"].as_f64().unwrap_or(0.0)
    }

    /// A count of the summary's metrics.
    pub fn metric(&self, name: &str) -> u64 {
        self.summary["metrics"][name].as_u64().unwrap_or(0)
    }

    /// The panel of a floor or of a connection between floors.
    pub fn panel_of_level(&self, level: u16) -> usize {
        let panel = self.panel_of_level.get(usize::from(level));
        panel.copied().unwrap_or(0)
    }

    /// A world point in plan as pictures have it.
    pub fn local(&self, at: DVec2) -> Vec2 {
        (at - self.ground.view().origin.truncate()).as_vec2()
    }
}

/// The scenario and the environment of a run, without its strategies.
fn place_of(folder: &Path, resolved: &str) -> Result<(Scenario, Environment), Failure> {
    let name = folder.join("scenario.resolved.toml").display().to_string();
    let mut table: toml::Table = resolved
        .parse()
        .map_err(|e| Failure::input(format!("{name} is no TOML: {e}")))?;
    table.retain(|key, _| PLACE.contains(&key));
    let options = LoadOptions {
        allow_outside: true,
        ..LoadOptions::default()
    };
    let loaded = load_text(&table.to_string(), &name, &options)?;
    let environment = merge_environment(&loaded.scenario, loaded.environment)?;
    Ok((loaded.scenario, environment))
}

/// The trajectories in a folder, a database before text.
fn walks_of(folder: &Path, ground: GroundView<'_>) -> Result<Option<Walks>, Failure> {
    let wrong = |name: &str, e: throng::measure::MeasureError| {
        Failure::input(format!("{}: {e}", folder.join(name).display()))
    };
    let levels = ground.plan.then_some(ground);
    #[cfg(feature = "sqlite")]
    let database = folder.join("trajectories.sqlite");
    #[cfg(feature = "sqlite")]
    if database.is_file() {
        let (walks, stride) = Trajectories::from_sqlite(&database, levels, MOST_ROWS)
            .map_err(|e| wrong("trajectories.sqlite", e))?;
        return Ok(Some(Walks::new(walks, stride)));
    }
    if !folder.join("trajectories.txt").is_file() {
        return Ok(None);
    }
    let text = text_of(folder, "trajectories.txt")?;
    let walks = Trajectories::from_text(&text, levels).map_err(|e| wrong("trajectories.txt", e))?;
    Ok(Some(Walks::new(walks, 1)))
}

impl Walks {
    fn new(walks: Trajectories, stride: u64) -> Walks {
        let window = speed::usual_window(walks.frame_rate());
        Walks {
            velocities: speed::velocities(&walks, window, speed::Border::OneSided),
            walks,
            stride,
        }
    }

    /// Indices of at most so many frames, evenly spaced, and the step between them.
    pub fn sampled(&self, most: usize) -> (Vec<usize>, usize) {
        let step = self.walks.len().div_ceil(most.max(1)).max(1);
        ((0..self.walks.len()).step_by(step).collect(), step)
    }
}

fn counts_of(text: &str) -> Result<Vec<Counts>, String> {
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let column = |name: &str| {
        let found = head.iter().position(|h| *h == name);
        found.ok_or_else(|| format!("there is no column {name}"))
    };
    let wanted = [
        column("time_s")?,
        column("walking")?,
        column("spawned")?,
        column("arrived")?,
    ];
    let mut counts = Vec::new();
    for (i, line) in lines.enumerate() {
        let words: Vec<&str> = line.split(',').collect();
        let value = |c: usize| words.get(c).and_then(|w| w.parse::<f64>().ok());
        let [Some(time), Some(walking), Some(spawned), Some(arrived)] = wanted.map(value) else {
            return Err(format!("line {} lacks numbers", i + 2));
        };
        counts.push(Counts {
            time,
            walking,
            spawned,
            arrived,
        });
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_found_by_their_headings() {
        let text = "step,time_s,arrived,walking,spawned\n10,1.0,2,3,5\n";
        let expected = Counts {
            time: 1.0,
            walking: 3.0,
            spawned: 5.0,
            arrived: 2.0,
        };
        assert_eq!(counts_of(text), Ok(vec![expected]));
        assert!(counts_of("a,b\n1,2").unwrap_err().contains("time_s"));
        assert!(counts_of("time_s,walking,spawned,arrived\n1,x,2,3").is_err());
    }
}
