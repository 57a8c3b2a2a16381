//! Reciprocal velocity obstacles: avoidance orca.
