//! Planners that search a map, or need none. The file is the strategy, named after its id.

mod astar;
mod direct;

pub use astar::{Astar, Smoothing};
pub use direct::Direct;

#[cfg(test)]
mod test_world;
