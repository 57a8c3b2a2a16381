//! The medial axis on the bundled scenes, and bodies of three widths on one map.

use std::collections::BTreeMap;

use throng::{
    Simulation,
    core::{NavMap, NavRepresentation, Site},
    scenes::generate,
};
use throng_kit::{Ground, search::Connectivity};
use throng_nav_ecm::Ecm;
use throng_tests::scenario;

#[test]
fn scenes_are_covered_and_connected() {
    // Corners of obstacles as in van Toll, Cook and Geraerts 2012, Table I.
    for (scene, fewest, most) in [
        ("blocks", 90, 140),
        ("layers", 600, 1000),
        ("village", 1100, 1700),
        ("city", 6000, 8000),
    ] {
        let environment = generate(scene, &toml::Table::new()).unwrap();
        let ground = Ground::from_environment(&environment).unwrap();
        let site = Site {
            ground: ground.view(),
            file_cells: None,
            seed: 0,
        };
        let mut map = NavMap::default();
        Ecm::default().build(&site, &mut map).unwrap();
        map.check().unwrap();
        let (walkable, covered) = (ground.walkable_area(), map.covered_area());
        assert!((walkable - covered).abs() < 1e-6 * walkable, "{scene}");
        assert!(
            (fewest..most).contains(&map.nodes()),
            "{scene}: {} nodes",
            map.nodes()
        );
        assert_eq!(map.regions() * 2, map.edges(), "{scene}");
        let doors = vec![1; ground.door_names().len()];
        assert_eq!(Connectivity::new(&map, &doors).components(), 1, "{scene}");
    }
}

#[test]
fn everybody_takes_a_gap_that_fits() {
    let mut sim = Simulation::from_scenario(scenario("three-widths.toml")).unwrap();
    // Plan height of the middle of each gap.
    let gaps = [("narrow", 8.0), ("medium", 11.0), ("wide", 2.5)];
    let wall = 12.25;
    let mut before: BTreeMap<u64, f64> = BTreeMap::new();
    let mut passed: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..600 {
        sim.step().unwrap();
        let origin = sim.ground().origin;
        let agents = sim.agents();
        for row in 0..agents.len() {
            let at = origin + agents.location[row].point.as_dvec3();
            let last = before.insert(agents.id[row], at.x).unwrap_or(at.x);
            if last < wall && at.x >= wall {
                let off = |gap: &&(&str, f64)| ((gap.1 - at.y).abs() * 1e3) as i64;
                let gap = gaps.iter().min_by_key(off).unwrap().0;
                let who = format!("radius {:.2} m: {gap}", agents.radius[row]);
                *passed.entry(who).or_default() += 1;
            }
        }
    }
    assert_eq!(sim.metrics().arrived, 10);
    assert_eq!(sim.metrics().wall_crossings, 0);
    let lines: Vec<String> = passed.iter().map(|(who, n)| format!("{who} {n}")).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    radius 0.15 m: narrow 4
    radius 0.24 m: medium 2
    radius 0.24 m: wide 2
    radius 0.42 m: wide 2
    ");
}
