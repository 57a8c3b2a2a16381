//! Gates between discs that overlap: the chord that their circles have in common.

use std::collections::BTreeMap;

use glam::Vec2;
use throng_core::{Frame, Gate, GroundView, Location, NO_DOOR, NONE, NavMap};
use throng_kit::{
    Walk,
    ground::{TraceEnd, TracePiece},
};

use super::choose::Disc;

/// Ends of gates nearer to a wall than this count as at it: bodies keep their radius from them.
const AT_WALL: f32 = 0.5;
/// Gates narrower than this share of the smaller radius are kept only where nothing else joins
/// two parts of the graph.
const NARROW: f32 = 0.3;
/// Points on either side of a chord's middle among which its widest is looked for.
const STEPS: i32 = 8;

/// Two discs and the gate between them, in the direction from `a` to `b`.
#[derive(Clone, Debug)]
pub struct Link {
    /// From here.
    pub a: u32,
    /// To there.
    pub b: u32,
    /// The gate.
    pub gate: Gate,
    /// Metres from centre to centre through the middle of the gate.
    pub length: f32,
    /// Distance to the nearest wall where the gate is widest.
    pub clearance: f32,
    /// The door that it passes, or [`NO_DOOR`].
    pub door: u16,
    /// Half the width of the gate over the smaller radius.
    pub width: f32,
}

/// Disjoint sets of discs.
#[derive(Debug)]
pub struct Sets(Vec<u32>);

impl Sets {
    /// Every disc by itself.
    pub fn new(count: usize) -> Sets {
        Sets((0..count as u32).collect())
    }

    /// The set of a disc.
    pub fn root(&self, mut of: u32) -> u32 {
        while self.0[of as usize] != of {
            of = self.0[of as usize];
        }
        of
    }

    /// Makes two sets one; false if they were.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.0[high as usize] = low;
        a != b
    }
}

/// Where a straight walk of a point ends, if nothing stops it.
pub fn walk(ground: &GroundView<'_>, from: Location, frame: Frame, way: Vec2) -> Option<Location> {
    let mut end = from;
    let how = ground.trace(from, frame, way, &mut |piece: TracePiece| {
        end = Location {
            point: piece.leave,
            triangle: piece.triangle,
        };
    });
    (how == TraceEnd::Reached).then_some(end)
}

/// Links between discs that overlap, one of them at least from `first` on.
pub fn links(ground: &GroundView<'_>, discs: &[Disc], first: usize, largest: f32) -> Vec<Link> {
    let cell = 2.0 * largest;
    let at = |d: &Disc| {
        let p = d.at.point / cell;
        let z = if ground.plan { 0.0 } else { p.z };
        [p.x, p.y, z].map(|c| c.floor() as i32)
    };
    let mut cells: BTreeMap<[i32; 3], Vec<u32>> = BTreeMap::new();
    for (i, disc) in discs.iter().enumerate() {
        cells.entry(at(disc)).or_default().push(i as u32);
    }
    let mut out = Vec::new();
    for (i, disc) in discs.iter().enumerate() {
        let [x, y, z] = at(disc);
        for dz in -1..=1 {
            for dy in -1..=1 {
                for dx in -1..=1 {
                    for &j in cells.get(&[x + dx, y + dy, z + dz]).into_iter().flatten() {
                        // Each pair once.
                        if (j as usize) < i && i >= first {
                            out.extend(link(ground, discs, j, i as u32));
                        }
                    }
                }
            }
        }
    }
    out
}

/// Keeps wide gates, and of narrow ones those that join what nothing else joins.
pub fn worthwhile(mut links: Vec<Link>, discs: usize) -> Vec<Link> {
    links.sort_by(|p, q| {
        (p.width < NARROW).cmp(&(q.width < NARROW)).then(
            q.clearance
                .total_cmp(&p.clearance)
                .then((p.a, p.b).cmp(&(q.a, q.b))),
        )
    });
    let mut sets = Sets::new(discs);
    links.retain(|link| {
        let joins = sets.join(link.a, link.b);
        joins || link.width >= NARROW
    });
    links.sort_by_key(|link| (link.a, link.b));
    links
}

/// The link between two discs, if they overlap and the way through is free.
fn link(ground: &GroundView<'_>, discs: &[Disc], a: u32, b: u32) -> Option<Link> {
    let (da, db) = (&discs[a as usize], &discs[b as usize]);
    let frame = ground.frame_at(da.at);
    let normal = ground.normals[da.at.triangle as usize];
    let in_space = db.at.point - da.at.point;
    let offset = if ground.plan {
        // Plans measure radii from above; the walk is as long as the slope makes it.
        let slope = in_space.length() / in_space.truncate().length().max(1e-6);
        frame.to_tangent(normal, in_space).normalize_or_zero()
            * in_space.truncate().length()
            * slope.min(2.0)
    } else {
        frame.offset(normal, in_space)
    };
    let apart = if ground.plan {
        in_space.truncate().length()
    } else {
        in_space.length()
    };
    if apart >= da.radius + db.radius || apart < 1e-4 {
        return None;
    }
    // Where the common chord crosses the line of centres; between them in any case.
    let share =
        (apart * apart + da.radius * da.radius - db.radius * db.radius) / (2.0 * apart * apart);
    let share = share.clamp(0.05, 0.95);
    let half = |radius: f32, along: f32| (radius * radius - along * along).max(0.0).sqrt();
    let half = half(da.radius, share * apart).min(half(db.radius, (1.0 - share) * apart));
    if half < 0.05 {
        return None;
    }
    let middle = middle_of(ground, da.at, db.at, frame, offset, share)?;
    if !ground.sees(middle, db.at) || !ground.sees(da.at, middle) {
        return None;
    }
    let there = ground.frame_at(middle);
    let across_normal = ground.normals[middle.triangle as usize];
    let along = there
        .to_tangent(across_normal, db.at.point - da.at.point)
        .try_normalize()?;
    let end = |side: f32| {
        let way = along.perp() * (side * half);
        let mut end = middle;
        let how = ground.trace(middle, there, way, &mut |piece: TracePiece| {
            end = Location {
                point: piece.leave,
                triangle: piece.triangle,
            };
        });
        let walled = how != TraceEnd::Reached || ground.clearance(end, AT_WALL) < AT_WALL;
        (end.point, walled)
    };
    let ((left, left_wall), (right, right_wall)) = (end(1.0), end(-1.0));
    let mut flags = 0;
    if left_wall {
        flags |= Gate::LEFT_WALL;
    }
    if right_wall {
        flags |= Gate::RIGHT_WALL;
    }
    // The widest point of the chord: every way from one disc to the other crosses the chord, and
    // within a disc nothing is in the way, so that a body fits through the link if it fits there.
    let most = da.radius.min(db.radius);
    let mut widest = (ground.clearance(middle, most), middle);
    for k in (1..=STEPS).flat_map(|k| [k, -k]) {
        let way = along.perp() * (half * k as f32 / (STEPS + 1) as f32);
        let Some(at) = walk(ground, middle, there, way) else {
            continue;
        };
        let clearance = ground.clearance(at, most);
        if clearance > widest.0 * 1.01 && ground.sees(at, db.at) && ground.sees(da.at, at) {
            widest = (clearance, at);
        }
    }
    let (clearance, middle) = widest;
    let mut length = 0.0;
    for (from, to) in [(da.at, middle), (middle, db.at)] {
        ground.trace_to(from, to, &mut |piece| length += piece.length);
    }
    Some(Link {
        a,
        b,
        gate: Gate {
            left,
            middle: middle.point,
            right,
            triangle: middle.triangle,
            flags,
        },
        length,
        clearance,
        door: door_between(ground, da.at, middle, db.at),
        width: half / da.radius.min(db.radius),
    })
}

/// The point at a share of the way between two centres.
fn middle_of(
    ground: &GroundView<'_>,
    a: Location,
    b: Location,
    frame: Frame,
    offset: Vec2,
    share: f32,
) -> Option<Location> {
    if !ground.plan {
        return walk(ground, a, frame, offset * share);
    }
    // Seen from above, the point where the straight walk comes over the share.
    let wanted = a.point.truncate().lerp(b.point.truncate(), share);
    let total = a.point.truncate().distance(wanted);
    let mut found = None;
    let mut walked = 0.0;
    ground.trace_to(a, b, &mut |piece| {
        let flat = piece.leave.truncate().distance(piece.enter.truncate());
        if found.is_none() && walked + flat >= total * 0.9999 {
            let part = if flat > 0.0 {
                ((total - walked) / flat).clamp(0.0, 1.0)
            } else {
                0.0
            };
            found = Some(Location {
                point: piece.enter.lerp(piece.leave, part),
                triangle: piece.triangle,
            });
        }
        walked += flat;
    });
    found
}

/// The door that a way through a gate passes.
fn door_between(ground: &GroundView<'_>, a: Location, middle: Location, b: Location) -> u16 {
    let doors = ground.door_open.len();
    if doors == 0 {
        return NO_DOOR;
    }
    let shut = vec![0; doors];
    let closed = GroundView {
        door_open: &shut,
        ..*ground
    };
    for (from, to) in [(a, middle), (middle, b)] {
        if let TraceEnd::Wall { wall, .. } = closed.trace_to(from, to, &mut |_| {})
            && wall != NONE
        {
            return ground.walls[wall as usize].door;
        }
    }
    NO_DOOR
}

/// Writes the links into a map as edges both ways.
pub fn write(discs: &[Disc], links: &[Link], map: &mut NavMap) {
    let mut start = vec![0u32; discs.len() + 1];
    for link in links {
        start[link.a as usize + 1] += 1;
        start[link.b as usize + 1] += 1;
    }
    for n in 0..discs.len() {
        start[n + 1] += start[n];
    }
    let edges = links.len() * 2;
    map.edge_from = vec![0; edges];
    map.edge_to = vec![0; edges];
    map.edge_twin = vec![NONE; edges];
    map.edge_length = vec![0.0; edges];
    map.edge_clearance = vec![0.0; edges];
    let has_doors = links.iter().any(|l| l.door != NO_DOOR);
    if has_doors {
        map.edge_door = vec![NO_DOOR; edges];
    }
    let nowhere = Gate::waypoint(Location::NOWHERE);
    map.gates = vec![nowhere; edges];
    map.gate_start = (0..=edges as u32).collect();
    let mut next = start.clone();
    for link in links {
        let mut slot = |n: u32| {
            let at = &mut next[n as usize];
            *at += 1;
            (*at - 1) as usize
        };
        let (there, back) = (slot(link.a), slot(link.b));
        let ways = [
            (there, back, link.a, link.b, link.gate),
            (back, there, link.b, link.a, link.gate.reversed()),
        ];
        for (edge, twin, from, to, gate) in ways {
            map.edge_from[edge] = from;
            map.edge_to[edge] = to;
            map.edge_twin[edge] = twin as u32;
            map.edge_length[edge] = link.length;
            map.edge_clearance[edge] = link.clearance;
            map.gates[edge] = gate;
            if has_doors {
                map.edge_door[edge] = link.door;
            }
        }
    }
    map.edge_start = start;
}
