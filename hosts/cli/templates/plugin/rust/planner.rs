//! Planner `__id__`: the cheapest way over the map's edges, by Dijkstra's algorithm.

use std::{cmp::Reverse, collections::BinaryHeap};

use throng_core::{
    Attachment, Capabilities, GlobalPlanner, NONE, NoRoute, PlanRequest, RouteSink, Scratch, World,
    options, register,
};

options! {
    /// Dijkstra's algorithm over the map's edges.
    pub struct __Type__ {
        /// Most nodes looked at for a route.
        limit: u32 = 1000000, "", 1..=1000000000;
    }
}

/// What a search keeps from request to request.
#[derive(Default)]
struct Search {
    cost: Vec<f32>,
    by: Vec<u32>,
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    route: Vec<u32>,
}

impl Search {
    /// Finds the way between two nodes; its edges are in `route`.
    fn find(
        &mut self,
        world: &World<'_>,
        request: &PlanRequest,
        from: u32,
        to: u32,
        limit: u32,
    ) -> Result<(f32, f32), NoRoute> {
        let map = world.map;
        self.cost.clear();
        self.cost.resize(map.nodes(), f32::INFINITY);
        self.by.clear();
        self.by.resize(map.nodes(), NONE);
        self.queue.clear();
        self.route.clear();
        self.cost[from as usize] = 0.0;
        self.queue.push(Reverse((0, from)));
        let (mut looks, mut narrow) = (0, false);
        while let Some(Reverse((bits, node))) = self.queue.pop() {
            let cost = f32::from_bits(bits);
            if node == to {
                break;
            }
            if cost > self.cost[node as usize] {
                continue;
            }
            looks += 1;
            if looks > limit {
                return Err(NoRoute::Limit);
            }
            for edge in map.edges_of(node) {
                if map.edge_clearance[edge] < request.radius {
                    narrow = true;
                    continue;
                }
                if !map.is_open(edge as u32, world.site.ground.door_open) {
                    continue;
                }
                let (base, crowd) = world.edge_price(request.prices as usize, edge as u32);
                let there = cost + base + request.weight * crowd;
                let next = map.edge_to[edge];
                // Costs are never negative, so that their bits are ordered as they are.
                if there < self.cost[next as usize] {
                    self.cost[next as usize] = there;
                    self.by[next as usize] = edge as u32;
                    self.queue.push(Reverse((there.to_bits(), next)));
                }
            }
        }
        if self.cost[to as usize].is_infinite() {
            return Err(if narrow {
                NoRoute::TooNarrow
            } else {
                NoRoute::Unconnected
            });
        }
        let (mut length, mut node) = (0.0, to);
        while node != from {
            let edge = self.by[node as usize];
            self.route.push(edge);
            length += map.edge_length[edge as usize];
            node = map.edge_from[edge as usize];
        }
        self.route.reverse();
        Ok((length, self.cost[to as usize]))
    }
}

#[typetag::serde(name = "__id__")]
impl GlobalPlanner for __Type__ {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let search = scratch.get::<Search>();
        for request in requests {
            let mut ends = [Attachment::NOWHERE; 2];
            let places = [request.from, request.to];
            let hints = [request.from_region, NONE];
            world
                .nav
                .attach(&world.site, world.map, &places, &hints, &mut ends);
            let [from, to] = ends;
            if from.node == NONE || to.node == NONE {
                routes.push_missing(if from.node == NONE {
                    NoRoute::StartOffMap
                } else {
                    NoRoute::GoalOffMap
                });
                continue;
            }
            match search.find(world, request, from.node, to.node, self.limit) {
                Ok((length, cost)) => {
                    // To the map and from it again, at the price of a metre of base.
                    let aside = from.distance + to.distance;
                    let route = search.route.iter().copied();
                    routes.push_edges(route, length + aside, cost + aside);
                }
                Err(why) => routes.push_missing(why),
            }
        }
    }
}

register! {
    Planner "__id__" => __Type__,
    about: "The cheapest way over the map's edges, by Dijkstra's algorithm.",
    when: "As a start for a planner of your own.",
    when_not: "Maps are large: it looks at every node on the way.",
    growth: "Time of a route grows with the nodes nearer than its goal.",
    paper: "E. W. Dijkstra, A note on two problems in connexion with graphs, 1959",
    needs: Capabilities::GRAPH,
    offers: Capabilities::ROUTES,
}
