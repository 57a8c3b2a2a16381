//! An environment while it is drawn: short names for what every plan does.

use glam::DVec2;
use throng_kit::environment::{
    Connection, Door, Environment, Floor, NamedArea, NamedLine, Obstacle, Polygon,
};

/// The rectangle from (`left`, `bottom`) to (`right`, `top`).
pub(super) fn rect(left: f64, bottom: f64, right: f64, top: f64) -> Polygon {
    Polygon::rectangle(DVec2::new(left, bottom), DVec2::new(right, top))
}

/// The square of half-side `half` about a point.
pub(super) fn square_at(middle: DVec2, half: f64) -> Polygon {
    Polygon::rectangle(middle - half, middle + half)
}

/// An environment of floors under construction.
#[derive(Default)]
pub(super) struct Draft(Environment);

impl Draft {
    /// One floor at height 0 with these walkable polygons.
    pub(super) fn of(walkable: Vec<Polygon>) -> Draft {
        let mut draft = Draft::default();
        draft.floor("0", 0.0, walkable);
        draft
    }

    /// Adds a floor; its index counts from 0.
    pub(super) fn floor(&mut self, name: &str, z: f64, walkable: Vec<Polygon>) {
        self.0.floors.push(Floor {
            name: name.into(),
            z,
            walkable,
            ..Floor::default()
        });
    }

    pub(super) fn solid(&mut self, floor: usize, shape: Polygon) {
        self.0.floors[floor].solid.push(shape);
    }

    pub(super) fn solids(&self, floor: usize) -> &[Polygon] {
        &self.0.floors[floor].solid
    }

    pub(super) fn area(&mut self, floor: usize, name: impl Into<String>, shape: Polygon) {
        self.0.areas.push(NamedArea {
            name: name.into(),
            floor,
            shape,
        });
    }

    pub(super) fn line(&mut self, floor: usize, name: impl Into<String>, ends: [DVec2; 2]) {
        self.0.lines.push(NamedLine {
            name: name.into(),
            floor,
            points: ends.to_vec(),
        });
    }

    /// An open door and a line of the same name.
    pub(super) fn door(&mut self, floor: usize, name: impl Into<String>, ends: [DVec2; 2]) {
        let name = name.into();
        self.line(floor, name.clone(), ends);
        self.0.doors.push(Door {
            name,
            floor,
            ends,
            open: true,
        });
    }

    pub(super) fn obstacle(&mut self, floor: usize, shape: Polygon) {
        self.0.obstacles.push(Obstacle { floor, shape });
    }

    /// A stair up from one floor to the next, at six tenths of the walking speed.
    pub(super) fn stair(&mut self, name: &str, from: usize, lower: [DVec2; 2], upper: [DVec2; 2]) {
        self.0.connections.push(Connection {
            name: name.into(),
            from,
            to: from + 1,
            lower,
            upper,
            speed: 0.6,
        });
    }

    pub(super) fn finish(self) -> Environment {
        self.0
    }

    /// The environment, for what has no short name.
    pub(super) fn environment(&mut self) -> &mut Environment {
        &mut self.0
    }
}
