//! The functions of slot `lod`.

use core::ffi::c_void;

use crate::{
    call::{Call, Sink, Status},
    values::Bytes,
    world::World,
};

/// What an instance asks for. **Owner:** the host; the library fills it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LodProfile {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Not 0 if it reads the regions that agents are in: they are looked up in every step then.
    pub reads_regions: u32,
    /// The only level that it ever gives, 0 to 254; 256 if there are several.
    pub constant: u32,
}

/// The functions of a level-of-detail policy. **Thread:** `prepare` and `load` run alone; the
/// others run on many threads at once unless the descriptor says otherwise.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LodTable {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Fills the profile of an instance. Called once, after `create`; the answer is constant.
    pub profile: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            out: *mut LodProfile,
        ) -> Status,
    >,
    /// Writes the level, 0 to 254, of the agents `first..first + count`: every one must be written.
    /// An agent's level depends on the world alone.
    pub classify: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            world: *const World,
            first: usize,
            count: usize,
            out: *mut u8,
        ) -> Status,
    >,
    /// Looks at the world of a step before anybody is sorted. May be null.
    pub prepare: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *mut c_void,
            world: *const World,
        ) -> Status,
    >,
    /// Writes the state that a resumed run needs. Null if there is none.
    pub save: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            out: *const Sink,
        ) -> Status,
    >,
    /// Takes back what `save` wrote. Null if there is none.
    pub load: Option<
        unsafe extern "C" fn(call: *const Call, instance: *mut c_void, saved: Bytes) -> Status,
    >,
}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    #[test]
    fn tables_only_grow_at_their_end() {
        assert_eq!(size_of::<LodProfile>(), 16);
        if size_of::<usize>() == 8 {
            assert_eq!(offset_of!(LodTable, load), 40);
        }
    }
}
