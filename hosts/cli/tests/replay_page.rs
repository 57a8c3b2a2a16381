//! The replay page in a browser: it loads, plays, scrubs, picks and shows what was simulated.
//!
//! Skipped with a message where no Chromium is installed; `CHROMIUM` names one elsewhere.

mod browser;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use browser::{Browser, installed};
use serde_json::{Value, json};

const CROWD: &str = r##"
name = "a <b> & \"crowd\""
seed = 5
dt = 0.1
duration = 16.0
[environment]
generate = "bottleneck"
[record]
every = 0.2
formats = ["csv"]
[[source]]
area = "room"
count = 60
goals = ["exit"]
"##;

/// Runs a scenario; gives its folder and its summary.
fn run(home: &Path, name: &str, text: &str) -> (PathBuf, Value) {
    let file = home.join(format!("{name}.toml"));
    fs::write(&file, text).unwrap();
    let folder = home.join(name);
    let out = Command::new(env!("CARGO_BIN_EXE_throng"))
        .args(["run", "--json", "--quiet", "--out"])
        .arg(&folder)
        .arg(&file)
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{shown}");
    (folder, serde_json::from_slice(&out.stdout).unwrap())
}

/// Id and place of everybody in a recorded frame.
fn places(folder: &Path, frame: u64) -> Vec<(u64, [f64; 2])> {
    let text = fs::read_to_string(folder.join("trajectories.csv")).unwrap();
    let rows = text
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect::<Vec<_>>());
    rows.filter(|row| row[1] == frame.to_string())
        .map(|row| {
            let number = |i: usize| row[i].parse::<f64>().unwrap();
            (row[2].parse().unwrap(), [number(3), number(4)])
        })
        .collect()
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

/// The colour that a share of the largest value has (Cividis).
fn cividis(share: f64) -> [f64; 3] {
    const STOPS: [[f64; 3]; 10] = [
        [0.0, 34.0, 78.0],
        [18.0, 53.0, 112.0],
        [59.0, 73.0, 108.0],
        [87.0, 93.0, 109.0],
        [112.0, 113.0, 115.0],
        [138.0, 134.0, 120.0],
        [165.0, 156.0, 116.0],
        [195.0, 179.0, 105.0],
        [225.0, 204.0, 85.0],
        [254.0, 232.0, 56.0],
    ];
    let at = share.clamp(0.0, 1.0) * 9.0;
    let low = (at as usize).min(8);
    std::array::from_fn(|i| STOPS[low][i] + (STOPS[low + 1][i] - STOPS[low][i]) * (at - low as f64))
}

struct Shot(tiny_skia::Pixmap);

impl Shot {
    fn at(&self, x: f64, y: f64) -> [f64; 3] {
        let pixel = self.0.pixel(x.round() as u32, y.round() as u32).unwrap();
        [pixel.red(), pixel.green(), pixel.blue()].map(f64::from)
    }

    #[track_caller]
    fn expect(&self, what: &str, [x, y]: [f64; 2], wanted: [f64; 3], within: f64) {
        let found = self.at(x, y);
        let apart = (0..3).fold(0.0f64, |m, i| m.max((found[i] - wanted[i]).abs()));
        assert!(
            apart <= within,
            "{what} at ({x:.0}, {y:.0}): {found:?} is not {wanted:?}"
        );
    }
}

/// The pixel of the window where a place of the ground is drawn.
fn pixel(browser: &mut Browser, at: [f64; 2]) -> [f64; 2] {
    let expression = format!(
        "(() => {{ const {{ camera, facts, low }} = throngReplay.replay, box = document.getElementById('over').getBoundingClientRect();
          const p = camera.project({} - facts.origin[0], {} - facts.origin[1], low[2]);
          return [p[0] + box.left, p[1] + box.top]; }})()",
        at[0], at[1]
    );
    let value = browser.value(&expression);
    [value[0].as_f64().unwrap(), value[1].as_f64().unwrap()]
}

#[test]
fn the_page_shows_what_was_simulated() {
    let Some(program) = installed() else {
        println!("skipped: no Chromium is installed; CHROMIUM names one elsewhere");
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let (folder, summary) = run(home.path(), "crowd", CROWD);
    let page = folder.join("replay.html");
    let mut browser = Browser::start(&program);

    browser.open(&page, "theme=light");
    says_what_it_is(&mut browser, &summary);
    plays_and_pauses(&mut browser);
    scrubs(&mut browser, &folder);
    browser.open(&page, "theme=light&t=4&play=0");
    colours_are_those_of_the_speeds(&mut browser);
    picks(&mut browser, &folder);
    shows_density(&mut browser, &folder);
    keys_and_layers(&mut browser);

    // Who asked for less motion sees the crowd stand until play is pressed.
    let still = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    browser.call("Emulation.setEmulatedMedia", still);
    browser.open(&page, "");
    assert_eq!(browser.value("throngReplay.replay.playing"), json!(false));

    // Nothing but the page itself was asked for.
    let requests = |e: &&Value| e["method"] == "Network.requestWillBeSent";
    for event in browser.events.iter().filter(requests) {
        let url = event["params"]["request"]["url"].as_str().unwrap();
        assert!(!url.starts_with("http"), "the page asked for {url}");
    }
    let failures = |e: &&Value| e["method"] == "Runtime.exceptionThrown";
    assert_eq!(browser.events.iter().filter(failures).count(), 0);
}

fn says_what_it_is(browser: &mut Browser, summary: &Value) {
    let name = browser.value("document.querySelector('h1').textContent");
    assert_eq!(name, summary["scenario"], "names are shown as written");
    let subtitle = browser.value("document.getElementById('subtitle').textContent");
    let subtitle = subtitle.as_str().unwrap();
    assert!(
        subtitle.contains(summary["digest"].as_str().unwrap()),
        "{subtitle}"
    );
    assert!(subtitle.contains("60 agents") && subtitle.contains("seed 5"));
    let strategies = browser.value("document.getElementById('strategies').textContent");
    for used in summary["strategies"].as_array().unwrap() {
        let id = used["id"].as_str().unwrap();
        assert!(strategies.as_str().unwrap().contains(id), "{id}");
    }
}

fn plays_and_pauses(browser: &mut Browser) {
    assert_eq!(browser.value("throngReplay.replay.playing"), json!(true));
    let before = browser.number("throngReplay.replay.time");
    browser.wait(&format!("throngReplay.replay.time > {before} + 0.3"));
    browser.value("document.getElementById('over').focus()");
    browser.key(" ");
    assert_eq!(browser.value("throngReplay.replay.playing"), json!(false));
    let stopped = browser.number("throngReplay.replay.time");
    std::thread::sleep(std::time::Duration::from_millis(150));
    assert_eq!(browser.number("throngReplay.replay.time"), stopped);
}

/// At a time that the scrub bar chooses everybody is within 2 cm of where the run's own record
/// has them.
fn scrubs(browser: &mut Browser, folder: &Path) {
    for frame in [10u64, 55] {
        let time = frame as f64 * 0.2;
        browser.value(&format!(
            "(() => {{ const bar = document.getElementById('scrub'); bar.value = {time}; bar.dispatchEvent(new Event('input')); }})()"
        ));
        browser.wait(&format!(
            "!throngReplay.replay.dirty && Math.abs(throngReplay.replay.frames.time[throngReplay.replay.crowd.frame] - {time}) < 1e-6"
        ));
        let shown = browser.value(
            "(() => { const { crowd, people, facts } = throngReplay.replay;
               return Array.from(crowd.serial, (s, i) => [people.id[s], crowd.points[3 * i] + facts.origin[0], crowd.points[3 * i + 1] + facts.origin[1]]); })()",
        );
        let recorded = places(folder, frame);
        let shown = shown.as_array().unwrap();
        assert_eq!(shown.len(), recorded.len(), "people at {time} s");
        for row in shown {
            let at = |i: usize| row[i].as_f64().unwrap();
            let found = recorded.iter().find(|(id, _)| *id as f64 == at(0));
            let (_, wanted) = found.expect("somebody who was there");
            let apart = distance([at(1), at(2)], *wanted);
            assert!(apart <= 0.022, "{} is {apart} m off at {time} s", at(0));
        }
    }
}

fn colours_are_those_of_the_speeds(browser: &mut Browser) {
    let (shot, people) = (Shot(browser.screenshot()), 60);
    assert_eq!(
        browser.number("throngReplay.replay.crowd.count") as u64,
        people
    );
    let most = browser.number("throngReplay.replay.colouring.most");
    let rows = browser.value(
        "(() => { const r = throngReplay.replay, box = document.getElementById('over').getBoundingClientRect();
           return Array.from(r.crowd.serial, (s, i) => { const p = r.camera.project(...r.placeOf(i));
             return [p[0] + box.left, p[1] + box.top, r.crowd.speed[i], r.people.radius[s] * p[2]]; }); })()",
    );
    let mut matching = 0;
    for row in rows.as_array().unwrap() {
        let at = |i: usize| row[i].as_f64().unwrap();
        let wanted = cividis(at(2) / most);
        // Beside the middle, where the notch is not; some are hidden by names.
        let beside = [-0.45, 0.45].map(|s| shot.at(at(0) + s * at(3), at(1) - s * at(3)));
        let near = |c: &[f64; 3]| (0..3).all(|i| (c[i] - wanted[i]).abs() <= 12.0);
        matching += u64::from(beside.iter().any(near));
    }
    assert!(matching * 10 >= people * 8, "{matching} of {people}");
    let key = browser.value("document.getElementById('key').textContent");
    assert!(key.as_str().unwrap().contains("speed, m/s"), "{key}");
}

fn picks(browser: &mut Browser, folder: &Path) {
    let (id, at) = places(folder, 20)[7];
    let [x, y] = pixel(browser, at);
    browser.click(x, y);
    browser.wait("throngReplay.replay.picked >= 0");
    let text = browser.value("document.getElementById('agent').innerText");
    let text = text.as_str().unwrap();
    let picked = browser.number("throngReplay.replay.people.id[throngReplay.replay.picked]");
    // Bodies may overlap by a pixel: the one hit best is meant.
    assert_eq!(picked as u64, id, "{text}");
    for part in [
        "avoidance orca",
        "planner",
        "velocity",
        "preferred",
        "seen by orca",
        "corners",
        "exit",
    ] {
        let part = if part == "planner" {
            "guide astar"
        } else {
            part
        };
        assert!(text.contains(part), "{part} is not in {text}");
    }
    browser.key("Escape");
    assert_eq!(browser.number("throngReplay.replay.picked"), -1.0);
}

fn shows_density(browser: &mut Browser, folder: &Path) {
    browser.key("h");
    browser.wait("!document.getElementById('heat-key').hidden && !throngReplay.replay.dirty");
    let key = browser.value("document.getElementById('heat-key').textContent");
    let key = key.as_str().unwrap();
    assert!(
        key.contains("cells of 0.5 m") && key.contains("persons/m²"),
        "{key}"
    );
    let people = places(folder, 20);
    let cells = browser.value(
        "(() => { const { heat, facts, heatMost } = throngReplay.replay; return [heat.low[0] + facts.origin[0], heat.low[1] + facts.origin[1], heat.cell, heat.columns, heat.rows, heatMost]; })()",
    );
    let number = |i: usize| cells[i].as_f64().unwrap();
    let shot = Shot(browser.screenshot());
    let (mut looked, mut wrong) = (0, Vec::new());
    for j in 0..number(4) as usize {
        for i in 0..number(3) as usize {
            let middle = [
                number(0) + (i as f64 + 0.5) * number(2),
                number(1) + (j as f64 + 0.5) * number(2),
            ];
            let away = |p: &[f64; 2]| distance(*p, middle);
            let clear = people.iter().all(|(_, p)| away(p) > 0.4);
            // Who is on the rim of the disc may be counted or not: places are known to 2 cm.
            let sure = people.iter().all(|(_, p)| (away(p) - 1.5).abs() > 0.03);
            let count = people.iter().filter(|(_, p)| away(p) <= 1.5).count();
            if !(clear && sure && count >= 3) {
                continue;
            }
            looked += 1;
            let density = count as f64 / (std::f64::consts::PI * 2.25);
            let [x, y] = pixel(browser, middle);
            let (found, wanted) = (shot.at(x, y), cividis(density / number(5)));
            if (0..3).any(|k| (found[k] - wanted[k]).abs() > 12.0) {
                wrong.push((middle, count, found, wanted));
            }
        }
    }
    assert!(looked >= 5, "only {looked} cells can be judged");
    // Walls, names and area fills lie over some of them.
    assert!(
        wrong.len() * 4 <= looked,
        "{} of {looked}: {wrong:?}",
        wrong.len()
    );
    browser.key("h");
    browser.wait("document.getElementById('heat-key').hidden && !throngReplay.replay.dirty");
    let shot = Shot(browser.screenshot());
    let corner = browser.value(
        "(() => { const box = document.getElementById('stage').getBoundingClientRect(); return [box.left + 4, box.top + 4]; })()",
    );
    let corner = [corner[0].as_f64().unwrap(), corner[1].as_f64().unwrap()];
    shot.expect("outside", corner, [231.0, 234.0, 239.0], 2.0);
}

fn keys_and_layers(browser: &mut Browser) {
    for (key, id) in ["speed", "density", "tier", "group", "goal", "avoidance"]
        .iter()
        .enumerate()
        .map(|(i, id)| ((i + 1).to_string(), id))
    {
        browser.key(&key);
        browser.wait("!throngReplay.replay.dirty && !throngReplay.replay.stale");
        let chosen = browser.value("document.getElementById('colour').value");
        assert_eq!(chosen, json!(id));
        let shown = browser.value("document.getElementById('key').textContent");
        assert!(shown.as_str().unwrap().contains(id), "{shown}");
    }
    for key in ["g", "j", "k", "r", "a", "l", "v", "+", "-", "n", "f", "d"] {
        browser.key(key);
        browser.wait("!throngReplay.replay.dirty");
    }
    assert_eq!(browser.value("throngReplay.replay.on.graph"), json!(true));
    assert_eq!(
        browser.value("throngReplay.replay.camera.solid"),
        json!(true)
    );
    assert!(browser.number("throngReplay.replay.picked") >= 0.0);
    assert_eq!(browser.value("throngReplay.errors"), json!([]));
}

#[test]
fn floors_are_shown_one_by_one_or_stacked() {
    let Some(program) = installed() else {
        println!("skipped: no Chromium is installed; CHROMIUM names one elsewhere");
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let text = "name = \"two\"\nseed = 7\nduration = 12.0\n[environment]\ngenerate = \"two-storey\"\n\
        [[source]]\narea = \"upper-3\"\ncount = 20\ngoals = [\"exit\"]\n\
        [[source]]\narea = \"ground-2\"\ncount = 10\ngoals = [\"exit\"]\n";
    let (folder, _) = run(home.path(), "two", text);
    let mut browser = Browser::start(&program);
    browser.open(&folder.join("replay.html"), "play=0&t=2&theme=light");
    assert_eq!(
        browser.value("throngReplay.replay.camera.solid"),
        json!(true)
    );
    let ranges = "throngReplay.replay.crowd.ranges.map((r) => r[1])";
    assert_eq!(browser.value(ranges), json!([10, 20]));
    let dark = "#12161c";
    // With one floor alone the other one's people are not drawn: their places show the ground.
    browser.value("throngReplay.control.setSolid(false)");
    for (storey, other) in [(0, 1), (1, 0)] {
        browser.value(&format!("throngReplay.control.setStorey({storey})"));
        browser.wait("!throngReplay.replay.dirty");
        let hit = format!(
            "(() => {{ const r = throngReplay.replay, i = r.crowd.storey.indexOf({other}), p = r.camera.project(...r.placeOf(i));
               const found = r.agentAt(p[0], p[1]); return found < 0 || r.crowd.storey[found] !== {other}; }})()"
        );
        assert_eq!(browser.value(&hit), json!(true));
    }
    browser.value("throngReplay.control.setTheme('dark')");
    let paper = "getComputedStyle(document.documentElement).getPropertyValue('--outside').trim()";
    assert_eq!(browser.value(paper), json!(dark));
    assert_eq!(browser.value("throngReplay.errors"), json!([]));
}
