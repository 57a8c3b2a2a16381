//! The simulation as hosts use it.

use std::{
    ops::{Deref, DerefMut},
    path::Path,
};

use thiserror::Error;
use throng_engine::{BuildError, Registry};
use throng_kit::environment::Environment;

use crate::load::{LoadError, LoadOptions, Loaded, load, load_text};

/// Why a simulation could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The scenario could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The simulation could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// A running simulation; everything that the engine's one can do, and ways to make it.
#[derive(Debug)]
pub struct Simulation(throng_engine::Simulation);

impl Simulation {
    /// Loads and builds a scenario file, with as many threads as there are cores.
    pub fn from_scenario(path: impl AsRef<Path>) -> Result<Simulation, SimulationError> {
        Builder::default().file(path)
    }

    /// Builds a scenario from text.
    pub fn from_text(text: &str) -> Result<Simulation, SimulationError> {
        Builder::default().text(text)
    }

    /// A builder: options first, then a file, a text or an environment of the host's own.
    ///
    /// ```
    /// use glam::DVec2;
    /// use throng::{Command, Destination, NewAgent, Simulation, Spot};
    /// use throng::environment::{Environment, Floor, Polygon};
    ///
    /// let mut room = Environment::default();
    /// room.floors.push(Floor {
    ///     walkable: vec![Polygon::rectangle(DVec2::ZERO, DVec2::new(20.0, 10.0))],
    ///     ..Floor::default()
    /// });
    /// let mut sim = Simulation::builder().threads(1).set("avoidance.kind=\"none\"").world(room)?;
    /// sim.command(Command::Add(NewAgent {
    ///     at: Spot::Plan(1.0, 5.0),
    ///     goal: Destination::Spot(Spot::Plan(19.0, 5.0)),
    ///     profile: String::new(),
    /// }));
    /// for _ in 0..30 {
    ///     sim.step()?;
    /// }
    /// assert_eq!(sim.agents().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Builds a simulation from what [`load`](crate::load()) gave.
    pub fn from_loaded(loaded: Loaded, threads: usize) -> Result<Simulation, BuildError> {
        let Loaded {
            scenario,
            environment,
            registry,
        } = loaded;
        throng_engine::Simulation::new(scenario, environment, &registry, threads).map(Simulation)
    }
}

impl Deref for Simulation {
    type Target = throng_engine::Simulation;
    fn deref(&self) -> &throng_engine::Simulation {
        &self.0
    }
}

impl DerefMut for Simulation {
    fn deref_mut(&mut self) -> &mut throng_engine::Simulation {
        &mut self.0
    }
}

/// Options of a simulation to be made.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: LoadOptions,
    threads: usize,
}

impl Builder {
    /// Threads to use; 0 means as many as there are cores. They never change a result.
    pub fn threads(mut self, threads: usize) -> Builder {
        self.threads = threads;
        self
    }

    /// Another seed.
    pub fn seed(mut self, seed: u64) -> Builder {
        self.options.seed = Some(seed);
        self
    }

    /// A change to the scenario, as `key=value`.
    pub fn set(mut self, change: impl Into<String>) -> Builder {
        self.options.sets.push(change.into());
        self
    }

    /// Other options of loading.
    pub fn options(mut self, options: LoadOptions) -> Builder {
        self.options = options;
        self
    }

    /// Loads and builds a scenario file.
    pub fn file(self, path: impl AsRef<Path>) -> Result<Simulation, SimulationError> {
        let loaded = load(path.as_ref(), &self.options)?;
        Ok(Simulation::from_loaded(loaded, self.threads)?)
    }

    /// Builds a scenario from text.
    pub fn text(self, text: &str) -> Result<Simulation, SimulationError> {
        let loaded = load_text(text, "scenario", &self.options)?;
        Ok(Simulation::from_loaded(loaded, self.threads)?)
    }

    /// Builds a simulation over an environment of the host's own, with default strategies and
    /// whatever was [set](Builder::set).
    pub fn world(self, environment: Environment) -> Result<Simulation, SimulationError> {
        self.world_with(environment, "name = \"world\"", crate::registry())
    }

    /// The same with a scenario's text for everything but the environment, and strategies of the
    /// host's own registered.
    pub fn world_with(
        self,
        environment: Environment,
        text: &str,
        registry: Registry,
    ) -> Result<Simulation, SimulationError> {
        let engine_options = throng_engine::scenario::LoadOptions {
            sets: self.options.sets.clone(),
            seed: self.options.seed,
            allow_outside: self.options.allow_outside,
            own_environment: true,
            ..throng_engine::scenario::LoadOptions::new(&registry)
        };
        let scenario = throng_engine::Scenario::parse(text, "scenario", &engine_options)
            .map_err(LoadError::from)?;
        let loaded = Loaded {
            scenario,
            environment,
            registry,
        };
        Ok(Simulation::from_loaded(loaded, self.threads)?)
    }
}
