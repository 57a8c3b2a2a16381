//! Strategies from dynamic libraries.
//!
//! [`load`] opens a library and gives registry entries of the ordinary kind; the strategies that
//! they make implement the ordinary traits, so nothing else in the engine can tell. One file per
//! question: `file` (is this file a library for this machine at all, and who may change it),
//! `allow` (did the user list it), `image` (the bytes that are loaded are those that were hashed),
//! `load` (entry, versions, descriptors), `schema` (options), `host` (callbacks for libraries),
//! `watch` (calls that do not return), `heap` (what the process has allocated), `instance` (what
//! every loaded strategy has: calls, faults), `columns` and `scratch` (arrays and memory), `site`
//! and `world` (what libraries are shown, and answers about it), `drawing` (maps as they come in),
//! and one per slot: `nav`, `planner`, `cost`, `avoidance`, `lod`, `group`.
//!
//! # Trust
//!
//! A library is native code: it can do whatever the process may do. The checks here turn honest
//! mistakes into clear messages; they are no fence against malice. What runs is what was hashed:
//! on Linux the file is read once, hashed, and loaded from sealed memory, so that neither a swap
//! between check and load nor a later change of the file reaches the process. Elsewhere it is
//! hashed again after it was loaded, which finds a swap that is still there; one that was taken
//! back in between goes unseen. Libraries that the library itself links are found and opened by
//! the system's loader, and are not hashed.
//!
//! A library is never unloaded: its thread-local destructors and threads may outlive every use of
//! it. The same bytes are loaded once in a process.

#![allow(unsafe_code)]

mod allow;
mod avoidance;
mod columns;
mod cost;
mod drawing;
mod error;
mod file;
mod group;
mod heap;
mod host;
mod image;
mod instance;
mod intern;
mod load;
mod lod;
mod nav;
mod planner;
mod schema;
mod scratch;
mod site;
#[cfg(test)]
mod slot_tests;
#[cfg(test)]
mod tests;
mod watch;
mod world;

pub use allow::{AllowList, AllowListError};
pub use avoidance::ForeignAvoidance;
pub use cost::ForeignCost;
pub use error::PluginError;
pub use group::ForeignGroup;
pub use heap::allocated;
pub use host::{connect, request_stop};
pub use load::{Library, load, load_listed};
pub use lod::ForeignLod;
pub use nav::ForeignNav;
pub use planner::ForeignPlanner;
pub use watch::{Overdue, Watchdog, watch};
