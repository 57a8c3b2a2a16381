//! The tree keeps its shape: layout, directions of dependencies, ids, headers, generated text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use throng_core::Slot;
use throng_tests::root;

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !path.ends_with("target") {
                sources(&path, out);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn all_sources() -> Vec<PathBuf> {
    let mut all = Vec::new();
    for top in [
        "core",
        "navmeshes",
        "planners",
        "avoidance",
        "hosts",
        "tests",
    ] {
        sources(&root().join(top), &mut all);
    }
    all.sort();
    all
}

#[test]
fn the_top_level_holds_what_was_agreed() {
    let known = [
        "Cargo.toml",
        "Cargo.lock",
        "core",
        "planners",
        "avoidance",
        "navmeshes",
        "hosts",
        "tests",
        "README.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
    ];
    for entry in fs::read_dir(root()).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        // What git ignores (target, out) is no part of the tree.
        let ignored = ["target", "out"].contains(&name.as_str());
        assert!(
            name.starts_with('.') || ignored || known.contains(&name.as_str()),
            "{name} does not belong at the top level"
        );
    }
}

fn dependencies(manifest: &Path) -> (String, BTreeSet<String>) {
    let table: toml::Table = fs::read_to_string(manifest).unwrap().parse().unwrap();
    let name = table["package"]["name"].as_str().unwrap().to_owned();
    let listed = table.get("dependencies").and_then(|d| d.as_table());
    let names = listed
        .into_iter()
        .flat_map(|d| d.keys().cloned())
        .filter(|d| d.starts_with("throng"))
        .collect();
    (name, names)
}

#[test]
fn dependencies_point_one_way() {
    let mut graph = BTreeMap::new();
    for folder in ["core", "navmeshes", "planners", "avoidance", "hosts"] {
        for entry in fs::read_dir(root().join(folder)).unwrap().flatten() {
            let manifest = entry.path().join("Cargo.toml");
            if manifest.exists() {
                let (name, needs) = dependencies(&manifest);
                graph.insert(name, (folder, needs));
            }
        }
    }
    let set = |names: &[&str]| {
        names
            .iter()
            .map(|n| (*n).to_owned())
            .collect::<BTreeSet<_>>()
    };
    for (name, (folder, needs)) in &graph {
        let allowed = match (name.as_str(), *folder) {
            ("throng-abi", _) => set(&[]),
            ("throng-core", _) => set(&["throng-abi"]),
            ("throng-kit", _) => set(&["throng-core"]),
            ("throng-formats", _) => set(&["throng-core", "throng-kit"]),
            ("throng-engine", _) => set(&["throng-abi", "throng-core", "throng-kit"]),
            (_, "hosts") => graph.keys().cloned().collect(),
            // Strategy crates never see each other or the engine.
            _ => set(&["throng-core", "throng-kit"]),
        };
        let beyond: Vec<_> = needs.difference(&allowed).collect();
        assert!(beyond.is_empty(), "{name} may not depend on {beyond:?}");
    }
}

#[test]
fn ids_equal_file_stems() {
    let mut count = 0;
    for entry in throng_core::registry::builtin() {
        let file = Path::new(entry.file);
        let stem = file.file_stem().unwrap().to_str().unwrap();
        // A strategy past 500 lines is a folder of the same name.
        let stem = if stem == "mod" {
            file.parent()
                .unwrap()
                .file_name()
                .unwrap()
                .to_str()
                .unwrap()
        } else {
            stem
        };
        assert_eq!(stem, entry.id.replace('-', "_"), "{}", entry.file);
        count += 1;
    }
    assert!(count >= 8, "{count} strategies");
}

#[test]
fn no_strategy_crate_is_silently_missing() {
    let registered: BTreeSet<_> = throng_core::registry::builtin()
        .iter()
        .map(|e| e.origin.split(' ').next().unwrap().to_owned())
        .collect();
    let facade = fs::read_to_string(root().join("hosts/throng/src/lib.rs")).unwrap();
    for folder in ["navmeshes", "planners", "avoidance"] {
        for entry in fs::read_dir(root().join(folder)).unwrap().flatten() {
            let manifest = entry.path().join("Cargo.toml");
            if !manifest.exists() {
                continue;
            }
            let (name, _) = dependencies(&manifest);
            let named = format!("use {} as _;", name.replace('-', "_"));
            assert!(facade.contains(&named), "the facade does not name {name}");
            assert!(
                registered.contains(&name),
                "no strategy of {name} is registered"
            );
        }
    }
}

#[test]
fn every_slot_has_its_strategies() {
    let registry = throng::registry();
    for slot in Slot::ALL {
        assert!(registry.of(slot).count() > 0, "{} is empty", slot.name());
    }
    for strategy in registry.strategies() {
        for (what, text) in [
            ("about", &strategy.about),
            ("when", &strategy.when),
            ("when_not", &strategy.when_not),
            ("growth", &strategy.growth),
        ] {
            assert!(!text.is_empty(), "{} has no {what}", strategy.id);
        }
        for option in &strategy.options {
            assert!(!option.about.is_empty(), "{}.{}", strategy.id, option.name);
        }
    }
}

#[test]
fn every_file_says_what_it_is() {
    for path in all_sources() {
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! "), "{} has no header", path.display());
    }
}

#[test]
fn unsafe_stays_where_it_is_allowed() {
    let allowed = [
        "core/abi/",
        "core/api/src/export",
        "core/engine/src/plugin/",
        "tests/tests/allocation.rs",
        "tests/plugins/",
    ];
    let word = ["uns", "afe "].concat();
    for path in all_sources() {
        let path = path
            .strip_prefix(root())
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned();
        if allowed.iter().any(|a| path.starts_with(a)) {
            continue;
        }
        for (number, line) in fs::read_to_string(root().join(&path))
            .unwrap()
            .lines()
            .enumerate()
        {
            let code = line.split("//").next().unwrap();
            assert!(!code.contains(&word), "{path}:{}: {line}", number + 1);
        }
    }
}

#[test]
fn readme_names_paths_that_exist() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let mut checked = 0;
    for (i, part) in readme.split('`').enumerate() {
        // Every second part is code; those that look like paths of the tree must exist.
        let tops = [
            "core/",
            "planners/",
            "avoidance/",
            "navmeshes/",
            "hosts/",
            "tests/",
        ];
        if i % 2 == 1
            && tops.iter().any(|t| part.starts_with(t))
            && !part.contains(['*', ' ', '\n'])
        {
            assert!(root().join(part).exists(), "README names {part}");
            checked += 1;
        }
    }
    assert!(checked > 10, "{checked} paths");
}

/// Text between two markers of a file, rewritten if it is stale: the test then fails once.
fn generated(file: &Path, name: &str, wanted: &str) {
    let text = fs::read_to_string(file).unwrap();
    let (begin, end) = (
        format!("<!-- begin {name} -->\n"),
        format!("<!-- end {name} -->"),
    );
    let from = text.find(&begin).expect("begin marker") + begin.len();
    let to = text.find(&end).expect("end marker");
    if text[from..to] != *wanted {
        let fresh = format!("{}{wanted}{}", &text[..from], &text[to..]);
        fs::write(file, fresh).unwrap();
        panic!(
            "{name} in {} was stale and has been rewritten: look at it and run again",
            file.display()
        );
    }
}

#[test]
fn readme_lists_the_strategies() {
    let registry = throng::registry();
    let mut table = String::from("| slot | id | what it is |\n|---|---|---|\n");
    for slot in Slot::ALL {
        for s in registry.of(slot) {
            table += &format!("| {} | `{}` | {} |\n", slot.name(), s.id, s.about);
        }
    }
    generated(&root().join("README.md"), "strategies", &table);
}

#[test]
fn readme_counts_the_combinations() {
    let mut scenarios: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for folder in fs::read_dir(root().join("tests/snapshots")).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_stem().unwrap().to_string_lossy().into_owned();
        for file in fs::read_dir(&folder).into_iter().flatten() {
            let file = file.unwrap().path();
            if !file
                .file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("matrix__")
            {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let body = text.splitn(3, "---\n").nth(2).unwrap();
            let counts = scenarios.entry(name.clone()).or_default();
            for line in body.lines() {
                let refused = line.split_once("refused: ");
                counts[usize::from(refused.is_some())] += 1;
                if let Some((_, why)) = refused {
                    let why = why.split("; this works").next().unwrap();
                    *reasons.entry(why.to_owned()).or_default() += 1;
                }
            }
        }
    }
    assert!(scenarios.len() >= 5, "{scenarios:?}");
    let mut table = String::from("| scenario | combinations that run | refused |\n|---|---|---|\n");
    for (name, [ran, refused]) in &scenarios {
        table += &format!("| {name} | {ran} | {refused} |\n");
    }
    let sum = |i: usize| scenarios.values().map(|c| c[i]).sum::<usize>();
    table += &format!("| all | {} | {} |\n\nRefused:\n\n", sum(0), sum(1));
    for (why, count) in &reasons {
        table += &format!("- {count}: {why}\n");
    }
    generated(&root().join("README.md"), "combinations", &table);
}

#[test]
fn readme_scenario_loads() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let from = readme.find("```toml\n").expect("a scenario") + 8;
    let text = &readme[from..from + readme[from..].find("```").unwrap()];
    let mut sim = throng::Simulation::builder().threads(1).text(text).unwrap();
    for _ in 0..10 {
        sim.step().unwrap();
    }
    assert!(sim.metrics().spawned > 0);
}
