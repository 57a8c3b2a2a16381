//! Cost models: the price of a metre. The file is the strategy, named after its id; `columns`
//! is what they save.

mod columns;
mod congestion;
mod density;
mod direction_map;
mod distance;

pub use congestion::{Congestion, Form, Unit, penalty};
pub use density::Density;
pub use direction_map::DirectionMap;
pub use distance::Distance;
