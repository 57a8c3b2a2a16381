//! The planner linked and loaded: the same digest at every step, planning and guiding.

use throng::core::Slot;

#[path = "../../digest.rs"]
mod digest;
#[path = "../src/sighted.rs"]
mod sighted;

const ROOMS: &str = r#"
    name = "plugin"
    seed = 11
    [planner]
    kind = "sighted"
    [cost]
    kind = "congestion"
    every = 1.0
    [replan]
    every = 2.0
    events = ["door"]
    [[source]]
    area = "room-1"
    count = 15
    goals = ["room-4"]
    [[source]]
    area = "room-2"
    count = 10
    goals = ["room-1"]
    [[event]]
    at = 3.0
    close = "door-1"
    [[event]]
    at = 9.0
    open = "door-1"
"#;

#[test]
fn linked_and_loaded_plan_the_same_bits() {
    let other = ROOMS.replace("\"sighted\"", "\"sighted\"\nfarthest = 0.0");
    let arrived = digest::same_bits(
        (Slot::Planner, "sighted", "sighted"),
        "rooms",
        ROOMS,
        &other,
        600,
    );
    assert!(arrived > 0, "nobody arrived");
}

#[test]
fn linked_and_loaded_guide_the_same_bits() {
    let text = ROOMS.replace("\"sighted\"", "\"sighted\"\nguides = true");
    let arrived = digest::same_bits(
        (Slot::Planner, "sighted", "sighted-guides"),
        "rooms",
        &text,
        ROOMS,
        600,
    );
    assert!(arrived > 0, "nobody arrived");
}

/// State put back into the run that it was taken from, and into a fresh one.
#[test]
fn a_loaded_planner_goes_on_where_it_was() {
    let text = ROOMS.replace("\"sighted\"", "\"sighted\"\nguides = true");
    let [_, loaded] = digest::registries(Slot::Planner, "sighted");
    let mut whole = digest::simulation("rooms", &text, loaded.clone(), 2);
    digest::digests(&mut whole, 60);
    let kept = whole.snapshot();
    let rest = digest::digests(&mut whole, 60);
    whole.restore(&kept).unwrap();
    assert_eq!(digest::digests(&mut whole, 60), rest, "put back");
    let mut fresh = digest::simulation("rooms", &text, loaded, 1);
    fresh.restore(&kept).unwrap();
    assert_eq!(digest::digests(&mut fresh, 60), rest, "fresh");
}
