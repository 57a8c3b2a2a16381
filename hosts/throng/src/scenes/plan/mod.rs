//! Floors drawn by code: one file per family, `draft` and `footprint` are what they draw with.

pub(super) mod blocks;
pub(super) mod bottleneck;
pub(super) mod circle;
pub(super) mod city;
pub(super) mod city_block;
pub(super) mod corridor;
mod draft;
mod footprint;
pub(super) mod grid_map;
pub(super) mod hall;
pub(super) mod layers;
pub(super) mod rooms;
pub(super) mod square;
pub(super) mod two_storey;
pub(super) mod village;
