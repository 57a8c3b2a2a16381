//! Planner `geodesic`: discrete geodesics, made walkable (Ricks and Egbert 2014, section 3).
//!
//! `dijkstra`, `astar` and `weighted-astar` search the map's graph, the latter two with landmarks
//! (`geodesic/landmarks.rs`). `iterative` pulls the weighted
//! path tight over the triangles of the ground (Martinez, Velho, Carvalho 2005). `exact` finds the
//! shortest path there is by windows of light (Chen and Han 1990), in `f64`. `field` keeps those
//! windows for every shared goal, so that a route is only traced back.
//!
//! Prices: the graph searches pay base + w * crowd. Where prices are not the same everywhere the
//! other three answer with `astar`, because a shortest path knows no crowd.
//!
//! Geodesics run along walls and turn at corners without width. Three improvements, each with a
//! switch, see `geodesic/improve`: away from edges, corridors, line of sight.
//!
//! A route may touch the rim, where no body fits, and is led away from it afterwards; so what must
//! be wide enough is not the edge but its surroundings: the widest edge that one more edge leads
//! to.

mod improve;
mod known;
mod landmarks;

use throng_core::{
    Attachment, Capabilities, Gate, GlobalPlanner, Location, NONE, NoRoute, PlanRequest,
    PlannerError, RouteSink, Scratch, World, choices, options, register,
};
use throng_kit::{
    geodesic::{On, Sleeve, Spot, Windows},
    search::Terms,
};

use improve::Turn;
use known::Known;
use landmarks::{Landmarks, Search};

choices! {
    /// How paths are found.
    pub enum Algorithm {
        /// A* over the map's graph with its bound exaggerated: fast, paths a little longer.
        WeightedAstar = "weighted-astar",
        /// A* over the map's graph: the shortest path over edges.
        Astar = "astar",
        /// Dijkstra's algorithm over the map's graph: the same paths, no bound needed.
        Dijkstra = "dijkstra",
        /// The weighted path, pulled tight over the triangles: locally shortest.
        Iterative = "iterative",
        /// The shortest path over the surface.
        Exact = "exact",
        /// The same, from windows kept for every shared goal.
        Field = "field",
    }
}

options! {
    /// Shortest ways over any surface.
    pub struct Geodesic {
        /// How paths are found.
        algorithm: Algorithm = Algorithm::WeightedAstar;
        /// Factor on the bound of the weighted searches: a path over edges is at most so many
        /// times the shortest.
        weight: f32 = 1.5, "", 1.0..=10.0;
        /// Whether points of a path on the rim are moved about a stride away from it.
        away_from_edges: bool = true;
        /// Whether points moved away, and turns in the open, are given a width of about four
        /// bodies.
        corridors: bool = true;
        /// How much farther off a turn somebody's own corridor may lie, where there is room: all
        /// shortest ways turn at the same points (not in the paper). On floors of plans by one body
        /// at most: farther off, ways through rooms get longer; where everybody keeps to the right,
        /// the whole width of passages up to this wide is shared.
        spread: f32 = 6.0, "bodies", 0.0..=1000.0;
        /// Whether everybody keeps to the right half of a corridor, so that two directions share it
        /// (not in the paper, where they meet head-on at every corner). Half of a door is narrow:
        /// for wide corridors and stairs.
        keep_right: bool = false;
        /// Whether points that can be passed by in a straight line are left out.
        line_of_sight: bool = true;
        /// Nodes that one search may expand; 0 for no limit.
        limit: u32 = 0, "nodes", 0..=1000000000;
    }
    state {
        /// What was found out about the map, for one state of its doors.
        known: Option<Known>,
    }
}

register! {
    Planner "geodesic" => Geodesic,
    about: "Shortest ways over any surface, kept away from edges, with width and in straight lines.",
    when: "Curved surfaces, walls and ceilings, buildings as one mesh.",
    when_not: "Any map but surface, whose edges lie on the triangles that paths are pulled over: astar and theta-star serve every map.",
    growth: "Graph searches: time in the nodes between start and goal. exact and field: time about n^1.5 in the triangles within reach, 64 bytes a window, some tens of windows a triangle.",
    paper: "Ricks, Egbert: A whole surface approach to crowd simulation on arbitrary topologies, 2014; Martinez, Velho, Carvalho: Computing geodesics on triangular meshes, 2005; Xin, Wang: Improving Chen and Han's algorithm on the discrete geodesic problem, 2009",
    needs: Capabilities::GRAPH.and(Capabilities::MESH),
    offers: Capabilities::ROUTES,
}

/// A path that is pulled tight keeps its side of hills and holes: its seed is found with a weight
/// of no more than this.
const SEED_WEIGHT: f32 = 1.01;

/// What a thread keeps from batch to batch.
#[derive(Debug, Default)]
struct Workspace {
    search: Search,
    windows: Windows,
    sleeve: Sleeve,
    seed: Vec<Spot>,
    path: Vec<Spot>,
    turns: Vec<Turn>,
    gates: Vec<Gate>,
    improve: improve::Scratch,
}

/// A path found: its turns are in the workspace.
#[derive(Clone, Copy, Debug)]
struct Found {
    length: f64,
    cost: f64,
    /// Whether the length is that of a geodesic, which improvements do not change.
    geodesic: bool,
}

#[typetag::serde(name = "geodesic")]
impl GlobalPlanner for Geodesic {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let workspace = scratch.get::<Workspace>();
        let Some(known) = self.known.as_ref().filter(|k| k.holds_for(world)) else {
            // Not prepared (a query before the first step): once for the batch.
            let mut own = self.clone();
            match own.prepare(world) {
                Ok(()) if own.known.is_some() => own.plan(world, requests, scratch, routes),
                _ => requests
                    .iter()
                    .for_each(|_| routes.push_missing(NoRoute::Failed)),
            }
            return;
        };
        for request in requests {
            match self.find(world, known, request, workspace) {
                Ok(found) => self.answer(world, known, request, found, workspace, routes),
                Err(why) => routes.push_missing(why),
            }
        }
    }

    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        if !self.known.as_ref().is_some_and(|k| k.holds_for(world)) {
            self.known = Some(Known::new(world));
        }
        if let (Algorithm::Field, Some(known)) = (self.algorithm, &mut self.known) {
            known.light_goals(world);
        }
        Ok(())
    }
}

impl Geodesic {
    fn find(
        &self,
        world: &World<'_>,
        known: &Known,
        request: &PlanRequest,
        workspace: &mut Workspace,
    ) -> Result<Found, NoRoute> {
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
        // Unreachable goals are said so at once. The room about nodes is measured at nodes only,
        // so a body up to twice as wide is let try.
        let Some(widest) = known.connectivity.widest(from.node, to.node) else {
            return Err(NoRoute::Unconnected);
        };
        if widest * 2.0 < request.radius {
            return Err(NoRoute::TooNarrow);
        }
        let radius = request.radius.min(widest);
        let prices = request.prices as usize;
        let uniform = world.prices.get(prices).is_none_or(|p| p.uniform.is_some());
        let narrow = known.connectivity.least_clearance() < radius;
        let by = match self.algorithm {
            Algorithm::Exact | Algorithm::Field if narrow && uniform => Algorithm::Iterative,
            Algorithm::Exact | Algorithm::Field | Algorithm::Iterative if !uniform => {
                Algorithm::Astar
            }
            by => by,
        };
        let spots = [
            known.surface.spot(request.from),
            known.surface.spot(request.to),
        ];
        let metre = match world.prices.get(prices) {
            Some(table) => f64::from(table.uniform.unwrap_or(1.0)),
            None => 1.0,
        };
        workspace.path.clear();
        if matches!(by, Algorithm::Exact | Algorithm::Field) {
            let lit = match by {
                Algorithm::Field => known.field(request.goal),
                _ => None,
            };
            let path = &mut workspace.path;
            if request.agent != NONE {
                // Light that was grown for others may differ in the last bit.
                workspace.windows.forget();
            }
            let length = match lit {
                Some(windows) => windows.path_to_source(&known.surface, spots[0], path),
                None => workspace
                    .windows
                    .path(&known.surface, spots[0], spots[1], path),
            };
            let length = length.ok_or(NoRoute::Unconnected)?;
            improve::turns_of_spots(world, known, request, &workspace.path, &mut workspace.turns);
            return Ok(Found {
                length,
                cost: length * metre,
                geodesic: true,
            });
        }
        let by_graph = by != Algorithm::Iterative;
        if by_graph && self.line_of_sight && uniform && improve::in_sight(world, known, request) {
            workspace.turns.clear();
            let length = f64::from(request.from.point.distance(request.to.point));
            return Ok(Found {
                length,
                cost: length * metre,
                geodesic: false,
            });
        }
        let mut terms = Terms::new(world, prices, request.weight, radius);
        terms.map = &known.rooms;
        let terms = terms.nowhere_narrower_than(known.connectivity.least_clearance());
        let none = Landmarks::default();
        let (landmarks, greed) = match by {
            Algorithm::WeightedAstar => (&known.landmarks, self.weight),
            Algorithm::Iterative => (&known.landmarks, self.weight.min(SEED_WEIGHT)),
            Algorithm::Dijkstra => (&none, 0.0),
            _ => (&known.landmarks, 1.0),
        };
        let search = &mut workspace.search;
        let (cost, length) =
            search.find(&terms, landmarks, from.node, to.node, greed, self.limit)?;
        let edges = workspace.search.route();
        if by == Algorithm::Iterative {
            workspace.seed.clear();
            workspace.seed.push(spots[0]);
            workspace.seed.push(known.spots[from.node as usize]);
            let nodes = edges.iter().map(|e| world.map.edge_to[*e as usize]);
            workspace
                .seed
                .extend(nodes.map(|n| known.spots[n as usize]));
            workspace.seed.push(spots[1]);
            workspace.seed.dedup_by(|a, b| a.at == b.at);
            let pulled =
                workspace
                    .sleeve
                    .straighten(&known.surface, &workspace.seed, &mut workspace.path);
            if let Some(pulled) = pulled {
                let (path, turns) = (&workspace.path, &mut workspace.turns);
                improve::turns_of_spots(world, known, request, path, turns);
                return Ok(Found {
                    length: pulled.length,
                    cost: pulled.length * metre,
                    geodesic: true,
                });
            }
        }
        improve::turns_of_route(
            world,
            known,
            request,
            from,
            edges,
            &terms,
            &mut workspace.turns,
        );
        let beside = f64::from(from.distance) + f64::from(to.distance);
        let per_metre = if length > 0.0 { cost / length } else { metre };
        Ok(Found {
            length: length + beside,
            cost: cost + beside * per_metre,
            geodesic: false,
        })
    }

    fn answer(
        &self,
        world: &World<'_>,
        known: &Known,
        request: &PlanRequest,
        found: Found,
        workspace: &mut Workspace,
        routes: &mut RouteSink,
    ) {
        let (turns, gates) = (&mut workspace.turns, &mut workspace.gates);
        improve::gates_of(
            world,
            known,
            request,
            self,
            turns,
            gates,
            &mut workspace.improve,
        );
        let mut walked = 0.0;
        let mut at = request.from.point;
        for next in gates.iter().map(|g| g.middle).chain([request.to.point]) {
            walked += f64::from(at.distance(next));
            at = next;
        }
        let length = if found.geodesic { found.length } else { walked };
        let share = if found.length > 0.0 {
            length / found.length
        } else {
            1.0
        };
        let cost = (found.cost * share) as f32;
        if gates.is_empty() {
            // Without gates a route over no edges, so that the core sees when it is out of sight.
            routes.push_edges([], length as f32, cost);
        } else {
            routes.push_gates(gates.drain(..), length as f32, cost);
        }
    }
}

/// A place of the ground from a spot of the surface.
fn place(spot: &Spot) -> Location {
    Location {
        point: spot.at.as_vec3(),
        triangle: spot.triangle,
    }
}

/// The point of the surface that a spot is, or NONE.
fn point_of(spot: &Spot) -> u32 {
    match spot.on {
        On::Point(point) => point,
        _ => NONE,
    }
}
