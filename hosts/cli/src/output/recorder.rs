//! Takes what a run leaves behind while it runs.

use throng::engine::simulation::Simulation as Engine;

use super::{Folder, metrics::MetricsFile, trajectories::Trajectories};
use crate::{
    draw::{Caption, Tracks, draw_run},
    failure::Failure,
};

/// Takes what a run leaves behind while it runs.
#[derive(Debug)]
pub struct Recorder {
    folder: Folder,
    trajectories: Trajectories,
    metrics: MetricsFile,
    tracks: Tracks,
}

impl Recorder {
    /// Begins the files of a run.
    pub fn new(
        folder: &Folder,
        simulation: &Engine,
        floor_names: &[String],
    ) -> Result<Recorder, Failure> {
        let scenario = simulation.scenario();
        Ok(Recorder {
            folder: folder.clone(),
            trajectories: Trajectories::new(folder, simulation)?,
            metrics: MetricsFile::new(folder, simulation)?,
            tracks: Tracks::new(simulation, scenario, floor_names),
        })
    }

    /// Takes what there is after a step.
    pub fn observe(&mut self, simulation: &Engine) -> Result<(), Failure> {
        self.trajectories.observe(simulation)?;
        self.metrics.observe(simulation)?;
        self.tracks.observe(simulation);
        Ok(())
    }

    /// Draws the picture and gives all files their names.
    pub fn finish(
        self,
        simulation: &Engine,
        caption: &Caption,
        svg: bool,
    ) -> Result<Vec<String>, Failure> {
        let mut files = self.trajectories.finish()?;
        files.push(self.metrics.finish()?);
        let drawn = draw_run(simulation, &self.tracks, caption, svg)?;
        self.folder.write("picture.png", &drawn.png)?;
        files.push("picture.png".into());
        if let Some(text) = drawn.svg {
            self.folder.write("picture.svg", text.as_bytes())?;
            files.push("picture.svg".into());
        }
        Ok(files)
    }
}
