//! Finding the place of a point: nearest, right below, or near a hint.

use glam::{DVec2, DVec3, IVec3, Vec2, Vec3};
use throng_core::{GroundView, Location, TriangleId};

use super::geometry::{corners, covers, known, on_triangle, onto_plane};

/// Grains within which a point counts as on the boundary.
const EDGE: f32 = 4.0;

/// Calls `visit` with the triangles of ever wider rings of cells about a point, until the cells
/// of a ring are all farther than the squared distance that `visit` answers with.
fn by_rings(view: &GroundView, point: Vec3, mut visit: impl FnMut(TriangleId) -> f64) {
    let index = &view.triangle_index;
    let centre = index.cell_of(point);
    let farthest = index.size.max_element();
    // How far the point is from the rim of its own cell, along the axes that have other cells.
    let inside = (point - index.low) - centre.as_vec3() * index.cell;
    let inside = inside.min(Vec3::splat(index.cell) - inside).max(Vec3::ZERO);
    let rim = (0..3)
        .filter(|&k| index.size[k] > 1)
        .map(|k| inside[k])
        .fold(index.cell, f32::min);
    let mut best = f64::INFINITY;
    for ring in 0..=farthest {
        if ring > 0 {
            // A little less, because cells are found in single precision.
            let nearest = f64::from(rim) + f64::from(ring - 1) * f64::from(index.cell);
            let nearest = (nearest - f64::from(view.grain) * 4.0).max(0.0);
            if nearest * nearest > best {
                return;
            }
        }
        let low = (centre - ring).max(IVec3::ZERO);
        let high = (centre + ring).min(index.size - 1);
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                let on_shell = (z - centre.z).abs() == ring || (y - centre.y).abs() == ring;
                let mut x = low.x;
                while x <= high.x {
                    if on_shell || (x - centre.x).abs() == ring {
                        for &t in index.items_in(IVec3::new(x, y, z)) {
                            best = visit(t);
                        }
                        x += 1;
                    } else {
                        // Straight to the far side of the shell.
                        x = (centre.x + ring).max(x + 1);
                    }
                }
            }
        }
    }
}

/// See [`Walk::locate`](super::Walk::locate).
pub(super) fn nearest(view: &GroundView, point: Vec3) -> Option<Location> {
    if !point.is_finite() {
        return None;
    }
    let p = point.as_dvec3();
    let mut best = (f64::INFINITY, u32::MAX, DVec3::ZERO);
    by_rings(view, point, |t| {
        let [a, b, c] = corners(view, t);
        // Most are farther by their boxes alone, by more than is rounded.
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let off = (low - p).max(p - high).max(DVec3::ZERO);
        if off.length_squared() > best.0 * (1.0 + 1e-6) + 1e-9 {
            return best.0;
        }
        let q = on_triangle([a, b, c], p);
        let distance = q.distance_squared(p);
        if (distance, t) < (best.0, best.1) {
            best = (distance, t, q);
        }
        best.0
    });
    (best.1 != u32::MAX).then(|| Location {
        point: settle(view, best.1, point, best.2),
        triangle: best.1,
    })
}

/// The nearest point rounded, with the asked one's x and y where it lies right above or below.
fn settle(view: &GroundView, triangle: TriangleId, asked: Vec3, found: DVec3) -> Vec3 {
    let mut point = found.as_vec3();
    let level = view.normals[triangle as usize] == Vec3::Z;
    let on_it = found.distance(asked.as_dvec3()) <= f64::from(view.grain * EDGE);
    if view.plan && (level || on_it) && covers(view, triangle, asked.as_dvec3().truncate()) {
        (point.x, point.y) = (asked.x, asked.y);
        point.z = onto_plane(view, triangle, point.as_dvec3()).z as f32;
    }
    point
}

/// See [`Walk::locate_plan`](super::Walk::locate_plan).
pub(super) fn below(view: &GroundView, xy: Vec2, floor: Option<u16>) -> Option<Location> {
    if !xy.is_finite() {
        return None;
    }
    let index = &view.triangle_index;
    let margin = view.grain * EDGE;
    let size = index.size.as_vec3() * index.cell;
    let off = xy - index.low.truncate();
    if off.min_element() < -margin || off.x > size.x + margin || off.y > size.y + margin {
        return None;
    }
    let column = index.cell_of(xy.extend(index.low.z));
    let p = xy.as_dvec2();
    let mut best: Option<(bool, f32, TriangleId, f32)> = None;
    for z in 0..index.size.z {
        for &t in index.items_in(IVec3::new(column.x, column.y, z)) {
            let of_floor = view.floors[t as usize];
            if floor.is_some_and(|f| f != of_floor) || view.normals[t as usize].z.abs() < 1e-3 {
                continue;
            }
            let Some(exact) = holds(view, t, p) else {
                continue;
            };
            let height = height_at(view, t, p);
            // Smaller is better: exact before near, low floor (or high place), low triangle.
            let rank = if view.plan {
                f32::from(of_floor)
            } else {
                -height
            };
            let better = best.is_none_or(|(e, r, b, _)| (!exact, rank, t) < (!e, r, b));
            if better {
                best = Some((exact, rank, t, height));
            }
        }
    }
    best.map(|(_, _, triangle, height)| Location {
        point: xy.extend(height),
        triangle,
    })
}

/// Whether a triangle holds a point seen in plan: exactly, or within a few grains.
fn holds(view: &GroundView, triangle: TriangleId, p: DVec2) -> Option<bool> {
    let flat = corners(view, triangle).map(|c| c.with_z(0.0));
    let turned = view.normals[triangle as usize].z < 0.0;
    let flat = if turned {
        [flat[0], flat[2], flat[1]]
    } else {
        flat
    };
    let [a, b, c] = flat.map(DVec3::truncate);
    let inside = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|(u, v)| super::geometry::turn(*u, *v, p) >= 0.0);
    if inside {
        return Some(true);
    }
    let limit = f64::from(view.grain * EDGE);
    let near = on_triangle(flat, p.extend(0.0)).truncate();
    (near.distance_squared(p) <= limit * limit).then_some(false)
}

fn height_at(view: &GroundView, triangle: TriangleId, p: DVec2) -> f32 {
    let a = view.corners(triangle)[0].as_dvec3();
    let n = view.normals[triangle as usize].as_dvec3();
    (a.z - (n.x * (p.x - a.x) + n.y * (p.y - a.y)) / n.z) as f32
}

/// See [`Walk::nearest_plan`](super::Walk::nearest_plan).
pub(super) fn nearest_plan(view: &GroundView, xy: Vec2, floor: Option<u16>) -> Option<Location> {
    if let Some(found) = below(view, xy, floor) {
        return Some(found);
    }
    if !xy.is_finite() {
        return None;
    }
    let p = xy.as_dvec2().extend(0.0);
    let mut best = (f64::INFINITY, u32::MAX, DVec3::ZERO);
    let mut consider = |t: TriangleId| {
        if floor.is_none_or(|f| f == view.floors[t as usize]) {
            let flat = corners(view, t).map(|c| c.with_z(0.0));
            let q = on_triangle(flat, p);
            let distance = q.distance_squared(p);
            if (distance, t) < (best.0, best.1) {
                best = (distance, t, q);
            }
        }
        best.0
    };
    if view.plan {
        by_rings(view, xy.extend(0.0), consider);
    } else {
        for t in 0..view.triangles.len() as u32 {
            consider(t);
        }
    }
    (best.1 != u32::MAX).then(|| {
        let steep = view.normals[best.1 as usize].z.abs() < 1e-3;
        let height = if steep {
            view.corners(best.1)[0].z
        } else {
            height_at(view, best.1, best.2.truncate())
        };
        Location {
            point: best.2.truncate().as_vec2().extend(height),
            triangle: best.1,
        }
    })
}

/// See [`Walk::relocate`](super::Walk::relocate).
pub(super) fn relocate(view: &GroundView, hint: Location, point: Vec3) -> Option<Location> {
    if !point.is_finite() {
        return None;
    }
    let near = f64::from(view.grain) * 16.0;
    if known(view, hint) {
        let p = point.as_dvec3();
        let mut triangle = hint.triangle;
        // Downhill over the neighbours; a dead end is left to the index.
        for _ in 0..64 {
            let q = on_triangle(corners(view, triangle), p);
            if q.distance_squared(p) <= near * near {
                return Some(Location {
                    point: settle(view, triangle, point, q),
                    triangle,
                });
            }
            let mut best = (q.distance_squared(p), triangle);
            for side in 0..3 {
                let code = view.passage(triangle, side);
                if code != throng_core::NONE {
                    let there = on_triangle(corners(view, code / 3), p).distance_squared(p);
                    if there < best.0 {
                        best = (there, code / 3);
                    }
                }
            }
            if best.1 == triangle {
                break;
            }
            triangle = best.1;
        }
    }
    nearest(view, point)
}
