//! Bodies that are led against the rim of a twisted strip go on along it.

use glam::{DVec3, Vec2, Vec3};
use throng_core::{Frame, Location, math};
use throng_kit::environment::{Environment, Mesh};
use throng_kit::{Ground, Walk};

const RADIUS: f64 = 40.0;
const HALF: f64 = 8.0;

/// A Moebius strip of 160 x 10 quadrilaterals.
fn strip() -> Ground {
    let (columns, rows) = (160u32, 10u32);
    let mut mesh = Mesh::default();
    for c in 0..columns {
        let around = std::f64::consts::TAU * f64::from(c) / f64::from(columns);
        let (sin, cos) = (math::sin(around), math::cos(around));
        let (tilt_sin, tilt_cos) = (math::sin(around / 2.0), math::cos(around / 2.0));
        for r in 0..=rows {
            let across = HALF * (2.0 * f64::from(r) / f64::from(rows) - 1.0);
            let out = RADIUS + across * tilt_cos;
            mesh.vertices
                .push(DVec3::new(out * cos, out * sin, across * tilt_sin));
        }
    }
    let id = |c: u32, r: u32| match c == columns {
        true => rows - r,
        false => c * (rows + 1) + r,
    };
    for c in 0..columns {
        for r in 0..rows {
            let q = [id(c, r), id(c + 1, r), id(c + 1, r + 1), id(c, r + 1)];
            mesh.triangles
                .extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
        }
    }
    let environment = Environment {
        mesh: Some(mesh),
        ..Environment::default()
    };
    Ground::from_environment(&environment).expect("a ground")
}

#[test]
fn nobody_sticks_to_the_rim() {
    let ground = strip();
    let view = ground.view();
    let mut stuck = Vec::new();
    for start in 0..40 {
        // Beside the rim, a bit off the vertices.
        let wall = &view.walls[start * 7 % view.walls.len()];
        let along = (wall.b - wall.a).normalize();
        let normal = view.normals[wall.triangle as usize];
        let inward = normal.cross(along);
        for sense in [1.0, -1.0] {
            let mut at = Location {
                point: wall.a.lerp(wall.b, 0.4) + inward * 0.3,
                triangle: wall.triangle,
            };
            let mut frame = Frame::on(normal);
            let mut heading = frame.to_tangent(normal, along * sense);
            let (mut walked, mut last) = (0.0, at.point);
            for _ in 0..150 {
                // Eight degrees into the nearest wall.
                let near = view
                    .walls
                    .iter()
                    .min_by(|p, q| {
                        let far = |w: &&throng_core::Wall| off(w.a, w.b, at.point).length();
                        far(p).total_cmp(&far(q))
                    })
                    .unwrap();
                let n = view.normals[at.triangle as usize];
                let into = frame
                    .to_tangent(n, off(near.a, near.b, at.point))
                    .normalize();
                let tangent = into.perp();
                let tangent = tangent * tangent.dot(heading).signum();
                let want: Vec2 = (tangent + into * 0.14).normalize() * 0.134;
                let moved = view.advance(at, frame, want, 0.24);
                (at, frame) = (moved.to, moved.frame);
                heading = tangent;
                walked += at.point.distance(last);
                last = at.point;
            }
            if walked < 15.0 {
                stuck.push((start, sense, walked));
            }
        }
    }
    assert!(stuck.is_empty(), "{} of 80: {stuck:?}", stuck.len());
}

/// From a point to the nearest of a segment.
fn off(a: Vec3, b: Vec3, p: Vec3) -> Vec3 {
    let along = b - a;
    a + along * ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0) - p
}
