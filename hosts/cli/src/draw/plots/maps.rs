//! Maps of a finished run: density, speed and paths on the plan, a panel for each floor.

use glam::{DVec2, Vec2};
use throng::{
    measure::profile::Profile,
    scenario::{AreaRef, SourceSpec},
};
use throng_kit::{environment::Polygon, polygon::contains};

use super::{NoPlot, need_plan, nothing, walks};
use crate::{
    draw::{
        Drawn,
        colours::{self, Colour, cividis},
        picture::{crowd_colour, outside, walls},
        sheet::Sheet,
    },
    failure::Failure,
    output::finished::Finished,
};

/// Frames of which density is the mean or the largest.
const FRAMES: usize = 600;
/// Most cells along a side of a floor.
const CELLS: usize = 320;
/// About so many paths are drawn.
const PATHS: usize = 400;
/// Who is first seen this near to a source comes from it, metres.
const NEAR: f64 = 3.0;
/// Persons counted on a cell, by the bell, below which its speed is not shown.
const LEAST_SEEN: f32 = 0.05;

/// An empty sheet with the ground in white.
fn sheet(run: &Finished, title: &str, subtitle: &str) -> Result<Sheet, Failure> {
    let mut sheet = Sheet::new(&run.storeys.storeys, title, subtitle, true)?;
    ground(&mut sheet);
    Ok(sheet)
}

/// Fills the panels of a sheet with the colour of the ground.
pub fn ground(sheet: &mut Sheet) {
    for panel in 0..sheet.panels.len() {
        let (low, high) = sheet.panels[panel].frame();
        sheet.canvas.rectangle(low, high, colours::GROUND);
    }
}

/// A profile for each panel.
fn profiles(run: &Finished) -> Vec<Profile> {
    let ground = run.ground.view();
    let origin = ground.origin.truncate();
    let storeys = run.storeys.storeys.iter().enumerate();
    storeys
        .map(|(i, storey)| {
            let (low, high) = (storey.low.as_dvec2(), storey.high.as_dvec2());
            let belongs = |t: u32| run.storeys.panel(t) == i;
            Profile::new(ground, belongs, low + origin, high + origin, CELLS)
        })
        .collect()
}

/// Draws the values of all panels with a colour each.
fn raster(
    sheet: &mut Sheet,
    run: &Finished,
    profiles: &[Profile],
    colour: impl Fn(usize, usize) -> Colour,
) -> Result<(), Failure> {
    for (i, profile) in profiles.iter().enumerate() {
        let panel = sheet.panels[i];
        let size = DVec2::new(profile.width as f64, profile.height as f64) * profile.cell;
        // Rows run upwards in the world and downwards on paper.
        let cells: Vec<Colour> = (0..profile.height)
            .rev()
            .flat_map(|y| (0..profile.width).map(move |x| y * profile.width + x))
            .map(|cell| colour(i, cell))
            .collect();
        let low = panel.at(run.local(profile.low + DVec2::new(0.0, size.y)));
        let high = panel.at(run.local(profile.low + DVec2::new(size.x, 0.0)));
        let width = profile.width as u32;
        sheet.canvas.raster(low, high, width, &cells)?;
    }
    Ok(())
}

fn finish(mut sheet: Sheet, run: &Finished, bar: (&str, f32)) -> Result<Drawn, NoPlot> {
    let ground = run.ground.view();
    outside(&mut sheet, ground, &run.storeys);
    walls(&mut sheet, ground, &run.storeys);
    sheet.scale_bar();
    sheet.colour_bar(bar.0, bar.1, cividis);
    Ok(sheet.canvas.finish()?)
}

/// How often something was looked at, for subtitles.
fn every(run: &Finished, step: usize) -> String {
    let rate = run.walks.as_ref().map_or(1.0, |w| w.walks.frame_rate());
    let seconds = step as f64 / rate;
    format!("a sample every {} s", (seconds * 100.0).round() / 100.0)
}

/// The kernel in words.
fn kernel(profiles: &[Profile]) -> String {
    let bell = profiles.first().map_or(0.0, |p| p.bell);
    format!(
        "Gaussian kernel of {} m standard deviation, not through walls",
        (bell * 100.0).round() / 100.0
    )
}

/// Mean and largest density.
pub fn density(run: &Finished) -> Result<(Drawn, Drawn), NoPlot> {
    need_plan(run)?;
    let walks = walks(run)?;
    let profiles = profiles(run);
    let (frames, step) = walks.sampled(FRAMES);
    let mut people: Vec<Vec<Vec<usize>>> = vec![vec![Vec::new(); frames.len()]; profiles.len()];
    let none = |p: &Profile| vec![0.0f32; p.width * p.height];
    let mut counts: Vec<Vec<f32>> = profiles.iter().map(none).collect();
    for (sample, &i) in frames.iter().enumerate() {
        let frame = walks.walks.frame(i);
        for (at, level) in frame.at.iter().zip(frame.level) {
            let panel = run.panel_of_level(*level);
            let cell = profiles[panel].cell_of(*at);
            people[panel][sample].push(cell);
            counts[panel][cell] += 1.0;
        }
    }
    let words = format!(
        "{}, {}, {:.0} s",
        kernel(&profiles),
        every(run, step),
        run.seconds()
    );
    let draw = |what: &str, values: &[Vec<f32>]| -> Result<Drawn, NoPlot> {
        let most = values.iter().flatten().fold(0.0f32, |m, v| m.max(*v));
        if most <= 0.0 {
            return nothing("nobody stood on the plan");
        }
        let most = round_above(most);
        let title = format!("{}: {what} density", run.scenario.name);
        let mut sheet = sheet(run, &title, &words)?;
        raster(&mut sheet, run, &profiles, |panel, cell| {
            cividis(values[panel][cell] / most)
        })?;
        finish(sheet, run, ("persons/m²", most))
    };
    let both = profiles.iter().zip(&counts);
    let means: Vec<Vec<f32>> = both.map(|(p, n)| p.density(n, frames.len())).collect();
    let both = profiles.iter().zip(&people);
    let peaks: Vec<Vec<f32>> = both.map(|(p, n)| p.peak_density(n)).collect();
    Ok((draw("mean", &means)?, draw("peak", &peaks)?))
}

/// The next tick-friendly number at or above a value.
fn round_above(least: f32) -> f32 {
    let step = crate::draw::chart::round_step(f64::from(least) / 5.0);
    ((f64::from(least) / step - 1e-6).ceil() * step) as f32
}

/// Mean speed.
pub fn speed(run: &Finished) -> Result<Drawn, NoPlot> {
    need_plan(run)?;
    let walks = walks(run)?;
    let profiles = profiles(run);
    let none = |p: &Profile| vec![0.0f32; p.width * p.height];
    let mut people: Vec<Vec<f32>> = profiles.iter().map(none).collect();
    let mut speeds = people.clone();
    let (frames, step) = walks.sampled(4 * FRAMES);
    for &i in &frames {
        let (frame, first) = (walks.walks.frame(i), walks.walks.first_row(i));
        for row in 0..frame.id.len() {
            if let Some(v) = walks.velocities[first + row] {
                let panel = run.panel_of_level(frame.level[row]);
                let cell = profiles[panel].cell_of(frame.at[row]);
                people[panel][cell] += 1.0;
                speeds[panel][cell] += v.length() as f32;
            }
        }
    }
    let values: Vec<Vec<Option<f32>>> = (0..profiles.len())
        .map(|i| profiles[i].mean(&people[i], &speeds[i], LEAST_SEEN))
        .collect();
    let known = values.iter().flatten().flatten();
    let most = known.fold(0.0f32, |m, v| m.max(*v));
    if most <= 0.0 {
        return nothing("nobody walked");
    }
    let most = round_above(most);
    let title = format!("{}: mean speed", run.scenario.name);
    let subtitle = format!(
        "of everybody who came by; {}, {}; white: nobody came",
        kernel(&profiles),
        every(run, step)
    );
    let mut sheet = sheet(run, &title, &subtitle)?;
    raster(&mut sheet, run, &profiles, |panel, cell| {
        values[panel][cell].map_or(Colour(255, 255, 255, 0), |v| cividis(v / most))
    })?;
    finish(sheet, run, ("m/s", most))
}

/// The sources of a run with their shapes, to tell who came from where.
struct Origins {
    shapes: Vec<(usize, u16, Polygon)>,
    points: Vec<(usize, DVec2)>,
}

impl Origins {
    fn of(run: &Finished) -> Origins {
        let mut origins = Origins {
            shapes: Vec::new(),
            points: Vec::new(),
        };
        for (i, source) in run.scenario.sources.iter().enumerate() {
            match &source.area {
                AreaRef::Name(name) => {
                    let named = run.environment.areas.iter().filter(|a| a.name == *name);
                    let shapes = named.map(|a| (i, a.floor as u16, a.shape.clone()));
                    origins.shapes.extend(shapes);
                }
                AreaRef::Point(point) => origins.points.push((i, point.plan)),
                AreaRef::Shape(ring) => {
                    let shape = Polygon::new(ring.clone());
                    let floor = match &source.floor {
                        throng::scenario::FloorRef::Index(i) => *i,
                        throng::scenario::FloorRef::Name(name) => {
                            let mut floors = run.environment.floors.iter();
                            floors.position(|f| f.name == *name).unwrap_or(0)
                        }
                    };
                    origins.shapes.push((i, floor as u16, shape));
                }
            }
        }
        origins
    }

    /// The source of somebody first seen at a place: the nearest one within a few steps.
    fn source(&self, at: DVec2, level: u16) -> Option<usize> {
        let here = self.shapes.iter().filter(|(_, floor, _)| *floor == level);
        let shapes = here.map(|(i, _, shape)| (*i, distance(shape, at)));
        let points = self.points.iter().map(|(i, p)| (*i, p.distance(at)));
        let nearest = shapes.chain(points).min_by(|a, b| a.1.total_cmp(&b.1))?;
        (nearest.1 < NEAR).then_some(nearest.0)
    }
}

/// Distance of a point to a polygon, 0 inside.
fn distance(shape: &Polygon, at: DVec2) -> f64 {
    if contains(shape, at) {
        return 0.0;
    }
    let ring = &shape.outer;
    let sides = (0..ring.len()).map(|i| (ring[i], ring[(i + 1) % ring.len()]));
    sides
        .map(|(a, b)| {
            let along = b - a;
            let share = (at - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
            at.distance(a + along * share.clamp(0.0, 1.0))
        })
        .fold(f64::INFINITY, f64::min)
}

fn source_name(i: usize, source: &SourceSpec) -> String {
    match (source.name.as_str(), &source.area) {
        ("", AreaRef::Name(area)) => format!("from {area}"),
        ("", _) => format!("source {}", i + 1),
        (name, _) => name.to_owned(),
    }
}

/// Paths, coloured by source.
pub fn paths(run: &Finished) -> Result<Drawn, NoPlot> {
    need_plan(run)?;
    let walks = walks(run)?;
    let people = walks.walks.people();
    let step = people.len().div_ceil(PATHS).max(1);
    let origins = Origins::of(run);
    let drawn = people.len().div_ceil(step);
    let title = format!("{}: paths", run.scenario.name);
    let subtitle = if step == 1 {
        format!("of all {} people, {:.0} s", people.len(), run.seconds())
    } else {
        format!(
            "of {drawn} of {} people, {:.0} s",
            people.len(),
            run.seconds()
        )
    };
    let mut sheet = sheet(run, &title, &subtitle)?;
    let ground = run.ground.view();
    outside(&mut sheet, ground, &run.storeys);
    let opacity = (6.0 / (drawn as f32).sqrt().max(1.0)).clamp(0.25, 0.8);
    let mut seen = vec![false; run.scenario.sources.len()];
    let mut others = false;
    for (id, first, last) in people.iter().step_by(step) {
        let mut source = None;
        let mut pieces: Vec<(usize, Vec<Vec2>)> = Vec::new();
        for i in *first..=*last {
            let frame = walks.walks.frame(i);
            let Some(row) = frame.row_of(*id) else {
                continue;
            };
            if i == *first {
                source = origins.source(frame.at[row], frame.level[row]);
            }
            let panel = run.panel_of_level(frame.level[row]);
            let at = sheet.panels[panel].at(run.local(frame.at[row]));
            match pieces.last_mut() {
                Some((here, line)) if *here == panel => {
                    if line.last().is_none_or(|p| p.distance(at) >= 0.8) {
                        line.push(at);
                    }
                }
                _ => pieces.push((panel, vec![at])),
            }
        }
        let colour = match source {
            Some(i) => {
                seen[i] = true;
                crowd_colour(i as u32)
            }
            None => {
                others = true;
                colours::PALE_INK
            }
        };
        let lines: Vec<Vec<Vec2>> = pieces.into_iter().map(|(_, line)| line).collect();
        sheet.canvas.lines(&lines, 1.2, colour.faint(opacity));
    }
    walls(&mut sheet, ground, &run.storeys);
    sheet.scale_bar();
    for (i, source) in run.scenario.sources.iter().enumerate() {
        if seen[i] {
            sheet.entry(&source_name(i, source), crowd_colour(i as u32));
        }
    }
    if others {
        sheet.entry("others", colours::PALE_INK);
    }
    Ok(sheet.canvas.finish()?)
}
