//! Whether a medial axis is what it should be.

use glam::DVec2;
use rstar::{RTree, primitives::Line};
use throng_core::{GroundView, NONE};

use super::{
    axis::Axis,
    layers::{Layer, Layers, Wall, metres},
};

/// Share of the walkable area that regions may cover too much or too little.
const AREA: f64 = 2e-7;

/// What is wrong with an axis over these layers, if anything is.
pub fn fault(
    ground: &GroundView<'_>,
    layers: &Layers,
    axis: &Axis,
    turned: bool,
) -> Option<String> {
    // Turned walls are rounded once more.
    let tolerance = layers.unit * if turned { 8.0 } else { 2.0 } + 1e-7;
    finite(axis)
        .or_else(|| equally_far(axis, tolerance))
        .or_else(|| area(ground, axis))
        .or_else(|| euler(ground, axis))
        .or_else(|| empty_circles(layers, axis, tolerance))
}

fn finite(axis: &Axis) -> Option<String> {
    let bad = axis.nodes.iter().find(|p| !p.is_finite())?;
    Some(format!("a vertex at {bad}"))
}

fn equally_far(axis: &Axis, tolerance: f64) -> Option<String> {
    axis.edges.iter().find_map(|edge| {
        edge.arc.ends.into_iter().find_map(|end| {
            let (left, right) = (edge.arc.left.distance(end), edge.arc.right.distance(end));
            let off = (left - right).abs();
            (off > tolerance + 1e-9 * left)
                .then(|| format!("a vertex at {end} is {left} m and {right} m from its walls"))
        })
    })
}

/// Regions must cover the ground, and none may be turned inside out.
fn area(ground: &GroundView<'_>, axis: &Axis) -> Option<String> {
    let walkable: f64 = (0..ground.triangles.len() as u32)
        .map(|t| {
            let [a, b, c] = ground.corners(t).map(|p| p.truncate().as_dvec2());
            (b - a).perp_dot(c - a) / 2.0
        })
        .sum();
    let mut covered = 0.0;
    for edge in &axis.edges {
        let area = edge.area();
        if area < -AREA * walkable {
            return Some(format!("a region at {} inside out", edge.arc.ends[0]));
        }
        covered += area;
    }
    ((covered - walkable).abs() > AREA * walkable)
        .then(|| format!("regions cover {covered} m2 of {walkable} m2"))
}

/// The axis must have as many loops as the ground: nodes - edges is the ground's Euler number.
fn euler(ground: &GroundView<'_>, axis: &Axis) -> Option<String> {
    let mut inner_sides = 0_i64;
    let mut at_wall = vec![false; ground.vertices.len()];
    let mut used = vec![false; ground.vertices.len()];
    for (corners, across) in ground.triangles.iter().zip(ground.across) {
        for side in 0..3 {
            let ends = [corners[side], corners[(side + 1) % 3]].map(|v| v as usize);
            used[ends[0]] = true;
            if across[side] == NONE {
                at_wall[ends[0]] = true;
                at_wall[ends[1]] = true;
            } else {
                inner_sides += 1;
            }
        }
    }
    let inner = used.iter().zip(&at_wall).filter(|(u, w)| **u && !**w);
    let wanted = ground.triangles.len() as i64 - inner_sides / 2 + inner.count() as i64;
    let found = axis.nodes.len() as i64 - axis.edges.len() as i64;
    (found != wanted).then(|| format!("its Euler number is {found}, that of the ground {wanted}"))
}

/// Walls that can be asked for the nearest.
pub struct Walls(RTree<Line<[f64; 2]>>);

impl Walls {
    pub fn of(walls: &[Wall], unit: f64) -> Walls {
        let line = |w: &Wall| Line::new(metres(w.a, unit).to_array(), metres(w.b, unit).to_array());
        Walls(RTree::bulk_load(walls.iter().map(line).collect()))
    }

    pub fn distance(&self, at: DVec2) -> f64 {
        let point = at.to_array();
        self.0
            .nearest_neighbor(point)
            .map_or(f64::INFINITY, |line| {
                rstar::PointDistance::distance_2(line, &point).sqrt()
            })
    }
}

/// Walls by square cells, for asking whether one is within a distance.
struct WallGrid {
    lines: Vec<[DVec2; 2]>,
    low: DVec2,
    per_metre: f64,
    size: [usize; 2],
    start: Vec<u32>,
    items: Vec<u32>,
}

impl WallGrid {
    fn of(walls: &[Wall], unit: f64) -> WallGrid {
        let line = |w: &Wall| [metres(w.a, unit), metres(w.b, unit)];
        let lines: Vec<[DVec2; 2]> = walls.iter().map(line).collect();
        let ends = || lines.iter().flatten();
        let low = ends().fold(DVec2::INFINITY, |low, p| low.min(*p));
        let high = ends().fold(DVec2::NEG_INFINITY, |high, p| high.max(*p));
        let span = (high - low).max(DVec2::splat(1e-6));
        // About one cell per wall, at most 1,024 along a side.
        let cell = (span.x * span.y / lines.len().max(1) as f64).sqrt();
        let cell = cell.max(span.max_element() / 1024.0);
        let mut grid = WallGrid {
            low,
            per_metre: 1.0 / cell,
            size: [(span.x / cell) as usize + 1, (span.y / cell) as usize + 1],
            lines,
            start: Vec::new(),
            items: Vec::new(),
        };
        let cells = grid.size[0] * grid.size[1];
        grid.start = vec![0; cells + 1];
        for [a, b] in &grid.lines {
            for cell in grid.cells(a.min(*b), a.max(*b)) {
                grid.start[cell + 1] += 1;
            }
        }
        for c in 0..cells {
            grid.start[c + 1] += grid.start[c];
        }
        let mut next = grid.start.clone();
        grid.items = vec![0; grid.start[cells] as usize];
        for (w, [a, b]) in grid.lines.iter().enumerate() {
            for cell in grid.cells(a.min(*b), a.max(*b)) {
                grid.items[next[cell] as usize] = w as u32;
                next[cell] += 1;
            }
        }
        grid
    }

    /// The cells that a box reaches into.
    fn cells(&self, low: DVec2, high: DVec2) -> impl Iterator<Item = usize> + use<> {
        let [wide, high_end] = self.size;
        let at = |p: DVec2| {
            let at = ((p - self.low) * self.per_metre).max(DVec2::ZERO);
            [
                (at.x as usize).min(wide - 1),
                (at.y as usize).min(high_end - 1),
            ]
        };
        let ([x0, y0], [x1, y1]) = (at(low), at(high));
        (y0..=y1).flat_map(move |y| (x0..=x1).map(move |x| y * wide + x))
    }

    fn any_within(&self, at: DVec2, distance: f64) -> bool {
        let squared = distance * distance;
        self.cells(at - distance, at + distance).any(|cell| {
            let items = self.start[cell] as usize..self.start[cell + 1] as usize;
            self.items[items].iter().any(|&w| {
                let [a, b] = self.lines[w as usize];
                let way = b - a;
                let share = (at - a).dot(way) / way.length_squared();
                (a + way * share.clamp(0.0, 1.0)).distance_squared(at) < squared
            })
        })
    }
}

/// No wall may be nearer to a vertex than those it belongs to.
fn empty_circles(layers: &Layers, axis: &Axis, tolerance: f64) -> Option<String> {
    let layer_walls = |layer: &Layer| WallGrid::of(&layer.walls, layers.unit);
    let grids: Vec<WallGrid> = layers.layers.iter().map(layer_walls).collect();
    let mut seen = vec![false; axis.nodes.len()];
    axis.edges.iter().find_map(|edge| {
        edge.nodes.into_iter().find_map(|node| {
            if core::mem::replace(&mut seen[node as usize], true) {
                return None;
            }
            let at: DVec2 = axis.nodes[node as usize];
            let clearance = edge.arc.clearance(at) - tolerance;
            if clearance <= 0.0 {
                return None;
            }
            let within = grids[usize::from(edge.layer)].any_within(at, clearance);
            within.then(|| format!("a wall within the circle about {at}"))
        })
    })
}
