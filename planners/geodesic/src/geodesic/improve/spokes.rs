//! Walks from the rim of a plan along its spokes, kept for whoever is as wide: all ways round a
//! corner ask for the same few.

use throng_core::NONE;
use throng_kit::{Walk, ground::TracePiece};

use super::{Improver, along, corridor::FITS, turns::Turn};

/// Metres between two places of a walk at which the room is known.
const EVERY: f32 = 0.25;
/// What distances are rounded by, more than that.
const ROUNDED: f32 = 1e-4;

/// A walk from a point of the rim.
#[derive(Clone, Debug, Default)]
pub(super) struct SpokeWalk {
    /// Radius and reach that it was asked for with, metres.
    asked: Option<[f32; 2]>,
    pub(super) pieces: Vec<TracePiece>,
    /// Distances from the nearest wall at every [`EVERY`] metres, once somebody asks again.
    clear: Option<Vec<f32>>,
}

impl SpokeWalk {
    /// Its pieces, to be walked anew.
    pub(super) fn anew(&mut self) -> &mut Vec<TracePiece> {
        self.asked = None;
        self.clear = None;
        self.pieces.clear();
        &mut self.pieces
    }

    /// Whether no wall is nearer than `room` after so many metres, as far as it is known.
    pub(super) fn surely_has(&self, room: f32, metres: f32) -> bool {
        let nearest = (metres / EVERY).round();
        let off = (metres - nearest * EVERY).abs() + ROUNDED;
        let known = self.clear.as_ref().and_then(|c| c.get(nearest as usize));
        known.is_some_and(|clear| *clear >= room + off)
    }
}

/// The walks along all spokes of a map's rim.
#[derive(Debug, Default)]
pub(super) struct SpokeWalks {
    map: u64,
    /// By spoke: with corridors spread, and without.
    walks: Vec<[SpokeWalk; 2]>,
}

impl Improver<'_> {
    /// The walk along the spoke at an angle about a turn; `spoke` is NONE where there is none.
    pub(super) fn walk_along<'w>(
        &self,
        turn: &Turn,
        (angle, spoke): (f64, u32),
        spread: f32,
        walks: &'w mut SpokeWalks,
        other: &'w mut SpokeWalk,
    ) -> &'w SpokeWalk {
        let radius = self.request.radius;
        let asked = Some([radius, self.reach(turn.point, spread)]);
        let walk = if spoke == NONE || !self.ground.plan {
            other.anew();
            other
        } else {
            if walks.map != self.wedges.map {
                walks.map = self.wedges.map;
                walks.walks.clear();
            }
            let spoke = spoke as usize;
            if walks.walks.len() <= spoke {
                walks.walks.resize_with(spoke + 1, Default::default);
            }
            &mut walks.walks[spoke][usize::from(spread > 0.0)]
        };
        if walk.asked != asked {
            if let Some((triangle, way)) = self.direction_at(turn, angle) {
                self.trace_away(turn, triangle, way, spread, walk.anew());
            }
            walk.asked = asked;
        } else if walk.clear.is_none() {
            let length: f32 = walk.pieces.iter().map(|p| p.length).sum();
            let look = radius * FITS + EVERY;
            let places = (0..=(length / EVERY) as usize).map(|k| k as f32 * EVERY);
            let clear = |metres: f32| {
                let at = along(&walk.pieces, metres);
                at.map_or(0.0, |at| self.ground.clearance(at, look))
            };
            walk.clear = Some(places.map(clear).collect());
        }
        walk
    }
}
