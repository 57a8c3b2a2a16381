//! Longitude and latitude turned into metres.
//!
//! A drawing is taken as degrees when `projected` is `Some(false)`; when the file names a
//! geographic reference (EPSG:4326, CRS84, or SRID 4326 in WKT); or when it names none and all
//! of these hold: every x is within 180 and every y within 90, the whole is less than 2 across
//! in both, it is not all within 2 of (0, 0) (there is only sea), and some coordinate is
//! written finer than a thousandth. Anything else is metres.
//!
//! The projection is the transverse Mercator on the WGS 84 ellipsoid about the middle of the
//! drawing with scale 1 there, by Redfearn's series ("Transverse Mercator formulae", Empire
//! Survey Review 69, 1948): conformal, and true to 1 mm per km within 200 km of the middle
//! meridian. The middle becomes (0, 0); x points east, y north.

use glam::DVec2;
use throng_core::math::{cos, sin, tan};

use crate::rings::bounds;

/// What a file says about its coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// Nothing.
    Unnamed,
    /// Longitude and latitude.
    Geographic,
    /// Some plane.
    Plane,
}

/// Whether the points are degrees by the rule of this module.
pub(crate) fn looks_geographic(points: &[DVec2]) -> bool {
    let Some((low, high)) = bounds(points) else {
        return false;
    };
    let extent = high - low;
    let in_range = low.x >= -180.0 && high.x <= 180.0 && low.y >= -90.0 && high.y <= 90.0;
    let by_the_origin = low.abs().max(high.abs()).max_element() <= 2.0;
    let finer_than_a_thousandth = |value: f64| {
        let thousandths = value * 1000.0;
        (thousandths - thousandths.round()).abs() > 1e-6
    };
    in_range
        && extent.max_element() < 2.0
        && !by_the_origin
        && points
            .iter()
            .any(|p| finer_than_a_thousandth(p.x) || finer_than_a_thousandth(p.y))
}

/// The transverse Mercator projection about one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransverseMercator {
    centre: DVec2,
    arc_at_centre: f64,
}

const SEMI_MAJOR: f64 = 6_378_137.0;
const FLATTENING: f64 = 1.0 / 298.257_223_563;
const ECCENTRICITY_2: f64 = FLATTENING * (2.0 - FLATTENING);

impl TransverseMercator {
    /// About a longitude and latitude in degrees.
    pub(crate) fn about(centre: DVec2) -> TransverseMercator {
        TransverseMercator {
            centre,
            arc_at_centre: meridian_arc(centre.y.to_radians()),
        }
    }

    /// Metres east and north of the centre.
    pub(crate) fn project(&self, degrees: DVec2) -> DVec2 {
        let latitude = degrees.y.to_radians();
        let longitude = (degrees.x - self.centre.x).to_radians();
        let (s, c, t) = (sin(latitude), cos(latitude), tan(latitude));
        let curvature = 1.0 - ECCENTRICITY_2 * s * s;
        let nu = SEMI_MAJOR / curvature.sqrt();
        let rho = nu * (1.0 - ECCENTRICITY_2) / curvature;
        let psi = nu / rho;
        let t2 = t * t;
        let t4 = t2 * t2;
        let w = longitude * c;
        let w2 = w * w;
        let east_1 = w2 / 6.0 * (psi - t2);
        let east_2 = w2 * w2 / 120.0
            * (4.0 * psi * psi * psi * (1.0 - 6.0 * t2) + psi * psi * (1.0 + 8.0 * t2)
                - 2.0 * psi * t2
                + t4);
        let east_3 = w2 * w2 * w2 / 5040.0 * (61.0 - 479.0 * t2 + 179.0 * t4 - t4 * t2);
        let north_1 = w2 / 2.0;
        let north_2 = w2 * w2 / 24.0 * (4.0 * psi * psi + psi - t2);
        let north_3 = w2 * w2 * w2 / 720.0
            * (8.0 * psi * psi * psi * psi * (11.0 - 24.0 * t2)
                - 28.0 * psi * psi * psi * (1.0 - 6.0 * t2)
                + psi * psi * (1.0 - 32.0 * t2)
                - 2.0 * psi * t2
                + t4);
        DVec2::new(
            nu * w * (1.0 + east_1 + east_2 + east_3),
            meridian_arc(latitude) - self.arc_at_centre + nu * t * (north_1 + north_2 + north_3),
        )
    }
}

/// Length of the meridian from the equator to a latitude in radians.
fn meridian_arc(latitude: f64) -> f64 {
    let e2 = ECCENTRICITY_2;
    let e4 = e2 * e2;
    let e6 = e4 * e2;
    let a0 = 1.0 - e2 / 4.0 - 3.0 * e4 / 64.0 - 5.0 * e6 / 256.0;
    let a2 = 3.0 / 8.0 * (e2 + e4 / 4.0 + 15.0 * e6 / 128.0);
    let a4 = 15.0 / 256.0 * (e4 + 3.0 * e6 / 4.0);
    let a6 = 35.0 * e6 / 3072.0;
    SEMI_MAJOR
        * (a0 * latitude - a2 * sin(2.0 * latitude) + a4 * sin(4.0 * latitude)
            - a6 * sin(6.0 * latitude))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_lengths_of_a_degree() {
        // Published lengths on WGS 84: a degree of latitude at 0, 45, 60; of longitude at 0.
        for (at, expected) in [(0.0, 110_574.39), (45.0, 111_131.78), (60.0, 111_412.27)] {
            let map = TransverseMercator::about(DVec2::new(10.0, at));
            let length = map.project(DVec2::new(10.0, at + 0.5)).y
                - map.project(DVec2::new(10.0, at - 0.5)).y;
            assert!((length - expected).abs() < 1.0, "{at}: {length}");
        }
        let equator = TransverseMercator::about(DVec2::ZERO);
        let east = equator.project(DVec2::new(0.01, 0.0));
        assert!((east.x - 1113.1949).abs() < 1e-3 && east.y.abs() < 1e-9);
    }

    #[test]
    fn agrees_with_the_published_utm_example() {
        // Cn Tower, 43.642567 N 79.387139 W: UTM zone 17 easting 630084, northing 4833439.
        let zone = TransverseMercator::about(DVec2::new(-81.0, 0.0));
        let p = zone.project(DVec2::new(-79.387139, 43.642567)) * 0.9996;
        assert!((p.x + 500_000.0 - 630_084.0).abs() < 1.0, "{p}");
        assert!((p.y - 4_833_439.0).abs() < 1.0, "{p}");
    }

    #[test]
    fn the_rule_tells_plans_from_places() {
        let at = |points: &[(f64, f64)]| {
            let points: Vec<DVec2> = points.iter().map(|p| DVec2::new(p.0, p.1)).collect();
            looks_geographic(&points)
        };
        assert!(at(&[(8.68141, 50.10222), (8.68241, 50.10322)]));
        assert!(!at(&[(0.0, 0.0), (1.5, 1.23456)]), "around the origin");
        assert!(!at(&[(8.5, 50.25), (9.0, 51.0)]), "no decimals");
        assert!(!at(&[(8.68141, 50.1), (18.0, 50.2)]), "too wide");
        assert!(!at(&[(400.12345, 50.1), (400.2, 50.2)]), "out of range");
    }
}
