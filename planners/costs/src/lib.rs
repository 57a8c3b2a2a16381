//! Cost models: the price of a metre. The file is the strategy, named after its id.

mod distance;

pub use distance::Distance;
