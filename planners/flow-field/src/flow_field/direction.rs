//! The direction of a field at a point between its slots.

use glam::Vec2;

use crate::{
    field::{Field, Way},
    stencil::{STEPS, Slot, Stencil},
};

/// Means of directions, of this squared length and below, say nothing.
const CANCELS: f32 = 0.01 * 32767.0 * 32767.0;

/// The steps to the side, up or down and between them, by signs of x and y.
const TOWARDS: [[usize; 3]; 4] = [[0, 2, 1], [4, 2, 3], [0, 6, 7], [4, 6, 5]];

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
        // On which side the point is cannot be foreseen, so that nothing branches on it.
        let [side, above, corner] =
            TOWARDS[usize::from(offset.x < 0.0) + 2 * usize::from(offset.y < 0.0)];
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

/// Points whose directions are found side by side.
pub(super) const AT_ONCE: usize = 32;

/// What [`Around`] holds for many points, one column for each part: then the directions of
/// several fit one register.
#[derive(Clone, Debug)]
pub(super) struct Many {
    pub slot: [Slot; AT_ONCE],
    pub speed: [f32; AT_ONCE],
    own: [u32; AT_ONCE],
    side: [u32; AT_ONCE],
    above: [u32; AT_ONCE],
    corner: [u32; AT_ONCE],
    x: [f32; AT_ONCE],
    y: [f32; AT_ONCE],
}

impl Many {
    pub const NONE: Many = Many {
        slot: [0; AT_ONCE],
        speed: [0.0; AT_ONCE],
        own: [0; AT_ONCE],
        side: [0; AT_ONCE],
        above: [0; AT_ONCE],
        corner: [0; AT_ONCE],
        x: [0.0; AT_ONCE],
        y: [0.0; AT_ONCE],
    };

    /// Takes one point in.
    #[inline(always)]
    pub fn set(&mut self, i: usize, around: Around, speed: f32) {
        self.slot[i] = around.slot;
        self.speed[i] = speed;
        self.own[i] = around.own.bits();
        self.side[i] = around.side.bits();
        self.above[i] = around.above.bits();
        self.corner[i] = around.corner.bits();
        self.x[i] = around.x;
        self.y[i] = around.y;
    }

    /// Whether the slot of a point has no direction.
    #[inline(always)]
    pub fn has_none(&self, i: usize) -> bool {
        self.own[i] == 0
    }

    /// What [`Around::direction`] says of all of them.
    #[inline(always)]
    pub fn directions(&self) -> [[f32; AT_ONCE]; 2] {
        let mut ways = [[0.0; AT_ONCE]; 2];
        let [ways_x, ways_y] = &mut ways;
        for i in 0..AT_ONCE {
            let (x, y) = (self.x[i], self.y[i]);
            let mean = |part: fn(u32) -> f32| {
                let near = part(self.own[i]) * (1.0 - x) + part(self.side[i]) * x;
                let far = part(self.above[i]) * (1.0 - x) + part(self.corner[i]) * x;
                near * (1.0 - y) + far * y
            };
            let (mean_x, mean_y) = (mean(Way::x_of), mean(Way::y_of));
            let (own_x, own_y) = (Way::x_of(self.own[i]), Way::y_of(self.own[i]));
            let mean_squared = mean_x * mean_x + mean_y * mean_y;
            let clear = mean_squared > CANCELS;
            let (way_x, way_y) = if clear {
                (mean_x, mean_y)
            } else {
                (own_x, own_y)
            };
            let squared = if clear {
                mean_squared
            } else {
                own_x * own_x + own_y * own_y
            };
            let scale = 1.0 / squared.sqrt();
            ways_x[i] = way_x * scale;
            ways_y[i] = way_y * scale;
        }
        ways
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_directions_are_those_of_each() {
        let mut many = Many::NONE;
        let around: Vec<Around> = (0..AT_ONCE)
            .map(|i| {
                let way = |k: usize| match (i + k) % 13 {
                    0 => Way::NONE,
                    turn => Way::along(Vec2::from_angle((turn * (1 + k)) as f32 * 0.7)),
                };
                Around {
                    slot: i as Slot,
                    own: way(0),
                    side: way(1),
                    above: way(2),
                    corner: way(3),
                    x: (i % 7) as f32 / 12.0,
                    y: (i % 5) as f32 / 8.0,
                }
            })
            .collect();
        for (i, around) in around.iter().enumerate() {
            many.set(i, *around, 1.0);
        }
        let [x, y] = many.directions();
        for (i, around) in around.iter().enumerate() {
            assert_eq!(many.has_none(i), around.own == Way::NONE);
            if !many.has_none(i) {
                let one = around.direction();
                assert_eq!(
                    [x[i].to_bits(), y[i].to_bits()],
                    one.to_array().map(f32::to_bits)
                );
            }
        }
    }
}
