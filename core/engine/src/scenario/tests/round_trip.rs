//! A resolved scenario reloads to an equal one.

use throng_core::registry::{Capabilities, Slot};

use super::*;
use crate::scenario::{
    AreaRef, Distribution, EnvironmentSource, EventAction, FloorRef, FollowKind, Goals, OnPeople,
};

fn shown(problems: Diagnostics) -> String {
    problems.to_string()
}

#[test]
fn every_key_survives_resolving() {
    let registry = registry();
    for text in [SHORT, EVERYTHING] {
        let scenario = parse(text, &[]).unwrap_or_else(|p| panic!("{p}"));
        let resolved = scenario.resolved(&registry);
        let again = parse(&resolved, &[]).map_err(shown).unwrap();
        assert_eq!(again, scenario, "{resolved}");
        assert_eq!(again.resolved(&registry), resolved);
        assert_eq!(again.hash(&registry), scenario.hash(&registry));
    }
}

#[test]
fn different_scenarios_have_different_hashes() {
    let registry = registry();
    let hash = |sets: &[&str]| parse(SHORT, sets).map_err(shown).unwrap().hash(&registry);
    assert_eq!(hash(&[]).len(), 64);
    assert_ne!(hash(&[]), hash(&["seed=1"]));
    assert_ne!(hash(&[]), hash(&["nav.cell=0.2"]));
    assert_eq!(hash(&[]), hash(&["nav.cell=0.1"]));
}

#[test]
fn a_short_scenario_has_the_defaults() {
    let scenario = parse(SHORT, &[]).map_err(shown).unwrap();
    let kinds = [
        &scenario.nav,
        &scenario.planner,
        &scenario.cost.model,
        &scenario.avoidance,
        &scenario.lod,
        &scenario.group,
    ];
    let kinds = kinds.map(|s| s.kind.as_str());
    assert_eq!(
        kinds,
        ["grid", "astar", "distance", "orca", "uniform", "none"]
    );
    assert_eq!(scenario.follow.kind, FollowKind::Gates);
    assert_eq!(scenario.profiles[0].name, "adult");
    assert_eq!(scenario.profiles[0].radius, Distribution::Fixed(0.24));
    // f32 options are written in as few digits as they need, infinity as TOML has it.
    assert_eq!(scenario.nav.table["cell"], toml::Value::from(0.1));
    assert_eq!(
        scenario.nav.table["horizon"],
        toml::Value::from(f64::INFINITY)
    );
    assert!(!scenario.nav.table.contains_key("kind"));
    match &scenario.environment.source {
        EnvironmentSource::Generate(spec) => {
            assert_eq!(spec.kind, "square");
            assert_eq!(spec.table["side"], toml::Value::from(10.0));
        }
        other => panic!("{other:?}"),
    }
    let combination = scenario.combination(Capabilities::PLAN_GROUND);
    assert_eq!(combination.id(Slot::Avoidance), "orca");
    assert!(!combination.given.has(Capabilities::REGIONS));
}

#[test]
fn every_key_is_read() {
    let s = parse(EVERYTHING, &[]).map_err(shown).unwrap();
    assert_eq!((s.seed, s.dt), (7, 0.05));
    // An f64 option keeps its digits even where an f32 would need fewer.
    assert_eq!(
        s.nav.table["exact"],
        toml::Value::from(0.100_000_001_490_116_12)
    );
    assert_eq!(
        (s.cost.weight, s.cost.every, s.cost.cell),
        (2.0, 0.5, Some(4.0))
    );
    assert_eq!(s.cost.model.table["factor"], toml::Value::from(7.5));
    assert!(!s.cost.model.table.contains_key("weight"));
    assert_eq!(s.planner.table["weight"], toml::Value::from(2.0));
    assert_eq!(s.tiers.iter().map(|t| t.level).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(s.tiers[0].period, 1);
    assert_eq!(s.tiers[1].avoidance.as_ref().unwrap().kind, "none");
    assert_eq!(s.tiers[1].follow.as_ref().unwrap().kind, FollowKind::Linear);
    assert!(s.replan.events.is_empty());
    assert_eq!(
        s.replan.hysteresis.as_ref().unwrap().hold,
        Distribution::Fixed(3.0)
    );
    assert_eq!(s.obstacles[0].shape.len(), 3);
    assert_eq!(s.areas[0].floor, FloorRef::Name("ground".into()));
    assert_eq!(s.interest[1].mover.as_deref(), Some("car"));
    assert_eq!(s.sources[1].goals, Goals::Random);
    match &s.sources[0].goals {
        Goals::Regions(goals) => {
            assert_eq!(goals[0], AreaRef::Name("top".into()));
            assert!(matches!(&goals[1], AreaRef::Point(p) if p.z == Some(5.0)));
            assert!(matches!(&goals[2], AreaRef::Shape(s) if s.len() == 3));
        }
        Goals::Random | Goals::Opposite => panic!("these are regions"),
    }
    assert_eq!(
        s.events[0].action,
        EventAction::Close("door-2".into(), OnPeople::Wait)
    );
    assert_eq!(
        s.events[2].action,
        EventAction::Close("door-2".into(), OnPeople::Move)
    );
    assert_eq!(s.events[3].action, EventAction::Release("boarding".into()));
    assert_eq!((s.goals[0].servers, s.goals[0].queue.len()), (2, 2));
    assert_eq!(s.goals[1].wait, Some(Distribution::Fixed(30.0)));
    assert_eq!(s.movers[0].track[1].z, Some(1.0));
    assert!(s.movers[0].looped);
    let snapshot = s.snapshot.as_ref().unwrap();
    assert_eq!(
        (snapshot.steps, snapshot.agents, snapshot.seeds),
        (40, 30, 3)
    );
    assert_eq!(snapshot.vary.of(throng_core::Slot::Nav), ["grid"]);
    assert!(snapshot.vary.planner.is_empty());
    assert_eq!(snapshot.tolerance.arrivals, 2.0);
    let combination = s.combination(Capabilities::NONE);
    assert!(combination.given.has(Capabilities::REGIONS));
    assert_eq!(combination.tiers.len(), 4);
}

#[test]
fn places_are_kept_for_problems_found_later() {
    let s = parse(EVERYTHING, &["source[1].count=5"])
        .map_err(shown)
        .unwrap();
    let place = s.provenance.place("source[0].area");
    let line = EVERYTHING
        .lines()
        .position(|l| l == "area = \"bottom\"")
        .unwrap()
        + 1;
    assert_eq!(place.to_string(), format!("s.toml:{line}:8"));
    assert_eq!(
        s.provenance.place("source[1].count").to_string(),
        "--set source[1].count=5"
    );
    let problem = s.provenance.error("source[0].area", "no such area");
    let expected = format!("s.toml:{line}:8: source[0].area = \"bottom\": no such area");
    assert_eq!(problem.to_string(), expected);
    assert_eq!(s.nav.place.line_column().unwrap().1, 8);
}

#[test]
fn a_set_kind_leaves_the_options_of_the_old_one_out() {
    let s = parse(
        EVERYTHING,
        &["nav.kind=grid", "cost.kind=distance", "nav.count=4"],
    );
    let s = s.map_err(shown).unwrap();
    assert_eq!(s.nav.kind, "grid");
    assert_eq!(s.nav.table["cell"], toml::Value::from(0.1));
    assert_eq!(s.nav.table["count"], toml::Value::from(4));
    assert_eq!(s.cost.model.table["factor"], toml::Value::from(5.0));
    assert_eq!(s.cost.weight, 2.0);
    let notices = s.provenance.notices.to_string();
    assert_eq!(s.provenance.notices.items().len(), 4, "{notices}");
    assert!(
        notices.contains("left out: --set nav.kind=grid"),
        "{notices}"
    );
    // The same kind keeps them.
    let same = parse(EVERYTHING, &["nav.kind=adaptive-grid"])
        .map_err(shown)
        .unwrap();
    assert_eq!(same.nav.table["cell"], toml::Value::from(0.3));
    // So does the default kind, named.
    let text = format!("{SHORT}\n[nav]\ncell = 0.7\n");
    let same = parse(&text, &["nav.kind=grid"]).map_err(shown).unwrap();
    assert_eq!(same.nav.table["cell"], toml::Value::from(0.7));
}
