//! Stages `advance`, `cursors` and `arrivals`: the one commit of a step.

use std::sync::Mutex;

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{Frame, GroundView, Location, NONE};
use throng_kit::Walk;

use crate::{
    agents::Doing,
    follow::DIVERGENT,
    memory::CHUNK,
    metrics::Metrics,
    parts::Parts,
    scenario::FollowKind,
    state::{Place, State, Steered, Work},
    step::avoid::Move,
    track::{Passer, Track},
};

/// Walls farther above or below belong to another storey, metres.
const STOREY: f32 = 1.0;
/// Gates on curved grounds are passed within this many metres beyond them.
const BEYOND_GATE: f32 = 3.0;
/// Who steps over an edge at which normals have a smaller product than this looks again where to
/// walk.
const OVER_EDGE: f32 = 0.9;
/// Slower than this nobody turns, metres per second.
const TURNING_SPEED: f32 = 0.05;

/// Nobody walks farther than this without looking whether a gate or the goal is near, metres.
const LONG_WAY: f32 = 4.0;
/// What positions may be off after that from the sum of the steps, metres.
const ROUNDING: f32 = 0.04;
/// Sine of the angle up to which somebody walks straight to a point.
const STRAIGHT: f32 = 1e-3;

/// In [`Work::arrived`]: on the way, or staying.
pub const NEITHER: u8 = 0;
/// In [`Work::arrived`]: at the goal.
pub const THERE: u8 = 1;
/// In [`Work::arrived`]: has not set off yet.
pub const WAITS: u8 = 2;

/// Moves everybody by what avoidance chose, along the ground.
pub fn advance(place: &Place, state: &mut State, work: &Work, metrics: &mut Metrics, now: Move) {
    let ground = place.ground.view();
    let (dt, flat) = (now.dt, ground.flat);
    let a = &mut state.agents;
    let wrong = Mutex::new(Wrong::default());
    let radius = &a.radius;
    let max_speed = &a.max_speed;
    a.location
        .par_chunks_mut(CHUNK)
        .zip(a.before.par_chunks_mut(CHUNK))
        .zip(a.frame.par_chunks_mut(CHUNK))
        .zip(a.velocity.par_chunks_mut(CHUNK))
        .zip(a.heading.par_chunks_mut(CHUNK))
        .zip(a.walked.par_chunks_mut(CHUNK))
        .zip(a.room.par_chunks_mut(CHUNK))
        .zip(a.free.par_chunks_mut(CHUNK))
        .zip(a.until.par_chunks_mut(CHUNK))
        .zip(work.steered.par_chunks(CHUNK))
        .enumerate()
        .for_each(|(chunk, columns)| {
            let (columns, steered) = columns;
            let (((columns, room), free), until) = columns;
            let (((((location, before), frame), velocity), heading), walked) = columns;
            let mut here = Wrong::default();
            for i in 0..location.len() {
                let row = chunk * CHUNK + i;
                let Steered {
                    velocity: v,
                    push,
                    clear,
                } = steered[i];
                let from = location[i];
                if now.first {
                    before[i] = from;
                }
                if v.length_squared() > TURNING_SPEED * TURNING_SPEED {
                    heading[i] = v.normalize();
                }
                let wanted = v * dt + push;
                let length = wanted.length();
                let pushed = if push == Vec2::ZERO {
                    0.0
                } else {
                    push.length()
                };
                let cap = max_speed[row] * dt + pushed + 1e-3;
                // Almost everybody in almost every step.
                if flat
                    && let Some(to) = walk_free(
                        &ground,
                        from,
                        wanted,
                        length,
                        radius[row],
                        clear,
                        &mut free[i],
                    )
                {
                    let chord = to.point.distance_squared(from.point);
                    here.too_far += u64::from(chord > cap * cap);
                    location[i] = to;
                    velocity[i] = v;
                    walked[i] += f64::from(length);
                    until[i] -= length;
                    room[i] -= length;
                    continue;
                }
                let own_frame = if flat { Frame::FLAT } else { frame[i] };
                let moved = ground.advance(from, own_frame, wanted, radius[row]);
                let chord = moved.to.point.distance(from.point);
                here.too_far += u64::from(chord > cap);
                if !moved.to.is_somewhere() || !moved.to.point.is_finite() {
                    here.lost += 1;
                    continue;
                }
                let crosses = crosses_wall(&ground, from, moved.to, moved.walked);
                here.crossings += u64::from(crosses);
                location[i] = moved.to;
                if !flat && frame[i] != moved.frame {
                    frame[i] = moved.frame;
                }
                velocity[i] = if moved.touched_wall {
                    // What the wall let through, without the push.
                    ((moved.moved - push) / dt).clamp_length_max(v.length())
                } else {
                    v
                };
                walked[i] += f64::from(moved.walked);
                until[i] -= moved.walked;
                room[i] -= moved.walked;
                if moved.touched_wall {
                    // No longer straight to the gate.
                    until[i] = 0.0;
                }
                // Who went round something may have left its disc and come back elsewhere.
                if moved.walked > chord * 1.001 + 1e-4 {
                    room[i] = f32::NEG_INFINITY;
                }
            }
            if here != Wrong::default() {
                let mut wrong = wrong.lock().unwrap_or_else(|e| e.into_inner());
                wrong.crossings += here.crossings;
                wrong.lost += here.lost;
                wrong.too_far += here.too_far;
            }
        });
    let wrong = wrong.into_inner().unwrap_or_else(|e| e.into_inner());
    metrics.wall_crossings += wrong.crossings;
    metrics.lost += wrong.lost;
    metrics.beyond_cap += wrong.too_far;
}

/// Walls are looked for within this distance, metres.
const LOOK: f32 = 2.0;
/// Who has a wall at hand looks again after so many metres.
const AT_HAND: f32 = 0.5;

/// A step of a body on a flat ground that no wall is in reach of; nothing if one may be. `free`
/// remembers how far the walls are, so that they are looked for once in many steps.
#[inline]
fn walk_free(
    ground: &GroundView<'_>,
    from: Location,
    wanted: Vec2,
    length: f32,
    radius: f32,
    clear: f32,
    free: &mut f32,
) -> Option<Location> {
    if !(length > 0.0 && length <= LOOK) {
        *free = if length == 0.0 { *free } else { 0.0 };
        return None;
    }
    let known = *free;
    let left = known - length;
    // As far as walls are looked for in [`Walk::advance`], and a hair more.
    let reach = (length + radius + 8.0 * ground.grain) * 1.002;
    if clear >= reach || known >= reach {
        // What is known where it stands holds less a step's length where it goes.
        *free = if known > 0.0 { left.max(0.0) } else { known };
    } else if known < 0.0 {
        *free = (known + length).min(0.0);
        return None;
    } else {
        let found = ground.free_distance(from, LOOK);
        if found < reach + length {
            *free = -AT_HAND;
            return None;
        }
        *free = found - length;
    }
    let place = ground.steps_in_place(from, wanted, length, radius, f32::INFINITY);
    Some(place.unwrap_or_else(|| ground.walks_in_the_open(from, wanted)))
}

/// Moves that must not be.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Wrong {
    crossings: u64,
    lost: u64,
    too_far: u64,
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
                    // Storeys of one mesh are one floor: their walls stand at other heights.
                    let (z, from_z) = (wall.a.z.min(wall.b.z), from.point.z.max(to.point.z));
                    let (top, to_z) = (wall.a.z.max(wall.b.z), from.point.z.min(to.point.z));
                    if z > from_z + STOREY || top < to_z - STOREY {
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

/// Notes on a route that its walker may have stepped over an edge of the surface: what lies ahead
/// looks different from there, and who has left the side of what it walks to has lost its way.
fn over_edge(
    ground: &GroundView<'_>,
    track: &mut Track,
    from: Location,
    to: Location,
    target: Location,
) {
    let normal = |triangle: u32| ground.normals.get(triangle as usize).copied();
    let ahead = if track.has_gate {
        track.gate.triangle
    } else {
        target.triangle
    };
    let (Some(before), Some(now)) = (normal(from.triangle), normal(to.triangle)) else {
        return;
    };
    if before.dot(now) >= OVER_EDGE {
        return;
    }
    track.stale = true;
    track.left |=
        normal(ahead).is_some_and(|n| n.dot(before) >= DIVERGENT && n.dot(now) < DIVERGENT);
}

/// Moves route cursors past the gates that were passed, and marks who has arrived.
pub fn cursors(place: &Place, parts: &Parts, state: &mut State, work: &mut Work) {
    let site = place.site();
    let mut track = std::mem::take(&mut state.agents.track);
    let mut mark = std::mem::take(&mut state.agents.mark);
    let mut tick = std::mem::take(&mut state.agents.tick);
    let mut until = std::mem::take(&mut state.agents.until);
    // Elsewhere the way up changes from step to step, or routes change after guiding.
    let lazy = site.ground.flat && place.obstacles.is_none();
    work.arrived.resize(state.agents.len(), 0);
    let (a, routes, map, pool) = (&state.agents, &state.routes, &state.map, &work.pool);
    let gated = &work.gated;
    // Nothing but a wall leads somebody off the straight line to its gate.
    let straight_on = |tier: u8| {
        let tier = &parts.tiers[usize::from(tier)];
        let avoidance = &parts.avoidances[tier.avoidance];
        lazy && tier.follow.kind == FollowKind::Linear
            && avoidance.perception.reach == 0.0
            && !parts.group.active()
    };
    let always = parts.tiers.iter().all(|t| t.period == 1);
    work.arrived
        .par_chunks_mut(CHUNK)
        .zip(track.par_chunks_mut(CHUNK))
        .zip(tick.par_chunks_mut(CHUNK))
        .zip(until.par_chunks_mut(CHUNK))
        .zip(mark.par_chunks_mut(CHUNK))
        .enumerate()
        .for_each(|(chunk, ((((arrived, tracks), ticks), until), marks))| {
            pool.with(|scratch| {
                let near = &mut scratch.local;
                near.clear();
                near.resize(arrived.len(), 0);
                let mut count = 0;
                for i in 0..arrived.len() {
                    let row = chunk * CHUNK + i;
                    let due = always || parts.is_due(a.tier[row], a.id[row], state.step);
                    ticks[i] = ticks[i].wrapping_add(u32::from(due));
                    let walks = a.doing[row] == Doing::Walking;
                    arrived[i] = match a.doing[row] {
                        Doing::Waiting => WAITS,
                        _ => NEITHER,
                    };
                    until[i] = if walks { until[i] } else { 0.0 };
                    near[count] = i as u32;
                    count += usize::from(walks & !(lazy & (until[i] > 0.0)));
                }
                near.truncate(count);
                routes.read_ahead(map, near.iter().map(|&i| &tracks[i as usize]));
                for &i in &*near {
                    let i = i as usize;
                    let row = chunk * CHUNK + i;
                    let at = a.location[row];
                    if !site.ground.plan && a.before[row].triangle != at.triangle {
                        over_edge(
                            &site.ground,
                            &mut tracks[i],
                            a.before[row],
                            at,
                            a.target[row],
                        );
                        marks[i] = tracks[i].mark();
                    }
                    let mut to_gate = f32::INFINITY;
                    if gated[row] != 0 {
                        let track = &mut tracks[i];
                        let frame: Frame = a.frame[row];
                        let follow = &parts.tiers[a.tier[row] as usize].follow;
                        let body = Passer {
                            before: a.before[row].point,
                            now: at.point,
                            up: frame.up(site.ground.normals[at.triangle as usize]),
                            normal: site.ground.normals[at.triangle as usize],
                            radius: a.radius[row],
                            reach: follow.reach,
                            lane: (follow.kind == FollowKind::Indicative).then(|| a.lane[row]),
                            far: if site.ground.plan {
                                f32::INFINITY
                            } else {
                                BEYOND_GATE
                            },
                        };
                        let passed = routes.pass(
                            track,
                            &body,
                            &*parts.nav,
                            &site,
                            map,
                            &mut scratch.follow.gates,
                        );
                        if passed {
                            marks[i] = track.mark();
                        }
                        if track.has_gate {
                            to_gate = body.to_gate(&track.gate);
                            let (to, v) = ((track.corner - at.point).truncate(), a.velocity[row]);
                            let off = v.perp_dot(to).abs() / (v.length() * to.length());
                            if marks[i].aimed()
                                && straight_on(a.tier[row])
                                && off < STRAIGHT
                                && v.dot(to) > 0.0
                            {
                                to_gate = to.length();
                            }
                        }
                    }
                    let (there, to_goal) = match a.goal[row] {
                        NONE if a.target[row].is_somewhere() => {
                            let near = a.radius[row].max(0.25);
                            let squared = at.point.distance_squared(a.target[row].point);
                            (squared < near * near, squared.sqrt() - near)
                        }
                        NONE => (false, f32::INFINITY),
                        goal => {
                            let area = &place.areas[goal as usize];
                            (area.contains(site.ground, at), area.at_least_from(at.point))
                        }
                    };
                    arrived[i] = if there { THERE } else { NEITHER };
                    until[i] = to_gate.min(to_goal).min(LONG_WAY) - ROUNDING;
                }
            });
        });
    state.agents.track = track;
    state.agents.mark = mark;
    state.agents.tick = tick;
    state.agents.until = until;
}
