//! Turns a table of options into a strategy.

use core::fmt::Debug;
use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;
use throng_core::{
    CostModel, GlobalPlanner, GroupBehavior, LocalAvoidance, LodPolicy, NavRepresentation,
    options::{OptionKind, OptionSpec},
    registry::{Entry, Slot},
};

use super::Strategy;

/// A strategy of any slot.
#[derive(Debug)]
pub enum AnyStrategy {
    /// A map.
    Nav(Box<dyn NavRepresentation>),
    /// A planner.
    Planner(Box<dyn GlobalPlanner>),
    /// A cost model.
    Cost(Box<dyn CostModel>),
    /// An avoidance model.
    Avoidance(Box<dyn LocalAvoidance>),
    /// A level-of-detail policy.
    Lod(Box<dyn LodPolicy>),
    /// A group behaviour.
    Group(Box<dyn GroupBehavior>),
}

impl AnyStrategy {
    /// The slot it fills.
    pub fn slot(&self) -> Slot {
        match self {
            AnyStrategy::Nav(_) => Slot::Nav,
            AnyStrategy::Planner(_) => Slot::Planner,
            AnyStrategy::Cost(_) => Slot::Cost,
            AnyStrategy::Avoidance(_) => Slot::Avoidance,
            AnyStrategy::Lod(_) => Slot::Lod,
            AnyStrategy::Group(_) => Slot::Group,
        }
    }

    /// The map, if it is one.
    pub fn into_nav(self) -> Option<Box<dyn NavRepresentation>> {
        match self {
            AnyStrategy::Nav(strategy) => Some(strategy),
            _ => None,
        }
    }

    /// The planner, if it is one.
    pub fn into_planner(self) -> Option<Box<dyn GlobalPlanner>> {
        match self {
            AnyStrategy::Planner(strategy) => Some(strategy),
            _ => None,
        }
    }

    /// The cost model, if it is one.
    pub fn into_cost(self) -> Option<Box<dyn CostModel>> {
        match self {
            AnyStrategy::Cost(strategy) => Some(strategy),
            _ => None,
        }
    }

    /// The avoidance model, if it is one.
    pub fn into_avoidance(self) -> Option<Box<dyn LocalAvoidance>> {
        match self {
            AnyStrategy::Avoidance(strategy) => Some(strategy),
            _ => None,
        }
    }

    /// The level-of-detail policy, if it is one.
    pub fn into_lod(self) -> Option<Box<dyn LodPolicy>> {
        match self {
            AnyStrategy::Lod(strategy) => Some(strategy),
            _ => None,
        }
    }

    /// The group behaviour, if it is one.
    pub fn into_group(self) -> Option<Box<dyn GroupBehavior>> {
        match self {
            AnyStrategy::Group(strategy) => Some(strategy),
            _ => None,
        }
    }
}

/// Why a strategy could not be made from its table: the user mends the option named.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}{reason}", if option.is_empty() { String::new() } else { format!("{option}: ") })]
pub struct CreateError {
    /// The option at fault, or "" where it is not one.
    pub option: String,
    /// What is wrong.
    pub reason: String,
}

impl CreateError {
    /// A failure that no single option is to blame for.
    pub fn failed(reason: impl Into<String>) -> CreateError {
        CreateError {
            option: String::new(),
            reason: reason.into(),
        }
    }
}

/// Makes strategies of one kind from their options.
///
/// Built-in ones come from `inventory`; the plugin loader implements it for loaded ones.
pub trait Factory: Debug + Send + Sync {
    /// Makes one. The table holds options alone; a `kind` in it is ignored.
    fn create(&self, table: &toml::Table) -> Result<AnyStrategy, CreateError>;

    /// The table with every option written out. The default makes one as a check and fills in
    /// the declared defaults.
    fn effective(
        &self,
        table: &toml::Table,
        options: &[OptionSpec],
    ) -> Result<toml::Table, CreateError> {
        self.create(table)?;
        let mut effective = toml::Table::new();
        for option in options {
            let value = match table.get(option.name) {
                Some(given) => given.clone(),
                None => default_value(option).ok_or_else(|| CreateError {
                    option: option.name.to_owned(),
                    reason: format!("its default {} is no TOML value", option.default),
                })?,
            };
            effective.insert(option.name.to_owned(), value);
        }
        Ok(effective)
    }
}

/// The default of an option as a TOML value.
pub(crate) fn default_value(option: &OptionSpec) -> Option<toml::Value> {
    let document: toml::Table = toml::from_str(&format!("v = {}", option.default)).ok()?;
    match (&option.kind, document.get("v")?) {
        // An f64 of 10 is written as 10, which TOML takes for an integer.
        (OptionKind::Number { .. }, toml::Value::Integer(whole)) => Some((*whole as f64).into()),
        (_, value) => Some(value.clone()),
    }
}

/// The registry's record of a built-in strategy.
pub(super) fn builtin(entry: &'static Entry) -> Strategy {
    let version = entry.origin.rsplit(' ').next().unwrap_or_default();
    Strategy {
        slot: entry.slot,
        id: entry.id.to_owned(),
        about: entry.about.to_owned(),
        when: entry.when.to_owned(),
        when_not: entry.when_not.to_owned(),
        growth: entry.growth.to_owned(),
        paper: entry.paper.to_owned(),
        needs: entry.needs,
        offers: entry.offers,
        options: (entry.options)(),
        origin: entry.origin.to_owned(),
        version: version.to_owned(),
        hash: None,
        factory: Arc::new(Tagged {
            slot: entry.slot,
            id: entry.id,
        }),
    }
}

/// Makes a built-in strategy by deserialising its tagged table.
#[derive(Debug)]
struct Tagged {
    slot: Slot,
    id: &'static str,
}

impl Factory for Tagged {
    fn create(&self, table: &toml::Table) -> Result<AnyStrategy, CreateError> {
        let mut tagged = toml::Table::new();
        tagged.insert("kind".into(), self.id.into());
        for (key, value) in table.iter().filter(|(key, _)| *key != "kind") {
            tagged.insert(key.clone(), value.clone());
        }
        Ok(match self.slot {
            Slot::Nav => AnyStrategy::Nav(deserialise(tagged)?),
            Slot::Planner => AnyStrategy::Planner(deserialise(tagged)?),
            Slot::Cost => AnyStrategy::Cost(deserialise(tagged)?),
            Slot::Avoidance => AnyStrategy::Avoidance(deserialise(tagged)?),
            Slot::Lod => AnyStrategy::Lod(deserialise(tagged)?),
            Slot::Group => AnyStrategy::Group(deserialise(tagged)?),
        })
    }

    fn effective(&self, table: &toml::Table, _: &[OptionSpec]) -> Result<toml::Table, CreateError> {
        let exact = written_back(&self.create(table)?)?;
        let mut short = exact.clone();
        for (name, value) in &exact {
            let Some(fewer) = fewer_digits(value) else {
                continue;
            };
            short.insert(name.clone(), fewer);
            // An f64 option may mean every digit: the short form must give the same.
            let same = self.create(&short).and_then(|made| written_back(&made));
            if same.as_ref() != Ok(&exact) {
                short.insert(name.clone(), value.clone());
            }
        }
        Ok(short)
    }
}

fn deserialise<T: DeserializeOwned>(table: toml::Table) -> Result<T, CreateError> {
    serde_path_to_error::deserialize(table).map_err(|error| {
        let path = error.path().to_string();
        CreateError {
            option: if path == "." || path == "?" {
                String::new()
            } else {
                path
            },
            // The lines after the first repeat the path.
            reason: error
                .inner()
                .message()
                .trim()
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
        }
    })
}

fn written_back(strategy: &AnyStrategy) -> Result<toml::Table, CreateError> {
    fn table(strategy: &(impl Serialize + ?Sized)) -> Result<toml::Table, CreateError> {
        toml::Table::try_from(strategy)
            .map_err(|e| CreateError::failed(format!("its options cannot be written: {e}")))
    }
    match strategy {
        AnyStrategy::Nav(s) => table(&**s),
        AnyStrategy::Planner(s) => table(&**s),
        AnyStrategy::Cost(s) => table(&**s),
        AnyStrategy::Avoidance(s) => table(&**s),
        AnyStrategy::Lod(s) => table(&**s),
        AnyStrategy::Group(s) => table(&**s),
    }
}

/// A number that may have come from an `f32`, in as few digits as an `f32` needs.
fn fewer_digits(value: &toml::Value) -> Option<toml::Value> {
    let number = value.as_float()?;
    let short: f64 = (number as f32).to_string().parse().ok()?;
    (f64::from(number as f32) == number && short != number).then(|| short.into())
}
