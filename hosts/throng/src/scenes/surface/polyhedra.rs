//! Flat faces: a triangle, a cube, a tetrahedron.

use glam::DVec3;
use throng_kit::environment::{Environment, Mesh};

use super::environment;
use super::shape::{inside_out, quad, subdivided, without_loose_vertices};
use crate::scenes::Scene;

throng_core::options! {
    /// One triangle.
    pub(crate) struct Triangle {
        /// Length of each side.
        side: f64 = 80.0, "m", 1.0..=10000.0;
    }
}

impl Scene for Triangle {
    const ID: &'static str = "triangle";
    const ABOUT: &'static str = "one flat triangle of 2,770 m2 (1 triangle)";

    fn draw(&self) -> Result<Environment, String> {
        let tip = DVec3::new(0.5, 0.75_f64.sqrt(), 0.0);
        Ok(environment(Mesh {
            vertices: vec![DVec3::ZERO, DVec3::X * self.side, tip * self.side],
            triangles: vec![[0, 1, 2]],
        }))
    }
}

throng_core::options! {
    /// A cube.
    pub(crate) struct Cube {
        /// Length of each edge.
        side: f64 = 30.0, "m", 1.0..=10000.0;
        /// Parts of each edge: 12 n^2 triangles, so 1 gives 12, 40 gives 19,200, 95 gives 108,300.
        parts: u32 = 1, "", 1..=400;
        /// Whether the middle ninth of each face is missing; from 3 parts up. 9 parts with holes
        /// give 864 triangles.
        holes: bool = false;
        /// Whether people walk on its inside. 10 parts give the 1,200 triangles of the paper's.
        inverse: bool = false;
    }
}

impl Scene for Cube {
    const ID: &'static str = "cube";
    const ABOUT: &'static str =
        "a cube of 5,400 m2, outside or inside (12 triangles, more by parts), with holes if wanted";

    fn draw(&self) -> Result<Environment, String> {
        if self.holes && self.parts < 3 {
            return Err(format!(
                "holes need at least 3 parts to an edge, not {}",
                self.parts
            ));
        }
        let mut mesh = subdivided(&cube(), self.parts);
        if self.holes {
            let parts = f64::from(self.parts);
            let hole = 1.0 - 2.0 * (parts / 3.0).floor() / parts;
            let vertices = &mesh.vertices;
            mesh.triangles.retain(|t| {
                let middle: DVec3 = t.iter().map(|v| vertices[*v as usize]).sum::<DVec3>() / 3.0;
                // On a face one coordinate is 1 or -1; the others say whether it is in the hole.
                let inside = middle.abs().to_array().into_iter().filter(|x| *x < hole);
                inside.count() < 2
            });
            mesh = without_loose_vertices(mesh);
        }
        mesh.vertices.iter_mut().for_each(|v| *v *= self.side / 2.0);
        Ok(environment(if self.inverse {
            inside_out(mesh)
        } else {
            mesh
        }))
    }
}

/// The cube from -1 to 1, each face in two triangles.
fn cube() -> Mesh {
    let mut mesh = Mesh::default();
    for z in [-1.0, 1.0] {
        for y in [-1.0, 1.0] {
            for x in [-1.0, 1.0] {
                mesh.vertices.push(DVec3::new(x, y, z));
            }
        }
    }
    for face in [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ] {
        quad(&mut mesh, face);
    }
    mesh
}

throng_core::options! {
    /// A regular tetrahedron.
    pub(crate) struct Tetrahedron {
        /// Length of each edge.
        side: f64 = 120.0, "m", 1.0..=10000.0;
        /// Parts of each edge: 4 n^2 triangles.
        parts: u32 = 121, "", 1..=700;
    }
}

impl Scene for Tetrahedron {
    const ID: &'static str = "tetrahedron";
    const ABOUT: &'static str = "a regular tetrahedron of 24,900 m2 (58,564 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        // Four corners of a cube with face diagonals of the wanted length.
        let half = self.side / 8.0_f64.sqrt();
        let corners = [(1., 1., 1.), (1., -1., -1.), (-1., 1., -1.), (-1., -1., 1.)];
        let solid = Mesh {
            vertices: corners.map(|(x, y, z)| DVec3::new(x, y, z) * half).to_vec(),
            triangles: vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]],
        };
        Ok(environment(subdivided(&solid, self.parts)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    fn cube_of(parts: u32, holes: bool, inverse: bool) -> (usize, Topology) {
        let cube = Cube {
            parts,
            holes,
            inverse,
            ..Cube::default()
        };
        let mesh = cube.draw().unwrap().mesh.unwrap();
        (mesh.triangles.len(), Topology::of(&mesh))
    }

    #[test]
    fn cubes_of_the_table() {
        for (parts, count) in [(1, 12), (40, 19_200), (95, 108_300)] {
            let (triangles, topology) = cube_of(parts, false, false);
            assert_eq!(triangles, count);
            assert!(topology.is_closed() && topology.euler == 2);
            assert!((topology.area - 5400.0).abs() < 1e-6);
            assert!((topology.volume - 27000.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_cube_with_holes_has_six_rims() {
        let (triangles, topology) = cube_of(9, true, false);
        assert_eq!(triangles, 864);
        assert!(topology.is_manifold() && topology.consistent);
        assert_eq!((topology.boundary_loops, topology.euler), (6, 2 - 6));
        assert!(
            Cube {
                holes: true,
                ..Cube::default()
            }
            .draw()
            .is_err()
        );
    }

    #[test]
    fn an_inverse_cube_faces_inward() {
        let (triangles, topology) = cube_of(10, false, true);
        assert_eq!(triangles, 1200);
        assert!(topology.is_closed() && topology.consistent);
        assert!((topology.volume + 27000.0).abs() < 1e-6);
    }

    #[test]
    fn the_tetrahedron_is_regular() {
        let mesh = Tetrahedron::default().draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert!(topology.is_closed() && topology.consistent && topology.euler == 2);
        assert!((topology.area - 3.0_f64.sqrt() * 14_400.0).abs() < 1e-6);
        assert!(topology.volume > 0.0);
    }
}
