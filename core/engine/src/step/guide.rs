//! Stages `guide` and `groups`: what everybody would like to do.

use std::{sync::atomic::Ordering::Relaxed, time::Instant};

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use throng_core::{Frame, GroupChunk, GroupOut, GuideChunk, GuideOut, math};

use super::due::Due;
use crate::{
    agents::Doing,
    follow::{
        self, Walker,
        aside::step_aside,
        indicative::{find_attraction, run_on},
    },
    memory::CHUNK,
    parts::Parts,
    scenario::{FollowKind, SpeedLaw},
    state::{Guided, Place, State, Work, speed_factor},
    track::TrackKind,
};

/// Steps between two looks for a new corner.
const CORNER_EVERY: u64 = 8;
/// Steps between two looks for a new attraction point, which runs along its lane meanwhile.
const ATTRACTION_EVERY: u64 = 16;

/// Of the speed laws no one stands for ever: who is pressed together shuffles apart at this share
/// of the desired speed. At 0 a cell that was once full would stay so.
const SHUFFLE: f32 = 0.02;

/// Factor on walking speed at a density: area share for the linear law, persons per square
/// metre for Weidmann's.
pub fn speed_at(law: SpeedLaw, share: f32, persons: f32) -> f32 {
    match law {
        SpeedLaw::None => 1.0,
        SpeedLaw::Linear => (1.0 - share).clamp(SHUFFLE, 1.0),
        // Weidmann 1993: v = v0 (1 - exp(-1.913 (1/rho - 1/5.4))).
        SpeedLaw::Weidmann if persons <= 1e-3 => 1.0,
        SpeedLaw::Weidmann => {
            (1.0 - math::exp(-1.913 * (1.0 / persons - 1.0 / 5.4))).clamp(SHUFFLE, 1.0)
        }
    }
}

/// Writes preferred velocities and the points walked to.
pub fn guide(place: &Place, parts: &Parts, laws: &[SpeedLaw], state: &mut State, work: &mut Work) {
    let count = state.agents.len();
    work.guided.resize(count, Guided::default());
    work.gated.resize(count, 0);
    work.led.resize(count, 0);
    let mut track = std::mem::take(&mut state.agents.track);
    let mut mark = std::mem::take(&mut state.agents.mark);
    let mut until = std::mem::take(&mut state.agents.until);
    let mut sought = std::mem::take(&mut state.agents.sought);
    // Rows come and go with the agents, so that every chunk of agents has its chunk of memory.
    let mut memory = std::mem::take(&mut state.memory);
    let stride = memory.stride();
    let site = place.site();
    let world = state.world(site, &*parts.nav);
    let (a, ground) = (&state.agents, &site.ground);
    // Nobody's record is looked at where all slow down alike.
    let same = laws.iter().all(|law| *law == laws[0]);
    let laws = match laws {
        [SpeedLaw::None, ..] if same => &[],
        [_, ..] if same => &laws[..1],
        _ => laws,
    };
    let (pool, clocks) = (&work.pool, &work.tier_clocks);
    work.guided
        .par_chunks_mut(CHUNK)
        .zip(track.par_chunks_mut(CHUNK))
        .zip(memory.chunks_mut().par_iter_mut())
        .zip(work.gated.par_chunks_mut(CHUNK))
        .zip(work.led.par_chunks_mut(CHUNK))
        .zip(until.par_chunks_mut(CHUNK))
        .zip(mark.par_chunks_mut(CHUNK))
        .zip(sought.par_chunks_mut(CHUNK))
        .enumerate()
        .for_each(|(chunk, (columns, sought))| {
            let ((((((guided, tracks), memory), gated), led), until), marks) = columns;
            let first = chunk * CHUNK;
            let rows = first..first + guided.len();
            pool.with(|scratch| {
                scratch
                    .planner
                    .resize_with(parts.planners.len(), Default::default);
                for (t, tier) in parts.tiers.iter().enumerate() {
                    let leads = parts.planners[tier.guide].leads();
                    let due = Due::list(
                        parts,
                        a,
                        state.step,
                        t,
                        rows.clone(),
                        &mut scratch.rows,
                        &mut scratch.local,
                        |local| {
                            guided[local] = Guided {
                                preferred: a.preferred[first + local],
                                aim: a.aim[first + local],
                            };
                            led[local] = u8::from(leads);
                        },
                    );
                    if due.is_empty() {
                        continue;
                    }
                    let began = clocks.get(t).map(|clock| (clock, Instant::now()));
                    let n = due.len();
                    let dt = tier.period as f32 * state.dt;
                    let part = &parts.planners[tier.guide];
                    // Who has no gate ahead walks to its target: nobody's track has to be
                    // read for that.
                    let walks_straight =
                        matches!(tier.follow.kind, FollowKind::Gates | FollowKind::Linear);
                    scratch.follow_route.clear();
                    scratch.follow_route.resize(n, u8::from(!leads));
                    if leads {
                        scratch.preferred.clear();
                        scratch.preferred.resize(n, Vec2::ZERO);
                        scratch.aim.clear();
                        scratch.aim.resize(n, Vec2::ZERO);
                        let chunk = GuideChunk { rows: due.rows, dt };
                        let planner = &mut scratch.planner[tier.guide];
                        let (preferred, target) = (&mut scratch.preferred, &mut scratch.aim);
                        let follow_route = &mut scratch.follow_route;
                        memory.with_columns(
                            &part.memory,
                            stride,
                            due.local,
                            &mut scratch.memory,
                            |memory| {
                                let mut out = GuideOut {
                                    preferred,
                                    target,
                                    follow_route,
                                    memory,
                                };
                                part.strategy.guide(&world, &chunk, planner, &mut out);
                            },
                        );
                    }
                    for i in 0..n {
                        let (row, local) = (due.rows[i] as usize, due.local[i] as usize);
                        let out = &mut guided[local];
                        led[local] = u8::from(scratch.follow_route[i] == 0);
                        match a.doing[row] {
                            Doing::Walking => {}
                            Doing::Overridden => {
                                *out = Guided {
                                    preferred: a.preferred[row],
                                    aim: a.preferred[row],
                                };
                                continue;
                            }
                            Doing::Waiting | Doing::Staying => {
                                *out = Guided::default();
                                continue;
                            }
                        }
                        if scratch.follow_route[i] == 0 {
                            let (wish, limit) = (scratch.preferred[i], a.max_speed[row]);
                            // Stairs and the speed law slow down whoever is guided, too.
                            let slowed = slowed(laws, state, ground, row);
                            *out = Guided {
                                preferred: if wish.is_finite() {
                                    wish.clamp_length_max(limit) * slowed
                                } else {
                                    Vec2::ZERO
                                },
                                aim: scratch.aim[i],
                            };
                            continue;
                        }
                        let kind = marks[local].kind();
                        if !matches!(kind, TrackKind::Edges | TrackKind::Gates) {
                            *out = Guided::default();
                            continue;
                        }
                        let at = a.location[row];
                        let straight =
                            ground.flat && !marks[local].has_gate() && !marks[local].stale();
                        if straight && walks_straight {
                            let to = a.target[row].point.truncate() - at.point.truncate();
                            let speed = wanted_speed(laws, state, ground, row);
                            *out = Guided {
                                preferred: follow::towards(to, speed, dt, true),
                                aim: to,
                            };
                            continue;
                        }
                        let track = &mut tracks[local];
                        if tier.follow.kind == FollowKind::Linear
                            && ground.flat
                            && marks[local].has_gate()
                        {
                            // The point stays as long as the gate does.
                            if !marks[local].aimed() {
                                track.corner = follow::middle_of(&track.gate);
                                sought[local] = track.corner.truncate();
                                marks[local] = marks[local].with_aim();
                            }
                            let to = sought[local] - at.point.truncate();
                            let speed = wanted_speed(laws, state, ground, row);
                            *out = Guided {
                                preferred: follow::towards(to, speed, dt, false),
                                aim: to,
                            };
                            continue;
                        }
                        let walker = Walker {
                            point: at.point,
                            triangle: at.triangle,
                            region: a.region[row],
                            normal: if ground.flat {
                                Vec3::Z
                            } else {
                                ground.normals[at.triangle as usize]
                            },
                            frame: if ground.flat {
                                Frame::FLAT
                            } else {
                                a.frame[row]
                            },
                            velocity: a.velocity[row],
                            preferred: a.preferred[row],
                            radius: a.radius[row],
                            speed: wanted_speed(laws, state, ground, row),
                            lane: a.lane[row],
                            target: a.target[row].point,
                            target_triangle: a.target[row].triangle,
                            dt,
                            flat: ground.flat,
                        };
                        let turn = state.step + (a.id[row] & 0xFFFF_FFFF);
                        // What was folded up about an edge is seen better from nearer.
                        let folded = !ground.plan && track.corner != walker.target;
                        let due = (track.has_gate || folded)
                            && match tier.follow.kind {
                                FollowKind::Indicative => turn.is_multiple_of(ATTRACTION_EVERY),
                                _ => turn.is_multiple_of(CORNER_EVERY),
                            };
                        let look = track.stale || due;
                        // Those who look may find that they have passed gates.
                        let skips =
                            matches!(tier.follow.kind, FollowKind::Gates | FollowKind::Indicative);
                        if look && skips {
                            until[local] = 0.0;
                        }
                        match tier.follow.kind {
                            FollowKind::Gates if look => follow::find_corner(
                                track,
                                &walker,
                                &state.routes,
                                &*parts.nav,
                                &site,
                                &state.map,
                                &mut scratch.follow,
                            ),
                            FollowKind::Indicative if look => find_attraction(
                                track,
                                &walker,
                                tier.follow.look_ahead,
                                &state.routes,
                                &*parts.nav,
                                &site,
                                &state.map,
                                &mut scratch.follow,
                            ),
                            FollowKind::Indicative => run_on(track, &walker),
                            FollowKind::Seek if look => follow::note_sought(track, &walker),
                            _ => {}
                        }
                        let (mut preferred, aim) = follow::follow(&tier.follow, track, &walker);
                        if !ground.plan {
                            preferred = step_aside(track, &walker, preferred);
                        }
                        *out = Guided { preferred, aim };
                        marks[local] = track.mark();
                    }
                    if let Some((clock, began)) = began {
                        let spent = began.elapsed().as_nanos() as u64;
                        clock.guide.fetch_add(spent, Relaxed);
                    }
                }
            });
            for (gated, mark) in gated.iter_mut().zip(marks.iter()) {
                *gated = u8::from(mark.has_gate());
            }
        });
    state.agents.track = track;
    state.agents.mark = mark;
    state.agents.until = until;
    state.agents.sought = sought;
    state.memory = memory;
}

/// The share of its own speed that an agent wants where it stands.
#[inline(always)]
fn slowed(
    laws: &[SpeedLaw],
    state: &State,
    ground: &throng_core::GroundView<'_>,
    row: usize,
) -> f32 {
    let a = &state.agents;
    if laws.is_empty() && speed_factor(ground, &a.location[row]) == 1.0 {
        return 1.0;
    }
    wanted_speed(laws, state, ground, row) / a.speed[row].max(1e-6)
}

/// The speed that an agent wants where it stands; no laws are those that slow nobody down, one
/// is everybody's.
#[inline]
fn wanted_speed(
    laws: &[SpeedLaw],
    state: &State,
    ground: &throng_core::GroundView<'_>,
    row: usize,
) -> f32 {
    let a = &state.agents;
    let speed = a.speed[row] * speed_factor(ground, &a.location[row]);
    let law = match *laws {
        [] => SpeedLaw::None,
        [law] => law,
        _ => laws[usize::from(a.record[row].profile)],
    };
    let (cell, crowd) = (a.cell[row], &state.crowd);
    match law {
        SpeedLaw::None => speed,
        SpeedLaw::Linear => speed * speed_at(law, crowd.share_of_others(cell, a.share[row]), 0.0),
        SpeedLaw::Weidmann => speed * speed_at(law, 0.0, crowd.persons_beside_one(cell)),
    }
}

/// Lets the group behaviour adjust what guiding gave, and commits it.
pub fn groups(place: &Place, parts: &Parts, state: &mut State, work: &mut Work) {
    if parts.group.active() && state.groups > 0 {
        state.list_groups();
        work.before_groups.clear();
        work.before_groups
            .extend(work.guided.iter().map(|g| g.preferred));
        work.aims_before_groups.clear();
        work.aims_before_groups
            .extend(work.guided.iter().map(|g| g.aim));
        let world = state.world(place.site(), &*parts.nav);
        let (guided, aims, pool) = (&work.before_groups, &work.aims_before_groups, &work.pool);
        let a = &state.agents;
        work.guided
            .par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(chunk, out)| {
                let first = chunk * CHUNK;
                pool.with(|scratch| {
                    scratch.preferred.clear();
                    scratch.preferred.extend(out.iter().map(|g| g.preferred));
                    scratch.aim.clear();
                    scratch.aim.extend(out.iter().map(|g| g.aim));
                    parts.group.adjust(
                        &world,
                        &GroupChunk {
                            rows: first..first + out.len(),
                            groups: state.groups_view(),
                            guided,
                            aims,
                        },
                        &mut GroupOut {
                            preferred: &mut scratch.preferred,
                            target: &mut scratch.aim,
                        },
                    );
                    for (i, g) in out.iter_mut().enumerate() {
                        // Who is not due keeps what was adjusted when it was.
                        if parts.is_due(a.tier[first + i], a.id[first + i], state.step) {
                            g.preferred = scratch.preferred[i];
                            g.aim = scratch.aim[i];
                        }
                    }
                });
            });
    }
    let a = &mut state.agents;
    a.preferred
        .par_chunks_mut(CHUNK)
        .zip(a.aim.par_chunks_mut(CHUNK))
        .zip(work.guided.par_chunks(CHUNK))
        .for_each(|((preferred, aim), guided)| {
            for ((preferred, aim), guided) in preferred.iter_mut().zip(aim).zip(guided) {
                (*preferred, *aim) = (guided.preferred, guided.aim);
            }
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_laws_have_their_known_values() {
        assert_eq!(speed_at(SpeedLaw::None, 0.9, 5.0), 1.0);
        assert_eq!(speed_at(SpeedLaw::Linear, 0.25, 0.0), 0.75);
        assert_eq!(speed_at(SpeedLaw::Linear, 1.5, 0.0), SHUFFLE);
        assert_eq!(speed_at(SpeedLaw::Weidmann, 0.0, 5.4), SHUFFLE);
        let capacity = 1.34 * speed_at(SpeedLaw::Weidmann, 0.0, 1.75) * 1.75;
        assert!((capacity - 1.225).abs() < 0.01);
    }
}
