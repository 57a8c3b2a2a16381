//! What a loaded strategy says through `tracing` arrives in the host's.

use std::{
    io::Write,
    sync::{Arc, Mutex},
};

use throng::core::Slot;

#[path = "../../digest.rs"]
mod digest;
#[path = "../src/sighted.rs"]
mod sighted;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn events_of_a_library_reach_the_host() {
    let lines = Lines::default();
    let written = lines.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_ansi(false)
        .with_writer(move || written.clone())
        .init();
    let [_, loaded] = digest::registries(Slot::Planner, "sighted");
    let text = r#"
        name = "plugin"
        [planner]
        kind = "sighted"
        [[source]]
        area = "w"
        count = 3
        goals = ["e"]
    "#;
    let mut sim = digest::simulation("crossing", text, loaded, 1);
    digest::digests(&mut sim, 2);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let line = text.lines().find(|l| l.contains("the map was looked at"));
    let line = line.unwrap_or_else(|| panic!("no such line in {text:?}"));
    assert!(line.contains("INFO throng::plugin"), "{line}");
    assert!(line.contains("throng_plugin_sighted::sighted"), "{line}");
    assert!(
        line.contains("nodes=") && line.contains("parts=1"),
        "{line}"
    );
}
