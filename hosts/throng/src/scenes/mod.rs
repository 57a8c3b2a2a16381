//! Scenes drawn by code: what `environment.generate` may name.
//!
//! `plan` has the floors, one file per family, `surface` the triangle meshes. A scene is a struct
//! of options that draws an [`Environment`]; [`scenes`] lists them, [`generate`] draws one. To add
//! one: write its struct, implement `Scene`, add its line to the list below.
//!
//! Lengths are metres, and surfaces are sized for people 1.8 m tall with a radius of 0.24 m: ants
//! on a tree are people on a very large tree. The same options always give the same bits; scenes
//! with something random in them have a `seed` of their own, so that a scenario's seed changes the
//! crowd and not the city.

mod check;
mod plan;
mod surface;
#[cfg(test)]
mod tests;

use std::sync::{Arc, LazyLock};

use serde::de::DeserializeOwned;
use thiserror::Error;
use throng_core::options::{OptionSpec, Options};
use throng_engine::registry::{Generator, SceneGenerator, nearest};
use throng_kit::environment::Environment;

/// A scene that can be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneSpec {
    /// Its name in `environment.generate`.
    pub id: &'static str,
    /// One line: what it draws.
    pub about: &'static str,
    /// Its options.
    pub options: Vec<OptionSpec>,
}

/// Why a scene could not be drawn. All of them are faults of the scenario.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SceneError {
    /// No scene has this name.
    #[error("there is no scene {id:?}{}; known are {known}", suggestion(nearest))]
    UnknownScene {
        /// The name given.
        id: String,
        /// The known name nearest to it.
        nearest: Option<&'static str>,
        /// All names.
        known: String,
    },
    /// The scene has no such option.
    #[error(
        "scene {scene} has no option {option:?}{}; it takes {known}",
        suggestion(nearest)
    )]
    UnknownOption {
        /// The scene.
        scene: &'static str,
        /// The option given.
        option: String,
        /// The known option nearest to it.
        nearest: Option<&'static str>,
        /// All options.
        known: String,
    },
    /// An option has a value of the wrong type or out of range.
    #[error("scene {scene}: {option} = {value} is not allowed; allowed is {allowed}")]
    BadValue {
        /// The scene.
        scene: &'static str,
        /// The option.
        option: &'static str,
        /// The value given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// Each option is fine, but they do not go together.
    #[error("scene {scene}: {reason}")]
    Impossible {
        /// The scene.
        scene: &'static str,
        /// What is wrong and what would do.
        reason: String,
    },
}

fn suggestion(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"))
}

/// A scene as a struct of options.
trait Scene: Options + DeserializeOwned {
    const ID: &'static str;
    const ABOUT: &'static str;

    /// Draws it, or says why these options do not go together.
    fn draw(&self) -> Result<Environment, String>;
}

struct Entry {
    spec: SceneSpec,
    draw: fn(&SceneSpec, &toml::Table) -> Result<Environment, SceneError>,
}

fn entry<S: Scene>() -> Entry {
    Entry {
        spec: SceneSpec {
            id: S::ID,
            about: S::ABOUT,
            options: S::options(),
        },
        draw: |spec, table| {
            let scene: S = check::options(spec, table)?;
            scene.draw().map_err(|reason| SceneError::Impossible {
                scene: spec.id,
                reason,
            })
        },
    }
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    vec![
        entry::<plan::square::Square>(),
        entry::<plan::circle::Circle>(),
        entry::<plan::corridor::Corridor>(),
        entry::<plan::corridor::Crossing>(),
        entry::<plan::corridor::Corner>(),
        entry::<plan::bottleneck::Bottleneck>(),
        entry::<plan::bottleneck::Doorway>(),
        entry::<plan::bottleneck::TwoOpenings>(),
        entry::<plan::bottleneck::ThreeGaps>(),
        entry::<plan::rooms::Rooms>(),
        entry::<plan::two_storey::TwoStorey>(),
        entry::<plan::hall::Hall>(),
        entry::<plan::blocks::Blocks>(),
        entry::<plan::village::Village>(),
        entry::<plan::city::City>(),
        entry::<plan::city_block::CityBlock>(),
        entry::<plan::layers::Layers>(),
        entry::<plan::grid_map::GridMap>(),
        entry::<surface::polyhedra::Triangle>(),
        entry::<surface::polyhedra::Cube>(),
        entry::<surface::polyhedra::Tetrahedron>(),
        entry::<surface::balls::SoccerBall>(),
        entry::<surface::balls::Bucky>(),
        entry::<surface::curved::Globe>(),
        entry::<surface::curved::Torus>(),
        entry::<surface::curved::ReverseTorus>(),
        entry::<surface::curved::Moebius>(),
        entry::<surface::buildings::BuildingExterior>(),
        entry::<surface::buildings::Building>(),
        entry::<surface::rooms::FloorAndCeiling>(),
        entry::<surface::rooms::Room>(),
        entry::<surface::lumps::Lump>(),
        entry::<surface::lumps::Asteroid>(),
        entry::<surface::tree::Tree>(),
        entry::<surface::tubes::Wire>(),
        entry::<surface::tubes::Abstract>(),
        entry::<surface::rings::Rings>(),
    ]
});

/// Every scene, plans first.
pub fn scenes() -> &'static [SceneSpec] {
    static SPECS: LazyLock<Vec<SceneSpec>> =
        LazyLock::new(|| ENTRIES.iter().map(|entry| entry.spec.clone()).collect());
    &SPECS
}

/// Draws a scene. Options that the table does not give keep their defaults.
///
/// ```
/// let mut options = toml::Table::new();
/// options.insert("width".into(), 3.0.into());
/// let corridor = throng::scenes::generate("corridor", &options).unwrap();
/// assert_eq!(corridor.areas[0].name, "left");
///
/// let error = throng::scenes::generate("coridor", &options).unwrap_err();
/// assert!(error.to_string().contains("did you mean \"corridor\"?"));
/// ```
pub fn generate(id: &str, table: &toml::Table) -> Result<Environment, SceneError> {
    match ENTRIES.iter().find(|entry| entry.spec.id == id) {
        Some(entry) => (entry.draw)(&entry.spec, table),
        None => {
            let ids: Vec<&'static str> = ENTRIES.iter().map(|entry| entry.spec.id).collect();
            Err(SceneError::UnknownScene {
                id: id.into(),
                nearest: nearest(id, ids.iter().copied()),
                known: ids.join(", "),
            })
        }
    }
}

/// Every scene as the engine's registry takes it.
pub fn generators() -> Vec<Generator> {
    scenes()
        .iter()
        .map(|spec| Generator {
            id: spec.id.into(),
            about: spec.about.into(),
            options: spec.options.clone(),
            scene: Arc::new(Registered(spec.id)),
        })
        .collect()
}

#[derive(Debug)]
struct Registered(&'static str);

impl SceneGenerator for Registered {
    fn generate(&self, options: &toml::Table, _: u64) -> Result<Environment, String> {
        generate(self.0, options).map_err(|error| error.to_string())
    }
}
