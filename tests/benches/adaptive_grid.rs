//! Adaptive grids and next-hop on a city block: growing the rectangles of 512 x 512 cells, the
//! table of next edges between all pairs of 685 rectangles, and what guiding costs a person.
//!
//! `cargo bench -p throng-tests --bench adaptive_grid [-- ROUNDS] [PART] [PEOPLE]`, PART being
//! adaptation, table or look-up. The figures are medians, of one thread where not said otherwise.

use std::time::Instant;

use throng::Simulation;
use throng_core::{
    GuideChunk, GuideOut, MemoryRows, Scratch,
    random::{Purpose, Stream},
};
use throng_kit::search::{Incoming, Terms};
use throng_nav_adaptive_grid::{QueueKind, Rules, Seeding, Sheet, grow};
use throng_search::{Hops, Method};

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

fn millis(act: impl FnOnce()) -> f64 {
    let began = Instant::now();
    act();
    began.elapsed().as_secs_f64() * 1e3
}

const CITY_BLOCK: &str = r#"
name = "adaptive-grid"
seed = 5
dt = 0.1
duration = 100000.0
[environment]
generate = "city-block"
drawn = "height-map"
[nav]
kind = "adaptive-grid"
[planner]
kind = "next-hop"
[avoidance]
kind = "social-force"
"#;

/// The doors and street exits of the block.
fn places() -> Vec<String> {
    let doors = (1..=33).map(|i| format!("door-{i}"));
    doors.chain((1..=20).map(|i| format!("exit-{i}"))).collect()
}

/// The block with so many people between doors and exits.
fn city_block(people: usize, sets: &[String], threads: usize) -> Simulation {
    let goals: Vec<String> = places().iter().map(|p| format!("{p:?}")).collect();
    let source = match people {
        0 => String::new(),
        _ => format!(
            "[[source]]\narea = \"everything\"\nhold = {people}\ngoals = [{}]\nchoose = \"random\"\n",
            goals.join(", ")
        ),
    };
    let mut builder = Simulation::builder().threads(threads);
    for set in sets {
        builder = builder.set(set);
    }
    builder
        .text(&format!("{CITY_BLOCK}{source}"))
        .expect("a scenario")
}

const SEEDINGS: [(Seeding, u32); 11] = [
    (Seeding::Single, 0),
    (Seeding::Border, 0),
    (Seeding::Random, 10),
    (Seeding::Random, 50),
    (Seeding::Random, 100),
    (Seeding::Random, 500),
    (Seeding::Sampled, 8),
    (Seeding::Sampled, 16),
    (Seeding::Sampled, 32),
    (Seeding::Sampled, 64),
    (Seeding::Sampled, 128),
];
const QUEUES: [QueueKind; 4] = [
    QueueKind::Fifo,
    QueueKind::Stack,
    QueueKind::MinHeap,
    QueueKind::MaxHeap,
];

fn adaptation(rounds: usize) {
    let simulation = city_block(0, &[], 1);
    let cells = simulation.place().cells.as_ref().expect("cells");
    let (width, height) = (cells.width as usize, cells.height as usize);
    let free: Vec<bool> = (0..height)
        .rev()
        .flat_map(|row| &cells.walkable[row * width..(row + 1) * width])
        .map(|walkable| *walkable != 0)
        .collect();
    let sheet = Sheet::of_image(cells.width, cells.height, &free);
    let (mut all, mut worst) = (Vec::new(), (0.0, String::new()));
    for (seeding, number) in SEEDINGS {
        for queue in QUEUES {
            let rules = Rules {
                queue,
                seeding,
                count: number,
                period: number,
                ..Rules::default()
            };
            let mut times: Vec<f64> = (0..rounds)
                .map(|_| {
                    let mut random = Stream::new(1, 0, Purpose::Strategy, 0);
                    millis(|| assert!(!grow(&sheet, &rules, &mut random).seeds.is_empty()))
                })
                .collect();
            let time = median(&mut times);
            if time > worst.0 {
                worst = (time, format!("{seeding} {number}, {queue}"));
            }
            all.push(time);
        }
    }
    println!(
        "adaptation of {width} x {height} cells, 44 ways: median {:.2} ms, slowest {:.2} ms ({})",
        median(&mut all),
        worst.0,
        worst.1
    );
}

fn table(rounds: usize) {
    let sets = [String::from("nav.period=32")];
    let simulation = city_block(0, &sets, 1);
    let map = simulation.map();
    let terms = Terms::lengths(map, &[], 0.24);
    let incoming = Incoming::of(map);
    let all: Vec<Vec<u32>> = (0..map.nodes() as u32).map(|n| vec![n]).collect();
    for method in [Method::Dijkstra, Method::FloydWarshall] {
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().expect("threads");
            let mut bytes = 0;
            let mut times: Vec<f64> = (0..rounds)
                .map(|_| {
                    millis(|| {
                        let make = || Hops::new(&terms, &incoming, &all, method);
                        bytes = pool.install(make).bytes();
                    })
                })
                .collect();
            println!(
                "table between all pairs of {} rectangles, {method}, threads {threads}: {:.1} ms, \
                 {bytes} bytes",
                map.nodes(),
                median(&mut times)
            );
        }
    }
}

/// What the planner's call takes for everybody where they stand, nanoseconds per person.
fn call(simulation: &Simulation, rounds: usize) -> f64 {
    const CHUNK: usize = 256;
    let world = simulation.world();
    let people = world.agents.len();
    let rows: Vec<u32> = (0..people as u32).collect();
    let planner = &simulation.parts().planners[0].strategy;
    let columns = planner.memory().scalars.len();
    let mut kept = vec![0.0; people * columns];
    let [mut preferred, mut target] = [(); 2].map(|()| vec![glam::Vec2::ZERO; CHUNK]);
    let mut follow_route = vec![0; CHUNK];
    let mut scratch = Scratch::default();
    let mut times: Vec<f64> = (0..rounds * 10 + 1)
        .map(|_| {
            millis(|| {
                for (rows, kept) in rows.chunks(CHUNK).zip(kept.chunks_mut(CHUNK * columns)) {
                    let count = rows.len();
                    follow_route.fill(0);
                    planner.guide(
                        &world,
                        &GuideChunk { rows, dt: 0.1 },
                        &mut scratch,
                        &mut GuideOut {
                            preferred: &mut preferred[..count],
                            target: &mut target[..count],
                            follow_route: &mut follow_route[..count],
                            memory: MemoryRows {
                                scalars: kept,
                                ..MemoryRows::default()
                            },
                        },
                    );
                }
            }) * 1e6
                / people as f64
        })
        .collect();
    median(&mut times)
}

fn look_up(rounds: usize, people: usize) {
    for field in ["gate-center", "gate-coverage", "continuous"] {
        let side = if people > 20_000 { 1024 } else { 256 };
        let sets = [
            format!("planner.field={field}"),
            format!("environment.side={side}"),
        ];
        let mut simulation = city_block(people, &sets, 1);
        // People who have just set out are all looked up anew.
        (0..20).for_each(|_| simulation.step().expect("a step"));
        let mut stages: Vec<f64> = (0..rounds * 10)
            .map(|_| {
                let before = simulation.metrics().stages.guide;
                simulation.step().expect("a step");
                let spent = simulation.metrics().stages.guide - before;
                spent.as_secs_f64() * 1e9 / simulation.agents().len() as f64
            })
            .collect();
        println!(
            "{people} people, {field}: stage guide {:.1} ns per person and step, of it the \
             planner's call {:.1} ns",
            median(&mut stages),
            call(&simulation, rounds)
        );
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = arguments.iter().filter_map(|a| a.parse().ok()).collect();
    let rounds = numbers.first().copied().unwrap_or(11).max(1);
    let parts = ["adaptation", "table", "look-up"];
    let named = |part: &str| arguments.iter().any(|a| a == part);
    let wanted = |part: &str| named(part) || !parts.into_iter().any(named);
    if wanted("adaptation") {
        adaptation(rounds);
    }
    if wanted("table") {
        table(rounds);
    }
    if wanted("look-up") {
        let people = match numbers.get(1) {
            Some(&people) => vec![people.max(1)],
            None => vec![500, 5000, 100_000],
        };
        people.into_iter().for_each(|p| look_up(rounds, p));
    }
}
