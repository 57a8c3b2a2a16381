//! The conformance kit finds every misdeed of a loaded library, and none where there is none.

use std::{
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use throng::{
    PluginPolicy, Registry, conformance,
    conformance::Report,
    core::Slot,
    engine::registry::{AnyStrategy, CreateError, Factory, Strategy},
    registry_with,
};

/// Loaded once: what reading a library allocates and frees would hide what a strategy keeps.
static LOADED: LazyLock<Registry> = LazyLock::new(|| {
    let program = std::env::current_exe().unwrap();
    let library: PathBuf = program.with_file_name(format!(
        "{}throng_plugin_faulty{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    registry_with(&[library], &PluginPolicy::Allow).unwrap()
});

/// A strategy with one option fixed.
#[derive(Debug)]
struct Fixed {
    strategy: Strategy,
    option: &'static str,
    word: &'static str,
}

impl Factory for Fixed {
    fn create(&self, table: &toml::Table) -> Result<AnyStrategy, CreateError> {
        let mut table = table.clone();
        table.insert(self.option.into(), self.word.into());
        self.strategy.create(&table)
    }
}

fn report(slot: Slot, option: &'static str, word: &'static str) -> Report {
    let strategy = LOADED.find(slot, "faulty").unwrap().clone();
    let mut fixed = strategy.clone();
    fixed.options.clear();
    fixed.factory = Arc::new(Fixed {
        strategy,
        option,
        word,
    });
    let mut registry: Registry = throng::registry();
    registry.register([fixed]).unwrap();
    conformance::check(&registry, slot, "faulty")
}

/// Whether a check failed with these words.
fn found(report: &Report, check: &str, words: &str) {
    let mut failures = report.failures();
    assert!(
        failures.any(|(name, reason)| name == check && reason.contains(words)),
        "{check} with {words:?} is not in\n{report}"
    );
}

#[test]
fn avoidance_that_behaves_passes() {
    report(Slot::Avoidance, "deed", "well").assert();
}

#[test]
fn avoidance_that_does_not_is_found_out() {
    for (deed, check, words) in [
        ("nan", "bounds", "agent 5"),
        ("infinite", "bounds", "agent 5"),
        ("huge", "bounds", "agent 5"),
        ("idle", "bounds", "was not written"),
        ("panic", "bounds", "no more of this"),
        ("memory", "bounds", "grudge"),
        ("push", "bounds", "displacement"),
        ("report", "bounds", "I feel unwell"),
        ("reach", "profile", "its reach is NaN"),
        ("order", "order", "in reverse order"),
        ("moody", "repeat", "the first time"),
        ("moody", "run", "digest"),
    ] {
        found(&report(Slot::Avoidance, "deed", deed), check, words);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn memory_that_grows_is_found_out() {
    let leaking = report(Slot::Avoidance, "deed", "leak");
    found(&leaking, "memory", "grows by");
}

#[test]
fn cost_that_does_not_behave_is_found_out() {
    report(Slot::Cost, "fee", "well").assert();
    for (fee, check, words) in [
        ("nan", "bounds", "cell 2"),
        ("gift", "bounds", "cell 2"),
        ("short", "bounds", "entries"),
        ("panic", "bounds", "sold out"),
        ("forgetful", "state", ""),
    ] {
        found(&report(Slot::Cost, "fee", fee), check, words);
    }
}
