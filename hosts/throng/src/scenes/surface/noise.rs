//! Smooth noise in space, the same for a seed everywhere.

use glam::DVec3;
use throng_core::random::mix;

/// Value noise in [-1, 1]: random values at whole coordinates, blended by Perlin's quintic.
pub(super) fn noise(seed: u64, at: DVec3) -> f64 {
    let cell = at.floor();
    let share = at - cell;
    let blend = share * share * share * (share * (share * 6.0 - 15.0) + 10.0);
    let mut sum = 0.0;
    for corner in 0..8_u32 {
        let step = [corner & 1, corner >> 1 & 1, corner >> 2].map(f64::from);
        let step = DVec3::from_array(step);
        let weight = (step * blend + (1.0 - step) * (1.0 - blend)).element_product();
        sum += weight * value(seed, cell + step);
    }
    sum
}

/// A sum of noises, each of twice the frequency and half the height of the one before, in (-2, 2).
pub(super) fn rough_noise(seed: u64, at: DVec3, octaves: u32) -> f64 {
    (0..octaves)
        .map(|octave| {
            let frequency = f64::from(1_u32 << octave);
            noise(seed.wrapping_add(u64::from(octave)), at * frequency) / frequency
        })
        .sum()
}

fn value(seed: u64, at: DVec3) -> f64 {
    let key = at
        .to_array()
        .into_iter()
        .fold(mix(seed ^ 0x5EED), |key, x| {
            mix(key ^ (x as i64 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        });
    (key >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_bounded_continuous_and_takes_its_values_at_whole_points() {
        let whole = DVec3::new(3.0, -2.0, 7.0);
        assert_eq!(noise(5, whole), value(5, whole));
        assert_ne!(noise(5, whole), noise(6, whole));
        let mut last = noise(5, DVec3::ZERO);
        for i in 1..4000 {
            let here = noise(5, DVec3::new(0.37, 1.0, 0.61) * (i as f64 * 0.01));
            assert!(here.abs() <= 1.0 && (here - last).abs() < 0.1);
            last = here;
        }
    }
}
