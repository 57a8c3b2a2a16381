//! PNG pictures: dark pixels are walls, or grey levels are heights.
//!
//! A pixel darker than `threshold` (of 255; what is transparent counts as white) is a wall, a
//! lighter one walkable; each is a square of `metres_per_pixel`. The picture appears upright in
//! a plan with y up: its lower left corner is (0, 0), x grows to the right, y upwards, so that
//! row 0 of the file is the top and holds the largest y.
//!
//! With `height_map` the picture holds heights seen from above, and walls are where they step: see
//! [`crate::height_map`]. With `heights` alone it is a terrain: pixel centres are the corners of a
//! mesh with z from 0 (black) to `heights` metres (white), 16-bit greys in full resolution.

use std::io::Cursor;

use glam::{DVec2, DVec3};
use image::{ImageDecoder, ImageFormat, ImageReader, Limits};
use throng_kit::environment::{Environment, FileCells, HeightPicture, Mesh};

use crate::cells::{self, MOST_CELLS};
use crate::error::{Fault, Place};
use crate::height_map;
use crate::options::ReadOptions;

/// Deflate packs at most 1032 bytes into one, and a byte holds up to 8 pixels.
const MOST_PIXELS_PER_BYTE: u64 = 8 * 1032;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Environment, Fault> {
    let broken = |error: image::ImageError| {
        Fault::malformed(
            Place::File,
            format!("the picture cannot be decoded: {error}"),
            "save it again as PNG",
        )
    };
    if let Some((width, height)) = declared_size(bytes) {
        let pixels = u64::from(width) * u64::from(height);
        if pixels > MOST_CELLS as u64 {
            return Err(Fault::too_large(
                Place::Byte(16),
                format!("its {width} x {height} pixels are more than {MOST_CELLS}"),
                "make the picture smaller",
            ));
        }
        if pixels > MOST_PIXELS_PER_BYTE * bytes.len() as u64 {
            return Err(Fault::malformed(
                Place::Byte(16),
                format!(
                    "its header declares {width} x {height} pixels, which {} bytes cannot hold",
                    bytes.len()
                ),
                "save the picture again as PNG",
            ));
        }
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), ImageFormat::Png);
    let mut limits = Limits::default();
    limits.max_alloc = Some(16 * MOST_CELLS as u64);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(broken)?;
    let (width, height) = decoder.dimensions();
    let picture = image::DynamicImage::from_decoder(decoder).map_err(broken)?;
    let (width, height) = (width as usize, height as usize);
    let greys = greys(picture);
    if let Some(rules) = options.height_map {
        let picture = HeightPicture {
            width,
            height,
            greys,
            rules,
        };
        let cell = options.metres_per_pixel * options.scale;
        return height_map::environment(picture, cell, &options.grounds);
    }
    let Some(top) = options.heights else {
        let threshold = u16::from(options.threshold) * 257;
        let walkable = (0..height)
            .rev()
            .flat_map(|row| &greys[row * width..(row + 1) * width])
            .map(|grey| *grey >= threshold)
            .collect();
        let cells = FileCells {
            low: DVec2::ZERO,
            cell: options.metres_per_pixel * options.scale,
            width,
            height,
            walkable,
        };
        return cells::environment(cells, Vec::new());
    };
    terrain(&greys, width, height, top, options)
}

/// Width and height in a PNG's header, before anything is made of them.
fn declared_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let word = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    (bytes.get(12..16)? == b"IHDR").then_some((word(16)?, word(20)?))
}

/// Grey levels over a white ground, row by row from the top.
fn greys(picture: image::DynamicImage) -> Vec<u16> {
    const WHITE: u32 = u16::MAX as u32;
    picture
        .into_luma_alpha16()
        .pixels()
        .map(|pixel| {
            let [grey, alpha] = pixel.0.map(u32::from);
            // Fits: the sum of the weights is WHITE.
            ((grey * alpha + WHITE * (WHITE - alpha)) / WHITE) as u16
        })
        .collect()
}

fn terrain(
    greys: &[u16],
    width: usize,
    height: usize,
    top: f64,
    options: &ReadOptions,
) -> Result<Environment, Fault> {
    if width < 2 || height < 2 {
        return Err(Fault::geometry(
            Place::File,
            format!("a height map of {width} x {height} pixels has no surface"),
            "give at least 2 x 2 pixels",
        ));
    }
    let step = options.metres_per_pixel * options.scale;
    let vertices = (0..height)
        .flat_map(|y| (0..width).map(move |x| (x, y)))
        .map(|(x, y)| {
            let grey = f64::from(greys[(height - 1 - y) * width + x]) / 65535.0;
            DVec3::new(step * (x as f64 + 0.5), step * (y as f64 + 0.5), top * grey)
        })
        .collect();
    let triangles = (0..height - 1)
        .flat_map(|y| (0..width - 1).map(move |x| (y * width + x) as u32))
        .flat_map(|corner| {
            let above = corner + width as u32;
            [[corner, corner + 1, above + 1], [corner, above + 1, above]]
        })
        .collect();
    Ok(Environment {
        mesh: Some(Mesh {
            vertices,
            triangles,
        }),
        ..Environment::default()
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A grey picture as PNG bytes, rows from the top.
    pub(crate) fn png(width: u32, greys: &[u8]) -> Vec<u8> {
        let height = greys.len() as u32 / width;
        let picture = image::GrayImage::from_raw(width, height, greys.to_vec()).unwrap();
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn the_picture_stands_upright() {
        // A wall in the upper left pixel of 2 x 2.
        let options = ReadOptions {
            metres_per_pixel: 0.5,
            ..ReadOptions::default()
        };
        let env = read(&png(2, &[0, 255, 200, 128]), &options).unwrap();
        let cells = env.cells.unwrap();
        assert_eq!(cells.walkable, [true, true, false, true]);
        let outer = &env.floors[0].walkable[0].outer;
        assert!(outer.contains(&DVec2::new(1.0, 1.0)));
        assert!(!outer.contains(&DVec2::new(0.0, 1.0)));
    }

    #[test]
    fn walls_are_found_in_heights_on_request() {
        // A block of 4 x 4 pixels on a ground of 16 x 16, as 8-bit greys.
        let greys: Vec<u8> = (0..256)
            .map(|i| {
                let (x, y) = (i % 16, i / 16);
                if (6..10).contains(&x) && (6..10).contains(&y) {
                    200
                } else {
                    10
                }
            })
            .collect();
        let options = ReadOptions {
            height_map: Some(Default::default()),
            metres_per_pixel: 0.5,
            ..ReadOptions::default()
        };
        let env = read(&png(16, &greys), &options).unwrap();
        let cells = env.cells.unwrap();
        // The edge takes a pixel outside, dilation one more; the median filter rounds the corners.
        let blocked = cells.walkable.iter().filter(|w| !**w).count();
        assert_eq!(blocked, 64 - 4);
        assert_eq!(env.floors[0].walkable[0].holes.len(), 1);
        assert!(env.heights.is_some());
    }

    #[test]
    fn greys_are_heights_on_request() {
        let options = ReadOptions {
            heights: Some(51.0),
            ..ReadOptions::default()
        };
        let env = read(&png(2, &[0, 255, 5, 10]), &options).unwrap();
        let mesh = env.mesh.unwrap();
        let heights: Vec<f64> = mesh.vertices.iter().map(|v| v.z).collect();
        for (found, expected) in heights.iter().zip([1.0, 2.0, 0.0, 51.0]) {
            assert!((found - expected).abs() < 1e-9);
        }
        assert_eq!(mesh.triangles, [[0, 1, 3], [0, 3, 2]]);
    }
}
