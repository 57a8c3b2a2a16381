//! The C tables through which strategies from dynamic libraries meet the engine.
