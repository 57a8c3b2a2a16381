//! Local updates: only the part of the diagram that new or vanished walls can reach is drawn
//! again.
//!
//! An edge changes if one of its walls is gone, or if a new wall may be nearer to it than its own.
//! The walls of those edges, of their neighbours and the new ones are drawn alone; of that small
//! diagram the edges are taken whose circles are empty among all walls. The result is checked
//! like any other, and everything is drawn again if it is wrong.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec2;
use throng_core::{NONE, Remap};

use super::{
    Drawing,
    arc::Thing,
    axis::{self, Axis, Raw},
    check::Walls,
    draw::Ways,
    layers::{Layer, Layers, Point, Wall, metres},
    voronoi::{self, Piece, Turn},
};

/// Points nearer to each other than this are one, metres.
const SAME: f64 = 1e-6;

/// The drawing of new layers made from an old one, or nothing where that is not possible.
pub fn redraw(old: &Drawing, layers: &Layers, seconds: f64) -> Option<Drawing> {
    let same_shape = old.layers.unit == layers.unit
        && old.layers.stairs == layers.stairs
        && old.layers.layers.len() == layers.layers.len();
    if !same_shape {
        return None;
    }
    let mut raws = Vec::with_capacity(old.raws.len());
    for ((before, now), raw) in old.layers.layers.iter().zip(&layers.layers).zip(&old.raws) {
        raws.push(if before.walls == now.walls {
            raw.clone()
        } else {
            redraw_layer(before, now, raw, layers.unit, seconds)?
        });
    }
    Some(Drawing {
        axis: axis::assemble(layers, &raws).ok()?,
        raws,
        layers: layers.clone(),
    })
}

/// What is only in the first of two sorted lists.
fn only_in(one: &[Wall], two: &[Wall]) -> Vec<Wall> {
    one.iter()
        .filter(|w| two.binary_search(w).is_err())
        .copied()
        .collect()
}

fn redraw_layer(before: &Layer, now: &Layer, raw: &Raw, unit: f64, seconds: f64) -> Option<Raw> {
    let (gone, new) = (
        only_in(&before.walls, &now.walls),
        only_in(&now.walls, &before.walls),
    );
    let corner = |p: DVec2| -> Point { (p / unit).round().as_ivec2().to_array() };
    let gone_corners: BTreeSet<Point> = gone.iter().flat_map(|w| [w.a, w.b]).collect();
    let things: Vec<Thing> = new
        .iter()
        .map(|w| Thing {
            a: metres(w.a, unit),
            b: metres(w.b, unit),
        })
        .collect();
    let changed: Vec<bool> = raw
        .pieces
        .iter()
        .map(|piece| {
            let of_gone = [piece.left, piece.right].into_iter().any(|t| {
                let (a, b) = (corner(t.a), corner(t.b));
                if a == b {
                    gone_corners.contains(&a)
                } else {
                    let ends = if a < b { (a, b) } else { (b, a) };
                    gone.iter().any(|w| (w.a, w.b) == ends)
                }
            });
            of_gone || things.iter().any(|t| may_reach(piece, &raw.nodes, t))
        })
        .collect();

    // Walls of changed edges and of their neighbours, and all walls at the same corners.
    let mut near_node = vec![false; raw.nodes.len()];
    for (piece, _) in raw.pieces.iter().zip(&changed).filter(|(_, c)| **c) {
        for node in piece.nodes {
            near_node[node as usize] = true;
        }
    }
    let mut corners: BTreeSet<Point> = new.iter().flat_map(|w| [w.a, w.b]).collect();
    for piece in &raw.pieces {
        if piece.nodes.iter().any(|n| near_node[*n as usize]) {
            for thing in [piece.left, piece.right] {
                corners.extend([corner(thing.a), corner(thing.b)]);
            }
        }
    }
    let near: Vec<Wall> = now
        .walls
        .iter()
        .filter(|w| corners.contains(&w.a) || corners.contains(&w.b))
        .copied()
        .collect();
    if near.len() * 2 > now.walls.len() {
        return None;
    }
    let part = Layer {
        floor: now.floor,
        walls: near,
        leaves: Vec::new(),
    };
    let diagram = voronoi::diagram(&part, unit, Turn::default(), seconds).ok()?;
    let drawn = voronoi::walkable(&part, unit, &diagram);
    Some(merged(raw, &changed, &drawn, &Walls::of(&now.walls, unit)))
}

/// Whether a wall may be nearer to a point of an edge than the edge's own walls.
fn may_reach(piece: &Piece, nodes: &[DVec2], wall: &Thing) -> bool {
    let arc = piece.arc(nodes);
    let widest = arc.clearance(arc.ends[0]).max(arc.clearance(arc.ends[1]));
    let middle = (arc.ends[0] + arc.ends[1]) / 2.0;
    // An edge lies within half its length of the middle of its ends.
    wall.distance(middle) <= widest + arc.length() / 2.0 + SAME
}

/// Unchanged edges of the old diagram and those of the new part that are right among all walls.
fn merged(old: &Raw, changed: &[bool], drawn: &Raw, walls: &Walls) -> Raw {
    let mut raw = Raw::default();
    let mut node_at: BTreeMap<[i64; 2], u32> = BTreeMap::new();
    let cell = |p: DVec2| (p / SAME).round().as_i64vec2().to_array();
    let mut new_id = vec![NONE; old.nodes.len()];
    let mut kept: BTreeSet<[[i64; 2]; 2]> = BTreeSet::new();
    let key = |a: DVec2, b: DVec2| {
        let (a, b) = (cell((a + b) / 2.0), cell((a - b).abs()));
        [a, b]
    };
    for (piece, _) in old.pieces.iter().zip(changed).filter(|(_, c)| !**c) {
        let mut piece = *piece;
        let ends = piece.nodes.map(|n| old.nodes[n as usize]);
        kept.insert(key(ends[0], ends[1]));
        piece.nodes = piece.nodes.map(|n| {
            let id = &mut new_id[n as usize];
            if *id == NONE {
                *id = raw.nodes.len() as u32;
                let at = old.nodes[n as usize];
                raw.nodes.push(at);
                if piece.left.distance(at) > SAME {
                    node_at.insert(cell(at), *id);
                }
            }
            *id
        });
        raw.pieces.push(piece);
    }
    let near = |a: i64| [a, a - 1, a + 1];
    let mut drawn_id = vec![NONE; drawn.nodes.len()];
    for piece in &drawn.pieces {
        let arc = piece.arc(&drawn.nodes);
        let known = {
            let [a, b] = key(arc.ends[0], arc.ends[1]);
            near(a[0]).into_iter().any(|x| {
                near(a[1]).into_iter().any(|y| {
                    near(b[0]).into_iter().any(|u| {
                        near(b[1])
                            .into_iter()
                            .any(|v| kept.contains(&[[x, y], [u, v]]))
                    })
                })
            })
        };
        let empty = [0.0, 0.5, 1.0].into_iter().all(|share| {
            let at = arc.at(share);
            walls.distance(at) >= arc.clearance(at) - SAME
        });
        if known || !empty {
            continue;
        }
        let mut piece = *piece;
        piece.nodes = piece.nodes.map(|n| {
            let id = &mut drawn_id[n as usize];
            if *id == NONE {
                let at = drawn.nodes[n as usize];
                let [x, y] = cell(at);
                let old_node = near(x).into_iter().find_map(|x| {
                    near(y)
                        .into_iter()
                        .find_map(|y| node_at.get(&[x, y]).copied())
                });
                let at_wall = piece.left.distance(at) <= SAME;
                *id = match old_node {
                    Some(node) if !at_wall => node,
                    _ => {
                        raw.nodes.push(at);
                        raw.nodes.len() as u32 - 1
                    }
                };
            }
            *id
        });
        raw.pieces.push(piece);
    }
    raw
}

/// Where the edges of an old axis went: to those with the same ends and walls.
pub fn remap(before: &Axis, ways_before: &Ways, now: &Axis, ways: &Ways) -> Remap {
    let key = |edge: &axis::Edge| {
        let mut ends = edge
            .arc
            .ends
            .map(|e| (e.to_array().map(f64::to_bits), edge.layer));
        ends.sort_unstable();
        (ends, edge.area().to_bits())
    };
    let by_key: BTreeMap<_, usize> = now
        .edges
        .iter()
        .enumerate()
        .map(|(i, edge)| (key(edge), i))
        .collect();
    let mut remap = Remap {
        edges: vec![NONE; before.edges.len() * 2],
        regions: vec![NONE; before.edges.len()],
    };
    for (i, edge) in before.edges.iter().enumerate() {
        let Some(&j) = by_key.get(&key(edge)) else {
            continue;
        };
        remap.regions[i] = j as u32;
        let same_way = now.edges[j].arc.ends == edge.arc.ends;
        for way in 0..2 {
            let to = if same_way { way } else { 1 - way };
            remap.edges[ways_before[i][way] as usize] = ways[j][to];
        }
    }
    remap
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::{
        Ground,
        environment::{Environment, Floor, Polygon},
    };

    fn layers(blocks: &[(f64, f64)]) -> Layers {
        let block = |&(x, y): &(f64, f64)| {
            Polygon::rectangle(DVec2::new(x, y), DVec2::new(x + 2.0, y + 3.0))
        };
        let environment = Environment {
            floors: vec![Floor {
                walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::splat(100.0))],
                solid: blocks.iter().map(block).collect(),
                ..Floor::default()
            }],
            ..Environment::default()
        };
        let ground = Ground::from_environment(&environment).unwrap();
        Layers::of(&ground.view()).straightened()
    }

    #[test]
    fn most_of_the_diagram_is_kept() {
        let mut blocks: Vec<(f64, f64)> = (0..100)
            .map(|i| (f64::from(i % 10) * 9.7 + 3.0, f64::from(i / 10) * 9.3 + 4.0))
            .collect();
        let before = Drawing::new(&layers(&blocks), Turn::default(), 60.0).unwrap();
        blocks.push((47.0, 48.5));
        let now = layers(&blocks);
        let local = redraw(&before, &now, 60.0).unwrap();
        let whole = Drawing::new(&now, Turn::default(), 60.0).unwrap();
        assert_eq!(local.axis.edges.len(), whole.axis.edges.len());
        assert_eq!(local.axis.nodes.len(), whole.axis.nodes.len());
        let length = |d: &Drawing| d.axis.edges.iter().map(|e| e.arc.length()).sum::<f64>();
        assert!((length(&local) - length(&whole)).abs() < 1e-6);
        let remap = remap(
            &before.axis,
            &(0..before.axis.edges.len() as u32)
                .map(|e| [2 * e, 2 * e + 1])
                .collect(),
            &local.axis,
            &(0..local.axis.edges.len() as u32)
                .map(|e| [2 * e, 2 * e + 1])
                .collect(),
        );
        let gone = remap.regions.iter().filter(|r| **r == NONE).count();
        assert!(gone > 0 && gone * 20 < remap.regions.len(), "{gone}");
    }
}
