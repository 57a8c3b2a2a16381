//! The loop that every search for one route shares: A* over the rows of a map.

use throng_core::{EdgeId, NONE, NavMap, NoRoute, NodeId};

use super::{Label, heap::Entry, heap::Heap};

/// What a search asks while it runs.
pub(super) trait Problem {
    /// What has been paid at the end of an edge if `paid` was at its beginning.
    fn pay(&self, paid: f64, edge: EdgeId) -> f64;
    /// A lower bound of what is left from a node.
    fn left(&self, node: NodeId) -> f64;
    /// The way from a node to the goal, if one begins there: its index and what will have been
    /// paid at the goal.
    fn arrive(&self, node: NodeId, paid: f64) -> Option<(usize, f64)>;
    /// What will have been paid at the goal, if the search may end at this node because the rest
    /// of the way is known.
    fn halt(&self, node: NodeId, paid: f64) -> Option<f64>;
}

/// Where a search ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// At the beginning of this way to the goal.
    Arrived(usize),
    /// At a node from which the rest is known.
    Halted(NodeId),
    /// It never set out: what was known before is cheaper.
    Known,
}

/// What a search found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub cost: f64,
    pub end: End,
    pub expansions: u32,
}

/// How a search is bounded.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Factor on the heuristic.
    pub greed: f64,
    /// Most expansions; 0 for no limit.
    pub expansions: u32,
    /// The cost of a way that is known already; infinite for none.
    pub known: f64,
}

/// Searches from nodes with what was paid on the way there. Labels must be of generation `open`.
#[inline]
pub(super) fn expand<P: Problem>(
    map: &NavMap,
    problem: &P,
    starts: impl Iterator<Item = (NodeId, f64)>,
    limits: Limits,
    (labels, heap, open): (&mut [Label], &mut Heap, u32),
) -> Result<Found, NoRoute> {
    let closed = open + 1;
    for (node, paid) in starts {
        let label = &mut labels[node as usize];
        if paid.is_finite() && (label.stamp < open || paid < label.cost) {
            (label.cost, label.edge, label.stamp) = (paid, NONE, open);
            let left = problem.left(node);
            heap.push(Entry::new(paid + limits.greed * left, left as f32, node));
        }
    }
    let (mut best, mut end) = (limits.known, End::Known);
    let mut expansions = 0;
    while let Some(entry) = heap.pop() {
        if entry.key() >= best {
            break;
        }
        let node = entry.node();
        let label = &mut labels[node as usize];
        if label.stamp == closed {
            continue;
        }
        label.stamp = closed;
        let paid = label.cost;
        if let Some((way, total)) = problem.arrive(node, paid)
            && total < best
        {
            (best, end) = (total, End::Arrived(way));
        }
        if best <= entry.key() {
            break;
        }
        if let Some(total) = problem.halt(node, paid) {
            if total < best {
                (best, end) = (total, End::Halted(node));
            }
            break;
        }
        expansions += 1;
        if limits.expansions > 0 && expansions > limits.expansions {
            return Err(NoRoute::Limit);
        }
        for e in map.edges_of(node) {
            let to = map.edge_to[e];
            let label = &mut labels[to as usize];
            if label.stamp == closed {
                continue;
            }
            let through = problem.pay(paid, e as EdgeId);
            if through
                < if label.stamp == open {
                    label.cost
                } else {
                    f64::INFINITY
                }
            {
                (label.cost, label.edge, label.stamp) = (through, e as EdgeId, open);
                let left = problem.left(to);
                heap.push(Entry::new(through + limits.greed * left, left as f32, to));
            }
        }
    }
    if !best.is_finite() {
        return Err(NoRoute::Unconnected);
    }
    Ok(Found {
        cost: best,
        end,
        expansions,
    })
}
