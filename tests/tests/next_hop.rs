//! Tables of next gates in whole runs: on every kind of map, refused where they are too large,
//! renewed for prices and doors, resumed with the same bits.

use throng::{Command, Simulation};

const ROOMS: &str = r#"
name = "rooms"
seed = 4
duration = 200.0
[environment]
generate = "rooms"
[nav]
kind = "adaptive-grid"
[planner]
kind = "next-hop"
[[source]]
area = "room-1"
count = 12
goals = ["room-12"]
[[source]]
area = "room-4"
count = 12
goals = ["room-9"]
"#;

const STOREYS: &str = r#"
name = "storeys"
seed = 5
duration = 200.0
[environment]
generate = "two-storey"
[nav]
kind = "adaptive-grid"
[planner]
kind = "next-hop"
[[source]]
area = "ground-1"
count = 8
goals = ["upper-5"]
[[source]]
area = "upper-2"
count = 8
goals = ["ground-6"]
"#;

fn built(text: &str, sets: &[&str], threads: usize) -> Simulation {
    let mut builder = Simulation::builder().threads(threads);
    for set in sets {
        builder = builder.set(*set);
    }
    builder.text(text).unwrap_or_else(|e| panic!("{e}"))
}

/// Steps until everybody is there; gives the time, or fails after so many seconds.
fn arrive(sim: &mut Simulation, seconds: f64) -> f64 {
    while !sim.is_over() {
        sim.step().unwrap();
        assert!(
            sim.time() < seconds,
            "{} of {} are there",
            sim.metrics().arrived,
            sim.metrics().spawned
        );
    }
    assert_eq!(sim.metrics().arrived, sim.metrics().spawned);
    sim.time()
}

#[test]
fn everybody_arrives_on_every_map() {
    for nav in ["adaptive-grid", "grid", "ecm"] {
        let nav = format!("nav.kind={nav}");
        for option in ["field=continuous", "targets=all", "method=floyd-warshall"] {
            let option = format!("planner.{option}");
            // Nobody is in anybody's way: what is tested is the way itself.
            let sets = [nav.as_str(), &option, "avoidance.kind=none"];
            eprintln!("{sets:?}");
            arrive(&mut built(ROOMS, &sets, 2), 100.0);
        }
    }
}

#[test]
fn every_field_leads_there() {
    for field in ["gate-center", "gate-coverage", "continuous"] {
        for text in [ROOMS, STOREYS] {
            let field = format!("planner.field={field}");
            eprintln!("{field}");
            let sets = [field.as_str(), "avoidance.kind=none"];
            arrive(&mut built(text, &sets, 2), 150.0);
        }
    }
}

#[test]
fn a_table_above_the_limit_is_refused_with_the_number() {
    let sets = ["nav.kind=grid", "planner.targets=all", "planner.limit=0.5"];
    let mut sim = built(ROOMS, &sets, 1);
    let refused = sim.step().unwrap_err().to_string();
    let nodes = sim.map().nodes() as u64;
    assert!(nodes > 1000, "{nodes}");
    let needed = (nodes * nodes).to_string();
    assert!(refused.contains(&needed), "{refused}");
    assert!(refused.contains("500000"), "{refused}");
}

#[test]
fn threads_and_resuming_change_no_bit() {
    let sets = ["cost.kind=density", "planner.every=3"];
    for text in [ROOMS, STOREYS] {
        let digests = |threads| -> Vec<u64> {
            let mut sim = built(text, &sets, threads);
            (0..80)
                .map(|_| {
                    sim.step().unwrap();
                    sim.digest()
                })
                .collect()
        };
        let whole = digests(1);
        assert_eq!(whole, digests(3));
        for cut in [1, 37, 55] {
            let mut first = built(text, &sets, 1);
            (0..cut).for_each(|_| first.step().unwrap());
            let mut second = built(text, &sets, 2);
            second.restore(&first.snapshot()).unwrap();
            for (step, expected) in whole.iter().enumerate().skip(cut) {
                second.step().unwrap();
                assert_eq!(second.digest(), *expected, "cut {cut}, step {}", step + 1);
            }
        }
    }
}

#[test]
fn a_closed_door_leads_round() {
    let time = |close: bool| {
        let mut sim = built(ROOMS, &[], 1);
        if close {
            // From room 1 to 2, and from 2 to 3.
            for name in ["door-1", "door-3"] {
                sim.command(Command::SetDoor {
                    name: name.into(),
                    open: false,
                });
            }
        }
        arrive(&mut sim, 200.0)
    };
    let (open, closed) = (time(false), time(true));
    assert!(closed > open - 5.0, "{open} {closed}");
}

#[test]
fn numbers_hold_where_people_are_replaced() {
    let text = r#"
    name = "pool"
    [environment]
    generate = "city-block"
    drawn = "height-map"
    side = 150.0
    pixels = 300
    [nav]
    kind = "adaptive-grid"
    [planner]
    kind = "next-hop"
    [[source]]
    area = "park"
    hold = 40
    goals = ["door-16", "door-20", "door-21"]
    choose = "random"
    "#;
    let mut sim = built(text, &[], 2);
    let mut gone = 0;
    for _ in 0..600 {
        sim.step().unwrap();
        // Who arrived in this step is replaced at the beginning of the next.
        let arrived = sim.metrics().arrived;
        assert_eq!(sim.agents().len() as u64 + arrived - gone, 40);
        gone = arrived;
    }
    assert!(sim.metrics().arrived > 10, "{}", sim.metrics().arrived);
    assert_eq!(sim.metrics().unreachable, 0);
}
