//! Snapshots in `cargo test`, through the crate `insta`.

use std::path::{Path, PathBuf};

use throng_core::Slot;
use throng_engine::scenario::SnapshotSpec;

use super::{
    cases::Case,
    check::Selection,
    compare,
    store::{Store, Stored, file_of, is_matrix, matrix_line},
    study::{Keep, Outcome, Study},
};
use crate::load::LoadOptions;

/// What a test runs and where its snapshots are.
///
/// Snapshots that the current `insta` settings describe (redactions by filters, descriptions) are
/// described so here too: bind them around [`assert_snapshots`]. `cargo insta review` reviews what
/// differs, and `throng snapshot` on the same scenario reads the same files.
#[derive(Clone, Debug)]
pub struct Snapshots {
    scenario: PathBuf,
    inside: Option<PathBuf>,
    options: LoadOptions,
    size: Option<SnapshotSpec>,
    selection: Selection,
    star: bool,
    matrix: bool,
}

impl Snapshots {
    /// Those of a scenario; the path is relative to where the test runs, its package's folder.
    pub fn of(scenario: impl Into<PathBuf>) -> Snapshots {
        Snapshots {
            scenario: scenario.into(),
            inside: None,
            options: LoadOptions::default(),
            size: None,
            selection: Selection::default(),
            star: true,
            matrix: true,
        }
    }

    /// Keeps the snapshots in a folder of the scenario's name inside another one.
    pub fn inside(mut self, folder: impl Into<PathBuf>) -> Snapshots {
        self.inside = Some(folder.into());
        self
    }

    /// Other options of loading, such as libraries.
    pub fn options(mut self, options: LoadOptions) -> Snapshots {
        self.options = options;
        self
    }

    /// A change to the scenario, as `key=value`.
    pub fn set(mut self, change: impl Into<String>) -> Snapshots {
        self.options.sets.push(change.into());
        self
    }

    /// So many people at most and so many steps, instead of what the scenario says.
    pub fn size(mut self, agents: u64, steps: u64) -> Snapshots {
        self.size = Some(SnapshotSpec {
            agents,
            steps,
            ..self.size.unwrap_or_default()
        });
        self
    }

    /// Varies a slot over some strategies. Slots that are not named keep the scenario's own as
    /// soon as one is.
    pub fn vary<'a>(mut self, slot: Slot, ids: impl IntoIterator<Item = &'a str>) -> Snapshots {
        let ids = ids.into_iter().map(str::to_owned).collect();
        self.selection.vary.push((slot, ids));
        self
    }

    /// Varies a slot over every strategy that there is.
    pub fn vary_all(mut self, slot: Slot) -> Snapshots {
        let ids = crate::registry();
        let ids = ids.of(slot).map(|s| s.id.clone()).collect();
        self.selection.vary.push((slot, ids));
        self
    }

    /// The star alone.
    pub fn star_only(mut self) -> Snapshots {
        self.matrix = false;
        self
    }

    /// The matrix alone.
    pub fn matrix_only(mut self) -> Snapshots {
        self.star = false;
        self
    }
}

/// Runs every combination and asserts the snapshot of each: one per case of the star, one per map
/// of the matrix. Gives how many ran and how many were refused.
///
/// # Panics
/// If the scenario cannot be loaded, a run breaks an invariant, or a snapshot differs beyond the
/// tolerances of the scenario's `[snapshot]` table.
pub fn assert_snapshots(snapshots: &Snapshots) -> (usize, usize) {
    let mut study = Study::open(&snapshots.scenario, &snapshots.options)
        .unwrap_or_else(|e| panic!("{}: {e}", snapshots.scenario.display()));
    if let Some(size) = &snapshots.size {
        study = study.sized(|spec| (spec.agents, spec.steps) = (size.agents, size.steps));
    }
    let store = Store::of(study.path(), snapshots.inside.as_deref());
    let stored = store.load().unwrap_or_else(|e| panic!("{e}"));
    let mut cases = snapshots.selection.cases(&study);
    cases.retain(|c| match is_matrix(&c.name) {
        true => snapshots.matrix,
        false => snapshots.star,
    });
    let outcomes = study.run_all(&cases, Keep::Figures, |_, _, _| {});
    let refused = |o: &&Outcome| matches!(o, Outcome::Refused(_));
    let count = outcomes.iter().filter(refused).count();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path(absolute(store.folder()));
    let pairs: Vec<(&Case, &Outcome)> = cases.iter().zip(&outcomes).collect();
    // Every snapshot is asserted before the test fails, so that one review sees them all.
    let mut failures = Vec::new();
    for group in pairs.chunk_by(|a, b| file_of(&a.0.name) == file_of(&b.0.name)) {
        let name = file_of(&group[0].0.name);
        let text: String = group
            .iter()
            .map(|(c, o)| written(&study, &stored, c, o))
            .collect();
        let assertion = || settings.bind(|| insta::assert_snapshot!(name, text));
        if let Err(failure) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(assertion)) {
            failures.push(failure);
        }
    }
    if let Some(first) = failures.into_iter().next() {
        std::panic::resume_unwind(first);
    }
    (outcomes.len() - count, count)
}

/// The text of a case: the stored one while figures are within their tolerances.
fn written(study: &Study, stored: &Stored, case: &Case, outcome: &Outcome) -> String {
    let matrix = is_matrix(&case.name);
    let text = match matrix {
        true => outcome.line(),
        false => outcome.text(),
    };
    let text = match (text, outcome) {
        (Some(text), _) => text,
        (None, Outcome::Broken(why)) => panic!("{} {}: {why}", study.name(), case.name),
        (None, _) => String::new(),
    };
    let old = stored.texts.get(&case.name);
    let text = match old.filter(|old| compare::texts(old, &text, study.tolerance()).is_empty()) {
        Some(old) => old.clone(),
        None => text,
    };
    match matrix {
        true => matrix_line(&case.name, &text),
        false => text,
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
