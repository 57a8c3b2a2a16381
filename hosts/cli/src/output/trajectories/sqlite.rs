//! Trajectories as a database with the tables that PedPy and the tools of JuPedSim read.
//!
//! Version 2 of that schema: `trajectory_data`, `metadata`, `geometry` and `frame_data`. Heights,
//! which it lacks, go to a table of their own where the ground is not flat.

use rusqlite::{Connection, params};
use throng::core::GroundView;

use super::{Row, TrajectoryFile};
use crate::{
    failure::Failure,
    output::{
        Folder,
        outline::{bounds, outline},
    },
};

const NAME: &str = "trajectories.sqlite";
/// Rows after which what was added is committed.
const BATCH: usize = 100_000;

const TABLES: &str = "
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE trajectory_data (
        frame INTEGER NOT NULL, id INTEGER NOT NULL,
        pos_x REAL NOT NULL, pos_y REAL NOT NULL, ori_x REAL NOT NULL, ori_y REAL NOT NULL);
    CREATE TABLE metadata (key TEXT NOT NULL UNIQUE, value TEXT NOT NULL);
    CREATE TABLE geometry (hash INTEGER NOT NULL, wkt TEXT NOT NULL);
    CREATE TABLE frame_data (frame INTEGER NOT NULL, geometry_hash INTEGER NOT NULL);
    BEGIN;";

const INDEXES: &str = "
    COMMIT;
    CREATE INDEX frame_id_idx ON trajectory_data (frame, id);
    CREATE UNIQUE INDEX geometry_hash ON geometry (hash);";

/// The database.
#[derive(Debug)]
pub struct SqliteFile {
    folder: Folder,
    database: Connection,
    geometry: i64,
    heights: bool,
    pending: usize,
}

impl SqliteFile {
    /// Begins the file with everything but the frames.
    pub fn new(
        folder: &Folder,
        ground: GroundView<'_>,
        frame_rate: f64,
    ) -> Result<SqliteFile, Failure> {
        folder.abandon(NAME);
        let wkt = outline(ground);
        let geometry = hash(&wkt);
        let heights = !ground.flat;
        let begin = || -> rusqlite::Result<Connection> {
            let database = Connection::open(folder.part(NAME))?;
            database.execute_batch(TABLES)?;
            if heights {
                database.execute_batch(
                    "CREATE TABLE height_data (
                        frame INTEGER NOT NULL, id INTEGER NOT NULL, pos_z REAL NOT NULL);",
                )?;
            }
            let (low, high) = bounds(ground);
            let metadata = [
                ("version", "2".to_owned()),
                ("fps", frame_rate.to_string()),
                ("xmin", low.x.to_string()),
                ("xmax", high.x.to_string()),
                ("ymin", low.y.to_string()),
                ("ymax", high.y.to_string()),
            ];
            for (key, value) in metadata {
                database.execute("INSERT INTO metadata VALUES (?, ?)", params![key, value])?;
            }
            database.execute("INSERT INTO geometry VALUES (?, ?)", params![geometry, wkt])?;
            Ok(database)
        };
        Ok(SqliteFile {
            database: begin().map_err(|e| folder.failed(NAME, e))?,
            folder: folder.clone(),
            geometry,
            heights,
            pending: 0,
        })
    }

    fn add(&mut self, frame: u64, rows: &[Row]) -> rusqlite::Result<()> {
        let frame = frame as i64;
        self.database
            .prepare_cached("INSERT INTO frame_data VALUES (?, ?)")?
            .execute(params![frame, self.geometry])?;
        let mut places = self
            .database
            .prepare_cached("INSERT INTO trajectory_data VALUES (?, ?, ?, ?, ?, ?)")?;
        for row in rows {
            let (at, facing) = (row.at, row.facing);
            places.execute(params![
                frame,
                row.id as i64,
                at.x,
                at.y,
                facing.x,
                facing.y
            ])?;
        }
        drop(places);
        if self.heights {
            let mut heights = self
                .database
                .prepare_cached("INSERT INTO height_data VALUES (?, ?, ?)")?;
            for row in rows {
                heights.execute(params![frame, row.id as i64, row.at.z])?;
            }
        }
        self.pending += rows.len();
        if self.pending >= BATCH {
            self.pending = 0;
            self.database.execute_batch("COMMIT; BEGIN;")?;
        }
        Ok(())
    }
}

impl TrajectoryFile for SqliteFile {
    fn frame(&mut self, frame: u64, rows: &[Row]) -> Result<(), Failure> {
        self.add(frame, rows)
            .map_err(|e| self.folder.failed(NAME, e))
    }

    fn finish(self: Box<Self>) -> Result<String, Failure> {
        let done = self.database.execute_batch(INDEXES);
        done.map_err(|e| self.folder.failed(NAME, e))?;
        let closed = self.database.close();
        closed.map_err(|(_, e)| self.folder.failed(NAME, e))?;
        self.folder.finish(NAME)?;
        Ok(NAME.into())
    }
}

/// A number that stands for a text.
fn hash(text: &str) -> i64 {
    let mix = throng::core::random::mix;
    let sum = text.bytes().fold(text.len() as u64, |sum, b| {
        mix(sum.rotate_left(7) ^ u64::from(b))
    });
    sum as i64
}
