//! The world as a library is shown it: the host's arrays, lent, and answers about map and cells.

use core::{
    cell::RefCell,
    sync::atomic::{AtomicU64, Ordering},
};

use throng_abi::{self as abi, ABI_VERSION, Status, rows, rows_mut, status};
use throng_core::{AgentsView, Departure, EdgePrices, Gate, NONE, Prices, World, random::mix};

use super::{
    columns::{column, lent},
    cost::crowd_table,
    site::{map_table, place, shielded, with_site},
};

/// Tells an instance when the map or the prices that it was shown have changed, so that it may
/// keep copies.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    generation: AtomicU64,
    last_step: AtomicU64,
}

impl Stamps {
    /// Makes the instance forget its copies: another run's state was put in place.
    pub(super) fn renew(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    /// The stamps of map and prices: never 0. Maps change with their revision and prices with
    /// their epoch; places and lengths tell worlds apart that an instance is shown in turn.
    fn of(&self, world: &World<'_>) -> (u64, u64) {
        // Time runs backwards where an earlier state was put in place.
        if self.last_step.swap(world.step, Ordering::Relaxed) > world.step {
            self.renew();
        }
        let stamp = |parts: &[u64]| {
            let generation = self.generation.load(Ordering::Relaxed);
            parts.iter().fold(generation, |sum, part| mix(sum ^ part)) | 1
        };
        let map = world.map;
        let address = |p: *const u8| p as usize as u64;
        (
            stamp(&[
                u64::from(map.revision),
                address(core::ptr::from_ref(map).cast()),
                map.nodes() as u64,
                map.edges() as u64,
                map.regions() as u64,
            ]),
            stamp(&[
                world.epoch,
                address(world.prices.as_ptr().cast()),
                address(world.edge_prices.as_ptr().cast()),
                world.prices.len() as u64,
            ]),
        )
    }
}

thread_local! {
    /// Tables of prices for the call at hand, so that a steady step needs no new memory.
    static PRICES: RefCell<Vec<abi::PriceView>> = const { RefCell::new(Vec::new()) };
}

/// A table of prices; nothing if its arrays have unequal lengths.
fn price_view(prices: &Prices, over_edges: &EdgePrices) -> Option<abi::PriceView> {
    let (entries, edges) = (prices.base.len(), over_edges.base.len());
    Some(abi::PriceView {
        directions: prices.directions,
        slices: prices.slices,
        slice_seconds: prices.slice_seconds,
        least_base: prices.least_base,
        is_uniform: u32::from(prices.uniform.is_some()),
        uniform: prices.uniform.unwrap_or(0.0),
        entries,
        base: lent(&prices.base),
        crowd: (prices.crowd.len() == entries).then(|| lent(&prices.crowd))?,
        blocked_words: prices.blocked.len(),
        blocked: lent(&prices.blocked),
        edges,
        edge_base: lent(&over_edges.base),
        edge_crowd: (over_edges.crowd.len() == edges).then(|| lent(&over_edges.crowd))?,
    })
}

fn agents_table(agents: &AgentsView<'_>) -> Option<abi::Agents> {
    let n = agents.len();
    Some(abi::Agents {
        size: size_of::<abi::Agents>() as u32,
        version: ABI_VERSION,
        agents: n,
        id: lent(agents.id),
        location: column(agents.location, n)?,
        frame: column(agents.frame, n)?,
        velocity: column(agents.velocity, n)?,
        heading: column(agents.heading, n)?,
        preferred: column(agents.preferred, n)?,
        radius: column(agents.radius, n)?,
        speed: column(agents.speed, n)?,
        mass: column(agents.mass, n)?,
        lane: column(agents.lane, n)?,
        weight: column(agents.weight, n)?,
        route_class: column(agents.class, n)?,
        goal: column(agents.goal, n)?,
        target: column(agents.target, n)?,
        region: column(agents.region, n)?,
        tier: column(agents.tier, n)?,
        group: column(agents.group, n)?,
    })
}

/// Shows a library the world; nothing if its arrays have unequal lengths.
pub(super) fn with_world<R>(
    world: &World<'_>,
    stamps: &Stamps,
    run: impl FnOnce(&abi::World) -> R,
) -> Option<R> {
    let mut tables = PRICES.take();
    tables.clear();
    if world.prices.len() == world.edge_prices.len() {
        let both = world.prices.iter().zip(world.edge_prices);
        tables.extend(both.map_while(|(prices, edges)| price_view(prices, edges)));
    }
    let answer = if tables.len() == world.prices.len() {
        with_tables(world, stamps, &tables, run)
    } else {
        None
    };
    PRICES.set(tables);
    answer
}

fn with_tables<R>(
    world: &World<'_>,
    stamps: &Stamps,
    prices: &[abi::PriceView],
    run: impl FnOnce(&abi::World) -> R,
) -> Option<R> {
    let map = map_table(world.map)?;
    let crowd = crowd_table(&world.crowd)?;
    let agents = agents_table(&world.agents)?;
    let routes = world.routes.first.len();
    let (map_stamp, price_stamp) = stamps.of(world);
    let (count, invisible) = (
        column(world.routes.count, routes)?,
        column(world.routes.invisible, routes)?,
    );
    with_site(&world.site, |site| {
        run(&abi::World {
            size: size_of::<abi::World>() as u32,
            version: ABI_VERSION,
            context: core::ptr::from_ref(world).cast(),
            time: world.time,
            step: world.step,
            seed: world.seed,
            epoch: world.epoch,
            map_stamp,
            price_stamp,
            dt: world.dt,
            reserved: 0,
            site,
            map: &map,
            crowd: &crowd,
            agents: &agents,
            prices: prices.len(),
            price: lent(prices),
            classes: world.classes.len(),
            route_class: lent(world.classes),
            goals: world.goals.len(),
            goal: lent(world.goals),
            goal_nodes: world.goal_nodes.len(),
            goal_node: lent(world.goal_nodes),
            route_edges: world.routes.edges.len(),
            route_edge: lent(world.routes.edges),
            routes,
            route_first: lent(world.routes.first),
            route_count: count,
            route_invisible: invisible,
            tiers: world.tier_levels.len(),
            tier_level: lent(world.tier_levels),
            interests: world.interest.len(),
            interest: lent(world.interest),
            movers: world.movers.len(),
            mover: lent(world.movers),
            camera: world.camera.as_ref().map_or(core::ptr::null(), |camera| {
                core::ptr::from_ref(camera).cast()
            }),
            attach: Some(attach),
            region_of: Some(region_of),
            gates: Some(gates),
            gate_at: Some(gate_at),
            edge_line: Some(edge_line),
            room_in: Some(room_in),
            segment_price: Some(segment_price),
        })
    })
}

/// The world that a library asks about.
///
/// # Safety
/// `world` is the table of a call that is running.
unsafe fn asked<'a>(world: *const abi::World) -> &'a World<'a> {
    // SAFETY: the caller's promise; `with_tables` put the world there, which is borrowed for the
    // call.
    unsafe { &*(*world).context.cast() }
}

/// Whether all places are of this ground, or nowhere.
fn known(world: &World<'_>, places: &[throng_core::Location]) -> bool {
    let triangles = world.site.ground.triangles.len();
    places.iter().all(|at| {
        at.point.is_finite() && (at.triangle == NONE || (at.triangle as usize) < triangles)
    })
}

unsafe extern "C" fn attach(
    world: *const abi::World,
    place: *const abi::Location,
    hint: *const u32,
    count: usize,
    out: *mut abi::Attachment,
) -> Status {
    // SAFETY: the contract: the table of a running call, and arrays of `count` entries; layouts
    // are asserted in throng-core.
    let (world, places, hints, out) = unsafe {
        let (places, hints) = (rows(place.cast(), count), rows(hint, count));
        (asked(world), places, hints, rows_mut(out.cast(), count))
    };
    if !known(world, places) || hints.len() != count {
        return status::ERROR;
    }
    shielded(|| {
        world.nav.attach(&world.site, world.map, places, hints, out);
        status::OK
    })
}

unsafe extern "C" fn region_of(
    world: *const abi::World,
    place: *const abi::Location,
    hint: *const u32,
    count: usize,
    out: *mut u32,
) -> Status {
    // SAFETY: as in `attach`.
    let (world, places, hints, out) = unsafe {
        let (places, hints) = (rows(place.cast(), count), rows(hint, count));
        (asked(world), places, hints, rows_mut(out, count))
    };
    if !known(world, places) || hints.len() != count {
        return status::ERROR;
    }
    shielded(|| {
        world
            .nav
            .region_of(&world.site, world.map, places, hints, out);
        status::OK
    })
}

thread_local! {
    static GATES: RefCell<Vec<Gate>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn gates(
    world: *const abi::World,
    edge: *const u32,
    count: usize,
    out: *const abi::GateSink,
) -> Status {
    // SAFETY: as in `attach`; the sink is the library's, for this call.
    let (world, edges, sink) = unsafe { (asked(world), rows(edge, count), &*out) };
    let most = world.map.edges();
    if edges.iter().any(|edge| *edge as usize >= most) {
        return status::ERROR;
    }
    shielded(|| {
        let mut found = GATES.take();
        found.clear();
        world
            .nav
            .emit_gates(&world.site, world.map, edges, &mut found);
        if let Some(append) = sink.append {
            // SAFETY: the library's own function, with gates lent to it; the layout is asserted in
            // throng-core.
            unsafe { append(sink.context, lent(&found), found.len()) }
        }
        GATES.set(found);
        status::OK
    })
}

unsafe extern "C" fn gate_at(
    world: *const abi::World,
    edge: u32,
    along: f32,
    out: *mut abi::Gate,
) -> Status {
    // SAFETY: as in `attach`.
    let world = unsafe { asked(world) };
    if edge as usize >= world.map.edges() || !along.is_finite() {
        return status::ERROR;
    }
    shielded(
        || match world.nav.gate_at(&world.site, world.map, edge, along) {
            Some(gate) => {
                // SAFETY: the contract: `out` takes one gate, whose layout is asserted in
                // throng-core.
                unsafe { out.cast::<Gate>().write(gate) };
                status::OK
            }
            None => status::UNSUPPORTED,
        },
    )
}

unsafe extern "C" fn edge_line(
    world: *const abi::World,
    edge: u32,
    tolerance: f32,
    out: *const abi::PointSink,
) -> Status {
    // SAFETY: as in `gates`.
    let (world, sink) = unsafe { (asked(world), &*out) };
    if edge as usize >= world.map.edges() || !(tolerance > 0.0) {
        return status::ERROR;
    }
    shielded(|| {
        let mut points = Vec::new();
        world
            .nav
            .edge_line(&world.site, world.map, edge, tolerance, &mut points);
        if let Some(append) = sink.append {
            // SAFETY: the library's own function, with points lent to it.
            unsafe { append(sink.context, lent(&points), points.len()) }
        }
        status::OK
    })
}

unsafe extern "C" fn room_in(
    world: *const abi::World,
    place: *const abi::Location,
    way: *const abi::Vec2,
    region: *const u32,
    count: usize,
    out: *mut abi::Room,
) -> Status {
    // SAFETY: as in `attach`.
    let (world, places, ways, regions, out) = unsafe {
        let (places, regions) = (rows(place.cast(), count), rows(region, count));
        let (ways, out) = (rows(way.cast(), count), rows_mut(out.cast(), count));
        (asked(world), places, ways, regions, out)
    };
    let most = world.map.regions();
    if !known(world, places)
        || [regions.len(), ways.len()] != [count; 2]
        || regions.iter().any(|r| *r != NONE && *r as usize >= most)
    {
        return status::ERROR;
    }
    shielded(
        || match world.nav.room_in(world.map, places, ways, regions, out) {
            true => status::OK,
            false => status::UNSUPPORTED,
        },
    )
}

unsafe extern "C" fn segment_price(
    world: *const abi::World,
    prices: u32,
    from: *const abi::Location,
    to: *const abi::Location,
    count: usize,
    seconds: f32,
    speed: f32,
    out: *mut abi::SegmentPrice,
    found: *mut u8,
) -> Status {
    // SAFETY: as in `attach`.
    let (world, from, to, out, found) = unsafe {
        (
            asked(world),
            rows(from, count),
            rows(to, count),
            rows_mut(out, count),
            rows_mut(found, count),
        )
    };
    if prices as usize >= world.prices.len() || to.len() != from.len() || !(speed > 0.0) {
        return status::ERROR;
    }
    shielded(|| {
        let departure = Departure { seconds, speed };
        for (i, (from, to)) in from.iter().zip(to).enumerate() {
            let (from, to) = (place(*from), place(*to));
            if !known(world, &[from, to]) {
                return status::ERROR;
            }
            let price = world.segment_price_at(prices as usize, from, to, departure);
            found[i] = u8::from(price.is_some());
            let price = price.unwrap_or_default();
            out[i] = abi::SegmentPrice {
                base: price.base,
                crowd: price.crowd,
                length: price.length,
            };
        }
        status::OK
    })
}
