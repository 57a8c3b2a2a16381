//! The medial axis of all layers: edges cut at doors, at their narrowest points and in the middle
//! of stairs, where the layers are joined.

use glam::DVec2;
use throng_core::{NO_DOOR, NavError};

use super::{
    arc::Arc,
    layers::{Layer, Layers, NOBODY, SOLID, Stair, owned_by},
    voronoi::{self, Piece, Turn, Undrawn},
};

/// Half the length of the edge that stands for a door, metres.
const DOOR: f64 = 0.01;
/// Points nearer to a line than this lie on it, metres.
const ON_LINE: f64 = 1e-6;
/// Where along a stair its two layers may be joined, best first.
const CUTS: [f64; 7] = [0.5, 0.47, 0.53, 0.43, 0.57, 0.38, 0.62];

/// An edge of the medial axis: the way between two nodes and the region about it.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub nodes: [u32; 2],
    pub arc: Arc,
    /// Nearest points on the left of both ends, and on the right.
    pub feet: [[DVec2; 2]; 2],
    pub door: u16,
    pub layer: u16,
    /// The stair that it lies on, or [`NOBODY`].
    pub stair: u16,
}

impl Edge {
    /// The outline of its region, counter-clockwise.
    pub fn outline(&self) -> [DVec2; 6] {
        let [left, right] = self.feet;
        let [a, b] = self.arc.ends;
        [a, right[0], right[1], b, left[1], left[0]]
    }

    /// Area of its region seen in plan; negative only if something is wrong.
    pub fn area(&self) -> f64 {
        let ring = self.outline();
        let first = ring[0];
        (1..5)
            .map(|i| (ring[i] - first).perp_dot(ring[i + 1] - first))
            .sum::<f64>()
            / 2.0
    }

    /// Clearance at both ends. In between it is nowhere less.
    pub fn clearances(&self) -> [f64; 2] {
        self.arc.ends.map(|e| self.arc.clearance(e))
    }
}

/// The medial axis.
#[derive(Clone, Debug, Default)]
pub struct Axis {
    pub nodes: Vec<DVec2>,
    pub node_layer: Vec<u16>,
    pub edges: Vec<Edge>,
}

/// The walkable edges of a layer's diagram, nothing cut yet.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    pub nodes: Vec<DVec2>,
    pub pieces: Vec<Piece>,
}

/// One layer's part while it is being cut.
struct Part {
    nodes: Vec<DVec2>,
    pieces: Vec<Piece>,
    doors: Vec<u16>,
}

impl Part {
    fn arc(&self, piece: usize) -> Arc {
        self.pieces[piece].arc(&self.nodes)
    }

    /// Cuts a piece in two at a point of it. The second half comes last.
    fn cut(&mut self, piece: usize, at: DVec2) -> usize {
        let node = self.nodes.len() as u32;
        self.nodes.push(at);
        let mut second = self.pieces[piece];
        second.nodes[0] = node;
        self.pieces[piece].nodes[1] = node;
        self.pieces.push(second);
        self.doors.push(self.doors[piece]);
        self.pieces.len() - 1
    }

    /// Gives every crossing of a door leaf a short edge of its own.
    fn cut_doors(&mut self, layer: &Layer) {
        for leaf in &layer.leaves {
            let way = leaf.b - leaf.a;
            let length = way.length();
            if length <= 0.0 {
                continue;
            }
            let side = |p: DVec2| way.perp_dot(p - leaf.a) / length;
            let along = |p: DVec2| way.dot(p - leaf.a) / length;
            let on_leaf = |p: DVec2| along(p) > -0.001 && along(p) < length + 0.001;
            for piece in 0..self.pieces.len() {
                let arc = self.arc(piece);
                let [a, b] = arc.ends.map(|e| {
                    let off = side(e);
                    if off.abs() < ON_LINE { 0.0 } else { off }
                });
                let total = arc.length();
                // Where the crossing lies on the edge, in metres from its beginning.
                let crossing = if a * b < 0.0 {
                    let at = arc.crossing(side);
                    on_leaf(at).then(|| (arc.retract(at) * total, DOOR))
                } else if a == 0.0 && b > 0.0 && on_leaf(arc.ends[0]) {
                    Some((0.0, 2.0 * DOOR))
                } else if b == 0.0 && a > 0.0 && on_leaf(arc.ends[1]) {
                    Some((total, 2.0 * DOOR))
                } else {
                    None
                };
                let Some((at, reach)) = crossing else {
                    continue;
                };
                let (low, high) = (at - reach, at + reach);
                let mut door = piece;
                if high < total - ON_LINE {
                    self.cut(piece, arc.at(high / total));
                }
                if low > ON_LINE {
                    door = self.cut(piece, arc.at(low / total));
                }
                self.doors[door] = leaf.door;
            }
        }
    }

    /// Cuts edges where the clearance is least, so that it grows or falls all along each.
    fn cut_narrowest(&mut self) {
        for piece in 0..self.pieces.len() {
            if let Some(at) = self.arc(piece).narrowest() {
                self.cut(piece, at);
            }
        }
    }

    /// The one edge between the flanks of a stair that crosses a line, and where.
    fn crossing(&self, stair: u16, side: impl Fn(DVec2) -> f64) -> Option<(usize, DVec2)> {
        let mut found = None;
        for (i, piece) in self.pieces.iter().enumerate() {
            if !piece.owners.iter().all(|o| owned_by(*o, stair)) {
                continue;
            }
            let arc = self.arc(i);
            let [a, b] = arc.ends.map(&side);
            if a * b < 0.0 && a.abs().min(b.abs()) > ON_LINE {
                if found.is_some() {
                    return None;
                }
                found = Some((i, arc.crossing(&side)));
            }
        }
        found
    }

    /// Drops what lies on stairs beyond their cuts: what is beyond for every stair it may lie on.
    fn drop_beyond(&mut self, cuts: &[Cut]) {
        if cuts.is_empty() {
            return;
        }
        let dropped = (0..self.pieces.len()).map(|i| {
            let at = self.arc(i).at(0.5);
            let owners = self.pieces[i].owners;
            let of_piece = |cut: &&Cut| owners.iter().any(|o| owned_by(*o, cut.stair));
            let mut stairs = cuts.iter().filter(of_piece).peekable();
            stairs.peek().is_some() && stairs.all(|cut| cut.hides(at))
        });
        // Edges between corners go where their neighbours go.
        let mut gone: Vec<bool> = dropped.collect();
        let mut at_node = vec![false; self.nodes.len()];
        for (i, piece) in self.pieces.iter().enumerate() {
            if !gone[i] && piece.owners != [SOLID; 2] {
                for n in piece.nodes {
                    at_node[n as usize] = true;
                }
            }
        }
        loop {
            let mut changed = false;
            for piece in self.pieces.iter().filter(|p| p.owners == [SOLID; 2]) {
                let [a, b] = piece.nodes.map(|n| at_node[n as usize]);
                if a != b {
                    for n in piece.nodes {
                        at_node[n as usize] = true;
                    }
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for (i, piece) in self.pieces.iter().enumerate() {
            if piece.owners == [SOLID; 2] {
                gone[i] = !at_node[piece.nodes[0] as usize];
            }
        }
        let mut keep = gone.iter().map(|g| !g);
        self.pieces.retain(|_| keep.next().unwrap_or(true));
        let mut keep = gone.iter().map(|g| !g);
        self.doors.retain(|_| keep.next().unwrap_or(true));
    }
}

/// Where a layer ends on a stair.
struct Cut {
    stair: u16,
    at: DVec2,
    /// Away from the layer's own end of the stair.
    outward: DVec2,
}

impl Cut {
    fn hides(&self, p: DVec2) -> bool {
        (p - self.at).dot(self.outward) > 0.0
    }
}

/// Draws the diagrams of all layers over turned walls.
pub fn draw(layers: &Layers, turn: Turn, seconds: f64) -> Result<Vec<Raw>, Undrawn> {
    let drawn = layers.layers.iter().map(|layer| {
        let diagram = voronoi::diagram(layer, layers.unit, turn, seconds)?;
        Ok(voronoi::walkable(layer, layers.unit, &diagram))
    });
    drawn.collect()
}

/// Cuts and joins the diagrams of all layers.
pub fn assemble(layers: &Layers, raws: &[Raw]) -> Result<Axis, NavError> {
    let mut parts: Vec<Part> = raws
        .iter()
        .map(|raw| Part {
            doors: vec![NO_DOOR; raw.pieces.len()],
            nodes: raw.nodes.clone(),
            pieces: raw.pieces.clone(),
        })
        .collect();
    let mut joints = Vec::with_capacity(layers.stairs.len());
    let mut cuts: Vec<Vec<Cut>> = parts.iter().map(|_| Vec::new()).collect();
    for stair in &layers.stairs {
        joints.push(cut_stair(&mut parts, stair, &mut cuts)?);
    }
    for (part, cuts) in parts.iter_mut().zip(&cuts) {
        part.drop_beyond(cuts);
    }
    let mut axis = Axis::default();
    let mut first_node = Vec::with_capacity(parts.len());
    for (l, (part, layer)) in parts.iter_mut().zip(&layers.layers).enumerate() {
        part.cut_doors(layer);
        part.cut_narrowest();
        let first = axis.nodes.len() as u32;
        first_node.push(first);
        axis.nodes.extend_from_slice(&part.nodes);
        axis.node_layer.resize(axis.nodes.len(), l as u16);
        for (i, piece) in part.pieces.iter().enumerate() {
            let arc = part.arc(i);
            let middle = arc.at(0.5);
            let stair = piece.owners.into_iter().flatten().find(|&owner| {
                let hidden = |cut: &Cut| cut.stair == owner && cut.hides(middle);
                owner != NOBODY && owner >= layers.first_stair && !cuts[l].iter().any(hidden)
            });
            axis.edges.push(Edge {
                nodes: piece.nodes.map(|n| n + first),
                arc,
                feet: arc.things().map(|t| arc.ends.map(|e| t.foot(e))),
                door: part.doors[i],
                layer: l as u16,
                stair: stair.unwrap_or(NOBODY),
            });
        }
    }
    for joint in joints {
        axis.join(joint.map(|(layer, node)| node + first_node[layer]));
    }
    axis.compact();
    Ok(axis)
}

/// Cuts a stair between two layers in the middle; gives the node of each layer there.
fn cut_stair(
    parts: &mut [Part],
    stair: &Stair,
    cuts: &mut [Vec<Cut>],
) -> Result<[(usize, u32); 2], NavError> {
    let [(lower, from), (upper, to)] = stair.ends;
    for share in CUTS {
        let middle = from + (to - from) * share;
        let side = |p: DVec2| (p - middle).dot(to - from) / (to - from).length();
        let (Some(one), Some(two)) = (
            parts[lower].crossing(stair.floor, side),
            parts[upper].crossing(stair.floor, side),
        ) else {
            continue;
        };
        if one.1.distance(two.1) > ON_LINE * 10.0 {
            continue;
        }
        let mut nodes = [(lower, 0), (upper, 0)];
        for (end, cut) in nodes.iter_mut().zip([one.0, two.0]) {
            let part = &mut parts[end.0];
            part.cut(cut, one.1);
            end.1 = part.nodes.len() as u32 - 1;
        }
        for (layer, outward) in [(lower, to - from), (upper, from - to)] {
            cuts[layer].push(Cut {
                stair: stair.floor,
                at: middle,
                outward,
            });
        }
        return Ok(nodes);
    }
    Err(NavError::Unsuitable {
        reason: format!(
            "connection number {} is wider than it is long and joins floors that lie above each \
             other, which ecm cannot draw: make it longer, split it in several, or use nav.kind = \
             \"grid\"",
            stair.number
        ),
    })
}

impl Axis {
    /// Makes one node of two, whose feet become those of the first.
    fn join(&mut self, [keep, drop]: [u32; 2]) {
        let kept = self.edges.iter().find_map(|edge| {
            let end = edge.nodes.iter().position(|n| *n == keep)?;
            Some(edge.feet.map(|side| side[end]))
        });
        for edge in &mut self.edges {
            for end in 0..2 {
                if edge.nodes[end] != drop {
                    continue;
                }
                edge.nodes[end] = keep;
                for side in &mut edge.feet {
                    if let Some([a, b]) = kept {
                        let foot = side[end];
                        let first = foot.distance_squared(a) <= foot.distance_squared(b);
                        side[end] = if first { a } else { b };
                    }
                }
            }
        }
    }

    /// Leaves out nodes without edges.
    fn compact(&mut self) {
        let mut used = vec![false; self.nodes.len()];
        for node in self.edges.iter().flat_map(|e| e.nodes) {
            used[node as usize] = true;
        }
        let mut new_id = vec![u32::MAX; self.nodes.len()];
        let mut count = 0;
        for n in 0..self.nodes.len() {
            if used[n] {
                new_id[n] = count as u32;
                self.nodes[count] = self.nodes[n];
                self.node_layer[count] = self.node_layer[n];
                count += 1;
            }
        }
        self.nodes.truncate(count);
        self.node_layer.truncate(count);
        for edge in &mut self.edges {
            edge.nodes = edge.nodes.map(|n| new_id[n as usize]);
        }
    }
}
