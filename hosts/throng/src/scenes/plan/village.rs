//! A small village: houses with yards around a square, a hedge with four gates, trees.
//!
//! Stands for the *Zelda* village of van Toll, Cook and Geraerts 2012 (100 x 100 m, 560 obstacle
//! vertices).

use core::f64::consts::TAU;

use glam::DVec2;
use throng_core::random::{Purpose, Stream};
use throng_kit::environment::{Environment, Polygon};

use super::draft::{Draft, rect, square_at};
use super::footprint::{distance, ellipse, footprint};
use crate::scenes::Scene;

throng_core::options! {
    /// A small village.
    pub(crate) struct Village {
        /// Draws other houses and trees.
        seed: u64 = 1, "", 0..=2147483647;
    }
}

const SIDE: f64 = 100.0;
const HEDGE: f64 = 3.0;
const GATE: f64 = 4.0;
/// Middle and corners of each house; the square is in the middle of them.
const HOUSES: [(f64, f64, usize); 8] = [
    (21.0, 21.0, 6),
    (50.0, 19.0, 8),
    (79.0, 21.0, 10),
    (19.0, 50.0, 12),
    (81.0, 50.0, 8),
    (21.0, 79.0, 10),
    (50.0, 81.0, 6),
    (79.0, 79.0, 8),
];
const TREES: usize = 50;
const TREE_CORNERS: usize = 7;

impl Scene for Village {
    const ID: &'static str = "village";
    const ABOUT: &'static str = "a village of 100 x 100 m (560 obstacle vertices) with houses, yards, trees and a hedge; areas: everything, square, west, east, south, north (its gates), yard-1 to yard-8";

    fn draw(&self) -> Result<Environment, String> {
        let mut random = Stream::new(self.seed, 0, Purpose::Strategy, 0);
        let mut draft = Draft::of(vec![rect(0.0, 0.0, SIDE, SIDE)]);
        draft.area(0, "everything", rect(0.0, 0.0, SIDE, SIDE));
        draft.area(0, "square", square_at(DVec2::splat(50.0), 8.0));
        hedge(&mut draft);
        for (number, (x, y, corners)) in HOUSES.into_iter().enumerate() {
            let middle = DVec2::new(x, y);
            yard(&mut draft, middle, corners, &mut random);
            let gate = middle + (DVec2::splat(50.0) - middle).normalize() * 8.0;
            draft.area(0, format!("yard-{}", number + 1), square_at(gate, 1.0));
        }
        let fountain = ellipse(12, DVec2::splat(50.0), DVec2::splat(2.5), 0.0);
        draft.solid(0, Polygon::new(fountain));
        for (dx, dy) in [(-6.5, -6.5), (6.5, -6.5), (-6.5, 6.5), (6.5, 6.5)] {
            let stall = DVec2::new(50.0 + dx, 50.0 + dy);
            draft.solid(
                0,
                rect(stall.x - 1.5, stall.y - 0.75, stall.x + 1.5, stall.y + 0.75),
            );
        }
        let pond = ellipse(18, DVec2::new(35.5, 64.5), DVec2::new(4.0, 3.0), 0.1);
        draft.solid(0, Polygon::new(pond));
        trees(&mut draft, &mut random)?;
        Ok(draft.finish())
    }
}

/// Two stretches of hedge on each side, with a gate between them.
fn hedge(draft: &mut Draft) {
    let (near, far) = (HEDGE, SIDE - HEDGE);
    let (before, after) = (50.0 - GATE / 2.0, 50.0 + GATE / 2.0);
    for (from, to) in [(near, before), (after, far)] {
        draft.solid(0, rect(from, near, to, near + 1.0));
        draft.solid(0, rect(from, far - 1.0, to, far));
        let (from, to) = (from.max(near + 1.0), to.min(far - 1.0));
        draft.solid(0, rect(near, from, near + 1.0, to));
        draft.solid(0, rect(far - 1.0, from, far, to));
    }
    for (name, x, y) in [
        ("west", 3.5, 50.0),
        ("east", 96.5, 50.0),
        ("south", 50.0, 3.5),
        ("north", 50.0, 96.5),
    ] {
        draft.area(0, name, square_at(DVec2::new(x, y), GATE / 2.0));
    }
}

/// A house with a fence around three sides of its yard; the open side faces the square.
fn yard(draft: &mut Draft, middle: DVec2, corners: usize, random: &mut Stream) {
    let size = DVec2::new(random.range(9.0, 11.0), random.range(8.0, 10.0));
    let away = (middle - DVec2::splat(50.0)).clamp(DVec2::splat(-1.0), DVec2::ONE);
    let house = footprint(
        corners,
        middle + away - size / 2.0,
        middle + away + size / 2.0,
        random,
    );
    draft.solid(0, Polygon::new(house));
    let (half, thick) = (9.5, 0.4);
    let inner = half - thick;
    let fence = [
        (-half, -half),
        (half, -half),
        (half, half),
        (inner, half),
        (inner, -inner),
        (-inner, -inner),
        (-inner, half),
        (-half, half),
    ];
    let outward = DVec2::splat(50.0) - middle;
    let turned = |(x, y): (f64, f64)| {
        if outward.y.abs() >= outward.x.abs() {
            DVec2::new(x, y * outward.y.signum())
        } else {
            DVec2::new(y * outward.x.signum(), x)
        }
    };
    let ring = fence.into_iter().map(|p| middle + turned(p)).collect();
    draft.solid(0, Polygon::new(ring));
}

/// Trees wherever they leave a metre and a half to everything else.
fn trees(draft: &mut Draft, random: &mut Stream) -> Result<(), String> {
    const CLEAR: f64 = 1.5;
    let gates = ["square", "west", "east", "south", "north"];
    let kept_free: Vec<Polygon> = draft
        .environment()
        .areas
        .iter()
        .filter(|area| gates.contains(&area.name.as_str()) || area.name.starts_with("yard"))
        .map(|area| area.shape.clone())
        .collect();
    let mut planted = 0;
    for _ in 0..100_000 {
        if planted == TREES {
            return Ok(());
        }
        let radius = random.range(0.6, 1.3);
        let at = DVec2::new(random.range(6.0, 94.0), random.range(6.0, 94.0));
        let angle = random.range(0.0, TAU);
        let room = radius + CLEAR;
        let free = draft
            .solids(0)
            .iter()
            .chain(&kept_free)
            .all(|shape| distance(shape, at) > room);
        if free {
            let crown = ellipse(TREE_CORNERS, at, DVec2::splat(radius), angle);
            draft.solid(0, Polygon::new(crown));
            planted += 1;
        }
    }
    Err(format!(
        "only {planted} of {TREES} trees found room; try another seed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::plan::footprint::{corner_count, separation};

    #[test]
    fn vertices_are_560_and_only_the_hedge_touches_itself() {
        for seed in 0..10 {
            let scene = Village { seed }.draw().unwrap();
            let solid = &scene.floors[0].solid;
            assert_eq!(corner_count(solid), 560);
            for (i, one) in solid.iter().enumerate() {
                for (j, other) in solid[..i].iter().enumerate() {
                    let hedge = i < 8 && j < 8;
                    assert!(
                        hedge || separation(one, other) > 0.7,
                        "{j} and {i}, seed {seed}"
                    );
                }
            }
        }
    }
}
