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
