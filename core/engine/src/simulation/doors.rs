//! Doors that open and close, and the people who stand in them.

use std::sync::Arc;

use glam::Vec3;
use throng_core::Location;
use throng_kit::Walk;

use super::Simulation;
use crate::{command::Event, scenario::OnPeople};

/// How far from a door that closed at once people are put, beyond their radius, metres.
const AIR: f32 = 0.01;

impl Simulation {
    pub(super) fn open_door(&mut self, name: &str) {
        if let Some(door) = self.door(name) {
            self.state.closing.retain(|d| *d != door as u32);
            self.set_door(door, true);
        }
    }

    pub(super) fn close_door(&mut self, name: &str, how: OnPeople) {
        let Some(door) = self.door(name) else { return };
        match how {
            OnPeople::Wait => {
                if !self.state.closing.contains(&(door as u32)) {
                    self.state.closing.push(door as u32);
                }
            }
            OnPeople::Move => {
                self.state.closing.retain(|d| *d != door as u32);
                self.clear_door(door);
                self.set_door(door, false);
            }
        }
    }

    /// Closes the doors that wait to close and in which nobody stands.
    pub(super) fn close_doors(&mut self) {
        for at in (0..self.state.closing.len()).rev() {
            let door = self.state.closing[at] as usize;
            let a = &self.state.agents;
            let taken = (0..a.len()).any(|row| self.leaf_at(door, row).is_some());
            if !taken {
                self.state.closing.remove(at);
                self.set_door(door, false);
            }
        }
    }

    fn door(&mut self, name: &str) -> Option<usize> {
        let found = self.place.ground.door_index(name);
        if found.is_none() {
            let why = format!("there is no door \"{name}\"");
            self.events.push(Event::Refused(why));
        }
        found
    }

    fn set_door(&mut self, door: usize, open: bool) {
        Arc::make_mut(&mut self.place.ground).set_door(door, open);
        self.planning.doors_changed = true;
    }

    /// Where the leaf of a door cuts a body: the nearest point of it, and the direction away from
    /// it on the body's own side.
    fn leaf_at(&self, door: usize, row: usize) -> Option<(Vec3, Vec3)> {
        let (ground, a) = (self.place.ground.view(), &self.state.agents);
        let (at, radius) = (a.location[row], a.radius[row]);
        let up = ground.normals[at.triangle as usize];
        let mut nearest: Option<(f32, Vec3, Vec3)> = None;
        for wall in ground.walls.iter().filter(|w| usize::from(w.door) == door) {
            let way = wall.b - wall.a;
            let along = (at.point - wall.a).dot(way) / way.length_squared().max(1e-12);
            let point = wall.a + way * along.clamp(0.0, 1.0);
            let away = at.point - point;
            // The free side of a wall lies on its left: each leaf stands there for its own side.
            let side = up.cross(way).normalize_or_zero();
            let depth = side.dot(at.point - wall.a);
            let own = if depth.abs() < 1e-4 {
                wall.triangle == at.triangle || side.dot(centre(&ground, at) - wall.a) > 0.0
            } else {
                depth > 0.0
            };
            let far = away.length();
            // Half a body height apart is another floor.
            let same_floor = away.dot(up).abs() < 0.9;
            if own && same_floor && far < radius && nearest.is_none_or(|(best, ..)| far < best) {
                nearest = Some((far, point, side));
            }
        }
        nearest.map(|(_, point, side)| (point, side))
    }

    /// Moves everybody out of a door, to the side that they are nearer to.
    fn clear_door(&mut self, door: usize) {
        for row in 0..self.state.agents.len() {
            let Some((point, side)) = self.leaf_at(door, row) else {
                continue;
            };
            let (ground, a) = (self.place.ground.view(), &mut self.state.agents);
            let (at, frame) = (a.location[row], a.frame[row]);
            let up = ground.normals[at.triangle as usize];
            // Beside an end of the leaf the shortest way out is past that end.
            let away = at.point - point;
            let way = if away.length() > 1e-3 {
                away.normalize()
            } else {
                side
            };
            let missing = a.radius[row] + AIR - away.length();
            let offset = frame.to_tangent(up, way * missing);
            let moved = ground.advance(at, frame, offset, a.radius[row]);
            if moved.to.is_somewhere() && moved.to.point.is_finite() {
                a.location[row] = moved.to;
                a.frame[row] = moved.frame;
                a.kth[row] = f32::INFINITY;
                a.forget_place(row);
                self.state.routes.drop_route(&mut self.state.agents, row);
            }
        }
    }
}

/// The middle of the triangle that a place is on.
fn centre(ground: &throng_core::GroundView<'_>, at: Location) -> Vec3 {
    let [a, b, c] = ground.corners(at.triangle);
    (a + b + c) / 3.0
}
