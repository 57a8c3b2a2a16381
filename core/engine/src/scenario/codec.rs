//! Reading, writing and describing values from one declaration.
//!
//! A [`Codec`] knows one type of value: how it is read from the tree, written as TOML and
//! described as JSON Schema. A [`Section`] is a table: it lists its keys once, each with its
//! meaning, unit, codec and field, and [`Keys`] walks that list to read, to write or to describe.

use std::collections::BTreeSet;

use serde_json::{Map, json};

use super::node::{Entry, Node, Origin, Texts, Value};
use crate::{
    diagnostics::{Diagnostic, Diagnostics},
    registry::{Registry, nearest},
};

/// What reading needs beside the tree.
pub(crate) struct Reader<'a> {
    pub registry: &'a Registry,
    pub texts: &'a Texts,
    pub problems: &'a mut Diagnostics,
}

impl Reader<'_> {
    /// Reports a value.
    pub fn wrong(&mut self, node: &Node, key: &str, message: &str, allowed: &str) {
        let place = self.texts.place(&node.origin);
        self.problems.push(
            Diagnostic::error(place, key, message)
                .found(node.written())
                .allowed(allowed),
        );
    }

    /// Reports a value of the wrong type.
    pub fn wrong_type(&mut self, node: &Node, key: &str, wanted: &str, allowed: &str) {
        let message = format!("{} where {wanted} is wanted", node.kind());
        self.wrong(node, key, &message, allowed);
    }

    /// Reports a word that is none of the known ones.
    pub fn unknown_word<'w>(
        &mut self,
        node: &Node,
        key: &str,
        word: &str,
        known: impl Iterator<Item = &'w str> + Clone,
        what: &str,
    ) {
        let near = nearest(word, known.clone());
        let mut allowed = known.collect::<Vec<_>>().join(", ");
        if allowed.is_empty() {
            allowed = "none is linked into this program".into();
        }
        let place = self.texts.place(&node.origin);
        self.problems.push(
            Diagnostic::error(place, key, format!("unknown {what}"))
                .found(node.written())
                .allowed(allowed)
                .nearest(near),
        );
    }

    /// Reports a key that a table does not have.
    pub fn unknown_key<'w>(
        &mut self,
        entry: &Entry,
        path: &str,
        known: impl Iterator<Item = &'w str> + Clone,
        what: &str,
    ) {
        let near = nearest(&entry.key, known.clone());
        let allowed = known.collect::<Vec<_>>().join(", ");
        let place = self.texts.place(&entry.key_origin);
        self.problems.push(
            Diagnostic::error(place, join(path, &entry.key), what)
                .found(entry.node.written())
                .allowed(allowed)
                .nearest(near),
        );
    }

    /// The entries of a table; reports anything else.
    pub fn entries<'n>(&mut self, node: &'n Node, path: &str) -> Option<&'n [Entry]> {
        match &node.value {
            Value::Table(entries) => Some(entries),
            _ => {
                self.wrong_type(node, path, "a table", "");
                None
            }
        }
    }

    /// The items of a list; reports anything else.
    pub fn items<'n>(&mut self, node: &'n Node, path: &str) -> Option<&'n [Node]> {
        match &node.value {
            Value::List(items) => Some(items),
            _ => {
                self.wrong_type(node, path, "a list", "");
                None
            }
        }
    }
}

/// The key of a part of a table.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

/// How one type of value is read, written and described.
pub(crate) trait Codec<T> {
    /// Reads it; what is wrong is reported and gives none.
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<T>;
    /// Writes it.
    fn write(&self, value: &T) -> toml::Value;
    /// Describes it as JSON Schema.
    fn schema(&self, registry: &Registry) -> serde_json::Value;
    /// Completes the default of a key that is not there.
    fn absent(&self, _value: &mut T, _reader: &mut Reader<'_>, _path: &str) {}
}

/// A table: lists its keys.
pub(crate) trait Section: Default {
    /// Names every key with its meaning, unit, codec and field.
    fn keys(&mut self, keys: &mut Keys<'_, '_>);

    /// Reports what is wrong between keys, after all of them are read.
    fn check(&self, _checks: &mut Checks<'_, '_>) {}
}

enum Mode<'a, 'r> {
    Read {
        entries: &'a [Entry],
        origin: &'a Origin,
        reader: &'a mut Reader<'r>,
    },
    Write(toml::Table),
    Describe {
        properties: Map<String, serde_json::Value>,
        required: Vec<&'static str>,
        registry: &'a Registry,
    },
}

/// Walks the keys of a section.
pub(crate) struct Keys<'a, 'r> {
    mode: Mode<'a, 'r>,
    known: Vec<&'static str>,
    path: &'a str,
}

impl Keys<'_, '_> {
    /// A key with a default: what the field holds.
    pub fn one<T>(
        &mut self,
        name: &'static str,
        about: &str,
        unit: &str,
        codec: impl Codec<T>,
        field: &mut T,
    ) {
        self.key(name, about, unit, codec, field, false);
    }

    /// A list or a table that is empty by default, and not written then.
    pub fn some<T>(
        &mut self,
        name: &'static str,
        about: &str,
        unit: &str,
        codec: impl Codec<T>,
        field: &mut T,
    ) {
        self.key(name, about, unit, codec, field, true);
    }

    fn key<T>(
        &mut self,
        name: &'static str,
        about: &str,
        unit: &str,
        codec: impl Codec<T>,
        field: &mut T,
        skip_empty: bool,
    ) {
        self.known.push(name);
        match &mut self.mode {
            Mode::Read {
                entries, reader, ..
            } => {
                let path = join(self.path, name);
                match entries.iter().find(|e| e.key == name) {
                    Some(entry) => {
                        if let Some(value) = codec.read(&entry.node, reader, &path) {
                            *field = value;
                        }
                    }
                    None => codec.absent(field, reader, &path),
                }
            }
            Mode::Write(table) => {
                let value = codec.write(field);
                if !(skip_empty && is_empty(&value)) {
                    table.insert(name.into(), value);
                }
            }
            Mode::Describe {
                properties,
                registry,
                ..
            } => {
                let mut schema = codec.schema(registry);
                describe(&mut schema, about, unit);
                let default = codec.write(field);
                if !is_empty(&default)
                    && !default.is_table()
                    && let Ok(default) = serde_json::to_value(&default)
                {
                    schema["default"] = default;
                }
                properties.insert(name.into(), schema);
            }
        }
    }

    /// A key that need not be there.
    pub fn maybe<T>(
        &mut self,
        name: &'static str,
        about: &str,
        unit: &str,
        codec: impl Codec<T>,
        field: &mut Option<T>,
    ) {
        self.known.push(name);
        match &mut self.mode {
            Mode::Read {
                entries, reader, ..
            } => {
                if let Some(entry) = entries.iter().find(|e| e.key == name) {
                    *field = codec.read(&entry.node, reader, &join(self.path, name));
                }
            }
            Mode::Write(table) => {
                if let Some(value) = field {
                    table.insert(name.into(), codec.write(value));
                }
            }
            Mode::Describe {
                properties,
                registry,
                ..
            } => {
                let mut schema = codec.schema(registry);
                describe(&mut schema, about, unit);
                properties.insert(name.into(), schema);
            }
        }
    }

    /// A key that must be there.
    pub fn must<T>(
        &mut self,
        name: &'static str,
        about: &str,
        unit: &str,
        codec: impl Codec<T>,
        field: &mut T,
    ) {
        match &mut self.mode {
            Mode::Read {
                entries,
                origin,
                reader,
            } => {
                if !entries.iter().any(|e| e.key == name) {
                    let place = reader.texts.place(origin);
                    let message = format!("missing: {}", uncapitalised(about));
                    let problem = Diagnostic::error(place, join(self.path, name), message);
                    reader.problems.push(problem);
                    self.known.push(name);
                    return;
                }
            }
            Mode::Describe { required, .. } => required.push(name),
            Mode::Write(_) => {}
        }
        self.one(name, about, unit, codec, field);
        if let Mode::Describe { properties, .. } = &mut self.mode
            && let Some(schema) = properties.get_mut(name).and_then(|s| s.as_object_mut())
        {
            schema.remove("default");
        }
    }
}

/// A sentence as the rest of another.
fn uncapitalised(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    match sentence.chars().next() {
        Some(first) => first.to_lowercase().to_string() + &sentence[first.len_utf8()..],
        None => String::new(),
    }
}

fn is_empty(value: &toml::Value) -> bool {
    match value {
        toml::Value::Array(items) => items.is_empty(),
        toml::Value::Table(table) => table.is_empty(),
        _ => false,
    }
}

fn describe(schema: &mut serde_json::Value, about: &str, unit: &str) {
    let text = if unit.is_empty() {
        about.to_owned()
    } else {
        format!("{about} [{unit}]")
    };
    schema["description"] = text.into();
}

/// Reports what is wrong between the keys of a table.
pub(crate) struct Checks<'a, 'r> {
    pub reader: &'a mut Reader<'r>,
    node: &'a Node,
    path: &'a str,
}

impl Checks<'_, '_> {
    /// Whether the table has a key.
    pub fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some()
    }

    /// Whether a key such as `tier[1].level` was written.
    pub fn has_deep(&self, key: &str) -> bool {
        self.node.deepest(key).1
    }

    /// Whether something is wrong with a key already.
    pub fn is_wrong(&self, key: &str) -> bool {
        let path = join(self.path, key);
        self.reader.problems.items().iter().any(|p| p.key == path)
    }

    /// How long the list of a key is, as written.
    pub fn length(&self, key: &str) -> usize {
        match self.node.get(key).map(|n| &n.value) {
            Some(Value::List(items)) => items.len(),
            _ => 0,
        }
    }

    /// Reports a key such as `source[2].profile`, or the nearest table around it that is there.
    pub fn complain(&mut self, key: &str, message: impl Into<String>, allowed: &str) {
        let problem = self.problem(key, message.into());
        self.reader.problems.push(problem.allowed(allowed));
    }

    /// Reports names of a list of tables that occur twice.
    pub fn unique<'n>(&mut self, list: &str, names: impl Iterator<Item = &'n String> + Clone) {
        if self.length(list) != names.clone().count() {
            return;
        }
        let mut seen = BTreeSet::new();
        for (i, name) in names.enumerate() {
            if !name.is_empty() && !seen.insert(name) {
                let key = format!("{list}[{i}].name");
                self.complain(
                    &key,
                    format!("another {list} has this name"),
                    "a name of its own",
                );
            }
        }
    }

    /// Reports a word that is none of the known ones.
    pub fn known<'n>(
        &mut self,
        key: &str,
        word: &str,
        known: impl Iterator<Item = &'n str> + Clone,
        what: &str,
    ) {
        if !known.clone().any(|name| name == word) {
            let problem = self
                .problem(key, format!("unknown {what}"))
                .found(format!("{word:?}"))
                .nearest(nearest(word, known.clone()))
                .allowed(known.collect::<Vec<_>>().join(", "));
            self.reader.problems.push(problem);
        }
    }

    fn problem(&self, key: &str, message: String) -> Diagnostic {
        let path = if key.is_empty() {
            self.path.to_owned()
        } else {
            join(self.path, key)
        };
        let (around, whole) = self.node.deepest(key);
        let place = self.reader.texts.place(&around.origin);
        let found = if whole && !key.is_empty() {
            around.written()
        } else {
            String::new()
        };
        Diagnostic::error(place, path, message).found(found)
    }
}

/// Reads a section from the entries of a table.
pub(crate) fn read_section<S: Section>(
    node: &Node,
    reader: &mut Reader<'_>,
    path: &str,
) -> Option<S> {
    let entries = reader.entries(node, path)?;
    let mut section = S::default();
    let mut keys = Keys {
        mode: Mode::Read {
            entries,
            origin: &node.origin,
            reader,
        },
        known: Vec::new(),
        path,
    };
    section.keys(&mut keys);
    let known = keys.known;
    for entry in entries.iter().filter(|e| !known.contains(&e.key.as_str())) {
        reader.unknown_key(entry, path, known.iter().copied(), "unknown key");
    }
    section.check(&mut Checks { reader, node, path });
    Some(section)
}

/// Writes a section.
pub(crate) fn write_section<S: Section + Clone>(section: &S) -> toml::Table {
    let mut keys = Keys {
        mode: Mode::Write(toml::Table::new()),
        known: Vec::new(),
        path: "",
    };
    section.clone().keys(&mut keys);
    match keys.mode {
        Mode::Write(table) => table,
        _ => toml::Table::new(),
    }
}

/// Describes a section with its defaults.
pub(crate) fn describe_section<S: Section>(registry: &Registry) -> serde_json::Value {
    let mut keys = Keys {
        mode: Mode::Describe {
            properties: Map::new(),
            required: Vec::new(),
            registry,
        },
        known: Vec::new(),
        path: "",
    };
    S::default().keys(&mut keys);
    match keys.mode {
        Mode::Describe {
            properties,
            required,
            ..
        } => {
            let mut schema = json!({
                "type": "object",
                "properties": properties,
                "additionalProperties": false,
            });
            if !required.is_empty() {
                schema["required"] = required.into();
            }
            schema
        }
        _ => json!({}),
    }
}
