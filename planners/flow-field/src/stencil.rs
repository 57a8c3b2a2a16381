//! A dense map's graph as a lattice: eight steps from every node.

use glam::Vec2;
use throng_core::{EdgeId, NONE, NavMap, NodeId};
use throng_kit::search::Terms;

use crate::field::Saved;

/// The step that leads to a neighbouring lattice point. Steps are counted counter-clockwise from
/// +x: straight ones are even, diagonal ones odd.
#[inline]
pub(crate) fn step_towards(x: i32, y: i32) -> usize {
    // (-1, 0, 1)^2 in rows of y.
    const BY_SIGN: [u8; 9] = [5, 6, 7, 4, 0, 0, 3, 2, 1];
    usize::from(BY_SIGN[(3 * (y.signum() + 1) + x.signum() + 1) as usize])
}

/// What a metre out of a place that is too narrow costs, as a multiple of the least price.
const WAY_OUT: f64 = 4.0;

/// A map whose nodes lie on a square lattice and whose edges are steps between neighbours.
#[derive(Clone, Debug, Default)]
pub struct Stencil {
    /// Where each step from each node leads, or [`NONE`].
    pub(crate) to: Vec<[NodeId; 8]>,
    /// The edge of each step, or [`NONE`].
    pub(crate) edge: Vec<[EdgeId; 8]>,
    /// Column and row of each node.
    pub(crate) at: Vec<[i32; 2]>,
    /// Place of each node in plan.
    pub(crate) place: Vec<Vec2>,
    /// Metres from column to column.
    pub(crate) spacing: f32,
    /// Whether every step is as long as it looks in plan.
    pub(crate) level: bool,
    low: [i32; 2],
    width: i32,
    height: i32,
    /// The node of each square, or [`NONE`]; where several floors have one, the first.
    node_of: Vec<NodeId>,
    /// The node of each region, or [`NONE`].
    node_of_region: Vec<NodeId>,
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
        for node in &map.node_place {
            let scaled = (node.point.truncate() - first) / spacing;
            let rounded = scaled.round();
            if (scaled - rounded).abs().max_element() > 0.05 || rounded.abs().max_element() > 1e6 {
                return None;
            }
            at.push([rounded.x as i32, rounded.y as i32]);
        }
        let mut to = vec![[NONE; 8]; map.nodes()];
        let mut edge = vec![[NONE; 8]; map.nodes()];
        let mut level = true;
        for e in 0..map.edges() {
            let (from, end) = (map.edge_from[e] as usize, map.edge_to[e] as usize);
            let (x, y) = (at[end][0] - at[from][0], at[end][1] - at[from][1]);
            if (x, y) == (0, 0) || x.abs() > 1 || y.abs() > 1 {
                return None;
            }
            let step = step_towards(x, y);
            to[from][step] = end as NodeId;
            edge[from][step] = e as EdgeId;
            let length = ((x * x + y * y) as f32).sqrt() * spacing;
            level &= (map.edge_length[e] - length).abs() <= 1e-4 * length;
        }
        let (mut low, mut high) = ([i32::MAX; 2], [i32::MIN; 2]);
        for p in &at {
            low = [low[0].min(p[0]), low[1].min(p[1])];
            high = [high[0].max(p[0]), high[1].max(p[1])];
        }
        let (width, height) = (high[0] - low[0] + 1, high[1] - low[1] + 1);
        let squares = i64::from(width) * i64::from(height);
        if squares > 1 << 27 {
            return None;
        }
        let mut node_of = vec![NONE; squares as usize];
        for (node, p) in at.iter().enumerate() {
            let square = &mut node_of[((p[1] - low[1]) * width + p[0] - low[0]) as usize];
            *square = (*square).min(node as NodeId);
        }
        let mut node_of_region = vec![NONE; map.regions()];
        for (node, &region) in map.node_region.iter().enumerate() {
            if let Some(slot) = node_of_region.get_mut(region as usize) {
                *slot = (*slot).min(node as NodeId);
            }
        }
        Some(Stencil {
            to,
            edge,
            at,
            place: map.node_place.iter().map(|p| p.point.truncate()).collect(),
            spacing,
            level,
            low,
            width,
            height,
            node_of,
            node_of_region,
        })
    }

    /// How many nodes.
    pub fn nodes(&self) -> usize {
        self.to.len()
    }

    /// The node whose square holds a point of a flat floor, or [`NONE`].
    #[inline]
    pub(crate) fn node_at(&self, at: Vec2) -> NodeId {
        let scaled = (at - self.place[0]) / self.spacing + 0.5;
        let x = scaled.x.floor() as i32 - self.low[0];
        let y = scaled.y.floor() as i32 - self.low[1];
        if x < 0 || y < 0 || x >= self.width || y >= self.height {
            return NONE;
        }
        self.node_of[(y * self.width + x) as usize]
    }

    /// The node of a region, or [`NONE`].
    #[inline]
    pub(crate) fn node_in(&self, region: u32) -> NodeId {
        let node = self.node_of_region.get(region as usize);
        node.copied().unwrap_or(NONE)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.nodes() * (32 + 32 + 8 + 8) + (self.node_of.len() + self.node_of_region.len()) * 4
    }
}

/// What the steps of a stencil cost one class: the same for every metre, or each its own.
#[derive(Clone, Debug, PartialEq)]
pub enum StepCosts {
    /// Every step may be walked and every metre costs this.
    Uniform(f64),
    /// Cost of each step in its direction of travel; infinite where it may not be walked.
    Each(Vec<[f32; 8]>),
}

impl StepCosts {
    /// The costs of a stencil's steps on given terms.
    pub fn on(stencil: &Stencil, terms: &Terms<'_>) -> StepCosts {
        let mut uniform = stencil.level.then_some(terms.least_base);
        let mut each = Vec::with_capacity(stencil.nodes());
        let mut narrow = Vec::new();
        for (node, edges) in stencil.edge.iter().enumerate() {
            let costs = edges.map(|edge| match edge {
                NONE => f32::INFINITY,
                edge => terms.cost(edge) as f32,
            });
            if let Some(metre) = uniform {
                let plain = (0..8).all(|k| {
                    let expected = (metre * length(k, stencil.spacing)) as f32;
                    edges[k] == NONE || (costs[k] - expected).abs() <= 1e-5 * expected
                });
                uniform = plain.then_some(metre);
            }
            if costs.iter().all(|c| c.is_infinite()) {
                narrow.push(node);
            }
            each.push(costs);
        }
        // A body that fits where it stands may be nearest to a node that is too close to a wall:
        // from there steps lead to roomier nodes, but none lead back.
        let ways_out: Vec<(usize, usize)> = narrow
            .into_iter()
            .flat_map(|node| (0..8).map(move |k| (node, k)))
            .filter(|&(node, k)| {
                let (edge, to) = (stencil.edge[node][k], stencil.to[node][k]);
                to != NONE
                    && terms.map.is_open(edge, terms.door_open())
                    && each[to as usize].iter().any(|c: &f32| c.is_finite())
            })
            .collect();
        for (node, k) in ways_out {
            let metres = length(k, stencil.spacing);
            each[node][k] = (WAY_OUT * terms.least_base * metres) as f32;
        }
        match uniform {
            Some(metre) => StepCosts::Uniform(metre),
            None => StepCosts::Each(each),
        }
    }

    pub(crate) fn save(&self, out: &mut Vec<u8>) {
        match self {
            StepCosts::Uniform(metre) => {
                out.extend(u64::MAX.to_le_bytes());
                out.extend(metre.to_le_bytes());
            }
            StepCosts::Each(each) => {
                out.extend((each.len() as u64).to_le_bytes());
                let costs = each.as_flattened().iter();
                out.extend(costs.flat_map(|cost| cost.to_le_bytes()));
            }
        }
    }

    /// Reads what [`StepCosts::save`] wrote; nothing if it is damaged.
    pub(crate) fn load(saved: &mut Saved<'_>) -> Option<StepCosts> {
        let nodes = saved.u64()?;
        if nodes == u64::MAX {
            return Some(StepCosts::Uniform(f64::from_bits(saved.u64()?)));
        }
        let bytes = saved.bytes(usize::try_from(nodes).ok()?.checked_mul(32)?)?;
        let (costs, _) = bytes.as_chunks::<4>();
        let (costs, _) = costs.as_chunks::<8>();
        let read = |eight: &[[u8; 4]; 8]| eight.map(f32::from_le_bytes);
        Some(StepCosts::Each(costs.iter().map(read).collect()))
    }

    /// How much two sets of costs differ, as the mean of the relative changes of their steps.
    pub fn change(&self, other: &StepCosts) -> f64 {
        let (StepCosts::Each(a), StepCosts::Each(b)) = (self, other) else {
            return if self == other { 0.0 } else { f64::INFINITY };
        };
        if a.len() != b.len() {
            return f64::INFINITY;
        }
        let (mut sum, mut count) = (0.0, 0_u64);
        for (a, b) in a.as_flattened().iter().zip(b.as_flattened()) {
            match (a.is_finite(), b.is_finite()) {
                (true, true) => {
                    sum += f64::from((a - b).abs() / a.min(*b).max(1e-9));
                    count += 1;
                }
                (false, false) => {}
                _ => return f64::INFINITY,
            }
        }
        sum / count.max(1) as f64
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

    /// The eight steps: counter-clockwise from +x, straight ones even, diagonal ones odd.
    const STEPS: [[i32; 2]; 8] = [
        [1, 0],
        [1, 1],
        [0, 1],
        [-1, 1],
        [-1, 0],
        [-1, -1],
        [0, -1],
        [1, -1],
    ];

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
        assert_eq!(stencil.nodes(), 19);
        assert!(stencil.level);
        for (node, place) in map.node_place.iter().enumerate() {
            let near = place.point.truncate() + Vec2::new(0.4, -0.4);
            assert_eq!(stencil.node_at(near), node as u32);
        }
        assert_eq!(stencil.node_at(Vec2::new(2.5, 1.5)), NONE);
        assert_eq!(stencil.node_at(Vec2::new(-3.0, 1.5)), NONE);
        assert!(stencil.to[0][0] == 1 && stencil.to[0][4] == NONE);
        let costs = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.0));
        assert_eq!(costs, StepCosts::Uniform(1.0));
        let mut saved = Vec::new();
        costs.save(&mut saved);
        assert_eq!(StepCosts::load(&mut Saved(&saved)), Some(costs.clone()));
        // Too wide for every edge.
        let narrow = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.9));
        assert!(matches!(&narrow, StepCosts::Each(c) if c[0][0].is_infinite()));
        assert_eq!(costs.change(&narrow), f64::INFINITY);
        saved.clear();
        narrow.save(&mut saved);
        assert_eq!(StepCosts::load(&mut Saved(&saved)), Some(narrow));
        assert_eq!(StepCosts::load(&mut Saved(&saved[..40])), None);
    }

    #[test]
    fn narrow_places_can_be_left_and_not_entered() {
        let mut map = lattice(4, 1, |_, _| true);
        // Node 0 is too close to a wall.
        map.edge_clearance = vec![0.1, 0.5, 0.1, 0.5, 0.5, 0.5];
        let stencil = Stencil::of(&map).unwrap();
        let StepCosts::Each(costs) = StepCosts::on(&stencil, &Terms::lengths(&map, &[], 0.3))
        else {
            panic!("steps differ");
        };
        assert_eq!((costs[0][0], costs[1][4]), (4.0, f32::INFINITY));
        assert_eq!(costs[1][0], 1.0);
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
