//! Tests of the sampled model: candidates, penalties, walls, those who overlap.

use fearless_simd::Level;
use glam::Vec2;
use proptest::prelude::*;
use throng_core::{
    NON_RECIPROCAL, NearWall, Neighbour, NeighbourRows, SAME_GROUP, Scratch, SteerChunk, WallRows,
};
use throng_kit::few::{Few, Someone};

use super::{Rvo, threats::Threats};

/// No angle, so that penalties can be written down.
fn plain() -> Rvo {
    Rvo {
        wariness: 2.0,
        symmetry_breaking: 0.0,
        ..Rvo::default()
    }
}

/// What a velocity costs an agent of radius 0.25 m at the origin beside one neighbour.
fn cost(model: &Rvo, own: Vec2, seen: Neighbour, flags: u8, tried: Vec2) -> f32 {
    let mut threats = Threats::default();
    let chunk = SteerChunk {
        dt: 0.1,
        step: 0,
        seed: 0,
        id: &[0],
        tick: &[0],
        velocity: &[own],
        heading: &[Vec2::X],
        preferred: &[Vec2::ZERO],
        target: &[Vec2::ZERO],
        radius: &[0.25],
        max_speed: &[2.0],
        mass: &[80.0],
        neighbours: NeighbourRows {
            start: &[0, 1],
            seen: &[seen],
            radius: &[0.25],
            flags: &[flags],
            id: &[1],
        },
        walls: WallRows {
            start: &[0, 0],
            walls: &[],
        },
    };
    threats.gather(model, &chunk, 0, own, 2.0, 0.1);
    threats.cost_of(tried)
}

#[test]
fn the_penalty_is_that_of_the_expected_time_to_collision() {
    let model = plain();
    let seen = Neighbour {
        offset: Vec2::X * 2.5,
        velocity: -Vec2::X,
    };
    // Relative velocity 2 v' - v_A - v_B = 2 towards a disc 2 m away: one second.
    let expected = 2.0 * (1.0 / 1.0 - 1.0 / 4.0);
    let found = cost(&model, Vec2::X, seen, 0, Vec2::X);
    assert!((found - expected).abs() < 1e-4, "{found}");
    // Half as fast, the other is thought to slow down as well.
    let expected = 2.0 * (1.0 / 2.0 - 1.0 / 4.0);
    let found = cost(&model, Vec2::X, seen, 0, Vec2::X * 0.5);
    assert!((found - expected).abs() < 1e-4, "{found}");
    // A car does not slow down.
    let expected = 2.0 * (1.5 / 2.0 - 1.0 / 4.0);
    let found = cost(&model, Vec2::X, seen, NON_RECIPROCAL, Vec2::X * 0.5);
    assert!((found - expected).abs() < 1e-4, "{found}");
    assert_eq!(cost(&model, Vec2::X, seen, 0, Vec2::Y * 2.0), 0.0);
    let friends = Rvo {
        companions: 0.5,
        ..plain()
    };
    let found = cost(&friends, Vec2::X, seen, SAME_GROUP, Vec2::X);
    assert!((found - 0.75).abs() < 1e-4, "{found}");
}

#[test]
fn half_of_a_small_gap_is_left_to_the_other() {
    let model = plain();
    let seen = Neighbour {
        offset: Vec2::X * 0.6,
        velocity: Vec2::X * 2.0,
    };
    // The gap is 0.1 m: 0.5 m/s would close half of it. The other walks off, nothing is met.
    assert_eq!(cost(&model, Vec2::X, seen, 0, Vec2::X * 0.5), 0.0);
    let found = cost(&model, Vec2::X, seen, 0, Vec2::X * 0.6);
    assert!((found - 4.0).abs() < 1e-3, "{found}");
    // A car goes on as it goes.
    assert_eq!(
        cost(&model, Vec2::X, seen, NON_RECIPROCAL, Vec2::X * 1.5),
        0.0
    );
}

#[test]
fn a_crowd_that_wants_through_one_point_does_not_overlap() {
    let mut few = Few::of((0..30).map(|i| {
        let at = Vec2::new((i % 6) as f32, (i / 6) as f32) * 0.7 - Vec2::new(1.75, 1.4);
        Someone::new(at, Vec2::ZERO)
    }));
    for _ in 0..60 {
        for someone in &mut few.people {
            someone.preferred = (-someone.at).normalize_or_zero() * 1.3;
        }
        few.walk(&Rvo::default(), 0.1, 1);
        for a in 0..30 {
            for b in 0..a {
                let overlap = few.overlap(a, b);
                assert!(overlap < 0.005, "{a} {b}: {overlap}");
            }
        }
    }
}

#[test]
fn who_cannot_get_on_turns_to_the_right() {
    let model = Rvo {
        sidestep: 1.0,
        ..plain()
    };
    assert_eq!(model.aside(Vec2::X, Vec2::X), Vec2::X);
    let standing = model.aside(Vec2::X, Vec2::ZERO);
    assert!((standing - Vec2::new(0.5, -0.5).normalize()).length() < 1e-6);
    let half = model.aside(Vec2::X, Vec2::X * 0.5);
    assert!((half - Vec2::new(1.0, -0.5).normalize()).length() < 1e-6);
    assert_eq!(model.aside(Vec2::ZERO, Vec2::X), Vec2::ZERO);
}

#[test]
fn a_free_way_is_walked_as_preferred() {
    let mut few = Few::of([
        Someone::walking(Vec2::ZERO, Vec2::X),
        Someone::walking(Vec2::new(0.0, 1.0), Vec2::X),
    ]);
    assert_eq!(few.steer(&plain(), 0.1)[0][0], Vec2::X);
}

#[test]
fn walls_are_not_run_into_but_walked_along() {
    let mut few = Few::of([Someone::walking(Vec2::new(0.0, 0.6), Vec2::new(1.0, -0.8))]);
    few.walls = vec![[Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0)]];
    few.walk(&plain(), 0.1, 100);
    let at = few.people[0].at;
    assert!(at.y > 0.24 && at.y < 0.5 && at.x > 5.0, "{at}");
}

#[test]
fn exactly_head_on_they_pass_without_touching() {
    for seed in 0..20 {
        let mut few = Few::of([
            Someone::walking(Vec2::new(-4.0, 0.0), Vec2::X * 1.34),
            Someone::walking(Vec2::new(4.0, 0.0), -Vec2::X * 1.34),
        ]);
        few.seed = seed;
        for _ in 0..80 {
            few.walk(&Rvo::default(), 0.1, 1);
            assert!(
                few.overlap(0, 1) < 0.005,
                "seed {seed}: {}",
                few.overlap(0, 1)
            );
        }
        assert!(
            few.people[0].at.x > 4.0 && few.people[1].at.x < -4.0,
            "seed {seed}"
        );
    }
}

#[test]
fn those_in_the_same_place_part_without_exploding() {
    for dt in [0.05, 0.1, 0.5] {
        let mut few = Few::of((0..6).map(|_| Someone::new(Vec2::ZERO, Vec2::ZERO)));
        few.walk(&Rvo::default(), dt, (10.0 / dt) as u32);
        for a in 0..6 {
            assert!(few.people[a].at.length() < 4.0);
            for b in 0..a {
                assert!(few.overlap(a, b) < 0.005, "dt {dt}: {}", few.overlap(a, b));
            }
        }
    }
}

fn number(size: f32) -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => -size..size,
        1 => Just(0.0f32),
        1 => any::<f32>().prop_filter("finite", |x| x.is_finite()),
    ]
}

fn vector(size: f32) -> impl Strategy<Value = Vec2> {
    (number(size), number(size)).prop_map(|(x, y)| Vec2::new(x, y))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn finite_bounded_and_the_same_bits_for_anything_finite(
        own in (vector(3.0), vector(2.0), number(0.5), number(3.0)),
        others in prop::collection::vec((vector(2.0), vector(2.0), number(0.5), 0u8..8), 0..12),
        walls in prop::collection::vec((vector(2.0), vector(2.0)), 0..4),
        dt in prop_oneof![Just(0.1f32), 1e-6f32..2.0],
    ) {
        let (velocity, preferred, radius, max_speed) = own;
        let count = others.len();
        let seen: Vec<_> = others
            .iter()
            .map(|o| Neighbour { offset: o.0, velocity: o.1 })
            .collect();
        let radii: Vec<_> = others.iter().map(|o| o.2.abs()).collect();
        let flags: Vec<_> = others.iter().map(|o| o.3).collect();
        let ids: Vec<_> = (1..=count as u64).collect();
        let walls: Vec<_> = walls
            .iter()
            .map(|&(a, b)| NearWall {
                a,
                b,
                before: Vec2::ZERO,
                after: Vec2::ZERO,
                flags: 3,
                wall: 0,
            })
            .collect();
        let chunk = SteerChunk {
            dt,
            step: 1,
            seed: 1,
            id: &[0],
            tick: &[0],
            velocity: &[velocity],
            heading: &[Vec2::X],
            preferred: &[preferred],
            target: &[preferred],
            radius: &[radius.abs()],
            max_speed: &[max_speed.abs()],
            mass: &[80.0],
            neighbours: NeighbourRows {
                start: &[0, count as u32],
                seen: &seen,
                radius: &radii,
                flags: &flags,
                id: &ids,
            },
            walls: WallRows { start: &[0, walls.len() as u32], walls: &walls },
        };
        let model = Rvo::default();
        let answer = |level| {
            let mut v = [Vec2::NAN];
            model.steer_at(level, &chunk, &mut Scratch::default(), &mut v, &mut []);
            v[0]
        };
        let best = answer(Level::new());
        prop_assert!(best.is_finite());
        prop_assert!(best.length() <= max_speed.abs() * 1.001 + 1e-6, "{best}");
        let other = answer(Level::baseline());
        let bits = |v: Vec2| v.to_array().map(f32::to_bits);
        prop_assert_eq!(bits(best), bits(other));
    }
}
