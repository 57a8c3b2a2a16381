//! One set of properties over every kind of ground, and closed-form cases of each.

use glam::{DVec2, DVec3, Vec2, Vec3};
use proptest::prelude::*;
use throng_core::{Frame, GroundView, Location, NONE, Wall, math};
use throng_kit::environment::{
    Connection, Door, Environment, FileCells, Floor, Mesh, Obstacle, Polygon,
};
use throng_kit::ground::{Advanced, TraceEnd};
use throng_kit::{Ground, GroundError, Walk};

fn v(x: f64, y: f64) -> DVec2 {
    DVec2::new(x, y)
}

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> Polygon {
    Polygon::rectangle(v(x0, y0), v(x1, y1))
}

fn floor(z: f64, walkable: Vec<Polygon>) -> Floor {
    Floor {
        name: format!("floor at {z}"),
        z,
        walkable,
        ..Floor::default()
    }
}

fn build(environment: &Environment) -> Ground {
    Ground::from_environment(environment).expect("a ground")
}

/// A floor with a hole, a triangular solid, thin walls and a closed room made of thin walls.
fn plaza() -> Ground {
    let mut outline = rectangle(0.0, 0.0, 20.0, 15.0);
    outline
        .holes
        .push(vec![v(4.0, 4.0), v(7.0, 4.3), v(6.0, 8.0), v(3.7, 6.0)]);
    let mut floor = floor(1.5, vec![outline]);
    floor
        .solid
        .push(Polygon::new(vec![v(12.0, 2.0), v(15.0, 3.1), v(11.0, 5.3)]));
    floor.thin_walls = vec![
        vec![v(9.0, 15.0), v(9.0, 9.0)],
        vec![v(10.0, 8.0), v(13.0, 11.0), v(16.0, 8.0)],
        vec![
            v(16.0, 1.0),
            v(19.0, 1.5),
            v(18.5, 4.0),
            v(16.2, 4.2),
            v(16.0, 1.0),
        ],
    ];
    build(&Environment {
        floors: vec![floor],
        ..Environment::default()
    })
}

/// Three floors, one above the other, joined by two stairs in one stairwell.
fn tower() -> Ground {
    let floors = (0..3)
        .map(|i| {
            let mut f = floor(3.0 * f64::from(i), vec![rectangle(0.0, 0.0, 12.0, 10.0)]);
            f.solid.push(rectangle(8.0, 6.0, 9.0, 7.0));
            f
        })
        .collect();
    let stair = |name: &str, from: usize, x: f64| Connection {
        name: name.into(),
        from,
        to: from + 1,
        lower: [v(x, 3.0), v(x + 2.0, 3.0)],
        upper: [v(x, 7.0), v(x + 2.0, 7.0)],
        speed: 0.6,
    };
    build(&Environment {
        floors,
        connections: vec![stair("first", 0, 1.0), stair("second", 1, 4.0)],
        ..Environment::default()
    })
}

fn grid_mesh(
    nu: u32,
    nv: u32,
    close_u: bool,
    close_v: bool,
    point: impl Fn(f64, f64) -> DVec3,
) -> Mesh {
    let (pu, pv) = (nu + u32::from(!close_u), nv + u32::from(!close_v));
    let mut mesh = Mesh::default();
    for j in 0..pv {
        for i in 0..pu {
            mesh.vertices.push(point(
                f64::from(i) / f64::from(nu),
                f64::from(j) / f64::from(nv),
            ));
        }
    }
    let id = |i: u32, j: u32| (j % pv) * pu + i % pu;
    for j in 0..nv {
        for i in 0..nu {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
            mesh.triangles.push([a, b, c]);
            mesh.triangles.push([a, c, d]);
        }
    }
    mesh
}

const TAU: f64 = core::f64::consts::TAU;

fn torus() -> Ground {
    let mesh = grid_mesh(40, 20, true, true, |u, v| {
        let ring = 8.0 + 3.0 * math::cos(v * TAU);
        DVec3::new(
            ring * math::cos(u * TAU),
            ring * math::sin(u * TAU),
            3.0 * math::sin(v * TAU),
        )
    });
    Ground::from_mesh(&mesh).expect("a torus")
}

fn moebius() -> Ground {
    let n = 60;
    let mut mesh = grid_mesh(n, 4, false, false, |u, v| {
        let (turn, half) = (u * TAU, u * TAU / 2.0);
        let off = (v - 0.5) * 4.0;
        let ring = 10.0 + off * math::cos(half);
        DVec3::new(
            ring * math::cos(turn),
            ring * math::sin(turn),
            off * math::sin(half),
        )
    });
    // A few triangles wound the other way: the builder must not mind.
    for t in mesh.triangles.iter_mut().step_by(7) {
        t.swap(0, 1);
    }
    Ground::from_mesh(&mesh).expect("a Moebius strip")
}

/// Half a tube, open along its length and at both ends.
fn half_tube() -> Ground {
    let mesh = grid_mesh(30, 12, false, false, |u, v| {
        let turn = (v - 0.5) * TAU * 0.6;
        DVec3::new(u * 20.0, 5.0 * math::sin(turn), 5.0 * math::cos(turn))
    });
    Ground::from_mesh(&mesh).expect("half a tube")
}

struct Case {
    name: &'static str,
    ground: Ground,
    /// Triangles connected with each other have the same number.
    part: Vec<u32>,
}

fn cases() -> &'static [Case] {
    static CASES: std::sync::OnceLock<Vec<Case>> = std::sync::OnceLock::new();
    CASES.get_or_init(|| {
        let all = [
            ("plaza", plaza()),
            ("tower", tower()),
            ("torus", torus()),
            ("moebius", moebius()),
            ("half tube", half_tube()),
        ];
        let case = |(name, ground): (&'static str, Ground)| Case {
            name,
            part: parts(&ground.view()),
            ground,
        };
        all.into_iter().map(case).collect()
    })
}

fn parts(view: &GroundView) -> Vec<u32> {
    let mut part = vec![NONE; view.triangles.len()];
    for seed in 0..part.len() {
        if part[seed] != NONE {
            continue;
        }
        let mut stack = vec![seed];
        part[seed] = seed as u32;
        while let Some(t) = stack.pop() {
            for s in 0..3 {
                let next = view.passage(t as u32, s);
                if next != NONE && part[next as usize / 3] == NONE {
                    part[next as usize / 3] = seed as u32;
                    stack.push(next as usize / 3);
                }
            }
        }
    }
    part
}

/// A random place, a little inside its triangle.
fn place(view: &GroundView, pick: u32, u: f32, v: f32) -> Location {
    let triangle = pick % view.triangles.len() as u32;
    let [a, b, c] = view.corners(triangle);
    let (u, v) = if u + v > 1.0 {
        (1.0 - u, 1.0 - v)
    } else {
        (u, v)
    };
    let (u, v) = (0.02 + u * 0.94, 0.02 + v * 0.94);
    let (u, v) = (u.min(0.96), v.min(0.98 - u.min(0.96)));
    Location {
        point: a + (b - a) * u + (c - a) * v,
        triangle,
    }
}

/// Distance from a location's point to its triangle.
fn off_triangle(view: &GroundView, at: Location) -> f32 {
    let [a, b, c] = view.corners(at.triangle);
    let n = view.normals[at.triangle as usize];
    let height = n.dot(at.point - a).abs();
    let beyond = [(a, b), (b, c), (c, a)]
        .iter()
        .map(|(p, q)| -n.dot((*q - *p).cross(at.point - *p)) / (*q - *p).length())
        .fold(0.0, f32::max);
    height.max(beyond)
}

fn crossed(view: &GroundView, p: Vec3, q: Vec3, level: f32) -> bool {
    let turn = |a: Vec3, b: Vec3, c: Vec3| {
        let (a, b, c) = (a.as_dvec3(), b.as_dvec3(), c.as_dvec3());
        (b - a).truncate().perp_dot((c - a).truncate())
    };
    view.walls.iter().any(|w| {
        (w.a.z - level).abs() < 0.5
            && (w.b.z - level).abs() < 0.5
            && turn(w.a, w.b, p) * turn(w.a, w.b, q) < 0.0
            && turn(p, q, w.a) * turn(p, q, w.b) < 0.0
    })
}

/// Distance in plan to any wall that stands on the floor at the place's height.
fn plan_distance(view: &GroundView, at: Location) -> f32 {
    let p = at.point.truncate().as_dvec2();
    view.walls
        .iter()
        .filter(|w| view.stands(w))
        .map(|w| {
            let (a, b) = (w.a.truncate().as_dvec2(), w.b.truncate().as_dvec2());
            let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
            (a + (b - a) * along).distance(p)
        })
        .fold(f64::INFINITY, f64::min) as f32
}

fn step() -> impl Strategy<Value = (f32, f32)> {
    let length = prop_oneof![4 => 0.0f32..0.6, 1 => 0.6f32..5.0];
    (length, 0.0f32..6.3)
}

fn direction(length: f32, angle: f32) -> Vec2 {
    Vec2::new(math::cos(angle), math::sin(angle)) * length
}

fn check_advanced(case: &Case, from: Location, result: &Advanced, asked: f32) {
    let view = case.ground.view();
    let name = case.name;
    assert!(
        result.to.point.is_finite() && result.moved.is_finite(),
        "{name}"
    );
    assert!(
        off_triangle(&view, result.to) < 2e-4,
        "{name}: {} off",
        off_triangle(&view, result.to)
    );
    let n = view.normals[result.to.triangle as usize];
    assert!(
        result.frame.x.dot(n).abs() < 1e-4,
        "{name}: frame not tangent"
    );
    assert!(
        (result.frame.x.length() - 1.0).abs() < 1e-4,
        "{name}: frame not unit"
    );
    assert!(
        result.walked <= asked * 1.0001 + 1e-4,
        "{name}: walked too far"
    );
    assert!(
        result.moved.length() <= result.walked + 1e-4,
        "{name}: moved farther than walked"
    );
    assert_eq!(
        case.part[from.triangle as usize], case.part[result.to.triangle as usize],
        "{name}: passed a wall"
    );
    if view.plan && !result.touched_wall {
        let level = from.point.z;
        let same_floor =
            view.floors[from.triangle as usize] == view.floors[result.to.triangle as usize];
        if same_floor && from.point.z == result.to.point.z {
            assert!(
                !crossed(&view, from.point, result.to.point, level),
                "{name}: wall crossed"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bodies_stay_on_the_surface_and_off_the_walls(
        kind in 0usize..5,
        pick in 0u32..100_000,
        (u, w) in (0.0f32..1.0, 0.0f32..1.0),
        radius in prop_oneof![Just(0.0f32), 0.05f32..0.5],
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let case = &cases()[kind];
        let view = case.ground.view();
        let mut at = place(&view, pick, u, w);
        let mut frame = view.frame_at(at);
        let mut clear = view.flat && plan_distance(&view, at) >= radius;
        for (length, angle) in steps {
            let before = plan_distance(&view, at);
            let result = view.advance(at, frame, direction(length, angle), radius);
            check_advanced(case, at, &result, length);
            if view.flat {
                prop_assert_eq!(result.frame, frame);
                prop_assert_eq!(result.to.point.z, at.point.z);
                let after = plan_distance(&view, result.to);
                if clear {
                    prop_assert!(after >= radius - 1e-3, "{} < {}", after, radius);
                } else {
                    prop_assert!(after >= before.min(radius) - 1e-3, "{} after {}", after, before);
                    clear = after >= radius;
                }
            }
            at = result.to;
            frame = result.frame;
        }
    }

    #[test]
    fn there_and_back_again(
        kind in 0usize..5,
        pick in 0u32..100_000,
        (u, w) in (0.0f32..1.0, 0.0f32..1.0),
        (length, angle) in step(),
    ) {
        let case = &cases()[kind];
        let view = case.ground.view();
        let at = place(&view, pick, u, w);
        let d = direction(length, angle);
        let there = view.advance(at, view.frame_at(at), d, 0.0);
        prop_assume!(!there.touched_wall);
        prop_assert!((there.walked - length).abs() < 1e-3);
        prop_assert!((there.moved - d).length() < 1e-3);
        let back = view.advance(there.to, there.frame, -d, 0.0);
        prop_assume!(!back.touched_wall);
        prop_assert!(back.to.point.distance(at.point) < 2e-3, "{}: {}", case.name, back.to.point.distance(at.point));
        prop_assert!(back.frame.x.distance(view.frame_at(at).x) < 2e-3);
    }

    #[test]
    fn one_step_equals_its_pieces(
        kind in 0usize..5,
        pick in 0u32..100_000,
        (u, w) in (0.0f32..1.0, 0.0f32..1.0),
        (length, angle) in step(),
        pieces in 2usize..6,
    ) {
        let case = &cases()[kind];
        let view = case.ground.view();
        let start = place(&view, pick, u, w);
        let d = direction(length, angle);
        let whole = view.advance(start, view.frame_at(start), d, 0.0);
        prop_assume!(!whole.touched_wall);
        let mut at = start;
        let mut frame = view.frame_at(start);
        for _ in 0..pieces {
            let result = view.advance(at, frame, d / pieces as f32, 0.0);
            prop_assume!(!result.touched_wall);
            (at, frame) = (result.to, result.frame);
        }
        // A geodesic past a bent vertex depends on the side it passes on: rounding may decide.
        let bent = at.point.distance(whole.to.point);
        let mut near_vertex = false;
        view.trace(start, view.frame_at(start), d, &mut |piece| {
            for c in view.corners(piece.triangle) {
                let along = (c - piece.enter).dot(piece.direction).clamp(0.0, piece.length);
                near_vertex |= (piece.enter + piece.direction * along).distance(c) < 1e-3;
            }
        });
        prop_assert!(bent < 5e-3 || near_vertex && !view.flat, "{}: {}", case.name, bent);
    }

    #[test]
    fn a_trace_has_the_length_of_its_displacement(
        kind in 0usize..5,
        pick in 0u32..100_000,
        (u, w) in (0.0f32..1.0, 0.0f32..1.0),
        (length, angle) in step(),
    ) {
        let case = &cases()[kind];
        let view = case.ground.view();
        let at = place(&view, pick, u, w);
        let d = direction(length, angle);
        let mut total = 0.0;
        let mut last = at;
        let end = view.trace(at, view.frame_at(at), d, &mut |piece| {
            total += piece.length;
            last = Location { point: piece.leave, triangle: piece.triangle };
        });
        prop_assert!(off_triangle(&view, last) < 2e-4);
        match end {
            TraceEnd::Reached => {
                prop_assert!((total - length).abs() < 1e-3);
                let moved = view.advance(at, view.frame_at(at), d, 0.0);
                if !moved.touched_wall {
                    prop_assert!(moved.to.point.distance(last.point) < 2e-3, "{}", case.name);
                }
            }
            TraceEnd::Wall { wall, at } => {
                prop_assert!(total <= length + 1e-3);
                let w = &view.walls[wall as usize];
                let along = (at.point - w.a).dot(w.b - w.a) / (w.b - w.a).length_squared();
                let foot = w.a + (w.b - w.a) * along.clamp(0.0, 1.0);
                prop_assert!(foot.distance(at.point) < 1e-3);
            }
            TraceEnd::Lost => prop_assert!(false, "{}: lost", case.name),
        }
    }

    #[test]
    fn a_place_is_found_again(
        kind in 0usize..5,
        pick in 0u32..100_000,
        other in 0u32..100_000,
        (u, w) in (0.0f32..1.0, 0.0f32..1.0),
        height in -0.2f32..0.2,
    ) {
        let case = &cases()[kind];
        let view = case.ground.view();
        let at = place(&view, pick, u, w);
        let n = view.normals[at.triangle as usize];
        let found = view.locate(at.point).unwrap();
        prop_assert!(found.point.distance(at.point) < 1e-4);
        let off = view.locate(at.point + n * height).unwrap();
        prop_assert!(off.point.distance(at.point + n * height) <= height.abs() + 1e-4);
        let hint = place(&view, other, w, u);
        let again = view.relocate(hint, at.point).unwrap();
        prop_assert!(again.point.distance(found.point) < 2e-3);
        if view.plan {
            let f = view.floors[at.triangle as usize];
            let plan = view.locate_plan(at.point.truncate(), Some(f)).unwrap();
            prop_assert!(plan.point.distance(at.point) < 1e-4);
            let near = view.nearest_plan(at.point.truncate(), Some(f)).unwrap();
            prop_assert_eq!(near, plan);
        }
        let world = view.to_world(at);
        prop_assert!(view.from_world(world).distance(at.point) < 1e-5);
    }

    #[test]
    fn far_points_are_located_at_the_nearest_triangle(
        kind in 0usize..5,
        (x, y, z) in (-60.0f32..60.0, -60.0f32..60.0, -60.0f32..60.0),
    ) {
        let view = cases()[kind].ground.view();
        let p = Vec3::new(x, y, z);
        let found = view.locate(p).unwrap().point.distance(p);
        // Vertices alone give an upper bound that must not be beaten by the answer.
        let by_vertex = view.vertices.iter().map(|v| v.distance(p)).fold(f32::INFINITY, f32::min);
        prop_assert!(found <= by_vertex + 1e-4);
    }

    #[test]
    fn walls_near_are_the_facing_ones_within_reach(
        pick in 0u32..100_000,
        (u, w) in (0.0f32..1.0, 0.0f32..1.0),
        reach in 0.2f32..4.0,
    ) {
        let view = cases()[0].ground.view();
        let at = place(&view, pick, u, w);
        let mut near = Vec::new();
        view.walls_near(at, Frame::FLAT, reach, &mut near);
        prop_assert!(near.windows(2).all(|p| p[0].wall < p[1].wall));
        let mut nearest = reach;
        for n in &near {
            let along = ((-n.a).dot(n.b - n.a) / (n.b - n.a).length_squared()).clamp(0.0, 1.0);
            let distance = (n.a + (n.b - n.a) * along).length();
            prop_assert!(distance <= reach + 1e-4);
            prop_assert!((n.b - n.a).perp_dot(-n.a) >= -1e-3, "not facing");
            nearest = nearest.min(distance);
            let wall = &view.walls[n.wall as usize];
            prop_assert!((n.a - (wall.a - at.point).truncate()).length() < 1e-5);
        }
        let told = view.distance_to_wall(at, reach);
        prop_assert!((told - nearest).abs() < 1e-3, "{} {}", told, nearest);
        prop_assert!((told - plan_distance(&view, at).min(reach)).abs() < 1e-3);
    }

    #[test]
    fn sight_is_mutual_and_agrees_with_the_walls(
        kind in 0usize..2,
        (p, q) in (0u32..100_000, 0u32..100_000),
        (u, w) in (0.0f32..1.0, 0.0f32..1.0),
        radius in 0.05f32..0.8,
    ) {
        let view = cases()[kind].ground.view();
        let (a, b) = (place(&view, p, u, w), place(&view, q, w, u));
        let seen = view.sees(a, b);
        prop_assert_eq!(seen, view.sees(b, a));
        let mut total = 0.0;
        let end = view.trace_to(a, b, &mut |piece| total += piece.length);
        prop_assert_eq!(end == TraceEnd::Reached, seen);
        if kind == 0 {
            prop_assert_eq!(seen, !crossed(&view, a.point, b.point, a.point.z));
            if seen {
                prop_assert!((total - a.point.distance(b.point)).abs() < 1e-3);
            }
            let clear = (0..=200).all(|i| {
                let at = Location { point: a.point.lerp(b.point, i as f32 / 200.0), ..a };
                plan_distance(&view, at) >= radius - 1e-3
            });
            let wide = view.sees_with_radius(a, b, radius);
            if wide {
                prop_assert!(seen && clear);
            } else if seen {
                // Between two samples a corner may be nearer by half of their distance at most.
                let between = a.point.distance(b.point) / 2000.0 / 2.0;
                let nearly = (0..=2000).all(|i| {
                    let at = Location { point: a.point.lerp(b.point, i as f32 / 2000.0), ..a };
                    plan_distance(&view, at) >= radius + 1e-3 + between
                });
                prop_assert!(!nearly);
            }
        }
    }

    #[test]
    fn nothing_at_all_panics(
        kind in 0usize..5,
        triangle in prop_oneof![0u32..5, Just(NONE), Just(1_000_000)],
        numbers in prop::collection::vec(
            prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(-1e30f32), Just(1e30f32), Just(0.0f32), -100.0f32..100.0],
            8,
        ),
    ) {
        let view = cases()[kind].ground.view();
        let n = numbers.as_slice();
        let at = Location { point: Vec3::new(n[0], n[1], n[2]), triangle };
        let frame = Frame { x: Vec3::new(n[3], n[4], n[5]), handedness: n[6] };
        let d = Vec2::new(n[6], n[7]);
        let there = view.advance(at, Frame::FLAT, d, n[3]);
        if at.point.is_finite() {
            prop_assert!(there.to.point.is_finite());
        }
        let _ = view.advance(at, frame, d, n[0]);
        let _ = view.trace(at, frame, d, &mut |_| {});
        let good = place(&view, 3, 0.3, 0.3);
        let _ = view.trace_to(at, good, &mut |_| {});
        let _ = view.trace_to(good, at, &mut |_| {});
        let _ = view.sees_with_radius(good, at, n[2]);
        let _ = view.locate(at.point);
        let _ = view.locate_plan(at.point.truncate(), Some(0));
        let _ = view.nearest_plan(at.point.truncate(), None);
        let _ = view.relocate(good, at.point);
        view.walls_near(at, frame, n[1], &mut Vec::new());
        let _ = view.distance_to_wall(at, n[1]);
    }
}

#[test]
fn a_batch_equals_its_parts() {
    let case = &cases()[0];
    let view = case.ground.view();
    let from: Vec<Location> = (0..50).map(|i| place(&view, i * 13, 0.3, 0.4)).collect();
    let frames = vec![Frame::FLAT; 50];
    let steps: Vec<Vec2> = (0..50)
        .map(|i| direction(0.1 * i as f32, i as f32))
        .collect();
    let radii = vec![0.2; 50];
    let mut out = vec![Advanced::default(); 50];
    view.advance_batch(&from, &frames, &steps, &radii, &mut out);
    for i in 0..50 {
        assert_eq!(out[i], view.advance(from[i], frames[i], steps[i], radii[i]));
    }
}

#[test]
fn areas_add_up() {
    let plaza = plaza();
    let shoelace = |ring: &[DVec2]| {
        let next = ring.iter().cycle().skip(1);
        ring.iter()
            .zip(next)
            .map(|(a, b)| a.perp_dot(*b))
            .sum::<f64>()
            .abs()
            / 2.0
    };
    let hole = shoelace(&[v(4.0, 4.0), v(7.0, 4.3), v(6.0, 8.0), v(3.7, 6.0)]);
    let solid = shoelace(&[v(12.0, 2.0), v(15.0, 3.1), v(11.0, 5.3)]);
    let expected = 300.0 - hole - solid;
    assert!((plaza.walkable_area() / expected - 1.0).abs() < 1e-6);
    // Each floor loses its solid and the footprints that touch it; the stairs slope.
    let tower = tower();
    let slope = 2.0 * 5.0;
    let expected = 3.0 * 119.0 - 4.0 * 8.0 + 2.0 * slope;
    assert!((tower.walkable_area() - expected).abs() < 1e-6 * expected);
    assert_eq!(tower.floor_count(), 3);
    assert!(tower.view().plan && !tower.view().flat);
    assert!(tower.notices().is_empty(), "{:?}", tower.notices());
}

#[test]
fn once_round_a_moebius_strip_comes_back_mirrored() {
    let ground = moebius();
    let view = ground.view();
    let mut at = view
        .locate(Vec3::new(10.0, 0.0, 0.0) - view.origin.as_vec3())
        .unwrap();
    let start = at;
    let mut frame = view.frame_at(at);
    // Head along the strip: the world's y, seen in the frame.
    let n = view.normals[at.triangle as usize];
    let mut heading = frame.to_tangent(n, Vec3::Y).normalize();
    let mut best = (f32::INFINITY, frame);
    let mut walked = 0.0;
    while walked < 70.0 {
        // Steer back to the middle line, which curves away from every geodesic.
        let n = view.normals[at.triangle as usize];
        let p = at.point + view.origin.as_vec3();
        let out = Vec3::new(p.x, p.y, 0.0).normalize();
        let along = Vec3::Z.cross(out);
        let target = out * 10.0 - p;
        heading = frame.to_tangent(n, along + target * 0.5).normalize();
        let result = view.advance(at, frame, heading * 0.1, 0.1);
        assert!(!result.touched_wall);
        walked += result.walked;
        (at, frame) = (result.to, result.frame);
        if walked > 55.0 && at.point.distance(start.point) < best.0 {
            best = (at.point.distance(start.point), frame);
        }
    }
    assert!(heading.is_finite());
    assert!(best.0 < 0.2, "came back to {} m", best.0);
    assert_eq!(best.1.handedness, -1.0);
    assert!(ground.notices().iter().any(|n| n.contains("one side")));
}

#[test]
fn once_round_a_torus_keeps_its_hand() {
    let ground = torus();
    let view = ground.view();
    assert!(view.walls.is_empty());
    let at = view.locate(Vec3::new(11.0, 0.3, 0.1)).unwrap();
    let result = view.advance(at, view.frame_at(at), Vec2::new(0.0, 30.0), 0.3);
    assert_eq!(result.frame.handedness, 1.0);
    assert!((result.walked - 30.0).abs() < 1e-3);
}

#[test]
fn sliding_along_a_wall_keeps_the_tangential_part() {
    let ground = plaza();
    let view = ground.view();
    let at = view
        .locate_plan((v(2.0, 0.5) - view.origin.truncate()).as_vec2(), None)
        .unwrap();
    let result = view.advance(at, Frame::FLAT, Vec2::new(1.0, -1.0), 0.3);
    let world = view.to_world(result.to);
    assert!(
        (world - DVec3::new(3.0, 0.3, 1.5)).length() < 1e-4,
        "{world}"
    );
    assert!(result.touched_wall);
    assert!((result.moved - Vec2::new(1.0, -0.2)).length() < 1e-4);
    // Into the corner of the room, and no farther.
    let result = view.advance(at, Frame::FLAT, Vec2::new(-5.0, -3.0), 0.3);
    let world = view.to_world(result.to);
    assert!(
        (world - DVec3::new(0.3, 0.3, 1.5)).length() < 1e-4,
        "{world}"
    );
}

#[test]
fn a_gap_narrower_than_the_body_does_not_let_it_through() {
    let mut floor = floor(0.0, vec![rectangle(0.0, 0.0, 10.0, 10.0)]);
    floor.thin_walls = vec![
        vec![v(5.0, 0.0), v(5.0, 4.8)],
        vec![v(5.0, 5.2), v(5.0, 10.0)],
    ];
    let ground = build(&Environment {
        floors: vec![floor],
        ..Environment::default()
    });
    let view = ground.view();
    let at = view.locate_plan(Vec2::new(-2.0, 0.0), None).unwrap();
    let thin = view.advance(at, Frame::FLAT, Vec2::new(4.0, 0.0), 0.15);
    assert!((thin.to.point.x - 2.0).abs() < 1e-4);
    let thick = view.advance(at, Frame::FLAT, Vec2::new(4.0, 0.0), 0.3);
    assert!(thick.to.point.x < -0.2 && thick.touched_wall);
    // The free ends of the thin walls can be walked round.
    let ends = view.walls.iter().filter(|w| w.a.x == 0.0 && w.b.x == 0.0);
    for w in ends {
        let free = if w.a.y.abs() < 1.0 {
            Wall::CONVEX_A
        } else {
            Wall::CONVEX_B
        };
        assert_eq!(w.flags, free, "{w:?}");
    }
}

#[test]
fn doors_stop_bodies_only_while_closed() {
    let mut floor = floor(0.0, vec![rectangle(0.0, 0.0, 10.0, 10.0)]);
    floor.thin_walls = vec![
        vec![v(5.0, 0.0), v(5.0, 4.0)],
        vec![v(5.0, 6.0), v(5.0, 10.0)],
    ];
    let mut ground = build(&Environment {
        floors: vec![floor],
        doors: vec![Door {
            name: "gate".into(),
            floor: 0,
            ends: [v(5.0, 4.0), v(5.0, 6.0)],
            open: false,
        }],
        ..Environment::default()
    });
    let door = ground.door_index("gate").unwrap();
    let across = |ground: &Ground| {
        let view = ground.view();
        let at = view.locate_plan(Vec2::new(-2.0, 0.0), None).unwrap();
        let goal = view.locate_plan(Vec2::new(2.0, 0.0), None).unwrap();
        let walked = view.advance(at, Frame::FLAT, Vec2::new(4.0, 0.0), 0.3);
        let mut near = Vec::new();
        view.walls_near(at, Frame::FLAT, 2.5, &mut near);
        (walked.to.point.x, view.sees(at, goal), near.len())
    };
    let (x, seen, near) = across(&ground);
    assert!((x + 0.3).abs() < 1e-4 && !seen);
    assert_eq!(near, 3, "the leaf and the two walls beside it");
    ground.set_door(door, true);
    let (x, seen, near) = across(&ground);
    assert!((x - 2.0).abs() < 1e-5 && seen);
    assert_eq!(near, 2, "the two jambs, one face each");
    let jamb = |ground: &Ground| {
        let view = ground.view();
        let convex = |w: &&Wall| w.door == throng_core::NO_DOOR && w.flags & 3 != 0;
        view.walls.iter().filter(convex).count()
    };
    assert_eq!(jamb(&ground), 4);
    ground.set_door(door, false);
    assert_eq!(jamb(&ground), 0);
    assert!(!across(&ground).1);
}

#[test]
fn obstacles_stop_bodies_but_not_sight_nor_maps() {
    let ground = build(&Environment {
        floors: vec![floor(0.0, vec![rectangle(0.0, 0.0, 10.0, 10.0)])],
        obstacles: vec![Obstacle {
            floor: 0,
            shape: rectangle(4.0, 4.0, 6.0, 6.0),
        }],
        ..Environment::default()
    });
    assert_eq!(ground.walkable_area(), 100.0);
    let view = ground.view();
    assert_eq!(view.walls.len(), 8);
    let at = view.locate_plan(Vec2::new(-3.0, 0.0), None).unwrap();
    let goal = view.locate_plan(Vec2::new(3.0, 0.0), None).unwrap();
    let stopped = view.advance(at, Frame::FLAT, Vec2::new(5.0, 0.0), 0.5);
    assert!((stopped.to.point.x + 1.5).abs() < 1e-4);
    assert!(view.sees(at, goal));
    assert!((view.distance_to_wall(at, 9.0) - 2.0).abs() < 1e-5);
    assert!((view.clearance(at, 9.0) - 2.0).abs() < 1e-5);
    assert!((view.clearance(goal, 1.0) - 1.0).abs() < 1e-5);
    let inside = view.locate_plan(Vec2::ZERO, None).unwrap();
    let left = view.advance(inside, Frame::FLAT, Vec2::new(3.0, 0.0), 0.2);
    assert!(
        (left.to.point.x - 3.0).abs() < 1e-4,
        "who stands in it may leave"
    );
}

#[test]
fn stairs_lead_up_and_the_floor_above_is_out_of_sight() {
    let ground = tower();
    let view = ground.view();
    let at = |x: f64, y: f64, floor: u16| {
        let local = (v(x, y) - view.origin.truncate()).as_vec2();
        view.locate_plan(local, Some(floor)).unwrap()
    };
    let (foot, head) = (at(2.0, 1.0, 0), at(2.0, 9.0, 1));
    assert!(view.sees(foot, head) && view.sees(head, foot));
    assert!(!view.sees(foot, at(2.0, 9.0, 0)), "the stair is in the way");
    assert!(!view.sees(foot, at(6.0, 1.0, 1)));
    // 2 m of floor, 5 m of stair, 1 m of floor: straight up.
    let top = view.advance(foot, view.frame_at(foot), Vec2::new(0.0, 8.0), 0.3);
    assert!((view.to_world(top.to) - DVec3::new(2.0, 8.0, 3.0)).length() < 1e-3);
    assert_eq!(view.floors[top.to.triangle as usize], 1);
    let middle = view.advance(foot, view.frame_at(foot), Vec2::new(0.0, 4.5), 0.3);
    assert_eq!(view.floors[middle.to.triangle as usize], 3);
    assert_eq!(view.speed[middle.to.triangle as usize], 0.6);
    assert!((view.to_world(middle.to).z - 1.5).abs() < 1e-4);
    // On the stair its two flanks are the only walls within a metre and a bit.
    let mut near = Vec::new();
    view.walls_near(middle.to, middle.frame, 1.2, &mut near);
    assert_eq!(near.len(), 2);
    assert!((view.distance_to_wall(middle.to, 3.0) - 1.0).abs() < 1e-4);
}

#[test]
fn cells_that_touch_in_a_corner_are_not_joined() {
    let cells = FileCells {
        low: DVec2::ZERO,
        cell: 1.0,
        width: 4,
        height: 4,
        walkable: [
            [true, true, false, false],
            [true, true, false, false],
            [false, false, true, true],
            [false, false, true, true],
        ]
        .concat(),
    };
    let ground = build(&Environment {
        cells: Some(cells),
        ..Environment::default()
    });
    let view = ground.view();
    assert_eq!(ground.walkable_area(), 8.0);
    assert_eq!(view.triangles.len(), 4);
    assert_eq!(view.walls.len(), 8);
    let a = view.locate_plan(Vec2::new(-1.0, -1.0), None).unwrap();
    let b = view.locate_plan(Vec2::new(1.0, 1.0), None).unwrap();
    assert!(!view.sees(a, b) && !view.sees(b, a));
    let end = view.advance(a, Frame::FLAT, Vec2::new(2.0, 2.0), 0.0);
    assert!(end.to.point.x < 0.0 && end.to.point.y < 0.0);
    assert!(matches!(
        view.trace(a, Frame::FLAT, Vec2::new(2.0, 2.0), &mut |_| {}),
        TraceEnd::Wall { .. }
    ));
}

#[test]
fn a_line_may_touch_corners_and_run_along_walls() {
    let mut floor = floor(0.0, vec![rectangle(0.0, 0.0, 8.0, 8.0)]);
    floor.solid = vec![rectangle(2.0, 2.0, 4.0, 4.0), rectangle(4.0, 4.0, 6.0, 6.0)];
    let ground = build(&Environment {
        floors: vec![floor],
        ..Environment::default()
    });
    let view = ground.view();
    let at = |x: f32, y: f32| view.locate_plan(Vec2::new(x - 4.0, y - 4.0), None).unwrap();
    // Along the lower wall of the first solid, corner to corner and beyond.
    assert!(view.sees(at(1.0, 2.0), at(7.0, 2.0)));
    assert!(view.sees(at(2.0, 2.0), at(4.0, 2.0)));
    // Past the outer corner (4, 2) diagonally.
    assert!(view.sees(at(3.0, 1.0), at(5.0, 3.0)));
    // Through the point where both solids touch: from both sides.
    assert!(!view.sees(at(3.0, 5.0), at(5.0, 3.0)));
    assert!(!view.sees(at(5.0, 3.0), at(3.0, 5.0)));
    // Up to that point, and away from it.
    let middle = at(4.0, 4.0);
    let reaching = [at(3.0, 5.0), at(5.0, 3.0)]
        .iter()
        .filter(|p| view.sees(**p, middle))
        .count();
    assert_eq!(reaching, 1, "the point belongs to one of the two rooms");
    // The diagonal of a solid is no way.
    assert!(!view.sees(at(2.0, 2.0), at(4.0, 4.0)));
    assert!(!view.sees(at(1.0, 1.0), at(7.0, 7.0)));
    // A geodesic may touch a corner too.
    let end = view.trace(at(3.0, 1.0), Frame::FLAT, Vec2::new(2.0, 2.0), &mut |_| {});
    assert_eq!(end, TraceEnd::Reached);
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let refused = |e: &Environment| Ground::from_environment(e).unwrap_err();
    let with = |walkable| Environment {
        floors: vec![floor(0.0, walkable)],
        ..Environment::default()
    };
    assert_eq!(refused(&Environment::default()), GroundError::Empty);
    assert_eq!(refused(&with(vec![])), GroundError::Empty);
    let line = Polygon::new(vec![v(0.0, 0.0), v(1.0, 1.0), v(2.0, 2.0)]);
    assert_eq!(refused(&with(vec![line])), GroundError::Empty);
    let nan = Polygon::new(vec![v(0.0, 0.0), v(1.0, f64::NAN), v(2.0, 2.0)]);
    assert!(matches!(
        refused(&with(vec![nan])),
        GroundError::NotFinite { .. }
    ));
    let huge = rectangle(0.0, 0.0, 1e9, 1.0);
    assert!(matches!(
        refused(&with(vec![huge])),
        GroundError::TooLarge { .. }
    ));
    let mut covered = with(vec![rectangle(0.0, 0.0, 1.0, 1.0)]);
    covered.floors[0]
        .solid
        .push(rectangle(-1e12, -1e12, 1e12, 1e12));
    assert_eq!(refused(&covered), GroundError::Empty);
    let mut stair = with(vec![rectangle(0.0, 0.0, 9.0, 9.0)]);
    stair.connections.push(Connection {
        name: "s".into(),
        from: 0,
        to: 7,
        lower: [v(0.0, 0.0), v(1.0, 0.0)],
        upper: [v(0.0, 2.0), v(1.0, 2.0)],
        speed: 1.0,
    });
    assert!(matches!(refused(&stair), GroundError::UnknownFloor { .. }));
    let mesh = Mesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::new(f64::INFINITY, 0.0, 0.0)],
        triangles: vec![[0, 1, 2]],
    };
    assert!(matches!(
        Ground::from_mesh(&mesh),
        Err(GroundError::NotFinite { .. })
    ));
    let mesh = Mesh {
        vertices: vec![DVec3::ZERO, DVec3::X, DVec3::X * 2.0],
        triangles: vec![[0, 1, 2], [0, 1, 9]],
    };
    assert!(matches!(Ground::from_mesh(&mesh), Err(GroundError::Empty)));
}

#[test]
fn meshes_are_welded_and_crowded_sides_joined_straight() {
    // Two floor triangles and an upright one share a side; the floor ones are joined.
    let soup = [
        [DVec3::ZERO, DVec3::X, DVec3::Y],
        [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y],
        [DVec3::X, DVec3::Y, DVec3::Z],
        [DVec3::ZERO, DVec3::X, DVec3::X],
    ];
    let mesh = Mesh {
        vertices: soup.iter().flatten().copied().collect(),
        triangles: (0..4).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
    };
    let ground = Ground::from_mesh(&mesh).unwrap();
    let view = ground.view();
    assert_eq!(view.triangles.len(), 3);
    assert_eq!(ground.notices().len(), 3, "{:?}", ground.notices());
    assert!((0..3).any(|s| view.across[0][s] != NONE && view.across[0][s] / 3 == 1));
    assert_eq!(view.across[2], [NONE; 3]);
}

#[test]
fn cracks_at_t_junctions_of_curved_meshes_are_closed() {
    // A tube cut into two rings, the upper one with twice as many sides.
    let ring = |z: f64, parts: u32| -> Vec<DVec3> {
        let at = |i: u32| {
            // Every second vertex in the middle of a side of the coarser ring.
            let (k, half) = (i * 8 / parts, !(i * 8).is_multiple_of(parts));
            let corner = |k: u32| {
                let turn = f64::from(k) * std::f64::consts::TAU / 8.0;
                DVec3::new(10.0 * math::cos(turn), 10.0 * math::sin(turn), z)
            };
            if half {
                (corner(k) + corner(k + 1)) / 2.0
            } else {
                corner(k)
            }
        };
        (0..parts).map(at).collect()
    };
    let mut mesh = Mesh::default();
    for (low, high, parts) in [(0.0, 5.0, 8), (5.0, 10.0, 16)] {
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(ring(low, parts));
        mesh.vertices.extend(ring(high, parts));
        for i in 0..parts {
            let (a, b) = (first + i, first + (i + 1) % parts);
            mesh.triangles.push([a, b, b + parts]);
            mesh.triangles.push([a, b + parts, a + parts]);
        }
    }
    let ground = Ground::from_mesh(&mesh).unwrap();
    let view = ground.view();
    assert!(!view.plan);
    let mended = "8 vertices of the mesh lie on sides of other triangles";
    assert!(ground.notices().iter().any(|n| n.starts_with(mended)));
    let rim = view.across.iter().flatten().filter(|c| **c == NONE).count();
    assert_eq!(rim, 8 + 16);
    assert_eq!(view.triangles.len(), 16 + 32 + 8);
    let from = view.locate(Vec3::new(9.0, 1.0, -3.0)).unwrap();
    let to = view.locate(Vec3::new(9.0, 1.0, 3.0)).unwrap();
    assert!(view.sees(from, to));
    // The whole area, as it was.
    let side = 20.0 * math::sin(std::f64::consts::PI / 8.0);
    assert!((ground.walkable_area() - 8.0 * side * 10.0).abs() < 1e-2);
}

#[test]
fn what_is_too_large_is_told_the_option_that_mends_it() {
    let mesh = Mesh {
        vertices: vec![DVec3::ZERO, DVec3::X * 3e5, DVec3::Y],
        triangles: vec![[0, 1, 2]],
    };
    let error = Ground::from_mesh(&mesh).unwrap_err();
    assert!(matches!(error, GroundError::TooLarge { .. }));
    assert!(error.to_string().contains("`scale`"), "{error}");
}

#[test]
fn walls_of_wide_grounds_are_listed_in_narrow_cells() {
    for (side, widest) in [(40.0, 2.0), (300.0, 2.1), (5000.0, 20.0)] {
        let environment = Environment {
            floors: vec![floor(0.0, vec![rectangle(0.0, 0.0, side, side)])],
            ..Environment::default()
        };
        let ground = build(&environment);
        let view = ground.view();
        let index = &view.wall_index;
        assert!(index.cell <= widest, "{side}: {}", index.cell);
        // Cells are as few as said, and everyone away from the walls knows it at once.
        assert_eq!(
            index.start.len(),
            (index.size.x * index.size.y) as usize + 1
        );
        assert!(index.start.len() <= 70_000, "{side}: {}", index.start.len());
        let middle = index.size / 2;
        let rings = view.wall_rings[(middle.y * index.size.x + middle.x) as usize];
        let bound = (f32::from(rings) - 1.0) * index.cell;
        assert!(
            f64::from(bound) < side / 2.0 && bound > 15.0,
            "{side}: {bound}"
        );
    }
}
