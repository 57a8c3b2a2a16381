//! The policy linked and loaded: the same digest at every step, and after resuming.

use throng::core::Slot;

#[path = "../src/crowded.rs"]
mod crowded;
#[path = "../../digest.rs"]
mod digest;

const TEXT: &str = r#"
    name = "plugin"
    seed = 11
    [lod]
    kind = "crowded"
    [[tier]]
    level = 0
    [[tier]]
    level = 1
    period = 3
    avoidance = { kind = "none" }
    [[source]]
    area = "w"
    count = 25
    goals = ["e"]
    [[source]]
    area = "s"
    count = 25
    goals = ["n"]
"#;

#[test]
fn linked_and_loaded_give_the_same_bits() {
    let other = TEXT.replace("\"crowded\"", "\"crowded\"\npersons = 0.5");
    digest::same_bits(
        (Slot::Lod, "crowded", "crowded"),
        "crossing",
        TEXT,
        &other,
        120,
    );
}

#[test]
fn a_loaded_policy_goes_on_where_it_was() {
    let [_, loaded] = digest::registries(Slot::Lod, "crowded");
    let mut whole = digest::simulation("crossing", TEXT, loaded.clone(), 2);
    digest::digests(&mut whole, 40);
    let kept = whole.snapshot();
    let rest = digest::digests(&mut whole, 40);
    let mut fresh = digest::simulation("crossing", TEXT, loaded, 1);
    fresh.restore(&kept).unwrap();
    assert_eq!(digest::digests(&mut fresh, 40), rest);
}
