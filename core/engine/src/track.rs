//! Routes in shared arenas, and where each agent is on its own.
//!
//! A route is a list of edge ids (or gates of its own). Only the next gate of an agent exists as
//! geometry; the follower makes a window of further ones when it needs them.

use std::ops::Range;

use glam::Vec3;
use rayon::prelude::*;
use throng_core::{
    Gate, Location, NONE, NavMap, NavRepresentation, RouteKind, RouteRow, RouteSink, RoutesView,
    Site,
};

use crate::{
    agents::Agents,
    follow::{
        DIVERGENT, OPPOSITE,
        indicative::{fitted, lane_point},
    },
    memory::CHUNK,
};

/// What a track is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum TrackKind {
    /// No route yet: the agent waits for one.
    #[default]
    None = 0,
    /// Edges of the map.
    Edges = 1,
    /// Gates of its own.
    Gates = 2,
    /// There is no way: the agent stands.
    Unreachable = 3,
}

/// Where an agent is on its route. What every step reads comes first, in one line of a cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Track {
    /// What the route is made of.
    pub kind: TrackKind,
    /// Whether `gate` is the next gate; if not the target is next.
    pub has_gate: bool,
    /// Whether the follower must look for a new corner.
    pub stale: bool,
    /// Whether the agent comes from a guide of its own and may be off its route.
    pub left: bool,
    /// Gates of the present edge already passed.
    pub within: u8,
    /// Whether `lane_from` is known (follower `indicative`).
    pub has_lane: bool,
    /// Metres to walk before an attraction point that stands still is looked for again.
    pub wait: f32,
    /// The point walked to now.
    pub corner: Vec3,
    /// Where the attraction point runs to until it is looked for again.
    pub lane_to: Vec3,
    /// Entries.
    pub count: u32,
    /// Entries already passed.
    pub cursor: u32,
    /// First entry in the arena.
    pub first: u32,
    /// The lane's point where the present edge begins, or at the last gate passed.
    pub lane_from: Vec3,
    /// The edge entered after the last entry, on which the target hangs, or NONE.
    pub into: u32,
    /// The next gate.
    pub gate: Gate,
    /// Entries at its end that were beyond the horizon when it was planned.
    pub invisible: u32,
    /// The path of a route set that it is, or NONE.
    pub flow: u32,
    /// Length as planned, metres.
    pub length: f32,
    /// Price as planned.
    pub cost: f32,
    /// Seconds for which others have held it up; below 0 how long it steps aside yet.
    pub held: f32,
}

impl Default for Track {
    fn default() -> Track {
        Track {
            kind: TrackKind::None,
            has_gate: false,
            stale: true,
            left: false,
            within: 0,
            first: 0,
            count: 0,
            cursor: 0,
            gate: Gate::waypoint(Location::NOWHERE),
            corner: Vec3::ZERO,
            has_lane: false,
            wait: 0.0,
            lane_from: Vec3::ZERO,
            lane_to: Vec3::ZERO,
            invisible: 0,
            into: NONE,
            flow: NONE,
            length: 0.0,
            cost: 0.0,
            held: 0.0,
        }
    }
}

/// What every step asks of everybody's track, in a byte of its own column: nobody's track has to
/// be read to learn it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub u8);

impl Default for Mark {
    fn default() -> Mark {
        Mark(TrackKind::None as u8 | Mark::STALE)
    }
}

impl Mark {
    const KIND: u8 = 3;
    const GATE: u8 = 4;
    const STALE: u8 = 8;
    const LEFT: u8 = 16;
    const TURNS: u8 = 32;
    const AIMED: u8 = 64;

    /// As [`Track::kind`].
    #[inline(always)]
    pub fn kind(self) -> TrackKind {
        match self.0 & Mark::KIND {
            0 => TrackKind::None,
            1 => TrackKind::Edges,
            2 => TrackKind::Gates,
            _ => TrackKind::Unreachable,
        }
    }

    /// As [`Track::has_gate`].
    #[inline(always)]
    pub fn has_gate(self) -> bool {
        self.0 & Mark::GATE != 0
    }

    /// As [`Track::stale`].
    #[inline(always)]
    pub fn stale(self) -> bool {
        self.0 & Mark::STALE != 0
    }

    /// As [`Track::left`].
    #[inline(always)]
    pub fn left(self) -> bool {
        self.0 & Mark::LEFT != 0
    }

    /// As [`Track::has_turns`].
    #[inline(always)]
    pub fn has_turns(self) -> bool {
        self.0 & Mark::TURNS != 0
    }

    /// Whether [`Track::corner`] is the point of the next gate that `linear` walks to. The track
    /// does not know: whoever writes the track's own mark takes this back.
    #[inline(always)]
    pub fn aimed(self) -> bool {
        self.0 & Mark::AIMED != 0
    }

    /// The same with the point of the next gate known.
    #[inline(always)]
    pub fn with_aim(self) -> Mark {
        Mark(self.0 | Mark::AIMED)
    }

    /// The same as the track knows it.
    #[inline(always)]
    pub fn without_aim(self) -> Mark {
        Mark(self.0 & !Mark::AIMED)
    }
}

impl Track {
    /// The mark of this track.
    #[inline(always)]
    pub fn mark(&self) -> Mark {
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        Mark(
            self.kind as u8
                | bit(self.has_gate, Mark::GATE)
                | bit(self.stale, Mark::STALE)
                | bit(self.left, Mark::LEFT)
                | bit(self.has_turns(), Mark::TURNS),
        )
    }

    /// Whether its planner led it round something. A route of gates without any is a straight
    /// line that the planner wanted whatever is in between.
    #[inline(always)]
    pub fn has_turns(&self) -> bool {
        match self.kind {
            TrackKind::Edges => true,
            TrackKind::Gates => self.count > 0,
            TrackKind::None | TrackKind::Unreachable => false,
        }
    }

    /// Entries still ahead.
    pub fn remaining(&self) -> u32 {
        self.count - self.cursor
    }
}

/// Gates farther above or below are not passed, metres.
const STOREY: f32 = 1.5;
/// Waypoints are passed by going by within this distance, metres.
const GOING_BY: f32 = 1.0;
/// Metres before a gate's line that count as on it.
const ON_THE_LINE: f32 = 0.02;

/// A body that may pass gates in this step.
#[derive(Clone, Copy, Debug)]
pub struct Passer {
    /// Where it was.
    pub before: Vec3,
    /// Where it is.
    pub now: Vec3,
    /// Its up.
    pub up: Vec3,
    /// Normal of the triangle that it stands on.
    pub normal: Vec3,
    /// Its radius.
    pub radius: f32,
    /// Distance at which a waypoint counts as passed.
    pub reach: f32,
    /// Its lane, if it keeps to one.
    pub lane: Option<f32>,
    /// Who is farther beyond a gate than this is elsewhere: on the far side of a curved surface.
    pub far: f32,
}

impl Passer {
    /// Metres on a flat ground that it must walk before it can be through a gate, at least.
    pub fn to_gate(&self, gate: &Gate) -> f32 {
        let across = gate.right - gate.left;
        let width = across.length_squared();
        if width > 1e-4 {
            let beyond = self.up.cross(across).dot(self.now - gate.left) / width.sqrt();
            return -beyond - ON_THE_LINE;
        }
        gate.middle.distance(self.now) - self.reach.max(GOING_BY)
    }

    /// Whether it stands on a gate.
    fn touches(&self, gate: &Gate) -> bool {
        let across = gate.right - gate.left;
        let along = (self.now - gate.left).dot(across) / across.length_squared().max(1e-9);
        let nearest = gate.left + across * along.clamp(0.0, 1.0);
        nearest.distance_squared(self.now) < self.radius * self.radius
    }

    /// Whether it is through a gate. Gates with width are passed by crossing their line near
    /// enough to them, waypoints by coming close or going by.
    pub fn is_through(&self, gate: &Gate) -> bool {
        let across = gate.right - gate.left;
        let width = across.length_squared();
        if width > 1e-4 {
            let from_left = self.now - gate.left;
            // Standing on the line is being through: nobody may wait on it for the last bit.
            let ahead = self.up.cross(across).dot(from_left) / width.sqrt() + ON_THE_LINE;
            let along = from_left.dot(across) / width;
            let slack = (self.radius + 0.5) / width.sqrt();
            // Above or below it is another storey.
            let rise = (from_left - across * along.clamp(0.0, 1.0)).dot(self.up);
            return ahead >= 0.0
                && ahead <= self.far
                && rise.abs() <= STOREY
                && along > -slack
                && along < 1.0 + slack;
        }
        let to = gate.middle - self.now;
        let near = self.reach;
        if to.length_squared() < near * near {
            return true;
        }
        let moved = self.now - self.before;
        let by = to.dot(moved) <= 0.0 && (gate.middle - self.before).dot(moved) > 0.0;
        by && to.length_squared() < GOING_BY * GOING_BY
    }
}

/// The arenas that all routes live in.
#[derive(Debug, Default)]
pub struct Routes {
    edges: Vec<u32>,
    gates: Vec<Gate>,
    order: Vec<u32>,
    dead_edges: usize,
    dead_gates: usize,
    /// Columns for the view that planners get.
    first: Vec<u32>,
    count: Vec<u32>,
    invisible: Vec<u32>,
    /// Whether these say of everybody that it has no route over edges.
    blank: bool,
}

impl Routes {
    /// Takes an agent's route away.
    pub fn drop_route(&mut self, agents: &mut Agents, row: usize) {
        self.release(&mut agents.track[row]);
        agents.note_track(row);
    }

    /// Gives back the entries of a route.
    fn release(&mut self, track: &mut Track) {
        match track.kind {
            TrackKind::Edges => self.dead_edges += track.count as usize,
            TrackKind::Gates => self.dead_gates += track.count as usize,
            TrackKind::None | TrackKind::Unreachable => {}
        }
        *track = Track::default();
    }

    /// Takes an answer of a planner as an agent's route. The next gate is loaded by
    /// [`Routes::load_gate`].
    pub fn adopt(&mut self, track: &mut Track, row: &RouteRow, sink: &RouteSink) {
        self.release(track);
        let entries = row.first as usize..(row.first + row.count) as usize;
        match row.kind {
            RouteKind::Edges => {
                track.kind = TrackKind::Edges;
                track.first = self.edges.len() as u32;
                self.edges.extend_from_slice(&sink.edges[entries]);
            }
            RouteKind::Gates => {
                track.kind = TrackKind::Gates;
                track.first = self.gates.len() as u32;
                self.gates.extend_from_slice(&sink.gates[entries]);
            }
            RouteKind::Missing(_) => {
                track.kind = TrackKind::Unreachable;
                return;
            }
        }
        track.count = row.count;
        track.invisible = row.invisible;
        track.into = row.into;
        track.length = row.length;
        track.cost = row.cost;
    }

    /// The edges still ahead of an agent; empty for routes of gates.
    pub fn edges_ahead(&self, track: &Track) -> &[u32] {
        match track.kind {
            TrackKind::Edges => {
                let first = track.first as usize;
                &self.edges[first + track.cursor as usize..first + track.count as usize]
            }
            _ => &[],
        }
    }

    /// The gates still ahead of an agent on a route of gates; empty for routes over edges.
    pub fn own_gates_ahead(&self, track: &Track) -> &[Gate] {
        match track.kind {
            TrackKind::Gates => {
                let first = track.first as usize;
                &self.gates[first + track.cursor as usize..first + track.count as usize]
            }
            _ => &[],
        }
    }

    /// Makes the gates ahead of an agent, at most about `most`, its next one first.
    pub fn gates_ahead(
        &self,
        track: &Track,
        nav: &dyn NavRepresentation,
        site: &Site<'_>,
        map: &NavMap,
        most: usize,
        out: &mut Vec<Gate>,
    ) {
        out.clear();
        self.more_gates(track, nav, site, map, 0..most, out);
    }

    /// Adds the gates of some of the entries ahead to those of all entries before.
    pub fn more_gates(
        &self,
        track: &Track,
        nav: &dyn NavRepresentation,
        site: &Site<'_>,
        map: &NavMap,
        entries: Range<usize>,
        out: &mut Vec<Gate>,
    ) {
        match track.kind {
            TrackKind::Edges => {
                let rest = self.edges_ahead(track);
                let end = rest.len().min(entries.end);
                nav.emit_gates(site, map, &rest[entries.start.min(end)..end], out);
                if end == rest.len() && track.into != NONE {
                    out.extend(nav.gate_at(site, map, track.into, 0.0));
                }
                if entries.start == 0 && track.within > 0 {
                    let passed = usize::from(track.within).min(out.len());
                    out.drain(..passed);
                }
            }
            TrackKind::Gates => {
                let ahead = self.own_gates_ahead(track);
                let end = ahead.len().min(entries.end);
                out.extend_from_slice(&ahead[entries.start.min(end)..end]);
            }
            TrackKind::None | TrackKind::Unreachable => {}
        }
    }

    /// Loads the next gate of a track, skipping edges without gates.
    pub fn load_gate(
        &self,
        track: &mut Track,
        nav: &dyn NavRepresentation,
        site: &Site<'_>,
        map: &NavMap,
        buffer: &mut Vec<Gate>,
    ) {
        track.stale = true;
        track.has_gate = false;
        while track.cursor < track.count {
            let entry = (track.first + track.cursor) as usize;
            let gate = match track.kind {
                TrackKind::Edges => {
                    let (edge, within) = (self.edges[entry] as usize, usize::from(track.within));
                    match map.gate_start.get(edge..edge + 2) {
                        // A map that has gates gives these and no others.
                        Some(&[first, end]) => {
                            let gates = &map.gates[first as usize..end as usize];
                            gates.get(within).copied()
                        }
                        _ => {
                            buffer.clear();
                            nav.emit_gates(site, map, &self.edges[entry..=entry], buffer);
                            buffer.get(within).copied()
                        }
                    }
                }
                TrackKind::Gates => (track.within == 0).then(|| self.gates[entry]),
                TrackKind::None | TrackKind::Unreachable => None,
            };
            if let Some(gate) = gate {
                track.gate = gate;
                track.has_gate = true;
                return;
            }
            track.cursor += 1;
            track.within = 0;
        }
        if track.into != NONE
            && track.within == 0
            && let Some(gate) = nav.gate_at(site, map, track.into, 0.0)
        {
            track.gate = gate;
            track.has_gate = true;
        }
    }

    /// Looks at where the gates after the next ones of some tracks lie, so that the machine
    /// fetches them all at once and not one after the other.
    pub fn read_ahead<'a>(&self, map: &NavMap, tracks: impl Iterator<Item = &'a Track>) {
        let edge_after = |track: &Track| {
            let entry = (track.first + track.cursor) as usize + 1;
            self.edges.get(entry).copied()
        };
        let gate_of = |edge: u32| {
            let first = map.gate_start.get(edge as usize)?;
            map.gates.get(*first as usize)
        };
        let gates = tracks.filter_map(edge_after).filter_map(gate_of);
        std::hint::black_box(gates.fold(0, |seen, gate| seen ^ gate.left.x.to_bits() ^ gate.flags));
    }

    /// Moves the cursor past every gate that the body is through (a few at most in one step). Gives
    /// whether there was one.
    pub fn pass(
        &self,
        track: &mut Track,
        body: &Passer,
        nav: &dyn NavRepresentation,
        site: &Site<'_>,
        map: &NavMap,
        buffer: &mut Vec<Gate>,
    ) -> bool {
        for passed in 0..8 {
            if !track.has_gate || !body.is_through(&track.gate) {
                return passed > 0;
            }
            // At an edge of a curved ground a gate beyond it is passed by going over the edge.
            let normal = site.ground.normals.get(track.gate.triangle as usize);
            let turned = normal.is_some_and(|n| n.dot(body.normal) < DIVERGENT);
            let beyond = turned && !site.ground.plan;
            if beyond && (!body.touches(&track.gate) || self.goes_on_behind(track, body, site)) {
                return passed > 0;
            }
            let (passed, stale) = (track.gate, track.stale);
            self.skip(track, 1, nav, site, map, buffer);
            // Who keeps to a lane walks on to the point that runs ahead on it.
            if let Some(lane) = body.lane {
                let cut = self.present_cut(track, nav, site, map);
                let cut = cut.unwrap_or_else(|| fitted(&passed, body.radius, &site.ground));
                track.lane_from = lane_point(&cut, body.radius, lane);
                track.has_lane = true;
                track.stale = stale || !track.has_gate;
            }
        }
        true
    }

    /// Whether the gate after the next one lies on the far side of the ground: who has not gone over
    /// the edge in between would find no edge towards it.
    fn goes_on_behind(&self, track: &Track, body: &Passer, site: &Site<'_>) -> bool {
        let then = self.own_gates_ahead(track).get(1);
        let normal = then.and_then(|gate| site.ground.normals.get(gate.triangle as usize));
        normal.is_some_and(|n| n.dot(body.normal) < -OPPOSITE)
    }

    /// The cut of the map where the edge begins that an agent is on, if it is on one.
    fn present_cut(
        &self,
        track: &Track,
        nav: &dyn NavRepresentation,
        site: &Site<'_>,
        map: &NavMap,
    ) -> Option<Gate> {
        let edge = self.edges_ahead(track).first()?;
        (track.within == 0).then(|| nav.gate_at(site, map, *edge, 0.0))?
    }

    /// Moves the cursor past so many gates.
    pub fn skip(
        &self,
        track: &mut Track,
        gates: usize,
        nav: &dyn NavRepresentation,
        site: &Site<'_>,
        map: &NavMap,
        buffer: &mut Vec<Gate>,
    ) {
        for _ in 0..gates {
            if !track.has_gate {
                return;
            }
            track.within += 1;
            track.has_lane = false;
            self.load_gate(track, nav, site, map, buffer);
        }
    }

    /// Throws out the entries of routes that are gone once they outnumber the living.
    pub fn compact(&mut self, agents: &mut Agents) {
        if self.dead_edges > 1024 && self.dead_edges * 2 > self.edges.len() {
            slide(&mut self.edges, TrackKind::Edges, agents, &mut self.order);
            self.dead_edges = 0;
        }
        if self.dead_gates > 1024 && self.dead_gates * 2 > self.gates.len() {
            slide(&mut self.gates, TrackKind::Gates, agents, &mut self.order);
            self.dead_gates = 0;
        }
    }

    /// Brings the columns of [`Routes::view`] up to date.
    pub fn publish(&mut self, agents: &Agents) {
        let over_edges = |mark: &Mark| mark.kind() == TrackKind::Edges;
        let nothing = !agents
            .mark
            .chunks(CHUNK)
            .any(|marks| marks.iter().fold(false, |any, m| any | over_edges(m)));
        if nothing && self.blank && self.first.len() == agents.len() {
            return;
        }
        self.blank = nothing;
        self.first.resize(agents.len(), 0);
        self.count.resize(agents.len(), 0);
        self.invisible.resize(agents.len(), 0);
        self.first
            .par_chunks_mut(CHUNK)
            .zip(self.count.par_chunks_mut(CHUNK))
            .zip(self.invisible.par_chunks_mut(CHUNK))
            .zip(agents.track.par_chunks(CHUNK))
            .zip(agents.mark.par_chunks(CHUNK))
            .for_each(|((((first, count), invisible), tracks), marks)| {
                let columns = first.iter_mut().zip(count).zip(invisible);
                for (((first, count), invisible), (track, mark)) in
                    columns.zip(tracks.iter().zip(marks))
                {
                    // Nobody's track is read who has no route over edges.
                    (*first, *count, *invisible) = match mark.kind() {
                        TrackKind::Edges => (
                            track.first + track.cursor,
                            track.remaining(),
                            track.invisible,
                        ),
                        _ => (0, 0, 0),
                    };
                }
            });
    }

    /// What planners see of the routes.
    pub fn view(&self) -> RoutesView<'_> {
        RoutesView {
            edges: &self.edges,
            first: &self.first,
            count: &self.count,
            invisible: &self.invisible,
        }
    }

    /// Renumbers edges after an edit of the map; routes over edges that are gone become stale and
    /// their rows are listed in `broken`.
    pub fn remap(&mut self, agents: &mut Agents, new_id: &[u32], broken: &mut Vec<u32>) {
        for edge in &mut self.edges {
            *edge = new_id.get(*edge as usize).copied().unwrap_or(NONE);
        }
        for row in 0..agents.len() {
            // What was beyond the horizon on the old map says nothing about the new one.
            agents.track[row].invisible = 0;
            agents.forget_place(row);
            let into = agents.track[row].into;
            let gone = into != NONE && {
                let new = new_id.get(into as usize).copied().unwrap_or(NONE);
                agents.track[row].into = new;
                new == NONE
            };
            if gone || self.edges_ahead(&agents.track[row]).contains(&NONE) {
                self.drop_route(agents, row);
                broken.push(row as u32);
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.edges.capacity() + self.order.capacity()) * 4
            + self.gates.capacity() * size_of::<Gate>()
            + (self.first.capacity() + self.count.capacity() + self.invisible.capacity()) * 4
    }

    /// The arenas, for checkpoints.
    pub(crate) fn arenas(&self) -> (&[u32], &[Gate]) {
        (&self.edges, &self.gates)
    }

    /// Arenas taken back from a checkpoint.
    pub(crate) fn restore(edges: Vec<u32>, gates: Vec<Gate>, dead: [usize; 2]) -> Routes {
        Routes {
            edges,
            gates,
            dead_edges: dead[0],
            dead_gates: dead[1],
            ..Routes::default()
        }
    }

    /// Entries that no route uses, for checkpoints: compaction must happen at the same steps.
    pub(crate) fn dead(&self) -> [usize; 2] {
        [self.dead_edges, self.dead_gates]
    }
}

/// Moves what is still ahead of every route down over what is gone, in the order in which the
/// routes lie, so that nothing is overwritten before it has moved.
fn slide<T: Copy>(arena: &mut Vec<T>, kind: TrackKind, agents: &mut Agents, order: &mut Vec<u32>) {
    let tracks = &mut agents.track;
    order.clear();
    order.extend((0..tracks.len() as u32).filter(|&r| tracks[r as usize].kind == kind));
    order.sort_unstable_by_key(|&r| tracks[r as usize].first);
    let mut end = 0;
    for &row in order.iter() {
        let track = &mut tracks[row as usize];
        let rest = (track.first + track.cursor) as usize..(track.first + track.count) as usize;
        let count = rest.len();
        arena.copy_within(rest, end);
        track.first = end as u32;
        track.count = count as u32;
        track.cursor = 0;
        agents.mark[row as usize] = track.mark();
        end += count;
    }
    arena.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(before: [f32; 2], now: [f32; 2]) -> Passer {
        Passer {
            before: Vec3::new(before[0], before[1], 0.0),
            now: Vec3::new(now[0], now[1], 0.0),
            up: Vec3::Z,
            normal: Vec3::Z,
            radius: 0.25,
            reach: 0.25,
            lane: None,
            far: f32::INFINITY,
        }
    }

    #[test]
    fn a_gate_is_passed_forwards_and_near_it() {
        let gate = Gate {
            left: Vec3::new(-1.0, 0.0, 0.0),
            middle: Vec3::ZERO,
            right: Vec3::new(1.0, 0.0, 0.0),
            triangle: 0,
            flags: 0,
        };
        assert!(body([0.0, -0.1], [0.0, 0.1]).is_through(&gate));
        assert!(!body([0.0, -0.3], [0.0, -0.1]).is_through(&gate));
        assert!(body([1.5, -0.1], [1.5, 0.1]).is_through(&gate));
        assert!(!body([4.0, -0.1], [4.0, 0.1]).is_through(&gate));
        assert!(!body([0.0, 0.1], [0.0, 0.1]).is_through(&gate.reversed()));
        let beyond = |far| Passer {
            far,
            ..body([0.0, 3.9], [0.0, 4.0])
        };
        assert!(beyond(f32::INFINITY).is_through(&gate));
        assert!(!beyond(3.0).is_through(&gate));
        let upstairs = Passer {
            now: Vec3::new(0.0, 0.1, 3.6),
            ..body([0.0, -0.1], [0.0, 0.1])
        };
        assert!(!upstairs.is_through(&gate));
    }

    #[test]
    fn a_waypoint_is_passed_by_coming_close_or_going_by() {
        let gate = Gate::waypoint(Location {
            point: Vec3::ZERO,
            triangle: 0,
        });
        assert!(body([0.0, -1.0], [0.0, -0.1]).is_through(&gate));
        assert!(body([0.5, -0.1], [0.5, 0.1]).is_through(&gate));
        assert!(!body([0.5, -0.3], [0.5, -0.2]).is_through(&gate));
        assert!(!body([3.0, -0.1], [3.0, 0.1]).is_through(&gate));
    }
}
