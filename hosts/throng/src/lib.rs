//! Crowd simulation whose parts are chosen by name: the library.
//!
//! A scenario names a strategy for every slot (map, planner, price, avoidance, level of detail,
//! groups) and says who walks where. The same scenario and seed give the same bits on any number
//! of threads.
//!
//! # A game: a crowd in your own loop
//!
//! ```
//! use throng::{Command, Destination, Event, NewAgent, Simulation, Spot};
//!
//! let mut crowd = Simulation::from_text(r#"
//!     name = "plaza"
//!     dt = 0.1
//!     [environment]                     # or file = "level.glb", "plan.svg", "map.geojson"
//!     generate = "corridor"
//!     [[source]]
//!     area = "left"
//!     hold = 20                         # who arrives is replaced
//!     goals = ["right"]
//! "#)?;
//! for frame in 0..50 {
//!     if frame == 20 {
//!         let (at, goal) = (Spot::Plan(2.0, 2.0), Destination::Area("right".into()));
//!         crowd.command(Command::Add(NewAgent { at, goal, profile: String::new() }));
//!     }
//!     crowd.step()?;
//!     let people = crowd.agents();
//!     for row in 0..people.len() {
//!         // Draw people.id[row] here, blending from before[row] to location[row] between steps.
//!         let at = crowd.world_point(people.location[row]);
//!         assert!(at.is_finite() && people.heading[row].is_normalized());
//!     }
//!     let _arrived = crowd.events().iter().filter(|e| matches!(e, Event::Arrived(_))).count();
//! }
//! assert_eq!(crowd.agents().len(), 21);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Research: a run and a data frame
//!
//! The program leaves a folder behind: `throng run crossing.toml --out a`. Its
//! `trajectories.sqlite` is what PedPy and JuPedSim's tools read; `record.formats = ["csv"]`
//! in the scenario gives `trajectories.csv` (and `"text"` the text that PedPy reads):
//!
//! ```python
//! import pandas, polars, pedpy, pathlib
//! pandas.read_csv("a/trajectories.csv").groupby("id").time_s.agg(["min", "max"])
//! polars.read_csv("a/trajectories.csv").group_by("frame").len().sort("frame")
//! file = pathlib.Path("a/trajectories.sqlite")
//! walked = pedpy.load_trajectory_from_jupedsim_sqlite(trajectory_file=file)
//! ```
//!
//! From Rust, any column is at hand after every step; a line per person and second:
//!
//! ```
//! use std::fmt::Write;
//! use throng::Simulation;
//!
//! let mut csv = String::from("time_s,id,x_m,y_m,speed_m_s\n");
//! let mut run = Simulation::builder().seed(7).threads(2).text(r#"
//!     name = "crossing"
//!     [environment]
//!     generate = "crossing"
//!     [avoidance]
//!     kind = "orca"
//!     [[source]]
//!     area = "w"
//!     count = 20
//!     goals = ["e"]
//! "#)?;
//! while run.time() < 5.0 {
//!     run.step()?;
//!     if run.steps() % 10 == 0 {
//!         let people = run.agents();
//!         for row in 0..people.len() {
//!             let at = run.world_point(people.location[row]);
//!             let (id, speed) = (people.id[row], people.velocity[row].length());
//!             writeln!(csv, "{:.1},{id},{:.3},{:.3},{speed:.3}", run.time(), at.x, at.y)?;
//!         }
//!     }
//! }
//! let file = std::env::temp_dir().join(format!("crossing-{}.csv", std::process::id()));
//! std::fs::write(&file, &csv)?; // pandas.read_csv(...), polars.read_csv(...)
//! assert_eq!(csv.lines().count(), 1 + 5 * 20);
//! println!("digest {:016x}: the same on every machine", run.digest());
//! # std::fs::remove_file(file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Engineering: an evacuation time
//!
//! ```
//! use throng::Simulation;
//!
//! let mut times = Vec::new();
//! for seed in 0..3 {
//!     let mut building = Simulation::builder().seed(seed).text(r#"
//!         name = "evacuation"
//!         [environment]                 # or file = "storey.svg", layers = [...] for several
//!         generate = "bottleneck"
//!         [profile.adult]
//!         speed = { normal = [1.34, 0.26, 0.5, 2.2] }
//!         [[source]]
//!         area = "room"
//!         count = 30
//!         premovement = { uniform = [0.0, 10.0] }
//!         goals = ["exit"]              # of several the one with the shortest walk
//!     "#)?;
//!     while !building.is_over() && building.time() < 300.0 {
//!         building.step()?;
//!     }
//!     assert_eq!(building.metrics().arrived, 30, "everybody is out");
//!     times.push(building.time());
//!     println!("seed {seed}: out after {:.1} s; {:?}", building.time(), building.travel_times());
//! }
//! let worst = times.iter().copied().fold(0.0, f64::max);
//! assert!((10.0..120.0).contains(&worst), "the slowest of three runs took {worst} s");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Three levels of control
//!
//! 1. Throng moves everybody: [`Simulation::step`].
//! 2. Throng chooses velocities, the host's physics moves: [`Simulation::propose`] and
//!    [`Simulation::commit`].
//! 3. One strategy alone on the caller's arrays: [`alone`].
//!
//! Strategies come from crates of their own; this crate links them all (see [`registry`]). Write
//! one in 15 minutes: [`fifteen_minutes`]; put it to the checks that ours are put to:
//! [`conformance`].

pub mod alone;
pub mod conformance;
pub mod fifteen_minutes;
pub mod load;
pub mod measure;
pub mod scenes;
mod simulation;
pub mod snapshot;

pub use load::{
    LoadError, LoadOptions, Loaded, PluginPolicy, load, load_text, registry, registry_with,
};
pub use simulation::{Builder, Simulation, SimulationError};
pub use throng_core as core;
pub use throng_engine as engine;
pub use throng_engine::{
    AgentId, BuildError, CheckpointError, Command, Destination, Event, Mover, NewAgent, Path,
    Proposal, QueryError, Registry, RunError, Scenario, Spot, diagnostics, metrics, scenario,
};
pub use throng_formats::height_map::{Stages as HeightStages, stages as height_stages};
pub use throng_kit::environment;

// A crate that nobody names is dropped by the linker, and its strategies with it.
use throng_costs as _;
use throng_flow_field as _;
use throng_geodesic as _;
use throng_groups as _;
use throng_lod as _;
use throng_nav_adaptive_grid as _;
use throng_nav_ecm as _;
use throng_nav_graph as _;
use throng_nav_grid as _;
use throng_nav_surface as _;
use throng_potential_field as _;
use throng_predictive as _;
use throng_rvo as _;
use throng_search as _;
use throng_short_term as _;
use throng_social_force as _;
