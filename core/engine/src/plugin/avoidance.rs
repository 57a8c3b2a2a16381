//! A loaded avoidance model behind the ordinary trait.

use core::ffi::c_void;
use std::sync::Arc;

use glam::Vec2;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use throng_abi::{
    ABI_VERSION, AvoidanceProfile, AvoidanceTable, SteerIn, SteerOut as AbiSteerOut, rows,
};
use throng_core::{LocalAvoidance, Location, Memory, Perception, Scratch, SteerChunk, SteerOut};

use super::{
    instance::{Instance, Kind, ending, with_call},
    intern,
};
use crate::registry::CreateError;

/// Velocities beyond this are faults rather than something to cap, metres per second.
const MOST_SPEED: f32 = 1e4;
/// A velocity that no model writes: what is still there afterwards was not written.
const UNWRITTEN: Vec2 = Vec2::splat(f32::from_bits(0x7fc0_7a5e));
/// Most memory columns of one kind.
const MOST_COLUMNS: u32 = 256;

/// An avoidance model from a library.
#[derive(Debug)]
pub struct ForeignAvoidance {
    instance: Instance,
    table: &'static AvoidanceTable,
    perception: Perception,
    pushes: bool,
    memory: Memory,
}

impl ForeignAvoidance {
    /// Makes one; `table` belongs to the descriptor of `kind`.
    pub(super) fn create(
        kind: &Arc<Kind>,
        table: &'static AvoidanceTable,
        options: &toml::Table,
    ) -> Result<ForeignAvoidance, CreateError> {
        let instance = Instance::create(kind, options)?;
        let wrong = |reason: String| CreateError::failed(format!("{kind}: {reason}"));
        let mut profile = AvoidanceProfile {
            size: size_of::<AvoidanceProfile>() as u32,
            version: ABI_VERSION,
            reach: f32::NAN,
            wall_reach: f32::NAN,
            most: 0,
            pushes: 0,
            scalar_count: 0,
            tangent_count: 0,
            location_count: 0,
            reserved: 0,
            names: core::ptr::null(),
        };
        let ask = table
            .profile
            .ok_or_else(|| wrong("it has no profile".into()))?;
        let (status, said) = with_call(|call| {
            // SAFETY: the instance is of this table's strategy; the profile lives until the call
            // returns.
            unsafe { ask(call, instance.pointer(), &mut profile) }
        });
        if status != throng_abi::status::OK {
            return Err(wrong(format!("its profile {}", ending(status, &said))));
        }
        for (what, reach) in [("reach", profile.reach), ("wall reach", profile.wall_reach)] {
            if !(reach.is_finite() && reach >= 0.0) {
                return Err(wrong(format!("its {what} is {reach}, not 0 or more")));
            }
        }
        let counts = [
            profile.scalar_count,
            profile.tangent_count,
            profile.location_count,
        ];
        if let Some(count) = counts.into_iter().find(|count| *count > MOST_COLUMNS) {
            return Err(wrong(format!(
                "it wants {count} memory columns, {MOST_COLUMNS} are allowed"
            )));
        }
        let [scalars, tangents, locations] = counts.map(|count| count as usize);
        // SAFETY: the library lends as many names as it counts, while the instance lives.
        let names = unsafe { rows(profile.names, scalars + tangents + locations) };
        if names.len() != scalars + tangents + locations {
            return Err(wrong("its memory columns have no names".into()));
        }
        let names = names
            .iter()
            // SAFETY: as above, for each of them.
            .map(|name| core::str::from_utf8(unsafe { name.get() }))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| wrong("the name of a memory column is not UTF-8".into()))?;
        let list = |range: core::ops::Range<usize>| intern::list(names[range].iter().copied());
        let memory = Memory {
            scalars: list(0..scalars),
            tangents: list(scalars..scalars + tangents),
            locations: list(scalars + tangents..names.len()),
        };
        Ok(ForeignAvoidance {
            perception: Perception {
                reach: profile.reach,
                most: profile.most,
                wall_reach: profile.wall_reach,
            },
            pushes: profile.pushes != 0,
            memory,
            instance,
            table,
        })
    }

    /// Every option, as the library has taken them.
    pub fn options(&self) -> &toml::Table {
        self.instance.options()
    }

    /// Whether all arrays have the lengths that the border promises.
    fn fits(&self, chunk: &SteerChunk<'_>, out: &SteerOut<'_>) -> bool {
        let n = chunk.len();
        let own = [
            chunk.id.len(),
            chunk.tick.len(),
            chunk.heading.len(),
            chunk.preferred.len(),
            chunk.target.len(),
            chunk.radius.len(),
            chunk.max_speed.len(),
            chunk.mass.len(),
            out.velocity.len(),
        ];
        let seen = &chunk.neighbours;
        let others = [seen.radius.len(), seen.flags.len(), seen.id.len()];
        own.iter().all(|len| *len == n)
            && others.iter().all(|len| *len == seen.seen.len())
            && out.push.len() == if self.pushes { n } else { 0 }
            && out.memory.scalars.len() == n * self.memory.scalars.len()
            && out.memory.tangents.len() == n * self.memory.tangents.len()
            && out.memory.locations.len() == n * self.memory.locations.len()
            && rows_fit(seen.start, n, seen.seen.len())
            && rows_fit(chunk.walls.start, n, chunk.walls.walls.len())
    }

    /// Replaces answers that are not finite, and logs the first agent that has one.
    fn check(&self, chunk: &SteerChunk<'_>, out: &mut SteerOut<'_>) {
        // One quick pass without branches; only bad chunks are looked at again.
        let good = |v: &Vec2| (v.x.abs() <= MOST_SPEED) & (v.y.abs() <= MOST_SPEED);
        if !out.velocity.iter().fold(true, |all, v| all & good(v)) {
            self.replace(chunk, out.velocity, 1, good, Vec2::ZERO, |v, _| {
                if v.x.to_bits() == UNWRITTEN.x.to_bits() {
                    "its velocity was not written".into()
                } else {
                    format!("its velocity is ({}, {})", v.x, v.y)
                }
            });
        }
        if !out.push.iter().fold(true, |all, v| all & good(v)) {
            self.replace(chunk, out.push, 1, good, Vec2::ZERO, |v, _| {
                format!("its displacement is ({}, {})", v.x, v.y)
            });
        }
        let memory = &mut out.memory;
        let names = self.memory;
        let finite = |s: &f32| s.is_finite();
        if !memory.scalars.iter().all(finite) {
            let columns = names.scalars.len();
            self.replace(chunk, memory.scalars, columns, finite, 0.0, |s, column| {
                format!("its memory {} is {s}", names.scalars[column])
            });
        }
        let finite = |v: &Vec2| v.is_finite();
        if !memory.tangents.iter().all(finite) {
            let columns = names.tangents.len();
            self.replace(
                chunk,
                memory.tangents,
                columns,
                finite,
                Vec2::ZERO,
                |v, c| format!("its memory {} is ({}, {})", names.tangents[c], v.x, v.y),
            );
        }
        let finite = |l: &Location| l.point.is_finite();
        if !memory.locations.iter().all(finite) {
            let columns = names.locations.len();
            let nowhere = Location::NOWHERE;
            self.replace(chunk, memory.locations, columns, finite, nowhere, |l, c| {
                format!("its memory {} is at {}", names.locations[c], l.point)
            });
        }
    }

    fn replace<T: Copy>(
        &self,
        chunk: &SteerChunk<'_>,
        values: &mut [T],
        columns: usize,
        good: impl Fn(&T) -> bool,
        instead: T,
        words: impl Fn(&T, usize) -> String,
    ) {
        let mut first: Option<(u64, String)> = None;
        let mut count = 0;
        for (at, value) in values.iter_mut().enumerate() {
            if good(value) {
                continue;
            }
            let id = chunk.id[at / columns];
            count += 1;
            if first.as_ref().is_none_or(|(least, _)| id < *least) {
                first = Some((id, words(value, at % columns)));
            }
            *value = instead;
        }
        if let Some((id, what)) = first {
            let text = format!("agent {id} at step {}: {what}", chunk.step);
            self.instance.fault((chunk.step, id), &text, count);
        }
    }
}

/// Whether rows are ascending and end within their entries. Rows that nobody asked for are empty.
fn rows_fit(start: &[u32], agents: usize, entries: usize) -> bool {
    start.is_empty()
        || (start.len() == agents + 1
            && start.windows(2).all(|pair| pair[0] <= pair[1])
            && start[agents] as usize <= entries)
}

/// The library's own scratch, kept in the host's.
#[derive(Default)]
struct ForeignScratch {
    owner: Option<&'static AvoidanceTable>,
    pointer: Option<ScratchPointer>,
}

struct ScratchPointer(*mut c_void);

// SAFETY: the contract lets the host use scratch on any thread, one at a time.
unsafe impl Send for ScratchPointer {}

impl ForeignScratch {
    /// Scratch made by this table, a new one if another table's was kept.
    fn of(&mut self, table: &'static AvoidanceTable) -> *mut c_void {
        if !self.owner.is_some_and(|owner| core::ptr::eq(owner, table)) {
            self.free();
            self.owner = Some(table);
        }
        let pointer = self.pointer.get_or_insert_with(|| {
            ScratchPointer(table.new_scratch.map_or(core::ptr::null_mut(), |new| {
                // SAFETY: the contract lets any thread make scratch at any time.
                unsafe { new() }
            }))
        });
        pointer.0
    }

    fn free(&mut self) {
        if let (Some(owner), Some(pointer)) = (self.owner.take(), self.pointer.take())
            && let Some(free) = owner.free_scratch
            && !pointer.0.is_null()
        {
            // SAFETY: made by the same table's `new_scratch`, and used no more.
            unsafe { free(pointer.0) }
        }
    }
}

impl Drop for ForeignScratch {
    fn drop(&mut self) {
        self.free();
    }
}

fn lent<T, U>(rows: &[T]) -> *const U {
    if rows.is_empty() {
        core::ptr::null()
    } else {
        rows.as_ptr().cast()
    }
}

fn lent_mut<T, U>(rows: &mut [T]) -> *mut U {
    if rows.is_empty() {
        core::ptr::null_mut()
    } else {
        rows.as_mut_ptr().cast()
    }
}

#[typetag::serde(name = "@foreign-avoidance")]
impl LocalAvoidance for ForeignAvoidance {
    fn perception(&self) -> Perception {
        self.perception
    }

    fn steer(&self, chunk: &SteerChunk<'_>, scratch: &mut Scratch, out: &mut SteerOut<'_>) {
        let key = (chunk.step, chunk.id.iter().copied().min().unwrap_or(0));
        if !self.fits(chunk, out) {
            let text = "was handed arrays of unequal lengths: an error of this program";
            self.instance.fault(key, text, 1);
            out.velocity.fill(Vec2::ZERO);
            return;
        }
        let (false, Some(steer)) = (chunk.is_empty(), self.table.steer) else {
            return;
        };
        out.velocity.fill(UNWRITTEN);
        let given = SteerIn {
            size: size_of::<SteerIn>() as u32,
            version: ABI_VERSION,
            agents: chunk.len(),
            step: chunk.step,
            seed: chunk.seed,
            dt: chunk.dt,
            reserved: 0,
            id: lent(chunk.id),
            tick: lent(chunk.tick),
            velocity: lent(chunk.velocity),
            heading: lent(chunk.heading),
            preferred: lent(chunk.preferred),
            target: lent(chunk.target),
            radius: lent(chunk.radius),
            max_speed: lent(chunk.max_speed),
            mass: lent(chunk.mass),
            neighbour_start: lent(chunk.neighbours.start),
            neighbours: chunk.neighbours.seen.len(),
            neighbour_seen: lent(chunk.neighbours.seen),
            neighbour_radius: lent(chunk.neighbours.radius),
            neighbour_flags: lent(chunk.neighbours.flags),
            neighbour_id: lent(chunk.neighbours.id),
            wall_start: lent(chunk.walls.start),
            walls: chunk.walls.walls.len(),
            wall: lent(chunk.walls.walls),
        };
        let answer = AbiSteerOut {
            size: size_of::<AbiSteerOut>() as u32,
            version: ABI_VERSION,
            velocity: lent_mut(out.velocity),
            push: lent_mut(out.push),
            scalars: lent_mut(out.memory.scalars),
            tangents: lent_mut(out.memory.tangents),
            locations: lent_mut(out.memory.locations),
        };
        let scratch = scratch.get::<ForeignScratch>().of(self.table);
        let done = self.instance.call(key, |call, instance| {
            // SAFETY: instance and scratch are this table's; `fits` has checked the lengths, and
            // throng-core asserts the layouts; all arrays are borrowed until the call returns.
            unsafe { steer(call, instance, scratch, &given, &answer) }
        });
        if !done {
            out.velocity.fill(Vec2::ZERO);
            out.push.fill(Vec2::ZERO);
        }
        self.check(chunk, out);
    }

    fn pushes(&self) -> bool {
        self.pushes
    }

    fn memory(&self) -> Memory {
        self.memory
    }

    fn fault(&self) -> Option<String> {
        self.instance.take_fault()
    }
}

impl Serialize for ForeignAvoidance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.instance.options().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ForeignAvoidance {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "a loaded strategy is chosen by its own id, not by this name",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_must_ascend_and_end_within() {
        assert!(rows_fit(&[], 3, 0));
        assert!(rows_fit(&[0, 2, 2], 2, 2));
        assert!(!rows_fit(&[0, 2, 1], 2, 2));
        assert!(!rows_fit(&[0, 2, 3], 2, 2));
        assert!(!rows_fit(&[0, 2], 2, 2));
    }

    #[test]
    fn nobody_chooses_it_by_its_inner_name() {
        let table: toml::Table = toml::from_str("kind = '@foreign-avoidance'").unwrap();
        let refused = Box::<dyn LocalAvoidance>::deserialize(table).unwrap_err();
        assert!(refused.to_string().contains("its own id"), "{refused}");
    }
}
