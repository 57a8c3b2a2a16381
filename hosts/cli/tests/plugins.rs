//! Libraries through the real program: who may be loaded, every way of being wrong, and what a
//! failed run leaves behind.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

/// The library that cargo built for this test, beside it.
fn faulty() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.with_file_name(format!(
        "{}throng_plugin_faulty{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

fn throng(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_throng"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .args(args)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs it, expects an exit code, and gives stderr.
fn fails(folder: &Path, code: i32, args: &[&str]) -> String {
    let out = throng(folder, args);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{args:?}: {said}");
    said
}

fn json(folder: &Path, args: &[&str]) -> (Option<i32>, Value) {
    let out = throng(folder, &[args, &["--json"]].concat());
    let document = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|e| panic!("{args:?}: {e}: {}", text(&out.stdout)));
    (out.status.code(), document)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn scenario(plugins: &str, avoidance: &str) -> String {
    format!(
        r#"name = "few"
seed = 3
dt = 0.1
duration = 1.0
plugins = [{plugins}]
[environment]
generate = "bottleneck"
[avoidance]
kind = "faulty"
{avoidance}
[[source]]
area = "room"
count = 12
goals = ["exit"]
"#
    )
}

/// A folder with the library as `lib/faulty.so` and `s.toml`, a scenario that names it.
fn home(avoidance: &str) -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let at = home.path().canonicalize().unwrap();
    fs::create_dir(at.join("lib")).unwrap();
    fs::copy(faulty(), at.join("lib/faulty.so")).unwrap();
    fs::write(at.join("s.toml"), scenario("\"lib/faulty.so\"", avoidance)).unwrap();
    (home, at)
}

fn sha256sum(file: &Path) -> String {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(fs::read(file).unwrap());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn only_what_is_named_and_allowed_is_loaded() {
    let (_home, at) = home("");
    let refused = fails(&at, 2, &["run", "s.toml"]);
    assert!(
        refused.contains("lib/faulty.so") && refused.contains("--allow-plugins"),
        "{refused}"
    );
    assert!(refused.contains("s.toml:5:12"), "with its place: {refused}");
    fs::write(at.join("plain.toml"), scenario("", "")).unwrap();
    let named = [
        "run",
        "plain.toml",
        "--plugin",
        "lib/faulty.so",
        "--out",
        "o",
    ];
    let refused = fails(&at, 2, &named);
    assert!(refused.contains("--allow-plugins"), "{refused}");
    assert!(!at.join("o").exists());
    // Allowed, but not named: nothing is searched for, not beside the scenario and not here.
    let unknown = fails(&at, 2, &["run", "plain.toml", "--allow-plugins"]);
    assert!(unknown.contains("unknown avoidance strategy"), "{unknown}");
    fs::copy(at.join("lib/faulty.so"), at.join("faulty.so")).unwrap();
    fs::write(at.join("bare.toml"), scenario("\"libfaulty.so\"", "")).unwrap();
    let missing = fails(&at, 2, &["run", "bare.toml", "--allow-plugins"]);
    assert!(missing.contains("libfaulty.so"), "{missing}");

    let allowed = [&named[..], &["--allow-plugins"]].concat();
    assert!(throng(&at, &allowed).status.success());
    // A path in a scenario starts from the scenario, not from here.
    let out = throng(
        at.parent().unwrap(),
        &[
            "check",
            at.join("s.toml").to_str().unwrap(),
            "--allow-plugins",
        ],
    );
    assert!(out.status.success(), "{}", text(&out.stderr));
    let twice = [
        "check",
        "s.toml",
        "--allow-plugins",
        "--plugin",
        "lib/faulty.so",
    ];
    assert!(fails(&at, 2, &twice).contains("named twice"));
}

#[test]
fn what_was_loaded_is_recorded() {
    let (_home, at) = home("");
    let (library, hash) = (
        at.join("lib/faulty.so"),
        sha256sum(&at.join("lib/faulty.so")),
    );
    let shown = library.to_str().unwrap();
    let (code, summary) = json(&at, &["run", "s.toml", "--allow-plugins", "--out", "o"]);
    assert_eq!(code, Some(0));
    let used = summary["strategies"].as_array().unwrap();
    let avoidance = used.iter().find(|s| s["slot"] == "avoidance").unwrap();
    assert_eq!(avoidance["origin"], shown);
    assert_eq!(avoidance["library_hash"], *hash);
    assert_eq!(avoidance["version"], "0.1.0");
    assert_eq!(summary["libraries"][0]["path"], shown);
    assert_eq!(summary["libraries"][0]["hash"], *hash);
    assert_eq!(summary["libraries"][0]["version"], "0.1.0");
    let written: Value =
        serde_json::from_slice(&fs::read(at.join("o/summary.json")).unwrap()).unwrap();
    assert_eq!(written["libraries"], summary["libraries"]);
    // The resolved scenario names the library from anywhere, and runs to the same digest.
    let again = [
        "run",
        "o/scenario.resolved.toml",
        "--allow-plugins",
        "--out",
        "p",
    ];
    assert_eq!(json(&at, &again).1["digest"], summary["digest"]);

    let plugin = ["--plugin", "lib/faulty.so", "--allow-plugins"];
    let (_, listed) = json(&at, &[&["list", "avoidance"], &plugin[..]].concat());
    let listed = listed["strategies"].as_array().unwrap();
    let own = listed.iter().find(|s| s["id"] == "faulty").unwrap();
    assert_eq!(
        (&own["origin"], &own["library_hash"]),
        (&shown.into(), &hash.clone().into())
    );
    let orca = listed.iter().find(|s| s["id"] == "orca").unwrap();
    assert_eq!(orca["origin"], "throng-rvo 0.1.0");
    let (_, told) = json(
        &at,
        &[&["describe", "avoidance/faulty"], &plugin[..]].concat(),
    );
    assert_eq!(told["library_hash"], *hash);
    assert_eq!(told["options"][0]["name"], "deed");
}

#[test]
fn lists_hold_hashes() {
    let (_home, at) = home("");
    let hash = sha256sum(&at.join("lib/faulty.so"));
    let run = ["check", "s.toml", "--plugin-list", "p.sha256"];
    assert!(fails(&at, 2, &run).contains("p.sha256"));
    fs::write(at.join("p.sha256"), format!("{hash}  lib/faulty.so\n")).unwrap();
    assert!(throng(&at, &run).status.success());
    fs::write(at.join("p.sha256"), format!("{hash}  lib/other.so\n")).unwrap();
    let unlisted = fails(&at, 2, &run);
    assert!(
        unlisted.contains("p.sha256 does not name it") && unlisted.contains(&hash),
        "{unlisted}"
    );
    let other = "0".repeat(64);
    fs::write(
        at.join("p.sha256"),
        format!("# ours\n{other}  lib/faulty.so\n"),
    )
    .unwrap();
    let differs = fails(&at, 2, &run);
    assert!(
        differs.contains(&hash) && differs.contains(&format!("p.sha256:2 expects {other}")),
        "{differs}"
    );
    fs::write(at.join("p.sha256"), "lib/faulty.so\n").unwrap();
    assert!(fails(&at, 2, &run).contains("p.sha256:1"));
    let both = [
        "check",
        "s.toml",
        "--plugin-list",
        "p.sha256",
        "--allow-plugins",
    ];
    assert!(fails(&at, 2, &both).contains("cannot be used with"));
}

#[cfg(unix)]
#[test]
fn what_everybody_may_write_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let open = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let (_home, at) = home("");
    let check = ["check", "s.toml", "--allow-plugins"];
    open(&at.join("lib/faulty.so"), 0o666);
    let file = fails(&at, 2, &check);
    assert!(
        file.contains("may write to") && file.contains("lib/faulty.so"),
        "{file}"
    );
    open(&at.join("lib/faulty.so"), 0o644);
    open(&at.join("lib"), 0o777);
    let folder = fails(&at, 2, &check);
    assert!(
        folder.contains(&format!("may write to {}", at.join("lib").display())),
        "{folder}"
    );
    open(&at.join("lib"), 0o755);
    fs::write(at.join("p.sha256"), "").unwrap();
    open(&at.join("p.sha256"), 0o666);
    let list = fails(&at, 2, &["check", "s.toml", "--plugin-list", "p.sha256"]);
    assert!(list.contains("is not believed"), "{list}");
}

#[test]
fn files_that_are_no_plugin_are_2_with_one_message() {
    let (_home, at) = home("");
    let whole = fs::read(faulty()).unwrap();
    let table = whole
        .windows(16)
        .position(|w| w.starts_with(b"THRONG\x1aP") && w[12..16] == 1u32.to_ne_bytes())
        .unwrap();
    let patched = |at: usize, bytes: &[u8]| {
        let mut copy = whole.clone();
        copy[at..at + bytes.len()].copy_from_slice(bytes);
        copy
    };
    let mut nameless = whole.clone();
    for at in 0..whole.len() - 17 {
        if nameless[at..].starts_with(b"throng_plugin_v1\0") {
            nameless[at] = b'X';
        }
    }
    for (what, bytes, words) in [
        ("text", b"no library".to_vec(), "begins with \"no libra\""),
        ("empty", Vec::new(), "the file is empty"),
        ("cut", whole[..whole.len() / 2].to_vec(), "cut short"),
        ("other CPU", patched(18, &[40, 0]), "another processor"),
        ("no entry", nameless, "no symbol throng_plugin_v1"),
        ("magic", patched(table, b"X"), "begins with \"XHRONG"),
        ("older", patched(table + 12, &[0]), "made for version 0"),
        ("newer", patched(table + 12, &[9]), "made for version 9"),
        ("aborts", patched(table + 16, &[2]), "panic = \"abort\""),
    ] {
        fs::write(at.join("lib/faulty.so"), bytes).unwrap();
        let args = ["run", "s.toml", "--allow-plugins", "--out", "o"];
        let said = fails(&at, 2, &args);
        assert!(
            said.contains("faulty.so") && said.contains(words),
            "{what}: {said}"
        );
        assert_eq!(said.matches("error").count(), 1, "{what}: {said}");
        assert!(!at.join("o").exists(), "{what}");
    }
    fs::remove_file(at.join("lib/faulty.so")).unwrap();
    let missing = fails(&at, 2, &["run", "s.toml", "--allow-plugins"]);
    assert!(
        missing.contains("faulty.so") && missing.contains("cannot be read"),
        "{missing}"
    );
}

#[test]
fn clashes_are_named() {
    let (_home, at) = home("");
    fs::copy(at.join("lib/faulty.so"), at.join("lib/copy.so")).unwrap();
    let both = scenario("\"lib/faulty.so\", \"lib/copy.so\"", "");
    fs::write(at.join("both.toml"), both).unwrap();
    let clash = fails(&at, 2, &["check", "both.toml", "--allow-plugins"]);
    assert!(
        clash.contains("avoidance/faulty")
            && clash.contains("lib/faulty.so")
            && clash.contains("lib/copy.so"),
        "{clash}"
    );
}

#[test]
fn options_are_wrong_at_their_place() {
    for (options, place, words) in [
        ("deed = \"dance\"", "s.toml:10:8", "dance"),
        ("dead = \"well\"", "s.toml:10:1", "did you mean \"deed\""),
        ("deed = 3", "s.toml:10:8", "deed"),
        ("deed = \"make\"", "s.toml:9:8", "not to be made"),
        ("deed = \"profile\"", "s.toml:9:8", "no profile today"),
        ("deed = \"reach\"", "s.toml:9:8", "its reach is NaN"),
    ] {
        let (_home, at) = home(options);
        let said = fails(&at, 2, &["run", "s.toml", "--allow-plugins", "--out", "o"]);
        assert!(
            said.contains(place) && said.contains(words),
            "{options}: {said}"
        );
        assert!(!at.join("o").exists(), "{options}");
    }
}

#[test]
fn a_library_that_fails_in_a_step_fails_the_run_and_leaves_whole_files() {
    for (deed, words) in [
        ("nan", "agent 5 at step 0: its velocity is"),
        ("infinite", "agent 5 at step 0: its velocity is (inf"),
        ("huge", "agent 5 at step 0: its velocity is (3000000000"),
        ("idle", "agent 5 at step 0: its velocity was not written"),
        ("panic", "no more of this"),
        ("report", "I feel unwell"),
    ] {
        let (_home, at) = home(&format!("deed = \"{deed}\""));
        let args = [
            "run",
            "s.toml",
            "--allow-plugins",
            "--out",
            "o",
            "--threads",
            "2",
        ];
        let said = fails(&at, 1, &args);
        let library = at.join("lib/faulty.so");
        let who = format!("{}: avoidance/faulty", library.display());
        assert!(
            said.contains(&who) && said.contains(words),
            "{deed}: {said}"
        );
        assert_eq!(said.matches("error").count(), 1, "{deed}: {said}");
        // One document, which says so too.
        let (code, document) = json(&at, &["run", "s.toml", "--allow-plugins", "--out", "p"]);
        assert_eq!(code, Some(1), "{deed}");
        let error = document["error"].as_str().unwrap_or_default();
        assert!(error.contains(words), "{deed}: {document}");
        let summary: Value =
            serde_json::from_slice(&fs::read(at.join("o/summary.json")).unwrap()).unwrap();
        assert_eq!(summary["ended"], "failed", "{deed}");
        assert!(summary["error"].as_str().unwrap().contains(words), "{deed}");
        let files = names(&at.join("o"));
        assert!(
            files.iter().all(|f| !f.starts_with('.')),
            "{deed}: {files:?}"
        );
        for file in summary["files"].as_array().unwrap() {
            assert!(
                files.contains(&file.as_str().unwrap().to_owned()),
                "{deed}: {file}"
            );
        }
    }
}

#[test]
fn snapshots_that_fail_are_1_and_never_stored() {
    let (_home, at) = home("deed = \"nan\"");
    let mut text = fs::read_to_string(at.join("s.toml")).unwrap();
    text += "[snapshot]\nsteps = 10\nvary = { nav = ['grid'], planner = ['astar'], \
             cost = ['distance'], avoidance = ['none'], lod = ['uniform'], group = ['none'] }\n";
    fs::write(at.join("s.toml"), text).unwrap();
    let args = ["snapshot", "s.toml", "--allow-plugins", "--accept"];
    let (code, document) = json(&at, &args);
    assert_eq!(code, Some(1), "{document}");
    let scenario = &document["scenarios"][0];
    assert_eq!(scenario["counts"]["failed"], 1, "{document}");
    let failed = scenario["rows"].as_array().unwrap().iter();
    let failed: Vec<&Value> = failed.filter(|r| r["status"] == "failed").collect();
    assert!(failed[0].to_string().contains("agent 5"), "{document}");
    let stored = names(&at.join("s.snapshots"));
    assert!(!stored.contains(&"star__default.snap".into()), "{stored:?}");
    assert!(
        stored.contains(&"star__avoidance=none.snap".into()),
        "{stored:?}"
    );
}

#[test]
fn a_library_that_does_not_return_is_named_and_ends_the_program() {
    let (_home, at) = home("deed = \"endless\"");
    let args = [
        "run",
        "s.toml",
        "--allow-plugins",
        "--plugin-seconds",
        "0.3",
        "--checkpoint-every",
        "0.1",
        "--out",
        "o",
    ];
    let (code, document) = json(&at, &args);
    assert_eq!(code, Some(1));
    let said = document["error"].as_str().unwrap();
    let who = format!(
        "{}: avoidance/faulty: has not returned",
        at.join("lib/faulty.so").display()
    );
    assert!(
        said.contains(&who) && said.contains("--plugin-seconds"),
        "{said}"
    );
    // What was whole when it stopped is still there, and nothing else.
    let files = names(&at.join("o"));
    let whole = [
        "checkpoint-00000001.throng",
        "checkpoint-00000002.throng",
        "checkpoint-00000003.throng",
        "scenario.resolved.toml",
    ];
    assert_eq!(files, whole);
    // One of them goes on, with an option that behaves.
    let resumed = [
        "run",
        "s.toml",
        "--allow-plugins",
        "--resume",
        "o/checkpoint-00000003.throng",
        "--out",
        "p",
    ];
    let said = fails(
        &at,
        1,
        &[&resumed[..], &["--plugin-seconds", "0.3"]].concat(),
    );
    assert!(said.contains("has not returned"), "{said}");

    let wrong = fails(
        &at,
        2,
        &[
            "check",
            "s.toml",
            "--allow-plugins",
            "--plugin-seconds",
            "-1",
        ],
    );
    assert!(wrong.contains("--plugin-seconds -1"), "{wrong}");
}

#[test]
fn a_library_that_stops_when_it_is_asked_to_fails_the_run_only() {
    let (_home, at) = home("deed = \"slow\"");
    let args = [
        "run",
        "s.toml",
        "--allow-plugins",
        "--plugin-seconds",
        "0.3",
        "--out",
        "o",
    ];
    let said = fails(&at, 1, &args);
    assert!(said.contains("is asked to stop"), "{said}");
    assert!(said.contains("stopped when it was asked to"), "{said}");
    assert!(names(&at.join("o")).contains(&"summary.json".to_owned()));
}

#[test]
fn conform_tells_good_libraries_from_bad_ones() {
    let (_home, at) = home("");
    let (code, good) = json(&at, &["conform", "lib/faulty.so"]);
    let strategies = good["strategies"].as_array().unwrap();
    assert!(strategies.len() >= 2, "{good}");
    // Every deed is an option of it, so that the edges of its options find the misdeeds.
    assert_eq!((code, &good["conforms"]), (Some(1), &Value::Bool(false)));
    let avoidance = strategies
        .iter()
        .find(|s| s["slot"] == "avoidance")
        .unwrap();
    let check = |name: &str| {
        let checks = avoidance["checks"].as_array().unwrap();
        checks.iter().find(|c| c["check"] == name).unwrap().clone()
    };
    assert_eq!(check("documented")["result"], "passed");
    assert_eq!(check("order")["result"], "passed");
    assert_eq!(check("run")["result"], "passed");
    assert_eq!(check("options")["result"], "failed");
    assert_eq!(json(&at, &["conform", "avoidance/orca"]).0, Some(0));
    let table = text(&throng(&at, &["conform", "cost/density"]).stdout);
    assert!(
        table.contains("bounds") && table.contains("passed"),
        "{table}"
    );
    assert!(fails(&at, 2, &["conform", "lib/none.so"]).contains("lib/none.so"));
    let unlisted = ["conform", "lib/faulty.so", "--plugin-list", "none.sha256"];
    assert!(fails(&at, 2, &unlisted).contains("none.sha256"));
}
