//! What every registered strategy must keep to: finite, bounded, independent of order and chunk.

use glam::{DVec2, Vec2};
use throng::{
    Simulation, Spot,
    environment::{Environment, Floor, Polygon},
};
use throng_core::{
    random::{Purpose, Stream},
    *,
};
use throng_engine::registry::AnyStrategy;
use throng_kit::Walk;

fn made(slot: Slot) -> Vec<(String, AnyStrategy)> {
    throng::registry()
        .of(slot)
        .map(|s| (s.id.clone(), s.create(&toml::Table::new()).unwrap()))
        .collect()
}

/// A chunk of random agents with neighbours and walls, some of them overlapping or coinciding.
struct Crowd {
    id: Vec<u64>,
    tick: Vec<u32>,
    velocity: Vec<Vec2>,
    preferred: Vec<Vec2>,
    radius: Vec<f32>,
    max_speed: Vec<f32>,
    mass: Vec<f32>,
    neighbours: Vec<Vec<(Neighbour, f32, u8, u64)>>,
    walls: Vec<Vec<NearWall>>,
}

impl Crowd {
    fn random(seed: u64, agents: usize) -> Crowd {
        let mut s = Stream::new(seed, 0, Purpose::Strategy, 0);
        let mut vec = |scale: f32| {
            Vec2::new(
                (s.unit() - 0.5) * 2.0 * scale,
                (s.unit() - 0.5) * 2.0 * scale,
            )
        };
        let velocity: Vec<_> = (0..agents).map(|_| vec(1.5)).collect();
        let preferred: Vec<_> = (0..agents).map(|_| vec(1.1)).collect();
        let neighbours = (0..agents)
            .map(|i| {
                let mut row: Vec<_> = (0..(i * 7) % 11)
                    .map(|n| {
                        let offset = if n == 3 { Vec2::ZERO } else { vec(3.0) };
                        let seen = Neighbour {
                            offset,
                            velocity: vec(1.5),
                        };
                        (seen, 0.2 + 0.02 * n as f32, (n % 4) as u8, 1000 + n as u64)
                    })
                    .collect();
                row.sort_by(|a, b| {
                    a.0.offset
                        .length_squared()
                        .total_cmp(&b.0.offset.length_squared())
                });
                row
            })
            .collect();
        let walls = (0..agents)
            .map(|i| {
                (0..i % 3)
                    .map(|w| {
                        let at = 0.3 + w as f32;
                        NearWall {
                            a: Vec2::new(2.0, at),
                            b: Vec2::new(-2.0, at),
                            before: Vec2::ZERO,
                            after: Vec2::ZERO,
                            flags: u32::from(Wall::CONVEX_A | Wall::CONVEX_B),
                            wall: w as u32,
                        }
                    })
                    .collect()
            })
            .collect();
        Crowd {
            id: (0..agents as u64).collect(),
            tick: vec![3; agents],
            velocity,
            preferred,
            radius: (0..agents).map(|i| 0.2 + 0.01 * (i % 9) as f32).collect(),
            max_speed: vec![1.6; agents],
            mass: vec![80.0; agents],
            neighbours,
            walls,
        }
    }

    /// Velocities and pushes of the agents in this order, one call.
    fn steer(&self, model: &dyn LocalAvoidance, order: &[usize]) -> Vec<[Vec2; 2]> {
        fn pick<T: Copy>(order: &[usize], v: &[T]) -> Vec<T> {
            order.iter().map(|&i| v[i]).collect()
        }
        let (mut start, mut wall_start) = (vec![0u32], vec![0u32]);
        let (mut seen, mut radius, mut flags, mut ids) = (vec![], vec![], vec![], vec![]);
        let mut walls = vec![];
        for &i in order {
            for (n, r, f, id) in &self.neighbours[i] {
                seen.push(*n);
                radius.push(*r);
                flags.push(*f);
                ids.push(*id);
            }
            start.push(seen.len() as u32);
            walls.extend_from_slice(&self.walls[i]);
            wall_start.push(walls.len() as u32);
        }
        let n = order.len();
        let memory = model.memory();
        let mut scalars = vec![0.0; n * memory.scalars.len()];
        let mut tangents = vec![Vec2::ZERO; n * memory.tangents.len()];
        let mut locations = vec![Location::NOWHERE; n * memory.locations.len()];
        let mut velocity = vec![Vec2::NAN; n];
        let mut push = vec![Vec2::ZERO; if model.pushes() { n } else { 0 }];
        let preferred = pick(order, &self.preferred);
        let own = pick(order, &self.velocity);
        model.steer(
            &SteerChunk {
                dt: 0.1,
                step: 4,
                seed: 9,
                id: &pick(order, &self.id),
                tick: &pick(order, &self.tick),
                velocity: &own,
                heading: &own
                    .iter()
                    .map(|v| v.normalize_or(Vec2::X))
                    .collect::<Vec<_>>(),
                preferred: &preferred,
                target: &preferred,
                radius: &pick(order, &self.radius),
                max_speed: &pick(order, &self.max_speed),
                mass: &pick(order, &self.mass),
                neighbours: NeighbourRows {
                    start: &start,
                    seen: &seen,
                    radius: &radius,
                    flags: &flags,
                    id: &ids,
                },
                walls: WallRows {
                    start: &wall_start,
                    walls: &walls,
                },
            },
            &mut Scratch::default(),
            &mut SteerOut {
                velocity: &mut velocity,
                push: &mut push,
                memory: MemoryRows {
                    scalars: &mut scalars,
                    tangents: &mut tangents,
                    locations: &mut locations,
                },
            },
        );
        (0..n)
            .map(|i| [velocity[i], push.get(i).copied().unwrap_or(Vec2::ZERO)])
            .collect()
    }
}

#[test]
fn avoidance_is_finite_bounded_and_independent_of_order_and_chunk() {
    for (id, strategy) in made(Slot::Avoidance) {
        let model = strategy.into_avoidance().unwrap();
        for seed in 0..20 {
            let crowd = Crowd::random(seed, 37);
            let all: Vec<usize> = (0..37).collect();
            let together = crowd.steer(&*model, &all);
            for (i, [v, push]) in together.iter().enumerate() {
                assert!(v.is_finite() && push.is_finite(), "{id}: agent {i} {v}");
                let limit = crowd.max_speed[i] * 1.001;
                assert!(v.length() <= limit, "{id}: agent {i} at {}", v.length());
            }
            let mirrored: Vec<usize> = all.iter().rev().copied().collect();
            for (k, answer) in crowd.steer(&*model, &mirrored).iter().enumerate() {
                assert_eq!(*answer, together[mirrored[k]], "{id}: order matters");
            }
            for i in [0, 5, 36] {
                assert_eq!(crowd.steer(&*model, &[i])[0], together[i], "{id}: alone");
            }
        }
    }
}

fn rooms() -> Environment {
    let r = |a: f64, b: f64, c: f64, d: f64| Polygon::rectangle(DVec2::new(a, b), DVec2::new(c, d));
    Environment {
        floors: vec![Floor {
            walkable: vec![r(0.0, 0.0, 20.0, 12.0)],
            solid: vec![
                r(6.0, -1.0, 7.0, 8.0),
                r(13.0, 4.0, 14.0, 13.0),
                r(9.0, 5.0, 11.0, 6.5),
            ],
            ..Floor::default()
        }],
        ..Environment::default()
    }
}

fn simulation(sets: &[String]) -> Result<Simulation, throng::SimulationError> {
    let mut builder = Simulation::builder().threads(1);
    for set in sets {
        builder = builder.set(set.clone());
    }
    builder.world_with(
        rooms(),
        r#"
        name = "conformance"
        [[source]]
        area = [[1, 1], [5, 1], [5, 11], [1, 11]]
        count = 15
        goals = [[[15, 1], [19, 1], [19, 11], [15, 11]]]
        "#,
        throng::registry(),
    )
}

#[test]
fn maps_keep_their_contract() {
    for strategy in throng::registry().of(Slot::Nav) {
        let sim = simulation(&[format!("nav.kind=\"{}\"", strategy.id)]).unwrap();
        let (id, map, site, nav) = (
            &strategy.id,
            sim.map(),
            sim.place().site(),
            &sim.parts().nav,
        );
        map.check().unwrap_or_else(|e| panic!("{id}: {e}"));
        let walkable = 240.0 - 8.0 - 8.0 - 3.0;
        let covered = map.covered_area();
        // Discs leave corners out.
        let least = if id == "nav-graph" { 0.95 } else { 0.98 };
        assert!(
            covered > least * walkable && covered < 1.02 * walkable,
            "{id} covers {covered}"
        );
        for e in 0..map.edges() {
            let twin = map.edge_twin[e];
            if twin != NONE {
                assert_eq!(map.edge_twin[twin as usize], e as u32, "{id}: twins");
                assert_eq!(map.edge_from[twin as usize], map.edge_to[e], "{id}: twins");
            }
            let straight = map.node_place[map.edge_from[e] as usize]
                .point
                .distance(map.node_place[map.edge_to[e] as usize].point);
            assert!(
                map.edge_length[e] >= straight - 1e-3,
                "{id}: edge {e} is too short"
            );
            assert!(map.edge_clearance[e] >= 0.0, "{id}");
        }
        let mut s = Stream::new(4, 0, Purpose::Strategy, 0);
        let places: Vec<Location> = (0..200)
            .filter_map(|_| sim.place().everywhere.draw(site.ground, &mut s, 16))
            .collect();
        let none = vec![NONE; places.len()];
        let mut regions = none.clone();
        nav.region_of(&site, map, &places, &none, &mut regions);
        assert!(
            regions.iter().all(|r| (*r as usize) < map.regions()),
            "{id}: regions"
        );
        let mut attached = vec![Attachment::NOWHERE; places.len()];
        nav.attach(&site, map, &places, &none, &mut attached);
        assert!(
            attached.iter().all(|a| (a.node as usize) < map.nodes()),
            "{id}: attach"
        );
        // Hints, good or bad, change no answer; nor does the batch.
        for shift in [0, 1, 7] {
            let hints: Vec<u32> = (0..places.len())
                .map(|i| regions[(i + shift) % places.len()])
                .collect();
            let (mut again, mut hung) = (none.clone(), attached.clone());
            nav.region_of(&site, map, &places, &hints, &mut again);
            nav.attach(&site, map, &places, &hints, &mut hung);
            assert_eq!(regions, again, "{id}: hints matter");
            assert_eq!(attached, hung, "{id}: hints matter");
        }
        for (i, place) in places.iter().enumerate().take(20) {
            let mut one = [NONE];
            nav.region_of(&site, map, &[*place], &[NONE], &mut one);
            assert_eq!(one[0], regions[i], "{id}: alone");
        }
        let edges: Vec<u32> = (0..map.edges().min(500) as u32).collect();
        let mut gates = Vec::new();
        nav.emit_gates(&site, map, &edges, &mut gates);
        for g in &gates {
            assert!(
                g.left.is_finite() && g.middle.is_finite() && g.right.is_finite(),
                "{id}"
            );
            assert!((g.triangle as usize) < site.ground.triangles.len(), "{id}");
        }
    }
}

#[test]
fn planners_answer_every_request_the_same_alone_and_in_batches() {
    for strategy in throng::registry().of(Slot::Planner) {
        let id = &strategy.id;
        let mut sets = vec![format!("planner.kind=\"{id}\"")];
        if strategy.needs.has(throng_core::Capabilities::MESH) {
            sets.push("nav.kind=\"surface\"".into());
        }
        let mut sim = simulation(&sets).unwrap();
        sim.step().unwrap();
        let ground = sim.ground();
        let mut s = Stream::new(6, 0, Purpose::Strategy, 0);
        let mut draw = || sim.place().everywhere.draw(ground, &mut s, 64).unwrap();
        let requests: Vec<PlanRequest> = (0..50)
            .map(|i| PlanRequest {
                from: draw(),
                to: draw(),
                agent: NONE,
                goal: NONE,
                prices: 0,
                class: 0,
                from_region: NONE,
                radius: 0.05 * (i % 5) as f32,
                weight: 1.0,
                speed: 1.3,
            })
            .collect();
        let (mut together, mut scratch) = (RouteSink::default(), Scratch::default());
        sim.plan_batch(&requests, &mut scratch, &mut together);
        assert_eq!(together.rows.len(), requests.len(), "{id}");
        for (i, request) in requests.iter().enumerate() {
            let mut alone = RouteSink::default();
            sim.plan_batch(&[*request], &mut Scratch::default(), &mut alone);
            let (a, b) = (&together.rows[i], &alone.rows[0]);
            assert_eq!(a.kind, b.kind, "{id}: request {i}");
            assert_eq!(
                (a.length, a.cost, a.count),
                (b.length, b.cost, b.count),
                "{id}"
            );
            if !matches!(a.kind, RouteKind::Missing(_)) {
                let straight = request.from.point.distance(request.to.point);
                assert!(
                    a.length >= straight - 1e-2,
                    "{id}: {} below {straight}",
                    a.length
                );
                assert!(a.cost.is_finite() && a.cost >= 0.0, "{id}");
            }
        }
    }
}

#[test]
fn whoever_fits_where_they_stand_finds_a_way() {
    let mut sim = simulation(&["planner.kind=\"astar\"".to_owned()]).unwrap();
    sim.step().unwrap();
    let ground = sim.ground();
    let mut s = Stream::new(16, 0, Purpose::Strategy, 0);
    let mut draw = || {
        std::iter::repeat_with(|| sim.place().everywhere.draw(ground, &mut s, 64).unwrap())
            .find(|p| ground.distance_to_wall(*p, 0.3) >= 0.26)
            .unwrap()
    };
    for i in 0..400 {
        let [from, to] = [draw(), draw()].map(|p| Spot::Space(sim.world_point(p)));
        let found = sim.path(from, to, 0.26);
        assert!(found.is_ok(), "{i}: {from:?} to {to:?}: {found:?}");
    }
}

#[test]
fn prices_keep_their_bounds() {
    for (id, strategy) in made(Slot::Cost) {
        let mut model = strategy.into_cost().unwrap();
        let cells = 40;
        let mut s = Stream::new(8, 0, Purpose::Strategy, 0);
        let area: Vec<f32> = (0..cells)
            .map(|i| if i == 7 { 0.0 } else { 0.1 + s.unit() * 5.0 })
            .collect();
        let occupied: Vec<i64> = (0..cells)
            .map(|i| (i as i64 % 9) * AREA_UNIT as i64 / 4)
            .collect();
        let persons: Vec<i32> = (0..cells).map(|i| i % 9).collect();
        let momentum: Vec<i64> = occupied
            .iter()
            .map(|o| (*o as f64 * SPEED_UNIT * (s.unit_f64() * 2.0 - 1.0)) as i64)
            .collect();
        let crowd = CrowdView {
            area: &area,
            axis: &[],
            occupied: &occupied,
            persons: &persons,
            momentum_x: &momentum,
            momentum_y: &momentum,
        };
        let class = RouteClass {
            profile: 0,
            speed: 1.3,
            weight: 1.0,
            radius: 0.24,
        };
        let context = PriceContext {
            crowd,
            cell_speed: &[],
            cell_length: &[],
            class,
            time: 3.0,
        };
        model.observe(&crowd, 1.0);
        let (mut a, mut b) = (Prices::default(), Prices::default());
        model.price(&context, &mut a);
        model.price(&context, &mut b);
        assert_eq!(
            (&a.base, &a.crowd, a.uniform),
            (&b.base, &b.crowd, b.uniform),
            "{id}"
        );
        assert!(a.least_base > 0.0 && a.least_base.is_finite(), "{id}");
        if a.uniform.is_none() {
            assert_eq!(
                a.base.len(),
                cells as usize * (a.directions * a.slices) as usize,
                "{id}"
            );
        }
        for (base, crowd) in a.base.iter().zip(&a.crowd) {
            assert!(
                *base >= a.least_base && base.is_finite(),
                "{id}: base {base}"
            );
            let most = base * Prices::MOST_CROWD;
            assert!((0.0..=most).contains(crowd), "{id}: crowd {crowd}");
        }
    }
}

#[test]
fn policies_and_groups_run_on_a_crowd() {
    let registry = throng::registry();
    for (slot, table) in [(Slot::Lod, "lod"), (Slot::Group, "group")] {
        for strategy in registry.of(slot) {
            let sets = [
                format!("{table}.kind=\"{}\"", strategy.id),
                "source[0].groups={sizes=[1, 1, 1]}".to_owned(),
            ];
            let mut sim = simulation(&sets).unwrap_or_else(|e| panic!("{e}"));
            for _ in 0..80 {
                sim.step().unwrap();
                throng::snapshot::invariants(&sim)
                    .unwrap_or_else(|e| panic!("{}: {e}", strategy.id));
            }
        }
    }
}
