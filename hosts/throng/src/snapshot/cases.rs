//! Which combinations there are: a star around the scenario's own, and the whole matrix.

use throng_core::Slot;
use throng_engine::{
    Registry, Scenario,
    scenario::{StrategySpec, VarySpec},
};

/// Slots of the matrix. Levels of detail and groups vary in the star alone: without tiers and
/// groups they change nothing, and their product with the rest would be eight times as many.
pub const PRODUCT: [Slot; 4] = [Slot::Nav, Slot::Planner, Slot::Cost, Slot::Avoidance];

/// What is run and how it differs from the scenario file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// Its name: "default", "avoidance=none", or the ids of a matrix in the order of the slots.
    pub name: String,
    /// Strategies put into slots.
    pub choices: Vec<(Slot, String)>,
    /// Further changes as `key=value`; a case with such loads its scenario anew.
    pub sets: Vec<String>,
}

impl Case {
    /// A case of changes as `key=value`.
    pub fn of_sets(name: impl Into<String>, sets: Vec<String>) -> Case {
        Case {
            name: name.into(),
            sets,
            ..Case::default()
        }
    }

    /// The id that it puts into a slot.
    pub fn choice(&self, slot: Slot) -> Option<&str> {
        let found = self.choices.iter().find(|c| c.0 == slot);
        found.map(|c| c.1.as_str())
    }

    /// Puts its strategies into a scenario.
    pub fn apply(&self, scenario: &mut Scenario) {
        for (slot, id) in &self.choices {
            put(scenario, *slot, id);
        }
    }
}

/// The strategy that a scenario names for a slot.
pub fn spec_of(scenario: &Scenario, slot: Slot) -> &StrategySpec {
    match slot {
        Slot::Nav => &scenario.nav,
        Slot::Planner => &scenario.planner,
        Slot::Cost => &scenario.cost.model,
        Slot::Avoidance => &scenario.avoidance,
        Slot::Lod => &scenario.lod,
        Slot::Group => &scenario.group,
    }
}

/// The id that a scenario names for a slot.
pub fn chosen(scenario: &Scenario, slot: Slot) -> &str {
    &spec_of(scenario, slot).kind
}

/// Puts a strategy into a slot; one that is there already keeps its options.
pub fn put(scenario: &mut Scenario, slot: Slot, id: &str) {
    let spec = match slot {
        Slot::Nav => &mut scenario.nav,
        Slot::Planner => &mut scenario.planner,
        Slot::Cost => &mut scenario.cost.model,
        Slot::Avoidance => &mut scenario.avoidance,
        Slot::Lod => &mut scenario.lod,
        Slot::Group => &mut scenario.group,
    };
    if spec.kind != id {
        *spec = StrategySpec::new(id);
    }
}

/// The slots that vary, each with its ids in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axes(pub Vec<(Slot, Vec<String>)>);

impl Axes {
    /// Every slot with the ids that `vary` names, or all that the registry knows.
    pub fn of(registry: &Registry, vary: &VarySpec) -> Axes {
        let axis = |slot: Slot| {
            let named = vary.of(slot);
            let mut ids: Vec<String> = match named.is_empty() {
                true => registry.of(slot).map(|s| s.id.clone()).collect(),
                false => named.to_vec(),
            };
            ids.sort();
            ids.dedup();
            (slot, ids)
        };
        Axes(Slot::ALL.into_iter().map(axis).collect())
    }

    /// The same with some slots narrowed to the ids given; slots that are not named are left to
    /// the scenario's own strategy.
    pub fn narrowed(&self, to: &[(Slot, Vec<String>)]) -> Axes {
        let axis = |slot: &Slot| {
            let (_, ids) = to.iter().find(|t| t.0 == *slot)?;
            Some((*slot, ids.clone()))
        };
        Axes(self.0.iter().filter_map(|a| axis(&a.0)).collect())
    }

    /// The default combination, and that with one slot changed to each other strategy.
    pub fn star(&self, scenario: &Scenario) -> Vec<Case> {
        let mut cases = vec![Case {
            name: "default".into(),
            ..Case::default()
        }];
        for (slot, ids) in &self.0 {
            let present = chosen(scenario, *slot);
            for id in ids.iter().filter(|id| *id != present) {
                cases.push(Case {
                    name: format!("{}={id}", slot.name()),
                    choices: vec![(*slot, id.clone())],
                    sets: Vec::new(),
                });
            }
        }
        cases
    }

    /// Every combination of the strategies of the [`PRODUCT`]'s slots, sorted; a slot that does
    /// not vary has the scenario's own.
    pub fn matrix(&self, scenario: &Scenario) -> Vec<Case> {
        let mut cases = vec![Case::default()];
        for slot in PRODUCT {
            let own = [chosen(scenario, slot).to_owned()];
            let ids = self.0.iter().find(|a| a.0 == slot);
            let ids = ids.map_or(&own[..], |a| &a.1);
            cases = cases
                .iter()
                .flat_map(|case| {
                    ids.iter().map(move |id| {
                        let mut longer = case.clone();
                        if !longer.name.is_empty() {
                            longer.name.push(' ');
                        }
                        longer.name += id;
                        longer.choices.push((slot, id.clone()));
                        longer
                    })
                })
                .collect();
        }
        cases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_has_every_choice_once_and_a_star_one_change_each() {
        let ids = |list: &[&str]| list.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let axes = Axes(vec![
            (Slot::Nav, ids(&["ecm", "grid"])),
            (Slot::Avoidance, ids(&["none", "orca"])),
            (Slot::Lod, ids(&["roi", "uniform"])),
        ]);
        let scenario = Scenario::default();
        let names: Vec<String> = axes.matrix(&scenario).into_iter().map(|c| c.name).collect();
        assert_eq!(
            names,
            [
                "ecm astar distance none",
                "ecm astar distance orca",
                "grid astar distance none",
                "grid astar distance orca"
            ]
        );
        let names: Vec<String> = axes.star(&scenario).into_iter().map(|c| c.name).collect();
        assert_eq!(names, ["default", "nav=ecm", "avoidance=none", "lod=roi"]);
    }

    #[test]
    fn every_known_strategy_varies_unless_some_are_named() {
        let registry = crate::registry();
        let vary = VarySpec {
            nav: vec!["grid".into()],
            ..VarySpec::default()
        };
        let axes = Axes::of(&registry, &vary);
        assert_eq!(axes.0[0], (Slot::Nav, vec!["grid".to_owned()]));
        assert_eq!(axes.0[3].1.len(), registry.of(Slot::Avoidance).count());
    }
}
