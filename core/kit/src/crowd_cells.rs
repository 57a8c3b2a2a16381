//! Crowd cells: where the crowd is counted and priced.

use glam::Vec2;
use throng_core::{
    CellId, EdgePiece, GroundView, Location, NONE, NavError, NavMap, NavRepresentation, RegionId,
    Site, angle_of,
};

use crate::lattice::{Cover, Lattice, entry_of};

/// The cells that the crowd is counted on: the map's regions, or squares of their own size over
/// a floor plan.
#[derive(Clone, Debug)]
pub enum CrowdCells {
    /// The map's regions.
    Regions,
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
        if let CrowdCells::Squares(squares) = self {
            squares.lay_edges(ground, map);
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
            CrowdCells::Squares(squares) => &squares.cover.area,
        }
    }

    /// A place in each cell.
    pub fn places<'a>(&'a self, map: &'a NavMap) -> &'a [Location] {
        match self {
            CrowdCells::Regions => &map.region_place,
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
            CrowdCells::Squares(squares) => {
                squares.cover.bytes()
                    + squares.piece_start.capacity() * 4
                    + squares.pieces.capacity() * size_of::<EdgePiece>()
            }
        }
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
