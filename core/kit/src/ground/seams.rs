//! Sides of a mesh split where vertices of other triangles lie on them (T-junctions).
//!
//! Two parts that were tessellated differently meet in a crack: the side of one triangle runs along
//! several sides of others, which share no side with it. Only sides and vertices of the rim are
//! looked at; a closed mesh has none.

use std::collections::HashMap;

use glam::{DVec3, IVec3};

/// Splits the sides of the rim at the vertices that lie within `tolerance` of their insides. Gives
/// how many vertices there were, and one of them.
pub(super) fn mend(
    vertices: &[DVec3],
    triangles: &mut Vec<[u32; 3]>,
    tolerance: f64,
) -> Option<(usize, u32)> {
    let rim = rim_sides(triangles);
    if rim.is_empty() {
        return None;
    }
    let near = Near::new(vertices, &rim, tolerance);
    let mut found: Vec<u32> = Vec::new();
    let mut mended = Vec::new();
    for (i, &t) in triangles.iter().enumerate() {
        let between: [Vec<u32>; 3] = core::array::from_fn(|s| {
            let [a, b, apex] = [0, 1, 2].map(|k| t[(s + k) % 3]);
            if rim.binary_search(&key(a, b)).is_ok() {
                near.inside(a, b, apex)
            } else {
                Vec::new()
            }
        });
        let first = found.len();
        found.extend(between.iter().flatten());
        if found.len() > first {
            mended.push((i, between));
        }
    }
    for (i, between) in mended {
        let mut parts = Vec::new();
        split(
            triangles[i],
            between.each_ref().map(Vec::as_slice),
            &mut parts,
        );
        triangles[i] = parts[0];
        triangles.extend(&parts[1..]);
    }
    found.sort_unstable();
    found.dedup();
    found.first().map(|&first| (found.len(), first))
}

/// Cuts a triangle at vertices that lie on its sides, listed in the order of its corners.
fn split(t: [u32; 3], between: [&[u32]; 3], parts: &mut Vec<[u32; 3]>) {
    let Some(s) = (0..3).find(|&s| !between[s].is_empty()) else {
        parts.push(t);
        return;
    };
    let [a, b, apex] = [0, 1, 2].map(|k| t[(s + k) % 3]);
    let [on, onwards, back] = [0, 1, 2].map(|k| between[(s + k) % 3]);
    let half = on.len() / 2;
    split([a, on[half], apex], [&on[..half], &[], back], parts);
    split([on[half], b, apex], [&on[half + 1..], onwards, &[]], parts);
}

fn key(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// The sides that belong to one triangle only, ascending.
fn rim_sides(triangles: &[[u32; 3]]) -> Vec<(u32, u32)> {
    let mut sides: Vec<(u32, u32)> = triangles
        .iter()
        .flat_map(|t| [key(t[0], t[1]), key(t[1], t[2]), key(t[2], t[0])])
        .collect();
    sides.sort_unstable();
    sides
        .chunk_by(|p, q| p == q)
        .filter(|same| same.len() == 1)
        .map(|same| same[0])
        .collect()
}

/// The vertices of the rim in cells about as wide as its sides are long.
struct Near<'a> {
    vertices: &'a [DVec3],
    tolerance: f64,
    cell: f64,
    in_cell: HashMap<IVec3, Vec<u32>>,
}

impl Near<'_> {
    fn new<'a>(vertices: &'a [DVec3], rim: &[(u32, u32)], tolerance: f64) -> Near<'a> {
        let length = |&(a, b): &(u32, u32)| vertices[a as usize].distance(vertices[b as usize]);
        let mean = rim.iter().map(length).sum::<f64>() / rim.len() as f64;
        let mut near = Near {
            vertices,
            tolerance,
            cell: mean.max(tolerance * 4.0),
            in_cell: HashMap::new(),
        };
        let mut ends: Vec<u32> = rim.iter().flat_map(|&(a, b)| [a, b]).collect();
        ends.sort_unstable();
        ends.dedup();
        for v in ends {
            let cell = near.cell_of(vertices[v as usize]);
            near.in_cell.entry(cell).or_default().push(v);
        }
        near
    }

    fn cell_of(&self, p: DVec3) -> IVec3 {
        (p / self.cell).floor().as_ivec3()
    }

    /// The vertices that lie inside a side, from `a` to `b`; none of a triangle that is no higher
    /// than they may lie beside it.
    fn inside(&self, a: u32, b: u32, apex: u32) -> Vec<u32> {
        let at = |v: u32| self.vertices[v as usize];
        let way = at(b) - at(a);
        let length = way.length();
        let measure = |v: u32| {
            let off = at(v) - at(a);
            let along = off.dot(way) / length;
            (along, (off - way * (along / length)).length())
        };
        let mut found: Vec<(f64, u32)> = Vec::new();
        if measure(apex).1 <= self.tolerance * 4.0 {
            return Vec::new();
        }
        // Every point of the side is at most half a cell from one of these.
        let steps = (length / self.cell).ceil().max(1.0) as usize;
        for i in 0..=steps {
            let middle = self.cell_of(at(a) + way * (i as f64 / steps as f64));
            for k in 0..27 {
                let beside = IVec3::new(k % 3, k / 3 % 3, k / 9) - 1;
                let here = self.in_cell.get(&middle.saturating_add(beside));
                for &v in here.into_iter().flatten() {
                    let (along, off) = measure(v);
                    let ends = along <= self.tolerance || along >= length - self.tolerance;
                    if !ends && off <= self.tolerance {
                        found.push((along, v));
                    }
                }
            }
        }
        found.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        found.dedup();
        found.into_iter().map(|(_, v)| v).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square whose right side is one side of a triangle, and three squares beside it.
    fn crack(off: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let mut vertices = vec![
            DVec3::ZERO,
            DVec3::new(3.0, 0.0, 0.0),
            DVec3::new(3.0, 3.0, 0.0),
            DVec3::new(0.0, 3.0, 0.0),
        ];
        let mut triangles = vec![[0, 1, 2], [0, 2, 3]];
        // Bent upwards beyond the seam.
        let mut column = vec![[1, 4]];
        vertices.push(DVec3::new(3.0, 0.0, 1.0));
        for y in [1.0, 2.0] {
            let v = vertices.len() as u32;
            vertices.push(DVec3::new(3.0 + off, y, 0.0));
            vertices.push(DVec3::new(3.0, y, 1.0));
            column.push([v, v + 1]);
        }
        vertices.push(DVec3::new(3.0, 3.0, 1.0));
        column.push([2, vertices.len() as u32 - 1]);
        for pair in column.windows(2) {
            let ([a, b], [c, d]) = (pair[0], pair[1]);
            triangles.extend([[a, b, d], [a, d, c]]);
        }
        (vertices, triangles)
    }

    fn area(vertices: &[DVec3], triangles: &[[u32; 3]]) -> f64 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| vertices[v as usize]);
            (b - a).cross(c - a).length() / 2.0
        };
        triangles.iter().map(of).sum()
    }

    #[test]
    fn a_side_is_split_at_the_vertices_on_it() {
        for off in [0.0, 4e-4, -4e-4] {
            let (vertices, mut triangles) = crack(off);
            let before = area(&vertices, &triangles);
            assert_eq!(rim_sides(&triangles).len(), 4 + 8);
            let (count, first) = mend(&vertices, &mut triangles, 1e-3).unwrap();
            assert_eq!((count, first), (2, 5));
            // All that is left of the rim is the outline.
            assert_eq!(rim_sides(&triangles).len(), 3 + 5);
            assert_eq!(triangles.len(), 2 + 6 + 2);
            assert!((area(&vertices, &triangles) - before).abs() < 3e-3);
            assert_eq!(mend(&vertices, &mut triangles, 1e-3), None);
        }
    }

    #[test]
    fn what_lies_farther_off_is_left_alone() {
        let (vertices, triangles) = crack(2e-3);
        let mut mended = triangles.clone();
        assert_eq!(mend(&vertices, &mut mended, 1e-3), None);
        assert_eq!(mended, triangles);
    }

    #[test]
    fn vertices_on_all_three_sides_split_a_triangle_without_overlap() {
        let mut vertices = vec![DVec3::ZERO, DVec3::X * 4.0, DVec3::Y * 4.0];
        let corners = [0, 1, 2];
        let mut between: [Vec<u32>; 3] = Default::default();
        for s in 0..3 {
            let (a, b) = (vertices[s], vertices[(s + 1) % 3]);
            for i in 1..=3 {
                between[s].push(vertices.len() as u32);
                vertices.push(a.lerp(b, f64::from(i) / 4.0));
            }
        }
        let mut parts = Vec::new();
        split(corners, between.each_ref().map(Vec::as_slice), &mut parts);
        assert_eq!(parts.len(), 10);
        assert!((area(&vertices, &parts) - 8.0).abs() < 1e-12);
        for [a, b, c] in parts.iter().map(|t| t.map(|v| vertices[v as usize])) {
            assert!((b - a).cross(c - a).z > 0.0);
        }
    }
}
