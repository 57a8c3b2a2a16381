//! Discs on grounds whose cover is known.

use super::*;
use glam::DVec2;
use throng_kit::{
    Ground,
    environment::{Door, Environment, Floor, Polygon},
    search::Connectivity,
};

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> Polygon {
    Polygon::rectangle(DVec2::new(x0, y0), DVec2::new(x1, y1))
}

fn room(width: f64, height: f64, solid: Vec<Polygon>) -> Environment {
    Environment {
        floors: vec![Floor {
            walkable: vec![rectangle(0.0, 0.0, width, height)],
            solid,
            ..Floor::default()
        }],
        ..Environment::default()
    }
}

fn built(environment: &Environment) -> (Ground, NavGraph, NavMap) {
    let ground = Ground::from_environment(environment).unwrap();
    let (mut nav, mut map) = (NavGraph::default(), NavMap::default());
    nav.build(&site(&ground), &mut map).unwrap();
    map.check().unwrap();
    (ground, nav, map)
}

fn site(ground: &Ground) -> Site<'_> {
    Site {
        ground: ground.view(),
        file_cells: None,
        seed: 0,
    }
}

#[test]
fn discs_cover_rooms_and_hang_together() {
    for (environment, area) in [
        (room(20.0, 12.0, vec![]), 240.0),
        (
            room(20.0, 12.0, vec![rectangle(9.0, 3.0, 11.0, 12.0)]),
            222.0,
        ),
        (room(30.0, 2.0, vec![]), 60.0),
    ] {
        let (ground, nav, map) = built(&environment);
        let view = ground.view();
        let covered = map.covered_area() / area;
        assert!(covered > 0.95 && covered < 1.0001, "{covered} of {area} m2");
        let connected = Connectivity::new(&map, &[]);
        assert_eq!(connected.components(), 1, "{} discs", map.nodes());
        for (centre, radius) in map.node_place.iter().zip(&nav.radius) {
            assert!(view.clearance(*centre, 50.0) >= radius - 1e-3, "free space");
        }
    }
}

#[test]
fn a_square_that_one_disc_fills_has_few() {
    let (_, nav, map) = built(&room(8.0, 8.0, vec![]));
    assert!((nav.radius[0] - 4.0).abs() < 0.05, "{:?}", nav.radius[0]);
    assert!(map.nodes() < 60, "{} discs", map.nodes());
}

#[test]
fn gates_lie_on_the_common_chord() {
    let (_, nav, map) = built(&room(30.0, 4.0, vec![]));
    for e in 0..map.edges() {
        let gate = map.gates[map.gate_start[e] as usize];
        let (a, b) = (map.edge_from[e] as usize, map.edge_to[e] as usize);
        for end in [gate.left, gate.right, gate.middle] {
            for d in [a, b] {
                let apart = end.distance(map.node_place[d].point);
                assert!(apart <= nav.radius[d] + 1e-3, "edge {e}: {apart}");
            }
        }
        let (from, to) = (map.node_place[a].point, map.node_place[b].point);
        let forward = (to - from).truncate();
        let left = (gate.left - gate.right).truncate();
        assert!(forward.perp_dot(left) > 0.0, "left is left");
        assert!(map.edge_length[e] >= forward.length() - 1e-3);
        let twin = map.edge_twin[e] as usize;
        assert_eq!(map.gates[map.gate_start[twin] as usize], gate.reversed());
    }
}

#[test]
fn a_narrow_door_is_passed_and_shuts() {
    // Two rooms, a wall of 0.4 m and a door of 0.8 m that no sample row need meet in its middle.
    let solid = vec![
        rectangle(9.8, 0.0, 10.2, 5.07),
        rectangle(9.8, 5.87, 10.2, 10.0),
    ];
    let mut environment = room(20.0, 10.0, solid);
    environment.doors.push(Door {
        name: "door".into(),
        floor: 0,
        ends: [DVec2::new(10.0, 5.07), DVec2::new(10.0, 5.87)],
        open: true,
    });
    let (_, _, map) = built(&environment);
    let open = Connectivity::new(&map, &[1]);
    assert_eq!(open.components(), 1);
    let widest = open.widest(0, map.nodes() as u32 - 1);
    assert!(widest.is_some_and(|w| w > 0.3), "{widest:?}");
    assert_eq!(Connectivity::new(&map, &[0]).components(), 2);
}

#[test]
fn places_attach_to_a_disc_in_sight() {
    let (ground, nav, map) = built(&room(20.0, 12.0, vec![rectangle(9.9, 3.0, 10.0, 12.0)]));
    let site = site(&ground);
    for (x, y) in [(9.8, 9.0), (10.1, 9.0), (0.05, 0.05), (10.0, 1.5)] {
        let place = ground
            .view()
            .locate_plan(
                glam::Vec2::new(x, y) - site.ground.origin.truncate().as_vec2(),
                None,
            )
            .unwrap();
        let mut out = [Attachment::NOWHERE];
        nav.attach(&site, &map, &[place], &[NONE], &mut out);
        let centre = map.node_place[out[0].node as usize];
        assert!(ground.view().sees(place, centre), "({x}, {y})");
        let mut region = [NONE];
        nav.region_of(&site, &map, &[place], &[NONE], &mut region);
        assert!((region[0] as usize) < map.regions());
    }
}

#[test]
fn the_same_ground_gives_the_same_bits() {
    let environment = room(20.0, 12.0, vec![rectangle(9.0, 3.0, 11.0, 12.0)]);
    let (_, _, a) = built(&environment);
    let (_, _, b) = built(&environment);
    assert_eq!(a.node_place, b.node_place);
    assert_eq!(a.edge_to, b.edge_to);
    assert_eq!(a.gates, b.gates);
}
