//! Triangles cut until they are small enough, as a tree whose roots are those of the ground.
//!
//! In every round the edges that are too long, and those that lead from rim to rim, are cut in
//! their middles; a triangle with one, two or three cut edges becomes two, three or four. An edge
//! is cut for both its triangles at once, so what comes out fits together.

use std::collections::HashMap;

use glam::{DVec3, Vec3};
use throng_core::{GroundView, Location, NO_DOOR, NONE, NavError, NodeId};
use throng_kit::geodesic::Surface;

/// Nodes at the most.
const MOST_NODES: usize = 50_000_000;

/// A triangle of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub corners: [NodeId; 3],
    /// What each edge lies on: the lesser code of a side of the ground, or NONE within.
    sides: [u32; 3],
    /// The ground's triangle.
    pub triangle: u32,
    first_child: u32,
    children: u32,
}

/// An edge of the finest triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub ends: [NodeId; 2],
    pub length: f64,
    /// A triangle of the ground that it lies on.
    pub triangle: u32,
}

/// The tree of triangles and the nodes at their corners.
#[derive(Clone, Debug, Default)]
pub(super) struct Refined {
    pub cells: Vec<Cell>,
    pub places: Vec<Location>,
    points: Vec<DVec3>,
    /// Nodes on the rim.
    pub rim: Vec<bool>,
    /// Nodes in doorways.
    pub door: Vec<u16>,
    /// For each corner of the ground the one that stands for it in the names of edges.
    same: Vec<NodeId>,
}

type EdgeKey = (NodeId, NodeId, u32);

impl Refined {
    /// What an edge is called on both sides of it.
    fn key(&self, cell: &Cell, edge: usize) -> EdgeKey {
        let same = |n: NodeId| self.same.get(n as usize).copied().unwrap_or(n);
        let (a, b) = (same(cell.corners[edge]), same(cell.corners[(edge + 1) % 3]));
        (a.min(b), a.max(b), cell.sides[edge])
    }

    /// Posts of doors are points apart on either side: one of them stands for both in the names of
    /// edges.
    fn pair_posts(&mut self, ground: &GroundView<'_>, surface: &Surface) {
        self.same = (0..self.points.len() as NodeId).collect();
        for t in 0..ground.triangles.len() {
            for s in 0..3 {
                let code = ground.across[t][s];
                if ground.side_door[t][s] == NO_DOOR || code == NONE {
                    continue;
                }
                let (u, side) = (code / 3, code as usize % 3);
                for k in [s, (s + 1) % 3] {
                    let here = surface.point(t as u32, k);
                    let beyond = [side, (side + 1) % 3]
                        .map(|j| surface.point(u, j))
                        .into_iter()
                        .find(|&p| surface.place(p) == surface.place(here));
                    if let Some(beyond) = beyond {
                        let least = self.same[here as usize].min(self.same[beyond as usize]);
                        self.same[here as usize] = least;
                        self.same[beyond as usize] = least;
                    }
                }
            }
        }
    }

    pub fn new(
        ground: &GroundView<'_>,
        surface: &Surface,
        spacing: &[f64],
    ) -> Result<Refined, NavError> {
        let mut refined = Refined::default();
        for p in 0..surface.points() as u32 {
            let code = surface.fan(p)[0];
            let vertex = ground.triangles[code as usize / 3][code as usize % 3];
            refined.places.push(Location {
                point: ground.vertices[vertex as usize],
                triangle: code / 3,
            });
            refined.points.push(surface.place(p));
            refined.rim.push(surface.is_rim(p));
            refined.door.push(NO_DOOR);
        }
        for t in 0..ground.triangles.len() as u32 {
            refined.cells.push(Cell {
                corners: core::array::from_fn(|k| surface.point(t, k)),
                sides: core::array::from_fn(|s| {
                    // A closed door is a side like any other: it may open.
                    let across = ground.across[t as usize][s];
                    (t * 3 + s as u32).min(across)
                }),
                triangle: t,
                first_child: 0,
                children: 0,
            });
        }
        refined.pair_posts(ground, surface);
        let mut open = 0..refined.cells.len();
        while !open.is_empty() {
            let end = refined.cells.len();
            refined.cut_round(ground, spacing, open)?;
            open = end..refined.cells.len();
        }
        Ok(refined)
    }

    /// Cuts the cells of a range, appending what they are cut into. Their edges all stay or are
    /// cut together with those of their neighbours, which are in the range too or finished.
    fn cut_round(
        &mut self,
        ground: &GroundView<'_>,
        spacing: &[f64],
        open: std::ops::Range<usize>,
    ) -> Result<(), NavError> {
        let mut middles: HashMap<EdgeKey, NodeId> = HashMap::new();
        for c in open {
            let cell = self.cells[c];
            let mut cut = [NONE; 3];
            let spacing = spacing[cell.triangle as usize];
            for edge in 0..3 {
                if self.is_cut(ground, &cell, edge, spacing) {
                    let name = self.key(&cell, edge);
                    let node = match middles.get(&name) {
                        Some(&node) => node,
                        None => {
                            let node = self.middle(ground, &cell, edge);
                            middles.insert(name, node);
                            node
                        }
                    };
                    cut[edge] = node;
                }
            }
            self.split(c, cut);
            if self.points.len() > MOST_NODES {
                return Err(NavError::Unsuitable {
                    reason: format!(
                        "a spacing of {spacing} m makes more than {MOST_NODES} nodes: use a larger one"
                    ),
                });
            }
        }
        Ok(())
    }

    fn is_cut(&self, ground: &GroundView<'_>, cell: &Cell, edge: usize, spacing: f64) -> bool {
        let (a, b) = (
            cell.corners[edge] as usize,
            cell.corners[(edge + 1) % 3] as usize,
        );
        let long = self.points[a].distance_squared(self.points[b]) > spacing * spacing;
        long || self.rim[a] && self.rim[b] && !self.is_rim_side(ground, cell.sides[edge])
    }

    fn is_rim_side(&self, ground: &GroundView<'_>, side: u32) -> bool {
        side != NONE && ground.across[side as usize / 3][side as usize % 3] == NONE
    }

    /// A node in the middle of an edge.
    fn middle(&mut self, ground: &GroundView<'_>, cell: &Cell, edge: usize) -> NodeId {
        let (a, b) = (
            cell.corners[edge] as usize,
            cell.corners[(edge + 1) % 3] as usize,
        );
        let point = (self.points[a] + self.points[b]) / 2.0;
        let side = cell.sides[edge];
        self.places.push(Location {
            point: point.as_vec3(),
            triangle: cell.triangle,
        });
        self.points.push(point);
        self.rim.push(self.is_rim_side(ground, side));
        self.door.push(match side {
            NONE => NO_DOOR,
            side => ground.side_door[side as usize / 3][side as usize % 3],
        });
        self.points.len() as NodeId - 1
    }

    fn split(&mut self, c: usize, cut: [NodeId; 3]) {
        let cell = self.cells[c];
        let count = cut.iter().filter(|&&m| m != NONE).count();
        if count == 0 {
            return;
        }
        let first = self.cells.len();
        // Turned so that with one cut it is edge 0, with two edges 0 and 1.
        let turn = (0..3)
            .find(|&r| match count {
                1 => cut[r] != NONE,
                2 => cut[(r + 2) % 3] == NONE,
                _ => true,
            })
            .unwrap_or(0);
        let [a, b, d]: [NodeId; 3] = core::array::from_fn(|k| cell.corners[(k + turn) % 3]);
        let [ab, bd, da]: [u32; 3] = core::array::from_fn(|k| cell.sides[(k + turn) % 3]);
        let [m, n, o]: [NodeId; 3] = core::array::from_fn(|k| cut[(k + turn) % 3]);
        let mut push = |corners: [NodeId; 3], sides: [u32; 3]| {
            self.cells.push(Cell {
                corners,
                sides,
                triangle: cell.triangle,
                first_child: 0,
                children: 0,
            });
        };
        match count {
            1 => {
                push([a, m, d], [ab, NONE, da]);
                push([m, b, d], [ab, bd, NONE]);
            }
            2 => {
                push([m, b, n], [ab, bd, NONE]);
                let far = |p: NodeId, q: NodeId| {
                    self.points[p as usize].distance_squared(self.points[q as usize])
                };
                if far(a, n) <= far(m, d) {
                    push([a, m, n], [ab, NONE, NONE]);
                    push([a, n, d], [NONE, bd, da]);
                } else {
                    push([a, m, d], [ab, NONE, da]);
                    push([m, n, d], [NONE, bd, NONE]);
                }
            }
            _ => {
                push([a, m, o], [ab, NONE, da]);
                push([m, b, n], [ab, bd, NONE]);
                push([o, n, d], [NONE, bd, da]);
                push([m, n, o], [NONE; 3]);
            }
        }
        self.cells[c].first_child = first as u32;
        self.cells[c].children = (self.cells.len() - first) as u32;
    }

    /// Whether a cell is not cut further.
    pub fn is_leaf(&self, cell: usize) -> bool {
        self.cells[cell].children == 0
    }

    /// The finest cell that a place lies in.
    pub fn leaf(&self, ground: &GroundView<'_>, place: Location) -> Option<usize> {
        let normal = *ground.normals.get(place.triangle as usize)?;
        let mut at = place.triangle as usize;
        while !self.is_leaf(at) {
            let cell = &self.cells[at];
            let children = cell.first_child..cell.first_child + cell.children;
            let mut best = (f32::NEG_INFINITY, at as u32);
            for child in children {
                let inside = self.inside(normal, child as usize, place.point);
                if inside > best.0 {
                    best = (inside, child);
                    if inside >= 0.0 {
                        break;
                    }
                }
            }
            // A point that is no number is in no child.
            if best.1 as usize == at {
                return None;
            }
            at = best.1 as usize;
        }
        Some(at)
    }

    /// Not negative inside a cell: twice the least area of the point with an edge.
    fn inside(&self, normal: Vec3, cell: usize, point: Vec3) -> f32 {
        let c = self.cells[cell]
            .corners
            .map(|n| self.places[n as usize].point);
        (0..3)
            .map(|k| (c[(k + 1) % 3] - c[k]).cross(point - c[k]).dot(normal))
            .fold(f32::INFINITY, f32::min)
    }

    /// Area of a cell, square metres.
    pub fn area(&self, cell: usize) -> f64 {
        let [a, b, c] = self.cells[cell].corners.map(|n| self.points[n as usize]);
        (b - a).cross(c - a).length() / 2.0
    }

    /// The middle of a cell.
    pub fn centre(&self, cell: usize) -> DVec3 {
        let [a, b, c] = self.cells[cell].corners.map(|n| self.points[n as usize]);
        (a + b + c) / 3.0
    }

    /// The edges of the leaves, each once, ascending.
    pub fn links(&self) -> Vec<Link> {
        let mut keys: Vec<(EdgeKey, u32, [NodeId; 2])> = Vec::new();
        for c in (0..self.cells.len()).filter(|&c| self.is_leaf(c)) {
            let cell = &self.cells[c];
            for edge in 0..3 {
                let (a, b) = (cell.corners[edge], cell.corners[(edge + 1) % 3]);
                let ends = [a.min(b), a.max(b)];
                keys.push((self.key(cell, edge), cell.triangle, ends));
            }
        }
        keys.sort_unstable();
        keys.dedup_by_key(|k| k.0);
        // In the order of their ends, which those of a node keep.
        keys.sort_unstable_by_key(|k| (k.2, k.0));
        keys.iter()
            .map(|&(_, triangle, [a, b])| Link {
                ends: [a, b],
                length: self.points[a as usize].distance(self.points[b as usize]),
                triangle,
            })
            .collect()
    }

    /// Pairs of leaves that share an edge which can be walked through, ascending.
    pub fn neighbours(&self) -> Vec<[u32; 2]> {
        let mut keys: Vec<(EdgeKey, u32)> = Vec::new();
        for c in (0..self.cells.len()).filter(|&c| self.is_leaf(c)) {
            for edge in 0..3 {
                keys.push((self.key(&self.cells[c], edge), c as u32));
            }
        }
        keys.sort_unstable();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for pair in keys.windows(2) {
            if pair[0].0 == pair[1].0 {
                pairs.push([pair[0].1, pair[1].1]);
                pairs.push([pair[1].1, pair[0].1]);
            }
        }
        pairs.sort_unstable();
        pairs
    }

    pub fn bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
            + self.places.capacity() * size_of::<Location>()
            + self.points.capacity() * 24
            + self.rim.capacity() * 3
    }
}
