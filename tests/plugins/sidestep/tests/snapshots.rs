//! The strategy across combinations: the ten lines that a plugin's author writes.
//!
//! New snapshots are reviewed with `cargo insta review`; `throng snapshot` reads the same files.

use throng::{
    core::Slot,
    snapshot::{Snapshots, assert_snapshots},
};

#[path = "../src/sidestep.rs"]
mod sidestep;

#[test]
fn sidestep_on_every_map_with_every_planner() {
    let crossing = Snapshots::of("tests/crossing.toml")
        .vary_all(Slot::Nav)
        .vary_all(Slot::Planner)
        .vary(Slot::Avoidance, ["sidestep"]);
    let (ran, refused) = assert_snapshots(&crossing);
    assert!(
        ran > 30 && refused < 10,
        "{ran} ran, {refused} were refused"
    );
}
