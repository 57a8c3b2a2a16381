//! `throng replay`: makes the page of a run again from its folder.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::plugins::Permission;
use crate::{console, failure::Failure, output::Folder, replay::remake};

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The folder that a run left behind.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    permission: Permission,
}

/// Makes it.
pub fn replay(args: &ReplayArgs, json: bool) -> Result<(), Failure> {
    let shown = args.folder.display();
    if !args.folder.is_dir() {
        return Err(Failure::input(format!(
            "there is no folder {shown}; give the one that `throng run` named"
        )));
    }
    let folder = Folder::create(&args.folder)?;
    let made = remake::remake(&folder, args.permission.policy()?)?;
    let path = folder.file(&made.name);
    let bytes = std::fs::metadata(&path).map_or(0, |m| m.len());
    if json {
        console::out_json(&json!({
            "replay": path.display().to_string(),
            "bytes": bytes,
            "from": made.from.word(),
        }));
        return Ok(());
    }
    console::err(&format!(
        "made from {}, {:.1} MB",
        made.from.word(),
        bytes as f64 / 1e6
    ));
    console::out(&format!("open {}", path.display()));
    Ok(())
}
