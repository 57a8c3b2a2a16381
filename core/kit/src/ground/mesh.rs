//! An arbitrary triangle mesh as a soup: welded, without cracks at T-junctions, without degenerate or
//! double triangles.

use std::collections::HashMap;

use glam::DVec3;

use super::GroundError;
use super::grid::{LARGEST, grain_for};
use super::seams;
use super::topology::Soup;
use crate::environment::Mesh;

/// Vertices closer than this share of the extent become one.
const WELD: f64 = 1e-6;
/// Triangles whose height is below this share of their longest side are dropped.
const DEGENERATE: f64 = 1e-7;

/// The soup of a mesh.
pub(super) fn soup(mesh: &Mesh) -> Result<Soup, GroundError> {
    if mesh.vertices.len() >= u32::MAX as usize {
        return Err(GroundError::TooMany { what: "vertices" });
    }
    let mut notices = Vec::new();
    let count = mesh.vertices.len() as u32;
    let listed: Vec<[u32; 3]> = mesh
        .triangles
        .iter()
        .copied()
        .filter(|t| t.iter().all(|&v| v < count))
        .collect();
    let unknown = mesh.triangles.len() - listed.len();
    if unknown > 0 {
        notices.push(format!(
            "{unknown} triangles of the mesh name vertices that do not exist: dropped"
        ));
    }
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    for &v in listed.iter().flatten() {
        let p = mesh.vertices[v as usize];
        if !p.is_finite() {
            return Err(GroundError::NotFinite {
                what: format!("vertex {v} of the mesh"),
            });
        }
        low = low.min(p);
        high = high.max(p);
    }
    if listed.is_empty() {
        return Err(GroundError::Empty);
    }
    let half = (high - low).max_element() / 2.0;
    if !(half.is_finite() && half <= LARGEST) {
        return Err(GroundError::TooLarge { half_extent: half });
    }
    let grain = grain_for(half);
    let mut origin = low + (high - low) / 2.0;
    if half > 4.0 {
        origin = origin.round();
    }
    if low.z == high.z {
        origin.z = low.z;
    }

    let tolerance = (half * 2.0 * WELD).max(grain * 2.0);
    let (vertices, new_index, welded) = weld(mesh, &listed, origin, tolerance);
    if welded > 0 {
        notices.push(format!(
            "{welded} duplicate vertices of the mesh were welded"
        ));
    }
    let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(listed.len());
    let mut degenerate = 0usize;
    for t in &listed {
        let t = t.map(|v| new_index[v as usize]);
        let [a, b, c] = t.map(|v| vertices[v as usize].as_vec3().as_dvec3());
        let longest = (b - a).length().max((c - b).length()).max((a - c).length());
        if (b - a).cross(c - a).length() <= DEGENERATE * longest * longest {
            degenerate += 1;
        } else {
            triangles.push(t);
        }
    }
    if degenerate > 0 {
        notices.push(format!(
            "{degenerate} triangles of the mesh have no area: dropped"
        ));
    }
    let before = triangles.len();
    let mut seen = std::collections::HashSet::with_capacity(before);
    triangles.retain(|t| {
        let mut key = *t;
        key.sort_unstable();
        seen.insert(key)
    });
    if triangles.len() < before {
        notices.push(format!(
            "{} triangles of the mesh were listed twice: dropped",
            before - triangles.len()
        ));
    }
    if let Some((count, first)) = seams::mend(&vertices, &mut triangles, tolerance) {
        let at = vertices[first as usize] + origin;
        notices.push(format!(
            "{count} vertices of the mesh lie on sides of other triangles, one of them at ({:.3}, \
             {:.3}, {:.3}): these sides were split there",
            at.x, at.y, at.z
        ));
    }
    Ok(Soup {
        origin,
        grain,
        floors: vec![0; triangles.len()],
        speed: vec![1.0; triangles.len()],
        in_obstacle: vec![false; triangles.len()],
        vertices,
        triangles,
        floor_count: 1,
        notices,
        ..Soup::default()
    })
}

/// Local vertices in use, the new index of every old one, and how many were merged.
fn weld(
    mesh: &Mesh,
    triangles: &[[u32; 3]],
    origin: DVec3,
    tolerance: f64,
) -> (Vec<DVec3>, Vec<u32>, usize) {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut new_index = vec![u32::MAX; mesh.vertices.len()];
    let mut in_cell: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut welded = 0;
    for &old in triangles.iter().flatten() {
        if new_index[old as usize] != u32::MAX {
            continue;
        }
        let p = mesh.vertices[old as usize] - origin;
        let cell = (p / (tolerance * 2.0)).floor();
        let cell = [cell.x as i64, cell.y as i64, cell.z as i64];
        let mut found = None;
        // The cell is twice the tolerance wide: only the near neighbour along each axis counts.
        let near = [p.x, p.y, p.z].map(|v| {
            let share = v / (tolerance * 2.0);
            if share - share.floor() < 0.5 { -1 } else { 1 }
        });
        'search: for dz in [0, near[2]] {
            for dy in [0, near[1]] {
                for dx in [0, near[0]] {
                    let key = [cell[0] + dx, cell[1] + dy, cell[2] + dz];
                    let close = in_cell.get(&key).into_iter().flatten().find(|&&v| {
                        vertices[v as usize].distance_squared(p) <= tolerance * tolerance
                    });
                    if let Some(&v) = close {
                        found = Some(v);
                        break 'search;
                    }
                }
            }
        }
        new_index[old as usize] = match found {
            Some(v) => {
                welded += 1;
                v
            }
            None => {
                let v = vertices.len() as u32;
                vertices.push(p);
                in_cell.entry(cell).or_default().push(v);
                v
            }
        };
    }
    (vertices, new_index, welded)
}
