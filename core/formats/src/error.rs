//! What can be wrong with a file, where, and what to do about it.

use std::fmt;

/// Where in a file something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of text, from 1.
    Line(usize),
    /// A line and a column of text, from 1.
    LineColumn(usize, usize),
    /// A byte of a binary file, from 0.
    Byte(usize),
    /// A feature of the drawing or the mesh, by number and name.
    Feature(String),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Line(line) => write!(out, ", line {line}"),
            Place::LineColumn(line, column) => write!(out, ", line {line}, column {column}"),
            Place::Byte(byte) => write!(out, ", byte {byte}"),
            Place::Feature(feature) => write!(out, ", {feature}"),
        }
    }
}

/// Why a file was refused.
///
/// Every message names the file, the place where it is known, the reason and the fix.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The operating system does not give the file; its path or its rights need a look.
    #[error("{file}: cannot be opened: {source}; check the path and its permissions")]
    Unreadable {
        /// The file.
        file: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// An option is out of range; the caller's fault.
    #[error("{file}: option `{option}` is {value}; {allowed}")]
    Option {
        /// The file being read.
        file: String,
        /// The option's name.
        option: &'static str,
        /// Its value.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// Neither the name nor the content says which format it is.
    #[error("{file}: {reason}; {fix}")]
    Unrecognised {
        /// The file.
        file: String,
        /// What was found instead.
        reason: String,
        /// What to do.
        fix: String,
    },
    /// The format's reader was left out of this build.
    #[error(
        "{file}: this build does not read {format}; build throng-formats with the feature `{feature}`"
    )]
    NotCompiled {
        /// The file.
        file: String,
        /// The format's name.
        format: &'static str,
        /// The cargo feature that adds it.
        feature: &'static str,
    },
    /// The file, or what it declares, is larger than is read.
    #[error("{file}{place}: {reason}; {fix}")]
    TooLarge {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// What is too large.
        reason: String,
        /// What to do.
        fix: String,
    },
    /// The content breaks the rules of its format.
    #[error("{file}{place}: {reason}; {fix}")]
    Malformed {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// Which rule.
        reason: String,
        /// What to do.
        fix: String,
    },
    /// The content is well formed and yet nothing that can be walked on.
    #[error("{file}{place}: {reason}; {fix}")]
    Geometry {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// What is wrong with it.
        reason: String,
        /// What to do.
        fix: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    TooLarge,
    Malformed,
    Geometry,
}

/// A refusal before the file's name is added to it.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    kind: FaultKind,
    place: Place,
    reason: String,
    fix: String,
}

impl Fault {
    pub(crate) fn malformed(
        place: Place,
        reason: impl Into<String>,
        fix: impl Into<String>,
    ) -> Fault {
        Fault::new(FaultKind::Malformed, place, reason, fix)
    }

    pub(crate) fn geometry(
        place: Place,
        reason: impl Into<String>,
        fix: impl Into<String>,
    ) -> Fault {
        Fault::new(FaultKind::Geometry, place, reason, fix)
    }

    pub(crate) fn too_large(
        place: Place,
        reason: impl Into<String>,
        fix: impl Into<String>,
    ) -> Fault {
        Fault::new(FaultKind::TooLarge, place, reason, fix)
    }

    fn new(
        kind: FaultKind,
        place: Place,
        reason: impl Into<String>,
        fix: impl Into<String>,
    ) -> Fault {
        Fault {
            kind,
            place,
            reason: reason.into(),
            fix: fix.into(),
        }
    }

    pub(crate) fn in_file(self, file: &str) -> FormatError {
        let file = file.to_string();
        let Fault {
            kind,
            place,
            reason,
            fix,
        } = self;
        match kind {
            FaultKind::TooLarge => FormatError::TooLarge {
                file,
                place,
                reason,
                fix,
            },
            FaultKind::Malformed => FormatError::Malformed {
                file,
                place,
                reason,
                fix,
            },
            FaultKind::Geometry => FormatError::Geometry {
                file,
                place,
                reason,
                fix,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_file_place_reason_and_fix() {
        let error = Fault::malformed(Place::LineColumn(3, 7), "no number here", "write one")
            .in_file("plan.wkt");
        assert_eq!(
            error.to_string(),
            "plan.wkt, line 3, column 7: no number here; write one"
        );
    }
}
