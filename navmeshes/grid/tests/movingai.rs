//! Every query of the MovingAI scenarios at hand: routes are as long as their listed optimum.

use std::{fs, path::Path, time::Instant};

use glam::{DVec2, Vec2};
use rayon::prelude::*;
use throng_core::{Attachment, FileCellsView, Location, NavMap, NavRepresentation, Site};
use throng_kit::{
    Ground, Walk,
    environment::{Environment, FileCells, Floor},
    search::{Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route},
};
use throng_nav_grid::Grid;

fn cells_of(text: &str) -> FileCells {
    let number = |key: &str| {
        let line = text.lines().find(|l| l.starts_with(key)).unwrap();
        line[key.len()..].trim().parse::<usize>().unwrap()
    };
    let (width, height) = (number("width"), number("height"));
    let rows = text.lines().skip_while(|l| l.trim() != "map").skip(1);
    FileCells {
        low: DVec2::ZERO,
        cell: 1.0,
        width,
        height,
        walkable: rows
            .take(height)
            .flat_map(|row| {
                row.bytes()
                    .take(width)
                    .map(|b| matches!(b, b'.' | b'G' | b'S'))
            })
            .collect(),
    }
}

#[test]
fn listed_optima_are_met() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/movingai");
    let names = ["arena", "den312d", "32room_000"];
    if !names
        .iter()
        .all(|n| folder.join(format!("{n}.map.scen")).exists())
    {
        eprintln!("skipped: no ../shared/data/movingai beside the workspace");
        return;
    }
    for name in names {
        let cells = cells_of(&fs::read_to_string(folder.join(format!("{name}.map"))).unwrap());
        let bytes: Vec<u8> = cells.walkable.iter().map(|w| u8::from(*w)).collect();
        let environment = Environment {
            floors: vec![Floor::default()],
            cells: Some(cells.clone()),
            ..Environment::default()
        };
        let started = Instant::now();
        let ground = Ground::from_environment(&environment).unwrap();
        let ground_ms = started.elapsed().as_secs_f64() * 1e3;
        let view = ground.view();
        let site = Site {
            ground: view,
            file_cells: Some(FileCellsView {
                low: view.from_world(cells.low.extend(0.0)).truncate(),
                cell: 1.0,
                width: cells.width as u32,
                height: cells.height as u32,
                walkable: &bytes,
            }),
            seed: 0,
        };
        let (mut grid, mut map) = (Grid::default(), NavMap::default());
        let started = Instant::now();
        grid.build(&site, &mut map).unwrap();
        let build_ms = started.elapsed().as_secs_f64() * 1e3;
        map.check().unwrap();
        let walkable = cells.walkable.iter().filter(|w| **w).count();
        assert_eq!(map.nodes(), walkable, "{name}");
        assert!((map.covered_area() - walkable as f64).abs() < 0.01);

        let heuristic = Heuristic::of(&map);
        let scen = fs::read_to_string(folder.join(format!("{name}.map.scen"))).unwrap();
        let lines: Vec<&str> = scen
            .lines()
            .skip(1)
            .filter(|l| !l.trim().is_empty())
            .collect();
        let queries = lines.len();
        let answer = |scratch: &mut SearchScratch, line: &&str| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let number = |i: usize| fields[i].parse::<f64>().unwrap();
            let place = |x: f64, y: f64| -> Location {
                let centre = view.from_world(DVec2::new(x + 0.5, y + 0.5).extend(0.0));
                view.locate_plan(Vec2::new(centre.x, centre.y), None)
                    .unwrap()
            };
            let places = [place(number(4), number(5)), place(number(6), number(7))];
            let mut attached = [Attachment::NOWHERE; 2];
            let started = Instant::now();
            grid.attach(&site, &map, &places, &[u32::MAX; 2], &mut attached);
            let query = RouteQuery {
                terms: Terms::lengths(&map, &[], 0.0),
                from: attached[0],
                to: attached[1],
                heuristic,
                greed: 1.0,
                most_expansions: 0,
                horizon: Horizon::NONE,
                old_tail: &[],
            };
            let found = find_route(&query, scratch).unwrap();
            let micros = started.elapsed().as_secs_f64() * 1e6;
            let length =
                found.length + f64::from(attached[0].distance) + f64::from(attached[1].distance);
            assert!(
                (length - number(8)).abs() < 1e-3,
                "{name}: {line}: found {length}"
            );
            micros
        };
        let mut micros: Vec<f64> = lines
            .par_iter()
            .map_init(SearchScratch::default, answer)
            .collect();
        micros.sort_by(f64::total_cmp);
        println!(
            "{name}: {queries} queries, median {:.0} us, mean {:.0} us, worst {:.0} us; \
             {} triangles and {} walls in {ground_ms:.0} ms, {} nodes and {} edges in \
             {build_ms:.0} ms, {} bytes",
            micros[micros.len() / 2],
            micros.iter().sum::<f64>() / micros.len() as f64,
            micros[micros.len() - 1],
            view.triangles.len(),
            view.walls.len(),
            map.nodes(),
            map.edges(),
            map.bytes() + grid.bytes(),
        );
    }
}
