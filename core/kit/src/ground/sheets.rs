//! Storeys of a mesh: sheets none of which lies above itself.
//!
//! Whoever looks at a ground from above finds its places by floor. A mesh says nothing of floors:
//! where it lies above itself in plan, as the storeys of a building do, each of them becomes a
//! floor here, and each stair between them.

use glam::{DVec2, DVec3, Vec3};
use throng_core::NONE;

/// Neighbours whose normals differ by less than this cosine are one piece of floor.
const SMOOTH: f32 = 0.9986;
/// More sheets than this come from a rough surface: then slopes do not part it.
const MANY: u16 = 64;
/// Triangles that overlap by less than this touch, metres.
const TOUCH: f64 = 1e-4;
/// Most pairs of triangles above each other.
const MOST_PAIRS: usize = 1 << 24;

/// The floor of each triangle and how many there are; nothing where no part lies above another.
pub(super) fn sheets(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    across: &[[u32; 3]],
    normals: &[Vec3],
) -> Option<(Vec<u16>, usize)> {
    let plans: Vec<[DVec2; 3]> = triangles
        .iter()
        .map(|t| t.map(|v| vertices[v as usize].truncate()))
        .collect();
    let above = pairs(&plans, across)?;
    if above.start.last() == Some(&0) {
        return None;
    }
    let smooth = |t: usize, other: usize| normals[t].dot(normals[other]) > SMOOTH;
    parted(across, &above, MANY, smooth)
        .or_else(|| parted(across, &above, u16::MAX, |_, _| true))
        .map(|(floors, count)| (floors, count as usize))
}

/// Which triangles lie above or below each, in compressed rows.
struct Above {
    start: Vec<u32>,
    other: Vec<u32>,
}

/// Grows sheets over neighbours that belong together, none above itself.
fn parted(
    across: &[[u32; 3]],
    above: &Above,
    most: u16,
    together: impl Fn(usize, usize) -> bool,
) -> Option<(Vec<u16>, u16)> {
    let mut floor = vec![u16::MAX; across.len()];
    let mut count = 0;
    let mut front = Vec::new();
    for first in 0..across.len() {
        if floor[first] != u16::MAX {
            continue;
        }
        if count == most {
            return None;
        }
        floor[first] = count;
        front.push(first as u32);
        let mut next = 0;
        while let Some(&t) = front.get(next) {
            next += 1;
            for side in across[t as usize] {
                if side == NONE {
                    continue;
                }
                let (t, other) = (t as usize, side as usize / 3);
                let range = above.start[other] as usize..above.start[other + 1] as usize;
                let free = above.other[range]
                    .iter()
                    .all(|&o| floor[o as usize] != count);
                if floor[other] == u16::MAX && free && together(t, other) {
                    floor[other] = count;
                    front.push(other as u32);
                }
            }
        }
        front.clear();
        count += 1;
    }
    Some((floor, count))
}

/// Finds the pairs of triangles that overlap in plan; nothing if there are too many.
fn pairs(plans: &[[DVec2; 3]], across: &[[u32; 3]]) -> Option<Above> {
    let bounds = |p: &[DVec2; 3]| (p[0].min(p[1]).min(p[2]), p[0].max(p[1]).max(p[2]));
    let (mut low, mut high, mut size) = (DVec2::INFINITY, DVec2::NEG_INFINITY, 0.0);
    for plan in plans {
        let (a, b) = bounds(plan);
        (low, high) = (low.min(a), high.max(b));
        size += (b - a).max_element();
    }
    let mut cell = (size / plans.len() as f64).max(1e-6);
    let extent = high - low;
    let most = (4 * plans.len() + 16) as f64;
    while (extent.x / cell + 1.0) * (extent.y / cell + 1.0) > most {
        cell *= 1.5;
    }
    let columns = (extent.x / cell) as usize + 1;
    let rows = (extent.y / cell) as usize + 1;
    let range = |plan: &[DVec2; 3]| {
        let (a, b) = bounds(plan);
        let [a, b] = [a, b].map(|p| (p - low) / cell);
        let last = (columns - 1, rows - 1);
        (
            (a.x as usize).min(last.0)..=(b.x as usize).min(last.0),
            (a.y as usize).min(last.1)..=(b.y as usize).min(last.1),
        )
    };
    let mut start = vec![0_u32; columns * rows + 1];
    for plan in plans {
        let (xs, ys) = range(plan);
        for y in ys {
            for x in xs.clone() {
                start[y * columns + x + 1] += 1;
            }
        }
    }
    for c in 0..columns * rows {
        start[c + 1] += start[c];
    }
    let mut items = vec![0_u32; start[columns * rows] as usize];
    let mut next = start.clone();
    for (t, plan) in plans.iter().enumerate() {
        let (xs, ys) = range(plan);
        for y in ys {
            for x in xs.clone() {
                let slot = &mut next[y * columns + x];
                items[*slot as usize] = t as u32;
                *slot += 1;
            }
        }
    }
    let mut found: Vec<(u32, u32)> = Vec::new();
    for c in 0..columns * rows {
        let here = &items[start[c] as usize..start[c + 1] as usize];
        for (i, &a) in here.iter().enumerate() {
            for &b in &here[i + 1..] {
                let joined = across[a as usize]
                    .iter()
                    .any(|side| *side != NONE && side / 3 == b);
                if !joined && overlap(&plans[a as usize], &plans[b as usize]) {
                    found.push((a, b));
                    found.push((b, a));
                }
            }
        }
        if found.len() > MOST_PAIRS {
            return None;
        }
    }
    found.sort_unstable();
    found.dedup();
    let mut start = vec![0_u32; plans.len() + 1];
    for &(a, _) in &found {
        start[a as usize + 1] += 1;
    }
    for t in 0..plans.len() {
        start[t + 1] += start[t];
    }
    Some(Above {
        start,
        other: found.into_iter().map(|p| p.1).collect(),
    })
}

/// Whether two triangles overlap by more than a touch: no side parts them.
fn overlap(a: &[DVec2; 3], b: &[DVec2; 3]) -> bool {
    let parts = |of: &[DVec2; 3], one: &[DVec2; 3], other: &[DVec2; 3]| {
        (0..3).any(|s| {
            let Some(axis) = (of[(s + 1) % 3] - of[s]).perp().try_normalize() else {
                return false;
            };
            let span = |t: &[DVec2; 3]| {
                let along = t.map(|p| p.dot(axis));
                (
                    along[0].min(along[1]).min(along[2]),
                    along[0].max(along[1]).max(along[2]),
                )
            };
            let ((low, high), (there, beyond)) = (span(one), span(other));
            high - TOUCH <= there || beyond - TOUCH <= low
        })
    };
    !parts(a, a, b) && !parts(b, a, b)
}

#[cfg(test)]
mod tests {
    use super::super::Ground;
    use crate::environment::Mesh;
    use glam::DVec3;

    /// Squares of 1 m side by corner and height of their four corners, as one mesh.
    fn squares(of: &[(f64, f64, [f64; 4])]) -> Ground {
        let mut mesh = Mesh::default();
        for (x, y, z) in of {
            let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            let ids: Vec<u32> = corners
                .iter()
                .zip(z)
                .map(|((dx, dy), z)| {
                    let p = DVec3::new(x + dx, y + dy, *z);
                    match mesh.vertices.iter().position(|v| *v == p) {
                        Some(known) => known as u32,
                        None => {
                            mesh.vertices.push(p);
                            mesh.vertices.len() as u32 - 1
                        }
                    }
                })
                .collect();
            mesh.triangles.push([ids[0], ids[1], ids[2]]);
            mesh.triangles.push([ids[0], ids[2], ids[3]]);
        }
        Ground::from_mesh(&mesh).unwrap()
    }

    #[test]
    fn storeys_and_the_ramp_between_them_are_floors() {
        // Below along x, up a ramp in the second row, back above.
        let ground = squares(&[
            (0.0, 0.0, [0.0; 4]),
            (1.0, 0.0, [0.0; 4]),
            (2.0, 0.0, [0.0; 4]),
            (2.0, 1.0, [0.0, 0.0, 0.5, 0.5]),
            (2.0, 2.0, [0.5, 0.5, 1.0, 1.0]),
            (1.0, 2.0, [1.0; 4]),
            (1.0, 1.0, [1.0; 4]),
            (1.0, 0.0, [1.0; 4]),
            (0.0, 0.0, [1.0; 4]),
        ]);
        let view = ground.view();
        assert!(view.plan && !view.flat);
        let floor = |square: usize| [view.floors[2 * square], view.floors[2 * square + 1]];
        assert_eq!(floor(0), floor(2));
        assert_eq!(floor(3), floor(4));
        assert_eq!(floor(5), floor(8));
        assert!(floor(0)[0] != floor(8)[0] && floor(0)[0] != floor(3)[0]);
        assert_eq!(view.floor_count, 3);
    }

    #[test]
    fn a_surface_that_never_lies_above_itself_is_one_floor() {
        let hill = squares(&[
            (0.0, 0.0, [0.0, 0.3, 0.6, 0.1]),
            (1.0, 0.0, [0.3, 0.0, 0.2, 0.6]),
        ]);
        assert!(hill.view().floors.iter().all(|f| *f == 0));
        assert_eq!(hill.view().floor_count, 1);
    }
}
