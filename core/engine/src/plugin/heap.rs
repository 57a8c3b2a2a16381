//! How much memory the process has allocated, libraries included.

/// Bytes that are allocated now, by this program and by every library that uses the system's
/// allocator; none where the system does not tell.
///
/// A library has a Rust allocator of its own, so that a counting one in the host does not see it;
/// below them all is the C library's.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn allocated() -> Option<usize> {
    use std::sync::LazyLock;
    type Tell = unsafe extern "C" fn() -> libc::mallinfo2;
    // Looked up at run time: glibc before 2.33 does not have it.
    static TELL: LazyLock<Option<Tell>> = LazyLock::new(|| {
        let program = libloading::os::unix::Library::this();
        // SAFETY: the symbol of this name is the C library's function of this type.
        let found = unsafe { program.get::<Tell>(b"mallinfo2\0") }.ok();
        found.map(|symbol| *symbol)
    });
    TELL.map(|tell| {
        // SAFETY: it takes nothing and may be called from any thread.
        let told = unsafe { tell() };
        told.uordblks + told.hblkhd
    })
}

/// Not known here.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn allocated() -> Option<usize> {
    None
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_counted() {
        let Some(before) = allocated() else {
            return;
        };
        // Larger than what the tests beside this one free meanwhile.
        let held = vec![1u8; 256 << 20];
        let during = allocated().unwrap();
        assert!(during > before + (128 << 20), "{before} to {during}");
        drop(held);
    }
}
