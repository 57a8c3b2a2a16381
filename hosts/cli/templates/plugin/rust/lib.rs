//! Strategy `__id__` of slot `__slot__`, as a library that Throng loads and as a crate that links.

mod __stem__;

pub use __stem__::__Type__;

throng_core::export_plugin! { __Slot__ "__id__" => __Type__ }
