//! Tests of social forces: closed forms, long steps, walls, crowds.

use fearless_simd::Level;
use glam::Vec2;
use proptest::prelude::*;
use throng_core::{
    LocalAvoidance, NON_RECIPROCAL, NearWall, Neighbour, NeighbourRows, SAME_GROUP, Scratch,
    SteerChunk, WallRows, math,
    random::{Purpose, Stream},
};
use throng_kit::few::{Few, Someone};

use super::{Form, SocialForce};

/// No angle, so that forces can be written down.
fn plain() -> SocialForce {
    SocialForce {
        symmetry_breaking: 0.0,
        ..SocialForce::default()
    }
}

fn standing(x: f32, y: f32) -> Someone {
    Someone::new(Vec2::new(x, y), Vec2::ZERO)
}

/// Acceleration of the first within a tiny step.
fn acceleration(model: &SocialForce, few: &mut Few) -> Vec2 {
    let dt = 1e-4;
    (few.steer(model, dt)[0][0] - few.people[0].velocity) / dt
}

fn close(a: f32, b: f32) -> bool {
    (a - b).abs() <= 1e-2 * b.abs().max(0.1)
}

#[test]
fn alone_the_preferred_velocity_is_taken_up_within_the_relaxation_time() {
    let mut few = Few::of([Someone::new(Vec2::ZERO, Vec2::X)]);
    assert!(close(acceleration(&plain(), &mut few).x, 1.0 / 0.5));
    few.walk(&plain(), 0.1, 50);
    assert!((few.people[0].velocity - Vec2::X).length() < 1e-3);
}

#[test]
fn repulsion_is_that_of_equation_2() {
    let mut few = Few::of([standing(0.0, 0.0), standing(0.7, 0.0)]);
    let expected = -2000.0 / 80.0 * math::exp((0.5f32 - 0.7) / 0.08);
    let found = acceleration(&plain(), &mut few);
    assert!(close(found.x, expected) && found.y == 0.0, "{found}");
}

#[test]
fn contact_presses_along_and_rubs_across_the_line_of_centres() {
    let mut few = Few::of([standing(0.0, 0.0), standing(0.49, 0.0)]);
    few.people[1].velocity = Vec2::Y * 0.5;
    let found = acceleration(&plain(), &mut few);
    let pressing = 2000.0 * math::exp(0.01f32 / 0.08) + 1.2e5 * 0.01;
    assert!(close(found.x, -pressing / 80.0), "{found}");
    assert!(close(found.y, 2.4e5 * 0.01 * 0.5 / 80.0), "{found}");
}

#[test]
fn walls_press_and_rub_like_bodies_at_rest() {
    let mut few = Few::of([standing(0.0, 0.24)]);
    few.walls = vec![[Vec2::new(-3.0, 0.0), Vec2::new(3.0, 0.0)]];
    few.people[0].velocity = Vec2::X * 0.5;
    few.people[0].preferred = Vec2::X * 0.5;
    let found = acceleration(&plain(), &mut few);
    let pressing = 2000.0 * math::exp(0.01f32 / 0.08) + 1.2e5 * 0.01;
    assert!(close(found.y, pressing / 80.0), "{found}");
    assert!(close(found.x, -2.4e5 * 0.01 * 0.5 / 80.0), "{found}");
}

#[test]
fn a_wall_in_pieces_is_one_wall() {
    let whole = vec![[Vec2::new(-3.0, 0.0), Vec2::new(3.0, 0.0)]];
    let pieces: Vec<_> = (0..12)
        .map(|i| {
            let x = -3.0 + 0.5 * i as f32;
            [Vec2::new(x, 0.0), Vec2::new(x + 0.5, 0.0)]
        })
        .collect();
    for x in [0.0, 0.1, 0.25, 0.4, 0.5] {
        let force = |walls: &Vec<[Vec2; 2]>| {
            let mut few = Few::of([standing(x, 0.3)]);
            few.walls = walls.clone();
            acceleration(&plain(), &mut few)
        };
        let (one, many) = (force(&whole), force(&pieces));
        assert!((one - many).length() < 1e-3 * one.length(), "{one} {many}");
    }
}

#[test]
fn a_corner_counts_once() {
    // The solid is the quadrant right of x = 0 and below y = 0.
    let mut few = Few::of([standing(-0.3, 0.3)]);
    few.walls = vec![
        [Vec2::new(0.0, -3.0), Vec2::ZERO],
        [Vec2::ZERO, Vec2::new(3.0, 0.0)],
    ];
    let found = acceleration(&plain(), &mut few);
    let distance = 0.3 * 2f32.sqrt();
    let expected = 2000.0 / 80.0 * math::exp((0.25 - distance) / 0.08);
    assert!(close(found.length(), expected), "{found} {expected}");
}

#[test]
fn companions_repel_less_and_movers_do_not_yield() {
    let mut few = Few::of([standing(0.0, 0.0), standing(0.7, 0.0)]);
    let strangers = acceleration(&plain(), &mut few).x;
    few.people[1].flags = SAME_GROUP;
    let model = SocialForce {
        companions: 0.5,
        ..plain()
    };
    assert!(close(acceleration(&model, &mut few).x, 0.5 * strangers));
    // Somebody who walks into a car is thrown back farther than by a person who yields.
    let back = |flags| {
        let mut few = Few::of([Someone::walking(Vec2::ZERO, Vec2::X), standing(0.6, 0.0)]);
        few.people[1].flags = flags;
        few.steer(&plain(), 0.1)[0][0].x
    };
    assert!(back(NON_RECIPROCAL) < back(0) - 0.05);
}

#[test]
fn the_ellipse_of_somebody_standing_is_a_circle() {
    let model = SocialForce {
        form: Form::Elliptical,
        reach: 4.0,
        ..plain()
    };
    let mut few = Few::of([Someone::new(Vec2::ZERO, Vec2::X * 1e-5), standing(1.0, 0.0)]);
    // b is the distance itself, its gradient 1.
    let expected = -2.1 / 0.3 * math::exp(-1.0f32 / 0.3);
    let found = acceleration(&model, &mut few).x;
    assert!(close(found, expected), "{found} {expected}");
    few.people[0].preferred = -Vec2::X * 1e-5;
    let behind = acceleration(&model, &mut few).x;
    assert!(close(behind, 0.5 * expected), "{behind} {expected}");
    // Whose stride leads towards us is felt more than who walks off.
    few.people[1].at = Vec2::new(1.5, 0.4);
    few.people[1].velocity = -Vec2::X * 0.5;
    let coming = acceleration(&model, &mut few).length();
    few.people[1].velocity = Vec2::X * 0.5;
    assert!(coming > 1.5 * acceleration(&model, &mut few).length());
}

#[test]
fn those_in_the_same_place_part_without_exploding() {
    for dt in [0.01, 0.1, 0.5] {
        let mut few = Few::of((0..8).map(|_| standing(0.0, 0.0)));
        few.walk(&SocialForce::default(), dt, (5.0 / dt) as u32);
        for a in 0..8 {
            assert!(
                few.people[a].at.length() < 3.0,
                "dt {dt}: {:?}",
                few.people[a].at
            );
            assert!(few.people[a].velocity.length() < 0.2, "dt {dt}");
            for b in 0..a {
                assert!(few.overlap(a, b) < 0.0, "dt {dt}: {}", few.overlap(a, b));
            }
        }
    }
}

#[test]
fn exactly_head_on_they_pass() {
    for dt in [0.01, 0.1, 0.5] {
        let mut few = Few::of([
            Someone::walking(Vec2::new(-4.0, 0.0), Vec2::X * 1.34),
            Someone::walking(Vec2::new(4.0, 0.0), -Vec2::X * 1.34),
        ]);
        few.walk(&SocialForce::default(), dt, (12.0 / dt) as u32);
        assert!(
            few.people[0].at.x > 3.0 && few.people[1].at.x < -3.0,
            "dt {dt}"
        );
    }
}

#[test]
fn collisions_do_not_depend_on_the_step() {
    // A slight miss: how far both are turned by each other.
    let after = |dt: f32| {
        let mut few = Few::of([
            Someone::walking(Vec2::new(-2.0, 0.1), Vec2::X * 1.34),
            Someone::walking(Vec2::new(2.0, -0.1), -Vec2::X * 1.34),
        ]);
        few.walk(&plain(), dt, (4.0 / dt).round() as u32);
        few.people[0].at
    };
    let fine = after(0.01);
    assert!(after(0.1).distance(fine) < 0.12, "{} {fine}", after(0.1));
    assert!(after(0.5).distance(fine) < 0.12, "{} {fine}", after(0.5));
}

#[test]
fn pressed_against_a_wall_at_5_metres_per_second_nobody_is_thrown_about() {
    for dt in [0.01, 0.1, 0.5] {
        let mut few = Few::of((0..6).map(|i| {
            let mut s = Someone::walking(Vec2::new(-0.6 * i as f32 - 1.0, 0.0), Vec2::X * 5.0);
            s.max_speed = 6.5;
            s
        }));
        few.walls = vec![[Vec2::new(0.0, -5.0), Vec2::new(0.0, 5.0)]];
        for step in 0..(6.0 / dt) as u32 {
            few.walk(&SocialForce::default(), dt, 1);
            for s in &mut few.people {
                assert!(s.at.x > -8.0 && s.at.y.abs() < 10.0, "dt {dt}: {s:?}");
                assert!(s.velocity.length() <= 6.51, "dt {dt}: {s:?}");
                // As the ground does.
                s.at.x = s.at.x.min(-0.25);
            }
            let late = step as f32 * dt > 4.0;
            if late {
                for a in 1..6 {
                    assert!(few.overlap(a, a - 1) < 0.1, "dt {dt}: {:?}", few.people);
                }
            }
        }
    }
}

#[test]
fn a_resting_queue_rests_at_any_step() {
    let pressed = |dt: f32| {
        let mut few = Few::of(
            (0..5).map(|i| Someone::new(Vec2::new(-0.55 * i as f32 - 0.3, 0.0), Vec2::X * 1.34)),
        );
        few.walls = vec![[Vec2::new(0.0, -5.0), Vec2::new(0.0, 5.0)]];
        few.walk(&plain(), dt, (20.0 / dt) as u32);
        for s in &few.people {
            assert!(s.velocity.length() < 0.02, "dt {dt}: {s:?}");
        }
        few.people.iter().map(|s| s.at.x).collect::<Vec<_>>()
    };
    let fine = pressed(0.01);
    for dt in [0.02, 0.1, 0.5] {
        for (a, b) in pressed(dt).into_iter().zip(&fine) {
            assert!((a - b).abs() < 2e-3, "dt {dt}: {a} {b}");
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
        own in (vector(3.0), vector(2.0), number(0.5), number(3.0), number(90.0)),
        others in prop::collection::vec((vector(2.0), vector(2.0), number(0.5), 0u8..8), 0..12),
        walls in prop::collection::vec((vector(2.0), vector(2.0)), 0..4),
        dt in prop_oneof![Just(0.1f32), Just(0.5f32), 1e-6f32..2.0],
        elliptical in any::<bool>(),
    ) {
        let (velocity, preferred, radius, max_speed, mass) = own;
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
            mass: &[mass.abs()],
            neighbours: NeighbourRows {
                start: &[0, count as u32],
                seen: &seen,
                radius: &radii,
                flags: &flags,
                id: &ids,
            },
            walls: WallRows { start: &[0, walls.len() as u32], walls: &walls },
        };
        let model = SocialForce {
            form: if elliptical { Form::Elliptical } else { Form::Circular },
            ..SocialForce::default()
        };
        let answer = |level| {
            let (mut v, mut push) = ([Vec2::NAN], [Vec2::ZERO]);
            model.steer_at(level, &chunk, &mut Scratch::default(), &mut v, &mut push);
            [v[0], push[0]]
        };
        let best = answer(Level::new());
        prop_assert!(best[0].is_finite() && best[1].is_finite());
        prop_assert!(best[0].length() <= max_speed.abs() * 1.001 + 1e-6, "{best:?}");
        let other = answer(Level::baseline());
        let bits = |a: [Vec2; 2]| a.map(|v| v.to_array().map(f32::to_bits));
        prop_assert_eq!(bits(best), bits(other));
    }
}

#[test]
fn the_reach_sees_whom_a_step_can_bring_near() {
    let model = SocialForce::default();
    // Two who walk towards each other, and what is felt then.
    let nearer = 2.0 * 1.34 * model.longest_step(2.0);
    assert!(model.perception().reach >= nearer + 0.5 + model.felt());
}

/// Mean speed and overlapping pairs of people with changing goals in a closed room.
fn dense_room(side: f32, count: usize, dt: f32) -> (f32, f32) {
    let mut draw = Stream::new(5, 0, Purpose::Start, 0);
    let cells = (count as f32).sqrt().ceil() as usize;
    let pitch = side / cells as f32;
    let mut few = Few::of((0..count).map(|i| {
        standing(
            ((i % cells) as f32 + 0.5) * pitch,
            ((i / cells) as f32 + 0.5) * pitch,
        )
    }));
    let corners = [[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]].map(Vec2::from);
    few.walls = (0..4).map(|i| [corners[i], corners[(i + 1) % 4]]).collect();
    let mut anywhere = || Vec2::new(draw.unit(), draw.unit()) * side;
    let mut goals: Vec<Vec2> = (0..count).map(|_| anywhere()).collect();
    let (mut speed, mut pairs, mut looks) = (0.0, 0.0, 0.0);
    for step in 0..(10.0 / dt) as u32 {
        for (s, goal) in few.people.iter_mut().zip(&mut goals) {
            if s.at.distance(*goal) < 0.5 {
                *goal = anywhere();
            }
            s.preferred = (*goal - s.at).normalize_or_zero() * 1.34;
        }
        few.walk(&SocialForce::default(), dt, 1);
        if step as f32 * dt > 2.0 && step % (0.5 / dt) as u32 == 0 {
            looks += 1.0;
            for a in 0..count {
                speed += few.people[a].velocity.length() / count as f32;
                pairs += (0..a).filter(|&b| few.overlap(a, b) > 0.005).count() as f32;
            }
        }
    }
    (speed / looks, pairs / looks)
}

#[test]
fn dense_crowds_are_as_calm_at_long_steps_as_at_short_ones() {
    for (side, count) in [(5.0, 80), (6.3, 80)] {
        let fine = dense_room(side, count, 0.01);
        for dt in [0.1, 0.5] {
            let long = dense_room(side, count, dt);
            // All are chaotic: the means of so few agree only roughly.
            assert!(long.0 < 1.3 * fine.0, "dt {dt}: {fine:?} {long:?}");
            assert!(long.0 > 0.5 * fine.0, "dt {dt}: {fine:?} {long:?}");
            assert!(long.1 <= fine.1 + 0.2, "dt {dt}: {fine:?} {long:?}");
        }
    }
}
