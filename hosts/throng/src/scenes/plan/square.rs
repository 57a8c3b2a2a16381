//! An open square, of a given side or of a given crowd and density.

use throng_kit::environment::Environment;

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::options! {
    /// An open square.
    pub(crate) struct Square {
        /// Side of the square; 0 takes it from the number of agents and the density.
        side: f64 = 0.0, "m", 0.0..=100000.0;
        /// How many agents it is meant for, where no side is given.
        agents: u64 = 1000, "", 1..=100000000;
        /// Agents per square metre, where no side is given.
        density: f64 = 0.5, "1/m2", 0.001..=10.0;
        /// Whether the floor ends at the square. If not, it goes on for half a side all round, so
        /// that nobody who walks inside the area `everything` meets a wall.
        walls: bool = true;
    }
}

impl Scene for Square {
    const ID: &'static str = "square";
    const ABOUT: &'static str = "an open square; area: everything";

    fn draw(&self) -> Result<Environment, String> {
        let side = if self.side > 0.0 {
            self.side
        } else {
            (self.agents as f64 / self.density).sqrt()
        };
        if side < 0.5 {
            return Err(format!(
                "a square of {side} m is too small; give it at least 0.5 m"
            ));
        }
        let margin = if self.walls { 0.0 } else { side / 2.0 };
        let mut draft = Draft::of(vec![rect(-margin, -margin, side + margin, side + margin)]);
        draft.area(0, "everything", rect(0.0, 0.0, side, side));
        Ok(draft.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crowd_and_a_density_give_the_side() {
        let square = Square {
            agents: 20_000,
            ..Square::default()
        };
        let scene = square.draw().unwrap();
        assert_eq!(scene.areas[0].shape, rect(0.0, 0.0, 200.0, 200.0));
        assert_eq!(scene.floors[0].walkable[0], scene.areas[0].shape);
    }

    #[test]
    fn without_walls_the_floor_goes_on() {
        let square = Square {
            side: 10.0,
            walls: false,
            ..Square::default()
        };
        let scene = square.draw().unwrap();
        assert_eq!(scene.floors[0].walkable[0], rect(-5.0, -5.0, 15.0, 15.0));
    }
}
