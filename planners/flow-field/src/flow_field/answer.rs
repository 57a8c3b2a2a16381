//! Answers to requests: routes read from fields.

use std::sync::Arc;

use throng_core::{Attachment, NONE, NoRoute, NodeId, PlanRequest, RouteSink, World};
use throng_kit::search::{Heuristic, Horizon, RouteQuery, Terms, find_route};

use super::{FlowField, Workspace};
use crate::{
    field::Field,
    routes::{Dense, Tree},
    stencil::Stencil,
    step_costs::StepCosts,
};

/// What was grown for the last query that no field answers.
#[derive(Debug)]
pub(super) struct Asked {
    stencil: Arc<Stencil>,
    epoch: u64,
    doors: Vec<u8>,
    terms: (u32, u32, u32),
    costs: StepCosts,
    goal: NodeId,
    field: Field,
}

impl FlowField {
    /// Answers one request from its field.
    pub(super) fn answer(
        &self,
        world: &World<'_>,
        request: &PlanRequest,
        workspace: &mut Workspace,
        routes: &mut RouteSink,
    ) -> Result<(), NoRoute> {
        let mut attached = [Attachment::NOWHERE; 2];
        let places = [request.from, request.to];
        let hints = [request.from_region, NONE];
        world
            .nav
            .attach(&world.site, world.map, &places, &hints, &mut attached);
        let [from, to] = attached;
        if from.node == NONE {
            return Err(NoRoute::StartOffMap);
        }
        if to.node == NONE {
            return Err(NoRoute::GoalOffMap);
        }
        let Some(known) = self.known.as_ref() else {
            return self.search(world, request, from, to, workspace, routes);
        };
        let field = self.field(request.goal, request.class);
        let answered = match (&known.stencil, field) {
            (Some(stencil), Some(field)) => {
                let Some((_, costs)) = self.costs.iter().find(|c| c.0 == request.class) else {
                    return Err(NoRoute::Failed);
                };
                let dense = Dense {
                    stencil,
                    costs,
                    field,
                    expansion: self.expansion,
                };
                let steps = request.agent == NONE;
                let read = dense.read(world.map, from.node, steps, &mut workspace.gates);
                read.map(|(length, cost)| {
                    let length = length as f32 + from.distance;
                    let cost = cost as f32 + from.distance * costs.metre as f32;
                    routes.push_gates(workspace.gates.drain(..), length, cost);
                })
            }
            (None, Some(field)) => {
                let terms = FlowField::terms(world, request.class);
                let tree = Tree { terms, field };
                tree.read(world, request, (from, to), &mut workspace.search, routes)
            }
            (_, None) if request.agent != NONE => {
                return self.search(world, request, from, to, workspace, routes);
            }
            (Some(stencil), None) => {
                self.ask(world, stencil, request, (from, to), workspace, routes)
            }
            (None, None) => {
                let terms = FlowField::asked_terms(world, request);
                let grown = known.tree(&terms, &[], to, &mut workspace.search);
                let tree = Tree {
                    terms,
                    field: &grown,
                };
                tree.read(world, request, (from, to), &mut workspace.search, routes)
            }
        };
        answered.map_err(|why| match why {
            NoRoute::Unconnected => {
                let widest = |n: NodeId| known.connectivity.widest(from.node, n);
                let connected = if request.goal == NONE {
                    widest(to.node).is_some()
                } else {
                    let nodes = FlowField::goal_nodes(world, request.goal);
                    nodes.into_iter().any(|n| widest(n).is_some())
                };
                if connected {
                    NoRoute::TooNarrow
                } else {
                    NoRoute::Unconnected
                }
            }
            other => other,
        })
    }

    fn asked_terms<'a>(world: &World<'a>, request: &PlanRequest) -> Terms<'a> {
        Terms::new(
            world,
            request.prices as usize,
            request.weight,
            request.radius,
        )
    }

    /// Answers a query for a place that nobody shares, from a field of its own. Queries for the
    /// same place share it.
    fn ask(
        &self,
        world: &World<'_>,
        stencil: &Arc<Stencil>,
        request: &PlanRequest,
        (from, to): (Attachment, Attachment),
        workspace: &mut Workspace,
        routes: &mut RouteSink,
    ) -> Result<(), NoRoute> {
        let doors = world.site.ground.door_open;
        let terms = (
            request.prices,
            request.weight.to_bits(),
            request.radius.to_bits(),
        );
        let holds = |a: &Asked| {
            Arc::ptr_eq(&a.stencil, stencil)
                && (a.epoch, a.terms) == (world.epoch, terms)
                && a.doors == doors
        };
        let mut asked = match workspace.asked.take().filter(holds) {
            Some(asked) => asked,
            None => Asked {
                stencil: stencil.clone(),
                epoch: world.epoch,
                doors: doors.to_vec(),
                terms,
                costs: StepCosts::on(stencil, &FlowField::asked_terms(world, request)),
                goal: NONE,
                field: Field::default(),
            },
        };
        if asked.goal != to.node {
            let goal = asked.costs.seeds(stencil, &[to.node]);
            workspace.expander.grow(
                stencil,
                &asked.costs,
                self.expansion,
                &goal,
                &mut asked.field,
            );
            asked.goal = to.node;
        }
        let dense = Dense {
            stencil,
            costs: &asked.costs,
            field: &asked.field,
            expansion: self.expansion,
        };
        let read = dense.read(world.map, from.node, true, &mut workspace.gates);
        let beside = from.distance + to.distance;
        let answer = read.map(|(length, cost)| {
            let (length, cost) = (
                length as f32 + beside,
                cost as f32 + beside * asked.costs.metre as f32,
            );
            routes.push_gates(workspace.gates.drain(..), length, cost);
        });
        workspace.asked = Some(asked);
        answer
    }

    /// A route to a place of one's own: A* over the same graph.
    fn search(
        &self,
        world: &World<'_>,
        request: &PlanRequest,
        from: Attachment,
        to: Attachment,
        workspace: &mut Workspace,
        routes: &mut RouteSink,
    ) -> Result<(), NoRoute> {
        let prices = request.prices as usize;
        let query = RouteQuery {
            terms: Terms::new(world, prices, request.weight, request.radius),
            from,
            to,
            heuristic: self
                .known
                .as_ref()
                .map_or(Heuristic::STRAIGHT, |k| k.heuristic),
            greed: 1.0,
            most_expansions: 0,
            horizon: Horizon::NONE,
            old_tail: &[],
        };
        let found = find_route(&query, &mut workspace.search)?;
        let beside = f64::from(from.distance) + f64::from(to.distance);
        let length = (found.length + beside) as f32;
        let cost = (found.cost + beside * query.terms.least_base) as f32;
        routes.push_edges(workspace.search.route().iter().copied(), length, cost);
        Ok(())
    }
}
