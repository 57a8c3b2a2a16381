//! Several distinct ways from one node to a goal, and how places about a way get onto it.
//!
//! The first way is the shortest. The others are found by searching again and again with
//! everything about those found made dearer; a way that is too long or runs mostly beside another
//! is left out. What is left to the goal is known from one tree without the crowd, which guides
//! every search: only what could be part of a way hardly longer than the best is looked at.

use throng_core::{Attachment, EdgeId, NONE, NavMap, NodeId};

use super::{
    DistanceTree, Incoming, SearchScratch, Terms, Toward, distance_tree,
    expand::{Limits, Problem, expand},
    heap::Entry,
    route::Stub,
};

/// Factor on the length of edges about a way that is known already.
const DEARER: f64 = 1.4;
/// A way is too much like another if more than this of its length runs about it.
const ALIKE: f32 = 0.7;
/// Nodes within this walk of a way, and those next to it, are about it, metres.
const ABOUT: f32 = 5.0;
/// Searches per way asked for.
const TRIES: u32 = 4;
/// Most searches: each has a bit of a word.
const MOST_TRIES: u32 = 64;

/// One way to a goal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// The node that it begins at.
    pub from: NodeId,
    /// Its edges in order.
    pub edges: Vec<EdgeId>,
    /// The edge that the goal hangs on, in the direction in which it is entered, or [`NONE`].
    pub into: EdgeId,
    /// Metres from its node to the goal.
    pub length: f32,
}

/// How a node about a way gets onto it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Branch {
    /// The node.
    pub node: NodeId,
    /// The edge by which to leave it, or [`NONE`] on the way itself.
    pub edge: EdgeId,
    /// Metres from the node to the goal, by this branch and the way.
    pub left: f32,
}

/// The shortest ways from every node to a goal.
#[derive(Clone, Debug, Default)]
pub struct GoalTree {
    ends: [End; 2],
    tree: DistanceTree,
}

/// The last piece of a way to a goal: nothing, or a part of the edge that it hangs on.
#[derive(Clone, Copy, Debug)]
struct End {
    node: NodeId,
    edge: EdgeId,
    length: f32,
}

impl Default for End {
    fn default() -> End {
        End {
            node: NONE,
            edge: NONE,
            length: f32::INFINITY,
        }
    }
}

impl GoalTree {
    /// The tree of the place that an attachment says, a metre costing 1.
    pub fn new(
        terms: &Terms<'_>,
        to: Attachment,
        incoming: &Incoming,
        scratch: &mut WayScratch,
    ) -> GoalTree {
        let mut out = GoalTree::default();
        if to.node == NONE {
            return out;
        }
        let stubs = Stub::both(terms, to, true);
        for (end, stub) in out.ends.iter_mut().zip(&stubs) {
            if stub.node != NONE {
                *end = End {
                    node: stub.node,
                    edge: stub.edge,
                    length: stub.length as f32,
                };
            }
        }
        let sources = out.ends.map(|end| (end.node, end.length));
        let search = &mut scratch.search;
        distance_tree(
            terms,
            &sources,
            Toward::Sources,
            incoming,
            search,
            &mut out.tree,
        );
        out
    }

    /// Metres from a node to the goal; infinite if there is no way.
    pub fn left(&self, node: NodeId) -> f32 {
        let cost = self.tree.cost.get(node as usize);
        cost.copied().unwrap_or(f32::INFINITY)
    }

    /// The shortest way from a node to the goal, if there is one.
    pub fn shortest(&self, map: &NavMap, from: NodeId) -> Option<Way> {
        let (mut edges, mut node) = (Vec::new(), from);
        while let Some(&edge) = self.tree.edge.get(node as usize).filter(|e| **e != NONE) {
            edges.push(edge);
            node = map.edge_to[edge as usize];
        }
        let (_, end) = self.end_at(node)?;
        Some(Way {
            from,
            edges,
            into: end.edge,
            length: self.left(from),
        })
    }

    /// The last piece from a node where a way may end.
    fn end_at(&self, node: NodeId) -> Option<(usize, &End)> {
        let ends = self.ends.iter().enumerate();
        ends.filter(|(_, end)| end.node == node)
            .min_by(|a, b| a.1.length.total_cmp(&b.1.length))
    }
}

/// The ways from a place onto the map: the node, the edge of which a part is walked ([`NONE`] if
/// it hangs on the node), and the metres to the node.
pub fn ways_onto(terms: &Terms<'_>, at: Attachment) -> impl Iterator<Item = (NodeId, EdgeId, f32)> {
    let stubs = Stub::both(terms, at, false).into_iter();
    stubs
        .filter(|stub| stub.node != NONE)
        .map(|stub| (stub.node, stub.edge, stub.length as f32))
}

/// Memory of searches for ways, kept from one to the next.
#[derive(Debug, Default)]
pub struct WayScratch {
    search: SearchScratch,
    /// A bit for every search whose route a node is about.
    near: Vec<u64>,
    near_nodes: Vec<NodeId>,
    /// Walk from the route that is looked at.
    walk: Vec<f32>,
    walked: Vec<NodeId>,
    rest: Vec<NodeId>,
    kept: Vec<NodeId>,
}

impl WayScratch {
    /// Marks the nodes of a route and those about it with a bit.
    fn mark(&mut self, map: &NavMap, route: &[EdgeId], bit: u32) {
        self.walk.resize(map.nodes(), f32::INFINITY);
        self.near.resize(map.nodes(), 0);
        for &e in route {
            for node in [map.edge_from[e as usize], map.edge_to[e as usize]] {
                if self.walk[node as usize] != 0.0 {
                    self.walk[node as usize] = 0.0;
                    self.walked.push(node);
                    self.rest.push(node);
                }
            }
        }
        while let Some(node) = self.rest.pop() {
            let so_far = self.walk[node as usize];
            for e in map.edges_of(node) {
                let (to, there) = (map.edge_to[e], so_far + map.edge_length[e]);
                // Next to the way, however far.
                let there = if so_far == 0.0 {
                    there.min(ABOUT)
                } else {
                    there
                };
                if there <= ABOUT && there < self.walk[to as usize] {
                    self.walk[to as usize] = there;
                    self.walked.push(to);
                    self.rest.push(to);
                }
            }
        }
        for node in self.walked.drain(..) {
            if self.near[node as usize] == 0 {
                self.near_nodes.push(node);
            }
            self.near[node as usize] |= 1 << bit;
            self.walk[node as usize] = f32::INFINITY;
        }
    }

    /// Forgets all marks.
    fn unmark(&mut self) {
        for node in self.near_nodes.drain(..) {
            self.near[node as usize] = 0;
        }
    }
}

/// A search in which what is about earlier routes is dearer.
struct Elsewhere<'a> {
    terms: &'a Terms<'a>,
    goal: &'a GoalTree,
    near: &'a [u64],
    dearer: &'a [f64],
}

impl Problem for Elsewhere<'_> {
    #[inline(always)]
    fn pay(&self, paid: f64, edge: EdgeId) -> f64 {
        let near = |node: NodeId| self.near[node as usize];
        let map = self.terms.map;
        let known = near(map.edge_from[edge as usize]) & near(map.edge_to[edge as usize]);
        paid + self.terms.cost(edge) * self.dearer[known.count_ones() as usize]
    }

    #[inline(always)]
    fn left(&self, node: NodeId) -> f64 {
        f64::from(self.goal.tree.cost[node as usize])
    }

    #[inline(always)]
    fn arrive(&self, node: NodeId, paid: f64) -> Option<(usize, f64)> {
        let (which, end) = self.goal.end_at(node)?;
        Some((which, paid + f64::from(end.length)))
    }

    #[inline(always)]
    fn halt(&self, _: NodeId, _: f64) -> Option<f64> {
        None
    }
}

/// Finds up to `count` distinct ways from a node to a goal, none longer than `stretch` times the
/// shortest, which is the first. None if there is no way at all.
///
/// `terms` must be of lengths, as the goal's tree. The answer depends on nothing else.
pub fn distinct_ways(
    terms: &Terms<'_>,
    from: NodeId,
    goal: &GoalTree,
    count: u32,
    stretch: f32,
    scratch: &mut WayScratch,
) -> Vec<Way> {
    let map = terms.map;
    let mut found: Vec<Way> = Vec::new();
    let shortest = goal.left(from);
    if !shortest.is_finite() || count == 0 {
        return found;
    }
    let mut bits: u64 = 0;
    let mut dearer = [1.0; MOST_TRIES as usize + 1];
    for i in 1..dearer.len() {
        dearer[i] = dearer[i - 1] * DEARER;
    }
    for bit in 0..(TRIES * count).min(MOST_TRIES) {
        let route = if bit == 0 {
            goal.shortest(map, from)
        } else {
            let mut search = std::mem::take(&mut scratch.search);
            let route = search_elsewhere(terms, goal, from, &scratch.near, &dearer, &mut search);
            scratch.search = search;
            route
        };
        let Some(way) = route else {
            break;
        };
        let beside = |e: &&EdgeId| scratch.near[map.edge_to[**e as usize] as usize] & bits;
        let alike = bit > 0 && {
            let mut shared = [0.0f32; MOST_TRIES as usize];
            for e in &way.edges {
                let mut of = beside(&e);
                while of != 0 {
                    shared[of.trailing_zeros() as usize] += map.edge_length[*e as usize];
                    of &= of - 1;
                }
            }
            shared.iter().any(|&s| s > ALIKE * way.length)
        };
        scratch.mark(map, &way.edges, bit);
        if alike || way.length > shortest * stretch + 1e-3 {
            continue;
        }
        bits |= 1 << bit;
        found.push(way);
        if found.len() as u32 >= count {
            break;
        }
    }
    scratch.unmark();
    found
}

fn search_elsewhere(
    terms: &Terms<'_>,
    goal: &GoalTree,
    from: NodeId,
    near: &[u64],
    dearer: &[f64],
    search: &mut SearchScratch,
) -> Option<Way> {
    let map = terms.map;
    search.begin(map.nodes());
    let open = search.generation;
    let problem = Elsewhere {
        terms,
        goal,
        near,
        dearer,
    };
    let limits = Limits {
        greed: 1.0,
        expansions: 0,
        known: f64::INFINITY,
    };
    let (labels, heap) = (search.labels.as_mut_slice(), &mut search.heap);
    let start = std::iter::once((from, 0.0));
    let found = expand(map, &problem, start, limits, (&mut *labels, heap, open)).ok()?;
    let super::expand::End::Arrived(which) = found.end else {
        return None;
    };
    let end = &goal.ends[which];
    let (mut edges, mut node) = (Vec::new(), end.node);
    while labels[node as usize].edge != NONE {
        let edge = labels[node as usize].edge;
        edges.push(edge);
        node = map.edge_from[edge as usize];
    }
    edges.reverse();
    let length: f32 = edges.iter().map(|&e| map.edge_length[e as usize]).sum();
    Some(Way {
        from,
        into: end.edge,
        length: length + end.length,
        edges,
    })
}

/// How the nodes about a way get onto it: for every node that `wanted` says, and those in
/// between, the shortest walk over nodes that `within` says, to the place of the way from which
/// the least is left. Ascending by node.
pub fn branches(
    terms: &Terms<'_>,
    way: &Way,
    incoming: &Incoming,
    within: impl Fn(NodeId) -> bool,
    wanted: impl Fn(NodeId) -> bool,
    scratch: &mut WayScratch,
) -> Vec<Branch> {
    let map = terms.map;
    let WayScratch { search, kept, .. } = scratch;
    search.begin(map.nodes());
    let open = search.generation;
    let closed = open + 1;
    let (labels, heap) = (search.labels.as_mut_slice(), &mut search.heap);
    kept.clear();
    let mut left = f64::from(way.length);
    let mut on_way = |node: NodeId, left: f64| {
        let label = &mut labels[node as usize];
        if within(node) && label.stamp != closed {
            // Closed from the beginning: who is on the way stays on it.
            (label.cost, label.edge, label.stamp) = (left, NONE, closed);
            heap.push(Entry::new(left, 0.0, node));
            kept.push(node);
        }
    };
    on_way(way.from, left);
    for &e in &way.edges {
        left = (left - f64::from(map.edge_length[e as usize])).max(0.0);
        on_way(map.edge_to[e as usize], left);
    }
    while let Some(entry) = heap.pop() {
        let node = entry.node();
        let label = &mut labels[node as usize];
        if label.stamp == closed && label.edge != NONE {
            continue;
        }
        label.stamp = closed;
        let cost = label.cost;
        let mut relax = |edge: EdgeId, other: NodeId| {
            let label = &mut labels[other as usize];
            if label.stamp == closed || !within(other) {
                return;
            }
            let through = cost + terms.cost(edge);
            let known = if label.stamp == open {
                label.cost
            } else {
                f64::INFINITY
            };
            if through < known {
                if label.stamp != open {
                    kept.push(other);
                }
                (label.cost, label.edge, label.stamp) = (through, edge, open);
                heap.push(Entry::new(through, 0.0, other));
            }
        };
        match incoming {
            Incoming::Twins => {
                for e in map.edges_of(node) {
                    relax(map.edge_twin[e], map.edge_to[e]);
                }
            }
            Incoming::Rows { start, edge } => {
                let n = node as usize;
                for &e in &edge[start[n] as usize..start[n + 1] as usize] {
                    relax(e, map.edge_from[e as usize]);
                }
            }
        }
    }
    // Those between the wanted ones and the way are needed too; a listed label opens again.
    let mut out = Vec::new();
    for &first in kept.iter().filter(|node| wanted(**node)) {
        let mut node = first;
        loop {
            let label = &mut labels[node as usize];
            if label.stamp != closed {
                break;
            }
            label.stamp = open;
            out.push(Branch {
                node,
                edge: label.edge,
                left: label.cost as f32,
            });
            if label.edge == NONE {
                break;
            }
            node = map.edge_to[label.edge as usize];
        }
    }
    out.sort_unstable_by_key(|branch| branch.node);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::route::tests::lattice;

    fn on(node: NodeId) -> Attachment {
        Attachment {
            node,
            distance: 0.0,
            ..Attachment::NOWHERE
        }
    }

    /// A block of 21 x 15 cells in the middle of 41 x 31: two ways round it.
    fn round_a_block() -> NavMap {
        lattice(41, 31, |x, y| {
            !((10..31).contains(&x) && (8..23).contains(&y))
        })
    }

    fn node_at(map: &NavMap, x: f32, y: f32) -> NodeId {
        let at = |p: &throng_core::Location| (p.point.x, p.point.y) == (x, y);
        map.node_place.iter().position(at).unwrap() as NodeId
    }

    #[test]
    fn ways_are_distinct_and_the_first_is_the_shortest() {
        let map = round_a_block();
        let terms = Terms::lengths(&map, &[], 0.0);
        let incoming = Incoming::of(&map);
        let mut scratch = WayScratch::default();
        let (from, to) = (node_at(&map, 2.0, 14.0), node_at(&map, 38.0, 14.0));
        let goal = GoalTree::new(&terms, on(to), &incoming, &mut scratch);
        let ways = distinct_ways(&terms, from, &goal, 2, 1.5, &mut scratch);
        assert_eq!(ways.len(), 2);
        assert_eq!(ways[0].length, goal.left(from));
        let side = |way: &Way| {
            let middle = way.edges.iter().map(|&e| map.edge_to[e as usize]);
            let place = |n: NodeId| map.node_place[n as usize].point;
            let at = middle.map(place).find(|p| p.x == 20.0).unwrap();
            at.y > 14.0
        };
        assert_ne!(side(&ways[0]), side(&ways[1]));
        for way in &ways {
            let mut node = way.from;
            for &e in &way.edges {
                assert_eq!(map.edge_from[e as usize], node);
                node = map.edge_to[e as usize];
            }
            assert_eq!(node, to);
            let length: f32 = way.edges.iter().map(|&e| map.edge_length[e as usize]).sum();
            assert!((length - way.length).abs() < 1e-3);
        }
        // What the scratch was used for before does not matter, and too long is left out.
        let again = distinct_ways(&terms, from, &goal, 2, 1.5, &mut scratch);
        assert_eq!(ways, again);
        let short = (ways[1].length / ways[0].length).next_down() - 1e-3;
        if short > 1.0 {
            assert_eq!(
                distinct_ways(&terms, from, &goal, 2, short, &mut scratch).len(),
                1
            );
        }
    }

    #[test]
    fn branches_lead_everybody_about_onto_the_way() {
        let map = round_a_block();
        let terms = Terms::lengths(&map, &[], 0.0);
        let incoming = Incoming::of(&map);
        let mut scratch = WayScratch::default();
        let (from, to) = (node_at(&map, 2.0, 14.0), node_at(&map, 38.0, 14.0));
        let goal = GoalTree::new(&terms, on(to), &incoming, &mut scratch);
        let ways = distinct_ways(&terms, from, &goal, 2, 1.5, &mut scratch);
        let place = |n: NodeId| map.node_place[n as usize].point;
        let within = |n: NodeId| place(n).x < 10.0;
        let wanted = |n: NodeId| place(n).x < 6.0;
        for way in &ways {
            let found = branches(&terms, way, &incoming, within, wanted, &mut scratch);
            assert!(found.windows(2).all(|two| two[0].node < two[1].node));
            let at = |n: NodeId| found.binary_search_by_key(&n, |b| b.node).map(|i| found[i]);
            let wanted_nodes = (0..map.nodes() as NodeId).filter(|n| wanted(*n));
            for first in wanted_nodes {
                let (mut node, mut length) = (first, 0.0f32);
                let left = at(first).unwrap().left;
                assert!(left >= goal.left(first) - 1e-3);
                loop {
                    let branch = at(node).unwrap();
                    if branch.edge == NONE {
                        length += branch.left;
                        break;
                    }
                    length += map.edge_length[branch.edge as usize];
                    node = map.edge_to[branch.edge as usize];
                }
                assert!((length - left).abs() < 1e-3, "{first}: {length} {left}");
            }
        }
    }

    #[test]
    fn no_way_gives_none() {
        let map = lattice(9, 3, |x, _| x != 4);
        let terms = Terms::lengths(&map, &[], 0.0);
        let incoming = Incoming::of(&map);
        let mut scratch = WayScratch::default();
        let goal = GoalTree::new(&terms, on(node_at(&map, 8.0, 1.0)), &incoming, &mut scratch);
        let from = node_at(&map, 0.0, 1.0);
        assert_eq!(goal.left(from), f32::INFINITY);
        assert!(distinct_ways(&terms, from, &goal, 3, 2.0, &mut scratch).is_empty());
        let nowhere = GoalTree::new(&terms, Attachment::NOWHERE, &incoming, &mut scratch);
        assert!(distinct_ways(&terms, from, &nowhere, 3, 2.0, &mut scratch).is_empty());
    }
}
