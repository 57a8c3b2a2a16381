//! Making chains out of a map.

use throng_core::{EdgeId, NONE, NavMap, NodeId};

use super::{Chains, Knot};
use crate::search::Heuristic;

/// A map is worth contracting if its junctions are at most this share of its nodes.
const WORTH: f64 = 0.6;

impl Chains {
    /// Contracts a map, or nothing if it would gain little (a grid) or has one-way edges.
    pub fn of(map: &NavMap) -> Option<Chains> {
        let undirected = (0..map.edges()).all(|e| {
            let twin = map.edge_twin[e];
            twin != NONE
                && map.edge_twin[twin as usize] as usize == e
                && map.edge_from[e] != map.edge_to[e]
        });
        if !undirected || map.nodes() == 0 {
            return None;
        }
        let mut pruning = Pruning::of(map);
        let junctions = pruning.junctions(map);
        if junctions.len() as f64 > WORTH * map.nodes() as f64 {
            return None;
        }
        Some(pruning.contract(map, &junctions))
    }
}

/// What is alive while dead ends are cut off.
struct Pruning {
    degree: Vec<u32>,
    /// For nodes in dead ends, the edge that leads out.
    out: Vec<EdgeId>,
}

impl Pruning {
    fn of(map: &NavMap) -> Pruning {
        let nodes = map.nodes() as NodeId;
        let mut pruning = Pruning {
            degree: (0..nodes).map(|n| map.edges_of(n).len() as u32).collect(),
            out: vec![NONE; map.nodes()],
        };
        let mut leaves: Vec<NodeId> = (0..nodes)
            .filter(|&n| pruning.degree[n as usize] == 1)
            .collect();
        while let Some(leaf) = leaves.pop() {
            // The other end may have been cut off meanwhile: then this is the root of a tree.
            if pruning.degree[leaf as usize] != 1 {
                continue;
            }
            let Some(edge) = map.edges_of(leaf).find(|&e| pruning.lives(map.edge_to[e])) else {
                continue;
            };
            let inner = map.edge_to[edge] as usize;
            pruning.out[leaf as usize] = edge as EdgeId;
            pruning.degree[inner] -= 1;
            if pruning.degree[inner] == 1 {
                leaves.push(inner as NodeId);
            }
        }
        pruning
    }

    fn lives(&self, node: NodeId) -> bool {
        self.out[node as usize] == NONE
    }

    /// The living nodes that have not exactly two living neighbours, and one of every ring.
    fn junctions(&mut self, map: &NavMap) -> Vec<NodeId> {
        let nodes = map.nodes() as NodeId;
        let mut is_junction: Vec<bool> = (0..nodes)
            .map(|n| self.lives(n) && self.degree[n as usize] != 2)
            .collect();
        let mut reached = is_junction.clone();
        let mut pending: Vec<NodeId> = Vec::new();
        let spread = |from: NodeId, reached: &mut Vec<bool>, pending: &mut Vec<NodeId>| {
            pending.push(from);
            while let Some(node) = pending.pop() {
                for e in map.edges_of(node) {
                    let to = map.edge_to[e];
                    if self.lives(to) && !reached[to as usize] {
                        reached[to as usize] = true;
                        pending.push(to);
                    }
                }
            }
        };
        for node in 0..nodes {
            if is_junction[node as usize] {
                spread(node, &mut reached, &mut pending);
            }
        }
        for node in 0..nodes {
            if self.lives(node) && !reached[node as usize] {
                is_junction[node as usize] = true;
                reached[node as usize] = true;
                spread(node, &mut reached, &mut pending);
            }
        }
        (0..nodes).filter(|&n| is_junction[n as usize]).collect()
    }

    fn contract(&self, map: &NavMap, junctions: &[NodeId]) -> Chains {
        let mut nodes: Vec<Knot> = self.out.iter().map(|&edge| Knot::Dead(edge)).collect();
        for (j, &node) in junctions.iter().enumerate() {
            nodes[node as usize] = Knot::Junction(j as NodeId);
        }
        let mut core = NavMap {
            edge_start: vec![0],
            ..NavMap::default()
        };
        let mut edges: Vec<EdgeId> = Vec::new();
        let mut edge_start = vec![0_u32];
        let mut chain_of_edge = vec![(NONE, 0); map.edges()];
        for (j, &node) in junctions.iter().enumerate() {
            core.node_place.push(map.node_place[node as usize]);
            core.node_region.push(map.node_region[node as usize]);
            for first in map.edges_of(node) {
                if !self.lives(map.edge_to[first]) {
                    continue;
                }
                let chain = core.edges() as u32;
                let (mut edge, mut length, mut clearance) = (first, 0.0_f64, f32::INFINITY);
                let end = loop {
                    let index = edges.len() as u32 - edge_start[chain as usize];
                    chain_of_edge[edge] = (chain, index);
                    edges.push(edge as EdgeId);
                    length += f64::from(map.edge_length[edge]);
                    clearance = clearance.min(map.edge_clearance[edge]);
                    let to = map.edge_to[edge];
                    if let Knot::Junction(end) = nodes[to as usize] {
                        break end;
                    }
                    nodes[to as usize] = Knot::Within(chain, index + 1);
                    let back = map.edge_twin[edge] as usize;
                    // Two living edges leave it: one back, one on.
                    edge = map
                        .edges_of(to)
                        .find(|&e| e != back && self.lives(map.edge_to[e]))
                        .unwrap_or(back);
                };
                edge_start.push(edges.len() as u32);
                core.edge_from.push(j as NodeId);
                core.edge_to.push(end);
                core.edge_length.push(length as f32);
                core.edge_clearance.push(clearance);
            }
            core.edge_start.push(core.edge_to.len() as u32);
        }
        core.edge_twin = (0..core.edges())
            .map(|chain| {
                let last = edges[edge_start[chain + 1] as usize - 1];
                chain_of_edge[map.edge_twin[last as usize] as usize].0
            })
            .collect();
        Chains {
            heuristic: Heuristic::of(&core),
            least_clearance: core
                .edge_clearance
                .iter()
                .fold(f32::INFINITY, |least, &c| least.min(c)),
            core,
            edge_start,
            edges,
            chain_of_edge,
            nodes,
        }
    }
}
