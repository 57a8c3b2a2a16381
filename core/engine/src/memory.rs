//! Memory columns of strategies: owned, sorted, checkpointed and digested by the core.

use glam::Vec2;
use throng_core::{Location, Memory, MemoryRows};

use crate::agents::Hasher;

/// Agents per chunk of work. Fixed, so that chunking never depends on the threads.
pub const CHUNK: usize = 256;

/// Where a strategy's columns lie in every agent's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemorySlice {
    first: [usize; 3],
    count: [usize; 3],
}

impl MemorySlice {
    /// Whether the strategy keeps anything.
    pub fn is_none(&self) -> bool {
        self.count == [0; 3]
    }

    /// Whether nobody else keeps anything.
    fn is_all(&self, stride: [usize; 3]) -> bool {
        self.count == stride
    }
}

/// Whether rows follow one another, as those of a whole chunk do.
fn is_run(rows: &[u32]) -> bool {
    match (rows.first(), rows.last()) {
        // Rows ascend.
        (Some(first), Some(last)) => (last - first) as usize + 1 == rows.len(),
        _ => false,
    }
}

/// Memory of one chunk of agents, agent by agent.
#[derive(Clone, Debug, Default)]
pub struct ChunkMemory {
    scalars: Vec<f32>,
    tangents: Vec<Vec2>,
    locations: Vec<Location>,
}

/// A strategy's columns for some agents of a chunk, side by side.
#[derive(Debug, Default)]
pub struct MemoryBuffer {
    scalars: Vec<f32>,
    tangents: Vec<Vec2>,
    locations: Vec<Location>,
}

impl MemoryBuffer {
    /// What the strategy is handed.
    pub fn rows(&mut self) -> MemoryRows<'_> {
        MemoryRows {
            scalars: &mut self.scalars,
            tangents: &mut self.tangents,
            locations: &mut self.locations,
        }
    }
}

/// The memory of all strategies for all agents.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    stride: [usize; 3],
    chunks: Vec<ChunkMemory>,
    spare: Vec<ChunkMemory>,
    rows: usize,
}

impl MemoryStore {
    /// Adds a strategy's columns; only before there are agents.
    pub fn declare(&mut self, memory: &Memory) -> MemorySlice {
        let count = [
            memory.scalars.len(),
            memory.tangents.len(),
            memory.locations.len(),
        ];
        let first = self.stride;
        for i in 0..3 {
            self.stride[i] += count[i];
        }
        MemorySlice { first, count }
    }

    /// Whether no strategy keeps anything.
    pub fn is_none(&self) -> bool {
        self.stride == [0; 3]
    }

    /// The chunks, for stages that run over all of them.
    pub fn chunks_mut(&mut self) -> &mut [ChunkMemory] {
        &mut self.chunks
    }

    fn make_room(&mut self, rows: usize) {
        while self.chunks.len() * CHUNK < rows {
            let chunk = ChunkMemory {
                scalars: vec![0.0; self.stride[0] * CHUNK],
                tangents: vec![Vec2::ZERO; self.stride[1] * CHUNK],
                locations: vec![Location::NOWHERE; self.stride[2] * CHUNK],
            };
            self.spare.push(chunk.clone());
            self.chunks.push(chunk);
        }
    }

    /// Forgets all agents; the columns stay declared.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
    }

    /// A new agent in the last row, with fresh memory.
    pub fn add(&mut self) {
        self.rows += 1;
        self.make_room(self.rows);
        let row = self.rows - 1;
        let stride = self.stride;
        self.chunks[row / CHUNK].reset(row % CHUNK, stride);
    }

    /// Removes a row; the last one takes its place.
    pub fn remove(&mut self, row: usize) {
        self.rows -= 1;
        let last = self.rows;
        if row != last {
            copy_row(&mut self.chunks, last, row, self.stride);
        }
    }

    /// Sorts the rows: new row i is old row `order[i]`.
    pub fn reorder(&mut self, order: &[u32]) {
        if self.is_none() {
            return;
        }
        let stride = self.stride;
        for (to, &from) in order.iter().enumerate() {
            let from = from as usize;
            self.spare[to / CHUNK].take(
                to % CHUNK,
                &self.chunks[from / CHUNK],
                from % CHUNK,
                stride,
            );
        }
        std::mem::swap(&mut self.chunks, &mut self.spare);
    }

    /// Takes a row into an agent's hash.
    pub fn hash_row(&self, row: usize, hasher: &mut Hasher) {
        let (chunk, r, s) = (&self.chunks[row / CHUNK], row % CHUNK, self.stride);
        hasher.floats(&chunk.scalars[r * s[0]..(r + 1) * s[0]]);
        for t in &chunk.tangents[r * s[1]..(r + 1) * s[1]] {
            hasher.floats(&[t.x, t.y]);
        }
        for l in &chunk.locations[r * s[2]..(r + 1) * s[2]] {
            hasher.floats(&[l.point.x, l.point.y, l.point.z]);
            hasher.word(u64::from(l.triangle));
        }
    }

    /// A row's columns, for checkpoints.
    pub(crate) fn row(&self, row: usize) -> (&[f32], &[Vec2], &[Location]) {
        let (chunk, r, s) = (&self.chunks[row / CHUNK], row % CHUNK, self.stride);
        (
            &chunk.scalars[r * s[0]..(r + 1) * s[0]],
            &chunk.tangents[r * s[1]..(r + 1) * s[1]],
            &chunk.locations[r * s[2]..(r + 1) * s[2]],
        )
    }

    /// A row's columns, to be written.
    pub(crate) fn row_mut(&mut self, row: usize) -> (&mut [f32], &mut [Vec2], &mut [Location]) {
        let s = self.stride;
        let (chunk, r) = (&mut self.chunks[row / CHUNK], row % CHUNK);
        (
            &mut chunk.scalars[r * s[0]..(r + 1) * s[0]],
            &mut chunk.tangents[r * s[1]..(r + 1) * s[1]],
            &mut chunk.locations[r * s[2]..(r + 1) * s[2]],
        )
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        2 * self.chunks.len()
            * CHUNK
            * (self.stride[0] * 4 + self.stride[1] * 8 + self.stride[2] * 16)
    }

    /// Columns per agent of each kind.
    pub fn stride(&self) -> [usize; 3] {
        self.stride
    }
}

fn copy_row(chunks: &mut [ChunkMemory], from: usize, to: usize, s: [usize; 3]) {
    let (fc, tc) = (from / CHUNK, to / CHUNK);
    let (f, t) = (from % CHUNK, to % CHUNK);
    if fc == tc {
        let c = &mut chunks[fc];
        c.scalars.copy_within(f * s[0]..(f + 1) * s[0], t * s[0]);
        c.tangents.copy_within(f * s[1]..(f + 1) * s[1], t * s[1]);
        c.locations.copy_within(f * s[2]..(f + 1) * s[2], t * s[2]);
    } else {
        // `to` comes before `from`: the last row moves up.
        let (head, tail) = chunks.split_at_mut(fc);
        head[tc].take(t, &tail[0], f, s);
    }
}

impl ChunkMemory {
    fn reset(&mut self, row: usize, s: [usize; 3]) {
        self.scalars[row * s[0]..(row + 1) * s[0]].fill(0.0);
        self.tangents[row * s[1]..(row + 1) * s[1]].fill(Vec2::ZERO);
        self.locations[row * s[2]..(row + 1) * s[2]].fill(Location::NOWHERE);
    }

    fn take(&mut self, row: usize, other: &ChunkMemory, from: usize, s: [usize; 3]) {
        let at = |r: usize, n: usize| r * n..(r + 1) * n;
        self.scalars[at(row, s[0])].copy_from_slice(&other.scalars[at(from, s[0])]);
        self.tangents[at(row, s[1])].copy_from_slice(&other.tangents[at(from, s[1])]);
        self.locations[at(row, s[2])].copy_from_slice(&other.locations[at(from, s[2])]);
    }

    /// Hands a strategy its columns of some rows of the chunk: lent where it alone keeps anything
    /// and the rows follow one another, else copied out and back.
    pub fn with_columns<R>(
        &mut self,
        slice: &MemorySlice,
        stride: [usize; 3],
        rows: &[u32],
        buffer: &mut MemoryBuffer,
        act: impl FnOnce(MemoryRows<'_>) -> R,
    ) -> R {
        if slice.is_all(stride) && is_run(rows) {
            let at = |i: usize| {
                let begin = rows[0] as usize * stride[i];
                begin..begin + rows.len() * stride[i]
            };
            return act(MemoryRows {
                scalars: &mut self.scalars[at(0)],
                tangents: &mut self.tangents[at(1)],
                locations: &mut self.locations[at(2)],
            });
        }
        self.gather(slice, stride, rows, buffer);
        let result = act(buffer.rows());
        self.scatter(slice, stride, rows, buffer);
        result
    }

    /// Copies a strategy's columns of some rows of the chunk out.
    pub fn gather(
        &self,
        slice: &MemorySlice,
        stride: [usize; 3],
        rows: &[u32],
        out: &mut MemoryBuffer,
    ) {
        out.scalars.clear();
        out.tangents.clear();
        out.locations.clear();
        if slice.is_none() {
            return;
        }
        if slice.is_all(stride) && is_run(rows) {
            let at = |i: usize| {
                let begin = rows[0] as usize * stride[i];
                begin..begin + rows.len() * stride[i]
            };
            out.scalars.extend_from_slice(&self.scalars[at(0)]);
            out.tangents.extend_from_slice(&self.tangents[at(1)]);
            out.locations.extend_from_slice(&self.locations[at(2)]);
            return;
        }
        for &row in rows {
            let r = row as usize;
            let at = |i: usize| {
                let begin = r * stride[i] + slice.first[i];
                begin..begin + slice.count[i]
            };
            out.scalars.extend_from_slice(&self.scalars[at(0)]);
            out.tangents.extend_from_slice(&self.tangents[at(1)]);
            out.locations.extend_from_slice(&self.locations[at(2)]);
        }
    }

    /// Copies a strategy's columns back.
    pub fn scatter(
        &mut self,
        slice: &MemorySlice,
        stride: [usize; 3],
        rows: &[u32],
        from: &MemoryBuffer,
    ) {
        if slice.is_none() {
            return;
        }
        if slice.is_all(stride) && is_run(rows) {
            let at = |i: usize| {
                let begin = rows[0] as usize * stride[i];
                begin..begin + rows.len() * stride[i]
            };
            self.scalars[at(0)].copy_from_slice(&from.scalars);
            self.tangents[at(1)].copy_from_slice(&from.tangents);
            self.locations[at(2)].copy_from_slice(&from.locations);
            return;
        }
        for (i, &row) in rows.iter().enumerate() {
            let r = row as usize;
            let at = |k: usize| {
                let begin = r * stride[k] + slice.first[k];
                begin..begin + slice.count[k]
            };
            let of = |k: usize| i * slice.count[k]..(i + 1) * slice.count[k];
            self.scalars[at(0)].copy_from_slice(&from.scalars[of(0)]);
            self.tangents[at(1)].copy_from_slice(&from.tangents[of(1)]);
            self.locations[at(2)].copy_from_slice(&from.locations[of(2)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_their_agents() {
        let mut store = MemoryStore::default();
        store.declare(&Memory {
            scalars: &["other"],
            ..Memory::NONE
        });
        let mine = store.declare(&Memory {
            scalars: &["timer"],
            tangents: &["way"],
            locations: &[],
        });
        let stride = store.stride();
        for i in 0..CHUNK + 3 {
            store.add();
            store.row_mut(i).0[1] = i as f32;
        }
        store.remove(2);
        assert_eq!(store.row(2).0[1], (CHUNK + 2) as f32);
        let order: Vec<u32> = (0..CHUNK as u32 + 2).rev().collect();
        store.reorder(&order);
        assert_eq!(store.row(0).0[1], (CHUNK + 1) as f32);
        let mut buffer = MemoryBuffer::default();
        let chunk = &mut store.chunks_mut()[0];
        chunk.gather(&mine, stride, &[0, 5], &mut buffer);
        assert_eq!(buffer.scalars, [(CHUNK + 1) as f32, (CHUNK - 4) as f32]);
        buffer.rows().scalars[1] = 7.5;
        chunk.scatter(&mine, stride, &[0, 5], &buffer);
        assert_eq!(store.row(5).0, [0.0, 7.5]);
    }

    #[test]
    fn who_keeps_alone_is_lent_its_columns() {
        let mut store = MemoryStore::default();
        let mine = store.declare(&Memory {
            scalars: &["cell", "timer"],
            tangents: &["way"],
            locations: &[],
        });
        for i in 0..9 {
            store.add();
            store.row_mut(i).0[1] = i as f32;
        }
        let stride = store.stride();
        let mut buffer = MemoryBuffer::default();
        let chunk = &mut store.chunks_mut()[0];
        for rows in [&[2, 3, 4][..], &[2, 4]] {
            chunk.gather(&mine, stride, rows, &mut buffer);
            let copied = buffer.rows().scalars.to_vec();
            chunk.scatter(&mine, stride, rows, &buffer);
            chunk.with_columns(&mine, stride, rows, &mut buffer, |mine| {
                assert_eq!(mine.scalars, copied);
                let timers: Vec<f32> = mine.scalars.chunks(2).map(|k| k[1]).collect();
                let wanted: Vec<f32> = rows.iter().map(|r| *r as f32).collect();
                assert_eq!(timers, wanted);
                mine.scalars[0] = 7.0;
                mine.tangents[1] = Vec2::X;
            });
        }
        assert_eq!(store.row(2), (&[7.0, 2.0][..], &[Vec2::ZERO][..], &[][..]));
        assert_eq!(store.row(3).1, [Vec2::X]);
        assert_eq!(store.row(4).1, [Vec2::X]);
    }
}
