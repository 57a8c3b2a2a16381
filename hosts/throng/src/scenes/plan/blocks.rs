//! Blocks of buildings with many ways through, the straight one in the middle.
//!
//! Stands for the *Blocks* environment of van Toll, Cook and Geraerts 2012 (52 obstacle
//! vertices). The way through the middle is the shortest for nearly everybody; the ways on either side
//! wind between the blocks, and two cross streets join them all. Under the paper's linear law of
//! speed a passage takes at most 1.9 persons a second and metre of its width, and its mouth, where
//! everybody turns in, about 1.5: with 12 m the middle does not take the paper's stream of 20 a
//! second and jams, the ways beside it together take a good deal more.

use throng_kit::environment::Environment;

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::options! {
    /// Blocks between a bottom and a top strip. It has no options.
    pub(crate) struct Blocks {}
}

/// Left side, right side, bottom, top of the blocks in the left half; the right half mirrors them.
const LEFT_HALF: [[f64; 4]; 6] = [
    [0.0, 26.0, 14.0, 32.0],
    [34.0, 44.0, 14.0, 32.0],
    [0.0, 4.0, 42.0, 58.0],
    [12.0, 44.0, 42.0, 58.0],
    [0.0, 26.0, 68.0, 86.0],
    [34.0, 44.0, 68.0, 86.0],
];

impl Scene for Blocks {
    const ID: &'static str = "blocks";
    const ABOUT: &'static str = "100 x 100 m of blocks (52 obstacle vertices) with a straight way in the middle and winding ones beside it; areas: bottom, top; lines: left, middle, right";

    fn draw(&self) -> Result<Environment, String> {
        const SIDE: f64 = 100.0;
        let mut draft = Draft::of(vec![rect(0.0, 0.0, SIDE, SIDE)]);
        for [left, right, bottom, top] in LEFT_HALF {
            draft.solid(0, rect(left, bottom, right, top));
            draft.solid(0, rect(SIDE - right, bottom, SIDE - left, top));
        }
        // The last one stands by itself in a corner of the bottom strip.
        draft.solid(0, rect(2.0, 3.0, 6.0, 9.0));
        draft.area(0, "bottom", rect(10.0, 1.0, 90.0, 9.0));
        draft.area(0, "top", rect(10.0, 91.0, 90.0, 99.0));
        for (name, from, to) in [
            ("left", 0.0, 44.0),
            ("middle", 44.0, 56.0),
            ("right", 56.0, 100.0),
        ] {
            draft.line(0, name, [(from, 50.0).into(), (to, 50.0).into()]);
        }
        Ok(draft.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::plan::footprint::{corner_count, separation};

    #[test]
    fn thirteen_blocks_with_52_vertices_that_do_not_overlap() {
        let scene = Blocks::default().draw().unwrap();
        let solid = &scene.floors[0].solid;
        assert_eq!(corner_count(solid), 52);
        for (i, one) in solid.iter().enumerate() {
            for other in &solid[..i] {
                assert!(separation(one, other) >= 4.0);
            }
        }
    }
}
