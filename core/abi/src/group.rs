//! The functions of slot `group`.

use core::ffi::c_void;

use crate::{
    call::{Call, Status},
    values::Vec2,
    world::World,
};

/// What an instance asks for. **Owner:** the host; the library fills it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupProfile {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// 0 if it never changes anything: it is not called then.
    pub active: u32,
    /// Zero.
    pub reserved: u32,
}

/// The agents of a call, and what guiding gave everybody. **Owner:** the host; frozen while the
/// call runs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupIn {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// First row to adjust.
    pub first: usize,
    /// How many rows.
    pub count: usize,
    /// How many groups.
    pub groups: usize,
    /// `start[g]..start[g + 1]` are the members of group g, the leader first: `groups + 1` entries.
    pub start: *const u32,
    /// How many members in all.
    pub members: usize,
    /// Rows of the members.
    pub member: *const u32,
    /// How many agents there are.
    pub agents: usize,
    /// Preferred velocities of all agents as guided, each in its agent's frame.
    pub guided: *const Vec2,
    /// Offsets to the points that all agents walk to as guided, each in its agent's frame.
    pub aim: *const Vec2,
}

/// Where `adjust` writes, one entry per row of the call; entries hold what guiding gave.
/// **Owner:** the host.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupOut {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Preferred velocities: must stay finite.
    pub preferred: *mut Vec2,
    /// Offsets to the points walked to: must stay finite.
    pub target: *mut Vec2,
}

/// The functions of a group behaviour. **Thread:** `adjust` runs on many threads at once unless
/// the descriptor says otherwise.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupTable {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Fills the profile of an instance. Called once, after `create`; the answer is constant.
    pub profile: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            out: *mut GroupProfile,
        ) -> Status,
    >,
    /// Adjusts the agents of the chunk.
    pub adjust: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            world: *const World,
            chunk: *const GroupIn,
            out: *const GroupOut,
        ) -> Status,
    >,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_only_grow_at_their_end() {
        assert_eq!(size_of::<GroupProfile>(), 16);
        if size_of::<usize>() == 8 {
            assert_eq!(size_of::<GroupIn>(), 80);
            assert_eq!(size_of::<GroupOut>(), 24);
            assert_eq!(size_of::<GroupTable>(), 24);
        }
    }
}
