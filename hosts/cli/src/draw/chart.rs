//! Charts: two axes with round numbers, a title that says what is shown, a key below.

use glam::Vec2;

use super::{
    Drawn,
    canvas::{Anchor, Canvas},
    colours::{self, Colour},
    font::text_width,
};
use crate::failure::Failure;

const SIZE: Vec2 = Vec2::new(960.0, 600.0);
const LEFT: f32 = 78.0;
const RIGHT: f32 = 46.0;
const TOP: f32 = 118.0;
const BOTTOM: f32 = 66.0;
const KEY_ROW: f32 = 24.0;
const TITLE: f32 = 17.0;
const SMALL: f32 = 10.0;
const GRID: Colour = Colour(228, 229, 232, 255);

/// A range that begins and ends at round numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub step: f64,
}

impl Axis {
    /// From 0 to a round number that covers a value, with at most so many steps.
    pub fn covering(most: f64, steps: usize) -> Axis {
        let most = if most > 0.0 && most.is_finite() {
            most
        } else {
            1.0
        };
        let step = round_step(most / steps.max(1) as f64);
        Axis {
            low: 0.0,
            high: (most / step - 1e-9).ceil() * step,
            step,
        }
    }

    /// From 0 to just a value, ticks at round numbers.
    pub fn until(most: f64, steps: usize) -> Axis {
        Axis {
            high: if most > 0.0 { most } else { 1.0 },
            ..Axis::covering(most, steps)
        }
    }

    /// A range of counts: the same with whole steps.
    pub fn counting(most: f64, steps: usize) -> Axis {
        let axis = Axis::covering(most.max(1.0), steps);
        if axis.step < 1.0 {
            Axis {
                low: 0.0,
                high: most.max(1.0).ceil(),
                step: 1.0,
            }
        } else {
            axis
        }
    }

    /// The round numbers on it.
    pub fn ticks(&self) -> Vec<f64> {
        let count = ((self.high - self.low) / self.step + 1e-6) as usize;
        (0..=count)
            .map(|i| self.low + i as f64 * self.step)
            .collect()
    }

    /// A number with as many decimals as the steps need.
    pub fn label(&self, value: f64) -> String {
        let mut decimals = 0;
        let mut step = self.step;
        while decimals < 6 && (step - step.round()).abs() > 1e-6 * step.abs().max(1e-12) {
            step *= 10.0;
            decimals += 1;
        }
        format!("{value:.decimals$}")
    }

    fn share(&self, value: f64) -> f32 {
        ((value - self.low) / (self.high - self.low)) as f32
    }
}

/// The next of 1, 2, 5 and their tens at or above a number.
pub fn round_step(least: f64) -> f64 {
    let mut unit = 1.0f64;
    while unit > least && unit > 1e-12 {
        unit /= 10.0;
    }
    while unit * 10.0 <= least && unit < 1e15 {
        unit *= 10.0;
    }
    let found = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|s| s * unit >= least * (1.0 - 1e-9));
    found.unwrap_or(10.0) * unit
}

/// What a chart is called.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    pub title: &'a str,
    pub subtitle: &'a str,
    pub x: &'a str,
    pub y: &'a str,
}

/// A chart being drawn.
#[derive(Debug)]
pub struct Chart {
    pub canvas: Canvas,
    pub x: Axis,
    pub y: Axis,
    low: Vec2,
    high: Vec2,
}

impl Chart {
    /// Empty axes; `key` names the colours that will be used.
    pub fn new(
        labels: Labels<'_>,
        x: Axis,
        y: Axis,
        key: &[(String, Colour)],
    ) -> Result<Chart, Failure> {
        let mut rows: Vec<Vec<&(String, Colour)>> = Vec::new();
        let mut room = 0.0;
        for entry in key {
            let width = text_width(&entry.0, SMALL) + 46.0;
            if rows.is_empty() || width > room {
                rows.push(Vec::new());
                room = SIZE.x - LEFT - RIGHT + 20.0;
            }
            room -= width;
            if let Some(row) = rows.last_mut() {
                row.push(entry);
            }
        }
        let size = SIZE + Vec2::new(0.0, KEY_ROW * rows.len() as f32);
        let mut canvas = Canvas::new(size, colours::PAPER, true)?;
        let text = |canvas: &mut Canvas, words: &str, x: f32, y: f32, height: f32, colour| {
            canvas.text(words, Vec2::new(x, y), height, Anchor::Start, colour);
        };
        text(&mut canvas, labels.title, 36.0, 40.0, TITLE, colours::INK);
        text(
            &mut canvas,
            labels.subtitle,
            36.0,
            64.0,
            SMALL,
            colours::PALE_INK,
        );
        text(&mut canvas, labels.y, 36.0, TOP - 18.0, SMALL, colours::INK);
        let (low, high) = (
            Vec2::new(LEFT, TOP),
            Vec2::new(SIZE.x - RIGHT, SIZE.y - BOTTOM),
        );
        canvas.rectangle(low, high, colours::GROUND);
        let mut chart = Chart {
            canvas,
            x,
            y,
            low,
            high,
        };
        chart.axes(labels.x);
        let mut y = SIZE.y - 4.0;
        for row in rows {
            let mut at = LEFT;
            for (name, colour) in row {
                let line = [vec![Vec2::new(at, y), Vec2::new(at + 18.0, y)]];
                chart.canvas.lines(&line, 4.0, *colour);
                text(
                    &mut chart.canvas,
                    name,
                    at + 26.0,
                    y + SMALL / 2.0,
                    SMALL,
                    colours::INK,
                );
                at += text_width(name, SMALL) + 46.0;
            }
            y += KEY_ROW;
        }
        Ok(chart)
    }

    fn axes(&mut self, x_label: &str) {
        let (x, y) = (self.x, self.y);
        for value in y.ticks() {
            let at = self.at(x.low, value);
            let line = [vec![at, Vec2::new(self.high.x, at.y)]];
            self.canvas.lines(&line, 1.0, GRID);
            let at = at + Vec2::new(-10.0, SMALL / 2.0);
            let label = y.label(value);
            self.canvas
                .text(&label, at, SMALL, Anchor::End, colours::PALE_INK);
        }
        for value in x.ticks() {
            let at = self.at(value, y.low);
            self.canvas
                .lines(&[vec![at, at + Vec2::new(0.0, 5.0)]], 1.5, colours::INK);
            let at = at + Vec2::new(0.0, 22.0);
            let label = x.label(value);
            self.canvas
                .text(&label, at, SMALL, Anchor::Middle, colours::PALE_INK);
        }
        let corner = self.at(x.low, y.low);
        let line = [vec![corner, Vec2::new(self.high.x, corner.y)]];
        self.canvas.lines(&line, 1.5, colours::INK);
        let middle = Vec2::new((self.low.x + self.high.x) / 2.0, self.high.y + 46.0);
        self.canvas
            .text(x_label, middle, SMALL, Anchor::Middle, colours::INK);
    }

    /// The pixel of a pair of values.
    pub fn at(&self, x: f64, y: f64) -> Vec2 {
        let share = Vec2::new(self.x.share(x), 1.0 - self.y.share(y));
        self.low + (self.high - self.low) * share
    }

    /// Draws a line through values, cut off at the frame.
    pub fn line(&mut self, points: &[(f64, f64)], width: f32, colour: Colour) {
        let (x, y) = (self.x, self.y);
        let inside =
            |p: &(f64, f64)| p.0 >= x.low && p.0 <= x.high && p.1 >= y.low && p.1 <= y.high;
        for run in points.split(|p| !inside(p)) {
            let line: Vec<Vec2> = run.iter().map(|p| self.at(p.0, p.1)).collect();
            self.canvas.lines(&[thinned(line)], width, colour);
        }
    }

    /// Draws counts that jump: level between two points.
    pub fn staircase(&mut self, points: &[(f64, f64)], width: f32, colour: Colour) {
        let mut corners: Vec<(f64, f64)> = Vec::with_capacity(2 * points.len());
        for p in points {
            if let Some(last) = corners.last().copied().filter(|last| last.1 != p.1) {
                corners.push((p.0, last.1));
            }
            corners.push(*p);
        }
        self.line(&corners, width, colour);
    }

    /// Fills between two pairs of values.
    pub fn bar(&mut self, from: (f64, f64), to: (f64, f64), colour: Colour) {
        let (a, b) = (self.at(from.0, from.1), self.at(to.0, to.1));
        self.canvas
            .rectangle(a.min(b).round(), a.max(b).round(), colour);
    }

    /// An upright line over the whole height with words at its upper end, on the side with room.
    pub fn mark(&mut self, x: f64, words: &str, row: usize, colour: Colour) {
        let at = self.at(x, self.y.low).x;
        let line = [vec![Vec2::new(at, self.low.y), Vec2::new(at, self.high.y)]];
        self.canvas.lines(&line, 1.5, colour);
        let fits = at + 8.0 + text_width(words, SMALL) < self.high.x;
        let y = self.low.y + 18.0 + 20.0 * row as f32;
        let (x, anchor) = if fits {
            (at + 8.0, Anchor::Start)
        } else {
            (at - 8.0, Anchor::End)
        };
        self.canvas
            .text(words, Vec2::new(x, y), SMALL, anchor, colours::INK);
    }

    /// A point with words beside it.
    pub fn spot(&mut self, x: f64, y: f64, words: &str, colour: Colour) {
        let at = self.at(x, y);
        self.canvas.disc(at, 5.0, colour);
        let fits = at.x + 12.0 + text_width(words, SMALL) < self.high.x;
        let (to, anchor) = if fits {
            (at + Vec2::new(12.0, 16.0), Anchor::Start)
        } else {
            (at + Vec2::new(-12.0, -8.0), Anchor::End)
        };
        self.canvas.text(words, to, SMALL, anchor, colours::INK);
    }

    /// The colours of a quantity from 0 to a value, in the upper right corner of the sheet.
    pub fn colour_bar(&mut self, words: &str, ends: [&str; 2], palette: fn(f32) -> Colour) {
        let (width, y) = (180.0, TOP - 36.0);
        let left = self.high.x - width;
        for i in 0..90 {
            let from = Vec2::new(left + width * i as f32 / 90.0, y);
            let to = Vec2::new(left + width * (i + 1) as f32 / 90.0 + 0.5, y + 10.0);
            self.canvas.rectangle(from, to, palette(i as f32 / 89.0));
        }
        let at = Vec2::new(self.high.x, y - 8.0);
        self.canvas
            .text(words, at, SMALL, Anchor::End, colours::INK);
        let below = y + 26.0;
        for (x, words, anchor) in [
            (left, ends[0], Anchor::Start),
            (self.high.x, ends[1], Anchor::End),
        ] {
            let at = Vec2::new(x, below);
            self.canvas
                .text(words, at, SMALL, anchor, colours::PALE_INK);
        }
    }

    /// The chart, finished.
    pub fn finish(self) -> Result<Drawn, Failure> {
        self.canvas.finish()
    }
}

/// A line without the points that no pixel shows.
fn thinned(line: Vec<Vec2>) -> Vec<Vec2> {
    let mut kept: Vec<Vec2> = Vec::with_capacity(line.len());
    for (i, p) in line.iter().enumerate() {
        let last = i + 1 == line.len();
        if last || kept.last().is_none_or(|k| k.distance(*p) >= 0.3) {
            kept.push(*p);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        for (most, high, step) in [
            (67.2, 70.0, 10.0),
            (120.0, 120.0, 20.0),
            (0.93, 1.0, 0.2),
            (0.0, 1.0, 0.2),
            (1001.0, 1200.0, 200.0),
        ] {
            let axis = Axis::covering(most, 7);
            assert!((axis.high - high).abs() < 1e-9 * high, "{most}: {axis:?}");
            assert!((axis.step - step).abs() < 1e-9, "{most}: {axis:?}");
        }
        assert_eq!(Axis::counting(3.0, 7).step, 1.0);
        assert_eq!(Axis::covering(0.93, 7).label(0.4), "0.4");
        assert_eq!(Axis::covering(67.0, 7).label(40.0), "40");
        assert_eq!(Axis::covering(0.02, 4).label(0.005), "0.005");
    }
}
