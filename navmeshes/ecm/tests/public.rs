//! Floors of navigation-mesh studies whose minima of clearance are listed.

mod common;

use std::{fs, path::Path};

use common::try_built;
use glam::{DVec2, DVec3};
use throng_core::NavRepresentation;
use throng_kit::{
    Walk,
    environment::{Environment, Mesh},
};

/// The floor in an OBJ with y up: x and -z are the plan.
fn mesh_of(text: &str) -> Mesh {
    let mut mesh = Mesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let v: Vec<f64> = words.map(|w| w.parse().unwrap()).collect();
                mesh.vertices.push(DVec3::new(v[0], -v[2], v[1]));
            }
            Some("f") => {
                let corners: Vec<u32> = words
                    .map(|w| w.split('/').next().unwrap().parse::<u32>().unwrap() - 1)
                    .collect();
                for i in 1..corners.len() - 1 {
                    mesh.triangles
                        .push([corners[0], corners[i], corners[i + 1]]);
                }
            }
            _ => {}
        }
    }
    mesh
}

#[test]
fn listed_minima_of_clearance_lie_on_the_axis() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/clearance");
    if !folder.join("minima-Zelda.csv").exists() {
        eprintln!("skipped: no ../shared/data/clearance beside the workspace");
        return;
    }
    let floors = [
        ("Zelda", "Zelda", 5642.2),
        ("Simple", "Simple", 6859.3),
        ("military", "Military", 36876.8),
        ("Maze8", "Maze8", 31.0),
    ];
    for (file, name, area) in floors {
        let text = fs::read_to_string(folder.join(format!("{file}.obj"))).unwrap();
        let environment = Environment {
            mesh: Some(mesh_of(&text)),
            ..Environment::default()
        };
        let b = try_built(&environment).unwrap();
        let covered = b.map.covered_area();
        assert!(
            (covered - area).abs() < 0.06,
            "{name}: {covered} m2 of {area}"
        );
        let walkable = b.ground.walkable_area();
        assert!((covered - walkable).abs() < 1e-6 * walkable, "{name}");

        let minima = fs::read_to_string(folder.join(format!("minima-{name}.csv"))).unwrap();
        let (mut listed, mut met, mut sure, mut strict) = (0, 0, 0, 0);
        for line in minima.lines().filter(|l| !l.trim().is_empty()) {
            let v: Vec<f64> = line.split(',').map(|w| w.trim().parse().unwrap()).collect();
            let (a, c) = (DVec2::new(v[0], v[1]), DVec2::new(v[2], v[3]));
            let half = a.distance(c) / 2.0;
            listed += 1;
            let Some(place) = b.place((a + c) / 2.0, None) else {
                eprintln!("{name}: {line} is off the ground");
                continue;
            };
            let hung = b.attach(place);
            let here = f64::from(b.ground.view().clearance(place, 1e3));
            met += usize::from(hung.distance <= 0.05 && (here - half).abs() <= 0.01);
            // Ends that lie on no wall of the file are not those of its floor.
            let off = [a, c].map(|end| b.off_wall(end));
            if off[0].max(off[1]) > 0.01 {
                eprintln!("{name}: {line} ends {off:?} m off every wall");
                continue;
            }
            sure += 1;
            let gate = b
                .nav
                .gate_at(&b.site(), &b.map, hung.edge, hung.along)
                .unwrap();
            let clearance = f64::from(gate.middle.distance(gate.left));
            // It is a minimum of the edge: the edge has none smaller within.
            let least = f64::from(b.map.edge_clearance[hung.edge as usize]);
            if hung.distance <= 0.05 && (clearance - half).abs() <= 0.01 && least <= half + 0.01 {
                strict += 1;
            } else {
                eprintln!(
                    "{name}: {line} at {} m, {clearance} for {half} m",
                    hung.distance
                );
            }
        }
        eprintln!(
            "{name}: {met} of {listed} minima, {} nodes, {} regions, {covered:.1} m2",
            b.map.nodes(),
            b.map.regions()
        );
        assert!(met * 100 >= listed * 99, "{name}: {met} of {listed}");
        assert_eq!(strict, sure, "{name}: the axis itself");
    }
}
