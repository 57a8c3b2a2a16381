//! Planner `astar`: heap-based A* over the map's graph (Hart, Nilsson, Raphael 1968).
//!
//! An edge costs base + w * crowd, with each agent's own weight and radius. What is left is
//! bounded from below by the least base price times a distance that no route over this map
//! undercuts: octile on grids, else the straight line. Goals that nothing connects are told at
//! once, from the widest ways between all nodes, and never flood the map. On sparse maps dead ends
//! are pruned and chains contracted, with two sums each that serve every weight.
//!
//! With a `horizon` D the crowd is seen up to D metres away only (van Toll, Cook, Geraerts 2012):
//! farther is where the distance to the graph, plus the price paid from there times the walking
//! speed, exceeds D. Beyond it nothing but base prices count. `halt = "exact"` searches with the
//! crowd-free price to the goal (a tree per junction) as its bound, which is exact out there, and
//! ends at the first point beyond the horizon that it settles. `halt = "paper"` ends at the first
//! point that is beyond it now and was when the old route was made, and copies the rest of that:
//! their Theorem 1, which does not hold with a straight-line bound. Some routes are dearer.

use throng_core::{
    Attachment, Capabilities, EdgeId, EdgePrices, Gate, GlobalPlanner, Location, NONE, NoRoute,
    NodeId, PlanRequest, PlannerError, RouteSink, Scratch, World, choices, options, register,
};
use throng_kit::{
    Walk,
    search::{
        Chains, Connectivity, FoundRoute, FreeTrees, Heuristic, Horizon, RouteQuery, SearchScratch,
        Terms, find_route,
    },
    taut::{TautScratch, Turn, gate_at, pull_tight},
};

use crate::straight::Straight;

choices! {
    /// When a search with a horizon may end.
    pub enum Halt {
        /// At the first point beyond the horizon, with a bound that is exact there: the cheapest
        /// route.
        Exact = "exact",
        /// Where it meets the part of the old route that was and is beyond the horizon, as the
        /// paper has it: sometimes a dearer route.
        Paper = "paper",
    }
}

choices! {
    /// What is done with a route once it is found.
    pub enum Smoothing {
        /// Nothing: the route is the edges of the map.
        Off = "off",
        /// Corners that a straight walk of the agent's radius can leave out are left out.
        Trace = "trace",
        /// The route is pulled tight round the corners of walls, but no part of it is replaced by
        /// one that costs more: prices are integrated along both.
        CostAware = "cost-aware",
    }
}

options! {
    /// Cheapest routes over the map's graph.
    pub struct Astar {
        /// Factor on the heuristic: above 1 the search is faster and a route costs at most so
        /// many times the least.
        weight: f32 = 1.0, "", 1.0..=10.0;
        /// Whether corners are left out where the ground is free in between. With "trace" the
        /// price of the short cut is taken to be that of the edges it replaces, or less.
        smoothing: Smoothing = Smoothing::Off;
        /// How far the crowd is seen: farther away it counts for nothing. The default sees all.
        horizon: f32 = 1e9, "m", 0.0..=1e9;
        /// When a search with a horizon may end.
        halt: Halt = Halt::Exact;
        /// Nodes that one search may expand; 0 for no limit.
        limit: u32 = 0, "nodes", 0..=1000000000;
    }
    state {
        /// What was found out about the map, for one state of its doors.
        known: Option<Known>,
    }
}

#[derive(Clone, Debug)]
struct Known {
    connectivity: Connectivity,
    heuristic: Heuristic,
    chains: Option<Chains>,
    tables: Vec<Table>,
    epoch: u64,
}

/// The sums over chains of one table of prices, and its crowd-free trees.
#[derive(Clone, Debug, Default)]
struct Table {
    prices: EdgePrices,
    free: Vec<FreeTrees>,
}

/// Most bytes that crowd-free trees may come to; above it searches run to the goal.
const MOST_TREE_BYTES: usize = 1 << 28;
/// Trees of so many radii are kept per table of prices.
const MOST_RADII: usize = 8;

/// What a thread keeps from batch to batch.
#[derive(Debug, Default)]
struct Workspace {
    search: SearchScratch,
    corners: Vec<Location>,
    gates: Vec<Gate>,
    near: Vec<NodeId>,
    walk: Vec<Turn>,
    taut: TautScratch,
}

#[typetag::serde(name = "astar")]
impl GlobalPlanner for Astar {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let workspace = scratch.get::<Workspace>();
        let doors = world.site.ground.door_open;
        let known = self
            .known
            .as_ref()
            .filter(|k| k.connectivity.holds_for(world.map, doors));
        for request in requests {
            match self.search(world, known, request, workspace) {
                Ok(planned) => self.answer(world, request, planned, workspace, routes),
                Err(why) => routes.push_missing(why),
            }
        }
    }

    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let doors = world.site.ground.door_open;
        match &mut self.known {
            Some(known) if known.connectivity.holds_for(world.map, doors) => {}
            Some(known) if known.connectivity.is_of(world.map) => {
                known.connectivity = Connectivity::new(world.map, doors);
            }
            known => {
                *known = Some(Known {
                    connectivity: Connectivity::new(world.map, doors),
                    heuristic: Heuristic::of(world.map),
                    chains: Chains::of(world.map),
                    tables: Vec::new(),
                    epoch: 0,
                });
            }
        }
        let wants_trees = self.horizon < SEES_ALL && self.halt == Halt::Exact;
        if let Some(known) = &mut self.known {
            known.sum_chains(world, wants_trees);
        }
        Ok(())
    }
}

/// Horizons from here on are none.
const SEES_ALL: f32 = 1e9;

impl Known {
    /// Brings the sums over chains up to date.
    fn sum_chains(&mut self, world: &World<'_>, wants_trees: bool) {
        self.epoch = world.epoch;
        let Some(chains) = &self.chains else {
            return;
        };
        // Without classes there are no prices, and a metre costs 1.
        let tables = world.prices.len().max(1);
        self.tables.resize_with(tables, Default::default);
        let most_trees = FreeTrees::most_bytes(chains.core().nodes()) * tables;
        for (index, table) in self.tables.iter_mut().enumerate() {
            let point = Terms::new(world, index, 0.0, 0.0);
            chains.prices(&point, &mut table.prices);
            if !wants_trees || most_trees > MOST_TREE_BYTES {
                table.free.clear();
                continue;
            }
            let prices = &table.prices;
            table.free.retain(|free| {
                world.classes.iter().any(|class| {
                    let terms = Terms::new(world, index, 0.0, class.radius);
                    free.serves(chains, prices, &terms)
                })
            });
            for class in world.classes {
                let terms = Terms::new(world, index, 0.0, class.radius);
                let served = |free: &FreeTrees| free.serves_radius(chains, &terms);
                if table.free.len() < MOST_RADII && !table.free.iter().any(served) {
                    table.free.push(FreeTrees::new(chains, prices, &terms));
                }
            }
        }
    }

    /// The cheapest route, over chains if the map has any.
    fn route(
        &self,
        query: &RouteQuery<'_>,
        prices: usize,
        epoch: u64,
        scratch: &mut SearchScratch,
    ) -> Result<FoundRoute, NoRoute> {
        let table = self.tables.get(prices).filter(|_| self.epoch == epoch);
        match (&self.chains, table) {
            (Some(chains), Some(table)) => {
                let free = table.free.iter();
                let mut free = free.filter(|free| free.serves_radius(chains, &query.terms));
                chains.find_route(query, &table.prices, free.next(), scratch)
            }
            _ => find_route(query, scratch),
        }
    }
}

register! {
    Planner "astar" => Astar,
    about: "Heap-based A* over the map's graph, with each agent's own weight and radius.",
    when: "Agents have many different goals, weights or radii; the map is of moderate size.",
    when_not: "Very many agents share few goals on a large dense map: a field answers them all at once.",
    growth: "Time in the nodes between start and goal, times their logarithm; memory 16 bytes a node and thread, plus 8 bytes a node for connectivity. Sparse maps: in the junctions alone; with a horizon 8 bytes per pair of junctions for crowd-free ways.",
    paper: "Hart, Nilsson, Raphael: A formal basis for the heuristic determination of minimum cost paths, 1968",
    needs: Capabilities::GRAPH,
    offers: Capabilities::ROUTES,
}

/// A route between two attachments.
#[derive(Clone, Copy, Debug)]
struct Planned {
    found: FoundRoute,
    from: Attachment,
    to: Attachment,
    metre: f64,
}

impl Astar {
    fn search(
        &self,
        world: &World<'_>,
        known: Option<&Known>,
        request: &PlanRequest,
        workspace: &mut Workspace,
    ) -> Result<Planned, NoRoute> {
        let places = [request.from, request.to];
        let mut attached = [Attachment::NOWHERE; 2];
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
        let mut terms = Terms::new(
            world,
            request.prices as usize,
            request.weight,
            request.radius,
        );
        let near = &mut workspace.near;
        let from = roomier(world, &terms, request.from, from, near);
        let to = roomier(world, &terms, request.to, to, near);
        if let Some(known) = known {
            terms = terms.nowhere_narrower_than(known.connectivity.least_clearance());
            // A place on an edge may leave it by either end: the edge itself must fit as well.
            let widest = known.connectivity.widest(from.node, to.node);
            match widest {
                None => return Err(NoRoute::Unconnected),
                Some(width) if !terms.fits(width) && from.edge == NONE && to.edge == NONE => {
                    return Err(NoRoute::TooNarrow);
                }
                Some(_) => {}
            }
        }
        let seen = self.horizon - from.distance;
        let query = RouteQuery {
            terms,
            from,
            to,
            heuristic: known.map_or(Heuristic::STRAIGHT, |k| k.heuristic),
            greed: self.weight,
            most_expansions: self.limit,
            horizon: if self.horizon < SEES_ALL {
                Horizon {
                    limit: f64::from(seen.max(0.0)) * terms.least_base,
                }
            } else {
                Horizon::NONE
            },
            old_tail: match self.halt {
                Halt::Paper => world.routes.invisible_rest(request.agent as usize),
                Halt::Exact => &[],
            },
        };
        let search = &mut workspace.search;
        let find = |query: &RouteQuery<'_>, search: &mut SearchScratch| match known {
            Some(known) => known.route(query, request.prices as usize, world.epoch, search),
            None => find_route(query, search),
        };
        let found = match find(&query, search) {
            Err(NoRoute::Unconnected) if request.radius > 0.0 => {
                // Is it the radius? The same search for a point tells.
                let terms = Terms::new(world, request.prices as usize, request.weight, 0.0);
                let point = RouteQuery { terms, ..query };
                return Err(match find_route(&point, search) {
                    Ok(_) => NoRoute::TooNarrow,
                    Err(why) => why,
                });
            }
            other => other?,
        };
        // Metres off the graph cost what the edges next to them do, on average.
        let metre = if found.length > 0.0 {
            found.cost / found.length
        } else {
            terms.least_base
        };
        Ok(Planned {
            found,
            from,
            to,
            metre,
        })
    }

    fn answer(
        &self,
        world: &World<'_>,
        request: &PlanRequest,
        planned: Planned,
        workspace: &mut Workspace,
        routes: &mut RouteSink,
    ) {
        let Planned {
            found,
            from,
            to,
            metre,
        } = planned;
        let edges = workspace.search.route();
        let ground = &world.site.ground;
        let beside = f64::from(from.distance) + f64::from(to.distance);
        if edges.is_empty() && ground.sees(request.from, request.to) {
            let length = f64::from(request.from.point.distance(request.to.point));
            routes.push_edges([], length as f32, (length * metre) as f32);
            return;
        }
        let (length, cost) = (found.length + beside, found.cost + beside * metre);
        if edges.is_empty() && from.edge != NONE && to.edge != NONE {
            along_one_edge(world, from, to, &mut workspace.gates);
            let gates = workspace.gates.drain(..);
            routes.push_gates(gates, length as f32, cost as f32);
            return;
        }
        match self.smoothing {
            Smoothing::Off => {
                let (length, cost) = (length as f32, cost as f32);
                routes.push_edges_into(edges.iter().copied(), found.into, length, cost);
                if let Some(row) = routes.rows.last_mut() {
                    row.invisible = found.invisible;
                }
            }
            Smoothing::Trace => {
                corners_of(world, from, edges, &mut workspace.corners);
                let smooth = smooth(world, request, &workspace.corners, &mut workspace.gates);
                let share = if length > 0.0 { smooth / length } else { 1.0 };
                routes.push_gates(
                    workspace.gates.drain(..),
                    smooth as f32,
                    (cost * share.min(1.0)) as f32,
                );
            }
            Smoothing::CostAware => {
                walk_of(world, request, from, workspace);
                let (length, paid) = tighten(world, request, metre, workspace);
                routes.push_gates(
                    workspace.gates.drain(..),
                    length as f32,
                    paid.min(cost) as f32,
                );
            }
        }
    }
}

/// Gates on the way between two places on one edge that do not see each other: its region bends
/// round a corner.
fn along_one_edge(world: &World<'_>, from: Attachment, to: Attachment, gates: &mut Vec<Gate>) {
    const STEPS: usize = 4;
    let map = world.map;
    let other_way = from.edge != to.edge;
    let end = if other_way { 1.0 - to.along } else { to.along };
    let (edge, start, end) = if end >= from.along {
        (from.edge, from.along, end)
    } else {
        let twin = map.edge_twin[from.edge as usize];
        (twin, 1.0 - from.along, 1.0 - end)
    };
    gates.clear();
    gates.extend((0..=STEPS).filter_map(|i| {
        let along = start + (end - start) * i as f32 / STEPS as f32;
        world.nav.gate_at(&world.site, map, edge, along)
    }));
}

/// Nodes looked at for one that a body can walk from.
const MOST_NEAR: usize = 64;

/// Where a body stands fits it, but the node that the place hangs on may lie closer to a wall.
/// Then the place hangs on the nearest node in sight that has an edge wide enough instead; if
/// there is none near, on the one it had.
pub(crate) fn roomier(
    world: &World<'_>,
    terms: &Terms<'_>,
    place: Location,
    hung: Attachment,
    near: &mut Vec<NodeId>,
) -> Attachment {
    let map = world.map;
    let fits = |node: NodeId| {
        map.edges_of(node)
            .any(|e| terms.fits(map.edge_clearance[e]))
    };
    if hung.edge != NONE || fits(hung.node) {
        return hung;
    }
    near.clear();
    near.push(hung.node);
    let mut best: Option<(f32, NodeId)> = None;
    let mut looked = 0;
    while looked < near.len() && near.len() < MOST_NEAR {
        let node = near[looked];
        looked += 1;
        for edge in map.edges_of(node) {
            let next = map.edge_to[edge];
            if near.contains(&next) || !map.is_open(edge as u32, world.site.ground.door_open) {
                continue;
            }
            near.push(next);
            let at = map.node_place[next as usize];
            let distance = at.point.distance(place.point);
            let nearer = best.is_none_or(|(d, n)| (distance, next) < (d, n));
            if nearer && fits(next) && world.site.ground.sees(place, at) {
                best = Some((distance, next));
            }
        }
    }
    match best {
        Some((distance, node)) => Attachment {
            node,
            edge: NONE,
            along: 0.0,
            distance,
        },
        None => hung,
    }
}

/// The nodes that a route passes.
fn corners_of(world: &World<'_>, from: Attachment, edges: &[EdgeId], out: &mut Vec<Location>) {
    let map = world.map;
    out.clear();
    // A place on an edge sets out along it and never sees the node behind.
    if from.edge == NONE {
        out.push(map.node_place[from.node as usize]);
    }
    out.extend(
        edges
            .iter()
            .map(|&e| map.node_place[map.edge_to[e as usize] as usize]),
    );
}

/// Leaves out every corner that a straight walk can pass by: from each corner kept, the farthest
/// one in sight of those before the first out of sight. Gives the length of what is left.
fn smooth(
    world: &World<'_>,
    request: &PlanRequest,
    corners: &[Location],
    gates: &mut Vec<Gate>,
) -> f64 {
    let ground = &world.site.ground;
    gates.clear();
    let mut at = request.from;
    let mut length = 0.0;
    let mut last: Option<Location> = None;
    for &next in corners.iter().chain([&request.to]) {
        if let Some(corner) = last
            && !ground.sees_with_radius(at, next, request.radius)
        {
            length += walked(world, at, corner);
            gates.push(Gate::waypoint(corner));
            at = corner;
        }
        last = Some(next);
    }
    length + walked(world, at, request.to)
}

/// Writes the walk along the edges found: their nodes, and the middles of the gates of those that
/// are not straight.
fn walk_of(world: &World<'_>, request: &PlanRequest, from: Attachment, workspace: &mut Workspace) {
    let map = world.map;
    let Workspace {
        search,
        walk,
        gates,
        ..
    } = workspace;
    walk.clear();
    walk.push(Turn::free(request.from));
    if from.edge == NONE {
        walk.push(Turn::free(map.node_place[from.node as usize]));
    }
    for &edge in search.route() {
        let ends = [map.edge_from[edge as usize], map.edge_to[edge as usize]];
        let [start, end] = ends.map(|node| map.node_place[node as usize]);
        if !world.site.ground.sees(start, end) {
            gates.clear();
            world.nav.emit_gates(&world.site, map, &[edge], gates);
            walk.extend(gates.iter().map(|gate| {
                Turn::free(Location {
                    point: gate.middle,
                    triangle: gate.triangle,
                })
            }));
        }
        walk.push(Turn::free(end));
    }
    walk.push(Turn::free(request.to));
}

/// Pulls the walk tight where that is not dearer and makes its gates; gives length and cost.
fn tighten(
    world: &World<'_>,
    request: &PlanRequest,
    metre: f64,
    workspace: &mut Workspace,
) -> (f64, f64) {
    let Workspace {
        walk, taut, gates, ..
    } = workspace;
    let ground = &world.site.ground;
    let straight = Straight::new(world, request);
    pull_tight(ground, request.radius, walk, taut, &mut |a, b| {
        straight.price(a, b)
    });
    gates.clear();
    gates.extend(
        walk.windows(3)
            .map(|w| gate_at(ground, w[0].at.point, w[1], w[2].at.point)),
    );
    let (mut length, mut cost) = (0.0, 0.0);
    for pair in walk.windows(2) {
        let metres = straight.length(pair[0].at, pair[1].at);
        length += metres;
        let price = straight.price(pair[0].at, pair[1].at);
        cost += price.unwrap_or(metres * metre);
    }
    (length, cost)
}

/// The length of the straight walk between two places.
fn walked(world: &World<'_>, from: Location, to: Location) -> f64 {
    let ground = &world.site.ground;
    let straight = f64::from(from.point.distance(to.point));
    if ground.flat {
        return straight;
    }
    let mut length = 0.0;
    ground.trace_to(from, to, &mut |piece| length += f64::from(piece.length));
    length.max(straight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;
    use glam::Vec2;
    use throng_core::{RouteKind, RouteRow};

    fn plan(planner: &mut Astar, test: &TestWorld, requests: &[PlanRequest]) -> RouteSink {
        let mut routes = RouteSink::default();
        test.with(|world| {
            planner.prepare(world).unwrap();
            planner.plan(world, requests, &mut Scratch::default(), &mut routes);
            // Without preparation, with a warm scratch and one by one: the same answers.
            let unprepared = Astar {
                known: None,
                ..planner.clone()
            };
            let mut again = RouteSink::default();
            let mut scratch = Scratch::default();
            for request in requests.iter().rev() {
                unprepared.plan(world, &[*request], &mut scratch, &mut again);
            }
            for (a, b) in routes.rows.iter().zip(again.rows.iter().rev()) {
                assert_eq!(a.kind, b.kind);
                assert!(a.length == b.length || (a.length - b.length).abs() < 1e-4);
            }
        });
        routes
    }

    /// A room of 7 x 7 cells with a wall at x = 3 but for its top cell.
    fn walled() -> TestWorld {
        TestWorld::new(7, 7, |x, y| x != 3 || y == 6)
    }

    #[test]
    fn routes_go_round_walls_by_octile_steps() {
        let test = walled();
        let routes = plan(
            &mut Astar::default(),
            &test,
            &[test.request((0, 0), (6, 0))],
        );
        let RouteRow {
            kind,
            length,
            cost,
            count,
            ..
        } = routes.rows[0];
        assert_eq!(kind, RouteKind::Edges);
        // Up to the gap with 2 diagonals on either side, and 2 straight steps through it.
        let wanted = 4.0 * 2.0_f32.sqrt() + 8.0 + 2.0;
        assert!(
            (length - wanted).abs() < 1e-5 && (cost - wanted).abs() < 1e-5,
            "{length}"
        );
        assert_eq!(count, 14);
        let mut at = routes.edges[0];
        for &e in &routes.edges[1..] {
            assert_eq!(
                test.map.edge_to[at as usize],
                test.map.edge_from[e as usize]
            );
            at = e;
        }
    }

    #[test]
    fn distances_off_the_graph_count() {
        let test = TestWorld::new(5, 1, |_, _| true);
        let mut request = test.request((0, 0), (4, 0));
        request.from.point.x -= 0.25;
        request.to.point.y += 0.25;
        let routes = plan(&mut Astar::default(), &test, &[request]);
        assert!((routes.rows[0].length - 4.5).abs() < 1e-5);
        // In one cell the straight line is the route.
        request.to = request.from;
        request.to.point.x += 0.5;
        let routes = plan(&mut Astar::default(), &test, &[request]);
        assert_eq!(
            (routes.rows[0].kind, routes.rows[0].count),
            (RouteKind::Edges, 0)
        );
        assert!((routes.rows[0].length - 0.5).abs() < 1e-5);
    }

    #[test]
    fn cost_aware_smoothing_pulls_tight_unless_that_is_dearer() {
        let smooth = || Astar {
            smoothing: Smoothing::CostAware,
            ..Astar::default()
        };
        let test = walled();
        let mut request = test.request((0, 0), (6, 0));
        request.radius = 0.0;
        let row = plan(&mut smooth(), &test, &[request]).rows[0];
        let wanted = 2.0 * (2.5_f32 * 2.5 + 5.5 * 5.5).sqrt() + 1.0;
        assert!((row.length - wanted).abs() < 1e-4, "{}", row.length);
        // A crowd in the middle of a room: the straight line through it is not taken.
        let mut test = TestWorld::new(11, 11, |_, _| true);
        test.crowd(|at| {
            if at.truncate().distance(Vec2::splat(5.5)) < 2.6 {
                20.0
            } else {
                0.0
            }
        });
        let row = plan(&mut smooth(), &test, &[test.request((0, 5), (10, 5))]).rows[0];
        assert!(row.length > 11.0 && row.cost < 13.0, "{row:?}");
    }

    #[test]
    fn reasons_are_told_apart() {
        let test = TestWorld::new(7, 3, |x, _| x != 3);
        let mut requests = [test.request((0, 0), (6, 0)); 4];
        requests[1].to = Location::NOWHERE;
        requests[2].from = Location::NOWHERE;
        requests[3].to = requests[3].from;
        let routes = plan(&mut Astar::default(), &test, &requests);
        let kinds: Vec<RouteKind> = routes.rows.iter().map(|r| r.kind).collect();
        assert_eq!(kinds[0], RouteKind::Missing(NoRoute::Unconnected));
        assert_eq!(kinds[1], RouteKind::Missing(NoRoute::GoalOffMap));
        assert_eq!(kinds[2], RouteKind::Missing(NoRoute::StartOffMap));
        assert_eq!(kinds[3], RouteKind::Edges);

        let test = walled();
        let mut wide = test.request((0, 0), (6, 0));
        wide.radius = 0.6;
        let routes = plan(&mut Astar::default(), &test, &[wide]);
        assert_eq!(routes.rows[0].kind, RouteKind::Missing(NoRoute::TooNarrow));
        let mut lazy = Astar {
            limit: 3,
            ..Astar::default()
        };
        let routes = plan(&mut lazy, &test, &[test.request((0, 0), (6, 0))]);
        assert_eq!(routes.rows[0].kind, RouteKind::Missing(NoRoute::Limit));
    }

    #[test]
    fn smoothing_keeps_the_corners_of_the_wall_alone() {
        let test = walled();
        let mut smooth = Astar {
            smoothing: Smoothing::Trace,
            ..Astar::default()
        };
        let request = test.request((0, 0), (6, 0));
        let plain = plan(&mut Astar::default(), &test, &[request]).rows[0].length;
        let routes = plan(&mut smooth, &test, &[request]);
        let row = routes.rows[0];
        assert_eq!(row.kind, RouteKind::Gates);
        assert!(row.length < plain - 0.5, "{} {plain}", row.length);
        assert!(row.count >= 1 && row.count <= 3, "{}", row.count);
        // Every leg is a walk that the disc can make.
        test.with(|world| {
            let mut at = request.from;
            let mut length = 0.0;
            for gate in &routes.gates {
                assert_eq!((gate.left, gate.right), (gate.middle, gate.middle));
                let next = Location {
                    point: gate.middle,
                    triangle: gate.triangle,
                };
                assert!(world.site.ground.sees_with_radius(at, next, request.radius));
                length += at.point.distance(next.point);
                at = next;
            }
            assert!(
                world
                    .site
                    .ground
                    .sees_with_radius(at, request.to, request.radius)
            );
            length += at.point.distance(request.to.point);
            assert!((length - row.length).abs() < 1e-4);
        });
        // In the open nothing is left but the target.
        let open = TestWorld::new(7, 7, |_, _| true);
        let routes = plan(&mut smooth, &open, &[open.request((0, 0), (6, 3))]);
        assert_eq!(routes.rows[0].count, 0);
        assert!((routes.rows[0].length - 45.0_f32.sqrt()).abs() < 1e-4);
    }

    #[test]
    fn crowds_are_walked_round_by_those_who_mind() {
        let mut test = TestWorld::new(9, 5, |_, _| true);
        test.crowd(|at| {
            if (at.x - 4.5).abs() < 0.6 && at.y < 3.5 {
                20.0
            } else {
                0.0
            }
        });
        let mut minds = test.request((0, 2), (8, 2));
        let mut does_not = minds;
        minds.weight = 1.0;
        does_not.weight = 0.0;
        let routes = plan(&mut Astar::default(), &test, &[minds, does_not]);
        assert!((routes.rows[1].length - 8.0).abs() < 1e-5);
        assert!((routes.rows[1].cost - 8.0).abs() < 1e-5);
        assert!(routes.rows[0].length > 8.5 && routes.rows[0].cost < 30.0);
    }

    #[test]
    fn weighted_routes_cost_at_most_so_many_times_the_least() {
        let test = TestWorld::new(12, 12, |x, y| (x * 7 + y * 5) % 6 != 0 || x == 0 || y == 11);
        let request = test.request((0, 0), (11, 11));
        let least = plan(&mut Astar::default(), &test, &[request]).rows[0].cost;
        let mut hasty = Astar {
            weight: 3.0,
            ..Astar::default()
        };
        let cost = plan(&mut hasty, &test, &[request]).rows[0].cost;
        assert!(cost >= least - 1e-4 && cost <= 3.0 * least);
    }
}
