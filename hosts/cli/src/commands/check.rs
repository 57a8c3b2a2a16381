//! `throng check`: everything short of running.

use clap::Args;
use serde_json::json;
use throng::{Simulation, Spot, scenario::SourceSpec};

use super::{ScenarioArgs, run::used};
use crate::{
    console::{self, Table, number},
    failure::Failure,
};

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
}

/// Checks it.
pub fn check(args: &CheckArgs, json: bool) -> Result<(), Failure> {
    let loaded = args.scenario.load()?;
    let scenario = loaded.scenario.clone();
    let used = used(&scenario, &loaded.registry);
    let simulation = Simulation::from_loaded(loaded, 0)?;
    let mut warnings: Vec<String> = scenario
        .provenance
        .notices
        .items()
        .iter()
        .map(ToString::to_string)
        .collect();
    warnings.extend(ways(&simulation));
    let people: Vec<String> = scenario.sources.iter().map(people).collect();
    let (ground, map) = (simulation.ground(), simulation.map());
    let steps = (scenario.duration / scenario.dt).round();
    let area = simulation.place().ground.walkable_area();
    if json {
        console::out_json(&json!({
            "ok": true,
            "scenario": scenario.name,
            "scenario_hash": simulation.scenario_hash(),
            "steps": steps,
            "walkable_area": area,
            "floors": simulation.place().ground.floor_count(),
            "walls": ground.walls.len(),
            "doors": simulation.place().ground.door_names(),
            "nodes": map.nodes(),
            "directed_edges": map.edges(),
            "sources": people,
            "notices": simulation.notices(),
            "warnings": warnings,
        }));
        return Ok(());
    }
    let mut table = Table::new(["", ""]);
    let mut line = |name: &str, value: String| table.row([format!("  {name}"), value]);
    line("strategies", used);
    line("steps", format!("{steps} of {} s", scenario.dt));
    line(
        "ground",
        format!(
            "{} m2 on {} floor(s), {} walls",
            number(area),
            simulation.place().ground.floor_count(),
            ground.walls.len()
        ),
    );
    line(
        "map",
        format!("{} nodes, {} directed edges", map.nodes(), map.edges()),
    );
    if !simulation.place().ground.door_names().is_empty() {
        line("doors", simulation.place().ground.door_names().join(", "));
    }
    for source in people {
        line("source", source);
    }
    console::notices(simulation.notices());
    for warning in &warnings {
        console::err(&format!("warning: {warning}"));
    }
    let verdict = match warnings.len() {
        0 => "is fine".to_owned(),
        n => format!("runs, with {n} warning(s)"),
    };
    console::out(&format!("{} {verdict}\n{}", scenario.name, table.render()));
    Ok(())
}

/// What a source sends.
fn people(source: &SourceSpec) -> String {
    let mut words = Vec::new();
    if let Some(rate) = source.rate {
        words.push(format!("{rate} persons/s"));
    }
    if let Some(count) = source.count {
        words.push(format!("{count} persons"));
    }
    if let Some(hold) = source.hold {
        words.push(format!("held at {hold} persons"));
    }
    let name = match source.name.as_str() {
        "" => String::new(),
        name => format!("{name}: "),
    };
    format!("{name}{} as {}", words.join(", "), source.profile)
}

/// Sources without a way to a goal, for the widest body of their profile.
fn ways(simulation: &Simulation) -> Vec<String> {
    let scenario = simulation.scenario();
    let mut warnings = Vec::new();
    for (i, source) in simulation.sources().iter().enumerate() {
        let areas = &simulation.place().areas;
        let from = &areas[source.area as usize];
        let radius = scenario.profiles[source.profile].radius.bounds().1 as f32;
        for goal in source.goals.iter().flatten() {
            let to = &areas[*goal as usize];
            let spot = |at| Spot::Space(simulation.world_point(at));
            let found = simulation.path(spot(from.anchor), spot(to.anchor), radius);
            if let Err(why) = found {
                warnings.push(format!(
                    "source {}: no way from {:?} to {:?} for a radius of {radius} m: {why}",
                    i + 1,
                    from.name,
                    to.name
                ));
            }
        }
    }
    warnings
}
