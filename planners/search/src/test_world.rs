//! A small world to test planners in: unit cells of a room, some of them solid.

use glam::{DVec2, Vec2, Vec3};
use throng_core::{
    AgentsView, Attachment, CrowdView, EdgePrices, Location, NONE, NavError, NavMap,
    NavRepresentation, PlanRequest, Prices, RoutesView, Site, World, options,
};
use throng_kit::{
    Ground, Walk,
    environment::{Environment, Floor, Polygon},
    integrate::edge_prices,
};

options! {
    /// A lattice map made by the test; attaches to the nearest node.
    pub struct TestNav {}
}

#[typetag::serde(name = "test-lattice")]
impl NavRepresentation for TestNav {
    fn build(&mut self, _: &Site<'_>, _: &mut NavMap) -> Result<(), NavError> {
        Ok(())
    }

    fn attach(
        &self,
        _: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        _: &[u32],
        out: &mut [Attachment],
    ) {
        for (place, attachment) in places.iter().zip(out) {
            *attachment = Attachment::NOWHERE;
            for (n, node) in map.node_place.iter().enumerate() {
                let distance = node.point.distance(place.point);
                if place.is_somewhere() && distance < attachment.distance {
                    attachment.node = n as u32;
                    attachment.distance = distance;
                }
            }
        }
    }

    fn region_of(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        hints: &[u32],
        out: &mut [u32],
    ) {
        let mut attached = vec![Attachment::NOWHERE; places.len()];
        self.attach(site, map, places, hints, &mut attached);
        for (region, attachment) in out.iter_mut().zip(attached) {
            *region = attachment.node;
        }
    }
}

pub(crate) struct TestWorld {
    pub ground: Ground,
    pub map: NavMap,
    pub prices: Vec<Prices>,
    pub edge_prices: Vec<EdgePrices>,
}

impl TestWorld {
    pub fn new(width: i32, height: i32, free: impl Fn(i32, i32) -> bool) -> TestWorld {
        let corner = |x: i32, y: i32| DVec2::new(f64::from(x), f64::from(y));
        let cells = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let environment = Environment {
            floors: vec![Floor {
                walkable: vec![Polygon::rectangle(DVec2::ZERO, corner(width, height))],
                solid: cells()
                    .filter(|&(x, y)| !free(x, y))
                    .map(|(x, y)| Polygon::rectangle(corner(x, y), corner(x + 1, y + 1)))
                    .collect(),
                ..Floor::default()
            }],
            ..Environment::default()
        };
        let ground = Ground::from_environment(&environment).unwrap();
        let inside = |x: i32, y: i32| x >= 0 && y >= 0 && x < width && y < height && free(x, y);
        let mut map = NavMap::default();
        let mut id = vec![NONE; (width * height) as usize];
        for (x, y) in cells().filter(|&(x, y)| free(x, y)) {
            id[(y * width + x) as usize] = map.nodes() as u32;
            let at = corner(x, y) + DVec2::splat(0.5);
            let local = ground.view().from_world(at.extend(0.0)).truncate();
            map.node_place
                .push(ground.view().locate_plan(local, None).unwrap());
            map.node_region.push(map.nodes() as u32 - 1);
        }
        map.edge_start.push(0);
        for (x, y) in cells().filter(|&(x, y)| free(x, y)) {
            for (dy, dx) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))) {
                if (dx, dy) != (0, 0)
                    && inside(x + dx, y + dy)
                    && inside(x + dx, y)
                    && inside(x, y + dy)
                {
                    map.edge_from.push(id[(y * width + x) as usize]);
                    map.edge_to.push(id[((y + dy) * width + x + dx) as usize]);
                    let way = Vec2::new(dx as f32, dy as f32);
                    map.edge_length.push(way.length());
                    map.edge_clearance.push(0.5);
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
        map.region_area = vec![1.0; map.nodes()];
        map.region_place = map.node_place.clone();
        map.check().unwrap();
        let mut prices = Prices::default();
        prices.set_uniform(1.0);
        TestWorld {
            ground,
            map,
            prices: vec![prices],
            edge_prices: vec![EdgePrices::default()],
        }
    }

    /// Replaces the prices of every cell by base 1 and a crowd part.
    pub fn crowd(&mut self, crowd: impl Fn(Vec3) -> f32) {
        let prices = &mut self.prices[0];
        prices.resize(self.map.nodes(), 1, 1);
        prices.base.fill(1.0);
        prices.least_base = 1.0;
        let origin = self.ground.view().origin.as_vec3();
        for (price, place) in prices.crowd.iter_mut().zip(&self.map.node_place) {
            *price = crowd(place.point + origin);
        }
        let cells = throng_kit::CrowdCells::regions();
        edge_prices(&self.map, prices, &cells, &mut self.edge_prices[0]);
    }

    /// The centre of a cell.
    pub fn place(&self, cell: (i32, i32)) -> Location {
        let at = DVec2::new(f64::from(cell.0) + 0.5, f64::from(cell.1) + 0.5);
        let view = self.ground.view();
        let local = view.from_world(at.extend(0.0)).truncate();
        view.locate_plan(local, None).unwrap_or(Location::NOWHERE)
    }

    pub fn request(&self, from: (i32, i32), to: (i32, i32)) -> PlanRequest {
        PlanRequest {
            from: self.place(from),
            to: self.place(to),
            agent: NONE,
            goal: NONE,
            prices: 0,
            class: 0,
            from_region: NONE,
            radius: 0.2,
            weight: 1.0,
            speed: 1.3,
        }
    }

    pub fn with<R>(&self, act: impl FnOnce(&World<'_>) -> R) -> R {
        let nav = TestNav::default();
        act(&World {
            time: 0.0,
            step: 0,
            dt: 0.1,
            seed: 0,
            site: Site {
                ground: self.ground.view(),
                file_cells: None,
                seed: 0,
            },
            map: &self.map,
            nav: &nav,
            crowd: CrowdView {
                area: &self.map.region_area,
                axis: &[],
                occupied: &[],
                persons: &[],
                momentum_x: &[],
                momentum_y: &[],
            },
            cells: &throng_kit::CrowdCells::Regions,
            prices: &self.prices,
            edge_prices: &self.edge_prices,
            classes: &[],
            goals: &[],
            goal_nodes: &[],
            agents: AgentsView {
                id: &[],
                location: &[],
                frame: &[],
                velocity: &[],
                heading: &[],
                preferred: &[],
                radius: &[],
                speed: &[],
                mass: &[],
                lane: &[],
                weight: &[],
                class: &[],
                goal: &[],
                target: &[],
                region: &[],
                tier: &[],
                group: &[],
            },
            routes: RoutesView {
                invisible: &[],
                edges: &[],
                first: &[],
                count: &[],
            },
            tier_levels: &[],
            interest: &[],
            movers: &[],
            camera: None,
            epoch: 0,
        })
    }
}
