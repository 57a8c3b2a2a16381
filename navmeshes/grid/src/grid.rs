//! Nav `grid`: square cells over a floor plan, 8 neighbours, no corner cut.
//!
//! One lattice lies over all floors. A node is a cell whose centre is on the ground, once for
//! every floor there; its neighbour is wherever the straight walk to the next centre ends up, so
//! stairs join floors by themselves. Walls are those of the ground: only steps near them are
//! traced. Regions are the cells, with the area of ground in them; a cell whose centre is off
//! the ground goes to the region of the nearest node that it sees.

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{
    Attachment, Capabilities, EdgeId, FileCellsView, Gate, GroundView, Location, NONE, NavError,
    NavMap, NavRepresentation, NodeId, RegionId, Site, Wall, options, register,
};
use throng_kit::{
    Walk,
    lattice::{Cover, Lattice, entry_of, on_triangle, ring_squares},
    near_walls::{Distances, MOST_CLEARANCE, NearWalls},
};

use crate::{
    gates::{self, FreeCorners},
    steps::{Cells, SquareNodes},
};

/// The cell size where neither the scenario nor the file says one, metres.
const DEFAULT_CELL: f32 = 0.5;
/// A centre nearer to a wall than this share of a cell is on the wall, and no node.
const ON_WALL: f32 = 1e-3;
/// Rings of cells about a place in which a node is looked for that it sees.
const ATTACH_RINGS: i64 = 3;

options! {
    /// Square cells with 8 neighbours. Clearance is exact up to 2 m and capped there: wider
    /// bodies find no way.
    pub struct Grid {
        /// Side of a cell. 0 takes the cells of the file where it is a grid itself (.map, PNG),
        /// else 0.5 m. Cells of another size are aligned with the file's own low corner.
        cell: f32 = 0.0, "m", 0.0..=100.0;
    }
    state {
        lattice: Lattice,
        /// Entries of each square, and floor and region of each entry.
        entry_start: Vec<u32>,
        entry_floor: Vec<u16>,
        entry_region: Vec<RegionId>,
        squares: SquareNodes,
        free_corners: Vec<FreeCorners>,
        /// As many ones as there are doors.
        all_open: Vec<u8>,
    }
}

register! {
    Nav "grid" => Grid,
    about: "Square cells over the floors, 8 neighbours without corner cutting.",
    when: "Files that are grids themselves, fields over cells, dense and simple scenes, comparisons.",
    when_not: "Large sparse places (thousands of cells where a mesh needs few nodes), curved surfaces, gaps narrower than a cell.",
    growth: "Time and memory linear in the covered area over the cell's area; about 200 bytes a cell.",
    paper: "",
    needs: Capabilities::PLAN_GROUND,
    offers: Capabilities::GRAPH.and(Capabilities::REGIONS).and(Capabilities::DENSE),
}

#[typetag::serde(name = "grid")]
impl NavRepresentation for Grid {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        if !site.ground.plan {
            return Err(NavError::Unsuitable {
                reason: "a grid needs a floor plan (floors, stairs, terrain); this ground has \
                         walls or ceilings to walk on"
                    .into(),
            });
        }
        if !(self.cell >= 0.0 && self.cell.is_finite()) {
            return Err(NavError::Unsuitable {
                reason: format!("a grid cannot have cells of {} m", self.cell),
            });
        }
        self.all_open = vec![1; site.ground.door_open.len()];
        let all_open = core::mem::take(&mut self.all_open);
        let ground = GroundView {
            door_open: &all_open,
            ..site.ground
        };
        let result = self.draw(&ground, site.file_cells, map);
        self.all_open = all_open;
        result
    }

    fn attach(
        &self,
        site: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        _: &[RegionId],
        out: &mut [Attachment],
    ) {
        for (place, attachment) in places.iter().zip(out) {
            *attachment = self.attach_one(&site.ground, map, *place);
        }
    }

    fn region_of(
        &self,
        site: &Site<'_>,
        _: &NavMap,
        places: &[Location],
        _: &[RegionId],
        out: &mut [RegionId],
    ) {
        for (place, region) in places.iter().zip(out) {
            *region = match site.ground.floors.get(place.triangle as usize) {
                Some(&floor) => self.region_at(place.point.truncate(), floor),
                None => NONE,
            };
        }
    }

    fn emit_gates(&self, site: &Site<'_>, map: &NavMap, edges: &[EdgeId], out: &mut Vec<Gate>) {
        let ground = GroundView {
            door_open: &self.all_open,
            ..site.ground
        };
        for &edge in edges {
            let cell = self.lattice.cell;
            out.push(gates::gate(&ground, map, &self.free_corners, cell, edge));
        }
    }

    fn bytes(&self) -> usize {
        (self.entry_start.capacity() + self.entry_region.capacity()) * 4
            + self.entry_floor.capacity() * 2
            + self.squares.bytes()
            + self.free_corners.capacity()
    }
}

impl Grid {
    /// A grid with cells of a given side, metres; 0 for the default.
    pub fn of_cell(cell: f32) -> Grid {
        Grid {
            cell,
            ..Grid::default()
        }
    }

    fn draw(
        &mut self,
        ground: &GroundView<'_>,
        file: Option<FileCellsView<'_>>,
        map: &mut NavMap,
    ) -> Result<(), NavError> {
        let own = file.map_or(DEFAULT_CELL, |f| f.cell);
        let cell = if self.cell > 0.0 { self.cell } else { own };
        let anchor = file.map_or_else(|| Lattice::low_corner(ground), |f| f.low);
        let lattice = Lattice::over(ground, cell, anchor)?;
        let cover = Cover::new(ground, &lattice);
        let aligned = file.filter(|f| f.cell == cell);
        // A margin over the diagonal: nearer walls are the only ones a step can meet.
        let reach = (cell * 1.5).max(MOST_CLEARANCE + 0.01);
        let walls = NearWalls::new(ground, reach, cell, |wall| {
            aligned.is_some_and(|file| runs_between(&file, wall))
        })
        .ok_or_else(|| NavError::Unsuitable {
            reason: "the ground has no extent".into(),
        })?;

        let centres: Vec<Option<(Location, Distances)>> = (0..lattice.squares())
            .into_par_iter()
            .with_min_len(512)
            .flat_map_iter(|square| {
                let (cover, walls, lattice) = (&cover, &walls, &lattice);
                cover.entries(square as u32).map(move |entry| {
                    let triangle = cover.centre[entry];
                    if triangle == NONE {
                        return None;
                    }
                    let square = square as u32;
                    let at = lattice.centre(square % lattice.width, square / lattice.width);
                    let place = on_triangle(ground, triangle, at);
                    let distances = walls.distances(place.point);
                    let is_node = distances.clearance.min(distances.traced) > ON_WALL * cell;
                    is_node.then_some((place, distances))
                })
            })
            .collect();

        let mut node_of_entry = vec![NONE; cover.len()];
        let (mut place, mut distances) = (Vec::new(), Vec::new());
        let mut squares = SquareNodes::none(lattice.squares());
        for square in tiled(&lattice) {
            for entry in cover.entries(square) {
                if let Some((at, near)) = centres[entry] {
                    node_of_entry[entry] = place.len() as NodeId;
                    squares.add(square, place.len() as NodeId);
                    place.push(at);
                    distances.push(near);
                }
            }
        }
        drop(centres);
        if place.is_empty() {
            return Err(NavError::Unsuitable {
                reason: format!(
                    "no cell of {cell} m has its centre on the ground: use smaller cells"
                ),
            });
        }
        place.shrink_to_fit();
        let cells = Cells {
            ground: *ground,
            lattice,
            walls: &walls,
            squares: &squares,
            place: &place,
            distances: &distances,
        };
        self.free_corners = cells.connect(map);
        map.node_region = (0..place.len() as RegionId).collect();
        map.dense_spacing = cell;
        map.region_area = vec![0.0; place.len()];
        map.region_place = place.clone();
        map.node_place = place;
        self.lattice = lattice;
        self.squares = squares;
        self.assign_regions(ground, &cover, node_of_entry, map);
        self.entry_start = cover.start;
        self.entry_floor = cover.floor;
        Ok(())
    }

    /// Gives every entry a region: its own node's, else that of the nearest node it sees, else
    /// one of its own.
    fn assign_regions(
        &mut self,
        ground: &GroundView<'_>,
        cover: &Cover,
        node_of_entry: Vec<NodeId>,
        map: &mut NavMap,
    ) {
        let mut region_of = node_of_entry;
        for (entry, region) in region_of.iter_mut().enumerate() {
            if *region == NONE {
                *region = match self.nearest_seen(ground, map, cover.place[entry], 2) {
                    Some(node) => node,
                    None => {
                        map.region_area.push(0.0);
                        map.region_place.push(cover.place[entry]);
                        map.region_area.len() as RegionId - 1
                    }
                };
            }
            map.region_area[*region as usize] += cover.area[entry];
        }
        self.entry_region = region_of;
    }

    fn region_at(&self, at: Vec2, floor: u16) -> RegionId {
        match entry_of(
            &self.lattice,
            &self.entry_start,
            &self.entry_floor,
            at,
            floor,
        ) {
            NONE => NONE,
            entry => self.entry_region[entry as usize],
        }
    }

    fn attach_one(&self, ground: &GroundView<'_>, map: &NavMap, place: Location) -> Attachment {
        if !place.is_somewhere() || self.squares.is_empty() {
            return Attachment::NOWHERE;
        }
        let node = self
            .nearest_seen(ground, map, place, ATTACH_RINGS)
            .or_else(|| self.nearest(map, place));
        match node {
            Some(node) => Attachment {
                node,
                edge: NONE,
                along: 0.0,
                distance: place.point.distance(map.node_place[node as usize].point),
            },
            None => Attachment::NOWHERE,
        }
    }

    /// The nodes of the squares at a distance of `ring` squares from that of a place.
    fn ring(&self, at: Vec2, ring: i64) -> impl Iterator<Item = NodeId> {
        let (column, row) = self.lattice.column_row(at);
        let (width, height) = (
            i64::from(self.lattice.width),
            i64::from(self.lattice.height),
        );
        ring_squares(ring)
            .map(move |(x, y)| (i64::from(column) + x, i64::from(row) + y))
            .filter(move |&(x, y)| x >= 0 && y >= 0 && x < width && y < height)
            .flat_map(move |(x, y)| self.squares.of((y * width + x) as u32))
    }

    /// The node of a place's own cell if it sees it, else the nearest it sees a few rings about.
    fn nearest_seen(
        &self,
        ground: &GroundView<'_>,
        map: &NavMap,
        place: Location,
        rings: i64,
    ) -> Option<NodeId> {
        let at = place.point.truncate();
        let mut best: Option<(f32, NodeId)> = None;
        for ring in 0..=rings {
            for node in self.ring(at, ring) {
                let there = map.node_place[node as usize];
                let distance = there.point.distance(place.point);
                if best.is_some_and(|b| b <= (distance, node)) {
                    continue;
                }
                if there.triangle == place.triangle || ground.sees(place, there) {
                    best = Some((distance, node));
                }
            }
            // A node of the next ring is at least this far.
            if let Some((distance, node)) = best
                && (ring == 0 || distance <= (ring as f32 + 0.5) * self.lattice.cell)
            {
                return Some(node);
            }
        }
        best.map(|b| b.1)
    }

    /// The nearest node, seen or not: for places cut off from the map.
    fn nearest(&self, map: &NavMap, place: Location) -> Option<NodeId> {
        let at = place.point.truncate();
        let most = i64::from(self.lattice.width.max(self.lattice.height));
        let mut best: Option<(f32, NodeId)> = None;
        for ring in 0..=most {
            for node in self.ring(at, ring) {
                let distance = map.node_place[node as usize].point.distance(place.point);
                if best.is_none_or(|b| (distance, node) < b) {
                    best = Some((distance, node));
                }
            }
            if best.is_some_and(|b| b.0 <= ring as f32 * self.lattice.cell) {
                break;
            }
        }
        best.map(|b| b.1)
    }
}

/// The squares of a lattice tile by tile of 8 x 8, so that cells near each other have near ids: a
/// search that spreads in all directions then stays in the same few pages of memory.
fn tiled(lattice: &Lattice) -> impl Iterator<Item = u32> {
    const SIDE: usize = 8;
    let (width, height) = (lattice.width, lattice.height);
    let tiles = move |size: u32| (0..size).step_by(SIDE);
    let within = |first: u32, size: u32| first..(first + SIDE as u32).min(size);
    tiles(height).flat_map(move |row| {
        tiles(width).flat_map(move |column| {
            within(row, height).flat_map(move |y| within(column, width).map(move |x| y * width + x))
        })
    })
}

/// Whether a wall lies on the border between walkable and other cells of a grid file all along:
/// then no step between two walkable cells crosses it.
fn runs_between(file: &FileCellsView<'_>, wall: &Wall) -> bool {
    let scaled = |at: glam::Vec3| (at.truncate() - file.low) / file.cell;
    let (a, b) = (scaled(wall.a), scaled(wall.b));
    let near = |x: f32| (x - x.round()).abs() < 1e-3;
    let walkable = |x: i64, y: i64| {
        let inside = x >= 0 && y >= 0 && x < i64::from(file.width) && y < i64::from(file.height);
        inside && file.walkable[(y * i64::from(file.width) + x) as usize] != 0
    };
    if !(near(a.x) && near(a.y) && near(b.x) && near(b.y)) {
        return false;
    }
    let (a, b) = (a.round(), b.round());
    let span = |p: f32, q: f32| p.min(q) as i64..p.max(q) as i64;
    if a.x == b.x {
        let x = a.x as i64;
        span(a.y, b.y).all(|y| walkable(x, y) != walkable(x - 1, y))
    } else if a.y == b.y {
        let y = a.y as i64;
        span(a.x, b.x).all(|x| walkable(x, y) != walkable(x, y - 1))
    } else {
        false
    }
}
