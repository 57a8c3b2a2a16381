//! Regions of a map pooled with their neighbours until none is tiny.

use std::{cmp::Reverse, collections::BinaryHeap};

use throng_core::{CellId, EdgePiece, Location, NONE, NavMap, RegionId};

/// Crowd cells made of neighbouring regions.
///
/// A medial axis has regions smaller than one person, in which one disc is a jam. Regions below
/// an area are joined, the smallest first, each with its smallest neighbour, until every pool
/// has that area or no neighbour left. Neighbours are regions that one edge leads through, or
/// that edges leave one node into.
#[derive(Clone, Debug)]
pub struct Pools {
    cell_of_region: Vec<CellId>,
    pub(super) least: f32,
    pub(super) area: Vec<f32>,
    pub(super) place: Vec<Location>,
    piece_start: Vec<u32>,
    pieces: Vec<EdgePiece>,
}

impl Pools {
    /// Pools of at least `least` square metres where neighbours allow it.
    pub fn new(map: &NavMap, least: f32) -> Pools {
        let regions = map.regions();
        let neighbours = Neighbours::of(map);
        let mut parent: Vec<RegionId> = (0..regions as RegionId).collect();
        let mut members: Vec<Vec<RegionId>> = (0..regions as RegionId)
            .map(|region| vec![region])
            .collect();
        let mut area: Vec<f64> = map.region_area.iter().map(|a| f64::from(*a)).collect();
        let least = f64::from(least);
        // Bits of areas, which are not negative, sort like them.
        let mut small: BinaryHeap<Reverse<(u64, RegionId)>> = (0..regions as RegionId)
            .filter(|&region| area[region as usize] < least)
            .map(|region| Reverse((area[region as usize].to_bits(), region)))
            .collect();
        while let Some(Reverse((bits, region))) = small.pop() {
            let pool = region as usize;
            if parent[pool] != region || area[pool].to_bits() != bits {
                continue;
            }
            let smallest = members[pool]
                .iter()
                .flat_map(|&member| neighbours.of_region(member))
                .map(|&other| root(&mut parent, other))
                .filter(|&other| other != region)
                .map(|other| (area[other as usize].to_bits(), other))
                .min();
            let Some((_, other)) = smallest else { continue };
            let (keep, gone) = (region.min(other) as usize, region.max(other) as usize);
            parent[gone] = keep as RegionId;
            area[keep] += area[gone];
            let moved = std::mem::take(&mut members[gone]);
            members[keep].extend(moved);
            if area[keep] < least {
                small.push(Reverse((area[keep].to_bits(), keep as RegionId)));
            }
        }
        let mut pools = Pools {
            cell_of_region: vec![NONE; regions],
            least: least as f32,
            area: Vec::new(),
            place: Vec::new(),
            piece_start: Vec::new(),
            pieces: Vec::new(),
        };
        for region in 0..regions as RegionId {
            if parent[region as usize] != region {
                continue;
            }
            let cell = pools.area.len() as CellId;
            let group = &members[region as usize];
            for &member in group {
                pools.cell_of_region[member as usize] = cell;
            }
            let largest = group
                .iter()
                .copied()
                .max_by_key(|&m| (map.region_area[m as usize].to_bits(), Reverse(m)))
                .unwrap_or(region);
            pools.area.push(area[region as usize] as f32);
            pools.place.push(map.region_place[largest as usize]);
        }
        pools.lay_edges(map);
        pools
    }

    /// The cell of a region.
    #[inline]
    pub fn cell_of(&self, region: RegionId) -> CellId {
        self.cell_of_region
            .get(region as usize)
            .copied()
            .unwrap_or(NONE)
    }

    /// The pieces of an edge.
    #[inline]
    pub fn pieces_of(&self, edge: usize) -> &[EdgePiece] {
        &self.pieces[self.piece_start[edge] as usize..self.piece_start[edge + 1] as usize]
    }

    fn lay_edges(&mut self, map: &NavMap) {
        self.piece_start.clear();
        self.pieces.clear();
        self.piece_start.push(0);
        for edge in 0..map.edges() {
            let first = self.pieces.len();
            super::region_pieces(map, edge, |piece| {
                let cell = self.cell_of_region[piece.cell as usize];
                match self.pieces[first..].last_mut() {
                    Some(last) if last.cell == cell && last.angle == piece.angle => {
                        last.length += piece.length;
                    }
                    _ => self.pieces.push(EdgePiece { cell, ..piece }),
                }
            });
            self.piece_start.push(self.pieces.len() as u32);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        (self.cell_of_region.capacity() + self.area.capacity() + self.piece_start.capacity()) * 4
            + self.place.capacity() * size_of::<Location>()
            + self.pieces.capacity() * size_of::<EdgePiece>()
    }
}

fn root(parent: &mut [RegionId], mut region: RegionId) -> RegionId {
    while parent[region as usize] != region {
        let above = parent[region as usize];
        parent[region as usize] = parent[above as usize];
        region = parent[region as usize];
    }
    region
}

/// Which regions lie next to which, in compressed rows.
struct Neighbours {
    start: Vec<u32>,
    other: Vec<RegionId>,
}

impl Neighbours {
    fn of(map: &NavMap) -> Neighbours {
        let mut pairs: Vec<(RegionId, RegionId)> = Vec::new();
        let mut join = |a: RegionId, b: RegionId| {
            if a != b && a != NONE && b != NONE {
                pairs.push((a, b));
                pairs.push((b, a));
            }
        };
        let mut at_node: Vec<RegionId> = Vec::new();
        for node in 0..map.nodes() as u32 {
            at_node.clear();
            at_node.push(map.node_region[node as usize]);
            for edge in map.edges_of(node) {
                let mut last = NONE;
                super::region_pieces(map, edge, |piece| {
                    if last == NONE {
                        at_node.push(piece.cell);
                    }
                    join(last, piece.cell);
                    last = piece.cell;
                });
            }
            for (i, &a) in at_node.iter().enumerate() {
                for &b in &at_node[i + 1..] {
                    join(a, b);
                }
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut start = vec![0_u32; map.regions() + 1];
        for &(a, _) in &pairs {
            start[a as usize + 1] += 1;
        }
        for region in 0..map.regions() {
            start[region + 1] += start[region];
        }
        Neighbours {
            start,
            other: pairs.into_iter().map(|(_, b)| b).collect(),
        }
    }

    fn of_region(&self, region: RegionId) -> &[RegionId] {
        let r = region as usize;
        &self.other[self.start[r] as usize..self.start[r + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// Regions along a line, a node in each, with the given areas.
    fn line(areas: &[f32]) -> NavMap {
        let n = areas.len() as u32;
        let mut map = NavMap {
            region_area: areas.to_vec(),
            node_region: (0..n).collect(),
            edge_start: vec![0],
            ..NavMap::default()
        };
        for node in 0..n {
            map.node_place.push(Location {
                point: Vec3::X * node as f32,
                triangle: 0,
            });
            for to in [node.wrapping_sub(1), node + 1] {
                if to < n {
                    map.edge_from.push(node);
                    map.edge_to.push(to);
                    map.edge_length.push(1.0);
                }
            }
            map.edge_start.push(map.edge_to.len() as u32);
        }
        map.region_place = map.node_place.clone();
        map
    }

    #[test]
    fn tiny_regions_join_their_smallest_neighbour() {
        let map = line(&[4.0, 0.1, 3.0, 0.2, 0.2, 5.0]);
        let pools = Pools::new(&map, 1.0);
        let cells: Vec<u32> = (0..6).map(|r| pools.cell_of(r)).collect();
        assert_eq!(cells, [0, 1, 1, 1, 1, 2]);
        assert!((pools.area[1] - 3.5).abs() < 1e-6);
        // The largest member gives the place.
        assert_eq!(pools.place[1].point.x, 2.0);
        let total: f32 = pools.area.iter().sum();
        assert!((total - map.covered_area() as f32).abs() < 1e-5);
        assert_eq!(pools.cell_of(NONE), NONE);
    }

    #[test]
    fn edges_are_laid_over_pools() {
        let map = line(&[4.0, 0.1, 3.0]);
        let pools = Pools::new(&map, 1.0);
        let between =
            |from: u32, to: u32| map.edges_of(from).find(|&e| map.edge_to[e] == to).unwrap();
        let inside = pools.pieces_of(between(1, 2));
        assert_eq!((inside.len(), inside[0].length), (1, 1.0));
        let across = pools.pieces_of(between(0, 1));
        let cells: Vec<u32> = across.iter().map(|p| p.cell).collect();
        assert_eq!(cells, [0, 1]);
        assert_eq!(across[0].length, 0.5);
    }

    #[test]
    fn who_has_no_neighbour_stays_alone() {
        let pools = Pools::new(&line(&[0.1]), 1.0);
        assert_eq!((pools.cell_of(0), pools.area.len()), (0, 1));
        let large = Pools::new(&line(&[2.0, 2.0]), 1.0);
        assert_eq!(large.area, [2.0, 2.0]);
    }
}
