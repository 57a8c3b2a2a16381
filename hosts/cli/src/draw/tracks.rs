//! What a picture of a run needs, gathered while it runs: some paths, and where people were.

use std::collections::HashMap;

use glam::Vec3;
use throng::{
    core::random::mix,
    engine::simulation::Simulation as Engine,
    scenario::{Scenario, SourceSpec},
};

use super::{heat::Heat, storeys::Storeys};

/// About so many paths are drawn.
const PATHS: u64 = 400;
/// A path that has so many points is thinned out, and all others with it.
const MOST_POINTS: usize = 4096;
/// Seconds between two points of a path.
const EVERY: f64 = 0.5;

/// The way of one person.
#[derive(Clone, Debug)]
pub struct Trail {
    /// The source that it came from.
    pub source: u32,
    /// Panels and places, local coordinates.
    pub points: Vec<(u16, Vec3)>,
}

/// Some paths, and the density on small cells.
#[derive(Debug)]
pub struct Tracks {
    /// The panels.
    pub storeys: Storeys,
    /// One for each panel; none for grounds that are no plan.
    pub heat: Vec<Heat>,
    /// Samples of density with anybody there.
    pub samples: u64,
    /// The paths.
    pub trails: Vec<Trail>,
    trail_of: HashMap<u64, usize>,
    one_in: u64,
    every: u64,
    heat_every: u64,
}

/// How many people a scenario will have, as far as it says.
pub fn expected_people(scenario: &Scenario) -> u64 {
    let sources = scenario.sources.iter();
    sources.map(|s| expected(s, scenario.duration)).sum()
}

fn expected(source: &SourceSpec, duration: f64) -> u64 {
    let by_rate = source.rate.map(|rate| {
        let stop = source.stop.unwrap_or(duration).min(duration);
        ((stop - source.start).max(0.0) * rate) as u64
    });
    let by_count = source.count.or(source.hold);
    match (by_rate, by_count) {
        (Some(a), Some(b)) => a.min(b),
        (a, b) => a.or(b).unwrap_or(0),
    }
}

impl Tracks {
    /// Nothing gathered yet.
    pub fn new(simulation: &Engine, scenario: &Scenario, floor_names: &[String]) -> Tracks {
        let ground = simulation.ground();
        let floors = simulation.place().ground.floor_count();
        let storeys = if ground.plan && !ground.flat && floors <= 1 {
            Storeys::by_level(ground)
        } else {
            Storeys::of(ground, if ground.plan { floors } else { 1 }, floor_names)
        };
        let people = expected_people(scenario);
        let every = ((EVERY / scenario.dt).round() as u64).max(1);
        Tracks {
            heat: if ground.plan {
                storeys.storeys.iter().map(Heat::new).collect()
            } else {
                Vec::new()
            },
            storeys,
            samples: 0,
            trails: Vec::new(),
            trail_of: HashMap::new(),
            one_in: people.div_ceil(PATHS).max(1),
            every,
            heat_every: every,
        }
    }

    /// Takes what the simulation shows after a step.
    pub fn observe(&mut self, simulation: &Engine) {
        let step = simulation.steps();
        let agents = simulation.agents();
        if step.is_multiple_of(self.heat_every) && !self.heat.is_empty() && !agents.is_empty() {
            self.samples += 1;
            for at in &agents.location {
                let panel = self.storeys.panel(at.triangle);
                self.heat[panel].count(at.point.truncate());
            }
        }
        if !step.is_multiple_of(self.every) {
            return;
        }
        let mut longest = 0;
        for row in 0..agents.len() {
            let id = agents.id[row];
            if !mix(id).is_multiple_of(self.one_in) {
                continue;
            }
            let trail = *self.trail_of.entry(id).or_insert_with(|| {
                self.trails.push(Trail {
                    source: agents.record[row].source,
                    points: Vec::new(),
                });
                self.trails.len() - 1
            });
            let at = agents.location[row];
            let points = &mut self.trails[trail].points;
            points.push((self.storeys.panel(at.triangle) as u16, at.point));
            longest = longest.max(points.len());
        }
        if longest >= MOST_POINTS {
            self.every *= 2;
            for trail in &mut self.trails {
                let mut keep = false;
                trail.points.retain(|_| {
                    keep = !keep;
                    keep
                });
            }
        }
    }
}
