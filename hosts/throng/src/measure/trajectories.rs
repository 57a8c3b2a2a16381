//! Where everybody was at regular times, as columns.

use glam::{DVec2, DVec3};
use thiserror::Error;
use throng_core::GroundView;
use throng_kit::Walk;

/// Most frames between the first and the last one.
const MOST_FRAMES: u64 = 50_000_000;

/// Why trajectories could not be taken.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// The frame rate is no positive number.
    #[error("the frame rate is {0}: it must be a number above 0")]
    FrameRate(f64),
    /// A person is twice in a frame.
    #[error("person {id} is twice in frame {frame}")]
    Twice {
        /// Who.
        id: u64,
        /// When.
        frame: u64,
    },
    /// A coordinate is not finite.
    #[error("person {id} has a coordinate that is no number in frame {frame}")]
    NotFinite {
        /// Who.
        id: u64,
        /// When.
        frame: u64,
    },
    /// The frames are spread too far apart.
    #[error("frames run from {0} to {1}: more than {MOST_FRAMES} of them are not measured")]
    TooManyFrames(u64, u64),
    /// A line of text is not what it should be.
    #[error("line {0}: {1}")]
    Text(usize, String),
    /// A database is not what it should be.
    #[error("{0}")]
    Database(String),
}

/// Everybody at one time, rows sorted by id.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its number: time is this over the frame rate.
    pub number: u64,
    /// Who.
    pub id: &'a [u64],
    /// Where, metres.
    pub at: &'a [DVec2],
    /// On which floor; connections between floors follow the floors.
    pub level: &'a [u16],
}

impl Frame<'_> {
    /// The row of a person.
    pub fn row_of(&self, id: u64) -> Option<usize> {
        self.id.binary_search(&id).ok()
    }
}

/// A frame that owns its columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Its number.
    pub number: u64,
    /// Who, ascending.
    pub id: Vec<u64>,
    /// Where, metres.
    pub at: Vec<DVec2>,
    /// On which floor.
    pub level: Vec<u16>,
}

impl Snapshot {
    /// The frame, borrowed.
    pub fn view(&self) -> Frame<'_> {
        Frame {
            number: self.number,
            id: &self.id,
            at: &self.at,
            level: &self.level,
        }
    }
}

/// Trajectories: columns sorted by frame, then by id, without gaps between frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectories {
    frame_rate: f64,
    first: u64,
    start: Vec<usize>,
    id: Vec<u64>,
    at: Vec<DVec2>,
    level: Vec<u16>,
}

impl Trajectories {
    /// Trajectories from rows of id, frame, place and level in any order. Frames between the
    /// first and the last that nobody is in are empty.
    pub fn from_rows(
        frame_rate: f64,
        mut rows: Vec<(u64, u64, DVec2, u16)>,
    ) -> Result<Trajectories, MeasureError> {
        if !(frame_rate > 0.0 && frame_rate.is_finite()) {
            return Err(MeasureError::FrameRate(frame_rate));
        }
        rows.sort_unstable_by_key(|row| (row.1, row.0));
        for pair in rows.windows(2) {
            if (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) {
                let (id, frame, ..) = pair[0];
                return Err(MeasureError::Twice { id, frame });
            }
        }
        if let Some((id, frame, ..)) = rows.iter().find(|row| !row.2.is_finite()) {
            let (id, frame) = (*id, *frame);
            return Err(MeasureError::NotFinite { id, frame });
        }
        let (first, last) = match (rows.first(), rows.last()) {
            (Some(a), Some(b)) => (a.1, b.1),
            _ => (0, 0),
        };
        if last - first > MOST_FRAMES {
            return Err(MeasureError::TooManyFrames(first, last));
        }
        let frames = if rows.is_empty() {
            0
        } else {
            (last - first) as usize + 1
        };
        let mut start = vec![0; frames + 1];
        for row in &rows {
            start[(row.1 - first) as usize + 1] += 1;
        }
        for i in 0..frames {
            start[i + 1] += start[i];
        }
        Ok(Trajectories {
            frame_rate,
            first,
            start,
            id: rows.iter().map(|row| row.0).collect(),
            at: rows.iter().map(|row| row.2).collect(),
            level: rows.iter().map(|row| row.3).collect(),
        })
    }

    /// Reads the text that `record.formats = ["text"]` writes and the Pedestrian Dynamics Data
    /// Archive has: a comment with the frame rate, then id, frame, x, y and perhaps z in metres.
    /// With a ground, z tells the level; without one everybody is on level 0.
    pub fn from_text(
        text: &str,
        ground: Option<GroundView<'_>>,
    ) -> Result<Trajectories, MeasureError> {
        let mut frame_rate = f64::NAN;
        let mut rows = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let wrong = |why: &str| MeasureError::Text(i + 1, format!("{why} in \"{line}\""));
            if let Some(comment) = line.trim_start().strip_prefix('#') {
                if let Some(rate) = comment.trim().strip_prefix("framerate:") {
                    let rate = rate.split_whitespace().next().unwrap_or_default();
                    frame_rate = rate.parse().map_err(|_| wrong("no frame rate"))?;
                }
                continue;
            }
            let mut words = line.split_whitespace();
            let Some(id) = words.next() else { continue };
            let id: u64 = id.parse().map_err(|_| wrong("no whole number as id"))?;
            let frame = words.next().and_then(|w| w.parse::<u64>().ok());
            let frame = frame.ok_or_else(|| wrong("no whole number as frame"))?;
            let mut number = || words.next().and_then(|w| w.parse::<f64>().ok());
            let (Some(x), Some(y)) = (number(), number()) else {
                return Err(wrong("x and y are not both numbers"));
            };
            rows.push((id, frame, DVec3::new(x, y, number().unwrap_or(0.0))));
        }
        Trajectories::from_points(frame_rate, rows, ground)
    }

    /// Trajectories from points in space: the ground, where one is given, tells their levels.
    pub fn from_points(
        frame_rate: f64,
        rows: Vec<(u64, u64, DVec3)>,
        ground: Option<GroundView<'_>>,
    ) -> Result<Trajectories, MeasureError> {
        let level = |at: DVec3| ground.map_or(0, |ground| level_at(ground, at));
        let rows = rows
            .into_iter()
            .map(|(id, frame, at)| (id, frame, at.truncate(), level(at)))
            .collect();
        Trajectories::from_rows(frame_rate, rows)
    }

    /// Reads a database as `throng run`, JuPedSim and PedPy know it (`trajectory_data`,
    /// `metadata`), heights from `height_data` where it has that table. Of more than `most` rows
    /// only every second, third, … frame is kept, so that memory stays bounded.
    #[cfg(feature = "sqlite")]
    pub fn from_sqlite(
        file: &std::path::Path,
        ground: Option<GroundView<'_>>,
        most: u64,
    ) -> Result<(Trajectories, u64), MeasureError> {
        use rusqlite::{Connection, OpenFlags, OptionalExtension};
        let failed = |e: rusqlite::Error| MeasureError::Database(e.to_string());
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let database = Connection::open_with_flags(file, flags).map_err(failed)?;
        let rate: Option<String> = database
            .query_row("SELECT value FROM metadata WHERE key = 'fps'", [], |row| {
                row.get(0)
            })
            .optional()
            .map_err(failed)?;
        let rate = rate.and_then(|r| r.parse::<f64>().ok());
        let rate =
            rate.ok_or_else(|| MeasureError::Database("metadata has no number \"fps\"".into()))?;
        let count: i64 = database
            .query_row("SELECT COUNT(*) FROM trajectory_data", [], |row| row.get(0))
            .map_err(failed)?;
        let count = count.max(0) as u64;
        let stride = count.div_ceil(most.max(1)).max(1);
        let heights: bool = database
            .query_row(
                "SELECT COUNT(*) FROM sqlite_master WHERE name = 'height_data'",
                [],
                |row| row.get::<_, i64>(0),
            )
            .map_err(failed)?
            > 0;
        // Both tables are written in the same order, so rows meet without a join.
        let mut tall = match heights {
            false => None,
            true => Some(
                database
                    .prepare("SELECT pos_z FROM height_data WHERE frame % ?1 = 0 ORDER BY rowid")
                    .map_err(failed)?,
            ),
        };
        let mut tall = match &mut tall {
            None => None,
            Some(statement) => Some(statement.query([stride as i64]).map_err(failed)?),
        };
        let mut flat = database
            .prepare(
                "SELECT id, frame, pos_x, pos_y FROM trajectory_data \
                 WHERE frame % ?1 = 0 ORDER BY rowid",
            )
            .map_err(failed)?;
        let mut flat = flat.query([stride as i64]).map_err(failed)?;
        let mut rows = Vec::with_capacity((count / stride) as usize);
        while let Some(row) = flat.next().map_err(failed)? {
            let z = match &mut tall {
                None => 0.0,
                Some(tall) => match tall.next().map_err(failed)? {
                    Some(row) => row.get::<_, f64>(0).map_err(failed)?,
                    None => return Err(MeasureError::Database("heights are missing".into())),
                },
            };
            let number = |i: usize| row.get::<_, f64>(i).map_err(failed);
            let (id, frame): (i64, i64) =
                (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
            let frame = u64::try_from(frame)
                .map_err(|_| MeasureError::Database(format!("frame {frame} is below 0")))?;
            let at = DVec3::new(number(2)?, number(3)?, z);
            // Ids have all 64 bits, which a database keeps as a signed number.
            rows.push((id as u64, frame / stride, at));
        }
        let rate = rate / stride as f64;
        Ok((Trajectories::from_points(rate, rows, ground)?, stride))
    }

    /// Frames per second.
    pub fn frame_rate(&self) -> f64 {
        self.frame_rate
    }

    /// How many frames.
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows all frames have together.
    pub fn rows(&self) -> usize {
        self.id.len()
    }

    /// A frame by its index from 0.
    pub fn frame(&self, index: usize) -> Frame<'_> {
        let rows = self.start[index]..self.start[index + 1];
        Frame {
            number: self.first + index as u64,
            id: &self.id[rows.clone()],
            at: &self.at[rows.clone()],
            level: &self.level[rows],
        }
    }

    /// All frames in order.
    pub fn frames(&self) -> impl Iterator<Item = Frame<'_>> {
        (0..self.len()).map(|i| self.frame(i))
    }

    /// The time of a frame by its index, seconds.
    pub fn time(&self, index: usize) -> f64 {
        (self.first + index as u64) as f64 / self.frame_rate
    }

    /// First row of a frame by its index, where columns of other measures are aligned with rows.
    pub fn first_row(&self, index: usize) -> usize {
        self.start[index]
    }

    /// Ids with the indices of the frames in which each was first and last seen, ascending.
    pub fn people(&self) -> Vec<(u64, usize, usize)> {
        let mut seen: std::collections::BTreeMap<u64, (usize, usize)> = Default::default();
        for i in 0..self.len() {
            for id in self.frame(i).id {
                seen.entry(*id).or_insert((i, i)).1 = i;
            }
        }
        seen.into_iter().map(|(id, (a, b))| (id, a, b)).collect()
    }
}

/// The floor of a point in space: that of the place on the ground nearest to it.
pub fn level_at(ground: GroundView<'_>, at: DVec3) -> u16 {
    let local = (at - ground.origin).as_vec3();
    let found = if ground.flat {
        ground.nearest_plan(local.truncate(), None)
    } else {
        ground.locate(local)
    };
    found.map_or(0, |place| ground.floors[place.triangle as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_frames_without_gaps() {
        let at = DVec2::new(1.0, 2.0);
        let rows = vec![(2, 5, at, 0), (1, 5, at, 1), (1, 3, at, 1)];
        let t = Trajectories::from_rows(10.0, rows).unwrap();
        assert_eq!((t.len(), t.rows(), t.time(0)), (3, 3, 0.3));
        assert_eq!(t.frame(1).id.len(), 0);
        assert_eq!(
            (t.frame(2).id, t.frame(2).level),
            (&[1, 2][..], &[1, 0][..])
        );
        assert_eq!(t.people(), [(1, 0, 2), (2, 2, 2)]);
        assert!(matches!(
            Trajectories::from_rows(1.0, vec![(1, 0, at, 0), (1, 0, at, 0)]),
            Err(MeasureError::Twice { id: 1, frame: 0 })
        ));
        assert!(Trajectories::from_rows(0.0, Vec::new()).is_err());
        assert!(Trajectories::from_rows(1.0, vec![(1, 0, at, 0), (1, 1 << 60, at, 0)]).is_err());
        assert!(Trajectories::from_rows(1.0, Vec::new()).unwrap().is_empty());
    }

    #[test]
    fn text_names_the_line_at_fault() {
        let good = "# framerate: 10\n# id frame x/m y/m z/m\n1 0 0.5 1 0\n\n1 1 0.6 1\n";
        let t = Trajectories::from_text(good, None).unwrap();
        assert_eq!((t.frame_rate(), t.len()), (10.0, 2));
        let bad = Trajectories::from_text("# framerate: 10\n1 zero 0 0", None).unwrap_err();
        assert!(
            bad.to_string().starts_with("line 2: no whole number"),
            "{bad}"
        );
        assert!(Trajectories::from_text("1 0 0 0", None).is_err(), "no rate");
    }
}
