//! Paths stay in the scenario's folder unless allowed to leave it.

use std::{fs, path::Path};

use super::*;

fn scenario_of(folder: &Path, file: &str) -> String {
    let path = folder.join("s.toml");
    fs::write(&path, format!("environment = {{ file = '{file}' }}\n")).unwrap();
    path.display().to_string()
}

fn load(folder: &Path, file: &str, allow_outside: bool) -> Result<Scenario, String> {
    let registry = registry();
    let options = LoadOptions {
        allow_outside,
        ..LoadOptions::new(&registry)
    };
    let path = scenario_of(folder, file);
    Scenario::load(Path::new(&path), &options).map_err(|p| p.items()[0].to_string())
}

#[test]
fn paths_may_not_leave_the_folder() {
    let root = tempfile::tempdir().unwrap();
    let home = root.path().join("home");
    fs::create_dir_all(home.join("sub")).unwrap();
    fs::write(root.path().join("secret.wkt"), "").unwrap();
    fs::write(home.join("sub/inside.wkt"), "").unwrap();

    let loaded = load(&home, "sub/../sub/inside.wkt", false).unwrap();
    let (key, file) = loaded.files().remove(0);
    assert_eq!(key, "environment.file");
    assert!(
        loaded
            .open_path(&file)
            .unwrap()
            .ends_with("home/sub/inside.wkt")
    );
    let inside = fs::canonicalize(home.join("sub/inside.wkt")).unwrap();
    assert!(load(&home, &inside.display().to_string(), false).is_ok());

    let leaves = "leaves the scenario's folder; allowed: a path inside";
    let outside = fs::canonicalize(root.path().join("secret.wkt")).unwrap();
    for file in [
        "../secret.wkt",
        "sub/../../secret.wkt",
        &outside.display().to_string(),
    ] {
        let refused = load(&home, file, false).unwrap_err();
        assert!(refused.contains(leaves), "{refused}");
        assert!(
            refused.contains("s.toml:1:24: environment.file = "),
            "{refused}"
        );
        assert!(load(&home, file, true).is_ok());
    }
    let refused = load(&home, "nothing.wkt", false).unwrap_err();
    assert!(refused.contains("cannot be found"), "{refused}");
    let refused = load(&home, "sub", false).unwrap_err();
    assert!(refused.contains("is no file"), "{refused}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_they_are_trusted() {
    let root = tempfile::tempdir().unwrap();
    let home = root.path().join("home");
    fs::create_dir_all(&home).unwrap();
    fs::write(root.path().join("secret.wkt"), "").unwrap();
    std::os::unix::fs::symlink("../secret.wkt", home.join("link.wkt")).unwrap();
    std::os::unix::fs::symlink("..", home.join("up")).unwrap();
    for file in ["link.wkt", "up/secret.wkt"] {
        let refused = load(&home, file, false).unwrap_err();
        assert!(
            refused.contains("leaves the scenario's folder"),
            "{refused}"
        );
        assert!(load(&home, file, true).is_ok());
    }
}

#[test]
fn a_resolved_copy_elsewhere_finds_its_files() {
    let (home, away) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(home.path().join("a.wkt"), "").unwrap();
    let scenario = load(home.path(), "a.wkt", false).unwrap();
    let copy = away.path().join("scenario.resolved.toml");
    fs::write(&copy, scenario.resolved_elsewhere(&registry())).unwrap();
    let registry = registry();
    let mut options = LoadOptions::new(&registry);
    assert!(Scenario::load(&copy, &options).is_err());
    options.allow_outside = true;
    let again = Scenario::load(&copy, &options).unwrap();
    let file = again.files().remove(0).1;
    assert!(again.open_path(&file).unwrap().ends_with("a.wkt"));
}

#[test]
fn plugins_are_known_before_strategies_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.toml");
    fs::write(
        &path,
        "plugins = ['lib/libshun.so']\n[cost]\nkind = 'shun'\n",
    )
    .unwrap();
    let registry = registry();
    let mut options = LoadOptions::new(&registry);
    let plugins = Scenario::plugins_of(&path, &options).unwrap();
    assert_eq!(plugins.len(), 1);
    assert_eq!(plugins[0].path, folder.path().join("lib/libshun.so"));
    let problem = plugins[0].problem("is gone").items()[0].to_string();
    let words = "s.toml:1:12: plugins[0] = \"lib/libshun.so\": is gone";
    assert!(problem.ends_with(words), "{problem}");
    options.sets.push("plugins=['/a.so']".into());
    let set = Scenario::plugins_of(&path, &options).unwrap();
    assert_eq!(set[0].path, Path::new("/a.so"));
    assert!(set[0].place.to_string().contains("--set plugins"));
}

#[test]
fn unreadable_files_are_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry();
    let options = LoadOptions::new(&registry);
    let load = |name: &str| {
        let problems = Scenario::load(&folder.path().join(name), &options).unwrap_err();
        problems.items()[0].to_string()
    };
    assert!(load("none.toml").contains("none.toml:1:1: cannot be read"));
    assert!(load(".").contains("is no file"));
    fs::write(
        folder.path().join("latin.toml"),
        b"name = 'a'\nx = '\xe4'\n",
    )
    .unwrap();
    assert!(load("latin.toml").contains("latin.toml:2:6: is no UTF-8 text"));
}

#[test]
fn problems_are_shown_with_their_lines() {
    let text = "name = 'x'\nenvironment.generate = 'square'\n[nav]\nkind = 'gird'\n";
    let shown = parse(text, &["dt=2"]).unwrap_err().to_string();
    let expected = "\
error: nav.kind = \"gird\": unknown nav strategy
 --> s.toml:4:8
  |
4 | kind = 'gird'
  |        ^^^^^^ did you mean \"grid\"?
  |
  = help: allowed: adaptive-grid, grid

error: dt = 2: out of range
 |
 | --set dt=2
 |       ^^^^
 |
 = help: allowed: 0.0001 to 1";
    assert_eq!(shown, expected);
}
