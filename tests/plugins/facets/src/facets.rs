//! Nav `facets`: one node for each triangle of the ground, one edge for each side that can be
//! crossed.
//!
//! The map is the dual of the ground's own mesh: a region is a triangle, a gate is the side that
//! two of them share. So it suits every ground, flat or curved, and costs nothing to draw; routes
//! are as coarse as the triangles.

use std::collections::BTreeMap;

use glam::Vec3;
use throng_core::{
    Attachment, Capabilities, Change, EdgeId, Gate, GroundView, Location, NO_DOOR, NONE, NavError,
    NavMap, NavRepresentation, RegionId, Remap, Site, options, register,
};

options! {
    /// The triangles of the ground as a map.
    pub struct Facets {
        /// Sides narrower than this are not crossed.
        narrowest: f32 = 0.0, "m", 0.0..=100.0;
    }
    state { crossings: u32 }
}

/// The middle of a triangle.
fn middle(ground: &GroundView<'_>, triangle: u32) -> Vec3 {
    let [a, b, c] = ground.corners(triangle);
    (a + b + c) / 3.0
}

impl Facets {
    /// The gate in a side, for somebody who leaves the triangle through it.
    fn gate(ground: &GroundView<'_>, triangle: u32, side: usize) -> Gate {
        let corners = ground.corners(triangle);
        // Corners are counter-clockwise, so that whoever leaves has the side's start on the right.
        let (right, left) = (corners[side], corners[(side + 1) % 3]);
        Gate {
            left,
            middle: (left + right) / 2.0,
            right,
            triangle,
            flags: Gate::LEFT_WALL | Gate::RIGHT_WALL,
        }
    }
}

#[typetag::serde(name = "facets")]
impl NavRepresentation for Facets {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        let ground = &site.ground;
        let triangles = ground.triangles.len();
        if triangles as u64 * 3 >= u64::from(NONE) {
            return Err(NavError::TooLarge {
                what: "edges of facets".into(),
                needed: triangles as u64 * 3,
                limit: u64::from(NONE),
            });
        }
        // Which edge crosses a side: edges come in the order of triangles and sides.
        let mut edge_of = vec![[NONE; 3]; triangles];
        let mut doors = false;
        map.edge_start.push(0);
        map.gate_start.push(0);
        map.region_ring_start.push(0);
        for t in 0..triangles as u32 {
            let here = middle(ground, t);
            map.node_place.push(Location {
                point: here,
                triangle: t,
            });
            map.node_region.push(t);
            map.region_area.push(ground.areas[t as usize]);
            map.region_ring.extend(ground.corners(t));
            map.region_ring_start.push(map.region_ring.len() as u32);
            for side in 0..3 {
                let code = ground.across[t as usize][side];
                let gate = Facets::gate(ground, t, side);
                let width = gate.left.distance(gate.right);
                if code == NONE || width < self.narrowest {
                    continue;
                }
                let other = code / 3;
                let way = here.distance(gate.middle) + gate.middle.distance(middle(ground, other));
                edge_of[t as usize][side] = map.edge_to.len() as u32;
                map.edge_from.push(t);
                map.edge_to.push(other);
                map.edge_length.push(way);
                map.edge_clearance.push(width / 2.0);
                let door = ground.side_door[t as usize][side];
                doors |= door != NO_DOOR;
                map.edge_door.push(door);
                map.gates.push(gate);
                map.gate_start.push(map.gates.len() as u32);
            }
            map.edge_start.push(map.edge_to.len() as u32);
        }
        for t in 0..triangles {
            for side in 0..3 {
                if edge_of[t][side] != NONE {
                    let code = ground.across[t][side];
                    map.edge_twin
                        .push(edge_of[(code / 3) as usize][(code % 3) as usize]);
                }
            }
        }
        if !doors {
            map.edge_door.clear();
        }
        map.region_place = map.node_place.clone();
        self.crossings = map.edges() as u32;
        Ok(())
    }

    fn attach(
        &self,
        _: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        _: &[RegionId],
        out: &mut [Attachment],
    ) {
        for (place, out) in places.iter().zip(out) {
            *out = match map.node_place.get(place.triangle as usize) {
                Some(node) => Attachment {
                    node: place.triangle,
                    edge: NONE,
                    along: 0.0,
                    distance: node.point.distance(place.point),
                },
                None => Attachment::NOWHERE,
            };
        }
    }

    fn region_of(
        &self,
        _: &Site<'_>,
        map: &NavMap,
        places: &[Location],
        hints: &[RegionId],
        out: &mut [RegionId],
    ) {
        for ((place, hint), out) in places.iter().zip(hints).zip(out) {
            *out = if (place.triangle as usize) < map.regions() {
                place.triangle
            } else {
                *hint
            };
        }
    }

    fn gate_at(&self, _: &Site<'_>, map: &NavMap, edge: EdgeId, _: f32) -> Option<Gate> {
        let first = *map.gate_start.get(edge as usize)?;
        map.gates.get(first as usize).copied()
    }

    /// Draws the changed ground anew; triangles that are where they were keep their people.
    fn edit(&mut self, site: &Site<'_>, _: &Change, map: &mut NavMap) -> Result<Remap, NavError> {
        let mut fresh = NavMap {
            revision: map.revision + 1,
            ..NavMap::default()
        };
        self.build(site, &mut fresh)?;
        let at = |place: &Location| place.point.to_array().map(f32::to_bits);
        let places: BTreeMap<_, _> = fresh.node_place.iter().map(at).zip(0u32..).collect();
        let regions: Vec<u32> = map
            .node_place
            .iter()
            .map(|place| places.get(&at(place)).copied().unwrap_or(NONE))
            .collect();
        let edges = (0..map.edges())
            .map(|e| {
                let [from, to] = [map.edge_from[e], map.edge_to[e]].map(|n| regions[n as usize]);
                if from == NONE || to == NONE {
                    return NONE;
                }
                let found = fresh.edges_of(from).find(|f| fresh.edge_to[*f] == to);
                found.map_or(NONE, |f| f as u32)
            })
            .collect();
        *map = fresh;
        Ok(Remap { edges, regions })
    }

    fn measures(&self, site: &Site<'_>) -> Vec<(&'static str, f64)> {
        vec![
            ("crossings", f64::from(self.crossings)),
            ("triangles", site.ground.triangles.len() as f64),
        ]
    }
}

register! {
    Nav "facets" => Facets,
    about: "The ground's own triangles: a node each, a gate in every side between two.",
    when: "As an example of a map in a crate of its own.",
    when_not: "Short routes are wanted: triangles are long and thin.",
    growth: "Time and memory grow with the triangles.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::GRAPH.and(Capabilities::REGIONS),
}
