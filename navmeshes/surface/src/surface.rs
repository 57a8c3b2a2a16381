//! Nav `surface`: a map over the whole of a triangle mesh (Ricks and Egbert 2014, section 3).
//!
//! The mesh is never cut into planes. Its triangles are refined until no edge is longer than
//! `spacing` and no edge leads from rim to rim, so that every passage has a node in its middle;
//! nodes are the corners, edges the sides of what comes out. Two parts that merely touch at a
//! vertex are not joined by it; of more than two triangles at one side the ground joins the
//! straightest pairs, so the map is manifold whatever the mesh is. A surface with one side only
//! (a Moebius strip) is a graph like any other.
//!
//! Regions are patches of similar area that grow about seeds. Clearance is measured along edges,
//! so one map serves every radius. A gate of an edge lies across its end, as wide as the nearest
//! wall leaves it; at the rim it leads from the rim inwards.

mod patches;
mod refine;
mod spacing;

use glam::Vec3;
use rayon::prelude::*;
use throng_core::{
    Attachment, Capabilities, EdgeId, Gate, GroundView, Location, NO_DOOR, NONE, NavError, NavMap,
    NavRepresentation, NodeId, RegionId, Site, options, register,
};
use throng_kit::{Walk, geodesic::Surface};

use refine::Refined;

/// Clearance is exact up to this and capped there, metres, where there are walls at all.
const MOST_CLEARANCE: f32 = 4.0;
/// Half the width of a gate at the most, metres.
const HALF_GATE: f32 = 1.0;
/// Points along an edge at which clearance is measured, its ends apart.
const SAMPLES: usize = 3;

options! {
    /// A graph over the corners of a refined mesh, with patches as regions.
    pub struct SurfaceMap {
        /// Edges longer than this, or than a twelfth of what they belong to, are cut; shorter ones stay as
        /// they are in the mesh. Surfaces of more than 250,000 squares of this side are cut less.
        spacing: f32 = 2.0, "m", 0.05..=1000.0;
        /// Area that regions come to, about.
        patch: f32 = 6.0, "m2", 0.01..=1000000.0;
    }
    state {
        /// The tree of triangles: those of the ground first.
        refined: Refined,
        /// Region of each triangle that is not cut further.
        region: Vec<RegionId>,
        /// Distance of each node from the nearest wall.
        clearance: Vec<f32>,
        /// Handedness cannot be kept: gates have no left and right.
        one_sided: bool,
    }
}

register! {
    Nav "surface" => SurfaceMap,
    about: "Any triangle mesh as a whole: closed, open, curved, one-sided; walls and ceilings too.",
    when: "Curved surfaces, buildings of many storeys as one mesh, meshes from files, crowds on walls and ceilings.",
    when_not: "Flat floor plans: medial axes and grids have fewer nodes or straighter routes there.",
    growth: "Time and memory linear in triangles plus area over spacing squared; about 300 bytes a node.",
    paper: "Ricks, Egbert: A whole surface approach to crowd simulation on arbitrary topologies, 2014",
    needs: Capabilities::NONE,
    offers: Capabilities::GRAPH.and(Capabilities::REGIONS).and(Capabilities::MESH),
}

#[typetag::serde(name = "surface")]
impl NavRepresentation for SurfaceMap {
    fn build(&mut self, site: &Site<'_>, map: &mut NavMap) -> Result<(), NavError> {
        // Edges lead through doors, whatever their state.
        let all_open = vec![1; site.ground.door_open.len()];
        let ground = &GroundView {
            door_open: &all_open,
            ..site.ground
        };
        let surface = Surface::new(ground);
        let spacing = spacing::by_triangle(ground, self.spacing);
        let refined = Refined::new(ground, &surface, &spacing)?;
        self.one_sided = (0..ground.triangles.len() as u32).any(|t| {
            (0..3).any(|s| {
                let code = surface.across(t, s);
                code != NONE && surface.same_way(t, s, code)
            })
        });
        let nodes = refined.places.len();
        map.node_place = refined.places.clone();
        self.draw_edges(ground, &refined, map);
        let (region, areas, places) = patches::gather(&refined, self.patch);
        map.region_area = areas;
        map.region_place = places;
        map.node_region = vec![NONE; nodes];
        for (leaf, &r) in region.iter().enumerate() {
            if r != NONE {
                for node in refined.cells[leaf].corners {
                    let of_node = &mut map.node_region[node as usize];
                    *of_node = (*of_node).min(r);
                }
            }
        }
        self.region = region;
        self.refined = refined;
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
            *attachment = match self.refined.leaf(&site.ground, *place) {
                Some(leaf) => {
                    let corners = self.refined.cells[leaf].corners;
                    let far = |n: NodeId| map.node_place[n as usize].point.distance(place.point);
                    // A node of the rim only where there is no other: nobody can stand there.
                    let rank = |n: NodeId| (self.refined.rim[n as usize], far(n));
                    let node = corners.into_iter().reduce(|a, b| {
                        let (p, q) = (rank(a), rank(b));
                        let nearer = p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)).then(a.cmp(&b));
                        if nearer.is_le() { a } else { b }
                    });
                    let node = node.unwrap_or(NONE);
                    Attachment {
                        node,
                        edge: NONE,
                        along: 0.0,
                        distance: far(node),
                    }
                }
                None => Attachment::NOWHERE,
            };
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
            *region = match self.refined.leaf(&site.ground, *place) {
                Some(leaf) => self.region[leaf],
                None => NONE,
            };
        }
    }

    fn emit_gates(&self, site: &Site<'_>, map: &NavMap, edges: &[EdgeId], out: &mut Vec<Gate>) {
        for &edge in edges {
            out.push(self.gate(&site.ground, map, edge));
        }
    }

    fn bytes(&self) -> usize {
        self.refined.bytes() + self.region.capacity() * 4 + self.clearance.capacity() * 4
    }
}

impl SurfaceMap {
    fn draw_edges(&mut self, ground: &GroundView<'_>, refined: &Refined, map: &mut NavMap) {
        let nodes = refined.places.len();
        let walled = !ground.walls.is_empty();
        let at = |p: Vec3, triangle: u32| {
            let place = Location { point: p, triangle };
            ground.clearance(place, MOST_CLEARANCE)
        };
        self.clearance = if walled {
            (0..nodes)
                .into_par_iter()
                .with_min_len(256)
                .map(|n| match refined.rim[n] {
                    true => 0.0,
                    false => at(refined.places[n].point, refined.places[n].triangle),
                })
                .collect()
        } else {
            vec![f32::INFINITY; nodes]
        };
        let links = refined.links();
        let clearance: Vec<f32> = links
            .par_iter()
            .with_min_len(256)
            .map(|link| {
                let [a, b] = link.ends.map(|n| n as usize);
                let ends = self.clearance[a].min(self.clearance[b]);
                let length = link.length as f32;
                // Distances change by a metre a metre: far from walls no look is needed.
                let sure = (self.clearance[a] + self.clearance[b] - length) / 2.0;
                if ends == 0.0 || sure >= MOST_CLEARANCE || !walled {
                    return ends;
                }
                let (p, q) = (refined.places[a].point, refined.places[b].point);
                (1..=SAMPLES).fold(ends, |least, i| {
                    let share = i as f32 / (SAMPLES + 1) as f32;
                    least.min(at(p.lerp(q, share), link.triangle))
                })
            })
            .collect();
        // Rows of a node ascend by the node at the other end, as the links do.
        let mut start = vec![0_u32; nodes + 1];
        for link in &links {
            for end in link.ends {
                start[end as usize + 1] += 1;
            }
        }
        for n in 0..nodes {
            start[n + 1] += start[n];
        }
        let count = links.len() * 2;
        let mut next = start.clone();
        map.edge_from = vec![0; count];
        map.edge_to = vec![0; count];
        map.edge_twin = vec![0; count];
        map.edge_length = vec![0.0; count];
        map.edge_clearance = vec![0.0; count];
        let doors = refined.door.iter().any(|&door| door != NO_DOOR);
        map.edge_door = if doors {
            vec![NO_DOOR; count]
        } else {
            Vec::new()
        };
        for (link, &clear) in links.iter().zip(&clearance) {
            let [a, b] = link.ends;
            let out = next[a as usize];
            let back = next[b as usize];
            next[a as usize] += 1;
            next[b as usize] += 1;
            for (e, twin, from, to) in [(out, back, a, b), (back, out, b, a)] {
                let e = e as usize;
                map.edge_from[e] = from;
                map.edge_to[e] = to;
                map.edge_twin[e] = twin;
                map.edge_length[e] = link.length as f32;
                map.edge_clearance[e] = clear;
                if doors {
                    let door = |n: NodeId| refined.door[n as usize];
                    map.edge_door[e] = if door(a) != NO_DOOR { door(a) } else { door(b) };
                }
            }
        }
        map.edge_start = start;
    }

    /// The gate at the end of an edge, across its direction.
    fn gate(&self, ground: &GroundView<'_>, map: &NavMap, edge: EdgeId) -> Gate {
        let e = edge as usize;
        let (from, to) = (map.edge_from[e], map.edge_to[e]);
        let at = map.node_place[to as usize];
        let half = self.clearance[to as usize].min(HALF_GATE);
        let way = at.point - map.node_place[from as usize].point;
        let normal = ground.normals[at.triangle as usize];
        let left = normal.cross(way).normalize_or_zero();
        if self.one_sided || half <= 0.0 || left == Vec3::ZERO {
            return Gate::waypoint(at);
        }
        Gate {
            left: at.point + left * half,
            middle: at.point,
            right: at.point - left * half,
            triangle: at.triangle,
            flags: 0,
        }
    }
}

#[cfg(test)]
mod tests;
