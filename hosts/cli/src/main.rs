//! The `throng` program: crowd simulation whose parts are chosen by name.
//!
//! `commands` has one file per command, `experiment` one per experiment, `output` what a run's
//! folder holds, `draw` the pictures, `replay` the page that shows a run, `console` what a person
//! sees while it works, `failure` how it ends when it cannot.

mod commands;
mod console;
mod draw;
mod experiment;
mod failure;
mod output;
mod replay;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, error::ErrorKind};

use commands::Command;
use failure::Failure;

const EXAMPLE: &str = "\
A first example:
  throng new scenario hello     writes hello.toml
  throng run hello.toml         runs it and names a picture to open
  throng list                   shows what can be put into its slots";

/// Crowd simulation whose parts are chosen by name.
#[derive(Debug, Parser)]
#[command(name = "throng", version, after_help = EXAMPLE, disable_help_subcommand = true)]
struct Cli {
    /// Print one JSON document on stdout and nothing else there.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

fn main() -> ExitCode {
    console::start_logging();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let Some(command) = cli.command else {
        console::out(&Cli::command().render_help().to_string());
        return ExitCode::SUCCESS;
    };
    match command.run(cli.json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure, cli.json),
    }
}

/// What clap says of arguments that it does not take, or the help that was asked for.
fn usage(error: &clap::Error) -> ExitCode {
    let asked = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    if asked {
        console::out(&error.render().to_string());
        return ExitCode::SUCCESS;
    }
    let json = std::env::args_os().any(|a| a == "--json");
    let text = error.render().to_string();
    report(
        &Failure::input(text.trim_end().trim_start_matches("error: ")),
        json,
    )
}

fn report(failure: &Failure, json: bool) -> ExitCode {
    if let Failure::Told(code) = failure {
        return ExitCode::from(*code);
    }
    if json && !matches!(failure, Failure::Reported(_)) {
        console::out_json(&failure.to_json());
    }
    console::err(&failure.render(console::coloured_err()));
    ExitCode::from(failure.code())
}
