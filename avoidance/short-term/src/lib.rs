//! Avoidance that looks at the next moments alone. The file is the strategy, named after its id.

mod none;

pub use none::NoAvoidance;
