//! Buildings: the outside of a stepped tower, and the inside of a house with many storeys.

use glam::DVec3;
use throng_kit::environment::{Environment, Mesh};

use super::environment;
use super::shape::{quad, zip};
use crate::scenes::Scene;

throng_core::options! {
    /// The outside of a stepped tower, from the pavement to the tip of its roof.
    pub(crate) struct BuildingExterior {
        /// Side of its lowest storey.
        side: f64 = 30.0, "m", 15.0..=10000.0;
        /// Height of each of its four steps.
        height: f64 = 10.0, "m", 1.0..=10000.0;
    }
}

impl Scene for BuildingExterior {
    const ID: &'static str = "building-exterior";
    const ABOUT: &'static str =
        "the outside of a stepped tower with pavement and roof, 5,100 m2 (68 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        let half = self.side / 2.0;
        let step = self.side / 10.0;
        let mut rings = vec![(half + 2.0 * step, 0.0)];
        for tier in 0..4 {
            let half = half - step * f64::from(tier);
            rings.push((half, self.height * f64::from(tier)));
            rings.push((half, self.height * f64::from(tier + 1)));
        }
        let mut mesh = Mesh::default();
        for (half, z) in &rings {
            for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                mesh.vertices.push(DVec3::new(x * half, y * half, *z));
            }
        }
        let tip = mesh.vertices.len() as u32;
        let roof = self.height * 4.0 + step;
        mesh.vertices.push(DVec3::Z * roof);
        for ring in 1..rings.len() as u32 {
            let (below, above) = (4 * (ring - 1), 4 * ring);
            for i in 0..4 {
                let j = (i + 1) % 4;
                quad(&mut mesh, [below + i, below + j, above + j, above + i]);
            }
        }
        for i in 0..4 {
            mesh.triangles
                .push([tip - 4 + i, tip - 4 + (i + 1) % 4, tip]);
        }
        Ok(environment(mesh))
    }
}

throng_core::options! {
    /// Storeys joined by stairs of two flights, outside the floors on their short sides.
    pub(crate) struct Building {
        /// Storeys.
        storeys: usize = 15, "", 1..=15;
        /// Staircases: 1, or 2 at opposite ends. 2 with 11 storeys are 224 triangles.
        stairs: usize = 1, "", 1..=2;
        /// Whether a way leads out of the lowest storey to a square in front of the house.
        exit: bool = false;
        /// Length of a floor.
        length: f64 = 40.0, "m", 10.0..=1000.0;
        /// Width of a floor.
        width: f64 = 25.0, "m", 24.0..=1000.0;
        /// Height of a storey.
        height: f64 = 3.6, "m", 2.5..=10.0;
        /// Width of a flight of stairs; landings are twice as wide and at least as deep.
        flight: f64 = 2.5, "m", 0.6..=5.0;
    }
}

const RUN: f64 = 6.0;
const LANDING: f64 = 3.0;
/// Where the flights begin along the side of a floor.
const FIRST_FLIGHT: f64 = 5.0;
const EXIT: [f64; 2] = [17.0, 20.0];

impl Scene for Building {
    const ID: &'static str = "building";
    const ABOUT: &'static str = "floors of 1,000 m2 joined by stairs (15 storeys: 171 triangles), with an exit to a square if wanted";

    fn draw(&self) -> Result<Environment, String> {
        let mut mesh = Mesh::default();
        let mut vertex = |x: f64, y: f64, z: f64| {
            mesh.vertices.push(DVec3::new(x, y, z));
            (mesh.vertices.len() - 1) as u32
        };
        // Chains of vertices along the west and the east side of each floor, from south to north.
        let mut sides: Vec<[Vec<u32>; 2]> = Vec::new();
        for storey in 0..self.storeys {
            let z = self.height * storey as f64;
            sides.push([0, 1].map(|side| {
                let x = if side == 0 { 0.0 } else { self.length };
                let mut at = vec![0.0];
                if self.has_stairs(side) {
                    at.extend(self.flights(storey));
                }
                if side == 0 && storey == 0 && self.exit {
                    at.extend(EXIT);
                }
                at.push(self.width);
                at.into_iter().map(|y| vertex(x, y, z)).collect()
            }));
        }
        let mut strips: Vec<[Vec<u32>; 2]> = sides.clone();
        for storey in 1..self.storeys {
            let z = self.height * (storey as f64 - 0.5);
            for side in (0..2).filter(|side| self.has_stairs(*side)) {
                let out = |by: f64| if side == 0 { -by } else { self.length + by };
                let flights = self.all_flights();
                let landing = LANDING.max(self.flight);
                let near = flights.map(|y| vertex(out(RUN), y, z));
                let far = [flights[0], flights[2]].map(|y| vertex(out(RUN + landing), y, z));
                // The flight up begins at the floor's first stair vertex, the one down at its last.
                let below = &sides[storey - 1][side][1..3];
                let above = &sides[storey][side];
                let arriving = if storey + 1 < self.storeys {
                    &above[2..4]
                } else {
                    &above[1..3]
                };
                for [left, right] in [
                    [vec![below[1], near[1]], vec![below[0], near[0]]],
                    [near.to_vec(), far.to_vec()],
                    [vec![near[1], arriving[0]], vec![near[2], arriving[1]]],
                ] {
                    strips.push(if side == 0 {
                        [right, left]
                    } else {
                        [left, right]
                    });
                }
            }
        }
        if self.exit {
            let door = &sides[0][0];
            let door = [door[door.len() - 3], door[door.len() - 2]];
            let (z, near, far) = (-0.5, -4.0, -34.0);
            let end = EXIT.map(|y| vertex(near, y, z));
            strips.push([end.to_vec(), door.to_vec()]);
            let (south, north) = (vertex(near, 0.0, z), vertex(near, self.width, z));
            let edge = [0.0, self.width].map(|y| vertex(far, y, z));
            strips.push([edge.to_vec(), vec![south, end[0], end[1], north]]);
        }
        for [left, right] in &strips {
            zip(&mut mesh, left, right);
        }
        Ok(environment(mesh))
    }
}

impl Building {
    fn has_stairs(&self, side: usize) -> bool {
        self.storeys > 1 && (side == 1 || self.stairs == 2)
    }

    /// Where flights begin and end along the side of a floor.
    fn all_flights(&self) -> [f64; 3] {
        [0.0, 1.0, 2.0].map(|n| FIRST_FLIGHT + n * self.flight)
    }

    /// Where flights touch the side of a floor: one up from it, one up to it.
    fn flights(&self, storey: usize) -> Vec<f64> {
        let all = self.all_flights();
        if storey == 0 {
            all[..2].to_vec()
        } else if storey + 1 == self.storeys {
            all[1..].to_vec()
        } else {
            all.to_vec()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    #[test]
    fn the_exterior_is_a_disc_of_68_triangles() {
        let mesh = BuildingExterior::default().draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 68);
        assert!(topology.is_manifold() && topology.consistent);
        assert_eq!((topology.boundary_loops, topology.euler), (1, 1));
        assert!(topology.volume > 0.0);
    }

    #[test]
    fn floors_hang_together_by_their_stairs_and_face_up() {
        for (storeys, stairs, exit, flight, triangles) in [
            (15, 1, false, 2.5, 171),
            (15, 1, true, 5.0, 179),
            (11, 2, false, 4.0, 224),
            (11, 2, true, 2.5, 232),
            (2, 2, true, 1.2, 34),
            (1, 1, false, 2.5, 2),
            (1, 1, true, 2.5, 10),
        ] {
            let building = Building {
                storeys,
                stairs,
                exit,
                flight,
                ..Building::default()
            };
            let mesh = building.draw().unwrap().mesh.unwrap();
            assert_eq!(mesh.triangles.len(), triangles);
            let topology = Topology::of(&mesh);
            assert!(topology.is_manifold() && topology.consistent);
            assert_eq!(topology.components, 1);
            // A second staircase makes a loop between each two floors.
            assert_eq!(topology.euler, 1 - ((stairs - 1) * (storeys - 1)) as i64);
            for t in &mesh.triangles {
                let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
                assert!((b - a).cross(c - a).z > 0.0);
            }
            let slope = flight * (RUN * RUN + 1.8 * 1.8_f64).sqrt();
            let stair = 2.0 * slope + LANDING.max(flight) * 2.0 * flight;
            let mut area = 1000.0 * storeys as f64 + stair * (stairs * (storeys - 1)) as f64;
            if exit {
                area += 30.0 * 25.0 + 3.0 * (16.25_f64).sqrt();
            }
            assert!((topology.area - area).abs() < 1e-6);
        }
    }
}
