//! Geodesics against public meshes with known distances (where their folder is at hand).

use std::path::PathBuf;

use glam::DVec3;
use throng_kit::{
    Ground,
    environment::Mesh,
    geodesic::{On, Spot, Surface, Windows},
};

/// A mesh with the listed distances from its first vertex.
fn listed(name: &str) -> Option<(Mesh, Vec<f64>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/meshes");
    let Ok(text) = std::fs::read_to_string(folder.join(format!("{name}.obj"))) else {
        println!("skipped: no {name} in the folder of public data");
        return None;
    };
    let mut mesh = Mesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let v: Vec<f64> = words.take(3).map(|w| w.parse().unwrap()).collect();
                mesh.vertices.push(DVec3::new(v[0], v[1], v[2]));
            }
            Some("f") => {
                let f: Vec<u32> = words
                    .map(|w| w.split('/').next().unwrap().parse::<u32>().unwrap() - 1)
                    .collect();
                let fans = f[1..].windows(2).map(|pair| [f[0], pair[0], pair[1]]);
                mesh.triangles.extend(fans);
            }
            _ => {}
        }
    }
    let distances = std::fs::read_to_string(folder.join(format!("{name}.exact_from_v0.txt")))
        .map(|text| {
            text.split_whitespace()
                .map(|w| w.parse().unwrap())
                .collect()
        })
        .unwrap_or_default();
    Some((mesh, distances))
}

/// The point of the surface nearest to a vertex of the file.
fn point_of(surface: &Surface, origin: DVec3, vertex: DVec3) -> Spot {
    let nearest = (0..surface.points() as u32)
        .min_by(|a, b| {
            let far = |p: u32| surface.place(p).distance(vertex - origin);
            far(*a).total_cmp(&far(*b))
        })
        .unwrap();
    Spot {
        triangle: surface.fan(nearest)[0] / 3,
        at: surface.place(nearest),
        on: On::Point(nearest),
    }
}

#[test]
fn exact_distances_are_those_listed() {
    for name in ["box", "halftunnel", "bunny-3k"] {
        let Some((mesh, listed)) = listed(name) else {
            return;
        };
        let ground = Ground::from_mesh(&mesh).unwrap();
        let surface = Surface::new(&ground.view());
        let origin = ground.view().origin;
        let from = point_of(&surface, origin, mesh.vertices[0]);
        let mut windows = Windows::default();
        let found = windows.all(&surface, from).to_vec();
        let mut worst: f64 = 0.0;
        for (vertex, exact) in mesh.vertices.iter().zip(&listed) {
            let On::Point(point) = point_of(&surface, origin, *vertex).on else {
                unreachable!()
            };
            let off = (found[point as usize] - exact).abs() / exact.max(1e-12);
            if *exact > 0.0 {
                worst = worst.max(off);
            }
        }
        println!(
            "{name}: {} triangles, {} windows, worst {worst:.2e}",
            surface.triangles(),
            windows.len()
        );
        assert!(worst < 1e-6, "{name}: off by {worst}");
    }
}

#[test]
fn one_pair_of_the_scanned_bunny() {
    let Some((mesh, _)) = listed("stanford-bunny") else {
        return;
    };
    let ground = Ground::from_mesh(&mesh).unwrap();
    let surface = Surface::new(&ground.view());
    let origin = ground.view().origin;
    // Numbers count the vertices that a triangle names.
    let mut used: Vec<u32> = mesh.triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let at = |v: usize| point_of(&surface, origin, mesh.vertices[used[v] as usize]);
    let mut windows = Windows::default();
    let mut path = Vec::new();
    let found = windows.path(&surface, at(0), at(17417), &mut path).unwrap();
    let walked: f64 = path.windows(2).map(|w| w[0].at.distance(w[1].at)).sum();
    println!("stanford-bunny: {} windows, {found}", windows.len());
    assert!((found / 0.083883764057646 - 1.0).abs() < 1e-9, "{found}");
    assert!((walked / found - 1.0).abs() < 1e-9);
}

/// A slab of unit cubes with two holes through it: a closed surface of genus 2.
fn slab_with_two_holes() -> Mesh {
    let is_full = |c: [i32; 3]| {
        let hole = c[1] == 1 && (c[0] == 1 || c[0] == 3);
        (0..5).contains(&c[0]) && (0..3).contains(&c[1]) && c[2] == 0 && !hole
    };
    let mut mesh = Mesh::default();
    for cell in (0..15).map(|i| [i % 5, i / 5, 0]).filter(|c| is_full(*c)) {
        for side in 0..6 {
            let (axis, upper) = (side / 2, (side % 2) as i32);
            let mut beyond = cell;
            beyond[axis] += 2 * upper - 1;
            if is_full(beyond) {
                continue;
            }
            let first = mesh.vertices.len() as u32;
            for (p, q) in [(0, 0), (1, 0), (1, 1), (0, 1)] {
                let mut at = cell;
                at[axis] += upper;
                at[(axis + 1) % 3] += p;
                at[(axis + 2) % 3] += q;
                mesh.vertices.push(DVec3::from_array(at.map(f64::from)));
            }
            mesh.triangles
                .extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    mesh
}

/// Distances from a point over straight lines between points set on the sides of triangles: no
/// shortest way is longer.
fn by_points_on_sides(surface: &Surface, from: u32, parts: u32) -> Vec<f64> {
    let mut places: Vec<DVec3> = (0..surface.points() as u32)
        .map(|p| surface.place(p))
        .collect();
    let mut about: Vec<Vec<usize>> = vec![Vec::new(); surface.triangles()];
    for t in 0..surface.triangles() as u32 {
        about[t as usize].extend((0..3).map(|k| surface.point(t, k) as usize));
        for side in 0..3 {
            let across = surface.across(t, side);
            if t * 3 + side as u32 > across {
                continue;
            }
            for i in 1..parts {
                let share = f64::from(i) / f64::from(parts);
                let ends = [side, (side + 1) % 3].map(|k| surface.corner(t, k));
                for owner in [t, across / 3] {
                    about[owner as usize].push(places.len());
                }
                places.push(ends[0].lerp(ends[1], share));
            }
        }
    }
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
    for (t, all) in about.iter().enumerate() {
        all.iter().for_each(|p| beside[*p].push(t));
    }
    let mut metres = vec![f64::INFINITY; places.len()];
    metres[from as usize] = 0.0;
    let mut open = std::collections::VecDeque::from([from as usize]);
    while let Some(p) = open.pop_front() {
        for &q in beside[p].iter().flat_map(|t| &about[*t]) {
            let through = metres[p] + places[p].distance(places[q]);
            if through < metres[q] - 1e-12 {
                metres[q] = through;
                open.push_back(q);
            }
        }
    }
    metres.truncate(surface.points());
    metres
}

#[test]
fn exact_distances_on_a_surface_of_genus_two_are_the_shortest() {
    let ground = Ground::from_mesh(&slab_with_two_holes()).unwrap();
    let view = ground.view();
    assert!(
        view.across
            .iter()
            .flatten()
            .all(|c| *c != throng_core::NONE)
    );
    let surface = Surface::new(&view);
    assert_eq!(
        surface.points() as i32 * 2 - surface.triangles() as i32,
        2 * (2 - 4)
    );
    for from in [0, 7, 20] {
        let spot = Spot {
            triangle: surface.fan(from)[0] / 3,
            at: surface.place(from),
            on: On::Point(from),
        };
        let exact = Windows::default().all(&surface, spot).to_vec();
        let bound = by_points_on_sides(&surface, from, 16);
        for (exact, bound) in exact.iter().zip(&bound) {
            assert!(*exact <= bound * (1.0 + 1e-9), "{exact} {bound}");
            assert!(*bound <= exact * 1.003, "{exact} {bound}");
        }
    }
}
