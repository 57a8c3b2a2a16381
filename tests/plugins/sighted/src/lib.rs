//! A planner in a crate of its own: linked into a program, or loaded from a library.

mod sighted;

pub use sighted::Sighted;

throng_core::export_plugin! { Planner "sighted" => Sighted }
