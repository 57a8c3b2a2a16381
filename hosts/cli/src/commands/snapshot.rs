//! `throng snapshot`: regression snapshots over combinations of the user's own scenarios.

use std::{
    fs,
    io::{BufRead, stdin},
    path::{Path, PathBuf},
};

use clap::Args;
use serde_json::{Value, json};
use throng::snapshot::{
    Counts, Explanation, Outcome, Report, Row, Selection, Store, Study, Verdict, accept, check,
    explain, moves, store::build,
};

use super::{Changes, matrix::axes_of};
use crate::{
    console::{self, Counting},
    failure::Failure,
    output::{Folder, summary::strategies},
    replay::{Surroundings, pair},
};

/// Differences that are shown in full.
const SHOWN: usize = 40;

/// Arguments of `snapshot`.
#[derive(Debug, Args)]
#[command(after_help = "\
Snapshots of hall.toml are in hall.snapshots beside it: star__CASE.snap, one small text for the \
scenario's own combination and each with one slot changed; matrix__NAV.snap, one line per \
combination; digests.txt, exact bits. Keep these under version control.

The scenario's [snapshot] table says how much is run (steps, agents, seeds), what varies (vary) \
and how far figures may move (tolerance).

Exit codes: 0 all equal, 3 differences, 1 failures, 2 wrong input.")]
pub struct SnapshotArgs {
    /// Scenario files, or folders of them.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    changes: Changes,
    /// Vary a slot over some ids, or over all of them: avoidance=orca,none or avoidance. May be
    /// repeated; by default everything that the scenario's [snapshot] table says.
    #[arg(long, value_name = "SLOT=A,B")]
    vary: Vec<String>,
    /// Only combinations whose name contains this text: "grid astar", "avoidance=". May be
    /// repeated.
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// Store what was seen.
    #[arg(long, conflicts_with = "review")]
    accept: bool,
    /// Show each difference and ask.
    #[arg(long)]
    review: bool,
    /// Keep the snapshots in folders inside this one instead of beside the scenarios.
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Differences to explain: where the runs part, and a page with both side by side.
    #[arg(long, value_name = "N", default_value_t = 3)]
    explain: usize,
    /// Combinations run at once; 0 means as many as there are cores.
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

/// What a scenario came to.
struct Checked {
    counts: Counts,
    accepted: usize,
    document: Value,
}

/// Checks them all.
pub fn snapshot(args: &SnapshotArgs, json: bool) -> Result<(), Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        match path.is_dir() {
            true => scenarios_in(path, &mut files)?,
            false => files.push(path.clone()),
        }
    }
    if files.is_empty() {
        return Err(Failure::input(
            "there is no scenario in these folders: a scenario is a .toml file with [environment]",
        ));
    }
    let mut documents = Vec::new();
    let (mut wrong, mut failed, mut differ) = (0, 0, 0);
    let mut seen = 0;
    for file in &files {
        match one(args, file, json) {
            Ok(checked) => {
                let c = checked.counts;
                failed += c.failed;
                seen += c.equal + c.new + c.changed + c.missing + c.refused + c.failed;
                differ += c.new + c.changed + c.missing - checked.accepted;
                documents.push(checked.document);
            }
            Err(failure) => {
                wrong += 1;
                console::err(&failure.render(console::coloured_err()));
                let mut document = failure.to_json();
                document["scenario"] = file.display().to_string().into();
                documents.push(document);
            }
        }
    }
    if wrong == 0 && seen == 0 && !args.filter.is_empty() {
        return Err(Failure::input(format!(
            "--filter {}: no combination has that in its name; names are as \"grid astar distance \
             orca\" or \"avoidance=none\"",
            args.filter.join(" ")
        )));
    }
    let code = match (wrong, failed, differ) {
        (0, 0, 0) => 0,
        (0, 0, _) => 3,
        (0, ..) => 1,
        _ => 2,
    };
    if json {
        console::out_json(&json!({
            "build": build(), "scenarios": documents, "exit_code": code,
        }));
    }
    match code {
        0 => Ok(()),
        code => Err(Failure::Told(code)),
    }
}

/// Every scenario in a folder and its folders.
fn scenarios_in(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let wrong = |e| Failure::input(format!("{} cannot be read: {e}", folder.display()));
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong)? {
        paths.push(entry.map_err(wrong)?.path());
    }
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !name.starts_with('.') && !name.ends_with(".snapshots") {
                scenarios_in(&path, files)?;
            }
        } else if name.ends_with(".toml") {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let begins = |line: &str| line.trim_start().starts_with("[environment");
            if text.lines().any(begins) {
                files.push(path);
            }
        }
    }
    Ok(())
}

fn one(args: &SnapshotArgs, file: &Path, json: bool) -> Result<Checked, Failure> {
    let study = Study::open(file, &args.changes.options()?)?.threads(args.threads);
    let selection = Selection {
        vary: match args.vary.is_empty() {
            true => Vec::new(),
            false => axes_of(&args.vary, &study.loaded().registry)?,
        },
        filter: args.filter.clone(),
    };
    let store = Store::of(file, args.store.as_deref());
    let shown = file.display().to_string();
    let counting = Counting::new(&shown, args.quiet);
    let report = check(&study, &store, &selection, |done, of| {
        counting.show(done, of)
    });
    counting.finish();
    let report = report.map_err(Failure::input)?;
    if report.resumed > 0 {
        let n = report.resumed;
        console::err(&format!(
            "note: {n} combinations were done already: the last check was not finished"
        ));
    }
    let explained = explained(args, &study, &store, &report)?;
    let counts = report.counts();
    if !json {
        console::out(&told(&shown, &study, &report, &explained));
    }
    let accepted = accepting(args, &study, &store, &report, &explained)?;
    if (accepted > 0 || args.accept) && !json {
        let folder = store.folder().display();
        console::out(&format!("accepted {accepted}: stored in {folder}"));
    } else if counts.new + counts.changed + counts.missing > 0 && !json {
        console::out("differences: look at them, then --accept or --review");
    }
    let document = document(&shown, &store, &report, &explained, accepted);
    Ok(Checked {
        counts,
        accepted,
        document,
    })
}

/// A difference explained: the row, what was found and the page that shows it.
struct Explained {
    row: usize,
    found: Explanation,
    page: Option<PathBuf>,
}

/// Explains the first differences, those of the star before those of the matrix.
fn explained(
    args: &SnapshotArgs,
    study: &Study,
    store: &Store,
    report: &Report,
) -> Result<Vec<Explained>, Failure> {
    let changed = |(_, row): &(usize, &Row)| {
        let ran = matches!(row.outcome, Some(Outcome::Ran(_)));
        ran && matches!(row.verdict, Verdict::Changed(_))
    };
    let mut all = Vec::new();
    let pages = store.folder().join(".differences");
    // Pages of an earlier check would mislead.
    let _ = fs::remove_dir_all(&pages);
    for (i, row) in report
        .rows
        .iter()
        .enumerate()
        .filter(changed)
        .take(args.explain)
    {
        let found = explain(study, store, &report.stored, &row.case);
        let page = match (&found.was, &found.now) {
            (Some(was), Some(now)) => {
                let folder = Folder::create(&pages)?;
                folder.write(".gitignore", b"*\n")?;
                Some(write_page(&folder, study, report, row, &found, [was, now])?)
            }
            _ => None,
        };
        all.push(Explained {
            row: i,
            found,
            page,
        });
    }
    Ok(all)
}

fn write_page(
    folder: &Folder,
    study: &Study,
    report: &Report,
    row: &Row,
    found: &Explanation,
    tracks: [&throng::snapshot::Track; 2],
) -> Result<PathBuf, Failure> {
    let seed = study.loaded().scenario.seed;
    let mut simulation = study.simulation(&row.case, seed).map_err(Failure::run)?;
    let none = |_: &throng::engine::Simulation| std::ops::ControlFlow::Continue(());
    simulation.run(study.spec().steps, none)?;
    let used = strategies(simulation.scenario(), &study.loaded().registry);
    let used = serde_json::to_value(used).map_err(Failure::run)?;
    let was = report.stored.digests.get(&row.case.name);
    let mut said: Vec<String> = moves(row).iter().map(ToString::to_string).collect();
    said.extend(parts_at(found, simulation.scenario().dt));
    let opening = pair::Opening {
        title: format!("{}: {}", study.name(), row.case.name),
        said,
        step: found.parting.map_or(0, |p| p.step),
        agent: found.parting.and_then(|p| p.agent),
        place: found.parting.and_then(|p| p.now.or(p.was)),
    };
    let sides = [
        pair::Side {
            name: "accepted",
            track: tracks[0],
            digest: was.map_or(0, |w| w.bits),
        },
        pair::Side {
            name: "now",
            track: tracks[1],
            digest: simulation.digest(),
        },
    ];
    let name = format!("{}.html", row.case.name.replace(' ', "+"));
    let surroundings = Surroundings::of(study.loaded());
    pair::write(
        folder,
        &name,
        &simulation,
        &surroundings,
        &used,
        sides,
        &opening,
    )?;
    Ok(folder.file(&name))
}

/// Where two runs part, in words.
fn parts_at(found: &Explanation, dt: f64) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(parting) = &found.parting {
        let mut line = format!(
            "the runs part at step {} ({:.2} s)",
            parting.step,
            parting.step as f64 * dt
        );
        let place = |p: glam::DVec3| format!("({:.2}, {:.2}, {:.2})", p.x, p.y, p.z);
        if let Some(agent) = parting.agent {
            line += &match (parting.was, parting.now) {
                (Some(was), Some(now)) if was == now => {
                    format!(
                        ": agent {agent} at {} differs below a centimetre",
                        place(now)
                    )
                }
                (Some(was), Some(now)) => {
                    format!(
                        ": agent {agent} was at {}, is at {}",
                        place(was),
                        place(now)
                    )
                }
                (Some(was), None) => format!(": agent {agent} was at {}, is gone", place(was)),
                (None, Some(now)) => format!(": agent {agent} is at {}, was not there", place(now)),
                (None, None) => String::new(),
            };
            if parting.agents > 1 {
                line += &format!(", and {} more differ then", parting.agents - 1);
            }
        }
        lines.push(line);
    }
    lines.extend(found.lacking.clone());
    lines
}

/// What is shown of a scenario.
fn told(shown: &str, study: &Study, report: &Report, explained: &[Explained]) -> String {
    let c = report.counts();
    let mut text = format!(
        "{shown}: {} combinations, {} equal",
        report.rows.len(),
        c.equal
    );
    for (count, word) in [
        (c.changed, "changed"),
        (c.new, "new"),
        (c.missing, "missing"),
        (c.failed, "failed"),
    ] {
        if count > 0 {
            text += &format!(", {count} {word}");
        }
    }
    text += &format!("; {} refused\n", c.refused);
    if c.other_bits > 0 {
        text += &format!(
            "  {} have the stored figures with other bits: another build stored them\n",
            c.other_bits
        );
    }
    let dt = study.loaded().scenario.dt;
    let differing = || {
        report
            .rows
            .iter()
            .enumerate()
            .filter(|(_, r)| r.verdict.differs() || matches!(r.verdict, Verdict::Failed(_)))
    };
    // New ones have nothing to be compared with: their number says enough.
    let listed = differing().filter(|(_, r)| r.verdict != Verdict::New);
    for (i, row) in listed.clone().take(SHOWN) {
        text += &format!("  {:8} {}\n", row.verdict.word(), row.case.name);
        if let Verdict::Failed(why) = &row.verdict {
            text += &format!("           {why}\n");
        }
        for moved in moves(row) {
            text += &format!("           {moved}\n");
        }
        if let Some(e) = explained.iter().find(|e| e.row == i) {
            for line in parts_at(&e.found, dt) {
                text += &format!("           {line}\n");
            }
            if let Some(page) = &e.page {
                text += &format!("           watch {} in a browser\n", page.display());
            }
        }
    }
    let more = listed.count().saturating_sub(SHOWN);
    if more > 0 {
        text += &format!("  and {more} more; --filter shows some, --json all\n");
    }
    for (why, count) in report.refusals() {
        text += &format!("  refused {count}: {why}\n");
    }
    text
}

/// Stores what the user wants stored; tells how many.
fn accepting(
    args: &SnapshotArgs,
    study: &Study,
    store: &Store,
    report: &Report,
    explained: &[Explained],
) -> Result<usize, Failure> {
    let wanted: Vec<bool> = match (args.accept, args.review) {
        (true, _) => vec![true; report.rows.len()],
        (false, true) => review(study, report, explained),
        (false, false) => return Ok(0),
    };
    let names: std::collections::BTreeSet<&str> = report
        .rows
        .iter()
        .zip(&wanted)
        .filter(|(_, wanted)| **wanted)
        .map(|(row, _)| row.case.name.as_str())
        .collect();
    let counting = Counting::new("recording", args.quiet);
    let done = accept(
        study,
        store,
        report,
        |row| names.contains(row.case.name.as_str()),
        |done, of| counting.show(done, of),
    );
    counting.finish();
    let done = done.map_err(Failure::run)?;
    if done.without_track > 0 {
        console::err(&format!(
            "note: {} holds a gibibyte: {} runs are not recorded there; if one changes, the step \
             is told, not the agent. Smaller steps or agents in [snapshot] take less",
            store.folder().join(".recorded").display(),
            done.without_track
        ));
    }
    Ok(done.combinations)
}

/// Asks for each difference whether it is to be stored.
fn review(study: &Study, report: &Report, explained: &[Explained]) -> Vec<bool> {
    let mut wanted = vec![false; report.rows.len()];
    let dt = study.loaded().scenario.dt;
    let mut all = false;
    let mut lines = stdin().lock().lines();
    for (i, row) in report.rows.iter().enumerate() {
        if !row.verdict.differs() {
            continue;
        }
        if all {
            wanted[i] = true;
            continue;
        }
        console::err(&format!("\n{} {}", row.verdict.word(), row.case.name));
        for moved in moves(row) {
            console::err(&format!("  {moved}"));
        }
        if let Some(e) = explained.iter().find(|e| e.row == i) {
            for line in parts_at(&e.found, dt) {
                console::err(&format!("  {line}"));
            }
            if let Some(page) = &e.page {
                console::err(&format!("  watch {} in a browser", page.display()));
            }
        }
        if let (Verdict::New, Some(outcome)) = (&row.verdict, &row.outcome) {
            console::err(&format!("  {}", outcome.line().unwrap_or_default()));
        }
        loop {
            console::err("  [a]ccept, [s]kip, accept [all] that follow, [q]uit?");
            match lines.next().and_then(Result::ok).as_deref().map(str::trim) {
                Some("a") => wanted[i] = true,
                Some("all") => (wanted[i], all) = (true, true),
                Some("s") => {}
                Some("q") | None => return wanted,
                Some(_) => continue,
            }
            break;
        }
    }
    wanted
}

fn document(
    shown: &str,
    store: &Store,
    report: &Report,
    explained: &[Explained],
    accepted: usize,
) -> Value {
    let rows: Vec<Value> = report
        .rows
        .iter()
        .enumerate()
        .filter(|(_, r)| {
            r.verdict != Verdict::Equal || matches!(r.outcome, Some(Outcome::Refused(_)))
        })
        .map(|(i, row)| {
            let mut row_document = json!({
                "name": row.case.name,
                "status": row.verdict.word(),
                "moves": moves(row),
            });
            if let Verdict::Failed(why) = &row.verdict {
                row_document["failed"] = why.as_str().into();
            }
            if let Some(Outcome::Refused(why)) = &row.outcome {
                row_document["refused"] = why.as_str().into();
            }
            if let Some(e) = explained.iter().find(|e| e.row == i) {
                row_document["parting"] = e.found.parting.map_or(Value::Null, |p| {
                    json!({
                        "step": p.step, "agent": p.agent, "agents": p.agents,
                        "was": p.was.map(|v| v.to_array()), "now": p.now.map(|v| v.to_array()),
                    })
                });
                row_document["lacking"] = json!(e.found.lacking);
                row_document["page"] = json!(e.page.as_ref().map(|p| p.display().to_string()));
            }
            row_document
        })
        .collect();
    json!({
        "scenario": shown,
        "store": store.folder().display().to_string(),
        "combinations": report.rows.len(),
        "counts": report.counts(),
        "refusals": report.refusals(),
        "stored_by": report.stored.builds(),
        "accepted": accepted,
        "rows": rows,
    })
}
