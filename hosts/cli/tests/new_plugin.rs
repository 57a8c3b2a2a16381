//! `throng new plugin`: every start builds, loads, conforms and runs as it is written, and the page
//! "Write a strategy in 15 minutes" works to the letter.
#![cfg(target_os = "linux")]

mod project;

use std::fs;

use project::{Workshop, root};

/// Writes a project, builds it, checks its library and runs its scenario.
fn starts(shop: &mut Workshop, slot: &str, build: &str, options: &str) {
    let name = format!("my-{slot}");
    let said = shop.follow(&format!("throng new plugin {name} --slot {slot}{options}"));
    assert!(said.contains(&format!("cd {name}")), "{said}");
    shop.go(&name);
    shop.follow(build);
    let scenario = fs::read_to_string(shop.folder().join("scenario.toml")).unwrap();
    let scenario: toml::Table = scenario.parse().unwrap();
    let library = scenario["plugins"][0].as_str().unwrap().to_owned();
    let said = shop.follow(&format!("throng conform {library}"));
    assert!(said.contains(&format!("{slot}/{name}")), "{said}");
    let said = shop.follow("throng run scenario.toml --allow-plugins --quiet --json");
    let document = &said[said.find('{').unwrap()..=said.rfind('}').unwrap()];
    let summary: serde_json::Value = serde_json::from_str(document).unwrap();
    let used = summary["strategies"].as_array().unwrap();
    let own = used.iter().find(|s| s["id"] == *name).expect("it is used");
    assert_eq!(
        (&own["slot"], own["library_hash"].is_string()),
        (&slot.into(), true)
    );
    assert_eq!(summary["metrics"]["lost"], 0);
    assert!(
        summary["metrics"]["arrived"].as_u64() > Some(20),
        "{slot}: {} of 40 arrived",
        summary["metrics"]["arrived"]
    );
    shop.go("..");
}

#[test]
fn every_slot_in_rust() {
    let mut shop = Workshop::new();
    for slot in ["avoidance", "cost", "nav", "planner", "lod", "group"] {
        starts(&mut shop, slot, "cargo build", "");
    }
}

#[test]
fn avoidance_and_cost_in_c() {
    let mut shop = Workshop::new();
    for slot in ["avoidance", "cost"] {
        starts(
            &mut shop,
            slot,
            "make CFLAGS='-O2 -Wall -Wextra -Werror'",
            " --lang c",
        );
        shop.go(&format!("my-{slot}"));
        assert!(shop.follow("make test").contains("passed"));
        shop.go("..");
    }
    let (code, said) = shop.run("throng new plugin my-map --slot nav --lang c");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("no start in C for slot nav"), "{said}");
}

/// A real build that ends the process on a panic, not a patched one.
#[test]
fn a_library_built_to_abort_is_refused() {
    let mut shop = Workshop::new();
    shop.follow("throng new plugin abrupt --slot cost");
    shop.go("abrupt");
    shop.follow("cargo rustc -- -C panic=abort");
    let (code, said) = shop.run("throng conform target/debug/libabrupt.so");
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("libabrupt.so: built with panic = \"abort\""),
        "{said}"
    );
}

#[test]
fn wrong_wishes_write_nothing() {
    let shop = Workshop::new();
    for (wish, words) in [
        ("orca --slot avoidance", "already"),
        ("Left --slot avoidance", "is no id"),
        ("left --slot avoidence", "did you mean \"avoidance\""),
        ("left --slot cost --throng nowhere", "no sources of Throng"),
    ] {
        let (code, said) = shop.run(&format!("throng new plugin {wish}"));
        assert_eq!(code, Some(2), "{wish}: {said}");
        assert!(said.contains(words), "{wish}: {said}");
    }
    fs::create_dir(shop.folder().join("left")).unwrap();
    let (code, said) = shop.run("throng new plugin left --slot cost");
    assert_eq!(
        code,
        Some(2),
        "a folder that is there is not touched: {said}"
    );
    assert_eq!(fs::read_dir(shop.folder().join("left")).unwrap().count(), 0);
}

/// A block of the page: its language, its text, and the sentence before it.
struct Block {
    language: String,
    text: String,
    before: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut open, mut paragraph) = (None::<Block>, String::new());
    for line in page.lines() {
        let line = line
            .strip_prefix("//! ")
            .or_else(|| line.strip_prefix("//!"))
            .unwrap_or_default();
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                open = Some(Block {
                    language: language.to_owned(),
                    text: String::new(),
                    before: std::mem::take(&mut paragraph),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => block.text += &format!("{line}\n"),
            (None, None) if line.is_empty() => {}
            (None, None) if line.starts_with('#') => paragraph.clear(),
            (None, None) => paragraph += &format!("{line} "),
        }
    }
    blocks
}

/// The file that "Put this into `FILE`:" names.
fn file_of(block: &Block) -> &str {
    let said = block.before.trim_end();
    let at = said.rfind("Put this into `").expect("a file is named") + "Put this into `".len();
    said[at..].trim_end_matches("`:")
}

#[test]
fn the_page_works_as_it_is_written() {
    let page = fs::read_to_string(root().join("hosts/throng/src/fifteen_minutes.rs")).unwrap();
    let mut shop = Workshop::new();
    let (mut commands, mut files) = (0, 0);
    for block in blocks(&page) {
        match block.language.as_str() {
            "sh" => {
                for command in block.text.lines() {
                    shop.follow(command);
                    commands += 1;
                }
            }
            "ignore" | "toml" => {
                fs::write(shop.folder().join(file_of(&block)), &block.text).unwrap();
                files += 1;
            }
            other => panic!("a block in {other:?}"),
        }
    }
    assert_eq!((commands, files), (13, 2), "steps of the page");
    let out = |name: &str| fs::read_to_string(shop.folder().join(name)).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&out("out/meet/summary.json")).unwrap();
    assert_eq!(
        summary["metrics"]["arrived"], 24,
        "both crowds pass each other"
    );
    let hash = summary["libraries"][0]["hash"].as_str().unwrap();
    assert!(out("plugins.sha256").starts_with(hash));
    assert_ne!(out("out/narrow/summary.json"), out("out/meet/summary.json"));
    assert!(shop.folder().join("out/listed/summary.json").exists());
    assert!(shop.folder().join("out/meet/replay.html").exists());
}
