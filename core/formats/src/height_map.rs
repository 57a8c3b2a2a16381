//! Walls found in a picture of heights seen from above (Akaydin 2010, section 3.1.3.2).
//!
//! A median filter takes out noise, heights become shares of their range, Sobel filters in four
//! directions find where they rise, and a step above a threshold in any of them is an edge. What
//! lies between edges falls into parts joined through sides of pixels. The largest part is the
//! ground, and so is each that a named area meets; all else is solid, roofs and edges, and is made
//! larger by a few pixels to keep people off the walls. Parts at the height of the ground that are
//! closed off (courtyards) are solid too, and reported. Every stage can be looked at as a picture.

use glam::DVec2;
use throng_kit::environment::{Environment, FileCells, HeightPicture, Polygon};

use crate::cells;
use crate::error::Fault;

/// What was found on the way from heights to ground. Rows run from the top, as in the picture.
#[derive(Clone, Debug)]
pub struct Stages {
    /// Pixels along x.
    pub width: usize,
    /// Pixels along y.
    pub height: usize,
    /// Heights after the median filter.
    pub median: Vec<u16>,
    /// Heights as shares of their range.
    pub normalised: Vec<f32>,
    /// Rises towards north, east, south and west, as shares of the range.
    pub rises: [Vec<f32>; 4],
    /// Whether each of them is above the threshold.
    pub steep: [Vec<bool>; 4],
    /// Whether there is an edge.
    pub edges: Vec<bool>,
    /// The part of each pixel that is no edge, from 1; 0 on edges.
    pub parts: Vec<u32>,
    /// Whether a pixel is ground, before solid things were made larger.
    pub ground: Vec<bool>,
    /// Whether a pixel can be walked on.
    pub navigable: Vec<bool>,
    /// Parts at the height of the ground that nothing joins to it.
    pub courtyards: Vec<Courtyard>,
}

/// A part at the height of the ground that is closed off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Courtyard {
    /// Its pixels.
    pub pixels: usize,
    /// Its first pixel by rows: column and row from the top.
    pub at: (usize, usize),
}

/// Finds walls in a picture. `is_wanted` tells of a pixel (column, row from the top) whether its
/// part must be ground.
pub fn stages(picture: &HeightPicture, mut is_wanted: impl FnMut(usize, usize) -> bool) -> Stages {
    let (width, height) = (picture.width, picture.height);
    let rules = &picture.rules;
    let median = median(&picture.greys, width, height, rules.median as usize);
    let normalised = normalised(&median);
    let rises = rises(&normalised, width, height);
    let steep = |rises: &Vec<f32>| rises.iter().map(|r| f64::from(*r) > rules.edge).collect();
    let steep: [Vec<bool>; 4] = rises.each_ref().map(steep);
    let edges: Vec<bool> = (0..width * height)
        .map(|i| steep.iter().any(|steep| steep[i]))
        .collect();
    let (parts, sizes) = parts(&edges, width, height);
    let mut is_ground = vec![false; sizes.len()];
    // The largest part, of equal ones the first.
    if let Some(largest) = (1..sizes.len()).rev().max_by_key(|p| sizes[*p]) {
        is_ground[largest] = true;
    }
    let level = mean_height(&normalised, &parts, &is_ground);
    for (i, &part) in parts.iter().enumerate() {
        if part != 0 && !is_ground[part as usize] && is_wanted(i % width, i / width) {
            is_ground[part as usize] = true;
        }
    }
    let ground: Vec<bool> = parts.iter().map(|p| is_ground[*p as usize]).collect();
    let courtyards = courtyards(&normalised, &parts, &sizes, &is_ground, level, picture);
    let navigable = eroded(&ground, width, height, rules.dilation as usize);
    Stages {
        width,
        height,
        median,
        normalised,
        rises,
        steep,
        edges,
        parts,
        ground,
        navigable,
        courtyards,
    }
}

/// The median over squares; beyond the border the picture goes on as at its border.
fn median(greys: &[u16], width: usize, height: usize, half: usize) -> Vec<u16> {
    if half == 0 {
        return greys.to_vec();
    }
    let mut window = Vec::with_capacity((2 * half + 1) * (2 * half + 1));
    let within =
        |at: usize, offset: usize, size: usize| (at + offset).saturating_sub(half).min(size - 1);
    let mut out = Vec::with_capacity(greys.len());
    for y in 0..height {
        for x in 0..width {
            window.clear();
            for dy in 0..=2 * half {
                let row = within(y, dy, height) * width;
                window.extend((0..=2 * half).map(|dx| greys[row + within(x, dx, width)]));
            }
            let middle = window.len() / 2;
            out.push(*window.select_nth_unstable(middle).1);
        }
    }
    out
}

fn normalised(greys: &[u16]) -> Vec<f32> {
    let low = greys.iter().copied().min().unwrap_or(0);
    let high = greys.iter().copied().max().unwrap_or(0);
    let range = f32::from(high - low).max(1.0);
    greys.iter().map(|g| f32::from(g - low) / range).collect()
}

/// Sobel's derivatives towards north, east, south and west, where they rise: a step between two
/// columns is as high as its share of the range on both of them.
fn rises(heights: &[f32], width: usize, height: usize) -> [Vec<f32>; 4] {
    let mut out = [(); 4].map(|()| vec![0.0; heights.len()]);
    for y in 0..height {
        let rows = [y.saturating_sub(1), y, (y + 1).min(height - 1)].map(|r| r * width);
        for x in 0..width {
            let columns = [x.saturating_sub(1), x, (x + 1).min(width - 1)];
            let at = |row: usize, column: usize| heights[rows[row] + columns[column]];
            let weighed = |of: &dyn Fn(usize) -> f32| (of(0) + 2.0 * of(1) + of(2)) / 4.0;
            let east = weighed(&|i| at(i, 2)) - weighed(&|i| at(i, 0));
            let north = weighed(&|i| at(0, i)) - weighed(&|i| at(2, i));
            let i = y * width + x;
            for (rise, value) in out.iter_mut().zip([north, east, -north, -east]) {
                rise[i] = value.max(0.0);
            }
        }
    }
    out
}

/// Numbers the parts between edges from 1, by their first pixels; gives their sizes too.
fn parts(edges: &[bool], width: usize, height: usize) -> (Vec<u32>, Vec<usize>) {
    let mut part = vec![0_u32; edges.len()];
    let mut sizes = vec![0];
    let mut open = Vec::new();
    for first in 0..edges.len() {
        if edges[first] || part[first] != 0 {
            continue;
        }
        let id = sizes.len() as u32;
        sizes.push(0);
        part[first] = id;
        open.push(first);
        while let Some(at) = open.pop() {
            sizes[id as usize] += 1;
            let (x, y) = (at % width, at / width);
            let beside = [
                (x > 0).then(|| at - 1),
                (x + 1 < width).then(|| at + 1),
                (y > 0).then(|| at - width),
                (y + 1 < height).then(|| at + width),
            ];
            for next in beside.into_iter().flatten() {
                if !edges[next] && part[next] == 0 {
                    part[next] = id;
                    open.push(next);
                }
            }
        }
    }
    (part, sizes)
}

fn mean_height(heights: &[f32], parts: &[u32], is_ground: &[bool]) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for (height, part) in heights.iter().zip(parts) {
        if is_ground[*part as usize] {
            sum += f64::from(*height);
            count += 1;
        }
    }
    sum / count.max(1) as f64
}

fn courtyards(
    heights: &[f32],
    parts: &[u32],
    sizes: &[usize],
    is_ground: &[bool],
    level: f64,
    picture: &HeightPicture,
) -> Vec<Courtyard> {
    let mut sum = vec![0.0; sizes.len()];
    let mut first = vec![usize::MAX; sizes.len()];
    for (i, part) in parts.iter().enumerate() {
        let p = *part as usize;
        sum[p] += f64::from(heights[i]);
        first[p] = first[p].min(i);
    }
    (1..sizes.len())
        .filter(|&p| !is_ground[p])
        .filter(|&p| (sum[p] / sizes[p] as f64 - level).abs() <= picture.rules.edge)
        .map(|p| Courtyard {
            pixels: sizes[p],
            at: (first[p] % picture.width, first[p] / picture.width),
        })
        .collect()
}

/// What is left of the ground when all else grows by a square of pixels: rows, then columns.
fn eroded(ground: &[bool], width: usize, height: usize, by: usize) -> Vec<bool> {
    if by == 0 {
        return ground.to_vec();
    }
    let across = |from: &[bool], x: usize, y: usize| {
        let row = &from[y * width..(y + 1) * width];
        row[x.saturating_sub(by)..(x + by + 1).min(width)]
            .iter()
            .all(|free| *free)
    };
    let rows: Vec<bool> = (0..ground.len())
        .map(|i| across(ground, i % width, i / width))
        .collect();
    (0..ground.len())
        .map(|i| {
            let (x, y) = (i % width, i / width);
            (y.saturating_sub(by)..(y + by + 1).min(height)).all(|y| rows[y * width + x])
        })
        .collect()
}

impl Stages {
    /// Every stage as a grey picture: its name, and rows from the top.
    pub fn pictures(&self) -> Vec<(&'static str, Vec<u8>)> {
        let grey = |of: &[f32]| of.iter().map(|v| (v * 255.0).round() as u8).collect();
        let black_and_white = |of: &[bool]| of.iter().map(|b| u8::from(*b) * 255).collect();
        let [north, east, south, west] = &self.rises;
        let [steep_north, steep_east, steep_south, steep_west] = &self.steep;
        vec![
            (
                "1-median",
                self.median.iter().map(|g| (g >> 8) as u8).collect(),
            ),
            ("2-normalised", grey(&self.normalised)),
            ("3-sobel-north", grey(north)),
            ("4-sobel-east", grey(east)),
            ("5-sobel-south", grey(south)),
            ("6-sobel-west", grey(west)),
            ("7-threshold-north", black_and_white(steep_north)),
            ("8-threshold-east", black_and_white(steep_east)),
            ("9-threshold-south", black_and_white(steep_south)),
            ("10-threshold-west", black_and_white(steep_west)),
            ("11-edges", black_and_white(&self.edges)),
            (
                "12-components",
                self.parts
                    .iter()
                    .map(|p| match p {
                        0 => 0,
                        p => (p.wrapping_mul(97) % 200 + 55) as u8,
                    })
                    .collect(),
            ),
            ("13-ground", black_and_white(&self.ground)),
            ("14-navigable", black_and_white(&self.navigable)),
        ]
    }
}

/// The floor that a picture of heights stands for, with pixels as its cells. Parts of it that one
/// of `grounds` meets are ground.
pub fn environment_of(
    picture: HeightPicture,
    cell: f64,
    grounds: &[Polygon],
) -> Result<Environment, String> {
    environment(picture, cell, grounds)
        .map_err(|fault| fault.in_file("the picture of heights").to_string())
}

pub(crate) fn environment(
    picture: HeightPicture,
    cell: f64,
    grounds: &[Polygon],
) -> Result<Environment, Fault> {
    let (width, height) = (picture.width, picture.height);
    let stages = stages(&picture, |x, row| {
        let at = cell * DVec2::new(x as f64 + 0.5, (height - 1 - row) as f64 + 0.5);
        grounds.iter().any(|shape| holds(&shape.outer, at))
    });
    let mut notices = Vec::new();
    for courtyard in &stages.courtyards {
        notices.push(format!(
            "a courtyard of {:.1} m2 at ({:.1}, {:.1}) is closed off and solid; name an area in it \
             to make it ground",
            courtyard.pixels as f64 * cell * cell,
            cell * (courtyard.at.0 as f64 + 0.5),
            cell * ((height - 1 - courtyard.at.1) as f64 + 0.5)
        ));
    }
    let walkable = (0..height)
        .rev()
        .flat_map(|row| &stages.navigable[row * width..(row + 1) * width])
        .copied()
        .collect();
    let cells = FileCells {
        low: DVec2::ZERO,
        cell,
        width,
        height,
        walkable,
    };
    let mut environment = cells::environment(cells, notices)?;
    environment.heights = Some(picture);
    Ok(environment)
}

/// Whether a ring holds a point.
fn holds(ring: &[DVec2], at: DVec2) -> bool {
    let mut inside = false;
    for (i, &a) in ring.iter().enumerate() {
        let b = ring[(i + 1) % ring.len()];
        if (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::environment::HeightRules;

    fn picture(
        width: usize,
        rules: HeightRules,
        at: impl Fn(usize, usize) -> u16,
    ) -> HeightPicture {
        HeightPicture {
            width,
            height: width,
            greys: (0..width * width)
                .map(|i| at(i % width, i / width))
                .collect(),
            rules,
        }
    }

    fn rules(median: u32, dilation: u32) -> HeightRules {
        HeightRules {
            median,
            edge: 0.1,
            dilation,
        }
    }

    #[test]
    fn a_step_is_as_high_in_the_filter_as_it_is() {
        let step = picture(8, rules(0, 0), |x, _| if x < 4 { 1000 } else { 3000 });
        let found = stages(&step, |_, _| false);
        let east = &found.rises[1];
        assert_eq!(&east[..8], [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        assert!(
            found.rises[3].iter().all(|v| *v == 0.0),
            "nothing rises west"
        );
        assert!(
            found.rises[0]
                .iter()
                .chain(&found.rises[2])
                .all(|v| *v == 0.0)
        );
        // The step parts the picture; of two equal parts the first is the ground.
        assert_eq!(found.courtyards.len(), 0);
        assert_eq!(found.ground.iter().filter(|g| **g).count(), 24);
        assert!(found.ground[0] && !found.ground[7]);
    }

    #[test]
    fn the_median_takes_out_specks_and_slopes_are_no_walls() {
        let speck = picture(16, rules(1, 0), |x, y| {
            if (x, y) == (8, 8) {
                60000
            } else {
                (x * 100) as u16
            }
        });
        let found = stages(&speck, |_, _| false);
        // A slope of a tenth of its range a pixel is at the threshold; a longer one is below it.
        assert!(found.median[8 * 16 + 8] < 1000);
        assert!(found.navigable.iter().filter(|n| !**n).count() < 16 * 16);
        let slope = picture(64, rules(1, 1), |x, _| (x * 500) as u16);
        let found = stages(&slope, |_, _| false);
        assert!(found.navigable.iter().all(|n| *n));
    }

    #[test]
    fn courtyards_are_reported_and_kept_on_request() {
        // A building of 20 x 20 with a yard of 8 x 8 in it.
        let yard = picture(32, rules(0, 0), |x, y| {
            let inside =
                |low: usize, high: usize| (low..high).contains(&x) && (low..high).contains(&y);
            if inside(6, 26) && !inside(12, 20) {
                9000
            } else {
                100
            }
        });
        let found = stages(&yard, |_, _| false);
        assert_eq!(found.courtyards.len(), 1);
        let courtyard = found.courtyards[0];
        assert_eq!((courtyard.pixels, courtyard.at), (36, (13, 13)));
        assert!(!found.navigable[16 * 32 + 16]);
        let kept = stages(&yard, |x, y| (x, y) == (16, 16));
        assert!(kept.navigable[16 * 32 + 16] && kept.courtyards.is_empty());
        // Solid things grow by what is asked for.
        let wide = HeightPicture {
            rules: rules(0, 3),
            ..yard
        };
        let grown = stages(&wide, |_, _| false);
        let count = |of: &[bool]| of.iter().filter(|n| !**n).count();
        assert_eq!(count(&found.navigable), 22 * 22);
        assert_eq!(count(&grown.navigable), 28 * 28);
        assert_eq!(found.pictures().len(), 14);
    }
}
