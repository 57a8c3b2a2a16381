//! Stages `neighbours` and `avoidance`: velocities that miss others and walls.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{Frame, SteerChunk, SteerOut, WallRows};
use throng_kit::Walk;

use crate::{
    memory::CHUNK,
    metrics::Metrics,
    parts::Parts,
    state::{Place, State, Steered, Work, speed_factor},
};

/// For so long after a change of tier an agent's velocity changes no faster than this.
const BLEND_SECONDS: f32 = 0.5;
const BLEND_ACCELERATION: f32 = 10.0;
/// Largest displacement in a step that a model may push a body by, in radii.
const MOST_PUSH: f32 = 0.5;

/// Chooses everybody's velocity. Those whose tier is not due keep theirs.
pub fn avoid(
    place: &Place,
    parts: &Parts,
    state: &mut State,
    work: &mut Work,
    metrics: &mut Metrics,
) {
    let count = state.agents.len();
    work.steered.resize(count, Steered::default());
    let site = place.site();
    let ground = site.ground;
    let began = Instant::now();
    let reach = parts
        .tiers
        .iter()
        .map(|t| parts.avoidances[t.avoidance].perception.reach)
        .fold(0.0, f32::max);
    if reach > 0.0 {
        let agents = state.agents.view(ground.flat);
        work.grid.rebuild(
            ground,
            &agents,
            &state.agents.height,
            &state.movers_now,
            reach,
        );
    }
    metrics.stages.neighbours += began.elapsed();
    work.reciprocal.clear();
    work.reciprocal.extend(
        parts
            .tiers
            .iter()
            .map(|t| parts.avoidances[t.avoidance].perception.reach > 0.0),
    );
    let blend_steps = (BLEND_SECONDS / state.dt).ceil() as u64;
    let fastest = state.agents.max_speed.iter().copied().fold(0.0, f32::max);
    let mut kth = std::mem::take(&mut state.agents.kth);
    let mut memory = std::mem::take(&mut state.memory);
    let stride = memory.stride();
    let agents = state.agents.view(ground.flat);
    let (a, grid, pool, reciprocal) = (&state.agents, &work.grid, &work.pool, &work.reciprocal);
    let (looking, steering) = (AtomicU64::new(0), AtomicU64::new(0));
    let not_finite = AtomicU64::new(0);
    work.steered
        .par_chunks_mut(CHUNK)
        .zip(kth.par_chunks_mut(CHUNK))
        .zip(memory.chunks_mut().par_iter_mut())
        .enumerate()
        .for_each(|(chunk, ((steered, kth), memory))| {
            let first = chunk * CHUNK;
            let rows = first..first + steered.len();
            pool.with(|s| {
                s.avoidance.resize_with(parts.avoidances.len(), Default::default);
                for (t, tier) in parts.tiers.iter().enumerate() {
                    s.rows.clear();
                    s.local.clear();
                    for row in rows.clone() {
                        if usize::from(a.tier[row]) == t {
                            if parts.is_due(t as u8, a.id[row], state.step) {
                                s.rows.push(row as u32);
                                s.local.push((row - first) as u32);
                            } else {
                                steered[row - first] = Steered {
                                    velocity: a.velocity[row],
                                    push: Vec2::ZERO,
                                };
                            }
                        }
                    }
                    if s.rows.is_empty() {
                        continue;
                    }
                    let n = s.rows.len();
                    let part = &parts.avoidances[tier.avoidance];
                    let dt = tier.period as f32 * state.dt;
                    let began = Instant::now();
                    s.kth.clear();
                    s.kth.extend(s.local.iter().map(|&l| kth[l as usize]));
                    if part.perception.reach > 0.0 {
                        grid.gather(
                            ground,
                            &agents,
                            &s.rows,
                            part.perception,
                            &mut s.kth,
                            2.0 * fastest * dt,
                            reciprocal,
                            &mut s.neighbours,
                        );
                    } else {
                        s.neighbours.clear(n);
                    }
                    for (i, &l) in s.local.iter().enumerate() {
                        kth[l as usize] = s.kth[i];
                    }
                    s.walls.clear();
                    s.wall_start.clear();
                    s.wall_start.push(0);
                    for &row in &s.rows {
                        if part.perception.wall_reach > 0.0 {
                            let r = row as usize;
                            let frame = if ground.flat { Frame::FLAT } else { a.frame[r] };
                            ground.walls_near(
                                a.location[r],
                                frame,
                                part.perception.wall_reach,
                                &mut s.walls,
                            );
                        }
                        s.wall_start.push(s.walls.len() as u32);
                    }
                    let looked = Instant::now();
                    looking.fetch_add((looked - began).as_nanos() as u64, Relaxed);
                    macro_rules! columns {
                        ($($name:ident = $from:expr;)*) => {$(
                            s.$name.clear();
                            s.$name.extend(s.rows.iter().map(|&row| { let row = row as usize; $from(row) }));
                        )*};
                    }
                    columns! {
                        id = |r: usize| a.id[r];
                        tick = |r: usize| a.tick[r];
                        velocity = |r: usize| a.velocity[r];
                        heading = |r: usize| a.heading[r];
                        preferred = |r: usize| a.preferred[r];
                        aim = |r: usize| a.aim[r];
                        radius = |r: usize| a.radius[r];
                        max_speed = |r: usize| a.max_speed[r] * speed_factor(&ground, &a.location[r]);
                        mass = |r: usize| a.mass[r];
                    }
                    s.out_velocity.clear();
                    s.out_velocity.resize(n, Vec2::NAN);
                    s.out_push.clear();
                    s.out_push.resize(if part.pushes { n } else { 0 }, Vec2::ZERO);
                    memory.gather(&part.memory, stride, &s.local, &mut s.memory);
                    let chunk = SteerChunk {
                        dt,
                        step: state.step,
                        seed: state.seed,
                        id: &s.id,
                        tick: &s.tick,
                        velocity: &s.velocity,
                        heading: &s.heading,
                        preferred: &s.preferred,
                        target: &s.aim,
                        radius: &s.radius,
                        max_speed: &s.max_speed,
                        mass: &s.mass,
                        neighbours: s.neighbours.rows(),
                        walls: WallRows {
                            start: &s.wall_start,
                            walls: &s.walls,
                        },
                    };
                    let mut out = SteerOut {
                        velocity: &mut s.out_velocity,
                        push: &mut s.out_push,
                        memory: s.memory.rows(),
                    };
                    part.strategy
                        .steer(&chunk, &mut s.avoidance[tier.avoidance], &mut out);
                    memory.scatter(&part.memory, stride, &s.local, &s.memory);
                    for i in 0..n {
                        let mut velocity = s.out_velocity[i];
                        let mut push = s.out_push.get(i).copied().unwrap_or(Vec2::ZERO);
                        if !velocity.is_finite() || !push.is_finite() {
                            not_finite.fetch_add(1, Relaxed);
                            velocity = Vec2::ZERO;
                            push = Vec2::ZERO;
                        }
                        let mut velocity = velocity.clamp_length_max(s.max_speed[i]);
                        let since = a.record[s.rows[i] as usize].tier_since;
                        if since > 0 && state.step < since + blend_steps {
                            let change = velocity - s.velocity[i];
                            velocity = s.velocity[i]
                                + change.clamp_length_max(BLEND_ACCELERATION * state.dt);
                        }
                        steered[s.local[i] as usize] = Steered {
                            velocity,
                            push: push.clamp_length_max(MOST_PUSH * s.radius[i]),
                        };
                    }
                    steering.fetch_add(looked.elapsed().as_nanos() as u64, Relaxed);
                }
            });
        });
    state.agents.kth = kth;
    state.memory = memory;
    metrics.not_finite += not_finite.into_inner();
    metrics
        .stages
        .add_parallel(looking.into_inner(), steering.into_inner());
}
