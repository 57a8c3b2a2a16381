//! Rooms whose walls and ceiling are walked on too.

use std::collections::HashMap;

use glam::DVec3;
use throng_kit::environment::{Environment, Mesh};

use super::environment;
use super::shape::{Seam, append, inside_out, quad, sheet};
use crate::scenes::Scene;

throng_core::options! {
    /// A floor and a ceiling above it, both walked on, not joined.
    pub(crate) struct FloorAndCeiling {
        /// Side of both.
        side: f64 = 50.0, "m", 1.0..=10000.0;
        /// Height of the ceiling over the floor; heads of 1.8 m pass each other from 3.6 m up.
        height: f64 = 4.0, "m", 1.0..=1000.0;
        /// Parts of each side: 4 n^2 triangles.
        parts: usize = 20, "", 1..=1000;
    }
}

impl Scene for FloorAndCeiling {
    const ID: &'static str = "floor-and-ceiling";
    const ABOUT: &'static str =
        "a floor and a ceiling 4 m above it, 2,500 m2 each (1,600 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        let plane = |z: f64| {
            let cell = self.side / self.parts as f64;
            let point = |x: usize, y: usize| DVec3::new(x as f64 * cell, y as f64 * cell, z);
            sheet(self.parts, self.parts, Seam::Open, false, point, |_, _| {
                true
            })
        };
        let mut mesh = plane(0.0);
        append(&mut mesh, inside_out(plane(self.height)));
        Ok(environment(mesh))
    }
}

throng_core::options! {
    /// The inside of a room with its furniture: floor, walls, ceiling, all of it walked on.
    pub(crate) struct Room {
        /// 1: two rooms with a doorway, a table and a cupboard. 2: one with pillars, shelves and a
        /// beam.
        variant: u32 = 1, "", 1..=2;
        /// Side of the cubes it is made of.
        cube: f64 = 2.0, "m", 0.1..=100.0;
    }
}

/// A box of cubes: its first and its last, exclusive.
type Cubes = [[usize; 3]; 2];

const FIRST_SIZE: [usize; 3] = [23, 17, 8];
const FIRST: &[Cubes] = &[
    // The wall with its doorway.
    [[12, 0, 0], [13, 6, 8]],
    [[12, 10, 0], [13, 17, 8]],
    [[12, 6, 6], [13, 10, 8]],
    // The table.
    [[3, 5, 3], [9, 12, 4]],
    [[3, 5, 0], [4, 6, 3]],
    [[8, 5, 0], [9, 6, 3]],
    [[3, 11, 0], [4, 12, 3]],
    [[8, 11, 0], [9, 12, 3]],
    // The cupboard.
    [[20, 4, 0], [23, 13, 6]],
];
const SECOND_SIZE: [usize; 3] = [23, 17, 9];
const SECOND: &[Cubes] = &[
    // Two pillars and the beam that they carry.
    [[8, 8, 0], [10, 10, 9]],
    [[15, 8, 0], [17, 10, 9]],
    [[10, 8, 7], [15, 10, 9]],
    // Shelves on a wall.
    [[4, 0, 2], [20, 2, 3]],
    [[4, 0, 5], [20, 2, 6]],
    // A bench.
    [[5, 14, 0], [19, 16, 1]],
];

impl Scene for Room {
    const ID: &'static str = "room";
    const ABOUT: &'static str = "the inside of a furnished room, 7,200 m2 with walls and ceiling (3.6k triangles), in two variants";

    fn draw(&self) -> Result<Environment, String> {
        let (size, furniture) = match self.variant {
            1 => (FIRST_SIZE, FIRST),
            _ => (SECOND_SIZE, SECOND),
        };
        let solid = |at: [isize; 3]| {
            let outside = |i: usize| at[i] < 0 || at[i] >= size[i] as isize;
            let within = |[low, high]: &Cubes| {
                (0..3).all(|i| (low[i] as isize..high[i] as isize).contains(&at[i]))
            };
            (0..3).any(outside) || furniture.iter().any(within)
        };
        Ok(environment(surface_of_cubes(size, solid, self.cube)))
    }
}

/// The surface between free and solid cubes, facing the free ones.
fn surface_of_cubes(size: [usize; 3], solid: impl Fn([isize; 3]) -> bool, cube: f64) -> Mesh {
    let mut mesh = Mesh::default();
    let mut known: HashMap<[isize; 3], u32> = HashMap::new();
    let mut vertex = |mesh: &mut Mesh, at: [isize; 3]| {
        *known.entry(at).or_insert_with(|| {
            mesh.vertices
                .push(DVec3::from_array(at.map(|x| x as f64 * cube)));
            (mesh.vertices.len() - 1) as u32
        })
    };
    let free = (0..size[2]).flat_map(|z| {
        (0..size[1])
            .flat_map(move |y| (0..size[0]).map(move |x| [x as isize, y as isize, z as isize]))
    });
    for at in free.filter(|at| !solid(*at)) {
        for axis in 0..3 {
            for ahead in [0, 1] {
                let mut beyond = at;
                beyond[axis] += 2 * ahead - 1;
                if !solid(beyond) {
                    continue;
                }
                // Corners counter-clockwise about the positive axis.
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut corners = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(du, dv)| {
                    let mut corner = at;
                    corner[axis] += ahead;
                    corner[u] += du;
                    corner[v] += dv;
                    vertex(&mut mesh, corner)
                });
                if ahead == 1 {
                    corners.reverse();
                }
                quad(&mut mesh, corners);
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    #[test]
    fn floor_and_ceiling_face_each_other() {
        let mesh = FloorAndCeiling::default().draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 1600);
        assert!(topology.is_manifold() && topology.consistent);
        assert_eq!(
            (topology.components, topology.boundary_loops, topology.euler),
            (2, 2, 2)
        );
        for t in &mesh.triangles {
            let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
            let up = (b - a).cross(c - a).z;
            assert!(if a.z == 0.0 { up > 0.0 } else { up < 0.0 });
        }
    }

    #[test]
    fn rooms_are_closed_and_face_inward() {
        for variant in [1, 2] {
            let room = Room {
                variant,
                ..Room::default()
            };
            let mesh = room.draw().unwrap().mesh.unwrap();
            let topology = Topology::of(&mesh);
            assert!(
                (3500..3700).contains(&mesh.triangles.len()),
                "{}",
                mesh.triangles.len()
            );
            assert!(topology.is_closed() && topology.consistent);
            assert_eq!(topology.components, 1);
            assert!(topology.volume < 0.0);
            assert!((topology.area - 2.0 * mesh.triangles.len() as f64).abs() < 1e-6);
        }
    }
}
