//! One strategy alone, on the caller's own arrays.
//!
//! An avoidance model is a function of arrays:
//!
//! ```
//! use glam::Vec2;
//! use throng::alone;
//! use throng::core::*;
//!
//! let orca = alone::avoidance("orca", &Default::default())?;
//! // Two people walking into each other, 2 m apart.
//! let seen = [
//!     Neighbour { offset: Vec2::new(2.0, 0.0), velocity: Vec2::new(-1.0, 0.0) },
//!     Neighbour { offset: Vec2::new(-2.0, 0.0), velocity: Vec2::new(1.0, 0.0) },
//! ];
//! let velocity = [Vec2::new(1.0, 0.0), Vec2::new(-1.0, 0.0)];
//! let chunk = SteerChunk {
//!     dt: 0.1, step: 0, seed: 1,
//!     id: &[0, 1], tick: &[0, 0],
//!     velocity: &velocity, heading: &velocity, preferred: &velocity, target: &velocity,
//!     radius: &[0.25, 0.25], max_speed: &[1.5, 1.5], mass: &[80.0, 80.0],
//!     neighbours: NeighbourRows {
//!         start: &[0, 1, 2], seen: &seen, radius: &[0.25, 0.25], flags: &[0, 0], id: &[1, 0],
//!     },
//!     walls: WallRows { start: &[0, 0, 0], walls: &[] },
//! };
//! let mut chosen = [Vec2::ZERO; 2];
//! let mut out = SteerOut { velocity: &mut chosen, push: &mut [], pressed: &mut [], memory: MemoryRows::default() };
//! orca.steer(&chunk, &mut Scratch::default(), &mut out);
//! assert!(chosen.iter().all(|v| v.is_finite() && v.y.abs() > 1e-3), "they step aside");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A planner alone is a [`Simulation`](crate::Simulation) without agents:
//! [`path`](throng_engine::Simulation::path) answers one query,
//! [`plan_batch`](throng_engine::Simulation::plan_batch) many.

use throng_core::{GlobalPlanner, LocalAvoidance, NavRepresentation, Slot};
use throng_engine::{BuildError, registry::AnyStrategy};

/// An avoidance model by its id, with the options of a table.
pub fn avoidance(id: &str, options: &toml::Table) -> Result<Box<dyn LocalAvoidance>, BuildError> {
    alone(Slot::Avoidance, id, options, AnyStrategy::into_avoidance)
}

/// A map by its id, with the options of a table; not built yet.
pub fn nav(id: &str, options: &toml::Table) -> Result<Box<dyn NavRepresentation>, BuildError> {
    alone(Slot::Nav, id, options, AnyStrategy::into_nav)
}

/// A planner by its id, with the options of a table; not prepared yet.
pub fn planner(id: &str, options: &toml::Table) -> Result<Box<dyn GlobalPlanner>, BuildError> {
    alone(Slot::Planner, id, options, AnyStrategy::into_planner)
}

fn alone<T>(
    slot: Slot,
    id: &str,
    options: &toml::Table,
    into: impl FnOnce(AnyStrategy) -> Option<T>,
) -> Result<T, BuildError> {
    let registry = crate::registry();
    let fail = |reason: String| BuildError::Strategy {
        slot: slot.name(),
        id: id.to_owned(),
        reason,
    };
    let strategy = registry
        .find(slot, id)
        .ok_or_else(|| fail("no such strategy".into()))?;
    let made = strategy.create(options).map_err(|e| fail(e.to_string()))?;
    into(made).ok_or_else(|| fail("fills another slot".into()))
}
