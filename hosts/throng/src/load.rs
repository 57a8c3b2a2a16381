//! From a scenario file to everything that a simulation is built from.

use std::path::{Path, PathBuf};

use thiserror::Error;
use throng_engine::{
    Registry, Scenario,
    diagnostics::Diagnostics,
    plugin::{self, AllowList, PluginError},
    registry::RegisterError,
    scenario::{self, EnvironmentSource, LayerSpec, NamedPlugin, UpAxis},
};
use throng_formats::{FormatError, Layer, ReadOptions, StackError, Up};
use throng_kit::environment::{Environment, Polygon};

use crate::scenes;

/// Whether dynamic libraries may be loaded. They are native code: the user must say so.
///
/// Only libraries that the scenario or [`LoadOptions::libraries`] name are ever loaded; no folder
/// is searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PluginPolicy {
    /// Load none.
    #[default]
    Refuse,
    /// Load those that are named.
    Allow,
    /// Load those that are named and that this list holds with the SHA-256 of their file.
    Listed(AllowList),
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
    /// Further libraries, named by the user directly; the policy is theirs too.
    pub libraries: Vec<PathBuf>,
}

impl LoadOptions {
    fn engine<'a>(&self, registry: &'a Registry) -> scenario::LoadOptions<'a> {
        scenario::LoadOptions {
            sets: self.sets.clone(),
            seed: self.seed,
            allow_outside: self.allow_outside,
            ..scenario::LoadOptions::new(registry)
        }
    }
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

const NOT_ALLOWED: &str = "libraries are native code and are loaded only with --allow-plugins, \
                           or with --plugin-list and a file that lists their SHA-256";

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
    /// The user names a library and has not allowed any.
    #[error("the library {}: {NOT_ALLOWED}", .0.display())]
    PluginsNotAllowed(PathBuf),
    /// A library is named twice.
    #[error("the library {} is named twice: leave one out", .0.display())]
    NamedTwice(PathBuf),
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

/// Every strategy and scene linked into this program, and the strategies of these libraries.
pub fn registry_with(libraries: &[PathBuf], policy: &PluginPolicy) -> Result<Registry, LoadError> {
    load_libraries(&[], libraries, policy)
}

/// All libraries or, with the reason and the place of the first that fails, none.
fn load_libraries(
    named: &[NamedPlugin],
    libraries: &[PathBuf],
    policy: &PluginPolicy,
) -> Result<Registry, LoadError> {
    let mut registry = registry();
    let mut known: Vec<PathBuf> = Vec::new();
    let mut add = |path: &Path| {
        let library = match policy {
            PluginPolicy::Refuse => return Err(LoadError::PluginsNotAllowed(path.to_owned())),
            PluginPolicy::Allow => plugin::load(path)?,
            PluginPolicy::Listed(list) => plugin::load_listed(path, list)?,
        };
        if known.contains(&library.path) {
            return Err(LoadError::NamedTwice(library.path));
        }
        known.push(library.path);
        Ok(registry.register(library.strategies)?)
    };
    for plugin in named {
        add(&plugin.path).map_err(|error| LoadError::Scenario(plugin.problem(error)))?;
    }
    libraries.iter().try_for_each(|path| add(path))?;
    Ok(registry)
}

/// Loads a scenario file, its libraries and its environment.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let named = Scenario::plugins_of(path, &options.engine(&registry()))?;
    let registry = load_libraries(&named, &options.libraries, &options.plugins)?;
    let scenario = Scenario::load(path, &options.engine(&registry))?;
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
    let here = Path::new(".");
    let before = registry();
    let named = Scenario::plugins_of_text(text, name, here, &options.engine(&before))?;
    let registry = load_libraries(&named, &options.libraries, &options.plugins)?;
    let engine_options = scenario::LoadOptions {
        folder: Some(here.to_owned()),
        ..options.engine(&registry)
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
