//! The walkable ground in plan as well-known text, as analysis tools read it.

use std::fmt::Write;

use glam::DVec2;
use throng::{core::GroundView, environment::Polygon};
use throng_kit::polygon::clean;

/// The union of all floors in plan: a POLYGON, or a MULTIPOLYGON if the ground is in pieces. For
/// grounds that are no plan, the rectangle about them.
pub fn outline(ground: GroundView<'_>) -> String {
    let origin = ground.origin;
    let world = |v: glam::Vec3| (origin + v.as_dvec3()).truncate();
    let polygons = if ground.plan {
        let triangles: Vec<Polygon> = (0..ground.triangles.len() as u32)
            .map(|t| Polygon::new(ground.corners(t).map(world).to_vec()))
            .collect();
        clean(&triangles).polygons
    } else {
        let (low, high) = bounds(ground);
        vec![Polygon::rectangle(low, high)]
    };
    let bodies: Vec<String> = polygons.iter().map(body).collect();
    match bodies.as_slice() {
        [one] => format!("POLYGON {one}"),
        many => format!("MULTIPOLYGON ({})", many.join(", ")),
    }
}

/// Low and high corner of the ground in plan, world coordinates.
pub fn bounds(ground: GroundView<'_>) -> (DVec2, DVec2) {
    let points = || {
        let vertices = ground.vertices.iter();
        vertices.map(|v| (ground.origin + v.as_dvec3()).truncate())
    };
    (
        points().fold(DVec2::INFINITY, DVec2::min),
        points().fold(DVec2::NEG_INFINITY, DVec2::max),
    )
}

fn body(polygon: &Polygon) -> String {
    let mut text = String::from("(");
    for (i, ring) in std::iter::once(&polygon.outer)
        .chain(&polygon.holes)
        .enumerate()
    {
        text.push_str(if i == 0 { "(" } else { ", (" });
        for (j, p) in ring.iter().chain(ring.first()).enumerate() {
            // Tenths of a millimetre: what an f32 holds of a town. Writing to a string cannot fail.
            let round = |v: f64| (v * 1e4).round() / 1e4;
            let _ = write!(
                text,
                "{}{} {}",
                if j == 0 { "" } else { ", " },
                round(p.x),
                round(p.y)
            );
        }
        text.push(')');
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng::environment::{Environment, Floor};
    use throng_kit::Ground;

    #[test]
    fn a_room_with_a_pillar_is_a_polygon_with_a_hole() {
        let square =
            |low: f64, high: f64| Polygon::rectangle(DVec2::splat(low), DVec2::splat(high));
        let environment = Environment {
            floors: vec![Floor {
                walkable: vec![square(0.0, 10.0)],
                solid: vec![square(4.0, 6.0)],
                ..Floor::default()
            }],
            ..Environment::default()
        };
        let ground = Ground::from_environment(&environment).unwrap();
        let text = outline(ground.view());
        assert!(text.starts_with("POLYGON (("), "{text}");
        assert_eq!(text.matches('(').count(), 3, "{text}");
        for corner in ["0 0", "10 10", "4 4", "6 6"] {
            assert!(text.contains(corner), "{corner} is not in {text}");
        }
        assert_eq!(bounds(ground.view()), (DVec2::ZERO, DVec2::splat(10.0)));
    }
}
