//! From partitions to a map: nodes in the centres of rectangles, gates, clearances, regions.

use glam::{Vec2, Vec3};
use throng_core::{EdgePiece, Gate, GroundView, Location, NO_DOOR, NavMap, angle_of};
use throng_kit::{
    Walk,
    lattice::on_triangle,
    near_walls::{MOST_CLEARANCE, NearWalls},
};

use super::{
    cells::{Floors, Layer},
    grow::Partition,
    join::{Join, Metric, apart, joins, length, manhattan, round_corners},
    sheet::Direction,
};

/// A gate between two nodes of the map.
struct Way {
    a: u32,
    b: u32,
    /// The gate as walked from `a` to `b`.
    gate: Gate,
    length: f32,
    clearance: f32,
    door: u16,
}

/// Draws nodes, edges, gates and outlines. Gives the first node of each layer.
pub(super) fn draw(
    ground: &GroundView<'_>,
    floors: &Floors,
    partitions: &[Partition],
    metric: Metric,
    map: &mut NavMap,
) -> Vec<u32> {
    let mut first = vec![0_u32];
    for partition in partitions {
        first.push(first.last().copied().unwrap_or(0) + partition.seeds.len() as u32);
    }
    for (layer, partition) in floors.layers.iter().zip(partitions) {
        for seed in &partition.seeds {
            let plan = layer.plan(&floors.lattice, seed.centre());
            let place = place_at(ground, layer.floor, plan, height_hint(ground, layer));
            map.node_place.push(place);
            let [left, top] = [f64::from(seed.column), f64::from(seed.row)];
            let [right, bottom] = [left + f64::from(seed.columns), top + f64::from(seed.rows)];
            map.region_ring_start.push(map.region_ring.len() as u32);
            for corner in [[left, bottom], [right, bottom], [right, top], [left, top]] {
                let plan = layer.plan(&floors.lattice, corner);
                let on = on_triangle(ground, place.triangle, plan);
                map.region_ring.push(on.point);
            }
        }
    }
    map.region_ring_start.push(map.region_ring.len() as u32);
    let nodes = map.node_place.len();
    map.node_region = (0..nodes as u32).collect();
    map.region_area = vec![0.0; nodes];
    map.region_place = map.node_place.clone();

    let mut ways = Vec::new();
    for (l, (layer, partition)) in floors.layers.iter().zip(partitions).enumerate() {
        for join in joins(&layer.sheet, partition) {
            let cells = length(&layer.sheet, partition, &join, metric);
            let nodes = [join.a, join.b].map(|seed| first[l] + seed);
            ways.push(way(ground, floors, map, layer, &join, nodes, cells));
        }
    }
    cross(ground, floors, partitions, &first, metric, map, &mut ways);
    connect(&ways, map);
    first
}

/// A height on a layer, to find places that lie on another floor within one of its cells.
fn height_hint(ground: &GroundView<'_>, layer: &Layer) -> f32 {
    let triangle = ground.floors.iter().position(|f| *f == layer.floor);
    triangle.map_or(0.0, |t| ground.corners(t as u32)[0].z)
}

/// The place of a floor at a point in plan; where the floor has none there, the nearest in space.
fn place_at(ground: &GroundView<'_>, floor: u16, plan: Vec2, height: f32) -> Location {
    ground
        .locate_plan(plan, Some(floor))
        .or_else(|| ground.locate(plan.extend(height)))
        .unwrap_or(Location::NOWHERE)
}

/// Joins the rectangles of different floors.
fn cross(
    ground: &GroundView<'_>,
    floors: &Floors,
    partitions: &[Partition],
    first: &[u32],
    metric: Metric,
    map: &NavMap,
    ways: &mut Vec<Way>,
) {
    struct Run {
        layers: [usize; 2],
        join: Join,
    }
    let mut runs: Vec<Run> = Vec::new();
    for crossing in &floors.crossings {
        let layers = [crossing.a.0 as usize, crossing.b.0 as usize];
        let (width, owner) = (
            floors.layers[layers[0]].sheet.width,
            |l: usize, cell: u32| partitions[l].owner[cell as usize],
        );
        let (row, column) = (crossing.a.1 / width, crossing.a.1 % width);
        let (line, at) = match crossing.direction {
            Direction::East => (column + 1, row),
            _ => (row + 1, column),
        };
        let join = Join {
            a: owner(layers[0], crossing.a.1),
            b: owner(layers[1], crossing.b.1),
            direction: crossing.direction,
            line,
            from: at,
            to: at + 1,
            door: crossing.door,
        };
        // Crossings come row by row: those of one gate are not always next to each other.
        let known = runs.iter_mut().find(|run| {
            let j = &run.join;
            run.layers == layers
                && (j.a, j.b, j.direction, j.line, j.door)
                    == (join.a, join.b, join.direction, join.line, join.door)
                && j.to == join.from
        });
        match known {
            Some(run) => run.join.to = join.to,
            None => runs.push(Run { layers, join }),
        }
    }
    for Run { layers, join } in &runs {
        let [one, other] = layers.map(|l| &floors.layers[l]);
        let a = partitions[layers[0]].seeds[join.a as usize].centre();
        let b = partitions[layers[1]].seeds[join.b as usize].centre();
        // In the coordinates of the first sheet.
        let b = [
            b[0] + f64::from(other.column) - f64::from(one.column),
            b[1] + f64::from(one.top) - f64::from(other.top),
        ];
        let axis = usize::from(join.direction == Direction::East);
        let line = f64::from(join.line);
        let share = (line - a[1 - axis]) / (b[1 - axis] - a[1 - axis]);
        let through = a[axis] + (b[axis] - a[axis]) * share;
        let sees = through >= f64::from(join.from) && through <= f64::from(join.to);
        let cells = match metric {
            Metric::Euclidean => apart(a, b),
            Metric::Manhattan => manhattan(a, b, join),
            Metric::Snd if sees => apart(a, b),
            Metric::Snd => round_corners(a, b, join.ends()),
        };
        let nodes = [first[layers[0]] + join.a, first[layers[1]] + join.b];
        ways.push(way(ground, floors, map, one, join, nodes, cells));
    }
}

/// Makes the gate of a join and measures the way through it.
fn way(
    ground: &GroundView<'_>,
    floors: &Floors,
    map: &NavMap,
    layer: &Layer,
    join: &Join,
    [a, b]: [u32; 2],
    cells: f64,
) -> Way {
    let [one, other] = join.ends();
    let ends = [one, other].map(|end| layer.plan(&floors.lattice, end));
    // East: the left end is the northern one. South: the eastern one.
    let [left, right] = match join.direction {
        Direction::East => ends,
        _ => [ends[1], ends[0]],
    };
    let [from, to] = [a, b].map(|node| map.node_place[node as usize]);
    let height = (from.point.z + to.point.z) / 2.0;
    let plan = (left + right) / 2.0;
    // Between two floors the border lies on either of them: cells stick out over the joint.
    let floor_of = |node: Location| ground.floors.get(node.triangle as usize).copied();
    let floors_here = [Some(layer.floor), floor_of(from), floor_of(to)];
    let middle = floors_here
        .into_iter()
        .flatten()
        .find_map(|floor| ground.locate_plan(plan, Some(floor)))
        .unwrap_or_else(|| place_at(ground, layer.floor, plan, height));
    let on_plane = |plan: Vec2| on_triangle(ground, middle.triangle, plan).point;
    let outward = (left - right).normalize_or_zero();
    let cell = floors.lattice.cell;
    // A wall within a cell of an end is where the gate ends; no point nearer to it than a body's
    // radius is left once the end shrinks by it.
    let end_of = |plan: Vec2, outward: Vec2| {
        let clearance = floors.walls.distances(on_plane(plan)).clearance;
        if clearance < cell {
            (on_plane(plan + outward * clearance), true)
        } else {
            (on_plane(plan), false)
        }
    };
    let (left, left_wall) = end_of(left, outward);
    let (right, right_wall) = end_of(right, -outward);
    let gate = Gate {
        left,
        middle: middle.point,
        right,
        triangle: middle.triangle,
        flags: if left_wall { Gate::LEFT_WALL } else { 0 }
            | if right_wall { Gate::RIGHT_WALL } else { 0 },
    };
    let level = (cells * f64::from(cell)) as f32;
    let length = if ground.flat {
        level
    } else {
        // Up and down, the walk through the gate is longer than it looks from above.
        let through = from.point.distance(middle.point) + middle.point.distance(to.point);
        let plan = from.point.truncate().distance(middle.point.truncate())
            + middle.point.truncate().distance(to.point.truncate());
        (level * through / plan.max(1e-6)).max(from.point.distance(to.point))
    };
    let clearance = [from, to]
        .map(|node| side_clearance(&floors.walls, node.point, &gate, cell))
        .into_iter()
        .fold(MOST_CLEARANCE, f32::min);
    Way {
        a,
        b,
        gate,
        length,
        clearance,
        door: join.door,
    }
}

/// Clearance of the way from the centre of a rectangle to a gate: along its middle line as far as
/// the gate's middle, then straight through. A slanted way would scrape the corner of a narrow
/// gate in the side of a long rectangle that bodies round easily.
fn side_clearance(walls: &NearWalls, centre: Vec3, gate: &Gate, cell: f32) -> f32 {
    let across = (gate.right - gate.left).truncate();
    let turn = if across.x.abs() > across.y.abs() {
        Vec3::new(gate.middle.x, centre.y, centre.z)
    } else {
        Vec3::new(centre.x, gate.middle.y, centre.z)
    };
    let first = line_clearance(walls, centre, turn, cell);
    first.min(line_clearance(walls, turn, gate.middle, cell))
}

/// Clearance of a straight line without walls across it, up to [`MOST_CLEARANCE`].
fn line_clearance(walls: &NearWalls, from: Vec3, to: Vec3, cell: f32) -> f32 {
    let length = (to - from).truncate().length();
    let at = |along: f32| from + (to - from) * (along / length.max(1e-6)).min(1.0);
    let (mut along, mut here) = (0.0, walls.distances(from).clearance);
    let mut least = here.min(MOST_CLEARANCE);
    while along < length {
        // Nothing nearer than the least so far can be met before that far.
        let safe = here - least;
        let step = if safe > cell { safe } else { cell };
        let next = (along + step).min(length);
        let there = walls.distances(at(next)).clearance;
        least = if safe > cell {
            least.min(there)
        } else {
            least.min(walls.step_clearance(at(along), at(next), [here, there]))
        };
        (along, here) = (next, there);
    }
    least
}

/// Writes the edges in rows, two for every way.
fn connect(ways: &[Way], map: &mut NavMap) {
    let nodes = map.node_place.len();
    let mut start = vec![0_u32; nodes + 1];
    for way in ways {
        start[way.a as usize + 1] += 1;
        start[way.b as usize + 1] += 1;
    }
    for n in 0..nodes {
        start[n + 1] += start[n];
    }
    let edges = ways.len() * 2;
    map.edge_from = vec![0; edges];
    map.edge_to = vec![0; edges];
    map.edge_twin = vec![0; edges];
    map.edge_length = vec![0.0; edges];
    map.edge_clearance = vec![0.0; edges];
    map.gates = vec![Gate::waypoint(Location::NOWHERE); edges];
    map.gate_start = (0..=edges as u32).collect();
    map.piece_start = (0..=edges as u32).map(|e| e * 2).collect();
    let nothing = EdgePiece {
        cell: 0,
        length: 0.0,
        angle: 0,
    };
    map.pieces = vec![nothing; edges * 2];
    if ways.iter().any(|w| w.door != NO_DOOR) {
        map.edge_door = vec![NO_DOOR; edges];
    }
    let mut next = start.clone();
    for way in ways {
        let mut take = |node: u32| {
            let slot = &mut next[node as usize];
            *slot += 1;
            *slot as usize - 1
        };
        let (there, back) = (take(way.a), take(way.b));
        for (edge, twin, from, to, gate) in [
            (there, back, way.a, way.b, way.gate),
            (back, there, way.b, way.a, way.gate.reversed()),
        ] {
            map.edge_from[edge] = from;
            map.edge_to[edge] = to;
            map.edge_twin[edge] = twin as u32;
            map.edge_length[edge] = way.length;
            map.edge_clearance[edge] = way.clearance;
            map.gates[edge] = gate;
            if let Some(door) = map.edge_door.get_mut(edge) {
                *door = way.door;
            }
            let [a, b] = [from, to].map(|n| map.node_place[n as usize].point);
            let (first, second) = (gate.middle - a, b - gate.middle);
            let share = first.length() / (first.length() + second.length()).max(1e-6);
            for (i, (cell, part, way_of)) in [(from, share, first), (to, 1.0 - share, second)]
                .into_iter()
                .enumerate()
            {
                map.pieces[edge * 2 + i] = EdgePiece {
                    cell,
                    length: way.length * part,
                    angle: angle_of(way_of.truncate()),
                };
            }
        }
    }
    map.edge_start = start;
}
