//! Closed forms on small surfaces.

use glam::DVec3;
use throng_kit::{Ground, environment::Mesh};

use super::*;

fn grid(width: u32, height: u32, cell: f64) -> Mesh {
    let mut mesh = Mesh::default();
    for j in 0..=height {
        for i in 0..=width {
            mesh.vertices
                .push(DVec3::new(f64::from(i) * cell, f64::from(j) * cell, 0.0));
        }
    }
    for j in 0..height {
        for i in 0..width {
            let a = j * (width + 1) + i;
            let c = a + width + 1;
            mesh.triangles.push([a, a + 1, c + 1]);
            mesh.triangles.push([a, c + 1, c]);
        }
    }
    mesh
}

fn build(mesh: &Mesh) -> (Ground, SurfaceMap, NavMap) {
    let ground = Ground::from_mesh(mesh).unwrap();
    let (mut nav, mut map) = (SurfaceMap::default(), NavMap::default());
    let site = Site {
        ground: ground.view(),
        file_cells: None,
        seed: 0,
    };
    nav.build(&site, &mut map).unwrap();
    map.check().unwrap();
    (ground, nav, map)
}

#[test]
fn vast_triangles_are_cut_into_no_more_than_fits() {
    // At the spacing asked for these would be 2,500,000,000 squares.
    let (ground, _, map) = build(&grid(1, 1, 100_000.0));
    let nodes = map.node_place.len();
    assert!((10_000..8_000_000).contains(&nodes), "{nodes}");
    let share = map.covered_area() / ground.walkable_area();
    assert!((share - 1.0).abs() < 1e-3, "{share}");
}

#[test]
fn large_triangles_are_cut_and_regions_cover_everything() {
    let (ground, nav, map) = build(&grid(1, 1, 40.0));
    assert!(map.edge_length.iter().all(|l| *l <= 2.0));
    assert!((map.covered_area() - ground.walkable_area()).abs() < 1e-2);
    let (least, most) = map
        .region_area
        .iter()
        .fold((f32::MAX, 0.0_f32), |(l, m), a| (l.min(*a), m.max(*a)));
    assert!(least > 2.0 && most < 14.0, "{least} to {most}");
    // Every region's own place lies in it.
    let site = Site {
        ground: ground.view(),
        file_cells: None,
        seed: 0,
    };
    let mut found = vec![NONE; map.regions()];
    nav.region_of(&site, &map, &map.region_place, &[], &mut found);
    assert!(found.iter().enumerate().all(|(r, f)| r as u32 == *f));
}

#[test]
fn a_strip_with_vertices_on_its_rim_alone_has_a_way_along_its_middle() {
    let (_, _, map) = build(&grid(6, 1, 1.5));
    let widest = map.edge_clearance.iter().copied().fold(0.0, f32::max);
    assert!((widest - 0.75).abs() < 1e-3, "{widest}");
    let wide = throng_kit::search::Connectivity::new(&map, &[]);
    let ends = |left: bool| {
        (0..map.nodes() as u32)
            .filter(|n| map.edges_of(*n).any(|e| map.edge_clearance[e] > 0.6))
            .min_by(|a, b| {
                let x = |n: &u32| map.node_place[*n as usize].point.x;
                let (p, q) = (x(a), x(b));
                if left {
                    p.total_cmp(&q)
                } else {
                    q.total_cmp(&p)
                }
            })
            .unwrap()
    };
    let width = wide.widest(ends(true), ends(false)).unwrap();
    assert!(width > 0.45, "{width}");
}

#[test]
fn parts_that_touch_at_a_vertex_are_apart() {
    let mesh = Mesh {
        vertices: vec![
            DVec3::ZERO,
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::new(0.0, 1.0, 0.0),
            DVec3::new(-1.0, 0.0, 0.0),
            DVec3::new(0.0, -1.0, 0.0),
        ],
        triangles: vec![[0, 1, 2], [0, 3, 4]],
    };
    let (_, _, map) = build(&mesh);
    assert_eq!(
        throng_kit::search::Connectivity::new(&map, &[]).components(),
        2
    );
}

#[test]
fn small_parts_of_a_large_whole_are_cut_as_they_are_alone() {
    let alone = grid(1, 1, 3.0);
    let mut both = alone.clone();
    let aside = alone.vertices.iter().map(|v| *v + DVec3::X * 60.0);
    both.vertices.extend(aside);
    let shifted = alone.triangles.iter().map(|t| t.map(|v| v + 4));
    both.triangles.extend(shifted);
    let [alone, both] = [&alone, &both].map(|mesh| build(mesh).2.nodes());
    assert!(alone > 100, "{alone}");
    assert_eq!(both, 2 * alone);
}

#[test]
fn a_closed_surface_is_wide_everywhere() {
    let mesh = Mesh {
        vertices: vec![
            DVec3::ZERO,
            DVec3::new(5.0, 0.0, 0.0),
            DVec3::new(0.0, 5.0, 0.0),
            DVec3::new(0.0, 0.0, 5.0),
        ],
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
    };
    let (_, _, map) = build(&mesh);
    assert!(map.edge_clearance.iter().all(|c| c.is_infinite()));
    // Euler: V - E + F = 2, with 2 E = 3 F.
    let edges = map.edges() / 2;
    assert_eq!(map.nodes() + edges * 2 / 3, edges + 2);
}
