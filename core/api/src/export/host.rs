//! The host's callbacks for strategies: a log line, and whether to stop.

use std::sync::OnceLock;

use throng_abi::{Bytes, Host};

static HOST: OnceLock<Host> = OnceLock::new();

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

/// Takes the host's callbacks; the first ones stay. A host whose table is smaller, made before the
/// last functions were appended, has none in their places.
///
/// # Safety
/// `host` is null, or points to a table that lives as long as the process and whose functions may
/// be called from any thread.
pub unsafe fn connect(host: *const Host) {
    if host.is_null() {
        return;
    }
    // A second host is the first one again: a library has one process.
    HOST.get_or_init(|| {
        // SAFETY: the caller's promise; the copy ends with the shorter of both tables, and zero is
        // no function.
        unsafe {
            let size = ((*host).size as usize).min(size_of::<Host>());
            let mut own = core::mem::MaybeUninit::<Host>::zeroed();
            core::ptr::copy_nonoverlapping(host.cast::<u8>(), own.as_mut_ptr().cast(), size);
            own.assume_init()
        }
    });
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

/// The highest [`Level`] of line that the host reads now, as a number; 0 for none.
pub(super) fn log_level() -> u32 {
    HOST.get().map_or(0, |host| match host.log_level {
        // SAFETY: `connect`'s caller vouched for the table.
        Some(log_level) => unsafe { log_level(host.context) },
        None => Level::Trace as u32,
    })
}
