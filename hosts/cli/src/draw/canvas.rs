//! What pictures are drawn on: pixels for PNG, text for SVG.

use std::fmt::Write;

use glam::Vec2;
use tiny_skia::{FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};

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
