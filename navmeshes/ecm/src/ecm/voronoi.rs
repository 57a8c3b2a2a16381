//! The Voronoi diagram of a layer's walls, and the edges of it that lie on walkable ground.
//!
//! The diagram comes from `boostvoronoi`, which answers wrong input with wrong output and is
//! wrong on a few valid ones too: `check` looks at every result, and a wrong one is drawn again
//! over slightly turned walls.

use std::{sync::mpsc, thread, time::Duration};

use boostvoronoi::prelude::{Builder, SourceCategory};
use glam::DVec2;
use throng_core::{NavError, math};

use super::{
    arc::{Arc, Thing},
    axis::Raw,
    layers::{Layer, Owners, Point, SOLID, Wall, metres},
};

/// Half-edges and vertices of a diagram, as far as they are needed here.
pub struct Diagram {
    pub vertices: Vec<DVec2>,
    half_edges: Vec<HalfEdge>,
    /// Vertices nearer to a wall than this lie on it, units: turned walls are rounded once more.
    on_wall: f64,
}

/// Why there is no diagram.
#[derive(Debug)]
pub enum Undrawn {
    /// The algorithm failed on these very numbers: other ones may do.
    Again(String),
    /// No other numbers will help.
    Never(NavError),
}

impl From<NavError> for Undrawn {
    fn from(error: NavError) -> Undrawn {
        Undrawn::Never(error)
    }
}

#[derive(Clone, Copy)]
struct HalfEdge {
    from: u32,
    to: u32,
    cell: Cell,
    beyond: Cell,
}

/// What a cell belongs to: a wall, or one end of it.
#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Wall(u32),
    End(u32, bool),
}

/// An edge of the medial axis before anything is cut.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    pub nodes: [u32; 2],
    pub left: Thing,
    pub right: Thing,
    /// Floors of the ground on either side, [`SOLID`] where a corner cannot tell.
    pub owners: [Owners; 2],
}

impl Piece {
    pub fn arc(&self, nodes: &[DVec2]) -> Arc {
        Arc {
            ends: self.nodes.map(|n| nodes[n as usize]),
            left: self.left,
            right: self.right,
        }
    }
}

/// How walls are turned before their diagram is drawn.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turn {
    /// Quarter turns, which are exact: they change the order in which walls are swept.
    pub quarters: u8,
    /// Radians on top of that; the walls are rounded again unless it is 0.
    pub angle: f64,
}

impl Turn {
    /// Whether walls keep their exact shape.
    pub fn is_exact(&self) -> bool {
        self.angle == 0.0
    }

    fn apply(&self, p: Point) -> [i32; 2] {
        let [x, y] = p;
        let p = match self.quarters % 4 {
            0 => [x, y],
            1 => [-y, x],
            2 => [-x, -y],
            _ => [y, -x],
        };
        if self.is_exact() {
            return p;
        }
        let turn = DVec2::new(math::cos(self.angle), math::sin(self.angle));
        let q = turn.rotate(metres(p, 1.0)).round();
        [q.x as i32, q.y as i32]
    }

    fn undo(&self, p: DVec2) -> DVec2 {
        let p = if self.is_exact() {
            p
        } else {
            DVec2::new(math::cos(self.angle), -math::sin(self.angle)).rotate(p)
        };
        match self.quarters % 4 {
            0 => p,
            1 => DVec2::new(p.y, -p.x),
            2 => -p,
            _ => DVec2::new(-p.y, p.x),
        }
    }
}

/// Draws the diagram of a layer whose walls are turned first.
pub fn diagram(layer: &Layer, unit: f64, turn: Turn, seconds: f64) -> Result<Diagram, Undrawn> {
    let lines: Vec<[i32; 4]> = layer
        .walls
        .iter()
        .map(|w| {
            let [a, b] = [w.a, w.b].map(|p| turn.apply(p));
            [a[0], a[1], b[0], b[1]]
        })
        .collect();
    let unsuitable = |reason: String| Undrawn::Never(NavError::Unsuitable { reason });
    // On a thread of its own, because nothing else bounds the time that a foreign algorithm may
    // take on an unlucky input, or keeps its panic from ours.
    let (send, receive) = mpsc::channel();
    thread::Builder::new()
        .name("medial axis".into())
        .spawn(move || {
            let _ = send.send(half_edges(&lines));
        })
        .map_err(|e| unsuitable(format!("no thread for the medial axis: {e}")))?;
    let (points, half_edges) = match receive.recv_timeout(Duration::from_secs_f64(seconds)) {
        Ok(result) => result.map_err(Undrawn::Again)?,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            return Err(unsuitable(format!(
                "the medial axis of floor {} took more than {seconds} s: raise nav.seconds or \
                 simplify the outlines",
                layer.floor
            )));
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            return Err(Undrawn::Again(format!(
                "the diagram of floor {} failed",
                layer.floor
            )));
        }
    };
    let vertices = points
        .into_iter()
        .map(|p| turn.undo(DVec2::new(p[0], p[1])) * unit)
        .collect();
    Ok(Diagram {
        vertices,
        half_edges,
        on_wall: if turn.is_exact() { 0.01 } else { 2.0 },
    })
}

/// One half-edge of every finite primary edge, and the vertices.
fn half_edges(lines: &[[i32; 4]]) -> Result<(Vec<[f64; 2]>, Vec<HalfEdge>), String> {
    let failed = |e: boostvoronoi::BvError| format!("the medial axis failed: {e}");
    let diagram = Builder::<i32>::default()
        .with_segments(lines.iter())
        .and_then(Builder::build)
        .map_err(failed)?;
    let cell_of = |edge: &boostvoronoi::prelude::Edge| -> Result<Cell, String> {
        let cell = diagram.cell(edge.cell().map_err(failed)?).map_err(failed)?;
        let wall = cell.source_index().u32();
        Ok(match cell.source_category() {
            SourceCategory::Segment => Cell::Wall(wall),
            SourceCategory::SegmentEnd => Cell::End(wall, true),
            SourceCategory::SegmentStart | SourceCategory::SinglePoint => Cell::End(wall, false),
        })
    };
    let mut half_edges = Vec::with_capacity(diagram.num_edges() / 2);
    for edge in diagram.edges() {
        if !edge.is_primary() {
            continue;
        }
        let twin = edge.twin().map_err(failed)?;
        if edge.id().u32() > twin.u32() {
            continue;
        }
        let twin = diagram.edge(twin).map_err(failed)?;
        let (Some(from), Some(to)) = (edge.vertex0(), twin.vertex0()) else {
            continue;
        };
        half_edges.push(HalfEdge {
            from: from.u32(),
            to: to.u32(),
            cell: cell_of(edge)?,
            beyond: cell_of(twin)?,
        });
    }
    let vertices = diagram.vertices().iter().map(|v| [v.x(), v.y()]).collect();
    Ok((vertices, half_edges))
}

/// The edges that lie on walkable ground, with nodes of their own: those at walls are one per
/// edge, since nobody passes from one corner of the ground to another through their point.
pub fn walkable(layer: &Layer, unit: f64, diagram: &Diagram) -> Raw {
    let thing = |cell: Cell| {
        let (wall, a, b) = match cell {
            Cell::Wall(w) => (w, 0, 1),
            Cell::End(w, false) => (w, 0, 0),
            Cell::End(w, true) => (w, 1, 1),
        };
        let wall = &layer.walls[wall as usize];
        let ends = [wall.a, wall.b].map(|p| metres(p, unit));
        Thing {
            a: ends[a],
            b: ends[b],
        }
    };
    let owner = |cell: Cell, middle: DVec2| -> Option<Owners> {
        let Cell::Wall(wall) = cell else { return None };
        let wall: &Wall = &layer.walls[wall as usize];
        let (a, b) = (metres(wall.a, unit), metres(wall.b, unit));
        Some(if (b - a).perp_dot(middle - a) > 0.0 {
            wall.left
        } else {
            wall.right
        })
    };
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Unknown,
        Walkable,
        Solid,
    }
    let edges = &diagram.half_edges;
    let mut state = vec![State::Unknown; edges.len()];
    let mut owners = vec![[SOLID; 2]; edges.len()];
    let mut at_vertex = vec![State::Unknown; diagram.vertices.len()];
    let on_wall = |edge: &HalfEdge, end: u32| {
        let at = diagram.vertices[end as usize];
        let near = unit * diagram.on_wall;
        thing(edge.cell).distance(at) < near && thing(edge.beyond).distance(at) < near
    };
    for (e, edge) in edges.iter().enumerate() {
        let middle =
            (diagram.vertices[edge.from as usize] + diagram.vertices[edge.to as usize]) / 2.0;
        let sides = [owner(edge.cell, middle), owner(edge.beyond, middle)];
        if sides == [None, None] {
            continue;
        }
        state[e] = if sides.contains(&Some(SOLID)) {
            State::Solid
        } else {
            State::Walkable
        };
        owners[e] = sides.map(|s| s.unwrap_or(SOLID));
        for end in [edge.from, edge.to] {
            if !on_wall(edge, end) {
                at_vertex[end as usize] = state[e];
            }
        }
    }
    // Edges between two corners are where their neighbours are.
    loop {
        let mut changed = false;
        for (e, edge) in edges.iter().enumerate() {
            if state[e] != State::Unknown {
                continue;
            }
            let known = [edge.from, edge.to]
                .into_iter()
                .map(|v| at_vertex[v as usize])
                .find(|s| *s != State::Unknown);
            if let Some(known) = known {
                state[e] = known;
                at_vertex[edge.from as usize] = known;
                at_vertex[edge.to as usize] = known;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut node_of = vec![u32::MAX; diagram.vertices.len()];
    let (mut nodes, mut pieces) = (Vec::new(), Vec::new());
    for (e, edge) in edges.iter().enumerate() {
        if state[e] != State::Walkable {
            continue;
        }
        let ends = [edge.from, edge.to].map(|v| {
            let at = diagram.vertices[v as usize];
            if on_wall(edge, v) {
                nodes.push(point_of_wall(
                    thing(edge.cell),
                    thing(edge.beyond),
                    at,
                    unit,
                ));
                return nodes.len() as u32 - 1;
            }
            let node = &mut node_of[v as usize];
            if *node == u32::MAX {
                *node = nodes.len() as u32;
                nodes.push(at);
            }
            *node
        });
        pieces.push(Piece {
            nodes: ends,
            left: thing(edge.cell),
            right: thing(edge.beyond),
            owners: owners[e],
        });
    }
    Raw { nodes, pieces }
}

/// The point of two walls that a vertex on both of them stands for: their common corner, if there
/// is one.
fn point_of_wall(one: Thing, two: Thing, at: DVec2, unit: f64) -> DVec2 {
    let ends = [one.a, one.b, two.a, two.b].into_iter();
    let nearest = ends.min_by(|p, q| {
        let off = |p: &DVec2| p.distance_squared(at);
        off(p).total_cmp(&off(q))
    });
    match nearest {
        Some(end) if end.distance(at) <= 4.0 * unit => end,
        _ => one.foot(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_undone() {
        for quarters in 0..4 {
            for angle in [0.0, 0.1931] {
                let turn = Turn { quarters, angle };
                let [x, y] = turn.apply([12_345, -678]);
                let back = turn.undo(DVec2::new(f64::from(x), f64::from(y)));
                let off = back.distance(DVec2::new(12_345.0, -678.0));
                assert!(
                    off <= if turn.is_exact() { 0.0 } else { 0.8 },
                    "{turn:?} {back}"
                );
            }
        }
    }
}
