//! Public files with known answers, where they are at hand, and files on disk.

use std::path::{Path, PathBuf};

use throng_formats::{FormatError, ReadOptions, read};
use throng_kit::environment::{Environment, Polygon};

mod samples;

fn shared(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data")
        .join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: ../shared/data/{name} is not there");
    None
}

fn ring_area(ring: &[glam::DVec2]) -> f64 {
    (0..ring.len())
        .map(|i| 0.5 * (ring[i] - ring[0]).perp_dot(ring[(i + 1) % ring.len()] - ring[0]))
        .sum()
}

fn polygon_area(polygon: &Polygon) -> f64 {
    polygon
        .holes
        .iter()
        .fold(ring_area(&polygon.outer).abs(), |area, hole| {
            area - ring_area(hole).abs()
        })
}

fn walkable_area(env: &Environment) -> f64 {
    env.floors[0].walkable.iter().map(polygon_area).sum()
}

#[test]
fn walkable_areas_of_the_clearance_floors() {
    let cases = [
        ("clearance/Zelda.obj", 5642.2, 0.05),
        ("clearance/Simple.obj", 6859.3, 0.05),
        ("clearance/military.obj", 36876.8, 0.05),
        ("clearance/Maze8.obj", 31.0, 0.05),
    ];
    for (name, expected, tolerance) in cases {
        let Some(path) = shared(name) else { continue };
        let env = read(&path, &ReadOptions::default()).unwrap();
        let area = walkable_area(&env);
        assert!((area - expected).abs() < tolerance, "{name}: {area}");
    }
}

#[test]
fn clearance_minima_lie_between_walls() {
    // Both ends of every listed minimum are on the outline of the floor: the axes are right.
    for (mesh, list) in [
        ("Zelda.obj", "minima-Zelda.csv"),
        ("Maze8.obj", "minima-Maze8.csv"),
    ] {
        let (Some(mesh), Some(list)) = (
            shared(&format!("clearance/{mesh}")),
            shared(&format!("clearance/{list}")),
        ) else {
            continue;
        };
        let env = read(&mesh, &ReadOptions::default()).unwrap();
        let rings: Vec<&Vec<glam::DVec2>> = env.floors[0]
            .walkable
            .iter()
            .flat_map(|polygon| std::iter::once(&polygon.outer).chain(&polygon.holes))
            .collect();
        let distance = |p: glam::DVec2| {
            rings
                .iter()
                .flat_map(|ring| (0..ring.len()).map(|i| (ring[i], ring[(i + 1) % ring.len()])))
                .map(|(a, b)| {
                    let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                    p.distance(a + t * (b - a))
                })
                .fold(f64::INFINITY, f64::min)
        };
        let text = std::fs::read_to_string(&list).unwrap();
        let mut checked = 0;
        for line in text.lines() {
            let numbers: Vec<f64> = line
                .split(',')
                .filter_map(|n| n.trim().parse().ok())
                .collect();
            if let [x1, y1, x2, y2] = numbers[..] {
                for p in [glam::DVec2::new(x1, y1), glam::DVec2::new(x2, y2)] {
                    assert!(
                        distance(p) < 0.01,
                        "{}: {p} {}",
                        list.display(),
                        distance(p)
                    );
                }
                checked += 1;
            }
        }
        assert!(checked > 0);
    }
}

#[test]
fn movingai_maps_have_their_cells() {
    for (name, width, height) in [
        ("arena", 49, 49),
        ("den312d", 65, 81),
        ("32room_000", 512, 512),
    ] {
        let Some(path) = shared(&format!("movingai/{name}.map")) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).unwrap();
        let rows: String = text.lines().skip(4).collect();
        let free = rows.chars().filter(|c| ".GS".contains(*c)).count();
        let env = read(&path, &ReadOptions::default()).unwrap();
        let cells = env.cells.as_ref().unwrap();
        assert_eq!((cells.width, cells.height), (width, height));
        assert_eq!(cells.walkable.iter().filter(|cell| **cell).count(), free);
        assert!((walkable_area(&env) - free as f64).abs() < 1e-6, "{name}");
    }
}

#[test]
fn curved_meshes_keep_vertices_and_numbers() {
    let cases = [
        ("stanford-bunny", 35_947, 69_451),
        ("bunny-3k", 3_485, 6_966),
        ("halftunnel", 831, 1_568),
        ("box", 8, 12),
    ];
    for (name, vertices, triangles) in cases {
        let Some(path) = shared(&format!("meshes/{name}.obj")) else {
            continue;
        };
        let env = read(&path, &ReadOptions::default()).unwrap();
        let mesh = env.mesh.unwrap();
        assert_eq!(mesh.vertices.len(), vertices, "{name}");
        assert_eq!(mesh.triangles.len(), triangles, "{name}");
    }
}

#[test]
fn gltf_buffers_stay_in_their_folder() {
    let outside = tempfile::tempdir().unwrap();
    let folder = outside.path().join("scene");
    std::fs::create_dir(&folder).unwrap();
    let write = |name: &str, uri: &str| {
        let path = folder.join(name);
        std::fs::write(&path, samples::gltf_json(&format!(r#","uri":"{uri}""#))).unwrap();
        path
    };
    std::fs::write(folder.join("my mesh.bin"), samples::gltf_blob()).unwrap();
    std::fs::write(outside.path().join("secret.bin"), samples::gltf_blob()).unwrap();
    let env = read(
        &write("good.gltf", "my%20mesh.bin"),
        &ReadOptions::default(),
    )
    .unwrap();
    assert_eq!(env.mesh.unwrap().triangles.len(), 2);
    let absolute = outside.path().join("secret.bin").display().to_string();
    for uri in [
        "../secret.bin",
        "%2e%2e/secret.bin",
        &absolute,
        "http://a/b.bin",
    ] {
        let error = read(&write("bad.gltf", uri), &ReadOptions::default()).unwrap_err();
        assert!(
            error.to_string().contains("outside the folder"),
            "{uri}: {error}"
        );
    }
    let error = read(&write("gone.gltf", "gone.bin"), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cannot be opened"), "{error}");
}

#[test]
fn files_that_are_none_or_too_long_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = read(&folder.path().join("none.wkt"), &ReadOptions::default());
    assert!(matches!(missing, Err(FormatError::Unreadable { .. })));
    let directory = read(folder.path(), &ReadOptions::default());
    assert!(matches!(directory, Err(FormatError::Unreadable { .. })));
    let path = folder.path().join("long.wkt");
    std::fs::write(&path, samples::wkt()).unwrap();
    let options = ReadOptions {
        largest_file: 10,
        ..ReadOptions::default()
    };
    let error = read(&path, &options).unwrap_err();
    assert!(matches!(error, FormatError::TooLarge { .. }), "{error}");
}
