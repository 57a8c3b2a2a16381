//! Routes read from fields: over a stencil's slots, or over the edges of a sparse map.

use throng_core::{
    Attachment, EdgeId, Gate, Location, NONE, NavMap, NoRoute, NodeId, PlanRequest, RouteSink,
    World,
};
use throng_kit::{
    Walk,
    search::{Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route},
};

use crate::{
    expand::Expansion,
    field::Field,
    stencil::{Slot, Stencil, length},
    step_costs::StepCosts,
};

/// A dense field with what it was grown over.
#[derive(Clone, Copy)]
pub(crate) struct Dense<'a> {
    pub stencil: &'a Stencil,
    pub costs: &'a StepCosts,
    pub field: &'a Field,
    pub expansion: Expansion,
}

impl Dense<'_> {
    /// Leaves the gates from a node to the goal in `gates`; gives length and cost. The length is
    /// that over the map's steps if costs are and it is asked for by `steps`, else over straight
    /// lines.
    pub fn read(
        &self,
        map: &NavMap,
        from: NodeId,
        steps: bool,
        gates: &mut Vec<Gate>,
    ) -> Result<(f64, f64), NoRoute> {
        let field = self.field;
        let slot = self.stencil.slot_of(from);
        let cost = field.cost.get(slot as usize).copied();
        let cost = cost.filter(|c| c.is_finite());
        let cost = cost.ok_or(NoRoute::Unconnected)?;
        gates.clear();
        let mut lines = 0.0;
        let mut at = slot;
        loop {
            let next = self.ahead(at);
            if next == at {
                break;
            }
            // A damaged field must not be walked for ever.
            if next == NONE || gates.len() > field.cost.len() {
                return Err(NoRoute::Failed);
            }
            let place = |slot: Slot| map.node_place[self.stencil.node[slot as usize] as usize];
            lines += f64::from(place(at).point.distance(place(next).point));
            gates.push(Gate::waypoint(place(next)));
            at = next;
        }
        let length = match self.expansion {
            Expansion::ThetaStar => lines,
            Expansion::Dijkstra if steps => self.stepped(slot).unwrap_or(lines),
            Expansion::Dijkstra => lines,
        };
        Ok((length, f64::from(cost)))
    }

    /// The slot to walk straight to from another one.
    pub fn ahead(&self, at: Slot) -> Slot {
        let (stencil, field) = (self.stencil, self.field);
        let mut next = field.next_of(stencil, at);
        let Some(sight) = self.costs.sight.as_ref().filter(|_| field.next.is_empty()) else {
            return next;
        };
        // Neighbour by neighbour, as far as all of them are seen.
        let place = |slot: Slot| (slot as i32 % stencil.stride, slot as i32 / stencil.stride);
        let (column, row) = place(at);
        for _ in 0..field.cost.len() {
            let after = field.next_of(stencil, next);
            if after == next || after == NONE {
                break;
            }
            let (x, y) = place(after);
            if !sight.sees(&self.costs.open, at, (x - column, y - row)) {
                break;
            }
            next = after;
        }
        next
    }

    /// Metres over the map's steps by the cheapest way.
    fn stepped(&self, from: Slot) -> Option<f64> {
        let Dense {
            stencil,
            costs,
            field,
            ..
        } = *self;
        let mut metres = 0.0;
        let mut at = from;
        while field.next_of(stencil, at) != at {
            let s = at as usize;
            let mut best = (f32::INFINITY, NONE, 0);
            for k in (0..8).filter(|k| costs.open[s] >> k & 1 == 1) {
                let next = stencil.after(at, k);
                let left = field.cost[next as usize];
                let step = match costs.each.get(s) {
                    Some(each) => each[k],
                    None => (costs.metre * length(k, stencil.spacing)) as f32,
                };
                if left < field.cost[s] && left + step < best.0 {
                    best = (left + step, next, k);
                }
            }
            if best.1 == NONE {
                // Out of a place that is too narrow.
                best.1 = field.next_of(stencil, at);
                if best.1 == NONE {
                    return None;
                }
                let apart = stencil.place(at).distance(stencil.place(best.1));
                metres += f64::from(apart);
                if field
                    .cost
                    .get(best.1 as usize)
                    .is_none_or(|c| *c >= field.cost[s])
                {
                    return None;
                }
            } else {
                metres += length(best.2, stencil.spacing);
            }
            at = best.1;
        }
        Some(metres)
    }
}

/// A way between a place and a node: the node alone, or a part of an edge next to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stub {
    pub node: NodeId,
    pub edge: EdgeId,
    pub cost: f64,
    pub length: f64,
}

impl Stub {
    /// The ways from (or, if `arriving`, to) an attachment that may be walked.
    pub fn both(terms: &Terms<'_>, at: Attachment, arriving: bool) -> [Option<Stub>; 2] {
        if at.node == NONE {
            return [None; 2];
        }
        if at.edge == NONE {
            let alone = Stub {
                node: at.node,
                edge: NONE,
                cost: 0.0,
                length: 0.0,
            };
            return [Some(alone), None];
        }
        let map = terms.map;
        let (e, along) = (at.edge as usize, f64::from(at.along.clamp(0.0, 1.0)));
        let (from, to, twin) = (map.edge_from[e], map.edge_to[e], map.edge_twin[e]);
        let part = |edge: EdgeId, share: f64, node: NodeId| {
            // At its wide end any body fits that fits at the place.
            let cost = if node == at.node {
                terms.cost_of_part(edge)
            } else {
                terms.cost(edge)
            };
            cost.is_finite().then(|| Stub {
                node,
                edge,
                cost: cost * share,
                length: f64::from(map.edge_length[edge as usize]) * share,
            })
        };
        let other = |share, node| (twin != NONE).then(|| part(twin, share, node)).flatten();
        if arriving {
            [part(at.edge, along, from), other(1.0 - along, to)]
        } else {
            [part(at.edge, 1.0 - along, to), other(along, from)]
        }
    }
}

/// A field on a sparse map: the edge to take next from every node.
#[derive(Clone, Copy)]
pub(crate) struct Tree<'a> {
    pub terms: Terms<'a>,
    pub field: &'a Field,
}

/// The nodes that a tree begins at: those of the goal that a body can enter, or, where there is
/// none, the ways to its anchor.
pub(crate) fn sources(
    terms: &Terms<'_>,
    nodes: &[NodeId],
    anchor: Attachment,
) -> Vec<(NodeId, f32)> {
    let map = terms.map;
    let roomy = |n: &&NodeId| {
        map.edges_of(**n)
            .any(|e| terms.cost(e as EdgeId).is_finite())
    };
    let entered: Vec<_> = nodes.iter().filter(roomy).map(|n| (*n, 0.0)).collect();
    if !entered.is_empty() {
        return entered;
    }
    let arrivals = Stub::both(terms, anchor, true);
    let arrivals = arrivals.iter().flatten().map(|s| (s.node, s.cost as f32));
    let arrivals: Vec<_> = arrivals.collect();
    if arrivals.is_empty() {
        nodes.iter().map(|n| (*n, 0.0)).collect()
    } else {
        arrivals
    }
}

impl Tree<'_> {
    /// Answers a request with the edges of the tree, and on from its root to the place asked for.
    pub fn read(
        &self,
        world: &World<'_>,
        request: &PlanRequest,
        (from, to): (Attachment, Attachment),
        search: &mut SearchScratch,
        routes: &mut RouteSink,
    ) -> Result<(), NoRoute> {
        let (map, terms) = (world.map, &self.terms);
        let beside = f64::from(from.distance) + f64::from(to.distance);
        if let Some((length, cost)) = along_one(terms, from, to) {
            let metre = if length > 0.0 {
                cost / length
            } else {
                terms.least_base
            };
            if world.site.ground.sees(request.from, request.to) {
                let length = f64::from(request.from.point.distance(request.to.point));
                routes.push_edges([], length as f32, (length * metre) as f32);
            } else {
                let mut gates = Vec::new();
                along_one_edge(world, from, to, &mut gates);
                let length = length + beside;
                routes.push_gates(gates, length as f32, (length * metre) as f32);
            }
            return Ok(());
        }
        let left = |stub: &Stub| stub.cost + f64::from(self.field.cost[stub.node as usize]);
        let start = Stub::both(terms, from, false)
            .into_iter()
            .flatten()
            .filter(|stub| left(stub).is_finite())
            .min_by(|a, b| left(a).total_cmp(&left(b)))
            .ok_or(NoRoute::Unconnected)?;
        let arrivals = Stub::both(terms, to, true);
        let arrival = |node: NodeId| arrivals.into_iter().flatten().find(|s| s.node == node);
        let first = routes.edges.len();
        let mut edges = core::mem::take(&mut routes.edges);
        let (mut length, mut cost) = (start.length, start.cost);
        edges.extend((start.edge != NONE).then_some(start.edge));
        let mut node = start.node;
        let mut end = arrival(node);
        while end.is_none() {
            let edge = self.field.next[node as usize];
            if edge == NONE || edges.len() - first > map.nodes() {
                break;
            }
            edges.push(edge);
            length += f64::from(map.edge_length[edge as usize]);
            cost += terms.cost(edge);
            node = map.edge_to[edge as usize];
            end = arrival(node);
        }
        let mut path = edges.split_off(first);
        routes.edges = edges;
        let into;
        if let Some(end) = end {
            into = end.edge;
            (length, cost) = (length + end.length, cost + end.cost);
        } else {
            // The tree leads into the goal; the place asked for may be elsewhere in it.
            let query = RouteQuery {
                terms: *terms,
                from: Attachment {
                    node,
                    edge: NONE,
                    along: 0.0,
                    distance: 0.0,
                },
                to,
                heuristic: Heuristic::STRAIGHT,
                greed: 1.0,
                most_expansions: 0,
                horizon: Horizon::NONE,
                old_tail: &[],
            };
            let found = find_route(&query, search)?;
            (length, cost) = (length + found.length, cost + found.cost);
            let mut rest = search.route();
            // Not into a dead end and back.
            while let (Some(&last), Some((&next, after))) = (path.last(), rest.split_first())
                && map.edge_twin[last as usize] == next
                && path.len() > usize::from(start.edge != NONE)
            {
                path.pop();
                rest = after;
                length -= 2.0 * f64::from(map.edge_length[next as usize]);
                cost -= terms.cost(last) + terms.cost(next);
            }
            path.extend_from_slice(rest);
            into = found.into;
        }
        let metre = if length > 0.0 {
            cost / length
        } else {
            terms.least_base
        };
        let (length, cost) = (length + beside, cost + beside * metre);
        routes.push_edges_into(path, into, length as f32, cost as f32);
        Ok(())
    }
}

/// Metres and cost along an edge that both places hang on, if there is one.
fn along_one(terms: &Terms<'_>, from: Attachment, to: Attachment) -> Option<(f64, f64)> {
    if from.edge == NONE || to.edge == NONE {
        return None;
    }
    let twin = terms.map.edge_twin[from.edge as usize];
    let end = match to.edge {
        edge if edge == from.edge => to.along,
        edge if edge == twin => 1.0 - to.along,
        _ => return None,
    };
    let share = f64::from(end - from.along);
    let edge = if share >= 0.0 || twin == NONE {
        from.edge
    } else {
        twin
    };
    let whole = if from.node == to.node {
        terms.cost_of_part(edge)
    } else {
        terms.cost(edge)
    };
    let length = f64::from(terms.map.edge_length[edge as usize]);
    whole
        .is_finite()
        .then(|| (length * share.abs(), whole * share.abs()))
}

/// Gates between two places on one edge that do not see each other: its region bends round a
/// corner.
fn along_one_edge(world: &World<'_>, from: Attachment, to: Attachment, gates: &mut Vec<Gate>) {
    const PIECES: usize = 4;
    let map = world.map;
    let end = if from.edge == to.edge {
        to.along
    } else {
        1.0 - to.along
    };
    let back = end < from.along;
    let edge = if back {
        map.edge_twin[from.edge as usize]
    } else {
        from.edge
    };
    if edge == NONE {
        return;
    }
    gates.extend((0..=PIECES).filter_map(|i| {
        let along = from.along + (end - from.along) * i as f32 / PIECES as f32;
        let along = if back { 1.0 - along } else { along };
        world.nav.gate_at(&world.site, map, edge, along)
    }));
}

/// Where a place hangs on the map.
pub(crate) fn attach(world: &World<'_>, place: Location, hint: u32) -> Attachment {
    let mut out = [Attachment::NOWHERE];
    world
        .nav
        .attach(&world.site, world.map, &[place], &[hint], &mut out);
    out[0]
}
