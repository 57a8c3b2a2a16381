//! Codecs of the values in a scenario: plain ones, distributions, places, lists and tables.

mod containers;
mod places;
mod plain;
mod spread;

pub(super) use containers::{ListOf, table};
pub(super) use places::{Area, Ends, FloorCodec, GoalsCodec, Place, Points, RING};
pub(super) use plain::{File, NAME, Number, Switch, TEXT, Whole, number, positive, word};
pub(super) use spread::Spread;
