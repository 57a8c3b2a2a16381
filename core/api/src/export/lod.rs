//! Glue of slot `lod`: a [`LodPolicy`] behind a [`LodTable`].

use core::{ffi::c_void, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};
use throng_abi::{
    self as abi, ABI_VERSION, Bytes, Call, LodProfile, LodTable, Sink, Status, rows_mut,
};

use super::{
    describe::Export,
    guard::guard,
    held::{self, Held},
    world::{Mirror, with_world},
};
use crate::{LodPolicy, Slot};

/// A level-of-detail policy as a line of [`export_plugin!`](crate::export_plugin).
pub const fn lod<T>(id: &'static str, version: &'static str, origin: &'static str) -> Export
where
    T: LodPolicy + Serialize + DeserializeOwned + 'static,
{
    Export {
        slot: Slot::Lod,
        id,
        version,
        origin,
        create: held::create::<T, Mirror>,
        destroy: held::destroy::<T, Mirror>,
        effective: held::effective::<T, Mirror>,
        table: table::<T>,
    }
}

struct Glue<T>(PhantomData<T>);

impl<T: LodPolicy + 'static> Glue<T> {
    const TABLE: LodTable = LodTable {
        size: size_of::<LodTable>() as u32,
        version: ABI_VERSION,
        profile: Some(profile::<T>),
        classify: Some(classify::<T>),
        prepare: Some(prepare::<T>),
        save: Some(save::<T>),
        load: Some(load::<T>),
    };
}

fn table<T: LodPolicy + 'static>() -> *const c_void {
    let table: &'static LodTable = &Glue::<T>::TABLE;
    core::ptr::from_ref(table).cast()
}

unsafe extern "C" fn profile<T: LodPolicy>(
    call: *const Call,
    instance: *const c_void,
    out: *mut LodProfile,
) -> Status {
    // SAFETY: an instance of `create`; the host lends the profile to be filled.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, Mirror>>();
            *out = LodProfile {
                size: size_of::<LodProfile>() as u32,
                version: ABI_VERSION,
                reads_regions: u32::from(held.strategy.reads_regions()),
                constant: held.strategy.constant().map_or(256, u32::from),
            };
            Ok(None)
        })
    }
}

unsafe extern "C" fn classify<T: LodPolicy>(
    call: *const Call,
    instance: *const c_void,
    world: *const abi::World,
    first: usize,
    count: usize,
    out: *mut u8,
) -> Status {
    // SAFETY: an instance of `create`; the host lends world and levels until the call returns.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, Mirror>>();
            let out = rows_mut(out, count);
            with_world(&held.beside, world, |world| {
                held.strategy.classify(world, first..first + count, out);
            });
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn prepare<T: LodPolicy>(
    call: *const Call,
    instance: *mut c_void,
    world: *const abi::World,
) -> Status {
    // SAFETY: an instance of `create` that nobody else uses now; the host lends the world.
    unsafe {
        guard(call, || {
            let held = &mut *instance.cast::<Held<T, Mirror>>();
            held.beside.verify(world);
            with_world(&held.beside, world, |world| held.strategy.prepare(world));
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn save<T: LodPolicy>(
    call: *const Call,
    instance: *const c_void,
    out: *const Sink,
) -> Status {
    // SAFETY: an instance of `create`; the sink is the host's, until the call returns.
    unsafe {
        guard(call, || {
            let mut bytes = Vec::new();
            (*instance.cast::<Held<T, Mirror>>())
                .strategy
                .save(&mut bytes);
            (*out).append(&bytes);
            Ok(None)
        })
    }
}

unsafe extern "C" fn load<T: LodPolicy>(
    call: *const Call,
    instance: *mut c_void,
    saved: Bytes,
) -> Status {
    // SAFETY: an instance of `create` that nobody else uses now; the host lends the bytes.
    unsafe {
        guard(call, || {
            let held = &mut *instance.cast::<Held<T, Mirror>>();
            held.strategy.load(saved.get()).map_err(|e| e.reason)?;
            Ok(None)
        })
    }
}
