//! Lumps seen from their middle: a piece of food, asteroids.

use glam::DVec3;
use throng_core::random::{Purpose, Stream};
use throng_kit::environment::Environment;

use super::environment;
use super::noise::{noise, rough_noise};
use super::shape::{icosahedron, octahedron, subdivided};
use crate::scenes::Scene;

throng_core::options! {
    /// A bitten piece of food, for ants.
    pub(crate) struct Lump {
        /// Mean radius.
        radius: f64 = 25.0, "m", 1.0..=10000.0;
        /// Parts of an octahedron's edges: 8 n^2 triangles.
        parts: u32 = 17, "", 2..=400;
        /// How many bites are missing.
        bites: usize = 5, "", 0..=100;
        /// Draws another piece.
        seed: u64 = 1, "", 0..=2147483647;
    }
}

impl Scene for Lump {
    const ID: &'static str = "lump";
    const ABOUT: &'static str =
        "a bitten lump like a piece of food, about 8,300 m2 (2,312 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        let mut random = Stream::new(self.seed, 0, Purpose::Strategy, 0);
        let bites: Vec<(DVec3, f64)> = (0..self.bites)
            .map(|_| (direction(&mut random), random.range(0.3, 0.5)))
            .collect();
        let axes = DVec3::new(1.25, 1.0, 0.75);
        let mut mesh = subdivided(&octahedron(), self.parts);
        for v in &mut mesh.vertices {
            let towards = v.normalize();
            let mut reach = 1.0 / (towards / axes).length();
            reach *= 1.0 + 0.10 * rough_noise(self.seed, towards * 2.5, 3);
            for (middle, width) in &bites {
                // A dent that is deepest in its middle and smooth at its rim.
                let share = (towards.distance(*middle) / width).min(1.0);
                reach *= 1.0 - 0.3 * (1.0 - share * share).powi(2);
            }
            *v = towards * reach * self.radius;
        }
        Ok(environment(mesh))
    }
}

throng_core::choices! {
    /// What an asteroid looks like.
    pub(crate) enum Form {
        /// Round and rough.
        Rubble = "rubble",
        /// Flat faces and blunt edges, like Golevka.
        Angular = "angular",
        /// Two lobes and a waist, like Kleopatra.
        Bone = "bone",
    }
}

throng_core::options! {
    /// An asteroid.
    pub(crate) struct Asteroid {
        /// What it looks like.
        form: Form = Form::Rubble;
        /// Largest radius, about.
        radius: f64 = 25.0, "m", 1.0..=10000.0;
        /// Parts of an icosahedron's edges: 20 n^2 triangles, so 10 gives 2,000, 18 gives 6,480.
        parts: u32 = 18, "", 2..=250;
        /// Height of its bumps, as a share of the radius.
        roughness: f64 = 0.12, "", 0.0..=0.3;
        /// Draws another one.
        seed: u64 = 1, "", 0..=2147483647;
    }
}

impl Scene for Asteroid {
    const ID: &'static str = "asteroid";
    const ABOUT: &'static str = "an asteroid, about 6,800 m2 (6,480 triangles, 2,000 with parts = 10): rubble, angular or bone";

    fn draw(&self) -> Result<Environment, String> {
        let mut random = Stream::new(self.seed, 0, Purpose::Strategy, 0);
        // Cutting planes of the angular one: where they face, and how far out they are.
        let planes: Vec<(DVec3, f64)> = (0..14)
            .map(|_| (direction(&mut random), random.range(0.7, 0.9)))
            .collect();
        let mut mesh = subdivided(&icosahedron(), self.parts);
        for v in &mut mesh.vertices {
            let towards = v.normalize();
            let (body, bumps) = match self.form {
                Form::Rubble => (0.9, 1.0),
                Form::Angular => {
                    let reach = |(facing, out): &(DVec3, f64)| out / towards.dot(*facing).max(0.1);
                    (planes.iter().map(reach).fold(1.0, f64::min), 0.3)
                }
                Form::Bone => (0.42 + 0.58 * towards.x * towards.x, 0.5),
            };
            let rough = rough_noise(self.seed, towards * 2.0, 4);
            // Craters: the lowest of a noise, cut flat.
            let crater = (noise(self.seed ^ 0xC4A7E4, towards * 3.0) - 0.45).max(0.0);
            let reach = body * (1.0 + self.roughness * bumps * (rough - 1.5 * crater));
            *v = towards * reach * self.radius;
        }
        Ok(environment(mesh))
    }
}

/// A direction, all equally likely.
fn direction(random: &mut Stream) -> DVec3 {
    DVec3::new(random.normal(), random.normal(), random.normal()).normalize_or(DVec3::Z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    #[test]
    fn lumps_are_spheres_to_a_topologist() {
        for seed in 0..4 {
            let lump = Lump {
                seed,
                ..Lump::default()
            };
            let mut meshes = vec![(lump.draw(), 2312)];
            for form in [Form::Rubble, Form::Angular, Form::Bone] {
                for (parts, triangles) in [(10, 2000), (18, 6480)] {
                    let asteroid = Asteroid {
                        form,
                        parts,
                        seed,
                        ..Asteroid::default()
                    };
                    meshes.push((asteroid.draw(), triangles));
                }
            }
            for (scene, triangles) in meshes {
                let mesh = scene.unwrap().mesh.unwrap();
                let topology = Topology::of(&mesh);
                assert_eq!(mesh.triangles.len(), triangles);
                assert!(topology.is_closed() && topology.consistent && topology.euler == 2);
                assert!(
                    topology.volume > 0.0 && topology.thinnest > 0.1,
                    "{topology:?}"
                );
                assert!(topology.area > 2500.0, "{topology:?}");
            }
        }
    }
}
