//! A building of two storeys: rooms along a corridor, a stairwell at either end.
//!
//! ```text
//!  +--------+----+----+----+--------+
//!  | stairs | 4  | 5  | 6  | stairs |
//!  |  ====  +-- -+- --+- --+  ====  |
//!  |             corridor           |
//!  |        +- --+- --+- --+        |
//!  |        | 1  | 2  | 3  |        |
//!  +--------+----+----+----+--------+
//! ```

use glam::DVec2;
use throng_kit::environment::{Environment, Polygon};

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::options! {
    /// A building of two storeys.
    pub(crate) struct TwoStorey {
        /// Width of the two stairs.
        stair: f64 = 2.0, "m", 0.8..=3.0;
        /// Width of the doors.
        opening: f64 = 1.0, "m", 0.5..=4.0;
        /// Height of a storey.
        height: f64 = 3.2, "m", 2.0..=10.0;
    }
}

const WELL: f64 = 10.0;
const ROOM: f64 = 9.0;
const DEPTH: f64 = 8.0;
const CORRIDOR: f64 = 4.0;
const WALL: f64 = 0.2;
const LENGTH: f64 = 2.0 * WELL + 3.0 * ROOM + 4.0 * WALL;
const WIDTH: f64 = 2.0 * (DEPTH + WALL) + CORRIDOR;

impl Scene for TwoStorey {
    const ID: &'static str = "two-storey";
    const ABOUT: &'static str = "a building of two storeys with two stairs and twelve rooms; areas: exit, ground-1 to ground-6, upper-1 to upper-6; doors: the rooms' with -door, and exit-door; stairs: stair-west, stair-east";

    fn draw(&self) -> Result<Environment, String> {
        let mut draft = Draft::default();
        for (floor, name) in ["ground", "upper"].into_iter().enumerate() {
            let low = DEPTH + WALL;
            draft.floor(
                name,
                self.height * floor as f64,
                vec![
                    rect(0.0, low, LENGTH, low + CORRIDOR),
                    rect(0.0, 0.0, WELL, WIDTH),
                    rect(LENGTH - WELL, 0.0, LENGTH, WIDTH),
                ],
            );
            for column in 0..3 {
                let left = WELL + WALL + (ROOM + WALL) * column as f64;
                self.room(
                    &mut draft,
                    floor,
                    format!("{name}-{}", column + 1),
                    left,
                    false,
                );
                self.room(
                    &mut draft,
                    floor,
                    format!("{name}-{}", column + 4),
                    left,
                    true,
                );
            }
        }
        self.stairs(&mut draft);
        // The way out is a porch in front of the western stairwell.
        let porch = rect(2.0, -5.0, 8.0, 0.0);
        draft.environment().floors[0].walkable.push(porch);
        draft.door(0, "exit-door", [DVec2::new(2.0, 0.0), DVec2::new(8.0, 0.0)]);
        draft.area(0, "exit", rect(2.0, -5.0, 8.0, -2.0));
        Ok(draft.finish())
    }
}

impl TwoStorey {
    /// A room with a door to the corridor.
    fn room(&self, draft: &mut Draft, floor: usize, name: String, left: f64, beyond: bool) {
        let right = left + ROOM;
        let (inside, passage, door): (Polygon, [f64; 2], f64) = if beyond {
            let wall = DEPTH + WALL + CORRIDOR;
            (
                rect(left, wall + WALL, right, WIDTH),
                [wall, wall + WALL],
                wall + WALL / 2.0,
            )
        } else {
            (
                rect(left, 0.0, right, DEPTH),
                [DEPTH, DEPTH + WALL],
                DEPTH + WALL / 2.0,
            )
        };
        let middle = left + ROOM / 2.0;
        let (from, to) = (middle - self.opening / 2.0, middle + self.opening / 2.0);
        let walkable = &mut draft.environment().floors[floor].walkable;
        walkable.push(inside.clone());
        walkable.push(rect(from, passage[0], to, passage[1]));
        draft.door(
            floor,
            format!("{name}-door"),
            [DVec2::new(from, door), DVec2::new(to, door)],
        );
        draft.area(floor, name, inside);
    }

    /// Stairs that start towards the middle of the building and end near its short sides.
    fn stairs(&self, draft: &mut Draft) {
        let (low, high) = (14.5, 14.5 + self.stair);
        let (bottom, top) = (8.0, 2.5);
        for (name, mirror) in [("stair-west", false), ("stair-east", true)] {
            let at = |x: f64| if mirror { LENGTH - x } else { x };
            let end = |x: f64| [DVec2::new(at(x), low), DVec2::new(at(x), high)];
            draft.stair(name, 0, end(bottom), end(top));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_room_has_its_door_and_both_stairs_go_up() {
        let scene = TwoStorey::default().draw().unwrap();
        assert_eq!(scene.floors.len(), 2);
        assert_eq!(scene.doors.len(), 13);
        assert_eq!(scene.areas.len(), 13);
        assert!(scene.connections.iter().all(|c| (c.from, c.to) == (0, 1)));
    }
}
