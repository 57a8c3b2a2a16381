//! Nav `adaptive-grid`: rectangles grown over the free cells of a floor plan (Akaydin 2010).
//!
//! Cells of a lattice that lie whole on the ground are grouped into rectangles: seeds grow row by
//! row and column by column over free cells until nothing grows (Algorithm 1, see `grow`), so a
//! large place needs few nodes and every straight walk inside one is free of walls. Nodes are the
//! centres, gates the stretches of border that two rectangles share, edges as long as the metric
//! says. Cells cut by a wall belong to the region of the nearest rectangle that they see. Every
//! floor and stair is partitioned by itself; rectangles of two floors are joined where walks lead
//! from one to the other.
//!
//! Which rows and columns a picture has: row 0 is its top, so `single` starts at the largest y.

mod cells;
mod draw;
pub(crate) mod grow;
pub(crate) mod join;
pub(crate) mod measure;
pub(crate) mod quadtree;
pub(crate) mod sheet;

use glam::Vec2;
use throng_core::{
    Attachment, Capabilities, FileCellsView, GroundView, Location, NONE, NavError, NavMap,
    NavRepresentation, RegionId, Site, TriangleId, choices, options,
    random::{Purpose, Stream},
    register,
};
use throng_kit::{
    Walk,
    lattice::{Lattice, entry_of, on_triangle, ring_squares},
};

use cells::Floors;
use grow::{Expansion, Order, Partition, QueueKind, Rules, Seeding, grow};
use join::{Metric, joins};
use measure::{Measures, Truth};
use quadtree::quadtree;
use sheet::Sheet;

/// The cell size where neither the scenario nor the file says one, metres.
const DEFAULT_CELL: f32 = 0.5;
/// Rings of cells about a place in which a cell is looked for that it sees.
const ATTACH_RINGS: i64 = 3;

choices! {
    /// How free cells are grouped.
    pub enum PartitionKind {
        /// Into rectangles grown from seeds.
        Seeds = "seeds",
        /// Into the squares of a quadtree, for the comparison.
        Quadtree = "quadtree",
    }
}

options! {
    /// Rectangles grown over the cells of a floor plan. Clearance is exact up to 2 m and capped
    /// there: wider bodies find no way.
    pub struct AdaptiveGrid {
        /// Side of a cell. 0 takes the cells of the file where it is a grid itself (.map, PNG),
        /// else 0.5 m. Gaps narrower than two cells may be closed.
        cell: f32 = 0.0, "m", 0.0..=100.0;
        /// How free cells are grouped.
        partition: PartitionKind = PartitionKind::Seeds;
        /// Which seed grows next.
        queue: QueueKind = QueueKind::Fifo;
        /// Where the first seeds are.
        seeds: Seeding = Seeding::Sampled;
        /// How many, where they are drawn by lot; floors get theirs by their cells.
        count: u32 = 100, "seeds", 1..=1000000;
        /// Period of sampled seeds.
        period: u32 = 64, "cells", 1..=1000000;
        /// How far a seed grows in one turn.
        expansion: Expansion = Expansion::One;
        /// Which direction is tried first.
        order: Order = Order::Clockwise;
        /// Whether a seed goes on with the direction after its last one (breadth first), instead
        /// of the first that is free (depth first).
        memory: bool = false;
        /// Most cells of a seed; 0 for no limit.
        largest: u32 = 0, "cells", 0..=1000000000;
        /// How far two neighbouring seeds are apart.
        metric: Metric = Metric::Snd;
    }
    state {
        lattice: Lattice,
        /// Entries of each square; floor, region, kind of cell and triangle under the centre of
        /// each entry.
        entry_start: Vec<u32>,
        entry_floor: Vec<u16>,
        entry_region: Vec<RegionId>,
        entry_cell: Vec<u8>,
        entry_centre: Vec<TriangleId>,
    }
}

register! {
    Nav "adaptive-grid" => AdaptiveGrid,
    about: "Rectangles grown from seeds over the cells of the floors: few nodes, gates between them.",
    when: "Streets, halls and other large open places with few walls; planners that keep a table over all nodes (next-hop).",
    when_not: "Winding or slanted walls (many thin rectangles), gaps narrower than two cells, curved surfaces; shortest ways matter (distances go through centres).",
    growth: "Time in the covered area over the cell's area; about 16 bytes a cell and 200 a gate.",
    paper: "Akaydin: Adaptive grids: an approach for real-time crowd simulation, M.S. thesis, Bilkent University 2010",
    needs: Capabilities::PLAN_GROUND,
    offers: Capabilities::GRAPH.and(Capabilities::REGIONS),
}

#[typetag::serde(name = "adaptive-grid")]
impl NavRepresentation for AdaptiveGrid {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        let all_open = vec![1; site.ground.door_open.len()];
        let ground = GroundView {
            door_open: &all_open,
            ..site.ground
        };
        let floors = self.floors(&ground, site.file_cells)?;
        let partitions = self.partitions(&floors, site.seed);
        let first = draw::draw(&ground, &floors, &partitions, self.metric, map);
        self.assign_regions(&ground, floors, &partitions, &first, map);
        Ok(())
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
        let floors = site.ground.floors;
        for (place, region) in places.iter().zip(out) {
            *region = match floors.get(place.triangle as usize) {
                Some(&floor) => match self.entry(place.point.truncate(), floor) {
                    NONE => NONE,
                    entry => self.entry_region[entry as usize],
                },
                None => NONE,
            };
        }
    }

    fn measures(&self, site: &Site<'_>) -> Vec<(&'static str, f64)> {
        let all_open = vec![1; site.ground.door_open.len()];
        let ground = GroundView {
            door_open: &all_open,
            ..site.ground
        };
        let Ok(floors) = self.floors(&ground, site.file_cells) else {
            return Vec::new();
        };
        let partitions = self.partitions(&floors, site.seed);
        let all = || partitions.iter().flat_map(|p| &p.seeds);
        let seeds = all().count();
        let mean = |sum: f64| sum / seeds.max(1) as f64;
        let layers = floors.layers.iter().zip(&partitions);
        // Distances are those of the largest floor: between floors there is no regular grid.
        let largest = layers.max_by_key(|(layer, _)| layer.sheet.free_cells());
        let mse = largest.map_or(0.0, |(layer, partition)| {
            let truth = Truth::of(&layer.sheet);
            let joins = joins(&layer.sheet, partition);
            Measures::of(&layer.sheet, partition, &joins, self.metric, &truth).mse
        });
        vec![
            ("seed_count", seeds as f64),
            ("mean_size", mean(all().map(|s| s.area() as f64).sum())),
            ("mean_aspect_ratio", mean(all().map(|s| s.aspect()).sum())),
            ("mse", mse),
            (
                "swept_cells",
                partitions.iter().map(|p| p.swept as f64).sum(),
            ),
            (
                "navigable_cells",
                floors
                    .layers
                    .iter()
                    .map(|l| l.sheet.free_cells() as f64)
                    .sum(),
            ),
        ]
    }

    fn bytes(&self) -> usize {
        (self.entry_start.capacity() + self.entry_region.capacity() + self.entry_centre.capacity())
            * 4
            + self.entry_floor.capacity() * 2
            + self.entry_cell.capacity()
    }
}

impl AdaptiveGrid {
    /// The rules by which seeds grow.
    pub fn rules(&self) -> Rules {
        Rules {
            queue: self.queue,
            seeding: self.seeds,
            count: self.count,
            period: self.period,
            expansion: self.expansion,
            order: self.order,
            memory: self.memory,
            most: self.largest,
        }
    }

    fn floors(
        &self,
        ground: &GroundView<'_>,
        file: Option<FileCellsView<'_>>,
    ) -> Result<Floors, NavError> {
        let unsuitable = |reason: String| NavError::Unsuitable { reason };
        if !ground.plan {
            return Err(unsuitable(
                "an adaptive grid needs a floor plan (floors, stairs, terrain); this ground has \
                 walls or ceilings to walk on"
                    .into(),
            ));
        }
        if !(self.cell >= 0.0 && self.cell.is_finite()) {
            return Err(unsuitable(format!(
                "an adaptive grid cannot have cells of {} m",
                self.cell
            )));
        }
        let own = file.map_or(DEFAULT_CELL, |f| f.cell);
        let cell = if self.cell > 0.0 { self.cell } else { own };
        let anchor = file.map_or_else(|| Lattice::low_corner(ground), |f| f.low);
        let lattice = Lattice::over(ground, cell, anchor)?;
        let floors = Floors::of(ground, lattice)?;
        if floors.layers.is_empty() {
            return Err(unsuitable(format!(
                "no cell of {cell} m lies whole on the ground: use smaller cells"
            )));
        }
        Ok(floors)
    }

    fn partitions(&self, floors: &Floors, seed: u64) -> Vec<Partition> {
        let layers = &floors.layers;
        let cells: Vec<u64> = layers.iter().map(|l| l.sheet.free_cells() as u64).collect();
        let all: u64 = cells.iter().sum();
        let rules = self.rules();
        (layers.iter().zip(cells))
            .map(|(layer, cells)| {
                if self.partition == PartitionKind::Quadtree {
                    return quadtree(&layer.sheet);
                }
                let share = (u64::from(rules.count) * cells).div_ceil(all.max(1));
                let rules = Rules {
                    count: share as u32,
                    ..rules
                };
                let floor = u64::from(layer.floor);
                let mut random = Stream::new(seed, floor, Purpose::Strategy, 0);
                grow(&layer.sheet, &rules, &mut random)
            })
            .collect()
    }

    /// Gives every piece of ground a region: its rectangle's, else that of the nearest rectangle
    /// it sees, else one of its own.
    fn assign_regions(
        &mut self,
        ground: &GroundView<'_>,
        floors: Floors,
        partitions: &[Partition],
        first: &[u32],
        map: &mut NavMap,
    ) {
        let Floors {
            lattice,
            cover,
            layers,
            cell_of_entry,
            ..
        } = floors;
        let mut layer_of = Vec::new();
        for (l, layer) in layers.iter().enumerate() {
            layer_of.resize(layer.floor as usize + 1, usize::MAX);
            layer_of[layer.floor as usize] = l;
        }
        self.entry_region = vec![NONE; cover.len()];
        for square in 0..lattice.squares() as u32 {
            let (column, row) = (square % lattice.width, square / lattice.width);
            for entry in cover.entries(square) {
                if cell_of_entry[entry] & Sheet::FREE != 0 {
                    let l = layer_of[cover.floor[entry] as usize];
                    let layer = &layers[l];
                    let cell = layer.sheet.cell(layer.top - row, column - layer.column);
                    let seed = partitions[l].owner[cell as usize];
                    self.entry_region[entry] = first[l] + seed;
                }
            }
        }
        self.lattice = lattice;
        self.entry_cell = cell_of_entry;
        self.entry_start = cover.start;
        self.entry_floor = cover.floor;
        self.entry_centre = cover.centre;
        let cut_off: Vec<(usize, Option<RegionId>)> = (0..self.entry_cell.len())
            .filter(|e| self.entry_cell[*e] == 0)
            .map(|e| (e, self.nearest_seen(ground, cover.place[e], 2)))
            .collect();
        for (entry, seen) in cut_off {
            self.entry_region[entry] = seen.unwrap_or_else(|| {
                map.region_area.push(0.0);
                map.region_place.push(cover.place[entry]);
                map.region_ring_start.push(map.region_ring.len() as u32);
                map.region_area.len() as RegionId - 1
            });
        }
        for (&region, &area) in self.entry_region.iter().zip(&cover.area) {
            map.region_area[region as usize] += area;
        }
    }

    #[inline]
    fn entry(&self, at: Vec2, floor: u16) -> u32 {
        entry_of(
            &self.lattice,
            &self.entry_start,
            &self.entry_floor,
            at,
            floor,
        )
    }

    /// The rectangle of the nearest cell that a place sees, of those a few rings about.
    fn nearest_seen(
        &self,
        ground: &GroundView<'_>,
        place: Location,
        rings: i64,
    ) -> Option<RegionId> {
        let lattice = &self.lattice;
        let at = place.point.truncate();
        let (column, row) = lattice.column_row(at);
        let (width, height) = (i64::from(lattice.width), i64::from(lattice.height));
        let mut best: Option<(f32, RegionId)> = None;
        for ring in 0..=rings {
            let near = ring_squares(ring)
                .map(|(x, y)| (i64::from(column) + x, i64::from(row) + y))
                .filter(|&(x, y)| x >= 0 && y >= 0 && x < width && y < height);
            for (x, y) in near {
                let square = (y * width + x) as usize;
                for entry in self.entry_start[square]..self.entry_start[square + 1] {
                    let e = entry as usize;
                    if self.entry_cell[e] == 0 {
                        continue;
                    }
                    let plan = lattice.centre(x as u32, y as u32);
                    let centre = on_triangle(ground, self.entry_centre[e], plan);
                    let found = (centre.point.distance(place.point), self.entry_region[e]);
                    let nearer = best.is_none_or(|b| found < b);
                    if nearer && (centre.triangle == place.triangle || ground.sees(place, centre)) {
                        best = Some(found);
                    }
                }
            }
            // A cell of the next ring is at least this far.
            if best.is_some_and(|b| b.0 <= (ring as f32 + 0.5) * lattice.cell) {
                break;
            }
        }
        best.map(|b| b.1)
    }

    fn attach_one(&self, ground: &GroundView<'_>, map: &NavMap, place: Location) -> Attachment {
        let Some(&floor) = ground.floors.get(place.triangle as usize) else {
            return Attachment::NOWHERE;
        };
        let entry = self.entry(place.point.truncate(), floor);
        if entry == NONE {
            return Attachment::NOWHERE;
        }
        let region = self.entry_region[entry as usize];
        let whole = self.entry_cell[entry as usize] == Sheet::FREE;
        let nodes = map.nodes() as u32;
        let node = if whole {
            region
        } else {
            self.nearest_seen(ground, place, ATTACH_RINGS)
                .or(Some(region).filter(|r| *r < nodes))
                .unwrap_or_else(|| nearest(map, place))
        };
        match map.node_place.get(node as usize) {
            Some(centre) => Attachment {
                node,
                edge: NONE,
                along: 0.0,
                distance: place.point.distance(centre.point),
            },
            None => Attachment::NOWHERE,
        }
    }
}

/// The node nearest to a place that is cut off from all of them.
fn nearest(map: &NavMap, place: Location) -> u32 {
    let distance = |n: usize| map.node_place[n].point.distance_squared(place.point);
    (0..map.nodes())
        .min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
        .map_or(NONE, |n| n as u32)
}
