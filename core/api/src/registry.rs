//! Entries of the strategy registry: what a strategy says of itself.

use crate::options::OptionSpec;

/// The slots of a simulation. Each holds one strategy, chosen by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u32)]
pub enum Slot {
    /// Navigation representation: the map drawn over the ground.
    Nav = 0,
    /// Global planner: routes and guidance.
    Planner = 1,
    /// Cost model: the price of a metre.
    Cost = 2,
    /// Local avoidance: velocities that miss neighbours and walls.
    Avoidance = 3,
    /// Level-of-detail policy: who gets which tier.
    Lod = 4,
    /// Group behaviour.
    Group = 5,
}

impl Slot {
    /// All slots, in the order of the scenario file.
    pub const ALL: [Slot; 6] = [
        Slot::Nav,
        Slot::Planner,
        Slot::Cost,
        Slot::Avoidance,
        Slot::Lod,
        Slot::Group,
    ];

    /// The key of the slot's table in a scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Slot::Nav => "nav",
            Slot::Planner => "planner",
            Slot::Cost => "cost",
            Slot::Avoidance => "avoidance",
            Slot::Lod => "lod",
            Slot::Group => "group",
        }
    }

    /// The slot of this name.
    pub fn from_name(name: &str) -> Option<Slot> {
        Slot::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// What a strategy needs of the others, or offers to them. A combination whose needs are not met
/// is refused before the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Capabilities(pub u64);

impl Capabilities {
    /// Nothing.
    pub const NONE: Capabilities = Capabilities(0);
    /// A graph to search.
    pub const GRAPH: Capabilities = Capabilities(1);
    /// Regions, so that crowd cells need no size of their own.
    pub const REGIONS: Capabilities = Capabilities(1 << 1);
    /// Nodes dense enough to interpolate a field between them.
    pub const DENSE: Capabilities = Capabilities(1 << 2);
    /// A ground that is a floor plan with heights (no walls or ceilings to walk on).
    pub const PLAN_GROUND: Capabilities = Capabilities(1 << 3);
    /// Routes for every agent.
    pub const ROUTES: Capabilities = Capabilities(1 << 4);
    /// Preferred velocities without a route.
    pub const GUIDES: Capabilities = Capabilities(1 << 5);
    /// Prices that depend on the direction of travel.
    pub const DIRECTIONAL: Capabilities = Capabilities(1 << 6);
    /// The crowd's density on crowd cells.
    pub const DENSITY: Capabilities = Capabilities(1 << 7);
    /// The crowd's velocity on crowd cells.
    pub const FLOW: Capabilities = Capabilities(1 << 8);

    /// Nodes and edges on the triangles of the ground: every edge lies in one of them.
    pub const MESH: Capabilities = Capabilities(1 << 9);

    /// All of them.
    pub const ALL: Capabilities = Capabilities((1 << Self::NAMES.len()) - 1);

    const NAMES: [&'static str; 10] = [
        "graph",
        "regions",
        "dense",
        "plan-ground",
        "routes",
        "guides",
        "directional",
        "density",
        "flow",
        "mesh",
    ];

    /// Both together.
    pub const fn and(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 | other.0)
    }

    /// Whether all of `other` is in here.
    pub const fn has(self, other: Capabilities) -> bool {
        self.0 & other.0 == other.0
    }

    /// Those of `self` that `other` lacks.
    pub const fn without(self, other: Capabilities) -> Capabilities {
        Capabilities(self.0 & !other.0)
    }

    /// Their names, for messages.
    pub fn names(self) -> Vec<&'static str> {
        Self::NAMES
            .iter()
            .enumerate()
            .filter(|(bit, _)| self.0 >> bit & 1 == 1)
            .map(|(_, name)| *name)
            .collect()
    }
}

/// A strategy's registration: made by [`register!`](crate::register), collected by `inventory`.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The slot it fills.
    pub slot: Slot,
    /// Its id, equal to the stem of its file (`_` for `-`).
    pub id: &'static str,
    /// One line: what it is.
    pub about: &'static str,
    /// When to choose it.
    pub when: &'static str,
    /// When not to.
    pub when_not: &'static str,
    /// How its time and memory grow.
    pub growth: &'static str,
    /// The paper it follows, or "".
    pub paper: &'static str,
    /// What it needs.
    pub needs: Capabilities,
    /// What it offers.
    pub offers: Capabilities,
    /// Its options.
    pub options: fn() -> Vec<OptionSpec>,
    /// The crate it comes from, with version.
    pub origin: &'static str,
    /// The source file, for the test that ids equal file stems.
    pub file: &'static str,
}

inventory::collect!(Entry);

/// Every strategy linked into this program, sorted by slot and id.
pub fn builtin() -> Vec<&'static Entry> {
    let mut all: Vec<_> = inventory::iter::<Entry>.into_iter().collect();
    all.sort_by_key(|e| (e.slot, e.id));
    all
}

/// Registers a strategy whose options were declared with [`options!`](crate::options).
///
/// ```ignore
/// register! {
///     Avoidance "orca" => Orca,
///     about: "Optimal reciprocal collision avoidance.",
///     when: "…", when_not: "…", growth: "…", paper: "…",
///     needs: Capabilities::NONE, offers: Capabilities::NONE,
/// }
/// ```
#[macro_export]
macro_rules! register {
    (
        $slot:ident $id:literal => $type:ty,
        about: $about:literal,
        when: $when:literal,
        when_not: $when_not:literal,
        growth: $growth:literal,
        paper: $paper:literal,
        needs: $needs:expr,
        offers: $offers:expr $(,)?
    ) => {
        $crate::private::inventory::submit! {
            $crate::registry::Entry {
                slot: $crate::registry::Slot::$slot,
                id: $id,
                about: $about,
                when: $when,
                when_not: $when_not,
                growth: $growth,
                paper: $paper,
                needs: $needs,
                offers: $offers,
                options: <$type as $crate::options::Options>::options,
                origin: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")),
                file: file!(),
            }
        }
    };
}
