//! The walls of each floor as whole numbers, ready for the Voronoi diagram.
//!
//! A layer is a floor with the stairs that touch it: their flanks are walls from inside, their
//! ends are open. Two floors side by side that are joined by steps wider than long are one layer. Every wall knows whose ground lies on its left and on its right, so a thin wall
//! is one wall with ground on both sides.

use std::collections::BTreeMap;

use glam::{DVec2, Vec3};
use throng_core::{GroundView, NO_DOOR, NONE};

/// Nobody's ground.
pub const NOBODY: u16 = u16::MAX;

/// Floors of the ground on one side of a wall: none, one, or two where the flank of the stair
/// down is that of the stair up.
pub type Owners = [u16; 2];
/// Nobody's ground: solid.
pub const SOLID: Owners = [NOBODY; 2];

/// Whether a floor is among the owners.
pub fn owned_by(owners: Owners, floor: u16) -> bool {
    owners.contains(&floor)
}
/// Corners that stick out of a straight wall by less than this are dropped, metres.
const STRAIGHT: f64 = 1e-5;
/// Whole numbers reach this far on either side of 0; a rotation stays within 2^30.
const RANGE: f64 = 536_870_912.0;

/// A point in units of [`Layers::unit`].
pub type Point = [i32; 2];

/// A wall, with the floor of the ground on its left and on its right of a to b.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wall {
    pub a: Point,
    pub b: Point,
    pub left: Owners,
    pub right: Owners,
}

/// A door leaf, in metres.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub a: DVec2,
    pub b: DVec2,
    pub door: u16,
}

/// The walls of one floor and of the stairs at it.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    pub floor: u16,
    pub walls: Vec<Wall>,
    pub leaves: Vec<Leaf>,
}

/// A stair between two layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stair {
    /// Its floor in the ground.
    pub floor: u16,
    /// Which of the connections it is, from 1.
    pub number: u16,
    /// The layers at its two ends, and the middle of each end.
    pub ends: [(usize, DVec2); 2],
}

/// All layers of a ground.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// Metres per unit: a power of two.
    pub unit: f64,
    /// Floors of the ground from here on are stairs.
    pub first_stair: u16,
    pub layers: Vec<Layer>,
    pub stairs: Vec<Stair>,
}

impl Layers {
    /// Reads the walls of a ground that is a floor plan.
    pub fn of(ground: &GroundView<'_>) -> Layers {
        let reach = ground
            .vertices
            .iter()
            .fold(0.0_f32, |most, v| most.max(v.x.abs()).max(v.y.abs()));
        let mut unit = f64::from(ground.grain) / 64.0;
        while unit * RANGE < f64::from(reach) {
            unit *= 2.0;
        }
        let whole = |v: Vec3| -> Point { [v.x, v.y].map(|x| (f64::from(x) / unit).round() as i32) };
        let floors = ground.floor_count as usize;
        let mut layers: Vec<Layer> = (0..floors)
            .map(|floor| Layer {
                floor: floor as u16,
                ..Layer::default()
            })
            .collect();
        let mut flanks: BTreeMap<u16, Vec<[Point; 2]>> = BTreeMap::new();
        let mut mouths: BTreeMap<(u16, u16), (DVec2, f64)> = BTreeMap::new();
        for (t, corners) in ground.triangles.iter().enumerate() {
            let floor = ground.floors[t];
            for side in 0..3 {
                let (from, to) = (
                    ground.vertices[corners[side] as usize],
                    ground.vertices[corners[(side + 1) % 3] as usize],
                );
                let (a, b) = (whole(from), whole(to));
                let across = ground.across[t][side];
                let door = ground.side_door[t][side];
                if across == NONE {
                    if a == b {
                        continue;
                    }
                    if usize::from(floor) < floors {
                        layers[usize::from(floor)].walls.push(owned(a, b, floor));
                    } else {
                        flanks.entry(floor).or_default().push([a, b]);
                    }
                } else if door != NO_DOOR {
                    // From one side only: the other triangle lists it too.
                    if usize::from(floor) < floors && (t as u32) < across / 3 {
                        layers[usize::from(floor)].leaves.push(Leaf {
                            a: metres(a, unit),
                            b: metres(b, unit),
                            door,
                        });
                    }
                } else {
                    let beyond = ground.floors[across as usize / 3];
                    if usize::from(floor) >= floors && usize::from(beyond) < floors {
                        let (a, b) = (metres(a, unit), metres(b, unit));
                        let mouth = mouths.entry((floor, beyond)).or_default();
                        let length = a.distance(b);
                        mouth.0 += (a + b) / 2.0 * length;
                        mouth.1 += length;
                    }
                }
            }
        }
        let mut stairs = Vec::new();
        let mut ends: BTreeMap<u16, Vec<(usize, DVec2)>> = BTreeMap::new();
        let mut narrowest: BTreeMap<u16, f64> = BTreeMap::new();
        for (&(stair, floor), &(sum, length)) in &mouths {
            if length > 0.0 {
                let end = (usize::from(floor), sum / length);
                ends.entry(stair).or_default().push(end);
                let width = narrowest.entry(stair).or_insert(length);
                *width = width.min(length);
            }
        }
        let mut layer_of: Vec<usize> = (0..floors).collect();
        for (stair, ends) in &ends {
            let [(lower, from), (upper, to)] = ends[..] else {
                continue;
            };
            let (one, two) = (layer_of[lower], layer_of[upper]);
            let wide = from.distance(to) < narrowest[stair] * 1.1;
            if one != two && wide && are_apart(ground, &layer_of, [one, two], to - from) {
                let moved = core::mem::take(&mut layers[two]);
                layers[two].floor = moved.floor;
                layers[one].walls.extend(moved.walls);
                layers[one].leaves.extend(moved.leaves);
                for layer in &mut layer_of {
                    if *layer == two {
                        *layer = one;
                    }
                }
            }
        }
        for (stair, sides) in flanks {
            let mut ends = ends.remove(&stair).unwrap_or_default();
            for end in &mut ends {
                end.0 = layer_of[end.0];
            }
            if let [one, two] = ends[..]
                && one.0 == two.0
            {
                ends.pop();
            }
            for &(layer, _) in &ends {
                add_flanks(&mut layers[layer], stair, &sides, ground.grain, unit);
            }
            if let [one, two] = ends[..] {
                stairs.push(Stair {
                    floor: stair,
                    number: stair - ground.floor_count + 1,
                    ends: [one, two],
                });
            } else if ends.is_empty() {
                // It touches no floor: a layer of its own.
                layers.push(Layer {
                    floor: stair,
                    walls: sides.iter().map(|&[a, b]| owned(a, b, stair)).collect(),
                    leaves: Vec::new(),
                });
            }
        }
        for layer in &mut layers {
            merge(&mut layer.walls);
        }
        layers.retain(|layer| !layer.walls.is_empty());
        let index_of = |floor: usize| layers.iter().position(|l| usize::from(l.floor) == floor);
        for stair in &mut stairs {
            for end in &mut stair.ends {
                end.0 = index_of(end.0).unwrap_or(0);
            }
        }
        Layers {
            unit,
            first_stair: ground.floor_count,
            layers,
            stairs,
        }
    }

    /// The floors of the ground in each layer, its own first.
    pub fn floors(&self) -> Vec<Vec<u16>> {
        let floors = self.layers.iter().map(|layer| {
            let mut floors = vec![layer.floor];
            for owner in layer.walls.iter().flat_map(|w| [w.left, w.right]).flatten() {
                if owner != NOBODY && !floors.contains(&owner) {
                    floors.push(owner);
                }
            }
            floors
        });
        floors.collect()
    }

    /// The same layers without corners in straight walls.
    pub fn straightened(&self) -> Layers {
        let mut layers = self.clone();
        for layer in &mut layers.layers {
            layer.walls = straighten(&layer.walls, STRAIGHT / self.unit);
        }
        layers
    }
}

/// Whether all of one layer lies before all of another, seen along a direction.
fn are_apart(
    ground: &GroundView<'_>,
    layer_of: &[usize],
    [one, two]: [usize; 2],
    along: DVec2,
) -> bool {
    let along = along.normalize_or_zero();
    let (mut last, mut first) = (f64::NEG_INFINITY, f64::INFINITY);
    for (t, floor) in ground.floors.iter().enumerate() {
        let Some(&layer) = layer_of.get(usize::from(*floor)) else {
            continue;
        };
        for corner in ground.corners(t as u32) {
            let at = corner.truncate().as_dvec2().dot(along);
            if layer == one {
                last = last.max(at);
            } else if layer == two {
                first = first.min(at);
            }
        }
    }
    last <= first + STRAIGHT
}

pub fn metres(p: Point, unit: f64) -> DVec2 {
    DVec2::new(f64::from(p[0]) * unit, f64::from(p[1]) * unit)
}

/// A wall with its lower end first, the ground of `floor` on the left of a to b.
fn owned(a: Point, b: Point, floor: u16) -> Wall {
    let floor = [floor, NOBODY];
    if a < b {
        Wall {
            a,
            b,
            left: floor,
            right: SOLID,
        }
    } else {
        Wall {
            a: b,
            b: a,
            left: SOLID,
            right: floor,
        }
    }
}

/// Adds the flanks of a stair to a layer, cut where the layer has corners on them: the floor's
/// side of a flank may have been bent by a grain at each.
fn add_flanks(layer: &mut Layer, stair: u16, sides: &[[Point; 2]], grain: f32, unit: f64) {
    let near = 2.0 * f64::from(grain) / unit;
    let mut corners: Vec<Point> = layer.walls.iter().flat_map(|w| [w.a, w.b]).collect();
    corners.sort_unstable();
    corners.dedup();
    for &[a, b] in sides {
        let (from, to) = (metres(a, 1.0), metres(b, 1.0));
        let (way, length) = (to - from, to.distance(from));
        let mut cuts: Vec<(f64, Point)> = corners
            .iter()
            .filter(|&&c| c != a && c != b)
            .map(|&c| {
                let off = metres(c, 1.0) - from;
                (off.dot(way) / length, off.perp_dot(way).abs() / length, c)
            })
            .filter(|&(along, off, _)| off <= near && along > near && along < length - near)
            .map(|(along, _, c)| (along, c))
            .collect();
        cuts.sort_by(|p, q| p.0.total_cmp(&q.0));
        let mut last = a;
        for next in cuts.iter().map(|c| c.1).chain([b]) {
            if next != last {
                layer.walls.push(owned(last, next, stair));
                last = next;
            }
        }
    }
}

fn join(owners: &mut Owners, more: Owners) {
    for floor in more {
        if floor != NOBODY && !owners.contains(&floor) {
            let free = usize::from(owners[0] != NOBODY);
            owners[free] = floor;
        }
    }
}

/// Makes one wall of the two sides of each.
fn merge(walls: &mut Vec<Wall>) {
    walls.sort_unstable();
    let mut merged: Vec<Wall> = Vec::with_capacity(walls.len());
    for wall in walls.iter() {
        match merged.last_mut() {
            Some(last) if last.a == wall.a && last.b == wall.b => {
                join(&mut last.left, wall.left);
                join(&mut last.right, wall.right);
            }
            _ => merged.push(*wall),
        }
    }
    *walls = merged;
}

/// Leaves out corners between two walls that go straight on to within `tolerance` units.
fn straighten(walls: &[Wall], tolerance: f64) -> Vec<Wall> {
    let mut corners: Vec<(Point, u32)> = Vec::with_capacity(walls.len() * 2);
    for (w, wall) in walls.iter().enumerate() {
        corners.push((wall.a, w as u32));
        corners.push((wall.b, w as u32));
    }
    corners.sort_unstable();
    let at = |p: Point| -> &[(Point, u32)] {
        let first = corners.partition_point(|c| c.0 < p);
        let end = first + corners[first..].partition_point(|c| c.0 == p);
        &corners[first..end]
    };
    // The wall that goes straight on from `wall` at its end `p`, if only one other begins there.
    let on = |wall: u32, p: Point| -> Option<(u32, Point)> {
        let [one, two] = at(p) else { return None };
        let next = if one.1 == wall { two.1 } else { one.1 };
        let (this, that) = (&walls[wall as usize], &walls[next as usize]);
        let before = if this.a == p { this.b } else { this.a };
        let after = if that.a == p { that.b } else { that.a };
        let same = if (this.b == p) == (that.a == p) {
            (this.left, this.right) == (that.left, that.right)
        } else {
            (this.left, this.right) == (that.right, that.left)
        };
        (next != wall && same && within(before, &[p], after, tolerance)).then_some((next, after))
    };
    let mut done = vec![false; walls.len()];
    let mut out = Vec::with_capacity(walls.len());
    // Runs that begin at a real corner first, then rings without one.
    for rings in [false, true] {
        for start in 0..walls.len() as u32 {
            let wall = &walls[start as usize];
            for (from, to, left, right) in [
                (wall.a, wall.b, wall.left, wall.right),
                (wall.b, wall.a, wall.right, wall.left),
            ] {
                if done[start as usize] || (!rings && on(start, from).is_some()) {
                    continue;
                }
                done[start as usize] = true;
                let mut emit = |a: Point, b: Point| {
                    out.push(if a < b {
                        Wall { a, b, left, right }
                    } else {
                        Wall {
                            a: b,
                            b: a,
                            left: right,
                            right: left,
                        }
                    });
                };
                let (mut anchor, mut last, mut current) = (from, to, start);
                let mut skipped: Vec<Point> = Vec::new();
                while let Some((next, after)) = on(current, last) {
                    if done[next as usize] {
                        break;
                    }
                    done[next as usize] = true;
                    skipped.push(last);
                    if !within(anchor, &skipped, after, tolerance) {
                        emit(anchor, last);
                        anchor = last;
                        skipped.clear();
                    }
                    (current, last) = (next, after);
                }
                emit(anchor, last);
            }
        }
    }
    out.sort_unstable();
    out
}

/// Whether points lie on the way from a to b, to within a tolerance, in order.
fn within(a: Point, points: &[Point], b: Point, tolerance: f64) -> bool {
    let (from, way) = (metres(a, 1.0), metres(b, 1.0) - metres(a, 1.0));
    let length = way.length();
    if length == 0.0 {
        return false;
    }
    let mut along = 0.0;
    points.iter().all(|&p| {
        let off = metres(p, 1.0) - from;
        let here = off.dot(way) / length;
        let forward = here > along && here < length;
        along = here;
        forward && off.perp_dot(way).abs() / length <= tolerance
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(a: Point, b: Point) -> Wall {
        owned(a, b, 0)
    }

    #[test]
    fn both_sides_of_a_thin_wall_become_one() {
        let mut walls = vec![owned([0, 0], [5, 0], 3), owned([5, 0], [0, 0], 4)];
        merge(&mut walls);
        assert_eq!(walls.len(), 1);
        assert_eq!(walls[0].left, [3, NOBODY]);
        assert_eq!(walls[0].right, [4, NOBODY]);
    }

    #[test]
    fn straight_walls_lose_their_corners_and_bent_ones_keep_them() {
        let ring = [[0, 0], [10, 0], [20, 1], [40, 0], [40, 30], [0, 30]];
        let walls: Vec<Wall> = (0..6).map(|i| wall(ring[i], ring[(i + 1) % 6])).collect();
        assert_eq!(straighten(&walls, 0.1).len(), 6);
        let fewer = straighten(&walls, 1.1);
        assert_eq!(fewer.len(), 4);
        assert!(fewer.contains(&wall([0, 0], [40, 0])));
        // A third wall at a corner keeps it.
        let mut tee = walls.clone();
        tee.push(Wall {
            left: [0, NOBODY],
            ..wall([10, 0], [10, 9])
        });
        assert!(
            straighten(&tee, 1.1)
                .iter()
                .any(|w| w.a == [10, 0] || w.b == [10, 0])
        );
        // A ring without a real corner survives.
        let round = [[0, 0], [100, 1], [200, 0], [100, -1]];
        let walls: Vec<Wall> = (0..4).map(|i| wall(round[i], round[(i + 1) % 4])).collect();
        assert_eq!(straighten(&walls, 0.5).len(), 4);
    }
}
