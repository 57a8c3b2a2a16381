//! Out of the way of cars: to the nearer side of the strip that one is about to pass.

use glam::Vec2;
use throng_core::World;
use throng_kit::{Walk, ground::TraceEnd};

/// Room that people leave between themselves and a car, metres.
const ROOM: f32 = 0.3;
/// The side is chosen by where one will be after this time, seconds: who is nearly across goes on.
const FORESEEN: f32 = 0.4;

/// The way out of the strip that cars pass within `warning` seconds, in the frame of an agent that
/// stands in one; unit length.
pub fn aside(world: &World<'_>, row: usize, warning: f32) -> Option<Vec2> {
    let (a, ground) = (&world.agents, &world.site.ground);
    let at = a.location[row];
    let feared = world.movers.iter().filter(|car| car.discomfort > 0.0);
    // Of several cars the first to come counts.
    let mut first: Option<(f32, Vec2, Vec2)> = None;
    for car in feared {
        let Some(ahead) = car.velocity.truncate().try_normalize() else {
            continue;
        };
        let from_car = (at.point - car.at).truncate();
        let (along, left) = (from_car.dot(ahead), ahead.perp_dot(from_car));
        let bodies = car.radius + a.radius[row];
        let speed = car.velocity.truncate().length();
        // Beside its front half it still comes nearer; who touches it farther back has not left.
        let touches = from_car.length_squared() < bodies * bodies;
        let comes = touches || along > 0.0 && along < bodies + speed * warning;
        let on_same_storey = (at.point.z - car.at.z).abs() < 2.0 * bodies.max(1.0);
        if !comes || left.abs() > bodies + ROOM || !on_same_storey {
            continue;
        }
        let time = along.max(0.0) / speed;
        if first.is_none_or(|f| time < f.0) {
            let lean = left + ahead.perp_dot(velocity_in_plan(world, row)) * FORESEEN;
            let side = if lean >= 0.0 {
                ahead.perp()
            } else {
                -ahead.perp()
            };
            let out = |side: Vec2| side * (bodies + ROOM - side.dot(from_car)).max(0.0);
            first = Some((time, out(side), out(-side)));
        }
    }
    let (_, nearer, farther) = first?;
    let frame = a.frame_of(row);
    let onto = |way: Vec2| {
        if ground.flat {
            return way;
        }
        let normal = ground.normals[at.triangle as usize];
        let rise = -way.dot(normal.truncate()) / normal.z.max(0.05);
        frame.to_tangent(normal, way.extend(rise))
    };
    let is_free = |way: Vec2| {
        let body = way.normalize_or_zero() * a.radius[row];
        ground.trace(at, frame, onto(way + body), &mut |_| {}) == TraceEnd::Reached
    };
    let way = if is_free(nearer) || !is_free(farther) {
        nearer
    } else {
        farther
    };
    onto(way).try_normalize()
}

fn velocity_in_plan(world: &World<'_>, row: usize) -> Vec2 {
    let (a, ground) = (&world.agents, &world.site.ground);
    if ground.flat {
        return a.velocity[row];
    }
    let normal = ground.normals[a.location[row].triangle as usize];
    a.frame_of(row).to_world(normal, a.velocity[row]).truncate()
}
