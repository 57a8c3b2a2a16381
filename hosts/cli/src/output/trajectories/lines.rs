//! Trajectories as lines: text that PedPy reads, and comma-separated values.

use std::{
    fs::File,
    io::{BufWriter, Write},
};

use super::{Row, TrajectoryFile};
use crate::{failure::Failure, output::Folder};

/// A file with a line per person and frame.
#[derive(Debug)]
pub struct LinesFile {
    folder: Folder,
    file: BufWriter<File>,
    name: &'static str,
    frame_rate: f64,
    commas: bool,
}

impl LinesFile {
    /// Text as the Pedestrian Dynamics Data Archive has it: id, frame, x, y, z in metres.
    pub fn text(folder: &Folder, scenario: &str, frame_rate: f64) -> Result<LinesFile, Failure> {
        let name = "trajectories.txt";
        // A name with line breaks must not end the comment.
        let scenario = scenario.replace(['\n', '\r'], " ");
        let head = format!(
            "# description: {scenario}\n# framerate: {frame_rate}\n# id frame x/m y/m z/m\n"
        );
        LinesFile::begin(folder, name, &head, frame_rate, false)
    }

    /// Comma-separated values with a line of headings.
    pub fn csv(folder: &Folder, frame_rate: f64) -> Result<LinesFile, Failure> {
        let head = "time_s,frame,id,x_m,y_m,z_m,facing_x,facing_y\n";
        LinesFile::begin(folder, "trajectories.csv", head, frame_rate, true)
    }

    fn begin(
        folder: &Folder,
        name: &'static str,
        head: &str,
        frame_rate: f64,
        commas: bool,
    ) -> Result<LinesFile, Failure> {
        let mut file = folder.open(name)?;
        file.write_all(head.as_bytes())
            .map_err(|e| folder.failed(name, e))?;
        Ok(LinesFile {
            folder: folder.clone(),
            file,
            name,
            frame_rate,
            commas,
        })
    }
}

impl TrajectoryFile for LinesFile {
    fn frame(&mut self, frame: u64, rows: &[Row]) -> Result<(), Failure> {
        for row in rows {
            let (id, at, facing) = (row.id, row.at, row.facing);
            let written = if self.commas {
                let time = frame as f64 / self.frame_rate;
                writeln!(
                    self.file,
                    "{time:.3},{frame},{id},{:.4},{:.4},{:.4},{:.4},{:.4}",
                    at.x, at.y, at.z, facing.x, facing.y
                )
            } else {
                writeln!(
                    self.file,
                    "{id} {frame} {:.4} {:.4} {:.4}",
                    at.x, at.y, at.z
                )
            };
            written.map_err(|e| self.folder.failed(self.name, e))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<String, Failure> {
        let done = self.file.flush();
        done.map_err(|e| self.folder.failed(self.name, e))?;
        self.folder.finish(self.name)?;
        Ok(self.name.into())
    }
}
