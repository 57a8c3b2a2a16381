//! The run as a moving picture: a GIF of people coloured by speed.

use gif::{Encoder, Frame as Image, Repeat};
use glam::Vec2;

use super::{NoPlot, maps::ground, need_plan, walks};
use crate::{
    draw::{
        canvas::{Anchor, Canvas},
        colours::{self, Colour, cividis},
        picture::{outside, walls},
        sheet::Sheet,
    },
    failure::Failure,
    output::finished::{Finished, Walks},
};

/// Most images of a film.
const IMAGES: usize = 250;
/// Hundredths of a second that an image is shown.
const DELAY: u16 = 8;
/// The largest drawing, pixels.
const MOST: Vec2 = Vec2::new(760.0, 640.0);
/// The speed of the brightest colour, m/s.
const FAST: f64 = 1.5;
/// Steps of cividis in the palette, each also in two tints for smooth edges.
const STEPS: usize = 64;
/// Greys in the palette, from ink to white.
const GREYS: usize = 60;
/// The index that leaves a pixel as it was.
const KEEP: u8 = 0;

/// The colours of the film, and the nearest one of any colour.
struct Palette {
    colours: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

impl Palette {
    fn new() -> Palette {
        let mut colours: Vec<[u8; 3]> = vec![[0, 0, 0]];
        let rgb = |c: Colour| [c.0, c.1, c.2];
        for i in 0..STEPS {
            let full = cividis(i as f32 / (STEPS - 1) as f32);
            for tint in [0.0, 0.4, 0.75] {
                colours.push(rgb(full.mix(colours::GROUND, tint)));
            }
        }
        for i in 0..GREYS {
            let share = i as f32 / (GREYS - 1) as f32;
            colours.push(rgb(colours::INK.mix(colours::GROUND, share)));
        }
        colours.push(rgb(colours::PAPER));
        colours.push(rgb(colours::OUTSIDE));
        colours.push(rgb(colours::DOOR_OPEN));
        let nearest = (0..32 * 32 * 32)
            .map(|i| {
                let want = [i >> 10 & 31, i >> 5 & 31, i & 31].map(|v: i32| v * 255 / 31);
                let off = |c: &[u8; 3]| -> i32 {
                    let d = |k: usize| i32::from(c[k]) - want[k];
                    d(0) * d(0) + d(1) * d(1) + d(2) * d(2)
                };
                let found = colours
                    .iter()
                    .skip(1)
                    .enumerate()
                    .min_by_key(|(_, c)| off(c));
                found.map_or(1, |(i, _)| i as u8 + 1)
            })
            .collect();
        Palette { colours, nearest }
    }

    fn index(&self, red: u8, green: u8, blue: u8) -> u8 {
        let five = |v: u8| (usize::from(v) * 31 + 127) / 255;
        self.nearest[five(red) << 10 | five(green) << 5 | five(blue)]
    }

    fn image(&self, canvas: &Canvas) -> Vec<u8> {
        let pixels = canvas.pixels().pixels().iter();
        pixels
            .map(|p| self.index(p.red(), p.green(), p.blue()))
            .collect()
    }
}

/// Films a run.
pub fn film(run: &Finished) -> Result<Vec<u8>, NoPlot> {
    need_plan(run)?;
    let walks = walks(run)?;
    let (frames, step) = walks.sampled(IMAGES);
    let seconds = step as f64 / walks.walks.frame_rate();
    let pace = seconds * 100.0 / f64::from(DELAY);
    let subtitle = format!("{} times as fast", (pace * 10.0).round() / 10.0);
    let storeys = &run.storeys.storeys;
    let mut sheet = Sheet::within(MOST, storeys, &run.scenario.name, &subtitle, false)?;
    ground(&mut sheet);
    outside(&mut sheet, run.ground.view(), &run.storeys);
    walls(&mut sheet, run.ground.view(), &run.storeys);
    sheet.scale_bar();
    sheet.colour_bar("speed, m/s", FAST as f32, cividis);
    let empty = sheet.canvas.pixels().clone();
    let side = |pixels: u32| u16::try_from(pixels).unwrap_or(u16::MAX);
    let (width, height) = (side(empty.width()), side(empty.height()));
    let palette = Palette::new();
    let table: Vec<u8> = palette.colours.iter().flatten().copied().collect();
    let failed = |e: gif::EncodingError| Failure::run(format!("the film cannot be packed: {e}"));
    let mut encoder = Encoder::new(Vec::new(), width, height, &table).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let mut before: Vec<u8> = Vec::new();
    for &i in &frames {
        sheet.canvas.set_pixels(&empty);
        people(&mut sheet, run, walks, i);
        let image = palette.image(&sheet.canvas);
        let changed = cropped(&before, &image, usize::from(width));
        encoder.write_frame(&changed).map_err(failed)?;
        before = image;
    }
    Ok(encoder
        .into_inner()
        .map_err(|e| Failure::run(format!("the film cannot be packed: {e}")))?)
}

fn people(sheet: &mut Sheet, run: &Finished, walks: &Walks, index: usize) {
    let (frame, first) = (walks.walks.frame(index), walks.walks.first_row(index));
    for row in 0..frame.id.len() {
        let panel = sheet.panels[run.panel_of_level(frame.level[row])];
        let at = panel.at(run.local(frame.at[row]));
        let radius = (0.24 * panel.scale).max(3.0);
        let speed = walks.velocities[first + row].map_or(0.0, |v| v.length());
        let colour = cividis((speed / FAST) as f32);
        sheet.canvas.disc(at, radius, colours::INK.faint(0.55));
        sheet.canvas.disc(at, radius * 0.86, colour);
    }
    let at = Vec2::new(sheet.canvas.size().x - 36.0, 40.0);
    let clock = format!("{:.1} s", walks.walks.time(index));
    sheet
        .canvas
        .text(&clock, at, 17.0, Anchor::End, colours::INK);
    let words = format!("{} walking", frame.id.len());
    sheet.canvas.text(
        &words,
        at + Vec2::new(0.0, 24.0),
        10.0,
        Anchor::End,
        colours::PALE_INK,
    );
}

/// The part of an image that differs from the one before.
fn cropped<'a>(before: &[u8], now: &[u8], width: usize) -> Image<'a> {
    let same = |i: usize| before.get(i) == Some(&now[i]);
    let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::MAX, 0);
    for i in (0..now.len()).filter(|i| !same(*i)) {
        let (x, y) = (i % width, i / width);
        (left, right) = (left.min(x), right.max(x + 1));
        (top, bottom) = (top.min(y), bottom.max(y + 1));
    }
    if right == 0 {
        (left, right, top, bottom) = (0, 1, 0, 1);
    }
    let mut buffer = Vec::with_capacity((right - left) * (bottom - top));
    for y in top..bottom {
        for x in left..right {
            let i = y * width + x;
            buffer.push(if same(i) { KEEP } else { now[i] });
        }
    }
    Image {
        delay: DELAY,
        left: left as u16,
        top: top as u16,
        width: (right - left) as u16,
        height: (bottom - top) as u16,
        transparent: Some(KEEP),
        buffer: buffer.into(),
        ..Image::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_kept() {
        let before = [1, 1, 1, 1, 1, 1];
        let now = [1, 1, 1, 1, 2, 1];
        let image = cropped(&before, &now, 3);
        assert_eq!(
            (image.left, image.top, image.width, image.height),
            (1, 1, 1, 1)
        );
        assert_eq!(image.buffer.as_ref(), [2]);
        let still = cropped(&now, &now, 3);
        assert_eq!(still.buffer.as_ref(), [KEEP]);
        assert_eq!(cropped(&[], &now, 3).buffer.len(), 6);
    }

    #[test]
    fn colours_of_the_film_stay_close() {
        let palette = Palette::new();
        assert!(palette.colours.len() <= 256);
        for i in 0..=20 {
            let want = cividis(i as f32 / 20.0);
            let [r, g, b] = palette.colours[usize::from(palette.index(want.0, want.1, want.2))];
            for (a, b) in [(r, want.0), (g, want.1), (b, want.2)] {
                assert!(a.abs_diff(b) < 16, "{want:?} became {r} {g} {b}");
            }
        }
    }
}
