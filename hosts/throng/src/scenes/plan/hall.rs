//! An airport-like hall for journeys: entrance, check-in, security, gate.

use glam::DVec2;
use throng_kit::environment::Environment;

use super::draft::{Draft, rect};
use crate::scenes::Scene;

throng_core::options! {
    /// An airport-like hall.
    pub(crate) struct Hall {
        /// Check-in desks, six to an island.
        desks: usize = 24, "", 1..=600;
        /// Lanes through security.
        lanes: usize = 6, "", 1..=100;
        /// Gates.
        gates: usize = 8, "", 1..=100;
    }
}

const DESKS_PER_ISLAND: usize = 6;
const ISLAND_PITCH: f64 = 28.0;
const DESK: f64 = 3.0;
const LANE: f64 = 1.6;
const MACHINE: f64 = 2.0;
const GATE_PITCH: f64 = 14.0;
/// Where check-in, security, shops, gates and the far wall begin, from the entrance wall.
const CHECK_IN: f64 = 14.0;
const SECURITY: f64 = 30.0;
const AIRSIDE: f64 = 38.0;
const SHOPS: f64 = 46.0;
const GATES: f64 = 64.0;
const FAR: f64 = 68.0;

impl Scene for Hall {
    const ID: &'static str = "hall";
    const ABOUT: &'static str = "an airport-like hall; areas: entrance-1 to entrance-3, check-in-1 on, security-1 on, gate-1 on, landside, airside; lines: security, and one per lane; seats as avoidance-only obstacles";

    fn draw(&self) -> Result<Environment, String> {
        let islands = self.desks.div_ceil(DESKS_PER_ISLAND);
        let lanes_width = self.lanes as f64 * (LANE + MACHINE) - MACHINE;
        let width = (ISLAND_PITCH * islands as f64)
            .max(GATE_PITCH * self.gates as f64)
            .max(lanes_width + 16.0)
            .max(60.0);
        let mut draft = Draft::of(vec![rect(0.0, 0.0, width, FAR)]);
        for number in 0..3 {
            let middle = width * (2 * number + 1) as f64 / 6.0;
            draft.area(
                0,
                format!("entrance-{}", number + 1),
                rect(middle - 4.0, 0.0, middle + 4.0, 3.0),
            );
        }
        self.check_in(&mut draft, width / islands as f64);
        self.security(&mut draft, width, lanes_width);
        self.airside(&mut draft, width);
        draft.area(0, "landside", rect(0.0, 0.0, width, SECURITY));
        draft.area(0, "airside", rect(0.0, AIRSIDE, width, FAR));
        Ok(draft.finish())
    }
}

impl Hall {
    /// Islands of desks; one is served on the side of the entrance.
    fn check_in(&self, draft: &mut Draft, pitch: f64) {
        for first in (0..self.desks).step_by(DESKS_PER_ISLAND) {
            let count = DESKS_PER_ISLAND.min(self.desks - first);
            let middle = pitch * ((first / DESKS_PER_ISLAND) as f64 + 0.5);
            let left = middle - DESK * count as f64 / 2.0;
            let right = left + DESK * count as f64;
            draft.solid(0, rect(left, CHECK_IN, right, CHECK_IN + 3.0));
            for desk in 0..count {
                let at = left + DESK * (desk as f64 + 0.5);
                draft.area(
                    0,
                    format!("check-in-{}", first + desk + 1),
                    rect(at - 0.8, CHECK_IN - 2.0, at + 0.8, CHECK_IN - 0.4),
                );
            }
        }
    }

    /// A wall from side to side with lanes between machines in its middle.
    fn security(&self, draft: &mut Draft, width: f64, lanes_width: f64) {
        let first = (width - lanes_width) / 2.0;
        let mut wall = 0.0;
        for lane in 0..self.lanes {
            let left = first + lane as f64 * (LANE + MACHINE);
            let right = left + LANE;
            draft.solid(0, rect(wall, SECURITY, left, AIRSIDE));
            wall = right;
            draft.area(
                0,
                format!("security-{}", lane + 1),
                rect(left, SECURITY + 3.0, right, SECURITY + 5.0),
            );
            draft.line(
                0,
                format!("lane-{}", lane + 1),
                [DVec2::new(left, AIRSIDE), DVec2::new(right, AIRSIDE)],
            );
        }
        draft.solid(0, rect(wall, SECURITY, width, AIRSIDE));
        let behind = AIRSIDE + 0.5;
        draft.line(
            0,
            "security",
            [
                DVec2::new(first, behind),
                DVec2::new(first + lanes_width, behind),
            ],
        );
    }

    /// Shops in the way, and gates with seats in front of them.
    fn airside(&self, draft: &mut Draft, width: f64) {
        let shops = (width / 24.0).floor();
        let pitch = width / shops;
        for shop in 0..shops as usize {
            let middle = pitch * (shop as f64 + 0.5);
            draft.solid(0, rect(middle - 8.0, SHOPS, middle + 8.0, SHOPS + 7.0));
        }
        let pitch = width / self.gates as f64;
        for gate in 0..self.gates {
            let middle = pitch * (gate as f64 + 0.5);
            if gate > 0 {
                let pier = pitch * gate as f64;
                draft.solid(0, rect(pier - 0.5, GATES - 4.0, pier + 0.5, FAR));
            }
            draft.area(
                0,
                format!("gate-{}", gate + 1),
                rect(middle - 3.0, GATES, middle + 3.0, FAR),
            );
            for side in [-1.0, 1.0] {
                let seats = middle + side * 4.8;
                draft.obstacle(0, rect(seats - 0.5, GATES - 3.5, seats + 0.5, GATES + 1.5));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_desks_lanes_and_gates_as_asked_for() {
        for (desks, lanes, gates) in [(24, 6, 8), (1, 1, 1), (7, 40, 3)] {
            let scene = Hall {
                desks,
                lanes,
                gates,
            }
            .draw()
            .unwrap();
            let named = |start: &str| {
                scene
                    .areas
                    .iter()
                    .filter(|a| a.name.starts_with(start))
                    .count()
            };
            assert_eq!(named("check-in-"), desks);
            assert_eq!(named("security-"), lanes);
            assert_eq!(named("gate-"), gates);
        }
    }
}
