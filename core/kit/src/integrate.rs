//! Prices of edges and of straight walks: the price of a metre, integrated.

use rayon::prelude::*;
use throng_core::{
    Departure, EdgePrices, GroundView, Location, NONE, NavMap, NavRepresentation, Prices,
    SegmentPrice, SegmentPricing, Site, World, angle_of,
};

use crate::{
    CrowdCells, Walk,
    ground::{TraceEnd, TracePiece},
};

/// Edges that one task integrates.
const CHUNK: usize = 4096;

/// Integrates prices over every edge of a map, in parallel, reusing the memory of `out`.
///
/// An edge that leads into a blocked cell gets an infinite base: searches do not use it. For
/// uniform prices `out` becomes empty.
pub fn edge_prices(map: &NavMap, prices: &Prices, cells: &CrowdCells, out: &mut EdgePrices) {
    if prices.uniform.is_some() {
        out.base.clear();
        out.crowd.clear();
        return;
    }
    out.base.resize(map.edges(), 0.0);
    out.crowd.resize(map.edges(), 0.0);
    out.base
        .par_chunks_mut(CHUNK)
        .zip(out.crowd.par_chunks_mut(CHUNK))
        .enumerate()
        .for_each(|(chunk, (base, crowd))| {
            for i in 0..base.len() {
                (base[i], crowd[i]) = edge_price(map, prices, cells, chunk * CHUNK + i);
            }
        });
}

/// Base and crowd price of one edge.
pub fn edge_price(map: &NavMap, prices: &Prices, cells: &CrowdCells, edge: usize) -> (f32, f32) {
    let length = map.edge_length[edge];
    if let Some(base) = prices.uniform {
        return (base * length, 0.0);
    }
    let pieces = match cells {
        CrowdCells::Squares(squares) => squares.pieces_of(edge),
        CrowdCells::Pools(pools) => pools.pieces_of(edge),
        CrowdCells::Regions => match (map.piece_start.get(edge), map.piece_start.get(edge + 1)) {
            (Some(&first), Some(&end)) => &map.pieces[first as usize..end as usize],
            _ => return halves_price(map, prices, edge),
        },
    };
    let Some(first) = pieces.first() else {
        return (prices.least_base * length, 0.0);
    };
    let mut sum = (0.0_f32, 0.0_f32);
    for piece in pieces {
        if piece.cell != first.cell && prices.is_blocked(piece.cell) {
            return (f32::INFINITY, 0.0);
        }
        let (base, crowd) = prices.metre(piece.cell, piece.angle);
        sum.0 += base * piece.length;
        sum.1 += crowd * piece.length;
    }
    sum
}

/// The price of an edge without pieces: half of it lies in the region of each of its ends.
fn halves_price(map: &NavMap, prices: &Prices, edge: usize) -> (f32, f32) {
    let (from, to) = (map.edge_from[edge] as usize, map.edge_to[edge] as usize);
    let length = map.edge_length[edge];
    let (first, second) = match (map.node_region[from], map.node_region[to]) {
        (NONE, NONE) => return (prices.least_base * length, 0.0),
        (NONE, region) | (region, NONE) => (region, region),
        both => both,
    };
    if first != second && prices.is_blocked(second) {
        return (f32::INFINITY, 0.0);
    }
    let angle = if prices.directions == 1 {
        0
    } else {
        let way = map.node_place[to].point - map.node_place[from].point;
        angle_of(way.truncate())
    };
    let (a, b) = (prices.metre(first, angle), prices.metre(second, angle));
    let half = length * 0.5;
    ((a.0 + b.0) * half, (a.1 + b.1) * half)
}

/// What prices on a site need to be integrated along a walk.
#[derive(Clone, Copy, Debug)]
pub struct Pricing<'a> {
    /// The ground and what came with it.
    pub site: Site<'a>,
    /// The map.
    pub map: &'a NavMap,
    /// The map's strategy.
    pub nav: &'a dyn NavRepresentation,
    /// The crowd cells.
    pub cells: &'a CrowdCells,
    /// The prices.
    pub prices: &'a Prices,
}

/// Sub-steps at which regions are looked up along a walk.
const SUB_STEPS: usize = 16;
/// Length of a sub-step, metres; longer pieces of a walk take longer ones.
const SUB_STEP: f32 = 0.25;

impl SegmentPricing for CrowdCells {
    fn segment(
        &self,
        world: &World<'_>,
        prices: usize,
        from: Location,
        to: Location,
        departure: Departure,
    ) -> Option<SegmentPrice> {
        Pricing {
            site: world.site,
            map: world.map,
            nav: world.nav,
            cells: self,
            prices: &world.prices[prices],
        }
        .segment_at(from, to, departure)
    }
}

impl Pricing<'_> {
    /// The price of the straight walk between two places, or `None` where a wall or a blocked
    /// cell is in between.
    ///
    /// Over square cells the integral is exact. Over regions every piece in a triangle is looked
    /// up at the middles of up to 16 sub-steps per 4 metres.
    pub fn segment(&self, from: Location, to: Location) -> Option<SegmentPrice> {
        self.segment_at(from, to, Departure::NOW)
    }

    /// The same for a walk that begins later: each metre is priced at the time it is walked.
    pub fn segment_at(
        &self,
        from: Location,
        to: Location,
        departure: Departure,
    ) -> Option<SegmentPrice> {
        let ground = &self.site.ground;
        let mut sum = SegmentPrice::default();
        let mut walk = Walked {
            pricing: self,
            sum: &mut sum,
            first_cell: NONE,
            hint: NONE,
            blocked: false,
            departure,
            walked: 0.0,
        };
        let end = ground.trace_to(from, to, &mut |piece| walk.add(ground, &piece));
        let blocked = walk.blocked;
        (end == TraceEnd::Reached && !blocked).then_some(sum)
    }
}

/// A walk under way.
struct Walked<'a, 'b> {
    pricing: &'a Pricing<'b>,
    sum: &'a mut SegmentPrice,
    first_cell: u32,
    hint: u32,
    blocked: bool,
    departure: Departure,
    walked: f32,
}

impl Walked<'_, '_> {
    fn add(&mut self, ground: &GroundView<'_>, piece: &TracePiece) {
        self.sum.length += piece.length;
        let prices = self.pricing.prices;
        if let Some(base) = prices.uniform {
            self.sum.base += base * piece.length;
            return;
        }
        let angle = if prices.directions == 1 {
            0
        } else {
            angle_of(piece.direction.truncate())
        };
        match self.pricing.cells {
            CrowdCells::Squares(squares) => {
                let (a, b) = (piece.enter.truncate(), piece.leave.truncate());
                let floor = ground.floors[piece.triangle as usize];
                squares.lattice.stretches(a, b, |_, start, end| {
                    let middle = a + (b - a) * ((start + end) / 2.0) as f32;
                    let length = (end - start) as f32 * piece.length;
                    self.pay(squares.cell_on(middle, floor), angle, length);
                });
            }
            CrowdCells::Regions | CrowdCells::Pools(_) => {
                let mut done = 0.0;
                while done < piece.length {
                    done += self.pay_regions(piece, angle, done);
                }
            }
        }
    }

    /// Pays for up to [`SUB_STEPS`] sub-steps from `done` on; gives the metres paid.
    fn pay_regions(&mut self, piece: &TracePiece, angle: u16, done: f32) -> f32 {
        let rest = (piece.length - done).min(SUB_STEP * SUB_STEPS as f32);
        let count = ((rest / SUB_STEP).ceil() as usize).clamp(1, SUB_STEPS);
        let step = rest / count as f32;
        let mut places = [Location::NOWHERE; SUB_STEPS];
        let mut cells = [NONE; SUB_STEPS];
        for (i, place) in places[..count].iter_mut().enumerate() {
            let share = (done + (i as f32 + 0.5) * step) / piece.length;
            *place = Location {
                point: piece.enter + (piece.leave - piece.enter) * share,
                triangle: piece.triangle,
            };
        }
        let Pricing { nav, site, map, .. } = self.pricing;
        let hints = [self.hint; SUB_STEPS];
        nav.region_of(
            site,
            map,
            &places[..count],
            &hints[..count],
            &mut cells[..count],
        );
        self.hint = cells[count - 1];
        for &region in &cells[..count] {
            let cell = match self.pricing.cells {
                CrowdCells::Pools(pools) => pools.cell_of(region),
                _ => region,
            };
            self.pay(cell, angle, step);
        }
        rest
    }

    fn pay(&mut self, cell: u32, angle: u16, length: f32) {
        let prices = self.pricing.prices;
        let slice = if prices.slices > 1 {
            let metres = self.walked + length * 0.5;
            let seconds = self.departure.seconds + metres / self.departure.speed;
            (seconds / prices.slice_seconds) as u32
        } else {
            0
        };
        self.walked += length;
        if cell == NONE {
            self.sum.base += prices.least_base * length;
            return;
        }
        if self.first_cell == NONE {
            self.first_cell = cell;
        }
        self.blocked |= cell != self.first_cell && prices.is_blocked(cell);
        let (base, crowd) = prices.metre_at(cell, angle, slice);
        self.sum.base += base * length;
        self.sum.crowd += crowd * length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Ground,
        environment::{Environment, Floor, Polygon},
    };
    use glam::{DVec2, Vec2};
    use throng_core::{Attachment, NavError, RegionId, options};

    options! {
        /// Two nodes in a room of 8 x 4 m, whose left and right halves are regions 0 and 1.
        pub struct Halves {}
    }

    #[typetag::serde(name = "test-halves")]
    impl NavRepresentation for Halves {
        fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
            let at = |x, y| site.ground.locate_plan(Vec2::new(x, y), None).unwrap();
            map.node_place = vec![at(-1.0, 0.0), at(2.0, 0.0)];
            map.node_region = vec![0, 1];
            map.edge_start = vec![0, 1, 2];
            map.edge_from = vec![0, 1];
            map.edge_to = vec![1, 0];
            map.edge_twin = vec![1, 0];
            map.edge_length = vec![3.0; 2];
            map.edge_clearance = vec![2.0; 2];
            map.region_area = vec![16.0; 2];
            map.region_place = map.node_place.clone();
            Ok(())
        }

        fn attach(
            &self,
            _: &Site<'_>,
            _: &NavMap,
            _: &[Location],
            _: &[RegionId],
            _: &mut [Attachment],
        ) {
        }

        fn region_of(
            &self,
            _: &Site<'_>,
            _: &NavMap,
            places: &[Location],
            _: &[RegionId],
            out: &mut [RegionId],
        ) {
            for (place, region) in places.iter().zip(out) {
                *region = u32::from(place.point.x >= 0.0);
            }
        }
    }

    fn room() -> Ground {
        let walkable = Polygon::rectangle(DVec2::ZERO, DVec2::new(8.0, 4.0));
        let environment = Environment {
            floors: vec![Floor {
                walkable: vec![walkable],
                ..Floor::default()
            }],
            ..Environment::default()
        };
        Ground::from_environment(&environment).unwrap()
    }

    fn with(act: impl Fn(Site<'_>, &NavMap, &Halves)) {
        let ground = room();
        let site = Site {
            ground: ground.view(),
            file_cells: None,
            seed: 0,
        };
        let (mut nav, mut map) = (Halves::default(), NavMap::default());
        nav.build(&site, &mut map).unwrap();
        map.check().unwrap();
        act(site, &map, &nav);
    }

    /// Base 1 and 2 in two cells, crowd 10 in the second.
    fn two_prices() -> Prices {
        let mut prices = Prices::default();
        prices.resize(2, 1, 1);
        prices.base = vec![1.0, 2.0];
        prices.crowd = vec![0.0, 10.0];
        prices.least_base = 1.0;
        prices
    }

    #[test]
    fn edges_without_pieces_are_half_in_either_region() {
        with(|_, map, _| {
            let mut prices = two_prices();
            let mut out = EdgePrices::default();
            edge_prices(map, &prices, &CrowdCells::Regions, &mut out);
            assert_eq!(out.base, [4.5, 4.5]);
            assert_eq!(out.crowd, [15.0, 15.0]);
            // Into a blocked cell nobody goes, out of it everybody may.
            prices.blocked = vec![0b10];
            edge_prices(map, &prices, &CrowdCells::Regions, &mut out);
            assert_eq!(out.base, [f32::INFINITY, 4.5]);
            prices.set_uniform(3.0);
            edge_prices(map, &prices, &CrowdCells::Regions, &mut out);
            assert!(out.base.is_empty() && out.crowd.is_empty());
        });
    }

    #[test]
    fn directions_count_along_edges_and_walks() {
        with(|site, map, nav| {
            let mut prices = Prices::default();
            prices.resize(2, 8, 1);
            prices.base.fill(1.0);
            prices.least_base = 1.0;
            // Walking along +x costs 4 more in cell 1.
            prices.crowd[8] = 4.0;
            let (there, back) = (
                edge_price(map, &prices, &CrowdCells::Regions, 0),
                edge_price(map, &prices, &CrowdCells::Regions, 1),
            );
            assert_eq!((there, back), ((3.0, 6.0), (3.0, 0.0)));
            let pricing = Pricing {
                site,
                map,
                nav,
                cells: &CrowdCells::Regions,
                prices: &prices,
            };
            let (a, b) = (map.node_place[0], map.node_place[1]);
            let there = pricing.segment(a, b).unwrap();
            assert!(
                (there.crowd - 8.0).abs() < 4.0 * SUB_STEP && there.base == 3.0,
                "{there:?}"
            );
            assert_eq!(pricing.segment(b, a).unwrap().crowd, 0.0);
        });
    }

    #[test]
    fn square_cells_are_exact_on_edges_and_walks() {
        with(|site, map, nav| {
            // 8 cells of 2 m in 4 columns and 2 rows; the nodes at (3, 2) and (6, 2) of the room
            // are on the line between the rows.
            let cells = CrowdCells::squares(&site.ground, 2.0, map).unwrap();
            assert_eq!(cells.count(map), 8);
            assert!(cells.areas(map).iter().all(|a| (a - 4.0).abs() < 1e-5));
            let mut prices = Prices::default();
            prices.resize(8, 1, 1);
            prices.base.fill(1.0);
            prices.least_base = 1.0;
            for (cell, crowd) in prices.crowd.iter_mut().enumerate() {
                *crowd = (cell % 4) as f32;
            }
            // From x = 3 to 6: one metre in column 1, two in column 2.
            let mut out = EdgePrices::default();
            edge_prices(map, &prices, &cells, &mut out);
            assert!((out.crowd[0] - 5.0).abs() < 1e-4, "{out:?}");
            assert!((out.base[1] - 3.0).abs() < 1e-5);
            let pricing = Pricing {
                site,
                map,
                nav,
                cells: &cells,
                prices: &prices,
            };
            let at = |x, y| site.ground.locate_plan(Vec2::new(x, y), None).unwrap();
            // From (0.5, 0.5) to (7.5, 3.5) of the room: shares of x alone matter.
            let price = pricing.segment(at(-3.5, -1.5), at(3.5, 1.5)).unwrap();
            let length = 58.0_f32.sqrt();
            assert!((price.length - length).abs() < 1e-4);
            let wanted = length * (2.0 * 1.0 + 2.0 * 2.0 + 1.5 * 3.0) / 7.0;
            assert!((price.crowd - wanted).abs() < 1e-3, "{price:?} {wanted}");
            let mut found = [0; 3];
            let places = [at(-3.9, -1.9), at(3.9, 1.9), Location::NOWHERE];
            cells.cell_of(nav, &site, map, &places, &[NONE; 3], &mut found);
            assert_eq!(found, [0, 7, NONE]);
        });
    }

    #[test]
    fn time_slices_are_picked_by_arrival() {
        with(|site, map, nav| {
            // Everywhere free now, dear from the second on.
            let mut prices = Prices::default();
            prices.resize(2, 1, 2);
            prices.slice_seconds = 1.0;
            prices.base.fill(1.0);
            prices.least_base = 1.0;
            prices.crowd = vec![0.0, 0.0, 5.0, 5.0];
            let pricing = Pricing {
                site,
                map,
                nav,
                cells: &CrowdCells::Regions,
                prices: &prices,
            };
            let (a, b) = (map.node_place[0], map.node_place[1]);
            let walk = |seconds, speed| {
                let departure = Departure { seconds, speed };
                pricing.segment_at(a, b, departure).unwrap().crowd
            };
            assert_eq!(pricing.segment(a, b).unwrap().crowd, 0.0);
            assert_eq!(walk(0.0, 100.0), 0.0);
            assert!((walk(5.0, 1.0) - 15.0).abs() < 1e-4);
            // At 2 m/s the second begins after 2 of the 3 metres.
            assert!((walk(0.0, 2.0) - 5.0).abs() < 5.0 * SUB_STEP);
        });
    }

    #[test]
    fn walls_and_blocked_cells_end_a_walk() {
        with(|site, map, nav| {
            let mut prices = two_prices();
            let (a, b) = (map.node_place[0], map.node_place[1]);
            let cells = CrowdCells::Regions;
            let walk = |prices: &Prices, from: Location, to: Location| {
                let pricing = Pricing {
                    site,
                    map,
                    nav,
                    cells: &cells,
                    prices,
                };
                pricing.segment(from, to)
            };
            let outside = Location {
                point: glam::Vec3::new(30.0, 0.0, 0.0),
                ..a
            };
            assert!(walk(&prices, a, b).is_some() && walk(&prices, a, outside).is_none());
            prices.blocked = vec![0b10];
            assert!(walk(&prices, a, b).is_none() && walk(&prices, b, a).is_some());
        });
    }
}
