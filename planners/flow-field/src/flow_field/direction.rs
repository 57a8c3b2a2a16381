//! The direction of a field at a point between its slots.

use glam::Vec2;

use crate::{
    field::{Field, Way},
    stencil::{STEPS, Slot, Stencil},
};

/// Means of directions, of this squared length and below, say nothing.
const CANCELS: f32 = 0.01 * 32767.0 * 32767.0;

/// What is read of a field for the direction at a point: the ways of the slot it is in and of the
/// three on the point's side of it, as far as steps lead there.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    pub slot: Slot,
    pub own: Way,
    side: Way,
    above: Way,
    corner: Way,
    /// How far it is from the slot's middle towards them, in slots.
    x: f32,
    y: f32,
}

impl Around {
    /// Reads a field. Nothing is decided by what is read, so that the next reading need not wait
    /// for this one.
    #[inline(always)]
    pub fn read(stencil: &Stencil, field: &Field, slot: Slot, offset: Vec2) -> Around {
        let (side, above) = (
            if offset.x >= 0.0 { 0 } else { 4 },
            if offset.y >= 0.0 { 2 } else { 6 },
        );
        // Of the steps 0, 2, 4 and 6 the diagonal one between two that adjoin.
        let corner = if side == 0 && above == 6 {
            7
        } else {
            (side + above) / 2
        };
        let steps = stencil.steps[slot as usize];
        // Beyond a missing step is a wall: there the slot's own direction holds.
        let way = |k: usize| {
            let there = i32::from(steps >> k & 1) * stencil.offset[k];
            field.way[(slot as i32 + there) as usize]
        };
        Around {
            slot,
            own: field.way[slot as usize],
            side: way(side),
            above: way(above),
            corner: way(corner),
            x: offset.x.abs().min(0.5),
            y: offset.y.abs().min(0.5),
        }
    }

    /// The direction: those of the four, weighted by how near they are.
    #[inline(always)]
    pub fn direction(&self) -> Vec2 {
        let (x, y) = (self.x, self.y);
        let own = self.own.scaled();
        let near = own * (1.0 - x) + self.side.scaled() * x;
        let far = self.above.scaled() * (1.0 - x) + self.corner.scaled() * x;
        let mean = near * (1.0 - y) + far * y;
        let squared = mean.length_squared();
        // Opposite directions cancel where ways part: then the nearest slot decides.
        let (mean, squared) = if squared > CANCELS {
            (mean, squared)
        } else {
            (own, own.length_squared())
        };
        mean * (1.0 / squared.sqrt())
    }
}

/// The direction at a point in a slot without one: half to the nearest neighbour that has one and
/// half as that goes on. Zero if there is none.
#[cold]
pub(super) fn beside(stencil: &Stencil, field: &Field, slot: Slot, offset: Vec2) -> Vec2 {
    let mut nearest = (f32::INFINITY, Vec2::ZERO);
    for (k, [x, y]) in STEPS.into_iter().enumerate() {
        let way = field.way.get((slot as i32 + stencil.offset[k]) as usize);
        let Some(way) = way.filter(|w| **w != Way::NONE) else {
            continue;
        };
        let way = way.unit();
        let there = Vec2::new(x as f32, y as f32) - offset;
        let distance = there.length();
        if distance < nearest.0 {
            nearest = (
                distance,
                (there / distance.max(1e-6) + way).normalize_or(way),
            );
        }
    }
    nearest.1
}
