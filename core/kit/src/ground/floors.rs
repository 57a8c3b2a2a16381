//! Floors, stairs, doors and obstacles of an environment as one triangle soup.
//!
//! Everything is snapped to one grid whose points are exact in `f32` about the origin, so that
//! the stored triangles are exactly those that were triangulated.

use std::collections::{HashMap, HashSet};

use glam::{DVec2, DVec3};
use throng_core::NO_DOOR;

use super::GroundError;
use super::cells;
use super::floor::{FloorMesh, FloorPlan, Role, StairEnd};
use super::grid::{Grid, LARGEST, grain_for};
use super::topology::{SideTag, Soup};
use crate::environment::{Connection, Environment, Floor, Polygon};

/// The soup of an environment's floors.
pub(super) fn soup(environment: &Environment) -> Result<Soup, GroundError> {
    check(environment)?;
    let mut notices = Vec::new();
    let grid = grid_of(environment)?;
    let quads = environment
        .connections
        .iter()
        .map(|c| quad(c, &grid, &mut notices))
        .collect::<Result<Vec<Quad>, GroundError>>()?;

    let bare = Floor::default();
    let floors: Vec<&Floor> = if environment.floors.is_empty() {
        vec![&bare]
    } else {
        environment.floors.iter().collect()
    };
    let mut soup = Soup {
        origin: grid.origin,
        grain: grid.grain,
        floor_count: floors.len(),
        door_names: environment.doors.iter().map(|d| d.name.clone()).collect(),
        door_open: environment.doors.iter().map(|d| u8::from(d.open)).collect(),
        planar: true,
        ..Soup::default()
    };
    let mut door_used = vec![false; environment.doors.len()];
    let mut end_sides: HashMap<StairEnd, Vec<[u32; 2]>> = HashMap::new();
    for (f, floor) in floors.iter().enumerate() {
        let mesh = floor_mesh(environment, f, floor, &grid, &quads, &mut notices)?;
        let first = soup.vertices.len() as u32;

        let z = floor.z - grid.origin.z;
        for end in &mesh.doubly_used_ends {
            notices.push(format!(
                "connection {:?} has an end where another one has its end: only one is joined there",
                environment.connections[end.0 as usize].name
            ));
        }
        soup.vertices.extend(
            mesh.points
                .iter()
                .map(|p| DVec3::new(p[0] as f64 * grid.grain, p[1] as f64 * grid.grain, z)),
        );
        let mut keys: Vec<_> = mesh.edges.into_iter().collect();
        keys.sort_unstable_by_key(|(v, _)| *v);
        for ((a, b), kind) in keys {
            let (a, b) = (a + first, b + first);
            if let Some(end) = kind.end {
                end_sides.entry(end).or_default().push([a, b]);
            }
            if let Some(door) = kind.door {
                door_used[door as usize] = true;
            }
            soup.tags.insert(
                (a, b),
                SideTag {
                    blocked: kind.thin_wall && kind.door.is_none(),
                    door: kind.door.unwrap_or(NO_DOOR),
                },
            );
        }
        soup.triangles
            .extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
        soup.in_obstacle.extend(mesh.in_obstacle);
        soup.floors.resize(soup.triangles.len(), f as u16);
    }
    soup.speed.resize(soup.triangles.len(), 1.0);

    for (c, quad) in quads.iter().enumerate() {
        let connection = &environment.connections[c];
        let mut chains = [Vec::new(), Vec::new()];
        for (end, floor) in [connection.from, connection.to].into_iter().enumerate() {
            let sides = end_sides.remove(&(c as u32, end as u8)).unwrap_or_default();
            if sides.is_empty() {
                notices.push(format!(
                    "connection {:?} does not touch walkable ground at its end on floor {:?}",
                    connection.name, floors[floor].name
                ));
            }
            chains[end] = chain(
                quad.ends[end],
                &sides,
                floors[floor].z - grid.origin.z,
                &grid,
                &mut soup.vertices,
            );
        }
        let triangles = zip(&chains, &soup.vertices);
        if triangles.is_empty() {
            return Err(GroundError::Connection {
                name: connection.name.clone(),
                reason: "its footprint cannot be triangulated",
            });
        }
        soup.triangles.extend(triangles);
        let count = soup.triangles.len();
        soup.in_obstacle.resize(count, false);
        soup.floors.resize(count, (floors.len() + c) as u16);
        soup.speed.resize(count, connection.speed as f32);
    }
    for (door, used) in environment.doors.iter().zip(door_used) {
        if !used {
            notices.push(format!(
                "door {:?} lies on no walkable ground and has no effect",
                door.name
            ));
        }
    }
    if soup.grain > 1.0 / 1024.0 {
        notices.push(format!(
            "the ground is so large that places are told apart only to {} mm",
            soup.grain * 1000.0
        ));
    }
    soup.notices = notices;
    Ok(soup)
}

/// Refuses what no repair can mean: wrong indexes and numbers that are not finite.
fn check(environment: &Environment) -> Result<(), GroundError> {
    let floors = environment.floors.len().max(1);
    if floors + environment.connections.len() > usize::from(u16::MAX) - 1 {
        return Err(GroundError::TooMany {
            what: "floors and connections",
        });
    }
    if environment.doors.len() >= usize::from(NO_DOOR) {
        return Err(GroundError::TooMany { what: "doors" });
    }
    let unknown = |what: &str, name: &str, floor: usize| GroundError::UnknownFloor {
        what: format!("{what} {name:?}"),
        floor,
        floors,
    };
    let not_finite = |what: String| GroundError::NotFinite { what };
    let polygon_finite = |p: &Polygon| {
        p.outer.iter().all(|v| v.is_finite()) && p.holes.iter().flatten().all(|v| v.is_finite())
    };
    for floor in &environment.floors {
        let finite = floor.z.is_finite()
            && floor.walkable.iter().all(polygon_finite)
            && floor.solid.iter().all(polygon_finite)
            && floor.thin_walls.iter().flatten().all(|v| v.is_finite());
        if !finite {
            return Err(not_finite(format!("floor {:?}", floor.name)));
        }
    }
    for c in &environment.connections {
        for floor in [c.from, c.to] {
            if floor >= floors {
                return Err(unknown("connection", &c.name, floor));
            }
        }
        if !c.lower.iter().chain(&c.upper).all(|v| v.is_finite()) {
            return Err(not_finite(format!("connection {:?}", c.name)));
        }
        if !(c.speed > 0.0 && c.speed <= 1.0) {
            return Err(GroundError::Connection {
                name: c.name.clone(),
                reason: "its speed factor must lie in (0, 1]",
            });
        }
    }
    for d in &environment.doors {
        if d.floor >= floors {
            return Err(unknown("door", &d.name, d.floor));
        }
        if !d.ends.iter().all(|v| v.is_finite()) {
            return Err(not_finite(format!("door {:?}", d.name)));
        }
    }
    for o in &environment.obstacles {
        if o.floor >= floors {
            return Err(unknown("obstacle", "", o.floor));
        }
        if !polygon_finite(&o.shape) {
            return Err(not_finite("an obstacle".into()));
        }
    }
    if let Some(cells) = &environment.cells {
        if !(cells.low.is_finite() && cells.cell.is_finite() && cells.cell > 0.0) {
            return Err(not_finite("the file's cells".into()));
        }
        if cells.width.checked_mul(cells.height) != Some(cells.walkable.len()) {
            return Err(GroundError::Cells);
        }
    }
    Ok(())
}

fn grid_of(environment: &Environment) -> Result<Grid, GroundError> {
    let mut low = DVec2::INFINITY;
    let mut high = DVec2::NEG_INFINITY;
    let mut grow = |p: DVec2| {
        low = low.min(p);
        high = high.max(p);
    };
    for floor in &environment.floors {
        for p in floor.walkable.iter().flat_map(|p| &p.outer) {
            grow(*p);
        }
    }
    if let Some(cells) = &environment.cells {
        grow(cells.low);
        grow(cells.low + DVec2::new(cells.width as f64, cells.height as f64) * cells.cell);
    }
    for c in &environment.connections {
        c.lower.iter().chain(&c.upper).for_each(|p| grow(*p));
    }
    let (mut bottom, mut top) = (f64::INFINITY, f64::NEG_INFINITY);
    for floor in &environment.floors {
        bottom = bottom.min(floor.z);
        top = top.max(floor.z);
    }
    if environment.floors.is_empty() {
        (bottom, top) = (0.0, 0.0);
    }
    let half = ((high - low).max_element() / 2.0).max((top - bottom) / 2.0);
    if low.x > high.x {
        return Err(GroundError::Empty);
    }
    if !(half.is_finite() && half <= LARGEST) {
        return Err(GroundError::TooLarge { half_extent: half });
    }
    let grain = grain_for(half * 1.001 + 1e-6);
    // Whole metres where the ground is large enough: coordinates stay readable.
    let unit = if half > 4.0 { 1.0 } else { grain };
    let middle = ((low + high) / 2.0 / unit).round() * unit;
    let grain = grain_for(half + unit);
    Ok(Grid {
        origin: middle.extend(if bottom == top {
            bottom
        } else {
            ((bottom + top) / 2.0).round()
        }),
        grain,
    })
}

fn floor_mesh(
    environment: &Environment,
    f: usize,
    floor: &Floor,
    grid: &Grid,
    quads: &[Quad],
    notices: &mut Vec<String>,
) -> Result<FloorMesh, GroundError> {
    let mut plan = FloorPlan::default();
    let mut add = |plan: &mut FloorPlan, polygon: &Polygon, role: Role, what: &str| {
        let outer = grid.ring(&polygon.outer);
        if outer.len() < 3 {
            notices.push(format!(
                "{what} of floor {:?} has fewer than three different points and is left out",
                floor.name
            ));
            return;
        }
        plan.add_shape(role);
        plan.add_ring(&outer, false);
        for hole in &polygon.holes {
            let hole = grid.ring(hole);
            if hole.len() >= 3 {
                plan.add_ring(&hole, true);
            }
        }
    };
    match &environment.cells {
        Some(cells) if f == 0 && environment.floors.len() <= 1 => {
            plan.add_shape(Role::Walkable);
            let lines = cells::outline(cells);
            plan.add_directed(lines.iter().map(|l| l.map(|p| grid.snap(p))), false);
        }
        _ => {
            for (i, p) in floor.walkable.iter().enumerate() {
                add(
                    &mut plan,
                    p,
                    Role::Walkable,
                    &format!("walkable polygon {i}"),
                );
            }
        }
    }
    for (i, p) in floor.solid.iter().enumerate() {
        add(&mut plan, p, Role::Solid, &format!("solid polygon {i}"));
    }
    for (i, o) in environment.obstacles.iter().enumerate() {
        if o.floor == f {
            add(
                &mut plan,
                &o.shape,
                Role::Obstacle,
                &format!("obstacle {i}"),
            );
        }
    }
    for wall in &floor.thin_walls {
        for pair in wall.windows(2) {
            if let Some([a, b]) = grid.segment(pair[0], pair[1]) {
                plan.add_thin_wall(a, b);
            }
        }
    }
    for (i, door) in environment.doors.iter().enumerate() {
        if door.floor == f
            && let Some([a, b]) = grid.segment(door.ends[0], door.ends[1])
        {
            plan.add_door(a, b, i as u16);
        }
    }
    for (i, connection) in environment.connections.iter().enumerate() {
        let [lower, upper] = quads[i].ends;
        if connection.from == f || connection.to == f {
            plan.add_shape(Role::Solid);
            plan.add_ring(&[lower[0], lower[1], upper[1], upper[0]], false);
        }
        if connection.from == f {
            plan.add_end(lower[0], lower[1], (i as u32, 0));
        }
        if connection.to == f {
            plan.add_end(upper[0], upper[1], (i as u32, 1));
        }
    }
    plan.triangulate()
}

/// A connection's footprint: its lower and its upper end.
struct Quad {
    ends: [[[i64; 2]; 2]; 2],
}

fn quad(
    connection: &Connection,
    grid: &Grid,
    notices: &mut Vec<String>,
) -> Result<Quad, GroundError> {
    let lower = connection.lower.map(|p| grid.snap(p));
    let upper = connection.upper.map(|p| grid.snap(p));
    let convex = |upper: [[i64; 2]; 2]| {
        let ring = [lower[0], lower[1], upper[1], upper[0]];
        let turn = |i: usize| {
            let [a, b, c] = [i, i + 1, i + 2].map(|k| ring[k % 4]);
            ((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])).signum()
        };
        turn(0) != 0 && (1..4).all(|i| turn(i) == turn(0))
    };
    if convex(upper) {
        return Ok(Quad {
            ends: [lower, upper],
        });
    }
    let swapped = [upper[1], upper[0]];
    if convex(swapped) {
        notices.push(format!(
            "connection {:?} had the points of its upper end in crossed order: swapped",
            connection.name
        ));
        return Ok(Quad {
            ends: [lower, swapped],
        });
    }
    Err(GroundError::Connection {
        name: connection.name.clone(),
        reason: "its footprint must be a convex quadrilateral with an area",
    })
}

/// The vertices of a stair's end in order, the floor's own where the floor reaches it.
fn chain(
    end: [[i64; 2]; 2],
    sides: &[[u32; 2]],
    z: f64,
    grid: &Grid,
    vertices: &mut Vec<DVec3>,
) -> Vec<u32> {
    let local = |p: [i64; 2]| DVec3::new(p[0] as f64 * grid.grain, p[1] as f64 * grid.grain, z);
    let (a, b) = (local(end[0]), local(end[1]));
    let mut chain: Vec<u32> = sides.iter().flatten().copied().collect();
    chain.sort_unstable();
    chain.dedup();
    for corner in [a, b] {
        if !chain.iter().any(|&v| vertices[v as usize] == corner) {
            chain.push(vertices.len() as u32);
            vertices.push(corner);
        }
    }
    let along = |v: u32| (vertices[v as usize] - a).dot(b - a);
    chain.sort_by(|&p, &q| along(p).total_cmp(&along(q)));
    chain
}

/// Triangles between two chains of vertices that face each other; empty where that fails.
fn zip(chains: &[Vec<u32>; 2], vertices: &[DVec3]) -> Vec<[u32; 3]> {
    let at = |v: u32| vertices[v as usize].truncate();
    let turn = |a: u32, b: u32, c: u32| (at(b) - at(a)).perp_dot(at(c) - at(a));
    let [lower, upper] = chains;
    let (Some(&l0), Some(&l1), Some(&u0)) = (lower.first(), lower.last(), upper.first()) else {
        return Vec::new();
    };
    let forward = turn(l0, l1, u0) > 0.0;
    let share = |chain: &[u32], i: usize| {
        let length = at(chain[0]).distance(at(chain[chain.len() - 1]));
        at(chain[0]).distance(at(chain[i])) / length
    };
    let (mut i, mut j) = (0, 0);
    let mut triangles = Vec::new();
    while i + 1 < lower.len() || j + 1 < upper.len() {
        let on_lower = (i + 1 < lower.len()).then(|| [lower[i], lower[i + 1], upper[j]]);
        let on_upper = (j + 1 < upper.len()).then(|| [lower[i], upper[j + 1], upper[j]]);
        let good = |t: [u32; 3]| {
            (turn(t[0], t[1], t[2]) > 0.0) == forward && turn(t[0], t[1], t[2]) != 0.0
        };
        let (on_lower, on_upper) = (on_lower.filter(|t| good(*t)), on_upper.filter(|t| good(*t)));
        let take_lower = match (on_lower, on_upper) {
            (Some(_), Some(_)) => share(lower, i + 1) <= share(upper, j + 1),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return Vec::new(),
        };
        let [a, b, c] = if take_lower {
            i += 1;
            [lower[i - 1], lower[i], upper[j]]
        } else {
            j += 1;
            [lower[i], upper[j], upper[j - 1]]
        };
        triangles.push(if forward { [a, b, c] } else { [a, c, b] });
    }
    let distinct: HashSet<[u32; 3]> = triangles.iter().copied().collect();
    if distinct.len() == triangles.len() {
        triangles
    } else {
        Vec::new()
    }
}
