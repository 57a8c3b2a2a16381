//! `throng matrix`: every valid combination of strategies on one scenario, ranked.
//!
//! `report` says which combinations are good and why, and writes the page.

mod report;

use std::{
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
};

use clap::Args;
use serde::Serialize;
use throng::{
    Loaded, Registry,
    core::Slot,
    engine::{Shared, Simulation},
    scenario::Scenario,
    snapshot::{put, side_by_side},
};

use self::report::Report;
use super::{ScenarioArgs, list::slot_named};
use crate::{
    console::{self, Counting},
    draw::{Storeys, expected_people},
    failure::Failure,
    output::{
        Folder,
        summary::{KERNEL, strategies},
    },
    replay::{self, About, Recording, Surroundings},
};

/// Slots that vary when none is named.
const VARIED: [Slot; 4] = [Slot::Nav, Slot::Planner, Slot::Cost, Slot::Avoidance];
/// More combinations than this are refused.
const MOST: usize = 100_000;
/// Seconds between two frames of a row's replay.
const FRAMES: f64 = 0.2;

/// Arguments of `matrix`.
#[derive(Debug, Args)]
pub struct MatrixArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    /// Vary a slot over some ids, or over all of them: avoidance=orca,none or avoidance. May be
    /// repeated; by default nav, planner, cost and avoidance vary over everything.
    #[arg(long, value_name = "SLOT=A,B")]
    vary: Vec<String>,
    /// End each run after so many steps.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Combinations run at once; 0 means as many as there are cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Write a report with a replay of every row into this folder.
    #[arg(long, value_name = "DIR")]
    html: Option<PathBuf>,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
struct Row {
    #[serde(skip)]
    combination: Vec<(Slot, String)>,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Outcome {
    Ran(Ran),
    Refused { refused: String },
    Failed { failed: String },
}

/// What a run showed.
#[derive(Clone, Debug, Default, Serialize)]
struct Ran {
    spawned: u64,
    arrived: u64,
    arrivals: u64,
    mean_speed: f64,
    mean_path: f64,
    travel_time: f64,
    overlaps: f64,
    stalled: f64,
    wall_crossings: u64,
    lost: u64,
    ms_per_step: f64,
    digest: String,
    /// The row's page, in the report's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<String>,
}

/// Runs them all.
pub fn matrix(args: &MatrixArgs, json: bool) -> Result<(), Failure> {
    let loaded = args.scenario.load()?;
    let axes = match args.vary.is_empty() {
        true => VARIED
            .map(|slot| (slot, all_of(&loaded.registry, slot)))
            .to_vec(),
        false => axes_of(&args.vary, &loaded.registry)?,
    };
    let combinations = product(&axes);
    if combinations.len() > MOST {
        return Err(Failure::input(format!(
            "{} combinations; up to {MOST} are run, so vary fewer",
            combinations.len()
        )));
    }
    let shared = Shared::new(&loaded.scenario, loaded.environment.clone())?;
    let surroundings = Surroundings::of(&loaded);
    let folder = args.html.as_deref().map(Folder::create).transpose()?;
    let job = Job {
        loaded: &loaded,
        shared: &shared,
        surroundings: &surroundings,
        folder: folder.as_ref(),
        steps: args.steps,
    };
    let counting = Counting::new(&loaded.scenario.name, args.quiet);
    let done = AtomicUsize::new(0);
    let mut rows = Vec::with_capacity(combinations.len());
    // One map at a time is held.
    let nav = |c: &[(Slot, String)]| c.iter().find(|c| c.0 == Slot::Nav).cloned();
    for group in combinations.chunk_by(|a, b| nav(a) == nav(b)) {
        rows.extend(side_by_side(group, args.threads, |combination| {
            let outcome = job.run(combination);
            counting.show(done.fetch_add(1, Ordering::Relaxed) + 1, combinations.len());
            Row {
                combination: combination.clone(),
                outcome,
            }
        }));
        shared.forget_maps();
    }
    counting.finish();
    let report = Report::new(rows);
    if let Some(folder) = &folder {
        folder.write("report.html", report.html(&loaded.scenario).as_bytes())?;
    }
    if json {
        console::out_json(&report.document(&loaded.scenario));
    } else {
        console::out(&report.text());
    }
    if let Some(folder) = &folder {
        console::err(&format!("open {}", folder.file("report.html").display()));
    }
    Ok(())
}

/// What every row needs.
struct Job<'a> {
    loaded: &'a Loaded,
    shared: &'a Shared,
    surroundings: &'a Surroundings,
    folder: Option<&'a Folder>,
    steps: Option<u64>,
}

impl Job<'_> {
    fn run(&self, combination: &[(Slot, String)]) -> Outcome {
        let mut scenario = self.loaded.scenario.clone();
        for (slot, id) in combination {
            put(&mut scenario, *slot, id);
        }
        match Simulation::on(self.shared, scenario, &self.loaded.registry, 1) {
            Err(why) => Outcome::Refused {
                refused: why.to_string(),
            },
            Ok(simulation) => match self.steps(simulation, combination) {
                Ok(ran) => Outcome::Ran(ran),
                Err(failure) => Outcome::Failed {
                    failed: failure.render(false),
                },
            },
        }
    }

    fn steps(
        &self,
        mut simulation: Simulation,
        combination: &[(Slot, String)],
    ) -> Result<Ran, Failure> {
        let scenario = simulation.scenario();
        let whole = (scenario.duration / scenario.dt).round().max(1.0) as u64;
        let total = self.steps.unwrap_or(whole);
        let mut filming = match self.folder {
            None => None,
            Some(folder) => Some(Filming::new(folder, &simulation, self, combination)?),
        };
        while simulation.steps() < total && !simulation.is_over() {
            simulation.step()?;
            if let Some(filming) = &mut filming {
                filming.recording.observe(&simulation)?;
            }
        }
        let replay = match filming {
            None => None,
            Some(filming) => Some(filming.finish(&simulation, self)?),
        };
        let metrics = simulation.metrics();
        let mean = |values: &[f32]| throng::metrics::Spread::of(values).mean;
        Ok(Ran {
            spawned: metrics.spawned,
            arrived: metrics.arrived,
            arrivals: metrics.arrivals,
            mean_speed: metrics.mean_speed(),
            mean_path: mean(&metrics.path_lengths),
            travel_time: mean(&metrics.travel_times),
            overlaps: metrics.mean_overlaps(),
            stalled: metrics.stalled_share(),
            wall_crossings: metrics.wall_crossings,
            lost: metrics.lost,
            ms_per_step: simulation.stage_total().as_secs_f64() * 1e3
                / simulation.steps().max(1) as f64,
            digest: format!("{:016x}", simulation.digest()),
            replay,
        })
    }
}

/// The replay of a row on its way.
struct Filming {
    recording: Recording,
    storeys: Storeys,
    folder: Folder,
    name: String,
}

impl Filming {
    fn new(
        folder: &Folder,
        simulation: &Simulation,
        job: &Job<'_>,
        combination: &[(Slot, String)],
    ) -> Result<Filming, Failure> {
        let ids: Vec<&str> = combination.iter().map(|c| c.1.as_str()).collect();
        let name = ids.join("+");
        let own = Folder::create(&folder.file(&name))?;
        let ground = simulation.ground();
        let floors = match ground.plan {
            true => simulation.place().ground.floor_count(),
            false => 1,
        };
        let storeys = Storeys::of(ground, floors, &job.surroundings.floor_names);
        let expected = expected_people(simulation.scenario());
        Ok(Filming {
            recording: Recording::new(&own, simulation, FRAMES, expected, &storeys)?,
            storeys,
            folder: own,
            name,
        })
    }

    fn finish(self, simulation: &Simulation, job: &Job<'_>) -> Result<String, Failure> {
        let used = strategies(simulation.scenario(), &job.loaded.registry);
        let about = About {
            strategies: serde_json::to_value(used).map_err(Failure::run)?,
            digest: format!("{:016x}", simulation.digest()),
            metrics: String::new(),
            kernel: KERNEL,
            sources: Vec::new(),
            notes: Vec::new(),
        };
        let recorded = self.recording.finish()?;
        let page = replay::write(
            &self.folder,
            simulation,
            &self.storeys,
            job.surroundings,
            &recorded,
            &about,
        )?;
        Ok(format!("{}/{page}", self.name))
    }
}

fn all_of(registry: &Registry, slot: Slot) -> Vec<String> {
    registry.of(slot).map(|s| s.id.clone()).collect()
}

/// The slots that are named to vary, each with its ids.
pub(super) fn axes_of(
    vary: &[String],
    registry: &Registry,
) -> Result<Vec<(Slot, Vec<String>)>, Failure> {
    let mut axes: Vec<(Slot, Vec<String>)> = Vec::new();
    for text in vary {
        let (name, ids) = match text.split_once('=') {
            Some((name, ids)) => (name, Some(ids)),
            None => (text.as_str(), None),
        };
        let slot = slot_named(name.trim())?;
        let ids: Vec<String> = match ids {
            None => all_of(registry, slot),
            Some(ids) => ids.split(',').map(|id| id.trim().to_owned()).collect(),
        };
        for id in &ids {
            known(registry, slot, id)?;
        }
        match axes.iter_mut().find(|a| a.0 == slot) {
            Some(axis) => axis.1.extend(ids),
            None => axes.push((slot, ids)),
        }
    }
    axes.sort_by_key(|a| a.0);
    for (_, ids) in &mut axes {
        let mut seen = Vec::new();
        ids.retain(|id| {
            let fresh = !seen.contains(id);
            seen.push(id.clone());
            fresh
        });
    }
    Ok(axes)
}

fn known(registry: &Registry, slot: Slot, id: &str) -> Result<(), Failure> {
    if registry.find(slot, id).is_some() {
        return Ok(());
    }
    let meant = registry
        .suggest(slot, id)
        .map_or_else(String::new, |n| format!("; did you mean {n:?}?"));
    let all: Vec<&str> = registry.of(slot).map(|s| s.id.as_str()).collect();
    Err(Failure::input(format!(
        "there is no {} {id:?}; allowed: {}{meant}",
        slot.name(),
        all.join(", ")
    )))
}

/// Every choice of one id per slot, the last slot changing fastest.
fn product(axes: &[(Slot, Vec<String>)]) -> Vec<Vec<(Slot, String)>> {
    axes.iter().fold(vec![Vec::new()], |rows, (slot, ids)| {
        rows.iter()
            .flat_map(|row| {
                ids.iter().map(move |id| {
                    let mut longer: Vec<(Slot, String)> = row.clone();
                    longer.push((*slot, id.clone()));
                    longer
                })
            })
            .take(MOST + 1)
            .collect()
    })
}

/// What a scenario is called in reports.
fn title(scenario: &Scenario) -> &str {
    &scenario.name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_product_has_every_choice_once() {
        let axes = [
            (Slot::Nav, vec!["a".to_owned(), "b".to_owned()]),
            (
                Slot::Cost,
                vec!["x".to_owned(), "y".to_owned(), "z".to_owned()],
            ),
        ];
        let all: Vec<String> = product(&axes)
            .iter()
            .map(|c| c.iter().map(|(_, id)| id.as_str()).collect())
            .collect();
        assert_eq!(all, ["ax", "ay", "az", "bx", "by", "bz"]);
    }
}
