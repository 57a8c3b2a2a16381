//! Pictures: [`canvas`] is what they are drawn on (PNG or SVG), [`font`] the letters, [`sheet`]
//! the layout with title, scale and key, [`storeys`] the floors side by side.
//!
//! [`picture`] draws a run from what [`tracks`] gathered while it ran, [`map`] a navigation map,
//! [`solid`] grounds that are no floor plan. [`plots`] draws a finished run, its charts on the axes
//! of [`chart`].

mod canvas;
mod chart;
mod colours;
mod font;
mod heat;
mod map;
mod picture;
pub mod plots;
mod sheet;
mod solid;
mod storeys;
mod tracks;

pub use chart::{Axis, Chart, Labels};
pub use colours::Colour;
pub use map::{draw_map, edge_points, two_way_edges};
pub use picture::{Caption, draw_run};
pub use storeys::Storeys;
pub use tracks::{Tracks, expected_people};

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// PNG bytes.
    pub png: Vec<u8>,
    /// SVG text, where it was wanted.
    pub svg: Option<String>,
}
