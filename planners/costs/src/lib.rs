//! Cost models: the price of a metre. The file is the strategy, named after its id.

mod density;
mod distance;

pub use density::Density;
pub use distance::Distance;
