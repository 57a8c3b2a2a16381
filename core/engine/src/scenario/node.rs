//! A scenario's text as a tree in which every value knows where it was written.

use core::ops::Range;
use std::sync::Arc;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::set::{Step, steps};
use crate::diagnostics::{Diagnostic, Diagnostics, SourcePlace, SourceText};

/// Where a node came from.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    /// These bytes of the file.
    File(Range<usize>),
    /// The n-th `--set`.
    Set(usize),
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Float(f64),
    Switch(bool),
    /// Dates mean nothing in a scenario, and so do integers beyond 64 bits: both only as text.
    Foreign(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A value and its place.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub value: Value,
    pub origin: Origin,
}

/// A key of a table with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_origin: Origin,
    pub node: Node,
}

impl Node {
    /// The value of a key, if this is a table that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.node),
            _ => None,
        }
    }

    /// The node of a key such as `source[2].area`, or the deepest one around it that exists; and
    /// whether it is the key's own.
    pub fn deepest(&self, key: &str) -> (&Node, bool) {
        let Some(steps) = steps(key) else {
            return (self, key.is_empty());
        };
        let mut node = self;
        for step in steps {
            let next = match (&step, &node.value) {
                (Step::Name(name), _) => node.get(name),
                (Step::Index(index), Value::List(items)) => items.get(*index),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return (node, false),
            }
        }
        (node, true)
    }

    /// What kind of value it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Text(_) => "text",
            Value::Integer(_) => "a whole number",
            Value::Float(_) => "a number",
            Value::Switch(_) => "true or false",
            Value::Foreign(_) => "a date or a number beyond 64 bits",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }

    /// The value as a scenario writes it, if it is short.
    pub fn written(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("{text:?}"),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => toml::Value::from(*number).to_string(),
            Value::Switch(on) => on.to_string(),
            Value::Foreign(text) => text.clone(),
            Value::List(items) if items.len() <= 4 => {
                let items: Vec<_> = items.iter().map(Node::written).collect();
                format!("[{}]", items.join(", "))
            }
            Value::List(_) => "[…]".into(),
            Value::Table(_) => "{…}".into(),
        }
    }

    /// As a plain TOML value.
    #[cfg(test)]
    pub fn to_toml(&self) -> toml::Value {
        match &self.value {
            Value::Text(text) | Value::Foreign(text) => text.clone().into(),
            Value::Integer(number) => (*number).into(),
            Value::Float(number) => (*number).into(),
            Value::Switch(on) => (*on).into(),
            Value::List(items) => items.iter().map(Node::to_toml).collect::<Vec<_>>().into(),
            Value::Table(entries) => entries
                .iter()
                .map(|e| (e.key.clone(), e.node.to_toml()))
                .collect::<toml::Table>()
                .into(),
        }
    }

    /// From a parsed value; every part gets the origin that `origin` makes of its span.
    pub fn from_parsed(
        value: &Spanned<DeValue<'_>>,
        origin: &dyn Fn(Range<usize>) -> Origin,
    ) -> Node {
        let converted = match value.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                match i64::from_str_radix(number.as_str(), number.radix()) {
                    Ok(number) => Value::Integer(number),
                    Err(_) => Value::Foreign(number.to_string()),
                }
            }
            DeValue::Float(number) => match number.as_str().parse() {
                Ok(number) => Value::Float(number),
                Err(_) => Value::Foreign(number.to_string()),
            },
            DeValue::Boolean(on) => Value::Switch(*on),
            DeValue::Datetime(date) => Value::Foreign(date.to_string()),
            DeValue::Array(items) => {
                Value::List(items.iter().map(|i| Node::from_parsed(i, origin)).collect())
            }
            DeValue::Table(table) => Value::Table(entries(table, origin)),
        };
        Node {
            value: converted,
            origin: origin(value.span()),
        }
    }
}

fn entries(table: &DeTable<'_>, origin: &dyn Fn(Range<usize>) -> Origin) -> Vec<Entry> {
    table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_origin: origin(key.span()),
            node: Node::from_parsed(value, origin),
        })
        .collect()
}

/// The texts that origins point into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    pub source: Arc<SourceText>,
    pub sets: Vec<Arc<str>>,
    /// The host brings the environment: the text need not name one.
    pub own_environment: bool,
}

impl Texts {
    /// The place of an origin.
    pub fn place(&self, origin: &Origin) -> SourcePlace {
        match origin {
            Origin::File(span) => SourcePlace::File {
                source: self.source.clone(),
                span: span.clone(),
            },
            Origin::Set(n) => match self.sets.get(*n) {
                Some(text) => SourcePlace::Set(text.clone()),
                None => SourcePlace::Default,
            },
        }
    }
}

/// Parses a scenario's text into its root table. All errors of syntax are reported.
pub(crate) fn parse(source: &Arc<SourceText>) -> Result<Node, Diagnostics> {
    let (root, errors) = DeTable::parse_recoverable(&source.text);
    if errors.is_empty() {
        return Ok(Node {
            value: Value::Table(entries(root.get_ref(), &Origin::File)),
            origin: Origin::File(root.span()),
        });
    }
    let mut problems = Diagnostics::default();
    for error in errors {
        let place = SourcePlace::File {
            source: source.clone(),
            span: error.span().unwrap_or(0..0),
        };
        problems.push(Diagnostic::error(place, "", error.message().trim()));
    }
    problems.sort();
    Err(problems)
}
