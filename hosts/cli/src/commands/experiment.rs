//! `throng experiment`: a paper's experiment, our figures beside the paper's.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::thread_count;
use crate::{
    console::{self, Table},
    experiment::{ALL, Experiment, Study},
    failure::Failure,
    output::Folder,
};

/// Arguments of `experiment`.
#[derive(Debug, Args)]
pub struct ExperimentArgs {
    /// Its name; without one, all are listed.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Smaller, for a first look.
    #[arg(long)]
    quick: bool,
    /// Only the cases whose name contains one of these words, where an experiment has named cases
    /// (the surfaces of surface-table).
    #[arg(long, value_name = "WORD", value_delimiter = ',')]
    only: Vec<String>,
    /// The folder for tables and pictures; by default out/experiment-NAME.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads of the simulations; 0 means as many as there are cores.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
}

/// Does it, or lists them.
pub fn experiment(args: &ExperimentArgs, json: bool) -> Result<(), Failure> {
    let Some(name) = &args.name else {
        list(json);
        return Ok(());
    };
    let experiment = named(name)?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("out").join(format!("experiment-{name}")));
    let folder = Folder::create(&out)?;
    let threads = thread_count(args.threads);
    let mut study = Study::new(experiment, folder, args.quick, threads, json);
    study.only.clone_from(&args.only);
    (experiment.run)(&mut study)?;
    study.finish()
}

fn named(name: &str) -> Result<Experiment, Failure> {
    if let Some(found) = ALL.iter().find(|e| e.name == name) {
        return Ok(*found);
    }
    let names: Vec<&str> = ALL.iter().map(|e| e.name).collect();
    Err(Failure::input(format!(
        "there is no experiment {name:?}; there are: {}",
        names.join(", ")
    )))
}

fn list(json: bool) {
    if json {
        let all: Vec<_> = ALL
            .iter()
            .map(|e| json!({ "name": e.name, "about": e.about, "source": e.source }))
            .collect();
        console::out_json(&json!({ "experiments": all }));
        return;
    }
    let mut table = Table::new(["experiment", "what it shows"]);
    for experiment in ALL {
        table.row([experiment.name.into(), experiment.about.into()]);
    }
    console::out(&table.render());
}
