//! Group behaviours. The file is the strategy, named after its id.

mod leader_follower;
mod none;

pub use leader_follower::LeaderFollower;
pub use none::NoGroups;
