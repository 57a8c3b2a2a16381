//! Checks of meshes for the tests: what is joined to what, and how.

use std::collections::BTreeMap;

use glam::DVec3;
use throng_kit::environment::Mesh;

/// What the tests want to know of a mesh.
#[derive(Debug)]
pub(in crate::scenes) struct Topology {
    /// Edges of one triangle.
    pub boundary_edges: usize,
    /// Closed chains of such edges.
    pub boundary_loops: usize,
    /// Edges of more than two triangles.
    pub overused_edges: usize,
    /// Vertices around which the triangles are not one fan.
    pub pinched_vertices: usize,
    /// Parts joined through edges.
    pub components: usize,
    /// Vertices - edges + faces.
    pub euler: i64,
    /// Whether neighbours run along their edge in opposite directions.
    pub consistent: bool,
    /// Least height of a triangle over its longest side, relative to that side.
    pub thinnest: f64,
    /// Area of all triangles.
    pub area: f64,
    /// Enclosed volume, positive if triangles face outward.
    pub volume: f64,
    /// Least dot product of the normals of two neighbours.
    pub sharpest: f64,
}

impl Topology {
    pub(in crate::scenes) fn of(mesh: &Mesh) -> Topology {
        let corner = |v: u32| mesh.vertices[v as usize];
        let mut edges: BTreeMap<(u32, u32), Vec<(usize, bool)>> = BTreeMap::new();
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); mesh.vertices.len()];
        let (mut area, mut volume, mut thinnest) = (0.0, 0.0, f64::INFINITY);
        let mut normals = Vec::new();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(corner);
            let cross: DVec3 = (b - a).cross(c - a);
            area += cross.length() / 2.0;
            volume += a.dot(b.cross(c)) / 6.0;
            normals.push(cross.normalize_or_zero());
            let longest = [b - a, c - b, a - c]
                .map(|side| side.length_squared())
                .into_iter()
                .fold(0.0, f64::max);
            thinnest = thinnest.min(cross.length() / longest);
            for i in 0..3 {
                let (v, w) = (triangle[i], triangle[(i + 1) % 3]);
                edges
                    .entry((v.min(w), v.max(w)))
                    .or_default()
                    .push((t, v < w));
                around[v as usize].push(t);
            }
        }
        let mut part: Vec<usize> = (0..mesh.triangles.len()).collect();
        fn root(part: &mut [usize], mut t: usize) -> usize {
            while part[t] != t {
                part[t] = part[part[t]];
                t = part[t];
            }
            t
        }
        let (mut consistent, mut sharpest) = (true, 1.0_f64);
        let mut next: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut boundary_edges = 0;
        let mut overused_edges = 0;
        for (&(v, w), users) in &edges {
            match users[..] {
                [_] => {
                    boundary_edges += 1;
                    next.entry(v).or_default().push(w);
                    next.entry(w).or_default().push(v);
                }
                [(one, forth), (other, back)] => {
                    consistent &= forth != back;
                    sharpest = sharpest.min(normals[one].dot(normals[other]));
                    let (one, other) = (root(&mut part, one), root(&mut part, other));
                    part[one.max(other)] = one.min(other);
                }
                _ => overused_edges += 1,
            }
        }
        let components = (0..part.len()).filter(|&t| root(&mut part, t) == t).count();
        let mut boundary_loops = 0;
        let mut seen = vec![false; mesh.vertices.len()];
        for &first in next.keys() {
            if !seen[first as usize] {
                boundary_loops += 1;
                let mut open = vec![first];
                while let Some(v) = open.pop() {
                    if !std::mem::replace(&mut seen[v as usize], true) {
                        open.extend(&next[&v]);
                    }
                }
            }
        }
        let pinched_vertices = (0..mesh.vertices.len() as u32)
            .filter(|&v| {
                // One fan: triangles around a vertex hang together through edges at it.
                let triangles = &around[v as usize];
                let mut reached = vec![false; triangles.len()];
                let mut open = vec![0];
                while let Some(i) = open.pop() {
                    if i < triangles.len() && !std::mem::replace(&mut reached[i], true) {
                        for (j, other) in triangles.iter().enumerate() {
                            let shared = mesh.triangles[triangles[i]]
                                .iter()
                                .filter(|w| mesh.triangles[*other].contains(w));
                            if shared.count() == 2 {
                                open.push(j);
                            }
                        }
                    }
                }
                !reached.iter().all(|r| *r)
            })
            .count();
        Topology {
            boundary_edges,
            boundary_loops,
            overused_edges,
            pinched_vertices,
            components,
            euler: mesh.vertices.len() as i64 - edges.len() as i64 + mesh.triangles.len() as i64,
            consistent,
            thinnest,
            area,
            volume,
            sharpest,
        }
    }

    pub(in crate::scenes) fn is_manifold(&self) -> bool {
        self.overused_edges == 0 && self.pinched_vertices == 0
    }

    pub(in crate::scenes) fn is_closed(&self) -> bool {
        self.is_manifold() && self.boundary_edges == 0
    }
}
