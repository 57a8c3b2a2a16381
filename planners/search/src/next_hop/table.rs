//! The table of next edges: for every target and node the edge to leave by.

use rayon::prelude::*;
use throng_core::{EdgeId, NONE, NavMap, NodeId, choices};
use throng_kit::search::{DistanceTree, Incoming, SearchScratch, Terms, Toward, distance_tree};

choices! {
    /// How shortest ways are found.
    pub enum Method {
        /// A search backwards from every target.
        Dijkstra = "dijkstra",
        /// All pairs at once; time grows with the third power of the nodes.
        FloydWarshall = "floyd-warshall",
    }
}

/// Edges to leave by, as their place among the edges of a node: one byte where no node has more
/// than 255 edges, else two.
#[derive(Clone, Debug, PartialEq)]
enum Slots {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

/// For every target a row over the nodes: which edge leads on. No look-up depends on the size of
/// the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Hops {
    nodes: usize,
    rows: usize,
    slots: Slots,
}

impl Hops {
    /// Bytes of a table of so many targets, and those needed to make it.
    pub fn bytes_needed(map: &NavMap, rows: usize, method: Method) -> u64 {
        let nodes = map.nodes() as u64;
        let width = if most_edges(map) < 255 { 1 } else { 2 };
        let table = rows as u64 * nodes * width;
        match method {
            Method::Dijkstra => table,
            Method::FloydWarshall => table + nodes * nodes * (8 + 2),
        }
    }

    /// Makes a table: a row per target, each a set of nodes any of which will do.
    pub fn new(
        terms: &Terms<'_>,
        incoming: &Incoming,
        targets: &[Vec<NodeId>],
        method: Method,
    ) -> Hops {
        let map = terms.map;
        let nodes = map.nodes();
        let mut wide = vec![u16::MAX; nodes * targets.len()];
        match method {
            Method::Dijkstra => wide
                .par_chunks_mut(nodes.max(1))
                .zip(targets.par_iter())
                .for_each_init(Default::default, |(scratch, tree), (row, target)| {
                    one_row(terms, incoming, target, scratch, tree, row);
                }),
            Method::FloydWarshall => {
                let (cost, next) = all_pairs(terms);
                for (row, target) in wide.chunks_mut(nodes.max(1)).zip(targets) {
                    for (node, slot) in row.iter_mut().enumerate() {
                        let ways = &cost[node * nodes..(node + 1) * nodes];
                        let nearest = target
                            .iter()
                            .filter(|t| (**t as usize) < nodes)
                            .min_by(|a, b| ways[**a as usize].total_cmp(&ways[**b as usize]));
                        if let Some(&t) = nearest
                            && !target.contains(&(node as NodeId))
                        {
                            *slot = next[node * nodes + t as usize];
                        }
                    }
                }
            }
        }
        let slots = if most_edges(map) < 255 {
            // The largest word becomes the largest byte: no edge.
            Slots::Bytes(wide.iter().map(|s| (*s).min(255) as u8).collect())
        } else {
            Slots::Words(wide)
        };
        Hops {
            nodes,
            rows: targets.len(),
            slots,
        }
    }

    /// The edge to leave a node by on the way to a target; [`NONE`] at the target and where there
    /// is no way to it.
    #[inline]
    pub fn next(&self, map: &NavMap, row: u32, node: NodeId) -> EdgeId {
        match self.slot(row, node) {
            NONE => NONE,
            slot => map.edge_start[node as usize] + slot,
        }
    }

    /// The same as its place among the edges of the node.
    #[inline]
    pub(super) fn slot(&self, row: u32, node: NodeId) -> u32 {
        let at = row as usize * self.nodes + node as usize;
        match &self.slots {
            Slots::Bytes(slots) => match slots.get(at) {
                None | Some(255) => NONE,
                Some(&slot) => u32::from(slot),
            },
            Slots::Words(slots) => match slots.get(at) {
                None | Some(&u16::MAX) => NONE,
                Some(&slot) => u32::from(slot),
            },
        }
    }

    /// How many targets.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        match &self.slots {
            Slots::Bytes(slots) => slots.len(),
            Slots::Words(slots) => slots.len() * 2,
        }
    }

    /// Whether every edge it names is one of the map's.
    pub fn is_of(&self, map: &NavMap) -> bool {
        let edges = |node: usize| (map.edge_start[node + 1] - map.edge_start[node]) as u16;
        self.nodes == map.nodes()
            && (0..self.rows * self.nodes).all(|at| {
                let (slot, none) = match &self.slots {
                    Slots::Bytes(slots) => (u16::from(slots[at]), 255),
                    Slots::Words(slots) => (slots[at], u16::MAX),
                };
                slot == none || slot < edges(at % self.nodes)
            })
    }

    pub(super) fn save(&self, out: &mut Vec<u8>) {
        out.extend((self.nodes as u64).to_le_bytes());
        out.extend((self.rows as u64).to_le_bytes());
        match &self.slots {
            Slots::Bytes(slots) => {
                out.push(1);
                out.extend(slots);
            }
            Slots::Words(slots) => {
                out.push(2);
                out.extend(slots.iter().flat_map(|s| s.to_le_bytes()));
            }
        }
    }

    pub(super) fn load(saved: &mut &[u8]) -> Option<Hops> {
        let nodes = usize::try_from(take_u64(saved)?).ok()?;
        let rows = usize::try_from(take_u64(saved)?).ok()?;
        let width = take(saved, 1)?[0];
        let count = nodes.checked_mul(rows)?;
        let slots = match width {
            1 => Slots::Bytes(take(saved, count)?.to_vec()),
            2 => {
                let (words, _) = take(saved, count.checked_mul(2)?)?.as_chunks::<2>();
                Slots::Words(words.iter().map(|w| u16::from_le_bytes(*w)).collect())
            }
            _ => return None,
        };
        Some(Hops { nodes, rows, slots })
    }
}

/// The next bytes of what was saved.
pub(super) fn take<'a>(saved: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = saved.split_at_checked(count)?;
    *saved = rest;
    Some(taken)
}

pub(super) fn take_u64(saved: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(saved, 8)?.try_into().ok()?))
}

fn most_edges(map: &NavMap) -> u32 {
    let rows = map.edge_start.windows(2);
    rows.map(|w| w[1] - w[0]).max().unwrap_or(0)
}

fn one_row(
    terms: &Terms<'_>,
    incoming: &Incoming,
    target: &[NodeId],
    scratch: &mut SearchScratch,
    tree: &mut DistanceTree,
    row: &mut [u16],
) {
    let sources: Vec<(NodeId, f32)> = target.iter().map(|node| (*node, 0.0)).collect();
    distance_tree(terms, &sources, Toward::Sources, incoming, scratch, tree);
    for (node, slot) in row.iter_mut().enumerate() {
        let edge = tree.edge[node];
        if edge != NONE && tree.cost[node].is_finite() {
            *slot = (edge - terms.map.edge_start[node]) as u16;
        }
    }
}

/// Floyd and Warshall: cost and first edge between all pairs.
fn all_pairs(terms: &Terms<'_>) -> (Vec<f64>, Vec<u16>) {
    let map = terms.map;
    let nodes = map.nodes();
    let mut cost = vec![f64::INFINITY; nodes * nodes];
    let mut next = vec![u16::MAX; nodes * nodes];
    for node in 0..nodes {
        cost[node * nodes + node] = 0.0;
        for (slot, edge) in map.edges_of(node as NodeId).enumerate() {
            let at = node * nodes + map.edge_to[edge] as usize;
            let price = terms.cost(edge as EdgeId);
            if price < cost[at] {
                (cost[at], next[at]) = (price, slot as u16);
            }
        }
    }
    let mut through = vec![0.0; nodes];
    for k in 0..nodes {
        through.copy_from_slice(&cost[k * nodes..(k + 1) * nodes]);
        let through = &through;
        cost.par_chunks_mut(nodes.max(1))
            .zip(next.par_chunks_mut(nodes.max(1)))
            .with_min_len(64)
            .for_each(|(cost, next)| {
                let (there, first) = (cost[k], next[k]);
                if there.is_infinite() || there == 0.0 {
                    return;
                }
                for j in 0..nodes {
                    let by_k = there + through[j];
                    if by_k < cost[j] {
                        cost[j] = by_k;
                        next[j] = first;
                    }
                }
            });
    }
    (cost, next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;

    /// What the walk along a table costs.
    fn walked(hops: &Hops, terms: &Terms<'_>, row: u32, from: NodeId) -> Option<f64> {
        let (mut node, mut cost, mut steps) = (from, 0.0, 0);
        loop {
            let edge = hops.next(terms.map, row, node);
            if edge == NONE {
                return (steps > 0).then_some(cost);
            }
            cost += terms.cost(edge);
            node = terms.map.edge_to[edge as usize];
            steps += 1;
            assert!(steps <= terms.map.nodes(), "the table leads in circles");
        }
    }

    #[test]
    fn both_methods_and_the_trees_agree() {
        let mut test = TestWorld::new(9, 7, |x, y| (x * 7 + y * 5) % 6 != 0 || x == 0);
        test.crowd(|at| if at.x > 4.0 { at.y } else { 0.5 });
        test.with(|world| {
            let terms = Terms::new(world, 0, 0.7, 0.2);
            let incoming = Incoming::of(world.map);
            let nodes = world.map.nodes() as NodeId;
            let mut targets: Vec<Vec<NodeId>> = (0..nodes).map(|n| vec![n]).collect();
            targets.push(vec![2, nodes - 1]);
            let [one, other] = [Method::Dijkstra, Method::FloydWarshall]
                .map(|method| Hops::new(&terms, &incoming, &targets, method));
            assert!(one.is_of(world.map) && other.is_of(world.map));
            assert_eq!(one.bytes(), targets.len() * nodes as usize);
            for (row, target) in targets.iter().enumerate() {
                let sources: Vec<_> = target.iter().map(|n| (*n, 0.0)).collect();
                let mut tree = DistanceTree::default();
                let scratch = &mut SearchScratch::default();
                distance_tree(
                    &terms,
                    &sources,
                    Toward::Sources,
                    &incoming,
                    scratch,
                    &mut tree,
                );
                for node in 0..nodes {
                    let row = row as u32;
                    let a = walked(&one, &terms, row, node);
                    let b = walked(&other, &terms, row, node);
                    if target.contains(&node) {
                        assert_eq!((a, b), (None, None));
                        continue;
                    }
                    let least = f64::from(tree.cost[node as usize]);
                    match (a, b) {
                        (Some(a), Some(b)) => {
                            assert!((a - least).abs() < 1e-4, "{a} {least}");
                            assert!((b - least).abs() < 1e-4, "{b} {least}");
                        }
                        none => assert!(none == (None, None) && least.is_infinite()),
                    }
                }
            }
            let mut saved = Vec::new();
            one.save(&mut saved);
            assert_eq!(Hops::load(&mut &saved[..]), Some(one));
            for end in 0..saved.len().min(40) {
                assert_eq!(Hops::load(&mut &saved[..end]), None);
            }
        });
    }

    #[test]
    fn the_memory_is_known_before() {
        let test = TestWorld::new(4, 4, |_, _| true);
        let needed = |rows, method| Hops::bytes_needed(&test.map, rows, method);
        assert_eq!(needed(16, Method::Dijkstra), 256);
        assert_eq!(needed(3, Method::Dijkstra), 48);
        assert_eq!(needed(16, Method::FloydWarshall), 256 + 2560);
    }
}
