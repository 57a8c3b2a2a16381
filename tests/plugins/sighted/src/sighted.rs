//! Planner `sighted`: walk straight to what is in sight, else the cheapest way over the map.
//!
//! A goal that a straight walk reaches is walked to, if that is no dearer than allowed; for
//! everything else the cheapest route over the graph is searched for with uniform costs. With
//! `guides` on it also guides those who see their target, and remembers for a while that they do.

use std::{cmp::Reverse, collections::BinaryHeap};

use glam::Vec2;
use throng_core::{
    Attachment, Capabilities, Frame, Gate, GlobalPlanner, GuideChunk, GuideOut, Memory, NONE,
    NoRoute, PlanRequest, PlannerError, RouteSink, Scratch, World, options, register,
};
use throng_kit::Walk;

options! {
    /// Straight to what is in sight, else over the map.
    pub struct Sighted {
        /// Straight walks longer than this are not tried.
        farthest: f32 = 30.0, "m", 0.0..=10000.0;
        /// Whether those who see their target are led to it without a route.
        guides: bool = false;
        /// Time for which a target that was seen counts as seen.
        remember: f32 = 1.0, "s", 0.0..=60.0;
    }
    state {
        /// Which part of the map each node lies in: what no edge connects has another number.
        part: Vec<u32>,
    }
}

/// What a search keeps: the price of each node, and the edge it was reached by.
#[derive(Default)]
struct Search {
    price: Vec<f32>,
    reached_by: Vec<u32>,
    open: BinaryHeap<(Reverse<u64>, Reverse<u32>)>,
    seen: Vec<u32>,
    route: Vec<u32>,
}

/// A price as an integer of the same order: prices are not negative.
fn ordered(price: f32) -> Reverse<u64> {
    Reverse(u64::from(price.to_bits()))
}

impl Search {
    fn begin(&mut self, nodes: usize) {
        self.price.resize(nodes, f32::INFINITY);
        self.reached_by.resize(nodes, NONE);
        for node in self.seen.drain(..) {
            self.price[node as usize] = f32::INFINITY;
            self.reached_by[node as usize] = NONE;
        }
        self.open.clear();
    }

    /// The cheapest route, as its edges, with length and price.
    fn run(
        &mut self,
        world: &World<'_>,
        request: &PlanRequest,
        from: u32,
        to: u32,
    ) -> Result<(f32, f32), NoRoute> {
        let (map, doors) = (world.map, world.site.ground.door_open);
        self.begin(map.nodes());
        self.price[from as usize] = 0.0;
        self.seen.push(from);
        self.open.push((ordered(0.0), Reverse(from)));
        let mut narrow = false;
        while let Some((Reverse(bits), Reverse(node))) = self.open.pop() {
            let price = f32::from_bits(bits as u32);
            if node == to {
                break;
            }
            if price > self.price[node as usize] {
                continue;
            }
            for edge in map.edges_of(node) {
                if !map.is_open(edge as u32, doors) {
                    continue;
                }
                if map.edge_clearance[edge] < request.radius {
                    narrow = true;
                    continue;
                }
                let (base, crowd) = world.edge_price(request.prices as usize, edge as u32);
                let next = map.edge_to[edge];
                let new = price + base + request.weight * crowd;
                let old = &mut self.price[next as usize];
                if new < *old {
                    if self.reached_by[next as usize] == NONE {
                        self.seen.push(next);
                    }
                    *old = new;
                    self.reached_by[next as usize] = edge as u32;
                    self.open.push((ordered(new), Reverse(next)));
                }
            }
        }
        if from != to && self.reached_by[to as usize] == NONE {
            return Err(if narrow {
                NoRoute::TooNarrow
            } else {
                NoRoute::Unconnected
            });
        }
        self.route.clear();
        let (mut node, mut length) = (to, 0.0);
        while node != from {
            let edge = self.reached_by[node as usize];
            self.route.push(edge);
            length += map.edge_length[edge as usize];
            node = map.edge_from[edge as usize];
        }
        self.route.reverse();
        Ok((length, self.price[to as usize]))
    }
}

impl Sighted {
    fn answer(
        &self,
        world: &World<'_>,
        request: &PlanRequest,
        search: &mut Search,
        routes: &mut RouteSink,
    ) {
        let (from, to) = (request.from, request.to);
        if from.point.distance(to.point) <= self.farthest
            && world.site.ground.sees_with_radius(from, to, request.radius)
            && let Some(price) = world.segment_price(request.prices as usize, from, to)
        {
            let cost = price.base + request.weight * price.crowd;
            routes.push_gates([Gate::waypoint(to)], price.length, cost);
            return;
        }
        let mut hung = [Attachment::NOWHERE; 2];
        world.nav.attach(
            &world.site,
            world.map,
            &[from, to],
            &[request.from_region, NONE],
            &mut hung,
        );
        let [start, goal] = hung.map(|a| a.node);
        let part = |node: u32| self.part.get(node as usize).copied();
        match (part(start), part(goal)) {
            (None, _) => routes.push_missing(NoRoute::StartOffMap),
            (_, None) => routes.push_missing(NoRoute::GoalOffMap),
            (a, b) if a != b => routes.push_missing(NoRoute::Unconnected),
            _ => match search.run(world, request, start, goal) {
                Ok((length, price)) => {
                    let hanging = hung[0].distance + hung[1].distance;
                    routes.push_edges(
                        search.route.iter().copied(),
                        length + hanging,
                        price + hanging,
                    );
                }
                Err(why) => routes.push_missing(why),
            },
        }
    }
}

#[typetag::serde(name = "sighted")]
impl GlobalPlanner for Sighted {
    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let map = world.map;
        if self.part.len() == map.nodes() {
            return Ok(());
        }
        self.part = vec![NONE; map.nodes()];
        let (mut parts, mut open) = (0, Vec::new());
        for node in 0..map.nodes() as u32 {
            if self.part[node as usize] != NONE {
                continue;
            }
            open.push(node);
            self.part[node as usize] = parts;
            while let Some(node) = open.pop() {
                for edge in map.edges_of(node) {
                    let next = map.edge_to[edge];
                    if self.part[next as usize] == NONE {
                        self.part[next as usize] = parts;
                        open.push(next);
                    }
                }
            }
            parts += 1;
        }
        tracing::info!(nodes = map.nodes(), parts, "the map was looked at");
        Ok(())
    }

    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let search = scratch.get::<Search>();
        for request in requests {
            self.answer(world, request, search, routes);
        }
    }

    fn guides(&self) -> bool {
        self.guides
    }

    fn memory(&self) -> Memory {
        Memory {
            scalars: &["seen_for"],
            ..Memory::NONE
        }
    }

    fn guide(
        &self,
        world: &World<'_>,
        chunk: &GuideChunk<'_>,
        _: &mut Scratch,
        out: &mut GuideOut<'_>,
    ) {
        let (ground, agents) = (&world.site.ground, &world.agents);
        for (i, &row) in chunk.rows.iter().enumerate() {
            let row = row as usize;
            let (at, target) = (agents.location[row], agents.target[row]);
            let seen_for = &mut out.memory.scalars[i];
            *seen_for -= chunk.dt;
            if *seen_for <= 0.0 && ground.sees_with_radius(at, target, agents.radius[row]) {
                *seen_for = self.remember;
            }
            if *seen_for <= 0.0 {
                *seen_for = 0.0;
                out.follow_route[i] = 1;
                continue;
            }
            let normal = ground.normals[at.triangle as usize];
            let frame: Frame = agents.frame_of(row);
            let way = frame.to_tangent(normal, target.point - at.point);
            out.target[i] = way;
            out.preferred[i] = way.try_normalize().unwrap_or(Vec2::ZERO) * agents.speed[row];
        }
    }
}

register! {
    Planner "sighted" => Sighted,
    about: "Straight to what is in sight, else the cheapest way over the map.",
    when: "As an example of a planner in a crate of its own.",
    when_not: "Maps are large: the search looks at everything that is nearer than the goal.",
    growth: "Time of a route grows with the nodes nearer than the goal.",
    paper: "",
    needs: Capabilities::GRAPH,
    offers: Capabilities::ROUTES.and(Capabilities::GUIDES),
}
