//! The bundled scenarios: each fits the schema, says what it shows, checks and runs.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

fn scenarios(folder: &str) -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let mut files: Vec<PathBuf> = fs::read_dir(tests.join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no scenario in tests/{folder}");
    files
}

fn throng(args: &[&str]) -> Value {
    let out = Command::new(env!("CARGO_BIN_EXE_throng"))
        .args(args)
        .arg("--json")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{args:?}: {said}");
    serde_json::from_slice(&out.stdout).unwrap()
}

#[test]
fn scenarios_fit_the_schema_and_wrong_ones_do_not() {
    let schema = throng(&["schema"]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = |text: &str| -> Value {
        let table: toml::Table = text.parse().unwrap();
        serde_json::to_value(table).unwrap()
    };
    for file in scenarios("scenarios").iter().chain(&scenarios("large")) {
        let text = fs::read_to_string(file).unwrap();
        let found: Vec<String> = validator
            .iter_errors(&document(&text))
            .map(|e| format!("{}: {e}", e.instance_path))
            .collect();
        assert!(found.is_empty(), "{}: {found:?}", file.display());
        assert!(
            text.starts_with("# "),
            "{}: a comment says what it shows",
            file.display()
        );
        for (right, wrong) in [("name =", "nmae ="), ("generate =", "generates =")] {
            if text.contains(right) {
                let broken = document(&text.replacen(right, wrong, 1));
                assert!(!validator.is_valid(&broken), "{}: {wrong}", file.display());
            }
        }
    }
}

#[test]
fn scenarios_check_without_warnings_and_run() {
    let home = tempfile::tempdir().unwrap();
    for file in scenarios("scenarios") {
        let name = file.to_str().unwrap();
        let checked = throng(&["check", name]);
        assert_eq!(checked["warnings"], serde_json::json!([]), "{name}");
        let out = home.path().join(file.file_stem().unwrap());
        let out = out.to_str().unwrap();
        let run = throng(&["run", name, "--out", out, "--steps", "120", "--quiet"]);
        let stem = file.file_stem().unwrap().to_str().unwrap();
        assert_eq!(run["scenario"], stem, "the name is that of the file");
        let metrics = &run["metrics"];
        assert!(metrics["spawned"].as_u64().unwrap() > 0, "{name}");
        for none in [
            "lost",
            "wall_crossings",
            "unreachable",
            "not_finite",
            "beyond_cap",
        ] {
            assert_eq!(metrics[none], 0, "{name}: {none}");
        }
    }
}

#[test]
fn nobody_is_left_behind_when_doors_close_and_the_crowd_pushes() {
    let home = tempfile::tempdir().unwrap();
    for stem in ["rooms", "bottleneck", "two-storey"] {
        let files = scenarios("scenarios");
        let file = files
            .iter()
            .find(|f| f.file_stem().unwrap() == stem)
            .unwrap();
        let out = home.path().join(stem);
        let args = [
            "run",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--quiet",
        ];
        let run = throng(&args);
        assert_eq!(run["ended"], "everybody has gone", "{stem}");
        assert_eq!(
            run["metrics"]["arrived"], run["metrics"]["spawned"],
            "{stem}"
        );
    }
}
