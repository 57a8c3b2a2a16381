//! A whole simulation with the strategy linked and with it loaded: the same digest at every step.

use throng::core::Slot;

#[path = "../../digest.rs"]
mod digest;
#[path = "../src/sidestep.rs"]
mod sidestep;

#[test]
fn linked_and_loaded_give_the_same_bits() {
    let text = r#"
        name = "plugin"
        seed = 11
        [avoidance]
        kind = "sidestep"
        [[source]]
        area = "w"
        count = 25
        goals = ["e"]
        [[source]]
        area = "s"
        count = 25
        goals = ["n"]
    "#;
    let other = text.replace("\"sidestep\"", "\"sidestep\"\ngap = 0.1");
    digest::same_bits(
        (Slot::Avoidance, "sidestep", "sidestep"),
        "crossing",
        text,
        &other,
        120,
    );
}
