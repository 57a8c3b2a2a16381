//! Crowd cells: where the crowd is counted and priced.

mod pools;
mod slack;

pub use pools::Pools;
pub use slack::regular_slack;

use glam::Vec2;
use throng_core::{
    CellId, EdgePiece, GroundView, Location, NONE, NavError, NavMap, NavRepresentation, RegionId,
    Site, angle_of,
};

use crate::lattice::{Cover, Lattice, entry_of};

/// The cells that the crowd is counted on: the map's regions, tiny ones pooled or not, or squares
/// of their own size over a floor plan.
#[derive(Clone, Debug)]
pub enum CrowdCells {
    /// The map's regions.
    Regions,
    /// The map's regions, tiny ones pooled with their neighbours.
    Pools(Box<Pools>),
    /// Squares of a size of their own, one cell per square and floor (a stair is a floor).
    Squares(Box<Squares>),
}

/// Square crowd cells.
#[derive(Clone, Debug)]
pub struct Squares {
    /// The lattice.
    pub lattice: Lattice,
    cover: Cover,
    piece_start: Vec<u32>,
    pieces: Vec<EdgePiece>,
}

impl CrowdCells {
    /// The regions of a map as crowd cells.
    pub fn regions() -> CrowdCells {
        CrowdCells::Regions
    }

    /// The regions of a map, those below an area (square metres) pooled with their neighbours.
    pub fn pooled(map: &NavMap, least: f32) -> CrowdCells {
        if map.region_area.iter().all(|&area| area >= least) {
            return CrowdCells::Regions;
        }
        CrowdCells::Pools(Box::new(Pools::new(map, least)))
    }

    /// Squares of a given side over a floor plan, with the pieces that a map's edges have in
    /// them.
    pub fn squares(
        ground: &GroundView<'_>,
        size: f32,
        map: &NavMap,
    ) -> Result<CrowdCells, NavError> {
        if !ground.plan {
            return Err(NavError::Unsuitable {
                reason: "square crowd cells need a floor plan; on this surface leave the cell \
                         size out and the map's regions serve"
                    .into(),
            });
        }
        let lattice = Lattice::over(ground, size, Lattice::low_corner(ground))?;
        let mut squares = Squares {
            lattice,
            cover: Cover::new(ground, &lattice),
            piece_start: Vec::new(),
            pieces: Vec::new(),
        };
        squares.lay_edges(ground, map);
        Ok(CrowdCells::Squares(Box::new(squares)))
    }

    /// Lays the edges of a new or changed map over the cells.
    pub fn lay_edges(&mut self, ground: &GroundView<'_>, map: &NavMap) {
        match self {
            CrowdCells::Regions => {}
            CrowdCells::Pools(pools) => **pools = Pools::new(map, pools.least),
            CrowdCells::Squares(squares) => squares.lay_edges(ground, map),
        }
    }

    /// How many cells.
    pub fn count(&self, map: &NavMap) -> usize {
        self.areas(map).len()
    }

    /// The area of ground in each cell, square metres.
    pub fn areas<'a>(&'a self, map: &'a NavMap) -> &'a [f32] {
        match self {
            CrowdCells::Regions => &map.region_area,
            CrowdCells::Pools(pools) => &pools.area,
            CrowdCells::Squares(squares) => &squares.cover.area,
        }
    }

    /// A place in each cell.
    pub fn places<'a>(&'a self, map: &'a NavMap) -> &'a [Location] {
        match self {
            CrowdCells::Regions => &map.region_place,
            CrowdCells::Pools(pools) => &pools.place,
            CrowdCells::Squares(squares) => &squares.cover.place,
        }
    }

    /// The least factor on walking speed in each cell (for regions, at their place and nodes);
    /// empty if it is 1 everywhere.
    pub fn speeds(&self, ground: &GroundView<'_>, map: &NavMap) -> Vec<f32> {
        if ground.speed.iter().all(|&factor| factor == 1.0) {
            return Vec::new();
        }
        match self {
            CrowdCells::Squares(squares) => squares.cover.speed.clone(),
            CrowdCells::Pools(pools) => {
                let mut speeds = vec![1.0_f32; pools.area.len()];
                let regions = CrowdCells::Regions.speeds(ground, map);
                for (region, speed) in regions.into_iter().enumerate() {
                    let cell = pools.cell_of(region as RegionId) as usize;
                    speeds[cell] = speeds[cell].min(speed);
                }
                speeds
            }
            CrowdCells::Regions => {
                let factor = |place: &Location| {
                    let factor = ground.speed.get(place.triangle as usize);
                    factor.copied().unwrap_or(1.0)
                };
                let mut speeds: Vec<f32> = map.region_place.iter().map(factor).collect();
                for (place, &region) in map.node_place.iter().zip(&map.node_region) {
                    if let Some(speed) = speeds.get_mut(region as usize) {
                        *speed = speed.min(factor(place));
                    }
                }
                speeds
            }
        }
    }

    /// Metres of the map's edges in each cell, both directions of an edge counted once.
    pub fn lengths(&self, map: &NavMap) -> Vec<f32> {
        let mut lengths = vec![0.0_f32; self.count(map)];
        for edge in 0..map.edges() {
            let twin = map.edge_twin.get(edge).copied().unwrap_or(NONE);
            if twin != NONE && (twin as usize) < edge {
                continue;
            }
            self.pieces(map, edge, |piece| {
                if let Some(length) = lengths.get_mut(piece.cell as usize) {
                    *length += piece.length;
                }
            });
        }
        lengths
    }

    /// The pieces of an edge, in the direction of travel.
    #[inline]
    pub fn pieces(&self, map: &NavMap, edge: usize, visit: impl FnMut(EdgePiece)) {
        match self {
            CrowdCells::Regions => region_pieces(map, edge, visit),
            CrowdCells::Pools(pools) => pools.pieces_of(edge).iter().copied().for_each(visit),
            CrowdCells::Squares(squares) => squares.pieces_of(edge).iter().copied().for_each(visit),
        }
    }

    /// The cell of a place whose region is known.
    #[inline]
    pub fn cell_in(&self, ground: &GroundView<'_>, region: RegionId, place: Location) -> CellId {
        match self {
            CrowdCells::Regions => region,
            CrowdCells::Pools(pools) => pools.cell_of(region),
            CrowdCells::Squares(squares) => squares.cell_at(ground, place),
        }
    }

    /// Whether who stays in a region stays in its cell.
    pub fn are_regions(&self) -> bool {
        !matches!(self, CrowdCells::Squares(_))
    }

    /// How far a point in a region may move in plan, on its floor, and be in the same region and
    /// cell still; 0 where that is not known.
    pub fn slack(&self, map: &NavMap, region: RegionId, at: Vec2) -> f32 {
        match self {
            CrowdCells::Regions | CrowdCells::Pools(_) => slack::region_slack(map, region, at),
            CrowdCells::Squares(_) => 0.0,
        }
    }

    /// The cell of each place. `hints` are the regions where each was last seen, or NONE.
    pub fn cell_of(
        &self,
        nav: &dyn NavRepresentation,
        site: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [CellId],
    ) {
        match self {
            CrowdCells::Regions => nav.region_of(site, map, places, hints, out),
            CrowdCells::Pools(pools) => {
                nav.region_of(site, map, places, hints, out);
                for cell in out {
                    *cell = pools.cell_of(*cell);
                }
            }
            CrowdCells::Squares(squares) => {
                for (place, cell) in places.iter().zip(out) {
                    *cell = squares.cell_at(&site.ground, *place);
                }
            }
        }
    }

    /// Bytes held beside the map's arrays.
    pub fn bytes(&self) -> usize {
        match self {
            CrowdCells::Regions => 0,
            CrowdCells::Pools(pools) => pools.bytes(),
            CrowdCells::Squares(squares) => {
                squares.cover.bytes()
                    + squares.piece_start.capacity() * 4
                    + squares.pieces.capacity() * size_of::<EdgePiece>()
            }
        }
    }
}

/// The pieces that an edge has in the map's regions: its own, or half of it in the region of each
/// of its ends.
fn region_pieces(map: &NavMap, edge: usize, mut visit: impl FnMut(EdgePiece)) {
    if let (Some(&first), Some(&end)) = (map.piece_start.get(edge), map.piece_start.get(edge + 1)) {
        let pieces = &map.pieces[first as usize..end as usize];
        pieces.iter().copied().for_each(visit);
        return;
    }
    let (from, to) = (map.edge_from[edge] as usize, map.edge_to[edge] as usize);
    let (first, second) = match (map.node_region[from], map.node_region[to]) {
        (NONE, NONE) => return,
        (NONE, region) | (region, NONE) => (region, region),
        both => both,
    };
    let way = map.node_place[to].point - map.node_place[from].point;
    let (half, angle) = (map.edge_length[edge] * 0.5, angle_of(way.truncate()));
    for cell in [first, second] {
        visit(EdgePiece {
            cell,
            length: half,
            angle,
        });
    }
}

impl Squares {
    /// The cell of a place; the nearest one off the ground, NONE for nowhere.
    pub fn cell_at(&self, ground: &GroundView<'_>, place: Location) -> CellId {
        match ground.floors.get(place.triangle as usize) {
            Some(&floor) => self.cell_on(place.point.truncate(), floor),
            None => NONE,
        }
    }

    /// The cell at a point seen in plan, on a floor.
    #[inline]
    pub fn cell_on(&self, at: Vec2, floor: u16) -> CellId {
        entry_of(
            &self.lattice,
            &self.cover.start,
            &self.cover.floor,
            at,
            floor,
        )
    }

    /// The pieces of an edge.
    #[inline]
    pub fn pieces_of(&self, edge: usize) -> &[EdgePiece] {
        let range = self.piece_start[edge] as usize..self.piece_start[edge + 1] as usize;
        &self.pieces[range]
    }

    /// An edge is the line from node to node by way of the middles of its gates, scaled to its
    /// length; its first half is on the floor where it begins, its second where it ends.
    fn lay_edges(&mut self, ground: &GroundView<'_>, map: &NavMap) {
        let (mut start, mut pieces) = (
            core::mem::take(&mut self.piece_start),
            core::mem::take(&mut self.pieces),
        );
        start.clear();
        pieces.clear();
        start.reserve(map.edges() + 1);
        start.push(0);
        let mut line: Vec<Vec2> = Vec::new();
        for e in 0..map.edges() {
            let (from, to) = (
                map.node_place[map.edge_from[e] as usize],
                map.node_place[map.edge_to[e] as usize],
            );
            line.clear();
            line.push(from.point.truncate());
            if let (Some(&first), Some(&end)) = (map.gate_start.get(e), map.gate_start.get(e + 1)) {
                let gates = &map.gates[first as usize..end as usize];
                line.extend(gates.iter().map(|g| g.middle.truncate()));
            }
            line.push(to.point.truncate());
            let total: f32 = line.windows(2).map(|w| w[0].distance(w[1])).sum();
            let scale = if total > 0.0 {
                map.edge_length[e] / total
            } else {
                0.0
            };
            let floor_of = |at: Location| {
                let floor = ground.floors.get(at.triangle as usize);
                floor.copied().unwrap_or(0)
            };
            let (low, high) = (floor_of(from), floor_of(to));
            let first = pieces.len();
            let mut walked = 0.0;
            for leg in line.windows(2) {
                let length = leg[0].distance(leg[1]);
                let angle = angle_of(leg[1] - leg[0]);
                self.lattice.stretches(leg[0], leg[1], |_, a, b| {
                    let share = |s: f64| walked + s as f32 * length;
                    let middle = leg[0] + (leg[1] - leg[0]) * ((a + b) / 2.0) as f32;
                    let floor = if share((a + b) / 2.0) * 2.0 < total {
                        low
                    } else {
                        high
                    };
                    let piece = EdgePiece {
                        cell: self.cell_on(middle, floor),
                        length: (b - a) as f32 * length * scale,
                        angle,
                    };
                    match pieces[first..].last_mut() {
                        Some(last) if last.cell == piece.cell && last.angle == angle => {
                            last.length += piece.length;
                        }
                        _ if piece.cell != NONE => pieces.push(piece),
                        _ => {}
                    }
                });
                walked += length;
            }
            start.push(pieces.len() as u32);
        }
        (self.piece_start, self.pieces) = (start, pieces);
    }
}
