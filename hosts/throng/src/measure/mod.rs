//! Measures of a crowd, from where everybody was at regular times.
//!
//! The file is the measure: [`speed`] of individuals, [`classic`] and [`voronoi`] density and
//! speed in a named area, [`flow`] through a named line, [`evacuation`] curve, [`lanes`] (order of
//! two-way traffic), [`overlap`] of bodies, [`stalled`] share, [`route_choice`], [`profile`] of
//! density and speed over a floor. All work on
//! [`Trajectories`], columns of id, frame, x, y and level, whatever program they come from.
//! [`monitor`] takes the same measures frame by frame in bounded memory: what `summary.json`
//! reports under `measures`.
//!
//! Densities are persons per square metre, lengths and speeds are those in plan.
//!
//! ```
//! use glam::DVec2;
//! use throng::measure::{CountingLine, Trajectories, flow};
//!
//! // One person walks along x, 0.5 m a frame, two frames a second.
//! let rows = (0..10).map(|frame| (7, frame, DVec2::new(0.5 * frame as f64, 0.0), 0));
//! let walk = Trajectories::from_rows(2.0, rows.collect())?;
//! let line = CountingLine::new("gate", 0, vec![DVec2::new(2.2, -1.0), DVec2::new(2.2, 1.0)]);
//! let crossings = flow::crossings(&walk, &line);
//! assert_eq!((crossings.len(), crossings[0].frame, crossings[0].forward), (1, 5, true));
//! # Ok::<(), throng::measure::MeasureError>(())
//! ```

pub mod classic;
mod convex;
pub mod evacuation;
pub mod flow;
pub mod lanes;
pub mod monitor;
pub mod overlap;
mod place;
pub mod profile;
pub mod route_choice;
pub mod speed;
pub mod stalled;
mod trajectories;
pub mod voronoi;

pub use monitor::{Monitor, Report};
pub use place::{CountingLine, MeasuringArea, counting_lines, measuring_areas};
pub use trajectories::{Frame, MeasureError, Snapshot, Trajectories};
