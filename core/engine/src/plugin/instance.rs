//! What every loaded strategy has: an instance of the library's, calls that cross the border, and
//! a log of what went wrong there.

use core::{
    ffi::c_void,
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use throng_abi::{ABI_VERSION, Bytes, Call, Descriptor, Sink, Status, status, threads};
use throng_core::{Slot, StateError};

use super::{
    host::HOST,
    schema,
    watch::{self, Label},
};
use crate::registry::CreateError;

/// Longest text that a library may say about one call.
const MOST_TEXT: usize = 16 * 1024;

/// What is said where the host itself hands over arrays that do not fit together.
pub(super) const UNEQUAL: &str = "was handed arrays of unequal lengths: an error of this program";

/// How a call ended that gave no answer, and what the library said.
#[derive(Debug)]
pub(super) struct Refusal {
    pub status: Status,
    /// What the library said.
    pub said: String,
    /// How it ended, with the library and the strategy.
    pub text: String,
}

/// The `save` of a table.
pub(super) type Save =
    Option<unsafe extern "C" fn(*const Call, *const c_void, *const Sink) -> Status>;
/// The `load` of a table.
pub(super) type Load = Option<unsafe extern "C" fn(*const Call, *mut c_void, Bytes) -> Status>;

/// A strategy of a library, as far as the host remembers it.
#[derive(Debug)]
pub(super) struct Kind {
    pub library: PathBuf,
    pub slot: Slot,
    pub id: String,
    pub label: Label,
    pub descriptor: &'static Descriptor,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let library = self.library.display();
        write!(f, "{library}: {}/{}", self.slot.name(), self.id)
    }
}

/// Runs a function of a library, and gives what it answered and what it said.
pub(super) fn with_call<R>(run: impl FnOnce(*const Call) -> R) -> (R, String) {
    let mut said: Vec<u8> = Vec::new();
    let call = Call {
        size: size_of::<Call>() as u32,
        version: ABI_VERSION,
        host: &raw const HOST,
        error: Sink {
            context: (&raw mut said).cast(),
            append: Some(append_text),
        },
    };
    let answer = run(&call);
    (answer, String::from_utf8_lossy(&said).into_owned())
}

unsafe extern "C" fn append_text(context: *mut c_void, bytes: Bytes) {
    // SAFETY: the context is the vector of `with_call`, whose call is running; the library lends
    // the bytes.
    let (said, bytes) = unsafe { (&mut *context.cast::<Vec<u8>>(), bytes.get()) };
    let room = MOST_TEXT.saturating_sub(said.len());
    said.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

unsafe extern "C" fn append_all(context: *mut c_void, bytes: Bytes) {
    // SAFETY: the context is a vector of `Collected`, whose call is running; the library lends
    // the bytes.
    unsafe { (*context.cast::<Vec<u8>>()).extend_from_slice(bytes.get()) }
}

/// A sink that keeps everything in `bytes`, for as long as that is borrowed.
pub(super) fn sink_into(bytes: &mut Vec<u8>) -> Sink {
    Sink {
        context: core::ptr::from_mut(bytes).cast(),
        append: Some(append_all),
    }
}

/// What went wrong since it was last asked. Whatever the threads, the same fault is kept: that
/// with the least key.
#[derive(Debug, Default)]
struct FaultLog(Mutex<Option<(Key, String, u64)>>);

/// Orders faults: step and agent, or what else tells calls apart.
pub(super) type Key = (u64, u64);

impl FaultLog {
    fn add(&self, key: Key, text: String, count: u64) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *log = Some(match log.take() {
            Some((first, kept, before)) if first <= key => (first, kept, before + count),
            Some((_, _, before)) => (key, text, before + count),
            None => (key, text, count),
        });
    }

    fn take(&self) -> Option<String> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.take().map(|(_, text, count)| match count {
            0 | 1 => text,
            more => format!("{text} (and {} more)", more - 1),
        })
    }
}

/// An instance of a loaded strategy.
pub(super) struct Instance {
    kind: Arc<Kind>,
    pointer: *mut c_void,
    options: toml::Table,
    broken: AtomicBool,
    turn: Option<Mutex<()>>,
    faults: FaultLog,
}

// SAFETY: the contract lets any thread use and destroy an instance; where the descriptor asks for
// one call at a time, `turn` sees to it.
unsafe impl Send for Instance {}
// SAFETY: as above; functions that change the instance are reached through `&mut` only.
unsafe impl Sync for Instance {}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instance")
            .field("strategy", &format_args!("{}", self.kind))
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(destroy) = self.kind.descriptor.destroy {
            let _call = watch::enter(self.kind.label);
            // SAFETY: `pointer` came from this descriptor's `create` and is used no more.
            unsafe { destroy(self.pointer) }
        }
    }
}

impl Instance {
    /// Makes an instance from a strategy's table.
    pub(super) fn create(kind: &Arc<Kind>, table: &toml::Table) -> Result<Instance, CreateError> {
        let failed = |what: &str, status: Status, said: String| {
            CreateError::failed(format!("{kind}: {what} {}", ending(status, &said)))
        };
        let given = schema::to_json(table)?;
        let (Some(create), Some(effective)) = (kind.descriptor.create, kind.descriptor.effective)
        else {
            return Err(CreateError::failed(format!("{kind}: it cannot be made")));
        };
        let mut pointer = core::ptr::null_mut();
        // SAFETY: the descriptor was checked; options and `pointer` live until the call returns.
        let (status, said) =
            with_call(|call| unsafe { create(call, Bytes::of(given.as_bytes()), &mut pointer) });
        if status != status::OK {
            return Err(failed("making it", status, said));
        }
        if pointer.is_null() {
            return Err(failed("making it gave nothing but", status, said));
        }
        let mut instance = Instance {
            kind: Arc::clone(kind),
            pointer,
            options: toml::Table::new(),
            broken: AtomicBool::new(false),
            turn: (kind.descriptor.threads == threads::ONE_AT_A_TIME).then(Mutex::default),
            faults: FaultLog::default(),
        };
        let mut written = Vec::new();
        let sink = sink_into(&mut written);
        // SAFETY: the instance was just made; the sink lives until the call returns.
        let (status, said) = with_call(|call| unsafe { effective(call, pointer, &sink) });
        if status != status::OK {
            return Err(failed("writing its options", status, said));
        }
        instance.options = schema::from_json(&String::from_utf8_lossy(&written))
            .map_err(|reason| CreateError::failed(format!("{kind}: {reason}")))?;
        Ok(instance)
    }

    pub(super) fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The library's pointer, for the calls that make the instance ready.
    pub(super) fn pointer(&self) -> *mut c_void {
        self.pointer
    }

    /// Every option, as the library has taken them.
    pub(super) fn options(&self) -> &toml::Table {
        &self.options
    }

    /// Calls a function with the instance. Says whether its results may be used; what went wrong
    /// is logged.
    pub(super) fn call(
        &self,
        key: Key,
        run: impl FnOnce(*const Call, *mut c_void) -> Status,
    ) -> bool {
        match self.attempt(key, run) {
            Ok(()) => true,
            Err(refusal) if refusal.text.is_empty() => {
                self.fault(key, &ending(refusal.status, &refusal.said), 1);
                false
            }
            Err(refusal) => {
                self.faults.add(key, refusal.text, 1);
                false
            }
        }
    }

    /// Calls a function with the instance whose refusal is for the caller to judge; a fault beside
    /// a valid answer is logged.
    pub(super) fn attempt(
        &self,
        key: Key,
        run: impl FnOnce(*const Call, *mut c_void) -> Status,
    ) -> Result<(), Refusal> {
        if self.broken.load(Ordering::Relaxed) {
            let said = "it panicked before and is called no more";
            return Err(Refusal {
                status: status::PANIC,
                said: said.into(),
                text: format!("{}: {said}", self.kind),
            });
        }
        let _turn = self
            .turn
            .as_ref()
            .map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
        let watched = watch::enter(self.kind.label);
        let (status, said) = with_call(|call| run(call, self.pointer));
        drop(watched);
        match status {
            status::OK => return Ok(()),
            status::FAULT => {
                self.fault(key, &ending(status, &said), 1);
                return Ok(());
            }
            status::PANIC => self.broken.store(true, Ordering::Relaxed),
            _ => {}
        }
        // Maps answer this for every place in every step: no words are made for it.
        let text = if status == status::UNSUPPORTED {
            String::new()
        } else {
            format!("{}: {}", self.kind, ending(status, &said))
        };
        Err(Refusal { status, said, text })
    }

    /// Appends the state of the instance, if it has any.
    pub(super) fn save(&self, save: Save, out: &mut Vec<u8>) {
        let Some(save) = save else {
            return;
        };
        let before = out.len();
        let sink = sink_into(out);
        let done = self.call((0, 0), |call, instance| {
            // SAFETY: the caller's function is of the instance's table; the sink's bytes are
            // borrowed until the call returns.
            unsafe { save(call, instance, &sink) }
        });
        if !done {
            out.truncate(before);
        }
    }

    /// Gives saved state back to the instance.
    pub(super) fn load(&mut self, load: Load, saved: &[u8]) -> Result<(), StateError> {
        let Some(load) = load else {
            return Ok(());
        };
        self.attempt((0, 0), |call, instance| {
            // SAFETY: the caller's function is of the instance's table and `&mut self` keeps other
            // calls out; the bytes are borrowed until the call returns.
            unsafe { load(call, instance, Bytes::of(saved)) }
        })
        .map_err(|refusal| StateError {
            strategy: self.kind.to_string(),
            reason: ending(refusal.status, &refusal.said),
        })
    }

    /// Logs a fault, `count` of its kind.
    pub(super) fn fault(&self, key: Key, text: &str, count: u64) {
        self.faults
            .add(key, format!("{}: {text}", self.kind), count);
    }

    /// Logs a fault whose text names the strategy already.
    pub(super) fn fault_as(&self, key: Key, text: String) {
        self.faults.add(key, text, 1);
    }

    /// What went wrong since it was last asked.
    pub(super) fn take_fault(&self) -> Option<String> {
        self.faults.take()
    }
}

/// How a call ended, in words.
pub(super) fn ending(status: Status, said: &str) -> String {
    let said = said.trim();
    let how = match status {
        status::OK => "ended well",
        status::ERROR => "failed",
        status::PANIC if said.starts_with("panicked") => "",
        status::PANIC => "panicked",
        status::FAULT => "reports",
        status::UNSUITABLE => "refused",
        status::UNSUPPORTED => "is not supported",
        other => return format!("ended with status {other}, which does not exist: {said}"),
    };
    match (how, said) {
        ("", said) => said.into(),
        (how, "") => format!("{how} without a reason"),
        (how, said) => format!("{how}: {said}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_key_is_kept_whatever_the_order() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let log = FaultLog::default();
            for k in order {
                log.add((7, k), format!("agent {k}"), 1);
            }
            assert_eq!(log.take().as_deref(), Some("agent 0 (and 2 more)"));
            assert_eq!(log.take(), None);
        }
    }

    #[test]
    fn endings_read_well() {
        assert_eq!(ending(status::ERROR, ""), "failed without a reason");
        assert_eq!(ending(status::PANIC, "panicked at x"), "panicked at x");
        assert_eq!(ending(status::FAULT, "odd"), "reports: odd");
        assert!(ending(77, "").contains("77"));
    }
}
