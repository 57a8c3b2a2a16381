//! Maps, planners, policies and groups of a library that go wrong: the run is refused or ends with
//! a message that names library and strategy, and the good ones run.

use std::path::PathBuf;

use throng::{PluginPolicy, Registry, Simulation, registry_with, scenes};

fn library() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.with_file_name(format!(
        "{}throng_plugin_faulty{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

fn registry() -> Registry {
    registry_with(&[library()], &PluginPolicy::Allow).unwrap()
}

/// Builds and runs a few steps; what went wrong.
fn run(slot: &str, deed: &str) -> Result<u64, String> {
    let text = format!(
        r#"
        name = "faulty"
        seed = 4
        [{slot}]
        kind = "faulty"
        deed = "{deed}"
        [cost]
        kind = "density"
        [[source]]
        area = "w"
        count = 10
        goals = ["e"]
        groups = {{ sizes = [0, 1] }}
        "#
    );
    let scene = scenes::generate("crossing", &Default::default()).unwrap();
    let mut sim = Simulation::builder()
        .threads(2)
        .world_with(scene, &text, registry())
        .map_err(|e| e.to_string())?;
    for _ in 0..5 {
        sim.step().map_err(|e| e.to_string())?;
    }
    Ok(sim.metrics().spawned)
}

#[test]
fn good_ones_run() {
    for slot in ["nav", "planner", "lod", "group"] {
        assert_eq!(run(slot, "well"), Ok(10), "{slot}");
    }
}

#[test]
fn every_misdeed_is_named() {
    let mut missed = Vec::new();
    for (slot, deed, words) in [
        ("nav", "panic", "no such ground"),
        ("nav", "edge", "edge 0 names a node beyond 1"),
        ("nav", "nan", "node 0"),
        ("nav", "region", "its region is 9 of 1"),
        ("nav", "attach", "12"),
        ("nav", "idle", "written"),
        ("planner", "panic", "lost the way"),
        ("planner", "nan", "its length is NaN"),
        ("planner", "edges", "it has edge 4000000"),
        ("planner", "gate", "its gate 0 is"),
        ("planner", "idle", "no route was written"),
        ("planner", "twice", ""),
        ("lod", "panic", "no level is right"),
        ("lod", "idle", "its level was not written"),
        ("group", "panic", "we part here"),
        ("group", "nan", "preferred velocity"),
    ] {
        let who = format!("throng_plugin_faulty.so: {slot}/faulty");
        match run(slot, deed) {
            Err(said) if said.contains(words) && said.contains(&who) => {}
            other => missed.push(format!("{slot} {deed}: {other:?}")),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    // A ground that does not suit a map is the user's to change: the map is named, no fault told.
    let unsuitable = run("nav", "error").unwrap_err();
    assert_eq!(unsuitable, "nav \"faulty\": too flat for me");
}
