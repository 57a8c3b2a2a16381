//! Level-of-detail policies: who gets which tier. The file is the strategy, named after its id.

mod uniform;

pub use uniform::Uniform;
