//! Slot `planner`: routes and guidance.

use core::fmt::Debug;

use crate::{
    error::{PlannerError, StateError},
    routes::{PlanRequest, RouteSink, Scratch},
    steer::Memory,
    world::{GuideChunk, GuideOut, World},
};

/// Finds routes, and may guide agents itself.
///
/// **Purpose.** Answers requests for routes; where it keeps a field, it also answers "which way
/// from here" for whole chunks of agents.
///
/// **When not.** Staying clear of others within the next seconds is
/// [`LocalAvoidance`](crate::LocalAvoidance); when to plan again is the core's replan policy.
///
/// **Call order.** `prepare` whenever prices, doors, classes or goals in use have changed, before
/// any `plan` or `guide` of that epoch (of a planner that guides: every step, so that it sees new
/// agents and can take over what it made beside earlier steps); `plan` for batches; `guide` every step of a tier that
/// names this planner as its guide.
///
/// **Threads.** `prepare` runs alone; `plan` and `guide` run on many threads at once, each with
/// its own scratch and sink.
///
/// **Determinism.** An answer depends on the world and the request alone, not on the batch it
/// comes in. Limits count expansions, never time.
///
/// **Failure.** A request that cannot be met is answered with
/// [`RouteSink::push_missing`] and the reason. Every request gets exactly one row.
///
/// ```
/// use throng_core::*;
///
/// throng_core::options! {
///     /// Walks straight there.
///     pub struct Beeline {}
/// }
///
/// #[typetag::serde(name = "beeline")]
/// impl GlobalPlanner for Beeline {
///     fn plan(&self, _: &World<'_>, requests: &[PlanRequest], _: &mut Scratch, routes: &mut RouteSink) {
///         for r in requests {
///             let length = r.from.point.distance(r.to.point);
///             routes.push_gates([Gate::waypoint(r.to)], length, length);
///         }
///     }
/// }
/// ```
#[typetag::serde(tag = "kind")]
pub trait GlobalPlanner: Debug + Send + Sync {
    /// Answers every request, in order.
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    );

    /// Renews shared products (fields, tables, trees) for this epoch.
    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let _ = world;
        Ok(())
    }

    /// Whether `guide` answers; otherwise agents follow their routes.
    fn guides(&self) -> bool {
        false
    }

    /// Whether it leads anybody over the map that it was prepared for: if not, `guide` is not
    /// called and everybody follows its route.
    fn leads(&self) -> bool {
        self.guides()
    }

    /// Writes preferred velocities for a chunk, or asks for the route to be followed.
    fn guide(
        &self,
        world: &World<'_>,
        chunk: &GuideChunk<'_>,
        scratch: &mut Scratch,
        out: &mut GuideOut<'_>,
    ) {
        let _ = (world, chunk, scratch);
        out.follow_route.fill(1);
    }

    /// Columns that `guide` keeps per agent.
    fn memory(&self) -> Memory {
        Memory::NONE
    }

    /// Appends the state that a resumed run needs and that cannot be prepared anew.
    fn save(&self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Takes back what `save` wrote.
    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        let _ = saved;
        Ok(())
    }

    /// What went wrong inside, if anything did since it was last asked.
    fn fault(&self) -> Option<String> {
        None
    }
}
