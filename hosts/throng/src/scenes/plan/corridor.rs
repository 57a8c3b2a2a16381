//! Corridors: straight, crossing and turning.

use throng_kit::environment::Environment;

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::options! {
    /// A straight corridor.
    pub(crate) struct Corridor {
        /// Length of the corridor, along x.
        length: f64 = 30.0, "m", 2.0..=100000.0;
        /// Width of the corridor.
        width: f64 = 4.0, "m", 0.5..=10000.0;
    }
}

impl Scene for Corridor {
    const ID: &'static str = "corridor";
    const ABOUT: &'static str = "a straight corridor; areas: left, right (its ends)";

    fn draw(&self) -> Result<Environment, String> {
        let (length, width) = (self.length, self.width);
        let end = (length / 6.0).min(5.0);
        let mut draft = Draft::of(vec![rect(0.0, 0.0, length, width)]);
        draft.area(0, "left", rect(0.0, 0.0, end, width));
        draft.area(0, "right", rect(length - end, 0.0, length, width));
        draft.line(
            0,
            "middle",
            [(length / 2.0, 0.0).into(), (length / 2.0, width).into()],
        );
        Ok(draft.finish())
    }
}

throng_core::options! {
    /// Two corridors that cross at a right angle.
    pub(crate) struct Crossing {
        /// Length of each of the four arms, from its end to the crossing.
        arm: f64 = 12.0, "m", 1.0..=10000.0;
        /// Width of both corridors.
        width: f64 = 4.0, "m", 0.5..=10000.0;
    }
}

impl Scene for Crossing {
    const ID: &'static str = "crossing";
    const ABOUT: &'static str =
        "two corridors crossing at a right angle; areas: w, e, s, n (the ends), middle";

    fn draw(&self) -> Result<Environment, String> {
        let (low, high) = (self.arm, self.arm + self.width);
        let far = high + self.arm;
        let end = (self.arm / 3.0).min(5.0);
        let mut draft = Draft::of(vec![rect(0.0, low, far, high), rect(low, 0.0, high, far)]);
        draft.area(0, "w", rect(0.0, low, end, high));
        draft.area(0, "e", rect(far - end, low, far, high));
        draft.area(0, "s", rect(low, 0.0, high, end));
        draft.area(0, "n", rect(low, far - end, high, far));
        draft.area(0, "middle", rect(low, low, high, high));
        Ok(draft.finish())
    }
}

throng_core::options! {
    /// A corridor with a right-angled turn to the left.
    pub(crate) struct Corner {
        /// Length of each of the two arms, from its end to the turn.
        arm: f64 = 12.0, "m", 1.0..=10000.0;
        /// Width of the corridor.
        width: f64 = 3.0, "m", 0.5..=10000.0;
    }
}

impl Scene for Corner {
    const ID: &'static str = "corner";
    const ABOUT: &'static str =
        "a corridor with a right-angled turn; areas: start, end (its ends), turn";

    fn draw(&self) -> Result<Environment, String> {
        let (arm, width) = (self.arm, self.width);
        let far = arm + width;
        let end = (arm / 3.0).min(5.0);
        let mut draft = Draft::of(vec![rect(0.0, 0.0, far, width), rect(arm, 0.0, far, far)]);
        draft.area(0, "start", rect(0.0, 0.0, end, width));
        draft.area(0, "end", rect(arm, far - end, far, far));
        draft.area(0, "turn", rect(arm, 0.0, far, width));
        Ok(draft.finish())
    }
}
