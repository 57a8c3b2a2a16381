//! Slot `cost`: the price of a metre.

use core::fmt::Debug;

use crate::{
    crowd::{CrowdView, Prices, RouteClass},
    error::StateError,
    registry::Capabilities,
};

/// What a cost model reads when it prices.
#[derive(Clone, Copy, Debug)]
pub struct PriceContext<'a> {
    /// The crowd on crowd cells.
    pub crowd: CrowdView<'a>,
    /// Least factor on walking speed (stairs) in each cell; empty if 1 everywhere.
    pub cell_speed: &'a [f32],
    /// Metres of the map's edges that lie in each cell, both directions counted once; empty if
    /// the host does not say.
    pub cell_length: &'a [f32],
    /// The class that prices are for.
    pub class: RouteClass,
    /// Seconds since the start.
    pub time: f64,
}

/// Prices walking one metre, per crowd cell and direction.
///
/// **Purpose.** Says what a metre costs, in a base part (a lower bound) and a crowd part. The core
/// integrates it over edges and traced segments, so one model serves every map and planner.
///
/// **When not.** Forbidding a place is a blocked bit, a door or a wall, not a high price.
///
/// **Call order.** Once per epoch `observe`, then `price` for every class in use.
///
/// **Threads.** `observe` runs alone; `price` runs on many threads at once.
///
/// **Determinism.** Sums over agents come as integers; keep state as a function of what was
/// observed, epoch by epoch.
///
/// **Failure.** Prices must be finite, base > 0, crowd >= 0 and at most
/// [`Prices::MOST_CROWD`] times base; the core checks loaded models.
///
/// ```
/// use throng_core::*;
///
/// throng_core::options! {
///     /// Crowded metres cost more.
///     pub struct Shun {
///         /// Price of full crowding.
///         factor: f32 = 5.0, "", 0.0..=100.0;
///     }
/// }
///
/// #[typetag::serde(name = "shun")]
/// impl CostModel for Shun {
///     fn crowd_needs(&self) -> Capabilities { Capabilities::DENSITY }
///     fn price(&self, context: &PriceContext<'_>, out: &mut Prices) {
///         let cells = context.crowd.cells();
///         out.resize(cells, 1, 1);
///         out.base.fill(1.0);
///         out.least_base = 1.0;
///         for c in 0..cells {
///             out.crowd[c] = self.factor * context.crowd.density(c as u32).min(1.0);
///         }
///     }
/// }
/// ```
#[typetag::serde(tag = "kind")]
pub trait CostModel: Debug + Send + Sync {
    /// Writes the prices of one class. `out` holds that class's prices of the last epoch.
    fn price(&self, context: &PriceContext<'_>, out: &mut Prices);

    /// What it reads of the crowd: nothing, [`Capabilities::DENSITY`], [`Capabilities::FLOW`].
    /// Columns that nobody needs are not kept.
    fn crowd_needs(&self) -> Capabilities {
        Capabilities::NONE
    }

    /// Whether prices ever change; if not they are asked for once.
    fn is_static(&self) -> bool {
        self.crowd_needs() == Capabilities::NONE
    }

    /// Takes in the crowd of this epoch; `seconds` since the last one.
    fn observe(&mut self, crowd: &CrowdView<'_>, seconds: f32) {
        let _ = (crowd, seconds);
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
