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
