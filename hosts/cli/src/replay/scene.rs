//! What stands still in a replay: ground, walls, areas, lines, doors and the navigation map.
//!
//! Lengths are whole millimetres from the ground's origin.

use std::collections::BTreeMap;

use glam::{DVec2, Vec3};
use serde_json::{Value, json};
use throng::{
    core::{Gate, GroundView, NO_DOOR, Wall},
    engine::{areas::Shape, simulation::Simulation as Engine},
    environment::{Mesh, NamedLine},
};

use crate::{
    draw::{Storeys, edge_points, two_way_edges},
    output::map_export::shapes,
};

/// Edges (one for both ways) or regions that a page draws at most.
const MOST_DRAWN: usize = 40_000;

/// What a scenario's environment has beside the ground.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Names of the floors.
    pub floor_names: Vec<String>,
    /// Named lines.
    pub lines: Vec<NamedLine>,
    /// A mesh to draw instead of the ground, world coordinates.
    pub render: Option<Mesh>,
}

impl Surroundings {
    /// Those of a scenario that was loaded.
    pub fn of(loaded: &throng::Loaded) -> Surroundings {
        let floors = &loaded.environment.floors;
        let mut lines = loaded.environment.lines.clone();
        for line in &loaded.scenario.lines {
            let floor = match &line.floor {
                throng::scenario::FloorRef::Index(index) => *index,
                throng::scenario::FloorRef::Name(name) => {
                    floors.iter().position(|f| f.name == *name).unwrap_or(0)
                }
            };
            lines.push(NamedLine {
                name: line.name.clone(),
                floor,
                points: line.points.clone(),
            });
        }
        Surroundings {
            floor_names: floors.iter().map(|f| f.name.clone()).collect(),
            lines,
            render: loaded.environment.render.clone(),
        }
    }
}

fn millimetres(point: Vec3) -> [i32; 3] {
    (point * 1e3).round().to_array().map(|v| v as i32)
}

fn flat(points: impl IntoIterator<Item = Vec3>) -> Vec<i32> {
    points.into_iter().flat_map(millimetres).collect()
}

/// The scene of a simulation as the page reads it.
pub fn scene(simulation: &Engine, storeys: &Storeys, surroundings: &Surroundings) -> Value {
    let ground = simulation.ground();
    let heights = heights(ground, storeys);
    let walls: Vec<Value> = ground
        .walls
        .iter()
        .map(|wall| {
            let obstacle = wall.flags & Wall::OBSTACLE != 0;
            json!([
                flat([wall.a, wall.b]),
                if wall.door != NO_DOOR {
                    2
                } else {
                    u8::from(obstacle)
                },
                storeys.panel(wall.triangle),
                if wall.door != NO_DOOR {
                    i32::from(wall.door)
                } else {
                    -1
                },
            ])
        })
        .collect();
    let (vertices, triangles, of_storey) = match &surroundings.render {
        Some(mesh) => (
            flat(mesh.vertices.iter().map(|v| (*v - ground.origin).as_vec3())),
            mesh.triangles.concat(),
            json!(vec![0; mesh.triangles.len()]),
        ),
        None => (
            flat(ground.vertices.iter().copied()),
            ground.triangles.concat(),
            json!(storeys.of_triangle),
        ),
    };
    json!({
        "vertices": vertices,
        "triangles": triangles,
        "triangle_storey": of_storey,
        "storeys": storeys.storeys.iter().zip(&heights).map(|(s, z)| {
            json!({ "name": s.name, "z": z })
        }).collect::<Vec<_>>(),
        "walls": walls,
        "doors": simulation.place().ground.door_names(),
        "areas": areas(simulation, storeys, &heights),
        "lines": lines(ground, surroundings, &heights),
        "map": map(simulation, storeys),
        "movers": simulation.state().movers.iter()
            .map(|m| json!({ "name": m.name, "radius": m.radius }))
            .collect::<Vec<_>>(),
    })
}

/// Height of each storey, metres: its lowest triangle.
fn heights(ground: GroundView<'_>, storeys: &Storeys) -> Vec<f32> {
    let mut heights = vec![f32::INFINITY; storeys.storeys.len()];
    for t in 0..ground.triangles.len() as u32 {
        let z = ground
            .corners(t)
            .iter()
            .map(|c| c.z)
            .fold(f32::INFINITY, f32::min);
        let height = &mut heights[storeys.panel(t)];
        *height = height.min(z);
    }
    heights
        .into_iter()
        .map(|z| if z.is_finite() { z } else { 0.0 })
        .collect()
}

fn areas(simulation: &Engine, storeys: &Storeys, heights: &[f32]) -> Vec<Value> {
    let areas = simulation.place().areas.iter();
    areas
        .map(|area| match &area.shape {
            Shape::Polygon { floor, rings } => {
                let storey = usize::from(*floor).min(heights.len().saturating_sub(1));
                let z = heights.get(storey).copied().unwrap_or(0.0);
                let rings: Vec<Vec<i32>> = rings
                    .iter()
                    .map(|ring| flat(ring.iter().map(|p| p.extend(z))))
                    .collect();
                json!({ "name": area.name, "storey": storey, "rings": rings })
            }
            Shape::Ball { centre, radius } => json!({
                "name": area.name,
                "storey": storeys.panel(area.anchor.triangle),
                "centre": millimetres(*centre),
                "radius": radius,
            }),
            Shape::Everywhere => json!({ "name": area.name }),
        })
        .collect()
}

fn lines(ground: GroundView<'_>, surroundings: &Surroundings, heights: &[f32]) -> Vec<Value> {
    surroundings
        .lines
        .iter()
        .map(|line| {
            let z = heights.get(line.floor).copied().unwrap_or(0.0);
            let local = |p: &DVec2| (p - ground.origin.truncate()).as_vec2().extend(z);
            let points = flat(line.points.iter().map(local));
            json!({ "name": line.name, "storey": line.floor, "points": points })
        })
        .collect()
}

fn map(simulation: &Engine, storeys: &Storeys) -> Value {
    let (map, place) = (simulation.map(), simulation.place());
    let two_way = two_way_edges(map).count();
    let mut drawn = json!({
        "nodes": map.nodes(), "edge_count": two_way, "region_count": map.regions(),
    });
    if two_way <= MOST_DRAWN {
        let (mut edges, mut gates) = (Vec::new(), Vec::new());
        let mut buffer: Vec<Gate> = Vec::new();
        for e in two_way_edges(map) {
            let from = map.node_place[map.edge_from[e] as usize];
            let storey = storeys.panel(from.triangle);
            edges.push(json!([flat(edge_points(simulation, e)), storey]));
            buffer.clear();
            let edge = [e as u32];
            simulation
                .parts()
                .nav
                .emit_gates(&place.site(), map, &edge, &mut buffer);
            // Where ways meet on a medial axis an edge begins at other walls than the last ends.
            let nav = &simulation.parts().nav;
            buffer.extend(nav.gate_at(&place.site(), map, e as u32, 0.0));
            for gate in &buffer {
                if gate.left.distance_squared(gate.right) > 1e-4 {
                    let line = [gate.left, gate.middle, gate.right];
                    gates.push(json!([flat(line), storey]));
                }
            }
        }
        drawn["edges"] = json!(edges);
        drawn["gates"] = json!(gates);
    }
    if map.regions() <= MOST_DRAWN {
        drawn["regions"] = regions(simulation, storeys);
    }
    drawn
}

fn regions(simulation: &Engine, storeys: &Storeys) -> Value {
    let (map, ground) = (simulation.map(), simulation.ground());
    let outlines: BTreeMap<u32, _> = shapes(simulation);
    let mut rings = Vec::new();
    for (region, polygons) in outlines {
        let place = map.region_place[region as usize];
        for ring in polygons.iter().flatten() {
            let point = |p: &Value| {
                let at = |i: usize| p.get(i).and_then(Value::as_f64);
                let z = at(2).map_or(place.point.z, |z| (z - ground.origin.z) as f32);
                let (x, y) = (at(0).unwrap_or(0.0), at(1).unwrap_or(0.0));
                let plan = DVec2::new(x, y) - ground.origin.truncate();
                plan.as_vec2().extend(z)
            };
            rings.push(json!([
                flat(ring.iter().map(point)),
                storeys.panel(place.triangle)
            ]));
        }
    }
    json!(rings)
}
