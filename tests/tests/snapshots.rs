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
        let slots = [
            Slot::Nav,
            Slot::Planner,
            Slot::Cost,
            Slot::Avoidance,
            Slot::Lod,
            Slot::Group,
        ];
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
