//! Navigation map `grid`: square cells over the ground. `grid` is the strategy; `steps` finds its
//! edges, `gates` what a route passes.

mod gates;
mod grid;
mod steps;

pub use grid::Grid;
