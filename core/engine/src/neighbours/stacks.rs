//! Bodies in lanes, measured by the very operations of [`Body`] and [`Relevance`]: the same bits
//! eight at a time.

use fearless_simd::{Simd, f32x8, mask32x8, prelude::*};
use glam::Vec3;

use crate::relevance::{Body, DISC_PER_HEIGHT, OPPOSED, PARALLEL, Relevance, SAME};

/// Which vector between two bodies is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Between {
    /// [`Body::nearest`].
    Nearest,
    /// [`Body::towards`].
    Towards,
}

/// A vector in each of eight lanes.
pub type Vectors<S> = [f32x8<S>; 3];

// Functions rather than closures below: a call would leave the instruction set.

/// One vector in all lanes.
#[inline(always)]
pub fn all<S: Simd>(simd: S, v: Vec3) -> Vectors<S> {
    [
        f32x8::splat(simd, v.x),
        f32x8::splat(simd, v.y),
        f32x8::splat(simd, v.z),
    ]
}

#[inline(always)]
pub fn dot<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> f32x8<S> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn plus<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub fn minus<S: Simd>(a: Vectors<S>, b: Vectors<S>) -> Vectors<S> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn times<S: Simd>(a: Vectors<S>, by: f32x8<S>) -> Vectors<S> {
    [a[0] * by, a[1] * by, a[2] * by]
}

#[inline(always)]
pub fn any<S: Simd>(mask: mask32x8<S>) -> bool {
    mask.to_bitmask() != 0
}

/// Vectors between the nearest spheres so far, and their squares.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<S: Simd> {
    pub to: Vectors<S>,
    pub squared: f32x8<S>,
}

impl<S: Simd> Nearest<S> {
    /// Takes other spheres where they are nearer.
    #[inline(always)]
    fn or(&mut self, to: Vectors<S>) {
        let squared = dot(to, to);
        let nearer = squared.simd_lt(self.squared * SAME);
        self.take(nearer, Nearest { to, squared });
    }

    /// Takes others in some lanes.
    #[inline(always)]
    pub fn take(&mut self, lanes: mask32x8<S>, other: Nearest<S>) {
        self.squared = lanes.select(other.squared, self.squared);
        for (own, other) in self.to.iter_mut().zip(other.to) {
            *own = lanes.select(other, *own);
        }
    }

    /// Takes the spheres of a stack that begins `to` away, with its halves once and twice over,
    /// where they are nearer.
    #[inline(always)]
    fn or_stack(&mut self, to: Vectors<S>, [none, half, whole]: [Vectors<S>; 3]) {
        self.or(plus(to, none));
        self.or(plus(to, half));
        self.or(plus(to, whole));
    }
}

/// A body in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Stacks<S: Simd> {
    pub feet: Vectors<S>,
    pub up: Vectors<S>,
    pub axis: Vectors<S>,
    pub height: f32x8<S>,
}

impl<S: Simd> Stacks<S> {
    /// One body in all lanes.
    #[inline(always)]
    pub fn all(simd: S, body: &Body) -> Stacks<S> {
        Stacks {
            feet: all(simd, body.feet),
            up: all(simd, body.up),
            axis: all(simd, body.axis),
            height: f32x8::splat(simd, body.height),
        }
    }

    #[inline(always)]
    fn head(&self) -> Vectors<S> {
        plus(self.feet, times(self.axis, self.height))
    }

    /// [`Body::waist`].
    #[inline(always)]
    pub fn waist(&self) -> Vectors<S> {
        plus(self.feet, times(self.axis, self.height * 0.5))
    }

    /// [`Body::nearest`] or [`Body::towards`] for those of the others who are asked for. `feet` is
    /// between the feet.
    #[inline(always)]
    pub fn nearest(
        &self,
        simd: S,
        others: &Stacks<S>,
        feet: Nearest<S>,
        between: Between,
        asked: mask32x8<S>,
    ) -> Nearest<S> {
        let own_half = times(self.axis, self.height * 0.5);
        let half = times(others.axis, others.height * 0.5);
        let along = dot(self.axis, others.axis);
        let lower = self.height.min(others.height);
        let side_by_side = along.simd_gt(PARALLEL)
            & others.height.simd_eq(self.height)
            & (dot(feet.to, self.axis).abs() * 4.0).simd_le(lower)
            & (dot(feet.to, others.axis).abs() * 4.0).simd_le(lower);
        let [none, twice] = [0.0, 2.0].map(|by| f32x8::splat(simd, by));
        let mut best = feet;
        let apart = minus(half, own_half);
        best.or(plus(feet.to, apart));
        best.or(plus(feet.to, times(apart, twice)));
        if any(asked & !side_by_side) {
            let stack = [times(half, none), half, times(half, twice)];
            let mut of_feet = feet;
            of_feet.or_stack(feet.to, stack);
            let mut of_all = of_feet;
            of_all.or_stack(minus(feet.to, own_half), stack);
            of_all.or_stack(minus(feet.to, times(own_half, twice)), stack);
            if between == Between::Towards {
                let at_feet = along.simd_ge(OPPOSED) & along.simd_lt(PARALLEL);
                of_all.take(at_feet, of_feet);
            }
            best.take(!side_by_side, of_all);
        }
        best
    }

    /// Which of the others who are asked for are neighbours ([`Relevance::relation`]).
    #[inline(always)]
    pub fn relates(
        &self,
        simd: S,
        relevance: &Relevance,
        others: &Stacks<S>,
        asked: mask32x8<S>,
    ) -> mask32x8<S> {
        if !relevance.vision || !any(asked) {
            return asked;
        }
        let seen = asked & self.sees(simd, relevance, others);
        let unseen = asked & !seen;
        if relevance.symmetric && any(unseen) {
            return seen | unseen & others.sees(simd, relevance, self);
        }
        seen
    }

    /// [`Relevance::sees`].
    #[inline(always)]
    fn sees(&self, simd: S, relevance: &Relevance, others: &Stacks<S>) -> mask32x8<S> {
        let (own_head, head) = (self.head(), others.head());
        let rise = dot(minus(head, own_head), self.up);
        let above = rise.simd_gt(0.0);
        let mut hidden = rise.simd_gt(self.height * 1.001);
        if any(above & !hidden) {
            let disc = match relevance.disc {
                Some(disc) => f32x8::splat(simd, disc),
                None => others.height * DISC_PER_HEIGHT,
            };
            hidden |= through_disc(own_head, head, others.feet, others.up, disc);
        }
        let from_feet = minus(head, self.feet);
        let fall = dot(from_feet, self.up) * -1.0;
        let far = dot(from_feet, from_feet).sqrt();
        let most = self.height * relevance.tolerance + far * relevance.lean;
        !(above & hidden) & fall.simd_le(most)
    }
}

/// Whether straight lines come up through discs.
#[inline(always)]
fn through_disc<S: Simd>(
    from: Vectors<S>,
    to: Vectors<S>,
    centre: Vectors<S>,
    normal: Vectors<S>,
    radius: f32x8<S>,
) -> mask32x8<S> {
    let start = dot(minus(from, centre), normal);
    let end = dot(minus(to, centre), normal);
    let upwards = !(start.simd_ge(0.0) | end.simd_le(0.0));
    if !any(upwards) {
        return upwards;
    }
    let at = plus(from, times(minus(to, from), start / (start - end)));
    let off = minus(at, centre);
    upwards & dot(off, off).simd_lt(radius * radius)
}
