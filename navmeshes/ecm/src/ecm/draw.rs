//! The medial axis as the arrays of a map.

use glam::{DVec2, Vec3};
use throng_core::{
    EdgeId, EdgePiece, Gate, GroundView, Location, NO_DOOR, NONE, NavMap, NodeId, angle_of,
};
use throng_kit::Walk;

use super::{
    axis::{Axis, Edge},
    layers::NOBODY,
};

/// Finds the places of plan points: on the layer's own floor, else on a stair at it.
#[derive(Clone, Copy)]
pub struct Heights<'a> {
    ground: GroundView<'a>,
    floors: &'a [Vec<u16>],
}

impl<'a> Heights<'a> {
    /// `floors` are those of the ground in each layer, its own first.
    pub fn over(ground: &GroundView<'a>, floors: &'a [Vec<u16>]) -> Heights<'a> {
        Heights {
            ground: *ground,
            floors,
        }
    }

    /// The place of a point on a stair or else on a layer; the nearest one if rounding put it off
    /// the ground.
    pub fn place(&self, p: DVec2, layer: u16, stair: u16) -> Location {
        let at = p.as_vec2();
        let floors = &self.floors[usize::from(layer)];
        let on_stair = [stair, floors[0]];
        let floors = if stair == NOBODY {
            floors.as_slice()
        } else {
            &on_stair
        };
        let here = floors
            .iter()
            .find_map(|&floor| self.ground.locate_plan(at, Some(floor)));
        here.or_else(|| {
            floors
                .iter()
                .filter_map(|&floor| self.ground.nearest_plan(at, Some(floor)))
                .min_by(|a, b| {
                    let off = |l: &Location| l.point.truncate().distance_squared(at);
                    off(a).total_cmp(&off(b))
                })
        })
        .unwrap_or(Location::NOWHERE)
    }

    /// The point of the ground below a plan point.
    pub fn point(&self, p: DVec2, layer: u16, stair: u16) -> Vec3 {
        if self.ground.flat {
            return p.as_vec2().extend(self.ground.vertices[0].z);
        }
        let z = self.place(p, layer, stair).point.z;
        p.as_vec2().extend(z)
    }
}

/// The directed edges of each edge of the axis: there and back.
pub type Ways = Vec<[EdgeId; 2]>;

/// Fills the arrays of a map; gives the directed edges of each edge of the axis.
pub fn fill(ground: &GroundView<'_>, heights: &Heights<'_>, axis: &Axis, map: &mut NavMap) -> Ways {
    let nodes = axis.nodes.len();
    let mut node_stair = vec![NOBODY; nodes];
    for edge in axis.edges.iter().filter(|e| e.stair != NOBODY) {
        for node in edge.nodes {
            node_stair[node as usize] = edge.stair;
        }
    }
    map.node_place = (0..nodes)
        .map(|n| heights.place(axis.nodes[n], axis.node_layer[n], node_stair[n]))
        .collect();
    map.node_region = vec![NONE; nodes];
    for (r, edge) in axis.edges.iter().enumerate() {
        for node in edge.nodes {
            let region = &mut map.node_region[node as usize];
            if *region == NONE {
                *region = r as u32;
            }
        }
    }

    let mut start = vec![0_u32; nodes + 1];
    for node in axis.edges.iter().flat_map(|e| e.nodes) {
        start[node as usize + 1] += 1;
    }
    for n in 0..nodes {
        start[n + 1] += start[n];
    }
    let mut next = start.clone();
    let mut ways: Ways = Vec::with_capacity(axis.edges.len());
    for edge in &axis.edges {
        ways.push(edge.nodes.map(|node| {
            let slot = &mut next[node as usize];
            *slot += 1;
            *slot - 1
        }));
    }
    let count = axis.edges.len() * 2;
    map.edge_start = start;
    map.edge_from = vec![0; count];
    map.edge_to = vec![0; count];
    map.edge_twin = vec![NONE; count];
    map.edge_length = vec![0.0; count];
    map.edge_clearance = vec![0.0; count];
    map.gate_start = (0..=count as u32).collect();
    map.gates = vec![Gate::waypoint(Location::NOWHERE); count];
    map.piece_start = (0..=count as u32).collect();
    let nothing = EdgePiece {
        cell: 0,
        length: 0.0,
        angle: 0,
    };
    map.pieces = vec![nothing; count];
    if axis.edges.iter().any(|e| e.door != NO_DOOR) {
        map.edge_door = vec![NO_DOOR; count];
    }
    for (r, edge) in axis.edges.iter().enumerate() {
        let length = length_of(ground, heights, edge) as f32;
        let [a, b] = edge.clearances();
        let feet = edge
            .feet
            .map(|side| side.map(|p| heights.point(p, edge.layer, edge.stair)));
        for way in 0..2 {
            let (e, twin) = (ways[r][way] as usize, ways[r][1 - way]);
            let (from, to) = (edge.nodes[way], edge.nodes[1 - way]);
            map.edge_from[e] = from;
            map.edge_to[e] = to;
            map.edge_twin[e] = twin;
            map.edge_length[e] = length;
            map.edge_clearance[e] = a.min(b) as f32;
            if edge.door != NO_DOOR {
                map.edge_door[e] = edge.door;
            }
            map.gates[e] = gate_at(
                map.node_place[to as usize],
                [feet[way][1 - way], feet[1 - way][1 - way]],
            );
            let chord = (edge.arc.ends[1 - way] - edge.arc.ends[way]).as_vec2();
            map.pieces[e] = EdgePiece {
                cell: r as u32,
                length,
                angle: angle_of(chord),
            };
        }
    }
    regions(ground, heights, axis, map);
    ways
}

/// The gate across the axis at a place, from the foot on the left to that on the right.
pub fn gate_at(middle: Location, [left, right]: [Vec3; 2]) -> Gate {
    Gate {
        left,
        middle: middle.point,
        right,
        triangle: middle.triangle,
        flags: Gate::LEFT_WALL | Gate::RIGHT_WALL,
    }
}

/// The length of an edge over the ground.
fn length_of(ground: &GroundView<'_>, heights: &Heights<'_>, edge: &Edge) -> f64 {
    let plan = edge.arc.length();
    if ground.flat {
        return plan;
    }
    let steps = (plan / 0.5).ceil().clamp(1.0, 256.0) as usize;
    let height = |i: usize| {
        let p = edge.arc.at(i as f64 / steps as f64);
        f64::from(heights.place(p, edge.layer, edge.stair).point.z)
    };
    let run = plan / steps as f64;
    let mut last = height(0);
    let mut sum = 0.0;
    for i in 1..=steps {
        let next = height(i);
        sum += (run * run + (next - last) * (next - last)).sqrt();
        last = next;
    }
    sum
}

fn regions(ground: &GroundView<'_>, heights: &Heights<'_>, axis: &Axis, map: &mut NavMap) {
    let mut areas: Vec<f64> = axis.edges.iter().map(|e| e.area().max(0.0)).collect();
    if !ground.flat {
        add_slopes(ground, axis, heights.floors, &mut areas);
    }
    map.region_area = areas.into_iter().map(|a| a as f32).collect();
    map.region_place = axis
        .edges
        .iter()
        .map(|e| heights.place(e.arc.at(0.5), e.layer, e.stair))
        .collect();
    map.region_ring_start.push(0);
    for edge in &axis.edges {
        let first = map.region_ring.len();
        for p in edge.outline() {
            let p = heights.point(p, edge.layer, edge.stair);
            if map.region_ring[first..].last() != Some(&p) {
                map.region_ring.push(p);
            }
        }
        while map.region_ring.len() > first + 1
            && map.region_ring.last() == Some(&map.region_ring[first])
        {
            map.region_ring.pop();
        }
        map.region_ring_start.push(map.region_ring.len() as u32);
    }
}

/// Adds what sloping ground has more than its plan: every sloping triangle is cut by the regions
/// over it.
fn add_slopes(ground: &GroundView<'_>, axis: &Axis, floors: &[Vec<u16>], areas: &mut [f64]) {
    use rstar::{
        AABB, RTree,
        primitives::{GeomWithData, Rectangle},
    };
    let boxes = axis.edges.iter().enumerate().map(|(r, edge)| {
        let ring = edge.outline();
        let low = ring.into_iter().fold(DVec2::INFINITY, DVec2::min);
        let high = ring.into_iter().fold(DVec2::NEG_INFINITY, DVec2::max);
        let corners = Rectangle::from_corners(low.to_array(), high.to_array());
        GeomWithData::new(corners, r)
    });
    let tree = RTree::bulk_load(boxes.collect());
    for t in 0..ground.triangles.len() {
        let upright = f64::from(ground.normals[t].z);
        if upright >= 1.0 {
            continue;
        }
        let corners = ground.corners(t as u32).map(|p| p.truncate().as_dvec2());
        // Exactly the area that the triangle has in space, over that in plan.
        let plan = (corners[1] - corners[0]).perp_dot(corners[2] - corners[0]) / 2.0;
        if plan <= 0.0 {
            continue;
        }
        let more = f64::from(ground.areas[t]) / plan - 1.0;
        let low = corners[0].min(corners[1]).min(corners[2]);
        let high = corners[0].max(corners[1]).max(corners[2]);
        let near = AABB::from_corners(low.to_array(), high.to_array());
        for found in tree.locate_in_envelope_intersecting(near) {
            let edge = &axis.edges[found.data];
            let here = edge.stair == NOBODY || edge.stair == ground.floors[t];
            if here && floors[usize::from(edge.layer)].contains(&ground.floors[t]) {
                areas[found.data] += more * clipped_area(&edge.outline(), &corners);
            }
        }
    }
}

/// The area that a ring has inside a triangle (Sutherland and Hodgman 1974).
fn clipped_area(ring: &[DVec2], triangle: &[DVec2; 3]) -> f64 {
    let mut ring = ring.to_vec();
    for i in 0..3 {
        let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
        let inside = |p: DVec2| (b - a).perp_dot(p - a);
        let mut cut = Vec::with_capacity(ring.len() + 2);
        for i in 0..ring.len() {
            let (p, q) = (ring[i], ring[(i + 1) % ring.len()]);
            let (dp, dq) = (inside(p), inside(q));
            if dp >= 0.0 {
                cut.push(p);
            }
            if (dp >= 0.0) != (dq >= 0.0) {
                cut.push(p + (q - p) * (dp / (dp - dq)));
            }
        }
        ring = cut;
    }
    let Some(&first) = ring.first() else {
        return 0.0;
    };
    ring.windows(2)
        .map(|w| (w[0] - first).perp_dot(w[1] - first))
        .sum::<f64>()
        / 2.0
}

/// The node at the wider end of an edge of the axis.
pub fn wider_end(edge: &Edge) -> NodeId {
    let [a, b] = edge.clearances();
    edge.nodes[usize::from(b > a)]
}
