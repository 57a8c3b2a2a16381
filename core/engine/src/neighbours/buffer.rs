//! The neighbours of a chunk of agents.

use throng_core::{Neighbour, NeighbourRows};

use crate::relevance::Screens;

use super::{
    curved::About,
    quick::Few,
    rank::{Candidates, LANES},
};

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
    /// Entries that may be near the agent at hand, where the ground is not flat.
    pub(super) about: About,
    /// Candidates of searches side by side.
    pub(super) few: Vec<Few>,
    /// Walls near the agent at hand.
    pub(super) walls: Vec<u32>,
    /// The same where the ground is not flat.
    pub(super) screens: Screens,
    /// Waists of the candidates in their order, in columns of eight.
    pub(super) waists: Vec<[[f32; LANES]; 3]>,
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

    /// Puts empty rows between those that were found, where `looked` is not set.
    pub fn spread(&mut self, looked: &[bool]) {
        let mut from = self.start.len() - 1;
        self.start.resize(looked.len() + 1, 0);
        for (i, &looked) in looked.iter().enumerate().rev() {
            self.start[i + 1] = self.start[from];
            from -= usize::from(looked);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_rows_are_put_between() {
        let mut buffer = NeighbourBuffer::default();
        buffer.begin();
        for row in [2, 0, 3] {
            buffer.reserve(row);
            buffer.used += row;
            buffer.end_row();
        }
        buffer.spread(&[false, true, true, false, false, true, false]);
        assert_eq!(buffer.rows().start, [0, 0, 2, 2, 2, 2, 5, 5]);
        buffer.begin();
        buffer.spread(&[false, false]);
        assert_eq!(buffer.rows().start, [0, 0, 0]);
    }
}
