//! Junctions and chains: what is left of a sparse map when dead ends are pruned and nodes with two
//! neighbours are contracted.
//!
//! A medial axis has ten times more nodes than junctions. A chain has two sums, base and crowd,
//! that serve any weight. Only the chains that the horizon splits, and the ways between a place
//! and its junctions, are walked edge by edge, so that routes cost the same as on the map itself.

mod build;

use throng_core::{Attachment, EdgeId, EdgePrices, NONE, NavMap, NoRoute, NodeId};

use super::{
    DistanceTree, FoundRoute, FreeTrees, Heuristic, Horizon, RouteQuery, SearchScratch, Terms,
    expand::{End, Limits, Problem, expand},
    find_route,
    route::Bound,
};

/// The junctions of a map and the chains of edges between them.
#[derive(Clone, Debug)]
pub struct Chains {
    /// Junctions as nodes and chains as edges, with lengths and least clearances.
    core: NavMap,
    heuristic: Heuristic,
    least_clearance: f32,
    edge_start: Vec<u32>,
    edges: Vec<EdgeId>,
    /// Chain of each edge and its place in it; [`NONE`] in dead ends.
    chain_of_edge: Vec<(u32, u32)>,
    nodes: Vec<Knot>,
}

/// What became of a node.
#[derive(Clone, Copy, Debug)]
enum Knot {
    /// A junction of the core.
    Junction(NodeId),
    /// Within a chain, after so many of its edges.
    Within(u32, u32),
    /// In a dead end: the edge that leads out.
    Dead(EdgeId),
}

/// Where a place comes out of its dead end: two places with the same anchor may have a way that
/// meets no junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Junction(NodeId),
    Chain(u32),
}

/// A way from a place to a junction: part of an edge (unless [`NONE`]), then whole ones.
#[derive(Clone, Copy, Debug)]
struct Exit {
    junction: NodeId,
    edge: EdgeId,
    share: f32,
    /// Its whole edges in [`ChainScratch::edges`].
    first: usize,
    end: usize,
    paid: f64,
}

impl Exit {
    const NONE: Exit = Exit {
        junction: NONE,
        edge: NONE,
        share: 0.0,
        first: 0,
        end: 0,
        paid: f64::INFINITY,
    };
}

/// Buffers of searches over chains.
#[derive(Debug, Default)]
pub(super) struct ChainScratch {
    edges: Vec<EdgeId>,
    climbed: Vec<EdgeId>,
    route: Vec<EdgeId>,
}

impl Chains {
    /// The junctions of the core as nodes, the chains as edges.
    pub fn core(&self) -> &NavMap {
        &self.core
    }

    /// Sums the prices of edges over every chain.
    pub fn prices(&self, terms: &Terms<'_>, out: &mut EdgePrices) {
        out.base.clear();
        out.crowd.clear();
        for chain in 0..self.core.edges() as u32 {
            let (mut base, mut crowd) = (0.0, 0.0);
            for &edge in self.edges_of(chain) {
                base += terms.base(edge);
                crowd += terms.crowd(edge);
            }
            out.base.push(base as f32);
            out.crowd.push(crowd as f32);
        }
    }

    /// How many chains are too narrow for a radius: radii that leave out the same number are
    /// served by the same trees.
    pub fn narrower(&self, terms: &Terms<'_>) -> usize {
        let clearances = self.core.edge_clearance.iter();
        clearances.filter(|c| !terms.fits(**c)).count()
    }

    /// Finds the cheapest route, as [`find_route`] does, over the chains. `prices` are the sums
    /// of [`Chains::prices`] for the same prices and doors, `free` the crowd-free trees for this
    /// radius, if there are any: with them a search stops as soon as it leaves the horizon.
    pub fn find_route(
        &self,
        query: &RouteQuery<'_>,
        prices: &EdgePrices,
        free: Option<&FreeTrees>,
        scratch: &mut SearchScratch,
    ) -> Result<FoundRoute, NoRoute> {
        let terms = &query.terms;
        if query.from.node == NONE || query.to.node == NONE {
            return find_route(query, scratch);
        }
        scratch.chains.edges.clear();
        let (mut starts, from) = self.exits(terms.map, query.from, &mut scratch.chains);
        let (mut goals, to) = self.exits(terms.map, query.to, &mut scratch.chains);
        if from == to {
            return find_route(query, scratch);
        }
        // Towards the wider end of its edge any body fits that fits at the place.
        for (exits, at) in [(&mut starts, query.from), (&mut goals, query.to)] {
            for exit in exits.iter_mut().filter(|e| e.edge != NONE) {
                let e = exit.edge as usize;
                if terms.map.edge_to[e] != at.node && !terms.fits(terms.map.edge_clearance[e]) {
                    *exit = Exit::NONE;
                }
            }
            if exits[0].junction == NONE {
                exits.swap(0, 1);
            }
        }
        for start in starts.iter_mut().filter(|s| s.junction != NONE) {
            let mut paid = 0.0;
            if start.edge != NONE {
                paid = query
                    .horizon
                    .pay_part(terms, paid, start.edge, f64::from(start.share));
            }
            for &edge in &scratch.chains.edges[start.first..start.end] {
                paid = query.horizon.pay(terms, paid, edge);
            }
            start.paid = paid;
        }
        // Ways to the goal are walked the other way; `paid` is the least that they cost.
        for goal in goals.iter_mut().filter(|g| g.junction != NONE) {
            let map = terms.map;
            scratch.chains.edges[goal.first..goal.end].reverse();
            let mut least = 0.0;
            for edge in &mut scratch.chains.edges[goal.first..goal.end] {
                *edge = map.edge_twin[*edge as usize];
                least += terms.base(*edge);
            }
            if goal.edge != NONE {
                goal.edge = map.edge_twin[goal.edge as usize];
                least += terms.base_of_part(goal.edge) * f64::from(goal.share);
            }
            goal.paid = least;
        }

        scratch.begin(self.core.nodes());
        let ends = goals.map(|goal| (goal.junction, goal.paid));
        let tree = |goal: &Exit| free.and_then(|free| free.tree(self, goal.junction));
        let trees = tree(&goals[0]).map(|first| [first, tree(&goals[1]).unwrap_or(first)]);
        let problem = OverChains {
            chains: self,
            query,
            core: terms.over(&self.core, prices, self.least_clearance),
            goals,
            walks: &scratch.chains.edges,
            bound: Bound::new(&self.core, self.heuristic, terms.least_base, ends),
            free: trees,
        };
        let open = scratch.generation;
        let (labels, heap) = (scratch.labels.as_mut_slice(), &mut scratch.heap);
        let found = expand(
            &self.core,
            &problem,
            starts
                .iter()
                .filter(|s| s.junction != NONE)
                .map(|s| (s.junction, s.paid)),
            Limits {
                greed: f64::from(query.greed.max(1.0)),
                expansions: query.most_expansions,
                known: f64::INFINITY,
            },
            (labels, heap, open),
        )?;

        // From the end back to the start, in edges of the map.
        let mut back = std::mem::take(&mut scratch.chains.route);
        back.clear();
        let (mut node, goal, mut tail) = match found.end {
            End::Arrived(goal) => (goals[goal].junction, Some(goal), &[][..]),
            End::Halted(node) => match problem.rest(node) {
                Some(Rest::Old(tail, goal)) => (node, Some(goal), tail),
                Some(Rest::Free(goal)) => (node, Some(goal), &[][..]),
                None => (node, None, &[][..]),
            },
            End::Known => return Err(NoRoute::Failed),
        };
        while labels[node as usize].edge != NONE {
            let chain = labels[node as usize].edge;
            back.push(chain);
            node = self.core.edge_from[chain as usize];
        }
        let root = labels[node as usize].cost;
        let start = starts
            .iter()
            .find(|s| s.junction == node && s.paid == root)
            .copied()
            .unwrap_or(Exit::NONE);
        let route = &mut scratch.route;
        let walks = &scratch.chains.edges;
        let mut length = 0.0;
        if start.edge != NONE {
            route.push(start.edge);
            length -= f64::from(terms.map.edge_length[start.edge as usize])
                * (1.0 - f64::from(start.share));
        }
        route.extend_from_slice(&walks[start.first..start.end]);
        for &chain in back.iter().rev() {
            route.extend_from_slice(self.edges_of(chain));
        }
        if let Some(goal) = goal {
            let way = &goals[goal];
            if let (End::Halted(mut at), Some(trees)) = (found.end, trees) {
                while at != way.junction && trees[goal].edge[at as usize] != NONE {
                    let chain = trees[goal].edge[at as usize];
                    route.extend_from_slice(self.edges_of(chain));
                    at = self.core.edge_to[chain as usize];
                }
            }
            if tail.is_empty() {
                tail = &walks[way.first..way.end];
            }
            route.extend_from_slice(tail);
            if way.edge != NONE {
                length +=
                    f64::from(terms.map.edge_length[way.edge as usize]) * f64::from(way.share);
            }
        }
        length += route
            .iter()
            .map(|&e| f64::from(terms.map.edge_length[e as usize]))
            .sum::<f64>();
        scratch.chains.route = back;
        Ok(FoundRoute {
            cost: found.cost,
            length,
            expansions: found.expansions,
            invisible: query.invisible(scratch.route()),
            into: goal.map_or(NONE, |goal| goals[goal].edge),
        })
    }

    /// The ways from an attachment to junctions, at most two, and where they come out.
    fn exits(
        &self,
        map: &NavMap,
        at: Attachment,
        scratch: &mut ChainScratch,
    ) -> ([Exit; 2], Anchor) {
        let mut exits = [Exit::NONE; 2];
        let along = at.along.clamp(0.0, 1.0);
        let (mut node, mut part) = (at.node, (NONE, 0.0));
        if at.edge != NONE {
            let (edge, twin) = (at.edge, map.edge_twin[at.edge as usize]);
            let (chain, index) = self.chain_of_edge[edge as usize];
            if chain != NONE {
                let other = self.core.edge_twin[chain as usize];
                let count = self.edges_of(chain).len() as u32;
                exits[0] = self.exit(chain, index + 1, (edge, 1.0 - along), &[], scratch);
                exits[1] = self.exit(other, count - index, (twin, along), &[], scratch);
                return (exits, Anchor::Chain(chain.min(other)));
            }
            // In a dead end only one end of an edge leads out.
            let inward = map.edge_from[edge as usize];
            if matches!(self.nodes[inward as usize], Knot::Dead(out) if out == edge) {
                (node, part) = (map.edge_to[edge as usize], (edge, 1.0 - along));
            } else {
                (node, part) = (inward, (twin, along));
            }
        }
        let mut climbed = std::mem::take(&mut scratch.climbed);
        climbed.clear();
        while let Knot::Dead(edge) = self.nodes[node as usize] {
            climbed.push(edge);
            node = map.edge_to[edge as usize];
        }
        let anchor = match self.nodes[node as usize] {
            Knot::Within(chain, index) => {
                let other = self.core.edge_twin[chain as usize];
                let count = self.edges_of(chain).len() as u32;
                exits[0] = self.exit(chain, index, part, &climbed, scratch);
                exits[1] = self.exit(other, count - index, part, &climbed, scratch);
                Anchor::Chain(chain.min(other))
            }
            Knot::Junction(junction) => {
                let first = scratch.edges.len();
                scratch.edges.extend_from_slice(&climbed);
                exits[0] = Exit {
                    junction,
                    edge: part.0,
                    share: part.1,
                    first,
                    end: scratch.edges.len(),
                    paid: f64::INFINITY,
                };
                Anchor::Junction(junction)
            }
            Knot::Dead(_) => unreachable!("dead ends were climbed out of"),
        };
        scratch.climbed = climbed;
        (exits, anchor)
    }

    /// The way out by the edges of a chain from `index` on.
    fn exit(
        &self,
        chain: u32,
        index: u32,
        (edge, share): (EdgeId, f32),
        climbed: &[EdgeId],
        scratch: &mut ChainScratch,
    ) -> Exit {
        let first = scratch.edges.len();
        scratch.edges.extend_from_slice(climbed);
        let rest = &self.edges_of(chain)[index as usize..];
        scratch.edges.extend_from_slice(rest);
        Exit {
            junction: self.core.edge_to[chain as usize],
            edge,
            share,
            first,
            end: scratch.edges.len(),
            paid: f64::INFINITY,
        }
    }

    /// The edges of a chain.
    #[inline]
    pub fn edges_of(&self, chain: u32) -> &[EdgeId] {
        let c = chain as usize;
        &self.edges[self.edge_start[c] as usize..self.edge_start[c + 1] as usize]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.core.bytes()
            + (self.edge_start.capacity() + self.edges.capacity()) * 4
            + self.chain_of_edge.capacity() * 8
            + self.nodes.capacity() * size_of::<Knot>()
    }
}

/// A search over chains.
struct OverChains<'a> {
    chains: &'a Chains,
    query: &'a RouteQuery<'a>,
    core: Terms<'a>,
    goals: [Exit; 2],
    walks: &'a [EdgeId],
    bound: Bound<'a>,
    free: Option<[&'a DistanceTree; 2]>,
}

/// How a route goes on from where a search was halted.
enum Rest<'a> {
    /// By the old route, which ends where this way to the goal does.
    Old(&'a [EdgeId], usize),
    /// By the crowd-free tree of this way to the goal.
    Free(usize),
}

impl OverChains<'_> {
    fn finish(&self, goal: &Exit, paid: f64) -> f64 {
        let RouteQuery { terms, horizon, .. } = self.query;
        let mut paid = paid;
        for &edge in &self.walks[goal.first..goal.end] {
            paid = horizon.pay(terms, paid, edge);
        }
        if goal.edge != NONE {
            paid = horizon.pay_part(terms, paid, goal.edge, f64::from(goal.share));
        }
        paid
    }

    /// Crowd-free cost from a junction and the way to the goal that has it.
    #[inline]
    fn free_left(&self, free: [&DistanceTree; 2], junction: NodeId) -> (f64, usize) {
        let way = |g: usize| f64::from(free[g].cost[junction as usize]) + self.goals[g].paid;
        let (a, b) = (way(0), way(1));
        if b < a { (b, 1) } else { (a, 0) }
    }

    fn rest(&self, junction: NodeId) -> Option<Rest<'_>> {
        if let Some(free) = self.free {
            return Some(Rest::Free(self.free_left(free, junction).1));
        }
        let (map, old) = (self.query.terms.map, self.query.old_tail);
        let at = old.iter().position(|&e| {
            let from = map.edge_from[e as usize];
            matches!(self.chains.nodes[from as usize], Knot::Junction(j) if j == junction)
        })?;
        // Where the old route ends tells by which way it comes to the goal.
        let end = map.edge_to[*old.last()? as usize];
        let goal = self.goals.iter().position(|goal| {
            goal.junction != NONE
                && match self.walks[goal.first..goal.end].last() {
                    Some(&edge) => map.edge_to[edge as usize] == end,
                    None => {
                        matches!(self.chains.nodes[end as usize], Knot::Junction(j) if j == goal.junction)
                    }
                }
        })?;
        Some(Rest::Old(&old[at..], goal))
    }
}

impl Problem for OverChains<'_> {
    #[inline(always)]
    fn pay(&self, paid: f64, chain: EdgeId) -> f64 {
        let Horizon { limit } = self.query.horizon;
        let full = self.core.cost(chain);
        if paid + full <= limit || !full.is_finite() {
            return paid + full;
        }
        if paid >= limit {
            return paid + self.core.base(chain);
        }
        let edges = self.chains.edges_of(chain).iter();
        edges.fold(paid, |paid, &edge| {
            self.query.horizon.pay(&self.query.terms, paid, edge)
        })
    }

    #[inline(always)]
    fn left(&self, junction: NodeId) -> f64 {
        match self.free {
            Some(free) => self.free_left(free, junction).0,
            None => self.bound.remaining(junction),
        }
    }

    #[inline(always)]
    fn arrive(&self, junction: NodeId, paid: f64) -> Option<(usize, f64)> {
        let mut best = None;
        for (g, goal) in self.goals.iter().enumerate() {
            if goal.junction == junction {
                let total = self.finish(goal, paid);
                if best.is_none_or(|(_, least)| total < least) {
                    best = Some((g, total));
                }
            }
        }
        best
    }

    #[inline(always)]
    fn halt(&self, junction: NodeId, paid: f64) -> Option<f64> {
        if !self.query.horizon.hides(paid) {
            return None;
        }
        if let Some(free) = self.free {
            return Some(paid + self.free_left(free, junction).0);
        }
        if self.query.old_tail.is_empty() {
            return None;
        }
        let Rest::Old(tail, goal) = self.rest(junction)? else {
            return None;
        };
        let terms = &self.query.terms;
        let paid = tail.iter().fold(paid, |paid, &e| paid + terms.base(e));
        let goal = &self.goals[goal];
        Some(if goal.edge == NONE {
            paid
        } else {
            paid + terms.base_of_part(goal.edge) * f64::from(goal.share)
        })
    }
}
