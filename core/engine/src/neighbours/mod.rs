//! Who is near whom: a uniform grid rebuilt every step.
//!
//! `grid` sorts agents and movers into cells, `gather` finds the nearest relevant ones of a
//! chunk of agents (`flat` on flat grounds, `quick` mostly; `curved` looks at bodies elsewhere, in the lanes of `stacks`; `storeys`
//! says which of them are too far above or below), `rank` orders candidates, `buffer` holds what
//! was found, `measure` answers questions about the whole crowd. Results never depend on the order of rows or the size of
//! cells: neighbours are ordered by distance, then by stable id.

mod buffer;
mod curved;
mod flat;
mod gather;
mod grid;
mod measure;
mod quick;
mod rank;
mod stacks;
mod storeys;
#[cfg(test)]
mod tests;

pub use buffer::NeighbourBuffer;
pub use grid::NeighbourGrid;
