//! Where is measured: named areas and lines.

use glam::DVec2;
use throng_core::GroundView;
use throng_kit::{
    environment::{Environment, Polygon},
    polygon::{area, bounds, contains},
};

use super::convex::shared_area;

/// An area in which density and speed are measured.
#[derive(Clone, Debug)]
pub struct MeasuringArea {
    /// Its name.
    pub name: String,
    /// Its floor.
    pub level: u16,
    /// Its shape, metres.
    pub shape: Polygon,
    /// What counts as its size, square metres.
    pub square_metres: f64,
    low: DVec2,
    high: DVec2,
}

impl MeasuringArea {
    /// An area all of which counts.
    pub fn new(name: &str, level: u16, shape: Polygon) -> MeasuringArea {
        let (low, high) = bounds(&shape.outer).unwrap_or_default();
        MeasuringArea {
            name: name.into(),
            level,
            square_metres: area(&shape),
            shape,
            low,
            high,
        }
    }

    /// An area of which only the walkable part counts.
    pub fn on_ground(
        name: &str,
        level: u16,
        shape: Polygon,
        ground: GroundView<'_>,
    ) -> MeasuringArea {
        let mut made = MeasuringArea::new(name, level, shape);
        made.square_metres = (0..ground.triangles.len() as u32)
            .filter(|t| ground.floors[*t as usize] == level)
            .map(|t| {
                let corners = ground
                    .corners(t)
                    .map(|c| (ground.origin + c.as_dvec3()).truncate());
                if made.misses(&corners) {
                    0.0
                } else {
                    shared_area(&corners, &made.shape)
                }
            })
            .sum();
        made
    }

    /// Whether somebody on a floor stands in it.
    pub fn holds(&self, at: DVec2, level: u16) -> bool {
        level == self.level
            && at.cmpge(self.low).all()
            && at.cmple(self.high).all()
            && contains(&self.shape, at)
    }

    /// Whether some points all lie on one outer side of the rectangle about it.
    pub(crate) fn misses(&self, points: &[DVec2]) -> bool {
        let Some((low, high)) = bounds(points) else {
            return true;
        };
        low.cmpgt(self.high).any() || high.cmplt(self.low).any()
    }

    /// Whether a point lies within a distance of the rectangle about it.
    pub(crate) fn within(&self, at: DVec2, level: u16, distance: f64) -> bool {
        level == self.level
            && at.cmpge(self.low - distance).all()
            && at.cmple(self.high + distance).all()
    }
}

/// A line whose passers are counted.
#[derive(Clone, Debug)]
pub struct CountingLine {
    /// Its name.
    pub name: String,
    /// Its floor.
    pub level: u16,
    /// Its points, metres.
    pub points: Vec<DVec2>,
}

impl CountingLine {
    /// A line. Forward is from its left to its right, looking from its first point to its last.
    pub fn new(name: &str, level: u16, points: Vec<DVec2>) -> CountingLine {
        CountingLine {
            name: name.into(),
            level,
            points,
        }
    }

    /// Its length, metres.
    pub fn length(&self) -> f64 {
        self.points.windows(2).map(|s| s[0].distance(s[1])).sum()
    }
}

/// The named areas of an environment that have a walkable part.
pub fn measuring_areas(environment: &Environment, ground: GroundView<'_>) -> Vec<MeasuringArea> {
    if !ground.plan {
        return Vec::new();
    }
    let areas = environment.areas.iter();
    areas
        .map(|a| MeasuringArea::on_ground(&a.name, a.floor as u16, a.shape.clone(), ground))
        .filter(|a| a.square_metres > 1e-6)
        .collect()
}

/// The named lines and doors of an environment; of a line and a door at one place the line.
pub fn counting_lines(environment: &Environment, ground: GroundView<'_>) -> Vec<CountingLine> {
    if !ground.plan {
        return Vec::new();
    }
    let lines = environment.lines.iter();
    let mut all: Vec<CountingLine> = lines
        .map(|l| CountingLine::new(&l.name, l.floor as u16, l.points.clone()))
        .collect();
    for door in &environment.doors {
        let known = |l: &CountingLine| l.name == door.name && usize::from(l.level) == door.floor;
        if !all.iter().any(known) {
            let points = door.ends.to_vec();
            all.push(CountingLine::new(&door.name, door.floor as u16, points));
        }
    }
    all.retain(|line| line.length() > 1e-9);
    all
}
