//! Planner `potential-field`: continuum crowds. The file is the strategy, named after its id; its
//! folder has the cells, the crowd on them, the eikonal solver and the subgoals.

mod potential_field;

pub use potential_field::PotentialField;
