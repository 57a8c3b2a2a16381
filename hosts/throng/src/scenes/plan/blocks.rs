//! Blocks of buildings with five ways through, the straight one in the middle.
//!
//! Stands for the *Blocks* environment of van Toll, Cook and Geraerts 2012 (52 obstacle
//! vertices). From a strip at the bottom everybody comes through a wide mouth, and from there the
//! middle is the shortest way for nearly everybody, the narrow ways beside it are a little longer
//! and the outer ones a good deal; a street half-way joins all five. Under the paper's linear law
//! of speed a passage takes at most 1.9 persons a second and metre of its width, and its mouth,
//! where everybody turns in, about 1.5: with 10 m the middle does not take the paper's stream of
//! 20 a second and jams, the middle and its neighbours together do, and those whom crowds weigh on
//! more have the outer ones.

use glam::DVec2;
use throng_kit::environment::{Environment, Polygon};

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::options! {
    /// Blocks between a bottom and a top strip. It has no options.
    pub(crate) struct Blocks {}
}

/// Side of the scene, metres.
const SIDE: f64 = 100.0;
/// The building round the left half: the bottom and the top mouth end at its wings.
const AROUND: [[f64; 2]; 8] = [
    [0.0, 12.0],
    [32.0, 12.0],
    [32.0, 24.0],
    [14.0, 24.0],
    [14.0, 76.0],
    [32.0, 76.0],
    [32.0, 88.0],
    [0.0, 88.0],
];
/// Left and right sides of the blocks in the left half, and bottoms and tops of their rows.
const COLUMNS: [[f64; 2]; 2] = [[23.0, 36.0], [40.0, 45.0]];
const ROWS: [[f64; 2]; 2] = [[33.0, 47.0], [53.0, 67.0]];

impl Scene for Blocks {
    const ID: &'static str = "blocks";
    const ABOUT: &'static str = "100 x 100 m of blocks (52 obstacle vertices) with a straight way in the middle and longer ones beside it; areas: bottom, top; lines: left, middle, right";

    fn draw(&self) -> Result<Environment, String> {
        let mut draft = Draft::of(vec![rect(0.0, 0.0, SIDE, SIDE)]);
        draft.solid(0, Polygon::new(AROUND.map(DVec2::from).to_vec()));
        let mirrored = AROUND.map(|[x, y]| DVec2::new(SIDE - x, y));
        draft.solid(0, Polygon::new(mirrored.into_iter().rev().collect()));
        for [bottom, top] in ROWS {
            for [left, right] in COLUMNS {
                draft.solid(0, rect(left, bottom, right, top));
                draft.solid(0, rect(SIDE - right, bottom, SIDE - left, top));
            }
        }
        // The last one stands by itself in a corner of the bottom strip.
        draft.solid(0, rect(2.0, 3.0, 6.0, 9.0));
        draft.area(0, "bottom", rect(10.0, 1.0, 90.0, 9.0));
        draft.area(0, "top", rect(10.0, 91.0, 90.0, 99.0));
        for (name, from, to) in [
            ("left", 14.0, 40.0),
            ("middle", 45.0, 55.0),
            ("right", 60.0, 86.0),
        ] {
            draft.line(0, name, [(from, 40.0).into(), (to, 40.0).into()]);
        }
        Ok(draft.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::plan::footprint::{corner_count, separation};

    #[test]
    fn eleven_blocks_with_52_vertices_that_do_not_overlap() {
        let scene = Blocks::default().draw().unwrap();
        let solid = &scene.floors[0].solid;
        assert_eq!(corner_count(solid), 52);
        for (i, one) in solid.iter().enumerate() {
            for other in &solid[..i] {
                assert!(separation(one, other) >= 3.0);
            }
        }
    }
}
