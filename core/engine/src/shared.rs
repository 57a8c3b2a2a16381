//! What the simulations of one scenario share: its ground, and the maps drawn over it.
//!
//! Whoever runs many combinations of strategies builds the ground once, and each map once; a
//! simulation takes both by reference count. A door that one of them closes is its own.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use throng_kit::environment::Environment;

use crate::{
    build::{self, BuildError, Drawn},
    holds::Hold,
    registry::Registry,
    scenario::{Scenario, StrategySpec},
    source::Source,
    state::Place,
};

/// A scenario's ground and everything that is found on it, before any map.
#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub place: Place,
    pub sources: Vec<Source>,
    pub event_areas: Vec<Option<u32>>,
    pub holds: Vec<Hold>,
    pub notices: Vec<String>,
}

impl Stage {
    /// Builds it; strategies that do not go together are refused first.
    pub fn new(
        scenario: &Scenario,
        environment: Environment,
        registry: &Registry,
    ) -> Result<Stage, BuildError> {
        let environment = build::merge_environment(scenario, environment)?;
        let place = build::make_place(scenario, &environment)?;
        build::check_combination(scenario, registry, place.ground.view().plan)?;
        Stage::on(scenario, &environment, place)
    }

    fn on(
        scenario: &Scenario,
        environment: &Environment,
        mut place: Place,
    ) -> Result<Stage, BuildError> {
        let sources = build::make_sources(scenario, environment, &mut place)?;
        let event_areas = build::check_events(scenario, environment, &mut place)?;
        let holds = build::make_holds(scenario, environment, &mut place)?;
        let notices = environment.notices.iter();
        let notices = notices.chain(place.ground.notices()).cloned().collect();
        Ok(Stage {
            place,
            sources,
            event_areas,
            holds,
            notices,
        })
    }
}

/// A map that is drawn when first asked for.
type LazyMap = Arc<OnceLock<Result<Drawn, BuildError>>>;

/// The ground of a scenario and the maps over it, for many simulations
/// ([`Simulation::on`](crate::Simulation::on)).
#[derive(Debug)]
pub struct Shared {
    scenario: Scenario,
    stage: Stage,
    maps: Mutex<Vec<(StrategySpec, LazyMap)>>,
}

impl Shared {
    /// Builds the ground. Maps are drawn when a simulation first asks for them.
    pub fn new(scenario: &Scenario, environment: Environment) -> Result<Shared, BuildError> {
        let environment = build::merge_environment(scenario, environment)?;
        let place = build::make_place(scenario, &environment)?;
        Ok(Shared {
            stage: Stage::on(scenario, &environment, place)?,
            scenario: scenario.clone(),
            maps: Mutex::default(),
        })
    }

    /// The ground and what is on it, for a scenario whose strategies go together.
    pub(crate) fn stage(
        &self,
        scenario: &Scenario,
        registry: &Registry,
    ) -> Result<Stage, BuildError> {
        let (own, other) = (&self.scenario, scenario);
        let fits = own.seed == other.seed
            && own.environment == other.environment
            && own.areas == other.areas
            && own.lines == other.lines
            && own.doors == other.doors
            && own.obstacles == other.obstacles
            && own.profiles == other.profiles
            && own.sources == other.sources
            && own.goals == other.goals
            && own.events == other.events;
        if !fits {
            return Err(BuildError::Missing(
                "a shared ground serves scenarios that differ in strategies alone: build another"
                    .into(),
            ));
        }
        build::check_combination(scenario, registry, self.stage.place.ground.view().plan)?;
        Ok(self.stage.clone())
    }

    /// The map of a strategy, drawn by whoever asks first; others wait for it.
    pub(crate) fn map(
        &self,
        spec: &StrategySpec,
        registry: &Registry,
    ) -> Result<Drawn, BuildError> {
        let lazy = {
            let mut maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
            let known =
                |(s, _): &&(StrategySpec, LazyMap)| s.kind == spec.kind && s.table == spec.table;
            match maps.iter().find(known) {
                Some((_, lazy)) => lazy.clone(),
                None => {
                    let lazy = LazyMap::default();
                    maps.push((spec.clone(), lazy.clone()));
                    lazy
                }
            }
        };
        lazy.get_or_init(|| build::draw_map(spec, registry, &self.stage.place))
            .clone()
    }

    /// Drops the maps; those that simulations hold live on with them.
    pub fn forget_maps(&self) {
        let mut maps = self.maps.lock().unwrap_or_else(PoisonError::into_inner);
        maps.clear();
    }
}
