//! `throng plot`: pictures of a finished run.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::{
    console,
    draw::plots::{Body, Kind, NoPlot, plot as draw},
    failure::Failure,
    output::{Folder, finished::Finished},
};

/// Arguments of `plot`.
#[derive(Debug, Args)]
pub struct PlotArgs {
    /// The folder of a finished run.
    #[arg(value_name = "DIR")]
    run: PathBuf,
    /// The folder for the pictures; by default DIR/plots.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Only these kinds, separated by commas.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    only: Vec<Kind>,
}

/// Draws them.
pub fn plot(args: &PlotArgs, json: bool) -> Result<(), Failure> {
    let kinds = if args.only.is_empty() {
        Kind::ALL.to_vec()
    } else {
        args.only.clone()
    };
    let with_walks = kinds.iter().any(|kind| kind.needs_walks());
    let run = Finished::read(&args.run, with_walks)?;
    if let Some(stride) = run.walks.as_ref().map(|w| w.stride).filter(|s| *s > 1) {
        console::err(&format!(
            "note: the run is long: one in {stride} recorded frames is used"
        ));
    }
    let folder = match &args.out {
        Some(out) => Folder::create(out)?,
        None => Folder::create(&args.run.join("plots"))?,
    };
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for kind in kinds {
        let name = clap::ValueEnum::to_possible_value(&kind);
        let name = name.map_or_else(String::new, |v| v.get_name().to_owned());
        let plots = match draw(&run, kind) {
            Ok(plots) => plots,
            Err(NoPlot::Failed(failure)) => return Err(failure),
            Err(NoPlot::Nothing(why)) if args.only.contains(&kind) => {
                return Err(Failure::input(format!("{name}: {why}")));
            }
            Err(NoPlot::Nothing(why)) => {
                console::err(&format!("note: no {name}: {why}"));
                skipped.push(json!({ "kind": name, "reason": why }));
                continue;
            }
        };
        for made in plots {
            let mut write = |ending: &str, bytes: &[u8]| -> Result<(), Failure> {
                let file = format!("{}.{ending}", made.name);
                folder.write(&file, bytes)?;
                files.push(json!({ "kind": name, "file": folder.file(&file) }));
                Ok(())
            };
            match &made.body {
                Body::Film(bytes) => write("gif", bytes)?,
                Body::Picture(drawn) => {
                    write("png", &drawn.png)?;
                    if let Some(svg) = &drawn.svg {
                        write("svg", svg.as_bytes())?;
                    }
                }
            }
        }
    }
    if json {
        console::out_json(
            &json!({ "folder": folder.path(), "pictures": files, "skipped": skipped }),
        );
    } else {
        let names: Vec<&str> = files
            .iter()
            .filter_map(|f| f["file"].as_str()?.rsplit('/').next())
            .collect();
        console::out(&format!(
            "{}\nfiles in {}",
            names.join("\n"),
            folder.path().display()
        ));
    }
    Ok(())
}
