//! Glue of slot `avoidance`: a [`LocalAvoidance`] behind an [`AvoidanceTable`].

use core::{ffi::c_void, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};
use throng_abi::{
    self as abi, ABI_VERSION, AvoidanceProfile, AvoidanceTable, Call, Status, rows, rows_mut,
};

use super::{
    describe::Export,
    guard::guard,
    held::{self, Beside, ColumnNames},
};
use crate::{
    LocalAvoidance, MemoryRows, NeighbourRows, Scratch, Slot, SteerChunk, SteerOut, WallRows,
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
        create: held::create::<T, ColumnNames>,
        destroy: held::destroy::<T, ColumnNames>,
        effective: held::effective::<T, ColumnNames>,
        table: table::<T>,
    }
}

type Held<T> = held::Held<T, ColumnNames>;

impl<T: LocalAvoidance> Beside<T> for ColumnNames {
    fn of(strategy: &T) -> ColumnNames {
        ColumnNames::of(strategy.memory())
    }
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
        longest_step: Some(longest_step::<T>),
    };
}

fn table<T: LocalAvoidance + 'static>() -> *const c_void {
    let table: &'static AvoidanceTable = &Glue::<T>::TABLE;
    core::ptr::from_ref(table).cast()
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
                habits: u32::from(held.strategy.alternates()) * abi::habit::ALTERNATES
                    + u32::from(held.strategy.keeps_apart()) * abi::habit::KEEPS_APART,
                names: held.beside.0.as_ptr(),
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

unsafe extern "C" fn steer<T: LocalAvoidance>(
    call: *const Call,
    instance: *const c_void,
    scratch: *mut c_void,
    chunk: *const abi::SteerIn,
    out: *const abi::SteerOut,
) -> Status {
    // SAFETY: instance and scratch are of this table; the host lends arrays of the lengths stated
    // in `SteerIn` and `SteerOut` until the call returns; layouts are asserted in `layout`.
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
                pressed: rows_mut(out.pressed, n),
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

unsafe extern "C" fn longest_step<T: LocalAvoidance>(instance: *const c_void, fastest: f32) -> f32 {
    let mut seconds = f32::NAN;
    // SAFETY: an instance of `create`.
    unsafe {
        guard(core::ptr::null(), || {
            seconds = (*instance.cast::<Held<T>>()).strategy.longest_step(fastest);
            Ok(None)
        });
    }
    seconds
}
