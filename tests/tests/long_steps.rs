//! Stiff contacts at long steps: people who want to run at 5 m/s press against walls and a door.

use throng::Simulation;
use throng_tests::scenario;

/// A room whose people run to its one door.
fn rush(dt: f32) -> Simulation {
    Simulation::builder()
        .threads(1)
        .set("avoidance.kind=social-force")
        .set(format!("dt={dt}"))
        .set("source[0].count=60")
        .set("source[0].profile=runner")
        .set("profile.runner.radius=0.25")
        .set("profile.runner.speed=5.0")
        .set("profile.runner.max_speed=6.5")
        .file(scenario("evacuation.toml"))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// Steps through 15 s of the rush; gives how many have left and the deepest overlap.
fn after_the_rush(dt: f32) -> (u64, f32) {
    let mut sim = rush(dt);
    let mut fastest = 0.0_f32;
    while sim.time() < 15.0 {
        sim.step().unwrap();
        let agents = sim.agents();
        for row in 0..agents.len() {
            let at = sim.world_point(agents.location[row]);
            assert!(at.is_finite() && agents.velocity[row].is_finite());
            assert!(agents.velocity[row].length() <= 6.5 * 1.001, "dt {dt}");
            fastest = fastest.max(agents.velocity[row].length());
        }
    }
    let m = sim.metrics();
    assert_eq!(
        (m.wall_crossings, m.lost, m.not_finite, m.beyond_cap),
        (0, 0, 0, 0),
        "dt {dt}"
    );
    assert_eq!(m.arrived + sim.agents().len() as u64, 60, "dt {dt}");
    assert!(fastest > 3.0, "dt {dt}: they run, at {fastest} m/s");
    (m.arrived, m.overlap_deepest)
}

#[test]
fn runners_against_walls_stay_inside_at_any_step() {
    for dt in [0.1, 0.5] {
        let (left, deepest) = after_the_rush(dt);
        assert!(left >= 10, "dt {dt}: {left} have left");
        // Bodies of 0.5 m; 0.05 m at steps of 0.01 s.
        assert!(deepest < 0.15, "dt {dt}: {deepest} m deep");
    }
}
