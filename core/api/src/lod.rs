//! Slot `lod`: who gets which tier.

use core::fmt::Debug;
use core::ops::Range;

use crate::{error::StateError, world::World};

/// Sorts agents into tiers of detail.
///
/// **Purpose.** Names the level of every agent; the scenario's `[[tier]]` tables say what a level
/// means (cost, guide, avoidance, follow, period).
///
/// **When not.** What happens at a level is data of the scenario, not code of a policy.
///
/// **Call order.** `prepare` once and then `classify` for all agents at the start of every step,
/// before guiding.
///
/// **Threads.** `prepare` runs alone; `classify` on many threads at once, each with its own rows.
///
/// **Determinism.** An agent's level depends on the frozen world alone; for hysteresis read the
/// level it has.
///
/// **Failure.** A level that the scenario gives no tier for counts as the highest one given. There
/// are levels 0 to 254.
///
/// ```
/// use throng_core::*;
///
/// throng_core::options! {
///     /// Everybody at level 1.
///     pub struct Plain {}
/// }
///
/// #[typetag::serde(name = "plain")]
/// impl LodPolicy for Plain {
///     fn classify(&self, _: &World<'_>, _: std::ops::Range<usize>, out: &mut [u8]) {
///         out.fill(1);
///     }
/// }
/// ```
#[typetag::serde(tag = "kind")]
pub trait LodPolicy: Debug + Send + Sync {
    /// Writes the level of the agents in `rows`, one entry each.
    fn classify(&self, world: &World<'_>, rows: Range<usize>, out: &mut [u8]);

    /// Looks at the world of this step before anybody is sorted: levels of whole regions.
    fn prepare(&mut self, world: &World<'_>) {
        let _ = world;
    }

    /// Whether it reads the regions that agents are in: they are looked up in every step then.
    fn reads_regions(&self) -> bool {
        false
    }

    /// The only level it ever gives, if there is just one: `classify` is skipped then.
    fn constant(&self) -> Option<u8> {
        None
    }

    /// Appends the state that a resumed run needs.
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
