//! What a run leaves behind, one file each.
//!
//! [`Folder`] writes files whole or not at all; [`Recorder`] takes a frame now and then for
//! trajectories, `metrics.csv` and the picture; [`summary`] is the document at the end,
//! with what [`measuring`] found.
//! [`compare`] sets a tiered run beside the same scene all at tier 0. [`map_export`] writes navigation maps for other programs.

pub mod compare;
pub mod finished;
mod folder;
pub mod map_export;
pub mod measuring;
mod metrics;
mod outline;
mod recorder;
pub mod summary;
mod trajectories;

pub use folder::Folder;
pub use recorder::Recorder;
