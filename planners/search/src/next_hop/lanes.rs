//! The directions of sixteen walkers at once.
//!
//! In a crowd it is anybody's guess who stands before a gate's strip and who beside it, so a branch
//! costs more than working out both. Formulas are those of [`CellBoxes::way`], number by number:
//! the answer has the same bits.
//!
//! [`CellBoxes::way`]: super::CellBoxes::way

use fearless_simd::{Level, Simd, dispatch, f32x16, mask32x16, prelude::*};
use glam::Vec2;

use super::field::{BEHIND, Border, CellBox, FieldKind, Walker};

/// Walkers that are worked out together.
pub const LANES: usize = 16;

/// A number of each.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Row([f32; LANES]);

/// A vector of each.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    x: Row,
    y: Row,
}

impl Rows {
    #[inline(always)]
    fn set(&mut self, lane: usize, value: Vec2) {
        (self.x.0[lane], self.y.0[lane]) = (value.x, value.y);
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S) -> Pair<S> {
        Pair {
            x: f32x16::load_array_ref(simd, &self.x.0),
            y: f32x16::load_array_ref(simd, &self.y.0),
        }
    }
}

/// A gate of each, as [`Border`] has it.
#[derive(Clone, Debug, Default)]
struct Gates {
    left: Rows,
    across: Rows,
    width: Row,
    shared: Rows,
    /// What a wall at the left end and one at the right take off.
    shrink: Rows,
}

impl Gates {
    #[inline(always)]
    fn set(&mut self, lane: usize, border: &Border, radius: f32) {
        self.left.set(lane, border.left);
        self.across.set(lane, border.across);
        self.width.0[lane] = border.width;
        self.shared.set(lane, Vec2::from(border.shared));
        self.shrink.set(lane, border.shrink(radius));
    }
}

/// Walkers on the way to gates, until there are sixteen.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Who they are to the caller.
    pub who: [u32; LANES],
    /// How many.
    pub count: usize,
    at: Rows,
    radius: Row,
    target: Rows,
    low: Rows,
    high: Rows,
    gate: Gates,
    /// Where their gates lead to.
    beyond: [Onward; LANES],
    /// The gates from there on, of those who are asked for it.
    next: Gates,
}

/// A place in a table of next gates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Onward {
    /// Which of several tables.
    pub table: u32,
    /// The row of the target.
    pub row: u32,
    /// The cell.
    pub cell: u32,
}

impl Batch {
    /// Nobody.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Whether it is to be worked out.
    pub fn is_full(&self) -> bool {
        self.count == LANES
    }

    /// Takes in a walker in a cell with its gate and what is beyond.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        who: u32,
        walker: &Walker,
        cell: &CellBox,
        border: &Border,
        beyond: Onward,
    ) {
        let lane = self.count % LANES;
        self.who[lane] = who;
        self.at.set(lane, walker.at);
        self.radius.0[lane] = walker.radius;
        self.target.set(lane, walker.target);
        self.low.set(lane, cell.low);
        self.high.set(lane, cell.high);
        self.gate.set(lane, border, walker.radius);
        self.beyond[lane] = beyond;
        self.count += 1;
    }

    /// The unit directions of all. `next` gives the gate that leads on from a place, if there is
    /// one: it is asked for those who turn into it already.
    pub(super) fn ways<'a>(
        &mut self,
        kind: FieldKind,
        next: impl Fn(Onward) -> Option<&'a Border>,
    ) -> [Vec2; LANES] {
        let mut ways = Rows::default();
        dispatch!(Level::new(), simd => self.solve(simd, kind, &next, &mut ways));
        core::array::from_fn(|lane| Vec2::new(ways.x.0[lane], ways.y.0[lane]))
    }

    #[inline(always)]
    fn solve<'a, S: Simd>(
        &mut self,
        simd: S,
        kind: FieldKind,
        next: &impl Fn(Onward) -> Option<&'a Border>,
        out: &mut Rows,
    ) {
        let at = self.at.load(simd);
        let strip = Strip::of(simd, &self.gate);
        let seen = strip.seen_from(simd, at);
        let way = match kind {
            FieldKind::GateCenter => strip.middle_way(at, &seen),
            FieldKind::GateCoverage => seen.way(),
            FieldKind::Continuous => self.turning(simd, at, &strip, &seen, next),
        };
        way.x.store_array(&mut out.x.0);
        way.y.store_array(&mut out.y.0);
    }

    #[inline(always)]
    fn turning<'a, S: Simd>(
        &mut self,
        simd: S,
        at: Pair<S>,
        strip: &Strip<S>,
        seen: &Seen<S>,
        next: &impl Fn(Onward) -> Option<&'a Border>,
    ) -> Pair<S> {
        let way = seen.way();
        let (low, high) = (self.low.load(simd), self.high.load(simd));
        let inside = Pair {
            x: within(at.x, low.x, high.x),
            y: within(at.y, low.y, high.y),
        };
        let blend = strip.blend(simd, inside, &strip.seen_from(simd, inside), low, high);
        let turns = blend.simd_gt(0.0);
        let mut asked = turns.to_bitmask() & ((1 << self.count) - 1);
        if asked == 0 {
            return way;
        }
        let mut leads_on = 0;
        while asked != 0 {
            let lane = asked.trailing_zeros() as usize;
            asked &= asked - 1;
            if let Some(border) = next(self.beyond[lane]) {
                self.next.set(lane, border, self.radius.0[lane]);
                leads_on |= 1 << lane;
            }
        }
        let entry = strip.left + strip.across * seen.nearest;
        let on = Strip::of(simd, &self.next).seen_from(simd, entry).way();
        let straight = (self.target.load(simd) - entry).unit_or(strip.through());
        let leads_on = mask32x16::from_bitmask(simd, leads_on);
        let beyond = on.where_else(leads_on, straight);
        let mixed = way * (1.0 - blend) + beyond * blend;
        mixed.unit_or(way).where_else(turns, way)
    }
}

/// The greater of two, the first if they are equal.
#[inline(always)]
fn greater<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    a.simd_lt(b).select(b, a)
}

/// The lesser of two, the first if they are equal.
#[inline(always)]
fn lesser<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    a.simd_gt(b).select(b, a)
}

#[inline(always)]
fn within<S: Simd>(value: f32x16<S>, low: f32x16<S>, high: f32x16<S>) -> f32x16<S> {
    lesser(greater(value, low), high)
}

#[derive(Clone, Copy)]
struct Pair<S: Simd> {
    x: f32x16<S>,
    y: f32x16<S>,
}

impl<S: Simd> core::ops::Add for Pair<S> {
    type Output = Pair<S>;
    #[inline(always)]
    fn add(self, other: Pair<S>) -> Pair<S> {
        Pair {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

impl<S: Simd> core::ops::Sub for Pair<S> {
    type Output = Pair<S>;
    #[inline(always)]
    fn sub(self, other: Pair<S>) -> Pair<S> {
        Pair {
            x: self.x - other.x,
            y: self.y - other.y,
        }
    }
}

impl<S: Simd> core::ops::Mul<f32x16<S>> for Pair<S> {
    type Output = Pair<S>;
    #[inline(always)]
    fn mul(self, by: f32x16<S>) -> Pair<S> {
        Pair {
            x: self.x * by,
            y: self.y * by,
        }
    }
}

impl<S: Simd> Pair<S> {
    #[inline(always)]
    fn dot(self, other: Pair<S>) -> f32x16<S> {
        self.x * other.x + self.y * other.y
    }

    #[inline(always)]
    fn where_else(self, mask: mask32x16<S>, other: Pair<S>) -> Pair<S> {
        Pair {
            x: mask.select(self.x, other.x),
            y: mask.select(self.y, other.y),
        }
    }

    /// Of length 1, or another where it has no length.
    #[inline(always)]
    fn unit_or(self, other: Pair<S>) -> Pair<S> {
        let per_length = 1.0 / self.dot(self).sqrt();
        let has = per_length.simd_gt(0.0) & per_length.simd_lt(f32::INFINITY);
        (self * per_length).where_else(has, other)
    }
}

struct Strip<S: Simd> {
    left: Pair<S>,
    width: f32x16<S>,
    across: Pair<S>,
}

struct Seen<S: Simd> {
    beside: f32x16<S>,
    before: f32x16<S>,
    nearest: f32x16<S>,
    across: Pair<S>,
}

impl<S: Simd> Seen<S> {
    #[inline(always)]
    fn way(&self) -> Pair<S> {
        let through = perp(self.across);
        let to_end = through * self.before - self.across * self.beside;
        let before = self.beside.simd_eq(0.0);
        through.where_else(before, to_end.unit_or(through))
    }
}

#[inline(always)]
fn perp<S: Simd>(of: Pair<S>) -> Pair<S> {
    Pair { x: -of.y, y: of.x }
}

impl<S: Simd> Strip<S> {
    #[inline(always)]
    fn of(simd: S, gates: &Gates) -> Strip<S> {
        let (across, shared, shrink) = (
            gates.across.load(simd),
            gates.shared.load(simd),
            gates.shrink.load(simd),
        );
        let whole = f32x16::load_array_ref(simd, &gates.width.0);
        let (from, to) = (shrink.x, whole - shrink.y);
        let taken = greater(from + whole - to, f32x16::splat(simd, 1e-6));
        let between = whole * from / taken;
        let closed = from.simd_gt(to);
        let from = within(closed.select(between, from), shared.x, shared.y);
        let to = within(closed.select(between, to), shared.x, shared.y);
        Strip {
            left: gates.left.load(simd) + across * from,
            width: to - from,
            across,
        }
    }

    #[inline(always)]
    fn through(&self) -> Pair<S> {
        perp(self.across)
    }

    #[inline(always)]
    fn middle_way(&self, at: Pair<S>, seen: &Seen<S>) -> Pair<S> {
        let through = self.through();
        let past = seen.before.simd_le(0.0) & seen.beside.simd_eq(0.0);
        let middle = self.left + self.across * (self.width / 2.0);
        let ahead = Pair {
            x: through.x * BEHIND,
            y: through.y * BEHIND,
        };
        through.where_else(past, (middle + ahead - at).unit_or(through))
    }

    #[inline(always)]
    fn seen_from(&self, simd: S, at: Pair<S>) -> Seen<S> {
        let from_left = at - self.left;
        let along = from_left.dot(self.across);
        let nearest = within(along, f32x16::splat(simd, 0.0), self.width);
        Seen {
            beside: along - nearest,
            before: -from_left.dot(self.through()),
            nearest,
            across: self.across,
        }
    }

    #[inline(always)]
    fn blend(
        &self,
        simd: S,
        at: Pair<S>,
        seen: &Seen<S>,
        low: Pair<S>,
        high: Pair<S>,
    ) -> f32x16<S> {
        let zero = f32x16::splat(simd, 0.0);
        let squared = seen.beside * seen.beside + seen.before * seen.before;
        let near = greater(self.width / 2.0, f32x16::splat(simd, 0.1));
        let far = squared.simd_ge(near * near);
        let (gap, before) = (squared.sqrt(), greater(seen.before, zero));
        let end = lesser(seen.nearest, self.width - seen.nearest);
        let at_end = seen.nearest.simd_le(0.0) | seen.nearest.simd_ge(self.width);
        let beside = at_end.select(before, (end * end + before * before).sqrt());
        let through = self.through();
        let sides = [
            (at.x - low.x, -through.x),
            (high.x - at.x, through.x),
            (at.y - low.y, -through.y),
            (high.y - at.y, through.y),
        ];
        let mut border = beside;
        for (distance, out) in sides {
            let nearer = lesser(border, greater(distance, zero));
            border = out.simd_lt(0.5).select(nearer, border);
        }
        let none = far | border.simd_le(0.0);
        none.select(zero, (1.0 - gap / near) * border / (border + gap))
    }
}
