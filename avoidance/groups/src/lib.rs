//! Group behaviours.
