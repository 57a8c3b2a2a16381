//! Instances as a host holds them: the strategy and what its glue keeps beside it.

use core::ffi::c_void;

use serde::{Serialize, de::DeserializeOwned};
use throng_abi::{Bytes, Call, Sink, Status};

use super::guard::guard;
use crate::Memory;

/// An instance of a library.
pub(super) struct Held<T, B> {
    pub strategy: T,
    pub beside: B,
}

/// What a slot's glue keeps beside a strategy.
pub(super) trait Beside<T> {
    /// Made once, with the strategy.
    fn of(strategy: &T) -> Self;
}

impl<T> Beside<T> for () {
    fn of(_: &T) {}
}

/// Names of memory columns as a profile lends them: scalars, tangents, then locations.
pub(super) struct ColumnNames(pub Vec<Bytes>);

impl ColumnNames {
    pub(super) fn of(memory: Memory) -> ColumnNames {
        let names = [memory.scalars, memory.tangents, memory.locations];
        ColumnNames(
            names
                .into_iter()
                .flatten()
                .map(|name| Bytes::of(name.as_bytes()))
                .collect(),
        )
    }
}

pub(super) unsafe extern "C" fn create<T: DeserializeOwned, B: Beside<T>>(
    call: *const Call,
    options: Bytes,
    out: *mut *mut c_void,
) -> Status {
    // SAFETY: the host lends options and `out` until the call returns.
    unsafe {
        guard(call, || {
            let strategy: T =
                serde_json::from_slice(options.get()).map_err(|e| format!("options: {e}"))?;
            let beside = B::of(&strategy);
            *out = Box::into_raw(Box::new(Held { strategy, beside })).cast();
            Ok(None)
        })
    }
}

pub(super) unsafe extern "C" fn destroy<T, B>(instance: *mut c_void) {
    // SAFETY: the host gives back what `create` made, once.
    unsafe {
        guard(core::ptr::null(), || {
            drop(Box::from_raw(instance.cast::<Held<T, B>>()));
            Ok(None)
        });
    }
}

pub(super) unsafe extern "C" fn effective<T: Serialize, B>(
    call: *const Call,
    instance: *const c_void,
    out: *const Sink,
) -> Status {
    // SAFETY: an instance of `create`; the sink is the host's, until the call returns.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, B>>();
            let text = serde_json::to_vec(&held.strategy).map_err(|e| e.to_string())?;
            (*out).append(&text);
            Ok(None)
        })
    }
}
