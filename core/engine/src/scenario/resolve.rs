//! The effective scenario: as TOML with every default written out, as a hash, as JSON Schema.

use core::fmt::Write;

use serde_json::json;
use sha2::{Digest, Sha256};
use throng_core::registry::{Capabilities, Slot};

use super::{
    codec::{describe_section, write_section},
    model::{EnvironmentSource, Scenario},
    strategy::slot_schema,
    values::StrategySpec,
};
use crate::registry::{Combination, Registry};

impl Scenario {
    /// The scenario with every default written out. Loading it gives an equal scenario; relative
    /// paths stay relative to the scenario's folder.
    pub fn resolved(&self, registry: &Registry) -> String {
        let mut whole = self.clone();
        whole.complete(registry);
        text_of(&write_section(&whole))
    }

    /// The resolved scenario with absolute paths, for a copy kept in another folder; it loads
    /// with `--allow-outside`. It names the libraries that the registry's strategies come from,
    /// also those that the user named beside the scenario.
    pub fn resolved_elsewhere(&self, registry: &Registry) -> String {
        let mut moved = self.clone();
        let absolute = |file: &mut std::path::PathBuf| {
            if let Ok(path) = self.open_path(file) {
                *file = path;
            }
        };
        match &mut moved.environment.source {
            EnvironmentSource::File(file) => absolute(file),
            EnvironmentSource::Layers(layers) => {
                layers
                    .iter_mut()
                    .for_each(|layer| absolute(&mut layer.file));
            }
            _ => {}
        }
        moved.plugins = registry
            .libraries()
            .map(|(path, _)| path.to_owned())
            .collect();
        moved.resolved(registry)
    }

    /// SHA-256 of the resolved scenario, in hexadecimal digits; how snapshots of it are kept
    /// does not count.
    pub fn hash(&self, registry: &Registry) -> String {
        let mut whole = self.clone();
        whole.snapshot = None;
        let digest = Sha256::digest(whole.resolved(registry).as_bytes());
        let mut hex = String::with_capacity(64);
        for byte in digest {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
        }
        hex
    }

    /// The strategies that it combines. `given` is what does not come from them, such as
    /// [`Capabilities::PLAN_GROUND`]; crowd cells of their own size are counted in here.
    pub fn combination(&self, given: Capabilities) -> Combination {
        let base = [
            &self.nav,
            &self.planner,
            &self.cost.model,
            &self.avoidance,
            &self.lod,
            &self.group,
        ];
        let mut tiers = Vec::new();
        for tier in &self.tiers {
            let named = [
                (Slot::Cost, &tier.cost),
                (Slot::Planner, &tier.guide),
                (Slot::Avoidance, &tier.avoidance),
            ];
            for (slot, spec) in named {
                if let Some(spec) = spec {
                    tiers.push((slot, spec.kind.clone()));
                }
            }
        }
        let cells = match self.cost.cell {
            Some(_) => Capabilities::REGIONS,
            None => Capabilities::NONE,
        };
        Combination {
            ids: base.map(|spec| spec.kind.clone()),
            tiers,
            given: given.and(cells),
        }
    }

    /// Fills in the defaults of every strategy that the registry knows.
    fn complete(&mut self, registry: &Registry) {
        let fill = |slot: Slot, spec: &mut StrategySpec| {
            let whole = registry
                .find(slot, &spec.kind)
                .map(|s| s.effective(&spec.table));
            if let Some(Ok(table)) = whole {
                spec.table = table;
            }
        };
        fill(Slot::Nav, &mut self.nav);
        fill(Slot::Planner, &mut self.planner);
        fill(Slot::Cost, &mut self.cost.model);
        fill(Slot::Avoidance, &mut self.avoidance);
        fill(Slot::Lod, &mut self.lod);
        fill(Slot::Group, &mut self.group);
        for tier in &mut self.tiers {
            tier.cost.iter_mut().for_each(|s| fill(Slot::Cost, s));
            tier.guide.iter_mut().for_each(|s| fill(Slot::Planner, s));
            tier.avoidance
                .iter_mut()
                .for_each(|s| fill(Slot::Avoidance, s));
        }
    }
}

/// A table as a scenario is written by hand: values, then `[tables]`, then `[[lists]]`, each
/// key on a line.
fn text_of(root: &toml::Table) -> String {
    let mut text = String::new();
    for (key, value) in root {
        if !value.is_table() && !is_tables(value) {
            line(&mut text, key, value);
        }
    }
    for (key, value) in root {
        match value {
            toml::Value::Table(named) if key == "profile" => {
                for (name, table) in named {
                    if let toml::Value::Table(table) = table {
                        section(&mut text, &format!("[{key}.{}]", quoted(name)), table);
                    }
                }
            }
            toml::Value::Table(table) => section(&mut text, &format!("[{}]", quoted(key)), table),
            toml::Value::Array(items) if is_tables(value) => {
                for table in items.iter().filter_map(toml::Value::as_table) {
                    section(&mut text, &format!("[[{}]]", quoted(key)), table);
                }
            }
            _ => {}
        }
    }
    text
}

fn is_tables(value: &toml::Value) -> bool {
    value
        .as_array()
        .is_some_and(|items| !items.is_empty() && items.iter().all(toml::Value::is_table))
}

fn section(text: &mut String, header: &str, table: &toml::Table) {
    text.push('\n');
    text.push_str(header);
    text.push('\n');
    for (key, value) in table {
        line(text, key, value);
    }
}

fn line(text: &mut String, key: &str, value: &toml::Value) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} = {value}", quoted(key));
}

/// A key as TOML writes it.
fn quoted(key: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if !key.is_empty() && key.bytes().all(bare) {
        key.to_owned()
    } else {
        toml::Value::from(key).to_string()
    }
}

/// JSON Schema of scenario files: every key, with one form per strategy and scene generator.
pub fn json_schema(registry: &Registry) -> serde_json::Value {
    let mut schema = describe_section::<Scenario>(registry);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "Throng scenario".into();
    schema["required"] = json!(["environment"]);
    let slots = Slot::ALL.map(|slot| {
        let forms = slot_schema(registry, slot, &serde_json::Map::new());
        (slot.name().to_owned(), forms)
    });
    schema["$defs"] = serde_json::Value::Object(slots.into_iter().collect());
    schema
}
