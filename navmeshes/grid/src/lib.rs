//! Navigation map `grid`: square cells over the ground. `grid` is the strategy; `steps` finds its
//! edges, `near_walls` their clearance, `gates` what a route passes.

mod gates;
mod grid;
mod near_walls;
mod steps;

pub use grid::Grid;
