//! Glue of slot `avoidance`: a [`LocalAvoidance`] behind an [`AvoidanceTable`].

use core::{
    ffi::c_void,
    marker::PhantomData,
    mem::{align_of, offset_of, size_of},
};

use serde::{Serialize, de::DeserializeOwned};
use throng_abi::{
    self as abi, ABI_VERSION, AvoidanceProfile, AvoidanceTable, Bytes, Call, Sink, Status, rows,
    rows_mut,
};

use super::{describe::Export, guard::guard};
use crate::{
    LocalAvoidance, Location, MemoryRows, NearWall, Neighbour, NeighbourRows, Scratch, Slot,
    SteerChunk, SteerOut, WallRows,
};

/// An avoidance model as a line of [`export_plugin!`](crate::export_plugin).
pub const fn avoidance<T>(id: &'static str, version: &'static str, origin: &'static str) -> Export
where
    T: LocalAvoidance + Serialize + DeserializeOwned + 'static,
{
    Export {
        slot: Slot::Avoidance,
        id,
        version,
        origin,
        create: create::<T>,
        destroy: destroy::<T>,
        effective: effective::<T>,
        table: table::<T>,
    }
}

/// An instance: the strategy, and the names of its columns as the profile lends them.
struct Held<T> {
    strategy: T,
    names: Vec<Bytes>,
}

struct Glue<T>(PhantomData<T>);

impl<T: LocalAvoidance + 'static> Glue<T> {
    const TABLE: AvoidanceTable = AvoidanceTable {
        size: size_of::<AvoidanceTable>() as u32,
        version: ABI_VERSION,
        profile: Some(profile::<T>),
        new_scratch: Some(new_scratch),
        free_scratch: Some(free_scratch),
        steer: Some(steer::<T>),
    };
}

fn table<T: LocalAvoidance + 'static>() -> *const c_void {
    let table: &'static AvoidanceTable = &Glue::<T>::TABLE;
    core::ptr::from_ref(table).cast()
}

unsafe extern "C" fn create<T: LocalAvoidance + DeserializeOwned>(
    call: *const Call,
    options: Bytes,
    out: *mut *mut c_void,
) -> Status {
    // SAFETY: the host lends options and `out` until the call returns.
    unsafe {
        guard(call, || {
            let strategy: T =
                serde_json::from_slice(options.get()).map_err(|e| format!("options: {e}"))?;
            let memory = strategy.memory();
            let names = memory
                .scalars
                .iter()
                .chain(memory.tangents)
                .chain(memory.locations)
                .map(|name| Bytes::of(name.as_bytes()))
                .collect();
            *out = Box::into_raw(Box::new(Held { strategy, names })).cast();
            Ok(None)
        })
    }
}

unsafe extern "C" fn destroy<T>(instance: *mut c_void) {
    // SAFETY: the host gives back what `create` made, once.
    unsafe {
        guard(core::ptr::null(), || {
            drop(Box::from_raw(instance.cast::<Held<T>>()));
            Ok(None)
        });
    }
}

unsafe extern "C" fn effective<T: Serialize>(
    call: *const Call,
    instance: *const c_void,
    out: *const Sink,
) -> Status {
    // SAFETY: an instance of `create`; the sink is the host's, until the call returns.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T>>();
            let text = serde_json::to_vec(&held.strategy).map_err(|e| e.to_string())?;
            (*out).append(&text);
            Ok(None)
        })
    }
}

unsafe extern "C" fn profile<T: LocalAvoidance>(
    call: *const Call,
    instance: *const c_void,
    out: *mut AvoidanceProfile,
) -> Status {
    // SAFETY: an instance of `create`; the host lends the profile to be filled.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T>>();
            let perception = held.strategy.perception();
            let memory = held.strategy.memory();
            *out = AvoidanceProfile {
                size: size_of::<AvoidanceProfile>() as u32,
                version: ABI_VERSION,
                reach: perception.reach,
                wall_reach: perception.wall_reach,
                most: perception.most,
                pushes: u32::from(held.strategy.pushes()),
                scalar_count: memory.scalars.len() as u32,
                tangent_count: memory.tangents.len() as u32,
                location_count: memory.locations.len() as u32,
                reserved: 0,
                names: held.names.as_ptr(),
            };
            Ok(None)
        })
    }
}

unsafe extern "C" fn new_scratch() -> *mut c_void {
    Box::into_raw(Box::<Scratch>::default()).cast()
}

unsafe extern "C" fn free_scratch(scratch: *mut c_void) {
    // SAFETY: the host gives back what `new_scratch` made, once.
    unsafe {
        guard(core::ptr::null(), || {
            drop(Box::from_raw(scratch.cast::<Scratch>()));
            Ok(None)
        });
    }
}

// The casts below lend the host's arrays as this crate's types: same size, order and alignment.
const _: () = {
    assert!(size_of::<glam::Vec2>() == size_of::<abi::Vec2>());
    assert!(align_of::<glam::Vec2>() == align_of::<abi::Vec2>());
    assert!(size_of::<Neighbour>() == size_of::<abi::Neighbour>());
    assert!(align_of::<Neighbour>() == align_of::<abi::Neighbour>());
    assert!(offset_of!(Neighbour, velocity) == offset_of!(abi::Neighbour, velocity));
    assert!(size_of::<NearWall>() == size_of::<abi::NearWall>());
    assert!(align_of::<NearWall>() == align_of::<abi::NearWall>());
    assert!(offset_of!(NearWall, b) == offset_of!(abi::NearWall, b));
    assert!(offset_of!(NearWall, before) == offset_of!(abi::NearWall, before));
    assert!(offset_of!(NearWall, after) == offset_of!(abi::NearWall, after));
    assert!(offset_of!(NearWall, flags) == offset_of!(abi::NearWall, flags));
    assert!(offset_of!(NearWall, wall) == offset_of!(abi::NearWall, wall));
    assert!(size_of::<Location>() == size_of::<abi::Location>());
    assert!(align_of::<Location>() == align_of::<abi::Location>());
    assert!(offset_of!(Location, triangle) == offset_of!(abi::Location, triangle));
};

unsafe extern "C" fn steer<T: LocalAvoidance>(
    call: *const Call,
    instance: *const c_void,
    scratch: *mut c_void,
    chunk: *const abi::SteerIn,
    out: *const abi::SteerOut,
) -> Status {
    // SAFETY: instance and scratch are of this table; the host lends arrays of the lengths stated
    // in `SteerIn` and `SteerOut` until the call returns; layouts are asserted above.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T>>();
            let (given, out) = (&*chunk, &*out);
            let n = given.agents;
            let memory = held.strategy.memory();
            let chunk = SteerChunk {
                dt: given.dt,
                step: given.step,
                seed: given.seed,
                id: rows(given.id, n),
                tick: rows(given.tick, n),
                velocity: rows(given.velocity.cast(), n),
                heading: rows(given.heading.cast(), n),
                preferred: rows(given.preferred.cast(), n),
                target: rows(given.target.cast(), n),
                radius: rows(given.radius, n),
                max_speed: rows(given.max_speed, n),
                mass: rows(given.mass, n),
                neighbours: NeighbourRows {
                    start: rows(given.neighbour_start, n + 1),
                    seen: rows(given.neighbour_seen.cast(), given.neighbours),
                    radius: rows(given.neighbour_radius, given.neighbours),
                    flags: rows(given.neighbour_flags, given.neighbours),
                    id: rows(given.neighbour_id, given.neighbours),
                },
                walls: WallRows {
                    start: rows(given.wall_start, n + 1),
                    walls: rows(given.wall.cast(), given.walls),
                },
            };
            let mut answer = SteerOut {
                velocity: rows_mut(out.velocity.cast(), n),
                push: rows_mut(out.push.cast(), n),
                memory: MemoryRows {
                    scalars: rows_mut(out.scalars, n * memory.scalars.len()),
                    tangents: rows_mut(out.tangents.cast(), n * memory.tangents.len()),
                    locations: rows_mut(out.locations.cast(), n * memory.locations.len()),
                },
            };
            let scratch = &mut *scratch.cast::<Scratch>();
            held.strategy.steer(&chunk, scratch, &mut answer);
            Ok(held.strategy.fault())
        })
    }
}
