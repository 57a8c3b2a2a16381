//! The program as users meet it: exit codes, what goes to stdout, what a run's folder holds.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

fn throng(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

fn output(folder: &Path, args: &[&str]) -> Output {
    throng(folder).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs with `--json`, expects success and nothing but one document on stdout.
fn json(folder: &Path, args: &[&str]) -> Value {
    let out = throng(folder).args(args).arg("--json").output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", text(&out.stderr));
    serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|e| panic!("{args:?}: {e}: {}", text(&out.stdout)))
}

const SCENARIO: &str = r#"
name = "few"
seed = 3
dt = 0.1
duration = 12.0
[environment]
generate = "bottleneck"
[[source]]
area = "room"
count = 12
goals = ["exit"]
"#;

fn home() -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().to_path_buf();
    fs::write(path.join("few.toml"), SCENARIO).unwrap();
    (home, path)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn alone_and_with_help_it_shows_a_first_example() {
    let (_home, at) = home();
    for args in [&[][..], &["--help"]] {
        let out = output(&at, args);
        assert!(out.status.success());
        assert!(
            text(&out.stdout).contains("throng new scenario hello"),
            "{}",
            text(&out.stdout)
        );
    }
}

#[test]
fn the_first_example_works() {
    let (_home, at) = home();
    assert!(output(&at, &["new", "scenario", "hello"]).status.success());
    let again = output(&at, &["new", "scenario", "hello"]);
    assert_eq!(
        again.status.code(),
        Some(2),
        "a file that is there is not touched"
    );
    assert!(output(&at, &["check", "hello.toml"]).status.success());
    let out = output(&at, &["run", "hello.toml", "--steps", "30"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let shown = text(&out.stdout);
    assert!(
        shown.trim_end().ends_with("open out/hello/picture.png"),
        "{shown}"
    );
    let files = names(&at.join("out/hello"));
    let expected = [
        "metrics.csv",
        "picture.png",
        "replay.html",
        "scenario.resolved.toml",
        "summary.json",
        "trajectories.sqlite",
    ];
    assert_eq!(files, expected);
}

#[test]
fn every_command_prints_one_json_document() {
    let (_home, at) = home();
    let listed = json(&at, &["list"]);
    let orca = listed["strategies"]
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["id"] == "orca");
    assert_eq!(orca.unwrap()["slot"], "avoidance");
    assert!(orca.unwrap()["origin"].is_string() && orca.unwrap()["about"].is_string());
    assert_eq!(json(&at, &["describe", "avoidance/orca"])["id"], "orca");
    assert_eq!(json(&at, &["describe", "scene/square"])["slot"], "scene");
    assert_eq!(json(&at, &["check", "few.toml"])["ok"], true);
    assert!(json(&at, &["schema"])["$schema"].is_string());
    let nav = json(&at, &["nav", "few.toml", "--nav", "grid"]);
    assert!(nav["nodes"].as_u64().unwrap() > 100 && nav["components"] == 1);
    let path = json(
        &at,
        &[
            "path",
            "few.toml",
            "--nav",
            "grid",
            "--planner",
            "astar",
            "--from",
            "1,1",
            "--to",
            "20,5",
        ],
    );
    assert_eq!(path["queries"][0]["found"], true);
    assert!(path["queries"][0]["walked"].as_f64().unwrap() > 19.0);
    let bench = json(
        &at,
        &["bench", "few.toml", "--steps", "20", "--threads", "1"],
    );
    assert!(bench["ms_per_step"]["median"].as_f64().unwrap() > 0.0);
    let matrix = json(
        &at,
        &["matrix", "few.toml", "--vary", "avoidance", "--steps", "20"],
    );
    assert_eq!(matrix["combinations"].as_array().unwrap().len(), {
        let strategies = listed["strategies"].as_array().unwrap();
        strategies
            .iter()
            .filter(|s| s["slot"] == "avoidance")
            .count()
    });
    let made = json(&at, &["new", "scenario", "other"]);
    assert_eq!(made["file"], "other.toml");
    let run = json(&at, &["run", "few.toml", "--out", "here"]);
    let written: Value =
        serde_json::from_slice(&fs::read(at.join("here/summary.json")).unwrap()).unwrap();
    assert_eq!(run, written, "the run's document is summary.json");
}

#[test]
fn wrong_input_is_2_and_says_what_is_wrong() {
    let (_home, at) = home();
    fs::write(at.join("wrong.toml"), SCENARIO.replace("count", "cuont")).unwrap();
    fs::write(at.join("bytes.toml"), [0xff, 0xfe, 0x00]).unwrap();
    fs::write(at.join("empty.toml"), "").unwrap();
    let cases: [(&[&str], &str); 14] = [
        (&["run", "nothing.toml"], "nothing.toml"),
        (&["run", "wrong.toml"], "count"),
        (&["check", "wrong.toml"], "wrong.toml:10"),
        (&["run", "bytes.toml"], "UTF-8"),
        (&["run", "empty.toml"], "environment"),
        (&["run", "few.toml", "--set", "nav.kind=gird"], "grid"),
        (&["run", "few.toml", "--resume", "nothing"], "nothing"),
        (
            &["run", "few.toml", "--resume", "few.toml"],
            "not a checkpoint",
        ),
        (
            &["run", "few.toml", "--checkpoint-every", "-1"],
            "checkpoint",
        ),
        (&["describe", "avoidance/orka"], "orca"),
        (&["list", "avoidence"], "avoidance"),
        (&["path", "few.toml", "--from", "1,x", "--to", "2,2"], "x,y"),
        (&["matrix", "few.toml", "--vary", "nav=gird"], "grid"),
        (&["fly"], "fly"),
    ];
    for (args, expected) in cases {
        let out = output(&at, args);
        let shown = text(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {shown}");
        assert!(
            shown.contains(expected),
            "{args:?}: {expected:?} is not in\n{shown}"
        );
        assert!(
            out.stdout.is_empty(),
            "{args:?} wrote to stdout: {}",
            text(&out.stdout)
        );
        assert!(!shown.contains("panicked"), "{args:?}: {shown}");
        let as_json = throng(&at).args(args).arg("--json").output().unwrap();
        let document: Value = serde_json::from_slice(&as_json.stdout).unwrap();
        assert_eq!(document["exit_code"], 2, "{args:?}");
    }
}

#[test]
fn resolved_scenarios_rerun_to_the_same_digest_on_any_threads() {
    let (_home, at) = home();
    let first = json(&at, &["run", "few.toml", "--out", "a", "--threads", "1"]);
    let again = json(
        &at,
        &[
            "run",
            "a/scenario.resolved.toml",
            "--out",
            "b",
            "--threads",
            "3",
        ],
    );
    assert_eq!(first["digest"], again["digest"]);
    assert_eq!(first["scenario_hash"], again["scenario_hash"]);
    let other = json(&at, &["run", "few.toml", "--out", "c", "--seed", "99"]);
    assert_ne!(first["digest"], other["digest"]);
    let m = &first["metrics"];
    let count = |key: &str| m[key].as_u64().unwrap();
    assert_eq!(count("spawned"), 12);
    assert_eq!(
        count("walking") + count("arrived") + m["removed"]["total"].as_u64().unwrap(),
        12
    );
    assert_eq!((count("lost"), count("wall_crossings")), (0, 0));
}

#[test]
fn a_resumed_run_ends_like_one_without_a_break() {
    let (_home, at) = home();
    let whole = json(
        &at,
        &[
            "run",
            "few.toml",
            "--out",
            "whole",
            "--checkpoint-every",
            "3.7",
        ],
    );
    let checkpoints: Vec<String> = names(&at.join("whole"))
        .into_iter()
        .filter(|n| n.starts_with("checkpoint-"))
        .collect();
    assert_eq!(checkpoints.len(), 3, "{checkpoints:?}");
    for name in checkpoints {
        let file = format!("whole/{name}");
        let rest = json(
            &at,
            &[
                "run",
                "few.toml",
                "--out",
                "rest",
                "--resume",
                &file,
                "--threads",
                "2",
            ],
        );
        assert_eq!(rest["digest"], whole["digest"], "{name}");
        assert_eq!(rest["steps"], whole["steps"]);
        assert_eq!(rest["metrics"], whole["metrics"], "{name}");
        let notices = rest["notices"].to_string();
        assert!(notices.contains("resumed at step"), "{notices}");
    }
    let other = output(
        &at,
        &[
            "run",
            "few.toml",
            "--seed",
            "4",
            "--resume",
            "whole/checkpoint-00000037.throng",
        ],
    );
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("another scenario"));
}

#[test]
fn formats_are_those_asked_for() {
    let (_home, at) = home();
    json(
        &at,
        &[
            "run",
            "few.toml",
            "--out",
            "a",
            "--set",
            "record.formats=[\"text\",\"csv\"]",
            "--set",
            "record.every=1.0",
        ],
    );
    let lines = fs::read_to_string(at.join("a/trajectories.txt")).unwrap();
    assert!(
        lines.starts_with("# description: few\n# framerate: 1\n# id frame x/m y/m z/m\n"),
        "{lines}"
    );
    let row = lines.lines().nth(3).unwrap();
    assert_eq!(row.split(' ').count(), 5, "{row}");
    let csv = fs::read_to_string(at.join("a/trajectories.csv")).unwrap();
    assert!(csv.starts_with("time_s,frame,id,x_m,y_m,z_m"));
    assert_eq!(csv.lines().count() - 1, lines.lines().count() - 3);
    assert!(!at.join("a/trajectories.sqlite").exists());
    let metrics = fs::read_to_string(at.join("a/metrics.csv")).unwrap();
    let columns = metrics.lines().next().unwrap().split(',').count();
    assert!(metrics.lines().all(|l| l.split(',').count() == columns));
}

#[test]
fn files_that_cannot_be_written_fail_with_a_clear_message() {
    let (_home, at) = home();
    fs::write(at.join("file"), "").unwrap();
    let out = output(&at, &["run", "few.toml", "--out", "file"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("cannot be made"),
        "{}",
        text(&out.stderr)
    );
}

#[test]
fn libraries_are_loaded_only_when_allowed() {
    let (_home, at) = home();
    fs::write(at.join("lib.so"), "no library").unwrap();
    let plugin = SCENARIO.replace("seed = 3", "seed = 3\nplugins = [\"lib.so\"]");
    fs::write(at.join("plugin.toml"), plugin).unwrap();
    let out = output(&at, &["run", "plugin.toml"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(
        text(&out.stderr).contains("--allow-plugins"),
        "{}",
        text(&out.stderr)
    );
    let out = output(&at, &["run", "plugin.toml", "--allow-plugins"]);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
}

#[test]
fn maps_are_exported_and_drawn() {
    let (_home, at) = home();
    let args = [
        "nav",
        "few.toml",
        "--set",
        "nav.cell=1.0",
        "--export",
        "map.geojson",
        "--svg",
        "map.svg",
    ];
    let nav = json(&at, &args);
    let map: Value = serde_json::from_slice(&fs::read(at.join("map.geojson")).unwrap()).unwrap();
    let features = map["features"].as_array().unwrap();
    let lines: Vec<&Value> = features
        .iter()
        .filter(|f| f["geometry"]["type"] == "LineString")
        .collect();
    assert_eq!(
        2 * lines.len() as u64,
        nav["directed_edges"].as_u64().unwrap()
    );
    for line in lines {
        let points = line["geometry"]["coordinates"].as_array().unwrap();
        let length: f64 = points
            .windows(2)
            .map(|w| {
                let way = |i: usize| w[1][i].as_f64().unwrap() - w[0][i].as_f64().unwrap();
                (way(0) * way(0) + way(1) * way(1)).sqrt()
            })
            .sum();
        let told = line["properties"]["length"].as_f64().unwrap();
        assert!((length - told).abs() < 1e-3, "{length} is told as {told}");
    }
    assert!(
        fs::read_to_string(at.join("map.svg"))
            .unwrap()
            .ends_with("</svg>\n")
    );
}

#[test]
fn every_stage_from_heights_to_cells_is_a_picture() {
    let (_home, at) = home();
    let block = "name = \"block\"\n[environment]\ngenerate = \"city-block\"\nside = 128.0\n\
                 drawn = \"height-map\"\npixels = 256\n[nav]\nkind = \"adaptive-grid\"\n";
    fs::write(at.join("block.toml"), block).unwrap();
    let nav = json(&at, &["nav", "block.toml", "--stages", "stages"]);
    let names = [
        "0-heights",
        "1-median",
        "2-normalised",
        "3-sobel-north",
        "4-sobel-east",
        "5-sobel-south",
        "6-sobel-west",
        "7-threshold-north",
        "8-threshold-east",
        "9-threshold-south",
        "10-threshold-west",
        "11-edges",
        "12-components",
        "13-ground",
        "14-navigable",
    ];
    assert_eq!(
        fs::read_dir(at.join("stages")).unwrap().count(),
        names.len()
    );
    for name in names {
        let picture = fs::read(at.join(format!("stages/{name}.png"))).unwrap();
        assert!(picture.starts_with(b"\x89PNG"), "{name}");
        // Width and height stand at the beginning of a PNG's first chunk.
        assert_eq!(picture[16..24], [0, 0, 1, 0, 0, 0, 1, 0], "{name}");
    }
    let figure = |name: &str| nav[name].as_f64().unwrap_or(f64::NAN);
    let (seeds, cells) = (figure("seed_count"), figure("navigable_cells"));
    assert_eq!(nav["nodes"].as_f64(), Some(seeds));
    assert!(seeds > 30.0 && seeds < 1000.0, "{nav}");
    assert!((figure("mean_size") - cells / seeds).abs() < 1e-6, "{nav}");
    assert!(figure("mean_aspect_ratio") >= 1.0 && figure("mse") > 0.0);
    assert!(figure("swept_cells") >= 0.0);
    let plain = output(&at, &["nav", "few.toml", "--stages", "none"]);
    assert_eq!(plain.status.code(), Some(2));
    assert!(text(&plain.stderr).contains("picture of heights"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_with_whole_files() {
    let (_home, at) = home();
    let long = SCENARIO
        .replace("duration = 12.0", "duration = 100000.0")
        .replace(
            "goals = [\"exit\"]",
            "goals = \"random\"\nat_goal = \"again\"",
        );
    fs::write(at.join("long.toml"), long).unwrap();
    let child = throng(&at)
        .args(["run", "long.toml", "--out", "cut", "--json", "--quiet"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The resolved scenario is the first file; a moment later the run is under way.
    let patience = Instant::now();
    while !at.join("cut/scenario.resolved.toml").exists() {
        assert!(
            patience.elapsed() < Duration::from_secs(60),
            "the run does not begin"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(600));
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}", text(&out.stderr));
    let summary: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(summary["ended"], "interrupted");
    assert!(summary["steps"].as_u64().unwrap() > 0);
    let files = names(&at.join("cut"));
    assert!(files.iter().all(|f| !f.ends_with(".part")), "{files:?}");
    assert!(
        files.contains(&"trajectories.sqlite".to_owned()),
        "{files:?}"
    );
    let picture = fs::read(at.join("cut/picture.png")).unwrap();
    assert!(picture.ends_with(b"IEND\xaeB`\x82"), "the picture is whole");
}

/// A run that goes on for as long as one likes and leaves much behind.
#[cfg(unix)]
fn endless(at: &Path, seconds: u32, formats: &str) {
    let long = SCENARIO
        .replace("duration = 12.0", &format!("duration = {seconds}.0"))
        .replace(
            "goals = [\"exit\"]",
            "goals = \"random\"\nat_goal = \"again\"",
        );
    let record = format!("[record]\nevery = 0.1\nformats = [{formats}]\n");
    fs::write(at.join("long.toml"), long + &record).unwrap();
}

/// Whether the newest checkpoint of a folder is whole: a run goes on from it.
#[cfg(unix)]
fn goes_on_from_the_newest_checkpoint(at: &Path, folder: &str) {
    let found = names(&at.join(folder));
    let newest = found.iter().rfind(|n| n.starts_with("checkpoint-"));
    let newest = format!("{folder}/{}", newest.expect("a checkpoint"));
    let step: u64 = newest[newest.len() - 15..newest.len() - 7].parse().unwrap();
    let to = (step + 5).to_string();
    let args = ["run", "long.toml", "--resume", &newest, "--steps", &to];
    let rest = json(at, &[&args[..], &["--out", "rest", "--quiet"]].concat());
    assert_eq!(rest["steps"], step + 5);
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_whole_files_and_a_clear_message() {
    for format in ["text", "csv", "sqlite"] {
        let (_home, at) = home();
        endless(&at, 400, &format!("\"{format}\""));
        // Files may grow to 150 kB (in a shell that counts in kB: 300); the signal that would
        // end the program is ignored, so that writing fails as on a full disk.
        let limited = "trap '' XFSZ; ulimit -f 300; exec \"$0\" \"$@\"";
        let out = Command::new("sh")
            .current_dir(&at)
            .args(["-c", limited, env!("CARGO_BIN_EXE_throng")])
            .args(["run", "long.toml", "--out", "full", "--quiet"])
            .args(["--checkpoint-every", "5"])
            .output()
            .unwrap();
        let said = text(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{format}: {said}");
        assert!(
            said.contains("trajectories.") && said.contains("cannot be written"),
            "{said}"
        );
        assert!(said.contains("are whole"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        let files = names(&at.join("full"));
        assert!(files.iter().all(|f| !f.ends_with(".part")), "{files:?}");
        assert!(!files.iter().any(|f| f.starts_with("trajectories")));
        let again = output(&at, &["check", "full/scenario.resolved.toml"]);
        assert!(again.status.success(), "{}", text(&again.stderr));
        goes_on_from_the_newest_checkpoint(&at, "full");
    }
}

#[cfg(unix)]
#[test]
fn a_killed_run_leaves_whole_files_and_the_next_one_cleans_up() {
    let (_home, at) = home();
    endless(&at, 100_000, "\"sqlite\", \"csv\"");
    let mut child = throng(&at)
        .args(["run", "long.toml", "--out", "cut", "--quiet"])
        .args(["--checkpoint-every", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let patience = Instant::now();
    while !at.join("cut/checkpoint-00000030.throng").exists() {
        assert!(patience.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let files = names(&at.join("cut"));
    let part = |f: &&String| f.starts_with('.') && f.ends_with(".part");
    assert!(files.iter().any(|f| part(&f)), "{files:?}");
    for file in files.iter().filter(|f| !part(f)) {
        let whole = file.starts_with("checkpoint-") || file == "scenario.resolved.toml";
        assert!(whole, "{file} has its name before it is whole");
    }
    goes_on_from_the_newest_checkpoint(&at, "cut");
    fs::write(at.join("cut/.mine.part"), "somebody else's").unwrap();
    let next = json(&at, &["run", "long.toml", "--out", "cut", "--steps", "20"]);
    assert_eq!(next["steps"], 20);
    let files = names(&at.join("cut"));
    let left: Vec<_> = files.iter().filter(part).collect();
    assert_eq!(left, [".mine.part"], "only its own are taken away");
    let mut database = fs::read(at.join("cut/trajectories.sqlite")).unwrap();
    database.truncate(15);
    assert_eq!(database, b"SQLite format 3");
}

#[test]
fn a_replay_is_made_again_from_the_folder_of_a_run() {
    let (_home, at) = home();
    let run = ["run", "few.toml", "--steps", "40", "--out", "few"];
    assert!(output(&at, &run).status.success());
    let page = at.join("few/replay.html");
    let first = fs::read(&page).unwrap();
    let made = json(&at, &["replay", "few"]);
    assert_eq!(made["from"], "replay.html");
    assert_eq!(made["bytes"], first.len());
    assert_eq!(
        fs::read(&page).unwrap(),
        first,
        "the same recording and page"
    );
    fs::remove_file(&page).unwrap();
    let made = json(&at, &["replay", "few"]);
    assert_eq!(made["from"], "trajectories.sqlite");
    assert!(
        fs::read_to_string(&page)
            .unwrap()
            .contains("id=\"block-0\"")
    );
    let shown = output(&at, &["replay", "few"]);
    assert_eq!(text(&shown.stdout).trim(), "open few/replay.html");
    assert!(!names(&at.join("few")).iter().any(|n| n.starts_with('.')));
}

#[test]
fn a_run_without_replay_has_none_and_a_folder_without_a_run_is_refused() {
    let (_home, at) = home();
    let run = ["run", "few.toml", "--steps", "5", "--out", "few"];
    let off = ["--set", "record.replay=0"];
    assert!(output(&at, &[&run[..], &off[..]].concat()).status.success());
    assert!(!at.join("few/replay.html").exists());
    for (folder, reason) in [("nowhere", "no folder"), (".", "summary.json")] {
        let out = output(&at, &["replay", folder]);
        assert_eq!(out.status.code(), Some(2));
        assert!(text(&out.stderr).contains(reason), "{}", text(&out.stderr));
    }
    fs::write(at.join("few/summary.json"), "{").unwrap();
    let out = output(&at, &["replay", "few"]);
    assert_eq!(out.status.code(), Some(2), "{}", text(&out.stderr));
}
