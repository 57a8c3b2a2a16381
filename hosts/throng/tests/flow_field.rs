//! Planner `flow-field` in whole runs: on every map, with fields renewed beside the steps.

use throng::Simulation;

fn simulation(text: &str, threads: usize) -> Simulation {
    let built = Simulation::builder().threads(threads).text(text);
    built.unwrap_or_else(|e| panic!("{e}"))
}

fn scenario(environment: &str, nav: &str, rest: &str) -> String {
    format!(
        "name = \"flow\"\nseed = 5\n[environment]\n{environment}\n[nav]\nkind = \"{nav}\"\n\
         [planner]\nkind = \"flow-field\"\n{rest}"
    )
}

#[test]
fn everybody_arrives_on_every_map() {
    let storeys = "generate = \"two-storey\"";
    let upstairs = "[avoidance]\nkind = \"none\"\n[[source]]\narea = \"upper-3\"\ncount = 8\n\
                    goals = [\"exit\"]\n[[source]]\narea = \"ground-2\"\ncount = 8\n\
                    goals = [\"exit\"]";
    let square = "generate = \"square\"\nside = 20.0";
    // A goal inside one region of a sparse map, and a thin one along a wall that no body's middle
    // can enter but for its rim.
    let inside = "[avoidance]\nkind = \"none\"\n[[source]]\n\
                  area = [[1, 1], [9, 1], [9, 19], [1, 19]]\ncount = 16\n\
                  goals = [[[12.2, 4.1], [13.1, 4.1], [13.1, 4.9], [12.2, 4.9]]]";
    let thin = "[avoidance]\nkind = \"none\"\n[[source]]\n\
                area = [[1, 1], [9, 1], [9, 19], [1, 19]]\ncount = 16\n\
                goals = [[[19.6, 4.0], [19.8, 4.0], [19.8, 15.0], [19.6, 15.0]]]";
    for nav in ["grid", "ecm"] {
        for (environment, rest) in [(storeys, upstairs), (square, inside), (square, thin)] {
            let mut sim = simulation(&scenario(environment, nav, rest), 1);
            for _ in 0..900 {
                sim.step().unwrap();
            }
            let (arrived, metrics) = (sim.metrics().arrived, sim.metrics());
            assert_eq!(arrived, 16, "{nav}, {environment}: {rest}");
            assert_eq!(metrics.unreachable, 0, "{nav}, {environment}");
        }
    }
}

/// People who meet in a square, with prices that change every second.
fn meeting(nav: &str, delay: u32, expansion: &str) -> String {
    let rest = format!(
        "expansion = \"{expansion}\"\nevery = 1.0\ndelay = {delay}\n[replan]\nevery = 1.0\n\
         [cost]\nkind = \"congestion\"\nunit = \"persons\"\ncell = 1.0\nevery = 1.0\n\
         [[source]]\narea = [[1, 1], [6, 1], [6, 15], [1, 15]]\ncount = 40\n\
         goals = [[[14, 6], [15.5, 6], [15.5, 10], [14, 10]]]\n\
         [[source]]\narea = [[10, 1], [15, 1], [15, 15], [10, 15]]\ncount = 40\n\
         goals = [[[0.5, 6], [2, 6], [2, 10], [0.5, 10]]]"
    );
    scenario("generate = \"square\"\nside = 16.0", nav, &rest)
}

fn digests(text: &str, threads: usize, steps: usize) -> Vec<u64> {
    let mut sim = simulation(text, threads);
    let digest = |_| {
        sim.step().unwrap();
        sim.digest()
    };
    (0..steps).map(digest).collect()
}

#[test]
fn threads_and_resuming_change_no_bit() {
    for (nav, expansion) in [
        ("grid", "dijkstra"),
        ("grid", "theta-star"),
        ("ecm", "dijkstra"),
    ] {
        let text = meeting(nav, 4, expansion);
        let whole = digests(&text, 1, 60);
        assert_eq!(whole, digests(&text, 3, 60), "{nav} {expansion}");
        // In the middle of growing fields anew, and just after they took over.
        for cut in [12, 15] {
            let mut first = simulation(&text, 1);
            for _ in 0..cut {
                first.step().unwrap();
            }
            let mut second = simulation(&text, 2);
            second.restore(&first.snapshot()).unwrap();
            for expected in &whole[cut..] {
                second.step().unwrap();
                assert_eq!(
                    second.digest(),
                    *expected,
                    "{nav} {expansion}, cut at {cut}"
                );
            }
        }
    }
}

#[test]
fn new_fields_take_over_at_a_fixed_later_step() {
    let (soon, late) = (
        meeting("grid", 4, "dijkstra"),
        meeting("grid", 14, "dijkstra"),
    );
    let (soon, late) = (digests(&soon, 1, 60), digests(&late, 1, 60));
    let first = soon.iter().zip(&late).position(|(a, b)| a != b);
    // Prices change at step 10; the first new fields are in use 4 steps later.
    let first = first.expect("new fields change ways");
    assert!((13..=15).contains(&first), "{first}");
}

#[test]
fn hysteresis_is_refused_with_the_reason() {
    let text = meeting("grid", 4, "dijkstra").replace(
        "[replan]\nevery = 1.0",
        "[replan]\nevery = 1.0\nhysteresis = { threshold = 1.0, hold = 2.0, clear = 2.0 }",
    );
    let refused = Simulation::builder().threads(1).text(&text).unwrap_err();
    assert!(refused.to_string().contains("hysteresis"), "{refused}");
}

#[test]
fn nobody_turns_sharply_in_the_open() {
    // Some pillars in a room; walkers alone, so that what turns them is the field.
    let rest = "expansion = \"EXPANSION\"\n[avoidance]\nkind = \"none\"\n[[source]]\n\
                area = [[1, 1], [5, 1], [5, 29], [1, 29]]\ncount = 60\n\
                goals = [[[35, 13], [38, 13], [38, 17], [35, 17]]]";
    for expansion in ["dijkstra", "theta-star"] {
        let rest = rest.replace("EXPANSION", expansion);
        let pillars = "generate = \"grid-map\"\ncells = 40\nshare = 0.04\nseed = 2";
        let mut sim = simulation(&scenario(pillars, "grid", &rest), 1);
        let mut sharp = 0;
        let mut steps = 0;
        for _ in 0..250 {
            let before: std::collections::BTreeMap<u64, glam::Vec2> = {
                let a = sim.agents();
                (0..a.len()).map(|i| (a.id[i], a.velocity[i])).collect()
            };
            sim.step().unwrap();
            let a = sim.agents();
            for i in 0..a.len() {
                let (now, was) = (a.velocity[i], before.get(&a.id[i]));
                let Some(was) = was.filter(|v| v.length() > 0.5 && now.length() > 0.5) else {
                    continue;
                };
                steps += 1;
                sharp += usize::from(was.angle_to(now).abs() > 0.7);
            }
        }
        // Along a wall a body slides, which turns it at once; the field itself turns it slowly.
        assert!(sharp * 200 < steps, "{expansion}: {sharp} of {steps}");
    }
}
