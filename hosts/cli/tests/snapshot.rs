//! `throng snapshot`: what it tells apart, its exit codes, its files.

use std::{fs, path::Path, process::Command};

const SCENARIO: &str = r#"
name = "hall"
seed = 5
[environment]
generate = "corridor"
length = 16.0
width = 4.0
[[source]]
area = "left"
count = 4
goals = ["right"]
[[source]]
area = "right"
count = 4
goals = ["left"]
[snapshot]
steps = 40
vary = { nav = ["grid"], planner = ["astar", "geodesic"], cost = ["distance"], avoidance = ["none", "orca"], lod = ["uniform"], group = ["none"] }
"#;

struct Run {
    code: i32,
    document: serde_json::Value,
    text: String,
}

fn throng(folder: &Path, arguments: &[&str]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.current_dir(folder).arg("snapshot").args(arguments);
    let out = command.arg("--json").output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let document = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    Run {
        code: out.status.code().unwrap(),
        document,
        text: text + &String::from_utf8_lossy(&out.stderr),
    }
}

fn count(run: &Run, what: &str) -> u64 {
    run.document["scenarios"][0]["counts"][what]
        .as_u64()
        .unwrap()
}

#[test]
fn combinations_that_are_new_equal_changed_missing_and_refused_are_told_apart() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("hall.toml");
    fs::write(&file, SCENARIO).unwrap();
    // The star has 3 cases (one refused), the matrix 4 combinations (two refused).
    let first = throng(home.path(), &["hall.toml"]);
    assert_eq!(first.code, 3, "{}", first.text);
    assert_eq!(count(&first, "new"), 7, "{}", first.text);
    assert!(
        !home.path().join("hall.snapshots").exists(),
        "nothing is stored unasked"
    );

    let accepted = throng(home.path(), &["hall.toml", "--accept"]);
    assert_eq!(accepted.code, 0, "{}", accepted.text);
    let store = home.path().join("hall.snapshots");
    let star = fs::read_to_string(store.join("star__avoidance=none.snap")).unwrap();
    assert!(
        star.contains("avoidance none") && star.contains("mean speed"),
        "{star}"
    );
    let matrix = fs::read_to_string(store.join("matrix__grid.snap")).unwrap();
    assert_eq!(matrix.lines().filter(|l| l.starts_with("grid ")).count(), 4);
    assert_eq!(matrix.matches("refused:").count(), 2, "{matrix}");
    assert!(store.join(".recorded/.gitignore").exists());

    let equal = throng(home.path(), &["."]);
    assert_eq!(equal.code, 0, "{}", equal.text);
    assert_eq!(count(&equal, "equal"), 7);
    assert_eq!(count(&equal, "refused"), 3);
    assert!(!store.join(".unfinished").exists());

    let none = throng(
        home.path(),
        &["hall.toml", "--filter", "grid astar distance orka"],
    );
    assert_eq!(none.code, 2, "{}", none.text);

    let orca = ["hall.toml", "--filter", "grid astar distance orca"];
    let slower = [&orca[..], &["--set", "avoidance.time_horizon=0.5"]].concat();
    let changed = throng(home.path(), &slower);
    assert_eq!(changed.code, 3, "{}", changed.text);
    let row = &changed.document["scenarios"][0]["rows"][0];
    assert_eq!(row["status"], "changed");
    assert!(row["parting"]["step"].as_u64().unwrap() >= 1, "{row}");
    assert!(row["parting"]["agent"].is_u64(), "{row}");
    assert!(
        row["moves"]
            .as_array()
            .unwrap()
            .iter()
            .any(|m| m["figure"] == "bits")
    );
    let page = fs::read_to_string(home.path().join(row["page"].as_str().unwrap())).unwrap();
    assert!(page.contains("the runs part at step"));

    // Without the track the step is known still, and what the agent needs is said.
    fs::remove_dir_all(store.join(".recorded")).unwrap();
    let changed = throng(home.path(), &slower);
    let blind = &changed.document["scenarios"][0]["rows"][0];
    assert_eq!(blind["parting"]["step"], row["parting"]["step"]);
    assert!(blind["parting"]["agent"].is_null());
    assert!(
        blind["lacking"].as_str().unwrap().contains("--accept"),
        "{blind}"
    );

    // A combination that is stored and of which the scenario knows nothing any more.
    let fewer = SCENARIO.replace("\"none\", \"orca\"", "\"orca\"");
    fs::write(&file, &fewer).unwrap();
    let missing = throng(home.path(), &["hall.toml"]);
    assert_eq!(missing.code, 3, "{}", missing.text);
    assert_eq!(count(&missing, "missing"), 3, "{}", missing.text);
    assert_eq!(throng(home.path(), &["hall.toml", "--accept"]).code, 0);
    assert!(!store.join("star__avoidance=none.snap").exists());
}

#[test]
fn tolerances_let_figures_move_and_seeds_have_a_mean_and_a_spread() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("hall.toml");
    let text = SCENARIO.replace("steps = 40", "steps = 40\nseeds = 3");
    fs::write(&file, &text).unwrap();
    let one = ["hall.toml", "--filter", "grid astar distance orca"];
    assert_eq!(
        throng(home.path(), &[&one[..], &["--accept"]].concat()).code,
        0
    );
    let store = home.path().join("hall.snapshots");
    let matrix = fs::read_to_string(store.join("matrix__grid.snap")).unwrap();
    assert!(matrix.contains('±'), "{matrix}");
    // Other bits of the same build are a difference whatever the figures; without them figures
    // alone count.
    fs::remove_file(store.join("digests.txt")).unwrap();
    let other = [&one[..], &["--set", "avoidance.time_horizon=0.5"]].concat();
    assert_eq!(throng(home.path(), &other).code, 3);
    let loose =
        text + "tolerance = { speed = 9, gap = 9, arrivals = 9, overlaps = 9, stalled = 100 }\n";
    fs::write(&file, loose).unwrap();
    let within = throng(home.path(), &other);
    assert_eq!(within.code, 0, "{}", within.text);
}

#[test]
fn wrong_input_is_told_from_differences() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("hall.toml"), SCENARIO).unwrap();
    for wrong in [
        &["nowhere.toml"][..],
        &["hall.toml", "--vary", "avoidance=orcs"],
        &["hall.toml", "--set", "snapshot.steps=0"],
    ] {
        let run = throng(home.path(), wrong);
        assert_eq!(run.code, 2, "{}", run.text);
    }
    fs::create_dir(home.path().join("empty")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    let out = command.current_dir(home.path()).args(["snapshot", "empty"]);
    assert_eq!(out.output().unwrap().status.code(), Some(2));
}
