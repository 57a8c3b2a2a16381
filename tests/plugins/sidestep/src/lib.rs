//! An avoidance model in a crate of its own: linked into a program, or loaded from a library.

mod sidestep;

pub use sidestep::Sidestep;

throng_core::export_plugin! { Avoidance "sidestep" => Sidestep }
