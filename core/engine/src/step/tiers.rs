//! Stage `tiers`: the level-of-detail policy sorts agents into tiers.

use rayon::prelude::*;

use crate::{
    agents::AgentId,
    command::Event,
    memory::CHUNK,
    parts::Parts,
    state::{Place, State, Work},
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
    for row in 0..count {
        let (old, new) = (state.agents.tier[row], parts.tier_of(work.levels[row]));
        if let Some(clock) = work.tier_clocks.get_mut(new as usize) {
            *clock.agents.get_mut() += 1;
        }
        if old != new {
            state.agents.tier[row] = new;
            // A fresh agent has no tier to change from.
            if state.agents.record[row].born != state.step {
                state.agents.record[row].tier_since = state.step;
                // Who was guided off its route looks for one from where it is: never back.
                let guided = |tier: u8| {
                    let guide = parts.tiers[tier as usize].guide;
                    parts.planners[guide].guides
                };
                if guided(old) && !guided(new) {
                    state.agents.track[row].left = true;
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
