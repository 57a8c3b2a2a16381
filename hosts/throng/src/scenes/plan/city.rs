//! A large town: lots between streets, a building on each.
//!
//! Stands for the *City* environment of van Toll, Cook and Geraerts 2012 (500 x 500 m, 2,638
//! obstacle vertices). The ground is split again and again by streets, the largest lot first, wide
//! streets before narrow ones; the whole is then bent gently, so that streets are not straight.

use core::f64::consts::{PI, TAU};

use glam::DVec2;
use throng_core::math;
use throng_core::random::{Purpose, Stream};
use throng_kit::environment::{Environment, Polygon};

use super::draft::{Draft, rect};
use super::footprint::{CORNERS, footprint};
use crate::scenes::Scene;

throng_core::options! {
    /// A large town.
    pub(crate) struct City {
        /// Side of the town.
        side: f64 = 500.0, "m", 50.0..=20000.0;
        /// How many buildings.
        polygons: usize = 300, "", 1..=20000;
        /// Corners of all buildings together.
        vertices: usize = 2638, "", 4..=480000;
        /// Draws another town.
        seed: u64 = 1, "", 0..=2147483647;
    }
}

/// Least side of a lot with its share of the streets, metres.
const LEAST_LOT: f64 = 12.0;

impl Scene for City {
    const ID: &'static str = "city";
    const ABOUT: &'static str = "a town of buildings that do not overlap (500 x 500 m, 300 buildings, 2,638 vertices unless told otherwise); areas: everything, west, east, south, north (ring road)";

    fn draw(&self) -> Result<Environment, String> {
        let gross = self.side / (self.polygons as f64).sqrt();
        if gross < LEAST_LOT {
            return Err(format!(
                "{} buildings on {} m leave {gross:.1} m for each; at least {LEAST_LOT} m are needed",
                self.polygons, self.side
            ));
        }
        let (least, most) = (
            CORNERS.start() * self.polygons,
            CORNERS.end() * self.polygons,
        );
        if !(least..=most).contains(&self.vertices) {
            return Err(format!(
                "{} buildings have between {least} and {most} vertices, not {}",
                self.polygons, self.vertices
            ));
        }
        let mut random = Stream::new(self.seed, 0, Purpose::Strategy, 0);
        // Streets are drawn for lots of 29 m and scaled with them.
        let unit = (gross / 29.0).clamp(0.6, 1.5);
        let ring_road = 8.0 * unit;
        let lots = lots(self.side, ring_road, unit, self.polygons, &mut random);
        let corners = corners(self.polygons, self.vertices, &mut random);
        let bend = Bend::new(self.side, ring_road, &mut random);
        let mut draft = Draft::of(vec![rect(0.0, 0.0, self.side, self.side)]);
        for (lot, corners) in lots.iter().zip(corners) {
            let mut garden = || random.range(0.0, 0.08);
            let size = lot.high - lot.low;
            let low = lot.low + size * DVec2::new(garden(), garden());
            let high = lot.high - size * DVec2::new(garden(), garden());
            let mut ring = footprint(corners, low, high, &mut random);
            ring.iter_mut().for_each(|p| *p = bend.apply(*p));
            draft.solid(0, Polygon::new(ring));
        }
        let (side, inner) = (self.side, self.side - ring_road);
        draft.area(0, "everything", rect(0.0, 0.0, side, side));
        draft.area(0, "west", rect(0.0, 0.0, ring_road, side));
        draft.area(0, "east", rect(inner, 0.0, side, side));
        draft.area(0, "south", rect(0.0, 0.0, side, ring_road));
        draft.area(0, "north", rect(0.0, inner, side, side));
        Ok(draft.finish())
    }
}

struct Lot {
    low: DVec2,
    high: DVec2,
    /// How many streets were cut to get it.
    depth: usize,
}

/// Splits the town by streets until there are `count` lots.
fn lots(side: f64, ring_road: f64, unit: f64, count: usize, random: &mut Stream) -> Vec<Lot> {
    let mut lots = vec![Lot {
        low: DVec2::splat(ring_road),
        high: DVec2::splat(side - ring_road),
        depth: 0,
    }];
    while lots.len() < count {
        let area = |lot: &Lot| (lot.high - lot.low).element_product();
        let largest = (0..lots.len())
            .reduce(|best, i| {
                if area(&lots[i]) > area(&lots[best]) {
                    i
                } else {
                    best
                }
            })
            .unwrap_or(0);
        let lot = &mut lots[largest];
        let street = unit
            * [14.0, 12.0, 10.0, 8.0, 7.0, 6.0]
                .get(lot.depth)
                .unwrap_or(&5.0);
        let size = lot.high - lot.low;
        let across = if size.x > size.y { DVec2::X } else { DVec2::Y };
        let at = size.dot(across) * random.range(0.42, 0.58);
        lot.depth += 1;
        let high = lot.high;
        lot.high = across * (lot.low + at - street / 2.0) + (1.0 - across) * high;
        let other = Lot {
            low: across * (lot.low + at + street / 2.0) + (1.0 - across) * lot.low,
            high,
            depth: lot.depth,
        };
        lots.push(other);
    }
    lots
}

/// Corners of each building, `total` in all.
fn corners(count: usize, total: usize, random: &mut Stream) -> Vec<usize> {
    let mean = total as f64 / count as f64;
    let mut corners: Vec<usize> = (0..count)
        .map(|_| {
            let wanted = mean + 3.0 * (random.unit_f64() + random.unit_f64() - 1.0);
            // Even numbers are whole shapes; odd ones have a corner cut off.
            let wanted = if random.below(4) == 0 {
                wanted
            } else {
                2.0 * (wanted / 2.0).round()
            };
            (wanted.round() as usize).clamp(*CORNERS.start(), *CORNERS.end())
        })
        .collect();
    let mut sum: usize = corners.iter().sum();
    while sum != total {
        let building = &mut corners[random.below(count)];
        if sum < total && *building < *CORNERS.end() {
            *building += 1;
            sum += 1;
        } else if sum > total && *building > *CORNERS.start() {
            *building -= 1;
            sum -= 1;
        }
    }
    corners
}

/// A smooth map of the town onto itself that leaves the ring road alone.
struct Bend {
    side: f64,
    margin: f64,
    amplitude: f64,
    phases: [f64; 2],
}

impl Bend {
    fn new(side: f64, margin: f64, random: &mut Stream) -> Bend {
        Bend {
            side,
            margin,
            amplitude: side / 45.0,
            phases: [random.range(0.0, TAU), random.range(0.0, TAU)],
        }
    }

    fn apply(&self, p: DVec2) -> DVec2 {
        let inner = self.side - 2.0 * self.margin;
        let u = ((p - self.margin) / inner).clamp(DVec2::ZERO, DVec2::ONE);
        let fade = math::sin(PI * u.x) * math::sin(PI * u.y);
        let shift = DVec2::new(
            math::sin(TAU * u.y + self.phases[0]),
            math::sin(TAU * u.x + self.phases[1]),
        );
        p + self.amplitude * fade * shift
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::plan::footprint::{corner_count, separation};

    #[test]
    fn counts_are_exact_and_nothing_overlaps() {
        for seed in [1, 2, 77] {
            let city = City {
                seed,
                ..City::default()
            };
            let scene = city.draw().unwrap();
            let solid = &scene.floors[0].solid;
            assert_eq!(solid.len(), 300);
            assert_eq!(corner_count(solid), 2638);
            for (i, one) in solid.iter().enumerate() {
                assert!(
                    one.outer
                        .iter()
                        .all(|p| p.min_element() > 5.0 && p.max_element() < 495.0)
                );
                for other in &solid[..i] {
                    if one.outer[0].distance(other.outer[0]) < 150.0 {
                        assert!(separation(one, other) > 2.5, "seed {seed}, building {i}");
                    }
                }
            }
        }
    }

    #[test]
    fn impossible_towns_are_refused() {
        let crowded = City {
            side: 50.0,
            ..City::default()
        };
        assert!(crowded.draw().unwrap_err().contains("at least 12 m"));
        let few = City {
            vertices: 500,
            ..City::default()
        };
        assert!(few.draw().unwrap_err().contains("between 1200 and 7200"));
        let one = City {
            polygons: 1,
            vertices: 4,
            ..City::default()
        };
        assert_eq!(one.draw().unwrap().floors[0].solid.len(), 1);
    }
}
