//! Navigation map `ecm`: the medial axis of the walkable space with its corridors. `ecm` is the
//! strategy; its folder has `layers` (what the diagram is drawn over), `voronoi` (the diagram),
//! `arc` (one edge of it), `axis` (all of them), `check`, `regions` (where places are) and
//! `draw` (the arrays of the map).

mod ecm;

pub use ecm::{Ecm, wall_lines};
