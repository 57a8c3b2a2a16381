//! Glue of slot `planner`: a [`GlobalPlanner`] behind a [`PlannerTable`].

use core::{ffi::c_void, marker::PhantomData};

use serde::{Serialize, de::DeserializeOwned};
use throng_abi::{
    self as abi, ABI_VERSION, Bytes, Call, PlannerProfile, PlannerTable, Sink, Status, no_route,
    route_kind, rows, rows_mut, status,
};

use super::{
    describe::Export,
    guard::{Refusal, guard},
    held::{self, Beside, ColumnNames, Held},
    world::{Mirror, with_world},
};
use crate::{
    GlobalPlanner, GuideChunk, GuideOut, MemoryRows, PlannerError, RouteKind, RouteRow, RouteSink,
    Scratch, Slot,
};

/// A planner as a line of [`export_plugin!`](crate::export_plugin).
pub const fn planner<T>(id: &'static str, version: &'static str, origin: &'static str) -> Export
where
    T: GlobalPlanner + Serialize + DeserializeOwned + 'static,
{
    Export {
        slot: Slot::Planner,
        id,
        version,
        origin,
        create: held::create::<T, Kept>,
        destroy: held::destroy::<T, Kept>,
        effective: held::effective::<T, Kept>,
        table: table::<T>,
    }
}

/// What is kept beside a planner.
struct Kept {
    names: ColumnNames,
    mirror: Mirror,
}

impl<T: GlobalPlanner> Beside<T> for Kept {
    fn of(strategy: &T) -> Kept {
        Kept {
            names: ColumnNames::of(strategy.memory()),
            mirror: Mirror::default(),
        }
    }
}

/// Scratch of a thread: the strategy's own, and answers until they are handed over.
#[derive(Default)]
struct Workplace {
    own: Scratch,
    routes: RouteSink,
    rows: Vec<abi::RouteRow>,
}

struct Glue<T>(PhantomData<T>);

impl<T: GlobalPlanner + 'static> Glue<T> {
    const TABLE: PlannerTable = PlannerTable {
        size: size_of::<PlannerTable>() as u32,
        version: ABI_VERSION,
        profile: Some(profile::<T>),
        new_scratch: Some(new_scratch),
        free_scratch: Some(free_scratch),
        plan: Some(plan::<T>),
        prepare: Some(prepare::<T>),
        guide: Some(guide::<T>),
        save: Some(save::<T>),
        load: Some(load::<T>),
    };
}

fn table<T: GlobalPlanner + 'static>() -> *const c_void {
    let table: &'static PlannerTable = &Glue::<T>::TABLE;
    core::ptr::from_ref(table).cast()
}

unsafe extern "C" fn profile<T: GlobalPlanner>(
    call: *const Call,
    instance: *const c_void,
    out: *mut PlannerProfile,
) -> Status {
    // SAFETY: an instance of `create`; the host lends the profile to be filled.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, Kept>>();
            let memory = held.strategy.memory();
            *out = PlannerProfile {
                size: size_of::<PlannerProfile>() as u32,
                version: ABI_VERSION,
                guides: u32::from(held.strategy.guides()),
                scalar_count: memory.scalars.len() as u32,
                tangent_count: memory.tangents.len() as u32,
                location_count: memory.locations.len() as u32,
                names: held.beside.names.0.as_ptr(),
            };
            Ok(None)
        })
    }
}

unsafe extern "C" fn new_scratch() -> *mut c_void {
    Box::into_raw(Box::<Workplace>::default()).cast()
}

unsafe extern "C" fn free_scratch(scratch: *mut c_void) {
    // SAFETY: the host gives back what `new_scratch` made, once.
    unsafe {
        guard(core::ptr::null(), || {
            drop(Box::from_raw(scratch.cast::<Workplace>()));
            Ok(None)
        });
    }
}

fn row(row: &RouteRow) -> abi::RouteRow {
    let (kind, why) = match row.kind {
        RouteKind::Edges => (route_kind::EDGES, no_route::FOUND),
        RouteKind::Gates => (route_kind::GATES, no_route::FOUND),
        RouteKind::Missing(why) => (route_kind::MISSING, why as u32),
    };
    abi::RouteRow {
        kind,
        why,
        first: row.first,
        count: row.count,
        invisible: row.invisible,
        into: row.into,
        length: row.length,
        cost: row.cost,
    }
}

unsafe extern "C" fn plan<T: GlobalPlanner>(
    call: *const Call,
    instance: *const c_void,
    scratch: *mut c_void,
    world: *const abi::World,
    request: *const abi::PlanRequest,
    requests: usize,
    out: *const abi::RouteSink,
) -> Status {
    // SAFETY: instance and scratch are of this table; the host lends world, requests and sink until
    // the call returns; layouts are asserted in `layout`.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, Kept>>();
            let place = &mut *scratch.cast::<Workplace>();
            let requests = rows(request.cast(), requests);
            place.routes.clear();
            with_world(&held.beside.mirror, world, |world| {
                held.strategy
                    .plan(world, requests, &mut place.own, &mut place.routes);
            });
            place.rows.clear();
            place.rows.extend(place.routes.rows.iter().map(row));
            let Some(append) = (*out).append else {
                return Err("the host gave no room for routes".into());
            };
            let taken = append(
                (*out).context,
                place.rows.as_ptr(),
                place.rows.len(),
                place.routes.edges.as_ptr(),
                place.routes.edges.len(),
                place.routes.gates.as_ptr().cast(),
                place.routes.gates.len(),
            );
            if taken != status::OK {
                return Err(format!(
                    "the host refused {} routes for {} requests",
                    place.rows.len(),
                    requests.len()
                )
                .into());
            }
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn prepare<T: GlobalPlanner>(
    call: *const Call,
    instance: *mut c_void,
    world: *const abi::World,
) -> Status {
    // SAFETY: an instance of `create` that nobody else uses now; the host lends the world.
    unsafe {
        guard(call, || {
            let held = &mut *instance.cast::<Held<T, Kept>>();
            held.beside.mirror.verify(world);
            with_world(&held.beside.mirror, world, |world| {
                held.strategy.prepare(world)
            })
            .map_err(|error| match error {
                PlannerError::Failed(reason) => Refusal::from(reason),
                other => Refusal {
                    status: status::UNSUITABLE,
                    reason: other.to_string(),
                },
            })?;
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn guide<T: GlobalPlanner>(
    call: *const Call,
    instance: *const c_void,
    scratch: *mut c_void,
    world: *const abi::World,
    chunk: *const abi::GuideIn,
    out: *const abi::GuideOut,
) -> Status {
    // SAFETY: instance and scratch are of this table; the host lends world and arrays of the
    // lengths stated until the call returns; layouts are asserted in `layout`.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, Kept>>();
            let place = &mut *scratch.cast::<Workplace>();
            let (given, out) = (&*chunk, &*out);
            let (n, memory) = (given.agents, held.strategy.memory());
            let chunk = GuideChunk {
                rows: rows(given.row, n),
                dt: given.dt,
            };
            let mut answer = GuideOut {
                preferred: rows_mut(out.preferred.cast(), n),
                target: rows_mut(out.target.cast(), n),
                follow_route: rows_mut(out.follow_route, n),
                memory: MemoryRows {
                    scalars: rows_mut(out.scalars, n * memory.scalars.len()),
                    tangents: rows_mut(out.tangents.cast(), n * memory.tangents.len()),
                    locations: rows_mut(out.locations.cast(), n * memory.locations.len()),
                },
            };
            with_world(&held.beside.mirror, world, |world| {
                held.strategy
                    .guide(world, &chunk, &mut place.own, &mut answer);
            });
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn save<T: GlobalPlanner>(
    call: *const Call,
    instance: *const c_void,
    out: *const Sink,
) -> Status {
    // SAFETY: an instance of `create`; the sink is the host's, until the call returns.
    unsafe {
        guard(call, || {
            let mut bytes = Vec::new();
            (*instance.cast::<Held<T, Kept>>())
                .strategy
                .save(&mut bytes);
            (*out).append(&bytes);
            Ok(None)
        })
    }
}

unsafe extern "C" fn load<T: GlobalPlanner>(
    call: *const Call,
    instance: *mut c_void,
    saved: Bytes,
) -> Status {
    // SAFETY: an instance of `create` that nobody else uses now; the host lends the bytes.
    unsafe {
        guard(call, || {
            let held = &mut *instance.cast::<Held<T, Kept>>();
            held.strategy.load(saved.get()).map_err(|e| e.reason)?;
            Ok(None)
        })
    }
}
