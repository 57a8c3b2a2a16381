//! The behaviour linked and loaded: the same digest at every step.

use throng::core::Slot;

#[path = "../../digest.rs"]
mod digest;
#[path = "../src/huddle.rs"]
mod huddle;

#[test]
fn linked_and_loaded_give_the_same_bits() {
    let text = r#"
        name = "plugin"
        seed = 11
        [group]
        kind = "huddle"
        [[source]]
        area = "w"
        count = 30
        goals = ["e"]
        groups = { sizes = [0, 2, 1, 1] }
        [[source]]
        area = "s"
        count = 20
        goals = ["n"]
    "#;
    let other = text.replace("\"huddle\"", "\"huddle\"\npull = 0.0");
    digest::same_bits(
        (Slot::Group, "huddle", "huddle"),
        "crossing",
        text,
        &other,
        120,
    );
}
