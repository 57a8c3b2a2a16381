//! One list of strategies over all slots, built-in and loaded ones alike.
//!
//! [`Registry`] finds and suggests; `factory` turns a table of options into a strategy;
//! `compatible` says which combinations can work together; `generator` lists what
//! `environment.generate` may name.

mod compatible;
mod factory;
mod generator;

use std::{collections::BTreeSet, sync::Arc};

use thiserror::Error;
use throng_core::{
    options::OptionSpec,
    registry::{Capabilities, Slot},
};

pub use compatible::{Combination, Refusal};
pub(crate) use factory::default_value;
pub use factory::{AnyStrategy, CreateError, Factory};
pub use generator::{Generator, SceneGenerator};

/// A strategy that scenarios may name: what it says of itself, and how to make one.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// The slot it fills.
    pub slot: Slot,
    /// Its id within the slot.
    pub id: String,
    /// One line: what it is.
    pub about: String,
    /// When to choose it.
    pub when: String,
    /// When not to.
    pub when_not: String,
    /// How its time and memory grow.
    pub growth: String,
    /// The paper it follows, or "".
    pub paper: String,
    /// What it needs of the others.
    pub needs: Capabilities,
    /// What it offers to the others.
    pub offers: Capabilities,
    /// Its options.
    pub options: Vec<OptionSpec>,
    /// Where it comes from: a crate with its version, or the path of a library.
    pub origin: String,
    /// Its version.
    pub version: String,
    /// The hash of the library it was loaded from; none for built-in ones.
    pub hash: Option<String>,
    /// Makes one from its options.
    pub factory: Arc<dyn Factory>,
}

impl Strategy {
    /// Makes the strategy from its options. A `kind` in the table is ignored.
    pub fn create(&self, table: &toml::Table) -> Result<AnyStrategy, CreateError> {
        self.factory.create(table)
    }

    /// The table with every option written out, defaults included, without `kind`.
    pub fn effective(&self, table: &toml::Table) -> Result<toml::Table, CreateError> {
        let mut effective = self.factory.effective(table, &self.options)?;
        effective.remove("kind");
        Ok(effective)
    }

    /// The option of this name.
    pub fn option(&self, name: &str) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.name == name)
    }
}

/// Why strategies could not be added: a library clashes with what is there.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// Two strategies of one slot have one id: one of the libraries must go.
    #[error("{slot}/{id} of {origin} is already registered by {holder}")]
    Duplicate {
        /// The slot's name.
        slot: &'static str,
        /// The id.
        id: String,
        /// Where the refused one comes from.
        origin: String,
        /// Where the registered one comes from.
        holder: String,
    },
    /// The id cannot be written in a scenario: its author mends it.
    #[error(
        "{slot}/{id:?} of {origin}: an id is made of lowercase letters, digits and single hyphens"
    )]
    BadId {
        /// The slot's name.
        slot: &'static str,
        /// The id.
        id: String,
        /// Where it comes from.
        origin: String,
    },
    /// Two scene generators have one id.
    #[error("the scene generator {id} is registered twice")]
    DuplicateGenerator {
        /// The id.
        id: String,
    },
}

/// All strategies, sorted by slot and id, and all scene generators.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    strategies: Vec<Strategy>,
    generators: Vec<Generator>,
}

impl Registry {
    /// A registry of nothing.
    pub fn empty() -> Registry {
        Registry::default()
    }

    /// Every strategy linked into this program. If two share an id the first one counts; the
    /// tests of the built-in crates see to it that none do.
    pub fn builtin() -> Registry {
        let mut registry = Registry::default();
        for entry in throng_core::registry::builtin() {
            if registry.find(entry.slot, entry.id).is_none() {
                registry.insert(factory::builtin(entry));
            }
        }
        registry
    }

    /// Adds strategies, all or none of them.
    pub fn register(
        &mut self,
        strategies: impl IntoIterator<Item = Strategy>,
    ) -> Result<(), RegisterError> {
        let mut grown = self.clone();
        for strategy in strategies {
            let (slot, id) = (strategy.slot.name(), strategy.id.clone());
            if !is_id(&id) {
                let origin = strategy.origin;
                return Err(RegisterError::BadId { slot, id, origin });
            }
            if let Some(holder) = grown.find(strategy.slot, &id) {
                return Err(RegisterError::Duplicate {
                    slot,
                    id,
                    origin: strategy.origin,
                    holder: holder.origin.clone(),
                });
            }
            grown.insert(strategy);
        }
        *self = grown;
        Ok(())
    }

    /// Adds scene generators, all or none of them.
    pub fn register_generators(
        &mut self,
        generators: impl IntoIterator<Item = Generator>,
    ) -> Result<(), RegisterError> {
        let mut grown = self.generators.clone();
        for generator in generators {
            match grown.binary_search_by(|g| g.id.cmp(&generator.id)) {
                Ok(_) => return Err(RegisterError::DuplicateGenerator { id: generator.id }),
                Err(at) => grown.insert(at, generator),
            }
        }
        self.generators = grown;
        Ok(())
    }

    /// Every strategy, sorted by slot and id.
    pub fn strategies(&self) -> &[Strategy] {
        &self.strategies
    }

    /// The strategies of one slot, sorted by id.
    pub fn of(&self, slot: Slot) -> impl Iterator<Item = &Strategy> + Clone {
        self.strategies.iter().filter(move |s| s.slot == slot)
    }

    /// The dynamic libraries that strategies come from, sorted: path and hash.
    pub fn libraries(&self) -> impl Iterator<Item = (&str, &str)> {
        let all: BTreeSet<(&str, &str)> = self
            .strategies
            .iter()
            .filter_map(|s| Some((s.origin.as_str(), s.hash.as_deref()?)))
            .collect();
        all.into_iter()
    }

    /// The strategy of this slot and id.
    pub fn find(&self, slot: Slot, id: &str) -> Option<&Strategy> {
        self.position(slot, id).ok().map(|at| &self.strategies[at])
    }

    /// The id of this slot that a misspelt one is nearest to, if any is near.
    pub fn suggest(&self, slot: Slot, typo: &str) -> Option<&str> {
        nearest(typo, self.of(slot).map(|s| s.id.as_str()))
    }

    /// Every scene generator, sorted by id.
    pub fn generators(&self) -> &[Generator] {
        &self.generators
    }

    /// The scene generator of this id.
    pub fn generator(&self, id: &str) -> Option<&Generator> {
        self.generators.iter().find(|g| g.id == id)
    }

    fn position(&self, slot: Slot, id: &str) -> Result<usize, usize> {
        self.strategies
            .binary_search_by(|s| (s.slot, s.id.as_str()).cmp(&(slot, id)))
    }

    fn insert(&mut self, strategy: Strategy) {
        match self.position(strategy.slot, &strategy.id) {
            Ok(at) => self.strategies[at] = strategy,
            Err(at) => self.strategies.insert(at, strategy),
        }
    }
}

/// Whether an id is made of lowercase letters, digits and single hyphens.
fn is_id(id: &str) -> bool {
    !id.is_empty()
        && id.split('-').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        })
}

/// The known name that a misspelt one is nearest to, if one is near enough to be meant.
pub fn nearest<'a>(typo: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 64;
    if typo.len() > LONGEST {
        return None;
    }
    let lower = typo.to_lowercase().replace('_', "-");
    let mut best: Option<(f64, &'a str)> = None;
    for name in known {
        let plain = name.to_lowercase().replace('_', "-");
        let whole = strsim::normalized_damerau_levenshtein(&lower, &plain);
        let part = lower.len() >= 3 && (plain.starts_with(&lower) || lower.starts_with(&plain));
        let likeness = if part { whole.max(0.7) } else { whole };
        if likeness >= 0.5 && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, name));
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Nothing;
    impl Factory for Nothing {
        fn create(&self, _: &toml::Table) -> Result<AnyStrategy, CreateError> {
            Err(CreateError::failed("makes nothing"))
        }
    }

    pub(super) fn strategy(slot: Slot, id: &str) -> Strategy {
        Strategy {
            slot,
            id: id.into(),
            about: String::new(),
            when: String::new(),
            when_not: String::new(),
            growth: String::new(),
            paper: String::new(),
            needs: Capabilities::NONE,
            offers: Capabilities::NONE,
            options: Vec::new(),
            origin: "lib.so".into(),
            version: "1".into(),
            hash: None,
            factory: Arc::new(Nothing),
        }
    }

    #[test]
    fn registering_is_all_or_nothing() {
        let mut registry = Registry::empty();
        registry.register([strategy(Slot::Nav, "grid")]).unwrap();
        let refused = registry.register([
            strategy(Slot::Planner, "astar"),
            strategy(Slot::Nav, "grid"),
        ]);
        assert!(matches!(
            refused,
            Err(RegisterError::Duplicate { slot: "nav", .. })
        ));
        assert!(registry.find(Slot::Planner, "astar").is_none());
        let bad = registry.register([strategy(Slot::Nav, "Grid 2")]);
        assert!(matches!(bad, Err(RegisterError::BadId { .. })));
        registry
            .register([strategy(Slot::Planner, "grid")])
            .unwrap();
        assert_eq!(registry.strategies().len(), 2);
    }

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let names = ["grid", "adaptive-grid", "ecm"];
        assert_eq!(nearest("gird", names), Some("grid"));
        assert_eq!(nearest("Adaptive_Grid", names), Some("adaptive-grid"));
        assert_eq!(nearest("adapt", names), Some("adaptive-grid"));
        assert_eq!(nearest("potential", names), None);
        assert_eq!(nearest("", names), None);
    }
}
