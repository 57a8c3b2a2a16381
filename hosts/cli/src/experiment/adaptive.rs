//! What the experiments on adaptive grids share: the city block, its image, doors and exits.

use glam::Vec2;
use throng::environment::Environment;
use throng_nav_adaptive_grid::{Partition, Sheet};

use crate::{draw::Drawn, failure::Failure};

/// The thesis whose figures stand beside ours.
pub const PAPER: &str = "Akaydin: Adaptive grids: an approach for real-time crowd simulation, \
                         Bilkent University 2010";

/// The city block as a picture of heights, walls found in it.
pub fn city_block(pixels: usize) -> Result<Environment, Failure> {
    let mut options = toml::Table::new();
    options.insert("drawn".into(), "height-map".into());
    options.insert("pixels".into(), (pixels as i64).into());
    throng::scenes::generate("city-block", &options).map_err(Failure::run)
}

/// The navigable image of an environment that is a grid, row 0 at the top.
pub fn sheet_of(environment: &Environment) -> Result<Sheet, Failure> {
    let cells = environment
        .cells
        .as_ref()
        .ok_or_else(|| Failure::run("the scene has no cells"))?;
    let free: Vec<bool> = (0..cells.height)
        .rev()
        .flat_map(|row| &cells.walkable[row * cells.width..(row + 1) * cells.width])
        .copied()
        .collect();
    Ok(Sheet::of_image(
        cells.width as u32,
        cells.height as u32,
        &free,
    ))
}

/// Names of the doors and street exits.
pub fn places() -> Vec<String> {
    let doors = (1..=33).map(|i| format!("door-{i}"));
    doors.chain((1..=20).map(|i| format!("exit-{i}"))).collect()
}

/// Sources at all doors and exits that hold so many people together; everybody goes to a door or
/// exit drawn by lot, is removed there, and somebody new sets out.
pub fn sources(agents: u64) -> String {
    let places = places();
    let count = places.len() as u64;
    let mut text = String::new();
    for (i, place) in places.iter().enumerate() {
        let hold = agents / count + u64::from((i as u64) < agents % count);
        if hold == 0 {
            continue;
        }
        let goals: Vec<String> = places
            .iter()
            .filter(|other| *other != place)
            .map(|other| format!("{other:?}"))
            .collect();
        text += &format!(
            "[[source]]\narea = {place:?}\nhold = {hold}\ngoals = [{}]\nchoose = \"random\"\n",
            goals.join(", ")
        );
    }
    text
}

/// A picture of pixels, rows from the top.
pub fn pixels(
    width: u32,
    height: u32,
    colour: impl Fn(u32, u32) -> [u8; 3],
) -> Result<Drawn, Failure> {
    let mut pixmap = tiny_skia::Pixmap::new(width, height)
        .ok_or_else(|| Failure::run("a picture without pixels"))?;
    for (i, pixel) in pixmap.data_mut().chunks_exact_mut(4).enumerate() {
        let [red, green, blue] = colour(i as u32 % width, i as u32 / width);
        pixel.copy_from_slice(&[red, green, blue, 255]);
    }
    Ok(Drawn {
        png: pixmap.encode_png().map_err(Failure::run)?,
        svg: None,
    })
}

/// A partition: a colour per rectangle, borders dark, walls black; two pixels a cell.
pub fn partition_picture(sheet: &Sheet, partition: &Partition) -> Result<Drawn, Failure> {
    let owner = |x: u32, y: u32| partition.owner[sheet.cell(y, x) as usize];
    pixels(sheet.width * 2, sheet.height * 2, |x, y| {
        let (column, row) = (x / 2, y / 2);
        let seed = owner(column, row);
        if seed == throng::core::NONE {
            return [0, 0, 0];
        }
        let right = x % 2 == 1 && column + 1 < sheet.width && owner(column + 1, row) != seed;
        let below = y % 2 == 1 && row + 1 < sheet.height && owner(column, row + 1) != seed;
        if right || below {
            return [70, 70, 70];
        }
        let hash = throng::core::random::mix(u64::from(seed) + 1);
        [hash, hash >> 8, hash >> 16].map(|h| 120 + (h % 128) as u8)
    })
}

/// A direction as the thesis draws it (figures 3.12 and 3.14): red is up, green is left.
pub fn direction_colour(way: Vec2) -> [u8; 3] {
    if way == Vec2::ZERO {
        return [40, 40, 90];
    }
    let level = |share: f32| ((share + 1.0) * 127.0) as u8;
    [level(way.y), level(-way.x), 0]
}

/// Slope, offset and coefficient of determination of a straight line through points.
pub fn straight_line(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let count = points.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let (xx, xy) = (
        sum(&|p| (p.0 - x) * (p.0 - x)),
        sum(&|p| (p.0 - x) * (p.1 - y)),
    );
    let slope = if xx > 0.0 { xy / xx } else { 0.0 };
    let offset = y - slope * x;
    let off = |p: &(f64, f64)| p.1 - (offset + slope * p.0);
    let (rest, all) = (sum(&|p| off(p) * off(p)), sum(&|p| (p.1 - y) * (p.1 - y)));
    let share = if all > 0.0 { 1.0 - rest / all } else { 1.0 };
    (slope, offset, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_told_from_a_cloud() {
        let (slope, offset, share) = straight_line(&[(1.0, 5.0), (2.0, 7.0), (4.0, 11.0)]);
        assert!((slope - 2.0).abs() < 1e-12 && (offset - 3.0).abs() < 1e-12);
        assert!((share - 1.0).abs() < 1e-12);
        let cloud = straight_line(&[(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 1.0)]);
        assert!(cloud.2 < 0.5);
    }

    #[test]
    fn sources_hold_the_count() {
        let text = sources(500);
        let held: u64 = text
            .lines()
            .filter_map(|l| l.strip_prefix("hold = ")?.parse::<u64>().ok())
            .sum();
        assert_eq!(held, 500);
        assert_eq!(text.matches("[[source]]").count(), 53);
    }
}
