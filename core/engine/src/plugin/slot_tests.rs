//! Answers of every slot that cannot be used, from bare functions as a C author would write them.

use core::ffi::c_void;
use std::path::Path;

use glam::{DVec2, Vec2, Vec3};
use throng_abi::{
    self as abi, ABI_VERSION, Bytes, Call, Descriptor, GroupProfile, GroupTable, LodProfile,
    LodTable, NavTable, PlannerProfile, PlannerTable, Sink, Status, no_route, route_kind, slot,
    status, threads,
};
use throng_core::{
    AgentsView, Attachment, CrowdView, EdgePrices, GroupChunk, GroupOut, GroupsView, GuideChunk,
    GuideOut, Location, MemoryRows, NONE, NavMap, PlanRequest, Prices, RouteKind, RouteSink,
    RoutesView, Scratch, Site, World,
};
use throng_kit::{
    Ground, Walk,
    environment::{Environment, Floor, Polygon},
};

use super::load::strategy;
use crate::registry::AnyStrategy;

/// The instance is a byte of this array: what a function does.
static WAYS: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

unsafe extern "C" fn create(_: *const Call, options: Bytes, out: *mut *mut c_void) -> Status {
    // SAFETY: the host lends options and `out`.
    unsafe {
        let digits = options.get().iter().filter(|b| b.is_ascii_digit());
        let which = digits.fold(0, |sum, b| sum * 10 + usize::from(b - b'0'));
        *out = core::ptr::from_ref(&WAYS[which]).cast_mut().cast();
    }
    status::OK
}

unsafe extern "C" fn destroy(_: *mut c_void) {}

unsafe extern "C" fn effective(_: *const Call, _: *const c_void, out: *const Sink) -> Status {
    // SAFETY: the host lends the sink.
    unsafe { (*out).append(br#"{"way": 0}"#) };
    status::OK
}

fn make<T>(slot: u32, table: &'static T, way: i64) -> AnyStrategy {
    let text = |t: &'static str| Bytes::of(t.as_bytes());
    let descriptor: &'static Descriptor = Box::leak(Box::new(Descriptor {
        size: size_of::<Descriptor>() as u32,
        version: ABI_VERSION,
        slot,
        threads: threads::MANY,
        id: text("odd"),
        strategy_version: text("1"),
        origin: text("here"),
        about: text("Does what it should not."),
        when: text(""),
        when_not: text(""),
        growth: text(""),
        paper: text(""),
        options: text(r#"{"properties": {"way": {"type": "integer", "default": 0}}}"#),
        needs: 0,
        offers: 0,
        create: Some(create),
        destroy: Some(destroy),
        effective: Some(effective),
        table: core::ptr::from_ref(table).cast(),
    }));
    let strategy = strategy(Path::new("libodd.so"), "hash", "odd", descriptor).unwrap();
    let mut options = toml::Table::new();
    options.insert("way".into(), way.into());
    strategy.create(&options).unwrap()
}

/// Two nodes with an edge each way, on a floor of 4 by 2 metres with two agents.
struct Small {
    ground: Ground,
    map: NavMap,
    prices: Vec<Prices>,
    location: [Location; 2],
}

impl Small {
    fn new() -> Small {
        let ground = Ground::from_environment(&Environment {
            floors: vec![Floor {
                walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::new(4.0, 2.0))],
                ..Floor::default()
            }],
            ..Environment::default()
        })
        .unwrap();
        let view = ground.view();
        let location = [-1.0, 1.0].map(|x| view.locate(Vec3::new(x, 0.1, 0.0)).unwrap());
        let map = NavMap {
            node_place: location.to_vec(),
            node_region: vec![0, 0],
            edge_start: vec![0, 1, 2],
            edge_from: vec![0, 1],
            edge_to: vec![1, 0],
            edge_twin: vec![1, 0],
            edge_length: vec![2.0; 2],
            edge_clearance: vec![1.0; 2],
            region_area: vec![8.0],
            region_place: vec![location[0]],
            ..NavMap::default()
        };
        let mut prices = Prices::default();
        prices.set_uniform(1.0);
        Small {
            ground,
            map,
            prices: vec![prices],
            location,
        }
    }

    fn site(&self) -> Site<'_> {
        Site {
            ground: self.ground.view(),
            file_cells: None,
            seed: 0,
        }
    }

    fn with<R>(&self, act: impl FnOnce(&World<'_>) -> R) -> R {
        let nav = make(slot::NAV, &NAV, 0).into_nav().unwrap();
        let (vectors, ones) = ([Vec2::X; 2], [1.0; 2]);
        act(&World {
            time: 0.0,
            step: 4,
            dt: 0.1,
            seed: 0,
            site: self.site(),
            map: &self.map,
            nav: &*nav,
            crowd: CrowdView {
                area: &self.map.region_area,
                axis: &[],
                occupied: &[],
                persons: &[],
                momentum_x: &[],
                momentum_y: &[],
            },
            cells: &throng_kit::CrowdCells::Regions,
            prices: &self.prices,
            edge_prices: &[EdgePrices::default()],
            classes: &[],
            goals: &[],
            goal_nodes: &[],
            agents: AgentsView {
                id: &[70, 71],
                location: &self.location,
                frame: &[],
                velocity: &vectors,
                heading: &vectors,
                preferred: &vectors,
                radius: &ones,
                speed: &ones,
                mass: &ones,
                lane: &ones,
                weight: &ones,
                class: &[0; 2],
                goal: &[NONE; 2],
                target: &self.location,
                region: &[0; 2],
                tier: &[0; 2],
                group: &[0; 2],
            },
            routes: RoutesView {
                edges: &[],
                first: &[],
                count: &[],
                invisible: &[],
            },
            tier_levels: &[0],
            interest: &[],
            movers: &[],
            camera: None,
            epoch: 0,
        })
    }

    fn requests(&self) -> [PlanRequest; 2] {
        [0, 1].map(|agent| PlanRequest {
            from: self.location[0],
            to: self.location[1],
            agent,
            goal: NONE,
            prices: 0,
            class: 0,
            from_region: NONE,
            radius: 0.2,
            weight: 1.0,
            speed: 1.3,
        })
    }
}

unsafe extern "C" fn planner_profile(
    _: *const Call,
    _: *const c_void,
    out: *mut PlannerProfile,
) -> Status {
    // SAFETY: the host lends the profile.
    unsafe { (*out).guides = 1 };
    status::OK
}

unsafe extern "C" fn plan(
    call: *const Call,
    instance: *const c_void,
    _: *mut c_void,
    world: *const abi::World,
    request: *const abi::PlanRequest,
    requests: usize,
    out: *const abi::RouteSink,
) -> Status {
    let good = abi::RouteRow {
        kind: route_kind::EDGES,
        why: no_route::FOUND,
        first: 0,
        count: 1,
        invisible: 0,
        into: NONE,
        length: 2.0,
        cost: 2.0,
    };
    let mut rows = [good; 3];
    let mut edges = [0, 1];
    let mut count = requests;
    // SAFETY: the host lends everything as the tables say; the instance is one of `WAYS`.
    unsafe {
        let gates = [abi::Gate {
            left: (*request).to.point,
            middle: (*request).to.point,
            right: abi::Vec3 {
                x: f32::NAN,
                ..abi::Vec3::default()
            },
            triangle: 0,
            flags: 0,
        }];
        let bad = &mut rows[1];
        match *instance.cast::<u8>() {
            1 => count = 1,
            2 => count = 3,
            3 => edges = [0, 9],
            4 => edges = [0, 0],
            5 => bad.length = f32::NAN,
            6 => bad.kind = 9,
            7 => bad.kind = route_kind::GATES,
            8 => (bad.kind, bad.why) = (route_kind::MISSING, 77),
            9 => bad.first = u32::MAX,
            10 => bad.into = 2,
            11 => bad.invisible = 5,
            12 => {
                (*call).error.append(b"no idea");
                return status::ERROR;
            }
            // What is asked of the world is checked, too.
            13 => {
                let mut attached = core::mem::MaybeUninit::<abi::Attachment>::uninit();
                let mut nowhere = (*request).to;
                nowhere.triangle = 1000;
                let none = NONE;
                let attach = (*world).attach.unwrap();
                let refused = attach(world, &nowhere, &none, 1, attached.as_mut_ptr());
                assert_eq!(refused, status::ERROR);
                let edge = 99;
                let sink = abi::GateSink {
                    context: core::ptr::null_mut(),
                    append: None,
                };
                let gates = (*world).gates.unwrap();
                assert_eq!(gates(world, &edge, 1, &sink), status::ERROR);
                let ground = (*(*world).site).ground;
                let (mut seen, mut clear) = (9, 0.0);
                let (sees, clearance) = ((*ground).sees.unwrap(), (*ground).clearance.unwrap());
                let (from, to) = (&(*request).from, &(*request).to);
                assert_eq!(sees(ground, from, to, 1, 0.2, &mut seen), status::OK);
                assert_eq!(seen, 1);
                assert_eq!(clearance(ground, from, 1, 5.0, &mut clear), status::OK);
                assert!((clear - 0.9).abs() < 1e-3, "{clear}");
                let mut end = core::mem::MaybeUninit::<abi::TraceEnd>::uninit();
                let trace = (*ground).trace.unwrap();
                trace(ground, *from, *to, core::ptr::null(), end.as_mut_ptr());
                assert_eq!(end.assume_init().how, abi::trace_end::REACHED);
                let price = (*world).segment_price.unwrap();
                let (mut paid, mut found) = (abi::SegmentPrice::default(), 0);
                let fast = f32::INFINITY;
                let told = price(world, 0, from, to, 1, 0.0, fast, &mut paid, &mut found);
                assert_eq!((told, found), (status::OK, 1));
                assert!((paid.base - 2.0).abs() < 1e-3, "{paid:?}");
                let told = price(world, 7, from, to, 1, 0.0, fast, &mut paid, &mut found);
                assert_eq!(told, status::ERROR);
            }
            _ => {}
        }
        if edges == [0, 9] || edges == [0, 0] {
            rows[1].count = 2;
        }
        (*out).append.unwrap()(
            (*out).context,
            rows.as_ptr(),
            count,
            edges.as_ptr(),
            2,
            gates.as_ptr(),
            1,
        )
    }
}

unsafe extern "C" fn guide(
    _: *const Call,
    instance: *const c_void,
    _: *mut c_void,
    _: *const abi::World,
    chunk: *const abi::GuideIn,
    out: *const abi::GuideOut,
) -> Status {
    // SAFETY: the host lends everything as the tables say.
    unsafe {
        assert_eq!((*chunk).agents, 2);
        (*out).preferred.write(abi::Vec2 { x: 1.0, y: 0.0 });
        if *instance.cast::<u8>() == 1 {
            (*out).target.add(1).write(abi::Vec2 {
                x: f32::INFINITY,
                y: 0.0,
            });
        }
    }
    status::OK
}

static PLANNER: PlannerTable = PlannerTable {
    size: size_of::<PlannerTable>() as u32,
    version: ABI_VERSION,
    profile: Some(planner_profile),
    new_scratch: None,
    free_scratch: None,
    plan: Some(plan),
    prepare: None,
    guide: Some(guide),
    save: None,
    load: None,
};

#[test]
fn routes_that_nobody_can_walk_are_failures_and_named() {
    let small = Small::new();
    for (way, words, missing) in [
        (0, None, [false, false]),
        (13, None, [false, false]),
        (
            1,
            Some("agent 71 at step 4: no route was written; 1 of 2"),
            [false, true],
        ),
        (2, Some("status 1"), [true, true]),
        (
            3,
            Some("agent 71 at step 4: its route is wrong: it has edge 9"),
            [false, true],
        ),
        (4, Some("edge 0 does not lead to 0"), [false, true]),
        (5, Some("its length is NaN"), [false, true]),
        (6, Some("no kind of route number 9"), [false, true]),
        (7, Some("its gate 0 is"), [false, true]),
        (8, Some("no reason number 77"), [false, true]),
        (9, Some("not among those given"), [false, true]),
        (10, Some("ends on edge 2"), [false, true]),
        (11, Some("5 of 1 entries are invisible"), [false, true]),
        (12, Some("failed: no idea"), [true, true]),
    ] {
        let planner = make(slot::PLANNER, &PLANNER, way).into_planner().unwrap();
        let mut routes = RouteSink::default();
        small.with(|world| {
            let mut scratch = Scratch::default();
            planner.plan(world, &small.requests(), &mut scratch, &mut routes);
        });
        let found: Vec<_> = routes
            .rows
            .iter()
            .map(|row| matches!(row.kind, RouteKind::Missing(_)))
            .collect();
        assert_eq!(found, missing, "{words:?}");
        let fault = planner.fault();
        match words {
            None => assert_eq!(fault, None),
            Some("status 1") => assert!(fault.is_some()),
            Some(words) => {
                let fault = fault.unwrap_or_default();
                assert!(fault.contains(words), "{words}: {fault}");
                assert!(fault.starts_with("libodd.so: planner/odd: "), "{fault}");
            }
        }
    }
}

#[test]
fn guidance_that_is_not_finite_is_named() {
    let small = Small::new();
    for (way, words) in [(0, ""), (1, "agent 71 at step 4: its target is (inf, 0)")] {
        let planner = make(slot::PLANNER, &PLANNER, way).into_planner().unwrap();
        let (mut preferred, mut target) = ([Vec2::ZERO; 2], [Vec2::ZERO; 2]);
        small.with(|world| {
            planner.guide(
                world,
                &GuideChunk {
                    rows: &[0, 1],
                    dt: 0.1,
                },
                &mut Scratch::default(),
                &mut GuideOut {
                    preferred: &mut preferred,
                    target: &mut target,
                    follow_route: &mut [0; 2],
                    memory: MemoryRows::default(),
                },
            );
        });
        assert_eq!(
            (preferred, target),
            ([Vec2::X, Vec2::ZERO], [Vec2::ZERO; 2])
        );
        let fault = planner.fault().unwrap_or_default();
        assert!(fault.ends_with(words), "{fault}");
    }
}

unsafe extern "C" fn lod_profile(_: *const Call, _: *const c_void, _: *mut LodProfile) -> Status {
    status::OK
}

unsafe extern "C" fn classify(
    _: *const Call,
    instance: *const c_void,
    _: *const abi::World,
    _: usize,
    count: usize,
    out: *mut u8,
) -> Status {
    // SAFETY: the host lends `count` levels; the instance is one of `WAYS`.
    unsafe {
        let written = count - usize::from(*instance.cast::<u8>());
        core::ptr::write_bytes(out, 3, written);
    }
    status::OK
}

static LOD: LodTable = LodTable {
    size: size_of::<LodTable>() as u32,
    version: ABI_VERSION,
    profile: Some(lod_profile),
    classify: Some(classify),
    prepare: None,
    save: None,
    load: None,
};

#[test]
fn levels_that_were_not_written_are_named() {
    let small = Small::new();
    for (way, levels, words) in [
        (0, [3, 3], ""),
        (1, [3, 0], "agent 71 at step 4: its level was not written"),
    ] {
        let policy = make(slot::LOD, &LOD, way).into_lod().unwrap();
        assert_eq!(policy.constant(), None);
        let mut found = [7; 2];
        small.with(|world| policy.classify(world, 0..2, &mut found));
        assert_eq!(found, levels);
        let fault = policy.fault().unwrap_or_default();
        assert!(fault.ends_with(words), "{fault}");
    }
}

unsafe extern "C" fn group_profile(
    _: *const Call,
    _: *const c_void,
    _: *mut GroupProfile,
) -> Status {
    status::OK
}

unsafe extern "C" fn adjust(
    call: *const Call,
    instance: *const c_void,
    _: *const abi::World,
    chunk: *const abi::GroupIn,
    out: *const abi::GroupOut,
) -> Status {
    // SAFETY: the host lends everything as the tables say; the instance is one of `WAYS`.
    unsafe {
        assert_eq!(((*chunk).groups, (*chunk).members), (1, 2));
        (*out).preferred.write(abi::Vec2 {
            x: match *instance.cast::<u8>() {
                0 => 0.5,
                1 => f32::NAN,
                _ => {
                    (*call).error.append(b"lost the leader");
                    return status::ERROR;
                }
            },
            y: 0.0,
        });
    }
    status::OK
}

static GROUP: GroupTable = GroupTable {
    size: size_of::<GroupTable>() as u32,
    version: ABI_VERSION,
    profile: Some(group_profile),
    adjust: Some(adjust),
};

#[test]
fn wishes_of_groups_are_checked_and_kept_where_it_fails() {
    let small = Small::new();
    for (way, first, words) in [
        (0, 0.5, ""),
        (
            1,
            0.0,
            "agent 70 at step 4: its preferred velocity is (NaN, 0)",
        ),
        (2, 1.0, "failed: lost the leader"),
    ] {
        let group = make(slot::GROUP, &GROUP, way).into_group().unwrap();
        let (mut preferred, mut target) = ([Vec2::X; 2], [Vec2::X; 2]);
        small.with(|world| {
            group.adjust(
                world,
                &GroupChunk {
                    rows: 0..2,
                    groups: GroupsView {
                        start: &[0, 2],
                        member: &[0, 1],
                    },
                    guided: &[Vec2::X; 2],
                    aims: &[Vec2::X; 2],
                },
                &mut GroupOut {
                    preferred: &mut preferred,
                    target: &mut target,
                },
            );
        });
        assert_eq!(preferred, [Vec2::new(first, 0.0), Vec2::X], "{words}");
        let fault = group.fault().unwrap_or_default();
        assert!(fault.ends_with(words), "{fault}");
    }
}

unsafe extern "C" fn build(
    call: *const Call,
    instance: *mut c_void,
    _: *const abi::Site,
    out: *const abi::MapSink,
) -> Status {
    // SAFETY: the host lends everything as the tables say; the instance is one of `WAYS`.
    unsafe {
        if *instance.cast::<u8>() == 1 {
            (*call)
                .error
                .append(b"this ground is too steep; choose grid");
            return status::UNSUITABLE;
        }
        let place = abi::Location {
            point: abi::Vec3::default(),
            triangle: if *instance.cast::<u8>() == 2 { 99 } else { 0 },
        };
        (*out).nodes.unwrap()((*out).context, 1, &place, &0);
        (*out).regions.unwrap()((*out).context, 1, &8.0, &place)
    }
}

unsafe extern "C" fn nav_attach(
    _: *const Call,
    instance: *const c_void,
    _: *const abi::Site,
    _: *const abi::Map,
    _: *const abi::Location,
    _: *const u32,
    count: usize,
    out: *mut abi::Attachment,
) -> Status {
    // SAFETY: the host lends `count` attachments; the instance is one of `WAYS`.
    unsafe {
        let way = *instance.cast::<u8>();
        for i in 0..count - usize::from(way == 1) {
            out.add(i).write(abi::Attachment {
                node: if way == 2 { 5 } else { 0 },
                edge: NONE,
                along: 0.0,
                distance: if way == 3 { f32::NAN } else { 0.5 },
            });
        }
    }
    status::OK
}

unsafe extern "C" fn nav_region(
    _: *const Call,
    instance: *const c_void,
    _: *const abi::Site,
    _: *const abi::Map,
    _: *const abi::Location,
    _: *const u32,
    count: usize,
    out: *mut u32,
) -> Status {
    // SAFETY: the host lends `count` regions; the instance is one of `WAYS`.
    unsafe {
        let way = *instance.cast::<u8>();
        for i in 0..count - usize::from(way == 1) {
            out.add(i).write(if way == 2 { 5 } else { 0 });
        }
    }
    status::OK
}

unsafe extern "C" fn nav_edit(
    _: *const Call,
    instance: *mut c_void,
    _: *const abi::Site,
    change: *const abi::Change,
    out: *const abi::MapSink,
) -> Status {
    // SAFETY: the host lends everything as the tables say; the instance is one of `WAYS`.
    unsafe {
        assert_eq!(((*change).points, (*change).floor), (3, 2));
        let way = *instance.cast::<u8>();
        if way == 3 {
            return status::UNSUPPORTED;
        }
        let place = abi::Location {
            point: abi::Vec3::default(),
            triangle: 0,
        };
        (*out).nodes.unwrap()((*out).context, 1, &place, &0);
        (*out).regions.unwrap()((*out).context, 1, &8.0, &place);
        let (edges, region) = ([NONE; 2], if way == 2 { 1 } else { 0 });
        match way {
            1 => status::OK,
            _ => (*out).remap.unwrap()((*out).context, 2, edges.as_ptr(), 1, &region),
        }
    }
}

static NAV: NavTable = NavTable {
    size: size_of::<NavTable>() as u32,
    version: ABI_VERSION,
    build: Some(build),
    attach: Some(nav_attach),
    region_of: Some(nav_region),
    emit_gates: None,
    room_in: None,
    gate_at: None,
    edge_line: None,
    edit: Some(nav_edit),
    measures: None,
    bytes: None,
};

#[test]
fn maps_that_are_wrong_are_refused_with_the_reason() {
    let small = Small::new();
    for (way, words) in [
        (0, None),
        (1, Some("this ground is too steep; choose grid")),
        (
            2,
            Some("libodd.so: nav/odd: its map is wrong: node 0 is at"),
        ),
    ] {
        let mut nav = make(slot::NAV, &NAV, way).into_nav().unwrap();
        let mut map = NavMap::default();
        match (words, nav.build(&small.site(), &mut map)) {
            (None, built) => {
                built.unwrap();
                assert_eq!((map.nodes(), map.edge_start.as_slice()), (1, &[0, 0][..]));
            }
            (Some(words), built) => {
                let reason = built.unwrap_err().to_string();
                assert!(reason.starts_with(words), "{reason}");
            }
        }
    }
}

#[test]
fn edits_say_where_old_ids_went() {
    let small = Small::new();
    let change = throng_core::Change::AddSolid {
        ring: vec![Vec2::ZERO, Vec2::X, Vec2::Y],
        floor: 2,
    };
    for (way, words) in [
        (0, ""),
        (1, "does not say where old ids went"),
        (2, "old ids are not all mapped"),
        (3, "not supported"),
    ] {
        let mut nav = make(slot::NAV, &NAV, way).into_nav().unwrap();
        let mut map = small.map.clone();
        match nav.edit(&small.site(), &change, &mut map) {
            Ok(remap) => {
                assert_eq!((remap.edges, remap.regions), (vec![NONE; 2], vec![0]));
                assert_eq!((map.nodes(), map.revision), (1, 1));
            }
            Err(error) => {
                assert!(way > 0 && error.to_string().contains(words), "{error}");
                assert_eq!((map.nodes(), map.revision), (2, 0));
            }
        }
    }
}

#[test]
fn answers_of_maps_are_checked_and_the_place_named() {
    let small = Small::new();
    let hints = [NONE; 2];
    for (way, words) in [
        (0, ""),
        (1, "the attachment was not written"),
        (2, "there are 2 nodes and 2 edges"),
        (3, "distance: NaN"),
    ] {
        let nav = make(slot::NAV, &NAV, way).into_nav().unwrap();
        let mut found = [Attachment::NOWHERE; 2];
        nav.attach(
            &small.site(),
            &small.map,
            &small.location,
            &hints,
            &mut found,
        );
        assert!(found.iter().all(|a| a.node == 0 || a.node == NONE));
        let fault = nav.fault().unwrap_or_default();
        assert!(fault.contains(words), "{fault}");
        assert_eq!(way != 0, fault.contains("for the place ["), "{fault}");
    }
    for (way, words) in [
        (0, ""),
        (1, "the region was not written"),
        (2, "region is 5 of 1"),
    ] {
        let nav = make(slot::NAV, &NAV, way).into_nav().unwrap();
        let mut found = [7; 2];
        nav.region_of(
            &small.site(),
            &small.map,
            &small.location,
            &hints,
            &mut found,
        );
        assert_eq!(found, [0; 2]);
        let fault = nav.fault().unwrap_or_default();
        assert!(fault.contains(words), "{fault}");
    }
    // Without functions of its own the map's gates and lines are taken.
    let nav = make(slot::NAV, &NAV, 0).into_nav().unwrap();
    let mut gates = Vec::new();
    nav.emit_gates(&small.site(), &small.map, &[0], &mut gates);
    assert_eq!(gates[0].middle, small.location[1].point);
    assert!(nav.gate_at(&small.site(), &small.map, 0, 0.5).is_none());
    assert_eq!(nav.fault(), None);
}
