//! What is found out about a map once, for one state of its doors.

use throng_core::{Location, NONE, NavMap, NodeId, World};
use throng_kit::{
    Walk,
    geodesic::{On, Spot, Surface, Windows},
    search::Connectivity,
};

use super::landmarks::Landmarks;

/// Bytes that the fields of all goals may come to; further goals are searched for one by one.
const MOST_FIELD_BYTES: usize = 1 << 30;

/// Room about nodes is measured up to this, metres.
const MOST_ROOM: f32 = 4.0;

/// The surface under the map, the room about its nodes, and the fields of shared goals.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub surface: Surface,
    /// The map, with the room about an edge as its clearance.
    pub rooms: NavMap,
    pub connectivity: Connectivity,
    pub landmarks: Landmarks,
    /// The nodes as spots of the surface.
    pub spots: Vec<Spot>,
    /// Nodes that no body fits at.
    pub rim: Vec<bool>,
    /// Winding changes somewhere: up must be carried along paths.
    pub one_sided: bool,
    fields: Vec<Option<(Location, Windows)>>,
}

impl Known {
    pub fn new(world: &World<'_>) -> Known {
        let (map, ground) = (world.map, &world.site.ground);
        let surface = Surface::new(ground);
        let spots: Vec<Spot> = map.node_place.iter().map(|at| surface.spot(*at)).collect();
        let on_rim = |spot: &Spot| match spot.on {
            On::Point(point) => surface.is_rim(point),
            On::Side(side) => surface.across(spot.triangle, side as usize) == NONE,
            On::Inside => false,
        };
        let rim: Vec<bool> = spots.iter().map(on_rim).collect();
        let clearance: Vec<f32> = (map.node_place.iter().zip(&rim))
            .map(|(at, rim)| match (ground.walls.is_empty(), rim) {
                (true, _) => f32::INFINITY,
                (_, true) => 0.0,
                _ => ground.clearance(*at, MOST_ROOM),
            })
            .collect();
        let room: Vec<f32> = (0..map.nodes() as NodeId)
            .map(|n| {
                let beside = map.edges_of(n).map(|e| clearance[map.edge_to[e] as usize]);
                beside.fold(clearance[n as usize], f32::max)
            })
            .collect();
        let mut rooms = map.clone();
        for e in 0..map.edges() {
            let ends = [map.edge_from[e], map.edge_to[e]];
            let [a, b] = ends.map(|n| room[n as usize]);
            rooms.edge_clearance[e] = a.min(b).max(map.edge_clearance[e]);
        }
        let one_sided = (0..surface.triangles() as u32).any(|t| {
            (0..3).any(|s| {
                let code = surface.across(t, s);
                code != NONE && surface.same_way(t, s, code)
            })
        });
        Known {
            connectivity: Connectivity::new(&rooms, ground.door_open),
            landmarks: Landmarks::of(map),
            rim,
            surface,
            rooms,
            spots,
            one_sided,
            fields: Vec::new(),
        }
    }

    pub fn holds_for(&self, world: &World<'_>) -> bool {
        let ground = &world.site.ground;
        self.connectivity.holds_for(world.map, ground.door_open) && self.surface.holds_for(ground)
    }

    /// Lights the surface from every shared goal that is not lit yet.
    pub fn light_goals(&mut self, world: &World<'_>) {
        self.fields.resize_with(world.goals.len(), || None);
        let mut bytes: usize = self.fields.iter().flatten().map(|f| f.1.bytes()).sum();
        for (field, goal) in self.fields.iter_mut().zip(world.goals) {
            let lit = field.as_ref().is_some_and(|f| f.0 == goal.anchor);
            if lit || bytes > MOST_FIELD_BYTES || !goal.anchor.is_somewhere() {
                continue;
            }
            let mut windows = Windows::default();
            windows.all(&self.surface, self.surface.spot(goal.anchor));
            bytes += windows.bytes();
            *field = Some((goal.anchor, windows));
        }
    }

    /// The windows of a goal.
    pub fn field(&self, goal: u32) -> Option<&Windows> {
        let field = self.fields.get(goal as usize)?;
        field.as_ref().map(|f| &f.1)
    }
}
