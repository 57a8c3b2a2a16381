//! Navigation map `nav-graph`: discs of free space and the gates where two overlap. The file is
//! the strategy, named after its id; its folder has the samples, the choice of discs and the
//! gates.

mod nav_graph;

pub use nav_graph::NavGraph;
