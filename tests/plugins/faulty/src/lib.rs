//! Strategies that misbehave on demand, for the tests of the plugin loader.

mod faulty;

pub use faulty::{FaultyAvoidance, FaultyCost};

throng_core::export_plugin! {
    Avoidance "faulty" => FaultyAvoidance,
    Cost "faulty" => FaultyCost,
}
