//! A group behaviour in a crate of its own: linked into a program, or loaded from a library.

mod huddle;

pub use huddle::Huddle;

throng_core::export_plugin! { Group "huddle" => Huddle }
