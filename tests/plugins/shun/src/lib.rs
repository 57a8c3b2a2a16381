//! A cost model in a crate of its own: linked into a program, or loaded from a library.

mod shun;

pub use shun::Shun;

throng_core::export_plugin! { Cost "shun" => Shun }
