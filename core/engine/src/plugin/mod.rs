//! Strategies from dynamic libraries.
//!
//! [`load`] opens a library and gives registry entries of the ordinary kind; the strategies that
//! they make implement the ordinary traits, so nothing else in the engine can tell. One file per
//! question: `file` (is this file a library for this machine at all), `load` (entry, versions,
//! descriptors), `schema` (options), `host` (callbacks for libraries), `instance` (what every
//! loaded strategy has: calls, faults), `avoidance` and `cost` (the slots).
//!
//! # Trust
//!
//! A library is native code: it can do whatever the process may do. The checks here turn honest
//! mistakes into clear messages; they are no fence against malice. A library is never unloaded:
//! its thread-local destructors and threads may outlive every use of it.

#![allow(unsafe_code)]

mod avoidance;
mod cost;
mod error;
mod file;
mod host;
mod instance;
mod intern;
mod load;
mod schema;
#[cfg(test)]
mod tests;

pub use avoidance::ForeignAvoidance;
pub use cost::ForeignCost;
pub use error::PluginError;
pub use host::{connect, request_stop};
pub use load::{Library, load};
