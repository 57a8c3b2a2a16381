//! The page of a finished run again, from its folder.
//!
//! If the folder has a page, its recording is put into a new one: nothing is lost, and an old page
//! gets what newer ones can do. Else the page is made from `trajectories.sqlite` and
//! `scenario.resolved.toml`: places are those of the database, speeds follow from them, and what
//! the database does not know (tiers, goals, groups, routes) is left out and said so on the page.

use std::fs;

use serde_json::Value;

use throng::PluginPolicy;

use super::page;
use crate::{failure::Failure, output::Folder};

/// What a page was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The recording in the page that was there.
    Page,
    /// The database of trajectories.
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code))]
    Trajectories,
}

impl From {
    /// In words.
    pub fn word(self) -> &'static str {
        match self {
            From::Page => "replay.html",
            From::Trajectories => "trajectories.sqlite",
        }
    }
}

/// A page made again.
#[derive(Clone, Debug)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// What it was made from.
    pub from: From,
}

/// Makes the page of a run again.
pub fn remake(folder: &Folder, plugins: PluginPolicy) -> Result<Made, Failure> {
    let summary = summary(folder)?;
    if let Ok(old) = fs::read(folder.file(page::NAME)) {
        let name = summary["scenario"].as_str().unwrap_or("unnamed");
        if let Some(name) = page::rewrap(folder, name, &old)? {
            return Ok(Made {
                name,
                from: From::Page,
            });
        }
    }
    from_trajectories(folder, &summary, plugins)
}

fn summary(folder: &Folder) -> Result<Value, Failure> {
    let path = folder.file("summary.json");
    let shown = path.display();
    let text = fs::read_to_string(&path).map_err(|e| {
        Failure::input(format!(
            "{shown} cannot be read: {e}; the folder must be one that `throng run` has finished"
        ))
    })?;
    serde_json::from_str(&text).map_err(|e| Failure::input(format!("{shown} is damaged: {e}")))
}

#[cfg(not(feature = "sqlite"))]
fn from_trajectories(folder: &Folder, _: &Value, _: PluginPolicy) -> Result<Made, Failure> {
    Err(Failure::input(format!(
        "{} has no replay.html, and this build reads no sqlite; run the scenario again with \
         --set record.replay=0.2",
        folder.path().display()
    )))
}

#[cfg(feature = "sqlite")]
use database::from_trajectories;

#[cfg(feature = "sqlite")]
mod database {
    use std::{collections::HashMap, fs};

    use glam::{DVec3, Vec3};
    use rusqlite::{Connection, OpenFlags};
    use serde_json::Value;
    use throng::{LoadOptions, Simulation, Spot, core::NONE, load};

    use super::{From, Made, PluginPolicy};
    use crate::{
        draw::Storeys,
        failure::Failure,
        output::{Folder, summary::KERNEL},
        replay::{
            packer::Sample,
            page::{self, About},
            recording::{People, Person, Recorded},
            scene::Surroundings,
            spool::Spool,
        },
    };

    /// Frames without anybody that are believed at most.
    const LONGEST_GAP: i64 = 100_000;

    /// A row of the database, local coordinates.
    struct Row {
        frame: i64,
        id: i64,
        at: Vec3,
    }

    pub fn from_trajectories(
        folder: &Folder,
        summary: &Value,
        plugins: PluginPolicy,
    ) -> Result<Made, Failure> {
        let path = folder.file("trajectories.sqlite");
        let scenario = folder.file("scenario.resolved.toml");
        for needed in [&path, &scenario] {
            if !needed.is_file() {
                return Err(Failure::input(format!(
                    "there is neither a replay.html nor {}; run the scenario again",
                    needed.display()
                )));
            }
        }
        let options = LoadOptions {
            allow_outside: true,
            plugins,
            ..LoadOptions::default()
        };
        let loaded = load(&scenario, &options)?;
        let surroundings = Surroundings::of(&loaded);
        let simulation = Simulation::from_loaded(loaded, 0)?;
        let ground = simulation.ground();
        let floors = simulation.place().ground.floor_count();
        let storeys = Storeys::of(
            ground,
            if ground.plan { floors } else { 1 },
            &surroundings.floor_names,
        );
        let wrong =
            |e: rusqlite::Error| Failure::input(format!("{} is damaged: {e}", path.display()));
        let database =
            Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(wrong)?;
        let fps: f64 = database
            .query_row("SELECT value FROM metadata WHERE key = 'fps'", [], |row| {
                row.get::<_, String>(0)
            })
            .map_err(wrong)?
            .parse()
            .ok()
            .filter(|fps: &f64| *fps > 0.0)
            .ok_or_else(|| Failure::input(format!("{}: fps is no number", path.display())))?;
        let dt = simulation.scenario().dt;
        let every = ((1.0 / (fps * dt)).round() as u64).max(1);
        let mut taking = Taking {
            spool: Spool::new(folder, !ground.flat, dt)?,
            people: People::default(),
            known: HashMap::new(),
            every,
            seconds: (every as f64 * dt) as f32,
            rows: Vec::new(),
            next: None,
        };
        let question = if ground.flat {
            "SELECT frame, id, pos_x, pos_y, 0.0 FROM trajectory_data ORDER BY frame, id"
        } else {
            "SELECT t.frame, t.id, t.pos_x, t.pos_y, h.pos_z FROM trajectory_data t \
             JOIN height_data h ON h.frame = t.frame AND h.id = t.id ORDER BY t.frame, t.id"
        };
        let mut statement = database.prepare(question).map_err(wrong)?;
        let mut rows = statement.query([]).map_err(wrong)?;
        while let Some(row) = rows.next().map_err(wrong)? {
            let number = |i: usize| row.get::<_, f64>(i);
            let read = || -> rusqlite::Result<Row> {
                let world = DVec3::new(number(2)?, number(3)?, number(4)?);
                let origin = if ground.flat {
                    ground.origin.with_z(0.0)
                } else {
                    ground.origin
                };
                Ok(Row {
                    frame: row.get(0)?,
                    id: row.get(1)?,
                    at: (world - origin).as_vec3(),
                })
            };
            let row = read().map_err(wrong)?;
            if !row.at.is_finite() || row.frame < 0 {
                continue;
            }
            if taking.rows.first().is_some_and(|r| r.frame != row.frame) {
                taking.end_frame(&simulation, &storeys)?;
            }
            taking.rows.push(row);
        }
        taking.end_frame(&simulation, &storeys)?;
        let (count, people) = taking.people.finish();
        let recorded = Recorded {
            blocks: taking.spool.finish()?,
            people,
            count,
            detailed: 0,
            routes: super::super::bytes::deflated(&[]),
            routes_of_all: false,
            routes_full: false,
            doors_at_start: ground.door_open.to_vec(),
            door_changes: Vec::new(),
            peaks: Vec::new(),
        };
        let about = About {
            strategies: summary["strategies"].clone(),
            digest: summary["digest"].as_str().unwrap_or("unknown").to_owned(),
            metrics: fs::read_to_string(folder.file("metrics.csv")).unwrap_or_default(),
            kernel: KERNEL,
            sources: Vec::new(),
            notes: vec![format!(
                "Made from trajectories.sqlite: places every {:.2} s, speeds from them; tiers, \
                 goals, groups, radii, routes and doors were not recorded.",
                taking.seconds
            )],
        };
        let name = page::write(
            folder,
            &simulation,
            &storeys,
            &surroundings,
            &recorded,
            &about,
        )?;
        Ok(Made {
            name,
            from: From::Trajectories,
        })
    }

    /// Frames on their way from the database to blocks.
    struct Taking {
        spool: Spool,
        people: People,
        /// Number of each id, the frame it was last seen in, and where.
        known: HashMap<i64, (u32, i64, Vec3)>,
        every: u64,
        seconds: f32,
        rows: Vec<Row>,
        /// The frame that comes next.
        next: Option<i64>,
    }

    impl Taking {
        fn end_frame(&mut self, simulation: &Simulation, storeys: &Storeys) -> Result<(), Failure> {
            let Some(frame) = self.rows.first().map(|r| r.frame) else {
                return Ok(());
            };
            // Frames without anybody have no rows.
            let next = *self.next.get_or_insert(frame);
            if frame - next > LONGEST_GAP {
                return Err(Failure::input(format!(
                    "trajectories.sqlite is damaged: nobody between frames {next} and {frame}"
                )));
            }
            for empty in next..frame {
                self.spool
                    .end_frame(empty as u64 * self.every, self.every, 0)?;
            }
            self.next = Some(frame + 1);
            let ground = simulation.ground();
            let mut samples = Vec::with_capacity(self.rows.len());
            for row in self.rows.drain(..) {
                let people = &mut self.people;
                // Who was away for a while counts as somebody else: a block has one stretch each.
                if self.known.get(&row.id).is_some_and(|k| k.1 != frame - 1) {
                    self.known.remove(&row.id);
                }
                let known = self.known.entry(row.id).or_insert_with(|| {
                    let serial = people.add(&Person {
                        id: row.id as u64,
                        source: NONE,
                        profile: 0,
                        group: NONE,
                        radius: 0.24,
                        speed: 1.34,
                    });
                    (serial, i64::MIN, row.at)
                });
                let (serial, last, before) = *known;
                let follows = last == frame - 1;
                *known = (serial, frame, row.at);
                let world = ground.origin + row.at.as_dvec3();
                let place = simulation.locate(Spot::Space(world));
                samples.push(Sample {
                    serial,
                    at: row.at,
                    speed: if follows {
                        row.at.distance(before) / self.seconds
                    } else {
                        0.0
                    },
                    slow: [
                        place.map_or(0, |p| storeys.panel(p.triangle) as u32),
                        0,
                        1,
                        0,
                    ],
                });
            }
            samples.sort_unstable_by_key(|s| s.serial);
            for sample in &samples {
                self.spool.packer.add(sample);
            }
            let step = frame as u64 * self.every;
            self.spool.end_frame(step, self.every, samples.len())?;
            Ok(())
        }
    }
}
