//! Where people can stand: all over an area, at its desks, along a line.

use glam::{Vec2, Vec3};
use throng_core::{GroundView, Location};
use throng_kit::Walk;

use crate::areas::{Area, Shape};

/// Room that a place to stand has from walls, metres.
const ROOM: f32 = 0.3;
/// Most places of one goal.
const MOST_PLACES: usize = 20_000;
/// Places that a queue may go on for behind the end of its line.
const MOST_BEHIND: usize = 200;

/// Places inside an area, so far apart from each other, with room for a body.
pub(crate) fn places_in(area: &Area, ground: GroundView<'_>, spacing: f32) -> Vec<Location> {
    let mut places = Vec::new();
    let (low, high) = match &area.shape {
        Shape::Everywhere => return places,
        Shape::Polygon { .. } => area.bounds(),
        Shape::Ball { radius, .. } => (Vec2::splat(-radius), Vec2::splat(*radius)),
    };
    let size = high - low;
    let most = MOST_PLACES as f32;
    let spacing = spacing.max((size.x * size.y / most).sqrt());
    let count = (size / spacing).floor().max(Vec2::ZERO);
    // Centred, so that the rim is the same on all sides.
    let first = low + (size - count * spacing) / 2.0;
    let frame = ground.frame_at(area.anchor);
    for y in 0..=count.y as u32 {
        for x in 0..=count.x as u32 {
            let at = first + Vec2::new(x as f32, y as f32) * spacing;
            let place = match &area.shape {
                Shape::Polygon { floor, .. } => ground.locate_plan(at, Some(*floor)),
                _ => {
                    let walked = ground.advance(area.anchor, frame, at, ROOM);
                    (walked.moved.distance(at) < 0.05).then_some(walked.to)
                }
            };
            if let Some(place) = place
                && area.contains(ground, place)
                && ground.distance_to_wall(place, ROOM) >= ROOM
            {
                places.push(place);
            }
        }
    }
    places
}

/// Desks of an area: side by side along its longer side.
pub(crate) fn desks_in(area: &Area, ground: GroundView<'_>, servers: u32) -> Vec<Location> {
    let free = places_in(area, ground, 0.2);
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for place in &free {
        low = low.min(place.point);
        high = high.max(place.point);
    }
    let size = high - low;
    let mut desks: Vec<Location> = Vec::new();
    for desk in 0..servers {
        let share = (desk as f32 + 0.5) / servers as f32;
        let mut at = (low + high) / 2.0;
        if size.x >= size.y {
            at.x = low.x + size.x * share;
        } else {
            at.y = low.y + size.y * share;
        }
        let apart = |p: &Location| p.point.distance_squared(at);
        let unused = free.iter().filter(|p| !desks.contains(p));
        if let Some(place) = unused.min_by(|a, b| apart(a).total_cmp(&apart(b))) {
            desks.push(*place);
        }
    }
    desks
}

/// Places along a line, head first, and on behind its end as far as the ground is free. Gives the
/// corner or place that is not on free ground instead.
pub(crate) fn places_along(
    line: &[Location],
    ground: GroundView<'_>,
    spacing: f32,
) -> Result<Vec<Location>, Location> {
    let mut places = Vec::new();
    let Some(first) = line.first() else {
        return Ok(places);
    };
    let stands = |p: Location| ground.distance_to_wall(p, ROOM) >= ROOM - 0.05;
    if !stands(*first) {
        return Err(*first);
    }
    places.push(*first);
    let mut left = spacing;
    let mut last_way = Vec3::ZERO;
    for ends in line.windows(2) {
        let way = ends[1].point - ends[0].point;
        let length = way.length();
        if length < 1e-6 {
            continue;
        }
        if !ground.sees(ends[0], ends[1]) {
            return Err(ends[1]);
        }
        last_way = way / length;
        let mut at = left;
        while at <= length + 1e-4 && places.len() < MOST_PLACES {
            let point = ends[0].point + last_way * at;
            let place = ground
                .relocate(ends[0], point)
                .or_else(|| ground.locate(point));
            match place.filter(|p| stands(*p)) {
                Some(place) => places.push(place),
                None => return Err(ends[1]),
            }
            at += spacing;
        }
        left = at - length;
    }
    if let Some(end) = line.last() {
        let mut from = *end;
        for n in 0..MOST_BEHIND {
            let point = end.point + last_way * (left + spacing * n as f32);
            let place = ground
                .relocate(from, point)
                .or_else(|| ground.locate(point));
            let free = place
                .filter(|p| p.point.distance(point) < 0.05 && stands(*p) && ground.sees(from, *p));
            let Some(place) = free else { break };
            places.push(place);
            from = place;
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use glam::DVec2;
    use throng_kit::{
        Ground,
        environment::{Environment, Floor, Obstacle, Polygon},
    };

    use super::*;

    fn hall() -> Ground {
        let environment = Environment {
            floors: vec![Floor {
                walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::new(20.0, 10.0))],
                ..Floor::default()
            }],
            obstacles: vec![Obstacle {
                floor: 0,
                shape: Polygon::rectangle(DVec2::new(4.0, 4.0), DVec2::new(5.0, 5.0)),
            }],
            ..Environment::default()
        };
        Ground::from_environment(&environment).unwrap()
    }

    fn area(ground: &Ground, low: [f32; 2], high: [f32; 2]) -> Area {
        let origin = ground.view().origin.truncate().as_vec2();
        let (l, h) = (Vec2::from(low) - origin, Vec2::from(high) - origin);
        let ring = vec![l, Vec2::new(h.x, l.y), h, Vec2::new(l.x, h.y)];
        let shape = Shape::Polygon {
            floor: 0,
            rings: vec![ring],
        };
        Area::new("it", shape, ground.view(), 1).unwrap()
    }

    #[test]
    fn places_are_apart_and_clear_of_walls_and_seats() {
        let ground = hall();
        let view = ground.view();
        let places = places_in(&area(&ground, [0.0, 0.0], [8.0, 8.0]), view, 1.0);
        assert!((40..81).contains(&places.len()), "{}", places.len());
        for (i, a) in places.iter().enumerate() {
            assert!(view.distance_to_wall(*a, 1.0) >= ROOM - 1e-4);
            for b in &places[..i] {
                assert!(a.point.distance(b.point) > 0.99);
            }
        }
    }

    #[test]
    fn desks_stand_side_by_side_along_the_longer_side() {
        let ground = hall();
        let origin = ground.view().origin.as_vec3();
        let desks = desks_in(&area(&ground, [8.0, 1.0], [14.0, 3.0]), ground.view(), 3);
        let at: Vec<Vec3> = desks.iter().map(|d| d.point + origin).collect();
        for (desk, x) in at.iter().zip([9.0, 11.0, 13.0]) {
            assert!(
                (desk.x - x).abs() < 0.4 && (desk.y - 2.0).abs() < 0.2,
                "{at:?}"
            );
        }
        let small = area(&ground, [8.0, 1.0], [8.7, 1.7]);
        assert!(desks_in(&small, ground.view(), 40).len() < 40);
    }

    #[test]
    fn a_queue_goes_on_behind_its_end_up_to_the_wall() {
        let ground = hall();
        let view = ground.view();
        let at = |x: f32, y: f32| {
            let local = Vec2::new(x, y) - view.origin.truncate().as_vec2();
            view.locate_plan(local, None).unwrap()
        };
        // Round a corner: 4 m along x, then 2 m along y, then on to the wall at y = 10.
        let line = [at(10.0, 2.0), at(14.0, 2.0), at(14.0, 4.0)];
        let places = places_along(&line, view, 1.0).unwrap();
        let head = places[0].point;
        assert!((places[4].point - head - Vec3::X * 4.0).length() < 1e-3);
        assert!((places[6].point - head - Vec3::new(4.0, 2.0, 0.0)).length() < 1e-3);
        assert_eq!(places.len(), 7 + 5, "y = 5 to 9");
        // Through a seat nobody stands in line.
        assert!(places_along(&[at(2.0, 4.5), at(8.0, 4.5)], view, 0.5).is_err());
    }
}
