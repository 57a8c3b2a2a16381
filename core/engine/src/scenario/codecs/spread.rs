//! Codec of distributions.

use serde_json::json;

use super::Number;
use crate::{
    registry::Registry,
    scenario::{
        codec::{Codec, Reader},
        node::{Node, Value},
        values::Distribution,
    },
};

/// A number or a distribution, all of whose values lie between two bounds.
pub(crate) struct Spread(pub Number);

impl Spread {
    const FORMS: &'static str = "a number, {uniform=[a,b]} or {normal=[mean,sd,min,max]}";

    fn numbers<const N: usize>(
        node: &Node,
        reader: &mut Reader<'_>,
        path: &str,
        form: &str,
    ) -> Option<[f64; N]> {
        let values: Option<Vec<f64>> = match &node.value {
            Value::List(items) => items.iter().map(plain_number).collect(),
            _ => None,
        };
        match values.and_then(|v| <[f64; N]>::try_from(v).ok()) {
            Some(values) => Some(values),
            None => {
                reader.wrong(node, path, "not these numbers", form);
                None
            }
        }
    }
}

/// A finite number, written with or without a point.
pub(super) fn plain_number(node: &Node) -> Option<f64> {
    match node.value {
        Value::Float(value) => Some(value).filter(|v| v.is_finite()),
        Value::Integer(value) => Some(value as f64),
        _ => None,
    }
}

impl Codec<Distribution> for Spread {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<Distribution> {
        let entries = match &node.value {
            Value::Table(entries) => entries,
            Value::Float(_) | Value::Integer(_) => {
                return self.0.read(node, reader, path).map(Distribution::Fixed);
            }
            _ => {
                reader.wrong_type(node, path, "a number or a distribution", Self::FORMS);
                return None;
            }
        };
        let [entry] = entries.as_slice() else {
            reader.wrong(node, path, "not one distribution", Self::FORMS);
            return None;
        };
        let drawn = match entry.key.as_str() {
            "uniform" => {
                let [low, high] = Self::numbers(&entry.node, reader, path, "[least, largest]")?;
                Distribution::Uniform { low, high }
            }
            "normal" => {
                let [mean, sd, low, high] =
                    Self::numbers(&entry.node, reader, path, "[mean, sd, least, largest]")?;
                if sd < 0.0 {
                    reader.wrong(&entry.node, path, "a negative sd", "sd 0 and more");
                    return None;
                }
                Distribution::Normal {
                    mean,
                    sd,
                    low,
                    high,
                }
            }
            _ => {
                let known = ["uniform", "normal"];
                reader.unknown_key(entry, path, known.into_iter(), "unknown distribution");
                return None;
            }
        };
        let (low, high) = drawn.bounds();
        if low > high {
            reader.wrong(&entry.node, path, "least above largest", "least <= largest");
            return None;
        }
        if !self.0.holds(low) || !self.0.holds(high) {
            reader.wrong(&entry.node, path, "bounds out of range", &self.0.allowed());
            return None;
        }
        Some(drawn)
    }

    fn write(&self, value: &Distribution) -> toml::Value {
        let list = |name: &str, values: &[f64]| {
            let mut table = toml::Table::new();
            let values: Vec<toml::Value> = values.iter().map(|&v| v.into()).collect();
            table.insert(name.into(), values.into());
            table.into()
        };
        match *value {
            Distribution::Fixed(value) => value.into(),
            Distribution::Uniform { low, high } => list("uniform", &[low, high]),
            Distribution::Normal {
                mean,
                sd,
                low,
                high,
            } => list("normal", &[mean, sd, low, high]),
        }
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        let list = |name: &str, count: usize| {
            json!({
                "type": "object",
                "properties": { name: {
                    "type": "array", "items": { "type": "number" },
                    "minItems": count, "maxItems": count,
                } },
                "required": [name],
                "additionalProperties": false,
            })
        };
        json!({ "oneOf": [self.0.bounds_schema(), list("uniform", 2), list("normal", 4)] })
    }
}
