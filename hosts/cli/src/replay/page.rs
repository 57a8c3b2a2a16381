//! The page: its sources, and a recording put into them.

use std::{
    fs::File,
    io::{BufWriter, Write},
};

use serde_json::{Value, json};
use throng::engine::simulation::Simulation as Engine;

use super::{
    bytes::{base64, deflated},
    packer::{QUANTUM, SPEED_QUANTUM, VELOCITY_QUANTUM},
    recording::Recorded,
    scene::{Surroundings, scene},
};
use crate::{draw::Storeys, failure::Failure, output::Folder};

/// The file's name.
pub const NAME: &str = "replay.html";

/// How blocks are packed: a page can take over the recording of another one with the same number.
const FORMAT: u32 = 2;
/// What follows after the last part of a recording.
const SCRIPT: &str = "<script>\n(() => {";

const HTML: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPTS: [&str; 10] = [
    include_str!("page/format.js"),
    include_str!("page/colours.js"),
    include_str!("page/camera.js"),
    include_str!("page/density.js"),
    include_str!("page/shaders.js"),
    include_str!("page/draw.js"),
    include_str!("page/charts.js"),
    include_str!("page/panel.js"),
    include_str!("page/replay.js"),
    include_str!("page/control.js"),
];

/// What a page says of the run beside what was recorded.
#[derive(Clone, Debug)]
pub struct About {
    /// Strategies with slot, id, tier, version and origin.
    pub strategies: Value,
    /// Digest of the run.
    pub digest: String,
    /// The lines of `metrics.csv`.
    pub metrics: String,
    /// How the density of the metrics is measured.
    pub kernel: &'static str,
    /// Names of the sources.
    pub sources: Vec<String>,
    /// What was not recorded and why.
    pub notes: Vec<String>,
}

/// Writes the page of a run.
pub fn write(
    folder: &Folder,
    simulation: &Engine,
    storeys: &Storeys,
    surroundings: &Surroundings,
    recorded: &Recorded,
    about: &About,
) -> Result<String, Failure> {
    wrap(folder, &simulation.scenario().name, |file| {
        let failed = |e: std::io::Error| folder.failed(NAME, e);
        let facts = facts(simulation, recorded, about).to_string();
        let scene = scene(simulation, storeys, surroundings).to_string();
        section(file, "facts", &deflated(facts.as_bytes())).map_err(failed)?;
        section(file, "scene", &deflated(scene.as_bytes())).map_err(failed)?;
        section(file, "people", &recorded.people).map_err(failed)?;
        section(file, "routes", &recorded.routes).map_err(failed)?;
        let mut number = 0;
        recorded.blocks.each(|bytes| {
            let name = format!("block-{number}");
            number += 1;
            section(file, &name, bytes).map_err(failed)
        })
    })
}

/// Writes a page about the recording that `fill` writes.
fn wrap(
    folder: &Folder,
    name: &str,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<(), Failure>,
) -> Result<String, Failure> {
    let (head, tail) = HTML
        .split_once("<!-- recording -->\n")
        .ok_or_else(|| Failure::run("the page has no place for a recording"))?;
    let head = head
        .replace("{title}", &escaped(name))
        .replace("/* style */", STYLE);
    let tail = tail.replace("/* scripts */", &SCRIPTS.join("\n"));
    let mut file = folder.open(NAME)?;
    let failed = |e: std::io::Error| folder.failed(NAME, e);
    file.write_all(head.as_bytes()).map_err(failed)?;
    fill(&mut file)?;
    file.write_all(tail.as_bytes()).map_err(failed)?;
    file.flush().map_err(failed)?;
    drop(file);
    folder.finish(NAME)?;
    Ok(NAME.into())
}

/// Puts the recording of an old page into a new one; nothing if it has none.
pub fn rewrap(folder: &Folder, name: &str, old: &[u8]) -> Result<Option<String>, Failure> {
    let find = |what: &str, from: usize| {
        let what = what.as_bytes();
        let places = old.get(from..)?.windows(what.len());
        places
            .into_iter()
            .position(|w| w == what)
            .map(|at| from + at)
    };
    let (Some(begin), Some(end)) = (find(&opening("facts"), 0), find(SCRIPT, 0)) else {
        return Ok(None);
    };
    if begin >= end {
        return Ok(None);
    }
    let done = wrap(folder, name, |file| {
        let kept = file.write_all(&old[begin..end]);
        kept.map_err(|e| folder.failed(NAME, e))
    });
    done.map(Some)
}

/// How a part of the recording begins.
fn opening(name: &str) -> String {
    format!("<script type=\"application/octet-stream\" data-format=\"{FORMAT}\" id=\"{name}\">")
}

/// A part of the recording: base64 of deflated bytes in an element of its own, so that a page
/// reads the ones that it needs.
fn section(out: &mut impl Write, name: &str, bytes: &[u8]) -> std::io::Result<()> {
    out.write_all(opening(name).as_bytes())?;
    base64(bytes, out)?;
    writeln!(out, "</script>")
}

/// Text as HTML shows it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

fn facts(simulation: &Engine, recorded: &Recorded, about: &About) -> Value {
    let (scenario, ground) = (simulation.scenario(), simulation.ground());
    let (parts, place) = (simulation.parts(), simulation.place());
    let tiers: Vec<Value> = parts
        .tiers
        .iter()
        .map(|tier| {
            let spec = scenario.tiers.iter().find(|t| t.level == tier.level);
            let named = |of: fn(&throng::scenario::TierSpec) -> Option<String>, base: &str| {
                spec.and_then(of).unwrap_or_else(|| base.to_owned())
            };
            let avoidance = named(
                |t| t.avoidance.as_ref().map(|s| s.kind.clone()),
                &scenario.avoidance.kind,
            );
            let perception = parts.avoidances[tier.avoidance].perception;
            json!({
                "level": tier.level,
                "period": tier.period,
                "avoidance": avoidance,
                "guide": named(|t| t.guide.as_ref().map(|s| s.kind.clone()), &scenario.planner.kind),
                "cost": named(|t| t.cost.as_ref().map(|s| s.kind.clone()), &scenario.cost.model.kind),
                "follow": tier.follow.kind.to_string(),
                "reach": perception.reach,
                "most": perception.most,
            })
        })
        .collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "scenario": scenario.name,
        "seed": scenario.seed,
        "dt": scenario.dt,
        "steps": simulation.steps(),
        "digest": about.digest,
        "strategies": about.strategies,
        "tiers": tiers,
        "quantum": QUANTUM,
        "speed_quantum": SPEED_QUANTUM,
        "velocity_quantum": VELOCITY_QUANTUM,
        "origin": ground.origin.to_array(),
        "heights": !ground.flat,
        "plan": ground.plan,
        "blocks": recorded.blocks.blocks,
        "people": recorded.count,
        "detailed": recorded.detailed,
        "routes_of_all": recorded.routes_of_all,
        "routes_full": recorded.routes_full,
        "goals": place.areas.iter().map(|a| a.name.clone()).collect::<Vec<_>>(),
        "sources": about.sources,
        "profiles": scenario.profiles.iter().map(|p| p.name.clone()).collect::<Vec<_>>(),
        "group": scenario.group.kind,
        "doors_open": recorded.doors_at_start,
        "door_changes": recorded.door_changes,
        "metrics": about.metrics,
        "peaks": recorded.peaks,
        "kernel": about.kernel,
        "notes": about.notes,
    })
}
