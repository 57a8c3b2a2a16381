//! The surface where a function of space is zero, as a mesh.
//!
//! Space is cut into cubes and each cube into six tetrahedra (Kuhn's), so the surface is closed
//! and manifold whatever the function. Vertices are then spread evenly along the surface and put
//! back on it, which makes the triangles well shaped.

use std::collections::HashMap;

use glam::DVec3;
use throng_kit::environment::Mesh;

/// Meshes the zeros of `function`, negative inside, in the box from `low` to `high` with cubes of
/// side `cell`. The function must be positive on the border of the box, about the signed distance
/// near its zeros, and nowhere change by more than 1.3 per unit of length.
pub(super) fn isosurface(
    function: impl Fn(DVec3) -> f64,
    low: DVec3,
    high: DVec3,
    cell: f64,
) -> Mesh {
    let lattice = Lattice::new(low, high, cell);
    let values = lattice.values_near_zeros(&function);
    let mut mesh = tetrahedral(&lattice, &values);
    relax(&mut mesh, &function, cell);
    unfold(&mut mesh);
    mesh
}

/// The corners of the cubes, numbered along x, then y, then z.
struct Lattice {
    low: DVec3,
    cell: f64,
    /// Cubes along each axis.
    size: [usize; 3],
}

impl Lattice {
    fn new(low: DVec3, high: DVec3, cell: f64) -> Lattice {
        let size = ((high - low) / cell).ceil().max(DVec3::ONE);
        Lattice {
            low,
            cell,
            size: size.to_array().map(|count| count as usize),
        }
    }

    /// How much an id grows by one step along each axis.
    fn steps(&self) -> [usize; 3] {
        let [x, y, _] = self.size;
        [1, x + 1, (x + 1) * (y + 1)]
    }

    fn point(&self, id: usize) -> DVec3 {
        let [_, row, layer] = self.steps();
        let at = [id % row, id % layer / row, id / layer].map(|step| step as f64);
        self.low + DVec3::from_array(at) * self.cell
    }

    fn count(&self) -> usize {
        self.size.iter().map(|count| count + 1).product()
    }

    /// The function at each corner, or of each corner's block of corners where the whole block
    /// must lie on one side of the surface.
    fn values_near_zeros(&self, function: &impl Fn(DVec3) -> f64) -> Vec<f64> {
        const BLOCK: usize = 6;
        const STEEPEST: f64 = 1.3;
        let [_, row, layer] = self.steps();
        let mut values = vec![0.0; self.count()];
        let starts = |axis: usize| (0..=self.size[axis]).step_by(BLOCK);
        let reach = 0.5 * BLOCK as f64 * self.cell * 3.0_f64.sqrt() * STEEPEST;
        for z in starts(2) {
            for y in starts(1) {
                for x in starts(0) {
                    let first = self.point(x + y * row + z * layer);
                    let middle = function(first + 0.5 * BLOCK as f64 * self.cell);
                    for k in z..(z + BLOCK).min(self.size[2] + 1) {
                        for j in y..(y + BLOCK).min(self.size[1] + 1) {
                            for i in x..(x + BLOCK).min(self.size[0] + 1) {
                                let id = i + j * row + k * layer;
                                values[id] = if middle.abs() > reach {
                                    middle
                                } else {
                                    function(self.point(id))
                                };
                            }
                        }
                    }
                }
            }
        }
        values
    }
}

fn tetrahedral(lattice: &Lattice, values: &[f64]) -> Mesh {
    let mut mesh = Mesh::default();
    let mut known: HashMap<(usize, usize), u32> = HashMap::new();
    let mut vertex = |mesh: &mut Mesh, a: usize, b: usize| {
        let (a, b) = (a.min(b), a.max(b));
        *known.entry((a, b)).or_insert_with(|| {
            // Away from the ends, or triangles there would have no area.
            let share = (values[a] / (values[a] - values[b])).clamp(0.1, 0.9);
            let (from, to) = (lattice.point(a), lattice.point(b));
            mesh.vertices.push(from + (to - from) * share);
            (mesh.vertices.len() - 1) as u32
        })
    };
    let axes = lattice.steps();
    let orders = [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [2, 1, 0],
        [1, 0, 2],
    ];
    for z in 0..lattice.size[2] {
        for y in 0..lattice.size[1] {
            for x in 0..lattice.size[0] {
                let corner = x + y * axes[1] + z * axes[2];
                let across = corner + axes[0] + axes[1] + axes[2];
                let negative = values[corner] < 0.0;
                let mixed = (0..8).any(|c| {
                    let step = (c & 1) * axes[0] + (c >> 1 & 1) * axes[1] + (c >> 2) * axes[2];
                    (values[corner + step] < 0.0) != negative
                });
                if !mixed {
                    continue;
                }
                for (number, order) in orders.iter().enumerate() {
                    let second = corner + axes[order[0]];
                    let third = second + axes[order[1]];
                    // The last three orders are odd: swapped, all six have the same handedness.
                    let tetrahedron = if number < 3 {
                        [corner, second, third, across]
                    } else {
                        [corner, third, second, across]
                    };
                    cut(&mut mesh, tetrahedron, values, &mut vertex);
                }
            }
        }
    }
    mesh
}

/// Adds the part of the surface in one tetrahedron of positive volume, facing the positive side.
fn cut(
    mesh: &mut Mesh,
    corners: [usize; 4],
    values: &[f64],
    vertex: &mut impl FnMut(&mut Mesh, usize, usize) -> u32,
) {
    let inside = corners.map(|c| values[c] < 0.0);
    let alone = |wanted: bool| (0..4).find(|i| inside[*i] == wanted);
    match inside.iter().filter(|i| **i).count() {
        count @ (1 | 3) => {
            let Some(i) = alone(count == 1) else { return };
            // Even permutations that put corner i first.
            let [a, b, c, d] = [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]][i]
                .map(|k: usize| corners[k]);
            let mut triangle = [b, c, d].map(|other| vertex(mesh, a, other));
            if count == 3 {
                triangle.swap(1, 2);
            }
            mesh.triangles.push(triangle);
        }
        2 => {
            // Even permutations that put the two inside first.
            let orders: [[usize; 4]; 6] = [
                [0, 1, 2, 3],
                [0, 2, 3, 1],
                [0, 3, 1, 2],
                [1, 2, 0, 3],
                [1, 3, 2, 0],
                [2, 3, 0, 1],
            ];
            for order in orders {
                if inside[order[0]] && inside[order[1]] {
                    let [a, b, c, d] = order.map(|k| corners[k]);
                    let [p, q] = [c, d].map(|other| vertex(mesh, a, other));
                    let [r, s] = [d, c].map(|other| vertex(mesh, b, other));
                    mesh.triangles.extend([[p, q, r], [p, r, s]]);
                }
            }
        }
        _ => {}
    }
}

/// Moves each vertex towards the middle of its neighbours and back onto the surface, some times.
fn relax(mesh: &mut Mesh, function: &impl Fn(DVec3) -> f64, cell: f64) {
    const ROUNDS: usize = 5;
    let step = 1e-4 * cell;
    let onto_surface = |at: DVec3| {
        let here = function(at);
        let slope = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| function(at + axis * step) - here);
        let slope = DVec3::from_array(slope) / step;
        let back = slope * (here / slope.length_squared().max(1e-6));
        at - back.clamp_length_max(cell)
    };
    for _ in 0..ROUNDS {
        let mut sums = vec![(DVec3::ZERO, 0.0); mesh.vertices.len()];
        for t in &mesh.triangles {
            for i in 0..3 {
                // Two triangles meet at each edge, and each adds one of its ends to the other.
                let (to, from) = (t[i] as usize, t[(i + 1) % 3] as usize);
                sums[to].0 += mesh.vertices[from];
                sums[to].1 += 1.0;
            }
        }
        for (v, (sum, count)) in mesh.vertices.iter_mut().zip(sums) {
            let middle = sum / f64::max(count, 1.0);
            *v = onto_surface(*v + (middle - *v) * 0.6);
        }
    }
    mesh.vertices.iter_mut().for_each(|v| *v = onto_surface(*v));
}

/// Smooths the few places where the surface bends more sharply than its triangles can follow and
/// relaxing has folded one of them over.
fn unfold(mesh: &mut Mesh) {
    const ROUNDS: usize = 50;
    const SHARPEST: f64 = 0.3;
    let mut first_user: HashMap<(u32, u32), u32> = HashMap::new();
    let mut neighbours = Vec::new();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); mesh.vertices.len()];
    for (number, t) in mesh.triangles.iter().enumerate() {
        for i in 0..3 {
            let (v, w) = (t[i], t[(i + 1) % 3]);
            around[v as usize].push(w);
            if let Some(other) = first_user.insert((v.min(w), v.max(w)), number as u32) {
                neighbours.push([other, number as u32]);
            }
        }
    }
    for _ in 0..ROUNDS {
        let normals: Vec<DVec3> = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| mesh.vertices[v as usize]);
                (b - a).cross(c - a).normalize_or_zero()
            })
            .collect();
        let mut folded: Vec<u32> = neighbours
            .iter()
            .filter(|pair| {
                let [one, other] = pair.map(|t| normals[t as usize]);
                one.dot(other) < SHARPEST
            })
            .flat_map(|pair| pair.map(|t| mesh.triangles[t as usize]))
            .flatten()
            .collect();
        if folded.is_empty() {
            return;
        }
        folded.sort_unstable();
        folded.dedup();
        for v in folded {
            let ring = &around[v as usize];
            let sum: DVec3 = ring.iter().map(|w| mesh.vertices[*w as usize]).sum();
            let at = &mut mesh.vertices[v as usize];
            *at += (sum / ring.len() as f64 - *at) * 0.5;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    #[test]
    fn a_ball_comes_out_round() {
        let mesh = isosurface(
            |p| p.length() - 3.0,
            DVec3::splat(-4.0),
            DVec3::splat(4.1),
            0.4,
        );
        let topology = Topology::of(&mesh);
        assert!(topology.is_closed() && topology.consistent && topology.euler == 2);
        assert!(topology.thinnest > 0.15, "{topology:?}");
        assert!((topology.volume / (36.0 * core::f64::consts::PI) - 1.0).abs() < 0.02);
        for v in &mesh.vertices {
            assert!((v.length() - 3.0).abs() < 1e-6);
        }
    }

    #[test]
    fn any_function_gives_a_closed_manifold() {
        // Neither smooth nor a distance: only the joining of the tetrahedra is tested.
        let function = |p: DVec3| {
            let inside = p.abs().max_element() < 3.5;
            let noise = crate::scenes::surface::noise::noise(3, p * 1.7);
            if inside { noise } else { 1.0 }
        };
        let lattice = Lattice::new(DVec3::splat(-4.0), DVec3::splat(4.0), 0.5);
        let values: Vec<f64> = (0..lattice.count())
            .map(|id| function(lattice.point(id)))
            .collect();
        let mesh = tetrahedral(&lattice, &values);
        let topology = Topology::of(&mesh);
        assert!(topology.is_closed() && topology.consistent, "{topology:?}");
        assert!(topology.components > 1 && topology.thinnest > 0.0);
    }
}
