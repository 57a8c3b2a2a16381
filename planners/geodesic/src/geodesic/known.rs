//! What is found out about a map once, for one state of its doors.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::Vec3;
use throng_core::{Frame, GroundView, Location, NONE, NavMap, NodeId, World};
use throng_kit::{
    Walk,
    geodesic::{On, Spot, Surface, Windows},
    ground::TraceEnd,
    search::Connectivity,
};

use super::{
    improve::{Wedge, is_saddle},
    landmarks::Landmarks,
};

/// Bytes that the fields of all goals may come to; further goals are searched for one by one.
const MOST_FIELD_BYTES: usize = 1 << 30;

/// Passages are measured up to this, metres.
const WIDEST: f32 = 10.0;
/// How far off its corner a walk across a passage begins, metres.
const HAIR: f32 = 0.01;

/// Normals at a sharp edge have a smaller product than this.
const SHARP: f32 = 0.5;

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
    /// On plans, the width of the narrowest passage that begins at a point of the rim: the way along
    /// an edge of the mesh to the wall opposite, at most [`WIDEST`].
    pub passages: Vec<f32>,
    pub wedges: Wedges,
    /// Winding changes somewhere: up must be carried along paths.
    pub one_sided: bool,
    /// Walls stand on a curved ground somewhere: sides that meet at a sharp inner edge.
    pub hollow: bool,
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
            passages: passages(ground, &surface),
            wedges: Wedges::new(ground, &surface),
            hollow: !ground.plan && is_hollow(ground, &surface),
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

/// The corners about points of the rim and about saddles, which every path that turns there asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Wedges {
    /// Tells those of one map from those of another.
    pub map: u64,
    /// Where the corners about a point begin, by point.
    first: Vec<u32>,
    all: Vec<Wedge>,
}

impl Wedges {
    fn new(ground: &GroundView<'_>, surface: &Surface) -> Wedges {
        static MAPS: AtomicU64 = AtomicU64::new(1);
        let mut wedges = Wedges {
            map: MAPS.fetch_add(1, Ordering::Relaxed),
            ..Wedges::default()
        };
        for point in 0..surface.points() as u32 {
            wedges.first.push(wedges.all.len() as u32);
            if surface.is_rim(point) || !ground.plan && is_saddle(surface, point) {
                let fan = surface.fan(point);
                let about = (0..fan.len()).map(|i| Wedge::of(ground, surface, fan, i));
                wedges.all.extend(about);
            }
        }
        wedges.first.push(wedges.all.len() as u32);
        wedges
    }

    /// The number of a corner about a point among all of them.
    pub fn index(&self, point: u32, corner: usize) -> u32 {
        self.first
            .get(point as usize)
            .map_or(NONE, |first| first + corner as u32)
    }

    /// The corners about a point in the order of its fan.
    pub fn of(&self, point: u32) -> Option<&[Wedge]> {
        let first = *self.first.get(point as usize)? as usize;
        let end = *self.first.get(point as usize + 1)? as usize;
        Some(&self.all[first..end]).filter(|wedges| !wedges.is_empty())
    }
}

/// Along every edge inside the plan from a point of the rim up to the wall opposite.
fn passages(ground: &GroundView<'_>, surface: &Surface) -> Vec<f32> {
    let mut widths = Vec::new();
    if !ground.plan {
        return widths;
    }
    widths.resize(surface.points(), f32::INFINITY);
    for t in 0..ground.triangles.len() as u32 {
        let corners = ground.corners(t);
        for side in 0..3 {
            if surface.across(t, side) == NONE {
                continue;
            }
            let (a, b) = (corners[side], corners[(side + 1) % 3]);
            let Some(way) = (b - a).try_normalize() else {
                continue;
            };
            let normal = ground.normals[t as usize];
            let frame = if ground.flat {
                Frame::FLAT
            } else {
                Frame::on(normal)
            };
            // Inside the triangle by a hair, so that the walk begins on neither wall.
            let inward = ((corners[0] + corners[1] + corners[2]) / 3.0 - a).normalize_or_zero();
            let start = Location {
                point: a + (way + inward * 1e-3) * HAIR,
                triangle: t,
            };
            let mut width = HAIR;
            let step = frame.to_tangent(normal, way * WIDEST);
            let end = ground.trace(start, frame, step, &mut |piece| width += piece.length);
            let point = surface.point(t, side);
            if matches!(end, TraceEnd::Wall { .. }) && surface.is_rim(point) {
                let narrowest = &mut widths[point as usize];
                *narrowest = narrowest.min(width);
            }
        }
    }
    widths
}

/// Whether two sides that diverge face each other over an edge: what is straight ahead may be a
/// wall.
fn is_hollow(ground: &GroundView<'_>, surface: &Surface) -> bool {
    let normal = |t: u32| ground.normals[t as usize];
    let middle = |t: u32| ground.corners(t).into_iter().sum::<Vec3>() / 3.0;
    (0..surface.triangles() as u32).any(|t| {
        (0..3).any(|side| {
            let code = surface.across(t, side);
            let other = code / 3;
            code != NONE
                && normal(t).dot(normal(other)) < SHARP
                && !surface.same_way(t, side, code)
                && (middle(other) - middle(t)).dot(normal(t)) > 0.0
        })
    })
}
