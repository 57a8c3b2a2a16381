//! Strategies in plain C: compiled by the machine's compiler, loaded, and run.
//!
//! A machine without a C compiler skips these with a message: Throng itself needs none.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use throng::{
    Registry, Simulation,
    core::Slot,
    engine::plugin,
    scenes,
    snapshot::{Extent, Outcome, watch},
};
use throng_tests::root;

/// Compiles a source into a library; nothing without a compiler.
fn library(name: &str) -> Option<PathBuf> {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().unwrap()).path();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let works = Command::new(&compiler).arg("--version").output();
    if !works.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: there is no C compiler {compiler}");
        return None;
    }
    let file = format!("{name}{}", std::env::consts::DLL_SUFFIX);
    let path = folder.join(file);
    let source = root().join(format!("tests/plugins/c/{name}.c"));
    let output = Command::new(&compiler)
        .args(["-std=c99", "-O2", "-shared", "-fPIC", "-ffp-contract=off"])
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic"])
        .arg("-I")
        .arg(root().join("core/abi/include"))
        .arg(&source)
        .arg("-o")
        .arg(&path)
        .arg("-lm")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {told}", source.display());
    Some(path)
}

fn registry(library: &Path) -> Registry {
    let mut registry = throng::registry();
    let library = plugin::load(library).unwrap_or_else(|e| panic!("{e}"));
    registry.register(library.strategies).unwrap();
    registry
}

fn simulation(text: &str, registry: Registry, threads: usize) -> Simulation {
    let scene = scenes::generate("crossing", &Default::default()).unwrap();
    Simulation::builder()
        .threads(threads)
        .world_with(scene, text, registry)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn digests(sim: &mut Simulation, steps: usize) -> Vec<u64> {
    (0..steps)
        .map(|_| {
            sim.step().unwrap_or_else(|e| panic!("{e}"));
            sim.digest()
        })
        .collect()
}

const CROWD: &str = r#"
    [replan]
    every = 2.0
    [[source]]
    area = "w"
    count = 25
    goals = ["e"]
    [[source]]
    area = "s"
    count = 25
    goals = ["n"]
"#;

/// Same bits on 1, 2 and 3 threads, other bits with another option, the same rest after resuming,
/// and the snapshot.
fn check(slot: Slot, id: &str, source: &str, option: &str) {
    let Some(library) = library(source) else {
        return;
    };
    let registry = registry(&library);
    let found = registry.find(slot, id).unwrap();
    assert_eq!(found.version, "0.1.0");
    assert!(found.origin.ends_with(std::env::consts::DLL_SUFFIX));
    assert!(!found.options.is_empty());
    let text = format!(
        "name = 'c'\nseed = 11\n[{}]\nkind = '{id}'\n{CROWD}",
        slot.name()
    );
    let mut whole = simulation(&text, registry.clone(), 1);
    let first = digests(&mut whole, 60);
    let kept = whole.snapshot();
    let rest = digests(&mut whole, 60);
    for threads in [2, 3] {
        let mut sim = simulation(&text, registry.clone(), threads);
        assert_eq!(digests(&mut sim, 60), first, "{threads} threads");
        assert_eq!(digests(&mut sim, 60), rest, "{threads} threads");
    }
    let mut resumed = simulation(&text, registry.clone(), 2);
    resumed.restore(&kept).unwrap();
    assert_eq!(digests(&mut resumed, 60), rest, "resumed");
    let other = text.replace(&format!("'{id}'"), &format!("'{id}'\n{option}"));
    let mut other = simulation(&other, registry.clone(), 2);
    assert_ne!(
        digests(&mut other, 60),
        first,
        "options must reach the library"
    );
    let extent = Extent {
        steps: 120,
        threads: 2,
    };
    let text = match watch(simulation(&text, registry, 2), extent) {
        Outcome::Ran(figures) => figures.text(),
        Outcome::Refused(why) | Outcome::Broken(why) => panic!("{id}: {why}"),
    };
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("../snapshots");
    settings.bind(|| insta::assert_snapshot!(format!("plugin__{id}"), text));
}

#[test]
fn avoidance_in_c() {
    check(Slot::Avoidance, "keep-left", "keep_left", "side = -1.0");
}

#[test]
fn cost_in_c() {
    check(Slot::Cost, "toll", "toll", "rate = 500.0");
}

#[test]
fn bad_options_are_refused_by_a_library_in_c() {
    let Some(library) = library("keep_left") else {
        return;
    };
    let registry = registry(&library);
    let strategy = registry.find(Slot::Avoidance, "keep-left").unwrap();
    let table = toml::from_str("gap = 'wide'").unwrap();
    let refused = strategy.create(&table).unwrap_err().to_string();
    assert!(
        refused.starts_with("gap: \"wide\" is not allowed"),
        "{refused}"
    );
    assert!(refused.contains("avoidance/keep-left"), "{refused}");
    let table = toml::from_str("gap = 0.25").unwrap();
    let effective = strategy.effective(&table).unwrap();
    assert_eq!(effective["gap"].as_float(), Some(0.25));
    assert_eq!(effective["side"].as_integer(), Some(1));
}
