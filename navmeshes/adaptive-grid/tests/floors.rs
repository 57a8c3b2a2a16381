//! Adaptive grids over floors made for the test: gates, clearance, doors, stairs, cut cells.

use glam::{DVec2, Vec3};
use throng_core::{
    Attachment, Gate, Location, NO_DOOR, NONE, NavError, NavMap, NavRepresentation, NoRoute, Site,
};
use throng_kit::{
    Ground, Walk,
    environment::{Connection, Door, Environment, Floor, Mesh, Polygon},
    search::{Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route},
};
use throng_nav_adaptive_grid::{AdaptiveGrid, Metric, PartitionKind, Seeding};

fn at(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

fn room(low: (f64, f64), high: (f64, f64)) -> Polygon {
    Polygon::rectangle(at(low.0, low.1), at(high.0, high.1))
}

struct Built {
    ground: Ground,
    nav: AdaptiveGrid,
    map: NavMap,
}

impl Built {
    fn new(environment: &Environment, nav: AdaptiveGrid) -> Built {
        let ground = Ground::from_environment(environment).unwrap();
        let mut nav = nav;
        let mut map = NavMap::default();
        nav.build(&site(&ground), &mut map).unwrap();
        map.check().unwrap();
        let (covered, walkable) = (map.covered_area(), ground.walkable_area());
        assert!(
            (covered - walkable).abs() < 1e-4 * walkable,
            "{covered} {walkable}"
        );
        Built { ground, nav, map }
    }

    fn place(&self, x: f64, y: f64, floor: u16) -> Location {
        let view = self.ground.view();
        let local = view.from_world(at(x, y).extend(0.0)).truncate();
        view.locate_plan(local, Some(floor)).unwrap()
    }

    fn attach(&self, place: Location) -> Attachment {
        let mut out = [Attachment::NOWHERE];
        self.nav
            .attach(&site(&self.ground), &self.map, &[place], &[NONE], &mut out);
        out[0]
    }

    fn world(&self, point: Vec3) -> Vec3 {
        point + self.ground.view().origin.as_vec3()
    }

    fn route(&self, from: Location, to: Location, radius: f32) -> Result<(f64, Vec<u32>), NoRoute> {
        self.route_with(from, to, radius, self.ground.view().door_open)
    }

    fn route_with(
        &self,
        from: Location,
        to: Location,
        radius: f32,
        doors: &[u8],
    ) -> Result<(f64, Vec<u32>), NoRoute> {
        let query = RouteQuery {
            terms: Terms::lengths(&self.map, doors, radius),
            from: self.attach(from),
            to: self.attach(to),
            heuristic: Heuristic::STRAIGHT,
            greed: 1.0,
            most_expansions: 0,
            horizon: Horizon::NONE,
            old_tail: &[],
        };
        let mut scratch = SearchScratch::default();
        let found = find_route(&query, &mut scratch)?;
        Ok((found.length, scratch.route().to_vec()))
    }
}

fn site(ground: &Ground) -> Site<'_> {
    Site {
        ground: ground.view(),
        file_cells: None,
        seed: 3,
    }
}

fn floor(walkable: Polygon, solid: Vec<Polygon>) -> Environment {
    Environment {
        floors: vec![Floor {
            walkable: vec![walkable],
            solid,
            ..Floor::default()
        }],
        ..Environment::default()
    }
}

fn cells(cell: f32) -> AdaptiveGrid {
    let mut nav = AdaptiveGrid::default();
    nav.cell = cell;
    nav
}

fn with(change: impl FnOnce(&mut AdaptiveGrid)) -> AdaptiveGrid {
    let mut nav = cells(0.5);
    change(&mut nav);
    nav
}

/// Two rooms of 10 x 8 with a gap of 2 m in the wall between them, from y = 3 to 5.
fn two_rooms() -> Environment {
    floor(
        room((0.0, 0.0), (21.0, 8.0)),
        vec![
            room((10.0, -1.0), (11.0, 3.0)),
            room((10.0, 5.0), (11.0, 9.0)),
        ],
    )
}

#[test]
fn an_empty_room_is_one_rectangle() {
    let built = Built::new(&floor(room((0.0, 0.0), (10.0, 6.0)), vec![]), cells(0.5));
    assert_eq!((built.map.nodes(), built.map.edges()), (1, 0));
    let centre = built.world(built.map.node_place[0].point);
    assert!((centre - Vec3::new(5.0, 3.0, 0.0)).length() < 1e-4);
    let ring: Vec<Vec3> = built
        .map
        .region_ring
        .iter()
        .map(|p| built.world(*p))
        .collect();
    assert!((ring[0] - Vec3::ZERO).length() < 1e-4);
    assert!((ring[2] - Vec3::new(10.0, 6.0, 0.0)).length() < 1e-4);
}

#[test]
fn gates_are_the_shared_borders_with_their_walls() {
    let built = Built::new(&two_rooms(), cells(0.5));
    let map = &built.map;
    let (from, to) = (built.place(2.0, 7.0, 0), built.place(19.0, 1.0, 0));
    let (length, edges) = built.route(from, to, 0.24).unwrap();
    assert!(length >= 10.0, "{length}");
    let mut gates = Vec::new();
    let view = site(&built.ground);
    built.nav.emit_gates(&view, map, &edges, &mut gates);
    // One of them is the gap itself: 2 m between two walls, walked eastwards.
    let gap = gates
        .iter()
        .map(|g| (built.world(g.left), built.world(g.right), g))
        .find(|(left, right, _)| (left.y - 5.0).abs() < 1e-3 && (right.y - 3.0).abs() < 1e-3)
        .expect("a gate across the gap");
    assert_eq!(gap.2.flags, Gate::LEFT_WALL | Gate::RIGHT_WALL);
    let least = edges
        .iter()
        .map(|e| map.edge_clearance[*e as usize])
        .fold(f32::INFINITY, f32::min);
    assert!((least - 1.0).abs() < 1e-3, "{least}");
    assert!(built.route(from, to, 0.99).is_ok());
    assert_eq!(
        built.route(from, to, 1.01).unwrap_err(),
        NoRoute::Unconnected,
        "the gap is 2 m wide"
    );
}

#[test]
fn every_straight_walk_in_a_rectangle_is_free() {
    let solid = vec![
        room((3.2, 2.1), (5.7, 4.4)),
        Polygon::new(vec![at(9.0, 1.0), at(12.0, 3.0), at(10.0, 6.0)]),
    ];
    for nav in [
        cells(0.5),
        cells(0.3),
        with(|nav| (nav.seeds, nav.count) = (Seeding::Random, 12)),
        with(|nav| nav.partition = PartitionKind::Quadtree),
    ] {
        let built = Built::new(&floor(room((0.0, 0.0), (16.0, 8.0)), solid.clone()), nav);
        let view = built.ground.view();
        for n in 0..built.map.nodes() {
            let ring = &built.map.region_ring[n * 4..n * 4 + 4];
            let centre = built.map.node_place[n];
            for corner in ring {
                let inside = centre.point + (*corner - centre.point) * 0.999;
                let place = view.locate_plan(inside.truncate(), None).unwrap();
                assert!(view.sees(centre, place), "{n} does not see its corner");
            }
        }
        // Gates lie on the ground, and both centres see their middles.
        for (e, gate) in built.map.gates.iter().enumerate() {
            let middle = Location {
                point: gate.middle,
                triangle: gate.triangle,
            };
            for node in [built.map.edge_from[e], built.map.edge_to[e]] {
                assert!(view.sees(built.map.node_place[node as usize], middle));
            }
        }
        // Corners cut off by slanted walls belong to a rectangle too.
        for (x, y) in [(9.0, 3.0), (11.9, 4.0), (11.0, 2.0), (3.1, 2.0)] {
            let place = built.place(x, y, 0);
            assert!((built.attach(place).node as usize) < built.map.nodes());
        }
    }
}

#[test]
fn thin_walls_part_rectangles() {
    let mut environment = floor(room((0.0, 0.0), (10.0, 6.0)), vec![]);
    // Exactly on a line of the lattice, up to 2 m below the top.
    environment.floors[0].thin_walls = vec![vec![at(5.0, 0.0), at(5.0, 4.0)]];
    let built = Built::new(&environment, cells(0.5));
    let (from, to) = (built.place(4.0, 1.0, 0), built.place(6.0, 1.0, 0));
    assert_ne!(built.attach(from).node, built.attach(to).node);
    let (length, _) = built.route(from, to, 0.2).unwrap();
    assert!(length > 3.0, "{length}");
    for n in 0..built.map.nodes() {
        let [low, high] = [0, 2].map(|i| built.world(built.map.region_ring[n * 4 + i]));
        assert!(
            low.x > 4.99 || high.x < 5.01 || low.y > 3.99,
            "a rectangle holds the wall"
        );
    }
}

#[test]
fn doors_are_gates_that_can_close() {
    for x in [10.5, 10.0, 10.25, 10.6] {
        let mut environment = two_rooms();
        environment.doors = vec![Door {
            name: "door".into(),
            floor: 0,
            ends: [at(x, 3.0), at(x, 5.0)],
            open: true,
        }];
        let built = Built::new(&environment, cells(0.5));
        let doors: Vec<usize> = (0..built.map.edges())
            .filter(|e| built.map.edge_door.get(*e).is_some_and(|d| *d != NO_DOOR))
            .collect();
        assert!(!doors.is_empty(), "no gate passes the door at {x}");
        let (from, to) = (built.place(2.0, 7.0, 0), built.place(19.0, 1.0, 0));
        assert!(built.route_with(from, to, 0.24, &[1]).is_ok(), "{x}");
        assert!(built.route_with(from, to, 0.24, &[0]).is_err(), "{x}");
    }
}

#[test]
fn stairs_join_floors() {
    let storey = |z: f64, name: &str| Floor {
        name: name.into(),
        z,
        walkable: vec![room((0.0, 0.0), (12.0, 8.0))],
        ..Floor::default()
    };
    for (low, shift) in [(4.0, 0.0), (4.2, 0.17), (3.9, 0.31)] {
        let environment = Environment {
            floors: vec![storey(0.0, "ground"), storey(3.0, "first")],
            connections: vec![Connection {
                name: "stairs".into(),
                from: 0,
                to: 1,
                lower: [at(low, 2.0 + shift), at(low, 4.0 + shift)],
                upper: [at(low + 4.0, 2.0 + shift), at(low + 4.0, 4.0 + shift)],
                speed: 0.6,
            }],
            ..Environment::default()
        };
        let built = Built::new(&environment, cells(0.5));
        let (from, to) = (built.place(1.0, 1.0, 0), built.place(11.0, 7.0, 1));
        let (length, edges) = built.route(from, to, 0.24).unwrap();
        assert!(length > 10.0 && length < 40.0, "{length}");
        assert!(edges.len() >= 2);
        // Gates lie where they are seen from above, also where floor and stairs meet.
        for gate in &built.map.gates {
            let middle = ((gate.left + gate.right) / 2.0).truncate();
            assert!(gate.middle.truncate().distance(middle) < 0.51, "{gate:?}");
            let (across, off) = (
                (gate.right - gate.left).truncate().normalize(),
                gate.middle.truncate() - middle,
            );
            assert!(off.perp_dot(across).abs() < 1e-3, "{gate:?}");
        }
        for e in 0..built.map.edges() {
            let [a, b] = [built.map.edge_from[e], built.map.edge_to[e]]
                .map(|n| built.map.node_place[n as usize].point);
            assert!(built.map.edge_length[e] >= a.distance(b) - 1e-3);
        }
    }
}

#[test]
fn metrics_change_lengths_and_nothing_else() {
    let built = |metric| Built::new(&two_rooms(), with(|nav| nav.metric = metric));
    let [snd, manhattan, euclidean] =
        [Metric::Snd, Metric::Manhattan, Metric::Euclidean].map(built);
    assert_eq!(snd.map.edge_to, manhattan.map.edge_to);
    for e in 0..snd.map.edges() {
        let [s, m, d] = [&snd, &manhattan, &euclidean].map(|b| b.map.edge_length[e]);
        assert!(d <= s + 1e-4 && s <= m + 1e-4, "{d} {s} {m}");
    }
    let names: Vec<&str> = snd
        .nav
        .measures(&site(&snd.ground))
        .iter()
        .map(|m| m.0)
        .collect();
    assert_eq!(
        names[..4],
        ["seed_count", "mean_size", "mean_aspect_ratio", "mse"]
    );
}

#[test]
fn unsuitable_grounds_are_refused() {
    let closet = floor(room((0.0, 0.0), (0.4, 0.4)), vec![]);
    let ground = Ground::from_environment(&closet).unwrap();
    let mut map = NavMap::default();
    let error = cells(1.0).build(&site(&ground), &mut map).unwrap_err();
    assert!(error.to_string().contains("smaller cells"), "{error}");
    let wall = Environment {
        mesh: Some(Mesh {
            vertices: [
                (0.0, 0.0, 0.0),
                (4.0, 0.0, 0.0),
                (4.0, 0.0, 4.0),
                (0.0, 0.0, 4.0),
            ]
            .map(|(x, y, z)| glam::DVec3::new(x, y, z))
            .to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
        }),
        ..Environment::default()
    };
    let ground = Ground::from_environment(&wall).unwrap();
    let error = cells(0.5).build(&site(&ground), &mut map).unwrap_err();
    assert!(matches!(error, NavError::Unsuitable { .. }));
}
