//! Checks of slots `lod` and `group`, on a crowd that walks.

use throng_core::Slot;
use throng_engine::{Registry, registry::Strategy};

use super::{Report, ensure, scene, steady};
use crate::snapshot::invariants;

/// Puts a policy or a group behaviour to its checks: *bounds* (a crowd that it directs stays whole
/// and finite), *resume* (a run that is cut and resumed has the same bits), *memory*.
pub(super) fn check(registry: &Registry, strategy: &Strategy, report: &mut Report) {
    report.add("bounds", || {
        let mut sim = scene::simulation(registry, strategy, 1)?;
        for step in 0..80 {
            sim.step().map_err(|e| format!("step {step}: {e}"))?;
            invariants(&sim).map_err(|e| format!("step {step}: {e}"))?;
        }
        ensure!(
            strategy.slot != Slot::Group || sim.metrics().spawned == 15,
            "only {} of 15 people came",
            sim.metrics().spawned
        );
        Ok(())
    });
    report.add("resume", || {
        let mut whole = scene::simulation(registry, strategy, 1)?;
        let mut cut = scene::simulation(registry, strategy, 1)?;
        for step in 0..40 {
            whole.step().map_err(|e| format!("step {step}: {e}"))?;
            if step == 20 {
                cut.restore(&whole.snapshot()).map_err(|e| e.to_string())?;
            } else if step > 20 {
                cut.step().map_err(|e| format!("step {step}: {e}"))?;
            }
        }
        ensure!(
            whole.digest() == cut.digest(),
            "resumed after step 20, step 40 has the digest {:016x}, {:016x} without a break",
            cut.digest(),
            whole.digest()
        );
        Ok(())
    });
    report.add_alone("memory", || {
        let mut sim = scene::simulation(registry, strategy, 1)?;
        let mut failed = None;
        let outcome = steady(|| {
            if let Err(e) = sim.step() {
                failed.get_or_insert(e.to_string());
            }
        });
        match failed {
            Some(reason) => Err(reason.into()),
            None => outcome,
        }
    });
}
