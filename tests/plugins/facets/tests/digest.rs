//! The map linked and loaded: the same digest at every step, flat, through doors and curved.

use throng::core::Slot;

#[path = "../../digest.rs"]
mod digest;
#[path = "../src/facets.rs"]
mod facets;

const ROOMS: &str = r#"
    name = "plugin"
    seed = 11
    [nav]
    kind = "facets"
    [cost]
    kind = "density"
    [replan]
    every = 3.0
    events = ["door"]
    [[source]]
    area = "room-1"
    count = 12
    goals = ["room-4"]
    [[event]]
    at = 2.0
    close = "door-1"
    [[event]]
    at = 9.0
    open = "door-1"
"#;

#[test]
fn linked_and_loaded_give_the_same_bits_through_doors() {
    let other = ROOMS.replace("\"facets\"", "\"facets\"\nnarrowest = 3.0");
    let arrived = digest::same_bits((Slot::Nav, "facets", "facets"), "rooms", ROOMS, &other, 250);
    assert!(arrived > 0, "nobody arrived");
}

#[test]
fn linked_and_loaded_give_the_same_bits_on_a_strip() {
    let text = r#"
        name = "plugin"
        seed = 3
        [nav]
        kind = "facets"
        [planner]
        kind = "astar"
        [[source]]
        area = "everywhere"
        count = 20
        goals = "random"
        at_goal = "again"
    "#;
    let other = text.replace("\"facets\"", "\"facets\"\nnarrowest = 1.4");
    digest::same_bits(
        (Slot::Nav, "facets", "facets-strip"),
        "moebius",
        text,
        &other,
        80,
    );
}
