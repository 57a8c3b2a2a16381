//! Glue of slot `group`: a [`GroupBehavior`] behind a [`GroupTable`].

use core::{ffi::c_void, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};
use throng_abi::{
    self as abi, ABI_VERSION, Call, GroupProfile, GroupTable, Status, rows, rows_mut,
};

use super::{
    describe::Export,
    guard::guard,
    held::{self, Held},
    world::{Mirror, with_world},
};
use crate::{GroupBehavior, GroupChunk, GroupOut, GroupsView, Slot};

/// A group behaviour as a line of [`export_plugin!`](crate::export_plugin).
pub const fn group<T>(id: &'static str, version: &'static str, origin: &'static str) -> Export
where
    T: GroupBehavior + Serialize + DeserializeOwned + 'static,
{
    Export {
        slot: Slot::Group,
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

impl<T: GroupBehavior + 'static> Glue<T> {
    const TABLE: GroupTable = GroupTable {
        size: size_of::<GroupTable>() as u32,
        version: ABI_VERSION,
        profile: Some(profile::<T>),
        adjust: Some(adjust::<T>),
    };
}

fn table<T: GroupBehavior + 'static>() -> *const c_void {
    let table: &'static GroupTable = &Glue::<T>::TABLE;
    core::ptr::from_ref(table).cast()
}

unsafe extern "C" fn profile<T: GroupBehavior>(
    call: *const Call,
    instance: *const c_void,
    out: *mut GroupProfile,
) -> Status {
    // SAFETY: an instance of `create`; the host lends the profile to be filled.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, Mirror>>();
            *out = GroupProfile {
                size: size_of::<GroupProfile>() as u32,
                version: ABI_VERSION,
                active: u32::from(held.strategy.active()),
                reserved: 0,
            };
            Ok(None)
        })
    }
}

unsafe extern "C" fn adjust<T: GroupBehavior>(
    call: *const Call,
    instance: *const c_void,
    world: *const abi::World,
    chunk: *const abi::GroupIn,
    out: *const abi::GroupOut,
) -> Status {
    // SAFETY: an instance of `create`; the host lends world and arrays of the lengths stated until
    // the call returns; layouts are asserted in `layout`.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, Mirror>>();
            let (given, out) = (&*chunk, &*out);
            let chunk = GroupChunk {
                rows: given.first..given.first + given.count,
                groups: GroupsView {
                    start: rows(given.start, given.groups + 1),
                    member: rows(given.member, given.members),
                },
                guided: rows(given.guided.cast(), given.agents),
                aims: rows(given.aim.cast(), given.agents),
            };
            let mut answer = GroupOut {
                preferred: rows_mut(out.preferred.cast(), given.count),
                target: rows_mut(out.target.cast(), given.count),
            };
            with_world(&held.beside, world, |world| {
                held.strategy.adjust(world, &chunk, &mut answer);
            });
            Ok(held.strategy.fault())
        })
    }
}
