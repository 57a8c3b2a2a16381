//! Takes what a run leaves behind while it runs.

use throng::{engine::simulation::Simulation as Engine, environment::Environment};

use super::{
    Folder,
    measuring::{Measures, Measuring},
    metrics::MetricsFile,
    summary::KERNEL,
    trajectories::Trajectories,
};
use crate::{
    draw::{Caption, Tracks, draw_run, expected_people},
    failure::Failure,
    replay::{self, About, Recording, Surroundings},
};

/// Takes what a run leaves behind while it runs.
#[derive(Debug)]
pub struct Recorder {
    folder: Folder,
    trajectories: Trajectories,
    metrics: MetricsFile,
    tracks: Tracks,
    measuring: Measuring,
    replay: Option<Recording>,
    surroundings: Surroundings,
}

impl Recorder {
    /// Begins the files of a run.
    pub fn new(
        folder: &Folder,
        simulation: &Engine,
        environment: &Environment,
        surroundings: Surroundings,
    ) -> Result<Recorder, Failure> {
        let scenario = simulation.scenario();
        let tracks = Tracks::new(simulation, scenario, &surroundings.floor_names);
        let replay = match scenario.record.replay {
            every if every > 0.0 => Some(Recording::new(
                folder,
                simulation,
                every,
                expected_people(scenario),
                &tracks.storeys,
            )?),
            _ => None,
        };
        Ok(Recorder {
            folder: folder.clone(),
            replay,
            surroundings,
            trajectories: Trajectories::new(folder, simulation)?,
            metrics: MetricsFile::new(folder, simulation)?,
            tracks,
            measuring: Measuring::new(simulation, environment),
        })
    }

    /// Takes what there is after a step.
    pub fn observe(&mut self, simulation: &Engine) -> Result<(), Failure> {
        self.trajectories.observe(simulation)?;
        self.metrics.observe(simulation)?;
        self.tracks.observe(simulation);
        self.measuring.observe(simulation);
        if let Some(replay) = &mut self.replay {
            replay.observe(simulation)?;
        }
        Ok(())
    }

    /// Draws the picture, writes the replay and gives all files their names; tells them and what
    /// was measured.
    pub fn finish(
        self,
        simulation: &Engine,
        caption: &Caption,
        strategies: serde_json::Value,
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
        if let Some(replay) = self.replay {
            let metrics = std::fs::read_to_string(self.folder.file("metrics.csv"));
            let about = About {
                strategies,
                digest: format!("{:016x}", simulation.digest()),
                metrics: metrics.map_err(|e| self.folder.failed(replay::NAME, e))?,
                kernel: KERNEL,
                sources: caption.sources.clone(),
                notes: Vec::new(),
            };
            let (storeys, surroundings) = (&self.tracks.storeys, &self.surroundings);
            let recorded = replay.finish()?;
            files.push(replay::write(
                &self.folder,
                simulation,
                storeys,
                surroundings,
                &recorded,
                &about,
            )?);
        }
        Ok((files, measures))
    }
}
