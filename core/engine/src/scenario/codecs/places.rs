//! Codecs of places, polygons, regions, goals and floors.

use glam::DVec2;
use serde_json::json;

use super::{ListOf, NAME, Whole, spread::plain_number};
use crate::{
    registry::Registry,
    scenario::{
        codec::{Codec, Reader},
        node::{Node, Value},
        values::{AreaRef, FloorRef, Goals, Point},
    },
};

/// Largest coordinate, metres: beyond it even doubles lose a tenth of a millimetre.
const FARTHEST: f64 = 1e9;

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
            let allowed = format!("{} different points or more", self.least);
            reader.wrong(node, path, "too few points", &allowed);
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

/// Regions to walk to: `"random"`, `"opposite"`, a name, or a list of names, places and polygons.
pub(crate) struct GoalsCodec;

impl Codec<Goals> for GoalsCodec {
    fn read(&self, node: &Node, reader: &mut Reader<'_>, path: &str) -> Option<Goals> {
        match &node.value {
            Value::Text(text) if text == "random" => Some(Goals::Random),
            Value::Text(text) if text == "opposite" => Some(Goals::Opposite),
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
                let allowed =
                    "\"random\", \"opposite\", or a list of names, places [x, y] and polygons";
                reader.wrong(node, path, "no goals", allowed);
                None
            }
        }
    }

    fn write(&self, value: &Goals) -> toml::Value {
        match value {
            Goals::Random => "random".into(),
            Goals::Opposite => "opposite".into(),
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
