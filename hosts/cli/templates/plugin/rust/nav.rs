//! Map `__id__`: the triangles of the ground are its regions, their common sides its gates.

use glam::Vec3;
use throng_core::{
    Attachment, Capabilities, Gate, GroundView, Location, NO_DOOR, NONE, NavError, NavMap,
    NavRepresentation, Site, options, register,
};

options! {
    /// The triangles of the ground as a map.
    pub struct __Type__ {
        /// Sides narrower than this are not passed.
        narrowest: f32 = 0.1, "m", 0.0..=10.0;
    }
}

fn centre(ground: &GroundView<'_>, triangle: usize) -> Vec3 {
    let [a, b, c] = ground.corners(triangle as u32);
    (a + b + c) / 3.0
}

#[typetag::serde(name = "__id__")]
impl NavRepresentation for __Type__ {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        let ground = site.ground;
        let count = ground.triangles.len();
        *map = NavMap::default();
        map.region_area = ground.areas.to_vec();
        map.gate_start.push(0);
        for triangle in 0..count {
            let point = centre(&ground, triangle);
            let here = Location {
                point,
                triangle: triangle as u32,
            };
            map.node_place.push(here);
            map.region_place.push(here);
            map.node_region.push(triangle as u32);
            map.edge_start.push(map.edge_to.len() as u32);
            let corners = ground.corners(triangle as u32);
            for side in 0..3 {
                let across = ground.across[triangle][side];
                let (right, left) = (corners[side], corners[(side + 1) % 3]);
                if across == NONE || left.distance(right) < self.narrowest {
                    continue;
                }
                let beyond = across as usize / 3;
                let middle = (left + right) / 2.0;
                map.edge_from.push(triangle as u32);
                map.edge_to.push(beyond as u32);
                map.edge_length
                    .push(point.distance(middle) + middle.distance(centre(&ground, beyond)));
                map.edge_clearance.push(left.distance(right) / 2.0);
                map.edge_door.push(ground.side_door[triangle][side]);
                map.gates.push(Gate {
                    left,
                    middle,
                    right,
                    triangle: triangle as u32,
                    flags: Gate::LEFT_WALL | Gate::RIGHT_WALL,
                });
                map.gate_start.push(map.gates.len() as u32);
            }
        }
        map.edge_start.push(map.edge_to.len() as u32);
        if map.edge_door.iter().all(|door| *door == NO_DOOR) {
            map.edge_door.clear();
        }
        for edge in 0..map.edges() {
            let (from, to) = (map.edge_from[edge], map.edge_to[edge]);
            let middle = map.gates[edge].middle;
            // Two triangles can share more than one side: the same gate leads back.
            let back = map
                .edges_of(to)
                .find(|&e| map.edge_to[e] == from && map.gates[e].middle == middle);
            map.edge_twin.push(back.map_or(NONE, |e| e as u32));
        }
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
        for (place, out) in places.iter().zip(out) {
            let node = map.node_place[place.triangle as usize];
            *out = Attachment {
                node: place.triangle,
                distance: node.point.distance(place.point),
                ..Attachment::NOWHERE
            };
        }
    }

    fn region_of(
        &self,
        _: &Site<'_>,
        _: &NavMap,
        places: &[Location],
        _: &[u32],
        out: &mut [u32],
    ) {
        for (place, out) in places.iter().zip(out) {
            *out = place.triangle;
        }
    }
}

register! {
    Nav "__id__" => __Type__,
    about: "The triangles of the ground as regions, their common sides as gates.",
    when: "As a start for a map of your own.",
    when_not: "Routes are to be short: they lead from triangle to triangle.",
    growth: "Time and memory grow with the triangles of the ground.",
    paper: "",
    needs: Capabilities::NONE,
    offers: Capabilities::GRAPH.and(Capabilities::REGIONS),
}
