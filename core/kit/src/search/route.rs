//! A* between two places that hang on a map.

use glam::Vec3;
use throng_core::{Attachment, EdgeId, NONE, NavMap, NoRoute, NodeId};

use super::{
    Heuristic, Horizon, SearchScratch, Terms,
    expand::{End, Limits, Problem, expand},
};

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
    /// How far the crowd is seen, as a cost from the start's point of the graph on.
    pub horizon: Horizon,
    /// The end of an older route to this goal that was beyond the horizon then. The search stops
    /// at the first of its nodes that is beyond the horizon now, and takes it from there: quick,
    /// and not always the cheapest. Empty for none.
    pub old_tail: &'a [EdgeId],
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
    /// Edges at the end of the route that begin beyond the horizon.
    pub invisible: u32,
    /// The edge that the goal hangs on, in the direction in which it is entered, or NONE.
    pub into: EdgeId,
}

/// A way from a place to a node or back: a node alone, or a part of an edge that leads to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stub {
    pub node: NodeId,
    pub edge: EdgeId,
    /// How much of the edge.
    share: f64,
    pub cost: f64,
    base: f64,
    pub length: f64,
}

impl Stub {
    const NONE: Stub = Stub {
        node: NONE,
        edge: NONE,
        share: 0.0,
        cost: f64::INFINITY,
        base: f64::INFINITY,
        length: 0.0,
    };

    /// The same way, with what it costs at the beginning of a route.
    fn seen(self, query: &RouteQuery<'_>) -> Stub {
        if self.edge == NONE || !query.horizon.is_finite() {
            return self;
        }
        Stub {
            cost: query
                .horizon
                .pay_part(&query.terms, 0.0, self.edge, self.share),
            ..self
        }
    }

    /// A part of an edge, next to the given end of it. At the `wide` end any body fits that fits
    /// at the place.
    fn part(terms: &Terms<'_>, edge: EdgeId, share: f32, node: NodeId, wide: bool) -> Stub {
        let cost = if wide {
            terms.cost_of_part(edge)
        } else {
            terms.cost(edge)
        };
        if !cost.is_finite() {
            return Stub::NONE;
        }
        let share = f64::from(share);
        Stub {
            node,
            edge,
            share,
            cost: cost * share,
            base: terms.base_of_part(edge) * share,
            length: f64::from(terms.map.edge_length[edge as usize]) * share,
        }
    }

    /// The ways from (or, if `arriving`, to) an attachment.
    pub fn both(terms: &Terms<'_>, at: Attachment, arriving: bool) -> [Stub; 2] {
        if at.edge == NONE {
            let alone = Stub {
                node: at.node,
                edge: NONE,
                share: 0.0,
                cost: 0.0,
                base: 0.0,
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
        let part = |edge, share, node| Stub::part(terms, edge, share, node, node == at.node);
        if arriving {
            stubs[0] = part(at.edge, along, from);
            if twin != NONE {
                stubs[1] = part(twin, 1.0 - along, to);
            }
        } else {
            stubs[0] = part(at.edge, 1.0 - along, to);
            if twin != NONE {
                stubs[1] = part(twin, along, from);
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
        let wide = from.node == to.node;
        if ahead >= 0.0 {
            Stub::part(terms, from.edge, ahead, NONE, wide)
        } else if twin != NONE {
            Stub::part(terms, twin, -ahead, NONE, wide)
        } else {
            Stub::NONE
        }
    }
}

/// A lower bound of what is left, from the places of the nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'a> {
    map: &'a NavMap,
    heuristic: Heuristic,
    metre: f64,
    count: usize,
    point: [Vec3; 2],
    tail: [f64; 2],
}

impl<'a> Bound<'a> {
    /// For ways to the goal that begin at these nodes and cost at least so much from there.
    pub fn new(
        map: &'a NavMap,
        heuristic: Heuristic,
        metre: f64,
        goals: [(NodeId, f64); 2],
    ) -> Bound<'a> {
        let places = &map.node_place;
        Bound {
            map,
            heuristic,
            metre,
            count: if goals[1].0 == NONE { 1 } else { 2 },
            point: goals.map(|g| places.get(g.0 as usize).map_or(Vec3::ZERO, |p| p.point)),
            tail: goals.map(|g| g.1),
        }
    }

    #[inline(always)]
    pub fn remaining(&self, node: NodeId) -> f64 {
        let at = self.map.node_place[node as usize].point;
        let way = |goal: usize| {
            let distance = self.heuristic.distance(at, self.point[goal]);
            distance * self.metre + self.tail[goal]
        };
        if self.count == 1 {
            way(0)
        } else {
            way(0).min(way(1))
        }
    }
}

/// A search over the map itself.
struct OverMap<'a> {
    query: &'a RouteQuery<'a>,
    goals: [Stub; 2],
    bound: Bound<'a>,
}

impl OverMap<'_> {
    /// What has been paid at the goal if `paid` was where a way to it begins.
    fn finish(&self, goal: &Stub, paid: f64) -> f64 {
        let RouteQuery { terms, horizon, .. } = self.query;
        if goal.edge == NONE {
            paid
        } else {
            horizon.pay_part(terms, paid, goal.edge, goal.share)
        }
    }
}

impl Problem for OverMap<'_> {
    #[inline(always)]
    fn pay(&self, paid: f64, edge: EdgeId) -> f64 {
        self.query.horizon.pay(&self.query.terms, paid, edge)
    }

    #[inline(always)]
    fn left(&self, node: NodeId) -> f64 {
        self.bound.remaining(node)
    }

    #[inline(always)]
    fn arrive(&self, node: NodeId, paid: f64) -> Option<(usize, f64)> {
        let mut best = None;
        for (g, goal) in self.goals.iter().enumerate() {
            if goal.node == node {
                let total = self.finish(goal, paid);
                if best.is_none_or(|(_, least)| total < least) {
                    best = Some((g, total));
                }
            }
        }
        best
    }

    #[inline(always)]
    fn halt(&self, node: NodeId, paid: f64) -> Option<f64> {
        let RouteQuery {
            terms,
            old_tail,
            horizon,
            ..
        } = self.query;
        if old_tail.is_empty() || !horizon.hides(paid) {
            return None;
        }
        let tail = tail_from(terms.map, old_tail, node)?;
        let end = terms.map.edge_to[*old_tail.last()? as usize];
        let rest: f64 = tail.iter().map(|&e| terms.base(e)).sum();
        let goal = self.goals.iter().find(|goal| goal.node == end)?;
        Some(self.finish(goal, paid + rest))
    }
}

/// The part of an old route from a node on.
fn tail_from<'a>(map: &NavMap, old: &'a [EdgeId], node: NodeId) -> Option<&'a [EdgeId]> {
    let at = old
        .iter()
        .position(|&e| map.edge_from[e as usize] == node)?;
    Some(&old[at..])
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
    let starts = Stub::both(terms, query.from, false).map(|stub| stub.seen(query));
    let goals = Stub::both(terms, query.to, true);
    let shared = Stub::shared(terms, query.from, query.to).seen(query);
    let ends = goals.map(|goal| (goal.node, goal.base));
    let problem = OverMap {
        query,
        goals,
        bound: Bound::new(map, query.heuristic, terms.least_base, ends),
    };
    let open = scratch.generation;
    let (labels, heap) = (scratch.labels.as_mut_slice(), &mut scratch.heap);
    let found = expand(
        map,
        &problem,
        starts
            .iter()
            .filter(|s| s.node != NONE)
            .map(|s| (s.node, s.cost)),
        Limits {
            greed: f64::from(query.greed.max(1.0)),
            expansions: query.most_expansions,
            known: shared.cost,
        },
        (labels, heap, open),
    )?;

    let route = &mut scratch.route;
    let (mut length, mut into) = (0.0, NONE);
    let mut node = match found.end {
        End::Known => {
            length = shared.length;
            NONE
        }
        End::Arrived(goal) => {
            length += goals[goal].length;
            into = goals[goal].edge;
            goals[goal].node
        }
        End::Halted(node) => {
            let tail = tail_from(map, query.old_tail, node).unwrap_or_default();
            let end = tail.last().map_or(NONE, |&e| map.edge_to[e as usize]);
            let goal = goals.iter().find(|goal| goal.node == end);
            length += goal.map_or(0.0, |goal| goal.length);
            into = goal.map_or(NONE, |goal| goal.edge);
            route.extend(tail.iter().rev());
            node
        }
    };
    if node != NONE {
        while labels[node as usize].edge != NONE {
            let edge = labels[node as usize].edge;
            route.push(edge);
            node = map.edge_from[edge as usize];
        }
        let root_cost = labels[node as usize].cost;
        length += route
            .iter()
            .map(|&e| f64::from(map.edge_length[e as usize]))
            .sum::<f64>();
        if let Some(start) = starts
            .iter()
            .find(|s| s.node == node && s.cost == root_cost && s.edge != NONE)
        {
            route.push(start.edge);
            length += start.length;
        }
        route.reverse();
    }
    Ok(FoundRoute {
        cost: found.cost,
        length,
        expansions: found.expansions,
        invisible: query.invisible(scratch.route()),
        into,
    })
}

impl RouteQuery<'_> {
    /// How many edges at the end of a route begin beyond the horizon.
    pub(super) fn invisible(&self, route: &[EdgeId]) -> u32 {
        if !self.horizon.is_finite() {
            return 0;
        }
        let mut paid = 0.0;
        for (i, &edge) in route.iter().enumerate() {
            if self.horizon.hides(paid) {
                return (route.len() - i) as u32;
            }
            let share = match i {
                0 if self.from.edge == edge => 1.0 - f64::from(self.from.along),
                0 if self.from.edge != NONE => f64::from(self.from.along),
                _ => 1.0,
            };
            paid = self.horizon.pay_part(&self.terms, paid, edge, share);
        }
        0
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use throng_core::{EdgePrices, Location};

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
            horizon: Horizon::NONE,
            old_tail: &[],
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
