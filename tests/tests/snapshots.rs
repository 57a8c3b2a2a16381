//! Behaviour across combinations: stars and matrices of the bundled scenarios.
//!
//! The figures are rounded for reading; exact bits are the business of `determinism`. Invariants
//! were asserted in every step before a text exists.

use throng::snapshot::{Extent, Outcome, matrix, run_all, star};
use throng_core::Slot;
use throng_tests::scenario;

const EXTENT: Extent = Extent {
    steps: 450,
    threads: 1,
};

fn settings() -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("../snapshots");
    settings
}

fn check_star(name: &str) {
    let path = scenario(&format!("{name}.toml"));
    let few = ["source[0].count=20".to_owned()];
    let cases = star(
        &path,
        &[Slot::Nav, Slot::Planner, Slot::Cost, Slot::Avoidance],
    )
    .unwrap();
    for (case, outcome) in cases.iter().zip(run_all(&path, &cases, &few, EXTENT)) {
        let text = match outcome {
            Outcome::Ran(figures) => figures.text(),
            Outcome::Refused(why) => format!("refused: {why}\n"),
            Outcome::Broken(why) => panic!("{name} {}: {why}", case.name),
        };
        settings().bind(|| insta::assert_snapshot!(format!("star__{name}__{}", case.name), text));
    }
}

#[test]
fn star_of_the_corridor() {
    check_star("corridor");
}

#[test]
fn star_of_the_rooms() {
    check_star("rooms");
}

#[test]
fn star_of_the_two_storeys() {
    check_star("two-storey");
}

#[test]
fn star_of_the_moebius_strip() {
    check_star("moebius");
}

#[test]
fn matrix_of_every_combination() {
    for name in ["corridor", "two-storey"] {
        let path = scenario(&format!("{name}.toml"));
        let few = ["source[0].count=12".to_owned()];
        // Without tiers and groups, levels of detail and group behaviours change nothing: they
        // have their own cases below.
        let slots = [Slot::Nav, Slot::Planner, Slot::Cost, Slot::Avoidance];
        let cases = matrix(&slots);
        let short = Extent {
            steps: 250,
            threads: 1,
        };
        let mut lines = String::new();
        for (case, outcome) in cases.iter().zip(run_all(&path, &cases, &few, short)) {
            lines += &match outcome {
                Outcome::Ran(figures) => format!("{:50} {}\n", case.name, figures.line()),
                Outcome::Refused(why) => format!("{:50} refused: {why}\n", case.name),
                Outcome::Broken(why) => panic!("{name} {}: {why}", case.name),
            };
        }
        settings().bind(|| insta::assert_snapshot!(format!("matrix__{name}"), lines));
    }
}

/// Any guide and any avoidance in any tier over any map.
#[test]
fn mixes_of_tiers() {
    let path = scenario("regions-of-interest.toml");
    let few = ["source[0].count=25", "source[1].count=25"].map(str::to_owned);
    let inside = |guide: &str, avoidance: &str| {
        vec![
            format!("tier[0].guide.kind=\"{guide}\""),
            format!("tier[0].avoidance.kind=\"{avoidance}\""),
        ]
    };
    let with = |mut sets: Vec<String>, more: &[&str]| {
        sets.extend(more.iter().map(|s| (*s).to_owned()));
        sets
    };
    let plain = "tier[1].avoidance.kind=\"none\"";
    let straight = "tier[1].follow=\"linear\"";
    let cases = [
        ("as in the paper", vec![]),
        (
            "ecm, density and orca inside, linear without avoidance outside",
            with(
                inside("astar", "orca"),
                &["nav.kind=\"ecm\"", "cost.kind=\"density\"", plain, straight],
            ),
        ),
        (
            "grid, flow-field and social-force inside, orca outside",
            with(
                inside("flow-field", "social-force"),
                &[
                    "nav.kind=\"grid\"",
                    "nav.cell=2.0",
                    "tier[1].avoidance.kind=\"orca\"",
                ],
            ),
        ),
        (
            "ecm, potential-field and rvo inside, predictive outside",
            with(
                inside("potential-field", "rvo"),
                &["nav.kind=\"ecm\"", "tier[1].avoidance.kind=\"predictive\""],
            ),
        ),
        (
            "nav-graph, congestion and predictive inside, short-term outside",
            with(inside("astar", "predictive"), &["cost.kind=\"congestion\""]),
        ),
        (
            "grid, potential-field and orca inside, none outside",
            with(
                inside("potential-field", "orca"),
                &["nav.kind=\"grid\"", "nav.cell=1.0", plain, straight],
            ),
        ),
        (
            "nav-graph, direct and social-force inside, every third step outside",
            with(inside("direct", "social-force"), &["tier[1].period=3"]),
        ),
    ]
    .map(|(name, sets)| throng::snapshot::Case {
        name: name.into(),
        sets,
    });
    let short = Extent {
        steps: 200,
        threads: 1,
    };
    let mut lines = String::new();
    for (case, outcome) in cases.iter().zip(run_all(&path, &cases, &few, short)) {
        match outcome {
            Outcome::Ran(figures) => lines += &format!("{:70} {}\n", case.name, figures.line()),
            Outcome::Refused(why) => panic!("{}: refused: {why}", case.name),
            Outcome::Broken(why) => panic!("{}: {why}", case.name),
        }
    }
    settings().bind(|| insta::assert_snapshot!("mixes_of_tiers", lines));
}
