//! Snapshots of behaviour across combinations of strategies: what we test ourselves with, for
//! users' own scenarios.
//!
//! A *star* is a scenario's own combination, and that with one slot changed at a time: one small
//! readable text each. A *matrix* is every combination of map, planner, cost and avoidance, one
//! line each; a refused combination is a line with its reason. Invariants are asserted before any
//! text exists, so that nobody can approve a broken run. Figures are rounded for reading; exact
//! bits are compared where the same build made both.
//!
//! [`Study`] makes a scenario ready and runs cases over its shared ground and maps, [`cases`] says
//! which there are, [`figures`] what is written of a run, [`store`] where it is kept, [`compare`]
//! what moved, [`check`] does it all, and [`track`] finds where two runs part. `throng snapshot` is the command,
#![cfg_attr(
    feature = "insta",
    doc = "[`assert_snapshots`] the function for `cargo test`."
)]
#![cfg_attr(
    not(feature = "insta"),
    doc = "the feature `insta` has a function for `cargo test`."
)]
//!
//! ```no_run
//! use throng::{LoadOptions, snapshot::{Selection, Store, Study, check}};
//!
//! let study = Study::open("hall.toml".as_ref(), &LoadOptions::default())?;
//! let store = Store::of(study.path(), None); // hall.snapshots
//! let report = check(&study, &store, &Selection::default(), |_, _| {})?;
//! println!("{:?}", report.counts());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod cases;
mod check;
pub mod compare;
pub mod figures;
mod journal;
mod parallel;
pub mod store;
mod study;
#[cfg(feature = "insta")]
mod testing;
pub mod track;

pub use cases::{Axes, Case, chosen, put};
pub use check::{
    Accepted, Counts, Explanation, Report, Row, Selection, accept, check, explain, moves,
};
pub use compare::{Move, Verdict};
pub use figures::Figures;
pub use parallel::side_by_side;
pub use store::{Store, StoreError, Stored};
pub use study::{Extent, Keep, Outcome, Study, invariants, watch};
#[cfg(feature = "insta")]
pub use testing::{Snapshots, assert_snapshots};
pub use track::Track;
