//! The rooms that whole strategies are tried in, and a run through them.

use glam::DVec2;
use throng_core::{Capabilities, Slot};
use throng_engine::{Registry, registry::Strategy};
use throng_kit::environment::{Environment, Floor, Polygon};

use super::{Unmet, Verdict, ensure};
use crate::{Simulation, snapshot::invariants};

/// Area of the rooms, square metres.
pub(super) const WALKABLE: f64 = 240.0 - 8.0 - 8.0 - 3.0;

/// Two walls that are walked round, and a pillar.
fn rooms() -> Environment {
    let r = |a: f64, b: f64, c: f64, d: f64| Polygon::rectangle(DVec2::new(a, b), DVec2::new(c, d));
    Environment {
        floors: vec![Floor {
            walkable: vec![r(0.0, 0.0, 20.0, 12.0)],
            solid: vec![
                r(6.0, -1.0, 7.0, 8.0),
                r(13.0, 4.0, 14.0, 13.0),
                r(9.0, 5.0, 11.0, 6.5),
            ],
            ..Floor::default()
        }],
        ..Environment::default()
    }
}

/// A crowd of 15 from the left of the rooms to the right, with a strategy in its slot and
/// whatever else it needs around it.
pub(super) fn simulation(
    registry: &Registry,
    strategy: &Strategy,
    threads: usize,
) -> Result<Simulation, Unmet> {
    let mut builder = Simulation::builder().threads(threads).set(format!(
        "{}.kind=\"{}\"",
        strategy.slot.name(),
        strategy.id
    ));
    if strategy.needs.has(Capabilities::MESH) && strategy.slot != Slot::Nav {
        builder = builder.set("nav.kind=\"surface\"");
    }
    if strategy.slot == Slot::Group {
        builder = builder.set("source[0].groups={sizes=[1, 1, 1]}");
    }
    let text = r#"
        name = "conformance"
        [replan]
        every = 2.0
        [[source]]
        area = [[1, 1], [5, 1], [5, 11], [1, 11]]
        count = 15
        goals = [[[15, 1], [19, 1], [19, 11], [15, 11]]]
    "#;
    builder
        .world_with(rooms(), text, registry.clone())
        .map_err(|e| Unmet::Failed(e.to_string()))
}

/// Runs the crowd, twice and on several threads: nobody is lost, and the bits are the same.
pub(super) fn run(registry: &Registry, strategy: &Strategy) -> Verdict {
    const STEPS: u64 = 60;
    let digest = |threads: usize| -> Result<u64, Unmet> {
        let mut sim = simulation(registry, strategy, threads)?;
        for step in 0..STEPS {
            sim.step().map_err(|e| format!("step {step}: {e}"))?;
            invariants(&sim).map_err(|e| format!("step {step}: {e}"))?;
        }
        Ok(sim.digest())
    };
    let first = digest(1)?;
    for (threads, when) in [(1, "the second time"), (3, "on three threads")] {
        let other = digest(threads)?;
        ensure!(
            first == other,
            "after {STEPS} steps the digest is {other:016x} {when}, {first:016x} the first time"
        );
    }
    Ok(())
}
