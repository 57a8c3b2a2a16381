//! Three floors joined by five stairs, with obstacles that are not convex.
//!
//! Stands for the *Layers* environment of van Toll, Cook and Geraerts 2012 (100 x 100 m, 332
//! vertices): 300 corners of obstacles, 12 of the floors, 20 of the stairs.

use glam::DVec2;
use throng_core::random::{Purpose, Stream};
use throng_kit::environment::{Environment, Polygon};

use super::draft::{Draft, rect};
use super::footprint::footprint;
use crate::scenes::Scene;

throng_core::options! {
    /// Three floors joined by five stairs.
    pub(crate) struct Layers {
        /// Width of the stairs.
        stair: f64 = 4.0, "m", 1.0..=8.0;
        /// Height of a storey.
        height: f64 = 5.0, "m", 2.0..=20.0;
        /// Draws other obstacles.
        seed: u64 = 1, "", 0..=2147483647;
    }
}

const SIDE: f64 = 100.0;
/// Floors are divided into 4 x 4 squares of this side: stairs have one each, obstacles the others.
const SQUARE: f64 = 25.0;
/// Floor below, column and row of each stair. The first lies on the straight way from corner to
/// corner.
const STAIRS: [(usize, usize, usize); 5] = [(0, 1, 1), (0, 3, 0), (0, 0, 3), (1, 2, 2), (1, 1, 3)];
/// Corners of the obstacles of each floor, by rows: 100 on each.
const CORNERS: [&[usize]; 3] = [
    &[6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 6],
    &[8, 12, 8, 8, 12, 8, 8, 8, 12, 8, 8],
    &[6, 8, 8, 6, 8, 6, 8, 8, 6, 8, 6, 8, 8, 6],
];

impl Scene for Layers {
    const ID: &'static str = "layers";
    const ABOUT: &'static str = "three floors of 100 x 100 m joined by five stairs (332 vertices); areas: start (a corner of the lowest floor), goal (the far corner of the highest), floor-0 to floor-2; stairs: stair-1 to stair-5";

    fn draw(&self) -> Result<Environment, String> {
        let mut random = Stream::new(self.seed, 0, Purpose::Strategy, 0);
        let mut draft = Draft::default();
        for (floor, corners) in CORNERS.into_iter().enumerate() {
            let name = format!("floor-{floor}");
            let whole = rect(0.0, 0.0, SIDE, SIDE);
            draft.floor(&name, self.height * floor as f64, vec![whole.clone()]);
            draft.area(floor, name, whole);
            let free = (0..16)
                .map(|square| (square % 4, square / 4))
                .filter(|&(column, row)| {
                    let stair_up = STAIRS.contains(&(floor, column, row));
                    let stair_down = floor > 0 && STAIRS.contains(&(floor - 1, column, row));
                    !(stair_up || stair_down)
                });
            for ((column, row), &corners) in free.zip(corners) {
                let square = DVec2::new(column as f64, row as f64) * SQUARE;
                let low = square + DVec2::new(random.range(3.0, 4.5), random.range(3.0, 4.5));
                let high =
                    square + SQUARE - DVec2::new(random.range(3.0, 4.5), random.range(3.0, 4.5));
                let ring = footprint(corners, low, high, &mut random);
                draft.solid(floor, Polygon::new(ring));
            }
        }
        for (number, (floor, column, row)) in STAIRS.into_iter().enumerate() {
            let middle = (DVec2::new(column as f64, row as f64) + 0.5) * SQUARE;
            // Stairs point along x: up to the right on the first storey, to the left on the next.
            let run = if floor == 0 { 6.0 } else { -6.0 };
            let end = |x: f64| {
                [
                    middle + DVec2::new(x, -self.stair / 2.0),
                    middle + DVec2::new(x, self.stair / 2.0),
                ]
            };
            draft.stair(&format!("stair-{}", number + 1), floor, end(-run), end(run));
        }
        draft.area(0, "start", rect(0.0, 0.0, 5.0, 5.0));
        draft.area(2, "goal", rect(SIDE - 5.0, SIDE - 5.0, SIDE, SIDE));
        Ok(draft.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::plan::footprint::{corner_count, separation};

    #[test]
    fn vertices_are_332_and_stairs_are_clear() {
        for seed in 0..5 {
            let layers = Layers {
                seed,
                ..Layers::default()
            };
            let scene = layers.draw().unwrap();
            assert_eq!(scene.connections.len(), 5);
            let mut corners = 4 * scene.connections.len();
            for (f, floor) in scene.floors.iter().enumerate() {
                corners += corner_count(&floor.walkable) + corner_count(&floor.solid);
                let mut shapes = floor.solid.clone();
                for c in &scene.connections {
                    if c.from == f || c.to == f {
                        let ring = [c.lower[0], c.lower[1], c.upper[1], c.upper[0]];
                        shapes.push(Polygon::new(ring.to_vec()));
                    }
                }
                for (i, one) in shapes.iter().enumerate() {
                    for other in &shapes[..i] {
                        assert!(separation(one, other) > 4.0, "floor {f}, seed {seed}");
                    }
                }
            }
            assert_eq!(corners, 332);
        }
    }
}
