//! Doors that close on people, and goals behind walls.

use glam::{DVec2, Vec3};
use throng::{
    Command, Simulation,
    environment::{Door, Environment, Floor, NamedArea, Obstacle, Polygon},
};

fn area(name: &str, low: [f64; 2], high: [f64; 2]) -> NamedArea {
    NamedArea {
        name: name.into(),
        floor: 0,
        shape: Polygon::rectangle(DVec2::from(low), DVec2::from(high)),
    }
}

/// Two rooms with a door of 2 m between them at x = 10.
fn rooms() -> Environment {
    let at = DVec2::new;
    Environment {
        floors: vec![Floor {
            walkable: vec![Polygon::rectangle(DVec2::ZERO, at(20.0, 10.0))],
            thin_walls: vec![
                vec![at(10.0, 0.0), at(10.0, 4.0)],
                vec![at(10.0, 6.0), at(10.0, 10.0)],
            ],
            ..Floor::default()
        }],
        areas: vec![
            area("left", [1.0, 1.0], [8.0, 9.0]),
            area("right", [17.0, 1.0], [19.0, 9.0]),
        ],
        doors: vec![Door {
            name: "door".into(),
            floor: 0,
            ends: [at(10.0, 4.0), at(10.0, 6.0)],
            open: true,
        }],
        ..Environment::default()
    }
}

const CROWD: &str = r#"
name = "rooms"
seed = 2
duration = 60.0
[[source]]
area = "left"
count = 40
goals = ["right"]
"#;

fn build(event: &str, threads: usize) -> Simulation {
    Simulation::builder()
        .threads(threads)
        .world_with(rooms(), &format!("{CROWD}{event}"), throng::registry())
        .unwrap_or_else(|e| panic!("{e}"))
}

fn is_open(sim: &Simulation) -> bool {
    sim.ground().door_open[0] != 0
}

/// How far into the door people stand: radius less distance, at most.
fn deepest(sim: &Simulation) -> f32 {
    let origin = sim.ground().origin.as_vec3();
    let a = sim.agents();
    let depth = |row: usize| {
        let p = a.location[row].point + origin;
        let nearest = Vec3::new(10.0, p.y.clamp(4.0, 6.0), 0.0);
        a.radius[row] - p.distance(nearest)
    };
    (0..a.len()).map(depth).fold(f32::NEG_INFINITY, f32::max)
}

/// The step before which somebody first stands well in the door.
fn crowded() -> u64 {
    let mut sim = build("", 1);
    while deepest(&sim) < 0.15 {
        sim.step().unwrap();
        assert!(sim.steps() < 300, "nobody comes to the door");
    }
    sim.steps()
}

#[test]
fn a_door_waits_until_nobody_stands_in_it() {
    let at = crowded();
    let event = format!("[[event]]\nat = {}\nclose = \"door\"\n", at as f64 / 10.0);
    let mut sim = build(&event, 1);
    for _ in 0..=at {
        sim.step().unwrap();
    }
    assert!(is_open(&sim), "somebody stands in it");
    assert_eq!(sim.state().closing, [0]);
    let mut free_before = deepest(&sim) <= 0.0;
    while is_open(&sim) {
        free_before = deepest(&sim) <= 0.0;
        sim.step().unwrap();
        assert!(sim.steps() < 600, "it never closes");
    }
    assert!(free_before, "it closed on nobody");
    // Whoever is left of it now stays there.
    let left = |sim: &Simulation| {
        let origin = sim.ground().origin.as_vec3();
        let at = sim.agents().location.iter();
        at.filter(|l| (l.point + origin).x < 10.0).count()
    };
    let before = left(&sim);
    for _ in 0..100 {
        sim.step().unwrap();
    }
    assert_eq!((left(&sim), sim.metrics().wall_crossings), (before, 0));
    // Opened again it lets them through, and no closing is left over.
    sim.command(Command::SetDoor {
        name: "door".into(),
        open: true,
    });
    for _ in 0..600 {
        sim.step().unwrap();
    }
    assert!(is_open(&sim) && sim.state().closing.is_empty());
    assert_eq!(sim.metrics().arrived, 40);
}

#[test]
fn people_in_a_door_that_closes_at_once_are_moved_to_their_side() {
    let at = crowded();
    let event = format!(
        "[[event]]\nat = {}\nclose = \"door\"\non_people = \"move\"\n",
        at as f64 / 10.0
    );
    let mut sim = build(&event, 1);
    for _ in 0..at {
        sim.step().unwrap();
    }
    assert!(deepest(&sim) > 0.1 && is_open(&sim));
    let origin = sim.ground().origin.as_vec3();
    let side_of = |sim: &Simulation| -> Vec<(u64, bool)> {
        let a = sim.agents();
        let side = |row: usize| (a.id[row], (a.location[row].point + origin).x < 10.0);
        let mut sides: Vec<_> = (0..a.len()).map(side).collect();
        sides.sort_unstable();
        sides
    };
    let before = side_of(&sim);
    sim.step().unwrap();
    assert!(!is_open(&sim));
    assert!(
        deepest(&sim) < 0.02,
        "nobody is in the leaf: {}",
        deepest(&sim)
    );
    assert_eq!(side_of(&sim), before, "the side they were on");
    for _ in 0..100 {
        sim.step().unwrap();
    }
    let m = sim.metrics();
    assert_eq!((m.wall_crossings, m.lost), (0, 0));
}

#[test]
fn closing_doors_change_no_bit_with_threads_or_after_resuming() {
    let at = crowded();
    for how in ["wait", "move"] {
        let event = format!(
            "[[event]]\nat = {}\nclose = \"door\"\non_people = \"{how}\"\n",
            at as f64 / 10.0
        );
        let digests = |sim: &mut Simulation, steps: u64| -> Vec<u64> {
            let step = |_| {
                sim.step().unwrap();
                sim.digest()
            };
            (0..steps).map(step).collect()
        };
        let whole = digests(&mut build(&event, 1), at + 60);
        assert_eq!(whole, digests(&mut build(&event, 3), at + 60), "{how}");
        let cut = at + 1;
        let mut first = build(&event, 2);
        digests(&mut first, cut);
        let mut second = build(&event, 1);
        second.restore(&first.snapshot()).unwrap();
        assert_eq!(digests(&mut second, 59), whole[cut as usize..], "{how}");
    }
}

/// The near goal lies behind a wall; the far one does not.
fn walled() -> Environment {
    let at = DVec2::new;
    Environment {
        floors: vec![Floor {
            walkable: vec![Polygon::rectangle(DVec2::ZERO, at(40.0, 20.0))],
            thin_walls: vec![vec![at(10.0, 0.0), at(10.0, 19.0)]],
            ..Floor::default()
        }],
        areas: vec![
            area("start", [6.0, 1.0], [8.0, 3.0]),
            area("behind", [12.0, 1.0], [14.0, 3.0]),
            area("open", [1.0, 16.0], [3.0, 18.0]),
        ],
        ..Environment::default()
    }
}

#[test]
fn the_nearest_goal_is_that_with_the_shortest_walk() {
    let text = r#"
name = "nearest"
seed = 1
duration = 1.0
[[source]]
area = "start"
count = 4
goals = ["behind", "open"]
"#;
    for (planner, expected) in [("astar", "open"), ("direct", "behind")] {
        let mut sim = Simulation::builder()
            .set(format!("planner.kind=\"{planner}\""))
            .world_with(walled(), text, throng::registry())
            .unwrap();
        sim.step().unwrap();
        let areas = &sim.place().areas;
        for goal in &sim.agents().goal {
            assert_eq!(areas[*goal as usize].name, expected, "{planner}");
        }
    }
}

#[test]
fn an_obstacle_that_the_map_does_not_know_is_walked_round() {
    let mut environment = rooms();
    environment.doors.clear();
    environment.floors[0].thin_walls.clear();
    let at = DVec2::new;
    environment.obstacles.push(Obstacle {
        floor: 0,
        shape: Polygon::rectangle(at(11.0, 0.5), at(12.0, 9.0)),
    });
    let text = CROWD.replace("count = 40", "count = 12");
    let mut sim = Simulation::builder()
        .world_with(environment, &text, throng::registry())
        .unwrap();
    for _ in 0..600 {
        sim.step().unwrap();
    }
    let m = sim.metrics();
    let origin = sim.ground().origin.as_vec3();
    let places = sim.agents().location.iter().map(|l| l.point + origin);
    let left: Vec<_> = places.zip(&sim.agents().aim).collect();
    assert_eq!(m.arrived, 12, "left behind the bench: {left:?}");
    assert_eq!(m.wall_crossings, 0);
}
