//! A round room, for crowds that cross to the other side.

use core::f64::consts::TAU;

use glam::DVec2;
use throng_core::math;
use throng_kit::environment::{Environment, Polygon, Ring};

use super::draft::{Draft, square_at};
use crate::scenes::Scene;

throng_core::options! {
    /// A round room.
    pub(crate) struct Circle {
        /// Radius of the room.
        radius: f64 = 15.0, "m", 1.0..=10000.0;
        /// Sides of the polygon that stands for the circle.
        sides: usize = 64, "", 3..=4096;
    }
}

impl Scene for Circle {
    const ID: &'static str = "circle";
    const ABOUT: &'static str =
        "a round room about the origin; areas: everything, rim (the outer fifth), middle";

    fn draw(&self) -> Result<Environment, String> {
        let ring = |radius: f64| -> Ring {
            (0..self.sides)
                .map(|i| {
                    let angle = TAU * i as f64 / self.sides as f64;
                    radius * DVec2::new(math::cos(angle), math::sin(angle))
                })
                .collect()
        };
        let mut draft = Draft::of(vec![Polygon::new(ring(self.radius))]);
        draft.area(0, "everything", Polygon::new(ring(self.radius)));
        draft.area(
            0,
            "rim",
            Polygon {
                outer: ring(self.radius),
                holes: vec![ring(0.8 * self.radius)],
            },
        );
        draft.area(0, "middle", square_at(DVec2::ZERO, 0.1 * self.radius));
        Ok(draft.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_is_as_large_as_its_polygon() {
        let scene = Circle::default().draw().unwrap();
        let ring = &scene.floors[0].walkable[0].outer;
        let area: f64 = (0..ring.len())
            .map(|i| ring[i].perp_dot(ring[(i + 1) % ring.len()]) / 2.0)
            .sum();
        let expected = 32.0 * 225.0 * math::sin(TAU / 64.0);
        assert!((area - expected).abs() < 1e-9);
    }
}
