use glam::Vec2;
use proptest::prelude::*;
use throng_core::{NON_RECIPROCAL, SAME_GROUP};
use throng_kit::few::{Few, Someone};

use super::Predictive;

/// No angle, so that forces can be written down.
fn plain() -> Predictive {
    Predictive {
        symmetry_breaking: 0.0,
        anticipation: 8.0,
        personal_space: 0.2,
        evasion: 2.5,
        near: 1.0,
        middle: 4.0,
        far: 10.0,
        relaxation: 0.5,
        ..Predictive::default()
    }
}

#[test]
fn meetings_are_those_of_the_personal_space() {
    let model = plain();
    let meet = |x: f32, y: f32, speed: f32| model.meeting(Vec2::new(x, y), Vec2::X * speed, 0.5);
    assert!((meet(2.7, 0.0, 1.0).unwrap() - 2.0).abs() < 1e-5);
    assert_eq!(meet(2.7, 0.8, 1.0), None);
    assert_eq!(meet(-2.7, 0.0, 1.0), None);
    assert_eq!(meet(9.7, 0.0, 1.0), None);
    // Within the personal space: now if coming nearer or touching.
    assert_eq!(meet(0.6, 0.0, 1.0), Some(0.0));
    assert_eq!(meet(-0.6, 0.0, 1.0), None);
    assert_eq!(meet(-0.4, 0.0, 1.0), Some(0.0));
}

#[test]
fn evasion_falls_with_the_way_free() {
    let model = plain();
    assert_eq!(model.size(0.5), 5.0);
    assert_eq!(model.size(1.0), 2.5);
    assert_eq!(model.size(3.9), 2.5);
    assert_eq!(model.size(7.0), 1.25);
    assert_eq!(model.size(10.0), 0.0);
    assert_eq!(model.size(0.0), 15.0);
}

#[test]
fn the_first_evasion_is_equation_5() {
    // Both walk at 1 m/s and would meet 2.3 m apart from being 5 m apart, slightly aside.
    let mut few = Few::of([
        Someone::walking(Vec2::ZERO, Vec2::X),
        Someone::walking(Vec2::new(5.0, 0.35), -Vec2::X),
    ]);
    let gap = (0.7f32 * 0.7 - 0.35 * 0.35).sqrt();
    let time = (5.0 - gap) / 2.0;
    let away = Vec2::new(-gap, -0.35) / 0.7;
    let free = time + 0.7 - 0.5;
    assert!(free > 1.0 && free < 4.0);
    let expected = Vec2::X + away * 2.5 * 0.1;
    let found = few.steer(&plain(), 0.1)[0][0];
    assert!((found - expected).length() < 1e-4, "{found} {expected}");
    few.people[1].flags = NON_RECIPROCAL;
    let found = few.steer(&plain(), 0.1)[0][0];
    let expected = Vec2::X + away * 5.0 * 0.1;
    assert!((found - expected).length() < 1e-4, "{found} {expected}");
    few.people[1].flags = SAME_GROUP;
    let friends = Predictive {
        companions: 0.0,
        ..plain()
    };
    assert_eq!(few.steer(&friends, 0.1)[0][0], Vec2::X);
}

#[test]
fn those_behind_are_not_evaded() {
    let mut few = Few::of([
        Someone::walking(Vec2::ZERO, Vec2::X),
        Someone::walking(Vec2::new(-2.0, 0.1), Vec2::X * 2.0),
    ]);
    assert_eq!(few.steer(&plain(), 0.1)[0][0], Vec2::X);
}

#[test]
fn walls_are_kept_away_from() {
    let mut few = Few::of([Someone::walking(Vec2::new(0.0, 0.35), Vec2::X)]);
    few.walls = vec![
        [Vec2::new(-50.0, 0.0), Vec2::ZERO],
        [Vec2::ZERO, Vec2::new(50.0, 0.0)],
    ];
    // Gap 0.1 m: (0.3 - 0.1) / 0.1, counted once beside the joint.
    let found = few.steer(&plain(), 0.1)[0][0];
    assert!((found - Vec2::new(1.0, 0.2)).length() < 1e-3, "{found}");
    few.walk(&plain(), 0.1, 100);
    assert!(few.people[0].at.y > 0.4);
}

#[test]
fn exactly_head_on_they_pass_without_touching() {
    for dt in [0.05, 0.1, 0.5] {
        let mut few = Few::of([
            Someone::walking(Vec2::new(-5.0, 0.0), Vec2::X * 1.34),
            Someone::walking(Vec2::new(5.0, 0.0), -Vec2::X * 1.34),
        ]);
        for _ in 0..(12.0 / dt) as u32 {
            few.walk(&Predictive::default(), dt, 1);
            assert!(few.overlap(0, 1) < 0.0, "dt {dt}: {}", few.overlap(0, 1));
        }
        assert!(
            few.people[0].at.x > 4.0 && few.people[1].at.x < -4.0,
            "dt {dt}"
        );
    }
}

#[test]
fn those_in_the_same_place_part_without_exploding() {
    for dt in [0.05, 0.1, 0.5] {
        let mut few = Few::of((0..6).map(|_| Someone::new(Vec2::ZERO, Vec2::ZERO)));
        few.walk(&Predictive::default(), dt, (10.0 / dt) as u32);
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

fn someone() -> impl Strategy<Value = Someone> {
    let vector = |size: f32| (number(size), number(size)).prop_map(|(x, y)| Vec2::new(x, y));
    let sizes = (number(0.5), number(3.0), number(90.0), 0u8..8);
    (vector(2.0), vector(2.0), vector(2.0), sizes).prop_map(
        |(at, velocity, preferred, (radius, max_speed, mass, flags))| Someone {
            at,
            velocity,
            preferred,
            radius: radius.abs(),
            max_speed: max_speed.abs(),
            mass: mass.abs(),
            flags,
        },
    )
}

proptest! {
    #[test]
    fn finite_and_bounded_for_anything_finite(
        people in prop::collection::vec(someone(), 1..8),
        dt in prop_oneof![Just(0.1f32), 1e-6f32..2.0],
    ) {
        let limits: Vec<f32> = people.iter().map(|p| p.max_speed).collect();
        let mut few = Few::of(people);
        few.walls = vec![[Vec2::new(-5.0, -0.5), Vec2::new(5.0, -0.5)]];
        for ([v, push], limit) in few.steer(&Predictive::default(), dt).into_iter().zip(limits) {
            prop_assert!(v.is_finite() && push.is_finite());
            prop_assert!(v.length() <= limit * 1.001 + 1e-6, "{} {}", v, limit);
        }
    }
}
