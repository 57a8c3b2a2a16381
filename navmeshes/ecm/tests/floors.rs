//! Stairs between layers, doors, and places in them.

mod common;

use common::{Built, built, floor, rectangle};
use glam::{DVec2, Vec2};
use throng_core::{
    NONE,
    random::{Purpose, Stream},
};
use throng_kit::{
    Walk,
    environment::{Connection, Door, Environment, Floor},
    search::Connectivity,
};

fn stair(name: &str, floors: (usize, usize), x: (f64, f64), y: (f64, f64)) -> Connection {
    Connection {
        name: name.into(),
        from: floors.0,
        to: floors.1,
        lower: [DVec2::new(x.0, y.0), DVec2::new(x.0, y.1)],
        upper: [DVec2::new(x.1, y.0), DVec2::new(x.1, y.1)],
        speed: 0.5,
    }
}

/// Three floors above each other; the stairs of both storeys have the same footprint.
fn tower() -> Environment {
    let storey = |z: f64| Floor {
        z,
        walkable: vec![rectangle(0.0, 0.0, 30.0, 20.0)],
        solid: vec![rectangle(3.0, 14.0, 7.0, 17.0)],
        ..Floor::default()
    };
    Environment {
        floors: vec![storey(0.0), storey(4.0), storey(8.0)],
        connections: vec![
            stair("one", (0, 1), (10.0, 18.0), (8.0, 11.0)),
            stair("two", (1, 2), (10.0, 18.0), (8.0, 11.0)),
        ],
        ..Environment::default()
    }
}

fn everywhere(b: &Built, mut visit: impl FnMut(throng_core::Location)) {
    let view = b.ground.view();
    let mut s = Stream::new(5, 0, Purpose::Strategy, 0);
    for _ in 0..4000 {
        let t = s.range(0.0, view.triangles.len() as f64) as u32;
        let [a, p, q] = view.corners(t);
        let (mut u, mut v) = (s.range(0.001, 0.999) as f32, s.range(0.001, 0.999) as f32);
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        visit(throng_core::Location {
            point: a + (p - a) * u + (q - a) * v,
            triangle: t,
        });
    }
}

#[test]
fn stairs_join_the_layers_of_a_tower() {
    let b = built(&tower());
    let walkable = b.ground.walkable_area();
    assert!((b.map.covered_area() - walkable).abs() < 1e-6 * walkable);
    assert_eq!(Connectivity::new(&b.map, &[]).components(), 1);
    let near = |z: f32, off: f32| {
        let heights = b.map.node_place.iter().map(|p| p.point.z);
        heights.filter(|h| (h - z).abs() < off).count()
    };
    // About the middle of the tower: floors at -4, 0 and 4, one joint about half-way between.
    assert!(near(-4.0, 0.01) > 9 && near(0.0, 0.01) > 9 && near(4.0, 0.01) > 9);
    assert_eq!((near(-2.0, 0.5), near(2.0, 0.5)), (1, 1));
    // Regions tile every floor and stair: the area over which places of one region lie adds up.
    everywhere(&b, |place| {
        let region = b.region(place, NONE);
        assert_ne!(region, NONE);
        let ring = b.ring(region as usize);
        let low = ring.iter().copied().fold(Vec2::INFINITY, Vec2::min) - 1e-3;
        let high = ring.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max) + 1e-3;
        let p = place.point.truncate();
        assert!(p.cmpge(low).all() && p.cmple(high).all());
        // The region is on this floor, or on the stair at it.
        let z = b.map.region_place[region as usize].point.z;
        assert!((z - place.point.z).abs() < 4.1, "{z} {}", place.point.z);
        let hung = b.attach(place);
        assert!((hung.edge as usize) < b.map.edges() && hung.distance < 10.0);
    });
}

#[test]
fn the_way_up_a_stair_counts_its_climb() {
    let b = built(&tower());
    // From the lower end of the first stair to its upper end: 8 m along, 4 m up.
    let on_stair: Vec<usize> = (0..b.map.edges())
        .filter(|&e| {
            let z = |n: u32| b.map.node_place[n as usize].point.z;
            let (from, to) = (z(b.map.edge_from[e]), z(b.map.edge_to[e]));
            from < to && to <= 0.01
        })
        .collect();
    let climb: f32 = on_stair.iter().map(|&e| b.map.edge_length[e]).sum();
    let wanted = (8.0_f32 * 8.0 + 4.0 * 4.0).sqrt();
    assert!((climb - wanted).abs() < 0.01, "{climb} {wanted}");
    // Its regions are as large as its slope, and half the width is the clearance.
    let area: f32 = on_stair
        .iter()
        .map(|&e| b.map.region_area[b.map.pieces[e].cell as usize])
        .sum();
    assert!((area - 3.0 * wanted).abs() < 0.01, "{area}");
    for e in on_stair {
        assert!((b.map.edge_clearance[e] - 1.5).abs() < 1e-3);
    }
}

#[test]
fn a_closed_door_parts_the_rooms_and_leaves_each_whole() {
    let mut environment = floor(
        vec![rectangle(0.0, 0.0, 21.0, 10.0)],
        vec![
            rectangle(10.0, 0.0, 11.0, 4.0),
            rectangle(10.0, 6.0, 11.0, 10.0),
        ],
    );
    for x in [10.0, 10.5, 11.0] {
        environment.doors = vec![Door {
            name: "door".into(),
            floor: 0,
            ends: [DVec2::new(x, 4.0), DVec2::new(x, 6.0)],
            open: true,
        }];
        let b = built(&environment);
        let doors = b.map.edge_door.iter().filter(|d| **d == 0).count();
        assert!(doors >= 2, "door at {x}");
        assert_eq!(Connectivity::new(&b.map, &[1]).components(), 1);
        let closed = Connectivity::new(&b.map, &[0]);
        assert_eq!(closed.components(), 2, "door at {x}");
        // Places in the doorway on either side of the leaf hang on their own room.
        let view = b.ground.view();
        let at = |dx: f64| {
            let world = DVec2::new(x + dx, 5.2);
            let local = (world - view.origin.truncate()).as_vec2();
            b.attach(view.locate_plan(local, None).unwrap())
        };
        let (one, two) = (at(-0.2), at(0.2));
        let parted = |node: u32| {
            let far = b
                .map
                .node_place
                .iter()
                .position(|p| p.point.x < -5.0)
                .unwrap();
            closed.widest(node, far as u32).is_none()
        };
        let ends = |e: u32| [b.map.edge_from[e as usize], b.map.edge_to[e as usize]];
        assert!(ends(one.edge).iter().all(|n| !parted(*n)), "door at {x}");
        assert!(ends(two.edge).iter().all(|n| parted(*n)), "door at {x}");
    }
}

/// Broad steps between two floors side by side, or above each other.
fn broad_steps(above: bool) -> Environment {
    let storey = |x: f64, z: f64| Floor {
        z,
        walkable: vec![rectangle(x, 0.0, x + 10.0, 10.0)],
        ..Floor::default()
    };
    Environment {
        floors: vec![
            storey(0.0, 0.0),
            storey(if above { 4.0 } else { 12.0 }, 1.0),
        ],
        connections: vec![if above {
            stair("steps", (0, 1), (5.0, 7.0), (1.0, 9.0))
        } else {
            stair("steps", (0, 1), (10.0, 12.0), (1.0, 9.0))
        }],
        ..Environment::default()
    }
}

#[test]
fn broad_steps_join_floors_side_by_side() {
    let b = built(&broad_steps(false));
    let walkable = b.ground.walkable_area();
    assert!((b.map.covered_area() - walkable).abs() < 1e-6 * walkable);
    assert_eq!(Connectivity::new(&b.map, &[]).components(), 1);
    everywhere(&b, |place| assert_ne!(b.region(place, NONE), NONE));
    let why = common::try_built(&broad_steps(true)).err().unwrap();
    assert!(why.contains("wider than it is long"), "{why}");
}
