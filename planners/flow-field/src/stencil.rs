//! A dense map's graph as a lattice of slots: eight steps from every node, told by a byte.
//!
//! Nodes lie in a padded rectangle, row by row, so that a step is one addition and a wall is a
//! bit that is not set. Where floors lie above each other each has rows of its own, and the few
//! steps that lead from one to another are listed apart.

use glam::Vec2;
use throng_core::{NONE, NavMap, NodeId};
use throng_kit::search::Terms;

use crate::field::Saved;

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
pub(crate) fn back(step: usize) -> usize {
    step ^ 4
}

/// What a metre out of a place that is too narrow costs, as a multiple of the least price.
const WAY_OUT: f64 = 4.0;
/// Steps within which a place that is too narrow finds a roomy one.
const NARROW: usize = 4;
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
    step_of_edge: Vec<u8>,
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
    /// Rows of the first floor, in which points of a flat ground are looked up.
    rows: i32,
    /// Whether every step is as long as it looks in plan.
    level: bool,
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
        let scaled = (at - self.low) / self.spacing;
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

/// What the steps of a stencil cost one class.
#[derive(Clone, Debug, PartialEq)]
pub struct StepCosts {
    /// The steps that may be walked from each slot, one bit each.
    pub(crate) open: Vec<u8>,
    /// No metre costs less; every one this much if `each` is empty.
    pub(crate) metre: f64,
    /// Whether the four straight steps about every diagonal one may be walked, and all steps both
    /// ways: then many steps need not be looked at.
    pub(crate) regular: bool,
    /// Cost of each step in its direction of travel, infinite where it may not be walked; empty if
    /// every metre costs the same.
    pub(crate) each: Vec<[f32; 8]>,
    /// Steps out of slots that are too narrow, those nearest to roomy ones first, with their costs.
    pub(crate) ways_out: Vec<(Slot, u8, f32)>,
}

impl StepCosts {
    /// The costs of a stencil's steps on given terms.
    pub fn on(stencil: &Stencil, terms: &Terms<'_>) -> StepCosts {
        let map = terms.map;
        let slots = stencil.slots();
        let mut costs = StepCosts {
            open: vec![0; slots],
            metre: terms.least_base,
            regular: false,
            each: vec![[f32::INFINITY; 8]; slots],
            ways_out: Vec::new(),
        };
        let mut plain = stencil.level;
        let expected: [f32; 8] =
            core::array::from_fn(|k| (terms.least_base * length(k, stencil.spacing)) as f32);
        for e in 0..map.edges() {
            let step = usize::from(stencil.step_of_edge[e]);
            let cost = terms.cost(e as u32) as f32;
            if cost.is_finite() {
                let slot = stencil.slot[map.edge_from[e] as usize] as usize;
                costs.each[slot][step] = cost;
                costs.open[slot] |= 1 << step;
                plain &= (cost - expected[step]).abs() <= 1e-5 * expected[step];
            }
        }
        let mut symmetric = true;
        costs.regular = !stencil.jumps();
        for slot in 0..slots {
            let open = costs.open[slot];
            for k in (0..8).filter(|k| open >> k & 1 == 1) {
                let there = stencil.after(slot as Slot, k) as usize;
                symmetric &= costs.open[there] >> back(k) & 1 == 1;
                if k % 2 == 1 && costs.regular {
                    // Both ways round the square: by the step before and the step after.
                    let (one, two) = ((k + 7) % 8, (k + 1) % 8);
                    let corner = (slot as i32 + stencil.offset[one]) as usize;
                    costs.regular &= open >> one & open >> two & costs.open[corner] >> two & 1 == 1;
                }
            }
        }
        costs.regular &= symmetric;
        costs.find_ways_out(stencil, terms);
        if plain && symmetric {
            costs.each = Vec::new();
        }
        costs
    }

    /// A body that fits where it stands may be nearest to a node that is too close to a wall:
    /// from there steps lead to roomier nodes, but none lead back.
    fn find_ways_out(&mut self, stencil: &Stencil, terms: &Terms<'_>) {
        let map = terms.map;
        let narrow = |open: &[u8], slot: usize| open[slot] == 0 && stencil.steps[slot] != 0;
        let mut left: Vec<usize> = (0..stencil.slots())
            .filter(|s| narrow(&self.open, *s))
            .collect();
        let mut reached = vec![false; if left.is_empty() { 0 } else { stencil.slots() }];
        for level in 0..NARROW {
            let found = self.ways_out.len();
            left.retain(|&slot| {
                let before = self.ways_out.len();
                for e in map.edges_of(stencil.node[slot]) {
                    let k = usize::from(stencil.step_of_edge[e]);
                    let there = stencil.slot[map.edge_to[e] as usize] as usize;
                    let roomy = if level == 0 {
                        self.open[there] != 0
                    } else {
                        reached[there]
                    };
                    if roomy && map.is_open(e as u32, terms.door_open()) {
                        let cost = WAY_OUT * terms.least_base * length(k, stencil.spacing);
                        self.ways_out.push((slot as Slot, k as u8, cost as f32));
                    }
                }
                self.ways_out.len() == before
            });
            for way in &self.ways_out[found..] {
                reached[way.0 as usize] = true;
            }
        }
    }

    /// The slots to begin at for a goal of these nodes, and what is left to pay there: the nodes
    /// themselves, or, where none of them is roomy enough to enter, the roomy ones nearest to them.
    pub(crate) fn seeds(&self, stencil: &Stencil, goal: &[NodeId]) -> Vec<(Slot, f32)> {
        let slots = goal.iter().map(|n| stencil.slot_of(*n));
        let mut found: Vec<Slot> = slots.filter(|s| *s != NONE).collect();
        if found.iter().all(|s| self.open[*s as usize] == 0) {
            let mut seen = found.clone();
            for level in 0..=NARROW {
                let roomy = |s: &Slot| self.open[*s as usize] != 0;
                if found.iter().any(roomy) {
                    found.retain(roomy);
                    let metres = level as f64 * f64::from(stencil.spacing);
                    let cost = (WAY_OUT * self.metre * metres) as f32;
                    return found.into_iter().map(|s| (s, cost)).collect();
                }
                let mut next = Vec::new();
                for &slot in &found {
                    let steps = stencil.steps[slot as usize];
                    for k in (0..8).filter(|k| steps >> k & 1 == 1) {
                        let there = stencil.after(slot, k);
                        if !seen.contains(&there) {
                            seen.push(there);
                            next.push(there);
                        }
                    }
                }
                if next.is_empty() {
                    break;
                }
                found = next;
            }
            found = goal.iter().map(|n| stencil.slot_of(*n)).collect();
            found.retain(|s| *s != NONE);
        }
        found.into_iter().map(|s| (s, 0.0)).collect()
    }

    pub(crate) fn save(&self, out: &mut Vec<u8>) {
        out.extend((self.open.len() as u64).to_le_bytes());
        out.extend(&self.open);
        out.extend(self.metre.to_le_bytes());
        out.push(u8::from(self.regular) | u8::from(!self.each.is_empty()) << 1);
        out.extend((self.ways_out.len() as u64).to_le_bytes());
        for (slot, step, cost) in &self.ways_out {
            out.extend(slot.to_le_bytes());
            out.push(*step);
            out.extend(cost.to_le_bytes());
        }
        let costs = self.each.as_flattened().iter();
        out.extend(costs.flat_map(|cost| cost.to_le_bytes()));
    }

    /// Reads what [`StepCosts::save`] wrote; nothing if it is damaged.
    pub(crate) fn load(saved: &mut Saved<'_>) -> Option<StepCosts> {
        let slots = usize::try_from(saved.u64()?).ok()?;
        let open = saved.bytes(slots)?.to_vec();
        let metre = f64::from_bits(saved.u64()?);
        let flags = saved.bytes(1)?[0];
        let mut ways_out = Vec::new();
        for _ in 0..saved.u64()? {
            let way = saved.bytes(9)?;
            let four = |at: usize| [way[at], way[at + 1], way[at + 2], way[at + 3]];
            let (slot, step) = (u32::from_le_bytes(four(0)), way[4]);
            if slot as usize >= slots || step >= 8 {
                return None;
            }
            ways_out.push((slot, step, f32::from_le_bytes(four(5))));
        }
        let rows = if flags & 2 == 0 { 0 } else { slots };
        let (costs, _) = saved.bytes(rows.checked_mul(32)?)?.as_chunks::<4>();
        let (costs, _) = costs.as_chunks::<8>();
        let read = |eight: &[[u8; 4]; 8]| eight.map(f32::from_le_bytes);
        Some(StepCosts {
            open,
            metre,
            regular: flags & 1 != 0,
            each: costs.iter().map(read).collect(),
            ways_out,
        })
    }

    /// How much two sets of costs differ, as the mean of the relative changes of their steps.
    pub fn change(&self, other: &StepCosts) -> f64 {
        if self == other {
            return 0.0;
        }
        if self.open != other.open || self.each.len() != other.each.len() {
            return f64::INFINITY;
        }
        if self.each.is_empty() {
            return (self.metre - other.metre).abs() / self.metre.min(other.metre).max(1e-9);
        }
        let (mut sum, mut count) = (0.0, 0_u64);
        for (a, b) in self
            .each
            .as_flattened()
            .iter()
            .zip(other.each.as_flattened())
        {
            if a.is_finite() && b.is_finite() {
                sum += f64::from((a - b).abs() / a.min(*b).max(1e-9));
                count += 1;
            }
        }
        sum / count.max(1) as f64
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
        let costs = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.0));
        assert!(costs.each.is_empty() && costs.regular && costs.metre == 1.0);
        let mut saved = Vec::new();
        costs.save(&mut saved);
        assert_eq!(StepCosts::load(&mut Saved(&saved)), Some(costs.clone()));
        // Too wide for every edge.
        let narrow = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.9));
        assert!(narrow.open.iter().all(|o| *o == 0));
        assert_eq!(costs.change(&narrow), f64::INFINITY);
        saved.clear();
        narrow.save(&mut saved);
        assert_eq!(StepCosts::load(&mut Saved(&saved)), Some(narrow));
        assert_eq!(StepCosts::load(&mut Saved(&saved[..40])), None);
    }

    #[test]
    fn narrow_places_can_be_left_and_not_entered() {
        let mut map = lattice(5, 1, |_, _| true);
        // Nodes 0 and 1 are too close to a wall.
        map.edge_clearance = vec![0.1, 0.1, 0.1, 0.5, 0.1, 0.5, 0.5, 0.5];
        let stencil = Stencil::of(&map).unwrap();
        let costs = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.3));
        let slot = |n: u32| stencil.slot_of(n);
        assert_eq!(costs.ways_out, [(slot(1), 0, 4.0), (slot(0), 0, 4.0)]);
        assert_eq!(costs.open[slot(2) as usize], 1);
        // A goal in there is walked to as far as there is room.
        assert_eq!(costs.seeds(&stencil, &[0]), [(slot(2), 8.0)]);
        assert_eq!(costs.seeds(&stencil, &[3]), [(slot(3), 0.0)]);
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
