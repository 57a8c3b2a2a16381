//! Searches over chains, with and without a horizon, against searches over the map itself.

use glam::Vec3;
use proptest::prelude::*;
use throng_core::{Attachment, EdgePrices, Location, NONE, NavMap, NoRoute};
use throng_kit::search::{
    Chains, FoundRoute, FreeTrees, Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route,
};

/// A street plan: a lattice of junctions with some streets left out, each bent into a chain of
/// pieces, and dead ends hung on everything.
#[derive(Debug, Clone)]
struct Town {
    side: usize,
    /// Of each street: whether it is there, its pieces, the clearance of its narrowest piece.
    streets: Vec<(bool, usize, f32)>,
    /// Crowd of pieces, taken in turn.
    crowd: Vec<f32>,
    /// Dead ends: the node they hang on, as a share of the nodes so far.
    dead_ends: Vec<f32>,
    places: Vec<(f32, f32, bool)>,
    weight: f32,
    horizon: f32,
    radius: f32,
}

fn town() -> impl Strategy<Value = Town> {
    (2_usize..5).prop_flat_map(|side| {
        let streets = 2 * side * (side - 1);
        let street = (
            prop::bool::weighted(0.8),
            1_usize..6,
            prop_oneof![4 => Just(1.0_f32), 1 => Just(0.3_f32)],
        );
        (
            prop::collection::vec(street, streets),
            prop::collection::vec(prop_oneof![Just(0.0_f32), 0.0_f32..8.0], 40),
            prop::collection::vec(0.0_f32..1.0, 0..10),
            prop::collection::vec((0.0_f32..1.0, 0.0_f32..1.0, any::<bool>()), 6),
            prop_oneof![Just(0.0_f32), Just(1.0), Just(5.0)],
            0.0_f32..40.0,
            prop_oneof![Just(0.0_f32), Just(0.5)],
        )
            .prop_map(
                move |(streets, crowd, dead_ends, places, weight, horizon, radius)| Town {
                    side,
                    streets,
                    crowd,
                    dead_ends,
                    places,
                    weight,
                    horizon,
                    radius,
                },
            )
    })
}

fn build(town: &Town) -> (NavMap, EdgePrices) {
    let side = town.side;
    let at = |n: usize| Vec3::new((n % side) as f32, (n / side) as f32, 0.0) * 10.0;
    let mut places: Vec<Vec3> = (0..side * side).map(at).collect();
    // Undirected links: ends, clearance.
    let mut links: Vec<(usize, usize, f32)> = Vec::new();
    let mut street = town.streets.iter();
    for n in 0..side * side {
        for (step, there) in [(1, n % side + 1 < side), (side, n / side + 1 < side)] {
            let Some(&(built, pieces, clearance)) = there.then(|| street.next()).flatten() else {
                continue;
            };
            if !built {
                continue;
            }
            let mut last = n;
            for piece in 1..pieces {
                let share = piece as f32 / pieces as f32;
                let bend = Vec3::new(0.3, 0.7, 0.0) * share * (1.0 - share);
                places.push(at(n) + (at(n + step) - at(n)) * share + bend);
                links.push((last, places.len() - 1, 1.0));
                last = places.len() - 1;
            }
            links.push((last, n + step, clearance));
        }
    }
    for share in &town.dead_ends {
        let hung = (share * places.len() as f32) as usize;
        places.push(places[hung] + Vec3::new(1.0, 2.0, 0.0));
        links.push((hung, places.len() - 1, 1.0));
    }
    let mut directed: Vec<(usize, usize, f32, usize)> = Vec::new();
    for (link, &(a, b, clearance)) in links.iter().enumerate() {
        directed.push((a, b, clearance, link));
        directed.push((b, a, clearance, link));
    }
    directed.sort_by_key(|e| e.0);
    let mut map = NavMap {
        edge_start: vec![0; places.len() + 1],
        node_region: vec![NONE; places.len()],
        ..NavMap::default()
    };
    let mut prices = EdgePrices::default();
    for &(a, b, clearance, link) in &directed {
        map.edge_start[a + 1] += 1;
        map.edge_from.push(a as u32);
        map.edge_to.push(b as u32);
        let length = places[a].distance(places[b]) + 0.01;
        map.edge_length.push(length);
        map.edge_clearance.push(clearance);
        let twin = directed.iter().position(|e| e.3 == link && e.0 == b);
        map.edge_twin.push(twin.unwrap() as u32);
        prices.base.push(length * 0.7);
        prices
            .crowd
            .push(length * town.crowd[link % town.crowd.len()]);
    }
    for n in 0..places.len() {
        map.edge_start[n + 1] += map.edge_start[n];
    }
    map.node_place = places
        .into_iter()
        .map(|point| Location { point, triangle: 0 })
        .collect();
    (map, prices)
}

/// Where a share of the map's nodes or edges lies.
fn attach(map: &NavMap, share: f32, along: f32, on_edge: bool) -> Attachment {
    if !on_edge || map.edges() == 0 {
        let node = (share * map.nodes() as f32) as u32;
        return Attachment {
            node,
            ..Attachment::NOWHERE
        };
    }
    let edge = (share * map.edges() as f32) as u32;
    Attachment {
        node: map.edge_from[edge as usize],
        edge,
        along,
        distance: 0.0,
    }
}

/// What walking a route costs, and that its edges join.
fn walk(query: &RouteQuery<'_>, route: &[u32]) -> f64 {
    let map = query.terms.map;
    for pair in route.windows(2) {
        let (a, b) = (pair[0] as usize, pair[1] as usize);
        assert_eq!(map.edge_to[a], map.edge_from[b], "the route has a gap");
    }
    let mut paid = 0.0;
    for (i, &edge) in route.iter().enumerate() {
        let share = match i {
            0 if query.from.edge == edge => 1.0 - query.from.along,
            0 if query.from.edge != NONE => query.from.along,
            _ => 1.0,
        };
        paid = query
            .horizon
            .pay_part(&query.terms, paid, edge, f64::from(share));
    }
    if query.to.edge != NONE {
        let end = route.last().map(|&e| map.edge_to[e as usize]);
        let twin = map.edge_twin[query.to.edge as usize];
        let (edge, share) = if end == Some(map.edge_from[query.to.edge as usize]) {
            (query.to.edge, query.to.along)
        } else {
            (twin, 1.0 - query.to.along)
        };
        if end.is_some() {
            paid = query
                .horizon
                .pay_part(&query.terms, paid, edge, f64::from(share));
        }
    }
    paid
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * (1.0 + a.abs())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    /// Chains, horizons and crowd-free trees change the time taken, never the cost.
    #[test]
    fn chains_and_horizons_cost_the_same(town in town()) {
        let (map, prices) = build(&town);
        let terms = Terms::edges(&map, &[], town.radius, &prices, town.weight, 0.7);
        let chains = Chains::of(&map);
        let (mut scratch, mut other) = (SearchScratch::default(), SearchScratch::default());
        let mut sums = EdgePrices::default();
        let mut free = None;
        if let Some(chains) = &chains {
            chains.prices(&terms, &mut sums);
            free = Some(FreeTrees::new(chains, &sums, &terms));
        }
        for (i, &(from, along, on_edge)) in town.places.iter().enumerate() {
            let (to, beyond, goal_on_edge) = town.places[(i + 1) % town.places.len()];
            for horizon in [Horizon::NONE, Horizon { limit: f64::from(town.horizon) }] {
                let query = RouteQuery {
                    terms,
                    from: attach(&map, from, along, on_edge),
                    to: attach(&map, to, beyond, goal_on_edge),
                    heuristic: Heuristic::of(&map),
                    greed: 1.0,
                    most_expansions: 0,
                    horizon,
                    old_tail: &[],
                };
                let blind = RouteQuery { heuristic: Heuristic::NONE, ..query };
                let least = find_route(&blind, &mut scratch);
                let check = |found: &Result<FoundRoute, NoRoute>, route: &[u32]| {
                    match (&least, found) {
                        (Err(a), Err(b)) => assert_eq!(a, b),
                        (Ok(a), Ok(b)) => {
                            assert!(close(a.cost, b.cost), "{a:?} {b:?}");
                            let walked = walk(&query, route);
                            assert!(route.is_empty() || close(walked, b.cost), "{walked} {b:?}");
                        }
                        _ => panic!("{least:?} {found:?}"),
                    }
                };
                check(&find_route(&query, &mut other), other.route());
                if let Some(chains) = &chains {
                    for trees in [None, free.as_ref()] {
                        let found = chains.find_route(&query, &sums, trees, &mut other);
                        check(&found, other.route());
                    }
                }
            }
        }
    }

    /// Halting at the old route is never cheaper than the cheapest route, and its cost is true.
    #[test]
    fn the_papers_halt_costs_at_least_as_much(town in town(), shift in 0_usize..40) {
        let (map, before) = build(&town);
        let mut crowd = town.crowd.clone();
        crowd.rotate_left(shift);
        let (_, after) = build(&Town { crowd, ..town.clone() });
        let Some(chains) = Chains::of(&map) else { return Ok(()) };
        let mut scratch = SearchScratch::default();
        let (mut old_sums, mut sums) = (EdgePrices::default(), EdgePrices::default());
        let old_terms = Terms::edges(&map, &[], 0.0, &before, town.weight, 0.7);
        let terms = Terms::edges(&map, &[], 0.0, &after, town.weight, 0.7);
        chains.prices(&old_terms, &mut old_sums);
        chains.prices(&terms, &mut sums);
        for (i, &(from, along, on_edge)) in town.places.iter().enumerate() {
            let (to, beyond, goal_on_edge) = town.places[(i + 1) % town.places.len()];
            let old = RouteQuery {
                terms: old_terms,
                from: attach(&map, from, along, on_edge),
                to: attach(&map, to, beyond, goal_on_edge),
                heuristic: Heuristic::of(&map),
                greed: 1.0,
                most_expansions: 0,
                horizon: Horizon { limit: f64::from(town.horizon) },
                old_tail: &[],
            };
            let Ok(first) = chains.find_route(&old, &old_sums, None, &mut scratch) else { continue };
            let route = scratch.route().to_vec();
            let tail = &route[route.len() - first.invisible as usize..];
            let query = RouteQuery { terms, ..old };
            let exact = chains.find_route(&query, &sums, None, &mut scratch).unwrap();
            let halting = RouteQuery { old_tail: tail, ..query };
            for over_chains in [true, false] {
                let halted = if over_chains {
                    chains.find_route(&halting, &sums, None, &mut scratch).unwrap()
                } else {
                    find_route(&halting, &mut scratch).unwrap()
                };
                prop_assert!(halted.cost >= exact.cost - 1e-4);
                let walked = walk(&query, scratch.route());
                prop_assert!(
                    scratch.route().is_empty() || close(walked, halted.cost),
                    "{walked} {halted:?}"
                );
            }
        }
    }
}

#[test]
fn dead_ends_and_chains_leave_junctions_alone() {
    let town = Town {
        side: 3,
        streets: vec![(true, 5, 1.0); 12],
        crowd: vec![0.0; 40],
        dead_ends: vec![0.0, 0.5, 0.99],
        places: vec![],
        weight: 1.0,
        horizon: 0.0,
        radius: 0.0,
    };
    let (map, _) = build(&town);
    let chains = Chains::of(&map).unwrap();
    // The corners have two streets each and are no junctions.
    assert_eq!(chains.core().nodes(), 5);
    assert_eq!(chains.core().edges(), 16);
    let inner: f32 = chains.core().edge_length.iter().sum();
    let dead: f32 = 3.0 * 2.0 * (5.0_f32.sqrt() + 0.01);
    let all: f32 = map.edge_length.iter().sum();
    assert!((inner + dead - all).abs() < 1e-2, "{inner} {dead} {all}");
}
