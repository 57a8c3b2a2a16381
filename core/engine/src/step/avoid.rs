//! Stages `neighbours` and `avoidance`: velocities that miss others and walls.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{
    AgentsView, Frame, GroundView, GroupChunk, Perception, SteerChunk, SteerOut, WallRows,
};
use throng_kit::Walk;

use super::{
    contacts::{AtHand, Contact, make_room},
    due::Due,
};
use crate::{
    memory::{CHUNK, ChunkMemory},
    metrics::{Metrics, TierClock},
    neighbours::{NeighbourBuffer, NeighbourGrid},
    parts::Parts,
    relevance::{clear_distance, wall_distance_bound},
    state::{ChunkScratch, Place, State, Steered, Work, speed_factor},
};

/// For so long after a change of tier an agent's velocity changes no faster than this.
const BLEND_SECONDS: f32 = 0.5;
const BLEND_ACCELERATION: f32 = 10.0;
/// Largest displacement in a step that a model may push a body by, in radii.
const MOST_PUSH: f32 = 0.5;

/// Walls within reach that there is room for from the beginning, per agent.
const WALLS_AT_HAND: usize = 4;

/// Most parts that a step is cut into.
const MOST_MOVES: f32 = 100.0;

/// One of the equal parts that a step is cut into where a model asks for short steps: in each of
/// them everybody looks, steers and moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// How long it lasts, seconds.
    pub dt: f32,
    /// Whether it begins the step.
    pub first: bool,
}

impl Move {
    /// The first of so many moves of a step of `dt` seconds.
    pub fn first_of(moves: u32, dt: f32) -> Move {
        Move {
            dt: dt / moves as f32,
            first: true,
        }
    }

    /// How many moves the models in use want for a step.
    pub fn count(parts: &Parts, state: &State) -> u32 {
        let fastest = fastest(state);
        let longest = parts
            .tiers
            .iter()
            .map(|t| {
                let strategy = &parts.avoidances[t.avoidance].strategy;
                strategy.longest_step(fastest)
            })
            .fold(f32::INFINITY, f32::min);
        // A hair more than a whole number is that number.
        (state.dt / longest - 1e-3).ceil().clamp(1.0, MOST_MOVES) as u32
    }
}

/// Largest speed of anybody, metres per second.
fn fastest(state: &State) -> f32 {
    // Of numbers that are not negative the bits are in the same order, and compared in lanes.
    let bits = |speeds: &[f32]| {
        let of = speeds.iter().map(|speed| speed.max(0.0).to_bits());
        of.max().unwrap_or(0)
    };
    let speeds = state.agents.max_speed.par_chunks(CHUNK);
    f32::from_bits(speeds.map(bits).reduce(|| 0, u32::max))
}

/// Chooses everybody's velocity for a move. Those whose tier is not due keep theirs.
pub fn avoid(
    place: &Place,
    parts: &Parts,
    state: &mut State,
    work: &mut Work,
    metrics: &mut Metrics,
    now: Move,
) {
    let count = state.agents.len();
    work.steered.resize(count, Steered::default());
    let ground = place.ground.view();
    let began = Instant::now();
    let reach = parts.reach();
    work.reciprocal.clear();
    work.reciprocal.extend(
        parts
            .tiers
            .iter()
            .map(|t| parts.avoidances[t.avoidance].perception.reach > 0.0),
    );
    if reach > 0.0 && anybody_looks(parts, state) {
        let agents = state.agents.view(ground.flat);
        // Who avoids nobody looks at nobody.
        work.grid.rebuild_for(
            ground,
            &agents,
            &state.agents.height,
            &state.movers_now,
            reach,
            &work.reciprocal,
            &work.reciprocal,
        );
    }
    metrics.stages.neighbours += began.elapsed();
    let fastest = fastest(state);
    let mut kth = std::mem::take(&mut state.agents.kth);
    let mut memory = std::mem::take(&mut state.memory);
    let stage = Stage {
        parts,
        ground,
        state,
        agents: state.agents.view(ground.flat),
        grid: &work.grid,
        now,
        fastest,
        stride: memory.stride(),
        blend_steps: blend_steps(state.dt),
    };
    let (pool, clocks) = (&work.pool, &work.tier_clocks);
    let (looking, steering) = (AtomicU64::new(0), AtomicU64::new(0));
    let not_finite = AtomicU64::new(0);
    work.fastest = fastest;
    work.contacts
        .by_chunk
        .resize_with(count.div_ceil(CHUNK), Default::default);
    work.steered
        .par_chunks_mut(CHUNK)
        .zip(kth.par_chunks_mut(CHUNK))
        .zip(memory.chunks_mut().par_iter_mut())
        .zip(work.contacts.by_chunk.par_iter_mut())
        .enumerate()
        .for_each(|(chunk, (((steered, kth), memory), contacts))| {
            pool.with(|scratch| {
                contacts.clear();
                let first = chunk * CHUNK;
                let spent =
                    stage.steer_chunk(first, steered, kth, memory, contacts, scratch, clocks);
                looking.fetch_add(spent.looking, Relaxed);
                steering.fetch_add(spent.steering, Relaxed);
                not_finite.fetch_add(spent.not_finite, Relaxed);
            });
        });
    state.agents.kth = kth;
    state.memory = memory;
    metrics.not_finite += not_finite.into_inner();
    metrics
        .stages
        .add_parallel(looking.into_inner(), steering.into_inner());
}

/// Whether anybody looks for neighbours in this step: of models that look on odd ticks only,
/// nobody may.
fn anybody_looks(parts: &Parts, state: &State) -> bool {
    let (tiers, a) = (&parts.tiers, &state.agents);
    let part = |tier: u8| &parts.avoidances[tiers[tier as usize].avoidance];
    if !(0..tiers.len() as u8).any(|tier| part(tier).alternates) {
        return true;
    }
    (0..a.len()).any(|row| {
        let part = part(a.tier[row]);
        part.perception.reach > 0.0 && (!part.alternates || a.tick[row] % 2 == 1)
    })
}

/// How many steps velocities change slowly for after a change of tier.
pub fn blend_steps(dt: f32) -> u64 {
    (BLEND_SECONDS / dt).ceil() as u64
}

/// A velocity as far as somebody changes to it in a move while a change of tier is fresh.
#[inline]
pub fn blended(state: &State, row: usize, velocity: Vec2, blend_steps: u64, dt: f32) -> Vec2 {
    let a = &state.agents;
    let (change, most) = (velocity - a.velocity[row], BLEND_ACCELERATION * dt);
    // Hardly anybody changes so quickly: nobody else's record has to be read.
    if change.length_squared() <= most * most {
        return velocity;
    }
    let since = a.record[row].tier_since;
    if since > 0 && state.step < since + blend_steps {
        return a.velocity[row] + change.clamp_length_max(most);
    }
    velocity
}

/// Lets the group behaviour change the speeds that avoidance chose.
pub fn pace_groups(place: &Place, parts: &Parts, state: &mut State, work: &mut Work, now: Move) {
    if !parts.group.paces() || state.groups == 0 {
        return;
    }
    work.before_groups.clear();
    work.before_groups
        .extend(work.steered.iter().map(|s| s.velocity));
    let ground = place.ground.view();
    let world = state.world(place.site(), &*parts.nav);
    let (a, chosen, pool) = (&state.agents, &work.before_groups, &work.pool);
    let blend_steps = blend_steps(state.dt);
    work.steered
        .par_chunks_mut(CHUNK)
        .enumerate()
        .for_each(|(chunk, steered)| {
            let first = chunk * CHUNK;
            pool.with(|scratch| {
                let velocity = &mut scratch.preferred;
                velocity.clear();
                velocity.extend(steered.iter().map(|s| s.velocity));
                let members = GroupChunk {
                    rows: first..first + steered.len(),
                    groups: state.groups_view(),
                    guided: chosen,
                    aims: &a.aim,
                };
                parts.group.pace(&world, &members, velocity);
                for (i, (steered, &changed)) in steered.iter_mut().zip(&*velocity).enumerate() {
                    let row = first + i;
                    let due = parts.is_due(a.tier[row], a.id[row], state.step);
                    if !due || changed == steered.velocity || !changed.is_finite() {
                        continue;
                    }
                    let most = a.max_speed[row] * speed_factor(&ground, &a.location[row]);
                    let changed = changed.clamp_length_max(most);
                    steered.velocity = blended(state, row, changed, blend_steps, now.dt);
                }
            });
        });
}

/// What a chunk took, nanoseconds, and how many of its answers were useless.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    looking: u64,
    steering: u64,
    not_finite: u64,
}

/// What is the same for all chunks.
struct Stage<'a> {
    parts: &'a Parts,
    ground: GroundView<'a>,
    state: &'a State,
    agents: AgentsView<'a>,
    grid: &'a NeighbourGrid,
    now: Move,
    fastest: f32,
    stride: [usize; 3],
    blend_steps: u64,
}

impl Stage<'_> {
    /// Steers a chunk of agents, tier by tier.
    fn steer_chunk(
        &self,
        first: usize,
        steered: &mut [Steered],
        kth: &mut [f32],
        memory: &mut ChunkMemory,
        contacts: &mut Vec<Contact>,
        s: &mut ChunkScratch,
        clocks: &[TierClock],
    ) -> Spent {
        let (parts, state, a) = (self.parts, self.state, &self.state.agents);
        let mut spent = Spent::default();
        s.avoidance
            .resize_with(parts.avoidances.len(), Default::default);
        for (t, tier) in parts.tiers.iter().enumerate() {
            let due = Due::list(
                parts,
                a,
                state.step,
                t,
                first..first + steered.len(),
                &mut s.rows,
                &mut s.local,
                |local| {
                    steered[local] = Steered {
                        velocity: a.velocity[first + local],
                        ..Steered::default()
                    };
                },
            );
            if due.is_empty() {
                continue;
            }
            // Who steers for several steps at once does so when they begin.
            if !self.now.first && tier.period > 1 {
                for (&row, &local) in due.rows.iter().zip(due.local) {
                    steered[local as usize] = Steered {
                        velocity: a.velocity[row as usize],
                        ..Steered::default()
                    };
                }
                continue;
            }
            let part = &parts.avoidances[tier.avoidance];
            let dt = if tier.period > 1 {
                tier.period as f32 * state.dt
            } else {
                self.now.dt
            };
            let began = Instant::now();
            let (wall_reach, reach) = (part.perception.wall_reach, part.perception.reach);
            let mut max_step = self.fastest * dt;
            s.looking.clear();
            if part.alternates {
                s.looking
                    .extend(due.rows.iter().map(|&row| a.tick[row as usize] % 2 == 1));
                // The last look was two ticks ago.
                max_step *= 2.0;
            }
            let blind = |i: usize| part.alternates && !s.looking[i];
            s.clear.clear();
            s.clear.extend(
                due.rows
                    .iter()
                    .map(|&row| wall_distance_bound(&self.ground, a.location[row as usize].point)),
            );
            // Who looks at nothing needs no closer look at the walls.
            if self.ground.flat && (reach > 0.0 || wall_reach > 0.0) {
                for (i, clear) in s.clear.iter_mut().enumerate() {
                    // As far as neighbours will be looked for, at the second try, or walls.
                    let hint = kth[due.local[i] as usize] + 2.0 * max_step;
                    let look = if hint < reach { hint } else { reach };
                    let limit = look.max(wall_reach) * 1.001;
                    if !(*clear > limit) && !blind(i) {
                        let at = a.location[due.rows[i] as usize].point;
                        *clear = clear_distance(&self.ground, at, limit);
                    }
                }
            }
            if !self.ground.flat && reach > 0.0 && wall_reach > 0.0 {
                let limit = wall_reach * 1.001;
                for (clear, &row) in s.clear.iter_mut().zip(due.rows) {
                    if !(*clear > limit) {
                        let at = a.location[row as usize].point;
                        *clear = self.grid.clear_distance(&self.ground, at, limit);
                    }
                }
            }
            if part.alternates {
                let listed = due.rows.iter().zip(due.local).zip(&s.clear);
                s.some_rows.clear();
                s.some_local.clear();
                s.some_clear.clear();
                for (((&row, &local), &clear), _) in
                    listed.zip(&s.looking).filter(|(_, looking)| **looking)
                {
                    s.some_rows.push(row);
                    s.some_local.push(local);
                    s.some_clear.push(clear);
                }
            }
            let (lookers, clear) = if part.alternates {
                let lookers = Due {
                    rows: &s.some_rows,
                    local: &s.some_local,
                    whole: None,
                };
                (lookers, &s.some_clear)
            } else {
                (due, &s.clear)
            };
            self.look(
                &lookers,
                part.perception,
                max_step,
                clear,
                kth,
                &mut s.kth,
                &mut s.neighbours,
            );
            if part.alternates {
                s.neighbours.spread(&s.looking);
            }
            s.walls.clear();
            s.walls.reserve(WALLS_AT_HAND * CHUNK);
            s.wall_start.clear();
            s.wall_start.push(0);
            for (i, (&row, &clear)) in due.rows.iter().zip(&s.clear).enumerate() {
                if wall_reach > 0.0 && clear <= wall_reach && !blind(i) {
                    let r = row as usize;
                    let frame = if self.ground.flat {
                        Frame::FLAT
                    } else {
                        a.frame[r]
                    };
                    self.ground
                        .walls_near(a.location[r], frame, wall_reach, &mut s.walls);
                }
                s.wall_start.push(s.walls.len() as u32);
            }
            let looked = Instant::now();
            spent.looking += (looked - began).as_nanos() as u64;
            s.max_speed.clear();
            s.max_speed.extend(due.rows.iter().map(|&row| {
                let r = row as usize;
                a.max_speed[r] * speed_factor(&self.ground, &a.location[r])
            }));
            s.out_velocity.clear();
            s.out_velocity.resize(due.len(), Vec2::NAN);
            s.out_push.clear();
            s.out_push
                .resize(if part.pushes { due.len() } else { 0 }, Vec2::ZERO);
            s.out_pressed.clear();
            s.out_pressed
                .resize(if part.keeps_apart { due.len() } else { 0 }, 0);
            memory.gather(&part.memory, self.stride, due.local, &mut s.memory);
            let chunk = SteerChunk {
                dt,
                step: state.step,
                seed: state.seed,
                id: due.column(&a.id, &mut s.id),
                tick: due.column(&a.tick, &mut s.tick),
                velocity: due.column(&a.velocity, &mut s.velocity),
                heading: due.column(&a.heading, &mut s.heading),
                preferred: due.column(&a.preferred, &mut s.preferred),
                target: due.column(&a.aim, &mut s.aim),
                radius: due.column(&a.radius, &mut s.radius),
                max_speed: &s.max_speed,
                mass: due.column(&a.mass, &mut s.mass),
                neighbours: s.neighbours.rows(),
                walls: WallRows {
                    start: &s.wall_start,
                    walls: &s.walls,
                },
            };
            let mut out = SteerOut {
                velocity: &mut s.out_velocity,
                push: &mut s.out_push,
                pressed: &mut s.out_pressed,
                memory: s.memory.rows(),
            };
            part.strategy
                .steer(&chunk, &mut s.avoidance[tier.avoidance], &mut out);
            for i in 0..due.len() {
                let push = s.out_push.get(i).copied().unwrap_or(Vec2::ZERO);
                let answer = Steered {
                    velocity: s.out_velocity[i],
                    push,
                    clear: s.clear[i],
                };
                let row = due.rows[i] as usize;
                steered[due.local[i] as usize] =
                    self.bounded(answer, row, s.max_speed[i], &mut spent);
            }
            let at_hand = AtHand {
                ground: self.ground,
                agents: a,
                fastest: self.fastest,
                dt: self.now.dt,
            };
            // What is free in the tangent plane need not be so over the edges of a surface.
            let bends = !self.ground.plan;
            let pressed = s.out_pressed.iter().enumerate();
            for (i, _) in pressed.filter(|(_, pressed)| bends || **pressed != 0) {
                make_room(contacts);
                let (row, walls) = (due.rows[i] as usize, chunk.walls_of(i));
                at_hand.list(row, &chunk.neighbours, i, walls, contacts);
            }
            memory.scatter(&part.memory, self.stride, due.local, &s.memory);
            spent.steering += looked.elapsed().as_nanos() as u64;
            if let Some(clock) = clocks.get(t) {
                clock
                    .avoid
                    .fetch_add(began.elapsed().as_nanos() as u64, Relaxed);
            }
        }
        spent
    }

    /// Finds the neighbours of those who are due.
    fn look(
        &self,
        due: &Due<'_>,
        perception: Perception,
        max_step: f32,
        clear: &[f32],
        kth: &mut [f32],
        some_kth: &mut Vec<f32>,
        out: &mut NeighbourBuffer,
    ) {
        if !(perception.reach > 0.0) {
            out.clear(due.len());
            return;
        }
        let mut gather = |kth: &mut [f32]| {
            self.grid.gather(
                self.ground,
                &self.agents,
                due.rows,
                perception,
                clear,
                kth,
                max_step,
                out,
            );
        };
        if due.whole.is_some() {
            let first = due.local[0] as usize;
            return gather(&mut kth[first..first + due.len()]);
        }
        some_kth.clear();
        some_kth.extend(due.local.iter().map(|&l| kth[l as usize]));
        gather(some_kth);
        for (&l, &found) in due.local.iter().zip(some_kth.iter()) {
            kth[l as usize] = found;
        }
    }

    /// A model's answer within what an agent can do; standing still if it is no number.
    #[inline]
    fn bounded(&self, answer: Steered, row: usize, max_speed: f32, spent: &mut Spent) -> Steered {
        let (state, a) = (self.state, &self.state.agents);
        let answer = if answer.velocity.is_finite() && answer.push.is_finite() {
            answer
        } else {
            spent.not_finite += 1;
            Steered {
                clear: answer.clear,
                ..Steered::default()
            }
        };
        let mut velocity = answer.velocity.clamp_length_max(max_speed);
        if self.parts.tiers.len() > 1 {
            velocity = blended(state, row, velocity, self.blend_steps, self.now.dt);
        }
        Steered {
            velocity,
            push: answer.push.clamp_length_max(MOST_PUSH * a.radius[row]),
            clear: answer.clear,
        }
    }
}
