//! Random environments, degenerate ones among them, against a brute-force idea of the ground.

use glam::{DVec2, DVec3, Vec2};
use proptest::prelude::*;
use throng_core::{Frame, GroundView, NO_DOOR, NONE, Wall};
use throng_kit::environment::{
    Connection, Door, Environment, FileCells, Floor, Mesh, Obstacle, Polygon,
};
use throng_kit::{Ground, GroundError, Walk, polygon};

/// Coordinates that coincide often, or hardly ever.
fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (0i32..9).prop_map(f64::from),
        1 => (0i32..33).prop_map(|i| f64::from(i) / 4.0 + 1e-7),
        2 => 0.0f64..8.0,
    ]
}

fn point() -> impl Strategy<Value = DVec2> {
    (coordinate(), coordinate()).prop_map(|(x, y)| DVec2::new(x, y))
}

/// Triangles and rectangles: shapes that wind about each inner point exactly once.
fn simple() -> impl Strategy<Value = Polygon> {
    prop_oneof![
        (point(), point(), point()).prop_map(|(a, b, c)| Polygon::new(vec![a, b, c])),
        (point(), point()).prop_map(|(a, b)| Polygon::rectangle(a.min(b), a.max(b))),
    ]
}

fn environment() -> impl Strategy<Value = Environment> {
    let many = |n| prop::collection::vec(simple(), 0..n);
    let line = || (point(), point());
    (
        prop::collection::vec(simple(), 1..5),
        many(5),
        many(3),
        prop::collection::vec(prop::collection::vec(point(), 2..5), 0..4),
        prop::collection::vec((line(), any::<bool>()), 0..3),
    )
        .prop_map(
            |(walkable, solid, obstacles, thin_walls, doors)| Environment {
                floors: vec![Floor {
                    name: "ground".into(),
                    z: 0.0,
                    walkable,
                    solid,
                    thin_walls,
                }],
                obstacles: obstacles
                    .into_iter()
                    .map(|shape| Obstacle { floor: 0, shape })
                    .collect(),
                doors: doors
                    .into_iter()
                    .enumerate()
                    .map(|(i, ((a, b), open))| Door {
                        name: format!("door {i}"),
                        floor: 0,
                        ends: [a, b],
                        open,
                    })
                    .collect(),
                ..Environment::default()
            },
        )
}

fn near_an_edge(environment: &Environment, p: DVec2, distance: f64) -> bool {
    let floor = &environment.floors[0];
    floor.walkable.iter().chain(&floor.solid).any(|polygon| {
        let ring = &polygon.outer;
        (0..ring.len()).any(|i| {
            let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
            let d = b - a;
            let along = if d.length_squared() > 0.0 {
                ((p - a).dot(d) / d.length_squared()).clamp(0.0, 1.0)
            } else {
                0.0
            };
            (a + d * along).distance(p) < distance
        })
    })
}

fn check_structure(view: &GroundView) {
    for t in 0..view.triangles.len() {
        assert!(view.areas[t] > 0.0 && view.normals[t].is_normalized());
        for s in 0..3 {
            let code = view.across[t][s];
            let wall = view.side_wall[t][s];
            if code == NONE {
                assert_ne!(wall, NONE, "a closed side without a wall");
                assert_eq!(view.walls[wall as usize].door, NO_DOOR);
            } else {
                assert_eq!(
                    view.across[code as usize / 3][code as usize % 3],
                    (t * 3 + s) as u32
                );
            }
            if view.side_door[t][s] != NO_DOOR {
                assert_eq!(view.walls[wall as usize].door, view.side_door[t][s]);
            }
            if wall != NONE {
                // The side lies on its wall, in the wall's direction.
                let w = &view.walls[wall as usize];
                let [a, b] = [s, (s + 1) % 3].map(|i| view.corners(t as u32)[i].as_dvec3());
                let (d, e) = ((w.b - w.a).as_dvec3(), b - a);
                assert!(d.dot(e) > 0.0);
                assert!((a - w.a.as_dvec3()).cross(d).length() <= 1e-4 * d.length());
            }
        }
    }
    for (i, w) in view.walls.iter().enumerate() {
        assert!(w.a != w.b && (w.triangle as usize) < view.triangles.len());
        if w.next != NONE {
            let next = &view.walls[w.next as usize];
            assert_eq!(next.a, w.b);
            if view.stands(w) && view.stands(next) {
                assert_eq!(next.previous, i as u32);
                let flags = (
                    w.flags & Wall::CONVEX_B != 0,
                    next.flags & Wall::CONVEX_A != 0,
                );
                assert_eq!(flags.0, flags.1);
                let turn = (w.b - w.a)
                    .truncate()
                    .as_dvec2()
                    .perp_dot((next.b - next.a).truncate().as_dvec2());
                if turn > 1e-3 {
                    assert!(!flags.0, "a left turn of the wall is a hollow corner");
                } else if turn < -1e-3 {
                    assert!(flags.0, "a right turn of the wall juts out");
                }
            }
        } else if view.stands(w) {
            // Only a wall that runs under an obstacle ends there without another.
            assert!(
                view.walls.iter().any(|w| w.flags & Wall::OBSTACLE != 0),
                "{w:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_ground_is_walkable_minus_solid(
        environment in environment(),
        probes in prop::collection::vec((0.0f64..8.5, 0.0f64..8.5), 40),
        steps in prop::collection::vec((0.0f32..2.0, 0.0f32..6.3), 12),
    ) {
        let ground = match Ground::from_environment(&environment) {
            Ok(ground) => ground,
            Err(e) => {
                prop_assert_eq!(e, GroundError::Empty);
                return Ok(());
            }
        };
        let view = ground.view();
        check_structure(&view);
        let floor = &environment.floors[0];
        let mut start = None;
        for (x, y) in probes {
            let p = DVec2::new(x, y);
            if near_an_edge(&environment, p, 1e-4) {
                continue;
            }
            let walkable = floor.walkable.iter().any(|q| polygon::contains(q, p))
                && !floor.solid.iter().any(|q| polygon::contains(q, p));
            let local = (p - view.origin.truncate()).as_vec2();
            let found = view.locate_plan(local, None);
            prop_assert_eq!(found.is_some(), walkable, "{}", p);
            start = start.or(found);
        }
        // Nobody leaves the part of the ground where they began.
        if let Some(mut at) = start {
            for (length, angle) in steps {
                let d = Vec2::new(throng_core::math::cos(angle), throng_core::math::sin(angle)) * length;
                let moved = view.advance(at, Frame::FLAT, d, 0.1);
                let back = view.locate(moved.to.point).unwrap();
                prop_assert!(back.point.distance(moved.to.point) < 1e-4);
                let mut straight = true;
                for w in view.walls.iter().filter(|w| view.stands(w)) {
                    let turn = |a: Vec2, b: Vec2, c: Vec2| (b - a).as_dvec2().perp_dot((c - a).as_dvec2());
                    let [a, b, p, q] = [w.a, w.b, at.point, moved.to.point].map(|v| v.truncate());
                    // Obstacles may be left from inside.
                    let into = turn(a, b, p) > 0.0 && turn(a, b, q) < 0.0;
                    straight &= !(into && turn(p, q, a) * turn(p, q, b) < 0.0);
                }
                prop_assert!(straight || moved.touched_wall, "through a wall");
                at = moved.to;
            }
        }
    }

    #[test]
    fn stairs_join_floors_wherever_they_are_drawn(
        lower in (0.5f64..9.0, 0.0f64..9.5, 0.3f64..3.0),
        run in 0.5f64..6.0,
        skew in -1.0f64..1.0,
        rooms in prop::collection::vec(simple(), 0..3),
    ) {
        let (x, y, width) = lower;
        let mut floors: Vec<Floor> = (0..2)
            .map(|i| Floor {
                name: format!("{i}"),
                z: f64::from(i) * 3.0,
                walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::splat(10.0))],
                ..Floor::default()
            })
            .collect();
        floors[1].solid = rooms;
        let (a, b) = (DVec2::new(x, y), DVec2::new(x + width, y));
        let up = DVec2::new(skew, run);
        let environment = Environment {
            floors,
            connections: vec![Connection {
                name: "stair".into(),
                from: 0,
                to: 1,
                lower: [a, b],
                upper: [a + up, b + up],
                speed: 0.5,
            }],
            ..Environment::default()
        };
        let ground = Ground::from_environment(&environment).unwrap();
        let view = ground.view();
        check_structure(&view);
        let joins = |floor: u16| {
            (0..view.triangles.len()).any(|t| {
                view.floors[t] == 2
                    && view.across[t].iter().any(|&c| c != NONE && view.floors[c as usize / 3] == floor)
            })
        };
        // Below the lower end there is floor wherever the end begins inside the room.
        prop_assert_eq!(joins(0), y > 1e-4 && x < 10.0);
        let told = ground.notices().iter().any(|n| n.contains("does not touch"));
        prop_assert_eq!(told, !joins(0) || !joins(1));
    }
}

/// Files of the shared data folder, which is not part of the repository.
fn shared(name: &str) -> Option<String> {
    let path = format!("{}/../../../shared/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        eprintln!("skipped: no shared data file {name}");
    }
    text
}

#[test]
fn maps_of_cells_keep_their_area() {
    for name in ["arena", "den312d", "32room_000"] {
        let Some(text) = shared(&format!("movingai/{name}.map")) else {
            continue;
        };
        let number = |line: usize| {
            let word = text.lines().nth(line).and_then(|l| l.split(' ').nth(1));
            word.and_then(|w| w.parse::<usize>().ok()).unwrap()
        };
        let (height, width) = (number(1), number(2));
        let rows = text.lines().skip(4).take(height);
        let walkable: Vec<bool> = rows
            .flat_map(|r| r.chars().map(|c| ".GS".contains(c)))
            .collect();
        let count = walkable.iter().filter(|w| **w).count();
        let cells = FileCells {
            low: DVec2::ZERO,
            cell: 1.0,
            width,
            height,
            walkable,
        };
        let ground = Ground::from_environment(&Environment {
            cells: Some(cells.clone()),
            ..Environment::default()
        })
        .unwrap();
        assert_eq!(ground.walkable_area(), count as f64, "{name}");
        let view = ground.view();
        check_structure(&view);
        // Every cell's middle is on the ground if and only if the cell is walkable.
        for (i, walkable) in cells.walkable.iter().enumerate() {
            let middle = DVec2::new((i % width) as f64 + 0.5, (i / width) as f64 + 0.5);
            let local = (middle - view.origin.truncate()).as_vec2();
            assert_eq!(
                view.locate_plan(local, None).is_some(),
                *walkable,
                "{name} {middle}"
            );
        }
    }
}

#[test]
fn a_scanned_mesh_can_be_walked_all_over() {
    let Some(text) = shared("meshes/bunny-3k.obj") else {
        return;
    };
    let mut mesh = Mesh::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.first() {
            Some(&"v") => {
                let n = |i: usize| words[i].parse::<f64>().unwrap();
                mesh.vertices.push(DVec3::new(n(1), n(2), n(3)));
            }
            Some(&"f") => {
                let n = |i: usize| words[i].split('/').next().unwrap().parse::<u32>().unwrap() - 1;
                mesh.triangles.push([n(1), n(2), n(3)]);
            }
            _ => {}
        }
    }
    let ground = Ground::from_mesh(&mesh).unwrap();
    let view = ground.view();
    assert_eq!(view.triangles.len(), mesh.triangles.len());
    let size = (ground.bounds().1 - ground.bounds().0).max_element() as f32;
    let mut at = view.locate(glam::Vec3::ZERO).unwrap();
    let mut frame = view.frame_at(at);
    for i in 0..2000 {
        let angle = i as f32 * 0.01;
        let (x, y) = (throng_core::math::cos(angle), throng_core::math::sin(angle));
        let moved = view.advance(at, frame, Vec2::new(x, y) * size * 0.02, size * 0.001);
        assert!((moved.walked - size * 0.02).abs() < size * 1e-4);
        let n = view.normals[moved.to.triangle as usize];
        let off = n
            .dot(moved.to.point - view.corners(moved.to.triangle)[0])
            .abs();
        assert!(off < size * 1e-5 && moved.frame.x.dot(n).abs() < 1e-4);
        (at, frame) = (moved.to, moved.frame);
    }
}
