//! Tubes along curves: a twisted wire, an abstract sculpture.

use core::f64::consts::TAU;

use glam::DVec3;
use throng_core::math::{cos, sin};
use throng_kit::environment::{Environment, Mesh};

use super::environment;
use super::shape::{Seam, sheet};
use crate::scenes::Scene;

throng_core::options! {
    /// A long wire coiled and twisted, with closed ends: routes along it are far longer than the
    /// straight line.
    pub(crate) struct Wire {
        /// Radius of the wire.
        radius: f64 = 1.5, "m", 0.2..=100.0;
        /// Turns of the coil.
        turns: f64 = 8.0, "", 0.5..=100.0;
        /// Parts along the wire.
        along: usize = 998, "", 8..=100000;
        /// Parts around it.
        around: usize = 20, "", 3..=500;
    }
}

impl Scene for Wire {
    const ID: &'static str = "wire";
    const ABOUT: &'static str =
        "a twisted wire 3 m thick and 640 m long, 6,000 m2 (39,960 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        // All lengths go with the wire's radius; neighbouring turns are 3.5 diameters apart.
        let point = |column: f64| {
            let share = column / self.along as f64;
            let angle = TAU * self.turns * share;
            let coil = 8.0 + 1.8 * sin(angle * 1.4);
            let height = 7.0 * self.turns * share + 0.8 * sin(angle * 3.0);
            DVec3::new(coil * cos(angle), coil * sin(angle), height) * self.radius
        };
        let count = self.along + 1;
        let middles: Vec<DVec3> = (0..count).map(|i| point(i as f64)).collect();
        let directions: Vec<DVec3> = (0..count)
            .map(|i| {
                let (before, after) = (i.saturating_sub(1), (i + 1).min(self.along));
                (middles[after] - middles[before]).normalize_or(DVec3::Z)
            })
            .collect();
        // Sides are carried along without turning about the wire.
        let mut sides = vec![directions[0].any_orthonormal_vector()];
        for i in 1..count {
            let old = sides[i - 1];
            let new = old - directions[i] * old.dot(directions[i]);
            sides.push(new.normalize_or(directions[i].any_orthonormal_vector()));
        }
        let surface = |column: usize, row: usize| {
            let angle = TAU * row as f64 / self.around as f64;
            let (side, along) = (sides[column], directions[column]);
            middles[column] + (side * cos(angle) + along.cross(side) * sin(angle)) * self.radius
        };
        // Columns run around the wire here, so that the normal points out of it.
        let mut mesh = sheet(
            self.around,
            self.along,
            Seam::Closed,
            false,
            |row, column| surface(column, row),
            |_, _| true,
        );
        cap(&mut mesh, middles[0], |row| row * count, self.around, true);
        cap(
            &mut mesh,
            middles[self.along],
            |row| row * count + self.along,
            self.around,
            false,
        );
        Ok(environment(mesh))
    }
}

/// Closes the end of a tube with triangles to its middle; `rim` gives the vertices around it.
fn cap(mesh: &mut Mesh, middle: DVec3, rim: impl Fn(usize) -> usize, around: usize, first: bool) {
    mesh.vertices.push(middle);
    let tip = (mesh.vertices.len() - 1) as u32;
    for row in 0..around {
        let (a, b) = (rim(row) as u32, rim((row + 1) % around) as u32);
        mesh.triangles
            .push(if first { [tip, b, a] } else { [tip, a, b] });
    }
}

throng_core::options! {
    /// An abstract sculpture: a band knotted on a torus, with a lobed section that twists along it.
    pub(crate) struct Abstract {
        /// Largest radius of the sculpture, about.
        radius: f64 = 40.0, "m", 5.0..=10000.0;
        /// How often the band runs around the axis; no common divisor with `windings`.
        rounds: u32 = 2, "", 1..=5;
        /// How often it winds around the torus meanwhile.
        windings: u32 = 3, "", 1..=7;
        /// Lobes of the section.
        lobes: u32 = 3, "", 1..=8;
        /// Parts along the band.
        along: usize = 850, "", 50..=20000;
        /// Parts around the section.
        around: usize = 60, "", 6..=500;
    }
}

impl Scene for Abstract {
    const ID: &'static str = "abstract";
    const ABOUT: &'static str =
        "an abstract sculpture, a twisted band tied in a knot, about 14,500 m2 (102,000 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        let (mut a, mut b) = (self.rounds, self.windings);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        if a != 1 {
            return Err(format!(
                "{} rounds and {} windings have the common divisor {a}: the band would not be one; choose others",
                self.rounds, self.windings
            ));
        }
        // The torus has radii 0.6 and 0.28; strands stay apart from each other and the axis.
        let thick = 0.17 / f64::from(self.rounds.max(2) - 1).max(f64::from(self.windings) / 3.0);
        let middle = |t: f64| {
            let (u, v) = (t * f64::from(self.rounds), t * f64::from(self.windings));
            let out = DVec3::new(cos(u), sin(u), 0.0);
            let away = out * cos(v) + DVec3::Z * sin(v);
            (out * 0.6 + away * 0.28, away)
        };
        let point = |column: usize, row: usize| {
            let t = TAU * column as f64 / self.along as f64;
            let step = 1e-4;
            let (at, away) = middle(t);
            let along = (middle(t + step).0 - middle(t - step).0).normalize_or(DVec3::Z);
            let side = (away - along * away.dot(along)).normalize_or(DVec3::X);
            let angle = TAU * row as f64 / self.around as f64;
            // Two whole twists of the lobes on the way: the ends meet lobe to lobe.
            let lobe = cos(f64::from(self.lobes) * angle + 2.0 * t);
            let radius = thick * (0.8 + 0.2 * lobe);
            (at + (side * cos(angle) + along.cross(side) * sin(angle)) * radius) * self.radius
        };
        let mesh = sheet(
            self.around,
            self.along,
            Seam::Closed,
            true,
            |row, column| point(column, row),
            |_, _| true,
        );
        Ok(environment(mesh))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    /// The least distance between vertices of parts that are far apart along the tube.
    fn clearance(mesh: &Mesh, along: usize, around: usize, height: usize, closed: bool) -> f64 {
        let centres: Vec<DVec3> = (0..along)
            .map(|column| {
                let ring = (0..around).map(|row| row * height + column);
                ring.map(|id| mesh.vertices[id]).sum::<DVec3>() / around as f64
            })
            .collect();
        let mut least = f64::INFINITY;
        for i in 0..along {
            for j in 0..i {
                let apart = if closed {
                    (i - j).min(along - i + j)
                } else {
                    i - j
                };
                if apart > along / 16 {
                    least = least.min(centres[i].distance(centres[j]));
                }
            }
        }
        least
    }

    #[test]
    fn the_wire_is_closed_and_keeps_off_itself() {
        let wire = Wire::default();
        let mesh = wire.draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 2 * 998 * 20 + 40);
        assert!(topology.is_closed() && topology.consistent && topology.euler == 2);
        assert!(
            topology.volume > 0.0 && topology.thinnest > 0.2,
            "{topology:?}"
        );
        // Room for two people head to head between two turns.
        let apart = clearance(&mesh, 998, 20, 999, false);
        assert!(apart > 2.0 * 1.5 + 2.0 * 1.8, "{apart}");
    }

    #[test]
    fn the_sculpture_is_one_knotted_tube() {
        let sculpture = Abstract::default();
        let mesh = sculpture.draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 102_000);
        assert!(topology.is_closed() && topology.consistent);
        assert_eq!((topology.components, topology.euler), (1, 0));
        assert!(
            topology.volume > 0.0 && topology.thinnest > 0.1,
            "{topology:?}"
        );
        let apart = clearance(&mesh, 850, 60, 850, true);
        assert!(apart > 2.0 * 0.17 * 40.0 + 1.0, "{apart} {topology:?}");
        let links = Abstract {
            windings: 4,
            ..Abstract::default()
        };
        assert!(links.draw().unwrap_err().contains("common divisor 2"));
    }
}
