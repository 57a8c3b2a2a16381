//! The functions of slot `cost`.

use core::ffi::c_void;

use crate::{
    call::{Call, Sink, Status},
    values::{Bytes, RouteClass, Vec3},
};

/// What an instance asks for. **Owner:** the host; the library fills it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CostProfile {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// What it reads of the crowd, as bits of [`capability`](crate::capability): density, flow.
    pub crowd_needs: u64,
    /// Not 0 if prices never change: they are asked for once.
    pub is_static: u32,
    /// Zero.
    pub reserved: u32,
}

/// The crowd on crowd cells. **Owner:** the host; frozen while the call runs.
///
/// Columns have `cells` entries, or are null if nobody needs them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Crowd {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// How many cells.
    pub cells: usize,
    /// Area of each cell, square metres.
    pub area: *const f32,
    /// The x axis of each cell; null for the world's x.
    pub axis: *const Vec3,
    /// Area of the discs whose centre is in the cell, in 1/2^20 square metres.
    pub occupied: *const i64,
    /// How many persons.
    pub persons: *const i32,
    /// Sum of area times velocity along the cell's x, in 1/2^32 m2 m/s.
    pub momentum_x: *const i64,
    /// The same along the cell's y.
    pub momentum_y: *const i64,
}

/// What prices are asked for. **Owner:** the host; frozen while the call runs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PriceIn {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// The crowd.
    pub crowd: *const Crowd,
    /// Least factor on walking speed in each cell; null if 1 everywhere.
    pub cell_speed: *const f32,
    /// Seconds since the start.
    pub time: f64,
    /// The class that prices are for.
    pub route_class: RouteClass,
    /// Metres of the map's edges that lie in each cell, both directions counted once; null if the
    /// host does not say.
    pub cell_length: *const f32,
}

/// Where `price` writes. **Owner:** the host. On entry it holds the prices that this class had in
/// the last epoch.
///
/// For one price everywhere the library sets `is_uniform` and `uniform`. Else it calls `resize`,
/// which changes the arrays of this table, and writes all of `base` and `crowd`. Index of an
/// entry: `(slice * cells + cell) * directions + direction`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PriceOut {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// The host's own.
    pub context: *mut c_void,
    /// Makes room: `directions` 1 or 8, `slices` 1 or more; `blocks` not 0 to have `blocked`.
    /// Entries keep their old values or are 0; `is_uniform` becomes 0. May be called again.
    /// Answers an error, with the tables unchanged, if that is too much.
    pub resize: Option<
        unsafe extern "C" fn(
            out: *mut PriceOut,
            directions: u32,
            slices: u32,
            blocks: u32,
        ) -> Status,
    >,
    /// 1, or 8 if prices depend on the direction.
    pub directions: u32,
    /// How many time slices.
    pub slices: u32,
    /// Length of a slice, seconds.
    pub slice_seconds: f32,
    /// The least base price of any cell and direction.
    pub least_base: f32,
    /// Not 0 if `uniform` is the whole price.
    pub is_uniform: u32,
    /// The base price everywhere.
    pub uniform: f32,
    /// Entries in `base` and in `crowd`.
    pub entries: usize,
    /// Base part: finite, above 0, a lower bound of the whole price.
    pub base: *mut f32,
    /// Crowd part: finite, not negative, at most 10,000 times base.
    pub crowd: *mut f32,
    /// Words in `blocked`: 0, or one bit for each cell.
    pub blocked_words: usize,
    /// Cells that nobody may enter.
    pub blocked: *mut u64,
}

/// The functions of a cost model. **Thread:** `observe` and `load` run alone; the others run on
/// many threads at once unless the descriptor says otherwise.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CostTable {
    /// Size of this table.
    pub size: u32,
    /// Version of the tables.
    pub version: u32,
    /// Fills the profile of an instance. Called once, after `create`; the answer is constant.
    pub profile: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            out: *mut CostProfile,
        ) -> Status,
    >,
    /// Writes the prices of one class.
    pub price: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *const c_void,
            context: *const PriceIn,
            out: *mut PriceOut,
        ) -> Status,
    >,
    /// Takes in the crowd, once per epoch, before prices are asked for. Null if the model keeps
    /// no state.
    pub observe: Option<
        unsafe extern "C" fn(
            call: *const Call,
            instance: *mut c_void,
            crowd: *const Crowd,
            seconds: f32,
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
        if size_of::<usize>() == 8 {
            assert_eq!(size_of::<CostProfile>(), 24);
            assert_eq!(size_of::<Crowd>(), 64);
            assert_eq!(offset_of!(PriceIn, route_class), 32);
            assert_eq!(offset_of!(PriceOut, directions), 24);
            assert_eq!(offset_of!(PriceOut, entries), 48);
            assert_eq!(size_of::<PriceOut>(), 88);
            assert_eq!(offset_of!(CostTable, load), 40);
        }
    }
}
