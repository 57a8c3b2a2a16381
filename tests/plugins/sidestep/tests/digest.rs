//! A whole simulation with the strategy linked and with it loaded: the same digest at every step.

use std::path::PathBuf;

use throng::{Registry, Simulation, core::Slot, engine::plugin, scenes};

#[path = "../src/sidestep.rs"]
mod sidestep;

fn library() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.with_file_name(format!(
        "{}throng_plugin_sidestep{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

fn digests(registry: Registry, threads: usize) -> Vec<u64> {
    let text = r#"
        name = "plugin"
        seed = 11
        [avoidance]
        kind = "sidestep"
        [[source]]
        area = "w"
        count = 25
        goals = ["e"]
        [[source]]
        area = "s"
        count = 25
        goals = ["n"]
    "#;
    let scene = scenes::generate("crossing", &Default::default()).unwrap();
    let mut sim = Simulation::builder()
        .threads(threads)
        .world_with(scene, text, registry)
        .unwrap_or_else(|e| panic!("{e}"));
    (0..120)
        .map(|_| {
            sim.step().unwrap();
            sim.digest()
        })
        .collect()
}

#[test]
fn linked_and_loaded_give_the_same_bits() {
    let linked = throng::registry();
    assert!(linked.find(Slot::Avoidance, "sidestep").is_some());
    let mut loaded = Registry::empty();
    let others = linked.strategies().iter().filter(|s| s.id != "sidestep");
    loaded.register(others.cloned()).unwrap();
    loaded
        .register(plugin::load(&library()).unwrap().strategies)
        .unwrap();
    let expected = digests(linked, 1);
    for threads in [1, 2, 3] {
        assert_eq!(
            expected,
            digests(loaded.clone(), threads),
            "{threads} threads"
        );
    }
}
