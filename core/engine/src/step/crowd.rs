//! Stage `crowd`: the crowd on its cells, and the prices of an epoch.

use glam::Vec2;
use rayon::prelude::*;
use throng_core::{PriceContext, Site};
use throng_kit::integrate::edge_prices;

use crate::{
    crowd::share_of,
    memory::CHUNK,
    parts::Parts,
    state::{Place, State, Work},
};

/// Moves everybody's share to the crowd cell they stand on.
pub fn update_crowd(place: &Place, parts: &Parts, state: &mut State, work: &mut Work) {
    if !state.crowd_in_use {
        return;
    }
    let site = place.site();
    let mut region = std::mem::take(&mut state.agents.region);
    let mut cell = std::mem::take(&mut state.agents.cell);
    let mut share = std::mem::take(&mut state.agents.share);
    let (agents, crowd, cells, map) = (&state.agents, &state.crowd, &state.cells, &state.map);
    region
        .par_chunks_mut(CHUNK)
        .zip(cell.par_chunks_mut(CHUNK))
        .zip(share.par_chunks_mut(CHUNK))
        .enumerate()
        .for_each(|(chunk, ((region, cell), share))| {
            let first = chunk * CHUNK;
            let rows = first..first + region.len();
            let places = &agents.location[rows.clone()];
            work.pool.with(|scratch| {
                scratch.regions.clear();
                scratch.regions.extend_from_slice(region);
                parts
                    .nav
                    .region_of(&site, map, places, &scratch.regions, region);
                for (i, row) in rows.enumerate() {
                    let to = cells.cell_in(&site.ground, region[i], places[i]);
                    let velocity = if state.flow_in_use {
                        cell_velocity(&site, state, row, to)
                    } else {
                        Vec2::ZERO
                    };
                    let new = share_of(agents.radius[row], velocity);
                    crowd.shift(cell[i], share[i], to, new);
                    cell[i] = to;
                    share[i] = new;
                }
            });
        });
    state.agents.region = region;
    state.agents.cell = cell;
    state.agents.share = share;
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
