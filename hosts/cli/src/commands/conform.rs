//! `throng conform`: checks the strategies of a dynamic library, or one that is built in.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use throng::{
    PluginPolicy,
    conformance::{self, Outcome, Report},
    core::Slot,
    engine::plugin::AllowList,
    registry_with,
};

use super::{list::slot_named, plugins::Patience};
use crate::{
    console::{self, Table},
    failure::Failure,
};

/// Arguments of `conform`.
#[derive(Debug, Args)]
pub struct ConformArgs {
    /// A dynamic library, all of whose strategies are checked: naming it here allows it to be
    /// loaded. Or a built-in strategy as SLOT/ID.
    #[arg(value_name = "LIBRARY|SLOT/ID")]
    what: PathBuf,
    /// Load the library only if this file lists it with its SHA-256, as sha256sum writes it.
    #[arg(long, value_name = "FILE")]
    plugin_list: Option<PathBuf>,
    #[command(flatten)]
    patience: Patience,
}

/// Checks it: exit code 1 if a check fails, 2 if there is nothing to check.
pub fn conform(args: &ConformArgs, json: bool) -> Result<(), Failure> {
    let (registry, wanted) = match built_in(args)? {
        Some(one) => (throng::registry(), vec![one]),
        None => {
            args.patience.watch()?;
            let policy = match &args.plugin_list {
                None => PluginPolicy::Allow,
                Some(list) => PluginPolicy::Listed(AllowList::read(list).map_err(Failure::input)?),
            };
            let registry = registry_with(std::slice::from_ref(&args.what), &policy)?;
            let loaded = registry.strategies().iter().filter(|s| s.hash.is_some());
            let wanted = loaded.map(|s| (s.slot, s.id.clone())).collect();
            (registry, wanted)
        }
    };
    let check = |(slot, id): &(Slot, String)| conformance::check(&registry, *slot, id);
    let reports: Vec<Report> = wanted.iter().map(check).collect();
    let failed: Vec<String> = reports
        .iter()
        .filter(|report| !report.passed())
        .map(|report| format!("{}/{}", report.slot.name(), report.id))
        .collect();
    if json {
        console::out_json(&json!({
            "library": registry.libraries().map(|(path, hash)| {
                json!({ "path": path, "hash": hash })
            }).next(),
            "conforms": failed.is_empty(),
            "strategies": reports.iter().map(as_json).collect::<Vec<_>>(),
        }));
    } else {
        let mut table = Table::new(["strategy", "check", "result"]);
        for report in &reports {
            for check in &report.checks {
                let result = match &check.outcome {
                    Outcome::Passed => "passed".to_owned(),
                    Outcome::Failed(reason) => format!("FAILED: {}", reason.trim()),
                    Outcome::Skipped(reason) => format!("skipped: {reason}"),
                };
                let who = format!("{}/{}", report.slot.name(), report.id);
                table.row([who, check.name.to_owned(), result]);
            }
        }
        console::out(&table.render());
    }
    if failed.is_empty() {
        return Ok(());
    }
    let reason = format!(
        "{}: does not conform: {}",
        args.what.display(),
        failed.join(", ")
    );
    Err(if json {
        // The document is written: stdout has one.
        Failure::Reported(reason)
    } else {
        Failure::run(reason)
    })
}

/// The built-in strategy that is meant, if it is not a file.
fn built_in(args: &ConformArgs) -> Result<Option<(Slot, String)>, Failure> {
    let text = args.what.to_string_lossy();
    match text.split_once('/') {
        Some((slot, id)) if !args.what.exists() && Slot::from_name(slot).is_some() => {
            Ok(Some((slot_named(slot)?, id.to_owned())))
        }
        _ => Ok(None),
    }
}

fn as_json(report: &Report) -> serde_json::Value {
    let checks: Vec<_> = report
        .checks
        .iter()
        .map(|check| {
            let (result, reason) = match &check.outcome {
                Outcome::Passed => ("passed", None),
                Outcome::Failed(reason) => ("failed", Some(reason)),
                Outcome::Skipped(reason) => ("skipped", Some(reason)),
            };
            json!({ "check": check.name, "result": result, "reason": reason })
        })
        .collect();
    json!({
        "slot": report.slot.name(), "id": report.id,
        "passed": report.passed(), "checks": checks,
    })
}
