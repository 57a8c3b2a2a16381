//! The searches against petgraph's, on random graphs with one-way edges, narrow ones and doors.

use glam::Vec3;
use petgraph::{algo::dijkstra, graph::DiGraph, graph::NodeIndex, unionfind::UnionFind};
use proptest::prelude::*;
use throng_core::{Attachment, EdgePrices, Location, NO_DOOR, NONE, NavMap, NoRoute};
use throng_kit::search::{
    Connectivity, DistanceTree, Heuristic, Horizon, Incoming, RouteQuery, SearchScratch, Terms,
    Toward, distance_tree, find_route,
};

/// An edge: from, to, factor on its straight length, clearance, door, crowd, has a twin.
type RandomEdge = (usize, usize, f32, f32, bool, f32, bool);

#[derive(Debug, Clone)]
struct Case {
    places: Vec<(f32, f32)>,
    edges: Vec<RandomEdge>,
    door_open: bool,
    radius: f32,
    weight: f32,
}

fn case() -> impl Strategy<Value = Case> {
    (2_usize..24).prop_flat_map(|nodes| {
        let edge = (
            0..nodes,
            0..nodes,
            1.0_f32..2.0,
            prop_oneof![Just(0.2_f32), Just(0.5), Just(1.0)],
            any::<bool>(),
            0.0_f32..5.0,
            any::<bool>(),
        );
        (
            prop::collection::vec((0.0_f32..20.0, 0.0_f32..20.0), nodes),
            prop::collection::vec(edge, 0..60),
            any::<bool>(),
            prop_oneof![Just(0.0_f32), Just(0.4), Just(0.8)],
            0.0_f32..2.0,
        )
            .prop_map(|(places, edges, door_open, radius, weight)| Case {
                places,
                edges,
                door_open,
                radius,
                weight,
            })
    })
}

fn build(case: &Case) -> (NavMap, EdgePrices) {
    let mut map = NavMap::default();
    for &(x, y) in &case.places {
        map.node_place.push(Location {
            point: Vec3::new(x, y, 0.0),
            triangle: 0,
        });
        map.node_region.push(NONE);
    }
    // Directed edges: (from, to, length, clearance, door, crowd, pair).
    let mut directed = Vec::new();
    for (pair, &(a, b, factor, clearance, door, crowd, twin)) in case.edges.iter().enumerate() {
        let length = map.node_place[a].point.distance(map.node_place[b].point) * factor + 0.001;
        directed.push((a, b, length, clearance, door, crowd, pair));
        if twin && a != b {
            directed.push((b, a, length, clearance, door, crowd * 0.5, pair));
        }
    }
    directed.sort_by_key(|e| e.0);
    let mut prices = EdgePrices::default();
    map.edge_start = vec![0; case.places.len() + 1];
    for (i, e) in directed.iter().enumerate() {
        map.edge_start[e.0 + 1] += 1;
        map.edge_from.push(e.0 as u32);
        map.edge_to.push(e.1 as u32);
        map.edge_length.push(e.2);
        map.edge_clearance.push(e.3);
        map.edge_door.push(if e.4 { 0 } else { NO_DOOR });
        let twin = directed
            .iter()
            .enumerate()
            .find(|(j, t)| *j != i && t.6 == e.6);
        map.edge_twin.push(twin.map_or(NONE, |(j, _)| j as u32));
        prices.base.push(e.2);
        prices.crowd.push(e.5);
    }
    for n in 0..case.places.len() {
        map.edge_start[n + 1] += map.edge_start[n];
    }
    map.region_place.clear();
    map.check().expect("the test's own map is sound");
    (map, prices)
}

fn reference(case: &Case, map: &NavMap, prices: &EdgePrices) -> DiGraph<(), f64> {
    let mut graph = DiGraph::new();
    for _ in 0..map.nodes() {
        graph.add_node(());
    }
    for e in 0..map.edges() {
        if map.edge_clearance[e] >= case.radius && (map.edge_door[e] == NO_DOOR || case.door_open) {
            graph.add_edge(
                NodeIndex::new(map.edge_from[e] as usize),
                NodeIndex::new(map.edge_to[e] as usize),
                f64::from(prices.base[e]) + f64::from(case.weight) * f64::from(prices.crowd[e]),
            );
        }
    }
    graph
}

fn on(node: u32) -> Attachment {
    Attachment {
        node,
        distance: 0.0,
        ..Attachment::NOWHERE
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn routes_cost_what_petgraph_says(case in case()) {
        let (map, prices) = build(&case);
        let doors = [u8::from(case.door_open)];
        let graph = reference(&case, &map, &prices);
        let terms = Terms::edges(&map, &doors, case.radius, &prices, case.weight, 1.0);
        let heuristic = Heuristic::of(&map);
        let mut scratch = SearchScratch::default();
        for from in 0..map.nodes().min(4) as u32 {
            let wanted = dijkstra(&graph, NodeIndex::new(from as usize), None, |e| *e.weight());
            for to in 0..map.nodes() as u32 {
                let query = RouteQuery {
                    terms, from: on(from), to: on(to), heuristic, greed: 1.0, most_expansions: 0,
 horizon: Horizon::NONE,
 old_tail: &[],
                };
                let found = find_route(&query, &mut scratch);
                match wanted.get(&NodeIndex::new(to as usize)) {
                    None => prop_assert_eq!(found, Err(NoRoute::Unconnected)),
                    Some(&cost) => {
                        let found = found.unwrap();
                        prop_assert!((found.cost - cost).abs() < 1e-9 * (1.0 + cost));
                        let mut at = from;
                        let mut walked = 0.0;
                        for &e in scratch.route() {
                            prop_assert_eq!(map.edge_from[e as usize], at);
                            at = map.edge_to[e as usize];
                            walked += terms.cost(e);
                        }
                        prop_assert_eq!(at, to);
                        prop_assert!((walked - cost).abs() < 1e-9 * (1.0 + cost));
                        let greedy = find_route(&RouteQuery { greed: 3.0, ..query }, &mut scratch);
                        let greedy = greedy.unwrap().cost;
                        prop_assert!(greedy >= cost - 1e-9 && greedy <= 3.0 * cost + 1e-9);
                    }
                }
            }
        }
    }

    #[test]
    fn trees_hold_what_petgraph_says_both_ways(case in case()) {
        let (map, prices) = build(&case);
        let doors = [u8::from(case.door_open)];
        let graph = reference(&case, &map, &prices);
        let terms = Terms::edges(&map, &doors, case.radius, &prices, case.weight, 1.0);
        let incoming = Incoming::of(&map);
        let mut scratch = SearchScratch::default();
        let mut tree = DistanceTree::default();
        let sources = [(0, 0.0), (map.nodes() as u32 - 1, 1.5)];
        for toward in [Toward::Nodes, Toward::Sources] {
            let mut graph = graph.clone();
            if toward == Toward::Sources {
                graph.reverse();
            }
            distance_tree(&terms, &sources, toward, &incoming, &mut scratch, &mut tree);
            let first = dijkstra(&graph, NodeIndex::new(0), None, |e| *e.weight());
            let last = NodeIndex::new(map.nodes() - 1);
            let second = dijkstra(&graph, last, None, |e| *e.weight());
            for n in 0..map.nodes() {
                let a = first.get(&NodeIndex::new(n)).copied().unwrap_or(f64::INFINITY);
                let b = second.get(&NodeIndex::new(n)).copied().unwrap_or(f64::INFINITY) + 1.5;
                let (wanted, cost) = (a.min(b), f64::from(tree.cost[n]));
                prop_assert!(wanted == cost || (wanted - cost).abs() < 1e-5 * (1.0 + wanted));
                let edge = tree.edge[n];
                if edge != NONE {
                    let e = edge as usize;
                    let (own, other) = match toward {
                        Toward::Nodes => (map.edge_to[e], map.edge_from[e]),
                        Toward::Sources => (map.edge_from[e], map.edge_to[e]),
                    };
                    prop_assert_eq!(own as usize, n);
                    let through = f64::from(tree.cost[other as usize]) + terms.cost(edge);
                    prop_assert!((through - cost).abs() < 1e-4 * (1.0 + cost));
                }
            }
        }
    }

    #[test]
    fn the_widest_way_is_where_the_union_of_wide_edges_first_joins(case in case()) {
        let (map, _) = build(&case);
        let doors = [u8::from(case.door_open)];
        let connectivity = Connectivity::new(&map, &doors);
        let joined = |radius: f32| {
            let mut sets = UnionFind::<u32>::new(map.nodes());
            for e in 0..map.edges() {
                if map.edge_clearance[e] >= radius && map.is_open(e as u32, &doors) {
                    sets.union(map.edge_from[e], map.edge_to[e]);
                }
            }
            sets
        };
        for radius in [0.0, 0.2, 0.3, 0.5, 0.7, 1.0, 1.1] {
            let sets = joined(radius);
            for a in 0..map.nodes() as u32 {
                for b in 0..map.nodes() as u32 {
                    let wide = connectivity.widest(a, b).is_some_and(|width| width >= radius);
                    prop_assert_eq!(wide, sets.equiv(a, b));
                }
            }
        }
    }
}
