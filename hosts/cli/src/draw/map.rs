//! The picture of a navigation map: regions, edges and nodes over the ground.

use glam::{Vec2, Vec3};
use throng::{
    core::{NONE, NavMap},
    engine::simulation::Simulation as Engine,
};

use super::{
    Drawn, Storeys,
    colours::{self, Colour},
    picture::{outside, walls},
    sheet::Sheet,
    solid::{self, Thing},
};
use crate::failure::Failure;

const EDGE: Colour = Colour(33, 102, 172, 255);
const REGION: Colour = Colour(27, 140, 110, 255);

/// Metres by which the straight pieces of a drawn or exported curve may be off it.
const CURVES: f32 = 0.0025;

/// The points of an edge, from node to node.
pub fn edge_points(simulation: &Engine, edge: usize) -> Vec<Vec3> {
    let map = simulation.map();
    let from = map.node_place[map.edge_from[edge] as usize].point;
    let to = map.node_place[map.edge_to[edge] as usize].point;
    let mut points = vec![from];
    let (nav, site) = (&simulation.parts().nav, simulation.place().site());
    nav.edge_line(&site, map, edge as u32, CURVES, &mut points);
    points.push(to);
    points.dedup();
    if points.len() == 1 {
        points.push(to);
    }
    points
}

/// Edges that stand for themselves and for the way back.
pub fn two_way_edges(map: &NavMap) -> impl Iterator<Item = usize> + '_ {
    (0..map.edges()).filter(|&e| {
        let twin = map.edge_twin[e];
        twin == NONE || e <= twin as usize
    })
}

/// Draws the map of a simulation.
pub fn draw_map(
    simulation: &Engine,
    title: &str,
    subtitle: &str,
    floor_names: &[String],
    svg: bool,
) -> Result<Drawn, Failure> {
    let (ground, map) = (simulation.ground(), simulation.map());
    if !ground.plan {
        let mut sheet = Sheet::new(&[solid::panel_of(ground)], title, subtitle, svg)?;
        let mut things = Vec::new();
        for e in two_way_edges(map) {
            for pair in edge_points(simulation, e).windows(2) {
                things.push(Thing::Line(pair[0], pair[1], 1.0, EDGE.faint(0.7)));
            }
        }
        solid::draw_ground(&mut sheet, ground, &things);
        sheet.scale_bar();
        return sheet.canvas.finish();
    }
    let floors = simulation.place().ground.floor_count();
    let storeys = Storeys::of(ground, floors, floor_names);
    let mut sheet = Sheet::new(&storeys.storeys, title, subtitle, svg)?;
    for panel in 0..sheet.panels.len() {
        let (low, high) = sheet.panels[panel].frame();
        sheet.canvas.rectangle(low, high, colours::GROUND);
    }
    outside(&mut sheet, ground, &storeys);
    let panel_count = sheet.panels.len();
    let mut outlines = vec![Vec::new(); panel_count];
    for r in 0..map.regions() {
        let range = (
            map.region_ring_start.get(r),
            map.region_ring_start.get(r + 1),
        );
        if let (Some(&a), Some(&b)) = range {
            let panel = storeys.panel(map.region_place[r].triangle);
            let ring = &map.region_ring[a as usize..b as usize];
            let mut line: Vec<Vec2> = ring
                .iter()
                .map(|p| sheet.panels[panel].at(p.truncate()))
                .collect();
            line.extend(line.first().copied());
            outlines[panel].push(line);
        }
    }
    for lines in &outlines {
        sheet.canvas.lines(lines, 1.0, REGION.faint(0.6));
    }
    let mut edges = vec![Vec::new(); panel_count];
    for e in two_way_edges(map) {
        let panel = storeys.panel(map.node_place[map.edge_from[e] as usize].triangle);
        let points = edge_points(simulation, e);
        let at = |p: &Vec3| sheet.panels[panel].at(p.truncate());
        edges[panel].push(points.iter().map(at).collect::<Vec<Vec2>>());
    }
    for lines in &edges {
        sheet.canvas.lines(lines, 0.8, EDGE.faint(0.7));
    }
    walls(&mut sheet, ground, &storeys);
    // Dots of a dense map would hide everything.
    if map.nodes() <= 5000 {
        for place in &map.node_place {
            let panel = sheet.panels[storeys.panel(place.triangle)];
            let at = panel.at(place.point.truncate());
            sheet.canvas.disc(at, 2.0, EDGE);
        }
    }
    sheet.scale_bar();
    sheet.entry("edges", EDGE);
    if outlines.iter().any(|o| !o.is_empty()) {
        sheet.entry("regions", REGION);
    }
    sheet.canvas.finish()
}
