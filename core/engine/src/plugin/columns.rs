//! Arrays that cross the border: lending them, memory columns, and mending what came back wrong.

use glam::Vec2;
use throng_abi::{Bytes, rows};
use throng_core::{Location, Memory, MemoryRows};

use super::{instance::Instance, intern};

/// Velocities beyond this are faults rather than something to cap, metres per second.
const MOST_SPEED: f32 = 1e4;
/// Most memory columns of one kind.
const MOST_COLUMNS: u32 = 256;

/// An array as a library is given it: null if it is empty.
pub(super) fn lent<T, U>(rows: &[T]) -> *const U {
    if rows.is_empty() {
        core::ptr::null()
    } else {
        rows.as_ptr().cast()
    }
}

/// An array to write to; null if it is empty.
pub(super) fn lent_mut<T, U>(rows: &mut [T]) -> *mut U {
    if rows.is_empty() {
        core::ptr::null_mut()
    } else {
        rows.as_mut_ptr().cast()
    }
}

/// A column of `count` entries, or an absent one; nothing if it has another length.
pub(super) fn column<T, U>(rows: &[T], count: usize) -> Option<*const U> {
    match rows.len() {
        0 => Some(core::ptr::null()),
        len if len == count => Some(rows.as_ptr().cast()),
        _ => None,
    }
}

/// The memory columns that a profile asks for.
///
/// # Safety
/// Unless null, `names` are as many as the counts say, and live while this runs.
pub(super) unsafe fn memory(counts: [u32; 3], names: *const Bytes) -> Result<Memory, String> {
    if let Some(count) = counts.into_iter().find(|count| *count > MOST_COLUMNS) {
        return Err(format!(
            "it wants {count} memory columns, {MOST_COLUMNS} are allowed"
        ));
    }
    let [scalars, tangents, locations] = counts.map(|count| count as usize);
    // SAFETY: the caller's promise.
    let names = unsafe { rows(names, scalars + tangents + locations) };
    if names.len() != scalars + tangents + locations {
        return Err("its memory columns have no names".into());
    }
    let names = names
        .iter()
        // SAFETY: the caller's promise, for each of them.
        .map(|name| core::str::from_utf8(unsafe { name.get() }))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| "the name of a memory column is not UTF-8")?;
    let list = |range: core::ops::Range<usize>| intern::list(names[range].iter().copied());
    Ok(Memory {
        scalars: list(0..scalars),
        tangents: list(scalars..scalars + tangents),
        locations: list(scalars + tangents..names.len()),
    })
}

/// Whether memory rows are those of `agents` agents.
pub(super) fn memory_fits(memory: Memory, rows: &MemoryRows<'_>, agents: usize) -> bool {
    rows.scalars.len() == agents * memory.scalars.len()
        && rows.tangents.len() == agents * memory.tangents.len()
        && rows.locations.len() == agents * memory.locations.len()
}

/// Whether a velocity can be used. Comparisons with a NaN are false.
pub(super) fn usable(v: &Vec2) -> bool {
    (v.x.abs() <= MOST_SPEED) & (v.y.abs() <= MOST_SPEED)
}

/// What mends the answers for agents: replaces the bad ones and logs the agent with the least id.
pub(super) struct Mender<'a, F> {
    pub instance: &'a Instance,
    pub step: u64,
    /// The stable id of an agent of the chunk.
    pub id: F,
}

impl<F: Fn(usize) -> u64> Mender<'_, F> {
    /// Replaces the values that are not good; `columns` of them belong to each agent.
    pub(super) fn mend<T: Copy>(
        &self,
        values: &mut [T],
        columns: usize,
        good: impl Fn(&T) -> bool,
        instead: T,
        words: impl Fn(&T, usize) -> String,
    ) {
        // One quick pass without branches; only bad chunks are looked at again.
        if values.iter().fold(true, |all, value| all & good(value)) {
            return;
        }
        let mut first: Option<(u64, String)> = None;
        let mut count = 0;
        for (at, value) in values.iter_mut().enumerate() {
            if good(value) {
                continue;
            }
            let id = (self.id)(at / columns);
            count += 1;
            if first.as_ref().is_none_or(|(least, _)| id < *least) {
                first = Some((id, words(value, at % columns)));
            }
            *value = instead;
        }
        if let Some((id, what)) = first {
            let text = format!("agent {id} at step {}: {what}", self.step);
            self.instance.fault((self.step, id), &text, count);
        }
    }

    /// Replaces vectors that are not finite or far too long.
    pub(super) fn mend_vectors(&self, values: &mut [Vec2], what: &str) {
        self.mend(values, 1, usable, Vec2::ZERO, |v, _| {
            format!("its {what} is ({}, {})", v.x, v.y)
        });
    }

    /// Replaces memory that is not finite.
    pub(super) fn mend_memory(&self, names: Memory, rows: &mut MemoryRows<'_>) {
        let columns = names.scalars.len();
        self.mend(
            rows.scalars,
            columns,
            |s| s.is_finite(),
            0.0,
            |s, column| format!("its memory {} is {s}", names.scalars[column]),
        );
        let columns = names.tangents.len();
        self.mend(
            rows.tangents,
            columns,
            |v| v.is_finite(),
            Vec2::ZERO,
            |v, c| format!("its memory {} is ({}, {})", names.tangents[c], v.x, v.y),
        );
        let columns = names.locations.len();
        self.mend(
            rows.locations,
            columns,
            |l| l.point.is_finite(),
            Location::NOWHERE,
            |l, c| format!("its memory {} is at {}", names.locations[c], l.point),
        );
    }
}
