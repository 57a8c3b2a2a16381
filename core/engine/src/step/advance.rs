//! Stages `advance`, `cursors` and `arrivals`: the one commit of a step.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{Frame, GroundView, Location, NONE};
use throng_kit::Walk;

use crate::{
    agents::Doing,
    memory::CHUNK,
    metrics::Metrics,
    parts::Parts,
    state::{Place, State, Steered, Work},
    track::Passer,
};

/// Slower than this nobody turns, metres per second.
const TURNING_SPEED: f32 = 0.05;

/// In [`Work::arrived`]: on the way, or staying.
pub const NEITHER: u8 = 0;
/// In [`Work::arrived`]: at the goal.
pub const THERE: u8 = 1;
/// In [`Work::arrived`]: has not set off yet.
pub const WAITS: u8 = 2;

/// Moves everybody by what avoidance chose, along the ground.
pub fn advance(place: &Place, state: &mut State, work: &Work, metrics: &mut Metrics) {
    let ground = place.ground.view();
    let dt = state.dt;
    let a = &mut state.agents;
    let crossings = AtomicU64::new(0);
    let lost = AtomicU64::new(0);
    let too_far = AtomicU64::new(0);
    let radius = &a.radius;
    let max_speed = &a.max_speed;
    a.location
        .par_chunks_mut(CHUNK)
        .zip(a.before.par_chunks_mut(CHUNK))
        .zip(a.frame.par_chunks_mut(CHUNK))
        .zip(a.velocity.par_chunks_mut(CHUNK))
        .zip(a.heading.par_chunks_mut(CHUNK))
        .zip(a.record.par_chunks_mut(CHUNK))
        .zip(work.steered.par_chunks(CHUNK))
        .enumerate()
        .for_each(
            |(chunk, ((((((location, before), frame), velocity), heading), record), steered))| {
                for i in 0..location.len() {
                    let row = chunk * CHUNK + i;
                    let Steered { velocity: v, push } = steered[i];
                    let from = location[i];
                    before[i] = from;
                    let wanted = v * dt + push;
                    let moved = ground.advance(from, frame[i], wanted, radius[row]);
                    let chord = moved.to.point.distance(from.point);
                    let cap = max_speed[row] * dt + push.length() + 1e-3;
                    too_far.fetch_add(u64::from(chord > cap), Relaxed);
                    if !moved.to.is_somewhere() || !moved.to.point.is_finite() {
                        lost.fetch_add(1, Relaxed);
                        continue;
                    }
                    crossings.fetch_add(
                        u64::from(crosses_wall(&ground, from, moved.to, moved.walked)),
                        Relaxed,
                    );
                    location[i] = moved.to;
                    frame[i] = moved.frame;
                    velocity[i] = if moved.touched_wall {
                        // What the wall let through, without the push.
                        ((moved.moved - push) / dt).clamp_length_max(v.length())
                    } else {
                        v
                    };
                    if v.length_squared() > TURNING_SPEED * TURNING_SPEED {
                        heading[i] = v.normalize();
                    }
                    record[i].walked += f64::from(moved.walked);
                }
            },
        );
    metrics.wall_crossings += crossings.into_inner();
    metrics.lost += lost.into_inner();
    metrics.beyond_cap += too_far.into_inner();
}

/// Whether a move went through a wall: its chord crosses one, and the way walked is too short to
/// have gone round an end of it. Independent of how [`Walk::advance`] works.
fn crosses_wall(ground: &GroundView<'_>, from: Location, to: Location, walked: f32) -> bool {
    if !ground.plan || from.triangle == to.triangle {
        return false;
    }
    let index = &ground.wall_index;
    let (low, high) = (
        index.cell_of(from.point.min(to.point)),
        index.cell_of(from.point.max(to.point)),
    );
    let (a, b) = (from.point.truncate(), to.point.truncate());
    let floor = ground.floors[from.triangle as usize];
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                for &w in index.items_in(glam::IVec3::new(x, y, z)) {
                    let wall = &ground.walls[w as usize];
                    if !ground.stands(wall)
                        || wall.triangle == NONE
                        || ground.floors[wall.triangle as usize] != floor
                    {
                        continue;
                    }
                    let (c, d) = (wall.a.truncate(), wall.b.truncate());
                    // A hair on either side is touching, not crossing.
                    let side = |p: Vec2, q: Vec2, r: Vec2| {
                        (q - p).perp_dot(r - p) / (q - p).length().max(1e-9)
                    };
                    let through = side(c, d, a) > 1e-3
                        && side(c, d, b) < -1e-3
                        && side(a, b, c) * side(a, b, d) < 0.0;
                    if through {
                        let round =
                            (a.distance(c) + c.distance(b)).min(a.distance(d) + d.distance(b));
                        if walked + 1e-3 < round {
                            return true;
                        }
                    }
                }
            }
        }
    }
    false
}

/// Moves route cursors past the gates that were passed, and marks who has arrived.
pub fn cursors(place: &Place, parts: &Parts, state: &mut State, work: &mut Work) {
    let site = place.site();
    let mut track = std::mem::take(&mut state.agents.track);
    work.arrived.resize(state.agents.len(), 0);
    let (a, routes, map, pool) = (&state.agents, &state.routes, &state.map, &work.pool);
    work.arrived
        .par_chunks_mut(CHUNK)
        .zip(track.par_chunks_mut(CHUNK))
        .enumerate()
        .for_each(|(chunk, (arrived, tracks))| {
            pool.with(|scratch| {
                for i in 0..arrived.len() {
                    let row = chunk * CHUNK + i;
                    arrived[i] = match a.record[row].doing {
                        Doing::Waiting => WAITS,
                        _ => NEITHER,
                    };
                    if a.record[row].doing != Doing::Walking {
                        continue;
                    }
                    let at = a.location[row];
                    let track = &mut tracks[i];
                    if track.has_gate {
                        let frame: Frame = a.frame[row];
                        let body = Passer {
                            before: a.before[row].point,
                            now: at.point,
                            up: frame.up(site.ground.normals[at.triangle as usize]),
                            radius: a.radius[row],
                            reach: parts.tiers[a.tier[row] as usize].follow.reach,
                        };
                        routes.pass(
                            track,
                            &body,
                            &*parts.nav,
                            &site,
                            map,
                            &mut scratch.follow.gates,
                        );
                    }
                    let there = match a.goal[row] {
                        NONE => {
                            let near = a.radius[row].max(0.25);
                            a.target[row].is_somewhere()
                                && at.point.distance_squared(a.target[row].point) < near * near
                        }
                        goal => place.areas[goal as usize].contains(site.ground, at),
                    };
                    arrived[i] = if there { THERE } else { NEITHER };
                }
            });
        });
    state.agents.track = track;
    let a = &mut state.agents;
    for row in 0..a.len() {
        let due = parts.is_due(a.tier[row], a.id[row], state.step);
        a.tick[row] = a.tick[row].wrapping_add(u32::from(due));
    }
}
