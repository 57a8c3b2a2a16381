//! Files that are no plugin: each gets one clear message, and none ends the process.

use std::{
    fs,
    path::{Path, PathBuf},
};

use throng_engine::plugin::{self, PluginError};

fn library() -> PathBuf {
    let program = std::env::current_exe().unwrap();
    program.with_file_name(format!(
        "{}throng_plugin_faulty{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

/// Loads these bytes as a file of their own; the folder stays, as a library may be mapped.
fn load_bytes(name: &str, bytes: &[u8]) -> Result<plugin::Library, PluginError> {
    let folder = tempfile::tempdir().unwrap().keep();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    let result = plugin::load(&path);
    fs::remove_dir_all(&folder).unwrap();
    result
}

fn refused(name: &str, bytes: &[u8]) -> String {
    let message = load_bytes(name, bytes).unwrap_err().to_string();
    assert!(message.contains(name), "the library is named: {message}");
    message
}

/// Where the plugin's table lies in the file.
fn table(bytes: &[u8]) -> usize {
    let magic = b"THRONG\x1aP";
    // The magic also stands in the loader's constants if those were linked in: the table is the
    // one followed by size and version.
    let found: Vec<usize> = bytes
        .windows(16)
        .enumerate()
        .filter(|(_, w)| w.starts_with(magic) && w[12..16] == 1u32.to_ne_bytes())
        .map(|(at, _)| at)
        .collect();
    assert_eq!(found.len(), 1, "one table in the file");
    found[0]
}

#[test]
fn the_library_itself_loads_twice() {
    for _ in 0..2 {
        let library = plugin::load(&library()).unwrap();
        assert_eq!(library.strategies.len(), 6);
        assert_eq!(library.hash.len(), 64);
        assert!(library.hash.bytes().all(|b| b.is_ascii_hexdigit()));
    }
}

#[test]
fn missing_folder_and_text_files() {
    let missing = plugin::load(Path::new("nowhere/libnone.so")).unwrap_err();
    assert!(
        missing.to_string().contains("nowhere/libnone.so"),
        "{missing}"
    );
    let folder = plugin::load(&std::env::temp_dir()).unwrap_err();
    assert!(folder.to_string().contains("not a file"), "{folder}");
    assert!(refused("libempty.so", b"").contains("the file is empty"));
    let text = refused("libtext.so", b"[package]\nname = \"x\"\n");
    assert!(text.contains("begins with \"[package\""), "{text}");
}

/// A cut library kills the process inside the system's loader unless it is refused before.
#[cfg(target_os = "linux")]
#[test]
fn truncated_libraries() {
    let whole = fs::read(library()).unwrap();
    for share in [0, 1, 3, 10, 50, 90, 99] {
        let cut = refused("libcut.so", &whole[..64 + (whole.len() - 64) * share / 100]);
        assert!(cut.contains("cut short"), "{share} %: {cut}");
    }
    let cut = refused("libcut.so", &whole[..whole.len() - 1]);
    assert!(cut.contains("cut short"), "{cut}");
}

#[cfg(target_os = "linux")]
#[test]
fn libraries_for_other_machines() {
    let mut other = fs::read(library()).unwrap();
    other[18..20].copy_from_slice(&0x2bu16.to_ne_bytes());
    let message = refused("libsparc.so", &other);
    assert!(message.contains("another processor"), "{message}");
    let mut narrow = fs::read(library()).unwrap();
    narrow[4] = 1;
    assert!(refused("libnarrow.so", &narrow).contains("32 bits"));
}

#[test]
fn libraries_that_are_no_plugin() {
    let mut nameless = fs::read(library()).unwrap();
    let symbol = b"throng_plugin_v1\0";
    let places: Vec<usize> = nameless
        .windows(symbol.len())
        .enumerate()
        .filter(|(_, w)| w == symbol)
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty());
    for at in places {
        nameless[at + symbol.len() - 2] = b'x';
    }
    let message = refused("libnameless.so", &nameless);
    assert!(message.contains("no symbol throng_plugin_v1"), "{message}");

    let mut strange = fs::read(library()).unwrap();
    let at = table(&strange);
    strange[at] = b'X';
    let message = refused("libstrange.so", &strange);
    assert!(
        message.contains("\"XHRONG\\x1aP\"") && message.contains("\"THRONG\\x1aP\""),
        "{message}"
    );
}

#[test]
fn libraries_of_other_versions_and_builds() {
    let whole = fs::read(library()).unwrap();
    let at = table(&whole);
    let patched = |offset: usize, value: &[u8]| {
        let mut bytes = whole.clone();
        bytes[at + offset..at + offset + value.len()].copy_from_slice(value);
        bytes
    };
    for version in [0u32, 2, 7000] {
        let message = refused("libversion.so", &patched(12, &version.to_ne_bytes()));
        assert!(
            message.contains(&format!("version {version} of the plugin tables")),
            "{message}"
        );
    }
    let small = refused("libsmall.so", &patched(8, &24u32.to_ne_bytes()));
    assert!(small.contains("has 24 bytes, expected 48"), "{small}");
    let aborts = refused("libaborts.so", &patched(16, &[2]));
    assert!(aborts.contains("panic = \"abort\""), "{aborts}");
    let odd = refused("libodd.so", &patched(16, &[9]));
    assert!(odd.contains("says 9"), "{odd}");
}

#[cfg(unix)]
#[test]
fn files_that_everybody_may_write() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("libopen.so");
    fs::copy(library(), &path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    let message = plugin::load(&path).unwrap_err().to_string();
    assert!(message.contains("everybody may write"), "{message}");
}
