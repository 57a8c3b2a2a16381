//! A loaded map behind the ordinary trait.

use core::ffi::c_void;
use std::sync::Arc;

use glam::{Vec2, Vec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use throng_abi::{self as abi, ABI_VERSION, Bytes, NavTable, rows, status};
use throng_core::{
    Attachment, Change, EdgeId, Gate, Location, NONE, NavError, NavMap, NavRepresentation,
    RegionId, Remap, Room, Site,
};

use super::{
    columns::{lent, lent_mut},
    drawing::Drawing,
    instance::{Instance, Key, Kind, Refusal, UNEQUAL},
    intern,
    planner::gate_is_good,
    site::{map_table, with_site},
};
use crate::registry::CreateError;

/// An index that no map gives: what is still there afterwards was not written.
const UNWRITTEN: u32 = NONE - 1;
/// Most gates or points that are taken for one question.
const MOST_EMITTED: usize = 1 << 24;
/// Most figures of a map.
const MOST_MEASURES: usize = 1000;

/// A map from a library.
#[derive(Debug)]
pub struct ForeignNav {
    instance: Instance,
    table: &'static NavTable,
}

/// What a call over the border gave: whether it was done, or nothing where arrays do not fit.
type Done = Option<Result<(), Refusal>>;

impl ForeignNav {
    /// Makes one; `table` belongs to the descriptor of `kind`.
    pub(super) fn create(
        kind: &Arc<Kind>,
        table: &'static NavTable,
        options: &toml::Table,
    ) -> Result<ForeignNav, CreateError> {
        let instance = Instance::create(kind, options)?;
        Ok(ForeignNav { instance, table })
    }

    /// Every option, as the library has taken them.
    pub fn options(&self) -> &toml::Table {
        self.instance.options()
    }

    fn unsuitable(&self, reason: &str) -> NavError {
        NavError::Unsuitable {
            reason: format!("{}: {reason}", self.instance.kind()),
        }
    }

    /// The error of a call that draws.
    fn nav_error(&self, drawing: &mut Drawing, refusal: Refusal) -> NavError {
        match (refusal.status, drawing.problem()) {
            (status::UNSUPPORTED, _) => NavError::Unsupported("the loaded map is rebuilt instead"),
            (status::UNSUITABLE, _) => NavError::Unsuitable {
                reason: refusal.said,
            },
            (_, Some(problem)) => self.unsuitable(&problem),
            _ => NavError::Unsuitable {
                reason: refusal.text,
            },
        }
    }

    /// Asks with site and map at hand. Logs everything but "not supported".
    fn ask(
        &self,
        key: Key,
        site: &Site<'_>,
        map: &NavMap,
        run: impl FnOnce(*const abi::Call, *mut c_void, &abi::Site, &abi::Map) -> abi::Status,
    ) -> bool {
        let done = map_table(map).and_then(|map| {
            with_site(site, |site| {
                self.instance
                    .attempt(key, |call, instance| run(call, instance, site, &map))
            })
        });
        self.settle(key, done)
    }

    fn settle(&self, key: Key, done: Done) -> bool {
        match done {
            Some(Ok(())) => return true,
            Some(Err(refusal)) if refusal.status == status::UNSUPPORTED => {}
            Some(Err(refusal)) => self.instance.fault_as(key, refusal.text),
            None => self.instance.fault(key, UNEQUAL, 1),
        }
        false
    }

    /// Replaces what is not good in the answers for places, and logs the first of them.
    fn mend<T: Copy>(
        &self,
        places: &[Location],
        out: &mut [T],
        good: impl Fn(&T) -> bool,
        instead: T,
        words: impl Fn(&T) -> String,
    ) {
        if out.iter().fold(true, |all, value| all & good(value)) {
            return;
        }
        for (place, value) in places.iter().zip(out) {
            if !good(value) {
                let text = format!("for the place {}: {}", place.point, words(value));
                self.instance.fault(key_of(place), &text, 1);
                *value = instead;
            }
        }
    }
}

/// Orders what goes wrong by place.
fn key_of(place: &Location) -> Key {
    let [x, y, z] = place.point.to_array().map(f32::to_bits);
    (u64::from(x) << 32 | u64::from(y), u64::from(z))
}

fn first_key(places: &[Location]) -> Key {
    places.iter().map(key_of).min().unwrap_or_default()
}

/// A vector that grows as a library appends, up to a limit.
struct Growing<'a, T> {
    entries: &'a mut Vec<T>,
    most: usize,
}

unsafe extern "C" fn grow_gates(context: *mut c_void, gate: *const abi::Gate, count: usize) {
    // SAFETY: the context is of the `emit_gates` that is running; the library lends the gates,
    // whose layout is asserted in throng-core.
    unsafe { grow::<Gate>(context, rows(gate.cast(), count)) }
}

unsafe extern "C" fn grow_points(context: *mut c_void, point: *const abi::Vec3, count: usize) {
    // SAFETY: as above, of `edge_line`.
    unsafe { grow::<Vec3>(context, rows(point.cast(), count)) }
}

/// # Safety
/// The context is a `Growing` of this type whose call is running.
unsafe fn grow<T: Copy>(context: *mut c_void, more: &[T]) {
    // SAFETY: the caller's promise.
    let growing = unsafe { &mut *context.cast::<Growing<'_, T>>() };
    let room = growing.most.saturating_sub(growing.entries.len());
    growing
        .entries
        .extend_from_slice(&more[..more.len().min(room)]);
}

unsafe extern "C" fn take_measure(context: *mut c_void, name: Bytes, value: f64) {
    // SAFETY: the context is the list of the `measures` that is running; the library lends the
    // name.
    let (list, name) = unsafe { (&mut *context.cast::<Vec<(&'static str, f64)>>(), name.get()) };
    if list.len() < MOST_MEASURES {
        list.push((intern::text(&String::from_utf8_lossy(name)), value));
    }
}

#[typetag::serde(name = "@foreign-nav")]
impl NavRepresentation for ForeignNav {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        let Some(build) = self.table.build else {
            return Err(self.unsuitable("it has no build"));
        };
        let mut drawing = Drawing::default();
        let sink = drawing.sink();
        let done = with_site(site, |site| {
            self.instance.attempt((0, 0), |call, instance| {
                // SAFETY: the instance is this table's and `&mut self` keeps other calls out;
                // `with_site` has checked the lengths, and throng-core asserts the layouts; site
                // and drawing live until the call returns, and nothing else touches the drawing.
                unsafe { build(call, instance, site, &sink) }
            })
        });
        match done {
            Some(Ok(())) => {}
            Some(Err(refusal)) => return Err(self.nav_error(&mut drawing, refusal)),
            None => return Err(self.unsuitable(UNEQUAL)),
        }
        let (drawn, _) = drawing
            .finish(&site.ground, map.revision)
            .map_err(|reason| self.unsuitable(&format!("its map is wrong: {reason}")))?;
        *map = drawn;
        Ok(())
    }

    fn attach(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [Attachment],
    ) {
        let key = first_key(places);
        let n = places.len();
        let Some(attach) = self
            .table
            .attach
            .filter(|_| [hints.len(), out.len()] == [n; 2])
        else {
            self.instance.fault(key, UNEQUAL, 1);
            out.fill(Attachment::NOWHERE);
            return;
        };
        if n == 0 {
            return;
        }
        out.fill(Attachment {
            node: UNWRITTEN,
            ..Attachment::NOWHERE
        });
        let done = self.ask(key, site, map, |call, instance, site, map| {
            // SAFETY: the instance is this table's; site and map were checked when their tables
            // were made, the other lengths above; throng-core asserts the layouts.
            unsafe {
                let out = lent_mut(out);
                attach(call, instance, site, map, lent(places), lent(hints), n, out)
            }
        });
        if !done {
            out.fill(Attachment::NOWHERE);
            return;
        }
        let (nodes, edges) = (map.nodes(), map.edges());
        let good = |a: &Attachment| {
            (a.node == NONE || (a.node as usize) < nodes)
                && (a.edge == NONE || (a.edge as usize) < edges)
                && (0.0..=1.0).contains(&a.along)
                && a.distance >= 0.0
        };
        self.mend(places, out, good, Attachment::NOWHERE, |a| {
            if a.node == UNWRITTEN {
                "the attachment was not written".into()
            } else {
                format!("it is attached to {a:?}; there are {nodes} nodes and {edges} edges")
            }
        });
    }

    fn region_of(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [RegionId],
    ) {
        let key = first_key(places);
        let n = places.len();
        let Some(region_of) = self
            .table
            .region_of
            .filter(|_| [hints.len(), out.len()] == [n; 2])
        else {
            self.instance.fault(key, UNEQUAL, 1);
            out.fill(0);
            return;
        };
        if n == 0 {
            return;
        }
        out.fill(UNWRITTEN);
        let done = self.ask(key, site, map, |call, instance, site, map| {
            // SAFETY: as in `attach`.
            unsafe {
                let out = lent_mut(out);
                region_of(call, instance, site, map, lent(places), lent(hints), n, out)
            }
        });
        if !done {
            out.fill(0);
            return;
        }
        let regions = map.regions();
        let good = |region: &u32| *region == NONE || (*region as usize) < regions;
        self.mend(places, out, good, 0, |region| {
            if *region == UNWRITTEN {
                "the region was not written".into()
            } else {
                format!("its region is {region} of {regions}")
            }
        });
    }

    fn emit_gates(&self, site: &Site<'_>, map: &NavMap, edges: &[EdgeId], out: &mut Vec<Gate>) {
        // Gates of the map were checked when it was drawn, and need no call for every agent that
        // passes one.
        let made = map.gate_start.is_empty().then_some(self.table.emit_gates);
        let Some(emit) = made.flatten() else {
            return map.append_gates(edges, out);
        };
        if edges.is_empty() {
            return;
        }
        let key = (u64::from(edges[0]), edges.len() as u64);
        let before = out.len();
        let mut growing = Growing {
            most: before + MOST_EMITTED,
            entries: out,
        };
        let sink = abi::GateSink {
            context: (&raw mut growing).cast(),
            append: Some(grow_gates),
        };
        let done = self.ask(key, site, map, |call, instance, site, map| {
            // SAFETY: as in `attach`; the gates grow in a vector that is borrowed until the call
            // returns, and nothing else touches it.
            unsafe { emit(call, instance, site, map, lent(edges), edges.len(), &sink) }
        });
        let triangles = site.ground.triangles.len();
        let bad = out[before..]
            .iter()
            .position(|gate| !gate_is_good(gate, triangles));
        if let Some(at) = bad {
            let gate = out[before + at];
            let text = format!("gate {at} of the route from edge {} is {gate:?}", edges[0]);
            self.instance.fault(key, &text, 1);
        }
        if !done || bad.is_some() {
            out.truncate(before);
            map.append_gates(edges, out);
        }
    }

    fn room_in(
        &self,
        map: &NavMap,
        places: &[Location],
        ways: &[Vec2],
        regions: &[RegionId],
        out: &mut [Room],
    ) -> bool {
        let key = first_key(places);
        let n = places.len();
        let Some(room_in) = self.table.room_in else {
            return false;
        };
        if [ways.len(), regions.len(), out.len()] != [n; 3] {
            self.instance.fault(key, UNEQUAL, 1);
            return false;
        }
        if n == 0 {
            return true;
        }
        out.fill(Room {
            centre: Vec2::NAN,
            radius: f32::NAN,
        });
        let done = map_table(map).map(|map| {
            self.instance.attempt(key, |call, instance| {
                // SAFETY: as in `attach`.
                unsafe {
                    let (places, ways) = (lent(places), lent(ways));
                    let (regions, out) = (lent(regions), lent_mut(out));
                    room_in(call, instance, &map, places, ways, regions, n, out)
                }
            })
        });
        if !self.settle(key, done) {
            out.fill(Room::default());
            return false;
        }
        self.mend(
            places,
            out,
            |room| room.radius >= 0.0 && room.centre.is_finite(),
            Room::default(),
            |room| format!("its room is {} m about {}", room.radius, room.centre),
        );
        true
    }

    fn gate_at(&self, site: &Site<'_>, map: &NavMap, edge: EdgeId, along: f32) -> Option<Gate> {
        let gate_at = self.table.gate_at?;
        let key = (u64::from(edge), u64::from(along.to_bits()));
        let mut gate = Gate {
            left: Vec3::NAN,
            ..Gate::waypoint(Location::NOWHERE)
        };
        let done = self.ask(key, site, map, |call, instance, site, map| {
            // SAFETY: as in `attach`, with one gate to write.
            unsafe {
                gate_at(
                    call,
                    instance,
                    site,
                    map,
                    edge,
                    along,
                    (&raw mut gate).cast(),
                )
            }
        });
        if done && !gate_is_good(&gate, site.ground.triangles.len()) {
            let text = format!("the gate of edge {edge} at {along} is {gate:?}");
            self.instance.fault(key, &text, 1);
            return None;
        }
        done.then_some(gate)
    }

    fn edge_line(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        edge: EdgeId,
        tolerance: f32,
        out: &mut Vec<Vec3>,
    ) {
        let middles = |out: &mut Vec<Vec3>| {
            let e = edge as usize;
            if let (Some(&first), Some(&end)) = (map.gate_start.get(e), map.gate_start.get(e + 1)) {
                let gates = &map.gates[first as usize..end as usize];
                out.extend(gates.iter().map(|gate| gate.middle));
            }
        };
        let Some(edge_line) = self.table.edge_line else {
            return middles(out);
        };
        let key = (u64::from(edge), u64::from(tolerance.to_bits()));
        let before = out.len();
        let mut growing = Growing {
            most: before + MOST_EMITTED,
            entries: out,
        };
        let sink = abi::PointSink {
            context: (&raw mut growing).cast(),
            append: Some(grow_points),
        };
        let done = self.ask(key, site, map, |call, instance, site, map| {
            // SAFETY: as in `emit_gates`.
            unsafe { edge_line(call, instance, site, map, edge, tolerance, &sink) }
        });
        if !done || out[before..].iter().any(|point| !point.is_finite()) {
            if done {
                let text = format!("the line of edge {edge} is not finite");
                self.instance.fault(key, &text, 1);
            }
            out.truncate(before);
            middles(out);
        }
    }

    fn edit(
        &mut self,
        site: &Site<'_>,
        change: &Change,
        map: &mut NavMap,
    ) -> Result<Remap, NavError> {
        let Some(edit) = self.table.edit else {
            return Err(NavError::Unsupported("this map is rebuilt instead"));
        };
        let (kind, ring, floor) = match change {
            Change::AddSolid { ring, floor } => (abi::change::ADD_SOLID, ring, *floor),
            Change::RemoveSolid { ring, floor } => (abi::change::REMOVE_SOLID, ring, *floor),
            _ => return Err(NavError::Unsupported("libraries know no such change")),
        };
        let change = abi::Change {
            size: size_of::<abi::Change>() as u32,
            version: ABI_VERSION,
            kind,
            floor: u32::from(floor),
            points: ring.len(),
            ring: lent(ring),
        };
        let mut drawing = Drawing::default();
        let sink = drawing.sink();
        let done = with_site(site, |site| {
            self.instance.attempt((0, 0), |call, instance| {
                // SAFETY: as in `build`; the ring is borrowed until the call returns.
                unsafe { edit(call, instance, site, &change, &sink) }
            })
        });
        match done {
            Some(Ok(())) => {}
            Some(Err(refusal)) => return Err(self.nav_error(&mut drawing, refusal)),
            None => return Err(self.unsuitable(UNEQUAL)),
        }
        let wrong = |reason: String| self.unsuitable(&format!("its edited map is wrong: {reason}"));
        let (drawn, remap) = drawing
            .finish(&site.ground, map.revision + 1)
            .map_err(wrong)?;
        let remap = remap.ok_or_else(|| wrong("it does not say where old ids went".into()))?;
        let within =
            |ids: &[u32], most: usize| ids.iter().all(|id| *id == NONE || (*id as usize) < most);
        if remap.edges.len() != map.edges()
            || remap.regions.len() != map.regions()
            || !within(&remap.edges, drawn.edges())
            || !within(&remap.regions, drawn.regions())
        {
            return Err(wrong("old ids are not all mapped to new ones".into()));
        }
        *map = drawn;
        Ok(remap)
    }

    fn measures(&self, site: &Site<'_>) -> Vec<(&'static str, f64)> {
        let Some(measures) = self.table.measures else {
            return Vec::new();
        };
        let mut list = Vec::new();
        let sink = abi::MeasureSink {
            context: (&raw mut list).cast(),
            append: Some(take_measure),
        };
        let done = with_site(site, |site| {
            self.instance.attempt((0, 0), |call, instance| {
                // SAFETY: as in `attach`; the list is borrowed until the call returns.
                unsafe { measures(call, instance, site, &sink) }
            })
        });
        self.settle((0, 0), done);
        list
    }

    fn bytes(&self) -> usize {
        // SAFETY: the instance is this table's.
        self.table
            .bytes
            .map_or(0, |bytes| unsafe { bytes(self.instance.pointer()) })
    }

    fn fault(&self) -> Option<String> {
        self.instance.take_fault()
    }
}

impl Serialize for ForeignNav {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.instance.options().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ForeignNav {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "a loaded strategy is chosen by its own id, not by this name",
        ))
    }
}
