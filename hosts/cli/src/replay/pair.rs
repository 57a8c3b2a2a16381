//! Two runs of one scenario side by side on one page: what was accepted, and what runs now.
//!
//! Each side is a replay page of its own in a frame; the page around them keeps their times and
//! cameras together.

use std::{collections::HashMap, fs};

use throng::{
    Spot,
    core::NONE,
    engine::{AgentId, simulation::Simulation as Engine},
    snapshot::Track,
};

use super::{
    bytes::{base64, deflated},
    packer::Sample,
    page::{self, About},
    recording::{People, Person, Recorded},
    scene::Surroundings,
    spool::Spool,
};
use crate::{
    draw::Storeys,
    failure::Failure,
    output::{Folder, summary::KERNEL},
};

const HTML: &str = include_str!("page/pair.html");

/// A side: what it is called and what happened.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its name.
    pub name: &'a str,
    /// Everybody after each step.
    pub track: &'a Track,
    /// Its digest, for reading.
    pub digest: u64,
}

/// What the page says and where it opens.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The title.
    pub title: String,
    /// What moved, in words.
    pub said: Vec<String>,
    /// The step that it opens at.
    pub step: u64,
    /// The agent that is picked.
    pub agent: Option<u64>,
    /// The place that the camera looks at, world coordinates.
    pub place: Option<glam::DVec3>,
}

/// Writes a page of two runs under a name in a folder. `simulation` has made the steps of the
/// second one.
pub fn write(
    folder: &Folder,
    name: &str,
    simulation: &Engine,
    surroundings: &Surroundings,
    strategies: &serde_json::Value,
    sides: [Side<'_>; 2],
    opening: &Opening,
) -> Result<(), Failure> {
    let ground = simulation.ground();
    let floors = simulation.place().ground.floor_count();
    let floors = if ground.plan { floors } else { 1 };
    let storeys = Storeys::of(ground, floors, &surroundings.floor_names);
    let mut pages = Vec::new();
    let mut picks = Vec::new();
    for side in sides {
        let (recorded, serials) = recorded(folder, simulation, &storeys, side.track)?;
        let about = About {
            strategies: strategies.clone(),
            digest: format!("{:016x}", side.digest),
            metrics: String::new(),
            kernel: KERNEL,
            sources: Vec::new(),
            notes: Vec::new(),
        };
        let written = page::write(
            folder,
            simulation,
            &storeys,
            surroundings,
            &recorded,
            &about,
        )?;
        let path = folder.file(&written);
        let text = fs::read(&path).map_err(|e| folder.failed(&written, e))?;
        fs::remove_file(&path).map_err(|e| folder.failed(&written, e))?;
        let mut packed = Vec::new();
        base64(&deflated(&text), &mut packed).map_err(|e| folder.failed(name, e))?;
        pages.push(String::from_utf8_lossy(&packed).into_owned());
        picks.push(opening.agent.and_then(|id| serials.get(&id).copied()));
    }
    let said: String = (opening.said.iter())
        .map(|s| format!("<li>{}</li>", page::escaped(s)))
        .collect();
    let facts = serde_json::json!({
        "time": opening.step as f64 * simulation.scenario().dt,
        "picks": picks,
        "place": opening.place.map(|p| (p - ground.origin).to_array()),
        "names": sides.map(|s| s.name),
    });
    let text = HTML
        .replace("{title}", &page::escaped(&opening.title))
        .replace("{said}", &said)
        .replace("{facts}", &facts.to_string())
        .replace("{was}", &pages[0])
        .replace("{now}", &pages[1]);
    folder.write(name, text.as_bytes())
}

/// A track as the page reads it, and the serial number of each agent.
fn recorded(
    folder: &Folder,
    simulation: &Engine,
    storeys: &Storeys,
    track: &Track,
) -> Result<(Recorded, HashMap<u64, u32>), Failure> {
    let (ground, agents) = (simulation.ground(), simulation.agents());
    let dt = simulation.scenario().dt;
    let mut spool = Spool::new(folder, !ground.flat, dt)?;
    let mut people = People::default();
    let mut known: HashMap<u64, (u32, glam::Vec3)> = HashMap::new();
    for (i, step) in track.steps.iter().enumerate() {
        let mut samples = Vec::with_capacity(step.len());
        for seen in step {
            let at = (seen.point() - ground.origin).as_vec3();
            let row = agents.row(AgentId(seen.id));
            let entry = known.entry(seen.id).or_insert_with(|| {
                let serial = people.add(&Person {
                    id: seen.id,
                    source: NONE,
                    profile: 0,
                    group: NONE,
                    radius: row.map_or(0.24, |r| agents.radius[r]),
                    speed: row.map_or(1.34, |r| agents.speed[r]),
                });
                (serial, at)
            });
            let (serial, before) = *entry;
            entry.1 = at;
            let place = simulation.locate(Spot::Space(seen.point()));
            let storey = place.map_or(0, |p| storeys.panel(p.triangle) as u32);
            samples.push(Sample {
                serial,
                at,
                speed: at.distance(before) / dt as f32,
                slow: [storey, 0, 1, 0],
            });
        }
        samples.sort_unstable_by_key(|s| s.serial);
        for sample in &samples {
            spool.packer.add(sample);
        }
        spool.end_frame(i as u64 + 1, 1, samples.len())?;
    }
    let (count, people) = people.finish();
    let recorded = Recorded {
        blocks: spool.finish()?,
        people,
        count,
        detailed: 0,
        routes: deflated(&[]),
        routes_of_all: false,
        routes_full: false,
        doors_at_start: ground.door_open.to_vec(),
        door_changes: Vec::new(),
        peaks: Vec::new(),
    };
    let serials = known.into_iter().map(|(id, (serial, _))| (id, serial));
    Ok((recorded, serials.collect()))
}
