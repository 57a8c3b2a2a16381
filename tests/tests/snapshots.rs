//! Behaviour across combinations: stars and matrices of the bundled scenarios.
//!
//! The runner and the form of the files are those of `throng snapshot` and of
//! [`throng::snapshot::assert_snapshots`]. The figures are rounded for reading; exact bits are the
//! business of `determinism`. Invariants were asserted in every step before a text exists.
//!
//! After an intended change of behaviour, make them anew:
//! `INSTA_UPDATE=always cargo test -p throng-tests --test snapshots`, and look at the difference.

use std::path::PathBuf;

use throng::{
    LoadOptions,
    snapshot::{Case, Keep, Outcome, Snapshots, Study, assert_snapshots, store::matrix_line},
};
use throng_core::Slot;
use throng_tests::scenario;

/// Steps of a matrix. In 30 nobody can be found stalled, which takes 5 s, and few meet.
const STEPS: u64 = 60;

/// More than any bundled scenario has.
const EVERYBODY: u64 = 100_000;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("snapshots")
}

fn of(name: &str) -> Snapshots {
    Snapshots::of(scenario(&format!("{name}.toml"))).inside(folder())
}

/// Long enough to arrive.
fn star(name: &str) {
    assert_snapshots(&of(name).star_only().size(20, 450));
}

/// Every combination of map, planner, cost and avoidance: long enough to see people set off and
/// meet, so all of them come at once. Levels of detail and groups are in the star.
fn matrix(name: &str, sets: &[&str]) {
    let snapshots = of(name).matrix_only().size(20, STEPS);
    assert_snapshots(&sets.iter().fold(snapshots, |s, set| s.set(*set)));
}

#[test]
fn star_of_the_corridor() {
    star("corridor");
}

#[test]
fn star_of_the_rooms() {
    star("rooms");
}

#[test]
fn star_of_the_two_storeys() {
    star("two-storey");
}

#[test]
fn star_of_the_moebius_strip() {
    star("moebius");
}

#[test]
fn matrix_of_the_open_square() {
    matrix("open-square", &["environment.agents=40"]);
}

#[test]
fn matrix_of_the_counterflow() {
    let at_once = ["source[0].rate=100", "source[1].rate=100"];
    let ten = ["source[0].count=10", "source[1].count=10"];
    let near = ["environment.length=20", "environment.width=4"];
    matrix("counterflow", &[at_once, ten, near].concat());
}

#[test]
fn matrix_of_the_rooms() {
    let at_once = ["source[0].premovement=0", "source[1].premovement=0"];
    matrix("rooms", &at_once);
}

#[test]
fn matrix_of_the_two_storeys() {
    let at_once = [
        "source[0].premovement=0",
        "source[1].premovement=0",
        "source[2].premovement=0",
    ];
    matrix("two-storey", &at_once);
}

#[test]
fn matrix_of_the_moebius_strip() {
    matrix("moebius", &[]);
}

/// Any guide and any avoidance in any tier over any map.
#[test]
fn mixes_of_tiers() {
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
    .map(|(name, sets)| Case::of_sets(name, sets));
    let lines = table("regions-of-interest", &cases, 50, 200);
    store("mixes_of_tiers", &lines);
}

/// Every model of avoidance in the scenarios that are made to try them, with everybody: long
/// enough for people to meet. The experiment `avoidance-models` walks them to the end.
#[test]
fn avoidance_in_its_scenarios() {
    let cases: Vec<_> = throng::registry()
        .of(Slot::Avoidance)
        .map(|s| Case::of_sets(&*s.id, vec![format!("avoidance.kind=\"{}\"", s.id)]))
        .collect();
    for (name, steps) in [
        ("circle-8", 300),
        ("circle-100", 150),
        ("circle-1000", 12),
        ("crossing", 300),
        ("crossing-four", 300),
        ("counterflow", 300),
        ("head-on", 200),
        ("bottleneck", 120),
        ("corner", 300),
        ("doorway", 250),
        ("squeeze", 400),
        ("evacuation", 100),
        ("open-square", 20),
        ("dense-square", 40),
    ] {
        let lines = table(name, &cases, EVERYBODY, steps);
        store(
            &format!("avoidance__{name}"),
            &format!("{steps} steps\n{lines}"),
        );
    }
}

/// A line for every case; none of them may be refused.
fn table(name: &str, cases: &[Case], agents: u64, steps: u64) -> String {
    let path = scenario(&format!("{name}.toml"));
    let study = Study::open(&path, &LoadOptions::default()).unwrap();
    let study = study.sized(|s| (s.agents, s.steps) = (agents, steps));
    let outcomes = study.run_all(cases, Keep::Figures, |_, _, _| {});
    let lines = cases
        .iter()
        .zip(outcomes)
        .map(|(case, outcome)| match outcome {
            Outcome::Ran(figures) => matrix_line(&case.name, &figures.line()),
            Outcome::Refused(why) => panic!("{name}, {}: refused: {why}", case.name),
            Outcome::Broken(why) => panic!("{name}, {}: {why}", case.name),
        });
    lines.collect()
}

fn store(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("../snapshots");
    settings.bind(|| insta::assert_snapshot!(name.to_owned(), text));
}
