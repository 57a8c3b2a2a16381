//! Routes as they were planned: the corners that a lone walker would pass, each time a new one is
//! taken.

use glam::Vec3;
use throng::{
    core::Gate,
    engine::{simulation::Simulation as Engine, track::TrackKind},
};
use throng_kit::funnel::{Corner, pull};

use super::{
    bytes::{Deflated, signed, varint},
    packer::QUANTUM,
};

/// Bytes of routes that are kept at most, deflated.
const LIMIT: usize = 8 << 20;

/// What tells one plan of an agent from the next.
type Mark = (u32, u32, [u32; 3]);

/// Routes as they come.
#[derive(Debug, Default)]
pub struct Routes {
    packed: Deflated,
    marks: Vec<Option<Mark>>,
    bytes: Vec<u8>,
    gates: Vec<Gate>,
    corners: Vec<Corner>,
}

impl Routes {
    /// Forgets what was known of a serial.
    pub fn forget(&mut self, serial: u32) {
        let at = serial as usize;
        if at >= self.marks.len() {
            self.marks.resize(at + 1, None);
        }
        self.marks[at] = None;
    }

    /// Whether no more routes are taken.
    pub fn is_full(&self) -> bool {
        self.packed.len() > LIMIT
    }

    /// Adds the route of an agent, if it is another one than last time: serial, step, number of
    /// points, and the points as differences, the agent's place first and its target last.
    pub fn observe(&mut self, simulation: &Engine, row: usize, serial: u32, step: u64) {
        let agents = simulation.agents();
        let track = &agents.track[row];
        if !matches!(track.kind, TrackKind::Edges | TrackKind::Gates) || self.is_full() {
            return;
        }
        let target = agents.target[row].point;
        let mark = (
            track.length.to_bits(),
            track.cost.to_bits(),
            target.to_array().map(f32::to_bits),
        );
        match self.marks.get_mut(serial as usize) {
            Some(last) if *last == Some(mark) => return,
            Some(last) => *last = Some(mark),
            None => return,
        }
        let (parts, site) = (simulation.parts(), simulation.place().site());
        let routes = &simulation.state().routes;
        routes.gates_ahead(
            track,
            &*parts.nav,
            &site,
            simulation.map(),
            usize::MAX,
            &mut self.gates,
        );
        let start = agents.location[row].point;
        let mut points: Vec<Vec3> = vec![start];
        if simulation.ground().plan {
            self.corners.clear();
            let radius = agents.radius[row];
            let (from, to) = (start.truncate(), target.truncate());
            pull(&self.gates, from, to, radius, &mut self.corners);
            points.extend(self.corners.iter().map(|c| {
                let height = self.gates.get(c.opening).map_or(target.z, |g| g.middle.z);
                c.point.extend(height)
            }));
        } else {
            points.extend(self.gates.iter().map(|g| g.middle));
        }
        points.push(target);
        self.bytes.clear();
        varint(&mut self.bytes, u64::from(serial));
        varint(&mut self.bytes, step);
        varint(&mut self.bytes, points.len() as u64);
        let mut before = [0i64; 3];
        for point in points {
            let now = (point / QUANTUM).round().to_array().map(|v| v as i64);
            for axis in 0..3 {
                signed(&mut self.bytes, now[axis] - before[axis]);
            }
            before = now;
        }
        self.packed.add(&self.bytes);
    }

    /// All of them, deflated.
    pub fn finish(self) -> Vec<u8> {
        self.packed.finish()
    }
}
