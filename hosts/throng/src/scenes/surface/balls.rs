//! Balls of pentagons and hexagons: truncated icosahedra.

use glam::DVec3;
use throng_kit::environment::{Environment, Mesh};

use super::environment;
use super::shape::{fan, icosahedron, without_loose_vertices};
use crate::scenes::Scene;

throng_core::options! {
    /// A soccer ball without its pentagons.
    pub(crate) struct SoccerBall {
        /// Length of each edge.
        edge: f64 = 10.0, "m", 1.0..=1000.0;
    }
}

impl Scene for SoccerBall {
    const ID: &'static str = "soccer-ball";
    const ABOUT: &'static str =
        "a soccer ball without its twelve pentagons, 5,200 m2 (80 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        Ok(environment(ball(self.edge, |_| true, false)))
    }
}

throng_core::options! {
    /// A bucky ball.
    pub(crate) struct Bucky {
        /// Length of each edge.
        edge: f64 = 10.0, "m", 1.0..=1000.0;
        /// Whether it has all of its 20 hexagons: 116 triangles. If not, two opposite ones are open,
        /// and the triangles are the 108 of the paper's.
        closed: bool = false;
    }
}

impl Scene for Bucky {
    const ID: &'static str = "bucky";
    const ABOUT: &'static str = "a truncated icosahedron of 6,700 m2 with two opposite hexagons open (108 triangles), or closed (116)";

    fn draw(&self) -> Result<Environment, String> {
        // Faces are opposite if their middles are.
        let solid = icosahedron();
        let middle = |face: usize| -> DVec3 {
            let corners = solid.triangles[face].map(|v| solid.vertices[v as usize]);
            corners.into_iter().sum::<DVec3>().normalize()
        };
        let kept = |face: usize| self.closed || middle(face).dot(middle(0)).abs() < 0.99;
        Ok(environment(ball(self.edge, kept, true)))
    }
}

/// The truncated icosahedron with edges of this length: a hexagon for each face that is kept, a
/// pentagon for each corner.
fn ball(edge: f64, keep: impl Fn(usize) -> bool, pentagons: bool) -> Mesh {
    let solid = icosahedron();
    let mut mesh = Mesh::default();
    // The corner on the way from v to w, a third of the edge from v.
    let mut ends: Vec<(u32, u32)> = Vec::new();
    let mut corner = |mesh: &mut Mesh, v: u32, w: u32| -> u32 {
        let id = ends
            .iter()
            .position(|end| *end == (v, w))
            .unwrap_or_else(|| {
                let (from, to) = (solid.vertices[v as usize], solid.vertices[w as usize]);
                mesh.vertices.push((from * 2.0 + to) / 3.0);
                ends.push((v, w));
                ends.len() - 1
            });
        id as u32
    };
    for (face, &[a, b, c]) in solid.triangles.iter().enumerate() {
        let hexagon =
            [(a, b), (b, a), (b, c), (c, b), (c, a), (a, c)].map(|(v, w)| corner(&mut mesh, v, w));
        if keep(face) {
            fan(&mut mesh, &hexagon);
        }
    }
    if pentagons {
        for v in 0..12 {
            // From one neighbour to the next, counter-clockwise around v.
            let next = |w: u32| {
                solid.triangles.iter().find_map(|t| {
                    (0..3).find_map(|i| (t[i] == v && t[(i + 1) % 3] == w).then(|| t[(i + 2) % 3]))
                })
            };
            let first = (0..12).find(|w| next(*w).is_some());
            let ring: Vec<u32> =
                std::iter::successors(first, |w| next(*w).filter(|n| Some(*n) != first))
                    .map(|w| corner(&mut mesh, v, w))
                    .collect();
            fan(&mut mesh, &ring);
        }
    }
    let length = solid.vertices[solid.triangles[0][0] as usize]
        .distance(solid.vertices[solid.triangles[0][1] as usize])
        / 3.0;
    mesh.vertices.iter_mut().for_each(|v| *v *= edge / length);
    without_loose_vertices(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    /// Areas of a regular hexagon and pentagon of edge 10.
    const HEXAGON: f64 = 259.807_621_135_331_6;
    const PENTAGON: f64 = 172.047_740_058_896_9;

    #[test]
    fn a_soccer_ball_has_twelve_rims() {
        let mesh = SoccerBall::default().draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (60, 80));
        assert!(topology.is_manifold() && topology.consistent);
        assert_eq!((topology.boundary_loops, topology.euler), (12, 2 - 12));
        assert!((topology.area - 20.0 * HEXAGON).abs() < 1e-6);
    }

    #[test]
    fn a_bucky_ball_is_closed_but_for_two_hexagons() {
        for (closed, triangles, rims) in [(true, 116, 0), (false, 108, 2)] {
            let bucky = Bucky {
                closed,
                ..Bucky::default()
            };
            let mesh = bucky.draw().unwrap().mesh.unwrap();
            let topology = Topology::of(&mesh);
            assert_eq!(mesh.triangles.len(), triangles);
            assert!(topology.is_manifold() && topology.consistent && topology.volume > 0.0);
            assert_eq!(
                (topology.boundary_loops, topology.euler),
                (rims, 2 - rims as i64)
            );
            let expected = (20 - rims) as f64 * HEXAGON + 12.0 * PENTAGON;
            assert!((topology.area - expected).abs() < 1e-6);
        }
    }
}
