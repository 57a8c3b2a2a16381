//! A running simulation: making it, stepping it, looking at it.

mod doors;
mod orders;
mod settle;

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use glam::DVec3;
use thiserror::Error;
use throng_core::{GroundView, Location, NavMap, World};
use throng_kit::{Walk, environment::Environment};

use crate::{
    agents::{AgentId, Agents},
    build::{self, BuildError, Drawn},
    classes::TooManyClasses,
    command::{Command, Event, Spot},
    memory::MemoryStore,
    metrics::{Metrics, Spread},
    parts::Parts,
    registry::Registry,
    relevance::Relevance,
    scenario::{Scenario, SpeedLaw},
    shared::{Shared, Stage},
    source::{Source, Spawner},
    state::{Place, State, Work},
    step::{
        advance,
        avoid::{self, Move},
        contacts, crowd, detour, guide,
        plan::Planning,
        tiers,
    },
    track::TrackKind,
};

/// Why a step failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// A planner could not prepare its products: the scenario asks for too much of it.
    #[error("planner: {0}")]
    Planner(#[from] throng_core::PlannerError),
    /// A strategy failed inside: its author must mend it.
    #[error("{slot}: {fault}")]
    Fault {
        /// Which slot.
        slot: &'static str,
        /// What went wrong.
        fault: String,
    },
    /// Too many route classes.
    #[error(transparent)]
    Classes(#[from] TooManyClasses),
    /// `commit` was called without `propose`, or with the wrong number of places.
    #[error("{0}")]
    Order(String),
}

/// Steps between sorting the agents by place.
const SORT_EVERY: u64 = 64;
/// Overlaps deeper than this count, metres.
pub const OVERLAP_DEPTH: f32 = 0.005;

/// A stage of the step, for whoever traces.
fn stage(name: &'static str) -> tracing::span::EnteredSpan {
    tracing::trace_span!("stage", name).entered()
}

/// A proposed velocity, for hosts whose own physics moves the agents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proposal {
    /// Who.
    pub agent: AgentId,
    /// Where it is, world coordinates.
    pub at: DVec3,
    /// The velocity that avoidance chose, world directions, metres per second.
    pub velocity: DVec3,
}

/// A simulation that can be stepped, commanded, asked and saved.
#[derive(Debug)]
pub struct Simulation {
    pub(crate) scenario: Scenario,
    pub(crate) hash: String,
    pub(crate) place: Place,
    pub(crate) parts: Parts,
    pub(crate) state: State,
    pub(crate) work: Work,
    pub(crate) sources: Vec<Source>,
    pub(crate) spawner: Spawner,
    pub(crate) planning: Planning,
    pub(crate) metrics: Metrics,
    queue: Vec<Command>,
    log: Vec<(u64, Command)>,
    events: Vec<Event>,
    event_areas: Vec<Option<u32>>,
    laws: Vec<SpeedLaw>,
    pub(crate) prepared: Option<(u64, u32)>,
    proposed: bool,
    threads: Option<rayon::ThreadPool>,
    notices: Vec<String>,
    watched: Vec<u32>,
}

impl Simulation {
    /// Builds a simulation; `threads` 0 means as many as there are cores.
    pub fn new(
        scenario: Scenario,
        environment: Environment,
        registry: &Registry,
        threads: usize,
    ) -> Result<Simulation, BuildError> {
        let stage = Stage::new(&scenario, environment, registry)?;
        let drawn = build::draw_map(&scenario.nav, registry, &stage.place)?;
        Simulation::assemble(scenario, stage, drawn, registry, threads)
    }

    /// Builds a simulation over a ground and a map that others use too: what the scenario says of
    /// strategies may differ between them, and nothing else. The bits are those of
    /// [`new`](Simulation::new).
    pub fn on(
        shared: &Shared,
        scenario: Scenario,
        registry: &Registry,
        threads: usize,
    ) -> Result<Simulation, BuildError> {
        let stage = shared.stage(&scenario, registry)?;
        let drawn = shared.map(&scenario.nav, registry)?;
        Simulation::assemble(scenario, stage, drawn, registry, threads)
    }

    fn assemble(
        scenario: Scenario,
        stage: Stage,
        drawn: Drawn,
        registry: &Registry,
        threads: usize,
    ) -> Result<Simulation, BuildError> {
        let Stage {
            place,
            sources,
            event_areas,
            holds,
            mut notices,
        } = stage;
        let mut memory = MemoryStore::default();
        let Drawn { nav, map } = drawn;
        let parts = build::make_parts(&scenario, registry, nav, &mut memory)?;
        let state = build::make_state(&scenario, registry, &place, holds, &parts, map, memory)?;
        notices.extend(build::without_effect(&scenario, &place, &parts, &state));
        let threads = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| BuildError::Threads(e.to_string()))?;
        let n = &scenario.neighbours;
        let mut work = Work::default();
        work.grid.relevance = Relevance {
            vision: n.relevance,
            occlusion: n.occlusion,
            // The scenario says metres, the test body heights.
            tolerance: (n.tolerance / 1.8) as f32,
            disc: Some(n.disc as f32),
            symmetric: n.symmetric,
            ..Relevance::default()
        };
        Ok(Simulation {
            hash: scenario.hash(registry),
            laws: scenario.profiles.iter().map(|p| p.speed_law).collect(),
            scenario,
            place,
            parts,
            state,
            work,
            sources,
            spawner: Spawner::default(),
            planning: Planning::default(),
            metrics: Metrics::default(),
            queue: Vec::new(),
            log: Vec::new(),
            events: Vec::new(),
            event_areas,
            prepared: None,
            proposed: false,
            threads: Some(threads),
            notices,
            watched: Vec::new(),
        })
    }

    /// Runs `work` on the simulation's own threads, so that parallel stages use them.
    fn on_threads<R: Send>(&mut self, work: impl FnOnce(&mut Simulation) -> R + Send) -> R {
        match self.threads.take() {
            None => work(self),
            Some(pool) => {
                let result = pool.install(|| work(&mut *self));
                self.threads = Some(pool);
                result
            }
        }
    }

    /// Makes one step.
    pub fn step(&mut self) -> Result<(), RunError> {
        self.on_threads(|sim| {
            let moves = sim.choose_velocities(Simulation::moves)?;
            sim.move_everybody(moves)
        })
    }

    /// Makes steps until `watch` breaks off or `steps` are done.
    pub fn run(
        &mut self,
        steps: u64,
        mut watch: impl FnMut(&Simulation) -> ControlFlow<()> + Send,
    ) -> Result<(), RunError> {
        self.on_threads(|sim| {
            for _ in 0..steps {
                let moves = sim.choose_velocities(Simulation::moves)?;
                sim.move_everybody(moves)?;
                if watch(sim).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// First half of a step for hosts that move agents themselves: the velocities chosen.
    pub fn propose(&mut self) -> Result<Vec<Proposal>, RunError> {
        if self.proposed {
            return Err(RunError::Order(
                "propose was called twice without commit".into(),
            ));
        }
        self.on_threads(|sim| sim.choose_velocities(|_| 1))?;
        self.proposed = true;
        let (ground, a) = (self.ground(), &self.state.agents);
        Ok((0..a.len())
            .map(|row| {
                let at = a.location[row];
                let velocity = self.work.steered[row].velocity;
                let world = a.frame[row].to_world(ground.normals[at.triangle as usize], velocity);
                Proposal {
                    agent: AgentId(a.id[row]),
                    at: ground.to_world(at),
                    velocity: world.as_dvec3(),
                }
            })
            .collect())
    }

    /// Second half: where the host's physics has put the agents, in the order of the proposals.
    /// Positions off the ground are pulled to the nearest place of it.
    pub fn commit(&mut self, positions: &[DVec3]) -> Result<(), RunError> {
        if !self.proposed || positions.len() != self.state.agents.len() {
            return Err(RunError::Order(format!(
                "commit takes the {} positions of the last propose, got {}",
                self.state.agents.len(),
                positions.len()
            )));
        }
        self.proposed = false;
        let ground = self.place.ground.view();
        let (a, dt) = (&mut self.state.agents, self.state.dt);
        for (row, at) in positions.iter().enumerate() {
            let (from, frame) = (a.location[row], a.frame[row]);
            let point = ground.from_world(*at);
            let to = ground
                .relocate(from, point)
                .or_else(|| ground.locate(point));
            a.before[row] = from;
            a.forget_place(row);
            if let Some(to) = to.filter(|to| to.point.is_finite()) {
                let moved = frame.to_tangent(
                    ground.normals[from.triangle as usize],
                    to.point - from.point,
                );
                a.location[row] = to;
                a.velocity[row] = (moved / dt).clamp_length_max(a.max_speed[row]);
                if !ground.flat {
                    let carried = ground.advance(from, frame, moved, 0.0);
                    a.frame[row] = if carried.to.triangle == to.triangle {
                        carried.frame
                    } else {
                        ground.frame_at(to)
                    };
                }
                a.walked[row] += f64::from(moved.length());
            }
        }
        self.on_threads(Simulation::finish_step)
    }

    /// How many moves a step is cut into.
    fn moves(&self) -> u32 {
        Move::count(&self.parts, &self.state)
    }

    /// Everything up to the avoidance of the first move; gives how many there are to be.
    fn choose_velocities(&mut self, moves: impl Fn(&Simulation) -> u32) -> Result<u32, RunError> {
        let mut clock = Instant::now();
        let mut lap = move || {
            let now = Instant::now();
            now - std::mem::replace(&mut clock, now)
        };
        let span = stage("commands");
        self.events.clear();
        self.apply_commands()?;
        self.fire_events();
        self.close_doors();
        let events = &mut self.events;
        self.metrics.spawned += self.spawner.spawn(
            &mut self.sources,
            &self.scenario,
            &self.place,
            &*self.parts.nav,
            &mut self.state,
            |id| events.push(Event::Added(id)),
        )?;
        if self.state.step.is_multiple_of(SORT_EVERY) {
            self.sort_by_place();
        }
        self.move_movers();
        self.metrics.stages.commands += lap();
        drop(span);

        let span = stage("tiers");
        tiers::classify(
            &self.place,
            &mut self.parts,
            &mut self.state,
            &mut self.work,
            &mut self.events,
        );
        self.metrics.stages.tiers += lap();
        drop(span);

        let span = stage("crowd");
        crowd::update_crowd(&self.place, &self.parts, &mut self.state, &mut self.work);
        crowd::update_prices(&mut self.parts, &mut self.state);
        self.metrics.stages.crowd += lap();
        drop(span);

        let span = stage("prepare");
        self.prepare()?;
        self.metrics.stages.prepare += lap();
        drop(span);

        let span = stage("plan");
        self.planning.run(
            &self.place,
            &self.parts,
            &self.scenario.replan,
            &mut self.state,
            &mut self.work,
            &mut self.metrics,
            &mut self.events,
        );
        self.metrics.stages.plan += lap();
        drop(span);

        let span = stage("guide");
        guide::guide(
            &self.place,
            &self.parts,
            &self.laws,
            &mut self.state,
            &mut self.work,
        );
        self.metrics.stages.guide += lap();
        drop(span);
        let span = stage("detour");
        detour::round_obstacles(&self.place, &self.parts, &mut self.state, &mut self.work);
        self.metrics.stages.detour += lap();
        drop(span);
        let span = stage("groups");
        guide::groups(&self.place, &self.parts, &mut self.state, &mut self.work);
        self.metrics.stages.groups += lap();
        drop(span);

        let moves = moves(self);
        self.work.moves = moves;
        self.avoid(Move::first_of(moves, self.state.dt))?;
        Ok(moves)
    }

    fn avoid(&mut self, now: Move) -> Result<(), RunError> {
        let _span = stage("avoidance");
        let began = Instant::now();
        let before = self.metrics.stages.neighbours;
        avoid::avoid(
            &self.place,
            &self.parts,
            &mut self.state,
            &mut self.work,
            &mut self.metrics,
            now,
        );
        avoid::pace_groups(
            &self.place,
            &self.parts,
            &mut self.state,
            &mut self.work,
            now,
        );
        contacts::keep_apart(&self.place, &self.state, &mut self.work, now);
        let rebuilding = self.metrics.stages.neighbours - before;
        self.metrics
            .stages
            .split_avoid(began.elapsed().saturating_sub(rebuilding));
        match self.parts.fault() {
            Some((slot, fault)) => Err(RunError::Fault { slot, fault }),
            None => Ok(()),
        }
    }

    /// The moves of a step, whose first velocities are chosen.
    fn move_everybody(&mut self, moves: u32) -> Result<(), RunError> {
        let mut now = Move::first_of(moves, self.state.dt);
        self.advance(now);
        now.first = false;
        for _ in 1..moves {
            self.avoid(now)?;
            self.advance(now);
        }
        self.finish_step()
    }

    fn advance(&mut self, now: Move) {
        let _span = stage("advance");
        let began = Instant::now();
        advance::advance(
            &self.place,
            &mut self.state,
            &self.work,
            &mut self.metrics,
            now,
        );
        self.metrics.stages.advance += began.elapsed();
    }

    /// Everything after the move.
    fn finish_step(&mut self) -> Result<(), RunError> {
        let _span = stage("arrivals");
        let began = Instant::now();
        advance::cursors(&self.place, &self.parts, &mut self.state, &mut self.work);
        self.state.step += 1;
        self.report_entries();
        self.settle_arrivals();
        self.settle_holds();
        self.metrics.stages.arrivals += began.elapsed();
        let clocks = &mut self.work.tier_clocks;
        self.metrics
            .tiers
            .resize_with(clocks.len(), Default::default);
        for (cost, clock) in self.metrics.tiers.iter_mut().zip(clocks) {
            cost.take(clock);
        }
        let began = Instant::now();
        self.measure();
        self.metrics.stages.metrics += began.elapsed();
        Ok(())
    }

    fn sort_by_place(&mut self) {
        let ground = self.place.ground.view();
        let index = &ground.triangle_index;
        let (low, span) = (index.low, index.size.as_vec3() * index.cell);
        // Rows of 4 m (wider where so many would not be counted in 32 bits), boustrophedon within:
        // neighbours in space are near in memory.
        let mut tile = 4.0;
        let size = loop {
            let size = (span / tile).ceil().max(glam::Vec3::ONE);
            if f64::from(size.x) * f64::from(size.y) * f64::from(size.z) < f64::from(1 << 30) {
                break size;
            }
            tile *= 2.0;
        };
        let (wide, high) = (size.x as u32, size.y as u32);
        let last = size - 1.0;
        let order = self.state.agents.sort_by_key(|at| {
            let cell = ((at.point - low) / tile).clamp(glam::Vec3::ZERO, last);
            let (x, y, z) = (cell.x as u32, cell.y as u32, cell.z as u32);
            let x = if y % 2 == 0 { x } else { wide - 1 - x };
            (z * high + y) * wide + x
        });
        self.state.memory.reorder(order);
    }

    fn move_movers(&mut self) {
        let ground = self.place.ground.view();
        let state = &mut self.state;
        let time = state.time();
        state.movers_now.clear();
        state
            .movers_now
            .extend(state.movers.iter().map(|m| m.view(ground, time)));
        state.interest_now.clear();
        for interest in &state.interest {
            let at = match (interest.mover, &state.camera) {
                (Some(mover), _) => state.movers_now[mover].at + interest.at,
                (None, Some(camera)) if interest.camera => {
                    let ahead = camera.direction.rotate(interest.at.truncate());
                    camera.at + ahead.extend(interest.at.z)
                }
                (None, None) if interest.camera => continue,
                _ => interest.at,
            };
            state.interest_now.push(throng_core::RegionOfInterest {
                at,
                radius: interest.radius,
                level: interest.level,
            });
        }
    }

    fn prepare(&mut self) -> Result<(), RunError> {
        let now = (self.state.pricing.epoch, self.state.map.revision);
        let changed = self.prepared != Some(now) || self.planning.doors_changed;
        self.prepared = Some(now);
        for index in 0..self.parts.planners.len() {
            let Parts { planners, nav, .. } = &mut self.parts;
            // Who guides may need products for agents that came or changed goals in this step,
            // and swaps in what it made beside earlier ones.
            if !changed && !planners[index].guides {
                continue;
            }
            let world = self.state.world(self.place.site(), &**nav);
            planners[index].strategy.prepare(&world)?;
        }
        Ok(())
    }

    /// Queues a command for the start of the next step.
    pub fn command(&mut self, command: Command) {
        self.queue.push(command);
    }

    /// Reports everybody who enters a named area from now on, as [`Event::EnteredArea`] with the
    /// index that this gives; nothing if there is no such area.
    pub fn watch_area(&mut self, name: &str) -> Option<u32> {
        let index = self.place.areas.iter().position(|a| a.name == name)? as u32;
        if !self.watched.contains(&index) {
            self.watched.push(index);
        }
        Some(index)
    }

    /// Commands still to be applied.
    pub(crate) fn pending(&self) -> &[Command] {
        &self.queue
    }

    /// Commands taken back from a checkpoint.
    pub(crate) fn set_pending(&mut self, queue: Vec<Command>) {
        self.queue = queue;
        self.proposed = false;
    }

    /// Commands applied so far, with the step of each.
    pub fn command_log(&self) -> &[(u64, Command)] {
        &self.log
    }

    /// What happened in the last step.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Hash of the effective scenario.
    pub fn scenario_hash(&self) -> &str {
        &self.hash
    }

    /// The ground.
    pub fn ground(&self) -> GroundView<'_> {
        self.place.ground.view()
    }

    /// The ground with its areas.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The map.
    pub fn map(&self) -> &NavMap {
        &self.state.map
    }

    /// The frozen world as strategies see it.
    pub fn world(&self) -> World<'_> {
        self.state.world(self.place.site(), &*self.parts.nav)
    }

    /// The strategies.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The sources of people, with their areas resolved.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The agents as columns.
    pub fn agents(&self) -> &Agents {
        &self.state.agents
    }

    /// Everything that a step commits to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Counters so far.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Steps done.
    pub fn steps(&self) -> u64 {
        self.state.step
    }

    /// Seconds simulated.
    pub fn time(&self) -> f64 {
        self.state.time()
    }

    /// Repairs and assumptions made while building.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Sum of the agents' hashes: equal digests mean equal bits.
    pub fn digest(&self) -> u64 {
        self.state.digest()
    }

    /// Spread of the travel times so far.
    pub fn travel_times(&self) -> Spread {
        Spread::of(&self.metrics.travel_times)
    }

    /// Whether nobody is there and nobody will come.
    pub fn is_over(&self) -> bool {
        self.state.agents.is_empty()
            && self.sources.iter().all(|s| {
                let never = s.spec.stop.is_some_and(|stop| self.time() > stop);
                let all = s.spec.count.is_some_and(|c| s.made >= c);
                never || all
            })
    }

    /// Agents without a route to their goal now.
    pub fn unreachable_now(&self) -> usize {
        let tracks = self.state.agents.track.iter();
        tracks.filter(|t| t.kind == TrackKind::Unreachable).count()
    }

    /// Bytes held by state, map and buffers (not the allocator's peak).
    pub fn bytes(&self) -> usize {
        let s = &self.state;
        s.agents.bytes()
            + s.map.bytes()
            + s.routes.bytes()
            + s.memory.bytes()
            + s.crowd.bytes()
            + self.parts.nav.bytes()
    }

    /// World coordinates of a place.
    pub fn world_point(&self, at: Location) -> DVec3 {
        self.place.world_point(at)
    }

    /// The place of a spot, if there is ground.
    pub fn locate(&self, spot: Spot) -> Option<Location> {
        self.place.locate(spot)
    }

    /// Time spent so far by stage.
    pub fn stage_millis(&self) -> Vec<(&'static str, f64)> {
        self.metrics.stages.millis()
    }

    /// Total time of all stages.
    pub fn stage_total(&self) -> Duration {
        Duration::from_secs_f64(self.stage_millis().iter().map(|s| s.1).sum::<f64>() / 1e3)
    }
}
