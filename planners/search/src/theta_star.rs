//! Planner `theta-star`: any-angle routes over any map (Nash, Daniel, Koenig, Felner 2007), with
//! prices in its lines of sight (Pentheny 2015).
//!
//! The search runs over the map's nodes, but the parent of a node may be any earlier one in its
//! sight, so routes are not bound to the map's edges. A straight piece from p to n costs the line
//! integral of base + w * crowd along it, which comes with the line of sight and is kept with the
//! node: asked again from the same parent it costs nothing. The lazy variant (Nash, Koenig, Tovey
//! 2010) takes sight for granted until a node is expanded, and then looks once. Last the route is
//! pulled tight round the corners of walls, which are not nodes of most maps; no piece is
//! replaced by a dearer one. Where prices have time slices, lines are priced at the time the agent
//! would get there.
//!
//! Two ways round an obstacle may differ by less than what a walk over nodes is longer than one
//! round corners, so the shorter one may look the longer. A second look pulls the cheapest route
//! over the map's edges tight as well and takes the cheaper of the two.

use glam::Vec3;
use throng_core::{
    Attachment, Capabilities, EdgeId, Gate, GlobalPlanner, Location, NONE, NoRoute, NodeId,
    PlanRequest, PlannerError, RouteSink, Scratch, World, choices, options, register,
};
use throng_kit::{
    search::{
        Connectivity, Entry, Heap, Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route,
    },
    taut::{TautScratch, Turn, gate_at, pull_tight},
};

use crate::{astar::roomier, straight::Straight};

choices! {
    /// When lines of sight are looked along.
    pub enum Variant {
        /// For every pair of a node and the parent of a neighbour: the shortest routes.
        Basic = "basic",
        /// Once for every node expanded: fewer looks, hardly longer routes.
        Lazy = "lazy",
    }
}

options! {
    /// Any-angle routes over the map's nodes.
    pub struct ThetaStar {
        /// When lines of sight are looked along.
        variant: Variant = Variant::Lazy;
        /// Whether routes are pulled tight round the corners of walls.
        taut: bool = true;
        /// Whether the cheapest route over the map's edges is pulled tight too, on dense maps, and
        /// the cheaper of the two taken: fewer routes go round the wrong side of something.
        second_look: bool = true;
        /// Factor on the heuristic: above 1 the search expands fewer nodes and routes may cost up
        /// to so many times as much.
        weight: f32 = 1.0, "", 1.0..=10.0;
        /// Nodes that one search may expand; 0 for no limit.
        limit: u32 = 0, "nodes", 0..=1000000000;
    }
    state {
        /// Which nodes are connected, for one state of the doors.
        connectivity: Option<Connectivity>,
        heuristic: Option<Heuristic>,
    }
}

register! {
    Planner "theta-star" => ThetaStar,
    about: "Any-angle routes: theta* with priced lines of sight, pulled tight round walls.",
    when: "Routes should be as short as the ground allows whatever the map, or should pass crowds at any angle.",
    when_not: "The map's gates have width already (routes over its edges are pulled tight as they are), or very many agents share few goals.",
    growth: "Time in the nodes between start and goal, each with a walk over the ground to its parent; memory 72 bytes a node and thread, 16 more for the second look.",
    paper: "Nash, Daniel, Koenig, Felner: Theta*: any-angle path planning on grids, AAAI 2007; Pentheny: Advanced techniques for robust, efficient crowds, Game AI Pro 2, 2015",
    needs: Capabilities::GRAPH,
    offers: Capabilities::ROUTES,
}

/// What a search knows of a node. It holds if `stamp` is the search's generation (open) or one
/// more (closed).
#[derive(Clone, Copy, Debug)]
struct Label {
    cost: f64,
    /// The node at the other end of the last piece.
    parent: NodeId,
    /// The edge that the last piece follows, or NONE if it is straight.
    edge: EdgeId,
    /// The edge by which the node was come upon, or NONE.
    via: EdgeId,
    stamp: u32,
    /// The parent looked from last and the price of that line; infinite if it is not free.
    looked_from: NodeId,
    looked: f32,
    /// Whether the line to the parent was looked along.
    sure: bool,
    /// Metres from the start.
    metres: f64,
}

const UNKNOWN: Label = Label {
    cost: f64::INFINITY,
    parent: NONE,
    edge: NONE,
    via: NONE,
    stamp: 0,
    looked_from: NONE,
    looked: f32::INFINITY,
    sure: true,
    metres: 0.0,
};

/// What a thread keeps from batch to batch.
#[derive(Debug, Default)]
struct Workspace {
    labels: Vec<Label>,
    generation: u32,
    heap: Heap,
    near: Vec<NodeId>,
    walk: Vec<Turn>,
    other: Vec<Turn>,
    ends: Option<[Attachment; 2]>,
    search: SearchScratch,
    gates: Vec<Gate>,
    taut: TautScratch,
}

#[typetag::serde(name = "theta-star")]
impl GlobalPlanner for ThetaStar {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let workspace = scratch.get::<Workspace>();
        let doors = world.site.ground.door_open;
        let known = self.connectivity.as_ref();
        let known = known.filter(|k| k.holds_for(world.map, doors));
        for request in requests {
            match self.find(world, known, request, workspace) {
                Ok((length, cost)) => {
                    routes.push_gates(workspace.gates.drain(..), length as f32, cost as f32);
                }
                Err(why) => routes.push_missing(why),
            }
        }
    }

    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let doors = world.site.ground.door_open;
        let holds = |k: &Connectivity| k.holds_for(world.map, doors);
        if !self.connectivity.as_ref().is_some_and(holds) {
            let same = self
                .connectivity
                .as_ref()
                .is_some_and(|k| k.is_of(world.map));
            if !same || self.heuristic.is_none() {
                self.heuristic = Some(Heuristic::of(world.map));
            }
            self.connectivity = Some(Connectivity::new(world.map, doors));
        }
        Ok(())
    }
}

/// A way between a place off the graph and a node: straight where that is free, else along a part
/// of the edge that the place hangs on.
#[derive(Clone, Copy, Debug)]
struct Link {
    node: NodeId,
    edge: EdgeId,
    /// Part of the edge that is walked.
    share: f32,
    /// Metres, where there is neither sight nor an edge.
    distance: f32,
    /// Whether any body gets there that fits at the place.
    wide: bool,
}

impl Link {
    /// The ways from (or, if `arriving`, to) a place.
    fn both(world: &World<'_>, at: Attachment, arriving: bool) -> [Option<Link>; 2] {
        let link = |node, edge, share| Link {
            node,
            edge,
            share,
            distance: at.distance,
            wide: node == at.node,
        };
        if at.edge == NONE {
            return [Some(link(at.node, NONE, 0.0)), None];
        }
        let (map, along) = (world.map, at.along.clamp(0.0, 1.0));
        let e = at.edge as usize;
        let (from, to, twin) = (map.edge_from[e], map.edge_to[e], map.edge_twin[e]);
        let back = |node, share| (twin != NONE).then(|| link(node, twin, share));
        if arriving {
            [Some(link(from, at.edge, along)), back(to, 1.0 - along)]
        } else {
            [Some(link(to, at.edge, 1.0 - along)), back(from, along)]
        }
    }

    /// What it costs where it is not straight.
    fn cost(&self, terms: &Terms<'_>) -> f64 {
        if self.edge == NONE {
            f64::from(self.distance) * terms.least_base
        } else {
            let whole = if self.wide {
                terms.cost_of_part(self.edge)
            } else {
                terms.cost(self.edge)
            };
            whole * f64::from(self.share)
        }
    }
}

/// One search under way. Nodes are those of the map, then the goal, then the start.
struct Search<'a, 'w> {
    world: &'a World<'w>,
    terms: Terms<'a>,
    straight: Straight<'a, 'w>,
    from: Location,
    to: Location,
    starts: [Option<Link>; 2],
    goals: [Option<Link>; 2],
    greed: f64,
    lazy: bool,
    labels: &'a mut [Label],
    heap: &'a mut Heap,
    open: u32,
}

impl Search<'_, '_> {
    fn goal(&self) -> NodeId {
        self.world.map.nodes() as NodeId
    }

    fn start(&self) -> NodeId {
        self.goal() + 1
    }

    fn place(&self, node: NodeId) -> Location {
        match self.world.map.node_place.get(node as usize) {
            Some(&place) => place,
            None if node == self.goal() => self.to,
            None => self.from,
        }
    }

    fn is_closed(&self, node: NodeId) -> bool {
        self.labels[node as usize].stamp > self.open
    }

    /// The label of a node, made new if it is of an earlier search.
    fn label(&mut self, node: NodeId) -> &mut Label {
        let label = &mut self.labels[node as usize];
        if label.stamp < self.open {
            *label = Label {
                stamp: self.open,
                ..UNKNOWN
            };
        }
        label
    }

    /// The price of the line from a parent to a node, looked along at most once in a row.
    fn look(&mut self, parent: NodeId, node: NodeId) -> f64 {
        let label = *self.label(node);
        if label.looked_from == parent {
            return f64::from(label.looked);
        }
        let before = self.labels[parent as usize].metres;
        let ends = (self.place(parent), self.place(node));
        let price = self.straight.price_after(before, ends.0, ends.1);
        let price = price.unwrap_or(f64::INFINITY) as f32;
        let label = self.label(node);
        (label.looked_from, label.looked) = (parent, price);
        f64::from(price)
    }

    /// Offers a node a way; takes it if it is cheaper than the one it has.
    fn offer(&mut self, node: NodeId, way: Label) {
        if way.cost < self.label(node).cost {
            self.adopt(node, way);
            self.push(node);
        }
    }

    /// Makes a way that of a node.
    fn adopt(&mut self, node: NodeId, way: Label) {
        let piece = self
            .place(way.parent)
            .point
            .distance(self.place(node).point);
        let metres = self.labels[way.parent as usize].metres + f64::from(piece);
        let label = self.label(node);
        *label = Label {
            looked_from: label.looked_from,
            looked: label.looked,
            stamp: label.stamp,
            metres,
            ..way
        };
    }

    fn push(&mut self, node: NodeId) {
        let left = self.straight.bound(self.place(node).point, self.to.point);
        let cost = self.labels[node as usize].cost;
        let key = cost + self.greed * left;
        self.heap.push(Entry::new(key, left as f32, node));
    }

    /// Offers a neighbour of an expanded node the two ways that there are: by the node's own
    /// parent in a straight line, or by the node.
    fn relax(&mut self, at: NodeId, node: NodeId, edge: EdgeId, step: f64) {
        if !step.is_finite() || self.is_closed(node) {
            return;
        }
        let parent = self.labels[at as usize].parent;
        let before = self.labels[parent as usize].cost;
        // A node whose way is known is offered nothing on trust: that could hide a better one.
        let known = *self.label(node);
        if self.lazy && !(known.sure && known.cost.is_finite()) {
            let (p, n) = (self.place(parent).point, self.place(node).point);
            let cost = before + self.straight.bound(p, n);
            let way = Label {
                cost,
                parent,
                via: edge,
                sure: false,
                ..UNKNOWN
            };
            self.offer(node, way);
            return;
        }
        let cost = before + self.look(parent, node);
        let straight = Label {
            cost,
            parent,
            via: edge,
            ..UNKNOWN
        };
        self.offer(node, straight);
        let cost = self.labels[at as usize].cost + step;
        let along = Label {
            cost,
            parent: at,
            edge,
            via: edge,
            ..UNKNOWN
        };
        self.offer(node, along);
    }

    /// Looks along the line that a node was given on trust. Gives whether the node may be
    /// expanded now; if its way turned out dearer it waits for its turn.
    fn make_sure(&mut self, node: NodeId) -> bool {
        let map = self.world.map;
        let trusted = self.labels[node as usize];
        let price = self.look(trusted.parent, node);
        let mut best = Label {
            cost: self.labels[trusted.parent as usize].cost + price,
            sure: true,
            ..trusted
        };
        let mut consider = |search: &mut Self, from: NodeId, edge: EdgeId, step: f64| {
            let cost = search.labels[from as usize].cost + step;
            if search.is_closed(from) && cost < best.cost {
                best = Label {
                    cost,
                    parent: from,
                    edge,
                    sure: true,
                    ..trusted
                };
            }
        };
        if node == self.goal() {
            for link in self.goals.into_iter().flatten() {
                let step = link.cost(&self.terms);
                consider(self, link.node, link.edge, step);
            }
        } else {
            if trusted.via != NONE {
                let step = self.terms.cost(trusted.via);
                consider(self, map.edge_from[trusted.via as usize], trusted.via, step);
            }
            for e in map.edges_of(node) {
                let twin = map.edge_twin[e];
                if twin != NONE {
                    let step = self.terms.cost(twin);
                    consider(self, map.edge_to[e], twin, step);
                }
            }
        }
        self.adopt(node, best);
        if best.cost > trusted.cost + 1e-6 * (1.0 + trusted.cost) {
            if best.cost.is_finite() {
                self.push(node);
            }
            return false;
        }
        true
    }

    /// Runs until the goal is reached.
    fn run(&mut self, most_expansions: u32) -> Result<(), NoRoute> {
        let (start, goal) = (self.start(), self.goal());
        *self.label(start) = Label {
            cost: 0.0,
            parent: start,
            stamp: self.open + 1,
            ..UNKNOWN
        };
        self.label(goal);
        let direct = self.look(start, goal);
        let way = Label {
            cost: direct,
            parent: start,
            ..UNKNOWN
        };
        self.offer(goal, way);
        for link in self.starts.into_iter().flatten() {
            let seen = self.look(start, link.node);
            let (cost, edge) = if seen.is_finite() {
                (seen, NONE)
            } else {
                (link.cost(&self.terms), link.edge)
            };
            if cost.is_finite() {
                let way = Label {
                    cost,
                    parent: start,
                    edge,
                    ..UNKNOWN
                };
                self.offer(link.node, way);
            }
        }
        let mut expansions = 0;
        while let Some(entry) = self.heap.pop() {
            let node = entry.node();
            if self.is_closed(node) {
                continue;
            }
            if !self.labels[node as usize].sure && !self.make_sure(node) {
                continue;
            }
            self.labels[node as usize].stamp = self.open + 1;
            if node == goal {
                return Ok(());
            }
            expansions += 1;
            if most_expansions > 0 && expansions > most_expansions {
                return Err(NoRoute::Limit);
            }
            for e in self.world.map.edges_of(node) {
                let step = self.terms.cost(e as EdgeId);
                self.relax(node, self.world.map.edge_to[e], e as EdgeId, step);
            }
            for link in self.goals.into_iter().flatten() {
                if link.node == node {
                    self.relax(node, goal, link.edge, link.cost(&self.terms));
                }
            }
        }
        Err(NoRoute::Unconnected)
    }

    /// Writes the walk from start to goal.
    fn trace_back(&self, walk: &mut Vec<Turn>, gates: &mut Vec<Gate>) {
        walk.clear();
        let mut node = self.goal();
        loop {
            walk.push(Turn::free(self.place(node)));
            if node == self.start() {
                break;
            }
            let label = self.labels[node as usize];
            let ends = (self.place(label.parent), self.place(node));
            if label.edge != NONE && self.straight.price(ends.0, ends.1).is_none() {
                self.follow(label.edge, label.parent, node, walk, gates);
            }
            node = label.parent;
        }
        walk.reverse();
    }

    /// Appends the middles of an edge's gates, last first.
    fn follow(
        &self,
        edge: EdgeId,
        parent: NodeId,
        node: NodeId,
        walk: &mut Vec<Turn>,
        gates: &mut Vec<Gate>,
    ) {
        gates.clear();
        let World { nav, site, map, .. } = self.world;
        nav.emit_gates(site, map, &[edge], gates);
        let share = |links: &[Option<Link>; 2]| {
            let link = links.iter().flatten().find(|l| l.edge == edge);
            link.map_or(1.0, |l| l.share)
        };
        let count = gates.len() as f32;
        let mut middles: &[Gate] = gates;
        if parent == self.start() {
            middles = &middles[(count * (1.0 - share(&self.starts))) as usize..];
        } else if node == self.goal() {
            middles = &middles[..(count * share(&self.goals)) as usize];
        }
        // The last gate of an edge may be its end.
        let end = self.place(node).point;
        walk.extend(
            middles
                .iter()
                .rev()
                .filter(|gate| gate.middle != end)
                .map(|gate| {
                    Turn::free(Location {
                        point: gate.middle,
                        triangle: gate.triangle,
                    })
                }),
        );
    }
}

impl ThetaStar {
    /// Finds a route, leaves its gates in the workspace and gives length and cost.
    fn find(
        &self,
        world: &World<'_>,
        known: Option<&Connectivity>,
        request: &PlanRequest,
        workspace: &mut Workspace,
    ) -> Result<(f64, f64), NoRoute> {
        let cost = match self.search(world, known, request, workspace) {
            Err(NoRoute::Unconnected) if request.radius > 0.0 => {
                // Is it the radius? The same search for a point tells.
                let point = PlanRequest {
                    radius: 0.0,
                    ..*request
                };
                return Err(match self.search(world, known, &point, workspace) {
                    Ok(_) => NoRoute::TooNarrow,
                    Err(why) => why,
                });
            }
            other => other?,
        };
        let Workspace {
            walk,
            other,
            ends,
            search,
            taut,
            gates,
            ..
        } = workspace;
        let straight = Straight::new(world, request);
        let ground = &world.site.ground;
        let (mut length, mut paid) = self.pull(world, request, &straight, walk, taut);
        // Nothing is shorter than one straight line, where every metre costs the same.
        let may_gain = self.taut && self.second_look && ground.plan;
        if may_gain
            && (walk.len() > 2 || !straight.is_uniform())
            && self.over_edges(world, request, *ends, &straight, search, other)
        {
            let (other_length, other_paid) = self.pull(world, request, &straight, other, taut);
            if other_paid < paid {
                (length, paid) = (other_length, other_paid);
                core::mem::swap(walk, other);
            }
        }
        gates.clear();
        let at = |turn: &Turn| -> Vec3 { turn.at.point };
        gates.extend(
            walk.windows(3)
                .map(|w| gate_at(ground, at(&w[0]), w[1], at(&w[2]))),
        );
        // Pieces along edges are priced by the search alone.
        Ok((length, if self.taut { paid.min(cost) } else { cost }))
    }

    /// Pulls a walk tight, if that is wanted, and gives its length and price.
    fn pull(
        &self,
        world: &World<'_>,
        request: &PlanRequest,
        straight: &Straight<'_, '_>,
        walk: &mut Vec<Turn>,
        taut: &mut TautScratch,
    ) -> (f64, f64) {
        if self.taut {
            // About when a piece is begun: pulling hardly changes it.
            let begin = request.from.point;
            let ground = &world.site.ground;
            pull_tight(ground, request.radius, walk, taut, &mut |a, b| {
                straight.price_after(f64::from(begin.distance(a.point)), a, b)
            });
        }
        let (mut length, mut paid) = (0.0, 0.0);
        for pair in walk.windows(2) {
            let price = straight.price_after(length, pair[0].at, pair[1].at);
            length += straight.length(pair[0].at, pair[1].at);
            paid += price.unwrap_or_else(|| straight.bound(pair[0].at.point, pair[1].at.point));
        }
        (length, paid)
    }

    /// Leaves the walk along the cheapest edges in `walk`; false if there is none all of whose
    /// pieces are straight and free.
    fn over_edges(
        &self,
        world: &World<'_>,
        request: &PlanRequest,
        ends: Option<[Attachment; 2]>,
        straight: &Straight<'_, '_>,
        search: &mut SearchScratch,
        walk: &mut Vec<Turn>,
    ) -> bool {
        let Some([from, to]) = ends.filter(|e| e.iter().all(|end| end.edge == NONE)) else {
            return false;
        };
        let prices = request.prices as usize;
        let query = RouteQuery {
            terms: Terms::new(world, prices, request.weight, request.radius),
            from,
            to,
            heuristic: self.heuristic.unwrap_or_else(|| Heuristic::of(world.map)),
            greed: self.weight.max(1.0),
            most_expansions: self.limit,
            horizon: Horizon::NONE,
            old_tail: &[],
        };
        if find_route(&query, search).is_err() {
            return false;
        }
        let map = world.map;
        walk.clear();
        walk.push(Turn::free(request.from));
        let nodes = search.route().iter().map(|e| map.edge_to[*e as usize]);
        let places = core::iter::once(from.node).chain(nodes);
        let places = places.map(|n| map.node_place[n as usize]);
        for place in places.chain(core::iter::once(request.to)) {
            if walk.last().is_none_or(|last| last.at.point != place.point) {
                walk.push(Turn::free(place));
            }
        }
        let mut pieces = walk.windows(2);
        pieces.all(|w| straight.price(w[0].at, w[1].at).is_some())
    }

    /// Searches, leaves the walk in the workspace and gives its cost.
    fn search(
        &self,
        world: &World<'_>,
        known: Option<&Connectivity>,
        request: &PlanRequest,
        workspace: &mut Workspace,
    ) -> Result<f64, NoRoute> {
        let mut attached = [Attachment::NOWHERE; 2];
        let places = [request.from, request.to];
        let hints = [request.from_region, NONE];
        world
            .nav
            .attach(&world.site, world.map, &places, &hints, &mut attached);
        let [from, to] = attached;
        if from.node == NONE {
            return Err(NoRoute::StartOffMap);
        }
        if to.node == NONE {
            return Err(NoRoute::GoalOffMap);
        }
        let prices = request.prices as usize;
        let mut terms = Terms::new(world, prices, request.weight, request.radius);
        let from = roomier(world, &terms, request.from, from, &mut workspace.near);
        let to = roomier(world, &terms, request.to, to, &mut workspace.near);
        workspace.ends = Some([from, to]);
        if let Some(known) = known {
            terms = terms.nowhere_narrower_than(known.least_clearance());
            match known.widest(from.node, to.node) {
                None => return Err(NoRoute::Unconnected),
                Some(width) if !terms.fits(width) && from.edge == NONE && to.edge == NONE => {
                    return Err(NoRoute::TooNarrow);
                }
                Some(_) => {}
            }
        }
        let Workspace {
            labels,
            generation,
            heap,
            walk,
            gates,
            ..
        } = workspace;
        if *generation > u32::MAX - 4 {
            labels.fill(UNKNOWN);
            *generation = 0;
        }
        *generation += 2;
        if labels.len() < world.map.nodes() + 2 {
            labels.resize(world.map.nodes() + 2, UNKNOWN);
        }
        heap.clear();
        let mut search = Search {
            world,
            terms,
            straight: Straight::new(world, request),
            from: request.from,
            to: request.to,
            starts: Link::both(world, from, false),
            goals: Link::both(world, to, true),
            greed: f64::from(self.weight.max(1.0)),
            lazy: self.variant == Variant::Lazy,
            labels,
            heap,
            open: *generation,
        };
        search.run(self.limit)?;
        search.trace_back(walk, gates);
        Ok(search.labels[search.goal() as usize].cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;
    use throng_core::{RouteKind, RouteRow};

    fn plan(planner: &ThetaStar, test: &TestWorld, requests: &[PlanRequest]) -> RouteSink {
        let mut planner = planner.clone();
        let mut routes = RouteSink::default();
        test.with(|world| {
            // Unprepared, in reverse and with a warm scratch: the same answers.
            let mut scratch = Scratch::default();
            let mut again = RouteSink::default();
            for request in requests.iter().rev() {
                planner.plan(world, &[*request], &mut scratch, &mut again);
            }
            planner.prepare(world).unwrap();
            planner.plan(world, requests, &mut scratch, &mut routes);
            for (a, b) in routes.rows.iter().zip(again.rows.iter().rev()) {
                assert_eq!((a.kind, a.length, a.cost), (b.kind, b.length, b.cost));
            }
        });
        routes
    }

    fn both() -> [ThetaStar; 2] {
        [Variant::Basic, Variant::Lazy].map(|variant| ThetaStar {
            variant,
            ..ThetaStar::default()
        })
    }

    #[test]
    fn open_ground_is_crossed_in_a_straight_line() {
        let test = TestWorld::new(9, 7, |_, _| true);
        for planner in both() {
            let routes = plan(&planner, &test, &[test.request((0, 0), (8, 5))]);
            let RouteRow {
                kind,
                length,
                cost,
                count,
                ..
            } = routes.rows[0];
            assert_eq!((kind, count), (RouteKind::Gates, 0));
            let wanted = 89.0_f32.sqrt();
            assert!((length - wanted).abs() < 1e-5 && (cost - wanted).abs() < 1e-5);
        }
    }

    #[test]
    fn points_go_by_the_corners_of_walls_exactly() {
        // A wall at x = 3 but for its top cell: over the corners (3, 6) and (4, 6).
        let test = TestWorld::new(7, 7, |x, y| x != 3 || y == 6);
        let mut request = test.request((0, 0), (6, 0));
        request.radius = 0.0;
        for planner in both() {
            let routes = plan(&planner, &test, &[request]);
            let wanted = 2.0 * (2.5_f32 * 2.5 + 5.5 * 5.5).sqrt() + 1.0;
            let row = routes.rows[0];
            assert!(
                (row.length - wanted).abs() < 1e-4,
                "{} {wanted}",
                row.length
            );
            assert_eq!(row.count, 2);
            assert!(routes.gates.iter().all(|g| g.flags != 0), "gates at walls");
            let loose = ThetaStar {
                taut: false,
                ..planner
            };
            let loose = plan(&loose, &test, &[request]).rows[0].length;
            assert!(
                loose > wanted + 0.1,
                "cell centres alone are longer: {loose}"
            );
        }
    }

    #[test]
    fn nobody_passes_between_cells_that_touch_at_a_corner() {
        // Solid cells (1, 1) and (2, 0) touch at (2, 1).
        let test = TestWorld::new(4, 3, |x, y| (x, y) != (1, 1) && (x, y) != (2, 0));
        let mut request = test.request((1, 0), (2, 1));
        request.radius = 0.0;
        for planner in both() {
            let row = plan(&planner, &test, &[request]).rows[0];
            // Round cell (1, 1): by (1, 1), (1, 2) and (2, 2).
            let corner = 0.5_f32.sqrt();
            assert!(
                (row.length - (2.0 + 2.0 * corner)).abs() < 1e-4,
                "{}",
                row.length
            );
        }
    }

    #[test]
    fn crowds_are_passed_by_where_that_is_cheaper() {
        let mut test = TestWorld::new(15, 15, |_, _| true);
        test.crowd(|at| {
            let (x, y) = (at.x, at.y);
            if (5.0..10.0).contains(&x) && (5.0..10.0).contains(&y) {
                9.0
            } else {
                0.0
            }
        });
        let request = test.request((1, 7), (13, 7));
        for planner in both() {
            let routes = plan(&planner, &test, &[request]);
            let row = routes.rows[0];
            // Round the block of 5 m the way is at least 2 sqrt(3.5^2 + 2.5^2) + 5 long.
            assert!(row.length > 13.5 && row.length < 15.5, "{}", row.length);
            assert!(row.cost < row.length * 1.2, "{row:?}");
            let indifferent = PlanRequest {
                weight: 0.0,
                ..request
            };
            let row = plan(&planner, &test, &[indifferent]).rows[0];
            assert!((row.length - 12.0).abs() < 1e-4, "{}", row.length);
        }
    }

    #[test]
    fn crowds_that_will_be_gone_are_walked_through() {
        let mut test = TestWorld::new(21, 9, |_, _| true);
        test.crowd(|at| {
            if (14.0..17.0).contains(&at.x) && at.y < 8.0 {
                9.0
            } else {
                0.0
            }
        });
        let request = test.request((1, 1), (19, 1));
        let now = test.prices[0].clone();
        for planner in both() {
            let round = plan(&planner, &test, &[request]).rows[0];
            assert!(round.length > 20.0, "{}", round.length);
            // The same crowd now, and nobody from 5 s on: it is reached after 10 s.
            let mut later = TestWorld::new(21, 9, |_, _| true);
            let cells = now.crowd.len();
            later.edge_prices = test.edge_prices.clone();
            later.prices[0] = now.clone();
            later.prices[0].resize(cells, 1, 2);
            later.prices[0].slice_seconds = 5.0;
            later.prices[0].base.fill(1.0);
            later.prices[0].crowd[cells..].fill(0.0);
            let through = plan(&planner, &later, &[request]).rows[0];
            assert!((through.length - 18.0).abs() < 0.1, "{}", through.length);
        }
    }

    #[test]
    fn reasons_are_told_apart() {
        let test = TestWorld::new(7, 3, |x, _| x != 3);
        for planner in both() {
            let routes = plan(&planner, &test, &[test.request((0, 0), (6, 0))]);
            assert_eq!(
                routes.rows[0].kind,
                RouteKind::Missing(NoRoute::Unconnected)
            );
            let open = TestWorld::new(7, 3, |x, y| x != 3 || y == 1);
            let mut wide = open.request((0, 0), (6, 0));
            wide.radius = 0.8;
            let routes = plan(&planner, &open, &[wide]);
            assert_eq!(routes.rows[0].kind, RouteKind::Missing(NoRoute::TooNarrow));
            let limited = ThetaStar {
                limit: 2,
                ..planner
            };
            let mut point = open.request((0, 0), (6, 0));
            point.radius = 0.0;
            let routes = plan(&limited, &open, &[point]);
            assert_eq!(routes.rows[0].kind, RouteKind::Missing(NoRoute::Limit));
        }
    }
}
