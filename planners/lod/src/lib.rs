//! Level-of-detail policies: who gets which tier.
