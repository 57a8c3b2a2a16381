//! A scenario, or an environment file alone: what `nav` and `path` take.

use std::path::Path;

use throng::{LoadOptions, Loaded, load, load_text};

use super::{Changes, warnings};
use crate::failure::Failure;

/// Loads a scenario (`.toml`) or an environment file, with strategies chosen on the command line.
pub fn load_site(
    file: &Path,
    changes: &Changes,
    chosen: &[(&str, Option<&str>)],
) -> Result<Loaded, Failure> {
    let mut options: LoadOptions = changes.options()?;
    // A strategy comes before the options that `--set` gives it.
    let kinds = chosen
        .iter()
        .filter_map(|(slot, id)| id.map(|id| format!("{slot}.kind={id}")));
    options.sets = kinds.chain(options.sets).collect();
    let scenario = file
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    let loaded = if scenario {
        load(file, &options)?
    } else {
        if !file.is_file() {
            return Err(Failure::input(format!(
                "there is no file {}",
                file.display()
            )));
        }
        // The user names the file here, so it may be anywhere.
        options.allow_outside = true;
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = toml::Value::from(if stem.is_empty() { "unnamed" } else { &*stem });
        let path = toml::Value::from(file.to_string_lossy().as_ref());
        let text = format!("name = {name}\n[environment]\nfile = {path}\n");
        load_text(&text, &file.display().to_string(), &options)?
    };
    warnings(&loaded);
    Ok(loaded)
}
