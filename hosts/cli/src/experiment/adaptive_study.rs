//! The 132 adaptive grids of the thesis on one image: chapters 4 and 5.1; and the fields of 3.1.3.3.

use std::time::Instant;

use glam::Vec2;
use serde_json::{Value, json};
use throng::{
    Simulation,
    core::{
        GuideChunk, GuideOut, MemoryRows, NONE, NavMap, Scratch, math,
        random::{Purpose, Stream},
    },
};
use throng_kit::search::{Incoming, Terms};
use throng_nav_adaptive_grid::{
    Measures, Metric, Partition, QueueKind, Rules, Seeding, Sheet, Truth, grow, joins, quadtree,
};
use throng_search::{CellBoxes, FieldKind, Hops, Method, Walker};

use super::{
    Column, Experiment, Grid, Study,
    adaptive::{
        PAPER, city_block, direction_colour, partition_picture, pixels, places, sheet_of, sources,
    },
};
use crate::{
    draw::{Axis, Chart, Colour, Drawn, Labels},
    failure::Failure,
};

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "adaptive-study",
    about: "132 adaptive grids of a city block (11 initialisations, 4 queues, 3 metrics): seeds, \
            sizes, aspect ratios, errors; a quadtree beside; three vector fields.",
    source: PAPER,
    run,
};

const INITIALISATIONS: [(&str, Seeding, u32); 11] = [
    ("Sng", Seeding::Single, 0),
    ("Bor", Seeding::Border, 0),
    ("R10", Seeding::Random, 10),
    ("R50", Seeding::Random, 50),
    ("R100", Seeding::Random, 100),
    ("R500", Seeding::Random, 500),
    ("S8", Seeding::Sampled, 8),
    ("S16", Seeding::Sampled, 16),
    ("S32", Seeding::Sampled, 32),
    ("S64", Seeding::Sampled, 64),
    ("S128", Seeding::Sampled, 128),
];
const QUEUES: [QueueKind; 4] = [
    QueueKind::Fifo,
    QueueKind::Stack,
    QueueKind::MinHeap,
    QueueKind::MaxHeap,
];
const METRICS: [Metric; 3] = [Metric::Manhattan, Metric::Euclidean, Metric::Snd];
const COLOURS: [Colour; 4] = [
    Colour(31, 119, 180, 255),
    Colour(214, 39, 40, 255),
    Colour(44, 160, 44, 255),
    Colour(148, 103, 189, 255),
];

/// One of the 44 partitions with its figures under the three metrics.
struct Row {
    initialisation: &'static str,
    queue: QueueKind,
    milliseconds: f64,
    measures: [Measures; 3],
}

fn run(study: &mut Study) -> Result<(), Failure> {
    let side = study.size(512, 256);
    study.progress(&format!("drawing the city block, {side} x {side} pixels"));
    let environment = city_block(side)?;
    let sheet = sheet_of(&environment)?;
    let truth = Truth::of(&sheet);
    let mut rows = Vec::new();
    for (name, seeding, number) in INITIALISATIONS {
        study.progress(&format!("{name}: 4 queues, 3 metrics"));
        for queue in QUEUES {
            let rules = Rules {
                queue,
                seeding,
                count: number,
                period: number,
                ..Rules::default()
            };
            let began = Instant::now();
            let mut random = Stream::new(1, 0, Purpose::Strategy, 0);
            let partition = grow(&sheet, &rules, &mut random);
            let milliseconds = began.elapsed().as_secs_f64() * 1e3;
            rows.push(Row {
                initialisation: name,
                queue,
                milliseconds,
                measures: measured(&sheet, &partition, &truth),
            });
            let shown = [
                ("Sng", QueueKind::Fifo),
                ("R100", QueueKind::Fifo),
                ("R100", QueueKind::MaxHeap),
                ("S128", QueueKind::Fifo),
            ];
            if shown.contains(&(name, queue)) {
                let drawn = partition_picture(&sheet, &partition)?;
                study.picture(&format!("partition-{name}-{queue}"), &drawn)?;
            }
        }
    }
    let began = Instant::now();
    let squares = quadtree(&sheet);
    let squares_ms = began.elapsed().as_secs_f64() * 1e3;
    let squares_measures = measured(&sheet, &squares, &truth);
    study.picture("partition-quadtree", &partition_picture(&sheet, &squares)?)?;
    tabulate(study, &rows, &squares_measures, squares_ms)?;
    plots(study, &rows)?;
    findings(study, &rows, &squares_measures);
    tables(study, side)?;
    fields(study, side)
}

fn measured(sheet: &Sheet, partition: &Partition, truth: &Truth) -> [Measures; 3] {
    let joins = joins(sheet, partition);
    METRICS.map(|metric| Measures::of(sheet, partition, &joins, metric, truth))
}

fn tabulate(
    study: &mut Study,
    rows: &[Row],
    squares: &[Measures; 3],
    squares_ms: f64,
) -> Result<(), Failure> {
    let mut table = Grid::new(
        "grids",
        "Adaptive grids of one image, and its quadtree",
        [
            Column::new("initialisation", ""),
            Column::new("queue", ""),
            Column::new("metric", ""),
            Column::new("seeds", ""),
            Column::new("mean size", "cells"),
            Column::new("mean aspect ratio", ""),
            Column::new("MSE", "cells2"),
            Column::new("swept", "cells"),
            Column::new("adaptation", "ms"),
        ],
    );
    let mut add = |name: &str, queue: String, measures: &[Measures; 3], ms: f64| {
        for (metric, m) in METRICS.iter().zip(measures) {
            table.row([
                json!(name),
                json!(queue),
                json!(metric.to_string()),
                json!(m.seeds),
                json!(m.mean_size),
                json!(m.mean_aspect),
                json!(m.mse),
                json!(m.swept),
                json!(ms),
            ]);
        }
    };
    for row in rows {
        add(
            row.initialisation,
            row.queue.to_string(),
            &row.measures,
            row.milliseconds,
        );
    }
    add("quadtree", "-".into(), squares, squares_ms);
    study.table(table)
}

fn plots(study: &mut Study, rows: &[Row]) -> Result<(), Failure> {
    type Figure = fn(&Row) -> f64;
    let figures: [(&str, &str, &str, Figure); 6] = [
        ("seeds", "Seed counts", "seeds", |r| {
            r.measures[2].seeds as f64
        }),
        ("sizes", "Mean seed sizes", "cells", |r| {
            r.measures[2].mean_size
        }),
        (
            "aspects",
            "Mean aspect ratios",
            "longer over shorter side",
            |r| r.measures[2].mean_aspect,
        ),
        (
            "mse-snd",
            "MSE, shortest navigable distance",
            "cells2",
            |r| r.measures[2].mse,
        ),
        ("mse-manhattan", "MSE, Manhattan distance", "cells2", |r| {
            r.measures[0].mse
        }),
        ("mse-euclidean", "MSE, Euclidean distance", "cells2", |r| {
            r.measures[1].mse
        }),
    ];
    for (name, title, unit, of) in figures {
        study.picture(name, &plot(rows, title, unit, of)?)?;
    }
    Ok(())
}

fn plot(rows: &[Row], title: &str, unit: &str, of: fn(&Row) -> f64) -> Result<Drawn, Failure> {
    let key: Vec<(String, Colour)> = QUEUES
        .iter()
        .zip(COLOURS)
        .map(|(queue, colour)| (queue.to_string(), colour))
        .collect();
    let most = rows.iter().map(of).fold(0.0, f64::max);
    let mut chart = Chart::new(
        Labels {
            title,
            subtitle: "1 single, 2 border, 3 to 6 random 10, 50, 100, 500, 7 to 11 sampled 8, 16, \
                       32, 64, 128",
            x: "initialisation",
            y: unit,
        },
        Axis {
            low: 0.0,
            high: 12.0,
            step: 1.0,
        },
        Axis::covering(most, 8),
        &key,
    )?;
    for (queue, colour) in QUEUES.iter().zip(COLOURS) {
        let of_queue = rows.iter().filter(|r| r.queue == *queue);
        let points: Vec<(f64, f64)> = of_queue
            .enumerate()
            .map(|(i, row)| (i as f64 + 1.0, of(row)))
            .collect();
        chart.line(&points, 2.0, colour);
        for (x, y) in points {
            chart.spot(x, y, "", colour);
        }
    }
    chart.finish()
}

/// Which initialisation and queue come out best, and whether the thesis is right.
fn findings(study: &mut Study, rows: &[Row], squares: &[Measures; 3]) {
    let snd = |r: &Row| r.measures[2];
    let named = |r: &Row| format!("{} {}", r.initialisation, r.queue);
    let mut by_error: Vec<&Row> = rows.iter().collect();
    by_error.sort_by(|a, b| snd(a).mse.total_cmp(&snd(b).mse));
    let best: Vec<String> = by_error
        .iter()
        .take(5)
        .map(|r| {
            format!(
                "{} (MSE {:.0}, {} seeds)",
                named(r),
                snd(r).mse,
                snd(r).seeds
            )
        })
        .collect();
    study.remark(format!("least MSE under snd: {}", best.join(", ")));
    if let Some(fewest) = rows.iter().min_by_key(|r| snd(r).seeds) {
        study.remark(format!(
            "fewest seeds: {} with {} (MSE {:.0}); the quadtree has {} cells (MSE {:.0}), {:.1} \
             times as many; the thesis' image: 5,953",
            named(fewest),
            snd(fewest).seeds,
            snd(fewest).mse,
            squares[2].seeds,
            squares[2].mse,
            squares[2].seeds as f64 / snd(fewest).seeds as f64,
        ));
    }
    let unbeaten: Vec<String> = by_error
        .iter()
        .filter(|r| {
            let better = |o: &&Row| snd(o).mse <= snd(r).mse && snd(o).seeds <= snd(r).seeds;
            !rows.iter().filter(better).any(|o| named(o) != named(r))
        })
        .map(|r| {
            format!(
                "{} ({} seeds, MSE {:.0})",
                named(r),
                snd(r).seeds,
                snd(r).mse
            )
        })
        .collect();
    study.remark(format!(
        "grids that no other beats in both seeds and MSE: {}",
        unbeaten.join(", ")
    ));
    let mean_of = |of: &dyn Fn(&Row) -> bool| {
        let some: Vec<Measures> = rows.iter().filter(|r| of(r)).map(snd).collect();
        let count = some.len().max(1) as f64;
        let seeds = some.iter().map(|m| m.seeds as f64).sum::<f64>() / count;
        let mse = some.iter().map(|m| m.mse).sum::<f64>() / count;
        (mse, seeds)
    };
    let ranked = |mut of: Vec<(String, (f64, f64))>| {
        of.sort_by(|a, b| a.1.0.total_cmp(&b.1.0));
        let of = of
            .iter()
            .map(|(name, (mse, seeds))| format!("{name} {mse:.0} ({seeds:.0} seeds)"));
        of.collect::<Vec<_>>().join(", ")
    };
    let queues = QUEUES.map(|q| (q.to_string(), mean_of(&|r| r.queue == q)));
    let starts = INITIALISATIONS.map(|(i, ..)| (i.into(), mean_of(&|r| r.initialisation == i)));
    study.remark(format!(
        "mean MSE under snd by queue: {}; by initialisation: {}",
        ranked(queues.into()),
        ranked(starts.into())
    ));
    for name in ["R100", "S128"] {
        let place = by_error
            .iter()
            .position(|r| r.initialisation == name && r.queue == QueueKind::Fifo);
        if let Some(place) = place {
            let row = by_error[place];
            study.remark(format!(
                "{name} with a fifo queue, which the thesis calls most successful: MSE {:.0} with \
                 {} seeds, place {} of {} by MSE",
                snd(row).mse,
                snd(row).seeds,
                place + 1,
                rows.len()
            ));
        }
    }
    let mean = |names: &[&str]| {
        let of: Vec<f64> = rows
            .iter()
            .filter(|r| names.contains(&r.initialisation))
            .map(|r| snd(r).mse)
            .collect();
        of.iter().sum::<f64>() / of.len().max(1) as f64
    };
    let (few, middle, many) = (
        mean(&["Sng", "Bor"]),
        mean(&["R100", "S128"]),
        mean(&["S8", "R500"]),
    );
    study.remark(format!(
        "mean MSE over queues of few seeds (Sng, Bor) {few:.0}, in the middle (R100, S128) \
         {middle:.0}, many (S8, R500) {many:.0}: that few and many err less than the middle (5.1) {}",
        if few < middle && many < middle {
            "holds here"
        } else {
            "does not hold here"
        }
    ));
    let slowest = rows.iter().map(|r| r.milliseconds).fold(0.0, f64::max);
    study.remark(format!(
        "adaptation took at most {slowest:.1} ms a grid; cells taken by the last sweep: at most {}",
        rows.iter().map(|r| snd(r).swept).max().unwrap_or(0)
    ));
}

/// What tables between all pairs take, and a look-up in one.
fn tables(study: &mut Study, side: usize) -> Result<(), Failure> {
    let mut table = Grid::new(
        "tables",
        "Tables of next edges between all pairs",
        [
            Column::new("map", ""),
            Column::new("nodes", ""),
            Column::new("table", "MB"),
            Column::new("Dijkstra", "ms"),
            Column::new("Floyd-Warshall", "ms"),
            Column::new("look-up", "ns"),
            Column::new("look-up with direction", "ns"),
        ],
    );
    for options in [
        "seeds = \"single\"",
        "seeds = \"random\"",
        "partition = \"quadtree\"",
    ] {
        study.progress(&format!("table between all pairs, {options}"));
        let text = scenario(side, 0, FieldKind::Continuous).replace(
            "kind = \"adaptive-grid\"",
            &format!("kind = \"adaptive-grid\"\n{options}"),
        );
        let simulation = study.simulation(&text)?;
        let map = simulation.map();
        let boxes = CellBoxes::of(map).ok_or_else(|| Failure::run("no map of cells"))?;
        let terms = Terms::lengths(map, &[], 0.24);
        let incoming = Incoming::of(map);
        let nodes = map.nodes() as u32;
        let all: Vec<Vec<u32>> = (0..nodes).map(|n| vec![n]).collect();
        let began = Instant::now();
        let hops = Hops::new(&terms, &incoming, &all, Method::Dijkstra);
        let dijkstra = began.elapsed().as_secs_f64() * 1e3;
        let began = Instant::now();
        let floyd = (nodes < 2000).then(|| {
            Hops::new(&terms, &incoming, &all, Method::FloydWarshall);
            began.elapsed().as_secs_f64() * 1e3
        });
        let mut random = Stream::new(2, 0, Purpose::Strategy, 0);
        let asked: Vec<(u32, u32, Vec2)> = (0..100_000)
            .map(|_| {
                let [target, cell] = [(); 2].map(|()| random.below(nodes as usize) as u32);
                (target, cell, map.node_place[cell as usize].point.truncate())
            })
            .collect();
        let began = Instant::now();
        let sum = asked
            .iter()
            .fold(0_u32, |sum, a| sum.wrapping_add(hops.next(map, a.0, a.1)));
        let bare = began.elapsed().as_secs_f64() * 1e9 / asked.len() as f64;
        let began = Instant::now();
        let way = asked.iter().fold(Vec2::ZERO, |sum, &(target, cell, at)| {
            let walker = Walker {
                at,
                radius: 0.24,
                target: at,
            };
            sum + boxes.way(&hops, target, cell, FieldKind::Continuous, &walker)
        });
        let whole = began.elapsed().as_secs_f64() * 1e9 / asked.len() as f64;
        // The sums are used, so that the loops are not left out.
        if sum == 1 && way.x == 0.5 {
            study.progress("a coincidence");
        }
        table.row([
            json!(options.replace('"', "")),
            json!(nodes),
            json!(hops.bytes() as f64 / 1e6),
            json!(dijkstra),
            floyd.map_or(Value::Null, |ms| json!(ms)),
            json!(bare),
            json!(whole),
        ]);
    }
    study.table(table)
}

const FIELDS: [FieldKind; 3] = [
    FieldKind::GateCenter,
    FieldKind::GateCoverage,
    FieldKind::Continuous,
];

fn scenario(side: usize, agents: u64, field: FieldKind) -> String {
    format!(
        r#"
        name = "adaptive-fields"
        seed = 3
        dt = 0.1
        duration = 10000.0
        [environment]
        generate = "city-block"
        drawn = "height-map"
        pixels = {side}
        [nav]
        kind = "adaptive-grid"
        [planner]
        kind = "next-hop"
        field = "{field}"
        [avoidance]
        kind = "social-force"
        {}
        "#,
        sources(agents)
    )
}

/// Jumps of direction at gates, and how close people get there, for the three fields.
fn fields(study: &mut Study, side: usize) -> Result<(), Failure> {
    let mut table = Grid::new(
        "fields",
        "Three fields of directions over one adaptive grid",
        [
            Column::new("field", ""),
            Column::new("largest turn at a gate", "degrees"),
            Column::new("mean turn at gates", "degrees"),
            Column::new("people within 0.5 m of a gate's line", "%"),
            Column::new("others within 0.6 m of them", ""),
            Column::new("others within 0.6 m of the rest", ""),
            Column::new("stacking", ""),
            Column::new("mean speed", "m/s"),
            Column::new("arrived", ""),
            Column::new("look-up", "ns per person and step"),
        ],
    );
    let agents = study.size(2000, 300);
    for field in FIELDS {
        study.progress(&format!("{field}: {agents} people"));
        let mut simulation = study.simulation(&scenario(side, agents, field))?;
        let map = simulation.map();
        let boxes = CellBoxes::of(map).ok_or_else(|| Failure::run("no map of cells"))?;
        let targets = targets(&simulation);
        let terms = Terms::lengths(map, &[], 0.24);
        let hops = Hops::new(&terms, &Incoming::of(map), &targets.0, Method::Dijkstra);
        let (largest, mean) = turns(map, &boxes, &hops, &targets.1, field);
        let drawn = field_picture(&simulation, &boxes, &hops, targets.1[0], field, side)?;
        study.picture(&format!("field-{field}"), &drawn)?;
        let stacking = stack(study, &mut simulation)?;
        let mut row = vec![json!(field.to_string()), json!(largest), json!(mean)];
        row.extend(stacking);
        row.push(json!(look_up(&simulation)));
        table.row(row);
    }
    study.table(table)?;
    study.remark(
        "turns: between directions a millimetre before and behind a gate, at 9 points of every \
         gate that the field leads through, towards all doors and exits; stacking: others near \
         people at gates over others near the rest; look-up: cell, next gate and direction of \
         everybody where they stand, one thread",
    );
    Ok(())
}

/// What guiding everybody takes where they stand, nanoseconds per person: the median of many
/// times, one thread.
fn look_up(simulation: &Simulation) -> f64 {
    const CHUNK: usize = 512;
    let world = simulation.world();
    let people = world.agents.len();
    let rows: Vec<u32> = (0..people as u32).collect();
    let planner = &simulation.parts().planners[0].strategy;
    let columns = planner.memory().scalars.len();
    let mut kept = vec![0.0; people * columns];
    let (mut preferred, mut target) = (vec![Vec2::ZERO; CHUNK], vec![Vec2::ZERO; CHUNK]);
    let mut follow_route = vec![0; CHUNK];
    let mut scratch = Scratch::default();
    let mut times = Vec::new();
    for _ in 0..101 {
        let began = Instant::now();
        for (rows, kept) in rows.chunks(CHUNK).zip(kept.chunks_mut(CHUNK * columns)) {
            let count = rows.len();
            follow_route.fill(0);
            let chunk = GuideChunk { rows, dt: 0.1 };
            let mut out = GuideOut {
                preferred: &mut preferred[..count],
                target: &mut target[..count],
                follow_route: &mut follow_route[..count],
                memory: MemoryRows {
                    scalars: kept,
                    ..MemoryRows::default()
                },
            };
            planner.guide(&world, &chunk, &mut scratch, &mut out);
        }
        times.push(began.elapsed().as_secs_f64() * 1e9 / people.max(1) as f64);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The node and the middle of every door and exit.
fn targets(simulation: &Simulation) -> (Vec<Vec<u32>>, Vec<Vec2>) {
    let site = simulation.place().site();
    let names = places();
    let areas = simulation.place().areas.iter();
    let anchors: Vec<_> = areas
        .filter(|area| names.contains(&area.name))
        .map(|area| area.anchor)
        .collect();
    let mut regions = vec![NONE; anchors.len()];
    let hints = regions.clone();
    let nav = &simulation.parts().nav;
    nav.region_of(&site, simulation.map(), &anchors, &hints, &mut regions);
    (
        regions.into_iter().map(|r| vec![r]).collect(),
        anchors.iter().map(|a| a.point.truncate()).collect(),
    )
}

/// Largest and mean angle between the directions on both sides of a gate, degrees.
fn turns(
    map: &NavMap,
    boxes: &CellBoxes,
    hops: &Hops,
    targets: &[Vec2],
    field: FieldKind,
) -> (f64, f64) {
    const POINTS: u32 = 9;
    const RADIUS: f32 = 0.24;
    let (mut largest, mut sum, mut count) = (0.0_f64, 0.0_f64, 0_u64);
    for (row, &target) in targets.iter().enumerate() {
        let row = row as u32;
        for node in 0..map.nodes() as u32 {
            let edge = hops.next(map, row, node);
            if edge == NONE {
                continue;
            }
            let gate = &map.gates[edge as usize];
            let (left, right) = (gate.left.truncate(), gate.right.truncate());
            let width = left.distance(right);
            // Where a body can be: bodies keep off the ends.
            let free = (width - 2.0 * RADIUS).max(0.0) / width.max(1e-6);
            let through = (right - left).perp().normalize_or_zero();
            for i in 1..=POINTS {
                let share = 0.5 + free * (i as f32 / (POINTS + 1) as f32 - 0.5);
                let at = left + (right - left) * share;
                let way = |cell: u32, at: Vec2| {
                    let walker = Walker {
                        at,
                        radius: RADIUS,
                        target,
                    };
                    let way = boxes.way(hops, row, cell, field, &walker);
                    if way == Vec2::ZERO {
                        (target - at).normalize_or_zero()
                    } else {
                        way
                    }
                };
                let before = way(node, at - through * 1e-3);
                let after = way(map.edge_to[edge as usize], at + through * 1e-3);
                let cosine = f64::from(before.dot(after)).clamp(-1.0, 1.0);
                let turn = math::acos(cosine).to_degrees();
                largest = largest.max(turn);
                sum += turn;
                count += 1;
            }
        }
    }
    (largest, sum / count.max(1) as f64)
}

/// Lets people walk and counts who is near whom, at gates and elsewhere.
fn stack(study: &Study, simulation: &mut Simulation) -> Result<Vec<Value>, Failure> {
    const AT_GATE: f32 = 0.5;
    const NEAR: f32 = 0.6;
    let seconds = study.size(120.0, 15.0);
    let (mut at_gates, mut elsewhere) = ((0_u64, 0_u64), (0_u64, 0_u64));
    while simulation.time() < seconds {
        simulation.step()?;
        if !simulation.steps().is_multiple_of(50) || simulation.time() < seconds / 3.0 {
            continue;
        }
        let agents = simulation.agents();
        let map = simulation.map();
        let places: Vec<Vec2> = agents.location.iter().map(|l| l.point.truncate()).collect();
        let mut regions = vec![NONE; places.len()];
        let hints = regions.clone();
        let site = simulation.place().site();
        let nav = &simulation.parts().nav;
        nav.region_of(&site, map, &agents.location, &hints, &mut regions);
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by(|a, b| places[*a].x.total_cmp(&places[*b].x));
        let mut close = vec![0_u64; places.len()];
        for (i, &a) in order.iter().enumerate() {
            for &b in &order[i + 1..] {
                if places[b].x - places[a].x > NEAR {
                    break;
                }
                if places[a].distance_squared(places[b]) < NEAR * NEAR {
                    close[a] += 1;
                    close[b] += 1;
                }
            }
        }
        for (row, &at) in places.iter().enumerate() {
            if regions[row] as usize >= map.nodes() {
                continue;
            }
            let at_gate = map.edges_of(regions[row]).any(|e| {
                let gate = &map.gates[e];
                let (left, right) = (gate.left.truncate(), gate.right.truncate());
                let across = right - left;
                let along = (at - left).dot(across) / across.length_squared().max(1e-9);
                (left + across * along.clamp(0.0, 1.0)).distance(at) < AT_GATE
            });
            let slot = if at_gate {
                &mut at_gates
            } else {
                &mut elsewhere
            };
            slot.0 += 1;
            slot.1 += close[row];
        }
    }
    let mean = |(people, others): (u64, u64)| others as f64 / people.max(1) as f64;
    let share = at_gates.0 as f64 / (at_gates.0 + elsewhere.0).max(1) as f64;
    Ok(vec![
        json!(share * 100.0),
        json!(mean(at_gates)),
        json!(mean(elsewhere)),
        json!(mean(at_gates) / mean(elsewhere).max(1e-9)),
        json!(simulation.metrics().mean_speed()),
        json!(simulation.metrics().arrived),
    ])
}

/// The field towards one door, a pixel a cell, as the thesis draws it.
fn field_picture(
    simulation: &Simulation,
    boxes: &CellBoxes,
    hops: &Hops,
    target: Vec2,
    field: FieldKind,
    side: usize,
) -> Result<Drawn, Failure> {
    let site = simulation.place().site();
    let map = simulation.map();
    let Some(cells) = site.file_cells else {
        return Err(Failure::run("the scene has no cells"));
    };
    let nav = &simulation.parts().nav;
    let mut ways = vec![None; side * side];
    for (i, way) in ways.iter_mut().enumerate() {
        let (column, row) = (i % side, side - 1 - i / side);
        if cells.walkable[row * side + column] == 0 {
            continue;
        }
        let at = cells.low + Vec2::new(column as f32 + 0.5, row as f32 + 0.5) * cells.cell;
        let Some(place) = throng_kit::Walk::locate_plan(&site.ground, at, None) else {
            continue;
        };
        let mut region = [NONE];
        nav.region_of(&site, map, &[place], &[NONE], &mut region);
        if (region[0] as usize) < map.nodes() {
            let walker = Walker {
                at,
                radius: 0.24,
                target,
            };
            *way = Some(boxes.way(hops, 0, region[0], field, &walker));
        }
    }
    pixels(side as u32, side as u32, |x, y| {
        match ways[y as usize * side + x as usize] {
            Some(way) => direction_colour(way),
            None => [0, 0, 60],
        }
    })
}
