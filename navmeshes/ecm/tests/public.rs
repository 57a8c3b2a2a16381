//! Floors of navigation-mesh studies whose minima of clearance are listed.

mod common;

use std::{collections::BTreeMap, fs, path::Path};

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

/// The walls of a floor as its file has them: sides of one triangle only, in plan.
fn walls_of(mesh: &Mesh) -> Vec<[DVec2; 2]> {
    let mut sides: BTreeMap<[[u64; 2]; 2], usize> = BTreeMap::new();
    for triangle in &mesh.triangles {
        let corners = triangle.map(|i| mesh.vertices[i as usize].truncate());
        for i in 0..3 {
            let mut side =
                [corners[i], corners[(i + 1) % 3]].map(|p| p.to_array().map(f64::to_bits));
            side.sort_unstable();
            *sides.entry(side).or_default() += 1;
        }
    }
    let once = sides.into_iter().filter(|(_, triangles)| *triangles == 1);
    once.map(|(side, _)| side.map(|p| DVec2::from(p.map(f64::from_bits))))
        .collect()
}

/// How far a point is from the nearest of some walls, by looking at all of them.
fn off_all(walls: &[[DVec2; 2]], p: DVec2) -> f64 {
    let distance = |[a, b]: &[DVec2; 2]| {
        let way = *b - *a;
        let along = ((p - *a).dot(way) / way.length_squared()).clamp(0.0, 1.0);
        p.distance(*a + way * along)
    };
    walls.iter().map(distance).fold(f64::INFINITY, f64::min)
}

/// At least 99 of 100 listed minima have their middle on the axis and half their length as the
/// clearance there.
///
/// One of Military, listed both ways round, is not one of its file's floor: its end at
/// (-58.5865, -10.0937) lies 2.9 cm before the wall from (-62.08, -11.84) to (-43.49, -2.72),
/// and that of another, farther along the same wall, 0.6 cm, as if that wall began 3.6 cm off
/// its corner. So its middle, whose clearance is half its length, is 1.5 cm off the axis, and the
/// clearance of the axis beside it 1.5 cm more. Nothing is lost in reading: the clearances of the
/// middles are those by the file's own triangles.
#[test]
fn listed_minima_of_clearance_lie_on_the_axis() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/clearance");
    if !folder.join("minima-Zelda.csv").exists() {
        eprintln!("skipped: no ../shared/data/clearance beside the workspace");
        return;
    }
    let floors = [
        ("Zelda", "Zelda", 5642.2, 0),
        ("Simple", "Simple", 6859.3, 0),
        ("military", "Military", 36876.8, 2),
        ("Maze8", "Maze8", 31.0, 0),
    ];
    for (file, name, area, not_on_walls) in floors {
        let text = fs::read_to_string(folder.join(format!("{file}.obj"))).unwrap();
        let mesh = mesh_of(&text);
        let walls = walls_of(&mesh);
        let environment = Environment {
            mesh: Some(mesh),
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
            let by_file = off_all(&walls, (a + c) / 2.0);
            assert!(
                (here - by_file).abs() < 1e-4,
                "{name}: {line}: {here}, {by_file}"
            );
            met += usize::from(hung.distance <= 0.05 && (here - half).abs() <= 0.01);
            // Ends that lie on no wall of the file are not those of its floor.
            let off = [a, c].map(|end| off_all(&walls, end));
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
        assert_eq!(listed - sure, not_on_walls, "{name}");
        assert_eq!(strict, sure, "{name}: the axis itself");
    }
}
