//! A map in a crate of its own: linked into a program, or loaded from a library.

mod facets;

pub use facets::Facets;

throng_core::export_plugin! { Nav "facets" => Facets }
