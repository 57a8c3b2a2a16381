//! What stands between a host's call and the strategy: panics are caught, faults reported.

use core::cell::RefCell;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind, set_hook},
    sync::Once,
};

use throng_abi::{Call, Status, status};

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Why a call gives no answer.
pub(super) struct Refusal {
    pub status: Status,
    pub reason: String,
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal {
            status: status::ERROR,
            reason,
        }
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Refusal {
        Refusal::from(reason.to_owned())
    }
}

/// Runs a strategy's work for the host. `Ok(Some(text))` is a fault beside a valid answer.
///
/// # Safety
/// `call` is null or the host's call that is running now.
pub(super) unsafe fn guard(
    call: *const Call,
    work: impl FnOnce() -> Result<Option<String>, Refusal>,
) -> Status {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(None)) => status::OK,
        Ok(Ok(Some(fault))) => {
            // SAFETY: the caller's promise.
            unsafe { report(call, &fault) };
            status::FAULT
        }
        Ok(Err(refusal)) => {
            // SAFETY: the caller's promise.
            unsafe { report(call, &refusal.reason) };
            refusal.status
        }
        Err(payload) => {
            let text = panic_text(&*payload);
            // Dropping a payload may panic again, outside of the net.
            core::mem::forget(payload);
            // SAFETY: the caller's promise.
            unsafe { report(call, &text) };
            status::PANIC
        }
    }
}

/// Writes a text to the error sink of a call.
///
/// # Safety
/// `call` is null or the host's call that is running now.
pub(super) unsafe fn report(call: *const Call, text: &str) {
    // SAFETY: the host's calls are valid while they run.
    if let Some(call) = unsafe { call.as_ref() } {
        // SAFETY: the sink came with the running call.
        unsafe { call.error.append(text.as_bytes()) }
    }
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let hooked = LAST_PANIC
        .try_with(|last| core::mem::take(&mut *last.borrow_mut()))
        .unwrap_or_default();
    if !hooked.is_empty() {
        return hooked;
    }
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without a message");
    format!("panicked: {message}")
}

/// The `start` function of a library: takes the host's callbacks, and keeps panic messages for
/// the host instead of printing them.
///
/// # Safety
/// `call` is the host's call that is running now.
pub unsafe extern "C" fn start(call: *const Call) -> Status {
    static HOOK: Once = Once::new();
    // SAFETY: the caller's promise.
    unsafe {
        guard(call, || {
            let Some(call) = call.as_ref() else {
                return Err("the host gave no call".into());
            };
            super::host::connect(call.host);
            super::forward::install();
            // The library has a standard library of its own, and so a hook of its own.
            HOOK.call_once(|| {
                set_hook(Box::new(|panic| {
                    let text = panic.to_string().replace('\n', " ");
                    let _ = LAST_PANIC.try_with(|last| *last.borrow_mut() = text);
                }));
            });
            Ok(None)
        })
    }
}

#[cfg(test)]
mod tests {
    use core::ffi::c_void;

    use throng_abi::{Bytes, Sink};

    use super::*;

    unsafe extern "C" fn append(context: *mut c_void, bytes: Bytes) {
        // SAFETY: the tests below pass a String of theirs.
        unsafe {
            let text = &mut *context.cast::<String>();
            text.push_str(core::str::from_utf8(bytes.get()).unwrap());
        }
    }

    fn run(work: impl FnOnce() -> Result<Option<String>, Refusal>) -> (Status, String) {
        let mut text = String::new();
        let call = Call {
            size: size_of::<Call>() as u32,
            version: 1,
            host: core::ptr::null(),
            error: Sink {
                context: (&raw mut text).cast(),
                append: Some(append),
            },
        };
        // SAFETY: call and sink live until `guard` returns.
        let status = unsafe { guard(&call, work) };
        (status, text)
    }

    #[test]
    fn every_ending_has_its_status() {
        assert_eq!(run(|| Ok(None)), (status::OK, String::new()));
        assert_eq!(
            run(|| Ok(Some("odd".into()))),
            (status::FAULT, "odd".into())
        );
        assert_eq!(run(|| Err("no".into())), (status::ERROR, "no".into()));
        let unsuitable = || {
            Err(Refusal {
                status: status::UNSUITABLE,
                reason: "too steep".into(),
            })
        };
        assert_eq!(run(unsuitable), (status::UNSUITABLE, "too steep".into()));
        let (status, text) = run(|| panic!("{} sheep", 3));
        assert_eq!(status, status::PANIC);
        assert!(text.contains("3 sheep"), "{text}");
    }

    #[test]
    fn a_missing_call_is_no_reason_to_fall() {
        // SAFETY: null is allowed.
        let status = unsafe { guard(core::ptr::null(), || Err("nobody listens".into())) };
        assert_eq!(status, status::ERROR);
    }
}
