//! Errors of strategies: small enums per question.

use thiserror::Error;

/// Why a map could not be built or changed.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum NavError {
    /// The input does not suit this map: the user chooses another or mends the input.
    #[error("{reason}")]
    Unsuitable {
        /// What is wrong and what would do.
        reason: String,
    },
    /// The map cannot do this at all: the caller falls back to a rebuild.
    #[error("not supported: {0}")]
    Unsupported(&'static str),
    /// It would be larger than allowed: the user coarsens it or raises the limit.
    #[error("{what} would need {needed}, above the limit of {limit}")]
    TooLarge {
        /// What.
        what: String,
        /// How much it needs.
        needed: u64,
        /// How much is allowed.
        limit: u64,
    },
}

/// Why shared products of a planner could not be prepared.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum PlannerError {
    /// The world does not suit this planner.
    #[error("{reason}")]
    Unsuitable {
        /// What is wrong and what would do.
        reason: String,
    },
    /// Products would be larger than allowed.
    #[error("{what} would need {needed}, above the limit of {limit}")]
    TooLarge {
        /// What.
        what: String,
        /// How much it needs.
        needed: u64,
        /// How much is allowed.
        limit: u64,
    },
    /// A loaded strategy failed.
    #[error("{0}")]
    Failed(String),
}

/// Why saved state could not be taken back.
#[derive(Debug, Error)]
#[error("saved state of {strategy}: {reason}")]
pub struct StateError {
    /// Which strategy.
    pub strategy: String,
    /// What is wrong.
    pub reason: String,
}
