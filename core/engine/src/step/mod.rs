//! The stages of a step, one file each, in the order in which they run.
//!
//! commands and spawns -> movers -> [`tiers`] -> [`crowd`] -> [`plan`] -> [`guide`], [`detour`] (and
//! groups) -> [`avoid`] (neighbours and avoidance) ->
//! [`contacts`] -> [`advance`] (and cursors) -> arrivals -> metrics.
//! Each reads the frozen state and writes columns of its own.

pub mod advance;
pub mod avoid;
pub mod contacts;
pub mod crowd;
pub mod detour;
pub mod due;
pub mod guide;
pub mod plan;
pub mod tiers;
