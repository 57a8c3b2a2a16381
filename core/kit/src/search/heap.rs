//! The priority queue of the searches: a heap with four children to a node.

/// An open node with its priority: the key first, then the lesser remaining cost (so that of
/// equal keys the one nearest its end goes first), then the node's id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub key: f64,
    tie: u64,
}

impl Entry {
    /// `remaining` is not negative, so its bits sort like its value.
    #[inline]
    pub fn new(key: f64, remaining: f32, node: u32) -> Entry {
        Entry {
            key,
            tie: u64::from(remaining.to_bits()) << 32 | u64::from(node),
        }
    }

    #[inline]
    pub fn node(self) -> u32 {
        self.tie as u32
    }

    #[inline]
    fn before(&self, other: &Entry) -> bool {
        self.key < other.key || (self.key == other.key && self.tie < other.tie)
    }
}

/// Smallest first. Entries are never changed: a node that got cheaper is pushed again and its
/// older entries are skipped by the search.
#[derive(Debug, Default)]
pub(super) struct Heap {
    entries: Vec<Entry>,
}

impl Heap {
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    #[inline]
    pub fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
        let entries = self.entries.as_mut_slice();
        let mut hole = entries.len() - 1;
        while hole > 0 {
            let parent = (hole - 1) / 4;
            if !entry.before(&entries[parent]) {
                break;
            }
            entries[hole] = entries[parent];
            hole = parent;
        }
        entries[hole] = entry;
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Entry> {
        let last = self.entries.pop()?;
        let entries = self.entries.as_mut_slice();
        let Some(&top) = entries.first() else {
            return Some(last);
        };
        let mut hole = 0;
        loop {
            let first = 4 * hole + 1;
            let Some(children) = entries.get(first..entries.len().min(first + 4)) else {
                break;
            };
            let Some((mut least, mut child)) = children.first().map(|c| (*c, first)) else {
                break;
            };
            for (i, c) in children.iter().enumerate().skip(1) {
                if c.before(&least) {
                    (least, child) = (*c, first + i);
                }
            }
            if !least.before(&last) {
                break;
            }
            entries[hole] = least;
            hole = child;
        }
        entries[hole] = last;
        Some(top)
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
            assert_eq!((top.key, top.node()), (key, node));
        }
        assert!(heap.pop().is_none());
    }
}
