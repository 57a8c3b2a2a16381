//! The step: crowd state, neighbours, routes, tiers, registry, scenario, checkpoints, plugins.
