//! Grids of files made by the test, against petgraph on the cells themselves.

use glam::DVec2;
use petgraph::{algo::dijkstra, graph::NodeIndex, graph::UnGraph};
use throng_core::{FileCellsView, NONE, NavMap, NavRepresentation, Site};
use throng_kit::{
    Ground, Walk,
    environment::{Environment, FileCells, Floor},
    search::{DistanceTree, Incoming, SearchScratch, Terms, Toward, distance_tree},
};
use throng_nav_grid::Grid;

/// A file of random blocks and single cells.
fn generated(seed: u32, width: usize, height: usize, cell: f64) -> FileCells {
    let mut x = seed;
    let mut draw = |below: usize| {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (x >> 8) as usize % below
    };
    let mut walkable = vec![true; width * height];
    for _ in 0..width * height / 60 {
        let (left, low) = (draw(width), draw(height));
        let (wide, high) = (1 + draw(5), 1 + draw(5));
        for y in low..(low + high).min(height) {
            walkable[y * width + left..y * width + (left + wide).min(width)].fill(false);
        }
    }
    FileCells {
        low: DVec2::new(3.5, -7.25),
        cell,
        width,
        height,
        walkable,
    }
}

fn build(cells: &FileCells, cell: f32) -> (Ground, NavMap) {
    let environment = Environment {
        floors: vec![Floor::default()],
        cells: Some(cells.clone()),
        ..Environment::default()
    };
    let ground = Ground::from_environment(&environment).unwrap();
    let bytes: Vec<u8> = cells.walkable.iter().map(|w| u8::from(*w)).collect();
    let view = ground.view();
    let site = Site {
        ground: view,
        file_cells: Some(FileCellsView {
            low: view.from_world(cells.low.extend(0.0)).truncate(),
            cell: cells.cell as f32,
            width: cells.width as u32,
            height: cells.height as u32,
            walkable: &bytes,
        }),
        seed: 0,
    };
    let mut map = NavMap::default();
    let mut grid = Grid::of_cell(cell);
    grid.build(&site, &mut map).unwrap();
    map.check().unwrap();
    let area = cells.walkable.iter().filter(|w| **w).count() as f64 * cells.cell * cells.cell;
    assert!((map.covered_area() - area).abs() < 1e-3 * area);
    (ground, map)
}

#[test]
fn distances_are_petgraphs_on_files_of_every_scale() {
    for (seed, cell) in [(1, 1.0), (2, 0.5), (3, 0.3), (4, 2.5)] {
        let cells = generated(seed, 61, 47, cell);
        let (width, height) = (cells.width as i64, cells.height as i64);
        let free = |x: i64, y: i64| {
            x >= 0 && y >= 0 && x < width && y < height && cells.walkable[(y * width + x) as usize]
        };
        let mut graph = UnGraph::<(), f64>::new_undirected();
        for _ in 0..width * height {
            graph.add_node(());
        }
        let index = |x: i64, y: i64| NodeIndex::new((y * width + x) as usize);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            for (dx, dy) in [(1, 0), (0, 1), (1, 1), (-1, 1)] {
                let ends = free(x, y) && free(x + dx, y + dy);
                if ends && free(x + dx, y) && free(x, y + dy) {
                    let length = ((dx * dx + dy * dy) as f64).sqrt() * cell;
                    graph.add_edge(index(x, y), index(x + dx, y + dy), length);
                }
            }
        }
        let (ground, map) = build(&cells, 0.0);
        assert_eq!(map.nodes(), cells.walkable.iter().filter(|w| **w).count());
        assert_eq!(map.edges(), 2 * graph.edge_count());
        let view = ground.view();
        let cell_of = |node: usize| {
            let place = (view.to_world(map.node_place[node]).truncate() - cells.low) / cell;
            index(place.x.floor() as i64, place.y.floor() as i64)
        };
        let mut scratch = SearchScratch::default();
        let mut tree = DistanceTree::default();
        for source in [0, map.nodes() / 2, map.nodes() - 1] {
            let wanted = dijkstra(&graph, cell_of(source), None, |e| *e.weight());
            let terms = Terms::lengths(&map, &[], 0.0);
            let incoming = Incoming::of(&map);
            let sources = [(source as u32, 0.0)];
            distance_tree(
                &terms,
                &sources,
                Toward::Sources,
                &incoming,
                &mut scratch,
                &mut tree,
            );
            for n in 0..map.nodes() {
                match wanted.get(&cell_of(n)) {
                    None => assert_eq!(tree.cost[n], f32::INFINITY),
                    Some(&cost) => {
                        assert!((f64::from(tree.cost[n]) - cost).abs() < 1e-4 * (1.0 + cost));
                    }
                }
                assert_eq!(
                    tree.edge[n] == NONE,
                    n == source || tree.cost[n].is_infinite()
                );
            }
        }
    }
}

/// Finer cells on the same file must be traced; no step may cross a wall or cut a corner.
#[test]
fn finer_cells_stay_within_the_file() {
    let cells = generated(9, 30, 22, 1.0);
    let (ground, map) = build(&cells, 0.4);
    let view = ground.view();
    let free = |at: DVec2| {
        let scaled = (at - cells.low).floor();
        let inside = scaled.x >= 0.0 && scaled.y >= 0.0 && scaled.x < 30.0 && scaled.y < 22.0;
        inside && cells.walkable[scaled.y as usize * 30 + scaled.x as usize]
    };
    assert!(map.nodes() > 2 * cells.walkable.iter().filter(|w| **w).count());
    for e in 0..map.edges() {
        let [a, b] = [map.edge_from[e], map.edge_to[e]]
            .map(|n| view.to_world(map.node_place[n as usize]).truncate());
        for i in 0..=20 {
            let at = a + (b - a) * (f64::from(i) / 20.0);
            assert!(free(at), "{a} {b}");
        }
        for beside in [DVec2::new(a.x, b.y), DVec2::new(b.x, a.y)] {
            assert!(free(beside), "{a} {b}");
        }
    }
}
