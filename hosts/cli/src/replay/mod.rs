//! `replay.html`: one file that shows a run in a browser, with nothing else needed.
//!
//! [`recording`] takes frames while a run goes on, [`packer`] packs them into blocks with [`entropy`] and
//! [`spool`] keeps those; [`routes`] keeps what was planned, [`scene`] describes what stands still, and [`page`] puts
//! all of it into the sources of the page, which are in `page/`: `page.html`, `page.css` and the
//! scripts, read in the order that `page.rs` names. [`remake`] makes the page of a run again from
//! its folder, and [`pair`] shows two runs side by side.
//!
//! The page holds, as base64 of deflated bytes, each in a `script` element of its own: `facts`
//! (JSON: the run, its strategies, the table of blocks, the lines of `metrics.csv`), `scene`
//! (JSON: triangles, walls, areas, the map), `people` (constants of everybody), `routes`, and
//! `block-0`, `block-1`, …

mod bytes;
mod entropy;
mod packer;
mod page;
pub mod pair;
mod recording;
pub mod remake;
mod routes;
mod scene;
mod spool;

pub use page::{About, NAME, escaped, write};
pub use recording::Recording;
pub use scene::Surroundings;
