//! Finding the paths of sets, many sets at once.

use glam::Vec3;
use rayon::prelude::*;
use throng_core::{Attachment, NavMap, NodeId};
use throng_kit::search::{GoalTree, Incoming, Terms, WayScratch, branches, distinct_ways};

use super::{Flows, Key, Path};
use crate::scenario::Replan;

/// Goals whose trees are held at once.
const GOALS: usize = 32;

/// People walk onto a path within their cell and this share of its side about it.
const MARGIN: f32 = 0.5;

/// A set that is wanted, and who begins it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Want {
    pub(super) key: Key,
    pub(super) ends: [Attachment; 2],
}

impl Flows {
    /// Finds the paths of sets, in the order of their keys. The same, however many threads look.
    pub(super) fn find(&mut self, map: &NavMap, policy: &Replan, wants: &[Want]) {
        let incoming = self.incoming.get_or_insert_with(|| Incoming::of(map));
        let doors = &self.doors;
        let goal = |want: &Want| (want.key.to, want.key.radius);
        let of_goals: Vec<&[Want]> = wants.chunk_by(|a, b| goal(a) == goal(b)).collect();
        let terms = |key: &Key| Terms::lengths(map, doors, key.radius as f32 / 100.0);
        let mut found: Vec<Vec<Path>> = Vec::with_capacity(wants.len());
        for goals in of_goals.chunks(GOALS) {
            let trees: Vec<GoalTree> = goals
                .par_iter()
                .map_init(WayScratch::default, |scratch, of_goal| {
                    let Want { key, ends } = &of_goal[0];
                    GoalTree::new(&terms(key), ends[1], incoming, scratch)
                })
                .collect();
            let of_trees: Vec<(&Want, &GoalTree)> = goals
                .iter()
                .zip(&trees)
                .flat_map(|(of_goal, tree)| of_goal.iter().map(move |want| (want, tree)))
                .collect();
            found.par_extend(of_trees.par_iter().map_init(
                WayScratch::default,
                |scratch, (want, tree)| {
                    paths(&terms(&want.key), policy, want, tree, incoming, scratch)
                },
            ));
        }
        for (want, paths) in wants.iter().zip(found) {
            let first = self.paths.len() as u32;
            let set: Vec<u32> = (first..first + paths.len() as u32).collect();
            let goal = self.to_goal.entry(goal(want)).or_default();
            goal.extend_from_slice(&set);
            self.paths.extend(paths);
            self.sets.entry(want.key).or_default().push(set);
            self.count += 1;
        }
    }
}

/// The paths of one set.
fn paths(
    terms: &Terms<'_>,
    policy: &Replan,
    want: &Want,
    goal: &GoalTree,
    incoming: &Incoming,
    scratch: &mut WayScratch,
) -> Vec<Path> {
    let (map, key) = (terms.map, &want.key);
    let (side, cell) = (
        key.side as f32,
        Vec3::from_array(key.cell.map(|c| c as f32)),
    );
    // Whether a node is in the set's cell, made larger by a share of its side all round.
    let about = |share: f32| {
        let (low, high) = ((cell - share) * side, (cell + 1.0 + share) * side);
        move |node: NodeId| {
            let at = map.node_place[node as usize].point;
            at.cmpge(low).all() && at.cmple(high).all()
        }
    };
    let (count, stretch) = (policy.alternatives, policy.stretch as f32);
    let ways = distinct_ways(terms, want.ends[0].node, goal, count, stretch, scratch);
    let paths = ways.into_iter().map(|way| {
        let area = way.edges.iter().map(|&e| {
            let region = map.node_region[map.edge_to[e as usize] as usize];
            map.region_area.get(region as usize).copied().unwrap_or(0.0)
        });
        Path {
            area: area.sum(),
            branches: branches(terms, &way, incoming, about(MARGIN), about(0.0), scratch),
            edges: way.edges,
            into: way.into,
            length: way.length,
            to: key.to,
            radius: key.radius,
        }
    });
    paths.collect()
}
