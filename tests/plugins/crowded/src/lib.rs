//! A level-of-detail policy in a crate of its own: linked into a program, or loaded from a library.

mod crowded;

pub use crowded::Crowded;

throng_core::export_plugin! { Lod "crowded" => Crowded }
