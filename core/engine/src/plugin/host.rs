//! The host's callbacks for libraries: log lines go to `tracing`, a flag says when to stop.

use core::{
    ffi::c_void,
    sync::atomic::{AtomicBool, Ordering},
};

use throng_abi::{ABI_VERSION, Bytes, Host};

static STOP: AtomicBool = AtomicBool::new(false);

/// The table that every library is given.
pub(super) static HOST: Host = Host {
    size: size_of::<Host>() as u32,
    version: ABI_VERSION,
    context: core::ptr::null_mut(),
    log: Some(log),
    should_stop: Some(should_stop),
    log_level: Some(log_level),
};

/// Lets strategies that are linked in use the callbacks too: their log lines go to `tracing`.
pub fn connect() {
    // SAFETY: the table is a static whose functions may be called from any thread.
    unsafe { throng_core::export::connect(&HOST) }
}

/// Asks strategies that are at long work to return early, or takes that back.
pub fn request_stop(stop: bool) {
    STOP.store(stop, Ordering::Relaxed);
}

/// Whether strategies are asked to return early.
#[cfg(test)]
pub(super) fn stop_requested() -> bool {
    STOP.load(Ordering::Relaxed)
}

unsafe extern "C" fn log(_: *mut c_void, level: u32, text: Bytes) {
    // SAFETY: a library lends its text until the callback returns.
    let text = String::from_utf8_lossy(unsafe { text.get() });
    match level {
        1 => tracing::error!(target: "throng::plugin", "{text}"),
        2 => tracing::warn!(target: "throng::plugin", "{text}"),
        3 => tracing::info!(target: "throng::plugin", "{text}"),
        4 => tracing::debug!(target: "throng::plugin", "{text}"),
        _ => tracing::trace!(target: "throng::plugin", "{text}"),
    }
}

unsafe extern "C" fn should_stop(_: *mut c_void) -> u32 {
    u32::from(STOP.load(Ordering::Relaxed))
}

unsafe extern "C" fn log_level(_: *mut c_void) -> u32 {
    use tracing::level_filters::LevelFilter;
    match LevelFilter::current() {
        LevelFilter::OFF => 0,
        LevelFilter::ERROR => 1,
        LevelFilter::WARN => 2,
        LevelFilter::INFO => 3,
        LevelFilter::DEBUG => 4,
        _ => 5,
    }
}
