//! Navigation map grid: square cells over the ground.
