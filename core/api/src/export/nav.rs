//! Glue of slot `nav`: a [`NavRepresentation`] behind a [`NavTable`].
//!
//! The map is drawn into a [`NavMap`] of the library's own, which the strategy goes on reading,
//! and handed over to the host, which reads its copy.

use core::{cell::RefCell, ffi::c_void, marker::PhantomData};

use glam::Vec3;
use serde::{Serialize, de::DeserializeOwned};
use throng_abi::{self as abi, ABI_VERSION, Bytes, Call, NavTable, Status, rows, rows_mut, status};

use super::{
    describe::Export,
    guard::{Refusal, guard},
    held::{self, Beside, Held},
    site::site,
};
use crate::{Change, Gate, NavError, NavMap, NavRepresentation, Remap, Slot};

/// A map as a line of [`export_plugin!`](crate::export_plugin).
pub const fn nav<T>(id: &'static str, version: &'static str, origin: &'static str) -> Export
where
    T: NavRepresentation + Serialize + DeserializeOwned + 'static,
{
    Export {
        slot: Slot::Nav,
        id,
        version,
        origin,
        create: held::create::<T, NavMap>,
        destroy: held::destroy::<T, NavMap>,
        effective: held::effective::<T, NavMap>,
        table: table::<T>,
    }
}

impl<T> Beside<T> for NavMap {
    fn of(_: &T) -> NavMap {
        NavMap::default()
    }
}

struct Glue<T>(PhantomData<T>);

impl<T: NavRepresentation + 'static> Glue<T> {
    const TABLE: NavTable = NavTable {
        size: size_of::<NavTable>() as u32,
        version: ABI_VERSION,
        build: Some(build::<T>),
        attach: Some(attach::<T>),
        region_of: Some(region_of::<T>),
        emit_gates: Some(emit_gates::<T>),
        room_in: Some(room_in::<T>),
        gate_at: Some(gate_at::<T>),
        edge_line: Some(edge_line::<T>),
        edit: Some(edit::<T>),
        measures: Some(measures::<T>),
        bytes: Some(bytes::<T>),
    };
}

fn table<T: NavRepresentation + 'static>() -> *const c_void {
    let table: &'static NavTable = &Glue::<T>::TABLE;
    core::ptr::from_ref(table).cast()
}

thread_local! {
    /// Gates and points until they are handed over, so that a steady step needs no new memory.
    static GATES: RefCell<Vec<Gate>> = const { RefCell::new(Vec::new()) };
    static POINTS: RefCell<Vec<Vec3>> = const { RefCell::new(Vec::new()) };
}

fn refusal(error: NavError) -> Refusal {
    Refusal {
        status: match error {
            NavError::Unsupported(_) => status::UNSUPPORTED,
            _ => status::UNSUITABLE,
        },
        reason: match error {
            NavError::Unsupported(what) => what.into(),
            other => other.to_string(),
        },
    }
}

fn nothing() -> Refusal {
    Refusal {
        status: status::UNSUPPORTED,
        reason: String::new(),
    }
}

/// Gives a whole map to the host.
///
/// # Safety
/// The sink is the host's, of the call that is running now.
unsafe fn hand_over(map: &NavMap, out: &abi::MapSink) -> Result<(), Refusal> {
    let (nodes, edges, regions) = (map.nodes(), map.edges(), map.regions());
    let taken = |what: &str, given: Option<Status>| match given {
        Some(status::OK) => Ok(()),
        Some(_) => Err(Refusal::from(format!("the host refused the map's {what}"))),
        None => Err(Refusal::from(format!("the host takes no {what}"))),
    };
    let equal = |what: &str, found: usize, wanted: usize| match found == wanted {
        true => Ok(()),
        false => Err(Refusal::from(format!(
            "{what} has {found} entries, expected {wanted}"
        ))),
    };
    equal("node_region", map.node_region.len(), nodes)?;
    equal("edge_start", map.edge_start.len(), nodes + 1)?;
    equal("edge_from", map.edge_from.len(), edges)?;
    equal("edge_twin", map.edge_twin.len(), edges)?;
    equal("edge_length", map.edge_length.len(), edges)?;
    equal("edge_clearance", map.edge_clearance.len(), edges)?;
    equal("region_place", map.region_place.len(), regions)?;
    let door = if map.edge_door.is_empty() {
        core::ptr::null()
    } else {
        equal("edge_door", map.edge_door.len(), edges)?;
        map.edge_door.as_ptr()
    };
    let mut counts = Vec::new();
    let mut count = |what: &str, start: &[u32], rows: usize, entries: usize| {
        equal(what, start.len(), rows + 1)?;
        equal(what, start[rows] as usize, entries)?;
        counts.clear();
        for pair in start.windows(2) {
            let count = pair[1].checked_sub(pair[0]);
            counts.push(count.ok_or_else(|| Refusal::from(format!("{what} descends")))?);
        }
        Ok::<_, Refusal>(counts.as_ptr())
    };
    // SAFETY: the caller's promise; all arrays have the lengths that are handed over with them, and
    // layouts are asserted in `layout`.
    unsafe {
        let ctx = out.context;
        let given = out.nodes.map(|f| {
            f(
                ctx,
                nodes,
                map.node_place.as_ptr().cast(),
                map.node_region.as_ptr(),
            )
        });
        taken("nodes", given)?;
        let given = out.edges.map(|f| {
            f(
                ctx,
                edges,
                map.edge_from.as_ptr(),
                map.edge_to.as_ptr(),
                map.edge_twin.as_ptr(),
                map.edge_length.as_ptr(),
                map.edge_clearance.as_ptr(),
                door,
            )
        });
        taken("edges", given)?;
        if !map.gate_start.is_empty() {
            let count = count("gate_start", &map.gate_start, edges, map.gates.len())?;
            let given = out
                .gates
                .map(|f| f(ctx, edges, count, map.gates.as_ptr().cast()));
            taken("gates", given)?;
        }
        if !map.piece_start.is_empty() {
            let count = count("piece_start", &map.piece_start, edges, map.pieces.len())?;
            let given = out
                .pieces
                .map(|f| f(ctx, edges, count, map.pieces.as_ptr().cast()));
            taken("pieces", given)?;
        }
        let given = out.regions.map(|f| {
            f(
                ctx,
                regions,
                map.region_area.as_ptr(),
                map.region_place.as_ptr().cast(),
            )
        });
        taken("regions", given)?;
        if !map.region_ring_start.is_empty() {
            let (start, points) = (&map.region_ring_start, map.region_ring.len());
            let count = count("region_ring_start", start, regions, points)?;
            let given = out
                .rings
                .map(|f| f(ctx, regions, count, map.region_ring.as_ptr().cast()));
            taken("rings", given)?;
        }
        if map.dense_spacing != 0.0 {
            taken("spacing", out.dense.map(|f| f(ctx, map.dense_spacing)))?;
        }
    }
    Ok(())
}

unsafe extern "C" fn build<T: NavRepresentation>(
    call: *const Call,
    instance: *mut c_void,
    ground: *const abi::Site,
    out: *const abi::MapSink,
) -> Status {
    // SAFETY: an instance of `create` that nobody else uses now; the host lends site and sink.
    unsafe {
        guard(call, || {
            let held = &mut *instance.cast::<Held<T, NavMap>>();
            held.beside = NavMap::default();
            held.strategy
                .build(&site(ground), &mut held.beside)
                .map_err(refusal)?;
            hand_over(&held.beside, &*out)?;
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn attach<T: NavRepresentation>(
    call: *const Call,
    instance: *const c_void,
    ground: *const abi::Site,
    _: *const abi::Map,
    place: *const abi::Location,
    hint: *const u32,
    count: usize,
    out: *mut abi::Attachment,
) -> Status {
    // SAFETY: an instance of `create`; the host lends site and arrays of `count` entries; layouts
    // are asserted in `layout`.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, NavMap>>();
            held.strategy.attach(
                &site(ground),
                &held.beside,
                rows(place.cast(), count),
                rows(hint, count),
                rows_mut(out.cast(), count),
            );
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn region_of<T: NavRepresentation>(
    call: *const Call,
    instance: *const c_void,
    ground: *const abi::Site,
    _: *const abi::Map,
    place: *const abi::Location,
    hint: *const u32,
    count: usize,
    out: *mut u32,
) -> Status {
    // SAFETY: as in `attach`.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, NavMap>>();
            held.strategy.region_of(
                &site(ground),
                &held.beside,
                rows(place.cast(), count),
                rows(hint, count),
                rows_mut(out, count),
            );
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn emit_gates<T: NavRepresentation>(
    call: *const Call,
    instance: *const c_void,
    ground: *const abi::Site,
    _: *const abi::Map,
    edge: *const u32,
    count: usize,
    out: *const abi::GateSink,
) -> Status {
    // SAFETY: as in `attach`; the sink is the host's, until the call returns.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, NavMap>>();
            let mut gates = GATES.take();
            gates.clear();
            held.strategy
                .emit_gates(&site(ground), &held.beside, rows(edge, count), &mut gates);
            if let Some(append) = (*out).append {
                append((*out).context, gates.as_ptr().cast(), gates.len());
            }
            GATES.set(gates);
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn room_in<T: NavRepresentation>(
    call: *const Call,
    instance: *const c_void,
    _: *const abi::Map,
    place: *const abi::Location,
    way: *const abi::Vec2,
    region: *const u32,
    count: usize,
    out: *mut abi::Room,
) -> Status {
    // SAFETY: as in `attach`.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, NavMap>>();
            let (places, ways) = (rows(place.cast(), count), rows(way.cast(), count));
            let (regions, out) = (rows(region, count), rows_mut(out.cast(), count));
            let (strategy, map) = (&held.strategy, &held.beside);
            match strategy.room_in(map, places, ways, regions, out) {
                true => Ok(held.strategy.fault()),
                false => Err(nothing()),
            }
        })
    }
}

unsafe extern "C" fn gate_at<T: NavRepresentation>(
    call: *const Call,
    instance: *const c_void,
    ground: *const abi::Site,
    _: *const abi::Map,
    edge: u32,
    along: f32,
    out: *mut abi::Gate,
) -> Status {
    // SAFETY: as in `attach`, with one gate to write.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, NavMap>>();
            let gate = held
                .strategy
                .gate_at(&site(ground), &held.beside, edge, along)
                .ok_or_else(nothing)?;
            out.cast::<Gate>().write(gate);
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn edge_line<T: NavRepresentation>(
    call: *const Call,
    instance: *const c_void,
    ground: *const abi::Site,
    _: *const abi::Map,
    edge: u32,
    tolerance: f32,
    out: *const abi::PointSink,
) -> Status {
    // SAFETY: as in `emit_gates`.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, NavMap>>();
            let mut points = POINTS.take();
            points.clear();
            held.strategy
                .edge_line(&site(ground), &held.beside, edge, tolerance, &mut points);
            if let Some(append) = (*out).append {
                append((*out).context, points.as_ptr().cast(), points.len());
            }
            POINTS.set(points);
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn edit<T: NavRepresentation>(
    call: *const Call,
    instance: *mut c_void,
    ground: *const abi::Site,
    change: *const abi::Change,
    out: *const abi::MapSink,
) -> Status {
    // SAFETY: an instance of `create` that nobody else uses now; the host lends the rest.
    unsafe {
        guard(call, || {
            let held = &mut *instance.cast::<Held<T, NavMap>>();
            let (change, out) = (&*change, &*out);
            let ring = rows(change.ring.cast(), change.points).to_vec();
            let floor = change.floor as u16;
            let change = match change.kind {
                abi::change::ADD_SOLID => Change::AddSolid { ring, floor },
                abi::change::REMOVE_SOLID => Change::RemoveSolid { ring, floor },
                _ => return Err(refusal(NavError::Unsupported("an unknown change"))),
            };
            let Remap { edges, regions } = held
                .strategy
                .edit(&site(ground), &change, &mut held.beside)
                .map_err(refusal)?;
            hand_over(&held.beside, out)?;
            let Some(remap) = out.remap else {
                return Err("the host takes no remap".into());
            };
            let taken = remap(
                out.context,
                edges.len(),
                edges.as_ptr(),
                regions.len(),
                regions.as_ptr(),
            );
            if taken != status::OK {
                return Err("the host refused the remap".into());
            }
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn measures<T: NavRepresentation>(
    call: *const Call,
    instance: *const c_void,
    ground: *const abi::Site,
    out: *const abi::MeasureSink,
) -> Status {
    // SAFETY: as in `emit_gates`.
    unsafe {
        guard(call, || {
            let held = &*instance.cast::<Held<T, NavMap>>();
            if let Some(append) = (*out).append {
                for (name, value) in held.strategy.measures(&site(ground)) {
                    append((*out).context, Bytes::of(name.as_bytes()), value);
                }
            }
            Ok(held.strategy.fault())
        })
    }
}

unsafe extern "C" fn bytes<T: NavRepresentation>(instance: *const c_void) -> usize {
    let mut bytes = 0;
    // SAFETY: an instance of `create`.
    unsafe {
        guard(core::ptr::null(), || {
            let held = &*instance.cast::<Held<T, NavMap>>();
            bytes = held.strategy.bytes() + held.beside.bytes();
            Ok(None)
        });
    }
    bytes
}
