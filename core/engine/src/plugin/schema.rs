//! Options of loaded strategies: JSON Schema in, the registry's specifications out; tables in,
//! JSON out.

use core::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Number, Value};
use throng_core::options::{OptionKind, OptionSpec};

use super::intern;
use crate::registry::CreateError;

/// Reads the options of a descriptor, in the order of their declaration.
pub(super) fn options(schema: &str) -> Result<Vec<OptionSpec>, String> {
    let schema: Schema =
        serde_json::from_str(schema).map_err(|e| format!("its option schema is wrong: {e}"))?;
    let mut options: Vec<OptionSpec> = Vec::new();
    for (name, property) in schema.properties.0 {
        if options.iter().any(|o| o.name == name) {
            return Err(format!("option {name} is declared twice"));
        }
        options.push(option(&name, property).map_err(|e| format!("option {name}: {e}"))?);
    }
    Ok(options)
}

#[derive(Deserialize)]
struct Schema {
    #[serde(default)]
    properties: Properties,
}

#[derive(Default)]
struct Properties(Vec<(String, Property)>);

#[derive(Deserialize)]
struct Property {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    unit: String,
    default: Option<Value>,
    minimum: Option<Number>,
    maximum: Option<Number>,
    #[serde(rename = "enum")]
    words: Option<Vec<String>>,
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Properties;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of properties")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Properties, A::Error> {
                let mut properties = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    properties.push(entry);
                }
                Ok(Properties(properties))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

fn option(name: &str, property: Property) -> Result<OptionSpec, String> {
    let default = property.default.ok_or("it has no default")?;
    let bound = |number: &Option<Number>, without: f64| {
        number.as_ref().and_then(Number::as_f64).unwrap_or(without)
    };
    let kind = match (property.kind.as_str(), property.words) {
        ("number", None) => OptionKind::Number {
            min: bound(&property.minimum, f64::NEG_INFINITY),
            max: bound(&property.maximum, f64::INFINITY),
        },
        ("integer", None) => OptionKind::Integer {
            min: property
                .minimum
                .map_or(Some(i64::MIN), |n| n.as_i64())
                .ok_or("its minimum is not whole")?,
            max: property
                .maximum
                .map_or(Some(i64::MAX), |n| n.as_i64())
                .ok_or("its maximum is not whole")?,
        },
        ("boolean", None) => OptionKind::Switch,
        ("string", None) => OptionKind::Text,
        ("string", Some(words)) => {
            OptionKind::Choice(intern::list(words.iter().map(String::as_str)))
        }
        (other, _) => {
            return Err(format!(
                "type {other:?} is not number, integer, boolean, string or an enum of strings"
            ));
        }
    };
    Ok(OptionSpec {
        name: intern::text(name),
        about: property.description,
        unit: intern::text(&property.unit),
        default: written(&kind, &default)
            .ok_or_else(|| format!("its default {default} is not allowed by its own schema"))?,
        kind,
    })
}

/// Whether a strategy's table holds only options that it declares, with values that it allows: a
/// library is handed no others.
pub(super) fn check(table: &toml::Table, specs: &[OptionSpec]) -> Result<(), CreateError> {
    for (name, value) in table.iter().filter(|(name, _)| *name != "kind") {
        let wrong = |reason: String| CreateError {
            option: name.clone(),
            reason,
        };
        let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
            let known: Vec<_> = specs.iter().map(|spec| spec.name).collect();
            return Err(wrong(match known.as_slice() {
                [] => "unknown option; there are none".into(),
                known => format!("unknown option; allowed: {}", known.join(", ")),
            }));
        };
        if !allows(&spec.kind, value) {
            return Err(wrong(format!(
                "{value} is not allowed; allowed: {}",
                spec.allowed()
            )));
        }
    }
    Ok(())
}

fn allows(kind: &OptionKind, value: &toml::Value) -> bool {
    match (kind, value) {
        (OptionKind::Number { min, max }, value) => {
            let number = value.as_float().or(value.as_integer().map(|i| i as f64));
            // Options of 32 bits come back rounded, which may be a hair beyond an end.
            number.is_some_and(|n| (*min as f32..=*max as f32).contains(&(n as f32)))
        }
        (OptionKind::Integer { min, max }, toml::Value::Integer(n)) => min <= n && n <= max,
        (OptionKind::Switch, toml::Value::Boolean(_))
        | (OptionKind::Text, toml::Value::String(_)) => true,
        (OptionKind::Choice(words), toml::Value::String(word)) => words.contains(&word.as_str()),
        _ => false,
    }
}

/// A default as a scenario writes it, if it is allowed.
fn written(kind: &OptionKind, default: &Value) -> Option<String> {
    match (kind, default) {
        (OptionKind::Number { min, max }, Value::Number(number)) => number
            .as_f64()
            .filter(|value| min <= value && value <= max)
            .map(|_| number.to_string()),
        // JSON has no infinities: they come as TOML writes them.
        (OptionKind::Number { min, .. }, Value::String(text)) => {
            let infinite = text == "inf" || (text == "-inf" && *min == f64::NEG_INFINITY);
            infinite.then(|| text.clone())
        }
        (OptionKind::Integer { min, max }, Value::Number(number)) => number
            .as_i64()
            .filter(|value| min <= value && value <= max)
            .map(|value| value.to_string()),
        (OptionKind::Switch, Value::Bool(value)) => Some(value.to_string()),
        (OptionKind::Choice(words), Value::String(word)) => {
            words.contains(&word.as_str()).then(|| format!("{word:?}"))
        }
        (OptionKind::Text, Value::String(text)) => Some(format!("{text:?}")),
        _ => None,
    }
}

/// A strategy's table as the JSON object that a library is given; `kind` is left out.
pub(super) fn to_json(table: &toml::Table) -> Result<String, CreateError> {
    let mut object = Map::new();
    for (key, value) in table.iter().filter(|(key, _)| *key != "kind") {
        let value = json_value(value).map_err(|reason| CreateError {
            option: key.clone(),
            reason,
        })?;
        object.insert(key.clone(), value);
    }
    Ok(Value::Object(object).to_string())
}

fn json_value(value: &toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::from(text.as_str()),
        toml::Value::Integer(number) => Value::from(*number),
        toml::Value::Float(number) => Number::from_f64(*number)
            .map(Value::Number)
            .ok_or_else(|| format!("{number} cannot be handed to a loaded strategy"))?,
        toml::Value::Boolean(switch) => Value::from(*switch),
        toml::Value::Datetime(time) => {
            return Err(format!(
                "the time {time} cannot be handed to a loaded strategy"
            ));
        }
        toml::Value::Array(values) => {
            Value::Array(values.iter().map(json_value).collect::<Result<_, _>>()?)
        }
        toml::Value::Table(table) => Value::Object(
            table
                .iter()
                .map(|(key, value)| Ok((key.clone(), json_value(value)?)))
                .collect::<Result<_, String>>()?,
        ),
    })
}

/// The options that a library wrote back.
pub(super) fn from_json(text: &str) -> Result<toml::Table, String> {
    serde_json::from_str(text).map_err(|e| format!("its options came back wrong: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_order_with_bounds_and_defaults() {
        let found = options(
            r#"{"type": "object", "properties": {
                "tau": {"type": "number", "unit": "s", "minimum": 0.1, "default": 0.5},
                "most": {"type": "integer", "maximum": 9, "default": 3},
                "loud": {"type": "boolean", "default": false},
                "side": {"type": "string", "enum": ["left", "right"], "default": "right"}}}"#,
        )
        .unwrap();
        let names: Vec<_> = found.iter().map(|o| o.name).collect();
        assert_eq!(names, ["tau", "most", "loud", "side"]);
        assert_eq!(
            found[0].kind,
            OptionKind::Number {
                min: 0.1,
                max: f64::INFINITY
            }
        );
        assert_eq!((found[0].unit, found[0].default.as_str()), ("s", "0.5"));
        assert_eq!(
            found[1].kind,
            OptionKind::Integer {
                min: i64::MIN,
                max: 9
            }
        );
        assert_eq!(found[3].default, "\"right\"");
        assert_eq!(found[3].allowed(), "left, right");
    }

    #[test]
    fn senseless_schemas_are_named() {
        let wrong = |properties: &str| {
            options(&format!(r#"{{"properties": {{{properties}}}}}"#)).unwrap_err()
        };
        assert!(options("[1").unwrap_err().contains("schema is wrong"));
        assert!(wrong(r#""a": {"type": "number"}"#).contains("option a: it has no default"));
        assert!(wrong(r#""a": {"type": "list", "default": 1}"#).contains("\"list\""));
        assert!(
            wrong(r#""a": {"type": "number", "default": 3, "maximum": 2}"#)
                .contains("not allowed by its own schema")
        );
        assert!(
            wrong(r#""a": {"type": "integer", "default": 1}, "a": {"type": "boolean", "default": true}"#)
                .contains("declared twice")
        );
    }

    #[test]
    fn tables_go_and_come_without_losing_a_bit() {
        let table: toml::Table =
            toml::from_str("kind = 'x'\na = 0.1\nb = 3\nc = 'left'\nd = 2.2250738585072014e-308")
                .unwrap();
        let back = from_json(&to_json(&table).unwrap()).unwrap();
        let mut expected = table;
        expected.remove("kind");
        assert_eq!(back, expected);
        let endless: toml::Table = toml::from_str("a = inf").unwrap();
        assert_eq!(to_json(&endless).unwrap_err().option, "a");
    }
}
