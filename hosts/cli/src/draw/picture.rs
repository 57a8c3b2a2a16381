//! The picture of a run: ground, density, paths, and where everybody is at the end.

use glam::Vec2;
use throng::{
    core::{GroundView, NO_DOOR, Wall},
    engine::{areas::Shape, simulation::Simulation as Engine},
};

use super::{
    Drawn,
    canvas::{Anchor, Canvas},
    colours::{self, CROWDS, Colour},
    font::text_width,
    sheet::{Panel, Sheet},
    solid,
    storeys::Storeys,
    tracks::Tracks,
};
use crate::failure::Failure;

/// What stands beside the drawing.
#[derive(Clone, Debug, Default)]
pub struct Caption {
    /// The title.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// What to call the sources.
    pub sources: Vec<String>,
}

/// Height of the names of areas, pixels.
const LABEL: f32 = 9.0;

/// Draws a run.
pub fn draw_run(
    simulation: &Engine,
    tracks: &Tracks,
    caption: &Caption,
    svg: bool,
) -> Result<Drawn, Failure> {
    let ground = simulation.ground();
    if !ground.plan {
        return solid::draw_run(simulation, tracks, caption, svg);
    }
    let storeys = &tracks.storeys;
    let mut sheet = Sheet::new(&storeys.storeys, &caption.title, &caption.subtitle, svg)?;
    for panel in 0..sheet.panels.len() {
        let (low, high) = sheet.panels[panel].frame();
        sheet.canvas.rectangle(low, high, colours::GROUND);
    }
    let most = heat(&mut sheet, tracks, ground);
    outside(&mut sheet, ground, storeys);
    areas(&mut sheet, simulation, storeys);
    paths(&mut sheet, tracks);
    walls(&mut sheet, ground, storeys);
    people(&mut sheet, simulation, tracks);
    sheet.scale_bar();
    if most > 0.0 {
        sheet.heat_bar(most);
    }
    key(&mut sheet, tracks, caption);
    sheet.canvas.finish()
}

/// The colour of a source's people.
pub fn crowd_colour(source: u32) -> Colour {
    CROWDS[source as usize % CROWDS.len()]
}

/// Names the sources that have paths in the picture.
pub fn key(sheet: &mut Sheet, tracks: &Tracks, caption: &Caption) {
    for (source, name) in caption.sources.iter().enumerate() {
        if tracks.trails.iter().any(|t| t.source as usize == source) {
            sheet.entry(name, crowd_colour(source as u32));
        }
    }
}

/// Draws the density; gives the one that the strongest colour stands for.
fn heat(sheet: &mut Sheet, tracks: &Tracks, ground: GroundView<'_>) -> f32 {
    let densities: Vec<Vec<f32>> = tracks
        .heat
        .iter()
        .enumerate()
        .map(|(i, heat)| heat.densities(tracks.samples, ground, &tracks.storeys, i))
        .collect();
    let peak = densities.iter().flatten().fold(0.0f32, |m, d| m.max(*d));
    if peak <= 0.0 {
        return 0.0;
    }
    let most = round_above(peak);
    for ((heat, densities), panel) in tracks.heat.iter().zip(&densities).zip(&sheet.panels) {
        // Cells share whole pixels as borders, so that none is left out or drawn twice.
        let across: Vec<f32> = (0..=heat.width)
            .map(|x| {
                panel
                    .at(heat.low + Vec2::new(x as f32 * heat.cell, 0.0))
                    .x
                    .round()
            })
            .collect();
        let down: Vec<f32> = (0..=heat.height)
            .map(|y| {
                panel
                    .at(heat.low + Vec2::new(0.0, y as f32 * heat.cell))
                    .y
                    .round()
            })
            .collect();
        for y in 0..heat.height {
            for x in 0..heat.width {
                let share = densities[y * heat.width + x] / most;
                let low = Vec2::new(across[x], down[y + 1]);
                let high = Vec2::new(across[x + 1], down[y]);
                if share < 0.004 || !low.cmplt(high).all() {
                    continue;
                }
                let colour = colours::heat(share).faint((share / 0.1).min(1.0));
                sheet.canvas.rectangle(low, high, colour);
            }
        }
    }
    most
}

/// The next of 1, 2, 5 and their tens at or above a number.
fn round_above(least: f32) -> f32 {
    let mut round = 0.01f32;
    loop {
        for step in [1.0, 2.0, 3.0, 5.0] {
            if step * round >= least {
                // Two digits are enough, and binary fractions have more.
                return (step * round * 100.0).round() / 100.0;
            }
        }
        round *= 10.0;
        if round > 1e9 {
            return round;
        }
    }
}

/// Covers everything that is no ground.
pub fn outside(sheet: &mut Sheet, ground: GroundView<'_>, storeys: &Storeys) {
    for (i, panel) in sheet.panels.iter().enumerate() {
        let (low, high) = panel.frame();
        let mut rings = vec![vec![
            low,
            Vec2::new(high.x, low.y),
            high,
            Vec2::new(low.x, high.y),
        ]];
        for t in 0..ground.triangles.len() as u32 {
            if storeys.panel(t) == i {
                let corners = ground.corners(t);
                rings.push(corners.iter().map(|c| panel.at(c.truncate())).collect());
            }
        }
        sheet.canvas.fill(&rings, colours::OUTSIDE);
    }
}

/// Draws walls, obstacles and doors.
pub fn walls(sheet: &mut Sheet, ground: GroundView<'_>, storeys: &Storeys) {
    for (i, panel) in sheet.panels.iter().enumerate() {
        let mut kinds: [Vec<Vec<Vec2>>; 4] = Default::default();
        for wall in ground.walls {
            if storeys.panel(wall.triangle) != i {
                continue;
            }
            let kind = if wall.door != NO_DOOR {
                2 + usize::from(ground.door_open[wall.door as usize] == 0)
            } else {
                usize::from(wall.flags & Wall::OBSTACLE != 0)
            };
            kinds[kind].push(vec![
                panel.at(wall.a.truncate()),
                panel.at(wall.b.truncate()),
            ]);
        }
        let thick = (0.12 * panel.scale).clamp(1.0, 3.0);
        let colours = [
            colours::WALL,
            colours::OBSTACLE,
            colours::DOOR_OPEN,
            colours::DOOR_CLOSED,
        ];
        for (lines, colour) in kinds.iter().zip(colours) {
            sheet.canvas.lines(lines, thick, colour);
        }
    }
}

fn areas(sheet: &mut Sheet, simulation: &Engine, storeys: &Storeys) {
    let mut taken: Vec<(Vec2, Vec2)> = Vec::new();
    for area in &simulation.place().areas {
        let (floor, rings) = match &area.shape {
            Shape::Polygon { floor, rings } => (usize::from(*floor), rings.clone()),
            Shape::Ball { centre, radius } => {
                let floor = storeys.panel(area.anchor.triangle);
                (floor, vec![ring_about(centre.truncate(), *radius)])
            }
            Shape::Everywhere => continue,
        };
        let (Some(panel), Some(storey)) = (sheet.panels.get(floor), storeys.storeys.get(floor))
        else {
            continue;
        };
        let inside = |p: &Vec2| p.clamp(storey.low, storey.high);
        let low = rings
            .iter()
            .flatten()
            .fold(Vec2::INFINITY, |l, p| l.min(inside(p)));
        let high = rings
            .iter()
            .flatten()
            .fold(Vec2::NEG_INFINITY, |h, p| h.max(inside(p)));
        let covered = (high - low) / (storey.high - storey.low);
        // An area that is nearly everything would only tint the picture.
        if !covered.is_finite() || covered.min_element() > 0.9 {
            continue;
        }
        let drawn: Vec<Vec<Vec2>> = rings
            .iter()
            .map(|ring| ring.iter().map(|p| panel.at(*p)).collect())
            .collect();
        let panel = *panel;
        sheet.canvas.fill(&drawn, colours::AREA.faint(0.09));
        let outlines: Vec<Vec<Vec2>> = drawn
            .into_iter()
            .map(|mut ring| {
                ring.extend(ring.first().copied());
                ring
            })
            .collect();
        sheet
            .canvas
            .lines(&outlines, 1.0, colours::AREA.faint(0.45));
        label(&mut sheet.canvas, &panel, &area.name, low, high, &mut taken);
    }
}

/// Names an area where there is room for it.
fn label(
    canvas: &mut Canvas,
    panel: &Panel,
    name: &str,
    low: Vec2,
    high: Vec2,
    taken: &mut Vec<(Vec2, Vec2)>,
) {
    let width = text_width(name, LABEL);
    let (left, right) = (panel.at(low).x, panel.at(high).x);
    if name.is_empty() || name.contains('[') || width > (right - left).max(60.0) {
        return;
    }
    let (frame_low, frame_high) = panel.frame();
    let middle = panel.at((low + high) / 2.0);
    let x = middle
        .x
        .clamp(frame_low.x + width / 2.0, frame_high.x - width / 2.0);
    let middle = Vec2::new(x, middle.y + LABEL / 2.0);
    let half = Vec2::new(width / 2.0 + 4.0, LABEL);
    let room = (middle - half, middle + half);
    let overlaps =
        |other: &(Vec2, Vec2)| room.0.cmplt(other.1).all() && other.0.cmplt(room.1).all();
    if taken.iter().any(overlaps) {
        return;
    }
    taken.push(room);
    canvas.text(
        name,
        middle,
        LABEL,
        Anchor::Middle,
        colours::AREA.mix(colours::INK, 0.4),
    );
}

fn ring_about(centre: Vec2, radius: f32) -> Vec<Vec2> {
    (0..48)
        .map(|i| {
            let angle = f64::from(i) / 48.0 * std::f64::consts::TAU;
            let way = glam::DVec2::new(
                throng::core::math::cos(angle),
                throng::core::math::sin(angle),
            );
            centre + way.as_vec2() * radius
        })
        .collect()
}

fn paths(sheet: &mut Sheet, tracks: &Tracks) {
    let opacity = (5.0 / (tracks.trails.len() as f32).sqrt().max(1.0)).clamp(0.2, 0.6);
    for trail in &tracks.trails {
        let mut lines: Vec<Vec<Vec2>> = vec![Vec::new(); sheet.panels.len()];
        let mut drawn: Vec<(usize, Vec<Vec2>)> = Vec::new();
        for (i, (panel, point)) in trail.points.iter().enumerate() {
            let panel = usize::from(*panel);
            let at = sheet.panels[panel].at(point.truncate());
            lines[panel].push(at);
            let leaves = trail
                .points
                .get(i + 1)
                .is_none_or(|next| usize::from(next.0) != panel);
            if leaves {
                drawn.push((panel, std::mem::take(&mut lines[panel])));
            }
        }
        let strokes: Vec<Vec<Vec2>> = drawn.into_iter().map(|(_, line)| line).collect();
        let colour = crowd_colour(trail.source).faint(opacity);
        sheet.canvas.lines(&strokes, 1.0, colour);
    }
}

fn people(sheet: &mut Sheet, simulation: &Engine, tracks: &Tracks) {
    let agents = simulation.agents();
    for row in 0..agents.len() {
        let at = agents.location[row];
        let panel = sheet.panels[tracks.storeys.panel(at.triangle)];
        let radius = (agents.radius[row] * panel.scale).max(1.6);
        let centre = panel.at(at.point.truncate());
        let colour = crowd_colour(agents.record[row].source);
        sheet.canvas.disc(centre, radius, colour);
        if radius >= 4.0 {
            let heading = agents.heading[row];
            let nose = centre + Vec2::new(heading.x, -heading.y) * radius * 0.8;
            let lines = [vec![centre, nose]];
            sheet
                .canvas
                .lines(&lines, (radius * 0.25).min(2.0), colours::GROUND);
        }
    }
    for mover in &simulation.state().movers_now {
        let Some(at) = simulation.place().nearest(throng::Spot::Space(
            simulation.ground().origin + mover.at.as_dvec3(),
        )) else {
            continue;
        };
        let panel = sheet.panels[tracks.storeys.panel(at.triangle)];
        let centre = panel.at(at.point.truncate());
        sheet
            .canvas
            .disc(centre, mover.radius * panel.scale, colours::INK.faint(0.7));
    }
}
