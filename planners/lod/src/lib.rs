//! Level-of-detail policies: who gets which tier. The file is the strategy, named after its id.

mod roi;
mod uniform;

pub use roi::Roi;
pub use uniform::Uniform;
