//! Opens a library so that the bytes that run are the bytes that were hashed.
//!
//! A file can be swapped or written to between a check and the system's loader, and even later: its
//! pages are read when they are first used. On Linux the checked bytes go to memory that is sealed
//! against every change, and the loader maps that. The descriptor stays open and is named through
//! the process's number, so that debuggers find the library's symbols while it runs.

use std::path::Path;

use libloading::Library;

use super::{error::PluginError, file::Checked};

/// Opens the library with all its symbols resolved.
pub(super) fn open(library: &Path, checked: &Checked) -> Result<Library, PluginError> {
    #[cfg(target_os = "linux")]
    if let Some(image) = sealed::image(&checked.bytes) {
        return open_at(&image, library);
    }
    let opened = open_at(library, library)?;
    if super::file::inspect(library).is_ok_and(|again| again.hash == checked.hash) {
        return Ok(opened);
    }
    // Its initialisers have run: closing it now would not undo that.
    core::mem::forget(opened);
    Err(PluginError::Changed {
        library: library.to_owned(),
    })
}

fn open_at(at: &Path, library: &Path) -> Result<Library, PluginError> {
    #[cfg(unix)]
    let opened = {
        use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
        // All symbols now: a missing one is an error here, not a crash at the first call.
        // SAFETY: the file is a whole library for this machine; that its initialisers behave is
        // what the user vouches for by naming it.
        unsafe { Library::open(Some(at), RTLD_NOW | RTLD_LOCAL) }.map(From::from)
    };
    #[cfg(not(unix))]
    // SAFETY: as above.
    let opened = unsafe { Library::new(at) };
    opened.map_err(|error: libloading::Error| PluginError::Refused {
        library: library.to_owned(),
        reason: error.to_string().replace(
            &at.display().to_string(),
            &library.file_name().unwrap_or_default().to_string_lossy(),
        ),
    })
}

#[cfg(target_os = "linux")]
mod sealed {
    use std::{
        fs::File,
        io::Write,
        os::fd::{AsRawFd, FromRawFd, IntoRawFd},
        path::PathBuf,
    };

    /// A path to sealed memory that holds these bytes, for the life of the process; none where the
    /// system does not let us.
    pub(super) fn image(bytes: &[u8]) -> Option<PathBuf> {
        let mut file = memory(libc::MFD_EXEC).or_else(|| memory(0))?;
        file.write_all(bytes).ok()?;
        let seals =
            libc::F_SEAL_SEAL | libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_WRITE;
        // SAFETY: a call about a descriptor that is ours and open.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
            return None;
        }
        let descriptor = file.as_raw_fd();
        let path = PathBuf::from(format!("/proc/{}/fd/{descriptor}", std::process::id()));
        if !path.exists() {
            return None;
        }
        // Kept open: the path leads somewhere as long as the process lives.
        let _ = file.into_raw_fd();
        Some(path)
    }

    /// Kernels before 6.3 do not know `MFD_EXEC`; later ones may want it.
    fn memory(flag: libc::c_uint) -> Option<File> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING | flag;
        // SAFETY: the name is a text that ends with a zero.
        let descriptor = unsafe { libc::memfd_create(c"throng-plugin".as_ptr(), flags) };
        // SAFETY: the descriptor is new, and nobody else's.
        (descriptor >= 0).then(|| unsafe { File::from_raw_fd(descriptor) })
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn sealed_bytes_stay_as_they_are() {
            let path = image(b"as it was").unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"as it was");
            let open = File::options().write(true).open(&path);
            assert!(open.and_then(|mut file| file.write_all(b"x")).is_err());
            assert_eq!(std::fs::read(&path).unwrap(), b"as it was");
        }
    }
}
