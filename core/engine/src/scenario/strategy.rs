//! Codecs of strategies and scene generators: tables whose keys the registry declares.

use serde_json::{Map, json};
use throng_core::{
    options::{OptionKind, OptionSpec},
    registry::Slot,
};

use super::{
    codec::{Codec, Reader, join},
    node::{Entry, Node, Value},
    set::typed_text,
    values::StrategySpec,
};
use crate::{
    diagnostics::Diagnostic,
    registry::{CreateError, Registry, default_value},
};

/// The strategy of a slot that a scenario does not name.
pub(crate) fn default_kind(slot: Slot) -> &'static str {
    match slot {
        Slot::Nav => "grid",
        Slot::Planner => "astar",
        Slot::Cost => "distance",
        Slot::Avoidance => "orca",
        Slot::Lod => "uniform",
        Slot::Group => "none",
    }
}

/// A strategy of a slot: its id, or a table with `kind` and its options.
pub(crate) struct StrategyOf {
    pub slot: Slot,
    /// Whether a table without `kind` means the slot's default.
    pub defaults: bool,
    /// Keys of the table that belong to somebody else.
    pub others: &'static [&'static str],
}

impl StrategyOf {
    /// The base strategy of a slot.
    pub const fn base(slot: Slot) -> StrategyOf {
        StrategyOf {
            slot,
            defaults: true,
            others: &[],
        }
    }

    /// A strategy that a tier names.
    pub const fn tier(slot: Slot) -> StrategyOf {
        StrategyOf {
            slot,
            defaults: false,
            others: &[],
        }
    }
}

impl Codec<StrategySpec> for StrategyOf {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<StrategySpec> {
        let kind_path = join(path, "kind");
        let (kind_node, entries) = match &node.value {
            Value::Text(_) => (Some(node), [].as_slice()),
            Value::Table(entries) => (node.get("kind"), entries.as_slice()),
            _ => {
                reader.wrong_type(node, path, "a strategy", "an id, or a table with kind");
                return None;
            }
        };
        let kind = match kind_node {
            Some(Node {
                value: Value::Text(kind),
                ..
            }) => kind.as_str(),
            Some(other) => {
                reader.wrong_type(other, &kind_path, "an id", &ids(reader.registry, self.slot));
                return None;
            }
            None if self.defaults => default_kind(self.slot),
            None => {
                let place = reader.texts.place(&node.origin);
                let allowed = ids(reader.registry, self.slot);
                let problem = Diagnostic::error(place, kind_path, "missing: which strategy");
                reader.problems.push(problem.allowed(allowed));
                return None;
            }
        };
        let registry = reader.registry;
        let Some(strategy) = registry.find(self.slot, kind) else {
            let known = registry.of(self.slot).map(|s| s.id.as_str());
            let what = format!("{} strategy", self.slot.name());
            reader.unknown_word(kind_node.unwrap_or(node), &kind_path, kind, known, &what);
            return None;
        };
        let owner = format!("unknown option of {} {kind}", self.slot.name());
        let table = read_options(
            entries,
            &strategy.options,
            &owner,
            self.others,
            reader,
            path,
        )?;
        match strategy.effective(&table) {
            Ok(table) => Some(StrategySpec {
                kind: kind.to_owned(),
                table,
                place: reader.texts.place(&kind_node.unwrap_or(node).origin),
            }),
            Err(error) => {
                refuse(&error, entries, kind_node.unwrap_or(node), reader, path);
                None
            }
        }
    }

    fn write(&self, value: &StrategySpec) -> toml::Value {
        let mut table = toml::Table::new();
        table.insert("kind".into(), value.kind.clone().into());
        for (key, option) in &value.table {
            table.insert(key.clone(), option.clone());
        }
        table.into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "$ref": format!("#/$defs/{}", self.slot.name()) })
    }

    fn absent(&self, value: &mut StrategySpec, reader: &mut Reader<'_>, path: &str) {
        let registry = reader.registry;
        let Some(strategy) = registry.find(self.slot, &value.kind) else {
            let problem = Diagnostic::error(
                Default::default(),
                join(path, "kind"),
                "the default is not linked into this program: name another",
            );
            let problem = problem.found(format!("{:?}", value.kind));
            let allowed = ids(registry, self.slot);
            reader.problems.push(problem.allowed(allowed));
            return;
        };
        match strategy.effective(&value.table) {
            Ok(table) => value.table = table,
            Err(error) => {
                let problem = Diagnostic::error(Default::default(), path, error.to_string());
                reader.problems.push(problem);
            }
        }
    }
}

fn ids(registry: &Registry, slot: Slot) -> String {
    let ids: Vec<_> = registry.of(slot).map(|s| s.id.as_str()).collect();
    ids.join(", ")
}

/// Reports what a strategy says of its table, at the option it blames.
fn refuse(
    error: &CreateError,
    entries: &[Entry],
    kind: &Node,
    reader: &mut Reader<'_>,
    path: &str,
) {
    let first = error.option.split(['.', '[']).next().unwrap_or_default();
    let (node, key) = match entries.iter().find(|e| e.key == first) {
        Some(entry) => (&entry.node, join(path, &error.option)),
        None => (kind, path.to_owned()),
    };
    reader.wrong(node, &key, &error.reason, "");
}

/// Reads the options of a table against their declarations; none if anything is wrong.
pub(crate) fn read_options(
    entries: &[Entry],
    specs: &[OptionSpec],
    unknown: &str,
    others: &[&str],
    reader: &mut Reader<'_>,
    path: &str,
) -> Option<toml::Table> {
    let mut table = toml::Table::new();
    let mut whole = true;
    for entry in entries {
        if entry.key == "kind" || others.contains(&entry.key.as_str()) {
            continue;
        }
        let Some(spec) = specs.iter().find(|s| s.name == entry.key) else {
            let own = specs.iter().map(|s| s.name);
            reader.unknown_key(entry, path, own.chain(others.iter().copied()), unknown);
            whole = false;
            continue;
        };
        match read_option(spec, &entry.node, reader, &join(path, &entry.key)) {
            Some(value) => {
                table.insert(entry.key.clone(), value);
            }
            None => whole = false,
        }
    }
    whole.then_some(table)
}

fn read_option(
    spec: &OptionSpec,
    node: &Node,
    reader: &mut Reader<'_>,
    path: &str,
) -> Option<toml::Value> {
    let allowed = match spec.unit {
        "" => spec.allowed(),
        unit => format!("{} {unit}", spec.allowed()),
    };
    match (&spec.kind, &node.value) {
        (OptionKind::Number { min, max }, Value::Float(_) | Value::Integer(_)) => {
            let value = match node.value {
                Value::Integer(value) => value as f64,
                Value::Float(value) => value,
                _ => return None,
            };
            if value >= *min && value <= *max {
                return Some(value.into());
            }
            reader.wrong(node, path, "out of range", &allowed);
        }
        (OptionKind::Integer { min, max }, Value::Integer(value)) => {
            if (min..=max).contains(&value) {
                return Some((*value).into());
            }
            reader.wrong(node, path, "out of range", &allowed);
        }
        (OptionKind::Switch, Value::Switch(on)) => return Some((*on).into()),
        (OptionKind::Choice(words), Value::Text(word)) => {
            if words.contains(&word.as_str()) {
                return Some(word.clone().into());
            }
            reader.unknown_word(node, path, word, words.iter().copied(), "word");
        }
        (OptionKind::Text, Value::Text(text)) => return Some(text.clone().into()),
        (kind, _) => {
            if *kind == OptionKind::Text
                && let Some(text) = typed_text(&reader.texts.sets, &node.origin)
            {
                return Some(text.into());
            }
            let wanted = match kind {
                OptionKind::Number { .. } => "a number",
                OptionKind::Integer { .. } => "a whole number",
                OptionKind::Switch => "true or false",
                OptionKind::Choice(_) => "a word",
                _ => "text",
            };
            reader.wrong_type(node, path, wanted, &allowed);
        }
    }
    None
}

/// JSON Schema of options.
pub(crate) fn options_schema(specs: &[OptionSpec]) -> Map<String, serde_json::Value> {
    specs
        .iter()
        .map(|spec| {
            let mut schema = match &spec.kind {
                OptionKind::Number { min, max } => {
                    let mut schema = json!({ "type": "number" });
                    // JSON has no infinity: a bound that is one is left out.
                    if min.is_finite() {
                        schema["minimum"] = (*min).into();
                    }
                    if max.is_finite() {
                        schema["maximum"] = (*max).into();
                    }
                    schema
                }
                OptionKind::Integer { min, max } => {
                    json!({ "type": "integer", "minimum": min, "maximum": max })
                }
                OptionKind::Switch => json!({ "type": "boolean" }),
                OptionKind::Choice(words) => json!({ "enum": words }),
                _ => json!({ "type": "string" }),
            };
            schema["description"] = match spec.unit {
                "" => spec.about.clone(),
                unit => format!("{} [{unit}]", spec.about),
            }
            .into();
            let default = default_value(spec);
            if let Some(Ok(default)) = default.map(serde_json::to_value)
                && !default.is_null()
            {
                schema["default"] = default;
            }
            (spec.name.to_owned(), schema)
        })
        .collect()
}

/// JSON Schema of a slot: an id, or a table of one of its kinds with further keys.
pub(crate) fn slot_schema(
    registry: &Registry,
    slot: Slot,
    further: &Map<String, serde_json::Value>,
) -> serde_json::Value {
    let words: Vec<_> = registry.of(slot).map(|s| s.id.as_str()).collect();
    let mut forms = vec![json!({ "enum": words })];
    for strategy in registry.of(slot) {
        let mut properties = options_schema(&strategy.options);
        properties.extend(further.clone());
        properties.insert(
            "kind".into(),
            json!({ "const": strategy.id, "description": strategy.about }),
        );
        let mut table = json!({
            "type": "object",
            "title": strategy.id,
            "description": strategy.about,
            "properties": properties,
            "additionalProperties": false,
        });
        if strategy.id != default_kind(slot) {
            table["required"] = json!(["kind"]);
        }
        forms.push(table);
    }
    json!({ "oneOf": forms })
}
