//! The five Olympic rings.

use glam::DVec3;
use throng_kit::environment::{Environment, Mesh};

use super::curved::torus;
use super::environment;
use super::isosurface::isosurface;
use super::shape::append;
use super::tree::smooth_min;
use crate::scenes::Scene;

throng_core::options! {
    /// The five Olympic rings.
    pub(crate) struct Rings {
        /// Radius of a ring, to the middle of its tube.
        ring: f64 = 20.0, "m", 5.0..=1000.0;
        /// Whether the rings grow together where they cross, so that every place can be reached
        /// from every other. If not, they are linked and do not touch: five components.
        joined: bool = true;
        /// Side of the cubes that joined rings are meshed with, as a share of the radius: less
        /// gives more triangles.
        grain: f64 = 0.043, "", 0.01..=0.06;
    }
}

/// Radius of the tubes; other lengths too are in radii of a ring.
const TUBE: f64 = 0.125;
/// Half the distance between the middles of two rings side by side.
const PITCH: f64 = 1.125;
/// Leaning rings are narrower, so they stand closer.
const LEANING_PITCH: f64 = 0.85;
const LEAN: f64 = 0.6;

/// The middles of the upper three, then of the lower two.
fn middles(pitch: f64) -> [DVec3; 5] {
    [
        (-2.0, 0.5),
        (0.0, 0.5),
        (2.0, 0.5),
        (-1.0, -0.5),
        (1.0, -0.5),
    ]
    .map(|(x, y)| DVec3::new(x * pitch, y, 0.0))
}

impl Scene for Rings {
    const ID: &'static str = "rings";
    const ABOUT: &'static str =
        "the five Olympic rings, grown together or linked, 9,000 m2 (109k triangles)";

    fn draw(&self) -> Result<Environment, String> {
        let mut mesh = if self.joined {
            self.joined_rings()
        } else {
            linked_rings()?
        };
        mesh.vertices.iter_mut().for_each(|v| *v *= self.ring);
        Ok(environment(mesh))
    }
}

impl Rings {
    fn joined_rings(&self) -> Mesh {
        let middles = middles(PITCH);
        let function = |at: DVec3| {
            let mut distance = f64::INFINITY;
            for middle in middles {
                let off = at - middle;
                let out = (off.x * off.x + off.y * off.y).sqrt() - 1.0;
                let ring = (out * out + off.z * off.z).sqrt() - TUBE;
                distance = smooth_min(distance, ring, TUBE / 2.0);
            }
            distance
        };
        let reach = DVec3::new(2.0 * PITCH + 1.0, 1.5, 0.0) + TUBE * 1.5 + self.grain;
        isosurface(function, -reach, reach, self.grain)
    }
}

/// Each ring leans to the other side than its neighbours, so that it passes over one and under
/// the other of each crossing.
fn linked_rings() -> Result<Mesh, String> {
    // The cosine and sine of the angle whose tangent is the lean.
    let cosine = 1.0 / (1.0 + LEAN * LEAN).sqrt();
    let mut mesh = Mesh::default();
    for middle in middles(LEANING_PITCH) {
        let mut ring = torus(1.0, TUBE, 218, 50)?;
        let sine = cosine * LEAN * middle.y.signum();
        for v in &mut ring.vertices {
            let (x, z) = (v.x * cosine + v.z * sine, v.z * cosine - v.x * sine);
            *v = middle + DVec3::new(x, v.y, z);
        }
        append(&mut mesh, ring);
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    #[test]
    fn joined_rings_are_one_closed_surface() {
        let mesh = Rings::default().draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        let triangles = mesh.triangles.len();
        assert!(
            (105_000..113_000).contains(&triangles),
            "{triangles} {topology:?}"
        );
        assert!(topology.is_closed() && topology.consistent, "{topology:?}");
        assert_eq!(topology.components, 1);
        // Five rings that cross in eight places: 8 crossings and 16 arcs make 9 handles.
        assert_eq!(topology.euler, 2 - 2 * 9);
        assert!(
            topology.thinnest > 0.05 && topology.volume > 0.0,
            "{topology:?}"
        );
        assert!(topology.sharpest > 0.2, "{topology:?}");
    }

    #[test]
    fn linked_rings_are_five_and_keep_their_distance() {
        let rings = Rings {
            joined: false,
            ..Rings::default()
        };
        let mesh = rings.draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 109_000);
        assert!(topology.is_closed() && topology.consistent);
        assert_eq!((topology.components, topology.euler), (5, 0));
        let ring = |i: usize| &mesh.vertices[i * 10_900..][..10_900];
        let mut least = f64::INFINITY;
        for i in 0..5 {
            for j in 0..i {
                for p in ring(i).iter().step_by(3) {
                    for q in ring(j).iter().step_by(3) {
                        least = least.min(p.distance_squared(*q));
                    }
                }
            }
        }
        assert!(least.sqrt() > 3.6, "{}", least.sqrt());
        // Linked: the middle line of one passes the disc within that of the other once.
        let line = |i: usize| -> Vec<DVec3> {
            let tube = ring(i).chunks(50);
            tube.map(|around| around.iter().sum::<DVec3>() / 50.0)
                .collect()
        };
        for (i, j) in [(0, 3), (3, 1), (1, 4), (4, 2)] {
            let (one, other) = (line(i), line(j));
            let middle = one.iter().sum::<DVec3>() / one.len() as f64;
            let up = (one[0] - middle).cross(one[one.len() / 4] - middle);
            let passes = (0..other.len()).filter(|&k| {
                let (p, q) = (other[k] - middle, other[(k + 1) % other.len()] - middle);
                (p.dot(up) > 0.0) != (q.dot(up) > 0.0) && p.length() < 20.0
            });
            assert_eq!(passes.count(), 1, "{i} and {j}");
        }
    }
}
