//! Takes frames of a simulation for the replay while it runs, in bounded memory.
//!
//! Blocks go deflated to a file of their own; people, routes and doors are small and stay in
//! memory, deflated. When a run grows so long that the page would become unwieldy, frames are
//! taken half as often, and the page says so.

use throng::{
    core::NONE,
    engine::{
        agents::{AgentId, Doing},
        neighbours::NeighbourBuffer,
        simulation::Simulation as Engine,
        track::TrackKind,
    },
};

use super::{
    bytes::{Deflated, varint},
    packer::Sample,
    routes::Routes,
    spool::{Spool, Spooled},
};
use crate::{draw::Storeys, failure::Failure, output::Folder};

/// Bytes of blocks that a page has at most; each time half of what is left of them is used up,
/// frames are taken half as often.
const LIMIT: u64 = 64 << 20;
/// About so many people are recorded in detail: velocities, neighbours.
const DETAILED: u64 = 300;
/// Up to so many people, everybody's route is recorded; else that of the detailed.
const ROUTES_OF_ALL: u64 = 3000;
/// Seconds between two looks at who sees whom.
const LOOK_EVERY: f64 = 2.0;
/// What an agent without a way to its goal does, beside [`Doing`].
const UNREACHABLE: u32 = 4;

/// Constants of a person.
#[derive(Clone, Copy, Debug, Default)]
pub struct Person {
    /// Stable id.
    pub id: u64,
    /// Source, or NONE.
    pub source: u32,
    /// Profile.
    pub profile: u32,
    /// Group, or NONE.
    pub group: u32,
    /// Metres.
    pub radius: f32,
    /// Desired speed, metres per second.
    pub speed: f32,
}

/// What a slot of agents' ids is used for now.
#[derive(Clone, Copy, Debug)]
struct Known {
    generation: u32,
    serial: u32,
    detailed: bool,
}

/// Constants of everybody, as they come.
#[derive(Debug, Default)]
pub struct People {
    packed: Deflated,
    count: u32,
}

impl People {
    /// Adds a person and gives its number.
    pub fn add(&mut self, person: &Person) -> u32 {
        let plus_one = |v: u32| u64::from(v.wrapping_add(1));
        debug_assert_eq!(plus_one(NONE), 0);
        let mut bytes = Vec::with_capacity(16);
        varint(&mut bytes, person.id);
        varint(&mut bytes, plus_one(person.source));
        varint(&mut bytes, u64::from(person.profile));
        varint(&mut bytes, plus_one(person.group));
        varint(&mut bytes, (person.radius * 1e3).round().max(0.0) as u64);
        varint(&mut bytes, (person.speed * 1e3).round().max(0.0) as u64);
        self.packed.add(&bytes);
        self.count += 1;
        self.count - 1
    }

    /// How many, and all of them deflated.
    pub fn finish(self) -> (u32, Vec<u8>) {
        (self.count, self.packed.finish())
    }
}

/// Frames as they are taken.
#[derive(Debug)]
pub struct Recording {
    spool: Spool,
    every: u64,
    next_halving: u64,
    look_every: u64,
    people: People,
    known: Vec<Option<Known>>,
    storey_of_triangle: Vec<u16>,
    one_in: u64,
    routes: Routes,
    routes_of_all: bool,
    doors: Vec<u8>,
    doors_at_start: Vec<u8>,
    door_changes: Vec<(u64, usize, bool)>,
    peaks: Vec<(f64, f32)>,
    peak_every: u64,
    detailed: u32,
    samples: Vec<(Sample, u32, bool)>,
    rows: Vec<u32>,
    kth: Vec<f32>,
    seen: NeighbourBuffer,
}

/// What a page needs of a recording.
#[derive(Debug)]
pub struct Recorded {
    /// Blocks.
    pub blocks: Spooled,
    /// Constants of people, deflated.
    pub people: Vec<u8>,
    /// How many people.
    pub count: u32,
    /// How many of them in detail.
    pub detailed: u32,
    /// Routes, deflated.
    pub routes: Vec<u8>,
    /// Whether everybody's routes are there.
    pub routes_of_all: bool,
    /// Whether routes were left out at the end for want of room.
    pub routes_full: bool,
    /// 1 for each door that was open at the start.
    pub doors_at_start: Vec<u8>,
    /// Changes of doors: step, door, whether open.
    pub door_changes: Vec<(u64, usize, bool)>,
    /// Seconds, and persons per square metre about the one in the thickest crowd then.
    pub peaks: Vec<(f64, f32)>,
}

impl Recording {
    /// Begins a recording with a frame every so many seconds, of about so many people.
    pub fn new(
        folder: &Folder,
        simulation: &Engine,
        seconds: f64,
        expected: u64,
        storeys: &Storeys,
    ) -> Result<Recording, Failure> {
        let scenario = simulation.scenario();
        let steps = |seconds: f64| ((seconds / scenario.dt).round() as u64).max(1);
        let every = steps(seconds);
        Ok(Recording {
            spool: Spool::new(folder, !simulation.ground().flat, scenario.dt)?,
            every,
            next_halving: LIMIT / 2,
            look_every: steps(LOOK_EVERY).div_ceil(every) * every,
            people: People::default(),
            known: Vec::new(),
            storey_of_triangle: storeys.of_triangle.clone(),
            one_in: expected.div_ceil(DETAILED).max(1),
            routes: Routes::default(),
            routes_of_all: expected <= ROUTES_OF_ALL,
            doors_at_start: simulation.ground().door_open.to_vec(),
            doors: simulation.ground().door_open.to_vec(),
            door_changes: Vec::new(),
            peaks: Vec::new(),
            peak_every: steps(scenario.metrics.every),
            detailed: 0,
            samples: Vec::new(),
            rows: Vec::new(),
            kth: Vec::new(),
            seen: NeighbourBuffer::default(),
        })
    }

    /// Takes what there is after a step.
    pub fn observe(&mut self, simulation: &Engine) -> Result<(), Failure> {
        let step = simulation.steps();
        for (door, open) in simulation.ground().door_open.iter().enumerate() {
            if let Some(was) = self.doors.get_mut(door)
                && was != open
            {
                *was = *open;
                self.door_changes.push((step, door, *open != 0));
            }
        }
        let looks = step.is_multiple_of(self.look_every);
        let measures = step.is_multiple_of(self.peak_every);
        let grid = (looks || measures).then(|| simulation.neighbour_grid());
        if let Some(grid) = grid.as_ref().filter(|_| measures) {
            let view = simulation.agents().view(simulation.ground().flat);
            let (_, peak) = grid.local_density(simulation.ground(), &view);
            self.peaks.push((simulation.time(), peak));
        }
        if !step.is_multiple_of(self.every) {
            return Ok(());
        }
        self.take(simulation);
        for i in 0..self.samples.len() {
            let (sample, row, detailed) = self.samples[i];
            self.spool.packer.add(&sample);
            if detailed {
                let velocities = velocities(simulation, row as usize);
                self.spool.packer.add_detail(sample.serial, velocities);
            }
            if detailed || self.routes_of_all {
                self.routes
                    .observe(simulation, row as usize, sample.serial, step);
            }
        }
        if let Some(grid) = grid.filter(|_| looks) {
            self.look(simulation, &grid);
        }
        for mover in &simulation.state().movers_now {
            self.spool.packer.add_mover(mover.at);
        }
        let people = self.samples.len();
        let written = self.spool.end_frame(step, self.every, people)?;
        if written.is_some_and(|bytes| bytes > self.next_halving) {
            self.next_halving += (LIMIT - self.next_halving) / 2;
            self.every *= 2;
            self.look_every = self.look_every.div_ceil(self.every) * self.every;
        }
        Ok(())
    }

    /// Lists everybody, in the order of first appearance; who is new is introduced.
    fn take(&mut self, simulation: &Engine) {
        let agents = simulation.agents();
        self.samples.clear();
        for row in 0..agents.len() {
            let id = AgentId(agents.id[row]);
            let slot = id.slot() as usize;
            if slot >= self.known.len() {
                self.known.resize(slot + 1, None);
            }
            let known = match self.known[slot] {
                Some(known) if known.generation == id.generation() => known,
                _ => {
                    let known = self.introduce(simulation, row, id);
                    self.known[slot] = Some(known);
                    known
                }
            };
            let at = agents.location[row];
            let storey = self.storey_of_triangle.get(at.triangle as usize);
            let doing = match (agents.doing[row], agents.track[row].kind) {
                (Doing::Walking, TrackKind::Unreachable) => UNREACHABLE,
                (doing, _) => doing as u32,
            };
            let sample = Sample {
                serial: known.serial,
                at: at.point,
                speed: agents.velocity[row].length(),
                slow: [
                    storey.map_or(0, |s| u32::from(*s)),
                    u32::from(agents.tier[row]),
                    doing,
                    agents.goal[row].wrapping_add(1),
                ],
            };
            self.samples.push((sample, row as u32, known.detailed));
        }
        self.samples.sort_unstable_by_key(|(s, _, _)| s.serial);
    }

    fn introduce(&mut self, simulation: &Engine, row: usize, id: AgentId) -> Known {
        let agents = simulation.agents();
        let serial = self.people.add(&Person {
            id: id.0,
            source: agents.record[row].source,
            profile: u32::from(agents.record[row].profile),
            group: agents.group[row],
            radius: agents.radius[row],
            speed: agents.speed[row],
        });
        let detailed = throng::core::random::mix(id.0).is_multiple_of(self.one_in);
        self.detailed += u32::from(detailed);
        self.routes.forget(serial);
        Known {
            generation: id.generation(),
            serial,
            detailed,
        }
    }

    /// Records whom the detailed see.
    fn look(&mut self, simulation: &Engine, grid: &throng::engine::neighbours::NeighbourGrid) {
        let (agents, parts) = (simulation.agents(), simulation.parts());
        let view = agents.view(simulation.ground().flat);
        for (level, tier) in parts.tiers.iter().enumerate() {
            let perception = parts.avoidances[tier.avoidance].perception;
            if !(perception.reach > 0.0) {
                continue;
            }
            self.rows.clear();
            let mut serials = Vec::new();
            for (sample, row, detailed) in &self.samples {
                if *detailed && usize::from(agents.tier[*row as usize]) == level {
                    self.rows.push(*row);
                    serials.push(sample.serial);
                }
            }
            self.kth.clear();
            self.kth.resize(self.rows.len(), f32::INFINITY);
            grid.gather(
                simulation.ground(),
                &view,
                &self.rows,
                perception,
                &[],
                &mut self.kth,
                0.0,
                &mut self.seen,
            );
            let found = self.seen.rows();
            for (i, serial) in serials.iter().enumerate() {
                let range = found.start[i] as usize..found.start[i + 1] as usize;
                let seen: Vec<u32> = found.id[range]
                    .iter()
                    .filter_map(|id| {
                        let id = AgentId(*id);
                        let known = self.known.get(id.slot() as usize)?.as_ref()?;
                        (known.generation == id.generation()).then_some(known.serial)
                    })
                    .collect();
                self.spool.packer.add_seen(*serial, &seen);
            }
        }
    }

    /// Ends the recording.
    pub fn finish(self) -> Result<Recorded, Failure> {
        let (count, people) = self.people.finish();
        Ok(Recorded {
            blocks: self.spool.finish()?,
            people,
            count,
            detailed: self.detailed,
            routes_full: self.routes.is_full(),
            routes: self.routes.finish(),
            routes_of_all: self.routes_of_all,
            doors_at_start: self.doors_at_start,
            door_changes: self.door_changes,
            peaks: self.peaks,
        })
    }
}

/// Velocity and preferred velocity of an agent in world directions.
fn velocities(simulation: &Engine, row: usize) -> [glam::Vec3; 2] {
    let (ground, agents) = (simulation.ground(), simulation.agents());
    let of = |v: glam::Vec2| {
        if ground.flat {
            v.extend(0.0)
        } else {
            let normal = ground.normals[agents.location[row].triangle as usize];
            agents.frame[row].to_world(normal, v)
        }
    };
    [of(agents.velocity[row]), of(agents.preferred[row])]
}
