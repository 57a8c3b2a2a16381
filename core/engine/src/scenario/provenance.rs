//! Remembers where everything in a scenario was written, for problems found later.

use core::fmt;
use std::{path::PathBuf, sync::Arc};

use super::node::{Node, Texts};
use crate::diagnostics::{Diagnostic, Diagnostics, SourcePlace};

/// Where a scenario came from, and where each of its values was written.
#[derive(Clone, Default)]
pub struct Provenance {
    pub(super) root: Option<Arc<Node>>,
    pub(super) texts: Texts,
    /// The folder that relative paths start from.
    pub folder: Option<PathBuf>,
    /// Whether files outside that folder may be read.
    pub allow_outside: bool,
    /// What the user should know and what stops nothing.
    pub notices: Diagnostics,
}

impl fmt::Debug for Provenance {
    /// The names alone: the tree of places is as long as the file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provenance")
            .field("source", &self.texts.source.name)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Provenance {
    /// Always equal: where things were written is no part of what a scenario says.
    fn eq(&self, _: &Provenance) -> bool {
        true
    }
}

impl Provenance {
    /// Where a key such as `source[2].area` was written: it, or the table around it.
    pub fn place(&self, key: &str) -> SourcePlace {
        match &self.root {
            Some(root) => match root.deepest(key) {
                (node, false) if core::ptr::eq(node, root.as_ref()) => SourcePlace::Default,
                (node, _) => self.texts.place(&node.origin),
            },
            None => SourcePlace::Default,
        }
    }

    /// An error at a key such as `source[2].area`, with its value as written.
    pub fn error(&self, key: &str, message: impl Into<String>) -> Diagnostic {
        let value = match self.root.as_ref().map(|root| root.deepest(key)) {
            Some((node, true)) => node.written(),
            _ => String::new(),
        };
        Diagnostic::error(self.place(key), key, message).found(value)
    }
}
