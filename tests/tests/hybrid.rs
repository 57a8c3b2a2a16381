//! Regions of interest, tiers and groups at work together: nobody jumps, turns back or is lost.

use std::collections::{BTreeMap, VecDeque};

use glam::Vec2;
use throng::{Command, Simulation, Spot, snapshot::invariants};
use throng_core::NONE;
use throng_kit::Walk;

/// A square with houses in it, people to and fro, three tiers.
fn town(more: &str) -> String {
    format!(
        r#"
        name = "town"
        seed = 5
        dt = 0.1
        [environment]
        generate = "city"
        side = 80.0
        polygons = 6
        vertices = 48
        [nav]
        kind = "nav-graph"
        [planner]
        kind = "astar"
        [replan]
        alternatives = 3
        [avoidance]
        kind = "short-term"
        [follow]
        kind = "seek"
        [lod]
        kind = "roi"
        [[tier]]
        level = 0
        guide = {{ kind = "potential-field", cell = 1.5 }}
        [[tier]]
        level = 1
        [[tier]]
        level = 2
        avoidance = {{ kind = "none" }}
        follow = "linear"
        [[source]]
        area = "west"
        count = 60
        goals = ["east", "west"]
        choose = "order"
        at_goal = "again"
        [[source]]
        area = "south"
        count = 60
        goals = ["north", "south"]
        choose = "order"
        at_goal = "again"
        {more}
        "#
    )
}

fn simulate(text: &str) -> Simulation {
    Simulation::builder()
        .threads(2)
        .text(text)
        .unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn nobody_jumps_turns_back_or_is_lost_with_a_moving_region() {
    let mut sim = simulate(&town(""));
    let dt = sim.scenario().dt as f32;
    let mut changes = 0;
    let (mut leavers, mut leavings) = (Leavers::default(), 0u32);
    let mut worst_jump = 0.0f32;
    for step in 0..900u64 {
        let turn = step as f64 * 0.1 / 30.0 * std::f64::consts::TAU;
        let (x, y) = (40.0 + 20.0 * turn.cos_(), 40.0 + 20.0 * turn.sin_());
        sim.command(Command::SetInterest {
            name: "eye".into(),
            at: Spot::Plan(x, y),
            radius: 14.0,
            level: 0,
        });
        let before: Vec<(u64, Vec2)> = {
            let a = sim.agents();
            a.id.iter()
                .copied()
                .zip(a.velocity.iter().copied())
                .collect()
        };
        sim.step().unwrap();
        invariants(&sim).unwrap_or_else(|e| panic!("step {step}: {e}"));
        let changed: Vec<(u64, u8)> = sim
            .events()
            .iter()
            .filter_map(|e| match e {
                throng::Event::TierChanged { agent, from, to } => Some((agent.0, *from, *to)),
                _ => None,
            })
            .map(|(id, from, to)| (id, if from == 0 && to > 0 { 1 } else { 0 }))
            .collect();
        changes += changed.len();
        let a = sim.agents();
        for row in 0..a.len() {
            let id = a.id[row];
            let Some(&(_, was)) = before.iter().find(|b| b.0 == id) else {
                continue;
            };
            if changed.iter().any(|c| c.0 == id) {
                worst_jump = worst_jump.max(a.velocity[row].distance(was));
            }
            if changed.contains(&(id, 1)) && was.length() > 0.5 {
                leavings += 1;
            }
        }
        leavers.look(&sim);
    }
    assert!(changes > 300, "{changes} changes of tier");
    assert!(leavings > 100, "{leavings} people left level 0");
    // The bound: 10 m/s2 while a change of tier is fresh.
    assert!(worst_jump <= 10.0 * dt + 1e-3, "a jump of {worst_jump} m/s");
    // The region takes up the middle of the town: nobody elsewhere walks between the same houses.
    let left = leavers.turns[0];
    assert!(left.against * 50 <= left.watched, "{left:?}");
    assert_eq!(left.away, 0, "{left:?}");
    assert_eq!(sim.unreachable_now(), 0);
    assert!(sim.metrics().arrivals > 60, "{}", sim.metrics().arrivals);
}

/// Length of the shortest walk between two places.
fn walk(sim: &Simulation, from: Vec2, to: Vec2) -> f64 {
    let origin = sim.ground().origin.truncate();
    let spot = |at: Vec2| {
        let at = origin + at.as_dvec2();
        Spot::Plan(at.x, at.y)
    };
    let path = sim.path(spot(from), spot(to), 0.24).unwrap();
    let pieces = path.points.windows(2);
    pieces.map(|ends| ends[0].distance(ends[1])).sum()
}

/// Somebody who is watched for three seconds.
#[derive(Clone, Copy, Debug)]
struct Watched {
    /// The step in which it is looked at for the last time.
    until: u64,
    at: Vec2,
    velocity: Vec2,
    /// The way that it had come, unit length.
    way: Vec2,
    goal: u32,
}

/// How many of some people turned while they were watched.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    watched: u32,
    /// Whose velocity after a second and a half was against the one that they had had.
    against: u32,
    /// Half a metre back on the way that they had come after three seconds.
    back: u32,
    /// Those of them who are farther from their goal then, by a metre or more of the shortest walk.
    away: u32,
}

/// Who has left level 0 and what became of them, and of people who are nowhere near a region.
///
/// Routes bend and people in a crowd evade each other wherever they are, so that a velocity or a
/// way that turns says nothing by itself: those who leave may not turn more often than the others
/// do. Somebody *turns back* who is half a metre back on the way of its last second and a half
/// three seconds later (evading takes a shoulder's width), with the same goal, and has gone away
/// from that goal: its shortest walk there is longer by a metre or more.
#[derive(Debug, Default)]
struct Leavers {
    /// Places of the last second and a half.
    past: VecDeque<BTreeMap<u64, Vec2>>,
    /// When each was last at level 0.
    inside: BTreeMap<u64, u64>,
    watched: [BTreeMap<u64, Watched>; 2],
    /// Of those who left, and of the others.
    turns: [Turns; 2],
}

impl Leavers {
    /// Looks at what a step brought.
    fn look(&mut self, sim: &Simulation) {
        let (a, step) = (sim.agents(), sim.steps());
        let place = |row: usize| a.location[row].point.truncate();
        for (watched, turns) in self.watched.iter_mut().zip(&mut self.turns) {
            watched.retain(|&id, who| {
                let row = a.row(throng::AgentId(id));
                let Some(row) = row.filter(|row| a.goal[*row] == who.goal) else {
                    return false;
                };
                if who.until == step + 15 {
                    let against = who.velocity.dot(a.velocity[row]) < -0.5;
                    turns.against += u32::from(against);
                }
                if who.until == step && who.way.dot(place(row) - who.at) < -0.5 {
                    turns.back += 1;
                    let target = a.target[row].point.truncate();
                    let away = walk(sim, place(row), target) > walk(sim, who.at, target) + 1.0;
                    turns.away += u32::from(away);
                }
                who.until > step
            });
        }
        let mut watch = |kind: usize, row: usize| {
            let past = self.past.front().and_then(|places| places.get(&a.id[row]));
            let velocity = a.velocity[row];
            if let Some(from) = past.filter(|_| velocity.length() > 0.5) {
                let who = Watched {
                    until: step + 30,
                    at: place(row),
                    velocity: velocity.normalize(),
                    way: (place(row) - *from).normalize_or_zero(),
                    goal: a.goal[row],
                };
                self.turns[kind].watched += 1;
                self.watched[kind].insert(a.id[row], who);
            }
        };
        for event in sim.events() {
            if let throng::Event::TierChanged { agent, from: 0, .. } = event
                && let Some(row) = a.row(*agent)
            {
                watch(0, row);
            }
        }
        for row in 0..a.len() {
            let last = self.inside.get(&a.id[row]);
            if a.tier[row] == 0 {
                self.inside.insert(a.id[row], step);
            } else if step.is_multiple_of(30) && last.is_none_or(|last| last + 100 < step) {
                watch(1, row);
            }
        }
        if self.past.len() == 15 {
            self.past.pop_front();
        }
        let places = (0..a.len()).map(|row| (a.id[row], place(row)));
        self.past.push_back(places.collect());
    }

    /// Checks that those who left turn no more often than others do.
    fn check_beside_others(&self) {
        let [left, others] = self.turns;
        for (name, count, usual) in [
            ("by velocity", left.against, others.against),
            ("by the way walked", left.back, others.back),
        ] {
            let share = f64::from(usual) / f64::from(others.watched.max(1));
            // Three standard deviations of a count of rare things beside what is usual.
            let expected = share * f64::from(left.watched);
            let most = expected + 3.0 * (expected + 1.0).sqrt();
            assert!(
                f64::from(count) <= most,
                "{count} of {} turned {name}, {expected:.1} would be usual",
                left.watched
            );
        }
    }
}

/// A region that passes over people at 8 m/s: whoever it leaves behind goes on.
#[test]
fn nobody_turns_back_where_a_quick_region_passes() {
    let mut text = String::from(
        r#"
        name = "passing"
        seed = 11
        dt = 0.1
        [environment]
        generate = "city"
        side = 150.0
        polygons = 16
        vertices = 128
        [nav]
        kind = "nav-graph"
        [planner]
        kind = "astar"
        [replan]
        alternatives = 3
        [avoidance]
        kind = "short-term"
        [follow]
        kind = "seek"
        [lod]
        kind = "roi"
        [[tier]]
        level = 0
        guide = { kind = "potential-field", cell = 3.0 }
        [[tier]]
        level = 1
        "#,
    );
    let places = [
        ([146.0, 75.0], [4.0, 75.0]),
        ([146.0, 116.0], [4.0, 34.0]),
        ([116.0, 146.0], [34.0, 4.0]),
        ([75.0, 146.0], [75.0, 4.0]),
        ([34.0, 146.0], [116.0, 4.0]),
        ([4.0, 116.0], [146.0, 34.0]),
    ];
    for (a, b) in places {
        for (from, to) in [(a, b), (b, a)] {
            text += &format!(
                "[[source]]\narea = \"everything\"\ncount = 100\ngoals = [{to:?}, {from:?}]\n\
                 reach = 3.0\nchoose = \"order\"\nat_goal = \"again\"\n"
            );
        }
    }
    let mut sim = simulate(&text);
    let mut leavers = Leavers::default();
    for step in 0..1600u64 {
        let turn = step as f64 * 0.1 / 20.0 * std::f64::consts::TAU;
        sim.command(Command::SetInterest {
            name: "eye".into(),
            at: Spot::Plan(75.0 + 25.0 * turn.cos_(), 75.0 + 25.0 * turn.sin_()),
            radius: 15.0,
            level: 0,
        });
        sim.step().unwrap();
        leavers.look(&sim);
    }
    let [left, others] = leavers.turns;
    println!("left {left:?}, elsewhere {others:?}");
    assert!(left.watched > 2500, "{left:?}");
    assert_eq!(left.away, 0, "{left:?}");
    leavers.check_beside_others();
    assert_eq!(sim.unreachable_now(), 0);
}

/// Trigonometry of the tests: the same on every platform.
trait Turn {
    fn cos_(self) -> f64;
    fn sin_(self) -> f64;
}

impl Turn for f64 {
    fn cos_(self) -> f64 {
        throng_core::math::cos(self)
    }
    fn sin_(self) -> f64 {
        throng_core::math::sin(self)
    }
}

#[test]
fn the_same_bits_on_any_threads_and_after_a_checkpoint() {
    let text = town(
        r#"
        [camera]
        at = [40.0, 2.0]
        toward = [40.0, 40.0]
        angle = 90.0
        [[roi]]
        camera = true
        at = [30.0, 0.0]
        radius = 12.0
        [group]
        kind = "leader-follower"
        "#,
    );
    let text = text.replace("count = 60", "count = 40\n groups = { sizes = [1, 2, 1] }");
    let text = text.replace("cell = 1.5", "cell = 1.5, every = 3");
    let run = |threads: usize, steps: u64| {
        let mut sim = Simulation::builder().threads(threads).text(&text).unwrap();
        for _ in 0..steps {
            sim.step().unwrap();
        }
        sim
    };
    let mut one = run(1, 124);
    let two = run(2, 124);
    assert_eq!(one.digest(), two.digest());
    let saved = one.snapshot();
    let mut again = run(2, 7);
    again.restore(&saved).unwrap();
    for step in 0..60 {
        one.step().unwrap();
        again.step().unwrap();
        assert_eq!(one.digest(), again.digest(), "step {step}");
    }
}

#[test]
fn people_spread_over_alternative_ways() {
    let text = |alternatives: u32| {
        format!(
            r#"
            name = "ways"
            seed = 2
            [environment]
            generate = "blocks"
            [nav]
            kind = "nav-graph"
            [replan]
            alternatives = {alternatives}
            stretch = 2.0
            [cost]
            kind = "distance"
            weight = 4.0
            [avoidance]
            kind = "none"
            [[source]]
            area = [[49, 1], [51, 1], [51, 3], [49, 3]]
            count = 400
            overlap = true
            goals = [[[49, 97], [51, 97], [51, 99], [49, 99]]]
            "#
        )
    };
    // Thirds of the width where people cross the middle of the blocks.
    let crossed = |alternatives: u32| {
        let mut sim = simulate(&text(alternatives));
        let mut by_third = [0u32; 3];
        for _ in 0..900 {
            sim.step().unwrap();
            invariants(&sim).unwrap();
            let a = sim.agents();
            for row in 0..a.len() {
                let (from, to) = (
                    sim.world_point(a.before[row]),
                    sim.world_point(a.location[row]),
                );
                if from.y < 50.0 && to.y >= 50.0 {
                    let third = if to.x < 44.0 {
                        0
                    } else if to.x > 56.0 {
                        2
                    } else {
                        1
                    };
                    by_third[third] += 1;
                }
            }
        }
        (by_third, sim.travel_times().mean)
    };
    let (alone, _) = crossed(1);
    assert_eq!(alone[0] + alone[2], 0, "one way: the middle {alone:?}");
    let (spread, _) = crossed(3);
    assert!(
        spread[0] + spread[2] > 20 && spread[1] > 20,
        "several ways: {spread:?}"
    );
}

#[test]
fn groups_stay_together_with_every_avoidance_at_every_tier() {
    for avoidance in [
        "none",
        "short-term",
        "orca",
        "rvo",
        "social-force",
        "predictive",
    ] {
        let run = |group: &str| {
            let mut sim = simulate(&format!(
                r#"
                name = "families"
                seed = 3
                [environment]
                generate = "square"
                side = 40.0
                [nav]
                kind = "nav-graph"
                [avoidance]
                kind = "{avoidance}"
                [group]
                kind = "{group}"
                [lod]
                kind = "roi"
                [[roi]]
                at = [20.0, 20.0]
                radius = 8.0
                [[tier]]
                level = 0
                [[tier]]
                level = 1
                period = 2
                follow = "linear"
                [profile.adult]
                speed = {{ uniform = [0.9, 1.6] }}
                [[source]]
                area = [[1, 5], [6, 5], [6, 35], [1, 35]]
                count = 40
                goals = [[[33, 5], [39, 5], [39, 35], [33, 35]]]
                groups = {{ sizes = [0, 2, 1, 1] }}
                "#
            ));
            let (mut near, mut all) = (0u32, 0u32);
            for step in 0..250 {
                sim.step().unwrap();
                invariants(&sim).unwrap_or_else(|e| panic!("{avoidance} step {step}: {e}"));
                if step < 50 {
                    continue;
                }
                let a = sim.agents();
                for row in 0..a.len() {
                    let group = a.group[row];
                    if group == NONE {
                        continue;
                    }
                    // The leader has the least id of its group.
                    let leader = (0..a.len())
                        .filter(|&r| a.group[r] == group)
                        .min_by_key(|&r| a.id[r])
                        .unwrap();
                    if leader != row {
                        let apart = a.location[row].point.distance(a.location[leader].point);
                        all += 1;
                        near += u32::from(apart < 2.0);
                    }
                }
            }
            f64::from(near) / f64::from(all.max(1))
        };
        let alone = run("none");
        for group in ["leader-follower", "leader-follower\"\nspeeds = \"after"] {
            let together = run(group);
            assert!(
                together > 0.8 && together > alone,
                "{avoidance}, {group}: within 2 m {together:.2} of the time, {alone:.2} without"
            );
        }
    }
}

#[test]
fn people_clear_the_way_of_a_car() {
    // Cells finer and coarser than the car, with as many seconds to leave its way.
    for (cell, speed) in [(1.0, 3.0), (3.0, 5.0)] {
        let (blind, warned) = (
            under_a_car(cell, speed, 0.0),
            under_a_car(cell, speed, 50.0),
        );
        assert!(
            blind > 5 && warned == 0,
            "cells of {cell} m: {warned} under the car with discomfort ahead, {blind} without"
        );
    }
}

/// How often somebody is under a car that drives through a crowd.
fn under_a_car(cell: f64, speed: f64, discomfort: f64) -> u32 {
    let mut sim = simulate(&format!(
        r#"
            name = "car"
            seed = 1
            [environment]
            generate = "square"
            side = 40.0
            [nav]
            kind = "nav-graph"
            [avoidance]
            kind = "none"
            [lod]
            kind = "roi"
            [[tier]]
            level = 0
            guide = {{ kind = "potential-field", cell = {cell:.1} }}
            [[tier]]
            level = 1
            [[mover]]
            name = "car"
            track = [[2, 20], [38, 20]]
            speed = {speed:.1}
            discomfort = {discomfort:.1}
            [[roi]]
            mover = "car"
            radius = 12.0
            [[source]]
            area = [[10, 5], [30, 5], [30, 35], [10, 35]]
            count = 80
            goals = [[[4, 36], [36, 36], [36, 39], [4, 39]], [[4, 1], [36, 1], [36, 4], [4, 4]]]
            choose = "random"
            "#
    ));
    let mut hit = 0u32;
    for _ in 0..120 {
        sim.step().unwrap();
        invariants(&sim).unwrap();
        let car = sim.world().movers[0];
        for at in &sim.agents().location {
            let apart = (at.point - car.at).truncate().length();
            hit += u32::from(apart < car.radius);
        }
    }
    hit
}

#[test]
fn jammed_narrow_places_lose_a_level() {
    // How many looks at people found them at level 1, in the doorway and elsewhere.
    let run = |jam: f64| {
        let mut sim = simulate(&format!(
            r#"
            name = "jam"
            seed = 2
            [environment]
            generate = "bottleneck"
            length = 12.0
            width = 10.0
            opening = 1.2
            [nav]
            kind = "nav-graph"
            [avoidance]
            kind = "short-term"
            [lod]
            kind = "roi"
            jam = {jam}
            [[roi]]
            at = [6.0, 5.0]
            radius = 40.0
            [[tier]]
            level = 0
            guide = {{ kind = "potential-field", cell = 1.0 }}
            [[tier]]
            level = 1
            [[source]]
            area = "room"
            count = 60
            goals = ["exit"]
            "#
        ));
        let (mut demoted, mut narrow, mut all) = (0u32, 0u32, 0u32);
        for step in 0..200 {
            sim.step().unwrap();
            invariants(&sim).unwrap_or_else(|e| panic!("step {step}: {e}"));
            let (agents, map) = (sim.agents(), sim.map());
            for row in 0..agents.len() {
                all += 1;
                if agents.tier[row] != 1 {
                    continue;
                }
                demoted += 1;
                let region = agents.region[row] as usize;
                let room = (0..map.edges())
                    .filter(|&e| {
                        let ends = [map.edge_from[e], map.edge_to[e]];
                        ends.iter()
                            .any(|n| map.node_region[*n as usize] as usize == region)
                    })
                    .map(|e| map.edge_clearance[e])
                    .fold(0.0, f32::max);
                narrow += u32::from(room <= 1.5);
            }
        }
        (demoted, narrow, all)
    };
    assert_eq!(run(0.0).0, 0, "nobody without the option");
    let (demoted, narrow, all) = run(1.0);
    assert!(demoted > 50 && demoted < all / 2, "{demoted} of {all}");
    // A few have walked out of the narrow place in the step since they were sorted.
    assert!(
        narrow * 10 > demoted * 9,
        "{narrow} of {demoted} in narrow places"
    );
}

#[test]
fn bundled_scenes_are_covered() {
    for (scene, options) in [
        ("blocks", ""),
        ("rooms", ""),
        ("hall", ""),
        ("two-storey", ""),
        ("city", "side = 120.0\npolygons = 12\nvertices = 96"),
        ("corridor", ""),
    ] {
        let sim = simulate(&format!(
            "name = \"cover\"\n[environment]\ngenerate = \"{scene}\"\n{options}\n[nav]\nkind = \"nav-graph\"\n[[source]]\narea = \"everywhere\"\ncount = 1\ngoals = \"random\"\n"
        ));
        let walkable: f64 = sim.ground().areas.iter().map(|a| f64::from(*a)).sum();
        let share = sim.map().covered_area() / walkable;
        println!(
            "{scene}: {} discs cover {:.1} %",
            sim.map().nodes(),
            100.0 * share
        );
        assert!(share > 0.95, "{scene}: {share}");
        let doors = vec![1; sim.ground().door_open.len()];
        let connected = throng_kit::search::Connectivity::new(sim.map(), &doors);
        assert_eq!(connected.components(), 1, "{scene}");
        for (place, region) in sim.map().region_place.iter().zip(&sim.map().region_area) {
            let radius = (region / core::f32::consts::PI).sqrt();
            assert!(
                sim.ground().clearance(*place, 10.0) + 0.5 > radius,
                "{scene}: a region larger than its disc"
            );
        }
    }
}
