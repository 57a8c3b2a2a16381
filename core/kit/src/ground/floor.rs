//! One planar floor to triangles: walkable polygons minus solids, cut along thin walls, doors,
//! obstacles and the ends of stairs.
//!
//! All edges are arranged on one integer grid, triangulated with constraints, and the triangles
//! classified by walking over them with the winding number of every ring. Edges that separate
//! nothing are then taken out again and the rest is triangulated once more.

use std::collections::HashMap;

use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use super::GroundError;
use super::arrange::{Segment, arrange};

/// What a shape does to the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Adds walkable space.
    Walkable,
    /// Takes walkable space away.
    Solid,
    /// Stands on the floor; bodies avoid it.
    Obstacle,
}

/// Where a segment of the arrangement comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Ring(u32),
    ThinWall,
    Door(u16),
    End(StairEnd),
}

/// One end of a stair: its index, and 0 for the lower or 1 for the upper end.
pub(super) type StairEnd = (u32, u8);

/// What a constraint edge of the floor is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EdgeKind {
    /// Nobody passes.
    pub thin_wall: bool,
    /// A door.
    pub door: Option<u16>,
    /// A stair begins or ends here.
    pub end: Option<StairEnd>,
    /// On the left of the edge from its lower to its higher vertex.
    left: Class,
    /// On the right of it.
    right: Class,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Class {
    walkable: bool,
    obstacle: bool,
}

/// The edges of a floor before they are arranged. Coordinates are grid points.
#[derive(Default)]
pub(super) struct FloorPlan {
    segments: Vec<Segment>,
    sources: Vec<Source>,
    roles: Vec<Role>,
    ring_shape: Vec<u32>,
    ring_is_hole: Vec<bool>,
}

/// The triangles of a floor.
#[derive(Default)]
pub(super) struct FloorMesh {
    /// Corner points.
    pub points: Vec<[i64; 2]>,
    /// Counter-clockwise corners.
    pub triangles: Vec<[u32; 3]>,
    /// Whether each triangle lies under an obstacle.
    pub in_obstacle: Vec<bool>,
    /// Constraint edges, by their vertices in ascending order.
    pub edges: HashMap<(u32, u32), EdgeKind>,
    /// Stairs whose end was already taken by another one.
    pub doubly_used_ends: Vec<StairEnd>,
}

impl FloorPlan {
    /// Adds a shape; its rings follow.
    pub fn add_shape(&mut self, role: Role) {
        self.roles.push(role);
    }

    /// Adds a ring to the latest shape.
    pub fn add_ring(&mut self, ring: &[[i64; 2]], hole: bool) {
        let sides = ring.iter().zip(ring.iter().cycle().skip(1));
        self.add_directed(sides.map(|(a, b)| [*a, *b]), hole);
    }

    /// Adds closed chains of directed segments to the latest shape as one ring.
    pub fn add_directed(&mut self, sides: impl Iterator<Item = [[i64; 2]; 2]>, hole: bool) {
        let ring = self.ring_shape.len() as u32;
        self.ring_shape.push(self.roles.len() as u32 - 1);
        self.ring_is_hole.push(hole);
        let label = self.label(Source::Ring(ring));
        self.segments
            .extend(sides.map(|[a, b]| Segment { a, b, label }));
    }

    /// Adds a thin wall between two points.
    pub fn add_thin_wall(&mut self, a: [i64; 2], b: [i64; 2]) {
        let label = self.label(Source::ThinWall);
        self.segments.push(Segment { a, b, label });
    }

    /// Adds a door between two points.
    pub fn add_door(&mut self, a: [i64; 2], b: [i64; 2], door: u16) {
        let label = self.label(Source::Door(door));
        self.segments.push(Segment { a, b, label });
    }

    /// Marks the end of a stair between two points.
    pub fn add_end(&mut self, a: [i64; 2], b: [i64; 2], end: StairEnd) {
        let label = self.label(Source::End(end));
        self.segments.push(Segment { a, b, label });
    }

    fn label(&mut self, source: Source) -> u32 {
        self.sources.push(source);
        self.sources.len() as u32 - 1
    }

    /// Arranges, triangulates and classifies.
    pub fn triangulate(self) -> Result<FloorMesh, GroundError> {
        let FloorPlan {
            segments,
            sources,
            roles,
            ring_shape,
            ring_is_hole,
        } = self;
        let pieces = arrange(segments).ok_or(GroundError::TooComplex)?;
        let mut points: Vec<[i64; 2]> = pieces.iter().flat_map(|s| [s.a, s.b]).collect();
        points.sort_unstable();
        points.dedup();
        let index = |p: [i64; 2]| points.binary_search(&p).unwrap_or(0) as u32;

        let mut directed: Vec<(u32, u32, i32, u32)> = pieces
            .iter()
            .map(|s| {
                let (a, b) = (index(s.a), index(s.b));
                (a.min(b), a.max(b), if a < b { 1 } else { -1 }, s.label)
            })
            .collect();
        directed.sort_unstable();
        let mut doubly_used_ends = Vec::new();
        let mut edges: Vec<([u32; 2], EdgeKind)> = Vec::new();
        let mut turns: Vec<(u32, i32)> = Vec::new();
        let mut turns_start = vec![0usize];
        for group in directed.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
            let mut kind = EdgeKind::default();
            for &(_, _, sign, label) in group {
                match sources[label as usize] {
                    Source::Ring(ring) => turns.push((ring, sign)),
                    Source::ThinWall => kind.thin_wall = true,
                    Source::Door(door) => kind.door = kind.door.or(Some(door)),
                    Source::End(end) => match kind.end {
                        Some(other) if other != end => doubly_used_ends.push(end),
                        _ => kind.end = Some(end),
                    },
                }
            }
            turns_start.push(turns.len());
            edges.push(([group[0].0, group[0].1], kind));
        }

        let faces = constrained_delaunay(&points, edges.iter().map(|e| e.0))?;
        let sides = Sides::new(&faces);
        let by_vertices: HashMap<(u32, u32), usize> = edges
            .iter()
            .enumerate()
            .map(|(i, (v, _))| ((v[0], v[1]), i))
            .collect();
        let mut winding = Winding::new(roles, ring_shape, ring_is_hole);
        let classes = winding.classify(&faces, &sides, |a, b| {
            by_vertices
                .get(&(a.min(b), a.max(b)))
                .map(|&e| &turns[turns_start[e]..turns_start[e + 1]])
                .unwrap_or(&[])
        });

        let mut kept: Vec<([u32; 2], EdgeKind)> = Vec::with_capacity(edges.len());
        let mut seen = vec![[Class::default(); 2]; edges.len()];
        for (f, face) in faces.iter().enumerate() {
            for s in 0..3 {
                let (a, b) = (face[s], face[(s + 1) % 3]);
                if let Some(&e) = by_vertices.get(&(a.min(b), a.max(b))) {
                    seen[e][usize::from(a > b)] = classes[f];
                }
            }
        }
        for ((vertices, mut kind), [left, right]) in edges.iter().copied().zip(seen) {
            (kind.left, kind.right) = (left, right);
            let both = left.walkable && right.walkable;
            if left.walkable != right.walkable
                || both
                    && (kind.thin_wall || kind.door.is_some() || left.obstacle != right.obstacle)
            {
                kept.push((vertices, kind));
            }
        }
        let straightened = straighten(&points, kept);
        let (faces, classes, points, kept) = if straightened.len() == edges.len() {
            (faces, classes, points, straightened)
        } else {
            retriangulate(&points, straightened)?
        };

        let mut mesh = FloorMesh {
            doubly_used_ends,
            ..FloorMesh::default()
        };
        let mut renumber = vec![u32::MAX; points.len()];
        for (face, class) in faces.iter().zip(&classes) {
            if !class.walkable {
                continue;
            }
            mesh.triangles.push(face.map(|v| {
                let slot = &mut renumber[v as usize];
                if *slot == u32::MAX {
                    *slot = mesh.points.len() as u32;
                    mesh.points.push(points[v as usize]);
                }
                *slot
            }));
            mesh.in_obstacle.push(class.obstacle);
        }
        for ([a, b], kind) in kept {
            let (a, b) = (renumber[a as usize], renumber[b as usize]);
            if a != u32::MAX && b != u32::MAX {
                mesh.edges.insert((a.min(b), a.max(b)), kind);
            }
        }
        Ok(mesh)
    }
}

/// Joins edges of one kind that meet in a straight line where nothing else does.
fn straighten(
    points: &[[i64; 2]],
    mut edges: Vec<([u32; 2], EdgeKind)>,
) -> Vec<([u32; 2], EdgeKind)> {
    let mut at: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
    for (i, (v, _)) in edges.iter().enumerate() {
        at[v[0] as usize].push(i as u32);
        at[v[1] as usize].push(i as u32);
    }
    let mut alive = vec![true; edges.len()];
    for v in 0..points.len() {
        let &[first, second] = at[v].as_slice() else {
            continue;
        };
        let (first, second) = (first as usize, second as usize);
        let v = v as u32;
        let far = |e: usize| {
            let [a, b] = edges[e].0;
            if a == v { b } else { a }
        };
        let (a, b) = (far(first), far(second));
        let [p, q, r] = [a, v, b].map(|i| points[i as usize]);
        let straight = (q[0] - p[0]) * (r[1] - p[1]) == (q[1] - p[1]) * (r[0] - p[0])
            && (q[0] - p[0]) * (r[0] - q[0]) + (q[1] - p[1]) * (r[1] - q[1]) > 0;
        // The kind as seen along a to v and v to b.
        let seen = |e: usize, forward: bool| {
            let mut kind = edges[e].1;
            if !forward {
                std::mem::swap(&mut kind.left, &mut kind.right);
            }
            kind
        };
        if !straight || seen(first, a < v) != seen(second, v < b) {
            continue;
        }
        let mut kind = seen(first, a < v);
        if a > b {
            std::mem::swap(&mut kind.left, &mut kind.right);
        }
        edges[first] = ([a.min(b), a.max(b)], kind);
        alive[second] = false;
        for slot in &mut at[b as usize] {
            if *slot == second as u32 {
                *slot = first as u32;
            }
        }
    }
    let mut alive = alive.into_iter();
    edges.retain(|_| alive.next().unwrap_or(false));
    edges
}

type Triangulated = (
    Vec<[u32; 3]>,
    Vec<Class>,
    Vec<[i64; 2]>,
    Vec<([u32; 2], EdgeKind)>,
);

/// Triangulates edges whose two sides are known.
fn retriangulate(
    points: &[[i64; 2]],
    mut edges: Vec<([u32; 2], EdgeKind)>,
) -> Result<Triangulated, GroundError> {
    let mut used: Vec<u32> = edges.iter().flat_map(|e| e.0).collect();
    used.sort_unstable();
    used.dedup();
    // Renumbering keeps the order, so that left and right stay what they are.
    for (v, _) in &mut edges {
        *v = v.map(|v| used.binary_search(&v).unwrap_or(0) as u32);
    }
    let points: Vec<[i64; 2]> = used.iter().map(|&v| points[v as usize]).collect();
    let faces = constrained_delaunay(&points, edges.iter().map(|e| e.0))?;
    let sides = Sides::new(&faces);
    let kinds: HashMap<(u32, u32), EdgeKind> =
        edges.iter().map(|(v, k)| ((v[0], v[1]), *k)).collect();
    let mut classes: Vec<Option<Class>> = vec![None; faces.len()];
    let mut queue = Vec::new();
    for (f, face) in faces.iter().enumerate() {
        for s in 0..3 {
            let (a, b) = (face[s], face[(s + 1) % 3]);
            if let Some(kind) = kinds.get(&(a.min(b), a.max(b))) {
                classes[f] = Some(if a < b { kind.left } else { kind.right });
            }
        }
        if classes[f].is_some() {
            queue.push(f);
        }
    }
    while let Some(f) = queue.pop() {
        for s in 0..3 {
            let (a, b) = (faces[f][s], faces[f][(s + 1) % 3]);
            let next = sides.across[f][s];
            if next != u32::MAX
                && classes[next as usize].is_none()
                && !kinds.contains_key(&(a.min(b), a.max(b)))
            {
                classes[next as usize] = classes[f];
                queue.push(next as usize);
            }
        }
    }
    let classes = classes.into_iter().map(Option::unwrap_or_default).collect();
    Ok((faces, classes, points, edges))
}

/// The triangles of the constrained Delaunay triangulation.
fn constrained_delaunay(
    points: &[[i64; 2]],
    edges: impl Iterator<Item = [u32; 2]>,
) -> Result<Vec<[u32; 3]>, GroundError> {
    let vertices = points
        .iter()
        .map(|p| Point2::new(p[0] as f64, p[1] as f64))
        .collect();
    let edges = edges.map(|e| e.map(|v| v as usize)).collect();
    let mut conflicts = 0usize;
    let mesh =
        ConstrainedDelaunayTriangulation::<Point2<f64>>::try_bulk_load_cdt(vertices, edges, |_| {
            conflicts += 1
        })
        .map_err(|_| GroundError::TooComplex)?;
    if conflicts > 0 || mesh.num_vertices() != points.len() {
        return Err(GroundError::TooComplex);
    }
    Ok(mesh
        .inner_faces()
        .map(|f| f.vertices().map(|v| v.fix().index() as u32))
        .collect())
}

/// What lies across each side of each face; `u32::MAX` outside.
struct Sides {
    across: Vec<[u32; 3]>,
}

impl Sides {
    fn new(faces: &[[u32; 3]]) -> Sides {
        let mut records: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(faces.len() * 3);
        for (f, face) in faces.iter().enumerate() {
            for s in 0..3 {
                let (a, b) = (face[s], face[(s + 1) % 3]);
                records.push((a.min(b), a.max(b), f as u32, s as u8));
            }
        }
        records.sort_unstable();
        let mut across = vec![[u32::MAX; 3]; faces.len()];
        for pair in records.windows(2) {
            let ((a, b, f, s), (c, d, g, t)) = (pair[0], pair[1]);
            if (a, b) == (c, d) {
                across[f as usize][s as usize] = g;
                across[g as usize][t as usize] = f;
            }
        }
        Sides { across }
    }
}

/// The winding numbers of all rings at one face, changed edge by edge.
struct Winding {
    roles: Vec<Role>,
    ring_shape: Vec<u32>,
    ring_is_hole: Vec<bool>,
    turns: Vec<i32>,
    in_outer: Vec<u32>,
    in_holes: Vec<u32>,
    inside: [u32; 3],
}

impl Winding {
    fn new(roles: Vec<Role>, ring_shape: Vec<u32>, ring_is_hole: Vec<bool>) -> Winding {
        Winding {
            turns: vec![0; ring_shape.len()],
            in_outer: vec![0; roles.len()],
            in_holes: vec![0; roles.len()],
            inside: [0; 3],
            roles,
            ring_shape,
            ring_is_hole,
        }
    }

    fn class(&self) -> Class {
        Class {
            walkable: self.inside[Role::Walkable as usize] > 0
                && self.inside[Role::Solid as usize] == 0,
            obstacle: self.inside[Role::Obstacle as usize] > 0,
        }
    }

    fn change(&mut self, ring: u32, delta: i32) {
        let ring = ring as usize;
        let shape = self.ring_shape[ring] as usize;
        let filled = |w: &Winding| w.in_outer[shape] > 0 && w.in_holes[shape] == 0;
        let before = filled(self);
        let was = self.turns[ring] != 0;
        self.turns[ring] += delta;
        let is = self.turns[ring] != 0;
        if was != is {
            let count = if self.ring_is_hole[ring] {
                &mut self.in_holes[shape]
            } else {
                &mut self.in_outer[shape]
            };
            *count = if is { *count + 1 } else { *count - 1 };
        }
        let after = filled(self);
        if before != after {
            let count = &mut self.inside[self.roles[shape] as usize];
            *count = if after { *count + 1 } else { *count - 1 };
        }
    }

    /// Walks over all faces, starting from outside, undoing each step on the way back.
    fn classify<'a>(
        &mut self,
        faces: &[[u32; 3]],
        sides: &Sides,
        turns_at: impl Fn(u32, u32) -> &'a [(u32, i32)],
    ) -> Vec<Class> {
        let mut classes = vec![None; faces.len()];
        // Entering a face over its side a to b goes from the right of a to b to its left.
        let enter = |w: &mut Winding, f: usize, s: usize, undo: bool| {
            let (a, b) = (faces[f][s], faces[f][(s + 1) % 3]);
            let sign = if (a < b) != undo { 1 } else { -1 };
            for &(ring, direction) in turns_at(a, b) {
                w.change(ring, sign * direction);
            }
        };
        for first in 0..faces.len() {
            for side in 0..3 {
                if sides.across[first][side] != u32::MAX || classes[first].is_some() {
                    continue;
                }
                enter(self, first, side, false);
                classes[first] = Some(self.class());
                let mut stack = vec![(first, side, 0usize)];
                while let Some(top) = stack.last_mut() {
                    let (f, entry, s) = *top;
                    if s == 3 {
                        enter(self, f, entry, true);
                        stack.pop();
                        continue;
                    }
                    top.2 += 1;
                    let next = sides.across[f][s] as usize;
                    if sides.across[f][s] == u32::MAX || classes[next].is_some() {
                        continue;
                    }
                    let (a, b) = (faces[f][s], faces[f][(s + 1) % 3]);
                    let entry = (0..3)
                        .find(|&t| faces[next][t] == b && faces[next][(t + 1) % 3] == a)
                        .unwrap_or(0);
                    enter(self, next, entry, false);
                    classes[next] = Some(self.class());
                    stack.push((next, entry, 0));
                }
            }
        }
        classes.into_iter().map(Option::unwrap_or_default).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(low: i64, high: i64) -> [[i64; 2]; 4] {
        [[low, low], [high, low], [high, high], [low, high]]
    }

    fn area(mesh: &FloorMesh) -> i64 {
        mesh.triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|v| mesh.points[v as usize]);
                (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            })
            .sum::<i64>()
            / 2
    }

    #[test]
    fn holes_solids_and_overlaps_are_taken_out_once() {
        let mut plan = FloorPlan::default();
        plan.add_shape(Role::Walkable);
        plan.add_ring(&square(0, 100), false);
        plan.add_ring(&square(10, 20), true);
        plan.add_shape(Role::Walkable);
        plan.add_ring(&square(50, 150), false);
        plan.add_shape(Role::Solid);
        plan.add_ring(&square(60, 70), false);
        let mesh = plan.triangulate().unwrap();
        assert_eq!(area(&mesh), 10_000 + 10_000 - 2_500 - 100 - 100);
        // Outer ring 8 corners, two holes of 4: the overlap's inner edges are gone.
        assert_eq!(mesh.points.len(), 16);
    }

    #[test]
    fn a_bow_tie_has_both_its_wings() {
        let mut plan = FloorPlan::default();
        plan.add_shape(Role::Walkable);
        plan.add_ring(&[[0, 0], [10, 10], [10, 0], [0, 10]], false);
        assert_eq!(area(&plan.triangulate().unwrap()), 50);
    }

    #[test]
    fn a_thin_wall_outside_leaves_nothing() {
        let mut plan = FloorPlan::default();
        plan.add_shape(Role::Walkable);
        plan.add_ring(&square(0, 100), false);
        plan.add_thin_wall([50, 50], [200, 50]);
        let mesh = plan.triangulate().unwrap();
        assert_eq!(area(&mesh), 10_000);
        assert_eq!(mesh.edges.values().filter(|k| k.thin_wall).count(), 1);
    }
}
