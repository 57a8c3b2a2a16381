//! Navigation maps for other programs: GeoJSON of edges and regions, OBJ of the surface.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
};

use glam::{DVec2, Vec2, Vec3};
use serde_json::{Value, json};
use throng::{
    core::{GroundView, Location, NONE, NavMap},
    engine::simulation::Simulation as Engine,
    environment::Polygon,
};
use throng_kit::polygon::clean;

use crate::draw::{edge_points, two_way_edges};

/// Edges as LineStrings, one for both ways, and regions as Polygons.
pub fn geojson(simulation: &Engine) -> Value {
    let (ground, map) = (simulation.ground(), simulation.map());
    let mut features = Vec::new();
    for e in two_way_edges(map) {
        let line: Vec<Value> = edge_points(simulation, e)
            .into_iter()
            .map(|p| position(ground, p))
            .collect();
        let first = map
            .piece_start
            .get(e)
            .and_then(|&p| map.pieces.get(p as usize));
        let region = first.map_or(map.node_region[map.edge_from[e] as usize], |p| p.cell);
        features.push(json!({
            "type": "Feature",
            "geometry": { "type": "LineString", "coordinates": line },
            "properties": {
                "kind": "edge", "id": e, "from": map.edge_from[e], "to": map.edge_to[e],
                "length": map.edge_length[e], "min_clearance": map.edge_clearance[e],
                "region": (region != NONE).then_some(region),
            },
        }));
    }
    for (region, polygons) in shapes(simulation) {
        let geometry = match polygons.as_slice() {
            [one] => json!({ "type": "Polygon", "coordinates": one }),
            many => json!({ "type": "MultiPolygon", "coordinates": many }),
        };
        features.push(json!({
            "type": "Feature",
            "geometry": geometry,
            "properties": {
                "kind": "region", "id": region, "area": map.region_area[region as usize],
            },
        }));
    }
    json!({ "type": "FeatureCollection", "features": features })
}

/// Polygons of regions: for each polygon its rings, outer first, closed.
pub type Shapes = BTreeMap<u32, Vec<Vec<Vec<Value>>>>;

/// The regions of a simulation's map, world coordinates.
pub fn shapes(simulation: &Engine) -> Shapes {
    let map = simulation.map();
    if map.region_ring_start.is_empty() {
        cells(simulation)
    } else {
        rings(simulation.ground(), map)
    }
}

/// World coordinates as GeoJSON has them: the height only where there is one to tell.
fn position(ground: GroundView<'_>, point: Vec3) -> Value {
    let at = ground.origin + point.as_dvec3();
    if ground.flat {
        json!([at.x, at.y])
    } else {
        json!([at.x, at.y, at.z])
    }
}

/// Regions whose outlines the map has.
fn rings(ground: GroundView<'_>, map: &NavMap) -> Shapes {
    let mut shapes = Shapes::new();
    for r in 0..map.regions() {
        let range = (
            map.region_ring_start.get(r),
            map.region_ring_start.get(r + 1),
        );
        if let (Some(&a), Some(&b)) = range {
            let ring = &map.region_ring[a as usize..b as usize];
            let closed = ring.iter().chain(ring.first());
            let closed: Vec<Value> = closed.map(|p| position(ground, *p)).collect();
            if closed.len() > 3 {
                shapes.insert(r as u32, vec![vec![closed]]);
            }
        }
    }
    shapes
}

/// Regions of a map of square cells: whole cells as they are, others as the ground in them.
fn cells(simulation: &Engine) -> Shapes {
    let (ground, map) = (simulation.ground(), simulation.map());
    let (side, mut shapes) = (map.dense_spacing, Shapes::new());
    let Some(first) = map.node_place.first().filter(|_| side > 0.0) else {
        return shapes;
    };
    let corner = first.point.truncate() - side / 2.0;
    let square = |at: Vec2| -> (i64, i64) {
        let cell = ((at - corner) / side).floor();
        (cell.x as i64, cell.y as i64)
    };
    let low_of = |(x, y): (i64, i64)| corner + Vec2::new(x as f32, y as f32) * side;
    let mut whole = BTreeSet::new();
    for (r, area) in map.region_area.iter().enumerate() {
        if (area - side * side).abs() > 1e-4 * side * side {
            continue;
        }
        let place = map.region_place[r];
        let cell = square(place.point.truncate());
        whole.insert((cell, ground.floors[place.triangle as usize]));
        let (low, high) = (low_of(cell), low_of((cell.0 + 1, cell.1 + 1)));
        let ring = [
            low,
            Vec2::new(high.x, low.y),
            high,
            Vec2::new(low.x, high.y),
            low,
        ];
        let ring = ring.map(|p| position(ground, p.extend(place.point.z)));
        shapes.insert(r as u32, vec![vec![ring.to_vec()]]);
    }
    // What is left is the ground cut by the lattice, each piece put to the region it lies in.
    let mut pieces: BTreeMap<u32, Vec<Polygon>> = BTreeMap::new();
    for t in 0..ground.triangles.len() as u32 {
        let triangle = ground.corners(t).map(Vec3::truncate);
        let low = square(triangle[0].min(triangle[1]).min(triangle[2]));
        let high = square(triangle[0].max(triangle[1]).max(triangle[2]));
        for y in low.1..=high.1 {
            for x in low.0..=high.0 {
                if whole.contains(&((x, y), ground.floors[t as usize])) {
                    continue;
                }
                let piece = clipped(&triangle, low_of((x, y)), low_of((x + 1, y + 1)));
                if let Some(region) = region_of(simulation, t, &piece) {
                    let world = |p: &Vec2| ground.origin.truncate() + p.as_dvec2();
                    let ring: Vec<DVec2> = piece.iter().map(world).collect();
                    pieces.entry(region).or_default().push(Polygon::new(ring));
                }
            }
        }
    }
    for (region, pieces) in pieces {
        if shapes.contains_key(&region) {
            continue;
        }
        let height = ground.origin.z + f64::from(map.region_place[region as usize].point.z);
        let closed = |ring: &Vec<DVec2>| -> Vec<Value> {
            let points = ring.iter().chain(ring.first());
            let flat = ground.flat;
            points
                .map(|p| {
                    if flat {
                        json!([p.x, p.y])
                    } else {
                        json!([p.x, p.y, height])
                    }
                })
                .collect()
        };
        let polygons: Vec<Vec<Vec<Value>>> = clean(&pieces)
            .polygons
            .iter()
            .map(|p| {
                std::iter::once(&p.outer)
                    .chain(&p.holes)
                    .map(closed)
                    .collect()
            })
            .collect();
        if !polygons.is_empty() {
            shapes.insert(region, polygons);
        }
    }
    shapes
}

/// The region that a piece of a triangle lies in, if it has an area at all.
fn region_of(simulation: &Engine, triangle: u32, piece: &[Vec2]) -> Option<u32> {
    let area: f32 = (0..piece.len())
        .map(|i| piece[i].perp_dot(piece[(i + 1) % piece.len()]) / 2.0)
        .sum();
    if piece.len() < 3 || area.abs() < 1e-7 {
        return None;
    }
    let ground = simulation.ground();
    let middle = piece.iter().sum::<Vec2>() / piece.len() as f32;
    // On the triangle's plane: the height follows from the normal.
    let (normal, foot) = (
        ground.normals[triangle as usize],
        ground.corners(triangle)[0],
    );
    let z = foot.z - normal.truncate().dot(middle - foot.truncate()) / normal.z;
    let place = Location {
        point: middle.extend(z),
        triangle,
    };
    let mut region = [NONE];
    simulation.parts().nav.region_of(
        &simulation.place().site(),
        simulation.map(),
        &[place],
        &[NONE],
        &mut region,
    );
    (region[0] != NONE).then_some(region[0])
}

/// A triangle cut to an upright rectangle (Sutherland and Hodgman 1974).
fn clipped(triangle: &[Vec2; 3], low: Vec2, high: Vec2) -> Vec<Vec2> {
    let mut ring = triangle.to_vec();
    // Inside is where the signed distance to a side is not negative.
    let sides: [(Vec2, f32); 4] = [
        (Vec2::X, -low.x),
        (Vec2::Y, -low.y),
        (Vec2::NEG_X, high.x),
        (Vec2::NEG_Y, high.y),
    ];
    for (normal, offset) in sides {
        let inside = |p: Vec2| p.dot(normal) + offset;
        let mut cut = Vec::with_capacity(ring.len() + 1);
        for i in 0..ring.len() {
            let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
            let (da, db) = (inside(a), inside(b));
            if da >= 0.0 {
                cut.push(a);
            }
            if (da >= 0.0) != (db >= 0.0) {
                cut.push(a + (b - a) * (da / (da - db)));
            }
        }
        ring = cut;
    }
    ring
}

/// The surface, with the map's edges as lines.
pub fn wavefront(ground: GroundView<'_>, map: &NavMap) -> String {
    let mut text = String::new();
    let vertex = |text: &mut String, point: Vec3| {
        let at = ground.origin + point.as_dvec3();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "v {} {} {}", at.x, at.y, at.z);
    };
    for v in ground.vertices {
        vertex(&mut text, *v);
    }
    for place in &map.node_place {
        vertex(&mut text, place.point);
    }
    for [a, b, c] in ground.triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    let first = ground.vertices.len() as u32 + 1;
    for e in two_way_edges(map) {
        let (from, to) = (first + map.edge_from[e], first + map.edge_to[e]);
        let _ = writeln!(text, "l {from} {to}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_is_cut_to_a_square() {
        let triangle = [Vec2::ZERO, Vec2::new(4.0, 0.0), Vec2::new(0.0, 4.0)];
        let area = |ring: &[Vec2]| -> f32 {
            (0..ring.len())
                .map(|i| ring[i].perp_dot(ring[(i + 1) % ring.len()]) / 2.0)
                .sum()
        };
        assert_eq!(area(&clipped(&triangle, Vec2::ZERO, Vec2::splat(1.0))), 1.0);
        assert_eq!(
            area(&clipped(&triangle, Vec2::splat(1.0), Vec2::splat(3.0))),
            2.0
        );
        assert!(clipped(&triangle, Vec2::splat(3.0), Vec2::splat(4.0)).len() < 3);
    }
}
