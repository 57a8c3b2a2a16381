//! Sixteen agents side by side: the vector types and the memory the other files of `orca` share.

use fearless_simd::{Simd, f32x16, mask32x16, prelude::*};

/// How many agents go through the programs together.
pub const LANES: usize = 16;

/// One number for each of sixteen agents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub struct Row(pub [f32; LANES]);

impl Row {
    /// The numbers as a vector.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S) -> f32x16<S> {
        f32x16::load_array_ref(simd, &self.0)
    }

    /// The numbers of a vector.
    #[inline(always)]
    pub fn from_vector<S: Simd>(value: f32x16<S>) -> Row {
        let mut row = Row::default();
        row.store(value);
        row
    }

    /// Keeps a vector.
    #[inline(always)]
    pub fn store<S: Simd>(&mut self, value: f32x16<S>) {
        value.store_array(&mut self.0);
    }
}

/// A half-plane `normal . v >= offset` of allowed velocities for each of sixteen agents.
///
/// A unit normal and an offset keep all numbers as small as the velocities themselves; a point
/// on the line may lie far away and lose its digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Planes {
    /// First component of the unit normals.
    pub x: Row,
    /// Second component.
    pub y: Row,
    /// Offsets, metres per second.
    pub offset: Row,
}

impl Planes {
    /// Allows everything: the filling of lanes that have fewer half-planes than others.
    pub const OPEN: Planes = Planes {
        x: Row([0.0; LANES]),
        y: Row([0.0; LANES]),
        offset: Row([-1.0; LANES]),
    };
}

/// The lesser of two; the second if they cannot be compared.
#[inline(always)]
pub fn lesser<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    a.simd_lt(b).select(a, b)
}

/// The greater of two; the second if they cannot be compared.
#[inline(always)]
pub fn greater<S: Simd>(a: f32x16<S>, b: f32x16<S>) -> f32x16<S> {
    a.simd_gt(b).select(a, b)
}

/// Whether a lane is set at all.
#[inline(always)]
pub fn any<S: Simd>(mask: mask32x16<S>) -> bool {
    mask.any_true()
}
