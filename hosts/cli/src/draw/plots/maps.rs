//! Maps of a finished run: density, speed and paths on the plan, a panel for each floor.

use glam::Vec2;
use throng::scenario::{AreaRef, SourceSpec};
use throng_kit::{environment::Polygon, polygon::contains};

use super::{NoPlot, need_plan, nothing, walks};
use crate::{
    draw::{
        Drawn,
        colours::{self, Colour, cividis},
        heat::Heat,
        picture::{crowd_colour, outside, walls},
        sheet::Sheet,
    },
    failure::Failure,
    output::finished::Finished,
};

/// Frames of which density is the mean or the largest.
const FRAMES: usize = 600;
/// About so many paths are drawn.
const PATHS: usize = 400;
/// Persons counted on a cell, by the bell, below which its speed is not shown.
const LEAST_SEEN: f32 = 0.05;

/// An empty sheet with the ground in white.
pub fn sheet(run: &Finished, title: &str, subtitle: &str) -> Result<Sheet, Failure> {
    let mut sheet = Sheet::new(&run.storeys.storeys, title, subtitle, true)?;
    for panel in 0..sheet.panels.len() {
        let (low, high) = sheet.panels[panel].frame();
        sheet.canvas.rectangle(low, high, colours::GROUND);
    }
    Ok(sheet)
}

/// Draws the values of all panels with a colour each.
fn raster(
    sheet: &mut Sheet,
    heats: &[Heat],
    values: &[Vec<f32>],
    colour: impl Fn(f32) -> Colour,
) -> Result<(), Failure> {
    for (i, (heat, values)) in heats.iter().zip(values).enumerate() {
        let panel = sheet.panels[i];
        let size = Vec2::new(heat.width as f32, heat.height as f32) * heat.cell;
        // Rows run upwards in the world and downwards on paper.
        let cells: Vec<Colour> = values
            .chunks(heat.width)
            .rev()
            .flatten()
            .map(|value| colour(*value))
            .collect();
        let low = panel.at(heat.low + Vec2::new(0.0, size.y));
        let high = panel.at(heat.low + Vec2::new(size.x, 0.0));
        sheet.canvas.raster(low, high, heat.width as u32, &cells)?;
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

/// Mean and largest density.
pub fn density(run: &Finished) -> Result<(Drawn, Drawn), NoPlot> {
    need_plan(run)?;
    let walks = walks(run)?;
    let ground = run.ground.view();
    let mut heats: Vec<Heat> = run.storeys.storeys.iter().map(Heat::new).collect();
    let grounds: Vec<Vec<f32>> = heats
        .iter()
        .enumerate()
        .map(|(i, heat)| heat.spread_ground(ground, &run.storeys, i))
        .collect();
    let mut peaks: Vec<Vec<f32>> = grounds.iter().map(|g| vec![0.0; g.len()]).collect();
    let mut now: Vec<Vec<f32>> = peaks.clone();
    let (frames, step) = walks.sampled(FRAMES);
    let mut people: Vec<Vec<Vec2>> = vec![Vec::new(); heats.len()];
    for &i in &frames {
        let frame = walks.walks.frame(i);
        people.iter_mut().for_each(Vec::clear);
        for (at, level) in frame.at.iter().zip(frame.level) {
            people[run.panel_of_level(*level)].push(run.local(*at));
        }
        for (panel, people) in people.iter().enumerate() {
            people.iter().for_each(|at| heats[panel].count(*at));
            let (ground, now) = (&grounds[panel], &mut now[panel]);
            heats[panel].raise(people, ground, now, &mut peaks[panel]);
        }
    }
    let samples = frames.len().max(1) as f32;
    let means: Vec<Vec<f32>> = heats
        .iter()
        .zip(&grounds)
        .map(|(heat, ground)| {
            let spread = heat.spread();
            let both = spread.iter().zip(ground);
            both.map(|(p, g)| if *g > 1e-6 { p / (g * samples) } else { 0.0 })
                .collect()
        })
        .collect();
    let kernel = format!(
        "Gaussian kernel, standard deviation {} m, {}, {:.0} s",
        (heats[0].bell() * 100.0).round() / 100.0,
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
        let mut sheet = sheet(run, &title, &kernel)?;
        raster(&mut sheet, &heats, values, |v| cividis(v / most))?;
        finish(sheet, run, ("persons/m²", most))
    };
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
    let mut people: Vec<Heat> = run.storeys.storeys.iter().map(Heat::new).collect();
    let mut speeds = people.clone();
    let (frames, step) = walks.sampled(4 * FRAMES);
    for &i in &frames {
        let (frame, first) = (walks.walks.frame(i), walks.walks.first_row(i));
        for row in 0..frame.id.len() {
            if let Some(v) = walks.velocities[first + row] {
                let (panel, at) = (
                    run.panel_of_level(frame.level[row]),
                    run.local(frame.at[row]),
                );
                people[panel].count(at);
                speeds[panel].add(at, v.length() as f32);
            }
        }
    }
    let values: Vec<Vec<f32>> = people
        .iter()
        .zip(&speeds)
        .map(|(people, speeds)| {
            let (count, sum) = (people.spread(), speeds.spread());
            let both = sum.iter().zip(&count);
            both.map(|(s, n)| if *n > LEAST_SEEN { s / n } else { -1.0 })
                .collect()
        })
        .collect();
    let most = values.iter().flatten().fold(0.0f32, |m, v| m.max(*v));
    if most <= 0.0 {
        return nothing("nobody walked");
    }
    let most = round_above(most);
    let title = format!("{}: mean speed", run.scenario.name);
    let subtitle = format!(
        "of everybody who came by, Gaussian kernel, standard deviation {} m, {}; white: nobody came",
        (people[0].bell() * 100.0).round() / 100.0,
        every(run, step)
    );
    let mut sheet = sheet(run, &title, &subtitle)?;
    let blank = Colour(255, 255, 255, 0);
    raster(&mut sheet, &people, &values, |v| {
        if v < 0.0 { blank } else { cividis(v / most) }
    })?;
    finish(sheet, run, ("m/s", most))
}

/// The sources of a run with their shapes, to tell who came from where.
struct Origins {
    shapes: Vec<(usize, u16, Polygon)>,
    points: Vec<(usize, glam::DVec2)>,
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

    /// The source of somebody first seen at a place: an area about it, else the nearest point.
    fn source(&self, at: glam::DVec2, level: u16) -> Option<usize> {
        let shapes = self.shapes.iter();
        let inside = shapes
            .filter(|(_, floor, shape)| *floor == level && contains(shape, at))
            .map(|(i, ..)| *i)
            .next();
        inside.or_else(|| {
            let near = |a: &&(usize, glam::DVec2), b: &&(usize, glam::DVec2)| {
                a.1.distance(at).total_cmp(&b.1.distance(at))
            };
            let nearest = self.points.iter().min_by(near)?;
            (nearest.1.distance(at) < 2.0).then_some(nearest.0)
        })
    }
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
