//! The library that was built is loaded as Throng loads it, and keeps to what the engine counts on.

use std::path::PathBuf;

use throng::{PluginPolicy, conformance, core::Slot, registry_with};

/// Cargo builds the library before this test, into the same folder.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    test.with_file_name(format!(
        "{}__crate__{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ))
}

#[test]
fn the_library_conforms() {
    let registry = registry_with(&[library()], &PluginPolicy::Allow).expect("the library loads");
    conformance::check(&registry, Slot::__Slot__, "__id__").assert();
}
