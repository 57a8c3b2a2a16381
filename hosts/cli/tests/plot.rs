//! `throng plot` and the measures of a summary, as users meet them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;
use tiny_skia::Pixmap;

fn throng(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_throng"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .args(args)
        .output()
        .unwrap()
}

fn said(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let out = throng(folder, &args);
    assert!(out.status.success(), "{args:?}: {}", said(&out));
    serde_json::from_slice(&out.stdout).unwrap()
}

const ROOM: &str = r#"
name = "few"
seed = 3
dt = 0.1
duration = 20.0
[environment]
generate = "bottleneck"
[[area]]
name = "before the door"
shape = [[9.0, 3.0], [12.0, 3.0], [12.0, 7.0], [9.0, 7.0]]
[[source]]
area = "room"
count = 12
goals = ["exit"]
"#;

/// A folder with a scenario `few.toml` that has run into `out`.
fn home(scenario: &str) -> (tempfile::TempDir, PathBuf, Value) {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().to_path_buf();
    fs::write(path.join("few.toml"), scenario).unwrap();
    let summary = json(&path, &["run", "few.toml", "--out", "out", "--quiet"]);
    (home, path, summary)
}

fn png(file: &Path) -> Pixmap {
    Pixmap::decode_png(&fs::read(file).unwrap()).unwrap()
}

#[test]
fn a_summary_measures_named_areas_and_lines() {
    let (_home, _, summary) = home(ROOM);
    let measures = &summary["measures"];
    let door = &measures["lines"]["door"];
    let arrived = summary["metrics"]["arrived"].as_u64().unwrap();
    assert_eq!(arrived, 12);
    assert_eq!(door["persons"], 12);
    assert_eq!(
        (&door["forward"], &door["backward"]),
        (&12.into(), &0.into())
    );
    assert!((door["width_m"].as_f64().unwrap() - 1.2).abs() < 1e-6);
    let flow = door["flow_per_s"].as_f64().unwrap();
    let specific = door["specific_flow_per_m_s"].as_f64().unwrap();
    assert!(flow > 0.3 && flow < 6.0, "{flow}");
    assert!((specific - flow / 1.2).abs() < 1e-6);
    let area = &measures["areas"]["before the door"];
    assert!((area["area_m2"].as_f64().unwrap() - 12.0).abs() < 1e-3);
    let classic = area["classic_density_per_m2"]["mean"].as_f64().unwrap();
    let voronoi = area["voronoi_density_per_m2"]["mean"].as_f64().unwrap();
    assert!(classic > 0.0 && (classic - voronoi).abs() < 0.5 * classic);
    let speed = measures["individual_speed_m_s"]["mean"].as_f64().unwrap();
    assert!(speed > 0.5 && speed < 2.2, "{speed}");
    let half = measures["evacuation"]["half_s"].as_f64().unwrap();
    let all = measures["evacuation"]["all_s"].as_f64().unwrap();
    assert!(half < all && all <= summary["time_s"].as_f64().unwrap() + 1e-9);
}

#[test]
fn every_kind_of_picture_is_drawn_and_decodes() {
    let (_home, at, _) = home(ROOM);
    let told = json(&at, &["plot", "out"]);
    assert_eq!(told["skipped"].as_array().unwrap().len(), 0, "{told}");
    let plots = at.join("out/plots");
    let names = [
        "density-mean",
        "density-peak",
        "speed",
        "paths",
        "speed-density",
        "travel-times",
        "counts",
        "flow",
        "evacuation",
    ];
    assert_eq!(
        told["pictures"].as_array().unwrap().len(),
        2 * names.len() + 1
    );
    for name in names {
        let picture = png(&plots.join(format!("{name}.png")));
        assert!(picture.width() >= 800 && picture.height() >= 300, "{name}");
        let first = picture.pixels()[0];
        let drawn = picture.pixels().iter().filter(|p| **p != first).count();
        assert!(drawn > 5000, "{name} is empty");
        let svg = fs::read_to_string(plots.join(format!("{name}.svg"))).unwrap();
        let size = format!(
            "width=\"{}\" height=\"{}\"",
            picture.width(),
            picture.height()
        );
        assert!(svg.starts_with("<svg") && svg.contains(&size), "{name}");
        assert!(
            svg.trim_end().ends_with("</svg>") && svg.len() < 2_000_000,
            "{name}"
        );
    }
    let film = fs::File::open(plots.join("run.gif")).unwrap();
    let mut film = gif::DecodeOptions::new().read_info(film).unwrap();
    let mut images = 0;
    while let Some(image) = film.read_next_frame().unwrap() {
        assert_eq!(image.delay, 8);
        images += 1;
    }
    // Two frames a second, and everybody leaves before the end.
    let csv = fs::read_to_string(at.join("out/metrics.csv")).unwrap();
    let seconds = csv.lines().count() - 1;
    assert!(
        (2 * seconds - 2..=2 * seconds + 2).contains(&images),
        "{images}"
    );
    let there: Vec<_> = fs::read_dir(&plots).unwrap().collect();
    assert_eq!(
        there.len(),
        2 * names.len() + 1,
        "nothing else is left behind"
    );
}

/// cividis at 0 and at two thirds.
const NOBODY: [u8; 3] = [0, 34, 78];

#[test]
fn colours_stand_for_the_density_of_a_known_crowd() {
    let (_home, at, _) = home(ROOM);
    // Instead of the run's own: 2 persons/m² in the left half of the room, nobody elsewhere.
    fs::remove_file(at.join("out/trajectories.sqlite")).unwrap();
    let mut text = String::from("# framerate: 2\n");
    for frame in 0..6 {
        for i in 0..120 {
            let (x, y) = (0.25 + 0.5 * f64::from(i % 12), 0.5 + f64::from(i / 12));
            text += &format!("{i} {frame} {x} {y} 0\n");
        }
    }
    fs::write(at.join("out/trajectories.txt"), text).unwrap();
    json(
        &at,
        &["plot", "out", "--only", "density", "--out", "pictures"],
    );
    let names: Vec<_> = fs::read_dir(at.join("pictures")).unwrap().collect();
    assert_eq!(names.len(), 4, "only what was asked for");
    for file in ["density-mean.png", "density-peak.png"] {
        let picture = png(&at.join("pictures").join(file));
        // The plan is 21 m x 10 m, 1500 pixels wide, 36 pixels from the left, its top at 86.
        let scale = 1500.0 / 21.0;
        let pixel = |x: f32, y: f32| {
            let (px, py) = (36.0 + x * scale, 86.0 + (10.0 - y) * scale);
            let p = picture.pixel(px as u32, py as u32).unwrap();
            [p.red(), p.green(), p.blue()]
        };
        assert_eq!(pixel(17.0, 5.0), NOBODY, "{file}: nobody there");
        assert_eq!(pixel(9.5, 5.0), NOBODY, "{file}: nobody there either");
        let crowd = pixel(3.0, 5.0);
        // 2 of at most 2.5 or so: bright, red and green above blue.
        assert!(crowd[0] > 150 && crowd[2] < 130, "{file}: {crowd:?}");
        let outside = pixel(12.5, 1.0);
        assert_eq!(outside, [226, 227, 230], "{file}: no ground");
    }
}

#[test]
fn folders_that_hold_no_run_are_refused_with_the_reason() {
    let (_home, at, _) = home(ROOM);
    fs::create_dir(at.join("empty")).unwrap();
    let refused = |args: &[&str], words: &[&str]| {
        let out = throng(&at, args);
        assert_eq!(out.status.code(), Some(2), "{args:?}: {}", said(&out));
        for word in words {
            assert!(said(&out).contains(word), "{args:?}: {}", said(&out));
        }
    };
    refused(&["plot", "nowhere"], &["there is no folder nowhere"]);
    refused(
        &["plot", "empty"],
        &["summary.json is missing", "throng run"],
    );
    refused(&["plot", "out", "--only", "dens"], &["density"]);
    let kept = fs::read(at.join("out/trajectories.sqlite")).unwrap();
    fs::write(at.join("out/trajectories.sqlite"), "no database").unwrap();
    refused(&["plot", "out"], &["trajectories.sqlite"]);
    fs::write(at.join("out/trajectories.sqlite"), &kept[..kept.len() / 3]).unwrap();
    refused(&["plot", "out"], &["trajectories.sqlite"]);
    fs::remove_file(at.join("out/trajectories.sqlite")).unwrap();
    refused(&["plot", "out", "--only", "paths"], &["record.formats"]);
    // What needs no trajectories is still drawn.
    json(&at, &["plot", "out", "--only", "counts"]);
    let kept = fs::read(at.join("out/metrics.csv")).unwrap();
    fs::write(at.join("out/metrics.csv"), "time_s,walking\n1,x\n").unwrap();
    refused(&["plot", "out"], &["metrics.csv", "spawned"]);
    fs::write(at.join("out/metrics.csv"), kept).unwrap();
    fs::write(at.join("out/scenario.resolved.toml"), "name = ").unwrap();
    refused(&["plot", "out"], &["scenario.resolved.toml"]);
}

#[test]
fn a_curved_mesh_has_charts_and_no_plans() {
    let (_home, at, _) = home(ROOM);
    let torus = "name = \"ring\"\n[environment]\ngenerate = \"torus\"\n";
    fs::write(at.join("out/scenario.resolved.toml"), torus).unwrap();
    let told = json(&at, &["plot", "out"]);
    let skipped = told["skipped"].as_array().unwrap();
    let reason = |kind: &str| {
        let found = skipped.iter().find(|s| s["kind"] == kind);
        found.map(|s| s["reason"].as_str().unwrap().to_owned())
    };
    for kind in ["density", "speed", "paths", "flow", "gif"] {
        assert!(reason(kind).unwrap().contains("curved mesh"), "{kind}");
    }
    assert_eq!(reason("counts"), None);
    assert!(at.join("out/plots/counts.png").exists());
    let out = throng(&at, &["plot", "out", "--only", "density"]);
    assert_eq!(out.status.code(), Some(2));
}
