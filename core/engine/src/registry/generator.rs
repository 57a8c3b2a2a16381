//! Scene generators: what `environment.generate` may name.

use core::fmt::Debug;
use std::sync::Arc;

use throng_core::options::OptionSpec;
use throng_kit::environment::Environment;

/// Draws a scene from its options.
pub trait SceneGenerator: Debug + Send + Sync {
    /// Draws it. The table holds every option, defaults included; the seed is the scenario's.
    /// The error says what is wrong and what would do.
    fn generate(&self, options: &toml::Table, seed: u64) -> Result<Environment, String>;
}

/// A scene generator that scenarios may name.
#[derive(Clone, Debug)]
pub struct Generator {
    /// Its id.
    pub id: String,
    /// One line: what it draws.
    pub about: String,
    /// Its options: further keys of `[environment]`.
    pub options: Vec<OptionSpec>,
    /// Draws the scene.
    pub scene: Arc<dyn SceneGenerator>,
}
