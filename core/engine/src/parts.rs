//! The strategies of a simulation and the tiers that name them.

use std::sync::Arc;

use throng_core::{
    CostModel, GlobalPlanner, GroupBehavior, LocalAvoidance, LodPolicy, NavRepresentation,
    Perception,
};

use crate::{follow::Follow, memory::MemorySlice};

/// A planner and where its memory lies.
#[derive(Debug)]
pub struct PlannerPart {
    /// The strategy.
    pub strategy: Box<dyn GlobalPlanner>,
    /// Its columns.
    pub memory: MemorySlice,
    /// Whether it guides, asked once.
    pub guides: bool,
}

impl PlannerPart {
    /// Whether it leads anybody over the present map.
    pub fn leads(&self) -> bool {
        self.guides && self.strategy.leads()
    }
}

/// A cost model and its epochs.
#[derive(Debug)]
pub struct CostPart {
    /// The strategy.
    pub strategy: Box<dyn CostModel>,
    /// Steps between epochs.
    pub every: u64,
    /// Whether its prices never change, asked once.
    pub is_static: bool,
}

/// An avoidance model, how far it looks and where its memory lies.
#[derive(Debug)]
pub struct AvoidancePart {
    /// The strategy.
    pub strategy: Box<dyn LocalAvoidance>,
    /// Its columns.
    pub memory: MemorySlice,
    /// How far it looks, asked once.
    pub perception: Perception,
    /// Whether it pushes, asked once.
    pub pushes: bool,
    /// Whether the step keeps apart whom it marks, asked once.
    pub keeps_apart: bool,
    /// Whether it looks about on odd ticks only, asked once.
    pub alternates: bool,
}

/// What a level of detail means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tier {
    /// Its level.
    pub level: u8,
    /// Steps between guiding and avoiding, staggered by id.
    pub period: u32,
    /// Index of its cost model.
    pub cost: usize,
    /// Index of the planner that guides in it.
    pub guide: usize,
    /// Index of its avoidance model.
    pub avoidance: usize,
    /// How routes are followed in it.
    pub follow: Follow,
}

/// All strategies of a simulation. The base planner is the first one.
#[derive(Debug)]
pub struct Parts {
    /// The map's strategy; simulations over one ground may share it.
    pub nav: Arc<dyn NavRepresentation>,
    /// Planners; the first one plans, the others guide in tiers.
    pub planners: Vec<PlannerPart>,
    /// Cost models; the first one is the base.
    pub costs: Vec<CostPart>,
    /// Avoidance models.
    pub avoidances: Vec<AvoidancePart>,
    /// The level-of-detail policy.
    pub lod: Box<dyn LodPolicy>,
    /// The group behaviour.
    pub group: Box<dyn GroupBehavior>,
    /// Tiers by level, ascending.
    pub tiers: Vec<Tier>,
}

impl Parts {
    /// Index of the tier of a level: the highest one that does not exceed it, else the first.
    pub fn tier_of(&self, level: u8) -> u8 {
        self.tiers
            .iter()
            .rposition(|t| t.level <= level)
            .unwrap_or(0) as u8
    }

    /// Whether an agent is guided and steered in this step.
    #[inline]
    pub fn is_due(&self, tier: u8, id: u64, step: u64) -> bool {
        let period = u64::from(self.tiers[tier as usize].period);
        period == 1 || (step + (id & 0xFFFF_FFFF)).is_multiple_of(period)
    }

    /// The farthest that any avoidance model in use looks, metres.
    pub fn reach(&self) -> f32 {
        self.tiers
            .iter()
            .map(|t| self.avoidances[t.avoidance].perception.reach)
            .fold(0.0, f32::max)
    }

    /// The first thing that went wrong inside a strategy, with the strategy's slot.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        let first = |slot: &'static str, fault: Option<String>| fault.map(|f| (slot, f));
        first("nav", self.nav.fault())
            .or_else(|| {
                self.planners
                    .iter()
                    .find_map(|p| first("planner", p.strategy.fault()))
            })
            .or_else(|| {
                self.costs
                    .iter()
                    .find_map(|p| first("cost", p.strategy.fault()))
            })
            .or_else(|| {
                self.avoidances
                    .iter()
                    .find_map(|p| first("avoidance", p.strategy.fault()))
            })
            .or_else(|| first("lod", self.lod.fault()))
            .or_else(|| first("group", self.group.fault()))
    }
}
