//! Strategies that misbehave on demand, for the tests of the plugin loader.

mod faulty;
mod slots;

pub use faulty::{FaultyAvoidance, FaultyCost};
pub use slots::{FaultyGroup, FaultyLod, FaultyNav, FaultyPlanner};

throng_core::export_plugin! {
    Avoidance "faulty" => FaultyAvoidance,
    Cost "faulty" => FaultyCost,
    Nav "faulty" => FaultyNav,
    Planner "faulty" => FaultyPlanner,
    Lod "faulty" => FaultyLod,
    Group "faulty" => FaultyGroup,
}
