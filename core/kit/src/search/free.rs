//! Crowd-free ways between the junctions of a map, made when they are first asked for.

use std::sync::OnceLock;

use throng_core::{EdgePrices, NodeId};

use super::{Chains, DistanceTree, Incoming, SearchScratch, Terms, Toward, distance_tree};

/// A tree of crowd-free costs towards each junction that a goal hangs on.
///
/// Once a walker is beyond its horizon nothing but base prices count, so the tree of its goal
/// says exactly what is left and how to go on. A tree depends on the map, the base prices and
/// the chains that are wide enough, never on who asks first.
#[derive(Clone, Debug)]
pub struct FreeTrees {
    prices: EdgePrices,
    narrower: usize,
    radius: f32,
    trees: Vec<OnceLock<DistanceTree>>,
}

impl FreeTrees {
    /// No trees yet, for the chains' prices and a radius.
    pub fn new(chains: &Chains, prices: &EdgePrices, terms: &Terms<'_>) -> FreeTrees {
        FreeTrees {
            prices: EdgePrices {
                base: prices.base.clone(),
                crowd: vec![0.0; prices.base.len()],
            },
            narrower: chains.narrower(terms),
            radius: terms.radius(),
            trees: vec![OnceLock::new(); chains.core().nodes()],
        }
    }

    /// Whether they serve these prices and this radius.
    pub fn serves(&self, chains: &Chains, prices: &EdgePrices, terms: &Terms<'_>) -> bool {
        self.trees.len() == chains.core().nodes()
            && self.prices.base == prices.base
            && self.serves_radius(chains, terms)
    }

    /// Whether they serve this radius.
    pub fn serves_radius(&self, chains: &Chains, terms: &Terms<'_>) -> bool {
        terms.radius() == self.radius || chains.narrower(terms) == self.narrower
    }

    /// The tree towards a junction.
    pub(super) fn tree(&self, chains: &Chains, junction: NodeId) -> Option<&DistanceTree> {
        let tree = self.trees.get(junction as usize)?;
        Some(tree.get_or_init(|| {
            let terms = Terms::edges(chains.core(), &[], self.radius, &self.prices, 0.0, 0.0);
            let mut tree = DistanceTree::default();
            distance_tree(
                &terms,
                &[(junction, 0.0)],
                Toward::Sources,
                &Incoming::Twins,
                &mut SearchScratch::default(),
                &mut tree,
            );
            tree
        }))
    }

    /// Bytes that all trees of a map with so many junctions take.
    pub fn most_bytes(junctions: usize) -> usize {
        junctions * junctions * 8
    }
}
