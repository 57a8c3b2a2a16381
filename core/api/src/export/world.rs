//! The world as a strategy in a library sees it: the host's arrays, lent, and the host's own
//! answers where the strategy asks the map or the crowd cells.
//!
//! A [`NavMap`] and [`Prices`] own their arrays, so those are copied; the host's stamps say when
//! they have changed, which the map hardly ever has and prices have once per epoch.

use core::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use glam::{Vec2, Vec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use throng_abi::{self as abi, rows, status};

use super::{cost::crowd_view, held::Beside, site::site};
use crate::{
    AgentsView, Attachment, Departure, EdgeId, EdgePrices, Gate, Location, NavError, NavMap,
    NavRepresentation, Prices, RegionId, Room, RoutesView, SegmentPrice, SegmentPricing, Site,
    World,
};

/// Something copied from the host, and the host's stamp of it; 0 before the first copy.
type Stamped<T> = Mutex<Arc<(u64, T)>>;

/// Copies of what the world owns, beside an instance.
#[derive(Default)]
pub(super) struct Mirror {
    map: Stamped<NavMap>,
    prices: Stamped<(Vec<Prices>, Vec<EdgePrices>)>,
}

impl<T> Beside<T> for Mirror {
    fn of(_: &T) -> Mirror {
        Mirror::default()
    }
}

impl Mirror {
    /// Asserts, in development builds, that the copies are what the host holds now: a host that
    /// changes a map or prices without changing their stamp is found out here.
    ///
    /// # Safety
    /// `world` is the host's, whose tables and arrays are lent until this returns.
    pub(super) unsafe fn verify(&self, world: *const abi::World) {
        if !cfg!(debug_assertions) {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let given = &*world;
            let kept = self.map.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.0 == given.map_stamp {
                let (map, from) = (&kept.1, &*given.map);
                assert_eq!(map.edge_to, rows(from.edge_to, from.edges), "a stale map");
                assert_eq!(
                    map.edge_length,
                    rows(from.edge_length, from.edges),
                    "a stale map"
                );
            }
            let kept = self.prices.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.0 == given.price_stamp {
                let tables = rows(given.price, given.prices);
                for ((own, over_edges), from) in kept.1.0.iter().zip(&kept.1.1).zip(tables) {
                    assert_eq!(own.base, rows(from.base, from.entries), "stale prices");
                    assert_eq!(own.crowd, rows(from.crowd, from.entries), "stale prices");
                    assert_eq!(
                        over_edges.crowd,
                        rows(from.edge_crowd, from.edges),
                        "stale prices"
                    );
                }
            }
        }
    }
}

/// The copy with this stamp: the one there is, or a new one.
fn current<T: Default>(kept: &Stamped<T>, stamp: u64, copy: impl FnOnce(&mut T)) -> Arc<(u64, T)> {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.0 != stamp {
        match Arc::get_mut(&mut kept) {
            Some(own) => {
                own.0 = 0;
                copy(&mut own.1);
                own.0 = stamp;
            }
            None => {
                let mut fresh = T::default();
                copy(&mut fresh);
                *kept = Arc::new((stamp, fresh));
            }
        }
    }
    Arc::clone(&kept)
}

/// Replaces a column by the host's.
///
/// # Safety
/// As for [`rows`].
unsafe fn copy<T: Clone>(column: &mut Vec<T>, from: *const T, count: usize) {
    column.clear();
    // SAFETY: the caller's promise.
    column.extend_from_slice(unsafe { rows(from, count) });
}

/// # Safety
/// The host lends arrays of the lengths stated, or null ones.
unsafe fn copy_map(map: &mut NavMap, from: &abi::Map) {
    let (nodes, edges, regions) = (from.nodes, from.edges, from.regions);
    // SAFETY: the caller's promise; layouts are asserted in `layout`.
    unsafe {
        copy(&mut map.node_place, from.node_place.cast(), nodes);
        copy(&mut map.node_region, from.node_region, nodes);
        copy(&mut map.edge_start, from.edge_start, nodes + 1);
        copy(&mut map.edge_from, from.edge_from, edges);
        copy(&mut map.edge_to, from.edge_to, edges);
        copy(&mut map.edge_twin, from.edge_twin, edges);
        copy(&mut map.edge_length, from.edge_length, edges);
        copy(&mut map.edge_clearance, from.edge_clearance, edges);
        copy(&mut map.edge_door, from.edge_door, edges);
        copy(&mut map.gate_start, from.gate_start, edges + 1);
        copy(&mut map.gates, from.gate.cast(), from.gates);
        copy(&mut map.piece_start, from.piece_start, edges + 1);
        copy(&mut map.pieces, from.piece.cast(), from.pieces);
        copy(&mut map.region_area, from.region_area, regions);
        copy(&mut map.region_place, from.region_place.cast(), regions);
        copy(
            &mut map.region_ring_start,
            from.region_ring_start,
            regions + 1,
        );
        copy(
            &mut map.region_ring,
            from.region_ring.cast(),
            from.ring_points,
        );
    }
    map.dense_spacing = from.dense_spacing;
    map.revision = from.revision;
}

/// # Safety
/// The host lends arrays of the lengths stated, or null ones.
unsafe fn copy_prices(to: &mut (Vec<Prices>, Vec<EdgePrices>), from: &[abi::PriceView]) {
    to.0.resize_with(from.len(), Prices::default);
    to.1.resize_with(from.len(), EdgePrices::default);
    for (from, (prices, over_edges)) in from.iter().zip(to.0.iter_mut().zip(&mut to.1)) {
        prices.directions = from.directions;
        prices.slices = from.slices;
        prices.slice_seconds = from.slice_seconds;
        prices.uniform = (from.is_uniform != 0).then_some(from.uniform);
        prices.least_base = from.least_base;
        // SAFETY: the caller's promise.
        unsafe {
            copy(&mut prices.base, from.base, from.entries);
            copy(&mut prices.crowd, from.crowd, from.entries);
            copy(&mut prices.blocked, from.blocked, from.blocked_words);
            copy(&mut over_edges.base, from.edge_base, from.edges);
            copy(&mut over_edges.crowd, from.edge_crowd, from.edges);
        }
    }
}

/// # Safety
/// The host lends columns of the length stated, or null ones, for `'a`.
unsafe fn agents<'a>(agents: &abi::Agents) -> AgentsView<'a> {
    let n = agents.agents;
    // SAFETY: the caller's promise; layouts are asserted in `layout`.
    unsafe {
        AgentsView {
            id: rows(agents.id, n),
            location: rows(agents.location.cast(), n),
            frame: rows(agents.frame.cast(), n),
            velocity: rows(agents.velocity.cast(), n),
            heading: rows(agents.heading.cast(), n),
            preferred: rows(agents.preferred.cast(), n),
            radius: rows(agents.radius, n),
            speed: rows(agents.speed, n),
            mass: rows(agents.mass, n),
            lane: rows(agents.lane, n),
            weight: rows(agents.weight, n),
            class: rows(agents.route_class, n),
            goal: rows(agents.goal, n),
            target: rows(agents.target.cast(), n),
            region: rows(agents.region, n),
            tier: rows(agents.tier, n),
            group: rows(agents.group, n),
        }
    }
}

/// Shows a strategy the host's world.
///
/// # Safety
/// `world` is the host's, whose tables and arrays are lent until `run` returns.
pub(super) unsafe fn with_world<R>(
    mirror: &Mirror,
    world: *const abi::World,
    run: impl FnOnce(&World<'_>) -> R,
) -> R {
    // SAFETY: the caller's promise; layouts are asserted in `layout`.
    unsafe {
        let given = &*world;
        let prices = rows(given.price, given.prices);
        let map = current(&mirror.map, given.map_stamp, |map| {
            copy_map(map, &*given.map);
        });
        let priced = current(&mirror.prices, given.price_stamp, |tables| {
            copy_prices(tables, prices);
        });
        debug_assert_eq!(map.1.nodes(), (*given.map).nodes, "a stale map");
        debug_assert_eq!(map.1.edges(), (*given.map).edges, "a stale map");
        debug_assert_eq!(priced.1.0.len(), prices.len(), "stale prices");
        let routes = given.routes;
        run(&World {
            time: given.time,
            step: given.step,
            dt: given.dt,
            seed: given.seed,
            site: site(given.site),
            map: &map.1,
            nav: &HostNav(world),
            crowd: crowd_view(&*given.crowd),
            cells: &HostCells(world),
            prices: &priced.1.0,
            edge_prices: &priced.1.1,
            classes: rows(given.route_class.cast(), given.classes),
            goals: rows(given.goal.cast(), given.goals),
            goal_nodes: rows(given.goal_node, given.goal_nodes),
            agents: agents(&*given.agents),
            routes: RoutesView {
                edges: rows(given.route_edge, given.route_edges),
                first: rows(given.route_first, routes),
                count: rows(given.route_count, routes),
                invisible: rows(given.route_invisible, routes),
            },
            tier_levels: rows(given.tier_level, given.tiers),
            interest: rows(given.interest.cast(), given.interests),
            movers: rows(given.mover.cast(), given.movers),
            camera: given.camera.cast::<crate::CameraView>().as_ref().copied(),
            epoch: given.epoch,
        })
    }
}

/// Ends the call where the host cannot answer: the arguments are not of its world.
fn refused(what: &str, status: abi::Status) -> ! {
    panic!("the host cannot answer {what} (status {status}): the arguments are not of its world")
}

/// The host's map: [`World::nav`] of a strategy in a library.
#[derive(Debug)]
struct HostNav(*const abi::World);

// SAFETY: the world's functions may be called on any thread while its call runs, and a strategy
// sees this no longer than that.
unsafe impl Send for HostNav {}
// SAFETY: as above.
unsafe impl Sync for HostNav {}

impl HostNav {
    fn world(&self) -> &abi::World {
        // SAFETY: made by `with_world`, which outlives it.
        unsafe { &*self.0 }
    }
}

unsafe extern "C" fn take_gates(context: *mut c_void, gate: *const abi::Gate, count: usize) {
    // SAFETY: the context is the vector of the `emit_gates` that is running; the host lends the
    // gates, whose layout is asserted in `layout`.
    unsafe { (*context.cast::<Vec<Gate>>()).extend_from_slice(rows(gate.cast(), count)) }
}

unsafe extern "C" fn take_points(context: *mut c_void, point: *const abi::Vec3, count: usize) {
    // SAFETY: as above, of `edge_line`.
    unsafe { (*context.cast::<Vec<Vec3>>()).extend_from_slice(rows(point.cast(), count)) }
}

#[typetag::serde(name = "@host-nav")]
impl NavRepresentation for HostNav {
    fn build(&mut self, _: &Site<'_>, _: &mut NavMap) -> Result<(), NavError> {
        Err(NavError::Unsupported("the host draws its map"))
    }

    fn attach(
        &self,
        _: &Site<'_>,
        _: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [Attachment],
    ) {
        let n = places.len().min(out.len());
        assert!(hints.len() >= n, "fewer hints than places");
        let Some(attach) = self.world().attach else {
            refused("attach", status::UNSUPPORTED)
        };
        // SAFETY: the host's world; all arrays have n entries or more.
        let status = unsafe {
            attach(
                self.0,
                places.as_ptr().cast(),
                hints.as_ptr(),
                n,
                out.as_mut_ptr().cast(),
            )
        };
        if status != status::OK {
            refused("attach", status);
        }
    }

    fn region_of(
        &self,
        _: &Site<'_>,
        _: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [RegionId],
    ) {
        let n = places.len().min(out.len());
        assert!(hints.len() >= n, "fewer hints than places");
        let Some(region_of) = self.world().region_of else {
            refused("region_of", status::UNSUPPORTED)
        };
        // SAFETY: the host's world; all arrays have n entries or more.
        let status = unsafe {
            region_of(
                self.0,
                places.as_ptr().cast(),
                hints.as_ptr(),
                n,
                out.as_mut_ptr(),
            )
        };
        if status != status::OK {
            refused("region_of", status);
        }
    }

    fn emit_gates(&self, _: &Site<'_>, _: &NavMap, edges: &[EdgeId], out: &mut Vec<Gate>) {
        let Some(gates) = self.world().gates else {
            refused("gates", status::UNSUPPORTED)
        };
        let sink = abi::GateSink {
            context: core::ptr::from_mut(out).cast(),
            append: Some(take_gates),
        };
        // SAFETY: the host's world; the sink's vector is borrowed until the call returns.
        let status = unsafe { gates(self.0, edges.as_ptr(), edges.len(), &sink) };
        if status != status::OK {
            refused("gates", status);
        }
    }

    fn room_in(
        &self,
        _: &NavMap,
        places: &[Location],
        ways: &[Vec2],
        regions: &[RegionId],
        out: &mut [Room],
    ) -> bool {
        let n = places.len().min(out.len());
        assert!(regions.len() >= n, "fewer regions than places");
        assert!(ways.len() >= n, "fewer ways than places");
        let Some(room_in) = self.world().room_in else {
            return false;
        };
        // SAFETY: the host's world; all arrays have n entries or more.
        let status = unsafe {
            room_in(
                self.0,
                places.as_ptr().cast(),
                ways.as_ptr().cast(),
                regions.as_ptr(),
                n,
                out.as_mut_ptr().cast(),
            )
        };
        match status {
            status::OK => true,
            status::UNSUPPORTED => false,
            other => refused("room_in", other),
        }
    }

    fn gate_at(&self, _: &Site<'_>, _: &NavMap, edge: EdgeId, along: f32) -> Option<Gate> {
        let mut gate = Gate::waypoint(Location::NOWHERE);
        // SAFETY: the host's world; the gate is borrowed until the call returns.
        let status = unsafe { self.world().gate_at?(self.0, edge, along, (&raw mut gate).cast()) };
        match status {
            status::OK => Some(gate),
            status::UNSUPPORTED => None,
            other => refused("gate_at", other),
        }
    }

    fn edge_line(
        &self,
        _: &Site<'_>,
        _: &NavMap,
        edge: EdgeId,
        tolerance: f32,
        out: &mut Vec<Vec3>,
    ) {
        let Some(edge_line) = self.world().edge_line else {
            refused("edge_line", status::UNSUPPORTED)
        };
        let sink = abi::PointSink {
            context: core::ptr::from_mut(out).cast(),
            append: Some(take_points),
        };
        // SAFETY: the host's world; the sink's vector is borrowed until the call returns.
        let status = unsafe { edge_line(self.0, edge, tolerance, &sink) };
        if status != status::OK {
            refused("edge_line", status);
        }
    }
}

impl Serialize for HostNav {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for HostNav {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("the host's map is no kind of map"))
    }
}

/// The host's crowd cells: [`World::cells`] of a strategy in a library.
#[derive(Debug)]
struct HostCells(*const abi::World);

// SAFETY: as for `HostNav`.
unsafe impl Send for HostCells {}
// SAFETY: as for `HostNav`.
unsafe impl Sync for HostCells {}

impl SegmentPricing for HostCells {
    fn segment(
        &self,
        _: &World<'_>,
        prices: usize,
        from: Location,
        to: Location,
        departure: Departure,
    ) -> Option<SegmentPrice> {
        // SAFETY: made by `with_world`, which outlives it.
        let price = unsafe { (*self.0).segment_price };
        let Some(price) = price else {
            refused("segment_price", status::UNSUPPORTED)
        };
        let (mut out, mut found) = (SegmentPrice::default(), 0);
        // SAFETY: the host's world; one place and one answer each, borrowed until it returns.
        let status = unsafe {
            price(
                self.0,
                u32::try_from(prices).unwrap_or(u32::MAX),
                (&raw const from).cast(),
                (&raw const to).cast(),
                1,
                departure.seconds,
                departure.speed,
                (&raw mut out).cast(),
                &mut found,
            )
        };
        match status {
            status::OK => (found != 0).then_some(out),
            other => refused("segment_price", other),
        }
    }
}
