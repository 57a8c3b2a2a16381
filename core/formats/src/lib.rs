//! Readers of geometry and meshes, one feature each.
