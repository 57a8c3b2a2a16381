//! Runs the combinations of a study and compares each with what is stored.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
};

use throng_core::Slot;

use super::{
    cases::Case,
    compare::{Move, Verdict, compare},
    journal::Journal,
    parallel::side_by_side,
    store::{Digest, Store, StoreError, Stored, build, is_matrix},
    study::{Keep, Outcome, Study},
    track::{Parting, Track},
};

/// Which combinations are run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Slots that vary, each with its ids; all that the scenario says where none is named.
    pub vary: Vec<(Slot, Vec<String>)>,
    /// Texts of which a name must contain one; every name if there are none.
    pub filter: Vec<String>,
}

impl Selection {
    fn takes(&self, name: &str) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|f| name.contains(f.as_str()))
    }

    /// The cases of a study that are selected: the star, then the matrix.
    pub fn cases(&self, study: &Study) -> Vec<Case> {
        let scenario = &study.loaded().scenario;
        let axes = match self.vary.is_empty() {
            true => study.axes().clone(),
            false => study.axes().narrowed(&self.vary),
        };
        let mut cases = axes.star(scenario);
        cases.extend(axes.matrix(scenario));
        cases.retain(|c| self.takes(&c.name));
        cases
    }
}

/// A combination and how it stands.
#[derive(Clone, Debug)]
pub struct Row {
    /// The case.
    pub case: Case,
    /// How it ended; nothing if it is missing.
    pub outcome: Option<Outcome>,
    /// How that stands to what is stored.
    pub verdict: Verdict,
}

/// A study compared with what is stored.
#[derive(Clone, Debug)]
pub struct Report {
    /// Every combination.
    pub rows: Vec<Row>,
    /// What was stored.
    pub stored: Stored,
    /// How many outcomes an unfinished check had left behind.
    pub resumed: usize,
}

/// How many combinations stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// As stored; refused ones and those of other bits among them.
    pub equal: usize,
    /// Equal figures by another build, whose bits differ.
    pub other_bits: usize,
    /// Refused now, whatever was stored.
    pub refused: usize,
    /// Not stored yet.
    pub new: usize,
    /// Moved.
    pub changed: usize,
    /// Stored and there no more.
    pub missing: usize,
    /// Failed.
    pub failed: usize,
}

impl Report {
    /// How many stand how.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for row in &self.rows {
            match row.verdict {
                Verdict::Equal => counts.equal += 1,
                Verdict::OtherBits => {
                    counts.equal += 1;
                    counts.other_bits += 1;
                }
                Verdict::New => counts.new += 1,
                Verdict::Changed(_) => counts.changed += 1,
                Verdict::Missing => counts.missing += 1,
                Verdict::Failed(_) => counts.failed += 1,
            }
            counts.refused += usize::from(matches!(row.outcome, Some(Outcome::Refused(_))));
        }
        counts
    }

    /// Why combinations are refused, with how many of each.
    pub fn refusals(&self) -> BTreeMap<String, usize> {
        let mut reasons = BTreeMap::new();
        for row in &self.rows {
            if let Some(Outcome::Refused(why)) = &row.outcome {
                *reasons.entry(why.clone()).or_default() += 1;
            }
        }
        reasons
    }
}

/// Runs what is selected and compares it. `progress` hears how many of how many are done.
pub fn check(
    study: &Study,
    store: &Store,
    selection: &Selection,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Report, StoreError> {
    let stored = store.load()?;
    let cases = selection.cases(study);
    let (journal, before) = Journal::open(store.folder(), &study.hash());
    let (was_done, to_do): (Vec<Case>, Vec<Case>) =
        (cases.iter().cloned()).partition(|c| before.contains_key(&c.name));
    let done = AtomicUsize::new(was_done.len());
    progress(was_done.len(), cases.len());
    let outcomes = study.run_all(&to_do, Keep::Figures, |case, outcome, _| {
        journal.note(&case.name, outcome);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, cases.len());
    });
    let mut all = before;
    all.extend(to_do.iter().map(|c| c.name.clone()).zip(outcomes));
    let mut rows: Vec<Row> = Vec::with_capacity(cases.len());
    for case in cases {
        let outcome = all.remove(&case.name);
        let outcome = outcome.unwrap_or_else(|| Outcome::Broken("it was not run".into()));
        let text = stored.texts.get(&case.name).map(String::as_str);
        let digest = stored.digests.get(&case.name);
        let verdict = compare(
            text,
            &outcome,
            is_matrix(&case.name),
            study.tolerance(),
            digest.map(|d| (d.bits, d.build == build())),
        );
        rows.push(Row {
            case,
            outcome: Some(outcome),
            verdict,
        });
    }
    // Whatever is stored and belongs to no combination of the whole study is missing.
    let whole: BTreeSet<String> = study
        .star()
        .into_iter()
        .chain(study.matrix())
        .map(|c| c.name)
        .collect();
    let there: BTreeSet<String> = rows.iter().map(|r| r.case.name.clone()).collect();
    for name in stored.texts.keys().filter(|n| selection.takes(n)) {
        if !whole.contains(name) && !there.contains(name) {
            rows.push(Row {
                case: Case::of_sets(name, Vec::new()),
                outcome: None,
                verdict: Verdict::Missing,
            });
        }
    }
    journal.finish();
    Ok(Report {
        rows,
        stored,
        resumed: was_done.len(),
    })
}

/// Tracks beyond this many bytes are not recorded.
const MOST_RECORDED: u64 = 1 << 30;

/// What was accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// Combinations that are stored now as they were seen.
    pub combinations: usize,
    /// Runs whose tracks were not recorded, since there are a gibibyte of them already: of these a
    /// later difference tells the step, not the agent.
    pub without_track: usize,
}

/// Stores what was seen instead of what was stored, for the rows that `which` takes; what failed
/// is never stored. Tracks of them and of equal ones that have none are recorded.
pub fn accept(
    study: &Study,
    store: &Store,
    report: &Report,
    which: impl Fn(&Row) -> bool,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Accepted, StoreError> {
    let mut stored = report.stored.clone();
    let mut accepted = 0;
    let mut record: Vec<&Row> = Vec::new();
    for row in &report.rows {
        let name = &row.case.name;
        if row.verdict.differs() && which(row) {
            accepted += 1;
            let text = row.outcome.as_ref().and_then(|o| match is_matrix(name) {
                true => o.line(),
                false => o.text(),
            });
            match text {
                Some(text) => stored.texts.insert(name.clone(), text),
                None => stored.texts.remove(name),
            };
        } else if row.verdict.differs() || matches!(row.verdict, Verdict::Failed(_)) {
            continue;
        }
        match &row.outcome {
            Some(Outcome::Ran(figures)) => {
                let digest = Digest {
                    build: build().to_owned(),
                    bits: figures.bits,
                    trace: figures.trace.clone(),
                };
                stored.digests.insert(name.clone(), digest);
                if !store.has_track(name, figures.bits) {
                    record.push(row);
                }
            }
            _ => {
                stored.digests.remove(name);
            }
        }
    }
    let source = study.path().file_name().unwrap_or_default();
    store.save(&stored, &source.to_string_lossy())?;
    if !record.is_empty() {
        store.open_tracks()?;
    }
    let done = AtomicUsize::new(0);
    let recorded = AtomicU64::new(store.recorded());
    let results = side_by_side(&record, study.at_once(), |row| {
        let mut kept = Ok(0);
        if recorded.load(Ordering::Relaxed) < MOST_RECORDED
            && let (Outcome::Ran(figures), Some(track)) = study.run(&row.case, Keep::Track)
        {
            kept = store.save_track(&row.case.name, figures.bits, &track);
            recorded.fetch_add(*kept.as_ref().unwrap_or(&0), Ordering::Relaxed);
        }
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, record.len());
        kept.map(|bytes| usize::from(bytes > 0))
    });
    let mut tracks = 0;
    for result in results {
        tracks += result?;
    }
    Ok(Accepted {
        combinations: accepted,
        without_track: record.len() - tracks,
    })
}

/// Why a combination changed: where the two runs part, and what is known of the old one.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// Where they part; nothing if that cannot be told or they do not.
    pub parting: Option<Parting>,
    /// The accepted run, if its track is here.
    pub was: Option<Track>,
    /// The run now.
    pub now: Option<Track>,
    /// What is not known, and what would tell it.
    pub lacking: Option<String>,
}

/// Runs a combination again and finds where it parts from the accepted run.
pub fn explain(study: &Study, store: &Store, stored: &Stored, case: &Case) -> Explanation {
    let (outcome, now) = study.run(case, Keep::Track);
    let digest = stored.digests.get(&case.name);
    let was = digest.and_then(|d| store.load_track(&case.name, d.bits));
    let mut parting = None;
    let mut lacking = None;
    match (&was, &now, digest) {
        (Some(was), Some(now), _) => parting = Track::parting(was, now),
        (None, Some(_), Some(Digest { trace, .. })) => {
            if let Outcome::Ran(figures) = &outcome {
                let both = trace.iter().zip(&figures.trace);
                let step = both.enumerate().find(|(_, (a, b))| a != b).map(|(i, _)| i);
                let shorter = trace.len().min(figures.trace.len());
                let step = step.or((trace.len() != figures.trace.len()).then_some(shorter));
                parting = step.map(|i| Parting {
                    step: i as u64 + 1,
                    agent: None,
                    agents: 0,
                    was: None,
                    now: None,
                });
            }
            lacking = Some(format!(
                "the agent, and the old run beside the new one, need the accepted run's track: at \
                 the revision that accepted it, run `throng snapshot {} --accept`, which leaves \
                 {}, and come back",
                study.path().display(),
                store.folder().join(".recorded").display(),
            ));
        }
        (None, Some(_), None) => {
            lacking = Some(format!(
                "no digests are stored of it: accept with `throng snapshot`, which keeps them in {}",
                store.folder().join("digests.txt").display()
            ));
        }
        (_, None, _) => lacking = Some("it does not run now".into()),
    }
    Explanation {
        parting,
        was,
        now,
        lacking,
    }
}

/// The figures that moved, of a row that changed.
pub fn moves(row: &Row) -> &[Move] {
    match &row.verdict {
        Verdict::Changed(moves) => moves,
        _ => &[],
    }
}
