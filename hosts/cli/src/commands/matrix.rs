//! `throng matrix`: every valid combination of strategies on one scenario.

use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use serde::Serialize;
use throng::{
    Loaded, Registry, Simulation,
    core::Slot,
    scenario::{Scenario, StrategySpec},
    snapshot::side_by_side,
};

use super::{ScenarioArgs, list::slot_named};
use crate::{
    console::{self, Table, number},
    failure::Failure,
};

/// Slots that vary when none is named.
const VARIED: [Slot; 4] = [Slot::Nav, Slot::Planner, Slot::Cost, Slot::Avoidance];
/// More combinations than this are refused.
const MOST: usize = 100_000;

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
}

/// A row of the table.
#[derive(Clone, Debug, Serialize)]
struct Row {
    combination: Vec<(&'static str, String)>,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Outcome {
    Ran {
        spawned: u64,
        arrived: u64,
        mean_speed: f64,
        mean_path: f64,
        travel_time: f64,
        overlaps: f64,
        stalled: f64,
        wall_crossings: u64,
        lost: u64,
        ms_per_step: f64,
        digest: String,
    },
    Refused {
        refused: String,
    },
    Failed {
        failed: String,
    },
}

/// Runs them all.
pub fn matrix(args: &MatrixArgs, json: bool) -> Result<(), Failure> {
    let loaded = args.scenario.load()?;
    let axes = axes(&args.vary, &loaded)?;
    let combinations = product(&axes);
    if combinations.len() > MOST {
        return Err(Failure::input(format!(
            "{} combinations; up to {MOST} are run, so vary fewer",
            combinations.len()
        )));
    }
    let done = AtomicUsize::new(0);
    let rows = side_by_side(&combinations, args.threads, |combination| {
        let outcome = one(&loaded, combination, args.steps);
        let count = done.fetch_add(1, Ordering::Relaxed) + 1;
        console::err(&format!(
            "{count} of {} done: {}",
            combinations.len(),
            words(combination)
        ));
        Row {
            combination: combination
                .iter()
                .map(|(s, id)| (s.name(), id.clone()))
                .collect(),
            outcome,
        }
    });
    if json {
        console::out_json(&documents(&rows, &loaded.scenario));
    } else {
        console::out(&table(&rows, &axes));
    }
    Ok(())
}

fn words(combination: &[(Slot, String)]) -> String {
    let parts: Vec<String> = combination
        .iter()
        .map(|(s, id)| format!("{} {id}", s.name()))
        .collect();
    parts.join(", ")
}

/// The slots that vary, each with its ids.
fn axes(vary: &[String], loaded: &Loaded) -> Result<Vec<(Slot, Vec<String>)>, Failure> {
    let registry = &loaded.registry;
    let all = |slot: Slot| registry.of(slot).map(|s| s.id.clone()).collect::<Vec<_>>();
    if vary.is_empty() {
        return Ok(VARIED.map(|slot| (slot, all(slot))).to_vec());
    }
    let mut axes: Vec<(Slot, Vec<String>)> = Vec::new();
    for text in vary {
        let (name, ids) = match text.split_once('=') {
            Some((name, ids)) => (name, Some(ids)),
            None => (text.as_str(), None),
        };
        let slot = slot_named(name.trim())?;
        let ids: Vec<String> = match ids {
            None => all(slot),
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

/// Puts a strategy into a slot; one that is there already keeps its options.
fn put(scenario: &mut Scenario, slot: Slot, id: &str) {
    let spec = match slot {
        Slot::Nav => &mut scenario.nav,
        Slot::Planner => &mut scenario.planner,
        Slot::Cost => &mut scenario.cost.model,
        Slot::Avoidance => &mut scenario.avoidance,
        Slot::Lod => &mut scenario.lod,
        Slot::Group => &mut scenario.group,
    };
    if spec.kind != id {
        *spec = StrategySpec::new(id);
    }
}

fn one(loaded: &Loaded, combination: &[(Slot, String)], steps: Option<u64>) -> Outcome {
    let mut scenario = loaded.scenario.clone();
    for (slot, id) in combination {
        put(&mut scenario, *slot, id);
    }
    let total = steps.unwrap_or((scenario.duration / scenario.dt).round().max(1.0) as u64);
    let own = Loaded {
        scenario,
        environment: loaded.environment.clone(),
        registry: loaded.registry.clone(),
    };
    let mut simulation = match Simulation::from_loaded(own, 1) {
        Ok(simulation) => simulation,
        Err(why) => {
            return Outcome::Refused {
                refused: why.to_string(),
            };
        }
    };
    while simulation.steps() < total && !simulation.is_over() {
        if let Err(why) = simulation.step() {
            return Outcome::Failed {
                failed: why.to_string(),
            };
        }
    }
    let metrics = simulation.metrics();
    let mean = |values: &[f32]| throng::metrics::Spread::of(values).mean;
    Outcome::Ran {
        spawned: metrics.spawned,
        arrived: metrics.arrived,
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
    }
}

fn documents(rows: &[Row], scenario: &Scenario) -> serde_json::Value {
    let rows: Vec<serde_json::Value> = rows
        .iter()
        .map(|row| {
            let mut document = serde_json::to_value(&row.outcome).unwrap_or_default();
            for (slot, id) in &row.combination {
                document[*slot] = id.as_str().into();
            }
            document
        })
        .collect();
    serde_json::json!({ "scenario": scenario.name, "combinations": rows })
}

fn table(rows: &[Row], axes: &[(Slot, Vec<String>)]) -> String {
    let mut headings: Vec<&str> = axes.iter().map(|a| a.0.name()).collect();
    headings.extend([
        "arrived", "speed", "path", "time", "overlaps", "stalled", "ms/step",
    ]);
    let mut table = Table::new(headings);
    let mut refused = Vec::new();
    for row in rows {
        let ids: Vec<String> = row.combination.iter().map(|c| c.1.clone()).collect();
        match &row.outcome {
            Outcome::Ran {
                spawned,
                arrived,
                mean_speed,
                mean_path,
                travel_time,
                overlaps,
                stalled,
                ms_per_step,
                ..
            } => table.row(ids.into_iter().chain([
                format!("{arrived}/{spawned}"),
                number(*mean_speed),
                number(*mean_path),
                number(*travel_time),
                number(*overlaps),
                format!("{:.1} %", 100.0 * stalled),
                number(*ms_per_step),
            ])),
            Outcome::Refused { refused: why } => {
                refused.push(format!("refused: {}: {why}", ids.join(", ")))
            }
            Outcome::Failed { failed: why } => {
                refused.push(format!("failed: {}: {why}", ids.join(", ")))
            }
        }
    }
    format!("{}{}", table.render(), refused.join("\n"))
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
