//! Whether a file is a whole dynamic library for this machine that only its owner may change, found
//! out before it is opened.
//!
//! The system's loader maps the segments that a library's header states. If the file is shorter
//! the process dies of a bus error inside the loader, so the segments are checked against the
//! file's size first.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::error::PluginError;

/// Files beyond this are no library, bytes.
const LARGEST: u64 = 2 << 30;

/// A file that was read and checked: these bytes are the ones to load.
pub(super) struct Checked {
    pub bytes: Vec<u8>,
    /// SHA-256 in hexadecimal digits.
    pub hash: String,
}

/// Reads a library's file and checks it.
pub(super) fn inspect(library: &Path) -> Result<Checked, PluginError> {
    let unreadable = |source| PluginError::Unreadable {
        library: library.to_owned(),
        source,
    };
    let not_a_library = |reason: String| PluginError::NotALibrary {
        library: library.to_owned(),
        reason,
    };
    // Asked before it is opened: opening a pipe waits for somebody who writes to it.
    if !fs::metadata(library).map_err(unreadable)?.is_file() {
        return Err(not_a_library("it is not a file".into()));
    }
    let file = File::open(library).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.len() > LARGEST {
        return Err(not_a_library(format!(
            "it has {} bytes, at most {LARGEST} are expected",
            metadata.len()
        )));
    }
    if let Some(open) = writable_by_all(library) {
        return Err(PluginError::WorldWritable {
            library: library.to_owned(),
            open,
        });
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(LARGEST)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    check(&bytes).map_err(not_a_library)?;
    let hash = hexadecimal(&Sha256::digest(&bytes));
    Ok(Checked { bytes, hash })
}

/// The file, or the folder above it, that everybody may write to; none where the system has no
/// such rights. In a folder with the sticky bit, as /tmp, nobody may replace another's file.
#[cfg(unix)]
pub(super) fn writable_by_all(file: &Path) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    const BY_ALL: u32 = 0o002;
    const STICKY: u32 = 0o1000;
    let open = |path: &Path| {
        let metadata = fs::metadata(path).ok()?;
        let mode = metadata.permissions().mode();
        let kept = metadata.is_dir() && mode & STICKY != 0;
        (mode & BY_ALL != 0 && !kept).then(|| path.to_owned())
    };
    file.ancestors().find_map(open)
}

#[cfg(not(unix))]
pub(super) fn writable_by_all(_: &Path) -> Option<PathBuf> {
    None
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(not(all(unix, not(target_vendor = "apple"), target_pointer_width = "64")))]
fn check(bytes: &[u8]) -> Result<(), String> {
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    Ok(())
}

/// Checks the header of an ELF file of 64 bits: kind, machine, and that every stated part lies
/// within the file.
#[cfg(all(unix, not(target_vendor = "apple"), target_pointer_width = "64"))]
fn check(bytes: &[u8]) -> Result<(), String> {
    const CLASS_64: u8 = 2;
    const TYPE_SHARED: u16 = 3;
    const SEGMENT_LOAD: u32 = 1;
    const SEGMENT_DYNAMIC: u32 = 2;
    const SEGMENT_ROW: usize = 56;

    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    if bytes.get(..4) != Some(b"\x7fELF") {
        let start: String = String::from_utf8_lossy(&bytes[..bytes.len().min(8)])
            .escape_debug()
            .collect();
        return Err(format!(
            "it begins with \"{start}\", a library with \"\\x7fELF\""
        ));
    }
    let truncated = |what: &str, end: Option<u64>| match end {
        Some(end) => format!(
            "it is cut short: its {what} ends at byte {end}, the file at byte {}",
            bytes.len()
        ),
        None => format!("its {what} is larger than any file"),
    };
    let fits = |what: &str, offset: u64, size: u64| match offset.checked_add(size) {
        Some(end) if end <= bytes.len() as u64 => Ok(()),
        end => Err(truncated(what, end)),
    };
    fits("header", 0, 64)?;
    if bytes[4] != CLASS_64 {
        return Err("it is made for 32 bits, this program for 64".into());
    }
    let little = if cfg!(target_endian = "little") { 1 } else { 2 };
    if bytes[5] != little {
        return Err("its byte order is not this machine's".into());
    }
    let (kind, machine) = (u16_at(bytes, 16), u16_at(bytes, 18));
    if let Some(own) = own_machine()
        && machine != own
    {
        return Err(format!(
            "it is made for another processor (ELF machine {machine}, this one is {own})"
        ));
    }
    if kind != TYPE_SHARED {
        return Err(format!(
            "it is an ELF file of type {kind}, a dynamic library has type {TYPE_SHARED}"
        ));
    }
    let (first, row, count) = (u64_at(bytes, 32), u16_at(bytes, 54), u16_at(bytes, 56));
    if usize::from(row) != SEGMENT_ROW {
        return Err(format!(
            "a row of its segment table has {row} bytes, {SEGMENT_ROW} are expected"
        ));
    }
    fits("segment table", first, u64::from(row) * u64::from(count))?;
    let (mut loads, mut dynamic) = (false, false);
    for segment in 0..usize::from(count) {
        let at = first as usize + segment * SEGMENT_ROW;
        let (offset, stored, mapped) = (
            u64_at(bytes, at + 8),
            u64_at(bytes, at + 32),
            u64_at(bytes, at + 40),
        );
        let segment_kind = u32_at(bytes, at);
        if segment_kind != SEGMENT_LOAD && segment_kind != SEGMENT_DYNAMIC {
            continue;
        }
        fits(&format!("segment {segment}"), offset, stored)?;
        if segment_kind == SEGMENT_LOAD && stored > mapped {
            return Err(format!(
                "segment {segment} has {stored} bytes for {mapped} in memory"
            ));
        }
        loads |= segment_kind == SEGMENT_LOAD;
        dynamic |= segment_kind == SEGMENT_DYNAMIC;
    }
    if !loads || !dynamic {
        return Err("it has no segments to load and link".into());
    }
    // The loader does not read sections, but a file without the ones it states was cut short.
    fits(
        "section table",
        u64_at(bytes, 40),
        u64::from(u16_at(bytes, 58)) * u64::from(u16_at(bytes, 60)),
    )
}

#[cfg(all(unix, not(target_vendor = "apple"), target_pointer_width = "64"))]
fn own_machine() -> Option<u16> {
    match std::env::consts::ARCH {
        "powerpc64" => Some(21),
        "s390x" => Some(22),
        "x86_64" => Some(62),
        "aarch64" => Some(183),
        "riscv64" => Some(243),
        "loongarch64" => Some(258),
        _ => None,
    }
}

macro_rules! number_at {
    ($name:ident, $type:ty, $size:literal) => {
        #[cfg(all(unix, not(target_vendor = "apple"), target_pointer_width = "64"))]
        fn $name(bytes: &[u8], at: usize) -> $type {
            let mut raw = [0; $size];
            if let Some(found) = bytes.get(at..at + $size) {
                raw.copy_from_slice(found);
            }
            <$type>::from_ne_bytes(raw)
        }
    };
}
number_at!(u16_at, u16, 2);
number_at!(u32_at, u32, 4);
number_at!(u64_at, u64, 8);

#[cfg(all(test, unix, not(target_vendor = "apple"), target_pointer_width = "64"))]
mod tests {
    use super::*;

    fn put<const N: usize>(bytes: &mut [u8], at: usize, value: [u8; N]) {
        bytes[at..at + N].copy_from_slice(&value);
    }

    /// A header with one segment to load and one to link, 300 bytes in all.
    fn library() -> Vec<u8> {
        let mut bytes = vec![0; 300];
        put(&mut bytes, 0, *b"\x7fELF");
        bytes[4] = 2;
        bytes[5] = if cfg!(target_endian = "little") { 1 } else { 2 };
        put(&mut bytes, 16, 3u16.to_ne_bytes());
        put(&mut bytes, 18, own_machine().unwrap_or(0).to_ne_bytes());
        put(&mut bytes, 32, 64u64.to_ne_bytes());
        put(&mut bytes, 54, 56u16.to_ne_bytes());
        put(&mut bytes, 56, 2u16.to_ne_bytes());
        for (row, kind) in [(64, 1u32), (120, 2)] {
            put(&mut bytes, row, kind.to_ne_bytes());
            put(&mut bytes, row + 8, 100u64.to_ne_bytes());
            put(&mut bytes, row + 32, 200u64.to_ne_bytes());
            put(&mut bytes, row + 40, 200u64.to_ne_bytes());
        }
        bytes
    }

    #[test]
    fn a_whole_library_passes_and_every_shorter_one_fails() {
        let whole = library();
        assert_eq!(check(&whole), Ok(()));
        for size in 0..whole.len() {
            assert!(check(&whole[..size]).is_err(), "{size} bytes");
        }
        let reason = check(&whole[..250]).unwrap_err();
        assert!(reason.contains("ends at byte 300"), "{reason}");
    }

    #[test]
    fn other_files_are_named() {
        assert!(check(b"[package]\n").unwrap_err().contains("[package"));
        let mut other = library();
        put(&mut other, 18, 40u16.to_ne_bytes());
        assert!(check(&other).unwrap_err().contains("another processor"));
        let mut program = library();
        put(&mut program, 16, 2u16.to_ne_bytes());
        assert!(check(&program).unwrap_err().contains("type 2"));
    }

    #[test]
    fn no_header_makes_it_fall() {
        let whole = library();
        for at in 0..176 {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut broken = whole.clone();
                broken[at] = value;
                let _ = check(&broken);
            }
        }
    }
}
