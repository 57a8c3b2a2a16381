//! Goals that hold people up: queues at desks, and waiting areas.

use glam::DVec2;
use throng::{
    AgentId, Command, Simulation,
    environment::{Environment, Floor, Polygon},
};

fn room() -> Environment {
    let walkable = vec![Polygon::rectangle(DVec2::ZERO, DVec2::new(30.0, 20.0))];
    Environment {
        floors: vec![Floor {
            walkable,
            ..Floor::default()
        }],
        ..Environment::default()
    }
}

/// People from the left go to the middle of the room and leave on the right.
fn scenario(goal: &str, count: u32) -> String {
    format!(
        r#"
name = "held up"
seed = 4
duration = 200.0
[[area]]
name = "start"
shape = [[1, 6], [6, 6], [6, 14], [1, 14]]
[[area]]
name = "desk"
shape = [[14, 14], [17, 14], [17, 16], [14, 16]]
[[area]]
name = "lounge"
shape = [[12, 6], [20, 6], [20, 13], [12, 13]]
[[area]]
name = "exit"
shape = [[27, 8], [30, 8], [30, 12], [27, 12]]
{goal}
[[source]]
area = "start"
count = {count}
goals = ["desk", "exit"]
choose = "order"
"#
    )
}

const QUEUE: &str = "[[goal]]\narea = 'desk'\nserve = 5.0\nqueue = [[15.5, 13], [15.5, 6]]\n";

fn build(text: &str, threads: usize) -> Simulation {
    Simulation::builder()
        .threads(threads)
        .world_with(room(), text, throng::registry())
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Steps until everybody has gone; gives the steps at which somebody left.
fn departures(sim: &mut Simulation, most: u64) -> Vec<u64> {
    let mut steps = Vec::new();
    while sim.steps() < most && !sim.is_over() {
        let before = sim.metrics().arrived;
        sim.step().unwrap();
        for _ in before..sim.metrics().arrived {
            steps.push(sim.steps());
        }
        let m = sim.metrics();
        assert_eq!((m.lost, m.wall_crossings, m.not_finite), (0, 0, 0));
    }
    steps
}

#[test]
fn one_desk_serves_one_after_the_other() {
    let mut sim = build(&scenario(QUEUE, 8), 1);
    let gone = departures(&mut sim, 2000);
    assert_eq!(gone.len(), 8, "everybody is served and leaves");
    // 8 services of 5 s in a row, between which the next one walks up.
    assert!(*gone.last().unwrap() > 400, "{gone:?}");
    let hold = &sim.state().holds.all[0];
    let figures = hold.figures;
    assert_eq!((figures.visits, hold.present()), (8, 0));
    assert!((4..=7).contains(&figures.longest_queue), "{figures:?}");
    // The last one waits for seven others, less the time by which it came later.
    assert!(figures.longest_wait > 250, "{figures:?}");
    assert!(sim.metrics().overlap_deepest < 0.05);
    assert_eq!(sim.metrics().arrivals, 16, "a desk and an exit each");

    let two = QUEUE.replace("serve", "servers = 2\nserve");
    let mut sim = build(&scenario(&two, 8), 1);
    let faster = departures(&mut sim, 2000);
    let wait = |f: throng_engine::holds::HoldFigures| f.waited as f64 / f.visits as f64;
    let half = wait(sim.state().holds.all[0].figures);
    assert!(faster.last() < gone.last());
    assert!(half < 0.7 * wait(figures), "{half} of {}", wait(figures));
}

#[test]
fn people_stand_in_line_and_move_up() {
    let slow = QUEUE.replace("5.0", "40.0");
    let mut sim = build(&scenario(&slow, 8), 1);
    for _ in 0..350 {
        sim.step().unwrap();
    }
    let places = sim.state().holds.all[0].places.clone();
    let alone_at = |sim: &Simulation, place: usize| {
        let near = |l: &&throng_core::Location| l.point.distance(places[place].point) < 0.4;
        sim.agents().location.iter().filter(near).count() == 1
    };
    assert!((0..7).all(|p| alone_at(&sim, p)), "seven stand in line");
    assert!(!alone_at(&sim, 7));
    let moving = sim.agents().velocity.iter().filter(|v| v.length() > 0.1);
    assert_eq!(moving.count(), 0, "nobody shuffles about");
    // Without the one who is being served they move up by one.
    let desk = sim.state().holds.all[0].desks[0].point;
    let agents = sim.agents();
    let near = |row: &usize| agents.location[*row].point.distance(desk) < 0.6;
    let served = (0..agents.len()).find(near).unwrap();
    let id = AgentId(agents.id[served]);
    sim.command(Command::Remove(id));
    for _ in 0..60 {
        sim.step().unwrap();
    }
    assert!((0..6).all(|p| alone_at(&sim, p)) && !alone_at(&sim, 6));
}

#[test]
fn without_a_line_people_wait_inside_the_area() {
    let inside = "[[goal]]\narea = 'desk'\nserve = 4.0\nspacing = 0.7\n";
    let mut sim = build(&scenario(inside, 4), 1);
    let gone = departures(&mut sim, 1500);
    assert_eq!(gone.len(), 4);
    assert!(
        *gone.last().unwrap() - gone[0] >= 110,
        "4 s for each: {gone:?}"
    );
}

#[test]
fn everybody_waits_for_its_time_or_for_the_release() {
    let wait = "[[goal]]\narea = 'lounge'\nwait = 10.0\n";
    let text = scenario(wait, 20).replace("\"desk\", \"exit\"", "\"lounge\", \"exit\"");
    let mut sim = build(&text, 1);
    assert_eq!(departures(&mut sim, 1500).len(), 20);
    let figures = sim.state().holds.all[0].figures;
    assert_eq!(
        (figures.visits, figures.waited),
        (20, 20 * 100),
        "10 s each"
    );

    let call = "[[goal]]\narea = 'lounge'\nrelease = 'boarding'\n";
    let text = text.replace(wait, call) + "[[event]]\nat = 60.0\nrelease = 'boarding'\n";
    let mut sim = build(&text, 1);
    for _ in 0..599 {
        sim.step().unwrap();
    }
    assert_eq!(sim.state().holds.all[0].present(), 20);
    let near = |a: glam::Vec3, b: glam::Vec3| a.distance(b) < 0.5;
    let at = &sim.agents().location;
    for i in 0..at.len() {
        assert!(
            (0..i).all(|j| !near(at[i].point, at[j].point)),
            "a place each"
        );
    }
    for _ in 0..3 {
        sim.step().unwrap();
    }
    assert_eq!(sim.state().holds.all[0].present(), 0);
    sim.command(Command::Release("bording".into()));
    sim.step().unwrap();
    assert!(format!("{:?}", sim.events()).contains("bording"));
    assert_eq!(departures(&mut sim, 1500).len(), 20);
}

#[test]
fn threads_and_resuming_change_no_bit() {
    let both = format!("{QUEUE}[[goal]]\narea = 'lounge'\nwait = {{ uniform = [2, 9] }}\n");
    let text = scenario(&both, 10).replace("\"desk\", ", "\"desk\", \"lounge\", ");
    let digests = |sim: &mut Simulation, steps: usize| -> Vec<u64> {
        let step = |_| {
            sim.step().unwrap();
            sim.digest()
        };
        (0..steps).map(step).collect()
    };
    let whole = digests(&mut build(&text, 1), 500);
    assert_eq!(whole, digests(&mut build(&text, 3), 500));
    for cut in [60, 130, 333] {
        let mut first = build(&text, 2);
        digests(&mut first, cut);
        let mut second = build(&text, 1);
        second.restore(&first.snapshot()).unwrap();
        assert_eq!(
            digests(&mut second, 500 - cut),
            whole[cut..],
            "cut at {cut}"
        );
    }
}

#[test]
fn a_queue_that_nobody_can_stand_in_is_refused_with_its_place() {
    let cases = [
        ("queue = [[15.5, 13], [15.5, 40]]", "goal[0].queue[1]"),
        ("queue = [[15.5, 13], [29.95, 13]]", "goal[0].queue"),
        (
            "servers = 900\nqueue = [[15.5, 13], [15.5, 6]]",
            "goal[0].servers",
        ),
    ];
    for (queue, key) in cases {
        let goal = format!("[[goal]]\narea = 'desk'\nserve = 5.0\n{queue}\n");
        let built =
            Simulation::builder().world_with(room(), &scenario(&goal, 2), throng::registry());
        let said = built.unwrap_err().to_string();
        assert!(said.contains(key), "{queue}: {said}");
    }
}

#[test]
fn everybody_in_the_hall_gets_through_its_queues() {
    let file = throng_tests::scenario("hall.toml");
    let mut sim = Simulation::builder().threads(1).file(file).unwrap();
    for _ in 0..3300 {
        sim.step().unwrap();
    }
    let m = sim.metrics();
    assert_eq!((m.lost, m.wall_crossings, m.unreachable), (0, 0, 0));
    assert!(m.overlap_deepest < 0.1, "{}", m.overlap_deepest);
    // Boarding was called half a minute ago: most of those who were in the lounge have left.
    assert!(m.arrived >= 25, "{} of {}", m.arrived, m.spawned);
    for hold in &sim.state().holds.all {
        let (f, name) = (hold.figures, &sim.place().areas[hold.area as usize].name);
        match name.split('-').next() {
            Some("check") => assert_eq!((f.visits, hold.present()), (20, 0), "{name}"),
            Some("security") => assert!(f.visits >= 28 && f.longest_queue >= 8, "{name}: {f:?}"),
            _ => assert!(f.longest_wait <= 2400 && f.visits >= 40, "{name}: {f:?}"),
        }
    }
}
