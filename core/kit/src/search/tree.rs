//! Dijkstra's algorithm from many nodes at once: distance trees.

use throng_core::{EdgeId, NONE, NavMap, NodeId};

use super::{SearchScratch, Terms, heap::Entry};

/// Which way a distance tree is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// Away from the sources: costs from the nearest of them to every node.
    Nodes,
    /// Towards the sources: costs from every node to the nearest of them.
    Sources,
}

/// The edges that enter each node.
#[derive(Clone, Debug)]
pub enum Incoming {
    /// Every edge has a twin: the edges that enter a node are the twins of those that leave it.
    Twins,
    /// The transposed rows.
    Rows {
        /// `start[n]..start[n + 1]` are the edges that enter node n.
        start: Vec<u32>,
        /// Their ids, ascending within a node.
        edge: Vec<EdgeId>,
    },
}

impl Incoming {
    /// The edges that enter the nodes of a map.
    pub fn of(map: &NavMap) -> Incoming {
        if map.edge_twin.iter().all(|&twin| twin != NONE) {
            return Incoming::Twins;
        }
        let mut start = vec![0_u32; map.nodes() + 1];
        for &to in &map.edge_to {
            start[to as usize + 1] += 1;
        }
        for n in 0..map.nodes() {
            start[n + 1] += start[n];
        }
        let mut next = start.clone();
        let mut edge = vec![0; map.edges()];
        for (e, &to) in map.edge_to.iter().enumerate() {
            edge[next[to as usize] as usize] = e as EdgeId;
            next[to as usize] += 1;
        }
        Incoming::Rows { start, edge }
    }
}

/// Costs between sources and all nodes, and the edge to take or to come by.
#[derive(Clone, Debug, Default)]
pub struct DistanceTree {
    /// Cost to or from the nearest source; infinite where none is reached.
    pub cost: Vec<f32>,
    /// [`Toward::Sources`]: the edge by which to leave each node. [`Toward::Nodes`]: the edge by
    /// which it was reached. [`NONE`] at sources and where none is reached.
    pub edge: Vec<EdgeId>,
}

/// Grows a distance tree from sources with given costs, reusing the memory of `out`.
///
/// Equal ways are told apart by the order of node ids. `incoming` is read only for
/// [`Toward::Sources`].
pub fn distance_tree(
    terms: &Terms<'_>,
    sources: &[(NodeId, f32)],
    toward: Toward,
    incoming: &Incoming,
    scratch: &mut SearchScratch,
    out: &mut DistanceTree,
) {
    let map = terms.map;
    scratch.begin(map.nodes());
    let open = scratch.generation;
    let closed = open + 1;
    let (labels, heap) = (scratch.labels.as_mut_slice(), &mut scratch.heap);
    for &(node, cost) in sources {
        let Some(label) = labels.get_mut(node as usize) else {
            continue;
        };
        let cost = f64::from(cost);
        if cost.is_finite() && (label.stamp < open || cost < label.cost) {
            (label.cost, label.edge, label.stamp) = (cost, NONE, open);
            heap.push(Entry::new(cost, 0.0, node));
        }
    }
    while let Some(entry) = heap.pop() {
        let node = entry.node();
        let label = &mut labels[node as usize];
        if label.stamp == closed {
            continue;
        }
        label.stamp = closed;
        let cost = label.cost;
        let mut relax = |edge: EdgeId, other: NodeId| {
            let label = &mut labels[other as usize];
            if label.stamp == closed {
                return;
            }
            let through = cost + terms.cost(edge);
            if through
                < if label.stamp == open {
                    label.cost
                } else {
                    f64::INFINITY
                }
            {
                (label.cost, label.edge, label.stamp) = (through, edge, open);
                heap.push(Entry::new(through, 0.0, other));
            }
        };
        match (toward, incoming) {
            (Toward::Nodes, _) => {
                for e in map.edges_of(node) {
                    relax(e as EdgeId, map.edge_to[e]);
                }
            }
            (Toward::Sources, Incoming::Twins) => {
                for e in map.edges_of(node) {
                    relax(map.edge_twin[e], map.edge_to[e]);
                }
            }
            (Toward::Sources, Incoming::Rows { start, edge }) => {
                let n = node as usize;
                for &e in &edge[start[n] as usize..start[n + 1] as usize] {
                    relax(e, map.edge_from[e as usize]);
                }
            }
        }
    }
    out.cost.clear();
    out.edge.clear();
    for label in &labels[..map.nodes()] {
        let known = label.stamp == closed;
        out.cost.push(if known {
            label.cost as f32
        } else {
            f32::INFINITY
        });
        out.edge.push(if known { label.edge } else { NONE });
    }
}
