//! A library's own scratch, kept in the host's.

use core::ffi::c_void;

type New = Option<unsafe extern "C" fn() -> *mut c_void>;
type Free = Option<unsafe extern "C" fn(*mut c_void)>;

/// Scratch memory of the table that made it.
#[derive(Default)]
pub(super) struct ForeignScratch {
    /// Address of the table, and how to free what it made.
    owner: Option<(usize, Free)>,
    pointer: Option<ScratchPointer>,
}

struct ScratchPointer(*mut c_void);

// SAFETY: the contract lets the host use scratch on any thread, one at a time.
unsafe impl Send for ScratchPointer {}

impl ForeignScratch {
    /// Scratch made by this table, a new one if another table's was kept. `new` and `free` are the
    /// table's.
    pub(super) fn of<T>(&mut self, table: &'static T, new: New, free: Free) -> *mut c_void {
        let address = core::ptr::from_ref(table) as usize;
        if self.owner.is_none_or(|(owner, _)| owner != address) {
            self.free();
            self.owner = Some((address, free));
        }
        let pointer = self.pointer.get_or_insert_with(|| {
            ScratchPointer(new.map_or(core::ptr::null_mut(), |new| {
                // SAFETY: the contract lets any thread make scratch at any time.
                unsafe { new() }
            }))
        });
        pointer.0
    }

    fn free(&mut self) {
        if let (Some((_, Some(free))), Some(pointer)) = (self.owner.take(), self.pointer.take())
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
