//! A* with landmarks: bounds that know the way round (Goldberg and Harrelson 2005).
//!
//! The straight line says little in a building or along a twisted wire. Distances from a few
//! landmarks to all nodes do: by the triangle inequality no way from a to b is shorter than the
//! difference of their distances from any landmark. Landmarks lie far from each other.

use glam::Vec4;
use throng_core::{EdgeId, NONE, NavMap, NoRoute, NodeId};
use throng_kit::search::{
    DistanceTree, Entry, Heap, Incoming, SearchScratch, Terms, Toward, distance_tree,
};

/// How many landmarks, four to a lane.
const COUNT: usize = 4 * LANES;
const LANES: usize = 2;
/// What is not reached is so far, metres: two nodes of the same part have no bound by it.
const FARTHEST: f32 = 1e30;

/// Distances of every node from the landmarks.
#[derive(Clone, Debug, Default)]
pub(super) struct Landmarks {
    metres: Vec<[Vec4; LANES]>,
}

impl Landmarks {
    /// Chooses landmarks and measures from them.
    pub fn of(map: &NavMap) -> Landmarks {
        let nodes = map.nodes();
        let mut metres = vec![[Vec4::ZERO; LANES]; nodes];
        let doors = vec![1; usize::from(u16::MAX)];
        let terms = Terms::lengths(
            map,
            if map.edge_door.is_empty() {
                &[]
            } else {
                &doors
            },
            0.0,
        );
        let (mut scratch, mut tree) = (SearchScratch::default(), DistanceTree::default());
        let incoming = Incoming::of(map);
        let mut nearest = vec![f32::INFINITY; nodes];
        let mut next: NodeId = 0;
        for k in 0..COUNT.min(nodes) {
            // The first is as far as can be from anywhere.
            for _ in 0..if k == 0 { 2 } else { 1 } {
                let from = [(next, 0.0)];
                distance_tree(
                    &terms,
                    &from,
                    Toward::Nodes,
                    &incoming,
                    &mut scratch,
                    &mut tree,
                );
                if k == 0 {
                    next = farthest(&tree.cost);
                }
            }
            for (n, cost) in tree.cost.iter().enumerate() {
                metres[n][k / 4][k % 4] = cost.min(FARTHEST);
                nearest[n] = nearest[n].min(*cost);
            }
            next = farthest_of_all(&nearest);
        }
        Landmarks { metres }
    }

    /// No way between two nodes is shorter, metres.
    #[inline]
    fn least(&self, from: &[Vec4; LANES], to: &[Vec4; LANES]) -> f32 {
        let apart: [Vec4; LANES] = core::array::from_fn(|k| (from[k] - to[k]).abs());
        apart[0].max(apart[1]).max_element()
    }
}

/// The farthest node that is reached.
fn farthest(metres: &[f32]) -> NodeId {
    let reached = metres.iter().enumerate().filter(|(_, m)| m.is_finite());
    let best = reached.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    best.map_or(0, |(n, _)| n as NodeId)
}

/// The farthest node, one that is not reached first: another part of the surface.
fn farthest_of_all(metres: &[f32]) -> NodeId {
    let all = metres.iter().enumerate();
    let best = all.max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    best.map_or(0, |(n, _)| n as NodeId)
}

/// What a search knows of a node, if `stamp` is that of the search.
#[derive(Clone, Copy, Debug)]
struct Label {
    cost: f64,
    edge: EdgeId,
    stamp: u32,
    bound: f32,
    closed: bool,
}

/// Memory of searches.
#[derive(Debug, Default)]
pub(super) struct Search {
    labels: Vec<Label>,
    stamp: u32,
    heap: Heap,
    route: Vec<EdgeId>,
}

impl Search {
    /// The edges of the last route.
    pub fn route(&self) -> &[EdgeId] {
        &self.route
    }

    /// The cheapest route between two nodes, or one at most `greed` times as dear. Gives its cost
    /// and its length.
    pub fn find(
        &mut self,
        terms: &Terms<'_>,
        landmarks: &Landmarks,
        from: NodeId,
        to: NodeId,
        greed: f32,
        limit: u32,
    ) -> Result<(f64, f64), NoRoute> {
        let map = terms.map;
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 || self.labels.len() < map.nodes() {
            self.labels.clear();
            let unknown = Label {
                cost: f64::INFINITY,
                edge: NONE,
                stamp: 0,
                bound: 0.0,
                closed: false,
            };
            self.labels.resize(map.nodes(), unknown);
            self.stamp = 1;
        }
        self.heap.clear();
        self.route.clear();
        let stamp = self.stamp;
        let goal = map.node_place[to as usize].point;
        let table = landmarks.metres.get(to as usize);
        // A hair below, for lengths that are rounded.
        let metre = (terms.least_base * (1.0 - 1e-5)) as f32;
        let bound = |n: NodeId| {
            let straight = map.node_place[n as usize].point.distance(goal);
            let least = table.map_or(0.0, |to| landmarks.least(&landmarks.metres[n as usize], to));
            straight.max(least) * metre
        };
        let greed = f64::from(greed);
        let first = bound(from);
        self.labels[from as usize] = Label {
            cost: 0.0,
            edge: NONE,
            stamp,
            bound: first,
            closed: false,
        };
        self.heap
            .push(Entry::new(f64::from(first) * greed, first, from));
        let mut expanded = 0;
        while let Some(entry) = self.heap.pop() {
            let node = entry.node();
            let label = &mut self.labels[node as usize];
            if label.closed {
                continue;
            }
            label.closed = true;
            let cost = label.cost;
            if node == to {
                return Ok((cost, self.trace(map, from, to)));
            }
            expanded += 1;
            if limit > 0 && expanded > limit {
                return Err(NoRoute::Limit);
            }
            let edges = map.edges_of(node);
            for (e, &next) in edges.clone().zip(&map.edge_to[edges]) {
                let step = terms.cost(e as EdgeId);
                if !step.is_finite() {
                    continue;
                }
                let through = cost + step;
                let label = &mut self.labels[next as usize];
                if label.stamp != stamp {
                    *label = Label {
                        cost: f64::INFINITY,
                        edge: NONE,
                        stamp,
                        bound: bound(next),
                        closed: false,
                    };
                }
                if through < label.cost && !label.closed {
                    label.cost = through;
                    label.edge = e as EdgeId;
                    let key = through + greed * f64::from(label.bound);
                    self.heap.push(Entry::new(key, label.bound, next));
                }
            }
        }
        Err(NoRoute::Unconnected)
    }

    /// Lists the edges of the route found, and gives its length.
    fn trace(&mut self, map: &NavMap, from: NodeId, to: NodeId) -> f64 {
        let mut at = to;
        let mut length = 0.0;
        while at != from {
            let edge = self.labels[at as usize].edge;
            self.route.push(edge);
            length += f64::from(map.edge_length[edge as usize]);
            at = map.edge_from[edge as usize];
        }
        self.route.reverse();
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use throng_core::Location;

    /// Nodes on a spiral of three turns, each joined to the next; and a part of two nodes beside.
    fn spiral() -> NavMap {
        let count = 60_usize;
        let mut map = NavMap::default();
        let place = |point: Vec3| Location { point, triangle: 0 };
        for i in 0..count {
            let turn = i as f32 * 0.314_159;
            let way = Vec3::new(
                throng_core::math::cos(turn),
                throng_core::math::sin(turn),
                0.0,
            );
            map.node_place.push(place(way * (3.0 + 0.1 * i as f32)));
        }
        map.node_place.push(place(Vec3::new(50.0, 0.0, 0.0)));
        map.node_place.push(place(Vec3::new(51.0, 0.0, 0.0)));
        map.edge_start.push(0);
        for n in 0..count + 2 {
            let last_of_part = n + 1 == count || n + 1 == count + 2;
            let first_of_part = n == 0 || n == count;
            for (to, exists) in [(n.wrapping_sub(1), !first_of_part), (n + 1, !last_of_part)] {
                if exists {
                    map.edge_from.push(n as u32);
                    map.edge_to.push(to as u32);
                    let at = |n: usize| map.node_place[n].point;
                    map.edge_length.push(at(n).distance(at(to)));
                    map.edge_clearance.push(1.0);
                }
            }
            map.edge_start.push(map.edge_to.len() as u32);
        }
        map.edge_twin = (0..map.edges())
            .map(|e| {
                let back = map.edges_of(map.edge_to[e]);
                let twin = back
                    .into_iter()
                    .find(|&b| map.edge_to[b] == map.edge_from[e]);
                twin.unwrap() as u32
            })
            .collect();
        map
    }

    #[test]
    fn along_a_spiral_the_bound_is_the_way_and_nothing_else_is_looked_at() {
        let map = spiral();
        let landmarks = Landmarks::of(&map);
        let terms = Terms::lengths(&map, &[], 0.3);
        let mut search = Search::default();
        let (cost, length) = search.find(&terms, &landmarks, 12, 52, 1.0, 41).unwrap();
        assert_eq!(search.route().len(), 40);
        assert!((cost - length).abs() < 1e-6);
        let straight = map.node_place[12].point.distance(map.node_place[52].point);
        assert!(cost > 5.0 * f64::from(straight));
        let bound = landmarks.least(&landmarks.metres[12], &landmarks.metres[52]);
        assert!((f64::from(bound) - cost).abs() < 1e-3, "{bound} {cost}");
    }

    #[test]
    fn parts_that_nothing_joins_have_no_route() {
        let map = spiral();
        let landmarks = Landmarks::of(&map);
        let terms = Terms::lengths(&map, &[], 0.3);
        let found = Search::default().find(&terms, &landmarks, 3, 60, 1.5, 0);
        assert_eq!(found, Err(NoRoute::Unconnected));
        let wide = Terms::lengths(&map, &[], 2.0);
        let found = Search::default().find(&wide, &landmarks, 3, 9, 1.5, 0);
        assert_eq!(found, Err(NoRoute::Unconnected));
    }
}
