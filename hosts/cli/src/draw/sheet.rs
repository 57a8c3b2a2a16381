//! The layout of a picture: title on top, panels in the middle, scale and key below.

use glam::Vec2;

use super::{
    canvas::{Anchor, Canvas},
    chart::Axis,
    colours::{self, Colour},
    font::text_width,
    storeys::Storey,
};
use crate::failure::Failure;

const MARGIN: f32 = 36.0;
const TITLE: f32 = 17.0;
const SMALL: f32 = 10.0;
const HEAD: f32 = 86.0;
const FOOT: f32 = 74.0;
const GAP: f32 = 34.0;
/// The largest drawing, pixels.
const MOST: Vec2 = Vec2::new(1500.0, 960.0);
const LEAST_WIDTH: f32 = 860.0;

/// Where a panel lies on the sheet.
#[derive(Clone, Copy, Debug)]
pub struct Panel {
    low: Vec2,
    high: Vec2,
    corner: Vec2,
    /// Pixels per metre.
    pub scale: f32,
}

impl Panel {
    /// The pixel of a local point: y points up in the world and down on paper.
    pub fn at(&self, point: Vec2) -> Vec2 {
        self.corner + Vec2::new(point.x - self.low.x, self.high.y - point.y) * self.scale
    }

    /// Its corners on the sheet.
    pub fn frame(&self) -> (Vec2, Vec2) {
        let grow = Vec2::splat(4.0);
        (
            self.corner - grow,
            self.corner + (self.high - self.low) * self.scale + grow,
        )
    }
}

/// A picture with its panels.
#[derive(Debug)]
pub struct Sheet {
    /// What is drawn on.
    pub canvas: Canvas,
    /// The panels.
    pub panels: Vec<Panel>,
    key_at: f32,
}

impl Sheet {
    /// A sheet for these floors, in as many columns as shows them largest.
    pub fn new(
        storeys: &[Storey],
        title: &str,
        subtitle: &str,
        svg: bool,
    ) -> Result<Sheet, Failure> {
        Sheet::within(MOST, storeys, title, subtitle, svg)
    }

    /// The same with a drawing of at most so many pixels.
    pub fn within(
        most: Vec2,
        storeys: &[Storey],
        title: &str,
        subtitle: &str,
        svg: bool,
    ) -> Result<Sheet, Failure> {
        let size = storeys
            .iter()
            .fold(Vec2::splat(0.1), |most, s| most.max(s.high - s.low));
        let grid = |columns: usize| {
            let rows = storeys.len().div_ceil(columns);
            let gaps = Vec2::new(columns as f32 - 1.0, rows as f32 - 1.0) * GAP;
            let scale =
                ((most - gaps) / (size * Vec2::new(columns as f32, rows as f32))).min_element();
            (scale, rows, gaps)
        };
        let columns = (1..=storeys.len().max(1))
            .max_by(|a, b| grid(*a).0.total_cmp(&grid(*b).0))
            .unwrap_or(1);
        let (scale, rows, gaps) = grid(columns);
        let used = size * scale * Vec2::new(columns as f32, rows as f32) + gaps;
        // Names of floors stand above their panels.
        let named = storeys.iter().any(|s| !s.name.is_empty());
        let head = if named { HEAD + 16.0 } else { HEAD };
        let width = (used.x + 2.0 * MARGIN).max(LEAST_WIDTH.min(most.x));
        let mut canvas = Canvas::new(Vec2::new(width, head + used.y + FOOT), colours::PAPER, svg)?;
        canvas.text(
            title,
            Vec2::new(MARGIN, 40.0),
            TITLE,
            Anchor::Start,
            colours::INK,
        );
        canvas.text(
            subtitle,
            Vec2::new(MARGIN, 64.0),
            SMALL,
            Anchor::Start,
            colours::PALE_INK,
        );
        let start = Vec2::new((width - used.x) / 2.0, head);
        let panels: Vec<Panel> = storeys
            .iter()
            .enumerate()
            .map(|(i, storey)| {
                let cell = Vec2::new((i % columns) as f32, (i / columns) as f32);
                let spare = (size - (storey.high - storey.low)) * scale / 2.0;
                Panel {
                    low: storey.low,
                    high: storey.high,
                    corner: start + cell * (size * scale + GAP) + spare,
                    scale,
                }
            })
            .collect();
        for (panel, storey) in panels.iter().zip(storeys) {
            if !storey.name.is_empty() {
                let at = panel.frame().0 - Vec2::new(-4.0, 6.0);
                canvas.text(&storey.name, at, SMALL, Anchor::Start, colours::INK);
            }
        }
        Ok(Sheet {
            canvas,
            panels,
            key_at: MARGIN,
        })
    }

    fn baseline(&self) -> f32 {
        self.canvas.size().y - 30.0
    }

    /// Draws the scale: a bar of a round length.
    pub fn scale_bar(&mut self) {
        let Some(scale) = self.panels.first().map(|p| p.scale) else {
            return;
        };
        let metres = round_below(150.0 / f64::from(scale));
        let length = metres as f32 * scale;
        let y = self.baseline();
        let (a, b) = (
            Vec2::new(self.key_at, y),
            Vec2::new(self.key_at + length, y),
        );
        let tick = Vec2::new(0.0, 5.0);
        let lines = [
            vec![a, b],
            vec![a - tick, a + tick],
            vec![b - tick, b + tick],
        ];
        self.canvas.lines(&lines, 2.0, colours::INK);
        let at = Vec2::new(self.key_at, y - 14.0);
        let label = format!("{metres} m");
        self.canvas
            .text(&label, at, SMALL, Anchor::Start, colours::INK);
        self.key_at += length.max(text_width(&label, SMALL)) + 44.0;
    }

    /// Draws the key of the heat, from 0 to a density.
    pub fn heat_bar(&mut self, most: f32) {
        let (width, y) = (200.0, self.baseline());
        for i in 0..100 {
            let left = self.key_at + width * i as f32 / 100.0;
            let low = Vec2::new(left, y - 6.0);
            let high = Vec2::new(left + width / 100.0 + 0.5, y + 6.0);
            self.canvas
                .rectangle(low, high, colours::heat(i as f32 / 99.0));
        }
        let ends = format!("mean density over the run, 0 to {most} persons/m²");
        let at = Vec2::new(self.key_at, y - 14.0);
        self.canvas
            .text(&ends, at, SMALL, Anchor::Start, colours::INK);
        self.key_at += width.max(text_width(&ends, SMALL)) + 44.0;
    }

    /// Draws the key of a quantity, from 0 to a value in a palette, with ticks at round numbers.
    pub fn colour_bar(&mut self, words: &str, most: f32, palette: fn(f32) -> Colour) {
        let (width, y) = (260.0, self.baseline() - 4.0);
        let left = self.key_at;
        for i in 0..130 {
            let from = Vec2::new(left + width * i as f32 / 130.0, y - 6.0);
            let to = Vec2::new(left + width * (i + 1) as f32 / 130.0 + 0.5, y + 6.0);
            self.canvas.rectangle(from, to, palette(i as f32 / 129.0));
        }
        let at = Vec2::new(left, y - 14.0);
        self.canvas
            .text(words, at, SMALL, Anchor::Start, colours::INK);
        let axis = Axis::until(f64::from(most), 5);
        for value in axis.ticks() {
            let x = left + width * (value / f64::from(most)) as f32;
            let tick = [vec![Vec2::new(x, y + 6.0), Vec2::new(x, y + 10.0)]];
            self.canvas.lines(&tick, 1.0, colours::INK);
            let at = Vec2::new(x, y + 24.0);
            self.canvas.text(
                &axis.label(value),
                at,
                SMALL,
                Anchor::Middle,
                colours::PALE_INK,
            );
        }
        self.key_at += width.max(text_width(words, SMALL)) + 44.0;
    }

    /// Draws an entry of the key: a disc and a word, as long as there is room.
    pub fn entry(&mut self, name: &str, colour: Colour) {
        let width = text_width(name, SMALL) + 40.0;
        if self.key_at + width > self.canvas.size().x - MARGIN {
            return;
        }
        let y = self.baseline();
        self.canvas
            .disc(Vec2::new(self.key_at + 5.0, y), 5.0, colour);
        let at = Vec2::new(self.key_at + 16.0, y + SMALL / 2.0);
        self.canvas
            .text(name, at, SMALL, Anchor::Start, colours::INK);
        self.key_at += width;
    }
}

/// The largest of 1, 2, 5, 10, 20, … below a number, and of their tenths.
pub fn round_below(most: f64) -> f64 {
    let mut round = 1e-3f64;
    loop {
        for step in [1.0, 2.0, 5.0] {
            // Tenths as quotients print without stray digits.
            let next = if round < 1.0 {
                step / (1.0 / round).round()
            } else {
                step * round
            };
            if next * 2.0 > most && step == 5.0
                || next * 2.5 > most && step == 2.0
                || next * 2.0 > most && step == 1.0
            {
                return next;
            }
        }
        round *= 10.0;
        if round > 1e12 {
            return round;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round() {
        for (most, expected) in [
            (150.0, 100.0),
            (49.0, 20.0),
            (50.0, 50.0),
            (9.9, 5.0),
            (0.3, 0.2),
        ] {
            assert_eq!(round_below(most), expected, "below {most}");
        }
    }
}
