//! Which strategies can work together, from what they need and offer.

use core::fmt;

use throng_core::registry::{Capabilities, Slot};

use super::{Registry, Strategy};

/// One strategy for each slot, the further ones that tiers name, and what the ground offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Ids of the strategies in the order of [`Slot::ALL`].
    pub ids: [String; 6],
    /// Strategies that tiers name beside those: slot and id. A tier's guide is a planner.
    pub tiers: Vec<(Slot, String)>,
    /// What does not come from a strategy: [`Capabilities::PLAN_GROUND`] if the ground is a
    /// plan, [`Capabilities::REGIONS`] if crowd cells have a size of their own.
    pub given: Capabilities,
}

impl Combination {
    /// What the core offers to everybody: it keeps the crowd on crowd cells.
    pub const CORE: Capabilities = Capabilities::DENSITY.and(Capabilities::FLOW);

    /// The id in a slot.
    pub fn id(&self, slot: Slot) -> &str {
        &self.ids[slot as usize]
    }

    /// The same with another strategy in one slot.
    pub fn with(&self, slot: Slot, id: &str) -> Combination {
        let mut other = self.clone();
        other.ids[slot as usize] = id.to_owned();
        other
    }
}

impl fmt::Display for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, slot) in Slot::ALL.into_iter().enumerate() {
            let gap = if i == 0 { "" } else { ", " };
            write!(f, "{gap}{} {}", slot.name(), self.id(slot))?;
        }
        Ok(())
    }
}

/// Why a combination is refused, and one that works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which strategy lacks what.
    pub reason: String,
    /// The slots and ids to change, fewest first; empty if no change of strategies would do.
    pub change: Vec<(Slot, String)>,
    /// The combination that these changes give, if there is one.
    pub suggestion: Option<Box<Combination>>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        for (i, (slot, id)) in self.change.iter().enumerate() {
            let word = if i == 0 { "; this works: " } else { ", " };
            write!(f, "{word}{} = {id:?}", slot.name())?;
        }
        Ok(())
    }
}

impl Registry {
    /// Whether the strategies of a combination meet each other's needs.
    ///
    /// A strategy's needs must be offered by the strategies of the other slots, by the core or by
    /// the ground. A strategy that a tier names may count on the base strategy of its own slot
    /// too: a tier's guide still has the base planner's routes.
    pub fn compatible(&self, combination: &Combination) -> Result<(), Refusal> {
        match self.unmet(combination) {
            None => Ok(()),
            Some(reason) => {
                let change = self.repair(combination).unwrap_or_default();
                let suggestion = (!change.is_empty()).then(|| {
                    let with = |c: Combination, (slot, id): &(Slot, String)| c.with(*slot, id);
                    Box::new(change.iter().fold(combination.clone(), with))
                });
                Err(Refusal {
                    reason,
                    change,
                    suggestion,
                })
            }
        }
    }

    /// The first need that nobody meets, in words.
    fn unmet(&self, combination: &Combination) -> Option<String> {
        let mut base: Vec<&Strategy> = Vec::with_capacity(Slot::ALL.len());
        for slot in Slot::ALL {
            match self.find(slot, combination.id(slot)) {
                Some(strategy) => base.push(strategy),
                None => {
                    let id = combination.id(slot);
                    return Some(format!("there is no {} {id:?}", slot.name()));
                }
            }
        }
        let given = combination.given.and(Combination::CORE);
        let offered = |except: Option<Slot>| {
            base.iter()
                .filter(|s| Some(s.slot) != except)
                .fold(given, |sum, s| sum.and(s.offers))
        };
        let lacks = |strategy: &Strategy, offered: Capabilities, role: &str| {
            let lacking = strategy.needs.without(offered);
            (lacking != Capabilities::NONE).then(|| {
                let names = lacking.names().join(", ");
                let who = if lacking == Capabilities::PLAN_GROUND {
                    "which this ground is not".to_owned()
                } else {
                    "which none of the other strategies offers".to_owned()
                };
                format!("{role} {} needs {names}, {who}", strategy.id)
            })
        };
        for strategy in &base {
            let complaint = lacks(strategy, offered(Some(strategy.slot)), strategy.slot.name());
            if complaint.is_some() {
                return complaint;
            }
        }
        for (slot, id) in &combination.tiers {
            let role = format!("a tier's {}", slot.name());
            match self.find(*slot, id) {
                None => return Some(format!("there is no {} {id:?}", slot.name())),
                Some(strategy) => {
                    let complaint = lacks(strategy, offered(None), &role);
                    if complaint.is_some() {
                        return complaint;
                    }
                }
            }
        }
        None
    }

    /// The fewest changes of base strategies (up to three slots) that make it work.
    fn repair(&self, combination: &Combination) -> Option<Vec<(Slot, String)>> {
        fn search(
            registry: &Registry,
            combination: &Combination,
            slots: &[Slot],
            changes: usize,
        ) -> Option<Vec<(Slot, String)>> {
            if changes == 0 {
                return registry.unmet(combination).is_none().then(Vec::new);
            }
            for (i, &slot) in slots.iter().enumerate() {
                for strategy in registry.of(slot) {
                    if strategy.id == combination.id(slot) {
                        continue;
                    }
                    let changed = combination.with(slot, &strategy.id);
                    let rest = search(registry, &changed, &slots[i + 1..], changes - 1);
                    if let Some(mut rest) = rest {
                        rest.insert(0, (slot, strategy.id.clone()));
                        return Some(rest);
                    }
                }
            }
            None
        }
        (1..=3).find_map(|changes| search(self, combination, &Slot::ALL, changes))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::strategy;
    use super::*;

    fn registry() -> Registry {
        let mut registry = Registry::empty();
        let mut grid = strategy(Slot::Nav, "grid");
        grid.needs = Capabilities::PLAN_GROUND;
        grid.offers = Capabilities::GRAPH.and(Capabilities::DENSE);
        let mut sparse = strategy(Slot::Nav, "sparse");
        sparse.offers = Capabilities::GRAPH.and(Capabilities::REGIONS);
        let mut field = strategy(Slot::Planner, "field");
        field.needs = Capabilities::DENSE;
        let mut astar = strategy(Slot::Planner, "astar");
        astar.needs = Capabilities::GRAPH;
        astar.offers = Capabilities::ROUTES;
        let mut density = strategy(Slot::Cost, "density");
        density.needs = Capabilities::DENSITY;
        let others = [
            (Slot::Avoidance, "none"),
            (Slot::Lod, "uniform"),
            (Slot::Group, "none"),
        ];
        registry
            .register([grid, sparse, field, astar, density])
            .unwrap();
        registry
            .register(others.map(|(slot, id)| strategy(slot, id)))
            .unwrap();
        registry
    }

    fn combination(nav: &str, planner: &str, given: Capabilities) -> Combination {
        Combination {
            ids: [nav, planner, "density", "none", "uniform", "none"].map(String::from),
            tiers: Vec::new(),
            given,
        }
    }

    #[test]
    fn needs_are_met_by_others_the_core_and_the_ground() {
        let registry = registry();
        let plan = Capabilities::PLAN_GROUND;
        let works = |nav, planner, given| registry.compatible(&combination(nav, planner, given));
        assert_eq!(works("grid", "field", plan), Ok(()));
        assert_eq!(works("sparse", "astar", Capabilities::NONE), Ok(()));

        let refusal = works("sparse", "field", plan).unwrap_err();
        assert!(refusal.reason.contains("planner field needs dense"));
        assert_eq!(refusal.change, [(Slot::Nav, "grid".to_owned())]);

        let refusal = works("grid", "astar", Capabilities::NONE).unwrap_err();
        assert!(refusal.reason.contains("nav grid needs plan-ground"));
        assert_eq!(refusal.change, [(Slot::Nav, "sparse".to_owned())]);

        // Both must change: nothing dense is left without a plan.
        let refusal = works("grid", "field", Capabilities::NONE).unwrap_err();
        assert_eq!(refusal.change.len(), 2);
        let suggestion = refusal.suggestion.unwrap();
        assert_eq!(registry.compatible(&suggestion), Ok(()));
    }

    #[test]
    fn strategies_of_tiers_are_checked_too() {
        let registry = registry();
        let mut c = combination("sparse", "astar", Capabilities::NONE);
        c.tiers.push((Slot::Planner, "field".into()));
        let refusal = registry.compatible(&c).unwrap_err();
        assert!(
            refusal
                .reason
                .contains("a tier's planner field needs dense")
        );
        c.given = Capabilities::PLAN_GROUND;
        let refusal = registry.compatible(&c).unwrap_err();
        assert_eq!(refusal.change, [(Slot::Nav, "grid".to_owned())]);
        c.tiers[0].1 = "nothing".into();
        assert!(registry.compatible(&c).is_err());
    }
}
