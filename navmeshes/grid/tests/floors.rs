//! Grids over floors made for the test: corners, doors, clearance, areas, stairs, gates.

use glam::{DVec2, Vec2, Vec3};
use throng_core::{
    Attachment, Gate, Location, NONE, NavError, NavMap, NavRepresentation, NoRoute, Site,
};
use throng_kit::{
    Ground, Walk,
    environment::{Connection, Door, Environment, Floor, Mesh, Polygon},
    search::{Connectivity, Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route},
};
use throng_nav_grid::Grid;

fn at(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

fn room(low: (f64, f64), high: (f64, f64)) -> Polygon {
    Polygon::rectangle(at(low.0, low.1), at(high.0, high.1))
}

struct Built {
    ground: Ground,
    grid: Grid,
    map: NavMap,
}

impl Built {
    fn new(environment: &Environment, cell: f32) -> Built {
        let ground = Ground::from_environment(environment).unwrap();
        let mut grid = Grid::of_cell(cell);
        let mut map = NavMap::default();
        let site = site(&ground);
        grid.build(&site, &mut map).unwrap();
        map.check().unwrap();
        let covered = map.covered_area();
        let walkable = ground.walkable_area();
        assert!(
            (covered - walkable).abs() < 1e-4 * walkable,
            "{covered} {walkable}"
        );
        Built { ground, grid, map }
    }

    fn place(&self, x: f64, y: f64, floor: u16) -> Location {
        let view = self.ground.view();
        let local = view.from_world(at(x, y).extend(0.0)).truncate();
        view.locate_plan(local, Some(floor)).unwrap()
    }

    fn attach(&self, place: Location) -> Attachment {
        let mut out = [Attachment::NOWHERE];
        let site = site(&self.ground);
        self.grid
            .attach(&site, &self.map, &[place], &[NONE], &mut out);
        out[0]
    }

    fn region(&self, place: Location) -> u32 {
        let mut out = [NONE];
        let site = site(&self.ground);
        self.grid
            .region_of(&site, &self.map, &[place], &[NONE], &mut out);
        out[0]
    }

    fn world(&self, node: u32) -> Vec3 {
        let view = self.ground.view();
        view.to_world(self.map.node_place[node as usize]).as_vec3()
    }

    /// Length of the route between two places over the graph, and its edges.
    fn route(&self, from: Location, to: Location, radius: f32) -> Result<(f64, Vec<u32>), NoRoute> {
        let view = self.ground.view();
        let query = RouteQuery {
            terms: Terms::lengths(&self.map, view.door_open, radius),
            from: self.attach(from),
            to: self.attach(to),
            heuristic: Heuristic::of(&self.map),
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
        seed: 0,
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

#[test]
fn an_empty_room_is_a_full_lattice() {
    let built = Built::new(&floor(room((0.0, 0.0), (4.0, 3.0)), vec![]), 0.5);
    let map = &built.map;
    assert_eq!(map.nodes(), 8 * 6);
    assert_eq!(map.edges(), 2 * (7 * 6 + 8 * 5 + 2 * 7 * 5));
    assert_eq!(map.regions(), 48);
    assert!(map.region_area.iter().all(|a| (a - 0.25).abs() < 1e-5));
    // The default cell is half a metre.
    assert_eq!(
        Built::new(&floor(room((0.0, 0.0), (4.0, 3.0)), vec![]), 0.0)
            .map
            .nodes(),
        48
    );
    for e in 0..map.edges() {
        let (a, b) = (built.world(map.edge_from[e]), built.world(map.edge_to[e]));
        assert!((map.edge_length[e] - a.distance(b)).abs() < 1e-5);
        let wall = |p: Vec3| p.x.min(p.y).min(4.0 - p.x).min(3.0 - p.y);
        assert!((map.edge_clearance[e] - wall(a).min(wall(b)).min(2.0)).abs() < 1e-5);
        let twin = map.edge_twin[e] as usize;
        assert_eq!(
            (map.edge_from[e], map.edge_to[e]),
            (map.edge_to[twin], map.edge_from[twin])
        );
    }
}

#[test]
fn corners_are_not_cut_and_clearance_sees_them() {
    // A pillar on the cell from (1, 1) to (2, 2), cells of 1 m.
    let pillar = room((1.0, 1.0), (2.0, 2.0));
    let built = Built::new(&floor(room((0.0, 0.0), (5.0, 5.0)), vec![pillar]), 1.0);
    let map = &built.map;
    assert_eq!(map.nodes(), 24);
    for e in 0..map.edges() {
        let (a, b) = (built.world(map.edge_from[e]), built.world(map.edge_to[e]));
        let diagonal = a.x != b.x && a.y != b.y;
        let beside = [Vec2::new(a.x, b.y), Vec2::new(b.x, a.y)];
        assert!(!(diagonal && beside.contains(&Vec2::splat(1.5))), "{a} {b}");
    }
    // From (2.5, 2.5) up to (2.5, 3.5): the corner (2, 2) is nearest, at its lower end.
    let e = built
        .route(built.place(2.5, 2.5, 0), built.place(2.5, 3.5, 0), 0.0)
        .unwrap()
        .1[0];
    assert!((map.edge_clearance[e as usize] - 0.5_f32.sqrt()).abs() < 1e-5);
    // From (2.5, 0.5) to (2.5, 1.5): the corner (2, 1) is nearest to its middle.
    let e = built
        .route(built.place(2.5, 0.5, 0), built.place(2.5, 1.5, 0), 0.0)
        .unwrap()
        .1[0];
    assert!((map.edge_clearance[e as usize] - 0.5).abs() < 1e-5);
}

#[test]
fn walls_off_the_lattice_stop_steps() {
    // A thin wall at x = 2.1 with a gap from y = 3 on, and a pillar smaller than a cell.
    let mut environment = floor(
        room((0.0, 0.0), (4.0, 4.0)),
        vec![room((0.95, 0.95), (1.05, 1.05))],
    );
    environment.floors[0].thin_walls = vec![vec![at(2.1, 0.0), at(2.1, 3.0)]];
    let built = Built::new(&environment, 0.5);
    let (left, right) = (built.place(1.75, 0.25, 0), built.place(2.25, 0.25, 0));
    assert_ne!(built.attach(left).node, built.attach(right).node);
    let (length, _) = built.route(left, right, 0.0).unwrap();
    assert!(length > 5.0, "{length}");
    for e in 0..built.map.edges() {
        let (a, b) = (
            built.map.node_place[built.map.edge_from[e] as usize],
            built.map.node_place[built.map.edge_to[e] as usize],
        );
        assert!(built.ground.view().sees(a, b));
        // The pillar sits on a lattice corner: no diagonal over it.
        let middle =
            (built.world(built.map.edge_from[e]) + built.world(built.map.edge_to[e])) / 2.0;
        assert!(middle.truncate().distance(Vec2::ONE) > 0.2);
    }
    // Beside the wall but across from its own cell's centre: hangs on the side it is on.
    let near = built.place(2.12, 1.6, 0);
    let node = built.attach(near).node;
    assert!(built.world(node).x > 2.1);
    let near = built.place(2.05, 1.6, 0);
    assert!(built.world(built.attach(near).node).x < 2.1);
}

#[test]
fn doors_are_edges_that_close() {
    let mut environment = floor(
        room((0.0, 0.0), (6.0, 3.0)),
        vec![room((2.8, 0.0), (3.2, 1.0)), room((2.8, 2.0), (3.2, 3.0))],
    );
    environment.doors = vec![Door {
        name: "door".into(),
        floor: 0,
        ends: [at(3.0, 1.0), at(3.0, 2.0)],
        open: false,
    }];
    let mut built = Built::new(&environment, 0.5);
    let (a, b) = (built.place(1.0, 1.5, 0), built.place(5.0, 1.5, 0));
    assert_eq!(built.route(a, b, 0.0).unwrap_err(), NoRoute::Unconnected);
    let parts = |b: &Built| Connectivity::new(&b.map, b.ground.view().door_open).components();
    assert_eq!(parts(&built), 2);
    built.ground.set_door(0, true);
    assert_eq!(parts(&built), 1);
    let (length, edges) = built.route(a, b, 0.24).unwrap();
    assert!((4.0 - 1e-6..4.6).contains(&length), "{length}");
    let doors = edges
        .iter()
        .filter(|&&e| built.map.edge_door[e as usize] == 0)
        .count();
    assert_eq!(doors, 1);
    // The passage is 1 m wide: nobody wider gets through.
    assert!(built.route(a, b, 0.6).is_err());
    // Same map, whatever state the door was in when it was built.
    environment.doors[0].open = true;
    let open = Built::new(&environment, 0.5);
    assert_eq!(open.map.edge_to, built.map.edge_to);
    assert_eq!(open.map.edge_door, built.map.edge_door);
}

fn two_floors() -> Environment {
    Environment {
        floors: vec![
            Floor {
                name: "ground".into(),
                walkable: vec![room((0.0, 0.0), (10.0, 10.0))],
                ..Floor::default()
            },
            Floor {
                name: "upper".into(),
                z: 3.0,
                walkable: vec![room((0.0, 0.0), (10.0, 10.0))],
                ..Floor::default()
            },
        ],
        connections: vec![Connection {
            name: "stair".into(),
            from: 0,
            to: 1,
            lower: [at(2.0, 4.0), at(2.0, 6.0)],
            upper: [at(6.0, 4.0), at(6.0, 6.0)],
            speed: 0.5,
        }],
        ..Environment::default()
    }
}

#[test]
fn stairs_join_layers() {
    let built = Built::new(&two_floors(), 0.5);
    let parts = Connectivity::new(&built.map, &[]).components();
    assert_eq!(parts, 1);
    // Straight under a place on the upper floor is another node.
    let (below, above) = (built.place(8.25, 8.25, 0), built.place(8.25, 8.25, 1));
    let (low, high) = (built.attach(below).node, built.attach(above).node);
    assert!(built.world(low).z.abs() < 1e-5 && (built.world(high).z - 3.0).abs() < 1e-5);
    assert_ne!(built.region(below), built.region(above));
    // Along the stair: 1 m before it, 5 m up it, 1 m after it.
    let (from, to) = (built.place(1.25, 5.25, 0), built.place(6.75, 5.25, 1));
    let (length, edges) = built.route(from, to, 0.0).unwrap();
    assert!((length - (0.75 + 5.0 + 0.75)).abs() < 1e-3, "{length}");
    let mut z = 0.0;
    for &e in &edges {
        let next = built.world(built.map.edge_to[e as usize]).z;
        assert!(next >= z - 1e-5 && next < z + 0.8);
        z = next;
    }
    // Nobody steps off the flank of the stair, from below or from above.
    for e in 0..built.map.edges() {
        let (a, b) = (
            built.world(built.map.edge_from[e]),
            built.world(built.map.edge_to[e]),
        );
        assert!((a.z - b.z).abs() < 0.8, "{a} {b}");
    }
}

#[test]
fn regions_follow_places() {
    let pillar = room((1.3, 1.3), (2.6, 2.9));
    let built = Built::new(&floor(room((0.0, 0.0), (4.0, 4.0)), vec![pillar]), 0.5);
    for node in 0..built.map.nodes() as u32 {
        let place = built.map.node_place[node as usize];
        assert_eq!(built.region(place), built.map.node_region[node as usize]);
        assert_eq!(built.attach(place).node, node);
        assert_eq!(built.attach(place).distance, 0.0);
    }
    // The sliver beside the pillar belongs to a neighbour that sees it.
    let sliver = built.place(2.65, 2.05, 0);
    let node = built.attach(sliver).node;
    assert!(built.world(node).x > 2.6);
    assert!(built.region(sliver) < built.map.regions() as u32);
    assert_eq!(built.region(Location::NOWHERE), NONE);
    assert_eq!(built.attach(Location::NOWHERE), Attachment::NOWHERE);
}

#[test]
fn gates_span_the_free_sides_of_steps() {
    let built = Built::new(&floor(room((0.0, 0.0), (3.0, 1.0)), vec![]), 1.0);
    let site = site(&built.ground);
    let edge = built
        .route(built.place(0.5, 0.5, 0), built.place(1.5, 0.5, 0), 0.0)
        .unwrap()
        .1[0];
    let mut gates = Vec::new();
    built
        .grid
        .emit_gates(&site, &built.map, &[edge], &mut gates);
    let world = |p: Vec3| p + site.ground.origin.as_vec3();
    assert!(world(gates[0].left).distance(Vec3::new(1.0, 1.0, 0.0)) < 1e-5);
    assert!(world(gates[0].right).distance(Vec3::new(1.0, 0.0, 0.0)) < 1e-5);
    assert_eq!(gates[0].flags, Gate::LEFT_WALL | Gate::RIGHT_WALL);

    // In the open, straight and diagonal gates have open ends; at a wall off the lattice the end
    // is where the wall is.
    let wall = room((0.0, 2.7), (4.0, 4.0));
    let built = Built::new(&floor(room((0.0, 0.0), (4.0, 4.0)), vec![wall]), 1.0);
    let site = self::site(&built.ground);
    let gate_of = |from: (f64, f64), to: (f64, f64)| {
        let (from, to) = (built.place(from.0, from.1, 0), built.place(to.0, to.1, 0));
        let edge = built.route(from, to, 0.0).unwrap().1[0];
        let mut gates = Vec::new();
        built
            .grid
            .emit_gates(&site, &built.map, &[edge], &mut gates);
        gates[0]
    };
    let world = |p: Vec3| (p + site.ground.origin.as_vec3()).truncate();
    let straight = gate_of((1.5, 1.5), (2.5, 1.5));
    assert_eq!(straight.flags, 0);
    assert!(world(straight.left).distance(Vec2::new(2.0, 2.0)) < 1e-5);
    let diagonal = gate_of((0.5, 0.5), (1.5, 1.5));
    assert_eq!(diagonal.flags, 0);
    assert!(world(diagonal.left).distance(Vec2::new(0.5, 1.5)) < 1e-5);
    assert!(world(diagonal.right).distance(Vec2::new(1.5, 0.5)) < 1e-5);
    let beside = gate_of((1.5, 2.5), (2.5, 2.5));
    assert_eq!(beside.flags, Gate::LEFT_WALL);
    assert!(
        world(beside.left).distance(Vec2::new(2.0, 2.7)) < 1e-4,
        "{beside:?}"
    );
    assert!(world(beside.right).distance(Vec2::new(2.0, 2.0)) < 1e-5);
}

#[test]
fn unsuitable_grounds_and_sizes_are_refused_with_a_reason() {
    let mesh = Mesh {
        vertices: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
            .map(|(x, y, z)| glam::DVec3::new(x.into(), y.into(), z.into()))
            .to_vec(),
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let ground = Ground::from_mesh(&mesh).unwrap();
    let refused = Grid::default().build(&site(&ground), &mut NavMap::default());
    assert!(
        matches!(refused, Err(NavError::Unsuitable { .. })),
        "{refused:?}"
    );

    let ground =
        Ground::from_environment(&floor(room((0.0, 0.0), (900.0, 900.0)), vec![])).unwrap();
    let mut fine = Grid::of_cell(0.01);
    let refused = fine.build(&site(&ground), &mut NavMap::default());
    assert!(
        matches!(refused, Err(NavError::TooLarge { .. })),
        "{refused:?}"
    );
    // The coarsest cells that are allowed.
    let mut coarse = Grid::of_cell(100.0);
    let mut map = NavMap::default();
    coarse.build(&site(&ground), &mut map).unwrap();
    assert_eq!(map.nodes(), 81);
}
