//! Avoidance none, and later short-term.
