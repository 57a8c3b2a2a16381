//! Group behaviours. The file is the strategy, named after its id.

mod none;

pub use none::NoGroups;
