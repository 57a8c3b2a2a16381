//! Which floors a drawing has, and which of them a shape lies on.
//!
//! A shape may name its floor, its height `z`, or both. Each name is a floor, each height
//! without a name too. A floor named by a number and given no height lies that many storeys of
//! 4 m up; a single floor lies at 0. Shapes that name no floor belong to the one at height 0 or
//! else to the lowest.

use std::collections::BTreeMap;

use glam::DVec2;
use throng_kit::environment::{Floor, Polygon};

use crate::error::{Fault, Place};
use crate::plan::{Kind, Plan, Shape};
use crate::repairs::Repair;
use crate::rings::bounds;

/// Height between floors that are only numbered, metres.
const STOREY: f64 = 4.0;
/// Margin around solids that come without walkable space, metres.
const MARGIN: f64 = 1.0;
const MOST_FLOORS: usize = 1000;

/// Which floor a shape names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FloorKey {
    pub(crate) name: Option<String>,
    pub(crate) z: Option<f64>,
}

impl FloorKey {
    fn is_empty(&self) -> bool {
        self.name.is_none() && self.z.is_none()
    }
}

/// Third coordinates met in one shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heights {
    range: Option<(f64, f64)>,
}

impl Heights {
    pub(crate) fn add(&mut self, z: f64) {
        let (low, high) = self.range.unwrap_or((z, z));
        self.range = Some((low.min(z), high.max(z)));
    }

    pub(crate) fn merge(&mut self, other: &Heights) {
        if let Some((low, high)) = other.range {
            self.add(low);
            self.add(high);
        }
    }

    /// The height in metres, where they agree.
    pub(crate) fn common(&self, feature: &str, plan: &mut Plan) -> Option<f64> {
        let (low, high) = self.range?;
        let (low, high) = (plan.scale * low, plan.scale * high);
        if same_height(low, high) {
            return Some(low);
        }
        plan.repairs.note(Repair::HeightsDiffer, feature);
        None
    }
}

/// The floors of a drawing, lowest first.
pub(crate) struct Floors {
    pub(crate) floors: Vec<Floor>,
    fallback: usize,
}

impl Floors {
    pub(crate) fn of(shapes: &[Shape], notices: &mut Vec<String>) -> Result<Floors, Fault> {
        let mut by_name: BTreeMap<String, (usize, Option<f64>)> = BTreeMap::new();
        let mut heights: Vec<f64> = Vec::new();
        for shape in shapes {
            let FloorKey { name, z } = &shape.floor;
            if let Some(z) = z
                && !(-1e5..=1e5).contains(z)
            {
                return Err(Fault::geometry(
                    Place::Feature(shape.feature.clone()),
                    format!("its height z is {z}"),
                    "give metres between -1e5 and 1e5",
                ));
            }
            match (name, z) {
                (Some(name), z) => {
                    let order = by_name.len();
                    let known = by_name.entry(name.clone()).or_insert((order, *z));
                    match (known.1, z) {
                        (None, Some(z)) => known.1 = Some(*z),
                        (Some(before), Some(z)) if !same_height(before, *z) => {
                            return Err(Fault::geometry(
                                Place::Feature(shape.feature.clone()),
                                format!("floor \"{name}\" is at {before} m and at {z} m"),
                                "give each floor one height",
                            ));
                        }
                        _ => {}
                    }
                }
                (None, Some(z)) => {
                    if !heights.iter().any(|known| same_height(*known, *z)) {
                        heights.push(*z);
                    }
                }
                (None, None) => {}
            }
            if by_name.len() + heights.len() > MOST_FLOORS {
                return Err(Fault::too_large(
                    Place::Feature(shape.feature.clone()),
                    format!("with it there are more than {MOST_FLOORS} floors"),
                    "give the shapes of one floor the same `floor` or `z`",
                ));
            }
        }
        let mut named: Vec<(usize, String, Option<f64>)> = by_name
            .into_iter()
            .map(|(name, (order, z))| (order, name, z))
            .collect();
        named.sort_by_key(|floor| floor.0);
        let alone = named.len() == 1 && heights.is_empty();
        let mut floors = Vec::new();
        for (_, name, z) in named {
            let z = match (z, name.trim().parse::<f64>()) {
                (Some(z), _) => z,
                (None, Ok(number)) if number.abs() <= 1000.0 => {
                    if number != 0.0 {
                        notices.push(format!(
                            "floor \"{name}\" has no `z` and was put at {STOREY} m times its \
                             number"
                        ));
                    }
                    STOREY * number
                }
                (None, _) if alone => 0.0,
                (None, _) => {
                    return Err(Fault::geometry(
                        Place::Feature(format!("floor \"{name}\"")),
                        "no shape gives its height",
                        "give one of its shapes the property `z`, in metres",
                    ));
                }
            };
            floors.push(Floor {
                name,
                z,
                ..Floor::default()
            });
        }
        for z in heights {
            if !floors.iter().any(|floor| same_height(floor.z, z)) {
                floors.push(Floor {
                    name: format!("{z}"),
                    z,
                    ..Floor::default()
                });
            }
        }
        let at_zero = |floors: &[Floor]| floors.iter().any(|floor| same_height(floor.z, 0.0));
        let asks_for_ground = shapes
            .iter()
            .any(|shape| shape.floor.is_empty() && matches!(shape.kind, Kind::Walkable));
        if floors.is_empty() || (asks_for_ground && !at_zero(&floors)) {
            floors.push(Floor {
                name: "0".to_string(),
                ..Floor::default()
            });
        }
        floors.sort_by(|a, b| a.z.total_cmp(&b.z));
        let fallback = floors
            .iter()
            .position(|floor| same_height(floor.z, 0.0))
            .unwrap_or(0);
        Ok(Floors { floors, fallback })
    }

    pub(crate) fn index_of(&self, key: &FloorKey) -> usize {
        self.position(key).unwrap_or(self.fallback)
    }

    fn position(&self, key: &FloorKey) -> Option<usize> {
        let by_name = key
            .name
            .as_ref()
            .and_then(|name| self.floors.iter().position(|floor| floor.name == *name));
        by_name.or_else(|| {
            let z = key.z?;
            self.floors.iter().position(|floor| same_height(floor.z, z))
        })
    }

    pub(crate) fn find(&self, key: &FloorKey, feature: &str) -> Result<usize, Fault> {
        self.position(key).ok_or_else(|| {
            let wanted = match (&key.name, key.z) {
                (Some(name), _) => format!("\"{name}\""),
                (None, Some(z)) => format!("at {z} m"),
                (None, None) => "without name and height".to_string(),
            };
            let known: Vec<String> = self
                .floors
                .iter()
                .map(|floor| format!("\"{}\" at {} m", floor.name, floor.z))
                .collect();
            Fault::geometry(
                Place::Feature(feature.to_string()),
                format!("there is no floor {wanted}"),
                format!("name one of {}", known.join(", ")),
            )
        })
    }
}

fn same_height(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-3
}

/// Gives floors that have only solids the box around them to walk in.
pub(crate) fn fill_in_walkable(
    mut floors: Vec<Floor>,
    notices: &mut Vec<String>,
) -> Result<Vec<Floor>, Fault> {
    for floor in &mut floors {
        if !floor.walkable.is_empty() {
            continue;
        }
        let points: Vec<DVec2> = floor
            .solid
            .iter()
            .flat_map(|solid| &solid.outer)
            .chain(floor.thin_walls.iter().flatten())
            .copied()
            .collect();
        let Some((low, high)) = bounds(&points) else {
            return Err(Fault::geometry(
                Place::Feature(format!("floor \"{}\" at {} m", floor.name, floor.z)),
                "nothing on it can be walked on",
                "draw a walkable polygon with an area",
            ));
        };
        let margin = DVec2::splat(MARGIN);
        floor
            .walkable
            .push(Polygon::rectangle(low - margin, high + margin));
        notices.push(format!(
            "floor \"{}\" at {} m has solids and walls but no walkable polygon: the box around \
             them and {MARGIN} m more is walkable",
            floor.name, floor.z
        ));
    }
    Ok(floors)
}
