//! One map for every radius: a body finds a way exactly if one is wide enough.

mod common;

use common::{Built, built, floor, rectangle};
use glam::DVec2;
use throng_core::{
    Attachment, Gate, NONE, NavRepresentation, NoRoute,
    random::{Purpose, Stream},
};
use throng_kit::{
    Walk,
    environment::{Environment, Polygon},
    funnel::pulled_length,
    search::{FoundRoute, Heuristic, Horizon, RouteQuery, SearchScratch, Terms, find_route},
};

fn route(
    b: &Built,
    from: Attachment,
    to: Attachment,
    radius: f32,
) -> Result<(FoundRoute, Vec<u32>), NoRoute> {
    let mut scratch = SearchScratch::default();
    let query = RouteQuery {
        terms: Terms::lengths(&b.map, &[], radius),
        from,
        to,
        heuristic: Heuristic::STRAIGHT,
        greed: 1.0,
        most_expansions: 0,
        horizon: Horizon::NONE,
        old_tail: &[],
    };
    let found = find_route(&query, &mut scratch)?;
    Ok((found, scratch.route().to_vec()))
}

/// Blocks with gaps of many widths between them.
fn blocks(seed: u64) -> Environment {
    let mut s = Stream::new(seed, 0, Purpose::Strategy, 0);
    let mut solid = Vec::new();
    for column in 0..5 {
        for row in 0..4 {
            let low = DVec2::new(f64::from(column) * 4.0, f64::from(row) * 4.0);
            let cut = DVec2::new(s.range(0.05, 1.2), s.range(0.05, 1.2));
            let size = DVec2::new(s.range(2.5, 3.9), s.range(2.5, 3.9)) - cut;
            let ring = if s.range(0.0, 1.0) < 0.5 {
                Polygon::rectangle(low + cut, low + cut + size)
            } else {
                let middle = low + cut + size / 2.0;
                Polygon::new(vec![
                    DVec2::new(low.x + cut.x, middle.y),
                    DVec2::new(middle.x, low.y + cut.y),
                    DVec2::new(low.x + cut.x + size.x, middle.y),
                    DVec2::new(middle.x, low.y + cut.y + size.y),
                ])
            };
            solid.push(ring);
        }
    }
    floor(vec![rectangle(-0.1, -0.1, 20.3, 16.3)], solid)
}

/// Two rooms and a thick wall between them with three gaps.
fn gaps(seed: u64) -> Environment {
    let mut s = Stream::new(seed, 0, Purpose::Strategy, 0);
    let mut solid = Vec::new();
    let mut low = -1.0;
    for middle in [2.0, 8.0, 13.0] {
        let half = s.range(0.1, 0.7);
        solid.push(rectangle(9.0, low, 11.0, middle - half));
        low = middle + half;
    }
    solid.push(rectangle(9.0, low, 11.0, 17.0));
    floor(vec![rectangle(0.0, 0.0, 20.0, 16.0)], solid)
}

/// The least clearance of the widest way between all nodes and one, by plain relaxation.
fn widest_from(b: &Built, node: u32) -> Vec<f32> {
    let mut width = vec![-1.0_f32; b.map.nodes()];
    width[node as usize] = f32::INFINITY;
    loop {
        let mut changed = false;
        for e in 0..b.map.edges() {
            let (from, to) = (b.map.edge_from[e] as usize, b.map.edge_to[e] as usize);
            let through = width[from].min(b.map.edge_clearance[e]);
            if through > width[to] {
                width[to] = through;
                changed = true;
            }
        }
        if !changed {
            return width;
        }
    }
}

#[test]
fn a_route_exists_exactly_if_the_widest_one_is_wide_enough() {
    let on = |node: u32| Attachment {
        node,
        distance: 0.0,
        ..Attachment::NOWHERE
    };
    let mut tight = 0;
    for seed in 0..12 {
        let b = built(&blocks(seed));
        let mut s = Stream::new(seed, 1, Purpose::Strategy, 0);
        for _ in 0..6 {
            let mut pick = || (s.range(0.0, b.map.nodes() as f64)) as u32;
            let (from, to) = (pick(), pick());
            let width = widest_from(&b, from)[to as usize];
            if !width.is_finite() {
                continue;
            }
            for radius in [0.1, 0.24, 0.4, 0.7, width - 1e-3, width + 1e-3] {
                let found = route(&b, on(from), on(to), radius);
                assert_eq!(found.is_ok(), radius <= width + 1e-4, "{radius} {width}");
                tight += usize::from(found.is_err());
                if let Ok((_, edges)) = found {
                    let least = edges
                        .iter()
                        .map(|&e| b.map.edge_clearance[e as usize])
                        .fold(f32::INFINITY, f32::min);
                    assert!(least + 1e-4 >= radius);
                }
            }
        }
    }
    assert!(tight > 50, "{tight}");
}

/// Lattice points where a disc fits, joined to their neighbours: an answer that knows nothing of
/// medial axes.
struct Fitting {
    step: f32,
    low: glam::Vec2,
    width: i32,
    clearance: Vec<f32>,
}

impl Fitting {
    fn of(b: &Built, step: f32) -> Fitting {
        let view = b.ground.view();
        let (low, high) = b.ground.bounds();
        let low = (low - view.origin).truncate().as_vec2();
        let high = (high - view.origin).truncate().as_vec2();
        let size = ((high - low) / step).as_ivec2() + 1;
        let clearance = (0..size.x * size.y)
            .map(|i| {
                let at = low + glam::Vec2::new((i % size.x) as f32, (i / size.x) as f32) * step;
                match view.locate_plan(at, None) {
                    Some(place) => view.clearance(place, 10.0),
                    None => -1.0,
                }
            })
            .collect();
        Fitting {
            step,
            low,
            width: size.x,
            clearance,
        }
    }

    fn joined(&self, from: glam::Vec2, to: glam::Vec2, radius: f32) -> bool {
        let index = |p: glam::Vec2| {
            let at = ((p - self.low) / self.step).round().as_ivec2();
            (at.y * self.width + at.x) as usize
        };
        let (start, goal) = (index(from), index(to));
        let mut seen = vec![false; self.clearance.len()];
        let mut stack = vec![start];
        while let Some(i) = stack.pop() {
            if i == goal {
                return true;
            }
            for step in [-1, 1, -self.width, self.width] {
                let next = i as i64 + i64::from(step);
                let Some(&room) = self.clearance.get(next as usize) else {
                    continue;
                };
                if next >= 0 && room >= radius && !seen[next as usize] {
                    seen[next as usize] = true;
                    stack.push(next as usize);
                }
            }
        }
        false
    }
}

#[test]
fn bodies_get_through_where_a_lattice_says_so() {
    const STEP: f32 = 0.1;
    let (mut both, mut neither) = (0, 0);
    let floors = (20..23).map(|seed| (seed, blocks(seed)));
    for (seed, environment) in floors.chain((30..36).map(|seed| (seed, gaps(seed)))) {
        let b = built(&environment);
        let view = b.ground.view();
        let fitting = Fitting::of(&b, STEP);
        let mut s = Stream::new(seed, 2, Purpose::Strategy, 0);
        for _ in 0..60 {
            let mut draw = || {
                let at = glam::Vec2::new(s.range(-10.0, 10.0) as f32, s.range(-8.0, 8.0) as f32);
                view.locate_plan(at, None)
            };
            let (Some(from), Some(to)) = (draw(), draw()) else {
                continue;
            };
            for radius in [0.15, 0.3, 0.45, 0.6] {
                let fits = |p| view.clearance(p, 10.0) > radius + STEP;
                if !(fits(from) && fits(to)) {
                    continue;
                }
                let (p, q) = (from.point.truncate(), to.point.truncate());
                let found = route(&b, b.attach(from), b.attach(to), radius).is_ok();
                // A lattice for slightly wider bodies may miss a way, one for slightly thinner
                // ones may see one too many.
                if fitting.joined(p, q, radius + 0.08) {
                    let (a, z) = (b.attach(from), b.attach(to));
                    let edge = |h: &Attachment| {
                        let e = h.edge as usize;
                        (
                            b.map.edge_clearance[e],
                            b.map.edge_from[e],
                            b.map.edge_to[e],
                        )
                    };
                    assert!(
                        found,
                        "radius {radius}, {p} to {q}, {a:?} {:?}, {z:?} {:?}, {}",
                        edge(&a),
                        edge(&z),
                        widest_from(&b, a.node)[z.node as usize]
                    );
                    both += 1;
                } else if !fitting.joined(p, q, radius - 0.08) {
                    assert!(!found, "radius {radius}, {p} to {q}");
                    neither += 1;
                }
            }
        }
    }
    assert!(both > 20 && neither > 20, "{both} {neither}");
}

#[test]
fn pulled_routes_cross_no_wall() {
    for seed in 40..46 {
        let b = built(&blocks(seed));
        let (view, site) = (b.ground.view(), b.site());
        let mut s = Stream::new(seed, 3, Purpose::Strategy, 0);
        for _ in 0..40 {
            let mut draw = || {
                let at = glam::Vec2::new(s.range(-11.0, 11.0) as f32, s.range(-9.0, 9.0) as f32);
                view.locate_plan(at, None)
            };
            let (Some(from), Some(to)) = (draw(), draw()) else {
                continue;
            };
            let Ok((found, edges)) = route(&b, b.attach(from), b.attach(to), 0.0) else {
                continue;
            };
            if edges.is_empty() {
                continue;
            }
            let mut gates: Vec<Gate> = Vec::new();
            b.nav.emit_gates(&site, &b.map, &edges, &mut gates);
            if found.into != NONE {
                gates.extend(b.nav.gate_at(&site, &b.map, found.into, 0.0));
            }
            let mut corners = Vec::new();
            let (p, q) = (from.point.truncate(), to.point.truncate());
            throng_kit::funnel::pull(&gates, p, q, 0.0, &mut corners);
            let mut at = from;
            for point in corners.iter().map(|c| c.point).chain([q]) {
                let next = view.nearest_plan(point, None).unwrap();
                // Corners lie on walls: a hair's breadth off them must see each other.
                let (a, b) = (at.point.truncate(), next.point.truncate());
                for i in 1..40 {
                    let on_way = a + (b - a) * (i as f32 / 40.0);
                    let place = view.nearest_plan(on_way, None).unwrap();
                    let off = place.point.truncate().distance(on_way);
                    assert!(off < 1e-3, "{off} m off the ground at {on_way}");
                }
                at = next;
            }
            let length = pulled_length(&gates, from.point, to.point, 0.0);
            let beside = b.attach(from).distance + b.attach(to).distance;
            assert!(f64::from(length) <= found.length + f64::from(beside) + 1e-3);
        }
    }
}
