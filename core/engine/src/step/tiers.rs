//! Stage `tiers`: the level-of-detail policy sorts agents into tiers.

use rayon::prelude::*;
use throng_core::Gate;

use super::plan::gates_onward;
use crate::{
    agents::AgentId,
    command::Event,
    memory::CHUNK,
    parts::Parts,
    state::{Place, State, Work},
    track::TrackKind,
};

/// Gives every agent its tier and reports changes.
pub fn classify(
    place: &Place,
    parts: &mut Parts,
    state: &mut State,
    work: &mut Work,
    events: &mut Vec<Event>,
) {
    if let Some(level) = parts.lod.constant() {
        state.agents.tier.fill(parts.tier_of(level));
        return;
    }
    let count = state.agents.len();
    work.levels.resize(count, 0);
    let Parts { lod, nav, .. } = &mut *parts;
    let world = state.world(place.site(), &**nav);
    lod.prepare(&world);
    let (lod, parts) = (&*parts.lod, &*parts);
    let world = state.world(place.site(), &*parts.nav);
    work.levels
        .par_chunks_mut(CHUNK)
        .enumerate()
        .for_each(|(chunk, out)| {
            let first = chunk * CHUNK;
            lod.classify(&world, first..first + out.len(), out);
        });
    if parts.tiers.len() > 1 {
        work.tier_clocks
            .resize_with(parts.tiers.len(), Default::default);
    }
    let mut gates = std::mem::take(&mut work.gates);
    let tier_of: [u8; 256] = std::array::from_fn(|level| parts.tier_of(level as u8));
    let mut people = [0u64; 256];
    for first in (0..count).step_by(CHUNK) {
        let rows = first..count.min(first + CHUNK);
        // Chunks of one level whose people have it already are many.
        let new = tier_of[usize::from(work.levels[first])];
        if all_are(&work.levels[rows.clone()], work.levels[first])
            && all_are(&state.agents.tier[rows.clone()], new)
        {
            people[usize::from(new)] += rows.len() as u64;
            continue;
        }
        for row in rows {
            let (old, new) = (
                state.agents.tier[row],
                tier_of[usize::from(work.levels[row])],
            );
            people[usize::from(new)] += 1;
            if old != new {
                state.agents.tier[row] = new;
                // Another follower walks to another point of the same gate.
                state.agents.until[row] = 0.0;
                // A fresh agent has no tier to change from.
                if state.agents.record[row].born != state.step {
                    state.agents.record[row].tier_since = state.step;
                    // Who was guided goes on along its route; who is off it looks for one from where
                    // it is: never back.
                    let guided = |tier: u8| {
                        let guide = parts.tiers[tier as usize].guide;
                        parts.planners[guide].leads()
                    };
                    if guided(old) && !guided(new) {
                        let on_route = goes_on(place, parts, state, &mut gates, row);
                        let track = &mut state.agents.track[row];
                        (track.stale, track.left) = (true, !on_route);
                        state.agents.note_track(row);
                    }
                    events.push(Event::TierChanged {
                        agent: AgentId(state.agents.id[row]),
                        from: parts.tiers[old as usize].level,
                        to: parts.tiers[new as usize].level,
                    });
                }
            }
        }
    }
    for (clock, people) in work.tier_clocks.iter_mut().zip(people) {
        *clock.agents.get_mut() += people;
    }
    work.gates = gates;
}

/// Whether all of some bytes are one byte; without a way out in between, so that many are one look.
fn all_are(bytes: &[u8], one: u8) -> bool {
    bytes.iter().fold(0, |differ, byte| differ | (byte ^ one)) == 0
}

/// Gates of its route that an agent looks at when it leaves a guide.
const GATES: usize = 8;

/// Lets an agent that was guided go on along its route: to the last gate that it sees and that is
/// not behind it, since the guide may have led it past a bend of the route. Gives whether there is
/// one.
fn goes_on(
    place: &Place,
    parts: &Parts,
    state: &mut State,
    gates: &mut Vec<Gate>,
    row: usize,
) -> bool {
    let (
        site,
        State {
            agents,
            routes,
            map,
            ..
        },
    ) = (place.site(), state);
    let nav = &*parts.nav;
    let mut track = agents.track[row];
    if track.kind != TrackKind::Edges {
        return false;
    }
    routes.gates_ahead(&track, nav, &site, map, GATES, gates);
    if gates.is_empty() {
        // Nothing is left but the target.
        gates.push(Gate::waypoint(agents.target[row]));
    }
    let ahead = gates_onward(&site.ground, agents, row, gates, 0.0).next_back();
    let Some(passed) = ahead else {
        return false;
    };
    routes.skip(&mut track, passed, nav, &site, map, gates);
    agents.track[row] = track;
    true
}
