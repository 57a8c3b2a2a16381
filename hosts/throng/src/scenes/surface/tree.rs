//! A tree of branching limbs, for ants.

use core::f64::consts::TAU;

use glam::DVec3;
use throng_core::math::{cos, sin};
use throng_core::random::{Purpose, Stream};
use throng_kit::environment::Environment;

use super::environment;
use super::isosurface::isosurface;
use crate::scenes::Scene;

throng_core::options! {
    /// A tree without leaves.
    pub(crate) struct Tree {
        /// Height, about.
        height: f64 = 60.0, "m", 10.0..=1000.0;
        /// How often limbs branch.
        levels: u32 = 3, "", 0..=5;
        /// Side of the cubes that it is meshed with, as a share of the height: less gives more
        /// triangles.
        grain: f64 = 0.0262, "", 0.006..=0.03;
        /// Draws another tree.
        seed: u64 = 1, "", 0..=2147483647;
    }
}

/// A limb that tapers from one end to the other.
struct Limb {
    from: DVec3,
    to: DVec3,
    radii: [f64; 2],
}

impl Limb {
    fn distance(&self, at: DVec3) -> f64 {
        let along = self.to - self.from;
        let share = ((at - self.from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        let radius = self.radii[0] + (self.radii[1] - self.radii[0]) * share;
        at.distance(self.from + along * share) - radius
    }
}

impl Scene for Tree {
    const ID: &'static str = "tree";
    const ABOUT: &'static str =
        "a branching tree 60 m high, about 4,100 m2 of bark (14k triangles)";

    fn draw(&self) -> Result<Environment, String> {
        let mut random = Stream::new(self.seed, 0, Purpose::Strategy, 0);
        let mut limbs = Vec::new();
        grow(
            &mut limbs,
            DVec3::ZERO,
            DVec3::Z,
            0.34,
            0.075,
            self.levels,
            &mut random,
        );
        let blend = 0.035;
        let function = |at: DVec3| {
            let mut distance = f64::INFINITY;
            for limb in &limbs {
                distance = smooth_min(distance, limb.distance(at), blend);
            }
            distance
        };
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for limb in &limbs {
            for (end, radius) in [(limb.from, limb.radii[0]), (limb.to, limb.radii[1])] {
                low = low.min(end - radius);
                high = high.max(end + radius);
            }
        }
        let margin = blend + 2.0 * self.grain;
        let mut mesh = isosurface(function, low - margin, high + margin, self.grain);
        mesh.vertices.iter_mut().for_each(|v| *v *= self.height);
        Ok(environment(mesh))
    }
}

/// Adds a limb and those that grow out of its end, each shorter and thinner than it, spread evenly
/// around it.
fn grow(
    limbs: &mut Vec<Limb>,
    from: DVec3,
    towards: DVec3,
    length: f64,
    radius: f64,
    levels: u32,
    random: &mut Stream,
) {
    let to = from + towards * length;
    let end = radius * 0.85;
    limbs.push(Limb {
        from,
        to,
        radii: [radius, end],
    });
    if levels == 0 {
        return;
    }
    let side = towards.any_orthonormal_vector();
    let other = towards.cross(side);
    let turn = random.range(0.0, TAU);
    let count = 2 + random.below(2);
    for i in 0..count {
        let around = turn + TAU * i as f64 / count as f64 + random.range(-0.2, 0.2);
        let lean = random.range(0.55, 0.8);
        let out = side * cos(around) + other * sin(around);
        // Limbs strive upward a little.
        let next = (towards * cos(lean) + out * sin(lean) + DVec3::Z * 0.15).normalize();
        let shrink = random.range(0.68, 0.78);
        grow(
            limbs,
            to,
            next,
            length * shrink,
            end * 0.87,
            levels - 1,
            random,
        );
    }
}

/// The lesser of two distances, rounded off where they are nearly equal.
pub(super) fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let near = (1.0 - (a - b).abs() / width).max(0.0);
    a.min(b) - near * near * width / 4.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    #[test]
    fn the_tree_is_closed_and_in_one_piece() {
        let mesh = Tree::default().draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert!(
            (13_000..15_000).contains(&mesh.triangles.len()),
            "{} {topology:?}",
            mesh.triangles.len()
        );
        assert!(topology.is_closed() && topology.consistent, "{topology:?}");
        assert_eq!(
            (topology.components, topology.euler),
            (1, 2),
            "{topology:?}"
        );
        assert!(
            topology.thinnest > 0.02 && topology.volume > 0.0,
            "{topology:?}"
        );
        assert!(topology.sharpest > 0.2, "{topology:?}");
    }

    #[test]
    fn a_smooth_minimum_is_one_of_its_arguments_far_away() {
        assert_eq!(smooth_min(1.0, 3.0, 0.5), 1.0);
        assert_eq!(smooth_min(1.0, 1.0, 0.5), 1.0 - 0.125);
        assert_eq!(smooth_min(f64::INFINITY, 2.0, 0.5), 2.0);
    }
}
