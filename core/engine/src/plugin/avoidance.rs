//! A loaded avoidance model behind the ordinary trait.

use std::sync::Arc;

use glam::Vec2;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use throng_abi::{ABI_VERSION, AvoidanceProfile, AvoidanceTable, SteerIn, SteerOut as AbiSteerOut};
use throng_core::{LocalAvoidance, Memory, Perception, Scratch, SteerChunk, SteerOut};

use super::{
    columns::{Mender, lent, lent_mut, memory, memory_fits, usable},
    instance::{Instance, Kind, UNEQUAL, ending, with_call},
    scratch::ForeignScratch,
};
use crate::registry::CreateError;

/// A velocity that no model writes: what is still there afterwards was not written.
const UNWRITTEN: Vec2 = Vec2::splat(f32::from_bits(0x7fc0_7a5e));

/// An avoidance model from a library.
#[derive(Debug)]
pub struct ForeignAvoidance {
    instance: Instance,
    table: &'static AvoidanceTable,
    perception: Perception,
    pushes: bool,
    habits: u32,
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
            habits: 0,
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
        // SAFETY: the library lends as many names as it counts, while the instance lives.
        let memory = unsafe { memory(counts, profile.names) }.map_err(wrong)?;
        Ok(ForeignAvoidance {
            perception: Perception {
                reach: profile.reach,
                most: profile.most,
                wall_reach: profile.wall_reach,
            },
            pushes: profile.pushes != 0,
            habits: profile.habits,
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
            && out.pressed.len() == if self.keeps_apart() { n } else { 0 }
            && memory_fits(self.memory, &out.memory, n)
            && rows_fit(seen.start, n, seen.seen.len())
            && rows_fit(chunk.walls.start, n, chunk.walls.walls.len())
    }

    /// Replaces answers that are not finite, and logs the first agent that has one.
    fn check(&self, chunk: &SteerChunk<'_>, out: &mut SteerOut<'_>) {
        let mender = Mender {
            instance: &self.instance,
            step: chunk.step,
            id: |agent: usize| chunk.id[agent],
        };
        mender.mend(out.velocity, 1, usable, Vec2::ZERO, |v, _| {
            if v.x.to_bits() == UNWRITTEN.x.to_bits() {
                "its velocity was not written".into()
            } else {
                format!("its velocity is ({}, {})", v.x, v.y)
            }
        });
        mender.mend_vectors(out.push, "displacement");
        mender.mend_memory(self.memory, &mut out.memory);
    }
}

/// Whether rows are ascending and end within their entries. Rows that nobody asked for are empty.
fn rows_fit(start: &[u32], agents: usize, entries: usize) -> bool {
    start.is_empty()
        || (start.len() == agents + 1
            && start.windows(2).all(|pair| pair[0] <= pair[1])
            && start[agents] as usize <= entries)
}

#[typetag::serde(name = "@foreign-avoidance")]
impl LocalAvoidance for ForeignAvoidance {
    fn perception(&self) -> Perception {
        self.perception
    }

    fn steer(&self, chunk: &SteerChunk<'_>, scratch: &mut Scratch, out: &mut SteerOut<'_>) {
        let key = (chunk.step, chunk.id.iter().copied().min().unwrap_or(0));
        if !self.fits(chunk, out) {
            self.instance.fault(key, UNEQUAL, 1);
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
            pressed: lent_mut(out.pressed),
        };
        let (new, free) = (self.table.new_scratch, self.table.free_scratch);
        let scratch = scratch.get::<ForeignScratch>().of(self.table, new, free);
        let done = self.instance.call(key, |call, instance| {
            // SAFETY: instance and scratch are this table's; `fits` has checked the lengths, and
            // throng-core asserts the layouts; all arrays are borrowed until the call returns.
            unsafe { steer(call, instance, scratch, &given, &answer) }
        });
        if !done {
            out.velocity.fill(Vec2::ZERO);
            out.push.fill(Vec2::ZERO);
            out.pressed.fill(0);
        }
        self.check(chunk, out);
    }

    fn pushes(&self) -> bool {
        self.pushes
    }

    fn alternates(&self) -> bool {
        self.habits & throng_abi::habit::ALTERNATES != 0
    }

    fn keeps_apart(&self) -> bool {
        self.habits & throng_abi::habit::KEEPS_APART != 0
    }

    fn memory(&self) -> Memory {
        self.memory
    }

    fn longest_step(&self, fastest: f32) -> f32 {
        let Some(longest_step) = self.table.longest_step else {
            return f32::INFINITY;
        };
        // SAFETY: the instance is this table's.
        let seconds = unsafe { longest_step(self.instance.pointer(), fastest) };
        if seconds > 0.0 {
            return seconds;
        }
        let text = format!("its longest step is {seconds} seconds, not above 0");
        self.instance.fault((0, 0), &text, 1);
        f32::INFINITY
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
