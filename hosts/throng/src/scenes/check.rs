//! A scene's table against its declared options.

use throng_core::options::{OptionKind, OptionSpec};
use throng_engine::registry::nearest;
use toml::Value;

use super::{Scene, SceneError, SceneSpec};

/// The scene with the options of the table, each of them checked.
pub(super) fn options<S: Scene>(spec: &SceneSpec, table: &toml::Table) -> Result<S, SceneError> {
    for (name, value) in table {
        let Some(option) = spec.options.iter().find(|option| option.name == name) else {
            let names: Vec<&'static str> = spec.options.iter().map(|option| option.name).collect();
            return Err(SceneError::UnknownOption {
                scene: spec.id,
                option: name.clone(),
                nearest: nearest(name, names.iter().copied()),
                known: if names.is_empty() {
                    "none".into()
                } else {
                    names.join(", ")
                },
            });
        };
        if !fits(option, value) {
            return Err(SceneError::BadValue {
                scene: spec.id,
                option: option.name,
                value: value.to_string(),
                allowed: option.allowed(),
            });
        }
    }
    S::deserialize(Value::Table(table.clone())).map_err(|error| SceneError::Impossible {
        scene: spec.id,
        reason: error.message().to_string(),
    })
}

fn fits(option: &OptionSpec, value: &Value) -> bool {
    match (&option.kind, value) {
        (OptionKind::Number { min, max }, Value::Float(number)) => (min..=max).contains(&number),
        (OptionKind::Number { min, max }, Value::Integer(number)) => {
            (min..=max).contains(&&(*number as f64))
        }
        (OptionKind::Integer { min, max }, Value::Integer(number)) => (min..=max).contains(&number),
        (OptionKind::Choice(words), Value::String(word)) => words.contains(&word.as_str()),
        (OptionKind::Switch, Value::Boolean(_)) | (OptionKind::Text, Value::String(_)) => true,
        _ => false,
    }
}
