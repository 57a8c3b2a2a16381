//! `throng new`: a working start, commented. `plugin` writes projects of strategies.

mod plugin;

use std::{io::Write, path::PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;

use crate::{console, failure::Failure};

/// Arguments of `new`.
#[derive(Debug, Args)]
pub struct NewArgs {
    #[command(subcommand)]
    what: New,
}

#[derive(Debug, Subcommand)]
enum New {
    /// A scenario file that runs as it is.
    Scenario {
        /// Its name; the file is NAME.toml.
        name: String,
    },
    /// A project of a strategy in a dynamic library that builds, loads, runs and tests as it is.
    Plugin(plugin::PluginProject),
}

/// Writes it; a file that is there is never touched.
pub fn new(args: &NewArgs, json: bool) -> Result<(), Failure> {
    match &args.what {
        New::Scenario { name } => new_scenario(name, json),
        New::Plugin(project) => plugin::new(project, json),
    }
}

fn new_scenario(name: &str, json: bool) -> Result<(), Failure> {
    let path = if name.ends_with(".toml") {
        PathBuf::from(name)
    } else {
        PathBuf::from(format!("{name}.toml"))
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if stem.is_empty() {
        return Err(Failure::input("a scenario needs a name"));
    }
    let text = scenario(&stem);
    let shown = path.display();
    std::fs::File::create_new(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|e| Failure::input(format!("{shown} cannot be written: {e}")))?;
    if json {
        console::out_json(&json!({ "file": path }));
    } else {
        console::out(&format!("wrote {shown}\nrun it: throng run {shown}"));
    }
    Ok(())
}

fn scenario(name: &str) -> String {
    let name = toml::Value::from(name);
    format!(
        r#"# A first scenario: a crowd leaves a room through a narrow opening.
# Every key with its meaning: `throng schema`. What each slot can hold: `throng list`.
name = {name}
seed = 1
dt = 0.1                       # seconds per step
duration = 60.0                # seconds; a run ends sooner when everybody has gone

[environment]
generate = "bottleneck"        # or: file = "plan.geojson"; scenes: `throng list scene`
opening = 1.2

[nav]                          # the map drawn over the ground
kind = "grid"

[planner]                      # finds routes on the map
kind = "astar"

[avoidance]                    # keeps people from bumping into each other
kind = "orca"

[profile.adult]                # a number, or what it is drawn from
radius = 0.24
speed = {{ normal = [1.34, 0.26, 0.5, 2.2] }}

[[source]]
area = "room"                  # areas of this scene: `throng describe scene/bottleneck`
count = 60
goals = ["exit"]
profile = "adult"
"#
    )
}
