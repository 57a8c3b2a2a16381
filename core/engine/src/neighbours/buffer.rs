//! The neighbours of a chunk of agents.

use throng_core::{Neighbour, NeighbourRows};

use super::{quick::Few, rank::Candidates};

/// Neighbours in compressed rows; memory is kept from chunk to chunk.
#[derive(Clone, Debug, Default)]
pub struct NeighbourBuffer {
    start: Vec<u32>,
    // Longer than what is in use: the last entry of `start` says how much is.
    pub(super) seen: Vec<Neighbour>,
    pub(super) radius: Vec<f32>,
    pub(super) flags: Vec<u8>,
    pub(super) id: Vec<u64>,
    pub(super) used: usize,
    pub(super) candidates: Candidates,
    /// Candidates of searches side by side.
    pub(super) few: Vec<Few>,
    /// Walls near the agent at hand.
    pub(super) walls: Vec<u32>,
}

impl NeighbourBuffer {
    /// Empties it for this many agents, who all see nobody.
    pub fn clear(&mut self, agents: usize) {
        self.begin();
        self.start.resize(agents + 1, 0);
    }

    /// What was found.
    pub fn rows(&self) -> NeighbourRows<'_> {
        NeighbourRows {
            start: &self.start,
            seen: &self.seen[..self.used],
            radius: &self.radius[..self.used],
            flags: &self.flags[..self.used],
            id: &self.id[..self.used],
        }
    }

    /// Empties it; rows follow one by one.
    pub(super) fn begin(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.used = 0;
    }

    /// Makes room for so many more entries.
    #[inline]
    pub(super) fn reserve(&mut self, more: usize) {
        let need = self.used + more;
        if self.seen.len() < need {
            let need = need.next_power_of_two();
            self.seen.resize(need, Neighbour::default());
            self.radius.resize(need, 0.0);
            self.flags.resize(need, 0);
            self.id.resize(need, 0);
        }
    }

    /// Ends the row of an agent.
    #[inline]
    pub(super) fn end_row(&mut self) {
        self.start.push(self.used as u32);
    }
}
