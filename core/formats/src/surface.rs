//! Meshes of any format made into floors or curved grounds.
//!
//! A mesh flat within 1 mm along an axis is a floor seen along that axis: y up becomes
//! (x, -z), z up (x, y), x up (y, z). Its boundary edges are the walls. Any other mesh keeps
//! its file's coordinates. `up` fixes the axis instead: a mesh that is not flat along it is
//! turned so that z points up.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};
use throng_core::math::atan2;
use throng_kit::environment::{Environment, Floor, Mesh, Polygon, Ring};

use crate::error::{Fault, Place};
use crate::options::{ReadOptions, Up};
use crate::rings::{orientation, signed_area};

/// A mesh of no more than this height is a floor, metres.
const FLAT: f64 = 1e-3;
/// And of no more than this share of its length.
const FLAT_SHARE: f64 = 1e-2;
/// Corners of a flat mesh closer than this are one, metres.
const WELD: f64 = 1e-5;
/// Farthest coordinate of a mesh, metres.
const FARTHEST: f64 = 1e9;
/// Widest mesh, metres.
const WIDEST: f64 = 1e6;
/// A mesh that is less across has no room for anybody, metres.
const NARROWEST: f64 = 0.5;

/// Corner tests spent on one face before it is refused.
const MOST_EAR_TESTS: usize = 200_000_000;

/// A polygon of a mesh file cut into triangles, as indices into `corners`; `None` when it is
/// too complicated.
///
/// Ear clipping in the plane of Newell's normal; where no ear is left (a twisted face) the
/// next corner is cut all the same, so that n corners always give n - 2 triangles.
pub(crate) fn triangulate_face(corners: &[DVec3]) -> Option<Vec<[usize; 3]>> {
    match corners.len() {
        0..=2 => return Some(Vec::new()),
        3 => return Some(vec![[0, 1, 2]]),
        _ => {}
    }
    let flat = flattened(corners);
    let turn = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = Vec::with_capacity(corners.len() - 2);
    let mut tests = 0;
    let mut start = 0;
    while left.len() > 3 {
        let count = left.len();
        let around = |i: usize| [(i + count - 1) % count, i, (i + 1) % count].map(|j| left[j]);
        let is_ear = |i: &usize| {
            let [a, b, c] = around(*i).map(|corner| flat[corner]);
            turn(a, b, c) > 0.0
                && left.iter().map(|other| flat[*other]).all(|p| {
                    tests += 1;
                    p == a
                        || p == b
                        || p == c
                        || turn(a, b, p) < 0.0
                        || turn(b, c, p) < 0.0
                        || turn(c, a, p) < 0.0
                })
        };
        let i = (0..count)
            .map(|offset| (start + offset) % count)
            .find(is_ear)
            .unwrap_or(start % count);
        if tests > MOST_EAR_TESTS {
            return None;
        }
        triangles.push(around(i));
        left.remove(i);
        start = i;
    }
    triangles.push([left[0], left[1], left[2]]);
    Some(triangles)
}

/// Corners in the plane across the largest component of Newell's normal, counter-clockwise.
fn flattened(corners: &[DVec3]) -> Vec<DVec2> {
    let origin = corners[0];
    let normal: DVec3 = (0..corners.len())
        .map(|i| (corners[i] - origin).cross(corners[(i + 1) % corners.len()] - origin))
        .sum();
    let axis = normal.abs();
    corners
        .iter()
        .map(|corner| {
            let p = *corner - origin;
            if axis.z >= axis.x && axis.z >= axis.y {
                DVec2::new(p.x * normal.z.signum(), p.y)
            } else if axis.y >= axis.x {
                DVec2::new(p.z * normal.y.signum(), p.x)
            } else {
                DVec2::new(p.y * normal.x.signum(), p.z)
            }
        })
        .collect()
}

/// The environment of a mesh whose indices are in range.
pub(crate) fn environment(
    mut mesh: Mesh,
    mut notices: Vec<String>,
    options: &ReadOptions,
) -> Result<Environment, Fault> {
    for (number, vertex) in mesh.vertices.iter_mut().enumerate() {
        *vertex *= options.scale;
        if !vertex.is_finite() || vertex.abs().max_element() > FARTHEST {
            return Err(Fault::geometry(
                Place::Feature(format!("vertex {}", number + 1)),
                format!("its place {vertex} m is not finite or farther than {FARTHEST:e} m"),
                "correct it, or set `scale` to the metres per unit of the file",
            ));
        }
    }
    let before = mesh.triangles.len();
    let vertices = &mesh.vertices;
    mesh.triangles.retain(|corners| {
        let [a, b, c] = corners.map(|corner| vertices[corner as usize]);
        (b - a).cross(c - a).length_squared() > 0.0
    });
    let dropped = before - mesh.triangles.len();
    if dropped > 0 {
        notices.push(format!(
            "{dropped} of {before} triangles have no area and were dropped"
        ));
    }
    let Some((low, high)) = bounds(&mesh) else {
        return Err(Fault::geometry(
            Place::File,
            "there is no triangle with an area in it",
            "give a mesh with faces",
        ));
    };
    let extent = high - low;
    if extent.max_element() > WIDEST {
        return Err(Fault::geometry(
            Place::File,
            format!(
                "the mesh is {:.3e} m across, more than {WIDEST:e} m",
                extent.max_element()
            ),
            "set `scale` to the metres per unit of the file",
        ));
    }
    if extent.max_element() < NARROWEST {
        notices.push(format!(
            "the mesh is {:.3e} m across, too small for people; set `scale` to the metres per \
             unit of the file if some are to walk on it",
            extent.max_element()
        ));
    }
    // Of a mesh that is small as a whole (a scan in metres) a millimetre is much.
    let flat = FLAT.min(extent.max_element() * FLAT_SHARE);
    let flat_along = [
        (Up::Y, extent.y <= flat),
        (Up::Z, extent.z <= flat),
        (Up::X, extent.x <= flat),
    ];
    let floor_axis = flat_along
        .iter()
        .find(|(axis, flat)| *flat && options.up.is_none_or(|up| up == *axis));
    if let Some((axis, _)) = floor_axis {
        return floor(&mesh, *axis, notices);
    }
    if let Some(up) = options.up {
        for vertex in &mut mesh.vertices {
            *vertex = turned(*vertex, up);
        }
    }
    Ok(Environment {
        mesh: Some(mesh),
        notices,
        ..Environment::default()
    })
}

/// A place with its up axis turned to z.
fn turned(p: DVec3, up: Up) -> DVec3 {
    match up {
        Up::X => DVec3::new(p.y, p.z, p.x),
        Up::Y => DVec3::new(p.x, -p.z, p.y),
        Up::Z => p,
    }
}

fn bounds(mesh: &Mesh) -> Option<(DVec3, DVec3)> {
    let mut used = mesh
        .triangles
        .iter()
        .flatten()
        .map(|corner| mesh.vertices[*corner as usize]);
    let first = used.next()?;
    Some(used.fold((first, first), |(low, high), p| (low.min(p), high.max(p))))
}

fn floor(mesh: &Mesh, up: Up, mut notices: Vec<String>) -> Result<Environment, Fault> {
    let (plan, triangles) = welded(mesh, up);
    let walkable = outlines(&plan, &triangles);
    if walkable.is_empty() {
        return Err(Fault::geometry(
            Place::File,
            "the flat mesh has no area",
            "give a mesh with faces, or set `up`",
        ));
    }
    let first = mesh.triangles.first().map_or(0, |corners| corners[0]);
    let z = turned(mesh.vertices[first as usize], up).z;
    let letter = match up {
        Up::X => "x up: plan (y, z)",
        Up::Y => "y up: plan (x, -z)",
        Up::Z => "z up: plan (x, y)",
    };
    notices.push(format!(
        "the mesh is flat and was read as a floor, {letter}"
    ));
    Ok(Environment {
        floors: vec![Floor {
            name: "0".to_string(),
            z,
            walkable,
            ..Floor::default()
        }],
        notices,
        ..Environment::default()
    })
}

/// Plan points with near ones made one, and the triangles counter-clockwise, each only once.
fn welded(mesh: &Mesh, up: Up) -> (Vec<DVec2>, Vec<[u32; 3]>) {
    let mut points: Vec<DVec2> = Vec::new();
    let mut by_cell: BTreeMap<(i64, i64), u32> = BTreeMap::new();
    let mut index_of = vec![u32::MAX; mesh.vertices.len()];
    let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(mesh.triangles.len());
    for corners in &mesh.triangles {
        let mut triangle = corners.map(|corner| {
            let known = &mut index_of[corner as usize];
            if *known == u32::MAX {
                let point = turned(mesh.vertices[corner as usize], up).truncate();
                *known = weld(point, &mut points, &mut by_cell);
            }
            *known
        });
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        let turn = orientation(a, b, c);
        if turn == 0.0 {
            continue;
        }
        if turn < 0.0 {
            triangle.swap(1, 2);
        }
        while triangle[0] > triangle[1] || triangle[0] > triangle[2] {
            triangle.rotate_left(1);
        }
        triangles.push(triangle);
    }
    // A floor modelled with both its faces has every triangle twice.
    triangles.sort_unstable();
    triangles.dedup();
    (points, triangles)
}

fn weld(point: DVec2, points: &mut Vec<DVec2>, by_cell: &mut BTreeMap<(i64, i64), u32>) -> u32 {
    let cell = (point / WELD).floor();
    let (x, y) = (cell.x as i64, cell.y as i64);
    for dy in -1..=1 {
        for dx in -1..=1 {
            if let Some(&known) = by_cell.get(&(x + dx, y + dy))
                && points[known as usize].distance_squared(point) <= WELD * WELD
            {
                return known;
            }
        }
    }
    let index = points.len() as u32;
    points.push(point);
    by_cell.insert((x, y), index);
    index
}

/// Boundary loops of plan triangles as polygons.
///
/// An edge belongs to the boundary as often as it is passed more in one direction than in the
/// other. Where a long edge lies along several short ones (a T-junction) it is split at their
/// ends first.
fn outlines(points: &[DVec2], triangles: &[[u32; 3]]) -> Vec<Polygon> {
    let mut net: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for triangle in triangles {
        for side in 0..3 {
            let (a, b) = (triangle[side], triangle[(side + 1) % 3]);
            pass(&mut net, a, b);
        }
    }
    net.retain(|_, count| *count != 0);
    let net = split_at_junctions(points, net);

    let mut leaving: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for ((a, b), count) in net {
        let (from, to) = if count > 0 { (a, b) } else { (b, a) };
        for _ in 0..count.unsigned_abs() {
            leaving.entry(from).or_default().push(to);
        }
    }
    let mut rings = Vec::new();
    while let Some((&start, _)) = leaving.first_key_value() {
        let mut walk = vec![start];
        let mut came_from = None;
        let mut at = start;
        while let Some(next) = take_next(points, &mut leaving, came_from, at) {
            came_from = Some(at);
            at = next;
            if at == start {
                break;
            }
            walk.push(at);
        }
        rings.extend(
            split_at_repeated_corners(&walk)
                .iter()
                .map(|ring| without_straight_corners(points, ring))
                .filter(|ring| ring.len() > 2),
        );
    }
    to_polygons(rings)
}

/// A closed walk that passes corners more than once, cut into loops that do not.
fn split_at_repeated_corners(walk: &[u32]) -> Vec<Vec<u32>> {
    let mut loops = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    let mut place_of: BTreeMap<u32, usize> = BTreeMap::new();
    for &corner in walk {
        if let Some(&place) = place_of.get(&corner) {
            let inner = open.split_off(place);
            for passed in &inner {
                place_of.remove(passed);
            }
            loops.push(inner);
        }
        place_of.insert(corner, open.len());
        open.push(corner);
    }
    loops.push(open);
    loops
}

/// Counts a passage from a to b in a table keyed by the smaller index first.
fn pass(net: &mut BTreeMap<(u32, u32), i32>, a: u32, b: u32) {
    if a < b {
        *net.entry((a, b)).or_insert(0) += 1;
    } else if b < a {
        *net.entry((b, a)).or_insert(0) -= 1;
    }
}

fn split_at_junctions(
    points: &[DVec2],
    net: BTreeMap<(u32, u32), i32>,
) -> BTreeMap<(u32, u32), i32> {
    use rstar::primitives::GeomWithData;
    use rstar::{AABB, RTree};
    let mut ends: Vec<u32> = net.keys().flat_map(|(a, b)| [*a, *b]).collect();
    ends.sort_unstable();
    ends.dedup();
    let tree = RTree::bulk_load(
        ends.iter()
            .map(|end| GeomWithData::new(points[*end as usize].to_array(), *end))
            .collect(),
    );
    let mut split: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for ((a, b), count) in net {
        let (pa, pb) = (points[a as usize], points[b as usize]);
        let along = pb - pa;
        let length = along.length();
        let margin = DVec2::splat(WELD);
        let around = AABB::from_corners(
            (pa.min(pb) - margin).to_array(),
            (pa.max(pb) + margin).to_array(),
        );
        let mut on_edge: Vec<(f64, u32)> = tree
            .locate_in_envelope(around)
            .filter(|end| end.data != a && end.data != b)
            .filter_map(|end| {
                let offset = points[end.data as usize] - pa;
                let place = offset.dot(along) / length;
                let aside = offset.perp_dot(along).abs() / length;
                (place > WELD && place < length - WELD && aside <= WELD)
                    .then_some((place, end.data))
            })
            .collect();
        on_edge.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        let mut from = a;
        for to in on_edge.into_iter().map(|(_, end)| end).chain([b]) {
            let (low, high, sign) = if from < to {
                (from, to, count)
            } else {
                (to, from, -count)
            };
            *split.entry((low, high)).or_insert(0) += sign;
            from = to;
        }
    }
    split.retain(|_, count| *count != 0);
    split
}

/// Takes the edge that bounds the same wedge of triangles as the one just passed: the first
/// one clockwise from the way back.
fn take_next(
    points: &[DVec2],
    leaving: &mut BTreeMap<u32, Vec<u32>>,
    came_from: Option<u32>,
    at: u32,
) -> Option<u32> {
    let choices = leaving.get_mut(&at)?;
    let best = match came_from {
        Some(back) if choices.len() > 1 => {
            let here = points[at as usize];
            let way_back = points[back as usize] - here;
            let clockwise = |to: u32| {
                let way = points[to as usize] - here;
                let angle = atan2(-way_back.perp_dot(way), way_back.dot(way));
                if angle <= 0.0 {
                    angle + std::f64::consts::TAU
                } else {
                    angle
                }
            };
            (0..choices.len())
                .min_by(|i, j| clockwise(choices[*i]).total_cmp(&clockwise(choices[*j])))?
        }
        _ => 0,
    };
    let next = choices.swap_remove(best);
    if choices.is_empty() {
        leaving.remove(&at);
    }
    Some(next)
}

fn without_straight_corners(points: &[DVec2], ring: &[u32]) -> Ring {
    let count = ring.len();
    let point = |i: usize| points[ring[i % count] as usize];
    (0..count)
        .filter(|&i| {
            let (before, here, after) = (point(i + count - 1), point(i), point(i + 1));
            let straight = (here - before).perp_dot(after - here) == 0.0
                && (here - before).dot(after - here) > 0.0;
            !straight
        })
        .map(point)
        .collect()
}

/// Outer rings with the holes that lie in them, each in the smallest.
fn to_polygons(rings: Vec<Ring>) -> Vec<Polygon> {
    use rstar::primitives::{GeomWithData, Rectangle};
    use rstar::{AABB, RTree};
    let (outer, holes): (Vec<Ring>, Vec<Ring>) =
        rings.into_iter().partition(|ring| signed_area(ring) > 0.0);
    let mut polygons: Vec<Polygon> = outer.into_iter().map(Polygon::new).collect();
    if let [only] = polygons.as_mut_slice() {
        only.holes = holes;
        return polygons;
    }
    let boxes = RTree::bulk_load(
        polygons
            .iter()
            .enumerate()
            .filter_map(|(index, polygon)| {
                let (low, high) = crate::rings::bounds(&polygon.outer)?;
                let rectangle = Rectangle::from_corners(low.to_array(), high.to_array());
                Some(GeomWithData::new(rectangle, index))
            })
            .collect(),
    );
    for hole in holes {
        let around = boxes
            .locate_in_envelope_intersecting(AABB::from_point(hole[0].to_array()))
            .map(|found| found.data)
            .filter(|index| hole.iter().all(|p| in_or_on(&polygons[*index].outer, *p)))
            .min_by(|a, b| {
                signed_area(&polygons[*a].outer)
                    .total_cmp(&signed_area(&polygons[*b].outer))
                    .then(a.cmp(b))
            });
        if let Some(index) = around {
            polygons[index].holes.push(hole);
        }
    }
    polygons
}

fn in_or_on(ring: &Ring, point: DVec2) -> bool {
    let mut inside = false;
    for (i, &a) in ring.iter().enumerate() {
        let b = ring[(i + 1) % ring.len()];
        let left = orientation(a, b, point);
        if left == 0.0 && point.cmpge(a.min(b)).all() && point.cmple(a.max(b)).all() {
            return true;
        }
        if (a.y <= point.y) != (b.y <= point.y) && (left > 0.0) == (b.y > a.y) {
            inside = !inside;
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(env: &Environment) -> f64 {
        env.floors[0]
            .walkable
            .iter()
            .flat_map(|polygon| std::iter::once(&polygon.outer).chain(&polygon.holes))
            .map(|ring| signed_area(ring))
            .sum()
    }

    /// An n x n sheet of unit squares in the plane, some left out, each as two triangles.
    fn sheet(n: u32, left_out: &[(u32, u32)]) -> Mesh {
        let vertices = (0..=n)
            .flat_map(|y| (0..=n).map(move |x| DVec3::new(x as f64, y as f64, 2.5)))
            .collect();
        let mut triangles = Vec::new();
        for (x, y) in (0..n).flat_map(|y| (0..n).map(move |x| (x, y))) {
            if !left_out.contains(&(x, y)) {
                let a = y * (n + 1) + x;
                triangles.push([a, a + 1, a + n + 2]);
                triangles.push([a, a + n + 1, a + n + 2]);
            }
        }
        Mesh {
            vertices,
            triangles,
        }
    }

    fn floor_of(mesh: Mesh) -> Environment {
        environment(mesh, Vec::new(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn a_sheet_with_a_hole_is_a_square_with_a_hole() {
        let env = floor_of(sheet(3, &[(1, 1)]));
        let polygon = &env.floors[0].walkable[0];
        assert_eq!(env.floors[0].z, 2.5);
        assert_eq!((polygon.outer.len(), polygon.holes.len()), (4, 1));
        assert_eq!(area(&env), 8.0);
    }

    #[test]
    fn a_mesh_too_small_for_people_is_said_so() {
        for (size, said) in [(0.01, true), (1.0, false)] {
            let mut mesh = sheet(3, &[]);
            mesh.vertices[5].z += 1.0;
            for vertex in &mut mesh.vertices {
                *vertex *= size;
            }
            let notices = floor_of(mesh).notices;
            let found = notices.iter().any(|n| n.contains("set `scale`"));
            assert_eq!(found, said, "{size}: {notices:?}");
        }
    }

    #[test]
    fn squares_that_touch_in_a_corner_are_apart() {
        let env = floor_of(sheet(2, &[(1, 0), (0, 1)]));
        assert_eq!(env.floors[0].walkable.len(), 2);
        assert_eq!(area(&env), 2.0);
    }

    #[test]
    fn holes_that_touch_in_a_corner_keep_their_area() {
        let env = floor_of(sheet(4, &[(1, 1), (2, 2)]));
        assert_eq!(area(&env), 14.0);
        assert_eq!(env.floors[0].walkable[0].outer.len(), 4);
    }

    #[test]
    fn a_long_edge_along_short_ones_is_no_wall() {
        // A 2 x 1 rectangle below, two unit squares above that meet it in a T-junction.
        let v = |x: f64, y: f64| DVec3::new(x, y, 0.0);
        let mesh = Mesh {
            vertices: vec![
                v(0.0, 0.0),
                v(2.0, 0.0),
                v(2.0, 1.0),
                v(0.0, 1.0),
                v(1.0, 1.0),
                v(0.0, 2.0),
                v(1.0, 2.0),
                v(2.0, 2.0),
            ],
            triangles: vec![
                [0, 1, 2],
                [0, 2, 3],
                [3, 4, 6],
                [3, 6, 5],
                [4, 2, 7],
                [4, 7, 6],
            ],
        };
        let env = floor_of(mesh);
        assert_eq!(env.floors[0].walkable.len(), 1);
        assert_eq!(env.floors[0].walkable[0].outer.len(), 4);
        assert_eq!(area(&env), 4.0);
    }

    #[test]
    fn up_axes_become_plan_coordinates() {
        let mut mesh = sheet(2, &[]);
        for vertex in &mut mesh.vertices {
            *vertex = DVec3::new(vertex.x, 7.0, vertex.y);
        }
        let env = floor_of(mesh.clone());
        assert_eq!(env.floors[0].z, 7.0);
        assert!(
            env.floors[0].walkable[0]
                .outer
                .contains(&DVec2::new(2.0, -2.0))
        );
        let options = ReadOptions {
            up: Some(Up::Z),
            ..ReadOptions::default()
        };
        let upright = environment(mesh.clone(), Vec::new(), &options).unwrap();
        assert_eq!(upright.mesh, Some(mesh));
    }

    #[test]
    fn a_mesh_with_relief_keeps_its_coordinates_unless_turned() {
        let mut mesh = sheet(2, &[]);
        mesh.vertices[4].z = 3.0;
        let env = floor_of(mesh.clone());
        assert_eq!(env.mesh.as_ref(), Some(&mesh));
        let options = ReadOptions {
            up: Some(Up::Y),
            ..ReadOptions::default()
        };
        let turned = environment(mesh, Vec::new(), &options).unwrap();
        assert_eq!(turned.mesh.unwrap().vertices[4], DVec3::new(1.0, -3.0, 1.0));
    }

    #[test]
    fn a_concave_face_is_cut_into_its_area() {
        let l = [
            (0.0, 0.0),
            (3.0, 0.0),
            (3.0, 1.0),
            (1.0, 1.0),
            (1.0, 3.0),
            (0.0, 3.0),
        ];
        for turn in 0..l.len() {
            let mut corners: Vec<DVec3> = l.iter().map(|p| DVec3::new(p.0, 0.0, p.1)).collect();
            corners.rotate_left(turn);
            let triangles = triangulate_face(&corners).unwrap();
            assert_eq!(triangles.len(), 4);
            let area: f64 = triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|i| corners[i]);
                    0.5 * (b - a).cross(c - a).length()
                })
                .sum();
            assert!((area - 5.0).abs() < 1e-12);
        }
    }
}
