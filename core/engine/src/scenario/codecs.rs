//! Codecs of the values in a scenario: numbers, words, distributions, places, lists, tables.

use core::marker::PhantomData;
use std::path::PathBuf;

use glam::DVec2;
use serde::{Deserialize, de::value::StrDeserializer};
use serde_json::json;
use throng_core::options::{OptionKind, OptionValue};

use super::{
    codec::{Codec, Reader, Section, describe_section, read_section, write_section},
    node::{Node, Value},
    set::typed_text,
    values::{AreaRef, Distribution, FloorRef, Goals, Point},
};
use crate::registry::Registry;

/// Largest coordinate, metres: beyond it even doubles lose a tenth of a millimetre.
const FARTHEST: f64 = 1e9;

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

    fn holds(&self, value: f64) -> bool {
        value <= self.high && (value > self.low || !self.open && value == self.low)
    }

    fn bounds_schema(&self) -> serde_json::Value {
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
        reader.wrong(node, path, "no such text", allowed);
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

fn plain_number(node: &Node) -> Option<f64> {
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

/// A place, [x, y] or [x, y, z].
pub(crate) struct Place;

fn coordinates(node: &Node) -> Option<Vec<f64>> {
    match &node.value {
        Value::List(items) if items.len() <= 3 => items
            .iter()
            .map(|i| plain_number(i).filter(|v| v.abs() <= FARTHEST))
            .collect(),
        _ => None,
    }
}

fn plan_point(node: &Node) -> Option<DVec2> {
    match coordinates(node)?.as_slice() {
        [x, y] => Some(DVec2::new(*x, *y)),
        _ => None,
    }
}

fn point_value(point: DVec2) -> toml::Value {
    vec![toml::Value::from(point.x), toml::Value::from(point.y)].into()
}

fn plan_schema() -> serde_json::Value {
    json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 2 })
}

impl Codec<Point> for Place {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<Point> {
        match coordinates(node).as_deref() {
            Some(&[x, y]) => Some(Point {
                plan: DVec2::new(x, y),
                z: None,
            }),
            Some(&[x, y, z]) => Some(Point {
                plan: DVec2::new(x, y),
                z: Some(z),
            }),
            _ => {
                let allowed = "[x, y] or [x, y, z], up to 1e9 m";
                reader.wrong(node, path, "no place", allowed);
                None
            }
        }
    }

    fn write(&self, value: &Point) -> toml::Value {
        let mut numbers: Vec<toml::Value> = vec![value.plan.x.into(), value.plan.y.into()];
        numbers.extend(value.z.map(toml::Value::from));
        numbers.into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 3 })
    }
}

/// Points in plan, at least so many; a ring that closes on its first point loses the last.
pub(crate) struct Points {
    pub least: usize,
    pub ring: bool,
}

/// A polygon.
pub(crate) const RING: Points = Points {
    least: 3,
    ring: true,
};

impl Codec<Vec<DVec2>> for Points {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<Vec<DVec2>> {
        let mut points = Vec::new();
        for (i, item) in reader.items(node, path)?.iter().enumerate() {
            match plan_point(item) {
                Some(point) => points.push(point),
                None => {
                    let key = format!("{path}[{i}]");
                    reader.wrong(item, &key, "no point", "[x, y], up to 1e9 m");
                    return None;
                }
            }
        }
        if self.ring && points.len() > 1 && points.first() == points.last() {
            points.pop();
        }
        if points.len() < self.least {
            let message = format!("{} points", points.len());
            reader.wrong(node, path, &message, &format!("{} or more", self.least));
            return None;
        }
        Some(points)
    }

    fn write(&self, value: &Vec<DVec2>) -> toml::Value {
        value
            .iter()
            .map(|&p| point_value(p))
            .collect::<Vec<_>>()
            .into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "type": "array", "items": plan_schema(), "minItems": self.least })
    }
}

/// Two points in plan that differ.
pub(crate) struct Ends;

impl Codec<[DVec2; 2]> for Ends {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<[DVec2; 2]> {
        let points = match &node.value {
            Value::List(items) => items.iter().map(plan_point).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        match points.as_deref() {
            Some(&[a, b]) if a != b => Some([a, b]),
            _ => {
                let allowed = "two different points, [[x, y], [x, y]]";
                reader.wrong(node, path, "no segment", allowed);
                None
            }
        }
    }

    fn write(&self, value: &[DVec2; 2]) -> toml::Value {
        vec![point_value(value[0]), point_value(value[1])].into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "type": "array", "items": plan_schema(), "minItems": 2, "maxItems": 2 })
    }
}

/// A named area, a place or a polygon.
pub(crate) struct Area;

impl Codec<AreaRef> for Area {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<AreaRef> {
        match &node.value {
            Value::Text(_) => NAME.read(node, reader, path).map(AreaRef::Name),
            Value::List(items) if items.iter().all(|i| matches!(i.value, Value::List(_))) => {
                RING.read(node, reader, path).map(AreaRef::Shape)
            }
            Value::List(_) => Place.read(node, reader, path).map(AreaRef::Point),
            _ => {
                let allowed = "a name, a place [x, y] or a polygon [[x, y], ...]";
                reader.wrong_type(node, path, "a region", allowed);
                None
            }
        }
    }

    fn write(&self, value: &AreaRef) -> toml::Value {
        match value {
            AreaRef::Name(name) => name.clone().into(),
            AreaRef::Point(point) => Place.write(point),
            AreaRef::Shape(points) => RING.write(points),
        }
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        json!({ "anyOf": [NAME.schema(registry), Place.schema(registry), RING.schema(registry)] })
    }
}

/// Regions to walk to: `"random"`, a name, or a list of names, places and polygons.
pub(crate) struct GoalsCodec;

impl Codec<Goals> for GoalsCodec {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<Goals> {
        match &node.value {
            Value::Text(text) if text == "random" => Some(Goals::Random),
            Value::Text(_) => {
                let name = NAME.read(node, reader, path)?;
                Some(Goals::Regions(vec![AreaRef::Name(name)]))
            }
            Value::List(items) if !items.is_empty() => {
                if items.iter().all(|i| plain_number(i).is_some()) {
                    let place = Place.read(node, reader, path)?;
                    return Some(Goals::Regions(vec![AreaRef::Point(place)]));
                }
                ListOf(Area).read(node, reader, path).map(Goals::Regions)
            }
            _ => {
                let allowed = "\"random\", or a list of names, places [x, y] and polygons";
                reader.wrong(node, path, "no goals", allowed);
                None
            }
        }
    }

    fn write(&self, value: &Goals) -> toml::Value {
        match value {
            Goals::Random => "random".into(),
            Goals::Regions(regions) => ListOf(Area).write(regions),
        }
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        json!({ "anyOf": [
            { "type": "string", "minLength": 1 },
            Place.schema(registry),
            { "type": "array", "items": Area.schema(registry), "minItems": 1 },
        ] })
    }
}

/// A floor by name or by its place in the list.
pub(crate) struct FloorCodec;

impl Codec<FloorRef> for FloorCodec {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<FloorRef> {
        match &node.value {
            Value::Text(_) => NAME.read(node, reader, path).map(FloorRef::Name),
            Value::Integer(_) => Whole(0, 9999).read(node, reader, path).map(FloorRef::Index),
            _ => {
                reader.wrong_type(node, path, "a floor", "a name, or 0 to 9999");
                None
            }
        }
    }

    fn write(&self, value: &FloorRef) -> toml::Value {
        match value {
            FloorRef::Index(index) => Whole(0, 9999).write(index),
            FloorRef::Name(name) => name.clone().into(),
        }
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        let index = Codec::<usize>::schema(&Whole(0, 9999), registry);
        json!({ "anyOf": [NAME.schema(registry), index] })
    }
}

/// A list.
pub(crate) struct ListOf<C>(pub C);

impl<T, C: Codec<T>> Codec<Vec<T>> for ListOf<C> {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<Vec<T>> {
        let items = reader.items(node, path)?;
        let read: Vec<T> = items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| self.0.read(item, reader, &format!("{path}[{i}]")))
            .collect();
        Some(read)
    }

    fn write(&self, value: &Vec<T>) -> toml::Value {
        value
            .iter()
            .map(|v| self.0.write(v))
            .collect::<Vec<_>>()
            .into()
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        json!({ "type": "array", "items": self.0.schema(registry) })
    }
}

/// A table that is a section.
pub(crate) struct TableOf<S>(PhantomData<S>);

/// A table that is the section `S`.
pub(crate) const fn table<S>() -> TableOf<S> {
    TableOf(PhantomData)
}

impl<S: Section + Clone> Codec<S> for TableOf<S> {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<S> {
        read_section(node, reader, path)
    }

    fn write(&self, value: &S) -> toml::Value {
        write_section(value).into()
    }

    fn schema(&self, registry: &Registry) -> serde_json::Value {
        describe_section::<S>(registry)
    }
}

/// A table kept as it is written.
pub(crate) struct RawTable;

impl Codec<toml::Table> for RawTable {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<toml::Table> {
        reader.entries(node, path)?;
        match node.to_toml() {
            toml::Value::Table(table) => Some(table),
            _ => None,
        }
    }

    fn write(&self, value: &toml::Table) -> toml::Value {
        value.clone().into()
    }

    fn schema(&self, _: &Registry) -> serde_json::Value {
        json!({ "type": "object" })
    }
}
