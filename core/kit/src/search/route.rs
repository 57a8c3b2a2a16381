//! A* between two places that hang on a map.

use glam::Vec3;
use throng_core::{Attachment, EdgeId, NONE, NoRoute, NodeId};

use super::{Heuristic, SearchScratch, Terms, heap::Entry};

/// A question for [`find_route`].
#[derive(Clone, Copy, Debug)]
pub struct RouteQuery<'a> {
    /// What may be walked and what it costs.
    pub terms: Terms<'a>,
    /// Where the start hangs on the map.
    pub from: Attachment,
    /// Where the goal hangs on the map.
    pub to: Attachment,
    /// Lower bound of what is left.
    pub heuristic: Heuristic,
    /// Factor on the heuristic, at least 1. The route costs at most so many times the least.
    pub greed: f32,
    /// The search is given up after expanding so many nodes; 0 for no limit.
    pub most_expansions: u32,
}

/// The answer of [`find_route`]; the edges are in [`SearchScratch::route`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundRoute {
    /// Cost between the two points of the graph.
    pub cost: f64,
    /// Length between the two points of the graph, metres.
    pub length: f64,
    /// Nodes expanded.
    pub expansions: u32,
}

/// A way from a place to a node or back: a node alone, or a part of an edge that leads to it.
#[derive(Clone, Copy, Debug)]
struct Stub {
    node: NodeId,
    edge: EdgeId,
    cost: f64,
    length: f64,
}

impl Stub {
    const NONE: Stub = Stub {
        node: NONE,
        edge: NONE,
        cost: f64::INFINITY,
        length: 0.0,
    };

    /// A part of an edge, next to the given end of it.
    fn part(terms: &Terms<'_>, edge: EdgeId, share: f32, node: NodeId) -> Stub {
        let cost = terms.cost(edge);
        if !cost.is_finite() {
            return Stub::NONE;
        }
        let share = f64::from(share);
        Stub {
            node,
            edge,
            cost: cost * share,
            length: f64::from(terms.map.edge_length[edge as usize]) * share,
        }
    }

    /// The ways from (or, if `arriving`, to) an attachment.
    fn both(terms: &Terms<'_>, at: Attachment, arriving: bool) -> [Stub; 2] {
        if at.edge == NONE {
            let alone = Stub {
                node: at.node,
                edge: NONE,
                cost: 0.0,
                length: 0.0,
            };
            return [alone, Stub::NONE];
        }
        let (map, along) = (terms.map, at.along.clamp(0.0, 1.0));
        let (from, to) = (
            map.edge_from[at.edge as usize],
            map.edge_to[at.edge as usize],
        );
        let twin = map.edge_twin[at.edge as usize];
        let mut stubs = [Stub::NONE; 2];
        if arriving {
            stubs[0] = Stub::part(terms, at.edge, along, from);
            if twin != NONE {
                stubs[1] = Stub::part(terms, twin, 1.0 - along, to);
            }
        } else {
            stubs[0] = Stub::part(terms, at.edge, 1.0 - along, to);
            if twin != NONE {
                stubs[1] = Stub::part(terms, twin, along, from);
            }
        }
        stubs
    }

    /// The way along an edge that both places hang on, if there is one.
    fn shared(terms: &Terms<'_>, from: Attachment, to: Attachment) -> Stub {
        if from.edge == NONE || to.edge == NONE {
            return Stub::NONE;
        }
        let twin = terms.map.edge_twin[from.edge as usize];
        let along = if to.edge == from.edge {
            to.along
        } else if to.edge == twin {
            1.0 - to.along
        } else {
            return Stub::NONE;
        };
        let ahead = along - from.along;
        if ahead >= 0.0 {
            Stub::part(terms, from.edge, ahead, NONE)
        } else if twin != NONE {
            Stub::part(terms, twin, -ahead, NONE)
        } else {
            Stub::NONE
        }
    }
}

/// What a search still has to pay at least.
struct Bound<'a> {
    terms: &'a Terms<'a>,
    heuristic: Heuristic,
    count: usize,
    point: [Vec3; 2],
    tail: [f64; 2],
}

impl<'a> Bound<'a> {
    fn new(query: &'a RouteQuery<'a>, goals: &[Stub; 2]) -> Bound<'a> {
        let places = &query.terms.map.node_place;
        Bound {
            terms: &query.terms,
            heuristic: query.heuristic,
            count: if goals[1].node == NONE { 1 } else { 2 },
            point: goals.map(|g| places.get(g.node as usize).map_or(Vec3::ZERO, |p| p.point)),
            tail: goals.map(|g| g.cost),
        }
    }

    #[inline(always)]
    fn remaining(&self, node: NodeId) -> f64 {
        let at = self.terms.map.node_place[node as usize].point;
        let way = |goal: usize| {
            let distance = self.heuristic.distance(at, self.point[goal]);
            distance * self.terms.least_base + self.tail[goal]
        };
        if self.count == 1 {
            way(0)
        } else {
            way(0).min(way(1))
        }
    }
}

/// Finds the cheapest route between two attachments, or says why there is none.
///
/// A start on an edge leaves by either of its ends and the route begins with that edge, part of
/// which is walked. A goal on an edge is reached from either of its ends; that edge is counted
/// in cost and length but is not part of the route, since its farther gates lie beyond the goal.
/// Two places on one edge may give a route without edges. Distances off the graph are not
/// counted. Equal routes are told apart by node ids, so the answer never depends on what the
/// scratch was used for before.
pub fn find_route(
    query: &RouteQuery<'_>,
    scratch: &mut SearchScratch,
) -> Result<FoundRoute, NoRoute> {
    let terms = &query.terms;
    let map = terms.map;
    scratch.begin(map.nodes());
    if query.from.node == NONE {
        return Err(NoRoute::StartOffMap);
    }
    if query.to.node == NONE {
        return Err(NoRoute::GoalOffMap);
    }
    let starts = Stub::both(terms, query.from, false);
    let goals = Stub::both(terms, query.to, true);
    let shared = Stub::shared(terms, query.from, query.to);
    let bound = Bound::new(query, &goals);
    let greed = f64::from(query.greed.max(1.0));

    let open = scratch.generation;
    let closed = open + 1;
    let (labels, heap) = (scratch.labels.as_mut_slice(), &mut scratch.heap);
    for start in starts.iter().filter(|s| s.node != NONE) {
        let label = &mut labels[start.node as usize];
        if label.stamp < open || start.cost < label.cost {
            (label.cost, label.edge, label.stamp) = (start.cost, NONE, open);
            let left = bound.remaining(start.node);
            heap.push(Entry::new(
                start.cost + greed * left,
                left as f32,
                start.node,
            ));
        }
    }

    let (mut best, mut best_goal) = (shared.cost, NONE as usize);
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
        let cost = label.cost;
        for (g, goal) in goals.iter().enumerate() {
            if goal.node == node && cost + goal.cost < best {
                (best, best_goal) = (cost + goal.cost, g);
            }
        }
        if best <= entry.key() {
            break;
        }
        expansions += 1;
        if query.most_expansions > 0 && expansions > query.most_expansions {
            return Err(NoRoute::Limit);
        }
        for e in map.edges_of(node) {
            let to = map.edge_to[e];
            let label = &mut labels[to as usize];
            if label.stamp == closed {
                continue;
            }
            let through = cost + terms.cost(e as EdgeId);
            if through
                < if label.stamp == open {
                    label.cost
                } else {
                    f64::INFINITY
                }
            {
                (label.cost, label.edge, label.stamp) = (through, e as EdgeId, open);
                let left = bound.remaining(to);
                heap.push(Entry::new(through + greed * left, left as f32, to));
            }
        }
    }
    if !best.is_finite() {
        return Err(NoRoute::Unconnected);
    }

    if best_goal == NONE as usize {
        return Ok(FoundRoute {
            cost: shared.cost,
            length: shared.length,
            expansions,
        });
    }
    let goal = goals[best_goal];
    let mut length = goal.length;
    let mut node = goal.node;
    let route = &mut scratch.route;
    while labels[node as usize].edge != NONE {
        let edge = labels[node as usize].edge;
        route.push(edge);
        length += f64::from(map.edge_length[edge as usize]);
        node = map.edge_from[edge as usize];
    }
    let root_cost = labels[node as usize].cost;
    if let Some(start) = starts
        .iter()
        .find(|s| s.node == node && s.cost == root_cost && s.edge != NONE)
    {
        route.push(start.edge);
        length += start.length;
    }
    route.reverse();
    Ok(FoundRoute {
        cost: best,
        length,
        expansions,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use throng_core::{EdgePrices, Location, NavMap};

    /// A lattice of unit cells with 8 neighbours and no corner cutting, nodes row by row.
    pub(in crate::search) fn lattice(
        width: i32,
        height: i32,
        free: impl Fn(i32, i32) -> bool,
    ) -> NavMap {
        let inside = |x: i32, y: i32| x >= 0 && y >= 0 && x < width && y < height && free(x, y);
        let mut map = NavMap::default();
        let mut id = vec![NONE; (width * height) as usize];
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if inside(x, y) {
                id[(y * width + x) as usize] = map.nodes() as u32;
                map.node_place.push(Location {
                    point: Vec3::new(x as f32, y as f32, 0.0),
                    triangle: 0,
                });
            }
        }
        map.node_region = (0..map.nodes() as u32).collect();
        map.edge_start.push(0);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            if !inside(x, y) {
                continue;
            }
            for (dy, dx) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))) {
                if (dx, dy) != (0, 0)
                    && inside(x + dx, y + dy)
                    && inside(x + dx, y)
                    && inside(x, y + dy)
                {
                    map.edge_from.push(id[(y * width + x) as usize]);
                    map.edge_to.push(id[((y + dy) * width + x + dx) as usize]);
                    let diagonal = dx != 0 && dy != 0;
                    let length = if diagonal { 2.0_f64.sqrt() } else { 1.0 };
                    map.edge_length.push(length as f32);
                    map.edge_clearance.push(1.0);
                }
            }
            map.edge_start.push(map.edge_to.len() as u32);
        }
        map.edge_twin = (0..map.edges())
            .map(|e| {
                let (from, to) = (map.edge_from[e], map.edge_to[e]);
                map.edges_of(to).find(|&t| map.edge_to[t] == from).unwrap() as u32
            })
            .collect();
        map
    }

    fn on(node: NodeId) -> Attachment {
        Attachment {
            node,
            distance: 0.0,
            ..Attachment::NOWHERE
        }
    }

    fn query<'a>(map: &'a NavMap, from: Attachment, to: Attachment) -> RouteQuery<'a> {
        RouteQuery {
            terms: Terms::lengths(map, &[], 0.0),
            from,
            to,
            heuristic: Heuristic::of(map),
            greed: 1.0,
            most_expansions: 0,
        }
    }

    #[test]
    fn an_open_lattice_costs_its_octile_distance_and_few_expansions() {
        let map = lattice(40, 30, |_, _| true);
        let mut scratch = SearchScratch::default();
        let found = find_route(&query(&map, on(0), on(29 * 40 + 39)), &mut scratch).unwrap();
        assert!((found.cost - (10.0 + 29.0 * 2.0_f64.sqrt())).abs() < 1e-5);
        assert_eq!(scratch.route().len(), 39);
        // Exact ties go to the deeper node, so the search runs straight to the goal.
        assert_eq!(found.expansions, 39);
        assert_eq!(map.edge_from[scratch.route()[0] as usize], 0);
        assert_eq!(map.edge_to[scratch.route()[38] as usize], 29 * 40 + 39);
    }

    #[test]
    fn corners_are_walked_round() {
        // A wall of one cell between start and goal: no diagonal past it.
        let map = lattice(3, 2, |x, y| (x, y) != (1, 0));
        let mut scratch = SearchScratch::default();
        let found = find_route(&query(&map, on(0), on(1)), &mut scratch).unwrap();
        assert_eq!(found.length, 4.0);
    }

    #[test]
    fn radius_limit_and_attachment_decide_the_reason() {
        let map = lattice(3, 1, |_, _| true);
        let mut scratch = SearchScratch::default();
        let mut q = query(&map, on(0), on(2));
        q.terms = Terms::lengths(&map, &[], 1.5);
        assert_eq!(find_route(&q, &mut scratch), Err(NoRoute::Unconnected));
        q.terms = Terms::lengths(&map, &[], 1.0);
        assert!(find_route(&q, &mut scratch).is_ok());
        q.most_expansions = 1;
        assert_eq!(find_route(&q, &mut scratch), Err(NoRoute::Limit));
        q.from = Attachment::NOWHERE;
        assert_eq!(find_route(&q, &mut scratch), Err(NoRoute::StartOffMap));
        q.from = on(0);
        q.to = Attachment::NOWHERE;
        assert_eq!(find_route(&q, &mut scratch), Err(NoRoute::GoalOffMap));
        q.to = q.from;
        let found = find_route(&q, &mut scratch).unwrap();
        assert_eq!((found.length, scratch.route().len()), (0.0, 0));
    }

    #[test]
    fn places_on_edges_leave_and_arrive_by_either_end() {
        let map = lattice(6, 1, |_, _| true);
        let edge =
            |from: u32, to: u32| map.edges_of(from).find(|&e| map.edge_to[e] == to).unwrap() as u32;
        let at = |from: u32, to: u32, along: f32| Attachment {
            node: from,
            edge: edge(from, to),
            along,
            distance: 0.0,
        };
        let mut scratch = SearchScratch::default();
        let mut ask = |a: Attachment, b: Attachment| {
            let found = find_route(&query(&map, a, b), &mut scratch).unwrap();
            (found.length, scratch.route().to_vec())
        };
        // Both ways round the attachment, and the goal's own edge is left out of the route.
        assert_eq!(
            ask(at(1, 2, 0.25), at(4, 3, 0.25)),
            (2.5, vec![edge(1, 2), edge(2, 3)])
        );
        assert_eq!(
            ask(at(2, 1, 0.75), on(5)),
            (3.75, vec![edge(1, 2), edge(2, 3), edge(3, 4), edge(4, 5)])
        );
        // On one edge, or on its twin.
        assert_eq!(ask(at(1, 2, 0.25), at(1, 2, 0.75)), (0.5, vec![]));
        assert_eq!(ask(at(1, 2, 0.75), at(2, 1, 0.5)), (0.25, vec![]));
    }

    #[test]
    fn crowded_edges_are_walked_round_and_blocked_ones_never_used() {
        let map = lattice(5, 3, |_, _| true);
        let mut prices = EdgePrices {
            base: map.edge_length.clone(),
            crowd: vec![0.0; map.edges()],
        };
        let into = |e: usize| map.node_place[map.edge_to[e] as usize].point;
        for e in 0..map.edges() {
            if into(e) == Vec3::new(2.0, 1.0, 0.0) {
                prices.crowd[e] = 10.0;
            }
            if into(e) == Vec3::new(2.0, 0.0, 0.0) {
                prices.base[e] = f32::INFINITY;
            }
        }
        let mut scratch = SearchScratch::default();
        let mut ask = |weight: f32| {
            let mut q = query(&map, on(5), on(9));
            q.terms = Terms::edges(&map, &[], 0.0, &prices, weight, 1.0);
            let found = find_route(&q, &mut scratch).unwrap();
            let highest = scratch.route().iter().map(|&e| into(e as usize).y);
            (found.cost, highest.fold(0.0, f32::max))
        };
        assert_eq!(ask(0.0), (4.0, 1.0));
        let (cost, highest) = ask(1.0);
        assert!((cost - (2.0 + 2.0 * 2.0_f64.sqrt())).abs() < 1e-6);
        assert_eq!(highest, 2.0);
    }
}
