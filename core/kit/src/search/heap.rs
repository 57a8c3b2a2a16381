//! The priority queue of the searches: a heap with four children to a node.

/// An open node with its priority: the key first, then the lesser remaining cost (so that of
/// equal keys the one nearest its end goes first), then the node's id.
///
/// All three are not negative, so their bits sort like their values: one whole number holds them
/// and is compared without branches.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Entry(u128);

impl Entry {
    /// An entry. Key and remaining cost must not be negative.
    #[inline]
    pub fn new(key: f64, remaining: f32, node: u32) -> Entry {
        let tie = u64::from(remaining.to_bits()) << 32 | u64::from(node);
        Entry(u128::from(key.to_bits()) << 64 | u128::from(tie))
    }

    /// The key.
    #[inline]
    pub fn key(self) -> f64 {
        f64::from_bits((self.0 >> 64) as u64)
    }

    /// The node.
    #[inline]
    pub fn node(self) -> u32 {
        self.0 as u32
    }
}

/// Smallest first. Entries are never changed: a node that got cheaper is pushed again and its
/// older entries are skipped by the search.
///
/// The least entry pushed since the last pop is held back: it is often the next one wanted, and
/// if not it takes the place of the top in one go.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    entries: Vec<Entry>,
    held: Option<Entry>,
}

impl Heap {
    /// Empties it, keeping the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.held = None;
    }

    /// Takes in an entry.
    #[inline]
    pub fn push(&mut self, entry: Entry) {
        match self.held {
            None => self.held = Some(entry),
            Some(held) if entry < held => {
                self.held = Some(entry);
                self.rise(held);
            }
            Some(_) => self.rise(entry),
        }
    }

    /// Gives out the least entry.
    #[inline]
    pub fn pop(&mut self) -> Option<Entry> {
        let Some(held) = self.held.take() else {
            let last = self.entries.pop()?;
            return Some(match self.entries.first() {
                Some(&top) => {
                    self.sink(last);
                    top
                }
                None => last,
            });
        };
        match self.entries.first() {
            Some(&top) if top < held => {
                self.sink(held);
                Some(top)
            }
            _ => Some(held),
        }
    }

    fn rise(&mut self, entry: Entry) {
        self.entries.push(entry);
        let entries = self.entries.as_mut_slice();
        let mut hole = entries.len() - 1;
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if entries[parent] <= entry {
                break;
            }
            entries[hole] = entries[parent];
            hole = parent;
        }
        entries[hole] = entry;
    }

    /// Puts an entry in the place of the top and lets it sink to where it belongs.
    fn sink(&mut self, entry: Entry) {
        let entries = self.entries.as_mut_slice();
        let mut hole = 0;
        loop {
            let first = 4 * hole + 1;
            let (mut least, mut child);
            if let Some(&[a, b, c, d]) = entries.get(first..first + 4) {
                let (left, left_child) = if b < a { (b, 1) } else { (a, 0) };
                let (right, right_child) = if d < c { (d, 3) } else { (c, 2) };
                (least, child) = if right < left {
                    (right, first + right_child)
                } else {
                    (left, first + left_child)
                };
            } else if first < entries.len() {
                (least, child) = (entries[first], first);
                for (i, &c) in entries.iter().enumerate().skip(first + 1) {
                    if c < least {
                        (least, child) = (c, i);
                    }
                }
            } else {
                break;
            }
            if entry <= least {
                break;
            }
            entries[hole] = least;
            hole = child;
        }
        entries[hole] = entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_out_sorted_with_ties_by_remaining_cost_then_id() {
        let mut heap = Heap::default();
        let mut wanted = Vec::new();
        let mut x = 12345_u32;
        for node in 0..500 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (key, remaining) = (f64::from(x >> 28), ((x >> 24) & 3) as f32);
            heap.push(Entry::new(key, remaining, node));
            wanted.push((key, remaining, node));
        }
        wanted.sort_by(|a, b| a.partial_cmp(b).unwrap());
        for (key, _, node) in wanted {
            let top = heap.pop().unwrap();
            assert_eq!((top.key(), top.node()), (key, node));
        }
        assert!(heap.pop().is_none());
    }

    #[test]
    fn pushes_and_pops_may_alternate() {
        let mut heap = Heap::default();
        let mut waiting: Vec<u32> = Vec::new();
        let mut x = 1_u32;
        for round in 0..2000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            for i in 0..(x >> 24) % 4 {
                let node = x.wrapping_add(i * 7919) >> 12;
                heap.push(Entry::new(f64::from(node), 0.0, node));
                waiting.push(node);
            }
            if round % 3 != 0 {
                waiting.sort_unstable_by(|a, b| b.cmp(a));
                assert_eq!(heap.pop().map(Entry::node), waiting.pop());
            }
        }
        heap.clear();
        assert!(heap.pop().is_none());
    }
}
