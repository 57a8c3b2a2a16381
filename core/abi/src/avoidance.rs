//! The functions of slot `avoidance`.

use core::ffi::c_void;

use crate::{
    call::{Call, Status},
    values::{Bytes, Location, NearWall, Neighbour, Vec2},
};

/// Bits of [`AvoidanceProfile::habits`].
pub mod habit {
    /// Neighbours and walls are looked at on odd ticks only; on even ones their rows are empty.
    pub const ALTERNATES: u32 = 1;
    /// The step keeps those apart whom the model marks as pressed.
    pub const KEEPS_APART: u32 = 2;
}

/// What an instance asks for. **Owner:** the host; the library fills it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AvoidanceProfile {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Neighbours within this distance, metres; 0 asks for none.
    pub reach: f32,
    /// Walls within this distance, metres; 0 asks for none.
    pub wall_reach: f32,
    /// At most so many neighbours, the nearest.
    pub most: u32,
    /// Not 0 if it also pushes bodies apart.
    pub pushes: u32,
    /// How many columns of numbers it keeps per agent.
    pub scalar_count: u32,
    /// How many columns of tangent vectors.
    pub tangent_count: u32,
    /// How many columns of places.
    pub location_count: u32,
    /// Sum of [`habit`]; other bits are 0.
    pub habits: u32,
    /// Names of the columns: scalars, tangents, then locations. The array and the texts are the
    /// library's and live as long as the instance.
    pub names: *const Bytes,
}

/// A chunk of agents. **Owner:** the host; frozen while the call runs.
///
/// Arrays have `agents` entries if nothing else is said. Rows are compressed: entries
/// `start[i]..start[i + 1]` belong to agent i, and `start` has `agents + 1` entries.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SteerIn {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// How many agents.
    pub agents: usize,
    /// Step of the simulation.
    pub step: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Seconds that the answer will hold.
    pub dt: f32,
    /// Zero.
    pub reserved: u32,
    /// Stable ids.
    pub id: *const u64,
    /// How often the agent's tier has steered it.
    pub tick: *const u32,
    /// Velocity, metres per second, in the agent's frame like all vectors here.
    pub velocity: *const Vec2,
    /// Unit direction the agent faces.
    pub heading: *const Vec2,
    /// Preferred velocity.
    pub preferred: *const Vec2,
    /// Offset to the point walked to, metres.
    pub target: *const Vec2,
    /// Radius, metres.
    pub radius: *const f32,
    /// Largest speed now, metres per second.
    pub max_speed: *const f32,
    /// Mass, kilograms.
    pub mass: *const f32,
    /// Rows of neighbours, nearest first.
    pub neighbour_start: *const u32,
    /// How many neighbours in all.
    pub neighbours: usize,
    /// Offset and velocity of each neighbour.
    pub neighbour_seen: *const Neighbour,
    /// Radius of each neighbour, metres.
    pub neighbour_radius: *const f32,
    /// 1 same group, 2 will not avoid us, 4 a vehicle; for each neighbour.
    pub neighbour_flags: *const u8,
    /// Stable id of each neighbour, for breaking ties.
    pub neighbour_id: *const u64,
    /// Rows of walls.
    pub wall_start: *const u32,
    /// How many walls in all.
    pub walls: usize,
    /// The walls.
    pub wall: *const NearWall,
}

/// Where `steer` writes. **Owner:** the host; the library writes the entries of this chunk only.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SteerOut {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// New velocities: every one must be written and finite.
    pub velocity: *mut Vec2,
    /// Displacements, metres, zero on entry; null unless the profile says `pushes`.
    pub push: *mut Vec2,
    /// Memory: entry `i * scalar_count + c` is column c of agent i.
    pub scalars: *mut f32,
    /// Memory: entry `i * tangent_count + c`.
    pub tangents: *mut Vec2,
    /// Memory: entry `i * location_count + c`.
    pub locations: *mut Location,
    /// Not 0 for those whose velocity is not free of collisions, 0 on entry; null unless the
    /// profile says [`habit::KEEPS_APART`].
    pub pressed: *mut u8,
}

/// The functions of an avoidance model. **Thread:** `steer` runs on many threads at once unless
/// the descriptor says otherwise, each with a scratch of its own.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct AvoidanceTable {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Fills the profile of an instance. Called once, after `create`; the answer is constant.
    pub profile: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            out: *mut AvoidanceProfile,
        ) -> Status,
    >,
    /// Makes scratch memory for one thread, which any instance of the strategy may be given; may
    /// be null, then scratch is null. The scratch is the library's own: the host keeps the
    /// pointer, uses it on one thread at a time and gives it to `free_scratch` in the end.
    pub new_scratch: Option<unsafe extern "C" fn() -> *mut c_void>,
    /// Frees scratch memory. Any thread.
    pub free_scratch: Option<unsafe extern "C" fn(scratch: *mut c_void)>,
    /// Writes a velocity for every agent. An agent's answer depends on its own row alone, not on
    /// the chunk it comes in.
    pub steer: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            scratch: *mut c_void,
            chunk: *const SteerIn,
            out: *const SteerOut,
        ) -> Status,
    >,
    /// Longest time, seconds, for which neighbours may be taken to go on as they are if nobody can
    /// go faster than `fastest`, metres per second: longer steps are cut into parts. Null if any
    /// time will do.
    pub longest_step: Option<unsafe extern "C" fn(instance: *const c_void, fastest: f32) -> f32>,
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn tables_only_grow_at_their_end() {
        if size_of::<usize>() == 8 {
            assert_eq!(offset_of!(AvoidanceProfile, names), 40);
            assert_eq!(offset_of!(SteerIn, id), 40);
            assert_eq!(offset_of!(SteerIn, neighbour_start), 112);
            assert_eq!(offset_of!(SteerIn, wall), 176);
            assert_eq!(size_of::<SteerIn>(), 184);
            assert_eq!(size_of::<SteerOut>(), 56);
            assert_eq!(offset_of!(AvoidanceTable, steer), 32);
        }
    }
}
