//! Algorithm 1 by hand: sides, pushes, alternation.

use super::*;
use throng_kit::few::{Few, Someone};

fn v(x: f32, y: f32) -> Vec2 {
    Vec2::new(x, y)
}

fn model() -> ShortTerm {
    ShortTerm::default()
}

#[test]
fn cells_lie_along_the_heading() {
    assert_eq!(cell_of(v(2.1, 0.2), Vec2::X, 1.0), (2, 0));
    assert_eq!(cell_of(v(0.1, 2.1), Vec2::Y, 1.0), (2, 0));
    // Left of somebody who walks north is west.
    assert_eq!(cell_of(v(-1.0, 0.0), Vec2::Y, 1.0), (0, 1));
    assert_eq!(model().cells(0.0), 2);
    assert!(model().cells(2.0) > model().cells(1.0));
}

#[test]
fn the_side_away_from_the_neighbour_is_taken() {
    let target = v(10.0, 0.0);
    let to_left = model().aside(3, v(3.0, 0.3), Vec2::X, target, &[], 0.25);
    assert_eq!(
        to_left,
        Some(v(2.0, -1.0)),
        "a neighbour on the left: go right"
    );
    let to_right = model().aside(3, v(3.0, -0.3), Vec2::X, target, &[], 0.25);
    assert_eq!(to_right, Some(v(2.0, 1.0)));
}

#[test]
fn no_u_turn_comes_before_the_side() {
    // The target is to the left and behind: only the left cell of the first row leads there.
    let way = model().aside(1, v(1.0, 0.3), Vec2::X, v(-0.1, 5.0), &[], 0.25);
    assert_eq!(way, Some(v(0.0, 1.0)));
}

#[test]
fn inactive_cells_are_skipped() {
    let wall = |a: Vec2, b: Vec2| NearWall {
        a,
        b,
        before: Vec2::ZERO,
        after: Vec2::ZERO,
        flags: 0,
        wall: 0,
    };
    // A wall along the right side: its free side is to the left of a to b.
    let right = [wall(v(-5.0, -0.6), v(5.0, -0.6))];
    let way = model().aside(3, v(3.0, 0.3), Vec2::X, v(10.0, 0.0), &right, 0.25);
    assert_eq!(way, Some(v(2.0, 1.0)), "the right is behind a wall");
    let both = [right[0], wall(v(5.0, 0.6), v(-5.0, 0.6))];
    let way = model().aside(3, v(3.0, 0.3), Vec2::X, v(10.0, 0.0), &both, 0.25);
    assert_eq!(way, None, "in a narrow corridor one only slows down");
}

#[test]
fn two_who_meet_pass_each_other() {
    let mut few = Few::of([
        Someone::walking(v(0.0, 0.0), v(1.3, 0.0)),
        Someone::walking(v(8.0, 0.05), v(-1.3, 0.0)),
    ]);
    let mut least = f32::INFINITY;
    for _ in 0..100 {
        few.walk(&model(), 0.1, 1);
        least = least.min(few.people[0].at.distance(few.people[1].at));
    }
    assert!(least > 0.45, "they came as near as {least} m");
    assert!(few.people[0].at.x > 7.0 && few.people[1].at.x < 1.0);
}

/// People who come out of nowhere at arm's length, head-on or past each other's shoulder: the check
/// every second tick still keeps the bodies (radius 0.25 m) apart.
#[test]
fn nobody_walks_through_who_comes() {
    for (apart, beside) in [(0.6, 0.0), (0.7, 0.1), (0.8, -0.1), (1.0, 0.3), (0.9, 0.0)] {
        for first_tick in [0, 1] {
            let mut few = Few::of([
                Someone::walking(v(0.0, 0.0), v(1.5, 0.0)),
                Someone::walking(v(apart, beside), v(-1.5, 0.0)),
            ]);
            few.step = first_tick;
            let mut least = f32::INFINITY;
            for _ in 0..60 {
                few.walk(&model(), 0.1, 1);
                least = least.min(few.people[0].at.distance(few.people[1].at));
            }
            let case = format!("{apart} m ahead, {beside} m beside, tick {first_tick}");
            // Without a look in the first tick nothing can be done about that tick.
            let blind = if first_tick == 0 { 0.3 } else { 0.0 };
            let room = (Vec2::new(apart - blind, beside).length() - 0.5).min(0.0);
            assert!(least > 0.45 + room, "{case}: as near as {least} m");
            let passed = few.people[0].at.x - few.people[1].at.x;
            assert!(passed > 1.0, "{case}: {passed} m past each other");
        }
    }
}

#[test]
fn overlapping_bodies_are_pushed_apart_alike() {
    let mut few = Few::of([
        Someone::new(v(0.0, 0.0), Vec2::ZERO),
        Someone::new(v(0.3, 0.0), Vec2::ZERO),
    ]);
    // Registered on the even tick, avoided on the odd one.
    few.step = 1;
    let answers = few.steer(&model(), 0.1);
    assert_eq!(answers[0][1], -answers[1][1], "both alike");
    assert!((answers[0][1].x + 0.125).abs() < 1e-5, "{answers:?}");
    few.step = 2;
    assert_eq!(
        few.steer(&model(), 0.1)[0][1],
        Vec2::ZERO,
        "even ticks push nobody"
    );
}

#[test]
fn a_group_is_pushed_apart_but_not_evaded() {
    let mut few = Few::of([
        Someone::walking(v(0.0, 0.0), v(1.3, 0.0)),
        Someone::new(v(2.0, 0.1), Vec2::ZERO),
    ]);
    few.step = 1;
    let alone = few.steer(&model(), 0.1)[0][0];
    assert!(
        alone.y < 0.0 && alone.length() < 1.3,
        "evades and slows: {alone}"
    );
    few.people[1].flags = SAME_GROUP;
    let mut fresh = Few::of(few.people.clone());
    fresh.step = 1;
    assert_eq!(fresh.steer(&model(), 0.1)[0][0], v(1.3, 0.0));
    fresh.people[1].at = v(0.4, 0.0);
    assert!(
        fresh.steer(&model(), 0.1)[0][1].x < 0.0,
        "the emergency check stays"
    );
}

#[test]
fn nobody_evades_who_walks_ahead_as_fast() {
    let mut few = Few::of([
        Someone::walking(v(0.0, 0.0), v(1.3, 0.0)),
        Someone::walking(v(1.5, 0.0), v(1.3, 0.0)),
    ]);
    few.step = 1;
    assert_eq!(few.steer(&model(), 0.1)[0][0], v(1.3, 0.0));
    let all = ShortTerm {
        all: true,
        ..model()
    };
    let mut fresh = Few::of(few.people.clone());
    fresh.step = 1;
    assert!(fresh.steer(&all, 0.1)[0][0].length() < 1.3);
}
