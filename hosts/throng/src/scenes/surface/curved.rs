//! Curved sheets: globe, torus, Moebius strip.

use core::f64::consts::{PI, TAU};

use glam::DVec3;
use throng_core::math::{cos, sin};
use throng_kit::environment::{Environment, Mesh};

use super::environment;
use super::shape::{Seam, inside_out, quad, sheet};
use crate::scenes::Scene;

throng_core::options! {
    /// A globe of meridians and parallels.
    pub(crate) struct Globe {
        /// Radius.
        radius: f64 = 25.0, "m", 1.0..=10000.0;
        /// Meridians.
        meridians: u32 = 40, "", 3..=2000;
        /// Bands from pole to pole.
        bands: u32 = 22, "", 2..=1000;
    }
}

impl Scene for Globe {
    const ID: &'static str = "globe";
    const ABOUT: &'static str =
        "a globe of 7,850 m2 with meridians and parallels (1,680 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        let (around, bands) = (self.meridians, self.bands);
        let mut mesh = Mesh::default();
        mesh.vertices.push(DVec3::NEG_Z * self.radius);
        for band in 1..bands {
            let latitude = PI * (f64::from(band) / f64::from(bands) - 0.5);
            for meridian in 0..around {
                let longitude = TAU * f64::from(meridian) / f64::from(around);
                let out = DVec3::new(cos(longitude), sin(longitude), 0.0) * cos(latitude);
                mesh.vertices
                    .push((out + DVec3::Z * sin(latitude)) * self.radius);
            }
        }
        mesh.vertices.push(DVec3::Z * self.radius);
        let last = (mesh.vertices.len() - 1) as u32;
        let id = |band: u32, meridian: u32| 1 + (band - 1) * around + meridian % around;
        for m in 0..around {
            mesh.triangles.push([0, id(1, m + 1), id(1, m)]);
            for b in 1..bands - 1 {
                quad(
                    &mut mesh,
                    [id(b, m), id(b, m + 1), id(b + 1, m + 1), id(b + 1, m)],
                );
            }
            mesh.triangles
                .push([last, id(bands - 1, m), id(bands - 1, m + 1)]);
        }
        Ok(environment(mesh))
    }
}

throng_core::options! {
    /// A torus whose outside people walk on.
    pub(crate) struct Torus {
        /// Radius of the ring, to the middle of the tube.
        ring: f64 = 30.0, "m", 1.0..=10000.0;
        /// Radius of the tube, less than that of the ring.
        tube: f64 = 10.0, "m", 0.5..=10000.0;
        /// Parts along the ring.
        along: usize = 40, "", 3..=2000;
        /// Parts around the tube.
        around: usize = 40, "", 3..=1000;
    }
}

impl Scene for Torus {
    const ID: &'static str = "torus";
    const ABOUT: &'static str = "a torus of 11,800 m2 (3,200 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        Ok(environment(torus(
            self.ring,
            self.tube,
            self.along,
            self.around,
        )?))
    }
}

throng_core::options! {
    /// A torus whose inside people walk on.
    pub(crate) struct ReverseTorus {
        /// Radius of the ring, to the middle of the tube.
        ring: f64 = 30.0, "m", 1.0..=10000.0;
        /// Radius of the tube, less than that of the ring.
        tube: f64 = 10.0, "m", 0.5..=10000.0;
        /// Parts along the ring.
        along: usize = 40, "", 3..=2000;
        /// Parts around the tube.
        around: usize = 40, "", 3..=1000;
    }
}

impl Scene for ReverseTorus {
    const ID: &'static str = "reverse-torus";
    const ABOUT: &'static str = "the inside of a torus of 11,800 m2 (3,200 triangles)";

    fn draw(&self) -> Result<Environment, String> {
        let mesh = torus(self.ring, self.tube, self.along, self.around)?;
        Ok(environment(inside_out(mesh)))
    }
}

/// A torus about the z axis that faces outward.
pub(super) fn torus(ring: f64, tube: f64, along: usize, around: usize) -> Result<Mesh, String> {
    if tube >= ring {
        return Err(format!(
            "a tube of radius {tube} m meets itself in a ring of radius {ring} m; make it thinner"
        ));
    }
    let point = |column: usize, row: usize| {
        let u = TAU * column as f64 / along as f64;
        let v = TAU * row as f64 / around as f64;
        let out = DVec3::new(cos(u), sin(u), 0.0);
        out * (ring + tube * cos(v)) + DVec3::Z * (tube * sin(v))
    };
    Ok(sheet(along, around, Seam::Closed, true, point, |_, _| true))
}

throng_core::options! {
    /// A Moebius strip.
    pub(crate) struct Moebius {
        /// Radius of its middle line.
        radius: f64 = 40.0, "m", 1.0..=10000.0;
        /// Width of the strip, less than the radius.
        width: f64 = 16.0, "m", 0.5..=10000.0;
        /// Parts along the strip.
        along: usize = 160, "", 8..=10000;
        /// Parts across the strip.
        across: usize = 10, "", 1..=500;
        /// Holes along its middle line, each 4 parts long and two fifths of the width wide. 12 of
        /// them and 180 parts along give 3,216 triangles.
        holes: usize = 0, "", 0..=1000;
    }
}

/// Length of a hole, in parts along the strip.
const HOLE: usize = 4;

impl Scene for Moebius {
    const ID: &'static str = "moebius";
    const ABOUT: &'static str =
        "a Moebius strip of 4,000 m2 (3,200 triangles), with holes if wanted";

    fn draw(&self) -> Result<Environment, String> {
        if self.width >= self.radius {
            return Err(format!(
                "a strip {} m wide meets itself at a radius of {} m; make it narrower",
                self.width, self.radius
            ));
        }
        let side = (self.across as f64 * 0.3).round() as usize;
        if self.holes > 0
            && (self.along / self.holes <= HOLE || side == 0 || 2 * side >= self.across)
        {
            return Err(format!(
                "{} holes need at least {} parts along and 3 across",
                self.holes,
                self.holes * (HOLE + 1)
            ));
        }
        let point = |column: usize, row: usize| {
            let u = TAU * column as f64 / self.along as f64;
            let v = self.width * (row as f64 / self.across as f64 - 0.5);
            let out = DVec3::new(cos(u), sin(u), 0.0);
            out * (self.radius + v * cos(u / 2.0)) + DVec3::Z * (v * sin(u / 2.0))
        };
        let keep = |column: usize, row: usize| {
            if row < side || row >= self.across - side {
                return true;
            }
            (0..self.holes).all(|hole| {
                let first = self.along * hole / self.holes;
                !(first..first + HOLE).contains(&column)
            })
        };
        let mesh = sheet(self.along, self.across, Seam::Flipped, false, point, keep);
        Ok(environment(mesh))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::surface::topology::Topology;

    #[test]
    fn the_globe_is_a_sphere() {
        let mesh = Globe::default().draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 1680);
        assert!(topology.is_closed() && topology.consistent && topology.euler == 2);
        let sphere = 4.0 / 3.0 * PI * 25.0_f64.powi(3);
        assert!((topology.volume / sphere - 1.0).abs() < 0.02);
    }

    #[test]
    fn the_torus_has_one_handle_and_its_reverse_the_same_turned_in() {
        for (mesh, sign) in [
            (Torus::default().draw().unwrap().mesh.unwrap(), 1.0),
            (ReverseTorus::default().draw().unwrap().mesh.unwrap(), -1.0),
        ] {
            let topology = Topology::of(&mesh);
            assert_eq!(mesh.triangles.len(), 3200);
            assert!(topology.is_closed() && topology.consistent && topology.euler == 0);
            let exact = 2.0 * PI * PI * 30.0 * 100.0;
            assert!((sign * topology.volume / exact - 1.0).abs() < 0.02);
        }
    }

    #[test]
    fn a_moebius_strip_has_one_rim_and_one_side() {
        let mesh = Moebius::default().draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 3200);
        assert!(topology.is_manifold());
        assert_eq!((topology.boundary_loops, topology.euler), (1, 0));
        assert!(!topology.consistent);
        assert_eq!(topology.boundary_edges, 320);
    }

    #[test]
    fn holes_of_a_moebius_strip_are_rims_too() {
        let strip = Moebius {
            along: 180,
            holes: 12,
            ..Moebius::default()
        };
        let mesh = strip.draw().unwrap().mesh.unwrap();
        let topology = Topology::of(&mesh);
        assert_eq!(mesh.triangles.len(), 3216);
        assert!(topology.is_manifold());
        assert_eq!((topology.boundary_loops, topology.euler), (13, -12));
    }

    #[test]
    fn surfaces_that_meet_themselves_are_refused() {
        assert!(torus(5.0, 5.0, 10, 10).is_err());
        let wide = Moebius {
            width: 40.0,
            ..Moebius::default()
        };
        assert!(wide.draw().is_err());
        let holed = Moebius {
            holes: 160,
            ..Moebius::default()
        };
        assert!(holed.draw().is_err());
    }
}
