//! Triangle soup to ground: adjacency, walls with their links, indexes.

use std::collections::HashMap;

use glam::{DVec3, Vec3};
use throng_core::{NO_DOOR, NONE, Wall, math};

use super::index::{self, Cells};
use super::sheets;
use super::{Ground, GroundError};

/// What a builder says about an edge of the soup.
#[derive(Clone, Copy, Debug)]
pub(super) struct SideTag {
    /// Nobody passes.
    pub blocked: bool,
    /// The door in it, or [`NO_DOOR`].
    pub door: u16,
}

/// Triangles with shared vertices, before adjacency is known. Local coordinates.
#[derive(Default)]
pub(super) struct Soup {
    pub origin: DVec3,
    pub grain: f64,
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    pub floors: Vec<u16>,
    pub speed: Vec<f32>,
    pub in_obstacle: Vec<bool>,
    /// By vertices in ascending order.
    pub tags: HashMap<(u32, u32), SideTag>,
    pub floor_count: usize,
    pub door_names: Vec<String>,
    pub door_open: Vec<u8>,
    pub notices: Vec<String>,
    /// Made of floors and stairs: orientation and heights are known to be those of a plan.
    pub planar: bool,
}

/// Normals with a smaller z make the ground a surface rather than a floor plan.
const PLAN_NORMAL: f32 = 0.05;

/// Builds the ground.
pub(super) fn assemble(mut soup: Soup) -> Result<Ground, GroundError> {
    if soup.triangles.is_empty() {
        return Err(GroundError::Empty);
    }
    if soup.triangles.len() > (NONE / 3) as usize - 1 {
        return Err(GroundError::TooMany { what: "triangles" });
    }
    let mut across = join(&mut soup);
    if !soup.planar {
        orient(&mut soup, &mut across);
    }
    let vertices: Vec<Vec3> = soup.vertices.iter().map(|v| v.as_vec3()).collect();
    let rounded = (soup.vertices.iter().zip(&vertices)).any(|(v, w)| *v != w.as_dvec3());
    let mut normals = Vec::with_capacity(soup.triangles.len());
    let mut areas = Vec::with_capacity(soup.triangles.len());
    let mut area = 0.0;
    for t in &soup.triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize].as_dvec3());
        let cross = (b - a).cross(c - a);
        let length = cross.length();
        let normal = if length > 0.0 {
            cross / length
        } else {
            DVec3::Z
        };
        normals.push(normal.as_vec3());
        areas.push((length / 2.0) as f32);
        area += length / 2.0;
    }
    let height = vertices[soup.triangles[0][0] as usize].z;
    let flat = normals.iter().all(|n| *n == Vec3::Z)
        && soup
            .triangles
            .iter()
            .flatten()
            .all(|&v| vertices[v as usize].z == height);
    let plan = normals.iter().all(|n| n.z > PLAN_NORMAL);
    if plan
        && !soup.planar
        && let Some((floors, count)) =
            sheets::sheets(&soup.vertices, &soup.triangles, &across, &normals)
    {
        (soup.floors, soup.floor_count) = (floors, count);
    }

    let mut side_door = vec![[NO_DOOR; 3]; soup.triangles.len()];
    for (t, corners) in soup.triangles.iter().enumerate() {
        for s in 0..3 {
            if let Some(tag) = soup.tags.get(&edge_key(corners, s))
                && across[t][s] != NONE
            {
                if tag.blocked {
                    let other = across[t][s] as usize;
                    across[t][s] = NONE;
                    across[other / 3][other % 3] = NONE;
                } else {
                    side_door[t][s] = tag.door;
                }
            }
        }
    }
    let mut ground = Ground {
        origin: soup.origin,
        exact: if rounded { soup.vertices } else { Vec::new() },
        vertices,
        triangles: soup.triangles,
        across,
        normals,
        areas,
        floors: soup.floors,
        speed: soup.speed,
        side_door,
        door_open: soup.door_open,
        side_wall: Vec::new(),
        walls: Vec::new(),
        wall_sides: Vec::new(),
        triangle_cells: Cells::default(),
        wall_cells: Cells::default(),
        wall_rings: Vec::new(),
        grain: soup.grain as f32,
        flat,
        plan,
        notices: soup.notices,
        door_names: soup.door_names,
        floor_count: soup.floor_count,
        area,
        low: Vec3::ZERO,
        high: Vec3::ZERO,
    };
    make_walls(&mut ground, &soup.in_obstacle);
    link_walls(&mut ground);
    index::build(&mut ground);
    Ok(ground)
}

fn edge_key(corners: &[u32; 3], side: usize) -> (u32, u32) {
    let (a, b) = (corners[side], corners[(side + 1) % 3]);
    (a.min(b), a.max(b))
}

/// Adjacency. Where more than two triangles share a side, the two that continue each other most
/// straight are joined first, then the next pair; one left over has a wall there.
fn join(soup: &mut Soup) -> Vec<[u32; 3]> {
    let mut records: Vec<(u32, u32, u32)> = Vec::with_capacity(soup.triangles.len() * 3);
    for (t, corners) in soup.triangles.iter().enumerate() {
        for s in 0..3 {
            let (a, b) = edge_key(corners, s);
            records.push((a, b, (t * 3 + s) as u32));
        }
    }
    records.sort_unstable();
    let mut across = vec![[NONE; 3]; soup.triangles.len()];
    let mut crowded = 0usize;
    for group in records.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
        let mut link = |p: u32, q: u32| {
            across[p as usize / 3][p as usize % 3] = q;
            across[q as usize / 3][q as usize % 3] = p;
        };
        if let [p, q] = group {
            link(p.2, q.2);
        } else if group.len() > 2 {
            crowded += 1;
            let a = soup.vertices[group[0].0 as usize];
            let b = soup.vertices[group[0].1 as usize];
            let along = (b - a).normalize_or_zero();
            let inward: Vec<DVec3> = group
                .iter()
                .map(|r| {
                    let (t, s) = (r.2 as usize / 3, r.2 as usize % 3);
                    let apex = soup.vertices[soup.triangles[t][(s + 2) % 3] as usize] - a;
                    (apex - along * apex.dot(along)).normalize_or_zero()
                })
                .collect();
            let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
            for i in 0..group.len().min(64) {
                for j in i + 1..group.len().min(64) {
                    pairs.push((inward[i].dot(inward[j]), i, j));
                }
            }
            pairs.sort_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
            let mut taken = vec![false; group.len()];
            for (_, i, j) in pairs {
                if !taken[i] && !taken[j] {
                    (taken[i], taken[j]) = (true, true);
                    link(group[i].2, group[j].2);
                }
            }
        }
    }
    if crowded > 0 {
        soup.notices.push(format!(
            "{crowded} sides are shared by more than two triangles: the straightest pairs are joined, the rest have a wall there"
        ));
    }
    across
}

/// Makes the winding consistent within each component, as far as it can be. The winding of the
/// larger part of the area stays.
fn orient(soup: &mut Soup, across: &mut [[u32; 3]]) {
    let count = soup.triangles.len();
    let mut turned: Vec<Option<bool>> = vec![None; count];
    let mut twisted = 0usize;
    for seed in 0..count {
        if turned[seed].is_some() {
            continue;
        }
        turned[seed] = Some(false);
        let mut component = vec![seed];
        let mut next = 0;
        while next < component.len() {
            let t = component[next];
            next += 1;
            for (s, &code) in across[t].iter().enumerate() {
                if code == NONE {
                    continue;
                }
                let (u, r) = (code as usize / 3, code as usize % 3);
                let same_way = soup.triangles[t][s] == soup.triangles[u][r];
                let wanted = turned[t].unwrap_or(false) != same_way;
                match turned[u] {
                    None => {
                        turned[u] = Some(wanted);
                        component.push(u);
                    }
                    Some(is) if is != wanted => twisted += 1,
                    Some(_) => {}
                }
            }
        }
        let mut balance = 0.0;
        for &t in &component {
            let [a, b, c] = soup.triangles[t].map(|v| soup.vertices[v as usize]);
            let area = (b - a).cross(c - a).length();
            balance += if turned[t] == Some(true) { -area } else { area };
        }
        if balance < 0.0 {
            for &t in &component {
                turned[t] = turned[t].map(|b| !b);
            }
        }
    }
    // Turning a triangle exchanges its corners 1 and 2, and with them its sides 0 and 2.
    let moved = |code: u32| {
        if code == NONE || turned[code as usize / 3] != Some(true) {
            code
        } else {
            code / 3 * 3 + 2 - code % 3
        }
    };
    for t in 0..count {
        for code in &mut across[t] {
            *code = moved(*code);
        }
        if turned[t] == Some(true) {
            soup.triangles[t].swap(1, 2);
            across[t].swap(0, 2);
        }
    }
    let flips = turned.iter().filter(|b| **b == Some(true)).count();
    if flips > 0 {
        soup.notices.push(format!(
            "{flips} triangles were wound against their neighbours: turned"
        ));
    }
    if twisted > 0 {
        soup.notices
            .push("the surface has only one side: handedness changes where it must".to_string());
    }
}

/// A place on the rim of the free space: where turning about a corner ends.
struct Turned {
    triangle: usize,
    side: usize,
    /// Free angle passed over, radians.
    angle: f64,
}

/// Turns about `pivot` from a side of a triangle through the free space to the next side that
/// `blocked` says is closed; `None` where there is no end to it.
fn turn(
    ground: &Ground,
    mut triangle: usize,
    mut side: usize,
    pivot: u32,
    blocked: impl Fn(usize, usize) -> bool,
) -> Option<Turned> {
    let mut angle = 0.0;
    for _ in 0..=ground.triangles.len() {
        let corners = ground.triangles[triangle];
        let k = corners.iter().position(|&v| v == pivot)?;
        let at = |i: usize| ground.vertices[corners[i % 3] as usize].as_dvec3();
        let (p, q) = (at(k + 1) - at(k), at(k + 2) - at(k));
        angle += math::atan2(p.cross(q).length(), p.dot(q));
        let other = if side == k { (k + 2) % 3 } else { k };
        if blocked(triangle, other) {
            return Some(Turned {
                triangle,
                side: other,
                angle,
            });
        }
        let code = ground.across[triangle][other] as usize;
        (triangle, side) = (code / 3, code % 3);
    }
    None
}

/// One wall for each straight stretch of blocked sides, doors and obstacle sides.
fn make_walls(ground: &mut Ground, in_obstacle: &[bool]) {
    let count = ground.triangles.len();
    let obstacle = |g: &Ground, t: usize, s: usize| {
        let code = g.across[t][s];
        code != NONE && !in_obstacle[t] && in_obstacle[code as usize / 3]
    };
    let any_wall = |g: &Ground, t: usize, s: usize| {
        g.across[t][s] == NONE || g.side_door[t][s] != NO_DOOR || obstacle(g, t, s)
    };
    let closed = |g: &Ground, t: usize, s: usize| {
        let code = g.across[t][s] as usize;
        any_wall(g, t, s) || obstacle(g, code / 3, code % 3)
    };
    let kind = |g: &Ground, t: usize, s: usize| {
        let solid = g.across[t][s] == NONE;
        (solid, g.side_door[t][s], !solid && obstacle(g, t, s))
    };
    // The side that continues each side in a straight line.
    let mut follows = vec![[NONE; 3]; count];
    let mut followed = vec![[false; 3]; count];
    let tolerance = f64::from(ground.grain) * 0.5;
    for side in 0..count * 3 {
        let (t, s) = (side / 3, side % 3);
        if !any_wall(ground, t, s) {
            continue;
        }
        let (a, b) = (ground.triangles[t][s], ground.triangles[t][(s + 1) % 3]);
        let Some(end) = turn(ground, t, s, b, |t, s| closed(ground, t, s)) else {
            continue;
        };
        let corners = ground.triangles[end.triangle];
        let c = corners[(end.side + 1) % 3];
        if corners[end.side] != b || kind(ground, t, s) != kind(ground, end.triangle, end.side) {
            continue;
        }
        let [a, b, c] = [a, b, c].map(|v| ground.vertices[v as usize].as_dvec3());
        let straight = if ground.plan {
            let (p, q) = (b - a, c - b);
            let level = p.truncate().perp_dot(q.truncate()) == 0.0;
            level && p.cross(q).length() <= tolerance * (c - a).length() && p.dot(q) > 0.0
        } else {
            let off = (b - a).cross(c - a).length() / (c - a).length();
            off <= tolerance && (b - a).dot(c - b) > 0.0
        };
        if straight && !followed[end.triangle][end.side] {
            follows[t][s] = (end.triangle * 3 + end.side) as u32;
            followed[end.triangle][end.side] = true;
        }
    }
    ground.side_wall = vec![[NONE; 3]; count];
    for pass in 0..2 {
        for side in 0..count * 3 {
            let (t, s) = (side / 3, side % 3);
            // The second pass takes rings that are straight all round, if there are any.
            let begins = any_wall(ground, t, s) && (pass == 1 || !followed[t][s]);
            if !begins || ground.side_wall[t][s] != NONE {
                continue;
            }
            let (solid, door, obstacle) = kind(ground, t, s);
            let wall = ground.walls.len() as u32;
            let first = (t * 3 + s) as u32;
            let mut last = first;
            ground.side_wall[t][s] = wall;
            loop {
                let next = follows[last as usize / 3][last as usize % 3];
                if next == NONE || ground.side_wall[next as usize / 3][next as usize % 3] != NONE {
                    break;
                }
                last = next;
                ground.side_wall[next as usize / 3][next as usize % 3] = wall;
            }
            let end = ground.triangles[last as usize / 3][(last as usize % 3 + 1) % 3];
            ground.walls.push(Wall {
                a: ground.vertices[ground.triangles[t][s] as usize],
                b: ground.vertices[end as usize],
                triangle: t as u32,
                previous: NONE,
                next: NONE,
                door: if solid { NO_DOOR } else { door },
                flags: if obstacle && door == NO_DOOR {
                    Wall::OBSTACLE
                } else {
                    0
                },
            });
            ground.wall_sides.push([first, last]);
        }
    }
}

/// Sets the links and corner flags of all walls as the doors stand now.
pub(super) fn link_walls(ground: &mut Ground) {
    for wall in &mut ground.walls {
        wall.previous = NONE;
        wall.next = NONE;
        wall.flags &= Wall::OBSTACLE;
    }
    let mut found = Vec::with_capacity(ground.walls.len());
    {
        let view = ground.view();
        for [_, last] in &ground.wall_sides {
            let (t, s) = (*last as usize / 3, *last as usize % 3);
            let pivot = ground.triangles[t][(s + 1) % 3];
            // The rim of an obstacle ends the turn from its inside too.
            let closed = |t: usize, s: usize| {
                let code = view.passage(t as u32, s);
                code == NONE
                    || view.blocks_body(t as u32, s)
                    || view.blocks_body(code / 3, code as usize % 3)
            };
            found.push(
                turn(ground, t, s, pivot, closed)
                    .map(|end| (ground.side_wall[end.triangle][end.side], pivot, end)),
            );
        }
    }
    for (wall, end) in found.into_iter().enumerate() {
        let Some((next, pivot, end)) = end else {
            continue;
        };
        let convex = end.angle > core::f64::consts::PI + 1e-4;
        if convex {
            ground.walls[wall].flags |= Wall::CONVEX_B;
        }
        let begins = next != NONE && {
            let [first, _] = ground.wall_sides[next as usize];
            first as usize == end.triangle * 3 + end.side
                && ground.triangles[end.triangle][end.side] == pivot
        };
        if begins {
            ground.walls[wall].next = next;
            // Leaves of an open door do not stand in anybody's way.
            if ground.view().stands(&ground.walls[wall]) {
                ground.walls[next as usize].previous = wall as u32;
                if convex {
                    ground.walls[next as usize].flags |= Wall::CONVEX_A;
                }
            }
        }
    }
}
