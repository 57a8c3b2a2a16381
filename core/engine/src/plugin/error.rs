//! Why a library could not be used.

use std::{
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    path::PathBuf,
};

use thiserror::Error;

/// Why a library could not be used. Every message names the library; unless it says otherwise,
/// the library's author or whoever built it must act.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PluginError {
    /// The file cannot be read: the user corrects the path or the rights.
    #[error("{}: cannot be read: {source}", library.display())]
    Unreadable {
        /// The library.
        library: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Anybody may write to the file or to a folder above it: the user takes that right away
    /// (`chmod o-w`).
    #[error(
        "{}: everybody may write to {}, so it is not loaded; take that right away (chmod o-w)",
        library.display(), open.display()
    )]
    WorldWritable {
        /// The library.
        library: PathBuf,
        /// The file or folder that is open to everybody.
        open: PathBuf,
    },
    /// The user's list does not name it: the user adds a line, if the library is to be trusted.
    #[error(
        "{}: {} does not name it; to allow it, add the line \"{found}  {}\"",
        library.display(), list.display(), library.display()
    )]
    NotListed {
        /// The library.
        library: PathBuf,
        /// The list.
        list: PathBuf,
        /// SHA-256 of the file.
        found: String,
    },
    /// It is not the file that the user's list names: the user finds out why, and mends the list
    /// if the new file is to be trusted.
    #[error(
        "{}: its SHA-256 is {found}, {}:{line} expects {expected}",
        library.display(), list.display()
    )]
    OtherHash {
        /// The library.
        library: PathBuf,
        /// The list.
        list: PathBuf,
        /// Line of the list, from 1.
        line: usize,
        /// The hash in the list.
        expected: String,
        /// SHA-256 of the file.
        found: String,
    },
    /// The file changed while it was loaded: the user starts again when whoever builds it has
    /// finished.
    #[error("{}: it changed while it was being loaded; try again", library.display())]
    Changed {
        /// The library.
        library: PathBuf,
    },
    /// The file is no dynamic library for this machine, or not a whole one: the user builds it
    /// again, here, or names the right file.
    #[error(
        "{}: not a dynamic library for this machine: {reason}; build it on this machine and name \
         what the build leaves (`cargo build --release`: target/release/{}NAME{})",
        library.display(), DLL_PREFIX, DLL_SUFFIX
    )]
    NotALibrary {
        /// The library.
        library: PathBuf,
        /// Expected and found.
        reason: String,
    },
    /// The system's loader refused it.
    #[error("{}: cannot be opened: {reason}", library.display())]
    Refused {
        /// The library.
        library: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// It is a dynamic library, but no Throng plugin.
    #[error("{}: not a Throng plugin: {reason}", library.display())]
    NotAPlugin {
        /// The library.
        library: PathBuf,
        /// Expected and found.
        reason: String,
    },
    /// It was made for other tables: the user builds it again with this version of Throng.
    #[error(
        "{}: made for version {found} of the plugin tables, this program has version {expected}; \
         build it again with a matching version of Throng",
        library.display()
    )]
    OtherVersion {
        /// The library.
        library: PathBuf,
        /// The version of this program.
        expected: u32,
        /// The library's.
        found: u32,
    },
    /// A panic in it would end the process: whoever built it builds it with `panic = "unwind"`.
    #[error(
        "{}: built with panic = \"abort\": a panic in it would end this program; build it with \
         panic = \"unwind\"",
        library.display()
    )]
    AbortsOnPanic {
        /// The library.
        library: PathBuf,
    },
    /// It failed when it was started or asked for its strategies.
    #[error("{}: failed when it was loaded: {reason}", library.display())]
    Failed {
        /// The library.
        library: PathBuf,
        /// What it says.
        reason: String,
    },
    /// What it says of a strategy makes no sense.
    #[error("{}: strategy {strategy}: {reason}", library.display())]
    BadDescriptor {
        /// The library.
        library: PathBuf,
        /// The strategy's id, or its number where it has no readable one.
        strategy: String,
        /// Expected and found.
        reason: String,
    },
}
