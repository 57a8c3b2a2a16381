//! Random streams keyed by (seed, agent, purpose, step): no order of calls can change them.

use crate::math;

/// What a random number is for. Two purposes never share a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum Purpose {
    /// Drawing an agent's profile.
    Profile = 1,
    /// Where an agent starts.
    Start = 2,
    /// Which goal, and where in it.
    Goal = 3,
    /// Sizes of groups.
    Group = 4,
    /// Breaking ties and symmetry.
    Symmetry = 5,
    /// Thresholds and times of the replan policy.
    Replan = 6,
    /// Whatever a strategy draws for itself.
    Strategy = 7,
    /// Sources: who starts when.
    Source = 8,
}

/// A stream of random numbers (SplitMix64 over a hashed key).
///
/// ```
/// use throng_core::random::{Purpose, Stream};
/// let draw = |agent| Stream::new(7, agent, Purpose::Goal, 3).unit();
/// assert_eq!(draw(1), draw(1));
/// assert_ne!(draw(1), draw(2));
/// ```
#[derive(Clone, Debug)]
pub struct Stream(u64);

/// The finaliser of SplitMix64: every bit of the input reaches every bit of the result.
#[inline]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Stream {
    const STRIDE: u64 = 0x9E37_79B9_7F4A_7C15;

    /// The stream of one agent (by its stable id), purpose and step.
    pub fn new(seed: u64, agent: u64, purpose: Purpose, step: u64) -> Stream {
        let mut key = mix(seed.wrapping_add(Self::STRIDE));
        for part in [agent, purpose as u64, step] {
            key = mix(key ^ part.wrapping_add(Self::STRIDE));
        }
        Stream(key)
    }

    /// The next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STRIDE);
        mix(self.0)
    }

    /// Uniform in [0, 1), with 24 bits.
    #[inline]
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Uniform in [0, 1), with 53 bits.
    #[inline]
    pub fn unit_f64(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [low, high).
    #[inline]
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit_f64()
    }

    /// A whole number below `count`; 0 if `count` is 0.
    #[inline]
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Standard normal (Box and Muller's cosine branch).
    pub fn normal(&mut self) -> f64 {
        let (u, v) = (1.0 - self.unit_f64(), self.unit_f64());
        (-2.0 * math::ln(u)).sqrt() * math::cos(core::f64::consts::TAU * v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut s = Stream::new(1, 2, Purpose::Profile, 3);
        let n = 20_000;
        let mean = (0..n).map(|_| s.unit_f64()).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 0.01);
        let squares = (0..n).map(|_| s.normal().powi(2)).sum::<f64>() / n as f64;
        assert!((squares - 1.0).abs() < 0.05);
        assert!((0..1000).all(|_| s.below(7) < 7));
        assert_eq!(s.below(0), 0);
    }
}
