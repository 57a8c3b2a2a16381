//! Ways to make a mesh: sheets of quadrilaterals, subdivided faces, strips between two chains.

use std::collections::HashMap;

use glam::DVec3;
use throng_kit::environment::Mesh;

/// How the first and the last column of a sheet are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seam {
    /// Not at all.
    Open,
    /// Row to row.
    Closed,
    /// Row to the opposite row, as in a Moebius strip.
    Flipped,
}

/// A sheet of `columns` x `rows` quadrilaterals, two triangles each, without those that `keep`
/// refuses. Rows are open unless `rows_closed`.
///
/// The normal points along (next column - point) x (next row - point).
pub(super) fn sheet(
    columns: usize,
    rows: usize,
    seam: Seam,
    rows_closed: bool,
    point: impl Fn(usize, usize) -> DVec3,
    keep: impl Fn(usize, usize) -> bool,
) -> Mesh {
    let height = if rows_closed { rows } else { rows + 1 };
    let width = if seam == Seam::Open {
        columns + 1
    } else {
        columns
    };
    let id = |column: usize, row: usize| {
        let (column, row) = match (seam, column == columns) {
            (Seam::Closed, true) => (0, row),
            (Seam::Flipped, true) => (0, rows - row),
            _ => (column, row),
        };
        (column * height + row % height) as u32
    };
    let mut mesh = Mesh::default();
    for column in 0..width {
        mesh.vertices
            .extend((0..height).map(|row| point(column, row)));
    }
    for column in 0..columns {
        for row in 0..rows {
            if keep(column, row) {
                quad(
                    &mut mesh,
                    [
                        id(column, row),
                        id(column + 1, row),
                        id(column + 1, row + 1),
                        id(column, row + 1),
                    ],
                );
            }
        }
    }
    without_loose_vertices(mesh)
}

/// Adds a quadrilateral.
pub(super) fn quad(mesh: &mut Mesh, [a, b, c, d]: [u32; 4]) {
    mesh.triangles.extend([[a, b, c], [a, c, d]]);
}

/// Adds a convex polygon as a fan from its first corner.
pub(super) fn fan(mesh: &mut Mesh, corners: &[u32]) {
    if let [first, rest @ ..] = corners {
        let pairs = rest.windows(2);
        mesh.triangles
            .extend(pairs.map(|pair| [*first, pair[0], pair[1]]));
    }
}

/// Adds the strip between two chains of vertices that run the same way, `right` on the right of
/// `left` as seen from the side that people walk on.
pub(super) fn zip(mesh: &mut Mesh, left: &[u32], right: &[u32]) {
    let (mut i, mut j) = (0, 0);
    while i + 1 < left.len() || j + 1 < right.len() {
        // Go on along the chain that lags behind.
        let lag = |at: usize, chain: &[u32]| (at + 1) as f64 / chain.len() as f64;
        if j + 1 < right.len() && (i + 1 == left.len() || lag(j, right) <= lag(i, left)) {
            mesh.triangles.push([left[i], right[j], right[j + 1]]);
            j += 1;
        } else {
            mesh.triangles.push([left[i], right[j], left[i + 1]]);
            i += 1;
        }
    }
}

/// Splits each triangle into `parts` x `parts` equal ones. Neighbours share the new vertices.
pub(super) fn subdivided(mesh: &Mesh, parts: u32) -> Mesh {
    let mut fine = Mesh::default();
    // Keyed by corners and their integer weights, so that both sides of an edge find the vertex.
    let mut known: HashMap<[(u32, u32); 3], u32> = HashMap::new();
    for &corners in &mesh.triangles {
        let mut vertex = |weights: [u32; 3]| -> u32 {
            let mut key = [0, 1, 2].map(|i| match weights[i] {
                0 => (u32::MAX, 0),
                weight => (corners[i], weight),
            });
            key.sort_unstable();
            *known.entry(key).or_insert_with(|| {
                let sum: DVec3 = key
                    .iter()
                    .filter(|(_, weight)| *weight > 0)
                    .map(|(corner, weight)| mesh.vertices[*corner as usize] * f64::from(*weight))
                    .sum();
                fine.vertices.push(sum / f64::from(parts));
                (fine.vertices.len() - 1) as u32
            })
        };
        let mut triangles = Vec::with_capacity((parts * parts) as usize);
        for row in 0..parts {
            for column in 0..parts - row {
                let mut at = |c: u32, r: u32| vertex([parts - c - r, c, r]);
                let (a, b, c) = (at(column, row), at(column + 1, row), at(column, row + 1));
                triangles.push([a, b, c]);
                if column + row + 1 < parts {
                    triangles.push([b, at(column + 1, row + 1), c]);
                }
            }
        }
        fine.triangles.extend(triangles);
    }
    fine
}

/// Turns the other side of the mesh up.
pub(super) fn inside_out(mut mesh: Mesh) -> Mesh {
    mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    mesh
}

/// Adds another mesh as a further component.
pub(super) fn append(mesh: &mut Mesh, other: Mesh) {
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(other.vertices);
    let shifted = other.triangles.into_iter().map(|t| t.map(|v| v + first));
    mesh.triangles.extend(shifted);
}

/// The mesh without vertices that no triangle uses; the others keep their order.
pub(super) fn without_loose_vertices(mesh: Mesh) -> Mesh {
    let mut used = vec![false; mesh.vertices.len()];
    mesh.triangles
        .iter()
        .flatten()
        .for_each(|v| used[*v as usize] = true);
    let mut new_id = Vec::with_capacity(used.len());
    let mut vertices = Vec::new();
    for (vertex, used) in mesh.vertices.iter().zip(used) {
        new_id.push(vertices.len() as u32);
        if used {
            vertices.push(*vertex);
        }
    }
    let triangles = mesh.triangles.iter().map(|t| t.map(|v| new_id[v as usize]));
    Mesh {
        triangles: triangles.collect(),
        vertices,
    }
}

/// The icosahedron with corners on the unit sphere.
pub(super) fn icosahedron() -> Mesh {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut vertices = Vec::new();
    for (one, long) in [
        (1.0, golden),
        (-1.0, golden),
        (1.0, -golden),
        (-1.0, -golden),
    ] {
        vertices.push(DVec3::new(0.0, one, long));
        vertices.push(DVec3::new(one, long, 0.0));
        vertices.push(DVec3::new(long, 0.0, one));
    }
    let mut mesh = Mesh::default();
    // Three corners make a face if each two are 2 apart, the length of an edge.
    let near = |i: usize, j: usize| {
        let apart: DVec3 = vertices[i] - vertices[j];
        apart.length() < 2.1
    };
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if near(i, j) && near(j, k) && near(i, k) {
                    let (a, b, c): (DVec3, DVec3, DVec3) = (vertices[i], vertices[j], vertices[k]);
                    let outward = (b - a).cross(c - a).dot(a) > 0.0;
                    let (j, k) = if outward { (j, k) } else { (k, j) };
                    mesh.triangles.push([i as u32, j as u32, k as u32]);
                }
            }
        }
    }
    mesh.vertices = vertices.iter().map(|v| v.normalize()).collect();
    mesh
}

/// The octahedron with corners on the unit sphere.
pub(super) fn octahedron() -> Mesh {
    let vertices = vec![
        DVec3::X,
        DVec3::NEG_X,
        DVec3::Y,
        DVec3::NEG_Y,
        DVec3::Z,
        DVec3::NEG_Z,
    ];
    let mut triangles = Vec::new();
    for x in [0, 1] {
        for y in [2, 3] {
            for z in [4, 5] {
                let flips = x + (y - 2) + (z - 4);
                triangles.push(if flips % 2 == 0 { [x, y, z] } else { [x, z, y] });
            }
        }
    }
    Mesh {
        vertices,
        triangles,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    #[test]
    fn solids_are_closed_and_face_outward() {
        for mesh in [icosahedron(), octahedron()] {
            let faces = mesh.triangles.len();
            for parts in [1, 2, 7] {
                let fine = subdivided(&mesh, parts);
                assert_eq!(fine.triangles.len(), faces * (parts * parts) as usize);
                let topology = Topology::of(&fine);
                assert!(topology.is_closed() && topology.consistent);
                assert_eq!(topology.euler, 2);
                assert!(topology.volume > 0.0);
                assert!((topology.area - Topology::of(&mesh).area).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn a_strip_uses_every_vertex_of_both_chains() {
        let mut mesh = Mesh::default();
        for i in 0..5 {
            mesh.vertices.push(DVec3::new(1.0, i as f64, 0.0));
        }
        for i in 0..3 {
            mesh.vertices.push(DVec3::new(0.0, 2.0 * i as f64, 0.0));
        }
        zip(&mut mesh, &[5, 6, 7], &[0, 1, 2, 3, 4]);
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 6);
        assert!(topology.consistent && topology.euler == 1);
        assert!((topology.area - 4.0).abs() < 1e-12);
    }
}
