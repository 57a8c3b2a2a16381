//! Whom a tier serves in this step, and their columns.

use std::ops::Range;

use crate::{agents::Agents, parts::Parts};

/// The agents of a chunk that a tier serves now.
#[derive(Clone, Copy, Debug)]
pub struct Due<'a> {
    /// Their rows.
    pub rows: &'a [u32],
    /// The same counted from the chunk's first row.
    pub local: &'a [u32],
    /// The first row and the end, if they are a whole chunk.
    pub whole: Option<(usize, usize)>,
}

impl<'a> Due<'a> {
    /// Lists those of a chunk of rows that are in a tier and due; `rest` is called with those
    /// in it that are not, counted from the chunk's first row.
    pub fn list(
        parts: &Parts,
        agents: &Agents,
        step: u64,
        tier: usize,
        chunk: Range<usize>,
        rows: &'a mut Vec<u32>,
        local: &'a mut Vec<u32>,
        mut rest: impl FnMut(usize),
    ) -> Due<'a> {
        rows.clear();
        local.clear();
        if parts.tiers.len() == 1 && parts.tiers[0].period == 1 {
            rows.extend(chunk.start as u32..chunk.end as u32);
            local.extend(0..chunk.len() as u32);
        } else {
            // Mostly a chunk has nobody of a tier, or nobody else.
            let tiers = &agents.tier[chunk.clone()];
            let others = tiers.iter().filter(|t| usize::from(**t) != tier).count();
            if others == tiers.len() {
                return Due {
                    rows,
                    local,
                    whole: None,
                };
            }
            if others == 0 && parts.tiers[tier].period == 1 {
                rows.extend(chunk.start as u32..chunk.end as u32);
                local.extend(0..chunk.len() as u32);
                let whole = Some((chunk.start, chunk.end));
                return Due { rows, local, whole };
            }
            for row in chunk.clone() {
                if usize::from(agents.tier[row]) == tier {
                    if parts.is_due(tier as u8, agents.id[row], step) {
                        rows.push(row as u32);
                        local.push((row - chunk.start) as u32);
                    } else {
                        rest(row - chunk.start);
                    }
                }
            }
        }
        let whole = (rows.len() == chunk.len()).then_some((chunk.start, chunk.end));
        Due { rows, local, whole }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Their part of a column of all agents: lent where they are a whole chunk, else copied.
    pub fn column<'c, T: Copy>(&self, all: &'c [T], copied: &'c mut Vec<T>) -> &'c [T] {
        if let Some((first, end)) = self.whole {
            return &all[first..end];
        }
        copied.clear();
        copied.extend(self.rows.iter().map(|&row| all[row as usize]));
        copied
    }
}
