//! A thousand random floors: regions tile the ground, and every point is in exactly one.

mod common;

use common::{Built, floor, rectangle, try_built};
use glam::{DVec2, Vec2};
use proptest::prelude::*;
use throng_core::{Hold, Location, NONE, NavRepresentation};
use throng_kit::{
    Walk,
    environment::{Environment, Polygon},
};

/// A star about a point: not convex, no side crosses another.
fn star(centre: (f64, f64), size: f64, spokes: &[f64], round: f64) -> Polygon {
    let count = spokes.len() as f64;
    let ring = spokes.iter().enumerate().map(|(i, reach)| {
        let angle = (i as f64 + round) / count * std::f64::consts::TAU;
        let (sin, cos) = (throng_core::math::sin(angle), throng_core::math::cos(angle));
        DVec2::new(centre.0 + cos * reach * size, centre.1 + sin * reach * size)
    });
    Polygon::new(ring.collect())
}

fn a_star() -> impl Strategy<Value = Polygon> {
    (
        (0.0..40.0, 0.0..30.0),
        0.3..6.0_f64,
        prop::collection::vec(0.15..1.0_f64, 3..12),
        0.0..1.0_f64,
    )
        .prop_map(|(centre, size, spokes, round)| star(centre, size, &spokes, round))
}

/// Upright rectangles on a coarse grid: collinear sides, corners in line, touching corners.
fn a_block() -> impl Strategy<Value = Polygon> {
    (0..20_i32, 0..15_i32, 1..6_i32, 1..6_i32).prop_map(|(x, y, w, h)| {
        let [x, y, w, h] = [x, y, w, h].map(|v| f64::from(v) * 2.0);
        rectangle(x, y, x + w, y + h)
    })
}

fn a_wall() -> impl Strategy<Value = Vec<DVec2>> {
    let point = (0.0..40.0_f64, 0.0..30.0_f64).prop_map(|(x, y)| DVec2::new(x, y));
    prop_oneof![
        prop::collection::vec(point, 2..5),
        prop::collection::vec((0..20_i32, 0..15_i32), 2..4).prop_map(|points| {
            let at = |(x, y)| DVec2::new(f64::from(x) * 2.0, f64::from(y) * 2.0);
            points.into_iter().map(at).collect()
        })
    ]
}

fn a_floor() -> impl Strategy<Value = Environment> {
    let outer = prop_oneof![
        Just(rectangle(0.0, 0.0, 40.0, 30.0)),
        prop::collection::vec(0.4..1.0_f64, 5..20).prop_map(|s| star((20.0, 15.0), 22.0, &s, 0.0)),
    ];
    let solid = prop::collection::vec(prop_oneof![a_star(), a_block()], 0..9);
    let walls = prop::collection::vec(a_wall(), 0..4);
    (outer, solid, walls).prop_map(|(outer, solid, walls)| {
        let mut environment = floor(vec![outer], solid);
        environment.floors[0].thin_walls = walls;
        environment
    })
}

/// Whether a point is in a ring, sides seen from their lower end.
fn inside(ring: &[Vec2], p: Vec2) -> bool {
    let mut odd = false;
    for i in 0..ring.len() {
        let (a, b) = (ring[i].as_dvec2(), ring[(i + 1) % ring.len()].as_dvec2());
        let p = p.as_dvec2();
        let (low, high) = if a.y < b.y { (a, b) } else { (b, a) };
        odd ^= (low.y > p.y) != (high.y > p.y) && (high - low).perp_dot(p - low) > 0.0;
    }
    odd
}

fn distance_to(ring: &[Vec2], p: Vec2) -> f32 {
    (0..ring.len())
        .map(|i| {
            let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
            let way = b - a;
            let along = ((p - a).dot(way) / way.length_squared().max(1e-30)).clamp(0.0, 1.0);
            (a + way * along).distance(p)
        })
        .fold(f32::INFINITY, f32::min)
}

/// Who is held after a straight step is in its region still, who is followed is where it is looked
/// for.
fn steps_are_followed(b: &Built, place: Location) -> Result<(), TestCaseError> {
    let (view, holds) = (b.ground.view(), b.nav.holds());
    let (p, region) = (place.point.truncate(), b.region(place, NONE));
    for turn in 0..36 {
        let angle = turn as f32 * core::f32::consts::FRAC_PI_6;
        let (sin, cos) = (throng_core::math::sin(angle), throng_core::math::cos(angle));
        let to = p + Vec2::new(cos, sin) * [0.02, 0.14, 0.5][turn / 12];
        let there = view.locate_plan(to, None);
        let Some(there) = there.filter(|there| view.sees(place, *there)) else {
            continue;
        };
        let now = b.region(there, region);
        if holds[region as usize].room(to) > 0.0 {
            prop_assert_eq!(now, region, "held from {} to {}", p, to);
        } else if let Some((next, room)) = Hold::follow(holds, region, to) {
            prop_assert!(room > 0.0);
            prop_assert_eq!(now, next, "followed from {} to {}", p, to);
        }
    }
    Ok(())
}

fn check(b: &Built, seeds: &[(f64, f64)]) -> Result<(), TestCaseError> {
    let (walkable, covered) = (b.ground.walkable_area(), b.map.covered_area());
    prop_assert!(
        (walkable - covered).abs() <= 1e-6 * walkable,
        "{covered} of {walkable}"
    );
    prop_assert_eq!(b.map.regions() * 2, b.map.edges());
    let view = b.ground.view();
    let (low, high) = b.ground.bounds();
    let rings: Vec<Vec<Vec2>> = (0..b.map.regions()).map(|r| b.ring(r)).collect();
    let mut last = NONE;
    for &(x, y) in seeds {
        let at = low.truncate() + (high - low).truncate() * DVec2::new(x, y);
        let Some(place) = b.place(at, None) else {
            continue;
        };
        let p = place.point.truncate();
        let region = b.region(place, NONE);
        prop_assert!((region as usize) < rings.len());
        prop_assert_eq!(region, b.region(place, last), "hints matter");
        last = region;
        // Outlines in single precision tell the same, but for points on them.
        let on_border = rings.iter().any(|ring| distance_to(ring, p) < 1e-4);
        if !on_border {
            let holding: Vec<usize> = (0..rings.len()).filter(|&r| inside(&rings[r], p)).collect();
            prop_assert_eq!(holding, vec![region as usize]);
        }
        // Who walks within the room that is given stays in the region.
        let way = Vec2::new(y as f32 - 0.5, 0.5 - x as f32);
        let room = b.room(place, way, region);
        prop_assert!(room.radius == 0.0 || room.centre.distance(p) <= room.radius);
        for turn in 0..12 {
            let angle = turn as f32 * core::f32::consts::FRAC_PI_6;
            let (sin, cos) = (throng_core::math::sin(angle), throng_core::math::cos(angle));
            let to = room.centre + Vec2::new(cos, sin) * (room.radius * 0.999);
            let there = view.locate_plan(to, None);
            if let Some(there) = there.filter(|there| view.sees(place, *there)) {
                prop_assert_eq!(b.region(there, region), region, "{} to {}", p, to);
            }
        }
        // And about nodes, where regions meet.
        let node = b.map.node_place[(x * 1e6) as usize % b.map.nodes()].point;
        let off = Vec2::new((x * 1e4) as f32 % 1.0 - 0.5, (y * 1e4) as f32 % 1.0 - 0.5) * 0.6;
        steps_are_followed(b, place)?;
        if let Some(beside) = view.locate_plan(node.truncate() + off, None) {
            steps_are_followed(b, beside)?;
        }
        // The point of the axis that the place hangs on is farther from all walls, and on the
        // ray from the nearest wall point.
        let hung = b.attach(place);
        let here = view.clearance(place, 100.0);
        let gate = b.nav.gate_at(&b.site(), &b.map, hung.edge, hung.along);
        let gate = gate.unwrap();
        let there = gate.middle.truncate();
        prop_assert!((there.distance(p) - hung.distance).abs() < 1e-3);
        let clearance = gate.middle.distance(gate.left);
        prop_assert!((clearance - gate.middle.distance(gate.right)).abs() < 1e-3);
        prop_assert!(
            (clearance - here - hung.distance).abs() < 2e-3,
            "{clearance} at the axis, {here} here, {} apart",
            hung.distance
        );
    }
    Ok(())
}

/// The same thousand floors every time, unless `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for
/// others.
fn config() -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 1000;
    }
    if std::env::var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = proptest::test_runner::RngSeed::Fixed(1);
    }
    config
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn regions_tile_the_ground(
        environment in a_floor(),
        seeds in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 20),
    ) {
        match try_built(&environment) {
            Ok(built) => check(&built, &seeds)?,
            Err(why) => prop_assert!(why.contains("no walkable ground"), "{why}"),
        }
    }
}
