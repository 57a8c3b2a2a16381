//! Searches over the graph of a navigation map.
//!
//! `terms` says which edges may be walked and what they cost, `heuristic` bounds what is left,
//! `route` is A* between two attachments, `horizon` how far it sees the crowd, `chains` the same
//! over junctions alone, `free` what is left where no crowd is seen, `tree` is Dijkstra from many
//! nodes, `ways` several distinct ways to one goal, `connectivity` answers at once whether there is
//! any way and how wide it is.

mod chains;
mod connectivity;
mod expand;
mod free;
mod heap;
mod heuristic;
mod horizon;
mod route;
mod terms;
mod tree;
mod ways;

pub use chains::Chains;
pub use connectivity::Connectivity;
pub use free::FreeTrees;
pub use heap::{Entry, Heap};
pub use heuristic::Heuristic;
pub use horizon::Horizon;
pub use route::{FoundRoute, RouteQuery, find_route};
pub use terms::Terms;
pub use tree::{DistanceTree, Incoming, Toward, distance_tree};
pub use ways::{Branch, GoalTree, Way, WayScratch, branches, distinct_ways, ways_onto};

use throng_core::{EdgeId, NONE};

/// Memory of searches that is kept from one to the next: nothing is allocated once it is warm.
#[derive(Debug, Default)]
pub struct SearchScratch {
    labels: Vec<Label>,
    generation: u32,
    heap: Heap,
    route: Vec<EdgeId>,
    chains: chains::ChainScratch,
}

/// What a search knows of a node. It holds only if `stamp` is of this search's generation: the
/// generation itself for an open node, one more for a closed one.
#[derive(Clone, Copy, Debug)]
struct Label {
    cost: f64,
    edge: EdgeId,
    stamp: u32,
}

impl SearchScratch {
    /// The edges of the route found last, in order.
    pub fn route(&self) -> &[EdgeId] {
        &self.route
    }

    /// Makes all labels of a map with so many nodes unknown.
    fn begin(&mut self, nodes: usize) {
        let unknown = Label {
            cost: f64::INFINITY,
            edge: NONE,
            stamp: 0,
        };
        if self.generation > u32::MAX - 4 {
            self.labels.fill(unknown);
            self.generation = 0;
        }
        self.generation += 2;
        if self.labels.len() < nodes {
            self.labels.resize(nodes, unknown);
        }
        self.heap.clear();
        self.route.clear();
    }
}
