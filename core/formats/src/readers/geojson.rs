//! GeoJSON drawings: features with properties.
//!
//! The property `kind` says what a feature is:
//!
//! | geometry | `kind` | meaning |
//! |---|---|---|
//! | Polygon, MultiPolygon | `walkable` (default) | can be walked on |
//! | | `solid`, `obstacle` | taken out of the walkable space |
//! | | `area` | a named area: source, goal, measure |
//! | | `avoid` | avoided by bodies, ignored by maps |
//! | | `wall` | its rings are thin walls |
//! | Polygon of 4 points | `connection` | a stair or ramp: points 1, 2 lie on `from`, 3, 4 on `to` |
//! | LineString, MultiLineString | `wall` (default) | a thin wall |
//! | | `door` | a segment that can be closed; its ends are the first and the last point |
//! | | `line` | a named line for counting |
//!
//! Further properties: `name`; `floor` (name or number of the layer) and `z` (its height in
//! metres, else the third coordinate); `open` of doors (default true); `from`, `to` (floor
//! names or heights) and `speed` (factor in (0, 1], default 1) of connections. Points are left
//! out. Where only solids and walls are drawn, the box around them and 1 m more is walkable.
//! Degrees become metres by the rule in [`crate::projection`]; `crs` is heeded.

use geojson::{Feature, Geometry, GeometryValue, Position};
use glam::DVec2;
use serde_json::{Map, Value};
use throng_kit::environment::Environment;

use crate::error::{Fault, Place};
use crate::floors::{FloorKey, Heights};
use crate::options::ReadOptions;
use crate::plan::{Form, Kind, Plan, Shape};
use crate::projection::Reference;
use crate::repairs::Repair;

pub(crate) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Environment, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let root: Value = serde_json::from_slice(bytes).map_err(|error| {
        Fault::malformed(
            Place::LineColumn(error.line(), error.column()),
            format!("it is not JSON: {}", without_place(&error.to_string())),
            "correct it there or export it again",
        )
    })?;
    let Value::Object(mut root) = root else {
        return Err(Fault::malformed(
            Place::File,
            "it is JSON but not an object",
            "give a FeatureCollection, a Feature or a geometry",
        ));
    };
    let mut plan = Plan {
        closing_point: true,
        right_hand_rule: true,
        ..Plan::new(options)
    };
    plan.reference = reference(&root, &mut plan.notices);
    let kind = root.get("type").and_then(Value::as_str).unwrap_or("");
    match kind {
        "FeatureCollection" => {
            let Some(Value::Array(features)) = root.remove("features") else {
                return Err(Fault::malformed(
                    Place::File,
                    "the FeatureCollection has no list `features`",
                    "put the features into it",
                ));
            };
            for (index, feature) in features.into_iter().enumerate() {
                add_feature(feature, index + 1, &mut plan)?;
            }
        }
        "Feature" => add_feature(Value::Object(root), 1, &mut plan)?,
        "" => {
            return Err(Fault::malformed(
                Place::File,
                "the object has no `type`",
                "give a FeatureCollection, a Feature or a geometry",
            ));
        }
        _ => {
            root.retain(|key, _| matches!(key.as_str(), "type" | "coordinates" | "geometries"));
            let mut feature = Map::new();
            feature.insert("type".to_string(), "Feature".into());
            feature.insert("properties".to_string(), Value::Null);
            feature.insert("geometry".to_string(), Value::Object(root));
            add_feature(Value::Object(feature), 1, &mut plan)?;
        }
    }
    plan.finish(options)
}

/// serde's message without the place, which stands before it already.
fn without_place(message: &str) -> &str {
    message
        .rsplit_once(" at line ")
        .map_or(message, |(reason, _)| reason)
}

fn reference(root: &Map<String, Value>, notices: &mut Vec<String>) -> Reference {
    let Some(crs) = root.get("crs").filter(|crs| !crs.is_null()) else {
        return Reference::Unnamed;
    };
    let text = crs.to_string();
    if ["CRS84", "4326", "4258", "4269"]
        .iter()
        .any(|code| text.contains(code))
    {
        return Reference::Geographic;
    }
    if text.contains("3857") || text.contains("900913") {
        notices.push(
            "`crs` is Web Mercator, whose metres are too long away from the equator: export in \
             longitude and latitude instead"
                .to_string(),
        );
    }
    Reference::Plane
}

/// The properties of one feature and the name it has in messages.
struct Properties<'a> {
    feature: String,
    values: Option<&'a Map<String, Value>>,
}

impl Properties<'_> {
    fn get(&self, key: &str) -> Option<&Value> {
        self.values?.get(key).filter(|value| !value.is_null())
    }

    fn refuse<T>(&self, key: &str, value: &Value, fix: &str) -> Result<T, Fault> {
        let shown: String = value.to_string().chars().take(60).collect();
        Err(Fault::malformed(
            Place::Feature(self.feature.clone()),
            format!("the property `{key}` is {shown}"),
            fix,
        ))
    }

    fn text(&self, key: &str) -> Result<Option<String>, Fault> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(Value::Number(number)) => Ok(Some(number_name(number))),
            Some(other) => self.refuse(key, other, "give a text"),
        }
    }

    fn number(&self, key: &str) -> Result<Option<f64>, Fault> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match value.as_f64().filter(|number| number.is_finite()) {
                Some(number) => Ok(Some(number)),
                None => self.refuse(key, value, "give a number"),
            },
        }
    }

    fn floor(&self, key: &str) -> Result<FloorKey, Fault> {
        let z = self.get(key).and_then(Value::as_f64);
        match self.text(key)? {
            None => Err(Fault::malformed(
                Place::Feature(self.feature.clone()),
                format!("the connection has no property `{key}`"),
                "give the name or the height of a floor",
            )),
            Some(name) => Ok(FloorKey {
                name: Some(name),
                z,
            }),
        }
    }
}

fn number_name(number: &serde_json::Number) -> String {
    number
        .as_f64()
        .map_or_else(|| number.to_string(), |value| format!("{value}"))
}

fn add_feature(value: Value, number: usize, plan: &mut Plan) -> Result<(), Fault> {
    let name = value
        .get("properties")
        .and_then(|properties| properties.get("name"))
        .or_else(|| value.get("id"))
        .and_then(|name| match name {
            Value::String(text) => Some(text.chars().take(60).collect::<String>()),
            Value::Number(number) => Some(number_name(number)),
            _ => None,
        });
    let label = match name {
        Some(name) => format!("feature {number} \"{name}\""),
        None => format!("feature {number}"),
    };
    let feature: Feature = serde_json::from_value(value).map_err(|error| {
        Fault::malformed(
            Place::Feature(label.clone()),
            format!("it is not a GeoJSON feature: {error}"),
            "give it `type`, `properties` and a `geometry` with coordinates",
        )
    })?;
    let Some(geometry) = &feature.geometry else {
        plan.repairs.note(Repair::Empty, &label);
        return Ok(());
    };
    let properties = Properties {
        feature: label.clone(),
        values: feature.properties.as_ref(),
    };
    add_geometry(geometry, &properties, &label, plan)
}

fn add_geometry(
    geometry: &Geometry,
    properties: &Properties<'_>,
    label: &str,
    plan: &mut Plan,
) -> Result<(), Fault> {
    let part = |index: usize, count: usize| match count {
        1 => label.to_string(),
        _ => format!("{label}, part {}", index + 1),
    };
    match &geometry.value {
        GeometryValue::Point { .. } | GeometryValue::MultiPoint { .. } => {
            plan.repairs.note(Repair::Point, label);
        }
        GeometryValue::LineString { coordinates } => {
            add_line(coordinates, properties, label.to_string(), plan)?;
        }
        GeometryValue::MultiLineString { coordinates } => {
            for (index, line) in coordinates.iter().enumerate() {
                add_line(line, properties, part(index, coordinates.len()), plan)?;
            }
        }
        GeometryValue::Polygon { coordinates } => {
            add_polygon(coordinates, properties, label.to_string(), plan)?;
        }
        GeometryValue::MultiPolygon { coordinates } => {
            for (index, rings) in coordinates.iter().enumerate() {
                add_polygon(rings, properties, part(index, coordinates.len()), plan)?;
            }
        }
        GeometryValue::GeometryCollection { geometries } => {
            for (index, inner) in geometries.iter().enumerate() {
                add_geometry(inner, properties, &part(index, geometries.len()), plan)?;
            }
        }
    }
    Ok(())
}

fn points(positions: &[Position], label: &str, heights: &mut Heights) -> Result<Vec<DVec2>, Fault> {
    positions
        .iter()
        .map(|position| match position.as_slice() {
            [x, y, rest @ ..] => {
                if let Some(z) = rest.first() {
                    heights.add(*z);
                }
                Ok(DVec2::new(*x, *y))
            }
            _ => Err(Fault::malformed(
                Place::Feature(label.to_string()),
                "a position has fewer than two numbers",
                "give every position as [x, y]",
            )),
        })
        .collect()
}

fn floor_key(
    properties: &Properties<'_>,
    label: &str,
    heights: &Heights,
    plan: &mut Plan,
) -> Result<FloorKey, Fault> {
    let z = match properties.number("z")? {
        Some(z) => Some(z),
        None => heights.common(label, plan),
    };
    Ok(FloorKey {
        name: properties.text("floor")?,
        z,
    })
}

fn add_line(
    positions: &[Position],
    properties: &Properties<'_>,
    label: String,
    plan: &mut Plan,
) -> Result<(), Fault> {
    let mut heights = Heights::default();
    let line = points(positions, &label, &mut heights)?;
    let kind = match properties.get("kind") {
        None => Kind::Wall,
        Some(value) => match value.as_str() {
            Some("wall") => Kind::Wall,
            Some("line") => Kind::Line,
            Some("door") => {
                let open = match properties.get("open") {
                    None => true,
                    Some(Value::Bool(open)) => *open,
                    Some(other) => {
                        return properties.refuse("open", other, "give true or false");
                    }
                };
                Kind::Door { open }
            }
            _ => {
                return properties.refuse(
                    "kind",
                    value,
                    "give a LineString `wall`, `door` or `line`",
                );
            }
        },
    };
    let floor = floor_key(properties, &label, &heights, plan)?;
    plan.shapes.push(Shape {
        feature: label,
        name: properties.text("name")?,
        kind,
        floor,
        form: Form::Line(line),
    });
    Ok(())
}

fn add_polygon(
    rings: &[Vec<Position>],
    properties: &Properties<'_>,
    label: String,
    plan: &mut Plan,
) -> Result<(), Fault> {
    let mut heights = Heights::default();
    let rings = rings
        .iter()
        .map(|ring| points(ring, &label, &mut heights))
        .collect::<Result<Vec<_>, Fault>>()?;
    let kind = match properties.get("kind") {
        None => Kind::Walkable,
        Some(value) => match value.as_str() {
            Some("walkable") => Kind::Walkable,
            Some("solid" | "obstacle") => Kind::Solid,
            Some("area") => Kind::Area,
            Some("avoid") => Kind::Avoid,
            Some("wall") => Kind::Wall,
            Some("connection") => Kind::Connection {
                from: properties.floor("from")?,
                to: properties.floor("to")?,
                speed: properties.number("speed")?.unwrap_or(1.0),
            },
            _ => {
                return properties.refuse(
                    "kind",
                    value,
                    "give a Polygon `walkable`, `solid`, `area`, `avoid`, `wall` or `connection`",
                );
            }
        },
    };
    let floor = match kind {
        // It lies on two floors, and its points may have the heights of both.
        Kind::Connection { .. } => FloorKey::default(),
        _ => floor_key(properties, &label, &heights, plan)?,
    };
    plan.shapes.push(Shape {
        feature: label,
        name: properties.text("name")?,
        kind,
        floor,
        form: Form::Polygon(rings),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(text: &str) -> Environment {
        read(text.as_bytes(), &ReadOptions::default()).unwrap()
    }

    #[test]
    fn every_kind_lands_in_its_list() {
        let square = |x: f64, side: f64| {
            format!(
                r#"{{"type":"Polygon","coordinates":[[[{x},0],[{r},0],[{r},{side}],[{x},{side}],[{x},0]]]}}"#,
                r = x + side
            )
        };
        let line = r#"{"type":"LineString","coordinates":[[5,0],[5,4]]}"#;
        let feature = |properties: &str, geometry: &str| {
            format!(r#"{{"type":"Feature","properties":{properties},"geometry":{geometry}}}"#)
        };
        let features = [
            feature(r#"{"floor":"low","z":0}"#, &square(0.0, 20.0)),
            feature(r#"{"floor":"high","z":4.5}"#, &square(0.0, 20.0)),
            feature(r#"{"kind":"solid"}"#, &square(8.0, 2.0)),
            feature(
                r#"{"kind":"area","name":"exit","floor":"high"}"#,
                &square(1.0, 2.0),
            ),
            feature(r#"{"kind":"avoid"}"#, &square(12.0, 1.0)),
            feature("{}", line),
            feature(r#"{"kind":"door","name":"d","open":false}"#, line),
            feature(r#"{"kind":"line","name":"count"}"#, line),
            feature(
                r#"{"kind":"connection","name":"s","from":"low","to":4.5,"speed":0.6}"#,
                &square(15.0, 2.0),
            ),
        ];
        let found = env(&format!(
            r#"{{"type":"FeatureCollection","features":[{}]}}"#,
            features.join(",")
        ));
        assert_eq!(found.notices, Vec::<String>::new());
        assert_eq!(found.floors.len(), 2);
        assert_eq!(
            (found.floors[1].name.as_str(), found.floors[1].z),
            ("high", 4.5)
        );
        assert_eq!(found.floors[0].solid.len(), 1);
        assert_eq!(found.floors[0].thin_walls.len(), 1);
        assert_eq!(
            (found.areas[0].name.as_str(), found.areas[0].floor),
            ("exit", 1)
        );
        assert_eq!(found.obstacles.len(), 1);
        assert!(!found.doors[0].open);
        assert_eq!(found.doors[0].ends[1], DVec2::new(5.0, 4.0));
        assert_eq!(found.lines[0].name, "count");
        let stairs = &found.connections[0];
        assert_eq!((stairs.from, stairs.to, stairs.speed), (0, 1, 0.6));
        assert_eq!(stairs.lower[1], DVec2::new(17.0, 0.0));
        assert_eq!(stairs.upper[1], DVec2::new(17.0, 2.0));
    }

    #[test]
    fn degrees_become_metres() {
        let found = env(
            r#"{"type":"Polygon","coordinates":[[[13.40001,52.52],[13.40101,52.52],
            [13.40101,52.521],[13.40001,52.521],[13.40001,52.52]]]}"#,
        );
        assert!(found.notices[0].contains("longitude and latitude"));
        let outer = &found.floors[0].walkable[0].outer;
        let (width, height) = (outer[0].distance(outer[1]), outer[1].distance(outer[2]));
        assert!((width - 67.87).abs() < 0.05, "{width}");
        assert!((height - 111.27).abs() < 0.05, "{height}");
    }
}
