//! Rooms in rows and columns, with a door between each two neighbours.

use glam::DVec2;
use throng_kit::environment::{Environment, Polygon};

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::options! {
    /// Rooms in rows and columns.
    pub(crate) struct Rooms {
        /// Rooms along x.
        columns: usize = 4, "", 1..=100;
        /// Rooms along y.
        rows: usize = 3, "", 1..=100;
        /// Inner side of a room.
        room: f64 = 6.0, "m", 1.0..=1000.0;
        /// Thickness of the walls between rooms.
        thickness: f64 = 0.2, "m", 0.05..=10.0;
        /// Width of the doors, in the middle of each wall.
        opening: f64 = 1.0, "m", 0.3..=100.0;
    }
}

impl Scene for Rooms {
    const ID: &'static str = "rooms";
    const ABOUT: &'static str = "rooms in rows and columns with doors that can be closed; areas: room-1 on, by rows; doors: door-1 on";

    fn draw(&self) -> Result<Environment, String> {
        if self.opening > self.room {
            return Err(format!(
                "doors of {} m do not fit into rooms of {} m",
                self.opening, self.room
            ));
        }
        let pitch = self.room + self.thickness;
        let low = (self.room - self.opening) / 2.0;
        let corner = |column: usize, row: usize| DVec2::new(column as f64, row as f64) * pitch;
        let mut draft = Draft::of(Vec::new());
        let mut passages = Vec::new();
        for row in 0..self.rows {
            for column in 0..self.columns {
                let at = corner(column, row);
                let next = corner(column + 1, row + 1);
                let inside = Polygon::rectangle(at, at + self.room);
                draft.environment().floors[0].walkable.push(inside.clone());
                draft.area(
                    0,
                    format!("room-{}", row * self.columns + column + 1),
                    inside,
                );
                if column + 1 < self.columns {
                    let (left, right) = (at.x + self.room, next.x);
                    let (bottom, top) = (at.y + low, at.y + low + self.opening);
                    let middle = (left + right) / 2.0;
                    passages.push((
                        rect(left, bottom, right, top),
                        [DVec2::new(middle, bottom), DVec2::new(middle, top)],
                    ));
                }
                if row + 1 < self.rows {
                    let (bottom, top) = (at.y + self.room, next.y);
                    let (left, right) = (at.x + low, at.x + low + self.opening);
                    let middle = (bottom + top) / 2.0;
                    passages.push((
                        rect(left, bottom, right, top),
                        [DVec2::new(left, middle), DVec2::new(right, middle)],
                    ));
                }
            }
        }
        for (number, (passage, ends)) in passages.into_iter().enumerate() {
            draft.environment().floors[0].walkable.push(passage);
            draft.door(0, format!("door-{}", number + 1), ends);
        }
        Ok(draft.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_one_door() {
        let scene = Rooms::default().draw().unwrap();
        assert_eq!(scene.areas.len(), 12);
        assert_eq!(scene.doors.len(), 3 * 3 + 4 * 2);
    }
}
