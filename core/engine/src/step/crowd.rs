//! Stage `crowd`: the crowd on its cells, and the prices of an epoch.

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{Hold, NONE, PriceContext, Room, Site};
use throng_kit::integrate::edge_prices;

use crate::{
    agents::Settled,
    crowd::share_of,
    memory::CHUNK,
    parts::Parts,
    state::{Place, Regions, State, Work},
};

/// What positions may be off from the sum of the steps since a disc was looked up, metres.
const ROUNDING: f32 = 0.04;

/// Moves everybody's share to the crowd cell they stand on.
///
/// Regions are looked up only for those who may have left theirs and cannot be followed across one
/// of its sides; without flow the others have nothing to move either.
pub fn update_crowd(place: &Place, parts: &Parts, state: &mut State, work: &mut Work) {
    if !state.crowd_in_use {
        return;
    }
    let site = place.site();
    let mut region = std::mem::take(&mut state.agents.region);
    let mut cell = std::mem::take(&mut state.agents.cell);
    let mut share = std::mem::take(&mut state.agents.share);
    let mut settled = std::mem::take(&mut state.agents.settled);
    let mut rooms = std::mem::take(&mut state.agents.room);
    let (agents, crowd, cells, map) = (&state.agents, &state.crowd, &state.cells, &state.map);
    let floors = site.ground.floors;
    let storeys = !site.ground.flat || site.ground.floor_count > 1;
    let holds = if cells.are_regions() {
        parts.nav.holds()
    } else {
        &[]
    };
    // Who went round something in one step is looked up.
    let straight = work.moves == 1;
    let alone = rayon::current_num_threads() == 1;
    let shift = |from: u32, old: [i64; 3], to: u32, new: [i64; 3]| {
        if alone {
            crowd.shift_alone(from, old[0], to, new[0]);
        } else {
            crowd.shift(from, old, to, new);
        }
    };
    region
        .par_chunks_mut(CHUNK)
        .zip(cell.par_chunks_mut(CHUNK))
        .zip(share.par_chunks_mut(CHUNK))
        .zip(settled.par_chunks_mut(CHUNK))
        .zip(rooms.par_chunks_mut(CHUNK))
        .enumerate()
        .for_each(|(chunk, ((((region, cell), share), settled), rooms))| {
            let first = chunk * CHUNK;
            work.pool.with(|scratch| {
                let Regions {
                    local,
                    followed,
                    places,
                    ways,
                    hints,
                    found,
                    room,
                } = &mut scratch.regions;
                local.clear();
                followed.clear();
                places.clear();
                ways.clear();
                hints.clear();
                let here = &agents.location[first..first + settled.len()];
                // Written for everybody and kept for some: nobody can foretell who.
                local.resize(settled.len(), 0);
                let mut leaving = 0;
                if holds.is_empty() && !storeys {
                    let mut near = 0;
                    for (i, room) in rooms.iter().enumerate() {
                        local[near] = i as u32;
                        near += usize::from(*room <= 0.0);
                    }
                    for k in 0..near {
                        let i = local[k] as usize;
                        let Settled { at, slack, .. } = settled[i];
                        let away = (here[i].point.truncate() - at).length_squared();
                        let stays = (away < slack * slack) & (rooms[i] != f32::NEG_INFINITY);
                        if stays {
                            rooms[i] = slack - away.sqrt() - ROUNDING;
                        }
                        local[leaving] = i as u32;
                        leaving += usize::from(!stays);
                    }
                } else if holds.is_empty() || storeys {
                    for (i, (settled, at)) in settled.iter().zip(here).enumerate() {
                        let p = at.point.truncate();
                        let stays = if holds.is_empty() {
                            (p - settled.at).length_squared() < settled.slack * settled.slack
                        } else {
                            let hold = holds.get(region[i] as usize);
                            hold.is_some_and(|hold| hold.room(p) > 0.0)
                        };
                        let same =
                            !storeys || floors.get(at.triangle as usize) == Some(&settled.floor);
                        local[leaving] = i as u32;
                        let anew = rooms[i] == f32::NEG_INFINITY;
                        leaving += usize::from(!(stays & same) | anew);
                    }
                } else {
                    let mut near = 0;
                    for (i, room) in rooms.iter().enumerate() {
                        local[near] = i as u32;
                        near += usize::from(*room <= 0.0);
                    }
                    let hold_of = |i: u32| holds.get(region[i as usize] as usize);
                    let point = |i: u32| here[i as usize].point.truncate();
                    for k in 0..near {
                        let i = local[k] as usize;
                        let room = hold_of(local[k]).map_or(0.0, |hold| hold.room(point(local[k])));
                        let anew = rooms[i] == f32::NEG_INFINITY;
                        rooms[i] = if anew { rooms[i] } else { room };
                        local[leaving] = i as u32;
                        leaving += usize::from(!(room > 0.0) | anew);
                    }
                    if straight {
                        let mut lost = 0;
                        for k in 0..leaving {
                            let i = local[k];
                            let row = i as usize;
                            let anew = rooms[row] == f32::NEG_INFINITY;
                            match Hold::follow(holds, region[row], point(i)) {
                                Some((next, room)) if !anew => {
                                    rooms[row] = room;
                                    followed.push((i, next));
                                }
                                _ => {
                                    local[lost] = i;
                                    lost += 1;
                                }
                            }
                        }
                        leaving = lost;
                    }
                }
                local.truncate(leaving);
                for &(i, next) in &*followed {
                    let i = i as usize;
                    region[i] = next;
                    if !state.flow_in_use {
                        let to = cells.cell_in(&site.ground, next, here[i]);
                        if to != cell[i] {
                            let new = share_of(agents.radius[first + i], Vec2::ZERO);
                            shift(cell[i], share[i], to, new);
                            (cell[i], share[i]) = (to, new);
                        }
                    }
                }
                if local.is_empty() && !state.flow_in_use {
                    return;
                }
                for &i in &*local {
                    let i = i as usize;
                    places.push(here[i]);
                    hints.push(region[i]);
                }
                found.clear();
                found.resize(places.len(), NONE);
                parts.nav.region_of(&site, map, places, hints, found);
                // Where lines say who stays, a disc is of no use.
                room.clear();
                room.resize(places.len(), Room::default());
                if holds.is_empty() {
                    ways.extend(local.iter().map(|&i| agents.velocity[first + i as usize]));
                    if !(cells.are_regions() && parts.nav.room_in(map, places, ways, found, room)) {
                        for ((room, place), region) in room.iter_mut().zip(&*places).zip(&*found) {
                            room.centre = place.point.truncate();
                            room.radius = cells.slack(map, *region, room.centre);
                        }
                    }
                }
                for (k, &i) in local.iter().enumerate() {
                    let (i, at) = (i as usize, places[k]);
                    region[i] = found[k];
                    let away = at.point.truncate().distance(room[k].centre);
                    rooms[i] = (room[k].radius - away - ROUNDING).max(0.0);
                    settled[i] = Settled {
                        at: room[k].centre,
                        slack: room[k].radius,
                        floor: floors.get(at.triangle as usize).copied().unwrap_or(0),
                    };
                    if !state.flow_in_use {
                        let to = cells.cell_in(&site.ground, found[k], at);
                        if to != cell[i] {
                            let new = share_of(agents.radius[first + i], Vec2::ZERO);
                            shift(cell[i], share[i], to, new);
                            (cell[i], share[i]) = (to, new);
                        }
                    }
                }
                if !state.flow_in_use {
                    return;
                }
                for i in 0..region.len() {
                    let row = first + i;
                    let to = cells.cell_in(&site.ground, region[i], agents.location[row]);
                    let velocity = cell_velocity(&site, state, row, to);
                    let new = share_of(agents.radius[row], velocity);
                    crowd.shift(cell[i], share[i], to, new);
                    (cell[i], share[i]) = (to, new);
                }
            });
        });
    state.agents.region = region;
    state.agents.cell = cell;
    state.agents.share = share;
    state.agents.settled = settled;
    state.agents.room = rooms;
}

/// An agent's velocity in the axes of a crowd cell.
fn cell_velocity(site: &Site<'_>, state: &State, row: usize, cell: u32) -> Vec2 {
    let a = &state.agents;
    if site.ground.flat {
        return a.velocity[row];
    }
    let normal = site.ground.normals[a.location[row].triangle as usize];
    let world = a.frame[row].to_world(normal, a.velocity[row]);
    let x = state.crowd.axis(cell);
    Vec2::new(world.dot(x), world.dot(normal.cross(x)))
}

/// Renews prices where an epoch begins or a class is new. Gives whether anything changed.
pub fn update_prices(parts: &mut Parts, state: &mut State) -> bool {
    let costs = parts.costs.len();
    let classes = state.classes.table().len();
    let fresh = state.pricing.classes;
    let time = state.time();
    let mut changed = false;
    state
        .pricing
        .prices
        .resize_with(classes * costs, Default::default);
    state
        .pricing
        .edges
        .resize_with(classes * costs, Default::default);
    let due =
        |part: &crate::parts::CostPart| !part.is_static && state.step.is_multiple_of(part.every);
    if parts.costs.iter().any(due) || fresh < classes {
        state.crowd.publish();
    }
    let mut tables = std::mem::take(&mut state.pricing.prices);
    let mut edges = std::mem::take(&mut state.pricing.edges);
    for (m, part) in parts.costs.iter_mut().enumerate() {
        let epoch = due(part);
        if epoch {
            let seconds = part.every as f32 * state.dt;
            part.strategy.observe(&state.crowd.view(), seconds);
        }
        let first = if epoch { 0 } else { fresh };
        changed |= first < classes;
        let strategy = &part.strategy;
        tables
            .par_iter_mut()
            .zip(edges.par_iter_mut())
            .enumerate()
            .filter(|(index, _)| index % costs == m && index / costs >= first)
            .for_each(|(index, (table, edges))| {
                let context = PriceContext {
                    crowd: state.crowd.view(),
                    cell_speed: &state.pricing.cell_speed,
                    cell_length: &state.pricing.cell_length,
                    class: state.classes.table()[index / costs],
                    time,
                };
                strategy.price(&context, table);
                edge_prices(&state.map, table, &state.cells, edges);
            });
    }
    state.pricing.prices = tables;
    state.pricing.edges = edges;
    state.pricing.classes = classes;
    if changed {
        state.pricing.epoch += 1;
    }
    changed
}
