//! The host's callbacks for strategies: a log line, and whether to stop.

use std::sync::OnceLock;

use throng_abi::{Bytes, Host};

static HOST: OnceLock<&'static Host> = OnceLock::new();

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Level {
    /// Something is wrong.
    Error = 1,
    /// Something may be wrong.
    Warn = 2,
    /// Worth knowing.
    Info = 3,
    /// For whoever mends the strategy.
    Debug = 4,
    /// Every little thing.
    Trace = 5,
}

/// Takes the host's callbacks; the first ones stay.
///
/// # Safety
/// `host` is null, or points to a table that lives as long as the process and whose functions may
/// be called from any thread.
pub unsafe fn connect(host: *const Host) {
    // SAFETY: the caller's promise.
    if let Some(host) = unsafe { host.as_ref() } {
        // A second host is the first one again: a library has one process.
        let _ = HOST.set(host);
    }
}

/// Writes a line to the host's log; without a host it is dropped.
pub fn log(level: Level, text: &str) {
    if let Some(host) = HOST.get()
        && let Some(log) = host.log
    {
        // SAFETY: `connect`'s caller vouched for the table.
        unsafe { log(host.context, level as u32, Bytes::of(text.as_bytes())) }
    }
}

/// Whether the run is being stopped: long work returns early.
pub fn should_stop() -> bool {
    HOST.get().is_some_and(|host| {
        host.should_stop
            // SAFETY: `connect`'s caller vouched for the table.
            .is_some_and(|should_stop| unsafe { should_stop(host.context) } != 0)
    })
}
