//! Takes what a run leaves behind while it runs.

use std::collections::BTreeMap;

use throng::{
    Event,
    engine::{agents::Doing, simulation::Simulation as Engine},
    environment::Environment,
    metrics::Spread,
};

use super::{
    Folder,
    measuring::{Measures, Measuring},
    metrics::MetricsFile,
    trajectories::Trajectories,
};
use crate::{
    draw::{Caption, Tracks, draw_run},
    failure::Failure,
};

/// Width of a bin of speeds, metres per second.
const SPEED_BIN: f32 = 0.01;
/// Bins of speeds; the last one takes everything above.
const SPEED_BINS: usize = 1001;

/// Speeds of walkers at the samples of the metrics, counted in bins.
#[derive(Debug)]
struct Speeds {
    counts: Vec<u64>,
    every: u64,
}

impl Speeds {
    fn observe(&mut self, simulation: &Engine) {
        if !simulation.steps().is_multiple_of(self.every) {
            return;
        }
        let agents = simulation.agents();
        for (velocity, record) in agents.velocity.iter().zip(&agents.record) {
            if record.doing == Doing::Walking {
                let bin = (velocity.length() / SPEED_BIN).round() as usize;
                self.counts[bin.min(SPEED_BINS - 1)] += 1;
            }
        }
    }

    fn spread(&self) -> Spread {
        let total: u64 = self.counts.iter().sum();
        if total == 0 {
            return Spread::default();
        }
        let value = |bin: usize| bin as f64 * f64::from(SPEED_BIN);
        let rank = |p: f64| {
            let wanted = ((p * total as f64).ceil() as u64).max(1);
            let mut seen = 0;
            let found = self.counts.iter().position(|c| {
                seen += c;
                seen >= wanted
            });
            value(found.unwrap_or(SPEED_BINS - 1))
        };
        let sum: f64 = self
            .counts
            .iter()
            .enumerate()
            .map(|(bin, c)| value(bin) * *c as f64)
            .sum();
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

/// Takes what a run leaves behind while it runs.
#[derive(Debug)]
pub struct Recorder {
    folder: Folder,
    trajectories: Trajectories,
    metrics: MetricsFile,
    tracks: Tracks,
    speeds: Speeds,
    measuring: Measuring,
    unreachable: BTreeMap<&'static str, u64>,
}

impl Recorder {
    /// Begins the files of a run.
    pub fn new(
        folder: &Folder,
        simulation: &Engine,
        environment: &Environment,
        floor_names: &[String],
    ) -> Result<Recorder, Failure> {
        let scenario = simulation.scenario();
        Ok(Recorder {
            folder: folder.clone(),
            trajectories: Trajectories::new(folder, simulation)?,
            metrics: MetricsFile::new(folder, simulation)?,
            tracks: Tracks::new(simulation, scenario, floor_names),
            speeds: Speeds {
                counts: vec![0; SPEED_BINS],
                every: ((scenario.metrics.every / scenario.dt).round() as u64).max(1),
            },
            measuring: Measuring::new(simulation, environment),
            unreachable: BTreeMap::new(),
        })
    }

    /// Takes what there is after a step.
    pub fn observe(&mut self, simulation: &Engine) -> Result<(), Failure> {
        self.trajectories.observe(simulation)?;
        self.metrics.observe(simulation)?;
        self.tracks.observe(simulation);
        self.speeds.observe(simulation);
        self.measuring.observe(simulation);
        for event in simulation.events() {
            if let Event::Unreachable(_, why) = event {
                *self.unreachable.entry(why).or_default() += 1;
            }
        }
        Ok(())
    }

    /// Spread of the walkers' speeds since it began.
    pub fn speeds(&self) -> Spread {
        self.speeds.spread()
    }

    /// How often somebody had no way, by reason.
    pub fn unreachable(&self) -> BTreeMap<&'static str, u64> {
        self.unreachable.clone()
    }

    /// Draws the picture and gives all files their names; tells them and what was measured.
    pub fn finish(
        self,
        simulation: &Engine,
        caption: &Caption,
        svg: bool,
    ) -> Result<(Vec<String>, Measures), Failure> {
        let measures = self.measuring.finish(simulation);
        let mut files = self.trajectories.finish()?;
        files.push(self.metrics.finish()?);
        let drawn = draw_run(simulation, &self.tracks, caption, svg)?;
        self.folder.write("picture.png", &drawn.png)?;
        files.push("picture.png".into());
        if let Some(text) = drawn.svg {
            self.folder.write("picture.svg", text.as_bytes())?;
            files.push("picture.svg".into());
        }
        Ok((files, measures))
    }
}
