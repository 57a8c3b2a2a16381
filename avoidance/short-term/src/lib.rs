//! Avoidance that looks at the next moments alone. The file is the strategy, named after its id.

mod none;
mod short_term;

pub use none::NoAvoidance;
pub use short_term::ShortTerm;
