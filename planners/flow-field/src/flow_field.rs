//! Planner `flow-field`: one field of directions per goal, shared by everybody who walks there
//! (Pentheny 2015, section 17.6).
//!
//! A field is grown backwards from its goal over the whole map, for every goal and route class in
//! use, in parallel. On dense maps (a lattice of nodes) it holds a direction at every node, and an
//! agent's is interpolated between the four about it: no search and no route per agent. On sparse
//! maps it is a tree of edges to take next: routes are read from it, in the time of their length,
//! when agents set out and when the replan policy asks, and their gates are made as they come near.
//!
//! Where prices change fields are grown anew, at most once a period and only if the prices of
//! steps have changed enough. That is done beside the simulation, from a copy of the prices, and
//! the new fields take over at a fixed later step, so a slow machine gives the same bits as a
//! fast one. New goals, new classes and doors do not wait.

mod answer;
mod direction;
mod guide;

use std::sync::Arc;

use rayon::prelude::*;
use throng_core::{
    Attachment, Capabilities, Gate, GlobalPlanner, GuideChunk, GuideOut, Location, NONE, NodeId,
    PlanRequest, PlannerError, RouteSink, Scratch, StateError, World, options, register,
};
use throng_kit::search::{
    Connectivity, DistanceTree, Heuristic, Incoming, SearchScratch, Terms, Toward, distance_tree,
};

use crate::{
    expand::{Expander, Expansion},
    field::{Field, Saved},
    grow::{Growing, Grown, Handle, Order, carry_out, grow_all},
    routes::{attach, sources},
    stencil::Stencil,
    step_costs::StepCosts,
};
use answer::Asked;

options! {
    /// Fields of directions towards the goals in use.
    pub struct FlowField {
        /// How fields grow on dense maps; sparse ones take Dijkstra's algorithm. By theta-star ways
        /// are straight lines, and growing takes two to three times as long.
        expansion: Expansion = Expansion::Dijkstra;
        /// Least time from growing fields to growing them anew when prices change; 0 for every
        /// new set of prices.
        every: f32 = 1.0, "s", 0.0..=3600.0;
        /// Fields are grown anew once the prices of steps have changed by more than this share,
        /// on average over the map; 0 for any change.
        change: f32 = 0.0, "", 0.0..=100.0;
        /// Steps after which fields grown anew take over.
        delay: u32 = 3, "steps", 0..=1000;
        /// Most fields at a time.
        limit: u32 = 256, "fields", 1..=65536;
    }
    state {
        known: Option<Known>,
        /// The goal and class of each field.
        pairs: Vec<(u32, u32)>,
        fields: Vec<Arc<Field>>,
        /// For each goal and class the index of its field, or NONE.
        index: Vec<u32>,
        /// Whether each is in use.
        wanted: Vec<bool>,
        classes: usize,
        /// The prices that fields were last grown for, and the step that this began at.
        epoch: u64,
        costs: Vec<(u32, Arc<StepCosts>)>,
        began: u64,
        growing: Option<Growing>,
    }
}

register! {
    Planner "flow-field" => FlowField,
    about: "One field of directions per goal and route class, shared by everybody who walks there.",
    when: "Very many agents share a few goals: guiding one costs the same whatever the map and however many there are.",
    when_not: "Everybody has a goal, weight or radius of their own (a field for each is refused above the limit); hysteresis is wanted (all of a class follow one field, so replan.hysteresis is refused).",
    growth: "Time in the nodes times the goals and classes in use, per rebuild and beside the steps; a constant per agent and step; 12 bytes a node and field, 17 a node, 33 a node and class where prices differ, 3 where they do not.",
    paper: "Pentheny: Advanced techniques for robust, efficient crowds, Game AI Pro 2, 2015",
    needs: Capabilities::GRAPH,
    offers: Capabilities::ROUTES.and(Capabilities::GUIDES),
}

/// What was found out about the map, for one revision and state of its doors.
#[derive(Clone, Debug)]
struct Known {
    connectivity: Connectivity,
    heuristic: Heuristic,
    incoming: Incoming,
    stencil: Option<Arc<Stencil>>,
}

impl Known {
    /// A successor tree towards a goal of these nodes, or else to a place that hangs there.
    fn tree(
        &self,
        terms: &Terms<'_>,
        nodes: &[NodeId],
        place: Attachment,
        scratch: &mut SearchScratch,
    ) -> Field {
        let mut tree = DistanceTree::default();
        distance_tree(
            terms,
            &sources(terms, nodes, place),
            Toward::Sources,
            &self.incoming,
            scratch,
            &mut tree,
        );
        Field {
            cost: tree.cost,
            next: tree.edge,
            way: Vec::new(),
        }
    }
}

/// What a thread keeps from batch to batch.
#[derive(Debug, Default)]
struct Workspace {
    search: SearchScratch,
    gates: Vec<Gate>,
    places: Vec<Location>,
    hints: Vec<u32>,
    regions: Vec<u32>,
    asked: Option<Asked>,
    expander: Expander,
}

#[typetag::serde(name = "flow-field")]
impl GlobalPlanner for FlowField {
    fn plan(
        &self,
        world: &World<'_>,
        requests: &[PlanRequest],
        scratch: &mut Scratch,
        routes: &mut RouteSink,
    ) {
        let workspace = scratch.get::<Workspace>();
        for request in requests {
            if let Err(why) = self.answer(world, request, workspace, routes) {
                routes.push_missing(why);
            }
        }
    }

    fn prepare(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        let doors = world.site.ground.door_open;
        let holds = |k: &Known| k.connectivity.holds_for(world.map, doors);
        if !self.known.as_ref().is_some_and(holds) {
            // A first look, an edited map or a door: nothing grown before holds.
            let loaded = self.known.is_none() && !self.fields.is_empty();
            self.learn(world);
            let stencil = self.known.as_ref().and_then(|k| k.stencil.as_deref());
            match stencil.filter(|_| loaded) {
                Some(stencil) => {
                    for (_, costs) in &mut self.costs {
                        Arc::make_mut(costs).look(stencil);
                    }
                }
                None if loaded => {}
                None => self.forget(),
            }
        }
        if let Some(growing) = self.growing.take_if(|g| world.step >= g.ready_at) {
            let fields = growing.fields.wait();
            for (pair, field) in growing.pairs.iter().zip(fields) {
                if let Some(at) = self.pairs.iter().position(|p| p == pair) {
                    self.fields[at] = field;
                }
            }
        }
        self.grow_missing(world)?;
        if world.epoch != self.epoch && self.growing.is_none() {
            self.renew(world);
        }
        Ok(())
    }

    fn guides(&self) -> bool {
        true
    }

    fn guide(
        &self,
        world: &World<'_>,
        chunk: &GuideChunk<'_>,
        scratch: &mut Scratch,
        out: &mut GuideOut<'_>,
    ) {
        let Some(stencil) = self.known.as_ref().and_then(|k| k.stencil.as_deref()) else {
            out.follow_route.fill(1);
            return;
        };
        if world.site.ground.flat && !stencil.jumps() {
            self.guide_flat(world, stencil, chunk, out);
        } else {
            self.guide_any(world, stencil, chunk, scratch.get::<Workspace>(), out);
        }
    }

    fn save(&self, out: &mut Vec<u8>) {
        let write = |out: &mut Vec<u8>, pairs: &[(u32, u32)], fields: &[Arc<Field>]| {
            out.extend((pairs.len() as u64).to_le_bytes());
            for ((goal, class), field) in pairs.iter().zip(fields) {
                out.extend(goal.to_le_bytes());
                out.extend(class.to_le_bytes());
                field.save(out);
            }
        };
        out.extend(self.epoch.to_le_bytes());
        out.extend(self.began.to_le_bytes());
        write(out, &self.pairs, &self.fields);
        match &self.growing {
            Some(growing) => {
                out.extend(growing.ready_at.to_le_bytes());
                write(out, &growing.pairs, &growing.fields.wait());
            }
            None => out.extend(u64::MAX.to_le_bytes()),
        }
        out.extend((self.costs.len() as u64).to_le_bytes());
        for (class, costs) in &self.costs {
            out.extend(u64::from(*class).to_le_bytes());
            costs.save(out);
        }
    }

    fn load(&mut self, saved: &[u8]) -> Result<(), StateError> {
        self.known = None;
        self.read(&mut Saved(saved)).ok_or_else(|| StateError {
            strategy: "flow-field".into(),
            reason: "its fields are cut short or damaged".into(),
        })
    }
}

impl FlowField {
    /// The field of a goal and class.
    #[inline]
    fn field(&self, goal: u32, class: u32) -> Option<&Field> {
        if goal == NONE {
            return None;
        }
        let at = self
            .index
            .get(goal as usize * self.classes + class as usize)?;
        self.fields.get(*at as usize).map(|f| &**f)
    }

    fn learn(&mut self, world: &World<'_>) {
        let same_map = |k: &Known| k.connectivity.is_of(world.map);
        let connectivity = Connectivity::new(world.map, world.site.ground.door_open);
        match &mut self.known {
            Some(known) if same_map(known) => known.connectivity = connectivity,
            known => {
                *known = Some(Known {
                    connectivity,
                    heuristic: Heuristic::of(world.map),
                    incoming: Incoming::of(world.map),
                    stencil: Stencil::of(world.map).map(Arc::new),
                });
            }
        }
    }

    fn forget(&mut self) {
        self.pairs.clear();
        self.fields.clear();
        self.index.clear();
        self.costs.clear();
        self.growing = None;
        self.epoch = 0;
    }

    /// The price table of a class: that of the first cost model.
    fn table(world: &World<'_>, class: u32) -> usize {
        let models = world.prices.len() / world.classes.len().max(1);
        class as usize * models
    }

    fn terms<'a>(world: &World<'a>, class: u32) -> Terms<'a> {
        match world.classes.get(class as usize) {
            Some(c) => Terms::new(world, FlowField::table(world, class), c.weight, c.radius),
            None => Terms::lengths(world.map, world.site.ground.door_open, 0.0),
        }
    }

    /// The nodes of a goal.
    fn goal_nodes(world: &World<'_>, goal: u32) -> Vec<NodeId> {
        let Some(goal) = world.goals.get(goal as usize) else {
            return Vec::new();
        };
        let first = goal.first_node as usize;
        let nodes = world.goal_nodes.get(first..first + goal.nodes as usize);
        nodes.unwrap_or_default().to_vec()
    }

    /// What steps cost every class that has a field, on a dense map.
    fn price(&self, world: &World<'_>) -> Vec<(u32, Arc<StepCosts>)> {
        let Some(stencil) = self.known.as_ref().and_then(|k| k.stencil.as_deref()) else {
            return Vec::new();
        };
        let mut classes: Vec<u32> = self.pairs.iter().map(|p| p.1).collect();
        classes.sort_unstable();
        classes.dedup();
        classes
            .into_par_iter()
            .map(|class| {
                let costs = StepCosts::on(stencil, &FlowField::terms(world, class));
                (class, Arc::new(costs))
            })
            .collect()
    }

    /// Grows fields for goals and classes that have none yet.
    fn grow_missing(&mut self, world: &World<'_>) -> Result<(), PlannerError> {
        self.classes = world.classes.len();
        let goals = world.goals.len();
        let wanted = &mut self.wanted;
        wanted.clear();
        wanted.resize(self.classes * goals, false);
        for (&goal, &class) in world.agents.goal.iter().zip(world.agents.class) {
            if goal != NONE
                && let Some(slot) = wanted.get_mut(goal as usize * self.classes + class as usize)
            {
                *slot = true;
            }
        }
        self.index.clear();
        self.index.resize(self.wanted.len(), NONE);
        for (at, (goal, class)) in self.pairs.iter().enumerate() {
            let slot = *goal as usize * self.classes + *class as usize;
            if let Some(index) = self.index.get_mut(slot) {
                *index = at as u32;
            }
        }
        let known = self.fields.len();
        for slot in 0..self.wanted.len() {
            if self.wanted[slot] && self.index[slot] == NONE {
                self.index[slot] = self.pairs.len() as u32;
                let pair = (slot / self.classes, slot % self.classes);
                self.pairs.push((pair.0 as u32, pair.1 as u32));
            }
        }
        if self.pairs.len() == known {
            return Ok(());
        }
        if self.pairs.len() > self.limit as usize {
            return Err(PlannerError::TooLarge {
                what: "flow-field: fields of goals and route classes in use (fewer goals, or \
                       fewer bins in [classes], need fewer)"
                    .into(),
                needed: self.pairs.len() as u64,
                limit: u64::from(self.limit),
            });
        }
        if known == 0 {
            self.epoch = world.epoch;
            self.began = world.step;
        }
        let costs = self.price(world);
        let pairs = self.pairs[known..].to_vec();
        let fields = self.grow(world, &costs, &pairs);
        self.fields.extend(fields);
        self.costs = costs;
        Ok(())
    }

    /// Grows the fields of pairs now, in parallel.
    fn grow(
        &self,
        world: &World<'_>,
        costs: &[(u32, Arc<StepCosts>)],
        pairs: &[(u32, u32)],
    ) -> Vec<Arc<Field>> {
        if let Some(orders) = self.orders(world, costs, pairs) {
            let expansion = self.expansion;
            return orders
                .into_par_iter()
                .map_init(Expander::default, |expander, order| {
                    carry_out(expander, expansion, &order)
                })
                .collect();
        }
        let Some(known) = &self.known else {
            return Vec::new();
        };
        let grow = |scratch: &mut SearchScratch, &(goal, class): &(u32, u32)| {
            let terms = FlowField::terms(world, class);
            let anchor = world.goals.get(goal as usize).map(|g| g.anchor);
            let anchor = anchor.map_or(Attachment::NOWHERE, |at| attach(world, at, NONE));
            let nodes = FlowField::goal_nodes(world, goal);
            Arc::new(known.tree(&terms, &nodes, anchor, scratch))
        };
        pairs
            .par_iter()
            .map_init(SearchScratch::default, grow)
            .collect()
    }

    /// What the fields of pairs are grown from, on a dense map.
    fn orders(
        &self,
        world: &World<'_>,
        costs: &[(u32, Arc<StepCosts>)],
        pairs: &[(u32, u32)],
    ) -> Option<Vec<Order>> {
        let stencil = self.known.as_ref()?.stencil.as_ref()?;
        pairs
            .iter()
            .map(|&(goal, class)| {
                let (_, costs) = costs.iter().find(|c| c.0 == class)?;
                Some(Order {
                    stencil: stencil.clone(),
                    costs: costs.clone(),
                    goals: FlowField::goal_nodes(world, goal),
                })
            })
            .collect()
    }

    /// Begins to grow all fields anew if it is time and prices have changed enough.
    fn renew(&mut self, world: &World<'_>) {
        let period = (f64::from(self.every) / f64::from(world.dt)).round() as u64;
        if self.fields.is_empty() || world.step < self.began + period {
            return;
        }
        self.epoch = world.epoch;
        let costs = self.price(world);
        let changed = |(class, new): &(u32, Arc<StepCosts>)| {
            let old = self.costs.iter().find(|c| c.0 == *class);
            old.is_none_or(|(_, old)| old.change(new) > f64::from(self.change))
        };
        // Sparse maps have no step costs: their fields are small and always grown.
        if !costs.is_empty() && !costs.iter().any(changed) {
            return;
        }
        self.began = world.step;
        let handle = match self.orders(world, &costs, &self.pairs) {
            Some(orders) => {
                let expansion = self.expansion;
                Handle::Running(std::thread::spawn(move || grow_all(expansion, &orders)))
            }
            None => Handle::Done(self.grow(world, &costs, &self.pairs)),
        };
        self.costs = costs;
        self.growing = Some(Growing {
            ready_at: world.step + u64::from(self.delay),
            pairs: self.pairs.clone(),
            fields: Grown::new(handle),
        });
    }

    fn read(&mut self, saved: &mut Saved<'_>) -> Option<()> {
        fn fields(saved: &mut Saved<'_>) -> Option<(Vec<(u32, u32)>, Vec<Arc<Field>>)> {
            let (mut pairs, mut fields) = (Vec::new(), Vec::new());
            for _ in 0..saved.u64()? {
                let pair = saved.u64()?;
                pairs.push((pair as u32, (pair >> 32) as u32));
                fields.push(Arc::new(Field::load(saved)?));
            }
            Some((pairs, fields))
        }
        self.forget();
        let (epoch, began) = (saved.u64()?, saved.u64()?);
        let (pairs, loaded) = fields(saved)?;
        let ready_at = saved.u64()?;
        if ready_at != u64::MAX {
            let (pairs, loaded) = fields(saved)?;
            self.growing = Some(Growing {
                ready_at,
                pairs,
                fields: Grown::new(Handle::Done(loaded)),
            });
        }
        for _ in 0..saved.u64()? {
            let class = saved.u64()? as u32;
            self.costs.push((class, Arc::new(StepCosts::load(saved)?)));
        }
        (self.epoch, self.began) = (epoch, began);
        (self.pairs, self.fields) = (pairs, loaded);
        Some(())
    }
}
