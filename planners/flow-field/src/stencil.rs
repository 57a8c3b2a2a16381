//! A dense map's graph as a lattice of slots: eight steps from every node, told by a byte.
//!
//! Nodes lie in a padded rectangle, row by row, so that a step is one addition and a wall is a
//! bit that is not set. Where floors lie above each other each has rows of its own, and the few
//! steps that lead from one to another are listed apart.

use glam::Vec2;
use throng_core::{NONE, NavMap, NodeId};

/// The eight steps: counter-clockwise from +x, straight ones even, diagonal ones odd.
pub(crate) const STEPS: [[i32; 2]; 8] = [
    [1, 0],
    [1, 1],
    [0, 1],
    [-1, 1],
    [-1, 0],
    [-1, -1],
    [0, -1],
    [1, -1],
];

/// The step that leads to a neighbouring lattice point.
#[inline]
pub(crate) fn step_towards(x: i32, y: i32) -> usize {
    // (-1, 0, 1)^2 in rows of y.
    const BY_SIGN: [u8; 9] = [5, 6, 7, 4, 0, 0, 3, 2, 1];
    usize::from(BY_SIGN[(3 * (y.signum() + 1) + x.signum() + 1) as usize])
}

/// The other way along a step.
#[inline(always)]
pub(crate) const fn back(step: usize) -> usize {
    step ^ 4
}

/// Most slots of a stencil.
const MOST_SLOTS: i64 = 1 << 27;

/// Most columns or rows: differences of two fit 16 bits.
const MOST_ROWS: i32 = 32_000;

/// A slot of a [`Stencil`].
pub type Slot = u32;

/// A map whose nodes lie on a square lattice and whose edges are steps between neighbours.
#[derive(Clone, Debug, Default)]
pub struct Stencil {
    /// The steps that lead from each slot, one bit each; 0 where there is no node.
    pub(crate) steps: Vec<u8>,
    /// The node of each slot, or [`NONE`].
    pub(crate) node: Vec<NodeId>,
    /// The slot of each node.
    pub(crate) slot: Vec<Slot>,
    /// The step that each edge is.
    pub(crate) step_of_edge: Vec<u8>,
    /// What a step adds to a slot.
    pub(crate) offset: [i32; 8],
    /// Steps to rows of another floor, by slot and step, with where they lead.
    jumps: Vec<(Slot, u8, Slot)>,
    /// Whether such a step leads from each slot; empty if there is none.
    rims: Vec<bool>,
    /// Slots to a row.
    pub(crate) stride: i32,
    /// Place of column 0 and row 0 in plan.
    low: Vec2,
    /// Metres from column to column.
    pub(crate) spacing: f32,
    /// Columns to a metre.
    per_metre: f32,
    /// Rows of the first floor, in which points of a flat ground are looked up.
    rows: i32,
    /// Whether every step is as long as it looks in plan.
    pub(crate) level: bool,
    /// The slot of each region, or [`NONE`].
    slot_of_region: Vec<Slot>,
}

/// Nodes on rows of slots, so that no two of a layer share a slot.
struct Layers {
    layer: Vec<u32>,
    count: usize,
}

impl Layers {
    /// Floods the graph: a node goes to the layer it is come upon from unless its place is taken.
    fn of(map: &NavMap, at: &[[i32; 2]], low: [i32; 2], width: i32, height: i32) -> Layers {
        let square = |n: usize| ((at[n][1] - low[1]) * width + at[n][0] - low[0]) as usize;
        let mut layer = vec![NONE; at.len()];
        let mut taken: Vec<Vec<bool>> = Vec::new();
        let mut queue = std::collections::VecDeque::new();
        for first in 0..at.len() {
            if layer[first] != NONE {
                continue;
            }
            let free = taken.iter().position(|t| !t[square(first)]);
            layer[first] = free.unwrap_or(taken.len()) as u32;
            if free.is_none() {
                taken.push(vec![false; (width * height) as usize]);
            }
            taken[layer[first] as usize][square(first)] = true;
            queue.push_back(first);
            while let Some(node) = queue.pop_front() {
                let here = layer[node];
                for e in map.edges_of(node as NodeId) {
                    let next = map.edge_to[e] as usize;
                    if layer[next] == NONE && !taken[here as usize][square(next)] {
                        layer[next] = here;
                        taken[here as usize][square(next)] = true;
                        queue.push_back(next);
                    }
                }
            }
        }
        Layers {
            layer,
            count: taken.len(),
        }
    }
}

impl Stencil {
    /// Reads a map; nothing if it is not a lattice of this kind.
    pub fn of(map: &NavMap) -> Option<Stencil> {
        let spacing = map.dense_spacing;
        let first = map.node_place.first()?.point.truncate();
        if !(spacing > 0.0) {
            return None;
        }
        let mut at = Vec::with_capacity(map.nodes());
        let (mut low, mut high) = ([i32::MAX; 2], [i32::MIN; 2]);
        for node in &map.node_place {
            let scaled = (node.point.truncate() - first) / spacing;
            let rounded = scaled.round();
            if (scaled - rounded).abs().max_element() > 0.05 || rounded.abs().max_element() > 3e4 {
                return None;
            }
            let p = [rounded.x as i32, rounded.y as i32];
            low = [low[0].min(p[0]), low[1].min(p[1])];
            high = [high[0].max(p[0]), high[1].max(p[1])];
            at.push(p);
        }
        let (width, height) = (high[0] - low[0] + 1, high[1] - low[1] + 1);
        if width.max(height) > MOST_ROWS || i64::from(width) * i64::from(height) > MOST_SLOTS {
            return None;
        }
        let layers = Layers::of(map, &at, low, width, height);
        // One slot between rows and one row between layers are never entered.
        let (stride, rows) = (width + 1, height + 1);
        let slots = i64::from(stride) * (i64::from(rows) * layers.count as i64 + 1) + 1;
        if slots > MOST_SLOTS {
            return None;
        }
        let slot: Vec<Slot> = at
            .iter()
            .zip(&layers.layer)
            .map(|(p, layer)| {
                let row = p[1] - low[1] + 1 + *layer as i32 * rows;
                (row * stride + p[0] - low[0] + 1) as Slot
            })
            .collect();
        let mut stencil = Stencil {
            steps: vec![0; slots as usize + stride as usize],
            node: vec![NONE; slots as usize + stride as usize],
            step_of_edge: Vec::with_capacity(map.edges()),
            offset: STEPS.map(|[x, y]| y * stride + x),
            stride,
            low: first + Vec2::new(low[0] as f32, low[1] as f32) * spacing,
            spacing,
            per_metre: 1.0 / spacing,
            rows: height,
            level: true,
            slot_of_region: vec![NONE; map.regions()],
            slot,
            jumps: Vec::new(),
            rims: Vec::new(),
        };
        for (node, slot) in stencil.slot.iter().enumerate() {
            stencil.node[*slot as usize] = node as NodeId;
        }
        for e in 0..map.edges() {
            let (from, end) = (map.edge_from[e] as usize, map.edge_to[e] as usize);
            let (x, y) = (at[end][0] - at[from][0], at[end][1] - at[from][1]);
            if (x, y) == (0, 0) || x.abs() > 1 || y.abs() > 1 {
                return None;
            }
            let step = step_towards(x, y);
            let (here, there) = (stencil.slot[from], stencil.slot[end]);
            if stencil.steps[here as usize] >> step & 1 == 1 {
                return None;
            }
            stencil.steps[here as usize] |= 1 << step;
            stencil.step_of_edge.push(step as u8);
            if here as i32 + stencil.offset[step] != there as i32 {
                stencil.jumps.push((here, step as u8, there));
            }
            let length = ((x * x + y * y) as f32).sqrt() * spacing;
            stencil.level &= (map.edge_length[e] - length).abs() <= 1e-4 * length;
        }
        stencil.jumps.sort_unstable();
        if !stencil.jumps.is_empty() {
            stencil.rims = vec![false; stencil.slots()];
            for jump in &stencil.jumps {
                stencil.rims[jump.0 as usize] = true;
            }
        }
        for (node, &region) in map.node_region.iter().enumerate() {
            if let Some(slot) = stencil.slot_of_region.get_mut(region as usize)
                && *slot == NONE
            {
                *slot = stencil.slot[node];
            }
        }
        Some(stencil)
    }

    /// How many slots.
    pub fn slots(&self) -> usize {
        self.steps.len()
    }

    /// The slot of a node.
    #[inline]
    pub fn slot_of(&self, node: NodeId) -> Slot {
        self.slot.get(node as usize).copied().unwrap_or(NONE)
    }

    /// Whether steps lead to other floors.
    pub(crate) fn jumps(&self) -> bool {
        !self.jumps.is_empty()
    }

    /// Whether a step to another floor leads from a slot.
    #[inline(always)]
    pub(crate) fn is_rim(&self, slot: Slot) -> bool {
        self.jumps() && self.rims[slot as usize]
    }

    /// Where the step from a slot to another floor leads, if this one is.
    #[inline]
    pub(crate) fn jump(&self, slot: Slot, step: usize) -> Option<Slot> {
        let key = (slot, step as u8);
        let at = self.jumps.binary_search_by_key(&key, |j| (j.0, j.1)).ok()?;
        Some(self.jumps[at].2)
    }

    /// Where a step leads.
    #[inline]
    pub(crate) fn after(&self, slot: Slot, step: usize) -> Slot {
        if self.is_rim(slot)
            && let Some(to) = self.jump(slot, step)
        {
            return to;
        }
        (slot as i32 + self.offset[step]) as Slot
    }

    /// The slot that holds a point of a flat floor and where in it the point is, in spacings from
    /// its middle. Slots without a node are possible; beyond the map it is one of those.
    #[inline(always)]
    pub(crate) fn slot_at(&self, at: Vec2) -> (Slot, Vec2) {
        let scaled = (at - self.low) * self.per_metre;
        let x = (scaled.x + 0.5).clamp(-0.5, self.stride as f32 - 0.5);
        let y = (scaled.y + 0.5).clamp(-0.5, self.rows as f32 + 0.5);
        // Padding makes up for the half that truncation would get wrong below 0.
        let (column, row) = ((x + 1.0) as i32, (y + 1.0) as i32);
        let slot = row * self.stride + column;
        let middle = Vec2::new((column - 1) as f32, (row - 1) as f32);
        (slot as Slot, scaled - middle)
    }

    /// The slot of a region, or [`NONE`].
    #[inline]
    pub(crate) fn slot_in(&self, region: u32) -> Slot {
        let slot = self.slot_of_region.get(region as usize);
        slot.copied().unwrap_or(NONE)
    }

    /// Place of a slot of the first floor in plan; of others modulo their rows.
    pub(crate) fn place(&self, slot: Slot) -> Vec2 {
        let (column, row) = (slot as i32 % self.stride, slot as i32 / self.stride);
        let row = (row - 1) % (self.rows + 1);
        self.low + Vec2::new((column - 1) as f32, row as f32) * self.spacing
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.slots() * 5
            + self.slot.len() * 4
            + self.step_of_edge.len()
            + self.slot_of_region.len() * 4
            + self.jumps.len() * 12
    }
}

/// Metres of a step.
#[inline]
pub(crate) fn length(step: usize, spacing: f32) -> f64 {
    if step % 2 == 1 {
        // As edges of maps store it, so that costs over edges and over steps agree.
        f64::from((core::f64::consts::SQRT_2 * f64::from(spacing)) as f32)
    } else {
        f64::from(spacing)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use glam::Vec3;
    use throng_core::Location;

    /// A lattice of unit cells with 8 neighbours and no corner cutting, nodes row by row.
    pub(crate) fn lattice(width: i32, height: i32, free: impl Fn(i32, i32) -> bool) -> NavMap {
        let inside = |x: i32, y: i32| x >= 0 && y >= 0 && x < width && y < height && free(x, y);
        let mut map = NavMap {
            dense_spacing: 1.0,
            ..NavMap::default()
        };
        let mut id = vec![NONE; (width * height) as usize];
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if inside(x, y) {
                id[(y * width + x) as usize] = map.nodes() as u32;
                map.node_place.push(Location {
                    point: Vec3::new(x as f32 + 0.5, y as f32 + 0.5, 0.0),
                    triangle: 0,
                });
            }
        }
        map.node_region = (0..map.nodes() as u32).collect();
        map.region_area = vec![1.0; map.nodes()];
        map.region_place = map.node_place.clone();
        map.edge_start.push(0);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if !inside(x, y) {
                continue;
            }
            for [dx, dy] in STEPS {
                if inside(x + dx, y + dy) && inside(x + dx, y) && inside(x, y + dy) {
                    map.edge_from.push(id[(y * width + x) as usize]);
                    map.edge_to.push(id[((y + dy) * width + x + dx) as usize]);
                    let diagonal = dx != 0 && dy != 0;
                    let length = if diagonal { 2.0_f64.sqrt() } else { 1.0 };
                    map.edge_length.push(length as f32);
                    map.edge_clearance.push(0.5);
                }
            }
            map.edge_start.push(map.edge_to.len() as u32);
        }
        map.edge_twin = (0..map.edges())
            .map(|e| {
                let (from, to) = (map.edge_from[e], map.edge_to[e]);
                map.edges_of(to).find(|&t| map.edge_to[t] == from).unwrap() as u32
            })
            .collect();
        map
    }

    #[test]
    fn steps_are_told_by_their_signs() {
        for (k, [x, y]) in STEPS.into_iter().enumerate() {
            assert_eq!(step_towards(x, y), k);
            assert_eq!(step_towards(-x, -y), (k + 4) % 8);
        }
    }

    #[test]
    fn a_lattice_is_read_and_points_find_their_nodes() {
        let map = lattice(5, 4, |x, y| (x, y) != (2, 1));
        let stencil = Stencil::of(&map).unwrap();
        assert!(stencil.level && !stencil.jumps());
        for (node, place) in map.node_place.iter().enumerate() {
            for offset in [Vec2::new(0.4, -0.4), Vec2::new(-0.49, 0.49)] {
                let (slot, rest) = stencil.slot_at(place.point.truncate() + offset);
                assert_eq!(stencil.node[slot as usize], node as u32);
                assert!((rest - offset).length() < 1e-5);
                assert_eq!(stencil.place(slot), place.point.truncate());
            }
        }
        for off in [
            Vec2::new(2.5, 1.5),
            Vec2::new(-3.0, 1.5),
            Vec2::new(9.0, 9.0),
            Vec2::new(1e9, -1e9),
            Vec2::NAN,
        ] {
            let (slot, _) = stencil.slot_at(off);
            assert_eq!(stencil.node[slot as usize], NONE);
        }
        let first = stencil.slot_of(0);
        assert_eq!(stencil.after(first, 0), stencil.slot_of(1));
        assert!(stencil.steps[first as usize] >> 4 & 1 == 0);
    }

    #[test]
    fn other_maps_are_no_stencil() {
        let mut map = lattice(3, 3, |_, _| true);
        map.node_place[4].point.x += 0.3;
        assert!(Stencil::of(&map).is_none());
        let mut sparse = lattice(3, 3, |_, _| true);
        sparse.dense_spacing = 0.0;
        assert!(Stencil::of(&sparse).is_none());
    }
}
