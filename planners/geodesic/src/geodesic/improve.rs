//! Paths made walkable: away from edges, corridors, line of sight (Ricks and Egbert, 3.4 to 3.6).
//!
//! Away from edges: a turn on the rim is replaced by turns about a stride away from it, along those
//! edges of the mesh at the vertex that lie between the way in and the way out; where an edge is
//! shorter than a stride the walk goes on straight over the mesh. What does not leave room for the
//! body is pruned, and if nothing is left the turn stays. Where no edge lies in between, the middle
//! of the angle serves. Beyond the paper the same is done at saddles inside the surface, such as the
//! foot of a wall's end: all shortest ways bend there too.
//!
//! Corridors: such a turn becomes a gate from the rim along its edge, about four bodies long and
//! clamped to the walkway. Turns in the open are given the same width. Beyond the paper, everybody
//! keeps to the right half of a corridor: all routes turn at the same few corners, and who meets
//! there head-on stands.
//!
//! Line of sight: turns that can be passed by in a straight line are left out. Sight ends at a turn
//! that was moved away from a corner of the rim, and where normals diverge by more than 60 degrees.
//! The authors take sight for granted otherwise; here a straight walk is traced, and where the
//! crowd has its price it must not cost more than the path it replaces.
//!
//! Lengths come from the agent: a stride is three radii, a body two.
//!
//! `turns.rs` has what is improved, `away.rs`, `corridor.rs` and `sight.rs` an improvement each,
//! `fan.rs` the directions about a point of the surface that they share, `spokes.rs` what is kept of
//! the walks there.

mod away;
mod corridor;
mod fan;
mod sight;
mod spokes;
mod turns;

use throng_core::{
    Gate, GroundView, Location, PlanRequest, World,
    random::{Purpose, Stream},
};
use throng_kit::{geodesic::Surface, ground::TracePiece};

pub(super) use away::is_saddle;
pub(super) use fan::Wedge;
pub(super) use sight::in_sight;
pub(super) use turns::{Turn, turns_of_route, turns_of_spots};

use spokes::{SpokeWalk, SpokeWalks};

use super::{Geodesic, Known, known::Wedges};

/// Normals whose product is below this end the line of sight.
const DIVERGENT: f32 = 0.5;
/// Ends of a gate lie on the same side of edges as its middle: normals with at least this product.
const SAME_SIDE: f32 = 0.85;
/// A body's width, in radii.
const WIDTH: f32 = 2.0;
/// Distance of a corridor's ends from walls, in radii: who hugs a corner gets stuck at it.
const MARGIN: f32 = 1.75;

/// Memory that is kept from path to path.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    moved: Vec<Turn>,
    /// Angles about a point, with their spokes.
    angles: Vec<(f64, u32)>,
    walks: SpokeWalks,
    walk: SpokeWalk,
    pieces: Vec<TracePiece>,
    /// The walks to the left and to the right of a gate.
    sides: [Vec<TracePiece>; 2],
}

/// The gates of a path, improved as the options say. Turns are used up.
pub(super) fn gates_of(
    world: &World<'_>,
    known: &Known,
    request: &PlanRequest,
    options: &Geodesic,
    turns: &mut Vec<Turn>,
    gates: &mut Vec<Gate>,
    scratch: &mut Scratch,
) {
    gates.clear();
    let improver = Improver {
        world,
        ground: &world.site.ground,
        surface: &known.surface,
        hollow: known.hollow,
        request,
        options,
        own: own_share(world, request),
        wedges: &known.wedges,
        passages: if options.keep_right {
            &known.passages
        } else {
            &[]
        },
    };
    if options.away_from_edges {
        improver.move_away(turns, scratch);
    }
    let count = turns.len();
    if count < 3 {
        return;
    }
    let mut anchor = 0;
    while anchor + 1 < count {
        let next = if options.line_of_sight {
            improver.farthest_seen(turns, anchor)
        } else {
            anchor + 1
        };
        if next + 1 < count {
            let (before, after) = (turns[anchor].at, turns[next + 1].at);
            let passed = match gates.last() {
                Some(gate) => *gate,
                None => Gate::waypoint(before),
            };
            let mut gate = improver.gate(&turns[next], before, after, improver.spread(), scratch);
            if turns[next].gate.is_none()
                && !improver.is_on_the_way(place_of(&passed), place_of(&gate), after)
            {
                gate = improver.gate(&turns[next], before, after, 0.0, scratch);
            }
            // What was in sight of the turn itself may be hidden from a corridor beside it.
            let mut from = passed;
            if !improver.is_open_between(&passed, &turns[next], &gate) {
                from = Gate::waypoint(before);
                if let Some(last) = gates.last_mut() {
                    *last = from;
                }
                if turns[next].gate.is_none() {
                    gate = Gate::waypoint(turns[next].at);
                }
            }
            gate = improver.seen_from(&from, gate);
            gates.push(gate);
            improver.go_over(&mut turns[next], after.point);
        }
        anchor = next;
    }
}

/// Everybody's own share of the room at a turn, the same at every turn: all shortest ways bend at
/// the same few points, and who meets there stands.
fn own_share(world: &World<'_>, request: &PlanRequest) -> f32 {
    match world.agents.id.get(request.agent as usize) {
        Some(&id) => Stream::new(world.seed, id, Purpose::Strategy, 0).unit(),
        None => 0.0,
    }
}

struct Improver<'a> {
    world: &'a World<'a>,
    ground: &'a GroundView<'a>,
    surface: &'a Surface,
    /// See [`Known`].
    hollow: bool,
    request: &'a PlanRequest,
    options: &'a Geodesic,
    /// See [`own_share`].
    own: f32,
    /// See [`Known`].
    wedges: &'a Wedges,
    /// See [`Known`]; nothing where nobody keeps to a side.
    passages: &'a [f32],
}

/// The middle of a gate.
fn place_of(gate: &Gate) -> Location {
    Location {
        point: gate.middle,
        triangle: gate.triangle,
    }
}

/// The place after so many metres of a straight walk.
fn along(pieces: &[TracePiece], metres: f32) -> Option<Location> {
    let mut left = metres;
    for piece in pieces {
        if left <= piece.length {
            return Some(Location {
                point: piece.enter + piece.direction * left,
                triangle: piece.triangle,
            });
        }
        left -= piece.length;
    }
    pieces.last().map(|piece| Location {
        point: piece.leave,
        triangle: piece.triangle,
    })
}
