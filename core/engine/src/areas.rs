//! Named places of a scenario: where agents start and where they go.

use glam::{Vec2, Vec3};
use throng_core::{GroundView, Location, math, random::Stream};
use throng_kit::Walk;

/// The shape of an area, in local coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A polygon on one floor, outer ring first, then holes.
    Polygon {
        /// The floor.
        floor: u16,
        /// The rings.
        rings: Vec<Vec<Vec2>>,
    },
    /// Everything within a distance of a point.
    Ball {
        /// The point.
        centre: Vec3,
        /// The distance, metres.
        radius: f32,
    },
    /// The whole ground.
    Everywhere,
}

/// A named place.
#[derive(Clone, Debug)]
pub struct Area {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Shape,
    /// A place in it.
    pub anchor: Location,
    /// For the whole ground: triangles with the running sum of their areas.
    triangles: Vec<(u32, f64)>,
    /// For a polygon: its bounding box.
    bounds: (Vec2, Vec2),
}

fn inside(rings: &[Vec<Vec2>], p: Vec2) -> bool {
    let mut odd = false;
    for ring in rings {
        for (i, &a) in ring.iter().enumerate() {
            let b = ring[(i + 1) % ring.len()];
            if (a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x {
                odd = !odd;
            }
        }
    }
    odd
}

impl Area {
    /// An area on this ground, or nothing if no walkable place is in it.
    pub fn new(name: &str, shape: Shape, ground: GroundView<'_>, seed: u64) -> Option<Area> {
        let mut sum = 0.0;
        let triangles = match &shape {
            Shape::Everywhere => (0..ground.triangles.len() as u32)
                .map(|t| {
                    sum += f64::from(ground.areas[t as usize]);
                    (t, sum)
                })
                .collect(),
            _ => Vec::new(),
        };
        let bounds = match &shape {
            Shape::Polygon { rings, .. } => bounds(rings.iter().flatten().copied()),
            _ => (Vec2::ZERO, Vec2::ZERO),
        };
        let mut area = Area {
            name: name.into(),
            shape,
            anchor: Location::NOWHERE,
            triangles,
            bounds,
        };
        area.anchor = area.find_anchor(ground, seed)?;
        Some(area)
    }

    fn find_anchor(&self, ground: GroundView<'_>, seed: u64) -> Option<Location> {
        match &self.shape {
            Shape::Ball { centre, radius } => {
                let place = ground.locate(*centre)?;
                (place.point.distance(*centre) <= radius.max(0.5)).then_some(place)
            }
            Shape::Polygon { floor, rings } => {
                let outer = rings.first()?;
                let centroid = outer.iter().copied().sum::<Vec2>() / outer.len() as f32;
                ground
                    .locate_plan(centroid, Some(*floor))
                    .filter(|p| self.contains(ground, *p))
                    .or_else(|| self.draw(ground, &mut anchor_stream(seed), 4096))
            }
            Shape::Everywhere => self.draw(ground, &mut anchor_stream(seed), 64),
        }
    }

    /// The corners of a polygon's bounding box; zero for other shapes.
    pub fn bounds(&self) -> (Vec2, Vec2) {
        self.bounds
    }

    /// A distance, in metres, that a point is from it at least; 0 if it may be in it.
    pub fn at_least_from(&self, point: Vec3) -> f32 {
        match &self.shape {
            Shape::Everywhere => 0.0,
            Shape::Ball { centre, radius } => (point.distance(*centre) - radius).max(0.0),
            Shape::Polygon { .. } => {
                let (low, high) = self.bounds;
                let p = point.truncate();
                (p - p.clamp(low, high)).length()
            }
        }
    }

    /// Whether a place lies in it.
    pub fn contains(&self, ground: GroundView<'_>, place: Location) -> bool {
        match &self.shape {
            Shape::Everywhere => true,
            Shape::Ball { centre, radius } => {
                place.point.distance_squared(*centre) <= radius * radius
            }
            Shape::Polygon { floor, rings } => {
                ground.floors[place.triangle as usize] == *floor
                    && inside(rings, place.point.truncate())
            }
        }
    }

    /// A place drawn evenly from the walkable part of the area; nothing if `tries` draws all
    /// missed it.
    pub fn draw(
        &self,
        ground: GroundView<'_>,
        stream: &mut Stream,
        tries: u32,
    ) -> Option<Location> {
        for _ in 0..tries {
            let place = match &self.shape {
                Shape::Everywhere => self.draw_triangle(ground, stream),
                Shape::Polygon { floor, .. } => {
                    let (low, high) = self.bounds;
                    let share = Vec2::new(stream.unit(), stream.unit());
                    ground.locate_plan(low + (high - low) * share, Some(*floor))
                }
                Shape::Ball { radius, .. } => {
                    let turn = stream.unit() * core::f32::consts::TAU;
                    let way = Vec2::new(math::cos(turn), math::sin(turn)) * radius;
                    let offset = way * stream.unit().sqrt();
                    let frame = ground.frame_at(self.anchor);
                    Some(ground.advance(self.anchor, frame, offset, 0.0).to)
                }
            };
            if let Some(place) = place.filter(|p| self.contains(ground, *p)) {
                return Some(place);
            }
        }
        None
    }
}

impl Area {
    /// The walkable place opposite to one, through the middle of the area, if there is one.
    pub fn opposite(&self, ground: GroundView<'_>, from: Location) -> Option<Location> {
        match &self.shape {
            Shape::Polygon { floor, .. } => {
                let (low, high) = self.bounds;
                ground.locate_plan(low + high - from.point.truncate(), Some(*floor))
            }
            Shape::Ball { centre, .. } => {
                let point = 2.0 * *centre - from.point;
                let found = ground.locate(point)?;
                (found.point.distance(point) < 0.5).then_some(found)
            }
            Shape::Everywhere => None,
        }
    }

    fn draw_triangle(&self, ground: GroundView<'_>, stream: &mut Stream) -> Option<Location> {
        let total = self.triangles.last()?.1;
        let at = stream.unit_f64() * total;
        let index = self.triangles.partition_point(|(_, sum)| *sum <= at);
        let (triangle, _) = *self.triangles.get(index)?;
        let [a, b, c] = ground.corners(triangle);
        let (u, v) = (stream.unit(), stream.unit());
        let (u, v) = if u + v > 1.0 {
            (1.0 - u, 1.0 - v)
        } else {
            (u, v)
        };
        Some(Location {
            point: a + (b - a) * u + (c - a) * v,
            triangle,
        })
    }
}

fn anchor_stream(seed: u64) -> Stream {
    Stream::new(seed, 0, throng_core::random::Purpose::Goal, 0)
}

fn bounds(points: impl Iterator<Item = Vec2>) -> (Vec2, Vec2) {
    points.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(l, h), p| {
        (l.min(p), h.max(p))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_outside() {
        let square = |s: f32| {
            vec![
                Vec2::new(-s, -s),
                Vec2::new(s, -s),
                Vec2::new(s, s),
                Vec2::new(-s, s),
            ]
        };
        let rings = [square(2.0), square(1.0)];
        assert!(inside(&rings, Vec2::new(1.5, 0.0)));
        assert!(!inside(&rings, Vec2::ZERO));
        assert!(!inside(&rings, Vec2::new(2.5, 0.0)));
    }
}
