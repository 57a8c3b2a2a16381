//! Eight numbers side by side: what avoidance models that steer eight agents (or try eight
//! velocities) at once share. No fused operations: the same bits on every instruction set.

use fearless_simd::{Simd, f32x4, f32x8, prelude::*};
use throng_core::random::mix;

/// How many go together.
pub const LANES: usize = 8;

/// One number for each of eight lanes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub struct Row(pub [f32; LANES]);

impl Row {
    /// The same number in all lanes.
    pub const fn of(value: f32) -> Row {
        Row([value; LANES])
    }

    /// The numbers as a vector.
    #[inline(always)]
    pub fn load<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::load_array_ref(simd, &self.0)
    }

    /// Keeps a vector.
    #[inline(always)]
    pub fn store<S: Simd>(&mut self, value: f32x8<S>) {
        value.store_array(&mut self.0);
    }
}

/// Runs code over eight lanes on AVX2 where the machine has it, else on what every machine of its
/// kind has. Two versions instead of one for each instruction set: the others gain nothing at
/// eight lanes, and every version costs its time to compile.
#[macro_export]
macro_rules! eight_lanes {
    ($level:expr, $simd:ident => $run:expr) => {{
        let level: ::fearless_simd::Level = $level;
        #[cfg(target_arch = "x86_64")]
        {
            if let Some($simd) = level.as_avx2() {
                ::fearless_simd::Simd::vectorize($simd, #[inline(always)] || $run)
            } else if let Some($simd) = level.as_sse2() {
                ::fearless_simd::Simd::vectorize($simd, #[inline(always)] || $run)
            } else {
                unreachable!("every x86-64 machine has SSE2")
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            ::fearless_simd::dispatch!(level, $simd => $run)
        }
    }};
}

/// The lesser of two; the second if they cannot be compared.
#[inline(always)]
pub fn lesser<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    a.simd_lt(b).select(a, b)
}

/// The greater of two; the second if they cannot be compared.
#[inline(always)]
pub fn greater<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> f32x8<S> {
    a.simd_gt(b).select(a, b)
}

/// Turns four records (x, y, z, w) into four columns.
#[inline(always)]
pub fn columns<S: Simd>(r: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (a, b) = (r[0].zip_low(r[2]), r[0].zip_high(r[2]));
    let (c, d) = (r[1].zip_low(r[3]), r[1].zip_high(r[3]));
    [a.zip_low(c), a.zip_high(c), b.zip_low(d), b.zip_high(d)]
}

/// Least and largest argument of [`exp`]; others count as these.
pub const EXP_RANGE: (f32, f32) = (-16.0, 8.0);

/// e to the power of `x` within [`EXP_RANGE`], to 1e-4 of itself.
///
/// The sixth-order series at x / 32, squared five times: nothing but sums and products.
#[inline(always)]
pub fn exp<S: Simd>(simd: S, x: f32x8<S>) -> f32x8<S> {
    let constant = |value: f32| f32x8::splat(simd, value);
    let x = lesser(x, constant(EXP_RANGE.1));
    let x = greater(x, constant(EXP_RANGE.0)) * (1.0 / 32.0);
    let mut y = x * (1.0 / 720.0) + (1.0 / 120.0);
    for term in [1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        y = y * x + term;
    }
    for _ in 0..5 {
        y = y * y;
    }
    y
}

/// A unit direction away from each other for two agents in the same place: drawn from both ids,
/// opposite for the two.
pub fn parting(own: u64, other: u64) -> [f32; 2] {
    let pair = mix(own.min(other).wrapping_add(mix(own.max(other))));
    // A rational point of the circle: no transcendental function needed.
    let t = (pair >> 40) as f32 / (1u64 << 24) as f32;
    let (c, s) = ((1.0 - t * t) / (1.0 + t * t), 2.0 * t / (1.0 + t * t));
    let sign = if own < other { -1.0 } else { 1.0 };
    match pair & 3 {
        0 => [sign * c, sign * s],
        1 => [-sign * s, sign * c],
        2 => [-sign * c, -sign * s],
        _ => [sign * s, -sign * c],
    }
}

#[cfg(test)]
mod tests {
    use fearless_simd::Level;
    use throng_core::math;

    use super::*;

    fn eight(level: Level, x: [f32; 8]) -> [f32; 8] {
        let mut out = Row::default();
        eight_lanes!(level, simd => out.store(exp(simd, Row(x).load(simd))));
        out.0
    }

    #[test]
    fn exponentials_are_close_and_the_same_on_every_level() {
        for i in 0..300 {
            let x: [f32; 8] = core::array::from_fn(|l| -16.0 + 0.01 * (i * 8 + l) as f32);
            let ours = eight(Level::new(), x);
            assert_eq!(ours, eight(Level::baseline(), x));
            for (x, y) in x.into_iter().zip(ours) {
                let exact = math::exp(f64::from(x));
                assert!(
                    (f64::from(y) / exact - 1.0).abs() < 1e-4,
                    "{x}: {y} {exact}"
                );
            }
        }
        assert_eq!(eight(Level::new(), [1e9; 8]), eight(Level::new(), [8.0; 8]));
    }

    #[test]
    fn those_in_the_same_place_part_in_opposite_directions() {
        for other in 1..200 {
            let (a, b) = (parting(0, other), parting(other, 0));
            assert_eq!(a, [-b[0], -b[1]]);
            assert!((a[0] * a[0] + a[1] * a[1] - 1.0).abs() < 1e-6);
        }
    }
}
