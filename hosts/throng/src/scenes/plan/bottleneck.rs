//! Two rooms with a wall between them, and one or two openings in it.

use throng_kit::environment::Environment;

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::options! {
    /// A room that empties through a narrow opening.
    pub(crate) struct Bottleneck {
        /// Length of the room, towards the opening.
        length: f64 = 12.0, "m", 1.0..=10000.0;
        /// Width of both rooms.
        width: f64 = 10.0, "m", 1.0..=10000.0;
        /// Width of the opening.
        opening: f64 = 1.2, "m", 0.3..=10000.0;
        /// Length of the opening: the thickness of the wall.
        thickness: f64 = 1.0, "m", 0.05..=1000.0;
        /// Length of the room beyond the opening.
        beyond: f64 = 8.0, "m", 1.0..=10000.0;
    }
}

impl Scene for Bottleneck {
    const ID: &'static str = "bottleneck";
    const ABOUT: &'static str =
        "a room, a narrow opening and a room beyond; areas: room, exit; line: door";

    fn draw(&self) -> Result<Environment, String> {
        if self.opening > self.width {
            return Err(format!(
                "an opening of {} m does not fit into a room {} m wide",
                self.opening, self.width
            ));
        }
        let low = (self.width - self.opening) / 2.0;
        let high = low + self.opening;
        let (wall, behind) = (self.length, self.length + self.thickness);
        let far = behind + self.beyond;
        let mut draft = Draft::of(vec![
            rect(0.0, 0.0, wall, self.width),
            rect(wall, low, behind, high),
            rect(behind, 0.0, far, self.width),
        ]);
        draft.area(0, "room", rect(0.0, 0.0, 0.75 * wall, self.width));
        draft.area(
            0,
            "exit",
            rect(far - 0.5 * self.beyond, 0.0, far, self.width),
        );
        let middle = (wall + behind) / 2.0;
        draft.line(0, "door", [(middle, low).into(), (middle, high).into()]);
        Ok(draft.finish())
    }
}

throng_core::options! {
    /// Two equal rooms with a door between them.
    pub(crate) struct Doorway {
        /// Length of each room.
        length: f64 = 8.0, "m", 1.0..=10000.0;
        /// Width of both rooms.
        width: f64 = 8.0, "m", 1.0..=10000.0;
        /// Width of the door.
        opening: f64 = 1.0, "m", 0.3..=10000.0;
        /// Thickness of the wall.
        thickness: f64 = 0.2, "m", 0.05..=1000.0;
    }
}

impl Scene for Doorway {
    const ID: &'static str = "doorway";
    const ABOUT: &'static str =
        "two equal rooms joined by a door that can be closed; areas: left, right; door: door";

    fn draw(&self) -> Result<Environment, String> {
        if self.opening > self.width {
            return Err(format!(
                "a door of {} m does not fit into a room {} m wide",
                self.opening, self.width
            ));
        }
        let low = (self.width - self.opening) / 2.0;
        let high = low + self.opening;
        let (wall, behind) = (self.length, self.length + self.thickness);
        let far = behind + self.length;
        let mut draft = Draft::of(vec![
            rect(0.0, 0.0, wall, self.width),
            rect(wall, low, behind, high),
            rect(behind, 0.0, far, self.width),
        ]);
        draft.area(0, "left", rect(0.0, 0.0, 0.5 * wall, self.width));
        draft.area(0, "right", rect(far - 0.5 * wall, 0.0, far, self.width));
        let middle = (wall + behind) / 2.0;
        draft.door(0, "door", [(middle, low).into(), (middle, high).into()]);
        Ok(draft.finish())
    }
}

throng_core::options! {
    /// Two rooms joined by a lower and an upper opening (Pentheny 2015, Figure 17.1): the crowd in
    /// `a` fills the lower one, and whoever starts in `b`, behind it, has a free way through the
    /// upper one.
    pub(crate) struct TwoOpenings {
        /// Width of the lower opening.
        lower: f64 = 1.5, "m", 0.3..=5.0;
        /// Width of the upper opening.
        upper: f64 = 1.5, "m", 0.3..=5.0;
    }
}

impl Scene for TwoOpenings {
    const ID: &'static str = "two-openings";
    const ABOUT: &'static str = "two rooms joined by a lower and an upper opening; areas: a, b, goal; lines and doors: lower, upper";

    fn draw(&self) -> Result<Environment, String> {
        const ROOM: f64 = 24.0;
        const HEIGHT: f64 = 24.0;
        const WALL: f64 = 1.0;
        const BEYOND: f64 = 14.0;
        // Seen from `b` and from the goal the lower opening is the nearer one.
        const OPENINGS: [(&str, f64); 2] = [("lower", 7.0), ("upper", 19.0)];
        let far = ROOM + WALL + BEYOND;
        let mut draft = Draft::of(vec![
            rect(0.0, 0.0, ROOM, HEIGHT),
            rect(ROOM + WALL, 0.0, far, HEIGHT),
        ]);
        for ((name, at), width) in OPENINGS.into_iter().zip([self.lower, self.upper]) {
            let (low, high) = (at - width / 2.0, at + width / 2.0);
            let passage = rect(ROOM, low, ROOM + WALL, high);
            draft.environment().floors[0].walkable.push(passage);
            let middle = ROOM + WALL / 2.0;
            draft.door(0, name, [(middle, low).into(), (middle, high).into()]);
        }
        draft.area(0, "a", rect(ROOM - 10.0, 2.0, ROOM - 1.0, 12.0));
        draft.area(0, "b", rect(ROOM - 16.0, 7.0, ROOM - 12.0, 11.0));
        draft.area(0, "goal", rect(far - 4.0, 5.0, far, 9.0));
        Ok(draft.finish())
    }
}

throng_core::options! {
    /// Two rooms joined by three gaps: the narrow one on the straight way, the wide one farthest
    /// off it. Who fits through which decides who walks where.
    pub(crate) struct ThreeGaps {
        /// Width of the gap straight ahead.
        narrow: f64 = 0.4, "m", 0.1..=2.0;
        /// Width of the gap a little off the straight way.
        medium: f64 = 0.7, "m", 0.1..=2.0;
        /// Width of the gap farthest off.
        wide: f64 = 1.6, "m", 0.1..=3.0;
    }
}

impl Scene for ThreeGaps {
    const ID: &'static str = "three-gaps";
    const ABOUT: &'static str = "two rooms joined by a narrow, a medium and a wide gap, the narrow one straight ahead; areas: start, goal; lines: narrow, medium, wide";

    fn draw(&self) -> Result<Environment, String> {
        const ROOM: f64 = 12.0;
        const HEIGHT: f64 = 16.0;
        const WALL: f64 = 0.5;
        let far = 2.0 * ROOM + WALL;
        let mut draft = Draft::of(vec![
            rect(0.0, 0.0, ROOM, HEIGHT),
            rect(ROOM + WALL, 0.0, far, HEIGHT),
        ]);
        let gaps = [
            ("narrow", 8.0, self.narrow),
            ("medium", 11.0, self.medium),
            ("wide", 2.5, self.wide),
        ];
        for (name, at, width) in gaps {
            let (low, high) = (at - width / 2.0, at + width / 2.0);
            let passage = rect(ROOM, low, ROOM + WALL, high);
            draft.environment().floors[0].walkable.push(passage);
            let middle = ROOM + WALL / 2.0;
            draft.line(0, name, [(middle, low).into(), (middle, high).into()]);
        }
        draft.area(0, "start", rect(1.0, 6.0, 5.0, 10.0));
        draft.area(0, "goal", rect(far - 5.0, 6.0, far - 1.0, 10.0));
        Ok(draft.finish())
    }
}
