//! The turns of a path: where it goes through, and which way is up there.

use glam::Vec3;
use throng_core::{Attachment, EdgeId, Gate, GroundView, Location, NONE, PlanRequest, World};
use throng_kit::{
    geodesic::{On, Spot, Surface},
    search::Terms,
};

use super::{
    super::{Known, place, point_of},
    DIVERGENT,
};

/// A place that a path goes through.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Turn {
    pub(super) at: Location,
    /// Away from the surface on the walker's side.
    pub(super) up: Vec3,
    /// The point of the surface that it is, or NONE.
    pub(super) point: u32,
    /// Whether it lies on the rim.
    pub(super) rim: bool,
    /// Cost from the turn before.
    pub(super) cost: f64,
    /// The gate that replaces it, if it was moved away.
    pub(super) gate: Option<Gate>,
    /// Whether sight ends here.
    pub(super) corner: bool,
}

impl Turn {
    /// Where one goes through it.
    pub(super) fn passage(&self) -> Gate {
        self.gate.unwrap_or(Gate::waypoint(self.at))
    }
}

fn first_up(world: &World<'_>, request: &PlanRequest) -> Vec3 {
    let normal = world.site.ground.normals[request.from.triangle as usize];
    match world.agents.frame.get(request.agent as usize) {
        Some(frame) => frame.up(normal),
        None => normal,
    }
}

/// Carries up from turn to turn.
struct Upright<'a> {
    ground: &'a GroundView<'a>,
    one_sided: bool,
    sign: f32,
    last: Vec3,
}

impl Upright<'_> {
    /// The triangle at a spot that a walker comes to it on. A spot on an edge of the surface belongs
    /// to both sides: nobody climbs a wall to walk along its foot.
    fn side_of(&self, surface: &Surface, spot: &Spot) -> u32 {
        let alike = |triangle: u32| {
            let dot = self.ground.normals[triangle as usize].dot(self.last);
            if self.one_sided { dot.abs() } else { dot }
        };
        if self.ground.plan || alike(spot.triangle) >= DIVERGENT {
            return spot.triangle;
        }
        let nearest = |best: u32, other: u32| {
            if alike(other) > alike(best) {
                other
            } else {
                best
            }
        };
        match spot.on {
            On::Point(point) => {
                let about = surface.fan(point).iter().map(|code| code / 3);
                about.fold(spot.triangle, nearest)
            }
            On::Side(side) => match surface.across(spot.triangle, side as usize) {
                NONE => spot.triangle,
                code => nearest(spot.triangle, code / 3),
            },
            On::Inside => spot.triangle,
        }
    }

    fn at(&mut self, triangle: u32) -> Vec3 {
        let normal = self.ground.normals[triangle as usize];
        // Neighbouring turns of a smooth one-sided surface are much alike; elsewhere the side
        // never changes.
        if self.one_sided && normal.dot(self.last) < 0.0 {
            self.sign = -self.sign;
        }
        self.last = normal;
        normal * self.sign
    }
}

fn upright<'a>(world: &'a World<'_>, known: &Known, request: &PlanRequest) -> Upright<'a> {
    let ground = &world.site.ground;
    let normal = ground.normals[request.from.triangle as usize];
    Upright {
        ground,
        one_sided: known.one_sided,
        sign: if first_up(world, request).dot(normal) < 0.0 {
            -1.0
        } else {
            1.0
        },
        last: normal,
    }
}

/// The turns of a path over the triangles.
pub(in super::super) fn turns_of_spots(
    world: &World<'_>,
    known: &Known,
    request: &PlanRequest,
    path: &[Spot],
    turns: &mut Vec<Turn>,
) {
    turns.clear();
    let mut upright = upright(world, known, request);
    let mut last: Option<&Spot> = None;
    for spot in path {
        let cost = last.map_or(0.0, |l| l.at.distance(spot.at));
        last = Some(spot);
        let point = point_of(spot);
        let on_rim_side = |side: u32| known.surface.across(spot.triangle, side as usize) == NONE;
        let triangle = upright.side_of(&known.surface, spot);
        turns.push(Turn {
            at: Location {
                triangle,
                ..place(spot)
            },
            up: upright.at(triangle),
            point,
            rim: match spot.on {
                On::Point(point) => known.surface.is_rim(point),
                On::Side(side) => on_rim_side(side),
                On::Inside => false,
            },
            cost,
            gate: None,
            corner: false,
        });
    }
}

/// The turns of a route over the map's edges.
pub(in super::super) fn turns_of_route(
    world: &World<'_>,
    known: &Known,
    request: &PlanRequest,
    from: Attachment,
    edges: &[EdgeId],
    terms: &Terms<'_>,
    turns: &mut Vec<Turn>,
) {
    turns.clear();
    let mut upright = upright(world, known, request);
    let mut push = |mut at: Location, node: u32, cost: f64| {
        if node != NONE {
            at.triangle = upright.side_of(&known.surface, &known.spots[node as usize]);
        }
        turns.push(Turn {
            at,
            up: upright.at(at.triangle),
            point: match node {
                NONE => NONE,
                node => point_of(&known.spots[node as usize]),
            },
            rim: node != NONE && known.rim[node as usize],
            cost,
            gate: None,
            corner: false,
        });
    };
    let place = |node: u32| world.map.node_place[node as usize];
    push(request.from, NONE, 0.0);
    let first = f64::from(from.distance) * terms.least_base;
    push(place(from.node), from.node, first);
    let mut last = from.node;
    for &edge in edges {
        last = world.map.edge_to[edge as usize];
        push(place(last), last, terms.cost(edge));
    }
    let rest = place(last).point.distance(request.to.point);
    push(request.to, NONE, f64::from(rest) * terms.least_base);
}
