//! What every function of a library is given: the host's callbacks and a sink for errors.

use core::ffi::c_void;

use crate::values::Bytes;

/// How a function of a library ended: one of [`status`].
pub type Status = u32;

/// Values of [`Status`].
pub mod status {
    use super::Status;

    /// Done; the results are written.
    pub const OK: Status = 0;
    /// Not done; the reason is in the error sink. Results are not used.
    pub const ERROR: Status = 1;
    /// Not done: the code panicked or threw, and the border caught it. The host calls the
    /// instance no more, except to destroy it.
    pub const PANIC: Status = 2;
    /// Done and the results are written, but something is wrong; what, is in the error sink.
    pub const FAULT: Status = 3;
    /// Not done: what was handed in does not suit the strategy, and its user must choose another
    /// or mend the input; the reason is in the error sink.
    pub const UNSUITABLE: Status = 4;
    /// Not done: the strategy cannot do this at all, and the host does without.
    pub const UNSUPPORTED: Status = 5;
}

/// Takes bytes that grow. **Owner:** the host. **Thread:** the one it was handed to, during that
/// call only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Sink {
    /// The host's own; handed back to `append`.
    pub context: *mut c_void,
    /// Appends bytes; the host copies them before it returns.
    pub append: Option<unsafe extern "C" fn(context: *mut c_void, bytes: Bytes)>,
}

impl Sink {
    /// A sink that swallows everything.
    pub const CLOSED: Sink = Sink {
        context: core::ptr::null_mut(),
        append: None,
    };

    /// Appends bytes; without `append` they are dropped.
    ///
    /// # Safety
    /// The sink came from the host with the call that is running now.
    pub unsafe fn append(&self, bytes: &[u8]) {
        if let Some(append) = self.append {
            // SAFETY: a host's sink takes any bytes while its call runs.
            unsafe { append(self.context, Bytes::of(bytes)) }
        }
    }
}

/// Callbacks of the host. **Owner:** the host; lives as long as the process. **Thread:** every
/// function may be called from any thread at any time.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Host {
    /// Size of this table.
    pub size: u32,
    /// [`ABI_VERSION`](crate::ABI_VERSION) of the host.
    pub version: u32,
    /// The host's own; handed back to its functions.
    pub context: *mut c_void,
    /// Writes a line to the host's log. Levels: 1 error, 2 warning, 3 information, 4 debugging,
    /// 5 trace. The host copies the text before it returns.
    pub log: Option<unsafe extern "C" fn(context: *mut c_void, level: u32, text: Bytes)>,
    /// Not 0 if the run is being stopped: long work returns early, with
    /// [`status::ERROR`](crate::call::status::ERROR).
    pub should_stop: Option<unsafe extern "C" fn(context: *mut c_void) -> u32>,
    /// The highest level of line that anybody reads now, 0 for none: lines above it may be left
    /// unwritten.
    pub log_level: Option<unsafe extern "C" fn(context: *mut c_void) -> u32>,
}

// SAFETY: the contract of the table is that its functions may be called from any thread.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

/// The surroundings of one call. **Owner:** the host, until the call returns. **Thread:** the
/// calling one.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Call {
    /// Size of this table.
    pub size: u32,
    /// [`ABI_VERSION`](crate::ABI_VERSION) of the host.
    pub version: u32,
    /// The host's callbacks; may be kept, as they live as long as the process.
    pub host: *const Host,
    /// Where the text goes that says what went wrong.
    pub error: Sink,
}
