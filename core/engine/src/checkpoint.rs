//! Checkpoints: everything that a resumed run needs to go on with the same bits.
//!
//! A checkpoint is a flat sequence of little-endian columns behind a header (magic, version, hash
//! of the scenario) and before a checksum. Caches (neighbour distances, edge prices, grids) are
//! left out and made anew.

use std::ops::Range;

use glam::{Vec2, Vec3};
use thiserror::Error;
use throng_core::{Frame, Gate, Location, Prices, StateError, random::mix};
use throng_kit::integrate::edge_prices;

use crate::{
    agents::{Agents, Doing, Patience, Record, Settled},
    crowd::CrowdState,
    flows::Flows,
    holds::{Holds, Member},
    simulation::Simulation,
    track::{Mark, Routes, Track, TrackKind},
};

const MAGIC: &[u8; 8] = b"THRONGCK";
const VERSION: u32 = 8;

/// Why a checkpoint could not be taken back.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Not a checkpoint.
    #[error("this is not a checkpoint of Throng")]
    NotOne,
    /// Written by another version.
    #[error("the checkpoint has version {found}, this build reads {VERSION}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// Written for another scenario.
    #[error(
        "the checkpoint belongs to another scenario (its hash is {found}, this one's is {expected}); resume with the scenario and settings that it was made with"
    )]
    Scenario {
        /// The hash found.
        found: String,
        /// The hash of this scenario.
        expected: String,
    },
    /// Cut short or altered.
    #[error("the checkpoint is damaged: {0}")]
    Damaged(&'static str),
    /// A strategy does not take its state back.
    #[error(transparent)]
    Strategy(#[from] StateError),
}

/// Writes columns.
#[derive(Debug, Default)]
pub struct Writer(Vec<u8>);

/// Reads columns.
#[derive(Debug)]
pub struct Reader<'a>(&'a [u8]);

/// A value with a fixed layout in a checkpoint.
pub(crate) trait Field: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn get(from: &mut Reader<'_>) -> Result<Self, CheckpointError>;
}

macro_rules! numbers {
    ($($t:ty)*) => {$(impl Field for $t {
        fn put(&self, out: &mut Vec<u8>) {
            out.extend_from_slice(&self.to_le_bytes());
        }
        fn get(from: &mut Reader<'_>) -> Result<$t, CheckpointError> {
            Ok(<$t>::from_le_bytes(from.bytes()?))
        }
    })*};
}
numbers!(u8 u16 u32 u64 i32 i64 f32 f64);

macro_rules! records {
    ($($t:ty { $($field:ident),* })*) => {$(impl Field for $t {
        fn put(&self, out: &mut Vec<u8>) {
            $(self.$field.put(out);)*
        }
        fn get(from: &mut Reader<'_>) -> Result<$t, CheckpointError> {
            Ok(Self { $($field: Field::get(from)?),* })
        }
    })*};
}
records! {
    Vec2 { x, y }
    Vec3 { x, y, z }
    Location { point, triangle }
    Frame { x, handedness }
    Gate { left, middle, right, triangle, flags }
    Track { kind, has_gate, stale, left, within, first, count, cursor, gate, corner, has_lane, wait, lane_from, lane_to, invisible, into, flow, length, cost, held }
    Settled { at, slack, floor }
    Patience { above, below }
    Member { id, joined, until, place, desk }
    Record { born, sets_off, leg_began, stall_from, source, leg, switches, tier_since, hold, stalled, profile }
}

impl Field for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }
    fn get(from: &mut Reader<'_>) -> Result<bool, CheckpointError> {
        Ok(u8::get(from)? != 0)
    }
}

impl<T: Field + Copy + Default, const N: usize> Field for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|v| v.put(out));
    }
    fn get(from: &mut Reader<'_>) -> Result<[T; N], CheckpointError> {
        let mut all = [T::default(); N];
        for v in &mut all {
            *v = T::get(from)?;
        }
        Ok(all)
    }
}

impl Field for TrackKind {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u8).put(out);
    }
    fn get(from: &mut Reader<'_>) -> Result<TrackKind, CheckpointError> {
        Ok(match u8::get(from)? {
            0 => TrackKind::None,
            1 => TrackKind::Edges,
            2 => TrackKind::Gates,
            3 => TrackKind::Unreachable,
            _ => return Err(CheckpointError::Damaged("unknown kind of route")),
        })
    }
}

impl Field for Mark {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn get(from: &mut Reader<'_>) -> Result<Mark, CheckpointError> {
        Ok(Mark(u8::get(from)?))
    }
}

impl Field for Doing {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u8).put(out);
    }
    fn get(from: &mut Reader<'_>) -> Result<Doing, CheckpointError> {
        Ok(match u8::get(from)? {
            0 => Doing::Waiting,
            1 => Doing::Walking,
            2 => Doing::Staying,
            3 => Doing::Overridden,
            _ => return Err(CheckpointError::Damaged("unknown doing")),
        })
    }
}

impl Writer {
    /// One value.
    pub(crate) fn value<T: Field>(&mut self, value: T) {
        value.put(&mut self.0);
    }

    /// A column with its length.
    pub(crate) fn column<T: Field>(&mut self, values: &[T]) {
        (values.len() as u64).put(&mut self.0);
        for v in values {
            v.put(&mut self.0);
        }
    }
}

impl Reader<'_> {
    fn take(&mut self, range: Range<usize>) -> Result<&[u8], CheckpointError> {
        if self.0.len() < range.end {
            return Err(CheckpointError::Damaged("it is cut short"));
        }
        let (head, rest) = self.0.split_at(range.end);
        self.0 = rest;
        Ok(&head[range.start..])
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], CheckpointError> {
        let mut all = [0; N];
        all.copy_from_slice(self.take(0..N)?);
        Ok(all)
    }

    /// One value.
    pub(crate) fn value<T: Field>(&mut self) -> Result<T, CheckpointError> {
        T::get(self)
    }

    /// A column.
    pub(crate) fn column<T: Field>(&mut self) -> Result<Vec<T>, CheckpointError> {
        let count = u64::get(self)? as usize;
        // Every field has at least one byte: a longer column cannot be in here.
        if count > self.0.len() {
            return Err(CheckpointError::Damaged("a column is longer than the file"));
        }
        (0..count).map(|_| T::get(self)).collect()
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.chunks(8).fold(bytes.len() as u64, |sum, chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mix(sum.rotate_left(7) ^ u64::from_le_bytes(word))
    })
}

impl Simulation {
    /// Everything that [`Simulation::restore`] needs, between two steps.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.0.extend_from_slice(MAGIC);
        out.value(VERSION);
        out.column(self.hash.clone().as_bytes());
        let state = &self.state;
        out.value(state.step);
        out.value(self.spawner.serial);
        out.value(state.groups);
        out.value(state.departed);
        state.agents.save(&mut out);
        let (edges, gates) = state.routes.arenas();
        out.column(edges);
        out.column(gates);
        out.value(state.routes.dead().map(|d| d as u64));
        for row in 0..state.agents.len() {
            let (scalars, tangents, locations) = state.memory.row(row);
            out.column(scalars);
            out.column(tangents);
            out.column(locations);
        }
        out.column(state.classes.keys());
        state.crowd.save(&mut out);
        out.value(state.pricing.epoch);
        out.value(state.pricing.classes as u64);
        out.value(state.pricing.prices.len() as u64);
        for p in &state.pricing.prices {
            out.value(p.directions);
            out.value(p.slices);
            out.value(p.slice_seconds);
            out.value(p.uniform.is_some());
            out.value(p.uniform.unwrap_or(0.0));
            out.column(&p.base);
            out.column(&p.crowd);
            out.column(&p.blocked);
            out.value(p.least_base);
        }
        out.column(self.place.ground.view().door_open);
        out.value(self.planning.doors_changed);
        self.planning.flows.save(&mut out);
        out.column(&state.closing);
        state.holds.save(&mut out);
        for source in &self.sources {
            out.value(source.made);
            out.value(source.alive);
        }
        let texts = [
            serde_json::to_vec(&state.movers),
            serde_json::to_vec(&(&state.interest, &state.camera)),
            serde_json::to_vec(&self.pending()),
        ];
        for text in texts {
            // Plain data without maps of odd keys always serialises.
            out.column(&text.unwrap_or_default());
        }
        self.metrics.save(&mut out);
        let mut saved = Vec::new();
        let mut strategy = |save: &dyn Fn(&mut Vec<u8>)| {
            saved.clear();
            save(&mut saved);
            out.column(&saved);
        };
        for p in &self.parts.planners {
            strategy(&|to| p.strategy.save(to));
        }
        for c in &self.parts.costs {
            strategy(&|to| c.strategy.save(to));
        }
        strategy(&|to| self.parts.lod.save(to));
        let sum = checksum(&out.0);
        out.value(sum);
        out.0
    }

    /// Takes a snapshot of the same scenario back. On an error the simulation is as before.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), CheckpointError> {
        if snapshot.len() < 12 || &snapshot[..8] != MAGIC {
            return Err(CheckpointError::NotOne);
        }
        let mut from = Reader(&snapshot[8..]);
        let found: u32 = from.value()?;
        if found != VERSION {
            return Err(CheckpointError::Version { found });
        }
        let body = snapshot.len().saturating_sub(8);
        let mut tail = Reader(&snapshot[body..]);
        if tail.value::<u64>()? != checksum(&snapshot[..body]) {
            return Err(CheckpointError::Damaged("its checksum does not match"));
        }
        let (hash, expected) = (from.column::<u8>()?, self.hash.clone());
        if hash != expected.as_bytes() {
            return Err(CheckpointError::Scenario {
                found: String::from_utf8_lossy(&hash).into_owned(),
                expected,
            });
        }
        let step = from.value()?;
        let serial = from.value()?;
        let groups = from.value()?;
        let departed = from.value()?;
        let agents = Agents::load(&mut from)?;
        let (edges, gates) = (from.column()?, from.column()?);
        let dead: [u64; 2] = from.value()?;
        let stride = self.state.memory.stride();
        let mut memory = Vec::with_capacity(agents.len());
        for _ in 0..agents.len() {
            let row = (
                from.column::<f32>()?,
                from.column::<Vec2>()?,
                from.column::<Location>()?,
            );
            if [row.0.len(), row.1.len(), row.2.len()] != stride {
                return Err(CheckpointError::Damaged("memory columns differ"));
            }
            memory.push(row);
        }
        let keys: Vec<[u32; 4]> = from.column()?;
        if keys.iter().any(|k| k[0] as usize >= self.state.bins.len()) {
            return Err(CheckpointError::Damaged("a route class names no profile"));
        }
        let crowd = CrowdState::load(&self.state.crowd, &mut from)?;
        let epoch = from.value()?;
        let classes = from.value::<u64>()? as usize;
        let tables = from.value::<u64>()? as usize;
        if tables != keys.len() * self.parts.costs.len()
            && tables != classes * self.parts.costs.len()
        {
            return Err(CheckpointError::Damaged("prices do not match the classes"));
        }
        let mut prices = Vec::new();
        for _ in 0..tables {
            let (directions, slices, slice_seconds) = (from.value()?, from.value()?, from.value()?);
            let (uniform, price) = (from.value::<bool>()?, from.value()?);
            prices.push(Prices {
                directions,
                slices,
                slice_seconds,
                uniform: uniform.then_some(price),
                base: from.column()?,
                crowd: from.column()?,
                blocked: from.column()?,
                least_base: from.value()?,
            });
        }
        let doors: Vec<u8> = from.column()?;
        if doors.len() != self.place.ground.view().door_open.len() {
            return Err(CheckpointError::Damaged("doors differ"));
        }
        let doors_changed = from.value()?;
        let flows = Flows::load(&mut from, self.state.map.edges())?;
        let closing: Vec<u32> = from.column()?;
        if closing.iter().any(|d| *d as usize >= doors.len()) {
            return Err(CheckpointError::Damaged("a door that is not there"));
        }
        let held = Holds::load(&self.state.holds, &mut from)?;
        let mut sources = Vec::new();
        for _ in 0..self.sources.len() {
            sources.push((from.value()?, from.value()?));
        }
        fn text<T: serde::de::DeserializeOwned>(
            from: &mut Reader<'_>,
        ) -> Result<T, CheckpointError> {
            serde_json::from_slice(&from.column::<u8>()?)
                .map_err(|_| CheckpointError::Damaged("a text does not read"))
        }
        let movers = text(&mut from)?;
        let (interest, camera) = text(&mut from)?;
        let pending = text(&mut from)?;
        let metrics = crate::metrics::Metrics::load(&mut from)?;
        let strategies = self.parts.planners.len() + self.parts.costs.len() + 1;
        let saved: Vec<Vec<u8>> = (0..strategies)
            .map(|_| from.column())
            .collect::<Result<_, _>>()?;

        // Everything has been read: from here on only strategies may refuse.
        let state = &mut self.state;
        state.step = step;
        state.groups = groups;
        state.departed = departed;
        state.routes = Routes::restore(edges, gates, dead.map(|d| d as usize));
        state.memory.clear();
        for (row, (scalars, tangents, locations)) in memory.into_iter().enumerate() {
            state.memory.add();
            let (s, t, l) = state.memory.row_mut(row);
            s.copy_from_slice(&scalars);
            t.copy_from_slice(&tangents);
            l.copy_from_slice(&locations);
        }
        state.agents = agents;
        state.classes.clear();
        for key in keys {
            state.classes.restore_key(key, &state.bins[key[0] as usize]);
        }
        state.crowd = crowd;
        state.pricing.epoch = epoch;
        state.pricing.classes = classes;
        state.pricing.edges.clear();
        state
            .pricing
            .edges
            .resize_with(prices.len(), Default::default);
        for (p, e) in prices.iter().zip(&mut state.pricing.edges) {
            edge_prices(&state.map, p, &state.cells, e);
        }
        state.pricing.prices = prices;
        state.movers = movers;
        state.interest = interest;
        state.camera = camera;
        state.closing = closing;
        state.holds.restore(held);
        for (door, open) in doors.iter().enumerate() {
            std::sync::Arc::make_mut(&mut self.place.ground).set_door(door, *open != 0);
        }
        self.planning.doors_changed = doors_changed;
        self.planning.flows = flows;
        for (source, (made, alive)) in self.sources.iter_mut().zip(sources) {
            source.made = made;
            source.alive = alive;
        }
        self.spawner.serial = serial;
        self.metrics = metrics;
        self.set_pending(pending);
        self.prepared = None;
        let mut saved = saved.iter();
        for p in &mut self.parts.planners {
            p.strategy.load(saved.next().map_or(&[], |s| s))?;
        }
        for c in &mut self.parts.costs {
            c.strategy.load(saved.next().map_or(&[], |s| s))?;
        }
        self.parts.lod.load(saved.next().map_or(&[], |s| s))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_back() {
        let mut out = Writer::default();
        out.column(&[1.5f32, -0.0]);
        out.value(7u16);
        let mut from = Reader(&out.0);
        assert_eq!(from.column::<f32>().unwrap(), [1.5, -0.0]);
        assert_eq!(from.value::<u16>().unwrap(), 7);
        assert!(from.value::<u8>().is_err());
    }

    #[test]
    fn a_huge_length_is_refused_without_allocating() {
        let mut out = Writer::default();
        out.value(u64::MAX);
        assert!(Reader(&out.0).column::<f64>().is_err());
    }
}
