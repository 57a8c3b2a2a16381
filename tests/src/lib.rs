//! Snapshots, conformance, determinism and layout tests over all strategies.
