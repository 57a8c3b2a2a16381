//! What pictures are drawn on: pixels for PNG, text for SVG.

use std::fmt::Write;

use glam::Vec2;
use tiny_skia::{
    FillRule, FilterQuality, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapPaint,
    Stroke, Transform,
};

use super::{
    Drawn,
    colours::Colour,
    font::{text_strokes, text_width},
};
use crate::failure::Failure;

/// Where a text stands from its point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture being drawn, in pixels from the upper left, as pixels and as SVG at once.
#[derive(Debug)]
pub struct Canvas {
    pixels: Pixmap,
    svg: Option<String>,
    size: Vec2,
}

impl Canvas {
    /// An empty picture of a size, one colour all over; SVG only where it is wanted.
    pub fn new(size: Vec2, paper: Colour, svg: bool) -> Result<Canvas, Failure> {
        let (width, height) = (size.x.ceil() as u32, size.y.ceil() as u32);
        let mut pixels = Pixmap::new(width, height)
            .ok_or_else(|| Failure::run(format!("a picture of {width} x {height} is too large")))?;
        pixels.fill(tiny_skia::Color::from_rgba8(
            paper.0, paper.1, paper.2, paper.3,
        ));
        let mut canvas = Canvas {
            pixels,
            svg: svg.then(|| {
                format!(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" \
                     height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
                )
            }),
            size,
        };
        canvas.tag(
            "rect",
            &format!("width=\"{width}\" height=\"{height}\""),
            paper,
            None,
        );
        Ok(canvas)
    }

    /// Its size, pixels.
    pub fn size(&self) -> Vec2 {
        self.size
    }

    fn tag(&mut self, name: &str, shape: &str, colour: Colour, stroke: Option<f32>) {
        let Some(svg) = &mut self.svg else {
            return;
        };
        let Colour(r, g, b, a) = colour;
        let rgb = format!("#{r:02x}{g:02x}{b:02x}");
        let opacity = f32::from(a) / 255.0;
        // Writing to a string cannot fail.
        let _ = match (stroke, a) {
            (None, 255) => writeln!(svg, "<{name} {shape} fill=\"{rgb}\"/>"),
            (None, _) => writeln!(
                svg,
                "<{name} {shape} fill=\"{rgb}\" fill-opacity=\"{opacity:.2}\"/>"
            ),
            (Some(width), _) => writeln!(
                svg,
                "<{name} {shape} fill=\"none\" stroke=\"{rgb}\" stroke-opacity=\"{opacity:.2}\" \
                 stroke-width=\"{width:.2}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/>"
            ),
        };
    }

    fn paint(colour: Colour) -> Paint<'static> {
        let mut paint = Paint::default();
        paint.set_color_rgba8(colour.0, colour.1, colour.2, colour.3);
        paint
    }

    /// Fills rings, the even-odd rule making holes.
    pub fn fill(&mut self, rings: &[Vec<Vec2>], colour: Colour) {
        let Some(path) = path_of(rings, true) else {
            return;
        };
        let identity = Transform::identity();
        self.pixels.fill_path(
            &path,
            &Self::paint(colour),
            FillRule::EvenOdd,
            identity,
            None,
        );
        if self.svg.is_some() {
            let shape = format!("fill-rule=\"evenodd\" d=\"{}\"", svg_path(rings, true));
            self.tag("path", &shape, colour, None);
        }
    }

    /// Draws lines of a width.
    pub fn lines(&mut self, lines: &[Vec<Vec2>], width: f32, colour: Colour) {
        let Some(path) = path_of(lines, false) else {
            return;
        };
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            ..Stroke::default()
        };
        let identity = Transform::identity();
        self.pixels
            .stroke_path(&path, &Self::paint(colour), &stroke, identity, None);
        if self.svg.is_some() {
            let shape = format!("d=\"{}\"", svg_path(lines, false));
            self.tag("path", &shape, colour, Some(width));
        }
    }

    /// Fills an upright rectangle.
    pub fn rectangle(&mut self, low: Vec2, high: Vec2, colour: Colour) {
        if let Some(rect) = tiny_skia::Rect::from_ltrb(low.x, low.y, high.x, high.y) {
            let mut paint = Self::paint(colour);
            paint.anti_alias = false;
            self.pixels
                .fill_rect(rect, &paint, Transform::identity(), None);
        }
        let size = high - low;
        let shape = format!(
            "x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" shape-rendering=\"crispEdges\"",
            low.x, low.y, size.x, size.y
        );
        self.tag("rect", &shape, colour, None);
    }

    /// Fills an upright rectangle with cells of colours, row by row from its upper left, smoothly.
    pub fn raster(
        &mut self,
        low: Vec2,
        high: Vec2,
        width: u32,
        cells: &[Colour],
    ) -> Result<(), Failure> {
        let height = cells.len() as u32 / width.max(1);
        let (size, scale) = (
            high - low,
            (high - low) / Vec2::new(width as f32, height as f32),
        );
        let mut image = Pixmap::new(width, height)
            .ok_or_else(|| Failure::run(format!("a raster of {width} x {height} is too large")))?;
        for (pixel, c) in image.pixels_mut().iter_mut().zip(cells) {
            *pixel = tiny_skia::ColorU8::from_rgba(c.0, c.1, c.2, c.3).premultiply();
        }
        let paint = PixmapPaint {
            quality: FilterQuality::Bilinear,
            ..PixmapPaint::default()
        };
        let place = Transform::from_row(scale.x, 0.0, 0.0, scale.y, low.x, low.y);
        self.pixels
            .draw_pixmap(0, 0, image.as_ref(), &paint, place, None);
        if let Some(svg) = &mut self.svg {
            let png = image
                .encode_png()
                .map_err(|e| Failure::run(format!("the raster cannot be packed: {e}")))?;
            // Writing to a string cannot fail.
            let _ = writeln!(
                svg,
                "<image x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" \
                 preserveAspectRatio=\"none\" href=\"data:image/png;base64,{}\"/>",
                low.x,
                low.y,
                size.x,
                size.y,
                base64(&png)
            );
        }
        Ok(())
    }

    /// The pixels so far.
    pub fn pixels(&self) -> &Pixmap {
        &self.pixels
    }

    /// Puts pixels of the same size in place of those so far; the SVG stays.
    pub fn set_pixels(&mut self, pixels: &Pixmap) {
        if self.pixels.data().len() == pixels.data().len() {
            self.pixels.data_mut().copy_from_slice(pixels.data());
        }
    }

    /// Fills a disc.
    pub fn disc(&mut self, centre: Vec2, radius: f32, colour: Colour) {
        if let Some(path) = PathBuilder::from_circle(centre.x, centre.y, radius) {
            let identity = Transform::identity();
            self.pixels.fill_path(
                &path,
                &Self::paint(colour),
                FillRule::Winding,
                identity,
                None,
            );
        }
        let shape = format!(
            "cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.2}\"",
            centre.x, centre.y
        );
        self.tag("circle", &shape, colour, None);
    }

    /// Writes a text whose capitals are so high, at a point of its baseline.
    pub fn text(&mut self, text: &str, at: Vec2, height: f32, anchor: Anchor, colour: Colour) {
        let width = text_width(text, height);
        let start = match anchor {
            Anchor::Start => at.x,
            Anchor::Middle => at.x - width / 2.0,
            Anchor::End => at.x - width,
        };
        let strokes = text_strokes(text, Vec2::new(start, at.y), height);
        self.lines(&strokes, height * 0.13, colour);
    }

    /// The picture, finished.
    pub fn finish(mut self) -> Result<Drawn, Failure> {
        if let Some(svg) = &mut self.svg {
            svg.push_str("</svg>\n");
        }
        let png = self
            .pixels
            .encode_png()
            .map_err(|e| Failure::run(format!("the picture cannot be packed: {e}")))?;
        Ok(Drawn { png, svg: self.svg })
    }
}

/// Bytes as letters, as SVG takes pictures.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= three.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    text
}

fn path_of(lines: &[Vec<Vec2>], closed: bool) -> Option<Path> {
    let mut builder = PathBuilder::new();
    for line in lines.iter().filter(|line| line.len() > 1) {
        for (i, p) in line.iter().enumerate() {
            if !p.is_finite() {
                continue;
            }
            match i {
                0 => builder.move_to(p.x, p.y),
                _ => builder.line_to(p.x, p.y),
            }
        }
        if closed {
            builder.close();
        }
    }
    builder.finish()
}

fn svg_path(lines: &[Vec<Vec2>], closed: bool) -> String {
    let mut text = String::new();
    for line in lines.iter().filter(|line| line.len() > 1) {
        for (i, p) in line.iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{}{:.1} {:.1}",
                if i == 0 { "M" } else { "L" },
                p.x,
                p.y
            );
        }
        if closed {
            text.push('Z');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_pads_as_the_standard_says() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
