//! What a scenario asks of regions, tiers and movers that cannot be is refused at its place, and
//! what comes to nothing is said.

use throng::Simulation;

/// A square with one source; a case's own text follows.
fn square(more: &str) -> Result<Simulation, String> {
    let text = format!(
        "name = \"square\"\n[environment]\ngenerate = \"square\"\n[nav]\nkind = \"nav-graph\"\n\
         [[source]]\narea = \"everything\"\ncount = 3\ngoals = \"random\"\n{more}"
    );
    let mut simulation = Simulation::from_text(&text).map_err(|e| e.to_string())?;
    simulation.step().map_err(|e| e.to_string())?;
    Ok(simulation)
}

#[test]
fn what_cannot_be_is_refused() {
    let car = |track: &str| format!("[[mover]]\nname = \"car\"\nspeed = 5\ntrack = {track}\n");
    let refused = |more: &str| square(more).expect_err("refused");
    let far = refused(&car("[[-500, 2], [-400, 2]]"));
    assert!(far.contains("mover[0].track"), "{far}");
    assert!(far.contains("passes no ground"), "{far}");
    assert!(square(&car("[[-500, 10], [500, 10]]")).is_ok());
    let dense = "[planner]\nkind = \"potential-field\"\nsparse = 3.0\ndense = 1.0\n";
    let dense = refused(dense);
    assert!(
        dense.contains("sparse = 3 is not below dense = 1"),
        "{dense}"
    );
}

#[test]
fn what_comes_to_nothing_is_said() {
    const ROI: &str = "[[roi]]\nat = [10, 10]\nradius = 5\n";
    const TIERS: &str = "[[tier]]\nlevel = 0\n[[tier]]\nlevel = 1\n";
    let lod = "[lod]\nkind = \"roi\"\n";
    let group = "[group]\nkind = \"leader-follower\"\n";
    let cases = [
        (format!("{ROI}{TIERS}"), "no effect with lod.kind"),
        (format!("{lod}{ROI}"), "there is no [[tier]]"),
        (TIERS.to_owned(), "gives everybody the same tier"),
        (
            format!("{lod}{TIERS}[[roi]]\nat = [900, 10]\nradius = 5\n"),
            "no ground is within its radius",
        ),
        (group.to_owned(), "no source makes groups"),
    ];
    for (more, wanted) in cases {
        let simulation = square(&more).expect("runs");
        let notices = simulation.notices().join("\n");
        assert!(notices.contains(wanted), "{more}: {notices}");
    }
    let quiet = square(&format!("{lod}{ROI}{TIERS}")).expect("runs");
    assert!(quiet.notices().is_empty(), "{:?}", quiet.notices());
}

#[test]
fn nobody_starts_under_a_car() {
    let crowd = "[[source]]\narea = \"everything\"\ncount = 600\ngoals = \"random\"\n";
    let car = "[[mover]]\nname = \"car\"\nspeed = 0\nradius = 1.5\ntrack = [[20, 20]]\n";
    let simulation = square(&format!("{crowd}{car}")).expect("runs");
    let at = simulation.world().movers[0].at;
    let places = simulation.agents().before.iter();
    let nearest = places
        .map(|p| p.point.distance(at))
        .fold(f32::MAX, f32::min);
    assert!(
        nearest > 1.5,
        "{nearest} m from the middle of a car of 1.5 m"
    );
}
