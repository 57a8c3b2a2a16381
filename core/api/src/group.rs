//! Slot `group`: people who walk together.

use core::fmt::Debug;
use core::ops::Range;

use glam::Vec2;

use crate::world::{GroupsView, World};

/// The agents of one call to `adjust`, and what guiding gave everybody.
#[derive(Clone, Debug)]
pub struct GroupChunk<'a> {
    /// Rows to adjust.
    pub rows: Range<usize>,
    /// Members of all groups.
    pub groups: GroupsView<'a>,
    /// Preferred velocities of all agents as guided, each in its agent's frame.
    pub guided: &'a [Vec2],
    /// Offsets to the points that all agents walk to as guided, each in its agent's frame.
    pub aims: &'a [Vec2],
}

/// Where `adjust` writes, one entry per row of the chunk; entries hold what guiding gave.
#[derive(Debug)]
pub struct GroupOut<'a> {
    /// Preferred velocities.
    pub preferred: &'a mut [Vec2],
    /// Offsets to the points walked to.
    pub target: &'a mut [Vec2],
}

/// Keeps groups together by adjusting what their members want.
///
/// **Purpose.** Changes preferred velocities and targets between guiding and avoidance, at every
/// tier, so that every avoidance model respects groups.
///
/// **When not.** Being treated differently by a neighbour of the same group is the avoidance
/// model's business: it sees the flag.
///
/// **Call order.** `adjust` once per step after guiding; `pace` after avoidance, where it is
/// wanted.
///
/// **Threads.** Runs on many threads at once; it reads what guiding gave everybody and writes its
/// own rows.
///
/// **Determinism.** Depends on the frozen world and the guided velocities alone.
///
/// **Failure.** Preferred velocities must stay finite.
///
/// ```
/// use throng_core::*;
///
/// throng_core::options! {
///     /// Members take half of the leader's wish.
///     pub struct Herd {}
/// }
///
/// #[typetag::serde(name = "herd")]
/// impl GroupBehavior for Herd {
///     fn adjust(&self, world: &World<'_>, chunk: &GroupChunk<'_>, out: &mut GroupOut<'_>) {
///         for (i, row) in chunk.rows.clone().enumerate() {
///             let group = world.agents.group[row];
///             if group != NONE {
///                 let leader = chunk.groups.member[chunk.groups.start[group as usize] as usize];
///                 out.preferred[i] = (out.preferred[i] + chunk.guided[leader as usize]) / 2.0;
///             }
///         }
///     }
/// }
/// ```
#[typetag::serde(tag = "kind")]
pub trait GroupBehavior: Debug + Send + Sync {
    /// Adjusts the agents of the chunk.
    fn adjust(&self, world: &World<'_>, chunk: &GroupChunk<'_>, out: &mut GroupOut<'_>);

    /// Whether it ever changes anything; the stage is skipped if not.
    fn active(&self) -> bool {
        true
    }

    /// Whether [`pace`](GroupBehavior::pace) is to be called after avoidance.
    fn paces(&self) -> bool {
        false
    }

    /// Changes what avoidance chose for the agents of the chunk: `velocity` has an entry per row.
    /// Here [`GroupChunk::guided`] holds what avoidance chose for everybody. The core keeps the
    /// answer within what agents can do.
    fn pace(&self, world: &World<'_>, chunk: &GroupChunk<'_>, velocity: &mut [Vec2]) {
        let _ = (world, chunk, velocity);
    }

    /// What went wrong inside, if anything did since it was last asked.
    fn fault(&self) -> Option<String> {
        None
    }
}
