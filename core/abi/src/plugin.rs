//! What a library exports: one data symbol, and the descriptors behind it.

use core::ffi::c_void;

use crate::{
    call::{Call, Sink, Status},
    values::Bytes,
};

/// Name of the data symbol, with the final zero that dynamic loaders want.
pub const SYMBOL: &[u8] = b"throng_plugin_v1\0";
/// The first bytes of the data symbol.
pub const MAGIC: [u8; 8] = *b"THRONG\x1aP";
/// Version of the tables in this crate. It changes when a table changes other than at its end.
pub const ABI_VERSION: u32 = 1;

/// Values of [`Descriptor::slot`].
pub mod slot {
    /// Map: [`Descriptor::table`] is a [`NavTable`](crate::NavTable).
    pub const NAV: u32 = 0;
    /// Planner: [`Descriptor::table`] is a [`PlannerTable`](crate::PlannerTable).
    pub const PLANNER: u32 = 1;
    /// Cost model: [`Descriptor::table`] is a [`CostTable`](crate::CostTable).
    pub const COST: u32 = 2;
    /// Local avoidance: [`Descriptor::table`] is an [`AvoidanceTable`](crate::AvoidanceTable).
    pub const AVOIDANCE: u32 = 3;
    /// Level-of-detail policy: [`Descriptor::table`] is a [`LodTable`](crate::LodTable).
    pub const LOD: u32 = 4;
    /// Group behaviour: [`Descriptor::table`] is a [`GroupTable`](crate::GroupTable).
    pub const GROUP: u32 = 5;
}

/// Bits of [`Descriptor::needs`] and [`Descriptor::offers`].
pub mod capability {
    /// A graph to search.
    pub const GRAPH: u64 = 1;
    /// Regions, so that crowd cells need no size of their own.
    pub const REGIONS: u64 = 2;
    /// Nodes dense enough to interpolate a field between them.
    pub const DENSE: u64 = 4;
    /// A ground that is a floor plan with heights.
    pub const PLAN_GROUND: u64 = 8;
    /// Routes for every agent.
    pub const ROUTES: u64 = 16;
    /// Preferred velocities without a route.
    pub const GUIDES: u64 = 32;
    /// Prices that depend on the direction of travel.
    pub const DIRECTIONAL: u64 = 64;
    /// The crowd's density on crowd cells.
    pub const DENSITY: u64 = 128;
    /// The crowd's velocity on crowd cells.
    pub const FLOW: u64 = 256;
    /// Nodes and edges on the triangles of the ground.
    pub const MESH: u64 = 512;
}

/// Values of [`Plugin::unwinding`].
pub mod unwinding {
    /// The language has nothing that unwinds (C).
    pub const NONE: u8 = 0;
    /// Panics and exceptions unwind, and the library's functions catch them.
    pub const CAUGHT: u8 = 1;
    /// A panic ends the process: the host refuses such a library.
    pub const ABORTS: u8 = 2;
}

/// Values of [`Descriptor::threads`].
pub mod threads {
    /// Functions that do not change the instance run on many threads at once.
    pub const MANY: u32 = 0;
    /// The host makes one call of an instance at a time, on any thread.
    pub const ONE_AT_A_TIME: u32 = 1;
}

/// The data symbol. **Owner:** the library, for the life of the process. **Thread:** the host
/// calls these functions on one thread, in the order of the fields.
#[derive(Debug)]
#[repr(C)]
pub struct Plugin {
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// Size of this table.
    pub size: u32,
    /// [`ABI_VERSION`] of the library.
    pub version: u32,
    /// What a panic does: one of [`unwinding`].
    pub unwinding: u8,
    /// Zero.
    pub reserved: [u8; 7],
    /// Called before the others, once each time the library is asked for.
    pub start: Option<unsafe extern "C" fn(call: *const Call) -> Status>,
    /// How many strategies there are.
    pub count: Option<unsafe extern "C" fn() -> u32>,
    /// The descriptor of a strategy, which lives as long as the process; null with the reason in
    /// the error sink if there is none.
    pub describe: Option<unsafe extern "C" fn(call: *const Call, index: u32) -> *const Descriptor>,
}

/// What a strategy says of itself, and how instances are made. **Owner:** the library, for the
/// life of the process.
///
/// An instance is the library's own: the host passes its pointer back and never looks inside.
#[derive(Debug)]
#[repr(C)]
pub struct Descriptor {
    /// Size of this table.
    pub size: u32,
    /// [`ABI_VERSION`] of the library.
    pub version: u32,
    /// The slot it fills: one of [`slot`].
    pub slot: u32,
    /// On which threads its functions run: one of [`threads`].
    pub threads: u32,
    /// Its id: lower-case letters, digits and hyphens, a letter first.
    pub id: Bytes,
    /// The strategy's own version, as "0.1.0".
    pub strategy_version: Bytes,
    /// Where it comes from: the crate or project.
    pub origin: Bytes,
    /// One line: what it is.
    pub about: Bytes,
    /// When to choose it.
    pub when: Bytes,
    /// When not to.
    pub when_not: Bytes,
    /// How its time and memory grow.
    pub growth: Bytes,
    /// The paper it follows, or nothing.
    pub paper: Bytes,
    /// Its options as JSON Schema: an object whose `properties` have `type` (number, integer,
    /// boolean or string), `description`, `default`, and where they apply `minimum`, `maximum`,
    /// `enum` and `unit`.
    pub options: Bytes,
    /// Capabilities it needs, bits of [`capability`].
    pub needs: u64,
    /// Capabilities it offers, bits of [`capability`].
    pub offers: u64,
    /// Makes an instance from options, a JSON object in UTF-8. Options that are absent take their
    /// defaults. Writes the instance to `out` on success only. Any thread.
    pub create: Option<
        unsafe extern "C" fn(call: *const Call, options: Bytes, out: *mut *mut c_void) -> Status,
    >,
    /// Frees an instance; the last call with it. Any thread.
    pub destroy: Option<unsafe extern "C" fn(instance: *mut c_void)>,
    /// Writes the options of an instance, all of them, as a JSON object. Any thread.
    pub effective: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            out: *const Sink,
        ) -> Status,
    >,
    /// The functions of the slot.
    pub table: *const c_void,
}

// SAFETY: a descriptor is constant for the life of the process; its functions state their threads.
unsafe impl Send for Descriptor {}
// SAFETY: as above.
unsafe impl Sync for Descriptor {}

#[cfg(test)]
mod tests {
    use core::mem::offset_of;

    use super::*;

    /// A failure here means that libraries built before the change no longer fit: append instead,
    /// or raise `ABI_VERSION` and the symbol's name.
    #[test]
    fn tables_only_grow_at_their_end() {
        assert_eq!(offset_of!(Plugin, size), 8);
        assert_eq!(offset_of!(Plugin, version), 12);
        assert_eq!(offset_of!(Plugin, unwinding), 16);
        assert_eq!(offset_of!(Plugin, start), 24);
        assert_eq!(offset_of!(Plugin, describe), 24 + 2 * size_of::<usize>());
        assert_eq!(offset_of!(Descriptor, slot), 8);
        assert_eq!(offset_of!(Descriptor, id), 16);
        if size_of::<usize>() == 8 {
            assert_eq!(offset_of!(Descriptor, needs), 160);
            assert_eq!(offset_of!(Descriptor, table), 200);
            assert_eq!(size_of::<Descriptor>(), 208);
        }
    }
}
