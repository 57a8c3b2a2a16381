//! Long steps of social forces: people who want to run at 5 m/s press against walls and a door, and
//! crowds walk as fast and overlap as little as at steps of 0.01 s.

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

/// Mean speed, overlapping pairs and the largest speed of a square's crowd over some seconds.
fn crowd(name: &str, agents: usize, dt: f32) -> (f64, f64, f32) {
    let mut sim = Simulation::builder()
        .threads(1)
        .set("avoidance.kind=social-force")
        .set(format!("dt={dt}"))
        .set("profile.walker.max_speed=2.1")
        .set(format!("environment.agents={agents}"))
        .set(format!("source[0].count={agents}"))
        .file(scenario(name))
        .unwrap_or_else(|e| panic!("{e}"));
    let mut fastest = 0.0_f32;
    while sim.time() < 20.0 {
        sim.step().unwrap();
        let speeds = sim.agents().velocity.iter().map(|v| v.length());
        fastest = speeds.fold(fastest, f32::max);
    }
    let m = sim.metrics();
    assert_eq!((m.not_finite, m.wall_crossings, m.lost), (0, 0, 0));
    (m.mean_speed(), m.mean_overlaps(), fastest)
}

#[test]
fn crowds_walk_at_long_steps_as_at_short_ones() {
    let name = "open-square.toml";
    let (speed, overlaps, _) = crowd(name, 600, 0.01);
    let (long_speed, long_overlaps, fastest) = crowd(name, 600, 0.1);
    let off = (long_speed / speed - 1.0).abs();
    assert!(off < 0.05, "{long_speed} m/s, not {speed}");
    // A tenth of a pair is one pair in one of ten looks.
    assert!(
        (long_overlaps - overlaps).abs() <= 0.05 * overlaps + 0.1,
        "{long_overlaps} pairs, not {overlaps}"
    );
    // No faster than 1.3 times what everybody wants.
    assert!(fastest <= 1.3 * 1.4 * 1.001, "{fastest} m/s");
}
