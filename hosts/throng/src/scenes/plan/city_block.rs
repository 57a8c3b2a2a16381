//! A city block of 33 buildings about a park, with doors, street exits and street furniture.
//!
//! Stands for the virtual city of Akaydin 2010: an image of 512 x 512 pixels, 33 buildings whose
//! doors and the ends of streets are where people come from and go to, and trees and lamps that
//! are no part of the height map. Six by six lots lie between streets, three of them are the
//! park. Drawn as polygons, or as a picture of heights from which walls are found as in the
//! thesis, with specks that its median filter takes out.

use glam::DVec2;
use throng_core::random::{Purpose, Stream};
use throng_formats::height_map;
use throng_kit::environment::{
    Environment, HeightPicture, HeightRules, NamedArea, Obstacle, Polygon,
};

use super::draft::{Draft, rect, square_at};
use crate::scenes::Scene;

throng_core::choices! {
    /// How the block is drawn.
    pub(crate) enum Drawn {
        /// Buildings as polygons.
        Polygons = "polygons",
        /// As a picture of heights, in which walls are then found.
        HeightMap = "height-map",
    }
}

throng_core::options! {
    /// A city block.
    pub(crate) struct CityBlock {
        /// Side of the block.
        side: f64 = 256.0, "m", 100.0..=5000.0;
        /// How it is drawn.
        drawn: Drawn = Drawn::Polygons;
        /// Pixels along a side of the picture of heights.
        pixels: usize = 512, "", 128..=4096;
        /// Trees, lamps and benches, which maps ignore.
        furniture: usize = 60, "", 0..=1000;
        /// Draws another block.
        seed: u64 = 1, "", 0..=2147483647;
    }
}

/// Lots along a side.
const LOTS: usize = 6;
/// Lots of the park: column and row.
const PARK: [(usize, usize); 3] = [(2, 3), (3, 3), (3, 2)];

/// A building: boxes that overlap or touch, and its height.
struct Building {
    boxes: Vec<[DVec2; 2]>,
    height: f64,
    door: Polygon,
}

impl Scene for CityBlock {
    const ID: &'static str = "city-block";
    const ABOUT: &'static str = "33 buildings about a park (256 x 256 m unless told otherwise), as polygons or as a picture of heights; areas: everything, park, door-1 to door-33, exit-1 to exit-20";

    fn draw(&self) -> Result<Environment, String> {
        let mut random = Stream::new(self.seed, 0, Purpose::Strategy, 0);
        let unit = self.side / 256.0;
        let [columns, rows] = [(); 2].map(|()| spans(self.side, unit, &mut random));
        let pixel = self.side / self.pixels as f64;
        // Walls found in a picture stand up to three pixels off.
        let off = match self.drawn {
            Drawn::Polygons => 0.4,
            Drawn::HeightMap => 3.2 * pixel,
        };
        let mut buildings = Vec::new();
        let mut park = Vec::new();
        for (r, &[bottom, top]) in rows.iter().enumerate() {
            for (c, &[left, right]) in columns.iter().enumerate() {
                let lot = [DVec2::new(left, bottom), DVec2::new(right, top)];
                if PARK.contains(&(c, r)) {
                    park.push(lot);
                } else {
                    buildings.push(building(lot, buildings.len(), off, &mut random));
                }
            }
        }
        let areas = areas(self.side, &columns, &rows, &buildings, &park);
        let mut environment = match self.drawn {
            Drawn::Polygons => {
                let mut draft = Draft::of(vec![rect(0.0, 0.0, self.side, self.side)]);
                for [low, high] in buildings.iter().flat_map(|b| &b.boxes) {
                    draft.solid(0, Polygon::rectangle(*low, *high));
                }
                draft.finish()
            }
            Drawn::HeightMap => {
                let picture = self.picture(&buildings, &mut random);
                // People walk where they have doors and streets.
                let shapes: Vec<Polygon> = areas[1..].iter().map(|a| a.shape.clone()).collect();
                height_map::environment_of(picture, pixel, &shapes)?
            }
        };
        environment.obstacles = furniture(self, &park, &buildings, &areas, &mut random);
        environment.areas = areas;
        Ok(environment)
    }
}

/// Lots along an axis between streets: a wide one in the middle, others of half its width.
fn spans(side: f64, unit: f64, random: &mut Stream) -> Vec<[f64; 2]> {
    let street = |i: usize| unit * if i == LOTS / 2 { 16.0 } else { 9.0 };
    let streets: f64 = (0..=LOTS).map(street).sum();
    let weights: Vec<f64> = (0..LOTS).map(|_| random.range(0.8, 1.2)).collect();
    let whole: f64 = weights.iter().sum();
    let mut at = 0.0;
    (0..LOTS)
        .map(|i| {
            at += street(i);
            let from = at;
            at += (side - streets) * weights[i] / whole;
            [from, at]
        })
        .collect()
}

/// A building on a lot: a block, an L, a U, or a block about a yard. Its door is in the middle of
/// one of its sides.
fn building([low, high]: [DVec2; 2], index: usize, off: f64, random: &mut Stream) -> Building {
    let size = high - low;
    let mut inset = || random.range(0.02, 0.08);
    let low = low + size * DVec2::new(inset(), inset());
    let high = high - size * DVec2::new(inset(), inset());
    let size = high - low;
    let share = |x: f64, y: f64| low + size * DVec2::new(x, y);
    let (deep, wide) = (random.range(0.4, 0.6), random.range(0.4, 0.6));
    let boxes = match index % 11 {
        3 | 8 => vec![[low, share(1.0, deep)], [low, share(wide, 1.0)]],
        5 => vec![
            [low, share(1.0, 0.4)],
            [low, share(0.3, 1.0)],
            [share(0.7, 0.0), high],
        ],
        9 if index < 11 => vec![
            [low, share(1.0, 0.3)],
            [share(0.0, 0.7), high],
            [low, share(0.3, 1.0)],
            [share(0.7, 0.0), high],
        ],
        _ => vec![[low, high]],
    };
    // The bottom and the left side are whole in every shape.
    let (half, depth) = (1.5, 2.5);
    let middle = share(wide / 2.0 + 0.1, deep / 2.0 + 0.1);
    let door = match random.below(2) {
        0 => rect(
            middle.x - half,
            low.y - off - depth,
            middle.x + half,
            low.y - off,
        ),
        _ => rect(
            low.x - off - depth,
            middle.y - half,
            low.x - off,
            middle.y + half,
        ),
    };
    Building {
        boxes,
        height: random.range(8.0, 40.0),
        door,
    }
}

fn areas(
    side: f64,
    columns: &[[f64; 2]],
    rows: &[[f64; 2]],
    buildings: &[Building],
    park: &[[DVec2; 2]],
) -> Vec<NamedArea> {
    let mut areas = Vec::new();
    let mut area = |name: String, shape: Polygon| {
        areas.push(NamedArea {
            name,
            floor: 0,
            shape,
        });
    };
    area("everything".into(), rect(0.0, 0.0, side, side));
    if let Some([low, high]) = park.last() {
        area("park".into(), Polygon::rectangle(*low, *high));
    }
    for (i, building) in buildings.iter().enumerate() {
        area(format!("door-{}", i + 1), building.door.clone());
    }
    let depth = side / 80.0;
    let mut exits = Vec::new();
    for pair in columns.windows(2) {
        let (left, right) = (pair[0][1] + 0.5, pair[1][0] - 0.5);
        exits.push(rect(left, 0.0, right, depth));
        exits.push(rect(left, side - depth, right, side));
    }
    for pair in rows.windows(2) {
        let (bottom, top) = (pair[0][1] + 0.5, pair[1][0] - 0.5);
        exits.push(rect(0.0, bottom, depth, top));
        exits.push(rect(side - depth, bottom, side, top));
    }
    for (i, exit) in exits.into_iter().enumerate() {
        area(format!("exit-{}", i + 1), exit);
    }
    areas
}

/// Trees in the park and lamps along the streets, clear of doors, exits and walls.
fn furniture(
    block: &CityBlock,
    park: &[[DVec2; 2]],
    buildings: &[Building],
    areas: &[NamedArea],
    random: &mut Stream,
) -> Vec<Obstacle> {
    let mut placed: Vec<Obstacle> = Vec::new();
    let near = |shape: &Polygon, at: DVec2, margin: f64| {
        let low = shape.outer.iter().copied().reduce(DVec2::min);
        let high = shape.outer.iter().copied().reduce(DVec2::max);
        match (low, high) {
            (Some(low), Some(high)) => {
                at.cmpge(low - margin).all() && at.cmple(high + margin).all()
            }
            _ => false,
        }
    };
    for i in 0..block.furniture * 20 {
        if placed.len() == block.furniture {
            break;
        }
        let [low, high] = if i % 2 == 0 && !park.is_empty() {
            park[random.below(park.len())]
        } else {
            [DVec2::splat(2.0), DVec2::splat(block.side - 2.0)]
        };
        let at = DVec2::new(random.range(low.x, high.x), random.range(low.y, high.y));
        let walls = buildings.iter().flat_map(|b| &b.boxes);
        let blocked = walls
            .clone()
            .any(|[low, high]| at.cmpge(*low - 3.0).all() && at.cmple(*high + 3.0).all())
            || areas[2..].iter().any(|a| near(&a.shape, at, 2.0))
            || placed.iter().any(|o| near(&o.shape, at, 2.0));
        if !blocked {
            placed.push(Obstacle {
                floor: 0,
                shape: square_at(at, if i % 2 == 0 { 0.35 } else { 0.12 }),
            });
        }
    }
    placed
}

impl CityBlock {
    /// The block from above: white is high. The ground slopes a little and has specks.
    fn picture(&self, buildings: &[Building], random: &mut Stream) -> HeightPicture {
        let count = self.pixels;
        let pixel = self.side / count as f64;
        // A grey level of 16 bits is a millimetre or so.
        let grey = |metres: f64| (metres * 1000.0).clamp(0.0, 65535.0) as u16;
        let mut greys: Vec<u16> = (0..count * count)
            .map(|i| grey(0.5 + 1.0 * (i % count) as f64 / count as f64))
            .collect();
        for building in buildings {
            for [low, high] in &building.boxes {
                let range = |from: f64, to: f64| {
                    let first = (from / pixel - 0.5).ceil().max(0.0) as usize;
                    let end = (to / pixel - 0.5).ceil().max(0.0) as usize;
                    first..end.min(count)
                };
                for y in range(low.y, high.y) {
                    for x in range(low.x, high.x) {
                        greys[(count - 1 - y) * count + x] = grey(building.height);
                    }
                }
            }
        }
        for _ in 0..count {
            let at = random.below(greys.len());
            greys[at] = random.below(45000) as u16;
        }
        HeightPicture {
            width: count,
            height: count,
            greys,
            rules: HeightRules::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_33_buildings_with_doors_on_the_ground() {
        for (seed, side) in [(1, 256.0), (2, 256.0), (3, 512.0), (9, 150.0)] {
            for drawn in [Drawn::Polygons, Drawn::HeightMap] {
                let block = CityBlock {
                    seed,
                    side,
                    drawn,
                    pixels: if side > 300.0 { 512 } else { 300 },
                    ..CityBlock::default()
                };
                let scene = block.draw().unwrap();
                let doors = || scene.areas.iter().filter(|a| a.name.starts_with("door-"));
                assert_eq!(doors().count(), 33);
                let exits = scene.areas.iter().filter(|a| a.name.starts_with("exit-"));
                assert_eq!(exits.clone().count(), 20);
                let Some(cells) = &scene.cells else { continue };
                for area in doors().chain(exits) {
                    let corners = &area.shape.outer;
                    let middle = (corners[0] + corners[2]) / 2.0;
                    let at = (middle / cells.cell).floor();
                    let cell = at.y as usize * cells.width + at.x as usize;
                    assert!(cells.walkable[cell], "{} of {seed}, {side}", area.name);
                }
                let free = cells.walkable.iter().filter(|w| **w).count();
                let share = free as f64 / cells.walkable.len() as f64;
                assert!((0.3..0.7).contains(&share), "{share}");
            }
        }
    }

    #[test]
    fn the_closed_yard_is_reported() {
        let block = CityBlock {
            drawn: Drawn::HeightMap,
            ..CityBlock::default()
        };
        let scene = block.draw().unwrap();
        let yards = scene.notices.iter().filter(|n| n.contains("courtyard"));
        assert_eq!(yards.count(), 1, "{:?}", scene.notices);
        assert_eq!(scene.obstacles.len(), 60);
    }
}
