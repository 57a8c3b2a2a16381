//! Trajectories: where everybody was at regular times, in the formats that the scenario asks for.

mod lines;
#[cfg(feature = "sqlite")]
mod sqlite;

use glam::{DVec2, DVec3};
use throng::{engine::simulation::Simulation as Engine, scenario::RecordFormat};

use super::Folder;
use crate::failure::Failure;

/// One person in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its stable id.
    pub id: u64,
    /// Where it is, world coordinates.
    pub at: DVec3,
    /// Where it faces in plan, a unit vector.
    pub facing: DVec2,
}

/// A file that takes frames.
pub trait TrajectoryFile: std::fmt::Debug {
    /// Adds a frame, rows sorted by id.
    fn frame(&mut self, frame: u64, rows: &[Row]) -> Result<(), Failure>;

    /// Gives the file its name and tells it.
    fn finish(self: Box<Self>) -> Result<String, Failure>;
}

/// All trajectory files of a run.
#[derive(Debug)]
pub struct Trajectories {
    files: Vec<Box<dyn TrajectoryFile>>,
    every: u64,
    rows: Vec<Row>,
}

impl Trajectories {
    /// Begins the files that the scenario asks for.
    pub fn new(folder: &Folder, simulation: &Engine) -> Result<Trajectories, Failure> {
        let scenario = simulation.scenario();
        let every = ((scenario.record.every / scenario.dt).round() as u64).max(1);
        let frame_rate = 1.0 / (every as f64 * scenario.dt);
        let mut files: Vec<Box<dyn TrajectoryFile>> = Vec::new();
        for format in &scenario.record.formats {
            files.push(match format {
                RecordFormat::Text => {
                    Box::new(lines::LinesFile::text(folder, &scenario.name, frame_rate)?)
                }
                RecordFormat::Csv => Box::new(lines::LinesFile::csv(folder, frame_rate)?),
                #[cfg(feature = "sqlite")]
                RecordFormat::Sqlite => Box::new(sqlite::SqliteFile::new(
                    folder,
                    simulation.ground(),
                    frame_rate,
                )?),
                #[cfg(not(feature = "sqlite"))]
                RecordFormat::Sqlite => {
                    crate::console::err(
                        "note: this build writes no sqlite; record.formats = [\"text\"] works",
                    );
                    continue;
                }
            });
        }
        Ok(Trajectories {
            files,
            every,
            rows: Vec::new(),
        })
    }

    /// Adds a frame after a step, if it is time.
    pub fn observe(&mut self, simulation: &Engine) -> Result<(), Failure> {
        let step = simulation.steps();
        if self.files.is_empty() || !step.is_multiple_of(self.every) {
            return Ok(());
        }
        let (ground, agents) = (simulation.ground(), simulation.agents());
        self.rows.clear();
        for row in 0..agents.len() {
            let at = agents.location[row];
            let normal = ground.normals[at.triangle as usize];
            let facing = agents.frame[row].to_world(normal, agents.heading[row]);
            self.rows.push(Row {
                id: agents.id[row],
                at: simulation.world_point(at),
                facing: facing.truncate().as_dvec2().normalize_or(DVec2::X),
            });
        }
        self.rows.sort_unstable_by_key(|r| r.id);
        for file in &mut self.files {
            file.frame(step / self.every, &self.rows)?;
        }
        Ok(())
    }

    /// Gives the files their names and tells them.
    pub fn finish(self) -> Result<Vec<String>, Failure> {
        self.files.into_iter().map(|file| file.finish()).collect()
    }
}
