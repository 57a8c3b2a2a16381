//! Libraries in C that say senseless things of themselves: each is built, and refused with one
//! message that names it.
#![cfg(target_os = "linux")]

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use throng::{LoadError, PluginPolicy, core::Slot, engine::plugin, registry_with};
use throng_core::{CostModel, CrowdView, PriceContext, Prices, RouteClass};

/// Where the libraries are built.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

/// Builds the library of a case.
fn library(case: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = FOLDER
        .path()
        .canonicalize()
        .unwrap()
        .join(format!("{case}.so"));
    let built = Command::new("cc")
        .args(["-std=c11", "-shared", "-fPIC", "-Wall", "-Wno-unused"])
        .arg(format!("-DCASE={case}"))
        .arg("-I")
        .arg(here.join("../../../core/abi/include"))
        .arg("-o")
        .arg(&library)
        .arg(here.join("c/bad.c"))
        .output()
        .expect("a C compiler");
    assert!(
        built.status.success(),
        "{case}: {}",
        String::from_utf8_lossy(&built.stderr)
    );
    library
}

#[test]
fn senseless_libraries_are_refused() {
    for (case, words) in [
        ("TWICE", "strategy bad: the library has it twice"),
        (
            "NO_STRATEGIES",
            "it counts 0 strategies, expected 1 to 1000",
        ),
        ("TOO_MANY", "it counts 4294967295 strategies"),
        ("NO_DESCRIPTOR", "no descriptor for strategy 0: lost it"),
        ("NO_SLOT", "strategy bad: there is no slot number 99"),
        (
            "NO_TABLE",
            "strategy bad: a function of its descriptor is missing",
        ),
        ("NO_PRICE", "strategy bad: price is missing"),
        (
            "NO_CREATE",
            "strategy bad: a function of its descriptor is missing",
        ),
        ("BAD_ID", "strategy Bad Id: the id \"Bad Id\" is not"),
        ("ID_NOT_TEXT", "strategy number 0: its id is not UTF-8"),
        (
            "ENDLESS_TEXT",
            "strategy bad: its description is no text: 18446744073709551615 bytes",
        ),
        ("BAD_SCHEMA", "strategy bad: its option schema is wrong"),
        (
            "BAD_DEFAULT",
            "strategy bad: option factor: its default 2 is not allowed",
        ),
        (
            "BAD_THREADS",
            "strategy bad: its thread rule is 7, expected 0 or 1",
        ),
        (
            "BAD_NEEDS",
            "strategy bad: it needs capabilities 0x10000000000",
        ),
        ("OLD_DESCRIPTOR", "number 0: its descriptor has version 0"),
        (
            "SMALL_DESCRIPTOR",
            "number 0: its descriptor has version 1 and 16 bytes",
        ),
        ("NEW_TABLE", "strategy bad: its table has version 2"),
        (
            "SMALL_TABLE",
            "strategy bad: its table has version 1 and 5 bytes",
        ),
        ("START_FAILS", "its start failed: out of order"),
        ("NO_START", "a function of its symbol is missing"),
        (
            "HALF_STATE",
            "strategy bad: of save and load only one is there",
        ),
    ] {
        let library = library(case);
        let message = plugin::load(&library).unwrap_err().to_string();
        let named = message.starts_with(&library.display().to_string());
        assert!(named && message.contains(words), "{case}: {message}");
    }
}

#[test]
fn clashes_with_built_in_strategies_are_named() {
    let library = library("BUILT_IN");
    let Err(LoadError::Register(clash)) =
        registry_with(std::slice::from_ref(&library), &PluginPolicy::Allow)
    else {
        panic!("it must clash");
    };
    let clash = clash.to_string();
    assert!(
        clash.contains("cost/density")
            && clash.contains(&library.display().to_string())
            && clash.contains("throng-costs"),
        "{clash}"
    );
}

#[test]
fn what_cannot_be_made_says_why() {
    for (case, words) in [
        ("NOTHING_MADE", "making it gave nothing"),
        ("CREATE_FAILS", "making it failed: not today"),
        ("OPTIONS_NOT_JSON", "its options came back wrong"),
    ] {
        let library = library(case);
        let loaded = plugin::load(&library).unwrap();
        let message = loaded.strategies[0]
            .create(&toml::Table::new())
            .unwrap_err()
            .to_string();
        let named = message.contains(&format!("{}: cost/bad", library.display()));
        assert!(named && message.contains(words), "{case}: {message}");
    }
}

fn price(model: &dyn CostModel) -> (Prices, Option<String>) {
    let crowd = CrowdView {
        area: &[1.0; 3],
        axis: &[],
        occupied: &[],
        persons: &[],
        momentum_x: &[],
        momentum_y: &[],
    };
    let context = PriceContext {
        crowd,
        cell_speed: &[],
        cell_length: &[],
        class: RouteClass {
            profile: 0,
            speed: 1.0,
            weight: 1.0,
            radius: 0.2,
        },
        time: 0.0,
    };
    let mut prices = Prices::default();
    model.price(&context, &mut prices);
    (prices, model.fault())
}

#[test]
fn errors_of_calls_are_faults_and_good_libraries_have_none() {
    for (case, words) in [
        ("GOOD", ""),
        ("PRICE_FAILS", "failed: sold out"),
        ("PRICE_STATUS", "status 77, which does not exist"),
    ] {
        let registry = registry_with(&[library(case)], &PluginPolicy::Allow).unwrap();
        let strategy = registry.find(Slot::Cost, "bad").unwrap();
        let model = strategy.create(&toml::Table::new()).unwrap();
        let (prices, fault) = price(&*model.into_cost().unwrap());
        assert_eq!(prices.uniform, Some(1.0), "{case}");
        let fault = fault.unwrap_or_default();
        assert!(
            fault.contains(words) && fault.is_empty() == words.is_empty(),
            "{case}: {fault}"
        );
    }
}
