//! Slot `avoidance`: velocities that miss neighbours and walls.

use core::fmt::Debug;

use crate::{
    routes::Scratch,
    steer::{Memory, Perception, SteerChunk, SteerOut},
};

/// Chooses velocities near the preferred ones that miss neighbours and walls.
///
/// **Purpose.** Works on whole chunks of agents in their tangent planes, and never knows what
/// they walk on. It moves nobody: the step does.
///
/// **When not.** Choosing a way round a crowd is a planner's and a cost model's work.
///
/// **Call order.** `steer` once per chunk and tick of the agents' tier, after guiding and groups.
///
/// **Threads.** Runs on many threads at once, each with its own scratch.
///
/// **Determinism.** An agent's answer depends on its own row alone, not on the chunk it comes in
/// or its place there. Break ties by id.
///
/// **Failure.** Answers must be finite; the core caps speeds and displacements, and replaces and
/// reports what is not finite.
///
/// ```
/// use throng_core::*;
///
/// throng_core::options! {
///     /// Stops for anybody near.
///     pub struct Polite {
///         /// Distance at which to stop.
///         distance: f32 = 0.3, "m", 0.0..=5.0;
///     }
/// }
///
/// #[typetag::serde(name = "polite")]
/// impl LocalAvoidance for Polite {
///     fn perception(&self) -> Perception {
///         Perception { reach: self.distance + 1.0, most: 1, wall_reach: 0.0 }
///     }
///     fn steer(&self, chunk: &SteerChunk<'_>, _: &mut Scratch, out: &mut SteerOut<'_>) {
///         for i in 0..chunk.len() {
///             let near = chunk.neighbours_of(i).any(|n| {
///                 let gap = chunk.neighbours.seen[n].offset.length()
///                     - chunk.radius[i] - chunk.neighbours.radius[n];
///                 gap < self.distance
///             });
///             out.velocity[i] = if near { glam::Vec2::ZERO } else { chunk.preferred[i] };
///         }
///     }
/// }
/// ```
#[typetag::serde(tag = "kind")]
pub trait LocalAvoidance: Debug + Send + Sync {
    /// How far it looks; stages that nobody asks for are skipped.
    fn perception(&self) -> Perception;

    /// Writes a velocity for every agent of the chunk.
    fn steer(&self, chunk: &SteerChunk<'_>, scratch: &mut Scratch, out: &mut SteerOut<'_>);

    /// Whether neighbours and walls are looked at on odd ticks only: on even ones their rows are
    /// empty, and nobody looks for them.
    fn alternates(&self) -> bool {
        false
    }

    /// Whether it also pushes bodies apart, through [`SteerOut::push`].
    fn pushes(&self) -> bool {
        false
    }

    /// Whether the step shall keep those apart whom it marks in [`SteerOut::pressed`]: their
    /// velocities, and those of who is in their way, are changed as little as it takes that
    /// nobody runs into anybody or into a wall within the step.
    fn keeps_apart(&self) -> bool {
        false
    }

    /// Longest time, seconds, for which neighbours may be taken to go on as they are, if nobody can
    /// go faster than `_fastest`, metres per second. Longer steps are cut into equal parts, in each
    /// of which everybody looks, steers and moves.
    fn longest_step(&self, _fastest: f32) -> f32 {
        f32::INFINITY
    }

    /// Columns that it keeps per agent.
    fn memory(&self) -> Memory {
        Memory::NONE
    }

    /// What went wrong inside, if anything did since it was last asked.
    fn fault(&self) -> Option<String> {
        None
    }
}
