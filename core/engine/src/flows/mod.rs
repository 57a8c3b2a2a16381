//! Route sets: several distinct ways from here to there, of which each agent takes the quickest.
//!
//! Navigation flows in the sense of Pettre et al. 2007 and Yersin et al. 2008: between two parts
//! of the map a set of varied paths, not the shortest alone. Who sets off looks at all of them
//! and takes the one of least expected travel time, crowding and those already sent along
//! counted, so that people spread. Who leaves the reach of a guide at a vertex that is not on its
//! path takes another path of the set through it.
//!
//! A set serves everybody who sets off from one part of the map to one goal: parts are cells that
//! are the larger the farther the goal, and everybody there knows the shortest walk onto each path
//! of the set. So a town full of people has a few hundred sets for each goal, found in parallel.

mod find;
mod saved;

use std::collections::{BTreeMap, BTreeSet};

use throng_core::{Attachment, EdgeId, GroundView, NONE, NavMap, NodeId, RouteSink};
use throng_kit::search::{Branch, GoalTree, Incoming, Terms, WayScratch, ways_onto};

use crate::{scenario::Replan, state::State};

/// Most sets; beyond them everybody plans alone.
const MOST_SETS: usize = 1 << 16;
/// Most sets of one cell, where walls part it; who none of them serves plans alone.
const MOST_PARTS: usize = 4;
/// Least side of the cells that people set off from together, metres.
const LEAST_CELL: f32 = 4.0;
/// Sides of cells are at most this share of the way to the goal.
const CELL_SHARE: f32 = 0.25;
/// Steps between two counts of who is on which path; in between those sent are added.
const COUNT_EVERY: u64 = 16;

/// Metres by which a way that leads on may be longer than the shortest.
const DETOUR: f32 = 1.5;
/// Most trees of goals that are kept.
const MOST_TREES: usize = 32;

/// Where a set begins and ends on the map, and for which bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    to: u32,
    /// Radius in hundredths of a metre, rounded up.
    radius: u32,
    /// Side of the cell that the set begins in, metres: a power of two.
    side: u32,
    cell: [i32; 3],
}

/// One way of a set, and how people about its beginning get onto it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Path {
    edges: Vec<EdgeId>,
    into: EdgeId,
    length: f32,
    /// Area of the regions that it passes, square metres.
    area: f32,
    to: u32,
    radius: u32,
    branches: Vec<Branch>,
}

impl Path {
    fn branch(&self, node: NodeId) -> Option<&Branch> {
        let at = self.branches.binary_search_by_key(&node, |b| b.node).ok()?;
        Some(&self.branches[at])
    }
}

/// What a path takes at a step, in a form that a person's weight and the path's load complete.
#[derive(Clone, Debug, Default)]
struct Priced {
    /// The step, counted from 1; 0 for never.
    step: u64,
    table: usize,
    base: f32,
    crowd: f32,
    /// Metres at each density of persons, densest first; empty where prices know of the crowd.
    dense: Vec<(f32, f32)>,
}

impl Priced {
    fn cost(&self, weight: f32, expected: f32) -> f32 {
        let more = self.dense.iter().take_while(|(d, _)| *d > expected);
        let more: f32 = more.map(|(d, metres)| (d - expected) * metres).sum();
        let metres = if self.dense.is_empty() {
            0.0
        } else {
            self.base
        };
        self.base + weight * (self.crowd + metres * expected + more)
    }
}

/// A path that somebody takes, and how it gets there.
struct Choice {
    cost: f32,
    path: u32,
    /// Metres to the goal.
    metres: f32,
    /// The node by which it comes onto the map, and the edge that leads there.
    node: NodeId,
    edge: EdgeId,
}

/// Who wants a path: where it and its goal hang on the map, and its radius.
#[derive(Clone, Copy, Debug)]
pub struct Ask {
    /// Where it and its goal hang.
    pub ends: [Attachment; 2],
    /// Its radius.
    pub radius: f32,
}

impl Ask {
    fn radius(&self) -> u32 {
        (self.radius * 100.0).ceil() as u32
    }

    fn key(&self, map: &NavMap) -> Option<Key> {
        let [from, to] = self.ends.map(|end| end.node);
        let place = |node: NodeId| Some(map.node_place.get(node as usize)?.point);
        let (from, goal) = (place(from)?, place(to)?);
        // A way along one edge is no matter for a set.
        let [a, b] = self.ends.map(|end| end.edge);
        if a != NONE && (a == b || map.edge_twin[a as usize] == b) {
            return None;
        }
        let mut side = LEAST_CELL;
        while side * 2.0 <= from.distance(goal) * CELL_SHARE {
            side *= 2.0;
        }
        Some(Key {
            to: hangs_on(&self.ends[1]),
            radius: self.radius(),
            side: side as u32,
            cell: (from / side).floor().to_array().map(|c| c as i32),
        })
    }
}

/// All route sets made so far.
#[derive(Debug, Default)]
pub struct Flows {
    /// The sets of a cell: more than one where walls part it.
    sets: BTreeMap<Key, Vec<Vec<u32>>>,
    count: usize,
    /// Who was the first to ask for a set plans alone: many never have a second.
    asked: BTreeSet<Key>,
    paths: Vec<Path>,
    /// Paths by goal and radius.
    to_goal: BTreeMap<(u32, u32), Vec<u32>>,
    /// Agents on each path now.
    loads: Vec<u32>,
    /// The step of the last count of them.
    counted: u64,
    priced: Vec<Priced>,
    revision: u32,
    doors: Vec<u8>,
    /// Of the map of this revision.
    incoming: Option<Incoming>,
    /// Trees of the goals, by goal and radius, that were wanted last.
    trees: Vec<((u32, u32), GoalTree)>,
    scratch: WayScratch,
    /// Who asks for a set that is not there.
    open: Vec<(Key, u32)>,
}

/// Where a place hangs, as one number: an edge, or a node.
fn hangs_on(at: &Attachment) -> u32 {
    if at.edge != NONE {
        at.edge << 1 | 1
    } else {
        at.node << 1
    }
}

/// What a way would take now, by the crowd on it or by the prices where they know of crowds.
pub struct Look<'a> {
    /// The ground.
    pub ground: GroundView<'a>,
    /// The crowd and its prices.
    pub state: &'a State,
    /// Index of the prices that count.
    pub table: usize,
    /// Weight of the crowd.
    pub weight: f32,
}

impl Look<'_> {
    fn price(&self, edges: &[EdgeId], out: &mut Priced) {
        let (state, map) = (self.state, &self.state.map);
        out.step = state.step + 1;
        out.table = self.table;
        out.dense.clear();
        (out.base, out.crowd) = (0.0, 0.0);
        let prices = state.pricing.prices.get(self.table);
        if let (Some(false), Some(table)) = (
            prices.map(|p| p.uniform.is_some()),
            state.pricing.edges.get(self.table),
        ) {
            for &e in edges {
                out.base += table.base[e as usize];
                out.crowd += table.crowd[e as usize];
            }
            return;
        }
        let crowd = state.crowd.view();
        for &e in edges {
            let node = map.edge_to[e as usize] as usize;
            let cell = match map.node_region[node] {
                NONE => NONE,
                region => {
                    let at = map.node_place[node];
                    state.cells.cell_in(&self.ground, region, at)
                }
            };
            let density = if (cell as usize) < crowd.cells() {
                crowd.persons_per_area(cell)
            } else {
                0.0
            };
            out.base += map.edge_length[e as usize];
            out.dense.push((density, map.edge_length[e as usize]));
        }
        out.dense
            .sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    }
}

impl Flows {
    /// Forgets everything if the map or a door has changed.
    pub fn refresh(&mut self, map: &NavMap, doors: &[u8]) {
        if self.revision != map.revision || self.doors != doors {
            self.sets.clear();
            self.count = 0;
            self.asked.clear();
            self.paths.clear();
            self.to_goal.clear();
            self.loads.clear();
            self.incoming = None;
            self.trees.clear();
            self.revision = map.revision;
            self.doors.clear();
            self.doors.extend_from_slice(doors);
        }
        // What was priced belongs to a path, and paths may be others now.
        self.priced.truncate(self.paths.len());
    }

    /// Counts who is on which path now, if that was not done lately.
    pub fn count(&mut self, state: &State) {
        if state.step < self.counted + COUNT_EVERY && self.loads.len() == self.paths.len() {
            return;
        }
        self.counted = state.step;
        self.loads.clear();
        self.loads.resize(self.paths.len(), 0);
        for track in &state.agents.track {
            if let Some(load) = self.loads.get_mut(track.flow as usize) {
                *load += 1;
            }
        }
    }

    /// How many paths of each set are known, for reports.
    pub fn sizes(&self) -> impl Iterator<Item = usize> {
        self.sets.values().flatten().map(Vec::len)
    }

    /// Agents on each path, for reports.
    pub fn loads(&self) -> &[u32] {
        &self.loads
    }

    /// The set of a cell that serves a node.
    fn serving(&self, key: &Key, node: NodeId) -> Option<&[u32]> {
        let serves = |set: &&Vec<u32>| {
            let first = set.first().map(|p| &self.paths[*p as usize]);
            first.is_some_and(|path| path.branch(node).is_some())
        };
        self.sets.get(key)?.iter().find(serves).map(Vec::as_slice)
    }

    /// Finds the sets that some people ask for and that are not there. The first who asks for a
    /// set gets none, unless somebody else asks in the same step.
    pub fn prepare(&mut self, map: &NavMap, policy: &Replan, asks: &[Ask]) {
        let mut open = std::mem::take(&mut self.open);
        open.clear();
        for (i, ask) in asks.iter().enumerate() {
            if let Some(key) = ask.key(map)
                && self.serving(&key, ask.ends[0].node).is_none()
            {
                open.push((key, i as u32));
            }
        }
        open.sort_unstable();
        let mut kept = 0;
        for first in 0..open.len() {
            let (key, _) = open[first];
            if first > 0 && open[first - 1].0 == key {
                continue;
            }
            let same = open[first..].iter().take_while(|o| o.0 == key).count();
            let known = !self.asked.insert(key);
            if known || same > 1 {
                open.copy_within(first..first + same, kept);
                kept += same;
            }
        }
        open.truncate(kept);
        let mut wants = Vec::new();
        for _ in 0..MOST_PARTS {
            wants.clear();
            for &(key, i) in &open {
                let parts = self.sets.get(&key).map_or(0, Vec::len);
                let again = wants.last().is_some_and(|w: &find::Want| w.key == key);
                let room = MOST_SETS.saturating_sub(self.count);
                if !again && parts < MOST_PARTS && wants.len() < room {
                    wants.push(find::Want {
                        key,
                        ends: asks[i as usize].ends,
                    });
                }
            }
            if wants.is_empty() {
                break;
            }
            self.find(map, policy, &wants);
            open.retain(|(key, i)| {
                let node = asks[*i as usize].ends[0].node;
                self.serving(key, node).is_none()
            });
        }
        self.open = open;
    }

    /// The quickest path of the set that serves somebody.
    fn quickest(&self, look: &Look<'_>, ask: &Ask, priced: &mut [Priced]) -> Option<Choice> {
        let map = &look.state.map;
        let terms = Terms::lengths(map, &self.doors, ask.radius);
        let mut best: Option<Choice> = None;
        for &p in self.serving(&ask.key(map)?, ask.ends[0].node)? {
            let path = &self.paths[p as usize];
            let onto = ways_onto(&terms, ask.ends[0]).filter_map(|(node, edge, metres)| {
                Some((metres + path.branch(node)?.left, node, edge))
            });
            let Some((metres, node, edge)) = onto.min_by(|a, b| a.0.total_cmp(&b.0)) else {
                continue;
            };
            let priced = &mut priced[p as usize];
            if priced.step != look.state.step + 1 || priced.table != look.table {
                look.price(&path.edges, priced);
            }
            let load = self.loads.get(p as usize).copied().unwrap_or(0);
            let expected = load as f32 / path.area.max(1.0);
            // The walk onto it and what is left out of it at the crowd's price of none.
            let per_metre = priced.base / path.length.max(1.0);
            let cost = priced.cost(look.weight, expected) + (metres - path.length) * per_metre;
            if best.as_ref().is_none_or(|b| cost < b.cost) {
                best = Some(Choice {
                    cost,
                    path: p,
                    metres,
                    node,
                    edge,
                });
            }
        }
        best
    }

    /// The quickest path of the set that serves somebody, written to `sink`; gives its index.
    /// Nothing if there is none: the planner is asked then.
    pub fn choose(&mut self, look: &Look<'_>, ask: &Ask, sink: &mut RouteSink) -> Option<u32> {
        let map = &look.state.map;
        let mut priced = std::mem::take(&mut self.priced);
        priced.resize_with(self.paths.len(), Priced::default);
        let best = self.quickest(look, ask, &mut priced);
        self.priced = priced;
        let Choice {
            cost,
            path: p,
            metres,
            mut node,
            edge,
        } = best?;
        let path = &self.paths[p as usize];
        sink.clear();
        let first = std::iter::once(edge).filter(|e| *e != NONE);
        let onto = std::iter::from_fn(|| {
            let edge = path.branch(node)?.edge;
            (edge != NONE).then(|| {
                node = map.edge_to[edge as usize];
                edge
            })
        });
        let onto = onto.take(path.branches.len());
        sink.push_edges_into(first.chain(onto), path.into, metres, cost);
        let begins = |e: &EdgeId| map.edge_from[*e as usize] == node;
        let rest = path.edges.iter().position(begins);
        let rest = rest.map_or(&[][..], |first| &path.edges[first..]);
        sink.edges.extend_from_slice(rest);
        if let Some(row) = sink.rows.last_mut() {
            row.count += rest.len() as u32;
        }
        self.sent(p);
        Some(p)
    }

    /// A path through a node to where somebody goes: the quickest of those known, from there on.
    pub fn through(
        &mut self,
        look: &Look<'_>,
        ask: &Ask,
        mut onward: impl FnMut(&[u32]) -> bool,
        sink: &mut RouteSink,
    ) -> Option<u32> {
        let (node, to) = (ask.ends[0].node, hangs_on(&ask.ends[1]));
        let map = &look.state.map;
        let mut best: Option<(f32, u32, usize)> = None;
        let mut priced = Priced::default();
        for &p in self.to_goal.get(&(to, ask.radius()))? {
            let path = &self.paths[p as usize];
            let begins = |e: &u32| map.edge_from[*e as usize] == node;
            if let Some(first) = path.edges.iter().position(begins)
                && onward(&path.edges[first..])
            {
                let load = self.loads.get(p as usize).copied().unwrap_or(0);
                look.price(&path.edges[first..], &mut priced);
                let cost = priced.cost(look.weight, load as f32 / path.area.max(1.0));
                if best.is_none_or(|b| cost < b.0) {
                    best = Some((cost, p, first));
                }
            }
        }
        let (cost, p, first) = best?;
        let path = &self.paths[p as usize];
        let rest = &path.edges[first..];
        let walked = path.edges[..first].iter();
        let walked: f32 = walked.map(|&e| map.edge_length[e as usize]).sum();
        sink.clear();
        sink.push_edges_into(rest.iter().copied(), path.into, path.length - walked, cost);
        self.sent(p);
        Some(p)
    }

    /// Longest way that somebody who was led takes for the sake of going on, metres: hardly longer
    /// than the shortest from where it is.
    pub fn longest_onward(&mut self, map: &NavMap, ask: &Ask) -> f32 {
        if ask.ends.iter().any(|end| end.node == NONE) {
            return 0.0;
        }
        self.grow_tree(map, ask);
        let terms = Terms::lengths(map, &self.doors, ask.radius);
        let onto = ways_onto(&terms, ask.ends[0]);
        let left = |node: NodeId| self.trees.last().map_or(0.0, |(_, tree)| tree.left(node));
        let metres = onto.map(|(node, _, metres)| metres + left(node));
        metres.fold(f32::INFINITY, f32::min) + DETOUR
    }

    /// The shortest way from a node over an edge that leads somebody on, where no path of a set
    /// does, if it is no longer than `longest`. Gives whether there is one; it is written to
    /// `sink`.
    pub fn ahead(
        &mut self,
        map: &NavMap,
        ask: &Ask,
        longest: f32,
        mut onward: impl FnMut(&[u32]) -> bool,
        sink: &mut RouteSink,
    ) -> bool {
        let [from, to] = ask.ends;
        if from.node == NONE || to.node == NONE {
            return false;
        }
        self.grow_tree(map, ask);
        let Some((_, tree)) = self.trees.last() else {
            return false;
        };
        let terms = Terms::lengths(map, &self.doors, ask.radius);
        let mut first: Vec<(f64, EdgeId)> = if from.edge == NONE {
            let edges = map.edges_of(from.node).map(|e| e as EdgeId);
            let left = |e: EdgeId| f64::from(tree.left(map.edge_to[e as usize]));
            edges.map(|e| (terms.cost(e) + left(e), e)).collect()
        } else {
            let onto = ways_onto(&terms, from);
            let left = |(node, edge, metres)| (f64::from(metres + tree.left(node)), edge);
            onto.map(left).collect()
        };
        first.retain(|way| way.0.is_finite() && way.0 <= f64::from(longest));
        first.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (metres, edge) in first {
            let then = map.edge_to[edge as usize];
            let Some(mut way) = tree.shortest(map, then) else {
                continue;
            };
            // Round a disc beside it is back, too.
            let back = way.edges.iter().take(3);
            let mut back = back.map(|e| map.edge_to[*e as usize]);
            if back.any(|node| node == from.node) {
                continue;
            }
            way.edges.insert(0, edge);
            if onward(&way.edges) {
                sink.clear();
                let metres = metres as f32;
                sink.push_edges_into(way.edges, way.into, metres, metres);
                return true;
            }
        }
        false
    }

    /// Makes the tree of somebody's goal the last of the trees that are kept.
    fn grow_tree(&mut self, map: &NavMap, ask: &Ask) {
        let key = (hangs_on(&ask.ends[1]), ask.radius());
        if let Some(known) = self.trees.iter().position(|(of, _)| *of == key) {
            self.trees[known..].rotate_left(1);
            return;
        }
        if self.trees.len() >= MOST_TREES {
            self.trees.remove(0);
        }
        let incoming = self.incoming.get_or_insert_with(|| Incoming::of(map));
        let terms = Terms::lengths(map, &self.doors, key.1 as f32 / 100.0);
        let tree = GoalTree::new(&terms, ask.ends[1], incoming, &mut self.scratch);
        self.trees.push((key, tree));
    }

    /// One more is on a path.
    fn sent(&mut self, path: u32) {
        self.loads.resize(self.paths.len(), 0);
        self.loads[path as usize] += 1;
    }
}
