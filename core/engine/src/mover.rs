//! Movers: vehicles on tracks, which avoid nobody.

use glam::{DVec2, Vec3};
use serde::{Deserialize, Serialize};
use throng_core::{GroundView, MoverView};
use throng_kit::Walk;

/// A vehicle on a track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mover {
    /// Its name; a region of interest may travel with it.
    pub name: String,
    /// The points that it drives along, world plan coordinates.
    pub track: Vec<DVec2>,
    /// Its speed, metres per second.
    pub speed: f64,
    /// Its radius, metres.
    pub radius: f32,
    /// Whether it starts over at the end; else it stays there.
    pub again: bool,
    /// How uncomfortable the ground ahead of it is, as a price per metre.
    pub discomfort: f32,
    /// When it sets off, seconds.
    pub start: f64,
}

impl Mover {
    /// Where it is at a time, and how it moves, in plan.
    pub fn at(&self, time: f64) -> (DVec2, DVec2) {
        let Some(&first) = self.track.first() else {
            return (DVec2::ZERO, DVec2::ZERO);
        };
        let legs = self.track.windows(2).map(|w| (w[0], w[1]));
        let total: f64 = legs.clone().map(|(a, b)| a.distance(b)).sum();
        if total <= 0.0 || time <= self.start {
            return (first, DVec2::ZERO);
        }
        let mut way = (time - self.start) * self.speed;
        if self.again {
            way %= total;
        } else if way >= total {
            return (self.track[self.track.len() - 1], DVec2::ZERO);
        }
        for (a, b) in legs {
            let length = a.distance(b);
            if way <= length && length > 0.0 {
                let along = (b - a) / length;
                return (a + along * way, along * self.speed);
            }
            way -= length;
        }
        (self.track[self.track.len() - 1], DVec2::ZERO)
    }

    /// What strategies see of it at a time.
    pub fn view(&self, ground: GroundView<'_>, time: f64) -> MoverView {
        let (at, velocity) = self.at(time);
        let local = (at - ground.origin.truncate()).as_vec2();
        let height = ground
            .locate_plan(local, None)
            .map_or(0.0, |place| place.point.z);
        MoverView {
            at: local.extend(height),
            velocity: Vec3::new(velocity.x as f32, velocity.y as f32, 0.0),
            radius: self.radius,
            discomfort: self.discomfort,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_along_its_track_and_over_again() {
        let mut car = Mover {
            name: "car".into(),
            track: vec![DVec2::ZERO, DVec2::new(10.0, 0.0), DVec2::new(10.0, 10.0)],
            speed: 5.0,
            radius: 1.0,
            again: true,
            discomfort: 0.0,
            start: 1.0,
        };
        assert_eq!(car.at(0.5).0, DVec2::ZERO);
        assert_eq!(car.at(2.0), (DVec2::new(5.0, 0.0), DVec2::new(5.0, 0.0)));
        assert_eq!(car.at(4.0).0, DVec2::new(10.0, 5.0));
        assert_eq!(car.at(6.0).0, DVec2::new(5.0, 0.0));
        car.again = false;
        assert_eq!(car.at(9.0), (DVec2::new(10.0, 10.0), DVec2::ZERO));
    }
}
