//! Several files, one above the other, with stairs and ramps between them.

use glam::DVec2;
use throng_kit::environment::{Connection, Environment};

/// One file of a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Its name, unique in the stack.
    pub name: String,
    /// The height of its lowest floor, metres.
    pub z: f64,
    /// What was read from it.
    pub environment: Environment,
}

/// A stair or ramp between two layers: `lower` on `from`, `upper` on `to`.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerConnection {
    /// Its name.
    pub name: String,
    /// The layer at `lower`.
    pub from: String,
    /// The layer at `upper`.
    pub to: String,
    /// The end on the layer `from`.
    pub lower: [DVec2; 2],
    /// The end on the layer `to`, its points across from those of `lower`.
    pub upper: [DVec2; 2],
    /// Factor on walking speed, in (0, 1].
    pub speed: f64,
}

/// Why layers cannot be stacked; the scenario's fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StackError {
    /// There is no layer.
    #[error("there are no layers; name at least one file")]
    Empty,
    /// A layer is a curved mesh.
    #[error("layer \"{layer}\" is a curved mesh and has no floor; stack drawings only")]
    Mesh {
        /// The layer.
        layer: String,
    },
    /// Two layers have one name, or a height is not finite.
    #[error("layer \"{layer}\": {reason}")]
    Layer {
        /// The layer.
        layer: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A connection does not fit.
    #[error("connection \"{connection}\": {reason}")]
    Connection {
        /// The connection.
        connection: String,
        /// What is wrong with it and what to do.
        reason: String,
    },
}

/// Puts layers above each other; a connection joins the lowest floors of its two layers.
pub fn stack(
    layers: Vec<Layer>,
    connections: &[LayerConnection],
) -> Result<Environment, StackError> {
    let mut whole = Environment::default();
    let mut first_floors: Vec<(String, usize)> = Vec::new();
    let single = layers.len() == 1;
    for layer in layers {
        let Layer {
            name,
            z,
            environment,
        } = layer;
        let refuse = |layer: &str, reason| {
            Err(StackError::Layer {
                layer: layer.to_string(),
                reason,
            })
        };
        if environment.mesh.is_some() {
            return Err(StackError::Mesh { layer: name });
        }
        if !(-1e5..=1e5).contains(&z) {
            return refuse(&name, "its height is out of range; give -1e5 to 1e5 m");
        }
        if first_floors.iter().any(|(known, _)| *known == name) {
            return refuse(&name, "another layer has this name; give each its own");
        }
        let offset = whole.floors.len();
        let Some(lowest) = (0..environment.floors.len()).min_by(|a, b| {
            environment.floors[*a]
                .z
                .total_cmp(&environment.floors[*b].z)
        }) else {
            return refuse(&name, "it has no floor; draw something walkable");
        };
        let lift = z - environment.floors[lowest].z;
        first_floors.push((name.clone(), offset + lowest));
        let several = environment.floors.len() > 1;
        for mut floor in environment.floors {
            floor.z += lift;
            floor.name = if several {
                format!("{name}/{}", floor.name)
            } else {
                name.clone()
            };
            whole.floors.push(floor);
        }
        whole
            .connections
            .extend(environment.connections.into_iter().map(|mut connection| {
                connection.from += offset;
                connection.to += offset;
                connection
            }));
        whole
            .areas
            .extend(environment.areas.into_iter().map(|mut area| {
                area.floor += offset;
                area
            }));
        whole
            .lines
            .extend(environment.lines.into_iter().map(|mut line| {
                line.floor += offset;
                line
            }));
        whole
            .doors
            .extend(environment.doors.into_iter().map(|mut door| {
                door.floor += offset;
                door
            }));
        whole
            .obstacles
            .extend(environment.obstacles.into_iter().map(|mut obstacle| {
                obstacle.floor += offset;
                obstacle
            }));
        if single {
            whole.cells = environment.cells;
        }
        whole.notices.extend(
            environment
                .notices
                .iter()
                .map(|notice| format!("layer \"{name}\": {notice}")),
        );
    }
    if whole.floors.is_empty() {
        return Err(StackError::Empty);
    }
    for connection in connections {
        let refuse = |reason: String| StackError::Connection {
            connection: connection.name.clone(),
            reason,
        };
        let floor_of = |layer: &str| {
            first_floors
                .iter()
                .find(|(name, _)| name == layer)
                .map(|(_, floor)| *floor)
                .ok_or_else(|| {
                    let names: Vec<&str> = first_floors.iter().map(|(n, _)| n.as_str()).collect();
                    refuse(format!(
                        "there is no layer \"{layer}\"; name one of {}",
                        names.join(", ")
                    ))
                })
        };
        let (from, to) = (floor_of(&connection.from)?, floor_of(&connection.to)?);
        if from == to {
            return Err(refuse(
                "it joins a layer to itself; name two layers".to_string(),
            ));
        }
        if !(connection.speed > 0.0 && connection.speed <= 1.0) {
            return Err(refuse(format!(
                "its speed is {}; give a factor above 0 and up to 1",
                connection.speed
            )));
        }
        let corners = connection.lower.iter().chain(&connection.upper);
        if corners.clone().any(|corner| !corner.is_finite()) {
            return Err(refuse("a corner is not finite; give numbers".to_string()));
        }
        whole.connections.push(Connection {
            name: connection.name.clone(),
            from,
            to,
            lower: connection.lower,
            upper: connection.upper,
            speed: connection.speed,
        });
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_kit::environment::{Floor, NamedArea, Polygon};

    fn layer(name: &str, z: f64) -> Layer {
        let square = Polygon::rectangle(DVec2::ZERO, DVec2::splat(10.0));
        Layer {
            name: name.to_string(),
            z,
            environment: Environment {
                floors: vec![Floor {
                    name: "0".to_string(),
                    walkable: vec![square.clone()],
                    ..Floor::default()
                }],
                areas: vec![NamedArea {
                    name: format!("{name} exit"),
                    floor: 0,
                    shape: square,
                }],
                ..Environment::default()
            },
        }
    }

    fn stairs(from: &str, to: &str) -> LayerConnection {
        LayerConnection {
            name: "stairs".to_string(),
            from: from.to_string(),
            to: to.to_string(),
            lower: [DVec2::new(1.0, 1.0), DVec2::new(3.0, 1.0)],
            upper: [DVec2::new(1.0, 5.0), DVec2::new(3.0, 5.0)],
            speed: 0.6,
        }
    }

    #[test]
    fn layers_keep_their_things_on_their_floors() {
        let layers = vec![layer("low", 0.0), layer("high", 4.0)];
        let whole = stack(layers, &[stairs("low", "high")]).unwrap();
        assert_eq!(whole.floors[1].name, "high");
        assert_eq!(whole.floors[1].z, 4.0);
        assert_eq!(
            (whole.areas[1].floor, whole.areas[1].name.as_str()),
            (1, "high exit")
        );
        assert_eq!((whole.connections[0].from, whole.connections[0].to), (0, 1));
    }

    #[test]
    fn wrong_stacks_are_refused() {
        assert_eq!(stack(Vec::new(), &[]), Err(StackError::Empty));
        let twice = stack(vec![layer("a", 0.0), layer("a", 3.0)], &[]).unwrap_err();
        assert!(twice.to_string().contains("another layer"));
        let nowhere = stack(vec![layer("a", 0.0)], &[stairs("a", "b")]).unwrap_err();
        assert!(nowhere.to_string().contains("no layer \"b\""));
    }
}
