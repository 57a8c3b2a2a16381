//! What holds for every scene.

use glam::Vec2;
use throng_kit::{Ground, Walk};
use toml::{Table, Value};

use super::surface::topology::Topology;
use super::*;

fn table(text: &str) -> Table {
    text.parse().unwrap()
}

#[test]
fn every_scene_draws_with_its_defaults_and_twice_the_same() {
    for spec in scenes() {
        let scene = generate(spec.id, &Table::new()).unwrap();
        assert_eq!(
            scene,
            generate(spec.id, &Table::new()).unwrap(),
            "{}",
            spec.id
        );
        assert_eq!(scene.mesh.is_some(), scene.floors.is_empty(), "{}", spec.id);
        for area in &scene.areas {
            assert!(area.floor < scene.floors.len());
            assert!(area.shape.outer.len() >= 3, "{} {}", spec.id, area.name);
        }
        let mut names: Vec<&str> = scene.areas.iter().map(|a| a.name.as_str()).collect();
        assert!(
            scene.mesh.is_some() || !names.is_empty(),
            "{} has no areas",
            spec.id
        );
        names.sort_unstable();
        names
            .windows(2)
            .for_each(|pair| assert_ne!(pair[0], pair[1], "{}", spec.id));
    }
}

#[test]
fn every_surface_is_manifold_and_has_no_degenerate_triangle() {
    for spec in scenes() {
        let Some(mesh) = generate(spec.id, &Table::new()).unwrap().mesh else {
            continue;
        };
        let topology = Topology::of(&mesh);
        assert!(topology.is_manifold(), "{} {topology:?}", spec.id);
        assert!(topology.thinnest > 0.01, "{} {topology:?}", spec.id);
        assert!(topology.area > 1000.0, "{} {topology:?}", spec.id);
        assert_eq!(topology.consistent, spec.id != "moebius", "{}", spec.id);
        assert!(mesh.vertices.iter().all(|v| v.is_finite()), "{}", spec.id);
        println!(
            "{}: {} triangles, {:.0} m2, thinnest {:.3}, sharpest {:.3}",
            spec.id,
            mesh.triangles.len(),
            topology.area,
            topology.thinnest,
            topology.sharpest
        );
    }
}

#[test]
fn every_scene_is_a_ground_without_repairs() {
    for spec in scenes() {
        let scene = generate(spec.id, &Table::new()).unwrap();
        let ground = Ground::from_environment(&scene).unwrap();
        match &scene.mesh {
            Some(mesh) => {
                let area = Topology::of(mesh).area;
                assert!(
                    (ground.walkable_area() / area - 1.0).abs() < 1e-5,
                    "{}",
                    spec.id
                );
            }
            None => assert!(
                ground.notices().is_empty(),
                "{} {:?}",
                spec.id,
                ground.notices()
            ),
        }
        assert!(
            scene
                .doors
                .iter()
                .all(|door| ground.door_index(&door.name).is_some())
        );
        // Somewhere in each area there is ground to stand on.
        let origin = ground.view().origin;
        for area in &scene.areas {
            let ring = &area.shape.outer;
            let hole = area.shape.holes.first();
            let middle = ring.iter().sum::<glam::DVec2>() / ring.len() as f64;
            let stands = (1..20).any(|i| {
                let corner = ring[i % ring.len()];
                let share = 0.05 * i as f64;
                let at = middle + (corner - middle) * share;
                let in_hole = hole.is_some_and(|hole| {
                    hole.iter()
                        .all(|p| p.distance(middle) > at.distance(middle))
                });
                let local: Vec2 = (at - origin.truncate()).as_vec2();
                !in_hole
                    && ground
                        .view()
                        .locate_plan(local, Some(area.floor as u16))
                        .is_some()
            });
            assert!(stands, "{} {}", spec.id, area.name);
        }
    }
}

#[test]
fn declared_defaults_are_allowed_and_change_nothing() {
    for spec in scenes() {
        let mut written = Table::new();
        for option in &spec.options {
            let text = format!("value = {}", option.default);
            let value = table(&text).remove("value").unwrap();
            // Whole numbers are written without a point; both kinds must do.
            written.insert(option.name.into(), value);
        }
        let scene = generate(spec.id, &written).unwrap_or_else(|e| panic!("{}: {e}", spec.id));
        assert_eq!(
            scene,
            generate(spec.id, &Table::new()).unwrap(),
            "{}",
            spec.id
        );
    }
}

#[test]
fn the_ends_of_every_range_draw_or_say_why_not() {
    use throng_core::options::OptionKind;
    for spec in scenes() {
        for option in &spec.options {
            // The large end of what makes a scene large takes long; the small one says as much.
            let values = match &option.kind {
                OptionKind::Number { max, .. } if option.name == "grain" => {
                    vec![Value::Float(*max)]
                }
                OptionKind::Number { min, .. } => vec![Value::Float(*min)],
                OptionKind::Integer { min, .. } => vec![Value::Integer(*min)],
                OptionKind::Switch => vec![Value::Boolean(true), Value::Boolean(false)],
                OptionKind::Choice(words) => {
                    words.iter().map(|w| Value::String((*w).into())).collect()
                }
                _ => Vec::new(),
            };
            for value in values {
                let mut options = Table::new();
                options.insert(option.name.into(), value.clone());
                match generate(spec.id, &options) {
                    Ok(scene) => assert!(scene.mesh.is_some() || !scene.floors.is_empty()),
                    Err(SceneError::Impossible { reason, .. }) => assert!(!reason.is_empty()),
                    Err(other) => panic!("{} {} = {value}: {other}", spec.id, option.name),
                }
            }
        }
    }
}

#[test]
fn wrong_options_are_named_with_what_is_allowed() {
    for (id, options, message) in [
        (
            "cornidor",
            "",
            r#"there is no scene "cornidor" (did you mean "corridor"?); known are square, circle"#,
        ),
        (
            "corridor",
            "widht = 3.0",
            r#"scene corridor has no option "widht" (did you mean "width"?); it takes length, width"#,
        ),
        (
            "blocks",
            "width = 3.0",
            r#"scene blocks has no option "width"; it takes none"#,
        ),
        (
            "corridor",
            "width = 0.1",
            "scene corridor: width = 0.1 is not allowed; allowed is 0.5 to 10000",
        ),
        (
            "corridor",
            "width = nan",
            "scene corridor: width = nan is not allowed; allowed is 0.5 to 10000",
        ),
        (
            "corridor",
            "width = \"wide\"",
            "scene corridor: width = \"wide\" is not allowed; allowed is 0.5 to 10000",
        ),
        (
            "rooms",
            "columns = 2.5",
            "scene rooms: columns = 2.5 is not allowed; allowed is 1 to 100, whole",
        ),
        (
            "grid-map",
            "pattern = \"mace\"",
            "scene grid-map: pattern = \"mace\" is not allowed; allowed is random, maze, rooms",
        ),
        (
            "bottleneck",
            "opening = 20",
            "scene bottleneck: an opening of 20 m does not fit into a room 10 m wide",
        ),
    ] {
        let error = generate(id, &table(options)).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn seeds_draw_different_scenes() {
    for spec in scenes() {
        if spec.options.iter().any(|option| option.name == "seed") {
            let other = generate(spec.id, &table("seed = 2")).unwrap();
            assert_ne!(
                other,
                generate(spec.id, &Table::new()).unwrap(),
                "{}",
                spec.id
            );
        }
    }
}

#[test]
fn ids_are_unique_and_the_registry_takes_them() {
    let mut ids: Vec<String> = generators().into_iter().map(|g| g.id).collect();
    ids.sort();
    ids.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1]));
    for generator in generators() {
        let drawn = generator.scene.generate(&Table::new(), 7).unwrap();
        assert_eq!(drawn, generate(&generator.id, &Table::new()).unwrap());
    }
}
