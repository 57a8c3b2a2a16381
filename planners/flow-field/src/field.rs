//! What is kept of a field: costs, where to walk next, and directions.

use glam::Vec2;
use throng_core::NONE;

use crate::stencil::{Slot, Stencil, step_towards};

/// A direction of travel in 4 bytes, so that many fit where they are looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way {
    pub(crate) x: i16,
    pub(crate) y: i16,
}

/// 1.5 * 2^23: about it floats are 1 apart.
const WHOLE: f32 = 12_582_912.0;

impl Way {
    /// No direction: at a goal, or where there is no way.
    pub const NONE: Way = Way { x: 0, y: 0 };

    /// The length of any other one.
    pub(crate) const UNIT: f32 = 32767.0;

    /// A direction, 2e-5 off at most.
    #[inline(always)]
    pub fn along(unit: Vec2) -> Way {
        // Where floats are whole numbers apart, adding rounds, and the last bits are the number.
        let nearest = |v: f32| (v * Way::UNIT + WHOLE).to_bits() as i16;
        Way {
            x: nearest(unit.x),
            y: nearest(unit.y),
        }
    }

    /// It as a vector of any length.
    #[inline(always)]
    pub(crate) fn scaled(self) -> Vec2 {
        Vec2::new(f32::from(self.x), f32::from(self.y))
    }

    /// Both parts in one word; 0 for none.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        u32::from(self.x as u16) | u32::from(self.y as u16) << 16
    }

    /// The first part of a word.
    #[inline(always)]
    pub(crate) fn x_of(bits: u32) -> f32 {
        ((bits << 16) as i32 >> 16) as f32
    }

    /// The second part of a word.
    #[inline(always)]
    pub(crate) fn y_of(bits: u32) -> f32 {
        (bits as i32 >> 16) as f32
    }

    /// The step that is nearest to it.
    fn step(self) -> usize {
        let (x, y) = (i32::from(self.x), i32::from(self.y));
        // The tangent of a quarter of a right angle, as convergents of the square root of 2 give it.
        let is_straight = |along: i32, aside: i32| 408 * aside.abs() < 169 * along.abs();
        match (is_straight(x, y), is_straight(y, x)) {
            (true, _) => step_towards(x, 0),
            (_, true) => step_towards(0, y),
            _ => step_towards(x, y),
        }
    }

    /// It as a unit vector, or zero.
    pub fn unit(self) -> Vec2 {
        self.scaled().normalize_or_zero()
    }
}

/// A field towards one goal for one route class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// Cost from each slot (on sparse maps: node) to the goal; infinite where there is no way.
    pub cost: Vec<f32>,
    /// The slot that each walks straight to next: itself at the goal, [`NONE`] without a way. Empty
    /// if that is the neighbour to which its way turns. On sparse maps the edge to take next.
    pub next: Vec<u32>,
    /// Direction of travel at each slot, none at the goal. Empty on sparse maps.
    pub way: Vec<Way>,
}

impl Field {
    /// The slot that one walks straight to next: itself at the goal, [`NONE`] without a way.
    pub fn next_of(&self, stencil: &Stencil, slot: Slot) -> Slot {
        if let Some(next) = self.next.get(slot as usize) {
            return *next;
        }
        let (cost, way) = (self.cost.get(slot as usize), self.way.get(slot as usize));
        match (cost, way) {
            (Some(cost), Some(_)) if cost.is_infinite() => NONE,
            (Some(_), Some(&Way::NONE)) => slot,
            (Some(_), Some(way)) => stencil.after(slot, way.step()),
            _ => NONE,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.cost.len() * 4 + self.next.len() * 4 + self.way.len() * 4
    }

    pub(crate) fn save(&self, out: &mut Vec<u8>) {
        out.extend((self.cost.len() as u64).to_le_bytes());
        out.push(u8::from(!self.way.is_empty()) | u8::from(self.next.is_empty()) << 1);
        out.extend(self.cost.iter().flat_map(|v| v.to_le_bytes()));
        out.extend(self.next.iter().flat_map(|v| v.to_le_bytes()));
        let ways = self.way.iter().flat_map(|v| [v.x, v.y]);
        out.extend(ways.flat_map(i16::to_le_bytes));
    }

    /// Reads what [`Field::save`] wrote; nothing if it is damaged.
    pub(crate) fn load(saved: &mut Saved<'_>) -> Option<Field> {
        let nodes = usize::try_from(saved.u64()?).ok()?;
        let flags = saved.bytes(1)?[0];
        let (dense, turned) = (flags & 1 != 0, flags & 2 != 0);
        let (cost, _) = saved.bytes(nodes.checked_mul(4)?)?.as_chunks();
        let (next, _) = saved.bytes(if turned { 0 } else { nodes * 4 })?.as_chunks();
        let ways = if dense { nodes.checked_mul(4)? } else { 0 };
        let (way, _) = saved.bytes(ways)?.as_chunks::<4>();
        let short = |a: u8, b: u8| i16::from_le_bytes([a, b]);
        let field = Field {
            cost: cost.iter().map(|b| f32::from_le_bytes(*b)).collect(),
            next: next.iter().map(|b| u32::from_le_bytes(*b)).collect(),
            way: way
                .iter()
                .map(|&[a, b, c, d]| Way {
                    x: short(a, b),
                    y: short(c, d),
                })
                .collect(),
        };
        let in_range = |&next: &u32| !dense || next == NONE || (next as usize) < nodes;
        field.next.iter().all(in_range).then_some(field)
    }
}

/// Bytes being read.
pub(crate) struct Saved<'a>(pub &'a [u8]);

impl<'a> Saved<'a> {
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn u64(&mut self) -> Option<u64> {
        let bytes = self.bytes(8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_kept_closely() {
        for i in 0..1000 {
            let unit = Vec2::from_angle(i as f32 * 0.006_3);
            assert!((Way::along(unit).unit() - unit).length() < 3e-5);
        }
        assert_eq!(Way::NONE.unit(), Vec2::ZERO);
        assert_eq!(Way::along(Vec2::ZERO), Way::NONE);
    }

    #[test]
    fn fields_come_back_and_damage_is_found() {
        let field = Field {
            cost: vec![0.0, 2.5],
            next: vec![0, 0],
            way: vec![Way::NONE, Way::along(-Vec2::X)],
        };
        let mut saved = Vec::new();
        field.save(&mut saved);
        assert_eq!(Field::load(&mut Saved(&saved)), Some(field.clone()));
        for end in 0..saved.len() {
            assert_eq!(Field::load(&mut Saved(&saved[..end])), None);
        }
        let wrong = Field {
            next: vec![0, 7],
            ..field
        };
        saved.clear();
        wrong.save(&mut saved);
        assert_eq!(Field::load(&mut Saved(&saved)), None);
    }
}
