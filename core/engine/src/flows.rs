//! Route sets: several distinct ways from here to there, of which each agent takes the quickest.
//!
//! Navigation flows in the sense of Pettre et al. 2007 and Yersin et al. 2008: between two parts
//! of the map a set of varied paths, not the shortest alone. Who sets off looks at all of them
//! and takes the one of least expected travel time, crowding and those already sent along
//! counted, so that people spread. Who leaves the reach of a guide at a vertex that is not on its
//! path takes another path of the set through it.
//!
//! The paths are found by searching again and again with everything about those found made dearer;
//! a path that is too long or runs mostly beside another is left out.

use std::collections::{BTreeMap, BTreeSet};

use throng_core::{Attachment, EdgePrices, GroundView, NONE, NavMap, RouteSink};
use throng_kit::search::{Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route};

use crate::{
    checkpoint::{CheckpointError, Reader, Writer},
    scenario::Replan,
    state::State,
};

/// Factor on the length of edges about a path that is known already.
const DEARER: f32 = 1.4;
/// A path is too much like another if more than this of its length runs about it.
const ALIKE: f32 = 0.7;
/// Nodes within this walk of a path, and those next to it, are about it, metres.
const ABOUT: f32 = 5.0;
/// Searches per path asked for.
const TRIES: u32 = 4;
/// Most sets; beyond them everybody plans alone.
const MOST_SETS: usize = 1 << 16;

/// Where a set begins and ends on the map, and for which bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    from: u32,
    to: u32,
    /// Radius in hundredths of a metre, rounded up.
    radius: u32,
}

/// One way of a set.
#[derive(Clone, Debug, Default, PartialEq)]
struct Path {
    edges: Vec<u32>,
    into: u32,
    length: f32,
    /// Area of the regions that it passes, square metres.
    area: f32,
    to: u32,
    radius: u32,
}

/// All route sets made so far.
#[derive(Debug, Default)]
pub struct Flows {
    sets: BTreeMap<Key, Vec<u32>>,
    /// Who was the first to ask for a set plans alone: many never have a second.
    asked: BTreeSet<Key>,
    paths: Vec<Path>,
    /// Agents on each path now.
    loads: Vec<u32>,
    revision: u32,
    doors: Vec<u8>,
    prices: EdgePrices,
    search: SearchScratch,
    /// Of the map of this revision.
    heuristic: Option<Heuristic>,
}

/// Where a place hangs, as one number: an edge, or a node.
fn hangs_on(at: &Attachment) -> u32 {
    if at.edge != NONE {
        at.edge << 1 | 1
    } else {
        at.node << 1
    }
}

/// Marks the nodes of a path and those about it.
fn about(map: &NavMap, path: &[u32]) -> Vec<bool> {
    let mut walk = vec![f32::INFINITY; map.nodes()];
    let mut rest = Vec::new();
    for &e in path {
        for node in [map.edge_from[e as usize], map.edge_to[e as usize]] {
            walk[node as usize] = 0.0;
            rest.push(node);
        }
    }
    while let Some(node) = rest.pop() {
        let so_far = walk[node as usize];
        for e in map.edges_of(node) {
            let (to, there) = (map.edge_to[e], so_far + map.edge_length[e]);
            // Next to the path, however far.
            let there = if so_far == 0.0 {
                there.min(ABOUT)
            } else {
                there
            };
            if there <= ABOUT && there < walk[to as usize] {
                walk[to as usize] = there;
                rest.push(to);
            }
        }
    }
    walk.iter().map(|w| w.is_finite()).collect()
}

/// What a way would take now, by the crowd on it or by the prices where they know of crowds.
struct Look<'a> {
    ground: GroundView<'a>,
    state: &'a State,
    table: usize,
    weight: f32,
}

impl Look<'_> {
    fn cost(&self, path: &Path, rest: &[u32], load: u32) -> f32 {
        let (state, map) = (self.state, &self.state.map);
        let prices = state.pricing.prices.get(self.table);
        if let (Some(false), Some(edges)) = (
            prices.map(|p| p.uniform.is_some()),
            state.pricing.edges.get(self.table),
        ) {
            return rest
                .iter()
                .map(|&e| edges.base[e as usize] + self.weight * edges.crowd[e as usize])
                .sum();
        }
        let expected = load as f32 / path.area.max(1.0);
        let crowd = state.crowd.view();
        rest.iter()
            .map(|&e| {
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
                map.edge_length[e as usize] * (1.0 + self.weight * density.max(expected))
            })
            .sum()
    }
}

impl Flows {
    /// Forgets everything if the map or a door has changed.
    pub fn refresh(&mut self, map: &NavMap, doors: &[u8]) {
        if self.revision != map.revision || self.doors != doors {
            self.sets.clear();
            self.asked.clear();
            self.paths.clear();
            self.heuristic = None;
            self.revision = map.revision;
            self.doors.clear();
            self.doors.extend_from_slice(doors);
        }
    }

    /// Counts who is on which path now.
    pub fn count(&mut self, state: &State) {
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
        self.sets.values().map(Vec::len)
    }

    /// Agents on each path, for reports.
    pub fn loads(&self) -> &[u32] {
        &self.loads
    }

    /// The quickest path of a set, written to `sink`; gives its index. Nothing if there is none:
    /// the planner is asked then.
    pub fn choose(
        &mut self,
        ground: GroundView<'_>,
        state: &State,
        policy: &Replan,
        ends: [Attachment; 2],
        radius: f32,
        table: usize,
        weight: f32,
        sink: &mut RouteSink,
    ) -> Option<u32> {
        let key = Key {
            from: hangs_on(&ends[0]),
            to: hangs_on(&ends[1]),
            radius: (radius * 100.0).ceil() as u32,
        };
        if ends.iter().any(|end| end.node == NONE) {
            return None;
        }
        if !self.sets.contains_key(&key) {
            if self.asked.insert(key) || self.sets.len() >= MOST_SETS {
                return None;
            }
            self.find(&state.map, policy, ends, key);
        }
        let look = Look {
            ground,
            state,
            table,
            weight,
        };
        let mut best: Option<(f32, u32)> = None;
        for &p in &self.sets[&key] {
            let path = &self.paths[p as usize];
            let load = self.loads.get(p as usize).copied().unwrap_or(0);
            let cost = look.cost(path, &path.edges, load);
            if best.is_none_or(|b| cost < b.0) {
                best = Some((cost, p));
            }
        }
        let (cost, p) = best?;
        self.send(p, 0, cost, sink);
        Some(p)
    }

    /// A path through a node to where somebody goes: the quickest of those known, from there on.
    pub fn through(
        &mut self,
        ground: GroundView<'_>,
        state: &State,
        ends: [Attachment; 2],
        radius: f32,
        table: usize,
        weight: f32,
        mut onward: impl FnMut(&[u32]) -> bool,
        sink: &mut RouteSink,
    ) -> Option<u32> {
        let (node, to) = (ends[0].node, hangs_on(&ends[1]));
        let radius = (radius * 100.0).ceil() as u32;
        let look = Look {
            ground,
            state,
            table,
            weight,
        };
        let mut best: Option<(f32, u32, usize)> = None;
        for (p, path) in self.paths.iter().enumerate() {
            if path.to != to || path.radius != radius {
                continue;
            }
            let begins = |e: &u32| state.map.edge_from[*e as usize] == node;
            if let Some(first) = path.edges.iter().position(begins)
                && onward(&path.edges[first..])
            {
                let load = self.loads.get(p).copied().unwrap_or(0);
                let cost = look.cost(path, &path.edges[first..], load);
                if best.is_none_or(|b| cost < b.0) {
                    best = Some((cost, p as u32, first));
                }
            }
        }
        let (cost, p, first) = best?;
        self.send(p, first, cost, sink);
        Some(p)
    }

    fn send(&mut self, path: u32, first: usize, cost: f32, sink: &mut RouteSink) {
        let chosen = &self.paths[path as usize];
        let rest = chosen.edges[first..].iter().copied();
        sink.clear();
        sink.push_edges_into(rest, chosen.into, chosen.length, cost);
        self.loads.resize(self.paths.len(), 0);
        self.loads[path as usize] += 1;
    }

    /// Finds the paths of a set.
    fn find(&mut self, map: &NavMap, policy: &Replan, ends: [Attachment; 2], key: Key) {
        self.prices.base.clear();
        self.prices.base.extend_from_slice(&map.edge_length);
        let mut found: Vec<u32> = Vec::new();
        let mut corridors: Vec<Vec<bool>> = Vec::new();
        let mut shortest = f32::INFINITY;
        let heuristic = *self.heuristic.get_or_insert_with(|| Heuristic::of(map));
        for _ in 0..TRIES * policy.alternatives {
            let query = RouteQuery {
                terms: Terms::edges(
                    map,
                    &self.doors,
                    key.radius as f32 / 100.0,
                    &self.prices,
                    0.0,
                    1.0,
                ),
                from: ends[0],
                to: ends[1],
                heuristic,
                greed: 1.0,
                most_expansions: 0,
                horizon: Horizon::NONE,
                old_tail: &[],
            };
            let Ok(answer) = find_route(&query, &mut self.search) else {
                break;
            };
            let edges = self.search.route().to_vec();
            let length: f32 = edges.iter().map(|&e| map.edge_length[e as usize]).sum();
            shortest = shortest.min(length);
            let near = about(map, &edges);
            for e in 0..map.edges() {
                if near[map.edge_to[e] as usize] && near[map.edge_from[e] as usize] {
                    self.prices.base[e] *= DEARER;
                }
            }
            if length > shortest * policy.stretch as f32 + 1e-3 {
                continue;
            }
            let alike = corridors.iter().any(|other| {
                let beside = |e: &&u32| other[map.edge_to[**e as usize] as usize];
                let shared = edges.iter().filter(beside);
                let shared: f32 = shared.map(|&e| map.edge_length[e as usize]).sum();
                shared > ALIKE * length
            });
            if alike {
                continue;
            }
            let area = edges.iter().map(|&e| {
                let region = map.node_region[map.edge_to[e as usize] as usize];
                map.region_area.get(region as usize).copied().unwrap_or(0.0)
            });
            corridors.push(near);
            found.push(self.paths.len() as u32);
            self.paths.push(Path {
                area: area.sum(),
                edges,
                into: answer.into,
                length,
                to: key.to,
                radius: key.radius,
            });
            if found.len() as u32 >= policy.alternatives {
                break;
            }
        }
        self.sets.insert(key, found);
    }

    /// Writes the sets, so that a resumed run has the same.
    pub(crate) fn save(&self, out: &mut Writer) {
        out.value(self.revision);
        out.column(&self.doors);
        out.value(self.paths.len() as u64);
        for path in &self.paths {
            out.column(&path.edges);
            out.value(path.into);
            out.value(path.length);
            out.value(path.area);
            out.value(path.to);
            out.value(path.radius);
        }
        out.value(self.asked.len() as u64);
        for key in &self.asked {
            out.value(key.from);
            out.value(key.to);
            out.value(key.radius);
        }
        out.value(self.sets.len() as u64);
        for (key, paths) in &self.sets {
            out.value(key.from);
            out.value(key.to);
            out.value(key.radius);
            out.column(paths);
        }
    }

    /// Reads what [`Flows::save`] wrote, of a map with so many edges.
    pub(crate) fn load(from: &mut Reader<'_>, edges: usize) -> Result<Flows, CheckpointError> {
        let mut flows = Flows {
            revision: from.value()?,
            doors: from.column()?,
            ..Flows::default()
        };
        let damaged = Err(CheckpointError::Damaged("a route set is not of this map"));
        for _ in 0..from.value::<u64>()? {
            let path = Path {
                edges: from.column()?,
                into: from.value()?,
                length: from.value()?,
                area: from.value()?,
                to: from.value()?,
                radius: from.value()?,
            };
            let known = |e: &u32| (*e as usize) < edges;
            if !path.edges.iter().all(known) || !(path.into == NONE || known(&path.into)) {
                return damaged;
            }
            flows.paths.push(path);
        }
        let key = |from: &mut Reader<'_>| {
            Ok::<_, CheckpointError>(Key {
                from: from.value()?,
                to: from.value()?,
                radius: from.value()?,
            })
        };
        for _ in 0..from.value::<u64>()? {
            flows.asked.insert(key(from)?);
        }
        for _ in 0..from.value::<u64>()? {
            let key = key(from)?;
            let paths: Vec<u32> = from.column()?;
            if paths.iter().any(|p| *p as usize >= flows.paths.len()) {
                return damaged;
            }
            flows.sets.insert(key, paths);
        }
        Ok(flows)
    }
}
