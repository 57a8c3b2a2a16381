//! How far the walls of a floor plan are from places, steps and squares.

use glam::{Vec2, Vec3};
use throng_core::{GroundView, NO_DOOR, Wall};

use crate::lattice::Lattice;

/// Clearance is exact up to this, and capped at it, metres.
pub const MOST_CLEARANCE: f32 = 2.0;
/// Walls farther above or below than this belong to other storeys, metres.
const STOREY: f32 = 1.5;

/// A wall seen from above.
#[derive(Clone, Copy, Debug)]
struct PlanWall {
    a: Vec3,
    b: Vec3,
    /// The door it is a leaf of, or [`NO_DOOR`].
    door: u16,
    /// Whether a step near it must be traced; the walls of a grid file run between its cells.
    traced: bool,
}

/// Distances from a place, each at most the reach asked for.
#[derive(Clone, Copy, Debug)]
pub struct Distances {
    /// To the nearest real wall: no door leaf, no obstacle.
    pub clearance: f32,
    /// To the nearest wall or door leaf that steps must be traced near.
    pub traced: f32,
}

/// The walls of a floor plan in buckets.
#[derive(Debug)]
pub struct NearWalls {
    walls: Vec<PlanWall>,
    corners: Vec<Vec3>,
    buckets: Lattice,
    reach: f32,
    wall_start: Vec<u32>,
    wall_item: Vec<u32>,
    corner_start: Vec<u32>,
    corner_item: Vec<u32>,
}

impl NearWalls {
    /// Sorts the walls of a ground: nothing farther than `reach` is ever asked for, of places or
    /// of steps between cells of a given size. `runs_between_cells` tells walls that no step
    /// between two cells can cross.
    pub fn new(
        ground: &GroundView<'_>,
        reach: f32,
        cell: f32,
        runs_between_cells: impl Fn(&Wall) -> bool,
    ) -> Option<NearWalls> {
        // Half a diagonal step more: the corners near a step are looked for about its middle.
        let buckets = Lattice::over(ground, reach + cell, Lattice::low_corner(ground)).ok()?;
        let walls: Vec<PlanWall> = ground
            .walls
            .iter()
            .filter(|w| w.flags & Wall::OBSTACLE == 0)
            .map(|w| PlanWall {
                a: w.a,
                b: w.b,
                door: w.door,
                traced: w.door != NO_DOOR || !runs_between_cells(w),
            })
            .collect();
        let mut corners: Vec<Vec3> = walls
            .iter()
            .filter(|w| w.door == NO_DOOR)
            .flat_map(|w| [w.a, w.b])
            .collect();
        corners.sort_by(|a, b| {
            (a.x.total_cmp(&b.x))
                .then(a.y.total_cmp(&b.y))
                .then(a.z.total_cmp(&b.z))
        });
        corners.dedup();
        let (wall_start, wall_item) = rows(&buckets, walls.len(), |i, visit| {
            let wall = &walls[i];
            buckets.stretches(wall.a.truncate(), wall.b.truncate(), |b, _, _| visit(b));
        });
        let (corner_start, corner_item) = rows(&buckets, corners.len(), |i, visit| {
            visit(buckets.square_of(corners[i].truncate()));
        });
        Some(NearWalls {
            walls,
            corners,
            buckets,
            reach,
            wall_start,
            wall_item,
            corner_start,
            corner_item,
        })
    }

    /// Calls `visit` for the items of the buckets about a place; an item may come twice.
    #[inline]
    fn about(&self, at: Vec2, start: &[u32], item: &[u32], mut visit: impl FnMut(u32)) {
        let (column, row) = self.buckets.column_row(at);
        let last = (self.buckets.width - 1, self.buckets.height - 1);
        let first = column.saturating_sub(1);
        let end = (column + 1).min(last.0);
        for y in row.saturating_sub(1)..=(row + 1).min(last.1) {
            // The buckets of a row are neighbours in the list as well.
            let line = y * self.buckets.width;
            let range = start[(line + first) as usize]..start[(line + end) as usize + 1];
            for &i in &item[range.start as usize..range.end as usize] {
                visit(i);
            }
        }
    }

    /// Distances of a place from the walls of its storey.
    pub fn distances(&self, at: Vec3) -> Distances {
        let point = at.truncate();
        let reach = self.reach * self.reach;
        let (mut clearance, mut traced) = (reach, reach);
        self.about(point, &self.wall_start, &self.wall_item, |i| {
            let wall = &self.walls[i as usize];
            let share = nearest_share(point, wall.a.truncate(), wall.b.truncate());
            let near = wall.a + (wall.b - wall.a) * share;
            let squared = near.truncate().distance_squared(point);
            if squared < clearance.max(traced) && (near.z - at.z).abs() < STOREY {
                if wall.door == NO_DOOR {
                    clearance = clearance.min(squared);
                }
                if wall.traced {
                    traced = traced.min(squared);
                }
            }
        });
        Distances {
            clearance: clearance.sqrt(),
            traced: traced.sqrt(),
        }
    }

    /// Clearance of a straight step that crosses no wall, given that of its ends.
    ///
    /// Two segments that do not cross are nearest at an end of one of them: the step's own ends
    /// are known, which leaves the corners of the walls.
    pub fn step_clearance(&self, from: Vec3, to: Vec3, ends: [f32; 2]) -> f32 {
        let mut least = ends[0].min(ends[1]).min(MOST_CLEARANCE);
        let length = (to - from).truncate().length();
        if ends[0].max(ends[1]) >= least + length {
            return least;
        }
        let (a, b) = (from.truncate(), to.truncate());
        let height = (from.z + to.z) / 2.0;
        let reach = least + length / 2.0;
        self.about((a + b) / 2.0, &self.corner_start, &self.corner_item, |i| {
            let corner = self.corners[i as usize];
            let point = corner.truncate();
            if point.distance_squared((a + b) / 2.0) < reach * reach
                && (corner.z - height).abs() < STOREY
            {
                let near = a + (b - a) * nearest_share(point, a, b);
                least = least.min(near.distance(point));
            }
        });
        least
    }

    /// Whether a wall reaches into the open box between two corners in plan, at a height: a real
    /// wall, and a leaf of a door. Boxes no larger than the cells given at the start.
    pub fn inside(&self, low: Vec2, high: Vec2, height: f32) -> (bool, bool) {
        let (mut real, mut leaf) = (false, false);
        self.about((low + high) / 2.0, &self.wall_start, &self.wall_item, |i| {
            let wall = &self.walls[i as usize];
            let known = if wall.door == NO_DOOR { real } else { leaf };
            if known || !meets_box(wall.a.truncate(), wall.b.truncate(), low, high) {
                return;
            }
            let share = nearest_share((low + high) / 2.0, wall.a.truncate(), wall.b.truncate());
            let near = wall.a + (wall.b - wall.a) * share;
            if (near.z - height).abs() < STOREY {
                if wall.door == NO_DOOR {
                    real = true;
                } else {
                    leaf = true;
                }
            }
        });
        (real, leaf)
    }

    /// The door that a straight step passes, or [`NO_DOOR`]. Touching a leaf counts.
    pub fn door_between(&self, from: Vec3, to: Vec3) -> u16 {
        let (a, b) = (from.truncate(), to.truncate());
        let height = (from.z + to.z) / 2.0;
        let mut door = NO_DOOR;
        self.about((a + b) / 2.0, &self.wall_start, &self.wall_item, |i| {
            let wall = &self.walls[i as usize];
            if wall.door == NO_DOOR || (wall.a.z - height).abs() > STOREY {
                return;
            }
            let (c, d) = (wall.a.truncate(), wall.b.truncate());
            let side = |p: Vec2, q: Vec2, r: Vec2| (q - p).perp_dot(r - p);
            let parted = side(a, b, c) * side(a, b, d) <= 0.0;
            if parted && side(c, d, a) * side(c, d, b) <= 0.0 {
                door = door.min(wall.door);
            }
        });
        door
    }
}

/// Whether a segment has a point in the open box between two corners.
fn meets_box(a: Vec2, b: Vec2, low: Vec2, high: Vec2) -> bool {
    let (mut first, mut last) = (0.0_f32, 1.0_f32);
    for axis in 0..2 {
        let (start, way) = (a[axis], b[axis] - a[axis]);
        if way == 0.0 {
            if start <= low[axis] || start >= high[axis] {
                return false;
            }
            continue;
        }
        let (s, t) = ((low[axis] - start) / way, (high[axis] - start) / way);
        first = first.max(s.min(t));
        last = last.min(s.max(t));
    }
    first < last
}

/// Where along a segment it is nearest to a point, in [0, 1].
fn nearest_share(point: Vec2, a: Vec2, b: Vec2) -> f32 {
    let along = b - a;
    let squared = along.length_squared();
    if squared > 0.0 {
        ((point - a).dot(along) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Compressed rows of the items in each bucket.
fn rows(
    buckets: &Lattice,
    items: usize,
    visit: impl Fn(usize, &mut dyn FnMut(u32)),
) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0_u32; buckets.squares() + 1];
    for i in 0..items {
        visit(i, &mut |b| start[b as usize + 1] += 1);
    }
    for b in 0..buckets.squares() {
        start[b + 1] += start[b];
    }
    let mut next = start.clone();
    let mut item = vec![0; start[buckets.squares()] as usize];
    for i in 0..items {
        visit(i, &mut |b| {
            item[next[b as usize] as usize] = i as u32;
            next[b as usize] += 1;
        });
    }
    (start, item)
}
