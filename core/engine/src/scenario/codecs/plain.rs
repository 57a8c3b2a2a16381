//! Codecs of numbers, switches, texts, paths and words.

use core::marker::PhantomData;
use std::path::PathBuf;

use serde::{Deserialize, de::value::StrDeserializer};
use serde_json::json;
use throng_core::options::{OptionKind, OptionValue};

use crate::{
    registry::Registry,
    scenario::{
        codec::{Codec, Reader},
        node::{Node, Value},
        set::typed_text,
    },
};

/// A number between two bounds; with `open`, the lower one is not allowed itself.
pub(crate) struct Number {
    pub low: f64,
    pub high: f64,
    pub open: bool,
}

/// A number from `low` to `high`.
pub(crate) fn number(low: f64, high: f64) -> Number {
    Number {
        low,
        high,
        open: false,
    }
}

/// A number above 0, up to `high`.
pub(crate) fn positive(high: f64) -> Number {
    Number {
        low: 0.0,
        high,
        open: true,
    }
}

impl Number {
    pub fn allowed(&self) -> String {
        match (self.open, self.high.is_finite()) {
            (true, true) => format!("above {}, up to {}", self.low, self.high),
            (true, false) => format!("above {}", self.low),
            (false, true) => format!("{} to {}", self.low, self.high),
            (false, false) => format!("{} and more", self.low),
        }
    }

    pub fn holds(&self, value: f64) -> bool {
        value <= self.high && (value > self.low || !self.open && value == self.low)
    }

    pub fn bounds_schema(&self) -> serde_json::Value {
        let least = if self.open {
            "exclusiveMinimum"
        } else {
            "minimum"
        };
        let mut schema = json!({ "type": "number" });
        if self.low.is_finite() {
            schema[least] = self.low.into();
        }
        if self.high.is_finite() {
            schema["maximum"] = self.high.into();
        }
        schema
    }
}

impl Codec<f64> for Number {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<f64> {
        let value = match node.value {
            Value::Float(value) => value,
            Value::Integer(value) => value as f64,
            _ => {
                reader.wrong_type(node, path, "a number", &self.allowed());
                return None;
            }
        };
        if self.holds(value) {
            return Some(value);
        }
        reader.wrong(node, path, "out of range", &self.allowed());
        None
    }

    fn write(&self, value: &f64) -> toml::Value {
        (*value).into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        self.bounds_schema()
    }
}

/// A whole number between two bounds.
pub(crate) struct Whole(pub i64, pub i64);

impl<T: Copy + TryFrom<i64> + TryInto<i64>> Codec<T> for Whole {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<T> {
        let allowed = format!("{} to {}, whole", self.0, self.1);
        let value = match node.value {
            Value::Integer(value) => value,
            // 1e3 and 5.0 are whole too, and so `--set` users write them.
            Value::Float(value) if value == value.floor() && value.abs() < 9e15 => value as i64,
            _ => {
                reader.wrong_type(node, path, "a whole number", &allowed);
                return None;
            }
        };
        if (self.0..=self.1).contains(&value)
            && let Ok(value) = T::try_from(value)
        {
            return Some(value);
        }
        reader.wrong(node, path, "out of range", &allowed);
        None
    }

    fn write(&self, value: &T) -> toml::Value {
        (*value).try_into().unwrap_or(i64::MAX).into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "type": "integer", "minimum": self.0, "maximum": self.1 })
    }
}

/// `true` or `false`.
pub(crate) struct Switch;

impl Codec<bool> for Switch {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<bool> {
        match node.value {
            Value::Switch(on) => Some(on),
            _ => {
                reader.wrong_type(node, path, "true or false", "true, false");
                None
            }
        }
    }

    fn write(&self, value: &bool) -> toml::Value {
        (*value).into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "type": "boolean" })
    }
}

/// Text on one line; with `filled`, not empty.
pub(crate) struct Text {
    pub filled: bool,
}

/// Any short text.
pub(crate) const TEXT: Text = Text { filled: false };

/// A name: short and not empty.
pub(crate) const NAME: Text = Text { filled: true };

impl Codec<String> for Text {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<String> {
        let text = match &node.value {
            Value::Text(text) => Some(text.clone()),
            _ => typed_text(&reader.texts.sets, &node.origin),
        };
        let Some(text) = text else {
            reader.wrong_type(node, path, "text", "");
            return None;
        };
        let fits = text.len() <= 1000 && !text.chars().any(char::is_control);
        if fits && (!self.filled || !text.trim().is_empty()) {
            return Some(text);
        }
        let allowed = if self.filled {
            "1 to 1000 bytes of printable text"
        } else {
            "up to 1000 bytes of printable text"
        };
        reader.wrong(node, path, "empty, too long or unprintable", allowed);
        None
    }

    fn write(&self, value: &String) -> toml::Value {
        value.clone().into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "type": "string", "minLength": u8::from(self.filled), "maxLength": 1000 })
    }
}

/// A path.
pub(crate) struct File;

impl Codec<PathBuf> for File {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<PathBuf> {
        NAME.read(node, reader, path).map(PathBuf::from)
    }

    fn write(&self, value: &PathBuf) -> toml::Value {
        value.to_string_lossy().into_owned().into()
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        NAME.schema(registry)
    }
}

/// One of the words of an enumeration.
pub(crate) struct Word<E>(PhantomData<E>);

/// One of the words of `E`.
pub(crate) const fn word<E>() -> Word<E> {
    Word(PhantomData)
}

fn words<E: OptionValue>() -> &'static [&'static str] {
    match E::kind(0.0, 0.0) {
        OptionKind::Choice(words) => words,
        _ => &[],
    }
}

impl<E> Codec<E> for Word<E>
where
    E: OptionValue + for<'de> Deserialize<'de> + ToString,
{
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<E> {
        let Value::Text(text) = &node.value else {
            reader.wrong_type(node, path, "a word", &words::<E>().join(", "));
            return None;
        };
        let read = E::deserialize(StrDeserializer::<serde::de::value::Error>::new(text));
        if read.is_err() {
            reader.unknown_word(node, path, text, words::<E>().iter().copied(), "word");
        }
        read.ok()
    }

    fn write(&self, value: &E) -> toml::Value {
        value.to_string().into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "enum": words::<E>() })
    }
}
