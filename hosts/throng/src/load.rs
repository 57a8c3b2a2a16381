//! From a scenario file to everything that a simulation is built from.

use std::path::{Path, PathBuf};

use thiserror::Error;
use throng_engine::{
    Registry, Scenario,
    diagnostics::Diagnostics,
    plugin::{self, PluginError},
    registry::RegisterError,
    scenario::{self, EnvironmentSource, LayerSpec, UpAxis},
};
use throng_formats::{FormatError, Layer, ReadOptions, StackError, Up};
use throng_kit::environment::{Environment, Polygon};

use crate::scenes;

/// Whether dynamic libraries may be loaded. They are native code: the user must say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PluginPolicy {
    /// Refuse scenarios that name libraries.
    #[default]
    Refuse,
    /// Load the libraries that the scenario names, and no others.
    Allow,
}

/// How a scenario is loaded.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Changes as `key=value`.
    pub sets: Vec<String>,
    /// Another seed.
    pub seed: Option<u64>,
    /// Whether files outside the scenario's folder may be read.
    pub allow_outside: bool,
    /// Whether libraries may be loaded.
    pub plugins: PluginPolicy,
    /// Further libraries, named by the user directly.
    pub libraries: Vec<PathBuf>,
}

/// A scenario with its environment and the strategies that it may name.
#[derive(Debug)]
pub struct Loaded {
    /// The scenario.
    pub scenario: Scenario,
    /// Its environment.
    pub environment: Environment,
    /// The strategies.
    pub registry: Registry,
}

/// Why a scenario could not be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Problems in the scenario file, each with its place.
    #[error("{0}")]
    Scenario(Diagnostics),
    /// An environment file could not be read.
    #[error("environment: {0}")]
    Format(#[from] FormatError),
    /// Layers that cannot be stacked.
    #[error("environment.layers: {0}")]
    Layers(#[from] StackError),
    /// A scene could not be generated.
    #[error("environment.generate: {0}")]
    Scene(String),
    /// A path that may not be opened.
    #[error("{0}")]
    Path(String),
    /// The scenario names no environment.
    #[error(
        "the scenario has no environment: add [environment] with file = \"…\" or generate = \"…\""
    )]
    NoEnvironment,
    /// The scenario names libraries, and the user has not allowed them.
    #[error(
        "the scenario names the library {0}: libraries are native code and are loaded only with --allow-plugins"
    )]
    PluginsNotAllowed(String),
    /// A library could not be loaded.
    #[error("plugin: {0}")]
    Plugin(#[from] PluginError),
    /// A library's strategies clash with others.
    #[error("plugin: {0}")]
    Register(#[from] RegisterError),
}

impl From<Diagnostics> for LoadError {
    fn from(problems: Diagnostics) -> LoadError {
        LoadError::Scenario(problems)
    }
}

/// Every strategy and scene linked into this program.
///
/// ```
/// use throng::core::Slot;
/// let registry = throng::registry();
/// assert!(registry.find(Slot::Avoidance, "orca").is_some());
/// assert!(registry.generator("square").is_some());
/// ```
pub fn registry() -> Registry {
    let mut registry = Registry::builtin();
    // Ids of scenes are unique: a test generates every one of them.
    let _ = registry.register_generators(scenes::generators());
    registry
}

/// Loads a scenario file, its libraries and its environment.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut registry = registry();
    fn engine_options<'a>(
        options: &LoadOptions,
        registry: &'a Registry,
    ) -> scenario::LoadOptions<'a> {
        scenario::LoadOptions {
            sets: options.sets.clone(),
            seed: options.seed,
            allow_outside: options.allow_outside,
            ..scenario::LoadOptions::new(registry)
        }
    }
    let named = Scenario::plugins_of(path, &engine_options(options, &registry))?;
    if let (PluginPolicy::Refuse, Some(first)) = (options.plugins, named.first()) {
        return Err(LoadError::PluginsNotAllowed(first.display().to_string()));
    }
    for library in named.iter().chain(&options.libraries) {
        registry.register(plugin::load(library)?.strategies)?;
    }
    let scenario = Scenario::load(path, &engine_options(options, &registry))?;
    let environment = environment(&scenario, &registry)?;
    Ok(Loaded {
        scenario,
        environment,
        registry,
    })
}

/// Loads a scenario from text; `name` stands in messages. Libraries and files need a folder, so
/// relative paths are those of the current one.
pub fn load_text(text: &str, name: &str, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut registry = registry();
    for library in &options.libraries {
        registry.register(plugin::load(library)?.strategies)?;
    }
    let engine_options = scenario::LoadOptions {
        sets: options.sets.clone(),
        seed: options.seed,
        allow_outside: options.allow_outside,
        folder: Some(PathBuf::from(".")),
        ..scenario::LoadOptions::new(&registry)
    };
    let scenario = Scenario::parse(text, name, &engine_options)?;
    let environment = environment(&scenario, &registry)?;
    Ok(Loaded {
        scenario,
        environment,
        registry,
    })
}

/// How the scenario wants its files read.
pub fn read_options(scenario: &Scenario) -> ReadOptions {
    let env = &scenario.environment;
    ReadOptions {
        scale: env.scale,
        cell: env.cell,
        metres_per_pixel: env.metres_per_pixel,
        threshold: env.threshold,
        heights: env.heights,
        height_map: env.height_map,
        grounds: grounds(scenario),
        up: env.up.map(|axis| match axis {
            UpAxis::X => Up::X,
            UpAxis::Y => Up::Y,
            UpAxis::Z => Up::Z,
        }),
        projected: env.projected,
        ..ReadOptions::default()
    }
}

/// The shapes of a scenario that people stand in: parts of a height map that they meet are ground.
fn grounds(scenario: &Scenario) -> Vec<Polygon> {
    let areas = scenario.areas.iter().map(|area| &area.shape);
    areas.map(|ring| Polygon::new(ring.clone())).collect()
}

/// The environment that a scenario stands for.
pub fn environment(scenario: &Scenario, registry: &Registry) -> Result<Environment, LoadError> {
    let mut environment = ground(scenario, registry)?;
    if let Some(file) = &scenario.environment.render {
        let path = scenario.open_path(file).map_err(LoadError::Path)?;
        let drawn = throng_formats::read(&path, &read_options(scenario))?;
        environment.render = drawn.mesh;
        if environment.render.is_none() {
            let name = file.display();
            environment.notices.push(format!(
                "environment.render: {name} is flat, so the ground itself is drawn"
            ));
        }
    }
    Ok(environment)
}

fn ground(scenario: &Scenario, registry: &Registry) -> Result<Environment, LoadError> {
    let open = |file: &Path| scenario.open_path(file).map_err(LoadError::Path);
    match &scenario.environment.source {
        EnvironmentSource::Missing => Err(LoadError::NoEnvironment),
        EnvironmentSource::File(file) => {
            Ok(throng_formats::read(&open(file)?, &read_options(scenario))?)
        }
        EnvironmentSource::Generate(spec) => registry
            .generator(&spec.kind)
            .ok_or_else(|| LoadError::Scene(format!("there is no scene \"{}\"", spec.kind)))?
            .scene
            .generate(&spec.table, scenario.seed)
            .map_err(LoadError::Scene),
        EnvironmentSource::Layers(layers) => {
            let mut read = Vec::new();
            for (layer, name) in layers.iter().zip(layer_names(layers)) {
                read.push(Layer {
                    environment: throng_formats::read(
                        &open(&layer.file)?,
                        &read_options(scenario),
                    )?,
                    name,
                    z: layer.z,
                });
            }
            // Stairs are the scenario's: the engine draws them between floors.
            Ok(throng_formats::stack(read, &[])?)
        }
    }
}

/// A name for every layer: its own, or that of its file, told apart where they are the same.
fn layer_names(layers: &[LayerSpec]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for layer in layers {
        let name = match layer.name.as_str() {
            "" => layer.file.display().to_string(),
            name => name.to_owned(),
        };
        let same = names.iter().filter(|n| **n == name).count();
        names.push(match same {
            0 => name,
            _ if !layer.name.is_empty() => name,
            _ => format!("{name} ({})", names.len()),
        });
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_of_one_file_are_told_apart_and_names_of_the_users_own_are_kept() {
        let layer = |name: &str, file: &str| LayerSpec {
            name: name.into(),
            file: file.into(),
            z: 0.0,
        };
        let layers = [
            layer("", "a.svg"),
            layer("", "a.svg"),
            layer("top", "a.svg"),
        ];
        assert_eq!(layer_names(&layers), ["a.svg", "a.svg (1)", "top"]);
    }
}
