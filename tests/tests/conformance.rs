//! What every registered strategy must keep to: the conformance kit, over all of them.

use glam::DVec2;
use throng::{
    Simulation, Spot, conformance,
    environment::{Environment, Floor, Polygon},
};
use throng_core::{
    Slot,
    random::{Purpose, Stream},
};
use throng_kit::Walk;

fn all_conform(slot: Slot) {
    let registry = throng::registry();
    let mut count = 0;
    for strategy in registry.of(slot) {
        let report = conformance::check(&registry, slot, &strategy.id);
        report.assert();
        assert!(report.checks.len() > 4, "{report}");
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn maps() {
    all_conform(Slot::Nav);
}

#[test]
fn planners() {
    all_conform(Slot::Planner);
}

#[test]
fn costs() {
    all_conform(Slot::Cost);
}

#[test]
fn avoidance() {
    all_conform(Slot::Avoidance);
}

#[test]
fn policies() {
    all_conform(Slot::Lod);
}

#[test]
fn groups() {
    all_conform(Slot::Group);
}

fn rooms() -> Environment {
    let r = |a: f64, b: f64, c: f64, d: f64| Polygon::rectangle(DVec2::new(a, b), DVec2::new(c, d));
    Environment {
        floors: vec![Floor {
            walkable: vec![r(0.0, 0.0, 20.0, 12.0)],
            solid: vec![
                r(6.0, -1.0, 7.0, 8.0),
                r(13.0, 4.0, 14.0, 13.0),
                r(9.0, 5.0, 11.0, 6.5),
            ],
            ..Floor::default()
        }],
        ..Environment::default()
    }
}

fn simulation(sets: &[String]) -> Result<Simulation, throng::SimulationError> {
    let mut builder = Simulation::builder().threads(1);
    for set in sets {
        builder = builder.set(set.clone());
    }
    builder.world_with(
        rooms(),
        r#"
        name = "conformance"
        [[source]]
        area = [[1, 1], [5, 1], [5, 11], [1, 11]]
        count = 15
        goals = [[[15, 1], [19, 1], [19, 11], [15, 11]]]
        "#,
        throng::registry(),
    )
}

/// The kit lets maps of discs leave corners out; maps that tile the floor cover nearly all of it.
#[test]
fn maps_that_tile_cover_the_floor() {
    let registry = throng::registry();
    for strategy in registry.of(Slot::Nav).filter(|s| s.id != "nav-graph") {
        let sim = simulation(&[format!("nav.kind=\"{}\"", strategy.id)]).unwrap();
        let (covered, walkable) = (sim.map().covered_area(), 240.0 - 8.0 - 8.0 - 3.0);
        assert!(
            covered > 0.98 * walkable,
            "{} covers {covered}",
            strategy.id
        );
    }
}

#[test]
fn whoever_fits_where_they_stand_finds_a_way() {
    let mut sim = simulation(&["planner.kind=\"astar\"".to_owned()]).unwrap();
    sim.step().unwrap();
    let ground = sim.ground();
    let mut s = Stream::new(16, 0, Purpose::Strategy, 0);
    let mut draw = || {
        std::iter::repeat_with(|| sim.place().everywhere.draw(ground, &mut s, 64).unwrap())
            .find(|p| ground.distance_to_wall(*p, 0.3) >= 0.26)
            .unwrap()
    };
    for i in 0..400 {
        let [from, to] = [draw(), draw()].map(|p| Spot::Space(sim.world_point(p)));
        let found = sim.path(from, to, 0.26);
        assert!(found.is_ok(), "{i}: {from:?} to {to:?}: {found:?}");
    }
}
