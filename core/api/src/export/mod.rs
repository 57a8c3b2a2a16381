//! Strategies as dynamic libraries: the macro line of a Rust author, and the glue behind it.
//!
//! The glue turns an ordinary trait implementation into the C tables of `throng-abi`: it catches
//! panics, copies nothing that can be lent, and reports through the host's sink. The strategy is
//! written, registered and tested as if it were built in; [`export_plugin!`](crate::export_plugin)
//! adds the symbol that makes the same crate loadable. What the strategy says through `tracing`
//! arrives in the host's, linked or loaded; [`should_stop`] tells long work to return early.

#![allow(unsafe_code)]

mod avoidance;
mod cost;
mod describe;
mod forward;
mod group;
mod guard;
mod held;
mod host;
mod layout;
mod lod;
mod nav;
mod planner;
mod site;
mod world;

pub use avoidance::avoidance;
pub use cost::cost;
pub use describe::{Descriptors, Export, describe};
pub use group::group;
pub use guard::start;
pub use host::{Level, connect, log, should_stop};
pub use lod::lod;
pub use nav::nav;
pub use planner::planner;
pub use throng_abi as abi;

/// Makes a crate's strategies loadable from a dynamic library.
///
/// Slot, id and type are those of [`register!`](crate::register), from which the library takes
/// the documentation. The crate has `crate-type = ["cdylib", "rlib"]`: the same build serves
/// programs that load it and programs that link it. A program can link only one crate that has
/// this line, for the symbol it adds; crates meant to be linked together put the line behind a
/// feature, or into a small crate of its own.
///
/// ```
/// use throng_core::*;
///
/// throng_core::options! {
///     /// Walks as it likes.
///     pub struct Bold {
///         /// Factor on the preferred velocity.
///         factor: f32 = 1.0, "", 0.0..=2.0;
///     }
/// }
///
/// #[typetag::serde(name = "bold")]
/// impl LocalAvoidance for Bold {
///     fn perception(&self) -> Perception { Perception::BLIND }
///     fn steer(&self, chunk: &SteerChunk<'_>, _: &mut Scratch, out: &mut SteerOut<'_>) {
///         for i in 0..chunk.len() {
///             out.velocity[i] = chunk.preferred[i] * self.factor;
///         }
///     }
/// }
///
/// throng_core::register! {
///     Avoidance "bold" => Bold,
///     about: "Walks as it likes.",
///     when: "Nobody else is about.", when_not: "Anybody is.",
///     growth: "Time grows with the agents.", paper: "",
///     needs: Capabilities::NONE, offers: Capabilities::NONE,
/// }
///
/// throng_core::export_plugin! { Avoidance "bold" => Bold }
/// # fn main() { assert_eq!(throng_core::registry::builtin().len(), 1); }
/// ```
#[macro_export]
macro_rules! export_plugin {
    ($($slot:ident $id:literal => $type:ty),+ $(,)?) => {
        #[allow(unsafe_code)]
        const _: () = {
            use $crate::export::abi;

            const EXPORTS: &[$crate::export::Export] = &[$(
                $crate::export_plugin!(@$slot $id, $type),
            )+];
            static DESCRIPTORS: $crate::export::Descriptors = $crate::export::Descriptors::new();

            unsafe extern "C" fn count() -> u32 {
                EXPORTS.len() as u32
            }

            unsafe extern "C" fn describe(
                call: *const abi::Call,
                index: u32,
            ) -> *const abi::Descriptor {
                // SAFETY: the host's call is handed on as it came.
                unsafe { $crate::export::describe(&DESCRIPTORS, EXPORTS, call, index) }
            }

            // SAFETY: the one symbol of a plugin; the name is reserved for it.
            #[unsafe(no_mangle)]
            #[allow(non_upper_case_globals)]
            pub static throng_plugin_v1: abi::Plugin = abi::Plugin {
                magic: abi::MAGIC,
                size: ::core::mem::size_of::<abi::Plugin>() as u32,
                version: abi::ABI_VERSION,
                unwinding: if cfg!(panic = "abort") {
                    abi::unwinding::ABORTS
                } else {
                    abi::unwinding::CAUGHT
                },
                reserved: [0; 7],
                start: Some($crate::export::start),
                count: Some(count),
                describe: Some(describe),
            };
        };
    };
    (@Nav $id:literal, $type:ty) => {
        $crate::export::nav::<$type>(
            $id,
            env!("CARGO_PKG_VERSION"),
            concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
        )
    };
    (@Planner $id:literal, $type:ty) => {
        $crate::export::planner::<$type>(
            $id,
            env!("CARGO_PKG_VERSION"),
            concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
        )
    };
    (@Cost $id:literal, $type:ty) => {
        $crate::export::cost::<$type>(
            $id,
            env!("CARGO_PKG_VERSION"),
            concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
        )
    };
    (@Avoidance $id:literal, $type:ty) => {
        $crate::export::avoidance::<$type>(
            $id,
            env!("CARGO_PKG_VERSION"),
            concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
        )
    };
    (@Lod $id:literal, $type:ty) => {
        $crate::export::lod::<$type>(
            $id,
            env!("CARGO_PKG_VERSION"),
            concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
        )
    };
    (@Group $id:literal, $type:ty) => {
        $crate::export::group::<$type>(
            $id,
            env!("CARGO_PKG_VERSION"),
            concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
        )
    };
    (@$slot:ident $id:literal, $type:ty) => {
        compile_error!(concat!(
            "there is no slot ",
            stringify!($slot),
            "; there are Nav, Planner, Cost, Avoidance, Lod and Group"
        ))
    };
}
