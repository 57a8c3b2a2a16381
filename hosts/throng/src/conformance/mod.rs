//! What the engine counts on, as checks that any strategy can be put to: linked in or loaded from
//! a library, one of ours or yours.
//!
//! [`check`] puts one strategy to the checks of its slot; a test of a strategy's own crate is one
//! line, and `throng conform LIBRARY` does the same for every strategy of a library:
//!
//! ```
//! use throng::{conformance, core::Slot};
//!
//! conformance::check(&throng::registry(), Slot::Avoidance, "orca").assert();
//! ```
//!
//! Every slot: *documented* (texts for `throng describe`), *options* (defaults, ends and words of
//! every option are taken and come back; unknown ones are refused), *run* (a crowd walks through
//! rooms, and the digest is the same on one thread and on three, twice). Beyond these each slot has
//! checks of its own, one file each: answers that are finite and within bounds, that do not depend
//! on the order or the batch they were asked in, that are the same the next time and from another
//! instance, and memory that does not grow from call to call.

mod avoidance;
mod cost;
mod crowd;
mod nav;
mod planner;
mod scene;

use core::fmt;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{PoisonError, RwLock},
    time::Duration,
};

use throng_core::{
    Slot,
    options::{OptionKind, OptionSpec},
};
use throng_engine::{
    Registry, plugin,
    registry::{AnyStrategy, Strategy},
};

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// As it should.
    Passed,
    /// With this expected and that found.
    Failed(String),
    /// It could not be made here, for this reason.
    Skipped(String),
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, one word.
    pub name: &'static str,
    /// How it ended.
    pub outcome: Outcome,
}

/// What the checks of a strategy gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The slot.
    pub slot: Slot,
    /// The strategy's id.
    pub id: String,
    /// The checks, in the order they were made.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether no check failed.
    pub fn passed(&self) -> bool {
        self.failures().next().is_none()
    }

    /// The checks that failed: name and reason.
    pub fn failures(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.checks.iter().filter_map(|check| match &check.outcome {
            Outcome::Failed(reason) => Some((check.name, reason.as_str())),
            _ => None,
        })
    }

    /// Panics with the report if a check failed: for tests.
    #[track_caller]
    pub fn assert(&self) {
        assert!(self.passed(), "\n{self}");
    }

    fn new(slot: Slot, id: &str) -> Report {
        Report {
            slot,
            id: id.to_owned(),
            checks: Vec::new(),
        }
    }

    /// Makes a check; a panic fails it.
    fn add(&mut self, name: &'static str, check: impl FnOnce() -> Verdict) {
        let _beside = ALONE.read().unwrap_or_else(PoisonError::into_inner);
        self.make(name, check);
    }

    /// Makes a check while no other is being made in this process.
    fn add_alone(&mut self, name: &'static str, check: impl FnOnce() -> Verdict) {
        let _alone = ALONE.write().unwrap_or_else(PoisonError::into_inner);
        self.make(name, check);
    }

    fn make(&mut self, name: &'static str, check: impl FnOnce() -> Verdict) {
        let outcome = match catch_unwind(AssertUnwindSafe(check)) {
            Ok(Ok(())) => Outcome::Passed,
            Ok(Err(Unmet::Failed(reason))) => Outcome::Failed(reason),
            Ok(Err(Unmet::Skipped(reason))) => Outcome::Skipped(reason),
            Err(panic) => {
                let text = panic
                    .downcast_ref::<&str>()
                    .map(|text| (*text).to_owned())
                    .or_else(|| panic.downcast_ref::<String>().cloned());
                Outcome::Failed(format!("it panicked: {}", text.unwrap_or_default()))
            }
        };
        self.checks.push(Check { name, outcome });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}/{}", self.slot.name(), self.id)?;
        for Check { name, outcome } in &self.checks {
            match outcome {
                Outcome::Passed => writeln!(f, "  {name}: passed")?,
                Outcome::Failed(reason) => writeln!(f, "  {name}: FAILED: {reason}")?,
                Outcome::Skipped(reason) => writeln!(f, "  {name}: skipped: {reason}")?,
            }
        }
        Ok(())
    }
}

/// Why a check did not pass.
enum Unmet {
    Failed(String),
    Skipped(String),
}

impl From<String> for Unmet {
    fn from(reason: String) -> Unmet {
        Unmet::Failed(reason)
    }
}

type Verdict = Result<(), Unmet>;

/// Held by every check, alone by those that measure what the whole process does: the tests of a
/// program run side by side.
static ALONE: RwLock<()> = RwLock::new(());

/// Fails a check with a reason unless a condition holds.
macro_rules! ensure {
    ($holds:expr, $($reason:tt)+) => {
        if !$holds {
            return Err(format!($($reason)+).into());
        }
    };
}
use ensure;

/// Puts a strategy of a registry to the checks of its slot. The others of the registry fill the
/// other slots: pass [`throng::registry`](crate::registry()) with yours in it.
pub fn check(registry: &Registry, slot: Slot, id: &str) -> Report {
    let mut report = Report::new(slot, id);
    let Some(strategy) = registry.find(slot, id) else {
        report.add("registered", || {
            let known: Vec<_> = registry.of(slot).map(|s| s.id.as_str()).collect();
            let slot = slot.name();
            Err(format!("there is no {slot} {id:?}; known are {}", known.join(", ")).into())
        });
        return report;
    };
    report.add("documented", || documented(strategy));
    report.add("options", || options(strategy));
    match slot {
        Slot::Avoidance => avoidance::check(strategy, &mut report),
        Slot::Cost => cost::check(strategy, &mut report),
        Slot::Nav => nav::check(registry, strategy, &mut report),
        Slot::Planner => planner::check(registry, strategy, &mut report),
        Slot::Lod | Slot::Group => crowd::check(registry, strategy, &mut report),
    }
    report.add("run", || scene::run(registry, strategy));
    report
}

fn documented(strategy: &Strategy) -> Verdict {
    for (what, text) in [
        ("about", &strategy.about),
        ("when", &strategy.when),
        ("when_not", &strategy.when_not),
        ("growth", &strategy.growth),
        ("version", &strategy.version),
    ] {
        ensure!(!text.trim().is_empty(), "it has no text for {what}");
    }
    for option in &strategy.options {
        ensure!(
            !option.about.trim().is_empty(),
            "option {} has no text",
            option.name
        );
    }
    Ok(())
}

fn make(strategy: &Strategy, table: &toml::Table) -> Result<AnyStrategy, Unmet> {
    let shown = table.to_string();
    strategy.create(table).map_err(|e| {
        let with = match shown.trim() {
            "" => "with defaults".to_owned(),
            options => format!("with {}", options.replace('\n', ", ")),
        };
        Unmet::Failed(format!("it cannot be made {with}: {e}"))
    })
}

/// Tables with one option each at an end of its range or at one of its words, the default first.
fn edges(strategy: &Strategy) -> Vec<toml::Table> {
    let mut tables = vec![toml::Table::new()];
    for option in &strategy.options {
        let ends: Vec<toml::Value> = match &option.kind {
            OptionKind::Number { min, max } => [*min, *max]
                .into_iter()
                .filter(|end| end.is_finite())
                .map(Into::into)
                .collect(),
            OptionKind::Integer { min, max } => [*min, *max]
                .into_iter()
                .filter(|end| end.abs() < i64::from(u32::MAX))
                .map(Into::into)
                .collect(),
            OptionKind::Switch => vec![true.into(), false.into()],
            OptionKind::Choice(words) => words.iter().map(|word| (*word).into()).collect(),
            _ => Vec::new(),
        };
        tables.extend(ends.into_iter().map(|end| {
            let mut table = toml::Table::new();
            table.insert(option.name.to_owned(), end);
            table
        }));
    }
    tables
}

fn options(strategy: &Strategy) -> Verdict {
    let effective = |table: &toml::Table| {
        make(strategy, table)?;
        let written = strategy.effective(table);
        written.map_err(|e| Unmet::Failed(format!("its options cannot be written: {e}")))
    };
    let same = |option: &OptionSpec, a: &toml::Value, b: &toml::Value| match (&option.kind, a, b) {
        // Options of 32 bits come back as they are kept.
        (OptionKind::Number { .. }, a, b) => {
            let number = |v: &toml::Value| v.as_float().or(v.as_integer().map(|i| i as f64));
            matches!((number(a), number(b)), (Some(a), Some(b)) if a as f32 == b as f32)
        }
        (_, a, b) => a == b,
    };
    for table in edges(strategy) {
        let whole = effective(&table)?;
        for option in &strategy.options {
            let name = option.name;
            let Some(written) = whole.get(name) else {
                return Err(format!("option {name} is not among those it writes back").into());
            };
            if let Some(given) = table.get(name) {
                ensure!(
                    same(option, given, written),
                    "option {name} was given as {given} and comes back as {written}"
                );
            }
        }
        let again = effective(&whole)?;
        ensure!(
            again == whole,
            "what it writes back of its options is not taken as it was: {whole} and then {again}"
        );
    }
    let mut unknown = toml::Table::new();
    unknown.insert("no-such-option".into(), 1.into());
    ensure!(
        strategy.create(&unknown).is_err(),
        "it takes an option no-such-option, which it does not declare"
    );
    for option in &strategy.options {
        let mut wrong = toml::Table::new();
        wrong.insert(option.name.to_owned(), vec![1, 2].into());
        ensure!(
            strategy.create(&wrong).is_err(),
            "it takes a list for option {}",
            option.name
        );
    }
    Ok(())
}

/// Whether memory stays the same over many calls of `work`. Threads that make no check allocate and
/// free meanwhile, so that only what grows in every window counts, now and again a little later.
fn steady(mut work: impl FnMut()) -> Verdict {
    const CALLS: usize = 24;
    const WINDOWS: usize = 8;
    const PAUSES: [u64; 5] = [0, 10, 20, 40, 80];
    (0..CALLS).for_each(|_| work());
    let mut least = usize::MAX;
    for pause in PAUSES {
        std::thread::sleep(Duration::from_millis(pause));
        for _ in 0..WINDOWS {
            let Some(before) = plugin::allocated() else {
                let reason = "this system does not tell how much is allocated";
                return Err(Unmet::Skipped(reason.into()));
            };
            (0..CALLS).for_each(|_| work());
            let after = plugin::allocated().unwrap_or(before);
            least = least.min(after.saturating_sub(before));
        }
        if least < 8 * CALLS {
            return Ok(());
        }
    }
    let each = least / CALLS;
    Err(format!("its memory grows by {each} bytes with every call").into())
}

/// What a strategy says went wrong, as a failure.
fn no_fault(fault: Option<String>) -> Verdict {
    fault.map_or(Ok(()), |text| Err(Unmet::Failed(text)))
}
