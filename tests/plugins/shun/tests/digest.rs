//! A whole simulation with the strategy linked and with it loaded: the same digest at every step.

use throng::core::Slot;

#[path = "../../digest.rs"]
mod digest;
#[path = "../src/shun.rs"]
mod shun;

#[test]
fn linked_and_loaded_give_the_same_bits() {
    let text = r#"
        name = "plugin"
        seed = 11
        [cost]
        kind = "shun"
        [replan]
        every = 2.0
        [[source]]
        area = "w"
        count = 25
        goals = ["e"]
        [[source]]
        area = "s"
        count = 25
        goals = ["n"]
    "#;
    let other = text.replace("\"shun\"", "\"shun\"\nfactor = 0.5");
    digest::same_bits((Slot::Cost, "shun", "shun"), "crossing", text, &other, 120);
}
