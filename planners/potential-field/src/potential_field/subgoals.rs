//! Subgoals: the vertices of the map just outside the solved cells, and what is left behind them.
//!
//! Yersin et al., section 4.3: the first vertex outside on every way to the goal is a subgoal,
//! with the potential (equation 1)
//!
//! phi = C * sum over the rest of the path of (density(v) + 1) * radius(v),
//!
//! the lowest over the paths that share it. Here the paths are all those of the map's graph: the
//! sum is a distance tree from the goal. Density is in persons per square metre. C makes a way
//! through empty vertices cost what a full solution gives: free unit cost times length.
//!
//! With `rest = "radius"` the radius of a vertex is that of a disc as large as its region and C is
//! estimated over the whole map, as printed. Discs overlap more in some places than in others, so
//! that sums of radii rank ways wrongly: by default the radius of a vertex is the half of the way
//! that is walked in it, which makes C the free unit cost itself.

use core::f32::consts::PI;

use throng_core::{EdgePrices, NONE, NodeId, World};
use throng_kit::search::{DistanceTree, Incoming, SearchScratch, Terms, Toward, distance_tree};

use super::{Rest, Set};

/// Subgoals of this step, and what estimating them needs.
#[derive(Clone, Debug, Default)]
pub struct Subgoals {
    nodes: Vec<NodeId>,
    inside: Vec<bool>,
    marked: Vec<bool>,
    incoming: Option<(u32, Incoming)>,
    weight: Vec<f32>,
    prices: EdgePrices,
    persons: Vec<u32>,
    regions: Vec<u32>,
    hints: Vec<u32>,
    tree: DistanceTree,
    sources: Vec<(NodeId, f32)>,
    scratch: Scratch,
}

/// Search memory, which nobody clones.
#[derive(Debug, Default)]
struct Scratch(SearchScratch);

impl Clone for Scratch {
    fn clone(&self) -> Scratch {
        Scratch::default()
    }
}

impl Subgoals {
    /// The subgoals.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Whether a node lies where fields are solved.
    pub fn is_inside(&self, node: NodeId) -> bool {
        self.inside.get(node as usize).copied().unwrap_or(false)
    }

    /// Finds the subgoals, and the potentials of all nodes for sets that have none yet, or for
    /// all if it is time. `unit` is the free cost of a metre.
    pub fn estimate(
        &mut self,
        world: &World<'_>,
        sets: &mut [Set],
        unit: f32,
        rest: Rest,
        level: u32,
        whole: bool,
        due: bool,
    ) {
        let map = world.map;
        self.nodes.clear();
        if whole {
            return;
        }
        self.inside.clear();
        self.inside.extend(map.node_place.iter().map(|at| {
            let near = |r: &throng_core::RegionOfInterest| {
                r.level == level && at.point.distance_squared(r.at) < r.radius * r.radius
            };
            world.interest.iter().any(near)
        }));
        self.marked.clear();
        self.marked.resize(map.nodes(), false);
        for node in 0..map.nodes() {
            if !self.inside[node] {
                continue;
            }
            for e in map.edges_of(node as NodeId) {
                let to = map.edge_to[e] as usize;
                if !self.inside[to] && !self.marked[to] {
                    self.marked[to] = true;
                    self.nodes.push(to as NodeId);
                }
            }
        }
        // Whose vertex reaches into a region while its centre lies outside goes on from there,
        // too: without it people at the border would be led back to the vertices inside.
        for node in 0..map.nodes() {
            let region = map.node_region[node] as usize;
            let Some(area) = map.region_area.get(region) else {
                continue;
            };
            let (at, radius) = (map.node_place[node].point, (area / PI).sqrt());
            let overlaps = |r: &throng_core::RegionOfInterest| {
                let reach = r.radius + radius;
                r.level == level && at.distance_squared(r.at) < reach * reach
            };
            if !self.inside[node] && !self.marked[node] && world.interest.iter().any(overlaps) {
                self.marked[node] = true;
                self.nodes.push(node as NodeId);
            }
        }
        // A region smaller than the map's vertices holds none: the vertices about it are subgoals.
        if !self.inside.contains(&true) {
            for region in world.interest.iter().filter(|r| r.level == level) {
                let nearest = |n: &usize| {
                    let apart = map.node_place[*n].point.distance_squared(region.at);
                    ordered(apart)
                };
                let node = (0..map.nodes()).min_by_key(nearest);
                for e in node.into_iter().flat_map(|n| map.edges_of(n as NodeId)) {
                    let to = map.edge_to[e];
                    if !core::mem::replace(&mut self.marked[to as usize], true) {
                        self.nodes.push(to);
                    }
                }
            }
        }
        let stale = |s: &Set| s.used && (due || s.nodes.len() != map.nodes());
        if !sets.iter().any(stale) {
            return;
        }
        self.weigh(world, unit, rest);
        let incoming = match self.incoming.take() {
            Some((revision, incoming)) if revision == map.revision => incoming,
            _ => Incoming::of(map),
        };
        for set in sets.iter_mut().filter(|s| stale(s)) {
            let radius = world
                .classes
                .get(set.class as usize)
                .map_or(0.0, |c| c.radius);
            let terms = Terms::edges(
                map,
                world.site.ground.door_open,
                radius,
                &self.prices,
                0.0,
                0.0,
            );
            self.sources.clear();
            if let Some(goal) = world.goals.get(set.goal as usize) {
                let first = goal.first_node as usize;
                let nodes = &world.goal_nodes[first..first + goal.nodes as usize];
                self.sources.extend(nodes.iter().map(|&n| (n, 0.0)));
            }
            distance_tree(
                &terms,
                &self.sources,
                Toward::Sources,
                &incoming,
                &mut self.scratch.0,
                &mut self.tree,
            );
            set.nodes.clear();
            let own = self.weight.iter().zip(&self.tree.cost);
            set.nodes.extend(own.map(|(own, rest)| own + rest));
        }
        self.incoming = Some((map.revision, incoming));
    }

    /// Weights of all nodes: C (density + 1) radius; and of the edges that enter them.
    fn weigh(&mut self, world: &World<'_>, unit: f32, rest: Rest) {
        let map = world.map;
        let a = &world.agents;
        self.hints.clear();
        self.hints.extend_from_slice(a.region);
        self.regions.clear();
        self.regions.resize(a.len(), NONE);
        world
            .nav
            .region_of(&world.site, map, a.location, &self.hints, &mut self.regions);
        self.persons.clear();
        self.persons.resize(map.regions(), 0);
        for &region in &self.regions {
            if let Some(count) = self.persons.get_mut(region as usize) {
                *count += 1;
            }
        }
        let density = |n: usize| {
            let region = map.node_region[n] as usize;
            match (self.persons.get(region), map.region_area.get(region)) {
                (Some(&count), Some(&area)) if area > 0.0 => count as f32 / area,
                _ => 0.0,
            }
        };
        self.weight.clear();
        self.prices.base.clear();
        if rest == Rest::Length {
            self.weight.resize(map.nodes(), 0.0);
            self.prices.base.extend((0..map.edges()).map(|e| {
                let (from, to) = (map.edge_from[e] as usize, map.edge_to[e] as usize);
                let crowd = (density(from) + density(to)) / 2.0;
                unit * map.edge_length[e] * (1.0 + crowd)
            }));
            return;
        }
        let radius = |n: usize| {
            let area = map.region_area.get(map.node_region[n] as usize);
            (area.copied().unwrap_or(1.0).max(1e-4) / core::f32::consts::PI).sqrt()
        };
        let (mut length, mut radii) = (0.0f64, 0.0f64);
        for e in 0..map.edges() {
            length += f64::from(map.edge_length[e]);
            radii += f64::from(radius(map.edge_to[e] as usize));
        }
        let scale = unit * (length / radii.max(1e-9)) as f32;
        for n in 0..map.nodes() {
            self.weight.push(scale * (density(n) + 1.0) * radius(n));
        }
        let entered = map.edge_to.iter().map(|&to| self.weight[to as usize]);
        self.prices.base.extend(entered);
    }
}

/// A distance as a key.
fn ordered(value: f32) -> u32 {
    value.max(0.0).to_bits()
}

/// Writes numbers for checkpoints.
#[derive(Debug)]
pub struct Bytes<'a>(pub &'a mut Vec<u8>);

impl Bytes<'_> {
    /// One word.
    pub fn word(&mut self, word: u32) {
        self.0.extend_from_slice(&word.to_le_bytes());
    }

    /// Words with their count.
    pub fn words(&mut self, words: &[u32]) {
        self.word(words.len() as u32);
        words.iter().for_each(|w| self.word(*w));
    }

    /// Numbers with their count.
    pub fn floats(&mut self, floats: &[f32]) {
        self.word(floats.len() as u32);
        floats.iter().for_each(|f| self.word(f.to_bits()));
    }
}

/// Reads what [`Bytes`] wrote.
#[derive(Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    /// One word.
    pub fn word(&mut self) -> Option<u32> {
        let (head, tail) = self.0.split_first_chunk::<4>()?;
        self.0 = tail;
        Some(u32::from_le_bytes(*head))
    }

    /// Words with their count.
    pub fn words(&mut self) -> Option<Vec<u32>> {
        let count = self.word()? as usize;
        if count > self.0.len() / 4 {
            return None;
        }
        (0..count).map(|_| self.word()).collect()
    }

    /// Numbers with their count.
    pub fn floats(&mut self) -> Option<Vec<f32>> {
        Some(self.words()?.into_iter().map(f32::from_bits).collect())
    }
}
