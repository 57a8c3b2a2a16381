//! A whole simulation with a strategy linked and with it loaded: what the digest tests share.

#![allow(dead_code, reason = "not every test uses all of it")]

use std::path::PathBuf;

use throng::{
    Registry, Simulation,
    core::Slot,
    engine::plugin,
    scenes,
    snapshot::{Extent, Outcome, watch},
};

/// The library that cargo built before this program, beside it.
pub fn library(name: &str) -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.with_file_name(format!(
        "{}throng_plugin_{name}{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

/// Everything built in, and the strategy linked or loaded.
pub fn registries(slot: Slot, id: &str) -> [Registry; 2] {
    let linked = throng::registry();
    assert!(linked.find(slot, id).is_some(), "{id} is not linked");
    let mut loaded = Registry::empty();
    let others = linked.strategies().iter().filter(|s| s.id != id);
    loaded.register(others.cloned()).unwrap();
    let library = plugin::load(&library(id)).unwrap();
    loaded.register(library.strategies).unwrap();
    [linked, loaded]
}

/// A simulation of a scene.
pub fn simulation(scene: &str, text: &str, registry: Registry, threads: usize) -> Simulation {
    let scene = scenes::generate(scene, &Default::default()).unwrap();
    Simulation::builder()
        .threads(threads)
        .world_with(scene, text, registry)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// The digests of every step, with who arrived.
pub fn digests(sim: &mut Simulation, steps: usize) -> (Vec<u64>, u64) {
    let all = (0..steps)
        .map(|_| {
            sim.step().unwrap_or_else(|e| panic!("{e}"));
            sim.digest()
        })
        .collect();
    (all, sim.metrics().arrived)
}

/// Asserts that linked and loaded give the same bits on 1, 2 and 3 threads, that somebody arrives
/// and that options matter; gives how many arrived.
///
/// The run is compared with the snapshot `plugin__CASE`.
pub fn same_bits(
    (slot, id, case): (Slot, &str, &str),
    scene: &str,
    text: &str,
    other: &str,
    steps: usize,
) -> u64 {
    let [linked, loaded] = registries(slot, id);
    let expected = digests(&mut simulation(scene, text, linked, 1), steps);
    for threads in [1, 2, 3] {
        let found = digests(&mut simulation(scene, text, loaded.clone(), threads), steps);
        assert_eq!(expected, found, "{threads} threads");
    }
    let changed = digests(&mut simulation(scene, other, loaded.clone(), 2), steps);
    assert_ne!(expected.0, changed.0, "options must reach the library");
    compare(case, simulation(scene, text, loaded, 2), steps);
    expected.1
}

/// Compares a run with its snapshot; invariants are asserted in every step.
pub fn compare(name: &str, sim: Simulation, steps: usize) {
    let extent = Extent {
        steps: steps as u64,
        threads: 2,
    };
    let text = match watch(sim, extent) {
        Outcome::Ran(figures) => figures.text(),
        Outcome::Refused(why) | Outcome::Broken(why) => panic!("{name}: {why}"),
    };
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../../snapshots"));
    settings.bind(|| insta::assert_snapshot!(format!("plugin__{name}"), text));
}
