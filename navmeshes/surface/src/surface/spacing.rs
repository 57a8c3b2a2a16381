//! How long the edges of a map may be: by the size of each part of the surface.

use glam::Vec3;
use throng_core::{GroundView, NONE};

/// However small a part, no edge is longer than its extent over this.
const LEAST_ACROSS: f32 = 12.0;
/// However large the surface, edges are not cut into more squares than about these.
const MOST_SQUARES: f64 = 2.5e5;

/// What edges of each triangle may have in length, where `asked` is what they may anywhere.
pub fn by_triangle(ground: &GroundView<'_>, asked: f32) -> Vec<f64> {
    let least = (area_of(ground) / MOST_SQUARES).sqrt() as f32;
    let mut spacing = vec![0.0; ground.triangles.len()];
    let mut part = Vec::new();
    for first in 0..ground.triangles.len() {
        if spacing[first] != 0.0 {
            continue;
        }
        // Marked when found, known when all are.
        part.clear();
        part.push(first);
        spacing[first] = f64::INFINITY;
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut seen = 0;
        while let Some(&t) = part.get(seen) {
            seen += 1;
            for v in ground.triangles[t] {
                let v = ground.vertices[v as usize];
                (low, high) = (low.min(v), high.max(v));
            }
            for code in ground.across[t].into_iter().filter(|c| *c != NONE) {
                let next = code as usize / 3;
                if spacing[next] == 0.0 {
                    spacing[next] = f64::INFINITY;
                    part.push(next);
                }
            }
        }
        let across = (high - low).length() / LEAST_ACROSS;
        let longest = f64::from(asked.min(across).max(least));
        part.iter().for_each(|t| spacing[*t] = longest);
    }
    spacing
}

/// Area of the whole surface, square metres.
fn area_of(ground: &GroundView<'_>) -> f64 {
    let of = |t: u32| {
        let [a, b, c] = ground.corners(t).map(|v| v.as_dvec3());
        (b - a).cross(c - a).length() / 2.0
    };
    (0..ground.triangles.len() as u32).map(of).sum()
}
