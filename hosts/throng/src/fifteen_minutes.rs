//! Write a strategy in 15 minutes.
//!
//! A strategy in a library of your own is chosen by name in a scenario, like those that are built
//! in, without building Throng again. This page makes one: people who step to their left of
//! whoever comes towards them. A test follows it to the letter.
//!
//! You need Rust, the `throng` program and Throng's sources (its crates are not published; the
//! project that is written here finds the sources that the program was built from, and `--throng`
//! names others: a folder or a git address).
//!
//! # 1. A project that works (2 minutes)
//!
//! ```sh
//! throng new plugin keep-left --slot avoidance
//! cd keep-left
//! cargo build
//! ```
//!
//! The strategy is `src/keep_left.rs`: an ordinary implementation of
//! [`LocalAvoidance`](crate::core::LocalAvoidance). `src/lib.rs` has the line that makes a library
//! of it. Is the library sound, and does a crowd walk with it?
//!
//! ```sh
//! throng conform target/debug/libkeep_left.so
//! throng run scenario.toml --allow-plugins
//! ```
//!
//! A library is native code, so that `throng` wants to be told: `--allow-plugins` loads what the
//! scenario's `plugins` or `--plugin` names, and nothing else is ever looked for.
//!
//! # 2. A strategy of your own (8 minutes)
//!
//! Options are declared once, each with its meaning, default, unit and range; messages, `describe`
//! and the scenario's checks come from there. `perception` says how far people look, `steer`
//! writes a velocity for every agent of a chunk. Put this into `src/keep_left.rs`:
//!
//! ```ignore
//! //! Avoidance `keep-left`: steps to the left of whoever comes towards it.
//!
//! use throng_core::{
//!     Capabilities, LocalAvoidance, Perception, Scratch, SteerChunk, SteerOut, options, register,
//! };
//!
//! options! {
//!     /// Steps to the left of whoever comes towards it.
//!     pub struct KeepLeft {
//!         /// How far ahead others are stepped aside for.
//!         distance: f32 = 3.0, "m", 0.1..=20.0;
//!         /// Sideways speed for somebody right ahead, as a share of the wish.
//!         share: f32 = 0.5, "", 0.0..=1.0;
//!     }
//! }
//!
//! #[typetag::serde(name = "keep-left")]
//! impl LocalAvoidance for KeepLeft {
//!     fn perception(&self) -> Perception {
//!         Perception { reach: self.distance, most: 8, wall_reach: 0.0 }
//!     }
//!
//!     fn steer(&self, chunk: &SteerChunk<'_>, _: &mut Scratch, out: &mut SteerOut<'_>) {
//!         for i in 0..chunk.len() {
//!             let wish = chunk.preferred[i];
//!             let ahead = wish.normalize_or_zero();
//!             let mut aside = 0.0_f32;
//!             for n in chunk.neighbours_of(i) {
//!                 let seen = chunk.neighbours.seen[n];
//!                 let comes = seen.velocity.dot(ahead) < 0.0 && seen.offset.dot(ahead) > 0.0;
//!                 if comes {
//!                     aside = aside.max(1.0 - seen.offset.length() / self.distance);
//!                 }
//!             }
//!             let left = wish.perp() * (aside * self.share);
//!             out.velocity[i] = (wish + left).clamp_length_max(chunk.max_speed[i]);
//!         }
//!     }
//! }
//!
//! register! {
//!     Avoidance "keep-left" => KeepLeft,
//!     about: "Steps to the left of whoever comes towards it.",
//!     when: "Everybody keeps left by custom.",
//!     when_not: "Crowds are dense: nobody slows down.",
//!     growth: "Time grows with agents and neighbours; no memory.",
//!     paper: "",
//!     needs: Capabilities::NONE,
//!     offers: Capabilities::NONE,
//! }
//! ```
//!
//! Rules that the engine counts on, and that the tests of the project check: an agent's answer
//! depends on its own row, not on the chunk that it comes in; the same question has the same
//! answer, on any thread; speeds stay below `max_speed`; nothing is remembered from call to call
//! except in [columns](crate::core::Memory) that the engine keeps. Numbers beyond `+ - * /` and
//! `sqrt` come from [`math`](crate::core::math), so that bits are the same on every machine.
//!
//! ```sh
//! cargo test
//! ```
//!
//! # 3. Two crowds that meet (3 minutes)
//!
//! Put this into `meet.toml`:
//!
//! ```toml
//! name = "meet"
//! seed = 2
//! duration = 40.0
//! plugins = ["target/debug/libkeep_left.so"]
//!
//! [environment]
//! generate = "corridor"
//!
//! [avoidance]
//! kind = "keep-left"
//! distance = 4.0
//!
//! [[source]]
//! area = "left"
//! count = 12
//! goals = ["right"]
//!
//! [[source]]
//! area = "right"
//! count = 12
//! goals = ["left"]
//! ```
//!
//! ```sh
//! cargo build
//! throng run meet.toml --allow-plugins
//! throng run meet.toml --allow-plugins --set avoidance.share=0.1 --out out/narrow
//! throng matrix meet.toml --allow-plugins --vary avoidance=keep-left,orca,none
//! throng describe avoidance/keep-left --plugin target/debug/libkeep_left.so --allow-plugins
//! ```
//!
//! `out/meet/summary.json` names the library, its version and its SHA-256; `replay.html` beside it
//! shows the run in a browser.
//!
//! # 4. Only this library (2 minutes)
//!
//! A list of hashes allows exactly the files that you have looked at, and refuses a library that
//! has changed since, with the hash expected and the one found:
//!
//! ```sh
//! sha256sum target/debug/libkeep_left.so > plugins.sha256
//! throng run meet.toml --plugin-list plugins.sha256 --out out/listed
//! ```
//!
//! # When something is wrong
//!
//! Every message names the library and the strategy. A panic, an error, a velocity that is NaN, too
//! large or not written ends the run with exit code 1 and whole files, and says which agent; a call
//! that does not return is ended after `--plugin-seconds` (60). A file that is no plugin, one of
//! another version, a wrong option or a library that may not be loaded is exit code 2 before
//! anything is written. Log lines for whoever runs it:
//! [`log`](crate::core::export::log); long work asks
//! [`should_stop`](crate::core::export::should_stop).
//!
//! The other slots: `throng new plugin NAME --slot nav`, `planner`, `cost`, `lod`, `group`; in C
//! `--lang c` for `avoidance` and `cost`, with a header and a Makefile.
