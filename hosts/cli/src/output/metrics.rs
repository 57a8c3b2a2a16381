//! `metrics.csv`: a line for every sample of the metrics.

use std::{
    fs::File,
    io::{BufWriter, Write},
};

use throng::{
    engine::simulation::Simulation as Engine,
    metrics::{Metrics, SpeedCounts},
};

use super::Folder;
use crate::failure::Failure;

const NAME: &str = "metrics.csv";
const HEADINGS: &str = "time_s,step,walking,spawned,arrived,removed,unreachable,\
mean_speed_m_s,overlapping_pairs,deepest_overlap_so_far_m,mean_density_1_m2,\
peak_density_so_far_1_m2,stalled_share,route_switches";

/// Writes the lines.
#[derive(Debug)]
pub struct MetricsFile {
    folder: Folder,
    file: BufWriter<File>,
    every: u64,
    before: Metrics,
}

impl MetricsFile {
    /// Begins the file.
    pub fn new(folder: &Folder, simulation: &Engine) -> Result<MetricsFile, Failure> {
        let scenario = simulation.scenario();
        let mut file = folder.open(NAME)?;
        writeln!(file, "{HEADINGS}").map_err(|e| folder.failed(NAME, e))?;
        Ok(MetricsFile {
            folder: folder.clone(),
            file,
            every: ((scenario.metrics.every / scenario.dt).round() as u64).max(1),
            before: small(simulation.metrics()),
        })
    }

    /// Adds a line after a step at which metrics were sampled.
    pub fn observe(&mut self, simulation: &Engine) -> Result<(), Failure> {
        let step = simulation.steps();
        if !step.is_multiple_of(self.every) {
            return Ok(());
        }
        let (now, was) = (simulation.metrics(), &self.before);
        let samples = (now.samples - was.samples).max(1) as f64;
        let speeds = (now.speed_samples - was.speed_samples).max(1) as f64;
        let looks = (now.stall_looks - was.stall_looks).max(1) as f64;
        writeln!(
            self.file,
            "{:.3},{step},{},{},{},{},{},{:.4},{},{:.4},{:.4},{:.4},{:.4},{}",
            simulation.time(),
            simulation.agents().len(),
            now.spawned,
            now.arrived,
            now.removed,
            now.unreachable,
            (now.speed_sum - was.speed_sum) / speeds,
            now.overlap_pairs - was.overlap_pairs,
            now.overlap_deepest,
            (now.density_sum - was.density_sum) / samples,
            now.density_peak,
            (now.stalled - was.stalled) as f64 / looks,
            now.route_switches,
        )
        .map_err(|e| self.folder.failed(NAME, e))?;
        self.before = small(now);
        Ok(())
    }

    /// Gives the file its name.
    pub fn finish(mut self) -> Result<String, Failure> {
        let done = self.file.flush();
        done.map_err(|e| self.folder.failed(NAME, e))?;
        self.folder.finish(NAME)?;
        Ok(NAME.into())
    }
}

/// The counters without the long lists.
fn small(metrics: &Metrics) -> Metrics {
    Metrics {
        travel_times: Vec::new(),
        path_lengths: Vec::new(),
        speeds: SpeedCounts::default(),
        tiers: Vec::new(),
        ..*metrics
    }
}
