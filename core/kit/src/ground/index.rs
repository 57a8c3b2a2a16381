//! Uniform cells that list triangles and walls, in compressed rows by counting sort.

use glam::{IVec3, Vec2, Vec2Swizzles, Vec3};
use throng_core::{CellIndex, math};

use super::Ground;

/// Walls are listed in cells of about this width on plans, metres: how far the nearest one is can
/// then be told for all but those who have one at hand, however large the ground is.
const WALL_CELL: f32 = 2.0;
/// Cells that are made for it at most: what the distances need stays in a near cache.
const MOST_WALL_CELLS: f32 = 65_536.0;

/// An owned [`CellIndex`].
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    low: Vec3,
    cell: f32,
    size: IVec3,
    start: Vec<u32>,
    items: Vec<u32>,
}

impl Cells {
    /// The borrowed form.
    pub fn view(&self) -> CellIndex<'_> {
        CellIndex {
            low: self.low,
            cell: self.cell,
            size: self.size,
            start: &self.start,
            items: &self.items,
        }
    }

    /// Lists things by the cells that `touches` accepts among those in their bounding box.
    fn build(
        low: Vec3,
        high: Vec3,
        level: bool,
        wanted: usize,
        margin: f32,
        boxes: &[(Vec3, Vec3)],
        touches: impl Fn(usize, Vec3, Vec3) -> bool,
    ) -> Cells {
        let extent = (high - low).max(Vec3::splat(margin * 4.0));
        let wanted = wanted.max(1) as f32;
        let mut cell = if level {
            (extent.x * extent.y / wanted).sqrt()
        } else {
            math::cbrt(extent.x * extent.y * extent.z / wanted)
        };
        // A thin ground would get more cells than wanted along its long axis.
        cell = cell.max(extent.max_element() / 2048.0).max(margin * 8.0);
        if !level {
            cell = cell.max(extent.max_element() / 128.0);
        }
        loop {
            let mut size = (extent / cell).floor().as_ivec3() + IVec3::ONE;
            if level {
                size.z = 1;
            }
            let count = size.x as usize * size.y as usize * size.z as usize;
            let mut cells = Cells {
                low,
                cell,
                size,
                start: vec![0; count + 1],
                items: Vec::new(),
            };
            let view = cells.view();
            let limit = 32 * boxes.len() + 16 * count + 4096;
            let mut entries: Vec<(u32, u32)> = Vec::new();
            'things: for (i, (b_low, b_high)) in boxes.iter().enumerate() {
                let from = view.cell_of(*b_low - margin);
                let to = view.cell_of(*b_high + margin);
                for z in from.z..=to.z {
                    for y in from.y..=to.y {
                        for x in from.x..=to.x {
                            let c_low = low + IVec3::new(x, y, z).as_vec3() * cell - margin;
                            let mut c_high = c_low + cell + 2.0 * margin;
                            let mut c_low = c_low;
                            if level {
                                (c_low.z, c_high.z) = (f32::NEG_INFINITY, f32::INFINITY);
                            }
                            if touches(i, c_low, c_high) {
                                let c = (z * size.y + y) * size.x + x;
                                entries.push((c as u32, i as u32));
                            }
                        }
                    }
                }
                if entries.len() > limit {
                    break 'things;
                }
            }
            if entries.len() > limit {
                cell *= 2.0;
                continue;
            }
            for (c, _) in &entries {
                cells.start[*c as usize + 1] += 1;
            }
            for c in 0..count {
                cells.start[c + 1] += cells.start[c];
            }
            let mut next = cells.start.clone();
            cells.items = vec![0; entries.len()];
            for (c, i) in entries {
                cells.items[next[c as usize] as usize] = i;
                next[c as usize] += 1;
            }
            return cells;
        }
    }
}

/// Fills the ground's bounds, indexes and wall distances.
pub(super) fn build(ground: &mut Ground) {
    let mut low = Vec3::INFINITY;
    let mut high = Vec3::NEG_INFINITY;
    let mut boxes = Vec::with_capacity(ground.triangles.len());
    for t in &ground.triangles {
        let corners = t.map(|v| ground.vertices[v as usize]);
        let bounds = (
            corners[0].min(corners[1]).min(corners[2]),
            corners[0].max(corners[1]).max(corners[2]),
        );
        low = low.min(bounds.0);
        high = high.max(bounds.1);
        boxes.push(bounds);
    }
    (ground.low, ground.high) = (low, high);
    let margin = ground.grain * 4.0;
    let level = ground.plan;
    let (vertices, triangles, normals) = (&ground.vertices, &ground.triangles, &ground.normals);
    ground.triangle_cells = Cells::build(
        low,
        high,
        level,
        (triangles.len() * 2).clamp(16, 1 << 20),
        margin,
        &boxes,
        |i, c_low, c_high| {
            let corners = triangles[i].map(|v| vertices[v as usize]);
            if level {
                (0..3).all(|s| {
                    let (a, b) = (corners[s].truncate(), corners[(s + 1) % 3].truncate());
                    // The corner of the cell farthest to the left of the side.
                    let side = b - a;
                    let corner = Vec2::new(
                        if side.y > 0.0 { c_low.x } else { c_high.x },
                        if side.x > 0.0 { c_high.y } else { c_low.y },
                    );
                    side.perp_dot(corner - a) >= -margin * side.length()
                })
            } else {
                let middle = (c_low + c_high) / 2.0;
                let half = (c_high - c_low) / 2.0;
                let off = normals[i].dot(middle - corners[0]).abs();
                off <= half.dot(normals[i].abs()) + margin
            }
        },
    );
    let walls = &ground.walls;
    let wall_boxes: Vec<(Vec3, Vec3)> =
        walls.iter().map(|w| (w.a.min(w.b), w.a.max(w.b))).collect();
    let fine = if level {
        let extent = (high - low).truncate().max(Vec2::ZERO) / WALL_CELL;
        (extent.x * extent.y).min(MOST_WALL_CELLS) as usize
    } else {
        0
    };
    ground.wall_cells = Cells::build(
        low,
        high,
        level,
        (walls.len() * 8).clamp(1024, 1 << 20).max(fine),
        margin,
        &wall_boxes,
        |i, c_low, c_high| {
            if !level {
                return true;
            }
            let (a, b) = (walls[i].a.truncate(), walls[i].b.truncate());
            let side = b - a;
            let middle = (c_low + c_high).truncate() / 2.0;
            let half = (c_high - c_low).truncate() / 2.0;
            side.perp_dot(middle - a).abs() <= half.dot(side.abs().yx()) + margin * side.length()
        },
    );
    ground.wall_rings = rings(&ground.wall_cells);
}

/// Chessboard distance of every cell to the nearest one that lists something, in two sweeps
/// (Rosenfeld and Pfaltz 1968).
fn rings(cells: &Cells) -> Vec<u8> {
    let IVec3 {
        x: nx,
        y: ny,
        z: nz,
    } = cells.size;
    let mut rings: Vec<u8> = cells
        .start
        .windows(2)
        .map(|w| if w[0] == w[1] { u8::MAX } else { 0 })
        .collect();
    for forward in [true, false] {
        let sign = if forward { 1 } else { -1 };
        let order = |n: i32, i: i32| if forward { i } else { n - 1 - i };
        for iz in 0..nz {
            for iy in 0..ny {
                for ix in 0..nx {
                    let (x, y, z) = (order(nx, ix), order(ny, iy), order(nz, iz));
                    let here = ((z * ny + y) * nx + x) as usize;
                    let mut best = rings[here];
                    for dz in -1..=0 {
                        for dy in -1..=1 {
                            for dx in -1..=1 {
                                if (dz, dy, dx) >= (0, 0, 0) {
                                    continue;
                                }
                                let (u, v, w) = (x + dx * sign, y + dy * sign, z + dz * sign);
                                if (0..nx).contains(&u)
                                    && (0..ny).contains(&v)
                                    && (0..nz).contains(&w)
                                {
                                    let there = rings[((w * ny + v) * nx + u) as usize];
                                    best = best.min(there.saturating_add(1));
                                }
                            }
                        }
                    }
                    rings[here] = best;
                }
            }
        }
    }
    rings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_count_cells_away() {
        let mut start = vec![0; 26];
        start[13..].fill(1);
        let cells = Cells {
            low: Vec3::ZERO,
            cell: 1.0,
            size: IVec3::new(5, 5, 1),
            start,
            items: vec![0],
        };
        let rings = rings(&cells);
        assert_eq!(rings[12], 0);
        assert_eq!(rings[6], 1);
        assert_eq!(rings[0], 2);
        assert_eq!(rings[24], 2);
    }
}
