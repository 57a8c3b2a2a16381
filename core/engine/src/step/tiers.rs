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
    parts: &Parts,
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
    let world = state.world(place.site(), &*parts.nav);
    work.levels
        .par_chunks_mut(CHUNK)
        .enumerate()
        .for_each(|(chunk, out)| {
            let first = chunk * CHUNK;
            parts.lod.classify(&world, first..first + out.len(), out);
        });
    for row in 0..count {
        let (old, new) = (state.agents.tier[row], parts.tier_of(work.levels[row]));
        if old != new {
            state.agents.tier[row] = new;
            // A fresh agent has no tier to change from.
            if state.agents.record[row].born != state.step {
                state.agents.record[row].tier_since = state.step;
                events.push(Event::TierChanged {
                    agent: AgentId(state.agents.id[row]),
                    from: parts.tiers[old as usize].level,
                    to: parts.tiers[new as usize].level,
                });
            }
        }
    }
}
