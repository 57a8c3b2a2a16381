//! Navigation map `adaptive-grid`: rectangles grown over the cells of a floor plan.
//!
//! `adaptive_grid` is the strategy. In its folder `sheet` is a floor as an image of cells, `grow`
//! partitions it by growing seeds, `quadtree` by halving squares, `join` finds the gates between
//! rectangles and their lengths, `measure` says how good a partition is, `cells` makes sheets of a
//! ground, `draw` turns partitions into a map. Partitions of plain images need no ground.

mod adaptive_grid;

pub use adaptive_grid::{
    AdaptiveGrid, PartitionKind,
    grow::{Expansion, Order, Partition, QueueKind, Rect, Rules, Seeding, grow},
    join::{Join, Metric, joins, length},
    measure::{Measures, Truth},
    quadtree::quadtree,
    sheet::{Direction, Sheet},
};
