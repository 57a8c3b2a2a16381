//! Who counts as a neighbour: the approximate vision of Ricks and Egbert ("A whole surface
//! approach to crowd simulation on arbitrary topologies", section 4), and walls in between.
//!
//! On a flat ground everybody within reach is seen unless a wall stands between. Elsewhere a body
//! is a stack of three spheres (feet, waist, head), and a pair is told apart from people on
//! other floors by what the one could see of the other. On floor plans with heights bodies stand
//! upright, on curved surfaces along the normal.
//!
//! `body` measures between the spheres, `vision` says who sees whom, `walls` how far the walls are
//! and what they hide on a flat ground, `screens` what they hide elsewhere, `screen_index` which of
//! them are worth a look.

mod body;
mod screen_index;
mod screens;
mod vision;
mod walls;

pub use body::{Body, OPPOSED, PARALLEL, SAME, WELL_WITHIN};
pub use screen_index::ScreenIndex;
pub use screens::{Screens, Sight};
pub use vision::{DISC_PER_HEIGHT, Relevance};
pub use walls::{clear_distance, list_walls, wall_crosses, wall_distance_bound};
