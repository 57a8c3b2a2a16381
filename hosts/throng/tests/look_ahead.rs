//! Prices of later times in whole runs: who plans ahead knows that a crowd will have gone.

use throng::Simulation;

/// How far a walker strays from the straight line to its goal, metres. On that line a crowd fills
/// a cell of the price map; the walker comes when about half of it has left, if they `leave`. They
/// walk off straight across the line, as the crowd costs them nothing. Routes are planned once.
fn strays(variant: &str, slices: u32, leave: bool) -> f32 {
    let waits = if leave { 0.0 } else { 1000.0 };
    let text = format!(
        r#"
name = "look-ahead"
[environment]
generate = "square"
side = 40.0
[nav]
kind = "grid"
cell = 1.0
[planner]
kind = "theta-star"
variant = "{variant}"
[cost]
kind = "congestion"
unit = "persons"
cell = 8.0
every = 0.5
slices = {slices}
[avoidance]
kind = "none"
[profile.crowd]
speed = 1.3
weight = 0.0
[profile.walker]
speed = 1.3
[[source]]
area = [[16, 16], [24, 16], [24, 24], [16, 24]]
count = 64
premovement = {waits:.1}
goals = [[[16, 37], [24, 37], [24, 39], [16, 39]]]
profile = "crowd"
[[source]]
area = [2.5, 20.5]
count = 1
start = 3.0
goals = [[37.5, 20.5]]
profile = "walker"
"#
    );
    let built = Simulation::builder().threads(1).text(&text);
    let mut sim = built.unwrap_or_else(|e| panic!("{e}"));
    let (mut began, mut strayed, mut walked) = (None, 0.0_f32, 0.0_f32);
    while sim.time() < 40.0 {
        sim.step().unwrap();
        let agents = sim.agents();
        if let Some(walker) = (0..agents.len()).find(|&i| agents.record[i].source == 1) {
            let at = agents.location[walker].point;
            let way = at - *began.get_or_insert(at);
            strayed = strayed.max(way.y.abs());
            walked = walked.max(way.x);
        }
    }
    assert!(walked > 34.0, "the walker came {walked} m far");
    strayed
}

#[test]
fn a_crowd_that_walks_off_is_walked_through_by_those_who_look_ahead() {
    for variant in ["basic", "lazy"] {
        let [now, ahead] = [1, 6].map(|slices| strays(variant, slices, true));
        println!("{variant}: {now} m off the line, {ahead} m by those who look ahead");
        assert!(now > 4.0, "{variant}: by prices of now only {now} m round");
        assert!(ahead < 1.0, "{variant}: {ahead} m off the line");
        // A crowd that stays is gone round all the same.
        let stays = strays(variant, 6, false);
        assert!(stays > 4.0, "{variant}: only {stays} m round who stay");
    }
}
