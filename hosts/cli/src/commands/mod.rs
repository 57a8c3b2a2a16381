//! The commands, one file each.

mod bench;
mod check;
mod conform;
mod describe;
mod experiment;
mod list;
mod matrix;
mod nav;
mod new;
mod path;
mod plot;
mod plugins;
mod replay;
mod run;
mod schema;
mod site;
mod snapshot;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use throng::{LoadOptions, Loaded, load};

use crate::{console, failure::Failure};
use plugins::PluginArgs;

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario and write its folder: summary, trajectories, picture.
    Run(run::RunArgs),
    /// Everything short of running: geometry, settings, whether goals can be reached.
    Check(check::CheckArgs),
    /// Every strategy and scene, one line each, and where it comes from.
    List(list::ListArgs),
    /// A strategy or a scene in full: what, when, when not, options.
    Describe(describe::DescribeArgs),
    /// Draw a map alone: its size, coverage and clearance.
    Nav(nav::NavArgs),
    /// Find routes alone.
    Path(path::PathArgs),
    /// Pictures of a finished run: density, speed, paths, charts, a film.
    Plot(plot::PlotArgs),
    /// Run every valid combination of strategies on a scenario.
    Matrix(matrix::MatrixArgs),
    /// Check that the strategies of a dynamic library keep to what the engine counts on.
    Conform(conform::ConformArgs),
    /// Measure the speed of a scenario.
    Bench(bench::BenchArgs),
    /// Run a paper's experiment, our figures beside the paper's; without a name list them.
    Experiment(experiment::ExperimentArgs),
    /// Make the page that shows a run again, from its folder.
    Replay(replay::ReplayArgs),
    /// Regression snapshots over combinations of your own scenarios.
    Snapshot(snapshot::SnapshotArgs),
    /// Write a working start.
    New(new::NewArgs),
    /// JSON Schema of scenario files, for editors.
    Schema,
}

impl Command {
    /// Does it; `json` asks for one JSON document on stdout and nothing else there.
    pub fn run(self, json: bool) -> Result<(), Failure> {
        match self {
            Command::Run(args) => run::run(&args, json),
            Command::Check(args) => check::check(&args, json),
            Command::List(args) => list::list(&args, json),
            Command::Describe(args) => describe::describe(&args, json),
            Command::Nav(args) => nav::nav(&args, json),
            Command::Path(args) => path::path(&args, json),
            Command::Plot(args) => plot::plot(&args, json),
            Command::Matrix(args) => matrix::matrix(&args, json),
            Command::Conform(args) => conform::conform(&args, json),
            Command::Bench(args) => bench::bench(&args, json),
            Command::Experiment(args) => experiment::experiment(&args, json),
            Command::Replay(args) => replay::replay(&args, json),
            Command::Snapshot(args) => snapshot::snapshot(&args, json),
            Command::New(args) => new::new(&args, json),
            Command::Schema => schema::schema(),
        }
    }
}

/// A scenario and the changes to it.
#[derive(Clone, Debug, Args)]
pub struct ScenarioArgs {
    /// The scenario file.
    #[arg(value_name = "SCENARIO")]
    pub scenario: PathBuf,
    #[command(flatten)]
    pub changes: Changes,
}

/// Changes to a scenario, and what it may open.
#[derive(Clone, Debug, Args)]
pub struct Changes {
    /// Change a value, such as nav.kind=grid or source[0].count=50. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Another seed.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub plugins: PluginArgs,
    /// Let the scenario name files outside its folder.
    #[arg(long)]
    pub allow_outside: bool,
}

impl Changes {
    /// As the library takes them.
    pub fn options(&self) -> Result<LoadOptions, Failure> {
        Ok(LoadOptions {
            sets: self.sets.clone(),
            seed: self.seed,
            allow_outside: self.allow_outside,
            plugins: self.plugins.permission.policy()?,
            libraries: self.plugins.plugins.clone(),
        })
    }
}

impl ScenarioArgs {
    /// Loads the scenario; its warnings go to stderr.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let loaded = load(&self.scenario, &self.changes.options()?)?;
        warnings(&loaded);
        Ok(loaded)
    }
}

/// Prints the warnings of a scenario that loaded.
fn warnings(loaded: &Loaded) {
    let notices = &loaded.scenario.provenance.notices;
    if !notices.is_empty() {
        console::err(&notices.render(console::coloured_err()));
    }
}

/// How many threads `--threads` stands for.
pub fn thread_count(asked: usize) -> usize {
    match asked {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        n => n,
    }
}
