//! What every model of avoidance must do by itself, beside its own tests: meet, part, cross, stop.

use glam::Vec2;
use throng::Simulation;
use throng_core::{LocalAvoidance, Slot};
use throng_kit::few::{Few, Someone};
use throng_tests::scenario;

/// Every model but `none`, with its defaults.
fn models() -> Vec<(String, Box<dyn LocalAvoidance>)> {
    throng::registry()
        .of(Slot::Avoidance)
        .filter(|s| s.id != "none")
        .map(|s| {
            let made = s.create(&toml::Table::new()).unwrap();
            (s.id.clone(), made.into_avoidance().unwrap())
        })
        .collect()
}

fn simulation(model: &str, file: &str, changes: &[&str]) -> Simulation {
    let mut builder = Simulation::builder()
        .threads(1)
        .set(format!("avoidance.kind={model}"));
    for change in changes {
        builder = builder.set(*change);
    }
    builder
        .file(scenario(file))
        .unwrap_or_else(|e| panic!("{model}: {e}"))
}

#[test]
fn different_radii_and_speeds_pass_each_other_exactly_head_on() {
    for (id, model) in models() {
        let big = Someone {
            radius: 0.5,
            mass: 160.0,
            max_speed: 1.2,
            ..Someone::walking(Vec2::new(-6.0, 0.0), Vec2::X * 0.8)
        };
        let small = Someone {
            radius: 0.2,
            mass: 50.0,
            max_speed: 2.2,
            ..Someone::walking(Vec2::new(6.0, 0.0), -Vec2::X * 1.7)
        };
        let mut few = Few::of([big, small]);
        for _ in 0..200 {
            few.walk(&*model, 0.1, 1);
            let overlap = few.overlap(0, 1);
            assert!(overlap < 0.02, "{id}: {overlap} m");
        }
        let at = [few.people[0].at.x, few.people[1].at.x];
        assert!(at[0] > 5.0 && at[1] < -5.0, "{id}: {at:?}");
    }
}

#[test]
fn the_faster_overtakes_without_touching() {
    for (id, model) in models() {
        let slow = Someone::walking(Vec2::new(2.0, 0.0), Vec2::X * 0.5);
        let fast = Someone::walking(Vec2::new(-2.0, 0.0), Vec2::X * 1.5);
        let mut few = Few::of([slow, fast]);
        for _ in 0..150 {
            few.walk(&*model, 0.1, 1);
            assert!(few.overlap(0, 1) < 0.01, "{id}: {}", few.overlap(0, 1));
        }
        assert!(few.people[1].at.x > few.people[0].at.x + 1.0, "{id}");
    }
}

#[test]
fn crowds_that_start_overlapped_part_and_stay_near() {
    for (id, model) in models() {
        // 25 bodies of half a metre on 1 m2, five of them in one place.
        let mut few = Few::of((0..25).map(|i| {
            let at = Vec2::new((i % 5) as f32, (i / 5) as f32) * 0.25;
            let at = if i < 5 { Vec2::ZERO } else { at };
            Someone::new(at, Vec2::ZERO)
        }));
        few.walk(&*model, 0.1, 150);
        for a in 0..25 {
            let s = &few.people[a];
            assert!(s.at.length() < 8.0, "{id}: thrown to {}", s.at);
            assert!(s.velocity.length() < 1.0, "{id}: {}", s.velocity);
            for b in 0..a {
                assert!(few.overlap(a, b) < 0.02, "{id}: {}", few.overlap(a, b));
            }
        }
    }
}

#[test]
fn nobody_runs_through_a_wall_at_5_metres_per_second() {
    for (id, _) in models() {
        for dt in ["dt=0.1", "dt=0.5"] {
            let mut sim = simulation(
                &id,
                "evacuation.toml",
                &[
                    dt,
                    "source[0].count=40",
                    "source[0].profile=runner",
                    "profile.runner.radius=0.25",
                    "profile.runner.speed=5.0",
                    "profile.runner.max_speed=6.5",
                ],
            );
            while sim.time() < 8.0 {
                sim.step().unwrap();
            }
            let m = sim.metrics();
            assert_eq!(
                (m.wall_crossings, m.lost, m.not_finite, m.beyond_cap),
                (0, 0, 0, 0),
                "{id} {dt}"
            );
            assert_eq!(m.arrived + sim.agents().len() as u64, 40, "{id} {dt}");
        }
    }
}

#[test]
fn circles_of_8_and_100_resolve() {
    for (id, _) in models() {
        for (file, people) in [("circle-8.toml", 8), ("circle-100.toml", 100)] {
            let mut sim = simulation(&id, file, &[]);
            let seconds = sim.scenario().duration;
            while sim.time() < seconds && !sim.is_over() {
                sim.step().unwrap();
            }
            let arrived = sim.metrics().arrived;
            assert_eq!(arrived, people, "{id} {file} after {} s", sim.time());
        }
    }
}

/// Bodies are kept apart where no free velocity is left: nobody overlaps by more than the half
/// centimetre that counts, however packed the crowd is.
#[test]
fn orca_and_rvo_overlap_nowhere() {
    let trials = [
        ("squeeze.toml", 30.0),
        ("circle-100.toml", 40.0),
        ("bottleneck.toml", 30.0),
        ("doorway.toml", 30.0),
        ("crossing-four.toml", 30.0),
        ("open-square.toml", 20.0),
    ];
    for (file, seconds) in trials {
        for id in ["orca", "rvo"] {
            let mut sim = simulation(id, file, &["metrics.every=0.1"]);
            while sim.time() < seconds && !sim.is_over() {
                sim.step().unwrap();
            }
            let (pairs, deepest) = (sim.metrics().overlap_pairs, sim.metrics().overlap_deepest);
            assert!(
                deepest < 0.01,
                "{id} {file}: {pairs} pairs, {deepest} m deep"
            );
        }
    }
}

/// Over the edges of a cube distances change otherwise than the tangent planes say.
#[test]
fn orca_and_rvo_overlap_nowhere_on_a_cube() {
    for id in ["orca", "rvo"] {
        let text = format!(
            r#"
            name = "cube"
            seed = 3
            dt = 0.1
            duration = 30.0
            metrics.every = 0.1
            environment = {{ generate = "cube", side = 8 }}
            nav.kind = "surface"
            planner.kind = "geodesic"
            avoidance.kind = "{id}"
            [[source]]
            area = "everywhere"
            count = 120
            goals = "random"
            at_goal = "again"
            "#
        );
        let mut sim = Simulation::builder().threads(1).text(&text).unwrap();
        while sim.time() < 30.0 {
            sim.step().unwrap();
        }
        let m = sim.metrics();
        assert!(m.arrivals > 300, "{id}: {} arrivals", m.arrivals);
        let (pairs, deepest) = (m.overlap_pairs, m.overlap_deepest);
        assert!(deepest < 0.01, "{id}: {pairs} pairs, {deepest} m deep");
    }
}

/// People wedge in a door of their own width now and then, so one seed says little: in `orca`
/// about one crowd in four stands in an arch after 100 s with a third of it inside.
#[test]
fn an_opening_of_80_centimetres_lets_everybody_through() {
    for (id, _) in models() {
        let mut arrived = 0;
        for seed in 1..=8 {
            let seed = format!("seed={seed}");
            let changes = ["environment.opening=0.8", "source[0].count=30", &seed];
            let mut sim = simulation(&id, "bottleneck.toml", &changes);
            while sim.time() < 100.0 && !sim.is_over() {
                sim.step().unwrap();
            }
            let m = sim.metrics();
            assert_eq!(m.unreachable, 0, "{id}");
            assert!(m.arrived >= 15, "{id} {seed}: {} of 30", m.arrived);
            arrived += m.arrived;
        }
        assert!(arrived >= 204, "{id}: {arrived} of 240");
    }
}

#[test]
fn nobody_walks_against_the_side_wall_of_a_stair() {
    // Without avoidance nobody is jostled off the spot: an aim beyond the wall would hold for ever.
    let changes = ["nav.kind=surface", "planner.kind=geodesic"];
    let mut simulation = simulation("none", "two-storey.toml", &changes);
    for _ in 0..1800 {
        simulation.step().unwrap();
    }
    assert_eq!(simulation.metrics().arrivals, 75);
}
